//! What a registry says when it refuses.

use serde_json::Value;

/// Errors of one answer that are shown.
const MOST: usize = 20;

/// The errors in the body of an answer, one after the other; `None` where there are none to be read.
pub fn fault(bytes: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(bytes).ok()?;
    let errors: Vec<String> = body.get("errors")?.as_array()?.iter().take(MOST).map(one).collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}

fn one(error: &Value) -> String {
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let code = text("code").replace('_', " ").to_lowercase();
    match text("message") {
        "" => code,
        message => format!("{code}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_put_into_words() {
        for (body, words) in [
            (
                "{\"errors\": [{\"code\": \"NAME_UNKNOWN\", \"message\": \"no such thing\"}]}",
                Some("name unknown: no such thing"),
            ),
            ("{\"errors\": [{\"code\": \"DENIED\"}, {\"code\": \"X\"}]}", Some("denied; x")),
            ("{\"errors\": []}", None),
            ("boom", None),
        ] {
            assert_eq!(fault(body.as_bytes()).as_deref(), words);
        }
    }
}
