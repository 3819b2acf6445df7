//! Admission policies (ValidatingAdmissionPolicy), asked about objects as the server asks them.

mod admitted;
mod encoding;
mod fill;
mod inputs;
mod matches;
mod programs;
mod quality;
mod read;
mod request;
mod review;
mod selector;
mod unknown;
mod variables;

use std::sync::Arc;

use trueline_source::Span;
use trueline_yaml::Value;

pub use admitted::{admitted, admitted_update};
use matches::Match;
use programs::Programs;
pub use read::{Action, Binding, Policy};
pub use request::{Namespace, Request};
pub use review::{Decision, DecisionKind};
pub use selector::Selector;
pub use unknown::Unknown;

use review::review;
use selector::{Answer, label_of};
use trueline_kube_facts::KubeVersion;

/// A part of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Policy,
    /// Its conditions.
    Conditions,
    /// A validation, by its number.
    Validation(usize),
    /// An annotation, by its number.
    Annotation(usize),
    /// The binding.
    Binding,
}

/// A policy that is ready to be asked.
#[derive(Debug)]
pub struct Enforced {
    /// The policy.
    pub policy: Policy,
    programs: Arc<Programs>,
}

/// Finds the parameters of policies.
pub trait Parameters {
    /// Whether objects of a kind live in namespaces; nothing if nobody knows the kind.
    fn is_namespaced(&self, api_version: &str, kind: &str) -> Option<bool>;

    /// The objects of a kind with their names, in a namespace, or outside of any.
    fn of_kind(&self, api_version: &str, kind: &str, namespace: Option<&str>) -> Vec<(&str, &Value)>;
}

/// What a bound policy says of a request.
#[derive(Debug, Default)]
pub struct Reviewed {
    /// What it says against it.
    pub decisions: Vec<Decision>,
    /// The parts that only a cluster can evaluate.
    pub unknown: Vec<(Part, Unknown)>,
    /// The parameters that were looked for and are not there, where that means that nothing is asked.
    pub without_parameters: bool,
    /// How many rules were evaluated.
    pub evaluated: usize,
}

impl Enforced {
    /// Compiles a policy for a server of this version.
    pub fn new(policy: Policy, version: KubeVersion) -> Enforced {
        let programs = Arc::new(Programs::of(&policy, version));
        Enforced { policy, programs }
    }

    /// Where a part of it was typed.
    pub fn place(&self, part: Part) -> Option<Span> {
        let policy = &self.policy;
        let place = match part {
            Part::Policy | Part::Binding => None,
            Part::Conditions => policy.conditions.first().and_then(|text| text.place),
            Part::Validation(index) => policy.validations.get(index).and_then(|one| one.expression.place),
            Part::Annotation(index) => policy.annotations.get(index).and_then(|text| text.place),
        };
        place.or(policy.place)
    }

    /// The expression of a part.
    pub fn expression(&self, part: Part) -> Option<&str> {
        let text = match part {
            Part::Validation(index) => self.policy.validations.get(index).map(|one| &one.expression),
            Part::Annotation(index) => self.policy.annotations.get(index),
            Part::Policy | Part::Conditions | Part::Binding => None,
        };
        text.map(|text| &*text.text)
    }

    /// Whether a request is one that the policy is about, as far as that can be said; nothing if that depends on what only a
    /// cluster knows.
    pub fn is_about(&self, request: &Request<'_>) -> Option<bool> {
        match self.policy.constraints.meets(request) {
            Match::No => Some(false),
            Match::Yes(_) => Some(true),
            Match::Unknown(_) => None,
        }
    }

    /// Asks the policy about a request, as a binding has it.
    pub fn review(&self, binding: &Binding, request: &Request<'_>, parameters: &dyn Parameters) -> Reviewed {
        let mut reviewed = Reviewed::default();
        if request.is_exempt() {
            return reviewed;
        }
        let matched = match self.policy.constraints.meets(request) {
            Match::No => return reviewed,
            Match::Yes(version) => version,
            Match::Unknown(why) => {
                // A binding may leave the request out whatever else is unknown.
                let bound = binding.matching.as_ref().map(|matching| matching.meets(request));
                if bound != Some(Match::No) {
                    reviewed.unknown.push((Part::Policy, why));
                }
                return reviewed;
            }
        };
        match binding.matching.as_ref().map(|matching| matching.meets(request)) {
            Some(Match::No) => return reviewed,
            Some(Match::Unknown(why)) => {
                reviewed.unknown.push((Part::Binding, why));
                return reviewed;
            }
            None | Some(Match::Yes(_)) => {}
        }
        let found = match self.parameters(binding, request, parameters) {
            Ok(found) => found,
            Err(Missing::Unknown(why)) => {
                reviewed.unknown.push((Part::Binding, why));
                return reviewed;
            }
            Err(Missing::Ignored) => {
                reviewed.without_parameters = true;
                return reviewed;
            }
            Err(Missing::Refused { kind, server, plain }) => {
                if self.policy.failure == read::OnFailure::Fail {
                    reviewed.decisions.push(Decision {
                        part: Part::Binding,
                        kind,
                        message: format!("failed to configure binding: {server}"),
                        plain: plain.to_owned(),
                        reason: "Invalid".to_owned(),
                        field: None,
                    });
                }
                return reviewed;
            }
        };
        for params in found {
            let one = review(&self.policy, &self.programs, request, &matched, params);
            reviewed.evaluated += one.evaluated;
            for decision in one.decisions {
                if !reviewed.decisions.contains(&decision) {
                    reviewed.decisions.push(decision);
                }
            }
            reviewed.unknown.extend(one.unknown);
        }
        reviewed
    }

    /// The parameters to ask with, one after the other; nothing where there is none to give.
    fn parameters<'p>(
        &self,
        binding: &Binding,
        request: &Request<'_>,
        parameters: &'p dyn Parameters,
    ) -> Result<Vec<Option<&'p Value>>, Missing> {
        let (Some((api_version, kind)), Some(reference)) = (&self.policy.param_kind, &binding.parameters)
        else {
            return Ok(vec![None]);
        };
        let Some(is_namespaced) = parameters.is_namespaced(api_version, kind) else {
            return Err(Missing::Unknown(Unknown::ParameterKind));
        };
        let namespace = match (is_namespaced, reference.namespace.as_str()) {
            (true, "") => Some(request.namespace.ok_or(Missing::Refused {
                kind: DecisionKind::Unusable,
                server: "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
                plain: "its parameters are in a namespace, the object is not, and `paramRef` has no `namespace`",
            })?),
            (true, named) => Some(named),
            (false, "") => None,
            (false, _) => {
                return Err(Missing::Refused {
                    kind: DecisionKind::Unusable,
                    server: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
                    plain: "its parameters are cluster-scoped, but `paramRef` has a `namespace`",
                });
            }
        };
        let all = parameters.of_kind(api_version, kind, namespace);
        let is_meant = |name: &str, object: &Value| match &reference.selector {
            Some(selector) => selector.selects(|key| label_of(object, key)) == Answer::Yes,
            None => name == reference.name,
        };
        // An object that is created is not in the cluster yet, where parameters are looked for.
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let is_new = request.old.is_none() && (group, kind.as_str()) == (request.group, request.kind);
        let is_own = |name: &str| is_new && name == request.name && namespace == request.namespace;
        let meant = all.into_iter().filter(|(name, object)| is_meant(name, object) && !is_own(name));
        let found: Vec<_> = meant.map(|(_, object)| Some(object)).collect();
        match (found.is_empty(), reference.denies_without) {
            (false, _) => Ok(found),
            (true, true) => Err(Missing::Refused {
                kind: DecisionKind::NoParameters,
                server: "no params found for policy binding with `Deny` parameterNotFoundAction",
                plain: "its parameters are not among the inputs",
            }),
            (true, false) => Err(Missing::Ignored),
        }
    }
}

/// Why there are no parameters.
enum Missing {
    /// The policy is not asked.
    Ignored,
    /// The object is refused.
    Refused { kind: DecisionKind, server: &'static str, plain: &'static str },
    /// Only a cluster knows.
    Unknown(Unknown),
}
