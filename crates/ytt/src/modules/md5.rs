//! `md5`: the MD5 sum of a string.

use trueline_gostd::hash::md5_text;
use trueline_starlark::Value;

use super::{bytes, function, module_of, only};
use crate::value::Context;

/// The module.
pub(super) fn module(_: &Context) -> Value {
    let sum = function("md5.sum", |thread, args| {
        let value = only(args)?;
        let text = bytes(value)?;
        thread.spend(text.len() / 8)?;
        Ok(Value::string_from(md5_text(text)).with_mark(value.mark()))
    });
    module_of("md5", [("sum", sum)])
}
