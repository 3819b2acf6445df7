//! The formats that strings can be checked for: quantities of Kubernetes, and the formats of JSON Schema.

mod clock;
mod network;
mod pointer;
mod quantity;
mod uri;

pub(crate) use quantity::PATTERN as QUANTITY_PATTERN;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named like the format")]
pub enum Format {
    Quantity,
    DateTime,
    Date,
    Time,
    Duration,
    Email,
    IdnEmail,
    Hostname,
    IdnHostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Iri,
    IriReference,
    UriTemplate,
    Uuid,
    JsonPointer,
    RelativeJsonPointer,
    Regex,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 20] = [
        Format::Quantity,
        Format::DateTime,
        Format::Date,
        Format::Time,
        Format::Duration,
        Format::Email,
        Format::IdnEmail,
        Format::Hostname,
        Format::IdnHostname,
        Format::Ipv4,
        Format::Ipv6,
        Format::Uri,
        Format::UriReference,
        Format::Iri,
        Format::IriReference,
        Format::UriTemplate,
        Format::Uuid,
        Format::JsonPointer,
        Format::RelativeJsonPointer,
        Format::Regex,
    ];

    /// The format of a name. `uri-reference` has two of them.
    pub fn of(name: &str) -> Option<Format> {
        if name == Format::UriReference.json_schema_name() {
            return Some(Format::UriReference);
        }
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What is said of a name that no format has.
    pub(crate) fn unknown(name: &str) -> String {
        let names = Format::ALL.map(|format| format.name()).join(", ");
        let name = trueline_starlark::quote(name.as_bytes());
        format!("unknown format {name}, expected one of {names}")
    }

    /// Its name in annotations.
    pub fn name(self) -> &'static str {
        match self {
            Format::Quantity => "quantity",
            Format::DateTime => "date-time",
            Format::Date => "date",
            Format::Time => "time",
            Format::Duration => "duration",
            Format::Email => "email",
            Format::IdnEmail => "idn-email",
            Format::Hostname => "hostname",
            Format::IdnHostname => "idn-hostname",
            Format::Ipv4 => "ipv4",
            Format::Ipv6 => "ipv6",
            Format::Uri => "uri",
            Format::UriReference => "uriref",
            Format::Iri => "iri",
            Format::IriReference => "iri-reference",
            Format::UriTemplate => "uri-template",
            Format::Uuid => "uuid",
            Format::JsonPointer => "json-pointer",
            Format::RelativeJsonPointer => "relative-json-pointer",
            Format::Regex => "regex",
        }
    }

    /// Its name in JSON Schema.
    pub fn json_schema_name(self) -> &'static str {
        match self {
            Format::UriReference => "uri-reference",
            other => other.name(),
        }
    }

    /// The same, also of regular expressions. They are compiled, which is not paid for.
    pub(crate) fn has(self, text: &str) -> bool {
        match self {
            Format::Regex => trueline_regexp::Regexp::new(text.as_bytes()).is_ok(),
            _ => self.takes(text),
        }
    }

    /// A string that has the format.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Format::Quantity => "1",
            Format::DateTime => "2000-01-01T00:00:00Z",
            Format::Date => "2000-01-01",
            Format::Time => "00:00:00Z",
            Format::Duration => "P1D",
            Format::Email | Format::IdnEmail => "user@example.com",
            Format::Hostname | Format::IdnHostname => "example.com",
            Format::Ipv4 => "127.0.0.1",
            Format::Ipv6 => "::1",
            Format::Uri | Format::UriReference | Format::Iri | Format::IriReference => "https://example.com",
            Format::Uuid => "00000000-0000-4000-8000-000000000000",
            Format::UriTemplate | Format::JsonPointer => "",
            Format::RelativeJsonPointer => "0",
            Format::Regex => "a",
        }
    }

    /// Whether a string has the format. What is a regular expression is decided by compiling it.
    pub(super) fn takes(self, text: &str) -> bool {
        match self {
            Format::Quantity => quantity::quantity(text),
            Format::DateTime => clock::date_time(text),
            Format::Date => clock::date(text),
            Format::Time => clock::time(text),
            Format::Duration => clock::duration(text),
            Format::Email => network::email(text),
            Format::IdnEmail => network::idn_email(text),
            Format::Hostname => network::hostname(text),
            Format::IdnHostname => network::idn_hostname(text),
            Format::Ipv4 => text.parse::<core::net::Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<core::net::Ipv6Addr>().is_ok(),
            Format::Uri => uri::uri(text),
            Format::UriReference => uri::uri_reference(text),
            Format::Iri => uri::iri(text),
            Format::IriReference => uri::iri_reference(text),
            Format::UriTemplate => uri::template(text),
            Format::Uuid => pointer::uuid(text),
            Format::JsonPointer => pointer::json_pointer(text),
            Format::RelativeJsonPointer => pointer::relative_json_pointer(text),
            Format::Regex => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each format, strings that have it and strings that do not.
    const STRINGS: &[(&str, &[&str], &[&str])] = &[
        ("quantity", &["1", "500m", "1.5Gi", "-1e3", "+2E"], &["", "1 Gi", "1GiB", "Gi", "1e1.5", "ten"]),
        (
            "date-time",
            &["2024-02-29T23:59:59Z", "2024-01-01t00:00:00.5+01:00", "2016-12-31T23:59:60Z"],
            &["2023-02-29T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T12:00:60Z"],
        ),
        ("date", &["2000-02-29"], &["1900-02-29", "2024-13-01", "24-01-01", "2024-1-1"]),
        (
            "time",
            &["08:30:06Z", "23:59:60z", "08:30:06.283185+00:20"],
            &["08:30:06", "8:30:06Z", "08:30:06+24:00"],
        ),
        (
            "duration",
            &["P4DT12H30M5S", "P1Y2M3D", "P4W", "PT1M"],
            &["P", "PT", "4D", "P1D2H", "P1YT", "P2D1Y", "P1Y1W"],
        ),
        (
            "email",
            &["joe.bloggs@example.com", "\"joe bloggs\"@example.com", "joe@[127.0.0.1]", "a@[IPv6:::1]"],
            &["2962", ".joe@example.com", "joe@", "joe@-a.com", "Joe <joe@example.com>", "jö@example.com"],
        ),
        ("idn-email", &["jö@exämple.com"], &["jö", "@a"]),
        (
            "hostname",
            &["www.example.com", "a", "1host", "xn--4gbwdl.xn--wgbh1c"],
            &["", "-a", "a-", "a..b", "a.", "a_b", "ab--c", "exämple"],
        ),
        ("idn-hostname", &["exämple.com", "a"], &["", "a b", "-a"]),
        ("ipv4", &["192.168.0.1"], &["256.0.0.1", "1.2.3", "01.2.3.4", "::1"]),
        ("ipv6", &["::1", "12::42", "::ffff:1.2.3.4"], &["12345::", "1.2.3.4", "::1%eth0"]),
        (
            "uri",
            &["https://u:p@example.com:8080/a%20b?q=/#f", "urn:x:y", "mailto:a@b.c", "http://[::1]/"],
            &["//a/b", "/a", "a b:c", "http://a b", "https://[::x]/", "http://a:b:c", "x:%zz", "http://ä"],
        ),
        ("uriref", &["/a/b", "a", "", "#f", "http://a"], &["\\a", "a b", "1:2", "%"]),
        ("uri-reference", &["../a"], &["<a>"]),
        ("iri", &["http://exämple.com/ä"], &["/ä", "http://ä b"]),
        ("iri-reference", &["/ä"], &["ä b"]),
        ("uri-template", &["http://a/{+x,y*}{?z:3}", ""], &["{", "}", "{x", "{x:y}", "{#}"]),
        ("uuid", &["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], &["2eb8aa08-aa98-11ea-b4aa73b441d16380", ""]),
        ("json-pointer", &["", "/a~1b/~0", "/ä"], &["a", "/~2", "/~"]),
        ("relative-json-pointer", &["0", "1/a", "2#"], &["/a", "01", "-1/a", "1#a", ""]),
    ];

    #[test]
    fn strings_have_formats_or_not() {
        for (name, good, bad) in STRINGS {
            let format = Format::of(name).unwrap();
            for text in *good {
                assert!(format.takes(text), "{name}: {text}");
            }
            for text in *bad {
                assert!(!format.takes(text), "{name}: {text}");
            }
        }
    }

    #[test]
    fn names_lead_back_to_formats() {
        for format in Format::ALL {
            assert_eq!(Format::of(format.name()), Some(format));
            assert_eq!(Format::of(format.json_schema_name()), Some(format));
            assert!(format.has(format.example()), "{format:?}");
        }
        assert_eq!(Format::of("Email"), None);
        assert!(
            Format::unknown("x\ny")
                .starts_with("unknown format \"x\\ny\", expected one of quantity, date-time")
        );
    }
}
