//! `-o pos`: a line for each node, after its position.

use std::fmt::Write as _;

use super::super::{Document, Position, Value};
use super::leaf;

/// How far the column of positions grows beyond the longest one so far.
const ROOM: usize = 10;

/// Prints nodes with their positions; the column of positions only grows.
#[derive(Debug, Default)]
pub(super) struct PositionPrinter {
    width: usize,
}

impl PositionPrinter {
    pub(super) fn document(&mut self, out: &mut String, document: &Document) {
        self.line(out, &document.meta.position(), 0, "[doc]");
        self.value(out, &document.value, 1);
    }

    fn value(&mut self, out: &mut String, value: &Value, level: usize) {
        let mut steps = Vec::new();
        self.below(out, value, level, &mut steps);
        while let Some(Step { position, name, value, level }) = steps.pop() {
            match leaf(value).filter(|text| !text.contains('\n')) {
                Some(text) => self.line(out, &position, level, &format!("{name} {text}")),
                None => {
                    self.line(out, &position, level, &name);
                    self.below(out, value, level + 1, &mut steps);
                }
            }
        }
    }

    /// Prints a scalar on lines of its own, or puts the items of a collection before the other steps.
    fn below<'v>(&mut self, out: &mut String, value: &'v Value, level: usize, steps: &mut Vec<Step<'v>>) {
        match value {
            Value::Map(map) => steps.extend(map.items.iter().rev().map(|item| Step {
                position: item.meta.position(),
                name: format!("{}:", item.key.go_string()),
                value: &item.value,
                level,
            })),
            Value::Array(array) => steps.extend(array.items.iter().enumerate().rev().map(|(index, item)| {
                Step { position: item.meta.position(), name: format!("[{index}]"), value: &item.value, level }
            })),
            scalar => {
                self.pad(out, "");
                indent(out, level);
                let _ = writeln!(out, "{}", leaf(scalar).unwrap_or_default());
            }
        }
    }

    fn line(&mut self, out: &mut String, position: &Position, level: usize, text: &str) {
        if position.is_known() {
            self.pad(out, &position.to_string());
        }
        indent(out, level);
        let _ = writeln!(out, "{text}");
    }

    fn pad(&mut self, out: &mut String, position: &str) {
        if position.len() > self.width {
            self.width = position.len() + ROOM;
        }
        let width = self.width;
        let _ = write!(out, "{position:>width$} | ");
    }
}

/// An item that is left to print.
struct Step<'v> {
    position: Position,
    name: String,
    value: &'v Value,
    level: usize,
}

fn indent(out: &mut String, level: usize) {
    out.extend(std::iter::repeat_n("  ", level));
}
