//! What every finding promises.

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceMap, Span};

/// Every place of every finding is in its text, and every finding says something.
pub(crate) fn check(findings: &[Diagnostic], sources: &SourceMap) {
    for finding in findings {
        assert!(!finding.message.is_empty(), "a finding without words: {finding:?}");
        let related = finding.related.iter().map(|label| label.span);
        let trace = finding.trace.iter().map(|frame| frame.span);
        related.chain(trace).chain([finding.primary.span]).for_each(|span| inside(span, finding, sources));
    }
}

fn inside(span: Span, finding: &Diagnostic, sources: &SourceMap) {
    let source = sources.get(span.source);
    assert!(source.text().get(span.range()).is_some(), "a place outside its text: {finding:?}");
}
