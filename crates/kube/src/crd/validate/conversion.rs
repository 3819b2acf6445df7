//! Conversion between versions, and the webhook that does it.

use std::collections::BTreeSet;
use trueline_gostd::base64::STANDARD;

use super::super::{ClientConfig, Conversion, Crd, Service};
use super::options::{Options, is_review_version};
use super::spec::one_of;
use super::web_address;
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::names::{dns_1035_label, dns_1123_subdomain, port};

const ONLY_WITH_WEBHOOK: &str = "should not be set when strategy is not set to Webhook";

pub(super) fn validate(crd: &Crd, options: &Options, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = &crd.spec.conversion else { return };
    let path = path.child("conversion");
    let strategy = &*conversion.strategy;
    if strategy != "None" && crd.spec.preserve_unknown_fields != Some(false) {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.push(path.child("strategy").invalid(strategy, detail));
    }
    one_of(strategy, &["None", "Webhook"], &path.child("strategy"), errors);
    let config = conversion.client_config.as_ref();
    let config_value = config.and_then(|config| config.written.0.as_ref()).or(conversion.written.0.as_ref());
    let config_path = FieldPath::root("spec.conversion.webhookClientConfig", config_value);
    let reviews_path = FieldPath::root(
        "spec.conversion.conversionReviewVersions",
        conversion.review_versions_written.0.as_ref(),
    );
    if strategy == "Webhook" {
        match config {
            None => errors.push(config_path.required("required when strategy is set to Webhook")),
            Some(config) => client_config(config, options, &config_path, errors),
        }
        review_versions(conversion, options, &reviews_path, errors);
    } else {
        if config.is_some() {
            errors.push(config_path.forbidden(ONLY_WITH_WEBHOOK));
        }
        if !conversion.review_versions.is_empty() {
            errors.push(reviews_path.forbidden(ONLY_WITH_WEBHOOK));
        }
    }
}

fn client_config(
    config: &ClientConfig,
    options: &Options,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    match (&config.url, &config.service) {
        (Some(url), None) => webhook_url(url, &path.child("url"), errors),
        (None, Some(service)) => self::service(service, &path.child("service"), errors),
        _ => errors.push(path.required("exactly one of url or service is required")),
    }
    if options.good_bundle && !config.ca_bundle.is_empty() && !is_good_bundle(&config.ca_bundle) {
        let detail = "unable to load root certificates: unable to parse bytes as PEM block";
        errors.push(path.child("caBundle").error(Reason::Invalid, detail));
    }
}

/// The address of a webhook.
pub(crate) fn webhook_url(text: &str, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match web_address::parse(text) {
        Ok(url) => url,
        Err(problem) => {
            errors.push(path.required(format!("url must be a valid URL: {problem}{FORM}")));
            return;
        }
    };
    if url.scheme != "https" {
        errors.push(path.invalid(&url.scheme, format!("'https' is the only allowed URL scheme{FORM}")));
    }
    if url.host.is_empty() {
        errors.push(path.invalid("", format!("host must be specified{FORM}")));
    }
    if let Some(user) = url.user {
        errors.push(path.invalid(user, "user information is not permitted in the URL"));
    }
    if !url.fragment.is_empty() {
        errors.push(path.invalid(url.fragment, "fragments are not permitted in the URL"));
    }
    if !url.query.is_empty() {
        errors.push(path.invalid(url.query, "query parameters are not permitted in the URL"));
    }
}

fn service(service: &Service, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    // The server has the two exchanged: it names the namespace if the name is missing. The place is the true one.
    let exchanged = [("name", "namespace", &service.name), ("namespace", "name", &service.namespace)];
    for (field, named, _) in exchanged.into_iter().filter(|(_, _, text)| text.is_empty()) {
        let place = path.child(field).place(Reason::Required);
        errors.push(FieldError { place, ..path.child(named).required("") });
    }
    if let Some(problem) = port(service.port) {
        let detail = format!("port is not valid: {problem}");
        errors.push(path.child("port").invalid_value(service.port.to_string(), detail));
    }
    if let Some(text) = service.path.as_deref() {
        webhook_path(text, &path.child("path"), errors);
    }
}

/// The path of a webhook at a service.
pub(crate) fn webhook_path(text: &str, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if matches!(text, "" | "/") {
        return;
    }
    if text == "//" {
        errors.push(path.invalid(text, "segment[0] may not be empty"));
        return;
    }
    if !text.starts_with('/') {
        errors.push(path.invalid(text, "must start with a '/'"));
    }
    // The server leaves out the first byte, whatever it is.
    let segments = text.char_indices().nth(1).and_then(|(at, _)| text.get(at..)).unwrap_or_default();
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (index, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            errors.push(path.invalid(text, format!("segment[{index}] may not be empty")));
            continue;
        }
        for problem in dns_1123_subdomain(segment) {
            errors.push(path.invalid(text, format!("segment[{index}]: {problem}")));
        }
    }
}

fn review_versions(
    conversion: &Conversion,
    options: &Options,
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let versions = &conversion.review_versions;
    if versions.is_empty() {
        errors.push(path.required(""));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if !seen.insert(version) {
            errors.push(path.invalid(version, "duplicate version"));
            continue;
        }
        errors.extend(dns_1035_label(version).into_iter().map(|problem| path.invalid(version, problem)));
    }
    if options.recognized_review_version && !versions.iter().any(|version| is_review_version(version)) {
        errors.push(path.error(Reason::Invalid, "must include at least one of v1, v1beta1"));
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
        let Some((body, behind)) = after.split_once("-----END CERTIFICATE-----") else { return false };
        let digits: Vec<u8> = body.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if STANDARD.decode(&digits).is_ok_and(|bytes| bytes.len() > 64 && bytes.first() == Some(&0x30)) {
            return true;
        }
        rest = behind;
    }
    false
}
