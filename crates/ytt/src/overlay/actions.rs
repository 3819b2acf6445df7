//! What a node of an overlay does to the nodes that it matches.

use trueline_starlark as starlark;

use super::Exactness;
use super::annotations::{Action, Insert, MATCH, Match, Presence, Replace, assert_via, child_defaults};
use super::assertion;
use super::calls::{Caller, NODE};
use super::edit::edit_annotations;
use super::engine::{Engine, MatchedNode, Merged, no_documents};
use super::expectation::{Expectation, Matched, Verdict};
use super::fault::{Fault, Problem};
use super::item::Item;
use crate::tree::{ArrayItem, Document, MapItem, Position, Value};
use crate::value::Content;

/// What is left to do by whoever knows the kind of list.
pub(super) enum Done {
    Finished,
    /// Remove these nodes.
    Remove(Vec<MatchedNode>),
    /// A node that is to be merged matched nothing, which is allowed.
    NothingMatched,
}

/// What a node without arguments for `overlay/match` matches.
pub(super) enum Unmatched {
    /// What it matches by default.
    Find,
    Nothing,
    Fault,
}

/// The kinds of nodes differ in what they match by default.
pub(super) trait OverlayNode: Item {
    fn unmatched(presence: Presence, exactness: Exactness) -> Unmatched;
}

impl OverlayNode for MapItem {
    fn unmatched(_: Presence, _: Exactness) -> Unmatched {
        Unmatched::Find
    }
}

impl OverlayNode for ArrayItem {
    fn unmatched(presence: Presence, _: Exactness) -> Unmatched {
        match presence {
            Presence::Absent => Unmatched::Nothing,
            Presence::WithoutArguments => Unmatched::Fault,
            Presence::WithArguments => Unmatched::Find,
        }
    }
}

impl OverlayNode for Document {
    fn unmatched(presence: Presence, exactness: Exactness) -> Unmatched {
        match (exactness, presence) {
            (Exactness::Exact, _) | (_, Presence::WithArguments) => Unmatched::Find,
            _ => Unmatched::Fault,
        }
    }
}

/// Nodes that were matched.
struct MatchedPlaces<'a, 'l, N> {
    lists: &'a [&'l mut Vec<N>],
    places: &'a [MatchedNode],
}

impl<N: Item> Matched for MatchedPlaces<'_, '_, N> {
    fn count(&self) -> usize {
        self.places.len()
    }

    fn positions(&self) -> Vec<Position> {
        let node = |place: &MatchedNode| self.lists.get(place.0)?.get(place.1);
        self.places.iter().filter_map(node).map(|node| node.meta().position()).collect()
    }
}

impl Engine<'_> {
    /// Reads the annotations of an overlay's node, finds what it matches, and does to it what it says.
    pub(super) fn run<N: OverlayNode>(
        &mut self,
        action: Action,
        lists: &mut [&mut Vec<N>],
        new: &N,
        defaults: &Expectation,
        find: impl FnOnce(
            &mut Caller<'_>,
            &[&mut Vec<N>],
            Option<&starlark::Value>,
        ) -> Result<Vec<MatchedNode>, Fault>,
    ) -> Result<Done, Fault> {
        // What is read in which order decides which of several mistakes is reported.
        let child = match action {
            Action::Merge | Action::Assert => child_defaults(new.meta(), defaults)?,
            _ => Expectation::default(),
        };
        let matching = Match::of(new.meta(), defaults)?;
        let annotation = new.meta().annotations().get(MATCH);
        let unmatched = N::unmatched(matching.presence, self.exactness);
        if matches!(unmatched, Unmatched::Fault) {
            return Err(Match::without_arguments(new.meta().annotations()));
        }
        let replace = if action == Action::Replace { Replace::of(new.meta())? } else { Replace::default() };
        let via = if action == Action::Assert { assert_via(new.meta())? } else { None };

        let mut places = Vec::new();
        if matches!(unmatched, Unmatched::Find) {
            places =
                find(&mut self.caller, lists, matching.by.as_ref()).map_err(|fault| fault.by(annotation))?;
            let matched = MatchedPlaces { lists, places: &places };
            let verdict = matching.expectation.check(&matched, &mut self.caller);
            if verdict.map_err(|fault| fault.by(annotation))? == Verdict::Skip {
                return Ok(Done::Finished);
            }
        }

        // A document after the last separator is nowhere, but its annotations are somewhere.
        let nowhere = |fault: Fault| match new.meta().position().is_known() {
            true => fault,
            false => fault.by(new.meta().annotations().get(action.name()).or(annotation)),
        };
        match action {
            Action::Merge if places.is_empty() => return Ok(Done::NothingMatched),
            Action::Merge => self.merge(lists, &places, new, &child)?,
            Action::Remove => return Ok(Done::Remove(places)),
            Action::Replace => self.replace(lists, &places, new, &replace).map_err(nowhere)?,
            Action::Insert => self.insert(lists, &places, new).map_err(nowhere)?,
            Action::Assert => self.assert(lists, &places, new, via.as_ref(), &child).map_err(nowhere)?,
            Action::Noop => {
                for place in places {
                    if let Some(left) = at(lists, place) {
                        edit_annotations(left.meta_mut(), new.meta(), &mut self.caller)?;
                    }
                }
            }
            Action::Append => {}
        }
        Ok(Done::Finished)
    }

    fn merge<N: Item>(
        &mut self,
        lists: &mut [&mut Vec<N>],
        places: &[MatchedNode],
        new: &N,
        child: &Expectation,
    ) -> Result<(), Fault> {
        for place in places {
            let Some(left) = at(lists, *place) else { continue };
            let merged = match left.value() {
                Value::Null => Merged::Replaced,
                _ => self
                    .apply(left.value_mut(), new.value(), child)
                    .map_err(|fault| fault.against(left.meta()))?,
            };
            if merged == Merged::Replaced {
                left.take_value_of(new);
            } else if self.exactness == Exactness::Exact && new.meta().place().is_known() {
                // What is wrong with data values is shown where they were typed, not where their defaults are.
                left.meta_mut().set_place(new.meta().place());
            }
            edit_annotations(left.meta_mut(), new.meta(), &mut self.caller)?;
        }
        Ok(())
    }

    fn replace<N: Item>(
        &mut self,
        lists: &mut [&mut Vec<N>],
        places: &[MatchedNode],
        new: &N,
        replace: &Replace,
    ) -> Result<(), Fault> {
        for place in places {
            let Some(left) = at(lists, *place) else { continue };
            *left = self.made(Some(left), new, replace.via.as_ref())?;
        }
        if places.is_empty() && replace.or_add {
            let made = self.made(None, new, replace.via.as_ref())?;
            let first = lists.first_mut().ok_or_else(no_documents)?;
            self.append(first, &made)?;
        }
        Ok(())
    }

    fn insert<N: Item>(
        &mut self,
        lists: &mut [&mut Vec<N>],
        places: &[MatchedNode],
        new: &N,
    ) -> Result<(), Fault> {
        let insert = Insert::of(new.meta())?;
        let mut all_made = Vec::with_capacity(places.len());
        for place in places {
            self.caller.charge(2 * NODE)?;
            let left = lists.get(place.0).and_then(|nodes| nodes.get(place.1));
            all_made.push((*place, self.made(left, new, insert.via.as_ref())?));
        }
        let mut all_made = all_made.into_iter().peekable();
        for (list, nodes) in lists.iter_mut().enumerate() {
            if all_made.peek().is_none_or(|(place, _)| place.0 != list) {
                continue;
            }
            let before = std::mem::take(*nodes);
            for (index, left) in before.into_iter().enumerate() {
                let Some((_, made)) = all_made.next_if(|(place, _)| *place == (list, index)) else {
                    nodes.push(left);
                    continue;
                };
                if insert.before {
                    nodes.push(made.clone());
                }
                nodes.push(left);
                if insert.after {
                    nodes.push(made);
                }
            }
        }
        Ok(())
    }

    /// Compares matched nodes with what is expected of them. They are merged as well.
    fn assert<N: Item>(
        &mut self,
        lists: &mut [&mut Vec<N>],
        places: &[MatchedNode],
        new: &N,
        via: Option<&starlark::Value>,
        child: &Expectation,
    ) -> Result<(), Fault> {
        for place in places {
            let Some(left) = at(lists, *place) else { continue };
            assertion::check(left, new, via, &mut self.caller)
                .and_then(|()| self.apply(left.value_mut(), new.value(), child))
                .map_err(|fault| fault.against(left.meta()))?;
        }
        Ok(())
    }

    /// The node that replaces or accompanies a matched one: the new node, with what `via=` makes of both.
    fn made<N: Item>(
        &mut self,
        left: Option<&N>,
        new: &N,
        via: Option<&starlark::Value>,
    ) -> Result<N, Fault> {
        let mut made = new.clone();
        let Some(via) = via else { return Ok(made) };
        let left = match left {
            Some(left) => self.caller.argument(left.value(), Some(left.meta()))?,
            None => starlark::Value::NONE,
        };
        let right = self.caller.argument(new.value(), Some(new.meta()))?;
        let result = self.caller.call(via, &[left, right])?;
        let (content, place) = self.caller.result(&result)?;
        let Content::Value(value) = content else {
            let text = format!("{}; this is a document set", N::ONLY);
            return Err(Fault::new(Problem::Function, text));
        };
        self.took_results |= value.is_collection();
        *made.value_mut() = value;
        made.meta_mut().set_place(place);
        Ok(made)
    }
}

fn at<'a, N>(lists: &'a mut [&mut Vec<N>], place: MatchedNode) -> Option<&'a mut N> {
    lists.get_mut(place.0)?.get_mut(place.1)
}
