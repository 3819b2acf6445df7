//! What was meant by a field that the map around it does not have: a name that is near, or another place, because most often
//! its indentation is wrong. It is the same for Kubernetes' own kinds and for those that a CRD defines; they differ in how
//! their fields are known.

use std::cell::Cell;

use trueline_yaml::{Data, NodeRef, Value};

use crate::decode::types::OBJECT_META;
use crate::field_path::FieldPath;
use crate::meant::{Meant, is_beginning, is_ending, is_same, slip_of};

/// How many places are named at most.
const MOST: usize = 3;

/// How many fields are few.
const FEW: usize = 4;

/// How many fields of a schema are looked through. Many that are not there, beside many that are, would take the product of
/// both.
const MOST_FIELDS: usize = 200;

/// How many levels further down a name is looked for.
const LEVELS: usize = 5;

/// How many fields are looked through for all names of one object.
const SEARCHED: usize = 20_000;

/// How much of an object's schema may still be searched.
#[derive(Debug, Clone)]
pub struct Budget(Cell<usize>);

impl Default for Budget {
    fn default() -> Self {
        Budget(Cell::new(SEARCHED))
    }
}

impl Budget {
    /// Nothing may be searched.
    pub fn none() -> Self {
        Budget(Cell::new(0))
    }

    /// Whether so many fields may be looked through.
    fn takes(&self, fields: usize) -> bool {
        let left = self.0.get().checked_sub(fields);
        self.0.set(left.unwrap_or_default());
        left.is_some()
    }
}

/// What values a schema takes, as far as their form goes.
#[derive(Debug, Clone, Copy)]
pub enum Form<S> {
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
pub trait Shape<'s>: Copy {
    /// Which values it takes, as far as their form goes.
    fn form(self) -> Form<Self>;

    /// The schema of a field that is named.
    fn field(self, name: &str) -> Option<Self>;

    /// The fields that are named, or the first of them.
    fn fields(self, most: usize) -> Vec<(&'s str, Self)>;
}

/// A value as it was typed.
pub trait Typed: Copy {
    /// The value of a key, if it is a map that has it.
    fn member(self, name: &str) -> Option<Self>;
    /// Whether it is a map.
    fn is_map(self) -> bool;
    /// Whether it is a list.
    fn is_list(self) -> bool;
    /// Whether it is null.
    fn is_nothing(self) -> bool;

    /// Whether it is neither a map nor a list.
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
pub struct Way<'w, S, V, P> {
    /// Each map with its schema.
    pub maps: &'w [(S, Option<V>)],
    /// The path of each of them.
    pub path: P,
    /// How much may still be searched.
    pub budget: &'w Budget,
}

impl<'s, S: Shape<'s>, V: Typed, P: Fn(usize) -> FieldPath> Way<'_, S, V, P> {
    /// What was meant by a field. `offered` are the names that others of its map may be meant for.
    pub fn meant(&self, name: &str, value: V, offered: &mut Vec<&'s str>) -> Meant {
        let Some((own, around)) = self.maps.last() else { return Meant::Unknown };
        let fields = own.fields(MOST_FIELDS);
        if !self.budget.takes(fields.len()) {
            return Meant::Unknown;
        }
        // A name that is there already was not meant, and two fields cannot get the same one.
        let is_free = |name: &str| around.is_none_or(|map| map.member(name).is_none());
        let fitting = || fields.iter().filter(|(_, shape)| fits(*shape, value)).map(|(name, _)| *name);
        let same = fitting().find(|known| is_same(name, known));
        if same.is_none() && is_wrapper(value, &fields) {
            return Meant::Wrapper;
        }
        // A field of this very name was rather meant than one of another, wherever it is near.
        let place = || self.below(name, value, &fields).or_else(|| self.around(name, value));
        if same.is_none()
            && let Some(places) = place()
        {
            return Meant::Inside(places);
        }
        let near = same.or_else(|| slip_of(name, fitting())).filter(|near| !offered.contains(near));
        offered.extend(near);
        if let Some(near) = near.filter(|near| is_free(near)) {
            return Meant::Name(near.into());
        }
        let only = |is_it: &dyn Fn(&str) -> bool| {
            let mut found = fitting().filter(|known| is_it(known) && is_free(known));
            found.next().filter(|_| found.next().is_none())
        };
        if let Some(known) = only(&|known| is_ending(name, known)) {
            return Meant::Perhaps(known.into());
        }
        let place = self.keys(name, value, &fields).or_else(|| self.further(name, value));
        match place {
            Some(places) => Meant::Inside(places),
            None => match only(&|known| is_beginning(name, known)) {
                Some(known) => Meant::Perhaps(known.into()),
                None => Meant::Unknown,
            },
        }
    }

    /// The maps right below the one around a field that have room for it.
    fn below(&self, name: &str, value: V, fields: &[(&'s str, S)]) -> Option<Vec<FieldPath>> {
        let ((_, around), further) = self.maps.split_last()?;
        let member = |field: &str| around.and_then(|map| map.member(field));
        let mut below: Vec<(&str, Part)> = Vec::new();
        for (field, shape) in fields {
            match shape.form() {
                Form::Fields if has(*shape, name, value) && has_room(member(field), name, value) => {
                    below.push((field, Part::Map));
                }
                Form::List(Some(items)) if has(items, name, value) => below.push((field, Part::Items)),
                _ => {}
            }
        }
        // Of lists, those that are there were most likely meant; of others, only where there are too many to name.
        let is_there = |(field, _): &(&str, Part)| member(field).is_some();
        let is_list = |(_, part): &(&str, Part)| *part == Part::Items;
        if below.iter().any(is_there) && (below.len() > MOST || below.iter().all(is_list)) {
            below.retain(is_there);
        }
        below.sort_by_key(|place| !is_there(place));
        self.named(&below, further.len())
    }

    /// The maps of whatever keys right below the one around a field: they are meant where there is little else, or where one
    /// stands empty beside the field.
    fn keys(&self, name: &str, value: V, fields: &[(&'s str, S)]) -> Option<Vec<FieldPath>> {
        let ((_, around), further) = self.maps.split_last()?;
        // What every metadata has is no label.
        if !value.is_scalar() || is_of_metadata(name) && self.is_named(further.len(), "metadata") {
            return None;
        }
        let member = |field: &str| around.and_then(|map| map.member(field));
        let takes = |shape: &S| match shape.form() {
            Form::Map(values) => values.is_none_or(|values| fits(values, value)),
            _ => false,
        };
        let is_meant = |field: &str| fields.len() <= FEW || member(field).is_some_and(Typed::is_nothing);
        let meant = fields.iter().filter(|(field, shape)| takes(shape) && is_meant(field));
        let mut below: Vec<(&str, Part)> = meant.map(|(field, _)| (*field, Part::Map)).collect();
        let is_there = |(field, _): &(&str, Part)| member(field).is_some();
        if below.iter().any(is_there) {
            below.retain(is_there);
        }
        self.named(&below, further.len())
    }

    /// The map on the way that has room for a field.
    fn around(&self, name: &str, value: V) -> Option<Vec<FieldPath>> {
        let (_, further) = self.maps.split_last()?;
        let is_free = |map: Option<V>| {
            map.filter(|map| !map.is_nothing()).is_some_and(|map| map.member(name).is_none())
        };
        let last = further.len();
        let found = further.iter().enumerate().rev().find_map(|(index, (shape, map))| {
            if has(*shape, name, value) {
                return is_free(*map).then(|| (self.path)(index));
            }
            // What names and labels an object is often looked for beside what it does. Further down it is that of others.
            let metadata = map.and_then(|map| map.member("metadata")).filter(|map| !map.is_nothing());
            let has_room = || metadata.is_some() && has_room(metadata, name, value);
            let is_beside = index + 1 == last && self.is_named(last, "spec");
            (is_beside && shape.field("metadata").is_some_and(|of| has(of, name, value)) && has_room())
                .then(|| (self.path)(index).field("metadata"))
        });
        found.map(|path| vec![path])
    }

    /// The maps further away that have such a field: those further down, or beside those on the way.
    fn further(&self, name: &str, value: V) -> Option<Vec<FieldPath>> {
        // Too much has a name and labels.
        if is_of_metadata(name) {
            return None;
        }
        (0..self.maps.len()).rev().find_map(|index| self.search(index, name, value))
    }

    /// The nearest maps below one on the way that have such a field, unless they are many.
    fn search(&self, index: usize, name: &str, value: V) -> Option<Vec<FieldPath>> {
        let (top, map) = self.maps.get(index)?;
        let mut level: Vec<(FieldPath, S, Option<V>)> = vec![((self.path)(index), *top, *map)];
        for _ in 0..LEVELS {
            let mut next = Vec::new();
            let mut found = Vec::new();
            for (path, shape, map) in &level {
                let fields = shape.fields(MOST_FIELDS);
                if !self.budget.takes(fields.len()) {
                    return None;
                }
                for (field, shape) in fields {
                    let (inner, part) = match shape.form() {
                        Form::Fields => (shape, Part::Map),
                        Form::List(Some(items)) => (items, Part::Items),
                        _ => continue,
                    };
                    // What a status says is not written by hand.
                    if path.is_empty() && field == "status" || !matches!(inner.form(), Form::Fields) {
                        continue;
                    }
                    let map = map.and_then(|map| map.member(field));
                    let path = part.of(path, field);
                    if has(inner, name, value) {
                        found.push((path, map));
                    } else {
                        next.push((path, inner, map));
                    }
                }
            }
            if !found.is_empty() {
                found.retain(|(_, map)| has_room(*map, name, value));
                if found.len() > MOST {
                    found.retain(|(_, map)| map.is_some());
                }
                let paths: Vec<FieldPath> = found.into_iter().map(|(path, _)| path).collect();
                return Some(paths).filter(|paths| !paths.is_empty() && paths.len() <= MOST);
            }
            level = next;
        }
        None
    }

    fn named(&self, below: &[(&str, Part)], index: usize) -> Option<Vec<FieldPath>> {
        let is_some = !below.is_empty() && below.len() <= MOST;
        is_some.then(|| below.iter().map(|(field, part)| part.of(&(self.path)(index), field)).collect())
    }

    /// Whether the field that leads to a map on the way has a name.
    fn is_named(&self, index: usize, name: &str) -> bool {
        (self.path)(index).ends_with(&[name])
    }
}

/// Whether a schema has a field that a value fits.
fn has<'s, S: Shape<'s>, V: Typed>(shape: S, name: &str, value: V) -> bool {
    matches!(shape.form(), Form::Fields) && shape.field(name).is_some_and(|field| fits(field, value))
}

/// Whether a map has room for a field: a map or list can be joined with the one that is there.
fn has_room<V: Typed>(map: Option<V>, name: &str, value: V) -> bool {
    !value.is_scalar() || map.is_none_or(|map| map.member(name).is_none())
}

/// Whether the contents of a map are the fields of the map around it: `spec` in `spec`, or where there is none.
fn is_wrapper<'s, S: Shape<'s>, V: Typed>(value: V, fields: &[(&'s str, S)]) -> bool {
    let is_inside = |(name, shape): &(&str, S)| value.member(name).is_some_and(|inner| fits(*shape, inner));
    value.is_map() && fields.iter().any(|field| !is_of_metadata(field.0) && is_inside(field))
}

/// Whether every metadata has a field of this name.
fn is_of_metadata(name: &str) -> bool {
    OBJECT_META.fields.iter().any(|(known, _)| *known == name)
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

/// Which part of a field is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The map that it is.
    Map,
    /// Any item of the list that it is.
    Items,
}

impl Part {
    /// The path of that part of a field.
    fn of(self, around: &FieldPath, field: &str) -> FieldPath {
        let path = around.field(field.to_owned());
        match self {
            Part::Map => path,
            Part::Items => path.key(""),
        }
    }
}
