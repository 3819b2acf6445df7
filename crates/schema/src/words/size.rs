//! Lengths and counts: `minLength`, `maxItems`, `minProperties` and their like.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::count;
use super::{Words, tree};
use crate::Violation;

/// The string is too short or too long.
pub(crate) static WRONG_LENGTH: Code = Code {
    id: "TL0208",
    name: "wrong-length",
    severity: Severity::Error,
    summary: "A string is shorter or longer than its field allows",
    explanation: "The schema limits the number of characters (`minLength`, `maxLength`). Every Unicode character \
                  counts as one.",
    wrong: "metadata:\n  name: \"\"\n",
    right: "metadata:\n  name: nodejs\n",
};

/// The list is too short or too long.
pub(crate) static WRONG_ITEM_COUNT: Code = Code {
    id: "TL0211",
    name: "wrong-item-count",
    severity: Severity::Error,
    summary: "A list has fewer or more items than its field allows",
    explanation: "The schema limits the number of items (`minItems`, `maxItems`). If there is nothing to list but \
                  at least one item is needed, leave the field out, unless it is required.",
    wrong: "metadata:\n  distros: []\n",
    right: "metadata:\n  distros:\n    - ubuntu\n",
};

/// The map has too few or too many fields.
pub(crate) static WRONG_FIELD_COUNT: Code = Code {
    id: "TL0220",
    name: "wrong-field-count",
    severity: Severity::Error,
    summary: "A map has fewer or more fields than allowed",
    explanation: "The schema limits the number of fields (`minProperties`, `maxProperties`), often to say that at \
                  least one, or only one, of several must be set.",
    wrong: "source: {}\n",
    right: "source:\n  url: https://example.com/tool.tar.gz\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation) -> Diagnostic {
    let subject = words.subject(violation);
    let (code, one) = match violation.keyword.as_str() {
        "minLength" | "maxLength" => (&WRONG_LENGTH, "character"),
        "minItems" | "maxItems" => (&WRONG_ITEM_COUNT, "item"),
        _ => (&WRONG_FIELD_COUNT, "field"),
    };
    let found = size(words, violation);
    let wanted = limit(&violation.want);
    let least = violation.keyword.starts_with("min");
    let place = if code == &WRONG_LENGTH { words.place(violation) } else { words.map_place(violation) };
    if least && wanted == 1 {
        return Diagnostic::new(code, place, format!("{subject} must not be empty"))
            .label(format!("expected at least 1 {one}"));
    }
    let bound = match (least, wanted) {
        (true, wanted) => format!("at least {}", count(wanted, one)),
        (false, 0) => count(0, one),
        (false, wanted) => format!("at most {}", count(wanted, one)),
    };
    let has = match found {
        Some(0) => ", but it is empty".to_owned(),
        Some(found) => format!(", but it has {found}"),
        None => String::new(),
    };
    Diagnostic::new(code, place, format!("{subject} must have {bound}{has}"))
        .label(format!("expected {bound}"))
}

/// A limit may be written as `3.0`.
fn limit(want: &Value) -> u64 {
    want.as_u64().or_else(|| want.as_f64().map(|number| number as u64)).unwrap_or(0)
}

/// How large the value is; measured in the document, because the copy in a violation may be shortened.
fn size(words: &Words<'_>, violation: &Violation) -> Option<u64> {
    if let Some(Value::String(text)) = &violation.got {
        return Some(text.chars().count() as u64);
    }
    let (instance, _) = words.at(&violation.instance_path)?;
    let size = match (tree::text(instance), tree::items(instance)) {
        (Some(text), _) => text.chars().count(),
        (None, Some(items)) => items.len(),
        (None, None) => tree::entries(instance).len(),
    };
    Some(size as u64)
}
