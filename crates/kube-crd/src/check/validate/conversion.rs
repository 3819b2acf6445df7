//! Conversion between versions, and the webhook that does it.

use std::collections::BTreeSet;
use trueline_gostd::base64::STANDARD;

use trueline_kube_facts::names::{dns_1035_label, port};
use trueline_kube_facts::web_address::{webhook_path, webhook_url};
use trueline_kube_facts::{FieldError, Reason, Trail, rules};

use super::options::{Options, is_review_version};
use super::spec::one_of;
use crate::definition::{ClientConfig, Conversion, Crd, Service};

rules! {
    /// The strategy for conversion is neither `None` nor `Webhook`.
    CONVERSION_STRATEGY: Invalid in crate::codes::CONVERSION, "crd/conversion-strategy",
        "must be None if spec.preserveUnknownFields is true";
    /// The strategy `Webhook` needs a webhook.
    NO_CONVERSION_WEBHOOK: Required in crate::codes::CONVERSION, "crd/no-conversion-webhook",
        "required when strategy is set to Webhook";
    /// A webhook is set with another strategy than `Webhook`.
    CONVERSION_WEBHOOK_UNUSED: Forbidden in crate::codes::CONVERSION, "crd/conversion-webhook-unused", ONLY_WITH_WEBHOOK;
    /// Review versions are set with another strategy than `Webhook`.
    REVIEW_VERSIONS_UNUSED: Forbidden in crate::codes::CONVERSION, "crd/review-versions-unused", ONLY_WITH_WEBHOOK;
    /// A webhook is not called by exactly one of a URL and a service.
    WEBHOOK_CLIENT: Required in crate::codes::CONVERSION, "crd/webhook-client",
        "exactly one of url or service is required";
    /// The CA bundle of a webhook cannot be read.
    CA_BUNDLE: Invalid in crate::codes::CONVERSION, "crd/ca-bundle",
        "unable to load root certificates: unable to parse bytes as PEM block";
    /// The port of a webhook is not the number of a port.
    WEBHOOK_PORT: Invalid in crate::codes::CONVERSION, "crd/webhook-port", "port is not valid: {}";
    /// A version of reviews is listed twice.
    DUPLICATE_REVIEW_VERSION: Invalid in crate::codes::CONVERSION, "crd/duplicate-review-version",
        "duplicate version";
    /// A webhook understands no version of reviews that the server knows.
    REVIEW_VERSION: Invalid in crate::codes::CONVERSION, "crd/review-version",
        "must include at least one of v1, v1beta1";
}

const ONLY_WITH_WEBHOOK: &str = "should not be set when strategy is not set to Webhook";

pub(super) fn validate(crd: &Crd, options: &Options, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = &crd.spec.conversion else { return };
    let path = path.child("conversion");
    let strategy = &*conversion.strategy;
    if strategy != "None" && crd.spec.preserve_unknown_fields != Some(false) {
        errors.push(path.child("strategy").refuse_text(strategy, &CONVERSION_STRATEGY));
    }
    one_of(strategy, &["None", "Webhook"], &path.child("strategy"), errors);
    let config = conversion.client_config.as_ref();
    let config_value = config.and_then(|config| config.written.0.as_ref()).or(conversion.written.0.as_ref());
    let config_path = Trail::root("spec.conversion.webhookClientConfig", config_value);
    let reviews_path = Trail::root(
        "spec.conversion.conversionReviewVersions",
        conversion.review_versions_written.0.as_ref(),
    );
    if strategy == "Webhook" {
        match config {
            None => errors.push(config_path.refuse(&NO_CONVERSION_WEBHOOK)),
            Some(config) => client_config(config, options, &config_path, errors),
        }
        review_versions(conversion, options, &reviews_path, errors);
    } else {
        if config.is_some() {
            errors.push(config_path.refuse(&CONVERSION_WEBHOOK_UNUSED));
        }
        if !conversion.review_versions.is_empty() {
            errors.push(reviews_path.refuse(&REVIEW_VERSIONS_UNUSED));
        }
    }
}

fn client_config(config: &ClientConfig, options: &Options, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    match (&config.url, &config.service) {
        (Some(url), None) => webhook_url(url, &path.child("url"), errors),
        (None, Some(service)) => self::service(service, &path.child("service"), errors),
        _ => errors.push(path.refuse(&WEBHOOK_CLIENT)),
    }
    if options.good_bundle && !config.ca_bundle.is_empty() && !is_good_bundle(&config.ca_bundle) {
        errors.push(path.child("caBundle").refuse(&CA_BUNDLE));
    }
}

fn service(service: &Service, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    // The server has the two exchanged: it names the namespace if the name is missing. The place is the true one.
    let exchanged = [("name", "namespace", &service.name), ("namespace", "name", &service.namespace)];
    for (field, named, _) in exchanged.into_iter().filter(|(_, _, text)| text.is_empty()) {
        let place = path.child(field).place(Reason::Required);
        errors.push(FieldError { place, ..path.child(named).missing() });
    }
    if let Some(problem) = port(service.port) {
        errors.push(path.child("port").refuse_value(service.port.to_string(), WEBHOOK_PORT.with(problem)));
    }
    if let Some(text) = service.path.as_deref() {
        webhook_path(text, &path.child("path"), errors);
    }
}

fn review_versions(
    conversion: &Conversion,
    options: &Options,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    let versions = &conversion.review_versions;
    if versions.is_empty() {
        errors.push(path.missing());
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if !seen.insert(version) {
            errors.push(path.refuse_text(version, &DUPLICATE_REVIEW_VERSION));
            continue;
        }
        errors.extend(dns_1035_label(version).into_iter().map(|problem| path.refuse_text(version, problem)));
    }
    if options.recognized_review_version && !versions.iter().any(|version| is_review_version(version)) {
        errors.push(path.refuse(&REVIEW_VERSION));
    }
}

/// Whether a bundle (in base64) holds a certificate: a block with that name whose content is in base64 too and
/// begins as a certificate does.
pub(super) fn is_good_bundle(bundle: &str) -> bool {
    let Some(text) = STANDARD.decode(bundle.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return false;
    };
    let mut rest = text.as_str();
    while let Some((_, after)) = rest.split_once("-----BEGIN CERTIFICATE-----") {
        let Some((body, after_body)) = after.split_once("-----END CERTIFICATE-----") else { return false };
        let digits: Vec<u8> = body.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if STANDARD.decode(&digits).is_ok_and(|bytes| bytes.len() > 64 && bytes.first() == Some(&0x30)) {
            return true;
        }
        rest = after_body;
    }
    false
}
