//! One line a resource.

use super::{Counts, Options, Output};
use crate::kubeconform::outcome::{Outcome, Status};

pub(super) struct Text {
    options: Options,
    counts: Counts,
}

impl Text {
    pub(super) fn new(options: Options) -> Self {
        Text { options, counts: Counts::default() }
    }
}

impl Output for Text {
    fn add(&mut self, outcome: &Outcome, text: &mut String) {
        self.counts.add(outcome);
        let Outcome { path, signature, message, .. } = outcome;
        let (kind, name) = (&signature.kind, &signature.name);
        let line = match outcome.status {
            Status::Valid if self.options.verbose => format!("{kind} {name} is valid"),
            Status::Invalid => format!("{kind} {name} is invalid: {message}"),
            Status::Error if kind.is_empty() || name.is_empty() => format!("failed validation: {message}"),
            Status::Error => format!("{kind} {name} failed validation: {message}"),
            Status::Skipped if self.options.verbose => format!("{name} {kind} skipped"),
            Status::Valid | Status::Skipped | Status::Empty => return,
        };
        text.push_str(&format!("{path} - {line}\n"));
    }

    fn finish(&mut self, _: (i64, u32)) -> String {
        if self.options.summary { self.counts.summary(self.options) } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, printed};
    use super::Text;

    #[test]
    fn lines_are_those_of_kubeconform() {
        assert_eq!(
            printed(Text::new(options(true, true))),
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
        assert_eq!(printed(Text::new(options(false, false))).lines().count(), 4);
    }
}
