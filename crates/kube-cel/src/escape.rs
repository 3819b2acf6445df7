//! The names that fields have in expressions. Reserved words and some characters have to be escaped.

use std::borrow::Cow;

pub use trueline_cel::syntax::names::is_reserved;

/// The name of a field in expressions; none if it cannot be written there.
pub fn escape(name: &str) -> Option<Cow<'_, str>> {
    let first = name.as_bytes().first()?;
    if first.is_ascii_digit() {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__").into());
    }
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./".contains(byte);
    if !name.as_bytes().iter().all(is_allowed) {
        return None;
    }
    if !name.contains("__") && !name.contains(['-', '.', '/']) {
        return Some(name.into());
    }
    let mut escaped = String::with_capacity(name.len() + 16);
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let (taken, text) = match character {
            '_' if rest.starts_with("__") => (2, "__underscores__"),
            '.' => (1, "__dot__"),
            '-' => (1, "__dash__"),
            '/' => (1, "__slash__"),
            other => {
                escaped.push(other);
                rest = rest.get(other.len_utf8()..).unwrap_or_default();
                continue;
            }
        };
        escaped.push_str(text);
        rest = rest.get(taken..).unwrap_or_default();
    }
    Some(escaped.into())
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn names_are_escaped_where_the_grammar_needs_it() {
        let cases = [
            ("replicas", Some("replicas")),
            ("namespace", Some("__namespace__")),
            ("x-prop", Some("x__dash__prop")),
            ("a.b/c", Some("a__dot__b__slash__c")),
            ("redact__d", Some("redact__underscores__d")),
            ("a___b", Some("a__underscores___b")),
            ("_a", Some("_a")),
            ("", None),
            ("1a", None),
            ("a b", None),
            ("é", None),
            (".a", Some("__dot__a")),
        ];
        for (name, expected) in cases {
            assert_eq!(escape(name).as_deref(), expected, "{name}");
        }
    }
}
