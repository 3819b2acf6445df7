//! The walk over a value and its schema. The order of the checks and what each of them counts are those of
//! the server's validator, because its choice among branches depends on them.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_kube_facts::schema_rules as rules;
use trueline_kube_facts::{Breach, Detail, FieldPath, Segment, ServerRule, common, go_quoted};
use trueline_source::Span;
use trueline_yaml::{Data, Map, Value};

use super::choices::choice_text;
use super::compile::{Additional, Node};
use super::faults::{Fault, Faults, Name};
use super::numbers::{self, WrongKind};
use super::scalars::{WrongText, check_text, check_type};
use crate::structural::ratchet::{OldItems, is_unchanged, old_member};
use crate::value::printed::{json, plain, printed};

/// How many times a value is validated against a schema at most. A schema with thousands of branches and a list with
/// thousands of items could take hours.
const MAX_STEPS: u64 = 20_000_000;

/// How many choices all errors together may name. Thousands of values that are none of thousands of choices would be
/// told with more text than fits into memory.
const MOST_LISTED: usize = 200_000;

/// How many choices are named in errors after that.
const FEW: usize = 10;

/// One walk.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// The path of the value from where the walk began, as the server prints it in its sentences.
    name: String,
    /// The same path as steps.
    steps_here: Vec<Segment>,
    steps: u64,
    was_cut: bool,
    /// How many choices were written out in errors.
    listed: usize,
}

impl Run {
    /// Whether something was not looked at.
    pub(super) fn gave_up(&self) -> bool {
        self.was_cut || self.steps > MAX_STEPS
    }

    /// Checks a value. With an old value that belongs to it, what has not changed is forgiven.
    pub(super) fn check(
        &mut self,
        node: &Node,
        value: &Value,
        old: Option<&Value>,
        place: Option<Span>,
    ) -> Faults {
        self.steps += 1;
        self.was_cut |= node.is_cut;
        if self.gave_up() {
            return Faults::default();
        }
        let place = value.origin.or(place);
        let mut faults = self.checks(node, value, old, place);
        if !faults.is_empty() && old.is_some_and(|old| is_unchanged(node, value, old)) {
            faults.forgive();
        }
        faults
    }

    fn checks(&mut self, node: &Node, value: &Value, old: Option<&Value>, place: Option<Span>) -> Faults {
        let mut faults = Faults::default();
        if matches!(value.data, Data::Null) {
            faults.merge(self.type_of(node, value, place));
            faults.merge(self.choice(node, value, place));
            return faults;
        }
        if !node.types.is_empty() || !node.format.is_empty() {
            faults.merge(self.type_of(node, value, place));
            faults.passed += 1;
        }
        faults.merge(self.junctors(node, value, place));
        faults.passed += 1;
        match &value.data {
            Data::String(text) => {
                faults.merge(self.text(node, text, place));
                faults.passed += 1;
                if let Some(check) = node.format_check {
                    if !check(text) {
                        faults.merge(self.wrong_type(&node.format, text, place));
                    }
                    faults.passed += 1;
                }
            }
            Data::Int(_) | Data::UInt(_) | Data::Float(_) => {
                faults.merge(self.number(node, value, place));
                faults.passed += 1;
            }
            Data::List(items) => {
                faults.merge(self.list(node, items, old, place));
                faults.passed += 1;
            }
            Data::Null | Data::Bool(_) | Data::Map(_) => {}
        }
        faults.merge(self.choice(node, value, place));
        faults.passed += 1;
        if let Data::Map(map) = &value.data {
            faults.merge(self.object(node, value, map, old, place));
            faults.passed += 1;
        }
        faults.passed += 1;
        faults
    }

    fn type_of(&self, node: &Node, value: &Value, place: Option<Span>) -> Faults {
        match check_type(node, value) {
            Ok(()) => Faults::passed(),
            Err(wrong) => self.wrong_type(&wrong.wanted, wrong.found, place),
        }
    }

    fn wrong_type(&self, wanted: &str, found: &str, place: Option<Span>) -> Faults {
        let found = go_quoted(found);
        self.fault(self.in_body(&rules::TYPE).and(wanted).and(&found), Some(found), place)
    }

    /// A breach of a rule by the value, whose sentence begins with its path.
    fn in_body(&self, rule: &'static ServerRule) -> Breach {
        Breach { rule, detail: Detail::InBody { name: self.name.as_str().into(), values: Vec::new() } }
    }

    fn here(&self) -> Name {
        Name::Field(FieldPath::new(self.steps_here.clone()))
    }

    /// A fault about the value whose sentence is also what it is known by.
    fn fault(&self, breach: Breach, value: Option<String>, place: Option<Span>) -> Faults {
        Faults::of(breach.sentence(), Fault { breach, name: self.here(), value, place })
    }

    /// A fault that the server knows by another text than it shows.
    fn fault_known_by(
        &self,
        known_by: String,
        breach: Breach,
        value: Option<String>,
        place: Option<Span>,
    ) -> Faults {
        Faults::of(known_by, Fault { breach, name: self.here(), value, place })
    }

    fn choice(&mut self, node: &Node, value: &Value, place: Option<Span>) -> Faults {
        let Some(choices) = node.choices.as_deref() else { return Faults::default() };
        self.steps = self.steps.saturating_add(choices.cost(value));
        if choices.have(value) {
            return Faults::default();
        }
        let all = &choices.all;
        let most = if self.listed < MOST_LISTED { all.len() } else { FEW };
        self.listed = self.listed.saturating_add(all.len());
        let plain: Vec<String> = all.iter().take(most).map(plain).collect();
        let known_by = format!("{} in body should be one of [{}]", self.name, plain.join(" "));
        let choices = all.iter().take(most).map(choice_text);
        let breach = Breach::choices(&common::UNSUPPORTED, choices);
        self.fault_known_by(known_by, breach, Some(printed(value)), place)
    }

    fn text(&mut self, node: &Node, text: &str, place: Option<Span>) -> Faults {
        let name = &self.name;
        match check_text(node, text) {
            Ok(()) => Faults::default(),
            Err(WrongText::NotDecided) => {
                self.was_cut = true;
                Faults::default()
            }
            Err(WrongText::TooLong(most)) => {
                let known_by = format!("{name} in body should be at most {most} chars long");
                let breach = common::TOO_LONG.with(most).and(if most == 1 { "byte" } else { "bytes" });
                self.fault_known_by(known_by, breach, None, place)
            }
            Err(WrongText::TooShort(least)) => {
                self.fault(self.in_body(&rules::TOO_SHORT).and(least), Some(go_quoted(text)), place)
            }
            Err(WrongText::Pattern(pattern)) => {
                self.fault(self.in_body(&rules::PATTERN).and(pattern), Some(go_quoted(text)), place)
            }
        }
    }

    fn number(&self, node: &Node, value: &Value, place: Option<Span>) -> Faults {
        let mut faults = Faults::passed();
        let wrong = node.numbers.as_deref().map(|numbers| numbers::check(numbers, value));
        for wrong in wrong.into_iter().flatten() {
            let breach = match wrong.kind {
                WrongKind::Should(rule, bound) => self.in_body(rule).and(bound),
                WrongKind::Factor(factor) => rules::FACTOR.with(&self.name).and(factor),
            };
            faults.merge(self.fault(breach, Some(wrong.shown), place));
        }
        faults
    }

    fn list(&mut self, node: &Node, items: &[Value], old: Option<&Value>, place: Option<Span>) -> Faults {
        let mut faults = Faults::passed();
        if let Some(item_node) = &node.items {
            let length = self.name.len();
            let before = old.and_then(|old| OldItems::of(node, old));
            for (index, item) in items.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(self.name, "[{index}]");
                self.steps_here.push(Segment::Index(index));
                let old = before.as_ref().and_then(|before| before.of_item(item));
                faults.merge(self.check(item_node, item, old, place));
                self.name.truncate(length);
                self.steps_here.pop();
            }
        }
        let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let sizes = node.sizes.as_deref();
        if let Some(least) = sizes.and_then(|sizes| sizes.min_items).filter(|least| size < *least) {
            let breach = self.in_body(&rules::MIN_ITEMS).and(least);
            faults.merge(self.fault(breach, Some(size.to_string()), place));
        }
        if let Some(most) = sizes.and_then(|sizes| sizes.max_items).filter(|most| size > *most) {
            faults.merge(self.too_many("items", size, most, place));
        }
        if node.unique_items && has_duplicates(items) {
            faults.merge(self.fault(self.in_body(&rules::UNIQUE), Some(go_quoted("")), place));
        }
        faults
    }

    /// Fields are counted as items too when the server puts it into words.
    fn too_many(&self, what: &str, size: i64, most: i64, place: Option<Span>) -> Faults {
        let known_by = format!("{} in body should have at most {most} {what}", self.name);
        let breach = common::TOO_MANY.with(most).and(if most == 1 { "item" } else { "items" });
        self.fault_known_by(known_by, breach, Some(size.to_string()), place)
    }

    fn object(
        &mut self,
        node: &Node,
        value: &Value,
        map: &Map,
        old: Option<&Value>,
        place: Option<Span>,
    ) -> Faults {
        let mut faults = Faults::default();
        let size = i64::try_from(map.len()).unwrap_or(i64::MAX);
        let sizes = node.sizes.as_deref();
        if let Some(least) = sizes.and_then(|sizes| sizes.min_properties).filter(|least| size < *least) {
            let breach = self.in_body(&rules::MIN_PROPERTIES).and(least);
            faults.merge(self.fault(breach, Some(size.to_string()), place));
        }
        if let Some(most) = sizes.and_then(|sizes| sizes.max_properties).filter(|most| size > *most) {
            faults.merge(self.too_many("properties", size, most, place));
        }
        for (key, entry) in map {
            let is_root = self.name.is_empty();
            let (member, dotted) = match (node.properties.get(key), &node.additional) {
                (Some(property), _) => (&**property, !is_root),
                (None, Additional::Schema(schema)) => (&**schema, true),
                (None, Additional::Any) => continue,
                (None, Additional::None) => {
                    let name = format!("{}.{key}", self.name).into();
                    let detail = Detail::InBody { name, values: Vec::new() };
                    let breach = Breach { rule: &rules::FORBIDDEN_FIELD, detail };
                    let place = entry.key_origin.or(place);
                    faults.merge(self.fault(breach, Some(go_quoted(key)), place));
                    continue;
                }
            };
            // The fields that say what the object is are the same before and after in any case.
            let is_type = is_root && matches!(&**key, "apiVersion" | "kind");
            let old = old.filter(|_| !is_type).and_then(|old| old_member(node, value, old, key));
            let place = entry.value.origin.or(entry.key_origin).or(place);
            let length = self.name.len();
            if dotted {
                self.name.push('.');
            }
            self.name.push_str(key);
            self.steps_here.push(Segment::field(Arc::clone(key)));
            faults.merge(self.check(member, &entry.value, old, place));
            self.name.truncate(length);
            self.steps_here.pop();
        }
        for required in node.required.iter().filter(|required| !map.contains_key(*required)) {
            let name = format!("{}.{required}", self.name);
            let known_by = format!("{name} in body is required");
            let name = Name::Field(FieldPath::new(self.steps_here.clone()).field(Arc::clone(required)));
            faults.add(known_by, Fault { breach: Breach::from(&common::MISSING), name, value: None, place });
        }
        faults
    }

    /// `allOf`, `anyOf`, `oneOf` and `not`. Nothing is forgiven below them.
    fn junctors(&mut self, node: &Node, value: &Value, place: Option<Span>) -> Faults {
        let mut faults = Faults::passed();
        let Some(node) = node.junctors.as_deref() else { return faults };
        if !node.any_of.is_empty() {
            let mut best: Option<Faults> = None;
            let mut succeeded = None;
            for branch in &node.any_of {
                let found = self.check(branch, value, None, place);
                if found.is_empty() {
                    succeeded = Some(found);
                    break;
                }
                keep_best(&mut best, found);
            }
            if succeeded.is_none() {
                self.junctor(&mut faults, rules::ANY_OF.with(go_quoted(&self.name)), place);
            }
            faults.merge(succeeded.or(best).unwrap_or_default());
        }
        if !node.one_of.is_empty() {
            let mut best: Option<Faults> = None;
            let mut succeeded: Vec<Faults> = Vec::new();
            for branch in &node.one_of {
                let found = self.check(branch, value, None, place);
                if found.is_empty() {
                    succeeded.push(found);
                } else if succeeded.is_empty() {
                    keep_best(&mut best, found);
                }
            }
            match succeeded.len() {
                0 => {
                    let breach = rules::ONE_OF.with(go_quoted(&self.name)).and("none valid");
                    self.junctor(&mut faults, breach, place);
                    faults.merge(best.unwrap_or_default());
                }
                1 => succeeded.into_iter().for_each(|found| faults.merge(found)),
                count => {
                    let found = format!("{count} valid alternatives");
                    self.junctor(&mut faults, rules::ONE_OF.with(go_quoted(&self.name)).and(found), place);
                }
            }
        }
        if !node.all_of.is_empty() {
            let mut succeeded = 0;
            for branch in &node.all_of {
                let found = self.check(branch, value, None, place);
                succeeded += usize::from(found.is_empty());
                faults.merge(found);
            }
            if succeeded < node.all_of.len() {
                let none = if succeeded == 0 { ". None validated" } else { "" };
                self.junctor(&mut faults, rules::ALL_OF.with(go_quoted(&self.name)).and(none), place);
            }
        }
        if let Some(not) = &node.not
            && self.check(not, value, None, place).is_empty()
            && !self.gave_up()
        {
            self.junctor(&mut faults, rules::NOT.with(go_quoted(&self.name)), place);
        }
        faults
    }

    fn junctor(&self, faults: &mut Faults, breach: Breach, place: Option<Span>) {
        let value = Some(go_quoted(""));
        faults.add(breach.sentence(), Fault { breach, name: Name::Whole, value, place });
    }
}

/// Keeps the branch that passed most checks; the first of those that passed the same.
fn keep_best(best: &mut Option<Faults>, found: Faults) {
    if best.as_ref().is_none_or(|best| found.passed > best.passed) {
        *best = Some(found);
    }
}

fn has_duplicates(items: &[Value]) -> bool {
    let mut seen = FxHashSet::default();
    !items.iter().all(|item| seen.insert(json(item)))
}
