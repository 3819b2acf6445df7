//! What becomes of a resource if its CRD is replaced: whether the server takes the new one, and which changes break
//! objects that exist, each with an object that the old CRD accepts and the new one does not.

mod candidates;
mod compare;
mod example;
mod keyword;
mod known;
mod object;
mod samples;
mod walk;
mod whole;
mod wish;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_kube_facts::{FieldError, KubeVersion, Reason, Trail};
use trueline_source::Span;
use trueline_yaml::Value;

use crate::check::Verdict;
use crate::codes::BREAKING_CHANGE;
use crate::definition::{Crd, Version};
use crate::object::Resource;
use crate::structural::{Generic, Structural};
use example::Maker;
use keyword::entry_place;
use object::{Left, Object};
use walk::Walk;

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
    /// What the keyword at that place was before and is now; empty where no single one is to blame.
    pub label: String,
    /// What the change does.
    pub effect: Effect,
}

/// What a change does to objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// They are refused.
    Refused,
    /// They lose something.
    Lost,
    /// No object was found to which it does anything, but there may be one.
    Unknown,
}

/// Why no object is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotShown {
    /// None was found that the old CRD accepts and that shows the change.
    NotFound,
    /// None was found at all that the new CRD refuses, but not every one was thought of.
    Undecided,
    /// No object was found that breaks the rule.
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
            Self::Rule => "no object was found that breaks the new rule",
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
            .label(self.label.clone())
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

/// Compares two CRDs of one resource, as a server of this version has them.
pub fn diff(old: &Crd, new: &Crd, server: KubeVersion) -> Difference {
    let (maker, left) = (Maker::new(), Left::new(server));
    let mut breaks = Vec::new();
    for (field, before, after) in
        [("scope", &old.spec.scope, &new.spec.scope), ("kind", &old.spec.names.kind, &new.spec.names.kind)]
    {
        // Of one that is in use, the server says it itself.
        if before != after && !old.has_condition("Established") {
            let message =
                format!("objects were stored with the {field} {before}, and are not found with {after}");
            let spec = Trail::root("", new.written.0.as_ref());
            let spec = spec.child("spec");
            let names = spec.child("names");
            let path = if field == "kind" { names.child(field) } else { spec.child(field) };
            let shown =
                old.spec.versions.iter().find_map(|version| Some((version, structural(old, version)?)));
            let version = old.spec.versions.first().map(|version| Arc::clone(&version.name));
            breaks.push(whole_break(version.unwrap_or_default(), message, path.place(Reason::Invalid)));
            if let (Some((version, schema)), Some(last)) = (shown, breaks.last_mut())
                && let Some(object) = Object::new(old, version, &schema, &maker, &left)
            {
                show(last, &object);
            }
        }
    }
    let versions: FxHashMap<&str, &Version> =
        new.spec.versions.iter().rev().map(|version| (&*version.name, version)).collect();
    for version in &old.spec.versions {
        let Some(schema) = structural(old, version) else { continue };
        let Some(object) = Object::new(old, version, &schema, &maker, &left) else { continue };
        match versions.get(&*version.name).copied() {
            Some(after) if after.served || !version.served => {
                compare(&object, new, after, &mut breaks);
            }
            after if version.served => {
                let name = &version.name;
                let what = if after.is_some() { "not served any more" } else { "gone" };
                let message = format!("version {name} is {what}: objects cannot be read or written in it");
                let (typed, key, label) = match after {
                    Some(after) => (&after.written, "served", "`served` was true, and is false now"),
                    None => (&version.written, "name", "this version is not in the new definition"),
                };
                let place = entry_place(typed.0.as_ref(), key).or(typed.place());
                let mut found = whole_break(Arc::clone(name), message, place);
                label.clone_into(&mut found.label);
                show(&mut found, &object);
                breaks.push(found);
            }
            _ => {}
        }
    }
    breaks.extend(other_storage(old, new, &maker, &left));
    Difference { update: new.validate_update(old, server), breaks }
}

/// What becomes of objects of a version if a version of the new CRD takes its place.
fn compare(object: &Object<'_>, new: &Crd, after: &Version, breaks: &mut Vec<Break>) {
    let (Some(schema), Ok(server)) =
        (structural(new, after), Resource::of_version(new, after, object.left.server))
    else {
        return;
    };
    let typed = [object.typed(), typed(new, after)];
    let mut walk = Walk { object, server: &server, breaks, refusals: 0, typed, changed: Vec::new() };
    walk.node(object.schema, &schema, &mut Vec::new());
    walk.names(&schema);
    walk.scale(new.subresources(after));
    walk.whole_objects(&schema);
}

/// What objects lose that are stored in another version than before, unless a webhook converts them.
fn other_storage(old: &Crd, new: &Crd, maker: &Maker, left: &Left) -> Vec<Break> {
    let storage = |crd: &Crd| crd.spec.versions.iter().position(|version| version.storage);
    let is_converted =
        |crd: &Crd| crd.spec.conversion.as_ref().is_some_and(|conversion| &*conversion.strategy == "Webhook");
    let (Some(before), Some(after)) = (
        storage(old).and_then(|index| old.spec.versions.get(index)),
        storage(new).and_then(|index| new.spec.versions.get(index)),
    ) else {
        return Vec::new();
    };
    if before.name == after.name || is_converted(new) {
        return Vec::new();
    }
    let Some(schema) = structural(old, before) else { return Vec::new() };
    let Some(object) = Object::new(old, before, &schema, maker, left) else { return Vec::new() };
    let mut found = Vec::new();
    let (Some(new_schema), Ok(server)) =
        (structural(new, after), Resource::of_version(new, after, object.left.server))
    else {
        return found;
    };
    let typed = [object.typed(), typed(new, after)];
    let breaks = &mut found;
    let mut walk = Walk { object: &object, server: &server, breaks, refusals: 0, typed, changed: Vec::new() };
    walk.node(&schema, &new_schema, &mut Vec::new());
    found.retain(|found| found.effect == Effect::Lost);
    for found in &mut found {
        let name = &after.name;
        found.message = format!("objects are stored in version {name} now, where {}", found.message);
    }
    found
}

fn whole_break(version: Arc<str>, message: String, place: Option<Span>) -> Break {
    Break {
        version,
        field: String::new(),
        message,
        example: Err(NotShown::NotFound),
        errors: Vec::new(),
        place,
        label: String::new(),
        effect: Effect::Lost,
    }
}

/// Shows any object of the old CRD.
fn show(found: &mut Break, object: &Object<'_>) {
    found.example = object.with(&[], None);
}

/// The schema of a version as it was typed.
fn typed<'c>(crd: &'c Crd, version: &'c Version) -> Option<&'c Value> {
    crd.schema(version)?.written.0.as_ref()
}

/// The schema of a version; of one without a schema, one that says as much.
fn structural(crd: &Crd, version: &Version) -> Option<Structural> {
    let mut schema = match crd.schema(version) {
        Some(schema) => Structural::new(schema).ok()?,
        None => {
            let generic = Generic { type_name: "object".into(), ..Generic::default() };
            Structural { generic, ..Structural::default() }
        }
    };
    schema.extensions.preserve_unknown_fields |= crd.preserves_unknown_fields();
    Some(schema)
}

#[cfg(test)]
mod tests;
