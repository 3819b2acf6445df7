//! Schemas of data values that are exported: whoever validates with them comes to the verdict of ytt's own rules.

mod support;

use std::sync::Arc;

use serde_json::{Value as Json, json};
use support::Sandbox;
use trueline_kube::object::Resource;
use trueline_kube::{KubeVersion, crd as definition};
use trueline_schema::{Access, Formats, Schema, Store};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::yaml_to_value;
use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Formats as Outputs, Inspect, Options, run};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FlagValue, Flags, FoundFile};

/// The data values of `--data-values-file values.yml`.
struct Values<'v>(&'v str);

impl FlagInputs for Values<'_> {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        let bytes = Ok(self.0.as_bytes().into());
        Ok(vec![FoundFile { name: path.to_owned(), bytes, source: None }])
    }
}

fn ran(schema: &str, values: Option<&str>, options: Options) -> Result<String, String> {
    let files = in_order(vec![vec![InputFile::new("schema.yml", schema.as_bytes().to_vec())]]);
    let mut options = options;
    if values.is_some() {
        options.flags = Flags { files: vec![FlagValue::from("values.yml")], ..Flags::default() };
    }
    let ended = run(files, &options, &Values(values.unwrap_or_default()));
    ended.result.and_then(|produced| produced.print(Format::Json)).map_err(|error| error.to_string())
}

fn exported(schema: &str, format: &str) -> Json {
    let formats = Outputs(vec![format.to_owned(), "json".to_owned()]);
    let options = Options { inspect: Inspect::Schema, formats, ..Options::default() };
    let text = ran(schema, None, options).unwrap_or_else(|error| panic!("{error}\n{schema}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the rules of ytt say.
fn verdict_of_rules(schema: &str, values: &Json) -> Result<String, String> {
    let values = values.to_string();
    ran(schema, Some(&values), Options { inspect: Inspect::Values, ..Options::default() })
}

fn compiled(schema: &Json) -> Schema {
    let sources = Arc::new(SourceMap::new());
    let source = sources.add("schema.json", SourceKind::File, schema.to_string());
    let store = Store::new(sources, Access::default());
    store
        .text(source, None, Formats::Assert)
        .unwrap_or_else(|error| panic!("{:?}\n{schema:#}", error.diagnostics()))
}

fn accepts(schema: &Schema, values: &Json) -> bool {
    let sources = SourceMap::new();
    let text: Arc<str> = values.to_string().into();
    let source = sources.add("values.json", SourceKind::File, Arc::clone(&text));
    let document = trueline_yaml::json::read(source, &text, Default::default()).unwrap();
    schema.is_valid(document.root())
}

/// A CRD whose `spec` has the schema.
fn crd(schema: &Json) -> Json {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": schema["openAPIV3Schema"]},
                    "required": ["spec"],
                }},
            }],
        },
    })
}

fn resource(schema: &Json) -> Resource {
    let text = crd(schema).to_string();
    let value = yaml_to_value(&text).unwrap();
    let decoded = definition::decode(&value).unwrap_or_else(|error| panic!("{}\n{schema:#}", error.text));
    Resource::new(&decoded.crd, KubeVersion::CRD_RULES)
        .unwrap_or_else(|error| panic!("{}\n{schema:#}", error.text))
}

fn server_accepts(resource: &Resource, values: &Json) -> Result<(), String> {
    let object = json!({
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": values,
    });
    let text = object.to_string();
    let value = yaml_to_value(&text).unwrap();
    let decoded = resource.decode(&value, &text).map_err(|error| error.text)?;
    let verdict = resource.create(&decoded);
    match verdict.errors.first() {
        None => Ok(()),
        Some(error) => Err(format!("{error:?}")),
    }
}

/// Numbers that only look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn one<'l, T: ?Sized>(&mut self, list: &[&'l T]) -> &'l T {
        list[self.roll(list.len())]
    }
}

const STRINGS: &[&str] = &[
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "xyz",
    "a.git",
    "http://a.example.com/b",
    "1Gi",
    "500m",
    "1 Gi",
    "10",
    "2024-01-01T00:00:00Z",
    "2024-02-30T00:00:00Z",
    "2024-01-01",
    "12:00:00Z",
    "P1D",
    "user@example.com",
    "user@",
    "host.example.com",
    "-bad-",
    "127.0.0.1",
    "1.2.3",
    "::1",
    "/path",
    "%",
    "urn:x:y",
    "A b",
    "a\nb",
    "\t",
    "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
    "/a/~0",
    "0",
    "1#",
    "{x}",
    "{",
];

const STRING_RULES: &[&str] = &[
    "min_len=1",
    "min_len=3",
    "max_len=3",
    "len=3",
    "one_of=[\"a\", \"abc\", \"\"]",
    "starts_with=\"a\"",
    "ends_with=\".git\"",
    "contains=\"b\"",
    "contains=\"/\"",
    "matches=\"^[a-z]+$\"",
    "matches=\"a.b\"",
    "matches=\"\\\\s\"",
    "matches=\"^(?:a|b)+$\"",
    "format=\"quantity\"",
    "format=\"date-time\"",
    "format=\"date\"",
    "format=\"email\"",
    "format=\"hostname\"",
    "format=\"ipv4\"",
    "format=\"ipv6\"",
    "format=\"uri\"",
    "format=\"uuid\"",
    "(\"short\", assert.max_len(4))",
];

/// Formats that the server does not check, and rules that are only written in JSON Schemas.
const MORE_STRING_RULES: &[&str] = &[
    "format=\"uriref\"",
    "format=\"time\"",
    "format=\"duration\"",
    "format=\"uri-template\"",
    "format=\"json-pointer\"",
    "format=\"relative-json-pointer\"",
    "(\"another\", assert.json_schema({\"not\": {\"const\": \"abc\"}, \"maxLength\": 9}))",
    "(\"one\", assert.json_schema({\"oneOf\": [{\"pattern\": \"b\"}, {\"pattern\": \"^a\"}, {\"format\": \"ipv4\"}]}))",
    "(\"all\", assert.json_schema({\"if\": {\"minLength\": 3}, \"then\": {\"enum\": [\"abc\", \"xyz\"]}})), starts_with=\"a\"",
];

const INTEGERS: &[&str] = &["-4", "-3", "0", "1", "2", "3", "5", "6", "10", "80", "1024", "65536"];
const INTEGER_RULES: &[&str] = &[
    "min=1",
    "max=1024",
    "min=0.5",
    "one_of=[1, 3, 80]",
    "even=True",
    "odd=True",
    "multiple_of=3",
    "multiple_of=2, even=True",
    "(\"a port\", assert.min(2)), max=100",
];

const FLOATS: &[&str] = &["-1.5", "0.5", "2.5", "3", "4", "6.0", "7.25", "100"];
const FLOAT_RULES: &[&str] =
    &["min=0.75", "max=6", "multiple_of=2", "odd=True", "even=True", "one_of=[2.5, 4]"];

/// A schema that was made up, and values for it.
#[derive(Debug)]
struct Made {
    text: String,
    kind: Kind,
    is_nullable: bool,
}

#[derive(Debug)]
enum Kind {
    String,
    Integer,
    Float,
    Boolean,
    Any,
    Array(Box<Made>),
    Map(Vec<(String, Made)>),
}

struct Maker {
    dice: Dice,
    rules: Vec<&'static str>,
}

impl Maker {
    fn node(&mut self, depth: usize, indent: &str, before: &str) -> Made {
        let mut annotations = String::new();
        let is_nullable = self.dice.roll(3) == 0;
        if is_nullable {
            annotations.push_str(&format!("{indent}#@schema/nullable\n"));
        }
        let (value, kind, mut rules) = match self.dice.roll(if depth > 2 { 6 } else { 9 }) {
            0 | 1 => {
                let rules = self.rules.clone();
                let rule = self.dice.one(&rules).to_owned();
                let default = *STRINGS.get(self.dice.roll(STRINGS.len())).unwrap();
                (format!("{}\n", json!(default)), Kind::String, vec![rule])
            }
            2 => {
                let rule = self.dice.one(INTEGER_RULES).to_owned();
                (format!("{}\n", self.dice.one(INTEGERS)), Kind::Integer, vec![rule])
            }
            3 => {
                let rule = self.dice.one(FLOAT_RULES).to_owned();
                (format!("{}\n", self.dice.one(&["0.5", "3.5", "8.25"])), Kind::Float, vec![rule])
            }
            4 => ("true\n".to_owned(), Kind::Boolean, vec!["one_of=[True]".to_owned()]),
            5 => {
                annotations.push_str(&format!("{indent}#@schema/type any=True\n"));
                ("a\n".to_owned(), Kind::Any, vec!["one_of=[\"a\", 5, True]".to_owned()])
            }
            6 => {
                let item = self.node(depth + 1, indent, "- ");
                let rule = self.dice.one(&["min_len=1", "max_len=1", "len=2", "contains=\"a\""]).to_owned();
                (format!("\n{}", item.text), Kind::Array(Box::new(item)), vec![rule])
            }
            _ => {
                let inside = format!("{indent}  ");
                let mut text = String::from("\n");
                let mut members = Vec::new();
                let mut nullable = Vec::new();
                for index in 0..=self.dice.roll(3) {
                    let name = format!("k{index}");
                    let member = self.node(depth + 1, &inside, &format!("{name}: "));
                    text.push_str(&member.text);
                    if self.dice.roll(4) > 0 {
                        nullable.push(json!(name).to_string());
                    }
                    members.push((name, member));
                }
                let rule = match self.dice.roll(4) {
                    0 if !nullable.is_empty() => format!("one_not_null=[{}]", nullable.join(", ")),
                    1 => "one_not_null=True".to_owned(),
                    2 => "min_len=2".to_owned(),
                    _ => "max_len=9".to_owned(),
                };
                (text, Kind::Map(members), vec![rule])
            }
        };
        if self.dice.roll(3) == 0 {
            rules.clear();
        }
        if is_nullable && self.dice.roll(3) == 0 {
            rules.push("not_null=True".to_owned());
        }
        if !rules.is_empty() {
            annotations.push_str(&format!("{indent}#@schema/validation {}\n", rules.join(", ")));
        }
        let before = match (before, value.starts_with('\n')) {
            // The annotations of an item are above its dash.
            ("- ", true) => "-".to_owned(),
            (before, true) => before.trim_end().to_owned(),
            (before, false) => before.to_owned(),
        };
        let value = match (&kind, before.as_str()) {
            // What is in an array in an array is written further to the right.
            (Kind::Array(_), "-") => value.replace('\n', "\n  ").trim_end_matches("  ").to_owned(),
            _ => value,
        };
        Made { text: format!("{annotations}{indent}{before}{value}"), kind, is_nullable }
    }

    fn value(&mut self, made: &Made) -> Json {
        if self.dice.roll(12) == 0 {
            return Json::Null;
        }
        if self.dice.roll(25) == 0 && !matches!(made.kind, Kind::Any) {
            return [json!("abc"), json!(3), json!(true), json!([]), json!({})][self.dice.roll(5)].clone();
        }
        match &made.kind {
            Kind::String => json!(STRINGS[self.dice.roll(STRINGS.len())]),
            Kind::Integer => serde_json::from_str(self.dice.one(INTEGERS)).unwrap(),
            Kind::Float => serde_json::from_str(self.dice.one(FLOATS)).unwrap(),
            Kind::Boolean => json!(self.dice.roll(3) > 0),
            Kind::Any => [json!("a"), json!(5), json!(true), json!(false)][self.dice.roll(4)].clone(),
            Kind::Array(item) => (0..self.dice.roll(4)).map(|_| self.value(item)).collect(),
            Kind::Map(members) => {
                let mut map = serde_json::Map::new();
                for (name, member) in members {
                    if self.dice.roll(4) > 0 {
                        map.insert(name.clone(), self.value(member));
                    }
                }
                Json::Object(map)
            }
        }
    }

    /// A schema of a map.
    fn schema(&mut self) -> (String, Made) {
        let mut text = String::from("#@ load(\"@ytt:assert\", \"assert\")\n#@data/values-schema\n---\n");
        let mut members = Vec::new();
        for index in 0..=self.dice.roll(3) {
            let name = format!("m{index}");
            let member = self.node(0, "", &format!("{name}: "));
            text.push_str(&member.text);
            members.push((name, member));
        }
        (text, Made { text: String::new(), kind: Kind::Map(members), is_nullable: false })
    }
}

/// Whether null is given where a schema does not allow it, which the server drops, or a list where it declares a string
/// with a format, which the server takes.
fn has_dropped_null(made: &Made, value: &Json) -> bool {
    match (&made.kind, value) {
        (Kind::Any, _) => false,
        (Kind::String, Json::Array(_)) => made.text.contains("format="),
        (_, Json::Null) => !made.is_nullable,
        (Kind::Array(item), Json::Array(values)) => values.iter().any(|value| has_dropped_null(item, value)),
        (Kind::Map(members), Json::Object(map)) => members
            .iter()
            .any(|(name, member)| map.get(name).is_some_and(|value| has_dropped_null(member, value))),
        _ => false,
    }
}

/// Whether there is something where nothing is declared, which the server drops.
fn has_pruned(made: &Made, value: &Json) -> bool {
    match (&made.kind, value) {
        (Kind::Array(item), Json::Array(values)) => values.iter().any(|value| has_pruned(item, value)),
        (Kind::Map(members), Json::Object(map)) => map.iter().any(|(key, value)| {
            members.iter().find(|(name, _)| name == key).is_none_or(|(_, member)| has_pruned(member, value))
        }),
        _ => false,
    }
}

/// Whether there is a list in it, whose items may be too many for rules about their members.
fn has_list(made: &Made) -> bool {
    match &made.kind {
        Kind::Array(_) => true,
        Kind::Map(members) => members.iter().any(|(_, member)| has_list(member)),
        _ => false,
    }
}

const ROUNDS: usize = 400;

#[test]
fn json_schema_has_the_verdict_of_the_rules() {
    let rules = STRING_RULES.iter().chain(MORE_STRING_RULES).copied().collect();
    let mut maker = Maker { dice: Dice(0x9e37_79b9_7f4a_7c15), rules };
    let (mut good, mut bad) = (0, 0);
    for _ in 0..ROUNDS {
        let (text, made) = maker.schema();
        let exported = exported(&text, "json-schema");
        let schema = compiled(&exported);
        for _ in 0..12 {
            let mut values = maker.value(&made);
            if !values.is_object() {
                values = json!({});
            }
            let rules = verdict_of_rules(&text, &values);
            let is_valid = accepts(&schema, &values);
            assert_eq!(rules.is_ok(), is_valid, "{text}\n{values}\n{rules:?}\n{exported:#}");
            if is_valid { good += 1 } else { bad += 1 }
        }
    }
    assert!(good > 300 && bad > 300, "{good} valid, {bad} invalid");
}

#[test]
fn crd_schemas_have_the_verdict_of_the_rules() {
    let rules = STRING_RULES.to_vec();
    let mut maker = Maker { dice: Dice(0x2545_f491_4f6c_dd1d), rules };
    let (mut good, mut bad, mut unions) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let (text, made) = maker.schema();
        let exported = exported(&text, "crd-schema");
        let resource = resource(&exported);
        // Items that an array has to have are not said in CRDs, nor are rules for anything.
        if text.contains("contains=\"a\"") || text.contains("any=True") {
            continue;
        }
        // Nor are rules about members in items of lists without a limit.
        let rules = exported.to_string().matches("exists_one").count();
        if rules != text.matches("one_not_null=").count() {
            assert!(has_list(&made), "{text}\n{exported:#}");
            continue;
        }
        unions += rules;
        for _ in 0..12 {
            let mut values = maker.value(&made);
            if !values.is_object() {
                values = json!({});
            }
            if has_dropped_null(&made, &values) || has_pruned(&made, &values) {
                continue;
            }
            let rules = verdict_of_rules(&text, &values);
            let server = server_accepts(&resource, &values);
            assert_eq!(
                rules.is_ok(),
                server.is_ok(),
                "{text}\n{values}\n{rules:?}\n{server:?}\n{exported:#}"
            );
            if server.is_ok() { good += 1 } else { bad += 1 }
        }
    }
    assert!(good > 100 && bad > 100 && unions > 30, "{good} valid, {bad} invalid, {unions} unions");
}

#[test]
fn crd_schemas_pass_the_check_of_crds() {
    let mut maker = Maker { dice: Dice(0x1234_5678_9abc_def1), rules: STRING_RULES.to_vec() };
    let sandbox = Sandbox::new();
    let mut line = vec!["crd".to_owned(), "check".to_owned()];
    for index in 0..40 {
        let (text, _) = maker.schema();
        let mut crd = crd(&exported(&text, "crd-schema"));
        crd["metadata"]["name"] = json!(format!("things{index}.example.com"));
        crd["spec"]["names"] = json!({
            "kind": format!("Thing{index}"), "listKind": format!("Thing{index}List"),
            "plural": format!("things{index}"), "singular": format!("thing{index}"),
        });
        let name = format!("crd{index}.json");
        sandbox.file(&name, format!("{crd:#}"));
        line.push(name);
    }
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    let ran = sandbox.run(&line);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!ran.stdout.contains("warning") || ran.stdout.contains("0 warnings"), "{ran:?}");
}

#[test]
fn lengths_differ_outside_of_ascii() {
    // ytt counts bytes, JSON Schema counts characters.
    let text = "#@data/values-schema\n---\n#@schema/validation max_len=1\na: \"\"\n";
    let values = json!({"a": "é"});
    assert!(verdict_of_rules(text, &values).is_err());
    assert!(accepts(&compiled(&exported(text, "json-schema")), &values));
}
