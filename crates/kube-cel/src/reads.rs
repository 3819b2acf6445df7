//! What an expression reads of an object: where a rule reads only one field, a finding can point at that field.

use std::sync::Arc;

use trueline_cel::ast::{Expr, ExprKind};

/// What an expression reads.
#[derive(Debug, Default)]
pub struct Reads {
    /// The paths of fields, by the names that expressions have for them.
    fields: Vec<Vec<Arc<str>>>,
    /// Whether it reads the object in a way that is not a path.
    is_entangled: bool,
}

impl Reads {
    /// What an expression reads of these variables. Reading one of `others` says nothing of a field, but may decide.
    pub fn of(root: &Expr, variables: &[&str], others: &[&str]) -> Self {
        let mut reads = Reads::default();
        for (name, path) in roots(root) {
            match path {
                _ if others.contains(&name) => reads.is_entangled = true,
                _ if !variables.contains(&name) => {}
                Some(path) if reads.fields.contains(&path) => {}
                Some(path) => reads.fields.push(path),
                None => reads.is_entangled = true,
            }
        }
        let mut open = vec![root];
        while let Some(expression) = open.pop() {
            reads.is_entangled |= matches!(expression.kind, ExprKind::Comprehension(_));
            children(expression, &mut open);
        }
        reads
    }

    /// The only field that is read; nothing if there are several, or if more than fields is read.
    pub fn only_field(self) -> Option<Vec<Arc<str>>> {
        let is_single = self.fields.len() == 1 && !self.is_entangled;
        self.fields.into_iter().next().filter(|_| is_single)
    }
}

/// The names that an expression reads, each with the path of the field that is read of it, if it is a path.
pub fn roots(root: &Expr) -> Vec<(&str, Option<Vec<Arc<str>>>)> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(expression) = open.pop() {
        match &expression.kind {
            ExprKind::Ident(name) => found.push((&**name, None)),
            ExprKind::Select { .. } => match path(expression) {
                Some((name, path)) => found.push((name, Some(path))),
                None => children(expression, &mut open),
            },
            _ => children(expression, &mut open),
        }
    }
    found
}

fn children<'e>(expression: &'e Expr, open: &mut Vec<&'e Expr>) {
    match &expression.kind {
        ExprKind::Literal(_) | ExprKind::Ident(_) => {}
        ExprKind::Select { operand, .. } => open.push(operand),
        ExprKind::Call { target, args, .. } => open.extend(target.as_deref().into_iter().chain(args)),
        ExprKind::List { elements, .. } => open.extend(elements),
        ExprKind::Map(entries) | ExprKind::Struct { fields: entries, .. } => {
            open.extend(entries.iter().flat_map(|entry| [&entry.key, &entry.value]));
        }
        ExprKind::Comprehension(parts) => {
            open.extend([&parts.range, &parts.start, &parts.condition, &parts.step, &parts.result]);
        }
    }
}

/// The variable and the names of fields of `a.b.c`.
fn path(expression: &Expr) -> Option<(&str, Vec<Arc<str>>)> {
    let mut names = Vec::new();
    let mut here = expression;
    loop {
        match &here.kind {
            ExprKind::Select { operand, field, .. } => {
                names.push(Arc::clone(field));
                here = operand;
            }
            ExprKind::Ident(root) => {
                names.reverse();
                return Some((root, names));
            }
            _ => return None,
        }
    }
}
