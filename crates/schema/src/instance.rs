//! What is validated: a node of a document, a value with origins, or a plain string, seen as JSON without
//! copying it.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp};
use jsonschema_value::LazyInstance;
use rustc_hash::FxHashMap;
use trueline_source::Span;
use trueline_yaml::{Data, Document, Map, NodeKind, NodeRef, ScalarValue, Value};

use crate::{InstancePlace, guard};

/// Something to validate against a schema.
#[derive(Debug, Clone, Copy)]
pub enum Instance<'a> {
    /// A node of a document: with merge keys and duplicate keys resolved and aliases followed.
    Node(NodeRef<'a>),
    /// A value with its origins.
    Value(&'a Value),
    /// A string without its own place, such as the name of a property.
    Text(&'a str),
}

impl<'a> From<&'a Document> for Instance<'a> {
    fn from(document: &'a Document) -> Self {
        Instance::Node(document.root())
    }
}

impl<'a> From<NodeRef<'a>> for Instance<'a> {
    fn from(node: NodeRef<'a>) -> Self {
        Instance::Node(node)
    }
}

impl<'a> From<&'a Value> for Instance<'a> {
    fn from(value: &'a Value) -> Self {
        Instance::Value(value)
    }
}

impl<'a> Instance<'a> {
    /// The place of the value in its document.
    pub fn span(self) -> Option<Span> {
        match self {
            Instance::Node(node) => Some(node.span()),
            Instance::Value(value) => value.origin,
            Instance::Text(_) => None,
        }
    }

    /// The target of a JSON pointer from here, with its place.
    pub fn at_pointer(self, pointer: &str) -> Option<(Instance<'a>, InstancePlace)> {
        let mut found = (self, InstancePlace { value: self.span(), key: None });
        for part in pointer.split('/').skip(1) {
            found = found.0.child(&unescape(part))?;
        }
        Some(found)
    }

    /// The value of a key or the item of an index, with its place.
    pub(crate) fn child(self, name: &str) -> Option<(Instance<'a>, InstancePlace)> {
        match self.shape() {
            Shape::Map(Members::Node(node)) => {
                let (key, value) = node.get_entry(name)?;
                Some((
                    Instance::Node(value),
                    InstancePlace { value: Some(value.span()), key: Some(key.span()) },
                ))
            }
            Shape::Map(Members::Map(map)) => {
                let entry = map.get(name)?;
                let place = InstancePlace { value: entry.value.origin, key: entry.key_origin };
                Some((Instance::Value(&entry.value), place))
            }
            Shape::List(items) => {
                let item = items.elements().nth(name.parse().ok()?)?;
                Some((item, InstancePlace { value: item.span(), key: None }))
            }
            _ => None,
        }
    }

    /// How many items or members it has.
    pub(crate) fn width(self) -> usize {
        match self.shape() {
            Shape::List(items) => items.len(),
            Shape::Map(map) => map.len(),
            _ => 0,
        }
    }

    /// The items of a list.
    pub(crate) fn list(self) -> Option<Items<'a>> {
        match self.shape() {
            Shape::List(items) => Some(items),
            _ => None,
        }
    }

    /// The names of a map's members.
    pub(crate) fn names(self) -> Vec<String> {
        match self.shape() {
            Shape::Map(map) => map.members().map(|(name, _)| name.into_owned()).collect(),
            _ => Vec::new(),
        }
    }

    /// The members of a map by their names, with their places.
    pub(crate) fn named_children(self) -> FxHashMap<Cow<'a, str>, (Instance<'a>, InstancePlace)> {
        match self.shape() {
            Shape::Map(Members::Node(node)) => node
                .entries()
                .into_iter()
                .flatten()
                .map(|(key, value)| {
                    let place = InstancePlace { value: Some(value.span()), key: Some(key.span()) };
                    (key.key_text(), (Instance::Node(value), place))
                })
                .collect(),
            Shape::Map(Members::Map(map)) => map
                .iter()
                .map(|(key, entry)| {
                    let place = InstancePlace { value: entry.value.origin, key: entry.key_origin };
                    (Cow::Borrowed(key.as_ref()), (Instance::Value(&entry.value), place))
                })
                .collect(),
            _ => FxHashMap::default(),
        }
    }

    /// The whole as JSON.
    pub fn to_json(self) -> serde_json::Value {
        self.json(Cut::Never)
    }

    /// The value as JSON; lists and maps nested in a large one are left empty.
    ///
    /// A violation carries its value, and one large map may violate many rules.
    pub(crate) fn to_short_json(self) -> serde_json::Value {
        let mut budget = 1_000;
        self.spend(&mut budget);
        self.json(if budget == 0 { Cut::Below } else { Cut::Never })
    }

    /// The approximate length in bytes of the longest path to a part of it.
    pub(crate) fn longest_path(self) -> usize {
        match self.shape() {
            Shape::List(items) => items.elements().map(|item| 4 + item.longest_path()).max().unwrap_or(0),
            Shape::Map(map) => {
                map.members().map(|(name, value)| 1 + name.len() + value.longest_path()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn spend(self, budget: &mut usize) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        match self.shape() {
            Shape::List(items) => items.elements().take(*budget).for_each(|item| item.spend(budget)),
            Shape::Map(map) => map.members().take(*budget).for_each(|(_, value)| value.spend(budget)),
            _ => {}
        }
    }

    fn json(self, cut: Cut) -> serde_json::Value {
        let below = if cut == Cut::Below { Cut::Here } else { cut };
        match self.shape() {
            Shape::Null => serde_json::Value::Null,
            Shape::Bool(value) => serde_json::Value::Bool(value),
            Shape::Number(number) => serde_json::Value::Number(number.to_serde()),
            Shape::Text(text) => {
                // Aliases may repeat a long string.
                guard::spend((text.len() / 16) as u64);
                serde_json::Value::String(text.to_owned())
            }
            Shape::List(_) if cut == Cut::Here => serde_json::Value::Array(Vec::new()),
            Shape::Map(_) if cut == Cut::Here => serde_json::Value::Object(serde_json::Map::new()),
            Shape::List(items) => items.elements().map(|item| item.json(below)).collect(),
            Shape::Map(map) => serde_json::Value::Object(
                map.members().map(|(name, value)| (name.into_owned(), value.json(below))).collect(),
            ),
        }
    }

    fn shape(self) -> Shape<'a> {
        guard::step();
        match self {
            Instance::Node(node) => match node.kind() {
                NodeKind::Scalar { value, .. } => match value {
                    ScalarValue::Null => Shape::Null,
                    ScalarValue::Bool(value) => Shape::Bool(value),
                    ScalarValue::Int(value) => Shape::Number(Number::Int(value)),
                    ScalarValue::UInt(value) => Shape::Number(Number::UInt(value)),
                    ScalarValue::Float(value) => {
                        let text = node.text().unwrap_or_default();
                        Shape::float(value, !text.contains(['.', 'e', 'E']), text)
                    }
                    ScalarValue::String => Shape::Text(node.text().unwrap_or_default()),
                },
                NodeKind::Sequence { .. } => Shape::List(Items::Node(node)),
                // `kind` follows aliases.
                NodeKind::Mapping { .. } | NodeKind::Alias(_) => Shape::Map(Members::Node(node)),
            },
            Instance::Value(value) => match &value.data {
                Data::Null => Shape::Null,
                Data::Bool(value) => Shape::Bool(*value),
                Data::Int(value) => Shape::Number(Number::Int(*value)),
                Data::UInt(value) => Shape::Number(Number::UInt(*value)),
                Data::Float(value) => Shape::float(*value, false, name_of_float(*value)),
                Data::String(text) => Shape::Text(text),
                Data::List(items) => Shape::List(Items::List(items)),
                Data::Map(map) => Shape::Map(Members::Map(map)),
            },
            Instance::Text(text) => Shape::Text(text),
        }
    }

    /// Equality as JSON Schema has it: numbers by value, maps without order.
    fn same(self, other: Instance<'_>) -> bool {
        match (self.shape(), other.shape()) {
            (Shape::Null, Shape::Null) => true,
            (Shape::Bool(left), Shape::Bool(right)) => left == right,
            (Shape::Number(left), Shape::Number(right)) => {
                left.equals(&serde_json::Value::Number(right.to_serde()))
            }
            (Shape::Text(left), Shape::Text(right)) => left == right,
            (Shape::List(left), Shape::List(right)) => {
                left.len() == right.len()
                    && left.elements().zip(right.elements()).all(|(left, right)| left.same(right))
            }
            (Shape::Map(left), Shape::Map(right)) => {
                left.len() == right.len()
                    && left
                        .members()
                        .all(|(name, value)| right.find(&name).is_some_and(|other| value.same(other)))
            }
            _ => false,
        }
    }

    /// Equal values hash alike.
    fn hash_into(self, builder: &RandomState, hasher: &mut impl Hasher) {
        match self.shape() {
            Shape::Null => hasher.write_u8(0),
            Shape::Bool(value) => value.hash(hasher),
            Shape::Number(number) => {
                let value = number.to_f64();
                // Zero has two signs and is one number.
                (if value == 0.0 { 0 } else { value.to_bits() }).hash(hasher);
            }
            Shape::Text(text) => text.hash(hasher),
            Shape::List(items) => items.elements().for_each(|item| item.hash_into(builder, hasher)),
            Shape::Map(map) => {
                let mut joined = 0;
                for (name, value) in map.members() {
                    let mut entry = builder.build_hasher();
                    name.hash(&mut entry);
                    value.hash_into(builder, &mut entry);
                    joined ^= entry.finish();
                }
                hasher.write_u64(joined);
            }
        }
    }
}

/// The size from which a copy leaves nested lists and maps empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Never,
    Here,
    Below,
}

/// The parts of a JSON pointer are escaped; this unescapes them.
fn unescape(part: &str) -> Cow<'_, str> {
    if part.contains('~') {
        Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(part)
    }
}

/// An instance whose type is known.
enum Shape<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(&'a str),
    List(Items<'a>),
    Map(Members<'a>),
}

impl<'a> Shape<'a> {
    /// JSON has no infinite numbers: an infinite YAML number is treated as a string.
    fn float(value: f64, written_whole: bool, text: &'a str) -> Self {
        if value.is_finite() {
            Shape::Number(Number::Float { value, written_whole })
        } else {
            Shape::Text(text)
        }
    }
}

fn name_of_float(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => ".nan",
        value if value > 0.0 => ".inf",
        _ => "-.inf",
    }
}

/// The representation of [`Instance`], that the validator uses.
#[derive(Debug)]
pub struct Tree;

impl Json for Tree {
    type Node<'a> = Instance<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    // Looking up a key in a document scans its entries, so several lookups share one pass.
    const KEYS_PER_LOOKUP: usize = 8;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(_: &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Text(string))
    }
}

impl<'a> Node<'a, Tree> for Instance<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = Number;

    fn as_object(&self) -> Option<Members<'a>> {
        match self.shape() {
            Shape::Map(map) => Some(map),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<Items<'a>> {
        match self.shape() {
            Shape::List(items) => Some(items),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self.shape() {
            Shape::Text(text) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Number> {
        match self.shape() {
            Shape::Number(number) => Some(number),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.shape() {
            Shape::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.shape(), Shape::Null)
    }

    fn json_type(&self) -> JsonType {
        match self.shape() {
            Shape::Null => JsonType::Null,
            Shape::Bool(_) => JsonType::Boolean,
            Shape::Number(_) => JsonType::Number,
            Shape::Text(_) => JsonType::String,
            Shape::List(_) => JsonType::Array,
            Shape::Map(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &serde_json::Value) -> bool {
        match (self.shape(), expected) {
            (Shape::Null, serde_json::Value::Null) => true,
            (Shape::Bool(value), serde_json::Value::Bool(expected)) => value == *expected,
            (Shape::Number(number), serde_json::Value::Number(_)) => number.equals(expected),
            (Shape::Text(text), serde_json::Value::String(expected)) => text == expected,
            (Shape::List(items), serde_json::Value::Array(expected)) => {
                items.len() == expected.len()
                    && items.elements().zip(expected).all(|(item, expected)| item.equals_value(expected))
            }
            (Shape::Map(map), serde_json::Value::Object(expected)) => {
                map.len() == expected.len()
                    && map.members().all(|(name, value)| {
                        expected.get(name.as_ref()).is_some_and(|expected| value.equals_value(expected))
                    })
            }
            _ => false,
        }
    }

    fn to_value(&self) -> Cow<'a, serde_json::Value> {
        Cow::Owned(self.to_json())
    }

    // The instance of an error is found again by its path, so copying it here would be wasted work. Only the
    // name of a property has no path of its own.
    fn lazy_value(&self) -> LazyInstance<'a> {
        guard::note_error();
        LazyInstance::Ready(Cow::Owned(match self {
            Instance::Text(text) => serde_json::Value::String((*text).to_owned()),
            _ => serde_json::Value::Null,
        }))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match self {
            Instance::Node(node) => {
                // An alias is its target under another path: what holds for one holds for the other.
                let id = node.alias_target().unwrap_or(*node).id();
                NodeIdentity::tagged(std::ptr::from_ref(node.document()) as usize, id.index() as u32)
            }
            Instance::Value(value) => NodeIdentity::new(std::ptr::from_ref::<Value>(value) as usize),
            // Names are looked at one at a time; the tag distinguishes them from the maps that hold them.
            Instance::Text(text) => NodeIdentity::tagged(text.as_ptr() as usize, u32::MAX),
        })
    }
}

/// A number of an [`Instance`].
#[derive(Debug, Clone, Copy)]
pub enum Number {
    /// An integer with a sign.
    Int(i64),
    /// An integer beyond that range.
    UInt(u64),
    /// Any other number.
    Float {
        /// The number.
        value: f64,
        /// Whether it was written without fraction and exponent.
        written_whole: bool,
    },
}

impl Number {
    fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::UInt(value) => value as f64,
            Number::Float { value, .. } => value,
        }
    }

    fn to_serde(self) -> serde_json::Number {
        match self {
            Number::Int(value) => value.into(),
            Number::UInt(value) => value.into(),
            // This type holds finite numbers only.
            Number::Float { value, .. } => serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into()),
        }
    }

    fn equals(self, expected: &serde_json::Value) -> bool {
        cmp::equal(&serde_json::Value::Number(self.to_serde()), expected)
    }
}

impl JsonNumber for Number {
    fn as_u64(&self) -> Option<u64> {
        match *self {
            Number::Int(value) => value.try_into().ok(),
            Number::UInt(value) => Some(value),
            Number::Float { .. } => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match *self {
            Number::Int(value) => Some(value),
            Number::UInt(value) => value.try_into().ok(),
            Number::Float { .. } => None,
        }
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.to_f64())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_serde().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(self.to_serde())
    }

    fn is_integer(&self) -> bool {
        match *self {
            Number::Int(_) | Number::UInt(_) => true,
            Number::Float { value, .. } => value.fract() == 0.0,
        }
    }

    fn is_written_as_integer(&self) -> bool {
        match *self {
            Number::Int(_) | Number::UInt(_) => true,
            Number::Float { written_whole, .. } => written_whole,
        }
    }
}

/// The members of a map.
#[derive(Debug, Clone, Copy)]
pub enum Members<'a> {
    /// Of a document.
    Node(NodeRef<'a>),
    /// Of a value.
    Map(&'a Map),
}

impl<'a> Members<'a> {
    fn find(&self, key: &str) -> Option<Instance<'a>> {
        match self {
            Members::Node(node) => node.get(key).map(Instance::Node),
            Members::Map(map) => map.get(key).map(|entry| Instance::Value(&entry.value)),
        }
    }
}

impl<'a> Object<'a, Tree> for Members<'a> {
    type Node = Instance<'a>;
    type MemberName = Cow<'a, str>;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        match self {
            Members::Node(node) => node.entries().map_or(0, |entries| entries.len()),
            Members::Map(map) => map.len(),
        }
    }

    fn get(&self, key: &Box<str>) -> Option<Instance<'a>> {
        self.find(key)
    }

    fn members(&self) -> MembersIter<'a> {
        match self {
            Members::Node(node) => MembersIter::Node(node.entries()),
            Members::Map(map) => MembersIter::Map(map.iter()),
        }
    }
}

/// Goes over the members of a map.
#[derive(Debug)]
pub enum MembersIter<'a> {
    /// Of a document.
    Node(Option<trueline_yaml::MappingEntries<'a>>),
    /// Of a value.
    Map(indexmap::map::Iter<'a, std::sync::Arc<str>, trueline_yaml::MapEntry>),
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (Cow<'a, str>, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = match self {
            MembersIter::Node(entries) => {
                let (key, value) = entries.as_mut()?.next()?;
                (key.key_text(), Instance::Node(value))
            }
            MembersIter::Map(entries) => {
                let (key, entry) = entries.next()?;
                (Cow::Borrowed(&**key), Instance::Value(&entry.value))
            }
        };
        // A rule such as `patternProperties` searches the names of all members once for each of its patterns.
        guard::spend(8 + (name.len() / 32) as u64);
        Some((name, value))
    }
}

/// The items of a list.
#[derive(Debug, Clone, Copy)]
pub enum Items<'a> {
    /// Of a document.
    Node(NodeRef<'a>),
    /// Of a value.
    List(&'a [Value]),
}

/// How many items are compared each with each before they are hashed instead.
const COMPARED_IN_PAIRS: usize = 12;

impl<'a> Array<'a, Tree> for Items<'a> {
    type Node = Instance<'a>;
    type ElementsIter = ItemsIter<'a>;

    fn len(&self) -> usize {
        match self {
            Items::Node(node) => node.items().map_or(0, |items| items.len()),
            Items::List(items) => items.len(),
        }
    }

    fn elements(&self) -> ItemsIter<'a> {
        match self {
            Items::Node(node) => ItemsIter::Node(node.items()),
            Items::List(items) => ItemsIter::List(items.iter()),
        }
    }

    fn is_unique(&self) -> bool {
        let items: Vec<Instance<'a>> = self.elements().collect();
        let differ = |items: &[Instance<'a>]| {
            items
                .iter()
                .enumerate()
                .all(|(index, item)| !items.iter().skip(index + 1).any(|other| item.same(*other)))
        };
        if items.len() <= COMPARED_IN_PAIRS {
            return differ(&items);
        }
        let builder = RandomState::new();
        let mut hashed: Vec<(u64, Instance<'a>)> = items
            .into_iter()
            .map(|item| {
                let mut hasher = builder.build_hasher();
                item.hash_into(&builder, &mut hasher);
                (hasher.finish(), item)
            })
            .collect();
        hashed.sort_unstable_by_key(|(hash, _)| *hash);
        hashed
            .chunk_by(|left, right| left.0 == right.0)
            .all(|alike| alike.len() == 1 || differ(&alike.iter().map(|(_, item)| *item).collect::<Vec<_>>()))
    }
}

/// Goes over the items of a list.
#[derive(Debug)]
pub enum ItemsIter<'a> {
    /// Of a document.
    Node(Option<trueline_yaml::SequenceItems<'a>>),
    /// Of a value.
    List(std::slice::Iter<'a, Value>),
}

impl<'a> Iterator for ItemsIter<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            ItemsIter::Node(items) => items.as_mut()?.next().map(Instance::Node),
            ItemsIter::List(items) => items.next().map(Instance::Value),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jsonschema::json::conformance;
    use serde_json::json;
    use trueline_source::SourceId;
    use trueline_yaml::{Limits, json};

    use super::*;

    fn document(text: &str) -> Document {
        json::read(SourceId::from_index(0), &Arc::from(text), Limits::default()).unwrap()
    }

    #[test]
    fn both_representations_keep_the_validators_contract() {
        let document = document(&conformance::document().to_string());
        conformance::assert_conformance::<Tree>(&Instance::from(&document));
        let value = Value::from_node(document.root());
        conformance::assert_conformance::<Tree>(&Instance::from(&value));
    }

    #[test]
    fn equality_is_that_of_json_schema() {
        let cases = [
            (json!(1), json!(1.0), true),
            (json!(0), json!(-0.0), true),
            (json!(18446744073709551615_u64), json!(18446744073709551615_u64), true),
            (json!(true), json!(1), false),
            (json!({"a": [1, {"b": null}], "c": "x"}), json!({"c": "x", "a": [1.0, {"b": null}]}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!([1, 2]), json!([2, 1]), false),
        ];
        for (left, right, equal) in cases {
            let (first, second) = (document(&left.to_string()), document(&right.to_string()));
            let (first_value, second_value) =
                (Value::from_node(first.root()), Value::from_node(second.root()));
            assert_eq!(Instance::from(&first).equals_value(&right), equal, "{left} {right}");
            assert_eq!(Instance::from(&first_value).equals_value(&right), equal, "{left} {right}");
            assert_eq!(Instance::from(&first).same(Instance::from(&second_value)), equal, "{left} {right}");
            assert_eq!(Instance::from(&first_value).same(Instance::from(&second)), equal, "{left} {right}");
        }
    }

    #[test]
    fn equal_items_are_found_in_short_and_long_lists() {
        for length in [2, COMPARED_IN_PAIRS, COMPARED_IN_PAIRS + 1, 200] {
            let mut items: Vec<serde_json::Value> = (0..length).map(|index| json!({"n": index})).collect();
            let unique = document(&serde_json::Value::Array(items.clone()).to_string());
            assert!(Instance::from(&unique).as_array().unwrap().is_unique(), "{length}");
            items[length - 1] = json!({"n": -0.0});
            let repeated = document(&serde_json::Value::Array(items).to_string());
            assert!(!Instance::from(&repeated).as_array().unwrap().is_unique(), "{length}");
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_strings() {
        for (number, text) in [(f64::INFINITY, ".inf"), (f64::NEG_INFINITY, "-.inf"), (f64::NAN, ".nan")] {
            let value = Value::new(Data::Float(number));
            assert_eq!(Instance::from(&value).json_type(), JsonType::String);
            assert_eq!(Instance::from(&value).to_json(), json!(text));
        }
    }

    #[test]
    fn pointers_are_resolved_to_places() {
        let text = r#"{"a/b": {"~": [10, {"x": true}]}}"#;
        let document = document(text);
        let (found, place) = Instance::from(&document).at_pointer("/a~1b/~0/1/x").unwrap();
        assert_eq!(found.to_json(), json!(true));
        assert_eq!(&text[place.key.unwrap().range()], "\"x\"");
        assert_eq!(&text[place.value.unwrap().range()], "true");
        assert!(Instance::from(&document).at_pointer("/a~1b/~0/2").is_none());
        assert!(Instance::from(&document).at_pointer("/a~1b/~0/x").is_none());
    }

    #[test]
    fn nested_values_are_left_out_of_a_short_copy() {
        let large: serde_json::Value = (0..2_000).map(|index| json!([index])).collect();
        let document = document(&json!({"small": [1], "large": large}).to_string());
        let (small, _) = Instance::from(&document).at_pointer("/small").unwrap();
        assert_eq!(small.to_short_json(), json!([1]));
        assert_eq!(Instance::from(&document).to_short_json(), json!({"small": [], "large": []}));
    }
}
