//! Why a run cannot begin.

use std::fmt;

use trueline_extension::RegistryError;
use trueline_source::LoadError;

use crate::kubernetes::{Location, LocationError};

/// Why what is asked for cannot even be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// The working directory cannot be used; what the system says.
    WorkingDirectory(String),
    /// Standard input is an input twice.
    InputTwice,
    /// A configuration cannot be read.
    Configuration(LoadError),
    /// A configuration is a directory or a device; its name.
    ConfigurationIsNoFile(String),
    /// A configuration is not UTF-8; its name.
    ConfigurationIsNoText(String),
    /// The registry of extensions cannot be used.
    Registry(RegistryError),
    /// The directory with schemas for extensions cannot be used.
    SchemaDirectory(LoadError),
    /// A location of schemas cannot be used.
    SchemaLocation {
        /// What was typed.
        typed: String,
        /// What is wrong with it.
        error: LocationError,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::WorkingDirectory(why) => {
                write!(formatter, "the working directory cannot be used: {why}")
            }
            OpenError::InputTwice => {
                formatter.write_str("standard input is named twice, but can be read only once")
            }
            OpenError::Configuration(error) => error.fmt(formatter),
            OpenError::ConfigurationIsNoFile(name) => write!(formatter, "`{name}` is not a file"),
            OpenError::ConfigurationIsNoText(name) => write!(formatter, "`{name}` is not UTF-8 text"),
            OpenError::Registry(error) => write!(formatter, "the registry cannot be used: {error}"),
            OpenError::SchemaDirectory(error) => {
                write!(formatter, "the directory of `--schema-dir` cannot be used: {error}")
            }
            OpenError::SchemaLocation { typed, error } => {
                let (words, help) = (error.short(), Location::HELP);
                write!(formatter, "`--schema-location {typed}` cannot be used: {words}; {help}")
            }
        }
    }
}

impl std::error::Error for OpenError {}
