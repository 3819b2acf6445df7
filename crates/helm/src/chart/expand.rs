//! An archive as the directory that Helm makes of it.

use trueline_gotemplate::fmt::quote;
use trueline_source::SourceMap;

use super::archive;
use super::assemble::{CHART_YAML, decode};
use super::context::Context;
use super::metadata::Draft;
use super::raw::Raw;
use super::{Compat, LoadFailure};

/// The files of an archive, unpacked.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// The name of the chart, and of the directory that its files belong into. It is one part of a path.
    pub name: String,
    /// The files by their paths in that directory, which do not leave it, in the order of the archive.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Unpacks an archive; `shown` is its name for a person.
pub fn expand(
    bytes: &[u8],
    shown: &str,
    sources: &SourceMap,
    compat: Compat,
) -> Result<Expanded, LoadFailure> {
    let mut context = Context::new(sources, compat);
    let files = archive::unpack(bytes, shown, &mut context)?;
    let mut name = String::new();
    for file in files.iter().filter(|file| file.name() == CHART_YAML) {
        let mut draft = Draft::default();
        let copy =
            Raw::new(CHART_YAML.to_owned(), file.shown.clone(), file.content.clone()).into_source(sources);
        decode(&mut draft, &copy, &context).map_err(|failure| failure.within("cannot load Chart.yaml"))?;
        name = draft.metadata.name;
    }
    let wrong = match name.as_str() {
        "" => "chart name not specified".to_owned(),
        "." | ".." => format!("chart name {} is not allowed", quote(&name)),
        name if name.contains('/') => format!("chart name {} must not contain path separators", quote(name)),
        _ => {
            let files = files
                .into_iter()
                .map(|file| (file.name().to_owned(), file.content.bytes().to_vec()))
                .collect();
            return Ok(Expanded { name, files });
        }
    };
    Err(LoadFailure::new(wrong, Vec::new()))
}
