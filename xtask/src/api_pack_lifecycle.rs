//! What the Go module `k8s.io/api` says about kinds that are deprecated: since when, until when, and what comes
//! in their place. It stands in files of one form, most of them generated, which are read line by line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The end of a kind in one version of its group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lifecycle {
    /// The minor version since which it is deprecated.
    pub(crate) deprecated: u64,
    /// The minor version that no longer serves it; zero if none is named.
    pub(crate) removed: u64,
    /// Group, version and kind to be used in its place.
    pub(crate) replacement: Option<(String, String, String)>,
}

const FILES: &[&str] = &["zz_generated.prerelease-lifecycle.go", "lifecycle.go"];

/// Reads all groups of a module.
pub(crate) fn read(module: &Path) -> Result<BTreeMap<(String, String, String), Lifecycle>, String> {
    let mut found = BTreeMap::new();
    for group in folders(module)? {
        for version in folders(&group)? {
            let texts = FILES.iter().filter_map(|file| fs::read_to_string(version.join(file)).ok());
            let text: String = texts.collect();
            if text.is_empty() {
                continue;
            }
            let register = fs::read_to_string(version.join("register.go")).unwrap_or_default();
            let Some(group_name) = quoted_behind(&register, "GroupName = ") else {
                return Err(format!("{}: no name of the group", version.display()));
            };
            let version_name = version.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for (kind, lifecycle) in parse(&text) {
                if lifecycle.deprecated > 0 && !kind.ends_with("List") {
                    found.insert((group_name.clone(), version_name.clone(), kind), lifecycle);
                }
            }
        }
    }
    if found.is_empty() {
        Err(format!("{}: neither an API nor lifecycles", module.display()))
    } else {
        Ok(found)
    }
}

fn folders(path: &Path) -> Result<Vec<std::path::PathBuf>, String> {
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut found: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    Ok(found)
}

fn quoted_behind(text: &str, marker: &str) -> Option<String> {
    let rest = text.split_once(marker)?.1.split_once('"')?.1;
    Some(rest.split_once('"')?.0.to_owned())
}

fn parse(text: &str) -> BTreeMap<String, Lifecycle> {
    let mut found: BTreeMap<String, Lifecycle> = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("func (in *") else { continue };
        let Some((kind, method)) = rest.split_once(") ") else { continue };
        let answer = lines.next().unwrap_or_default().trim().trim_start_matches("return ");
        let lifecycle = found.entry(kind.to_owned()).or_default();
        let minor = || answer.split(", ").nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default();
        if method.starts_with("APILifecycleDeprecated") {
            lifecycle.deprecated = minor();
        } else if method.starts_with("APILifecycleRemoved") {
            lifecycle.removed = minor();
        } else if method.starts_with("APILifecycleReplacement") {
            let part = |name: &str| quoted_behind(answer, name).unwrap_or_default();
            lifecycle.replacement = Some((part("Group: "), part("Version: "), part("Kind: ")));
        }
    }
    found
}
