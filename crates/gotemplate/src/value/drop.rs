//! Freeing nested values without recursion: templates can nest them deeper than any stack.

use std::cell::RefCell;

use super::{Data, Value};

thread_local! {
    /// Values that wait to be freed by the outermost call on this thread.
    static WAITING: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
}

/// Frees the values; the outermost call frees nested ones one after another.
pub(super) fn free(values: impl Iterator<Item = Value>) {
    let nested: Vec<Value> =
        values.filter(|value| matches!(value.data, Data::List(_) | Data::Map(_) | Data::Object(_))).collect();
    if nested.is_empty() {
        return;
    }
    // If the thread is ending, its variables may be gone; then values are freed recursively.
    let outermost = WAITING.try_with(|waiting| {
        let mut waiting = waiting.borrow_mut();
        match waiting.as_mut() {
            Some(queue) => {
                queue.extend(nested);
                false
            }
            None => {
                *waiting = Some(nested);
                true
            }
        }
    });
    if outermost != Ok(true) {
        return;
    }
    while let Ok(Some(value)) = WAITING.try_with(|waiting| waiting.borrow_mut().as_mut().and_then(Vec::pop)) {
        drop(value);
    }
    let _ = WAITING.try_with(|waiting| *waiting.borrow_mut() = None);
}
