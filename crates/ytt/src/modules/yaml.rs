//! `yaml`: values to YAML and back.

use trueline_starlark::{BigInt, Dict, Error, Mark, Thread, Value};

use super::{bytes, function, module_of, only};
use crate::tree::{self, Document, Format, Printer, read_one};
use crate::value::{Content, Context, from_starlark};

pub(super) fn module(context: &Context) -> Value {
    let for_encode = context.clone();
    let encode = function("yaml.encode", move |thread, args| {
        let value = only(args)?;
        let text = encoded(thread, value, &for_encode)?;
        Ok(Value::string_from(text).with_mark(value.mark()))
    });
    let decode = function("yaml.decode", |thread, args| {
        let given = only(args)?;
        let text = bytes(given)?;
        thread.spend(text.len())?;
        let text = std::str::from_utf8(text).map_err(|_| Error::new("yaml: invalid leading UTF-8 octet"))?;
        let value = read_one(text).map_err(|error| Error::new(error.to_string()))?;
        decoded(thread, &value, given.mark())
    });
    module_of("yaml", [("encode", encode), ("decode", decode)])
}

/// What was read, in Starlark. All of it was typed where the text was typed.
fn decoded(thread: &mut Thread, value: &tree::Value, mark: Mark) -> Result<Value, Error> {
    let scalar = match value {
        tree::Value::Null => Value::NONE,
        tree::Value::Bool(value) => Value::bool(*value),
        tree::Value::Int(value) => Value::int(*value),
        tree::Value::UInt(value) => Value::big(BigInt::from(*value)),
        tree::Value::Float(value) => Value::float(*value),
        tree::Value::String(text) => Value::string(text.as_bytes()),
        tree::Value::Array(array) => {
            thread.spend(array.items.len())?;
            let items = array.items.iter().map(|item| decoded(thread, &item.value, mark));
            return Ok(Value::list(items.collect::<Result<Vec<Value>, Error>>()?));
        }
        tree::Value::Map(map) => {
            thread.spend(map.items.len())?;
            let dict = Dict::new();
            for item in &map.items {
                let key = decoded(thread, &item.key, mark)?;
                let value = decoded(thread, &item.value, mark)?;
                dict.insert(thread, key, value)?;
            }
            return Ok(Value::dict(dict));
        }
    };
    Ok(scalar.with_mark(mark))
}

/// A value as YAML; a document set as all of its documents.
pub(super) fn encoded(thread: &mut Thread, value: &Value, context: &Context) -> Result<String, Error> {
    let mut printer = Printer::new(Format::Yaml);
    let printed = match from_starlark(value, context)? {
        Content::Documents(documents) => printer.print_all(&documents),
        Content::Value(value) => printer.print(&Document { value, ..Document::default() }),
    };
    printed.map_err(|error| Error::new(error.to_string()))?;
    let text = printer.finish();
    thread.spend(text.len())?;
    Ok(text)
}
