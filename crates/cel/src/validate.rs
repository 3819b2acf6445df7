//! Checks of expressions whose types are right: literals that can never be what a function takes, and literals of mixed
//! types.

use trueline_regexp::Regexp;

use crate::ast::{Expr, ExprKind};
use crate::check::{Checked, is_equivalent, issue};
use crate::env::Env;
use crate::syntax::{Issue, IssueKind};
use crate::types::Type;
use crate::value::Value;

/// Reports `duration('…')` that is not a duration.
pub fn duration_literals(env: &Env, checked: &Checked, text: &str, issues: &mut Vec<Issue>) {
    converted_literals(env, checked, text, "duration", issues);
}

/// Reports `timestamp('…')` that is not a timestamp.
pub fn timestamp_literals(env: &Env, checked: &Checked, text: &str, issues: &mut Vec<Issue>) {
    converted_literals(env, checked, text, "timestamp", issues);
}

fn converted_literals(env: &Env, checked: &Checked, text: &str, name: &'static str, issues: &mut Vec<Issue>) {
    let Some(function) = env.function(name) else {
        return;
    };
    first_literals(checked, name, &mut |literal, value| {
        let overload = function.overloads.iter().find(|overload| {
            overload.params.len() == 1 && overload.params.iter().all(|param| value.fits(param))
        });
        let fails = overload
            .and_then(|overload| overload.run)
            .is_none_or(|run| run(std::slice::from_ref(value)).is_err());
        if fails {
            issues.push(issue(&checked.ast.places, text, literal.id, IssueKind::LiteralArgument(name)));
        }
    });
}

/// Reports `matches('…')` whose pattern is not a regular expression.
pub fn regex_literals(_: &Env, checked: &Checked, text: &str, issues: &mut Vec<Issue>) {
    first_literals(checked, "matches", &mut |literal, value| {
        if let Value::String(pattern) = value
            && Regexp::compile(pattern.as_bytes()).is_err()
        {
            issues.push(issue(&checked.ast.places, text, literal.id, IssueKind::LiteralArgument("matches")));
        }
    });
}

/// Visits the calls of a function whose first argument, without the receiver, is a literal.
fn first_literals(checked: &Checked, name: &str, found: &mut dyn FnMut(&Expr, &Value)) {
    visit(&checked.ast.root, &mut |expr| {
        if let ExprKind::Call { function, args, .. } = &expr.kind
            && &**function == name
            && let Some(literal) = args.first()
            && let ExprKind::Literal(value) = &literal.kind
        {
            found(literal, value);
        }
    });
}

/// Reports lists and maps that hold several types, except among the arguments of `format`.
pub fn homogeneous_literals(_: &Env, checked: &Checked, text: &str, issues: &mut Vec<Issue>) {
    let mut lists = Vec::new();
    let mut maps = Vec::new();
    visit_outside(&checked.ast.root, "format", &mut |expr| match &expr.kind {
        ExprKind::List { elements, optional } => lists.push((elements, optional)),
        ExprKind::Map(entries) => maps.push(entries),
        _ => {}
    });
    let mut report = |expr: &Expr, expected: &Type, found: &Type| {
        let kind = IssueKind::Mismatch { expected: expected.clone(), found: found.clone() };
        issues.push(issue(&checked.ast.places, text, expr.id, kind));
    };
    let mut crashed: Vec<&Expr> = Vec::new();
    for (elements, optional) in lists {
        let mut expected: Option<Type> = None;
        for (index, element) in elements.iter().enumerate() {
            let is_optional = optional.iter().any(|&optional| optional as usize == index);
            let Some(found) = held(checked.type_of(element.id), is_optional) else {
                crashed.push(element);
                break;
            };
            match &expected {
                None => expected = Some(found),
                Some(expected) if !is_equivalent(expected, &found) => {
                    report(element, expected, &found);
                    break;
                }
                Some(_) => {}
            }
        }
    }
    for entries in maps {
        let mut expected: Option<(Type, Type)> = None;
        for entry in entries {
            let key = checked.type_of(entry.key.id);
            let Some(value) = held(checked.type_of(entry.value.id), entry.is_optional) else {
                crashed.push(&entry.value);
                break;
            };
            match &expected {
                None => expected = Some((key, value)),
                Some((expected_key, expected_value)) => {
                    if !is_equivalent(expected_key, &key) {
                        report(&entry.key, expected_key, &key);
                    }
                    if !is_equivalent(expected_value, &value) {
                        report(&entry.value, expected_value, &value);
                    }
                }
            }
        }
    }
    // cel-go crashes here, which the server answers by refusing the expression.
    for expr in crashed {
        let words = "runtime error: index out of range [0] with length 0".to_owned();
        issues.push(issue(&checked.ast.places, text, expr.id, IssueKind::Internal(words)));
    }
}

/// What an entry with a question mark holds; nothing if that is not known.
fn held(found: Type, is_optional: bool) -> Option<Type> {
    if is_optional { found.params().first().cloned() } else { Some(found) }
}

/// Visits all nodes, those inside another before it.
pub fn visit<'a>(expr: &'a Expr, found: &mut dyn FnMut(&'a Expr)) {
    visit_outside(expr, "", found);
}

/// Visits all nodes, those inside another before it, except those inside calls of one function.
fn visit_outside<'a>(expr: &'a Expr, except: &str, found: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Ident(_) => {}
        ExprKind::Select { operand, .. } => visit_outside(operand, except, found),
        ExprKind::Call { function, .. } if !except.is_empty() && &**function == except => {}
        ExprKind::Call { target, args, .. } => {
            for part in target.iter().map(|target| &**target).chain(args) {
                visit_outside(part, except, found);
            }
        }
        ExprKind::List { elements, .. } => {
            for element in elements {
                visit_outside(element, except, found);
            }
        }
        ExprKind::Map(entries) => {
            for entry in entries {
                visit_outside(&entry.key, except, found);
                visit_outside(&entry.value, except, found);
            }
        }
        ExprKind::Struct { fields, .. } => {
            for field in fields {
                visit_outside(&field.value, except, found);
            }
        }
        ExprKind::Comprehension(comprehension) => {
            let parts = [
                &comprehension.range,
                &comprehension.start,
                &comprehension.condition,
                &comprehension.step,
                &comprehension.result,
            ];
            for part in parts {
                visit_outside(part, except, found);
            }
        }
    }
    found(expr);
}
