//! Rules that many kinds share: a field that is missing, a word that does not exist, something that is too long.

use crate::rules;
use crate::server_rule::Breach;

rules! {
    /// A field is missing that the API server demands.
    ///
    /// An empty string or list counts as missing, too.
    MISSING: Required, "object/missing-field";
    /// A word is none of those that are allowed.
    ///
    /// Words are compared letter by letter, capitals included.
    UNSUPPORTED: NotSupported, "object/unsupported-value", "supported values: {}";
    /// A value appears twice where each has to be different.
    DUPLICATE: Duplicate, "object/duplicate";
    /// A string, or a map as a whole, is longer than is allowed.
    TOO_LONG: TooLong, "object/too-long", "may not be more than {} {}";
    /// A list has more items than is allowed.
    TOO_MANY: TooMany, "object/too-many-items", "must have at most {} {}";
    /// A field has another value than before, which an update cannot change.
    IMMUTABLE: Invalid, "object/immutable-field", "field is immutable";
    /// A field is set that an update cannot change.
    FIXED: Forbidden, "object/fixed-field", "field is immutable";
    /// A field cannot be changed any more once it is set.
    ONCE: Invalid, "object/set-once", "may not change once set";
}

/// A string is longer than this many bytes.
pub fn too_long(most: usize) -> Breach {
    TOO_LONG.with(most).and(if most == 1 { "byte" } else { "bytes" })
}

/// A list has more items than this.
pub fn too_many(most: usize) -> Breach {
    TOO_MANY.with(most).and(if most == 1 { "item" } else { "items" })
}
