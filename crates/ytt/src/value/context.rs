//! What all evaluations of a run share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use trueline_starlark::{Error, Mark, Thread};

use super::places::Places;
use crate::tree::Position;

/// How many nodes a run may put together: a list that holds another many times over is small in Starlark and endless as
/// YAML. A node takes up to 200 bytes.
const NODES: u64 = 4_000_000;

/// So many bytes of a string count as much as a node: each place that it is put to writes it again.
const TEXT_PER_NODE: usize = 128;

/// The places that marks stand for, and how many nodes may still be made. Clones share both.
#[derive(Clone)]
pub struct Context(Rc<Inner>);

struct Inner {
    places: RefCell<Places>,
    nodes: Cell<u64>,
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl Context {
    /// Without any place.
    pub fn new() -> Context {
        Context::with_nodes(NODES)
    }

    /// With another limit of nodes.
    pub fn with_nodes(nodes: u64) -> Context {
        Context(Rc::new(Inner { places: RefCell::default(), nodes: Cell::new(nodes) }))
    }

    /// The one that a thread was given with `thread.set_data(Rc::new(context))`, or one of its own.
    pub fn of(thread: &Thread) -> Context {
        thread.data::<Context>().map_or_else(Context::new, |context| (*context).clone())
    }

    /// The mark of a place; none for unknown ones.
    pub fn mark(&self, place: &Position) -> Mark {
        self.0.places.borrow_mut().mark(place)
    }

    /// The place of a mark; unknown for [`Mark::NONE`].
    pub fn position(&self, mark: Mark) -> Position {
        self.0.places.borrow().position(mark)
    }

    /// How much a string counts beside its node.
    pub(crate) fn nodes_of_text(length: usize) -> u64 {
        (length / TEXT_PER_NODE) as u64
    }

    /// Pays for nodes before they are made.
    ///
    /// # Errors
    /// If the run has made too many.
    pub fn charge(&self, nodes: u64) -> Result<(), Error> {
        match self.0.nodes.get().checked_sub(nodes) {
            Some(left) => {
                self.0.nodes.set(left);
                Ok(())
            }
            None => {
                self.0.nodes.set(0);
                Err(Error::limit("the templates make too many YAML nodes"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_paid_for_wherever_they_are_put() {
        use crate::tree::{self, Array, ArrayItem, Meta};
        use crate::value::{Fragment, from_starlark, tree_value};
        use trueline_starlark::Value;

        let costs = |value: &Value, times: usize| {
            let context = Context::with_nodes(1_000);
            (0..times).try_for_each(|_| from_starlark(value, &context).map(drop)).is_ok()
        };
        let text = Value::string("x".repeat(100 * TEXT_PER_NODE).as_bytes());
        assert!(costs(&text, 9) && !costs(&text, 11));
        assert!(!costs(&Value::list(vec![text.clone(); 11]), 1));
        // A fragment shares its text, and is written in full all the same.
        let context = Context::with_nodes(u64::MAX);
        let value = tree_value(&text, &context).unwrap();
        let items = vec![ArrayItem { value, meta: Meta::default() }];
        let context = Context::with_nodes(1_000);
        let fragment = Fragment::new(tree::Value::from(Array::new(items, Meta::default())), &context);
        let fragment = Value::custom(fragment);
        let placed = (0..20).take_while(|_| from_starlark(&fragment, &context).is_ok()).count();
        assert!((5..10).contains(&placed), "{placed}");
    }

    #[test]
    fn a_place_has_one_mark() {
        use crate::tree::File;

        let context = Context::new();
        let file = File::new("a.yml", "a: 1\nb: 2\n");
        let place = Position::new(&file, 8..9);
        let mark = context.mark(&place);
        assert_eq!(context.mark(&place.clone()), mark);
        assert_ne!(context.mark(&Position::new(&file, 3..4)), mark);
        assert_eq!(context.position(mark).to_string(), "a.yml:2");
        assert_eq!(context.mark(&Position::unknown()), Mark::NONE);
        assert!(!context.position(Mark::NONE).is_known());
        assert!(!context.position(Mark(99)).is_known());
    }
}
