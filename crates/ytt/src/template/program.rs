//! Compiled templates and code files, ready to be evaluated any number of times.

use std::cell::OnceCell;
use std::rc::Rc;

use trueline_starlark::{
    BlockStyle, Error as StarlarkError, Globals, Program as Code, Thread, Value as Starlark, Wrap, parse,
};

use super::builder::KeyOverrides;
use super::evaluate::evaluate;
use super::failure::failure;
use super::listing::{InstructionNames, Listing, Shown, Source};
use super::node::NodeTable;
use crate::error::Error;
use crate::tree::{DocumentSet, File, Position};
use crate::value::Context;

/// What an evaluation needs of the library that its file belongs to.
pub trait Loader {
    /// The globals of a module that the file loads. `replace` is the function `template.replace` of this evaluation.
    /// Programs that are evaluated for this get a fork of the thread.
    ///
    /// # Errors
    /// If there is no such module, or if it fails.
    fn load(&self, thread: &mut Thread, module: &str, replace: &Starlark) -> Result<Globals, StarlarkError>;

    /// The program of a file by the name that it was compiled with, to show its lines in errors.
    fn find_program(&self, name: &str) -> Option<Rc<Program>>;

    /// The program of a file of another library, whose lines ytt does not show: its functions were exported.
    fn find_foreign(&self, name: &str) -> Option<Rc<Program>> {
        let _ = name;
        None
    }
}

/// What is not run loads nothing.
struct Alone;

impl Loader for Alone {
    fn load(&self, _: &mut Thread, module: &str, _: &Starlark) -> Result<Globals, StarlarkError> {
        Err(StarlarkError::new(format!("{module} is not loaded here")))
    }

    fn find_program(&self, _: &str) -> Option<Rc<Program>> {
        None
    }
}

/// What an evaluation produced beside its globals.
#[derive(Debug)]
pub enum Output {
    /// A file of code produces nothing.
    Nothing,
    /// The documents of a YAML template.
    Documents(DocumentSet),
    /// The text of a text template.
    Text(Vec<u8>),
}

/// A compiled file.
pub struct Program {
    name: Box<str>,
    names: InstructionNames,
    nodes: NodeTable,
    listing: Listing,
    overrides: KeyOverrides,
    /// What Starlark made of the listing, once it was needed.
    code: OnceCell<Result<Code, StarlarkError>>,
}

/// Makes a program of a file that is nothing but Starlark.
pub fn compile_starlark(file: &Rc<File>, source: &[u8], id: u32) -> Rc<Program> {
    let mut listing = Listing::default();
    for (index, line) in source.split(|&byte| byte == b'\n').enumerate() {
        let position = Position::of_line(file, index as u32 + 1);
        let source = Source { code: position.clone(), position, shown: Shown::BareLine };
        listing.push(line, Some(source));
    }
    Program::new(file.name(), InstructionNames::new(id), NodeTable::new(), listing, KeyOverrides::default())
}

impl Program {
    pub(crate) fn new(
        name: &str,
        names: InstructionNames,
        nodes: NodeTable,
        listing: Listing,
        overrides: KeyOverrides,
    ) -> Rc<Program> {
        Rc::new(Program { name: name.into(), names, nodes, listing, overrides, code: OnceCell::new() })
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A name in it that no other program of the run has.
    pub(crate) fn generated_name(&self) -> &str {
        &self.names.start_node
    }

    /// The program with what each line comes from, as `--debug` prints it.
    pub fn debug_listing(&self) -> String {
        self.listing.debug()
    }

    pub(super) fn names(&self) -> &InstructionNames {
        &self.names
    }

    pub(super) fn nodes(&self) -> &NodeTable {
        &self.nodes
    }

    pub(super) fn listing(&self) -> &Listing {
        &self.listing
    }

    pub(super) fn overrides(&self) -> KeyOverrides {
        self.overrides
    }

    /// Runs the program on a thread of its own, a fork of that of the run. Globals whose names begin with `_` are not
    /// among those that are returned; all are frozen.
    ///
    /// # Errors
    /// With ytt's text of what failed, and the places.
    pub fn eval(
        self: &Rc<Self>,
        thread: &mut Thread,
        loader: &Rc<dyn Loader>,
        context: &Context,
    ) -> Result<(Globals, Output), Error> {
        evaluate(self, thread, loader, context).map_err(|error| failure(&error, self, &**loader))
    }

    /// Whether it is a program that can be run.
    ///
    /// # Errors
    /// With ytt's text of what is not written correctly, and the places.
    pub fn check(self: &Rc<Self>) -> Result<(), Error> {
        self.code().map(|_| ()).map_err(|error| failure(&error, self, &Alone))
    }

    pub(super) fn code(&self) -> Result<&Code, StarlarkError> {
        self.code.get_or_init(|| self.compile()).as_ref().map_err(Clone::clone)
    }

    fn compile(&self) -> Result<Code, StarlarkError> {
        let mut ast = parse(&self.name, self.listing.text(), BlockStyle::End)?;
        let names = &self.names;
        ast.wrap_functions(&Wrap {
            marks: &[&names.start_node, &names.set_node],
            begin: &names.start_ctx,
            begin_argument: "yaml",
            end: &names.end_ctx,
        });
        Code::compile(&ast, &|name| names.contains(name))
    }
}
