//! The evaluator: a tree and a value to text.

mod branches;
mod call;
mod context;
mod fault;
mod field;
mod options;
mod origin;
mod output;
mod pipeline;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

pub use branches::{Branches, Taken};
pub(crate) use call::LARGEST_RESULT;
pub use options::{Limits, MapMethod, MissingKey, Options};
pub(crate) use origin::TextOrigin;

use std::rc::Rc;
use std::sync::Arc;

use trueline_source::Call;

use crate::node::{Nodes, Syntax, Tree};
use crate::set::{Rendered, Template, Templates, Trees};
use crate::{Data, Error, Origins, Str, StrBuilder, Value};

/// Runs a template of a set with `dot`.
pub(crate) fn run(
    set: &Templates,
    name: &str,
    dot: &Value,
    options: &Options<'_>,
) -> Result<Rendered, Error> {
    let mut run = Run {
        set,
        options,
        traces: options.origins == Origins::Kept,
        overlays: Vec::new(),
        out: StrBuilder::default(),
        calls: Vec::new(),
        nesting: 0,
        outer_bytes: 0,
        depth: 0,
        steps: options.limits.steps,
        spare: Vec::new(),
        spare_out: Vec::new(),
    };
    let text = run.execute_named(name.as_bytes(), dot);
    let spent = options.limits.steps - run.steps;
    if let Some(noted) = options.spent {
        noted.set(spent);
    }
    Ok(Rendered { text: text?, calls: run.calls, steps: spent })
}

/// After so many steps it is asked whether somebody still wants the output.
const STEPS_UNASKED: u64 = 1 << 10;

/// The state of one run.
struct Run<'r> {
    set: &'r Templates,
    options: &'r Options<'r>,
    traces: bool,
    /// The templates of texts that are being run, seen before those of the set.
    overlays: Vec<Overlay>,
    /// What is being written.
    out: StrBuilder,
    /// Which actions of the template that is run wrote text of others.
    calls: Vec<Call>,
    /// How many templates are running: one while the template that was asked for runs itself.
    nesting: u32,
    /// How much was written by templates that wait for the one that is running.
    outer_bytes: u64,
    depth: u32,
    /// How many steps are left.
    steps: u64,
    /// Lists for arguments, and room for output, that are not in use.
    spare: Vec<Vec<Value>>,
    spare_out: Vec<StrBuilder>,
}

/// The templates of a text that is being run.
struct Overlay {
    trees: Trees,
    origin: Rc<TextOrigin>,
}

/// What one template keeps while it runs.
struct Frame<'t> {
    tree: &'t Tree,
    nodes: &'t Nodes,
    origin: &'t TextOrigin,
    /// The node that messages are about.
    node: &'t dyn Syntax,
    variables: Vec<(&'t str, Cell)>,
}

/// A value in Go's sense: what it is, and whether it stands in an interface, where only its fields can be
/// asked for. [`Data::Nil`] is an empty interface; [`Data::Invalid`] is no value at all.
#[derive(Debug, Clone, Default)]
struct Cell {
    value: Value,
    boxed: bool,
}

impl Cell {
    /// No value at all.
    const INVALID: Cell = Cell { value: Value::new(Data::Invalid), boxed: false };

    fn plain(value: Value) -> Self {
        Cell { value, boxed: false }
    }

    fn boxed(value: Value) -> Self {
        Cell { value, boxed: true }
    }

    /// Out of its interface.
    fn unboxed(mut self) -> Self {
        self.boxed = false;
        if matches!(self.value.data, Data::Nil) {
            self.value.data = Data::Invalid;
        }
        self
    }

    /// Go's name of its type.
    fn type_name(&self) -> String {
        match self.value.data {
            Data::Nil | Data::Invalid => "interface {}".to_owned(),
            _ if self.boxed => "interface {}".to_owned(),
            _ => self.value.type_name(),
        }
    }
}

/// How a list of nodes came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

impl Run<'_> {
    /// The template of a name, as the text that is being run sees it.
    fn lookup(&self, name: &[u8]) -> Option<Template> {
        let empty = |tree: &Tree| tree.is_empty();
        // A definition with nothing in it does not replace another.
        let mut fallback = None;
        for overlay in self.overlays.iter().rev() {
            if let Some(tree) = overlay.trees.iter().find(|tree| *tree.name == *name) {
                let template = Template { tree: Arc::clone(tree), origin: Rc::clone(&overlay.origin) };
                if !empty(tree) {
                    return Some(template);
                }
                fallback = Some(template);
            }
        }
        self.set.get(name).cloned().or(fallback)
    }

    /// Runs a template of a name and gives what it writes.
    fn execute_named(&mut self, name: &[u8], dot: &Value) -> Result<Str, Error> {
        // The definitions of texts that are being run are looked through one by one.
        let looked_through: usize = self.overlays.iter().map(|overlay| overlay.trees.len()).sum();
        crate::Context::spend(self, looked_through as u64 / 8)?;
        let Some(template) = self.lookup(name) else {
            let words = format!(
                "template: no template {} associated with template {}",
                crate::fmt::quote(name),
                crate::fmt::quote(self.set.name())
            );
            return Err(Error::new(words).because(self.set.no_template(name)));
        };
        self.capture(&template.tree, &template.origin, dot)
    }

    /// Runs a tree and gives what it writes.
    fn capture(&mut self, tree: &Tree, origin: &TextOrigin, dot: &Value) -> Result<Str, Error> {
        let empty = self.spare_out.pop().unwrap_or_default();
        let outer = std::mem::replace(&mut self.out, empty);
        self.outer_bytes += outer.bytes().len() as u64;
        let dot = Cell::plain(dot.clone()).unboxed();
        let result = self.execute_tree(tree, origin, dot);
        self.outer_bytes -= outer.bytes().len() as u64;
        let mut written = std::mem::replace(&mut self.out, outer);
        let text = written.take();
        self.spare_out.push(written);
        result.map(|()| text)
    }

    /// Runs a tree, which writes to where the caller writes.
    fn execute_tree(&mut self, tree: &Tree, origin: &TextOrigin, dot: Cell) -> Result<(), Error> {
        let mut frame =
            Frame { tree, nodes: &tree.nodes, origin, node: &tree.root, variables: vec![("$", dot.clone())] };
        self.nesting += 1;
        let result = self.list(&mut frame, &dot, &tree.root);
        self.nesting -= 1;
        result.map(|_| ())
    }
}
