//! What a run needs besides the system: somebody who reads what it prints, and servers that say more than documents.

use std::sync::Arc;
use std::time::Duration;

use trueline_source::System;

/// Where a run prints to, and how it asks servers.
pub trait Surroundings: Send {
    /// The system that it runs on.
    fn system(&self) -> Arc<dyn System>;

    /// Writes to standard output as it is.
    fn print(&mut self, text: &[u8]) -> Result<(), String>;

    /// Says something on standard error.
    fn complain(&mut self, line: &str);

    /// What a server answers, or in Go's words why it does not.
    fn ask(&self, question: &Question<'_>) -> Result<Answer, String>;
}

/// What a server is asked for.
#[derive(Clone)]
pub struct Question<'a> {
    /// An address without a name and password.
    pub url: &'a str,
    /// The value of an `Authorization` header. It is shown nowhere.
    pub authorization: Option<String>,
    /// Bytes that an answer may have.
    pub limit: u64,
    /// How long it may take.
    pub patience: Duration,
    /// Whether the certificate of the server is looked at.
    pub verification: Verification,
}

/// Whether the certificate of a server is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verification {
    /// It is.
    #[default]
    Done,
    /// It is not.
    Skipped,
}

/// What a server answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The document.
    pub body: Vec<u8>,
}
