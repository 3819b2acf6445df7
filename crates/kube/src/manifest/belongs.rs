//! Where a field belongs that stands where its type has no such field: most often its indentation is wrong.

use trueline_yaml::NodeRef;

use super::place::Place;
use crate::api::{Api, Definition, Field, Type};

/// How many places are named at most.
const MOST: usize = 3;

/// How many fields are few.
const FEW: usize = 4;

/// The paths of the maps that have room for a field, which stands in the map `around`: one that ends in `[]` is that of
/// each item of a list, and an empty one that of the object itself.
pub(super) fn belongs(
    api: &'static Api,
    top: &'static Definition,
    around: &Place<'_, '_>,
    name: &str,
    value: NodeRef<'_>,
) -> Vec<String> {
    let Some(maps) = maps_on_the_way(api, top, around) else { return Vec::new() };
    let Some(((own, place), further)) = maps.split_last() else { return Vec::new() };
    let has = |definition: &Definition| definition.field(name).is_some();
    let mut below = fields_below(api, own, has);
    if below.is_empty() && value.scalar().is_some() {
        // A map of whatever keys is meant where there is little else, or where one stands empty beside the field.
        let is_empty =
            |field: &Field| place.node().and_then(|node| node.get(field.name)).is_some_and(NodeRef::is_null);
        let is_meant = |field: &Field| own.fields.len() <= FEW || is_empty(field);
        let fields =
            own.fields.iter().filter(|field| matches!(field.r#type, Type::Map(_)) && is_meant(field));
        below = fields.map(|field| (field.name, "")).collect();
    }
    // Those that are there were most likely meant.
    let is_there = |(field, _): &(&str, &str)| place.node().is_some_and(|node| node.get(field).is_some());
    if below.iter().any(is_there) {
        below.retain(is_there);
    }
    if !below.is_empty() {
        let paths = below.iter().map(|(field, behind)| joined(place, field) + behind);
        return if below.len() > MOST { Vec::new() } else { paths.collect() };
    }
    let found = further.iter().rev().find_map(|(definition, place)| {
        let is_free = |place: &Place<'_, '_>| place.node().is_some_and(|node| node.get(name).is_none());
        if has(definition) {
            return is_free(place).then(|| place.path());
        }
        // What names and labels an object is often looked for beside what it does.
        let metadata = definition.field("metadata").map(|(_, field)| field.r#type);
        match metadata {
            Some(Type::Object(id)) if api.definition(*id).is_some_and(has) => {
                is_free(&place.child("metadata")).then(|| joined(place, "metadata"))
            }
            _ => None,
        }
    });
    found.into_iter().collect()
}

/// The maps with known fields from the top of an object down to a place, with their places.
fn maps_on_the_way<'p, 'd>(
    api: &'static Api,
    top: &'static Definition,
    place: &'p Place<'p, 'd>,
) -> Option<Vec<(&'static Definition, &'p Place<'p, 'd>)>> {
    let mut way: Vec<_> = place.and_around().collect();
    way.reverse();
    let mut maps = vec![(top, *way.first()?)];
    let mut wanted: Option<&'static Type> = None;
    for here in way.into_iter().skip(1) {
        let next = match wanted {
            None => maps.last()?.0.field(&here.last_name())?.1.r#type,
            Some(Type::List(items, _)) => api.r#type(*items),
            Some(Type::Map(values)) => api.r#type(*values),
            Some(_) => return None,
        };
        wanted = match next {
            Type::Object(id) => {
                maps.push((api.definition(*id)?, here));
                None
            }
            other => Some(other),
        };
    }
    wanted.is_none().then_some(maps)
}

/// The fields whose own fields, or those of whose items, are as wanted; with what is put behind their path.
fn fields_below(
    api: &'static Api,
    definition: &Definition,
    is_wanted: impl Fn(&Definition) -> bool,
) -> Vec<(&'static str, &'static str)> {
    let is_wanted = |wanted: &Type| match wanted {
        Type::Object(id) => api.definition(*id).is_some_and(&is_wanted),
        _ => false,
    };
    let fields = definition.fields.iter().filter_map(|field| match field.r#type {
        Type::List(items, _) => is_wanted(api.r#type(*items)).then_some((field.name, "[]")),
        wanted => is_wanted(wanted).then_some((field.name, "")),
    });
    fields.collect()
}

fn joined(place: &Place<'_, '_>, field: &str) -> String {
    let path = place.path();
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
