//! Rules about the items of a list.

use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use trueline_schema::Draft;
use trueline_yaml::Value;

use super::evaluate::{BrokenRules, Evaluator, Frame, Step, count};
use super::failure::{Failure, Violation};

/// Validates a list against the rules about its items.
pub(super) fn check<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    items: &[Value],
    found: &mut BrokenRules<'s>,
) {
    count(frame, ["minItems", "maxItems"], || items.len(), found);
    if frame.get("uniqueItems") == Some(&Json::Bool(true))
        && let Some((first, second)) = duplicates(items)
    {
        found.add(frame, Violation::Duplicates(first, second));
    }
    if frame.draft >= Draft::Draft202012 {
        let first = frame.list("prefixItems");
        each(evaluator, frame, "prefixItems", first, items, found);
        rest(evaluator, frame, "items", first.len(), items, found);
    } else if let Some(Json::Array(first)) = frame.get("items") {
        each(evaluator, frame, "items", first, items, found);
        if frame.get("additionalItems") == Some(&Json::Bool(false)) {
            if items.len() > first.len() {
                found.add(frame, Violation::AdditionalItems(items.len() - first.len()));
            }
        } else {
            rest(evaluator, frame, "additionalItems", first.len(), items, found);
        }
    } else {
        rest(evaluator, frame, "items", 0, items, found);
    }
    if frame.draft >= Draft::Draft6 {
        contains(evaluator, frame, items, found);
    }
}

/// From which item on no rule about items looks; none if one looks at all.
pub(super) fn looked_at(frame: &Frame<'_, '_>) -> Option<usize> {
    if frame.draft >= Draft::Draft202012 {
        return frame.get("items").is_none().then(|| frame.list("prefixItems").len());
    }
    match frame.get("items") {
        Some(Json::Array(first)) => frame.get("additionalItems").is_none().then_some(first.len()),
        Some(_) => None,
        None => Some(0),
    }
}

fn each<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    keyword: &'static str,
    schemas: &'s [Json],
    items: &[Value],
    found: &mut BrokenRules<'s>,
) {
    for (index, (schema, item)) in schemas.iter().zip(items).enumerate() {
        let at = (keyword, Some(Step::Index(index)));
        found.take(evaluator.part(frame, at, schema, item, Step::Index(index)));
    }
}

fn rest<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    keyword: &'static str,
    from: usize,
    items: &[Value],
    found: &mut BrokenRules<'s>,
) {
    let Some(schema) = frame.get(keyword) else { return };
    for (index, item) in items.iter().enumerate().skip(from) {
        found.take(evaluator.part(frame, (keyword, None), schema, item, Step::Index(index)));
    }
}

fn contains<'s>(
    evaluator: &Evaluator<'s>,
    frame: &Frame<'_, 's>,
    items: &[Value],
    found: &mut BrokenRules<'s>,
) {
    let Some(schema) = frame.get("contains") else { return };
    let mut causes = Vec::new();
    let mut matched = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match evaluator.part(frame, ("contains", None), schema, item, Step::Index(index)) {
            Ok(()) => matched.push(index),
            Err(failure) => causes.push(failure),
        }
    }
    if frame.draft >= Draft::Draft202012 {
        // Both are in order.
        found.left.items.retain(|index| matched.binary_search(index).is_err());
    }
    let counted = frame.draft >= Draft::Draft201909;
    let least = frame.size("minContains").filter(|_| counted);
    let most = frame.size("maxContains").filter(|_| counted);
    let number = i64::try_from(matched.len()).unwrap_or(i64::MAX);
    match least {
        Some(want) if number < want => {
            let kind = Violation::MinContains { want, matched: matched.clone() };
            found.failures.push(Failure { causes, ..frame.failure(kind) });
        }
        None if matched.is_empty() => {
            found.failures.push(Failure { causes, ..frame.failure(Violation::Contains) });
        }
        _ => {}
    }
    if let Some(want) = most.filter(|want| number > *want) {
        found.add(frame, Violation::MaxContains { want, matched });
    }
}

/// The first item that equals an earlier one, after that one.
fn duplicates(items: &[Value]) -> Option<(usize, usize)> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (index, item) in items.iter().enumerate() {
        if let Some(first) = seen.insert(canonical(item), index) {
            return Some((first, index));
        }
    }
    None
}

/// A string that two values share only if they are equal.
fn canonical(value: &Value) -> String {
    use trueline_yaml::Data;
    match &value.data {
        Data::Int(_) | Data::UInt(_) | Data::Float(_) => {
            format!("{:?}", super::number::Decimal::of_value(value))
        }
        Data::List(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Data::Map(map) => {
            let mut members: Vec<String> =
                map.iter().map(|(name, entry)| format!("{name:?}:{}", canonical(&entry.value))).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        Data::String(text) => format!("{text:?}"),
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
    }
}
