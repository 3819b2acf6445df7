//! `@ytt:overlay`: overlays as a function, and functions that choose nodes.

use std::any::Any;
use std::rc::Rc;

use starlark::{Args, Builtin, CustomValue, Error, Module, Thread, Writer};
use trueline_starlark as starlark;

use crate::overlay::{Exactness, Left, Operation, Right, contains, same_by_key};
use crate::tree::{Text, Value};
use crate::value::{Content, Context, Fragment, from_starlark, go_type_name};

/// Matchers can be made of matchers, but not deeper than this: they are walked recursively.
const DEEPEST: usize = 100;

/// The module.
pub fn module(context: &Context) -> starlark::Value {
    let matcher = |name: &'static str, kind: fn(&[starlark::Value]) -> Result<MatcherTarget, Error>| {
        let context = context.clone();
        let builtin = Builtin::new(name, move |_, args: &Args<'_>| {
            let made = kind(args.positional).and_then(|kind| Matcher::new(kind, &context));
            made.map(starlark::Value::custom).map_err(|error| error.prefixed(name))
        });
        starlark::Value::builtin(builtin)
    };
    let all = Matcher { kind: MatcherTarget::All, depth: 1, size: 1, context: context.clone() };
    let for_apply = context.clone();
    let apply = Builtin::new("overlay.apply", move |thread, args: &Args<'_>| {
        apply(thread, args.positional, &for_apply).map_err(|error| error.prefixed("overlay.apply"))
    });
    let members = [
        ("apply", starlark::Value::builtin(apply)),
        ("index", matcher("overlay.index", index)),
        ("all", starlark::Value::custom(all)),
        ("map_key", matcher("overlay.map_key", map_key)),
        ("subset", matcher("overlay.subset", |values| Ok(MatcherTarget::Subset(only(values)?.clone())))),
        ("and_op", matcher("overlay.and_op", |values| Ok(MatcherTarget::And(some(values)?.to_vec())))),
        ("or_op", matcher("overlay.or_op", |values| Ok(MatcherTarget::Or(some(values)?.to_vec())))),
        ("not_op", matcher("overlay.not_op", |values| Ok(MatcherTarget::Not(only(values)?.clone())))),
    ];
    let members = members.map(|(name, value)| (name.to_owned(), value));
    starlark::Value::custom(Module::new("overlay", members))
}

fn only(values: &[starlark::Value]) -> Result<&starlark::Value, Error> {
    match values {
        [value] => Ok(value),
        _ => Err(Error::new("expected exactly one argument")),
    }
}

fn some(values: &[starlark::Value]) -> Result<&[starlark::Value], Error> {
    if values.is_empty() { Err(Error::new("expected at least one argument")) } else { Ok(values) }
}

fn index(values: &[starlark::Value]) -> Result<MatcherTarget, Error> {
    integer(only(values)?).map(MatcherTarget::Index)
}

fn map_key(values: &[starlark::Value]) -> Result<MatcherTarget, Error> {
    let value = only(values)?;
    let key = value.as_bytes().map(Text::from);
    key.map(MatcherTarget::MapKey)
        .ok_or_else(|| Error::new(format!("expected a string, but was {}", value.type_name())))
}

fn integer(value: &starlark::Value) -> Result<i64, Error> {
    match value.view() {
        starlark::View::Int(value) => Ok(value),
        starlark::View::BigInt(_) => Err(Error::new("expected int64 value")),
        _ => Err(Error::new("expected starlark.Int")),
    }
}

/// Applies overlays one after the other. A fragment on the left side is changed, and is the result.
fn apply(
    thread: &mut Thread,
    values: &[starlark::Value],
    context: &Context,
) -> Result<starlark::Value, Error> {
    let Some((first, overlays)) = values.split_first() else {
        return Err(Error::new("expected exactly at least argument"));
    };
    let mut left = from_starlark(first, context)?;
    let overlays: Vec<Content> =
        overlays.iter().map(|overlay| from_starlark(overlay, context)).collect::<Result<_, Error>>()?;
    for overlay in &overlays {
        let operation = Operation {
            left: match &mut left {
                Content::Documents(documents) => Left::Documents(Rc::make_mut(documents)),
                Content::Value(value) => Left::Value(value),
            },
            right: match overlay {
                Content::Documents(documents) => Right::Documents(documents),
                Content::Value(value) => Right::Value(value),
            },
            exactness: Exactness::Annotated,
            thread,
            context,
        };
        operation.apply().map_err(|fault| crate::error::Error::from(fault).into_starlark())?;
    }
    match first.as_custom::<Fragment>() {
        Some(fragment) => {
            if !overlays.is_empty() {
                fragment.set_content(left);
            }
            Ok(first.clone())
        }
        None => Ok(starlark::Value::custom(Fragment::new(left, context))),
    }
}

/// How many matchers may be in one.
const LARGEST: usize = 10_000;

/// A function that says whether a node is meant. Overlays look inside instead of calling it.
pub(crate) struct Matcher {
    kind: MatcherTarget,
    /// How many matchers are inside each other.
    depth: usize,
    /// How many matchers there are in all: one that is used twice counts twice, because overlays take it apart.
    size: usize,
    context: Context,
}

/// What a matcher looks at.
pub(crate) enum MatcherTarget {
    All,
    Index(i64),
    MapKey(Text),
    Subset(starlark::Value),
    And(Vec<starlark::Value>),
    Or(Vec<starlark::Value>),
    Not(starlark::Value),
}

impl Matcher {
    fn new(kind: MatcherTarget, context: &Context) -> Result<Matcher, Error> {
        let parts = match &kind {
            MatcherTarget::And(parts) | MatcherTarget::Or(parts) => parts.as_slice(),
            MatcherTarget::Not(part) => std::slice::from_ref(part),
            _ => &[],
        };
        let depth_of = |part: &starlark::Value| part.as_custom::<Matcher>().map_or(0, |part| part.depth);
        let depth = 1 + parts.iter().map(depth_of).max().unwrap_or_default();
        if depth > DEEPEST {
            let text = format!("expected matchers to nest at most {DEEPEST} levels deep");
            return Err(Error::limit(text));
        }
        let size_of = |part: &starlark::Value| part.as_custom::<Matcher>().map_or(1, |part| part.size);
        let size = parts.iter().map(size_of).fold(1, usize::saturating_add);
        if size > LARGEST {
            return Err(Error::limit(format!("expected at most {LARGEST} matchers in one")));
        }
        Ok(Matcher { kind, depth, size, context: context.clone() })
    }

    pub(crate) fn kind(&self) -> &MatcherTarget {
        &self.kind
    }

    fn matches(&self, thread: &mut Thread, args: &Args<'_>) -> Result<bool, Error> {
        let [first, left, right] = args.positional else {
            return Err(Error::new("expected exactly 3 arguments"));
        };
        let mut ask = |part: &starlark::Value| {
            let result = thread.call(part, *args)?;
            let is_bool = || Error::new(format!("expected starlark.Bool, but was {}", go_type_name(&result)));
            result.as_bool().ok_or_else(is_bool)
        };
        match &self.kind {
            MatcherTarget::All => Ok(true),
            MatcherTarget::Index(expected) => Ok(integer(first)? == *expected),
            MatcherTarget::MapKey(key) => {
                let left = value_of(left, &self.context)?;
                let right = value_of(right, &self.context)?;
                same_by_key(key.as_bytes(), &left, &right).map_err(|unkeyed| Error::new(unkeyed.to_string()))
            }
            MatcherTarget::Subset(expected) => {
                let left = value_of(left, &self.context)?;
                let expected = value_of(expected, &self.context)?;
                Ok(contains(&left, &expected).is_ok())
            }
            MatcherTarget::And(parts) => {
                for part in parts {
                    if !ask(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            MatcherTarget::Or(parts) => {
                for part in parts {
                    if ask(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            MatcherTarget::Not(part) => Ok(!ask(part)?),
        }
    }
}

fn value_of(value: &starlark::Value, context: &Context) -> Result<Value, Error> {
    match from_starlark(value, context)? {
        Content::Value(value) => Ok(value),
        Content::Documents(_) => {
            Err(Error::new("expected a map, an array or a scalar, but was a document set"))
        }
    }
}

impl CustomValue for Matcher {
    fn type_name(&self) -> &str {
        "builtin_function_or_method"
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push(format!("<built-in function {}>", self.call_name()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call_name(&self) -> &str {
        match &self.kind {
            MatcherTarget::All => "overlay.all",
            MatcherTarget::Index(_) => "overlay.index_matcher",
            MatcherTarget::MapKey(_) => "overlay.map_key_matcher",
            MatcherTarget::Subset(_) => "overlay.subset_matcher",
            MatcherTarget::And(_) => "overlay.and_op",
            // The original calls both so.
            MatcherTarget::Or(_) | MatcherTarget::Not(_) => "overlay.or_op",
        }
    }

    fn call(&self, thread: &mut Thread, args: &Args<'_>) -> Result<starlark::Value, Error> {
        let result = self.matches(thread, args);
        result.map(starlark::Value::bool).map_err(|error| error.prefixed(self.call_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers_that_double_reach_a_limit() {
        let context = Context::new();
        let mut matcher = Matcher::new(MatcherTarget::All, &context).unwrap();
        let mut doublings = 0;
        let error = loop {
            let part = starlark::Value::custom(matcher);
            match Matcher::new(MatcherTarget::And(vec![part.clone(), part]), &context) {
                Ok(larger) => matcher = larger,
                Err(error) => break error,
            }
            doublings += 1;
        };
        assert!(error.message().contains("matchers in one"), "{error}");
        assert!((10..14).contains(&doublings), "{doublings}");
    }
}
