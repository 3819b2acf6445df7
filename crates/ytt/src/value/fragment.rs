//! `yamlfragment`: maps, arrays and document sets in Starlark.
//!
//! ytt hands out references into its trees, and `overlay.apply(x, …)` changes `x` and whatever it was taken from. Trees
//! here are copied on write, so a fragment remembers which fragment it was taken from: a change is written back to
//! those above it, and those below it look again.

use std::any::Any;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

use trueline_starlark::{CompareOp, CustomValue, Error, Limits, Thread, Value, Writer};

use super::{Context, Measure, convert, to_starlark};
use crate::tree::{self, DocumentSet, Made, Meta, Position};

/// What Starlark values are as YAML, and what a fragment holds.
#[derive(Debug, Clone)]
pub enum Content {
    /// A map, an array or a scalar. A fragment holds null if the function that made it met no node.
    Value(tree::Value),
    /// Documents.
    Documents(Rc<DocumentSet>),
}

impl Content {
    /// How messages name it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Content::Value(value) => value.type_name(),
            Content::Documents(_) => "document set",
        }
    }

    /// The type as Go's `%T` prints it.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Content::Documents(_) => "*yamlmeta.DocumentSet",
            Content::Value(value) => match value {
                tree::Value::Null => "<nil>",
                tree::Value::Bool(_) => "bool",
                tree::Value::Int(_) => "int64",
                tree::Value::UInt(_) => "uint64",
                tree::Value::Float(_) => "float64",
                tree::Value::String(_) => "string",
                tree::Value::Map(map) if map.made == Made::Plain => "*orderedmap.Map",
                tree::Value::Map(_) => "*yamlmeta.Map",
                tree::Value::Array(array) if array.made == Made::Plain => "[]interface {}",
                tree::Value::Array(_) => "*yamlmeta.Array",
            },
        }
    }

    /// How ytt's messages name it: there are no names for plain collections but those of Go.
    pub(crate) fn shown_type(&self) -> &'static str {
        match self {
            Content::Value(tree::Value::Map(map)) if map.made == Made::Plain => self.go_type(),
            Content::Value(tree::Value::Array(array)) if array.made == Made::Plain => self.go_type(),
            other => other.type_name(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Content::Value(tree::Value::Map(map)) => map.items.len(),
            Content::Value(tree::Value::Array(array)) => array.items.len(),
            Content::Value(_) => 0,
            Content::Documents(documents) => documents.documents.len(),
        }
    }

    /// The value of an item, and where it was typed.
    fn value_at(&self, index: usize) -> Option<(&tree::Value, Position)> {
        match self {
            Content::Value(tree::Value::Map(map)) => {
                map.items.get(index).map(|item| (&item.value, item.meta.place()))
            }
            Content::Value(tree::Value::Array(array)) => {
                array.items.get(index).map(|item| (&item.value, item.meta.place()))
            }
            Content::Value(_) => None,
            Content::Documents(documents) => {
                documents.documents.get(index).map(|document| (&document.value, document.meta.place()))
            }
        }
    }

    fn value_at_mut(&mut self, index: usize) -> Option<&mut tree::Value> {
        match self {
            Content::Value(value @ tree::Value::Map(_)) => {
                value.as_map_mut()?.items.get_mut(index).map(|item| &mut item.value)
            }
            Content::Value(value) => value.as_array_mut()?.items.get_mut(index).map(|item| &mut item.value),
            Content::Documents(documents) => {
                Rc::make_mut(documents).documents.get_mut(index).map(|document| &mut document.value)
            }
        }
    }
}

impl From<tree::Value> for Content {
    fn from(value: tree::Value) -> Self {
        Content::Value(value)
    }
}

impl From<DocumentSet> for Content {
    fn from(documents: DocumentSet) -> Self {
        Content::Documents(Rc::new(documents))
    }
}

/// A map, an array or a document set in Starlark. Clones are the same fragment.
#[derive(Clone)]
pub struct Fragment(Rc<Inner>);

struct Inner {
    content: RefCell<Content>,
    /// How large the content is, once somebody had to know.
    measure: Cell<Option<Measure>>,
    context: Context,
    /// How often the tree that it belongs to had been changed when `content` was taken from it.
    seen: Cell<u32>,
    changes: Rc<Cell<u32>>,
    parent: Option<Parent>,
}

/// Where a fragment was taken from.
struct Parent {
    fragment: Fragment,
    index: usize,
    /// The key, if it was taken from a map: items may have moved.
    key: Option<tree::Value>,
}

impl Fragment {
    /// A fragment of its own.
    pub fn new(content: impl Into<Content>, context: &Context) -> Fragment {
        Fragment::measured(content.into(), None, context)
    }

    /// A fragment of its own, of a known size.
    pub(crate) fn measured(content: Content, measure: Option<Measure>, context: &Context) -> Fragment {
        Fragment(Rc::new(Inner {
            content: RefCell::new(content),
            measure: Cell::new(measure),
            context: context.clone(),
            seen: Cell::new(0),
            changes: Rc::default(),
            parent: None,
        }))
    }

    /// What it holds now. A copy costs next to nothing.
    pub fn content(&self) -> Content {
        self.look().clone()
    }

    /// What the node that it was taken from has beside its value; none if it was not taken from one.
    pub fn holder(&self) -> Option<Meta> {
        let parent = self.0.parent.as_ref()?;
        let index = parent.find()?;
        match &*parent.fragment.look() {
            Content::Value(tree::Value::Map(map)) => map.items.get(index).map(|item| item.meta.clone()),
            Content::Value(tree::Value::Array(array)) => array.items.get(index).map(|item| item.meta.clone()),
            Content::Value(_) => None,
            Content::Documents(set) => set.documents.get(index).map(|document| document.meta.clone()),
        }
    }

    /// How large it is, after paying for all its nodes.
    pub(crate) fn charged_measure(&self) -> Result<Measure, Error> {
        let content = self.content();
        if let Some(measure) = self.0.measure.get() {
            self.0.context.charge(measure.nodes)?;
            return Ok(measure);
        }
        let measure = content.measure(&self.0.context)?;
        self.0.measure.set(Some(measure));
        Ok(measure)
    }

    /// Changes what it holds, for everybody who has it or something that it was taken from.
    pub fn set_content(&self, content: impl Into<Content>) {
        let content = content.into();
        let change = self.0.changes.get().wrapping_add(1);
        self.0.changes.set(change);
        self.put(content, change);
    }

    fn put(&self, content: Content, change: u32) {
        let mut at = self.clone();
        let mut content = content;
        loop {
            *at.0.content.borrow_mut() = content.clone();
            at.0.measure.set(None);
            at.0.seen.set(change);
            let (Some(parent), Content::Value(value)) = (&at.0.parent, content) else { return };
            let Some(index) = parent.find() else { return };
            let mut above = parent.fragment.0.content.borrow().clone();
            let Some(place) = above.value_at_mut(index) else { return };
            *place = value;
            content = above;
            let next = parent.fragment.clone();
            at = next;
        }
    }

    /// What it holds, after taking over changes that were made above it.
    fn look(&self) -> Ref<'_, Content> {
        let inner = &self.0;
        if inner.seen.get() != inner.changes.get() {
            inner.seen.set(inner.changes.get());
            if let Some(parent) = &inner.parent
                && let Some(index) = parent.find()
            {
                let above = parent.fragment.look();
                if let Some((value, _)) = above.value_at(index)
                    && value.is_collection()
                {
                    *inner.content.borrow_mut() = Content::Value(value.clone());
                    inner.measure.set(None);
                }
            }
        }
        inner.content.borrow()
    }

    /// The value of an item as Starlark has it. Collections stay connected.
    fn child(&self, thread: &mut Thread, index: usize) -> Result<Value, Error> {
        let content = self.content();
        let Some((value, place)) = content.value_at(index) else { return Ok(Value::NONE) };
        if !convert::is_fragment(value) {
            return to_starlark(thread, value, &place, &self.0.context);
        }
        let key = match &content {
            Content::Value(tree::Value::Map(map)) => map.items.get(index).map(|item| item.key.clone()),
            _ => None,
        };
        let child = Fragment(Rc::new(Inner {
            content: RefCell::new(Content::Value(value.clone())),
            measure: Cell::new(None),
            context: self.0.context.clone(),
            seen: Cell::new(self.0.changes.get()),
            changes: Rc::clone(&self.0.changes),
            parent: Some(Parent { fragment: self.clone(), index, key }),
        }));
        Ok(Value::custom(child).with_mark(self.0.context.mark(&place)))
    }

    fn find(&self, key: &tree::Value) -> Result<Option<usize>, Error> {
        let content = self.look();
        let index = |kind: &str| match key {
            tree::Value::Int(index) => {
                Ok(usize::try_from(*index).ok().filter(|&index| index < content.len()))
            }
            other => Err(Error::new(format!(
                "yamlfragment.Get: Expected {kind} index to be an int64, but was {}",
                Content::Value(other.clone()).go_type()
            ))),
        };
        match &*content {
            Content::Value(tree::Value::Map(map)) => {
                Ok(map.items.iter().position(|item| item.key.is_same(key)))
            }
            Content::Value(tree::Value::Array(_)) => index("array"),
            Content::Value(_) => Ok(None),
            Content::Documents(_) => index("document set"),
        }
    }

    fn lookup(&self, thread: &mut Thread, key: &Value) -> Result<Option<Value>, Error> {
        let wanted = match convert::from_starlark(key, &self.0.context)? {
            Content::Value(value) => value,
            Content::Documents(_) => return Ok(None),
        };
        if let Content::Value(tree::Value::Map(map)) = &*self.look() {
            thread.spend(map.items.len() / 16)?;
        }
        match self.find(&wanted)? {
            Some(index) => self.child(thread, index).map(Some),
            None => Ok(None),
        }
    }

    fn key_at(&self, thread: &mut Thread, index: usize) -> Result<Value, Error> {
        let content = self.content();
        let Content::Value(tree::Value::Map(map)) = &content else { return Ok(Value::NONE) };
        let Some(item) = map.items.get(index) else { return Ok(Value::NONE) };
        to_starlark(thread, &item.key, &Position::unknown(), &self.0.context)
    }

    fn is_map(&self) -> bool {
        matches!(&*self.look(), Content::Value(tree::Value::Map(_)))
    }
}

/// The keys of a map, or the values of anything else.
struct Elements {
    fragment: Fragment,
    next: usize,
    /// Dicts can only be filled with a thread; few fragments hold any.
    thread: Option<Box<Thread>>,
}

impl Iterator for Elements {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let fragment = &self.fragment;
        let index = self.next;
        self.next += 1;
        if index >= fragment.look().len() {
            return None;
        }
        let simple = match &*fragment.look() {
            Content::Value(tree::Value::Map(map)) => {
                map.items.get(index).and_then(|item| convert::simple(&item.key, &Position::unknown(), None))
            }
            content => content.value_at(index).and_then(|(value, place)| {
                let context = Some(&fragment.0.context);
                convert::simple(value, &place, context)
            }),
        };
        if simple.is_some() {
            return simple;
        }
        let thread = self.thread.get_or_insert_with(|| Box::new(Thread::new(Limits::default())));
        let value =
            if fragment.is_map() { fragment.key_at(thread, index) } else { fragment.child(thread, index) };
        // All that can fail here are the limits of the thread that was just made.
        value.ok()
    }
}

impl Parent {
    fn find(&self) -> Option<usize> {
        let content = self.fragment.look();
        match (&*content, &self.key) {
            (Content::Value(tree::Value::Map(map)), Some(key)) => {
                let is_there = map.items.get(self.index).is_some_and(|item| item.key.is_same(key));
                if is_there {
                    Some(self.index)
                } else {
                    map.items.iter().position(|item| item.key.is_same(key))
                }
            }
            (content, _) => (self.index < content.len()).then_some(self.index),
        }
    }
}

impl CustomValue for Fragment {
    fn type_name(&self) -> &str {
        "yamlfragment"
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        let inside = match &*self.look() {
            Content::Value(tree::Value::Map(_)) => "*yamlmeta.Map",
            Content::Value(tree::Value::Array(_)) => "*yamlmeta.Array",
            Content::Value(_) => "<nil>",
            Content::Documents(_) => "*yamlmeta.DocumentSet",
        };
        writer.push(format!("yamlfragment({inside})"))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        self.look().len() > 0
    }

    // The names of attributes are not listed: that would change the words for those that do not exist.
    fn attr(&self, thread: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        if !self.is_map() {
            return Ok(None);
        }
        match self.find(&tree::Value::string(name))? {
            Some(index) => self.child(thread, index).map(Some),
            None => Ok(None),
        }
    }

    fn get_key(&self, thread: &mut Thread, key: &Value) -> Option<Result<Option<Value>, Error>> {
        Some(self.lookup(thread, key))
    }

    fn set_key(&self, _: &mut Thread, _: &Value, _: &Value) -> Option<Result<(), Error>> {
        Some(Err(Error::new("yamlfragment.SetKey: Not implemented")))
    }

    fn items(&self, thread: &mut Thread) -> Option<Result<Vec<(Value, Value)>, Error>> {
        let length = self.look().len();
        if length > 0 && !self.is_map() {
            return Some(Err(Error::new("yamlfragment.Items: Expected value to be a map")));
        }
        Some((0..length).map(|index| Ok((self.key_at(thread, index)?, self.child(thread, index)?))).collect())
    }

    fn len(&self) -> Option<usize> {
        Some(self.look().len())
    }

    fn slice(&self, _: &mut Thread, _: i64, _: i64, _: i64) -> Option<Result<Value, Error>> {
        Some(Err(Error::new("yamlfragment.Slice: Not implemented")))
    }

    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        Some(Box::new(Elements { fragment: self.clone(), next: 0, thread: None }))
    }

    fn compare(&self, _: &mut Thread, _: CompareOp, _: &Value, _: usize) -> Option<Result<bool, Error>> {
        Some(Err(Error::new("yamlfragment.CompareSameType: Not implemented")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{File, ReadOptions, read, yaml_of};

    fn fragment(text: &str) -> Fragment {
        let documents = read(&File::new("a.yml", text), &ReadOptions::default()).unwrap();
        Fragment::new(documents.documents[0].value.clone(), &Context::new())
    }

    fn text(fragment: &Fragment) -> String {
        match fragment.content() {
            Content::Value(value) => yaml_of(&value),
            Content::Documents(_) => "documents".to_owned(),
        }
    }

    fn part(thread: &mut Thread, whole: &Fragment, key: &str) -> Fragment {
        let value = whole.attr(thread, key).unwrap().unwrap();
        value.as_custom::<Fragment>().unwrap().clone()
    }

    #[test]
    fn a_change_is_seen_above_below_and_by_others() {
        let mut thread = Thread::new(Limits::default());
        let whole = fragment("a: {b: {c: 1}}\nd: [1]\n");
        let a = part(&mut thread, &whole, "a");
        let (one, two) = (part(&mut thread, &a, "b"), part(&mut thread, &a, "b"));
        let Content::Value(other) = fragment("c: 2\n").content() else { panic!("no value") };
        one.set_content(other);
        assert_eq!(text(&whole), "a:\n  b:\n    c: 2\nd:\n- 1\n");
        assert_eq!(text(&two), "c: 2\n");
        let Content::Value(other) = fragment("new: 1\na: {b: {c: 3}}\n").content() else {
            panic!("no value")
        };
        whole.set_content(other);
        assert_eq!((text(&one).as_str(), text(&a).as_str()), ("c: 3\n", "b:\n  c: 3\n"));
        let Content::Value(other) = fragment("e: 1\n").content() else { panic!("no value") };
        a.set_content(other);
        assert_eq!(text(&whole), "new: 1\na:\n  e: 1\n");
        // What is gone is kept by those who have it.
        assert_eq!(text(&one), "c: 3\n");
    }

    #[test]
    fn elements_are_keys_or_values_with_their_places() {
        let whole = fragment("a: 1\n2: [x]\n");
        let keys: Vec<String> = whole.iterate().unwrap().map(|key| format!("{key:?}")).collect();
        assert_eq!(keys, ["\"a\"", "2"]);
        let list = fragment("- x\n- [1]\n");
        let values: Vec<Value> = list.iterate().unwrap().collect();
        assert_eq!(list.0.context.position(values[0].mark()).to_string(), "a.yml:1");
        assert_eq!(values[1].type_name(), "yamlfragment");
    }
}
