//! GitHub workflow commands: one annotation per finding, on the pull request's own lines.

use std::fmt::Write as _;

use trueline_diagnostic::{Outcome, Severity};
use trueline_source::SourceMap;

use super::{Reader, Row, Writer};
use crate::options::Options;
use crate::prepared::{Finding, PlaceKind};
use crate::summary::{self, Figures};
use crate::{location, text};

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "github",
    summary: "GitHub workflow annotations",
    reader: Reader::Program,
    writer: Writer::Findings { show, end },
};

fn show(findings: &[&Finding], _: &SourceMap, _: &Options) -> String {
    findings.iter().map(|finding| format!("{}\n", command(finding))).collect()
}

fn end(figures: &Figures, outcome: &Outcome, options: &Options) -> String {
    summary::lines(figures, outcome, options).iter().map(|line| format!("{line}\n")).collect()
}

fn command(finding: &Finding) -> String {
    let place = &finding.primary;
    let mut message = String::new();
    let mut properties = String::new();
    if place.kind == PlaceKind::File {
        let _ = write!(
            properties,
            "file={},line={},col={},endLine={},endColumn={},",
            property(&location::path(&place.file)),
            place.start.line,
            place.start.column,
            place.end.line,
            place.end.column
        );
    } else {
        // There is no file to annotate, so the place becomes part of the message.
        let _ = write!(message, "{}: ", place.address());
    }
    message.push_str(&finding.message);
    for related in &finding.related {
        let words = if related.text.is_empty() { "see also" } else { &related.text };
        let _ = write!(message, "\n{}: {words}", related.address());
    }
    if let Some(help) = &finding.help {
        let _ = write!(message, "\nhelp: {help}");
    }
    if let Some(more) = finding.and_more() {
        let _ = write!(message, "\n{more}");
    }
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = format!("{}: {}", finding.code.id, finding.code.name);
    format!("::{command} {properties}title={}::{}", property(&title), data(&text::lines(&message)))
}

/// The escapes of a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The escapes of a command's property; control characters that the runner does not escape become visible.
fn property(text: &str) -> String {
    let mut result = String::new();
    for character in data(text).chars() {
        match character {
            ':' => result.push_str("%3A"),
            ',' => result.push_str("%2C"),
            _ if text::is_control(character) => result.push(text::picture(character)),
            _ => result.push(character),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::testing::{hostile, render, sample};

    #[test]
    fn one_command_per_finding() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(render(Format::Github, &outcome, &sources));
    }

    #[test]
    fn nothing_breaks_out_of_a_command() {
        let (sources, outcome) = hostile();
        let text = render(Format::Github, &outcome, &sources);
        insta::assert_snapshot!(text);
        for line in text.lines() {
            assert!(line.starts_with("::error file=") || line.starts_with("checked "), "{line}");
        }
        assert_eq!(property("a:b,c%d\ne\x1b"), "a%3Ab%2Cc%25d%0Ae␛");
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
    }
}
