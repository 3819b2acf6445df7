//! Schemas that are compiled once for many inputs.

use std::cell::RefCell;
use std::sync::Arc;

use trueline_analysis::{Run, Settings, Silent, Snapshot, Wanted};
use trueline_extension::SchemaSet;
use trueline_source::{Cancel, MemorySystem, SourceMap};

/// What is needed to check something.
pub(crate) struct Prepared {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) schemas: SchemaSet,
    runs: usize,
}

/// Compiling the schemas takes longer than checking a manifest; texts pile up, so both are made anew at times.
const RUNS: usize = 2_000;

thread_local! {
    static PREPARED: RefCell<Option<Prepared>> = const { RefCell::new(None) };
}

/// Does something with compiled schemas.
pub(crate) fn with(work: impl FnOnce(&Prepared)) {
    PREPARED.with_borrow_mut(|slot| {
        if slot.as_ref().is_some_and(|prepared| prepared.runs >= RUNS) {
            *slot = None;
        }
        let prepared = slot.get_or_insert_with(prepare);
        prepared.runs += 1;
        work(prepared);
    });
}

fn prepare() -> Prepared {
    let sources = Arc::new(SourceMap::new());
    let schemas = SchemaSet::embedded(Arc::clone(&sources));
    Prepared { sources, schemas, runs: 0 }
}

/// Checks a directory of a machine in memory, and gives what was found with its sources.
pub(crate) fn checked(system: MemorySystem, directory: &str) -> Option<(Run, Arc<SourceMap>)> {
    let settings =
        Settings { paths: vec![directory.into()], strict: true, offline: true, ..Settings::default() };
    let snapshot = Snapshot::open(Arc::new(system), settings).ok()?;
    let report = snapshot.check_all(Wanted::default(), &Silent, &Cancel::new()).ok()?;
    Some((report.run, report.sources))
}
