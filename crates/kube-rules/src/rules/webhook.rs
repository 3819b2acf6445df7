//! Admission webhooks: their names, where they are reached, and what they are asked about.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use trueline_kube_facts::web_address::{webhook_path, webhook_url};
use trueline_kube_facts::{FieldError, Trail, names, rules};

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// Two webhooks have the same name.
    DUPLICATE_NAME: Duplicate, "webhook/duplicate-name";
    /// A webhook does not say its side effects.
    NO_SIDE_EFFECTS: Required, "webhook/no-side-effects", "must specify one of None, NoneOnDryRun";
    /// The timeout of a webhook is not between 1 and 30 seconds.
    TIMEOUT: Invalid, "webhook/timeout", "the timeout value must be between 1 and 30 seconds";
    /// A webhook is not called by exactly one of a URL and a service.
    NO_CLIENT: Required, "webhook/no-client", "exactly one of url or service is required";
    /// A webhook understands no version of reviews.
    NO_REVIEW_VERSION: Required, "webhook/no-review-version", "must specify one of v1, v1beta1";
    /// A version of reviews is listed twice.
    DUPLICATE_REVIEW_VERSION: Invalid, "webhook/duplicate-review-version", "duplicate version";
    /// A webhook understands no version of reviews that the server knows.
    REVIEW_VERSION: Invalid, "webhook/review-version", "must include at least one of v1, v1beta1";
    /// The port of a webhook is not the number of a port.
    PORT: Invalid, "webhook/port", "port is not valid: must be between 1 and 65535, inclusive";
    /// `*` is used beside other entries.
    STAR_AND_OTHERS: Invalid, "webhook/star-and-others", "{}";
    /// A name of a resource is listed twice.
    DUPLICATE_RESOURCE_NAME: Duplicate, "webhook/duplicate-resource-name";
    /// All subresources of a resource are named beside one of them.
    ALL_SUBRESOURCES: Invalid, "webhook/all-subresources", "if '{}/*' is present, must not specify {}";
    /// A subresource of all resources is named beside that of one.
    ALL_RESOURCES: Invalid, "webhook/all-resources", "if '*/{}' is present, must not specify {}";
    /// `*/*` is used beside other resources.
    ALL_AND_OTHERS: Invalid, "webhook/all-and-others", "if '*/*' is present, must not specify other resources";
    /// `*` is used beside other resources.
    STAR_AND_RESOURCES: Invalid, "webhook/star-and-resources",
        "if '*' is present, must not specify other resources without subresources";
}

/// Checks configurations of webhooks.
pub(super) fn check(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for hook in object.child("webhooks").items() {
        let name = hook.child("name");
        match name.text() {
            Some("") => report.missing(&name),
            Some(text) => {
                report.complain(&name, syntax::three_segments(text));
                if !taken.insert(text) {
                    report.refuse(&name, &DUPLICATE_NAME);
                }
            }
            None => {}
        }
        webhook(&hook, report);
    }
}

fn webhook(hook: &FieldPlace<'_, '_>, report: &mut Report) {
    review_versions(&hook.child("admissionReviewVersions"), report);
    let effects = hook.child("sideEffects");
    match effects.text() {
        None | Some("None" | "NoneOnDryRun") => {}
        Some(_) if effects.is_absent() => {
            report.refuse(&effects, &NO_SIDE_EFFECTS);
        }
        Some(_) => report.not_supported(&effects, &["None", "NoneOnDryRun"]),
    }
    let timeout = hook.child("timeoutSeconds");
    if timeout.integer().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        report.refuse(&timeout, &TIMEOUT);
    }
    let config = hook.child("clientConfig");
    let (url, service) = (config.child("url"), config.child("service"));
    if url.is_absent() == service.is_absent() {
        report.refuse(&config, &NO_CLIENT);
    }
    match (url.is_absent(), service.is_absent()) {
        (false, true) => {
            if let Some(text) = url.text() {
                adopt(&url, report, |path, errors| webhook_url(text, path, errors));
            }
        }
        (true, false) => self::service(&service, report),
        // That there is one too many or one too few is all that is said.
        _ => {}
    }
}

/// Versions of what a webhook is sent: each once, and one among them that the server knows.
fn review_versions(versions: &FieldPlace<'_, '_>, report: &mut Report) {
    if versions.is_empty() {
        return report.refuse(versions, &NO_REVIEW_VERSION);
    }
    let mut seen = BTreeSet::new();
    for item in versions.items() {
        let Some(text) = item.text() else { continue };
        if !seen.insert(text) {
            report.refuse(&item, &DUPLICATE_REVIEW_VERSION);
            continue;
        }
        report.complain(&item, names::dns_1035_label(text));
    }
    if !versions.items().any(|item| matches!(item.text(), None | Some("v1" | "v1beta1"))) {
        report.refuse(versions, &REVIEW_VERSION);
    }
}

/// The service that a webhook is reached through. The server mixes its name and its namespace up.
fn service(service: &FieldPlace<'_, '_>, report: &mut Report) {
    for (field, named) in [("name", "namespace"), ("namespace", "name")] {
        let place = service.child(field);
        if place.text() == Some("") {
            report.missing(&service.child(named).at(&place));
        }
    }
    let path = service.child("path");
    if let Some(text) = path.full_text() {
        adopt(&path, report, |field, errors| webhook_path(text, field, errors));
    }
    let port = service.child("port");
    if let Some(number) = port.integer()
        && names::port(number).is_some()
    {
        report.refuse(&port, &PORT);
    }
}

/// Errors that are found in the same way in CRDs.
fn adopt(
    place: &FieldPlace<'_, '_>,
    report: &mut Report,
    find: impl FnOnce(&Trail<'_>, &mut Vec<FieldError>),
) {
    let field = place.path();
    let mut errors = Vec::new();
    find(&Trail::at(&field, None), &mut errors);
    for error in errors {
        report.refused(place, error);
    }
}

/// Checks `admissionregistration.RuleWithOperations`, and its kin with names.
pub(super) fn check_rule(rule: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    for field in ["operations", "apiGroups", "apiVersions", "resources"] {
        let place = rule.child(field);
        if place.is_empty() {
            report.missing(&place);
        }
        let is_all = |item: &FieldPlace<'_, '_>| item.text() == Some("*");
        if field != "resources" && place.count() > 1 && place.items().any(|item| is_all(&item)) {
            let word = match field {
                "operations" => "if '*' is present, must not specify other operations",
                "apiGroups" => "if '*' is present, must not specify other API groups",
                _ => "if '*' is present, must not specify other API versions",
            };
            report.refuse(&place, STAR_AND_OTHERS.with(word));
        }
    }
    for field in ["apiVersions", "resources"] {
        let place = rule.child(field);
        for item in place.items().filter(|item| item.text() == Some("")) {
            report.missing(&item);
        }
    }
    let mut taken = BTreeSet::new();
    for name in rule.child("resourceNames").items() {
        if name.text().is_some_and(|text| !taken.insert(text)) {
            report.refuse(&name, &DUPLICATE_RESOURCE_NAME);
        }
    }
    wildcards(&rule.child("resources"), report);
    for item in rule.child("operations").items() {
        if !matches!(item.text(), None | Some("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")) {
            report.not_supported(&item, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]);
        }
    }
}

/// What stands beside a resource that means all must not be meant by it already.
fn wildcards(resources: &FieldPlace<'_, '_>, report: &mut Report) {
    let (mut all_below, mut everywhere) = (FxHashSet::default(), FxHashSet::default());
    let (mut has_all, mut has_double, mut has_plain) = (false, false, false);
    for item in resources.items() {
        let Some(text) = item.full_text() else { continue };
        has_double |= text == "*/*";
        has_all |= text == "*";
        let Some((resource, part)) = text.split_once('/') else {
            // The last one without a part counts, as it does for the server.
            has_plain = text != "*";
            continue;
        };
        if all_below.contains(resource) {
            report.refuse(&item, ALL_SUBRESOURCES.with(resource).and(text));
        }
        if everywhere.contains(part) {
            report.refuse(&item, ALL_RESOURCES.with(part).and(text));
        }
        if part == "*" {
            all_below.insert(resource);
        }
        if resource == "*" {
            everywhere.insert(part);
        }
    }
    if has_double && resources.count() > 1 {
        report.refuse(resources, &ALL_AND_OTHERS);
    }
    if has_all && has_plain {
        report.refuse(resources, &STAR_AND_RESOURCES);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn webhooks() {
        let bench = Bench::new();
        let frame = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: 'https://a'}, {}}]\n";
        bench.accepts_all(
            frame,
            &[
                "failurePolicy: Fail",
                "rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]",
                "timeoutSeconds: 30",
                "rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: ['*', pods/status]}]",
                "matchPolicy: Exact",
                "rules: []",
            ],
        );
        bench.refuses_all(frame, &[
            ("failurePolicy: fail", "webhooks[0].failurePolicy: Unsupported value: \"fail\": supported values: \"Fail\", \"Ignore\""),
            ("rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1]}]", "webhooks[0].rules[0].resources: Required value"),
            ("rules: [{operations: [create], apiGroups: [''], apiVersions: [v1], resources: [pods]}]", "webhooks[0].rules[0].operations[0]: Unsupported value: \"create\""),
            ("rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: ['*/*', pods]}]", "webhooks[0].rules[0].resources: Invalid value: if '*/*' is present, must not specify other resources"),
            ("rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: ['pods/*', pods/status]}]", "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status"),
            ("rules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: ['*', pods]}]", "webhooks[0].rules[0].resources: Invalid value: if '*' is present, must not specify other resources without subresources"),
            ("timeoutSeconds: 31", "webhooks[0].timeoutSeconds: Invalid value: 31"),
            ("rules: [{operations: ['*', CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]", "webhooks[0].rules[0].operations: Invalid value"),
        ]);
        for (old, new, error) in [
            (
                "name: a.b.c",
                "name: a.b",
                "webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three segments",
            ),
            (
                "sideEffects: None",
                "sideEffects: Some",
                "webhooks[0].sideEffects: Unsupported value: \"Some\"",
            ),
            (
                "[v1]",
                "[]",
                "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
            ),
            (
                "url: 'https://a'",
                "",
                "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
            ),
            (
                "url: 'https://a'",
                "url: 'http://a'",
                "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme",
            ),
            (
                "url: 'https://a'",
                "url: 'https://a?b'",
                "webhooks[0].clientConfig.url: Invalid value: \"b\": query parameters are not permitted",
            ),
            (
                "url: 'https://a'",
                "service: {name: a, namespace: b, path: cd}",
                "webhooks[0].clientConfig.service.path: Invalid value: \"cd\": must start with a '/'",
            ),
            (
                "url: 'https://a'",
                "service: {name: a, namespace: b, path: /c//d}",
                "webhooks[0].clientConfig.service.path: Invalid value: \"/c//d\": segment[1] may not be empty",
            ),
            (
                "url: 'https://a'",
                "service: {name: a}",
                "webhooks[0].clientConfig.service.name: Required value",
            ),
            (
                "url: 'https://a'",
                "service: {namespace: a}",
                "webhooks[0].clientConfig.service.namespace: Required value",
            ),
            (
                "url: 'https://a'",
                "service: {name: a, namespace: b, port: 0}",
                "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
            ),
            (
                "[v1]",
                "[v1, v1]",
                "webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
            ),
            (
                "[v1]",
                "[v1, a_]",
                "webhooks[0].admissionReviewVersions[1]: Invalid value: \"a_\": a DNS-1035 label",
            ),
            (
                "[v1]",
                "[v2]",
                "webhooks[0].admissionReviewVersions: Invalid value: must include at least one of v1, v1beta1",
            ),
        ] {
            bench.refuses(&frame.replace(", {}", "").replace(old, new), &[error]);
        }
    }
}
