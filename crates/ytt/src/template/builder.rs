//! What a running template builds: nodes that are begun one inside of the other, and the tree that they become.

use std::rc::Rc;

use trueline_starlark::{Error, Thread, Value as Starlark};

use super::node::{Fixed, NodeId, NodeKind, Prototype, ROOT};
use super::program::Program;
use crate::error::{self, ErrorKind, Fact};
use crate::tree::{
    Annotations, Array, ArrayItem, Document, DocumentSet, KeyIndex, Made, Map, MapItem, Position, Value,
};
use crate::value::{Content, Context, Fragment, Measure, Noop, from_starlark_measured};

/// The annotation of an item that may take the place of another with the same key.
pub(crate) const MAP_KEY_OVERRIDE: &str = "yaml/map-key-override";

/// For so many items of the template room is made at once; blocks of the template may leave all of them out.
const ROOM: usize = 16;

/// What becomes of a key that a map has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyOverrides {
    /// It is an error unless the item is annotated.
    #[default]
    Annotated,
    /// The later item takes the place of the earlier one (`--implicit-map-key-overrides`).
    Implicit,
}

/// Nodes that are being built by a file or by one call of a function.
pub(super) struct Builder {
    /// How many calls deep it was begun.
    pub(super) depth: usize,
    pending_annotations: Vec<(NodeId, Annotations)>,
    pending_keys: Vec<(NodeId, Value)>,
    /// The nodes that are not complete yet, outermost first.
    pub(super) open: Vec<Open>,
}

/// A node that is not complete yet.
pub(super) struct Open {
    id: NodeId,
    pub(super) node: Building,
    /// How large what it holds is.
    pub(super) measure: Measure,
    /// Whether its parent has other nodes in its place.
    pub(super) is_replaced: bool,
}

/// A node with what it holds so far.
pub(super) enum Building {
    DocumentSet(DocumentSet),
    Document(Document),
    Map(Map, KeyIndex),
    MapItem(MapItem),
    Array(Array),
    ArrayItem(ArrayItem),
    TextRoot(Vec<u8>),
    Text(Vec<u8>),
}

/// What was built.
pub(super) enum Built {
    Nothing,
    Yaml(Content, Measure),
    Text(Vec<u8>),
}

impl Builder {
    pub(super) fn new(depth: usize) -> Builder {
        Builder { depth, pending_annotations: Vec::new(), pending_keys: Vec::new(), open: Vec::new() }
    }

    /// Keeps an annotation for the node that it belongs to.
    pub(super) fn annotate(&mut self, id: NodeId, set: impl FnOnce(&mut Annotations)) {
        match self.pending_annotations.iter_mut().find(|(known, _)| *known == id) {
            Some((_, annotations)) => set(annotations),
            None => {
                let mut annotations = Annotations::new();
                set(&mut annotations);
                self.pending_annotations.push((id, annotations));
            }
        }
    }

    /// Keeps a computed key for the item that it belongs to.
    pub(super) fn set_key(&mut self, id: NodeId, key: Value) {
        self.pending_keys.retain(|(known, _)| *known != id);
        self.pending_keys.push((id, key));
    }

    /// Starts a node inside of the one that it belongs into, and those that are started with it. An error comes with the
    /// node that it is about.
    pub(super) fn start(
        &mut self,
        thread: &Thread,
        program: &Program,
        first: NodeId,
        context: &Context,
    ) -> Result<(), (NodeId, Error)> {
        for id in program.nodes().run(first) {
            self.start_one(thread, program, id, context).map_err(|error| (id, error))?;
        }
        Ok(())
    }

    fn start_one(
        &mut self,
        thread: &Thread,
        program: &Program,
        id: NodeId,
        context: &Context,
    ) -> Result<(), Error> {
        let nodes = program.nodes();
        let Some(prototype) = nodes.get(id) else { return Err(Error::new("expected to find a node")) };
        let needs_parent = matches!(
            prototype.kind,
            NodeKind::Document(_) | NodeKind::MapItem | NodeKind::ArrayItem | NodeKind::Text
        );
        if self.open.is_empty() && needs_parent {
            // What is built has to be something that holds documents or items.
            self.start_one(thread, program, nodes.parent(id), context)?;
        }
        if let Some(current) = self.open.last().map(|open| open.id) {
            self.unwind_to(nodes.common_parent(current, id))?;
        }
        context.charge(prototype.measure.nodes.saturating_add(1))?;
        let mut node = Building::of(prototype);
        self.take_pending(id, &mut node);
        if let Some(parent) = self.open.last_mut() {
            if let (Building::Map(map, index), Building::MapItem(item)) = (&mut parent.node, &node) {
                make_room(thread, map, index, item, program.overrides())?;
            }
            parent.node.check_child(prototype.kind)?;
        }
        self.open.push(Open { id, node, measure: prototype.measure, is_replaced: false });
        Ok(())
    }

    fn take_pending(&mut self, id: NodeId, node: &mut Building) {
        if let Some(place) = self.pending_annotations.iter().position(|(known, _)| *known == id) {
            let (_, annotations) = self.pending_annotations.swap_remove(place);
            if let Some(meta) = node.meta_mut() {
                *meta.annotations_mut() = annotations;
            }
        }
        if let Some(place) = self.pending_keys.iter().position(|(known, _)| *known == id) {
            let (_, key) = self.pending_keys.swap_remove(place);
            if let Building::MapItem(item) = node {
                item.key = key;
            }
        }
    }

    fn unwind_to(&mut self, id: NodeId) -> Result<(), Error> {
        let place = self.open.iter().rposition(|open| open.id == id);
        let Some(place) = place.filter(|_| id != ROOT) else {
            return Err(Error::new(
                "expected all nodes of a function to belong to one document set, map or array (hint: does the \
                 function begin inside of a node and end outside of it?)",
            ));
        };
        while self.open.len() > place + 1 {
            self.close_last();
        }
        Ok(())
    }

    /// Completes the innermost node.
    fn close_last(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        if closed.is_replaced {
            return;
        }
        if let Some(parent) = self.open.last_mut() {
            parent.measure.include(closed.measure);
            parent.node.adopt(closed.node);
        }
    }

    /// Completes all nodes.
    pub(super) fn finish(mut self) -> Result<Built, Error> {
        while self.open.len() > 1 {
            self.close_last();
        }
        let Some(Open { node, measure, .. }) = self.open.pop() else { return Ok(Built::Nothing) };
        let content = match node {
            Building::DocumentSet(documents) => Content::from(documents),
            Building::Map(map, _) => Value::from(map).into(),
            Building::Array(array) => Value::from(array).into(),
            Building::TextRoot(text) | Building::Text(text) => return Ok(Built::Text(text)),
            // These are never outermost.
            Building::Document(_) | Building::MapItem(_) | Building::ArrayItem(_) => {
                return Ok(Built::Nothing);
            }
        };
        Ok(Built::Yaml(content, measure.check()?))
    }

    /// Sets the innermost node to a computed value.
    pub(super) fn set_value(&mut self, value: &Starlark, context: &Context) -> Result<(), Error> {
        if value.as_custom::<Noop>().is_some() {
            return Ok(());
        }
        let Some(open) = self.open.last_mut() else { return Err(no_node()) };
        if let (Building::Text(text), Some(bytes)) = (&mut open.node, value.as_bytes()) {
            // It is copied here, and once more into the text around it.
            context.charge(Context::nodes_of_text(bytes.len().saturating_mul(2)))?;
            bytes.clone_into(text);
            return Ok(());
        }
        let (content, measure) = from_starlark_measured(value, context)?;
        open.node.set(content, context.position(value.mark()))?;
        open.measure = measure;
        Ok(())
    }
}

fn no_node() -> Error {
    Error::new("expected to find a node to set the value of, but there is none")
}

impl Building {
    fn of(prototype: &Prototype) -> Building {
        let meta = prototype.meta.clone();
        let is_whole = prototype.fixed == Fixed::Whole;
        let value = if is_whole { prototype.value.clone() } else { Value::Null };
        match prototype.kind {
            NodeKind::DocumentSet => Building::DocumentSet(DocumentSet { meta, ..DocumentSet::default() }),
            NodeKind::Document(presence) => Building::Document(Document { value, meta, presence }),
            NodeKind::Map => {
                let map = match value {
                    Value::Map(map) => Rc::unwrap_or_clone(map),
                    _ => Map { items: Vec::with_capacity(prototype.items.min(ROOM)), meta, made: Made::Yaml },
                };
                let index = KeyIndex::of(&map);
                Building::Map(map, index)
            }
            NodeKind::MapItem => Building::MapItem(MapItem { key: prototype.key.clone(), value, meta }),
            NodeKind::Array => Building::Array(match value {
                Value::Array(array) => Rc::unwrap_or_clone(array),
                _ => Array { items: Vec::with_capacity(prototype.items.min(ROOM)), meta, made: Made::Yaml },
            }),
            NodeKind::ArrayItem => Building::ArrayItem(ArrayItem { value, meta }),
            NodeKind::TextRoot => Building::TextRoot(Vec::new()),
            NodeKind::Text => Building::Text(value.as_text().map(|text| text.to_vec()).unwrap_or_default()),
        }
    }

    fn meta_mut(&mut self) -> Option<&mut crate::tree::Meta> {
        Some(match self {
            Building::DocumentSet(documents) => &mut documents.meta,
            Building::Document(document) => &mut document.meta,
            Building::Map(map, _) => &mut map.meta,
            Building::MapItem(item) => &mut item.meta,
            Building::Array(array) => &mut array.meta,
            Building::ArrayItem(item) => &mut item.meta,
            Building::TextRoot(_) | Building::Text(_) => return None,
        })
    }

    /// The name in messages.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Building::DocumentSet(_) => "document set",
            Building::Document(_) => "document",
            Building::Map(..) => "map",
            Building::MapItem(_) => "map item",
            Building::Array(_) => "array",
            Building::ArrayItem(_) => "array item",
            Building::TextRoot(_) | Building::Text(_) => "text",
        }
    }

    fn check_child(&self, child: NodeKind) -> Result<(), Error> {
        let fits = match self {
            Building::DocumentSet(_) => matches!(child, NodeKind::Document(_)),
            Building::Map(..) => child == NodeKind::MapItem,
            Building::Array(_) => child == NodeKind::ArrayItem,
            Building::Document(_) | Building::MapItem(_) | Building::ArrayItem(_) => {
                matches!(child, NodeKind::Map | NodeKind::Array)
            }
            Building::TextRoot(_) => child == NodeKind::Text,
            Building::Text(_) => false,
        };
        if fits { Ok(()) } else { Err(self.wrong_child(child.name())) }
    }

    fn wrong_child(&self, child: &str) -> Error {
        let what = match self {
            Building::DocumentSet(_) => "document sets can only contain documents",
            Building::Document(_) => "documents can only contain arrays, maps, or scalars",
            Building::Map(..) => "maps can only contain map items",
            Building::MapItem(_) => "map items can only contain arrays, maps, or scalars",
            Building::Array(_) => "arrays can only contain array items",
            Building::ArrayItem(_) => "array items can only contain maps, arrays, or scalars",
            Building::TextRoot(_) | Building::Text(_) => "texts can only contain texts",
        };
        Error::new(format!("{what}; this is a {child}"))
    }

    /// Takes in a complete node; whether it fits was checked when it was begun.
    fn adopt(&mut self, child: Building) {
        let collection = match child {
            // There may be very many of them, most with few items.
            Building::Map(mut map, _) => {
                map.items.shrink_to_fit();
                Some(Value::from(map))
            }
            Building::Array(mut array) => {
                array.items.shrink_to_fit();
                Some(Value::from(array))
            }
            Building::Document(document) => {
                if let Building::DocumentSet(documents) = self {
                    documents.documents.push(document);
                }
                None
            }
            Building::MapItem(item) => {
                if let Building::Map(map, index) = self {
                    map.items.push(item);
                    index.update(&map.items);
                }
                None
            }
            Building::ArrayItem(item) => {
                if let Building::Array(array) = self {
                    array.items.push(item);
                }
                None
            }
            Building::Text(text) => {
                if let Building::TextRoot(whole) = self {
                    whole.extend_from_slice(&text);
                }
                None
            }
            Building::DocumentSet(_) | Building::TextRoot(_) => None,
        };
        if let (Some(collection), Some(value)) = (collection, self.value_mut()) {
            *value = collection;
        }
    }

    fn value_mut(&mut self) -> Option<&mut Value> {
        match self {
            Building::Document(document) => Some(&mut document.value),
            Building::MapItem(item) => Some(&mut item.value),
            Building::ArrayItem(item) => Some(&mut item.value),
            _ => None,
        }
    }

    fn set(&mut self, content: Content, place: Position) -> Result<(), Error> {
        match self {
            Building::Text(_) => {
                return Err(Error::new(format!(
                    "cannot set non-string value ({}), consider using str(...) to convert to string",
                    content.go_type()
                )));
            }
            Building::TextRoot(_) => return Err(Error::new("cannot set value on a noderoot")),
            Building::Array(_) => return Err(Error::new("cannot set value on an array")),
            Building::Map(..) | Building::DocumentSet(_) => {
                return Err(Error::new(format!("cannot set value on a {}", self.type_name())));
            }
            Building::Document(_) | Building::MapItem(_) | Building::ArrayItem(_) => {}
        }
        let value = match content {
            Content::Value(value) => value,
            Content::Documents(_) => return Err(self.wrong_child("document set")),
        };
        if let Some(target) = self.value_mut() {
            *target = value;
        }
        if let Some(meta) = self.meta_mut() {
            meta.set_place(place);
        }
        Ok(())
    }
}

/// Makes sure that a map has no item with the key of a new one.
fn make_room(
    thread: &Thread,
    map: &mut Map,
    index: &mut KeyIndex,
    item: &MapItem,
    overrides: KeyOverrides,
) -> Result<(), Error> {
    let Some(place) = index.find(&map.items, &item.key) else { return Ok(()) };
    check_override(item, overrides)?;
    remove_item(thread, map, index, place)
}

/// Fails unless an item may take the place of another.
pub(super) fn check_override(item: &MapItem, overrides: KeyOverrides) -> Result<(), Error> {
    if overrides == KeyOverrides::Implicit || item.meta.annotations().has(MAP_KEY_OVERRIDE) {
        return Ok(());
    }
    let fact = Fact::RepeatedKey { key: item.key.go_string() };
    Err(error::Error::known(ErrorKind::Other, fact).into_starlark())
}

/// Removes an item, which costs as much as the map is long.
pub(super) fn remove_item(
    thread: &Thread,
    map: &mut Map,
    index: &mut KeyIndex,
    place: usize,
) -> Result<(), Error> {
    thread.spend(map.items.len())?;
    map.items.remove(place);
    *index = KeyIndex::of(map);
    Ok(())
}

impl Built {
    /// What was built, as the value that a function returns.
    pub(super) fn into_starlark(self, context: &Context) -> Starlark {
        match self {
            Built::Nothing => Starlark::custom(Fragment::new(Value::Null, context)),
            Built::Yaml(content, measure) => {
                Starlark::custom(Fragment::measured(content, Some(measure), context))
            }
            Built::Text(text) => Starlark::string_from(text),
        }
    }
}
