//! What templates read of watched values, noted in a form that can be compared with what has changed since.
//!
//! A read is noted as a number made of the place of a map and of what was asked of it. Two different reads that have the same
//! number are taken for one: then something counts as changed that is not, and never the other way round.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use trueline_source::Span;
use trueline_yaml as yaml;

/// Reads of watched values.
#[derive(Debug, Clone, Default)]
pub struct Reads(FxHashSet<u64>);

impl Reads {
    pub(super) fn note(&mut self, place: MapPlace, asked: Asked<'_>) {
        self.0.insert(place.number(asked));
    }

    /// Whether a change may show in what was read.
    pub fn see(&self, changes: &Changes) -> bool {
        changes.0.iter().any(|change| self.0.contains(change))
    }
}

/// What is asked of a map.
#[derive(Debug, Clone, Copy, Hash)]
pub(super) enum Asked<'k> {
    /// The value of a key, also of one that is not there. Of a map, only that it is one.
    Key(&'k str),
    /// Which keys there are.
    Keys,
    /// All entries; maps inside are asked for theirs.
    Entries,
}

/// Where a map is, seen from the outermost one.
#[derive(Debug, Clone, Copy)]
pub(super) struct MapPlace(u64);

impl MapPlace {
    pub(super) const ROOT: MapPlace = MapPlace(0);

    /// The place of the map under a key.
    pub(super) fn below(self, key: &str) -> MapPlace {
        MapPlace(self.number(Asked::Key(key)))
    }

    fn number(self, asked: Asked<'_>) -> u64 {
        let mut hasher = FxHasher::default();
        self.0.hash(&mut hasher);
        asked.hash(&mut hasher);
        hasher.finish()
    }
}

/// How values differ from what they were before.
#[derive(Debug, Clone, Default)]
pub struct Changes(Vec<u64>);

impl Changes {
    /// The changes between two values. `moved` says where a place of the first is now; a value that is not there any more has
    /// changed as well.
    pub fn between(
        before: &yaml::Value,
        after: &yaml::Value,
        moved: &dyn Fn(Span) -> Option<Span>,
    ) -> Changes {
        let mut comparison = Comparison { moved, changes: Vec::new() };
        if let (yaml::Data::Map(before), yaml::Data::Map(after)) = (&before.data, &after.data) {
            comparison.maps(before, after, MapPlace::ROOT);
        }
        Changes(comparison.changes)
    }

    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct Comparison<'m> {
    moved: &'m dyn Fn(Span) -> Option<Span>,
    changes: Vec<u64>,
}

impl Comparison<'_> {
    fn maps(&mut self, before: &yaml::Map, after: &yaml::Map, place: MapPlace) {
        let (mut has_other_keys, mut differs) = (before.len() != after.len(), false);
        for (key, entry) in before {
            let Some(now) = after.get(key) else {
                (has_other_keys, differs) = (true, true);
                self.changes.push(place.number(Asked::Key(key)));
                continue;
            };
            if !self.is_same_place(entry.key_origin, now.key_origin)
                || !self.is_same(&entry.value, &now.value)
            {
                differs = true;
                self.changes.push(place.number(Asked::Key(key)));
            }
            if let (yaml::Data::Map(before), yaml::Data::Map(after)) = (&entry.value.data, &now.value.data) {
                self.maps(before, after, place.below(key));
            }
        }
        for key in after.keys().filter(|key| !before.contains_key(*key)) {
            self.changes.push(place.number(Asked::Key(key)));
        }
        if has_other_keys {
            self.changes.push(place.number(Asked::Keys));
        }
        if has_other_keys || differs {
            self.changes.push(place.number(Asked::Entries));
        }
    }

    fn is_same_place(&self, before: Option<Span>, after: Option<Span>) -> bool {
        match before {
            Some(before) => after.is_some() && (self.moved)(before) == after,
            None => after.is_none(),
        }
    }

    /// Whether two values are the same, what is in maps left out.
    fn is_same(&self, before: &yaml::Value, after: &yaml::Value) -> bool {
        self.is_same_place(before.origin, after.origin)
            && match (&before.data, &after.data) {
                (yaml::Data::Null, yaml::Data::Null) | (yaml::Data::Map(_), yaml::Data::Map(_)) => true,
                (yaml::Data::Bool(before), yaml::Data::Bool(after)) => before == after,
                (yaml::Data::Int(before), yaml::Data::Int(after)) => before == after,
                (yaml::Data::UInt(before), yaml::Data::UInt(after)) => before == after,
                (yaml::Data::Float(before), yaml::Data::Float(after)) => before.to_bits() == after.to_bits(),
                (yaml::Data::String(before), yaml::Data::String(after)) => before == after,
                (yaml::Data::List(before), yaml::Data::List(after)) => {
                    before.len() == after.len()
                        && before.iter().zip(after.iter()).all(|(before, after)| self.is_whole(before, after))
                }
                _ => false,
            }
    }

    /// The same with what is in maps.
    fn is_whole(&self, before: &yaml::Value, after: &yaml::Value) -> bool {
        let is_same_entry = |key: &str, before: &yaml::MapEntry, after: &yaml::Map| {
            after.get(key).is_some_and(|after| {
                self.is_same_place(before.key_origin, after.key_origin)
                    && self.is_whole(&before.value, &after.value)
            })
        };
        self.is_same(before, after)
            && match (&before.data, &after.data) {
                (yaml::Data::Map(before), yaml::Data::Map(after)) => {
                    before.len() == after.len()
                        && before.iter().all(|(key, entry)| is_same_entry(key, entry, after))
                }
                _ => true,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Data, Map, Origins, Value, Watch};
    use super::*;

    type Read = fn(&Map);

    fn inner(map: &Map, key: &str) -> Map {
        map.get(key).and_then(|value| value.as_map().cloned()).unwrap()
    }

    #[test]
    fn a_change_shows_in_what_read_it_and_nowhere_else() {
        let before = r#"{"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 1}], "g": "x"}"#;
        let key: Read = |map| drop(inner(map, "a").get("b"));
        let missing: Read = |map| drop(inner(map, "a").get("z"));
        let keys: Read = |map| assert!(!inner(map, "a").is_empty());
        let entries: Read = |map| drop(inner(map, "a").entries());
        let all: Read = |map| drop(Value::from(map.clone()).to_plain());
        let list: Read = |map| drop(map.get("e"));
        let truth: Read = |map| assert!(map.get("a").unwrap().is_true());
        let reads = [key, missing, keys, entries, all, list, truth];
        for (after, seen) in [
            (before, [false; 7]),
            (
                r#"{"a": {"b": 2, "c": {"d": 2}}, "e": [{"f": 1}], "g": "x"}"#,
                [true, false, false, true, true, false, false],
            ),
            (
                r#"{"a": {"b": 1.0, "c": {"d": 2}}, "e": [{"f": 1}], "g": "x"}"#,
                [true, false, false, true, true, false, false],
            ),
            (
                r#"{"a": {"b": 1, "c": {"d": 3}}, "e": [{"f": 1}], "g": "x"}"#,
                [false, false, false, false, true, false, false],
            ),
            (
                r#"{"a": {"b": 1, "c": {"d": 2}, "z": 1}, "e": [{"f": 1}], "g": "x"}"#,
                [false, true, true, true, true, false, true],
            ),
            (
                r#"{"a": {"c": {"d": 2}}, "e": [{"f": 1}], "g": "x"}"#,
                [true, false, true, true, true, false, true],
            ),
            (
                r#"{"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 2}], "g": "x"}"#,
                [false, false, false, false, true, true, false],
            ),
            (r#"{"a": 5, "e": [{"f": 1}], "g": "x"}"#, [true, true, true, true, true, false, true]),
            (
                r#"{"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 1}], "g": "y"}"#,
                [false, false, false, false, true, false, false],
            ),
        ] {
            let plain = |text: &str| yaml::Value::from_json_text(text).unwrap();
            let changes = Changes::between(&plain(before), &plain(after), &Some);
            for (number, (read, seen)) in reads.iter().zip(seen).enumerate() {
                let watch = Watch::default();
                let value = Value::from_plain(&plain(before), Origins::Dropped);
                value.watch_reads(&watch);
                let Data::Map(map) = &value.data else { panic!("{before}") };
                watch.note_reads();
                read(map);
                let noted = watch.take_reads();
                assert_eq!(noted.see(&changes), seen, "{number} {after}");
            }
        }
    }

    #[test]
    fn what_is_elsewhere_now_has_changed_unless_it_moved() {
        let source = trueline_source::SourceId::from_index(0);
        let at = |start| {
            let value =
                yaml::Value { data: yaml::Data::Bool(true), origin: Some(source.span(start, start + 1)) };
            [("a", value)].into_iter().collect::<yaml::Value>()
        };
        let by_two = |span: Span| Some(Span { start: span.start + 2, end: span.end + 2, ..span });
        assert!(Changes::between(&at(1), &at(3), &by_two).is_empty());
        assert!(!Changes::between(&at(1), &at(1), &by_two).is_empty());
        assert!(!Changes::between(&at(1), &at(3), &|_| None).is_empty());
    }
}
