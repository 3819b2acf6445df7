//! Puts a schema and everything it refers to into one file. Every reference becomes one inside that file; names
//! that schemas gave themselves are no longer needed and would only change what the references mean.

use std::collections::VecDeque;

use jsonschema::Draft;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json};
use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_yaml::NodeRef;

use crate::closure::Spot;
use crate::redraft::redraft;
use crate::schema::SchemaText;
use crate::{Instance, Outline};

/// A schema that cannot be put into one file.
pub static NOT_BUNDLED: Code = Code {
    id: "TL0255",
    name: "schema-not-bundled",
    severity: Severity::Error,
    summary: "A schema cannot be bundled with the schemas it refers to",
    explanation: "All schemas of a bundle use one draft. Schemas of other drafts are rewritten, but not everything \
                  can be expressed in every draft: `unevaluatedProperties` does not exist in draft 7, and `format` \
                  is only an annotation from 2019-09 on. A `$dynamicRef` whose name several schemas have depends \
                  on the path that led to it, which is lost in a bundle. Write both schemas in the same draft, or \
                  use `$ref`.",
    wrong: "",
    right: "",
};

/// Characters that must be escaped in the part of an address after `#`.
const IN_FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// How many nodes a bundle may have. A place that is referred to inside another one is copied, so it counts
/// twice.
const MAX_NODES: usize = 2_000_000;

impl Outline {
    /// The schema with everything it refers to, as one schema that gives the same verdicts. The official
    /// meta-schemas stay outside: every validator has them.
    pub fn bundle(&self) -> Result<Json, Vec<Diagnostic>> {
        let Some(root) = self.texts.first() else { return Ok(Json::Bool(true)) };
        let keyword = if self.draft <= Draft::Draft7 { "definitions" } else { "$defs" };
        let node = root.document.document.root();
        let taken = node.get(keyword).and_then(NodeRef::entries).into_iter().flatten();
        let mut bundler = Bundler {
            outline: self,
            keyword,
            names: FxHashMap::default(),
            taken: taken.map(|(name, _)| name.key_text().into_owned()).collect(),
            queue: VecDeque::new(),
            dynamic: dynamic_anchors(&self.texts),
            nodes: 0,
            findings: Vec::new(),
        };
        let mut schema = bundler.schema(0, node, "");
        let mut definitions = Map::new();
        while let Some((name, spot)) = bundler.queue.pop_front() {
            let Some(text) = self.texts.get(spot.part) else { continue };
            let node = text.document.document.node(spot.node());
            definitions.insert(name, bundler.schema(spot.part, node, &spot.pointer));
        }
        if bundler.nodes > MAX_NODES {
            let message = format!("the bundled schema would have more than {MAX_NODES} nodes");
            bundler.refuse(node, &message, "refer to fewer parts of the other schemas");
        }
        if !bundler.findings.is_empty() {
            bundler.findings.sort_by_key(|finding| finding.primary.span);
            return Err(bundler.findings);
        }
        if !definitions.is_empty()
            && let Json::Object(members) = &mut schema
            && let Json::Object(own) = members.entry(keyword).or_insert_with(|| Json::Object(Map::new()))
        {
            own.extend(definitions);
        }
        Ok(schema)
    }
}

/// How many schemas have each `$dynamicAnchor`, and how many have a `$recursiveAnchor` (under the empty name).
fn dynamic_anchors(texts: &[SchemaText]) -> FxHashMap<String, usize> {
    let mut anchors = FxHashMap::default();
    for text in texts {
        for node in text.schemas.keys().map(|id| text.document.document.node(*id)) {
            if let Some(name) = node.get("$dynamicAnchor").and_then(NodeRef::as_str) {
                *anchors.entry(name.to_owned()).or_default() += 1;
            }
            if node.get("$recursiveAnchor").is_some() {
                *anchors.entry(String::new()).or_default() += 1;
            }
        }
    }
    anchors
}

struct Bundler<'o> {
    outline: &'o Outline,
    keyword: &'static str,
    /// The name given to each place that is referred to.
    names: FxHashMap<(usize, String), String>,
    taken: FxHashSet<String>,
    queue: VecDeque<(String, Spot)>,
    dynamic: FxHashMap<String, usize>,
    nodes: usize,
    findings: Vec<Diagnostic>,
}

impl Bundler<'_> {
    /// A node of one of the texts, with its references rewritten.
    fn schema(&mut self, part: usize, node: NodeRef<'_>, pointer: &str) -> Json {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Json::Null;
        }
        if let Some(items) = node.items() {
            let items = items.enumerate();
            return items
                .map(|(index, item)| self.schema(part, item, &format!("{pointer}/{index}")))
                .collect();
        }
        let Some(entries) = node.entries() else { return Instance::from(node).to_json() };
        let draft = self.outline.texts.get(part).and_then(|text| text.schemas.get(&node.id())).copied();
        let is_root = part == 0 && pointer.is_empty();
        let mut members = Map::new();
        for (key, value) in entries {
            let name = key.key_text();
            let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            let Some(draft) = draft else {
                members.insert(name.into_owned(), self.schema(part, value, &below));
                continue;
            };
            match name.as_ref() {
                "$ref" | "$dynamicRef" | "$recursiveRef" if value.as_str().is_some() => {
                    let reference = self.reference(part, &name, value);
                    members.insert("$ref".to_owned(), Json::String(reference));
                }
                // Anything referred to inside them gets its own definition.
                "$defs" | "definitions" if part > 0 => {}
                "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" => {}
                "$schema" if !is_root => {}
                keyword if keyword == draft.id_keyword() && !is_root && value.as_str().is_some() => {}
                _ => _ = members.insert(name.into_owned(), self.schema(part, value, &below)),
            }
        }
        if let Some(draft) = draft
            && let Err(keyword) = redraft(&mut members, draft, self.outline.draft)
        {
            let message = format!(
                "`{keyword}` of this schema ({}) cannot be expressed in {}",
                shown(draft),
                shown(self.outline.draft)
            );
            self.refuse(node, &message, "give both schemas the same `$schema`");
        }
        Json::Object(members)
    }

    fn refuse(&mut self, node: NodeRef<'_>, message: &str, help: &str) {
        let finding = Diagnostic::new(&NOT_BUNDLED, node.span(), message).help(help).level(Level::Schema);
        self.findings.push(finding);
    }

    /// A reference as written in the bundle.
    fn reference(&mut self, part: usize, keyword: &str, value: NodeRef<'_>) -> String {
        let written = value.as_str().unwrap_or_default();
        let Some(lead) = self.outline.leads.get(&(part, value.id())) else { return written.to_owned() };
        let name = match keyword {
            "$dynamicRef" => written.split_once('#').map(|(_, name)| name),
            "$recursiveRef" => Some(""),
            _ => None,
        };
        if name.and_then(|name| self.dynamic.get(name)).is_some_and(|count| *count > 1) {
            let message = format!("the target of `{keyword}` depends on the schema it is reached from");
            self.refuse(value, &message, "use `$ref`, or keep the schemas in separate files");
        }
        if lead.part == 0 {
            return format!("#{}", spelled(&lead.pointer));
        }
        let key = (lead.part, lead.pointer.clone());
        let name = match self.names.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = self.new_name(lead);
                self.names.insert(key, name.clone());
                self.queue.push_back((name.clone(), lead.clone()));
                name
            }
        };
        format!("#/{}/{}", self.keyword, spelled(&name))
    }

    /// A unique name that says what it stands for.
    fn new_name(&mut self, spot: &Spot) -> String {
        let text = self.outline.texts.get(spot.part).map_or("", |text| text.document.name.as_str());
        let stem = stem(text);
        let last = spot.pointer.rsplit('/').next().unwrap_or_default();
        let last = plain(&last.replace("~1", "/").replace("~0", "~"));
        let candidates = match last.is_empty() {
            true => vec![stem.clone()],
            false => vec![last.clone(), format!("{stem}.{last}")],
        };
        let numbered = candidates.last().cloned().unwrap_or_default();
        let free = candidates.into_iter().find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_else(|| {
            let names = (2usize..).map(|number| format!("{numbered}-{number}"));
            // There are endless candidates and finitely many taken names, so this ends.
            names.into_iter().find(|name| !self.taken.contains(name)).unwrap_or(numbered)
        });
        self.taken.insert(name.clone());
        name
    }
}

/// The name of a file without its directory and extensions.
fn stem(name: &str) -> String {
    let file = name.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let endings = [".json", ".yaml", ".yml", ".schema"];
    let file = endings.iter().fold(file, |file, ending| file.strip_suffix(ending).unwrap_or(file));
    let stem = plain(file);
    if stem.is_empty() { "schema".to_owned() } else { stem }
}

/// A name of letters that need no escaping anywhere.
fn plain(name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() || "._-$".contains(letter) { letter } else { '-' };
    name.trim_matches('/').chars().map(letter).collect()
}

fn spelled(pointer: &str) -> String {
    utf8_percent_encode(pointer, IN_FRAGMENT).to_string()
}

fn shown(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "draft 4",
        Draft::Draft6 => "draft 6",
        Draft::Draft7 => "draft 7",
        Draft::Draft201909 => "draft 2019-09",
        _ => "draft 2020-12",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use trueline_source::{MemoryLoader, SourceKind, SourceMap};
    use trueline_yaml::Value;

    use super::*;
    use crate::{Access, Formats, Store};

    const ROOT: &str = "values.schema.json";

    fn store(files: &[(&str, Json)]) -> Store {
        let mut loader = MemoryLoader::new("");
        for (name, text) in files {
            loader = loader.with_file(name, text.to_string().into_bytes());
        }
        let access = Access { package: Some(Arc::new(loader)), ..Access::default() };
        Store::new(Arc::new(SourceMap::new()), access)
    }

    fn bundle(files: &[(&str, Json)]) -> Result<Json, Vec<String>> {
        let store = store(files);
        let text = files.iter().find(|(name, _)| *name == ROOT).unwrap().1.to_string();
        let source = store.sources().add(ROOT, SourceKind::File, text);
        let outline = store.outline_of_file(source, ROOT).unwrap();
        outline.bundle().map_err(|findings| findings.into_iter().map(|finding| finding.message).collect())
    }

    /// The bundled schema judges as the schema with its files does.
    fn check(files: &[(&str, Json)], instances: &[Json]) -> Json {
        let bundled = bundle(files).unwrap();
        assert!(refers_inside(&bundled), "{bundled}");
        let verdicts = |store: &Store| -> Vec<bool> {
            let schema =
                store.file(ROOT, Formats::ByDraft).unwrap_or_else(|error| panic!("{error}\n{bundled}"));
            instances.iter().map(|instance| schema.is_valid(&Value::from_serde(instance))).collect()
        };
        let (before, after) = (verdicts(&store(files)), verdicts(&store(&[(ROOT, bundled.clone())])));
        assert_eq!(before, after, "{bundled}");
        assert!(before.contains(&true) && before.contains(&false), "the instances tell nothing: {before:?}");
        bundled
    }

    fn refers_inside(schema: &Json) -> bool {
        match schema {
            Json::Object(members) => members.iter().all(|(key, value)| {
                let is_inside = value.as_str().is_none_or(|reference| reference.starts_with('#'));
                (key != "$ref" || is_inside) && refers_inside(value)
            }),
            Json::Array(items) => items.iter().all(refers_inside),
            _ => true,
        }
    }

    #[test]
    fn files_become_definitions() {
        let files = [
            (
                ROOT,
                json!({"properties": {
                    "port": {"$ref": "schemas/net.json#/$defs/port"},
                    "other": {"$ref": "schemas/net.json#/$defs/port"},
                    "name": {"$ref": "schemas/name.json"},
                    "own": {"$ref": "#/$defs/port"},
                }, "$defs": {"port": {"type": "string"}}}),
            ),
            ("schemas/net.json", json!({"$defs": {"port": {"$ref": "#/$defs/low"}, "low": {"maximum": 10}}})),
            ("schemas/name.json", json!({"type": "string", "$defs": {"unused": {"type": "null"}}})),
        ];
        let instances = [
            json!({"port": 5, "name": "x", "own": "y"}),
            json!({"port": 50}),
            json!({"other": 50}),
            json!({"name": 1}),
            json!({"own": 1}),
        ];
        let bundled = check(&files, &instances);
        assert_eq!(
            bundled["$defs"],
            json!({
                "port": {"type": "string"},
                "net.port": {"$ref": "#/$defs/low"},
                "name": {"type": "string"},
                "low": {"maximum": 10},
            })
        );
    }

    #[test]
    fn names_collide_and_stay_apart() {
        let files = [
            (
                ROOT,
                json!({"allOf": [{"$ref": "a/x.json#/a~1b"}, {"$ref": "b/x.json#/a~1b"}, {"$ref": "c/x.json#/a~1b"}]}),
            ),
            ("a/x.json", json!({"a/b": {"minimum": 1}})),
            ("b/x.json", json!({"a/b": {"maximum": 5}})),
            ("c/x.json", json!({"a/b": {"multipleOf": 2}})),
        ];
        let bundled = check(&files, &[json!(2), json!(0), json!(6), json!(3)]);
        let names: Vec<_> = bundled["$defs"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["a-b", "x.a-b", "x.a-b-2"]);
    }

    #[test]
    fn recursive_schemas_stay_valid() {
        let files = [
            (ROOT, json!({"properties": {"tree": {"$ref": "tree.json"}, "self": {"$ref": "#"}}})),
            (
                "tree.json",
                json!({"type": "object", "properties": {"left": {"$ref": "#"}, "back": {"$ref": "values.schema.json"}}}),
            ),
        ];
        let instances = [
            json!({"tree": {"left": {"left": {}}}}),
            json!({"tree": {"left": {"left": 1}}}),
            json!({"tree": {"back": {"tree": 1}}}),
            json!({"self": {"self": {"tree": 1}}}),
        ];
        check(&files, &instances);
    }

    #[test]
    fn names_of_schemas_are_no_longer_needed() {
        let files = [
            (
                ROOT,
                json!({
                    "$id": "https://example.com/root.json",
                    "properties": {
                        "a": {"$ref": "#number"},
                        "b": {"$ref": "inner.json#text"},
                        "c": {"$ref": "schemas/c.json#text"},
                    },
                    "$defs": {
                        "n": {"$anchor": "number", "type": "number"},
                        "inner": {
                            "$id": "inner.json",
                            "$defs": {"t": {"$anchor": "text", "type": "string"}},
                            "properties": {"x": {"$ref": "#text"}},
                        },
                    },
                }),
            ),
            (
                "schemas/c.json",
                json!({"$id": "https://example.com/c.json", "$defs": {"t": {"$anchor": "text", "$ref": "#/$defs/u"}, "u": {"type": "boolean"}}}),
            ),
        ];
        let instances =
            [json!({"a": 1, "b": "x", "c": true}), json!({"a": "x"}), json!({"b": 1}), json!({"c": 1})];
        let bundled = check(&files, &instances).to_string();
        assert!(!bundled.contains("$anchor") && bundled.matches("$id").count() == 1, "{bundled}");
    }

    #[test]
    fn other_drafts_are_rewritten_or_refused() {
        let files = |inner: Json| {
            [
                (
                    ROOT,
                    json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "new.json"}}}),
                ),
                ("new.json", inner),
            ]
        };
        let new = "https://json-schema.org/draft/2020-12/schema";
        let tuple = json!({"$schema": new, "prefixItems": [{"type": "string"}], "items": {"type": "null"}});
        let instances = [json!({"a": ["x", null]}), json!({"a": [1]}), json!({"a": ["x", 1]})];
        let bundled = check(&files(tuple), &instances);
        assert_eq!(
            bundled["definitions"]["new"],
            json!({"items": [{"type": "string"}], "additionalItems": {"type": "null"}})
        );
        let strict = json!({"$schema": new, "unevaluatedProperties": false});
        assert_eq!(
            bundle(&files(strict)),
            Err(vec![
                "`unevaluatedProperties` of this schema (draft 2020-12) cannot be expressed in draft 7"
                    .to_owned()
            ])
        );
    }

    #[test]
    fn references_that_depend_on_the_path_are_refused() {
        let one = json!({"$dynamicAnchor": "node", "properties": {"next": {"$dynamicRef": "#node"}, "v": {"type": "string"}}});
        let instances = [json!({"next": {"v": "x"}}), json!({"next": {"v": 1}})];
        check(&[(ROOT, one.clone())], &instances);
        let two = json!({"$dynamicAnchor": "node", "$ref": "one.json"});
        let why = vec!["the target of `$dynamicRef` depends on the schema it is reached from".to_owned()];
        assert_eq!(bundle(&[(ROOT, two), ("one.json", one)]), Err(why));
    }

    #[test]
    fn a_prefix_is_resolved() {
        let files = [
            (
                ROOT,
                json!({"properties": {"r": {"$ref": "defs/a.json#/x"}, "u": {"$ref": "https://example.com/s/b.json"}}}),
            ),
            ("schema-dependencies.json", json!({"defs": "schemas/", "https://example.com/s/": "schemas/"})),
            ("schemas/a.json", json!({"x": {"type": "string"}})),
            ("schemas/b.json", json!({"type": "object"})),
        ];
        let bundled = check(&files, &[json!({"r": "x", "u": {}}), json!({"r": 1}), json!({"u": 1})]);
        assert_eq!(bundled["$defs"], json!({"x": {"type": "string"}, "b": {"type": "object"}}));
    }
}
