//! Objects of built-in kinds: whether the API server of a version would take them.
//!
//! [`objects`] takes a document apart (a `List` holds several), and [`validate`] looks at one object and gives facts.

mod shape;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::Severity;
use trueline_kube_api::{Api, Kind, Lookup};
use trueline_kube_facts::meant::nearest_kind;
use trueline_kube_facts::{FieldPath, FieldValidation, KubeVersion, Reason};
use trueline_source::Span;
use trueline_yaml::{Data, MapEntry, NodeRef, Value};

use crate::place::{FieldPlace, Hidden, HiddenField};
use crate::problem::Report;
pub use crate::problem::{Fact, Problem, Unreadable};
use crate::rules::{self, Context, Operation};
use walk::Walk;

/// How objects are looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// What becomes of unknown fields.
    pub field_validation: FieldValidation,
    /// Whether it is searched what was meant by them.
    pub suggestions: Suggestions,
}

/// Whether it is searched what was meant by a field that is not known. That takes longer than everything else about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Suggestions {
    /// It is.
    #[default]
    Searched,
    /// It is not: so much is wrong already that nobody will read it.
    LeftOut,
}

/// An object of a document.
#[derive(Debug, Clone, Copy)]
pub struct Object<'d> {
    /// The object itself.
    pub node: NodeRef<'d>,
    /// Its `apiVersion`; empty if there is none.
    pub api_version: &'d str,
    /// Its `kind`; empty if there is none.
    pub kind: &'d str,
    /// Its name; empty if there is none.
    pub name: &'d str,
    /// Its namespace; empty if there is none.
    pub namespace: &'d str,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It was checked: errors and warnings, in order of place. Without an error, the server would take it.
    Checked(Vec<Problem>),
    /// It was not checked.
    Skipped(Skip),
}

/// Why an object was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It has neither `apiVersion` nor `kind`.
    NotAnObject,
    /// No version of Kubernetes has this kind; it may belong to a CRD. A built-in kind whose name is near, in the same
    /// group and version.
    UnknownKind(Option<&'static str>),
}

impl Verdict {
    /// Whether it was checked and has no error.
    pub fn is_valid(&self) -> bool {
        match self {
            Verdict::Checked(problems) => problems.iter().all(|problem| problem.severity != Severity::Error),
            Verdict::Skipped(_) => false,
        }
    }
}

/// How deep lists may hold lists.
const NESTED_LISTS: usize = 16;

/// The objects of a document: itself, or the items of a `List`.
pub fn objects(root: NodeRef<'_>) -> Vec<Object<'_>> {
    let mut found = Vec::new();
    collect(root, NESTED_LISTS, &mut found);
    found
}

fn collect<'d>(node: NodeRef<'d>, depth: usize, found: &mut Vec<Object<'d>>) {
    let object = Object::new(node);
    // As kubectl sees it: any kind with this ending that has items.
    let items = node.get("items").and_then(NodeRef::items);
    match items {
        Some(items) if object.kind.ends_with("List") && depth > 0 => {
            // The items of a list of one kind need not say again what they are.
            let of = object.kind.strip_suffix("List").filter(|kind| !kind.is_empty());
            for item in items {
                let before = found.len();
                collect(item, depth - 1, found);
                if let ([only], Some(kind)) = (found.get_mut(before..).unwrap_or_default(), of)
                    && only.kind.is_empty()
                    && only.api_version.is_empty()
                    && item.entries().is_some()
                {
                    (only.kind, only.api_version) = (kind, object.api_version);
                }
            }
        }
        // Without items it is an object like others for kubectl, of a kind that there is not.
        _ if object.kind == "List"
            && object.api_version == "v1"
            && node.get("items").is_some_and(|items| items.is_null() || items.items().is_some()) => {}
        _ => found.push(object),
    }
}

impl<'d> Object<'d> {
    /// The head of an object.
    pub fn new(node: NodeRef<'d>) -> Self {
        let text = |node: Option<NodeRef<'d>>| node.and_then(NodeRef::as_str).unwrap_or_default();
        let metadata = node.get("metadata");
        Object {
            node,
            api_version: text(node.get("apiVersion")),
            kind: text(node.get("kind")),
            name: text(metadata.and_then(|metadata| metadata.get("name"))),
            namespace: text(metadata.and_then(|metadata| metadata.get("namespace"))),
        }
    }

    /// The object as a value, with the head that it has from its list if it says none itself.
    pub fn value(&self) -> Value {
        let mut value = Value::from_node(self.node);
        if let Data::Map(map) = &mut value.data
            && self.node.get("kind").is_none()
            && !self.kind.is_empty()
        {
            let map = Arc::make_mut(map);
            for (key, text) in [("kind", self.kind), ("apiVersion", self.api_version)] {
                let entry = MapEntry { key_origin: None, value: Value::new(Data::String(text.into())) };
                map.shift_insert(0, key.into(), entry);
            }
        }
        value
    }

    /// The group and the version in `apiVersion`.
    pub fn group_and_version(&self) -> (&'d str, &'d str) {
        self.api_version.split_once('/').unwrap_or(("", self.api_version))
    }
}

/// Whether the server would take a new object.
pub fn validate(api: &'static Api, object: &Object<'_>, options: &Options) -> Verdict {
    look(api, object, None, options)
}

/// Whether the server would take an object in place of one that it has. An old one of another version of the kind is not
/// compared: its fields may have other names.
pub fn validate_update(
    api: &'static Api,
    object: &Object<'_>,
    old: &Object<'_>,
    options: &Options,
) -> Verdict {
    let is_same = old.api_version == object.api_version && old.kind == object.kind;
    look(api, object, Some(old.node).filter(|_| is_same), options)
}

fn look(api: &'static Api, object: &Object<'_>, old: Option<NodeRef<'_>>, options: &Options) -> Verdict {
    let root = FieldPlace::root(object.node);
    let mut report = Report::default();
    if object.api_version.is_empty() || object.kind.is_empty() {
        if object.api_version.is_empty() && object.kind.is_empty() {
            return Verdict::Skipped(Skip::NotAnObject);
        }
        let field = if object.kind.is_empty() { "kind" } else { "apiVersion" };
        report.fact(&root.child(field), Fact::NoHead(field), Severity::Error);
        return Verdict::Checked(report.problems);
    }
    let (group, version) = object.group_and_version();
    let head = root.child("apiVersion");
    let kind = match api.lookup(group, version, object.kind) {
        Lookup::Served(kind) => kind,
        Lookup::Unknown => {
            // The groups and versions of all kinds, those of CRDs too, are lower case.
            let lower = object.api_version.to_ascii_lowercase();
            let (group_meant, version_meant) = lower.split_once('/').unwrap_or(("", lower.as_str()));
            let is_meant = lower != object.api_version
                && !matches!(api.lookup(group_meant, version_meant, object.kind), Lookup::Unknown);
            if is_meant {
                report.fact(&head, Fact::Unreadable(Unreadable::Capitals, vec![lower]), Severity::Error);
                return Verdict::Checked(report.problems);
            }
            let names = api.kinds().filter(|kind| kind.group == group && kind.version == version);
            return Verdict::Skipped(Skip::UnknownKind(nearest_kind(
                object.kind,
                names.map(|kind| kind.kind),
            )));
        }
        Lookup::NotYet(since) => {
            report.fact(&head, Fact::NotYet(since), Severity::Error);
            return Verdict::Checked(report.problems);
        }
        Lookup::Removed { since, replacement } => {
            let fact = Fact::Removed(since, replacement.map(|kind| replacement_text(kind, object.kind)));
            report.fact(&head, fact, Severity::Error);
            return Verdict::Checked(report.problems);
        }
    };
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let context = Context { version: api.version(), kind: kind.kind, operation };
    let mut walk = Walk::new(api, options, context);
    let (hidden, hidden_before);
    let (mut seen, mut before) = (root, old.map(FieldPlace::root));
    if let Some(definition) = api.definition(kind.definition) {
        walk.object(&root, definition);
        let mut earlier = Walk::new(api, options, context);
        if let Some(before) = &before {
            earlier.object(before, definition);
            let dropped = rules::update::dropped(&kind, &root, before);
            walk.hidden.extend(dropped.into_iter().map(|key| HiddenField { key, known: None }));
        }
        if !walk.hidden.is_empty() || !earlier.hidden.is_empty() {
            // Rules saw what the server drops: once more, without it. A manifest lost such fields when it was made, so
            // only what a cluster holds keeps them.
            let is_stored = before.as_ref().is_some_and(rules::update::is_of_cluster);
            let known = earlier.hidden.iter().filter(|_| is_stored).filter_map(|field| field.known);
            let mut kept: Vec<_> = known.collect();
            if let Some(before) = &before {
                let known = walk.hidden.iter().filter_map(|field| field.known);
                kept.extend(known.filter(|(_, field)| rules::update::keeps_dropped(&kind, field, before)));
            }
            kept.sort_unstable();
            kept.dedup();
            hidden =
                Hidden::new(&walk.hidden, |field| field.known.is_none_or(|known| !kept.contains(&known)));
            hidden_before = Hidden::new(&earlier.hidden, |field| !is_stored || field.known.is_none());
            seen = root.without(&hidden);
            before = before.map(|before| before.without(&hidden_before));
            walk = Walk { kept, ..Walk::new(api, options, context) };
            walk.object(&seen, definition);
        }
    }
    deprecation(api, &kind, &head, &mut walk.report);
    rules::metadata::check(&seen, &kind, &context, &mut walk.report);
    if let Some(before) = before {
        let mut earlier = Walk { kept: std::mem::take(&mut walk.kept), ..Walk::new(api, options, context) };
        let wrong_before = || {
            if let Some(definition) = api.definition(kind.definition) {
                earlier.object(&before, definition);
            }
            earlier.report.problems
        };
        rules::update::check(api, &kind, &seen, &before, wrong_before, &mut walk.report);
    }
    let mut problems = finish(walk.report.problems);
    rules::devices::rename(&mut problems, object.api_version, api.version());
    Verdict::Checked(problems)
}

fn deprecation(api: &Api, kind: &Kind, head: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(lifecycle) = api.lifecycle(kind.group, kind.version, kind.kind) else { return };
    let since = KubeVersion { minor: lifecycle.deprecated };
    if since <= api.version() {
        let removed = lifecycle.removed.map(|minor| KubeVersion { minor });
        let replacement = lifecycle.replacement.map(|new| replacement_text(new, kind.kind));
        report.fact(head, Fact::Deprecated(since, removed, replacement), Severity::Warning);
    }
}

/// What to write for `apiVersion`, and for `kind` where that changes too.
fn replacement_text((group, version, kind): (&str, &str, &str), old: &str) -> String {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    if kind == old { api_version } else { format!("{api_version} {kind}") }
}

/// A new value that is wrong in itself is one mistake: that it changed, too, is not said.
fn reported_once(problems: &mut Vec<Problem>) {
    let is_change = |problem: &Problem| matches!(problem.fact, Fact::Changed(..));
    if !problems.iter().any(is_change) {
        return;
    }
    let is_wrong = |problem: &&Problem| problem.severity == Severity::Error && !is_change(problem);
    let wrong: FxHashMap<FieldPath, Span> =
        problems.iter().filter(is_wrong).map(|problem| (problem.field.clone(), problem.place)).collect();
    let places: FxHashSet<Span> = wrong.values().copied().collect();
    problems.retain(|problem| match &problem.fact {
        Fact::Changed(error, _) => {
            // A plain value is alone at its place; what is missing points at what is around it.
            let is_plain = error.value.as_deref().is_some_and(|value| value != "\"\"");
            let is_wrong = wrong.contains_key(&problem.field);
            !(is_wrong || is_plain && places.contains(&problem.place))
        }
        _ => true,
    });
}

/// Removes what is only refused because a value is of another type, of which it is said already.
fn without_follow_ups(problems: &mut Vec<Problem>) {
    let wrong = problems.iter().filter(|problem| matches!(problem.fact, Fact::WrongType(..)));
    let wrong: FxHashSet<FieldPath> = wrong.map(|problem| problem.field.clone()).collect();
    if wrong.is_empty() {
        return;
    }
    problems.retain(|problem| {
        let is_follow_up = || wrong.iter().any(|wrong| problem.field.below(wrong).is_some());
        !matches!(problem.fact, Fact::Refused(..)) || !is_follow_up()
    });
}

/// A path and those of all that is around it.
fn around(field: &FieldPath) -> Vec<FieldPath> {
    let steps = field.segments();
    (0..=steps.len()).filter_map(|end| steps.get(..end)).map(|steps| FieldPath::new(steps.to_vec())).collect()
}

/// In order of place; what was said as an error is not said as a warning again.
fn finish(mut problems: Vec<Problem>) -> Vec<Problem> {
    let refused_twice: FxHashSet<FieldPath> = problems
        .iter()
        .filter(
            |problem| matches!(&problem.fact, Fact::Refused(error, _) if error.reason() == Reason::Duplicate),
        )
        .flat_map(|problem| around(&problem.field))
        .collect();
    let is_refused = |item: &FieldPath| refused_twice.contains(item);
    problems.retain(|problem| problem.fact != Fact::SameKeys || !is_refused(&problem.field));
    without_follow_ups(&mut problems);
    reported_once(&mut problems);
    problems.sort_by_key(|problem| (problem.place.start, problem.place.end));
    problems.dedup();
    problems
}
