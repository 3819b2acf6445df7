//! What mutating policies have on top: keys of objects escaped for JSON patches, and the type of a patch.

use std::sync::Arc;

use trueline_cel::arguments::string;
use trueline_cel::function::{Fault, Function, Overload};
use trueline_cel::shape::{FieldShape, ObjectShape, OtherFields, Shape};
use trueline_cel::types::Type;
use trueline_cel::value::Value;

use crate::url::read_with_result;

/// The functions of mutating policies.
pub fn functions() -> Vec<Function> {
    let overload =
        Overload::global("string_jsonpatch_escapeKey_string", vec![Type::String], Type::String, escape_key);
    vec![Function::new("jsonpatch.escapeKey", vec![overload]).costing(read_with_result())]
}

/// The type `JSONPatch`.
pub fn patch_type() -> Type {
    let field = |key: &str, shape| (Arc::from(key), FieldShape { key: key.into(), shape });
    let fields = [
        field("op", Shape::String),
        field("path", Shape::String),
        field("from", Shape::String),
        field("value", Shape::Dyn),
    ];
    Type::Object(Arc::new(ObjectShape {
        name: "JSONPatch".into(),
        fields: fields.into_iter().collect(),
        others: OtherFields::Readable,
    }))
}

fn escape_key(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(string(args, 0)?.replace('~', "~0").replace('/', "~1")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_escaped() {
        assert_eq!(escape_key(&[Value::from("a/b~1")]).unwrap().to_string(), "a~1b~01");
    }
}
