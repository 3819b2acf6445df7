//! What the checker found out about an expression.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{Ast, ExprId};
use crate::function::Function;
use crate::types::Type;

/// An expression whose types are known. Names in its tree are full names, and calls of functions in namespaces have no
/// receiver.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The tree.
    pub ast: Ast,
    /// The type of each node, by its number.
    pub types: FxHashMap<ExprId, Type>,
    /// What names and calls mean, by the number of the node.
    pub references: FxHashMap<ExprId, Reference>,
}

impl Checked {
    /// The type of the whole expression.
    pub fn result(&self) -> Type {
        self.type_of(self.ast.root.id)
    }

    /// The type of a node.
    pub fn type_of(&self, id: ExprId) -> Type {
        self.types.get(&id).cloned().unwrap_or(Type::Dyn)
    }
}

/// What a name or a call means.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A variable or a type.
    Name,
    /// A function with the numbers of the overloads that may be meant.
    Call(Arc<Function>, Vec<usize>),
}
