//! What an engine knows at one moment.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use trueline_diagnostic::Unit;
use trueline_source::{Cancel, Loader, NotedSystem, SourceMap, System};

use crate::chart::GivenValues;
use crate::discovery::{ConfigChoice, Inputs};
use crate::here::{self, Here};
use crate::host::Kept;
use crate::input::{Nested, Progress, Silent, configured};
use crate::memory::{Memory, Noted, Touched, Units};
use crate::open_error::OpenError;
use crate::parts::UnitParts;
use crate::rendering::Rendering;
use crate::run::{self, Plan, Run};
use crate::session::{Session, Wanted};
use crate::settings::Settings;

/// A part of what is asked for that is checked as one: a chart, a ytt folder, an extension, or a file of any other kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(String);

impl UnitId {
    /// Its name, as reports show it.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What all units share: what is asked for with all that it names opened, and what there is to check.
pub(crate) struct Ground {
    session: Session,
    plan: Plan,
    given: GivenValues,
    max_findings: Option<usize>,
    /// Where the roots of loaders really are.
    roots: Vec<(Arc<dyn Loader>, PathBuf)>,
    /// What was looked at for this, where somebody notes it.
    noted: Option<Noted>,
    sources: Arc<SourceMap>,
}

impl fmt::Debug for Ground {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ground").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Ground {
    fn new(
        system: &Arc<dyn System>,
        settings: &Arc<Settings>,
        sources: Arc<SourceMap>,
    ) -> Result<Self, OpenError> {
        let mut paths = Inputs::new(Arc::clone(system), settings.configuration.clone())?;
        let opened = paths.open(&settings.paths, settings.templates())?;
        let configured = configured(&opened, &sources);
        let session = Session::open((system, settings), &paths, &configured, &sources)?;
        let nested = match settings.configuration {
            ConfigChoice::Nearest => Nested::Used,
            ConfigChoice::File(_) | ConfigChoice::None => Nested::Ignored,
        };
        let (plan, given) = Plan::new(&opened, nested, &session, &sources);
        let max_findings = configured.max_findings;
        let roots = opened.into_iter().filter_map(|input| Some((input.loader, input.root?))).collect();
        Ok(Ground { session, plan, given, max_findings, roots, noted: None, sources })
    }

    fn holds(&self, touched: &Touched, files: &NotedSystem) -> bool {
        self.noted.as_ref().is_some_and(|noted| noted.holds(touched, files))
    }

    fn is_later_than(&self, touched: &Touched) -> bool {
        self.noted.as_ref().is_some_and(|noted| noted.is_later_than(touched))
    }

    /// Whether units that were looked at over another ground need not be looked at again over this one.
    fn is_like(&self, other: &Ground) -> bool {
        let is_plain = |ground: &Ground| ground.given.is_empty() && ground.session.is_plain();
        is_plain(self) && is_plain(other) && self.plan.is_like(&other.plan)
    }
}

/// What is remembered besides, where the engine lives longer than one run.
#[derive(Debug)]
struct Remembered {
    files: NotedSystem,
    touched: Arc<Touched>,
    kept: Arc<Kept>,
}

/// What is asked for, seen at one moment. It can be shared between threads; whoever asks twice gets the same answer.
#[derive(Debug)]
pub struct Snapshot {
    system: Arc<dyn System>,
    settings: Arc<Settings>,
    trunk: Arc<SourceMap>,
    remembered: Option<Remembered>,
    ground: Mutex<Option<Result<Arc<Ground>, OpenError>>>,
}

/// What was found in a unit.
#[derive(Debug)]
pub struct Outcome {
    /// The unit with its findings.
    pub unit: Unit,
    /// The sources that the findings point into.
    pub sources: Arc<SourceMap>,
}

/// What was found in everything.
#[derive(Debug)]
pub struct Report {
    /// What was found, and how the run ended.
    pub run: Run,
    /// The sources that the findings point into.
    pub sources: Arc<SourceMap>,
}

/// What a unit was rendered to.
#[derive(Debug)]
pub struct Rendered {
    parts: Arc<UnitParts>,
    /// The sources of what was rendered, which know its origins.
    pub sources: Arc<SourceMap>,
}

impl Rendered {
    /// What was written with each set of values; of what is not rendered, the file as it was typed.
    pub fn renderings(&self) -> &[Rendering] {
        self.parts.renderings()
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Nobody wants it any more.
    Cancelled,
    /// It cannot be found out.
    CannotRun(OpenError),
    /// There is no such unit.
    NoSuchUnit,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Cancelled => formatter.write_str("the run was cancelled"),
            Unanswered::CannotRun(error) => error.fmt(formatter),
            Unanswered::NoSuchUnit => formatter.write_str("there is no such unit"),
        }
    }
}

impl std::error::Error for Unanswered {}

impl Snapshot {
    /// What is there now, for a single run: nothing is remembered.
    pub fn open(system: Arc<dyn System>, settings: Settings) -> Result<Self, OpenError> {
        let snapshot = Snapshot {
            system,
            settings: Arc::new(settings),
            trunk: Arc::new(SourceMap::new()),
            remembered: None,
            ground: Mutex::default(),
        };
        snapshot.ground()?;
        Ok(snapshot)
    }

    pub(crate) fn of_host(
        files: NotedSystem,
        settings: &Arc<Settings>,
        touched: &Arc<Touched>,
        kept: &Arc<Kept>,
    ) -> Self {
        Snapshot {
            system: Arc::new(files.clone()),
            settings: Arc::clone(settings),
            trunk: Arc::new(kept.sources.branch()),
            remembered: Some(Remembered { files, touched: Arc::clone(touched), kept: Arc::clone(kept) }),
            ground: Mutex::default(),
        }
    }

    /// The sources that findings point into.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.trunk
    }

    /// So many findings are shown to a person at most, if a configuration says so; all if it is 0.
    pub fn max_findings(&self) -> Option<usize> {
        self.ground().ok()?.max_findings
    }

    /// What there is to check.
    pub fn units(&self) -> Result<Vec<UnitId>, OpenError> {
        Ok(self.ground()?.plan.jobs().iter().map(|job| UnitId(job.name())).collect())
    }

    /// The unit that a file belongs to, or a directory that is a unit.
    pub fn unit_of(&self, path: &Path) -> Option<UnitId> {
        let ground = self.ground().ok()?;
        let real = self.system.real(path).ok()?;
        let belongs = |job: &&crate::walk::Candidate| {
            let root = ground.roots.iter().find(|(loader, _)| Arc::ptr_eq(loader, job.loader()));
            root.is_some_and(|(_, root)| real.starts_with(root.join(&*job.path)))
        };
        let nearest = ground.plan.jobs().iter().filter(belongs).max_by_key(|job| job.path.len())?;
        Some(UnitId(nearest.name()))
    }

    /// Checks everything.
    pub fn check_all(
        &self,
        report: Wanted,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Report, Unanswered> {
        let ground = self.ground().map_err(Unanswered::CannotRun)?;
        let units = self.units_of(&ground);
        let plan = ground.plan.for_report(report);
        // Beside the ground's own sources, which outlive this run, a run has some of the flags.
        let sources = match &self.remembered {
            Some(_) => Arc::new(ground.sources.branch()),
            None => Arc::clone(&self.trunk),
        };
        let memory = self.memory(units.as_deref(), &ground.sources, &sources);
        let asked = (&ground.session, cancel);
        let run = run::run(plan, &ground.given, memory.as_ref(), asked, &sources, progress);
        if cancel.is_cancelled() {
            return Err(Unanswered::Cancelled);
        }
        Ok(Report { run, sources })
    }

    /// Checks one unit, and whatever else has to be known for it.
    pub fn check(&self, unit: &UnitId, cancel: &Cancel) -> Result<Arc<Outcome>, Unanswered> {
        let ground = self.ground().map_err(Unanswered::CannotRun)?;
        let units = self.units_of(&ground);
        let sources = Arc::new(ground.sources.branch());
        let memory = self.memory(units.as_deref(), &ground.sources, &sources);
        let (job, found) = match ground.plan.jobs().iter().find(|job| job.name() == unit.0) {
            Some(job) => {
                let asked = (&ground.session, cancel);
                (job, run::check_alone(job, &ground.plan, &ground.given, memory.as_ref(), asked, &sources))
            }
            None => return Err(Unanswered::NoSuchUnit),
        };
        if cancel.is_cancelled() {
            return Err(Unanswered::Cancelled);
        }
        let Some(found) = found else {
            let name = job.name();
            let Report { run, sources } = self.check_all(Wanted::default(), &Silent, cancel)?;
            let mut units = run.outcome.units.into_iter();
            let unit = units.find(|unit| unit.name == name).ok_or(Unanswered::NoSuchUnit)?;
            return Ok(Arc::new(Outcome { unit, sources }));
        };
        Ok(Arc::new(Outcome { unit: found, sources }))
    }

    /// What a unit is rendered to.
    pub fn render(&self, unit: &UnitId, cancel: &Cancel) -> Result<Arc<Rendered>, Unanswered> {
        let ground = self.ground().map_err(Unanswered::CannotRun)?;
        let job = ground.plan.jobs().iter().find(|job| job.name() == unit.0).ok_or(Unanswered::NoSuchUnit)?;
        let units = self.units_of(&ground);
        let sources = Arc::new(ground.sources.branch());
        let memory = self.memory(units.as_deref(), &ground.sources, &sources);
        let asked = (&ground.session, cancel);
        let parts = run::parts_of(job, &ground.plan, &ground.given, memory.as_ref(), asked, &sources);
        if cancel.is_cancelled() {
            return Err(Unanswered::Cancelled);
        }
        Ok(Arc::new(Rendered { parts, sources }))
    }

    /// What is at an offset of a file: the text that is open for it counts.
    pub fn at(&self, path: &Path, offset: usize) -> Option<Here> {
        let ground = self.ground().ok()?;
        let unit = self.unit_of(path)?;
        let job = ground.plan.jobs().iter().find(|job| job.name() == unit.0)?;
        let (_, root) = ground.roots.iter().find(|(loader, _)| Arc::ptr_eq(loader, job.loader()))?;
        let inside = self.system.real(path).ok()?.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        let name = job.loader().display(&inside);
        let outcome = self.check(&unit, &Cancel::new()).ok()?;
        let rendered = self.render(&unit, &Cancel::new()).ok()?;
        let version = ground.plan.kube_version(job, &ground.session);
        here::find(&name, offset, &rendered.parts, version, (&outcome, &rendered.sources))
    }

    fn memory<'m>(
        &'m self,
        units: Option<&'m Units>,
        ground: &'m Arc<SourceMap>,
        sources: &'m SourceMap,
    ) -> Option<Memory<'m>> {
        let Remembered { files, touched, .. } = self.remembered.as_ref()?;
        Some(Memory { units: units?, touched, files, ground, sources })
    }

    fn units_of(&self, ground: &Ground) -> Option<Arc<Units>> {
        let Remembered { kept, touched, .. } = self.remembered.as_ref()?;
        let units = Arc::clone(&kept.units.lock().unwrap_or_else(PoisonError::into_inner));
        if ground.is_later_than(touched) {
            return Some(Arc::default());
        }
        units.retain(ground.plan.jobs());
        Some(units)
    }

    fn ground(&self) -> Result<Arc<Ground>, OpenError> {
        // Nothing is locked while it is found: whoever waits for threads may be given work that asks for it as well.
        let known = || self.ground.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = &*known() {
            return found.clone();
        }
        let found = self.find_ground();
        known().get_or_insert(found).clone()
    }

    fn find_ground(&self) -> Result<Arc<Ground>, OpenError> {
        let Some(Remembered { files, touched, kept }) = &self.remembered else {
            return Ground::new(&self.system, &self.settings, Arc::clone(&self.trunk)).map(Arc::new);
        };
        let known = || kept.ground.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known().clone();
        let is_known = |ground: &Arc<Ground>| ground.holds(touched, files);
        if let Some(ground) = before.clone().filter(is_known) {
            return Ok(ground);
        }
        let sources = Arc::new(kept.sources.branch());
        let noted = Noted::new(Arc::clone(files.reads()), touched.revision);
        let ground = Ground::new(&self.system, &self.settings, sources)?;
        let ground = Arc::new(Ground { noted: Some(noted), ..ground });
        // What is known of a later moment is worth more.
        let is_late = before.as_ref().is_some_and(|before| before.is_later_than(touched));
        if !is_late {
            if !before.is_some_and(|before| ground.is_like(&before)) {
                *kept.units.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
            }
            *known() = Some(Arc::clone(&ground));
        }
        Ok(ground)
    }
}
