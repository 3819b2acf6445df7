//! Who logs in to a registry: the `config.json` of Helm and of Docker.

use std::fmt;

use serde_json::Value;
use trueline_gostd::base64::STANDARD;

/// A name and password, or a token.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    /// The name.
    pub username: String,
    /// The password.
    pub password: String,
    /// A token that others are had for.
    pub refresh_token: String,
    /// A token that is used as it is.
    pub access_token: String,
}

impl fmt::Debug for Credentials {
    /// That there are some, and nothing else.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credentials(…)")
    }
}

/// What a `config.json` knows about a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// Everything.
    Here(Credentials),
    /// A program that is to be asked: `docker-credential-` followed by this.
    Helper(String),
}

/// A `config.json`.
#[derive(Debug, Default)]
pub struct RegistryConfig(Value);

impl RegistryConfig {
    /// Reads the file; one that cannot be read knows nothing.
    pub fn read(bytes: &[u8]) -> Self {
        RegistryConfig(serde_json::from_slice(bytes).unwrap_or_default())
    }

    /// What it knows about a registry.
    pub fn get(&self, registry: &str) -> Option<Stored> {
        let key = match registry {
            "docker.io" | "registry-1.docker.io" => "https://index.docker.io/v1/",
            registry => registry,
        };
        let helper = |value: Option<&Value>| {
            let name = value?.as_str().filter(|name| !name.is_empty())?;
            // It becomes the name of a program.
            let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
            name.chars().all(is_plain).then(|| Stored::Helper(name.to_owned()))
        };
        if let Some(found) = helper(self.0.get("credHelpers").and_then(|helpers| helpers.get(key))) {
            return Some(found);
        }
        if let Some(found) = helper(self.0.get("credsStore")) {
            return Some(found);
        }
        let entries = self.0.get("auths")?.as_object()?;
        let entry = entries.get(key).or_else(|| {
            // Old files hold whole addresses.
            entries.iter().find(|(name, _)| host(name) == registry).map(|(_, entry)| entry)
        })?;
        credentials(entry).map(Stored::Here)
    }
}

fn credentials(entry: &Value) -> Option<Credentials> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut found = Credentials {
        username: text("username"),
        password: text("password"),
        refresh_token: text("identitytoken"),
        access_token: text("registrytoken"),
    };
    let auth = text("auth");
    if !auth.is_empty() {
        let decoded =
            STANDARD.decode(auth.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok())?;
        let (username, password) = decoded.split_once(':')?;
        found.username = username.to_owned();
        found.password = password.trim_end_matches('\0').to_owned();
    }
    (found != Credentials::default()).then_some(found)
}

fn host(address: &str) -> &str {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    address.split('/').next().unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_found_by_their_registry() {
        let config = RegistryConfig::read(
            br#"{"auths": {
                "a.example": {"auth": "bWU6cHc6eA=="},
                "https://b.example/v1/": {"username": "me", "password": "pw"},
                "c.example": {"identitytoken": "t"},
                "d.example": {},
                "e.example": {"auth": "!!"},
                "https://index.docker.io/v1/": {"registrytoken": "r"}},
               "credHelpers": {"h.example": "pass", "i.example": "../evil"}}"#,
        );
        let here = |username: &str, password: &str| {
            let (username, password) = (username.to_owned(), password.to_owned());
            Some(Stored::Here(Credentials { username, password, ..Credentials::default() }))
        };
        assert_eq!(config.get("a.example"), here("me", "pw:x"));
        assert_eq!(config.get("b.example"), here("me", "pw"));
        assert!(matches!(config.get("c.example"), Some(Stored::Here(found)) if found.refresh_token == "t"));
        assert!(matches!(config.get("docker.io"), Some(Stored::Here(found)) if found.access_token == "r"));
        assert_eq!(config.get("h.example"), Some(Stored::Helper("pass".to_owned())));
        for registry in ["d.example", "e.example", "i.example", "z.example"] {
            assert_eq!(config.get(registry), None, "{registry}");
        }
        assert_eq!(RegistryConfig::read(b"junk").get("a.example"), None);
        assert!(!format!("{:?}", config.get("a.example")).contains("pw"));
    }
}
