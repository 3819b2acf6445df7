//! Names and passwords on their way to a server.

use trueline_gostd::base64::STANDARD;
use trueline_gostd::url::Url;

/// The value of an `Authorization` header.
pub fn basic(username: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{username}:{password}").as_bytes()))
}

/// The address without the name and password that stand in it, and those.
pub fn split_user(address: &str) -> (String, Option<(String, String)>) {
    let Ok(mut url) = Url::parse(address.as_bytes()) else { return (address.to_owned(), None) };
    let Some(user) = url.user.take() else { return (address.to_owned(), None) };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let password = user.password.as_deref().map(text).unwrap_or_default();
    (text(&url.text()), Some((text(&user.name), password)))
}

/// Whether two addresses are of the same server: scheme, host and port.
pub fn same_server(one: &str, other: &str) -> bool {
    match (Url::parse(one.as_bytes()), Url::parse(other.as_bytes())) {
        (Ok(one), Ok(other)) => one.scheme == other.scheme && one.host == other.host,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_passwords_are_encoded_and_taken_out() {
        assert_eq!(basic("me", "pw"), "Basic bWU6cHc=");
        assert_eq!(
            split_user("https://me:p%40w@x.example/a?b"),
            ("https://x.example/a?b".to_owned(), Some(("me".to_owned(), "p@w".to_owned())))
        );
        assert_eq!(split_user("https://x.example/a"), ("https://x.example/a".to_owned(), None));
        assert!(same_server("https://x.example/a", "https://x.example/b"));
        assert!(!same_server("https://x.example", "http://x.example"));
        assert!(!same_server("https://x.example", "https://x.example:8443"));
    }
}
