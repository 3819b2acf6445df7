//! The elements of a value, one after the other.

use std::rc::Rc;

use crate::Value;
use crate::data::{Dict, List, Range, Set, Tuple};
use crate::value::Inner;

/// The remaining elements. While it lives, a list, dict or set cannot be changed.
pub(crate) enum Elements {
    List { list: Rc<List>, next: usize, counted: bool },
    Tuple { tuple: Rc<Tuple>, next: usize },
    Dict { dict: Rc<Dict>, next: usize, counted: bool },
    Set { set: Rc<Set>, next: usize, counted: bool },
    Range { range: Rc<Range>, next: usize },
    Custom(Box<dyn Iterator<Item = Value>>),
}

impl Elements {
    /// The elements of a value that can be iterated over.
    pub(crate) fn of(value: &Value) -> Option<Elements> {
        Some(match &value.0 {
            Inner::List(_, list) => {
                let counted = !list.state.is_frozen();
                if counted {
                    list.state.begin_iteration();
                }
                Elements::List { list: Rc::clone(list), next: 0, counted }
            }
            Inner::Tuple(_, tuple) => Elements::Tuple { tuple: Rc::clone(tuple), next: 0 },
            Inner::Dict(_, dict) => {
                let counted = !dict.state().is_frozen();
                if counted {
                    dict.state().begin_iteration();
                }
                Elements::Dict { dict: Rc::clone(dict), next: 0, counted }
            }
            Inner::Set(_, set) => {
                let counted = !set.state().is_frozen();
                if counted {
                    set.state().begin_iteration();
                }
                Elements::Set { set: Rc::clone(set), next: 0, counted }
            }
            Inner::Range(_, range) => Elements::Range { range: Rc::clone(range), next: 0 },
            Inner::Custom(_, custom) => Elements::Custom(custom.value().iterate()?),
            _ => return None,
        })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<Value> {
        match self {
            Elements::List { list, next, .. } => {
                *next += 1;
                list.get(*next - 1)
            }
            Elements::Tuple { tuple, next } => {
                *next += 1;
                tuple.items().get(*next - 1).cloned()
            }
            Elements::Dict { dict, next, .. } => {
                let (after, key) = dict.next(*next)?;
                *next = after;
                Some(key)
            }
            Elements::Set { set, next, .. } => {
                let (after, key) = set.next(*next)?;
                *next = after;
                Some(key)
            }
            Elements::Range { range, next } => {
                *next += 1;
                range.get(*next - 1).map(Value::int)
            }
            Elements::Custom(elements) => elements.next(),
        }
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        match self {
            Elements::List { list, counted: true, .. } => list.state.end_iteration(),
            Elements::Dict { dict, counted: true, .. } => dict.state().end_iteration(),
            Elements::Set { set, counted: true, .. } => set.state().end_iteration(),
            _ => {}
        }
    }
}
