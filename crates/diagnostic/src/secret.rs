//! Which names belong to secrets. A finding may name such a field, but its value is never repeated.

use std::borrow::Cow;
use std::ops::Range;

use crate::nearest::distance_within;

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

/// Words that may be joined to other words: `PGPASSWORD`, `clientsecret`.
const ENDINGS: &[&str] = &["password", "passwd", "passphrase", "apikey", "clientsecret", "authtoken"];

/// What a key opens if it is secret: `apiKey`, but not `primaryKey`.
const KEYS: &[&str] = &["api", "private", "access", "account", "client", "encryption", "signing"];

/// Words that count as secret even with one typo: they are long enough that a typo does not make another word.
/// One typo leaves either the first or the last letters intact, which is where [`has_stem`] looks.
const MISSPELT: &[&str] = &["password", "passwords", "passphrase", "credential", "credentials"];

fn is_misspelt(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    (7..=12).contains(&letters.len())
        && MISSPELT.iter().any(|known| {
            let known: Vec<char> = known.chars().collect();
            distance_within(&letters, &known, 1).is_some()
        })
}

/// A quick test whether a name may hold a secret, so most names need not be split into words.
fn has_stem(name: &str) -> bool {
    let bytes = name.as_bytes();
    let starts = |start: usize, stem: &[u8]| {
        bytes.get(start..start + stem.len()).is_some_and(|part| part.eq_ignore_ascii_case(stem))
    };
    !name.is_ascii()
        || bytes.iter().enumerate().any(|(start, byte)| match byte.to_ascii_lowercase() {
            b'p' => starts(start, b"pas") || starts(start, b"pwd") || starts(start, b"phrase"),
            b's' => starts(start, b"secret"),
            b't' => starts(start, b"token"),
            b'c' => starts(start, b"cred") || starts(start, b"cookie"),
            b'd' => starts(start, b"dential"),
            b'w' => starts(start, b"word"),
            b'k' => starts(start, b"key"),
            b'a' => starts(start, b"authorization"),
            b'b' => starts(start, b"bearer"),
            _ => false,
        })
}

/// Last words of names that say something about a secret, or where it is: `passwordSecretRef`, `secretName`,
/// `tokenExpirationSeconds`, `password-file`.
const ABOUT: &[&str] = &[
    "ref",
    "refs",
    "reference",
    "references",
    "name",
    "names",
    "namespace",
    "path",
    "paths",
    "file",
    "files",
    "dir",
    "directory",
    "mode",
    "type",
    "class",
    "seconds",
    "minutes",
    "hours",
    "days",
    "duration",
    "ttl",
    "expiration",
    "expiry",
    "timeout",
    "interval",
    "length",
    "size",
    "enabled",
    "disabled",
    "policy",
    "algorithm",
    "annotations",
    "labels",
];

/// Whether a field of this name says something about a secret, or where it is, but not what it is.
pub fn is_about_secret(name: &str) -> bool {
    words(name).last().is_some_and(|word| ABOUT.contains(&word.as_str()))
}

/// Whether a field of this name holds a secret: `dbPassword`, `API_TOKEN`, `private-key`.
pub fn is_secret_name(name: &str) -> bool {
    if !has_stem(name) {
        return false;
    }
    let words = words(name);
    let names: Vec<&str> = words.iter().map(String::as_str).collect();
    match names.as_slice() {
        // Whether a token is put into pods says nothing about it, and an existing Secret is named.
        ["automount" | "existing", ..] => return false,
        [.., last] if ABOUT.contains(last) => return false,
        // The key in a Secret that a password is under.
        [.., "password" | "token" | "passphrase", "key" | "keys"] => return false,
        // Secrets for pulling images are named, too.
        names if names.windows(2).any(|pair| matches!(pair, ["pull", "secret" | "secrets"])) => return false,
        _ => {}
    }
    let is_secret = |word: &String| {
        WORDS.contains(&word.as_str())
            || ENDINGS.iter().any(|ending| word.ends_with(ending))
            || is_misspelt(word)
    };
    words.iter().any(is_secret)
        || words
            .windows(2)
            .any(|pair| pair[1].trim_end_matches('s') == "key" && KEYS.contains(&pair[0].as_str()))
}

/// Where the first secret begins in the text of a flag such as `--set a=1,db.password=x`.
pub fn secret_in_flag(text: &str) -> Option<usize> {
    let mut start = 0;
    for (end, _) in text.match_indices('=') {
        let key = text.get(start..end)?;
        if is_secret_name(key.rsplit(',').next().unwrap_or(key)) {
            return Some(end + 1);
        }
        start = end + 1;
    }
    // The name may appear inside a value, such as one in JSON.
    let is_inside = text.split(['=', ',', '{', '"', ':', ' ']).any(is_secret_name);
    let before = |sign: char| text.find(sign).map(|end| end + 1);
    is_inside.then(|| before('=').or_else(|| before('{')).unwrap_or(text.len()))
}

/// Where the credentials of the first address in text are: `user:password` in `https://user:password@host`. A
/// name alone counts as well: it may be a token.
pub fn credentials_in(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find("://") {
        let start = from + found + 3;
        let rest = text.get(start..)?;
        let is_end = |letter: char| letter.is_whitespace() || "/?#\"'`<>".contains(letter);
        let authority = rest.get(..rest.find(is_end).unwrap_or(rest.len()))?;
        match authority.rfind('@') {
            // `(@` opens the code of the text template of ytt.
            Some(at) if at > 0 && authority.get(..at) != Some("(") => return Some(start..start + at),
            _ => from = start,
        }
    }
    None
}

/// An address for a person's eyes: without a user name and password.
pub fn shown_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://…@{host}{after}"),
        None => url.to_owned(),
    }
}

/// Text without the credentials of addresses in it.
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(credentials) = credentials_in(rest) {
        shown.push_str(rest.get(..credentials.start).unwrap_or_default());
        shown.push('…');
        rest = rest.get(credentials.end..).unwrap_or_default();
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
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
    #[test]
    fn addresses_are_shown_without_their_users() {
        assert_eq!(shown_address("http://a@b:1/x@y"), "http://…@b:1/x@y");
        assert_eq!(shown_address("http://b/x@y"), "http://b/x@y");
    }

    #[test]
    fn credentials_of_addresses_are_not_shown() {
        for (text, shown) in [
            ("http://bob:s3cret@h/x", "http://…@h/x"),
            ("a https://b:c@d and `oci://e:f%zz@g h`", "a https://…@d and `oci://…@g h`"),
            ("http://bob:a@b@h", "http://…@h"),
            ("http://token@h:80/x:y@z", "http://…@h:80/x:y@z"),
            ("http://…@h", "http://…@h"),
            ("http://h:80/a@b", "http://h:80/a@b"),
            ("ask http://h or me@h", "ask http://h or me@h"),
            ("urn:a:b@c :// ://@", "urn:a:b@c :// ://@"),
        ] {
            assert_eq!(super::without_credentials(text), shown);
        }
    }

    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for secret in
            ["password", "dbPassword", "API_TOKEN", "api-token", "apiKey", "API_KEY", "private-keys"]
        {
            assert!(is_secret_name(secret), "{secret}");
        }
        for open in
            ["", "key", "primaryKey", "keyword", "tokenizer", "monkey", "compass", "name", "secretKeyRef"]
        {
            assert!(!is_secret_name(open), "{open}");
        }
        for misspelt in
            ["pasword", "passwrod", "dbPaswsord", "apssword", "REDIS_PASSWOR", "credentails", "pasphrase"]
        {
            assert!(is_secret_name(misspelt), "{misspelt}");
        }
        for other in ["passport", "wordpress", "essential", "phrase", "paste", "creditLimit", "pathname"] {
            assert!(!is_secret_name(other), "{other}");
        }
        assert!(!is_secret_name("secretName") && is_secret_name("nameOfSecret"));
        for about in [
            "imagePullSecrets",
            "imagePullSecret",
            "tokenExpirationSeconds",
            "existingSecret",
            "existingSecretPasswordKey",
            "password-file",
            "secretNames",
            "automountServiceAccountToken",
        ] {
            assert!(!is_secret_name(about), "{about}");
        }
    }

    #[test]
    fn a_flag_is_shown_up_to_its_secret() {
        for (text, shown) in [
            ("db.password=hunter2", Some("db.password=")),
            ("a=1,token=hunter2,b=2", Some("a=1,token=")),
            ("a=x=y,b.apiKey={a,b}", Some("a=x=y,b.apiKey=")),
            ("{\"a\": {\"token\": \"hunter2\"}}", Some("{")),
            ("a={\"token\": \"hunter2\"}", Some("a=")),
            ("token", Some("token")),
            ("password=hunter2,a=my-ref", Some("password=")),
            ("a=1", None),
        ] {
            assert_eq!(secret_in_flag(text).map(|end| &text[..end]), shown, "{text}");
        }
    }

    #[test]
    fn every_word_has_a_stem() {
        for word in super::WORDS {
            assert!(super::has_stem(word) && super::is_secret_name(&word.to_uppercase()), "{word}");
        }
    }
}
