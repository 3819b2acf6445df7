//! YAML that a template wrote wrongly: who is to blame, where the place of the error alone does not say it. A block
//! that is indented wrongly breaks the line behind it, and a helper does not say who includes it.

use trueline_diagnostic::{Diagnostic, Frame};
use trueline_source::{Origin, OriginMap, OriginRun, SourceId, SourceMap, Span};

/// How many runs are looked at before the place of an error.
const FARTHEST: usize = 10_000;

/// Adds what is known about who wrote the text around an error. `origins` are those of the rendered text, and
/// `template` is the name of the file that is rendered.
pub(super) fn explain(
    finding: Diagnostic,
    text: &str,
    origins: &OriginMap,
    template: &str,
    sources: &SourceMap,
) -> Diagnostic {
    let runs = Runs { runs: origins.runs(), sources };
    let finding = indentation(finding, text, &runs);
    included(finding, &runs, template)
}

/// The runs of a rendered text.
struct Runs<'a> {
    runs: &'a [OriginRun],
    sources: &'a SourceMap,
}

impl Runs<'_> {
    /// The number of the run that a byte belongs to.
    fn index(&self, offset: usize) -> usize {
        self.runs.partition_point(|run| run.start as usize <= offset).saturating_sub(1)
    }

    /// The action that wrote the indentation of a line, where it is one that writes several lines.
    fn indented_by(&self, text: &str, line: usize) -> Option<Span> {
        let Origin::Computed { action, .. } = self.runs.get(self.index(line))?.origin else { return None };
        let code = self.sources.get(action.source).slice(action).to_owned();
        let is_block = ["indent", "toYaml", "include", "tpl"].iter().any(|word| code.contains(word));
        (is_block && text.get(line..)?.starts_with(' ')).then_some(action)
    }
}

/// The block that ends at the line that cannot be read: its indentation is what most often is wrong there.
fn indentation(finding: Diagnostic, text: &str, runs: &Runs<'_>) -> Diagnostic {
    let here = line_start(text, finding.primary.span.start as usize);
    let indent = |line: usize| spaces(text.get(line..).unwrap_or_default());
    // The place of an error inside of the block is the action already.
    if runs.indented_by(text, here).is_some() {
        return finding;
    }
    let above = text.get(..here).unwrap_or_default().trim_end().len();
    let above = line_start(text, above);
    let Some(action) = runs.indented_by(text, above).filter(|_| indent(above) != indent(here)) else {
        return finding;
    };
    let words = format!(
        "what this writes is indented by {}, and the line behind it by {}: is the number of `nindent` right?",
        indent(above),
        indent(here)
    );
    finding.related(action, words).help("the indentation of the block above is the likely cause")
}

/// The line of the rendered template that an error in another file, such as one of helpers, got into it by.
fn included(mut finding: Diagnostic, runs: &Runs<'_>, template: &str) -> Diagnostic {
    let is_own = |source: SourceId| is_file_of(runs.sources.get(source).name(), template);
    let is_foreign = |run: &OriginRun| match run.origin {
        Origin::Verbatim(span) => !is_own(span.source),
        Origin::Computed { action, .. } => !is_own(action.source),
    };
    let rendered = finding.primary.span.source;
    let places = std::iter::once(&finding.primary).chain(&finding.related);
    let mut indexes = places
        .filter(|label| label.span.source == rendered)
        .map(|label| runs.index(label.span.start as usize));
    let Some(here) = indexes.find(|&index| runs.runs.get(index).is_some_and(is_foreign)) else {
        return finding;
    };
    let own = runs.runs.iter().enumerate().take(here).rev().take(FARTHEST);
    let place = own.into_iter().find_map(|(index, run)| {
        let Origin::Verbatim(span) = run.origin else { return None };
        let length = runs.runs.get(index.saturating_add(1))?.start.saturating_sub(run.start);
        is_own(span.source).then_some((span.source, span.start.saturating_add(length) as usize))
    });
    if let Some((source, end)) = place
        && let Some(span) = next_action(runs.sources, source, end)
    {
        finding.trace.push(Frame { span, text: "included here".to_owned() });
    }
    finding
}

/// The first action behind a place of a template.
fn next_action(sources: &SourceMap, source: SourceId, offset: usize) -> Option<Span> {
    let text = sources.get(source).text().clone();
    let start = offset.saturating_add(text.get(offset..)?.find("{{")?);
    let length = text.get(start..)?.find("}}").map_or(2, |close| close.saturating_add(2));
    Some(source.span(start, start.saturating_add(length)))
}

/// Whether a source is the file that a rendered path was made from: the directory of a chart may be called
/// otherwise than the chart.
fn is_file_of(name: &str, template: &str) -> bool {
    let inside = template.split_once('/').map_or(template, |(_, inside)| inside);
    name == template || name.strip_suffix(inside).is_some_and(|before| before.ends_with('/'))
}

fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline.saturating_add(1))
}

/// How much a text is indented, in words.
fn spaces(text: &str) -> String {
    match text.bytes().take_while(|byte| *byte == b' ').count() {
        1 => "1 space".to_owned(),
        number => format!("{number} spaces"),
    }
}
