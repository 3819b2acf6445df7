//! The append-only table of every source that a run has read.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::FxHashMap;

use crate::{OriginMap, Resolved, SourceId, Span};

/// What a source's text is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SourceKind {
    /// A file; the name is the path as the user would type it.
    File,
    /// A command-line flag; the name is the flag with its value, such as `--set a.b=1`.
    Flag,
    /// Something fetched; the name is its URL.
    Url,
    /// Text compiled into the program, such as one of our own schemas.
    Embedded,
    /// Text written by a template, with a map back to what wrote it.
    Rendered(OriginMap),
}

/// One text with its name.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    kind: SourceKind,
    text: Arc<str>,
    /// The byte ranges that must not be shown, sorted and disjoint; `None` until somebody looked for them.
    hidden: Option<Vec<Range<u32>>>,
    line_starts: OnceLock<Vec<u32>>,
    /// How many characters begin before each multiple of [`STRIDE`] bytes; counted for long lines only.
    characters: OnceLock<Vec<u32>>,
    _counted: Counted,
}

/// How many bytes of a line are counted again for each column. A minified document is one line of many
/// megabytes, and thousands of findings in it ask for their columns.
const STRIDE: usize = 4096;

impl Source {
    fn new(name: String, kind: SourceKind, text: Arc<str>, counted: Counted) -> Self {
        let (line_starts, characters) = (OnceLock::new(), OnceLock::new());
        Source { name, kind, text, hidden: None, line_starts, characters, _counted: counted }
    }

    /// The name to print: a path, a flag or a URL.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the text is.
    pub fn kind(&self) -> &SourceKind {
        &self.kind
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The byte ranges that must not be shown, sorted and disjoint; `None` until somebody looked for them.
    pub fn hidden(&self) -> Option<&[Range<u32>]> {
        self.hidden.as_deref()
    }

    /// The parts of a byte range that must not be shown.
    pub fn hidden_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let hidden = self.hidden.as_deref().unwrap_or_default();
        let first = hidden.partition_point(|hidden| hidden.end as usize <= range.start);
        let inside = hidden.iter().skip(first).take_while(move |hidden| (hidden.start as usize) < range.end);
        inside
            .map(move |hidden| (hidden.start as usize).max(range.start)..(hidden.end as usize).min(range.end))
    }

    /// The text of a span, cut to the length of the source and to character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.floor(span.start as usize);
        let end = self.floor(span.end as usize).max(start);
        &self.text[start..end]
    }

    /// Line and column of a byte offset; an offset beyond the end is treated as the end.
    pub fn position(&self, offset: u32) -> Position {
        let starts = self.line_starts();
        let offset = self.floor(offset as usize);
        let line = starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = starts[line] as usize;
        let column = if offset - start <= STRIDE {
            self.text[start..offset].chars().count()
        } else {
            self.characters_before(offset) - self.characters_before(start)
        };
        Position { line: (line as u32 + 1).saturating_add(self.lines_before()), column: column as u32 + 1 }
    }

    /// The byte range of a line (numbered from 1), without its line break.
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let starts = self.line_starts();
        let index = (line.checked_sub(self.lines_before())? as usize).checked_sub(1)?;
        let start = *starts.get(index)? as usize;
        let end = starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        Some(start..start + line.len())
    }

    /// The number of the last line; an empty text has one.
    pub fn line_count(&self) -> u32 {
        (self.line_starts().len() as u32).saturating_add(self.lines_before())
    }

    /// How many lines precede this text if it is a part of a rendered one.
    fn lines_before(&self) -> u32 {
        match &self.kind {
            SourceKind::Rendered(origins) => origins.lines_before(),
            _ => 0,
        }
    }

    fn hide(&mut self, ranges: Vec<Range<u32>>) {
        let mut all = self.hidden.take().unwrap_or_default();
        all.extend(ranges.into_iter().filter(|range| range.start < range.end));
        all.sort_unstable_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<u32>> = Vec::with_capacity(all.len());
        for range in all {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        if matches!(self.kind, SourceKind::Flag)
            && let Some(first) = apart.first()
        {
            self.shorten_name(first.start);
        }
        self.hidden = Some(apart);
    }

    /// Cuts the name of a flag, which repeats its text, before a byte of the text.
    fn shorten_name(&mut self, offset: u32) {
        let Some((flag, shown)) = self.name.split_once(' ') else { return };
        let before = self.text[..self.floor(offset as usize)].chars().count();
        if let Some((end, _)) = shown.char_indices().nth(before) {
            self.name = format!("{flag} {}…", &shown[..end]);
        }
    }

    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    fn characters_before(&self, offset: usize) -> usize {
        let begins = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        let bytes = self.text.as_bytes();
        let counts = self.characters.get_or_init(|| {
            let mut total = 0;
            let mut counts = vec![0];
            for chunk in bytes.chunks(STRIDE) {
                total += begins(chunk) as u32;
                counts.push(total);
            }
            counts
        });
        let stride = offset / STRIDE;
        counts[stride] as usize + begins(&bytes[stride * STRIDE..offset])
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let mut starts = vec![0];
            for index in memchr::memchr2_iter(b'\n', b'\r', bytes) {
                // A lone carriage return ends a line too, as it does for YAML and in editors.
                if bytes.get(index) == Some(&b'\n') || bytes.get(index + 1) != Some(&b'\n') {
                    starts.push(index as u32 + 1);
                }
            }
            starts
        })
    }
}

/// Line and column, both from 1; the column counts Unicode code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in code points.
    pub column: u32,
}

/// All sources of an engine. Shared between threads; texts are added and never changed, but can be given up.
///
/// A [`SourceMap::branch`] sees all of them and adds sources of its own, which are freed with the branch and with those that
/// [include](SourceMap::include) it: what is known of a file that has changed since goes with the last result that points
/// into it.
#[derive(Debug, Default)]
pub struct SourceMap {
    shared: Arc<Shared>,
    /// What only this branch has; nothing for the trunk, whose sources stay.
    branch: Option<Branch>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The sources of the trunk.
    pages: RwLock<Pages>,
    /// How many ids were given out.
    ids: AtomicUsize,
    /// How many sources are held, in all branches.
    held: Arc<AtomicUsize>,
    /// Stands for all sources that were given up.
    given_up: OnceLock<Arc<Source>>,
}

/// The sources of a branch.
type Table = RwLock<FxHashMap<SourceId, Arc<Source>>>;

#[derive(Debug, Default)]
struct Branch {
    own: Arc<Table>,
    /// What it was branched off, the nearest first.
    above: Vec<Arc<Table>>,
    /// The ids that were given out under each name, for branches that come after this one.
    names: Mutex<Names>,
    /// Those of the branch that this one comes after. Each is used once.
    earlier: Mutex<Names>,
}

/// Ids by the names of their sources, rendered texts apart from all others; in the order in which they were given out, the
/// first one last in [`Branch::earlier`].
type Names = FxHashMap<(bool, String), Vec<SourceId>>;

/// Counts a source for as long as it is held.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(count))
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted::new(&self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// So many sources are on a page. A page without any is given back.
const PAGE: usize = 256;

#[derive(Debug, Default)]
struct Pages(Vec<Page>);

#[derive(Debug, Default)]
struct Page {
    slots: Vec<Option<Arc<Source>>>,
    /// How many of them hold a source.
    live: usize,
}

impl Pages {
    fn insert(&mut self, id: SourceId, source: Arc<Source>) {
        let (page, slot) = (id.index() / PAGE, id.index() % PAGE);
        if page >= self.0.len() {
            self.0.resize_with(page + 1, Page::default);
        }
        let Some(page) = self.0.get_mut(page) else { return };
        if slot >= page.slots.len() {
            page.slots.resize(slot + 1, None);
        }
        if let Some(slot) = page.slots.get_mut(slot) {
            *slot = Some(source);
            page.live += 1;
        }
    }

    fn get(&self, id: SourceId) -> Option<&Arc<Source>> {
        self.0.get(id.index() / PAGE)?.slots.get(id.index() % PAGE)?.as_ref()
    }

    fn get_mut(&mut self, id: SourceId) -> Option<&mut Arc<Source>> {
        self.0.get_mut(id.index() / PAGE)?.slots.get_mut(id.index() % PAGE)?.as_mut()
    }

    fn take(&mut self, id: SourceId) -> Option<Arc<Source>> {
        let page = self.0.get_mut(id.index() / PAGE)?;
        let taken = page.slots.get_mut(id.index() % PAGE)?.take()?;
        page.live -= 1;
        if page.live == 0 && page.slots.len() == PAGE {
            page.slots = Vec::new();
        }
        Some(taken)
    }
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// A map that sees the sources of this one, and adds sources of its own.
    pub fn branch(&self) -> Self {
        let tables = self.branch.iter().flat_map(|branch| [&branch.own].into_iter().chain(&branch.above));
        let above = tables.map(Arc::clone).collect();
        SourceMap { shared: Arc::clone(&self.shared), branch: Some(Branch { above, ..Branch::default() }) }
    }

    /// A branch in which sources have the ids that sources with their names had in an earlier one, in the order in which
    /// they are added. So places in a file that is still the same mean the same in both, though either is seen through its
    /// own map.
    pub fn branch_after(&self, earlier: &SourceMap) -> Self {
        let branch = self.branch();
        if let (Some(branch), Some(earlier)) = (&branch.branch, &earlier.branch) {
            let mut names = lock(&earlier.names).clone();
            names.values_mut().for_each(|ids| ids.reverse());
            *lock(&branch.earlier) = names;
        }
        branch
    }

    /// Sees the sources of another branch as well, for as long as this one is there.
    pub fn include(&self, other: &SourceMap) {
        if let (Some(branch), Some(other)) = (&self.branch, &other.branch)
            && !Arc::ptr_eq(&branch.own, &other.own)
        {
            let other = read(&other.own);
            write(&branch.own).extend(other.iter().map(|(id, source)| (*id, Arc::clone(source))));
        }
    }

    /// How many sources are held, in all branches.
    pub fn held(&self) -> usize {
        self.shared.held.load(Ordering::Relaxed)
    }

    /// Adds text under a name.
    pub fn add(&self, name: impl Into<String>, kind: SourceKind, text: impl Into<Arc<str>>) -> SourceId {
        let name = name.into();
        let new_id = || SourceId::from_index(self.shared.ids.fetch_add(1, Ordering::Relaxed));
        let counted = Counted::new(&self.shared.held);
        match &self.branch {
            None => {
                let source = Arc::new(Source::new(name, kind, text.into(), counted));
                let mut pages = write(&self.shared.pages);
                let id = new_id();
                pages.insert(id, source);
                id
            }
            Some(branch) => {
                let key = (matches!(kind, SourceKind::Rendered(_)), name);
                let earlier = lock(&branch.earlier).get_mut(&key).and_then(Vec::pop);
                let id = earlier.unwrap_or_else(new_id);
                let source = Arc::new(Source::new(key.1.clone(), kind, text.into(), counted));
                write(&branch.own).insert(id, source);
                lock(&branch.names).entry(key).or_default().push(id);
                id
            }
        }
    }

    /// Adds a file from its bytes.
    ///
    /// Bytes that are not UTF-8 become replacement characters, so that positions can still be printed;
    /// the second result is the span of the first of them.
    pub fn add_file(&self, name: impl Into<String>, bytes: Vec<u8>) -> (SourceId, Option<Span>) {
        match String::from_utf8(bytes) {
            Ok(text) => (self.add(name, SourceKind::File, text), None),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let id = self.add(name, SourceKind::File, text);
                (id, Some(id.span(valid, valid + char::REPLACEMENT_CHARACTER.len_utf8())))
            }
        }
    }

    /// Drops the name and the text of a source that nothing points at any more, so a run over many files need
    /// not hold them all.
    pub fn give_up(&self, id: SourceId) {
        let taken = match &self.branch {
            None => write(&self.shared.pages).take(id),
            Some(branch) => write(&branch.own).remove(&id),
        };
        // The text is freed when others can go on.
        drop(taken);
    }

    /// Hides further byte ranges of a source, from everybody who sees it through this map. The name of a flag ends before
    /// the first of them.
    pub fn hide(&self, id: SourceId, ranges: Vec<Range<u32>>) {
        match &self.branch {
            None => {
                if let Some(source) = write(&self.shared.pages).get_mut(id) {
                    Arc::make_mut(source).hide(ranges);
                }
            }
            Some(branch) => {
                let Some(mut source) = self.find(id) else { return };
                Arc::make_mut(&mut source).hide(ranges);
                write(&branch.own).insert(id, source);
            }
        }
    }

    /// The first source with a name that was added or included here, rendered texts aside.
    pub fn named(&self, name: &str) -> Option<SourceId> {
        match &self.branch {
            Some(branch) => {
                let own = read(&branch.own);
                let is_it = |(_, source): &(&SourceId, &Arc<Source>)| {
                    source.name == name && !matches!(source.kind, SourceKind::Rendered(_))
                };
                own.iter().filter(is_it).map(|(id, _)| *id).min()
            }
            None => {
                let pages = read(&self.shared.pages);
                let is_it =
                    |source: &Source| source.name == name && !matches!(source.kind, SourceKind::Rendered(_));
                let slots = pages.0.iter().zip(0_usize..).flat_map(|(page, number)| {
                    page.slots
                        .iter()
                        .zip(number * PAGE..)
                        .filter_map(|(slot, index)| Some((slot.as_ref()?, index)))
                });
                slots.filter(|(source, _)| is_it(source)).map(|(_, index)| SourceId::from_index(index)).next()
            }
        }
    }

    /// The source of an id; an empty one if it was given up.
    pub fn get(&self, id: SourceId) -> Arc<Source> {
        self.find(id).unwrap_or_else(|| {
            let nothing = || {
                let counted = Counted(Arc::new(AtomicUsize::new(1)));
                Arc::new(Source::new(String::new(), SourceKind::File, Arc::from(""), counted))
            };
            Arc::clone(self.shared.given_up.get_or_init(nothing))
        })
    }

    fn find(&self, id: SourceId) -> Option<Arc<Source>> {
        let tables = self.branch.iter().flat_map(|branch| [&branch.own].into_iter().chain(&branch.above));
        tables
            .map(|table| read(table).get(&id).map(Arc::clone))
            .find(Option::is_some)
            .unwrap_or_else(|| read(&self.shared.pages).get(id).map(Arc::clone))
    }

    /// Line and column where a span begins, in its own source.
    pub fn position(&self, span: Span) -> Position {
        self.get(span.source).position(span.start)
    }

    /// Follows a span in rendered text back to the files that it was made from.
    ///
    /// A span of any other source is its own origin.
    pub fn resolve(&self, span: Span) -> Resolved {
        let mut resolved = Resolved {
            span,
            is_copied: true,
            value: None,
            parts: Vec::new(),
            caller: None,
            through: Vec::new(),
        };
        loop {
            let source = self.get(resolved.span.source);
            let SourceKind::Rendered(map) = source.kind() else { return resolved };
            let Some(found) = map.lookup(resolved.span, source.text()) else { return resolved };
            resolved.through.push(resolved.span);
            resolved.is_copied = found.is_copied;
            resolved.value = resolved.value.or(found.value);
            resolved.caller = resolved.caller.or(found.caller);
            if resolved.parts.is_empty() {
                resolved.parts = found.parts;
            }
            // A rendered text can only be made from sources that existed before it; anything else would be a
            // loop, so the rendered place is returned.
            if found.span.source >= resolved.span.source {
                return resolved;
            }
            resolved.span = found.span;
        }
    }

    /// Where the text of a span was typed verbatim, if it was: editing it there changes the rendered text in
    /// the same way. A span outside rendered text is returned unchanged.
    pub fn typed(&self, span: Span) -> Option<Span> {
        let mut span = span;
        loop {
            let source = self.get(span.source);
            let SourceKind::Rendered(map) = source.kind() else { return Some(span) };
            let text_of = |place: Span| self.get(place.source).slice(place).to_owned();
            let typed = map.typed(span, source.text(), text_of)?;
            if typed.source >= span.source {
                return None;
            }
            span = typed;
        }
    }
}

fn read<T>(locked: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    locked.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(locked: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    locked.write().unwrap_or_else(PoisonError::into_inner)
}

fn lock<T>(locked: &Mutex<T>) -> MutexGuard<'_, T> {
    locked.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str, offset: u32) -> (u32, u32) {
        let map = SourceMap::new();
        let id = map.add("t", SourceKind::File, text);
        let position = map.position(id.span(offset as usize, offset as usize));
        (position.line, position.column)
    }

    #[test]
    fn columns_count_code_points() {
        assert_eq!(position("aé漢z", 6), (1, 4));
        assert_eq!(position("aé漢z", 4), (1, 3), "inside a character is its start");
        assert_eq!(position("", 7), (1, 1));
    }

    #[test]
    fn columns_of_long_lines_are_the_same() {
        let text = "x\n".to_owned() + &"aé漢🎉".repeat(3 * STRIDE) + "\nend";
        let map = SourceMap::new();
        let source = map.get(map.add("t", SourceKind::File, text.as_str()));
        let line = text.char_indices().skip(2).take_while(|&(_, character)| character != '\n');
        for ((offset, _), column) in line.zip(1..) {
            assert_eq!(source.position(offset as u32), Position { line: 2, column }, "at {offset}");
        }
        assert_eq!(source.position(u32::MAX), Position { line: 3, column: 4 });
    }

    #[test]
    fn every_kind_of_line_break_counts_once() {
        let text = "a\nb\r\nc\rd";
        assert_eq!(position(text, 2), (2, 1));
        assert_eq!(position(text, 5), (3, 1));
        assert_eq!(position(text, 7), (4, 1));
        let map = SourceMap::new();
        let source = map.get(map.add("t", SourceKind::File, text));
        assert_eq!(source.line_count(), 4);
        assert_eq!(source.line_range(2).map(|range| &text[range]), Some("b"));
        assert_eq!(source.line_range(5), None);
    }

    #[test]
    fn dropping_a_source_leaves_the_others_alone() {
        let map = SourceMap::new();
        let ids = ["a", "b", "c"].map(|name| map.add(name, SourceKind::File, name.repeat(3)));
        map.give_up(ids[1]);
        let texts = ids.map(|id| (map.get(id).name().to_owned(), map.get(id).text().to_string()));
        let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(texts, [text("a", "aaa"), text("", ""), text("c", "ccc")]);
        assert_eq!(map.position(ids[1].span(2, 3)), Position { line: 1, column: 1 });
        assert!(map.add("d", SourceKind::File, "") > ids[2]);
    }

    #[test]
    fn a_branch_takes_its_sources_along() {
        let map = SourceMap::new();
        let kept = map.add("kept", SourceKind::File, "k");
        let held = map.held();
        for round in 0..(3 * PAGE) {
            let branch = map.branch();
            let id = branch.add("passing", SourceKind::File, "p");
            assert_eq!((branch.get(id).name(), branch.get(kept).name()), ("passing", "kept"), "{round}");
            let including = map.branch();
            including.include(&branch);
            drop(branch);
            assert_eq!((including.get(id).name(), map.get(id).text().len()), ("passing", 0), "{round}");
            drop(including);
            assert_eq!(map.held(), held, "{round}");
        }
        assert_eq!(map.get(kept).name(), "kept");
        let slots: usize = read(&map.shared.pages).0.iter().map(|page| page.slots.len()).sum();
        assert!(slots <= 2 * PAGE, "{slots}");
    }

    #[test]
    fn a_branch_after_another_gives_out_the_same_ids() {
        let map = SourceMap::new();
        let rendered = || SourceKind::Rendered(OriginMap::new());
        let first = map.branch();
        let ids = ["a", "b", "a"].map(|name| first.add(name, SourceKind::File, "1"));
        let other = first.add("a", rendered(), "rendered");
        let second = map.branch_after(&first);
        let again = ["b", "a", "a", "a"].map(|name| second.add(name, SourceKind::File, "2"));
        assert_eq!(again[..3], [ids[1], ids[0], ids[2]]);
        assert!(again[3] > other);
        assert_eq!(second.add("a", rendered(), "rendered"), other);
        assert_eq!((&**first.get(ids[0]).text(), &**second.get(ids[0]).text()), ("1", "2"));
        // What is hidden in one of them is to be seen in the other.
        second.hide(ids[0], std::iter::once(0..1).collect());
        assert!(first.get(ids[0]).hidden().is_none() && second.get(ids[0]).hidden().is_some());
        assert_eq!((second.named("b"), second.named("c"), map.named("b")), (Some(ids[1]), None, None));
        let third = map.branch_after(&second);
        assert_eq!(third.add("b", SourceKind::File, "3"), ids[1]);
    }

    #[test]
    fn hidden_ranges_are_joined_and_cut() {
        let map = SourceMap::new();
        let id = map.add("t", SourceKind::File, "0123456789");
        assert_eq!(map.get(id).hidden(), None);
        map.hide(id, vec![]);
        assert_eq!(map.get(id).hidden(), Some(&[][..]));
        map.hide(id, vec![6..8, 1..3, 9..9]);
        map.hide(id, vec![3..4, 7..9]);
        let source = map.get(id);
        assert_eq!(source.hidden(), Some(&[1..4, 6..9][..]));
        let inside = |range| source.hidden_in(range).collect::<Vec<_>>();
        assert_eq!(inside(0..10), [1..4, 6..9]);
        assert_eq!(inside(2..7), [2..4, 6..7]);
        assert!(inside(4..6).is_empty() && inside(9..20).is_empty());
    }

    #[test]
    fn what_is_hidden_in_a_flag_leaves_its_name() {
        for (name, text, start, shown) in [
            ("--set é.b=x,c=1", "é.b=x,c=1", 5, "--set é.b=…"),
            ("--set a=12…", "a=12345,b=6", 10, "--set a=12…"),
            ("--set a b", "a\nb", 2, "--set a …"),
        ] {
            let map = SourceMap::new();
            let id = map.add(name, SourceKind::Flag, text);
            map.hide(id, std::iter::once(start..text.len() as u32).collect());
            assert_eq!(map.get(id).name(), shown);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_located() {
        let map = SourceMap::new();
        let (id, bad) = map.add_file("t", b"ab\n\xffc".to_vec());
        assert_eq!(bad, Some(id.span(3, 6)));
        assert_eq!(map.position(id.span(3, 6)), Position { line: 2, column: 1 });
        assert_eq!(map.add_file("u", b"ok".to_vec()).1, None);
    }
}
