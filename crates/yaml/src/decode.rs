//! The errors that go-yaml only finds when it converts nodes to values, in its order and with its counts.
//!
//! Only documents with aliases or possible faults are walked.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::comments::later_lines;
use crate::document::KeyIdentity;
use crate::fault::{Failure, MOST_ERRORS, NodeProblem, Problems, Stage};
use crate::{
    Builder, Dialect, Document, Entry, NodeId, NodeKind, NodeRef, ReadOptions, ScalarValue, SyntaxError,
    SyntaxErrorKind, go_syntax,
};

/// This many bytes of a repeated string count as much work as a node.
pub(crate) const BYTES_PER_NODE: u64 = 64;

/// The effective entries while they are collected.
#[derive(Default)]
pub(crate) struct Counting {
    pub(crate) entries: Vec<Entry>,
    places: FxHashMap<KeyIdentity<'static>, usize>,
}

impl Counting {
    /// Sets a key; an earlier value is replaced.
    pub(crate) fn set(&mut self, builder: &Builder, entry: Entry) {
        let key = KeyIdentity::of(builder.node(entry.key)).into_owned();
        match self.places.get(&key) {
            Some(&place) => self.entries[place] = entry,
            None => {
                self.places.insert(key, self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    /// Sets all keys of the maps that a merge key names, and returns their number, weighted by length.
    pub(crate) fn merge(
        &mut self,
        builder: &Builder,
        value: NodeId,
        problems: &mut Problems,
        options: &ReadOptions,
    ) -> u64 {
        let node = builder.node(value);
        if problems.has(value) {
            return 0;
        }
        let lists = node.alias_target().is_none() && options.dialect != Dialect::Ytt;
        let maps: Vec<NodeId> = match node.kind() {
            NodeKind::Mapping { .. } => vec![value],
            NodeKind::Sequence { .. } if lists => {
                // The first map wins, so it is applied last.
                let items: Vec<NodeId> = node.items().into_iter().flatten().map(NodeRef::id).collect();
                items.into_iter().rev().collect()
            }
            _ => {
                problems.push(value, SyntaxErrorKind::MergeNotMap);
                return 0;
            }
        };
        let mut count = 0;
        for map in maps {
            if count > options.limits.expanded_nodes {
                break;
            }
            let Some(entries) = builder.node(map).entries() else {
                if !problems.has(map) {
                    problems.push(map, SyntaxErrorKind::MergeNotMap);
                }
                continue;
            };
            for (key, value) in entries {
                // A long key costs as much as many short ones.
                count += 1 + key.text().map_or(0, str::len) as u64 / BYTES_PER_NODE;
                if count > options.limits.expanded_nodes {
                    break;
                }
                self.set(builder, Entry { key: key.id(), value: value.id() });
            }
        }
        count
    }
}

/// The error for a node.
pub(crate) fn error(document: &Document, node: NodeId, kind: SyntaxErrorKind) -> SyntaxError {
    let span = document.node(node).span();
    Failure::boxed(kind, Stage::Decoder, span.start as usize, span.end as usize, 0)
        .into_error(document.source(), document.source_text())
}

/// All errors of a document; the first is the one at which go-yaml stops.
pub(crate) fn errors(document: &Document, problems: Vec<NodeProblem>) -> Vec<SyntaxError> {
    let mut walker = Walker::new(document, &problems);
    let mut errors = Vec::new();
    let mut stopped = None;
    if let Err((node, kind)) = walker.document() {
        stopped = Some(node);
        // Only the first is ever shown in Go's words; the messages about many large keys would be far too long.
        let kind = match kind {
            SyntaxErrorKind::KeyNotScalar(_) => {
                SyntaxErrorKind::KeyNotScalar(go_syntax::value(document.node(node)))
            }
            kind => kind,
        };
        errors.push(error(document, node, kind));
    }
    for problem in problems {
        if stopped != Some(problem.node) {
            errors.push(error(document, problem.node, problem.kind));
        }
    }
    errors
}

/// The messages of go-yaml's strict mode about duplicate keys, in order.
pub(crate) fn strict_errors(document: &Document) -> Vec<String> {
    let mut walker = Walker::new(document, &[]);
    walker.strict = true;
    // Anything that stops the walk was already reported when the document was read.
    let _ = walker.document();
    walker.type_errors
}

type Stop = (NodeId, SyntaxErrorKind);

/// A key as Go compares it.
#[derive(PartialEq, Eq, Hash)]
enum TypedKey<'d> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(u64),
    String(&'d str),
}

impl<'d> TypedKey<'d> {
    fn of(node: NodeRef<'d>) -> Option<Self> {
        Some(match node.scalar()? {
            ScalarValue::Null => TypedKey::Null,
            ScalarValue::Bool(value) => TypedKey::Bool(value),
            ScalarValue::Int(value) => TypedKey::Int(value),
            ScalarValue::UInt(value) => TypedKey::UInt(value),
            // NaN never equals another NaN; both zeros are equal.
            ScalarValue::Float(value) if value.is_nan() => return None,
            ScalarValue::Float(value) => TypedKey::Float((value + 0.0).to_bits()),
            ScalarValue::String => TypedKey::String(node.text()?),
        })
    }
}

/// Walks a document as go-yaml's decoder does. Reading already limited the depth, aliases included.
struct Walker<'d> {
    document: &'d Document,
    problems: FxHashMap<NodeId, SyntaxErrorKind>,
    strict: bool,
    type_errors: Vec<String>,
    /// The starts of the lines after the first, computed on demand.
    lines: Option<Vec<u32>>,
    decoded: u64,
    aliased: u64,
    alias_depth: u32,
}

impl<'d> Walker<'d> {
    fn new(document: &'d Document, problems: &[NodeProblem]) -> Self {
        let mut map = FxHashMap::default();
        for problem in problems {
            // These errors are found during the walk, in the order in which go-yaml finds them.
            if !matches!(problem.kind, SyntaxErrorKind::KeyNotScalar(_) | SyntaxErrorKind::MergeNotMap) {
                map.entry(problem.node).or_insert_with(|| problem.kind.clone());
            }
        }
        Walker {
            document,
            problems: map,
            strict: false,
            type_errors: Vec::new(),
            lines: None,
            decoded: 0,
            aliased: 0,
            alias_depth: 0,
        }
    }

    fn document(&mut self) -> Result<(), Stop> {
        let root = self.document.root();
        self.count(root)?;
        self.node(root, None)
    }

    fn count(&mut self, node: NodeRef<'d>) -> Result<(), Stop> {
        self.decoded += 1;
        self.aliased += u64::from(self.alias_depth > 0);
        if self.aliased > 100
            && self.decoded > 1000
            && self.aliased as f64 / self.decoded as f64 > allowed_ratio(self.decoded)
        {
            return Err((node.id(), SyntaxErrorKind::TooManyAliases));
        }
        Ok(())
    }

    fn node(&mut self, node: NodeRef<'d>, into: Option<&mut FxHashSet<TypedKey<'d>>>) -> Result<(), Stop> {
        self.count(node)?;
        if let Some(kind) = self.problems.get(&node.id()) {
            return Err((node.id(), kind.clone()));
        }
        if let Some(target) = node.alias_target() {
            self.alias_depth += 1;
            self.node(target, into)?;
            self.alias_depth -= 1;
            return Ok(());
        }
        match node.kind() {
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => Ok(()),
            NodeKind::Sequence { .. } => {
                node.items().into_iter().flatten().try_for_each(|item| self.node(item, None))
            }
            NodeKind::Mapping { .. } => match into {
                Some(keys) => self.mapping(node, keys),
                None => self.mapping(node, &mut FxHashSet::default()),
            },
        }
    }

    fn mapping(&mut self, node: NodeRef<'d>, keys: &mut FxHashSet<TypedKey<'d>>) -> Result<(), Stop> {
        for (key, value) in node.written_entries().into_iter().flatten() {
            if key.is_merge_key() {
                self.merge(value, keys)?;
                continue;
            }
            self.node(key, None)?;
            if key.scalar().is_none() {
                return Err((key.id(), SyntaxErrorKind::KeyNotScalar(String::new())));
            }
            self.node(value, None)?;
            if self.strict
                && let Some(typed) = TypedKey::of(key)
                && !keys.insert(typed)
            {
                let line = self.line(value.id()) + 1;
                self.type_errors.push(format!("line {line}: key {} already set in map", go_syntax::key(key)));
            }
        }
        Ok(())
    }

    /// The line where go-yaml places a node. Thousands of keys may be duplicates, so lines are counted only
    /// once.
    fn line(&mut self, id: NodeId) -> u32 {
        let document = self.document;
        let start = match document.go_place(id) {
            Ok(line) => return line,
            Err(start) => start,
        };
        let lines = self.lines.get_or_insert_with(|| later_lines(document.source_text()).collect());
        lines.partition_point(|line| *line <= start) as u32
    }

    fn merge(&mut self, value: NodeRef<'d>, keys: &mut FxHashSet<TypedKey<'d>>) -> Result<(), Stop> {
        let wrong = |node: NodeRef<'_>| (node.id(), SyntaxErrorKind::MergeNotMap);
        let is_map = |node: NodeRef<'_>| matches!(node.kind(), NodeKind::Mapping { .. });
        let is_known = |walker: &Self, node: NodeRef<'_>| walker.problems.contains_key(&node.id());
        if is_map(value) || is_known(self, value) {
            return self.node(value, Some(keys));
        }
        let Some(items) = value.items().filter(|_| value.alias_target().is_none()) else {
            return Err(wrong(value));
        };
        for item in items.collect::<Vec<_>>().into_iter().rev() {
            if !is_map(item) && !is_known(self, item) {
                return Err(wrong(item));
            }
            self.node(item, Some(keys))?;
        }
        Ok(())
    }
}

/// How much of a document may come from aliases, depending on its size; the rule is go-yaml's.
fn allowed_ratio(decoded: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - LOW) as f64 / (HIGH - LOW) as f64),
    }
}

/// What `sigs.k8s.io/yaml` cannot convert to JSON; the first error is the one at which it stops.
pub(crate) fn conversion_errors(document: &Document) -> Vec<SyntaxError> {
    let mut finder = Finder { document, seen: FxHashSet::default(), keys: Vec::new(), numbers: Vec::new() };
    finder.node(document.root());
    finder.keys.append(&mut finder.numbers);
    finder.keys
}

struct Finder<'d> {
    document: &'d Document,
    seen: FxHashSet<NodeId>,
    keys: Vec<SyntaxError>,
    numbers: Vec<SyntaxError>,
}

impl<'d> Finder<'d> {
    fn node(&mut self, node: NodeRef<'d>) {
        if let Some(target) = node.alias_target() {
            if self.seen.insert(target.id()) {
                self.node(target);
            }
            return;
        }
        match node.kind() {
            NodeKind::Scalar { value: ScalarValue::Float(value), .. }
                if !value.is_finite() && self.numbers.len() < MOST_ERRORS =>
            {
                let word = if value.is_nan() {
                    "NaN"
                } else if value > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                };
                self.numbers.push(self.conversion_error(node, SyntaxErrorKind::NotFinite(word)));
            }
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
            NodeKind::Sequence { .. } => node.items().into_iter().flatten().for_each(|item| self.node(item)),
            NodeKind::Mapping { .. } => {
                let mut entries: Vec<_> = node.entries().into_iter().flatten().collect();
                entries.sort_by_cached_key(|(key, _)| key.key_text().into_owned());
                for (key, value) in entries {
                    let type_name = match key.scalar() {
                        Some(ScalarValue::Null) => Some("%!s(<nil>)"),
                        Some(ScalarValue::UInt(_)) => Some("uint64"),
                        _ => None,
                    };
                    if let Some(type_name) = type_name
                        && self.keys.len() < MOST_ERRORS
                    {
                        // Only the first is ever shown in Go's words, because they may be long.
                        let value =
                            if self.keys.is_empty() { go_syntax::value(value) } else { String::new() };
                        let key_text = go_syntax::key(key);
                        let text = format!(
                            "unsupported map key of type: {type_name}, key: {key_text}, value: {value}"
                        );
                        self.keys.push(self.conversion_error(key, SyntaxErrorKind::UnsupportedKey(text)));
                    }
                    self.node(value);
                }
            }
        }
    }

    fn conversion_error(&self, node: NodeRef<'_>, kind: SyntaxErrorKind) -> SyntaxError {
        let span = node.span();
        Failure::boxed(kind, Stage::Conversion, span.start as usize, span.end as usize, 0)
            .into_error(self.document.source(), self.document.source_text())
    }
}
