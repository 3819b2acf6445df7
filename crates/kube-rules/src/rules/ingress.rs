//! Ingresses: hosts, paths as their type wants them, and backends.

use trueline_kube_facts::{FieldPath, names, rules};

use super::{Context, Operation, metadata, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An Ingress has neither a default backend nor rules.
    NO_BACKEND: Invalid, "ingress/no-backend", "either `defaultBackend` or `rules` must be specified";
    /// The host of a rule is an IP address.
    HOST_IS_ADDRESS: Invalid, "ingress/host-is-address", "must be a DNS name, not an IP address";
    /// The class is set both as a field and as an annotation.
    CLASS_AND_ANNOTATION: Invalid, "ingress/class-and-annotation", "can not be set when the class field is also set";
    /// The annotation for the class is not the name of a class.
    CLASS_ANNOTATION: Invalid, "ingress/class-annotation", "must match `ingressClassName` when both are specified";
    /// A path does not begin with `/`.
    PATH_NOT_ABSOLUTE: Invalid, "ingress/path-not-absolute", "must be an absolute path";
    /// A path holds a part that is not allowed.
    PATH_PART: Invalid, "ingress/path-part", "must not contain '{}'";
    /// A path ends with a part that is not allowed.
    PATH_END: Invalid, "ingress/path-end", "cannot end with '{}'";
    /// A backend is both a service and a resource.
    TWO_BACKENDS: Invalid, "ingress/two-backends", "cannot set both resource and service backends";
    /// A backend is neither a service nor a resource.
    EMPTY_BACKEND: Invalid, "ingress/empty-backend", "resource or service backend is required";
    /// The port of a backend has both a name and a number.
    PORT_NAME_AND_NUMBER: Invalid, "ingress/port-name-and-number", "cannot set both port name & port number";
    /// The port of a backend has neither a name nor a number.
    NO_PORT: Required, "ingress/no-port", "port name or number is required";
}

/// What a path must not contain, and what it must not end with.
const FORBIDDEN: &[&str] = &["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_END: &[&str] = &["/..", "/."];

/// Checks `networking.IngressSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    if spec.child("rules").is_empty() && spec.child("defaultBackend").is_absent() {
        report.refuse(spec, &NO_BACKEND);
    }
    for rule in spec.child("rules").items() {
        host(&rule.child("host"), report);
        if let Some(text) = rule.child("host").full_text()
            && syntax::is_ip(text)
        {
            report.refuse(&rule.child("host"), &HOST_IS_ADDRESS);
        }
    }
    for tls in spec.child("tls").items() {
        for name in tls.child("hosts").items() {
            match name.text() {
                Some("") => report.complain(&name, names::dns_1123_subdomain("")),
                _ => host(&name, report),
            }
        }
        let secret = tls.child("secretName");
        if let Some(text) = secret.full_text() {
            report.complain(&secret, names::dns_1123_subdomain(text));
        }
    }
}

/// Checks `networking.Ingress`: one class, however it is said.
pub(super) fn check_class(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    const ANNOTATION: &str = "kubernetes.io/ingress.class";
    let spec = object.child("spec");
    let class = spec.child("ingressClassName");
    let metadata = object.child("metadata");
    let annotations = metadata.child("annotations");
    let Some((_, said)) = annotations.entries().find(|(key, _)| key == ANNOTATION) else { return };
    let is_new = context.operation == Operation::Create;
    let field = FieldPath::of("annotations").field(ANNOTATION);
    // At first it could be said in one way only.
    if is_new && !class.is_absent() && context.version.minor < 27 {
        return report.refuse_at(field, &said, &CLASS_AND_ANNOTATION);
    }
    if is_new && !class.is_absent() && said.text().is_some() && said.text() != class.text() {
        report.refuse_at(field, &said, &CLASS_ANNOTATION);
    }
}

fn host(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text() else { return };
    let is_wildcard = text.contains('*');
    report.complain(
        place,
        if is_wildcard { syntax::wildcard_subdomain(text) } else { names::dns_1123_subdomain(text) },
    );
}

/// Checks `networking.HTTPIngressPath`.
pub(super) fn check_path(path: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    // The server stops at a path whose type is missing.
    if path.child("pathType").is_absent() {
        return report.forget_last_below(&path.path(), &path.child("backend").path());
    }
    let place = path.child("path");
    let Some(text) = place.text() else { return };
    match path.child("pathType").text() {
        Some("Exact" | "Prefix") => {
            if !text.starts_with('/') {
                report.refuse(&place, &PATH_NOT_ABSOLUTE);
            }
            for part in FORBIDDEN.iter().filter(|part| text.contains(**part)) {
                report.refuse(&place, PATH_PART.with(part));
            }
            for part in FORBIDDEN_END.iter().filter(|part| text.ends_with(**part)) {
                report.refuse(&place, PATH_END.with(part));
            }
        }
        Some("ImplementationSpecific") if !text.is_empty() && !text.starts_with('/') => {
            report.refuse(&place, &PATH_NOT_ABSOLUTE);
        }
        _ => {}
    }
}

/// What is used instead of a Service.
fn resource_reference(resource: &FieldPlace<'_, '_>, report: &mut Report) {
    let group = resource.child("apiGroup");
    if let Some(text) = group.text().filter(|_| !group.is_absent()) {
        report.complain(&group, names::dns_1123_subdomain(text));
    }
    for field in ["kind", "name"] {
        let place = resource.child(field);
        report.complain(&place, place.full_text().map(syntax::path_segment).unwrap_or_default());
    }
}

/// Checks `networking.IngressBackend`.
pub(super) fn check_backend(backend: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (service, resource) = (backend.child("service"), backend.child("resource"));
    match (service.is_absent(), resource.is_absent()) {
        (false, false) => {
            report.forget_last_below(&backend.path(), &resource.path());
            report.forget_last_below(&backend.path(), &service.path());
            return report.refuse(backend, &TWO_BACKENDS);
        }
        (true, true) => return report.refuse(backend, &EMPTY_BACKEND),
        (true, false) => return resource_reference(&resource, report),
        (false, true) => {}
    }
    let name = service.child("name");
    if let Some(text) = name.full_text() {
        let is_relaxed = context.version.minor >= metadata::RELAXED_SERVICE_NAMES;
        let syntax = if is_relaxed { names::dns_1123_label } else { names::dns_1035_label };
        report.complain(&name, syntax(text));
    }
    let port = service.child("port");
    let (port_name, number) = (port.child("name"), port.child("number"));
    match (port_name.full_text(), number.integer().filter(|number| *number != 0)) {
        (Some(_), Some(_)) => report.refuse(backend, &PORT_NAME_AND_NUMBER),
        (Some(text), None) => report.complain(&port_name, syntax::port_name(text)),
        (None, Some(value)) => report.complain(&number, names::port(value)),
        (None, None) if port_name.text().is_some() && (number.is_absent() || number.integer().is_some()) => {
            report.refuse(backend, &NO_PORT);
        }
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const PATH: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {rules: [{host: a.b, http: {paths: [{{}}]}}]}\n";
    const SPEC: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {{}}\n";

    #[test]
    fn classes() {
        let bench = Bench::new();
        let frame = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {kubernetes.io/ingress.class: a}}\nspec: {ingressClassName: {}, defaultBackend: {service: {name: s, port: {number: 80}}}}\n";
        bench.accepts_all(frame, &["a", "null"]);
        bench.refuses_all(
            frame,
            &[("b", "annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match `ingressClassName` when both are specified")],
        );
    }

    #[test]
    fn paths() {
        let bench = Bench::new();
        bench.accepts_all(PATH, &[
            "path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}",
            "path: /a/b, pathType: Exact, backend: {service: {name: s, port: {name: http}}}",
            "pathType: ImplementationSpecific, backend: {service: {name: s, port: {number: 80}}}",
            "path: /, pathType: Prefix, backend: {resource: {kind: K, name: nn, apiGroup: x.io}}",
            "path: '/*', pathType: ImplementationSpecific, backend: {service: {name: s, port: {number: 1}}}",
        ]);
        bench.refuses_all(PATH, &[
            ("path: /, backend: {service: {name: s, port: {number: 80}}}", "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"),
            ("path: a, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}", "spec.rules[0].http.paths[0].path: Invalid value: \"a\": must be an absolute path"),
            ("path: /a//b, pathType: Exact, backend: {service: {name: s, port: {number: 80}}}", "spec.rules[0].http.paths[0].path: Invalid value"),
            ("path: /, pathType: prefix, backend: {service: {name: s, port: {number: 80}}}", "spec.rules[0].http.paths[0].pathType: Unsupported value: \"prefix\""),
            ("path: /, pathType: Prefix", "spec.rules[0].http.paths[0].backend: Invalid value"),
            ("path: /, pathType: Prefix, backend: {service: {name: s}}", "spec.rules[0].http.paths[0].backend: Required value: port name or number is required"),
            ("path: /, pathType: Prefix, backend: {service: {name: s, port: {number: -7}}}", "spec.rules[0].http.paths[0].backend.service.port.number: Invalid value: -7"),
            ("path: /, pathType: Prefix, backend: {service: {port: {number: 80}}}", "spec.rules[0].http.paths[0].backend.service.name: Required value"),
            ("path: /, pathType: Prefix, backend: {serviceName: s, service: {name: s, port: {number: 1}}}", "spec.rules[0].http.paths[0].backend.serviceName: UnknownField"),
        ]);
    }

    #[test]
    fn backends_that_begin_with_a_digit() {
        let path = PATH.replace(
            "{{}}",
            "{path: /, pathType: Prefix, backend: {service: {name: 1a, port: {number: 80}}}}",
        );
        Bench::of(36).accepts(&path);
        Bench::of(35).refuses(
            &path,
            &["spec.rules[0].http.paths[0].backend.service.name: Invalid value: \"1a\": a DNS-1035 label"],
        );
    }

    #[test]
    fn hosts() {
        let bench = Bench::new();
        let backend = "defaultBackend: {service: {name: s, port: {number: 80}}}";
        bench.accepts_all(
            SPEC,
            &[
                backend,
                "rules: [{host: '*.a.b'}]",
                "rules: [{}], tls: [{hosts: [a.b], secretName: s}]",
                "rules: [{host: a}], ingressClassName: nginx",
                "rules: [{host: a.b}, {host: a.b}]",
            ],
        );
        bench.refuses_all(
            SPEC,
            &[
                ("tls: []", "spec: Invalid value: either `defaultBackend` or `rules` must be specified"),
                ("rules: [{host: A.b}]", "spec.rules[0].host: Invalid value: \"A.b\""),
                (
                    "rules: [{host: 1.2.3.4}]",
                    "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
                ),
                ("rules: [{host: 'a.*.b'}]", "spec.rules[0].host: Invalid value: \"a.*.b\": a wildcard"),
                ("rules: [{http: {paths: []}}]", "spec.rules[0].http.paths: Required value"),
                ("rules: [{}], tls: [{hosts: ['']}]", "spec.tls[0].hosts[0]: Invalid value"),
            ],
        );
    }

    #[test]
    fn classes_that_are_said_twice() {
        let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, annotations: {kubernetes.io/ingress.class: a}}\nspec: {ingressClassName: a, defaultBackend: {service: {name: s, port: {number: 1}}}}\n";
        Bench::of(26).refuses(ingress, &["annotations.kubernetes.io/ingress.class: Invalid value: \"a\": can not be set when the class field is also set"]);
        Bench::of(27).accepts(ingress);
        Bench::of(27).refuses(
            &ingress.replace("Name: a", "Name: b"),
            &["annotations.kubernetes.io/ingress.class: Invalid value: \"a\": must match"],
        );
    }

    #[test]
    fn resources_in_the_place_of_services() {
        let ingress = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\nspec: {defaultBackend: {resource: {{}}}}\n";
        let bench = Bench::new();
        bench.accepts_all(ingress, &["apiGroup: a.io, kind: A, name: a", "kind: A, name: a"]);
        bench.refuses_all(
            ingress,
            &[
                (
                    "apiGroup: A, kind: A, name: a",
                    "spec.defaultBackend.resource.apiGroup: Invalid value: \"A\"",
                ),
                (
                    "kind: A/B, name: a",
                    "spec.defaultBackend.resource.kind: Invalid value: \"A/B\": may not contain '/'",
                ),
                (
                    "kind: A, name: a/b",
                    "spec.defaultBackend.resource.name: Invalid value: \"a/b\": may not contain '/'",
                ),
            ],
        );
    }
}
