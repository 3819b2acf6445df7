//! Versions and constraints by the rules of the Go library that Helm uses: a lenient and a strict parser, its
//! order, and its messages.

mod constraint;

use std::cmp::Ordering;
use std::fmt;

pub use constraint::{Constraints, Prereleases};

/// The longest version that is accepted.
const MAX_VERSION_LENGTH: usize = 256;

/// Why a string is not a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionError {
    /// It does not have the form of a version.
    Invalid,
    /// It is empty.
    Empty,
    /// A segment contains something other than digits.
    InvalidCharacters,
    /// A number starts with a zero.
    SegmentStartsZero,
    /// The part after `+` is not well formed.
    InvalidMetadata,
    /// The part after `-` is not well formed.
    InvalidPrerelease,
    /// It is longer than the limit.
    TooLong,
    /// A number that does not fit; the lenient parser names the segment.
    OutOfRange {
        /// The digits as written.
        digits: String,
        /// The prefix of the message.
        prefix: &'static str,
    },
}

impl fmt::Display for VersionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => formatter.write_str("invalid semantic version"),
            Self::Empty => formatter.write_str("version string empty"),
            Self::InvalidCharacters => formatter.write_str("invalid characters in version"),
            Self::SegmentStartsZero => formatter.write_str("version segment starts with 0"),
            Self::InvalidMetadata => formatter.write_str("invalid metadata string"),
            Self::InvalidPrerelease => formatter.write_str("invalid prerelease string"),
            Self::TooLong => {
                write!(formatter, "version string is too long (max {MAX_VERSION_LENGTH} bytes)")
            }
            Self::OutOfRange { digits, prefix } => {
                write!(formatter, "{prefix}strconv.ParseUint: parsing \"{digits}\": value out of range")
            }
        }
    }
}

impl std::error::Error for VersionError {}

/// A semantic version. Equality and order ignore the metadata and how the version was written.
#[derive(Debug, Clone)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    prerelease: String,
    metadata: String,
    original: String,
}

impl Version {
    /// A version from its parts, which are not checked.
    pub fn new(major: u64, minor: u64, patch: u64, prerelease: &str, metadata: &str) -> Self {
        let mut version = Self {
            major,
            minor,
            patch,
            prerelease: prerelease.to_owned(),
            metadata: metadata.to_owned(),
            original: String::new(),
        };
        version.original = version.to_string();
        version
    }

    /// Parses a version leniently: a leading `v`, missing minor and patch, and leading zeros are accepted.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > MAX_VERSION_LENGTH {
            return Err(VersionError::TooLong);
        }
        let rest = text.strip_prefix('v').unwrap_or(text);
        let (major, rest) = take(rest, u8::is_ascii_digit).ok_or(VersionError::Invalid)?;
        let (minor, rest) = take_after_dot(rest, u8::is_ascii_digit);
        let (patch, rest) =
            if minor.is_some() { take_after_dot(rest, u8::is_ascii_digit) } else { (None, rest) };
        let (prerelease, rest) = take_identifiers(rest, '-');
        let (metadata, rest) = take_identifiers(rest, '+');
        if !rest.is_empty() {
            return Err(VersionError::Invalid);
        }
        let prefix = "error parsing version segment: ";
        let version = Self {
            major: number(major, prefix)?,
            minor: minor.map_or(Ok(0), |digits| number(digits, prefix))?,
            patch: patch.map_or(Ok(0), |digits| number(digits, prefix))?,
            prerelease: prerelease.unwrap_or_default().to_owned(),
            metadata: metadata.unwrap_or_default().to_owned(),
            original: text.to_owned(),
        };
        if !version.prerelease.is_empty() {
            check_prerelease(&version.prerelease)?;
        }
        Ok(version)
    }

    /// Parses a version strictly by the specification.
    pub fn parse_strict(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return Err(VersionError::Empty);
        }
        if text.len() > MAX_VERSION_LENGTH {
            return Err(VersionError::TooLong);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(VersionError::Invalid);
        };
        let (rest, metadata) = match rest.split_once('+') {
            Some((rest, metadata)) => {
                check_metadata(metadata)?;
                (rest, metadata)
            }
            None => (rest, ""),
        };
        let (patch, prerelease) = match rest.split_once('-') {
            Some((patch, prerelease)) => {
                check_prerelease(prerelease)?;
                (patch, prerelease)
            }
            None => (rest, ""),
        };
        for part in [major, minor, patch] {
            if !is_numeric(part) {
                return Err(VersionError::InvalidCharacters);
            }
            if part.len() > 1 && part.starts_with('0') {
                return Err(VersionError::SegmentStartsZero);
            }
        }
        // An empty segment passes the checks above and is then refused as a number.
        let segment = |digits: &str| match digits {
            "" => Err(VersionError::InvalidCharacters),
            digits => number(digits, ""),
        };
        Ok(Self {
            major: segment(major)?,
            minor: segment(minor)?,
            patch: segment(patch)?,
            prerelease: prerelease.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// What follows `-`, without it.
    pub fn prerelease(&self) -> &str {
        &self.prerelease
    }

    /// What follows `+`, without it.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The original string.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The next patch version; for a prerelease, its release. `None` if the number overflows.
    pub fn next_patch(&self) -> Option<Self> {
        let patch = if self.prerelease.is_empty() { self.patch.checked_add(1)? } else { self.patch };
        Some(self.followed_by(self.major, self.minor, patch))
    }

    /// The next minor version. `None` if the number overflows.
    pub fn next_minor(&self) -> Option<Self> {
        Some(self.followed_by(self.major, self.minor.checked_add(1)?, 0))
    }

    /// The next major version. `None` if the number overflows.
    pub fn next_major(&self) -> Option<Self> {
        Some(self.followed_by(self.major.checked_add(1)?, 0, 0))
    }

    /// The same version with another prerelease.
    pub fn with_prerelease(&self, prerelease: &str) -> Result<Self, VersionError> {
        if !prerelease.is_empty() {
            check_prerelease(prerelease)?;
        }
        let changed = Self { prerelease: prerelease.to_owned(), ..self.clone() };
        Ok(Self { original: self.written(&changed), ..changed })
    }

    /// The same version with other metadata.
    pub fn with_metadata(&self, metadata: &str) -> Result<Self, VersionError> {
        if !metadata.is_empty() {
            check_metadata(metadata)?;
        }
        let changed = Self { metadata: metadata.to_owned(), ..self.clone() };
        Ok(Self { original: self.written(&changed), ..changed })
    }

    fn followed_by(&self, major: u64, minor: u64, patch: u64) -> Self {
        let next = Self::new(major, minor, patch, "", "");
        Self { original: self.written(&next), ..next }
    }

    /// The string of another version, with a leading `v` if this one has it.
    fn written(&self, other: &Self) -> String {
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        format!("{prefix}{other}")
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(formatter, "-{}", self.prerelease)?;
        }
        if !self.metadata.is_empty() {
            write!(formatter, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch)).then_with(
            || match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_prereleases(&self.prerelease, &other.prerelease),
            },
        )
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

/// Orders two prereleases part by part; a missing part comes first, a number before a word.
fn compare_prereleases(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let (one, other) = (left.next(), right.next());
        if one.is_none() && other.is_none() {
            return Ordering::Equal;
        }
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        if one == other {
            continue;
        }
        if one.is_empty() {
            return Ordering::Less;
        }
        if other.is_empty() {
            return Ordering::Greater;
        }
        return match (prerelease_number(one), prerelease_number(other)) {
            (None, None) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            // For two spellings of one number the result is always "smaller", as in the library.
            (Some(one), Some(other)) if one > other => Ordering::Greater,
            (Some(_), Some(_)) => Ordering::Less,
        };
    }
}

/// A part as a number; one too large for 64 bits counts as a word.
fn prerelease_number(part: &str) -> Option<u64> {
    if is_numeric(part) { part.parse().ok() } else { None }
}

fn is_numeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_identifier_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'-'
}

fn check_prerelease(text: &str) -> Result<(), VersionError> {
    for part in text.split('.') {
        if part.is_empty() {
            return Err(VersionError::InvalidPrerelease);
        }
        if is_numeric(part) {
            if part.len() > 1 && part.starts_with('0') {
                return Err(VersionError::SegmentStartsZero);
            }
        } else if !part.bytes().all(|byte| is_identifier_byte(&byte)) {
            return Err(VersionError::InvalidPrerelease);
        }
    }
    Ok(())
}

fn check_metadata(text: &str) -> Result<(), VersionError> {
    let valid = |part: &str| !part.is_empty() && part.bytes().all(|byte| is_identifier_byte(&byte));
    if text.split('.').all(valid) { Ok(()) } else { Err(VersionError::InvalidMetadata) }
}

fn number(digits: &str, prefix: &'static str) -> Result<u64, VersionError> {
    digits.parse().map_err(|_| VersionError::OutOfRange { digits: digits.to_owned(), prefix })
}

/// The longest run of accepted bytes (at least one) at the start of the text, and what follows.
fn take(text: &str, accepted: impl Fn(&u8) -> bool) -> Option<(&str, &str)> {
    let length = text.bytes().take_while(|byte| accepted(byte)).count();
    if length == 0 { None } else { text.split_at_checked(length) }
}

fn take_after_dot(text: &str, accepted: impl Fn(&u8) -> bool) -> (Option<&str>, &str) {
    match text.strip_prefix('.').and_then(|rest| take(rest, accepted)) {
        Some((taken, rest)) => (Some(taken), rest),
        None => (None, text),
    }
}

/// Dot-separated identifiers after a mark, as far as they go.
fn take_identifiers(text: &str, mark: char) -> (Option<&str>, &str) {
    let Some(after) = text.strip_prefix(mark) else { return (None, text) };
    let Some((_, mut rest)) = take(after, is_identifier_byte) else { return (None, text) };
    while let (Some(_), next) = take_after_dot(rest, is_identifier_byte) {
        rest = next;
    }
    (after.get(..after.len() - rest.len()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenient_versions() {
        for (text, expected) in [
            ("1.2.3", "1.2.3"),
            ("v1.2.3", "1.2.3"),
            ("1", "1.0.0"),
            ("v1.2", "1.2.0"),
            ("01.02.03", "1.2.3"),
            ("1.2-beta.5", "1.2.0-beta.5"),
            ("1.2.3-alpha.01x+build.01", "1.2.3-alpha.01x+build.01"),
            ("1.2.0-x.Y.0+metadata-width-hypen", "1.2.0-x.Y.0+metadata-width-hypen"),
            ("", "invalid semantic version"),
            ("V1.2.3", "invalid semantic version"),
            ("1.2.3.4", "invalid semantic version"),
            ("1.2.3-", "invalid semantic version"),
            ("1.2.3+", "invalid semantic version"),
            ("1..3", "invalid semantic version"),
            ("foo", "invalid semantic version"),
            ("1.2.3 ", "invalid semantic version"),
            ("1.2.3-01", "version segment starts with 0"),
            (
                "20221209123456789012345",
                "error parsing version segment: strconv.ParseUint: parsing \"20221209123456789012345\": value out of range",
            ),
        ] {
            let actual = Version::parse(text).map_or_else(|error| error.to_string(), |v| v.to_string());
            assert_eq!(actual, expected, "{text}");
        }
        assert_eq!(
            Version::parse(&"1".repeat(257)).unwrap_err().to_string(),
            "version string is too long (max 256 bytes)"
        );
    }

    #[test]
    fn strict_versions() {
        for (text, expected) in [
            ("1.2.3-a.b+c.d", "1.2.3-a.b+c.d"),
            ("", "version string empty"),
            ("1.2", "invalid semantic version"),
            ("v1.2.3", "invalid characters in version"),
            ("01.2.3", "version segment starts with 0"),
            ("1.2.3-", "invalid prerelease string"),
            ("1.2.3-01", "version segment starts with 0"),
            ("1.2.3+", "invalid metadata string"),
            ("1.2.3+a_b", "invalid metadata string"),
            ("1.2.3.4", "invalid characters in version"),
        ] {
            let actual =
                Version::parse_strict(text).map_or_else(|error| error.to_string(), |v| v.to_string());
            assert_eq!(actual, expected, "{text}");
        }
    }

    #[test]
    fn order() {
        let sorted = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1-x",
            "1.1.0",
            "2.0.0",
            "10.0.0",
        ];
        for (index, text) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                let (one, two) = (Version::parse(text).unwrap(), Version::parse(other).unwrap());
                assert_eq!(one.cmp(&two), index.cmp(&other_index), "{text} against {other}");
            }
        }
        assert_eq!(Version::parse("1.0.0+a").unwrap(), Version::parse("v1.0+b").unwrap());
    }

    #[test]
    fn derived_versions() {
        let version = Version::parse("v1.2.3-rc.1+b").unwrap();
        assert_eq!(version.next_patch().unwrap().original(), "v1.2.3");
        assert_eq!(version.next_minor().unwrap().original(), "v1.3.0");
        assert_eq!(version.next_major().unwrap().to_string(), "2.0.0");
        assert_eq!(version.with_prerelease("").unwrap().original(), "v1.2.3+b");
        assert_eq!(version.with_metadata("x.y").unwrap().to_string(), "1.2.3-rc.1+x.y");
        assert_eq!(version.with_prerelease("a..b").unwrap_err(), VersionError::InvalidPrerelease);
        let last = Version::new(u64::MAX, u64::MAX, u64::MAX, "", "");
        assert!(last.next_patch().is_none() && last.next_minor().is_none() && last.next_major().is_none());
    }
}
