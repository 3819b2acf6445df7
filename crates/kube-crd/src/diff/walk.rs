//! Two schemas side by side: what the new one refuses or drops that the old one accepts, place by place.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_kube_facts::{FieldError, FieldPath, Reason, RuleFact, Trail};
use trueline_yaml::{Data, Map, Value};

use super::compare::{
    demand_the_same, field_text, is_another_type, own_demands_are_the_same, undecided, why,
};
use super::keyword::{ChangedKeyword, Pair, Refused, is_same, key_place, typed_at};
use super::object::{
    ANYTHING, Object, Step, entry_name, field_schema, item_schema, keeps_others, sample_or_empty,
};
use super::{Break, Effect, NotShown};
use crate::diff::example::{entry, map_value};
use crate::object::embedded::validate_embedded;
use crate::object::list_types::validate_list_types;
use crate::props::{OrBool, Rule};
use crate::structural::{NestedValueValidation, Structural, ValueValidation};
use crate::{
    object::{Purpose, Resource, Validator, default, drop_nulls, prune},
    structural::Root,
    value::with_server_numbers,
};

/// How many values are put into objects before it is reported that none can be shown.
const MOST_TRIED: usize = 8;

/// How many branches of `allOf`, `anyOf`, `oneOf` and `not` two schemas of one place may have to be compared: each keyword
/// is tried with copies of both.
const MOST_BRANCHES: usize = 5_000;

/// What a server says about a part of an object: after unknown fields and nulls are dropped and defaults set, what the
/// schema demands of it, that no item of a set occurs twice, and what resources inside of it must have.
pub(super) struct Judge<'s> {
    schema: &'s Structural,
    validator: Validator,
}

impl<'s> Judge<'s> {
    pub(super) fn new(schema: &'s Structural) -> Self {
        Judge { schema, validator: Validator::new(schema, Purpose::Objects) }
    }

    pub(super) fn errors(&self, value: &Value) -> Vec<FieldError> {
        let value = prune(&with_server_numbers(value), Some(self.schema), Root::Value).value;
        let value = default(&drop_nulls(&value, self.schema), self.schema);
        let path = Trail::root("", Some(&value));
        let mut errors = self.validator.validate(&value, &FieldPath::default());
        errors.extend(validate_list_types(&value, self.schema, &path));
        errors.extend(validate_embedded(&value, self.schema, Root::Value, &path));
        errors
    }
}

/// What becomes of an object with a value.
enum Shown {
    /// The new CRD refuses it, and says this.
    Refused(Value, Vec<FieldError>),
    /// The new CRD accepts it.
    Accepted,
    /// There is no such object that the old CRD accepts.
    Not(NotShown),
}

pub(super) struct Walk<'w> {
    pub(super) object: &'w Object<'w>,
    /// The new version.
    pub(super) server: &'w Resource,
    pub(super) breaks: &'w mut Vec<Break>,
    /// How many changes were told that objects are refused for.
    pub(super) refusals: usize,
    /// The old schema and the new one, as they were typed.
    pub(super) typed: [Option<&'w Value>; 2],
    /// Where schemas differ.
    pub(super) changed: Vec<Vec<Step>>,
}

impl<'w> Walk<'w> {
    /// Compares two schemas of one place. What is inside comes first, so a change is reported where it is.
    pub(super) fn node(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        if demand_the_same(old, new) {
            return;
        }
        let before = self.refusals;
        for (name, property) in old.properties.iter().filter(|_| holds_fields(new)) {
            let is_meta = steps.is_empty() && matches!(&**name, "apiVersion" | "kind" | "metadata");
            steps.push(Step::Field(Arc::clone(name)));
            match (new.properties.get(name), new.additional_properties.as_deref()) {
                _ if is_meta => {}
                (Some(after), _) => self.node(property, after, steps),
                (None, Some(OrBool::Schema(after))) => self.node(property, after, steps),
                _ if new.extensions.preserve_unknown_fields => {}
                _ => self.removed(property, steps),
            }
            steps.pop();
        }
        if holds_fields(new) {
            self.new_fields(old, new, steps);
            self.entries(old, new, steps);
            self.unknown_fields(old, new, steps);
        }
        if holds_items(new) {
            self.items(old, new, steps);
        }
        self.new_rules(old, new, steps);
        if own_demands_are_the_same(old, new) {
            if requires_what_is_gone(old, new) {
                self.newly_required(old, new, steps);
            }
            return;
        }
        self.changed.push(steps.clone());
        // Below a change that was told the whole is refused too. What is only lost below it may be refused all the same.
        if self.refusals == before {
            self.own_keywords(old, new, steps);
        } else if old.generic.type_name == new.generic.type_name {
            let told = self.newly_required(old, new, steps);
            self.other_keywords(old, new, told.as_ref(), steps);
        }
    }

    /// Two schemas of one place, with what was typed there.
    pub(super) fn pair<'p>(&self, old: &'p Structural, new: &'p Structural, steps: &[Step]) -> Pair<'p>
    where
        'w: 'p,
    {
        Pair { old, new, typed: self.typed.map(|typed| typed_at(typed, steps)) }
    }

    /// Fields that only the new schema names, where the old one keeps them all the same.
    fn new_fields(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        for (name, property) in &new.properties {
            let is_meta = steps.is_empty() && matches!(&**name, "apiVersion" | "kind" | "metadata");
            if is_meta || old.properties.contains_key(name) {
                continue;
            }
            let Some(before) = field_schema(old, name) else { continue };
            steps.push(Step::Field(Arc::clone(name)));
            self.kept(before, property, steps);
            steps.pop();
        }
    }

    /// Of what the old schema says nothing about, only the first difference is reported.
    fn kept(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        if !std::ptr::eq(old, &*ANYTHING) {
            return self.node(old, new, steps);
        }
        self.own_keywords(old, new, steps);
    }

    fn items(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        if let (Some(old), Some(new)) = (item_schema(old), &new.items) {
            steps.push(Step::Item);
            self.kept(old, new, steps);
            steps.pop();
        }
    }

    fn entries(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        let before = match old.additional_properties.as_deref() {
            Some(OrBool::Schema(before)) => before,
            _ if keeps_others(old) => &ANYTHING,
            _ => return,
        };
        steps.push(Step::Entry(entry_name([old, new])));
        match new.additional_properties.as_deref() {
            Some(OrBool::Schema(after)) => self.kept(before, after, steps),
            // What a map without a schema holds keeps none of its fields.
            Some(OrBool::Bool(true)) if is_part_of_itself(before) => self.removed_below(before, steps),
            None if old.additional_properties.is_some() && !new.extensions.preserve_unknown_fields => {
                self.removed(before, steps);
            }
            _ => {}
        }
        steps.pop();
    }

    /// What the schema of a place itself refuses now.
    fn own_keywords(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let demanded = [old, new].into_iter().filter_map(|schema| schema.value_validation.as_deref());
        if demanded.map(branches).fold(0, usize::saturating_add) > MOST_BRANCHES {
            let field = field_text(steps);
            let message = format!(
                "`{field}` changed, and has too many branches (`allOf`, `anyOf`, `oneOf`, `not`) to find out what is refused now"
            );
            let at = ChangedKeyword::from(new.place);
            self.push(steps, message, Err(NotShown::Undecided), Vec::new(), at, Effect::Refused);
            return;
        }
        let told = self.first_keyword(old, new, steps);
        // Where nothing was said of the type, what the new type demands of its values is no change by itself.
        if !old.generic.type_name.is_empty() || old.extensions.int_or_string {
            self.other_keywords(old, new, told.as_ref(), steps);
        }
    }

    /// The first thing that is refused now, and where it was told.
    fn first_keyword(
        &mut self,
        old: &Structural,
        new: &Structural,
        steps: &[Step],
    ) -> Option<ChangedKeyword> {
        let [before, after] = [old, new].map(Judge::new);
        let candidates = self.object.maker.candidates(old, new);
        let mut unshown = None;
        let mut tried = 0;
        for candidate in candidates.values {
            if !before.errors(&candidate).is_empty() {
                continue;
            }
            let mut errors = after.errors(&candidate);
            let Some(first) = errors.first().cloned() else { continue };
            let pair = self.pair(old, new, steps);
            let at = || pair.refusing(&candidate, &first);
            let is_null = matches!(candidate.data, Data::Null);
            match self.shown(&candidate, steps) {
                Shown::Refused(example, said) => {
                    // A field that is null is as good as absent where it may not be null.
                    if is_null {
                        errors.clone_from(&said);
                    }
                    return Some(self.refused(Ok(example), &errors, said, at(), steps));
                }
                // The object around it makes up for that.
                Shown::Accepted => {}
                Shown::Not(_) if is_null => {}
                Shown::Not(reason) => _ = unshown.get_or_insert_with(|| (reason, errors, at())),
            }
            tried += 1;
            if tried >= MOST_TRIED {
                break;
            }
        }
        if let Some(at) = self.newly_required(old, new, steps) {
            return Some(at);
        }
        let field = field_text(steps);
        let (message, reason, keyword) = if let Some((reason, errors, at)) = unshown {
            return Some(self.refused(Err(reason), &errors, Vec::new(), at, steps));
        } else if is_another_type(old, new) {
            let [was, is] = [old, new].map(|schema| &schema.generic.type_name);
            let message = format!("`{field}` was of type {was}, and must be of type {is} now");
            (message, NotShown::NotFound, "type")
        } else if let Some((what, keyword)) = undecided(old, new, candidates.end) {
            let message = format!("`{field}` has {what}, which may refuse what the old schema accepts");
            (message, NotShown::Undecided, keyword)
        } else {
            return None;
        };
        let at = self.pair(old, new, steps).keyword(keyword, None);
        self.push(steps, message, Err(reason), Vec::new(), at.clone(), Effect::Refused);
        Some(at)
    }

    /// Each other keyword that refuses something by itself, with an object that is refused for nothing else if there is one.
    fn other_keywords(
        &mut self,
        old: &Structural,
        new: &Structural,
        told: Option<&ChangedKeyword>,
        steps: &[Step],
    ) {
        let [before, after] = [old, new].map(Judge::new);
        let pair = self.pair(old, new, steps);
        for (keyword, alone) in pair.each_by_itself() {
            if told.is_some_and(|told| told.keyword == Some(keyword)) {
                continue;
            }
            let by_itself = Judge::new(&alone);
            let candidates = self.object.maker.candidates(old, &alone).values.into_iter();
            let mut refused: Vec<(Value, FieldError, usize)> = candidates
                .filter(|candidate| before.errors(candidate).is_empty())
                .filter_map(|candidate| {
                    let errors = after.errors(&candidate);
                    let mut found = by_itself.errors(&candidate).into_iter();
                    let found = found.find(|error| errors.iter().any(|after| is_same(error, after)))?;
                    Some((candidate, found, errors.len()))
                })
                .collect();
            refused.sort_by_key(|(_, _, errors)| *errors);
            for (candidate, error, _) in refused.into_iter().take(MOST_TRIED) {
                let is_null = matches!(candidate.data, Data::Null);
                let at = || pair.keyword(keyword, Some(Refused { value: &candidate, error: &error }));
                let (example, said) = match self.shown(&candidate, steps) {
                    Shown::Refused(example, said) => (example, said),
                    Shown::Not(reason @ NotShown::TooLarge) if !is_null => {
                        let at = at();
                        self.refused(Err(reason), &[error], Vec::new(), at, steps);
                        break;
                    }
                    _ => continue,
                };
                let at = at();
                // A field that is null is as good as absent where it may not be null.
                let errors = if is_null { said.clone() } else { vec![error] };
                if said.iter().any(|said| errors.iter().any(|error| error.reason() == said.reason())) {
                    self.refused(Ok(example), &errors, said, at, steps);
                    break;
                }
            }
        }
    }

    /// A field that has to be there now, where it could be left out before, and where that was told.
    fn newly_required(
        &mut self,
        old: &Structural,
        new: &Structural,
        steps: &[Step],
    ) -> Option<ChangedKeyword> {
        let example = self.object.maker.sample(old)?;
        let mut errors = Judge::new(new).errors(&example);
        errors.retain(|error| error.reason() == Reason::Required);
        let first = errors.first()?;
        let pair = self.pair(old, new, steps);
        let at = || pair.refusing(&example, first);
        match self.shown(&example, steps) {
            Shown::Refused(shown, said) => Some(self.refused(Ok(shown), &errors, said, at(), steps)),
            Shown::Not(reason) => Some(self.refused(Err(reason), &errors, Vec::new(), at(), steps)),
            Shown::Accepted => None,
        }
    }

    /// Fields that no schema knows, where they were kept before and are not any more.
    fn unknown_fields(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let keeps = |schema: &Structural| {
            schema.extensions.preserve_unknown_fields || schema.additional_properties.is_some()
        };
        if !old.extensions.preserve_unknown_fields || keeps(new) {
            return;
        }
        let mut map = match sample_or_empty(self.object.maker, old).data {
            Data::Map(map) => Map::clone(&map),
            _ => Map::default(),
        };
        map.insert("unknown".into(), entry(Value::from("x")));
        let example = self.object.with(steps, Some(&map_value(map)));
        let of = if steps.is_empty() { "objects".to_owned() } else { format!("`{}`", field_text(steps)) };
        let message = format!("fields of {of} that the schema does not know were kept, and are pruned now");
        let example = self.pruned_only(example);
        let keyword = "x-kubernetes-preserve-unknown-fields";
        let pair = self.pair(old, new, steps);
        // A definition as a whole can keep them, too.
        let is_typed = pair.typed[0].is_some_and(|typed| typed.get(keyword).is_some());
        let at = if is_typed { pair.keyword(keyword, None) } else { new.place.into() };
        self.push(steps, message, example, Vec::new(), at, Effect::Lost);
    }

    /// An object that breaks a new rule is shown; where none is found, there may be one.
    fn new_rules(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let known: FxHashSet<&str> = old.rules.iter().map(|rule| &*rule.rule).collect();
        let is_new = |rule: &&Rule| !known.contains(&*rule.rule);
        for rule in new.rules.iter().filter(is_new) {
            let field = field_text(steps);
            let message =
                format!("`{field}` has a new rule, which objects that exist may not keep: {}", rule.rule);
            let place = rule.places.whole.or(new.place);
            match self.breaks_rule(rule, old, steps) {
                Some((example, said)) => {
                    self.push(steps, message, Ok(example), said, place.into(), Effect::Refused);
                }
                None => {
                    self.push(steps, message, Err(NotShown::Rule), Vec::new(), place.into(), Effect::Unknown);
                }
            }
        }
    }

    /// An object that the old CRD accepts and that breaks a rule of the new one.
    fn breaks_rule(&self, rule: &Rule, old: &Structural, steps: &[Step]) -> Option<(Value, Vec<FieldError>)> {
        let place = rule.place();
        let is_broken = |error: &FieldError| matches!(error.expression.as_deref(), Some(RuleFact::Broken { rule }) if rule.is_some() && *rule == place);
        let samples = [self.object.maker.sample(old), self.object.maker.full(old)];
        samples.into_iter().flatten().find_map(|value| {
            let found = self.object.ways(steps, &value, |example| {
                let said = self.object.held_by(self.server, &example).errors;
                said.iter().any(is_broken).then_some((example, said))
            });
            found.ok()
        })
    }

    /// An object that loses nothing shows nothing.
    fn pruned_only(&self, example: Result<Value, NotShown>) -> Result<Value, NotShown> {
        let loses = |example: &Value| {
            let kept = self.object.held(example).lost.len();
            self.object.held_by(self.server, example).lost.len() > kept
        };
        example.and_then(|example| if loses(&example) { Ok(example) } else { Err(NotShown::NotFound) })
    }

    /// What becomes of an object with a value that is refused by itself.
    fn shown(&self, value: &Value, steps: &[Step]) -> Shown {
        let mut is_accepted = false;
        let refused = self.object.ways(steps, value, |example| {
            let said = self.object.held_by(self.server, &example).errors;
            is_accepted |= said.is_empty();
            (!said.is_empty()).then_some((example, said))
        });
        match refused {
            Ok((example, said)) => Shown::Refused(example, said),
            Err(_) if is_accepted => Shown::Accepted,
            Err(reason) => Shown::Not(reason),
        }
    }

    /// Tells that a value is refused now, and says where.
    pub(super) fn refused(
        &mut self,
        example: Result<Value, NotShown>,
        errors: &[FieldError],
        said: Vec<FieldError>,
        at: ChangedKeyword,
        steps: &[Step],
    ) -> ChangedKeyword {
        let field = field_text(steps);
        let why = errors.first().map(why).unwrap_or_default();
        let shown = if field.is_empty() { "objects".to_owned() } else { format!("`{field}`") };
        let message = format!("{shown} can hold what the new schema refuses: {why}");
        self.push(steps, message, example, said, at.clone(), Effect::Refused);
        at
    }

    fn removed(&mut self, property: &Structural, steps: &[Step]) {
        let value = self.object.maker.sample(property).ok_or(NotShown::NotFound);
        let example = value.and_then(|value| self.object.with(steps, Some(&value)));
        let example = self.pruned_only(example);
        let field = field_text(steps);
        let message = format!("the field `{field}` is gone: it is pruned from objects that have it");
        let at = self.gone(steps).unwrap_or_else(|| property.place.into());
        self.push(steps, message, example, Vec::new(), at, Effect::Lost);
    }

    /// Where the old schema was typed to have a field that the new one does not have.
    fn gone(&self, steps: &[Step]) -> Option<ChangedKeyword> {
        let (last, around) = steps.split_last()?;
        let around = typed_at(self.typed[0], around)?;
        let (place, label) = match last {
            Step::Field(name) => {
                (key_place(around.get("properties"), name)?, "this field is not in the new schema")
            }
            Step::Entry(_) => {
                (key_place(Some(around), "additionalProperties")?, "the new schema has no such fields")
            }
            Step::Item => return None,
        };
        Some(ChangedKeyword { place: Some(place), label: label.to_owned(), keyword: None })
    }

    /// What is inside of a value is dropped.
    fn removed_below(&mut self, schema: &Structural, steps: &[Step]) {
        let Some(value) = self.object.maker.full(schema) else { return };
        let example = self.pruned_only(self.object.with(steps, Some(&value)));
        if example.is_err() {
            return;
        }
        let message = format!(
            "fields of `{}` are gone: they are pruned from objects that have them",
            field_text(steps)
        );
        self.push(steps, message, example, Vec::new(), schema.place.into(), Effect::Lost);
    }

    pub(super) fn push(
        &mut self,
        steps: &[Step],
        message: String,
        example: Result<Value, NotShown>,
        errors: Vec<FieldError>,
        at: ChangedKeyword,
        effect: Effect,
    ) {
        self.refusals += usize::from(effect == Effect::Refused);
        if let Ok(example) = &example {
            self.object.keep(example);
        }
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            field: field_text(steps),
            message,
            example,
            errors,
            place: at.place,
            label: at.label,
            effect,
        });
    }
}

/// Whether a field is required that the schema has no place for any more.
fn requires_what_is_gone(old: &Structural, new: &Structural) -> bool {
    let required = new.value_validation.iter().flat_map(|demanded| &demanded.required);
    required.into_iter().any(|name| old.properties.contains_key(name) && field_schema(new, name).is_none())
}

/// Whether a value of the schema can be an object, or a list. One that can be neither is refused, whatever is in it.
fn holds_fields(schema: &Structural) -> bool {
    matches!(&*schema.generic.type_name, "object" | "") && !schema.extensions.int_or_string
}

fn holds_items(schema: &Structural) -> bool {
    matches!(&*schema.generic.type_name, "array" | "") && !schema.extensions.int_or_string
}

/// Whether values have parts that can be dropped.
fn is_part_of_itself(schema: &Structural) -> bool {
    !schema.properties.is_empty() || schema.items.is_some() || schema.additional_properties.is_some()
}

/// How many branches there are, with those inside of them.
fn branches(demanded: &ValueValidation) -> usize {
    let lists = demanded.all_of.iter().chain(&demanded.any_of).chain(&demanded.one_of);
    lists
        .chain(demanded.not.as_deref())
        .map(|branch| 1 + branches_below(branch))
        .fold(0, usize::saturating_add)
}

fn branches_below(branch: &NestedValueValidation) -> usize {
    let below = branch.properties.values().map(|field| &**field).chain(branch.items.as_deref());
    below.map(branches_below).fold(branches(&branch.value_validation), usize::saturating_add)
}
