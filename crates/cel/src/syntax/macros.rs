//! Macros: calls that are replaced by loops and tests while the expression is read.

use std::sync::Arc;

use super::build::{Builder, Built, Stopped};
use super::issue::{Issue, IssueKind, LimitIssue, MacroIssue};
use super::names;
use crate::ast::{Ask, Comprehension, Entry, Expr, ExprId, ExprKind};
use crate::value::Value;

/// The most nodes that macros may copy. Chains of `optMap` double with every link.
const MOST_COPIED: u32 = 300_000;

/// Which macro a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Macro {
    Has,
    Quantifier(Quantifier, Variables),
    Map,
    Filter,
    OptionalMap,
    OptionalFlatMap,
    TransformList,
    TransformMap,
    TransformMapEntry,
    SortBy,
    Bind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variables {
    One,
    Two,
}

/// A wrong argument and what is wrong with it.
struct Refused {
    argument: ExprId,
    why: MacroIssue,
}

type Expanded = Result<Expr, Refused>;

impl Builder<'_> {
    fn find_macro(&self, function: &str, target: Option<&Expr>, count: usize) -> Option<Macro> {
        let two = self.options.two_variable_comprehensions;
        let optional = self.options.optional;
        if target.is_none() {
            return (function == "has" && count == 1).then_some(Macro::Has);
        }
        if function == "bind" && count == 3 && self.options.bindings && is_named(target, "cel") {
            return Some(Macro::Bind);
        }
        match (function, count) {
            ("all", 2) => Some(Macro::Quantifier(Quantifier::All, Variables::One)),
            ("exists", 2) => Some(Macro::Quantifier(Quantifier::Exists, Variables::One)),
            ("exists_one", 2) => Some(Macro::Quantifier(Quantifier::ExistsOne, Variables::One)),
            ("map", 2 | 3) => Some(Macro::Map),
            ("filter", 2) => Some(Macro::Filter),
            ("optMap", 2) if optional => Some(Macro::OptionalMap),
            ("optFlatMap", 2) if optional => Some(Macro::OptionalFlatMap),
            ("all", 3) if two => Some(Macro::Quantifier(Quantifier::All, Variables::Two)),
            ("exists", 3) if two => Some(Macro::Quantifier(Quantifier::Exists, Variables::Two)),
            ("existsOne" | "exists_one", 3) if two => {
                Some(Macro::Quantifier(Quantifier::ExistsOne, Variables::Two))
            }
            ("sortBy", 2) if self.options.sort_by => Some(Macro::SortBy),
            ("transformList", 3 | 4) if two => Some(Macro::TransformList),
            ("transformMap", 3 | 4) if two => Some(Macro::TransformMap),
            ("transformMapEntry", 3 | 4) if two => Some(Macro::TransformMapEntry),
            _ => None,
        }
    }

    /// A call, or what it is replaced by if it is a macro.
    pub(super) fn call_or_macro(
        &mut self,
        id: ExprId,
        function: String,
        target: Option<Expr>,
        args: Vec<Expr>,
    ) -> Built<Expr> {
        let Some(found) = self.find_macro(&function, target.as_ref(), args.len()) else {
            let target = target.map(Box::new);
            return Ok(Expr { id, kind: ExprKind::Call { target, function: function.into(), args } });
        };
        let kept = self.options.keep_macro_calls.then(|| {
            let target = target.as_ref().map(|target| Box::new(self.without_macros(target)));
            let args = args.iter().map(|arg| self.without_macros(arg)).collect();
            Expr { id, kind: ExprKind::Call { target, function: function.as_str().into(), args } }
        });
        match self.expand(id, found, target, args) {
            Ok(expanded) => {
                if self.copied > MOST_COPIED {
                    self.issues.push(Issue::nowhere(IssueKind::Limit(LimitIssue::Macros)));
                    return Err(Stopped);
                }
                if let Some(kept) = kept {
                    self.macro_calls.insert(expanded.id, kept);
                }
                Ok(expanded)
            }
            Err(refused) => {
                let place = self.place(refused.argument);
                self.report(place.clone(), IssueKind::Macro(refused.why));
                Ok(self.nothing(place))
            }
        }
    }

    /// A copy in which every macro is only a reference to its call, so calls are kept once.
    fn without_macros(&self, expr: &Expr) -> Expr {
        if self.macro_calls.contains_key(&expr.id) {
            return Expr { id: expr.id, kind: ExprKind::Ident(names::ACCUMULATOR.into()) };
        }
        let all = |exprs: &[Expr]| exprs.iter().map(|expr| self.without_macros(expr)).collect();
        let boxed = |expr: &Expr| Box::new(self.without_macros(expr));
        let kind = match &expr.kind {
            ExprKind::Select { operand, field, ask } => {
                ExprKind::Select { operand: boxed(operand), field: field.clone(), ask: *ask }
            }
            ExprKind::Call { target, function, args } => ExprKind::Call {
                target: target.as_deref().map(boxed),
                function: function.clone(),
                args: all(args),
            },
            ExprKind::List { elements, optional } => {
                ExprKind::List { elements: all(elements), optional: optional.clone() }
            }
            ExprKind::Map(entries) => ExprKind::Map(self.entries_without_macros(entries)),
            ExprKind::Struct { name, fields } => {
                ExprKind::Struct { name: name.clone(), fields: self.entries_without_macros(fields) }
            }
            // Loops are macros, and what else there is has no parts.
            other => other.clone(),
        };
        Expr { id: expr.id, kind }
    }

    fn entries_without_macros(&self, entries: &[Entry]) -> Vec<Entry> {
        let entry = |entry: &Entry| Entry {
            id: entry.id,
            key: self.without_macros(&entry.key),
            value: self.without_macros(&entry.value),
            is_optional: entry.is_optional,
        };
        entries.iter().map(entry).collect()
    }

    fn expand(&mut self, id: ExprId, found: Macro, target: Option<Expr>, args: Vec<Expr>) -> Expanded {
        let mut maker = Maker { builder: self, at: id };
        let target = target.unwrap_or(Expr { id, kind: ExprKind::Literal(Value::Null) });
        match found {
            Macro::Has => maker.has(args),
            Macro::Quantifier(quantifier, Variables::One) => maker.quantifier(quantifier, target, args),
            Macro::Quantifier(quantifier, Variables::Two) => {
                maker.quantifier_of_two(quantifier, target, args)
            }
            Macro::Map => maker.map(target, args),
            Macro::Filter => maker.filter(target, args),
            Macro::OptionalMap | Macro::OptionalFlatMap => maker.optional_map(found, target, args),
            Macro::TransformList | Macro::TransformMap | Macro::TransformMapEntry => {
                maker.transform(found, target, args)
            }
            Macro::SortBy => maker.sort_by(target, args),
            Macro::Bind => maker.bind_variable(args),
        }
    }
}

/// Whether a call is made on this name.
fn is_named(target: Option<&Expr>, name: &str) -> bool {
    matches!(target.map(|target| &target.kind), Some(ExprKind::Ident(found)) if **found == *name)
}

/// Makes the nodes that a macro is replaced by.
struct Maker<'a, 'b> {
    builder: &'a mut Builder<'b>,
    /// The call, whose place the nodes have.
    at: ExprId,
}

/// The parts of a loop but for its variables and what it goes through.
struct Loop {
    start: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

impl Maker<'_, '_> {
    fn make(&mut self, kind: ExprKind) -> Expr {
        let place = self.builder.place(self.at);
        Expr { id: self.builder.number(place), kind }
    }

    fn literal(&mut self, value: Value) -> Expr {
        self.make(ExprKind::Literal(value))
    }

    fn ident(&mut self, name: &Arc<str>) -> Expr {
        self.make(ExprKind::Ident(name.clone()))
    }

    fn accumulator(&mut self) -> Expr {
        self.make(ExprKind::Ident(names::ACCUMULATOR.into()))
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.make(ExprKind::Call { target: None, function: function.into(), args })
    }

    fn member_call(&mut self, function: &str, target: Expr) -> Expr {
        let target = Some(Box::new(target));
        self.make(ExprKind::Call { target, function: function.into(), args: Vec::new() })
    }

    fn list(&mut self, elements: Vec<Expr>) -> Expr {
        self.make(ExprKind::List { elements, optional: Vec::new() })
    }

    fn comprehension(
        &mut self,
        range: Expr,
        variable: Arc<str>,
        second: Option<Arc<str>>,
        parts: Loop,
    ) -> Expr {
        self.make(ExprKind::Comprehension(Box::new(Comprehension {
            range,
            variable,
            second_variable: second,
            accumulator: names::ACCUMULATOR.into(),
            start: parts.start,
            condition: parts.condition,
            step: parts.step,
            result: parts.result,
        })))
    }

    fn has(&mut self, args: Vec<Expr>) -> Expanded {
        let argument = args.first().map_or(self.at, |arg| arg.id);
        match args.into_iter().next().map(|arg| arg.kind) {
            Some(ExprKind::Select { operand, field, .. }) => {
                Ok(self.make(ExprKind::Select { operand, field, ask: Ask::Presence }))
            }
            _ => Err(Refused { argument, why: MacroIssue::Has }),
        }
    }

    fn quantifier(&mut self, quantifier: Quantifier, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let variable = self.variable(args.next(), "argument must be a simple name")?;
        let test = self.or_nothing(args.next());
        let parts = self.quantifier_parts(quantifier, test);
        Ok(self.comprehension(target, variable, None, parts))
    }

    fn quantifier_of_two(&mut self, quantifier: Quantifier, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let (first, second) = self.two_variables(args.next(), args.next())?;
        let test = self.or_nothing(args.next());
        let parts = self.quantifier_parts(quantifier, test);
        Ok(self.comprehension(target, first, Some(second), parts))
    }

    fn quantifier_parts(&mut self, quantifier: Quantifier, test: Expr) -> Loop {
        match quantifier {
            Quantifier::All => {
                let start = self.literal(Value::Bool(true));
                let so_far = self.accumulator();
                let condition = self.call(names::NOT_STRICTLY_FALSE, vec![so_far]);
                let so_far = self.accumulator();
                let step = self.call(names::AND, vec![so_far, test]);
                Loop { start, condition, step, result: self.accumulator() }
            }
            Quantifier::Exists => {
                let start = self.literal(Value::Bool(false));
                let so_far = self.accumulator();
                let not_yet = self.call(names::NOT, vec![so_far]);
                let condition = self.call(names::NOT_STRICTLY_FALSE, vec![not_yet]);
                let so_far = self.accumulator();
                let step = self.call(names::OR, vec![so_far, test]);
                Loop { start, condition, step, result: self.accumulator() }
            }
            Quantifier::ExistsOne => {
                let start = self.literal(Value::Int(0));
                let condition = self.literal(Value::Bool(true));
                let counted = vec![self.accumulator(), self.literal(Value::Int(1))];
                let counted = self.call(names::ADD, counted);
                let so_far = self.accumulator();
                let step = self.call(names::CONDITIONAL, vec![test, counted, so_far]);
                let compared = vec![self.accumulator(), self.literal(Value::Int(1))];
                let result = self.call(names::EQUALS, compared);
                Loop { start, condition, step, result }
            }
        }
    }

    fn map(&mut self, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let variable = self.variable(args.next(), "argument is not an identifier")?;
        let mut transform = self.or_nothing(args.next());
        let filter = args.next().map(|last| std::mem::replace(&mut transform, last));
        let parts = self.appending(filter, transform);
        Ok(self.comprehension(target, variable, None, parts))
    }

    fn filter(&mut self, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let element = self.or_nothing(args.next());
        let variable = self.variable(Some(element.clone()), "argument is not an identifier")?;
        let filter = self.or_nothing(args.next());
        let parts = self.appending(Some(filter), element);
        Ok(self.comprehension(target, variable, None, parts))
    }

    /// A loop that adds to a list.
    fn appending(&mut self, filter: Option<Expr>, element: Expr) -> Loop {
        let start = self.list(Vec::new());
        let condition = self.literal(Value::Bool(true));
        let so_far = self.accumulator();
        let added = self.list(vec![element]);
        let step = self.call(names::ADD, vec![so_far, added]);
        let step = self.filtered(filter, step);
        Loop { start, condition, step, result: self.accumulator() }
    }

    /// A step that is only made where a filter holds.
    fn filtered(&mut self, filter: Option<Expr>, step: Expr) -> Expr {
        let Some(filter) = filter else { return step };
        let so_far = self.accumulator();
        self.call(names::CONDITIONAL, vec![filter, step, so_far])
    }

    fn transform(&mut self, found: Macro, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let (first, second) = self.two_variables(args.next(), args.next())?;
        let mut transform = self.or_nothing(args.next());
        let filter = args.next().map(|last| std::mem::replace(&mut transform, last));
        let parts = if found == Macro::TransformList {
            self.appending(filter, transform)
        } else {
            let mut inserted = vec![self.accumulator()];
            if found == Macro::TransformMap {
                inserted.push(self.ident(&first));
            }
            inserted.push(transform);
            let step = self.call(names::MAP_INSERT, inserted);
            let step = self.filtered(filter, step);
            let start = self.make(ExprKind::Map(Vec::new()));
            let condition = self.literal(Value::Bool(true));
            Loop { start, condition, step, result: self.accumulator() }
        };
        Ok(self.comprehension(target, first, Some(second), parts))
    }

    /// A loop that never runs: it only gives a value a name.
    fn bind(&mut self, name: Arc<str>, value: Expr, result: Expr) -> Expr {
        let range = self.list(Vec::new());
        let condition = self.literal(Value::Bool(false));
        let step = self.ident(&name);
        self.make(ExprKind::Comprehension(Box::new(Comprehension {
            range,
            variable: names::UNUSED_VARIABLE.into(),
            second_variable: None,
            accumulator: name,
            start: value,
            condition,
            step,
            result,
        })))
    }

    /// `cel.bind(v, init, e)`
    fn bind_variable(&mut self, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let variable = self.or_nothing(args.next());
        let ExprKind::Ident(name) = variable.kind else {
            let why = MacroIssue::Variable("cel.bind() variable names must be simple identifiers");
            return Err(Refused { argument: variable.id, why });
        };
        let value = self.or_nothing(args.next());
        let result = self.or_nothing(args.next());
        Ok(self.bind(name, value, result))
    }

    /// `l.sortBy(v, e)`: the list is sorted by a list of keys.
    fn sort_by(&mut self, target: Expr, args: Vec<Expr>) -> Expanded {
        if !matches!(
            target.kind,
            ExprKind::List { .. }
                | ExprKind::Select { .. }
                | ExprKind::Ident(_)
                | ExprKind::Comprehension(_)
                | ExprKind::Call { .. }
        ) {
            return Err(Refused { argument: target.id, why: MacroIssue::SortBy });
        }
        let name: Arc<str> = names::SORTED_LIST.into();
        let list = self.ident(&name);
        let keys = self.map(list, args)?;
        let list = Some(Box::new(self.ident(&name)));
        let function = names::SORT_BY_KEYS.into();
        let sorted = self.make(ExprKind::Call { target: list, function, args: vec![keys] });
        Ok(self.bind(name, target, sorted))
    }

    /// `o.optMap(v, e)`
    fn optional_map(&mut self, found: Macro, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let variable = self.or_nothing(args.next());
        let ExprKind::Ident(name) = variable.kind else {
            let why = MacroIssue::Variable(match found {
                Macro::OptionalMap => "optMap() variable name must be a simple identifier",
                _ => "optFlatMap() variable name must be a simple identifier",
            });
            return Err(Refused { argument: variable.id, why });
        };
        let mapped = self.or_nothing(args.next());
        let copy = self.copy(&target);
        let there = self.member_call("hasValue", target);
        let value = self.member_call("value", copy);
        let mut result = self.bind(name, value, mapped);
        if found == Macro::OptionalMap {
            result = self.call("optional.of", vec![result]);
        }
        let none = self.call("optional.none", Vec::new());
        Ok(self.call(names::CONDITIONAL, vec![there, result, none]))
    }

    /// The copy of an expression, every node with a number of its own.
    fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = if self.builder.copied > MOST_COPIED {
            Expr { id: expr.id, kind: ExprKind::Literal(Value::Null) }
        } else {
            expr.clone()
        };
        self.renumber(&mut copy);
        copy
    }

    fn renumber(&mut self, expr: &mut Expr) {
        self.builder.copied += 1;
        let place = self.builder.place(expr.id);
        expr.id = self.builder.number(place);
        match &mut expr.kind {
            ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => self.renumber(operand),
            ExprKind::Call { target, args, .. } => {
                target.as_deref_mut().into_iter().chain(args).for_each(|expr| self.renumber(expr));
            }
            ExprKind::List { elements, .. } => elements.iter_mut().for_each(|expr| self.renumber(expr)),
            ExprKind::Map(entries) | ExprKind::Struct { fields: entries, .. } => {
                for entry in entries {
                    let place = self.builder.place(entry.id);
                    entry.id = self.builder.number(place);
                    self.renumber(&mut entry.key);
                    self.renumber(&mut entry.value);
                }
            }
            ExprKind::Comprehension(comprehension) => {
                self.renumber(&mut comprehension.range);
                self.renumber(&mut comprehension.start);
                self.renumber(&mut comprehension.condition);
                self.renumber(&mut comprehension.step);
                self.renumber(&mut comprehension.result);
            }
        }
    }

    fn or_nothing(&mut self, expr: Option<Expr>) -> Expr {
        match expr {
            Some(expr) => expr,
            None => self.literal(Value::Null),
        }
    }

    fn variable(&mut self, expr: Option<Expr>, words: &'static str) -> Result<Arc<str>, Refused> {
        let expr = self.or_nothing(expr);
        let ExprKind::Ident(name) = expr.kind else {
            return Err(Refused { argument: expr.id, why: MacroIssue::Variable(words) });
        };
        if overwrites_accumulator(&name) {
            return Err(Refused { argument: expr.id, why: MacroIssue::Accumulator });
        }
        Ok(name)
    }

    fn two_variables(
        &mut self,
        first: Option<Expr>,
        second: Option<Expr>,
    ) -> Result<(Arc<str>, Arc<str>), Refused> {
        let name = |expr: Expr| match expr.kind {
            ExprKind::Ident(name) => Ok((expr.id, name)),
            _ => Err(Refused {
                argument: expr.id,
                why: MacroIssue::Variable("argument must be a simple name"),
            }),
        };
        let (first_id, first) = name(self.or_nothing(first))?;
        let (second_id, second) = name(self.or_nothing(second))?;
        if first == second {
            return Err(Refused { argument: second_id, why: MacroIssue::Duplicate(first) });
        }
        for (argument, name) in [(first_id, &first), (second_id, &second)] {
            if overwrites_accumulator(name) {
                return Err(Refused { argument, why: MacroIssue::Accumulator });
            }
        }
        Ok((first, second))
    }
}

fn overwrites_accumulator(name: &str) -> bool {
    name == names::ACCUMULATOR || name == names::OLD_ACCUMULATOR
}
