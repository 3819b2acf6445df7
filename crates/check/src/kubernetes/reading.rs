//! Files beside those that are checked: what they hold is read, but what is wrong with the objects is not told.

use trueline_source::{LoadError, LoadErrorKind, SourceMap};
use trueline_yaml::Stream;

use crate::input::Input;
use crate::unit;
use crate::walk::{self, YttFolders};

/// Reads the files of an input, other than packages, and hands on what each of them holds. What could not be read is
/// returned.
pub fn each_file(input: &Input, sources: &SourceMap, take: impl FnMut(Stream)) -> Vec<LoadError> {
    each(walk::walk(&input.loader, &input.path, YttFolders::Files), sources, take)
}

/// Reads the files of an input as [`each_file`] does, and those in the `crds/` of charts.
pub fn each_file_of_definitions(
    input: &Input,
    sources: &SourceMap,
    take: impl FnMut(Stream),
) -> Vec<LoadError> {
    let mut found = walk::walk(&input.loader, &input.path, YttFolders::Files);
    found.open_charts();
    each(found, sources, take)
}

fn each(found: walk::Found, sources: &SourceMap, mut take: impl FnMut(Stream)) -> Vec<LoadError> {
    let mut errors = found.errors;
    for candidate in found.candidates.iter().filter(|candidate| candidate.kind.is_none()) {
        match candidate.read() {
            Ok(bytes) => {
                let (id, not_text) = sources.add_file(candidate.name(), bytes);
                match not_text {
                    None => take(unit::read(id, &sources.get(id))),
                    Some(_) => errors.push(
                        LoadError::new(LoadErrorKind::Other, &*candidate.path)
                            .with_detail("it is not UTF-8 text"),
                    ),
                }
            }
            Err(error) => errors.push(error),
        }
    }
    errors
}
