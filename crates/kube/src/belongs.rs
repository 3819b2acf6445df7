//! What was meant by a field that the map around it does not have: a name that is near, or another place, because most often
//! its indentation is wrong. It is the same for Kubernetes' own kinds and for those that a CRD defines; they differ in how
//! their fields are known.

use std::sync::Arc;

use trueline_yaml::{Data, NodeRef, Value};

use crate::meant::nearest;

/// How many places are named at most.
const MOST: usize = 3;

/// How many fields are few.
const FEW: usize = 4;

/// How many fields of a schema are looked through. Many that are not there, beside many that are, would take the product of
/// both.
const MOST_FIELDS: usize = 200;

/// What may have been meant by a field that its type does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    /// Nothing is near.
    Unknown,
    /// Another name.
    Name(Arc<str>),
    /// Another place: the paths of the maps that have such a field. An empty one is that of the object itself, one that
    /// ends in `[]` that of each item of a list.
    Inside(Vec<String>),
}

/// What values a schema takes, as far as their form goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form<S> {
    /// Maps with known fields.
    Fields,
    /// Maps of whatever keys, with the schema of their values.
    Map(Option<S>),
    /// Lists, with the schema of their items.
    List(Option<S>),
    /// Neither maps nor lists.
    Scalar,
    /// Anything.
    Any,
}

/// A schema with named fields. `'s` is how long their names are there.
pub(crate) trait Shape<'s>: Copy {
    fn form(self) -> Form<Self>;

    /// The schema of a field that is named.
    fn field(self, name: &str) -> Option<Self>;

    /// The fields that are named, or the first of them.
    fn fields(self, most: usize) -> Vec<(&'s str, Self)>;
}

/// A value as it was typed.
pub(crate) trait Typed: Copy {
    fn member(self, name: &str) -> Option<Self>;
    fn is_map(self) -> bool;
    fn is_list(self) -> bool;
    fn is_nothing(self) -> bool;

    fn is_scalar(self) -> bool {
        !self.is_map() && !self.is_list()
    }
}

impl Typed for NodeRef<'_> {
    fn member(self, name: &str) -> Option<Self> {
        self.get(name)
    }

    fn is_map(self) -> bool {
        self.entries().is_some()
    }

    fn is_list(self) -> bool {
        self.items().is_some()
    }

    fn is_nothing(self) -> bool {
        self.is_null()
    }
}

impl Typed for &Value {
    fn member(self, name: &str) -> Option<Self> {
        self.get(name)
    }

    fn is_map(self) -> bool {
        matches!(self.data, Data::Map(_))
    }

    fn is_list(self) -> bool {
        matches!(self.data, Data::List(_))
    }

    fn is_nothing(self) -> bool {
        matches!(self.data, Data::Null)
    }
}

/// The maps on the way from the top of an object to a field, with their schemas; the last is the one around the field.
pub(crate) struct Way<'w, S, V, P> {
    pub(crate) maps: &'w [(S, Option<V>)],
    /// The path of each of them.
    pub(crate) path: P,
}

impl<'s, S: Shape<'s>, V: Typed, P: Fn(usize) -> String> Way<'_, S, V, P> {
    /// What was meant by a field. `offered` are the names that others of its map may be meant for.
    pub(crate) fn meant(&self, name: &str, value: V, offered: &mut Vec<&'s str>) -> Meant {
        let Some((own, around)) = self.maps.last() else { return Meant::Unknown };
        let fields = own.fields(MOST_FIELDS);
        let fitting = fields.iter().filter(|(_, shape)| fits(*shape, value)).map(|(name, _)| *name);
        // A name that is there already was not meant, and two fields cannot get the same one.
        let near = nearest(name, fitting).filter(|near| !offered.contains(near));
        offered.extend(near);
        let near = near.filter(|near| around.is_none_or(|map| map.member(near).is_none()));
        match near {
            Some(near) if !is_beginning(name, near) => Meant::Name(near.into()),
            // `image` is rather the field of a container than short for `imagePullSecrets`.
            _ => match (self.belongs(name, value, &fields), near) {
                (places, None) if places.is_empty() => Meant::Unknown,
                (places, Some(near)) if places.is_empty() => Meant::Name(near.into()),
                (places, _) => Meant::Inside(places),
            },
        }
    }

    /// The paths of the maps that have room for a field: one that ends in `[]` is that of each item of a list, and an empty
    /// one that of the object itself.
    fn belongs(&self, name: &str, value: V, fields: &[(&'s str, S)]) -> Vec<String> {
        let Some(((_, around), further)) = self.maps.split_last() else { return Vec::new() };
        let has = |shape: S| {
            matches!(shape.form(), Form::Fields) && shape.field(name).is_some_and(|field| fits(field, value))
        };
        let mut below: Vec<(&str, &str)> = Vec::new();
        for (field, shape) in fields {
            match shape.form() {
                Form::Fields if has(*shape) => below.push((field, "")),
                Form::List(Some(items)) if has(items) => below.push((field, "[]")),
                _ => {}
            }
        }
        if below.is_empty() && value.is_scalar() {
            // A map of whatever keys is meant where there is little else, or where one stands empty beside the field.
            let is_empty =
                |field: &str| around.and_then(|map| map.member(field)).is_some_and(Typed::is_nothing);
            let takes = |shape: &S| match shape.form() {
                Form::Map(values) => values.is_none_or(|values| fits(values, value)),
                _ => false,
            };
            let is_meant = |field: &str| fields.len() <= FEW || is_empty(field);
            let meant = fields.iter().filter(|(field, shape)| takes(shape) && is_meant(field));
            below = meant.map(|(field, _)| (*field, "")).collect();
        }
        // Those that are there were most likely meant.
        let is_there = |(field, _): &(&str, &str)| around.is_some_and(|map| map.member(field).is_some());
        if below.iter().any(is_there) {
            below.retain(is_there);
        }
        if !below.is_empty() {
            let path = |field: &str| joined((self.path)(further.len()), field);
            let paths = below.iter().map(|(field, behind)| path(field) + behind);
            return if below.len() > MOST { Vec::new() } else { paths.collect() };
        }
        let found = further.iter().enumerate().rev().find_map(|(index, (shape, map))| {
            let is_free = |map: Option<V>| {
                map.filter(|map| !map.is_nothing()).is_some_and(|map| map.member(name).is_none())
            };
            if has(*shape) {
                return is_free(*map).then(|| (self.path)(index));
            }
            // What names and labels an object is often looked for beside what it does.
            let metadata = || map.and_then(|map| map.member("metadata"));
            (shape.field("metadata").is_some_and(has) && is_free(metadata()))
                .then(|| joined((self.path)(index), "metadata"))
        });
        found.into_iter().collect()
    }
}

/// Whether one of two names is only the beginning of the other, and not a slip for it.
fn is_beginning(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.len() - short.len() > 2 && long.starts_with(short)
}

/// Whether a value has the form that a schema takes: a field of another form was not meant.
fn fits<'s, S: Shape<'s>, V: Typed>(wanted: S, value: V) -> bool {
    match wanted.form() {
        Form::Any => true,
        Form::Fields | Form::Map(_) => value.is_map() || value.is_nothing(),
        Form::List(_) => value.is_list() || value.is_nothing(),
        Form::Scalar => value.is_scalar(),
    }
}

fn joined(path: String, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
