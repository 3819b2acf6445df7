//! How much memory the values of this thread hold, and frees deep values without deep recursion.

use std::cell::{Cell, RefCell};

use crate::Value;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static DROP_DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Vec<Value>>> = const { RefCell::new(Vec::new()) };
}

/// The memory of an object besides its contents: its counters, its header and the allocator's overhead.
pub(crate) const OBJECT: usize = 64;

/// Nested values are freed recursively up to this depth; deeper ones wait until those above are gone.
const DEEPEST_DROP: u32 = 32;

/// The bytes that values of this thread hold now.
pub(crate) fn bytes() -> usize {
    BYTES.try_with(Cell::get).unwrap_or(0)
}

pub(crate) fn add(bytes: usize) {
    let _ = BYTES.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

pub(crate) fn remove(bytes: usize) {
    let _ = BYTES.try_with(|held| held.set(held.get().wrapping_sub(bytes)));
}

/// Frees the contents of a container. A list in a list in a list, a million deep, must not overflow the stack.
pub(crate) fn release(values: Vec<Value>) {
    if values.is_empty() || values.iter().all(Value::is_scalar) {
        return;
    }
    let depth = DROP_DEPTH.try_with(Cell::get).unwrap_or(0);
    if depth >= DEEPEST_DROP {
        let mut values = Some(values);
        let _ = WAITING.try_with(|waiting| {
            if let (Ok(mut waiting), Some(values)) = (waiting.try_borrow_mut(), values.take()) {
                waiting.push(values);
            }
        });
        return;
    }
    let _ = DROP_DEPTH.try_with(|cell| cell.set(depth + 1));
    drop(values);
    if depth == 0 {
        while let Some(next) = next_waiting() {
            drop(next);
        }
    }
    let _ = DROP_DEPTH.try_with(|cell| cell.set(depth));
}

fn next_waiting() -> Option<Vec<Value>> {
    WAITING.try_with(|waiting| waiting.try_borrow_mut().ok()?.pop()).ok().flatten()
}
