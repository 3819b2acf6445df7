//! The tree of an expression, after macros were expanded.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::value::Value;

pub use crate::fault::ExprId;

/// A parsed expression.
#[derive(Debug, Clone)]
pub struct Ast {
    /// The outermost node.
    pub root: Expr,
    /// Where each node was written, as bytes of the expression, by its number. What macros made up has the place of the
    /// macro.
    pub places: Vec<Range<u32>>,
    /// The calls that were replaced by macros, by the number of the node that replaced them. Printing an expression
    /// needs them.
    pub macro_calls: FxHashMap<ExprId, Expr>,
}

/// One node.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Its number.
    pub id: ExprId,
    /// What it is.
    pub kind: ExprKind,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// A literal: null, a boolean, a number, a string or bytes.
    Literal(Value),
    /// A name. A leading dot is part of it.
    Ident(Arc<str>),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// What the field is read from.
        operand: Box<Expr>,
        /// The name of the field.
        field: Arc<str>,
        /// Whether the value or its presence is asked for.
        ask: Ask,
    },
    /// A function or operator. Operators have cel-go's names, such as `_+_` and `_?_:_`.
    Call {
        /// The receiver of `target.function(…)`.
        target: Option<Box<Expr>>,
        /// The name.
        function: Arc<str>,
        /// The arguments without the receiver.
        args: Vec<Expr>,
    },
    /// `[a, ?b]`
    List {
        /// The elements.
        elements: Vec<Expr>,
        /// The indexes of the elements with a question mark.
        optional: Vec<u32>,
    },
    /// `{k: v, ?k: v}`
    Map(Vec<Entry>),
    /// `Type{field: v}`
    Struct {
        /// The name of the type.
        name: Arc<str>,
        /// The fields; their keys are string literals.
        fields: Vec<Entry>,
    },
    /// What macros such as `all` and `map` become.
    Comprehension(Box<Comprehension>),
}

/// What a field is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Its value.
    Value,
    /// Whether it is there.
    Presence,
}

/// An entry of a map or a field of a message.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The number of the entry itself.
    pub id: ExprId,
    /// The key.
    pub key: Expr,
    /// The value.
    pub value: Expr,
    /// Whether it has a question mark.
    pub is_optional: bool,
}

/// A loop over a list or the keys of a map that computes one value.
#[derive(Debug, Clone)]
pub struct Comprehension {
    /// What is gone through.
    pub range: Expr,
    /// The variable that holds the element, or the index or key where there are two variables.
    pub variable: Arc<str>,
    /// The second variable, which holds the element.
    pub second_variable: Option<Arc<str>>,
    /// The variable that holds what was computed so far.
    pub accumulator: Arc<str>,
    /// What the accumulator is at first.
    pub start: Expr,
    /// The loop goes on while this is true.
    pub condition: Expr,
    /// What the accumulator is after each element.
    pub step: Expr,
    /// What the loop is worth.
    pub result: Expr,
}
