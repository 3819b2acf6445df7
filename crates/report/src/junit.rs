//! JUnit XML: one test suite, one test case a unit, one failure an error.

use std::fmt::Write as _;

use trueline_diagnostic::Severity;

use crate::prepared::{Finding, Report};
use crate::text;

pub(crate) fn render(report: &Report) -> String {
    let mut cases = Vec::with_capacity(report.units.len() + 1);
    if !report.general.is_empty() {
        cases.push(Case { name: "the run itself", kind: "run", skipped: None, findings: &report.general });
    }
    cases.extend(report.units.iter().map(|unit| Case {
        name: &unit.name,
        kind: unit.kind,
        skipped: unit.skipped.as_deref(),
        findings: &unit.findings,
    }));

    let mut body = String::new();
    let (mut failures, mut skipped) = (0, 0);
    for case in &cases {
        match case.write(report, &mut body) {
            Shown::Failed => failures += 1,
            Shown::Skipped => skipped += 1,
            Shown::Passed => {}
        }
    }
    let figures = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"",
        cases.len()
    );
    let mut result = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(result, "<testsuites name=\"trueline\" {figures}>");
    let _ = writeln!(result, "  <testsuite name=\"trueline\" {figures}>");
    result.push_str(&body);
    result.push_str("  </testsuite>\n</testsuites>\n");
    result
}

struct Case<'a> {
    name: &'a str,
    kind: &'a str,
    skipped: Option<&'a str>,
    findings: &'a [usize],
}

enum Shown {
    Passed,
    Failed,
    Skipped,
}

impl Case<'_> {
    fn write(&self, report: &Report, result: &mut String) -> Shown {
        let head =
            format!("name=\"{}\" classname=\"{}\" time=\"0\"", attribute(self.name), attribute(self.kind));
        if self.findings.is_empty() && self.skipped.is_none() {
            let _ = writeln!(result, "    <testcase {head}/>");
            return Shown::Passed;
        }
        let mut shown = Shown::Passed;
        let mut rest = String::new();
        let _ = writeln!(result, "    <testcase {head}>");
        for finding in report.of(self.findings) {
            if finding.severity != Severity::Error {
                let _ = writeln!(rest, "{}", describe(finding));
                continue;
            }
            shown = Shown::Failed;
            let _ = writeln!(
                result,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                attribute(finding.code.id),
                attribute(&format!("{}: {}", finding.primary.address(), finding.message)),
                content(&describe(finding))
            );
        }
        match (self.skipped, &shown) {
            // A case is either failed or skipped, so the reason of a failed one goes to its output.
            (Some(why), Shown::Failed) => rest.push_str(&format!("not wholly checked: {why}\n")),
            (Some(why), _) => {
                let _ = writeln!(result, "      <skipped message=\"{}\"/>", attribute(why));
                shown = Shown::Skipped;
            }
            (None, _) => {}
        }
        if !rest.is_empty() {
            let _ = writeln!(result, "      <system-out>{}</system-out>", content(rest.trim_end()));
        }
        result.push_str("    </testcase>\n");
        shown
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
    result
}

/// Text between tags. Characters that XML cannot hold, and those that steer a terminal, are taken out.
fn content(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '\n' | '\t' => result.push(character),
            _ if text::is_control(character) => {}
            _ => result.push(character),
        }
    }
    result
}

/// Text between double quotes.
fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::testing::{every_outcome, hostile, render, sample};

    #[test]
    fn one_case_a_unit() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Junit, &outcome, &sources));
    }

    #[test]
    fn hostile_text() {
        let (sources, outcome) = hostile();
        insta::assert_snapshot!(render(Format::Junit, &outcome, &sources));
    }

    #[test]
    fn text_cannot_close_what_it_stands_in() {
        assert_eq!(content("a ]]> <b> & \0\x1b[1m\u{202e}\u{ffff}c"), "a ]]&gt; &lt;b&gt; &amp; [1mc");
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
