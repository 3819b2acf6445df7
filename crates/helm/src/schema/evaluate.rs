//! Validates a value against a schema the way Helm's validator does: which rules end the search at once, what is reported
//! together, and how reasons are nested. Its verdicts and its words hang on that, so the tree is made here and not
//! from the facts of another validator, which knows neither its formats nor what did not match in `contains`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map as Members, Value as Json};
use trueline_schema::{Draft, spend};
use trueline_sprig::regexp::Regexp;
use trueline_yaml::{Data, Value};

use super::equality::{equals, is_one_of};
use super::failure::{Failure, Typed, Violation};
use super::library::{Library, Resource, Target, Text, address_of, draft_in, escaped, has_name, member};
use super::number::Decimal;
use super::{array, format, object};

/// What validating a value against one schema costs, in steps of the other validator: it can take as long as thirty
/// of them.
const COST: u64 = 30;

/// How many bytes of a string are searched for a pattern in one step, and what each search costs besides.
const BYTES_PER_STEP: usize = 32;
const SEARCH_COST: u64 = 40;

/// How many bytes of what a failure says are made in one step.
const BYTES_SAID_PER_STEP: u64 = 2;

/// Whether `format` is a rule in the newer drafts too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formats {
    ByDraft,
    /// As `ByDraft`, and a `duration` may also be one of Go's.
    ByDraftWithGoDurations,
    Always,
}

impl Formats {
    fn check(self, format: &str, text: &str) -> Result<(), String> {
        match (self, format) {
            (Formats::ByDraftWithGoDurations, "duration") => format::check_kubernetes_duration(text),
            _ => format::check(format, text),
        }
    }
}

/// Goes over the rules of one schema.
pub(super) struct Evaluator<'s> {
    pub(super) library: Library<'s>,
    formats: Formats,
    patterns: RefCell<FxHashMap<&'s str, Option<Rc<Regexp>>>>,
    /// The schemas that are being applied to values, to find one that leads back to itself.
    active: RefCell<FxHashSet<(usize, usize)>>,
    /// How many choices of `enum` all failures together name.
    listed: Cell<usize>,
}

/// How many patterns of one schema are kept ready.
const MAX_PATTERNS: usize = 4_096;

/// How many choices of `enum` all failures may name together, and how many one names after that. Thousands of values
/// that are none of thousands of choices would be reported with more text than fits into memory.
const MAX_LISTED: usize = 200_000;
const FEW_LISTED: usize = 10;

/// A schema that is being applied to a value, and how it came to that.
pub(super) struct Frame<'f, 's> {
    parent: Option<&'f Frame<'f, 's>>,
    pub(super) schema: &'s Json,
    arrival: Arrival<'f>,
    text: Rc<Text<'s>>,
    resource: Rc<Resource<'s>>,
    pub(super) draft: Draft,
    pub(super) value: &'f Value,
    /// The way from the parent's value, if it is another one.
    step: Option<Step<'f>>,
}

/// How a schema was come to.
#[derive(Clone, Copy)]
enum Arrival<'f> {
    /// It stands inside the parent: a keyword, and the name or index below it.
    Inside(&'static str, Option<Step<'f>>),
    /// By a keyword, at a place in a source.
    Jump(&'static str, &'f str),
}

/// A name or an index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'f> {
    Name(&'f str),
    Index(usize),
}

impl Step<'_> {
    fn text(self) -> String {
        match self {
            Step::Name(name) => escaped(name),
            Step::Index(index) => index.to_string(),
        }
    }
}

/// What no rule has looked at yet; filled only where a rule asks for it.
#[derive(Debug, Default, Clone)]
pub(super) struct Left {
    pub(super) names: Vec<Rc<str>>,
    pub(super) items: Vec<usize>,
}

impl Left {
    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.items.is_empty()
    }

    fn keep(&mut self, other: &Left) {
        spend((other.names.len() + other.items.len()) as u64);
        if !self.names.is_empty() {
            let names: FxHashSet<&str> = other.names.iter().map(|name| &**name).collect();
            self.names.retain(|name| names.contains(&**name));
        }
        // Both are in order.
        self.items.retain(|item| other.items.binary_search(item).is_ok());
    }
}

/// The rules that one schema found broken so far, and what it has left.
pub(super) struct BrokenRules<'s> {
    pub(super) failures: Vec<Failure<'s>>,
    pub(super) left: Left,
}

impl<'s> BrokenRules<'s> {
    pub(super) fn add(&mut self, frame: &Frame<'_, 's>, kind: Violation<'s>) {
        self.failures.push(frame.failure(kind));
    }

    pub(super) fn take<T>(&mut self, result: Result<T, Failure<'s>>) {
        self.failures.extend(result.err());
    }
}

impl<'f, 's> Frame<'f, 's> {
    fn top(target: &'f Target<'s>, value: &'f Value) -> Self {
        Frame {
            parent: None,
            schema: target.schema,
            arrival: Arrival::Jump("", &target.pointer),
            text: Rc::clone(&target.text),
            resource: Rc::clone(&target.resource),
            draft: target.draft,
            value,
            step: None,
        }
    }

    fn jump(&'f self, keyword: &'static str, target: &'f Target<'s>) -> Self {
        Frame {
            parent: Some(self),
            arrival: Arrival::Jump(keyword, &target.pointer),
            ..Frame::top(target, self.value)
        }
    }

    fn inside(
        &'f self,
        keyword: &'static str,
        below: Option<Step<'f>>,
        schema: &'s Json,
        value: &'f Value,
        step: Option<Step<'f>>,
    ) -> Self {
        let draft = draft_in(schema, self.draft);
        let mut frame = Frame {
            parent: Some(self),
            schema,
            arrival: Arrival::Inside(keyword, below),
            text: Rc::clone(&self.text),
            resource: Rc::clone(&self.resource),
            draft,
            value,
            step,
        };
        if has_name(schema, draft) {
            let pointer = frame.pointer();
            frame.resource = Rc::new(Resource { text: Rc::clone(&self.text), pointer, schema });
        }
        frame
    }

    /// The place of the schema in its text.
    pub(super) fn pointer(&self) -> String {
        let mut parts = Vec::new();
        let mut frame = self;
        let mut pointer = loop {
            match frame.arrival {
                Arrival::Jump(_, pointer) => break pointer.to_owned(),
                Arrival::Inside(keyword, below) => parts.push((keyword, below)),
            }
            match frame.parent {
                Some(parent) => frame = parent,
                None => break String::new(),
            }
        };
        for (keyword, below) in parts.into_iter().rev() {
            pointer.push('/');
            pointer.push_str(keyword);
            if let Some(below) = below {
                pointer.push('/');
                pointer.push_str(&below.text());
            }
        }
        pointer
    }

    /// The way to the value, as a JSON pointer.
    fn path(&self) -> String {
        let mut steps: Vec<Step<'_>> = self.ancestors().filter_map(|frame| frame.step).collect();
        steps.reverse();
        steps.into_iter().map(|step| format!("/{}", step.text())).collect()
    }

    /// The keywords on the way to the schema.
    fn way(&self) -> String {
        let mut parts: Vec<String> = self
            .ancestors()
            .filter(|frame| frame.parent.is_some())
            .map(|frame| match frame.arrival {
                Arrival::Jump(keyword, _) => format!("/{keyword}"),
                Arrival::Inside(keyword, None) => format!("/{keyword}"),
                Arrival::Inside(keyword, Some(below)) => format!("/{keyword}/{}", below.text()),
            })
            .collect();
        parts.reverse();
        parts.concat()
    }

    /// This frame and those that led to it, innermost first.
    fn ancestors(&self) -> impl Iterator<Item = &Frame<'f, 's>> {
        std::iter::successors(Some(self), |frame| frame.parent)
    }

    /// The frame in which the same schema is applied to the same value already.
    fn cycle(&self) -> Option<&Frame<'f, 's>> {
        if self.step.is_some() {
            return None;
        }
        let mut frame = self.parent;
        while let Some(other) = frame {
            if address_of(other.schema) == address_of(self.schema) {
                return Some(other);
            }
            if other.step.is_some() {
                return None;
            }
            frame = other.parent;
        }
        None
    }

    pub(super) fn failure(&self, kind: Violation<'s>) -> Failure<'s> {
        let path = self.path();
        // Thousands of values may break one rule with a long text, or be found on one long way.
        spend((path.len() + kind.length()) as u64 / BYTES_SAID_PER_STEP);
        Failure { path, kind, causes: Vec::new() }
    }

    /// The value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Json> {
        member(self.schema, keyword)
    }

    pub(super) fn number(&self, keyword: &str) -> Option<Decimal> {
        self.get(keyword).and_then(Decimal::of_json)
    }

    pub(super) fn size(&self, keyword: &str) -> Option<i64> {
        self.number(keyword).and_then(Decimal::as_size)
    }

    pub(super) fn map(&self, keyword: &str) -> Option<&'s Members<String, Json>> {
        self.get(keyword).and_then(Json::as_object)
    }

    pub(super) fn list(&self, keyword: &str) -> &'s [Json] {
        self.get(keyword).and_then(Json::as_array).map_or(&[], Vec::as_slice)
    }
}

impl<'s> Evaluator<'s> {
    pub(super) fn new(library: Library<'s>, formats: Formats) -> Self {
        Evaluator {
            library,
            formats,
            patterns: RefCell::default(),
            active: RefCell::default(),
            listed: Cell::default(),
        }
    }

    /// The rules that a value breaks, none if it keeps all.
    pub(super) fn failures(&self, value: &Value) -> Vec<Failure<'s>> {
        match self.library.root() {
            Some(root) => self.failures_at(&root, value),
            None => Vec::new(),
        }
    }

    fn failures_at(&self, target: &Target<'s>, value: &Value) -> Vec<Failure<'s>> {
        match self.evaluate(&Frame::top(target, value), false) {
            Ok(_) => Vec::new(),
            Err(failure) if matches!(failure.kind, Violation::Group) => failure.causes,
            Err(failure) => vec![failure],
        }
    }

    /// Validates the name of a property against a schema, as if it were a value of its own.
    pub(super) fn name_failures(
        &self,
        frame: &Frame<'_, 's>,
        schema: &'s Json,
        name: &str,
    ) -> Vec<Failure<'s>> {
        let target = Target {
            text: Rc::clone(&frame.text),
            pointer: format!("{}/propertyNames", frame.pointer()),
            schema,
            resource: Rc::clone(&frame.resource),
            draft: frame.draft,
        };
        self.failures_at(&target, &Value::new(Data::String(name.into())))
    }

    /// Applies a schema inside another to the same value.
    fn inside(
        &self,
        frame: &Frame<'_, 's>,
        keyword: &'static str,
        below: Option<Step<'_>>,
        schema: &'s Json,
        found: &mut BrokenRules<'s>,
    ) -> Result<(), Failure<'s>> {
        let inner = frame.inside(keyword, below, schema, frame.value, None);
        self.apply(&inner, found)
    }

    fn apply(&self, inner: &Frame<'_, 's>, found: &mut BrokenRules<'s>) -> Result<(), Failure<'s>> {
        let left = self.evaluate(inner, !found.left.is_empty())?;
        found.left.keep(&left);
        Ok(())
    }

    /// Like [`Evaluator::inside`], and violations are reported.
    pub(super) fn also(
        &self,
        frame: &Frame<'_, 's>,
        keyword: &'static str,
        below: Option<Step<'_>>,
        schema: &'s Json,
        found: &mut BrokenRules<'s>,
    ) {
        let result = self.inside(frame, keyword, below, schema, found);
        found.take(result);
    }

    /// Applies a schema inside another to a part of the value.
    pub(super) fn part(
        &self,
        frame: &Frame<'_, 's>,
        (keyword, below): (&'static str, Option<Step<'_>>),
        schema: &'s Json,
        value: &Value,
        step: Step<'_>,
    ) -> Result<(), Failure<'s>> {
        self.evaluate(&frame.inside(keyword, below, schema, value, Some(step)), false).map(|_| ())
    }

    /// How a value below the schema of a frame was typed, where JSON would write it otherwise.
    fn typed(&self, frame: &Frame<'_, 's>, value: &Json, below: &str) -> Typed<'s> {
        match value {
            Json::Number(number) if number.is_f64() => {
                self.library.typed(&frame.text, &format!("{}{below}", frame.pointer()))
            }
            _ => None,
        }
    }

    fn evaluate(&self, frame: &Frame<'_, 's>, asked: bool) -> Result<Left, Failure<'s>> {
        spend(COST);
        let found = BrokenRules { failures: Vec::new(), left: left(frame, asked) };
        match frame.schema {
            Json::Bool(false) => return Err(frame.failure(Violation::FalseSchema)),
            Json::Object(members) if !members.is_empty() => {}
            _ => return Ok(found.left),
        }
        let key = (address_of(frame.schema), std::ptr::from_ref(frame.value) as usize);
        if !self.active.borrow_mut().insert(key) {
            // The same schema is already being applied to the same value, possibly reached by another path.
            if let Some(first) = frame.cycle() {
                let url = format!("{}#{}", frame.text.address(), frame.pointer());
                return Err(frame.failure(Violation::Cycle { url, first: frame.way(), second: first.way() }));
            }
            return self.rules(frame, found);
        }
        let result = self.rules(frame, found);
        self.active.borrow_mut().remove(&key);
        result
    }

    /// The rules of a schema that is no boolean.
    fn rules(&self, frame: &Frame<'_, 's>, mut found: BrokenRules<'s>) -> Result<Left, Failure<'s>> {
        let reference = frame.get("$ref").filter(|reference| reference.is_string());
        let alone = reference.is_some() && frame.draft <= Draft::Draft7;
        self.at_once(frame, alone)?;
        if let Some(reference) = reference {
            let followed = self.refer(frame, "$ref", reference, &mut found);
            if alone {
                return followed.map(|()| found.left);
            }
            found.take(followed);
        }
        match &frame.value.data {
            Data::Map(map) => object::check(self, frame, map, &mut found),
            Data::List(items) => array::check(self, frame, items, &mut found),
            Data::String(text) => self.text(frame, text, &mut found),
            Data::Int(_) | Data::UInt(_) | Data::Float(_) => check_number(frame, &mut found),
            Data::Null | Data::Bool(_) => {}
        }
        if frame.draft >= Draft::Draft201909 {
            self.dynamic_references(frame, &mut found);
        }
        self.combinations(frame, &mut found);
        if frame.draft >= Draft::Draft201909 {
            self.unevaluated(frame, &mut found);
        }
        match found.failures.len() {
            0 => Ok(found.left),
            1 => Err(found.failures.remove(0)),
            _ => Err(Failure { causes: found.failures, ..frame.failure(Violation::Group) }),
        }
    }

    fn text(&self, frame: &Frame<'_, 's>, text: &str, found: &mut BrokenRules<'s>) {
        count(frame, ["minLength", "maxLength"], || text.chars().count(), found);
        if let Some(want) = frame.get("pattern").and_then(Json::as_str)
            && !self.matches(want, text)
        {
            found.add(frame, Violation::Pattern { got: text.to_owned(), want });
        }
    }

    /// The choices that a failure names.
    fn listed(&self, choices: &'s [Json]) -> &'s [Json] {
        let listed = self.listed.get().saturating_add(choices.len());
        if listed > MAX_LISTED {
            return choices.get(..FEW_LISTED).unwrap_or(choices);
        }
        self.listed.set(listed);
        choices
    }

    /// Whether a string matches a pattern of the schema. An invalid pattern was refused together with the schema.
    pub(super) fn matches(&self, pattern: &'s str, text: &str) -> bool {
        spend(SEARCH_COST + (text.len() / BYTES_PER_STEP) as u64);
        let known = self.patterns.borrow().get(pattern).cloned();
        let ready = known.unwrap_or_else(|| {
            // Making one ready takes as long as many looks.
            spend(COST + pattern.len() as u64);
            let ready = super::compile(pattern).ok();
            let mut patterns = self.patterns.borrow_mut();
            if patterns.len() < MAX_PATTERNS {
                patterns.insert(pattern, ready.clone());
            }
            ready
        });
        ready.is_some_and(|pattern| pattern.is_match(text.as_bytes()))
    }

    /// The rules that end the search when they are broken.
    fn at_once(&self, frame: &Frame<'_, 's>, alone: bool) -> Result<(), Failure<'s>> {
        let got = type_of(frame.value).ok_or_else(|| frame.failure(Violation::NotJson))?;
        if !alone
            && let Some(want) = frame.get("type")
            && !names_type(want, got)
        {
            let integer = || Decimal::of_value(frame.value).is_some_and(Decimal::is_integer);
            let want: Vec<&str> = TYPES.into_iter().filter(|name| names_type(want, name)).collect();
            let fits = want.contains(&"integer") && integer();
            if !fits && !want.is_empty() {
                return Err(frame.failure(Violation::Type { got, want }));
            }
        }
        if frame.draft >= Draft::Draft6
            && let Some(want) = frame.get("const")
            && !equals(frame.value, want)
        {
            let typed = self.typed(frame, want, "/const");
            return Err(frame.failure(Violation::Const(want, typed)));
        }
        if alone {
            return Ok(());
        }
        if let Some(Json::Array(want)) = frame.get("enum")
            && !is_one_of(frame.value, want)
        {
            let want = self.listed(want);
            let numbered = want.iter().enumerate();
            let typed = numbered.map(|(index, want)| self.typed(frame, want, &format!("/enum/{index}")));
            return Err(frame.failure(Violation::Enum(want, typed.collect())));
        }
        let asserted = self.formats == Formats::Always || frame.draft <= Draft::Draft7;
        if asserted
            && let (Some(want), Data::String(text)) =
                (frame.get("format").and_then(Json::as_str), &frame.value.data)
            && let Err(why) = self.formats.check(want, text)
        {
            return Err(frame.failure(Violation::Format { got: text.to_string(), want, why }));
        }
        Ok(())
    }

    fn refer(
        &self,
        frame: &Frame<'_, 's>,
        keyword: &'static str,
        reference: &'s Json,
        found: &mut BrokenRules<'s>,
    ) -> Result<(), Failure<'s>> {
        match self.library.follow(&frame.text, || frame.pointer(), reference) {
            Some(target) => self.jump(frame, keyword, &target, found),
            None => Ok(()),
        }
    }

    fn jump(
        &self,
        frame: &Frame<'_, 's>,
        keyword: &'static str,
        target: &Target<'s>,
        found: &mut BrokenRules<'s>,
    ) -> Result<(), Failure<'s>> {
        self.apply(&frame.jump(keyword, target), found).map_err(|failure| Failure {
            causes: match failure.kind {
                Violation::Group => failure.causes,
                _ => vec![failure],
            },
            ..frame.failure(Violation::Reference)
        })
    }

    fn dynamic_references(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        if let Some(reference) = frame.get("$recursiveRef").filter(|_| frame.draft == Draft::Draft201909)
            && let Some(target) = self.library.follow(&frame.text, || frame.pointer(), reference)
        {
            let open = |schema: &Json| schema.get("$recursiveAnchor") == Some(&Json::Bool(true));
            let outermost = frame
                .ancestors()
                .filter(|_| open(target.schema))
                .filter(|frame| open(frame.resource.schema))
                .last();
            let result = match outermost {
                Some(outer) => {
                    let target = Target {
                        text: Rc::clone(&outer.text),
                        pointer: outer.pointer(),
                        schema: outer.schema,
                        resource: Rc::clone(&outer.resource),
                        draft: outer.draft,
                    };
                    self.jump(frame, "$recursiveRef", &target, found)
                }
                None => self.jump(frame, "$recursiveRef", &target, found),
            };
            found.take(result);
        }
        if let Some(reference) = frame.get("$dynamicRef").filter(|_| frame.draft >= Draft::Draft202012)
            && let Some(target) = self.library.follow(&frame.text, || frame.pointer(), reference)
        {
            let anchor =
                reference.as_str().and_then(|text| text.split_once('#')).map_or("", |(_, anchor)| anchor);
            let named = target.schema.get("$dynamicAnchor").and_then(Json::as_str) == Some(anchor);
            let mut outermost = target;
            if named && !anchor.is_empty() {
                let mut last = 0;
                for outer in frame.ancestors() {
                    // Most schemas stand in the same resource as the one that led to them.
                    if std::mem::replace(&mut last, address_of(outer.resource.schema)) == last {
                        continue;
                    }
                    if let Some(target) = self.library.dynamic_anchor(&outer.resource, reference, anchor) {
                        outermost = target;
                    }
                }
            }
            let result = self.jump(frame, "$dynamicRef", &outermost, found);
            found.take(result);
        }
    }

    fn combinations(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        if let Some(schema) = frame.get("not")
            && self.inside(frame, "not", None, schema, found).is_ok()
        {
            found.add(frame, Violation::Not);
        }
        self.all_of(frame, found);
        self.any_of(frame, found);
        self.one_of(frame, found);
        if frame.draft >= Draft::Draft7
            && let Some(schema) = frame.get("if")
        {
            let keyword = if self.inside(frame, "if", None, schema, found).is_ok() { "then" } else { "else" };
            if let Some(schema) = frame.get(keyword) {
                self.also(frame, keyword, None, schema, found);
            }
        }
    }

    fn all_of(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        let mut causes = Vec::new();
        for (index, schema) in frame.list("allOf").iter().enumerate() {
            causes.extend(self.inside(frame, "allOf", Some(Step::Index(index)), schema, found).err());
        }
        if !causes.is_empty() {
            found.failures.push(Failure { causes, ..frame.failure(Violation::AllOf) });
        }
    }

    fn any_of(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        let schemas = frame.list("anyOf");
        let mut causes = Vec::new();
        let mut matched = schemas.is_empty();
        for (index, schema) in schemas.iter().enumerate() {
            match self.inside(frame, "anyOf", Some(Step::Index(index)), schema, found) {
                Ok(()) => {
                    matched = true;
                    // The others matter only for what they look at.
                    if found.left.is_empty() {
                        break;
                    }
                }
                Err(failure) => causes.push(failure),
            }
        }
        if !matched {
            found.failures.push(Failure { causes, ..frame.failure(Violation::AnyOf) });
        }
    }

    fn one_of(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        let schemas = frame.list("oneOf");
        let mut causes = Vec::new();
        let mut matched = None;
        for (index, schema) in schemas.iter().enumerate() {
            match (self.inside(frame, "oneOf", Some(Step::Index(index)), schema, found), matched) {
                (Ok(()), None) => matched = Some(index),
                (Ok(()), Some(first)) => {
                    found.add(frame, Violation::OneOf(Some((first, index))));
                    break;
                }
                (Err(failure), _) => causes.push(failure),
            }
        }
        if matched.is_none() && !schemas.is_empty() {
            found.failures.push(Failure { causes, ..frame.failure(Violation::OneOf(None)) });
        }
    }

    fn unevaluated(&self, frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
        match &frame.value.data {
            Data::Map(map) => {
                let Some(schema) = frame.get("unevaluatedProperties") else { return };
                for name in std::mem::take(&mut found.left.names) {
                    if let Some(entry) = map.get(&*name) {
                        let at = ("unevaluatedProperties", None);
                        found.take(self.part(frame, at, schema, &entry.value, Step::Name(&name)));
                    }
                }
            }
            Data::List(items) => {
                let Some(schema) = frame.get("unevaluatedItems") else { return };
                for index in std::mem::take(&mut found.left.items) {
                    if let Some(item) = items.get(index) {
                        let at = ("unevaluatedItems", None);
                        found.take(self.part(frame, at, schema, item, Step::Index(index)));
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a schema has not looked at before it begins, where it or the one around it asks for that.
fn left(frame: &Frame<'_, '_>, asked: bool) -> Left {
    let mut left = Left::default();
    match &frame.value.data {
        Data::Map(map) => {
            let asks = asked || frame.get("unevaluatedProperties").is_some();
            if asks && frame.get("additionalProperties").is_none() {
                spend(map.len() as u64);
                left.names = map.keys().map(|name| Rc::from(&**name)).collect();
            }
        }
        Data::List(items) => {
            let asks = asked || frame.get("unevaluatedItems").is_some();
            if asks && let Some(from) = array::looked_at(frame) {
                spend(items.len() as u64);
                left.items = (from..items.len()).collect();
            }
        }
        _ => {}
    }
    left
}

/// The rules about how many there are at least and at most.
pub(super) fn count<'s>(
    frame: &Frame<'_, 's>,
    [least, most]: [&'static str; 2],
    got: impl FnOnce() -> usize,
    found: &mut BrokenRules<'s>,
) {
    let (at_least, at_most) = (frame.size(least), frame.size(most));
    if at_least.is_none() && at_most.is_none() {
        return;
    }
    let got = got();
    let size = i64::try_from(got).unwrap_or(i64::MAX);
    if let Some(want) = at_least.filter(|want| size < *want) {
        found.add(frame, Violation::Count { keyword: least, got, want });
    }
    if let Some(want) = at_most.filter(|want| size > *want) {
        found.add(frame, Violation::Count { keyword: most, got, want });
    }
}

fn check_number<'s>(frame: &Frame<'_, 's>, found: &mut BrokenRules<'s>) {
    let Some(got) = Decimal::of_value(frame.value) else { return };
    let exclusive = |keyword: &str, limit: &str| match frame.get(keyword) {
        // Draft 4 makes a limit exclusive by a remark beside it.
        Some(Json::Bool(true)) => (None, frame.number(limit)),
        _ => (frame.number(limit), frame.number(keyword)),
    };
    let (maximum, exclusive_maximum) = exclusive("exclusiveMaximum", "maximum");
    let (minimum, exclusive_minimum) = exclusive("exclusiveMinimum", "minimum");
    let broken = [
        ("minimum", minimum.filter(|want| got < *want)),
        ("maximum", maximum.filter(|want| got > *want)),
        ("exclusiveMinimum", exclusive_minimum.filter(|want| got <= *want)),
        ("exclusiveMaximum", exclusive_maximum.filter(|want| got >= *want)),
        ("multipleOf", frame.number("multipleOf").filter(|want| !got.is_multiple_of(*want))),
    ];
    for (keyword, want) in broken {
        if let Some(want) = want {
            found.add(frame, Violation::Bound { keyword, got, want });
        }
    }
}

/// JSON's name of what a value is; nothing for numbers that JSON does not have.
fn type_of(value: &Value) -> Option<&'static str> {
    match value.data {
        Data::Float(number) if !number.is_finite() => None,
        _ => Some(value.type_name()),
    }
}

/// The types, in the order in which they are reported.
const TYPES: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// Whether `type` names a type.
fn names_type(want: &Json, name: &str) -> bool {
    match want {
        Json::String(want) => want == name,
        Json::Array(want) => want.iter().any(|want| want.as_str() == Some(name)),
        _ => false,
    }
}
