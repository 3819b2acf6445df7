//! Charts from the disk.

use std::path::Path;

use trueline_helm::chart::{Chart, LoadFailure, Loaded, Request};
use trueline_source::SourceMap;

use super::Session;

/// One of the ways in which Helm loads charts.
pub(super) type Load<'l> = dyn Fn(&Request<'_>) -> Result<Loaded, LoadFailure> + 'l;

/// Loads the chart at an absolute path, which was typed as `argument`, and says what there is to say about it.
pub(super) fn load(
    session: &mut Session<'_>,
    argument: &str,
    absolute: &str,
    sources: &SourceMap,
    load: &Load<'_>,
) -> Result<Chart, String> {
    load_named(session, argument, Path::new(absolute), absolute, sources, load)
}

/// Loads the chart at a path that Helm's texts call `named`.
pub(super) fn load_named(
    session: &mut Session<'_>,
    argument: &str,
    path: &Path,
    named: &str,
    sources: &SourceMap,
    load: &Load<'_>,
) -> Result<Chart, String> {
    let (directory, inside, shown) = if session.world.is_directory(path) {
        (path, String::new(), argument.to_owned())
    } else {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let shown = argument.rsplit_once('/').map_or("", |(directory, _)| directory);
        (path.parent().unwrap_or(path), name, shown.to_owned())
    };
    let loader = session.world.system().directory(directory, &shown).map_err(|error| error.to_string())?;
    let request =
        Request { loader: &*loader, path: &inside, absolute: named, sources, compat: session.compat };
    match load(&request) {
        Ok(loaded) => {
            session.log_all(&loaded.log);
            Ok(loaded.chart)
        }
        Err(failure) => {
            session.log_all(&failure.log);
            Err(failure.to_string())
        }
    }
}
