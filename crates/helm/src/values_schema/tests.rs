//! Files of values with the schemas and tables that are made from them.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trueline_diagnostic::Diagnostic;
use trueline_schema::Network;
use trueline_source::{MemoryLoader, SourceMap};
use trueline_yaml::{Data, Value};

use super::{Dialect, InferOptions, Inferred, Order, Subcharts, UnknownKeys, infer, table};
use crate::chart::{Chart, Compat, File, Request, load};
use crate::schema::{SchemaAccess, validate_one};

const CHART: (&str, &str) = ("Chart.yaml", "apiVersion: v2\nname: t\nversion: 1.0.0\n");

fn chart(files: &[(&str, &str)]) -> (Chart, SchemaAccess) {
    let mut loader = MemoryLoader::new("");
    let named = files.iter().any(|(name, _)| *name == "Chart.yaml");
    for (name, text) in files.iter().chain((!named).then_some(&CHART)) {
        loader = loader.with_file(name, text.as_bytes().to_vec());
    }
    let sources = Arc::new(SourceMap::new());
    let request =
        Request { loader: &loader, path: "", absolute: "/t", sources: &sources, compat: Compat::Helm4 };
    let chart = load(&request).unwrap_or_else(|failure| panic!("{failure}")).chart;
    (chart, SchemaAccess { sources, fetch: None, network: Network::Offline })
}

fn inferred(files: &[(&str, &str)], options: InferOptions) -> Result<Inferred, Vec<Diagnostic>> {
    let (chart, access) = chart(files);
    infer(&chart, &options, &access)
}

fn schema_of(files: &[(&str, &str)], options: InferOptions) -> Json {
    let Inferred { text, warnings } = inferred(files, options).unwrap_or_else(|found| panic!("{found:?}"));
    assert!(warnings.is_empty(), "{text}\n{warnings:?}");
    serde_json::from_str(&text).unwrap()
}

/// The properties that are made of a file of values, without `global`.
fn properties(values: &str, options: InferOptions) -> Json {
    let schema = schema_of(&[("values.yaml", values)], options);
    let mut properties = schema["properties"].clone();
    properties.as_object_mut().unwrap().shift_remove("global");
    properties
}

#[test]
fn values_become_types_and_defaults() {
    for (values, expected) in [
        ("a: x", json!({"a": {"type": "string", "default": "x"}})),
        ("a: 1", json!({"a": {"type": "integer", "default": 1}})),
        ("a: 1.0", json!({"a": {"type": "number", "default": 1}})),
        ("a: 1.5", json!({"a": {"type": "number", "default": 1.5}})),
        ("a: 0x1F", json!({"a": {"type": "integer", "default": 31}})),
        ("a: yes", json!({"a": {"type": "boolean", "default": true}})),
        ("a:", json!({"a": {}})),
        ("a: []", json!({"a": {"type": "array", "default": []}})),
        ("a: {}", json!({"a": {"type": "object"}})),
        (
            "a: {b: {c: 1}}",
            json!({"a": {"type": "object", "properties":
            {"b": {"type": "object", "properties": {"c": {"type": "integer", "default": 1}}}}}}),
        ),
        ("a: [1, 2]", json!({"a": {"type": "array", "default": [1, 2], "items": {"type": "integer"}}})),
        (
            "a: [1, x, 2.5, null]",
            json!({"a": {"type": "array", "default": [1, "x", 2.5, null],
            "items": {"type": ["string", "number", "null"]}}}),
        ),
        (
            "a: [{m: x, v: 1}, {m: z, w: [z]}]",
            json!({"a": {"type": "array",
            "default": [{"m": "x", "v": 1}, {"m": "z", "w": ["z"]}],
            "items": {"type": "object", "properties": {"m": {"type": "string"}, "v": {"type": "integer"},
                "w": {"type": "array", "items": {"type": "string"}}}}}}),
        ),
        (
            "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 2}",
            json!({
            "a": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}},
            "c": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}},
            "d": {"type": "object", "properties":
                {"b": {"type": "integer", "default": 1}, "e": {"type": "integer", "default": 2}}}}),
        ),
        (
            "a: 1\n---\na: x\nb: 2\n",
            json!({"a": {"type": "string", "default": "x"},
            "b": {"type": "integer", "default": 2}}),
        ),
    ] {
        assert_eq!(properties(values, InferOptions::default()), expected, "{values}");
    }
}

#[test]
fn comments_become_descriptions() {
    for (values, expected) in [
        ("# The name\na: x", Some("The name")),
        ("# The\n# name\na: x", Some("The name")),
        ("# License\n\n# The name\na: x", Some("The name")),
        ("# License\n\na: x", None),
        ("a: x # The name", Some("The name")),
        ("# -- The name\na: x", Some("The name")),
        ("# Old words\n# -- The name\n# of it\n# @default -- none\na: x", Some("The name of it")),
        ("# -- (string) The name\na: x", Some("The name")),
        ("a: x\n\n# a -- The name\n# of it", Some("The name of it")),
        ("## @param a [nullable] The name\n## @param b Not here\na: x", Some("The name")),
        ("# a: y\na: x", None),
        ("# The name, for example:\n# a: y\na: x", None),
        ("# The name\n# a: y\na: x", Some("The name")),
        ("# @schema\n# maxLength: 3\n# @schema\n# The name\na: x", Some("The name")),
        ("# Above\n# @schema\n# description: The name\n# @schema\na: x", Some("The name")),
        ("# @ignored\na: x", None),
        ("# é — ünïcode\na: x", Some("é — ünïcode")),
    ] {
        let found = properties(values, InferOptions::default());
        assert_eq!(found["a"]["description"].as_str(), expected, "{values}");
    }
}

#[test]
fn annotations_say_more_than_values() {
    for (values, expected) in [
        (
            "a: x # @schema maxLength:10;pattern:^[a-z;]+$",
            json!({"type": "string", "default": "x", "maxLength": 10, "pattern": "^[a-z;]+$"}),
        ),
        (
            "# @schema minimum: 1; maximum: 5\na: 2",
            json!({"type": "integer", "default": 2, "minimum": 1, "maximum": 5}),
        ),
        (
            "a:\n  b: {}\n# @schema additionalProperties:false\n\nc: 1",
            json!({"type": "object", "additionalProperties": false, "properties": {"b": {"type": "object"}}}),
        ),
        ("a: # @schema type:[string, null]", json!({"type": ["string", "null"]})),
        ("a: 1 # @schema type:[integer]", json!({"default": 1, "type": ["integer"]})),
        ("a: # @schema type: integer; nullable", json!({"type": ["integer", "null"]})),
        ("a: \"\" # @schema nullable", json!({"type": ["string", "null"], "default": ""})),
        ("a: x # @schema enum:[x, y, null]", json!({"default": "x", "enum": ["x", "y", null]})),
        ("a: x # @schema enum: x, y", json!({"default": "x", "enum": ["x", "y"]})),
        ("a: x # @schema const: x", json!({"default": "x", "const": "x"})),
        (
            "a: [] # @schema item: object; itemRequired: [name]; uniqueItems",
            json!({"type": "array", "default": [], "items": {"type": "object", "required": ["name"]}, "uniqueItems": true}),
        ),
        (
            "a: [1] # @schema itemEnum: [1, 2]",
            json!({"type": "array", "default": [1], "items": {"enum": [1, 2]}}),
        ),
        (
            "a: [x] # @schema itemPattern:^x$",
            json!({"type": "array", "default": ["x"], "items": {"pattern": "^x$", "type": "string"}}),
        ),
        (
            "a: # @schema mergeProperties\n  x: {p: 1}\n  y: {q: z}",
            json!({"type": "object", "additionalProperties":
            {"type": "object", "properties": {"p": {"type": "integer"}, "q": {"type": "string"}}}}),
        ),
        ("a: # @schema skipProperties\n  x: 1", json!({"type": "object"})),
        (
            "a: # @schema patternProperties: {\"^x\": {type: integer}}\n  x1: 1\n  z: 2",
            json!({"type": "object",
            "patternProperties": {"^x": {"type": "integer"}}, "properties": {"z": {"type": "integer", "default": 2}}}),
        ),
        (
            "a:\n  b: 1 # @schema required\n  c: 2 # @schema required:true\n  d: 3 # @schema hidden",
            json!({"type": "object",
            "properties": {"b": {"type": "integer", "default": 1}, "c": {"type": "integer", "default": 2}}, "required": ["b", "c"]}),
        ),
        (
            "a: 1 # @schema title: The title ; description: The text; default: 5; readOnly; deprecated",
            json!({"title": "The title", "description": "The text",
            "type": "integer", "default": 5, "readOnly": true, "deprecated": true}),
        ),
        (
            "a: 1 # @schema anyOf: [{type: integer}, {type: string}]",
            json!({"default": 1, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ),
        (
            "a: 1 # @schema not: {type: object}; x-order: 3",
            json!({"default": 1, "not": {"type": "object"}, "x-order": 3}),
        ),
        (
            "# @schema\n# type: [null, string]\n# @schema\n# -- Words\na: \"\"",
            json!({"description": "Words", "default": "", "type": ["null", "string"]}),
        ),
        (
            "# @schema\n# enum:\n#   - x\n#   - y\n# required: true\n# @schema\na: x",
            json!({"default": "x", "enum": ["x", "y"]}),
        ),
        ("# @schema\n# const-from-value: true\n# @schema\na: x", json!({"const": "x"})),
        (
            "# @schema\n# required: [b]\n# @schema\na: {b: 1}",
            json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "integer", "default": 1}}}),
        ),
        (
            "# @schema\n# properties:\n#   b:\n#     minimum: 1\n# @schema\na: {b: 1, c: x}",
            json!({"type": "object",
            "properties": {"b": {"minimum": 1}, "c": {"type": "string", "default": "x"}}}),
        ),
        (
            "# @schema\n# oneOf:\n# - type: [null]\n# - enum: [on, off]\n# @schema\na:",
            json!({"oneOf": [{"type": ["null"]}, {"enum": ["on", "off"]}]}),
        ),
        ("# @schema\n# @schema\na: x", json!({"type": "string", "default": "x"})),
        ("# -- (string, object) Words\na: {}", json!({"description": "Words", "type": ["string", "object"]})),
        ("# -- (int) Words\na:", json!({"description": "Words", "type": ["integer", "null"]})),
    ] {
        assert_eq!(properties(values, InferOptions::default())["a"], expected, "{values}");
    }
}

#[test]
fn annotations_speak_of_the_schema_as_a_whole() {
    let values = "# @schema.root\n# title: All values\n# additionalProperties: false\n# @schema.root\n\n# Words\na: 1\n\
                  # @schema\n# $ref: '#/$defs/port'\n# $defs: {port: {type: integer}}\n# @schema\nb: 80 # The port";
    let schema = schema_of(&[("values.yaml", values)], InferOptions::default());
    assert_eq!(
        schema,
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "All values",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "a": {"description": "Words", "type": "integer", "default": 1},
                "b": {"description": "The port", "default": 80, "$ref": "#/$defs/port"},
                "global": {"type": "object"},
            },
            "$defs": {"port": {"type": "integer"}},
        })
    );
    let old = InferOptions { dialect: Dialect::Draft7, ..InferOptions::default() };
    let schema = schema_of(&[("values.yaml", values)], old);
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(
        schema["properties"]["b"],
        json!({"description": "The port", "default": 80, "allOf": [{"$ref": "#/$defs/port"}]})
    );
}

#[test]
fn annotations_that_cannot_be_read_are_told_at_their_places() {
    for (values, place, words) in [
        ("a: 1 # @schema minimun:1", "minimun:1", "`minimun` is no keyword of annotations"),
        ("a: 1 # @schema minimum:[", "minimum:[", "the value of `minimum` is no YAML"),
        (
            "a: 1 # @schema minimum:x",
            "# @schema minimum:x",
            "`minimum` of this annotation breaks the rules of JSON Schema: got string, want number",
        ),
        (
            "# @schema\n# type: strin\n# @schema\na: x",
            "# @schema\n# type: strin",
            "`type` of this annotation",
        ),
        (
            "# @schema\n# type: string\na: x",
            "# @schema",
            "this block has no second line `# @schema` after it",
        ),
        ("# @schema\n# type: [string\n# @schema\na: x", "", "this annotation is no YAML: "),
        (
            "# @schema\n# - type\n# @schema\na: x",
            "# @schema\n# - type",
            "an annotation must be a map of keywords",
        ),
    ] {
        let (chart, access) = chart(&[("values.yaml", values)]);
        let found = infer(&chart, &InferOptions::default(), &access).unwrap_err();
        let [finding] = found.as_slice() else { panic!("{values}: {found:?}") };
        assert!(finding.message.starts_with(words), "{values}: {}", finding.message);
        let shown = access.sources.get(finding.primary.span.source).slice(finding.primary.span).to_owned();
        assert!(place.is_empty() || shown == place, "{values}: {shown}");
    }
}

#[test]
fn values_that_break_their_annotation_are_told() {
    let (chart, access) = chart(&[("values.yaml", "a: 1\nb: 0 # @schema minimum:1\n")]);
    let warnings = infer(&chart, &InferOptions::default(), &access).unwrap().warnings;
    let [finding] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!(finding.code.id, "TL0671");
    assert_eq!(access.sources.get(finding.primary.span.source).slice(finding.primary.span), "0");
}

#[test]
fn unknown_keys_can_be_refused() {
    let closed = InferOptions { unknown_keys: UnknownKeys::Refused, ..InferOptions::default() };
    let files = [("values.yaml", "a: {b: 1}\nempty: {}\nlist: [{c: 1}]\nglobal: {g: 1}\n")];
    let schema = schema_of(&files, closed);
    let is_closed =
        |pointer: &str| schema.pointer(&format!("{pointer}/additionalProperties")) == Some(&json!(false));
    for (pointer, expected) in [
        ("", true),
        ("/properties/a", true),
        ("/properties/empty", false),
        ("/properties/list/items", false),
        ("/properties/global", false),
    ] {
        assert_eq!(is_closed(pointer), expected, "{pointer}");
    }
}

const PARENT: &str = "apiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n\
    - {name: db, version: '*', repository: '', condition: 'db.enabled,global.db', tags: [back]}\n\
    - {name: db, version: '*', repository: '', alias: second}\n\
    - {name: gone, version: '*', repository: ''}\n";

#[test]
fn subcharts_are_described() {
    let files = [
        ("Chart.yaml", PARENT),
        ("values.yaml", "db: {size: big}\nsecond:\n"),
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\ndescription: A database\n"),
        ("charts/db/values.yaml", "# The size\nsize: 1\nport: 80\n"),
        ("charts/extra/Chart.yaml", "apiVersion: v2\nname: extra\nversion: 1.0.0\n"),
        ("charts/extra/values.yaml", "enabled: true\nreplicas: 1\nother: x\n"),
        (
            "charts/extra/values.schema.json",
            r##"{"required": ["must"], "additionalProperties": false, "properties": {"replicas": {"$ref": "#/$defs/count"},
                "enabled": {}, "other": {"type": "string"}, "global": {}, "must": {}}, "$defs": {"count": {"type": ["integer", "string"], "minimum": 1}}}"##,
        ),
    ];
    let options = InferOptions { unknown_keys: UnknownKeys::Refused, ..InferOptions::default() };
    let schema = schema_of(&files, options);
    let properties = &schema["properties"];
    assert_eq!(properties["db"]["description"], "Values of the subchart db: A database");
    let db = &properties["db"]["properties"];
    assert_eq!(
        db["size"],
        json!({"description": "The size", "type": ["string", "integer"], "default": "big"})
    );
    assert_eq!(db["port"], json!({"type": "integer", "default": 80}));
    assert_eq!(db["enabled"], json!({"type": "boolean"}));
    assert_eq!(properties["second"]["properties"]["port"], json!({"type": "integer", "default": 80}));
    assert_eq!(properties["gone"], json!({"type": "object"}));
    assert_eq!(properties["global"]["properties"], json!({"db": {"type": "boolean"}}));
    assert_eq!(properties["tags"]["properties"], json!({"back": {"type": "boolean"}}));
    let extra = &properties["extra"];
    assert_eq!(
        (
            &extra["properties"]["replicas"],
            &extra["properties"]["enabled"],
            &extra["required"],
            &extra["additionalProperties"]
        ),
        (
            &json!({"default": 1, "type": ["integer", "string"], "minimum": 1}),
            &json!({"type": "boolean", "default": true}),
            &Json::Null,
            &Json::Null
        )
    );
    let named = InferOptions { subcharts: Subcharts::Named, ..InferOptions::default() };
    let schema = schema_of(&files, named);
    assert_eq!(schema["properties"]["extra"]["properties"], Json::Null);
}

#[test]
fn imported_values_are_known() {
    let parent = "apiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n\
        - {name: db, version: '*', repository: '', import-values: [data, {child: port, parent: own}]}\n";
    let files = [
        ("Chart.yaml", parent),
        ("values.yaml", "a: 1\n"),
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "exports: {data: {imported: x}}\nport: {number: 5}\n"),
    ];
    let options = InferOptions { unknown_keys: UnknownKeys::Refused, ..InferOptions::default() };
    let schema = schema_of(&files, options);
    assert_eq!(schema["properties"]["imported"]["type"], "string");
    assert_eq!(schema["properties"]["own"]["properties"]["number"]["type"], "integer");
    assert_eq!(schema["properties"]["db"]["properties"]["port"]["type"], "object");
    let named = InferOptions { subcharts: Subcharts::Named, ..InferOptions::default() };
    let schema = schema_of(&files, named);
    assert_eq!(schema["properties"]["own"]["properties"]["number"]["type"], "integer");
    assert_eq!(schema["properties"]["db"]["properties"], Json::Null);
}

#[test]
fn what_subcharts_that_are_off_would_bring_is_known() {
    let parent = "apiVersion: v2\nname: t\nversion: 1.0.0\ndependencies:\n\
        - {name: db, version: '*', repository: '', condition: db.enabled, import-values: [data]}\n\
        - {name: mq, version: '*', repository: '', tags: [queue], alias: q, import-values: [{child: port, parent: own}]}\n";
    let files = [
        ("Chart.yaml", parent),
        ("values.yaml", "db: {enabled: false}\ntags: {queue: false}\n"),
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("charts/db/values.yaml", "exports: {data: {imported: x}}\n"),
        ("charts/mq/Chart.yaml", "apiVersion: v2\nname: mq\nversion: 1.0.0\n"),
        ("charts/mq/values.yaml", "port: {number: 5}\n"),
    ];
    for subcharts in [Subcharts::Described, Subcharts::Named] {
        let options =
            InferOptions { unknown_keys: UnknownKeys::Refused, subcharts, ..InferOptions::default() };
        let schema = schema_of(&files, options);
        assert_eq!(schema["properties"]["imported"], json!({"type": "string"}), "{schema:#}");
        assert_eq!(schema["properties"]["own"]["properties"]["number"], json!({"type": "integer"}));
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn value(&mut self, depth: u64) -> Json {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => json!(true),
            1 => json!(self.below(100)),
            2 => json!(self.below(100) as f64 + 0.5),
            3 => json!(["", "x", "1", "true", "a b: c", "~"][self.below(6) as usize]),
            4 => json!([]),
            5 => json!({}),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => Json::Object(
                (0..self.below(5)).map(|key| (format!("k{key}"), self.value(depth - 1))).collect(),
            ),
        }
    }
}

/// All leaves: the pointers of values that hold nothing, with the types of all values at the same place of the
/// items of a list.
fn leaves(value: &Json, pointer: String, found: &mut Vec<String>) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| leaves(value, format!("{pointer}/{key}"), found));
        }
        Json::Array(items) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| leaves(item, format!("{pointer}/{index}"), found));
        }
        _ => found.push(pointer),
    }
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// The types at a place, whichever item of a list is taken.
fn types_at(value: &Json, path: &[&str], types: &mut Vec<&'static str>) {
    match (value, path) {
        (value, []) => types.push(type_of(value)),
        (Json::Array(items), [_, rest @ ..]) => items.iter().for_each(|item| types_at(item, rest, types)),
        (value, [name, rest @ ..]) => {
            if let Some(value) = value.get(name) {
                types_at(value, rest, types);
            }
        }
    }
}

#[test]
fn a_leaf_of_another_type_is_refused() {
    let others = [json!(null), json!(true), json!(7), json!(7.5), json!("text"), json!([]), json!({})];
    let mut dice = Dice(1);
    let mut changes = 0;
    for round in 0..25 {
        let values = Json::Object((0..5).map(|key| (format!("k{key}"), dice.value(3))).collect());
        let (chart, access) = chart(&[("values.yaml", &values.to_string())]);
        let dialect = if round % 2 == 0 { Dialect::Draft202012 } else { Dialect::Draft7 };
        let options = InferOptions { dialect, ..InferOptions::default() };
        let Inferred { text, warnings } = infer(&chart, &options, &access).unwrap();
        assert!(warnings.is_empty(), "{text}");
        let file = File {
            name: "values.schema.json".into(),
            data: text.as_bytes().into(),
            source: None,
            modified: None,
        };
        let chart = Chart { schema: Some(file), ..chart };
        let mut found = Vec::new();
        leaves(&values, String::new(), &mut found);
        for pointer in found {
            let path: Vec<&str> = pointer.split('/').skip(1).collect();
            let mut types = Vec::new();
            types_at(&values, &path, &mut types);
            for other in &others {
                let kind = type_of(other);
                if types.contains(&kind) || kind == "integer" && types.contains(&"number") {
                    continue;
                }
                let mut changed = values.clone();
                *changed.pointer_mut(&pointer).unwrap() = other.clone();
                let changed = Value::from_serde(&changed).with_json_numbers();
                assert!(validate_one(&chart, &changed, &access).is_err(), "{pointer} to {other}\n{text}");
                changes += 1;
            }
        }
    }
    assert!(changes > 500, "{changes}");
}

fn rows(files: &[(&str, &str)], order: Order) -> String {
    let (chart, access) = chart(files);
    table(&chart, order, &access).unwrap()
}

const HEAD: &str = "| Key | Type | Default | Description |\n|-----|------|---------|-------------|\n";

#[test]
fn values_become_a_table() {
    let values = "\
# -- The name | of it
name: web
# -- (tpl) Text
# @default -- see below
text: \"\"
list:
  - a|b
unset:
# -- A map
map:
  inner: 1
  # -- Told
  told: true
open:
  inner: 1.5
  empty: {}
# @ignored
hidden: 1
ticks: \"`x`\"
kubernetes.io/x: 1
# A heading
many:
  # - one
  a: 1 # @schema type:[integer, string]
";
    let expected = format!(
        "{HEAD}\
| \"kubernetes.io/x\" | int | `1` | |
| list | list | `[\"a\\|b\"]` | |
| many.a | int or string | `1` | |
| map | object | `{{\"inner\":1,\"told\":true}}` | A map |
| map.told | bool | `true` | Told |
| name | string | `\"web\"` | The name \\| of it |
| open.empty | object | `{{}}` | |
| open.inner | float | `1.5` | |
| text | tpl | see below | Text |
| ticks | string | ``\"`x`\"`` | |
| unset | any | `nil` | |
"
    );
    assert_eq!(rows(&[("values.yaml", values)], Order::ByKey), expected);
    let file = rows(&[("values.yaml", values)], Order::AsWritten);
    let keys: Vec<&str> = file.lines().skip(2).filter_map(|row| row.split(' ').nth(1)).collect();
    assert_eq!(keys[..4], ["name", "text", "list", "unset"]);
}

#[test]
fn tables_have_sections() {
    let values = "# -- One\n# @section -- Network\nport: 1\n# -- Two\nname: x\n# -- Three\n# @section -- Basics\nimage: web\n";
    let expected = format!(
        "### Basics\n\n{HEAD}| image | string | `\"web\"` | Three |\n\n### Network\n\n{HEAD}| port | int | `1` | One |\n\n\
         ### Other Values\n\n{HEAD}| name | string | `\"x\"` | Two |\n"
    );
    assert_eq!(rows(&[("values.yaml", values)], Order::ByKey), expected);
}

#[test]
fn tables_tell_what_the_schema_knows() {
    let schema = r##"{"properties": {
        "port": {"$ref": "#/$defs/port"},
        "only": {"type": ["string", "null"], "default": "x", "description": "Not in\nvalues.yaml"},
        "name": {"type": "string", "description": "Of the schema"}},
        "$defs": {"port": {"type": "integer", "description": "A port"}}}"##;
    let files = [("values.yaml", "port: 80\n# Of the values\nname: x\n"), ("values.schema.json", schema)];
    let expected = format!(
        "{HEAD}| name | string | `\"x\"` | Of the values |\n| only | string or null | `\"x\"` | Not in<br>values.yaml |\n\
         | port | int | `80` | A port |\n"
    );
    assert_eq!(rows(&files, Order::ByKey), expected);
}

#[test]
fn charts_without_values_have_a_schema_and_a_table() {
    let schema = schema_of(&[], InferOptions::default());
    assert_eq!(schema["properties"], json!({"global": {"type": "object"}}));
    assert_eq!(rows(&[], Order::ByKey), HEAD);
    let (chart, _) = chart(&[]);
    assert!(matches!(chart.values.data, Data::Map(_)));
}
