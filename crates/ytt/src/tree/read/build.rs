//! Events to nodes: anchors, merge keys, positions.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_yaml::{Event, Events, NodePlace, Scalar, ScalarValue, SyntaxErrorKind};

use super::super::{
    Array, ArrayItem, Comment, Document, DocumentSet, File, Map, MapItem, Meta, Position, Presence, Text,
    Value,
};
use super::{CommentHandling, ReadError, ReadOptions, Scalars, Shift, comments, strict, worded};

/// Strings up to this length are shared within a file: keys and short values come again and again.
const SHORT: usize = 40;

/// Reads one file.
pub(super) struct Builder<'t> {
    events: Events<'t>,
    text: &'t str,
    state: State,
    comments: CommentHandling,
    set: DocumentSet,
    /// Comments that no node of the documents so far owns.
    left: Vec<Comment>,
}

/// The document that is being read.
struct State {
    file: Rc<File>,
    shift: Shift,
    scalars: Scalars,
    depth_limit: usize,
    expansion_limit: u64,
    node_limit: usize,
    /// How many nodes were read.
    nodes: usize,
    frames: Vec<Frame>,
    /// The items of the open maps and arrays, one after another, so that each can be made in its final size.
    map_items: Vec<MapItem>,
    array_items: Vec<ArrayItem>,
    root: Option<(Value, Position)>,
    document: Position,
    anchors: FxHashMap<Box<str>, Anchored>,
    strings: FxHashSet<Text>,
    /// What go-yaml finds only when it turns nodes into values; syntax errors further on come first.
    problem: Option<Problem>,
    /// How many nodes aliases stand for.
    expanded: u64,
}

/// So many bytes of a string that an alias repeats count as much as a node.
const TEXT_PER_NODE: usize = 64;

enum Problem {
    Syntax(SyntaxErrorKind, u32, u32),
    Strict(String, u32, u32),
}

/// What an anchor names.
#[derive(Clone)]
enum Anchored {
    /// A map or array that is still being read.
    Open,
    Done(Whole),
}

/// A node that has been read.
#[derive(Clone)]
struct Whole {
    value: Value,
    /// Where the value was typed.
    place: Position,
    /// How deep the nesting below is, aliases followed.
    height: usize,
    /// How many nodes it stands for, aliases followed.
    weight: u64,
}

/// A map or array that is being read.
struct Frame {
    is_map: bool,
    /// Where its items begin in the common list.
    base: usize,
    key: Option<Key>,
    anchor: Option<Box<str>>,
    /// Where it is, and where it is as an item.
    at: NodePlace,
    end: u32,
    height: usize,
    weight: u64,
    /// The position of what holds it.
    parent: Position,
    /// Whether something was wrong before it.
    was_sound: bool,
}

struct Key {
    value: Value,
    position: Position,
    role: Role,
    /// Its own content, for what is wrong with it.
    end: u32,
}

#[derive(PartialEq)]
enum Role {
    Plain,
    /// `<<`
    Merge,
}

impl<'t> Builder<'t> {
    pub(super) fn new(file: &Rc<File>, text: &'t str, shift: Shift, options: &ReadOptions) -> Self {
        Builder {
            events: Events::new(text, options.limits),
            text,
            state: State {
                file: Rc::clone(file),
                shift,
                scalars: options.scalars,
                depth_limit: options.limits.depth,
                expansion_limit: options.limits.expanded_nodes,
                node_limit: options.limits.nodes,
                nodes: 0,
                frames: Vec::new(),
                map_items: Vec::new(),
                array_items: Vec::new(),
                root: None,
                document: Position::unknown(),
                anchors: FxHashMap::default(),
                strings: FxHashSet::default(),
                problem: None,
                expanded: 0,
            },
            comments: options.comments,
            set: DocumentSet::default(),
            left: Vec::new(),
        }
    }

    pub(super) fn read(mut self) -> Result<DocumentSet, ReadError> {
        let mut document_start = 0;
        loop {
            let depth = self.events.depth();
            let state = &mut self.state;
            let step = match self.events.next_event() {
                Err(error) => return Err(worded(&state.file, state.shift, error)),
                Ok(None) => break,
                Ok(Some(Event::DocumentStart { start })) => {
                    document_start = start;
                    state.document = Position::new(&state.file, state.shift.place(start, start + 3));
                    Ok(())
                }
                Ok(Some(Event::DocumentEnd)) => {
                    self.finish(document_start)?;
                    Ok(())
                }
                Ok(Some(Event::Scalar(scalar))) => {
                    state.scalar(&scalar);
                    Ok(())
                }
                Ok(Some(Event::Alias { name, place })) => state.alias(name, place, depth),
                Ok(Some(Event::SequenceStart { anchor, place })) => {
                    state.open(false, anchor, place);
                    Ok(())
                }
                Ok(Some(Event::MappingStart { anchor, place })) => {
                    state.open(true, anchor, place);
                    Ok(())
                }
                Ok(Some(Event::CollectionEnd { end })) => {
                    state.close(end);
                    Ok(())
                }
            };
            self.state.nodes += 1;
            if let Err((kind, start, end)) = step.and_then(|()| self.state.check_nodes()) {
                let error = self.events.error(kind, start, end);
                return Err(worded(&self.state.file, self.state.shift, error));
            }
        }
        if !self.left.is_empty() {
            let mut end = Document { presence: Presence::Injected, ..Document::default() };
            end.meta.extra_mut().comments = self.left;
            self.set.documents.push(end);
        }
        Ok(self.set)
    }

    /// Finishes a document, whose marker is at `start`.
    fn finish(&mut self, start: u32) -> Result<(), ReadError> {
        let state = &mut self.state;
        match state.problem.take() {
            None => {}
            Some(Problem::Syntax(kind, start, end)) => {
                let error = self.events.error(kind, start, end);
                return Err(worded(&state.file, state.shift, error));
            }
            Some(Problem::Strict(text, start, end)) => {
                let position = Position::new(&state.file, state.shift.place(start, end));
                return Err(ReadError { text, position, syntax: None });
            }
        }
        // Whoever shares nodes only because they have a name lets go of them before they are changed.
        state.anchors.clear();
        state.expanded = 0;
        let (value, place) = state.root.take().unwrap_or_default();
        let position = state.document.clone();
        let meta = Meta::new(position, place);
        let mut document = Document { value, meta, presence: Presence::Written };
        if self.comments == CommentHandling::Ignore {
            self.events.take_comments().for_each(drop);
        } else {
            let (file, shift) = (&state.file, state.shift);
            let found: Vec<Comment> = self
                .events
                .take_comments()
                .map(|place| Comment {
                    text: self
                        .text
                        .get(place.start as usize + 1..place.end as usize)
                        .unwrap_or_default()
                        .into(),
                    position: Position::new(file, shift.place(place.start, place.end)),
                })
                .collect();
            if !self.left.is_empty() {
                document.meta.extra_mut().comments = std::mem::take(&mut self.left);
            }
            // The marker that ytt put in front owns no comments.
            let marker =
                if start < shift.bytes { comments::Marker::Added } else { comments::Marker::Written };
            self.left = comments::assign(&mut document, &found, marker);
            self.set.all_comments.extend(found);
        }
        self.set.documents.push(document);
        Ok(())
    }
}

impl State {
    fn position(&self, start: u32, end: u32) -> Position {
        Position::new(&self.file, self.shift.place(start, end))
    }

    /// Refuses YAML with too many nodes.
    fn check_nodes(&self) -> Result<(), (SyntaxErrorKind, u32, u32)> {
        if self.nodes <= self.node_limit {
            return Ok(());
        }
        let end = self.frames.last().map_or(0, |frame| frame.end);
        Err((SyntaxErrorKind::TooManyNodes, end, end))
    }

    /// Whether the next node is the value of a merge key.
    fn is_merged(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { key: Some(Key { role: Role::Merge, .. }), .. }))
    }

    fn note(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    fn string(&mut self, bytes: &[u8]) -> Text {
        if bytes.len() > SHORT {
            return Text::from(bytes);
        }
        if let Some(known) = self.strings.get(bytes) {
            return known.clone();
        }
        let text = Text::from(bytes);
        self.strings.insert(text.clone());
        text
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) {
        let place = scalar.place;
        let awaits_key = self.frames.last().is_some_and(|frame| frame.is_map && frame.key.is_none());
        let role = if awaits_key && scalar.is_merge() { Role::Merge } else { Role::Plain };
        if self.is_merged() {
            // go-yaml does not look further at what it cannot merge.
            self.note(Problem::Syntax(SyntaxErrorKind::MergeNotMap, place.content, place.end));
        }
        if self.scalars == Scalars::Strict
            && role == Role::Plain
            && scalar.is_plain()
            && let Ok(value) = scalar.value
            && let Some(text) = strict::objection(&String::from_utf8_lossy(&scalar.text), value)
        {
            self.note(Problem::Strict(text, place.content, place.end));
        }
        let value = match &scalar.value {
            Ok(ScalarValue::Null) => Value::Null,
            Ok(ScalarValue::Bool(value)) => Value::Bool(*value),
            Ok(ScalarValue::Int(value)) => Value::Int(*value),
            Ok(ScalarValue::UInt(value)) => Value::UInt(*value),
            Ok(ScalarValue::Float(value)) => Value::Float(*value),
            Ok(ScalarValue::String) => Value::String(self.string(&scalar.text)),
            Err(kind) => {
                self.note(Problem::Syntax(kind.clone(), place.content, place.end));
                Value::Null
            }
        };
        // What aliases repeat of a long text is written out in full.
        let weight = 1 + (scalar.text.len() / TEXT_PER_NODE) as u64;
        let whole = Whole { value, place: self.position(place.content, place.end), height: 0, weight };
        if let Some(anchor) = scalar.anchor {
            self.anchors.insert(anchor.into(), Anchored::Done(whole.clone()));
        }
        self.complete(whole, place, place.end, role);
    }

    fn alias(
        &mut self,
        name: &str,
        place: NodePlace,
        depth: usize,
    ) -> Result<(), (SyntaxErrorKind, u32, u32)> {
        let fault = |kind| (kind, place.start, place.end);
        let whole = match self.anchors.get(name) {
            None => return Err(fault(SyntaxErrorKind::UnknownAnchor(name.to_owned()))),
            Some(Anchored::Open) => {
                let kind = SyntaxErrorKind::AnchorInItself(name.to_owned());
                self.note(Problem::Syntax(kind, place.start, place.end));
                Whole { value: Value::Null, place: Position::unknown(), height: 0, weight: 1 }
            }
            Some(Anchored::Done(whole)) => whole.clone(),
        };
        if depth + whole.height > self.depth_limit {
            return Err(fault(SyntaxErrorKind::TooDeep));
        }
        self.expanded = self.expanded.saturating_add(whole.weight);
        if self.expanded > self.expansion_limit {
            return Err(fault(SyntaxErrorKind::TooManyAliases));
        }
        self.complete(whole, place, place.end, Role::Plain);
        Ok(())
    }

    fn open(&mut self, is_map: bool, anchor: Option<&str>, at: NodePlace) {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor.into(), Anchored::Open);
        }
        let parent = match self.frames.last() {
            None => self.document.clone(),
            Some(Frame { is_map: false, .. }) => self.position(at.item, at.item + 1),
            Some(Frame { key: Some(key), .. }) => key.position.clone(),
            Some(_) => self.position(at.start, at.start),
        };
        let base = if is_map { self.map_items.len() } else { self.array_items.len() };
        self.frames.push(Frame {
            is_map,
            base,
            key: None,
            anchor: anchor.map(Into::into),
            at,
            end: at.content,
            height: 0,
            weight: 1,
            parent,
            was_sound: self.problem.is_none(),
        });
    }

    fn close(&mut self, end: Option<u32>) {
        let Some(frame) = self.frames.pop() else { return };
        let end = end.unwrap_or(frame.end);
        if frame.was_sound && !frame.is_map && self.is_merged() {
            // go-yaml does not look further at what it cannot merge.
            self.problem = None;
        }
        let place = self.position(frame.at.content, end);
        let meta = Meta::new(frame.parent, place.clone());
        let value = if frame.is_map {
            let items = self.map_items.drain(frame.base..).collect();
            Value::from(Map::new(items, meta))
        } else {
            let items = self.array_items.drain(frame.base..).collect();
            Value::from(Array::new(items, meta))
        };
        let whole = Whole { value, place, height: frame.height + 1, weight: frame.weight };
        if let Some(anchor) = frame.anchor {
            // An anchor of the same name further in is the one that counts.
            let entry = self.anchors.entry(anchor).or_insert(Anchored::Open);
            if let Anchored::Open = entry {
                *entry = Anchored::Done(whole.clone());
            }
        }
        self.complete(whole, frame.at, end, Role::Plain);
    }

    /// Gives a node to the map or array that it belongs to.
    fn complete(&mut self, whole: Whole, at: NodePlace, end: u32, role: Role) {
        let item_position = match self.frames.last() {
            None => Position::unknown(),
            Some(frame) if frame.is_map => self.position(at.start, end),
            Some(_) => self.position(at.item, at.item + 1),
        };
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some((whole.value, whole.place));
            return;
        };
        frame.end = frame.end.max(end);
        frame.height = frame.height.max(whole.height);
        frame.weight = frame.weight.saturating_add(whole.weight);
        if !frame.is_map {
            let meta = Meta::new(item_position, whole.place);
            self.array_items.push(ArrayItem { value: whole.value, meta });
            return;
        }
        match frame.key.take() {
            None => frame.key = Some(Key { value: whole.value, position: item_position, role, end }),
            Some(key) if key.role == Role::Merge => self.merge(whole.value, at.start, end.max(key.end)),
            Some(key) => {
                let meta = Meta::new(key.position, whole.place);
                self.map_items.push(MapItem { key: key.value, value: whole.value, meta });
            }
        }
    }

    /// Takes in the items of a map where a merge key names it. Those that are there already stay, as ytt has it.
    fn merge(&mut self, value: Value, start: u32, end: u32) {
        match value {
            // What an alias costs has been charged.
            Value::Map(map) => self.map_items.extend(map.items.iter().cloned()),
            // go-yaml goes through a list from its end and stops at the first thing that is not a map, which in ytt's
            // fork is always there.
            Value::Array(array) if array.items.is_empty() => {}
            _ => self.note(Problem::Syntax(SyntaxErrorKind::MergeNotMap, start, end)),
        }
    }
}
