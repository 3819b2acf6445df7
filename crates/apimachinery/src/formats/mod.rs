//! The formats that the server checks, one function each. Dashes in their names are ignored; case matters. A
//! format that is not listed is accepted, published, and checks nothing.

mod address;
mod clock;
mod codes;
mod email;
mod uri;

use std::borrow::Cow;

/// Whether a string has a format.
pub type Check = fn(&str) -> bool;

const FORMATS: &[(&str, Check)] = &[
    ("bsonobjectid", codes::bson_object_id),
    ("uri", uri::uri),
    ("email", email::email),
    ("hostname", address::hostname),
    ("ipv4", address::ipv4),
    ("ipv6", address::ipv6),
    ("cidr", address::cidr),
    ("mac", address::mac),
    ("uuid", codes::uuid),
    ("uuid3", codes::uuid3),
    ("uuid4", codes::uuid4),
    ("uuid5", codes::uuid5),
    ("isbn", codes::isbn),
    ("isbn10", codes::isbn10),
    ("isbn13", codes::isbn13),
    ("creditcard", codes::credit_card),
    ("ssn", codes::ssn),
    ("hexcolor", codes::hex_color),
    ("rgbcolor", codes::rgb_color),
    ("byte", codes::byte),
    ("password", codes::password),
    ("date", clock::date),
    ("duration", clock::duration),
    ("datetime", clock::date_time),
    ("k8sshortname", codes::short_name),
    ("k8slongname", codes::long_name),
];

/// The check of a format, if the server has one.
pub fn check(format: &str) -> Option<Check> {
    let name: Cow<'_, str> = match format.contains('-') {
        true => format.replace('-', "").into(),
        false => format.into(),
    };
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, check)| *check)
}

/// Whether the server checks this format; for others it warns when a CRD is written.
pub fn is_known_format(format: &str) -> bool {
    check(format).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_are_ignored_and_case_matters() {
        assert!(
            is_known_format("date-time") && is_known_format("datetime") && is_known_format("k8s-short-name")
        );
        assert!(!is_known_format("IPv4") && !is_known_format("int32") && !is_known_format(""));
    }
}
