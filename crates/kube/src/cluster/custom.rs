//! Objects of kinds that CRDs define: the facts of a review.

use std::borrow::Cow;
use std::sync::Arc;

use trueline_diagnostic::Severity;
use trueline_source::Span;
use trueline_yaml::{Data, MapEntry, Value};

use super::CustomKind;
use super::answer::Answer;
use super::request::Request;
use super::sent::Sent;
use crate::crd::severity_of_unknown;
use crate::object::{Resource, Version};
use crate::{DecodeError, FieldError, KubeVersion, Namespacing, RuleFact, UnknownField};

/// What a cluster says of an object.
#[derive(Debug)]
pub(super) struct CustomAnswer<'a> {
    /// The object as it was sent.
    pub(super) sent: Cow<'a, Value>,
    pub(super) resource: &'a Resource,
    /// The version that it is written in, if that is served.
    pub(super) version: Option<&'a Version>,
    /// Where the CRD was typed.
    pub(super) definition: Option<Span>,
    pub(super) facts: Vec<CustomFact>,
    /// The rules that could not be asked, because they do not compile.
    pub(super) uncompiled: Vec<Arc<str>>,
    /// What the server makes of it.
    pub(super) object: Option<Value>,
}

/// Something that a cluster says.
#[derive(Debug)]
pub(super) enum CustomFact {
    /// The CRD does not serve the version; those that it serves.
    NotServed(Vec<Arc<str>>),
    /// The object cannot be read.
    Unreadable(DecodeError),
    /// The schema does not have a field.
    UnknownField(UnknownField, Severity),
    /// The server's rules refuse something.
    Refused(FieldError),
    /// The server warns.
    Warned(String),
    /// A rule that the object breaks, but broke before at a value that has not changed: the server warns.
    Forgiven(FieldError),
    /// The version is deprecated, in the words of the CRD or of the server.
    Deprecated(String),
    /// The kind is cluster-scoped, and the namespace that the object names is dropped; where it was typed.
    NamespaceDropped(Option<Span>),
}

impl CustomFact {
    /// How much it matters.
    pub(super) fn severity(&self) -> Severity {
        match self {
            CustomFact::NotServed(_) | CustomFact::Unreadable(_) | CustomFact::Refused(_) => Severity::Error,
            CustomFact::UnknownField(_, severity) => *severity,
            CustomFact::Warned(_)
            | CustomFact::Forgiven(_)
            | CustomFact::Deprecated(_)
            | CustomFact::NamespaceDropped(_) => Severity::Warning,
        }
    }
}

impl<'a> CustomAnswer<'a> {
    /// Reviews an object of a kind, on a server of a version.
    pub(super) fn of(
        sent: &Sent<'a>,
        old: Option<&Sent<'a>>,
        request: &Request<'a>,
        (kind, server): (&'a CustomKind, KubeVersion),
    ) -> Answer<'a> {
        let resource = match kind.resource(server) {
            Ok(resource) => resource,
            Err(error) => return Answer::Unusable(error),
        };
        let mut answer = CustomAnswer {
            sent: sent.value(),
            resource,
            version: None,
            definition: kind.place(),
            facts: Vec::new(),
            uncompiled: Vec::new(),
            object: None,
        };
        let (api_version, _) = sent.head();
        let name = api_version.split_once('/').map_or(api_version, |(_, version)| version);
        answer.version = resource.version(name).filter(|version| version.served);
        match answer.version {
            None => answer.facts.push(CustomFact::NotServed(answer.served())),
            Some(version) => answer.look(version, old, request),
        }
        Answer::Custom(Box::new(answer))
    }

    fn look(&mut self, version: &'a Version, old: Option<&Sent<'a>>, request: &Request<'a>) {
        let resource = self.resource;
        let decoded = match resource.decode(&self.sent, "") {
            Ok(decoded) => decoded,
            Err(error) => return self.facts.push(CustomFact::Unreadable(error)),
        };
        let old = old.map(Sent::value);
        let old = old.as_ref().and_then(|old| resource.decode(old, "").ok());
        let verdict = match old {
            Some(old) => resource.update(&decoded, &resource.stored(&old)),
            None => resource.create(&decoded),
        };
        if let Some(severity) = severity_of_unknown(request.options.field_validation) {
            let unknown = decoded.unknown.into_iter();
            self.facts.extend(unknown.map(|field| CustomFact::UnknownField(field, severity)));
        }
        for error in verdict.errors {
            match error.expression.as_deref() {
                // That is wrong with the CRD and not with the object.
                Some(RuleFact::Uncompiled { expression }) => self.uncompiled.push(Arc::clone(expression)),
                _ => self.facts.push(CustomFact::Refused(error)),
            }
        }
        self.facts.extend(verdict.warnings.into_iter().map(CustomFact::Warned));
        self.facts.extend(verdict.forgiven.into_iter().map(CustomFact::Forgiven));
        self.facts.extend(version.deprecation.clone().map(CustomFact::Deprecated));
        self.facts.extend(self.dropped_namespace());
        self.object = Some(verdict.object);
    }

    fn served(&self) -> Vec<Arc<str>> {
        let served = self.resource.versions.iter().filter(|version| version.served);
        served.map(|version| Arc::clone(&version.name)).collect()
    }

    fn dropped_namespace(&self) -> Option<CustomFact> {
        let namespace = self.sent.get("metadata")?.get("namespace")?;
        let is_named = namespace.as_str().is_some_and(|name| !name.is_empty());
        let is_dropped = self.resource.namespacing == Namespacing::Cluster && is_named;
        is_dropped.then_some(CustomFact::NamespaceDropped(namespace.origin))
    }

    /// The object as it is stored; one that names no namespace is in this one.
    pub(super) fn stored(&self, namespace: &str) -> Option<Value> {
        let object = self.object.as_ref()?;
        let is_placed = self.sent.get("metadata").is_some_and(|metadata| metadata.get("namespace").is_some());
        match self.resource.namespacing {
            Namespacing::Namespaced if !is_placed => Some(in_namespace(object, namespace)),
            Namespacing::Namespaced | Namespacing::Cluster => Some(object.clone()),
        }
    }
}

fn in_namespace(object: &Value, namespace: &str) -> Value {
    let mut object = object.clone();
    if let Data::Map(fields) = &mut object.data
        && let Some(metadata) = Arc::make_mut(fields).get_mut("metadata")
        && let Data::Map(metadata) = &mut metadata.value.data
    {
        let value = Value::from(namespace);
        Arc::make_mut(metadata).insert("namespace".into(), MapEntry { key_origin: None, value });
    }
    object
}
