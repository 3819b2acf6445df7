//! Which values templates read, found without running them, and what follows: values that nothing reads, values that
//! are read and not there, names that are misspelt.
//!
//! All paths start at the root chart: the values of a subchart are under its name.

mod abstraction;
mod again;
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

use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_source::Cancel;
use trueline_yaml::Value;

use abstraction::{Abstract, Atom};
use again::Asked;
pub use again::Earlier;
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
    paths: Arc<Paths>,
    reads: Arc<Vec<Read>>,
    unknown_fields: Arc<Vec<UnknownField>>,
    /// The chart with every subchart.
    chart: Chart,
    /// The way to the values of each subchart.
    charts: Arc<Vec<Vec<Step>>>,
    /// The values that templates see with all subcharts taking part.
    values: Value,
}

impl Usage {
    /// Looks through the templates of a chart as it was loaded, before its dependencies were worked out. `texts` are
    /// what was read of them before, `user` the values of files and flags.
    ///
    /// Nothing if a template cannot be read, or if there is too much to look through.
    pub fn of(chart: &Chart, texts: &Texts, user: &Value, compat: Compat) -> Option<Usage> {
        Usage::of_again(chart, texts, user, compat, (None, None))?.0
    }

    /// The same where it was done before: what was found in templates holds as long as nothing that was asked for it has
    /// changed. Gives what there is to know for the next time as well. Nothing comes of it once nobody wants to know.
    pub fn of_again(
        chart: &Chart,
        texts: &Texts,
        user: &Value,
        compat: Compat,
        (earlier, cancel): (Option<&Earlier>, Option<&Cancel>),
    ) -> Option<(Option<Usage>, Earlier)> {
        let chart = scopes::everything_enabled(chart)?;
        let imported = imported::processed(&chart, compat);
        let values =
            values::coalesce(imported.as_ref().unwrap_or(&chart), user, compat, &mut Vec::new()).ok()?;
        let texts = Arc::new(texts.read_for(&chart));
        let now = match earlier.and_then(|earlier| earlier.renewed(&chart, &texts, &values)) {
            Some(found) => found,
            None => {
                let found = engine::on_large_stack(|| look_through(&chart, &texts, &values, cancel)).ok()?;
                let (found, asked) =
                    found.map_or((None, Asked::default()), |(found, asked)| (Some(found), asked));
                Earlier::new(chart.clone(), texts, found, asked)
            }
        };
        let usage = now.found().cloned().map(|found| {
            let TemplateReads { paths, reads, unknown_fields, charts } = found;
            Usage { paths, reads, unknown_fields, charts, chart, values }
        });
        Some((usage, now))
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

/// What was found in templates.
#[derive(Debug, Clone)]
struct TemplateReads {
    paths: Arc<Paths>,
    reads: Arc<Vec<Read>>,
    unknown_fields: Arc<Vec<UnknownField>>,
    charts: Arc<Vec<Vec<Step>>>,
}

fn look_through(
    chart: &Chart,
    texts: &Texts,
    values: &Value,
    cancel: Option<&Cancel>,
) -> Option<(TemplateReads, Asked)> {
    let mut paths = Paths::new();
    let scopes = Scopes::new(chart, &mut paths);
    let templates = texts.templates().ok()?;
    let mut run = Interpreter::new(&templates, &scopes, values, paths, cancel);
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
            let (reads, unknown_fields) = run.summaries.found(&files);
            let charts: Vec<Vec<Step>> =
                scopes.list.iter().skip(1).map(|scope| run.paths.steps(scope.path)).collect();
            let asked = run.asked();
            let found = TemplateReads {
                paths: run.paths.into(),
                reads: reads.into(),
                unknown_fields: unknown_fields.into(),
                charts: charts.into(),
            };
            return Some((found, asked));
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
