//! JSON Schema over our own nodes: what a schema is, what its references point to, and which rules a document
//! breaks. Violations are facts ([`Violation`]); they are put into words in one place.

mod address;
mod bundle;
mod chain;
mod check;
mod circle;
mod closest;
mod closure;
mod compile;
mod convert;
mod dependencies;
mod deprecated;
mod document;
mod error_message;
mod graph;
mod guard;
mod help;
mod instance;
mod official;
mod pattern;
mod redraft;
mod reference;
mod schema;
mod store;
mod violation;
mod walk;
mod words;

use trueline_diagnostic::Code;

pub use address::resolve as resolve_address;
pub use bundle::NOT_BUNDLED;
pub use check::check_schema;
pub use circle::REFERENCE_CIRCLE;
pub use compile::{INVALID_SCHEMA, UNUSABLE_SCHEMA};
pub use dependencies::{
    DEPENDENCIES_ABSOLUTE, DEPENDENCIES_CREDENTIALS, DEPENDENCIES_DUPLICATE, DEPENDENCIES_EMPTY_PREFIX,
    DEPENDENCIES_FILE, DEPENDENCIES_FILE_OUTSIDE, DEPENDENCIES_LINK, DEPENDENCIES_NOT_A_MAP,
    DEPENDENCIES_NOT_A_STRING, DEPENDENCIES_OUTSIDE, DEPENDENCIES_SCHEME, DEPENDENCIES_SYNTAX,
};
pub use document::SCHEMA_SYNTAX;
pub use guard::{Limit, TOO_COSTLY, counted, spend, with_at_most, within};
pub use instance::{Instance, Items, ItemsIter, Members, MembersIter, Number, Tree};
pub use jsonschema::Draft;
pub use official::official_schema;
pub use pattern::BAD_PATTERN;
pub use reference::{
    BAD_REFERENCE, DUPLICATE_ID, NOT_A_SCHEMA, PLAIN_HTTP, REFERENCE_CREDENTIALS, REFERENCE_OFFLINE,
    REFERENCE_OUTSIDE, UNKNOWN_DRAFT, UNRESOLVED_REFERENCE,
};
pub use schema::{Outline, Schema};
pub use store::{Access, Formats, SchemaError, Store};
pub use trueline_source::Network;
pub use violation::{InstancePlace, SchemaLookup, Violation};
pub use words::scalar::in_its_quotes;
pub use words::{WordingContext, diagnose};

/// The codes of this crate.
pub const CODES: &[&Code] = &joined::<{ words::CODES.len() + OF_SCHEMAS.len() }>();

/// The codes about schemas themselves; those about documents are the wording's.
const OF_SCHEMAS: &[&Code] = &[
    &INVALID_SCHEMA,
    &SCHEMA_SYNTAX,
    &UNKNOWN_DRAFT,
    &BAD_PATTERN,
    &UNRESOLVED_REFERENCE,
    &DUPLICATE_ID,
    &PLAIN_HTTP,
    &REFERENCE_CREDENTIALS,
    &REFERENCE_OUTSIDE,
    &UNUSABLE_SCHEMA,
    &REFERENCE_OFFLINE,
    &NOT_A_SCHEMA,
    &BAD_REFERENCE,
    &TOO_COSTLY,
    &REFERENCE_CIRCLE,
    &NOT_BUNDLED,
    &DEPENDENCIES_SYNTAX,
    &DEPENDENCIES_NOT_A_MAP,
    &DEPENDENCIES_NOT_A_STRING,
    &DEPENDENCIES_ABSOLUTE,
    &DEPENDENCIES_OUTSIDE,
    &DEPENDENCIES_LINK,
    &DEPENDENCIES_FILE_OUTSIDE,
    &DEPENDENCIES_CREDENTIALS,
    &DEPENDENCIES_SCHEME,
    &DEPENDENCIES_EMPTY_PREFIX,
    &DEPENDENCIES_DUPLICATE,
];

const fn joined<const N: usize>() -> [&'static Code; N] {
    let mut all = [words::CODES[0]; N];
    let mut index = 0;
    while index < N {
        let words = words::CODES.len();
        all[index] = if index < words { words::CODES[index] } else { OF_SCHEMAS[index - words] };
        index += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_documented_and_unique() {
        let mut ids: Vec<&str> = CODES.iter().map(|code| code.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CODES.len());
        for code in CODES {
            assert!(!code.summary.is_empty() && code.explanation.len() > 40, "{code}");
            assert_eq!(code.wrong.is_empty(), code.right.is_empty(), "{code}");
        }
    }
}
