//! `base64`: strings as base64 and back.

use trueline_gostd::base64::{Alphabet, Encoding, Padding, Trailing};
use trueline_starlark::{Args, Error, Value};

use super::{boolean, bytes, function, module_of, only};
use crate::value::Context;

/// The module.
pub(super) fn module(_: &Context) -> Value {
    let encode = function("base64.encode", |thread, args| {
        let value = only(args)?;
        let text = bytes(value)?;
        let encoding = encoding(args)?;
        thread.spend(text.len() / 8)?;
        thread.need_memory(text.len().saturating_mul(2))?;
        Ok(Value::string_from(encoding.encode(text)).with_mark(value.mark()))
    });
    let decode = function("base64.decode", |thread, args| {
        let value = only(args)?;
        let text = bytes(value)?;
        let encoding = encoding(args)?;
        thread.spend(text.len() / 8)?;
        thread.need_memory(text.len())?;
        let decoded = encoding.decode(text).map_err(|illegal| Error::new(illegal.to_string()))?;
        Ok(Value::string_from(decoded).with_mark(value.mark()))
    });
    module_of("base64", [("encode", encode), ("decode", decode)])
}

/// The form that the keyword arguments ask for; others are passed over.
fn encoding(args: &Args<'_>) -> Result<Encoding, Error> {
    let is_set = |name: &str| args.get_named(name).map_or(Ok(false), boolean);
    Ok(Encoding {
        alphabet: if is_set("url")? { Alphabet::Url } else { Alphabet::Standard },
        padding: if is_set("raw")? { Padding::Raw } else { Padding::Padded },
        trailing: if is_set("strict")? { Trailing::Zero } else { Trailing::Any },
    })
}
