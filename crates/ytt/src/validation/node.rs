//! The nodes that have rules, with the ways that lead to them.

use std::iter::Enumerate;
use std::rc::Rc;
use std::slice;

use trueline_starlark::Value;

use super::annotation::Validation;
use super::run::ASSERT_VALIDATE;
use crate::schema::{MapType, Type};
use crate::tree::{self, ArrayItem, DocumentSet, MapItem, Meta};

/// A node that has a value.
#[derive(Clone)]
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

/// A node on the way through a tree.
pub(super) struct Visited<'d> {
    pub(super) node: Node<'d>,
    /// What the schema says about it.
    pub(super) declared: Option<Declared<'d>>,
    /// How deep it is.
    pub(super) depth: usize,
}

/// Goes through the nodes of a tree, parents before children, and keeps only the way to the current one.
pub(super) struct Walk<'d> {
    start: Option<Visited<'d>>,
    open: Vec<Level<'d>>,
}

/// A map or an array whose items are being visited.
struct Level<'d> {
    collection: &'d tree::Value,
    path: Rc<Path<'d>>,
    items: Items<'d>,
    depth: usize,
}

/// The items that are left, with what the schema says about them.
enum Items<'d> {
    Map(slice::Iter<'d, MapItem>, Option<&'d MapType>),
    Array(Enumerate<slice::Iter<'d, ArrayItem>>, Option<Declared<'d>>),
}

impl<'d> Walk<'d> {
    /// The way through what is below a node, which comes first.
    pub(super) fn new(node: Node<'d>, declared: Option<Declared<'d>>) -> Walk<'d> {
        Walk { start: Some(Visited { node, declared, depth: 0 }), open: Vec::new() }
    }

    /// Comes to the items of a node next.
    fn enter(&mut self, visited: &Visited<'d>) {
        let declared = visited.declared.map(|(_, declared)| inner(declared));
        let items = match (visited.node.value, declared) {
            (tree::Value::Map(map), Some(Type::Map(declared))) => {
                Items::Map(map.items.iter(), Some(declared))
            }
            (tree::Value::Map(map), _) => Items::Map(map.items.iter(), None),
            (tree::Value::Array(array), Some(Type::Array(declared))) => {
                let declared = (declared.item.validation.as_ref(), &declared.item.value);
                Items::Array(array.items.iter().enumerate(), Some(declared))
            }
            (tree::Value::Array(array), _) => Items::Array(array.items.iter().enumerate(), None),
            _ => return,
        };
        self.open.push(Level {
            collection: visited.node.value,
            path: Rc::new(visited.node.path.clone()),
            items,
            depth: visited.depth + 1,
        });
    }
}

impl<'d> Iterator for Walk<'d> {
    type Item = Visited<'d>;

    fn next(&mut self) -> Option<Visited<'d>> {
        if let Some(first) = self.start.take() {
            self.enter(&first);
            return Some(first);
        }
        let visited = loop {
            match self.open.last_mut()?.next() {
                Some(visited) => break visited,
                None => drop(self.open.pop()),
            }
        };
        self.enter(&visited);
        Some(visited)
    }
}

impl<'d> Level<'d> {
    fn next(&mut self) -> Option<Visited<'d>> {
        let (value, meta, last, declared) = match &mut self.items {
            Items::Map(items, declared) => {
                let item = items.next()?;
                let declared = declared.and_then(|declared| declared.get(&item.key));
                let declared = declared.map(|declared| (declared.validation.as_ref(), &declared.value));
                (&item.value, &item.meta, Step::Key(&item.key), declared)
            }
            Items::Array(items, declared) => {
                let (index, item) = items.next()?;
                (&item.value, &item.meta, Step::Index(index), *declared)
            }
        };
        let path = Path { before: Some(Rc::clone(&self.path)), last };
        let node = Node { value, meta, parent: Parent::Collection(self.collection), path };
        Some(Visited { node, declared, depth: self.depth })
    }
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
