//! From the paths that a user names to the units that are checked one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;
use trueline_source::{EntryKind, Listed, LoadError, LoadErrorKind, Loader, Name};

use crate::glance::{self, Glance};
use crate::kinds::InputKind;
use crate::{config, kustomize};

/// How deep directories are followed. Links to directories are not, so only a real tree this deep is cut.
const MAX_DEPTH: usize = 64;

/// So many bytes of files that the walk has read are kept until they are checked. Small repositories have no more, and are
/// read once; in large ones memory is worth more than a second look.
const MOST_KEPT: usize = 128 << 10;

/// What candidates were found in.
#[derive(Debug)]
pub(crate) struct Tree {
    loader: Arc<dyn Loader>,
    configs: OnceLock<Configs>,
    /// What the walk has read of files, by the number that a candidate has for it, which counts from one.
    kept: Mutex<Kept>,
}

/// What files hold.
#[derive(Debug, Default)]
struct Kept {
    texts: Vec<Option<Box<[u8]>>>,
    bytes: usize,
}

impl Tree {
    fn of(loader: Arc<dyn Loader>) -> Arc<Self> {
        Arc::new(Tree { loader, configs: OnceLock::new(), kept: Mutex::default() })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what a file holds, if there is room for it, and gives its number.
    fn keep(&self, bytes: Vec<u8>) -> Option<NonZeroU32> {
        let mut kept = self.kept();
        let size = kept.bytes.saturating_add(bytes.len());
        if size > MOST_KEPT {
            return None;
        }
        kept.bytes = size;
        kept.texts.push(Some(bytes.into_boxed_slice()));
        u32::try_from(kept.texts.len()).ok().and_then(NonZeroU32::new)
    }

    /// Hands out what was kept of a file. It is kept for one reader only.
    fn take(&self, number: NonZeroU32) -> Option<Vec<u8>> {
        self.kept().texts.get_mut(number.get() as usize - 1)?.take().map(Vec::from)
    }
}

/// The configurations of a tree, by their numbers in a run.
#[derive(Debug, Default)]
pub(crate) struct Configs {
    /// The one that counts where there is none nearer.
    pub(crate) outer: Option<usize>,
    /// Those inside, by their directories.
    pub(crate) inner: BTreeMap<String, usize>,
}

/// One thing to check, before it has been read. There may be very many of them.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    tree: Arc<Tree>,
    /// The file, or the directory of a package, in its loader.
    pub(crate) path: Box<str>,
    /// What its name says it is; the content decides otherwise.
    pub(crate) kind: Option<InputKind>,
    /// Whether it was listed as a file, and as no link.
    pub(crate) is_listed: bool,
    /// What the walk saw of its content, if it had to look.
    seen: Option<Seen>,
}

/// What the walk saw of the content of a file.
#[derive(Debug, Clone, Copy)]
struct Seen {
    glance: Glance,
    /// Its length in bytes; 0 if that is not known.
    length: u32,
    /// The number of what was kept of it.
    kept: Option<NonZeroU32>,
}

impl Candidate {
    /// What it is read from.
    pub(crate) fn loader(&self) -> &Arc<dyn Loader> {
        &self.tree.loader
    }

    /// The number of the configuration that counts for it: the nearest.
    pub(crate) fn config(&self) -> Option<usize> {
        let Configs { outer, inner } = self.tree.configs.get()?;
        let mut around = Some(&*self.path).filter(|_| !inner.is_empty());
        while let Some(path) = around {
            if let Some(&number) = inner.get(path) {
                return Some(number);
            }
            around = match path.rsplit_once('/') {
                Some((directory, _)) => Some(directory),
                None => (!path.is_empty()).then_some(""),
            };
        }
        *outer
    }

    /// The same, read through another loader over the same files.
    pub(crate) fn read_through(&self, loader: Arc<dyn Loader>) -> Self {
        Candidate { tree: Tree::of(loader), ..self.clone() }
    }

    /// Its name as shown to a person.
    pub(crate) fn name(&self) -> String {
        self.loader().display(&self.path)
    }

    /// Whether a file mentions policies. A file that the walk has looked at is not read again for this.
    pub(crate) fn mentions_policies(&self) -> bool {
        match self.seen {
            Some(seen) => seen.glance.mentions_policies(),
            None if self.is_listed => {
                let listed = Listed { path: self.path.to_string(), length: 0, link: false };
                self.loader().judge(&listed, glance::POLICIES).is_ok_and(|judged| judged.says == 1)
            }
            None => self.read().is_ok_and(|bytes| glance::mentions_policies(&bytes)),
        }
    }

    /// The bytes of a file. What the walk has kept of it is not read again.
    pub(crate) fn read(&self) -> Result<Vec<u8>, LoadError> {
        let kept = self.seen.and_then(|seen| seen.kept);
        if let Some(bytes) = kept.and_then(|number| self.tree.take(number)) {
            return Ok(bytes);
        }
        if !self.is_listed {
            return self.loader().read(&self.path);
        }
        let length = self.seen.map_or(0, |seen| u64::from(seen.length));
        self.loader().read_listed(&Listed { path: self.path.to_string(), length, link: false })
    }
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    tree: Option<Arc<Tree>>,
    pub(crate) candidates: Vec<Candidate>,
    /// Directories that have a `trueline.toml`.
    pub(crate) configs: Vec<String>,
    /// Directories that may have a `kustomization.yaml`.
    kustomizations: BTreeSet<String>,
    /// What could not be read.
    pub(crate) errors: Vec<LoadError>,
    /// What was left out, and why.
    pub(crate) skipped: Vec<(String, String)>,
}

/// Whether directories of ytt templates are units of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YttFolders {
    /// Each is one unit.
    Units,
    /// Their files are looked at one by one, because only some kind of object in them is asked for.
    Files,
}

/// Finds the units below a path of a loader.
pub(crate) fn walk(loader: &Arc<dyn Loader>, path: &str, ytt: YttFolders) -> Walked {
    let tree = Tree::of(Arc::clone(loader));
    let mut found = Walked::default();
    match loader.entry(path) {
        Ok(entry) => match entry.kind {
            EntryKind::Directory => found = directory(&tree, path, 0, ytt),
            EntryKind::File => {
                found.candidates.push(Candidate {
                    tree: Arc::clone(&tree),
                    path: path.into(),
                    kind: InputKind::of_name(&entry.name),
                    is_listed: false,
                    seen: None,
                });
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                found.kustomizations.insert(directory.to_owned());
            }
            // It was named: what cannot be read was not found valid.
            EntryKind::Other => {
                let error = LoadError::new(LoadErrorKind::Other, path);
                found.errors.push(error.with_detail(why_other(loader, path)));
            }
        },
        Err(error) => found.errors.push(error),
    }
    kustomize::mark(loader, &found.kustomizations, &mut found.candidates);
    found.tree = Some(tree);
    found
}

/// Why something that is neither a file nor a directory cannot be looked at.
fn why_other(loader: &Arc<dyn Loader>, path: &str) -> &'static str {
    match loader.follow(path).map_err(|error| error.kind) {
        Err(LoadErrorKind::NotFound) => "it is a link to something that does not exist",
        Err(LoadErrorKind::Outside) => {
            "it is a link that leads out of what is checked; name it to have it checked"
        }
        _ => "it is neither a file nor a directory",
    }
}

/// What is in a directory: its files, then what is in the directories below it.
fn directory(tree: &Arc<Tree>, path: &str, depth: usize, ytt: YttFolders) -> Walked {
    let loader = &tree.loader;
    let mut found = Walked::default();
    let entries = match loader.names(path) {
        Ok(entries) => entries,
        Err(error) => {
            found.errors.push(error);
            return found;
        }
    };
    let has = |name: &str| entries.iter().any(|entry| entry.name == name && entry.kind == EntryKind::File);
    if has(config::FILE_NAME) {
        found.configs.push(path.to_owned());
    }
    if kustomize::NAMES.iter().any(|name| has(name)) {
        found.kustomizations.insert(path.to_owned());
    }
    let candidate = |path: String, kind, is_listed| Candidate {
        tree: Arc::clone(tree),
        path: path.into(),
        kind,
        is_listed,
        seen: None,
    };
    // A package is one unit: what else lies in its directory belongs to it.
    if let Some((kind, file)) = InputKind::of_folder(has) {
        let unit = file.map_or_else(|| path.to_owned(), |file| join(path, file));
        found.candidates.push(candidate(unit, Some(kind), false));
        return found;
    }
    let seen = match ytt {
        YttFolders::Units => look_at_each(tree, path, &entries),
        YttFolders::Files => Some(vec![None; entries.len()]),
    };
    let Some(seen) = seen else {
        found.candidates.push(candidate(path.to_owned(), Some(InputKind::Ytt), false));
        return found;
    };
    let mut directories = Vec::new();
    for (entry, seen) in entries.iter().zip(seen) {
        let below = join(path, &entry.name);
        match entry.kind {
            EntryKind::Directory if is_hidden(entry) => {}
            EntryKind::Directory if entry.link => {
                found.skipped.push((below, "links to directories are not followed".to_owned()));
            }
            EntryKind::Directory if depth >= MAX_DEPTH => {
                found.skipped.push((below, format!("nested deeper than {MAX_DEPTH} directories")));
            }
            EntryKind::Directory => directories.push(below),
            EntryKind::File if is_configuration(&entry.name) => {
                let file = candidate(below, InputKind::of_name(&entry.name), !entry.link);
                found.candidates.push(Candidate { seen, ..file });
            }
            EntryKind::File => {}
            EntryKind::Other if entry.link || is_configuration(&entry.name) => {
                let why = why_other(loader, &below).to_owned();
                found.skipped.push((below, why));
            }
            EntryKind::Other => {}
        }
    }
    drop(entries);
    let below = directories.par_iter().map(|below| directory(tree, below, depth + 1, ytt)).collect();
    found.take_in(below);
    found
}

/// What is seen in each YAML file of a directory; nothing if one of them is written for ytt, which makes the directory a unit.
fn look_at_each(tree: &Tree, path: &str, entries: &[Name]) -> Option<Vec<Option<Seen>>> {
    let is_template = |entry: &Name| {
        entry.kind == EntryKind::File && (entry.name.ends_with(".yml") || entry.name.ends_with(".yaml"))
    };
    let look = |entry: &Name| {
        if !is_template(entry) {
            return Some(None);
        }
        let listed = Listed { path: join(path, &entry.name), length: 0, link: entry.link };
        // What cannot be read is reported when it is checked.
        let Ok(judged) = tree.loader.judge(&listed, glance::GLANCE) else {
            return Some(Some(Seen { glance: Glance::default(), length: 0, kept: None }));
        };
        let glance = Glance::of_judgement(judged.says);
        if glance.is_for_ytt() {
            return None;
        }
        let length = judged.bytes.as_ref().and_then(|bytes| u32::try_from(bytes.len()).ok()).unwrap_or(0);
        Some(Some(Seen { glance, length, kept: judged.bytes.and_then(|bytes| tree.keep(bytes)) }))
    };
    entries.par_iter().map(look).collect()
}

impl Walked {
    /// Takes what was named for one unit of ytt, whatever is in it.
    pub(crate) fn take_for_ytt(&mut self, path: &str) {
        let Some(tree) = self.tree.as_ref().filter(|_| self.errors.is_empty()) else { return };
        let kind = Some(InputKind::Ytt);
        self.candidates =
            vec![Candidate { tree: Arc::clone(tree), path: path.into(), kind, is_listed: false, seen: None }];
        self.skipped.clear();
    }

    /// Keeps the charts of what was found; where there is none, what was named is taken for one.
    pub(crate) fn take_for_charts(&mut self, path: &str) {
        self.candidates.retain(|candidate| candidate.kind == Some(InputKind::Chart));
        if self.candidates.is_empty()
            && self.errors.is_empty()
            && let Some(tree) = &self.tree
        {
            let tree = Arc::clone(tree);
            let kind = Some(InputKind::Chart);
            self.candidates.push(Candidate { tree, path: path.into(), kind, is_listed: false, seen: None });
        }
    }

    /// Says which configurations count for what was found.
    pub(crate) fn configure(&self, configs: Configs) {
        if let Some(tree) = &self.tree {
            tree.configs.get_or_init(|| configs);
        }
    }

    /// Puts the files in the `crds/` of charts in the place of the charts, for a search for definitions alone.
    pub(crate) fn open_charts(&mut self) {
        let charts = std::mem::take(&mut self.candidates);
        for candidate in charts {
            let is_chart =
                candidate.kind == Some(InputKind::Chart) && is_directory(candidate.loader(), &candidate.path);
            let below = if is_chart { crds(&candidate.tree, &candidate.path, 0) } else { Vec::new() };
            if below.iter().all(|found| found.candidates.is_empty()) {
                self.candidates.push(candidate);
            }
            self.take_in(below);
        }
    }

    /// Takes in what is in the directories below.
    fn take_in(&mut self, below: Vec<Walked>) {
        let all = below.iter().map(|found| found.candidates.len()).sum();
        self.candidates.reserve_exact(all);
        for found in below {
            self.candidates.extend(found.candidates);
            self.configs.extend(found.configs);
            self.kustomizations.extend(found.kustomizations);
            self.errors.extend(found.errors);
            self.skipped.extend(found.skipped);
        }
    }
}

/// What is in the `crds/` of a chart and of the charts in it.
fn crds(tree: &Arc<Tree>, chart: &str, depth: usize) -> Vec<Walked> {
    let mut found = Vec::new();
    let own = join(chart, "crds");
    if is_directory(&tree.loader, &own) {
        found.push(directory(tree, &own, 0, YttFolders::Files));
    }
    let charts = join(chart, "charts");
    let below = tree.loader.names(&charts).unwrap_or_default();
    let is_walked = |entry: &&Name| {
        entry.kind == EntryKind::Directory && !entry.link && !is_hidden(entry) && depth < MAX_DEPTH
    };
    for entry in below.iter().filter(is_walked) {
        found.extend(crds(tree, &join(&charts, &entry.name), depth + 1));
    }
    found
}

fn is_directory(loader: &Arc<dyn Loader>, path: &str) -> bool {
    loader.entry(path).is_ok_and(|entry| entry.kind == EntryKind::Directory)
}

/// Version control and tools keep their own things in directories with a dot in front.
fn is_hidden(entry: &Name) -> bool {
    entry.name.starts_with('.') || entry.name == "node_modules"
}

/// Whether a name says that a file is YAML or JSON.
pub(crate) fn is_text(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending
        .is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Files that a walk takes up. One that is named on the command line is always taken up.
fn is_configuration(name: &str) -> bool {
    is_text(name) || name.ends_with(".tgz")
}

/// The directory of a path.
pub(crate) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

pub(crate) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { [directory, "/", name].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_source::MemoryLoader;

    #[test]
    fn what_the_walk_has_read_is_kept_for_one_reader_as_long_as_there_is_room() {
        let large = "a".repeat(MOST_KEPT);
        let loader =
            MemoryLoader::new("").with_file("a.yaml", "a: 1\n").with_file("large.yaml", large.as_str());
        let loader: Arc<dyn Loader> = Arc::new(loader.with_file("b.json", "{}"));
        let found = walk(&loader, "", YttFolders::Units);
        let kept = || found.candidates.iter().filter_map(|candidate| candidate.seen?.kept).count();
        // Whichever of the two was read first.
        assert_eq!(kept(), 1);
        for _ in 0..2 {
            let lengths: Vec<usize> =
                found.candidates.iter().map(|file| file.read().unwrap().len()).collect();
            assert_eq!(lengths, [5, 2, MOST_KEPT]);
        }
        assert!(found.candidates.iter().all(|candidate| !candidate.mentions_policies()));
    }

    fn found(path: &str) -> Vec<String> {
        let loader: Arc<dyn Loader> = Arc::new(
            MemoryLoader::new("")
                .with_file("a/extension.yaml", "")
                .with_file("a/other.yaml", "")
                .with_file("chart/Chart.yaml", "")
                .with_file("chart/templates/x.yaml", "{{ }}")
                .with_file("plain/one.yaml", "")
                .with_file("plain/readme.md", "")
                .with_file("plain/.git/config.yaml", "")
                .with_file("sub/trueline.toml", "")
                .with_file("sub/deep/two.json", "")
                .with_file("sub/other/trueline.toml", "")
                .with_file("sub/other/three/three.json", "")
                .with_file("sub/other-one/four.json", "")
                .with_file("packed-1.0.0.tgz", "")
                .with_file("ytt/config/app.yml", "a: #@ 1\n")
                .with_file("ytt/config/plain.yml", "a: 1\n")
                .with_file("ytt/config/_ytt_lib/x/values.yml", "#@data/values\n---\n")
                .with_file("ytt/chart/Chart.yaml", "")
                .with_file("ytt/text.yml", "a: |\n  #@ not a comment\n"),
        );
        let found = walk(&loader, path, YttFolders::Units);
        let inner = found.configs.iter().cloned().zip(0..).collect();
        found.configure(Configs { outer: None, inner });
        let config = |number: Option<usize>| number.map(|number| found.configs[number].as_str());
        let shown = |candidate: &Candidate| {
            assert_eq!(candidate.name(), *candidate.path);
            format!("{} {:?} {:?}", candidate.path, candidate.kind, config(candidate.config()))
        };
        found.candidates.iter().map(shown).collect()
    }

    #[test]
    fn packages_are_units_and_other_files_are_units_of_their_own() {
        assert_eq!(
            found(""),
            [
                "packed-1.0.0.tgz Some(Chart) None",
                "a/extension.yaml Some(Extension) None",
                "chart Some(Chart) None",
                "plain/one.yaml None None",
                "sub/deep/two.json None Some(\"sub\")",
                "sub/other/three/three.json None Some(\"sub/other\")",
                "sub/other-one/four.json None Some(\"sub\")",
                "ytt/text.yml None None",
                "ytt/chart Some(Chart) None",
                "ytt/config Some(Ytt) None",
            ]
        );
    }

    #[test]
    fn a_named_file_is_always_taken_up() {
        assert_eq!(found("plain/readme.md"), ["plain/readme.md None None"]);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let loader: Arc<dyn Loader> = Arc::new(MemoryLoader::new(""));
        assert_eq!(walk(&loader, "nope", YttFolders::Units).errors.len(), 1);
    }
}
