//! One line a resource.

use super::Options;
use crate::outcome::{Outcome, Status};

/// The line of a result, unless nothing is said of it.
pub(crate) fn line(outcome: &Outcome, options: Options) -> Option<String> {
    let Outcome { path, signature, message, .. } = outcome;
    let (kind, name) = (&signature.kind, &signature.name);
    let line = match outcome.status {
        Status::Valid if options.verbose => format!("{kind} {name} is valid"),
        Status::Invalid => format!("{kind} {name} is invalid: {message}"),
        Status::Error if kind.is_empty() || name.is_empty() => format!("failed validation: {message}"),
        Status::Error => format!("{kind} {name} failed validation: {message}"),
        Status::Skipped if options.verbose => format!("{name} {kind} skipped"),
        Status::Valid | Status::Skipped | Status::Empty => return None,
    };
    Some(format!("{path} - {line}\n"))
}

#[cfg(test)]
mod tests {
    use super::super::Lines;
    use super::super::tests::{options, printed};
    use super::line;

    #[test]
    fn lines_are_those_of_kubeconform() {
        assert_eq!(
            printed(Lines::new(line, options(true, true))),
            "a.yaml - Pod a is valid
a.yaml - Pod b is invalid: problem: got <a> & 'b'
b.yaml - Job c failed validation: could not find \"it\"
b.yaml - failed validation: no
kind
b.yaml - d Job skipped
b.yaml -  Job skipped
Summary: 6 resources found in 3 files - Valid: 1, Invalid: 1, Errors: 2, Skipped: 2
"
        );
        assert_eq!(printed(Lines::new(line, options(false, false))).lines().count(), 4);
    }
}
