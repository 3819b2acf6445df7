//! For people: the finding, the source lines with marks, the trace, help, and a summary at the end.

use std::borrow::Cow;
use std::fmt::Write as _;

use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use trueline_diagnostic::{Outcome, Severity, Summary};
use trueline_source::{Position, SourceMap};

use super::{Reader, Row, Writer};
use crate::excerpt::{Excerpt, Role, excerpts, lines_around};
use crate::options::{Color, Execution, Options};
use crate::prepared::{Finding, Fix, PlaceKind};
use crate::summary::{self, Figures};
use crate::text;

/// What the format is for, and how it is written.
pub(super) const FORMAT: Row = Row {
    name: "human",
    summary: "source lines with marks, for people",
    reader: Reader::Person,
    writer: Writer::Findings { show: show_all, end },
};

/// The widest and the narrowest terminal that lines are fitted to.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=400;
/// Columns that line numbers and the frame around source lines take.
const FRAME: usize = 12;
/// Is around the number of an excerpt while the snippet renderer works. No other text that is given to the
/// renderer holds this character: all of it was made harmless.
const MARKER: char = '\u{1}';

fn show_all(findings: &[&Finding], sources: &SourceMap, options: &Options) -> String {
    let renderer = match options.color {
        Color::Never => Renderer::plain(),
        Color::Always => Renderer::styled(),
    };
    // Lines are cut before they come to the renderer, which must not do it again.
    let renderer = renderer.term_width(usize::from(u16::MAX)).hyperlink(false);
    let columns = options.width.clamp(*WIDTHS.start(), *WIDTHS.end()) - FRAME;
    let mut result = String::new();
    for finding in findings {
        result.push_str(&show(finding, sources, &renderer, columns));
        result.push_str("\n\n");
    }
    result
}

fn end(figures: &Figures, outcome: &Outcome, options: &Options) -> String {
    let mut result = String::new();
    let lines = summary::lines(figures, outcome, options);
    for (index, line) in lines.iter().enumerate() {
        let style = if index + 1 == lines.len() { verdict(&figures.summary, options) } else { Style::new() };
        let _ = match options.color {
            Color::Never => writeln!(result, "{line}"),
            Color::Always => writeln!(result, "{style}{line}{style:#}"),
        };
    }
    result
}

fn verdict(summary: &Summary, options: &Options) -> Style {
    let color = match (summary.errors + summary.invalid, summary.warnings) {
        _ if options.execution != Execution::Complete => AnsiColor::Red,
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
    let finding = &*said_once(finding);
    let excerpts = excerpts(finding, sources, columns);
    let headline = finding.headline();
    let mut group = Group::with_title(level.primary_title(text::lines(&headline)).id(finding.code.id));
    for (index, excerpt) in excerpts.iter().enumerate() {
        group = if excerpt.empty {
            group.element(Origin::path(format!("{MARKER}{index}{MARKER}")))
        } else {
            group.element(snippet(index, excerpt))
        };
    }
    for frame in &finding.trace {
        let mut note = format!("{} at {}", text::lines(&frame.text), frame.address());
        // The template rarely shows why its output cannot be read; the rendered lines do.
        if finding.level == Some(trueline_diagnostic::Level::Parse) && frame.kind == PlaceKind::Rendered {
            note.push('\n');
            note.push_str(&lines_around(frame, sources, columns));
        }
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(text::lines(help)));
    }
    if let Some(more) = finding.and_more() {
        group = group.element(Level::NOTE.message(more));
    }
    let mut groups = vec![group];
    groups.extend(finding.fix.as_ref().map(|fix| suggestion(fix, sources, columns)));
    with_addresses(&renderer.render(&groups), &excerpts)
}

/// A finding without the help text that repeats the change shown below it.
fn said_once(finding: &Finding) -> Cow<'_, Finding> {
    let Some(fix) = &finding.fix else { return Cow::Borrowed(finding) };
    let is_shown = |words: &str| {
        fix.edits.iter().any(|edit| {
            let meant = format!("`{}`", edit.text.trim_matches(['"', '\'']));
            let rest = words.strip_prefix("did you mean ").or_else(|| words.strip_prefix("write "));
            let rest = rest.and_then(|rest| rest.strip_prefix(meant.as_str()));
            rest.is_some_and(|rest| {
                matches!(rest, "" | "?") || (rest.starts_with(" in place of `") && rest.ends_with('`'))
            })
        })
    };
    let mut finding = Cow::Borrowed(finding);
    if is_shown(&finding.primary.text) {
        finding.to_mut().primary.text.clear();
    }
    let is_help_shown = |help: &String| *help == fix.description || help.lines().any(is_shown);
    if let Some(help) = finding.help.clone().filter(is_help_shown) {
        let rest: Vec<&str> = match help == fix.description {
            true => Vec::new(),
            false => help.lines().filter(|line| !is_shown(line)).collect(),
        };
        finding.to_mut().help = (!rest.is_empty()).then(|| rest.join("\n"));
    }
    finding
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

/// Replaces the excerpt numbers that the renderer wrote with addresses.
///
/// The renderer appends a line and a column to a path, but its column is that of the shortened line.
fn with_addresses(rendered: &str, excerpts: &[Excerpt]) -> String {
    let mut result = String::with_capacity(rendered.len());
    let mut parts = rendered.split(MARKER);
    result.push_str(parts.next().unwrap_or_default());
    while let (Some(number), Some(rest)) = (parts.next(), parts.next()) {
        if let Some(excerpt) = number.parse().ok().and_then(|index: usize| excerpts.get(index)) {
            let _ = match excerpt.empty {
                true => write!(result, "{}", excerpt.name),
                false => {
                    let Position { line, column } = excerpt.position;
                    write!(result, "{}:{line}:{column}", excerpt.name)
                }
            };
        }
        result.push_str(
            rest.trim_start_matches(|character: char| character == ':' || character.is_ascii_digit()),
        );
    }
    result
}

/// A fix as changed lines; only as a sentence if the lines are many, long or not plain text.
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
    let range = source.line_range(top)?.start..source.line_range(bottom)?.end;
    if bottom - top >= LINES_CHANGED || source.hidden_in(range.clone()).next().is_some() {
        return None;
    }
    let shown = source.text().get(range.clone())?;
    let plain = |text: &str| {
        text.len() <= columns * LINES_CHANGED as usize
            && text.lines().all(|line| line.len() <= columns)
            && matches!(text::lines(text), Cow::Borrowed(_))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::prepared::Report;
    use crate::testing::{ADVICE, every_outcome, finding, hostile, outcome, rendered, sample, unit};
    use trueline_diagnostic::Units;
    use trueline_diagnostic::{Diagnostic, Edit, Outcome};
    use trueline_source::{SourceKind, Span};

    fn show_with(outcome: &Outcome, sources: &SourceMap, color: Color, width: usize) -> String {
        let options = Options { color, width, ..Options::default() };
        crate::render(Format::Human, outcome.clone(), sources, &options)
    }

    /// One finding in one source.
    fn show_one(text: &str, build: impl Fn(trueline_source::SourceId) -> Diagnostic) -> String {
        let sources = SourceMap::new();
        let file = sources.add("a.yaml", SourceKind::File, text);
        let outcome = outcome(vec![unit("a.yaml", vec![build(file)])]);
        show_with(&outcome, &sources, Color::Never, 80)
    }

    #[test]
    fn the_whole_of_a_report() {
        let (sources, outcome) = sample();
        insta::assert_snapshot!(show_with(&outcome, &sources, Color::Never, 80));
    }

    #[test]
    fn in_colour() {
        let (sources, outcome) = sample();
        let text = show_with(&outcome, &sources, Color::Always, 80);
        assert!(text.contains("\x1b["));
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("\x1b[") {
            plain.push_str(before);
            rest = after.split_once('m').map_or("", |(_, rest)| rest);
        }
        plain.push_str(rest);
        assert_eq!(
            plain,
            show_with(&outcome, &sources, Color::Never, 80),
            "colour changes nothing but colour"
        );
    }

    #[test]
    fn rendered_text_is_shown_at_its_origins() {
        let (sources, outcome) = rendered();
        insta::assert_snapshot!(show_with(&outcome, &sources, Color::Never, 80));
    }

    #[test]
    fn wide_characters_and_tabs() {
        let text = "名前: \"🎉漢字\" x\n\tkey: \u{1f469}\u{200d}\u{1f680} value\n";
        let start = text.find("漢").unwrap();
        let value = text.find("value").unwrap();
        insta::assert_snapshot!(show_one(text, |file| {
            finding(file.span(start, start + 6), "two wide characters")
                .label("wide")
                .related(file.span(value, value + 5), "after a tab and a joined emoji")
        }));
    }

    #[test]
    fn long_lines_are_cut_around_their_marks() {
        let text = format!("key: [{}wrong, {}]\nend: 1\n", "漢字, ".repeat(3_000), "b, ".repeat(3_000));
        let start = text.find("wrong").unwrap();
        insta::assert_snapshot!(show_one(&text, |file| {
            finding(file.span(start, start + 5), "not allowed here")
                .label("this one")
                .related(file.span(0, 3), "in this list, far to the left")
                .related(file.span(text.len() - 7, text.len() - 4), "and on the next line")
        }));
    }

    #[test]
    fn a_huge_scalar_is_not_printed() {
        let text = format!("a: {}\n", "x".repeat(20_000_000));
        let shown =
            show_one(&text, |file| finding(file.span(3, text.len() - 1), "too large").label("all of this"));
        assert!(shown.len() < 1_000, "{}", shown.len());
        assert!(shown.contains("a.yaml:1:4"));
        let shown =
            show_one(&text, |file| finding(file.span(text.len() - 2, text.len() - 1), "the last one"));
        assert!(shown.len() < 1_000, "{}", shown.len());
        assert!(shown.contains("a.yaml:1:20000003"), "{shown}");
    }

    #[test]
    fn thousands_of_findings_in_one_line() {
        let text = format!("[{}]", "漢, ".repeat(200_000));
        let sources = SourceMap::new();
        let file = sources.add("a.json", SourceKind::File, text);
        let findings =
            (0..2_000).map(|index| finding(file.span(1 + index * 500, 4 + index * 500), "wrong")).collect();
        let shown = show_with(&outcome(vec![unit("a.json", findings)]), &sources, Color::Never, 80);
        assert_eq!(shown.matches("--> a.json:1:").count(), 2_000);
        assert!(shown.contains("--> a.json:1:599702\n"), "500 bytes are 300 characters");
        assert!(shown.len() < 1_000_000, "{}", shown.len());
    }

    #[test]
    fn many_lines_are_marked_on_the_first() {
        let text = "a:\n".to_owned() + &"  b: 1\n".repeat(50) + "c: 2\n";
        insta::assert_snapshot!(show_one(&text, |file| {
            finding(file.span(0, text.len() - 5), "the object is too large")
                .label("begins here")
                .related(file.span(text.len() - 5, text.len() - 4), "far away")
        }));
    }

    #[test]
    fn a_few_lines_are_marked_whole() {
        insta::assert_snapshot!(show_one("a:\r\n  b: 1\r\n  c: 2\r\nd: 3\r\n", |file| {
            finding(file.span(0, 20), "the object is not allowed").label("all of it")
        }));
    }

    #[test]
    fn the_end_of_a_file() {
        insta::assert_snapshot!(show_one("a: [1\n", |file| {
            finding(file.span(6, 6), "the list is not closed")
                .label("the file ends here")
                .related(file.span(3, 4), "opened here")
        }));
    }

    #[test]
    fn a_fix_over_several_lines() {
        insta::assert_snapshot!(show_one("a: 1\nb: 2\nc: 3\n", |file| {
            Diagnostic::new(&ADVICE, file.span(5, 6), "`b` is not needed").fix(
                "remove it and write 4 for 3",
                vec![
                    Edit { span: file.span(5, 10), replacement: String::new() },
                    Edit { span: file.span(13, 14), replacement: "4".into() },
                ],
            )
        }));
    }

    #[test]
    fn help_that_repeats_the_fix_is_shown_once() {
        let shown = |label: &str, help: &str| {
            show_one("imag: web\n", |file| {
                let edits = vec![Edit { span: file.span(0, 4), replacement: "\"image\"".to_owned() }];
                let finding = finding(file.span(0, 4), "there is no field `imag`").label(label).help(help);
                finding.fix("write `image`", edits)
            })
        };
        for (label, help) in [
            ("did you mean `image`?", "write `image` in place of `imag`"),
            ("write `image`", "did you mean `image`?"),
        ] {
            let text = shown(label, help);
            assert!(!text.contains("did you mean") && !text.contains("in place"), "{text}");
            assert_eq!(text.matches("write `image`").count(), 1, "{text}");
        }
        let text = shown("not known", "did you mean `image`?\nthe fields are image and name");
        assert!(
            text.contains("not known") && text.contains("= help: the fields are image and name"),
            "{text}"
        );
        assert!(shown("", "write `image` or remove it").contains("or remove it"));
    }

    #[test]
    fn hostile_text_is_harmless() {
        let (sources, outcome) = hostile();
        let text = show_with(&outcome, &sources, Color::Never, 80);
        assert!(!text.contains(|character| text::is_control(character) && character != '\n'), "{text:?}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_finding_is_shown_at_its_address_in_any_width() {
        for (sources, outcome) in every_outcome() {
            for width in [0, 30, 80, 100_000] {
                let text = show_with(&outcome, &sources, Color::Never, width);
                for finding in &Report::prepare(outcome.clone(), Units::All, &sources).findings {
                    let address = format!("--> {}\n", finding.primary.address());
                    assert!(text.contains(&address), "{address} is missing in\n{text}");
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_and_no_span_panics(
            text in "[a-c \\t\\r\\n漢🎉\u{0}\u{301}\u{200d}\u{feff}]{0,60}",
            spans in proptest::collection::vec((0usize..90, 0usize..90), 1..5),
            edits in proptest::collection::vec((0usize..90, 0usize..90, "[a\\n漢\\t]{0,5}"), 0..3),
            width in 0usize..60,
        ) {
            let sources = SourceMap::new();
            let file = sources.add("a.yaml", SourceKind::File, text.as_str());
            let span = |&(start, end): &(usize, usize)| -> Span { file.span(start, end) };
            let mut wrong = finding(span(&spans[0]), "wrong").label("here");
            for place in &spans[1..] {
                wrong = wrong.related(span(place), "there");
            }
            let edits = edits
                .iter()
                .map(|(start, end, new)| Edit { span: file.span(*start, *end), replacement: new.clone() })
                .collect();
            let outcome = outcome(vec![unit("a.yaml", vec![wrong.fix("fix it", edits)])]);
            let shown = show_with(&outcome, &sources, Color::Never, width);
            proptest::prop_assert!(shown.contains("--> a.yaml"));
        }
    }

    #[test]
    fn what_is_hidden_in_a_source_is_not_shown() {
        let text = "a: {b: 漢hunter2, c: x}\nd: |\n  hunter2\n  y\n";
        let sources = SourceMap::new();
        let file = sources.add("a.yaml", SourceKind::File, text);
        let inline = text.find("漢").unwrap();
        let block = text.rfind("hunter2").unwrap();
        let range = |start: usize, end: usize| u32::try_from(start).unwrap()..u32::try_from(end).unwrap();
        sources.hide(file, vec![range(inline, inline + 10), range(block, block + 7)]);
        let edit = Edit { span: file.span(inline, inline), replacement: "\"".to_owned() };
        let wrong = finding(file.span(inline, inline + 10), "wrong")
            .related(file.span(block, block + 7), "as here")
            .related(file.span(inline + 12, inline + 13), "and here")
            .fix("put it in quotes", vec![edit]);
        let outcome = outcome(vec![unit("a.yaml", vec![wrong])]);
        for width in [40, 80] {
            let shown = show_with(&outcome, &sources, Color::Never, width);
            assert!(!shown.contains("hunter2") && !shown.contains('漢'), "{shown}");
            assert!(shown.contains("a: {b: *********, c: x}") && shown.contains("|   *******\n"), "{shown}");
            assert!(shown.contains("^^^^^^^^^"), "{shown}");
        }
    }
}
