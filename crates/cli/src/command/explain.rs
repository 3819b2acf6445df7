//! `trueline explain`: what a finding means.

use std::fmt::Write;

use clap::Args;
use trueline_diagnostic::{Catalogue, Code, Named, RuleInfo, nearest};

use super::{Ended, say};
use crate::failure::Failure;

/// Explain a code or a rule: what it means, with a wrong and a right example
///
/// Takes a code, its name, the name of a rule, or words: where one code has all of them it is explained, and several are
/// listed. Without anything, lists all codes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline explain TL0105
  trueline explain duplicate-key
  trueline explain service/duplicate-node-port
  trueline explain nil-pointer
  trueline explain node port
  trueline explain")]
pub(crate) struct Explain {
    /// A code such as TL0105, its name such as duplicate-key, a rule such as service/duplicate-node-port, or words to
    /// look for
    #[arg(value_name = "CODE|NAME|RULE|WORD")]
    words: Vec<String>,
}

impl Explain {
    pub(crate) fn run(self) -> Ended {
        let catalogue = trueline_analysis::catalogue();
        let wanted = self.words.join(" ");
        let wanted = wanted.trim();
        if wanted.is_empty() {
            return say(&list(catalogue.codes()));
        }
        if let Some(Named::Rule(rule)) = catalogue.named(wanted) {
            return say(&page_of_rule(rule));
        }
        let found = find(&catalogue, wanted);
        match found.codes.as_slice() {
            [] => Err(Failure::Usage(unknown(&catalogue, wanted))),
            [code] if found.is_certain => say(&page(code)),
            several => say(&choice(several)),
        }
    }
}

/// The codes that words may mean.
#[derive(Debug, Default)]
struct Matches {
    codes: Vec<&'static Code>,
    /// Whether the words are in names or summaries, and not only somewhere in an explanation.
    is_certain: bool,
}

/// What of a code is searched.
type TextOf = fn(&Code) -> String;

/// The codes that a word or several mean: the one of that id or name, or those that have all of the words; in their
/// names, if they are there, else in what is said about them.
fn find(catalogue: &Catalogue, wanted: &str) -> Matches {
    let by_name = || catalogue.find(&wanted.to_ascii_lowercase().replace(' ', "-"));
    if let Some(code) = catalogue.find(wanted).or_else(by_name) {
        return Matches { codes: vec![code], is_certain: true };
    }
    let lower = wanted.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // What is written as a code means that one alone, although examples may name it.
    let is_code = |word: &&str| {
        word.strip_prefix("tl").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if words.is_empty() || words.iter().any(is_code) {
        return Matches::default();
    }
    let has_all = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(stem(word)))
    };
    let places: [(TextOf, bool); 3] = [
        (|code| format!("{} {}", code.id, code.name), true),
        (|code| format!("{} {} {}", code.id, code.name, code.summary), true),
        (|code| [code.name, code.summary, code.explanation, code.wrong].join(" "), false),
    ];
    let with = |(place, is_certain): (TextOf, bool)| -> Matches {
        let codes = catalogue.codes().iter().copied().filter(|code| has_all(&place(code))).collect();
        Matches { codes, is_certain }
    };
    places.into_iter().map(with).find(|found| !found.codes.is_empty()).unwrap_or_default()
}

/// A word without its last letter, if it has many: `quantity` is in `quantities`, and `selectors` means `selector`.
fn stem(word: &str) -> &str {
    const SHORT: usize = 5;
    match word.char_indices().next_back() {
        Some((last, 'y' | 's')) if word.len() > SHORT => word.get(..last).unwrap_or(word),
        _ => word,
    }
}

/// The list of the codes that were found, to choose from.
fn choice(codes: &[&'static Code]) -> String {
    format!(
        "{}\n{} this; `trueline explain CODE` explains {}\n",
        list(codes),
        if codes.len() == 1 { "1 code has".to_owned() } else { format!("{} codes have", codes.len()) },
        if codes.len() == 1 { "it" } else { "one of them" },
    )
}

fn list(codes: &[&'static Code]) -> String {
    let mut text = String::new();
    for code in codes {
        let _ = writeln!(text, "{}  {:<7}  {}: {}", code.id, code.severity.as_str(), code.name, code.summary);
    }
    text
}

fn page_of_rule(rule: &RuleInfo) -> String {
    let RuleInfo { name, code, .. } = rule;
    let mut text = format!("{name} ({}, {})\n\n{}\n", code.id, code.severity, rule.summary());
    let explanation = rule.explanation();
    if !explanation.is_empty() {
        let _ = write!(text, "\n{explanation}\n");
    }
    let _ = write!(
        text,
        "\nFindings about this rule have the code {}, {}: `trueline explain {}` says more.\n\nSilence it in one \
         place:\n\n    # trueline: ignore[{name}] the reason\n\nor everywhere, in trueline.toml:\n\n    \
         [severity]\n    \"{name}\" = \"off\"\n",
        code.id, code.name, code.id,
    );
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
    let near = catalogue.nearest(wanted);
    let near = near.or_else(|| nearest(wanted, catalogue.codes().iter().map(|code| code.id)));
    match near {
        Some(name) => format!("no code or rule is named `{wanted}`; did you mean `{name}`?"),
        None => format!("no code or rule is named `{wanted}`; `trueline explain` lists all codes"),
    }
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
        assert_eq!(unknown(&catalogue, "tl000"), "no code or rule is named `tl000`; did you mean `TL0000`?");
        assert_eq!(
            unknown(&catalogue, "tset-code"),
            "no code or rule is named `tset-code`; did you mean `test-code`?"
        );
        assert!(unknown(&catalogue, "xyzzy").ends_with("lists all codes"));
    }

    #[test]
    fn rules_have_pages_of_their_own() {
        let catalogue = trueline_analysis::catalogue();
        let Some(Named::Rule(rule)) = catalogue.named("service/duplicate-node-port") else {
            panic!("no rule")
        };
        let page = page_of_rule(rule);
        assert!(
            page.starts_with("service/duplicate-node-port (TL0706, error)\n\nTwo ports of a Service"),
            "{page}"
        );
        assert!(page.contains("ignore[service/duplicate-node-port]"), "{page}");
        let unknown = unknown(&catalogue, "service/duplicate-nodeport");
        assert!(unknown.ends_with("did you mean `service/duplicate-node-port`?"), "{unknown}");
    }

    #[test]
    fn codes_are_found_by_words() {
        let catalogue = trueline_analysis::catalogue();
        let found = |wanted: &str| -> Vec<&str> {
            find(&catalogue, wanted).codes.into_iter().map(|code| code.id).collect()
        };
        assert_eq!(found("tl0105"), found("duplicate-key"));
        assert_eq!(found("duplicate key"), found("duplicate-key"));
        assert_eq!(found("Duplicate-Key"), found("duplicate-key"));
        assert!(found("nil-pointer").contains(&"TL0530"), "{:?}", found("nil-pointer"));
        assert!(found("quantity").contains(&"TL0702"), "{:?}", found("quantity"));
        assert!(!find(&catalogue, "quantity").is_certain);
        assert!(found("configuration").len() > 1);
        assert_eq!(found("no such words anywhere xyzzy"), [""; 0]);
        assert_eq!(found("--"), [""; 0]);
        assert!(choice(&find(&catalogue, "configuration").codes).ends_with("explains one of them\n"));
    }
}
