//! Which values must not be repeated in a message: those of fields named like a password, and the contents of a
//! Secret.

use trueline_diagnostic::{has_word, is_secret_name};

use super::notation::parts;
use super::tree;
use crate::Instance;

/// Words that make the value of a field of that name secret, but not a map below it.
const SECRET_VALUE: &[&str] = &["key", "keys", "pass", "pin", "salt", "auth"];

/// Whether the value at a pointer is not to be shown.
pub(crate) fn is_secret(root: Instance<'_>, pointer: &str) -> bool {
    let parts: Vec<_> = parts(pointer).collect();
    let is_open = |field: &str| matches!(field, "apiVersion" | "kind" | "metadata" | "type" | "immutable");
    let is_of_secret = || root.child("kind").and_then(|(kind, _)| tree::text(kind)) == Some("Secret");
    if parts.first().is_some_and(|field| !is_open(field) && is_of_secret()) {
        return true;
    }
    if parts.iter().any(|part| is_secret_name(part)) {
        return true;
    }
    let named = parts.iter().rfind(|part| part.parse::<usize>().is_err());
    if named.is_some_and(|name| has_word(name, SECRET_VALUE)) {
        return true;
    }
    // `- name: DB_PASSWORD` has its secret in `value`, next to the telling name.
    let Some(parent) = pointer.strip_suffix("/value") else { return false };
    let Some((parent, _)) = root.at_pointer(parent) else { return false };
    ["name", "key"].iter().any(|name| {
        let beside = parent.child(name).and_then(|(value, _)| tree::text(value));
        beside.is_some_and(|text| is_secret_name(text) || has_word(text, SECRET_VALUE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_like_passwords_hide_their_values() {
        let value = crate::words::tests::value(&json!({
            "env": [{"name": "DB_PASSWORD", "value": 1}, {"name": "MODE", "value": 1}]
        }));
        let root = Instance::Value(&value);
        for secret in [
            "/password",
            "/db/dbPassword",
            "/api-token",
            "/API_TOKEN",
            "/secrets/0",
            "/secret/data/x",
            "/apiKey",
            "/keys/0",
            "/env/0/value",
        ] {
            assert!(is_secret(root, secret), "{secret}");
        }
        for open in [
            "",
            "/keyword",
            "/tokenizer",
            "/monkey",
            "/compass",
            "/env/1/value",
            "/env/0/name",
            "/key/id",
            "/auth/mode",
        ] {
            assert!(!is_secret(root, open), "{open}");
        }
    }

    #[test]
    fn the_contents_of_a_secret_are_hidden() {
        let value = crate::words::tests::value(&json!({"kind": "Secret", "type": "x", "data": {"a": "x"}}));
        for (pointer, expected) in [("/data/a", true), ("/datas", true), ("/type", false), ("", false)] {
            assert_eq!(is_secret(Instance::Value(&value), pointer), expected, "{pointer}");
        }
    }
}
