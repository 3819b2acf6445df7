//! Policies and their bindings as they are written.

use std::sync::Arc;

use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::selector::Selector;

/// A ValidatingAdmissionPolicy.
#[derive(Debug)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Where its name was typed, or what is nearest to it.
    pub place: Option<Span>,
    pub(super) constraints: Matching,
    pub(super) conditions: Vec<Text>,
    pub(super) variables: Vec<(Arc<str>, Text)>,
    pub(super) validations: Vec<Validation>,
    pub(super) annotations: Vec<Text>,
    /// The kind of its parameters: `apiVersion` and `kind`.
    pub param_kind: Option<(String, String)>,
    pub(super) failure: OnFailure,
}

/// A ValidatingAdmissionPolicyBinding.
#[derive(Debug)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// Where its name was typed, or what is nearest to it.
    pub place: Option<Span>,
    /// The name of the policy that it binds.
    pub policy: String,
    /// Where the name of the policy was typed.
    pub policy_place: Option<Span>,
    pub(super) matching: Option<Matching>,
    pub(super) parameters: Option<Parameters>,
    /// What becomes of objects that are refused.
    pub actions: Vec<Action>,
}

/// What becomes of an object that a policy refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It is refused.
    Deny,
    /// Whoever sends it is warned.
    Warn,
    /// It is noted in the audit log.
    Audit,
}

/// What a failing expression means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    Fail,
    Ignore,
}

/// Which requests are meant.
#[derive(Debug, Default)]
pub(super) struct Matching {
    pub(super) rules: Vec<Rule>,
    pub(super) excluded: Vec<Rule>,
    pub(super) is_exact: bool,
    pub(super) namespaces: Selector,
    pub(super) objects: Selector,
}

/// A rule about requests.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) operations: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) versions: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) scope: String,
}

/// An expression as it was typed.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) text: Arc<str>,
    pub(super) place: Option<Span>,
}

/// A rule about objects.
#[derive(Debug)]
pub(super) struct Validation {
    pub(super) expression: Text,
    pub(super) message: String,
    pub(super) message_expression: Option<Text>,
    pub(super) reason: Option<String>,
}

/// Where the parameters of a binding are.
#[derive(Debug)]
pub(super) struct Parameters {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) selector: Option<Selector>,
    pub(super) denies_without: bool,
}

/// The strings of a list.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    items(value).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn items(value: Option<&Value>) -> &[Value] {
    match value.map(|value| &value.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A part of a map; nothing if it is null.
fn part<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|part| !matches!(part.data, Data::Null))
}

fn expression(value: &Value, key: &str) -> Option<Text> {
    let found = value.get(key)?;
    let text = found.as_str().filter(|text| !text.is_empty())?;
    Some(Text { text: text.into(), place: found.origin })
}

fn name_place(value: &Value) -> Option<Span> {
    let name = value.get("metadata").and_then(|metadata| metadata.get("name"));
    let kind = || value.get("kind").and_then(|kind| kind.origin);
    name.and_then(|name| name.origin).or_else(kind).or(value.origin)
}

impl Policy {
    /// Reads a policy. What is wrong with it is said where it is validated; what cannot be read counts as missing.
    pub fn read(value: &Value) -> Option<Policy> {
        let spec = value.get("spec")?;
        let list = |key: &str| items(spec.get(key)).iter();
        Some(Policy {
            name: text(value.get("metadata")?, "name"),
            place: name_place(value),
            constraints: Matching::read(part(spec, "matchConstraints")?),
            conditions: list("matchConditions").filter_map(|item| expression(item, "expression")).collect(),
            variables: list("variables")
                .filter_map(|item| Some((text(item, "name").into(), expression(item, "expression")?)))
                .collect(),
            validations: list("validations").filter_map(Validation::read).collect(),
            annotations: list("auditAnnotations")
                .filter_map(|item| expression(item, "valueExpression"))
                .collect(),
            param_kind: part(spec, "paramKind").map(|kind| (text(kind, "apiVersion"), text(kind, "kind"))),
            failure: match spec.get("failurePolicy").and_then(Value::as_str) {
                Some("Ignore") => OnFailure::Ignore,
                _ => OnFailure::Fail,
            },
        })
    }
}

impl Validation {
    fn read(value: &Value) -> Option<Validation> {
        Some(Validation {
            expression: expression(value, "expression")?,
            message: text(value, "message"),
            message_expression: expression(value, "messageExpression"),
            reason: value.get("reason").and_then(Value::as_str).map(str::to_owned),
        })
    }
}

impl Binding {
    /// Reads a binding, as a policy is read.
    pub fn read(value: &Value) -> Option<Binding> {
        let spec = value.get("spec")?;
        let action = |text: &String| match text.as_str() {
            "Deny" => Some(Action::Deny),
            "Warn" => Some(Action::Warn),
            "Audit" => Some(Action::Audit),
            _ => None,
        };
        Some(Binding {
            name: text(value.get("metadata")?, "name"),
            place: name_place(value),
            policy: text(spec, "policyName"),
            policy_place: spec.get("policyName").and_then(|name| name.origin),
            matching: part(spec, "matchResources").map(Matching::read),
            parameters: part(spec, "paramRef").map(|reference| Parameters {
                name: text(reference, "name"),
                namespace: text(reference, "namespace"),
                selector: part(reference, "selector").map(|selector| Selector::read(Some(selector))),
                denies_without: text(reference, "parameterNotFoundAction") == "Deny",
            }),
            actions: texts(spec.get("validationActions")).iter().filter_map(action).collect(),
        })
    }
}

impl Matching {
    fn read(value: &Value) -> Matching {
        let rules = |key: &str| items(value.get(key)).iter().map(Rule::read).collect();
        Matching {
            rules: rules("resourceRules"),
            excluded: rules("excludeResourceRules"),
            is_exact: text(value, "matchPolicy") == "Exact",
            namespaces: Selector::read(value.get("namespaceSelector")),
            objects: Selector::read(value.get("objectSelector")),
        }
    }
}

impl Rule {
    fn read(value: &Value) -> Rule {
        let list = |key: &str| texts(value.get(key));
        Rule {
            operations: list("operations"),
            groups: list("apiGroups"),
            versions: list("apiVersions"),
            resources: list("resources"),
            names: list("resourceNames"),
            scope: text(value, "scope"),
        }
    }
}
