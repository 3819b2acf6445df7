//! What a registry asks for before it gives anything: a name and password, or a token from a server of its choice.

use serde_json::Value;

/// What a `WWW-Authenticate` header asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Challenge {
    /// A name and password.
    Basic,
    /// A token.
    Bearer(Token),
}

/// Where a token is to be had.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Token {
    /// The address of the server that gives it.
    pub realm: String,
    /// Whom it is for.
    pub service: String,
    /// What it is to allow.
    pub scope: String,
}

/// Bytes of a header that is read.
const LONGEST_HEADER: usize = 16 << 10;

impl Challenge {
    /// Reads a header; nothing where it asks for something else.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.get(..header.len().min(LONGEST_HEADER))?.trim();
        let (scheme, rest) = header.split_once(' ').unwrap_or((header, ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Challenge::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut token = Token::default();
        let mut rest = rest;
        while let Some((name, behind)) = rest.split_once('=') {
            let (value, behind) = value(behind)?;
            match name.trim_matches([' ', ',', '\t']).to_ascii_lowercase().as_str() {
                "realm" => token.realm = value,
                "service" => token.service = value,
                "scope" => token.scope = value,
                _ => {}
            }
            rest = behind;
        }
        (!token.realm.is_empty()).then_some(Challenge::Bearer(token))
    }
}

/// A value, quoted or not, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        return Some((text.get(..end)?.trim().to_owned(), text.get(end..)?));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return Some((value, quoted.get(place + 1..)?)),
            '\\' => value.push(characters.next()?.1),
            character => value.push(character),
        }
    }
    None
}

/// The token in the answer of a server that gives tokens.
pub fn read_token(bytes: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(bytes).ok()?;
    let text = |key: &str| answer.get(key).and_then(Value::as_str).filter(|token| !token.is_empty());
    text("access_token").or_else(|| text("token")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: &str, scope: &str| {
            let [realm, service, scope] = [realm, service, scope].map(str::to_owned);
            Some(Challenge::Bearer(Token { realm, service, scope }))
        };
        for (header, challenge) in [
            ("Basic realm=\"x\"", Some(Challenge::Basic)),
            ("basic", Some(Challenge::Basic)),
            (
                "Bearer realm=\"https://a.example/token\",service=\"r.example\",scope=\"repository:a/b:pull,push\"",
                bearer("https://a.example/token", "r.example", "repository:a/b:pull,push"),
            ),
            (
                "Bearer realm=\"https://a.example/t\" , service=plain",
                bearer("https://a.example/t", "plain", ""),
            ),
            ("Bearer realm=\"a\\\"b\"", bearer("a\"b", "", "")),
            ("Bearer service=\"x\"", None),
            ("Bearer realm=\"unclosed", None),
            ("Negotiate", None),
            ("", None),
        ] {
            assert_eq!(Challenge::parse(header), challenge, "{header}");
        }
    }

    #[test]
    fn tokens_have_two_names() {
        assert_eq!(read_token(b"{\"token\": \"t\"}").as_deref(), Some("t"));
        assert_eq!(read_token(b"{\"token\": \"t\", \"access_token\": \"a\"}").as_deref(), Some("a"));
        assert_eq!(read_token(b"{\"token\": \"\"}"), None);
        assert_eq!(read_token(b"<html>"), None);
    }
}
