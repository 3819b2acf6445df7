//! One line a resource, with marks and colours.

use super::Options;
use crate::outcome::{Outcome, Status};

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const RESET: &str = "\u{1b}[0m";

/// The line of a result, unless nothing is said of it.
pub(crate) fn line(outcome: &Outcome, options: Options) -> Option<String> {
    let Outcome { path, signature, message, .. } = outcome;
    let (kind, name) = (&signature.kind, &signature.name);
    let (color, mark, line) = match outcome.status {
        Status::Valid if options.verbose => (GREEN, '\u{2714}', format!("{kind} {name} is valid")),
        Status::Invalid => (RED, '\u{2716}', format!("{kind} {name} is invalid: {message}")),
        Status::Error if kind.is_empty() || name.is_empty() => {
            (RED, '\u{2716}', format!("failed validation: {name} {message}"))
        }
        Status::Error => (RED, '\u{2716}', format!("{kind} failed validation: {name} {message}")),
        Status::Skipped if options.verbose => {
            let line = match (kind.is_empty(), name.is_empty()) {
                (true, _) => "skipped".to_owned(),
                (false, true) => format!("{kind} skipped"),
                (false, false) => format!("{kind} {name} skipped"),
            };
            (YELLOW, '-', line)
        }
        Status::Valid | Status::Skipped | Status::Empty => return None,
    };
    Some(format!("{color}{mark}{RESET} {path}: {color}{line}{RESET}\n"))
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::super::tests::{options, printed};
    use super::line;

    #[test]
    fn lines_are_those_of_kubeconform() {
        let plain = |text: String| {
            text.replace("\u{1b}[31m", "<r>")
                .replace("\u{1b}[32m", "<g>")
                .replace("\u{1b}[33m", "<y>")
                .replace("\u{1b}[0m", "</>")
        };
        assert_eq!(
            plain(printed(Lines::new(line, options(true, true)))),
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
        assert_eq!(printed(Lines::new(line, options(false, false))).lines().count(), 4);
    }
}
