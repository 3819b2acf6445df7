//! Constraints on versions: what each operator accepts, and why a version is refused.

use std::fmt;

use super::{Version, compare_prereleases, take, take_after_dot, take_identifiers};
use trueline_gotemplate::fmt::quote as quoted;

/// The longest constraint that is accepted.
const MAX_CONSTRAINT_LENGTH: usize = 512;

/// The most alternatives one constraint may have.
const MAX_ALTERNATIVES: usize = 32;

/// Alternatives, each a list of conditions that must all hold.
#[derive(Debug, Clone)]
pub struct Constraints {
    alternatives: Vec<Vec<Condition>>,
}

/// Whether a prerelease may satisfy a constraint that does not name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prereleases {
    /// Only if the alternative itself names a prerelease.
    Named,
    /// Always.
    Included,
}

/// One operator with its version.
#[derive(Debug, Clone)]
struct Condition {
    operator: Operator,
    operator_text: &'static str,
    version: Version,
    /// The version as written in the constraint.
    written: String,
    wildcard: Wildcard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

/// The first segment of a version that is left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wildcard {
    None,
    Patch,
    Minor,
    Major,
}

/// The spellings of operators, longer ones before their prefixes.
const OPERATORS: &[(&str, Operator)] = &[
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
    ("", Operator::Equal),
];

impl Constraints {
    /// Reads a constraint.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        if text.len() > MAX_CONSTRAINT_LENGTH {
            return Err(ConstraintError::TooLong);
        }
        let text = rewrite_ranges(text);
        if text.split("||").count() > MAX_ALTERNATIVES {
            return Err(ConstraintError::TooManyGroups);
        }
        let alternatives = text.split("||").map(conditions).collect::<Result<_, _>>()?;
        Ok(Self { alternatives })
    }

    /// Whether a version satisfies the constraint.
    pub fn check(&self, version: &Version, prereleases: Prereleases) -> bool {
        self.alternatives.iter().any(|conditions| {
            let including = includes_prereleases(conditions, prereleases);
            conditions.iter().all(|condition| condition.check(version, including).is_ok())
        })
    }

    /// Whether a version satisfies the constraint, with the reasons if it does not.
    pub fn validate(&self, version: &Version, prereleases: Prereleases) -> Result<(), Vec<String>> {
        let mut reasons = Vec::new();
        let mut prerelease_refused = false;
        for conditions in &self.alternatives {
            let including = includes_prereleases(conditions, prereleases);
            let mut satisfied = true;
            for condition in conditions {
                let Err(reason) = condition.check(version, including) else { continue };
                satisfied = false;
                // The message about prereleases appears once for the whole constraint.
                let refused = !including && !version.prerelease.is_empty();
                if !(refused && prerelease_refused) {
                    reasons.push(reason);
                }
                prerelease_refused |= refused;
            }
            if satisfied {
                return Ok(());
            }
        }
        Err(reasons)
    }
}

/// Why a string is no constraint. It prints in the words of the Go library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConstraintError {
    /// There is too much of it.
    TooLong,
    /// It has too many alternatives.
    TooManyGroups,
    /// An alternative is not written as they are.
    Improper(String),
    /// A version in it cannot be read.
    NotAVersion,
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstraintError::TooLong => {
                write!(formatter, "constraint string is too long (max {MAX_CONSTRAINT_LENGTH} bytes)")
            }
            ConstraintError::TooManyGroups => {
                write!(formatter, "too many constraint groups (max {MAX_ALTERNATIVES})")
            }
            ConstraintError::Improper(text) => write!(formatter, "improper constraint: {}", quoted(text)),
            ConstraintError::NotAVersion => formatter.write_str("constraint parser error"),
        }
    }
}

impl std::error::Error for ConstraintError {}

impl fmt::Display for Constraints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, conditions) in self.alternatives.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" || ")?;
            }
            for (index, condition) in conditions.iter().enumerate() {
                let space = if index > 0 { " " } else { "" };
                write!(formatter, "{space}{}{}", condition.operator_text, condition.written)?;
            }
        }
        Ok(())
    }
}

/// One condition that names a prerelease allows prereleases in its whole alternative.
fn includes_prereleases(conditions: &[Condition], prereleases: Prereleases) -> bool {
    prereleases == Prereleases::Included
        || conditions.iter().any(|condition| !condition.version.prerelease.is_empty())
}

impl Condition {
    fn check(&self, version: &Version, including_prereleases: bool) -> Result<(), String> {
        if !version.prerelease.is_empty() && !including_prereleases {
            return Err(format!(
                "\"{version}\" is a prerelease version and the constraint is only looking for release versions"
            ));
        }
        match self.operator {
            Operator::Equal if self.wildcard != Wildcard::None => self.check_tilde(version),
            Operator::Equal => self.hold(*version == self.version, version, "is not equal to"),
            Operator::NotEqual => self.hold(self.differs(version), version, "is equal to"),
            Operator::Greater => self.hold(self.is_below(version), version, "is less than or equal to"),
            Operator::Less => self.hold(*version < self.version, version, "is greater than or equal to"),
            Operator::GreaterOrEqual => self.hold(*version >= self.version, version, "is less than"),
            Operator::LessOrEqual => self.hold(self.reaches(version), version, "is greater than"),
            Operator::Tilde => self.check_tilde(version),
            Operator::Caret => self.check_caret(version),
        }
    }

    fn hold(&self, holds: bool, version: &Version, otherwise: &str) -> Result<(), String> {
        if holds { Ok(()) } else { Err(format!("\"{version}\" {otherwise} {}", quoted(&self.written))) }
    }

    fn differs(&self, version: &Version) -> bool {
        let own = &self.version;
        if self.wildcard == Wildcard::None {
            return *version != *own;
        }
        if own.major != version.major {
            return true;
        }
        match self.wildcard {
            Wildcard::Minor => false,
            _ if own.minor != version.minor => true,
            Wildcard::Patch => {
                (!version.prerelease.is_empty() || !own.prerelease.is_empty())
                    && compare_prereleases(&version.prerelease, &own.prerelease).is_ne()
            }
            Wildcard::None | Wildcard::Major => own.patch != version.patch || *version != *own,
        }
    }

    /// Whether a version is above everything that the condition's version covers.
    fn is_below(&self, version: &Version) -> bool {
        let own = &self.version;
        match self.wildcard {
            Wildcard::None => version > own,
            _ if version.major != own.major => version.major > own.major,
            Wildcard::Minor => false,
            Wildcard::Patch => version.minor > own.minor,
            Wildcard::Major => version > own,
        }
    }

    /// Whether a version is at most the last one that the condition's version covers.
    fn reaches(&self, version: &Version) -> bool {
        let own = &self.version;
        if self.wildcard == Wildcard::None {
            return version <= own;
        }
        let above_minor = version.major == own.major && version.minor > own.minor;
        version.major <= own.major && !(above_minor && self.wildcard != Wildcard::Minor)
    }

    fn check_tilde(&self, version: &Version) -> Result<(), String> {
        let own = &self.version;
        self.hold(*version >= *own, version, "is less than")?;
        let open_above_zero = !matches!(self.wildcard, Wildcard::Minor | Wildcard::Patch);
        if (own.major, own.minor, own.patch) == (0, 0, 0) && open_above_zero {
            return Ok(());
        }
        self.hold(version.major == own.major, version, "does not have same major version as")?;
        let minor_fits = version.minor == own.minor || self.wildcard == Wildcard::Minor;
        self.hold(minor_fits, version, "does not have same major and minor version as")
    }

    fn check_caret(&self, version: &Version) -> Result<(), String> {
        let own = &self.version;
        self.hold(*version >= *own, version, "is less than")?;
        self.hold(version.major == own.major, version, "does not have same major version as")?;
        if own.major > 0 || self.wildcard == Wildcard::Minor {
            return Ok(());
        }
        let same_minor = version.minor == own.minor;
        if own.minor > 0 || self.wildcard == Wildcard::Patch {
            return self.hold(same_minor, version, "does not have same minor version as").map_err(|reason| {
                format!("{reason}. Expected minor versions to match when constraint major version is 0")
            });
        }
        self.hold(same_minor, version, "does not have same minor version as")?;
        self.hold(version.patch == own.patch, version, "does not equal").map_err(|reason| {
            format!("{reason}. Expect version and constraint to equal when major and minor versions are 0")
        })
    }
}

/// The parts of a version in a constraint, where any number may be a wildcard.
struct Pattern<'a> {
    whole: &'a str,
    major: &'a str,
    minor: Option<&'a str>,
    patch: Option<&'a str>,
    prerelease: Option<&'a str>,
}

/// Numbers and wildcards; the bar is in the set because of a bug in the library and fails later.
fn is_pattern_byte(byte: &u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

fn is_wildcard(text: &str) -> bool {
    matches!(text, "x" | "X" | "*")
}

fn take_pattern(text: &str) -> Option<(Pattern<'_>, &str)> {
    let (major, rest) = take(text.strip_prefix('v').unwrap_or(text), is_pattern_byte)?;
    let (minor, rest) = take_after_dot(rest, is_pattern_byte);
    let (patch, rest) = if minor.is_some() { take_after_dot(rest, is_pattern_byte) } else { (None, rest) };
    let (prerelease, rest) = take_identifiers(rest, '-');
    let (_, rest) = take_identifiers(rest, '+');
    let whole = text.get(..text.len() - rest.len())?;
    Some((Pattern { whole, major, minor, patch, prerelease }, rest))
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' '])
}

/// The conditions of one alternative, separated by spaces or commas.
fn conditions(text: &str) -> Result<Vec<Condition>, ConstraintError> {
    let improper = || ConstraintError::Improper(text.to_owned());
    let mut conditions = Vec::new();
    let mut rest = skip_space(text);
    loop {
        let (operator_text, operator) = OPERATORS
            .iter()
            .find(|(spelling, _)| rest.starts_with(spelling))
            .copied()
            .ok_or_else(improper)?;
        let after = skip_space(rest.get(operator_text.len()..).unwrap_or_default());
        let (pattern, after) = take_pattern(after).ok_or_else(improper)?;
        conditions.push((operator_text, operator, pattern));
        let next = skip_space(after);
        if next.is_empty() {
            break;
        }
        rest = match next.strip_prefix(',') {
            Some(next) => skip_space(next),
            None if next.len() < after.len() => next,
            None => return Err(improper()),
        };
    }
    conditions
        .into_iter()
        .map(|(operator_text, operator, pattern)| condition(operator_text, operator, &pattern))
        .collect()
}

fn condition(
    operator_text: &'static str,
    operator: Operator,
    pattern: &Pattern<'_>,
) -> Result<Condition, ConstraintError> {
    let suffix = pattern.prerelease.map(|text| format!("-{text}")).unwrap_or_default();
    let major = pattern.major;
    let (wildcard, text) = match (pattern.minor, pattern.patch) {
        _ if is_wildcard(major) => (Wildcard::Major, format!("0.0.0{suffix}")),
        (None, _) => (Wildcard::Minor, format!("{major}.0.0{suffix}")),
        (Some(minor), _) if is_wildcard(minor) => (Wildcard::Minor, format!("{major}.0.0{suffix}")),
        (Some(minor), None) => (Wildcard::Patch, format!("{major}.{minor}.0{suffix}")),
        (Some(minor), Some(patch)) if is_wildcard(patch) => {
            (Wildcard::Patch, format!("{major}.{minor}.0{suffix}"))
        }
        _ => (Wildcard::None, pattern.whole.to_owned()),
    };
    let version = Version::parse(&text).map_err(|_| ConstraintError::NotAVersion)?;
    Ok(Condition { operator, operator_text, version, written: pattern.whole.to_owned(), wildcard })
}

/// Turns each `a - b` into two comparisons. Each is replaced at the first occurrence of its text, which need
/// not be where it was found.
fn rewrite_ranges(text: &str) -> String {
    let mut rewritten = text.to_owned();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match take_range(rest) {
            Some((from, to, after)) => {
                let found = rest.get(..rest.len() - after.len()).unwrap_or_default();
                rewritten = rewritten.replacen(found, &format!(">= {from}, <= {to} "), 1);
                rest = after;
            }
            None => rest = rest.get(first.len_utf8()..).unwrap_or_default(),
        }
    }
    rewritten
}

fn take_range(text: &str) -> Option<(&str, &str, &str)> {
    let (from, after) = take_pattern(skip_space(text))?;
    let dash = skip_space(after);
    let behind = dash.strip_prefix('-').filter(|_| dash.len() < after.len())?;
    let second = skip_space(behind);
    let (to, after) = take_pattern(second).filter(|_| second.len() < behind.len())?;
    Some((from.whole, to.whole, skip_space(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraint: &str, version: &str) -> Result<bool, ConstraintError> {
        let version = Version::parse(version).unwrap();
        let constraints = Constraints::parse(constraint)?;
        let checked = constraints.check(&version, Prereleases::Named);
        assert_eq!(constraints.validate(&version, Prereleases::Named).is_ok(), checked, "{constraint}");
        Ok(checked)
    }

    #[test]
    fn checks() {
        for (constraint, accepted, refused) in [
            ("1.2.3", "1.2.3", "1.2.4"),
            ("=1.2", "1.2.9", "1.3.0"),
            ("*", "4.5.6", "1.0.0-rc.1"),
            ("*-beta", "1.0.0-rc.1", "0.0.0-alpha"),
            ("!=1.2.3", "1.2.4", "1.2.3"),
            ("!=1.x", "2.0.0", "1.4.0"),
            ("!=1.2.x", "1.3.0", "1.2.7"),
            (">1", "2.0.0", "1.9.0"),
            (">1.2", "1.3.0", "1.2.9"),
            ("=>1.2.3", "1.2.3", "1.2.2"),
            (">=1.2-0", "1.2.0-alpha", "1.1.9"),
            ("<2", "1.9.9", "2.0.0"),
            ("<=2", "2.9.9", "3.0.0"),
            ("=<2.1", "2.1.9", "2.2.0"),
            ("~1", "1.9.0", "2.0.0"),
            ("~>1.2.3", "1.2.9", "1.3.0"),
            ("~0.0.0", "9.9.9", "0.0.0-a"),
            ("^1.2.3", "1.9.0", "2.0.0"),
            ("^0.2.3", "0.2.9", "0.3.0"),
            ("^0.0.3", "0.0.3", "0.0.4"),
            ("^0.0", "0.0.9", "0.1.0"),
            ("^0", "0.9.0", "1.0.0"),
            ("^*", "0.0.0", "1.0.0"),
            ("1.2 - 1.4.5", "1.4.5", "1.4.6"),
            (">=1.0, <2 || >=3 <4", "3.5.0", "2.5.0"),
            (" >= 1.2.3 , != 1.2.4 ", "1.2.5", "1.2.4"),
            ("v1.2.x", "1.2.0", "1.3.0"),
        ] {
            assert_eq!(check(constraint, accepted), Ok(true), "{constraint} with {accepted}");
            assert_eq!(check(constraint, refused), Ok(false), "{constraint} with {refused}");
        }
    }

    #[test]
    fn errors() {
        for (constraint, expected) in [
            ("", "improper constraint: \"\""),
            ("foo", "improper constraint: \"foo\""),
            (">= 1.2.3 a", "improper constraint: \">= 1.2.3 a\""),
            ("1.2.3>2", "improper constraint: \"1.2.3>2\""),
            ("1.2.3 || ||", "improper constraint: \" \""),
            ("1.2.3.4", "improper constraint: \"1.2.3.4\""),
            (">>1", "improper constraint: \">>1\""),
            ("1.2.3,", "improper constraint: \"1.2.3,\""),
            ("1|2", "constraint parser error"),
            ("xx", "constraint parser error"),
        ] {
            assert_eq!(check(constraint, "1.2.3").unwrap_err().to_string(), expected, "{constraint}");
        }
        assert_eq!(Constraints::parse(&"1".repeat(513)).unwrap_err(), ConstraintError::TooLong);
        assert_eq!(Constraints::parse(&"1||".repeat(40)).unwrap_err(), ConstraintError::TooManyGroups);
    }

    #[test]
    fn reasons() {
        let reasons = |constraint: &str, version: &str| {
            Constraints::parse(constraint)
                .unwrap()
                .validate(&Version::parse(version).unwrap(), Prereleases::Named)
                .unwrap_err()
        };
        assert_eq!(
            reasons("< 1.2.3, >= 2 || ^0.2.3", "v1.5"),
            [
                "\"1.5.0\" is greater than or equal to \"1.2.3\"",
                "\"1.5.0\" is less than \"2\"",
                "\"1.5.0\" does not have same major version as \"0.2.3\"",
            ]
        );
        assert_eq!(
            reasons(">1, <9 || >10", "2.0.0-a"),
            ["\"2.0.0-a\" is a prerelease version and the constraint is only looking for release versions"]
        );
        assert_eq!(
            reasons("^0.0.3", "0.0.4"),
            [
                "\"0.0.4\" does not equal \"0.0.3\". Expect version and constraint to equal when major and minor \
                 versions are 0"
            ]
        );
    }

    #[test]
    fn text() {
        let constraints = Constraints::parse("1.2 - 3,!=2.x||  ~> 4").unwrap();
        assert_eq!(constraints.to_string(), ">=1.2 <=3 !=2.x || ~>4");
    }
}
