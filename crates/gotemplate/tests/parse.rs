//! What `text/template/parse` of Go 1.26 makes of a text, case by case: `data/parse.jsonl` has on each line a
//! text (or its bytes in hexadecimal), and the error or the trees with the position of every node.

use std::fmt::Write;
use std::sync::Arc;

use trueline_gotemplate::node::{List, Node, Operand, Pipe, Place, Syntax, TemplateText, Tree, Variable};
use trueline_gotemplate::{Delimiters, Error, Function, Functions, Variadic, fmt::quote, parse};

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
        let text = Arc::new(TemplateText::new("t.yaml", bytes(&case)));
        let parsed = parse(&text, &functions, Delimiters::default());
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
        list(&mut out, &tree.root);
        out + " " + &quote(tree.root.to_bytes(&tree.text))
    });
    words.collect::<Vec<_>>().join(" ")
}

fn open(out: &mut String, name: &str, place: Place) {
    write!(out, "({name}@{}", place.position).unwrap();
}

fn list(out: &mut String, list: &List) {
    open(out, "list", list.place);
    for item in &list.nodes {
        out.push(' ');
        node(out, item);
    }
    out.push(')');
}

fn node(out: &mut String, node: &Node) {
    match node {
        Node::Text(place) => {
            open(out, "text", *place);
            write!(out, " {}", place.range().len()).unwrap();
        }
        Node::Action(action) => {
            open(out, "action", action.place);
            out.push(' ');
            pipe(out, &action.pipe);
        }
        Node::Branch(branch) => {
            open(out, branch.kind.keyword(), branch.place);
            out.push(' ');
            pipe(out, &branch.pipe);
            for part in [Some(&branch.list), branch.otherwise.as_ref()].into_iter().flatten() {
                out.push(' ');
                list(out, part);
            }
        }
        Node::Template(template) => {
            open(out, "template", template.place);
            write!(out, " {}", quote(&template.name)).unwrap();
            if let Some(dot) = &template.pipe {
                out.push(' ');
                pipe(out, dot);
            }
        }
        Node::Break(place) => open(out, "break", *place),
        Node::Continue(place) => open(out, "continue", *place),
    }
    out.push(')');
}

fn pipe(out: &mut String, pipe: &Pipe) {
    open(out, "pipe", pipe.place);
    write!(out, " {}", pipe.is_assign).unwrap();
    for declared in &pipe.variables {
        out.push(' ');
        variable(out, declared);
    }
    for command in &pipe.commands {
        out.push(' ');
        open(out, "cmd", command.place);
        for argument in std::iter::once(&command.head).chain(&command.arguments) {
            out.push(' ');
            operand(out, argument);
        }
        out.push(')');
    }
    out.push(')');
}

fn variable(out: &mut String, variable: &Variable) {
    open(out, "var", variable.place);
    write!(out, " {}", variable.name).unwrap();
    variable.fields.iter().for_each(|name| write!(out, " {name}").unwrap());
    out.push(')');
}

fn operand(out: &mut String, value: &Operand) {
    match value {
        Operand::Variable(value) => return variable(out, value),
        Operand::Pipe(value) => return pipe(out, value),
        Operand::Function(value) => {
            open(out, "fn", value.place);
            write!(out, " {}", value.name).unwrap();
        }
        Operand::Field(value) => {
            open(out, "field", value.place);
            value.names.iter().for_each(|name| write!(out, " {name}").unwrap());
        }
        Operand::Chain(value) => {
            open(out, "chain", value.place);
            out.push(' ');
            operand(out, &value.operand);
            value.fields.iter().for_each(|name| write!(out, " {name}").unwrap());
        }
        Operand::Dot(place) => open(out, "dot", *place),
        Operand::Nil(place) => open(out, "nil", *place),
        Operand::Bool(place, value) => {
            open(out, "bool", *place);
            write!(out, " {value}").unwrap();
        }
        Operand::Number(value) => {
            open(out, "num", value.place);
            value.int.iter().for_each(|number| write!(out, " i{number}").unwrap());
            value.uint.iter().for_each(|number| write!(out, " u{number}").unwrap());
            value.float.iter().for_each(|number| write!(out, " f{:016x}", number.to_bits()).unwrap());
            if let Some((real, imaginary)) = value.complex {
                write!(out, " c{:016x},{:016x}", real.to_bits(), imaginary.to_bits()).unwrap();
            }
        }
        Operand::Text(value) => {
            open(out, "str", value.place);
            write!(out, " {}", quote(&value.value)).unwrap();
        }
    }
    out.push(')');
}
