//! What an update may leave wrong: rules that came later than the objects they are about do not lock these up.
//!
//! A table of what is forgiven, each with the server's own condition on the old object. The rules know nothing of it:
//! they look at the old object as they look at the new one, and what they refuse there is the condition in most cases.

mod table;
#[cfg(test)]
mod tests;

use trueline_yaml::{NodeRef, ScalarValue};

use super::Update;
use super::applied::Applied;
use super::compare::{Comparison, Removed};
use crate::api::Type;
use crate::manifest::place::Place;
use crate::manifest::problem::{Fact, Problem};
use crate::{FieldError, Reason};
use table::{ROWS, WITH_PODS};

/// One thing that is forgiven.
struct Row {
    /// The kinds of the objects.
    kinds: &'static [&'static str],
    /// The versions of Kubernetes, the last one included.
    versions: (u16, u16),
    /// The fields whose errors are forgiven: `*` stands for anything, `[]` for an item or a key, and a `pod.` in front
    /// for the pod that the object has or makes.
    fields: &'static [&'static str],
    /// What these errors say, among other things.
    words: &'static str,
    when: When,
}

/// What has to be true of an update.
enum When {
    /// It is an update: what is wrong cannot have been put there by it.
    Always,
    /// The old object has an error of the same words in one of these fields.
    Before(&'static [&'static str]),
    /// None of these fields changed.
    Unchanged(&'static [&'static [&'static str]]),
    /// Something else.
    If(fn(&Look<'_, '_>, &FieldError) -> bool),
}

/// An update, and what is wrong with the old object.
struct Look<'a, 'd> {
    update: &'a Update<'a>,
    new: &'a Place<'a, 'd>,
    old: &'a Place<'a, 'd>,
    before: &'a [FieldError],
}

/// Takes out of the problems of a new object what the server forgives, because the old one has it already.
pub(super) fn forgive(
    new: &Place<'_, '_>,
    old: &Place<'_, '_>,
    update: &Update<'_>,
    before: impl FnOnce() -> Vec<Problem>,
    problems: &mut Vec<Problem>,
) {
    if !problems.iter().any(|problem| matches!(problem.fact, Fact::Refused(..))) {
        return;
    }
    let before: Vec<FieldError> = before()
        .into_iter()
        .filter_map(|problem| match problem.fact {
            Fact::Refused(error, _) => Some(error),
            _ => None,
        })
        .collect();
    let look = Look { update, new, old, before: &before };
    let skips_template = look.skips_template();
    problems.retain(|problem| match &problem.fact {
        Fact::Refused(error, _) => !(look.forgives(error) || skips_template && is_of_template(error)),
        _ => true,
    });
}

impl Look<'_, '_> {
    fn forgives(&self, error: &FieldError) -> bool {
        let minor = self.update.version().minor;
        let is_it = |row: &&Row| {
            row.kinds.contains(&self.update.kind.kind)
                && (row.versions.0..=row.versions.1).contains(&minor)
                && error.detail.contains(row.words)
                && self.is_among(row.fields, error)
        };
        ROWS.iter().filter(is_it).any(|row| match row.when {
            When::Always => true,
            When::Before(fields) => self.before(fields, row.words).next().is_some(),
            When::Unchanged(paths) => paths.iter().all(|path| {
                let removed = self.update.removed();
                self.update.change(self.new, self.old, path, removed, &[]).is_none()
            }),
            When::If(condition) => condition(self, error),
        })
    }

    /// The errors of the old object in these fields, with these words.
    fn before(
        &self,
        fields: &'static [&'static str],
        words: &'static str,
    ) -> impl Iterator<Item = &FieldError> {
        let is_it = move |error: &&FieldError| error.detail.contains(words) && self.is_among(fields, error);
        self.before.iter().filter(is_it)
    }

    /// Whether an error is about one of these fields.
    fn is_among(&self, fields: &[&str], error: &FieldError) -> bool {
        let field = without_keys(&error.field);
        fields.iter().any(|pattern| match pattern.strip_prefix("pod.") {
            Some(pattern) => {
                let inner = pod_of(self.update.kind.kind).and_then(|pod| field.strip_prefix(pod));
                inner.and_then(|inner| inner.strip_prefix('.')).is_some_and(|inner| fits(pattern, inner))
            }
            None => fits(pattern, &field),
        })
    }

    /// Whether the pods of a StatefulSet are not looked at: something of the old one is wrong that is not forgiven
    /// itself.
    fn skips_template(&self) -> bool {
        if self.update.kind.kind != "StatefulSet" || self.update.version().minor < 34 {
            return false;
        }
        let itself = Look { new: self.old, ..*self };
        self.before.iter().any(|error| error.field.starts_with("spec") && !itself.forgives(error))
    }

    /// Whether the rule of an Ingress that a field belongs to is for many hosts.
    fn has_wildcard(&self, object: &Place<'_, '_>, field: &str) -> bool {
        let rule = field.split_once(".http").map_or(field, |(rule, _)| rule);
        node_at(object, &format!("{rule}.host"))
            .and_then(NodeRef::as_str)
            .is_some_and(|host| host.contains('*'))
    }

    /// Whether the conditions of all webhooks are what they were.
    fn has_same_conditions(&self) -> bool {
        let (hooks, before) = (self.new.child("webhooks"), self.old.child("webhooks"));
        hooks.count() == before.count()
            && hooks.items().zip(before.items()).all(|(hook, before)| {
                let (new, old) = (hook.child("matchConditions"), before.child("matchConditions"));
                let mut comparison = Comparison::new(self.update.api, Removed::Counts, &[]);
                comparison.value(&new, &old, Applied::default(), &Type::Any);
                new.count() == old.count() && comparison.found().is_empty()
            })
    }

    /// Whether an autoscaler has something to go by where there are no pods.
    fn is_scaled_from_outside(&self) -> bool {
        let spec = self.new.child("spec");
        let metrics = spec.child("metrics");
        metrics.items().any(|metric| matches!(metric.child("type").text(), Some("Object" | "External")))
    }

    /// Whether the toleration whose operator this is has a whole number to compare with.
    fn compares_a_number(&self, operator: &str) -> bool {
        let toleration = operator.strip_suffix(".operator").unwrap_or(operator);
        let text = node_at(self.new, &format!("{toleration}.value")).and_then(NodeRef::as_str);
        // In its one form: without a plus, and without zeros in front.
        text.is_some_and(|text| text.parse::<i64>().is_ok_and(|number| number.to_string() == text))
    }

    /// Whether an annotation is what it was.
    fn has_same_annotation(&self, key: &str) -> bool {
        let text = |object: &Place<'_, '_>| {
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

    /// The texts of a list of the old object.
    fn old_texts(&self, path: &str) -> impl Iterator<Item = &str> {
        let items = node_at(self.old, path).and_then(NodeRef::items);
        items.into_iter().flatten().filter_map(NodeRef::as_str)
    }

    /// The ranges of addresses that an old policy names.
    fn old_blocks(&self) -> impl Iterator<Item = &str> {
        let lists = [("spec.ingress", "from"), ("spec.egress", "to")];
        let rules = lists.into_iter().flat_map(|(list, peers)| {
            let rules = node_at(self.old, list).and_then(NodeRef::items).into_iter().flatten();
            rules.filter_map(move |rule| rule.get(peers)).filter_map(NodeRef::items).flatten()
        });
        rules.filter_map(|peer| peer.get("ipBlock")).flat_map(|block| {
            let except = block.get("except").and_then(NodeRef::items).into_iter().flatten();
            block.get("cidr").into_iter().chain(except).filter_map(NodeRef::as_str)
        })
    }
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
    const PREFIX: &str = "spec.template.";
    let Some(field) = error.field.strip_prefix(PREFIX) else { return false };
    let is_of_set = match field {
        "spec.restartPolicy" => error.detail == "supported values: \"Always\"",
        "spec.activeDeadlineSeconds" => error.reason == Reason::Forbidden,
        _ => ["metadata.", "labels", "annotations"].iter().any(|start| field.starts_with(start)),
    };
    !is_of_set
}

/// The value of an error as it was typed.
fn value(error: &FieldError) -> &str {
    let value = error.value.as_deref().unwrap_or_default();
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value)
}

/// A path with `[]` for each item and key.
fn without_keys(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut is_inside = false;
    for letter in path.chars() {
        is_inside &= letter != ']';
        if !is_inside {
            plain.push(letter);
        }
        is_inside |= letter == '[';
    }
    plain
}

/// Whether a text is what a pattern with `*` for anything says.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some((_, behind)) = text.split_once(part) else { return false };
        text = behind;
    }
    text.ends_with(end)
}

/// The value at a path as the server writes it, if no key in it has a dot.
fn node_at<'d>(object: &Place<'_, 'd>, path: &str) -> Option<NodeRef<'d>> {
    path.split('.').try_fold(object.node()?, |node, part| {
        let (name, index) = part.split_once('[').map_or((part, None), |(name, index)| (name, Some(index)));
        let inner = node.get(name)?;
        match index {
            None => Some(inner),
            Some(index) => inner.items()?.nth(index.strip_suffix(']')?.parse().ok()?),
        }
    })
}
