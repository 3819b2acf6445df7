//! Turns violations into messages: what was expected, what was found, and how to fix it.
//!
//! Each file has one family of keywords. What every message needs (the name of the place, an excerpt, the
//! schema's own description) is here.

pub(crate) mod choice;
pub(crate) mod describe;
pub(crate) mod excerpt;
pub(crate) mod forbidden;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod kind;
pub(crate) mod list;
pub(crate) mod missing;
pub(crate) mod names;
pub(crate) mod notation;
pub(crate) mod number;
pub(crate) mod other;
pub(crate) mod pattern;
pub(crate) mod route;
pub(crate) mod scalar;
pub(crate) mod secret;
pub(crate) mod size;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tree;
pub(crate) mod unknown;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Label, Level, SchemaPlace};
use trueline_source::{SourceKind, SourceMap, Span};

use crate::closest::{self, Choice};
use crate::{Instance, InstancePlace, SchemaLookup, Violation, deprecated, error_message, help};
use route::Route;

/// The codes of broken rules and deprecated fields.
pub(crate) const CODES: &[&Code] = &[
    &kind::WRONG_TYPE,
    &missing::MISSING_PROPERTY,
    &unknown::UNKNOWN_PROPERTY,
    &choice::NOT_ONE_OF,
    &choice::WRONG_CONSTANT,
    &number::OUT_OF_RANGE,
    &number::NOT_A_MULTIPLE,
    &size::WRONG_LENGTH,
    &pattern::WRONG_PATTERN,
    &format::WRONG_FORMAT,
    &size::WRONG_ITEM_COUNT,
    &list::DUPLICATE_ITEM,
    &list::MISSING_ITEM,
    &list::UNEXPECTED_ITEM,
    &names::WRONG_NAME,
    &forbidden::FORBIDDEN,
    &form::NO_FORM,
    &form::SEVERAL_FORMS,
    &missing::MISSING_DEPENDENT,
    &size::WRONG_FIELD_COUNT,
    &other::WRONG_CONTENT,
    &deprecated::DEPRECATED_PROPERTY,
    &other::OTHER_RULE,
];

/// What the wording needs: the document, its schema and their sources.
#[derive(Clone, Copy)]
pub struct WordingContext<'a> {
    /// The sources of document and schema.
    pub sources: &'a SourceMap,
    /// The schema that the document was validated against.
    pub schema: &'a dyn SchemaLookup,
    /// The document.
    pub instance: Instance<'a>,
    /// The place to name if a value has none of its own.
    pub fallback: Span,
}

/// Turns broken rules, and deprecated fields that the document uses, into findings.
///
/// Of a choice of forms (`anyOf`, `oneOf`) the closest one is reported, not all of them. Findings come in the
/// order of the violations; deprecated fields follow in the order of the document.
pub fn diagnose(violations: &[Violation], context: &WordingContext<'_>) -> Vec<Diagnostic> {
    let words = Words::new(context);
    let mut findings = Findings::default();
    // A worklist instead of recursion: forms may be nested as deep as the document.
    let mut work: Vec<(Cow<'_, Violation>, Option<Rc<str>>)> =
        violations.iter().rev().map(|violation| (Cow::Borrowed(violation), None)).collect();
    while let Some((violation, note)) = work.pop() {
        let route = words.route(&violation);
        if matches!(violation.keyword.as_str(), "anyOf" | "oneOf")
            && error_message::for_rule(&words, &violation, &route, None).is_none()
        {
            match closest::choose(&words, &violation, &route) {
                Choice::Branch { index, note: form } => {
                    let note = form.map(Rc::from).or(note);
                    let causes = match violation {
                        Cow::Borrowed(violation) => violation
                            .causes
                            .get(index)
                            .map(|causes| causes.iter().map(Cow::Borrowed).collect::<Vec<_>>())
                            .unwrap_or_default(),
                        Cow::Owned(_) => Vec::new(),
                    };
                    work.extend(causes.into_iter().rev().map(|cause| (cause, note.clone())));
                    continue;
                }
                Choice::Values(merged) => {
                    work.push((Cow::Owned(*merged), note));
                    continue;
                }
                Choice::Nothing => {}
            }
        }
        for (name, mut diagnostic) in words.word(&violation, &route) {
            if let Some(note) = &note {
                diagnostic = diagnostic.help(note.to_string());
            }
            let custom = error_message::for_rule(&words, &violation, &route, name.as_deref());
            findings.add(diagnostic, custom);
        }
    }
    let mut list = findings.list;
    misspelt_once(&mut list);
    list.extend(deprecated::deprecations(&words));
    list
}

/// A misspelt field is one mistake, so the field that was meant is not also reported as missing.
fn misspelt_once(findings: &mut Vec<Diagnostic>) {
    let renamed = findings.iter().filter(|finding| finding.code == &unknown::UNKNOWN_PROPERTY);
    let renamed: FxHashSet<(Option<String>, String)> = renamed
        .filter_map(|finding| match finding.fix.as_ref()?.edits.as_slice() {
            [edit] => Some((finding.path.clone(), excerpt::quote(&edit.replacement))),
            _ => None,
        })
        .collect();
    if renamed.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let name = finding.primary.text.split_once(missing::MUST_BE_SET).map(|(name, _)| name.to_owned());
        finding.code != &missing::MISSING_PROPERTY
            || name.is_none_or(|name| !renamed.contains(&(finding.path.clone(), name)))
    });
}

/// Removes repeated findings.
#[derive(Default)]
struct Findings {
    list: Vec<Diagnostic>,
    seen: FxHashSet<(&'static str, Span, String)>,
    /// A message by the schema's author is reported once for everything that is wrong in its scope.
    spoken: FxHashMap<(String, String), usize>,
}

impl Findings {
    fn add(&mut self, mut diagnostic: Diagnostic, custom: Option<error_message::Custom>) {
        if !self.seen.insert((diagnostic.code.id, diagnostic.primary.span, diagnostic.message.clone())) {
            return;
        }
        if let Some(custom) = custom {
            let ours = std::mem::replace(&mut diagnostic.message, custom.message.clone());
            match self.spoken.entry((custom.reach, custom.message)) {
                std::collections::hash_map::Entry::Occupied(entry) => {
                    // A few facts are enough if one message was written for many.
                    if let Some(first) = self.list.get_mut(*entry.get())
                        && first.help.as_ref().is_none_or(|help| help.lines().count() < 6)
                    {
                        first.help = Some(join(first.help.take(), &ours));
                    }
                    return;
                }
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(self.list.len());
                    diagnostic.help = Some(match diagnostic.help.take() {
                        Some(help) => format!("{ours}\n{help}"),
                        None => ours,
                    });
                }
            }
        }
        self.list.push(diagnostic);
    }
}

fn join(help: Option<String>, line: &str) -> String {
    match help {
        Some(help) => format!("{help}\n{line}"),
        None => line.to_owned(),
    }
}

/// A finding, and the name of the property that it is about, if that is not the last part of the path.
pub(crate) type Worded = (Option<String>, Diagnostic);

/// The context with what is cached between messages.
pub(crate) struct Words<'a> {
    /// The context.
    pub context: &'a WordingContext<'a>,
    finder: tree::Finder<'a>,
    routes: RefCell<FxHashMap<String, Rc<Route<'a>>>>,
    suggestions: RefCell<FxHashMap<(String, String), Option<String>>>,
    compared: Cell<usize>,
    first_lines: RefCell<FxHashMap<Span, Span>>,
}

/// How many names and values of one document are compared with known ones; comparing costs time, and a document
/// with more mistakes than this is wrong as a whole.
const SUGGESTIONS: usize = 1_000;

/// How many known names and values they are compared with altogether.
const COMPARISONS: usize = 100_000;

impl<'a> Words<'a> {
    pub(crate) fn new(context: &'a WordingContext<'a>) -> Self {
        Words {
            context,
            finder: tree::Finder::new(context.instance),
            routes: RefCell::default(),
            suggestions: RefCell::default(),
            compared: Cell::default(),
            first_lines: RefCell::default(),
        }
    }

    /// The target of a pointer, with its place.
    pub(crate) fn at(&self, pointer: &str) -> Option<(Instance<'a>, InstancePlace)> {
        self.finder.at(pointer)
    }

    /// The schemas on the path to a rule.
    pub(crate) fn route(&self, violation: &Violation) -> Rc<Route<'a>> {
        // Many violations may be of one rule in many items, which share the path.
        let key = format!("{}\n{}", violation.evaluation_path, violation.schema_path);
        if let Some(route) = self.routes.borrow().get(&key) {
            return Rc::clone(route);
        }
        let route = Rc::new(Route::to(self.context.schema, violation));
        self.routes.borrow_mut().insert(key, Rc::clone(&route));
        route
    }

    /// The findings of one violation, complete.
    fn word(&self, violation: &Violation, route: &Route<'a>) -> Vec<Worded> {
        let mut worded = self.word_rule(violation, route);
        for (_, diagnostic) in &mut worded {
            self.finish(diagnostic, violation, route);
        }
        worded
    }

    /// The messages of one violation.
    pub(crate) fn word_rule(&self, violation: &Violation, route: &Route<'_>) -> Vec<Worded> {
        match violation.keyword.as_str() {
            "type" => one(kind::word(self, violation, route)),
            "enum" | "const" => one(choice::word(self, violation, route)),
            "required" | "dependentRequired" | "dependencies" => missing::word(self, violation, route),
            "additionalProperties" | "unevaluatedProperties" => unknown::word(self, violation, route),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                one(number::word(self, violation, route))
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                one(size::word(self, violation))
            }
            "pattern" => one(pattern::word(self, violation, route)),
            "format" => one(format::word(self, violation)),
            "uniqueItems" | "contains" | "minContains" | "maxContains" | "additionalItems"
            | "unevaluatedItems" => one(list::word(self, violation, route)),
            "propertyNames" => names::word(self, violation),
            "not" | "false" => one(forbidden::word(self, violation, route)),
            "anyOf" | "oneOf" => one(form::word(self, violation, route)),
            _ => one(other::word(self, violation)),
        }
    }

    /// Adds what every finding has: its level, path, rule, and what the schema says about the place.
    fn finish(&self, diagnostic: &mut Diagnostic, violation: &Violation, route: &Route<'a>) {
        diagnostic.level = Some(Level::Schema);
        diagnostic.path = Some(violation.instance_path.clone());
        diagnostic.schema =
            Some(SchemaPlace { path: violation.schema_path.clone(), keyword: violation.keyword.clone() });
        let names_concerned = matches!(
            violation.keyword.as_str(),
            "required"
                | "dependentRequired"
                | "dependencies"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames"
        );
        if !names_concerned && let Some(about) = help::about(route.beside().map(|step| step.schema)) {
            let line = match notation::last(&violation.instance_path) {
                Some(field) => format!("`{field}`: {about}"),
                None => about,
            };
            diagnostic.help = Some(join(diagnostic.help.take(), &line));
        }
        if let Some(because) = self.condition(violation, route) {
            diagnostic.help = Some(join(diagnostic.help.take(), &because));
        }
        diagnostic.related.extend(self.rule_label(violation.schema_span, "required by the schema here"));
    }

    /// A label at a rule of a schema, if it is in a file that the user can open.
    pub(crate) fn rule_label(&self, span: Option<Span>, text: &str) -> Option<Label> {
        let span =
            span.filter(|span| matches!(self.context.sources.get(span.source).kind(), SourceKind::File))?;
        Some(Label::new(self.first_line(span), text))
    }

    /// Why a rule below `then`, `else` or `dependentSchemas` applies, if a few words can say so.
    fn condition(&self, violation: &Violation, route: &Route<'a>) -> Option<String> {
        let index = route.steps.iter().rposition(|step| {
            matches!(step.through, "then" | "else" | "dependentSchemas" | "dependencies")
        })?;
        let step = route.steps.get(index)?;
        let parts = violation.instance_path.split('/').skip(1).take(step.depth);
        let pointer: String = parts.map(|part| format!("/{part}")).collect();
        let inside = self.inside(&pointer);
        if let "dependentSchemas" | "dependencies" = step.through {
            let place = &route.steps.get(index + 1)?.place;
            let name = notation::unescape(place.rsplit('/').next()?).into_owned();
            return Some(format!("this applies because {} is set {inside}", excerpt::quote(&name)));
        }
        let mark = describe::mark(step.schema.get("if")?)?;
        Some(match step.through {
            "then" => format!("this applies because {mark} is set {inside}"),
            _ => format!("this applies because {mark} is not set {inside}"),
        })
    }

    /// The value that a violation is about.
    pub(crate) fn got<'v>(&self, violation: &'v Violation) -> Cow<'v, Value> {
        match &violation.got {
            Some(got) => Cow::Borrowed(got),
            None => {
                let found = self.at(&violation.instance_path);
                Cow::Owned(found.map_or(Value::Null, |(instance, _)| instance.to_json()))
            }
        }
    }

    /// The place's name as the subject of a sentence.
    pub(crate) fn subject(&self, violation: &Violation) -> String {
        self.name(&violation.instance_path)
    }

    /// The name of a pointer.
    pub(crate) fn name(&self, pointer: &str) -> String {
        match notation::notation(self.context.instance, pointer) {
            name if name.is_empty() => "the document".to_owned(),
            name => format!("`{name}`"),
        }
    }

    /// The name of a pointer as a place: ``in `install` ``.
    pub(crate) fn inside(&self, pointer: &str) -> String {
        match notation::notation(self.context.instance, pointer) {
            name if name.is_empty() => "at the top level".to_owned(),
            name => format!("in `{name}`"),
        }
    }

    /// The place to point at: what was typed, or its key if that is a block of lines.
    pub(crate) fn place(&self, violation: &Violation) -> Span {
        let place = violation.instance;
        // A block of a single line is still pointed at by its key.
        let nested = matches!(violation.got, Some(Value::Array(_) | Value::Object(_)));
        match place.value {
            Some(value)
                if value.start < value.end
                    && self.is_one_line(value)
                    && !(nested && self.is_block(value)) =>
            {
                value
            }
            Some(value) => place.key.unwrap_or_else(|| self.first_line(value)),
            None => place.key.unwrap_or(self.context.fallback),
        }
    }

    /// The place of a map as a whole: its key, or where it begins.
    pub(crate) fn map_place(&self, violation: &Violation) -> Span {
        match (violation.instance.key, violation.instance.value) {
            (Some(key), _) => key,
            (None, Some(value)) => self.first_line(value),
            (None, None) => self.context.fallback,
        }
    }

    /// The part of a span on its first line. Many violations may share a rule, so the end of its line is
    /// searched only once.
    pub(crate) fn first_line(&self, span: Span) -> Span {
        *self.first_lines.borrow_mut().entry(span).or_insert_with(|| self.search_first_line(span))
    }

    fn search_first_line(&self, span: Span) -> Span {
        let source = self.context.sources.get(span.source);
        let text = source.slice(span);
        match text.find(['\n', '\r']) {
            Some(end) => Span::new(span.source, span.start as usize, span.start as usize + end),
            None => span,
        }
    }

    fn is_block(&self, span: Span) -> bool {
        !self.context.sources.get(span.source).slice(span).starts_with(['{', '[', '*'])
    }

    fn is_one_line(&self, span: Span) -> bool {
        self.first_line(span) == span
    }

    /// Whether a value is not to be repeated.
    pub(crate) fn is_secret(&self, violation: &Violation) -> bool {
        secret::is_secret(self.context.instance, &violation.instance_path)
    }

    /// What was typed, if it is short and on one line.
    pub(crate) fn typed(&self, violation: &Violation) -> Option<String> {
        scalar::typed(self.context.sources, violation.instance.value)
    }

    /// The value in backticks as it was typed; `None` if it must not be repeated.
    pub(crate) fn excerpt(&self, violation: &Violation) -> Option<String> {
        if self.is_secret(violation) {
            return None;
        }
        let got = self.got(violation);
        let typed = self.typed(violation).filter(|text| is_number_text(text));
        Some(match (got.as_ref(), typed) {
            (Value::Number(_), Some(typed)) => excerpt::quote(&typed),
            (got, _) => excerpt::show(got),
        })
    }

    /// What was found: `it is the number 1.20`.
    pub(crate) fn found(&self, violation: &Violation) -> String {
        let got = self.got(violation);
        let secret = self.is_secret(violation);
        let typed = self.typed(violation);
        match got.as_ref() {
            Value::Null => match typed.as_deref() {
                Some("null" | "~" | "Null" | "NULL") => "it is null".to_owned(),
                _ => "it has no value".to_owned(),
            },
            Value::Bool(value) => match typed {
                Some(typed)
                    if scalar::meaning(&typed).is_some() && !matches!(typed.as_str(), "true" | "false") =>
                {
                    format!("`{typed}` is read as the boolean {value}")
                }
                _ => format!("it is the boolean {value}"),
            },
            got if secret => format!("it is {}", excerpt::kind(got)),
            Value::Number(number) => match typed.filter(|text| is_number_text(text)) {
                Some(typed) => format!("it is the number {typed}"),
                None => format!("it is the number {number}"),
            },
            Value::String(text) if text.is_empty() => "it is an empty string".to_owned(),
            Value::String(text) => format!("it is the string {}", excerpt::quote(text)),
            Value::Array(items) if items.is_empty() => "it is an empty list".to_owned(),
            Value::Array(_) => "it is a list".to_owned(),
            Value::Object(map) if map.is_empty() => "it is an empty map".to_owned(),
            Value::Object(_) => "it is a map".to_owned(),
        }
    }

    /// The name or value nearest to what was typed; `place` identifies the set of candidates.
    pub(crate) fn nearest<'n>(
        &self,
        place: &str,
        typed: &str,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        let key = (place.to_owned(), typed.to_owned());
        if let Some(known) = self.suggestions.borrow().get(&key) {
            return known.clone();
        }
        if self.suggestions.borrow().len() >= SUGGESTIONS || self.compared.get() >= COMPARISONS {
            return None;
        }
        let counted = candidates.into_iter().inspect(|_| self.compared.set(self.compared.get() + 1));
        let nearest = trueline_diagnostic::nearest(typed, counted.take(COMPARISONS)).map(str::to_owned);
        self.suggestions.borrow_mut().insert(key, nearest.clone());
        nearest
    }
}

fn one(diagnostic: Diagnostic) -> Vec<Worded> {
    vec![(None, diagnostic)]
}

fn is_number_text(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.'))
}
