//! Stable identities of findings, which code review systems use to follow a finding across commits.
//!
//! Neither line nor column is included: a finding that only moved is the same finding. Equal findings of one
//! file are distinguished by counting them.

use std::collections::BTreeMap;

use crate::prepared::Finding;

/// Gives each finding its identity, in order.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints {
    seen: BTreeMap<u128, usize>,
}

impl Fingerprints {
    /// The identity of the next finding: 32 hexadecimal digits.
    pub(crate) fn next(&mut self, finding: &Finding) -> String {
        let path = finding.path.as_deref().unwrap_or_default();
        let mut identity = Identity::default();
        let parts = [finding.code.id, &finding.primary.file, path, &finding.message];
        parts.into_iter().for_each(|part| identity.add(part.as_bytes()));
        let base = identity.finish();
        let occurrence = self.seen.entry(base).or_default();
        let identity = fnv1a(base, &occurrence.to_le_bytes());
        *occurrence += 1;
        format!("{identity:032x}")
    }
}

/// A hash of several parts.
#[derive(Debug)]
pub(crate) struct Identity(u128);

impl Default for Identity {
    fn default() -> Self {
        Identity(OFFSET_BASIS)
    }
}

impl Identity {
    /// Adds a part, and where it ends.
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0 = fnv1a(fnv1a(self.0, part), &[0xff]);
    }

    /// The hash.
    pub(crate) fn finish(self) -> u128 {
        self.0
    }
}

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// FNV-1a, 128 bits: small, without dependencies, and a forged collision would gain nothing.
fn fnv1a(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepared::Report;
    use crate::testing::{finding, outcome, unit};
    use trueline_diagnostic::Units;
    use trueline_source::{SourceKind, SourceMap};

    fn identities(text: &str, spans: &[(usize, usize)]) -> Vec<String> {
        let sources = SourceMap::new();
        let file = sources.add("a.yaml", SourceKind::File, text);
        let findings = spans.iter().map(|&(start, end)| finding(file.span(start, end), "wrong")).collect();
        let run = outcome(vec![unit("a.yaml", findings)]);
        let report = Report::prepare(run, Units::All, &sources);
        let mut fingerprints = Fingerprints::default();
        report.findings.iter().map(|finding| fingerprints.next(finding)).collect()
    }

    #[test]
    fn the_published_test_vector() {
        assert_eq!(fnv1a(OFFSET_BASIS, b"foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn a_finding_that_moves_keeps_its_identity() {
        assert_eq!(identities("a: b\n", &[(3, 4)]), identities("\n\na: b\n", &[(5, 6)]));
    }

    #[test]
    fn equal_findings_of_one_file_differ() {
        let both = identities("a: b\n", &[(0, 1), (3, 4)]);
        assert_ne!(both[0], both[1]);
        assert_eq!(both[0].len(), 32);
    }
}
