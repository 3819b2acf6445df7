//! Admission policies (ValidatingAdmissionPolicy), asked about the objects of a run.
//!
//! A policy may stand in any file of the run, so objects wait until all of it has been read; but only in runs that can have
//! policies.

mod codes;
mod given;
mod mentions;
mod words;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_kube::cel::policy::{
    Action, Binding, Enforced, Namespace, Part, Policy, Request, Unknown, admitted, admitted_update,
};
use trueline_kube::{KubeVersion, Namespacing};
use trueline_source::Span;
use trueline_yaml::Value;

pub(crate) use codes::CODES;
pub(crate) use given::GivenPolicies;
pub(crate) use mentions::{chart_mentions_policies, mention_policies};
pub(super) use world::Server;
use world::{FoundParameters, KnownKind, World};

use super::definitions::{Definitions, shared};
use super::head::Head;
use super::{Objects, Stage};

/// An object that waits for the policies of the run.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) head: Head,
    pub(crate) value: Value,
    /// Whether the server refuses it before it asks policies.
    pub(crate) is_refused: bool,
}

/// Where a policy or binding is from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    /// The number and the name of the unit; nothing if it was given.
    unit: Option<(usize, String)>,
    /// The values that a chart was rendered with.
    values: Option<String>,
}

#[derive(Debug)]
struct Placed<T> {
    what: T,
    origin: Origin,
}

/// What was not applied: where that is said and in which words, with the number of the unit.
type Skipped = BTreeMap<(Option<Span>, String), Option<usize>>;

/// The policies of a run.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    policies: BTreeMap<String, Vec<Placed<Enforced>>>,
    /// By name of the policy, then by their own.
    bindings: BTreeMap<String, BTreeMap<String, Vec<Placed<Binding>>>>,
    world: World,
    /// The names of policies that are there and cannot be used.
    broken: BTreeSet<String>,
    /// What was not applied, by place.
    skipped: Mutex<Skipped>,
}

/// A unit whose objects are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitOf<'u> {
    pub(crate) number: usize,
    pub(crate) name: &'u str,
}

fn is_policy(head: &Head, kind: &str) -> bool {
    head.of.group == "admissionregistration.k8s.io" && head.of.kind == kind
}

const POLICY: &str = "ValidatingAdmissionPolicy";
const BINDING: &str = "ValidatingAdmissionPolicyBinding";

impl Policies {
    /// Finds the policies among what was given and what was held.
    pub(crate) fn find<'o>(
        given: &GivenPolicies,
        units: &[(UnitOf<'o>, &'o [Objects], Stage<'o>)],
        definitions: &Definitions,
        version: KubeVersion,
    ) -> Policies {
        let mut found = Policies::default();
        let mut all: Vec<(Origin, &Head, &Value, bool, KubeVersion)> = Vec::new();
        for held in &given.objects {
            let origin = Origin { unit: None, values: None };
            all.push((origin, &held.head, &held.value, held.is_refused, version));
        }
        for (unit, objects, stage) in units {
            for objects in *objects {
                let origin = || Origin {
                    unit: Some((unit.number, unit.name.to_owned())),
                    values: objects.values.clone(),
                };
                for held in &objects.held {
                    all.push((origin(), &held.head, &held.value, held.is_refused, stage.version()));
                }
            }
        }
        for (origin, head, value, is_refused, version) in all {
            if is_policy(head, POLICY)
                && let Some(policy) = Policy::read(value)
            {
                if is_refused {
                    found.broken.insert(policy.name);
                    continue;
                }
                let name = policy.name.clone();
                let what = Enforced::new(policy, version);
                found.policies.entry(name).or_default().push(Placed { what, origin });
            } else if is_policy(head, BINDING)
                && !is_refused
                && let Some(what) = Binding::read(value)
            {
                let of_policy = found.bindings.entry(what.policy.clone()).or_default();
                of_policy.entry(what.name.clone()).or_default().push(Placed { what, origin });
            }
        }
        if !found.policies.is_empty() {
            found.take_world(given, units, definitions);
        }
        found
    }

    /// Finds the parameters and namespaces.
    fn take_world<'o>(
        &mut self,
        given: &GivenPolicies,
        units: &[(UnitOf<'o>, &'o [Objects], Stage<'o>)],
        definitions: &Definitions,
    ) {
        let kinds =
            self.policies.values().flatten().filter_map(|placed| placed.what.policy.param_kind.as_ref());
        let wanted: Vec<(String, String)> = kinds
            .map(|(api_version, kind)| {
                let group = api_version.split_once('/').map_or("", |(group, _)| group);
                (group.to_owned(), kind.clone())
            })
            .collect();
        for (unit, objects, stage) in units {
            let Some(server) = stage.server(definitions, unit.name) else { continue };
            for objects in *objects {
                for held in &objects.held {
                    self.world.add(held, &wanted, &server);
                }
                for waiting in &objects.waiting {
                    let held =
                        Held { head: waiting.head.clone(), value: waiting.value.clone(), is_refused: false };
                    self.world.add(&held, &wanted, &server);
                }
            }
        }
        // What was given counts before what is there.
        if let Some(server) = units.first().and_then(|(_, _, stage)| stage.server(definitions, "")) {
            for held in &given.objects {
                self.world.add(held, &wanted, &server);
            }
        }
    }

    /// What the policies say of the objects of a unit.
    pub(crate) fn review(
        &self,
        objects: &Objects,
        stage: &Stage<'_>,
        definitions: &Definitions,
        unit: UnitOf<'_>,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        if self.policies.is_empty() {
            return findings;
        }
        let Some(server) = stage.server(definitions, unit.name) else { return findings };
        for held in objects.held.iter().filter(|held| !held.is_refused) {
            findings.extend(self.review_one(held, objects.values.as_deref(), stage, server, unit));
        }
        findings
    }

    fn review_one(
        &self,
        held: &Held,
        values: Option<&str>,
        stage: &Stage<'_>,
        server: Server<'_>,
        unit: UnitOf<'_>,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let head = &held.head;
        let old = stage.old_value(head);
        let Some(seen) = Seen::of(held, old.as_ref(), server) else { return findings };
        let name = head.name.as_deref().unwrap_or_default();
        let own = head.namespace.as_deref().unwrap_or(server.namespace);
        let is_namespace = head.of.group.is_empty() && head.of.kind == "Namespace";
        let namespace = match (is_namespace, seen.is_namespaced) {
            (true, _) => Some(name).filter(|name| !name.is_empty()),
            (false, true) => Some(own),
            (false, false) => None,
        };
        let request = Request {
            group: &head.of.group,
            version: &head.of.version,
            kind: &head.of.kind,
            resource: seen.resource.as_deref(),
            is_namespaced: seen.is_namespaced,
            other_versions: seen.other_versions.clone(),
            converts_by_name: seen.converts_by_name,
            name,
            namespace,
            namespace_object: match namespace.and_then(|name| self.world.namespace(name)) {
                Some(object) => Namespace::Known(object),
                None => Namespace::Unknown,
            },
            object: &seen.object,
            old: seen.old.as_ref(),
        };
        if request.is_exempt() {
            return findings;
        }
        let parameters = FoundParameters { world: &self.world, server };
        let mut told = FxHashSet::default();
        for (name, placed) in &self.policies {
            let Some(policy) = nearest(placed, unit, values) else { continue };
            for bindings in self.bindings.get(name).into_iter().flat_map(BTreeMap::values) {
                let Some(binding) = nearest(bindings, unit, values) else { continue };
                let reviewed = policy.what.review(&binding.what, &request, &parameters);
                for (part, unknown) in reviewed.unknown {
                    self.skip(policy, binding, part, unknown);
                }
                if reviewed.without_parameters {
                    self.skip_at(
                        binding.what.place,
                        format!(
                            "the policy `{name}` is not applied by this binding: its parameters are not among the inputs"
                        ),
                        &binding.origin,
                    );
                }
                for decision in reviewed.decisions {
                    for finding in words::findings(&decision, &policy.what, &binding.what, held) {
                        let key = (finding.code.id, finding.primary.span, finding.message.clone());
                        if told.insert(key) {
                            findings.push(finding);
                        }
                    }
                }
            }
        }
        findings
    }

    /// Notes a part of a policy that only a cluster can evaluate.
    fn skip(&self, policy: &Placed<Enforced>, binding: &Placed<Binding>, part: Part, unknown: Unknown) {
        let name = &policy.what.policy.name;
        let what = match part {
            Part::Policy | Part::Conditions => format!("the policy `{name}` was not applied to some objects"),
            Part::Validation(_) => "this rule was not evaluated on some objects".to_owned(),
            Part::Annotation(_) => "this annotation was not evaluated on some objects".to_owned(),
            Part::Binding => {
                let name = &binding.what.name;
                return self.skip_at(
                    binding.what.place,
                    format!("the binding `{name}` was not applied to some objects: {}", unknown.why()),
                    &binding.origin,
                );
            }
        };
        self.skip_at(policy.what.place(part), format!("{what}: {}", unknown.why()), &policy.origin);
    }

    fn skip_at(&self, place: Option<Span>, message: String, origin: &Origin) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        skipped.entry((place, message)).or_insert(origin.unit.as_ref().map(|(number, _)| *number));
    }

    /// What was not applied and why, with the number of the unit that it is about.
    pub(crate) fn not_applied(&self) -> Vec<(Option<usize>, Diagnostic)> {
        for (name, placed) in &self.policies {
            if self.bindings.contains_key(name) {
                continue;
            }
            for policy in placed {
                let message = format!("the policy `{name}` is not enforced: no binding names it");
                self.skip_at(policy.what.policy.place, message, &policy.origin);
            }
        }
        for (policy, bindings) in &self.bindings {
            if self.policies.contains_key(policy) || self.broken.contains(policy) {
                continue;
            }
            for binding in bindings.values().flatten() {
                let place = binding.what.policy_place.or(binding.what.place);
                let message =
                    format!("this binding has no effect here: the policy `{policy}` is not among the inputs");
                self.skip_at(place, message, &binding.origin);
            }
        }
        let skipped = std::mem::take(&mut *self.skipped.lock().unwrap_or_else(PoisonError::into_inner));
        let finding = |((place, message), unit): ((Option<Span>, String), Option<usize>)| {
            Some((unit, Diagnostic::new(&codes::NOT_APPLIED, place?, message).severity(Severity::Note)))
        };
        skipped.into_iter().filter_map(finding).collect()
    }
}

/// Of several with one name, the one that was given, or else the one that stands nearest.
fn nearest<'p, T>(placed: &'p [Placed<T>], unit: UnitOf<'_>, values: Option<&str>) -> Option<&'p Placed<T>> {
    let nearness = |one: &Placed<T>| match &one.origin.unit {
        None => (usize::MAX, true),
        Some((_, name)) => (shared(name, unit.name), one.origin.values.as_deref() == values),
    };
    // The first of those that are equally near.
    placed.iter().rev().max_by_key(|one| nearness(one))
}

/// An object as policies see it.
struct Seen {
    object: Value,
    old: Option<Value>,
    resource: Option<String>,
    is_namespaced: bool,
    other_versions: Vec<String>,
    converts_by_name: bool,
}

impl Seen {
    fn of(held: &Held, old: Option<&Value>, server: Server<'_>) -> Option<Seen> {
        let (head, value) = (&held.head, &held.value);
        match server.kind(&head.of) {
            Some(KnownKind::Own(kind)) => {
                let (object, old) = match old {
                    Some(old) => {
                        let (object, old) = admitted_update(server.api, &kind, value, old, server.namespace);
                        (object, Some(old))
                    }
                    None => (admitted(server.api, &kind, value, server.namespace), None),
                };
                let same = server.api.kinds_enabled_by_default().filter(|other| {
                    (other.group, other.plural) == (kind.group, kind.plural) && other.version != kind.version
                });
                Some(Seen {
                    object,
                    old,
                    resource: Some(kind.plural.to_owned()),
                    is_namespaced: kind.is_namespaced,
                    other_versions: same.map(|other| other.version.to_owned()).collect(),
                    converts_by_name: false,
                })
            }
            Some(KnownKind::Defined(known)) => {
                let resource = known.kind.resource(server.version).ok()?;
                let decoded = resource.decode(value, "").ok()?;
                let old = old.and_then(|old| resource.decode(old, "").ok()).map(|old| resource.stored(&old));
                let mut object = resource.admitted(&decoded, old.as_ref());
                if resource.namespacing == Namespacing::Namespaced && head.namespace.is_none() {
                    set_namespace(&mut object, server.namespace);
                }
                let served = resource.versions.iter().filter(|version| version.served);
                Some(Seen {
                    object,
                    old,
                    resource: Some(known.kind.plural().to_owned()),
                    is_namespaced: resource.namespacing == Namespacing::Namespaced,
                    other_versions: served
                        .map(|version| version.name.to_string())
                        .filter(|version| *version != head.of.version)
                        .collect(),
                    converts_by_name: resource.converts_by_name,
                })
            }
            None => Some(Seen {
                object: value.clone(),
                old: old.cloned(),
                resource: None,
                is_namespaced: true,
                other_versions: Vec::new(),
                converts_by_name: false,
            }),
        }
    }
}

fn set_namespace(object: &mut Value, namespace: &str) {
    use trueline_yaml::{Data, MapEntry};
    let Data::Map(fields) = &mut object.data else { return };
    let Some(entry) = std::sync::Arc::make_mut(fields).get_mut("metadata") else { return };
    let Data::Map(metadata) = &mut entry.value.data else { return };
    let value = Value::from(namespace);
    std::sync::Arc::make_mut(metadata).insert("namespace".into(), MapEntry { key_origin: None, value });
}

/// What becomes of an object, as a binding has it. What cannot be used is refused whatever the binding says.
fn severities(actions: &[Action]) -> impl Iterator<Item = Action> + '_ {
    [Action::Deny, Action::Warn, Action::Audit].into_iter().filter(|action| actions.contains(action))
}
