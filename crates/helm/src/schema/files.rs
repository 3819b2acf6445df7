//! The files of a chart as the package that its schema may refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_source::{Entry, EntryKind, LoadError, LoadErrorKind, Loader, SourceMap, normalize_path};

use crate::chart::{Chart, File};

/// The files of one chart; those of its subcharts are not among them.
#[derive(Debug, Clone)]
pub(super) struct ChartFiles {
    files: Arc<[File]>,
    schema: Option<File>,
    /// What the names of its files begin with, as shown to a person.
    shown: String,
}

impl ChartFiles {
    pub(super) fn new(chart: &Chart, sources: &SourceMap) -> Self {
        // All files of a chart are shown below one place; these are the two that have a name of their own.
        let named = [&chart.schema, &chart.chart_file].into_iter().flatten();
        let shown = named.filter_map(|file| {
            let name = sources.get(file.source?).name().to_owned();
            name.strip_suffix(&*file.name).map(str::to_owned)
        });
        let shown = shown.into_iter().next().unwrap_or_default();
        ChartFiles { files: Arc::clone(&chart.files), schema: chart.schema.clone(), shown }
    }

    fn all(&self) -> impl Iterator<Item = &File> {
        self.files.iter().chain(&self.schema)
    }

    fn find(&self, path: &str) -> Result<&File, LoadError> {
        let path = normalize_path(path)?;
        if let Some(file) = self.all().find(|file| *file.name == *path) {
            return Ok(file);
        }
        let is_below = |file: &File| file.name.strip_prefix(&*path).is_some_and(|rest| rest.starts_with('/'));
        let kind = match self.all().any(is_below) {
            true => LoadErrorKind::WrongKind,
            false => LoadErrorKind::NotFound,
        };
        Err(LoadError::new(kind, path))
    }
}

fn entry(name: &str, kind: EntryKind, length: usize) -> Entry {
    Entry {
        name: name.to_owned(),
        kind,
        length: u64::try_from(length).unwrap_or(u64::MAX),
        executable: false,
        link: false,
    }
}

impl Loader for ChartFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        self.find(path).map(|file| file.data.to_vec())
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let path = normalize_path(path)?;
        let mut entries = BTreeMap::new();
        for file in self.all() {
            let below = match path.as_str() {
                "" => Some(&*file.name),
                folder => file.name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            let Some(below) = below else { continue };
            let found = match below.split_once('/') {
                Some((folder, _)) => entry(folder, EntryKind::Directory, 0),
                None => entry(below, EntryKind::File, file.data.len()),
            };
            entries.insert(found.name.clone(), found);
        }
        match entries.is_empty() && !path.is_empty() {
            true => Err(LoadError::new(LoadErrorKind::NotFound, path)),
            false => Ok(entries.into_values().collect()),
        }
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let name = path.rsplit('/').next().unwrap_or_default();
        match self.find(path) {
            Ok(file) => Ok(entry(name, EntryKind::File, file.data.len())),
            Err(error) => match self.list(path) {
                Ok(_) => Ok(entry(name, EntryKind::Directory, 0)),
                Err(_) => Err(error),
            },
        }
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let folder = normalize_path(path)?;
        if folder.is_empty() {
            return Ok(Arc::new(self.clone()));
        }
        Err(LoadError::new(LoadErrorKind::Other, folder))
    }

    fn display(&self, path: &str) -> String {
        format!("{}{path}", self.shown)
    }
}
