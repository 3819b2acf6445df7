//! Sets of the types that JSON Schema knows.

use serde_json::Value as Json;
use trueline_source::SourceMap;
use trueline_yaml::{Data, Value};

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Types(u8);

/// The names in the order in which they are written.
const NAMES: [(&str, Types); 7] = [
    ("string", Types::STRING),
    ("integer", Types::INTEGER),
    ("number", Types::NUMBER),
    ("boolean", Types::BOOLEAN),
    ("array", Types::ARRAY),
    ("object", Types::OBJECT),
    ("null", Types::NULL),
];

impl Types {
    pub(super) const STRING: Types = Types(1);
    pub(super) const INTEGER: Types = Types(1 << 1);
    pub(super) const NUMBER: Types = Types(1 << 2);
    pub(super) const BOOLEAN: Types = Types(1 << 3);
    pub(super) const ARRAY: Types = Types(1 << 4);
    pub(super) const OBJECT: Types = Types(1 << 5);
    pub(super) const NULL: Types = Types(1 << 6);

    /// The type of a value. A number is whole if it was typed as one: `1` is, `1.0` and `1e3` are not.
    pub(super) fn of(value: &Value, sources: &SourceMap) -> Self {
        match &value.data {
            Data::Null => Types::NULL,
            Data::Bool(_) => Types::BOOLEAN,
            Data::Int(_) | Data::UInt(_) => Types::INTEGER,
            Data::Float(number) if number.fract() == 0.0 && typed_whole(value, sources) => Types::INTEGER,
            Data::Float(_) => Types::NUMBER,
            Data::String(_) => Types::STRING,
            Data::List(_) => Types::ARRAY,
            Data::Map(_) => Types::OBJECT,
        }
    }

    /// The types that words of documentation name, such as `int`, `list/object` or `string, null`; none if one of
    /// them is not known.
    pub(super) fn named(words: &str) -> Option<Self> {
        let mut types = Types::default();
        for word in words.split([',', '/', ' ']).filter(|word| !word.is_empty()) {
            types = types.with(match word.to_ascii_lowercase().as_str() {
                "string" | "tpl" => Types::STRING,
                "int" | "integer" => Types::INTEGER,
                "float" | "number" => Types::NUMBER,
                "bool" | "boolean" => Types::BOOLEAN,
                "list" | "array" => Types::ARRAY,
                "object" | "map" | "dict" | "yaml" => Types::OBJECT,
                "null" | "nil" => Types::NULL,
                _ => return None,
            });
        }
        (types != Types::default()).then_some(types)
    }

    /// Both.
    pub(super) fn with(self, other: Types) -> Self {
        Types(self.0 | other.0)
    }

    pub(super) fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    /// The names; a number may be whole, so that both need not be named.
    pub(super) fn names(self) -> Vec<&'static str> {
        let wide = self.has(Types::NUMBER);
        let named = NAMES.iter().filter(|(name, kind)| self.has(*kind) && !(wide && *name == "integer"));
        named.map(|(name, _)| *name).collect()
    }

    /// The value of `type`; nothing where any type will do. Null alone says that nothing is known.
    pub(super) fn keyword(self) -> Option<Json> {
        if self == Types::NULL {
            return None;
        }
        match self.names().as_slice() {
            [] => None,
            [name] => Some(Json::from(*name)),
            names => Some(names.iter().copied().collect()),
        }
    }
}

fn typed_whole(value: &Value, sources: &SourceMap) -> bool {
    let Some(origin) = value.origin else { return true };
    let source = sources.get(origin.source);
    let text = source.slice(origin);
    // What an alias stands for was typed elsewhere; hexadecimal digits are no exponent.
    text.starts_with(['*', '&', '!']) || text.contains(['x', 'X']) || !text.contains(['.', 'e', 'E'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_documentation_are_types() {
        for (words, names) in [
            ("int", Some(vec!["integer"])),
            ("string, null", Some(vec!["string", "null"])),
            ("tpl/array", Some(vec!["string", "array"])),
            ("int, float", Some(vec!["number"])),
            ("quantity", None),
            ("", None),
        ] {
            assert_eq!(Types::named(words).map(Types::names), names, "{words}");
        }
        assert_eq!(Types::NULL.keyword(), None);
        assert_eq!(Types::STRING.with(Types::NULL).keyword(), Some(serde_json::json!(["string", "null"])));
    }
}
