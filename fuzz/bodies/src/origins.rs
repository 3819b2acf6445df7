//! What every final value promises.

use trueline_source::SourceMap;
use trueline_yaml::{Data, Value};

/// Every single value was typed somewhere, and that place is in its text.
pub(crate) fn check(value: &Value, sources: &SourceMap) {
    match &value.data {
        Data::List(items) => items.iter().for_each(|item| check(item, sources)),
        Data::Map(map) => map.values().for_each(|entry| check(&entry.value, sources)),
        _ => {
            let span = value.origin.unwrap_or_else(|| panic!("a value from nowhere: {value:?}"));
            assert!(
                sources.get(span.source).text().get(span.range()).is_some(),
                "outside its text: {value:?}"
            );
        }
    }
}
