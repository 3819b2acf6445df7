//! `trueline explain`: what a finding means.

use std::fmt::Write;

use clap::Args;
use trueline_diagnostic::{Catalogue, Code};

use super::{Ended, say};

/// Explain a code: what it means, with a wrong and a right example
///
/// Without a code, lists all of them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline explain TL0105
  trueline explain duplicate-key
  trueline explain")]
pub(crate) struct Explain {
    /// A code such as TL0105, or its name such as duplicate-key
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

impl Explain {
    pub(crate) fn run(self) -> Ended {
        let catalogue = trueline_check::catalogue();
        let Some(wanted) = self.code else { return say(&list(&catalogue)) };
        match catalogue.find(wanted.trim()) {
            Some(code) => say(&page(code)),
            None => Err(unknown(&catalogue, wanted.trim())),
        }
    }
}

fn list(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for code in catalogue.codes() {
        let _ = writeln!(text, "{}  {:<7}  {}: {}", code.id, code.severity.as_str(), code.name, code.summary);
    }
    text
}

fn page(code: &Code) -> String {
    let mut text = format!("{} {} ({})\n\n{}\n", code.id, code.name, code.severity, code.summary);
    for (heading, body) in [("", code.explanation), ("Wrong:\n\n", code.wrong), ("Right:\n\n", code.right)] {
        if body.trim().is_empty() {
            continue;
        }
        let _ = write!(text, "\n{heading}");
        for line in body.trim_matches('\n').lines() {
            let indent = if heading.is_empty() || line.is_empty() { "" } else { "    " };
            let _ = writeln!(text, "{indent}{line}");
        }
    }
    text
}

fn unknown(catalogue: &Catalogue, wanted: &str) -> String {
    let near = catalogue
        .codes()
        .iter()
        .flat_map(|code| [code.id, code.name])
        .map(|name| (distance(&wanted.to_ascii_lowercase(), &name.to_ascii_lowercase()), name))
        .min()
        .filter(|(distance, _)| *distance <= 2);
    match near {
        Some((_, name)) => format!("there is no code `{wanted}`; did you mean `{name}`?"),
        None => format!("there is no code `{wanted}`; `trueline explain` lists them all"),
    }
}

/// The number of letters to change, add or drop to get from one word to the other.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (line, from) in one.chars().take(64).enumerate() {
        let mut corner = line;
        let mut left = line + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&two) {
            let here = (corner + usize::from(from != *to)).min(left + 1).min(*cell + 1);
            corner = *cell;
            *cell = here;
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_diagnostic::Severity;

    static CODE: Code = Code {
        id: "TL0000",
        name: "test-code",
        severity: Severity::Warning,
        summary: "A test",
        explanation: "Why it matters.\n",
        wrong: "a: 1\n\na: 2\n",
        right: "",
    };

    #[test]
    fn a_page_shows_what_there_is() {
        assert_eq!(
            page(&CODE),
            "TL0000 test-code (warning)\n\nA test\n\nWhy it matters.\n\nWrong:\n\n    a: 1\n\n    a: 2\n"
        );
    }

    #[test]
    fn a_near_miss_is_named() {
        let catalogue = Catalogue::new(&[&[&CODE]]);
        assert_eq!(unknown(&catalogue, "tl000"), "there is no code `tl000`; did you mean `TL0000`?");
        assert_eq!(unknown(&catalogue, "test-cod"), "there is no code `test-cod`; did you mean `test-code`?");
        assert!(unknown(&catalogue, "xyzzy").ends_with("lists them all"));
    }

    #[test]
    fn distances_are_counted() {
        for (one, two, count) in [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("flaw", "lawn", 2)] {
            assert_eq!(distance(one, two), count, "{one} {two}");
        }
    }
}
