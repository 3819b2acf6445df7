//! `format`: the string does not have its format.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::Words;
use crate::Violation;

/// The string does not have its format.
pub(crate) static WRONG_FORMAT: Code = Code {
    id: "TL0210",
    name: "wrong-format",
    severity: Severity::Error,
    summary: "A string does not have the format of its field",
    explanation: "The schema says which format a string has (`format`): a date, a time, a URI, a host name, an \
                  e-mail or network address, and so on. The message shows an example.",
    wrong: "docs:\n  last-updated: 31.01.2026\n",
    right: "docs:\n  last-updated: \"2026-01-31\"\n",
};

/// The name of a format, and an example.
const FORMATS: &[(&str, &str, &str)] = &[
    ("date", "a date", "2026-01-31"),
    ("date-time", "a date with a time", "2026-01-31T09:30:00Z"),
    ("time", "a time of day with a zone", "09:30:00Z"),
    ("duration", "a duration", "P1DT12H"),
    ("email", "an e-mail address", "ada@example.com"),
    ("idn-email", "an e-mail address", "ada@example.com"),
    ("hostname", "a host name", "www.example.com"),
    ("idn-hostname", "a host name", "www.example.com"),
    ("ipv4", "an IPv4 address", "192.0.2.1"),
    ("ip-address", "an IPv4 address", "192.0.2.1"),
    ("ipv6", "an IPv6 address", "2001:db8::1"),
    ("uri", "a URI with its scheme", "https://example.com/path"),
    ("uri-reference", "a URI or a relative reference", "../path?query"),
    ("iri", "an IRI with its scheme", "https://example.com/päth"),
    ("iri-reference", "an IRI or a relative reference", "../päth"),
    ("uri-template", "a URI template", "https://example.com/{id}"),
    ("uuid", "a UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("json-pointer", "a JSON pointer", "/metadata/name"),
    ("relative-json-pointer", "a relative JSON pointer", "1/name"),
    ("regex", "a regular expression", "^[a-z]+$"),
    ("color", "a colour", "#1a2b3c"),
    ("semver", "a semantic version", "1.2.3"),
];

/// What a string of a format is called.
pub(crate) fn noun(format: &str) -> Option<&'static str> {
    FORMATS.iter().find(|(name, ..)| *name == format).map(|(_, noun, _)| *noun)
}

pub(crate) fn word(words: &Words<'_>, violation: &Violation) -> Diagnostic {
    let format = match &*violation.want {
        Value::String(name) => name.as_str(),
        _ => "",
    };
    let expected = match FORMATS.iter().find(|(name, ..)| *name == format) {
        Some((_, noun, example)) => format!("{noun} such as {example}"),
        None => format!("a string of the format `{format}`"),
    };
    let subject = words.subject(violation);
    let message = match words.excerpt(violation) {
        Some(excerpt) if format == "date" && words.got(violation).as_str().is_some_and(looks_like_date) => {
            format!("{subject} is {excerpt}, a day that does not exist")
        }
        Some(excerpt) => format!("{subject} is {excerpt}, which is not {expected}"),
        None => format!("{subject} is not {expected}"),
    };
    let diagnostic = Diagnostic::new(&WRONG_FORMAT, words.place(violation), message);
    let diagnostic = match FORMATS.iter().find(|(name, ..)| *name == format) {
        Some((_, noun, _)) => diagnostic.label(format!("expected {noun}")),
        None => diagnostic.label(format!("expected {expected}")),
    };
    // The most common mistake: an address as browsers show it.
    match words.got(violation).as_ref() {
        Value::String(text)
            if matches!(format, "uri" | "iri") && text.contains('.') && !text.contains(':') =>
        {
            diagnostic.help("begin it with its scheme, such as `https://`")
        }
        _ => diagnostic,
    }
}

fn looks_like_date(text: &str) -> bool {
    let digits =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split('-').collect::<Vec<_>>().as_slice() {
        [year, month, day] => digits(year, 4) && digits(month, 2) && digits(day, 2),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_of_the_drafts_has_words() {
        for format in [
            "date",
            "date-time",
            "time",
            "duration",
            "email",
            "idn-email",
            "hostname",
            "idn-hostname",
            "ipv4",
            "ipv6",
            "uri",
            "uri-reference",
            "iri",
            "iri-reference",
            "uuid",
            "uri-template",
            "json-pointer",
            "relative-json-pointer",
            "regex",
        ] {
            assert!(noun(format).is_some(), "{format}");
        }
    }
}
