//! What may not change when an object of a built-in kind is updated: the object in the cluster beside the new one.
//!
//! Plain fields that never change are a table ([`fields`]); kinds with rules of their own have a file each. What the
//! server fills in where a field is missing is no change: [`defaults`]. What the old object has wrong already is often
//! no error of the new one: [`forgiven`].

mod applied;
mod claim;
mod cluster;
mod compare;
mod config;
pub mod defaults;
mod event;
mod fields;
mod forgiven;
mod job;
mod metadata;
mod node_affinity;
mod pod;
mod pod_annotations;
mod quota;
mod service;
mod service_type;
mod stateful_set;
mod volume;

use std::collections::BTreeSet;
use trueline_kube_facts::{Breach, FieldError, FieldPath, KubeVersion, ServerRule};

use trueline_kube_api::{Api, Kind, Type};
use trueline_yaml::NodeId;

use crate::place::FieldPlace;
use crate::problem::{Problem, Report};
use applied::Applied;
pub(crate) use compare::{Change, Removed};
use compare::{Comparison, Ignored};

/// What a rule about updates may want to know besides the two objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Update<'a> {
    api: &'static Api,
    kind: Kind,
    /// Whether the old object came from a cluster: then it holds what the server filled in.
    is_stored: bool,
    /// Whether a field that the new object leaves out stays as it is: the old one came from a cluster, and the new one
    /// was not made from it.
    is_merged: bool,
    /// What was applied last to an object that came from a cluster: of that, nothing stays that the new one leaves out.
    applied: Applied<'a>,
}

/// A rule: looks at the new and the old object, and reports what the server would refuse.
type Rule = fn(&FieldPlace<'_, '_>, &FieldPlace<'_, '_>, &Update<'_>, &mut Report);

/// The rules of single kinds, by group and kind.
static RULES: &[(&str, &str, Rule)] = &[
    ("", "ConfigMap", config::check),
    ("", "Node", cluster::check_node),
    ("", "PersistentVolume", volume::check),
    ("", "PersistentVolumeClaim", claim::check),
    ("", "Pod", pod::check),
    ("", "Pod", pod_annotations::check),
    ("", "ResourceQuota", quota::check),
    ("", "Secret", config::check),
    ("", "Service", service::check),
    ("apps", "StatefulSet", stateful_set::check),
    ("batch", "CronJob", job::check_cron_job),
    ("batch", "Job", job::check),
    ("events.k8s.io", "Event", event::check),
    ("networking.k8s.io", "ServiceCIDR", cluster::check_ranges),
    ("storage.k8s.io", "CSINode", cluster::check_drivers),
];

/// Reports what the server would refuse of an update, and takes out of what was found in the new object what the server
/// forgives. What is wrong with the old one is only asked for where it matters.
pub(crate) fn check(
    api: &'static Api,
    kind: &Kind,
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    wrong_before: impl FnOnce() -> Vec<Problem>,
    report: &mut Report,
) {
    let is_stored = is_of_cluster(old);
    // What was fetched, changed and sent again says all that it is about.
    let is_merged = is_stored && !is_of_cluster(new);
    let document = if is_merged { applied::read(old) } else { None };
    let update = Update { api, kind: *kind, is_stored, is_merged, applied: Applied::of(document.as_ref()) };
    forgiven::forgive(new, old, &update, wrong_before, &mut report.problems);
    metadata::check(new, old, report);
    fields::check(new, old, &update, report);
    for (group, name, rule) in RULES {
        if *group == kind.group && *name == kind.kind {
            rule(new, old, &update, report);
        }
    }
}

/// The keys of fields that the server drops from the new object before it looks at it, because of what changed.
pub(crate) fn dropped(kind: &Kind, new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>) -> Vec<NodeId> {
    match (kind.group, kind.kind) {
        ("", "Service") => service_type::dropped(new, old),
        _ => Vec::new(),
    }
}

/// Whether the server does not drop a field that it would drop from a new object, because of what the old one has.
pub(crate) fn keeps_dropped(kind: &Kind, field: &str, old: &FieldPlace<'_, '_>) -> bool {
    (kind.group, kind.kind, field) == ("", "PersistentVolumeClaim", "dataSourceRef")
        && claim::has_source(&old.child("spec"))
}

/// Whether an object is as a cluster returns it.
pub(crate) fn is_of_cluster(object: &FieldPlace<'_, '_>) -> bool {
    let metadata = object.child("metadata");
    !metadata.child("uid").is_empty() || !metadata.child("resourceVersion").is_empty()
}

impl Update<'_> {
    fn version(&self) -> KubeVersion {
        self.api.version()
    }

    /// What it means that the new object lacks a field.
    fn removed(&self) -> Removed {
        if self.is_merged { Removed::Kept } else { Removed::Counts }
    }

    /// Whether a field at this path stays where the new object leaves it out.
    fn keeps(&self, path: &[&str]) -> bool {
        self.is_merged && !self.applied.at(path).is_there()
    }

    /// Whether the new object says nothing of the field at this path, and it stays. A null removes it.
    fn leaves(&self, field: &FieldPlace<'_, '_>, path: &[&str]) -> bool {
        field.is_absent() && !field.is_null() && self.keeps(path)
    }

    /// What differs below a path, if something does.
    fn change(
        &self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        path: &[&'static str],
        removed: Removed,
        ignored: Ignored,
    ) -> Option<Change> {
        Change::joined(self.changes(new, old, path, removed, ignored))
    }

    /// Each thing that differs below a path.
    fn changes(
        &self,
        new: &FieldPlace<'_, '_>,
        old: &FieldPlace<'_, '_>,
        path: &[&'static str],
        removed: Removed,
        ignored: Ignored,
    ) -> Vec<Change> {
        let mut comparison = Comparison::of(self, removed, ignored);
        comparison.below(new, old, self.applied, self.kind.definition, path);
        comparison.found()
    }

    /// The type of the field at a path.
    fn type_of(&self, path: &[&'static str]) -> Option<&'static Type> {
        let (last, before) = path.split_last()?;
        let mut definition = self.api.definition(self.kind.definition)?;
        for name in before {
            let Type::Object(id) = definition.field(name)?.1.r#type else { return None };
            definition = self.api.definition(*id)?;
        }
        Some(definition.field(last)?.1.r#type)
    }
}

impl Report {
    /// Something changed that may not: the field that the server names, the rule, and what changed.
    fn changed(&mut self, field: FieldPath, breach: impl Into<Breach>, change: Change) {
        let error = FieldError { value: change.value, ..FieldError::new(breach, field, Some(change.place)) };
        let mut pointed = BTreeSet::from([(change.place.start, change.place.end)]);
        let further = change.further.into_iter().map(|change| {
            let words = format!("`{}` changed, too", change.field);
            // What is gone has no place of its own in the new object.
            match pointed.insert((change.place.start, change.place.end)) {
                true => (change.place, words),
                false => (change.old, format!("{words}: this is what the cluster has")),
            }
        });
        let further = further.collect();
        self.change(error, change.field, change.place, change.old);
        self.beside(further);
    }
}

/// Acts on the places at a path in both objects.
fn at(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    path: &[&'static str],
    act: &mut dyn FnMut(&FieldPlace<'_, '_>, &FieldPlace<'_, '_>),
) {
    match path {
        [] => act(new, old),
        [first, rest @ ..] => at(&new.child(first), &old.child(first), rest, act),
    }
}

/// The rules of all files that are declared with `rules!`.
pub static NAMED_LISTS: &[&[&ServerRule]] = &[
    claim::NAMED,
    cluster::NAMED,
    config::NAMED,
    fields::NAMED,
    job::NAMED,
    node_affinity::NAMED,
    pod::NAMED,
    pod_annotations::NAMED,
    service::NAMED,
    stateful_set::NAMED,
    volume::NAMED,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_names_a_kind_and_fields_that_exist() {
        let mut kinds = BTreeSet::new();
        let mut names = BTreeSet::new();
        for version in Api::versions() {
            let api = Api::for_version(version).unwrap();
            for kind in api.kinds() {
                kinds.insert((kind.group, kind.kind));
            }
            for definition in api.all_definitions() {
                let short = crate::rules::short_name(definition.name);
                names.extend(definition.fields.iter().map(|field| format!("{short}.{}", field.name)));
            }
        }
        for (group, kind, _) in RULES {
            assert!(kinds.contains(&(*group, *kind)), "{group} {kind}");
        }
        for (group, kind) in fields::kinds() {
            assert!(kinds.contains(&(group, kind)), "{group} {kind}");
        }
        for name in defaults::names().chain(stateful_set::names()).chain(pod::names()).chain(job::names()) {
            assert!(names.contains(&name), "{name}");
        }
    }
}
