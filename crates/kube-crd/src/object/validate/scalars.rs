//! Types and texts.

use trueline_yaml::{Data, Value};

use super::compile::Node;
use super::numbers::is_whole;

/// What a type should have been and what was found instead.
pub(super) struct WrongType {
    pub(super) wanted: String,
    pub(super) found: &'static str,
}

/// Whether a value has the type that is asked for. A format stands in for the type in places where it should
/// not: a list passes for a string with a format.
pub(super) fn check_type(node: &Node, value: &Value) -> Result<(), WrongType> {
    let allows = |name: &str| node.types.iter().any(|allowed| &**allowed == name);
    let wanted = || node.types.join(",");
    let (found, format) = match &value.data {
        Data::Null if node.types.is_empty() || allows("null") || node.nullable => return Ok(()),
        Data::Null => return Err(WrongType { wanted: wanted(), found: "null" }),
        Data::Bool(_) => ("boolean", ""),
        Data::Int(_) => ("integer", "int64"),
        Data::UInt(_) | Data::Float(_) => ("number", "float64"),
        Data::String(_) => ("string", ""),
        Data::List(_) => ("array", ""),
        Data::Map(_) => ("object", ""),
    };
    let fits = allows(found)
        || matches!(&value.data, Data::Float(number) if allows("integer") && is_whole(*number))
        || (found == "integer" && allows("number"));
    let is_text_or_list = matches!(value.data, Data::String(_) | Data::List(_));
    if !node.format.is_empty() {
        if !is_text_or_list && !fits && format != &*node.format {
            return Err(WrongType { wanted: node.format.to_string(), found: format });
        }
        if is_text_or_list && !allows("number") && !allows("integer") {
            return Ok(());
        }
    }
    if fits { Ok(()) } else { Err(WrongType { wanted: wanted(), found }) }
}

/// What is wrong with a string; only the first problem is reported.
pub(super) enum WrongText {
    TooLong(i64),
    TooShort(i64),
    /// What it should match, with Go's words if the pattern itself is wrong.
    Pattern(String),
    /// The pattern is too large for us.
    NotDecided,
}

pub(super) fn check_text(node: &Node, text: &str) -> Result<(), WrongText> {
    if let Some(sizes) = node.sizes.as_deref() {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(most) = sizes.max_length.filter(|most| length > *most) {
            return Err(WrongText::TooLong(most));
        }
        if let Some(least) = sizes.min_length.filter(|least| length < *least) {
            return Err(WrongText::TooShort(least));
        }
    }
    match node.pattern.as_ref().map(|pattern| (&pattern.text, &pattern.compiled)) {
        Some((written, Ok(pattern))) => match pattern.is_match(text) {
            Some(true) => Ok(()),
            Some(false) => Err(WrongText::Pattern(written.to_string())),
            None => Err(WrongText::NotDecided),
        },
        Some((written, Err(error))) => {
            Err(WrongText::Pattern(format!("{written}, but pattern is invalid: {error}")))
        }
        None => Ok(()),
    }
}
