//! The order of the modules inside a crate: each may use those before it, never one after it.
//!
//! The references are read from the source, `crate::…` and `super::…`, also through what the root of the crate exports of
//! its modules. Tests may use everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The top-level modules of crates, from the lowest to the highest.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "kube-facts",
        &[
            "cel_codes",
            "field_path",
            "options",
            "quote",
            "reason",
            "codes",
            "server_rule",
            "schema_rules",
            "common",
            "field_error",
            "names",
            "meant",
            "trail",
            "decode",
            "web_address",
            "belongs",
            "object_meta",
        ],
    ),
    ("kube-api", &["pack", "transient", "json_schema"]),
    (
        "kube-crd",
        &[
            "codes",
            "value",
            "props",
            "structural",
            "cel",
            "definition",
            "object",
            "publish",
            "check",
            "query",
            "diff",
        ],
    ),
    ("kube-rules", &["cel", "place", "slip", "types", "problem", "scalar", "rules", "manifest"]),
    ("kube", &["cel", "crd", "manifest", "cluster", "named"]),
    (
        "analysis",
        &[
            "alike",
            "budget",
            "config",
            "detect",
            "glance",
            "rendering",
            "repeat",
            "selection",
            "shown",
            "input",
            "parts",
            "suppress",
            "walk",
            "emit",
            "unit",
            "kubernetes",
            "open_error",
            "discovery",
            "secret",
            "session",
            "chart",
            "here",
            "value_story",
            "ytt",
            "kinds",
            "kustomize",
            "looked",
            "memory",
            "registry",
            "settings",
            "run",
            "crds",
            "snapshot",
            "host",
        ],
    ),
    (
        "cel",
        &[
            "size",
            "fault",
            "types",
            "value",
            "ast",
            "function",
            "syntax",
            "arguments",
            "checked",
            "env",
            "check",
            "cost",
            "validate",
            "library",
            "compile",
            "program",
        ],
    ),
    (
        "yaml",
        &[
            "classes",
            "codes",
            "dialect",
            "document",
            "error",
            "timestamp",
            "comments",
            "diagnostics",
            "go_syntax",
            "resolve",
            "stream",
            "value",
            "fault",
            "json",
            "decode",
            "scanner",
            "parser",
            "compose",
            "draft",
            "events",
            "go",
            "selfcheck",
            "writer",
        ],
    ),
    (
        "helm",
        &[
            "refusal",
            "edit",
            "expand",
            "path_match",
            "seeded",
            "chart",
            "go_yaml",
            "log",
            "package",
            "show",
            "create",
            "release",
            "repository",
            "values",
            "dependencies",
            "engine",
            "json_path",
            "schema",
            "lint",
            "usage",
            "values_schema",
        ],
    ),
];

/// References against the order: crate, the module that refers, and the higher one that it refers to. The list only
/// shrinks: an entry that is not needed any more is a problem.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("analysis", "chart", "kinds"),
    ("analysis", "chart", "looked"),
    ("analysis", "config", "kubernetes"),
    ("analysis", "detect", "kinds"),
    ("analysis", "emit", "run"),
    ("analysis", "here", "snapshot"),
    ("analysis", "kubernetes", "chart"),
    ("analysis", "kubernetes", "kinds"),
    ("analysis", "kubernetes", "session"),
    ("analysis", "parts", "chart"),
    ("analysis", "session", "chart"),
    ("analysis", "session", "settings"),
    ("analysis", "snapshot", "host"),
    ("analysis", "unit", "chart"),
    ("analysis", "unit", "kinds"),
    ("analysis", "unit", "kubernetes"),
    ("analysis", "unit", "session"),
    ("analysis", "walk", "kinds"),
    ("analysis", "walk", "kustomize"),
    ("analysis", "ytt", "kinds"),
    ("helm", "chart", "go_yaml"),
    ("helm", "chart", "log"),
    ("helm", "chart", "package"),
];

/// All references against the declared orders, and what is wrong with the declarations.
pub(crate) fn check(root: &Path, problems: &mut Vec<String>) {
    for (name, order) in LAYERS {
        let Some(module_references) = references(&root.join("crates").join(name).join("src")) else {
            problems.push(format!(
                "crates/{name}: has an order of modules in xtask/src/tidy_layers.rs, but cannot be read"
            ));
            continue;
        };
        let exceptions: BTreeSet<(&str, &str)> =
            EXCEPTIONS.iter().filter(|(of, ..)| of == name).map(|(_, user, used)| (*user, *used)).collect();
        compare(name, order, &exceptions, &module_references, problems);
    }
}

/// Compares the references of a crate with its order.
fn compare(
    name: &str,
    order: &[&str],
    exceptions: &BTreeSet<(&str, &str)>,
    references: &BTreeMap<String, BTreeSet<String>>,
    problems: &mut Vec<String>,
) {
    let place = |module: &str| order.iter().position(|known| *known == module);
    for module in references.keys().filter(|module| place(module).is_none()) {
        problems.push(format!("crates/{name}: the module `{module}` has no place in the order of modules in xtask/src/tidy_layers.rs"));
    }
    for module in order.iter().filter(|module| !references.contains_key(**module)) {
        problems
            .push(format!("crates/{name}: no module `{module}`; remove it from xtask/src/tidy_layers.rs"));
    }
    let mut needed = BTreeSet::new();
    for (user, all_used) in references {
        for used in all_used {
            let (Some(of_user), Some(of_used)) = (place(user), place(used)) else { continue };
            if of_used <= of_user {
                continue;
            }
            match exceptions.get(&(user.as_str(), used.as_str())) {
                Some(exception) => _ = needed.insert(*exception),
                None => problems.push(format!(
                    "crates/{name}: the module `{user}` uses `{used}`, which comes after it in the order of modules"
                )),
            }
        }
    }
    for (user, used) in exceptions.difference(&needed) {
        problems.push(format!(
            "crates/{name}: `{user}` no longer uses `{used}`; remove the exception from xtask/src/tidy_layers.rs"
        ));
    }
}

/// The top-level modules of a crate, each with those that it refers to. Modules of tests are left out.
fn references(source: &Path) -> Option<BTreeMap<String, BTreeSet<String>>> {
    let library = code(&fs::read_to_string(source.join("lib.rs")).ok()?);
    let modules = declared_modules(&library);
    let exports = exports(&library, &modules);
    let mut references: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in &modules {
        let used = references.entry(module.clone()).or_default();
        let file = source.join(format!("{module}.rs"));
        let file = if file.is_file() { file } else { source.join(module).join("mod.rs") };
        let mut open = vec![(file, source.join(module), 1_usize)];
        while let Some((file, folder, depth)) = open.pop() {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let text = code(&text);
            for head in heads(&text, depth) {
                let target = modules.get(&head).or_else(|| exports.get(&head));
                used.extend(target.filter(|target| *target != module).cloned());
            }
            for inner in declared_modules(&text) {
                let file = folder.join(format!("{inner}.rs"));
                let file = if file.is_file() { file } else { folder.join(&inner).join("mod.rs") };
                open.push((file, folder.join(&inner), depth + 1));
            }
        }
    }
    Some(references)
}

/// The code of a file without comments, strings and its module of tests, which is at its end.
pub(crate) fn code(text: &str) -> String {
    let prose = crate::tidy::prose(text);
    let mut code = String::with_capacity(text.len());
    let mut covered = prose.chars();
    for character in text.chars() {
        let is_prose = covered.next().is_some_and(|prose| prose == character && !character.is_whitespace());
        code.push(if is_prose { ' ' } else { character });
    }
    match code.find("#[cfg(test)]\nmod tests {") {
        Some(end) => code[..end].to_owned(),
        None => code,
    }
}

/// The modules that a file declares, without those of tests.
fn declared_modules(code: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    let mut is_of_tests = false;
    for line in code.lines().map(str::trim) {
        let rest = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
            None => rest,
        });
        let declared = rest.trim_start().strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        if let Some(name) = declared.filter(|_| !is_of_tests) {
            modules.insert(name.trim().to_owned());
        }
        is_of_tests = line == "#[cfg(test)]";
    }
    modules
}

/// What the root of a crate exports, or uses, of its modules: the name and the module.
fn exports(library: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in library.split(';') {
        let Some((_, tree)) = statement.split_once("use ") else { continue };
        let tree = tree.trim();
        let tree = tree.strip_prefix("crate::").or_else(|| tree.strip_prefix("self::")).unwrap_or(tree);
        let Some((module, names)) = tree.split_once("::") else { continue };
        if modules.contains(module) {
            let words = names.split(|character: char| !character.is_alphanumeric() && character != '_');
            exports.extend(
                words.filter(|word| !word.is_empty()).map(|word| (word.to_owned(), module.to_owned())),
            );
        }
    }
    exports
}

/// The first names of all paths that begin at the root of the crate: `crate::name`, `crate::{name, …}`, and the same with
/// as many `super` as the file is deep.
fn heads(code: &str, depth: usize) -> Vec<String> {
    let supers = "super::".repeat(depth);
    let mut heads = Vec::new();
    for root in ["crate::", supers.as_str()] {
        for (start, _) in code.match_indices(root) {
            let before = &code[..start];
            let is_whole = !before.ends_with(|character: char| {
                character.is_alphanumeric() || matches!(character, '_' | '$' | ':')
            });
            if is_whole {
                tree_heads(&code[start + root.len()..], &mut heads);
            }
        }
    }
    heads
}

/// The first names of a path or of the tree of an import.
pub(crate) fn tree_heads(tree: &str, heads: &mut Vec<String>) {
    let name = |text: &str| -> String {
        text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
    };
    let Some(list) = tree.strip_prefix('{') else {
        heads.push(name(tree));
        return;
    };
    let mut depth = 0_usize;
    let mut is_first = true;
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => return,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            _ if is_first && !character.is_whitespace() => {
                heads.push(name(&list[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_from_code() {
        let text = "use crate::{a::{self, X}, b, C};\nuse super::d;\n// crate::no\nlet x = \"crate::no\";\n$crate::no\n\
                    fn f() { crate::e::g() }\n#[cfg(test)]\nmod tests {\nuse crate::no;\n}\n";
        let mut found = heads(&code(text), 1);
        found.sort();
        assert_eq!(found, ["C", "a", "b", "d", "e"]);
        assert_eq!(heads("super::super::x; super::y", 2), ["x"]);
    }

    #[test]
    fn modules_of_tests_are_left_out() {
        let library =
            "mod a;\npub(crate) mod b;\n#[cfg(test)]\nmod tests;\npub use a::{One, Two as Other};\n";
        let modules = declared_modules(library);
        assert_eq!(modules.iter().collect::<Vec<_>>(), ["a", "b"]);
        let exports = exports(library, &modules);
        assert_eq!(exports.get("Other").map(String::as_str), Some("a"));
        assert!(!exports.contains_key("b"));
    }

    #[test]
    fn references_against_the_order_are_problems() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let references = BTreeMap::from([
            ("a".to_owned(), set(&["b", "c"])),
            ("b".to_owned(), set(&["a"])),
            ("c".to_owned(), set(&[])),
            ("d".to_owned(), set(&[])),
        ]);
        let mut problems = Vec::new();
        let exceptions = BTreeSet::from([("a", "c"), ("b", "c")]);
        compare("x", &["a", "b", "c", "e"], &exceptions, &references, &mut problems);
        let expected =
            ["the module `d` has no place", "no module `e`", "`a` uses `b`", "`b` no longer uses `c`"];
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
