//! Pruning: fields that a schema does not know are taken out of an object.

use std::sync::Arc;

use trueline_kube_facts::belongs::{Budget, Way};
use trueline_kube_facts::decode::UnknownField;
use trueline_kube_facts::meant::Meant;
use trueline_kube_facts::{FieldPath, Segment};
use trueline_yaml::{Data, MapEntry, Value};

use super::shape::SchemaShape;
use crate::props::OrBool;
use crate::structural::Root;
use crate::structural::Structural;
use crate::value::rewrite::{Fate, rewrite_list, rewrite_map, with_list, with_map};

/// What is left of an object, and what was taken out.
#[derive(Debug, Clone)]
pub struct Pruned {
    /// The object without the unknown fields.
    pub value: Value,
    /// The unknown fields in the order of their paths; a whole subtree is one.
    pub unknown: Vec<UnknownField>,
}

/// Takes the fields out that the schema does not know. No schema knows no field.
pub fn prune(value: &Value, schema: Option<&Structural>, root: Root) -> Pruned {
    let mut pruner = Pruner {
        path: Vec::new(),
        maps: Vec::new(),
        lengths: Vec::new(),
        unknown: Vec::new(),
        budget: Budget::default(),
    };
    let changed = pruner.prune(value, schema, root);
    let mut unknown = pruner.unknown;
    unknown.sort_by_cached_key(|field| field.path.to_string());
    Pruned { value: changed.unwrap_or_else(|| value.clone()), unknown }
}

/// A step of a path, which becomes one only if something is reported.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a Arc<str>),
    Index(usize),
}

fn path_of(steps: &[Step<'_>]) -> FieldPath {
    let segment = |step: &Step<'_>| match step {
        Step::Key(key) => Segment::field(Arc::clone(key)),
        Step::Index(index) => Segment::Index(*index),
    };
    FieldPath::new(steps.iter().map(segment).collect())
}

struct Pruner<'a> {
    path: Vec<Step<'a>>,
    /// The maps on the way that have a schema, and how long their paths are.
    maps: Vec<(SchemaShape<'a>, Option<&'a Value>)>,
    lengths: Vec<usize>,
    unknown: Vec<UnknownField>,
    budget: Budget,
}

impl<'a> Pruner<'a> {
    fn prune(&mut self, value: &'a Value, schema: Option<&'a Structural>, root: Root) -> Option<Value> {
        let preserves = schema.is_some_and(|schema| schema.extensions.preserve_unknown_fields);
        self.parts(value, schema, root, preserves)
    }

    /// `preserves` goes on through the items of lists, whatever their own schema says.
    fn parts(
        &mut self,
        value: &'a Value,
        schema: Option<&'a Structural>,
        root: Root,
        preserves: bool,
    ) -> Option<Value> {
        if preserves && schema.is_none() {
            return None;
        }
        let length = self.path.len();
        match &value.data {
            Data::Map(map) => {
                let is_resource = root == Root::Resource
                    || schema.is_some_and(|schema| schema.extensions.embedded_resource);
                let known = self.maps.len();
                if let Some(schema) = schema {
                    let shape =
                        if is_resource { SchemaShape::Resource(schema) } else { SchemaShape::of(schema) };
                    self.maps.push((shape, Some(value)));
                    self.lengths.push(length);
                }
                let mut offered = Vec::new();
                let changed = rewrite_map(map, |key, entry| {
                    if is_resource && matches!(&**key, "apiVersion" | "kind" | "metadata") {
                        return Fate::Kept;
                    }
                    self.path.push(Step::Key(key));
                    let fate = self.member(key, entry, (schema, preserves), &mut offered);
                    self.path.truncate(length);
                    fate
                });
                self.maps.truncate(known);
                self.lengths.truncate(known);
                changed.map(|map| with_map(value, map))
            }
            Data::List(items) => {
                let schema = schema.and_then(|schema| schema.items.as_deref());
                let changed = rewrite_list(items, |index, item| {
                    self.path.push(Step::Index(index));
                    let changed = if preserves {
                        self.parts(item, schema, Root::Value, true)
                    } else {
                        self.prune(item, schema, Root::Value)
                    };
                    self.path.truncate(length);
                    changed
                });
                changed.map(|items| with_list(value, items))
            }
            _ => None,
        }
    }

    fn member(
        &mut self,
        key: &str,
        entry: &'a MapEntry,
        (schema, preserves): (Option<&'a Structural>, bool),
        offered: &mut Vec<&'a str>,
    ) -> Fate {
        match schema.and_then(|schema| member_schema(schema, key)) {
            Some(Member::Known(schema)) => self.prune(&entry.value, Some(schema), Root::Value).into(),
            Some(Member::Anything) => self.prune(&entry.value, None, Root::Value).into(),
            None if preserves => Fate::Kept,
            None => {
                let place = entry.key_origin.or(entry.value.origin);
                let path = |index: usize| {
                    let length = self.lengths.get(index).copied().unwrap_or_default();
                    path_of(self.path.get(..length).unwrap_or(&self.path))
                };
                let meant = match schema {
                    Some(_) => {
                        let way = Way { maps: &self.maps, path, budget: &self.budget };
                        way.meant(key, &entry.value, offered)
                    }
                    None => Meant::Unknown,
                };
                self.unknown.push(UnknownField { path: path_of(&self.path), place, meant });
                Fate::Gone
            }
        }
    }
}

/// What a schema says about a field.
pub(crate) enum Member<'a> {
    /// It has this schema.
    Known(&'a Structural),
    /// `additionalProperties` is `true` or `false`: it may be there, and has no schema.
    Anything,
}

/// What the schema says about a field, if it may be there.
pub(crate) fn member_schema<'a>(schema: &'a Structural, key: &str) -> Option<Member<'a>> {
    if let Some(property) = schema.properties.get(key) {
        return Some(Member::Known(property));
    }
    match schema.additional_properties.as_deref()? {
        OrBool::Schema(schema) => Some(Member::Known(schema)),
        OrBool::Bool(_) => Some(Member::Anything),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::{schema, value};

    fn check(schema_text: &str, before: &str, after: &str, paths: &str) {
        let schema = schema(schema_text);
        let pruned = prune(&value(before), Some(&schema), Root::Resource);
        assert_eq!(pruned.value, value(after), "{before}");
        let unknown: Vec<String> = pruned.unknown.into_iter().map(|field| field.path.to_string()).collect();
        assert_eq!(unknown.join(" "), paths, "{before}");
        let again = prune(&pruned.value, Some(&schema), Root::Resource);
        assert_eq!((again.value, again.unknown.len()), (pruned.value, 0));
    }

    #[test]
    fn unknown_fields_go() {
        let schema = r#"{"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"a": {"type": "integer"}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"c": {}}}},
            "any": {"type": "object", "additionalProperties": true}}}"#;
        check(
            schema,
            r#"{"kind": "X", "metadata": {"x": 1}, "spec": {"a": {"b": 1}, "z": {"y": 1}}, "other": []}"#,
            r#"{"kind": "X", "metadata": {"x": 1}, "spec": {"a": {}}}"#,
            "other spec.a.b spec.z",
        );
        check(
            schema,
            r#"{"list": [{"b": "x", "c": 1}, 2, [{"d": 1}]], "map": {"k.1": {"c": 1, "d": 2}}, "any": {"p": {"q": 1}, "r": 2}}"#,
            r#"{"list": [{"b": "x"}, 2, [{}]], "map": {"k.1": {"c": 1}}, "any": {"p": {}, "r": 2}}"#,
            "any.p.q list[0].c list[2][0].d map.k.1.d",
        );
    }

    #[test]
    fn unknown_fields_are_preserved_where_the_schema_says_so() {
        let schema = r#"{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
            "spec": {"type": "object", "properties": {"a": {"type": "integer"}}},
            "list": {"type": "array", "x-kubernetes-preserve-unknown-fields": true,
                     "items": {"type": "object", "properties": {"b": {"type": "object", "properties": {}}}}},
            "resource": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"x": {}}}}}"#;
        check(
            schema,
            r#"{"spec": {"a": 1, "z": 2}, "other": {"x": 1}, "list": [{"b": {"c": 1}, "d": {"e": 1}}]}"#,
            r#"{"spec": {"a": 1}, "other": {"x": 1}, "list": [{"b": {}, "d": {"e": 1}}]}"#,
            "list[0].b.c spec.z",
        );
        check(
            schema,
            r#"{"resource": {"kind": "K", "metadata": {"q": 1}, "x": 1, "y": 1}}"#,
            r#"{"resource": {"kind": "K", "metadata": {"q": 1}, "x": 1}}"#,
            "resource.y",
        );
    }

    #[test]
    fn what_was_meant_by_unknown_fields() {
        let schema = schema(
            r#"{"type": "object", "properties": {
            "status": {"type": "object"},
            "spec": {"type": "object", "properties": {
                "schedule": {"type": "string"}, "paused": {"type": "boolean"}, "more": {"type": "string"},
                "target": {"type": "object", "properties": {"bucket": {"type": "string"}, "port": {"type": "integer"},
                    "keys": {"type": "array", "items": {"type": "string"}}}},
                "steps": {"type": "array", "items": {"type": "object", "properties": {"image": {"type": "string"}}}}}}}}"#,
        );
        let inside = |paths: &[&'static str]| Meant::Inside(paths.iter().map(|path| place(path)).collect());
        let rows = [
            (r#"{"spec": {"schedul": "daily"}}"#, Meant::Name("schedule".into())),
            // A name that is near is not meant by what has another form, nor one that is there.
            (r#"{"spec": {"schedul": {"a": 1}}}"#, Meant::Unknown),
            (r#"{"spec": {"schedul": "a", "schedule": "b"}}"#, Meant::Unknown),
            (r#"{"spec": {"bucket": "a", "target": null}}"#, inside(&["spec.target"])),
            (r#"{"spec": {"bucket": "a"}}"#, inside(&["spec.target"])),
            (r#"{"spec": {"bucket": ["a"]}}"#, Meant::Unknown),
            (r#"{"spec": {"image": "a"}}"#, inside(&["spec.steps[]"])),
            (r#"{"spec": {"target": {"paused": true}}}"#, inside(&["spec"])),
            (r#"{"spec": {"steps": [{"image": "a"}, {"paused": true}]}}"#, inside(&["spec"])),
            (r#"{"spec": {"target": {"paused": true}, "paused": true}}"#, Meant::Unknown),
            (r#"{"spec": {"spec": {"schedule": "a"}}}"#, Meant::Wrapper),
            (r#"{"spec": {"status": {"a": "b"}}}"#, inside(&[""])),
            (r#"{"metadata": {"name": "a"}, "spec": {"labels": {"a": "b"}}}"#, inside(&["metadata"])),
            (r#"{"schedule": "daily"}"#, inside(&["spec"])),
            (r#"{"labels": {"a": "b"}}"#, inside(&["metadata"])),
        ];
        for (text, meant) in rows {
            let pruned = prune(&value(text), Some(&schema), Root::Resource);
            let told: Vec<Meant> = pruned.unknown.into_iter().map(|field| field.meant).collect();
            assert_eq!(told, [meant], "{text}");
        }
    }

    /// The path of a map, or of any item of a list.
    fn place(path: &'static str) -> FieldPath {
        match path.strip_suffix("[]") {
            Some(list) => FieldPath::of(list).key(""),
            None => FieldPath::of(path),
        }
    }

    #[test]
    fn all_places_that_may_be_meant_are_named() {
        let port = r#"{"type": "object", "properties": {"port": {"type": "integer"}}}"#;
        let labels = r#"{"type": "object", "additionalProperties": {"type": "string"}}"#;
        let schema = schema(&format!(
            r#"{{"type": "object", "properties": {{"spec": {{"type": "object", "properties": {{
                "service": {port}, "metrics": {port}, "pod": {{"type": "object", "properties": {{
                    "spec": {{"type": "object"}},
                    "metadata": {{"type": "object", "properties": {{"labels": {labels}}}}}}}}}}}}}}}}}"#,
        ));
        let both = ["spec.service", "spec.metrics"].map(place);
        for (text, meant) in [
            (r#"{"spec": {"port": 1, "service": {}}}"#, Meant::Inside(both.to_vec())),
            (r#"{"spec": {"port": 1, "service": {"port": 2}}}"#, Meant::Inside(vec![place("spec.metrics")])),
            (r#"{"spec": {"pod": {"metadata": {"name": "a"}}}}"#, Meant::Unknown),
            (r#"{"spec": {"spec": {"service": {}}}}"#, Meant::Wrapper),
        ] {
            let pruned = prune(&value(text), Some(&schema), Root::Resource);
            let told: Vec<Meant> = pruned.unknown.into_iter().map(|field| field.meant).collect();
            assert_eq!(told, [meant], "{text}");
        }
    }

    #[test]
    fn without_a_schema_nothing_stays() {
        let pruned = prune(&value(r#"{"apiVersion": "v1", "spec": 1}"#), None, Root::Resource);
        assert_eq!(pruned.value, value(r#"{"apiVersion": "v1"}"#));
    }
}
