//! Printer columns. Their paths are not read any further: a broken one is accepted, and columns fall back.

use super::super::PrinterColumn;
use crate::field_error::FieldError;
use crate::field_path::FieldPath;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn validate(column: &PrinterColumn, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    if column.name.is_empty() {
        errors.push(path.child("name").required(""));
    }
    let types = format!("must be one of {}", TYPES.join(","));
    if column.type_name.is_empty() {
        errors.push(path.child("type").required(types));
    } else if !TYPES.contains(&&*column.type_name) {
        errors.push(path.child("type").invalid(&column.type_name, types));
    }
    if !column.format.is_empty() && !FORMATS.contains(&&*column.format) {
        let detail = format!("must be one of {}", FORMATS.join(","));
        errors.push(path.child("format").invalid(&column.format, detail));
    }
    let server_path = path.child("JSONPath");
    let typed_path = path.child("jsonPath");
    let typed = |error: FieldError| {
        let place = typed_path.place(error.reason);
        FieldError { place: place.or(error.place), ..error }
    };
    if column.json_path.is_empty() {
        errors.push(typed(server_path.required("")));
    } else if !column.json_path.starts_with('.') {
        errors.push(typed(server_path.invalid(&column.json_path, NOT_SIMPLE)));
    }
}

/// The server's words about a path that is none.
pub(super) const NOT_SIMPLE: &str = "must be a simple json path starting with .";
