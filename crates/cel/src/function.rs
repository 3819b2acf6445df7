//! Functions: what they take and give, what they do, and what they cost. One declaration holds all of it, so a function
//! is written in one place.

use std::sync::Arc;

use crate::types::Type;
use crate::value::Value;

/// A function with everything it can be called with.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name; operators have cel-go's names, such as `_+_`.
    pub name: &'static str,
    /// The ways to call it.
    pub overloads: Vec<Overload>,
}

/// One way to call a function.
#[derive(Debug, Clone)]
pub struct Overload {
    /// Its name in cel-go, such as `add_int64`.
    pub id: &'static str,
    /// Whether the first parameter is the receiver.
    pub style: Style,
    /// What it takes, the receiver first.
    pub params: Vec<Type>,
    /// What it gives.
    pub result: Type,
    /// What it does. The arguments have the declared types.
    pub run: Run,
    /// What it costs, where that is not the one unit of any call.
    pub cost: Option<Arc<dyn crate::function::Cost>>,
}

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `function(a, b)`
    Global,
    /// `a.function(b)`
    Member,
}

/// What an overload does.
pub type Run = fn(&[Value]) -> Result<Value, Fault>;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// cel-go's text.
    pub message: Arc<str>,
}

impl Fault {
    /// A fault with cel-go's text.
    pub fn new(message: impl Into<Arc<str>>) -> Self {
        Fault { message: message.into() }
    }
}

/// What a call costs.
pub trait Cost: std::fmt::Debug + Send + Sync {
    /// What a call that was made costs.
    fn actual(&self, args: &[Value], result: &Value) -> u64;
    /// What a call may cost and how large its result may be, before anything runs.
    fn estimate(&self, args: &[Size]) -> Estimate;
}

/// How large a value may be: bytes of a string, items of a list, entries of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// At least.
    pub min: u64,
    /// At most; `u64::MAX` where nothing is known.
    pub max: u64,
}

/// What is known of a call before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// What the call costs.
    pub cost: Size,
    /// How large its result is, if that can be said.
    pub result: Option<Size>,
}
