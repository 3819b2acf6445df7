//! Classes of Ingresses: who serves them, and with which parameters.

use trueline_kube_facts::{names, rules};

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Parameters of a namespace do not say which one.
    NO_NAMESPACE: Required, "ingress-class/no-namespace", "`parameters.scope` is set to 'Namespace'";
    /// Parameters of the cluster name a namespace.
    NAMESPACE: Forbidden, "ingress-class/namespace", "`parameters.scope` is set to 'Cluster'";
}

/// At most this many bytes in the name of a controller.
const CONTROLLER: usize = 250;

/// Checks `networking.IngressClassSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let controller = spec.child("controller");
    match controller.text() {
        Some("") => report.missing(&controller),
        Some(text) => {
            if text.len() > CONTROLLER {
                report.too_long(&controller, CONTROLLER);
            }
            report.complain(&controller, syntax::domain_prefixed_path(text));
        }
        None => {}
    }
}

/// Checks `networking.IngressClassParametersReference`.
pub(super) fn check_parameters(reference: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (scope, namespace) = (reference.child("scope"), reference.child("namespace"));
    match scope.text() {
        Some("Namespace") => match namespace.text() {
            _ if namespace.is_absent() => {
                report.refuse(&namespace, &NO_NAMESPACE);
            }
            Some(text) => report.complain(&namespace, names::dns_1123_label(text)),
            None => {}
        },
        // An absent scope is that of the cluster.
        Some("Cluster") if !namespace.is_absent() => {
            report.refuse(&namespace, &NAMESPACE);
        }
        Some("") if scope.is_absent() && !namespace.is_absent() => {
            report.refuse(&namespace, &NAMESPACE);
        }
        Some("") if scope.is_absent() => {}
        None | Some("Cluster") => {}
        Some(_) => report.not_supported(&scope, &["Cluster", "Namespace"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn classes() {
        let bench = Bench::new();
        let frame = "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: i}\nspec: {{}}\n";
        bench.accepts_all(
            frame,
            &[
                "controller: a.b/c",
                "controller: a.b/c, parameters: {kind: K, name: nn}",
                "controller: a.b/c, parameters: {kind: K, name: nn, scope: Namespace, namespace: ns}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("", "spec.controller: Required value"),
                ("controller: nginx", "spec.controller: Invalid value: \"nginx\": must be a domain-prefixed path (such as \"acme.io/foo\")"),
                ("controller: A.b/c", "spec.controller: Invalid value"),
                ("controller: a.b/c, parameters: {kind: K, name: nn, scope: Namespace}", "spec.parameters.namespace: Required value"),
                ("controller: a.b/c, parameters: {kind: K, name: nn, namespace: ns}", "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"),
                ("controller: a.b/c, parameters: {kind: K, name: nn, scope: All}", "spec.parameters.scope: Unsupported value: \"All\""),
                ("controller: a.b/c, parameters: {kind: K}", "spec.parameters.name: Required value"),
            ],
        );
    }

    #[test]
    fn what_parameters_refer_to() {
        let class = "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: c}\nspec: {controller: a.b/c, parameters: {{}}}\n";
        let bench = Bench::new();
        bench.accepts_all(class, &["apiGroup: a.io, kind: A, name: a"]);
        bench.refuses_all(
            class,
            &[
                ("apiGroup: '', kind: A, name: a", "spec.parameters.apiGroup: Invalid value: \"\""),
                ("kind: A/B, name: a", "spec.parameters.kind: Invalid value: \"A/B\": may not contain '/'"),
            ],
        );
    }
}
