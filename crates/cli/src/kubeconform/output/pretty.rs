//! One line a resource, with marks and colours.

use super::{Counts, Options, Output};
use crate::kubeconform::outcome::{Outcome, Status};

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const RESET: &str = "\u{1b}[0m";

pub(super) struct Pretty {
    options: Options,
    counts: Counts,
}

impl Pretty {
    pub(super) fn new(options: Options) -> Self {
        Pretty { options, counts: Counts::default() }
    }
}

impl Output for Pretty {
    fn add(&mut self, outcome: &Outcome, text: &mut String) {
        self.counts.add(outcome);
        let Outcome { path, signature, message, .. } = outcome;
        let (kind, name) = (&signature.kind, &signature.name);
        let (color, mark, line) = match outcome.status {
            Status::Valid if self.options.verbose => (GREEN, '\u{2714}', format!("{kind} {name} is valid")),
            Status::Invalid => (RED, '\u{2716}', format!("{kind} {name} is invalid: {message}")),
            Status::Error if kind.is_empty() || name.is_empty() => {
                (RED, '\u{2716}', format!("failed validation: {name} {message}"))
            }
            Status::Error => (RED, '\u{2716}', format!("{kind} failed validation: {name} {message}")),
            Status::Skipped if self.options.verbose => {
                let line = match (kind.is_empty(), name.is_empty()) {
                    (true, _) => "skipped".to_owned(),
                    (false, true) => format!("{kind} skipped"),
                    (false, false) => format!("{kind} {name} skipped"),
                };
                (YELLOW, '-', line)
            }
            Status::Valid | Status::Skipped | Status::Empty => return,
        };
        text.push_str(&format!("{color}{mark}{RESET} {path}: {color}{line}{RESET}\n"));
    }

    fn finish(&mut self, _: (i64, u32)) -> String {
        if self.options.summary { self.counts.summary(self.options) } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, printed};
    use super::Pretty;

    #[test]
    fn lines_are_those_of_kubeconform() {
        let plain = |text: String| {
            text.replace("\u{1b}[31m", "<r>")
                .replace("\u{1b}[32m", "<g>")
                .replace("\u{1b}[33m", "<y>")
                .replace("\u{1b}[0m", "</>")
        };
        assert_eq!(
            plain(printed(Pretty::new(options(true, true)))),
            "<g>\u{2714}</> a.yaml: <g>Pod a is valid</>
<r>\u{2716}</> a.yaml: <r>Pod b is invalid: problem: got <a> & 'b'</>
<r>\u{2716}</> b.yaml: <r>Job failed validation: c could not find \"it\"</>
<r>\u{2716}</> b.yaml: <r>failed validation:  no
kind</>
<y>-</> b.yaml: <y>Job d skipped</>
<y>-</> b.yaml: <y>Job skipped</>
Summary: 6 resources found in 3 files - Valid: 1, Invalid: 1, Errors: 2, Skipped: 2
"
        );
        assert_eq!(printed(Pretty::new(options(false, false))).lines().count(), 4);
    }
}
