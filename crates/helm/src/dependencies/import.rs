//! `import-values`: tables of subcharts that become defaults of their parent.

use std::rc::Rc;
use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level as FindingLevel};
use trueline_gotemplate::fmt::quote;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Value};

use super::arena::{Arena, ChartId, DependencyId};
use crate::chart::Compat;
use crate::log::{Level, LogLine};
use crate::values::{
    Coalescer, DEPTH, IMPORT_INTO_ITSELF, ImportFault, Node, Nulls, SHARED_LEVELS, Source, TOO_MANY_IMPORTED,
    Table, ValueError, exceeds, go_value, too_deep,
};

/// What is imported, and where to.
pub(crate) struct Import {
    /// The names that lead to the table in the subchart.
    pub(crate) child: String,
    /// The names that lead to its place in the parent; a dot is the top.
    pub(crate) parent: String,
    form: Form,
}

impl Import {
    /// What an entry of `import-values` says; nothing if it is neither a name nor a map.
    pub(crate) fn read(written: &Value) -> Option<Self> {
        match &written.data {
            Data::String(name) => {
                Some(Import { child: format!("exports.{name}"), parent: ".".to_owned(), form: Form::Name })
            }
            Data::Map(_) => {
                let field = |name| written.get(name).map_or_else(|| "<nil>".to_owned(), go_value);
                Some(Import { child: field("child"), parent: field("parent"), form: Form::Map })
            }
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Only a name, which stands for `exports.<name>`.
    Name,
    /// A map of `child` and `parent`.
    Map,
}

impl Arena {
    /// Imports into the subcharts of a chart, and then into the chart. From then on the values of a chart
    /// hold those of its subcharts too.
    pub(super) fn import(
        &mut self,
        chart: ChartId,
        compat: Compat,
        log: &mut Vec<LogLine>,
    ) -> Result<(), ValueError> {
        for subchart in self.subcharts(chart).to_vec() {
            self.import(subchart, compat, log)?;
        }
        let listed = self.description(chart).dependencies.clone();
        if listed.is_empty() {
            return Ok(());
        }
        let origin = self.node(chart).values().origin;
        let values = Table::new(Arc::default(), origin);
        Coalescer::new(compat, Nulls::Keep, log).run(self.view(chart), &values)?;
        let imported = Table::own(origin);
        let mut levels = SHARED_LEVELS;
        for entry in listed {
            for import in self.imports(entry) {
                let name = self.entry(entry).dependency.name.clone();
                let found = match table(&values, &format!("{name}.{}", import.child)) {
                    Ok(found) => found,
                    Err(missing) => {
                        log.push(missing_table(&import, &name, &missing));
                        continue;
                    }
                };
                // Each import is merged into what was imported before it, and one table may be imported many times.
                if !found.count(&mut self.imports_left, DEPTH) {
                    return Err(too_many(origin));
                }
                let placed = place(found, &import, origin)?;
                let mut coalescer = Coalescer::importing(compat, levels, log);
                coalescer.merge_tables(&imported, &Source::Live(placed));
                levels = coalescer.levels_left();
                if let Some(fault) = coalescer.fault() {
                    return Err(refuse(fault, origin));
                }
            }
        }
        // What was imported lies under the chart's own values.
        let merged = Table::of(&values.freeze());
        Coalescer::new(compat, Nulls::Keep, log).merge_tables(&merged, &Source::Live(imported));
        let merged = merged.freeze();
        if exceeds(&merged, DEPTH) {
            return Err(too_deep(origin));
        }
        self.node_mut(chart).set_values(merged);
        Ok(())
    }

    /// What an entry imports. The entry is left as Helm leaves it: with the imports spelt out, which Helm
    /// does not recognise if the entry is shared and comes up again.
    fn imports(&mut self, entry: DependencyId) -> Vec<Import> {
        let entry = self.entry_mut(entry);
        let written = std::mem::take(&mut entry.dependency.import_values);
        if entry.is_imported {
            return Vec::new();
        }
        entry.is_imported = true;
        let imports: Vec<Import> = written.iter().filter_map(Import::read).collect();
        entry.dependency.import_values = imports
            .iter()
            .map(|import| {
                [("child", &import.child), ("parent", &import.parent)]
                    .into_iter()
                    .map(|(key, text)| (key, Value::from(text.as_str())))
                    .collect()
            })
            .collect();
        imports
    }
}

/// The table that a path of names leads to, or the name that is no table.
fn table(values: &Rc<Table>, path: &str) -> Result<Rc<Table>, String> {
    path.split('.')
        .try_fold(Rc::clone(values), |table, name| table.table(name).ok_or_else(|| name.to_owned()))
}

/// The table in maps that lead to its new place. An empty one is as good as a new one.
fn place(found: Rc<Table>, import: &Import, origin: Option<Span>) -> Result<Rc<Table>, ValueError> {
    let found = if found.is_empty() { Table::own(found.origin()) } else { found };
    if import.parent == "." || import.form == Form::Name {
        return Ok(found);
    }
    if import.parent.split('.').count() > SHARED_LEVELS {
        return Err(too_deep(origin));
    }
    Ok(import.parent.rsplit('.').fold(found, |below, name| {
        let above = Table::own(below.origin());
        above.insert(&name.into(), None, Node::Table(below));
        above
    }))
}

fn missing_table(import: &Import, chart: &str, name: &str) -> LogLine {
    let error = format!("{} is not a table", quote(name));
    match import.form {
        Form::Name => LogLine::new(Level::Warn, "ImportValues missing table")
            .with("error", &error)
            .in_helm3("dependencies.go:287", format!("Warning: ImportValues missing table: {error}")),
        Form::Map => LogLine::new(Level::Warn, "ImportValues missing table from chart")
            .with("chart", chart)
            .with("error", &error)
            .in_helm3(
                "dependencies.go:270",
                format!("Warning: ImportValues missing table from chart {chart}: {error}"),
            ),
    }
}

/// The most values that all `import-values` of a chart and its subcharts may import.
pub(super) const MOST_IMPORTED: usize = 1_000_000;

fn too_many(origin: Option<Span>) -> ValueError {
    let text = format!("`import-values` imports more than {MOST_IMPORTED} values");
    let span = origin.unwrap_or_else(|| Span::whole(SourceId::from_index(0)));
    let diagnostic = Diagnostic::new(&TOO_MANY_IMPORTED, span, text.clone())
        .help("import each table once, and only the part of it that the chart uses")
        .level(FindingLevel::Semantic);
    ValueError::new(text, vec![diagnostic])
}

fn refuse(fault: ImportFault, origin: Option<Span>) -> ValueError {
    match fault {
        ImportFault::TooDeep => too_deep(origin),
        ImportFault::Circle => {
            let span = origin.unwrap_or_else(|| Span::whole(SourceId::from_index(0)));
            let text = "import-values puts a table into itself";
            let diagnostic = Diagnostic::new(&IMPORT_INTO_ITSELF, span, text)
                .help("import the table once, or a part of it to the inner place")
                .level(FindingLevel::Semantic);
            ValueError::new(text, vec![diagnostic])
        }
    }
}
