//! The type checker: what each part of an expression is, which overloads a call may mean, and what is wrong.
//!
//! It goes the way of cel-go's checker step by step, because the order of its steps decides what is reported.

mod assign;
mod call;
mod literal;
mod names;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{Ask, Ast, Comprehension, Expr, ExprId, ExprKind};
use crate::env::{Env, Numbers, ReservedFields};
use crate::shape::{ObjectShape, OtherFields};
use crate::syntax::{Issue, IssueKind, names as operators};
use crate::types::Type;
use crate::value::Value;
use assign::Bindings;
pub(crate) use names::qualified;

pub use crate::checked::{Checked, Reference};

/// Checks the types of an expression.
///
/// # Errors
///
/// Everything that is wrong with it, in the order in which cel-go finds it.
pub(crate) fn check(env: &Env, mut ast: Ast, text: &str) -> Result<Checked, Vec<Issue>> {
    let mut root = std::mem::replace(&mut ast.root, Expr { id: 0, kind: ExprKind::Literal(Value::Null) });
    let mut checker = Checker {
        env,
        text,
        places: &ast.places,
        types: FxHashMap::default(),
        references: FxHashMap::default(),
        bindings: Bindings::default(),
        scopes: Vec::new(),
        numbers: env.options.numbers,
        issues: Vec::new(),
    };
    checker.check(&mut root);
    let Checker { types, references, bindings, issues, .. } = checker;
    if !issues.is_empty() {
        return Err(issues);
    }
    let types = types.into_iter().map(|(id, found)| (id, bindings.settle(&found))).collect();
    ast.root = root;
    Ok(Checked { ast, types, references })
}

struct Checker<'a> {
    env: &'a Env,
    text: &'a str,
    places: &'a [Range<u32>],
    types: FxHashMap<ExprId, Type>,
    references: FxHashMap<ExprId, Reference>,
    bindings: Bindings,
    /// The variables of comprehensions, the innermost last.
    scopes: Vec<Vec<(Arc<str>, Type)>>,
    /// cel-go forgets that numbers of different types do not compare as soon as it has entered a comprehension.
    numbers: Numbers,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn check(&mut self, expr: &mut Expr) {
        let id = expr.id;
        match &mut expr.kind {
            ExprKind::Literal(value) => {
                let declared = value.type_of();
                self.set_type(id, declared);
            }
            ExprKind::Ident(_) => self.check_ident(expr),
            ExprKind::Select { .. } => self.check_select(expr),
            ExprKind::Call { .. } => self.check_call(expr),
            ExprKind::List { elements, optional } => self.check_list(id, elements, optional),
            ExprKind::Map(entries) => self.check_map(id, entries),
            ExprKind::Struct { name, fields } => {
                if let Some(full) = self.check_struct(id, name, fields) {
                    *name = full;
                }
            }
            ExprKind::Comprehension(comprehension) => self.check_comprehension(id, comprehension),
        }
    }

    fn check_ident(&mut self, expr: &mut Expr) {
        let ExprKind::Ident(name) = &expr.kind else {
            return;
        };
        match self.lookup(name) {
            Some((full, declared)) => {
                self.set_type(expr.id, declared);
                self.references.insert(expr.id, Reference::Name);
                expr.kind = ExprKind::Ident(full);
            }
            None => {
                let name = name.clone();
                self.set_type(expr.id, Type::Error);
                self.undeclared(expr.id, &name);
            }
        }
    }

    fn check_select(&mut self, expr: &mut Expr) {
        if let Some(qualified) = names::qualified(expr)
            && let Some((full, declared)) = self.lookup(&qualified)
        {
            self.set_type(expr.id, declared);
            self.references.insert(expr.id, Reference::Name);
            expr.kind = ExprKind::Ident(full);
            return;
        }
        let id = expr.id;
        let ExprKind::Select { operand, field, ask } = &mut expr.kind else {
            return;
        };
        let ask = *ask;
        let result = self.select_field(id, operand, &field.clone(), Access::Plain);
        let result = if ask == Ask::Presence { Type::Bool } else { result };
        let result = self.bindings.substitute(&result);
        self.set_type(id, result);
    }

    /// The type of a field of what `operand` is.
    fn select_field(&mut self, id: ExprId, operand: &mut Expr, field: &str, access: Access) -> Type {
        self.check(operand);
        let operand = self.bindings.substitute(&self.type_of(operand.id));
        let (target, is_optional) = match &operand {
            Type::Optional(inner) => ((**inner).clone(), true),
            other => (other.clone(), false),
        };
        let result = match &target {
            Type::Map(_, value) => (**value).clone(),
            Type::Object(shape) => match shape.fields.get(field).filter(|_| self.may_read(shape, field)) {
                Some(found) => found.shape.declared(),
                None if shape.others != OtherFields::None => Type::Dyn,
                None => {
                    self.report(id, IssueKind::UndefinedField(field.into()));
                    Type::Error
                }
            },
            Type::Opaque(opaque) if opaque.kind == crate::types::OpaqueKind::Message => {
                self.report(id, unresolved(opaque.name));
                Type::Error
            }
            Type::Variable(_) => {
                self.bindings.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            Type::Dyn | Type::Any | Type::Error => Type::Dyn,
            other => {
                self.report(id, IssueKind::NoFields(other.clone()));
                Type::Dyn
            }
        };
        if is_optional || access == Access::Optional { Type::optional(result) } else { result }
    }

    /// Whether a field may be written as it is: a reserved word that has an escaped name may have to be written so.
    fn may_read(&self, shape: &ObjectShape, field: &str) -> bool {
        self.env.options.reserved_fields == ReservedFields::Plain
            || !operators::is_reserved(field)
            || !shape.fields.contains_key(&*format!("__{field}__"))
    }

    fn check_comprehension(&mut self, id: ExprId, comprehension: &mut Comprehension) {
        self.check(&mut comprehension.range);
        self.check(&mut comprehension.start);
        let range = self.bindings.substitute(&self.type_of(comprehension.range.id));
        let accumulator = self.type_of(comprehension.start.id);
        self.scopes.push(vec![(comprehension.accumulator.clone(), accumulator.clone())]);
        self.numbers = Numbers::OfAllTypes;
        let (first, second) = match &range {
            Type::List(item) if comprehension.second_variable.is_some() => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Dyn),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn | Type::Error | Type::Variable(_) => {
                self.bindings.assign(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                self.report(comprehension.range.id, IssueKind::NotIterable(other.clone()));
                (Type::Error, Type::Error)
            }
        };
        let mut variables = vec![(comprehension.variable.clone(), first)];
        // The first of two variables of the same name counts.
        if let Some(name) = &comprehension.second_variable
            && *name != comprehension.variable
        {
            variables.push((name.clone(), second));
        }
        self.scopes.push(variables);
        self.check(&mut comprehension.condition);
        self.assert_type(&comprehension.condition, &Type::Bool);
        self.check(&mut comprehension.step);
        self.assert_type(&comprehension.step, &accumulator);
        self.scopes.pop();
        self.check(&mut comprehension.result);
        self.scopes.pop();
        let result = self.bindings.substitute(&self.type_of(comprehension.result.id));
        self.set_type(id, result);
    }

    fn assert_type(&mut self, expr: &Expr, expected: &Type) {
        let found = self.type_of(expr.id);
        if !self.bindings.assign(expected, &found) {
            self.mismatch(expr.id, expected, &found);
        }
    }

    /// The common type of what was seen so far and one more; `dyn` if there is none.
    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else {
            return current;
        };
        if self.bindings.assign(&previous, &current) {
            return assign::most_general(&previous, &current).clone();
        }
        Type::Dyn
    }

    fn type_of(&self, id: ExprId) -> Type {
        self.types.get(&id).cloned().unwrap_or(Type::Error)
    }

    fn set_type(&mut self, id: ExprId, found: Type) {
        if let Some(old) = self.types.get(&id) {
            if !assign::is_exact(old, &found) {
                let message =
                    format!("incompatible type already exists for expression: ({id}) old:{old}, new:{found}");
                self.report(id, IssueKind::Internal(message));
            }
            return;
        }
        self.types.insert(id, found);
    }

    fn undeclared(&mut self, id: ExprId, name: &str) {
        let container = Arc::clone(&self.env.container);
        self.report(id, IssueKind::Undeclared { name: name.into(), container });
    }

    fn mismatch(&mut self, id: ExprId, expected: &Type, found: &Type) {
        self.report(id, IssueKind::Mismatch { expected: expected.clone(), found: found.clone() });
    }

    fn report(&mut self, id: ExprId, kind: IssueKind) {
        self.issues.push(issue(self.places, self.text, id, kind));
    }
}

/// An issue at a node.
pub(crate) fn issue(places: &[Range<u32>], text: &str, id: ExprId, kind: IssueKind) -> Issue {
    match places.get(id as usize) {
        Some(place) => Issue::at(text, place.clone(), kind),
        None => Issue::nowhere(kind),
    }
}

/// What cel-go says of a type whose fields it does not know.
fn unresolved(name: &str) -> IssueKind {
    IssueKind::Internal(format!("unexpected failed resolution of '{name}'"))
}

/// How a field is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// `a.b`
    Plain,
    /// `a.?b`
    Optional,
}

/// Whether an operator is one of those that are checked in their own way.
fn is_logical(name: &str) -> bool {
    name == operators::AND || name == operators::OR
}

/// Whether two types are the same; scalars that may be null are the same as those that may not.
pub(crate) fn is_equivalent(left: &Type, right: &Type) -> bool {
    assign::is_exact(left, right)
}
