//! What templates print, compared with what was typed: marks that Go leaves in the text where a format does not fit,
//! maps in Go's own notation, and numbers and booleans whose text has changed on the way.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Edit, Frame, Level, RENDERED, typed_place};
use trueline_helm::chart::{Chart, File};
use trueline_helm::release::RenderedFile;
use trueline_source::{Origin, OriginMap, OriginRun, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Data, MapEntry, NodeId, ReadOptions, ScalarStyle, ScalarValue, Value};

use super::codes::{BAD_VERB, GO_MAP, PRINTED_OTHERWISE};
use crate::rendering::RenderedDocument;

/// No number or boolean is typed with more bytes than these.
const LONGEST: usize = 64;

/// The functions that write numbers so that they can be read again as numbers.
const STRUCTURES: [&str; 5] = ["toYaml", "toJson", "toPrettyJson", "toRawJson", "toToml"];

/// What an action names that prints a map or a format by itself, and not text from elsewhere.
const MAKERS: [&str; 3] = ["printf", "dict", ".Values"];

/// How many runs a key may stand before its value: there are quotes and a colon between them.
const NEAR: usize = 4;

/// A mark in rendered text, and what is said of it.
#[derive(Debug)]
pub(super) struct Mark {
    /// Its place in the rendered text.
    pub(super) span: Span,
    pub(super) finding: Diagnostic,
    /// Whether its action may have copied it, such as from a file.
    may_be_copied: bool,
}

impl Mark {
    /// Whether a finding is about the text that holds the mark.
    pub(super) fn covers(&self, finding: &Diagnostic) -> bool {
        let place = finding.primary.span;
        place.source == self.span.source && place.start < self.span.end && self.span.start < place.end
    }
}

/// Leaves out marks that may be copies of text that the chart's own files hold.
pub(super) fn without_copies(marks: &mut Vec<Mark>, chart: &Chart) {
    if !marks.iter().any(|mark| mark.may_be_copied) {
        return;
    }
    let (holds_verb, holds_map) = (has_file_with(chart, "%!"), has_file_with(chart, "map["));
    marks.retain(|mark| {
        !mark.may_be_copied || !(if mark.finding.code == &BAD_VERB { holds_verb } else { holds_map })
    });
}

fn has_file_with(chart: &Chart, words: &str) -> bool {
    let holds = |file: &File| memchr::memmem::find(&file.data, words.as_bytes()).is_some();
    chart.files.iter().chain(chart.templates.iter()).any(holds)
        || chart.dependencies.iter().any(|dependency| has_file_with(dependency, words))
}

/// What is said of marks, once for each place that somebody can change.
pub(super) fn once(marks: Vec<Mark>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut seen: FxHashSet<(&'static str, Span, String)> = FxHashSet::default();
    let findings = marks.into_iter().map(|mark| mark.finding);
    findings
        .filter(|finding| {
            let place = typed_place(finding.primary.span, sources);
            seen.insert((finding.code.id, place, finding.message.clone()))
        })
        .collect()
}

/// The marks that Go left in a rendered text. Only what an action wrote itself is one: templates and values may hold
/// such text as any other.
pub(super) fn marks(source: SourceId, text: &str, origins: &OriginMap, sources: &SourceMap) -> Vec<Mark> {
    let runs = Runs { source, text, origins, sources };
    let verbs = memchr::memmem::find_iter(text.as_bytes(), "%!").filter_map(|start| runs.bad_verb(start));
    let maps = memchr::memmem::find_iter(text.as_bytes(), "map[").filter_map(|start| runs.go_map(start));
    let mut marks: Vec<Mark> = verbs.chain(maps).collect();
    // One inside of another belongs to it.
    marks.sort_by_key(|mark| mark.span.start);
    let mut end = 0;
    marks.retain(|mark| {
        let is_outside = mark.span.start >= end;
        end = end.max(mark.span.end);
        is_outside
    });
    marks
}

struct Runs<'a> {
    source: SourceId,
    text: &'a str,
    origins: &'a OriginMap,
    sources: &'a SourceMap,
}

impl Runs<'_> {
    /// The action that wrote a byte, the value that it printed, and where its run begins; nothing for text of a
    /// template, and where the action or the value itself holds `words`.
    fn writer(&self, offset: usize, words: &str) -> Option<(Span, Option<Span>, usize)> {
        let runs = self.origins.runs();
        let index = runs.partition_point(|run| run.start as usize <= offset).checked_sub(1)?;
        let run = runs.get(index)?;
        let Origin::Computed { action, value } = run.origin else { return None };
        let holds = |span: Span| self.sources.get(span.source).slice(span).contains(words);
        if holds(action) || value.is_some_and(holds) {
            return None;
        }
        Some((action, value, run.start as usize))
    }

    fn may_be_copied(&self, action: Span, value: Option<Span>) -> bool {
        let source = self.sources.get(action.source);
        let code = source.slice(action);
        value.is_none() && (code.contains(".Files") || !MAKERS.iter().any(|maker| code.contains(maker)))
    }

    /// A mark such as `%!s(float64=1.1)`.
    fn bad_verb(&self, start: usize) -> Option<Mark> {
        let (action, value, _) = self.writer(start, "%!")?;
        let rest = self.text.get(start.saturating_add(2)..)?;
        let open = rest.find('(').filter(|&open| open <= 4)?;
        let verb = rest.get(..open)?;
        let length = closing(rest.get(open..)?)?;
        let inside = rest.get(open.saturating_add(1)..open.saturating_add(length))?;
        let end = start.saturating_add(open).saturating_add(length).saturating_add(3);
        let span = self.source.span(start, end);
        let at = |message: String| Diagnostic::new(&BAD_VERB, span, message).level(Level::Semantic);
        let finding = match (verb, inside) {
            ("", "NOVERB") => {
                at("a `%` in this format has no verb".to_owned()).help("write `%%` for a percent sign")
            }
            ("", _) if inside.starts_with("EXTRA ") => {
                at("`printf` has more arguments than its format has verbs".to_owned())
            }
            ("", "BADWIDTH" | "BADPREC") => {
                at("the width or precision of a verb is not an integer".to_owned())
            }
            (_, "MISSING" | "BADINDEX") => at(format!("`printf` has no argument for `%{verb}`")),
            (_, "<nil>") => at(format!("`%{verb}` is given a value that is not set"))
                .help("give it a default, such as `default \"\"`, or set the value"),
            _ => self.mismatch(verb, inside, end, span)?,
        };
        Some(Mark { span, finding, may_be_copied: self.may_be_copied(action, value) })
    }

    /// A value of a type that its verb does not print.
    fn mismatch(&self, verb: &str, inside: &str, end: usize, span: Span) -> Option<Diagnostic> {
        let (type_name, printed) = inside.split_once('=')?;
        let found = match type_name {
            "string" => "the string",
            "bool" => "the boolean",
            "float64" | "int" | "int64" | "uint64" => "the number",
            name if name.starts_with("map[") => "the map",
            name if name.starts_with("[]") => "the list",
            _ => "the value",
        };
        let wanted = match verb {
            "s" | "q" => "a string",
            "d" | "c" | "b" | "o" | "O" | "U" => "an integer",
            "f" | "F" | "e" | "E" | "g" | "G" => "a number with a fraction",
            "t" => "a boolean",
            "x" | "X" => "a string or a number",
            "p" => "a pointer",
            _ => {
                let message = format!("`%{verb}` is not a verb of `printf`");
                let finding = Diagnostic::new(&BAD_VERB, span, message).level(Level::Semantic);
                return Some(finding.help("`%v` prints any value"));
            }
        };
        if type_name == "float64" && wanted == "an integer" {
            let message = format!("`%{verb}` expects an integer, and numbers in values are floating-point");
            let finding = Diagnostic::new(&BAD_VERB, span, message).level(Level::Semantic);
            return Some(finding.help("convert it with `int` before it is printed, or print it with `%v`"));
        }
        // The value alone: that is what was typed.
        let start = end.saturating_sub(1).saturating_sub(printed.len());
        let place = self.source.span(start, end.saturating_sub(1));
        let typed = self.sources.resolve(place).value;
        let shown = typed.map(|typed| self.sources.get(typed.source).slice(typed).to_owned());
        let shown = shown.filter(|shown| !shown.contains('\n')).unwrap_or_else(|| printed.to_owned());
        let message = format!("`%{verb}` expects {wanted}, found {found} `{shown}`");
        let place = if typed.is_some() { place } else { span };
        let finding = Diagnostic::new(&BAD_VERB, place, message).level(Level::Semantic);
        let quoted =
            typed.filter(|&typed| wanted == "a string" && is_changeable(typed, &shown, self.sources));
        let finding = finding.help("`%v` prints any value");
        Some(match quoted {
            Some(typed) => {
                finding.fix("quote it", vec![Edit { span: typed, replacement: format!("\"{shown}\"") }])
            }
            None => finding,
        })
    }

    /// A map such as `map[a:b]`.
    fn go_map(&self, start: usize) -> Option<Mark> {
        let (action, value, run) = self.writer(start, "map[")?;
        let rest = self.text.get(start..)?;
        let length = closing(rest.get(3..)?)?;
        let inside = rest.get(4..length.saturating_add(3))?;
        // A name of a type is `map[string]interface {}`. What an action makes by itself may hold any text, but the map
        // that it prints begins it, in quotes and lists or not.
        let is_map = inside.is_empty() || inside.contains(':');
        if !is_map || !self.text.get(run..start)?.chars().all(|before| matches!(before, '"' | '\'' | '[')) {
            return None;
        }
        // The keys and values of a map that was typed have places of their own. What is one run with its content is
        // made by the action, and the value is only a part of it.
        let begins_content = u32::try_from(start.saturating_add(4)).ok()?;
        let is_typed = inside.is_empty()
            || self.origins.runs().binary_search_by_key(&begins_content, |run| run.start).is_ok();
        let may_be_copied = self.may_be_copied(action, value);
        let value = value.filter(|_| is_typed);
        let end = start.saturating_add(length).saturating_add(4);
        let span = self.source.span(start, end);
        let line = self.text.get(..start)?.rfind('\n').map_or(0, |newline| newline.saturating_add(1));
        let before = self.text.get(line..start)?;
        let after = self.text.get(end..)?.split('\n').next().unwrap_or_default().trim();
        let is_alone = after.is_empty() && (before.ends_with(": ") || before.ends_with("- "));
        let message = "a map is printed in Go's notation, which is not YAML";
        let mut finding = match value {
            // A string was wanted, and somebody gave a map.
            Some(value) if !is_alone => Diagnostic::new(&GO_MAP, first_line(value, self.sources), message)
                .related(self.template(action, start), "printed as a part of a string here")
                .help("set a string here, or print one field of the map"),
            _ => Diagnostic::new(&GO_MAP, self.template(action, start), message).help(if is_alone {
                "print it with `toYaml` and `nindent`"
            } else {
                "print it with `toJson`, or print one field of the map"
            }),
        };
        finding.trace.push(Frame { span, text: RENDERED.to_owned() });
        Some(Mark { span, finding: finding.level(Level::Semantic), may_be_copied })
    }

    /// The action of the rendered template that an action was called from.
    fn template(&self, action: Span, offset: usize) -> Span {
        self.origins.caller(u32::try_from(offset).unwrap_or(u32::MAX)).unwrap_or(action)
    }
}

/// Where the bracket closes that a string begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth = depth.saturating_add(1),
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index);
                }
            }
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// A place up to the end of its first line.
fn first_line(span: Span, sources: &SourceMap) -> Span {
    let source = sources.get(span.source);
    let length = source.slice(span).find('\n').unwrap_or(usize::MAX);
    Span { end: span.end.min(span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX))), ..span }
}

/// Whether a value can be changed by an edit of a file.
fn is_changeable(value: Span, typed: &str, sources: &SourceMap) -> bool {
    matches!(sources.get(value.source).kind(), SourceKind::File) && !typed.contains(['"', '\'', '\\', '\n'])
}

/// A value whose text is not what was typed.
pub(super) struct Changed {
    /// Where it was typed.
    pub(super) value: Span,
    pub(super) typed: String,
    pub(super) finding: Diagnostic,
}

/// The values that documents hold as other text than was typed, each once. A number that is still the same number, and
/// a boolean that is still the same one, is what its author meant.
pub(super) fn changed(documents: &[RenderedDocument], sources: &SourceMap) -> Vec<Changed> {
    let mut changed: Vec<Changed> = Vec::new();
    let mut seen: FxHashSet<Span> = FxHashSet::default();
    let mut texts: FxHashMap<SourceId, Arc<trueline_source::Source>> = FxHashMap::default();
    for rendered in documents {
        let source = sources.get(rendered.source);
        let SourceKind::Rendered(origins) = source.kind() else { continue };
        let text = source.text();
        let mut scalars: Option<Vec<Scalar>> = None;
        let ends = origins.runs().iter().skip(1).map(|run| run.start as usize).chain([text.len()]);
        for (run, end) in origins.runs().iter().zip(ends) {
            let Origin::Computed { value: Some(value), action } = run.origin else { continue };
            if value.end.saturating_sub(value.start) as usize > LONGEST || seen.contains(&value) {
                continue;
            }
            let start = run.start as usize;
            let Some(printed) = text.get(start..end) else { continue };
            let typed_in = texts.entry(value.source).or_insert_with(|| sources.get(value.source));
            let typed = typed_in.slice(value);
            let bare = printed.trim_matches(['"', '\'', ' ', '\n']);
            if bare == typed || bare.len() > LONGEST {
                continue;
            }
            let Some(kind) = same_value(typed, bare) else { continue };
            let code = sources.get(action.source).slice(action).to_owned();
            let is_structured = STRUCTURES.iter().any(|function| code.contains(function))
                || is_printed_with_key((value, action), run.start, origins.runs(), typed_in.text());
            if has_number_verb(&code) {
                continue;
            }
            let scalars = scalars.get_or_insert_with(|| scalars_of(rendered));
            let offset = start.saturating_add(printed.find(bare).unwrap_or(0));
            let place = rendered.source.span(offset, offset.saturating_add(bare.len()));
            let is_number =
                is_structured && (kind == "boolean" || has_exponent(typed) || !has_exponent(bare));
            if !scalars.iter().any(|scalar| scalar.keeps_text(place) && (scalar.is_key || !is_number)) {
                continue;
            }
            seen.insert(value);
            let message = format!("`{typed}` is read as a {kind} and printed as `{bare}`");
            let finding = Diagnostic::new(&PRINTED_OTHERWISE, place, message).level(Level::Semantic);
            changed.push(Changed { value, typed: typed.to_owned(), finding });
        }
    }
    changed
}

/// Whether the key of a value is printed before it by the same action, as it is where a whole structure is.
fn is_printed_with_key((value, action): (Span, Span), start: u32, runs: &[OriginRun], typed: &str) -> bool {
    let here = runs.partition_point(|run| run.start < start);
    let before = runs.iter().take(here).rev().take(NEAR);
    before.into_iter().any(|run| {
        let Origin::Computed { value: Some(key), action: printed_by } = run.origin else { return false };
        let between = typed.get(key.end as usize..value.start as usize).unwrap_or_default();
        printed_by == action
            && key.source == value.source
            && between.trim_start_matches(['"', '\'']).trim_end() == ":"
    })
}

/// What is typed as a number or a boolean, if `printed` is another spelling of it.
fn same_value(typed: &str, printed: &str) -> Option<&'static str> {
    // Most values are strings, and most of them begin like one.
    let first = typed.chars().next()?;
    if !first.is_ascii_digit()
        && !matches!(first, '+' | '-' | '.' | 'y' | 'Y' | 'n' | 'N' | 't' | 'T' | 'f' | 'F' | 'o' | 'O')
    {
        return None;
    }
    let (kind, number) = match scalar(typed)? {
        ScalarValue::Bool(value) => return (printed == value.to_string()).then_some("boolean"),
        ScalarValue::Int(number) => ("number", number as f64),
        ScalarValue::UInt(number) => ("number", number as f64),
        ScalarValue::Float(number) => ("number", number),
        ScalarValue::Null | ScalarValue::String => return None,
    };
    (printed.parse() == Ok(number)).then_some(kind)
}

/// What a string is as a plain scalar.
fn scalar(text: &str) -> Option<ScalarValue> {
    let stream = trueline_yaml::read(SourceId::from_index(0), &text.into(), &ReadOptions::default());
    let document = stream.documents.first().filter(|_| stream.errors.is_empty())?;
    document.root().style().filter(|&style| style == ScalarStyle::Plain)?;
    document.root().scalar()
}

/// A scalar of a document.
struct Scalar {
    span: Span,
    is_key: bool,
    /// Whether it is a number or a boolean itself, and no key.
    is_plain_value: bool,
    /// Whether it is a number with an exponent or a fraction.
    is_float: bool,
}

impl Scalar {
    /// Whether the text at a place is a part of it, and counts as text.
    fn keeps_text(&self, place: Span) -> bool {
        let is_inside = self.span.start <= place.start && place.end <= self.span.end;
        // A large integer that is printed as `1e+06` is no integer any more.
        is_inside && !(self.is_plain_value && self.span == place && !self.is_float)
    }
}

fn scalars_of(rendered: &RenderedDocument) -> Vec<Scalar> {
    let document = &rendered.document;
    let entries = document.nodes().filter_map(|node| node.written_entries());
    let keys: FxHashSet<NodeId> = entries.flat_map(|entries| entries.map(|(key, _)| key.id())).collect();
    let scalars = document.nodes().filter_map(|node| {
        let value = node.scalar()?;
        let is_key = keys.contains(&node.id());
        Some(Scalar {
            span: node.span(),
            is_key,
            is_plain_value: !is_key && !matches!(value, ScalarValue::String),
            is_float: matches!(value, ScalarValue::Float(_)) && has_exponent(node.text().unwrap_or_default()),
        })
    });
    scalars.collect()
}

/// Whether a format says itself how a number is printed.
fn has_number_verb(code: &str) -> bool {
    code.contains("printf")
        && code.split('%').skip(1).any(|after| {
            let verb = after.trim_start_matches(|character: char| {
                character.is_ascii_digit() || "+-# .".contains(character)
            });
            verb.starts_with(['f', 'F', 'e', 'E', 'g', 'G', 'd', 'x', 'X', 'o', 'b'])
        })
}

fn has_exponent(text: &str) -> bool {
    text.contains(['e', 'E'])
}

/// How many marks of Go there may be in what was rendered.
pub(super) fn count_marks(files: &[RenderedFile]) -> usize {
    files.iter().map(|file| memchr::memmem::find_iter(&file.text, "%!").count()).sum()
}

/// The values that are printed as they were typed once they are strings. One that a template converts into a number is
/// not.
pub(super) fn kept<'f>(
    texts: &FxHashMap<Span, String>,
    files: impl IntoIterator<Item = &'f RenderedFile>,
) -> FxHashSet<Span> {
    let mut kept: FxHashSet<Span> = texts.keys().copied().collect();
    for file in files {
        let runs = file.origins.runs();
        let ends = runs.iter().skip(1).map(|run| run.start as usize).chain([file.text.len()]);
        for (run, end) in runs.iter().zip(ends) {
            let Origin::Computed { value: Some(value), .. } = run.origin else { continue };
            let Some(typed) = texts.get(&value) else { continue };
            let printed = file.text.get(run.start as usize..end).unwrap_or_default();
            let printed = String::from_utf8_lossy(printed);
            let bare = printed.trim_matches(['"', '\'', ' ', '\n']);
            if bare != typed && bare.len() <= LONGEST && same_value(typed, bare).is_some() {
                kept.remove(&value);
            }
        }
    }
    kept
}

/// The same values, with some of them as the strings that were typed.
pub(super) fn with_strings(value: &Value, texts: &FxHashMap<Span, String>) -> Value {
    let typed = value.origin.and_then(|origin| texts.get(&origin));
    let data = match &value.data {
        Data::List(items) => {
            Data::List(Arc::new(items.iter().map(|item| with_strings(item, texts)).collect()))
        }
        Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                let value = with_strings(&entry.value, texts);
                (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value })
            });
            Data::Map(Arc::new(entries.collect()))
        }
        other => typed.map_or_else(|| other.clone(), |typed| Data::String(typed.as_str().into())),
    };
    Value { data, origin: value.origin }
}

/// The findings about changed values, beside those that were found already: an error at the same value is explained by
/// it. `as_strings` says which of them the chart takes as strings and prints as they were typed.
pub(super) fn reported(
    changed: Vec<Changed>,
    findings: &mut [Diagnostic],
    sources: &SourceMap,
    as_strings: impl FnOnce(&FxHashMap<Span, String>) -> FxHashSet<Span>,
) -> Vec<Diagnostic> {
    if changed.is_empty() {
        return Vec::new();
    }
    let texts: FxHashMap<Span, String> = changed.iter().map(|one| (one.value, one.typed.clone())).collect();
    let as_strings = as_strings(&texts);
    let mut places: FxHashMap<Span, usize> = FxHashMap::default();
    for (index, finding) in findings.iter().enumerate() {
        places.entry(typed_place(finding.primary.span, sources)).or_insert(index);
    }
    let mut reported = Vec::new();
    for Changed { value, typed, finding } in changed {
        let known = places.get(&value).and_then(|&index| findings.get_mut(index));
        let quoted = format!("\"{typed}\"");
        let is_flag = matches!(sources.get(value.source).kind(), SourceKind::Flag);
        let can_quote = as_strings.contains(&value);
        let advise = |finding: Diagnostic| match can_quote && is_changeable(value, &typed, sources) {
            true => {
                let edit = Edit { span: value, replacement: quoted };
                finding.fix("quote it to keep the text", vec![edit])
            }
            false if is_flag && can_quote => finding.help("give it with `--set-string` to keep the text"),
            false => finding,
        };
        match known {
            Some(known) if known.code == &BAD_VERB => {}
            Some(known) => {
                let told = known.clone().help(finding.message.clone());
                *known = if told.fix.is_some() { told } else { advise(told) };
            }
            None => reported.push(advise(finding)),
        }
    }
    reported
}
