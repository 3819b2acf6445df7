//! Strings of the formats that servers check, several of each kind, so that a pattern or a length beside a format has
//! something to refuse.

use crate::structural::{NestedValueValidation, ValueValidation};

const SAMPLES: &[(&str, &[&str])] = &[
    ("bsonobjectid", &["507f1f77bcf86cd799439011", "FFFFFFFFFFFFFFFFFFFFFFFF", "000000000000000000000000"]),
    (
        "uri",
        &[
            "https://example.com/",
            "http://a/",
            "/a",
            "urn:a:b",
            "https://example.com:8443/a/b?c=d#e",
            "ftp://1.2.3.4/x",
        ],
    ),
    ("email", &["me@example.com", "a@b.com", "First.Last+tag@sub.example.org", "\"a b\"@c.io", "A@B.NET"]),
    (
        "hostname",
        &["example.com", "a", "A-1", "x.y.z", "1.example", "a-rather-long-label.of-some.example.org"],
    ),
    (
        "ipv4",
        &["10.0.0.1", "192.168.0.1", "0.0.0.0", "255.255.255.255", "172.16.100.100", "1.2.3.4", "8.8.8.8"],
    ),
    (
        "ipv6",
        &[
            "::1",
            "::",
            "fe80::1",
            "2001:db8:1111:2222:3333:4444:5555:6666",
            "2001:DB8::FF",
            "::ffff:10.0.0.1",
        ],
    ),
    (
        "cidr",
        &[
            "10.0.0.0/8",
            "192.168.0.0/16",
            "0.0.0.0/0",
            "172.16.100.100/32",
            "::/0",
            "2001:db8:1111:2222::/64",
            "fe80::/10",
        ],
    ),
    (
        "mac",
        &[
            "00:00:5e:00:53:01",
            "01:02:03:04:05:06",
            "AA-BB-CC-DD-EE-FF",
            "0000.5e00.5301",
            "02:00:5e:10:00:00:00:01",
        ],
    ),
    (
        "uuid",
        &[
            "123e4567-e89b-42d3-a456-426614174000",
            "123E4567-E89B-12D3-A456-426614174000",
            "00000000-0000-0000-0000-000000000000",
            "ffffffffffffffffffffffffffffffff",
        ],
    ),
    ("uuid3", &["123e4567-e89b-32d3-a456-426614174000", "FFFFFFFF-FFFF-3FFF-BFFF-FFFFFFFFFFFF"]),
    (
        "uuid4",
        &[
            "123e4567-e89b-42d3-a456-426614174000",
            "F47AC10B-58CC-4372-A567-0E02B2C3D479",
            "00000000-0000-4000-8000-000000000000",
        ],
    ),
    ("uuid5", &["123e4567-e89b-52d3-a456-426614174000", "FFFFFFFF-FFFF-5FFF-BFFF-FFFFFFFFFFFF"]),
    ("isbn", &["978-0321751041", "0321751043", "9780321751041", "080442957X"]),
    ("isbn10", &["0321751043", "080442957X"]),
    ("isbn13", &["978-0321751041", "9780321751041"]),
    ("creditcard", &["4111111111111111", "5555555555554444", "378282246310005"]),
    ("ssn", &["111-11-1111", "123-45-6789"]),
    ("hexcolor", &["#ffffff", "#FFF", "000", "#123abc"]),
    ("rgbcolor", &["rgb(1,2,3)", "rgb(255,255,255)", "rgb(0, 0, 0)"]),
    ("byte", &["YQ==", "", "YWJj", "+/+/", "YWI="]),
    ("password", &["a", "A b", "ä", "1", ""]),
    ("date", &["2024-02-29", "1999-01-01", "0001-01-01", "9999-12-31", "2000-10-20"]),
    ("duration", &["10s", "1h", "3 weeks", "1.5h", "100ms", "2h45m", "1d", "5 minutes"]),
    (
        "datetime",
        &[
            "2024-02-29T10:11:12Z",
            "2020-01-01T00:00:00+01:00",
            "1999-12-31T23:59:59.999Z",
            "2020-01-01t00:00:00z",
            "2020-01-01 00:00:00Z",
        ],
    ),
    (
        "k8sshortname",
        &["a", "my-name", "1", "a-rather-long-name-with-63-characters-at-most-as-a-label-has-it1"],
    ),
    ("k8slongname", &["a", "my.long.name", "1.2", "a-b.c-d.example.org"]),
];

/// Texts of the formats that are demanded, in branches too.
pub(super) fn samples(demanded: &ValueValidation) -> impl Iterator<Item = &'static str> {
    let formats = formats(demanded);
    let is_asked = move |name: &str| formats.iter().any(|format| format == name);
    SAMPLES.iter().filter(move |(name, _)| is_asked(name)).flat_map(|(_, texts)| texts.iter().copied())
}

/// The formats that servers check, as they are called without dashes.
pub(super) fn formats(demanded: &ValueValidation) -> Vec<String> {
    let lists = demanded.all_of.iter().chain(&demanded.any_of).chain(&demanded.one_of);
    let nested = lists.map(|branch: &NestedValueValidation| &branch.value_validation.format);
    let all = std::iter::once(&demanded.format).chain(nested);
    all.map(|format| format.replace('-', ""))
        .filter(|format| trueline_apimachinery::formats::is_known_format(format))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_takes_most_of_its_texts() {
        for (format, texts) in SAMPLES {
            let check = trueline_apimachinery::formats::check(format);
            let taken = texts.iter().filter(|text| check.is_some_and(|check| check(text))).count();
            assert!(taken >= 2 && taken * 2 > texts.len(), "{format}: {taken} of {texts:?}");
        }
    }
}
