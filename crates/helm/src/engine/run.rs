//! Templates run one after the other, or side by side as long as that makes no difference.
//!
//! A template may write to the values, and those that come after it see that. So each thread has values of its own,
//! and when a template has written to them, what comes after it is run one by one.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trueline_gotemplate::{Branches, Environment, Limits, MissingKey, Rendered, Templates, Watch};
use trueline_yaml as yaml;

use super::dots::{self, Dot};
use super::no_value::rendered_without_no_value;
use super::texts::TextFile;
use super::{AfterFailure, Notes, Options, RenderError, Rendering, Texts, functions, is_partial, methods};
use crate::Seeded;
use crate::chart::Chart;
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
}

impl<'a> Job<'a> {
    /// Runs all templates that are no partials.
    pub(super) fn run(self) -> Rendering {
        let files: Vec<&TextFile> = self.texts.files.iter().filter(|file| !is_partial(&file.path)).collect();
        let ran = match self.threads() {
            0 | 1 => Runner::new(self).map(|runner| (runner, Vec::new())),
            threads => self.run_side_by_side(&files, threads),
        };
        match ran {
            Ok((runner, first)) => runner.finish(&files, first),
            Err(failure) => Rendering::failed(failure),
        }
    }

    fn threads(self) -> usize {
        let bytes: usize = self.texts.files.iter().map(|file| file.len()).sum();
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
        files: &[&TextFile],
        threads: usize,
    ) -> Result<(Runner<'a>, Vec<Ran>), RenderError> {
        let share = Share { files, next: AtomicUsize::new(0), end: AtomicUsize::new(files.len()) };
        let (mut runner, mut ran) = std::thread::scope(|scope| {
            let work = || {
                Runner::new(self).map(|runner| share.run(&mut runner.with_share(threads))).unwrap_or_default()
            };
            let spawn = |_| super::large_stack().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads).map_while(spawn).collect();
            let mut runner = Runner::new(self)?.with_share(threads);
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
            runner = Runner::new(self)?;
        }
        Ok((runner, ran))
    }
}

/// The templates that several threads take from, each the next one.
struct Share<'a> {
    files: &'a [&'a TextFile],
    next: AtomicUsize,
    /// Nothing from here on is wanted.
    end: AtomicUsize,
}

impl Share<'_> {
    fn run(&self, runner: &mut Runner<'_>) -> Vec<(usize, Ran)> {
        let mut all = Vec::new();
        let mut seen = 0;
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let file = match self.files.get(index) {
                Some(file) if index < self.end.load(Ordering::Relaxed) => file,
                _ => return all,
            };
            self.files.get(seen..index).unwrap_or_default().iter().for_each(|file| runner.pass(file));
            seen = index + 1;
            let ran = runner.run(file);
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
}

impl Ran {
    fn written(&self) -> u64 {
        self.result.as_ref().map_or(0, |file| file.text.len() as u64)
    }
}

/// One thread's way through the templates.
struct Runner<'a> {
    job: Job<'a>,
    templates: Templates,
    dots: Vec<Dot>,
    watch: Watch,
    has_written: bool,
    host: functions::Host,
    limits: Limits,
    branches: Branches,
}

impl<'a> Runner<'a> {
    fn new(job: Job<'a>) -> Result<Self, RenderError> {
        let watch = Watch::default();
        Ok(Runner {
            templates: job.texts.templates()?,
            dots: dots::of(job.chart, job.values, job.options, &watch),
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

    /// A template that is run elsewhere: the dot of its chart says which one was the last.
    fn pass(&self, file: &TextFile) {
        if let Some(dot) = self.dots.get(file.number) {
            dot.of(&file.path, self.job.options.compat);
        }
    }

    fn run(&mut self, file: &TextFile) -> Ran {
        let options = self.job.options;
        let Some(dot) = self.dots.get(file.number).map(|dot| dot.of(&file.path, options.compat)) else {
            let result = Err(RenderError::text("a template without a chart"));
            return Ran { result, log: Vec::new(), steps: 0, wrote: false, is_limit: false, is_over: false };
        };
        self.watch.take();
        let dice = options.environment.seed().map(|seed| Seeded::for_text(seed, file.path.as_bytes()));
        let of_template = dice.as_ref().map(|dice| OfTemplate { dice, around: options.environment });
        let environment: &dyn Environment = match &of_template {
            Some(of_template) => of_template,
            None => options.environment,
        };
        let spent = Cell::default();
        let run = trueline_gotemplate::Options {
            missing_key: MissingKey::Zero,
            origins: options.origins,
            limits: self.limits,
            map_methods: methods::of,
            branches: (self.job.notes == Notes::Branches).then_some(&self.branches),
            spent: Some(&spent),
            ..trueline_gotemplate::Options::new(environment, &self.host)
        };
        let executed = self.templates.execute(&file.path, &dot, &run);
        let wrote = self.watch.take();
        self.has_written |= wrote;
        let log = self.host.log.take();
        let (steps, left) = (spent.get(), self.limits.steps);
        // One share of work and of output for the whole chart, however many templates it has.
        self.limits.steps = left.saturating_sub(steps);
        match executed {
            Ok(rendered) => {
                self.limits.output = self.limits.output.saturating_sub(rendered.text.len() as u64);
                let result = Ok(rendered_file(&file.path, rendered));
                Ran { result, log, steps, wrote, is_limit: false, is_over: false }
            }
            Err(error) => {
                let mut failure = RenderError::execution(&error, options.compat);
                let whole = file.source.map(|source| source.span(0, 0));
                failure.diagnostics.extend(whole.map(|whole| error.to_diagnostic(whole)));
                let is_limit = error.is_limit();
                Ran { result: Err(failure), log, steps, wrote, is_limit, is_over: is_limit && steps >= left }
            }
        }
    }

    /// Whether no template is run after this one. One that used up its share would do so again.
    fn ends_with(&self, ran: &Ran) -> bool {
        ran.result.is_err() && (self.job.after == AfterFailure::Stop || ran.is_limit)
    }

    /// Runs the templates that are left after the first ones, and puts everything together.
    fn finish(mut self, files: &[&TextFile], first: Vec<Ran>) -> Rendering {
        let mut rendering = Rendering::default();
        if first.len() < files.len() {
            files.iter().take(first.len()).for_each(|file| self.pass(file));
        }
        // What this runner has run itself is among the first.
        self.limits = self.job.options.limits;
        for ran in &first {
            self.limits.steps = self.limits.steps.saturating_sub(ran.steps);
            self.limits.output = self.limits.output.saturating_sub(ran.written());
        }
        let mut first = first.into_iter();
        for file in files {
            let ran = match first.next() {
                Some(ran) => ran,
                None => self.run(file),
            };
            let is_last = self.ends_with(&ran);
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
        rendering
    }
}

fn rendered_file(path: &Arc<str>, rendered: Rendered) -> RenderedFile {
    let rendered = rendered_without_no_value(rendered);
    let origins = rendered.origin_map();
    RenderedFile { path: Arc::clone(path), origins, text: Arc::clone(rendered.text.shared()) }
}
