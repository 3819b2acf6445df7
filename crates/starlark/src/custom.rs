//! Values of the embedder.

use std::any::Any;

use crate::{Args, Error, Thread, Value, Writer, live};

/// An operator that a value of the embedder may implement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its sign")]
pub enum BinaryOp {
    Plus,
    Minus,
    Star,
    Slash,
    SlashSlash,
    Percent,
    Ampersand,
    Pipe,
    Circumflex,
    ShiftLeft,
    ShiftRight,
    In,
}

impl BinaryOp {
    /// The operator as written.
    pub fn sign(self) -> &'static str {
        match self {
            BinaryOp::Plus => "+",
            BinaryOp::Minus => "-",
            BinaryOp::Star => "*",
            BinaryOp::Slash => "/",
            BinaryOp::SlashSlash => "//",
            BinaryOp::Percent => "%",
            BinaryOp::Ampersand => "&",
            BinaryOp::Pipe => "|",
            BinaryOp::Circumflex => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::In => "in",
        }
    }
}

/// `+x`, `-x` or `~x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its sign")]
pub enum UnaryOp {
    Plus,
    Minus,
    Tilde,
}

impl UnaryOp {
    /// The operator as written.
    pub fn sign(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Tilde => "~",
        }
    }
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its sign")]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl CompareOp {
    /// The operator as written.
    pub fn sign(self) -> &'static str {
        match self {
            CompareOp::Equal => "==",
            CompareOp::NotEqual => "!=",
            CompareOp::Less => "<",
            CompareOp::LessOrEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterOrEqual => ">=",
        }
    }

    /// The operator's result for two values with this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Equal => order.is_eq(),
            CompareOp::NotEqual => order.is_ne(),
            CompareOp::Less => order.is_lt(),
            CompareOp::LessOrEqual => order.is_le(),
            CompareOp::Greater => order.is_gt(),
            CompareOp::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// Which operand the embedder's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `self op other`.
    Left,
    /// `other op self`.
    Right,
}

/// A value that the embedder implements. A method that returns `None` means that the type does not support it;
/// the evaluator then fails with its message for such types. Values are shared: state that changes needs a
/// `Cell`, and no borrow of it may be held while the thread or other values are used.
pub trait CustomValue: Any {
    /// The name of the type, as `type()` returns it.
    fn type_name(&self) -> &str;

    /// Writes the result of `str()` and `repr()`.
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error>;

    /// `self`, for downcasting.
    fn as_any(&self) -> &dyn Any;

    /// Whether it counts as true.
    fn truth(&self) -> bool {
        true
    }

    /// Freezes it. Values inside it are pushed to `waiting` to be frozen as well.
    fn freeze(&self, waiting: &mut Vec<Value>) {
        let _ = waiting;
    }

    /// A hash, for values that can be keys.
    fn hash(&self, thread: &mut Thread) -> Result<u32, Error> {
        let _ = thread;
        Err(Error::new(format!("unhashable type: {}", self.type_name())))
    }

    /// An attribute; `Ok(None)` if it has none with this name.
    fn attr(&self, thread: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        let _ = (thread, name);
        Ok(None)
    }

    /// The names of the attributes, for `dir()` and for suggestions.
    fn attr_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// `self.name = value`.
    fn set_attr(&self, thread: &mut Thread, name: &str, value: &Value) -> Option<Result<(), Error>> {
        let _ = (thread, name, value);
        None
    }

    /// `self[key]` and `key in self` of a mapping; `Ok(None)` if the key is missing.
    fn get_key(&self, thread: &mut Thread, key: &Value) -> Option<Result<Option<Value>, Error>> {
        let _ = (thread, key);
        None
    }

    /// `self[key] = value` of a mapping.
    fn set_key(&self, thread: &mut Thread, key: &Value, value: &Value) -> Option<Result<(), Error>> {
        let _ = (thread, key, value);
        None
    }

    /// All keys with their values: needed by `**self` and `dict(self)`.
    fn items(&self, thread: &mut Thread) -> Option<Result<Vec<(Value, Value)>, Error>> {
        let _ = thread;
        None
    }

    /// How many elements it has.
    fn len(&self) -> Option<usize> {
        None
    }

    /// Whether it has no elements; types without elements are not empty.
    fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// `self[index]` of a sequence, with `index < len()`. Only called if it is not a mapping.
    fn get_index(&self, thread: &mut Thread, index: usize) -> Option<Result<Value, Error>> {
        let _ = (thread, index);
        None
    }

    /// `self[index] = value` of a sequence, with `index < len()`.
    fn set_index(&self, thread: &mut Thread, index: usize, value: &Value) -> Option<Result<(), Error>> {
        let _ = (thread, index, value);
        None
    }

    /// `self[start:end:step]`, with bounds that fit `len()`; `end` is -1 if a negative step runs to the front.
    fn slice(&self, thread: &mut Thread, start: i64, end: i64, step: i64) -> Option<Result<Value, Error>> {
        let _ = (thread, start, end, step);
        None
    }

    /// The elements; of a mapping, the keys.
    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        None
    }

    /// Whether it can be called.
    fn is_callable(&self) -> bool {
        false
    }

    /// The name of the function, for the calls that led to an error.
    fn call_name(&self) -> &str {
        self.type_name()
    }

    /// Calls it.
    fn call(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
        let _ = (thread, args);
        Err(Error::new(format!("invalid call of non-function ({})", self.type_name())))
    }

    /// Compares it with a value whose type has the same name. Without this, it only equals itself. Values
    /// inside are compared with [`Thread::compare_depth`] and `depth - 1`.
    fn compare(
        &self,
        thread: &mut Thread,
        op: CompareOp,
        other: &Value,
        depth: usize,
    ) -> Option<Result<bool, Error>> {
        let _ = (thread, op, other, depth);
        None
    }

    /// `self op other` or `other op self`; `None` for operators that it does not support.
    fn binary(
        &self,
        thread: &mut Thread,
        op: BinaryOp,
        other: &Value,
        side: Side,
    ) -> Option<Result<Value, Error>> {
        let _ = (thread, op, other, side);
        None
    }

    /// `op self`; `None` for operators that it does not support.
    fn unary(&self, thread: &mut Thread, op: UnaryOp) -> Option<Result<Value, Error>> {
        let _ = (thread, op);
        None
    }
}

/// A value of the embedder as a thin pointer.
pub(crate) struct Custom(Box<dyn CustomValue>);

impl Custom {
    pub(crate) fn new(value: Box<dyn CustomValue>) -> Custom {
        live::add(live::OBJECT);
        Custom(value)
    }

    pub(crate) fn value(&self) -> &dyn CustomValue {
        &*self.0
    }
}

impl Drop for Custom {
    fn drop(&mut self) {
        live::remove(live::OBJECT);
    }
}
