//! The modules that templates load with `load("@ytt:NAME", "NAME")`: one file each.

mod assert;
mod assert_valid;
mod base64;
mod data;
mod ip;
mod json;
mod math;
mod md5;
mod module;
pub mod overlay;
mod regexp;
mod sha256;
mod structs;
mod template;
mod toml;
mod url;
mod version;
mod yaml;

use std::rc::Rc;

use trueline_starlark::{Args, Builtin, Error as StarlarkError, Globals, Module, Thread, Value, View};

use crate::error::{Error, ErrorKind, Fact};
use crate::tree::Document;
use crate::value::{Context, go_type_name};

/// What modules see of the file that loads them.
pub trait Host {
    /// The data values.
    fn values(&self) -> &Document;

    /// The bytes of a file that was given to the run.
    ///
    /// # Errors
    /// If there is none at the path.
    fn read(&self, path: &str) -> Result<Rc<[u8]>, Error>;

    /// The paths of the files in a directory; an empty path is the one that the file is in.
    ///
    /// # Errors
    /// If there is no such directory.
    fn list(&self, path: &str) -> Result<Vec<String>, Error>;

    /// Says something on standard error, once in a run.
    fn warn_once(&self, text: &str);

    /// The module `library`.
    fn library(&self) -> Value;
}

/// The globals of a module: one, of its own name.
///
/// # Errors
/// If there is no such module.
pub fn load(name: &str, host: &Rc<dyn Host>, replace: &Value, context: &Context) -> Result<Globals, Error> {
    let module = match name {
        "assert" => assert::module(context),
        "base64" => base64::module(context),
        "data" => data::module(host, context)?,
        "ip" => ip::module(context),
        "json" => json::module(context),
        "library" => host.library(),
        "math" => math::module(host),
        "md5" => md5::module(context),
        "module" => module::module(),
        "overlay" => overlay::module(context),
        "regexp" => regexp::module(context),
        "sha256" => sha256::module(context),
        "struct" => structs::module(context),
        "template" => template::module(replace),
        "toml" => toml::module(context),
        "url" => url::module(context),
        "version" => version::module(),
        "yaml" => yaml::module(context),
        _ => {
            return Err(Error::known(ErrorKind::Other, Fact::NoModule { name: name.to_owned() }));
        }
    };
    let mut globals = Globals::new();
    globals.set(name, module);
    Ok(globals)
}

/// A module with its members.
fn module_of<const N: usize>(name: &str, members: [(&str, Value); N]) -> Value {
    Value::custom(Module::new(name, members.map(|(name, value)| (name.to_owned(), value))))
}

/// A function whose errors begin with its name.
fn function(
    name: &'static str,
    run: impl Fn(&mut Thread, &Args<'_>) -> Result<Value, StarlarkError> + 'static,
) -> Value {
    Value::builtin(Builtin::new(name, move |thread, args| {
        run(thread, args).map_err(|error| error.prefixed(name))
    }))
}

/// The only argument; keyword arguments are passed over, as ytt does.
fn only<'a>(args: &Args<'a>) -> Result<&'a Value, StarlarkError> {
    match args.positional {
        [value] => Ok(value),
        _ => Err(StarlarkError::new("expected exactly one argument")),
    }
}

fn bytes(value: &Value) -> Result<&[u8], StarlarkError> {
    value
        .as_bytes()
        .ok_or_else(|| StarlarkError::new(format!("expected a string, but was {}", value.type_name())))
}

/// A string; what is not UTF-8 in it is replaced.
fn string(value: &Value) -> Result<String, StarlarkError> {
    bytes(value).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

fn boolean(value: &Value) -> Result<bool, StarlarkError> {
    value
        .as_bool()
        .ok_or_else(|| StarlarkError::new(format!("expected starlark.Bool, but was {}", go_type_name(value))))
}

fn integer(value: &Value) -> Result<i64, StarlarkError> {
    match value.view() {
        View::Int(value) => Ok(value),
        View::BigInt(_) => Err(StarlarkError::new("expected int64 value")),
        _ => Err(StarlarkError::new("expected starlark.Int")),
    }
}

/// Refuses keyword arguments of other names.
fn check_names(args: &Args<'_>, known: &[&str]) -> Result<(), StarlarkError> {
    for (name, _) in args.named {
        let name = name.as_str().unwrap_or_default();
        if !known.contains(&name) {
            return Err(StarlarkError::new(format!("invalid argument name: {name}")));
        }
    }
    Ok(())
}
