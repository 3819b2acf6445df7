//! `toml`: values to TOML and back.

use trueline_gostd::toml::{self, Layout, Node, Release, Scalar, Source, TomlKind, WriteFault, Written};
use trueline_starlark::{Dict, Error, Mark, Thread, Value, View};

use super::{bytes, check_names, function, integer, module_of, only};
use crate::tree;
use crate::value::{Content, Context, from_starlark};

/// The release of the Go package that ytt has.
const RELEASE: Release = Release::V1_2;

/// The module.
pub(super) fn module(context: &Context) -> Value {
    let context = context.clone();
    let encode = function("toml.encode", move |thread, args| {
        let given = only(args)?;
        check_names(args, &["indent"])?;
        let content = from_starlark(given, &context)?;
        let indent = args.get_named("indent").map_or(Ok(0), integer)?;
        let indent = match indent {
            0 => 2,
            1..=8 => indent as usize,
            _ => return Err(Error::new("indent value must be between 0 and 8")),
        };
        let Content::Value(value) = content else {
            return Err(Error::new("a document set cannot be written as TOML"));
        };
        if value.is_null() {
            return Err(Error::new("null cannot be written as TOML"));
        }
        let mut out = Paid { out: Vec::new(), thread, refused: None };
        let written = toml::write(&Shown(&value), Layout { indent, release: RELEASE }, &mut out);
        if let Some(error) = out.refused {
            return Err(error);
        }
        written.map_err(Error::new)?;
        Ok(Value::string_from(out.out).with_mark(given.mark()))
    });
    let decode = function("toml.decode", |thread, args| {
        let given = only(args)?;
        let text = bytes(given)?;
        thread.spend(text.len().saturating_mul(8))?;
        thread.need_memory(text.len().saturating_mul(64))?;
        let tables = toml::read(text, RELEASE).map_err(Error::new)?.into_tables();
        // Names can be of any length and tables nested as deep, so each table is filled by itself.
        let dicts: Vec<Value> = tables.iter().map(|_| Value::dict(Dict::new())).collect();
        for (dict, table) in dicts.iter().zip(tables) {
            let View::Dict(dict) = dict.view() else { continue };
            for (key, node) in table {
                let value = decoded(&node, &dicts, given.mark())?;
                dict.insert(thread, Value::string_from(key), value)?;
            }
        }
        Ok(dicts.into_iter().next().unwrap_or(Value::NONE))
    });
    module_of("toml", [("encode", encode), ("decode", decode)])
}

/// What was read, in Starlark. All of it was typed where the text was typed.
fn decoded(node: &Node, dicts: &[Value], mark: Mark) -> Result<Value, Error> {
    let table = |id: &usize| dicts.get(*id).cloned().unwrap_or(Value::NONE);
    Ok(match node {
        Node::Plain(Scalar::String(text)) => Value::string(text).with_mark(mark),
        Node::Plain(Scalar::Int(number)) => Value::int(*number).with_mark(mark),
        Node::Plain(Scalar::Float(number)) => Value::float(*number).with_mark(mark),
        Node::Plain(Scalar::Bool(truth)) => Value::bool(*truth).with_mark(mark),
        Node::Plain(Scalar::Time(_)) => {
            return Err(Error::new("dates and times are not supported (hint: write them as strings)"));
        }
        Node::Array(items) => {
            let items: Result<Vec<Value>, Error> =
                items.iter().map(|item| decoded(item, dicts, mark)).collect();
            Value::list(items?)
        }
        Node::Table(id) => table(id),
        Node::Tables(ids) => Value::list(ids.iter().map(table).collect()),
    })
}

/// A string that is charged for while it is written: the name of a table is repeated for each one below it.
struct Paid<'t> {
    out: Vec<u8>,
    thread: &'t Thread,
    refused: Option<Error>,
}

impl<S> toml::Sink<S> for Paid<'_> {
    fn push(&mut self, text: &[u8]) -> Result<(), WriteFault> {
        let paid = self.thread.spend(text.len() + 1);
        match paid.and_then(|()| self.thread.need_memory(self.out.len().saturating_add(text.len()))) {
            Ok(()) => self.out.extend_from_slice(text),
            Err(error) => {
                let words = error.message().to_owned();
                self.refused = Some(error);
                return Err(WriteFault::Full(words));
            }
        }
        Ok(())
    }

    fn push_plain(&mut self, text: &[u8], _: &S) -> Result<(), WriteFault> {
        toml::Sink::<S>::push(self, text)
    }

    fn is_empty(&self) -> bool {
        self.out.is_empty()
    }
}

/// A value that is to be written.
struct Shown<'v>(&'v tree::Value);

impl Source for Shown<'_> {
    fn kind(&self) -> Result<TomlKind, WriteFault> {
        Ok(match self.0 {
            tree::Value::Null => TomlKind::Nothing,
            tree::Value::Map(map) if map.items.iter().any(|item| item.key.as_text().is_none()) => {
                return Err(WriteFault::KeyNotString);
            }
            tree::Value::Map(_) => TomlKind::Table,
            tree::Value::Array(_) => TomlKind::Array,
            _ => TomlKind::Plain,
        })
    }

    fn plain(&self) -> Result<Written<'_>, WriteFault> {
        Ok(match self.0 {
            tree::Value::Bool(truth) => Written::Bool(*truth),
            tree::Value::Int(number) => Written::Int(i128::from(*number)),
            tree::Value::UInt(number) => Written::Int(i128::from(*number)),
            tree::Value::Float(number) => Written::Float(*number),
            tree::Value::String(text) => Written::Text(text.as_bytes().into()),
            other => return Err(WriteFault::UnexpectedType(other.type_name().to_owned())),
        })
    }

    fn items(&self) -> Vec<Self> {
        let items = self.0.as_array().map(|array| array.items.as_slice()).unwrap_or_default();
        items.iter().map(|item| Shown(&item.value)).collect()
    }

    fn entries(&self) -> Vec<(String, Self)> {
        let items = self.0.as_map().map(|map| map.items.as_slice()).unwrap_or_default();
        let mut entries: Vec<_> = items.iter().filter_map(|item| Some((item.key.as_text()?, item))).collect();
        entries.sort_by_key(|(key, _)| *key);
        entries.into_iter().map(|(key, item)| (key.to_str_lossy().into_owned(), Shown(&item.value))).collect()
    }
}
