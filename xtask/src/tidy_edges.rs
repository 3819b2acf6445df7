//! What each module of `cli` may use of the other crates. Checking, discovery and rendering are asked of `analysis`, and
//! what is found is written by `report`; only the families of commands that take another program's command line use the
//! crate of that program. A module that needs more belongs somewhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::tidy_layers::{code, tree_heads};

/// The modules of `cli`, each a file, with what they may use: a whole crate, or the item that begins paths into a crate.
/// A module that is not listed may use none. The lists only shrink: what is not used any more is a problem.
const ALLOWED: &[(&str, &[&str])] = &[
    ("cache", &["source"]),
    ("certificates", &["source"]),
    ("chart_flags", &["analysis", "helm::chart", "helm::engine", "helm::values"]),
    ("checking", &["analysis", "diagnostic", "report", "source"]),
    ("command", &["report"]),
    ("command/cel", &["analysis"]),
    ("command/cel/answer", &["analysis", "report"]),
    ("command/cel/lines", &["analysis"]),
    ("command/check", &["analysis"]),
    ("command/crd", &["analysis"]),
    ("command/crd/check", &["analysis"]),
    ("command/crd/conditions", &["analysis", "report"]),
    ("command/crd/diff", &["analysis", "source"]),
    ("command/crd/objects", &["analysis"]),
    ("command/crd/publish", &["analysis"]),
    ("command/explain", &["analysis", "diagnostic"]),
    ("command/explain_value", &["analysis", "report", "source"]),
    ("command/extension/check", &["analysis"]),
    ("command/extension/schema", &["extension::schemas", "report"]),
    ("command/man", &["source"]),
    ("disk", &["source"]),
    ("failure", &["analysis", "source"]),
    ("flags", &["analysis", "report"]),
    ("helm", &["helm::chart", "helm::engine", "helm::log", "helm::quote"]),
    ("helm/command", &["helm::chart"]),
    ("helm/create", &["helm::chart", "helm::create", "helm::quote", "source"]),
    ("helm/dependency", &["helm::chart"]),
    (
        "helm/dependency/list",
        &[
            "diagnostic",
            "helm::chart",
            "helm::path_match",
            "helm::quote",
            "helm::repository",
            "source",
            "yaml::Data",
        ],
    ),
    (
        "helm/dependency/manager",
        &[
            "diagnostic",
            "helm::chart",
            "helm::log",
            "helm::Refusal",
            "helm::RefusalKind",
            "helm::quote",
            "helm::repository",
            "source",
        ],
    ),
    (
        "helm/dependency/store",
        &["diagnostic", "helm::chart", "helm::package", "helm::quote", "helm::repository", "source"],
    ),
    ("helm/dice", &["helm::Environment", "helm::Seeded", "source"]),
    ("helm/env", &["helm::chart"]),
    ("helm/lint", &["helm::chart", "helm::engine", "helm::lint", "helm::schema", "source", "yaml::Value"]),
    ("helm/loading", &["helm::chart", "source"]),
    ("helm/location", &["diagnostic", "helm::chart", "helm::log", "helm::quote", "source"]),
    ("helm/package", &["helm::chart", "helm::package", "helm::quote", "source"]),
    (
        "helm/post_render",
        &[
            "helm::chart",
            "helm::expand_variables",
            "helm::log",
            "helm::quote",
            "helm::release",
            "source",
            "yaml::Document",
            "yaml::NodeRef",
            "yaml::ReadOptions",
            "yaml::read",
        ],
    ),
    ("helm/pull", &["diagnostic", "helm::chart", "source"]),
    ("helm/release_name", &["helm::quote"]),
    ("helm/remote", &["helm::chart", "helm::log", "helm::repository", "source"]),
    ("helm/remote/access", &["helm::quote", "helm::repository", "source"]),
    ("helm/remote/cache", &["helm::repository", "source"]),
    ("helm/remote/credentials", &["helm::repository", "source"]),
    ("helm/remote/download", &["diagnostic", "helm::quote", "helm::repository"]),
    ("helm/remote/fetch", &["diagnostic", "helm::quote", "helm::repository", "source"]),
    ("helm/remote/indexes", &["diagnostic", "helm::quote", "helm::repository", "source"]),
    (
        "helm/remote/registry",
        &["helm::RefusalKind", "helm::chart", "helm::quote", "helm::repository", "source"],
    ),
    ("helm/repo", &["diagnostic", "helm::chart", "helm::quote", "helm::repository", "source", "yaml::Value"]),
    (
        "helm/schema",
        &[
            "analysis",
            "diagnostic",
            "helm::chart",
            "helm::quote",
            "helm::schema",
            "helm::values_schema",
            "report",
            "source",
        ],
    ),
    ("helm/search", &["helm::chart", "helm::log", "helm::quote", "helm::repository", "yaml::Value"]),
    (
        "helm/settings",
        &[
            "helm::chart",
            "helm::log",
            "helm::quote",
            "source",
            "yaml::Document",
            "yaml::ReadOptions",
            "yaml::read",
        ],
    ),
    ("helm/show", &["helm::chart", "helm::json_path", "helm::log", "helm::quote", "helm::show", "source"]),
    (
        "helm/signature",
        &[
            "helm::chart",
            "helm::quote",
            "helm::repository",
            "yaml::Dialect",
            "yaml::Value",
            "yaml::write",
            "yaml::yaml_to_value",
        ],
    ),
    ("helm/signature/openpgp", &["helm::quote"]),
    ("helm/table", &["report", "yaml::Dialect", "yaml::Value", "yaml::json", "yaml::write"]),
    (
        "helm/template",
        &[
            "helm::Limits",
            "helm::Origins",
            "helm::chart",
            "helm::dependencies",
            "helm::engine",
            "helm::log",
            "helm::quote",
            "helm::release",
            "helm::schema",
            "helm::values",
            "source",
            "yaml::Value",
        ],
    ),
    ("helm/values", &["helm::values", "source"]),
    ("helm/verify", &["helm::chart"]),
    ("helm/version", &["helm::chart", "helm::engine"]),
    ("http", &["diagnostic", "source"]),
    ("kube_flags", &["analysis"]),
    ("lib", &["kubeconform::run"]),
    ("machine", &["source"]),
    ("output", &["source"]),
    ("pflag/fault", &["helm::quote"]),
    ("pflag/value", &["gostd::time"]),
    ("printer", &["analysis", "diagnostic", "report"]),
    ("process", &["source"]),
    ("progress", &["analysis", "source"]),
    ("terminal", &["report"]),
    ("transport", &["source"]),
    ("world", &["diagnostic", "gostd::system", "kubeconform::Surroundings", "report", "source"]),
    ("writing", &["source"]),
    (
        "ytt",
        &[
            "helm::engine",
            "source",
            "ytt::VERSION",
            "ytt::files",
            "ytt::fmt",
            "ytt::input",
            "ytt::input_error",
            "ytt::library",
            "ytt::reflow",
            "ytt::run",
            "ytt::template",
            "ytt::tree",
            "ytt::values",
        ],
    ),
    ("ytt/bulk", &["gostd::json", "yaml::json", "ytt::files"]),
    ("ytt/output", &["source", "ytt::error", "ytt::files", "ytt::run"]),
    ("ytt/schema", &["source", "yaml::ReadOptions", "yaml::read", "ytt::schema"]),
    ("ytt_flags", &["analysis"]),
];

/// All uses of other crates in `cli` against the list, and what is not needed in the list.
pub(crate) fn check(root: &Path, problems: &mut Vec<String>) {
    let source = root.join("crates/cli/src");
    let mut uses = BTreeMap::new();
    for file in files(&source) {
        let Ok(text) = fs::read_to_string(source.join(&file)) else { continue };
        uses.insert(module(&file), used(&code(&text)));
    }
    compare(ALLOWED, &uses, problems);
}

/// Compares what modules use with what they may use.
fn compare(
    allowed: &[(&str, &[&str])],
    uses: &BTreeMap<String, BTreeSet<String>>,
    problems: &mut Vec<String>,
) {
    let mut needed = BTreeSet::new();
    for (module, items) in uses {
        let entry = allowed.iter().find(|(name, _)| name == module);
        for item in items {
            let found = entry.and_then(|(name, list)| {
                let crate_name = item.split("::").next().unwrap_or_default();
                let allowed = list.iter().find(|allowed| **allowed == item || **allowed == crate_name)?;
                Some((*name, *allowed))
            });
            match found {
                Some(found) => _ = needed.insert(found),
                None => problems.push(format!(
                    "crates/cli: `{module}` may not use `{item}`: ask `analysis` for it, or add it to the list in xtask/src/tidy_edges.rs"
                )),
            }
        }
    }
    for (name, list) in allowed {
        for item in list.iter().filter(|item| !needed.contains(&(*name, **item))) {
            problems.push(format!(
                "crates/cli: `{name}` does not use `{item}`; remove it from xtask/src/tidy_edges.rs"
            ));
        }
    }
}

/// The name of the module that a file holds.
fn module(file: &str) -> String {
    let name = file.strip_suffix(".rs").unwrap_or(file);
    name.strip_suffix("/mod").unwrap_or(name).to_owned()
}

/// What code uses of our other crates: `crate::item`, and the crate alone where it is used as a whole.
fn used(code: &str) -> BTreeSet<String> {
    const OURS: &str = "trueline_";
    let mut used = BTreeSet::new();
    for (start, _) in code.match_indices(OURS) {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        if code[..start].ends_with(is_word) {
            continue;
        }
        let rest = &code[start + OURS.len()..];
        let name: String = rest.chars().take_while(|character| is_word(*character)).collect();
        let crate_name = name.replace('_', "-");
        // The crate itself, which its binary calls.
        if crate_name == "cli" {
            continue;
        }
        match rest[name.len()..].strip_prefix("::") {
            Some(tree) => {
                let mut heads = Vec::new();
                tree_heads(tree, &mut heads);
                used.extend(heads.into_iter().map(|head| format!("{crate_name}::{head}")));
            }
            None => _ = used.insert(crate_name),
        }
    }
    used
}

/// The Rust files below a folder, without those of tests.
fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&below)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            match entry.path().is_dir() {
                true => open.push(path),
                false if name.ends_with(".rs") && name != "tests.rs" => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_read_from_code() {
        let text = "use trueline_helm::{chart::{self, X}, quote};\nuse trueline_source::Network;\n\
                    fn f(x: trueline_kube_crd::Y) -> u8 { trueline_helm::quote(x) }\n// trueline_no::x\n\
                    let x = \"trueline_no::x\";\nuse trueline_yaml as yaml;\ntrueline_cli::run();\n\
                    #[cfg(test)]\nmod tests {\nuse trueline_no::x;\n}\n";
        let found: Vec<String> = used(&code(text)).into_iter().collect();
        let expected = ["helm::chart", "helm::quote", "kube-crd::Y", "source::Network", "yaml"];
        assert_eq!(found, expected);
        assert_eq!((module("command/crd/mod.rs"), module("a.rs")), ("command/crd".into(), "a".into()));
    }

    #[test]
    fn what_is_not_listed_is_a_problem_and_so_is_what_is_not_needed() {
        let set = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<BTreeSet<String>>();
        let uses = BTreeMap::from([
            ("command/check".to_owned(), set(&["analysis::Kind"])),
            ("command/crd/diff".to_owned(), set(&["analysis::Use", "kube::crd"])),
            ("helm/show".to_owned(), set(&["helm::show", "helm::chart"])),
            ("disk".to_owned(), set(&["source::Loader"])),
            ("command/crd".to_owned(), set(&["analysis::Kind"])),
        ]);
        let allowed: &[(&str, &[&str])] = &[
            ("command/check", &["analysis"]),
            ("command/crd/diff", &["analysis", "yaml"]),
            ("helm/show", &["helm::show"]),
            ("disk", &["source"]),
        ];
        let mut problems = Vec::new();
        compare(allowed, &uses, &mut problems);
        let expected = [
            "`command/crd` may not use `analysis::Kind`",
            "`command/crd/diff` may not use `kube::crd`",
            "`helm/show` may not use `helm::chart`",
            "`command/crd/diff` does not use `yaml`",
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
