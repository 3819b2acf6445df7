//! `assert.validate` and `assert.valid`: validations that templates ask for.

use std::rc::Rc;

use trueline_starlark::{Args, Error, Thread, Value};

use super::string;
use crate::error;
use crate::tree::{self, Annotation, Meta, Position};
use crate::validation::{
    ASSERT_VALIDATE, NamedValue, Validation, has_rules, validate_content, validate_value,
};
use crate::value::{Content, Context, Fragment, Struct, from_starlark};

/// `assert.validate(key, value, rules…, when=)`: the arguments of `@assert/validate` after a name and a value.
pub(super) fn validate(thread: &mut Thread, args: &Args<'_>, context: &Context) -> Result<Value, Error> {
    let [key, value, rules @ ..] = args.positional else {
        return Err(Error::new(format!("got {} arguments, want at least 2", args.positional.len())));
    };
    let key = string(key)?;
    let named = args.named.iter();
    let annotation = Annotation {
        args: rules.to_vec(),
        kwargs: named
            .map(|(name, value)| (name.as_str().unwrap_or_default().into(), value.clone()))
            .collect(),
        position: Position::unknown(),
    };
    let rules = Validation::from_annotation(ASSERT_VALIDATE, &annotation, thread)?;
    let place = context.position(value.mark());
    let Content::Value(content) = from_starlark(value, context)? else {
        return Err(Error::new("expected a map, an array or a scalar, but was a document set"));
    };
    let named = NamedValue {
        name: &key,
        given: value,
        content: &content,
        meta: Meta::at(place.clone()).typed_at(place),
    };
    validate_value(&named, &rules, thread, context).map_err(reported)?;
    Ok(Value::NONE)
}

/// `assert.valid(node)`: runs the rules that the annotations of a fragment say.
pub(super) fn valid(thread: &mut Thread, args: &Args<'_>, context: &Context) -> Result<Value, Error> {
    let [node] = args.positional else {
        return Err(Error::new(format!("got {} arguments, want 1", args.positional.len())));
    };
    if let Some(fragment) = node.as_custom::<Fragment>() {
        let holder = fragment.holder();
        validate_content(&fragment.content(), holder.as_ref(), thread, context).map_err(reported)?;
        return Ok(Value::NONE);
    }
    let source = node.as_custom::<Struct>().and_then(Struct::source);
    if let Some(map) = source {
        let value = tree::Value::Map(Rc::clone(map));
        if has_rules(&value) {
            validate_content(&Content::Value(value), None, thread, context).map_err(reported)?;
            return Ok(Value::NONE);
        }
    }
    Err(Error::new(format!(
        "expected a YAML fragment with @{ASSERT_VALIDATE} annotations, but was a {} without any (hint: use \
         assert.validate() for other values)",
        node.type_name()
    )))
}

/// The report as the failure of the function, below its name.
fn reported(error: error::Error) -> Error {
    let text = format!("\n{error}");
    error.reworded(text.trim_end()).into_starlark()
}
