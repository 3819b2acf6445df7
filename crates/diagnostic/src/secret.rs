//! Which names belong to secrets. A finding may name such a field, but nothing repeats its value.

/// Words that make everything below a field of that name secret.
const WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "privatekey",
    "authorization",
    "bearer",
    "cookie",
];

/// What a key opens if it is secret: `apiKey`, but not `primaryKey`.
const KEYS: &[&str] = &["api", "private", "access", "encryption", "signing"];

/// Whether a field of this name holds a secret: `dbPassword`, `API_TOKEN`, `private-key`.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    words.iter().any(|word| WORDS.contains(&word.as_str()))
        || words
            .windows(2)
            .any(|pair| pair[1].trim_end_matches('s') == "key" && KEYS.contains(&pair[0].as_str()))
}

/// Whether one of the words that a name is made of is listed.
pub fn has_word(name: &str, listed: &[&str]) -> bool {
    words(name).iter().any(|word| listed.contains(&word.as_str()))
}

/// The words that a name is made of, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && before_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for secret in
            ["password", "dbPassword", "API_TOKEN", "api-token", "apiKey", "API_KEY", "private-keys"]
        {
            assert!(is_secret_name(secret), "{secret}");
        }
        for open in ["", "key", "primaryKey", "keyword", "tokenizer", "monkey", "compass", "name"] {
            assert!(!is_secret_name(open), "{open}");
        }
    }
}
