//! Errors about rules in CEL, in the user's words.

use std::ops::Range;

use trueline_diagnostic::Diagnostic;
use trueline_kube_cel::budget::{PER_EXPRESSION, PER_SCHEMA};
use trueline_kube_cel::plain::grouped;
use trueline_kube_facts::cel_codes::{NOT_COMPILED, RULE_BROKEN, RULE_FAILED, TOO_EXPENSIVE};
use trueline_kube_facts::{Bound, ExpressionIssue, FieldError, RuleFact};
use trueline_source::Span;

use super::evaluate::UNNAMED;

/// Finds the place of a part of a string: where the string was typed, what it says, and bytes of that.
pub type Locate<'l> = dyn Fn(Span, &str, Range<u32>) -> Span + 'l;

/// The finding for an error about a rule; nothing if the error is about something else.
pub fn rule_finding(error: &FieldError, place: Span, locate: &Locate<'_>) -> Option<Diagnostic> {
    let finding = match error.expression.as_deref()? {
        RuleFact::NotCompiled { expression, issues } => not_compiled(expression, issues, place, locate)?,
        RuleFact::TooExpensive { estimate, limit, bounds } => {
            too_expensive(error, *estimate, *limit, bounds, place)
        }
        RuleFact::AmongExpensive => {
            Diagnostic::new(&TOO_EXPENSIVE, place, "this rule is one of those that cost most together")
        }
        RuleFact::Broken { rule } => broken(error, *rule, place),
        RuleFact::Failed { rule, expression, part, why } => {
            let message = format!("a rule cannot be evaluated on {}: {why}", field(error));
            let finding = Diagnostic::new(&RULE_FAILED, place, message);
            match (rule, part) {
                (Some(rule), Some(part)) => {
                    finding.related(locate(*rule, expression, part.clone()), "this part of the rule fails")
                }
                (Some(rule), None) => finding.related(*rule, "the rule"),
                (None, _) => finding,
            }
        }
        RuleFact::Uncompiled { .. } => return None,
    };
    Some(Diagnostic { kube: Some(error.cause()), ..finding })
}

/// The errors of one definition as findings: what follows from a rule that costs too much by itself is left out, and what
/// all rules cost together is one finding that names those that cost most.
pub(crate) fn told_once(errors: &[FieldError]) -> (Vec<&FieldError>, Vec<Span>) {
    let is_single = |error: &FieldError| {
        let fact = error.expression.as_deref();
        matches!(fact, Some(RuleFact::TooExpensive { limit, .. }) if *limit == PER_EXPRESSION)
    };
    let has_single = errors.iter().any(is_single);
    let mut dearest = Vec::new();
    let mut told = Vec::new();
    for error in errors {
        match error.expression.as_deref() {
            Some(RuleFact::AmongExpensive) => dearest.extend(error.place),
            Some(RuleFact::TooExpensive { limit, .. }) if *limit == PER_SCHEMA && has_single => {}
            _ => told.push(error),
        }
    }
    if has_single {
        dearest.clear();
    }
    (told, dearest)
}

fn not_compiled(
    expression: &str,
    issues: &[ExpressionIssue],
    place: Span,
    locate: &Locate<'_>,
) -> Option<Diagnostic> {
    let (first, others) = issues.split_first()?;
    let at = |issue: &ExpressionIssue| locate(place, expression, issue.start..issue.end.max(issue.start));
    let mut finding = Diagnostic::new(&NOT_COMPILED, at(first), first.message.clone());
    for issue in others.iter().take(MOST_ISSUES) {
        finding = finding.related(at(issue), issue.message.clone());
    }
    match issues.iter().find_map(|issue| issue.help.clone()) {
        Some(help) => Some(finding.help(help)),
        None => Some(finding),
    }
}

/// How many further issues of one expression are shown.
const MOST_ISSUES: usize = 8;

fn too_expensive(error: &FieldError, estimate: u64, limit: u64, bounds: &[Bound], place: Span) -> Diagnostic {
    let what = match error.field.ends_with(&["messageExpression"]) {
        true => "this message expression",
        false if error.field.ends_with(&["rule"]) => "this rule",
        false => "all rules of this schema together",
    };
    let message = format!("{what} may cost {}, more than the limit of {}", units(estimate), grouped(limit));
    let mut finding = Diagnostic::new(&TOO_EXPENSIVE, place, message);
    for bound in bounds {
        if let Some(place) = bound.place {
            finding = finding.related(place, format!("no `{}`", bound.keyword));
        }
    }
    let listed: Vec<String> = bounds
        .iter()
        .map(|bound| match bound.field.as_str() {
            "" => format!("`{}: {}`", bound.keyword, bound.most),
            field => format!("`{}: {}` in `{field}`", bound.keyword, bound.most),
        })
        .collect();
    match listed.as_slice() {
        [] => finding
            .help("simplify the rule, or add `maxItems`, `maxProperties` and `maxLength` to what it reads"),
        listed => finding.help(format!("add {}", listed.join(" and "))),
    }
}

fn units(cost: u64) -> String {
    match cost {
        u64::MAX => "more than can be counted".to_owned(),
        cost => format!("{} units", grouped(cost)),
    }
}

fn broken(error: &FieldError, rule: Option<Span>, place: Span) -> Diagnostic {
    let field = field(error);
    let first = error.detail.text(0).unwrap_or_default();
    let message = match error.sentence() {
        _ if error.breaks(&UNNAMED) => format!("{field} breaks the rule `{}`", one_line(first)),
        sentence if sentence.is_empty() => format!("{field} breaks a rule of its CRD"),
        sentence => format!("{field}: {sentence}"),
    };
    let finding = Diagnostic::new(&RULE_BROKEN, place, message);
    match rule {
        Some(rule) => finding.related(rule, "the rule"),
        None => finding,
    }
}

fn field(error: &FieldError) -> String {
    match error.field.is_empty() {
        true => "the object".to_owned(),
        false => format!("`{}`", error.field),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
