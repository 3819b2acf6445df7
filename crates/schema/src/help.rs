//! What the schema itself says about a place: its description and examples, for the help line.

use serde_json::Value;

use crate::words::excerpt::{list, quote, show};
use crate::words::scalar;

/// How much of a description is shown.
const SHOWN: usize = 200;

/// A sentence about a value from the schemas that apply to it, outermost first.
///
/// The outermost description is the nearest to what the user typed: it is at the field, not at the shared
/// definition that it refers to.
pub(crate) fn about<'a>(schemas: impl Iterator<Item = &'a Value> + Clone) -> Option<String> {
    let description = schemas.clone().find_map(description);
    let examples = schemas.clone().find_map(examples);
    match (description, examples) {
        (Some(description), Some(examples)) => Some(format!("{description} ({examples})")),
        (Some(description), None) => Some(description),
        (None, Some(examples)) => Some(examples),
        (None, None) => None,
    }
}

/// The first sentence of a schema's description.
pub(crate) fn description(schema: &Value) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    first_sentence(text)
}

/// The first sentence of the text, on one line and without its full stop.
pub(crate) fn first_sentence(text: &str) -> Option<String> {
    let paragraph = text.trim().split("\n\n").next()?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = line.len();
    for (index, _) in line.match_indices(". ") {
        // An abbreviation such as `e.g. ` or `z. B. ` does not end a sentence.
        let word = line[..index].rsplit([' ', '(']).next().unwrap_or_default();
        if word.contains('.') || word.chars().count() <= 1 || matches!(word, "etc" | "vs" | "approx") {
            continue;
        }
        end = index;
        break;
    }
    let sentence = line[..end].trim_end_matches('.').trim();
    if sentence.is_empty() {
        return None;
    }
    Some(match sentence.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &sentence[..cut]),
        None => sentence.to_owned(),
    })
}

/// Up to three examples, or the default.
pub(crate) fn examples(schema: &Value) -> Option<String> {
    let shown = |values: &[Value]| {
        let few = values.iter().filter(|value| !value.is_object()).take(3).map(typed);
        Some(list(few, "or")).filter(|text| !text.is_empty())
    };
    if let Some(text) = schema.get("examples").and_then(Value::as_array).and_then(|values| shown(values)) {
        return Some(format!("for example {text}"));
    }
    // Draft 4 and OpenAPI have a single example.
    if let Some(text) = schema.get("example").and_then(|value| shown(std::slice::from_ref(value))) {
        return Some(format!("for example {text}"));
    }
    let default = schema.get("default").filter(|value| !value.is_object() && !value.is_null())?;
    Some(format!("the default is {}", typed(default)))
}

/// A value as it would be typed: a string that looks like a number or like true gets quotation marks.
fn typed(value: &Value) -> String {
    match value {
        Value::String(text) if scalar::meaning(text).is_some() => quote(&format!("\"{text}\"")),
        value => show(value),
    }
}

/// A line that would add a missing field: `` `method: mise` ``.
pub(crate) fn example_line(name: &str, schema: &Value) -> Option<String> {
    let first =
        |keyword: &str| schema.get(keyword).and_then(Value::as_array).and_then(|values| values.first());
    let value = first("examples")
        .or_else(|| schema.get("example"))
        .or_else(|| schema.get("const"))
        .or_else(|| schema.get("default"))
        .or_else(|| first("enum"))?;
    let value = scalar::write(value)?;
    Some(quote(&format!("{name}: {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_sentence_is_enough() {
        for (text, wanted) in [
            ("One. Two.", Some("One")),
            ("One, e.g. this. Two", Some("One, e.g. this")),
            ("Over\n  two lines.\n\nMore", Some("Over two lines")),
            ("Version 1.2. Then", Some("Version 1.2. Then")),
            ("  ", None),
        ] {
            assert_eq!(first_sentence(text).as_deref(), wanted);
        }
        assert_eq!(first_sentence(&"x".repeat(1000)).map(|text| text.chars().count()), Some(SHOWN + 1));
    }

    #[test]
    fn examples_come_before_the_default() {
        assert_eq!(
            examples(&json!({"examples": ["a", 1, 2, 3], "default": 4})).as_deref(),
            Some("for example `a`, `1` or `2`")
        );
        assert_eq!(examples(&json!({"default": false})).as_deref(), Some("the default is `false`"));
        assert_eq!(examples(&json!({"default": 1})).as_deref(), Some("the default is `1`"));
        assert_eq!(examples(&json!({"default": "1"})).as_deref(), Some("the default is `\"1\"`"));
        assert_eq!(
            examples(&json!({"examples": ["yes", "a"]})).as_deref(),
            Some("for example `\"yes\"` or `a`")
        );
        assert_eq!(examples(&json!({"default": {}, "examples": [{}]})), None);
        assert_eq!(example_line("on", &json!({"enum": ["no", "yes"]})).as_deref(), Some("`on: \"no\"`"));
    }

    #[test]
    fn the_field_speaks_before_its_definition() {
        let schemas = [
            json!({"description": "The tool's version."}),
            json!({"description": "A version", "examples": ["1.2.3"]}),
        ];
        assert_eq!(about(schemas.iter()).as_deref(), Some("The tool's version (for example `1.2.3`)"));
    }
}
