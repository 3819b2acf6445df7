//! Running a program: values, faults and costs.

use crate::function::{self, Actual, Fault, FaultKind};
use crate::library::{SHORTER, add_entries, is_match, unhashable, unsupported};
use crate::program::node::{
    Action, Append, Call, Element, Entry, Evaluated, Evaluation, Insert, Matches, Message, Node, OneOf,
    StepKind, Undefined,
};
use crate::types::Type;
use crate::value::{ComputedMap, Key, List, Map, Timestamp, Value};

/// Why a run ends before its result is there.
#[derive(Debug)]
pub(super) enum Stop {
    /// It costs too much.
    Limit,
    /// cel-go crashes there, which nothing inside an expression can handle.
    Crash(Fault),
}

/// What a step gives; the run ends where it costs too much.
pub(super) type Step = Result<Evaluated, Stop>;

/// One run of a program.
pub(super) struct Machine<'p> {
    pub(super) values: &'p [Option<Value>],
    pub(super) slots: Vec<Slot<'p>>,
    pub(super) cost: u64,
    limit: u64,
}

/// A variable of a comprehension.
#[derive(Debug)]
pub(super) enum Slot<'p> {
    /// Nothing yet, or taken out for a moment.
    Empty,
    /// Computed when it is first read.
    Pending(&'p Node),
    Ready(Evaluated),
}

const LIST: u64 = 10;
const MAP: u64 = 30;
const MESSAGE: u64 = 40;

impl<'p> Machine<'p> {
    pub(super) fn new(values: &'p [Option<Value>], slots: usize, limit: u64) -> Self {
        let slots = std::iter::repeat_with(|| Slot::Empty).take(slots).collect();
        Machine { values, slots, cost: 0, limit }
    }

    pub(super) fn charge(&mut self, cost: u64) -> Result<(), Stop> {
        if cost == function::CRASH {
            let words = "interface conversion: *types.Err is not traits.Lister: missing method Add";
            return Err(Stop::Crash(Fault::of(FaultKind::Crash(words.into()))));
        }
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Stop::Limit) } else { Ok(()) }
    }

    pub(super) fn eval(&mut self, node: &'p Node) -> Step {
        let id = node.id;
        match &node.kind {
            StepKind::Constant(value) => Ok(value.clone()),
            StepKind::Attribute(attribute) => self.eval_attribute(attribute),
            StepKind::Presence(attribute) => self.eval_presence(id, attribute),
            StepKind::And(terms) => self.eval_logical(id, terms, false),
            StepKind::Or(terms) => self.eval_logical(id, terms, true),
            StepKind::Equal(sides) => self.eval_equality(sides, true),
            StepKind::NotEqual(sides) => self.eval_equality(sides, false),
            StepKind::NotStrictlyFalse(inner) => {
                let value = self.eval(inner)?;
                self.charge(1)?;
                Ok(Ok(match value {
                    Ok(value @ Value::Bool(_)) => value,
                    _ => Value::Bool(true),
                }))
            }
            StepKind::Call(call) => Ok(self.eval_call(call)?.map_err(|fault| fault.at(id))),
            StepKind::Matches(matches) => Ok(self.eval_matches(matches)?.map_err(|fault| fault.at(id))),
            StepKind::OneOf(one_of) => self.eval_one_of(one_of),
            StepKind::Or2(sides) => self.eval_or(sides, |held| Value::Optional(Some(held))),
            StepKind::OrValue(sides) => self.eval_or(sides, |held| (*held).clone()),
            StepKind::List(elements) => self.eval_list(id, elements),
            StepKind::Map(entries) => self.eval_map(id, entries),
            StepKind::Message(message) => self.eval_message(id, message),
            StepKind::Undefined(undefined) => self.eval_undefined(id, undefined),
            StepKind::Fold(fold) => self.eval_fold(fold),
            StepKind::Append(append) => self.eval_append(id, append),
            StepKind::Insert(insert) => self.eval_insert(id, insert),
        }
    }

    /// `&&` and `||`: the first term that decides, else the first fault.
    fn eval_logical(&mut self, id: u32, terms: &'p [Node], decisive: bool) -> Step {
        let mut first: Option<Fault> = None;
        for term in terms {
            match self.eval(term)? {
                Ok(Value::Bool(value)) if value == decisive => return Ok(Ok(Value::Bool(decisive))),
                Ok(Value::Bool(_)) => {}
                Ok(_) => {
                    first.get_or_insert_with(|| Fault::no_such_overload().at(id));
                }
                Err(fault) => {
                    first.get_or_insert_with(|| fault.at(id));
                }
            }
        }
        Ok(match first {
            Some(fault) => Err(fault),
            None => Ok(Value::Bool(!decisive)),
        })
    }

    fn eval_equality(&mut self, sides: &'p [Node; 2], wanted: bool) -> Step {
        let [left, right] = sides;
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        match (left, right) {
            (Ok(left), Ok(right)) => {
                let sides = [left, right];
                let cost = match &sides {
                    // Comparing what only a library knows costs the same whatever its size is, but only with `==`.
                    [Value::Opaque(_), _] if wanted => 1,
                    _ => actual(SHORTER.actual, &sides),
                };
                self.charge(cost)?;
                let [left, right] = &sides;
                Ok(match left.equality(right) {
                    // What cannot be compared is different, but asking whether it is equal is a fault.
                    None if wanted => Err(Fault::no_such_overload()),
                    equal => Ok(Value::Bool((equal == Some(true)) == wanted)),
                })
            }
            (left, right) => {
                let cost = match &left {
                    Ok(Value::Opaque(_)) if wanted => 1,
                    _ => actual(SHORTER.actual, &shown(&left, &right)),
                };
                self.charge(cost)?;
                Ok(left.and(right))
            }
        }
    }

    fn eval_call(&mut self, call: &'p Call) -> Step {
        match &*call.args {
            [] => self.finish(call, &[]),
            [arg] => {
                let arg = self.eval(arg)?;
                match arg {
                    Ok(arg) => self.finish(call, &[arg]),
                    Err(fault) => {
                        self.charge_failed(call, &[Value::Null])?;
                        Ok(Err(fault))
                    }
                }
            }
            [left, right] if call.evaluation == Evaluation::All => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                match (left, right) {
                    (Ok(left), Ok(right)) => self.finish(call, &[left, right]),
                    (left, right) => {
                        self.charge_failed(call, &shown(&left, &right))?;
                        Ok(left.and(right))
                    }
                }
            }
            args => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    match self.eval(arg)? {
                        Ok(value) => values.push(value),
                        // cel-go has not seen all arguments on its stack then, and counts nothing, unless it was the last.
                        Err(fault) => {
                            if values.len() + 1 == args.len() {
                                values.push(Value::Null);
                                self.charge_failed(call, &values)?;
                            }
                            return Ok(Err(fault));
                        }
                    }
                }
                self.finish(call, &values)
            }
        }
    }

    /// Counts a call that is not made because an argument failed.
    fn charge_failed(&mut self, call: &Call, args: &[Value]) -> Result<(), Stop> {
        let cost = match call.cost {
            Actual::ByResult(cost) => cost(args, &Value::Null),
            other => actual(other, args),
        };
        self.charge(cost)
    }

    /// Makes a call whose arguments are there.
    fn finish(&mut self, call: &Call, args: &[Value]) -> Step {
        if let Actual::ByResult(cost) = call.cost {
            let result = run(call, args);
            self.charge(cost(args, result.as_ref().unwrap_or(&Value::Null)))?;
            return Ok(result);
        }
        let before = self.cost;
        self.charge(actual(call.cost, args))?;
        match run(call, args) {
            Err(fault) if matches!(&*fault.kind, FaultKind::Crash(_)) => {
                // A call that crashes is not counted.
                self.cost = before;
                Err(Stop::Crash(fault))
            }
            result => Ok(result),
        }
    }

    fn eval_matches(&mut self, matches: &'p Matches) -> Step {
        let text = match self.eval(&matches.text)? {
            Ok(text) => text,
            Err(fault) => return Ok(Err(fault)),
        };
        let args = [text, matches.pattern.clone()];
        self.charge(actual(matches.cost, &args))?;
        Ok(match &args {
            [Value::String(text), _] => is_match(&matches.matcher, text),
            // cel-go looks at the Go value, and that of a type is its name.
            [Value::Type(named), _] => is_match(&matches.matcher, named.runtime_name()),
            _ => Err(Fault::no_such_overload()),
        })
    }

    fn eval_one_of(&mut self, one_of: &'p OneOf) -> Step {
        match self.eval(&one_of.item)? {
            Ok(item) => match unhashable(&item) {
                Some(fault) => Err(Stop::Crash(fault)),
                None => Ok(Ok(Value::Bool(one_of.set.contains(&Key(item))))),
            },
            Err(fault) => Ok(Err(fault)),
        }
    }

    /// `or` and `orValue`, which evaluate the right side only where the left holds nothing.
    fn eval_or(&mut self, sides: &'p [Node; 2], held: fn(std::sync::Arc<Value>) -> Value) -> Step {
        let [left, right] = sides;
        match self.eval(left)? {
            Ok(Value::Optional(Some(value))) => Ok(Ok(held(value))),
            Ok(Value::Optional(None)) => self.eval(right),
            other => Ok(other),
        }
    }

    /// A call of a function that does not exist, which only shows when it runs.
    fn eval_undefined(&mut self, id: u32, undefined: &'p Undefined) -> Step {
        let mut failed = None;
        let mut first = None;
        for (index, arg) in undefined.args.iter().enumerate() {
            match self.eval(arg)? {
                Ok(value) => {
                    first.get_or_insert(value);
                }
                Err(fault) => {
                    failed.get_or_insert(fault);
                    if undefined.args.len() > 2 {
                        if index + 1 == undefined.args.len() {
                            self.charge(1)?;
                        }
                        break;
                    }
                }
            }
        }
        if failed.is_none() || undefined.args.len() <= 2 {
            self.charge(1)?;
        }
        let fault = match (failed, first) {
            (Some(fault), _) => fault,
            (None, Some(receiver)) => unsupported(&undefined.name, &receiver).at(id),
            (None, None) => Fault::no_such_overload().at(id),
        };
        Ok(Err(fault))
    }

    fn eval_list(&mut self, id: u32, elements: &'p [Element]) -> Step {
        let items = self.eval_elements(id, elements)?;
        self.charge(LIST)?;
        Ok(items.map(Value::list))
    }

    pub(super) fn eval_elements(
        &mut self,
        id: u32,
        elements: &'p [Element],
    ) -> Result<Result<Vec<Value>, Fault>, Stop> {
        let mut items = Vec::with_capacity(elements.len());
        for element in elements {
            let value = match self.eval(&element.node)? {
                Ok(value) => value,
                Err(fault) => return Ok(Err(fault)),
            };
            match value {
                value if !element.is_optional => items.push(value),
                Value::Optional(None) => {}
                Value::Optional(Some(value)) => items.push((*value).clone()),
                other => {
                    let message =
                        format!("cannot initialize optional list element from non-optional value {other}");
                    return Ok(Err(Fault::new(message).at(id)));
                }
            }
        }
        Ok(Ok(items))
    }

    fn eval_map(&mut self, id: u32, entries: &'p [Entry]) -> Step {
        let mut map = ComputedMap::default();
        let mut filled = Ok(());
        for entry in entries {
            filled = self.eval_entry(id, entry, &mut map)?;
            if filled.is_err() {
                break;
            }
        }
        self.charge(MAP)?;
        Ok(filled.map(|()| Value::from(map)))
    }

    fn eval_entry(
        &mut self,
        id: u32,
        entry: &'p Entry,
        map: &mut ComputedMap,
    ) -> Result<Result<(), Fault>, Stop> {
        let key = match self.eval(&entry.key)? {
            Ok(key) => key,
            Err(fault) => return Ok(Err(fault)),
        };
        let value = match self.eval(&entry.value)? {
            Ok(value) => value,
            Err(fault) => return Ok(Err(fault)),
        };
        if let Some(fault) = unhashable(&key) {
            return Err(Stop::Crash(fault));
        }
        match value {
            value if !entry.is_optional => map.insert(key, value),
            Value::Optional(None) => map.remove(&key),
            Value::Optional(Some(value)) => map.insert(key, (*value).clone()),
            other => {
                let message =
                    format!("cannot initialize optional entry '{key}' from non-optional value {other}");
                return Ok(Err(Fault::new(message).at(id)));
            }
        }
        Ok(Ok(()))
    }

    fn eval_message(&mut self, id: u32, message: &'p Message) -> Step {
        let mut fields = Vec::new();
        for (name, element) in &message.fields {
            let value = match self.eval(&element.node)? {
                Ok(value) => value,
                Err(fault) => {
                    self.charge(MESSAGE)?;
                    return Ok(Err(fault));
                }
            };
            match value {
                value if !element.is_optional => fields.push((name.clone(), value)),
                Value::Optional(None) => {}
                Value::Optional(Some(value)) => fields.push((name.clone(), (*value).clone())),
                other => {
                    self.charge(MESSAGE)?;
                    let text =
                        format!("cannot initialize optional entry '{name}' from non-optional value {other}");
                    return Ok(Err(Fault::new(text).at(id)));
                }
            }
        }
        self.charge(MESSAGE)?;
        Ok(make_message(message, &fields).map_err(|fault| fault.at(id)))
    }

    fn eval_append(&mut self, id: u32, append: &'p Append) -> Step {
        let accumulator = self.take(append.accumulator)?;
        self.charge(1)?;
        let list = self.eval(&append.list)?;
        match (accumulator, list) {
            (Ok(Value::List(List::Computed(mut items))), Ok(Value::List(list))) => {
                self.charge(match append.cost {
                    Actual::Fixed(cost) => cost,
                    other => actual(
                        other,
                        &[Value::List(List::Computed(items.clone())), Value::List(list.clone())],
                    ),
                })?;
                std::sync::Arc::make_mut(&mut items).extend(list.iter());
                Ok(Ok(Value::List(List::Computed(items))))
            }
            (Ok(left), Ok(right)) => {
                let args = [left, right];
                self.charge(actual(append.cost, &args))?;
                Ok(crate::library::add(&args).map_err(|fault| fault.at(id)))
            }
            (left, right) => {
                self.charge(actual(append.cost, &shown(&left, &right)))?;
                Ok(left.and(right))
            }
        }
    }

    fn eval_insert(&mut self, id: u32, insert: &'p Insert) -> Step {
        let accumulator = self.take(insert.accumulator)?;
        self.charge(1)?;
        let mut args = Vec::with_capacity(insert.args.len());
        if let Err(fault) = accumulator {
            // A function of two arguments evaluates both of them.
            if let [only] = &*insert.args {
                let _ = self.eval(only)?;
                self.charge(1)?;
            }
            return Ok(Err(fault));
        }
        for (index, arg) in insert.args.iter().enumerate() {
            match self.eval(arg)? {
                Ok(value) => args.push(value),
                Err(fault) => {
                    if index + 1 == insert.args.len() {
                        self.charge(1)?;
                    }
                    return Ok(Err(fault));
                }
            }
        }
        self.charge(1)?;
        let accumulator = match accumulator {
            Ok(Value::Map(Map::Computed(map))) => Ok(map),
            other => Err(other.unwrap_or(Value::Null)),
        };
        let (mut map, added) = match (accumulator, &*args) {
            (Ok(map), [key, value]) => (map, vec![(key.clone(), value.clone())]),
            (Ok(map), [Value::Map(added)]) => (map, added.iter().collect()),
            (accumulator, _) => {
                let accumulator =
                    accumulator.map_or_else(|other| other, |map| Value::Map(Map::Computed(map)));
                args.insert(0, accumulator);
                return Ok(Err(Fault::no_such_call(insert.name, &args).at(id)));
            }
        };
        if let Some(fault) = added.iter().find_map(|(key, _)| unhashable(key)) {
            return Err(Stop::Crash(fault));
        }
        let result = add_entries(std::sync::Arc::make_mut(&mut map), added);
        Ok(result.map(|()| Value::Map(Map::Computed(map))).map_err(|fault| fault.at(id)))
    }

    /// Takes the value of a variable out of its slot, which nobody reads before it is written again.
    fn take(&mut self, slot: usize) -> Step {
        let value = self.read_slot(slot)?;
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Slot::Empty;
        }
        Ok(value)
    }
}

/// Arguments as costs are counted by, where one of them failed.
fn shown(left: &Evaluated, right: &Evaluated) -> [Value; 2] {
    [left, right].map(|side| side.as_ref().map_or(Value::Null, Value::clone))
}

/// What a call with these arguments costs.
pub(super) fn actual(cost: Actual, args: &[Value]) -> u64 {
    match cost {
        Actual::Fixed(cost) => cost,
        Actual::ByArguments(cost) => cost(args),
        Actual::ByResult(cost) => cost(args, &Value::Null),
    }
}

fn run(call: &Call, args: &[Value]) -> Evaluated {
    let fits = |params: &[Type]| {
        params.len() == args.len() && params.iter().zip(args).all(|(param, arg)| arg.fits(param))
    };
    match call.action {
        Action::Singleton(run) => run(args),
        Action::Overload(number) => match call.function.overloads.get(number) {
            Some(overload) if fits(&overload.params) => match overload.run {
                Some(run) => run(args),
                None => Err(Fault::no_such_call(call.function.name, args)),
            },
            _ => Err(Fault::no_such_call(call.function.name, args)),
        },
        Action::Dispatch => {
            let found = call
                .function
                .overloads
                .iter()
                .find(|overload| overload.run.is_some() && fits(&overload.params));
            match found.and_then(|overload| overload.run) {
                Some(run) => run(args),
                None => Err(Fault::no_such_call(call.function.name, args)),
            }
        }
        Action::Undefined => match args.first() {
            Some(receiver) => Err(unsupported(call.function.name, receiver)),
            None => Err(Fault::no_such_overload()),
        },
    }
}

/// Makes the value of a message: those that come with protobuf are plain values.
fn make_message(message: &Message, fields: &[(std::sync::Arc<str>, Value)]) -> Evaluated {
    let field = |name: &str| fields.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.clone());
    let number = |name: &str| match field(name) {
        Some(Value::Int(number)) => number,
        _ => 0,
    };
    match &message.declared {
        Type::Wrapper(inner) => Ok(field("value").unwrap_or_else(|| match &**inner {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::Int(0),
            Type::UInt => Value::UInt(0),
            Type::Double => Value::Double(0.0),
            Type::String => Value::string(""),
            _ => Value::bytes(Vec::new()),
        })),
        Type::Duration => Ok(Value::Duration(
            number("seconds").saturating_mul(1_000_000_000).saturating_add(number("nanos")),
        )),
        Type::Timestamp => Ok(Value::Timestamp(Timestamp::new(
            number("seconds"),
            u32::try_from(number("nanos")).unwrap_or(0),
        ))),
        Type::List(_) => Ok(Value::list(Vec::new())),
        Type::Map(..) => Ok(Value::from(ComputedMap::default())),
        Type::Dyn | Type::Null => Ok(Value::Null),
        Type::Any => Err(Fault::new("conversion error: got Any with empty type-url")),
        _ => Err(Fault::new(format!("unknown type '{}'", message.name))),
    }
}
