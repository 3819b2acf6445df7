//! Which patterns the engine supports. It runs in linear time, so no document and no schema can make a match
//! take forever; in exchange it supports neither look-around nor backreferences.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::Span;

/// How large a compiled pattern may be, in bytes.
pub(crate) const SIZE: usize = 4 << 20;
/// How large the table used to match a pattern may grow, in bytes.
pub(crate) const TABLE: usize = 4 << 20;

/// An unsupported pattern.
pub static BAD_PATTERN: Code = Code {
    id: "TL0243",
    name: "schema-pattern",
    severity: Severity::Error,
    summary: "A pattern of a schema is invalid or not supported",
    explanation: "Patterns are matched by an engine whose running time grows only with the length of the string, \
                  so no document can make a check hang. It supports all regular expressions except look-ahead \
                  `(?=…)`, `(?!…)`, look-behind `(?<=…)`, `(?<!…)` and backreferences such as `\\1`; Helm's engine \
                  refuses the same ones. Patterns that become very large when they are expanded, such as nested \
                  repetitions with high counts, are refused too.\n\nMost look-aheads can be written as several \
                  rules: `allOf` with one `pattern` each, or `not` with the pattern that must not match.",
    wrong: "{\"pattern\": \"^(?!internal-)[a-z-]+$\"}",
    right: "{\"pattern\": \"^[a-z-]+$\", \"not\": {\"pattern\": \"^internal-\"}}",
};

/// What is wrong with a pattern, if anything is.
pub(crate) fn check(pattern: &str, span: Span) -> Option<Diagnostic> {
    let translated = jsonschema_regex::to_rust_regex(pattern).ok();
    let compiled = translated
        .map(|pattern| regex::RegexBuilder::new(&pattern).size_limit(SIZE).dfa_size_limit(TABLE).build());
    let (message, help) = match compiled {
        Some(Ok(_)) => return None,
        Some(Err(regex::Error::CompiledTooBig(_))) => (
            "this pattern is too large when its repetitions are expanded",
            "use smaller counts, or `maxLength`",
        ),
        _ if looks_around(pattern) => (
            "this pattern uses look-around, which is not supported",
            "split it into several rules with `allOf` and `not`",
        ),
        _ if refers_back(pattern) => {
            ("this pattern uses a backreference, which is not supported", "list the alternatives with `|`")
        }
        _ => ("this is not a valid regular expression", "a `\\`, a bracket or a repetition is out of place"),
    };
    Some(Diagnostic::new(&BAD_PATTERN, span, message).help(help).level(Level::Schema))
}

fn looks_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|group| pattern.contains(group))
}

fn refers_back(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter == '\\' && letters.next().is_some_and(|next| next == 'k' || ('1'..='9').contains(&next)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceId;

    use super::*;

    #[test]
    fn patterns_are_accepted_or_refused_with_a_reason() {
        for (pattern, words) in [
            ("^[a-z]+\\d{1,3}$", ""),
            ("\\p{L}+", ""),
            ("[\\w-]+", ""),
            ("^(?!x)", "uses look-around"),
            ("(?<=a)b", "uses look-around"),
            ("(a)\\1", "backreference"),
            ("\\\\1", ""),
            ("[a", "not a valid regular expression"),
            ("a**", ""),
            ("*a", "not a valid regular expression"),
            ("((a{1000}){1000}){1000}", "too large"),
        ] {
            let finding = check(pattern, Span::whole(SourceId::from_index(0)));
            let message = finding.map(|finding| finding.message).unwrap_or_default();
            assert!(
                message.contains(words) && message.is_empty() == words.is_empty(),
                "{pattern}: {message}"
            );
        }
    }
}
