//! Calls of `format` whose string and list of arguments are literals: whether clauses and arguments fit is known before
//! anything runs.

use crate::ast::{Expr, ExprId, ExprKind};
use crate::check::{Checked, Reference, issue};
use crate::env::Env;
use crate::syntax::{Issue, IssueKind};
use crate::types::Type;
use crate::validate::visit;
use crate::value::Value;

use super::format::{Verb, next_part};

/// Reports clauses that cannot be read and arguments that do not fit them.
pub fn format_literals(_: &Env, checked: &Checked, text: &str, issues: &mut Vec<Issue>) {
    visit(&checked.ast.root, &mut |expr| {
        if let Some((format, args)) = literal_call(checked, expr)
            && let Err((id, message)) = check(checked, expr.id, format, args)
        {
            issues.push(issue(&checked.ast.places, text, id, IssueKind::Format(message)));
        }
    });
}

/// The string and the arguments of a call of `format`, if both are literals.
fn literal_call<'a>(checked: &Checked, expr: &'a Expr) -> Option<(&'a str, &'a [Expr])> {
    let ExprKind::Call { target: Some(target), function, args } = &expr.kind else { return None };
    if &**function != "format" {
        return None;
    }
    if let Some(Reference::Call(function, overloads)) = checked.references.get(&expr.id) {
        let is_ours =
            |index: &usize| function.overloads.get(*index).is_some_and(|found| found.id == "string_format");
        if !overloads.is_empty() && !overloads.iter().any(is_ours) {
            return None;
        }
    }
    match (&target.kind, args.as_slice()) {
        (ExprKind::Literal(Value::String(format)), [Expr { kind: ExprKind::List { elements, .. }, .. }]) => {
            Some((format, elements))
        }
        _ => None,
    }
}

/// What is wrong with a call, and at which node.
fn check(checked: &Checked, call: ExprId, format: &str, args: &[Expr]) -> Result<(), (ExprId, String)> {
    let mut rest = format;
    let mut asked = 0;
    while let Some(clause) = next_part(rest).clause {
        if clause.is_cut_off() {
            return Err((call, "unexpected end of string".to_owned()));
        }
        let Some(argument) = args.get(asked) else {
            return Err((call, format!("index {asked} out of range")));
        };
        asked += 1;
        let (verb, _, after) = clause.read().map_err(|message| (call, message))?;
        fits(checked, argument, verb).map_err(|id| {
            let found = checked.type_of(id);
            (id, verb.refuses(found.runtime_name()))
        })?;
        rest = after;
    }
    if args.len() > asked {
        let message =
            format!("too many arguments supplied to string.format (expected {asked}, got {})", args.len());
        return Err((call, message));
    }
    Ok(())
}

/// Whether a clause takes an argument; the error is the node that it does not take.
fn fits(checked: &Checked, argument: &Expr, verb: Verb) -> Result<(), ExprId> {
    if !takes(verb, &checked.type_of(argument.id)) {
        return Err(argument.id);
    }
    if verb != Verb::String {
        return Ok(());
    }
    match &argument.kind {
        ExprKind::List { elements, .. } => {
            elements.iter().try_for_each(|element| fits(checked, element, verb))
        }
        ExprKind::Map(entries) => entries.iter().try_for_each(|entry| {
            fits(checked, &entry.key, verb)?;
            fits(checked, &entry.value, verb)
        }),
        _ => Ok(()),
    }
}

fn takes(verb: Verb, found: &Type) -> bool {
    match found {
        Type::Dyn => true,
        Type::Wrapper(inner) => takes(verb, inner),
        Type::Int | Type::UInt => !matches!(verb, Verb::Fixed | Verb::Scientific),
        Type::Double => matches!(verb, Verb::String | Verb::Fixed | Verb::Scientific),
        Type::String => !matches!(verb, Verb::Decimal | Verb::Binary | Verb::Octal),
        Type::Bytes => matches!(verb, Verb::String | Verb::LowerHex | Verb::UpperHex),
        Type::Bool => matches!(verb, Verb::String | Verb::Binary),
        Type::List(_) | Type::Map(..) | Type::Timestamp | Type::Duration | Type::Type(_) | Type::Null => {
            verb == Verb::String
        }
        _ => false,
    }
}
