//! The evaluator: turns a tree and a value into text.

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
pub use options::{AskedTemplates, Limits, MapMethod, MissingKey, Options};
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
    /// The templates of texts that are being run, which override those of the set.
    overlays: Vec<Overlay>,
    /// The output so far.
    out: StrBuilder,
    /// Which actions of the running template wrote text of other templates.
    calls: Vec<Call>,
    /// How many templates are running; one while only the requested template runs.
    nesting: u32,
    /// How much was written by templates that wait for the running one.
    outer_bytes: u64,
    depth: u32,
    /// How many steps are left.
    steps: u64,
    /// Unused argument lists and output buffers, kept for reuse.
    spare: Vec<Vec<Value>>,
    spare_out: Vec<StrBuilder>,
}

/// The templates of the text that is being run.
struct Overlay {
    trees: Trees,
    origin: Rc<TextOrigin>,
}

/// The state of one running template.
struct Frame<'t> {
    tree: &'t Tree,
    nodes: &'t Nodes,
    origin: &'t TextOrigin,
    /// The node that error messages name.
    node: &'t dyn Syntax,
    variables: Vec<(&'t str, Cell)>,
}

/// A value in Go's sense: its content, and whether it is wrapped in an interface, where only its fields can be
/// read. [`Data::Nil`] is an empty interface; [`Data::Invalid`] is not a value at all.
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

    /// The value without its interface.
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

/// How a list of nodes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

impl Run<'_> {
    /// The template with this name, as seen by the text that is being run.
    fn lookup(&self, name: &[u8]) -> Option<Template> {
        let empty = |tree: &Tree| tree.is_empty();
        // An empty definition does not replace another.
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
        let found = self.set.get(name);
        if let Some(asked) = self.options.asked {
            asked.note(name, found.map(|template| &*template.tree));
        }
        found.cloned().or(fallback)
    }

    /// Runs the template with this name and returns its output.
    fn execute_named(&mut self, name: &[u8], dot: &Value) -> Result<Str, Error> {
        // The definitions of texts that are being run are searched one by one.
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

    /// Runs a tree and returns its output.
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

    /// Runs a tree, which writes to the caller's output.
    fn execute_tree(&mut self, tree: &Tree, origin: &TextOrigin, dot: Cell) -> Result<(), Error> {
        let mut frame =
            Frame { tree, nodes: &tree.nodes, origin, node: &tree.root, variables: vec![("$", dot.clone())] };
        self.nesting += 1;
        let result = self.list(&mut frame, &dot, &tree.root);
        self.nesting -= 1;
        result.map(|_| ())
    }
}
