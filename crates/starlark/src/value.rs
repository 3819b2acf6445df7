//! Values: 16 bytes, cheap to clone, each with a mark of the embedder.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigInt;

use crate::builtin::Builtin;
use crate::custom::{Custom, CustomValue};
use crate::data::{Big, Cell, Dict, List, Range, Set, Text, Tuple};
use crate::function::Function;
use crate::library::Method;

/// An opaque number that a value carries, such as the place where it was typed. The language never looks at it:
/// equality, hashes and printing ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Mark(pub u32);

impl Mark {
    /// The mark of an unmarked value.
    pub const NONE: Mark = Mark(0);

    /// This mark, or the other if there is none.
    #[must_use]
    pub fn or(self, other: Mark) -> Mark {
        if self == Mark::NONE { other } else { self }
    }
}

/// A Starlark value.
#[derive(Clone)]
pub struct Value(pub(crate) Inner);

/// The content of a value. `Unset` is a variable without a value; `Cell` and `Method` never leave the
/// evaluator.
#[derive(Clone)]
pub(crate) enum Inner {
    Unset,
    None(Mark),
    Bool(Mark, bool),
    Int(Mark, i64),
    Big(Mark, Rc<Big>),
    Float(Mark, f64),
    Text(Mark, Rc<Text>),
    List(Mark, Rc<List>),
    Tuple(Mark, Rc<Tuple>),
    Dict(Mark, Rc<Dict>),
    Set(Mark, Rc<Set>),
    Range(Mark, Rc<Range>),
    Function(Mark, Rc<Function>),
    Builtin(Mark, Rc<Builtin>),
    Custom(Mark, Rc<Custom>),
    Cell(Rc<Cell>),
    Method(&'static Method),
}

/// A value to match on.
#[non_exhaustive]
pub enum View<'a> {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of at most 64 bits.
    Int(i64),
    /// Any other integer.
    BigInt(&'a BigInt),
    /// A float.
    Float(f64),
    /// A string.
    String(&'a Text),
    /// A list.
    List(&'a List),
    /// A tuple.
    Tuple(&'a [Value]),
    /// A dict.
    Dict(&'a Dict),
    /// A set.
    Set(&'a Set),
    /// A range.
    Range(&'a Range),
    /// A function written in Starlark.
    Function(&'a Function),
    /// A function of the language or of the embedder.
    Builtin(&'a Builtin),
    /// A value of the embedder.
    Custom(&'a dyn CustomValue),
}

impl Value {
    /// `None`.
    pub const NONE: Value = Value(Inner::None(Mark::NONE));
    pub(crate) const UNSET: Value = Value(Inner::Unset);

    /// A boolean.
    pub fn bool(value: bool) -> Value {
        Value(Inner::Bool(Mark::NONE, value))
    }

    /// An integer.
    pub fn int(value: i64) -> Value {
        Value(Inner::Int(Mark::NONE, value))
    }

    /// The length or index of something.
    pub fn size(value: usize) -> Value {
        Value::int(i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// An integer of any size.
    pub fn big(value: BigInt) -> Value {
        match i64::try_from(&value) {
            Ok(small) => Value::int(small),
            Err(_) => Value(Inner::Big(Mark::NONE, Rc::new(Big::new(value)))),
        }
    }

    /// A float.
    pub fn float(value: f64) -> Value {
        Value(Inner::Float(Mark::NONE, value))
    }

    /// A string.
    pub fn string(value: impl AsRef<[u8]>) -> Value {
        Value(Inner::Text(Mark::NONE, Rc::new(Text::new(value.as_ref()))))
    }

    /// A string of bytes that the caller no longer needs.
    pub fn string_from(value: impl Into<Vec<u8>>) -> Value {
        Value(Inner::Text(Mark::NONE, Rc::new(Text::from_vec(value.into()))))
    }

    /// A list.
    pub fn list(items: Vec<Value>) -> Value {
        Value(Inner::List(Mark::NONE, Rc::new(List::new(items))))
    }

    /// A tuple.
    pub fn tuple(items: Vec<Value>) -> Value {
        Value(Inner::Tuple(Mark::NONE, Rc::new(Tuple::new(items))))
    }

    /// A dict; see [`Dict`] for how to fill it.
    pub fn dict(dict: Dict) -> Value {
        Value(Inner::Dict(Mark::NONE, Rc::new(dict)))
    }

    /// A set; see [`Set`] for how to fill it.
    pub fn set(set: Set) -> Value {
        Value(Inner::Set(Mark::NONE, Rc::new(set)))
    }

    pub(crate) fn range(range: Range) -> Value {
        Value(Inner::Range(Mark::NONE, Rc::new(range)))
    }

    /// A function of the embedder.
    pub fn builtin(builtin: Builtin) -> Value {
        Value(Inner::Builtin(Mark::NONE, Rc::new(builtin)))
    }

    /// A value of the embedder.
    pub fn custom(value: impl CustomValue) -> Value {
        Value(Inner::Custom(Mark::NONE, Rc::new(Custom::new(Box::new(value)))))
    }

    pub(crate) fn function(function: Function) -> Value {
        Value(Inner::Function(Mark::NONE, Rc::new(function)))
    }

    /// The mark.
    pub fn mark(&self) -> Mark {
        match &self.0 {
            Inner::Unset | Inner::Cell(_) | Inner::Method(_) => Mark::NONE,
            Inner::None(mark)
            | Inner::Bool(mark, _)
            | Inner::Int(mark, _)
            | Inner::Big(mark, _)
            | Inner::Float(mark, _)
            | Inner::Text(mark, _)
            | Inner::List(mark, _)
            | Inner::Tuple(mark, _)
            | Inner::Dict(mark, _)
            | Inner::Set(mark, _)
            | Inner::Range(mark, _)
            | Inner::Function(mark, _)
            | Inner::Builtin(mark, _)
            | Inner::Custom(mark, _) => *mark,
        }
    }

    /// The same value with another mark. Lists and the like are not copied: the mark belongs to this reference.
    #[must_use]
    pub fn with_mark(mut self, new: Mark) -> Value {
        match &mut self.0 {
            Inner::Unset | Inner::Cell(_) | Inner::Method(_) => {}
            Inner::None(mark)
            | Inner::Bool(mark, _)
            | Inner::Int(mark, _)
            | Inner::Big(mark, _)
            | Inner::Float(mark, _)
            | Inner::Text(mark, _)
            | Inner::List(mark, _)
            | Inner::Tuple(mark, _)
            | Inner::Dict(mark, _)
            | Inner::Set(mark, _)
            | Inner::Range(mark, _)
            | Inner::Function(mark, _)
            | Inner::Builtin(mark, _)
            | Inner::Custom(mark, _) => *mark = new,
        }
        self
    }

    /// The content of the value, to match on.
    pub fn view(&self) -> View<'_> {
        match &self.0 {
            Inner::Unset | Inner::Cell(_) | Inner::Method(_) | Inner::None(_) => View::None,
            Inner::Bool(_, value) => View::Bool(*value),
            Inner::Int(_, value) => View::Int(*value),
            Inner::Big(_, value) => View::BigInt(value),
            Inner::Float(_, value) => View::Float(*value),
            Inner::Text(_, value) => View::String(value),
            Inner::List(_, value) => View::List(value),
            Inner::Tuple(_, value) => View::Tuple(value.items()),
            Inner::Dict(_, value) => View::Dict(value),
            Inner::Set(_, value) => View::Set(value),
            Inner::Range(_, value) => View::Range(value),
            Inner::Function(_, value) => View::Function(value),
            Inner::Builtin(_, value) => View::Builtin(value),
            Inner::Custom(_, value) => View::Custom(value.value()),
        }
    }

    /// The name of the type, as `type()` returns it.
    pub fn type_name(&self) -> &str {
        match &self.0 {
            Inner::Unset | Inner::None(_) => "NoneType",
            Inner::Bool(..) => "bool",
            Inner::Int(..) | Inner::Big(..) => "int",
            Inner::Float(..) => "float",
            Inner::Text(..) => "string",
            Inner::List(..) => "list",
            Inner::Tuple(..) => "tuple",
            Inner::Dict(..) => "dict",
            Inner::Set(..) => "set",
            Inner::Range(..) => "range",
            Inner::Function(..) => "function",
            Inner::Builtin(..) | Inner::Method(_) => "builtin_function_or_method",
            Inner::Custom(_, value) => value.value().type_name(),
            Inner::Cell(_) => "cell",
        }
    }

    /// Whether the value counts as true.
    pub fn truth(&self) -> bool {
        match &self.0 {
            Inner::Unset | Inner::None(_) => false,
            Inner::Bool(_, value) => *value,
            Inner::Int(_, value) => *value != 0,
            Inner::Float(_, value) => *value != 0.0,
            Inner::Text(_, value) => !value.is_empty(),
            Inner::List(_, value) => !value.is_empty(),
            Inner::Tuple(_, value) => !value.items().is_empty(),
            Inner::Dict(_, value) => !value.is_empty(),
            Inner::Set(_, value) => !value.is_empty(),
            Inner::Range(_, value) => !value.is_empty(),
            Inner::Custom(_, value) => value.value().truth(),
            Inner::Big(..) | Inner::Function(..) | Inner::Builtin(..) | Inner::Cell(_) | Inner::Method(_) => {
                true
            }
        }
    }

    /// Whether it is `None`.
    pub fn is_none(&self) -> bool {
        matches!(self.0, Inner::None(_))
    }

    /// The bytes of a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Inner::Text(_, text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// A string that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// An integer of at most 64 bits.
    pub fn as_int(&self) -> Option<i64> {
        match &self.0 {
            Inner::Int(_, value) => Some(*value),
            _ => None,
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.0 {
            Inner::Bool(_, value) => Some(*value),
            _ => None,
        }
    }

    /// A value of the embedder, if it is of this type.
    pub fn as_custom<T: CustomValue>(&self) -> Option<&T> {
        match &self.0 {
            Inner::Custom(_, value) => value.value().as_any().downcast_ref(),
            _ => None,
        }
    }

    /// Whether it can be called.
    pub fn is_callable(&self) -> bool {
        match &self.0 {
            Inner::Function(..) | Inner::Builtin(..) | Inner::Method(_) => true,
            Inner::Custom(_, value) => value.value().is_callable(),
            _ => false,
        }
    }

    /// Whether both are the same object; not meaningful for numbers and the like.
    pub fn is_same(&self, other: &Value) -> bool {
        match (&self.0, &other.0) {
            (Inner::List(_, one), Inner::List(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Tuple(_, one), Inner::Tuple(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Dict(_, one), Inner::Dict(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Set(_, one), Inner::Set(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Range(_, one), Inner::Range(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Function(_, one), Inner::Function(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Builtin(_, one), Inner::Builtin(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Custom(_, one), Inner::Custom(_, two)) => Rc::ptr_eq(one, two),
            (Inner::Text(_, one), Inner::Text(_, two)) => Rc::ptr_eq(one, two),
            _ => false,
        }
    }

    pub(crate) fn is_unset(&self) -> bool {
        matches!(self.0, Inner::Unset)
    }

    /// Whether it contains no other value.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(
            self.0,
            Inner::Unset
                | Inner::None(_)
                | Inner::Bool(..)
                | Inner::Int(..)
                | Inner::Big(..)
                | Inner::Float(..)
                | Inner::Text(..)
                | Inner::Range(..)
                | Inner::Method(_)
        )
    }

    /// Freezes the value and everything reachable from it.
    pub fn freeze(&self) {
        let mut waiting = vec![self.clone()];
        while let Some(value) = waiting.pop() {
            match &value.0 {
                Inner::List(_, list) => list.freeze(&mut waiting),
                Inner::Tuple(_, tuple) => {
                    waiting.extend(tuple.items().iter().filter(|item| !item.is_scalar()).cloned());
                }
                Inner::Dict(_, dict) => dict.freeze(&mut waiting),
                Inner::Set(_, set) => set.freeze(&mut waiting),
                Inner::Function(_, function) => function.freeze(&mut waiting),
                Inner::Builtin(_, builtin) => waiting.extend(builtin.receiver().cloned()),
                Inner::Custom(_, custom) => custom.value().freeze(&mut waiting),
                Inner::Cell(cell) => waiting.push(cell.get()),
                _ => {}
            }
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::int(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::string(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::string_from(value)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            View::None => f.write_str("None"),
            View::Bool(value) => write!(f, "{value}"),
            View::Int(value) => write!(f, "{value}"),
            View::BigInt(value) => write!(f, "{value}"),
            View::Float(value) => write!(f, "{value}"),
            View::String(value) => write!(f, "{value:?}"),
            _ => write!(f, "<{}>", self.type_name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_its_mark_takes_16_bytes() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Result<Value, crate::Error>>(), 16);
    }

    #[test]
    fn a_mark_belongs_to_the_reference() {
        let list = Value::list(vec![]);
        let marked = list.clone().with_mark(Mark(7));
        assert_eq!((list.mark(), marked.mark()), (Mark::NONE, Mark(7)));
        assert!(list.is_same(&marked));
    }
}
