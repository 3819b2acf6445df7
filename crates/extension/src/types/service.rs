//! Programs of an extension that keep running.

use std::num::{NonZeroU16, NonZeroU64};

use serde::{Deserialize, Serialize};

use super::Optional;

/// A program of the extension that keeps running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct Service {
    /// Whether it is started by itself.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub enabled: Optional<bool>,
    /// How it is started.
    pub start: ServiceStart,
    /// How it is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<ServiceStop>,
    /// How to find out that it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
    /// Environment variables that must be set for it to start.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub requires_env: Optional<Vec<String>>,
    /// The ports that it listens on.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub ports: Optional<Vec<Port>>,
}

/// How a service is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServiceStart {
    /// The command line.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub args: Optional<Vec<String>>,
    /// Where its process id is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pidfile: Option<String>,
    /// Where its output goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logfile: Option<String>,
}

/// How a service is stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServiceStop {
    /// The command line; without it, the process is asked to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Seconds after which it is killed.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub timeout: Optional<NonZeroU64>,
}

/// How to find out that a service is ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Readiness {
    /// A command line that succeeds once it is.
    pub check: String,
    /// Seconds to wait for it.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub timeout: Optional<NonZeroU64>,
}

/// One port that a service listens on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Port {
    /// The port inside the container.
    pub container_port: NonZeroU16,
    /// The port on the host.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub host_port: Optional<NonZeroU16>,
    /// What is spoken there.
    pub protocol: PortProtocol,
    /// A name for it: lowercase letters, digits and hyphens, beginning with a letter.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// An environment variable that chooses another port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_override: Option<String>,
    /// Whether a person can open it in a browser.
    #[serde(default, skip_serializing_if = "Optional::is_absent")]
    pub ui: Optional<bool>,
    /// The path to ask for the service's health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_path: Option<String>,
}

/// What is spoken there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PortProtocol {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// `tcp`.
    Tcp,
    /// `udp`.
    Udp,
}
