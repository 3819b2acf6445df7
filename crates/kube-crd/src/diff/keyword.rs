//! Which keyword of a schema refuses what the old one accepts, where it was typed, and what it was before.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_kube_facts::{FieldError, Reason};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::compare::own_demands_are_the_same;
use super::known::{KnownBranches, KnownChoices};
use super::object::Step;
use super::walk::Judge;
use crate::structural::{NestedValueValidation, Structural, ValueValidation};

/// How long a value may be that is printed in a message.
const LONGEST: usize = 60;

/// How many new branches are tried to find the one that refuses an object.
const MAX_BLAMED: usize = 64;

/// A place in a definition, and what changed there.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangedKeyword {
    pub(super) place: Option<Span>,
    /// The old value and the new one; empty where no single keyword is to blame.
    pub(super) label: String,
    /// The keyword that is to blame.
    pub(super) keyword: Option<&'static str>,
}

impl From<Option<Span>> for ChangedKeyword {
    fn from(place: Option<Span>) -> Self {
        ChangedKeyword { place, label: String::new(), keyword: None }
    }
}

/// A value that is refused, and what for.
#[derive(Clone, Copy)]
pub(super) struct Refused<'r> {
    pub(super) value: &'r Value,
    pub(super) error: &'r FieldError,
}

impl Refused<'_> {
    /// Whether a schema refuses it for the same.
    fn is_by(self, schema: &Structural) -> bool {
        Judge::new(schema).errors(self.value).iter().any(|error| is_same(error, self.error))
    }
}

/// Whether two errors say the same of the same field.
pub(super) fn is_same(one: &FieldError, other: &FieldError) -> bool {
    (one.rule, &one.field, &one.detail) == (other.rule, &other.field, &other.detail)
}

/// Where a schema was typed to require a field, by the path of the field.
pub(super) fn required_entry(typed: Option<&Value>, name: &str) -> Option<Span> {
    let Data::List(names) = &typed?.get("required")?.data else { return None };
    names.iter().find(|entry| entry.as_str() == Some(name))?.origin
}

/// Where the entry of a map was typed, with its value if that is a single word.
pub(super) fn entry_place(typed: Option<&Value>, key: &str) -> Option<Span> {
    let Data::Map(map) = &typed?.data else { return None };
    let entry = map.get(key)?;
    match entry.value.data {
        Data::Map(_) | Data::List(_) => entry.key_origin,
        _ => entry.key_origin.zip(entry.value.origin).map(|(key, value)| key.to(value)),
    }
}

/// Where the key of an entry was typed.
pub(super) fn key_place(typed: Option<&Value>, key: &str) -> Option<Span> {
    let Data::Map(map) = &typed?.data else { return None };
    map.get(key)?.key_origin
}

/// Two schemas of one place, and what was typed there.
pub(super) struct Pair<'s> {
    pub(super) old: &'s Structural,
    pub(super) new: &'s Structural,
    pub(super) typed: [Option<&'s Value>; 2],
}

/// Makes a keyword of a schema what it was.
type Restore = fn(&mut Structural, &Structural);

macro_rules! demands {
    ($($keyword:literal: $field:ident),* $(,)?) => {
        [$(($keyword, |schema, old| {
            let was = old.value_validation.as_deref().map(|was| was.$field.clone());
            demanded(schema).$field = was.unwrap_or_default();
        })),*]
    };
}

/// What belongs to the structure: a value of another type is refused for that before anything else.
const STRUCTURE: [(&str, Restore); 6] = [
    ("type", |schema, old| {
        schema.generic.type_name = Arc::clone(&old.generic.type_name);
        schema.extensions.int_or_string = old.extensions.int_or_string;
    }),
    ("nullable", |schema, old| schema.generic.nullable = old.generic.nullable),
    ("x-kubernetes-embedded-resource", |schema, old| {
        schema.extensions.embedded_resource = old.extensions.embedded_resource;
    }),
    ("x-kubernetes-list-type", |schema, old| {
        // Without its keys, all items of a map would be the same.
        if schema.extensions.list_type != old.extensions.list_type {
            schema.extensions.list_type.clone_from(&old.extensions.list_type);
            schema.extensions.list_map_keys.clone_from(&old.extensions.list_map_keys);
        }
    }),
    ("x-kubernetes-list-map-keys", |schema, old| {
        schema.extensions.list_map_keys.clone_from(&old.extensions.list_map_keys);
    }),
    ("x-kubernetes-preserve-unknown-fields", |schema, old| {
        schema.extensions.preserve_unknown_fields = old.extensions.preserve_unknown_fields;
    }),
];

const DEMANDS: [(&str, Restore); 20] = demands! {
    "enum": choices,
    "pattern": pattern,
    "format": format,
    "maximum": maximum,
    "exclusiveMaximum": exclusive_maximum,
    "minimum": minimum,
    "exclusiveMinimum": exclusive_minimum,
    "multipleOf": multiple_of,
    "maxLength": max_length,
    "minLength": min_length,
    "maxItems": max_items,
    "minItems": min_items,
    "uniqueItems": unique_items,
    "maxProperties": max_properties,
    "minProperties": min_properties,
    "required": required,
    "allOf": all_of,
    "anyOf": any_of,
    "oneOf": one_of,
    "not": not,
};

impl Pair<'_> {
    /// The keyword that a value is refused for with an error.
    pub(super) fn refusing(&self, value: &Value, error: &FieldError) -> ChangedKeyword {
        let refused = Refused { value, error };
        for (keyword, restore) in self.changed() {
            let mut restored = self.new.clone();
            restore(&mut restored, self.old);
            if !refused.is_by(&restored) {
                return self.keyword(keyword, Some(refused));
            }
        }
        if let Some(at) = self.default(|schema| refused.is_by(schema)) {
            return at;
        }
        // Two may say the same.
        let mut each = self.each_by_itself();
        if let Some((keyword, _)) = each.find(|(_, schema)| refused.is_by(schema)) {
            return self.keyword(keyword, Some(refused));
        }
        self.required_and_gone(error).unwrap_or_else(|| self.part())
    }

    /// The keywords that are not what they were.
    fn changed(&self) -> impl Iterator<Item = (&'static str, Restore)> {
        let mut own = own(self.new);
        demanded(&mut own);
        STRUCTURE.into_iter().chain(DEMANDS).filter(move |(_, restore)| {
            let mut other = own.clone();
            restore(&mut other, self.old);
            !own_demands_are_the_same(&own, &other)
        })
    }

    /// The old schema with each of the changes alone, and the keyword that it changes.
    pub(super) fn each_by_itself(&self) -> impl Iterator<Item = (&'static str, Structural)> {
        self.changed().map(|(keyword, set)| {
            let mut schema = self.old.clone();
            set(&mut schema, self.new);
            (keyword, schema)
        })
    }

    /// A field that is still required, while the schema does not know it any more.
    fn required_and_gone(&self, error: &FieldError) -> Option<ChangedKeyword> {
        if error.reason() != Reason::Required {
            return None;
        }
        let label = "this is still required, but is no field any more".to_owned();
        Some(ChangedKeyword {
            place: Some(required_entry(self.typed[1], error.field.last()?.as_field()?)?),
            label,
            keyword: Some("required"),
        })
    }

    /// A default without whose change an error would not be there.
    fn default(&self, is_refused: impl Fn(&Structural) -> bool) -> Option<ChangedKeyword> {
        for (name, property) in &self.new.properties {
            let was = self.old.properties.get(name).and_then(|was| was.generic.default.as_ref());
            if was == property.generic.default.as_ref() {
                continue;
            }
            let mut restored = self.new.clone();
            restored.properties.get_mut(name)?.generic.default = was.cloned();
            if !is_refused(&restored) {
                let typed = self.typed.map(|typed| typed?.get("properties")?.get(name));
                let pair = Pair { typed, old: self.old, new: property };
                return Some(pair.keyword("default", None));
            }
        }
        None
    }

    /// The place of a keyword that has changed.
    pub(super) fn keyword(&self, keyword: &'static str, refused: Option<Refused<'_>>) -> ChangedKeyword {
        let [before, after] = self.typed.map(|typed| typed?.get(keyword));
        let typed = self.typed[1].and_then(|typed| match &typed.data {
            Data::Map(map) => map.get(keyword),
            _ => None,
        });
        let Some(entry) = typed else {
            return ChangedKeyword {
                label: words(keyword, before, after),
                keyword: Some(keyword),
                ..self.part()
            };
        };
        let place = match entry.value.data {
            Data::Map(_) | Data::List(_) => self.entry(keyword, refused).or(entry.key_origin),
            _ => entry.key_origin.zip(entry.value.origin).map(|(key, value)| key.to(value)),
        };
        let label = match keyword {
            "required" => "this was not required before".to_owned(),
            "enum" => self.choices().unwrap_or_else(|| words(keyword, before, after)),
            "type" if self.old.extensions.int_or_string => {
                let is = words(keyword, None, after);
                let is = is.split(", and ").next().unwrap_or_default();
                format!("{is}, and was an integer or a string (`x-kubernetes-int-or-string`) before")
            }
            _ => words(keyword, before, after),
        };
        ChangedKeyword {
            place: place.or(entry.value.origin).or(self.new.place),
            label,
            keyword: Some(keyword),
        }
    }

    fn part(&self) -> ChangedKeyword {
        ChangedKeyword::from(self.new.place)
    }

    /// What is to blame in a list: a field that is required now, or a branch.
    fn entry(&self, keyword: &str, refused: Option<Refused<'_>>) -> Option<Span> {
        let nothing = ValueValidation::default();
        let [was, is] =
            [self.old, self.new].map(|schema| schema.value_validation.as_deref().unwrap_or(&nothing));
        // Of several new ones none is more to blame than the others, unless all have to be kept.
        let another = |was: &[NestedValueValidation], is: &[NestedValueValidation]| {
            let known = KnownBranches::new(was);
            let mut new = is.iter().filter(|branch| !known.have(branch));
            let first = new.next().filter(|_| !was.is_empty())?;
            new.next().is_none().then_some(first.place)?
        };
        match keyword {
            "allOf" => {
                let known = KnownBranches::new(&was.all_of);
                let mut new = is.all_of.iter().filter(|branch| !known.have(branch)).take(MAX_BLAMED);
                let refuses = |branch: &&NestedValueValidation| {
                    let mut schema = self.old.clone();
                    demanded(&mut schema).all_of = vec![NestedValueValidation::clone(branch)];
                    refused.is_some_and(|refused| refused.is_by(&schema))
                };
                let only = || another(&was.all_of, &is.all_of);
                new.find(refuses).and_then(|branch| branch.place).or_else(only)
            }
            "anyOf" => another(&was.any_of, &is.any_of),
            "oneOf" => another(&was.one_of, &is.one_of),
            "required" => {
                let missed = refused.and_then(|refused| refused.error.field.last()?.as_field());
                let before: BTreeSet<&str> = was.required.iter().map(|name| &**name).collect();
                let is_new = |name: &str| !before.contains(name);
                let Data::List(names) = &self.typed[1]?.get(keyword)?.data else { return None };
                let mut new = names.iter().filter(|name| name.as_str().is_some_and(is_new));
                let first = new.clone().next();
                new.find(|name| name.as_str() == missed).or(first)?.origin
            }
            _ => None,
        }
    }

    /// What may not be chosen any more.
    fn choices(&self) -> Option<String> {
        fn choices(schema: &Structural) -> &[Value] {
            schema.value_validation.as_deref().map_or(&[], |demanded| &demanded.choices)
        }
        let known = KnownChoices::new(choices(self.new));
        let gone = choices(self.old).iter().filter(|choice| !known.have(choice));
        // One that is longer than the longest sentence is enough to know that there is none.
        let texts: Vec<String> = gone.take(LONGEST).map(short).collect::<Option<_>>()?;
        let texts = Some(texts).filter(|texts| !texts.is_empty())?.join(", ");
        (texts.len() <= LONGEST).then(|| format!("`enum` had {texts}, too"))
    }
}

/// What a schema says itself, without what is inside of it.
fn own(schema: &Structural) -> Structural {
    Structural {
        generic: schema.generic.clone(),
        extensions: schema.extensions.clone(),
        value_validation: schema.value_validation.clone(),
        ..Structural::default()
    }
}

fn demanded(schema: &mut Structural) -> &mut ValueValidation {
    schema.value_validation.get_or_insert_default()
}

/// The old value of a keyword and the new one.
fn words(keyword: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let texts = [before, after].map(|value| value.map(short));
    match texts {
        [Some(Some(before)), Some(Some(after))] => format!("`{keyword}` was {before}, and is {after} now"),
        [None, Some(Some(after))] => format!("`{keyword}` is {after} now, and was not there before"),
        [Some(Some(before)), None] => format!("`{keyword}` was {before}, and is not there any more"),
        [Some(_), Some(_)] => format!("`{keyword}` has changed"),
        [None, _] => format!("`{keyword}` was not there before"),
        [_, None] => format!("`{keyword}` is not there any more"),
    }
}

/// A value as it is printed in a message, unless it is long.
fn short(value: &Value) -> Option<String> {
    let text = value.to_json_text().ok()?;
    (text.chars().count() <= LONGEST).then_some(text)
}

/// What was typed at a place of a schema; where steps end, around it.
pub(super) fn typed_near<'v>(schema: Option<&'v Value>, steps: &[Step]) -> Option<&'v Value> {
    let mut at = schema?;
    for step in steps {
        let Some(below) = below(at, step) else { break };
        at = below;
    }
    Some(at)
}

/// What was typed at a place of a schema.
pub(super) fn typed_at<'v>(schema: Option<&'v Value>, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(schema?, below)
}

fn below<'v>(schema: &'v Value, step: &Step) -> Option<&'v Value> {
    let additional = || schema.get("additionalProperties");
    match step {
        Step::Field(name) => schema.get("properties").and_then(|fields| fields.get(name)).or_else(additional),
        Step::Entry(_) => additional(),
        Step::Item => schema.get("items"),
    }
}
