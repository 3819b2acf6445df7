//! How an overlay goes down beside what it is applied to: values, maps, arrays, documents.

use std::cell::OnceCell;

use super::Exactness;
use super::actions::Done;
use super::annotations::{Action, MATCH};
use super::array_keys::ArrayKeys;
use super::calls::{Caller, NODE};
use super::expectation::Expectation;
use super::fault::{Fault, Problem};
use super::item::Label;
use super::keys::Keys;
use super::matching::{Question, Ready, Which};
use crate::error::Fact;
use crate::tree::{Array, ArrayItem, Document, Map, MapItem, Value};

/// Overlays are followed this deep.
const DEEPEST: usize = 500;

/// Lists that are shorter grow by one node at a time.
const FEW: usize = 8;

/// Whether a value was merged, or has to be replaced as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Merged {
    Inside,
    Replaced,
}

/// A matched node: the list that it is in, and its place there. Documents come in one list per file, items in one.
pub(super) type MatchedNode = (usize, usize);

pub(super) struct Engine<'t> {
    pub(super) caller: Caller<'t>,
    pub(super) exactness: Exactness,
    depth: usize,
    /// Whether a function returned a collection that is now part of the left side.
    pub(super) took_results: bool,
    /// Whether several items of a map may have the same key now.
    pub(super) may_repeat_keys: bool,
}

impl<'t> Engine<'t> {
    pub(super) fn new(caller: Caller<'t>, exactness: Exactness) -> Engine<'t> {
        Engine { caller, exactness, depth: 0, took_results: false, may_repeat_keys: false }
    }

    /// Applies a value of the overlay to a value of the left side.
    pub(super) fn apply(
        &mut self,
        left: &mut Value,
        right: &Value,
        defaults: &Expectation,
    ) -> Result<Merged, Fault> {
        if self.depth >= DEEPEST {
            let text = format!("Expected overlays to nest at most {DEEPEST} levels deep");
            return Err(Fault::new(Problem::Limit, text));
        }
        self.depth += 1;
        let found = left.type_name();
        let result = match right {
            Value::Map(right) => match left.as_map_mut() {
                Some(left) => self.apply_map(left, right, defaults),
                None => Err(Fault::kind("map", found)),
            },
            Value::Array(right) => match left.as_array_mut() {
                Some(left) => self.apply_array(left, right, defaults),
                None => Err(Fault::kind("array", found)),
            },
            _ => Ok(Merged::Replaced),
        };
        self.depth -= 1;
        result
    }

    fn apply_map(&mut self, left: &mut Map, right: &Map, defaults: &Expectation) -> Result<Merged, Fault> {
        let mut keys = Keys::new(right.items.len());
        let result = right.items.iter().try_for_each(|new| {
            self.apply_map_item(&mut left.items, new, defaults, &mut keys)
                .map_err(|fault| fault.within(format_args!("{}", Label(new)), &new.meta))
        });
        keys.finish(&mut left.items);
        result.map(|()| Merged::Inside)
    }

    fn apply_map_item(
        &mut self,
        left: &mut Vec<MapItem>,
        new: &MapItem,
        defaults: &Expectation,
        keys: &mut Keys,
    ) -> Result<(), Fault> {
        self.caller.charge(1)?;
        let action = Action::of(&new.meta)?;
        if matches!(action, Action::Insert | Action::Append) {
            let (name, line) = (action.name(), new.meta.position().to_string());
            let annotation = name.to_owned();
            let fact = Fact::Misplaced { annotation, node: "map item", line, allowed: "array items" };
            return Err(Fault::known(Problem::Annotation, fact).by(new.meta.annotations().get(name)));
        }
        let mut is_by_key = false;
        let done = self.run(action, &mut [left], new, defaults, |caller, lists, by| {
            let Some(left) = lists.first() else { return Ok(Vec::new()) };
            is_by_key = by.is_none();
            let Some(by) = by else {
                let found = keys.find(left, &new.key, caller)?;
                return Ok(found.into_iter().map(|index| (0, index)).collect());
            };
            let ready = Ready::key_or_function(by, caller)?;
            let right_argument = OnceCell::new();
            let mut places = Vec::new();
            for (index, item) in left.iter().enumerate().filter(|(index, _)| !keys.is_removed(*index)) {
                let question = Question {
                    which: Which::Key(&item.key),
                    left: &item.value,
                    meta: &item.meta,
                    right: &new.value,
                    right_argument: &right_argument,
                };
                if ready.matches(&question, caller)? {
                    places.push((0, index));
                }
            }
            Ok(places)
        });
        let done = match done {
            Err(fault) if is_by_key => return Err(fault.for_key(&new.key, left)),
            done => done?,
        };
        // Items that are replaced get the key of the overlay, and so does one that is added.
        self.may_repeat_keys |= !is_by_key;
        match done {
            Done::Finished if !is_by_key => keys.forget(),
            Done::Finished => {}
            Done::Remove(places) => places.into_iter().for_each(|(_, index)| keys.remove(index)),
            Done::NothingMatched => self.append(left, new)?,
        }
        Ok(())
    }

    fn apply_array(
        &mut self,
        left: &mut Array,
        right: &Array,
        defaults: &Expectation,
    ) -> Result<Merged, Fault> {
        let mut keys = ArrayKeys::new(right.items.len());
        for new in &right.items {
            self.apply_array_item(&mut left.items, new, defaults, &mut keys)
                .map_err(|fault| fault.within(format_args!("{}", Label(new)), &new.meta))?;
        }
        Ok(Merged::Inside)
    }

    fn apply_array_item(
        &mut self,
        left: &mut Vec<ArrayItem>,
        new: &ArrayItem,
        defaults: &Expectation,
        keys: &mut ArrayKeys,
    ) -> Result<(), Fault> {
        self.caller.charge(1)?;
        let action = Action::of(&new.meta)?;
        if action == Action::Append {
            return self.append(left, new);
        }
        let mut found_by_key = None;
        let done = self.run(action, &mut [left], new, defaults, |caller, lists, by| {
            let Some(left) = lists.first() else { return Ok(Vec::new()) };
            let Some(by) = by else {
                return Err(Fault::known(Problem::Annotation, Fact::NoMatcher { annotation: MATCH }));
            };
            let ready = Ready::key_or_function(by, caller)?;
            let right_argument = OnceCell::new();
            let mut places = Vec::new();
            if let Ready::MapKey(key) = &ready
                && let Some(found) = keys.find(left, key, &new.value)
            {
                places.extend(found.iter().map(|index| (0, *index)));
                found_by_key = Some(found);
                return Ok(places);
            }
            for (index, item) in left.iter().enumerate() {
                let question = Question {
                    which: Which::Index(index),
                    left: &item.value,
                    meta: &item.meta,
                    right: &new.value,
                    right_argument: &right_argument,
                };
                if ready.matches(&question, caller)? {
                    places.push((0, index));
                }
            }
            Ok(places)
        })?;
        match done {
            Done::Finished => match found_by_key {
                Some(found) if action != Action::Insert => keys.changed(left, &found, &new.value),
                _ => keys.forget(),
            },
            Done::Remove(places) => {
                remove(&mut [left], &places);
                keys.forget();
            }
            Done::NothingMatched => self.append(left, new)?,
        }
        Ok(())
    }

    /// Applies a document of the overlay to the documents of all files.
    pub(super) fn apply_document(
        &mut self,
        left: &mut [&mut Vec<Document>],
        new: &Document,
    ) -> Result<(), Fault> {
        self.apply_document_inside(left, new)
            .map_err(|fault| fault.within(format_args!("{}", Label(new)), &new.meta))
    }

    fn apply_document_inside(
        &mut self,
        left: &mut [&mut Vec<Document>],
        new: &Document,
    ) -> Result<(), Fault> {
        self.caller.charge(1)?;
        let action = Action::of(&new.meta)?;
        if action == Action::Append {
            let last = left.last_mut().ok_or_else(no_documents)?;
            return self.append(last, new);
        }
        let exactness = self.exactness;
        let defaults = Expectation::default();
        let done = self.run(action, left, new, &defaults, |caller, lists, by| {
            if exactness == Exactness::Exact {
                let is_there = lists.first().is_some_and(|documents| !documents.is_empty());
                return if is_there { Ok(vec![(0, 0)]) } else { Err(no_documents()) };
            }
            let Some(by) = by else {
                // Two spaces, as in the original.
                let text = format!("Expected '{MATCH}' annotation keyword argument 'by'  to be specified");
                return Err(Fault::annotation(text));
            };
            let ready = Ready::function(by, "function", caller)?;
            let right_argument = OnceCell::new();
            let mut places = Vec::new();
            let mut combined = 0;
            for (list, documents) in lists.iter().enumerate() {
                for (index, document) in documents.iter().enumerate() {
                    let question = Question {
                        which: Which::Index(combined),
                        left: &document.value,
                        meta: &document.meta,
                        right: &new.value,
                        right_argument: &right_argument,
                    };
                    if ready.matches(&question, caller)? {
                        places.push((list, index));
                    }
                    combined += 1;
                }
            }
            Ok(places)
        })?;
        match done {
            // A document that nothing matched is not added.
            Done::Finished | Done::NothingMatched => {}
            Done::Remove(places) => remove(left, &places),
        }
        Ok(())
    }

    pub(super) fn append<N: Clone>(&self, nodes: &mut Vec<N>, new: &N) -> Result<(), Fault> {
        self.caller.charge(NODE)?;
        // Most lists get one node more, and there may be thousands of lists.
        if nodes.len() < FEW {
            nodes.reserve_exact(1);
        }
        nodes.push(new.clone());
        Ok(())
    }
}

fn remove<N>(lists: &mut [&mut Vec<N>], places: &[MatchedNode]) {
    let mut places = places.iter().peekable();
    for (list, nodes) in lists.iter_mut().enumerate() {
        if places.peek().is_none_or(|place| place.0 != list) {
            continue;
        }
        let mut index = 0;
        nodes.retain(|_| {
            index += 1;
            places.next_if(|place| **place == (list, index - 1)).is_none()
        });
    }
}

pub(super) fn no_documents() -> Fault {
    Fault::new(Problem::Target, "Expected to find at least one document to overlay, but there are none")
}
