//! Rules about the items of a list: `uniqueItems`, `contains`, items beyond those described.

use rustc_hash::FxHashMap;
use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::excerpt::{count, show};
use super::route::{Route, below};
use super::{Words, describe, tree};
use crate::{Instance, Violation};

/// Two items are equal.
pub(crate) static DUPLICATE_ITEM: Code = Code {
    id: "TL0212",
    name: "duplicate-item",
    severity: Severity::Error,
    summary: "Two items of a list are equal",
    explanation: "All items of this list must differ (`uniqueItems`). Remove one of the two. Maps are equal when \
                  they have the same fields with the same values, in any order.",
    wrong: "distros: [ubuntu, fedora, ubuntu]\n",
    right: "distros: [ubuntu, fedora]\n",
};

/// A required item is missing.
pub(crate) static MISSING_ITEM: Code = Code {
    id: "TL0213",
    name: "missing-item",
    severity: Severity::Error,
    summary: "A list has too few or too many items of a kind",
    explanation: "The list must contain a certain kind of item (`contains`), with a minimum or maximum number of \
                  times (`minContains`, `maxContains`).",
    wrong: "roles: [reader]  # at least one `owner` is asked for\n",
    right: "roles: [reader, owner]\n",
};

/// The list has more items than described.
pub(crate) static UNEXPECTED_ITEM: Code = Code {
    id: "TL0214",
    name: "unexpected-item",
    severity: Severity::Error,
    summary: "A list has more items than allowed",
    explanation: "The schema describes the items of a list one by one and allows no more (`items: false`, \
`additionalItems: false`, `unevaluatedItems: false`).",
    wrong: "range: [1, 10, 100]\n",
    right: "range: [1, 10]\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Diagnostic {
    let subject = words.subject(violation);
    let found = words.at(&violation.instance_path);
    let items = found.and_then(|(list, _)| tree::items(list)).unwrap_or_default();
    match violation.keyword.as_str() {
        "uniqueItems" => duplicate(words, violation, &subject, &items),
        "additionalItems" | "unevaluatedItems" => unexpected(words, violation, route, &subject, &items),
        _ => contains(words, violation, route, &subject, &items),
    }
}

fn duplicate(words: &Words<'_>, violation: &Violation, subject: &str, items: &[Instance<'_>]) -> Diagnostic {
    let Some((first, second)) = equal_items(items) else {
        return Diagnostic::new(
            &DUPLICATE_ITEM,
            words.map_place(violation),
            format!("{subject} has the same item twice"),
        );
    };
    let (first_item, second_item) = (items.get(first), items.get(second));
    let shown = match second_item.and_then(|item| tree::scalar(*item)) {
        Some(value) if !words.is_secret(violation) => show(&value),
        _ => format!("item {}", first + 1),
    };
    let message = format!("{subject} has {shown} twice, as items {} and {}", first + 1, second + 1);
    let message = if shown.starts_with("item ") {
        format!("items {} and {} of {subject} are equal, but all must differ", first + 1, second + 1)
    } else {
        message
    };
    let span =
        |item: Option<&Instance<'_>>| item.and_then(|item| item.span()).map(|span| words.first_line(span));
    let place = span(second_item).unwrap_or_else(|| words.map_place(violation));
    let diagnostic =
        Diagnostic::new(&DUPLICATE_ITEM, place, message).label("the same again").help("remove one of them");
    match span(first_item) {
        Some(first) => diagnostic.related(first, "first here"),
        None => diagnostic,
    }
}

/// The first item that is equal to one before it, with that one.
fn equal_items(items: &[Instance<'_>]) -> Option<(usize, usize)> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (index, item) in items.iter().enumerate() {
        let mut text = String::new();
        canonical(&item.to_json(), &mut text);
        if let Some(first) = seen.insert(text, index) {
            return Some((first, index));
        }
    }
    None
}

/// JSON that is the same for equal values: fields sorted, `1` for `1.0`.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in entries {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                text.push_str(&format!("{}", float as i64))
            }
            _ => text.push_str(&number.to_string()),
        },
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn unexpected(
    words: &Words<'_>,
    violation: &Violation,
    route: &Route<'_>,
    subject: &str,
    items: &[Instance<'_>],
) -> Diagnostic {
    let owner = route.owner().map(|step| step.schema);
    let described = owner
        .and_then(|schema| schema.get("prefixItems").or_else(|| schema.get("items")))
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let place = items.get(described).and_then(|item| item.span()).map(|span| words.first_line(span));
    let place = place.unwrap_or_else(|| words.map_place(violation));
    let has = items.len() as u64;
    let message = if described > 0 && (described as u64) < has {
        format!("{subject} must have at most {}, but it has {has}", count(described as u64, "item"))
    } else {
        format!("{subject} has items that are not allowed")
    };
    Diagnostic::new(&UNEXPECTED_ITEM, place, message).label("no item is allowed here")
}

fn contains(
    words: &Words<'_>,
    violation: &Violation,
    route: &Route<'_>,
    subject: &str,
    items: &[Instance<'_>],
) -> Diagnostic {
    let owner = route.owner();
    let rule = owner.and_then(|step| step.schema.get("contains"));
    let noun = owner.zip(rule).and_then(|(step, rule)| {
        describe::noun(words.context.schema, &below(&step.place, &["contains"]), rule)
    });
    let item = noun.unwrap_or_else(|| "an item that matches `contains`".to_owned());
    let bound = |keyword: &str| {
        owner
            .and_then(|step| step.schema.get(keyword))
            .and_then(|limit| limit.as_u64().or_else(|| limit.as_f64().map(|limit| limit as u64)))
    };
    let keyword = violation.evaluation_path.rsplit('/').next().unwrap_or_default();
    let times = |number: u64| if number == 1 { "once".to_owned() } else { format!("{number} times") };
    let place = words.map_place(violation);
    let message = match (keyword, bound("minContains"), bound("maxContains")) {
        ("maxContains", _, Some(0)) => format!("{subject} must not contain {item}"),
        ("maxContains", _, Some(most)) => format!("{subject} must contain {item} at most {}", times(most)),
        (_, Some(least), _) if least > 1 => {
            format!("{subject} must contain {item} at least {}", times(least))
        }
        _ if items.is_empty() => format!("{subject} must contain {item}, but it is empty"),
        _ => format!("{subject} must contain {item}, but it does not"),
    };
    Diagnostic::new(&MISSING_ITEM, place, message).label("in this list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_items_are_found_as_json_has_them() {
        for (list, wanted) in [
            (json!([1, 2, 1.0]), Some((0, 2))),
            (json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]), Some((0, 1))),
            (json!(["1", 1, true, null, [], {}]), None),
        ] {
            let value = crate::words::tests::value(&list);
            let items = tree::items(Instance::Value(&value)).unwrap_or_default();
            assert_eq!(equal_items(&items), wanted, "{list}");
        }
    }
}
