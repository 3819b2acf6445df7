//! What a check of objects is asked for.

use std::fmt;
use std::str::FromStr;

/// A minor version of Kubernetes, such as 1.31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KubeVersion {
    /// The number after `1.`
    pub minor: u16,
}

impl KubeVersion {
    /// The version whose rules for CRDs are followed where none is asked for.
    pub const CRD_RULES: KubeVersion = KubeVersion { minor: 35 };
}

impl FromStr for KubeVersion {
    type Err = String;

    /// Reads `1.31`, with or without a `v` before it and a patch or a vendor's suffix after it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not a version of Kubernetes such as 1.35");
        let rest = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.").ok_or_else(wrong)?;
        let digits = rest.len() - rest.trim_start_matches(|character: char| character.is_ascii_digit()).len();
        let (minor, suffix) = rest.split_at(digits);
        let is_sound = suffix.is_empty() || suffix.starts_with(['.', '-', '+']);
        let minor = minor.parse().ok().filter(|_| is_sound).ok_or_else(wrong)?;
        Ok(KubeVersion { minor })
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "1.{}", self.minor)
    }
}

/// What becomes of fields that are not known or are there twice, as kubectl has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldValidation {
    /// They are errors.
    #[default]
    Strict,
    /// They are warnings.
    Warn,
    /// Nothing is said of them.
    Ignore,
}

impl FieldValidation {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("strict", Self::Strict), ("warn", Self::Warn), ("ignore", Self::Ignore)];
}

impl FromStr for FieldValidation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found
            .map(|(_, validation)| validation)
            .ok_or_else(|| format!("`{text}` is not strict, warn or ignore"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for text in ["1.31", "v1.31", "1.31.4", "v1.31.4-gke.100", "1.31+"] {
            assert_eq!(text.parse(), Ok(KubeVersion { minor: 31 }), "{text}");
        }
        for text in ["", "1", "2.1", "1.", "1.x", "1.31x", "1.99999999"] {
            assert!(text.parse::<KubeVersion>().is_err(), "{text}");
        }
    }
}
