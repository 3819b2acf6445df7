//! Where two schemas differ, and what may follow from that.

use std::sync::Arc;

use trueline_kube_facts::{FieldError, Reason};
use trueline_regexp::End;

use super::known::KnownBranches;
use super::object::Step;
use crate::props::OrBool;
use crate::structural::{NestedValueValidation, Structural, ValueValidation};

/// What may be narrower than before, although no value was found that shows it, and the keyword that makes it so.
pub(super) fn undecided(
    old: &Structural,
    new: &Structural,
    end: End,
) -> Option<(&'static str, &'static str)> {
    let nothing = ValueValidation::default();
    let [was, is] = [old, new].map(|schema| schema.value_validation.as_deref().unwrap_or(&nothing));
    // Texts of all lengths were thought of unless the search was given up.
    let length = |length: Option<i64>| length.filter(|_| end == End::GaveUp);
    let least = |demanded: &ValueValidation| {
        [
            ("minItems", demanded.min_items),
            ("minProperties", demanded.min_properties),
            ("minLength", length(demanded.min_length)),
        ]
        .map(|(keyword, least)| (keyword, least.unwrap_or_default()))
    };
    let most = |demanded: &ValueValidation| {
        [
            ("maxItems", demanded.max_items),
            ("maxProperties", demanded.max_properties),
            ("maxLength", length(demanded.max_length)),
        ]
        .map(|(keyword, most)| (keyword, most.unwrap_or(i64::MAX)))
    };
    let higher = least(was).into_iter().zip(least(is)).find(|(was, is)| is.1 > was.1);
    let lower = most(was).into_iter().zip(most(is)).find(|(was, is)| is.1 < was.1);
    let branches = [
        ("allOf", has_other(&is.all_of, &was.all_of)),
        ("anyOf", !is.any_of.is_empty() && (was.any_of.is_empty() || has_other(&was.any_of, &is.any_of))),
        ("oneOf", !is.one_of.is_empty() && was.one_of != is.one_of),
        ("not", is.not.is_some() && was.not != is.not),
    ];
    if end == End::GaveUp && !is.pattern.is_empty() && was.pattern != is.pattern {
        Some(("another pattern", "pattern"))
    } else if trueline_apimachinery::formats::is_known_format(&is.format) && was.format != is.format {
        Some(("another format", "format"))
    } else if let Some((_, (keyword, _))) = higher.or(lower) {
        Some(("narrower bounds", keyword))
    } else {
        let (keyword, _) = branches.into_iter().find(|(_, differ)| *differ)?;
        Some(("other branches of `allOf`, `anyOf`, `oneOf` or `not`", keyword))
    }
}

/// Whether some branches have one that is not among the known ones.
fn has_other(branches: &[NestedValueValidation], known: &[NestedValueValidation]) -> bool {
    let known = KnownBranches::new(known);
    branches.iter().any(|branch| !known.have(branch))
}

/// Whether two schemas demand the same of the same fields, whatever they say about them in words.
pub(super) fn demand_the_same(old: &Structural, new: &Structural) -> bool {
    let items = match (&old.items, &new.items) {
        (Some(old), Some(new)) => demand_the_same(old, new),
        (None, None) => true,
        _ => false,
    };
    let additional = match (old.additional_properties.as_deref(), new.additional_properties.as_deref()) {
        (Some(OrBool::Schema(old)), Some(OrBool::Schema(new))) => demand_the_same(old, new),
        (Some(OrBool::Bool(old)), Some(OrBool::Bool(new))) => old == new,
        (None, None) => true,
        _ => false,
    };
    items
        && additional
        && own_demands_are_the_same(old, new)
        && old.properties.len() == new.properties.len()
        && old.properties.iter().all(|(name, property)| {
            new.properties.get(name).is_some_and(|after| demand_the_same(property, after))
        })
}

pub(super) fn own_demands_are_the_same(old: &Structural, new: &Structural) -> bool {
    old.generic.type_name == new.generic.type_name
        && old.generic.nullable == new.generic.nullable
        && old.extensions == new.extensions
        && old.value_validation == new.value_validation
        && old.rules == new.rules
        && additional(old) == additional(new)
        && defaults_are_the_same(old, new)
}

/// What a schema says about fields that it does not name: nothing, whether they may be there, or a schema.
fn additional(schema: &Structural) -> Option<Option<bool>> {
    schema.additional_properties.as_deref().map(|additional| match additional {
        OrBool::Bool(is_allowed) => Some(*is_allowed),
        OrBool::Schema(_) => None,
    })
}

/// Whether the same is set where a field is missing, in an object or in the items of a list.
pub(super) fn defaults_are_the_same(old: &Structural, new: &Structural) -> bool {
    let default = |schema: &Structural, name: &Arc<str>| {
        schema.properties.get(name).and_then(|property| property.generic.default.clone())
    };
    let of = |old: &Structural, new: &Structural| {
        old.properties
            .keys()
            .chain(new.properties.keys())
            .all(|name| default(old, name) == default(new, name))
    };
    // Items are known by their keys, which may be set.
    let keys = |schema: &Structural| !schema.extensions.list_map_keys.is_empty();
    let items = match (&old.items, &new.items) {
        (Some(before), Some(after)) if keys(old) || keys(new) => of(before, after),
        _ => true,
    };
    items && of(old, new)
}

/// Whether no value of the old schema's type is one of the new schema's.
pub(super) fn is_another_type(old: &Structural, new: &Structural) -> bool {
    let [was, is] = [old, new].map(|schema| &*schema.generic.type_name);
    !was.is_empty() && !is.is_empty() && was != is && (was, is) != ("integer", "number")
}

pub(super) fn why(error: &FieldError) -> String {
    match error.reason() {
        Reason::Duplicate => "an item must not appear twice".to_owned(),
        Reason::Required => format!("`{}` is required", error.field),
        reason => match error.detail.about_part(error.rule) {
            sentence if sentence.is_empty() => reason.text().to_owned(),
            sentence => sentence,
        },
    }
}

pub(super) fn field_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Entry(_) => text.push_str("[*]"),
            Step::Item => text.push_str("[]"),
        }
    }
    text
}
