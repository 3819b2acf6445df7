//! Templates run one after the other, or side by side as long as that makes no difference.
//!
//! A template may write to the values, and those that come after it see that. So each thread has values of its own,
//! and when a template has written to them, what comes after it is run one by one.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;
use trueline_gotemplate::{
    AskedTemplates, Branches, Environment, Limits, MissingKey, Reads, Rendered, Templates, Value, Watch,
};
use trueline_yaml as yaml;

use super::again::Written;
use super::dots::{self, Dot};
use super::no_value::rendered_without_no_value;
use super::texts::TextFile;
use super::{AfterFailure, Notes, Options, RenderError, Rendering, Texts, functions, is_partial, methods};
use crate::Seeded;
use crate::chart::{Chart, Compat};
use crate::log::LogLine;
use crate::release::RenderedFile;
use crate::seeded::OfTemplate;

/// Fewer bytes of templates than this are run faster than another thread is made.
const WORTH_SHARING: usize = 1 << 17;

/// Each thread has all values and all templates for itself.
const MOST_THREADS: usize = 4;

/// What is run, and how.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) chart: &'a Chart,
    pub(super) texts: &'a Texts,
    pub(super) values: &'a yaml::Value,
    pub(super) options: &'a Options<'a>,
    pub(super) after: AfterFailure,
    pub(super) notes: Notes,
    /// What templates wrote that need not be run, by their paths, if what is written is to be remembered.
    pub(super) known: Option<&'a FxHashMap<Arc<str>, Arc<Written>>>,
}

/// What can be remembered of a rendering.
#[derive(Default)]
pub(super) struct Remembered {
    /// What was read before any template was run; nothing if none was run.
    pub(super) first: Option<Reads>,
    pub(super) written: Vec<Arc<Written>>,
}

impl<'a> Job<'a> {
    /// Runs all templates that are no partials.
    pub(super) fn run(self) -> (Rendering, Remembered) {
        let files: Vec<&TextFile> = self.texts.files.iter().filter(|file| !is_partial(&file.path)).collect();
        let ran = match self.threads() {
            0 | 1 => Runner::new(self, &files).map(|runner| (runner, Vec::new())),
            threads => self.run_side_by_side(&files, threads),
        };
        match ran {
            Ok((runner, first)) => runner.finish(first),
            Err(failure) => (Rendering::failed(failure), Remembered::default()),
        }
    }

    fn threads(self) -> usize {
        let is_run = |file: &&TextFile| !self.known.is_some_and(|known| known.contains_key(&file.path));
        let bytes: usize = self.texts.files.iter().filter(is_run).map(TextFile::len).sum();
        match self.notes {
            // Each thread may take its share of the memory only: what needs more of it is run on one.
            Notes::None if bytes >= WORTH_SHARING => rayon::current_num_threads().min(MOST_THREADS),
            // Which branches were taken is noted in one place.
            Notes::None | Notes::Branches => 1,
        }
    }

    /// Runs templates on several threads, up to where their order begins to count. Gives what became of those, and
    /// a runner for the others.
    fn run_side_by_side(
        self,
        files: &'a [&'a TextFile],
        threads: usize,
    ) -> Result<(Runner<'a>, Vec<Ran>), RenderError> {
        let share = Share { next: AtomicUsize::new(0), end: AtomicUsize::new(files.len()) };
        let (mut runner, mut ran) = std::thread::scope(|scope| {
            let work = || {
                let runner = Runner::new(self, files);
                runner.map(|runner| share.run(&mut runner.with_share(threads))).unwrap_or_default()
            };
            let spawn = |_| super::large_stack().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads).map_while(spawn).collect();
            let mut runner = Runner::new(self, files)?.with_share(threads);
            let mut ran = share.run(&mut runner);
            ran.extend(others.into_iter().flat_map(|other| other.join().unwrap_or_default()));
            Ok((runner, ran))
        })?;
        ran.sort_by_key(|(index, _)| *index);
        let without_gaps = ran.into_iter().enumerate().take_while(|(place, (index, _))| place == index);
        let mut ran: Vec<Ran> = without_gaps.map(|(_, (_, ran))| ran).collect();
        // Later templates have to see what this one wrote to the values: it is run again on their thread.
        if let Some(written) = ran.iter().position(|ran| ran.wrote) {
            ran.truncate(written);
        }
        let limits = self.options.limits;
        let steps = ran.iter().fold(0, |steps: u64, ran| steps.saturating_add(ran.steps));
        let output = ran.iter().fold(0, |output: u64, ran| output.saturating_add(ran.written()));
        // Which template is the one too many shows only if they are run in their order.
        if steps > limits.steps || output > limits.output || ran.iter().any(|ran| ran.is_limit) {
            ran.clear();
        }
        if runner.has_written {
            runner = Runner::new(self, files)?;
        }
        Ok((runner, ran))
    }
}

/// The templates that several threads take from, each the next one.
struct Share {
    next: AtomicUsize,
    /// Nothing from here on is wanted.
    end: AtomicUsize,
}

impl Share {
    fn run(&self, runner: &mut Runner<'_>) -> Vec<(usize, Ran)> {
        let mut all = Vec::new();
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let file = match runner.files.get(index) {
                Some(file) if index < self.end.load(Ordering::Relaxed) => file,
                _ => return all,
            };
            let ran = runner.run(index, file);
            let is_last = ran.wrote || runner.ends_with(&ran);
            all.push((index, ran));
            if is_last {
                self.end.fetch_min(index + 1, Ordering::Relaxed);
                return all;
            }
        }
    }
}

/// What became of one template.
struct Ran {
    result: Result<RenderedFile, RenderError>,
    log: Vec<LogLine>,
    steps: u64,
    /// Whether it wrote to what other templates read.
    wrote: bool,
    /// Whether it went beyond a limit.
    is_limit: bool,
    /// Whether that was the limit on steps.
    is_over: bool,
    /// What to remember of it, if that is wanted and of use.
    written: Option<Arc<Written>>,
}

impl Ran {
    /// What is known without running it.
    fn known(written: &Arc<Written>) -> Self {
        Ran {
            result: Ok(written.file.clone()),
            log: Vec::new(),
            steps: written.steps,
            wrote: false,
            is_limit: false,
            is_over: false,
            written: Some(Arc::clone(written)),
        }
    }

    fn failed(result: RenderError) -> Self {
        Ran {
            result: Err(result),
            log: Vec::new(),
            steps: 0,
            wrote: false,
            is_limit: false,
            is_over: false,
            written: None,
        }
    }

    fn written(&self) -> u64 {
        self.result.as_ref().map_or(0, |file| file.text.len() as u64)
    }
}

/// One thread's way through the templates.
struct Runner<'a> {
    job: Job<'a>,
    files: &'a [&'a TextFile],
    /// How many files have been run or passed.
    passed: usize,
    /// What it runs templates with, once there is one to run.
    stage: Option<Stage>,
    watch: Watch,
    has_written: bool,
    host: functions::Host,
    limits: Limits,
    branches: Branches,
}

/// What templates are run with.
struct Stage {
    templates: Templates,
    dots: Vec<Dot>,
    /// What was read before any of them was run.
    first: Reads,
}

impl Stage {
    fn new(job: Job<'_>, watch: &Watch) -> Result<Self, RenderError> {
        let templates = job.texts.templates()?;
        let values = Value::from_plain(job.values, job.options.origins);
        match job.known {
            Some(_) => values.watch_reads(watch),
            None => values.watch(watch),
        }
        // Which subcharts have values is looked up here.
        watch.note_reads();
        let dots = dots::of(job.chart, values, job.options, watch);
        Ok(Stage { templates, dots, first: watch.take_reads() })
    }

    /// A template that is run elsewhere: the dot of its chart says which one was the last.
    fn pass(&self, file: &TextFile, compat: Compat) {
        if let Some(dot) = self.dots.get(file.number) {
            dot.of(&file.path, compat);
        }
    }
}

impl<'a> Runner<'a> {
    fn new(job: Job<'a>, files: &'a [&'a TextFile]) -> Result<Self, RenderError> {
        let watch = Watch::default();
        // Where much is known, it may be that nothing has to be run.
        let stage = match job.known.is_some_and(|known| !known.is_empty()) {
            true => None,
            false => Some(Stage::new(job, &watch)?),
        };
        Ok(Runner {
            files,
            passed: 0,
            stage,
            watch,
            has_written: false,
            host: functions::Host::new(job.options.mode),
            limits: job.options.limits,
            branches: Branches::default(),
            job,
        })
    }

    /// A runner that may take its share only of what all threads together may.
    fn with_share(mut self, threads: usize) -> Self {
        let threads = threads.max(1) as u64;
        self.limits.steps /= threads;
        self.limits.output /= threads;
        self
    }

    /// What is known of a template, as long as no other one wrote to what it read.
    fn known(&self, file: &TextFile) -> Option<&'a Arc<Written>> {
        let written = self.job.known?.get(&file.path)?;
        let fits = written.steps <= self.limits.steps && written.file.text.len() as u64 <= self.limits.output;
        (fits && !self.has_written).then_some(written)
    }

    /// Prepares to run a template, after those before it have been run or passed.
    fn prepare(&mut self, index: usize) -> Result<(), RenderError> {
        let stage = match self.stage.take() {
            Some(stage) => stage,
            None => Stage::new(self.job, &self.watch)?,
        };
        let passed = self.files.get(self.passed..index).unwrap_or_default();
        passed.iter().for_each(|file| stage.pass(file, self.job.options.compat));
        (self.passed, self.stage) = (index + 1, Some(stage));
        Ok(())
    }

    fn run(&mut self, index: usize, file: &TextFile) -> Ran {
        if let Some(written) = self.known(file) {
            self.limits.steps = self.limits.steps.saturating_sub(written.steps);
            self.limits.output = self.limits.output.saturating_sub(written.file.text.len() as u64);
            return Ran::known(written);
        }
        let options = self.job.options;
        if let Err(failure) = self.prepare(index) {
            return Ran::failed(failure);
        }
        let Some(stage) = &self.stage else {
            return Ran::failed(RenderError::text("nothing to run templates with"));
        };
        let Some(dot) = stage.dots.get(file.number).map(|dot| dot.of(&file.path, options.compat)) else {
            return Ran::failed(RenderError::text("a template without a chart"));
        };
        self.watch.take();
        let dice = options.environment.seed().map(|seed| Seeded::for_text(seed, file.path.as_bytes()));
        let of_template = dice.as_ref().map(|dice| OfTemplate { dice, around: options.environment });
        let environment: &dyn Environment = match &of_template {
            Some(of_template) => of_template,
            None => options.environment,
        };
        let is_remembered = self.job.known.is_some() && !self.has_written;
        let (spent, asked) = (Cell::default(), AskedTemplates::default());
        if is_remembered {
            self.watch.note_reads();
        }
        let run = trueline_gotemplate::Options {
            missing_key: MissingKey::Zero,
            origins: options.origins,
            limits: self.limits,
            map_methods: methods::of,
            branches: (self.job.notes == Notes::Branches).then_some(&self.branches),
            spent: Some(&spent),
            asked: is_remembered.then_some(&asked),
            ..trueline_gotemplate::Options::new(environment, &self.host)
        };
        let executed = stage.templates.execute(&file.path, &dot, &run);
        let (wrote, reads) = (self.watch.take(), self.watch.take_reads());
        self.has_written |= wrote;
        let log = self.host.log.take();
        let (steps, left) = (spent.get(), self.limits.steps);
        // One share of work and of output for the whole chart, however many templates it has.
        self.limits.steps = left.saturating_sub(steps);
        match executed {
            Ok(rendered) => {
                self.limits.output = self.limits.output.saturating_sub(rendered.text.len() as u64);
                let file = rendered_file(&file.path, rendered);
                let written = (is_remembered && !wrote && log.is_empty()).then(|| {
                    let (reads, templates) = (Arc::new(reads), asked.into_names().into());
                    Arc::new(Written { file: file.clone(), steps, reads, templates })
                });
                Ran { result: Ok(file), log, steps, wrote, is_limit: false, is_over: false, written }
            }
            Err(error) => {
                let mut failure = RenderError::execution(&error, options.compat);
                let whole = file.source.map(|source| source.span(0, 0));
                failure.diagnostics.extend(whole.map(|whole| error.to_diagnostic(whole)));
                let is_limit = error.is_limit();
                let is_over = is_limit && steps >= left;
                Ran { result: Err(failure), log, steps, wrote, is_limit, is_over, written: None }
            }
        }
    }

    /// Whether no template is run after this one. One that used up its share would do so again.
    fn ends_with(&self, ran: &Ran) -> bool {
        ran.result.is_err() && (self.job.after == AfterFailure::Stop || ran.is_limit)
    }

    /// Runs the templates that are left after the first ones, and puts everything together.
    fn finish(mut self, first: Vec<Ran>) -> (Rendering, Remembered) {
        let mut rendering = Rendering::default();
        let mut written = Vec::new();
        self.passed = 0;
        // What this runner has run itself is among the first.
        self.limits = self.job.options.limits;
        for ran in &first {
            self.limits.steps = self.limits.steps.saturating_sub(ran.steps);
            self.limits.output = self.limits.output.saturating_sub(ran.written());
        }
        let mut first = first.into_iter();
        for (index, file) in self.files.iter().enumerate() {
            let ran = match first.next() {
                Some(ran) => ran,
                None => self.run(index, file),
            };
            let is_last = self.ends_with(&ran);
            written.extend(ran.written);
            rendering.steps = rendering.steps.saturating_add(ran.steps);
            rendering.is_over |= ran.is_over;
            rendering.output.log.extend(ran.log);
            match ran.result {
                Ok(file) => rendering.output.files.push(file),
                Err(mut failure) => {
                    failure.log = std::mem::take(&mut rendering.output.log);
                    rendering.failures.push(failure);
                }
            }
            if is_last {
                break;
            }
        }
        rendering.output.files.sort_by(|left, right| left.path.cmp(&right.path));
        rendering.branches = self.branches;
        (rendering, Remembered { first: self.stage.map(|stage| stage.first), written })
    }
}

fn rendered_file(path: &Arc<str>, rendered: Rendered) -> RenderedFile {
    let rendered = rendered_without_no_value(rendered);
    let origins = rendered.origin_map();
    RenderedFile { path: Arc::clone(path), origins, text: Arc::clone(rendered.text.shared()) }
}
