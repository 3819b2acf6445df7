//! When two values are the same, as Go's `reflect.DeepEqual` has it: type and value, keys in order.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::{DocumentSet, Map, MapItem, Value};

impl Value {
    /// Whether it is the same value: of the same type, with the same items in the same order. `1` and `1.0` differ,
    /// and a NaN is not even the same as itself. Positions and annotations do not count.
    #[inline]
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            // Mostly keys are compared.
            (Value::String(one), Value::String(two)) => one == two,
            _ => self.is_same_in_parts(other),
        }
    }

    fn is_same_in_parts(&self, other: &Value) -> bool {
        // Scalars, which most values are, need no list of what is still open.
        let mut open = Vec::new();
        let mut next = Some((self, other));
        while let Some((one, two)) = next {
            let same = match (one, two) {
                (Value::Null, Value::Null) => true,
                (Value::Bool(one), Value::Bool(two)) => one == two,
                (Value::Int(one), Value::Int(two)) => one == two,
                (Value::UInt(one), Value::UInt(two)) => one == two,
                (Value::Float(one), Value::Float(two)) => one == two,
                (Value::String(one), Value::String(two)) => one == two,
                (Value::Map(one), Value::Map(two)) => {
                    open.extend(
                        one.items
                            .iter()
                            .zip(&two.items)
                            .rev()
                            .flat_map(|(one, two)| [(&one.value, &two.value), (&one.key, &two.key)]),
                    );
                    one.items.len() == two.items.len()
                }
                (Value::Array(one), Value::Array(two)) => {
                    open.extend(
                        one.items.iter().zip(&two.items).rev().map(|(one, two)| (&one.value, &two.value)),
                    );
                    one.items.len() == two.items.len()
                }
                _ => false,
            };
            if !same {
                return false;
            }
            next = open.pop();
        }
        true
    }

    /// A number that is the same for two values that are the same.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut state = FxHasher::default();
        let mut open = Vec::new();
        let mut next = Some(self);
        while let Some(value) = next {
            std::mem::discriminant(value).hash(&mut state);
            match value {
                Value::Null => {}
                Value::Bool(value) => value.hash(&mut state),
                Value::Int(value) => value.hash(&mut state),
                Value::UInt(value) => value.hash(&mut state),
                // Both zeros are the same.
                Value::Float(value) => (value + 0.0).to_bits().hash(&mut state),
                Value::String(text) => text.hash(&mut state),
                Value::Map(map) => {
                    map.items.len().hash(&mut state);
                    open.extend(map.items.iter().flat_map(|item| [&item.key, &item.value]));
                }
                Value::Array(array) => {
                    array.items.len().hash(&mut state);
                    open.extend(array.items.iter().map(|item| &item.value));
                }
            }
            next = open.pop();
        }
        state.finish()
    }
}

/// Up to how many items keys are compared one by one.
const FEW: usize = 8;

/// Where keys are in a list of map items: keys of large maps must not be searched one by one.
#[derive(Debug, Default)]
pub struct KeyIndex {
    /// How many items are known.
    length: usize,
    /// Indices by fingerprint; only once there are more than a few. Boxed, because few maps have as many.
    places: Option<Box<FxHashMap<u64, Vec<u32>>>>,
}

impl KeyIndex {
    /// An index without items.
    pub fn new() -> Self {
        KeyIndex::default()
    }

    /// An index of a map.
    pub fn of(map: &Map) -> Self {
        let mut index = KeyIndex::new();
        index.update(&map.items);
        index
    }

    /// Takes in the items that came to the end since the last call. Whoever removes items begins a new index.
    pub fn update(&mut self, items: &[MapItem]) {
        if items.len() > FEW {
            let places = self.places.get_or_insert_with(|| {
                self.length = 0;
                Box::new(FxHashMap::with_capacity_and_hasher(items.len(), FxBuildHasher))
            });
            for (place, item) in items.iter().enumerate().skip(self.length) {
                places.entry(item.key.fingerprint()).or_default().push(place as u32);
            }
        }
        self.length = items.len();
    }

    /// The first item with this key. `items` are those of the last update.
    pub fn find(&self, items: &[MapItem], key: &Value) -> Option<usize> {
        let Some(places) = &self.places else {
            return items.iter().position(|item| item.key.is_same(key));
        };
        let places = places.get(&key.fingerprint())?;
        let is_it = |place: &usize| items.get(*place).is_some_and(|item| item.key.is_same(key));
        places.iter().map(|&place| place as usize).find(is_it)
    }

    /// All items with this key: overlays can add a key that is there already.
    pub fn find_all<'a>(
        &'a self,
        items: &'a [MapItem],
        key: &'a Value,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let candidates: &[u32] = match &self.places {
            None => &[],
            Some(places) => places.get(&key.fingerprint()).map_or(&[], Vec::as_slice),
        };
        let unindexed = if self.places.is_none() { 0..items.len() } else { 0..0 };
        let is_it = |place: &usize| items.get(*place).is_some_and(|item| item.key.is_same(key));
        candidates.iter().map(|&place| place as usize).chain(unindexed).filter(is_it)
    }
}

impl Map {
    /// The first item with this key.
    pub fn get(&self, key: &Value) -> Option<&MapItem> {
        self.items.iter().find(|item| item.key.is_same(key))
    }

    /// The first item with this string as its key.
    pub fn get_str(&self, key: &str) -> Option<&MapItem> {
        self.items.iter().find(|item| matches!(&item.key, Value::String(text) if *text == *key))
    }

    /// Of items with the same key, keeps the last in the place of the first. Says whether there were any.
    pub fn override_keys(&mut self) -> bool {
        let mut index = KeyIndex::new();
        let mut kept: Vec<MapItem> = Vec::with_capacity(self.items.len());
        let before = self.items.len();
        for item in std::mem::take(&mut self.items) {
            match index.find(&kept, &item.key) {
                Some(place) => kept[place] = item,
                None => {
                    kept.push(item);
                    index.update(&kept);
                }
            }
        }
        self.items = kept;
        self.items.len() < before
    }

    /// Whether a key is there twice.
    pub fn has_duplicate_keys(&self) -> bool {
        self.second_with_a_key().is_some()
    }

    /// The first item that has the key of one before it.
    pub fn second_with_a_key(&self) -> Option<&MapItem> {
        let mut index = KeyIndex::new();
        self.items.iter().enumerate().find_map(|(place, item)| {
            let items = self.items.get(..=place)?;
            index.update(items);
            (index.find(items, &item.key)? < place).then_some(item)
        })
    }
}

impl DocumentSet {
    /// In every map, keeps the last of items with the same key, in the place of the first: what duplicate keys of plain
    /// YAML mean.
    pub fn override_map_keys(&mut self) {
        for document in &mut self.documents {
            if let Some(value) = without_duplicates(&document.value) {
                document.value = value;
            }
        }
    }
}

/// The value with duplicates settled, if it has any. What has none stays shared.
fn without_duplicates(value: &Value) -> Option<Value> {
    match value {
        Value::Map(map) => {
            let mut copy = None;
            if map.has_duplicate_keys() {
                Rc::make_mut(copy.insert(Rc::clone(map))).override_keys();
            }
            let length = copy.as_ref().unwrap_or(map).items.len();
            for index in 0..length {
                if let Some(value) = without_duplicates(&copy.as_ref().unwrap_or(map).items[index].value) {
                    Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(map))).items[index].value = value;
                }
            }
            copy.map(Value::Map)
        }
        Value::Array(array) => {
            let mut copy = None;
            for (index, item) in array.items.iter().enumerate() {
                if let Some(value) = without_duplicates(&item.value) {
                    Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(array))).items[index].value = value;
                }
            }
            copy.map(Value::Array)
        }
        _ => None,
    }
}
