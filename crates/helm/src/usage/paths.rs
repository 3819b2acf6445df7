//! The paths of values that templates name: a tree in the terms of the root chart, with what is done at each place.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

/// A place in the tree of paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PathId(u32);

impl PathId {
    /// Its place among all paths.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// A key of a map.
    Key(Arc<str>),
    /// Any key, or any item of a list: which one is only known when templates run.
    Any,
}

/// What is done with a value, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Only something below it is looked at.
    Passed,
    /// It is looked at.
    Touched,
    /// It is used with everything below it.
    Whole,
}

/// A path longer than this is taken as read with all that is below.
const LONGEST: u16 = 24;

/// With more places than this, nothing is reported about a chart.
const MOST: usize = 200_000;

/// Reads of one value that are remembered, for a person to look at.
const MOST_READS: usize = 40;

#[derive(Debug, Clone)]
struct PathNode {
    parent: PathId,
    step: Step,
    depth: u16,
    keys: FxHashMap<Arc<str>, PathId>,
    any: Option<PathId>,
    mark: Mark,
    /// Whether a condition or a default asks if the value is there.
    is_tested: bool,
    /// Whether a template asks for the value's type.
    is_type_tested: bool,
    /// Whether the values of a chart begin here.
    is_chart: bool,
    reads: Vec<Span>,
}

/// The tree of paths.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    places: Vec<PathNode>,
    /// Whether there were too many.
    is_full: bool,
}

impl Paths {
    /// The values of the root chart.
    pub(super) const ROOT: PathId = PathId(0);

    pub(super) fn new() -> Self {
        let mut paths = Paths { places: Vec::new(), is_full: false };
        paths.add(Self::ROOT, Step::Any, 0);
        paths.set_chart(Self::ROOT);
        paths
    }

    fn add(&mut self, parent: PathId, step: Step, depth: u16) -> PathId {
        let id = PathId(u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        self.places.push(PathNode {
            parent,
            step,
            depth,
            keys: FxHashMap::default(),
            any: None,
            mark: Mark::Passed,
            is_tested: false,
            is_type_tested: false,
            is_chart: false,
            reads: Vec::new(),
        });
        id
    }

    fn place(&self, id: PathId) -> Option<&PathNode> {
        self.places.get(id.0 as usize)
    }

    fn place_mut(&mut self, id: PathId) -> Option<&mut PathNode> {
        self.places.get_mut(id.0 as usize)
    }

    /// Whether nothing can be said, because there were too many paths.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The values of a subchart begin here.
    pub(super) fn set_chart(&mut self, id: PathId) {
        if let Some(place) = self.place_mut(id) {
            place.is_chart = true;
        }
    }

    /// Whether the values of a chart begin here.
    pub(super) fn is_chart(&self, id: PathId) -> bool {
        self.place(id).is_some_and(|place| place.is_chart)
    }

    /// The place one step further; nothing if that is too far.
    pub(super) fn step(&mut self, from: PathId, step: Step) -> Option<PathId> {
        // All charts see the same globals.
        let from = match &step {
            Step::Key(name) if &**name == "global" && self.is_chart(from) => Self::ROOT,
            _ => from,
        };
        let place = self.place(from)?;
        let known = match &step {
            Step::Key(name) => place.keys.get(name).copied(),
            Step::Any => place.any,
        };
        if known.is_some() {
            return known;
        }
        let depth = place.depth + 1;
        if depth > LONGEST {
            self.mark(from, Mark::Whole);
            return None;
        }
        if self.places.len() >= MOST {
            self.is_full = true;
            return None;
        }
        let id = self.add(from, step.clone(), depth);
        let place = self.place_mut(from)?;
        match step {
            Step::Key(name) => {
                place.keys.insert(name, id);
            }
            Step::Any => place.any = Some(id),
        }
        Some(id)
    }

    /// The place under a key; nothing if that is too far.
    pub(super) fn key(&mut self, from: PathId, name: &Arc<str>) -> Option<PathId> {
        // Keys are named far more often than they are new.
        match self.known(from, name) {
            Some(known) => Some(known),
            None => self.step(from, Step::Key(Arc::clone(name))),
        }
    }

    /// The same for a name that need not be kept.
    pub(super) fn named(&mut self, from: PathId, name: &str) -> Option<PathId> {
        match self.known(from, name) {
            Some(known) => Some(known),
            None => self.step(from, Step::Key(name.into())),
        }
    }

    /// The place under a key that was named before. Globals are looked for elsewhere.
    fn known(&self, from: PathId, name: &str) -> Option<PathId> {
        if name == "global" {
            return None;
        }
        self.place(from).and_then(|place| place.keys.get(name)).copied()
    }

    /// The place of a path with dots.
    pub(super) fn dotted(&mut self, from: PathId, path: &str) -> Option<PathId> {
        path.split('.').try_fold(from, |at, name| self.named(at, name))
    }

    pub(super) fn mark(&mut self, id: PathId, mark: Mark) {
        if let Some(place) = self.place_mut(id) {
            place.mark = place.mark.max(mark);
        }
    }

    /// Marks the place that another stands directly below.
    pub(super) fn mark_above(&mut self, id: PathId, mark: Mark) {
        if let Some(above) = self.place(id).map(|place| place.parent) {
            self.mark(above, mark);
        }
    }

    pub(super) fn set_tested(&mut self, id: PathId) {
        if let Some(place) = self.place_mut(id) {
            place.is_tested = true;
        }
    }

    pub(super) fn set_type_tested(&mut self, id: PathId) {
        if let Some(place) = self.place_mut(id) {
            place.is_type_tested = true;
        }
    }

    pub(super) fn is_tested(&self, id: PathId) -> bool {
        self.place(id).is_some_and(|place| place.is_tested)
    }

    /// Remembers where a value is read.
    pub(super) fn read_at(&mut self, id: PathId, span: Span) {
        if let Some(place) = self.place_mut(id)
            && place.reads.len() < MOST_READS
            && !place.reads.contains(&span)
        {
            place.reads.push(span);
        }
    }

    /// The keys of the values that are read inside of a place.
    pub(super) fn read_in(&self, place: Span) -> Vec<Vec<Arc<str>>> {
        let is_inside =
            |read: &Span| read.source == place.source && place.start <= read.start && read.end <= place.end;
        let ids = (0_u32..).zip(&self.places).filter(|(_, known)| known.reads.iter().any(is_inside));
        ids.filter_map(|(id, _)| self.keys(PathId(id))).collect()
    }

    /// Moves the places of all reads.
    pub(super) fn move_reads(&mut self, to: impl Fn(Span) -> Span) {
        let reads = self.places.iter_mut().flat_map(|place| &mut place.reads);
        reads.for_each(|span| *span = to(*span));
    }

    /// The steps to a place.
    pub(super) fn steps(&self, id: PathId) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = id;
        while at != Self::ROOT
            && let Some(place) = self.place(at)
        {
            steps.push(place.step.clone());
            at = place.parent;
        }
        steps.reverse();
        steps
    }

    /// The keys to a place, unless which one it is shows only when templates run.
    pub(super) fn keys(&self, id: PathId) -> Option<Vec<Arc<str>>> {
        let key = |step| match step {
            Step::Key(name) => Some(name),
            Step::Any => None,
        };
        self.steps(id).into_iter().map(key).collect()
    }

    /// The place above one, and the key that leads from it.
    pub(super) fn above(&self, id: PathId) -> Option<(PathId, &str)> {
        let place = self.place(id)?;
        match &place.step {
            Step::Key(name) => Some((place.parent, name)),
            Step::Any => None,
        }
    }

    /// Whether a place is another or stands below it.
    pub(super) fn is_within(&self, id: PathId, above: PathId) -> bool {
        let mut at = id;
        loop {
            if at == above {
                return true;
            }
            match self.place(at) {
                Some(place) if at != Self::ROOT => at = place.parent,
                _ => return false,
            }
        }
    }

    /// Where to look for a key of the root chart's values.
    pub(super) fn at_root(&self) -> View<'_> {
        View { paths: self, at: vec![Self::ROOT] }
    }

    /// Every place that ends with a key, as a path with dots.
    pub(super) fn ending_with(&self, key: &str, most: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (index, place) in self.places.iter().enumerate() {
            let matches = matches!(&place.step, Step::Key(name) if &**name == key);
            if matches
                && place.mark != Mark::Passed
                && let Some(keys) = self.keys(PathId(u32::try_from(index).unwrap_or(u32::MAX)))
            {
                found.push(keys.join("."));
            }
        }
        found.sort_by(|left, right| left.len().cmp(&right.len()).then_with(|| left.cmp(right)));
        found.truncate(most);
        found
    }
}

/// The places that a key which somebody typed stands for.
#[derive(Debug, Clone)]
pub(super) struct View<'p> {
    paths: &'p Paths,
    at: Vec<PathId>,
}

impl<'p> View<'p> {
    fn places(&self) -> impl Iterator<Item = &'p PathNode> {
        let paths = self.paths;
        self.at.clone().into_iter().filter_map(move |id| paths.place(id))
    }

    /// One key further.
    pub(super) fn key(&self, name: &str) -> View<'p> {
        let is_global = name == "global" && self.at.iter().any(|id| self.paths.is_chart(*id));
        let from = if is_global { self.paths.at_root() } else { self.clone() };
        let at = from.places().flat_map(|place| [place.keys.get(name).copied(), place.any]).flatten();
        View { paths: self.paths, at: at.collect() }
    }

    /// Any item of a list. Templates may also take one by its number, which is written as a key.
    pub(super) fn item(&self) -> View<'p> {
        let at = self.places().flat_map(|place| {
            let numbered = place.keys.iter().filter(|(name, _)| name.parse::<usize>().is_ok());
            numbered.map(|(_, id)| *id).chain(place.any).collect::<Vec<_>>()
        });
        View { paths: self.paths, at: at.collect() }
    }

    /// Whether nothing looks here.
    pub(super) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Whether everything here is used. A value that is looked at and never taken apart counts as used.
    pub(super) fn is_whole(&self) -> bool {
        self.places().any(|place| {
            let is_leaf = place.keys.is_empty() && place.any.is_none();
            place.mark == Mark::Whole || place.mark == Mark::Touched && is_leaf
        })
    }

    /// Whether the type of what is here is asked for.
    pub(super) fn is_type_tested(&self) -> bool {
        self.places().any(|place| place.is_type_tested)
    }

    /// The keys that are looked at here, sorted.
    pub(super) fn names(&self) -> Vec<&'p str> {
        let names: FxHashSet<&str> =
            self.places().flat_map(|place| place.keys.keys()).map(|name| &**name).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        names
    }

    /// Where what is here is read.
    pub(super) fn reads(&self) -> Vec<Span> {
        let mut reads: Vec<Span> = self.places().flat_map(|place| place.reads.iter().copied()).collect();
        reads.sort_by_key(|span| (span.source, span.start));
        reads.dedup();
        reads
    }

    /// Where anything below is read.
    pub(super) fn reads_below(&self) -> Vec<Span> {
        let mut open: Vec<PathId> = self.at.clone();
        let mut reads = Vec::new();
        while let Some(id) = open.pop() {
            let Some(place) = self.paths.place(id) else { continue };
            if !self.at.contains(&id) {
                reads.extend(place.reads.iter().copied());
            }
            open.extend(place.keys.values().copied().chain(place.any));
        }
        reads
    }
}

/// The values at the end of steps; any key leads to all of them.
pub(super) fn follow<'v>(value: &'v Value, steps: &[Step], found: &mut Vec<&'v Value>) {
    let Some((step, rest)) = steps.split_first() else {
        found.push(value);
        return;
    };
    match (step, &value.data) {
        (Step::Key(name), Data::Map(map)) => {
            if let Some(entry) = map.get(name) {
                follow(&entry.value, rest, found);
            }
        }
        (Step::Key(name), Data::List(items)) => {
            if let Some(item) = name.parse::<usize>().ok().and_then(|index| items.get(index)) {
                follow(item, rest, found);
            }
        }
        (Step::Any, Data::Map(map)) => {
            map.values().for_each(|entry| follow(&entry.value, rest, found));
        }
        (Step::Any, Data::List(items)) => items.iter().for_each(|item| follow(item, rest, found)),
        _ => {}
    }
}
