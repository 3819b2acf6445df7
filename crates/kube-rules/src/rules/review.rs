//! Questions about rights: what is asked, and of whom.

use trueline_kube_facts::rules;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A review does not ask for exactly one kind of attributes.
    ATTRIBUTES: Invalid, "review/attributes", ONE;
    /// A review asks for both kinds of attributes.
    TWO_ATTRIBUTES: Invalid, "review/two-attributes", "cannot be specified in combination with resourceAttributes";
    /// A review names neither a user nor a group.
    NOBODY: Invalid, "review/nobody", "at least one of user or group must be specified";
    /// A review has metadata.
    METADATA: Invalid, "review/metadata", "{}";
    /// A selector is written both raw and as requirements.
    RAW_AND_REQUIREMENTS: Invalid, "review/raw-and-requirements",
        "may not specified at the same time as requirements";
    /// A selector has no requirements.
    NO_REQUIREMENTS: Required, "review/no-requirements",
        "when {} is specified, requirements or rawSelector is required";
    /// A requirement has no key.
    NO_KEY: Required, "review/no-key", "must be specified";
    /// The operator needs values.
    NO_VALUES: Required, "review/no-values", "must be specified when `operator` is 'In' or 'NotIn'";
    /// The operator takes no values.
    VALUES: Forbidden, "review/values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    /// A review has no namespace.
    NO_NAMESPACE: Required, "review/no-namespace", "no namespace on request";
    /// A review has no token.
    NO_TOKEN: Required, "review/no-token", "token is required for TokenReview in authentication";
    /// The namespace is not that of the review.
    NAMESPACE: Invalid, "review/namespace", "must match metadata.namespace";
    /// A review in a namespace asks for a URL.
    URL: Invalid, "review/url", "disallowed on this kind of request";
}

const ONE: &str = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

/// Checks `authorization.SelfSubjectAccessReviewSpec`.
pub(super) fn check_own(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (resource, other) = (spec.child("resourceAttributes"), spec.child("nonResourceAttributes"));
    let is_one = resource.is_absent() != other.is_absent();
    match (resource.is_absent(), other.is_absent()) {
        // Newer servers name what is around both.
        _ if !is_one && context.version.minor >= 37 => report.refuse(spec, &ATTRIBUTES),
        (false, false) => report.refuse(&other, &TWO_ATTRIBUTES),
        (true, true) => report.refuse(&resource, &ATTRIBUTES),
        _ => {}
    }
}

/// Checks `authorization.SubjectAccessReviewSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    check_own(spec, context, report);
    let user = spec.child("user");
    if user.text() == Some("") && spec.child("groups").is_empty() {
        report.refuse(&user, &NOBODY);
    }
}

/// Checks the kinds of reviews: what is asked has no name, and is not kept.
pub(super) fn check_metadata(review: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = review.child("metadata");
    let is_local = context.kind == "LocalSubjectAccessReview";
    let is_empty = metadata
        .entries()
        .all(|(name, value)| value.is_empty() || value.integer() == Some(0) || DROPPED.contains(&&*name));
    if !is_empty {
        let words = if is_local { "must be empty except for namespace" } else { "must be empty" };
        report.refuse(&metadata, METADATA.with(words));
    }
    if is_local {
        local(review, report);
    }
}

/// What the server drops from the metadata of everything that is made, or puts there itself.
const DROPPED: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "managedFields",
    "namespace",
    "selfLink",
    "uid",
];

/// Checks `authorization.FieldSelectorAttributes` and `authorization.LabelSelectorAttributes`: one way to say what is
/// asked about.
pub(super) fn check_selector(selector: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (raw, requirements) = (selector.child("rawSelector"), selector.child("requirements"));
    match (raw.full_text().is_some(), requirements.count() > 0) {
        (true, true) => report.refuse(&raw, &RAW_AND_REQUIREMENTS),
        (false, false) => {
            let path = selector.path();
            report.refuse(&requirements, NO_REQUIREMENTS.with(path.to_string()));
        }
        _ => {}
    }
}

/// Checks `meta.FieldSelectorRequirement`. Operators that are not known yet are taken.
pub(super) fn check_requirement(requirement: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (key, values) = (requirement.child("key"), requirement.child("values"));
    if key.text() == Some("") {
        report.refuse(&key, &NO_KEY);
    }
    match requirement.child("operator").text() {
        Some("In" | "NotIn") if values.count() == 0 => {
            report.refuse(&values, &NO_VALUES);
        }
        Some("Exists" | "DoesNotExist") if values.count() > 0 => {
            report.refuse(&values, &VALUES);
        }
        _ => {}
    }
}

/// Checks `authorization.SelfSubjectRulesReviewSpec`: what one may do is asked of one namespace.
pub(super) fn check_rules(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let namespace = spec.child("namespace");
    if namespace.text() == Some("") {
        report.refuse(&namespace, &NO_NAMESPACE);
    }
}

/// Checks `authentication.TokenReviewSpec`.
pub(super) fn check_token(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let token = spec.child("token");
    if token.text() == Some("") {
        report.refuse(&token, &NO_TOKEN);
    }
}

/// What is asked of one namespace is about what is in it.
fn local(review: &FieldPlace<'_, '_>, report: &mut Report) {
    let (metadata, spec) = (review.child("metadata"), review.child("spec"));
    let (resource, other) = (spec.child("resourceAttributes"), spec.child("nonResourceAttributes"));
    let namespace = resource.child("namespace");
    // A namespace that is left out is filled in when it is sent.
    let own = metadata.child("namespace");
    if let (Some(own), Some(asked)) = (own.full_text(), namespace.text())
        && !resource.is_absent()
        && own != asked
    {
        report.refuse(&namespace, &NAMESPACE);
    }
    if !other.is_absent() {
        report.refuse(&other, &URL);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn reviews() {
        let bench = Bench::new();
        let frame = "apiVersion: authorization.k8s.io/v1\nkind: {}\n";
        bench.accepts_all(
            frame,
            &[
                "SelfSubjectAccessReview\nspec: {resourceAttributes: {verb: get, resource: pods}}",
                "SubjectAccessReview\nspec: {user: a, nonResourceAttributes: {path: /, verb: get}}",
                "LocalSubjectAccessReview\nmetadata: {namespace: a}\nspec: {groups: [g], resourceAttributes: {namespace: a, verb: get}}",
            ],
        );
        bench.refuses_all(frame, &[
            ("SelfSubjectAccessReview\nspec: {resourceAttributes: {}, nonResourceAttributes: {}}", "spec.nonResourceAttributes: Invalid value: cannot be specified in combination with resourceAttributes"),
            ("SelfSubjectAccessReview\nmetadata: {name: a}\nspec: {resourceAttributes: {verb: get}}", "metadata: Invalid value: must be empty"),
            ("LocalSubjectAccessReview\nmetadata: {namespace: a}\nspec: {user: a, resourceAttributes: {namespace: b}}", "spec.resourceAttributes.namespace: Invalid value: \"b\": must match metadata.namespace"),
        ]);
        for part in ["{}", "{resourceAttributes: {}, nonResourceAttributes: {}}"] {
            Bench::of(37).refuses(
                &frame.replace("{}", &format!("SelfSubjectAccessReview\nspec: {part}")),
                &["spec: Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified"],
            );
        }
    }

    #[test]
    fn what_is_asked_about() {
        let bench = Bench::new();
        let frame = "apiVersion: authorization.k8s.io/v1\nkind: SubjectAccessReview\nmetadata: {uid: a, selfLink: b, deletionGracePeriodSeconds: 5}\nspec: {user: u, resourceAttributes: {{}}}\n";
        let place = "spec.resourceAttributes";
        bench.accepts_all(
            frame,
            &[
                "fieldSelector: {rawSelector: a=b}",
                "fieldSelector: {requirements: [{key: a, operator: In, values: [b]}]}",
                "labelSelector: {requirements: [{key: a, operator: Unheard}]}",
            ],
        );
        for (part, error) in [
            (
                "fieldSelector: {}",
                ".fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified",
            ),
            (
                "labelSelector: {rawSelector: a, requirements: [{key: a, operator: Exists}]}",
                ".labelSelector.rawSelector: Invalid value: \"a\": may not specified at the same time as requirements",
            ),
            (
                "fieldSelector: {requirements: [{operator: Exists}]}",
                ".fieldSelector.requirements[0].key: Required value: must be specified",
            ),
            (
                "fieldSelector: {requirements: [{key: a, operator: In}]}",
                ".fieldSelector.requirements[0].values: Required value",
            ),
        ] {
            bench.refuses(&frame.replace("{}", part), &[&format!("{place}{error}")]);
        }
        bench.refuses(
            "apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectRulesReview\nspec: {}\n",
            &["spec.namespace: Required value: no namespace on request"],
        );
        bench.refuses(
            "apiVersion: authentication.k8s.io/v1\nkind: TokenReview\nspec: {}\n",
            &["spec.token: Required value: token is required"],
        );
    }
}
