//! Calls: which function a name means, and which of its overloads take the arguments.

use std::sync::Arc;

use crate::ast::{Expr, ExprId, ExprKind};
use crate::check::{Access, Checker, Reference, assign, is_logical, names};
use crate::env::Numbers;
use crate::function::{Function, Style};
use crate::syntax::{IssueKind, names as operators};
use crate::types::Type;
use crate::value::Value;

impl Checker<'_> {
    pub(super) fn check_call(&mut self, expr: &mut Expr) {
        let id = expr.id;
        let ExprKind::Call { target, function, args } = &mut expr.kind else {
            return;
        };
        if &**function == operators::OPTIONAL_SELECT {
            self.check_optional_select(id, target.is_some(), args);
            return;
        }
        for arg in args.iter_mut() {
            self.check(arg);
        }
        let Some(receiver) = target else {
            match self.lookup_function(function) {
                Some(found) => {
                    *function = found.name.into();
                    self.resolve(id, &found, None, args);
                }
                None => {
                    let name = function.clone();
                    self.undeclared(id, &name);
                    self.set_type(id, Type::Error);
                }
            }
            return;
        };
        // `a.b.c()` is either the function `a.b.c`, or `c` with the receiver `a.b`.
        if let Some(prefix) = names::qualified(receiver)
            && let Some(found) = self.lookup_function(&format!("{prefix}.{function}"))
        {
            *function = found.name.into();
            *target = None;
            self.resolve(id, &found, None, args);
            return;
        }
        self.check(receiver);
        match self.lookup_function(function) {
            Some(found) => self.resolve(id, &found, Some(receiver.id), args),
            None => {
                let name = function.clone();
                self.set_type(id, Type::Error);
                self.undeclared(id, &name);
            }
        }
    }

    fn check_optional_select(&mut self, id: ExprId, has_target: bool, args: &mut [Expr]) {
        let count = args.len();
        let [operand, field] = args else {
            let kind = if has_target { " member call with" } else { "" };
            let words = format!(
                "unsupported optional field selection: incorrect signature.{kind} argument count: {count}"
            );
            self.report(id, IssueKind::Internal(words));
            return;
        };
        let ExprKind::Literal(Value::String(name)) = &field.kind else {
            let words = "unsupported optional field selection".to_owned();
            self.report(field.id, IssueKind::Internal(words));
            return;
        };
        let name = name.clone();
        let result = self.select_field(id, operand, &name, Access::Optional);
        let result = self.bindings.substitute(&result);
        self.set_type(id, result);
        if let Some(function) = self.env.function(operators::OPTIONAL_SELECT) {
            self.references.insert(id, Reference::Call(function.clone(), vec![0]));
        }
    }

    fn resolve(&mut self, id: ExprId, function: &Arc<Function>, target: Option<ExprId>, args: &[Expr]) {
        let ids = target.into_iter().chain(args.iter().map(|arg| arg.id));
        let given: Vec<Type> = ids.map(|id| self.type_of(id)).collect();
        let style = if target.is_some() { Style::Member } else { Style::Global };
        if is_logical(function.name) {
            self.resolve_logical(id, function, &given, args);
            return;
        }
        let mut result: Option<Type> = None;
        let mut found = Vec::new();
        for (number, overload) in function.overloads.iter().enumerate() {
            if overload.style != style || (self.numbers == Numbers::OfOneType && compares_types(overload.id))
            {
                continue;
            }
            let mut variables = Vec::new();
            let declared = assign::instantiate(&overload.result, &mut variables, &mut self.bindings);
            let params: Vec<Type> = overload
                .params
                .iter()
                .map(|param| assign::instantiate(param, &mut variables, &mut self.bindings))
                .collect();
            if !self.bindings.assign_all(&given, &params) {
                continue;
            }
            found.push(number);
            let declared = self.bindings.substitute(&declared);
            result = Some(match result {
                None => declared,
                Some(before) if assign::is_dyn(&before) || assign::is_exact(&declared, &before) => before,
                Some(_) => Type::Dyn,
            });
        }
        let Some(result) = result else {
            self.no_match(id, function.name, &given, style);
            self.set_type(id, Type::Error);
            return;
        };
        self.set_type(id, result);
        self.references.insert(id, Reference::Call(function.clone(), found));
    }

    fn resolve_logical(&mut self, id: ExprId, function: &Arc<Function>, given: &[Type], args: &[Expr]) {
        let mut fits = true;
        for (given, arg) in given.iter().zip(args) {
            if !self.bindings.assign(given, &Type::Bool) {
                self.mismatch(arg.id, &Type::Bool, given);
                fits = false;
            }
        }
        self.set_type(id, if fits { Type::Bool } else { Type::Error });
        if fits {
            self.references.insert(id, Reference::Call(function.clone(), vec![0]));
        }
    }

    fn no_match(&mut self, id: ExprId, function: &'static str, given: &[Type], style: Style) {
        let mut arguments: Vec<Type> = given.iter().map(|given| self.bindings.settle(given)).collect();
        let has_receiver = style == Style::Member && !arguments.is_empty();
        let receiver = has_receiver.then(|| arguments.remove(0));
        self.report(id, IssueKind::NoOverload { function, receiver, arguments });
    }
}

/// Whether an overload compares numbers of different types.
fn compares_types(overload: &str) -> bool {
    let Some(rest) = ["less_equals_", "greater_equals_", "less_", "greater_"]
        .iter()
        .find_map(|prefix| overload.strip_prefix(prefix))
    else {
        return false;
    };
    let mut types = rest.split('_');
    let numeric = |name: &str| matches!(name, "int64" | "uint64" | "double");
    matches!((types.next(), types.next(), types.next()), (Some(left), Some(right), None) if numeric(left) && numeric(right))
}
