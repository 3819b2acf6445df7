//! What else is wrong with a CRD: the server stops looking at a schema after some errors, and a person who fixes them
//! one by one hears of the next only then. The server's own list stays as it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use trueline_kube_facts::{FieldError, FieldPath, KubeVersion, Segment, Trail};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use crate::cel::Engine;
use crate::definition::Crd;
use crate::props::{Items, OrBool, Props};
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};
use crate::{check::validate::defaults::UnknownInDefaults, structural::Structural};

impl Crd {
    /// The schemas, each once, with the paths that the server has for them.
    pub(super) fn named_schemas(
        &self,
    ) -> impl Iterator<Item = (FieldPath, &crate::definition::Version, &Props)> {
        self.spec.versions.iter().enumerate().filter_map(move |(index, version)| {
            let schema = self.schema(version)?;
            match &version.validation {
                Some(_) => {
                    let path = FieldPath::of("spec.versions").index(index);
                    Some((path.field("schema").field("openAPIV3Schema"), version, &**schema))
                }
                // What all versions share is looked at once.
                None if index == 0 => {
                    Some((FieldPath::of("spec.validation.openAPIV3Schema"), version, &**schema))
                }
                None => None,
            }
        })
    }

    /// The errors that those of the server hide.
    pub(super) fn further_errors(&self, version: KubeVersion) -> Vec<FieldError> {
        let engine = Engine::for_stored(version);
        let mut further = Vec::new();
        for (text, _, props) in self.named_schemas() {
            let path = Trail::at(&text, props.written.0.as_ref());
            let (structural, is_refused) = match Structural::new(props) {
                Ok(structural) => (structural, false),
                Err(_) => match Structural::new(&supported(props)) {
                    Ok(structural) => (structural, true),
                    Err(_) => continue,
                },
            };
            let errors = structural.validate(&path);
            if is_refused || !errors.is_empty() {
                let defaults = structural.validate_defaults(&path, UnknownInDefaults::Refused, &engine);
                let fields: FxHashSet<&[Segment]> =
                    errors.iter().flat_map(|error| around(&error.field)).collect();
                further.extend(defaults.into_iter().filter(|error| !is_doubtful(error, &fields)));
            }
            if is_refused {
                further.extend(errors);
            }
        }
        further
    }
}

/// Whether what is said of a default may come of an error in its own schema.
fn is_doubtful(error: &FieldError, others: &FxHashSet<&[Segment]>) -> bool {
    let steps = error.field.segments();
    let Some(schema) = steps.iter().position(|step| step.is("default")) else { return true };
    steps.get(..schema).is_some_and(|schema| others.contains(schema))
}

/// The paths of all that is around a field.
fn around(field: &FieldPath) -> impl Iterator<Item = &[Segment]> {
    let steps = field.segments();
    (0..steps.len()).filter_map(move |end| steps.get(..end))
}

/// The schema without the keywords that CRDs do not have.
fn supported(props: &Props) -> Props {
    let all = |schemas: &[Props]| schemas.iter().map(supported).collect();
    Props {
        id: Default::default(),
        schema: Default::default(),
        reference: None,
        pattern_properties: BTreeMap::new(),
        dependencies: None,
        additional_items: None,
        definitions: BTreeMap::new(),
        preserve_unknown_fields: props.preserve_unknown_fields.filter(|preserves| *preserves),
        items: match props.items.as_deref() {
            Some(Items::Schema(schema)) => Some(Box::new(Items::Schema(supported(schema)))),
            // What each of them says is not known to be meant for all items; that there are items is.
            Some(Items::List(schemas)) if !schemas.is_empty() => Some(Box::new(Items::Schema(Props {
                preserve_unknown_fields: Some(true),
                ..Props::default()
            }))),
            _ => None,
        },
        all_of: all(&props.all_of),
        any_of: all(&props.any_of),
        one_of: all(&props.one_of),
        not: props.not.as_deref().map(|not| Box::new(supported(not))),
        properties: props
            .properties
            .iter()
            .map(|(name, schema)| (std::sync::Arc::clone(name), Box::new(supported(schema))))
            .collect(),
        additional_properties: props.additional_properties.as_deref().map(|additional| {
            Box::new(match additional {
                OrBool::Bool(allowed) => OrBool::Bool(*allowed),
                OrBool::Schema(schema) => OrBool::Schema(supported(schema)),
            })
        }),
        ..props.clone()
    }
}

/// The value with nothing at the place where something was typed that cannot be read; nothing if it is not in there.
pub(super) fn without_value_at(value: &Value, place: Span) -> Option<Value> {
    if value.origin == Some(place) && !matches!(value.data, Data::Null) {
        return Some(Value { data: Data::Null, origin: value.origin });
    }
    let holds = |value: &Value| {
        value.origin.is_none_or(|origin| {
            origin.source != place.source || origin.start <= place.start && place.end <= origin.end
        })
    };
    match &value.data {
        Data::Map(map) => {
            let change = |value: &Value| holds(value).then(|| without_value_at(value, place)).flatten();
            rewrite_map(map, |_, entry| Fate::from(change(&entry.value))).map(|map| with_map(value, map))
        }
        Data::List(items) => {
            let change =
                |_: usize, item: &Value| holds(item).then(|| without_value_at(item, place)).flatten();
            rewrite_list(items, change).map(|items| with_list(value, items))
        }
        _ => None,
    }
}
