//! Charts as Helm holds them: by reference.
//!
//! Several aliases of one chart share parts of it, and which parts differs between Helm 3 and Helm 4. What
//! is changed in a shared part shows in all of them, so sharing is kept here instead of being guessed at.

use crate::chart::{Chart, Compat, Dependency, Metadata};
use crate::values::ChartView;
use trueline_yaml::Value;

/// All charts of a tree with their parts.
pub(super) struct Arena {
    pub(super) charts: Vec<Node>,
    pub(super) metadata: Vec<Description>,
    pub(super) dependencies: Vec<Entry>,
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
    pub(super) metadata: MetadataId,
    pub(super) subcharts: Vec<ChartId>,
}

/// Chart.yaml, its dependencies by reference.
#[derive(Clone)]
pub(super) struct Description {
    metadata: Metadata,
    pub(super) dependencies: Vec<DependencyId>,
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
        let mut arena = Arena { charts: Vec::new(), metadata: Vec::new(), dependencies: Vec::new() };
        let root = arena.take(chart);
        (arena, root)
    }

    fn take(&mut self, mut chart: Chart) -> ChartId {
        let subcharts = std::mem::take(&mut chart.dependencies);
        let subcharts = subcharts.into_iter().map(|subchart| self.take(subchart)).collect();
        let mut metadata = std::mem::take(&mut chart.metadata);
        let listed = std::mem::take(&mut metadata.dependencies);
        let dependencies = listed
            .into_iter()
            .map(|dependency| self.add_dependency(Entry { dependency, is_imported: false }))
            .collect();
        let metadata = self.add_metadata(Description { metadata, dependencies });
        self.add_chart(Node { chart, metadata, subcharts })
    }

    /// Puts a chart together again. Parts that are shared are copied.
    pub(super) fn into_chart(self, root: ChartId) -> Chart {
        self.build(root)
    }

    fn build(&self, id: ChartId) -> Chart {
        let node = self.node(id);
        let description = self.description(id);
        let dependencies =
            description.dependencies.iter().map(|&entry| self.entry(entry).dependency.clone()).collect();
        Chart {
            metadata: Metadata { dependencies, ..description.metadata.clone() },
            dependencies: node.subcharts.iter().map(|&subchart| self.build(subchart)).collect(),
            ..node.chart.clone()
        }
    }

    /// A chart under another name, or a second time. Helm 3 copies the chart and its description only, so
    /// that entries and subcharts are shared; Helm 4 copies those too, but not what they refer to.
    pub(super) fn copy(&mut self, id: ChartId, alias: &str, compat: Compat) -> ChartId {
        let mut node = self.node(id).clone();
        let mut description = self.description(id).clone();
        if compat == Compat::Helm4 {
            for dependency in &mut description.dependencies {
                let entry = self.entry(*dependency).clone();
                *dependency = self.add_dependency(entry);
            }
            for subchart in &mut node.subcharts {
                let copy = self.node(*subchart).clone();
                *subchart = self.add_chart(copy);
            }
        }
        if !alias.is_empty() {
            alias.clone_into(&mut description.metadata.name);
        }
        node.metadata = self.add_metadata(description);
        self.add_chart(node)
    }

    fn add_chart(&mut self, node: Node) -> ChartId {
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
        self.arena.node(self.id).subcharts.iter().map(|&id| View { arena: self.arena, id }).collect()
    }
}
