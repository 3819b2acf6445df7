//! Semantic versions as the server's library reads and orders them.

use std::cmp::Ordering;
use std::fmt;

use trueline_gostd::quote::quote;

/// A version.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    /// The numbers before, between and after the two dots.
    pub(crate) numbers: [u64; 3],
    before: Vec<Identifier>,
    build: Vec<String>,
}

/// A part of what makes a version an early one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Identifier {
    Number(u64),
    Text(String),
}

const NAMES: [&str; 3] = ["Major", "Minor", "Patch"];

impl Version {
    /// Reads a version, or says in the library's words why it is not one.
    pub(crate) fn parse(text: &str) -> Result<Version, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let [major_name, minor_name, patch_name] = NAMES;
        let major = number(major, major_name)?;
        let minor = number(minor, minor_name)?;
        let (rest, build) = cut(rest, '+');
        let (patch, before) = cut(rest, '-');
        let patch = number(patch, patch_name)?;
        let before = before.map_or_else(|| Ok(Vec::new()), |text| text.split('.').map(identifier).collect());
        let build = build.map_or_else(|| Ok(Vec::new()), |text| text.split('.').map(build_part).collect());
        Ok(Version { numbers: [major, minor, patch], before: before?, build: build? })
    }

    /// Reads a version that may begin with `v`, have zeros before its numbers, or have fewer than three of them.
    pub(crate) fn parse_normalized(text: &str) -> Result<Version, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Version::parse(&parts.join("."))
    }

    /// Which comes first. What follows a plus does not count.
    pub(crate) fn compare(&self, other: &Version) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.before.is_empty(), other.before.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    let pairs =
                        self.before.iter().zip(&other.before).map(|(left, right)| left.compare(right));
                    pairs
                        .fold(Ordering::Equal, Ordering::then)
                        .then(self.before.len().cmp(&other.before.len()))
                }
            }
        })
    }
}

impl Identifier {
    /// Numbers come before words.
    fn compare(&self, other: &Identifier) -> Ordering {
        match (self, other) {
            (Identifier::Number(left), Identifier::Number(right)) => left.cmp(right),
            (Identifier::Number(_), Identifier::Text(_)) => Ordering::Less,
            (Identifier::Text(_), Identifier::Number(_)) => Ordering::Greater,
            (Identifier::Text(left), Identifier::Text(right)) => left.cmp(right),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(formatter, "{major}.{minor}.{patch}")?;
        for (index, identifier) in self.before.iter().enumerate() {
            formatter.write_str(if index == 0 { "-" } else { "." })?;
            match identifier {
                Identifier::Number(number) => write!(formatter, "{number}")?,
                Identifier::Text(text) => formatter.write_str(text)?,
            }
        }
        for (index, part) in self.build.iter().enumerate() {
            formatter.write_str(if index == 0 { "+" } else { "." })?;
            formatter.write_str(part)?;
        }
        Ok(())
    }
}

fn cut(text: &str, sign: char) -> (&str, Option<&str>) {
    match text.split_once(sign) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// One of the three parts without zeros before its first other digit.
fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let rest = part.trim_start_matches('0');
    match rest.starts_with(|first: char| first.is_ascii_digit()) {
        true => rest.to_owned(),
        false => format!("0{rest}"),
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// What Go says of a number that does not fit, or of none at all.
fn read_number(digits: &str) -> Result<u64, String> {
    digits.parse().map_err(|_| {
        let words = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {words}", quote(digits))
    })
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    if !is_number(text) {
        let name = name.to_ascii_lowercase();
        return Err(format!("Invalid character(s) found in {name} number {}", quote(text)));
    }
    if has_leading_zeros(text) {
        return Err(format!("{name} number must not contain leading zeroes {}", quote(text)));
    }
    read_number(text)
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if is_number(text) {
        if has_leading_zeros(text) {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quote(text)
            ));
        }
        return read_number(text).map(Identifier::Number);
    }
    match is_identifier(text) {
        true => Ok(Identifier::Text(text.to_owned())),
        false => Err(format!("Invalid character(s) found in prerelease {}", quote(text))),
    }
}

fn build_part(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".to_owned());
    }
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("Invalid character(s) found in build meta data {}", quote(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered() {
        let versions = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-rc",
            "1.0.0",
            "1.10.0",
        ];
        for (left, right) in versions.iter().zip(versions.iter().skip(1)) {
            let (left, right) = (Version::parse(left).unwrap(), Version::parse(right).unwrap());
            assert_eq!(left.compare(&right), Ordering::Less, "{left} {right}");
            assert_eq!(right.compare(&left), Ordering::Greater, "{left} {right}");
        }
        let (left, right) = (Version::parse("1.0.0+a").unwrap(), Version::parse("1.0.0+b").unwrap());
        assert_eq!(left.compare(&right), Ordering::Equal);
        assert_eq!(Version::parse("1.2.3-a.0+b.01").unwrap().to_string(), "1.2.3-a.0+b.01");
    }

    #[test]
    fn versions_that_are_refused() {
        for (text, words) in [
            ("", "Version string empty"),
            ("1.2", "No Major.Minor.Patch elements found"),
            ("v1.2.3", "Invalid character(s) found in major number \"v1\""),
            ("1.02.3", "Minor number must not contain leading zeroes \"02\""),
            ("1..3", "strconv.ParseUint: parsing \"\": invalid syntax"),
            (
                "1.2.99999999999999999999",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
            ("1.2.3-", "Prerelease is empty"),
            ("1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""),
            ("1.2.3+", "Build meta data is empty"),
            ("1.2.3-a_b", "Invalid character(s) found in prerelease \"a_b\""),
        ] {
            assert_eq!(Version::parse(text).unwrap_err(), words, "{text}");
        }
    }

    #[test]
    fn short_versions_are_filled_up() {
        for (text, full) in
            [("v1", "1.0.0"), ("01.02", "1.2.0"), ("1.2.03-a", "1.2.3-a"), ("1.2.00-a", "1.2.0-a")]
        {
            assert_eq!(Version::parse_normalized(text).unwrap().to_string(), full, "{text}");
        }
        assert!(Version::parse_normalized("1.2-a").unwrap_err().starts_with("short version"));
        assert!(Version::parse_normalized("").is_err());
    }
}
