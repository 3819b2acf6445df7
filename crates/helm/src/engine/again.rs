//! What templates wrote, used again after an edit: a template writes the same as before if it and the templates that it runs
//! are the same, and if nothing has changed of the values that it read.
//!
//! Everything else that a template can see is compared as a whole: the charts, their files, the release, the cluster. Dice and
//! clock repeat themselves, or nothing is used again. Nothing is remembered of a template that failed, that wrote to what
//! others read, or that came after one that did.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_gotemplate::node::{Bytes, Tree};
use trueline_gotemplate::{Changes, Origins, Reads};
use trueline_source::{Origin, OriginMap, SourceId};
use trueline_yaml::{Data, Value};

use super::{Capabilities, Mode, Options, Release, Texts};
use crate::chart::{Chart, Compat, Dependency, File};
use crate::edit::{Edit, Edits};
use crate::release::RenderedFile;

/// After more edits than this everything is run again.
const MOST_EDITS: usize = 16;

/// What the templates of a chart wrote, with what they read for it.
#[derive(Debug)]
pub struct Earlier {
    world: World,
    chart: Chart,
    values: Value,
    texts: Arc<Texts>,
    /// What was read before any template was run.
    first: Reads,
    files: FxHashMap<Arc<str>, Arc<Written>>,
}

/// What one template wrote.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) file: RenderedFile,
    pub(super) steps: u64,
    /// What it read of the values.
    pub(super) reads: Arc<Reads>,
    /// The names of the templates that it asked for.
    pub(super) templates: Arc<[Bytes]>,
}

/// What all templates see besides charts and values.
#[derive(Debug, PartialEq)]
struct World {
    compat: Compat,
    mode: Mode,
    origins: Origins,
    seed: u64,
    release: Release,
    capabilities: Capabilities,
}

impl World {
    /// Nothing if it is another one each time.
    fn new(options: &Options<'_>) -> Option<Self> {
        Some(World {
            compat: options.compat,
            mode: options.mode,
            origins: options.origins,
            seed: options.environment.seed()?,
            release: options.release.clone(),
            capabilities: options.capabilities.clone(),
        })
    }
}

/// What is rendered, and what becomes of it.
pub(super) struct Notebook<'a> {
    world: World,
    /// What the templates wrote that need not be run, by their paths.
    pub(super) known: FxHashMap<Arc<str>, Arc<Written>>,
    /// What was read before any template was run, if that is known.
    first: Reads,
    chart: &'a Chart,
    values: &'a Value,
    texts: &'a Arc<Texts>,
}

impl<'a> Notebook<'a> {
    /// Nothing if nothing can be used again later.
    pub(super) fn new(
        chart: &'a Chart,
        texts: &'a Arc<Texts>,
        values: &'a Value,
        options: &Options<'_>,
        earlier: Option<&Earlier>,
    ) -> Option<Self> {
        let world = World::new(options)?;
        let earlier = earlier.filter(|earlier| earlier.world == world);
        let known = earlier.and_then(|earlier| earlier.renewed(chart, texts, values));
        let first = earlier.map(|earlier| earlier.first.clone()).unwrap_or_default();
        Some(Notebook { world, known: known.unwrap_or_default(), first, chart, values, texts })
    }

    /// What there is to know for the next time.
    pub(super) fn close(self, first: Option<Reads>, written: Vec<Arc<Written>>) -> Earlier {
        Earlier {
            world: self.world,
            chart: self.chart.clone(),
            values: self.values.clone(),
            texts: Arc::clone(self.texts),
            first: first.unwrap_or(self.first),
            files: written.into_iter().map(|written| (Arc::clone(&written.file.path), written)).collect(),
        }
    }
}

impl Earlier {
    /// What each template wrote that would write the same now, with its origins where they are now.
    fn renewed(
        &self,
        chart: &Chart,
        texts: &Texts,
        values: &Value,
    ) -> Option<FxHashMap<Arc<str>, Arc<Written>>> {
        if !is_same_to_templates(&self.chart, chart) {
            return None;
        }
        let mut edits = Vec::new();
        value_edits(&self.chart, chart, &mut edits)?;
        let changed = changed_templates(&self.texts, texts, &mut edits)?;
        if edits.len() > MOST_EDITS {
            return None;
        }
        let edits = Edits(edits);
        let changes = Changes::between(&self.values, values, &|span| edits.moved(span));
        if self.first.see(&changes) {
            return None;
        }
        let is_same = |written: &Written| {
            !written.reads.see(&changes)
                && (changed.is_empty() || !written.templates.iter().any(|name| changed.contains(name)))
        };
        let same = self.files.iter().filter(|(_, written)| is_same(written));
        Some(same.filter_map(|(path, written)| Some((Arc::clone(path), moved(written, &edits)?))).collect())
    }
}

/// Whether templates see the same of two charts, values and templates left out.
fn is_same_to_templates(one: &Chart, other: &Chart) -> bool {
    let is_same_file = |(one, other): (&File, &File)| {
        one.name == other.name && (Arc::ptr_eq(&one.data, &other.data) || one.data == other.data)
    };
    let described =
        |chart: &Chart| chart.chart_file.as_ref().map(|file| (file.source, Arc::clone(&file.data)));
    one.metadata.name == other.metadata.name
        && one.path == other.path
        && described(one) == described(other)
        && is_same_list(&one.metadata.dependencies, &other.metadata.dependencies)
        && one.files.len() == other.files.len()
        && one.files.iter().zip(other.files.iter()).all(is_same_file)
        && one.dependencies.len() == other.dependencies.len()
        && one
            .dependencies
            .iter()
            .zip(&other.dependencies)
            .all(|(one, other)| is_same_to_templates(one, other))
}

fn is_same_list(one: &[Dependency], other: &[Dependency]) -> bool {
    let fields = |entry: &Dependency| {
        let texts = [&entry.name, &entry.version, &entry.repository, &entry.condition, &entry.alias];
        (texts.map(String::clone), entry.tags.clone(), entry.enabled)
    };
    // What a dependency imports is a value with its place.
    let imports = |entry: &Dependency| Value::new(Data::List(Arc::new(entry.import_values.clone())));
    let has_same_imports = |one: &Dependency, other: &Dependency| {
        let wrapped = |entry: &Dependency| [("", imports(entry))].into_iter().collect::<Value>();
        Changes::between(&wrapped(one), &wrapped(other), &Some).is_empty()
    };
    let is_same = |(one, other): (&Dependency, &Dependency)| {
        fields(one) == fields(other) && has_same_imports(one, other)
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// Adds how the values files of a chart and of its subcharts were edited. Nothing comes of it if one cannot be compared.
fn value_edits(before: &Chart, after: &Chart, edits: &mut Vec<Edit>) -> Option<()> {
    if let (Some(before), Some(after)) = (&before.values_file, &after.values_file)
        && !Arc::ptr_eq(&before.data, &after.data)
        && before.data != after.data
        && let Some(source) = after.source
        && before.source == after.source
        && !edits.iter().any(|edit| edit.source == source)
    {
        edits.push(Edit::between(source, &before.data, &after.data)?);
    }
    let subcharts = before.dependencies.iter().zip(&after.dependencies);
    subcharts.into_iter().try_for_each(|(before, after)| value_edits(before, after, edits))
}

/// The names under which another template is found now, or one that was edited. Nothing comes of it if there are other files.
fn changed_templates(before: &Texts, now: &Texts, edits: &mut Vec<Edit>) -> Option<FxHashSet<Bytes>> {
    let mut changed = FxHashSet::default();
    for pair in before.pairs(now)? {
        let (Some(source), (Some(before), Some(after))) = (pair.source, pair.texts) else { return None };
        let edit = Edit::between(source, pair.bytes.0, pair.bytes.1)?;
        edits.push(edit);
        let names: FxHashSet<&Bytes> =
            before.trees().iter().chain(after.trees()).map(|tree| &tree.name).collect();
        for name in names {
            let only = |trees: &[Arc<Tree>]| {
                let mut named = trees.iter().filter(|tree| tree.name == *name);
                named.next().filter(|_| named.next().is_none()).map(Arc::clone)
            };
            let is_same = match (only(before.trees()), only(after.trees())) {
                (Some(before), Some(after)) => is_only_moved(&before, &after, (source, edit)),
                _ => false,
            };
            if !is_same {
                changed.insert(Arc::clone(name));
            }
        }
    }
    Some(changed)
}

/// Whether a definition was only moved by an edit elsewhere in its file.
fn is_only_moved(before: &Tree, after: &Tree, (source, edit): (SourceId, Edit)) -> bool {
    // The text of a file is its own template, which every edit changes.
    let Some(end) = end_of_definition(before).filter(|_| before.place.start < before.place.end) else {
        return false;
    };
    let span = |start: u32, end: u32| source.span(start as usize, end as usize);
    let moved = |start: u32, end: u32| edit.moved(span(start, end));
    let is_apart = end <= edit.start || before.place.start >= edit.end;
    let (place, root) = (before.place, before.root.place);
    let (place_now, root_now) = (after.place, after.root.place);
    is_apart
        && moved(place.start, place.end) == Some(span(place_now.start, place_now.end))
        && moved(root.start, root.end) == Some(span(root_now.start, root_now.end))
        && before.is_empty() == after.is_empty()
}

/// The end of the action that ends a definition.
fn end_of_definition(tree: &Tree) -> Option<u32> {
    let from = tree.root.place.end.max(tree.place.end) as usize;
    let rest = tree.nodes.text().get(from..)?;
    u32::try_from(from + memchr::memmem::find(rest, b"}}")? + 2).ok()
}

/// The same text with the origins that it has now; nothing if one of them is gone.
fn moved(written: &Arc<Written>, edits: &Edits) -> Option<Arc<Written>> {
    let before = &written.file.origins;
    let runs = before.runs().iter().chain(before.blanks()).flat_map(|run| match run.origin {
        Origin::Verbatim(span) => [Some(span), None],
        Origin::Computed { action, value } => [Some(action), value],
    });
    let mut spans = runs.flatten().chain(before.calls().iter().map(|call| call.action));
    if spans.all(|span| edits.moved(span) == Some(span)) {
        return Some(Arc::clone(written));
    }
    let origin = |origin: Origin| {
        Some(match origin {
            Origin::Verbatim(span) => Origin::Verbatim(edits.moved(span)?),
            Origin::Computed { action, value } => Origin::Computed {
                action: edits.moved(action)?,
                value: match value {
                    Some(value) => Some(edits.moved(value)?),
                    None => None,
                },
            },
        })
    };
    let mut origins = OriginMap::new();
    for run in before.runs() {
        origins.push(run.start, origin(run.origin)?);
    }
    for blank in before.blanks() {
        origins.push_blank(blank.start, origin(blank.origin)?);
    }
    for call in before.calls() {
        origins.push_call(trueline_source::Call { action: edits.moved(call.action)?, ..*call });
    }
    Some(Arc::new(Written {
        file: RenderedFile { origins, ..written.file.clone() },
        steps: written.steps,
        reads: Arc::clone(&written.reads),
        templates: Arc::clone(&written.templates),
    }))
}
