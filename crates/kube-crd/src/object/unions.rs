//! Unions (`x-kubernetes-unions`) of objects: exactly one field of a union is set, and the discriminator names it.
//! No API server checks this, so everything here is a warning.

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_kube_facts::decode::fields;
use trueline_kube_facts::{Reason, Trail, go_quoted};
use trueline_source::Span;
use trueline_yaml::{Data, Map, Value};

use crate::props::OrBool;
use crate::structural::{Structural, Union};

/// An object sets none or several fields of a union.
pub(super) static UNION_FIELDS: Code = Code {
    id: "TL0730",
    name: "union-fields",
    severity: Severity::Warning,
    summary: "An object sets none or several fields of a union",
    explanation: "The CRD lists fields of which an object sets exactly one (`x-kubernetes-unions`). API servers ignore \
                  the keyword and accept the object, but the controller that reads it cannot tell which field is meant.\
                  \n\nSet exactly one of the fields.",
    wrong: "spec:\n  emptyDir: {}\n  hostPath: {path: /data}\n",
    right: "spec:\n  hostPath: {path: /data}\n",
};

/// The discriminator of a union names another field than the one that is set.
pub(super) static UNION_DISCRIMINATOR: Code = Code {
    id: "TL0731",
    name: "union-discriminator",
    severity: Severity::Warning,
    summary: "The discriminator of a union names another field than the one that is set",
    explanation: "The CRD has a union (`x-kubernetes-unions`) with a discriminator: a field whose value says which field \
                  of the union is set. The two disagree. API servers ignore the keyword and accept the object.\n\nChange \
                  the discriminator, or set the field that it names.",
    wrong: "spec:\n  type: EmptyDir\n  hostPath: {path: /data}\n",
    right: "spec:\n  type: HostPath\n  hostPath: {path: /data}\n",
};

/// The codes of unions.
pub const UNION_CODES: &[&Code] = &[&UNION_FIELDS, &UNION_DISCRIMINATOR];

/// How many comparisons are made for one object. Lists with thousands of items, each with thousands of unions, could
/// take hours.
const MAX_STEPS: usize = 1_000_000;

/// How many findings one object gets.
const MAX_FINDINGS: usize = 1_000;

/// How many fields a message names.
const MAX_NAMED: usize = 8;

const HELP: &str = "API servers ignore `x-kubernetes-unions`";

/// What is wrong with the unions of a value. `around` is where findings go that have no place of their own.
pub fn union_findings(schema: &Structural, value: &Value, around: Span) -> Vec<Diagnostic> {
    let mut walk = Walk { around, steps: 0, findings: Vec::new() };
    let path = Trail::root("", Some(value));
    walk.value(schema, value, &path);
    if walk.gave_up() {
        let message = "the unions of this object are too many to check all of them";
        walk.findings.push(Diagnostic::new(&UNION_FIELDS, around, message).level(Level::Semantic));
    }
    walk.findings
}

struct Walk {
    around: Span,
    steps: usize,
    findings: Vec<Diagnostic>,
}

impl Walk {
    fn gave_up(&self) -> bool {
        self.steps > MAX_STEPS || self.findings.len() >= MAX_FINDINGS
    }

    fn value(&mut self, schema: &Structural, value: &Value, path: &Trail<'_>) {
        self.steps = self.steps.saturating_add(1);
        if self.gave_up() {
            return;
        }
        match &value.data {
            Data::List(items) => {
                let Some(schema) = &schema.items else { return };
                for (index, item) in items.iter().enumerate() {
                    self.value(schema, item, &path.index(index));
                }
            }
            Data::Map(map) => {
                for union in &schema.unions {
                    self.steps = self.steps.saturating_add(1 + union.fields.len());
                    if self.gave_up() {
                        return;
                    }
                    // What is wrong with the union itself is reported at the CRD.
                    if union.is_sound(schema) {
                        self.union(union, value, map, path);
                    }
                }
                for (key, entry) in map.iter() {
                    match (schema.properties.get(key), schema.additional_properties.as_deref()) {
                        (Some(property), _) => self.value(property, &entry.value, &path.child(key)),
                        (None, Some(OrBool::Schema(schema))) => {
                            self.value(schema, &entry.value, &path.key(key));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn union(&mut self, union: &Union, value: &Value, map: &Map, path: &Trail<'_>) {
        let is_set = |field: &&str| fields::get(value, field).is_some();
        let set: Vec<&str> = union.fields.keys().map(|field| &**field).filter(is_set).collect();
        let here = match path.path() {
            path if path.is_empty() => "the object".to_owned(),
            text => format!("`{text}`"),
        };
        let key = |field: &str| map.get(field).and_then(|entry| entry.key_origin);
        match set.as_slice() {
            [] => {
                let place = path.place(Reason::Forbidden).unwrap_or(self.around);
                let message = format!("{here} sets no field of its union");
                let help =
                    format!("set exactly one of {}", listed(union.fields.keys().map(|field| &**field)));
                self.add(Diagnostic::new(&UNION_FIELDS, place, message).help(help));
            }
            [field] => self.discriminator(union, field, value, path),
            [first, second, ..] => {
                let place = key(second).or(path.place(Reason::Forbidden)).unwrap_or(self.around);
                let message =
                    format!("{here} sets {}, which exclude each other", listed(set.iter().copied()));
                let finding = Diagnostic::new(&UNION_FIELDS, place, message).help("keep only one of them");
                self.add(match key(first) {
                    Some(first) => finding.related(first, "the first of them"),
                    None => finding,
                });
            }
        }
    }

    /// The discriminator may be missing; if it is there, it names the field that is set.
    fn discriminator(&mut self, union: &Union, field: &str, value: &Value, path: &Trail<'_>) {
        let Some(discriminator) = &union.discriminator else { return };
        let Some(found) = fields::optional_text(value, discriminator) else { return };
        let Some(expected) = union.fields.get(field).filter(|expected| **expected != found) else { return };
        let path = path.child(discriminator);
        let place = path.place(Reason::Invalid).unwrap_or(self.around);
        let text = path.path();
        let message = format!("`{text}` is {}, but the field that is set is `{field}`", go_quoted(&found));
        let expected = go_quoted(expected);
        let help = match union.fields.iter().find(|(_, value)| **value == found) {
            Some((meant, _)) => format!("write {expected}, or set `{meant}` instead of `{field}`"),
            None => format!("write {expected}"),
        };
        self.add(Diagnostic::new(&UNION_DISCRIMINATOR, place, message).help(help));
    }

    fn add(&mut self, finding: Diagnostic) {
        self.findings.push(finding.help(HELP).level(Level::Semantic));
    }
}

/// Some names, in backticks.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let shown: Vec<String> = names.by_ref().take(MAX_NAMED).collect();
    match (shown.split_last(), names.count()) {
        (_, more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        (Some((last, [])), 0) => last.clone(),
        (Some((last, before)), 0) => format!("{} and {last}", before.join(", ")),
        (None, 0) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use trueline_source::SourceId;
    use trueline_yaml::Limits;
    use trueline_yaml::json;

    use super::*;
    use crate::definition;

    const SCHEMA: &str = r#"{"type": "object", "x-kubernetes-unions": [{"discriminator": "type", "fields": {"emptyDir":
        "EmptyDir", "hostPath": "HostPath"}}, {"discriminator": "gone", "fields": {"size": "Size"}}], "properties": {"type":
        {"type": "string"}, "emptyDir": {"type": "object"}, "hostPath": {"type": "object"}, "size": {"type": "integer"}}}"#;

    /// A schema of objects that hold a list `many` of what [`SCHEMA`] describes.
    fn schema() -> Structural {
        let text = format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{versions: [{{name: v1, schema: \
             {{openAPIV3Schema: {{type: object, properties: {{many: {{type: array, items: {SCHEMA}}}}}}}}}}}]}}}}"
        );
        let crd = definition::decode(&trueline_yaml::yaml_to_value(&text).unwrap()).unwrap().crd;
        Structural::new(crd.schema(&crd.spec.versions[0]).unwrap()).unwrap()
    }

    fn findings(item: &str) -> Vec<Diagnostic> {
        let text = format!(r#"{{"many": [{item}]}}"#);
        let source = SourceId::from_index(0);
        let document = json::read(source, &text.as_str().into(), Limits::default()).unwrap();
        union_findings(&schema(), &Value::from_node(document.root()), Span::whole(source))
    }

    #[test]
    fn one_field_is_set_and_the_discriminator_names_it() {
        let rows: &[(&str, Option<(&str, &str)>)] = &[
            (r#"{"emptyDir": {}}"#, None),
            (r#"{"type": "EmptyDir", "emptyDir": {}}"#, None),
            (r#"{"type": "EmptyDir", "emptyDir": {}, "hostPath": null}"#, None),
            // The second union has a discriminator that is not a property: nothing is said of `size`.
            (r#"{"emptyDir": {}, "size": 1}"#, None),
            ("{}", Some(("TL0730", "`many[0]` sets no field of its union"))),
            (
                r#"{"emptyDir": {}, "hostPath": {}}"#,
                Some(("TL0730", "`many[0]` sets `emptyDir` and `hostPath`, which exclude each other")),
            ),
            (
                r#"{"type": "HostPath", "emptyDir": {}}"#,
                Some(("TL0731", "`many[0].type` is \"HostPath\", but the field that is set is `emptyDir`")),
            ),
        ];
        for (item, expected) in rows {
            let findings = findings(item);
            let found: Vec<(&str, &str)> =
                findings.iter().map(|finding| (finding.code.id, finding.message.as_str())).collect();
            assert_eq!(found, expected.iter().copied().collect::<Vec<_>>(), "{item}");
            assert!(findings.iter().all(|finding| finding.severity == Severity::Warning));
        }
        let several = &findings(r#"{"emptyDir": {}, "hostPath": {}}"#)[0];
        // `{"many": [` is ten bytes long; the second key is pointed at, with the first beside it.
        assert_eq!((several.primary.span.start, several.related[0].span.start), (27, 11));
        let wrong = &findings(r#"{"type": "Other", "emptyDir": {}}"#)[0];
        assert_eq!(wrong.help.as_deref(), Some(&*format!("write \"EmptyDir\"\n{HELP}")));
    }

    /// Twice the items of a list are twice the work, and there is an end to it.
    #[test]
    fn work_grows_with_the_object() {
        let steps = |count: usize| {
            let items: Vec<Value> = vec![Value::new(Data::Map(Default::default())); count];
            let object: Value = [("many", items.into_iter().collect::<Value>())].into_iter().collect();
            let mut walk =
                Walk { around: Span::whole(SourceId::from_index(0)), steps: 0, findings: Vec::new() };
            walk.value(&schema(), &object, &Trail::root("", Some(&object)));
            (walk.steps, walk.findings.len())
        };
        assert!(steps(200).0 <= 2 * steps(100).0);
        assert_eq!(steps(100).1, 100);
        assert_eq!(steps(5 * MAX_FINDINGS).1, MAX_FINDINGS);
    }
}
