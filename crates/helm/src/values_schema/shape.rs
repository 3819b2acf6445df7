//! What values look like: the types at each place, with what comments say about it. Shapes can be laid over each
//! other, so that one says what the items of a list have in common.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_source::SourceMap;
use trueline_yaml::{Data, Value};

use super::notes::{Note, Notes, below};
use super::types::Types;

/// What values at one place look like.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    pub(super) types: Types,
    pub(super) properties: Properties,
    /// The items of a list, all of them.
    pub(super) items: Option<Box<Shape>>,
    /// The value itself, unless it stands in a list.
    pub(super) value: Option<Value>,
    pub(super) note: Option<Rc<Note>>,
    /// Whether other keys than these are likely: those of a subchart, or of `global`.
    pub(super) open: bool,
    /// A schema that somebody wrote for this place.
    pub(super) written: Option<Rc<serde_json::Value>>,
}

/// Names with their shapes, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub(super) struct Properties {
    list: Vec<(Arc<str>, Shape)>,
    /// Where the names are in a long list; most are short, and a table for each would be the largest part of a shape.
    index: Option<Box<FxHashMap<Arc<str>, usize>>>,
}

/// As many names are looked through one by one.
const FEW: usize = 16;

impl Properties {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.list.iter().map(|(name, shape)| (&**name, shape))
    }

    /// The shape of a name; an empty one is made where there is none.
    pub(super) fn entry(&mut self, name: &str) -> &mut Shape {
        let known = match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.list.iter().position(|(known, _)| **known == *name),
        };
        let index = known.unwrap_or_else(|| {
            self.list.push((Arc::from(name), Shape::default()));
            let last = self.list.len() - 1;
            match &mut self.index {
                Some(index) => _ = index.insert(Arc::from(name), last),
                None if self.list.len() > FEW => {
                    let names = self.list.iter().enumerate();
                    let index = names.map(|(place, (name, _))| (Arc::clone(name), place)).collect();
                    self.index = Some(Box::new(index));
                }
                None => {}
            }
            last
        });
        // The index holds places of the list only.
        &mut self.list[index].1
    }
}

impl Shape {
    /// A shape with types and nothing else.
    pub(super) fn of_types(types: Types) -> Self {
        Shape { types, ..Shape::default() }
    }

    /// Lays another shape over this one: what either allows is allowed. Values and notes of this one count before
    /// those of the other.
    pub(super) fn cover(&mut self, other: Shape) {
        self.types = self.types.with(other.types);
        for (name, shape) in other.properties.list {
            let own = self.properties.entry(&name);
            if own.types == Types::default() && own.written.is_none() {
                *own = shape
            } else {
                own.cover(shape)
            }
        }
        match (&mut self.items, other.items) {
            (Some(own), Some(items)) => own.cover(*items),
            (own @ None, items) => *own = items,
            (Some(_), None) => {}
        }
        self.value = self.value.take().or(other.value);
        self.note = self.note.take().or(other.note);
        self.written = self.written.take().or(other.written);
        self.open |= other.open;
    }

    /// Forgets the values: the shape is that of an example.
    pub(super) fn forget_values(&mut self) {
        self.value = None;
        self.properties.list.iter_mut().for_each(|(_, shape)| shape.forget_values());
    }

    /// Forgets the nulls that stand in no list: a chart above sets what they leave open.
    pub(super) fn forget_nulls(&mut self) {
        if self.types == Types::NULL {
            self.types = Types::default();
        }
        self.properties.list.iter_mut().for_each(|(_, shape)| shape.forget_nulls());
    }

    /// Makes sure that there is something at a path of names.
    pub(super) fn ensure(&mut self, path: &[&str], types: Types) {
        match path {
            [] => {
                if self.types == Types::default() || self.types == Types::NULL {
                    self.types = self.types.with(types);
                }
            }
            [name, rest @ ..] => {
                // A condition may lead through a value that is no map; Helm takes it for missing then.
                if self.types != Types::default() && !self.types.has(Types::OBJECT.with(Types::NULL)) {
                    return;
                }
                self.types = self.types.with(Types::OBJECT);
                self.properties.entry(name).ensure(rest, types);
            }
        }
    }
}

/// Makes shapes of values.
pub(super) struct Reader<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) notes: &'a Notes,
}

/// Whether a value stands in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Maps,
    List,
}

impl Reader<'_> {
    /// The shape of a map of values.
    pub(super) fn shape(&self, values: &Value) -> Shape {
        self.shape_at(values, "", Within::Maps)
    }

    fn shape_at(&self, value: &Value, path: &str, within: Within) -> Shape {
        let mut shape = Shape::of_types(Types::of(value, self.sources));
        match &value.data {
            Data::Map(map) => {
                for (key, entry) in map.iter() {
                    let path = below(path, key);
                    let mut inner = self.shape_at(&entry.value, &path, within);
                    inner.note = self.notes.of(entry.key_origin, &path);
                    shape.properties.entry(key).cover(inner);
                }
            }
            Data::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let inner = self.shape_at(item, &format!("{path}[{index}]"), Within::List);
                    shape.items.get_or_insert_default().cover(inner);
                }
            }
            _ => {}
        }
        if within == Within::Maps {
            shape.value = Some(value.clone());
        }
        shape
    }
}
