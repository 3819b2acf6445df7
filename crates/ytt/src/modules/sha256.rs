//! `sha256`: the SHA-256 sum of a string.

use trueline_gostd::hash::sha256_text;
use trueline_starlark::Value;

use super::{bytes, function, module_of, only};
use crate::value::Context;

/// The module.
pub(super) fn module(_: &Context) -> Value {
    let sum = function("sha256.sum", |thread, args| {
        let value = only(args)?;
        let text = bytes(value)?;
        thread.spend(text.len() / 8)?;
        Ok(Value::string_from(sha256_text(text)).with_mark(value.mark()))
    });
    module_of("sha256", [("sum", sum)])
}
