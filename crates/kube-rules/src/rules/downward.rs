//! What a container can be told about itself: fields of its pod, and its resources.

use trueline_kube_facts::{FieldError, go_quoted, names, rules};

use super::{Context, fields, pod};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A file is taken both from a field and from a resource.
    TWO_REFERENCES: Invalid, "downward/two-references",
        "fieldRef and resourceFieldRef can not be specified simultaneously";
    /// A file is taken neither from a field nor from a resource.
    NO_REFERENCE: Required, "downward/no-reference", "one of fieldRef and resourceFieldRef is required";
    /// A field of the pod is read in a version that does not exist.
    VERSION: Invalid, "downward/version", "error converting fieldPath: unsupported pod version: {}";
    /// The field of the pod that is read does not exist, or cannot be read here.
    UNKNOWN_FIELD: Invalid, "downward/subscript",
        "error converting fieldPath: field label does not support subscript: {}";
    /// The field of the pod that is read does not exist.
    UNSUPPORTED_FIELD: Invalid, "downward/unsupported-field",
        "error converting fieldPath: field label not supported: {}";
    /// A field or a resource cannot be read in this place.
    FORBIDDEN: Forbidden, "downward/forbidden", "may not be set when feature gate 'PodHostIPs' is not enabled";
    /// A divisor does not fit the resource that is read.
    DIVISOR: Invalid, "downward/divisor", "only divisor's values {} are supported with the {} resource";
}

/// Fields that can become environment variables, in the server's order.
const IN_VARIABLES: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Fields that can become files.
const IN_FILES: &[&str] =
    &["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// Fields that have a name here but can be neither.
const OTHERS: &[&str] = &["spec.restartPolicy", "spec.schedulerName", "status.phase"];

const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// Checks `core.EnvVarSource`.
pub(super) fn check(source: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (field, resource) = (source.child("fieldRef"), source.child("resourceFieldRef"));
    if !field.is_absent() {
        field_reference(&field, IN_VARIABLES, report);
        host_addresses(&field, context, report);
    }
    if !resource.is_absent() {
        resource_reference(&resource, report);
    }
}

/// Checks `core.DownwardAPIVolumeFile`. The server leaves the list and the index out of its paths.
pub(super) fn check_file(file: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let path = file.path();
    let volume = path.parent().parent();
    let mut inner = Report::default();
    let name = file.child("path");
    if name.text() == Some("") {
        inner.missing(&name);
    }
    pod::non_reserved(&name, &mut inner);
    let (field, resource) = (file.child("fieldRef"), file.child("resourceFieldRef"));
    match (field.is_absent(), resource.is_absent()) {
        (false, true) => field_reference(&field, IN_FILES, &mut inner),
        (false, false) => {
            field_reference(&field, IN_FILES, &mut inner);
            inner.refuse(file, &TWO_REFERENCES)
        }
        (true, false) => {
            let container = resource.child("containerName");
            if container.text() == Some("") {
                inner.missing(&container);
                divisor(&resource, &mut inner);
            } else {
                resource_reference(&resource, &mut inner);
            }
        }
        (true, true) => inner.refuse(file, &NO_REFERENCE),
    }
    fields::file_mode(&file.child("mode"), &mut inner);
    report.adopt(inner, &path, &volume);
}

fn field_reference(reference: &FieldPlace<'_, '_>, allowed: &[&'static str], report: &mut Report) {
    let place = reference.child("fieldPath");
    let Some(text) = place.text() else { return };
    if text.is_empty() {
        return report.missing(&place);
    }
    if let Some(version) = reference.child("apiVersion").full_text().filter(|version| *version != "v1") {
        return report.refuse(&place, VERSION.with(version));
    }
    if let Some((field, key)) = subscript(text) {
        match field {
            "metadata.annotations" => complain_key(reference, &place, &key.to_lowercase(), report),
            "metadata.labels" => complain_key(reference, &place, key, report),
            _ => {
                report.refuse(&place, UNKNOWN_FIELD.with(text));
            }
        }
        return;
    }
    let text = if text == "spec.host" { "spec.nodeName" } else { text };
    if !IN_VARIABLES.contains(&text) && !IN_FILES.contains(&text) && !OTHERS.contains(&text) {
        unknown(&place, text, report);
    } else if !allowed.contains(&text) {
        report.not_supported(&place, allowed);
    }
}

fn complain_key(reference: &FieldPlace<'_, '_>, place: &FieldPlace<'_, '_>, key: &str, report: &mut Report) {
    for complaint in names::qualified_name(key) {
        report.refuse(&reference.at(place), complaint);
    }
}

fn unknown(place: &FieldPlace<'_, '_>, text: &str, report: &mut Report) {
    report.refuse(place, UNSUPPORTED_FIELD.with(text));
}

/// `metadata.labels['a']` taken apart.
fn subscript(text: &str) -> Option<(&str, &str)> {
    let (field, rest) = text.split_once("['")?;
    Some((field, rest.strip_suffix("']")?)).filter(|(field, _)| !field.is_empty())
}

/// All addresses of the host came later than its first one.
fn host_addresses(reference: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let place = reference.child("fieldPath");
    if place.text() != Some("status.hostIPs") {
        return;
    }
    match context.version.minor {
        ..28 => unknown(&place, "status.hostIPs", report),
        28 => {
            report.refuse(&reference.at(&place), &FORBIDDEN);
        }
        _ => {}
    }
}

const WHOLE: &[&str] = &["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// What an amount is divided by. The server names the resource where it means the divisor.
fn divisor(reference: &FieldPlace<'_, '_>, report: &mut Report) {
    let (place, resource) = (reference.child("divisor"), reference.child("resource"));
    let Some(size) = place.quantity().filter(|_| !place.is_absent()) else { return };
    let Some(text) = resource.text().filter(|_| size.is_positive() || size.is_negative()) else { return };
    let kind = text.split_once('.').map_or("", |(_, kind)| kind);
    let (allowed, name) = match kind {
        "cpu" => (&["1m", "1"][..], "cpu"),
        "memory" => (WHOLE, "memory"),
        "ephemeral-storage" => (WHOLE, "local ephemeral storage"),
        _ if kind.starts_with("hugepages-") => (WHOLE, "hugepages"),
        _ => return,
    };
    if !allowed.contains(&place.amount().as_str()) {
        let list = if kind == "cpu" { "1m and 1".to_owned() } else { allowed.join(", ") };
        let error = FieldError::new(DIVISOR.with(list).and(name), place.path(), None);
        report.refused(&place, error.with_value(go_quoted(text)));
    }
}

fn resource_reference(reference: &FieldPlace<'_, '_>, report: &mut Report) {
    divisor(reference, report);
    let place = reference.child("resource");
    let Some(text) = place.text() else { return };
    let is_huge = text.starts_with("requests.hugepages-") || text.starts_with("limits.hugepages-");
    if text.is_empty() {
        report.missing(&place);
    } else if !RESOURCES.contains(&text) && !is_huge {
        report.not_supported(&place, RESOURCES);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn variables() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, env: [{name: A, valueFrom: {{}}}]}]}\n";
        bench.accepts_all(
            frame,
            &[
                "fieldRef: {fieldPath: metadata.name}",
                "fieldRef: {apiVersion: v1, fieldPath: status.podIP}",
                "fieldRef: {fieldPath: \"metadata.labels['x.io/a']\"}",
                "fieldRef: {fieldPath: spec.host}",
                "resourceFieldRef: {resource: limits.cpu}",
            ],
        );
        let place = "spec.containers[0].env[0].valueFrom";
        for (part, error) in [
            (
                "fieldRef: {fieldPath: metadata.labels}",
                ".fieldRef.fieldPath: Unsupported value: \"metadata.labels\"",
            ),
            (
                "fieldRef: {fieldPath: spec.replicas}",
                ".fieldRef.fieldPath: Invalid value: \"spec.replicas\": error converting",
            ),
            ("fieldRef: {}", ".fieldRef.fieldPath: Required value"),
            ("fieldRef: {fieldPath: \"metadata.labels['a b']\"}", ".fieldRef: Invalid value"),
            ("resourceFieldRef: {resource: cpu}", ".resourceFieldRef.resource: Unsupported value: \"cpu\""),
            ("resourceFieldRef: {}", ".resourceFieldRef.resource: Required value"),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
    }

    #[test]
    fn files() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i}], volumes: [{name: v, downwardAPI: {items: [{{}}]}}]}\n";
        bench.accepts_all(
            frame,
            &[
                "path: a, fieldRef: {fieldPath: metadata.labels}",
                "path: a/b, resourceFieldRef: {containerName: a, resource: limits.cpu}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("path: a", "spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required"),
                ("fieldRef: {fieldPath: metadata.name}", "spec.volumes[0].downwardAPI.path: Required value"),
                ("path: a, fieldRef: {fieldPath: spec.nodeName}", "spec.volumes[0].downwardAPI.fieldRef.fieldPath: Unsupported value"),
                ("path: a, resourceFieldRef: {resource: limits.cpu}", "spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value"),
                ("path: a, mode: 512, fieldRef: {fieldPath: metadata.name}", "spec.volumes[0].downwardAPI.mode: Invalid value: 512: must be a number between"),
                ("path: ../a, fieldRef: {fieldPath: metadata.name}", "spec.volumes[0].downwardAPI.path: Invalid value"),
            ],
        );
    }

    #[test]
    fn divisors() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, env: [{name: A, valueFrom: {resourceFieldRef: {{}}}}]}]}\n";
        bench.accepts_all(
            frame,
            &[
                "resource: limits.cpu, divisor: 1m",
                "resource: limits.cpu, divisor: '1'",
                "resource: limits.cpu, divisor: 0",
                "resource: limits.memory, divisor: 1Mi",
                "resource: limits.memory, divisor: '1000'",
                "resource: requests.hugepages-2Mi, divisor: 1Gi",
            ],
        );
        let field = "spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value";
        for (part, error) in [
            (
                "resource: limits.cpu, divisor: 10m",
                "\"limits.cpu\": only divisor's values 1m and 1 are supported with the cpu resource",
            ),
            (
                "resource: limits.memory, divisor: 1m",
                "\"limits.memory\": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource",
            ),
            (
                "resource: requests.ephemeral-storage, divisor: 2Mi",
                "\"requests.ephemeral-storage\": only divisor's values",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{field}: {error}")]);
        }
    }

    #[test]
    fn addresses_of_hosts() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: i, env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.hostIPs}}}]}]}\n";
        let field = "spec.containers[0].env[0].valueFrom.fieldRef";
        Bench::of(27).refuses(
            text,
            &[&format!("{field}.fieldPath: Invalid value: \"status.hostIPs\": error converting")],
        );
        Bench::of(28)
            .refuses(text, &[&format!("{field}: Forbidden: may not be set when feature gate 'PodHostIPs'")]);
        Bench::of(29).accepts(text);
        let other = text.replace("status.hostIPs", "metadata.name, apiVersion: v2");
        let words = "error converting fieldPath: unsupported pod version: v2";
        Bench::new()
            .refuses(&other, &[&format!("{field}.fieldPath: Invalid value: \"metadata.name\": {words}")]);
        let other = text.replace("status.hostIPs", "\"metadata.name['a']\"");
        Bench::new().refuses(&other, &[&format!("{field}.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript")]);
    }
}
