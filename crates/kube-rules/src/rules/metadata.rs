//! `metadata` of a whole object: its name, as each kind wants it, namespace, labels, annotations and owners.

use trueline_apimachinery::names::{Fault, NameProblem};
use trueline_kube_api::Kind;
use trueline_kube_facts::names::{self, NameUse};
use trueline_kube_facts::object_meta::{
    CONFLICTING_FINALIZERS, GENERATION, NO_NAME, OWNER_FIELD, OWNER_IS_EVENT, OWNER_VERSION, TWO_CONTROLLERS,
};
use trueline_kube_facts::{Breach, Detail, go_quoted, rules};

use super::{Context, Operation, syntax};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};
use rustc_hash::FxHashSet;
use trueline_diagnostic::Severity;

rules! {
    /// A finalizer is neither known nor has a domain.
    UNQUALIFIED_FINALIZER: Invalid, "metadata/unqualified-finalizer",
        "name is neither a standard finalizer name nor is it fully qualified";
    /// A label of pod security is not a level.
    SECURITY_LEVEL: Invalid, "metadata/security-level", "must be one of privileged, baseline, restricted";
    /// A label of pod security is not a version.
    SECURITY_VERSION: Invalid, "metadata/security-version", "must be \"latest\" or \"v1.x\"";
}

/// At most this many bytes in all annotations together.
const ANNOTATIONS: usize = 256 * 1024;

/// Since this version the name of a Service may begin with a digit.
pub(super) const RELAXED_SERVICE_NAMES: u16 = 36;

type Syntax = fn(&str, NameUse) -> Vec<Breach>;

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
        | ("", "Event")
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
fn counted_in_bytes(name: &str, name_use: NameUse) -> Vec<Breach> {
    let words = names::object_name(name, name_use).into_iter();
    words
        .map(|breach| match breach.detail {
            Detail::Name(problem @ NameProblem { fault: Fault::Long(most), .. }) => {
                let problem = NameProblem { fault: Fault::LongInBytes(most), ..problem };
                Breach { detail: Detail::Name(problem), ..breach }
            }
            _ => breach,
        })
        .collect()
}

/// Checks the metadata of an object.
pub(crate) fn check(root: &FieldPlace<'_, '_>, kind: &Kind, context: &Context<'_>, report: &mut Report) {
    // Questions to the server have no name, and are not kept.
    if matches!(kind.group, "authentication.k8s.io" | "authorization.k8s.io") {
        return;
    }
    let metadata = root.child("metadata");
    names(&metadata, kind, context, report);
    let namespace = metadata.child("namespace");
    if let Some(text) = namespace.full_text() {
        if kind.is_namespaced {
            report.complain(&namespace, names::dns_1123_label(text));
        } else {
            report.fact(&namespace, Fact::NamespaceDropped, Severity::Warning);
        }
    }
    let is_named = !metadata.child("name").is_empty();
    let overwritten = (is_named && (kind.group, kind.kind) == ("", "Namespace")).then_some(NAME_LABEL);
    labels_but(&metadata.child("labels"), overwritten, report);
    annotations(&metadata.child("annotations"), report);
    owners(&metadata.child("ownerReferences"), report);
    let finalizers = metadata.child("finalizers");
    for item in finalizers.items() {
        if let Some(text) = item.text() {
            for complaint in names::qualified_name(text) {
                report.refuse(&finalizers.at(&item), complaint);
            }
            if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) && !has_any_finalizer(kind) {
                report.refuse(&item, &UNQUALIFIED_FINALIZER);
            }
        }
    }
    let has = |name: &str| finalizers.items().any(|item| item.text() == Some(name));
    if has("orphan") && has("foregroundDeletion") {
        report.refuse(&finalizers, &CONFLICTING_FINALIZERS);
    }
    let generation = metadata.child("generation");
    if generation.integer().is_some_and(|number| number < 0) && keeps_generation(kind, context) {
        report.refuse(&generation, &GENERATION);
    }
}

fn names(metadata: &FieldPlace<'_, '_>, kind: &Kind, context: &Context<'_>, report: &mut Report) {
    let syntax = name_syntax(kind, context);
    let (name, generated) = (metadata.child("name"), metadata.child("generateName"));
    let (Some(text), Some(prefix)) = (name.text(), generated.text()) else { return };
    let before = report.problems.len();
    if !prefix.is_empty() && !judges_whole_names(kind, context) {
        report.complain(&generated, syntax(prefix, NameUse::Prefix));
    }
    if !prefix.is_empty() && !text.is_empty() && judges_whole_names(kind, context) {
        // All objects are looked at once more, as parts of addresses.
        report.complain(&generated, names::path_segment_name(prefix, NameUse::Prefix));
    }
    let is_doubtful = judges_whole_names(kind, context) || report.problems.len() > before;
    if text.is_empty() && !prefix.is_empty() && is_doubtful {
        // The name that is made is looked at as well.
        let made = made_name(prefix);
        for complaint in syntax(&made, NameUse::Whole) {
            report.refuse_in(name.path(), generated.span(), Some(go_quoted(&made)), complaint);
        }
    }
    if !text.is_empty() {
        report.complain(&name, syntax(text, NameUse::Whole));
    } else if prefix.is_empty() && !is_named_by_server(kind) {
        report.refuse(&name, &NO_NAME);
    }
}

/// Whether the server gives an object of a kind a name where it has none.
fn is_named_by_server(kind: &Kind) -> bool {
    (kind.group, kind.kind) == ("", "LimitRange")
}

/// Whether a kind is one of those of which the server does not look at what a name is made from.
fn judges_whole_names(kind: &Kind, context: &Context<'_>) -> bool {
    let is_one =
        matches!((kind.group, kind.kind), ("", "ReplicationController") | ("resource.k8s.io", "DeviceClass"));
    is_one && context.version.minor >= 35
}

/// How much of a prefix counts, and what stands for the letters that are drawn after it.
const LONGEST_PREFIX: usize = 58;
const DRAWN: &str = "xxxxx";

/// A name as it is made from a prefix.
fn made_name(prefix: &str) -> String {
    let end = (0..=prefix.len().min(LONGEST_PREFIX)).rev().find(|end| prefix.is_char_boundary(*end));
    format!("{}{DRAWN}", prefix.get(..end.unwrap_or_default()).unwrap_or_default())
}

/// Kinds of objects that begin to be counted when they are made, whatever they say themselves.
const COUNTED: &[(&str, &[&str])] = &[
    ("", &["PodTemplate", "ReplicationController"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apps", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch", &["CronJob", "Job"]),
    ("discovery.k8s.io", &["EndpointSlice"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("policy", &["PodDisruptionBudget"]),
    ("resource.k8s.io", &["DeviceClass", "DeviceTaintRule", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
];

/// Since this version pods are counted, too.
const COUNTS_PODS: u16 = 33;

/// Whether the generation of a new object is the one that it says. An update never changes it.
fn keeps_generation(kind: &Kind, context: &Context<'_>) -> bool {
    let is_counted = COUNTED.iter().any(|(group, kinds)| *group == kind.group && kinds.contains(&kind.kind))
        || (kind.group.is_empty() && kind.kind == "Pod" && context.version.minor >= COUNTS_PODS);
    context.operation == Operation::Create && !is_counted
}

/// Finalizers that belong to no group.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Whether objects of a kind may have finalizers of whatever name.
fn has_any_finalizer(kind: &Kind) -> bool {
    let is_old_event = (kind.group, kind.kind) == ("", "Event");
    is_old_event
        || matches!(
            kind.group,
            "admissionregistration.k8s.io"
                | "apiregistration.k8s.io"
                | "coordination.k8s.io"
                | "node.k8s.io"
                | "policy"
        )
}

/// Checks `core.Namespace`: what has to be done before it can go. An update does not touch it.
pub(super) fn check_namespace(namespace: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = namespace.child("metadata");
    pod_security(&metadata.child("labels"), report);
    // The server puts the name among the labels.
    let name = metadata.child("name");
    if let Some(text) = name.full_text() {
        report.complain(&metadata.child("labels").at(&name), names::label_value(text));
    }
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
            refuse_item(&named, text, &UNQUALIFIED_FINALIZER, report);
        }
    }
}

/// What the labels begin with that say how secure the pods of a namespace have to be.
const POD_SECURITY: &str = "pod-security.kubernetes.io/";

/// Labels about the security of pods name a level that there is, and a version.
fn pod_security(labels: &FieldPlace<'_, '_>, report: &mut Report) {
    for (key, value) in labels.entries() {
        let (Some(name), Some(text)) = (key.strip_prefix(POD_SECURITY), value.text()) else { continue };
        // What is no label at all is refused before.
        if !names::label_value(text).is_empty() {
            continue;
        }
        match name {
            "enforce" | "audit" | "warn" if !matches!(text, "privileged" | "baseline" | "restricted") => {
                report.refuse(&value, &SECURITY_LEVEL);
            }
            "enforce-version" | "audit-version" | "warn-version" if !is_policy_version(text) => {
                report.refuse(&value, &SECURITY_VERSION);
            }
            _ => {}
        }
    }
}

/// `latest`, or `v1.` with a number without zeros in front.
fn is_policy_version(text: &str) -> bool {
    let digits = text.strip_prefix("v1.").unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = digits == "0" || !digits.starts_with('0');
    text == "latest" || (is_number && is_plain && digits.parse::<i64>().is_ok())
}

/// An item of a list that the server names without its index.
fn refuse_item(named: &FieldPlace<'_, '_>, text: &str, breach: impl Into<Breach>, report: &mut Report) {
    report.refuse_value(named, go_quoted(text), breach);
}

/// The label of a namespace that the server sets to its name, whatever was there.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Checks labels: the server names the map, not the key.
pub(crate) fn labels(place: &FieldPlace<'_, '_>, report: &mut Report) {
    labels_but(place, None, report);
}

/// Checks labels, but for one that the server overwrites.
fn labels_but(place: &FieldPlace<'_, '_>, overwritten: Option<&str>, report: &mut Report) {
    for (key, value) in place.entries().filter(|(key, _)| Some(&**key) != overwritten) {
        for complaint in names::qualified_name(&key) {
            let on_key = place.on_key(&key).unwrap_or(value);
            report.refuse_key(&place.at(&on_key), &key, complaint);
        }
        if let Some(text) = value.text() {
            for complaint in names::label_value(text) {
                report.refuse(&place.at(&value), complaint);
            }
        }
    }
}

/// Checks annotations.
pub(crate) fn annotations(place: &FieldPlace<'_, '_>, report: &mut Report) {
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
            report.refuse_key(&place.at(&on_key), &key, complaint);
        }
    }
    if size > ANNOTATIONS {
        report.too_long(place, ANNOTATIONS);
    }
}

/// Checks owners: the server leaves the index out of the path.
fn owners(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let mut controller: Option<String> = None;
    // The server leaves out what repeats an earlier owner before it looks at them.
    let mut seen = FxHashSet::default();
    for owner in place.items().filter(|owner| seen.insert(owner_identity(owner))) {
        let named = place.at(&owner);
        let version = owner.child("apiVersion");
        if version.text().is_some_and(|text| version_of(text).is_empty()) {
            report.refuse(&named.child("apiVersion"), &OWNER_VERSION);
        }
        for field in ["kind", "name", "uid"] {
            if owner.child(field).text() == Some("") {
                report.refuse(&named.child(field), &OWNER_FIELD);
            }
        }
        if owner.child("apiVersion").text() == Some("v1") && owner.child("kind").text() == Some("Event") {
            report.refuse(&place.at(&owner), &OWNER_IS_EVENT);
        }
        if owner.child("controller").is_true() {
            let text = |field| owner.child(field).text().unwrap_or_default();
            let name = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(name),
                Some(first) => report.refuse(place, TWO_CONTROLLERS.with(first).and(name)),
            }
        }
    }
}

/// All that an owner says. A switch that is off is something else than one that is missing.
fn owner_identity<'d>(owner: &FieldPlace<'_, 'd>) -> ([Option<&'d str>; 4], [Option<bool>; 2]) {
    let text = |field| owner.child(field).text();
    let switch = |field| {
        let place = owner.child(field);
        (!place.is_absent()).then(|| place.is_true())
    };
    (
        [text("apiVersion"), text("kind"), text("name"), text("uid")],
        [switch("controller"), switch("blockOwnerDeletion")],
    )
}

/// The version in an `apiVersion`; empty where it has more parts than a group and a version.
fn version_of(api_version: &str) -> &str {
    match api_version.split_once('/') {
        None => api_version,
        Some((_, version)) if version.contains('/') => "",
        Some((_, version)) => version,
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
        bench.accepts(
            "apiVersion: v1\nkind: Event\nmetadata: {name: 'A b', namespace: default, finalizers: [mine]}\ninvolvedObject: {namespace: default}\n",
        );
    }

    #[test]
    fn owners_that_are_named_twice() {
        let bench = Bench::new();
        let owner = "{apiVersion: v1, kind: Pod, name: b, uid: c, controller: true}";
        let frame = |owners: &str| {
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, ownerReferences: [{owners}]}}\n")
        };
        // The server leaves out what is the same in all.
        bench.accepts(&frame(&format!("{owner}, {owner}")));
        bench.refuses(
            &frame(&format!("{owner}, {}", owner.replace("name: b", "name: d"))),
            &["metadata.ownerReferences: Invalid value: Only one reference can have Controller set to true."],
        );
    }

    #[test]
    fn the_label_of_a_namespace_that_is_overwritten() {
        let bench = Bench::new();
        let label = "labels: {kubernetes.io/metadata.name: 'a b'}";
        bench.accepts(&format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: nn, {label}}}\n"));
        bench.refuses(
            &format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: nn, {label}}}\n"),
            &["metadata.labels: Invalid value: \"a b\""],
        );
    }

    #[test]
    fn prefixes_beside_names() {
        let bench = Bench::new();
        let class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c, generateName: {}}\nspec: {}\n";
        bench.accepts(&class.replacen("{}", "A_", 1));
        bench.refuses(
            &class.replacen("{}", "a/b", 1),
            &["metadata.generateName: Invalid value: \"a/b\": may not contain '/'"],
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
    fn security_of_the_pods_of_namespaces() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Namespace\nmetadata: {name: nn, labels: {pod-security.kubernetes.io/{}}}\n";
        bench.accepts_all(
            frame,
            &[
                "enforce: baseline",
                "warn: privileged",
                "audit-version: v1.35",
                "enforce-version: latest",
                "other: x",
            ],
        );
        let level = "must be one of privileged, baseline, restricted";
        let version = "must be \"latest\" or \"v1.x\"";
        for (part, value, words) in [
            ("enforce: strict", "strict", level),
            ("audit: Baseline", "Baseline", level),
            ("warn: ''", "", level),
            ("enforce-version: '1.35'", "1.35", version),
            ("warn-version: v1.05", "v1.05", version),
            ("audit-version: v2.1", "v2.1", version),
            ("audit-version: v1.99999999999999999999", "v1.99999999999999999999", version),
        ] {
            let key = part.split(':').next().unwrap();
            let error = format!(
                "metadata.labels[pod-security.kubernetes.io/{key}]: Invalid value: \"{value}\": {words}"
            );
            bench.refuses(&frame.replace("{}", part), &[&error]);
        }
    }

    #[test]
    fn names_that_the_server_makes() {
        let bench = Bench::new();
        bench.accepts("apiVersion: v1\nkind: LimitRange\nmetadata: {}\nspec: {limits: []}\n");
        let frame = "apiVersion: v1\nkind: ReplicationController\nmetadata: {{}}\nspec: {selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}\n";
        let long = "a".repeat(300);
        bench.accepts_all(
            frame,
            &[
                "generateName: a.",
                "generateName: a-",
                &format!("generateName: {long}"),
                "name: a, generateName: B_",
            ],
        );
        bench.refuses_all(
            frame,
            &[(
                "generateName: B_",
                "metadata.name: Invalid value: \"B_xxxxx\": a lowercase RFC 1123 subdomain",
            )],
        );
        Bench::of(34)
            .refuses_all(frame, &[("generateName: a.", "metadata.generateName: Invalid value: \"a.\"")]);
    }

    #[test]
    fn generations() {
        let bench = Bench::new();
        for head in ["v1\nkind: Pod", "v1\nkind: PodTemplate"] {
            let errors =
                bench.errors(&format!("apiVersion: {head}\nmetadata: {{name: a, generation: -1}}\n"));
            assert!(!errors.iter().any(|error| error.starts_with("metadata.generation")), "{errors:?}");
        }
        bench.accepts(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, generation: -1}\nspec: {podSelector: {}}\n",
        );
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, generation: -1}\n";
        bench.refuses(secret, &["metadata.generation: Invalid value: -1"]);
        bench.updates(secret, secret, &[]);
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
            (
                "{generateName: A}",
                &["metadata.generateName: Invalid value: \"A\"", "metadata.name: Invalid value: \"Axxxxx\""],
            ),
            ("{generateName: a.}", &["metadata.generateName: Invalid value: \"a.\""]),
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
                "{name: a, ownerReferences: [{apiVersion: a/b/c, kind: Pod, name: b, uid: c}]}",
                &["metadata.ownerReferences.apiVersion: Invalid value: \"a/b/c\": version must not be empty"],
            ),
            (
                "{name: a, ownerReferences: [{apiVersion: apps/, kind: Pod, name: b, uid: c}]}",
                &["metadata.ownerReferences.apiVersion: Invalid value: \"apps/\": version must not be empty"],
            ),
            (
                "{name: a, ownerReferences: [{apiVersion: v1, kind: A, name: b, uid: c, controller: true}, {apiVersion: v1, kind: D, name: e, uid: f, controller: true}]}",
                &[
                    "metadata.ownerReferences: Invalid value: Only one reference can have Controller set to true. Found \"true\" in references for A/b and D/e",
                ],
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
