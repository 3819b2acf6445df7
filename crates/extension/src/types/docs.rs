//! Material for documentation, and deprecation.

use serde::{Deserialize, Serialize};

use super::Optional;

/// Material for the extension's page in the documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Documentation {
    /// The heading of the page.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub title: Optional<String>,
    /// What the extension is, in a paragraph or more.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub overview: Optional<String>,
    /// The day on which this material was last looked at.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub last_updated: Optional<String>,
    /// What it offers, one line each.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub features: Optional<Vec<String>>,
    /// How it is used, in sections.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub usage: Optional<Vec<UsageSection>>,
    /// Extensions that go with it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub related: Optional<Vec<RelatedExtension>>,
    /// What else a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// One section of examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UsageSection {
    /// Its heading.
    pub section: String,
    /// Its examples.
    pub examples: Vec<UsageExample>,
}

/// One example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UsageExample {
    /// What it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The code.
    pub code: String,
    /// The language of the code, for colouring.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub language: Optional<String>,
}

/// An extension that goes with this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RelatedExtension {
    /// Its name.
    pub name: String,
    /// How it goes with this one.
    pub description: String,
}

/// Says that the extension has had its day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Deprecation {
    /// Whether it has.
    pub deprecated: bool,
    /// The day since which it has.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub since: Optional<String>,
    /// The extension to use instead.
    pub successor: String,
    /// What its users should do.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub message: Optional<String>,
}
