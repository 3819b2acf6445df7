//! How `text/template/parse` of Go 1.26 parses text, case by case: each line of `data/parse.jsonl` has text (or
//! its bytes in hexadecimal), and the error or the trees with the position of every node.

use std::fmt::Write;

use trueline_gotemplate::node::{
    Fields, List, Node, Nodes, Operand, Pipe, Syntax, TemplatePlace, Tree, Variable,
};
use trueline_gotemplate::{Delimiters, Error, Function, Functions, Uses, Variadic, fmt::quote, parse};

const NAMES: [&str; 12] =
    ["print", "printf", "len", "index", "and", "or", "not", "eq", "foo", "include", "default", "quote"];

fn functions() -> Functions {
    let mut functions = Functions::default();
    functions.extend(&NAMES.map(|name| Function {
        name,
        parameters: &[],
        variadic: Variadic::Yes,
        call: |_, _| Err(Error::new("has no code")),
        usage: "",
        doc: "",
        uses: Uses::All,
    }));
    functions
}

fn bytes(case: &serde_json::Value) -> Vec<u8> {
    if let Some(text) = case["text"].as_str() {
        return text.as_bytes().to_vec();
    }
    let digits = case["hex"].as_str().unwrap().as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1])).collect()
}

#[test]
fn trees_and_errors_are_those_of_go() {
    let functions = functions();
    let lines: Vec<&str> = include_str!("data/parse.jsonl").lines().collect();
    assert!(lines.len() > 700);
    for line in lines {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let parsed = parse(&"t.yaml".into(), &bytes(&case).into(), &functions, Delimiters::default());
        match parsed.errors.first() {
            Some(error) => assert_eq!(Some(&*error.to_string()), case["error"].as_str(), "{line}"),
            None => assert_eq!(Some(&*written(parsed.trees)), case["tree"].as_str(), "{line}"),
        }
    }
}

fn written(mut trees: Vec<Tree>) -> String {
    trees.sort_by(|left, right| left.name.cmp(&right.name));
    let words = trees.iter().map(|tree| {
        let mut out = format!("{} {} ", quote(&tree.name), tree.is_empty());
        Writer { nodes: &tree.nodes, out: &mut out }.list(&tree.root);
        out + " " + &quote(tree.root.to_bytes(&tree.nodes))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Writes each node with Go's position of it.
struct Writer<'a> {
    nodes: &'a Nodes,
    out: &'a mut String,
}

impl Writer<'_> {
    fn open(&mut self, name: &str, place: TemplatePlace) {
        write!(self.out, "({name}@{}", place.position).unwrap();
    }

    fn list(&mut self, list: &List) {
        self.open("list", list.place);
        for item in list.nodes(self.nodes) {
            self.out.push(' ');
            self.node(item);
        }
        self.out.push(')');
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Text(place) => {
                self.open("text", *place);
                write!(self.out, " {}", place.range().len()).unwrap();
            }
            Node::Action(action) => {
                self.open("action", action.place);
                self.out.push(' ');
                self.pipe(self.nodes.pipe(action.pipe));
            }
            Node::Branch(branch) => {
                let branch = self.nodes.branch(*branch);
                self.open(branch.kind.keyword(), branch.place);
                self.out.push(' ');
                self.pipe(&branch.pipe);
                for part in [Some(&branch.list), branch.otherwise.as_ref()].into_iter().flatten() {
                    self.out.push(' ');
                    self.list(part);
                }
            }
            Node::Template(template) => {
                self.open("template", template.place);
                write!(self.out, " {}", quote(self.nodes.constant(template.name))).unwrap();
                if let Some(dot) = template.pipe {
                    self.out.push(' ');
                    self.pipe(self.nodes.pipe(dot));
                }
            }
            Node::Break(place) => self.open("break", *place),
            Node::Continue(place) => self.open("continue", *place),
        }
        self.out.push(')');
    }

    fn pipe(&mut self, pipe: &Pipe) {
        self.open("pipe", pipe.place);
        write!(self.out, " {}", pipe.is_assign).unwrap();
        for declared in pipe.variables(self.nodes) {
            self.out.push(' ');
            self.variable(declared);
        }
        for command in pipe.commands(self.nodes) {
            self.out.push(' ');
            self.open("cmd", command.place);
            for argument in std::iter::once(&command.head).chain(command.arguments(self.nodes)) {
                self.out.push(' ');
                self.operand(argument);
            }
            self.out.push(')');
        }
        self.out.push(')');
    }

    fn variable(&mut self, variable: &Variable) {
        self.open("var", variable.place);
        write!(self.out, " {}", self.nodes.name(variable.name)).unwrap();
        self.fields(variable.fields);
        self.out.push(')');
    }

    fn fields(&mut self, fields: Fields) {
        fields.names(self.nodes).for_each(|name| write!(self.out, " {name}").unwrap());
    }

    fn operand(&mut self, value: &Operand) {
        match value {
            Operand::Variable(value) => return self.variable(value),
            Operand::Pipe(value) => return self.pipe(self.nodes.pipe(*value)),
            Operand::Function(value) => {
                self.open("fn", value.place);
                write!(self.out, " {}", self.nodes.name(value.name)).unwrap();
            }
            Operand::Field(value) => {
                self.open("field", value.place);
                self.fields(value.fields);
            }
            Operand::Chain(value) => {
                let value = self.nodes.chain(*value);
                self.open("chain", value.place);
                self.out.push(' ');
                self.operand(&value.operand);
                self.fields(value.fields);
            }
            Operand::Dot(place) => self.open("dot", *place),
            Operand::Nil(place) => self.open("nil", *place),
            Operand::Bool(place, value) => {
                self.open("bool", *place);
                write!(self.out, " {value}").unwrap();
            }
            Operand::Number(value) => {
                let value = self.nodes.number(*value);
                self.open("num", value.place);
                let out = &mut *self.out;
                value.int.iter().for_each(|number| write!(out, " i{number}").unwrap());
                value.uint.iter().for_each(|number| write!(out, " u{number}").unwrap());
                value.float.iter().for_each(|number| write!(out, " f{:016x}", number.to_bits()).unwrap());
                if let Some((real, imaginary)) = value.complex {
                    write!(out, " c{:016x},{:016x}", real.to_bits(), imaginary.to_bits()).unwrap();
                }
            }
            Operand::Text(value) => {
                self.open("str", value.place);
                write!(self.out, " {}", quote(self.nodes.constant(value.value))).unwrap();
            }
        }
        self.out.push(')');
    }
}
