//! Charts as Helm holds them: by reference.
//!
//! Several aliases of one chart share parts of it, and which parts differs between Helm 3 and Helm 4. What
//! is changed in a shared part shows in all of them, so sharing is kept here instead of being guessed at.

use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::IgnoredSwitch;
use super::import::MOST_IMPORTED;
use crate::chart::{Chart, Compat, Dependency, Metadata};
use crate::values::ChartView;

/// More charts than this are refused.
pub(super) const MAX_CHARTS: usize = 5_000;

/// The values that all subcharts may have together, counting those of each alias. They are merged, and kept for each.
pub(super) const MOST_VALUES: usize = 1_000_000;

/// All charts of a tree with their parts.
pub(super) struct Arena {
    charts: Vec<Node>,
    metadata: Vec<Description>,
    dependencies: Vec<Entry>,
    /// What was found ignored on the way.
    pub(super) ignored: Vec<IgnoredSwitch>,
    /// How many values may still be imported.
    pub(super) imports_left: usize,
    /// How many values all charts have together.
    values: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ChartId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MetadataId(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DependencyId(usize);

/// A chart without what it refers to.
#[derive(Clone)]
pub(super) struct Node {
    /// Without metadata and dependencies.
    chart: Chart,
    /// How many values it has.
    weight: usize,
    metadata: MetadataId,
    subcharts: Vec<ChartId>,
    /// The chart that it was last made a subchart of.
    parent: Option<ChartId>,
}

/// Chart.yaml, its dependencies by reference.
#[derive(Clone)]
pub(super) struct Description {
    metadata: Metadata,
    pub(super) dependencies: Vec<DependencyId>,
    /// Whether there is a list of dependencies at all; it may be empty.
    pub(super) has_list: bool,
}

/// An entry of `dependencies`.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) dependency: Dependency,
    /// Whether its imports were worked out before, for another alias.
    pub(super) is_imported: bool,
}

impl Arena {
    /// Takes a chart apart.
    pub(super) fn new(chart: Chart) -> (Self, ChartId) {
        let mut arena = Arena {
            charts: Vec::new(),
            metadata: Vec::new(),
            dependencies: Vec::new(),
            ignored: Vec::new(),
            imports_left: MOST_IMPORTED,
            values: 0,
        };
        let root = arena.take(chart);
        (arena, root)
    }

    fn take(&mut self, mut chart: Chart) -> ChartId {
        let subcharts = std::mem::take(&mut chart.dependencies);
        let subcharts = subcharts.into_iter().map(|subchart| self.take(subchart)).collect();
        let mut metadata = std::mem::take(&mut chart.metadata);
        let listed = std::mem::take(&mut metadata.dependencies);
        let has_list = !listed.is_empty() || has_list(&metadata);
        let dependencies = listed
            .into_iter()
            .map(|dependency| self.add_dependency(Entry { dependency, is_imported: false }))
            .collect();
        let metadata = self.add_metadata(Description { metadata, dependencies, has_list });
        let weight = count_values(&chart.values);
        let id = self.add_chart(Node { chart, weight, metadata, subcharts: Vec::new(), parent: None });
        self.set_subcharts(id, subcharts);
        id
    }

    /// Puts a chart together again. Parts that are shared are copied.
    pub(super) fn into_chart(self, root: ChartId) -> Chart {
        self.build(root, None)
    }

    fn build(&self, id: ChartId, parent: Option<ChartId>) -> Chart {
        let node = self.node(id);
        let description = self.description(id);
        let dependencies =
            description.dependencies.iter().map(|&entry| self.entry(entry).dependency.clone()).collect();
        Chart {
            metadata: Metadata { dependencies, ..description.metadata.clone() },
            dependencies: node.subcharts.iter().map(|&subchart| self.build(subchart, Some(id))).collect(),
            path: (node.parent != parent).then(|| self.path(id).into()),
            ..node.chart.clone()
        }
    }

    /// The names of the charts that lead to a chart, by what each was last made a subchart of.
    fn path(&self, id: ChartId) -> String {
        let name = self.name(id);
        match self.node(id).parent {
            Some(parent) => format!("{}/charts/{name}", self.path(parent)),
            None => name.to_owned(),
        }
    }

    pub(super) fn subcharts(&self, id: ChartId) -> &[ChartId] {
        &self.node(id).subcharts
    }

    pub(super) fn set_subcharts(&mut self, id: ChartId, subcharts: Vec<ChartId>) {
        for &subchart in &subcharts {
            self.node_mut(subchart).parent = Some(id);
        }
        self.node_mut(id).subcharts = subcharts;
    }

    /// A chart under another name, or a second time. Helm 3 copies the chart and its description only, so
    /// that entries and subcharts are shared; Helm 4 copies those too, but not what they refer to.
    pub(super) fn copy(&mut self, id: ChartId, alias: &str, compat: Compat) -> ChartId {
        let mut node = self.node(id).clone();
        let mut description = self.description(id).clone();
        if !alias.is_empty() {
            alias.clone_into(&mut description.metadata.name);
        }
        if compat == Compat::Helm4 {
            for dependency in &mut description.dependencies {
                let entry = self.entry(*dependency).clone();
                *dependency = self.add_dependency(entry);
            }
        }
        node.metadata = self.add_metadata(description);
        let subcharts = node.subcharts.clone();
        let copy = self.add_chart(node);
        if compat == Compat::Helm4 {
            let copies =
                subcharts.iter().map(|&subchart| self.add_chart(self.node(subchart).clone())).collect();
            self.set_subcharts(copy, copies);
        }
        copy
    }

    /// Whether so many more charts would be more than any tree has. Aliases of charts with aliases multiply.
    pub(super) fn is_full_with(&self, more: usize) -> bool {
        self.charts.len().saturating_add(more) > MAX_CHARTS
    }

    /// Where a chart lists its dependencies.
    pub(super) fn place_of_list(&self, id: ChartId) -> Option<Span> {
        let Some(Value { data: Data::Map(written), origin }) = &self.description(id).metadata.written else {
            return None;
        };
        let mut fields = written.iter();
        let list = fields.find(|(key, _)| key.eq_ignore_ascii_case("dependencies"));
        list.and_then(|(_, entry)| entry.key_origin).or(*origin)
    }

    /// Whether all charts together have more values than any tree has.
    pub(super) fn has_too_many_values(&self) -> bool {
        self.values > MOST_VALUES
    }

    fn add_chart(&mut self, node: Node) -> ChartId {
        self.values = self.values.saturating_add(node.weight);
        self.charts.push(node);
        ChartId(self.charts.len() - 1)
    }

    fn add_metadata(&mut self, description: Description) -> MetadataId {
        self.metadata.push(description);
        MetadataId(self.metadata.len() - 1)
    }

    fn add_dependency(&mut self, entry: Entry) -> DependencyId {
        self.dependencies.push(entry);
        DependencyId(self.dependencies.len() - 1)
    }

    // Ids are made by the arena that they are used with, and nothing is ever removed.

    pub(super) fn node(&self, id: ChartId) -> &Node {
        &self.charts[id.0]
    }

    pub(super) fn node_mut(&mut self, id: ChartId) -> &mut Node {
        &mut self.charts[id.0]
    }

    pub(super) fn description(&self, id: ChartId) -> &Description {
        &self.metadata[self.node(id).metadata.0]
    }

    pub(super) fn description_mut(&mut self, id: ChartId) -> &mut Description {
        let metadata = self.node(id).metadata;
        &mut self.metadata[metadata.0]
    }

    pub(super) fn entry(&self, id: DependencyId) -> &Entry {
        &self.dependencies[id.0]
    }

    pub(super) fn entry_mut(&mut self, id: DependencyId) -> &mut Entry {
        &mut self.dependencies[id.0]
    }

    pub(super) fn name(&self, id: ChartId) -> &str {
        &self.description(id).metadata.name
    }

    pub(super) fn version(&self, id: ChartId) -> &str {
        &self.description(id).metadata.version
    }

    pub(super) fn view(&self, id: ChartId) -> View<'_> {
        View { arena: self, id }
    }
}

impl Node {
    pub(super) fn values(&self) -> &Value {
        &self.chart.values
    }

    pub(super) fn set_values(&mut self, values: Value) {
        self.chart.values = values;
    }
}

/// Whether Chart.yaml has a list of dependencies, even an empty one: Helm looks into the subcharts then.
fn has_list(metadata: &Metadata) -> bool {
    let Some(Value { data: Data::Map(written), .. }) = &metadata.written else { return false };
    let mut fields = written.iter().filter(|(key, _)| key.eq_ignore_ascii_case("dependencies"));
    fields.any(|(_, entry)| matches!(entry.value.data, Data::List(_)))
}

/// How many lists, maps and values there are; no more are counted than may be there.
fn count_values(value: &Value) -> usize {
    let (mut count, mut waiting) = (0, vec![value]);
    while let Some(value) = waiting.pop() {
        count += 1;
        if count > MOST_VALUES {
            break;
        }
        match &value.data {
            Data::List(items) => waiting.extend(items.iter()),
            Data::Map(map) => waiting.extend(map.values().map(|entry| &entry.value)),
            _ => {}
        }
    }
    count
}

/// A chart of an arena.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    arena: &'a Arena,
    id: ChartId,
}

impl ChartView for View<'_> {
    fn name(&self) -> &str {
        self.arena.name(self.id)
    }

    fn values(&self) -> &Value {
        self.arena.node(self.id).values()
    }

    fn dependencies(&self) -> Vec<Self> {
        self.arena.subcharts(self.id).iter().map(|&id| View { arena: self.arena, id }).collect()
    }
}
