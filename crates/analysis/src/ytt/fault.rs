//! From a failed run to findings: the facts of ytt's errors in our words, each at the place that somebody can edit.

use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, Edit, Level};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::ReadOptions;
use trueline_ytt::error::{Error, ErrorKind, Fact, Failure, LanguageFault as Fault};
use trueline_ytt::tree::Position;
use trueline_ytt::validation::Report;
use trueline_ytt::{overlay, schema};

use super::codes::{DATA_VALUE, FAILED, FILE, FLAG, LIMIT, OVERLAY, SYNTAX, TEMPLATE, VALIDATION, YAML};
use super::{broken, violation, words};

/// How many calls are listed below a failure.
const MOST_FRAMES: usize = 10;
/// How many nodes are shown that an overlay matched.
const MOST_MATCHES: usize = 3;

/// Where findings are made, and what they point at where nothing better is known.
pub(super) struct Faults<'s> {
    pub(super) sources: &'s Arc<SourceMap>,
    /// The name of the unit.
    pub(super) unit: &'s str,
}

impl Faults<'_> {
    /// The findings for a failure.
    pub(super) fn findings(&self, error: &Error) -> Vec<Diagnostic> {
        match error.kind() {
            ErrorKind::Template(failures) => {
                failures.iter().flat_map(|failure| self.of_failure(failure, error)).collect()
            }
            ErrorKind::Yaml => self.not_yaml(error),
            ErrorKind::Syntax => vec![self.not_a_template(error)],
            ErrorKind::Overlay(facts) => match facts.downcast_ref::<overlay::Fault>() {
                Some(fault) => vec![self.of_overlay(fault, error)],
                None => vec![self.reworded(&OVERLAY, error)],
            },
            ErrorKind::Schema(_) => match schema::report_of(error) {
                Some(report) if !report.violations().is_empty() => {
                    let violations = report.violations().into_iter();
                    violations.map(|one| violation::finding(one, self)).collect()
                }
                _ => vec![self.at_places(&FAILED, error, last_clause(error.text()))],
            },
            ErrorKind::Validation(facts) => match facts.downcast_ref::<Report>() {
                Some(report) => self.of_report(report),
                None => vec![self.at_places(&VALIDATION, error, last_clause(error.text()))],
            },
            ErrorKind::Key => vec![self.not_a_key(error)],
            ErrorKind::File => vec![self.at_places(&FILE, error, of_file(last_clause(error.text())))],
            ErrorKind::Flag => vec![self.reworded(&FLAG, error)],
            ErrorKind::Limit => vec![self.at_places(&LIMIT, error, last_clause(error.text()))],
            _ => vec![self.reworded(&FAILED, error)],
        }
    }

    /// What ytt says, in our words where there are any.
    fn reworded(&self, code: &'static Code, error: &Error) -> Diagnostic {
        let (message, help) = words::of_clause(last_clause(error.text()), error.fact());
        help.into_iter().fold(self.at_places(code, error, message), Diagnostic::help)
    }

    /// The first of some places that somebody wrote; else the start of the unit.
    pub(super) fn place<'p>(&self, places: impl Iterator<Item = &'p Position>) -> Span {
        let places: Vec<&Position> = places.collect();
        let known = places.iter().find_map(|place| place.span());
        known
            .map(|span| self.narrowed(span))
            .unwrap_or_else(|| Span::whole(self.sources.add(self.unit, SourceKind::File, "")).at_start())
    }

    /// A place without the spaces around it: the place of code may be its whole line.
    fn narrowed(&self, span: Span) -> Span {
        let source = self.sources.get(span.source);
        let text = source.slice(span);
        let trimmed = text.trim_start();
        if trimmed.is_empty() {
            return span;
        }
        let start = span.start as usize + (text.len() - trimmed.len());
        span.source.span(start, start + trimmed.trim_end().len())
    }

    fn at_places(&self, code: &'static Code, error: &Error, message: String) -> Diagnostic {
        let place = self.place(error.places().iter());
        Diagnostic::new(code, place, words::without_verbs(&message)).level(Level::Semantic)
    }

    /// A key of data values that is not a string, as YAML 1.1 reads `n`, `y`, `on` and `off`.
    fn not_a_key(&self, error: &Error) -> Diagnostic {
        let place = self.place(error.places().iter());
        let source = self.sources.get(place.source);
        let typed = source.slice(place).trim().trim_end_matches(':');
        let found = error.text().rsplit_once("but was ").map_or("something else", |(_, found)| found);
        let message =
            format!("the key `{}` is {}; keys of data values are strings", typed, violation::a_type(found));
        let finding = Diagnostic::new(&DATA_VALUE, place, message).level(Level::Schema);
        match typed.is_empty() || typed.contains(['\n', '"', '\'']) {
            true => finding,
            false => finding.help(format!("put it in quotes: `\"{typed}\"`")),
        }
    }

    /// Comments, values and pieces of text that a template cannot have.
    fn not_a_template(&self, error: &Error) -> Diagnostic {
        let (message, _) = words::of_clause(last_clause(error.text()), error.fact());
        let finding = self.at_places(&SYNTAX, error, message);
        let place = finding.primary.span;
        let source = self.sources.get(place.source);
        let is_text = !["yml", "yaml", "star"].iter().any(|ending| source.name().ends_with(ending));
        if !is_text || !matches!(source.kind(), SourceKind::File) {
            return finding;
        }
        match words::unpaired(source.text()) {
            Some((range, message)) => {
                let place = place.source.span(range.start, range.end);
                Diagnostic::new(&SYNTAX, place, message).level(Level::Parse)
            }
            None => finding,
        }
    }

    /// What the reader of YAML says, which has better words; or else what ytt says.
    fn not_yaml(&self, error: &Error) -> Vec<Diagnostic> {
        let place = self.place(error.places().iter());
        let source = self.sources.get(place.source);
        if matches!(source.kind(), SourceKind::File) {
            let stream = trueline_yaml::read(place.source, source.text(), &ReadOptions::default());
            if !stream.errors.is_empty() {
                return stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic).collect();
            }
        }
        // The value of a flag or of a variable: nothing comes before it.
        if let (SourceKind::Flag, Some(at)) = (source.kind(), source.text().find('='))
            && !source.text().contains('\n')
        {
            let value = source.text().get(at + 1..).unwrap_or_default();
            let text: Arc<str> = format!("{}{value}", " ".repeat(at + 1)).into();
            let stream = trueline_yaml::read(place.source, &text, &ReadOptions::default());
            if !stream.errors.is_empty() {
                return stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic).collect();
            }
        }
        let message = match error.text().rsplit_once("yaml: ") {
            Some((_, words)) => first_line(words).to_owned(),
            None => last_clause(error.text()),
        };
        vec![Diagnostic::new(&YAML, place, message).level(Level::Parse)]
    }

    /// Code that failed: at the innermost line that somebody can edit, with the calls that led there.
    fn of_failure(&self, failure: &Failure, error: &Error) -> Vec<Diagnostic> {
        let is_run = failure.frames.iter().any(|frame| frame.function.is_some());
        let said = first_line(&failure.message);
        // Wrong arguments are the fault of the call, not of the function.
        let is_of_call = matches!(&failure.fact, Some(Fact::Language(fault)) if fault.is_of_call());
        let is_of_call = is_of_call && failure.frames.len() > 1;
        let from = usize::from(is_of_call);
        let innermost = failure.frames.iter().skip(from).position(|frame| frame.position.span().is_some());
        let innermost = innermost.map(|index| index + from);
        let outer = failure.frames.iter().skip(innermost.map_or(0, |index| index + 1));
        let traced = |mut finding: Diagnostic| {
            for frame in outer.clone().take(MOST_FRAMES) {
                if let Some(span) = frame.position.span() {
                    finding = finding.frame(self.narrowed(span), "called from here");
                }
            }
            finding
        };
        // A cause with facts of its own is reported with them.
        if let Some(cause) = &failure.cause
            && !matches!(cause.kind(), ErrorKind::Other)
        {
            let called = innermost.and_then(|index| failure.frames.get(index)?.position.span());
            let called = called.map(|span| self.narrowed(span));
            let found = self.findings(cause).into_iter().map(|finding| match called {
                Some(span) if finding.primary.span != span => traced(finding.frame(span, "called from here")),
                _ => traced(finding),
            });
            return found.collect();
        }
        let places = failure.frames.iter().skip(from).map(|frame| &frame.position).chain(error.places());
        let code = if is_run { &TEMPLATE } else { &SYNTAX };
        let level = if is_run { Level::Semantic } else { Level::Parse };
        let fact = failure.fact.as_ref();
        let (mut message, help) = words::of_code(said, fact);
        let mut place = self.place(places);
        let unexpected = match fact {
            Some(Fact::Language(Fault::Unexpected { found, .. })) => found.as_str(),
            _ => "",
        };
        if !is_run && unexpected == "newline" {
            place = self.unfinished(place);
        }
        let source = self.sources.get(place.source);
        let typed = source.slice(place);
        if let Some(path) = words::missing_data_value(fact, typed) {
            message = format!("there is no data value `{path}`");
        }
        // ytt puts a value in parentheses, which nobody typed.
        if let Some(wanted) = message.strip_suffix("found `)`").filter(|_| !typed.contains(')')) {
            message = format!("{wanted}found the end of the code");
        }
        let is_duplicate = matches!(fact, Some(Fact::RepeatedKey { .. }));
        let duplicate = is_duplicate.then(|| self.duplicate_key(place)).flatten();
        let finding = duplicate.unwrap_or_else(|| Diagnostic::new(code, place, message).level(level));
        let finding = traced(finding);
        vec![match help.or_else(|| failure.hint.map(str::to_owned)) {
            Some(help) => finding.help(help),
            None => finding,
        }]
    }

    /// The place of a key in the code that hands it over; else the place of the code.
    pub(super) fn quoted_in(&self, place: Span, key: &str) -> Span {
        let source = self.sources.get(place.source);
        let text = source.slice(place);
        let found = ['"', '\''].iter().find_map(|quote| {
            let quoted = format!("{quote}{key}{quote}");
            Some((text.find(&quoted)?, quoted.len()))
        });
        let base = place.start as usize;
        found.map_or(place, |(at, length)| place.source.span(base + at, base + at + length))
    }

    /// The line that a statement ends on too early: the parser sees that on the next one.
    fn unfinished(&self, place: Span) -> Span {
        let source = self.sources.get(place.source);
        let before = source.text().get(..place.start as usize).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let above = before.get(..start).unwrap_or_default().trim_end_matches(['\n', '\r']);
        let line = above.rfind('\n').map_or(0, |end| end + 1);
        let typed = above.get(line..).unwrap_or_default();
        let code = typed.find("#@").map_or(typed, |at| typed.get(at + 2..).unwrap_or_default());
        let (statement, end) = (code.trim(), line + typed.trim_end().len());
        let opens = ["def ", "if ", "for ", "elif ", "else"].iter().any(|word| statement.starts_with(word));
        let goes_on = statement.ends_with(['=', '+', '-', '*', '/', '%', '|', '&', '<', '>', '.', ',']);
        match opens && !statement.ends_with(':') || goes_on {
            true => place.source.span(end - statement.len(), end),
            false => place,
        }
    }

    /// What the reader of YAML says of a key that was typed twice, which it says of plain files too.
    fn duplicate_key(&self, place: Span) -> Option<Diagnostic> {
        let source = self.sources.get(place.source);
        let is_yaml = source.name().ends_with(".yml") || source.name().ends_with(".yaml");
        if !is_yaml || !matches!(source.kind(), SourceKind::File) {
            return None;
        }
        let stream = trueline_yaml::read(place.source, source.text(), &ReadOptions::default());
        let mut found = stream.documents.iter().flat_map(|document| document.duplicate_diagnostics());
        let mut finding = found.find(|finding| finding.primary.span == place)?;
        // In a template neither of the two counts.
        finding.primary.text.clear();
        finding.help = None;
        Some(finding)
    }

    /// How an overlay is allowed to match nothing.
    fn allow_missing(&self, finding: Diagnostic, fault: &overlay::Fault, key: Option<&str>) -> Diagnostic {
        let Some(span) = fault.annotation.as_ref().and_then(Position::span) else {
            let nearest = fault.missing.as_ref().and_then(|missing| missing.nearest.as_ref());
            return match key {
                Some(_) if nearest.is_some() => {
                    finding.help(format!("did you mean `{}`?", nearest.map_or("", String::as_str)))
                }
                Some(_) => finding.help(
                    "add `#@overlay/match missing_ok=True` above it if it may be missing, or correct the key",
                ),
                None => finding,
            };
        };
        let source = self.sources.get(span.source);
        let typed = source.slice(span).trim_end();
        let decides = ["missing_ok", "expects", "when"].iter().any(|word| typed.contains(word));
        if !typed.starts_with("#@overlay/match ") || decides || typed.contains('\n') {
            return finding;
        }
        let end = span.start as usize + typed.len();
        let edit = Edit { span: span.source.span(end, end), replacement: ", missing_ok=True".into() };
        finding
            .help("correct what is matched, or allow it to match nothing")
            .fix("add `missing_ok=True`", vec![edit])
    }

    fn of_overlay(&self, fault: &overlay::Fault, error: &Error) -> Diagnostic {
        let places = fault.places.iter().chain(&fault.annotation).chain(error.places());
        let mut primary = self.place(places);
        if let Some(missing) = &fault.missing {
            primary = self.quoted_in(primary, &missing.key);
        }
        let source = self.sources.get(primary.source);
        // Without an annotation an item of a map is merged into the one with the same key.
        let key = Some(source.slice(primary))
            .filter(|text| fault.annotation.is_none() && text.starts_with(char::is_alphanumeric))
            .filter(|text| !text.contains('\n'));
        if let Some(missing) = fault.missing.as_ref().filter(|missing| missing.is_of_schema) {
            let message = format!("`{}` is not declared in the schema", words::without_verbs(&missing.key));
            let finding = Diagnostic::new(&DATA_VALUE, primary, message).level(Level::Schema);
            return match &missing.nearest {
                Some(nearest) => finding.help(format!("did you mean `{nearest}`?")),
                None => finding,
            };
        }
        let message = match (&fault.problem, key) {
            (overlay::Problem::Count { found: 0, .. }, Some(key)) => {
                format!("there is no key `{key}` to merge this into")
            }
            (overlay::Problem::Count { expected: Some(expected), found }, _) => {
                format!("this overlay matches {}, expected {expected}", nodes(*found))
            }
            (overlay::Problem::Count { expected: None, found }, _) => {
                format!("this overlay matches {}, which its `expects` does not allow", nodes(*found))
            }
            (overlay::Problem::Kind { expected, found }, _) => {
                format!("cannot merge {} into {}", a_kind(expected), a_kind(found))
            }
            (overlay::Problem::Duplicate { key }, _) => {
                format!("this overlay gives several items of one map the key `{}`", words::without_verbs(key))
            }
            _ => words::of_clause(last_clause(&fault.text), fault.fact.as_ref()).0,
        };
        let mut finding = Diagnostic::new(&OVERLAY, primary, message).level(Level::Semantic);
        if let Some(span) = fault.annotation.as_ref().and_then(Position::span)
            && span != primary
        {
            finding = finding.related(span, "the annotation that asks for it");
        }
        let others = fault.places.iter().filter_map(Position::span).filter(|span| *span != primary);
        for span in others.take(MOST_MATCHES) {
            let label = match fault.problem {
                overlay::Problem::Kind { .. } => "merged into this",
                overlay::Problem::Count { .. } => "matched",
                _ => "compared with this",
            };
            finding = finding.related(span, label);
        }
        match fault.problem {
            overlay::Problem::Count { found: 0, .. } => self.allow_missing(finding, fault, key),
            _ => finding,
        }
    }

    fn of_report(&self, report: &Report) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for invalid in &report.invalid {
            let mut place = self.place([&invalid.place, &invalid.position].into_iter());
            // A document without `---` is where its first key is, which need not be what is wrong.
            let source = self.sources.get(place.source);
            if invalid.path == "(document)" && !source.slice(place).starts_with("---") {
                place = place.at_start();
            }
            for broken in &invalid.violations {
                let words = broken::worded(invalid.path.as_str(), broken);
                let mut finding = Diagnostic::new(&VALIDATION, place, words.message).level(Level::Semantic);
                if let Some(rule) = broken.rule.span() {
                    finding = finding.related(rule, "the rule is here");
                }
                finding = finding.path(invalid.path.as_str());
                finding = words.help.into_iter().fold(finding, Diagnostic::help);
                findings.push(finding);
            }
        }
        findings
    }
}

fn nodes(count: usize) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "1 node".to_owned(),
        _ => format!("{count} nodes"),
    }
}

/// ytt's names for nodes in messages about overlays.
fn a_kind(kind: &str) -> String {
    match kind {
        "map" => "a map".to_owned(),
        "array" => "a list".to_owned(),
        "doc" => "a document".to_owned(),
        "docset" => "a set of documents".to_owned(),
        "null" => "null".to_owned(),
        "integer" => "an integer".to_owned(),
        "float" => "a number".to_owned(),
        other => format!("a {other}"),
    }
}

fn first_line(text: &str) -> &str {
    // Where several things may have failed, ytt lists them.
    let text = text.trim_start();
    text.strip_prefix("- ").unwrap_or(text).lines().next().unwrap_or_default().trim_end()
}

/// The problem without the contexts that ytt puts before it, which the place says already.
fn last_clause(text: &str) -> String {
    let mut lines = text.trim_start().lines().map(str::trim).filter(|line| !line.is_empty());
    // A line that ends with a colon is a context as well.
    let line = lines.find(|line| !line.ends_with(':')).unwrap_or_else(|| first_line(text));
    let mut rest = line.strip_prefix("- ").unwrap_or(line);
    while let Some((context, clause)) = outside_brackets(rest) {
        let is_context = context.split_whitespace().next().is_some_and(|word| {
                word.ends_with("ing") && word.chars().next().is_some_and(char::is_uppercase)
            }) || context.starts_with("Document on line")
                || context.starts_with("Annotation ")
                || context.starts_with("Find files ")
                // Functions that templates are compiled to are not for readers.
                || context.starts_with("__ytt_")
                || context.starts_with("Map item")
                || context.starts_with("Array item");
        if !is_context || clause.trim().is_empty() {
            break;
        }
        rest = clause.trim_start();
    }
    uncapitalized(rest)
}

/// The text before and after the first colon that is not in parentheses.
fn outside_brackets(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (offset, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && text.get(offset..).is_some_and(|rest| rest.starts_with(": ")) => {
                return Some((text.get(..offset)?, text.get(offset + 2..)?));
            }
            _ => {}
        }
    }
    None
}

fn uncapitalized(text: &str) -> String {
    let mut characters = text.chars();
    let second = text.chars().nth(1);
    match characters.next() {
        Some(first) if second.is_some_and(char::is_lowercase) => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Our words for a file that is not there.
fn of_file(clause: String) -> String {
    let path =
        clause.strip_prefix("lstat ").and_then(|rest| rest.strip_suffix(": no such file or directory"));
    path.map(|path| format!("`{path}` does not exist")).unwrap_or(clause)
}
