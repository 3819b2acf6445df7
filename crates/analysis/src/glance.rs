//! What one look at the bytes of a file says before anything is checked.

use memchr::memmem;
use trueline_source::Judge;

use crate::detect;

/// What every policy and every binding has in its text. A template that puts the kind together is not found.
const WORD: &[u8] = b"ValidatingAdmissionPolicy";

/// What gzip begins with; archives of charts are packed with it.
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];

/// Says all that there is to know of a YAML file before it is checked, so it is read once for all questions. Where looks are
/// noted, an edit that changes none of the answers changes nothing.
pub(crate) const GLANCE: Judge = Judge { name: "glance", judge: |bytes| Glance::at(bytes).judgement() };

/// Says only whether a file mentions policies.
pub(crate) const POLICIES: Judge =
    Judge { name: "policies", judge: |bytes| u64::from(mentions_policies(bytes)) };

/// What a look at a YAML file says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    is_for_ytt: bool,
    mentions_policies: bool,
}

impl Glance {
    fn at(bytes: &[u8]) -> Self {
        Glance { is_for_ytt: detect::is_ytt(bytes), mentions_policies: mentions_policies(bytes) }
    }

    fn judgement(self) -> u64 {
        u64::from(self.is_for_ytt) | u64::from(self.mentions_policies) << 1
    }

    /// What [`GLANCE`] said.
    pub(crate) fn of_judgement(judged: u64) -> Self {
        Glance { is_for_ytt: judged & 1 != 0, mentions_policies: judged >> 1 & 1 != 0 }
    }

    /// Whether it is written for ytt.
    pub(crate) fn is_for_ytt(self) -> bool {
        self.is_for_ytt
    }

    /// Whether it mentions policies.
    pub(crate) fn mentions_policies(self) -> bool {
        self.mentions_policies
    }
}

/// Whether the bytes of a file mention policies.
pub(crate) fn mentions_policies(bytes: &[u8]) -> bool {
    // What is packed may hold one.
    bytes.starts_with(GZIP) || memmem::find(bytes, WORD).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_look_answers_all_questions() {
        let text = |is_for_ytt: bool, mentions_policies: bool| {
            let comment = if is_for_ytt { "#@ a = 1\n" } else { "# a\n" };
            let kind = if mentions_policies { "ValidatingAdmissionPolicyBinding" } else { "Pod" };
            format!("{comment}kind: {kind}\n")
        };
        for (is_for_ytt, mentions_policies) in [(false, false), (false, true), (true, false), (true, true)] {
            let judged = (GLANCE.judge)(text(is_for_ytt, mentions_policies).as_bytes());
            assert_eq!(Glance::of_judgement(judged), Glance { is_for_ytt, mentions_policies });
        }
    }
}
