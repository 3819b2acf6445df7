//! An index of the keys of large maps. Scanning all entries for each key would take quadratic time, for example
//! with a hundred thousand definitions that refer to each other.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::{Document, NodeRef, Shape};

/// Maps with up to this many entries are scanned instead.
pub(super) const WIDE: usize = 256;

/// For each large map, identified by the start of its entries: the sorted hashes of its keys, with the entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Wide {
    maps: FxHashMap<u32, Box<[(u64, u32)]>>,
}

impl Wide {
    fn new(document: &Document) -> Self {
        let mut maps = FxHashMap::default();
        for data in document.nodes.iter().filter(|data| data.shape == Shape::Mapping) {
            let (start, end) = ((data.payload >> 32) as u32, data.payload as u32);
            let range = start as usize..end as usize;
            if range.len() <= WIDE {
                continue;
            }
            let entries = document.entries.get(range).unwrap_or_default().iter();
            let mut hashes: Box<[(u64, u32)]> = entries
                .zip(start..)
                .map(|(entry, index)| (hash(&document.node(entry.key).key_text()), index))
                .collect();
            hashes.sort_unstable();
            maps.insert(start, hashes);
        }
        Wide { maps }
    }
}

fn hash(key: &str) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl<'a> NodeRef<'a> {
    /// Key and value nodes of a key of a large map.
    pub(super) fn wide_entry(self, key: &str, begins: u64) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
        let document = self.document;
        let wide = document.wide.get_or_init(|| Wide::new(document));
        let Some(hashes) = wide.maps.get(&((self.data().payload >> 32) as u32)) else {
            // The map was added after the index: the document is still being built.
            return self.entries()?.find(|(name, _)| name.is_key(key, begins));
        };
        let wanted = hash(key);
        let from = hashes.partition_point(|(hash, _)| *hash < wanted);
        let candidates = hashes.get(from..).unwrap_or_default().iter();
        candidates.take_while(|(hash, _)| *hash == wanted).find_map(|(_, index)| {
            let entry = document.entries.get(*index as usize)?;
            let (name, value) = (document.node(entry.key), document.node(entry.value));
            name.is_key(key, begins).then_some((name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceId;

    use super::*;
    use crate::{ReadOptions, read};

    #[test]
    fn keys_of_large_maps_are_found() {
        let mut text = String::from("small: {a: 1}\nlarge:\n");
        for number in 0..2 * WIDE {
            text.push_str(&format!("  key-{number}: {number}\n"));
        }
        text.push_str("  7: seven\n  \"quo\\u0074ed\": q\n  yes: y\n  key-3: again\n");
        let stream = read(SourceId::from_index(0), &text.as_str().into(), &ReadOptions::default());
        let large = stream.documents[0].root().get("large").unwrap();
        let found = |key: &str| large.get(key).and_then(|value| value.text());
        for (key, value) in [
            ("key-0", "0"),
            ("key-511", "511"),
            ("7", "seven"),
            ("quoted", "q"),
            ("true", "y"),
            ("key-3", "again"),
        ] {
            assert_eq!(found(key), Some(value), "{key}");
        }
        assert_eq!(found("key-512"), None);
        // The index and a scan find the same entry.
        for (key, value) in large.entries().unwrap() {
            let (name, same) = large.get_entry(&key.key_text()).unwrap();
            assert_eq!((name.id(), same.id()), (key.id(), value.id()));
        }
    }
}
