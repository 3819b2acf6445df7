//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use super::excerpt::show;
use super::route::Route;
use crate::Violation;

/// The number is too small or too large.
pub(crate) static OUT_OF_RANGE: Code = Code {
    id: "TL0206",
    name: "number-out-of-range",
    severity: Severity::Error,
    summary: "A number is smaller or larger than its field allows",
    explanation: "The schema limits the number (`minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`). \
                  Check the unit that the field is in: a timeout may be in seconds, a size in megabytes.",
    wrong: "service:\n  port: 0\n",
    right: "service:\n  port: 8080\n",
};

/// The number is not a multiple.
pub(crate) static NOT_A_MULTIPLE: Code = Code {
    id: "TL0207",
    name: "not-a-multiple",
    severity: Severity::Error,
    summary: "A number is not a multiple of the required step",
    explanation: "The number must be a multiple of another (`multipleOf`): steps of 5, for example, or two \
                  decimals for 0.01.",
    wrong: "percent: 7\n",
    right: "percent: 10\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let owner = route.owner().map(|step| step.schema);
    // Draft 4 has the bound in `minimum`, and `exclusiveMinimum: true` next to it.
    let bound = |inclusive: &str| match &*violation.want {
        Value::Bool(_) => owner.and_then(|schema| schema.get(inclusive)).cloned().unwrap_or(Value::Null),
        want => want.clone(),
    };
    let excluded = |keyword: &str| owner.and_then(|schema| schema.get(keyword)) == Some(&Value::Bool(true));
    let (code, wanted) = match violation.keyword.as_str() {
        "minimum" if excluded("exclusiveMinimum") => {
            (&OUT_OF_RANGE, format!("more than {}", plain(&violation.want)))
        }
        "maximum" if excluded("exclusiveMaximum") => {
            (&OUT_OF_RANGE, format!("less than {}", plain(&violation.want)))
        }
        "minimum" => (&OUT_OF_RANGE, format!("at least {}", plain(&violation.want))),
        "maximum" => (&OUT_OF_RANGE, format!("at most {}", plain(&violation.want))),
        "exclusiveMinimum" => (&OUT_OF_RANGE, format!("more than {}", plain(&bound("minimum")))),
        "exclusiveMaximum" => (&OUT_OF_RANGE, format!("less than {}", plain(&bound("maximum")))),
        _ => (&NOT_A_MULTIPLE, format!("a multiple of {}", plain(&violation.want))),
    };
    let found = match words.excerpt(violation) {
        Some(excerpt) => format!(", but it is {}", excerpt.trim_matches('`')),
        None => String::new(),
    };
    let message = format!("{} must be {wanted}{found}", words.subject(violation));
    Diagnostic::new(code, words.place(violation), message).label(format!("expected {wanted}"))
}

fn plain(value: &Value) -> String {
    show(value).trim_matches('`').to_owned()
}
