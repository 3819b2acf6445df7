//! The nodes that have rules, with the ways that lead to them.

use std::rc::Rc;

use trueline_starlark::{Thread, Value};

use super::annotation::Validation;
use super::run::ASSERT_VALIDATE;
use crate::error::Error;
use crate::schema::Type;
use crate::tree::{self, DocumentSet, Meta};

/// A node that has a value.
pub(super) struct Node<'d> {
    pub(super) value: &'d tree::Value,
    pub(super) meta: &'d Meta,
    /// What it is in.
    pub(super) parent: Parent<'d>,
    path: Path<'d>,
}

/// What a node is in.
#[derive(Clone, Copy)]
pub(super) enum Parent<'d> {
    /// Nothing.
    None,
    /// All documents.
    Documents,
    /// A map or an array.
    Collection(&'d tree::Value),
}

/// The keys and indices that lead to a node. Most are never printed, and so they are kept apart.
#[derive(Clone)]
struct Path<'d> {
    before: Option<Rc<Path<'d>>>,
    last: Step<'d>,
}

#[derive(Clone, Copy)]
enum Step<'d> {
    /// A document, or a value that has a name of its own.
    Start(Start<'d>),
    Key(&'d tree::Value),
    Index(usize),
}

/// Where a path starts.
#[derive(Clone, Copy)]
pub(super) enum Start<'d> {
    /// One of several documents.
    Document(usize),
    /// A value with a name.
    Named(&'d str),
}

/// A node with the rules for it, and how deep it is.
pub(super) struct Found<'d> {
    pub(super) node: Node<'d>,
    pub(super) validations: Vec<Rc<Validation>>,
    pub(super) depth: usize,
    /// The value as rules see it, if that is known already.
    pub(super) given: Option<Value>,
}

impl<'d> Node<'d> {
    pub(super) fn start(
        value: &'d tree::Value,
        meta: &'d Meta,
        parent: Parent<'d>,
        start: Start<'d>,
    ) -> Node<'d> {
        Node { value, meta, parent, path: Path { before: None, last: Step::Start(start) } }
    }

    fn child(&self, path: &Rc<Path<'d>>, value: &'d tree::Value, meta: &'d Meta, last: Step<'d>) -> Node<'d> {
        let path = Path { before: Some(Rc::clone(path)), last };
        Node { value, meta, parent: Parent::Collection(self.value), path }
    }

    /// The key or the index that leads to it from its parent.
    pub(super) fn key(&self) -> Value {
        match self.path.last {
            Step::Start(Start::Document(index)) | Step::Index(index) => Value::size(index),
            Step::Start(Start::Named(name)) => Value::string(name),
            Step::Key(tree::Value::String(text)) => Value::string(text.as_bytes()),
            Step::Key(tree::Value::Int(key)) => Value::int(*key),
            Step::Key(tree::Value::Bool(key)) => Value::bool(*key),
            Step::Key(key) => Value::string(key.go_string()),
        }
    }

    /// The keys and indices that lead to it, such as `db.hosts[0]`; nothing for the document.
    pub(super) fn path(&self) -> String {
        let mut steps = vec![self.path.last];
        let mut before = self.path.before.as_ref();
        while let Some(path) = before {
            steps.push(path.last);
            before = path.before.as_ref();
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Start(Start::Document(_)) => {}
                Step::Start(Start::Named(name)) => name.clone_into(&mut path),
                Step::Key(key) if path.is_empty() => path = key.go_string(),
                Step::Key(key) => path = format!("{path}.{}", key.go_string()),
                Step::Index(index) => path = format!("{path}[{index}]"),
            }
        }
        path
    }

    /// The path as reports show it.
    pub(super) fn shown_path(&self) -> String {
        match (self.path(), self.path.last) {
            (path, Step::Start(Start::Document(_))) if path.is_empty() => "(document)".to_owned(),
            (path, Step::Index(_)) if path.is_empty() => "(array item)".to_owned(),
            (path, _) if path.is_empty() => "(map item)".to_owned(),
            (path, _) => path,
        }
    }
}

/// What a schema says about a node.
pub(super) type Declared<'s> = (Option<&'s Rc<Validation>>, &'s Type);

/// Finds the nodes that have rules, parents before children. All annotations are checked before any rule is run.
pub(super) fn collect<'d>(
    node: Node<'d>,
    declared: impl Into<Option<Declared<'d>>>,
    nodes: &mut Vec<Found<'d>>,
    thread: &mut Thread,
) -> Result<(), Error> {
    let mut open = vec![(node, declared.into(), 0)];
    while let Some((node, declared, depth)) = open.pop() {
        let declared_type = declared.map(|(_, declared)| declared);
        // What comes first is looked at first, and so it is put there last.
        match node.value {
            tree::Value::Map(map) => {
                let path = Rc::new(node.path.clone());
                for item in map.items.iter().rev() {
                    let inside = match declared_type.map(inner) {
                        Some(Type::Map(declared)) => declared.get(&item.key),
                        _ => None,
                    };
                    let child = node.child(&path, &item.value, &item.meta, Step::Key(&item.key));
                    let inside = inside.map(|inside| (inside.validation.as_ref(), &inside.value));
                    open.push((child, inside, depth + 1));
                }
            }
            tree::Value::Array(array) => {
                let path = Rc::new(node.path.clone());
                let inside = match declared_type.map(inner) {
                    Some(Type::Array(declared)) => {
                        Some((declared.item.validation.as_ref(), &declared.item.value))
                    }
                    _ => None,
                };
                for (index, item) in array.items.iter().enumerate().rev() {
                    let child = node.child(&path, &item.value, &item.meta, Step::Index(index));
                    open.push((child, inside, depth + 1));
                }
            }
            _ => {}
        }
        let mut validations: Vec<Rc<Validation>> = Vec::new();
        validations.extend(declared.and_then(|(validation, _)| validation).cloned());
        if let Some(annotation) = node.meta.annotations().get(ASSERT_VALIDATE) {
            validations.push(Rc::new(Validation::from_annotation(ASSERT_VALIDATE, annotation, thread)?));
        }
        if !validations.is_empty() {
            nodes.push(Found { node, validations, depth, given: None });
        }
    }
    Ok(())
}

/// The order that runs children before their parents, for nodes that are listed the other way round.
pub(super) fn leaves_first(nodes: &[Found<'_>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (index, found) in nodes.iter().enumerate() {
        while let Some((depth, above)) = open.pop() {
            if depth < found.depth {
                open.push((depth, above));
                break;
            }
            order.push(above);
        }
        open.push((found.depth, index));
    }
    order.extend(open.into_iter().rev().map(|(_, index)| index));
    order
}

/// Whether a value, or anything in it, has an annotation with rules.
pub(crate) fn has_rules(value: &tree::Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            tree::Value::Map(map) => {
                if map.items.iter().any(|item| item.meta.annotations().has(ASSERT_VALIDATE)) {
                    return true;
                }
                open.extend(map.items.iter().map(|item| &item.value).filter(|value| value.is_collection()));
            }
            tree::Value::Array(array) => {
                if array.items.iter().any(|item| item.meta.annotations().has(ASSERT_VALIDATE)) {
                    return true;
                }
                open.extend(array.items.iter().map(|item| &item.value).filter(|value| value.is_collection()));
            }
            _ => {}
        }
    }
    false
}

/// Removes the annotations with rules.
pub(crate) fn without_rules(documents: &mut DocumentSet) {
    for document in &mut documents.documents {
        if document.meta.annotations().has(ASSERT_VALIDATE) {
            document.meta.annotations_mut().remove(ASSERT_VALIDATE);
        }
        if has_rules(&document.value) {
            remove_rules(&mut document.value);
        }
    }
}

fn remove_rules(value: &mut tree::Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let items: Vec<(&mut Meta, &mut tree::Value)> = match value {
            tree::Value::Map(map) => {
                let items = Rc::make_mut(map).items.iter_mut();
                items.map(|item| (&mut item.meta, &mut item.value)).collect()
            }
            tree::Value::Array(array) => {
                let items = Rc::make_mut(array).items.iter_mut();
                items.map(|item| (&mut item.meta, &mut item.value)).collect()
            }
            _ => continue,
        };
        for (meta, value) in items {
            if meta.annotations().has(ASSERT_VALIDATE) {
                meta.annotations_mut().remove(ASSERT_VALIDATE);
            }
            open.push(value);
        }
    }
}

/// The type of a value that is not null.
fn inner(declared: &Type) -> &Type {
    match declared {
        Type::Nullable(nullable) => &nullable.value,
        other => other,
    }
}
