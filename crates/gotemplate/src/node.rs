//! The tree of a template: what the parser makes and the evaluator walks.
//!
//! Nodes own their children. Text, string and number constants are ranges of the template's text; names are
//! shared, so that looking one up needs no allocation. How deep a tree can be is limited by the parser, which
//! keeps walking and dropping it within any ordinary stack.

use std::sync::Arc;

use crate::fmt::quote;

/// A name in a template: of a function, a field or a variable. Equal names of one file share their text.
pub type Name = Arc<str>;

/// A string that may hold any bytes, such as the name of a template or the value of a string constant.
pub type Bytes = Arc<[u8]>;

/// Where a node stands in the text of its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
    /// The offset that Go names in messages. It is often not the beginning: for `.a.b.c` it is that of `.b`.
    pub position: u32,
}

impl Place {
    /// The byte range, for slicing the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The text that trees were made from, with the name it has in messages.
#[derive(Debug, Clone)]
pub struct TemplateText {
    name: Arc<str>,
    bytes: Bytes,
}

impl TemplateText {
    /// A text and its name.
    pub fn new(name: impl Into<Arc<str>>, bytes: impl Into<Bytes>) -> Self {
        TemplateText { name: name.into(), bytes: bytes.into() }
    }

    /// The name in messages.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The whole text.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part of the text that a node stands for; empty when the place is of another text.
    pub fn at(&self, place: Place) -> &[u8] {
        self.bytes.get(place.range()).unwrap_or_default()
    }

    /// The place of a node as Go's messages have it, `NAME:LINE:COLUMN`: lines from one, columns in bytes
    /// from zero.
    pub fn location(&self, place: Place) -> String {
        let position = (place.position as usize).min(self.bytes.len());
        let before = self.bytes.get(..position).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = position - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        format!("{}:{line}:{column}", self.name)
    }
}

/// What every node has: a place, and Go's way of writing it, which messages show between `<` and `>`.
pub trait Syntax {
    /// Where the node stands.
    fn place(&self) -> Place;

    /// Writes the node as Go does. `text` is the text the node was made from.
    fn write(&self, text: &TemplateText, out: &mut Vec<u8>);

    /// The node as Go writes it.
    fn to_bytes(&self, text: &TemplateText) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(text, &mut out);
        out
    }
}

/// A template: the text of a file, or a part of it with a name of its own.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The name of the template.
    pub name: Bytes,
    /// The text it is a part of.
    pub text: Arc<TemplateText>,
    /// The action that defines it, from `{{` to `}}`; empty for a whole file.
    pub place: Place,
    /// What it holds.
    pub root: List,
}

impl Tree {
    /// Whether there is nothing in it but white space and comments. Such a definition never replaces
    /// another of the same name.
    pub fn is_empty(&self) -> bool {
        self.root.nodes.iter().all(|node| match node {
            Node::Text(place) => is_space(self.text.at(*place)),
            _ => false,
        })
    }
}

fn is_space(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(char::is_whitespace))
}

/// Text and actions, one after the other.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Where it stands.
    pub place: Place,
    /// The items in their order.
    pub nodes: Box<[Node]>,
}

/// An item of a list.
#[derive(Debug, Clone)]
pub enum Node {
    /// Plain text, already trimmed: the bytes of its place.
    Text(Place),
    /// An action that prints, declares or assigns.
    Action(Action),
    /// `if`, `with` or `range`.
    Branch(Box<Branch>),
    /// `template`, and the part of `block` that is executed in its place.
    Template(Box<Template>),
    /// `break`.
    Break(Place),
    /// `continue`.
    Continue(Place),
}

/// An action that prints, declares or assigns.
#[derive(Debug, Clone)]
pub struct Action {
    /// Where it stands, with its delimiters.
    pub place: Place,
    /// What it does.
    pub pipe: Pipe,
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

/// `if`, `with` or `range` with what they hold.
#[derive(Debug, Clone)]
pub struct Branch {
    /// Which of them.
    pub kind: BranchKind,
    /// Where its first action stands, with its delimiters; of an `else if`, the action with the `else`.
    pub place: Place,
    /// The value that decides.
    pub pipe: Pipe,
    /// For a value that is not empty.
    pub list: List,
    /// Behind `else`. An `else if` is a list that holds nothing but the further `if`.
    pub otherwise: Option<List>,
}

/// `template`.
#[derive(Debug, Clone)]
pub struct Template {
    /// Where the action stands, with its delimiters.
    pub place: Place,
    /// The name of the template to execute.
    pub name: Bytes,
    /// What becomes its dot.
    pub pipe: Option<Pipe>,
}

/// Commands, each taking the value of the one before as its last argument.
#[derive(Debug, Clone, Default)]
pub struct Pipe {
    /// Where it stands; of one in parentheses, what is between them.
    pub place: Place,
    /// Whether the variables are assigned (`=`) and not declared (`:=`).
    pub is_assign: bool,
    /// The variables, in their order; they have no fields.
    pub variables: Box<[Variable]>,
    /// The commands in their order; never empty in a tree without errors.
    pub commands: Box<[Command]>,
}

/// A function, method or value with its arguments.
#[derive(Debug, Clone)]
pub struct Command {
    /// Where it stands.
    pub place: Place,
    /// The first operand, which decides what is done.
    pub head: Operand,
    /// The operands behind it.
    pub arguments: Box<[Operand]>,
}

/// An operand of a command.
#[derive(Debug, Clone)]
pub enum Operand {
    /// The name of a function.
    Function(Function),
    /// `.a.b`
    Field(Field),
    /// `$x` or `$x.a.b`
    Variable(Variable),
    /// `(…).a.b`, or a function's name with fields behind it.
    Chain(Box<Chain>),
    /// `(…)`
    Pipe(Box<Pipe>),
    /// `.`
    Dot(Place),
    /// `nil`
    Nil(Place),
    /// `true` or `false`
    Bool(Place, bool),
    /// A number or character.
    Number(Box<Number>),
    /// A string, quoted or raw.
    Text(StringConstant),
}

/// The name of a function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Where it stands.
    pub place: Place,
    /// The name.
    pub name: Name,
    /// What the caller's table of functions calls it.
    pub id: u32,
}

/// Fields of dot.
#[derive(Debug, Clone)]
pub struct Field {
    /// Where it stands.
    pub place: Place,
    /// The names without their dots; never empty.
    pub names: Box<[Name]>,
}

/// A variable and fields of it.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Where it stands.
    pub place: Place,
    /// The name with its `$`; `$` alone is the dot that the template was given.
    pub name: Name,
    /// The names of fields behind it, without their dots.
    pub fields: Box<[Name]>,
}

/// Fields of another operand than dot or a variable.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Where it stands.
    pub place: Place,
    /// What the fields are of: [`Operand::Pipe`] or [`Operand::Function`].
    pub operand: Operand,
    /// The names without their dots; never empty.
    pub fields: Box<[Name]>,
}

/// A number constant under every kind it can be. Its text is that of its place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Number {
    /// Where it stands.
    pub place: Place,
    /// The value as a signed integer, if it is one.
    pub int: Option<i64>,
    /// The value as an unsigned integer, if it is one.
    pub uint: Option<u64>,
    /// The value as a floating-point number, if it is one.
    pub float: Option<f64>,
    /// Real and imaginary part, if it was written with an imaginary part.
    pub complex: Option<(f64, f64)>,
}

/// A string constant. With its quotes it is the text of its place.
#[derive(Debug, Clone)]
pub struct StringConstant {
    /// Where it stands.
    pub place: Place,
    /// The value, without quotes and escapes.
    pub value: Bytes,
}

impl Syntax for List {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        for node in &self.nodes {
            node.write(text, out);
        }
    }
}

impl Syntax for Node {
    fn place(&self) -> Place {
        match self {
            Node::Text(place) | Node::Break(place) | Node::Continue(place) => *place,
            Node::Action(action) => action.place,
            Node::Branch(branch) => branch.place,
            Node::Template(template) => template.place,
        }
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        match self {
            Node::Text(place) => out.extend_from_slice(text.at(*place)),
            Node::Break(_) => out.extend_from_slice(b"{{break}}"),
            Node::Continue(_) => out.extend_from_slice(b"{{continue}}"),
            Node::Action(action) => action.write(text, out),
            Node::Branch(branch) => branch.write(text, out),
            Node::Template(template) => template.write(text, out),
        }
    }
}

impl Syntax for Action {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{");
        self.pipe.write(text, out);
        out.extend_from_slice(b"}}");
    }
}

impl Syntax for Branch {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{");
        out.extend_from_slice(self.kind.keyword().as_bytes());
        out.push(b' ');
        self.pipe.write(text, out);
        out.extend_from_slice(b"}}");
        self.list.write(text, out);
        if let Some(otherwise) = &self.otherwise {
            out.extend_from_slice(b"{{else}}");
            otherwise.write(text, out);
        }
        out.extend_from_slice(b"{{end}}");
    }
}

impl Syntax for Template {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{{template ");
        out.extend_from_slice(quote(&self.name).as_bytes());
        if let Some(pipe) = &self.pipe {
            out.push(b' ');
            pipe.write(text, out);
        }
        out.extend_from_slice(b"}}");
    }
}

impl Syntax for Pipe {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        for (index, variable) in self.variables.iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            variable.write(text, out);
        }
        if !self.variables.is_empty() {
            out.extend_from_slice(if self.is_assign { b" = ".as_slice() } else { b" := ".as_slice() });
        }
        for (index, command) in self.commands.iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b" | ");
            }
            command.write(text, out);
        }
    }
}

impl Syntax for Command {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        self.head.write_inside(text, out);
        for argument in &self.arguments {
            out.push(b' ');
            argument.write_inside(text, out);
        }
    }
}

impl Operand {
    /// Go puts parentheses around a pipeline only where it is a part of something.
    fn write_inside(&self, text: &TemplateText, out: &mut Vec<u8>) {
        if let Operand::Pipe(pipe) = self {
            out.push(b'(');
            pipe.write(text, out);
            out.push(b')');
        } else {
            self.write(text, out);
        }
    }
}

impl Syntax for Operand {
    fn place(&self) -> Place {
        match self {
            Operand::Function(function) => function.place,
            Operand::Field(field) => field.place,
            Operand::Variable(variable) => variable.place,
            Operand::Chain(chain) => chain.place,
            Operand::Pipe(pipe) => pipe.place,
            Operand::Dot(place) | Operand::Nil(place) | Operand::Bool(place, _) => *place,
            Operand::Number(number) => number.place,
            Operand::Text(constant) => constant.place,
        }
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        match self {
            Operand::Function(function) => function.write(text, out),
            Operand::Field(field) => field.write(text, out),
            Operand::Variable(variable) => variable.write(text, out),
            Operand::Chain(chain) => chain.write(text, out),
            Operand::Pipe(pipe) => pipe.write(text, out),
            Operand::Dot(_) => out.push(b'.'),
            Operand::Nil(_) => out.extend_from_slice(b"nil"),
            Operand::Bool(_, value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Operand::Number(number) => number.write(text, out),
            Operand::Text(constant) => constant.write(text, out),
        }
    }
}

impl Syntax for Function {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, _: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(self.name.as_bytes());
    }
}

impl Syntax for Field {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, _: &TemplateText, out: &mut Vec<u8>) {
        write_fields(&self.names, out);
    }
}

impl Syntax for Variable {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, _: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(self.name.as_bytes());
        write_fields(&self.fields, out);
    }
}

impl Syntax for Chain {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        self.operand.write_inside(text, out);
        write_fields(&self.fields, out);
    }
}

impl Syntax for Number {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(text.at(self.place));
    }
}

impl Syntax for StringConstant {
    fn place(&self) -> Place {
        self.place
    }

    fn write(&self, text: &TemplateText, out: &mut Vec<u8>) {
        out.extend_from_slice(text.at(self.place));
    }
}

fn write_fields(names: &[Name], out: &mut Vec<u8>) {
    for name in names {
        out.push(b'.');
        out.extend_from_slice(name.as_bytes());
    }
}
