//! Names of drivers, pools and attributes of devices.

use trueline_kube_facts::{Breach, ServerRule, go_quoted, names, rules};

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A name of an attribute or a capacity is not an identifier of C.
    IDENTIFIER: Invalid, "device/identifier",
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
         characters or '_'";
    /// The domain of a qualified name is empty.
    EMPTY_DOMAIN: Invalid, "device/empty-domain", "the domain must not be empty";
    /// The name of a qualified name is empty.
    EMPTY_NAME: Invalid, "device/empty-name", "the name must not be empty";
    /// A name has to have a domain.
    NO_DOMAIN: Invalid, "device/no-domain", "must include a domain";
    /// A name has to be a domain, a slash and a name.
    NOT_QUALIFIED: Invalid, "device/not-qualified",
        "a fully qualified name must be a domain and a name separated by a slash";
    /// A name of an attribute or a capacity is empty.
    NO_NAME: Required, "device/no-name", "{}";
    /// A qualified name has nothing after its slash.
    NO_IDENTIFIER: Required, "device/no-identifier", "name required";
}

/// The longest domain and the longest name of an attribute.
const DOMAIN: usize = 63;
const IDENTIFIER_LIMIT: usize = 32;

/// The name of a driver.
pub(super) fn driver(place: &FieldPlace<'_, '_>, report: &mut Report) {
    if let Some(text) = place.full_text() {
        driver_text(text, place, report);
    }
}

fn driver_text(text: &str, place: &FieldPlace<'_, '_>, report: &mut Report) {
    if text.len() > DOMAIN {
        report.too_long(place, DOMAIN);
    }
    for complaint in names::dns_1123_subdomain(&text.to_lowercase()) {
        invalid(text, complaint, place, report);
    }
}

/// The name of a pool: subdomains with slashes between them.
pub(super) fn pool(place: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text() else { return };
    if text.len() > 253 {
        report.too_long(place, 253);
    }
    for part in text.split('/') {
        for complaint in names::dns_1123_subdomain(part) {
            invalid(part, complaint, place, report);
        }
    }
}

/// The name of an attribute or a capacity, which is the key of a map.
pub(super) fn qualified(name: &str, place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let is_older = context.version.minor < 35;
    let missing = |rule: &'static ServerRule, report: &mut Report| match is_older {
        true => report.refuse(place, NO_NAME.with(rule.sentence)),
        false => invalid("", rule, place, report),
    };
    let mut parts = name.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), None, _) if is_older => report.refuse(place, &NO_IDENTIFIER),
        (Some(name), None, _) => identifier(name, place, report),
        (Some(domain), Some(name), None) => {
            match domain {
                "" => missing(&EMPTY_DOMAIN, report),
                _ => driver_text(domain, place, report),
            }
            match name {
                "" => missing(&EMPTY_NAME, report),
                _ => identifier(name, place, report),
            }
        }
        // The server does not look at names with more slashes.
        _ => {}
    }
}

/// The name of an attribute with its domain.
pub(super) fn fully_qualified(place: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let Some(text) = place.text() else { return };
    qualified(text, place, context, report);
    let is_older = context.version.minor < 35;
    let is_missing = is_older && text.is_empty();
    if !is_missing && !text.contains('/') {
        invalid(text, if is_older { &NO_DOMAIN } else { &NOT_QUALIFIED }, place, report);
    }
}

fn identifier(text: &str, place: &FieldPlace<'_, '_>, report: &mut Report) {
    if text.len() > IDENTIFIER_LIMIT {
        report.too_long(place, IDENTIFIER_LIMIT);
    }
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_identifier = text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
    if !is_identifier {
        let examples = &["my_name", "MY_NAME", "MyName"];
        invalid(text, Breach::pattern(&IDENTIFIER, "[A-Za-z_][A-Za-z0-9_]*", examples), place, report);
    }
}

fn invalid(part: &str, breach: impl Into<Breach>, place: &FieldPlace<'_, '_>, report: &mut Report) {
    report.refuse_value(place, go_quoted(part), breach);
}
