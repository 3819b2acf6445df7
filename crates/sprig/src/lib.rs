//! The functions of chart templates, one family per file.

mod argument;
mod case;
mod cases;
mod cast;
mod certificates;
mod conversion;
mod crypto;
mod dates;
mod decimal;
mod defaults;
mod define;
mod dicts;
mod durations;
mod encoding;
mod equal;
mod float_maths;
mod from_json;
pub mod glob;
mod hashes;
mod json;
mod layout;
mod lists;
mod marks;
mod maths;
mod merge;
mod network;
mod passwords;
mod paths;
mod patterns;
mod punctuation;
mod random;
mod reflection;
pub mod regexp;
pub mod semver;
mod strings;
#[cfg(test)]
mod test_context;
mod text;
mod time;
mod to_json;
mod to_yaml;
mod toml;
mod toml_text;
mod traced;
mod urls;
mod utf8;
mod versions;
mod words;
mod yaml;

use trueline_gotemplate::{Function, Functions};

/// A family of related functions.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// What they are about.
    pub title: &'static str,
    /// The functions, in the order in which they are documented.
    pub functions: &'static [Function],
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { title: "Text", functions: strings::FUNCTIONS },
    Family { title: "Layout of strings", functions: layout::FUNCTIONS },
    Family { title: "Upper and lower case", functions: cases::FUNCTIONS },
    Family { title: "Lists", functions: lists::FUNCTIONS },
    Family { title: "Maps", functions: dicts::FUNCTIONS },
    Family { title: "Missing values", functions: defaults::FUNCTIONS },
    Family { title: "Conversion", functions: conversion::FUNCTIONS },
    Family { title: "Numbers", functions: maths::FUNCTIONS },
    Family { title: "Types", functions: reflection::FUNCTIONS },
    Family { title: "Encoding", functions: encoding::FUNCTIONS },
    Family { title: "JSON", functions: json::FUNCTIONS },
    Family { title: "YAML", functions: yaml::FUNCTIONS },
    Family { title: "TOML", functions: toml_text::FUNCTIONS },
    Family { title: "Paths", functions: paths::FUNCTIONS },
    Family { title: "Addresses", functions: urls::FUNCTIONS },
    Family { title: "Decimal numbers", functions: float_maths::FUNCTIONS },
    Family { title: "Dates", functions: dates::FUNCTIONS },
    Family { title: "Durations", functions: durations::FUNCTIONS },
    Family { title: "Regular expressions", functions: patterns::FUNCTIONS },
    Family { title: "Versions", functions: versions::FUNCTIONS },
    Family { title: "Random", functions: random::FUNCTIONS },
    Family { title: "Hash sums", functions: hashes::FUNCTIONS },
    Family { title: "Passwords", functions: passwords::FUNCTIONS },
    Family { title: "Keys and certificates", functions: certificates::FUNCTIONS },
    Family { title: "Network", functions: network::FUNCTIONS },
];

/// The functions that Helm 3 does not have.
pub const SINCE_HELM_4: &[&str] = &[
    "mustToYaml",
    "mustToToml",
    "mustToDuration",
    "durationSeconds",
    "durationMilliseconds",
    "durationMicroseconds",
    "durationNanoseconds",
    "durationMinutes",
    "durationHours",
    "durationDays",
    "durationWeeks",
    "durationRoundTo",
    "durationTruncateTo",
];

/// Go's own functions and those of all families, as in Helm 4.
pub fn functions() -> Functions {
    let mut functions = Functions::builtin();
    for family in FAMILIES {
        functions.extend(family.functions);
    }
    functions
}
