//! Codes: stable names of findings, each with the page that `explain` prints.

use std::fmt;

use crate::{Diagnostic, RuleInfo, nearest};

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

/// What a person names kinds of findings by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// All findings of a code.
    Code(&'static Code),
    /// The findings about one rule.
    Rule(&'static RuleInfo),
}

impl Named {
    /// The id of the code, or the name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Named::Code(code) => code.id,
            Named::Rule(rule) => rule.name,
        }
    }

    /// The code, or that of the rule.
    pub fn code(self) -> &'static Code {
        match self {
            Named::Code(code) => code,
            Named::Rule(rule) => rule.code,
        }
    }

    /// Whether a finding is one of them.
    pub fn covers(self, finding: &Diagnostic) -> bool {
        match self {
            Named::Code(code) => finding.code == code,
            Named::Rule(rule) => finding.rule == Some(rule),
        }
    }
}

/// All codes of the program, in order of their ids, and all rules, in order of their names.
#[derive(Debug, Clone)]
pub struct Catalogue {
    codes: Vec<&'static Code>,
    rules: Vec<&'static RuleInfo>,
}

impl Catalogue {
    /// Joins the lists of several crates.
    pub fn new(lists: &[&[&'static Code]]) -> Self {
        let mut codes: Vec<&'static Code> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        codes.sort_by_key(|code| code.id);
        Catalogue { codes, rules: Vec::new() }
    }

    /// Adds the rules that findings name.
    pub fn with_rules(mut self, mut rules: Vec<&'static RuleInfo>) -> Self {
        rules.sort_by_key(|rule| rule.name);
        self.rules = rules;
        self
    }

    /// Looks up what a person calls a kind of finding by: a code by its id or its name, or a rule by its name.
    pub fn named(&self, name: &str) -> Option<Named> {
        let rule = || self.rules.iter().copied().find(|rule| rule.name.eq_ignore_ascii_case(name));
        self.find(name).map(Named::Code).or_else(|| rule().map(Named::Rule))
    }

    /// The name that is nearest to one that does not exist. The ids of codes are left out: the next one is another code.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        let rules = self.rules.iter().map(|rule| rule.name);
        nearest(name, self.codes.iter().map(|code| code.name).chain(rules))
    }

    /// All rules in order.
    pub fn rules(&self) -> &[&'static RuleInfo] {
        &self.rules
    }

    /// The rules of a code.
    pub fn rules_of(&self, code: &Code) -> impl Iterator<Item = &'static RuleInfo> {
        self.rules.iter().copied().filter(move |rule| rule.code == code)
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
