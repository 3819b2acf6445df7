//! Lists, branches and calls of templates.

use std::rc::Rc;
use std::sync::Arc;

use super::branches::Part;
use super::{Cell, Flow, Frame, Run};
use crate::node::{Branch, BranchKind, List, Node, Template};
use crate::{Data, Element, Entry, Error, Kind, MapKind, Reason, Str, UintKind, Value, fmt};

impl Run<'_> {
    /// Executes the nodes of a list one after the other.
    pub(super) fn list<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        list: &'t List,
    ) -> Result<Flow, Error> {
        let nodes = frame.nodes;
        for node in list.nodes(nodes) {
            match node {
                Node::Text(place) => self.write_text(frame, *place)?,
                Node::Action(action) => {
                    frame.node = action;
                    self.step(frame)?;
                    let pipe = nodes.pipe(action.pipe);
                    let value = self.pipeline(frame, dot, pipe)?;
                    if !pipe.has_variables() {
                        frame.node = action;
                        self.print(frame, action.place, &value)?;
                    }
                }
                Node::Branch(branch) => {
                    let flow = self.branch(frame, dot, nodes.branch(*branch))?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
                Node::Template(template) => self.template(frame, dot, template)?,
                Node::Break(_) => return Ok(Flow::Break),
                Node::Continue(_) => return Ok(Flow::Continue),
            }
        }
        Ok(Flow::Next)
    }

    fn branch<'t>(&mut self, frame: &mut Frame<'t>, dot: &Cell, branch: &'t Branch) -> Result<Flow, Error> {
        frame.node = branch;
        self.step(frame)?;
        self.deeper(frame)?;
        let mark = frame.variables.len();
        let flow = match branch.kind {
            BranchKind::Range => self.range(frame, dot, branch),
            BranchKind::If | BranchKind::With => self.condition(frame, dot, branch),
        };
        frame.variables.truncate(mark);
        self.depth -= 1;
        flow
    }

    fn condition<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        dot: &Cell,
        branch: &'t Branch,
    ) -> Result<Flow, Error> {
        let value = self.pipeline(frame, dot, &branch.pipe)?;
        if value.value.is_true() {
            self.take(frame, branch, Part::List);
            let dot = if branch.kind == BranchKind::With { &value } else { dot };
            return self.list(frame, dot, &branch.list);
        }
        self.take(frame, branch, Part::Otherwise);
        match &branch.otherwise {
            Some(otherwise) => self.list(frame, dot, otherwise),
            None => Ok(Flow::Next),
        }
    }

    fn range<'t>(&mut self, frame: &mut Frame<'t>, dot: &Cell, branch: &'t Branch) -> Result<Flow, Error> {
        let value = self.pipeline(frame, dot, &branch.pipe)?;
        let mut items = self.items(frame, branch, &value.value)?;
        self.take(frame, branch, if items.is_empty() { Part::Otherwise } else { Part::List });
        if items.is_empty() {
            let Some(otherwise) = &branch.otherwise else { return Ok(Flow::Next) };
            // Go ends only this `range` at a `break` in its `else`, although it belongs to the outer one.
            return Ok(match self.list(frame, dot, otherwise)? {
                Flow::Break => Flow::Next,
                flow => flow,
            });
        }
        let mark = frame.variables.len();
        while let Some((index, item)) = items.next() {
            self.step(frame)?;
            set_variables(frame, branch, index, &item)?;
            let flow = self.list(frame, &item, &branch.list)?;
            frame.variables.truncate(mark);
            if flow == Flow::Break {
                break;
            }
        }
        Ok(Flow::Next)
    }

    fn items(&mut self, frame: &Frame<'_>, branch: &Branch, value: &Value) -> Result<Items, Error> {
        // They are copied first, even if the first one ends the loop.
        let copied = match &value.data {
            Data::Map(map) => map.len(),
            Data::Bytes(bytes) => bytes.len(),
            Data::Object(object) => object.weight() / 256,
            _ => 0,
        };
        crate::Context::spend(self, (copied as u64).saturating_mul(16))?;
        Ok(match &value.data {
            Data::Invalid | Data::Nil => Items::List(vec![].into_iter().enumerate(), Boxed::No),
            Data::Int(..) | Data::Uint(..) if branch.pipe.variables(frame.nodes).len() > 1 => {
                let text = fmt::text(value);
                let words = format!("can't use {} to iterate over more than one variable", text.text());
                let reason = Reason::NotIterable { found: value.type_name() };
                return Err(frame.error_about(words, reason, &[value]));
            }
            Data::Int(kind, number) => {
                let kind = *kind;
                Items::Numbers(
                    0..u64::try_from(*number).unwrap_or(0),
                    Box::new(move |number| {
                        Value::new(Data::Int(kind, i64::try_from(number).unwrap_or(i64::MAX)))
                    }),
                )
            }
            Data::Uint(kind, number) => {
                let kind = *kind;
                Items::Numbers(0..*number, Box::new(move |number| Value::new(Data::Uint(kind, number))))
            }
            Data::List(list) => {
                let boxed = if list.element() == Element::Any { Boxed::Yes } else { Boxed::No };
                Items::Shared(list.clone(), 0, boxed)
            }
            Data::Bytes(bytes) => {
                let items: Vec<Value> = bytes
                    .iter()
                    .map(|byte| Value::new(Data::Uint(UintKind::Uint8, u64::from(*byte))))
                    .collect();
                Items::List(items.into_iter().enumerate(), Boxed::No)
            }
            Data::Map(map) => {
                let boxed = if map.kind() == MapKind::String { Boxed::No } else { Boxed::Yes };
                // A snapshot: the loop does not see what the template writes to the map.
                let entries: Vec<(Value, Value)> = map.read(|entries| {
                    let pair = |(key, entry): (&Arc<str>, &Entry)| {
                        (Value::from(Str::from(Arc::clone(key))).at(entry.key_origin), entry.value.clone())
                    };
                    entries.iter().map(pair).collect()
                });
                Items::Map(entries.into_iter(), boxed)
            }
            Data::Object(object) => match (object.kind(), object.entries(), object.items()) {
                (Kind::Map, Some(entries), _) => {
                    let entries: Vec<(Value, Value)> = entries
                        .into_iter()
                        .map(|(key, value)| (Value::from(Str::from(key)), value))
                        .collect();
                    Items::Map(entries.into_iter(), Boxed::No)
                }
                (Kind::Slice, _, Some(items)) => Items::List(items.into_iter().enumerate(), Boxed::No),
                _ => return Err(not_iterable(frame, value)),
            },
            Data::Bool(_) | Data::Float(_) | Data::Complex(_) | Data::String(_) => {
                return Err(not_iterable(frame, value));
            }
        })
    }

    /// `{{template}}`.
    fn template<'t>(&mut self, frame: &mut Frame<'t>, dot: &Cell, call: &'t Template) -> Result<(), Error> {
        frame.node = call;
        self.step(frame)?;
        let name = frame.nodes.constant(call.name);
        let Some(template) = self.lookup(name) else {
            let words = format!("template {} not defined", fmt::quote(name));
            return Err(frame.error(words, Some(self.set.no_template(name))));
        };
        self.deeper(frame)?;
        let dot = match call.pipe {
            Some(pipe) => self.pipeline(frame, dot, frame.nodes.pipe(pipe))?,
            None => Cell::INVALID,
        };
        let (tree, origin) = (Arc::clone(&template.tree), Rc::clone(&template.origin));
        let start = self.out.bytes().len();
        let result = self.execute_tree(&tree, &origin, dot);
        self.note_call(frame, call.place, start);
        self.depth -= 1;
        result
    }
}

/// Sets the variables of a `range` for one item.
fn set_variables<'t>(
    frame: &mut Frame<'t>,
    branch: &'t Branch,
    index: Value,
    item: &Cell,
) -> Result<(), Error> {
    let pipe = &branch.pipe;
    let index = Cell::plain(index);
    let nodes = frame.nodes;
    match (pipe.variables(nodes), pipe.is_assign) {
        ([], _) => {}
        ([one], true) => set(frame, nodes.name(one.name), item.clone())?,
        ([one, two, ..], true) => {
            set(frame, nodes.name(one.name), index)?;
            set(frame, nodes.name(two.name), item.clone())?;
        }
        (variables, false) => {
            let mut top = frame.variables.iter_mut().rev();
            if let Some((_, cell)) = top.next() {
                *cell = item.clone();
            }
            if variables.len() > 1
                && let Some((_, cell)) = top.next()
            {
                *cell = index;
            }
        }
    }
    Ok(())
}

/// Assigns to a variable. Go's parser treats an assignment like a declaration, so only here a missing variable
/// is noticed.
pub(super) fn set(frame: &mut Frame<'_>, name: &str, cell: Cell) -> Result<(), Error> {
    match frame.variables.iter_mut().rev().find(|(known, _)| *known == name) {
        Some((_, variable)) => {
            *variable = cell;
            Ok(())
        }
        None => {
            let reason = Reason::Undeclared { name: name.to_owned() };
            Err(frame.error(format!("undefined variable: {name}"), Some(reason)))
        }
    }
}

fn not_iterable(frame: &Frame<'_>, value: &Value) -> Error {
    let words = format!("range can't iterate over {}", fmt::text(value).text());
    frame.error_about(words, Reason::NotIterable { found: value.type_name() }, &[value])
}

/// Whether items are wrapped in interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boxed {
    Yes,
    No,
}

/// What a `range` iterates over.
enum Items {
    Numbers(std::ops::Range<u64>, Box<dyn Fn(u64) -> Value>),
    List(std::iter::Enumerate<std::vec::IntoIter<Value>>, Boxed),
    Shared(crate::List, usize, Boxed),
    Map(std::vec::IntoIter<(Value, Value)>, Boxed),
}

impl Items {
    fn is_empty(&self) -> bool {
        match self {
            Items::Numbers(range, _) => range.is_empty(),
            Items::List(items, _) => items.len() == 0,
            Items::Shared(list, ..) => list.is_empty(),
            Items::Map(entries, _) => entries.len() == 0,
        }
    }

    fn next(&mut self) -> Option<(Value, Cell)> {
        let cell = |value, boxed| match boxed {
            Boxed::Yes => Cell::boxed(value),
            Boxed::No => Cell::plain(value),
        };
        let number = |index: usize| Value::int(i64::try_from(index).unwrap_or(i64::MAX));
        match self {
            Items::Numbers(range, value) => {
                range.next().map(|number| (Value::new(Data::Invalid), Cell::plain(value(number))))
            }
            Items::List(items, boxed) => {
                items.next().map(|(index, value)| (number(index), cell(value, *boxed)))
            }
            Items::Shared(list, position, boxed) => {
                let value = list.get(*position)?.clone();
                *position += 1;
                Some((number(*position - 1), cell(value, *boxed)))
            }
            Items::Map(entries, boxed) => entries.next().map(|(key, value)| (key, cell(value, *boxed))),
        }
    }
}
