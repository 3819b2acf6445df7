//! References such as `registry.example/charts/web:1.2.3`.

use std::fmt;

use crate::refusal::{Refusal, RefusalKind};
use trueline_gostd::url::Url;
use trueline_gotemplate::fmt::quote;

/// A chart, or all its versions, in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reference {
    /// The registry: a host, optionally with a port.
    pub registry: String,
    /// The path of the chart there.
    pub repository: String,
    /// The tag, in which `_` stands for the `+` of versions; empty where none is given.
    pub tag: String,
    /// The digest; empty where none is given.
    pub digest: String,
}

impl Reference {
    /// Reads a reference, with or without `oci://`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.strip_prefix(super::SCHEME).unwrap_or(text);
        let (text, digest) = text.rsplit_once('@').unwrap_or((text, ""));
        let Some((registry, path)) = text.split_once('/') else {
            return Err(RefusalKind::Syntax.of("invalid reference: missing registry or repository"));
        };
        let (repository, tag) = path.split_once(':').unwrap_or((path, ""));
        let reference = Reference {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            tag: tag.replace('+', "_"),
            digest: digest.to_owned(),
        };
        let wrong = |what: &str, text: &str| {
            Err(RefusalKind::Syntax.of(format!("invalid reference: invalid {what} {}", quote(text))))
        };
        if !is_registry(registry) {
            return wrong("registry", registry);
        }
        if !is_repository(repository) {
            return wrong("repository", repository);
        }
        if path.contains(':') && !is_tag(&reference.tag) {
            return wrong("tag", &reference.tag);
        }
        Ok(reference)
    }

    /// The host that is asked.
    pub fn host(&self) -> &str {
        match self.registry.as_str() {
            "docker.io" => "registry-1.docker.io",
            registry => registry,
        }
    }

    /// What the manifest is asked for by.
    pub fn wanted(&self) -> &str {
        if self.tag.is_empty() { &self.digest } else { &self.tag }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reference { registry, repository, tag, digest } = self;
        match (tag.as_str(), digest.as_str()) {
            ("", "") => write!(formatter, "{registry}/{repository}"),
            ("", digest) => write!(formatter, "{registry}/{repository}@{digest}"),
            (tag, _) => write!(formatter, "{registry}/{repository}:{tag}"),
        }
    }
}

fn is_registry(text: &str) -> bool {
    !text.is_empty()
        && Url::parse(format!("dummy://{text}").as_bytes())
            .is_ok_and(|url| url.host == text.as_bytes() && url.user.is_none())
}

/// Parts of small letters and digits, with one of `.`, `_`, `__` or any number of `-` between them.
fn is_repository(text: &str) -> bool {
    text.split('/').all(|part| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = part.as_bytes();
        let ends_plain = bytes.first().is_some_and(|byte| is_plain(*byte))
            && bytes.last().is_some_and(|byte| is_plain(*byte));
        let is_separator = |run: &str| {
            run.is_empty() || matches!(run, "." | "_" | "__") || run.bytes().all(|byte| byte == b'-')
        };
        ends_plain
            && part
                .split(|character: char| is_plain(character as u8) && character.is_ascii())
                .all(is_separator)
    })
}

fn is_tag(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.len() <= 128
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_taken_apart() {
        for (text, registry, repository, tag, digest, shown) in [
            ("oci://r.example/charts/web", "r.example", "charts/web", "", "", "r.example/charts/web"),
            ("r.example:5000/web:1.2.3", "r.example:5000", "web", "1.2.3", "", "r.example:5000/web:1.2.3"),
            ("r.example/web:1.0.0+a", "r.example", "web", "1.0.0_a", "", "r.example/web:1.0.0_a"),
            ("r.example/web@sha256:00", "r.example", "web", "", "sha256:00", "r.example/web@sha256:00"),
            ("r.example/a.b/c__d/e--f", "r.example", "a.b/c__d/e--f", "", "", "r.example/a.b/c__d/e--f"),
        ] {
            let reference = Reference::parse(text).unwrap();
            assert_eq!(
                (reference.registry.as_str(), reference.repository.as_str()),
                (registry, repository),
                "{text}"
            );
            assert_eq!((reference.tag.as_str(), reference.digest.as_str()), (tag, digest), "{text}");
            assert_eq!(reference.to_string(), shown);
        }
        assert_eq!(Reference::parse("docker.io/x/y").unwrap().host(), "registry-1.docker.io");
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for (text, error) in [
            ("oci://r.example", "missing registry or repository"),
            ("/web", "invalid registry \"\""),
            ("me@r.example/web", "missing registry or repository"),
            ("r.example/Web", "invalid repository \"Web\""),
            ("r.example/a//b", "invalid repository \"a//b\""),
            ("r.example/a..b", "invalid repository \"a..b\""),
            ("r.example/-a", "invalid repository \"-a\""),
            ("r.example/é", "invalid repository \"é\""),
            ("r.example/web:", "invalid tag \"\""),
            ("r.example/web:a/b", "invalid tag \"a/b\""),
        ] {
            let wanted = format!("invalid reference: {error}");
            match Reference::parse(text) {
                Err(found) => assert_eq!(found.to_string(), wanted, "{text}"),
                // A name before the registry makes the rest look like a digest, and then no registry is left.
                Ok(reference) => panic!("{text}: {reference:?}"),
            }
        }
    }
}
