//! Functions for attributes and types, and those with output.

use crate::builtin::{Args, Builtin, Want};
use crate::error::{Error, ErrorKind};
use crate::fault::Fault;
use crate::value::{Inner, Value};
use crate::{Thread, Writer, unicode};

pub(super) fn dir(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    super::no_names(args, "dir")?;
    let [value] = args.positional else {
        return Err(Error::new(format!("dir: got {} arguments, want 1", args.positional.len())));
    };
    let mut names = super::attr_names(value);
    names.sort_unstable();
    Ok(Value::list(names.into_iter().map(Value::from).collect()))
}

/// Whether a name is an attribute, and its value. An error may mean either.
fn attribute(thread: &mut Thread, value: &Value, name: &str) -> Result<Option<Value>, Error> {
    if let Some(method) = super::method(value, name) {
        return Ok(Some(Value::builtin(Builtin::method(method, value.clone()))));
    }
    match &value.0 {
        Inner::Custom(_, custom) => custom.value().attr(thread, name),
        _ => Ok(None),
    }
}

pub(super) fn getattr(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [object, name, default] = args.positional_only("getattr", 2, [Want::Any, Want::String, Want::Any])?;
    let object = object.unwrap_or(&Value::NONE);
    let name = String::from_utf8_lossy(name.and_then(Value::as_bytes).unwrap_or_default());
    match (attribute(thread, object, &name), default) {
        (Ok(Some(value)), _) => Ok(value),
        (Err(error), _) if error.kind() == ErrorKind::Limit => Err(error),
        (_, Some(default)) => Ok(default.clone()),
        (Err(error), None) => Err(error.prefixed("getattr")),
        (Ok(None), None) => {
            let (found, name) = (object.type_name().to_owned(), name.into_owned());
            Err(Error::from(Fault::MissingAttribute { found, name, nearest: None }).prefixed("getattr"))
        }
    }
}

pub(super) fn hasattr(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [object, name] = args.positional_only("hasattr", 2, [Want::Any, Want::String])?;
    let object = object.unwrap_or(&Value::NONE);
    let name = String::from_utf8_lossy(name.and_then(Value::as_bytes).unwrap_or_default());
    Ok(Value::bool(match attribute(thread, object, &name) {
        Ok(found) => found.is_some(),
        Err(error) if error.kind() == ErrorKind::Limit => return Err(error),
        Err(_) => super::attr_names(object).iter().any(|known| *known == name),
    }))
}

pub(super) fn type_of(_: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    super::no_names(args, "type")?;
    let [value] = args.positional else {
        return Err(Error::new(format!("type: got {} arguments, want exactly 1", args.positional.len())));
    };
    Ok(Value::string(value.type_name()))
}

/// Java's string hash, which is the same everywhere.
pub(super) fn hash(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let [text] = args.positional_only("hash", 1, [Want::String])?;
    let text = text.and_then(Value::as_bytes).unwrap_or_default();
    thread.spend(text.len() / 16)?;
    let hash = unicode::characters(text).fold(0i32, |hash, (_, character, _)| {
        hash.wrapping_mul(31).wrapping_add(u32::from(character) as i32)
    });
    Ok(Value::int(hash.into()))
}

/// The arguments as `str()` writes them, with a separator between.
fn joined(thread: &mut Thread, args: &Args<'_>, name: &str) -> Result<Vec<u8>, Error> {
    let [separator] = Args { positional: &[], named: args.named }.unpack(name, [("sep?", Want::String)])?;
    let separator = separator.and_then(Value::as_bytes).unwrap_or(b" ");
    let mut writer = Writer::new(thread);
    for (index, value) in args.positional.iter().enumerate() {
        if index > 0 {
            writer.push(separator)?;
        }
        writer.str(value)?;
    }
    Ok(writer.finish())
}

pub(super) fn fail(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let words = joined(thread, args, "fail")?;
    Err(Fault::Said { words: String::from_utf8_lossy(&words).into_owned() }.into())
}

pub(super) fn print(thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
    let text = joined(thread, args, "print")?;
    // The receiver of the output may keep all of it, so it is charged as memory.
    thread.spend(text.len())?;
    thread.print(&text);
    Ok(Value::NONE)
}
