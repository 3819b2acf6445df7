//! Where a field belongs that stands where its type has no such field: most often its indentation is wrong.

use trueline_yaml::NodeRef;

use super::place::Place;
use crate::api::{Api, Definition, Type};

/// The path of the map that has room for a field, which stands in the map `around`; empty for the object itself.
pub(super) fn belongs(
    api: &'static Api,
    top: &'static Definition,
    around: &Place<'_, '_>,
    name: &str,
    value: NodeRef<'_>,
) -> Option<String> {
    let maps = maps_on_the_way(api, top, around)?;
    let (own, place) = maps.last()?;
    let has = |definition: &Definition| definition.field(name).is_some();
    let inside = |definition: &Definition| below(api, definition, has);
    if let Some(field) = inside(own) {
        return Some(joined(place, field));
    }
    if let (Some(field), true) = (only_map(own), value.scalar().is_some()) {
        return Some(joined(place, field));
    }
    maps.iter().rev().skip(1).find_map(|(definition, place)| {
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
    })
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

/// The only field whose own fields are as wanted.
fn below(
    api: &'static Api,
    definition: &Definition,
    is_wanted: impl Fn(&Definition) -> bool,
) -> Option<&'static str> {
    let mut found = definition.fields.iter().filter(|field| match field.r#type {
        Type::Object(id) => api.definition(*id).is_some_and(&is_wanted),
        _ => false,
    });
    let first = found.next()?;
    found.next().is_none().then_some(first.name)
}

/// The only field that is a map of whatever keys, such as `matchLabels`.
fn only_map(definition: &Definition) -> Option<&'static str> {
    let mut found = definition.fields.iter().filter(|field| matches!(field.r#type, Type::Map(_)));
    let first = found.next()?;
    found.next().is_none().then_some(first.name)
}

fn joined(place: &Place<'_, '_>, field: &str) -> String {
    let path = place.path();
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
