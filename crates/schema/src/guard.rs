//! Bounds on what validating one document may cost.
//!
//! The validator calls itself once for each level of document and schema, and it tries every form of `anyOf`
//! and `oneOf` to say why none fits, so a schema can need more stack or time than available. It has no limits
//! of its own, but it sees the document through [`Instance`](crate::Instance), which pays here for each look.
//! Once a limit is reached the validator is left by unwinding: it visits all branches of `allOf` even after a
//! failure, and nested branches can be more than it could ever finish.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use trueline_diagnostic::{Code, Severity};

/// Validating reached a limit.
pub static TOO_COSTLY: Code = Code {
    id: "TL0253",
    name: "validation-too-costly",
    severity: Severity::Error,
    summary: "Validating a document against its schema costs too much",
    explanation: "Documents and schemas can be built so that validation takes more time or memory than any machine \
                  has: deep nesting, or `anyOf` and `oneOf` that lead back to themselves in several of their \
                  forms. Checking was stopped. A document that reaches this limit counts as invalid.",
    wrong: "",
    right: "",
};

/// How many looks at values one document may take; a value is looked at once for each rule about it.
const STEPS: u64 = 30_000_000;
/// How many broken rules may be recorded for one document, including those of forms that do not fit.
const ERRORS: u64 = 50_000;
/// The cost of an error covers a path of up to this many bytes.
const FREE_PATH: usize = 1 << 10;
/// The stack that may be used on the caller's thread.
const STACK_HERE: usize = 512 << 10;
/// The stack of the thread that takes over where that is not enough.
const STACK_APART: usize = 128 << 20;

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Validation takes too long.
    Steps,
    /// Too many errors.
    Errors,
    /// It is too deeply nested.
    Stack,
}

struct State {
    steps: Cell<u64>,
    errors: Cell<u64>,
    /// What an error costs: more in a document with long paths, which each of them repeats.
    price: Cell<u64>,
    /// An address near the bottom of the stack, and how far from it one may go.
    bottom: Cell<usize>,
    stack: Cell<usize>,
    /// The steps that validating one document may take.
    allowed: Cell<u64>,
}

thread_local! {
    static STATE: State = const {
        State {
            steps: Cell::new(u64::MAX),
            errors: Cell::new(u64::MAX),
            price: Cell::new(1),
            bottom: Cell::new(0),
            stack: Cell::new(usize::MAX),
            allowed: Cell::new(STEPS),
        }
    };
}

/// Pays for a look at a value.
#[inline]
pub(crate) fn step() {
    spend(1);
}

/// Like [`step`], for work that takes as long as several steps. When nothing is left to pay with, [`within`] is
/// left by unwinding.
#[inline]
pub fn spend(cost: u64) {
    STATE.with(|state| {
        let steps = state.steps.get();
        if steps < cost {
            leave(Limit::Steps);
        }
        if state.bottom.get().abs_diff(here()) > state.stack.get() {
            leave(Limit::Stack);
        }
        state.steps.set(steps - cost);
    });
}

/// Pays for an error that was made.
#[inline]
pub(crate) fn note_error() {
    STATE.with(|state| match state.errors.get().checked_sub(state.price.get()) {
        None => leave(Limit::Errors),
        Some(errors) => state.errors.set(errors),
    });
}

/// Says how long the path of an error may be, before any are made.
pub(crate) fn expect_paths(longest: usize) {
    STATE.with(|state| state.price.set(1 + (longest / FREE_PATH) as u64));
}

/// Lets each document that is validated inside take no more steps than this, and says how many were taken in
/// all: a caller that validates many documents can limit their total cost.
pub fn with_at_most<T>(steps: u64, run: impl FnOnce() -> T) -> (T, u64) {
    let before = STATE.with(|state| state.allowed.replace(steps.min(STEPS)));
    let done = counted(run);
    STATE.with(|state| state.allowed.set(before));
    done
}

/// Runs something, and says how many steps it paid for, within limits or without. Tests use it to show that
/// work grows no faster than the input.
pub fn counted<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = STATE.with(|state| state.steps.get());
    let done = run();
    (done, STATE.with(|state| before.saturating_sub(state.steps.get())))
}

#[cold]
fn leave(limit: Limit) -> ! {
    resume_unwind(Box::new(limit))
}

/// Runs something that pays for its steps within the limits, on a separate thread if it needs more stack.
pub fn within<T: Send>(run: impl Fn() -> T + Sync) -> Result<T, Limit> {
    let allowed = STATE.with(|state| state.allowed.get());
    match bounded(STACK_HERE, allowed, &run) {
        Err(Limit::Stack) => {}
        done => return done,
    }
    let (done, spent) = std::thread::scope(|scope| {
        // A quarter is reserved for what is called between two looks at the document.
        let apart = std::thread::Builder::new()
            .stack_size(STACK_APART)
            .spawn_scoped(scope, || counted(|| bounded(STACK_APART / 4 * 3, allowed, &run)));
        apart.ok().and_then(|thread| thread.join().ok()).unwrap_or((Err(Limit::Stack), 0))
    });
    STATE.with(|state| state.steps.set(state.steps.get().saturating_sub(spent)));
    done
}

fn bounded<T>(stack: usize, allowed: u64, run: &impl Fn() -> T) -> Result<T, Limit> {
    let outside = STATE.with(|state| state.steps.replace(allowed));
    STATE.with(|state| {
        state.errors.set(ERRORS);
        state.price.set(1);
        state.bottom.set(here());
        state.stack.set(stack);
    });
    let done = catch_unwind(AssertUnwindSafe(run));
    STATE.with(|state| {
        let spent = allowed.saturating_sub(state.steps.get());
        state.steps.set(outside.saturating_sub(spent));
        state.errors.set(u64::MAX);
        state.stack.set(usize::MAX);
    });
    done.map_err(|why: Box<dyn Any + Send>| match why.downcast::<Limit>() {
        Ok(limit) => *limit,
        Err(other) => resume_unwind(other),
    })
}

/// An address on the stack near the caller's frame.
#[inline]
fn here() -> usize {
    let marker = 0_u8;
    std::ptr::from_ref(&marker) as usize
}
