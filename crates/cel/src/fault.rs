//! Why an expression has no value.

use std::fmt;
use std::sync::Arc;

/// The number of a node. Numbers are unique in one tree and index the places of its nodes.
pub type ExprId = u32;

/// Why an expression has no value. It is displayed in cel-go's words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What failed. It is shared, because results of expressions are moved often and faults are rare.
    pub kind: Arc<FaultKind>,
    /// The part of the expression that failed. Functions leave it open.
    pub node: Option<ExprId>,
}

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A map or an object does not have this key.
    MissingKey(Arc<str>),
    /// No overload takes the arguments; cel-go's words.
    NoOverload(Arc<str>),
    /// Go crashes there; its words. Nothing inside an expression can handle that.
    Crash(Arc<str>),
    /// It would cost more than it may.
    CostLimit,
    /// Anything else; cel-go's words.
    Other(Arc<str>),
}

impl Fault {
    /// A fault with cel-go's words.
    pub fn new(words: impl Into<Arc<str>>) -> Self {
        Fault::of(FaultKind::Other(words.into()))
    }

    /// A fault of a kind.
    pub fn of(kind: FaultKind) -> Self {
        Fault { kind: Arc::new(kind), node: None }
    }

    /// The same at this node, unless it has one.
    #[must_use]
    pub fn at(mut self, node: ExprId) -> Self {
        self.node.get_or_insert(node);
        self
    }

    /// What a value says of an operand it cannot work with.
    pub fn no_such_overload() -> Self {
        Fault::of(FaultKind::NoOverload("no such overload".into()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.kind {
            FaultKind::MissingKey(key) => write!(formatter, "no such key: {key}"),
            FaultKind::Crash(words) => write!(formatter, "internal error: {words}"),
            FaultKind::CostLimit => formatter.write_str("operation cancelled: actual cost limit exceeded"),
            FaultKind::NoOverload(words) | FaultKind::Other(words) => formatter.write_str(words),
        }
    }
}

impl std::error::Error for Fault {}
