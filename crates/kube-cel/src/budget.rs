//! What the API server lets expressions cost.

/// What one expression may cost, times how often it may be evaluated.
pub const PER_EXPRESSION: u64 = 10_000_000;

/// What all rules of a schema may cost together.
pub const PER_SCHEMA: u64 = 100_000_000;

/// What one evaluation may cost.
pub const PER_CALL: u64 = 1_000_000;

/// What all rules may cost on one object.
pub const PER_OBJECT: u64 = 10_000_000;
