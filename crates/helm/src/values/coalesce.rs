//! A chart's own values under those of its user, and both down into its subcharts.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Level as FindingLevel};
use trueline_gotemplate::fmt::quote;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Map, Value};

use super::print::{go_truth, go_value};
use super::table::{EntryKind, Node, Table};
use super::{SUBCHART_VALUES_NOT_MAP, ValueError, depth};
use crate::chart::{Chart, Compat};
use crate::log::{Level, LogLine};

/// The final values of a chart: the user's over its own, down through its subcharts. A subchart's values
/// stand under its name.
pub fn coalesce(
    chart: &Chart,
    user: &Value,
    compat: Compat,
    log: &mut Vec<LogLine>,
) -> Result<Value, ValueError> {
    let values = Table::of(user);
    Coalescer::new(compat, Nulls::Remove, log).run(chart, &values)?;
    let values = values.freeze();
    depth::check(&values)?;
    Ok(values)
}

/// What coalescing needs to know of a chart.
pub(crate) trait ChartView: Copy {
    fn name(&self) -> &str;
    fn values(&self) -> &Value;
    fn dependencies(&self) -> Vec<Self>;
}

impl ChartView for &Chart {
    fn name(&self) -> &str {
        &self.metadata.name
    }

    fn values(&self) -> &Value {
        &self.values
    }

    fn dependencies(&self) -> Vec<Self> {
        self.dependencies.iter().collect()
    }
}

/// What a null does to the key that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// It removes the key and what a lower place says about it.
    Remove,
    /// It stays, to remove something later.
    Keep,
}

/// The names that lead to a table, for messages.
#[derive(Clone, Default)]
struct Path(Option<Rc<Step>>);

struct Step {
    above: Path,
    name: Arc<str>,
}

impl Path {
    fn below(&self, name: &Arc<str>) -> Path {
        Path(Some(Rc::new(Step { above: self.clone(), name: Arc::clone(name) })))
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let steps = std::iter::successors(self.0.as_deref(), |step| step.above.0.as_deref());
        let mut names: Vec<&str> = steps.map(|step| &*step.name).collect();
        names.reverse();
        formatter.write_str(&names.join("."))
    }
}

/// The lower of two tables that are merged.
#[derive(Clone)]
pub(crate) enum Source {
    /// One that nothing else looks at.
    Frozen(Arc<Map>),
    /// One that stays in use.
    Live(Rc<Table>),
}

/// Two tables that are to be merged.
struct Pair {
    upper: Rc<Table>,
    lower: Source,
    path: Path,
}

/// How many levels imports may add to maps that are shared: each import may go into what an earlier one
/// has put there, so that a short list of them could nest maps without a bound.
pub(crate) const SHARED_LEVELS: usize = 250;

/// Merges tables, and collects what Helm says about it.
pub(crate) struct Coalescer<'l> {
    compat: Compat,
    nulls: Nulls,
    log: &'l mut Vec<LogLine>,
    /// How many levels may still be put into maps that something else looks at too; nothing where maps
    /// are merged at the same place only, which nests nothing.
    levels: Option<usize>,
    fault: Option<ImportFault>,
}

/// Why imported tables cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportFault {
    /// A table would stand inside itself.
    Circle,
    /// Tables stand inside each other, one after the other.
    TooDeep,
}

impl<'l> Coalescer<'l> {
    pub(crate) fn new(compat: Compat, nulls: Nulls, log: &'l mut Vec<LogLine>) -> Self {
        Coalescer { compat, nulls, log, levels: None, fault: None }
    }

    /// For tables that are imported from one place to another.
    pub(crate) fn importing(compat: Compat, levels: usize, log: &'l mut Vec<LogLine>) -> Self {
        Coalescer { levels: Some(levels), ..Coalescer::new(compat, Nulls::Keep, log) }
    }

    /// How many levels may still be added.
    pub(crate) fn levels_left(&self) -> usize {
        self.levels.unwrap_or(SHARED_LEVELS)
    }

    /// Puts the values of a chart and of all its subcharts under those that are there.
    pub(crate) fn run<C: ChartView>(&mut self, chart: C, values: &Rc<Table>) -> Result<(), ValueError> {
        self.chart(chart, values, &Path::default())
    }

    fn chart<C: ChartView>(&mut self, chart: C, values: &Rc<Table>, prefix: &Path) -> Result<(), ValueError> {
        let path = prefix.below(&chart.name().into());
        let subcharts = chart.dependencies();
        self.defaults(chart, &subcharts, values, &path);
        for subchart in subcharts {
            let name: Arc<str> = subchart.name().into();
            let own = match values.node(&name) {
                Some(Node::Table(own)) => own,
                Some(Node::Value(found)) => return Err(mismatch(&name, &found, chart.values())),
                None => {
                    let own = Table::new(Arc::default(), subchart.values().origin);
                    values.insert(&name, None, Node::Table(Rc::clone(&own)));
                    own
                }
            };
            self.globals(&own, values, &path);
            self.chart(subchart, &own, &path)?;
        }
        Ok(())
    }

    /// Puts the chart's own values under those that are there.
    fn defaults<C: ChartView>(&mut self, chart: C, subcharts: &[C], values: &Rc<Table>, path: &Path) {
        let Data::Map(defaults) = &chart.values().data else { return };
        let names: FxHashSet<&str> = subcharts.iter().map(|subchart| subchart.name()).collect();
        let cleans = self.compat == Compat::Helm4 && self.nulls == Nulls::Remove;
        for (key, entry) in defaults.iter() {
            match (values.kind(key), &entry.value.data) {
                (EntryKind::Missing, Data::Null) if cleans => {}
                (EntryKind::Missing, _) => {
                    let value = if cleans { without_nulls(&entry.value) } else { entry.value.clone() };
                    values.insert(key, entry.key_origin, Node::Value(value));
                }
                (EntryKind::Null, _) if self.nulls == Nulls::Remove => values.remove(key),
                (EntryKind::Table, Data::Map(lower)) => {
                    let Some(upper) = values.table(key) else { continue };
                    let nulls = if names.contains(&**key) { Nulls::Keep } else { self.nulls };
                    let lower = match (nulls, self.compat) {
                        (Nulls::Remove, Compat::Helm4) => {
                            map_without_nulls(lower).unwrap_or_else(|| Arc::clone(lower))
                        }
                        _ => Arc::clone(lower),
                    };
                    self.merge(&upper, &Source::Frozen(lower), &path.below(key), nulls);
                }
                (EntryKind::Table, Data::Null) => {}
                (EntryKind::Table, _) => {
                    self.say(
                        "coalesce.go:237",
                        format!("warning: skipped value for {path}.{key}: Not a table."),
                    );
                }
                (EntryKind::Null | EntryKind::Other, _) => {}
            }
        }
    }

    /// Merges the globals of a chart over those of its subchart.
    fn globals(&mut self, values: &Rc<Table>, above: &Rc<Table>, path: &Path) {
        const GLOBAL: &str = "global";
        let own = match values.node(GLOBAL) {
            Some(Node::Table(own)) => own,
            Some(Node::Value(_)) => return self.skip_globals("coalesce.go:138", "destination"),
            None => Table::new(Arc::default(), values.origin()),
        };
        match above.node(GLOBAL) {
            Some(Node::Table(above)) => {
                for (key, entry) in above.entries().iter() {
                    self.global(&own, &above, key, entry.key_origin, path);
                }
            }
            Some(Node::Value(_)) => return self.skip_globals("coalesce.go:145", "source"),
            None => {}
        }
        values.insert(&GLOBAL.into(), None, Node::Table(own));
    }

    fn skip_globals(&mut self, place: &'static str, side: &str) {
        self.say(place, format!("warning: skipping globals because {side} global is not a table."));
    }

    fn global(
        &mut self,
        own: &Rc<Table>,
        above: &Rc<Table>,
        key: &Arc<str>,
        key_origin: Option<Span>,
        path: &Path,
    ) {
        match (above.node(key), own.kind(key)) {
            (None, _) => {}
            (Some(Node::Table(table)), EntryKind::Missing) => {
                own.insert(key, key_origin, Node::Table(table.shallow_copy()));
            }
            (Some(Node::Table(table)), EntryKind::Table) => {
                let Some(lower) = own.table(key) else { return };
                let copy = table.shallow_copy();
                // A null stays for the coalescing that follows.
                self.merge(&copy, &Source::Live(lower), &path.below(key), Nulls::Keep);
                own.insert(key, key_origin, Node::Table(copy));
            }
            (Some(Node::Table(_)), EntryKind::Null | EntryKind::Other) => {
                let words =
                    format!("Conflict: cannot merge map onto non-map for {}. Skipping.", quote(&**key));
                self.say("coalesce.go:161", words);
            }
            (Some(Node::Value(_)), EntryKind::Table) => {
                self.say("coalesce.go:175", format!("key {key} is table. Skipping"));
            }
            (Some(value), _) => own.insert(key, key_origin, value),
        }
    }

    /// Merges the lower table under the upper one, outside of any chart.
    pub(crate) fn merge_tables(&mut self, upper: &Rc<Table>, lower: &Source) {
        self.merge(upper, lower, &Path::default(), self.nulls);
    }

    fn merge(&mut self, upper: &Rc<Table>, lower: &Source, path: &Path, nulls: Nulls) {
        // Tables below wait here: how deep they are nested must not be the stack's matter.
        let mut waiting = vec![Pair { upper: Rc::clone(upper), lower: lower.clone(), path: path.clone() }];
        while let Some(pair) = waiting.pop() {
            self.merge_one(&pair, nulls, &mut waiting);
        }
    }

    fn merge_one(&mut self, pair: &Pair, nulls: Nulls, waiting: &mut Vec<Pair>) {
        let Pair { upper, lower, path } = pair;
        let entries = match lower {
            // Maps that are the same already agree about everything.
            Source::Frozen(map) if upper.is_still(map) => return,
            Source::Live(table) if Rc::ptr_eq(table, upper) => return,
            Source::Frozen(map) => Arc::clone(map),
            Source::Live(table) => {
                let entries = table.entries();
                pass_nulls(upper, table);
                entries
            }
        };
        for (key, entry) in entries.iter() {
            let below = match lower {
                Source::Frozen(_) => Node::Value(entry.value.clone()),
                Source::Live(table) => table.node(key).unwrap_or_else(|| Node::Value(entry.value.clone())),
            };
            match upper.kind(key) {
                EntryKind::Null => {
                    if nulls == Nulls::Remove && !matches!(entry.value.data, Data::Null) {
                        upper.remove(key);
                    }
                }
                EntryKind::Missing => self.add(upper, key, entry.key_origin, below),
                EntryKind::Table => match table_of(&below) {
                    Some(lower) => {
                        let Some(upper) = upper.table(key) else { continue };
                        waiting.push(Pair { upper, lower, path: path.below(key) });
                    }
                    None => self.ignored(&path.below(key), &below),
                },
                EntryKind::Other => {
                    if table_of(&below).is_some() {
                        self.kept(&path.below(key), &below);
                    }
                }
            }
        }
    }

    fn kept(&mut self, path: &Path, value: &Node) {
        let value = go_value(&frozen(value));
        self.say(
            "coalesce.go:316",
            format!("warning: cannot overwrite table with non table for {path} ({value})"),
        );
    }

    fn ignored(&mut self, path: &Path, value: &Node) {
        let Node::Value(value) = value else { return };
        if !matches!(value.data, Data::Null) {
            let words = format!(
                "warning: destination for {path} is a table. Ignoring non-table value ({})",
                go_value(value)
            );
            self.say("coalesce.go:319", words);
        }
    }

    /// Adds a key. A map that is put into itself would have no end, and is left out.
    fn add(&mut self, upper: &Rc<Table>, key: &Arc<str>, key_origin: Option<Span>, node: Node) {
        if let Some(levels) = &mut self.levels
            && let Node::Table(table) = &node
            && upper.is_shared()
        {
            let survey = table.survey(upper);
            if survey.finds {
                self.fault = Some(ImportFault::Circle);
                return;
            }
            let Some(left) = levels.checked_sub(survey.depth) else {
                self.fault = self.fault.or(Some(ImportFault::TooDeep));
                return;
            };
            *levels = left;
        }
        upper.insert(key, key_origin, node);
    }

    /// What went wrong in the merges so far.
    pub(crate) fn fault(&self) -> Option<ImportFault> {
        self.fault
    }

    fn say(&mut self, place: &'static str, words: String) {
        self.log.push(LogLine::new(Level::Info, words.clone()).in_helm3(place, words));
    }
}

/// A null of the upper table takes the place of what the lower one has, also for those who share it.
fn pass_nulls(upper: &Rc<Table>, lower: &Rc<Table>) {
    for (key, entry) in upper.entries().iter() {
        if upper.kind(key) == EntryKind::Null {
            lower.insert(key, entry.key_origin, Node::Value(entry.value.clone()));
        }
    }
}

fn table_of(node: &Node) -> Option<Source> {
    match node {
        Node::Table(table) => Some(Source::Live(Rc::clone(table))),
        Node::Value(Value { data: Data::Map(map), .. }) => Some(Source::Frozen(Arc::clone(map))),
        Node::Value(_) => None,
    }
}

fn frozen(node: &Node) -> Value {
    match node {
        Node::Table(table) => table.freeze(),
        Node::Value(value) => value.clone(),
    }
}

/// The same value without the nulls in its maps; those in lists stay.
fn without_nulls(value: &Value) -> Value {
    match &value.data {
        Data::Map(map) => match map_without_nulls(map) {
            Some(map) => Value { data: Data::Map(map), origin: value.origin },
            None => value.clone(),
        },
        _ => value.clone(),
    }
}

/// The same map without its nulls; nothing where there are none.
fn map_without_nulls(map: &Arc<Map>) -> Option<Arc<Map>> {
    let mut changed: Option<Map> = None;
    for (key, entry) in map.iter() {
        match &entry.value.data {
            Data::Null => {
                changed.get_or_insert_with(|| (**map).clone()).swap_remove(key);
            }
            Data::Map(below) => {
                if let Some(below) = map_without_nulls(below)
                    && let Some(entry) = changed.get_or_insert_with(|| (**map).clone()).get_mut(key)
                {
                    entry.value.data = Data::Map(below);
                }
            }
            _ => {}
        }
    }
    changed.map(Arc::new)
}

/// The values of a subchart are no map.
fn mismatch(name: &str, found: &Value, chart: &Value) -> ValueError {
    let text = format!("type mismatch on {name}: {}", go_truth(found));
    let span = found.origin.or(chart.origin).unwrap_or_else(|| Span::whole(SourceId::from_index(0)));
    let message = format!("`{name}` is the name of a subchart, and its values must be a map");
    let diagnostic = Diagnostic::new(&SUBCHART_VALUES_NOT_MAP, span, message)
        .help("to leave the subchart out, set the condition of its dependency to `false`")
        .level(FindingLevel::Semantic);
    ValueError::new(text, vec![diagnostic])
}
