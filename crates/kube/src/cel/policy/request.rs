//! A request as policies see it: an object that is created, or takes the place of another one.

use std::sync::Arc;

use trueline_yaml::{Data, MapEntry, Value};

/// A request to create an object, or to update the one that is there.
#[derive(Debug, Clone)]
pub struct Request<'r> {
    /// The group of the object.
    pub group: &'r str,
    /// The version that it is written in.
    pub version: &'r str,
    /// Its kind.
    pub kind: &'r str,
    /// The name of its resource, such as `deployments`; nothing if nobody knows the kind.
    pub resource: Option<&'r str>,
    /// Whether objects of the kind live in namespaces.
    pub is_namespaced: bool,
    /// The other versions in which the same objects are served.
    pub other_versions: Vec<String>,
    /// Whether the object becomes one of another version by a change of `apiVersion` alone.
    pub converts_by_name: bool,
    /// Its name; empty if the cluster makes one up.
    pub name: &'r str,
    /// The namespace that it lands in. That of a Namespace is itself.
    pub namespace: Option<&'r str>,
    /// What is known of that namespace.
    pub namespace_object: Namespace<'r>,
    /// The object as the server sees it when it asks policies.
    pub object: &'r Value,
    /// What it takes the place of.
    pub old: Option<&'r Value>,
}

/// What is known of the namespace of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Namespace<'r> {
    /// It is known as the cluster has it.
    Known(&'r Value),
    /// Only its name is.
    Unknown,
}

impl Request<'_> {
    /// What is done with the object.
    pub(super) fn operation(&self) -> &'static str {
        if self.old.is_some() { "UPDATE" } else { "CREATE" }
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.kind == "Namespace"
    }

    /// Whether policies are asked about it at all: not about what they are made of, and not about questions to the cluster.
    pub fn is_exempt(&self) -> bool {
        match self.group {
            "admissionregistration.k8s.io" => matches!(
                self.kind,
                "ValidatingWebhookConfiguration"
                    | "MutatingWebhookConfiguration"
                    | "ValidatingAdmissionPolicy"
                    | "ValidatingAdmissionPolicyBinding"
                    | "MutatingAdmissionPolicy"
                    | "MutatingAdmissionPolicyBinding"
            ),
            "authentication.k8s.io" => matches!(self.kind, "SelfSubjectReview" | "TokenReview"),
            "authorization.k8s.io" => self.kind.ends_with("Review"),
            _ => false,
        }
    }

    /// `request` with what is known of it. `matched` is the version that a policy asks for.
    pub(super) fn fields(&self, matched: &str) -> Vec<(Arc<str>, Value)> {
        let kind = |version: &str| names([("group", self.group), ("version", version), ("kind", self.kind)]);
        let resource = |version: &str| {
            let name = self.resource.unwrap_or_default();
            names([("group", self.group), ("version", version), ("resource", name)])
        };
        let mut fields: Vec<(Arc<str>, Value)> = vec![
            ("uid".into(), Value::from("")),
            ("kind".into(), kind(matched)),
            ("resource".into(), resource(matched)),
            ("requestKind".into(), kind(self.version)),
            ("requestResource".into(), resource(self.version)),
            ("operation".into(), Value::from(self.operation())),
            ("dryRun".into(), Value::from(true)),
        ];
        if !self.name.is_empty() {
            fields.push(("name".into(), Value::from(self.name)));
        }
        if let Some(namespace) = self.namespace {
            fields.push(("namespace".into(), Value::from(namespace)));
        }
        fields
    }

    /// The object in the version that a policy asks for; nothing if only the cluster can make it.
    pub(super) fn converted(&self, object: &Value, matched: &str) -> Option<Value> {
        if matched == self.version {
            return Some(object.clone());
        }
        if !self.converts_by_name {
            return None;
        }
        let Data::Map(map) = &object.data else { return None };
        let mut map = trueline_yaml::Map::clone(map);
        let api_version = format!("{}/{matched}", self.group);
        let key_origin = map.get("apiVersion").and_then(|entry| entry.key_origin);
        map.insert("apiVersion".into(), MapEntry { key_origin, value: Value::from(api_version.as_str()) });
        Some(Value { data: Data::Map(Arc::new(map)), origin: object.origin })
    }
}

fn names<const N: usize>(fields: [(&str, &str); N]) -> Value {
    fields.into_iter().map(|(key, text)| (key, Value::from(text))).collect()
}
