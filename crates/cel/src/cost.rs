//! What an expression may cost, before it runs: from the sizes of its literals and from what is known of variables.
//!
//! The arithmetic is cel-go's, because limits are compared with it: sizes are found, and forgotten, where it does.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{Ask, Comprehension, Expr, ExprId, ExprKind};
use crate::check::{Checked, Reference};
use crate::function::{Argument, Call, Function, Size, Sizes};
use crate::syntax::names;
use crate::types::{OpaqueKind, Type};
use crate::value::{Value, characters};

/// What an expression may cost at least and at most.
pub fn estimate(checked: &Checked, sizes: &dyn Sizes) -> Size {
    let mut estimator = Estimator {
        checked,
        sizes,
        paths: FxHashMap::default(),
        known: FxHashMap::default(),
        entries: FxHashMap::default(),
        locals: Vec::new(),
    };
    estimator.cost(&checked.ast.root)
}

struct Estimator<'a> {
    checked: &'a Checked,
    sizes: &'a dyn Sizes,
    /// Where values come from.
    paths: FxHashMap<ExprId, Vec<Arc<str>>>,
    /// Sizes that were found out.
    known: FxHashMap<ExprId, Size>,
    /// Sizes of what lists and maps hold.
    entries: FxHashMap<ExprId, Entries>,
    /// The variables of comprehensions, the innermost last.
    locals: Vec<(Arc<str>, Local)>,
}

/// What is known of a variable of a comprehension.
#[derive(Debug, Clone, Default)]
struct Local {
    path: Vec<Arc<str>>,
    size: Option<Size>,
    entries: Option<Entries>,
}

/// How large keys and values are.
#[derive(Debug, Clone, Copy)]
struct Entries {
    container: Container,
    key: Size,
    value: Size,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    List,
    Map,
}

impl Entries {
    fn union(self, other: Entries) -> Entries {
        Entries {
            container: self.container,
            key: self.key.union(other.key),
            value: self.value.union(other.value),
        }
    }
}

const LIST: Size = Size::fixed(10);
const MAP: Size = Size::fixed(30);
const MESSAGE: Size = Size::fixed(40);
const NOTHING: Size = Size::fixed(0);
const UNIT: Size = Size::fixed(1);

/// The sizes of no element at all, which any size makes larger.
const NONE: Size = Size { min: u64::MAX, max: 0 };

impl<'a> Estimator<'a> {
    fn cost(&mut self, expr: &'a Expr) -> Size {
        match &expr.kind {
            ExprKind::Literal(_) => NOTHING,
            ExprKind::Ident(name) => {
                let path = match self.local(name) {
                    Some(local) => local.path.clone(),
                    None => vec![name.clone()],
                };
                self.paths.insert(expr.id, path);
                UNIT
            }
            ExprKind::Select { operand, field, ask } => self.select(expr, operand, field, *ask),
            ExprKind::Call { target, function, args } => self.call(expr, target.as_deref(), function, args),
            ExprKind::List { elements, .. } => {
                let mut sum = NOTHING;
                let mut item = if elements.is_empty() { NOTHING } else { NONE };
                for element in elements {
                    sum = sum.plus(self.cost(element));
                    item = item.union(self.size_or_unknown(element));
                }
                self.entries.insert(expr.id, Entries { container: Container::List, key: UNIT, value: item });
                sum.plus(LIST)
            }
            ExprKind::Map(entries) => {
                let mut sum = NOTHING;
                let (mut key, mut value) = if entries.is_empty() { (NOTHING, NOTHING) } else { (NONE, NONE) };
                for entry in entries {
                    sum = sum.plus(self.cost(&entry.key));
                    sum = sum.plus(self.cost(&entry.value));
                    key = key.union(self.size_or_unknown(&entry.key));
                    value = value.union(self.size_or_unknown(&entry.value));
                }
                self.entries.insert(expr.id, Entries { container: Container::Map, key, value });
                sum.plus(MAP)
            }
            ExprKind::Struct { fields, .. } => {
                let sum = fields.iter().fold(NOTHING, |sum, field| sum.plus(self.cost(&field.value)));
                sum.plus(MESSAGE)
            }
            ExprKind::Comprehension(comprehension) if is_bind(comprehension) => {
                self.bind(expr, comprehension)
            }
            ExprKind::Comprehension(comprehension) => self.fold(expr, comprehension),
        }
    }

    fn select(&mut self, expr: &'a Expr, operand: &'a Expr, field: &Arc<str>, ask: Ask) -> Size {
        let cost = self.cost(operand);
        // Asking whether a field is there is free, and says nothing about where it is.
        if ask == Ask::Presence {
            return cost;
        }
        let mut path = self.path(operand);
        path.push(field.clone());
        self.paths.insert(expr.id, path);
        match self.checked.type_of(operand.id) {
            Type::Map(..) | Type::Object(_) | Type::Param(_) | Type::Variable(_) => cost.plus(UNIT),
            Type::Opaque(opaque) if opaque.kind == OpaqueKind::Message => cost.plus(UNIT),
            _ => cost,
        }
    }

    fn call(&mut self, expr: &'a Expr, target: Option<&'a Expr>, name: &str, args: &'a [Expr]) -> Size {
        if name == "dyn"
            && let Some(arg) = args.first()
        {
            let cost = self.cost(arg);
            self.copy(expr, arg);
            return cost.plus(UNIT);
        }
        let mut costs = Vec::with_capacity(args.len());
        let mut arguments = Vec::with_capacity(args.len());
        for arg in args {
            costs.push(self.cost(arg));
            arguments.push(self.argument(arg));
        }
        let Some(Reference::Call(function, found)) = self.checked.references.get(&expr.id) else {
            return NOTHING;
        };
        let mut sum = NOTHING;
        let target = target.map(|target| {
            sum = self.cost(target);
            self.argument(target)
        });
        let call = Call { target, args: arguments, sizes: self.sizes };
        let mut total = NONE;
        let mut result: Option<Size> = None;
        for number in found {
            let Some(overload) = function.overloads.get(*number) else {
                continue;
            };
            let (cost, size) = self.overload(expr, function, *number, &call, args, &costs);
            total = total.union(cost);
            if let Some(size) = size {
                result = Some(result.map_or(size, |before| before.union(size)));
            }
            if let Some(first) = args.first() {
                let part = match overload.id {
                    "index_list" => Some("@items"),
                    "index_map" => Some("@values"),
                    _ => None,
                };
                if let Some(part) = part {
                    result = self.entries_of(first).map(|entries| entries.value);
                    let mut path = self.path(first);
                    path.push(part.into());
                    self.paths.insert(expr.id, path);
                }
            }
            if result.is_none() {
                result = self.size(expr);
            }
        }
        if let Some(size) = result {
            self.known.insert(expr.id, size);
        }
        sum.plus(total)
    }

    /// What one overload costs with its arguments, and how large its result is.
    fn overload(
        &mut self,
        expr: &'a Expr,
        function: &Function,
        number: usize,
        call: &Call<'a>,
        args: &'a [Expr],
        costs: &[Size],
    ) -> (Size, Option<Size>) {
        let sum = costs.iter().fold(NOTHING, |sum, cost| sum.plus(*cost));
        match (function.name, args, costs) {
            (names::AND | names::OR, _, [left, right, rest @ ..]) => {
                // The right side may not be evaluated.
                let all = rest.iter().fold(left.plus(*right), |sum, cost| sum.plus(*cost));
                return (Size { min: left.min, max: all.max }, None);
            }
            (names::CONDITIONAL, [_, truthy, falsy], [condition, truthy_cost, falsy_cost]) => {
                let size = self.size_or_unknown(truthy).union(self.size_or_unknown(falsy));
                if let (Some(left), Some(right)) = (self.entries_of(truthy), self.entries_of(falsy)) {
                    self.entries.insert(expr.id, left.union(right));
                }
                return (condition.plus(truthy_cost.union(*falsy_cost)), Some(size));
            }
            (names::EQUALS, ..) => {
                if let [left, right] = &*call.args
                    && left.declared == right.declared
                    && let Type::Opaque(opaque) = &left.declared
                    && let Some(equality) = opaque.equality
                {
                    return (equality(right.size).plus(sum), None);
                }
            }
            (names::ADD, [left, right], _) => {
                if let Some(overload) = function.overloads.get(number)
                    && matches!(overload.id, "add_list" | "add_string" | "add_bytes")
                    && let (Some(left), Some(right)) = (self.entries_of(left), self.entries_of(right))
                {
                    self.entries.insert(expr.id, left.union(right));
                }
            }
            _ => {}
        }
        match function.overloads.get(number) {
            Some(overload) => {
                let estimate = (overload.cost.estimate)(call);
                (estimate.cost.plus(sum), estimate.result)
            }
            None => (sum, None),
        }
    }

    fn fold(&mut self, expr: &'a Expr, comprehension: &'a Comprehension) -> Size {
        let mut sum = self.cost(&comprehension.range);
        sum = sum.plus(self.cost(&comprehension.start));
        let outside = self.locals.len();
        let start = Local {
            path: self.path(&comprehension.start),
            size: self.size(&comprehension.start),
            entries: self.entries_of(&comprehension.start),
        };
        self.locals.push((comprehension.accumulator.clone(), start));
        let within = self.locals.len();
        let entries = self.entries_of(&comprehension.range);
        let container =
            entries.map(|entries| entries.container).or(match self.checked.type_of(comprehension.range.id) {
                Type::List(_) => Some(Container::List),
                _ => None,
            });
        let is_list = container == Some(Container::List);
        let path = self.path(&comprehension.range);
        let local = |part: &str, size: Option<Size>| {
            let mut path = path.clone();
            path.push(part.into());
            Local { path, size, entries: None }
        };
        let (key, value) = (entries.map(|entries| entries.key), entries.map(|entries| entries.value));
        match &comprehension.second_variable {
            Some(second) => {
                let first = local(if is_list { "@indices" } else { "@keys" }, key);
                self.locals.push((comprehension.variable.clone(), first));
                self.locals.push((second.clone(), local(if is_list { "@items" } else { "@values" }, value)));
            }
            None => {
                let only = if is_list { local("@items", value) } else { local("@keys", key) };
                self.locals.push((comprehension.variable.clone(), only));
            }
        }
        let condition = self.cost(&comprehension.condition);
        let step = self.cost(&comprehension.step);
        self.locals.truncate(within);
        sum = sum.plus(self.cost(&comprehension.result));
        self.locals.truncate(outside);
        let count = self.size_or_unknown(&comprehension.range);
        sum = sum.plus(count.times(step.plus(condition)));
        match &comprehension.start.kind {
            ExprKind::Literal(_) => {
                if let Some(size) = self.size(&comprehension.start) {
                    self.known.insert(expr.id, size);
                }
            }
            ExprKind::List { .. } | ExprKind::Map(_) => {
                self.known.insert(expr.id, count);
                if let Some(entries) = self.entries_of(&comprehension.step) {
                    self.entries.insert(expr.id, entries);
                }
            }
            _ => {}
        }
        sum
    }

    /// A comprehension that only gives a name to a value.
    fn bind(&mut self, expr: &'a Expr, comprehension: &'a Comprehension) -> Size {
        let mut sum = self.cost(&comprehension.range);
        sum = sum.plus(self.cost(&comprehension.start));
        let start = Local {
            path: self.path(&comprehension.start),
            size: self.size(&comprehension.start),
            entries: self.entries_of(&comprehension.start),
        };
        let outside = self.locals.len();
        self.locals.push((comprehension.accumulator.clone(), start));
        sum = sum.plus(self.cost(&comprehension.result));
        self.locals.truncate(outside);
        self.copy(expr, &comprehension.result);
        sum
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|(own, _)| &**own == name).map(|(_, local)| local)
    }

    fn path(&self, expr: &Expr) -> Vec<Arc<str>> {
        if let ExprKind::Ident(name) = &expr.kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    fn argument(&mut self, expr: &'a Expr) -> Argument<'a> {
        let mut path = self.path(expr);
        let is_accumulator = |name: &Arc<str>| matches!(&**name, names::ACCUMULATOR | names::OLD_ACCUMULATOR);
        if path.first().is_some_and(is_accumulator) {
            path.clear();
        }
        let literal = match &expr.kind {
            ExprKind::Literal(value) => Some(value),
            _ => None,
        };
        Argument { path, declared: self.checked.type_of(expr.id), literal, size: self.size(expr) }
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Size {
        self.size(expr).unwrap_or(Size::UNKNOWN)
    }

    fn size(&mut self, expr: &Expr) -> Option<Size> {
        if let Some(size) = self.known.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(Size::fixed(size));
        }
        let declared = self.checked.type_of(expr.id);
        if let Some(size) = self.sizes.size(&self.path(expr), &declared) {
            self.known.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(&declared) {
            return Some(UNIT);
        }
        match &expr.kind {
            ExprKind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&expr.id) {
            return Some(*entries);
        }
        match &expr.kind {
            ExprKind::Ident(name) => self.local(name)?.entries,
            _ => None,
        }
    }

    fn copy(&mut self, to: &Expr, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.known.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }
}

/// Whether a comprehension only gives a name to a value.
fn is_bind(comprehension: &Comprehension) -> bool {
    matches!(&comprehension.range.kind, ExprKind::List { elements, .. } if elements.is_empty())
        && matches!(comprehension.condition.kind, ExprKind::Literal(Value::Bool(false)))
        && &*comprehension.accumulator != names::OLD_ACCUMULATOR
}

fn literal_size(expr: &Expr) -> Option<u64> {
    Some(match &expr.kind {
        ExprKind::Literal(Value::String(text)) => characters(text),
        ExprKind::Literal(Value::Bytes(bytes)) => bytes.len() as u64,
        ExprKind::Literal(_) => 1,
        ExprKind::List { elements, .. } => elements.len() as u64,
        ExprKind::Map(entries) => entries.len() as u64,
        _ => return None,
    })
}

/// Whether all values of a type have the same size.
fn is_scalar(of: &Type) -> bool {
    match of {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::UInt => true,
        Type::Optional(inner) | Type::Wrapper(inner) => is_scalar(inner),
        _ => false,
    }
}
