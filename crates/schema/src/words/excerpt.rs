//! Values in a sentence: their type, and a short excerpt.

use serde_json::Value;

use super::notation::visible;

/// How many characters of a value are shown.
const SHOWN: usize = 60;

/// A string in backticks, cut if it is long.
pub(crate) fn quote(text: &str) -> String {
    if text.is_empty() {
        return "`\"\"`".to_owned();
    }
    // The string is cut first, because it may be as large as its file.
    let (head, rest) = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    };
    format!("`{}{rest}`", visible(head))
}

/// A value in backticks as JSON, but a string without its quotation marks.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        value => {
            let mut text = String::new();
            brief(value, &mut text, 0);
            quote(&text)
        }
    }
}

/// Several values, joined by commas and a last word.
pub(crate) fn list<I: IntoIterator<Item = String>>(values: I, last: &str) -> String {
    let values: Vec<String> = values.into_iter().collect();
    match values.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., end] => format!("{} {last} {end}", head.join(", ")),
    }
}

/// The type of a value with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// A number of things: `1 item`, `3 items`.
pub(crate) fn count(number: u64, one: &str) -> String {
    match number {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        many => format!("{many} {one}s"),
    }
}

/// Writes JSON only as far as it will be shown.
fn brief(value: &Value, text: &mut String, depth: usize) {
    if text.len() > 4 * SHOWN {
        return;
    }
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().take(SHOWN).enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                nested(item, text, depth);
            }
            text.push(']');
        }
        Value::Object(map) => {
            text.push('{');
            for (index, (name, item)) in map.iter().take(SHOWN).enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                text.extend(name.chars().take(SHOWN));
                text.push_str(": ");
                nested(item, text, depth);
            }
            text.push('}');
        }
        Value::String(string) => text.extend(string.chars().take(SHOWN)),
        other => text.push_str(&other.to_string()),
    }
}

fn nested(value: &Value, text: &mut String, depth: usize) {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= 2 => text.push('…'),
        value => brief(value, text, depth + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_short_and_on_one_line() {
        assert_eq!(show(&json!("a\nb")), "`a\\nb`");
        assert_eq!(show(&json!("")), "`\"\"`");
        assert_eq!(show(&json!(1.5)), "`1.5`");
        assert_eq!(show(&json!({"a": [1, "x", {"b": {"c": 1}}]})), "`{a: [1, x, {b: …}]}`");
        assert_eq!(quote(&"é".repeat(1000)).chars().count(), SHOWN + 3);
        let mut deep = json!(1);
        for _ in 0..200 {
            deep = json!([deep]);
        }
        assert!(show(&deep).len() < 100);
    }

    #[test]
    fn counts_and_lists_read_as_sentences() {
        assert_eq!(count(0, "item"), "no items");
        assert_eq!(count(1, "item"), "1 item");
        let names = |names: &[&str]| names.iter().map(|name| quote(name)).collect::<Vec<_>>();
        assert_eq!(list(names(&["a", "b", "c"]), "or"), "`a`, `b` or `c`");
        assert_eq!(list(names(&["a"]), "or"), "`a`");
    }
}
