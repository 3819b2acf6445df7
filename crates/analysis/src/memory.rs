//! What an engine remembers between snapshots: what was found in each unit, with what was looked at for it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trueline_source::{Look, NotedSystem, Reads, SourceMap};

use crate::chart::GivenValues;
use crate::kinds::InputKind;
use crate::parts::UnitParts;
use crate::session::Session;
use crate::shown::Shown;
use crate::unit::{self, Checked, Mode};
use crate::walk::Candidate;

/// When paths were last touched, in revisions of the host. It grows with the number of paths, and not with that of
/// changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Touched {
    pub(crate) revision: u64,
    /// What a file holds, or whether it is there.
    files: HashMap<PathBuf, u64>,
    /// Which names a directory has.
    names: HashMap<PathBuf, u64>,
    /// What files directly in a directory hold.
    inside: HashMap<PathBuf, u64>,
}

impl Touched {
    /// A file holds something else, or is there or gone where it was not before.
    pub(crate) fn touch(&mut self, path: &Path, existence: Existence) {
        self.revision += 1;
        let revision = self.revision;
        self.files.insert(path.to_owned(), revision);
        if let Some(directory) = path.parent() {
            self.inside.insert(directory.to_owned(), revision);
        }
        if existence == Existence::Changed {
            // Directories may have come into being, or be gone.
            for directory in path.ancestors().skip(1) {
                self.names.insert(directory.to_owned(), revision);
                self.files.insert(directory.to_owned(), revision);
            }
        }
    }

    /// Whether a directory has the names that it had in a revision.
    fn has_names_of(&self, since: u64, directory: &Path) -> bool {
        self.names.get(directory).is_none_or(|&when| when <= since)
    }

    /// Whether a look in a revision would show the same in this one.
    fn holds(&self, since: u64, look: &Look, seen: Option<u64>, files: &NotedSystem) -> bool {
        let is_later = |touched: &HashMap<PathBuf, u64>, path: &Path| {
            touched.get(path).is_some_and(|&when| when > since)
        };
        match look {
            Look::Bytes(path) => !is_later(&self.files, path) || seen.is_some() && files.hash(path) == seen,
            Look::Judged(path, judge) => {
                !is_later(&self.files, path)
                    || seen.is_some() && files.bytes(path).map(|bytes| (judge.judge)(&bytes)) == seen
            }
            Look::Entry(path) => !is_later(&self.files, path),
            Look::Names(path) => !is_later(&self.names, path),
            Look::Entries(path) => !is_later(&self.names, path) && !is_later(&self.inside, path),
        }
    }
}

/// Whether something came into being or went away, or only holds something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existence {
    Same,
    Changed,
}

/// Looks that were noted, and the revision in which they were known to hold.
#[derive(Debug)]
pub(crate) struct Noted {
    reads: Arc<Reads>,
    since: AtomicU64,
}

impl Noted {
    pub(crate) fn new(reads: Arc<Reads>, revision: u64) -> Self {
        Noted { reads, since: AtomicU64::new(revision) }
    }

    /// Whether they are known to hold in a later moment.
    pub(crate) fn is_later_than(&self, touched: &Touched) -> bool {
        self.since.load(Ordering::Relaxed) > touched.revision
    }

    /// The files that may hold something else now; nothing if anything else may have changed.
    fn changed(&self, touched: &Touched, files: &NotedSystem) -> Option<HashSet<PathBuf>> {
        let since = self.since.load(Ordering::Relaxed);
        let mut changed = HashSet::new();
        let is_known = self.reads.all(|look, seen| match look {
            Look::Bytes(path) => {
                let is_later = touched.files.get(path).is_some_and(|&when| when > since);
                // A file that came or went makes another unit of it.
                let is_there = !is_later || seen.is_some() && files.is_file(path);
                if is_later {
                    changed.insert(path.clone());
                }
                is_there
            }
            other => {
                touched.holds(since, other, seen, files)
                    || matches!(other, Look::Entries(path) if touched.has_names_of(since, path))
            }
        });
        (is_known && since <= touched.revision).then_some(changed)
    }

    /// Whether all of them hold now. What is known of a later moment is of no use to an earlier one.
    pub(crate) fn holds(&self, touched: &Touched, files: &NotedSystem) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        if since == touched.revision {
            return true;
        }
        let holds =
            since < touched.revision && self.reads.all(|look, seen| touched.holds(since, look, seen, files));
        if holds {
            self.since.fetch_max(touched.revision, Ordering::Relaxed);
        }
        holds
    }
}

/// What was found in a unit. Its sources are freed with it.
#[derive(Debug)]
pub(crate) struct Known {
    checked: Checked,
    noted: Noted,
    sources: Arc<SourceMap>,
    /// What the next check of the unit may use again.
    pub(crate) parts: Arc<UnitParts>,
    /// The sources of what was shared when it was looked at.
    ground: Arc<SourceMap>,
}

/// What was found in units, by the names of these.
#[derive(Debug, Default)]
pub(crate) struct Units {
    known: Mutex<HashMap<String, Arc<Known>>>,
    /// How often a unit was looked at.
    looks: AtomicU64,
}

impl Units {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often a unit was looked at.
    pub(crate) fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// Forgets units that are there no more.
    pub(crate) fn retain(&self, jobs: &[Candidate]) {
        let names: std::collections::HashSet<String> = jobs.iter().map(name_of).collect();
        self.known().retain(|name, _| names.contains(name));
    }
}

/// Whether a unit has the same files as before, after some of them have changed: then its sources can have the ids that they
/// had. Origins only lead to sources with smaller ids, so no file may come in after a file that was rendered before.
fn has_same_files(job: &Candidate, changed: &HashSet<PathBuf>) -> bool {
    let names = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let says_what_there_is =
        |name: String| name == ".helmignore" || InputKind::of_name(&name) == Some(InputKind::Chart);
    job.kind == Some(InputKind::Chart) && !changed.iter().filter_map(names).any(says_what_there_is)
}

/// What tells a unit from others.
fn name_of(job: &Candidate) -> String {
    let kind = job.kind.map_or("", InputKind::as_str);
    format!("{}\0{kind}\0{:?}", job.name(), job.config())
}

/// What is remembered of units, as one snapshot sees it.
pub(crate) struct Memory<'m> {
    pub(crate) units: &'m Units,
    pub(crate) touched: &'m Touched,
    pub(crate) files: &'m NotedSystem,
    /// The sources of what all units share.
    pub(crate) ground: &'m Arc<SourceMap>,
    /// What sees the sources that results point into, for as long as they are used.
    pub(crate) sources: &'m SourceMap,
}

impl Memory<'_> {
    /// What is found in a unit: what was found before, if all that was looked at for it is as it was.
    pub(crate) fn look(&self, job: &Candidate, mode: Mode<'_>, asked: (&Session, &GivenValues)) -> Checked {
        self.known(job, mode, asked).checked.clone()
    }

    /// The same with what it leaves.
    pub(crate) fn known(
        &self,
        job: &Candidate,
        mode: Mode<'_>,
        (settings, given): (&Session, &GivenValues),
    ) -> Arc<Known> {
        let name = name_of(job);
        let earlier = self.units.known().get(&name).cloned();
        let is_fresh = |known: &&Arc<Known>| known.noted.holds(self.touched, self.files);
        let known = match earlier.as_ref().filter(is_fresh) {
            Some(known) => Arc::clone(known),
            None => self.check(name, job, mode, (settings, given), earlier.as_deref()),
        };
        self.sources.include(&known.sources);
        self.sources.include(&known.ground);
        known
    }

    fn check(
        &self,
        name: String,
        job: &Candidate,
        mode: Mode<'_>,
        (settings, given): (&Session, &GivenValues),
        earlier: Option<&Known>,
    ) -> Arc<Known> {
        self.units.looks.fetch_add(1, Ordering::Relaxed);
        let earlier = earlier.and_then(|known| Some((known, known.noted.changed(self.touched, self.files)?)));
        let reads = match &earlier {
            Some((known, changed)) => Reads::after(&known.noted.reads, changed),
            None => Reads::keeping(),
        };
        let (sources, mut parts) = match &earlier {
            Some((known, changed)) if has_same_files(job, changed) => {
                (self.ground.branch_after(&known.sources), UnitParts::after(&known.parts))
            }
            _ => (self.ground.branch(), UnitParts::default()),
        };
        let (reads, sources) = (Arc::new(reads), Arc::new(sources));
        let noting = job.loader().noting(&reads, self.files.texts());
        let seen = noting.map(|loader| job.read_through(loader));
        let candidate = seen.as_ref().unwrap_or(job);
        let with_parts = Mode { parts: Some(&parts), ..mode };
        let checked = unit::check(candidate, with_parts, settings, given, &Shown::new(None), &sources);
        parts.forget_earlier();
        let parts = Arc::new(parts);
        let noted = Noted::new(reads, self.touched.revision);
        let known = Arc::new(Known { checked, noted, sources, parts, ground: Arc::clone(self.ground) });
        // What was cut short is not remembered, nor what nobody can say of whether it still holds.
        if seen.is_some() && !mode.is_cancelled() && !mode.has_old() {
            self.remember(name, &known);
        }
        known
    }

    /// Checks a unit as it is now, for what the check leaves.
    pub(crate) fn check_unremembered(
        &self,
        job: &Candidate,
        mode: Mode<'_>,
        (settings, given): (&Session, &GivenValues),
        sources: &Arc<SourceMap>,
    ) {
        let seen = job.loader().noting(&Arc::default(), self.files.texts());
        let seen = seen.map(|loader| job.read_through(loader));
        let candidate = seen.as_ref().unwrap_or(job);
        unit::check(candidate, mode, settings, given, &Shown::new(None), sources);
    }

    fn remember(&self, name: String, known: &Arc<Known>) {
        let mut all = self.units.known();
        let is_newer = |other: &Arc<Known>| {
            other.noted.since.load(Ordering::Relaxed) > known.noted.since.load(Ordering::Relaxed)
        };
        if !all.get(&name).is_some_and(is_newer) {
            all.insert(name, Arc::clone(known));
        }
    }
}
