//! Ways to sign in.

use serde::{Deserialize, Serialize};

use super::Optional;

/// The account of one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// Whose account it is.
    pub provider: AuthProvider,
    /// Whether the extension is of no use without it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub required: Optional<bool>,
    /// The ways to sign in that are supported.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub methods: Optional<Vec<AuthMethod>>,
    /// Environment variables that hold the key.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub env_vars: Optional<Vec<String>>,
    /// How to find out that the account works.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub validator: Optional<AuthValidator>,
    /// What needs the key and what does not.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub features: Optional<Vec<AuthFeature>>,
}

/// Whose account it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AuthProvider {
    /// `anthropic`.
    Anthropic,
    /// `openai`.
    Openai,
    /// `github`.
    Github,
    /// `custom`.
    Custom,
}

/// A key in the environment, or the sign-in of a command-line tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AuthMethod {
    /// `api-key`.
    ApiKey,
    /// `cli-auth`.
    CliAuth,
}

/// A command that succeeds when the account works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthValidator {
    /// The command line.
    pub command: String,
    /// The exit code that it must have.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub expected_exit_code: Optional<i64>,
}

/// One feature and whether it needs the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthFeature {
    /// Its name.
    pub name: String,
    /// Whether it needs the key.
    pub requires_api_key: bool,
    /// What it does.
    pub description: String,
}

/// One way to sign in; its `type` says which, and what else is needed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum AuthenticationMethod {
    /// A key in an environment variable.
    ApiKey {
        /// The environment variable, in capital letters.
        env_var: String,
        /// What it is for, for the user.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        description: Optional<String>,
        /// Whether the extension is of no use without it.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        required: Optional<bool>,
    },
    /// The sign-in of a command-line tool.
    CliAuth {
        /// The program to sign in with.
        command: String,
        /// What it is for, for the user.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        description: Optional<String>,
        /// Whether the extension is of no use without it.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        required: Optional<bool>,
    },
    /// A token in an environment variable.
    Token {
        /// The environment variable, in capital letters.
        env_var: String,
        /// What it is for, for the user.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        description: Optional<String>,
        /// Whether the extension is of no use without it.
        #[serde(default, skip_serializing_if = "Optional::is_absent")]
        required: Optional<bool>,
    },
}
