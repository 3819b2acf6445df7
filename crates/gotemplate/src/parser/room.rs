//! What parsing text leaves for the next one: memory, and the names that many texts share.
//!
//! The parts of the text are collected in reused vectors and copied out once their number is known, so no more
//! memory is touched than is kept.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Functions;
use crate::node::{Bytes, Command, ConstantId, Name, NameId, Node, Nodes, Operand, Variable};

/// The number that means "not a function".
pub(super) const NO_FUNCTION: u32 = u32::MAX;

/// At most this many names are kept from one text to the next.
const MOST_WORDS: usize = 1 << 14;

/// Longer constants are rarely the same in two texts.
const LONGEST_CONSTANT: usize = 64;

/// Reusable memory for parsing texts with one table of functions.
#[derive(Debug)]
pub(crate) struct Room {
    pub(super) kept: Nodes,
    pub(super) words: Words,
    pub(super) nodes: Vec<Node>,
    pub(super) commands: Vec<Command>,
    pub(super) operands: Vec<Operand>,
    pub(super) variables: Vec<Variable>,
    pub(super) fields: Vec<NameId>,
}

impl Default for Room {
    fn default() -> Self {
        Room {
            kept: Nodes::new(Arc::default()),
            words: Words::default(),
            nodes: Vec::new(),
            commands: Vec::new(),
            operands: Vec::new(),
            variables: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl Room {
    /// Prepares it for another text.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.commands.clear();
        self.operands.clear();
        self.variables.clear();
        self.fields.clear();
        self.words.next_text();
    }
}

/// The names and the string constants of texts.
#[derive(Debug, Default)]
pub(super) struct Words {
    names: FxHashMap<Box<[u8]>, KnownName>,
    /// By their source, with the quotes.
    constants: FxHashMap<Box<[u8]>, KnownConstant>,
    /// Which text is being parsed; numbers from other texts are invalid.
    text: u64,
}

#[derive(Debug)]
struct KnownName {
    name: Name,
    function: u32,
    id: NameId,
    text: u64,
}

#[derive(Debug)]
struct KnownConstant {
    value: Bytes,
    id: ConstantId,
    text: u64,
}

/// A name that is in the text.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) name: NameId,
    /// The function of that name, or [`NO_FUNCTION`].
    pub(super) function: u32,
}

impl Words {
    fn next_text(&mut self) {
        self.text += 1;
        if self.names.len() > MOST_WORDS {
            self.names.clear();
        }
        if self.constants.len() > MOST_WORDS {
            self.constants.clear();
        }
    }

    /// The number of a name in the current text, which stores it.
    pub(super) fn name(&mut self, written: &[u8], functions: &Functions, kept: &mut Nodes) -> Known {
        if let Some(known) = self.names.get_mut(written) {
            if known.text != self.text {
                known.text = self.text;
                known.id = kept.add_name(Arc::clone(&known.name));
            }
            return Known { name: known.id, function: known.function };
        }
        let name: Name = String::from_utf8_lossy(written).into();
        let function = functions.id(&name).unwrap_or(NO_FUNCTION);
        let id = kept.add_name(Arc::clone(&name));
        self.names.insert(written.into(), KnownName { name, function, id, text: self.text });
        Known { name: id, function }
    }

    /// The number of a string constant in the current text, if it was seen before.
    pub(super) fn constant(&mut self, written: &[u8], kept: &mut Nodes) -> Option<ConstantId> {
        let known = self.constants.get_mut(written)?;
        if known.text != self.text {
            known.text = self.text;
            known.id = kept.add_constant(Arc::clone(&known.value));
        }
        Some(known.id)
    }

    /// Adds a string constant with its value.
    pub(super) fn add_constant(&mut self, written: &[u8], value: Bytes, kept: &mut Nodes) -> ConstantId {
        let id = kept.add_constant(Arc::clone(&value));
        if written.len() <= LONGEST_CONSTANT {
            self.constants.insert(written.into(), KnownConstant { value, id, text: self.text });
        }
        id
    }
}
