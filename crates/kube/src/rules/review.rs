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
    let is_empty =
        metadata.entries().all(|(name, value)| value.is_empty() || (is_local && name == "namespace"));
    if !is_empty {
        let words = if is_local { "must be empty except for namespace" } else { "must be empty" };
        report.invalid(&metadata, words);
    }
    if is_local {
        local(review, report);
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
}
