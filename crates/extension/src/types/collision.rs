//! What to do where a project already has what an extension would write.

use serde::{Deserialize, Serialize};

use super::Optional;

/// What to do where a project already has what the extension would write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct CollisionHandling {
    /// Whether collisions are looked for.
    pub enabled: bool,
    /// What to do, path by path.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub conflict_rules: Optional<Vec<ConflictRule>>,
    /// How to tell which version a project was prepared with.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub version_markers: Optional<Vec<VersionMarker>>,
    /// What to do when one version meets another.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub scenarios: Optional<Vec<Scenario>>,
}

/// What to do with one path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct ConflictRule {
    /// The path in the project.
    pub path: String,
    /// What the path is.
    #[serde(rename = "type")]
    pub kind: ConflictPathKind,
    /// What to do if it is already there.
    pub on_conflict: OnConflict,
}

/// What the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictPathKind {
    /// `file`.
    File,
    /// `directory`.
    Directory,
}

/// What to do with something that is already there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct OnConflict {
    /// The action.
    pub action: ConflictAction,
    /// Text to put between old and new when they are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// What a backup's name ends in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup_suffix: Option<String>,
    /// Whether a backup is made before merging.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub backup: Optional<bool>,
    /// The choices that the user is given.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub prompt_options: Optional<Vec<PromptOption>>,
}

/// The action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictAction {
    /// `overwrite`.
    Overwrite,
    /// `append`.
    Append,
    /// `prepend`.
    Prepend,
    /// `merge-json`.
    MergeJson,
    /// `merge-yaml`.
    MergeYaml,
    /// `backup`.
    Backup,
    /// `backup-and-replace`.
    BackupAndReplace,
    /// `merge`.
    Merge,
    /// `prompt`.
    Prompt,
    /// `prompt-per-file`.
    PromptPerFile,
    /// `skip`.
    Skip,
}

/// A choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PromptOption {
    /// `merge`.
    Merge,
    /// `overwrite`.
    Overwrite,
    /// `skip`.
    Skip,
    /// `backup`.
    Backup,
}

/// Something in a project that tells a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionMarker {
    /// The path in the project.
    pub path: String,
    /// What the path is.
    #[serde(rename = "type")]
    pub kind: VersionMarkerKind,
    /// The version that it tells.
    pub version: String,
    /// How to look.
    pub detection: Detection,
}

/// What the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VersionMarkerKind {
    /// `file`.
    File,
    /// `directory`.
    Directory,
    /// `symlink`.
    Symlink,
}

/// How to look for a version marker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Detection {
    /// What to look at: that it exists, or what is in it.
    pub method: DetectionMethod,
    /// For `content-match`: regular expressions.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub patterns: Optional<Vec<String>>,
    /// Whether one matching pattern is enough.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub match_any: Optional<bool>,
    /// Paths whose presence rules the marker out.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub exclude_if: Optional<Vec<String>>,
}

/// What to look at: that it exists, or what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DetectionMethod {
    /// `file-exists`.
    FileExists,
    /// `directory-exists`.
    DirectoryExists,
    /// `content-match`.
    ContentMatch,
}

/// What to do when one version meets another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Scenario {
    /// A name for it.
    pub name: String,
    /// The version found in the project.
    pub detected_version: String,
    /// The version being installed.
    pub installing_version: String,
    /// What to do.
    pub action: ScenarioAction,
    /// The message for the user.
    pub message: String,
    /// For `prompt`: the choices.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub options: Optional<Vec<ScenarioOption>>,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioAction {
    /// `stop`.
    Stop,
    /// `skip`.
    Skip,
    /// `proceed`.
    Proceed,
    /// `backup`.
    Backup,
    /// `prompt`.
    Prompt,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct ScenarioOption {
    /// What the user reads.
    pub label: String,
    /// What is then done.
    pub action: ScenarioChoice,
    /// What the backup's name ends in; `{timestamp}` stands for the time.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub backup_suffix: Optional<String>,
}

/// What is then done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioChoice {
    /// `skip`.
    Skip,
    /// `backup`.
    Backup,
    /// `merge`.
    Merge,
}
