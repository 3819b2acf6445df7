//! How deep values are nested.

use trueline_diagnostic::Diagnostic;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Value};

use super::{DEPTH, VALUES_TOO_DEEP, ValueError};

/// Whether a value has more than so many levels of lists and maps.
pub(crate) fn exceeds(value: &Value, levels: usize) -> bool {
    match &value.data {
        Data::List(_) | Data::Map(_) if levels == 0 => true,
        Data::List(items) => items.iter().any(|item| exceeds(item, levels - 1)),
        Data::Map(map) => map.values().any(|entry| exceeds(&entry.value, levels - 1)),
        _ => false,
    }
}

/// Refuses values that the walkers over them could not walk.
pub(super) fn check(value: &Value) -> Result<(), ValueError> {
    if exceeds(value, DEPTH) { Err(too_deep(value.origin)) } else { Ok(()) }
}

pub(crate) fn too_deep(place: Option<Span>) -> ValueError {
    let text = format!("values are nested deeper than {DEPTH} levels");
    // What was typed has a place; only values made at run time have none, and those are not nested.
    let span = place.unwrap_or_else(|| Span::whole(SourceId::from_index(0)));
    ValueError::new(text.clone(), vec![Diagnostic::new(&VALUES_TOO_DEEP, span, text)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_lists_and_maps_count() {
        for (text, levels) in [("1", 0), ("[]", 1), ("{\"a\": [1]}", 2), ("[[], [[1]], {}]", 3)] {
            let value = Value::from_json_text(text).unwrap();
            assert!(!exceeds(&value, levels), "{text}");
            assert!(levels == 0 || exceeds(&value, levels - 1), "{text}");
        }
    }
}
