//! Which values templates read, found without running them, and what follows: values that nothing reads, values that
//! are read and not there, names that are misspelt.
//!
//! All paths start at the root chart: the values of a subchart are under its name.

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
mod looked;
mod masked;
mod namespace;
mod paths;
mod puts;
mod schema_names;
mod scopes;
mod shadowed;
mod story;
mod summary;
#[cfg(test)]
mod tests;
mod truth;
mod undefined;
mod unused;
mod words;

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
        let TemplateReads { paths, reads, unknown_fields, charts } = found;
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

struct TemplateReads {
    paths: Paths,
    reads: Vec<Read>,
    unknown_fields: Vec<UnknownField>,
    charts: Vec<Vec<Step>>,
}

fn look_through(chart: &Chart, texts: &Texts, values: &Value) -> Option<TemplateReads> {
    let mut paths = Paths::new();
    let scopes = Scopes::new(chart, &mut paths);
    let templates = texts.templates().ok()?;
    let mut run = Interpreter::new(&templates, &scopes, values, paths);
    // Any of them may be what a `tpl` runs: known from the beginning, nothing has to be run again because of one.
    for (.., text) in texts.iter() {
        let constants = text.trees().first().into_iter().flat_map(|tree| tree.nodes.constants());
        constants
            .filter_map(|constant| std::str::from_utf8(constant).ok())
            .for_each(|text| run.literal(text));
    }
    for _ in 0..PASSES {
        let files = all_files(&mut run, &scopes, texts).ok()?;
        if !run.summaries.forget_stale(&files, &run.puts, &run.paths) {
            let (mut reads, mut unknown_fields) = run.summaries.found(&files);
            reads.sort_by_key(|read| (read.span.source, read.span.start, read.span.end, read.path));
            let charts = scopes.list.iter().skip(1).map(|scope| run.paths.steps(scope.path)).collect();
            unknown_fields.sort_by_key(|field| (field.span, field.is_asked));
            // What is asked for in one place of a helper may be used in another.
            unknown_fields.dedup_by_key(|field| field.span);
            return Some(TemplateReads { paths: run.paths, reads, unknown_fields, charts });
        }
    }
    None
}

/// Runs all files, and gives the keys of their summaries.
fn all_files(run: &mut Interpreter<'_>, scopes: &Scopes, texts: &Texts) -> Result<Vec<u64>, TooMuch> {
    for (name, chart, _) in texts.iter().filter(|(name, ..)| !engine::is_partial(name)) {
        let Some(scope) = scopes.by_prefix.get(chart) else { continue };
        run.include(name.as_bytes(), &Abstract::from(Atom::Root(*scope)))?;
    }
    Ok(run.summaries.take_roots())
}
