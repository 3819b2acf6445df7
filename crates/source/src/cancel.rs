//! Whether somebody still wants an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says to a computation that its answer is not wanted any more. All clones say the same.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The answer is wanted until somebody says otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that the answer is not wanted any more. There is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is not wanted any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
