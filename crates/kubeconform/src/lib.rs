//! The kubeconform family: takes kubeconform's flags and prints what kubeconform prints. Results come in the order of
//! the input, where kubeconform's come in that of its workers; the schemas of Kubernetes are embedded.

mod api;
mod budget;
mod discovery;
mod failure;
mod flags;
mod outcome;
mod output;
mod resource;
mod schemas;
mod signature;
mod surroundings;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use trueline_schema::with_at_most;
use trueline_source::{MAX_READ, System, read_typed};

use self::budget::Budget;
use self::discovery::{DiscoveredPath, Ignored};
use self::failure::Failure;
use self::flags::{Flags, Parsed};
use self::outcome::{Outcome, Status};
use self::output::Output;
use self::resource::Resource;
use self::schemas::Schemas;

pub use self::surroundings::Surroundings;

/// Which kubeconform is followed.
const FOLLOWED: &str = "v0.8.0";

/// Deep documents are read by functions that call themselves; the limits on depth are made for this much.
const STACK: usize = 64 << 20;

/// Files that are looked at together for each thread: what they hold is in memory at the same time.
const FILES_A_THREAD: usize = 64;

/// Resources that are validated side by side, before what they cost is added up.
const TOGETHER: usize = 256;

/// More threads than this are of no use to anybody.
const MAX_THREADS: usize = 256;

/// Runs the family on the words after `kubeconform`, and returns the exit code.
pub fn run(arguments: &[OsString], world: &mut dyn Surroundings) -> u8 {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let ended = match flags::parse(&arguments) {
        Parsed::Run(flags) => trueline_helm::engine::on_large_stack(|| conform(&flags, world))
            .unwrap_or_else(|wrong| Err(Failure::Stack(wrong.into()))),
        Parsed::Help(text) => print(world, &text).map(|()| Ending::Fine),
        Parsed::Version => print(world, &format!("{FOLLOWED}\n")).map(|()| Ending::Fine),
        Parsed::Wrong(text) => {
            world.complain(&text);
            return 1;
        }
    };
    match ended {
        Ok(Ending::Fine) => 0,
        Ok(Ending::Bad) => 1,
        Err(failure) => {
            world.complain(&failure.to_string());
            1
        }
    }
}

fn print(world: &mut dyn Surroundings, text: &str) -> Result<(), Failure> {
    world.print(text.as_bytes()).map_err(Failure::Output)
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Fine,
    Bad,
}

fn conform(flags: &Flags, world: &mut dyn Surroundings) -> Result<Ending, Failure> {
    let system = world.system();
    let is_stdin = flags.files.is_empty() || flags.files == ["-"];
    let mut output = output::new(flags, is_stdin, now(&*system))?;
    let mut schemas = Schemas::new(flags, world)?;
    let threads = usize::try_from(flags.workers).unwrap_or(1).clamp(1, MAX_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = pool.map_err(|_| Failure::Threads)?;
    let mut run = Run {
        flags,
        system: Arc::clone(&system),
        world,
        schemas: &mut schemas,
        output: &mut *output,
        ending: Ending::Fine,
        budget: Budget::new(),
    };
    if is_stdin {
        let bytes = system.standard_input(MAX_READ).map_err(Failure::Input)?;
        let resources = pool.install(|| resource::of_stream("stdin", &bytes, flags.strictness));
        run.judge(&pool, resources)?;
    } else {
        run.files(&pool)?;
    }
    let ending = run.ending;
    let last = output.finish(now(&*system));
    print(world, &last)?;
    Ok(ending)
}

struct Run<'r> {
    flags: &'r Flags,
    system: Arc<dyn System>,
    world: &'r mut dyn Surroundings,
    schemas: &'r mut Schemas,
    output: &'r mut dyn Output,
    ending: Ending,
    budget: Budget,
}

impl Run<'_> {
    fn files(&mut self, pool: &rayon::ThreadPool) -> Result<(), Failure> {
        let ignored = Ignored::new(&self.flags.ignored_names);
        let found = discovery::find(&self.flags.files, &ignored, &*self.system);
        for part in found.chunks(FILES_A_THREAD * pool.current_num_threads().max(1)) {
            let strictness = self.flags.strictness;
            let system = &*self.system;
            let resources = pool.install(|| {
                let read = part.par_iter().flat_map_iter(|found| match found {
                    DiscoveredPath::File(typed) => match read_typed(system, Path::new(typed), typed) {
                        Ok(bytes) => resource::of_file(typed, &bytes, strictness),
                        Err(error) => vec![Resource::unreadable(typed, error.to_string())],
                    },
                    DiscoveredPath::Trouble(typed, failure) => {
                        vec![Resource::unreadable(typed, failure.to_string())]
                    }
                });
                read.collect::<Vec<Resource>>()
            });
            self.judge(pool, resources)?;
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.flags.exit_on_error && self.ending == Ending::Bad
    }

    /// Validates resources against their schemas and prints what comes of it.
    fn judge(&mut self, pool: &rayon::ThreadPool, resources: Vec<Resource>) -> Result<(), Failure> {
        for resource in &resources {
            if let Some(signature) = outcome::wants_schema(resource, self.flags) {
                self.schemas.load(signature, &*self.world);
            }
        }
        for resources in resources.chunks(TOGETHER) {
            let mut text = String::new();
            for outcome in self.outcomes(pool, resources) {
                if matches!(outcome.status, Status::Error | Status::Invalid) {
                    self.ending = Ending::Bad;
                }
                self.output.add(&outcome, &mut text);
                if self.is_over() {
                    break;
                }
            }
            print(self.world, &text)?;
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// What becomes of resources. Which of them is the one too many depends on their order, and not on the threads.
    fn outcomes(&mut self, pool: &rayon::ThreadPool, resources: &[Resource]) -> Vec<Outcome> {
        let (flags, schemas) = (self.flags, &*self.schemas);
        let judged =
            |resource: &Resource, most| with_at_most(most, || outcome::of(resource.clone(), flags, schemas));
        let first_try = self.budget.first_try();
        let tried: Vec<(Outcome, u64)> =
            pool.install(|| resources.par_iter().map(|resource| judged(resource, first_try)).collect());
        let mut outcomes = Vec::with_capacity(resources.len());
        for ((mut outcome, mut steps), resource) in tried.into_iter().zip(resources) {
            if self.budget.is_spent() {
                outcomes.push(outcome::too_costly(resource));
                continue;
            }
            if steps >= first_try {
                (outcome, steps) = pool.install(|| judged(resource, self.budget.left()));
            }
            self.budget.pay(steps, resource.parts());
            outcomes.push(outcome);
        }
        outcomes
    }
}

/// Seconds since 1970, and nanoseconds.
fn now(system: &dyn System) -> (i64, u32) {
    let since = system.now();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}
