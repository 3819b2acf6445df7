//! What programs are made of.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_regexp::Matcher;

use crate::ast::ExprId;
use crate::function::{Actual, Fault, Function, Run};
use crate::types::Type;
use crate::value::{Key, Value};

/// A value, or why there is none.
pub(super) type Evaluated = Result<Value, Fault>;

/// One step of a program.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: ExprId,
    pub(super) kind: StepKind,
}

/// What a step does.
#[derive(Debug)]
pub(super) enum StepKind {
    /// Something that was computed when the program was built.
    Constant(Evaluated),
    /// Reads a variable or a part of a value.
    Attribute(Attribute),
    /// `has(a.b)`
    Presence(Attribute),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Equal(Box<[Node; 2]>),
    NotEqual(Box<[Node; 2]>),
    NotStrictlyFalse(Box<Node>),
    Call(Box<Call>),
    /// `a.matches('…')` with a pattern that is ready.
    Matches(Box<Matches>),
    /// `a in ['…']` with a list that is known.
    OneOf(Box<OneOf>),
    /// `a.or(b)`
    Or2(Box<[Node; 2]>),
    /// `a.orValue(b)`
    OrValue(Box<[Node; 2]>),
    List(Box<[Element]>),
    Map(Box<[Entry]>),
    Message(Box<Message>),
    Fold(Box<Fold>),
    /// A call of a function that does not exist, in an expression that was not checked.
    Undefined(Box<Undefined>),
    /// `accumulator + list`, where nothing else reads the accumulator.
    Append(Box<Append>),
    /// `cel.@mapInsert(accumulator, key, value)` or with a map instead of key and value.
    Insert(Box<Insert>),
}

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Arc<Function>,
    pub(super) action: Action,
    pub(super) args: Box<[Node]>,
    pub(super) cost: Actual,
    pub(super) evaluation: Evaluation,
}

/// What a call runs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    /// This, whatever the arguments are.
    Singleton(Run),
    /// The overload with this number, if the arguments fit.
    Overload(usize),
    /// The first overload that the arguments fit.
    Dispatch,
    /// Nothing is known that could run.
    Undefined,
}

/// Which arguments are evaluated if one of them fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evaluation {
    /// All of them.
    All,
    /// Those up to the first that fails.
    UpToFault,
}

#[derive(Debug)]
pub(super) struct Undefined {
    pub(super) name: Arc<str>,
    pub(super) args: Box<[Node]>,
}

#[derive(Debug)]
pub(super) struct Matches {
    pub(super) text: Node,
    pub(super) pattern: Value,
    pub(super) matcher: Arc<Matcher>,
    pub(super) cost: Actual,
}

#[derive(Debug)]
pub(super) struct OneOf {
    pub(super) item: Node,
    pub(super) set: FxHashSet<Key>,
}

/// An element of a list literal.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) node: Node,
    pub(super) is_optional: bool,
}

/// An entry of a map literal.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Node,
    pub(super) value: Node,
    pub(super) is_optional: bool,
}

/// A message literal.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) declared: Type,
    pub(super) name: Arc<str>,
    pub(super) fields: Box<[(Arc<str>, Element)]>,
}

/// A comprehension.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Node,
    pub(super) start: Node,
    pub(super) condition: Node,
    pub(super) step: Node,
    pub(super) result: Node,
    pub(super) accumulator: usize,
    pub(super) variable: usize,
    pub(super) second: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Append {
    pub(super) accumulator: usize,
    pub(super) list: Node,
    pub(super) cost: Actual,
}

#[derive(Debug)]
pub(super) struct Insert {
    pub(super) accumulator: usize,
    pub(super) args: Box<[Node]>,
    pub(super) name: &'static str,
}

/// A variable or a computed value, and what is read from it.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) id: ExprId,
    pub(super) root: Root,
    pub(super) qualifiers: Vec<Arc<Qualifier>>,
}

/// Where an attribute begins.
#[derive(Debug)]
pub(super) enum Root {
    /// A variable of the environment, by its number.
    Variable(usize, Arc<str>),
    /// A variable of a comprehension.
    Slot(usize),
    /// Anything that is computed.
    Computed(Box<Node>),
    /// `a ? b : c`. What is read from it is part of both branches.
    Conditional(Box<Conditional>),
    /// Something whose name was not checked: the first of these that is there.
    Maybe(Vec<Candidate>),
}

#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) condition: Node,
    pub(super) truthy: Attribute,
    pub(super) falsy: Attribute,
}

/// What an unchecked name may be: a variable of one of these names, and how many qualifiers its name takes up.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) names: Vec<Named>,
    pub(super) skipped: usize,
}

#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: Arc<str>,
    pub(super) found: Option<ResolvedName>,
}

#[derive(Debug)]
pub(super) enum ResolvedName {
    Variable(usize),
    Slot(usize),
    Type(Type),
}

/// Reads a part of a value.
#[derive(Debug)]
pub(super) struct Qualifier {
    pub(super) id: ExprId,
    pub(super) key: QualifierKey,
    pub(super) access: Access,
}

#[derive(Debug)]
pub(super) enum QualifierKey {
    Constant(Value),
    /// The value of an attribute, which costs nothing to look up by itself.
    Attribute(Attribute),
    Computed(Node),
}

/// How a part is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// `a.b`, `a[b]`
    Plain,
    /// `a.?b`, `a[?b]`
    Optional,
    /// The last part of `has(a.b)`.
    Presence,
}

impl Attribute {
    /// Adds a part that is read.
    pub(super) fn push(&mut self, qualifier: Arc<Qualifier>) {
        match &mut self.root {
            Root::Conditional(conditional) => {
                conditional.truthy.push(qualifier.clone());
                conditional.falsy.push(qualifier);
            }
            _ => self.qualifiers.push(qualifier),
        }
    }
}
