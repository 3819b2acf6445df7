//! What becomes of a resource if its CRD is replaced: whether the server takes the new one, and which changes break
//! objects that exist, each with an object that the old CRD accepts and the new one does not.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_regexp::End;
use trueline_source::Span;
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::codes::BREAKING_CHANGE;
use super::example::Maker;
use super::{Crd, Verdict, Version};
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::object::embedded::validate_embedded;
use crate::object::list_types::validate_list_types;
use crate::object::{Purpose, Root, Validator, default, drop_nulls, prune};
use crate::props::{OrBool, Rule};
use crate::structural::{Structural, ValueValidation};

/// What a replacement does.
#[derive(Debug)]
pub struct Difference {
    /// What the server says about it.
    pub update: Verdict,
    /// What it breaks.
    pub breaks: Vec<Break>,
}

/// A change that breaks objects.
#[derive(Debug)]
pub struct Break {
    /// The version of the objects.
    pub version: Arc<str>,
    /// The field of the objects, such as `spec.size`; empty for the objects as a whole.
    pub field: String,
    /// What happens to them, in the user's words.
    pub message: String,
    /// An object that the old CRD accepts and the new one does not, or not in full.
    pub example: Result<Value, NotShown>,
    /// What the server says about the object under the new CRD.
    pub errors: Vec<FieldError>,
    /// Where the change was typed in the new CRD, or what is gone in the old one.
    pub place: Option<Span>,
}

/// Why no object is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    /// None was found that the old CRD accepts and that shows the change.
    NotFound,
    /// None was found at all that the new CRD refuses, but not every one was thought of.
    Undecided,
    /// Rules are not evaluated.
    Rule,
    /// The objects of all changes would be too large together.
    TooLarge,
}

impl NotShown {
    /// What is said in place of the object.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotFound => {
                "no object is shown, because none was found that the old CRD accepts and that holds such a value"
            }
            Self::Undecided => {
                "no object was found that only the old CRD accepts, but not all could be tried: compare the two by hand"
            }
            Self::Rule => "no object is shown, because rules are not evaluated",
            Self::TooLarge => "no object is shown, because those of the other changes are large enough",
        }
    }
}

impl Break {
    /// The finding for a report.
    pub fn to_diagnostic(&self, around: Span) -> Diagnostic {
        let place = self.place.unwrap_or(around);
        let severity =
            if self.example == Err(NotShown::Undecided) { Severity::Note } else { Severity::Warning };
        let diagnostic = Diagnostic::new(&BREAKING_CHANGE, place, self.message.clone())
            .level(Level::Semantic)
            .severity(severity);
        let example = match &self.example {
            Ok(example) => example,
            Err(reason) => return diagnostic.help(reason.text()),
        };
        let text = trueline_yaml::marshal(example, trueline_yaml::Dialect::Sigs).unwrap_or_default();
        let said: Vec<String> = self.errors.iter().map(FieldError::message).collect();
        let what =
            if said.is_empty() { String::new() } else { format!("the new CRD says: {}\n", said.join("; ")) };
        diagnostic.help(format!("{what}an object that the old CRD accepts:\n{text}"))
    }
}

/// Compares two CRDs of one resource.
pub fn diff(old: &Crd, new: &Crd) -> Difference {
    let maker = Maker::new();
    let mut breaks = Vec::new();
    for (field, before, after) in
        [("scope", &old.spec.scope, &new.spec.scope), ("kind", &old.spec.names.kind, &new.spec.names.kind)]
    {
        // Of one that is in use, the server says it itself.
        if before != after && !old.has_condition("Established") {
            let message =
                format!("objects were stored with the {field} {before}, and are not found with {after}");
            let spec = FieldPath::root("", new.written.0.as_ref());
            let spec = spec.child("spec");
            let names = spec.child("names");
            let path = if field == "kind" { names.child(field) } else { spec.child(field) };
            let shown =
                old.spec.versions.iter().find_map(|version| Some((version, structural(old, version)?)));
            breaks.push(Break {
                version: old
                    .spec
                    .versions
                    .first()
                    .map(|version| Arc::clone(&version.name))
                    .unwrap_or_default(),
                field: String::new(),
                message,
                example: match shown {
                    Some((version, schema)) => Object::new(old, version, &schema, &maker).with(&[], None),
                    None => Err(NotShown::NotFound),
                },
                errors: Vec::new(),
                place: path.place(Reason::Invalid),
            });
        }
    }
    let versions: FxHashMap<&str, &Version> =
        new.spec.versions.iter().rev().map(|version| (&*version.name, version)).collect();
    for version in &old.spec.versions {
        let Some(schema) = structural(old, version) else { continue };
        let object = Object::new(old, version, &schema, &maker);
        match versions.get(&*version.name).copied() {
            Some(after) if after.served || !version.served => {
                if let Some(after) = structural(new, after) {
                    let mut walk = Walk { object: &object, judge: Judge::new(&after), breaks: &mut breaks };
                    walk.node(&schema, &after, &mut Vec::new());
                }
            }
            after if version.served => {
                let name = &version.name;
                let what = if after.is_some() { "not served any more" } else { "gone" };
                breaks.push(Break {
                    version: Arc::clone(name),
                    field: String::new(),
                    message: format!("version {name} is {what}: objects cannot be read or written in it"),
                    example: object.with(&[], None),
                    errors: Vec::new(),
                    place: after.unwrap_or(version).written.place(),
                });
            }
            _ => {}
        }
    }
    Difference { update: new.validate_update(old), breaks }
}

fn structural(crd: &Crd, version: &Version) -> Option<Structural> {
    Structural::new(crd.schema(version)?).ok()
}

/// A step from an object to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Field(Arc<str>),
    Entry,
    Item,
}

/// The name of the one entry of a map in an example.
const ENTRY: &str = "key";

/// The address of a part of a schema, with a field that is to be there.
type Part = (*const Structural, Option<Arc<str>>);

/// Objects of a version of the old CRD.
struct Object<'c> {
    crd: &'c Crd,
    version: &'c Version,
    judge: Judge<'c>,
    maker: &'c Maker,
    /// The smallest values of parts of the schema, by their addresses: the schema is there as long as this is. Of each part
    /// on the way to a change one is needed, for every change.
    samples: RefCell<FxHashMap<Part, Value>>,
    /// How large the examples may be that are still to be made.
    left: Cell<usize>,
}

/// How many values all examples of a version may have together. Each example is at least as large as the smallest object
/// is, so that those of many changes would be as large as the square of a definition.
const MOST_SHOWN: usize = 20_000;

/// How many values there are in one.
fn size(value: &Value) -> usize {
    match &value.data {
        Data::Map(map) => map.values().fold(1, |sum: usize, entry| sum.saturating_add(size(&entry.value))),
        Data::List(items) => items.iter().fold(1, |sum: usize, item| sum.saturating_add(size(item))),
        _ => 1,
    }
}

/// What a server says about values: after nulls are dropped and defaults set, what the schema demands of each, that no
/// item of a set occurs twice, and what resources inside of them must have.
struct Judge<'s> {
    schema: &'s Structural,
    validator: Validator,
}

impl<'s> Judge<'s> {
    fn new(schema: &'s Structural) -> Self {
        Judge { schema, validator: Validator::new(schema, Purpose::Objects) }
    }

    fn errors(&self, value: &Value) -> Vec<FieldError> {
        let value = default(&drop_nulls(value, self.schema), self.schema);
        let path = FieldPath::root("", Some(&value));
        let mut errors = self.validator.validate(&value, "");
        errors.extend(validate_list_types(&value, self.schema, &path));
        errors.extend(validate_embedded(&value, self.schema, Root::Value, &path));
        errors
    }
}

impl<'c> Object<'c> {
    fn new(crd: &'c Crd, version: &'c Version, schema: &'c Structural, maker: &'c Maker) -> Self {
        let left = Cell::new(MOST_SHOWN);
        Object { crd, version, judge: Judge::new(schema), maker, samples: RefCell::default(), left }
    }

    /// An object that the old CRD accepts, with a value at a place.
    fn with(&self, steps: &[Step], value: Option<&Value>) -> Result<Value, NotShown> {
        if self.left.get() == 0 {
            return Err(NotShown::TooLarge);
        }
        let body = self.smallest(self.judge.schema);
        self.left.set(self.left.get().saturating_sub(size(&body)));
        let object = |body: Value| {
            let object = self.whole(&body);
            self.judge.errors(&object).is_empty().then_some(object)
        };
        let Some(value) = value else { return object(body.clone()).ok_or(NotShown::NotFound) };
        let at = |beside| self.placed(body.clone(), self.judge.schema, steps, value, beside);
        // Beside others it may be one item too many, and in the place of one it may be the same as another.
        let ways = [Beside::Nothing, Beside::Others, Beside::Alone];
        let found = ways.into_iter().find_map(|beside| at(beside).and_then(object));
        found.ok_or(NotShown::NotFound)
    }

    /// The smallest value of a part of the schema.
    fn smallest(&self, schema: &Structural) -> Value {
        self.once((std::ptr::from_ref(schema), None), || sample_or_empty(self.maker, schema))
    }

    /// The smallest object of a part of the schema that has a field.
    fn smallest_with(&self, schema: &Structural, field: &Arc<str>) -> Value {
        let made = || {
            let sample = self.maker.sample_with(schema, field);
            sample.unwrap_or_else(|| Value::new(Data::Map(Arc::default())))
        };
        self.once((std::ptr::from_ref(schema), Some(Arc::clone(field))), made)
    }

    fn once(&self, key: Part, make: impl FnOnce() -> Value) -> Value {
        let known = self.samples.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let made = make();
            self.samples.borrow_mut().insert(key, made.clone());
            made
        })
    }

    /// The value with another one at a place below it; what is missing on the way is made up.
    fn placed(
        &self,
        body: Value,
        schema: &Structural,
        steps: &[Step],
        value: &Value,
        beside: Beside,
    ) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else { return Some(value.clone()) };
        let child = match step {
            Step::Field(name) => schema.properties.get(name)?,
            Step::Item => schema.items.as_deref()?,
            Step::Entry => match schema.additional_properties.as_deref()? {
                OrBool::Schema(additional) => additional,
                OrBool::Bool(_) => return None,
            },
        };
        match (step, &body.data) {
            (Step::Item, _) => {
                let mut items = match &body.data {
                    Data::List(items) => Vec::clone(items),
                    _ => Vec::new(),
                };
                let first = items.first().cloned().unwrap_or_else(|| self.smallest(child));
                let placed = self.placed(first, child, rest, value, beside)?;
                match items.first_mut().filter(|_| beside != Beside::Others) {
                    Some(first) => *first = placed,
                    None => items.push(placed),
                }
                Some(items.into_iter().collect())
            }
            (Step::Field(_) | Step::Entry, _) => {
                let key: Arc<str> = match step {
                    Step::Field(name) => Arc::clone(name),
                    _ => ENTRY.into(),
                };
                let body = match beside {
                    Beside::Alone if body.get(&key).is_none() => self.smallest_with(schema, &key),
                    _ => body,
                };
                let mut map = match &body.data {
                    Data::Map(map) => Map::clone(map),
                    _ => Map::default(),
                };
                let before = map.get(&key).map(|entry| entry.value.clone());
                let before = before.unwrap_or_else(|| self.smallest(child));
                let value = self.placed(before, child, rest, value, beside)?;
                map.insert(key, MapEntry { key_origin: None, value });
                Some(Value::new(Data::Map(Arc::new(map))))
            }
        }
    }

    fn whole(&self, body: &Value) -> Value {
        let spec = &self.crd.spec;
        let mut metadata = vec![("name", Value::from("example"))];
        if &*spec.scope == "Namespaced" {
            metadata.push(("namespace", Value::from("default")));
        }
        let mut object: Map = Map::default();
        let head = [
            ("apiVersion", Value::from(&*format!("{}/{}", spec.group, self.version.name))),
            ("kind", Value::from(&*spec.names.kind)),
            ("metadata", metadata.into_iter().collect()),
        ];
        for (key, value) in head {
            object.insert(key.into(), MapEntry { key_origin: None, value });
        }
        if let Data::Map(body) = &body.data {
            for (key, entry) in body.iter().filter(|(key, _)| !object.contains_key(*key)).collect::<Vec<_>>()
            {
                object.insert(Arc::clone(key), entry.clone());
            }
        }
        Value::new(Data::Map(Arc::new(object)))
    }
}

fn sample_or_empty(maker: &Maker, schema: &Structural) -> Value {
    maker.sample(schema).unwrap_or_else(|| Value::new(Data::Map(Arc::default())))
}

/// Where an item is put in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// In the place of the first.
    Nothing,
    /// Behind those that are there.
    Others,
    /// In the place of the first, without fields that only one of several branches asks for.
    Alone,
}

struct Walk<'w> {
    object: &'w Object<'w>,
    judge: Judge<'w>,
    breaks: &'w mut Vec<Break>,
}

impl Walk<'_> {
    /// Compares two schemas of one place. What is inside comes first, so that a change is told where it is.
    fn node(&mut self, old: &Structural, new: &Structural, steps: &mut Vec<Step>) {
        if demand_the_same(old, new) {
            return;
        }
        let before = self.breaks.len();
        for (name, property) in &old.properties {
            steps.push(Step::Field(Arc::clone(name)));
            let is_meta = steps.len() == 1 && matches!(&**name, "apiVersion" | "kind" | "metadata");
            match (new.properties.get(name), new.additional_properties.as_deref()) {
                _ if is_meta => {}
                (Some(after), _) => self.node(property, after, steps),
                (None, Some(OrBool::Schema(after))) => self.node(property, after, steps),
                _ if new.extensions.preserve_unknown_fields => {}
                _ => self.removed(property, steps),
            }
            steps.pop();
        }
        if let (Some(old), Some(new)) = (&old.items, &new.items) {
            steps.push(Step::Item);
            self.node(old, new, steps);
            steps.pop();
        }
        match (old.additional_properties.as_deref(), new.additional_properties.as_deref()) {
            (Some(OrBool::Schema(old)), Some(OrBool::Schema(new))) => {
                steps.push(Step::Entry);
                self.node(old, new, steps);
                steps.pop();
            }
            (Some(OrBool::Schema(old)), None) if !new.extensions.preserve_unknown_fields => {
                steps.push(Step::Entry);
                self.removed(old, steps);
                steps.pop();
            }
            _ => {}
        }
        self.unknown_fields(old, new, steps);
        self.new_rules(old, new, steps);
        if own_demands_are_the_same(old, new) {
            return;
        }
        // Below a change that was told the whole is refused too.
        if self.breaks.len() == before {
            self.own_keywords(old, new, steps);
        } else if old.generic.type_name == new.generic.type_name {
            self.newly_required(old, new, steps);
        }
    }

    fn own_keywords(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let [before, after] = [old, new].map(Judge::new);
        // A field that is null is dropped where it may not be; an item is not.
        let is_item = steps.last() == Some(&Step::Item);
        let candidates = self.object.maker.candidates(old, new);
        let mut unshown = None;
        let mut tried = 0;
        for candidate in candidates.values {
            if matches!(candidate.data, Data::Null) && !is_item || !before.errors(&candidate).is_empty() {
                continue;
            }
            let errors = after.errors(&candidate);
            if errors.is_empty() {
                continue;
            }
            match self.shown(&candidate, steps) {
                Shown::Refused(example, said) => {
                    return self.refused(Ok(example), &errors, said, new.place, steps);
                }
                // The object around it makes up for that.
                Shown::Accepted => {}
                Shown::Not(reason) => _ = unshown.get_or_insert((reason, errors)),
            }
            tried += 1;
            if tried >= MOST_TRIED {
                break;
            }
        }
        if self.newly_required(old, new, steps) {
            return;
        }
        let field = field_text(steps);
        let message = if let Some((reason, errors)) = unshown {
            return self.refused(Err(reason), &errors, Vec::new(), new.place, steps);
        } else if is_another_type(old, new) {
            let [was, is] = [old, new].map(|schema| &schema.generic.type_name);
            (format!("`{field}` was of type {was}, and must be of type {is} now"), NotShown::NotFound)
        } else if let Some(what) = undecided(old, new, candidates.end) {
            (
                format!("`{field}` has {what}, which may refuse what the old schema accepts"),
                NotShown::Undecided,
            )
        } else {
            return;
        };
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: message.0,
            field,
            example: Err(message.1),
            errors: Vec::new(),
            place: new.place,
        });
    }

    /// A field that has to be there now, where it could be left out before; whether there is one.
    fn newly_required(&mut self, old: &Structural, new: &Structural, steps: &[Step]) -> bool {
        let Some(example) = self.object.maker.sample(old) else { return false };
        let mut errors = Judge::new(new).errors(&example);
        errors.retain(|error| error.reason == Reason::Required);
        if errors.is_empty() {
            return false;
        }
        match self.shown(&example, steps) {
            Shown::Refused(example, said) => self.refused(Ok(example), &errors, said, new.place, steps),
            Shown::Not(reason) => self.refused(Err(reason), &errors, Vec::new(), new.place, steps),
            Shown::Accepted => return false,
        }
        true
    }

    /// Fields that no schema knows, where they were kept before and are not any more.
    fn unknown_fields(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let keeps = |schema: &Structural| {
            schema.extensions.preserve_unknown_fields || schema.additional_properties.is_some()
        };
        if !old.extensions.preserve_unknown_fields || keeps(new) || is_another_type(old, new) {
            return;
        }
        let mut map = match sample_or_empty(self.object.maker, old).data {
            Data::Map(map) => Map::clone(&map),
            _ => Map::default(),
        };
        map.insert("unknown".into(), MapEntry { key_origin: None, value: Value::from("x") });
        let value = Value::new(Data::Map(Arc::new(map)));
        let example = self.object.with(steps, Some(&value));
        let field = field_text(steps);
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!(
                "fields of `{field}` that the schema does not know were kept, and are pruned now"
            ),
            field,
            example: self.pruned_only(example),
            errors: Vec::new(),
            place: new.place,
        });
    }

    /// Rules are not evaluated, so that nothing can be shown.
    fn new_rules(&mut self, old: &Structural, new: &Structural, steps: &[Step]) {
        let known: FxHashSet<&str> = old.rules.iter().map(|rule| &*rule.rule).collect();
        let is_new = |rule: &&Rule| !known.contains(&*rule.rule);
        for rule in new.rules.iter().filter(is_new) {
            let field = field_text(steps);
            self.breaks.push(Break {
                version: Arc::clone(&self.object.version.name),
                message: format!(
                    "`{field}` has a new rule, which objects that exist may not keep: {}",
                    rule.rule
                ),
                field,
                example: Err(NotShown::Rule),
                errors: Vec::new(),
                place: rule.written.place().or(new.place),
            });
        }
    }

    /// An object that loses nothing shows nothing.
    fn pruned_only(&self, example: Result<Value, NotShown>) -> Result<Value, NotShown> {
        let loses =
            |example: &Value| prune(example, Some(self.judge.schema), Root::Resource).value != *example;
        example.and_then(|example| if loses(&example) { Ok(example) } else { Err(NotShown::NotFound) })
    }

    /// What becomes of an object with a value that is refused by itself.
    fn shown(&self, value: &Value, steps: &[Step]) -> Shown {
        match self.object.with(steps, Some(value)) {
            Ok(example) => match self.judge.errors(&example) {
                said if said.is_empty() => Shown::Accepted,
                said => Shown::Refused(example, said),
            },
            Err(reason) => Shown::Not(reason),
        }
    }

    /// Tells that a value is refused now.
    fn refused(
        &mut self,
        example: Result<Value, NotShown>,
        errors: &[FieldError],
        said: Vec<FieldError>,
        place: Option<Span>,
        steps: &[Step],
    ) {
        let field = field_text(steps);
        let why = errors.first().map(why).unwrap_or_default();
        let shown = if field.is_empty() { "objects".to_owned() } else { format!("`{field}`") };
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!("{shown} can hold what the new schema refuses: {why}"),
            field,
            example,
            errors: said,
            place,
        });
    }

    fn removed(&mut self, property: &Structural, steps: &[Step]) {
        let value = self.object.maker.sample(property).ok_or(NotShown::NotFound);
        let example = value.and_then(|value| self.object.with(steps, Some(&value)));
        let example = self.pruned_only(example);
        let field = field_text(steps);
        self.breaks.push(Break {
            version: Arc::clone(&self.object.version.name),
            message: format!("the field `{field}` is gone: it is pruned from objects that have it"),
            field,
            example,
            errors: Vec::new(),
            place: property.place,
        });
    }
}

/// How many values are put into objects before it is told that none can be shown.
const MOST_TRIED: usize = 8;

/// What becomes of an object with a value.
enum Shown {
    /// The new CRD refuses it, and says this.
    Refused(Value, Vec<FieldError>),
    /// The new CRD accepts it.
    Accepted,
    /// There is no such object that the old CRD accepts.
    Not(NotShown),
}

/// What may be narrower than before, although no value was found that shows it.
fn undecided(old: &Structural, new: &Structural, end: End) -> Option<&'static str> {
    let nothing = ValueValidation::default();
    let [was, is] = [old, new].map(|schema| schema.value_validation.as_deref().unwrap_or(&nothing));
    // Texts of all lengths were thought of unless the search was given up.
    let length = |length: Option<i64>| length.filter(|_| end == End::GaveUp);
    let least = |demanded: &ValueValidation| {
        [demanded.min_items, demanded.min_properties, length(demanded.min_length)]
            .map(Option::unwrap_or_default)
    };
    let most = |demanded: &ValueValidation| {
        [demanded.max_items, demanded.max_properties, length(demanded.max_length)]
            .map(|most| most.unwrap_or(i64::MAX))
    };
    if end == End::GaveUp && !is.pattern.is_empty() && was.pattern != is.pattern {
        Some("another pattern")
    } else if crate::object::is_known_format(&is.format) && was.format != is.format {
        Some("another format")
    } else if least(was).into_iter().zip(least(is)).any(|(was, is)| is > was)
        || most(was).into_iter().zip(most(is)).any(|(was, is)| is < was)
    {
        Some("narrower bounds")
    } else if is.all_of.iter().any(|branch| !was.all_of.contains(branch))
        || !is.any_of.is_empty()
            && (was.any_of.is_empty() || was.any_of.iter().any(|branch| !is.any_of.contains(branch)))
        || !is.one_of.is_empty() && was.one_of != is.one_of
        || is.not.is_some() && was.not != is.not
    {
        Some("other branches of `allOf`, `anyOf`, `oneOf` or `not`")
    } else {
        None
    }
}

/// Whether two schemas demand the same of the same fields, whatever they say about them in words.
fn demand_the_same(old: &Structural, new: &Structural) -> bool {
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

fn own_demands_are_the_same(old: &Structural, new: &Structural) -> bool {
    old.generic.type_name == new.generic.type_name
        && old.generic.nullable == new.generic.nullable
        && old.extensions == new.extensions
        && old.value_validation == new.value_validation
        && old.rules == new.rules
        && old.additional_properties.is_some() == new.additional_properties.is_some()
        && !loses_defaults(old, new)
}

/// Whether fields that are required could be left out before, because they had a default.
fn loses_defaults(old: &Structural, new: &Structural) -> bool {
    let has_default = |schema: &Structural, name: &Arc<str>| {
        schema.properties.get(name).is_some_and(|property| property.generic.default.is_some())
    };
    let required = new.value_validation.iter().flat_map(|demanded| &demanded.required);
    required.into_iter().any(|name| has_default(old, name) && !has_default(new, name))
}

/// Whether no value of the old schema's type is one of the new schema's.
fn is_another_type(old: &Structural, new: &Structural) -> bool {
    let [was, is] = [old, new].map(|schema| &*schema.generic.type_name);
    !was.is_empty() && !is.is_empty() && was != is && (was, is) != ("integer", "number")
}

fn why(error: &FieldError) -> String {
    match (error.reason, error.detail.as_str()) {
        (Reason::Duplicate, _) => "an item must not stand twice".to_owned(),
        (Reason::Required, _) => format!("`{}` is required", error.field.trim_start_matches('.')),
        (_, "") => error.reason.text().to_owned(),
        (_, detail) => detail.trim_start().trim_start_matches("in body ").to_owned(),
    }
}

fn field_text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Entry => text.push_str("[*]"),
            Step::Item => text.push_str("[]"),
        }
    }
    text
}

#[cfg(test)]
mod tests;
