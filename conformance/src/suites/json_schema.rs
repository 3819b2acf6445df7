//! The official JSON Schema test suite: the required tests of every draft we know, and the optional tests of
//! formats with format assertion on. Its remotes are served from memory.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;
use trueline_schema::{Access, Formats, Schema, Store};
use trueline_source::{SourceKind, SourceMap};
use trueline_yaml::{Document, Limits};

use crate::Case;

/// The folders of the suite, with the address of their schema of schemas: tests of old drafts do not name it.
const DRAFTS: &[(&str, &str)] = &[
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

pub(crate) fn load_required(folder: &Path) -> Result<Vec<Case>, String> {
    load(folder, "", Formats::Ignore)
}

pub(crate) fn load_formats(folder: &Path) -> Result<Vec<Case>, String> {
    load(folder, "optional/format", Formats::Assert)
}

fn load(folder: &Path, below: &str, formats: Formats) -> Result<Vec<Case>, String> {
    let mut embedded = Vec::new();
    remotes(&folder.join("remotes"), "http://localhost:1234", &mut embedded)?;
    let store = Store::new(Arc::new(SourceMap::new()), Access { embedded, ..Access::default() });
    let mut cases = Vec::new();
    for (draft, address) in DRAFTS {
        let tests = folder.join("tests").join(draft).join(below);
        for path in files(&tests)? {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let groups: Json =
                serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for (number, group) in groups.as_array().into_iter().flatten().enumerate() {
                add(&store, &format!("{draft}/{file}/{number}"), address, group, formats, &mut cases);
            }
        }
    }
    Ok(cases)
}

fn add(store: &Store, id: &str, address: &str, group: &Json, formats: Formats, cases: &mut Vec<Case>) {
    let mut schema = group["schema"].clone();
    if let Json::Object(schema) = &mut schema
        && !schema.contains_key("$schema")
    {
        schema.insert("$schema".to_owned(), Json::String(address.to_owned()));
    }
    let schema = Arc::new(Compiled {
        store: store.clone(),
        text: schema.to_string(),
        formats,
        schema: OnceLock::new(),
    });
    for (number, test) in group["tests"].as_array().into_iter().flatten().enumerate() {
        let schema = Arc::clone(&schema);
        let data = test["data"].to_string();
        let valid = test["valid"].as_bool().unwrap_or_default();
        let words = format!(
            "{}: {}",
            group["description"].as_str().unwrap_or_default(),
            test["description"].as_str().unwrap_or_default()
        );
        cases.push(Case::new(format!("{id}/{number}"), move || {
            let schema = schema.get().map_err(|error| format!("{words}: {error}"))?;
            let document = document(&data)?;
            let violations = schema.validate(document.root());
            if violations.is_empty() == valid {
                Ok(())
            } else {
                Err(format!("{words}: expected valid={valid}"))
            }
        }));
    }
}

/// A schema that is compiled when its first test runs, and once.
struct Compiled {
    store: Store,
    text: String,
    formats: Formats,
    schema: OnceLock<Result<Schema, String>>,
}

impl Compiled {
    fn get(&self) -> Result<&Schema, String> {
        let compiled = self.schema.get_or_init(|| {
            let source = self.store.sources().add("schema.json", SourceKind::Embedded, self.text.as_str());
            self.store.text(source, None, self.formats).map_err(|error| error.to_string())
        });
        compiled.as_ref().map_err(String::clone)
    }
}

fn document(text: &str) -> Result<Document, String> {
    let sources = SourceMap::new();
    let id = sources.add("instance.json", SourceKind::File, text);
    trueline_yaml::json::read(id, sources.get(id).text(), Limits::default())
        .map_err(|error| format!("{error:?}"))
}

fn remotes(folder: &Path, address: &str, found: &mut Vec<(String, Arc<str>)>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let below = format!("{address}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            remotes(&path, &below, found)?;
        } else {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.push((below, text.into()));
        }
    }
    Ok(())
}

/// The JSON files of a folder, not those below it, in order.
fn files(folder: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    Ok(files)
}
