//! Codes: stable names of findings, each with the page that `explain` prints.

use std::fmt;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information only; never changes a verdict.
    Note,
    /// Worth fixing; fails the run only under `--strict`.
    Warning,
    /// The input is not valid.
    Error,
}

impl Severity {
    /// The word for it: `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A kind of finding: declared once, as a `static`, beside the check that makes it.
#[derive(Debug)]
pub struct Code {
    /// The stable id, such as `TL0105`; which is never reused.
    pub id: &'static str,
    /// The name in kebab case, such as `duplicate-key`.
    pub name: &'static str,
    /// The severity unless another was chosen.
    pub severity: Severity,
    /// One line: what it means.
    pub summary: &'static str,
    /// Why it matters and how to fix it, in Markdown paragraphs.
    pub explanation: &'static str,
    /// A short input with this problem; empty if an input cannot show it (a network failure, for example).
    pub wrong: &'static str,
    /// The same input, fixed.
    pub right: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id)
    }
}

/// All codes of the program, in order of their ids.
#[derive(Debug, Clone)]
pub struct Catalogue {
    codes: Vec<&'static Code>,
}

impl Catalogue {
    /// Joins the lists of several crates.
    pub fn new(lists: &[&[&'static Code]]) -> Self {
        let mut codes: Vec<&'static Code> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        codes.sort_by_key(|code| code.id);
        Catalogue { codes }
    }

    /// Looks a code up by its id (in any case) or its name.
    pub fn find(&self, name: &str) -> Option<&'static Code> {
        self.codes.iter().copied().find(|code| code.id.eq_ignore_ascii_case(name) || code.name == name)
    }

    /// All codes in order.
    pub fn codes(&self) -> &[&'static Code] {
        &self.codes
    }
}
