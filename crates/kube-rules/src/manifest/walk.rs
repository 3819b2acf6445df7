//! One walk over an object beside its definition: unknown fields, types, required fields, and the checks and rules that
//! belong to each definition on the way.

use rustc_hash::{FxBuildHasher, FxHashSet};
use trueline_diagnostic::Severity;
use trueline_kube_api::{Api, Definition, Field, ListType, Type};
use trueline_kube_facts::belongs::{Budget, Way};
use trueline_yaml::{NodeKind, NodeRef};

use super::shape::{ApiShape, maps_on_the_way};
use super::{FieldValidation, Options, Suggestions};
use crate::place::{FieldPlace, HiddenField};
use crate::problem::{Fact, Report};
use crate::rules::{Checks, Context, DefinitionChecks, Dropped, Later, Unread};
use crate::scalar;
use crate::types::{WantedType, typed_as};

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Everything.
    Rules,
    /// Only whether it can be decoded: what a status says is dropped when an object is made.
    Decoding,
}

/// A walk over one object.
pub(super) struct Walk<'a> {
    pub(super) api: &'static Api,
    /// What is checked of each definition.
    pub(super) checks: &'static Checks,
    pub(super) options: &'a Options,
    pub(super) context: Context<'a>,
    pub(super) report: Report,
    /// Fields that rules must not see.
    pub(super) hidden: Vec<HiddenField>,
    /// Fields that are not dropped, because the old object has them: definition and name.
    pub(super) kept: Vec<(&'static str, &'static str)>,
    /// The definition of the object.
    pub(super) top: Option<&'static Definition>,
    /// How much may still be searched for the places of unknown fields.
    pub(super) budget: Budget,
}

impl<'a> Walk<'a> {
    /// A walk that has seen nothing.
    pub(super) fn new(api: &'static Api, options: &'a Options, context: Context<'a>) -> Self {
        Walk {
            api,
            checks: Checks::of(api),
            options,
            context,
            report: Report::default(),
            hidden: Vec::new(),
            kept: Vec::new(),
            top: None,
            budget: match options.suggestions {
                Suggestions::Searched => Budget::default(),
                Suggestions::LeftOut => Budget::none(),
            },
        }
    }

    /// Whether a field of an object is dropped unread.
    fn drops(
        &self,
        place: &FieldPlace<'_, '_>,
        definition: &Definition,
        field: &Field,
        checks: &DefinitionChecks,
    ) -> bool {
        let is_it = |dropped: &Dropped| dropped.field == field.name && (dropped.when)(place);
        checks.dropped.iter().any(is_it) && !self.kept.contains(&(definition.name, field.name))
    }

    /// Takes back what was found in a field, if the server does not look at it.
    fn take_back(&mut self, before: usize, checks: &DefinitionChecks, name: &str) {
        let mut unread = checks.unread.iter();
        let is_it = |unread: &&Unread| unread.field == name && (unread.when)(&self.context);
        if let Some(unread) = unread.find(is_it) {
            match unread.later {
                Later::Refused => self.report.refused_later(before),
                Later::Unused => self.report.forget(before),
            }
        }
    }

    /// Walks over a whole object.
    pub(super) fn object(&mut self, root: &FieldPlace<'_, '_>, definition: &'static Definition) {
        self.top = Some(definition);
        self.fields(root, definition, Depth::Rules);
    }

    fn value(&mut self, place: &FieldPlace<'_, '_>, wanted: &'static Type, depth: Depth) {
        let Some(node) = place.node() else { return };
        match wanted {
            Type::Any => {}
            Type::Object(id) => {
                if let Some(definition) = self.api.definition(*id) {
                    self.fields(place, definition, depth);
                }
            }
            Type::List(items, list) => {
                let Some(nodes) = node.items() else { return self.wrong_type(place, node, WantedType::List) };
                let wanted = self.api.r#type(*items);
                for (index, item) in nodes.enumerate() {
                    let item_place = place.index(index, item);
                    match wanted {
                        // An empty item is a whole object of zeros.
                        Type::Object(id) if item.is_null() => {
                            if let Some(definition) = self.api.definition(*id) {
                                self.fields(&item_place, definition, depth);
                            }
                        }
                        _ => self.value(&item_place, wanted, depth),
                    }
                }
                if depth == Depth::Rules
                    && let ListType::Map(keys) = list
                {
                    self.same_keys(place, keys);
                }
            }
            Type::Map(values) => {
                let Some(entries) = node.entries() else {
                    return self.wrong_type(place, node, WantedType::Map);
                };
                let wanted = self.api.r#type(*values);
                for (key, value) in entries {
                    self.value(&place.key(key, value), wanted, depth);
                }
            }
            _ => {
                if let Some(fact) = scalar::scalar(node, wanted) {
                    self.report.fact(place, fact, Severity::Error);
                }
            }
        }
    }

    fn wrong_type(&mut self, place: &FieldPlace<'_, '_>, node: NodeRef<'_>, wanted: WantedType) {
        self.report.fact(place, Fact::WrongType(wanted, typed_as(node)), Severity::Error);
    }

    fn fields(&mut self, place: &FieldPlace<'_, '_>, definition: &Definition, depth: Depth) {
        let checks = self.checks.of_definition(definition);
        let mut seen: u128 = 0;
        let mut offered = Vec::new();
        if let Some(node) = place.node() {
            let NodeKind::Mapping { .. } = node.kind() else {
                return self.wrong_type(place, node, WantedType::Map);
            };
            for (key, value) in node.entries().into_iter().flatten() {
                let name = key.key_text();
                match definition.field(&name) {
                    None => {
                        if depth == Depth::Rules {
                            self.hidden.push(HiddenField { key: key.id(), known: None });
                        }
                        self.unknown(place, (key, value), definition, &mut offered);
                    }
                    Some(_) if value.is_null() => {}
                    Some((index, field)) => {
                        seen |= 1_u128.checked_shl(index as u32).unwrap_or_default();
                        let is_status = place.is_root() && field.name == "status";
                        // Once it is left out, what it was dropped for can no longer be seen.
                        let is_dropped = depth == Depth::Rules
                            && !checks.dropped.is_empty()
                            && (!place.sees(key) || self.drops(place, definition, field, checks));
                        if is_dropped {
                            let known = Some((definition.name, field.name));
                            self.hidden.push(HiddenField { key: key.id(), known });
                        }
                        let depth = if is_status || is_dropped { Depth::Decoding } else { depth };
                        let before = self.report.problems.len();
                        self.value(&place.field(key, value), field.r#type, depth);
                        self.take_back(before, checks, field.name);
                    }
                }
            }
        }
        if depth == Depth::Decoding {
            return;
        }
        for &index in &checks.embedded {
            let is_seen = 1_u128.checked_shl(index as u32).unwrap_or_default() & seen != 0;
            if !is_seen
                && let Some(field) = definition.fields.get(index)
                && !(place.is_root() && field.name == "status")
                && let Type::Object(id) = field.r#type
                && let Some(inner) = self.api.definition(*id)
            {
                let before = self.report.problems.len();
                self.fields(&place.child(field.name), inner, depth);
                self.take_back(before, checks, field.name);
            }
        }
        for name in &checks.required {
            let field = place.child(name);
            if field.is_empty() {
                self.report.missing(&field);
            }
        }
        for name in &checks.pointers {
            let field = place.child(name);
            if field.is_absent() {
                self.report.missing(&field);
            }
        }
        for check in checks.fields {
            let before = self.report.problems.len();
            check.apply(&place.child(check.field), &mut self.report);
            self.take_back(before, checks, check.field);
        }
        for rule in &checks.rules {
            rule(place, &self.context, &mut self.report);
        }
    }

    /// A field that the definition of a map does not have. `offered` are the names that others of its map may be meant
    /// for.
    fn unknown<'d>(
        &mut self,
        around: &FieldPlace<'_, 'd>,
        (key, value): (NodeRef<'d>, NodeRef<'d>),
        definition: &Definition,
        offered: &mut Vec<&'static str>,
    ) {
        let severity = match self.options.field_validation {
            FieldValidation::Strict => Severity::Error,
            FieldValidation::Warn => Severity::Warning,
            FieldValidation::Ignore => return,
        };
        let place = around.field(key, key);
        let name = place.last_name();
        let shape = |definition| ApiShape::new(self.api, definition);
        let meant = match self.top.and_then(|top| maps_on_the_way(self.api, top, around)) {
            Some(way) => {
                let maps: Vec<_> = way.iter().map(|(of, place)| (shape(of), place.node())).collect();
                let path = |index: usize| way.get(index).map(|(_, place)| place.path()).unwrap_or_default();
                Way { maps: &maps, path, budget: &self.budget }.meant(&name, value, offered)
            }
            None => {
                let maps = [(shape(definition), around.node())];
                Way { maps: &maps, path: |_| around.path(), budget: &self.budget }
                    .meant(&name, value, offered)
            }
        };
        self.report.fact(&place, Fact::UnknownField(name.into_owned(), meant), severity);
    }

    /// Items with the same keys: the server takes many of them, but cannot tell them apart when it merges.
    fn same_keys(&mut self, place: &FieldPlace<'_, '_>, keys: &[&'static str]) {
        let width = keys.len();
        if place.count() < 2 || width == 0 {
            return;
        }
        let mut texts: Vec<Option<&str>> = Vec::with_capacity(place.count() * width);
        for item in place.items() {
            texts.extend(keys.iter().map(|key| item.child(key).node().and_then(|node| node.text())));
        }
        let mut seen = FxHashSet::with_capacity_and_hasher(place.count(), FxBuildHasher);
        for (item, key) in place.items().zip(texts.chunks(width)) {
            if key.iter().any(Option::is_some) && !seen.insert(key) {
                self.report.fact(&item, Fact::SameKeys, Severity::Warning);
            }
        }
    }
}
