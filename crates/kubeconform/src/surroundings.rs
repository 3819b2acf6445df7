//! What a run needs besides the system: somebody who reads what it prints.

use std::io;
use std::sync::Arc;

use trueline_source::{Receiving, System};

/// Where a run prints to.
pub trait Surroundings: Send {
    /// The system that it runs on.
    fn system(&self) -> Arc<dyn System>;

    /// Writes to standard output as it is. A reader that has gone away is no failure.
    fn print(&mut self, text: &[u8]) -> io::Result<()>;

    /// Says something on standard error.
    fn complain(&mut self, line: &str);

    /// Somebody who follows how a file of this name is fetched.
    fn receiving(&self, name: &str) -> Box<dyn Receiving>;
}
