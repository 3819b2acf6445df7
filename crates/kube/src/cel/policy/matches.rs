//! Whether a policy is about a request.

use trueline_yaml::Value;

use super::read::{Matching, Rule};
use super::request::{Namespace, Request};
use super::selector::{Answer, Label, label_of};
use super::unknown::Unknown;

/// Whether a request is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Match {
    /// It is not.
    No,
    /// It is, as a request for this version of the resource.
    Yes(String),
    /// That cannot be said without a cluster.
    Unknown(Unknown),
}

/// The label that every namespace has, with its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

impl Matching {
    /// Whether a request is meant.
    pub(super) fn meets(&self, request: &Request<'_>) -> Match {
        let namespaces = match request.namespace.is_some() || request.is_namespace() {
            true => self.namespaces.selects(|key| namespace_label(request, key)),
            // What is in no namespace is never left out.
            false => Answer::Yes,
        };
        if namespaces == Answer::No {
            return Match::No;
        }
        let selects = |object: &Value| self.objects.selects(|key| label_of(object, key));
        let old = request.old.map_or(Answer::No, selects);
        if selects(request.object).or(old) == Answer::No {
            return Match::No;
        }
        let excluded = match self.find(&self.excluded, request) {
            Match::Yes(_) => return Match::No,
            Match::No => None,
            Match::Unknown(why) => Some(why),
        };
        let found = match self.rules.is_empty() {
            true => Match::Yes(request.version.to_owned()),
            false => self.find(&self.rules, request),
        };
        match (found, excluded, namespaces) {
            (Match::No, ..) => Match::No,
            (Match::Yes(_), Some(why), _) => Match::Unknown(why),
            (Match::Yes(_), None, Answer::Unknown) => Match::Unknown(Unknown::NamespaceLabels),
            (found, ..) => found,
        }
    }

    /// The first rule that speaks of a request: of the resource in its own version, or else in another.
    fn find(&self, rules: &[Rule], request: &Request<'_>) -> Match {
        let any = |version: &str| {
            let answers = rules.iter().map(|rule| rule.meets(request, version));
            answers.fold(Answer::No, Answer::or)
        };
        match any(request.version) {
            Answer::Yes => return Match::Yes(request.version.to_owned()),
            Answer::Unknown => return Match::Unknown(Unknown::Resource),
            Answer::No if self.is_exact => return Match::No,
            Answer::No => {}
        }
        let others = request.other_versions.iter().filter(|version| *version != request.version);
        for version in others {
            match any(version) {
                Answer::Yes => return Match::Yes(version.clone()),
                Answer::Unknown => return Match::Unknown(Unknown::Resource),
                Answer::No => {}
            }
        }
        Match::No
    }
}

impl Rule {
    fn meets(&self, request: &Request<'_>, version: &str) -> Answer {
        let has = |list: &[String], wanted: &str| list.iter().any(|item| item == "*" || item == wanted);
        let is_cluster_wide = !request.is_namespaced;
        let scope = match self.scope.as_str() {
            "" | "*" => true,
            "Namespaced" => !is_cluster_wide,
            "Cluster" => is_cluster_wide,
            _ => false,
        };
        let is_meant = scope
            && has(&self.operations, request.operation())
            && has(&self.groups, request.group)
            && has(&self.versions, version)
            && (self.names.is_empty() || self.names.iter().any(|name| name == request.name));
        Answer::of(is_meant).and(self.has_resource(request))
    }

    fn has_resource(&self, request: &Request<'_>) -> Answer {
        let answers = self.resources.iter().map(|named| {
            let (resource, subresource) = named.split_once('/').unwrap_or((named, ""));
            match (resource, subresource, request.resource) {
                (_, sub, _) if !matches!(sub, "" | "*") => Answer::No,
                ("*", ..) => Answer::Yes,
                (name, _, Some(own)) => Answer::of(name == own),
                (_, _, None) => Answer::Unknown,
            }
        });
        answers.fold(Answer::No, Answer::or)
    }
}

fn namespace_label<'r>(request: &Request<'r>, key: &str) -> Label<'r> {
    if request.is_namespace() {
        return label_of(request.object, key);
    }
    match (request.namespace, &request.namespace_object) {
        (None, _) => Label::Missing,
        (Some(_), Namespace::Known(object)) => label_of(object, key),
        (Some(name), Namespace::Unknown) if key == NAME_LABEL => Label::Is(name),
        (Some(_), Namespace::Unknown) => Label::Unknown,
    }
}
