//! The head of an object: what it says it is, and what it is called.

use std::fmt;

use trueline_kube::manifest::Object as Manifest;
use trueline_source::Span;
use trueline_yaml::NodeRef;

/// What an object says it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Type {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Type {
    /// What an object says it is.
    pub(super) fn of(object: &Manifest<'_>) -> Self {
        let (group, version) = object.group_and_version();
        Type { group: group.to_owned(), version: version.to_owned(), kind: object.kind.to_owned() }
    }

    /// `Kind`, or `group/version/Kind`, as `--skip` takes it.
    pub(super) fn is_named(&self, name: &str) -> bool {
        match name.rsplit_once('/') {
            None => self.kind == name,
            Some((api_version, kind)) => self.kind == kind && self.api_version() == api_version,
        }
    }

    pub(super) fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.kind, self.api_version())
    }
}

/// What an object says it is, and what it is called.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) of: Type,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    /// Where its kind was typed.
    pub(crate) place: Span,
}

impl Head {
    /// The head of an object that says what it is, or is an item of a list that does.
    pub(crate) fn of(object: &Manifest<'_>) -> Option<Self> {
        if !has_head(object) {
            return None;
        }
        let text = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
        Some(Head {
            of: Type::of(object),
            namespace: text(object.namespace),
            name: text(object.name),
            place: object.node.get("kind").unwrap_or(object.node).span(),
        })
    }
}

/// Whether an object says what it is, or is an item of a list that does.
pub(super) fn has_head(object: &Manifest<'_>) -> bool {
    !object.api_version.is_empty() && !object.kind.is_empty()
}

/// Whether an object defines a kind.
pub(crate) fn is_definition(root: NodeRef<'_>) -> bool {
    let text = |key: &str| root.get(key).and_then(NodeRef::as_str).unwrap_or_default();
    text("kind") == "CustomResourceDefinition" && text("apiVersion").starts_with("apiextensions.k8s.io/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_with_or_without_their_group() {
        let kind = |group: &str| Type {
            group: group.to_owned(),
            version: "v1".to_owned(),
            kind: "Backup".to_owned(),
        };
        assert!(kind("example.com").is_named("Backup"));
        assert!(kind("example.com").is_named("example.com/v1/Backup"));
        assert!(!kind("example.com").is_named("v1/Backup"));
        assert!(kind("").is_named("v1/Backup"));
        assert_eq!(kind("example.com").to_string(), "Backup (example.com/v1)");
    }
}
