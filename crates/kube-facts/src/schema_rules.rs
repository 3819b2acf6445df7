//! What schemas of custom resources demand of values, as rules.

use crate::rules;

rules! {
    /// A value has another type, or another format, than the schema wants.
    TYPE: TypeInvalid, "schema/type", "must be of type {}: {}";
    /// A string is shorter than `minLength`.
    TOO_SHORT: Invalid, "schema/min-length", "should be at least {} chars long";
    /// A string does not match `pattern`.
    PATTERN: Invalid, "schema/pattern", "should match '{}'";
    /// A number is not a multiple of `multipleOf`.
    MULTIPLE_OF: Invalid, "schema/multiple-of", "should be a multiple of {}";
    /// `multipleOf` of the schema is not above zero, so no number is allowed.
    FACTOR: Invalid, "schema/multiple-of-nothing", "factor MultipleOf declared for {} must be positive: {}";
    /// A number is lower than `minimum`.
    MINIMUM: Invalid, "schema/minimum", "should be greater than or equal to {}";
    /// A number is not above `minimum`, which does not count itself.
    EXCLUSIVE_MINIMUM: Invalid, "schema/exclusive-minimum", "should be greater than {}";
    /// A number is higher than `maximum`.
    MAXIMUM: Invalid, "schema/maximum", "should be less than or equal to {}";
    /// A number is not below `maximum`, which does not count itself.
    EXCLUSIVE_MAXIMUM: Invalid, "schema/exclusive-maximum", "should be less than {}";
    /// A list has fewer items than `minItems`.
    MIN_ITEMS: Invalid, "schema/min-items", "should have at least {} items";
    /// A map has fewer fields than `minProperties`.
    MIN_PROPERTIES: Invalid, "schema/min-properties", "should have at least {} properties";
    /// A list holds an item twice.
    UNIQUE: Invalid, "schema/unique-items", "shouldn't contain duplicates";
    /// A map has a field that the schema does not allow.
    FORBIDDEN_FIELD: Invalid, "schema/forbidden-field", "is a forbidden property";
    /// A value matches none of the schemas of `anyOf`.
    ANY_OF: Invalid, "schema/any-of", "{} must validate at least one schema (anyOf)";
    /// A value does not match exactly one of the schemas of `oneOf`.
    ONE_OF: Invalid, "schema/one-of", "{} must validate one and only one schema (oneOf). Found {}";
    /// A value does not match all of the schemas of `allOf`.
    ALL_OF: Invalid, "schema/all-of", "{} must validate all the schemas (allOf){}";
    /// A value matches the schema of `not`.
    NOT: Invalid, "schema/not", "{} must not validate the schema (not)";
    /// The schema and the object are too large to be validated against each other.
    TOO_LARGE: Internal, "schema/too-large",
        "the schema and the object are too large to be validated against each other";
}
