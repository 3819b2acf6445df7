//! Two values of one type side by side: whether the server takes them for the same.
//!
//! It compares what it has decoded and defaulted: amounts by their worth, an empty list and an absent one alike, and a
//! field that it fills in where it is missing. What cannot be read has been reported, and counts as unchanged.

use std::borrow::Cow;
use trueline_kube_facts::FieldPath;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_apimachinery::quantity::Quantity;
use trueline_kube_api::{Api, DefinitionId, Field, ListType, Type};
use trueline_source::Span;
use trueline_yaml::{NodeKind, NodeRef, ScalarValue};

use super::applied::Applied;
use super::defaults::{self, Filling};
use crate::place::FieldPlace;
use crate::problem::shown;

/// What differs: where it is in the new object, and where it was in the old one.
#[derive(Debug)]
pub(crate) struct Change {
    /// The path of the field.
    pub(crate) field: FieldPath,
    /// The new value as the server prints it, if it is a plain one.
    pub(crate) value: Option<String>,
    /// Where it was typed in the new object, or the nearest place around it.
    pub(crate) place: Span,
    /// Where it stood in the old one.
    pub(crate) old: Span,
    /// What else changed that the server refuses in the same breath.
    pub(crate) further: Vec<Change>,
}

impl Change {
    /// The change of a whole field.
    pub(crate) fn of(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Self {
        Change {
            field: new.path(),
            value: shown(new),
            place: new.span(),
            old: old.span(),
            further: Vec::new(),
        }
    }

    /// The first of several changes, with the others beside it.
    pub(crate) fn joined(changes: impl IntoIterator<Item = Change>) -> Option<Self> {
        let mut changes = changes.into_iter();
        let first = changes.next()?;
        Some(Change { further: changes.collect(), ..first })
    }
}

/// What it means that the new object lacks a field that the old one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removed {
    /// It is removed, and that is a change.
    Counts,
    /// It stays, unless it was applied before: the new object is laid over the old one.
    Kept,
}

/// Fields that are not compared: definition and field.
pub(crate) type Ignored = &'static [(&'static str, &'static str)];

/// Fields in which empty text says something else than nothing: the claim wants no class at all.
const EMPTY_IS_A_CHOICE: Ignored = &[
    ("core.PersistentVolumeClaimSpec", "storageClassName"),
    ("core.PersistentVolumeClaimSpec", "volumeAttributesClassName"),
];

/// Fields that are not read where another one beside them is set: definition, field and the other one.
const OLD_NAMES: &[(&str, &str, &str)] = &[("core.PodSpec", "serviceAccount", "serviceAccountName")];

/// How many values are looked at before a comparison is given up; aliases can make a document grow without end.
const STEPS: u32 = 1_000_000;

/// How many differences are looked for.
const MOST: usize = 50;

/// A comparison.
pub(super) struct Comparison {
    api: &'static Api,
    removed: Removed,
    ignored: Ignored,
    /// Whether pods are compared, and not what makes them.
    is_pod: bool,
    /// Whether the old object holds all that was filled in.
    is_stored: bool,
    steps: u32,
    found: Vec<Change>,
}

impl Comparison {
    pub(super) fn new(api: &'static Api, removed: Removed, ignored: Ignored) -> Self {
        Comparison { api, removed, ignored, is_pod: false, is_stored: false, steps: STEPS, found: Vec::new() }
    }

    /// The same for the objects of an update.
    pub(super) fn of(update: &super::Update<'_>, removed: Removed, ignored: Ignored) -> Self {
        Comparison {
            is_pod: update.kind.kind == "Pod",
            is_stored: update.is_stored,
            ..Comparison::new(update.api, removed, ignored)
        }
    }

    /// What was found to differ.
    pub(super) fn found(self) -> Vec<Change> {
        self.found
    }

    /// Looks for differences below the path of an object.
    pub(super) fn below(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        id: DefinitionId,
        path: &[&'static str],
    ) {
        let Some((first, rest)) = path.split_first() else { return };
        let Some(definition) = self.api.definition(id) else { return };
        let Some((_, field)) = definition.field(first) else { return };
        let (inner, before, applied) = (new.child(first), old.child(first), applied.child(first));
        match (rest, field.r#type) {
            ([], _) => {
                let short = super::super::short_name(definition.name);
                self.field(&inner, &before, applied, &short, field, merged(id, field))
            }
            (_, Type::Object(id)) => self.below(&inner, &before, applied, *id, rest),
            _ => {}
        }
    }

    /// Looks for differences of two values of a type.
    pub(super) fn value(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        r#type: &'static Type,
    ) {
        if self.spend(1).is_none() {
            return;
        }
        match r#type {
            Type::Object(id) => {
                let Some(definition) = self.api.definition(*id) else { return };
                let short = super::super::short_name(definition.name);
                for field in &definition.fields {
                    let is_ignored = self.ignored.iter().any(|ignored| *ignored == (&*short, field.name));
                    let is_unread = OLD_NAMES.iter().any(|(definition, name, other)| {
                        (*definition, *name) == (&*short, field.name) && !new.child(other).is_empty()
                    });
                    if is_ignored || is_unread {
                        continue;
                    }
                    if self.is_pod && (&*short, field.name) == ("core.ResourceRequirements", "requests") {
                        self.requests(new, old, applied.child(field.name));
                        continue;
                    }
                    let (new, old) = (new.child(field.name), old.child(field.name));
                    let (applied, r#type) = (applied.child(field.name), merged(*id, field));
                    self.field(&new, &old, applied, &short, field, r#type);
                }
            }
            Type::List(items, ListType::Map(keys)) if self.removed == Removed::Kept => {
                self.merged_list(new, old, applied, self.api.r#type(*items), keys)
            }
            Type::List(items, _) => {
                let items = self.api.r#type(*items);
                // A list whose items cannot be told apart is replaced as a whole, with all that its items leave out.
                let removed = std::mem::replace(&mut self.removed, Removed::Counts);
                self.list(new, old, applied, &mut |this, new, old, applied| {
                    this.value(new, old, applied, items);
                });
                self.removed = removed;
            }
            Type::Map(values) => {
                let values = self.api.r#type(*values);
                self.map(new, old, applied, &mut |this, new, old, applied| {
                    this.value(new, old, applied, values);
                });
            }
            Type::Any => self.anything(new, old, applied),
            _ if differs(new, old, r#type) => self.found.push(Change::of(new, old)),
            _ => {}
        }
    }

    /// Gives up once too much was looked at or found.
    fn spend(&mut self, count: usize) -> Option<()> {
        if self.found.len() >= MOST {
            return None;
        }
        self.steps = self.steps.checked_sub(u32::try_from(count).ok()?)?;
        Some(())
    }

    /// A list whose items are distinguished by keys: those that only the old one has stay, unless they were applied.
    fn merged_list(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        items: &'static Type,
        keys: &[&'static str],
    ) {
        let applied: FxHashMap<Vec<Option<&str>>, Applied<'_>> =
            applied.items().map(|item| (exact_keys(keys, |key| item.text(key)), item)).collect();
        let mut before: FxHashMap<Vec<Option<&str>>, Vec<FieldPlace<'_, '_>>> = FxHashMap::default();
        for item in old.items() {
            before.entry(exact_keys(keys, |key| key_text(&item, key))).or_default().push(item);
        }
        if self.spend(applied.len().saturating_add(before.len())).is_none() {
            return;
        }
        let mut kept = FxHashSet::default();
        for item in new.items() {
            let own = exact_keys(keys, |key| key_text(&item, key));
            let applied = applied.get(&own).copied().unwrap_or_default();
            let start = self.found.len();
            let mut first = None;
            let alike = before.get(&own).map(Vec::as_slice).unwrap_or_default();
            kept.insert(own);
            for other in alike.iter().filter(|other| same_protocol(&item, other, keys)) {
                let before = self.found.len();
                self.value(&item, other, applied, items);
                // Several items may have the same keys; one that is equal is enough.
                if self.found.len() == before {
                    first = Some(start);
                    break;
                }
                first = first.or(Some(self.found.len()));
            }
            match first {
                // What differs from the first of them is reported.
                Some(end) => self.found.truncate(end),
                None => self.found.push(Change::of(&item, old)),
            }
        }
        for item in old.items() {
            let own = exact_keys(keys, |key| key_text(&item, key));
            if applied.contains_key(&own) && !kept.contains(&own) {
                self.found.push(Change { old: item.span(), ..Change::of(new, old) });
            }
        }
    }

    /// A list whose items are distinguished by their positions. Once one of them differs, those after it have no
    /// counterparts in a list that became longer or shorter.
    fn list(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        value: &mut dyn FnMut(&mut Self, &FieldPlace<'_, '_>, &FieldPlace<'_, '_>, Applied<'_>),
    ) {
        let is_as_long = new.count() == old.count();
        let before = self.found.len();
        // Where nothing was applied, the items have no counterparts.
        let applied = applied.items().chain(std::iter::repeat(Applied::default()));
        for ((new, old), applied) in new.items().zip(old.items()).zip(applied) {
            value(self, &new, &old, applied);
            if !is_as_long && self.found.len() > before {
                return;
            }
        }
        if !is_as_long {
            self.found.push(length(new, old));
        }
    }

    fn field(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        definition: &str,
        field: &Field,
        r#type: &'static Type,
    ) {
        let is_choice = EMPTY_IS_A_CHOICE.contains(&(definition, field.name));
        let is_pointer = defaults::is_pointer(definition, field);
        let filling = defaults::of(definition, field, self.is_pod);
        // An object without fields is not the same as none, unless it is always there.
        let is_object = matches!(r#type, Type::Object(_)) && !field.is_embedded;
        // Zero counts as missing for most numbers that have a default.
        let counts_from_one = matches!(filling, Some(Filling::Is(_))) && !is_pointer;
        let is_missing = |place: &FieldPlace<'_, '_>| match is_choice || is_object {
            true => place.is_absent(),
            false => place.is_empty() || (counts_from_one && place.integer() == Some(0)),
        };
        let (is_removed, there, missing) = match (is_missing(new), is_missing(old)) {
            (true, true) => return,
            (false, false) => return self.value(new, old, applied, r#type),
            (true, false) => (true, old, new),
            (false, true) => (false, new, old),
        };
        match filling {
            // An object from a cluster holds all that is filled in, so what it lacks was not.
            Some(Filling::Filled) if is_removed || !self.is_stored => {}
            Some(Filling::FollowsOnce(_)) if is_removed => {}
            Some(Filling::Nothing) if there.is_empty() => {}
            Some(Filling::Follows(from) | Filling::FollowsOnce(from))
                if from(missing).is_none_or(|text| is_text(there, &text)) => {}
            Some(Filling::Is(text)) if is_text(there, text) => {}
            Some(Filling::Only(text))
                if there.count() == 1 && there.items().all(|item| is_text(&item, text)) => {}
            None if is_nothing(there) && !is_choice && !is_pointer && !is_object => {}
            _ if is_removed && self.keeps(new, applied, r#type) => {}
            _ => {
                let before = self.found.len();
                if let Type::Object(_) = r#type {
                    self.value(new, old, applied, r#type);
                }
                // An object that holds nothing but what is filled in, or not compared, is as good as none where such an
                // object is filled in itself, or only there for what is not compared.
                let is_same = filling.is_some() || !is_object || self.ignores_part_of(r#type, there);
                if self.found.len() == before && !(matches!(r#type, Type::Object(_)) && is_same) {
                    self.found.push(Change::of(new, old));
                }
            }
        }
    }

    /// Whether what the new object lacks stays: it says nothing of it, and did not apply it before either. A null takes
    /// it away, and so does an empty value in place of what is never merged.
    fn keeps(&self, new: &FieldPlace<'_, '_>, applied: Applied<'_>, r#type: &Type) -> bool {
        let is_merged = matches!(
            r#type,
            Type::Object(_) | Type::Map(_) | Type::List(_, ListType::Map(_) | ListType::Set)
        );
        self.removed == Removed::Kept
            && !applied.is_there()
            && !new.is_null()
            && (new.is_absent() || is_merged)
    }

    /// Whether an object has a field that is not compared.
    fn ignores_part_of(&self, r#type: &Type, place: &FieldPlace<'_, '_>) -> bool {
        let Type::Object(id) = r#type else { return false };
        let Some(definition) = self.api.definition(*id) else { return false };
        let short = super::super::short_name(definition.name);
        let mut ignored = self.ignored.iter().filter(|(definition, _)| *definition == short);
        ignored.any(|(_, field)| !place.child(field).is_absent())
    }

    /// What a container of a pod asks for. Where it says nothing, it asks for as much as it may use at most; a template
    /// is not filled in so.
    fn requests(&mut self, new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, applied: Applied<'_>) {
        let amounts = |place: &FieldPlace<'_, '_>| -> FxHashMap<String, Option<Quantity>> {
            let lists = [place.child("limits"), place.child("requests")];
            let entries = lists.iter().flat_map(|list| list.entries());
            entries.map(|(key, amount)| (key.into_owned(), amount.quantity())).collect()
        };
        let (now, mut before) = (amounts(new), amounts(old));
        if self.spend(now.len().saturating_add(before.len())).is_none() {
            return;
        }
        let (requests, old_requests) = (new.child("requests"), old.child("requests"));
        for (key, amount) in requests.entries() {
            match (before.remove(&*key), amount.quantity()) {
                (Some(Some(before)), Some(size)) if before != size => {
                    let old = old_requests.entry(&key).map_or(old_requests.span(), |old| old.span());
                    self.found.push(Change { old, ..Change::of(&amount, &old_requests) });
                }
                (None, _) => self.found.push(Change::of(&amount, &old_requests)),
                _ => {}
            }
        }
        let applied = applied.entries();
        for (key, gone) in old_requests.entries() {
            let is_gone = self.removed == Removed::Counts || applied.contains_key(&key);
            let is_kept = now.get(&*key).is_some_and(|amount| *amount == gone.quantity());
            if is_gone && !is_kept && requests.entry(&key).is_none() {
                self.found.push(Change { old: gone.span(), ..Change::of(&requests, &old_requests) });
            }
        }
    }

    fn map(
        &mut self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        applied: Applied<'_>,
        value: &mut dyn FnMut(&mut Self, &FieldPlace<'_, '_>, &FieldPlace<'_, '_>, Applied<'_>),
    ) {
        let applied = applied.entries();
        let mut before: FxHashMap<Cow<'_, str>, FieldPlace<'_, '_>> = old.entries().collect();
        if self.spend(applied.len().saturating_add(before.len())).is_none() {
            return;
        }
        for (key, place) in new.entries() {
            match before.remove(&key) {
                Some(before) => {
                    value(self, &place, &before, applied.get(&key).copied().unwrap_or_default());
                }
                None => self.found.push(Change::of(&place, old)),
            }
        }
        for (key, gone) in old.entries() {
            let is_gone = self.removed == Removed::Counts || applied.contains_key(&key);
            if is_gone && before.contains_key(&key) {
                self.found.push(Change { old: gone.span(), ..Change::of(new, old) });
            }
        }
    }

    /// Values of no known type.
    fn anything(&mut self, new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, applied: Applied<'_>) {
        if self.spend(1).is_none() {
            return;
        }
        match (new.node().map(NodeRef::kind), old.node().map(NodeRef::kind)) {
            (Some(NodeKind::Mapping { .. }), Some(NodeKind::Mapping { .. })) => {
                self.map(new, old, applied, &mut |this, new, old, applied| this.anything(new, old, applied));
            }
            (Some(NodeKind::Sequence { .. }), Some(NodeKind::Sequence { .. })) => {
                let applied = Applied::default();
                self.list(new, old, applied, &mut |this, new, old, applied| this.anything(new, old, applied));
            }
            _ if differs(new, old, &Type::Any) => self.found.push(Change::of(new, old)),
            _ => {}
        }
    }
}

/// The type of a field, with the keys of its list: items were always merged by their keys, but older versions do not
/// publish all of these.
fn merged(id: DefinitionId, field: &Field) -> &'static Type {
    let Type::List(_, ListType::Unknown | ListType::Atomic) = field.r#type else { return field.r#type };
    let newest =
        Api::newest().and_then(|api| api.definition(id)).and_then(|definition| definition.field(field.name));
    match newest {
        Some((_, Field { r#type: r#type @ Type::List(_, ListType::Map(_)), .. })) => r#type,
        _ => field.r#type,
    }
}

/// A list that became longer or shorter: the first item that only one of them has.
fn length(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Change {
    let change = Change::of(new, old);
    let added = new.items().nth(old.count()).map(|item| (item.path(), item.span()));
    let gone = old.items().nth(new.count()).map_or(change.old, |item| item.span());
    match added {
        Some((field, place)) => Change { field, place, ..change },
        None => Change { old: gone, ..change },
    }
}

const PROTOCOL: &str = "protocol";

/// The keys that tell the items of a list apart, but for the protocol.
fn exact_keys<'d>(
    keys: &[&'static str],
    text: impl Fn(&'static str) -> Option<&'d str>,
) -> Vec<Option<&'d str>> {
    keys.iter().filter(|key| **key != PROTOCOL).map(|key| text(key)).collect()
}

/// Whether two items of a list have the same protocol where it is a key: one that is missing is TCP.
fn same_protocol(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, keys: &[&'static str]) -> bool {
    let (one, other) = (key_text(new, PROTOCOL), key_text(old, PROTOCOL));
    !keys.contains(&PROTOCOL) || one == other || one.is_none() || other.is_none()
}

fn key_text<'d>(item: &FieldPlace<'_, 'd>, key: &'static str) -> Option<&'d str> {
    item.child(key).node().and_then(NodeRef::text)
}

/// Absent, empty, zero or false: what Go leaves out when it writes.
fn is_nothing(place: &FieldPlace<'_, '_>) -> bool {
    let Some(node) = place.node() else { return true };
    match node.kind() {
        NodeKind::Scalar { value, .. } => match value {
            ScalarValue::Bool(value) => !value,
            ScalarValue::Int(value) => value == 0,
            ScalarValue::Float(value) => value == 0.0,
            _ => place.is_empty(),
        },
        _ => place.is_empty(),
    }
}

fn is_text(place: &FieldPlace<'_, '_>, text: &str) -> bool {
    place.node().and_then(|node| node.text()) == Some(text)
        || place.integer().is_some_and(|number| number.to_string() == text)
}

/// Whether two plain values differ.
fn differs(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, r#type: &Type) -> bool {
    match r#type {
        Type::Quantity => match (new.quantity(), old.quantity()) {
            (Some(new), Some(old)) => new != old,
            _ => false,
        },
        Type::Int32 | Type::Int64 | Type::IntOrString => match (new.integer(), old.integer()) {
            (Some(new), Some(old)) => new != old,
            (None, None) => texts_differ(new, old),
            _ => matches!(r#type, Type::IntOrString),
        },
        _ => texts_differ(new, old),
    }
}

fn texts_differ(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> bool {
    let text = |place: &FieldPlace<'_, '_>| place.node().and_then(|node| node.text()).map(str::to_owned);
    let is_true = (new.is_true(), old.is_true());
    is_true != (true, true) && text(new) != text(old)
}
