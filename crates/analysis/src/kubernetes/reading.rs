//! Files beside those that are checked: what they hold is read, but what is wrong with the objects is not reported.

use rayon::prelude::*;
use trueline_source::{LoadError, LoadErrorKind, SourceMap};
use trueline_yaml::Stream;

use crate::input::Input;
use crate::unit;
use crate::walk::{self, Candidate, YttFolders};

/// Reads the files of an input, other than packages, and hands on what each of them holds. What could not be read is
/// returned.
pub(crate) fn each_file(input: &Input, sources: &SourceMap, take: impl FnMut(Stream)) -> Vec<LoadError> {
    each(walk::walk(&input.loader, &input.path, YttFolders::Files), sources, take)
}

/// Reads the files of an input as [`each_file`] does, and those in the `crds/` of charts.
pub(crate) fn each_file_of_definitions(
    input: &Input,
    sources: &SourceMap,
    take: impl FnMut(Stream),
) -> Vec<LoadError> {
    let mut found = walk::walk(&input.loader, &input.path, YttFolders::Files);
    found.open_charts();
    each(found, sources, take)
}

/// What the files of an input and those in the `crds/` of charts hold, each looked at by itself and side by side, in the order
/// of the files. A file is given up as soon as `look` is through with it.
pub(super) fn map_files_of_definitions<T: Send>(
    input: &Input,
    sources: &SourceMap,
    look: impl Fn(Stream) -> T + Sync,
) -> (Vec<T>, Vec<LoadError>) {
    let mut found = walk::walk(&input.loader, &input.path, YttFolders::Files);
    found.open_charts();
    let looked: Vec<Result<T, LoadError>> = found
        .candidates
        .par_iter()
        .filter(|candidate| candidate.kind.is_none())
        .map(|candidate| read(candidate, sources).map(&look))
        .collect();
    let mut errors = found.errors;
    let looked = looked.into_iter().filter_map(|one| one.map_err(|error| errors.push(error)).ok()).collect();
    (looked, errors)
}

fn each(found: walk::Walked, sources: &SourceMap, mut take: impl FnMut(Stream)) -> Vec<LoadError> {
    let mut errors = found.errors;
    for candidate in found.candidates.iter().filter(|candidate| candidate.kind.is_none()) {
        match read(candidate, sources) {
            Ok(stream) => take(stream),
            Err(error) => errors.push(error),
        }
    }
    errors
}

fn read(candidate: &Candidate, sources: &SourceMap) -> Result<Stream, LoadError> {
    let (id, not_text) = sources.add_file(candidate.name(), candidate.read()?);
    match not_text {
        None => Ok(unit::read(id, &sources.get(id))),
        Some(_) => {
            Err(LoadError::new(LoadErrorKind::Other, &*candidate.path).with_detail("it is not UTF-8 text"))
        }
    }
}
