//! From a tree back to text, in one line and with no more brackets than needed.
//!
//! Reading the text again gives the same tree.

use std::fmt::Write;

use super::names;
use crate::ast::{Ask, Ast, Entry, Expr, ExprKind};
use crate::value::Value;

/// The text of an expression that was read with [`super::ParseOptions::keep_macro_calls`]. Without the calls, a loop that
/// a macro was replaced by is only described.
#[must_use]
pub fn print(ast: &Ast) -> String {
    let mut printer = Printer { ast, text: String::new() };
    printer.expr(&ast.root);
    printer.text
}

/// How tightly the parts of an expression are bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Conditional,
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
    Member,
}

struct Printer<'a> {
    ast: &'a Ast,
    text: String,
}

impl<'a> Printer<'a> {
    /// The call that an expression was written as, if it is a macro.
    fn written(&self, expr: &'a Expr) -> &'a Expr {
        self.ast.macro_calls.get(&expr.id).unwrap_or(expr)
    }

    fn binding(&self, expr: &'a Expr) -> Binding {
        let ExprKind::Call { target: None, function, args } = &self.written(expr).kind else {
            return Binding::Member;
        };
        match (&**function, args.len()) {
            (names::CONDITIONAL, 3) => Binding::Conditional,
            (names::OR, 2) => Binding::Or,
            (names::AND, 2) => Binding::And,
            (names::NOT | names::NEGATE, 1) => Binding::Unary,
            (function, 2) => match names::symbol(function) {
                Some("+" | "-") => Binding::Sum,
                Some("*" | "/" | "%") => Binding::Product,
                Some(_) => Binding::Relation,
                None => Binding::Member,
            },
            _ => Binding::Member,
        }
    }

    /// The expression, in brackets if it is bound less tightly than wanted.
    fn bound(&mut self, expr: &'a Expr, least: Binding) {
        if self.binding(expr) < least {
            self.text.push('(');
            self.expr(expr);
            self.text.push(')');
        } else {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        let expr = self.written(expr);
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(value),
            ExprKind::Ident(name) => self.text.push_str(name),
            ExprKind::Select { operand, field, ask: Ask::Value } => self.select(operand, ".", field),
            ExprKind::Select { operand, field, ask: Ask::Presence } => {
                self.text.push_str("has(");
                self.select(operand, ".", field);
                self.text.push(')');
            }
            ExprKind::Call { target: None, function, args } => self.call(expr, function, args),
            ExprKind::Call { target: Some(target), function, args } => {
                self.bound(target, Binding::Member);
                self.text.push('.');
                self.arguments(function, args);
            }
            ExprKind::List { elements, optional } => {
                self.text.push('[');
                for (index, element) in elements.iter().enumerate() {
                    self.separate(index);
                    if optional.iter().any(|&optional| optional as usize == index) {
                        self.text.push('?');
                    }
                    self.expr(element);
                }
                self.text.push(']');
            }
            ExprKind::Map(entries) => self.entries(entries),
            ExprKind::Struct { name, fields } => {
                self.text.push_str(name);
                self.entries(fields);
            }
            ExprKind::Comprehension(comprehension) => {
                let parts = [
                    &comprehension.range,
                    &comprehension.start,
                    &comprehension.condition,
                    &comprehension.step,
                    &comprehension.result,
                ];
                self.text.push_str("@loop(");
                for (index, part) in parts.into_iter().enumerate() {
                    self.separate(index);
                    self.expr(part);
                }
                self.text.push(')');
            }
        }
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push_str(", ");
        }
    }

    fn select(&mut self, operand: &'a Expr, operator: &str, field: &str) {
        self.bound(operand, Binding::Member);
        self.text.push_str(operator);
        self.field(field);
    }

    fn field(&mut self, field: &str) {
        if is_plain(field) {
            self.text.push_str(field);
        } else {
            let _ = write!(self.text, "`{field}`");
        }
    }

    fn arguments(&mut self, function: &str, args: &'a [Expr]) {
        self.text.push_str(function);
        self.text.push('(');
        for (index, arg) in args.iter().enumerate() {
            self.separate(index);
            self.expr(arg);
        }
        self.text.push(')');
    }

    fn call(&mut self, expr: &'a Expr, function: &str, args: &'a [Expr]) {
        let binding = self.binding(expr);
        match (function, args) {
            (names::CONDITIONAL, [condition, yes, no]) => {
                self.bound(condition, Binding::Or);
                self.text.push_str(" ? ");
                self.bound(yes, Binding::Or);
                self.text.push_str(" : ");
                self.expr(no);
            }
            (names::OR | names::AND, [_, _]) => self.logic(expr, function, binding),
            (names::NOT | names::NEGATE, [operand]) => {
                self.text.push(if function == names::NOT { '!' } else { '-' });
                let start = self.text.len();
                self.bound(operand, Binding::Member);
                // A minus sign directly before a number would belong to the number.
                let is_number = self.text.get(start..).is_some_and(|text| text.starts_with(is_of_number));
                if function == names::NEGATE && is_number {
                    self.text.insert(start, '(');
                    self.text.push(')');
                }
            }
            (names::INDEX | names::OPTIONAL_INDEX, [operand, index]) => {
                self.bound(operand, Binding::Member);
                self.text.push_str(if function == names::INDEX { "[" } else { "[?" });
                self.expr(index);
                self.text.push(']');
            }
            (
                names::OPTIONAL_SELECT,
                [operand, Expr { kind: ExprKind::Literal(Value::String(field)), .. }],
            ) => {
                self.select(operand, ".?", field);
            }
            (_, [left, right]) if names::symbol(function).is_some() => {
                let symbol = names::symbol(function).unwrap_or_default();
                self.bound(left, binding);
                let _ = write!(self.text, " {symbol} ");
                // Operators of the same kind are read from the left.
                let tighter = match binding {
                    Binding::Relation => Binding::Sum,
                    Binding::Sum => Binding::Product,
                    _ => Binding::Unary,
                };
                self.bound(right, tighter);
            }
            _ => self.arguments(function, args),
        }
    }

    /// Terms joined by one operator. They are written in a row if reading a row gives the same tree.
    fn logic(&mut self, expr: &'a Expr, function: &str, binding: Binding) {
        let mut terms = Vec::new();
        if !self.is_balanced(expr, function, &mut terms) {
            let ExprKind::Call { args, .. } = &expr.kind else { return };
            terms = args.iter().collect();
        }
        let tighter = if binding == Binding::Or { Binding::And } else { Binding::Relation };
        for (index, term) in terms.into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(if binding == Binding::Or { " || " } else { " && " });
            }
            self.bound(term, tighter);
        }
    }

    /// Collects the terms of an operator, and whether they are arranged as reading them in a row does.
    fn is_balanced(&self, expr: &'a Expr, function: &str, terms: &mut Vec<&'a Expr>) -> bool {
        let expr = self.written(expr);
        match &expr.kind {
            ExprKind::Call { target: None, function: name, args } if **name == *function => {
                let [left, right] = args.as_slice() else { return false };
                let before = terms.len();
                let is_left = self.is_balanced(left, function, terms);
                let middle = terms.len();
                let is_right = self.is_balanced(right, function, terms);
                let operators = terms.len() - before - 1;
                is_left && is_right && middle - before - 1 == operators / 2
            }
            _ => {
                terms.push(expr);
                true
            }
        }
    }

    fn entries(&mut self, entries: &'a [Entry]) {
        self.text.push('{');
        let is_struct = |entry: &Entry| entry.key.id == entry.id;
        for (index, entry) in entries.iter().enumerate() {
            self.separate(index);
            if entry.is_optional {
                self.text.push('?');
            }
            match &entry.key.kind {
                ExprKind::Literal(Value::String(field)) if is_struct(entry) => self.field(field),
                _ => self.expr(&entry.key),
            }
            self.text.push_str(": ");
            self.expr(&entry.value);
        }
        self.text.push('}');
    }

    fn literal(&mut self, value: &Value) {
        let _ = match value {
            Value::Bool(value) => write!(self.text, "{value}"),
            Value::Int(value) => write!(self.text, "{value}"),
            Value::UInt(value) => write!(self.text, "{value}u"),
            // The form for debugging always has a point or an exponent.
            Value::Double(value) => write!(self.text, "{value:?}"),
            Value::String(value) => {
                write_string(&mut self.text, value);
                Ok(())
            }
            Value::Bytes(bytes) => {
                write_bytes(&mut self.text, bytes);
                Ok(())
            }
            _ => write!(self.text, "null"),
        };
    }
}

/// Writes a string as a literal.
pub fn write_string(text: &mut String, value: &str) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

/// Writes bytes as a literal.
pub fn write_bytes(text: &mut String, bytes: &[u8]) {
    text.push_str("b\"");
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push('"');
}

/// Whether a number begins with the character.
fn is_of_number(character: char) -> bool {
    character == '-' || character.is_ascii_digit()
}

/// Whether a field can be written without back quotes.
fn is_plain(field: &str) -> bool {
    let mut characters = field.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && characters.all(|character| character == '_' || character.is_ascii_alphanumeric())
        && !matches!(field, "in" | "true" | "false" | "null")
}
