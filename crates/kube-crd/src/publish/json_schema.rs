//! A JSON Schema (draft 7) that accepts what the server accepts, for editors and other tools.
//!
//! What JSON Schema cannot say in the server's sense is left out rather than said wrongly: an object that the
//! server accepts is not refused. Below `not`, and in the branches of `oneOf`, leaving something out would refuse
//! more, so there the whole branch is given up. One exception: a list that the server takes for a string with a
//! format is refused, because nobody can mean that.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_yaml::{Data, Value};

use super::open_api::Keywords;
use crate::definition::{Crd, Version};
use crate::props::OrBool;
use crate::structural::{Generic, NestedValueValidation, NotStructural, Structural, ValueValidation};

/// What the schema says to fields that the custom resource does not have. The server drops them, or refuses the
/// object if it was asked to be strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    /// They are accepted.
    Accepted,
    /// They are refused.
    Refused,
}

/// The JSON Schema of objects of a version.
pub fn json_schema(crd: &Crd, version: &Version, unknown: UnknownFields) -> Result<Value, NotStructural> {
    let schema = match crd.schema(version) {
        Some(props) => Structural::new(props)?,
        None => Structural::default(),
    };
    let converter = Converter { unknown };
    let mut keywords = converter.structural(&schema, Null::Refused);
    let constant = |text: &str| {
        let mut property = Keywords::default();
        property.set("type", "string");
        property.set_list("enum", [Value::from(text)]);
        property
    };
    let group = &crd.spec.group;
    keywords.set("$schema", "http://json-schema.org/draft-07/schema#");
    keywords.set("type", "object");
    keywords.set_property("apiVersion", constant(&format!("{group}/{}", version.name)));
    keywords.set_property("kind", constant(&crd.spec.names.kind));
    keywords.set_property("metadata", metadata());
    if crd.subresources(version).is_some_and(|subresources| subresources.status) {
        // The status of an object that is created or updated is dropped before anything is checked.
        keywords.set_property("status", Keywords::default());
    }
    let validation = schema.value_validation.as_deref();
    let mut required = validation.map_or_else(Vec::new, |validation| required(validation, &schema));
    required.retain(|name| !matches!(name.as_str(), Some("apiVersion" | "kind" | "metadata" | "status")));
    keywords
        .set_list("required", [Value::from("apiVersion"), Value::from("kind")].into_iter().chain(required));
    let mut identity = Keywords::default();
    identity.set("group", &**group);
    identity.set("version", &*version.name);
    identity.set("kind", &*crd.spec.names.kind);
    keywords.set_list("x-kubernetes-group-version-kind", [identity.finish()]);
    Ok(keywords.finish())
}

fn metadata() -> Keywords {
    let mut metadata = Keywords::default();
    metadata.set_list("type", [Value::from("object"), Value::from("null")]);
    metadata
}

/// Whether null is accepted although a schema does not say so: the server drops it, or takes the default.
#[derive(Clone, Copy, PartialEq)]
enum Null {
    Accepted,
    Refused,
}

struct Converter {
    unknown: UnknownFields,
}

impl Converter {
    fn structural(&self, schema: &Structural, null: Null) -> Keywords {
        let mut keywords = Keywords::default();
        set_words(&schema.generic, &mut keywords);
        let validation = schema.value_validation.as_deref();
        let accepts_null = null == Null::Accepted || schema.generic.nullable;
        let choices = validation.is_some_and(|validation| !validation.choices.is_empty());
        // Null is never one of the choices, so a field that may be null by its schema may not be if it has
        // choices; one that is dropped may.
        let accepts_null = accepts_null && !(choices && schema.generic.nullable);
        let mut types: Vec<&str> = match &*schema.generic.type_name {
            _ if schema.extensions.int_or_string => vec!["integer", "string"],
            "" => Vec::new(),
            name => vec![name],
        };
        if !types.is_empty() && accepts_null {
            types.push("null");
        }
        match types.as_slice() {
            [] => {}
            [one] => keywords.set("type", *one),
            several => keywords.set_list("type", several.iter().map(|name| Value::from(*name))),
        }
        keywords_of_default(&schema.generic, &mut keywords);
        if let Some(items) = schema.items.as_deref() {
            let takes_default = items.generic.default.is_some();
            let null = if takes_default { Null::Accepted } else { Null::Refused };
            keywords.set("items", self.structural(items, null));
        }
        let required_names = validation.map(|validation| &*validation.required).unwrap_or_default();
        let required_names: FxHashSet<&str> = required_names.iter().map(|name| &**name).collect();
        for (name, property) in &schema.properties {
            let null = null_of(property, required_names.contains(&**name));
            keywords.set_property(name, self.structural(property, null));
        }
        let is_closed = self.unknown == UnknownFields::Refused
            && !schema.extensions.preserve_unknown_fields
            && &*schema.generic.type_name == "object";
        match schema.additional_properties.as_deref() {
            Some(OrBool::Schema(values)) => {
                keywords.set("additionalProperties", self.structural(values, Null::Accepted));
            }
            Some(OrBool::Bool(false)) => keywords.set("additionalProperties", false),
            Some(OrBool::Bool(true)) => {}
            None if is_closed => keywords.set("additionalProperties", false),
            None => {}
        }
        if schema.extensions.embedded_resource {
            for name in ["apiVersion", "kind", "metadata"] {
                let mut text = Keywords::default();
                text.set("type", "string");
                keywords.set_property(name, if name == "metadata" { metadata() } else { text });
            }
        }
        if let Some(validation) = validation {
            let mut required = required(validation, schema);
            if schema.extensions.embedded_resource {
                for name in ["apiVersion", "kind"] {
                    let is_known = required.iter().any(|known| known.as_str() == Some(name));
                    let property = schema.properties.get(name);
                    let has_default = property.is_some_and(|property| property.generic.default.is_some());
                    if !is_known && !has_default {
                        required.push(Value::from(name));
                    }
                }
            }
            keywords.set_list("required", required);
            value_validation(validation, Some(schema), accepts_null, &mut keywords);
        }
        keywords
    }
}

/// Null is dropped where a field is not needed, and takes the default where there is one.
fn null_of(property: &Structural, is_required: bool) -> Null {
    if property.generic.default.is_some() || !is_required { Null::Accepted } else { Null::Refused }
}

/// What has a default need not be there.
fn required(validation: &ValueValidation, schema: &Structural) -> Vec<Value> {
    let has_default = |name: &Arc<str>| {
        schema.properties.get(name).is_some_and(|property| property.generic.default.is_some())
    };
    let required = validation.required.iter().filter(|name| !has_default(name));
    required.map(|name| Value::from(&**name)).collect()
}

fn set_words(generic: &Generic, keywords: &mut Keywords) {
    for (keyword, text) in [("title", &generic.title), ("description", &generic.description)] {
        if !text.is_empty() {
            keywords.set(keyword, &**text);
        }
    }
}

fn keywords_of_default(generic: &Generic, keywords: &mut Keywords) {
    if let Some(default) = &generic.default {
        keywords.set("default", default.clone());
    }
}

/// Whether keywords say the same as the server; if not, they accept more.
#[derive(Clone, Copy, PartialEq)]
enum Exact {
    Yes,
    No,
}

impl Exact {
    fn and(self, other: Exact) -> Exact {
        if self == Exact::Yes { other } else { Exact::No }
    }
}

/// The keywords of value validation. `around` is the structural schema of the value, if it has one.
fn value_validation(
    validation: &ValueValidation,
    around: Option<&Structural>,
    accepts_null: bool,
    keywords: &mut Keywords,
) -> Exact {
    let mut exact = Exact::Yes;
    if trueline_apimachinery::formats::is_known_format(&validation.format) {
        // Only dates mean the same to everybody.
        match &*validation.format {
            "date" => keywords.set("format", "date"),
            _ => exact = Exact::No,
        }
    }
    exact = exact.and(bounds(validation, keywords));
    for (keyword, number) in [
        ("maxLength", validation.max_length),
        ("minLength", validation.min_length),
        ("maxItems", validation.max_items),
        ("minItems", validation.min_items),
        ("maxProperties", validation.max_properties),
        ("minProperties", validation.min_properties),
    ] {
        match number {
            Some(number @ 0..) => keywords.set(keyword, number),
            Some(_) if keyword.starts_with("max") => exact = Exact::No,
            _ => {}
        }
    }
    if !validation.pattern.is_empty() {
        match is_portable(&validation.pattern) {
            true => keywords.set("pattern", &*validation.pattern),
            false => exact = Exact::No,
        }
    }
    if !validation.choices.is_empty() {
        let null = accepts_null.then(|| Value::new(Data::Null));
        keywords.set_list("enum", validation.choices.iter().cloned().chain(null));
    }
    exact.and(junctors(validation, around, accepts_null, keywords))
}

/// Integers are compared with bounds without their fractions, others with the bounds as they are.
fn bounds(validation: &ValueValidation, keywords: &mut Keywords) -> Exact {
    let mut exact = Exact::Yes;
    if let Some(minimum) = validation.minimum {
        let least = minimum.min(minimum.trunc());
        exact = exact.and(if least == minimum { Exact::Yes } else { Exact::No });
        let keyword = match validation.exclusive_minimum && least == minimum {
            true => "exclusiveMinimum",
            false => "minimum",
        };
        keywords.set(keyword, least);
    }
    if let Some(maximum) = validation.maximum {
        let most = maximum.max(maximum.trunc());
        exact = exact.and(if maximum == maximum.trunc() { Exact::Yes } else { Exact::No });
        let keyword = match validation.exclusive_maximum && maximum == maximum.trunc() {
            true => "exclusiveMaximum",
            false => "maximum",
        };
        keywords.set(keyword, most);
    }
    match validation.multiple_of {
        Some(factor) if factor >= 1.0 && factor.fract() == 0.0 => keywords.set("multipleOf", factor),
        // Others refuse every integer, or depend on rounding.
        Some(_) => exact = Exact::No,
        None => {}
    }
    exact
}

fn junctors(
    validation: &ValueValidation,
    around: Option<&Structural>,
    accepts_null: bool,
    keywords: &mut Keywords,
) -> Exact {
    let mut exact = Exact::Yes;
    // Null that is dropped or takes a default never meets the branches.
    if accepts_null {
        let some = !(validation.all_of.is_empty()
            && validation.any_of.is_empty()
            && validation.one_of.is_empty()
            && validation.not.is_none());
        if some {
            let mut null = Keywords::default();
            null.set("type", "null");
            let mut others = Keywords::default();
            exact = junctors(validation, around, false, &mut others);
            keywords.set_list("anyOf", [null.finish(), others.finish()]);
        }
        return exact;
    }
    let convert = |branches: &[NestedValueValidation]| {
        let mut exact = Exact::Yes;
        let branches: Vec<Value> = branches
            .iter()
            .map(|branch| {
                let (schema, is_exact) = nested(branch, around);
                exact = exact.and(is_exact);
                schema
            })
            .collect();
        (branches, exact)
    };
    let (all_of, is_exact) = convert(&validation.all_of);
    exact = exact.and(is_exact);
    let (any_of, is_exact) = convert(&validation.any_of);
    exact = exact.and(is_exact);
    let (one_of, is_exact) = convert(&validation.one_of);
    let mut all_of = all_of;
    match is_exact {
        Exact::Yes => keywords.set_list("oneOf", one_of),
        Exact::No => {
            exact = Exact::No;
            let mut any = Keywords::default();
            any.set_list("anyOf", one_of);
            all_of.push(any.finish());
        }
    }
    keywords.set_list("allOf", all_of);
    keywords.set_list("anyOf", any_of);
    if let Some(not) = validation.not.as_deref() {
        match nested(not, around) {
            (schema, Exact::Yes) => keywords.set("not", schema),
            (_, Exact::No) => exact = Exact::No,
        }
    }
    exact
}

fn nested(schema: &NestedValueValidation, around: Option<&Structural>) -> (Value, Exact) {
    let mut keywords = Keywords::default();
    let mut exact = value_validation(&schema.value_validation, around, false, &mut keywords);
    if !schema.forbidden_generic.type_name.is_empty() {
        keywords.set("type", &*schema.forbidden_generic.type_name);
    }
    if let Some(items) = schema.items.as_deref() {
        let (items, is_exact) = nested(items, around.and_then(|around| around.items.as_deref()));
        exact = exact.and(is_exact);
        keywords.set("items", items);
    }
    let mut null = Keywords::default();
    null.set("type", "null");
    let null = null.finish();
    let member = |name: &str| around.and_then(|around| around.property(name));
    let mut is_there = Keywords::default();
    is_there.set("not", null.clone());
    let is_there = is_there.finish();
    let mut required = Vec::new();
    for name in &schema.value_validation.required {
        match member(name).map(|member| &member.generic) {
            // A default puts the field there.
            Some(generic) if generic.default.is_some() => exact = Exact::No,
            Some(generic) if generic.nullable => required.push(name),
            // A null is dropped, and the field is missing then.
            Some(_) => {
                required.push(name);
                keywords.set_property(name, is_there.clone());
            }
            None => {
                required.push(name);
                exact = Exact::No;
            }
        }
    }
    keywords.set_list("required", required.iter().map(|name| Value::from(&***name)));
    let required: FxHashSet<&str> = required.into_iter().map(|name| &**name).collect();
    for (name, property) in &schema.properties {
        let (property, is_exact) = nested(property, member(name));
        exact = exact.and(is_exact);
        let mut either = Keywords::default();
        match member(name).map(|member| &member.generic) {
            Some(generic) if generic.default.is_none() && !generic.nullable => {
                let is_required = required.contains(&**name);
                let of_null = if is_required { None } else { Some(null.clone()) };
                let there = is_required.then(|| is_there.clone());
                either.set_list("anyOf", std::iter::once(property).chain(of_null));
                either.set_list("allOf", there);
            }
            _ => {
                exact = Exact::No;
                either.set_list("anyOf", [property, null.clone()]);
            }
        }
        keywords.set_property(name, either);
    }
    (keywords.finish(), exact)
}

/// Whether a pattern means the same in Go and in JavaScript, as far as can be told from its letters.
fn is_portable(pattern: &str) -> bool {
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('d' | 'D' | 'w' | 'W' | 't' | 'n' | 'r' | 'f' | 'v') => {}
                Some(escaped) if escaped.is_ascii_punctuation() => {}
                _ => return false,
            },
            '(' if characters.peek() == Some(&'?') => {
                characters.next();
                if characters.next() != Some(':') {
                    return false;
                }
            }
            '[' if characters.peek() == Some(&'[') || characters.peek() == Some(&']') => return false,
            '.' => {}
            character if !character.is_ascii() => return false,
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_mean_something_else_elsewhere_are_told_apart() {
        for pattern in ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", r"^\d+\.\d+$", "a(?:b|c)", r"^/[^/]+$"] {
            assert!(is_portable(pattern), "{pattern}");
        }
        for pattern in ["(?i)a", r"\pL", r"a\z", "[[:alpha:]]", "(?P<n>a)", r"\bé", r"\s"] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
