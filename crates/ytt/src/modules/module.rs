//! `module`: modules that templates make themselves.

use trueline_starlark::{Args, Error, Module, Value, Want};

use super::{function, module_of, string};

pub(super) fn module() -> Value {
    let make = function("module.make", |_, args| {
        let [name] = Args::of(args.positional).positional_only("module.make", 1, [Want::String])?;
        let name = name.and_then(Value::as_bytes).unwrap_or_default();
        let members = args.named.iter().map(|(name, value)| Ok((string(name)?, value.clone())));
        let members: Result<Vec<_>, Error> = members.collect();
        Ok(Value::custom(Module::new(String::from_utf8_lossy(name), members?)))
    });
    module_of("module", [("make", make)])
}
