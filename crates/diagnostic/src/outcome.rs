//! What a run found, grouped by what it checked.

use crate::{Diagnostic, Severity};

/// One thing that was checked: a manifest, a chart, a file.
#[derive(Debug, Clone, Default)]
pub struct Unit {
    /// Its name: the path as the user would type it.
    pub name: String,
    /// Its detected type, such as `extension`.
    pub kind: &'static str,
    /// What was found in it, in order of place.
    pub findings: Vec<Diagnostic>,
    /// How many more findings it has that no report lists.
    pub unshown: Counts,
    /// Why it was not checked, if it was skipped.
    pub skipped: Option<String>,
    /// The parts of it that were skipped although the rest was checked.
    pub left_out: Vec<LeftOut>,
}

/// Which units a report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// All of them.
    All,
    /// Only those with something to report; the others are counted.
    Telling,
}

/// How many findings there are of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Those of severity error.
    pub errors: u32,
    /// Those of severity warning.
    pub warnings: u32,
    /// Those of severity note.
    pub notes: u32,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, severity: Severity) {
        self.add_many(severity, 1);
    }

    /// Counts a finding, with the further findings it represents.
    pub fn add_finding(&mut self, finding: &Diagnostic) {
        self.add_many(finding.severity, finding.more.saturating_add(1));
    }

    fn add_many(&mut self, severity: Severity, many: u32) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        };
        *count = count.saturating_add(many);
    }

    /// The sum of both.
    pub fn and(self, other: Counts) -> Counts {
        Counts {
            errors: self.errors.saturating_add(other.errors),
            warnings: self.warnings.saturating_add(other.warnings),
            notes: self.notes.saturating_add(other.notes),
        }
    }

    /// How many there are of a severity.
    pub fn of(self, severity: Severity) -> u32 {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
            Severity::Note => self.notes,
        }
    }

    /// How many there are of all severities.
    pub fn all(self) -> usize {
        [self.errors, self.warnings, self.notes].iter().map(|&count| count as usize).sum()
    }
}

/// A part of a unit that was not checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The part, such as `Backup.example.com`.
    pub what: String,
    /// Why it was not checked.
    pub why: String,
}

/// The verdict on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No error; there may be warnings.
    Valid,
    /// At least one error.
    Invalid,
    /// Not checked, or not completely.
    Skipped,
}

impl Unit {
    /// Whether it has a finding of this severity.
    pub fn has(&self, severity: Severity) -> bool {
        self.unshown.of(severity) > 0 || self.findings.iter().any(|finding| finding.severity == severity)
    }

    /// The verdict. A skipped unit that has an error anyway is invalid.
    pub fn verdict(&self) -> Verdict {
        if self.has(Severity::Error) {
            Verdict::Invalid
        } else if self.skipped.is_some() {
            Verdict::Skipped
        } else {
            Verdict::Valid
        }
    }
}

/// Everything a run found.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The units, sorted by name.
    pub units: Vec<Unit>,
    /// Findings about the run itself: its configuration or its arguments.
    pub general: Vec<Diagnostic>,
    /// Units that no report lists.
    pub unlisted: Unlisted,
}

/// Counts of units that no report lists because there is nothing to report about them, or nothing that is
/// shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unlisted {
    /// How many of them have no error.
    pub valid: usize,
    /// How many have one.
    pub invalid: usize,
    /// What was found in them.
    pub unshown: Counts,
}

impl Unlisted {
    /// Adds a unit with its findings.
    pub fn add(&mut self, unshown: Counts) {
        match unshown.errors {
            0 => self.valid += 1,
            _ => self.invalid += 1,
        }
        self.unshown = self.unshown.and(unshown);
    }

    /// The sum of two counts.
    pub fn and(self, others: Unlisted) -> Unlisted {
        Unlisted {
            valid: self.valid + others.valid,
            invalid: self.invalid + others.invalid,
            unshown: self.unshown.and(others.unshown),
        }
    }
}

/// The figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Units that were checked: the valid and the invalid.
    pub checked: usize,
    /// Units without an error.
    pub valid: usize,
    /// Units with one.
    pub invalid: usize,
    /// Units that were not checked.
    pub skipped: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity note.
    pub notes: usize,
    /// Findings that are counted above but not listed, because one file has very many like them.
    pub unlisted: usize,
}

impl Summary {
    /// Removes a finding that was counted twice, with the further findings it represents.
    pub fn forget(&mut self, severity: Severity, more: u32) {
        let count = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        };
        *count = count.saturating_sub(more as usize + 1);
        self.unlisted = self.unlisted.saturating_sub(more as usize);
    }

    /// How many findings there are of all severities.
    pub fn findings(&self) -> usize {
        self.errors + self.warnings + self.notes
    }
}

impl Outcome {
    /// Whether there is a finding of this severity.
    pub fn has(&self, severity: Severity) -> bool {
        self.general.iter().any(|finding| finding.severity == severity)
            || self.units.iter().any(|unit| unit.has(severity))
            || self.unlisted.unshown.of(severity) > 0
    }

    /// How many findings no report shows.
    pub fn unshown(&self) -> Counts {
        self.units.iter().fold(self.unlisted.unshown, |counts, unit| counts.and(unit.unshown))
    }

    /// All listed findings: those about the run, then those of each unit.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.general.iter().chain(self.units.iter().flat_map(|unit| &unit.findings))
    }

    /// The figures.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for unit in &self.units {
            match unit.verdict() {
                Verdict::Valid => summary.valid += 1,
                Verdict::Invalid => summary.invalid += 1,
                Verdict::Skipped => summary.skipped += 1,
            }
        }
        summary.valid += self.unlisted.valid;
        summary.invalid += self.unlisted.invalid;
        summary.checked = summary.valid + summary.invalid;
        let mut counts = self.unshown();
        for finding in self.findings() {
            counts.add_finding(finding);
            summary.unlisted += finding.more as usize;
        }
        summary.errors = counts.errors as usize;
        summary.warnings = counts.warnings as usize;
        summary.notes = counts.notes as usize;
        summary
    }
}
