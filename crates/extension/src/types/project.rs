//! Preparing projects.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::Optional;

/// Commands that prepare a new project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct ProjectInit {
    /// Whether the extension takes part.
    pub enabled: bool,
    /// The order among extensions; lower numbers go first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub priority: Optional<NonZeroU64>,
    /// The commands, in order.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub commands: Optional<Vec<InitCommand>>,
    /// What a project has once it is prepared; while all of it is there, nothing is done again.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub state_markers: Optional<Vec<StateMarker>>,
    /// How to find out that it worked.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub validation: Optional<InitValidation>,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InitCommand {
    /// The command line.
    pub command: String,
    /// What it does, for the user.
    pub description: String,
    /// The account that must be signed in first.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub requires_auth: Optional<RequiredAccount>,
    /// Whether it may be left out where its account is missing.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub conditional: Optional<bool>,
}

/// The account that must be signed in first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RequiredAccount {
    /// `anthropic`.
    Anthropic,
    /// `openai`.
    Openai,
    /// `github`.
    Github,
    /// `none`.
    None,
}

/// A file or directory that shows the state of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StateMarker {
    /// Where it is, relative to the project.
    pub path: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: MarkerKind,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarkerKind {
    /// `directory`.
    Directory,
    /// `file`.
    File,
    /// `symlink`.
    Symlink,
}

/// A command whose result shows that the preparation worked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InitValidation {
    /// The command line.
    pub command: String,
    /// A regular expression that what it prints must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_pattern: Option<String>,
    /// The exit code that it must have.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub expected_exit_code: Optional<i64>,
}

/// Text for a project's context file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProjectContext {
    /// Whether the text is added.
    pub enabled: bool,
    /// The text and where it goes.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub merge_file: Optional<MergeFile>,
}

/// A file of the extension that becomes part of a file of the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MergeFile {
    /// The file of the extension.
    pub source: String,
    /// The file of the project.
    pub target: String,
    /// How the one becomes part of the other.
    pub strategy: MergeStrategy,
}

/// How the one becomes part of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MergeStrategy {
    /// `append`.
    Append,
    /// `prepend`.
    Prepend,
    /// `merge`.
    Merge,
    /// `replace`.
    Replace,
    /// `append-if-missing`.
    AppendIfMissing,
}
