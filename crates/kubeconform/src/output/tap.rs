//! The Test Anything Protocol.

use super::Output;
use crate::outcome::{Outcome, Status};

#[derive(Default)]
pub(crate) struct Tap {
    count: usize,
}

impl Output for Tap {
    fn add(&mut self, outcome: &Outcome, text: &mut String) {
        self.count += 1;
        if self.count == 1 {
            text.push_str("TAP version 13\n");
        }
        let Outcome { path, signature, message, .. } = &super::harmless(outcome);
        let (count, name) = (self.count, signature.qualified_name());
        let line = match outcome.status {
            Status::Valid => format!("ok {count} - {path} ({name})"),
            Status::Invalid => format!("not ok {count} - {path} ({name}): {message}"),
            Status::Empty => format!("ok {count} - {path} (empty)"),
            Status::Error => format!("not ok {count} - {path}: {message}"),
            Status::Skipped => format!("ok {count} - {path} ({name}) # skip"),
        };
        text.push_str(&line);
        text.push('\n');
    }

    fn finish(&mut self, _: (i64, u32)) -> String {
        format!("1..{}\n", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::printed;
    use super::Tap;

    #[test]
    fn lines_are_those_of_kubeconform() {
        assert_eq!(
            printed(Tap::default()),
            "TAP version 13
ok 1 - a.yaml (v1/Pod//a)
not ok 2 - a.yaml (v1/Pod/ns/b): problem: got <a> & 'b'
not ok 3 - b.yaml: could not find \"it\"
not ok 4 - b.yaml: no
kind
ok 5 - b.yaml (v1/Job//d) # skip
ok 6 - b.yaml (v1/Job//) # skip
ok 7 - c.yaml (empty)
1..7
"
        );
    }
}
