//! Schemas that are compiled once for many inputs.

use std::cell::RefCell;
use std::sync::Arc;

use trueline_analysis::Settings;
use trueline_extension::SchemaSet;
use trueline_source::SourceMap;

/// What is needed to check something.
pub(crate) struct Prepared {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) settings: Settings,
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
    let settings = Settings {
        selection: trueline_analysis::Selection::default(),
        catalogue: trueline_analysis::catalogue(),
        kind: None,
        only: None,
        strict: true,
        offline: true,
        registry: None,
        schemas: SchemaSet::embedded(Arc::clone(&sources)),
        fetch: None,
        most: None,
        units: trueline_diagnostic::Units::All,
        charts: trueline_analysis::ChartSettings::default(),
        ytt: trueline_analysis::YttSettings::default(),
        kubernetes: trueline_analysis::KubernetesSettings::default(),
    };
    Prepared { sources, settings, runs: 0 }
}
