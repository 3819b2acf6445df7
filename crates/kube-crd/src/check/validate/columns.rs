//! Printer columns. Their paths are not read any further: a broken one is accepted, and columns fall back.

use trueline_kube_facts::{FieldError, Trail, rules};

use crate::definition::PrinterColumn;

rules! {
    /// A printer column has no type.
    COLUMN_WITHOUT_TYPE: Required in crate::codes::FEATURE, "crd/column-without-type", "{}";
    /// The type of a printer column does not exist.
    COLUMN_TYPE: Invalid in crate::codes::FEATURE, "crd/column-type", "{}";
    /// The format of a printer column does not exist.
    COLUMN_FORMAT: Invalid in crate::codes::FEATURE, "crd/column-format", "must be one of {}";
    /// The path of a printer column is not a simple path.
    COLUMN_PATH: Invalid in crate::codes::FEATURE, "crd/column-path", NOT_SIMPLE;
}

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn validate(column: &PrinterColumn, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if column.name.is_empty() {
        errors.push(path.child("name").missing());
    }
    let types = format!("must be one of {}", TYPES.join(","));
    if column.type_name.is_empty() {
        errors.push(path.child("type").refuse(COLUMN_WITHOUT_TYPE.with(types)));
    } else if !TYPES.contains(&&*column.type_name) {
        errors.push(path.child("type").refuse_text(&column.type_name, COLUMN_TYPE.with(types)));
    }
    if !column.format.is_empty() && !FORMATS.contains(&&*column.format) {
        errors.push(path.child("format").refuse_text(&column.format, COLUMN_FORMAT.with(FORMATS.join(","))));
    }
    let server_path = path.child("JSONPath");
    let typed_path = path.child("jsonPath");
    let typed = |error: FieldError| {
        let place = typed_path.place(error.reason());
        FieldError { place: place.or(error.place), ..error }
    };
    if column.json_path.is_empty() {
        errors.push(typed(server_path.missing()));
    } else if !column.json_path.starts_with('.') {
        errors.push(typed(server_path.refuse_text(&column.json_path, &COLUMN_PATH)));
    }
}

/// The server's words about a path that is none.
pub(super) const NOT_SIMPLE: &str = "must be a simple json path starting with .";
