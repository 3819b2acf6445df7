//! For people: the finding, the source lines with marks, the way there, help, and a summary at the end.

use std::fmt::Write as _;

use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use trueline_diagnostic::Severity;
use trueline_source::SourceMap;

use crate::excerpt::{Excerpt, Role, excerpts};
use crate::options::{Color, Options};
use crate::prepared::{Finding, Fix, Report};
use crate::{summary, text};

/// The widest and the narrowest terminal that lines are cut for.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=400;
/// Columns that line numbers and the frame around source lines take.
const FRAME: usize = 12;
/// Stands around the number of an excerpt while the snippet renderer works. No other text that is given
/// to the renderer holds this character: all of it was made harmless.
const MARKER: char = '\u{1}';

pub(crate) fn render(report: &Report, sources: &SourceMap, options: &Options) -> String {
    let renderer = match options.color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    // Lines are cut before they come to the renderer, which is told not to do it again.
    let renderer = renderer.term_width(usize::from(u16::MAX)).hyperlink(false);
    let columns = options.width.clamp(*WIDTHS.start(), *WIDTHS.end()) - FRAME;
    let mut result = String::new();
    for finding in &report.findings {
        result.push_str(&show(finding, sources, &renderer, columns));
        result.push_str("\n\n");
    }
    let lines = summary::lines(report);
    for (index, line) in lines.iter().enumerate() {
        let style = if index + 1 == lines.len() { verdict(report) } else { Style::new() };
        let _ = match options.color {
            Color::Never => writeln!(result, "{line}"),
            Color::Always => writeln!(result, "{style}{line}{style:#}"),
        };
    }
    result
}

fn verdict(report: &Report) -> Style {
    let color = match (report.summary.errors + report.summary.invalid, report.summary.warnings) {
        (0, 0) => AnsiColor::Green,
        (0, _) => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    color.on_default().effects(Effects::BOLD)
}

fn show(finding: &Finding, sources: &SourceMap, renderer: &Renderer, columns: usize) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let excerpts = excerpts(finding, sources, columns);
    let mut group = Group::with_title(level.primary_title(text::lines(&finding.message)).id(finding.code.id));
    for (index, excerpt) in excerpts.iter().enumerate() {
        group = group.element(snippet(index, excerpt));
    }
    for frame in &finding.trace {
        group = group.element(Level::NOTE.message(format!(
            "{} at {}",
            text::lines(&frame.text),
            frame.address()
        )));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(text::lines(help)));
    }
    let mut groups = vec![group];
    groups.extend(finding.fix.as_ref().map(|fix| suggestion(fix, sources, columns)));
    with_addresses(&renderer.render(&groups), &excerpts)
}

fn snippet(index: usize, excerpt: &Excerpt) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(excerpt.text.as_str())
        .line_start(excerpt.first_line as usize)
        .path(format!("{MARKER}{index}{MARKER}"))
        .annotations(excerpt.marks.iter().map(|mark| {
            let kind = match mark.role {
                Role::Primary => AnnotationKind::Primary,
                Role::Related => AnnotationKind::Context,
            };
            let annotation = kind.span(mark.range.clone());
            if mark.text.is_empty() { annotation } else { annotation.label(mark.text.as_str()) }
        }))
}

/// Puts the addresses of excerpts where the renderer put their numbers.
///
/// It writes a line and a column behind a path, but the column is that of the line as it was cut.
fn with_addresses(rendered: &str, excerpts: &[Excerpt]) -> String {
    let mut result = String::with_capacity(rendered.len());
    let mut parts = rendered.split(MARKER);
    result.push_str(parts.next().unwrap_or_default());
    while let (Some(number), Some(rest)) = (parts.next(), parts.next()) {
        if let Some(excerpt) = number.parse().ok().and_then(|index: usize| excerpts.get(index)) {
            let _ = write!(result, "{}:{}:{}", excerpt.name, excerpt.position.line, excerpt.position.column);
        }
        result.push_str(
            rest.trim_start_matches(|character: char| character == ':' || character.is_ascii_digit()),
        );
    }
    result
}

/// A fix as a change of lines; only in words where the lines are many, long or not plain text.
fn suggestion<'a>(fix: &'a Fix, sources: &SourceMap, columns: usize) -> Group<'a> {
    let group = Group::with_title(Level::HELP.secondary_title(text::lines(&fix.description)));
    match changed_lines(fix, sources, columns) {
        Some(snippet) => group.element(snippet),
        None => group,
    }
}

/// The most lines that a suggestion shows.
const LINES_CHANGED: u32 = 10;

fn changed_lines<'a>(fix: &'a Fix, sources: &SourceMap, columns: usize) -> Option<Snippet<'a, Patch<'a>>> {
    let first = fix.edits.first()?;
    if fix.edits.iter().any(|edit| edit.span.source != first.span.source) {
        return None;
    }
    let source = sources.get(first.span.source);
    let top = fix.edits.iter().map(|edit| edit.start.line).min()?;
    let bottom = fix.edits.iter().map(|edit| edit.end.line).max()?;
    if bottom - top >= LINES_CHANGED {
        return None;
    }
    let range = source.line_range(top)?.start..source.line_range(bottom)?.end;
    let shown = source.text().get(range.clone())?;
    let plain = |text: &str| {
        text.len() <= columns * LINES_CHANGED as usize
            && text.lines().all(|line| line.len() <= columns)
            && !text.contains(|character| text::is_control(character) && character != '\n')
    };
    if !plain(shown) || fix.edits.iter().any(|edit| !plain(&edit.text)) {
        return None;
    }
    let mut patches = Vec::with_capacity(fix.edits.len());
    for edit in &fix.edits {
        let span = edit.span.range();
        let span = span.start.checked_sub(range.start)?..span.end.min(range.end).checked_sub(range.start)?;
        shown.get(span.clone())?;
        patches.push(Patch::new(span, edit.text.as_str()));
    }
    Some(Snippet::source(shown.to_owned()).line_start(top as usize).patches(patches))
}
