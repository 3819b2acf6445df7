//! Go's own functions.

use crate::Function;

/// All of them.
pub(crate) const FUNCTIONS: &[Function] = &[];
