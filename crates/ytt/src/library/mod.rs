//! Libraries: which files belong together, what they can load, and how the whole of one is evaluated.

mod directory;
mod execution;
mod loader;
mod module;
mod session;

pub use directory::{FileInLibrary, Library};
pub use execution::{Evaluated, EvaluatedFile, Execution, Export};
pub use session::{LoaderOptions, Session, Validation, Validations};
