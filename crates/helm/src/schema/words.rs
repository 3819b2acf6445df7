//! The words that Helm puts on broken rules, and their layout.

use serde_json::Value as Json;
use trueline_gotemplate::fmt::quote;

use super::failure::{Failure, Typed, Violation};
use super::number::count;

/// The lines of all failures of one schema.
pub(super) fn lines(failures: &[Failure<'_>]) -> String {
    let mut text = String::new();
    for failure in failures {
        line(failure, 0, &mut text);
    }
    text
}

fn line(failure: &Failure<'_>, indent: usize, text: &mut String) {
    // A reference with one reason is reported as that reason.
    let skipped = matches!(failure.kind, Violation::Reference) && failure.causes.len() == 1;
    if !skipped {
        if !text.is_empty() {
            text.push('\n');
        }
        (0..indent).for_each(|_| text.push_str("  "));
        text.push_str(&format!("- at {}: {}", quoted(&failure.path), sentence(&failure.kind)));
    }
    for cause in &failure.causes {
        line(cause, if skipped { indent } else { indent + 1 }, text);
    }
}

/// The failures that have no others below them: the value's JSON pointer, and what is wrong with it.
pub(super) fn leaves(failures: &[Failure<'_>]) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    for failure in failures {
        match failure.causes.as_slice() {
            [] => leaves.push((failure.path.clone(), sentence(&failure.kind))),
            causes => leaves.extend(self::leaves(causes)),
        }
    }
    leaves
}

pub(super) fn sentence(kind: &Violation<'_>) -> String {
    match kind {
        Violation::Group | Violation::Reference => "validation failed".to_owned(),
        Violation::FalseSchema => "false schema".to_owned(),
        Violation::Cycle { url, first, second } => {
            format!("both {first} and {second} resolve to {} causing reference cycle", quote(url))
        }
        Violation::NotJson => "invalid jsonType float64".to_owned(),
        Violation::Type { got, want } => format!("got {got}, want {}", want.join(" or ")),
        Violation::Const(want, typed) => match want {
            Json::Array(_) | Json::Object(_) => "'const' failed".to_owned(),
            want => format!("value must be {}", shown(want, *typed)),
        },
        Violation::Enum(want, typed) => choice(want, typed),
        Violation::Format { got, want, why } => format!("{} is not valid {want}: {why}", quoted(got)),
        Violation::Not => "'not' failed".to_owned(),
        Violation::AllOf => "'allOf' failed".to_owned(),
        Violation::AnyOf => "'anyOf' failed".to_owned(),
        Violation::OneOf(None) => "'oneOf' failed, none matched".to_owned(),
        Violation::OneOf(Some((first, second))) => {
            format!("'oneOf' failed, subschemas {}, {} matched", index(*first), index(*second))
        }
        Violation::Count { keyword, got, want } => {
            format!("{keyword}: got {}, want {}", index(*got), count(*want))
        }
        Violation::Bound { keyword, got, want } => {
            format!("{keyword}: got {}, want {}", got.shown(), want.shown())
        }
        Violation::Required(missing) => match missing.as_slice() {
            [one] => format!("missing property {}", quoted(one)),
            several => format!("missing properties {}", joined(several)),
        },
        Violation::Dependency { name, missing } => {
            format!("properties {} required, if {} exists", joined(missing), quoted(name))
        }
        Violation::AdditionalProperties(names) => {
            format!("additional properties {} not allowed", joined(names))
        }
        Violation::PropertyName(name) => format!("invalid propertyName {}", quoted(name)),
        Violation::Duplicates(first, second) => {
            format!("items at {} and {} are equal", index(*first), index(*second))
        }
        Violation::AdditionalItems(items) => format!("last {} additionalItem(s) not allowed", index(*items)),
        Violation::Contains => "no items match contains schema".to_owned(),
        Violation::MinContains { want, matched } if matched.is_empty() => {
            format!("min {} items required to match contains schema, but none matched", count(*want))
        }
        Violation::MinContains { want, matched } => contained("min", *want, matched),
        Violation::MaxContains { want, matched } => contained("max", *want, matched),
        Violation::Pattern { got, want } => {
            format!("{} does not match pattern {}", quoted(got), quoted(want))
        }
    }
}

fn contained(word: &str, want: i64, matched: &[usize]) -> String {
    let places: Vec<String> = matched.iter().map(usize::to_string).collect();
    format!(
        "{word} {} items required to match contains schema, but matched {} items at {}",
        count(want),
        index(matched.len()),
        places.join(" ")
    )
}

fn choice(want: &[Json], typed: &[Typed<'_>]) -> String {
    if want.iter().any(|want| want.is_array() || want.is_object()) {
        return "'enum' failed".to_owned();
    }
    let shown: Vec<String> = want.iter().zip(typed).map(|(want, typed)| shown(want, *typed)).collect();
    match shown.as_slice() {
        [one] => format!("value must be {one}"),
        several => format!("value must be one of {}", several.join(", ")),
    }
}

/// A value as Go shows it, which keeps the letters of numbers.
fn shown(json: &Json, typed: Typed<'_>) -> String {
    match json {
        Json::Null => "<nil>".to_owned(),
        Json::String(text) => quoted(text),
        other => typed.map_or_else(|| other.to_string(), str::to_owned),
    }
}

fn index(index: usize) -> String {
    count(i64::try_from(index).unwrap_or(i64::MAX))
}

fn joined(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quoted(name.as_ref())).collect();
    quoted.join(", ")
}

/// Single quotes made of Go's double ones.
pub(super) fn quoted(text: &str) -> String {
    let quoted = quote(text).replace("\\\"", "\"").replace('\'', "\\'");
    let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    format!("'{inside}'")
}
