//! CRDs and objects in files that somebody names, and what a cluster makes of them: conditions, changes, what is published,
//! what is pruned and filled in, what an expression gives.

mod conditions;
mod diff;
mod failure;
mod kept;
mod objects;
mod patch;
mod publish;
mod query;
mod reading;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_source::{LoadError, SourceMap, System};
use trueline_yaml::Stream;

use crate::discovery::{ConfigChoice, Inputs, Templates};
use crate::input::Input;

pub use self::conditions::Conditions;
pub use self::diff::{DiffRequest, Use};
pub use self::failure::{CrdFailure, Problem, QueryFailure};
pub use self::objects::{Changed, Form, Transformation};
pub use self::publish::{Published, PublishedForm, PublishedSchemas};

/// Reads CRDs and objects from a system, each time that something is asked of them.
pub struct CrdFiles {
    system: Arc<dyn System>,
    sources: SourceMap,
}

impl fmt::Debug for CrdFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CrdFiles").field("system", &self.system).finish_non_exhaustive()
    }
}

impl CrdFiles {
    /// Files of a system.
    pub fn new(system: Arc<dyn System>) -> Self {
        CrdFiles { system, sources: SourceMap::new() }
    }

    /// The texts that were read so far, which places lead into.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Where paths lead; `-` is standard input.
    fn inputs(&self, paths: &[PathBuf]) -> Result<Vec<Input>, CrdFailure> {
        let inputs = Inputs::new(Arc::clone(&self.system), ConfigChoice::None);
        inputs.and_then(|mut inputs| inputs.open(paths, Templates::AsNamed)).map_err(CrdFailure::Inputs)
    }

    /// Reads what a path names, file by file, and returns what could not be read.
    fn each_text(
        &self,
        path: &Path,
        each: impl Fn(&Input, &SourceMap, &mut dyn FnMut(Stream)) -> Vec<LoadError>,
        mut take: impl FnMut(Stream),
    ) -> Result<Vec<Problem>, CrdFailure> {
        let mut problems = Vec::new();
        for input in self.inputs(&[path.to_owned()])? {
            let errors = each(&input, &self.sources, &mut take);
            problems.extend(errors.into_iter().map(|error| Problem::unreadable(&input, error)));
        }
        Ok(problems)
    }
}
