//! Questions about rights: what is asked, and of whom.

use super::Context;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

const ONE: &str = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

/// Checks `authorization.SelfSubjectAccessReviewSpec`.
pub(super) fn check_own(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (resource, other) = (spec.child("resourceAttributes"), spec.child("nonResourceAttributes"));
    let is_one = resource.is_absent() != other.is_absent();
    match (resource.is_absent(), other.is_absent()) {
        // Newer servers name what is around both.
        _ if !is_one && context.version.minor >= 37 => report.invalid(spec, ONE),
        (false, false) => {
            report.invalid(&other, "cannot be specified in combination with resourceAttributes")
        }
        (true, true) => report.invalid(&resource, ONE),
        _ => {}
    }
}

/// Checks `authorization.SubjectAccessReviewSpec`.
pub(super) fn check(spec: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    check_own(spec, context, report);
    let user = spec.child("user");
    if user.text() == Some("") && spec.child("groups").is_empty() {
        report.invalid(&user, "at least one of user or group must be specified");
    }
}

/// Checks the kinds of reviews: what is asked has no name, and is not kept.
pub(super) fn check_metadata(review: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let metadata = review.child("metadata");
    let is_local = context.kind == "LocalSubjectAccessReview";
    let is_empty = metadata
        .entries()
        .all(|(name, value)| value.is_empty() || value.integer() == Some(0) || DROPPED.contains(&&*name));
    if !is_empty {
        let words = if is_local { "must be empty except for namespace" } else { "must be empty" };
        report.invalid(&metadata, words);
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
pub(super) fn check_selector(selector: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (raw, requirements) = (selector.child("rawSelector"), selector.child("requirements"));
    match (raw.full_text().is_some(), requirements.count() > 0) {
        (true, true) => report.invalid(&raw, "may not specified at the same time as requirements"),
        (false, false) => {
            let path = selector.path();
            let words = format!("when {path} is specified, requirements or rawSelector is required");
            report.required(&requirements, &words);
        }
        _ => {}
    }
}

/// Checks `meta.FieldSelectorRequirement`. Operators that are not known yet are taken.
pub(super) fn check_requirement(requirement: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (key, values) = (requirement.child("key"), requirement.child("values"));
    if key.text() == Some("") {
        report.required(&key, "must be specified");
    }
    match requirement.child("operator").text() {
        Some("In" | "NotIn") if values.count() == 0 => {
            report.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        Some("Exists" | "DoesNotExist") if values.count() > 0 => {
            report.forbidden(&values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        _ => {}
    }
}

/// Checks `authorization.SelfSubjectRulesReviewSpec`: what one may do is asked of one namespace.
pub(super) fn check_rules(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let namespace = spec.child("namespace");
    if namespace.text() == Some("") {
        report.required(&namespace, "no namespace on request");
    }
}

/// Checks `authentication.TokenReviewSpec`.
pub(super) fn check_token(spec: &Place<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let token = spec.child("token");
    if token.text() == Some("") {
        report.required(&token, "token is required for TokenReview in authentication");
    }
}

/// What is asked of one namespace is about what stands in it.
fn local(review: &Place<'_, '_>, report: &mut Report) {
    let (metadata, spec) = (review.child("metadata"), review.child("spec"));
    let (resource, other) = (spec.child("resourceAttributes"), spec.child("nonResourceAttributes"));
    let namespace = resource.child("namespace");
    // A namespace that is left out is filled in when it is sent.
    let own = metadata.child("namespace");
    if let (Some(own), Some(asked)) = (own.full_text(), namespace.text())
        && !resource.is_absent()
        && own != asked
    {
        report.invalid(&namespace, "must match metadata.namespace");
    }
    if !other.is_absent() {
        report.invalid(&other, "disallowed on this kind of request");
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
