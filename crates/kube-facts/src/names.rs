//! What names, labels and the like have to look like, as breaches of rules. The checks themselves are in
//! `trueline_apimachinery::names`, which CEL asks as well.

use trueline_apimachinery::names::{self, Fault, NameProblem, Part, Syntax};

pub use trueline_apimachinery::names::NameUse;

use crate::rules;
use crate::server_rule::{Breach, Detail, ServerRule};

rules! {
    /// A name is longer than is allowed.
    ///
    /// Names that become labels of DNS have at most 63 characters, names of most objects 253.
    TOO_LONG: Invalid, "name/too-long";
    /// A name is not a label of DNS.
    ///
    /// It may hold lower-case letters, digits and dashes, and begins and ends with a letter or a digit.
    LABEL: Invalid, "name/dns-label";
    /// A name that has to be a label of DNS holds dots.
    DOTS: Invalid, "name/dots";
    /// A name is not a subdomain of DNS.
    ///
    /// It may hold lower-case letters, digits, dashes and dots; each part begins and ends with a letter or a digit.
    SUBDOMAIN: Invalid, "name/dns-subdomain";
    /// A name is not a label of DNS that begins with a letter.
    OLD_LABEL: Invalid, "name/dns-1035-label";
    /// The key of a label, an annotation or the like is not a qualified name.
    ///
    /// It has letters, digits, `-`, `_` and `.`, begins and ends with a letter or a digit, and may have a domain and a
    /// slash before it: `example.com/team`.
    KEY: Invalid, "name/qualified-name";
    /// The key of a label, an annotation or the like is longer than 63 characters.
    LONG_KEY: Invalid, "name/long-key";
    /// The value of a label is longer than 63 characters.
    LONG_LABEL: Invalid, "label/too-long";
    /// The value of a label is not allowed.
    ///
    /// It has letters, digits, `-`, `_` and `.`, and begins and ends with a letter or a digit.
    LABEL_VALUE: Invalid, "label/value";
    /// A name is not a part of a path.
    ///
    /// It becomes a part of an address, and is neither `.` nor `..`, and holds neither `/` nor `%`.
    PATH_SEGMENT: Invalid, "name/path-segment";
    /// A number is not that of a port.
    ///
    /// Ports have the numbers from 1 to 65535.
    PORT: Invalid, "object/port-number";
}

fn breach(problem: NameProblem) -> Breach {
    let rule: &'static ServerRule = match (problem.fault, problem.part) {
        (Fault::Form(Syntax::KeyName | Syntax::Key) | Fault::Empty, _) | (_, Part::Prefix) => &KEY,
        (Fault::LongInBytes(_), Part::Name) => &LONG_KEY,
        (Fault::LongInBytes(_), Part::Whole) => &LONG_LABEL,
        (Fault::Long(_), _) => &TOO_LONG,
        (Fault::Form(Syntax::Label), _) => &LABEL,
        (Fault::Form(Syntax::Subdomain), _) => &SUBDOMAIN,
        (Fault::Form(Syntax::OldLabel), _) => &OLD_LABEL,
        (Fault::Form(Syntax::LabelValue), _) => &LABEL_VALUE,
        (Fault::Dots, _) => &DOTS,
        (Fault::Reserved(_) | Fault::Holds(_), _) => &PATH_SEGMENT,
        (Fault::Port, _) => &PORT,
    };
    Breach { rule, detail: Detail::Name(problem) }
}

fn breaches(problems: Vec<NameProblem>) -> Vec<Breach> {
    problems.into_iter().map(breach).collect()
}

/// What is wrong with a DNS label (RFC 1123).
pub fn dns_1123_label(text: &str) -> Vec<Breach> {
    breaches(names::dns_1123_label(text))
}

/// What is wrong with a DNS subdomain (RFC 1123).
pub fn dns_1123_subdomain(text: &str) -> Vec<Breach> {
    breaches(names::dns_1123_subdomain(text))
}

/// What is wrong with a DNS label (RFC 1035).
pub fn dns_1035_label(text: &str) -> Vec<Breach> {
    breaches(names::dns_1035_label(text))
}

/// What is wrong with a name of an object that is a DNS subdomain.
pub fn object_name(name: &str, name_use: NameUse) -> Vec<Breach> {
    breaches(names::object_name(name, name_use))
}

/// What is wrong with a name of an object that is a DNS label, such as that of a namespace.
pub fn label_object_name(name: &str, name_use: NameUse) -> Vec<Breach> {
    breaches(names::label_object_name(name, name_use))
}

/// What is wrong with a name of an object that is a label as old DNS wants it, such as that of a service.
pub fn dns_1035_object_name(name: &str, name_use: NameUse) -> Vec<Breach> {
    breaches(names::dns_1035_object_name(name, name_use))
}

/// What is wrong with a name that may be anything that is allowed between two slashes of a URL.
pub fn path_segment_name(name: &str, name_use: NameUse) -> Vec<Breach> {
    breaches(names::path_segment_name(name, name_use))
}

/// What is wrong with a qualified name: the key of a label or annotation, or a finalizer.
pub fn qualified_name(text: &str) -> Vec<Breach> {
    breaches(names::qualified_name(text))
}

/// What is wrong with the value of a label.
pub fn label_value(text: &str) -> Vec<Breach> {
    breaches(names::label_value(text))
}

/// What is wrong with the number of a port.
pub fn port(number: i64) -> Option<Breach> {
    names::port(number).map(breach)
}
