//! The engine as a program uses it that lives longer than one run: an editor's server, a webhook, a watch.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use trueline_source::{NotedSystem, OpenText, SourceMap, System, Texts};

use crate::memory::{Existence, Touched, Units};
use crate::settings::Settings;
use crate::snapshot::{Ground, Snapshot};

/// Something that changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// A file is open, and this counts in its place until it is closed.
    Open(PathBuf, Arc<[u8]>),
    /// An open file counts as removed.
    Remove(PathBuf),
    /// A file that was open is what the disk has again.
    Close(PathBuf),
    /// A file on the disk was written, made or removed.
    Seen(PathBuf),
    /// Something else is asked for.
    Settings(Box<Settings>),
}

/// What an engine keeps from one snapshot to the next.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) sources: SourceMap,
    pub(crate) units: Mutex<Arc<Units>>,
    pub(crate) ground: Mutex<Option<Arc<Ground>>>,
}

/// The only thing that changes. What is asked is asked of its [`Snapshot`]s.
#[derive(Debug)]
pub struct Host {
    files: NotedSystem,
    settings: Arc<Settings>,
    texts: Arc<Texts>,
    touched: Arc<Touched>,
    kept: Arc<Kept>,
}

impl Host {
    /// An engine over a system.
    pub fn new(system: Arc<dyn System>, settings: Settings) -> Self {
        Host {
            files: NotedSystem::new(system),
            settings: Arc::new(settings),
            texts: Arc::default(),
            touched: Arc::default(),
            kept: Arc::new(Kept {
                sources: SourceMap::new(),
                units: Mutex::default(),
                ground: Mutex::default(),
            }),
        }
    }

    /// Takes note of a change. Snapshots that were taken before do not see it.
    pub fn apply(&mut self, change: Change) {
        let path = match change {
            Change::Settings(settings) => {
                self.settings = Arc::from(settings);
                self.kept = Arc::new(Kept {
                    sources: SourceMap::new(),
                    units: Mutex::default(),
                    ground: Mutex::default(),
                });
                return;
            }
            Change::Open(ref path, _) | Change::Remove(ref path) | Change::Close(ref path) => path,
            Change::Seen(ref path) => path,
        };
        let place = self.files.place(path);
        let before = self.files.with_texts(Arc::clone(&self.texts)).is_file(&place);
        let is_seen = matches!(change, Change::Seen(_));
        let texts = Arc::make_mut(&mut self.texts);
        match change {
            Change::Open(_, bytes) => drop(texts.insert(place.clone(), OpenText::Bytes(bytes))),
            Change::Remove(_) => drop(texts.insert(place.clone(), OpenText::Removed)),
            Change::Close(_) => drop(texts.remove(&place)),
            Change::Seen(_) | Change::Settings(_) => {}
        }
        let after = self.files.with_texts(Arc::clone(&self.texts)).is_file(&place);
        // The disk has changed already: nobody can say what it was before.
        let existence = if before == after && !is_seen { Existence::Same } else { Existence::Changed };
        Arc::make_mut(&mut self.touched).touch(&place, existence);
    }

    /// What is there now. It does not change any more, whatever becomes of the host.
    pub fn snapshot(&self) -> Snapshot {
        let files = self.files.with_texts(Arc::clone(&self.texts));
        Snapshot::of_host(files, &self.settings, &self.touched, &self.kept)
    }

    /// How many sources are held.
    pub fn held_sources(&self) -> usize {
        self.kept.sources.held()
    }

    /// How often units were looked at since the settings changed.
    pub fn looks(&self) -> u64 {
        self.kept.units.lock().unwrap_or_else(PoisonError::into_inner).looks()
    }
}
