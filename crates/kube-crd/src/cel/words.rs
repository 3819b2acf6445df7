//! Errors about rules in CEL, in the user's words.

use std::ops::Range;

use trueline_diagnostic::{Code, Diagnostic};
use trueline_kube_cel::budget::{PER_EXPRESSION, PER_SCHEMA};
use trueline_kube_facts::cel_codes::{NOT_COMPILED, RULE_BROKEN, RULE_FAILED, TOO_EXPENSIVE};
use trueline_kube_facts::{Bound, ExpressionIssue, FieldError, RuleFact};
use trueline_source::Span;

use super::evaluate::{FAILED, NO_OVERLOAD, UNNAMED};

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
    let mut finding = Diagnostic::new(&NOT_COMPILED, at(first), plain(&first.message));
    for issue in others.iter().take(MOST_ISSUES) {
        finding = finding.related(at(issue), plain(&issue.message));
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

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn broken(error: &FieldError, rule: Option<Span>, place: Span) -> Diagnostic {
    let field = match error.field.is_empty() {
        true => "the object".to_owned(),
        false => format!("`{}`", error.field),
    };
    let first = error.detail.text(0).unwrap_or_default();
    let (code, message): (&'static Code, String) = match error.sentence() {
        _ if error.breaks(&FAILED) || error.breaks(&NO_OVERLOAD) => {
            (&RULE_FAILED, format!("a rule cannot be evaluated on {field}: {first}"))
        }
        _ if error.breaks(&UNNAMED) => {
            (&RULE_BROKEN, format!("{field} breaks the rule `{}`", one_line(first)))
        }
        sentence if sentence.is_empty() => (&RULE_BROKEN, format!("{field} breaks a rule of its CRD")),
        sentence => (&RULE_BROKEN, format!("{field}: {sentence}")),
    };
    let finding = Diagnostic::new(code, place, message);
    match rule {
        Some(rule) => finding.related(rule, "the rule"),
        None => finding,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What CEL says, in plain words where it has others.
pub(crate) fn plain(message: &str) -> String {
    if let Some(name) = between(message, "undeclared reference to '", "'") {
        return format!("`{name}` is not defined");
    }
    if let Some(name) = between(message, "undefined field '", "'") {
        return format!("no field `{name}` is declared");
    }
    if let Some((function, args)) = message
        .strip_prefix("found no matching overload for '")
        .and_then(|rest| rest.split_once("' applied to '"))
    {
        return no_overload(function, args.trim_end_matches('\''));
    }
    if let Some(rest) = message.strip_prefix("Syntax error: ") {
        let short = rest.split_once(" expecting ").map_or(rest, |(before, _)| before);
        let unexpected = ["mismatched input ", "extraneous input ", "no viable alternative at input "]
            .iter()
            .find_map(|start| short.strip_prefix(start));
        return match unexpected.map(|text| text.trim_matches('\'')) {
            Some("<EOF>") => "the expression ends too early".to_owned(),
            Some(text) => format!("unexpected `{text}`"),
            None => format!("syntax error: {short}"),
        };
    }
    let mut characters = message.chars();
    match characters.next() {
        // A sentence that begins with a capital is the start of one of CEL's own.
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => message.to_owned(),
    }
}

fn between<'m>(message: &'m str, start: &str, end: &str) -> Option<&'m str> {
    message.strip_prefix(start)?.split_once(end).map(|(name, _)| name)
}

fn no_overload(function: &str, args: &str) -> String {
    let operator = function.trim_matches('_');
    let is_operator = function.starts_with('_') || function.ends_with('_') || function.starts_with('@');
    let inner = args.strip_prefix('(').and_then(|args| args.strip_suffix(')'));
    match (is_operator, inner.and_then(|inner| inner.split_once(", "))) {
        (true, Some((left, right))) if !right.contains(", ") => {
            let operator = if function == "@in" { "in" } else { operator };
            format!("`{operator}` does not take {} and {}", type_words(left), type_words(right))
        }
        (true, _) => format!("`{operator}` does not take {}", type_words(inner.unwrap_or(args))),
        (false, _) => {
            let Some((receiver, call)) = args.rsplit_once(".(") else {
                return format!("no function `{function}` takes {}", type_words(inner.unwrap_or(args)));
            };
            let receiver = type_words(receiver);
            match call.strip_suffix(')').unwrap_or(call) {
                "" => format!("no function `{function}` can be called on {receiver}"),
                call => {
                    format!("no function `{function}` can be called on {receiver} with {}", type_words(call))
                }
            }
        }
    }
}

fn type_words(name: &str) -> String {
    match name {
        "int" => "an integer".to_owned(),
        "uint" => "an unsigned integer".to_owned(),
        "double" => "a number".to_owned(),
        "string" => "a string".to_owned(),
        "bool" => "a boolean".to_owned(),
        "" => "no argument".to_owned(),
        "null" | "null_type" => "null".to_owned(),
        name if name.starts_with("list(") => "a list".to_owned(),
        name if name.starts_with("map(") => "a map".to_owned(),
        name if name.starts_with("selfType") => "an object".to_owned(),
        name => format!("`{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, plain};

    #[test]
    fn cel_speaks_plainly() {
        let rows = [
            ("undeclared reference to 'x' (in container '')", "`x` is not defined"),
            ("undefined field 'zz'", "no field `zz` is declared"),
            (
                "found no matching overload for '_==_' applied to '(int, string)'",
                "`==` does not take an integer and a string",
            ),
            (
                "found no matching overload for 'size' applied to '(int)'",
                "no function `size` takes an integer",
            ),
            (
                "found no matching overload for 'reverse' applied to 'string.()'",
                "no function `reverse` can be called on a string",
            ),
            (
                "found no matching overload for 'contains' applied to 'list(string).(string)'",
                "no function `contains` can be called on a list with a string",
            ),
            ("Syntax error: mismatched input '<EOF>' expecting {'[', '{'}", "the expression ends too early"),
            ("Syntax error: extraneous input ')' expecting <EOF>", "unexpected `)`"),
        ];
        for (message, expected) in rows {
            assert_eq!(plain(message), expected);
        }
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([1, 999, 1_000, 10_000_000].map(grouped), ["1", "999", "1,000", "10,000,000"]);
    }
}
