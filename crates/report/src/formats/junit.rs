//! JUnit XML: one test suite, one test case per unit, one failure per error.

use std::fmt::Write as _;
use std::io::{self, Write};

use trueline_diagnostic::{Severity, Units};

use super::{Reader, Row, Writer};
use crate::options::Options;
use crate::prepared::{Finding, Report};
use crate::text;

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "junit",
    summary: "JUnit XML, for CI servers",
    reader: Reader::Program,
    writer: Writer::Document { units: Units::All, write },
};

fn write(report: &Report, _: &Options, out: &mut dyn Write) -> io::Result<()> {
    let run = (!report.general.is_empty()).then_some(Case {
        name: "the run itself",
        kind: "run",
        skipped: None,
        findings: &report.general,
    });
    let units = report.units.iter().map(|unit| Case {
        name: &unit.name,
        kind: unit.kind,
        skipped: unit.skipped.as_deref(),
        findings: &unit.findings,
    });
    let cases: Vec<Case<'_>> = run.into_iter().chain(units).collect();
    // The totals come first in the output, so everything is counted before it is written.
    let count = |wanted: CaseResult| cases.iter().filter(|case| case.shown(report) == wanted).count();
    let figures = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"",
        cases.len(),
        count(CaseResult::Failed),
        count(CaseResult::Skipped)
    );
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"trueline\" {figures}>")?;
    writeln!(out, "  <testsuite name=\"trueline\" {figures}>")?;
    for case in &cases {
        case.write(report, out)?;
    }
    write!(out, "  </testsuite>\n</testsuites>\n")
}

struct Case<'a> {
    name: &'a str,
    kind: &'a str,
    skipped: Option<&'a str>,
    findings: &'a [usize],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseResult {
    Passed,
    Failed,
    Skipped,
}

impl Case<'_> {
    fn shown(&self, report: &Report) -> CaseResult {
        if report.of(self.findings).any(|finding| finding.severity == Severity::Error) {
            CaseResult::Failed
        } else if self.skipped.is_some() {
            CaseResult::Skipped
        } else {
            CaseResult::Passed
        }
    }

    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let head =
            format!("name=\"{}\" classname=\"{}\" time=\"0\"", attribute(self.name), attribute(self.kind));
        if self.findings.is_empty() && self.skipped.is_none() {
            return writeln!(out, "    <testcase {head}/>");
        }
        let mut rest = String::new();
        writeln!(out, "    <testcase {head}>")?;
        for finding in report.of(self.findings) {
            if finding.severity != Severity::Error {
                rest.push_str(&describe(finding));
                rest.push('\n');
                continue;
            }
            writeln!(
                out,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                attribute(finding.code.id),
                attribute(&format!("{}: {}", finding.primary.address(), finding.message)),
                content(&describe(finding))
            )?;
        }
        match (self.skipped, self.shown(report)) {
            // A case is either failed or skipped, so the reason of a failed one goes to its output.
            (Some(why), CaseResult::Failed) => rest.push_str(&format!("not completely checked: {why}\n")),
            (Some(why), _) => writeln!(out, "      <skipped message=\"{}\"/>", attribute(why))?,
            (None, _) => {}
        }
        if !rest.is_empty() {
            writeln!(out, "      <system-out>{}</system-out>", content(rest.trim_end()))?;
        }
        writeln!(out, "    </testcase>")
    }
}

fn describe(finding: &Finding) -> String {
    let mut result =
        format!("{}: {}[{}] {}", finding.primary.address(), finding.severity, finding.code, finding.message);
    for place in finding.related.iter().chain(&finding.trace) {
        let _ = write!(result, "\n{}: {}", place.address(), place.text);
    }
    if let Some(help) = &finding.help {
        let _ = write!(result, "\nhelp: {help}");
    }
    if let Some(more) = finding.and_more() {
        let _ = write!(result, "\n{more}");
    }
    result
}

/// Text between tags. Characters that XML cannot hold, and those that steer a terminal, become visible.
fn content(text: &str) -> String {
    text::lines(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text between double quotes.
fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::testing::{every_outcome, hostile, render, sample};

    #[test]
    fn one_case_per_unit() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Junit, &outcome, &sources));
    }

    #[test]
    fn hostile_text() {
        let (sources, outcome) = hostile();
        insta::assert_snapshot!(render(Format::Junit, &outcome, &sources));
    }

    #[test]
    fn text_cannot_close_its_element() {
        assert_eq!(
            content("a ]]> <b> & \0\x1b[1m\u{202e}\u{ffff}c"),
            "a ]]&gt; &lt;b&gt; &amp; ␀␛[1m\u{fffd}\u{fffd}c"
        );
        assert_eq!(attribute("\"a\"\n"), "&quot;a&quot;&#10;");
    }

    #[test]
    fn tags_are_balanced_and_characters_allowed() {
        for (sources, outcome) in every_outcome() {
            let text = render(Format::Junit, &outcome, &sources);
            let mut open = Vec::new();
            for tag in text.split('<').skip(1) {
                let (tag, _) = tag.split_once('>').expect("an open tag");
                if let Some(name) = tag.strip_prefix('/') {
                    assert_eq!(open.pop().as_deref(), Some(name), "{text}");
                } else if !tag.starts_with('?') && !tag.ends_with('/') {
                    open.push(tag.split(' ').next().unwrap_or_default().to_owned());
                }
            }
            assert!(open.is_empty(), "{text}");
            assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{text:?}");
        }
    }
}
