//! Documents that are made from the code, so that they cannot disagree with it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use trueline_diagnostic::{Catalogue, Code};
use trueline_gotemplate::{Function, Functions};

const DIAGNOSTICS: &str = "docs/diagnostics.md";
const FUNCTIONS: &str = "docs/functions.md";

/// Writes the documents anew.
pub(crate) fn write(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, text) in documents() {
        let path = root.join(name);
        if let Err(error) = fs::write(&path, text) {
            problems.push(format!("{}: {error}", path.display()));
        }
    }
    problems
}

/// Compares the documents with what they should be.
pub(crate) fn check(root: &Path) -> Vec<String> {
    let mut problems = complete(&trueline_check::catalogue());
    for (name, text) in documents() {
        if fs::read_to_string(root.join(name)).unwrap_or_default() != text {
            problems.push(format!("{name}: out of date; run `cargo xtask docs`"));
        }
    }
    problems
}

fn documents() -> [(&'static str, String); 2] {
    [(DIAGNOSTICS, diagnostics(&trueline_check::catalogue())), (FUNCTIONS, functions())]
}

/// Every code is documented, and none is declared twice.
fn complete(catalogue: &Catalogue) -> Vec<String> {
    let mut problems = Vec::new();
    for code in catalogue.codes() {
        for (what, text) in
            [("name", code.name), ("summary", code.summary), ("explanation", code.explanation)]
        {
            if text.trim().is_empty() {
                problems.push(format!("{}: no {what}", code.id));
            }
        }
    }
    for pair in catalogue.rules().windows(2) {
        if pair[0].name == pair[1].name {
            problems.push(format!("`{}`: the name of two rules", pair[0].name));
        }
    }
    for pair in catalogue.codes().windows(2) {
        if pair[0].id == pair[1].id {
            problems.push(format!("{}: declared twice", pair[0].id));
        }
    }
    let mut names: Vec<&str> = catalogue.codes().iter().map(|code| code.name).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if pair[0] == pair[1] {
            problems.push(format!("`{}`: the name of two codes", pair[0]));
        }
    }
    problems
}

fn diagnostics(catalogue: &Catalogue) -> String {
    let mut text = String::from(
        "# Diagnostics\n\nMade by `cargo xtask docs` from the code; `trueline explain CODE` prints the same.\n\n\
         | code | name | severity | meaning |\n|---|---|---|---|\n",
    );
    for code in catalogue.codes() {
        let Code { id, name, severity, summary, .. } = code;
        let _ = writeln!(text, "| [{id}](#{}) | {name} | {severity} | {summary} |", anchor(code));
    }
    for code in catalogue.codes() {
        let _ = write!(
            text,
            "\n## {} {}\n\n{}.\n\n{}\n",
            code.id,
            code.name,
            capital(code.summary),
            code.explanation
        );
        for (title, example) in [("Wrong", code.wrong), ("Right", code.right)] {
            if !example.is_empty() {
                let _ = write!(text, "\n{title}:\n\n```text\n{}\n```\n", example.trim_end());
            }
        }
        let rules: Vec<String> = catalogue
            .rules_of(code)
            .map(|rule| format!("| {} | {} |\n", rule.name, rule.summary().replace('|', "\\|")))
            .collect();
        if !rules.is_empty() {
            let _ = write!(text, "\nRules:\n\n| rule | broken when |\n|---|---|\n{}", rules.concat());
        }
    }
    text
}

fn anchor(code: &Code) -> String {
    format!("{}-{}", code.id.to_lowercase(), code.name)
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn functions() -> String {
    let mut text = String::from(
        "# Template functions\n\nMade by `cargo xtask docs` from the code. What a function does with arguments of \
         other types is what Helm does.\n\n`…` stands for any number of arguments; what stands in brackets may be \
         left out. Functions marked with ⁴ are not known with `--compat helm3`.\n",
    );
    for family in trueline_sprig::FAMILIES {
        table(&mut text, family.title, family.functions.iter());
    }
    let language = Functions::builtin();
    let replaced = |name: &str| {
        let mut functions = trueline_sprig::FAMILIES.iter().flat_map(|family| family.functions);
        functions.any(|function| function.name == name)
    };
    let names = language.names().into_iter().filter(|name| !replaced(name));
    table(&mut text, "The language itself", names.filter_map(|name| language.get(language.id(name)?)));
    text
}

fn table<'f>(text: &mut String, title: &str, functions: impl Iterator<Item = &'f Function>) {
    let _ = write!(text, "\n## {title}\n\n| function | meaning |\n|---|---|\n");
    for Function { name, usage, doc, .. } in functions {
        let mark = if trueline_sprig::SINCE_HELM_4.contains(name) { " ⁴" } else { "" };
        let call = format!("{name} {usage}");
        let _ = writeln!(text, "| `{}`{mark} | {} |", call.trim(), doc.replace('|', "\\|"));
    }
}
