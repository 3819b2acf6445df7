//! Roles and their bindings: what rules name, who is bound to what.

use trueline_kube_facts::rules;

use super::{Context, selector, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A rule has no verbs.
    NO_VERB: Required, "rbac/no-verb", "verbs must contain at least one value";
    /// A rule of a namespace names URLs.
    URL_IN_NAMESPACE: Invalid, "rbac/url-in-namespace", "namespaced rules cannot apply to non-resource URLs";
    /// A rule names both resources and URLs.
    RESOURCES_AND_URLS: Invalid, "rbac/resources-and-urls",
        "rules cannot apply to both regular resources and non-resource URLs";
    /// A rule names resources without their API groups.
    NO_GROUP: Required, "rbac/no-group", "resource rules must supply at least one api group";
    /// A rule names no resources.
    NO_RESOURCE: Required, "rbac/no-resource", "resource rules must supply at least one resource";
    /// An aggregation has no selectors.
    NO_SELECTOR: Required, "rbac/no-selector",
        "at least one clusterRoleSelector required if aggregationRule is non-nil";
    /// A selector of an aggregation is not allowed.
    SELECTOR: Invalid, "rbac/selector", "invalid label selector.";
}

const GROUP: &str = "rbac.authorization.k8s.io";

/// Checks `rbac.PolicyRule`.
pub(super) fn check_rule(rule: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let verbs = rule.child("verbs");
    if verbs.is_empty() {
        report.refuse(&verbs, &NO_VERB);
    }
    let urls = rule.child("nonResourceURLs");
    let (groups, resources) = (rule.child("apiGroups"), rule.child("resources"));
    if urls.count() > 0 {
        if context.kind == "Role" {
            report.refuse(&urls, &URL_IN_NAMESPACE);
        }
        if groups.count() + resources.count() + rule.child("resourceNames").count() > 0 {
            report.refuse(&urls, &RESOURCES_AND_URLS);
        }
        return;
    }
    if groups.is_empty() {
        report.refuse(&groups, &NO_GROUP);
    }
    if resources.is_empty() {
        report.refuse(&resources, &NO_RESOURCE);
    }
}

/// Checks `rbac.AggregationRule`.
pub(super) fn check_aggregation(rule: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let selectors = rule.child("clusterRoleSelectors");
    if selectors.is_empty() && !rule.is_absent() {
        report.refuse(&selectors, &NO_SELECTOR);
    }
    for selector in selectors.items().filter(|selector| !selector::is_comparable(selector)) {
        report.refuse(&selector, &SELECTOR);
    }
}

/// Checks `rbac.RoleRef`.
pub(super) fn check_reference(reference: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (group, kind, name) = (reference.child("apiGroup"), reference.child("kind"), reference.child("name"));
    if !matches!(group.text(), None | Some("" | GROUP)) {
        report.not_supported(&group, &[GROUP]);
    }
    let kinds: &[&str] =
        if context.kind == "RoleBinding" { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if kind.text().is_some_and(|text| !kinds.contains(&text)) {
        report.not_supported(&kind, kinds);
    }
    if let Some(text) = name.full_text() {
        report.complain(&name, syntax::path_segment(text));
    }
}

/// Checks `rbac.Subject`.
pub(super) fn check_subject(subject: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (group, kind, namespace) =
        (subject.child("apiGroup"), subject.child("kind"), subject.child("namespace"));
    match kind.text() {
        Some("ServiceAccount") => {
            let name = subject.child("name");
            if let Some(text) = name.full_text() {
                report.complain(&name, trueline_kube_facts::names::dns_1123_subdomain(text));
            }
            if group.full_text().is_some() {
                report.not_supported(&group, &[""]);
            }
            if context.kind == "ClusterRoleBinding" && namespace.text() == Some("") {
                report.missing(&namespace);
            }
        }
        Some("User" | "Group") if !matches!(group.text(), None | Some("" | GROUP)) => {
            report.not_supported(&group, &[GROUP]);
        }
        None | Some("User" | "Group") => {}
        Some(_) => report.not_supported(&kind, &["ServiceAccount", "User", "Group"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn roles() {
        let bench = Bench::new();
        let frame =
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules: [{{}}]\n";
        bench.accepts_all(
            frame,
            &[
                "verbs: [get], apiGroups: [''], resources: [pods]",
                "verbs: ['*'], apiGroups: ['*'], resources: ['*']",
                "verbs: [get], apiGroups: [apps], resources: [deployments], resourceNames: [a]",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "apiGroups: [''], resources: [pods]",
                    "rules[0].verbs: Required value: verbs must contain at least one value",
                ),
                (
                    "verbs: [get], resources: [pods]",
                    "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                ),
                ("verbs: [get], apiGroups: ['']", "rules[0].resources: Required value"),
                ("verbs: [get], nonResourceURLs: [/x]", "rules[0].nonResourceURLs: Invalid value"),
                ("verbs: get, apiGroups: [''], resources: [pods]", "rules[0].verbs: WrongType"),
            ],
        );
        bench.accepts("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: [{verbs: [get], nonResourceURLs: [/x]}]\n");
        let aggregated = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\naggregationRule: {clusterRoleSelectors: [{}]}\n";
        bench.accepts_all(aggregated, &["{matchLabels: {a: b}}"]);
        bench.refuses_all(
            aggregated,
            &[("", "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required")],
        );
    }

    #[test]
    fn bindings() {
        let bench = Bench::new();
        let frame = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: r}\n{}\n";
        bench.accepts_all(frame, &[
            "roleRef: {kind: Role, name: a}",
            "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: 'system:a'}\nsubjects: [{kind: ServiceAccount, name: s}]",
            "roleRef: {kind: Role, name: a}\nsubjects: [{kind: User, name: 'a@b'}, {kind: Group, name: g, apiGroup: rbac.authorization.k8s.io}]",
        ]);
        bench.refuses_all(
            frame,
            &[
                (
                    "roleRef: {kind: Roles, name: a}",
                    "roleRef.kind: Unsupported value: \"Roles\": supported values: \"Role\", \"ClusterRole\"",
                ),
                ("roleRef: {kind: Role}", "roleRef.name: Required value"),
                ("roleRef: {apiGroup: rbac, kind: Role, name: a}", "roleRef.apiGroup: Unsupported value"),
                (
                    "roleRef: {kind: Role, name: a}\nsubjects: [{kind: SA, name: s}]",
                    "subjects[0].kind: Unsupported value: \"SA\"",
                ),
                (
                    "roleRef: {kind: Role, name: a}\nsubjects: [{kind: User}]",
                    "subjects[0].name: Required value",
                ),
                (
                    "roleRef: {kind: Role, name: a}\nsubjects: [{kind: ServiceAccount, name: A}]",
                    "subjects[0].name: Invalid value: \"A\"",
                ),
            ],
        );
        bench.refuses(
            &frame.replace("kind: RoleBinding", "kind: ClusterRoleBinding").replace(
                "{}\n",
                "roleRef: {kind: ClusterRole, name: a}\nsubjects: [{kind: ServiceAccount, name: s}]\n",
            ),
            &["subjects[0].namespace: Required value"],
        );
    }
}
