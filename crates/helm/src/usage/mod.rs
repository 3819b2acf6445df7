//! Which values templates read, found without running them, and what follows: values that nothing reads, values that
//! are read and not there, names that are misspelt.
//!
//! Everything is told in the terms of the root chart: the values of a subchart stand under its name.

mod abstraction;
mod builtin;
mod calls;
mod codes;
mod coverage;
mod evaluate;
mod fragments;
mod functions;
mod imported;
mod interpreter;
mod masked;
mod namespace;
mod paths;
mod schema_names;
mod scopes;
mod shadowed;
mod story;
#[cfg(test)]
mod tests;
mod truth;
mod undefined;
mod unused;
mod words;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_diagnostic::Diagnostic;
use trueline_yaml::Value;

use abstraction::{Abstract, Atom};
use builtin::UnknownField;
pub use codes::*;
pub use coverage::{Coverage, coverage};
use interpreter::{Interpreter, Read, TooMuch};
pub use namespace::fixed_namespaces;
use paths::{Paths, Step};
use scopes::Scopes;
pub use story::{Reach, Setting, Story, ValueRead, keys_of_path};

use crate::chart::{Chart, Compat};
use crate::engine::{self, Texts};
use crate::values;

/// How often all templates are run, until nothing new shows.
const PASSES: usize = 5;

/// What the templates of a chart and of its subcharts read.
#[derive(Debug)]
pub struct Usage {
    paths: Paths,
    reads: Vec<Read>,
    unknown_fields: Vec<UnknownField>,
    /// The chart with every subchart.
    chart: Chart,
    /// The way to the values of each subchart.
    charts: Vec<Vec<Step>>,
    /// The values that templates see with all subcharts taking part.
    values: Value,
}

impl Usage {
    /// Looks through the templates of a chart as it was loaded, before its dependencies were worked out. `texts` are
    /// what was read of them before, `user` the values of files and flags.
    ///
    /// Nothing if a template cannot be read, or if there is too much to look through.
    pub fn of(chart: &Chart, texts: &Texts, user: &Value, compat: Compat) -> Option<Usage> {
        let chart = scopes::everything_enabled(chart)?;
        let imported = imported::processed(&chart, compat);
        let values =
            values::coalesce(imported.as_ref().unwrap_or(&chart), user, compat, &mut Vec::new()).ok()?;
        let texts = texts.read_for(&chart);
        let found = engine::on_large_stack(|| look_through(&chart, &texts, &values)).ok()??;
        let Found { paths, reads, unknown_fields, charts } = found;
        Some(Usage { paths, reads, unknown_fields, charts, chart, values })
    }

    /// All findings: first those about what `user` gave.
    pub fn findings(&self, user: &Value) -> Vec<Diagnostic> {
        let mut findings = self.unused_given(user);
        findings.extend(self.unused_defaults());
        findings.extend(self.undefined());
        findings.extend(self.unknown_fields());
        findings.extend(self.shadowed(user));
        findings
    }
}

struct Found {
    paths: Paths,
    reads: Vec<Read>,
    unknown_fields: Vec<UnknownField>,
    charts: Vec<Vec<Step>>,
}

fn look_through(chart: &Chart, texts: &Texts, values: &Value) -> Option<Found> {
    let mut paths = Paths::new();
    let scopes = Scopes::new(chart, &mut paths);
    let templates = texts.templates().ok()?;
    let mut run = Interpreter::new(&templates, &scopes, values, paths);
    for _ in 0..PASSES {
        run.is_changed = false;
        run.are_literals_run = false;
        run.known.clear();
        run.reads = FxHashSet::default();
        run.unknown_fields = FxHashSet::default();
        all_files(&mut run, &scopes, texts).ok()?;
        if !run.is_changed {
            let mut reads: Vec<Read> = run.reads.into_iter().collect();
            reads.sort_by_key(|read| (read.span.source, read.span.start, read.span.end, read.path));
            let charts = scopes.list.iter().skip(1).map(|scope| run.paths.steps(scope.path)).collect();
            let mut unknown_fields: Vec<UnknownField> = run.unknown_fields.into_iter().collect();
            unknown_fields.sort_by_key(|field| (field.span, field.is_asked));
            // What is asked for in one place of a helper may be used in another.
            unknown_fields.dedup_by_key(|field| field.span);
            return Some(Found { paths: run.paths, reads, unknown_fields, charts });
        }
    }
    None
}

fn all_files(run: &mut Interpreter<'_>, scopes: &Scopes, texts: &Texts) -> Result<(), TooMuch> {
    for (name, chart, _) in texts.iter().filter(|(name, ..)| !engine::is_partial(name)) {
        let Some(scope) = scopes.by_prefix.get(chart) else { continue };
        run.include(&Arc::from(name.as_bytes()), &Abstract::from(Atom::Root(*scope)))?;
    }
    Ok(())
}
