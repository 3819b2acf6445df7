//! The instructions of the evaluator.

use std::sync::Arc;

use crate::custom::{BinaryOp, CompareOp, UnaryOp};
use crate::error::Position;
use crate::library::Methods;

/// An instruction. Operands are taken from the top of the stack, and results are put there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Duplicate,
    DuplicateTwo,
    Pop,
    Exchange,
    Compare(CompareOp),
    Binary(BinaryOp),
    InplaceAdd,
    Unary(UnaryOp),
    Not,
    None,
    /// A parameter after `*` without a value.
    Mandatory,
    Jump(u32),
    /// A jump backwards, which costs a step and what it jumps over.
    Loop(u32),
    /// Jumps if the top is true, and removes it.
    JumpIf(u32),
    JumpIfNot(u32),
    /// Jumps if the top is true, and otherwise removes it.
    JumpIfOrPop(u32),
    JumpIfNotOrPop(u32),
    Call(CallShape),
    /// A call with `*args`, `**kwargs` or both.
    CallStars(CallShape, Stars),
    /// Replaces a value with the value and its method, or with nothing and its attribute.
    LoadMethod(u32),
    /// A call of what `LoadMethod` found.
    CallMethod(CallShape),
    BeginIteration,
    /// The next element, or a jump.
    Next(u32),
    EndIteration,
    Return,
    SetIndex,
    Index,
    Attr(u32),
    SetAttr(u32),
    MakeDict,
    SetDict,
    SetDictUnique,
    Append,
    Slice,
    Unpack(u32),
    Constant(u32),
    MakeTuple(u32),
    MakeList(u32),
    MakeFunction(u32),
    Load(u32),
    SetLocal(u32),
    SetCell(u32),
    SetGlobal(u32),
    Local(u32),
    LocalCell(u32),
    Free(u32),
    Global(u32),
    Predeclared(u32),
    Universal(u32),
}

/// How many arguments a call has, and where the list of their names is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallShape {
    pub(crate) positional: u8,
    pub(crate) named: u8,
    pub(crate) names: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stars {
    Args,
    Kwargs,
    Both,
}

/// Where a function finds a variable of the function around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Capture {
    Local(u32),
    Free(u32),
}

/// A name after a dot, with the methods of that name.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: Arc<str>,
    pub(crate) methods: Methods,
}

/// A `load`.
#[derive(Debug)]
pub(crate) struct Loading {
    pub(crate) module: String,
    pub(crate) names: Vec<Arc<str>>,
}

/// The code of a function, or of the file outside of functions.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) name: Arc<str>,
    pub(crate) file: Arc<str>,
    pub(crate) position: Position,
    pub(crate) ops: Vec<Op>,
    /// The instructions that have their own place, in order.
    pub(crate) positions: Vec<(u32, Position)>,
    /// The names of the local variables, parameters first.
    pub(crate) locals: Vec<Arc<str>>,
    /// The names of the variables of functions around it.
    pub(crate) free: Vec<Arc<str>>,
    pub(crate) captures: Vec<Capture>,
    /// Local variables that functions inside use as well.
    pub(crate) cells: Vec<u32>,
    /// All parameters, with `*args` and `**kwargs`.
    pub(crate) params: usize,
    pub(crate) keyword_only: usize,
    pub(crate) defaults: usize,
    pub(crate) has_args: bool,
    pub(crate) has_kwargs: bool,
    /// Constants that are the names of arguments, for calls.
    pub(crate) argument_names: Vec<Vec<u32>>,
    pub(crate) loads: Vec<Loading>,
    pub(crate) functions: Vec<Arc<Code>>,
    /// Shared by all functions of a program.
    pub(crate) names: Arc<[Name]>,
    pub(crate) globals: Arc<[Arc<str>]>,
}

impl Code {
    /// The place of an instruction: its own, or that of the last earlier one that has one.
    pub(crate) fn position_of(&self, op: usize) -> Position {
        let after = self.positions.partition_point(|(first, _)| *first as usize <= op);
        let entry = self.positions.get(after.saturating_sub(1));
        entry.map(|(_, position)| *position).unwrap_or_default()
    }

    /// Whether all parameters are plain and required.
    pub(crate) fn is_plain(&self) -> bool {
        !self.has_args && !self.has_kwargs && self.keyword_only == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<Op>(), 8);
    }
}
