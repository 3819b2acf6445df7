//! The trees of the text: made by the parser and walked by the evaluator.
//!
//! All nodes of the text are in flat vectors, and a node refers to its children by index: parsing does not
//! allocate for each part, and a node can be copied whole. Text and number constants are ranges of the text;
//! names and string constants are stored once. The parser limits the depth of trees, so walking them fits into
//! any ordinary stack.

use std::ops::Range;
use std::sync::Arc;

use crate::fmt::quote;

/// A name in a template: a function, a field or a variable. Equal names in one text share it.
pub type Name = Arc<str>;

/// A string of any bytes, such as the name of a template or the value of a string constant.
pub type Bytes = Arc<[u8]>;

/// Where a node is in the text of its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TemplatePlace {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// The offset that Go names in messages. It is often not the start: for `.a.b.c` it is that of `.b`.
    pub position: u32,
}

impl TemplatePlace {
    /// The byte range, for slicing the text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range in one of the vectors of [`Nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Items {
    start: u32,
    end: u32,
}

impl Items {
    fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether it is empty.
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Moves the items collected since `base` to their final place.
    pub(crate) fn keep<T: Copy>(kept: &mut Vec<T>, loose: &mut Vec<T>, base: usize) -> Self {
        let start = kept.len() as u32;
        kept.extend_from_slice(loose.get(base..).unwrap_or_default());
        loose.truncate(base);
        Items { start, end: kept.len() as u32 }
    }
}

/// Text with the nodes of all templates that it contains.
#[derive(Debug)]
pub struct Nodes {
    text: Bytes,
    pub(crate) list: Vec<Node>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) pipes: Vec<Pipe>,
    pub(crate) commands: Vec<Command>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) numbers: Vec<Number>,
    /// Of operands with several names.
    pub(crate) fields: Vec<NameId>,
    pub(crate) names: Vec<Name>,
    pub(crate) constants: Vec<Bytes>,
}

/// Defines the indices of nodes. Only the parser creates them, each for an existing node.
macro_rules! numbers {
    ($($(#[$doc:meta])* $id:ident, $kept:ident, $get:ident, $add:ident, $type:ty;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub struct $id(u32);
        )*

        impl Nodes {
            $(
                $(#[$doc])*
                pub fn $get(&self, id: $id) -> &$type {
                    &self.$kept[id.0 as usize]
                }

                pub(crate) fn $add(&mut self, node: $type) -> $id {
                    self.$kept.push(node);
                    $id(self.$kept.len() as u32 - 1)
                }
            )*
        }
    };
}

numbers! {
    /// `if`, `with` or `range`.
    BranchId, branches, branch, add_branch, Branch;
    /// A pipeline.
    PipeId, pipes, pipe, add_pipe, Pipe;
    /// An operand with fields.
    ChainId, chains, chain, add_chain, Chain;
    /// A number constant.
    NumberId, numbers, number, add_number, Number;
    /// A name.
    NameId, names, name, add_name, Name;
    /// The value of a string constant, or the name of a template.
    ConstantId, constants, constant, add_constant, Bytes;
}

impl Nodes {
    /// Without nodes.
    pub(crate) fn new(text: Bytes) -> Self {
        Nodes {
            text,
            list: Vec::new(),
            branches: Vec::new(),
            pipes: Vec::new(),
            commands: Vec::new(),
            operands: Vec::new(),
            variables: Vec::new(),
            chains: Vec::new(),
            numbers: Vec::new(),
            fields: Vec::new(),
            names: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// Starts collecting nodes for text.
    pub(crate) fn begin(&mut self, text: &Bytes) {
        self.text = Arc::clone(text);
    }

    /// Takes the collected nodes and leaves room for another text.
    pub(crate) fn take(&mut self) -> Nodes {
        fn copied<T: Clone>(parts: &mut Vec<T>) -> Vec<T> {
            let copy = parts.as_slice().to_vec();
            parts.clear();
            copy
        }
        Nodes {
            text: std::mem::take(&mut self.text),
            list: copied(&mut self.list),
            branches: copied(&mut self.branches),
            pipes: copied(&mut self.pipes),
            commands: copied(&mut self.commands),
            operands: copied(&mut self.operands),
            variables: copied(&mut self.variables),
            chains: copied(&mut self.chains),
            numbers: copied(&mut self.numbers),
            fields: copied(&mut self.fields),
            names: self.names.drain(..).collect(),
            constants: self.constants.drain(..).collect(),
        }
    }

    /// The values of all string constants, and the names of templates.
    pub fn constants(&self) -> &[Bytes] {
        &self.constants
    }

    /// The whole text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The text of a node; empty if the place is in another text.
    pub fn at(&self, place: TemplatePlace) -> &[u8] {
        self.text.get(place.range()).unwrap_or_default()
    }
}

/// What every node has: a place, and Go's notation for it, which messages show between `<` and `>`.
pub trait Syntax {
    /// The place of the node. `nodes` must be those it belongs to.
    fn place(&self, nodes: &Nodes) -> TemplatePlace;

    /// Writes the node as Go does.
    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>);

    /// The node as Go writes it.
    fn to_bytes(&self, nodes: &Nodes) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(nodes, &mut out);
        out
    }
}

/// A template: the text of a file, or a named part of it.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The name of the template.
    pub name: Bytes,
    /// The name of its text in messages.
    pub file: Arc<str>,
    /// The text with its nodes.
    pub nodes: Arc<Nodes>,
    /// The action that defines it, from `{{` to `}}`; empty for a whole file.
    pub place: TemplatePlace,
    /// Its content.
    pub root: List,
}

impl Tree {
    /// Whether it contains only white space and comments. Such a definition never replaces another with the
    /// same name.
    pub fn is_empty(&self) -> bool {
        self.root.is_blank(&self.nodes)
    }

    /// The place of a node as in Go's messages, `NAME:LINE:COLUMN`: lines from one, columns in bytes from zero.
    pub fn location(&self, place: TemplatePlace) -> String {
        let text = self.nodes.text();
        let position = (place.position as usize).min(text.len());
        let before = text.get(..position).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = position - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        format!("{}:{line}:{column}", self.file)
    }
}

fn is_space(text: &[u8]) -> bool {
    // Comparing the first letter is nearly always enough.
    let rest = text.trim_ascii_start();
    !rest.first().is_some_and(u8::is_ascii_graphic)
        && std::str::from_utf8(rest).is_ok_and(|text| text.chars().all(char::is_whitespace))
}

/// Text and actions, one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct List {
    /// Where it is.
    pub place: TemplatePlace,
    pub(crate) nodes: Items,
}

impl List {
    /// The items, in order.
    pub fn nodes(self, nodes: &Nodes) -> &[Node] {
        self.nodes.of(&nodes.list)
    }

    /// Whether it contains only white space and comments.
    pub(crate) fn is_blank(self, nodes: &Nodes) -> bool {
        self.nodes(nodes).iter().all(|node| match node {
            Node::Text(place) => is_space(nodes.at(*place)),
            _ => false,
        })
    }
}

/// An item of a list.
#[derive(Debug, Clone, Copy)]
pub enum Node {
    /// Plain text, already trimmed: the bytes at its place.
    Text(TemplatePlace),
    /// An action that prints, declares or assigns.
    Action(Action),
    /// `if`, `with` or `range`.
    Branch(BranchId),
    /// `template`, and the part of `block` that is executed in its place.
    Template(Template),
    /// `break`.
    Break(TemplatePlace),
    /// `continue`.
    Continue(TemplatePlace),
}

/// An action that prints, declares or assigns.
#[derive(Debug, Clone, Copy)]
pub struct Action {
    /// Where it is, with its delimiters.
    pub place: TemplatePlace,
    /// What it does.
    pub pipe: PipeId,
}

/// The kinds of branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// `if`
    If,
    /// `with`
    With,
    /// `range`
    Range,
}

impl BranchKind {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            BranchKind::If => "if",
            BranchKind::With => "with",
            BranchKind::Range => "range",
        }
    }
}

/// `if`, `with` or `range` with their content.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    /// Which of them.
    pub kind: BranchKind,
    /// Where its first action is, with its delimiters; of an `else if`, the action with the `else`.
    pub place: TemplatePlace,
    /// The condition.
    pub pipe: Pipe,
    /// The part for a non-empty value.
    pub list: List,
    /// After `else`. An `else if` is a list with only the second `if`.
    pub otherwise: Option<List>,
}

/// `template`.
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// Where the action is, with its delimiters.
    pub place: TemplatePlace,
    /// The name of the template to execute.
    pub name: ConstantId,
    /// Its dot.
    pub pipe: Option<PipeId>,
}

/// Commands, each of which gets the value of the previous one as its last argument.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pipe {
    /// Where it is; for one in parentheses, what is between them.
    pub place: TemplatePlace,
    /// Whether the variables are assigned (`=`) and not declared (`:=`).
    pub is_assign: bool,
    pub(crate) variables: Items,
    pub(crate) commands: Items,
}

impl Pipe {
    /// The variables, in order; they have no fields.
    pub fn variables(self, nodes: &Nodes) -> &[Variable] {
        self.variables.of(&nodes.variables)
    }

    /// Whether it declares or assigns something, and so prints nothing.
    pub fn has_variables(self) -> bool {
        !self.variables.is_empty()
    }

    /// The commands, in order; never empty in a tree without errors.
    pub fn commands(self, nodes: &Nodes) -> &[Command] {
        self.commands.of(&nodes.commands)
    }
}

/// A function, method or value with its arguments.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Where it is.
    pub place: TemplatePlace,
    /// The first operand, which determines what the command does.
    pub head: Operand,
    pub(crate) arguments: Items,
}

impl Command {
    /// The operands after the first.
    pub fn arguments(self, nodes: &Nodes) -> &[Operand] {
        self.arguments.of(&nodes.operands)
    }
}

/// An operand of a command.
#[derive(Debug, Clone, Copy)]
pub enum Operand {
    /// The name of a function.
    Function(Function),
    /// `.a.b`
    Field(Field),
    /// `$x` or `$x.a.b`
    Variable(Variable),
    /// `(…).a.b`, or a function's name with fields after it.
    Chain(ChainId),
    /// `(…)`
    Pipe(PipeId),
    /// `.`
    Dot(TemplatePlace),
    /// `nil`
    Nil(TemplatePlace),
    /// `true` or `false`
    Bool(TemplatePlace, bool),
    /// A number or character.
    Number(NumberId),
    /// A string, quoted or raw.
    Text(StringConstant),
}

/// The name of a function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Where it is.
    pub place: TemplatePlace,
    /// The name.
    pub name: NameId,
    /// Its index in the caller's table of functions.
    pub id: u32,
}

/// The names of fields, each a field of the one before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fields(pub(crate) Items);

impl Fields {
    /// The names without their dots.
    pub fn names(self, nodes: &Nodes) -> impl ExactSizeIterator<Item = &Name> + Clone {
        self.0.of(&nodes.fields).iter().map(|name| nodes.name(*name))
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    fn write(self, nodes: &Nodes, out: &mut Vec<u8>) {
        for name in self.names(nodes) {
            out.push(b'.');
            out.extend_from_slice(name.as_bytes());
        }
    }
}

/// Fields of dot.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Where it is.
    pub place: TemplatePlace,
    /// Its names; never empty.
    pub fields: Fields,
}

/// A variable and fields of it.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Where it is.
    pub place: TemplatePlace,
    /// The name with its `$`; `$` alone is the value passed to the template.
    pub name: NameId,
    /// The fields after it.
    pub fields: Fields,
}

/// Fields of an operand other than dot or a variable.
#[derive(Debug, Clone, Copy)]
pub struct Chain {
    /// Where it is.
    pub place: TemplatePlace,
    /// The operand: [`Operand::Pipe`] or [`Operand::Function`].
    pub operand: Operand,
    /// Its names; never empty.
    pub fields: Fields,
}

/// A number constant in all types it can have. Its text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Number {
    /// Where it is.
    pub place: TemplatePlace,
    /// The value as a signed integer, if it is one.
    pub int: Option<i64>,
    /// The value as an unsigned integer, if it is one.
    pub uint: Option<u64>,
    /// The value as a floating-point number, if it is one.
    pub float: Option<f64>,
    /// The real and imaginary part, if it was written with an imaginary part.
    pub complex: Option<(f64, f64)>,
}

/// A string constant. The text at its place includes the quotes.
#[derive(Debug, Clone, Copy)]
pub struct StringConstant {
    /// Where it is.
    pub place: TemplatePlace,
    /// The value, without quotes and escapes.
    pub value: ConstantId,
}

impl Syntax for List {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        for node in self.nodes(nodes) {
            node.write(nodes, out);
        }
    }
}

impl Syntax for Node {
    fn place(&self, nodes: &Nodes) -> TemplatePlace {
        match self {
            Node::Text(place) | Node::Break(place) | Node::Continue(place) => *place,
            Node::Action(action) => action.place,
            Node::Branch(branch) => nodes.branch(*branch).place,
            Node::Template(template) => template.place,
        }
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        match self {
            Node::Text(place) => out.extend_from_slice(nodes.at(*place)),
            Node::Break(_) => out.extend_from_slice(b"{{break}}"),
            Node::Continue(_) => out.extend_from_slice(b"{{continue}}"),
            Node::Action(action) => action.write(nodes, out),
            Node::Branch(branch) => nodes.branch(*branch).write(nodes, out),
            Node::Template(template) => template.write(nodes, out),
        }
    }
}

impl Syntax for Action {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{");
        nodes.pipe(self.pipe).write(nodes, out);
        out.extend_from_slice(b"}}");
    }
}

impl Syntax for Branch {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{");
        out.extend_from_slice(self.kind.keyword().as_bytes());
        out.push(b' ');
        self.pipe.write(nodes, out);
        out.extend_from_slice(b"}}");
        self.list.write(nodes, out);
        if let Some(otherwise) = &self.otherwise {
            out.extend_from_slice(b"{{else}}");
            otherwise.write(nodes, out);
        }
        out.extend_from_slice(b"{{end}}");
    }
}

impl Syntax for Template {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{template ");
        out.extend_from_slice(quote(nodes.constant(self.name)).as_bytes());
        if let Some(pipe) = self.pipe {
            out.push(b' ');
            nodes.pipe(pipe).write(nodes, out);
        }
        out.extend_from_slice(b"}}");
    }
}

impl Syntax for Pipe {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        for (index, variable) in self.variables(nodes).iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            variable.write(nodes, out);
        }
        if self.has_variables() {
            out.extend_from_slice(if self.is_assign { b" = ".as_slice() } else { b" := ".as_slice() });
        }
        for (index, command) in self.commands(nodes).iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b" | ");
            }
            command.write(nodes, out);
        }
    }
}

impl Syntax for Command {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        self.head.write_inside(nodes, out);
        for argument in self.arguments(nodes) {
            out.push(b' ');
            argument.write_inside(nodes, out);
        }
    }
}

impl Operand {
    /// Go writes parentheses around a pipeline only if it is part of something.
    fn write_inside(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        if let Operand::Pipe(pipe) = self {
            out.push(b'(');
            nodes.pipe(*pipe).write(nodes, out);
            out.push(b')');
        } else {
            self.write(nodes, out);
        }
    }
}

impl Syntax for Operand {
    fn place(&self, nodes: &Nodes) -> TemplatePlace {
        match self {
            Operand::Function(function) => function.place,
            Operand::Field(field) => field.place,
            Operand::Variable(variable) => variable.place,
            Operand::Chain(chain) => nodes.chain(*chain).place,
            Operand::Pipe(pipe) => nodes.pipe(*pipe).place,
            Operand::Dot(place) | Operand::Nil(place) | Operand::Bool(place, _) => *place,
            Operand::Number(number) => nodes.number(*number).place,
            Operand::Text(constant) => constant.place,
        }
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        match self {
            Operand::Function(function) => function.write(nodes, out),
            Operand::Field(field) => field.write(nodes, out),
            Operand::Variable(variable) => variable.write(nodes, out),
            Operand::Chain(chain) => nodes.chain(*chain).write(nodes, out),
            Operand::Pipe(pipe) => nodes.pipe(*pipe).write(nodes, out),
            Operand::Dot(_) => out.push(b'.'),
            Operand::Nil(_) => out.extend_from_slice(b"nil"),
            Operand::Bool(_, value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Operand::Number(number) => nodes.number(*number).write(nodes, out),
            Operand::Text(constant) => constant.write(nodes, out),
        }
    }
}

impl Syntax for Function {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(nodes.name(self.name).as_bytes());
    }
}

impl Syntax for Field {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        self.fields.write(nodes, out);
    }
}

impl Syntax for Variable {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(nodes.name(self.name).as_bytes());
        self.fields.write(nodes, out);
    }
}

impl Syntax for Chain {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        self.operand.write_inside(nodes, out);
        self.fields.write(nodes, out);
    }
}

impl Syntax for Number {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(nodes.at(self.place));
    }
}

impl Syntax for StringConstant {
    fn place(&self, _: &Nodes) -> TemplatePlace {
        self.place
    }

    fn write(&self, nodes: &Nodes, out: &mut Vec<u8>) {
        out.extend_from_slice(nodes.at(self.place));
    }
}
