//! What an update may leave wrong: rules that came later than the objects they are about do not lock these up.
//!
//! A table of what is forgiven, each with the server's own condition on the old object. The rules know nothing of it:
//! they look at the old object as they look at the new one, and what they refuse there is the condition in most cases.

mod table;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_kube_api::Type;
use trueline_kube_facts::{FieldError, FieldPath, Reason, Segment, ServerRule};
use trueline_yaml::{NodeRef, ScalarValue};

use super::Update;
use super::applied::Applied;
use super::compare::{Comparison, Removed};
use crate::place::FieldPlace;
use crate::problem::{Fact, Problem};
use crate::rules::syntax;
use table::{ROWS, WITH_PODS};

/// One thing that is forgiven.
struct Row {
    /// The kinds of the objects.
    kinds: &'static [&'static str],
    /// The versions of Kubernetes, the last one included.
    versions: (u16, u16),
    /// The fields whose errors are forgiven: `*` stands for anything in a name, `**` for any steps, `[]` for an item or a
    /// key, and a `pod.` in front for the pod that the object has or makes.
    fields: &'static [&'static str],
    /// The rules whose errors are forgiven; if there are none, those of all rules.
    rules: &'static [&'static ServerRule],
    /// Which of these errors are meant.
    which: Which,
    when: When,
}

impl Row {
    fn is_about(&self, error: &FieldError) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|rule| error.breaks(rule))
    }
}

/// Which errors are meant.
enum Which {
    All,
    Only(fn(&Look<'_, '_>, &FieldError) -> bool),
}

/// What has to be true of an update. It is asked once for all errors.
enum When {
    /// It is an update: what is wrong cannot have been put there by it.
    Always,
    /// The old object breaks one of the rules in one of these fields.
    Before(&'static [&'static str]),
    /// None of these fields changed.
    Unchanged(&'static [&'static [&'static str]]),
    /// The value that is wrong, read in this way, is one of these.
    Among(fn(&str) -> &str, fn(&Look<'_, '_>) -> FxHashSet<String>),
    /// Something else.
    If(fn(&Look<'_, '_>) -> bool),
}

/// What came out of a condition.
enum Answer {
    Whole(bool),
    Values(fn(&str) -> &str, FxHashSet<String>),
}

/// An update, what is wrong with both objects, and what was found out about them so far.
struct Look<'a, 'd> {
    update: &'a Update<'a>,
    new: &'a FieldPlace<'a, 'd>,
    old: &'a FieldPlace<'a, 'd>,
    errors: &'a [&'a FieldError],
    before: &'a [&'a FieldError],
    answers: Vec<OnceCell<Answer>>,
    marks: OnceCell<Vec<bool>>,
    same_parts: OnceCell<FxHashSet<(usize, &'static str)>>,
}

/// Takes out of the problems of a new object what the server forgives, because the old one has it already.
pub(super) fn forgive(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    before: impl FnOnce() -> Vec<Problem>,
    problems: &mut Vec<Problem>,
) {
    if !problems.iter().any(|problem| matches!(problem.fact, Fact::Refused(..))) {
        return;
    }
    let before = before();
    let (errors, before) = (refused(problems), refused(&before));
    let look = Look::new(update, new, old, &errors, &before);
    let skips_template = look.skips_template();
    let is_forgiven = |wrong: &FieldError| look.forgives(wrong) || skips_template && is_of_template(wrong);
    let mut kept: Vec<bool> = errors.iter().map(|wrong| !is_forgiven(wrong)).collect();
    kept.reverse();
    problems.retain(|problem| !matches!(problem.fact, Fact::Refused(..)) || kept.pop().unwrap_or(true));
}

/// The errors among some problems, in their order.
fn refused(problems: &[Problem]) -> Vec<&FieldError> {
    let errors = problems.iter().filter_map(|problem| match &problem.fact {
        Fact::Refused(error, _) => Some(error),
        _ => None,
    });
    errors.collect()
}

impl<'a, 'd> Look<'a, 'd> {
    fn new(
        update: &'a Update<'a>,
        new: &'a FieldPlace<'a, 'd>,
        old: &'a FieldPlace<'a, 'd>,
        errors: &'a [&'a FieldError],
        before: &'a [&'a FieldError],
    ) -> Self {
        let answers = ROWS.iter().map(|_| OnceCell::new()).collect();
        Look {
            update,
            new,
            old,
            errors,
            before,
            answers,
            marks: OnceCell::new(),
            same_parts: OnceCell::new(),
        }
    }

    fn forgives(&self, wrong: &FieldError) -> bool {
        let minor = self.update.version().minor;
        let rows = ROWS.iter().zip(&self.answers).filter(|(row, _)| {
            row.kinds.contains(&self.update.kind.kind)
                && (row.versions.0..=row.versions.1).contains(&minor)
                && row.is_about(wrong)
                && self.is_among(row.fields, wrong)
        });
        rows.into_iter().any(|(row, answer)| {
            let is_meant = match row.which {
                Which::All => true,
                Which::Only(is_meant) => is_meant(self, wrong),
            };
            is_meant
                && match answer.get_or_init(|| self.answer(row)) {
                    Answer::Whole(answer) => *answer,
                    Answer::Values(read, values) => values.contains(read(wrong.typed())),
                }
        })
    }

    fn answer(&self, row: &Row) -> Answer {
        Answer::Whole(match row.when {
            When::Always => true,
            When::Before(fields) => self.before(fields).any(|error| row.is_about(error)),
            When::Unchanged(paths) => paths.iter().all(|path| {
                let removed = self.update.removed();
                self.update.change(self.new, self.old, path, removed, &[]).is_none()
            }),
            When::Among(read, values) => return Answer::Values(read, values(self)),
            When::If(condition) => condition(self),
        })
    }

    /// The errors of the old object in these fields.
    fn before(&self, fields: &'static [&'static str]) -> impl Iterator<Item = &FieldError> {
        self.before.iter().copied().filter(|wrong| self.is_among(fields, wrong))
    }

    /// Whether an error is about one of these fields.
    fn is_among(&self, fields: &[&str], wrong: &FieldError) -> bool {
        fields.iter().any(|pattern| match pattern.strip_prefix("pod.") {
            Some(pattern) => {
                let pod = pod_of(self.update.kind.kind).map(FieldPath::of);
                let inner = pod.as_ref().and_then(|pod| wrong.field.below(pod));
                inner.is_some_and(|inner| !inner.is_empty() && fits(pattern, inner))
            }
            None => fits(pattern, wrong.field.segments()),
        })
    }

    /// Whether the pods of a StatefulSet are not looked at: something of the old one is wrong that is not forgiven
    /// itself.
    fn skips_template(&self) -> bool {
        if self.update.kind.kind != "StatefulSet" || self.update.version().minor < 34 {
            return false;
        }
        let itself = Look::new(self.update, self.old, self.old, self.before, self.before);
        self.before.iter().any(|wrong| wrong.field.starts_with(&["spec"]) && !itself.forgives(wrong))
    }

    /// Whether the item of a list of the new object that a field is in has some property. Each sort of objects is
    /// asked for one list.
    fn is_marked(&self, list: &FieldPath, field: &FieldPath, is_it: fn(NodeRef<'_>) -> bool) -> bool {
        let marks = self.marks.get_or_init(|| items_at(self.new, list).map(is_it).collect());
        let index = field.item_of(list).map(|(index, _)| index);
        index.and_then(|index| marks.get(index).copied()).unwrap_or(false)
    }

    /// Whether a rule of an Ingress for many hosts was wrong before.
    fn had_wrong_wildcard(&self) -> bool {
        let wildcards: Vec<bool> = items(self.old, "spec.rules").map(has_wildcard).collect();
        let rules = FieldPath::of("spec.rules");
        self.before(&["spec.rules[].http.**"]).any(|error| {
            let index = error.field.item_of(&rules).map(|(index, _)| index);
            index.and_then(|index| wildcards.get(index).copied()).unwrap_or(false)
        })
    }

    /// Whether the conditions of all webhooks are what they were.
    fn has_same_conditions(&self) -> bool {
        let (hooks, before) = (self.new.child("webhooks"), self.old.child("webhooks"));
        let mut comparison = Comparison::new(self.update.api, Removed::Counts, &[]);
        hooks.count() == before.count()
            && hooks.items().zip(before.items()).all(|(hook, before)| {
                let (new, old) = (hook.child("matchConditions"), before.child("matchConditions"));
                comparison.value(&new, &old, Applied::default(), &Type::Any);
                new.count() == old.count()
            })
            && comparison.found().is_empty()
    }

    /// Whether an autoscaler has something to go by where there are no pods.
    fn is_scaled_from_outside(&self) -> bool {
        let spec = self.new.child("spec");
        let metrics = spec.child("metrics");
        metrics.items().any(|metric| matches!(metric.child("type").text(), Some("Object" | "External")))
    }

    /// Whether a part of the device that an error is about is what it was: devices are known by their names.
    fn has_same_part(&self, error: &FieldError, part: &'static str) -> bool {
        let Some((index, _)) = error.field.item_of(&FieldPath::of("spec.devices")) else { return false };
        self.same_parts.get_or_init(|| self.same_parts()).contains(&(index, part))
    }

    /// The indexes of devices, with those of their parts that are what they were. Worked out once for all errors: each of
    /// thousands of devices may have one.
    fn same_parts(&self) -> FxHashSet<(usize, &'static str)> {
        let (new, old) = (self.new.child("spec"), self.old.child("spec"));
        let (devices, old_devices) = (new.child("devices"), old.child("devices"));
        let old_devices: Vec<FieldPlace<'_, '_>> = old_devices.items().collect();
        let mut by_name = FxHashMap::default();
        for device in &old_devices {
            by_name.entry(device.child("name").text()).or_insert(device);
        }
        let mut same = FxHashSet::default();
        for (index, device) in devices.items().enumerate() {
            let Some(before) = by_name.get(&device.child("name").text()) else { continue };
            let parts = ["taints", "capacity"].into_iter();
            same.extend(
                parts.filter(|part| self.is_same_part(&device, before, part)).map(|part| (index, part)),
            );
        }
        same
    }

    fn is_same_part(
        &self,
        device: &FieldPlace<'_, 'd>,
        before: &FieldPlace<'_, 'd>,
        part: &'static str,
    ) -> bool {
        let mut comparison = Comparison::new(self.update.api, Removed::Counts, &[]);
        // Older forms of the kind hold all of it one level deeper.
        for field in [None, Some("basic")] {
            let (inner, inner_before) = match field {
                Some(field) => (device.child(field), before.child(field)),
                None => (*device, *before),
            };
            let (new, old) = (inner.child(part), inner_before.child(part));
            if new.is_empty() != old.is_empty() {
                return false;
            }
            comparison.value(&new, &old, Applied::default(), &Type::Any);
        }
        comparison.found().is_empty()
    }

    /// Whether an annotation is what it was.
    fn has_same_annotation(&self, key: &str) -> bool {
        let text = |object: &FieldPlace<'_, '_>| {
            let metadata = object.child("metadata");
            let annotations = metadata.child("annotations");
            annotations.entry(key).and_then(|value| value.text().map(str::to_owned))
        };
        text(self.new) == text(self.old)
    }

    /// Whether a container of the old object may do nearly everything, and is not told that it may get further rights.
    fn had_administrators(&self) -> bool {
        let pod = pod_of(self.update.kind.kind).and_then(|pod| node_at(self.old, pod));
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let lists = lists.iter().filter_map(|list| pod?.get(list)?.items()).flatten();
        lists.filter_map(|container| container.get("securityContext")).any(|security| {
            let added = security.get("capabilities").and_then(|capabilities| capabilities.get("add"));
            let mut added = added.and_then(NodeRef::items).into_iter().flatten();
            let is_allowed = security.get("allowPrivilegeEscalation").and_then(NodeRef::scalar);
            is_allowed != Some(ScalarValue::Bool(true))
                && added.any(|capability| capability.as_str() == Some("CAP_SYS_ADMIN"))
        })
    }

    /// Whether a name of a variable that only newer servers take is in both objects.
    fn keeps_relaxed_name(&self, fields: &'static [&'static str]) -> bool {
        let before: FxHashSet<&str> = self.before(fields).map(FieldError::typed).collect();
        let mut errors = self.errors.iter().filter(|wrong| self.is_among(fields, wrong));
        errors.any(|wrong| is_relaxed_name(wrong) && before.contains(wrong.typed()))
    }

    /// The ranges of addresses that an old policy names.
    fn old_blocks(&self) -> FxHashSet<String> {
        let lists = [("spec.ingress", "from"), ("spec.egress", "to")];
        let peers = lists.into_iter().flat_map(|(list, peers)| {
            items(self.old, list).filter_map(move |rule| rule.get(peers)).filter_map(NodeRef::items).flatten()
        });
        let blocks = peers.filter_map(|peer| peer.get("ipBlock")).flat_map(|block| {
            let except = block.get("except").and_then(NodeRef::items).into_iter().flatten();
            block.get("cidr").into_iter().chain(except).filter_map(NodeRef::as_str)
        });
        blocks.map(str::to_owned).collect()
    }
}

/// The items of a list at a path.
fn items<'d>(object: &FieldPlace<'_, 'd>, path: &str) -> impl Iterator<Item = NodeRef<'d>> {
    node_at(object, path).and_then(NodeRef::items).into_iter().flatten()
}

/// The items of a list at the path of an error.
fn items_at<'d>(object: &FieldPlace<'_, 'd>, path: &FieldPath) -> impl Iterator<Item = NodeRef<'d>> {
    let names = path.segments().iter().map(Segment::as_field);
    let mut names = names.map(|name| name.unwrap_or_default());
    let node = object.node().and_then(|node| names.try_fold(node, |node, name| node.get(name)));
    node.and_then(NodeRef::items).into_iter().flatten()
}

/// The texts of a list at a path, each read in this way.
fn texts(object: &FieldPlace<'_, '_>, path: &str, read: fn(&str) -> &str) -> FxHashSet<String> {
    items(object, path).filter_map(NodeRef::as_str).map(|text| read(text).to_owned()).collect()
}

/// A string as it is written.
fn whole(text: &str) -> &str {
    text
}

/// Whether the rule of an Ingress is for many hosts.
fn has_wildcard(rule: NodeRef<'_>) -> bool {
    rule.get("host").and_then(NodeRef::as_str).is_some_and(|host| host.contains('*'))
}

/// Whether a toleration has an integer to compare with, in its one form.
fn compares_a_number(toleration: NodeRef<'_>) -> bool {
    let text = toleration.get("value").and_then(NodeRef::as_str);
    text.is_some_and(|text| text.parse::<i64>().is_ok_and(|number| number.to_string() == text))
}

/// Whether a name of a variable is one that newer servers take.
fn is_relaxed_name(error: &FieldError) -> bool {
    syntax::relaxed_environment_name(error.typed()).is_empty()
}

/// Where a kind has its pod.
fn pod_of(kind: &str) -> Option<&'static str> {
    match kind {
        "Pod" => Some("spec"),
        "PodTemplate" => Some("template.spec"),
        "CronJob" => Some("spec.jobTemplate.spec.template.spec"),
        _ if WITH_PODS.contains(&kind) => Some("spec.template.spec"),
        _ => None,
    }
}

/// Whether an error of a StatefulSet is about its pods, and not about what the set itself wants of them.
fn is_of_template(error: &FieldError) -> bool {
    let Some(below) = error.field.below(&FieldPath::of("spec.template")) else { return false };
    let is_of_set = match below {
        [] => true,
        [spec, field] if spec.is("spec") && field.is("restartPolicy") => {
            error.breaks(&crate::rules::workload::RESTART_POLICY)
        }
        [spec, field] if spec.is("spec") && field.is("activeDeadlineSeconds") => {
            error.reason() == Reason::Forbidden
        }
        [metadata, _, ..] if metadata.is("metadata") => true,
        [first, ..] => first.is("labels") || first.is("annotations"),
    };
    !is_of_set
}

/// Whether steps are what a pattern says.
fn fits(pattern: &str, steps: &[Segment]) -> bool {
    if let Some(rest) = pattern.strip_prefix("**") {
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        return (0..=steps.len()).any(|skipped| fits(rest, steps.get(skipped..).unwrap_or_default()));
    }
    let Some((first, others)) = steps.split_first() else { return pattern.is_empty() || pattern == "**" };
    if let Some(rest) = pattern.strip_prefix("[]") {
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        return first.as_field().is_none() && fits(rest, others);
    }
    let (name, rest) = pattern.split_at(pattern.find(['.', '[']).unwrap_or(pattern.len()));
    let is_name = first.as_field().is_some_and(|field| !name.is_empty() && is_like(name, field));
    is_name && fits(rest.strip_prefix('.').unwrap_or(rest), others)
}

/// Whether a name is what a pattern with at most one `*` says.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

/// The value at a path of fields.
fn node_at<'d>(object: &FieldPlace<'_, 'd>, path: &str) -> Option<NodeRef<'d>> {
    path.split('.').try_fold(object.node()?, |node, field| node.get(field))
}
