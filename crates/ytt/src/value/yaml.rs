//! Plain collections, which come from dicts and lists, to those of YAML.

use crate::tree::{Position, Value};

/// The positions that nodes get which had been items of dicts and lists.
#[derive(Debug, Clone)]
pub enum Origin {
    /// All have this position, which may be unknown.
    At(Position),
    /// Each shows its own key and value in reports.
    Memory,
}

/// The value with YAML's collections in place of plain ones. Nodes that are YAML already keep what they have, and what
/// holds nothing plain stays shared.
pub fn into_yaml(value: Value, origin: &Origin) -> Value {
    match origin {
        Origin::At(position) => value.into_nodes(position),
        Origin::Memory => value.into_computed_nodes(),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::tree::{Array, ArrayItem, File, Made, Map, MapItem, Meta};

    fn plain(key: &str, value: Value) -> Value {
        Map::plain(vec![MapItem { key: Value::string(key), value, ..MapItem::default() }]).into()
    }

    #[test]
    fn plain_collections_get_the_position_and_yaml_keeps_its_own() {
        let file = File::new("a.yml", "x\ny\n");
        let position = Position::of_line(&file, 2);
        let inner = plain("b", Value::Int(1));
        let item = ArrayItem { value: inner, meta: Meta::at(Position::of_line(&file, 1)) };
        let array: Value = Array::new(vec![item], Meta::default()).into();
        let result = into_yaml(plain("a", array), &Origin::At(position));
        let map = result.as_map().unwrap();
        assert_eq!((map.made, map.items[0].meta.position().to_string().as_str()), (Made::Yaml, "a.yml:2"));
        let array = map.items[0].value.as_array().unwrap();
        assert_eq!(array.items[0].meta.position().to_string(), "a.yml:1");
        let inner = array.items[0].value.as_map().unwrap();
        assert_eq!(
            (inner.made, inner.items[0].meta.position().to_string().as_str()),
            (Made::Yaml, "a.yml:2")
        );
    }

    #[test]
    fn values_of_memory_show_themselves() {
        let result = into_yaml(plain("port", Value::string("x\"y")), &Origin::Memory);
        assert_eq!(result.as_map().unwrap().items[0].meta.position().line_text(), "port: \"x\\\"y\"");
    }

    #[test]
    fn what_is_yaml_already_stays_shared() {
        let array: Value = Array::default().into();
        let result = into_yaml(array.clone(), &Origin::Memory);
        assert!(Rc::ptr_eq(array.as_array().unwrap(), result.as_array().unwrap()));
    }
}
