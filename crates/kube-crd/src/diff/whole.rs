//! Whole objects: what the comparison of schemas place by place does not see. A bounded set of objects that the old CRD
//! accepts is validated against the new one, and what is refused or lost is reported, unless it was before.

use trueline_kube_facts::{FieldError, FieldPath, Reason, Segment};
use trueline_yaml::{Data, Value};

use super::compare::field_text;
use super::keyword::{ChangedKeyword, required_entry, typed_at, typed_near};
use super::object::{Step, field_schema, item_schema, possible_names};
use super::walk::{Judge, Walk};
use super::{Break, Effect, NotShown};
use crate::definition::Subresources;
use crate::object::size;
use crate::structural::{Generic, Structural};

/// How many places are varied, and how large all objects may be together.
const MAX_PLACES: usize = 200;
const MAX_VALUES: usize = 100_000;

impl Walk<'_> {
    /// Names of objects that are refused now.
    pub(super) fn names(&mut self, new: &Structural) {
        let name = |schema: &Structural| schema.property("metadata")?.property("name").cloned();
        let Some(after) = name(new) else { return };
        let text = || Generic { type_name: "string".into(), ..Generic::default() };
        let before = name(self.object.schema)
            .unwrap_or_else(|| Structural { generic: text(), ..Structural::default() });
        let steps = ["metadata", "name"].map(|name| Step::Field(name.into()));
        for name in possible_names(self.object.maker, &before, &after) {
            let Some(object) = self.object.named(&name) else { continue };
            let errors = self.errors_at(&object, &steps);
            if !errors.is_empty() {
                let error = Judge::new(&after).errors(&name).into_iter().next();
                let pair = self.pair(&before, &after, &steps);
                let at = error.map_or_else(|| after.place.into(), |error| pair.refusing(&name, &error));
                self.refused(Ok(object), &errors.clone(), errors, at, &steps);
                return;
            }
        }
    }

    /// What the new CRD says of one field of an object. It may refuse the object for others, which are reported by themselves.
    fn errors_at(&self, object: &Value, steps: &[Step]) -> Vec<FieldError> {
        let field = field_text(steps);
        let errors = self.object.held_by(self.server, object).errors.into_iter();
        errors.filter(|error| generic_path(&error.field) == field).collect()
    }

    /// Numbers of replicas and selectors that are refused now.
    pub(super) fn scale(&mut self, subresources: Option<&Subresources>) {
        let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_ref()) else { return };
        let place = subresources.and_then(|subresources| subresources.written.place());
        let numbers = || {
            vec![Value::from(-1), Value::from(i64::from(i32::MAX) + 1), Value::from("x"), Value::from(0.5)]
        };
        let paths = [
            (Some(&scale.spec_replicas_path), numbers()),
            (Some(&scale.status_replicas_path), numbers()),
            (
                scale.label_selector_path.as_ref(),
                vec![Value::from(1), Value::new(Data::Map(Default::default()))],
            ),
        ];
        for (path, values) in paths {
            let Some(path) = path else { continue };
            let names = path.strip_prefix('.').unwrap_or(path).split('.');
            let steps: Vec<Step> = names.map(|name| Step::Field(name.into())).collect();
            for value in values {
                let Ok(object) = self.object.with(&steps, Some(&value)) else { continue };
                let errors = self.errors_at(&object, &steps);
                if !errors.is_empty() && !self.is_told(&field_text(&steps), Effect::Refused) {
                    self.refused(Ok(object), &errors.clone(), errors, place.into(), &steps);
                    break;
                }
            }
        }
    }

    /// The smallest object, one with everything, and with each changed place left out, null or full.
    pub(super) fn whole_objects(&mut self, new: &Structural) {
        let mut left = MAX_VALUES;
        let smallest = self.object.with(&[], None).ok();
        let full = self.object.full();
        for object in [&smallest, &full].into_iter().flatten() {
            self.tell(object, new, &mut left);
        }
        for steps in std::mem::take(&mut self.changed).into_iter().take(MAX_PLACES) {
            if left == 0 || self.object.is_spent() {
                return;
            }
            let Some(schema) = schema_at(self.object.schema, &steps) else { continue };
            let mut objects: Vec<Value> = Vec::new();
            objects.extend(full.as_ref().and_then(|full| self.object.without(full, &steps)));
            let mut values: Vec<Value> = self.object.maker.full(schema).into_iter().collect();
            if schema.generic.nullable {
                values.push(Value::new(Data::Null));
            }
            objects.extend(values.iter().filter_map(|value| self.object.with(&steps, Some(value)).ok()));
            for object in objects {
                self.tell(&object, new, &mut left);
            }
        }
    }

    /// Tells what the new CRD refuses or drops of an object, as it was written and as it lies in the cluster.
    fn tell(&mut self, object: &Value, new: &Structural, left: &mut usize) {
        *left = left.saturating_sub(size(object));
        let held = self.object.held(object);
        if !held.errors.is_empty() {
            return;
        }
        for object in [object, &held.value] {
            let after = self.object.held_by(self.server, object);
            if let Some(path) = after.errors.first().map(|error| error.field.clone()) {
                let field = generic_path(&path);
                if !self.is_any_told(&after.errors) {
                    self.undecided_no_more(&field);
                    let at = self.required(&path, &after.errors).unwrap_or_else(|| self.near(&path, new));
                    let steps = [Step::Field(field.as_str().into())];
                    self.refused(Ok(object.clone()), &after.errors.clone(), after.errors, at, &steps);
                }
                return;
            }
            let known: Vec<&FieldPath> = held.lost.iter().map(|field| &field.path).collect();
            let lost = after.lost.iter().find(|field| !known.contains(&&field.path));
            if let Some(path) = lost.map(|field| field.path.clone())
                && let field = generic_path(&path)
                && !self.is_told(&field, Effect::Lost)
            {
                let message = format!("the field `{field}` is gone: it is pruned from objects that have it");
                let at = self.near(&path, new);
                let steps = [Step::Field(field.as_str().into())];
                self.push(&steps, message, Ok(object.clone()), Vec::new(), at, Effect::Lost);
            }
        }
    }

    /// The part of the new schema that a field is about, or the nearest around it.
    fn near(&self, path: &FieldPath, new: &Structural) -> ChangedKeyword {
        let typed = typed_near(self.typed[1], &steps_of(path));
        typed.and_then(|typed| typed.origin).or(new.place).into()
    }

    /// Where the new schema requires the field that the first of the errors is about.
    fn required(&self, path: &FieldPath, errors: &[FieldError]) -> Option<ChangedKeyword> {
        errors.first().filter(|error| error.reason() == Reason::Required)?;
        let steps = steps_of(path);
        let (_, around) = steps.split_last()?;
        required_entry(typed_at(self.typed[1], around), path.last()?.as_field()?)
            .map(|place| Some(place).into())
    }

    /// Whether one of the errors was told: an object that is refused for that, too, shows nothing of the others.
    fn is_any_told(&self, errors: &[FieldError]) -> bool {
        errors.iter().any(|error| self.is_told(&generic_path(&error.field), Effect::Refused))
    }

    /// Whether something was told of a field, of what is around it or inside of it.
    fn is_told(&self, field: &str, effect: Effect) -> bool {
        let is_below = |inner: &str, outer: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let is_it = |found: &Break| {
            found.version == self.object.version.name
                && found.effect == effect
                && found.example != Err(NotShown::Undecided)
                && (is_below(&found.field, field)
                    || is_below(field, &found.field)
                    || is_below(field, &without_entries(&found.field))
                    || found.errors.iter().any(|error| generic_path(&error.field) == field))
        };
        self.breaks.iter().any(is_it)
    }

    /// What an object shows was undecided until now.
    fn undecided_no_more(&mut self, field: &str) {
        let version = &self.object.version.name;
        self.breaks.retain(|found| {
            found.example != Err(NotShown::Undecided) || found.version != *version || found.field != field
        });
    }
}

fn schema_at<'s>(schema: &'s Structural, steps: &[Step]) -> Option<&'s Structural> {
    steps.iter().try_fold(schema, |schema, step| match step {
        Step::Field(name) | Step::Entry(name) => field_schema(schema, name),
        Step::Item => item_schema(schema),
    })
}

/// The path of a field without the numbers of items.
fn generic_path(path: &FieldPath) -> String {
    field_text(&steps_of(path))
}

/// The steps of a path without numbers of items.
fn steps_of(path: &FieldPath) -> Vec<Step> {
    let steps = path.segments().iter().filter(|segment| !segment.is(""));
    let steps = steps.map(|segment| match segment {
        Segment::Field(name) => Step::Field((**name).into()),
        Segment::Key(_) => Step::Entry("key".into()),
        Segment::Index(_) => Step::Item,
    });
    steps.collect()
}

/// The path of the map that an entry is in.
fn without_entries(field: &str) -> String {
    field.split("[*]").next().unwrap_or_default().to_owned()
}
