//! The templates of a chart and of its subcharts, read but not run: what can be done before the values are known,
//! and once for all values that a chart is rendered with.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use trueline_diagnostic::Diagnostic;
use trueline_gotemplate::{Delimiters, ParseError, SharedFunctions, Templates, Text};
use trueline_source::SourceId;

use super::early::Early;
use super::readers::Readers;
use super::{RenderError, is_partial, layout};
use crate::chart::{Chart, Compat};

/// Fewer bytes than this are read faster than other threads are woken.
const WORTH_SHARING: usize = 1 << 16;

/// The templates of a chart and of its subcharts, in the order in which Helm reads them.
#[derive(Debug)]
pub struct Texts {
    pub(super) functions: SharedFunctions,
    pub(super) files: Vec<TextFile>,
    /// The number of the root chart.
    root: usize,
}

/// A file of templates at two times.
pub(crate) struct Pair<'t> {
    pub(crate) source: Option<SourceId>,
    pub(crate) bytes: (&'t [u8], &'t [u8]),
    /// Each, if it can be read.
    pub(crate) texts: (Option<&'t Text>, Option<&'t Text>),
}

/// One file of templates.
#[derive(Debug)]
pub(super) struct TextFile {
    /// The name of the template: its path from the root chart on.
    pub(super) path: Arc<str>,
    /// The path of its chart.
    chart: Arc<str>,
    /// Which chart that is, counting parents after their subcharts: Helm 3 gives some charts the same
    /// path.
    pub(super) number: usize,
    data: Arc<[u8]>,
    pub(super) source: Option<SourceId>,
    read: Result<Text, Vec<ParseError>>,
}

impl Texts {
    /// Reads the templates of a chart.
    pub fn read(chart: &Chart, compat: Compat) -> Self {
        Texts::read_after(chart, Early::new(compat))
    }

    /// Reads the templates of a chart some of which may have been read before.
    pub fn read_after(chart: &Chart, early: Early) -> Self {
        let none =
            Texts { functions: Arc::clone(early.functions()), files: Vec::new(), root: usize::default() };
        none.read_more(chart, Some(early))
    }

    /// The templates of the same chart after some of its files have changed. Only those are read.
    pub fn read_again(&self, chart: &Chart) -> Self {
        self.read_more(chart, None)
    }

    /// The templates of another form of the same chart: with other subcharts, or with some under other names. Only
    /// those that were not read before are read.
    pub fn read_for(&self, chart: &Chart) -> Self {
        self.read_more(chart, None)
    }

    fn read_more(&self, chart: &Chart, early: Option<Early>) -> Self {
        let (mut files, root) = collect(chart);
        let known: FxHashMap<&str, &TextFile> = self.files.iter().map(|file| (&*file.path, file)).collect();
        // Subcharts often hold the same files: each text is read once.
        let mut first: FxHashMap<u64, (usize, Arc<[u8]>)> = FxHashMap::default();
        let mut alike: Vec<(usize, usize)> = Vec::new();
        let mut new: Vec<&mut TextFile> = Vec::new();
        for (index, file) in files.iter_mut().enumerate() {
            match known.get(&*file.path) {
                Some(known) if known.is_same(file) => file.read = known.read.clone(),
                _ => match first.entry(sample(&file.data)) {
                    Entry::Occupied(first) if first.get().1 == file.data => {
                        alike.push((index, first.get().0))
                    }
                    Entry::Occupied(_) => new.push(file),
                    Entry::Vacant(first) => {
                        first.insert((index, Arc::clone(&file.data)));
                        new.push(file);
                    }
                },
            }
        }
        let readers = match early {
            Some(early) => {
                let (read, readers) = early.into_parts();
                new.retain_mut(|file| {
                    let text = read.get(&Early::key(&file.data));
                    let text = text.and_then(|text| text.renamed(&file.path, file.source));
                    text.map(|text| file.read = Ok(text)).is_none()
                });
                readers
            }
            None => Readers::new(Arc::clone(&self.functions)),
        };
        let read = |file: &mut &mut TextFile| file.read(&readers);
        if new.iter().map(|file| file.data.len()).sum::<usize>() < WORTH_SHARING {
            new.iter_mut().for_each(read);
        } else {
            // Large files are few, and one that is begun last would keep the others waiting.
            new.par_iter_mut().with_max_len(1).for_each(read);
        }
        for (index, first) in alike {
            let read = files.get(first).and_then(|first| first.read.as_ref().ok()).cloned();
            let Some(file) = files.get_mut(index) else { continue };
            match read.and_then(|read| read.renamed(&file.path, file.source)) {
                Some(read) => file.read = Ok(read),
                None => file.read(&readers),
            }
        }
        Texts { functions: Arc::clone(&self.functions), files, root }
    }

    /// The files that differ from those of the same chart at another time; nothing if it has other files now.
    pub(crate) fn pairs<'t>(&'t self, now: &'t Texts) -> Option<Vec<Pair<'t>>> {
        let is_like = |(one, other): (&TextFile, &TextFile)| {
            one.path == other.path && one.chart == other.chart && one.source == other.source
        };
        let is_same = self.files.len() == now.files.len() && self.files.iter().zip(&now.files).all(is_like);
        let pairs = self.files.iter().zip(&now.files).filter(|(one, other)| !one.is_same(other));
        let pair = |(one, other): (&'t TextFile, &'t TextFile)| Pair {
            source: other.source,
            bytes: (&one.data, &other.data),
            texts: (one.read.as_ref().ok(), other.read.as_ref().ok()),
        };
        is_same.then(|| pairs.map(pair).collect())
    }

    /// All findings about texts that cannot be read.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let errors = |file: &TextFile| {
            let errors = file.read.as_ref().err().map(Vec::as_slice).unwrap_or_default();
            let source = file.source;
            errors.iter().filter_map(|error| Some(error.to_diagnostic(source?))).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(errors).collect()
    }

    /// Each text that can be read, with the name of its template and the path of its chart.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Text)> {
        self.files.iter().filter_map(|file| Some((&*file.path, &*file.chart, file.read.as_ref().ok()?)))
    }

    /// The texts of the chart itself that can be read.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Text> {
        self.files.iter().filter(|file| file.number == self.root).filter_map(|file| file.read.as_ref().ok())
    }

    /// All of them as one set. Helm stops at the first text that cannot be read; its error is the text of ours,
    /// which has all of them.
    pub(crate) fn templates(&self) -> Result<Templates, RenderError> {
        let mut templates = Templates::new("gotpl", Arc::clone(&self.functions));
        for file in &self.files {
            match &file.read {
                Ok(text) => templates.add(text),
                Err(errors) => {
                    let Some(first) = errors.first() else { continue };
                    let mut failure = RenderError::text(layout::parsing(&file.path, &first.to_string()));
                    failure.diagnostics = self.findings();
                    return Err(failure);
                }
            }
        }
        Ok(templates)
    }
}

/// Tells most texts apart by their length and their ends.
fn sample(text: &[u8]) -> u64 {
    const END: usize = 64;
    let mut hasher = FxHasher::default();
    let ends = (text.get(..END), text.get(text.len().saturating_sub(END)..));
    (text.len(), ends).hash(&mut hasher);
    hasher.finish()
}

impl TextFile {
    /// Whether another file has the same text at the same place.
    fn is_same(&self, other: &TextFile) -> bool {
        self.source == other.source && (Arc::ptr_eq(&self.data, &other.data) || self.data == other.data)
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.data.len()
    }

    fn read(&mut self, readers: &Readers) {
        self.read =
            readers.with(|reader| reader.read(&self.path, &self.data, self.source, Delimiters::default()));
    }
}

/// The files of a chart and of its subcharts in their order, and the number of the chart itself.
fn collect(chart: &Chart) -> (Vec<TextFile>, usize) {
    let mut files = Vec::new();
    let behind = add(chart, Arc::from(chart.metadata.name.as_str()), 0, &mut files);
    (in_order(files), behind - 1)
}

/// Adds the files of a chart; its first subchart has the given number. Returns the number after its own.
fn add(chart: &Chart, path: Arc<str>, first: usize, files: &mut Vec<TextFile>) -> usize {
    let mut number = first;
    for child in &chart.dependencies {
        number = add(child, child.path_below(&path).into(), number, files);
    }
    for file in chart.templates.iter() {
        if chart.metadata.kind == "library" && !is_partial(&file.name) {
            continue;
        }
        files.push(TextFile {
            path: format!("{path}/{}", file.name).into(),
            chart: Arc::clone(&path),
            number,
            data: Arc::clone(&file.data),
            source: file.source,
            read: Err(Vec::new()),
        });
    }
    number + 1
}

/// Deep paths first, and from the end of the alphabet: so a parent's definitions replace those of its
/// subcharts, and the first file's those of later ones.
fn in_order(mut files: Vec<TextFile>) -> Vec<TextFile> {
    let depth = |path: &str| memchr::memchr_iter(b'/', path.as_bytes()).count();
    files.sort_by_cached_key(|file| Reverse((depth(&file.path), Arc::clone(&file.path))));
    // An archive may hold a path twice: the last file counts.
    files.dedup_by(|later, earlier| {
        let is_same = later.path == earlier.path;
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
    files
}
