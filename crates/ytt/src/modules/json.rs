//! `json`: values to JSON and back.

use std::ops::Range;

use trueline_gostd::json;
use trueline_starlark::{Dict, Error, Mark, Thread, Value};
use trueline_yaml::json::Escaping;

use super::{boolean, bytes, check_names, function, integer, module_of, only};
use crate::tree::{JsonOptions, json_of};
use crate::value::{Content, Context, from_starlark};

pub(super) fn module(context: &Context) -> Value {
    let context = context.clone();
    let encode = function("json.encode", move |thread, args| {
        let given = only(args)?;
        check_names(args, &["indent", "escape_html"])?;
        let Content::Value(value) = from_starlark(given, &context)? else {
            return Err(Error::new("a document set cannot be written as JSON"));
        };
        let indent = args.get_named("indent").map_or(Ok(0), integer)?;
        let indent = usize::try_from(indent).ok().filter(|indent| *indent <= 8);
        let indent = indent.ok_or_else(|| Error::new("indent value must be between 0 and 8"))?;
        let escapes = args.get_named("escape_html").map_or(Ok(true), boolean)?;
        let escaping = if escapes { Escaping::Html } else { Escaping::Minimal };
        let text = json_of(&value, JsonOptions { escaping, indent })
            .map_err(|error| Error::new(error.to_string()))?;
        thread.spend(text.len())?;
        Ok(Value::string_from(text).with_mark(given.mark()))
    });
    let decode = function("json.decode", |thread, args| {
        let given = only(args)?;
        let text = bytes(given)?;
        thread.spend(text.len())?;
        // A value takes more memory than its text.
        thread.need_memory(text.len().saturating_mul(64))?;
        let decoded = json::decode(text, &mut Starlark { thread, mark: given.mark() }).map_err(Error::new)?;
        match decoded.error {
            Some(words) => Err(Error::new(words)),
            None => decoded.value,
        }
    });
    module_of("json", [("encode", encode), ("decode", decode)])
}

/// Makes Starlark values of JSON: numbers are floats, and keys are sorted. What fails is kept in place of the value.
struct Starlark<'t> {
    thread: &'t mut Thread,
    /// All of it was typed where the text was typed.
    mark: Mark,
}

impl json::Build for Starlark<'_> {
    type Value = Result<Value, Error>;
    type Key = String;

    fn scalar(&mut self, scalar: json::Scalar, _: Range<usize>) -> Self::Value {
        let scalar = match scalar {
            json::Scalar::Null => Value::NONE,
            json::Scalar::Bool(value) => Value::bool(value),
            json::Scalar::Number(value) => Value::float(value),
            json::Scalar::String(text) => Value::string_from(text),
        };
        Ok(scalar.with_mark(self.mark))
    }

    fn key(&mut self, key: String, _: Range<usize>) -> String {
        key
    }

    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value {
        items.into_iter().collect::<Result<Vec<Value>, Error>>().map(Value::list)
    }

    fn map(&mut self, mut entries: Vec<(String, Self::Value)>) -> Self::Value {
        // The sort keeps equal keys in their order, so that the last of them is set last.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let dict = Dict::new();
        for (key, value) in entries {
            dict.insert(self.thread, Value::string_from(key), value?)?;
        }
        Ok(Value::dict(dict))
    }
}
