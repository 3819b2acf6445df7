//! Names of drivers, pools and attributes of devices.

use super::Context;
use crate::field_path::go_quoted;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;
use crate::names;
use crate::{FieldError, Reason};

/// The longest domain and the longest name of an attribute.
const DOMAIN: usize = 63;
const IDENTIFIER: usize = 32;

/// The name of a driver.
pub(super) fn driver(place: &Place<'_, '_>, report: &mut Report) {
    if let Some(text) = place.full_text() {
        driver_text(text, place, report);
    }
}

fn driver_text(text: &str, place: &Place<'_, '_>, report: &mut Report) {
    if text.len() > DOMAIN {
        report.too_long(place, DOMAIN);
    }
    for complaint in names::dns_1123_subdomain(&text.to_lowercase()) {
        invalid(text, &complaint, place, report);
    }
}

/// The name of a pool: subdomains with slashes between them.
pub(super) fn pool(place: &Place<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text() else { return };
    if text.len() > 253 {
        report.too_long(place, 253);
    }
    for part in text.split('/') {
        for complaint in names::dns_1123_subdomain(part) {
            invalid(part, &complaint, place, report);
        }
    }
}

/// The name of an attribute or a capacity, which is the key of a map.
pub(super) fn qualified(name: &str, place: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_older = context.version.minor < 35;
    let missing = |words: &str, report: &mut Report| match is_older {
        true => report.required(place, words),
        false => invalid("", words, place, report),
    };
    let mut parts = name.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), None, _) if is_older => report.required(place, "name required"),
        (Some(name), None, _) => identifier(name, place, report),
        (Some(domain), Some(name), None) => {
            match domain {
                "" => missing("the domain must not be empty", report),
                _ => driver_text(domain, place, report),
            }
            match name {
                "" => missing("the name must not be empty", report),
                _ => identifier(name, place, report),
            }
        }
        // The server does not look at names with more slashes.
        _ => {}
    }
}

/// The name of an attribute with its domain.
pub(super) fn fully_qualified(place: &Place<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let Some(text) = place.text() else { return };
    qualified(text, place, context, report);
    let is_older = context.version.minor < 35;
    let is_missing = is_older && text.is_empty();
    if !is_missing && !text.contains('/') {
        let words = match is_older {
            true => "must include a domain",
            false => "a fully qualified name must be a domain and a name separated by a slash",
        };
        invalid(text, words, place, report);
    }
}

fn identifier(text: &str, place: &Place<'_, '_>, report: &mut Report) {
    if text.len() > IDENTIFIER {
        report.too_long(place, IDENTIFIER);
    }
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_identifier = text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
    if !is_identifier {
        let rule = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
                    alphanumeric characters or '_'";
        let examples = ["my_name", "MY_NAME", "MyName"];
        let words = names::pattern_problem(rule, "[A-Za-z_][A-Za-z0-9_]*", &examples);
        invalid(text, &words, place, report);
    }
}

fn invalid(part: &str, words: &str, place: &Place<'_, '_>, report: &mut Report) {
    let error = FieldError::new(Reason::Invalid, place.path(), words, None);
    report.refused(place, error.with_value(go_quoted(part)));
}
