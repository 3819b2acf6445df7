//! The rules for names, labels and the like. Each check returns everything that is wrong with a string as facts, which
//! print as the server's messages; nothing if it is valid.

use std::borrow::Cow;
use std::fmt;

const LABEL_LENGTH: usize = 63;
const SUBDOMAIN_LENGTH: usize = 253;

const DNS_1123_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS_1123_SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS_1035_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

/// Whether a name is complete or a prefix to which something will be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameUse {
    /// The name itself.
    Whole,
    /// The prefix that a name is generated from.
    Prefix,
}

/// What a string should have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// A DNS label (RFC 1123).
    Label,
    /// A DNS subdomain (RFC 1123).
    Subdomain,
    /// A DNS label that begins with a letter (RFC 1035).
    OldLabel,
    /// A name after a prefix: the key of a label or annotation.
    KeyName,
    /// A whole qualified name.
    Key,
    /// The value of a label.
    LabelValue,
}

impl Syntax {
    /// The server's sentence, and what it says after the regular expression.
    fn sentence(self) -> (&'static str, &'static str) {
        match self {
            Syntax::Label => (
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
                 and end with an alphanumeric character",
                "",
            ),
            Syntax::Subdomain => (
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                 start and end with an alphanumeric character",
                "",
            ),
            Syntax::OldLabel => (
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                 character, and end with an alphanumeric character",
                "",
            ),
            Syntax::KeyName => (
                "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
                 character",
                "",
            ),
            Syntax::Key => (
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
                 an alphanumeric character",
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
            ),
            Syntax::LabelValue => (
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                 start and end with an alphanumeric character",
                "",
            ),
        }
    }

    /// The server's regular expression, and strings that match it.
    fn pattern(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Syntax::Label => (DNS_1123_LABEL, &["my-name", "123-abc"]),
            Syntax::Subdomain => (DNS_1123_SUBDOMAIN, &["example.com"]),
            Syntax::OldLabel => (DNS_1035_LABEL, &["my-name", "abc-123"]),
            Syntax::KeyName | Syntax::Key => (LABEL_KEY, &["MyName", "my.name", "123-abc"]),
            Syntax::LabelValue => (LABEL_VALUE, &["MyValue", "my_value", "12345"]),
        }
    }
}

/// The part of a name that something is wrong with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// What stands before its slash.
    Prefix,
    /// What stands after its slash.
    Name,
}

/// What can be wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It is longer than this.
    Long(usize),
    /// It is longer than this, in the newer words, which the server has for labels.
    LongInBytes(usize),
    /// It is not of this form.
    Form(Syntax),
    /// It holds dots.
    Dots,
    /// It is empty.
    Empty,
    /// It is this word, which means something else.
    Reserved(&'static str),
    /// It holds this text.
    Holds(&'static str),
    /// It is not the number of a port.
    Port,
}

/// What is wrong with a name. It prints as the server's sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NameProblem {
    /// The part that it is about.
    pub part: Part,
    /// What is wrong.
    pub fault: Fault,
}

impl From<Fault> for NameProblem {
    fn from(fault: Fault) -> Self {
        NameProblem { part: Part::Whole, fault }
    }
}

impl NameProblem {
    /// The server's sentence without what is for machines: the regular expression and examples for it.
    pub fn short(&self) -> String {
        match self.fault {
            Fault::Form(syntax) => format!("{}{}", self.part_words(), syntax.sentence().0),
            _ => self.to_string(),
        }
    }

    fn part_words(&self) -> &'static str {
        match self.part {
            Part::Whole => "",
            Part::Prefix => "prefix part ",
            Part::Name => "name part ",
        }
    }
}

impl fmt::Display for NameProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.part_words())?;
        match self.fault {
            Fault::Long(most) => write!(formatter, "must be no more than {most} characters"),
            Fault::LongInBytes(most) => write!(formatter, "must be no more than {most} bytes"),
            Fault::Form(syntax) => {
                let ((sentence, rest), (pattern, examples)) = (syntax.sentence(), syntax.pattern());
                write!(formatter, "{}{rest}", pattern_problem(sentence, pattern, examples))
            }
            Fault::Dots => formatter.write_str("must not contain dots"),
            Fault::Empty => formatter.write_str("must be non-empty"),
            Fault::Reserved(word) => write!(formatter, "may not be '{word}'"),
            Fault::Holds(part) => write!(formatter, "may not contain '{part}'"),
            Fault::Port => formatter.write_str("must be between 1 and 65535, inclusive"),
        }
    }
}

/// What is wrong with a DNS label (RFC 1123).
pub fn dns_1123_label(text: &str) -> Vec<NameProblem> {
    let mut problems = too_long(text, LABEL_LENGTH);
    if !is_dns_1123_label(text) {
        let is_domain = is_dns_1123_subdomain(text);
        problems.push(if is_domain { Fault::Dots } else { Fault::Form(Syntax::Label) }.into());
    }
    problems
}

/// What is wrong with a DNS subdomain (RFC 1123).
pub fn dns_1123_subdomain(text: &str) -> Vec<NameProblem> {
    let mut problems = too_long(text, SUBDOMAIN_LENGTH);
    if !is_dns_1123_subdomain(text) {
        problems.push(Fault::Form(Syntax::Subdomain).into());
    }
    problems
}

/// What is wrong with a DNS label (RFC 1035).
pub fn dns_1035_label(text: &str) -> Vec<NameProblem> {
    let mut problems = too_long(text, LABEL_LENGTH);
    if !(is_dns_1123_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase())) {
        problems.push(Fault::Form(Syntax::OldLabel).into());
    }
    problems
}

/// What is wrong with a name of an object that is a DNS subdomain.
pub fn object_name(name: &str, name_use: NameUse) -> Vec<NameProblem> {
    dns_1123_subdomain(&masked(name, name_use))
}

/// What is wrong with a name of an object that is a DNS label, such as that of a namespace.
pub fn label_object_name(name: &str, name_use: NameUse) -> Vec<NameProblem> {
    dns_1123_label(&masked(name, name_use))
}

/// What is wrong with a name of an object that is a DNS label (RFC 1035), such as that of a service.
pub fn dns_1035_object_name(name: &str, name_use: NameUse) -> Vec<NameProblem> {
    dns_1035_label(&masked(name, name_use))
}

/// What is wrong with a name that may be anything allowed between two slashes of a URL.
pub fn path_segment_name(name: &str, name_use: NameUse) -> Vec<NameProblem> {
    let reserved = [".", ".."].into_iter().find(|word| *word == name);
    if let Some(word) = reserved.filter(|_| name_use == NameUse::Whole) {
        return vec![Fault::Reserved(word).into()];
    }
    let parts = ["/", "%"].into_iter().filter(|part| name.contains(part));
    parts.map(|part| Fault::Holds(part).into()).collect()
}

/// What is wrong with a qualified name: the key of a label or annotation, or a finalizer.
pub fn qualified_name(text: &str) -> Vec<NameProblem> {
    let mut problems = Vec::new();
    let mut parts = text.split('/');
    let name = match (parts.next().unwrap_or_default(), parts.next(), parts.next()) {
        (name, None, _) => name,
        (prefix, Some(name), None) => {
            if prefix.is_empty() {
                problems.push(NameProblem { part: Part::Prefix, fault: Fault::Empty });
            } else {
                let of_prefix = dns_1123_subdomain(prefix).into_iter();
                problems.extend(of_prefix.map(|problem| NameProblem { part: Part::Prefix, ..problem }));
            }
            name
        }
        _ => return vec![Fault::Form(Syntax::Key).into()],
    };
    let of_name = |fault| NameProblem { part: Part::Name, fault };
    if name.is_empty() {
        problems.push(of_name(Fault::Empty));
    } else if name.len() > LABEL_LENGTH {
        problems.push(of_name(Fault::LongInBytes(LABEL_LENGTH)));
    }
    if !is_label_key(name) {
        problems.push(of_name(Fault::Form(Syntax::KeyName)));
    }
    problems
}

/// What is wrong with a label value.
pub fn label_value(text: &str) -> Vec<NameProblem> {
    let mut problems = Vec::new();
    if text.len() > LABEL_LENGTH {
        problems.push(Fault::LongInBytes(LABEL_LENGTH).into());
    }
    if !text.is_empty() && !is_label_key(text) {
        problems.push(Fault::Form(Syntax::LabelValue).into());
    }
    problems
}

/// What is wrong with a port number.
pub fn port(number: i64) -> Option<NameProblem> {
    (!(1..=65535).contains(&number)).then_some(Fault::Port.into())
}

/// The server's message for a string that does not match a pattern.
pub fn pattern_problem(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    match examples.is_empty() {
        true => format!("{rule} (regex used for validation is '{pattern}')"),
        false => format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or ")),
    }
}

fn too_long(text: &str, most: usize) -> Vec<NameProblem> {
    let problem = (text.len() > most).then_some(Fault::Long(most).into());
    problem.into_iter().collect()
}

/// A name is generated by appending to the prefix, so a dash at its end is allowed.
fn masked(name: &str, name_use: NameUse) -> Cow<'_, str> {
    match name.strip_suffix('-') {
        Some(start) if name_use == NameUse::Prefix && !start.is_empty() => Cow::Owned(format!("{start}a")),
        _ => Cow::Borrowed(name),
    }
}

fn is_dns_1123_label(text: &str) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    let bytes = text.as_bytes();
    bytes.iter().all(is_inner) && bytes.first().is_some_and(|byte| *byte != b'-') && !text.ends_with('-')
}

fn is_dns_1123_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns_1123_label)
}

fn is_label_key(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    bytes.iter().all(is_inner) && is_end(bytes.first()) && is_end(bytes.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        type Check = fn(&str) -> Vec<NameProblem>;
        let long = "a".repeat(64);
        // Each row: the check, the string, how many problems it has, and how the first one begins.
        let rows: &[(Check, &str, usize, &str)] = &[
            (dns_1123_label, "a-1", 0, ""),
            (dns_1123_label, "a.b", 1, "must not contain dots"),
            (dns_1123_label, "A", 1, "a lowercase RFC 1123 label must"),
            (dns_1123_label, "", 1, "a lowercase RFC 1123 label must"),
            (dns_1035_label, "1a", 1, "a DNS-1035 label must"),
            (dns_1035_label, &long, 1, "must be no more than 63 characters"),
            (dns_1123_subdomain, "a..b", 1, "a lowercase RFC 1123 subdomain must"),
            (qualified_name, "example.com/My.Name", 0, ""),
            (qualified_name, "/x", 1, "prefix part must be non-empty"),
            (qualified_name, "a/", 2, "name part must be non-empty"),
            (qualified_name, "a/b/c", 1, "a valid label key must consist of"),
            (label_value, "", 0, ""),
            (label_value, "-", 1, "a valid label must be an empty string or consist of"),
        ];
        for (check, text, count, first) in rows {
            let problems: Vec<String> = check(text).iter().map(NameProblem::to_string).collect();
            assert_eq!(problems.len(), *count, "{text}: {problems:?}");
            assert!(problems.first().is_none_or(|problem| problem.starts_with(first)), "{problems:?}");
        }
        assert!(object_name("a-", NameUse::Prefix).is_empty());
        assert_eq!(object_name("a-", NameUse::Whole).len(), 1);
        assert_eq!(
            path_segment_name("a/%", NameUse::Whole),
            [Fault::Holds("/").into(), Fault::Holds("%").into()] as [NameProblem; 2]
        );
        assert_eq!(
            dns_1035_label("A").iter().map(NameProblem::to_string).collect::<String>(),
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
        );
    }
}
