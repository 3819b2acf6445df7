//! The names of all annotations that mean something to ytt.

use crate::overlay::annotations as overlay;
use crate::overlay::edit;
use crate::schema::annotations as schema;
use crate::template::{MAP_KEY_OVERRIDE, TEXT_TEMPLATED};
use crate::validation::ASSERT_VALIDATE;
use crate::values::{DATA_VALUES, DATA_VALUES_SCHEMA, LIBRARY_REF};

/// The annotations that ytt knows. Others are kept with their nodes and mean nothing.
pub const ANNOTATIONS: &[&str] = &[
    schema::TYPE,
    schema::NULLABLE,
    schema::DEFAULT,
    schema::DESCRIPTION,
    schema::TITLE,
    schema::EXAMPLES,
    schema::DEPRECATED,
    schema::VALIDATION,
    schema::STRINGS,
    overlay::MATCH,
    overlay::CHILD_DEFAULTS,
    "overlay/merge",
    "overlay/remove",
    overlay::REPLACE,
    overlay::INSERT,
    "overlay/append",
    overlay::ASSERT,
    "overlay/noop",
    edit::REPLACE,
    edit::MERGE,
    edit::REMOVE,
    DATA_VALUES,
    DATA_VALUES_SCHEMA,
    LIBRARY_REF,
    ASSERT_VALIDATE,
    MAP_KEY_OVERRIDE,
    TEXT_TEMPLATED,
    "template/code",
    "template/value",
];
