//! Names: what they mean in scopes, among variables and among types.

use std::sync::Arc;

use crate::ast::{Ask, Expr, ExprKind};
use crate::check::Checker;
use crate::function::Function;
use crate::types::Type;

impl Checker<'_> {
    /// The full name and the type of what a name means.
    pub(super) fn lookup(&self, name: &str) -> Option<(Arc<str>, Type)> {
        self.env.candidates(name).find_map(|candidate| {
            let local = self.scopes.iter().rev().flatten().find(|(name, _)| **name == *candidate);
            if let Some((name, declared)) = local {
                return Some((name.clone(), declared.clone()));
            }
            if let Some(number) = self.env.variable(&candidate) {
                let variable = self.env.variables().get(number)?;
                return Some((variable.name.clone(), variable.declared.clone()));
            }
            let named = self.env.named_type(&candidate)?;
            Some((candidate.into(), Type::type_of(named)))
        })
    }

    /// The function that a name means.
    pub(super) fn lookup_function(&self, name: &str) -> Option<Arc<Function>> {
        self.env.candidates(name).find_map(|candidate| self.env.function(&candidate).cloned())
    }
}

/// The dotted name that an expression may be.
pub(crate) fn qualified(expr: &Expr) -> Option<String> {
    let mut fields: Vec<&Arc<str>> = Vec::new();
    let mut expr = expr;
    loop {
        match &expr.kind {
            ExprKind::Ident(name) => {
                let mut qualified = name.to_string();
                for field in fields.iter().rev() {
                    qualified.push('.');
                    qualified.push_str(field);
                }
                return Some(qualified);
            }
            ExprKind::Select { operand, field, ask: Ask::Value } => {
                fields.push(field);
                expr = operand;
            }
            _ => return None,
        }
    }
}
