//! Building programs: names become numbers, and what depends on nothing is computed.
//!
//! It plans as cel-go does, because that decides what an expression costs and which mistakes are found before it runs.

use std::sync::Arc;

use trueline_regexp::Matcher;

use crate::ast::{Ask, Ast, Comprehension, Expr, ExprId, ExprKind};
use crate::check::{Checked, Reference};
use crate::env::Env;
use crate::function::{Binding, Fault, FaultKind, Function, Overload};
use crate::program::Program;
use crate::program::attribute::{invalid_key, is_key};
use crate::program::machine::{Machine, Stop};
use crate::program::node::{
    Access, Action, Append, Attribute, Call, Candidate, Conditional, Element, Entry, Evaluation, Fold,
    Insert, Matches, Message, Named, Node, OneOf, Qualifier, QualifierKey, ResolvedName, Root, StepKind,
    Undefined,
};
use crate::syntax::names;
use crate::types::Type;
use crate::value::{Key, Value, lossless_int, lossless_uint};

/// Functions that are computed if their argument is known.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

pub(super) fn build(env: &Env, ast: &Ast, checked: Option<&Checked>) -> Result<Program, Fault> {
    let mut builder = Builder { env, checked, scopes: Vec::new(), slots: 0 };
    let root = builder.node(&ast.root)?;
    Ok(Program { root, slots: builder.slots, places: ast.places.clone() })
}

struct Builder<'a> {
    env: &'a Env,
    checked: Option<&'a Checked>,
    /// The variables of comprehensions with their slots, the innermost last.
    scopes: Vec<(Arc<str>, usize)>,
    slots: usize,
}

impl Builder<'_> {
    fn node(&mut self, expr: &Expr) -> Result<Node, Fault> {
        let id = expr.id;
        let kind = match &expr.kind {
            ExprKind::Literal(value) => StepKind::Constant(Ok(value.clone())),
            ExprKind::Ident(name) => self.ident(id, name)?,
            ExprKind::Select { operand, field, ask } => self.select(id, operand, field, *ask)?,
            ExprKind::Call { target, function, args } => self.call(id, target.as_deref(), function, args)?,
            ExprKind::List { elements, optional } => self.list(id, elements, optional)?,
            ExprKind::Map(entries) => self.map(id, entries)?,
            ExprKind::Struct { name, fields } => self.message(id, name, fields)?,
            ExprKind::Comprehension(comprehension) => self.fold(comprehension)?,
        };
        Ok(Node { id, kind })
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find(|(own, _)| &**own == name).map(|(_, slot)| *slot)
    }

    fn attribute(id: ExprId, root: Root) -> StepKind {
        StepKind::Attribute(Attribute { id, root, qualifiers: Vec::new() })
    }

    fn ident(&self, id: ExprId, name: &Arc<str>) -> Result<StepKind, Fault> {
        let Some(checked) = self.checked else {
            let names = self.env.candidates(name).map(|name| self.named(&name)).collect();
            return Ok(Self::attribute(id, Root::Maybe(vec![Candidate { names, skipped: 0 }])));
        };
        if let Type::Type(_) = checked.type_of(id) {
            // Only names of types have the type of types, cel-go believes.
            return match self.env.named_type(name) {
                Some(found) if is_value(name) => Ok(StepKind::Constant(Ok(Value::Type(found.clone())))),
                _ => Err(Fault::new(format!("reference to undefined type: {name}"))),
            };
        }
        let root = match (self.slot(name), self.env.variable(name)) {
            (Some(slot), _) => Root::Slot(slot),
            (None, Some(number)) => Root::Variable(number, name.clone()),
            (None, None) => Root::Variable(usize::MAX, name.clone()),
        };
        Ok(Self::attribute(id, root))
    }

    fn named(&self, name: &str) -> Named {
        let found = match (self.slot(name), self.env.variable(name), self.env.named_type(name)) {
            (Some(slot), ..) => Some(ResolvedName::Slot(slot)),
            (None, Some(number), _) => Some(ResolvedName::Variable(number)),
            (None, None, Some(found)) => Some(ResolvedName::Type(found.clone())),
            (None, None, None) => None,
        };
        Named { name: name.into(), found }
    }

    /// The attribute that parts are read from.
    fn operand(node: Node) -> Attribute {
        match node.kind {
            StepKind::Attribute(attribute) => attribute,
            kind => {
                let id = node.id;
                Attribute { id, root: Root::Computed(Box::new(Node { id, kind })), qualifiers: Vec::new() }
            }
        }
    }

    fn select(&mut self, id: ExprId, operand: &Expr, field: &Arc<str>, ask: Ask) -> Result<StepKind, Fault> {
        let mut attribute = Self::operand(self.node(operand)?);
        let key = Value::String(field.clone());
        let access = if ask == Ask::Presence { Access::Presence } else { Access::Plain };
        self.qualify(&mut attribute, Qualifier { id, key: QualifierKey::Constant(key), access });
        attribute.id = id;
        Ok(if ask == Ask::Presence { StepKind::Presence(attribute) } else { StepKind::Attribute(attribute) })
    }

    /// Adds a part that is read. An unchecked name may become longer by it.
    fn qualify(&self, attribute: &mut Attribute, qualifier: Qualifier) {
        if let Root::Maybe(candidates) = &mut attribute.root
            && let QualifierKey::Constant(Value::String(field)) = &qualifier.key
            && let Some(first) = candidates.first()
            && first.skipped == attribute.qualifiers.len()
        {
            let names =
                first.names.iter().map(|named| self.named(&format!("{}.{field}", named.name))).collect();
            let skipped = first.skipped + 1;
            candidates.insert(0, Candidate { names, skipped });
        }
        attribute.push(Arc::new(qualifier));
    }

    fn index(&mut self, id: ExprId, args: Vec<Node>, access: Access) -> Result<StepKind, Fault> {
        let Ok([operand, index]) = <[Node; 2]>::try_from(args) else {
            return Err(Fault::no_such_overload());
        };
        let mut attribute = Self::operand(operand);
        let key = match index.kind {
            StepKind::Constant(Ok(value)) if is_key(&value) => QualifierKey::Constant(value),
            StepKind::Constant(Ok(value)) => return Err(invalid_key(&value)),
            StepKind::Constant(Err(_)) => return Err(Fault::new("invalid qualifier type: *types.Err")),
            StepKind::Attribute(attribute) => QualifierKey::Attribute(attribute),
            kind => QualifierKey::Computed(Node { id: index.id, kind }),
        };
        self.qualify(&mut attribute, Qualifier { id, key, access });
        attribute.id = id;
        Ok(StepKind::Attribute(attribute))
    }

    fn list(&mut self, id: ExprId, elements: &[Expr], optional: &[u32]) -> Result<StepKind, Fault> {
        let mut nodes = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let is_optional = optional.iter().any(|&optional| optional as usize == index);
            nodes.push(Element { node: self.node(element)?, is_optional });
        }
        let is_constant = nodes.iter().all(|element| matches!(element.node.kind, StepKind::Constant(_)));
        let node = Node { id, kind: StepKind::List(nodes.into()) };
        Ok(if is_constant { compute(&node)? } else { node.kind })
    }

    fn map(&mut self, id: ExprId, entries: &[crate::ast::Entry]) -> Result<StepKind, Fault> {
        let mut nodes = Vec::with_capacity(entries.len());
        for entry in entries {
            let key = self.node(&entry.key)?;
            let value = self.node(&entry.value)?;
            nodes.push(Entry { key, value, is_optional: entry.is_optional });
        }
        let is_constant = nodes.iter().all(|entry| {
            matches!(entry.key.kind, StepKind::Constant(_))
                && matches!(entry.value.kind, StepKind::Constant(_))
        });
        let node = Node { id, kind: StepKind::Map(nodes.into()) };
        Ok(if is_constant { compute(&node)? } else { node.kind })
    }

    fn message(
        &mut self,
        id: ExprId,
        name: &Arc<str>,
        fields: &[crate::ast::Entry],
    ) -> Result<StepKind, Fault> {
        let declared = match self.checked {
            Some(checked) => Some(checked.type_of(id)),
            None => self.env.candidates(name).find_map(|name| self.env.named_type(&name)),
        };
        let Some(declared) = declared else {
            return Err(Fault::new(format!("unknown type: {name}")));
        };
        let mut elements = Vec::with_capacity(fields.len());
        for field in fields {
            let ExprKind::Literal(Value::String(key)) = &field.key.kind else {
                return Err(Fault::no_such_overload());
            };
            let node = self.node(&field.value)?;
            elements.push((key.clone(), Element { node, is_optional: field.is_optional }));
        }
        Ok(StepKind::Message(Box::new(Message { declared, name: name.clone(), fields: elements.into() })))
    }

    fn fold(&mut self, comprehension: &Comprehension) -> Result<StepKind, Fault> {
        let start = self.node(&comprehension.start)?;
        let range = self.node(&comprehension.range)?;
        let outside = self.scopes.len();
        let accumulator = self.fresh(&comprehension.accumulator);
        let within = self.scopes.len();
        let second = comprehension.second_variable.as_ref().map(|name| self.fresh(name));
        let variable = self.fresh(&comprehension.variable);
        // cel-go asks for the accumulator first, whatever the other variables are called.
        self.scopes.push((comprehension.accumulator.clone(), accumulator));
        let condition = self.node(&comprehension.condition)?;
        let step = self.node(&comprehension.step)?;
        self.scopes.truncate(within);
        let result = self.node(&comprehension.result)?;
        self.scopes.truncate(outside);
        let step = in_place(step, accumulator);
        Ok(StepKind::Fold(Box::new(Fold {
            range,
            start,
            condition,
            step,
            result,
            accumulator,
            variable,
            second,
        })))
    }

    fn fresh(&mut self, name: &Arc<str>) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.scopes.push((name.clone(), slot));
        slot
    }

    fn call(
        &mut self,
        id: ExprId,
        target: Option<&Expr>,
        name: &str,
        args: &[Expr],
    ) -> Result<StepKind, Fault> {
        let (function, found, has_target) = self.resolve(id, target, name);
        let mut nodes = Vec::with_capacity(args.len() + 1);
        if let Some(target) = target.filter(|_| has_target) {
            nodes.push(self.node(target)?);
        }
        for arg in args {
            nodes.push(self.node(arg)?);
        }
        let Some(function) = function else {
            let name: Arc<str> = name.strip_prefix('.').unwrap_or(name).into();
            if nodes.is_empty() {
                let words = format!("no such overload: {name}()");
                return Err(Fault::of(FaultKind::NoOverload(words.into())));
            }
            return Ok(StepKind::Undefined(Box::new(Undefined { name, args: nodes.into() })));
        };
        match function.name {
            names::AND => return Ok(StepKind::And(nodes.into())),
            names::OR => return Ok(StepKind::Or(nodes.into())),
            names::CONDITIONAL => return conditional(id, nodes),
            names::EQUALS => return pair(nodes).map(StepKind::Equal),
            "_!=_" => return pair(nodes).map(StepKind::NotEqual),
            names::INDEX => return self.index(id, nodes, Access::Plain),
            names::OPTIONAL_SELECT | names::OPTIONAL_INDEX => return self.index(id, nodes, Access::Optional),
            "or" if nodes.len() == 2 => return pair(nodes).map(StepKind::Or2),
            "orValue" if nodes.len() == 2 => return pair(nodes).map(StepKind::OrValue),
            names::NOT_STRICTLY_FALSE => {
                let inner = nodes.pop().ok_or_else(Fault::no_such_overload)?;
                return Ok(StepKind::NotStrictlyFalse(Box::new(inner)));
            }
            _ => {}
        }
        self.ordinary_call(id, function, &found, nodes)
    }

    /// The function that is called, the overloads that may be meant, and whether there is a receiver.
    fn resolve(
        &self,
        id: ExprId,
        target: Option<&Expr>,
        name: &str,
    ) -> (Option<Arc<Function>>, Vec<usize>, bool) {
        if let Some(Reference::Call(function, found)) =
            self.checked.and_then(|checked| checked.references.get(&id))
        {
            return (Some(function.clone()), found.clone(), target.is_some());
        }
        let find = |name: &str| self.env.candidates(name).find_map(|name| self.env.function(&name).cloned());
        if let Some(prefix) = target.and_then(crate::check::qualified)
            && let Some(function) = find(&format!("{prefix}.{name}"))
        {
            return (Some(function), Vec::new(), false);
        }
        (find(name), Vec::new(), target.is_some())
    }

    fn ordinary_call(
        &mut self,
        id: ExprId,
        function: Arc<Function>,
        found: &[usize],
        args: Vec<Node>,
    ) -> Result<StepKind, Fault> {
        let single = match found {
            [only] => function.overloads.get(*only).map(|overload| (*only, overload)),
            _ => None,
        };
        let cost = single.map_or(function.unresolved, |(_, overload)| overload.cost.actual);
        let bound: Vec<usize> = (0..function.overloads.len())
            .filter(|&number| function.overloads.get(number).is_some_and(|overload| overload.run.is_some()))
            .collect();
        let (action, binding) = match (function.singleton, single, &*bound) {
            (Some(run), ..) => (
                Action::Singleton(run),
                function.overloads.first().map_or(Binding::Fixed, |overload| overload.binding),
            ),
            (None, Some((number, overload)), _) if overload.run.is_some() => {
                (Action::Overload(number), overload.binding)
            }
            (None, _, [only]) => (
                Action::Overload(*only),
                function.overloads.get(*only).map_or(Binding::Fixed, |overload| overload.binding),
            ),
            (None, _, []) => (Action::Undefined, Binding::Fixed),
            (None, ..) => (Action::Dispatch, Binding::Variadic),
        };
        let mut action = action;
        let mut evaluation = match binding {
            Binding::Fixed if args.len() <= 2 => Evaluation::All,
            _ => Evaluation::UpToFault,
        };
        if let Some(StepKind::Constant(Ok(Value::String(pattern)))) =
            function.pattern.and_then(|index| args.get(index)).map(|arg| &arg.kind)
        {
            let matcher = Matcher::shared(pattern.as_bytes()).map_err(Fault::new)?;
            if function.name == "matches" {
                let pattern = Value::String(pattern.clone());
                let text = args.into_iter().next().ok_or_else(Fault::no_such_overload)?;
                return Ok(StepKind::Matches(Box::new(Matches { text, pattern, matcher, cost })));
            }
            // cel-go replaces such a call by one that gets its arguments as they are.
            evaluation = Evaluation::UpToFault;
            let fitting = |overload: &&Overload| overload.params.len() == args.len();
            if let Some(run) = function.overloads.iter().find(fitting).and_then(|overload| overload.run) {
                action = Action::Singleton(run);
            }
        }
        if function.name == names::IN
            && single.is_some_and(|(_, overload)| overload.id == "in_list")
            && let [item, Node { kind: StepKind::Constant(Ok(Value::List(list))), .. }] = &*args
        {
            if list.is_empty() {
                return Ok(StepKind::Constant(Ok(Value::Bool(false))));
            }
            if let Some(set) = set_of(&list.iter().collect::<Vec<_>>()) {
                let _ = item;
                let item = args.into_iter().next().ok_or_else(Fault::no_such_overload)?;
                return Ok(StepKind::OneOf(Box::new(OneOf { item, set })));
            }
        }
        let is_conversion = CONVERSIONS.contains(&function.name)
            && matches!(&*args, [Node { kind: StepKind::Constant(_), .. }]);
        let node = Node {
            id,
            kind: StepKind::Call(Box::new(Call { function, action, args: args.into(), cost, evaluation })),
        };
        if !is_conversion {
            return Ok(node.kind);
        }
        match compute(&node)? {
            StepKind::Constant(Err(fault)) => Err(fault),
            kind => Ok(kind),
        }
    }
}

/// Whether the name of a type is a value. Messages of protobuf that are read as plain values are types only.
fn is_value(name: &str) -> bool {
    match name.strip_prefix("google.protobuf.") {
        Some(message) => matches!(message, "Duration" | "Timestamp"),
        None => true,
    }
}

/// Computes a step that depends on nothing.
fn compute(node: &Node) -> Result<StepKind, Fault> {
    let mut machine = Machine::new(&[], 0, u64::MAX);
    match machine.eval(node) {
        Ok(result) => Ok(StepKind::Constant(result)),
        // What crashes cel-go while it computes keeps the program from being built.
        Err(Stop::Crash(fault)) => Err(match &*fault.kind {
            FaultKind::Crash(words) => Fault::new(format!("panic: {words}")),
            _ => fault,
        }),
        Err(Stop::Limit) => Err(Fault::no_such_overload()),
    }
}

fn pair(nodes: Vec<Node>) -> Result<Box<[Node; 2]>, Fault> {
    <[Node; 2]>::try_from(nodes).map(Box::new).map_err(|_| Fault::no_such_overload())
}

fn conditional(id: ExprId, nodes: Vec<Node>) -> Result<StepKind, Fault> {
    let Ok([condition, truthy, falsy]) = <[Node; 3]>::try_from(nodes) else {
        return Err(Fault::no_such_overload());
    };
    let branch = |node: Node| match node.kind {
        StepKind::Presence(attribute) => attribute,
        kind => Builder::operand(Node { id: node.id, kind }),
    };
    let conditional = Conditional { condition, truthy: branch(truthy), falsy: branch(falsy) };
    Ok(Builder::attribute(id, Root::Conditional(Box::new(conditional))))
}

/// The values that are equal to one of these, if all of them are simple ones.
fn set_of(items: &[Value]) -> Option<rustc_hash::FxHashSet<Key>> {
    let mut set = rustc_hash::FxHashSet::default();
    for item in items {
        match item {
            Value::Bool(_) | Value::String(_) => {}
            Value::Double(number) => {
                set.extend(lossless_int(*number).map(|number| Key(Value::Int(number))));
                set.extend(lossless_uint(*number).map(|number| Key(Value::UInt(number))));
            }
            Value::Int(number) => {
                set.insert(Key(Value::Double(*number as f64)));
                set.extend(u64::try_from(*number).ok().map(|number| Key(Value::UInt(number))));
            }
            Value::UInt(number) => {
                set.insert(Key(Value::Double(*number as f64)));
                set.extend(i64::try_from(*number).ok().map(|number| Key(Value::Int(number))));
            }
            _ => return None,
        }
        set.insert(Key(item.clone()));
    }
    Some(set)
}

/// A step that adds to the accumulator, without copying it each time.
fn in_place(step: Node, accumulator: usize) -> Node {
    let Node { id, kind } = step;
    let kind = match kind {
        StepKind::Call(call) => adding(*call, accumulator),
        // `filter` adds to the accumulator in one branch.
        StepKind::Attribute(Attribute { id, root: Root::Conditional(mut conditional), qualifiers }) => {
            for branch in [&mut conditional.truthy, &mut conditional.falsy] {
                if branch.qualifiers.is_empty()
                    && let Root::Computed(node) = &mut branch.root
                {
                    let id = node.id;
                    let taken = std::mem::replace(
                        &mut **node,
                        Node { id, kind: StepKind::Constant(Ok(Value::Null)) },
                    );
                    **node = in_place(taken, accumulator);
                }
            }
            StepKind::Attribute(Attribute { id, root: Root::Conditional(conditional), qualifiers })
        }
        other => other,
    };
    Node { id, kind }
}

fn adding(call: Call, accumulator: usize) -> StepKind {
    let is_accumulator = |node: &Node| {
        matches!(&node.kind, StepKind::Attribute(Attribute { root: Root::Slot(slot), qualifiers, .. })
            if *slot == accumulator && qualifiers.is_empty())
    };
    let is_known = matches!(call.function.name, names::ADD | names::MAP_INSERT);
    let rest = call.args.get(1..).unwrap_or_default();
    if !is_known
        || !call.args.first().is_some_and(is_accumulator)
        || rest.iter().any(|node| reads(node, accumulator))
    {
        return StepKind::Call(Box::new(call));
    }
    let name = call.function.name;
    let cost = call.cost;
    let mut args: Vec<Node> = call.args.into_vec();
    args.remove(0);
    if name == names::MAP_INSERT {
        return StepKind::Insert(Box::new(Insert { accumulator, args: args.into(), name }));
    }
    match args.pop() {
        Some(list) => StepKind::Append(Box::new(Append { accumulator, list, cost })),
        None => StepKind::Constant(Err(Fault::no_such_overload())),
    }
}

/// Whether a step reads a variable of a comprehension.
fn reads(node: &Node, slot: usize) -> bool {
    let any = |nodes: &[Node]| nodes.iter().any(|node| reads(node, slot));
    match &node.kind {
        StepKind::Constant(_) => false,
        StepKind::Attribute(attribute) | StepKind::Presence(attribute) => attribute_reads(attribute, slot),
        StepKind::And(nodes) | StepKind::Or(nodes) => any(nodes),
        StepKind::Equal(nodes)
        | StepKind::NotEqual(nodes)
        | StepKind::Or2(nodes)
        | StepKind::OrValue(nodes) => any(&nodes[..]),
        StepKind::NotStrictlyFalse(node) => reads(node, slot),
        StepKind::Call(call) => any(&call.args),
        StepKind::Matches(matches) => reads(&matches.text, slot),
        StepKind::OneOf(one_of) => reads(&one_of.item, slot),
        StepKind::List(elements) => elements.iter().any(|element| reads(&element.node, slot)),
        StepKind::Map(entries) => {
            entries.iter().any(|entry| reads(&entry.key, slot) || reads(&entry.value, slot))
        }
        StepKind::Message(message) => message.fields.iter().any(|(_, element)| reads(&element.node, slot)),
        StepKind::Undefined(undefined) => any(&undefined.args),
        StepKind::Fold(fold) => [&fold.range, &fold.start, &fold.condition, &fold.step, &fold.result]
            .iter()
            .any(|node| reads(node, slot)),
        StepKind::Append(append) => append.accumulator == slot || reads(&append.list, slot),
        StepKind::Insert(insert) => insert.accumulator == slot || any(&insert.args),
    }
}

fn attribute_reads(attribute: &Attribute, slot: usize) -> bool {
    let root = match &attribute.root {
        Root::Variable(..) => false,
        Root::Slot(own) => *own == slot,
        Root::Computed(node) => reads(node, slot),
        Root::Conditional(conditional) => {
            reads(&conditional.condition, slot)
                || attribute_reads(&conditional.truthy, slot)
                || attribute_reads(&conditional.falsy, slot)
        }
        Root::Maybe(candidates) => candidates
            .iter()
            .flat_map(|candidate| &candidate.names)
            .any(|named| matches!(named.found, Some(ResolvedName::Slot(own)) if own == slot)),
    };
    root || attribute.qualifiers.iter().any(|qualifier| match &qualifier.key {
        QualifierKey::Constant(_) => false,
        QualifierKey::Attribute(attribute) => attribute_reads(attribute, slot),
        QualifierKey::Computed(node) => reads(node, slot),
    })
}

/// The name of the Go type that cel-go has for a value, which some of its texts contain.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::UInt(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::Opaque(opaque) => opaque.go_type(),
    }
}
