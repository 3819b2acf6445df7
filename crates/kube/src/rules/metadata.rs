//! `metadata` of a whole object: its name, as each kind wants it, namespace, labels, annotations and owners.

use super::{Context, Operation, syntax};
use crate::api::Kind;
use crate::field_path::go_quoted;
use crate::manifest::place::Place;
use crate::manifest::problem::{Fact, Report};
use crate::names::{self, NameUse};
use crate::{FieldError, Reason};
use trueline_diagnostic::Severity;

/// At most this many bytes in all annotations together.
const ANNOTATIONS: usize = 256 * 1024;

/// Since this version the name of a Service may begin with a digit.
pub(super) const RELAXED_SERVICE_NAMES: u16 = 36;

type Syntax = fn(&str, NameUse) -> Vec<String>;

/// What the name of a kind has to be.
fn name_syntax(kind: &Kind, context: &Context<'_>) -> Syntax {
    match (kind.group, kind.kind) {
        ("", "Namespace") => names::label_object_name,
        ("apps", "StatefulSet") if context.version.minor >= 27 => names::label_object_name,
        ("", "Service") if context.version.minor < RELAXED_SERVICE_NAMES => names::dns_1035_object_name,
        ("", "Service") => names::label_object_name,
        ("rbac.authorization.k8s.io", _)
        | ("certificates.k8s.io", "CertificateSigningRequest" | "ClusterTrustBundle")
        | ("apiregistration.k8s.io", "APIService")
        | ("" | "events.k8s.io", "Event")
        | ("policy", "PodDisruptionBudget")
        | ("internal.apiserver.k8s.io", _) => names::path_segment_name,
        ("networking.k8s.io", "IPAddress") if context.version.minor >= 33 => {
            |name, _| syntax::canonical_ip(name)
        }
        ("networking.k8s.io", "IPAddress") => |name, _| syntax::ip(name),
        ("coordination.k8s.io", "LeaseCandidate") => |name, _| syntax::config_key(name),
        ("", "ReplicationController") | ("resource.k8s.io", "DeviceClass") if context.version.minor >= 35 => {
            counted_in_bytes
        }
        _ => names::object_name,
    }
}

/// The name of an object in the newer words for its length.
fn counted_in_bytes(name: &str, name_use: NameUse) -> Vec<String> {
    let words = names::object_name(name, name_use).into_iter();
    words
        .map(|words| match words.strip_suffix(" characters") {
            Some(start) => format!("{start} bytes"),
            None => words,
        })
        .collect()
}

/// Checks the metadata of an object.
pub(crate) fn check(root: &Place<'_, '_>, kind: &Kind, context: &Context<'_>, report: &mut Report) {
    // Questions to the server have no name, and are not kept.
    if matches!(kind.group, "authentication.k8s.io" | "authorization.k8s.io") {
        return;
    }
    let metadata = root.child("metadata");
    let syntax = name_syntax(kind, context);
    let (name, generated) = (metadata.child("name"), metadata.child("generateName"));
    if let (Some(text), Some(prefix)) = (name.text(), generated.text()) {
        if !prefix.is_empty() {
            report.complain(&generated, syntax(prefix, NameUse::Prefix));
        }
        if !text.is_empty() {
            report.complain(&name, syntax(text, NameUse::Whole));
        } else if prefix.is_empty() {
            report.required(&name, "name or generateName is required");
        }
    }
    let namespace = metadata.child("namespace");
    if let Some(text) = namespace.full_text() {
        if kind.is_namespaced {
            report.complain(&namespace, names::dns_1123_label(text));
        } else {
            report.fact(&namespace, Fact::NamespaceDropped, Severity::Warning);
        }
    }
    labels(&metadata.child("labels"), report);
    annotations(&metadata.child("annotations"), report);
    owners(&metadata.child("ownerReferences"), report);
    let finalizers = metadata.child("finalizers");
    for item in finalizers.items() {
        if let Some(text) = item.text() {
            for complaint in names::qualified_name(text) {
                report.invalid(&finalizers.at(&item), complaint);
            }
            if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) && !has_any_finalizer(kind.group) {
                report.invalid(&item, "name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }
    let has = |name: &str| finalizers.items().any(|item| item.text() == Some(name));
    if has("orphan") && has("foregroundDeletion") {
        report.invalid(&finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
    }
    let generation = metadata.child("generation");
    if generation.integer().is_some_and(|number| number < 0) {
        report.invalid(&generation, "must be greater than or equal to 0");
    }
}

/// Finalizers that belong to no group.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Whether objects of a group may have finalizers of whatever name.
fn has_any_finalizer(group: &str) -> bool {
    matches!(
        group,
        "admissionregistration.k8s.io"
            | "apiregistration.k8s.io"
            | "coordination.k8s.io"
            | "node.k8s.io"
            | "policy"
    )
}

/// Checks `core.Namespace`: what has to be done before it can go. An update does not touch it.
pub(super) fn check_namespace(namespace: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let spec = namespace.child("spec");
    let finalizers = spec.child("finalizers");
    if context.operation == Operation::Update {
        return;
    }
    for item in finalizers.items() {
        let Some(text) = item.text() else { continue };
        let named = finalizers.at(&item);
        for complaint in names::qualified_name(text) {
            refuse_item(&named, text, complaint, report);
        }
        if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) {
            let words = "name is neither a standard finalizer name nor is it fully qualified";
            refuse_item(&named, text, words.to_owned(), report);
        }
    }
}

/// An item of a list that the server names without its index.
fn refuse_item(named: &Place<'_, '_>, text: &str, words: String, report: &mut Report) {
    let error = FieldError::new(Reason::Invalid, named.path(), words, None);
    report.refused(named, error.with_value(go_quoted(text)));
}

/// Checks labels: the server names the map, not the key.
pub(crate) fn labels(place: &Place<'_, '_>, report: &mut Report) {
    for (key, value) in place.entries() {
        for complaint in names::qualified_name(&key) {
            let on_key = place.on_key(&key).unwrap_or(value);
            report.invalid_key(&place.at(&on_key), &key, complaint);
        }
        if let Some(text) = value.text() {
            for complaint in names::label_value(text) {
                report.invalid(&place.at(&value), complaint);
            }
        }
    }
}

/// Checks annotations.
pub(crate) fn annotations(place: &Place<'_, '_>, report: &mut Report) {
    let mut size: usize = 0;
    for (key, value) in place.entries() {
        size = size.saturating_add(key.len()).saturating_add(value.text().map_or(0, str::len));
        let lower;
        let folded = if key.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lower = key.to_lowercase();
            lower.as_str()
        } else {
            &key
        };
        for complaint in names::qualified_name(folded) {
            let on_key = place.on_key(&key).unwrap_or(value);
            report.invalid_key(&place.at(&on_key), folded, complaint);
        }
    }
    if size > ANNOTATIONS {
        report.too_long(place, ANNOTATIONS);
    }
}

/// Checks owners: the server leaves the index out of the path.
fn owners(place: &Place<'_, '_>, report: &mut Report) {
    let mut controllers = 0;
    for owner in place.items() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner.child(field).text() == Some("") {
                let detail =
                    if field == "apiVersion" { "version must not be empty" } else { "must not be empty" };
                report.invalid(&place.at(&owner).child(field), detail);
            }
        }
        if owner.child("apiVersion").text() == Some("v1") && owner.child("kind").text() == Some("Event") {
            report.invalid(&place.at(&owner), "/v1, Kind=Event is disallowed from being an owner");
        }
        controllers += u32::from(owner.child("controller").is_true());
        if controllers == 2 && owner.child("controller").is_true() {
            report.invalid(place, "Only one reference can have Controller set to true");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn metadata_that_the_server_takes() {
        let bench = Bench::new();
        for metadata in [
            "{name: a}",
            "{generateName: a-}",
            "{name: a.b-c, labels: {a: '', x.io/B: c_d}, annotations: {X.io/A: 'any thing'}}",
            "{name: a, namespace: b, finalizers: [x.io/y], generation: 1}",
            "{name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: b, uid: c}]}",
            "{name: a, creationTimestamp: null, labels: null}",
        ] {
            bench.accepts(&format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"));
        }
        bench.accepts(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: 'system:A b'}\n",
        );
    }

    #[test]
    fn finalizers_of_namespaces() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Namespace\nmetadata: {name: nn}\nspec: {finalizers: [{}]}\n";
        bench.accepts_all(frame, &["kubernetes", "kubernetes, x.io/y"]);
        bench.refuses_all(
            frame,
            &[
                (
                    "mine",
                    "spec.finalizers: Invalid value: \"mine\": name is neither a standard finalizer name nor is it fully qualified",
                ),
                ("x.io/a b", "spec.finalizers: Invalid value: \"x.io/a b\": name part must consist of"),
            ],
        );
    }

    #[test]
    fn names_of_single_kinds() {
        let bench = Bench::new();
        let long = "a".repeat(254);
        let class = |name: &str| {
            format!("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: {name}}}\n")
        };
        let too_long =
            |unit: &str| format!("metadata.name: Invalid value: \"{long}\": must be no more than 253 {unit}");
        bench.refuses(&class(&long), &[&too_long("bytes")]);
        Bench::of(34).refuses(&class(&long), &[&too_long("characters")]);
        let address = "apiVersion: networking.k8s.io/v1\nkind: IPAddress\nmetadata: {name: '{}'}\nspec: {parentRef: {resource: services, name: s}}\n";
        bench.accepts_all(address, &["10.0.0.1", "2001:db8::1"]);
        bench.refuses_all(
            address,
            &[
                ("a.b", "metadata.name: Invalid value: \"a.b\": must be a valid IP address"),
                ("2001:DB8::1", "metadata.name: Invalid value: \"2001:DB8::1\": must be in canonical form (\"2001:db8::1\")"),
                ("::ffff:1.2.3.4", "metadata.name: Invalid value: \"::ffff:1.2.3.4\": must not be an IPv4-mapped IPv6 address"),
            ],
        );
        let parent = "apiVersion: networking.k8s.io/v1\nkind: IPAddress\nmetadata: {name: 10.0.0.1}\nspec: {parentRef: {{}}}\n";
        bench.refuses_all(
            parent,
            &[
                ("group: A_, resource: a, name: x", "spec.parentRef.group: Invalid value: \"A_\""),
                (
                    "resource: a/b, name: x",
                    "spec.parentRef.resource: Invalid value: \"a/b\": may not contain '/'",
                ),
                (
                    "resource: a, name: x/y",
                    "spec.parentRef.name: Invalid value: \"x/y\": may not contain '/'",
                ),
                (
                    "resource: a, name: x, namespace: '%'",
                    "spec.parentRef.namespace: Invalid value: \"%\": may not contain '%'",
                ),
            ],
        );
    }

    #[test]
    fn metadata_that_the_server_refuses() {
        let bench = Bench::new();
        for (metadata, errors) in [
            ("{}", &["metadata.name: Required value: name or generateName is required"][..]),
            ("{name: ''}", &["metadata.name: Required value"]),
            ("{name: A}", &["metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain"]),
            ("{generateName: A}", &["metadata.generateName: Invalid value"]),
            (
                "{name: a, namespace: a.b}",
                &["metadata.namespace: Invalid value: \"a.b\": must not contain dots"],
            ),
            ("{name: a, labels: {a b: c}}", &["metadata.labels: Invalid value: \"a b\": name part"]),
            (
                "{name: a, labels: {a: b c}}",
                &["metadata.labels: Invalid value: \"b c\": a valid label must be"],
            ),
            ("{name: a, annotations: {a b: c}}", &["metadata.annotations: Invalid value"]),
            (
                "{name: a, finalizers: ['']}",
                &[
                    "metadata.finalizers: Invalid value",
                    "metadata.finalizers: Invalid value",
                    "metadata.finalizers[0]: Invalid value: \"\": name is neither a standard finalizer name",
                ],
            ),
            (
                "{name: a, finalizers: [bad, orphan, foregroundDeletion, x.io/y]}",
                &[
                    "metadata.finalizers: Invalid value",
                    "metadata.finalizers[0]: Invalid value: \"bad\": name is neither a standard finalizer name",
                ],
            ),
            (
                "{name: a, generation: -1}",
                &["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
            ),
            (
                "{name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: b}]}",
                &["metadata.ownerReferences.uid: Invalid value: \"\": must not be empty"],
            ),
        ] {
            bench.refuses(&format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n"), errors);
        }
        bench.refuses(
            "apiVersion: v1\nkind: Service\nmetadata: {name: 1a}\nspec: {ports: [{port: 1}]}",
            &["metadata.name: Invalid value: \"1a\": a DNS-1035 label"],
        );
        Bench::of(36)
            .accepts("apiVersion: v1\nkind: Service\nmetadata: {name: 1a}\nspec: {ports: [{port: 1}]}");
        Bench::of(36).refuses(
            "apiVersion: v1\nkind: Service\nmetadata: {name: 1a.b}\nspec: {ports: [{port: 1}]}",
            &["metadata.name: Invalid value: \"1a.b\": must not contain dots"],
        );
        bench.refuses(
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: a.b}",
            &["metadata.name: Invalid value: \"a.b\": must not contain dots"],
        );
        bench.refuses(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a/b}",
            &["metadata.name: Invalid value: \"a/b\": may not contain '/'"],
        );
    }
}
