//! Maps. As in Go, everybody who has a map sees what others write to it.

use std::cell::{Cell, OnceCell, Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use trueline_source::Span;

use super::reads::{Asked, MapPlace, Reads};
use super::{MapKind, Value, drop};

/// A map with string keys. Copies of the handle share the map.
#[derive(Debug, Clone)]
pub struct Map {
    kind: MapKind,
    entries: Rc<Entries>,
    nil: bool,
}

#[derive(Debug, Default)]
struct Entries {
    /// Sorted, because templates iterate over maps in the order of their keys.
    sorted: RefCell<BTreeMap<Arc<str>, Entry>>,
    watch: OnceCell<Watched>,
}

#[derive(Debug)]
struct Watched {
    watch: Watch,
    /// Where the map is, if reads of it are noted.
    place: Option<MapPlace>,
}

/// Records whether one of the watched maps was written to, and, once somebody asks for that, what was read of them.
#[derive(Debug, Clone, Default)]
pub struct Watch(Rc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    is_written: Cell<bool>,
    reads: RefCell<Option<Reads>>,
}

impl Watch {
    /// Whether something was written since the last call.
    pub fn take(&self) -> bool {
        self.0.is_written.take()
    }

    /// From now on, reads are noted.
    pub fn note_reads(&self) {
        *self.0.reads.borrow_mut() = Some(Reads::default());
    }

    /// What was read since; from now on, nothing is noted.
    pub fn take_reads(&self) -> Reads {
        self.0.reads.take().unwrap_or_default()
    }
}

/// The value of a key, and where the key was typed.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where the key was typed.
    pub key_origin: Option<Span>,
    /// The value.
    pub value: Value,
}

impl Map {
    /// An empty map.
    pub fn new(kind: MapKind) -> Self {
        Map { kind, entries: Rc::default(), nil: false }
    }

    /// Go's nil map: empty, encoded as `null`, and read-only.
    pub fn nil(kind: MapKind) -> Self {
        Map { kind, entries: Rc::default(), nil: true }
    }

    /// Whether it is Go's nil map, which Go panics on when it is written to.
    pub fn is_nil(&self) -> bool {
        self.nil
    }

    /// A map with these entries.
    pub fn from_entries(kind: MapKind, entries: impl IntoIterator<Item = (Arc<str>, Entry)>) -> Self {
        let sorted = RefCell::new(entries.into_iter().collect());
        Map { kind, entries: Rc::new(Entries { sorted, watch: OnceCell::new() }), nil: false }
    }

    /// From now on `watch` records writes to the map; a map that is already watched keeps its first watch.
    pub fn watch(&self, watch: &Watch) {
        self.entries.watch.get_or_init(|| Watched { watch: watch.clone(), place: None });
    }

    /// The same for reads, with the place of the map among those that are watched.
    pub(super) fn watch_reads(&self, watch: &Watch, place: MapPlace) {
        self.entries.watch.get_or_init(|| Watched { watch: watch.clone(), place: Some(place) });
    }

    /// The type of its values, or its own name.
    pub fn kind(&self) -> MapKind {
        self.kind
    }

    /// The same map under another type.
    pub fn with_kind(&self, kind: MapKind) -> Self {
        Map { kind, entries: Rc::clone(&self.entries), nil: self.nil }
    }

    /// Whether both are one map in memory.
    pub fn same(&self, other: &Map) -> bool {
        Rc::ptr_eq(&self.entries, &other.entries)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.look_up(key, |entry| entry.map(|entry| entry.value.clone()))
    }

    /// Looks at the entry of a key without copying it. `look` must not write to the map.
    pub(crate) fn look_up<R>(&self, key: &str, look: impl FnOnce(Option<&Entry>) -> R) -> R {
        self.entries.note(Asked::Key(key));
        look(self.entries.sorted.borrow().get(key))
    }

    /// The value of a key and where the key was typed.
    pub fn entry(&self, key: &str) -> Option<Entry> {
        self.look_up(key, |entry| entry.cloned())
    }

    /// Whether it has the key.
    pub fn contains(&self, key: &str) -> bool {
        self.look_up(key, |entry| entry.is_some())
    }

    /// Sets the value of a key; an existing key keeps its origin.
    pub fn set(&self, key: impl Into<Arc<str>>, value: Value) {
        let key = key.into();
        let mut entries = self.entries.write();
        let key_origin = entries.get(&key).and_then(|entry| entry.key_origin);
        let replaced = entries.insert(key, Entry { key_origin, value });
        // The freed value may contain this very map.
        std::mem::drop(entries);
        drop::free(replaced.into_iter().map(|entry| entry.value));
    }

    /// Sets a key with its origin.
    pub fn set_entry(&self, key: impl Into<Arc<str>>, entry: Entry) {
        let replaced = self.entries.write().insert(key.into(), entry);
        drop::free(replaced.into_iter().map(|entry| entry.value));
    }

    /// Removes a key.
    pub fn remove(&self, key: &str) -> Option<Value> {
        let removed = self.entries.write().remove(key);
        removed.map(|entry| entry.value)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.read(Asked::Keys).len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.read(Asked::Keys).is_empty()
    }

    /// The keys, sorted.
    pub fn keys(&self) -> Vec<Arc<str>> {
        self.entries.read(Asked::Keys).keys().cloned().collect()
    }

    /// A snapshot of the entries, sorted by key: writes to the map during the iteration are not visible.
    pub fn entries(&self) -> Vec<(Arc<str>, Entry)> {
        let entries = self.entries.read(Asked::Entries);
        entries.iter().map(|(key, entry)| (Arc::clone(key), entry.clone())).collect()
    }

    /// Reads the entries without copying them. `read` must not write to the map.
    pub fn read<R>(&self, read: impl FnOnce(&BTreeMap<Arc<str>, Entry>) -> R) -> R {
        read(&self.entries.read(Asked::Entries))
    }

    /// Calls `visit` with each entry in the order of the keys, without copying them. `visit` must not
    /// write to the map.
    pub(crate) fn visit<E>(
        &self,
        mut visit: impl FnMut(&Arc<str>, &Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        self.entries.read(Asked::Entries).iter().try_for_each(|(key, entry)| visit(key, entry))
    }
}

impl<K: Into<Arc<str>>> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (key.into(), Entry { key_origin: None, value }));
        Map::from_entries(MapKind::Any, entries)
    }
}

impl Entries {
    fn note(&self, asked: Asked<'_>) {
        if let Some(Watched { watch, place: Some(place) }) = self.watch.get()
            && let Some(reads) = &mut *watch.0.reads.borrow_mut()
        {
            reads.note(*place, asked);
        }
    }

    fn read(&self, asked: Asked<'_>) -> Ref<'_, BTreeMap<Arc<str>, Entry>> {
        self.note(asked);
        self.sorted.borrow()
    }

    fn write(&self) -> RefMut<'_, BTreeMap<Arc<str>, Entry>> {
        if let Some(Watched { watch, .. }) = self.watch.get() {
            watch.0.is_written.set(true);
        }
        self.sorted.borrow_mut()
    }
}

impl Drop for Entries {
    fn drop(&mut self) {
        let entries = std::mem::take(self.sorted.get_mut());
        drop::free(entries.into_values().map(|entry| entry.value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_write_to_a_watched_map_is_recorded() {
        let watch = Watch::default();
        let map = Map::from_iter([("a", Value::int(1))]);
        Value::list(vec![map.clone().into()]).watch(&watch);
        let other = Map::new(MapKind::Any);
        let entry = || Entry { key_origin: None, value: Value::nil() };
        let writes: [&dyn Fn(&Map); 3] =
            [&|map| map.set("a", Value::int(2)), &|map| map.set_entry("b", entry()), &|map| {
                drop(map.remove("b"))
            }];
        for (number, write) in writes.iter().enumerate() {
            write(&other);
            assert!(!watch.take(), "{number}");
            write(&map.with_kind(MapKind::Named("other")));
            assert!(watch.take() && !watch.take(), "{number}");
        }
        map.get("a");
        map.entries();
        assert!(!watch.take());
    }
}
