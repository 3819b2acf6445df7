//! Kustomize's own files: no cluster reads them, and what they name as patches and the like is no whole object.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_source::Loader;
use trueline_yaml::{Data, Value};

use crate::kinds::InputKind;
use crate::walk::{Candidate, join};

/// What kustomize looks for in a directory.
pub(crate) const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Says of the candidates that are no whole objects what they are, as the kustomizations in the given directories
/// have it.
pub(crate) fn mark(loader: &Arc<dyn Loader>, directories: &BTreeSet<String>, candidates: &mut [Candidate]) {
    let (mut own, mut parts) = (BTreeSet::new(), BTreeSet::new());
    for directory in directories {
        for path in NAMES.iter().map(|name| join(directory, name)) {
            let Some(text) = loader.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
                continue;
            };
            let value = trueline_yaml::yaml_to_value(&text);
            let named = match &value {
                Ok(kustomization) if is_kustomization(kustomization) => named(kustomization),
                Ok(_) => continue,
                Err(_) if is_of_another_tool(&text) => continue,
                Err(_) => named_in_text(&text),
            };
            parts.extend(named.iter().filter_map(|name| resolve(directory, name)));
            own.insert(path);
        }
    }
    for candidate in candidates.iter_mut().filter(|candidate| candidate.kind.is_none()) {
        if own.contains(&*candidate.path) {
            candidate.kind = Some(InputKind::Kustomization);
        } else if parts.contains(&*candidate.path) {
            candidate.kind = Some(InputKind::Patch);
        }
    }
}

/// Whether a file that is called like one is a kustomization.
fn is_kustomization(value: &Value) -> bool {
    match value.get("apiVersion").map(Value::as_str) {
        None => matches!(value.data, Data::Map(_)),
        Some(api_version) => api_version.is_some_and(|text| text.starts_with(GROUP)),
    }
}

/// Whether a file that is called like a kustomization, and cannot be read, says that it is something else.
fn is_of_another_tool(text: &str) -> bool {
    let api_version = text.lines().find_map(|line| line.strip_prefix("apiVersion:"));
    api_version.is_some_and(|typed| !typed.trim_start_matches([' ', '"', '\'']).starts_with(GROUP))
}

/// The group of kustomize's own files.
const GROUP: &str = "kustomize.config.k8s.io/";

/// The fields whose files are whole objects.
const WHOLE: [&str; 4] = ["resources", "bases", "components", "crds"];

/// What a kustomization names as something else than whole objects: patches, replacements, files of generators and so
/// on. Whatever the field is called, and however wrong its form, what it names is not taken for an object.
fn named(kustomization: &Value) -> Vec<&str> {
    let mut named = Vec::new();
    if let Data::Map(fields) = &kustomization.data {
        for (_, entry) in fields.iter().filter(|(field, _)| !WHOLE.contains(&&***field)) {
            texts(&entry.value, &mut named);
        }
    }
    named
}

/// All texts in a value.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match &value.data {
        // A file can be given a key: `settings.yaml=prod.yaml`.
        Data::String(text) => found.push(text.rsplit('=').next().unwrap_or(text)),
        Data::List(items) => items.iter().for_each(|item| texts(item, found)),
        Data::Map(fields) => fields.iter().for_each(|(_, entry)| texts(&entry.value, found)),
        _ => {}
    }
}

/// The same for a file that cannot be read as YAML: the words below each field.
fn named_in_text(text: &str) -> Vec<&str> {
    let mut is_whole = false;
    let mut named = Vec::new();
    for line in text.lines() {
        let is_field = line.starts_with(|first: char| first.is_alphabetic());
        let words = match line.split_once(':') {
            Some((field, rest)) if is_field => {
                is_whole = WHOLE.contains(&field.trim_end());
                rest
            }
            _ => line,
        };
        if !is_whole {
            let is_between = |character: char| character.is_whitespace() || "[]{},\"'=".contains(character);
            named.extend(words.split(is_between).filter(|word| word.contains('.')));
        }
    }
    named
}

/// A path seen from a directory, as the loader has it; nothing if it leads out of what the loader reads, or if it is
/// no path but a patch itself.
fn resolve(directory: &str, name: &str) -> Option<String> {
    if name.contains('\n') || name.contains("://") || name.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::{YttFolders, walk};
    use trueline_source::MemoryLoader;

    const OVERLAY: &str = "resources: [../base]\npatches:\n- path: replicas.yaml\n- path: ../shared/limits.yaml\n- patch: |-\n    a: 1\n\
                           patchesStrategicMerge:\n- image.yaml\n- |-\n  kind: Deployment\npatchesJson6902:\n- path: ops.yaml\n\
                           configMapGenerator:\n- files: [settings.yaml=prod.yaml]\ncomponents: [../component]\n";

    fn kinds(path: &str) -> Vec<String> {
        let head = "apiVersion: apps/v1\nkind: Deployment\n";
        let mut loader = MemoryLoader::new("").with_file("overlay/kustomization.yaml", OVERLAY).with_file(
            "flux/kustomization.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\npatches: [{path: apps.yaml}]\n",
        );
        for name in ["replicas", "image", "ops", "prod", "whole"]
            .map(|name| format!("overlay/{name}.yaml"))
            .iter()
            .chain(&["base/deployment.yaml", "shared/limits.yaml", "flux/apps.yaml"].map(str::to_owned))
        {
            loader = loader.with_file(name, head);
        }
        let loader: Arc<dyn Loader> = Arc::new(loader);
        let candidates = walk(&loader, path, YttFolders::Units).candidates.into_iter();
        let marked = candidates.filter_map(|found| Some(format!("{} {}", found.path, found.kind?)));
        marked.collect()
    }

    #[test]
    fn what_a_kustomization_names_as_a_part_is_no_whole_object() {
        let parts = ["image", "ops", "prod", "replicas"].map(|name| format!("overlay/{name}.yaml patch"));
        let mut expected = parts.to_vec();
        expected.insert(1, "overlay/kustomization.yaml kustomization".to_owned());
        assert_eq!(kinds("overlay"), expected);
        expected.push("shared/limits.yaml patch".to_owned());
        assert_eq!(kinds(""), expected);
    }

    #[test]
    fn parts_of_what_cannot_be_read_are_known_too() {
        let marked = |text: &str| {
            let head = "apiVersion: apps/v1\nkind: Deployment\n";
            let mut loader = MemoryLoader::new("").with_file("o/kustomization.yaml", text);
            for name in ["o/patch.yaml", "o/pod.yaml", "base/all.yaml"] {
                loader = loader.with_file(name, head);
            }
            let loader: Arc<dyn Loader> = Arc::new(loader);
            let candidates = walk(&loader, "", YttFolders::Units).candidates.into_iter();
            candidates
                .filter(|found| found.kind == Some(InputKind::Patch))
                .map(|found| String::from(found.path))
                .collect::<Vec<_>>()
        };
        for text in [
            "resources: [pod.yaml]\npatches: [{path: patch.yaml}\n",
            "resources:\n- pod.yaml\n - ../base/all.yaml\npatches:\n  - path: ./patch.yaml\n   target: {}\n",
            "patches:\n\t- path: 'patch.yaml'\nresources:\n\t- pod.yaml\n",
            // What can be read, but is of another form than it should be.
            "resources: [pod.yaml]\npatches: {path: patch.yaml}\n",
            "resources: [pod.yaml]\npatch: patch.yaml\n",
        ] {
            assert_eq!(marked(text), ["o/patch.yaml"], "{text}");
        }
        let other = "apiVersion: kustomize.toolkit.fluxcd.io/v1\npatches: [{path: patch.yaml}\n";
        assert_eq!(marked(other), [""; 0]);
    }

    #[test]
    fn a_patch_that_is_named_is_one_too() {
        assert_eq!(kinds("overlay/image.yaml"), ["overlay/image.yaml patch"]);
        assert_eq!(kinds("overlay/whole.yaml"), [""; 0]);
    }

    #[test]
    fn paths_are_seen_from_their_directory() {
        for (directory, name, expected) in [
            ("a/b", "c.yaml", Some("a/b/c.yaml")),
            ("a/b", "./../c.yaml", Some("a/c.yaml")),
            ("", "../c.yaml", None),
            ("a", "/etc/passwd", None),
            ("a", "kind: Pod\n", None),
            ("a", "https://example.com/p.yaml", None),
        ] {
            assert_eq!(resolve(directory, name).as_deref(), expected, "{directory} {name}");
        }
    }
}
