//! Kustomize's own files: no cluster reads them, and what they name as patches and the like is no whole object.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_source::Loader;
use trueline_yaml::{Data, Value};

use crate::kind::Kind;
use crate::walk::{Candidate, join};

/// What kustomize looks for in a directory.
pub(crate) const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Says of the candidates that are no whole objects what they are, as the kustomizations in the given directories
/// have it.
pub(crate) fn mark(loader: &Arc<dyn Loader>, directories: &BTreeSet<String>, candidates: &mut [Candidate]) {
    let (mut own, mut parts) = (BTreeSet::new(), BTreeSet::new());
    for directory in directories {
        for path in NAMES.iter().map(|name| join(directory, name)) {
            let Some(kustomization) = read(loader, &path) else { continue };
            let named = named(&kustomization);
            parts.extend(named.iter().filter_map(|name| resolve(directory, name)));
            own.insert(path);
        }
    }
    for candidate in candidates.iter_mut().filter(|candidate| candidate.kind.is_none()) {
        if own.contains(&candidate.path) {
            candidate.kind = Some(Kind::Kustomization);
        } else if parts.contains(&candidate.path) {
            candidate.kind = Some(Kind::Patch);
        }
    }
}

/// A kustomization; nothing if the file is something else, or cannot be read.
fn read(loader: &Arc<dyn Loader>, path: &str) -> Option<Value> {
    let text = String::from_utf8(loader.read(path).ok()?).ok()?;
    let value = trueline_yaml::yaml_to_value(&text).ok()?;
    let is_kustomization = match value.get("apiVersion").map(Value::as_str) {
        None => matches!(value.data, Data::Map(_)),
        Some(api_version) => api_version.is_some_and(|text| text.starts_with("kustomize.config.k8s.io/")),
    };
    is_kustomization.then_some(value)
}

/// The files that a kustomization names as something else than whole objects.
fn named(kustomization: &Value) -> Vec<&str> {
    let items = |field: &str| match kustomization.get(field).map(|value| &value.data) {
        Some(Data::List(items)) => items.as_slice(),
        _ => &[],
    };
    let mut named: Vec<&str> = Vec::new();
    for field in ["patches", "patchesJson6902", "replacements"] {
        named.extend(items(field).iter().filter_map(|item| item.get("path")?.as_str()));
    }
    for field in
        ["patches", "patchesStrategicMerge", "configurations", "transformers", "generators", "validators"]
    {
        named.extend(items(field).iter().filter_map(Value::as_str));
    }
    for field in ["configMapGenerator", "secretGenerator"] {
        for generator in items(field) {
            for field in ["files", "envs"] {
                let Some(Data::List(files)) = generator.get(field).map(|value| &value.data) else { continue };
                // A file can be given a key: `settings.yaml=prod.yaml`.
                let files = files.iter().filter_map(Value::as_str);
                named.extend(files.map(|file| file.rsplit('=').next().unwrap_or(file)));
            }
        }
    }
    for chart in items("helmCharts") {
        named.extend(chart.get("valuesFile").and_then(Value::as_str));
        if let Some(Data::List(files)) = chart.get("additionalValuesFiles").map(|value| &value.data) {
            named.extend(files.iter().filter_map(Value::as_str));
        }
    }
    named.extend(kustomization.get("openapi").and_then(|value| value.get("path")).and_then(Value::as_str));
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
    use crate::walk::walk;
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
        let candidates = walk(&loader, path).candidates.into_iter();
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
