//! Real extension manifests and altered ones: the real pass all three levels, the altered ones get the real
//! schema's verdict.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use trueline_diagnostic::Severity;
use trueline_extension::{Context, Registry, SchemaKind, SchemaSet};
use trueline_source::{MemoryLoader, SourceKind, SourceMap};
use trueline_yaml::ReadOptions;

use crate::Case;

struct Shared {
    sources: Arc<SourceMap>,
    schemas: SchemaSet,
    registry: Registry,
}

impl Shared {
    fn new(folder: &Path) -> Result<Arc<Self>, String> {
        let sources = Arc::new(SourceMap::new());
        let registry = read(&folder.join("registry.yaml"))?;
        let loader = MemoryLoader::new("").with_file("registry.yaml", registry);
        Ok(Arc::new(Shared {
            schemas: SchemaSet::embedded(Arc::clone(&sources)),
            registry: Registry::load(&loader, "registry.yaml", &sources)
                .map_err(|error| error.to_string())?,
            sources,
        }))
    }
}

/// Every manifest as published, with its files and the registry: no error on any level.
pub(crate) fn load_real(folder: &Path) -> Result<Vec<Case>, String> {
    let shared = Shared::new(folder)?;
    let mut cases = Vec::new();
    for line in read(&folder.join("real_index.jsonl"))?.lines() {
        let case: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = case["name"].as_str().unwrap_or_default().to_owned();
        let package = files(&folder.join("real").join(&name), "", MemoryLoader::new(name.as_str()))?;
        let text = read(&folder.join("real").join(&name).join("extension.yaml"))?;
        let shared = Arc::clone(&shared);
        cases.push(Case::new(name, move || {
            let source = shared.sources.add("extension.yaml", SourceKind::File, text.as_str());
            let context = Context::new(&shared.sources, &shared.schemas)
                .with_registry(Some(&shared.registry))
                .with_package(Arc::new(package.clone()));
            let errors: Vec<String> = trueline_extension::check(source, &context)
                .into_iter()
                .filter(|finding| finding.severity == Severity::Error)
                .map(|finding| format!("{} {}", finding.code, finding.message))
                .collect();
            if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
        }));
    }
    Ok(cases)
}

/// Every altered manifest: the same places and keywords as the real schema, `format` aside.
pub(crate) fn load_altered(folder: &Path) -> Result<Vec<Case>, String> {
    let shared = Shared::new(folder)?;
    let mut cases = Vec::new();
    for line in read(&folder.join("mutations.jsonl"))?.lines() {
        let case: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let id = case["id"].as_str().unwrap_or_default().to_owned();
        let shared = Arc::clone(&shared);
        cases.push(Case::new(id, move || altered(&shared, &case)));
    }
    Ok(cases)
}

fn altered(shared: &Shared, case: &Json) -> Result<(), String> {
    let text = case["yaml"].as_str().unwrap_or_default();
    let source = shared.sources.add("extension.yaml", SourceKind::File, text);
    let stream = trueline_yaml::read(source, shared.sources.get(source).text(), &ReadOptions::default());
    let document = stream.documents.first().ok_or("no document could be read")?;
    let schema = shared.schemas.schema(SchemaKind::Extension).map_err(|findings| format!("{findings:?}"))?;
    let found: BTreeSet<(String, String)> = schema
        .validate(document.root())
        .into_iter()
        .map(|violation| (violation.instance_path, violation.keyword))
        .filter(|(_, keyword)| keyword != "format")
        .collect();
    let expected: BTreeSet<(String, String)> = case["schema_errors"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|error| {
            let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
            (text("path"), text("keyword"))
        })
        .collect();
    if found == expected { Ok(()) } else { Err(format!("{found:?} in place of {expected:?}")) }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files of a package with their run bits.
fn files(folder: &Path, below: &str, mut loader: MemoryLoader) -> Result<MemoryLoader, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let name = format!("{below}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            loader = files(&path, &format!("{name}/"), loader)?;
        } else {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            loader = if executable(&path) {
                loader.with_executable(&name, bytes)
            } else {
                loader.with_file(&name, bytes)
            };
        }
    }
    Ok(loader)
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// Run bits are not kept elsewhere; the names say it.
#[cfg(not(unix))]
fn executable(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sh")
}
