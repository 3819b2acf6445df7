//! `--select` and `--ignore`: which codes and rules a run reports.

use std::fmt;

use trueline_diagnostic::{Catalogue, Diagnostic, Named, nearest};

/// Which codes and rules are reported.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only these; all where none is named.
    selected: Vec<Named>,
    /// None of these.
    ignored: Vec<Named>,
}

impl Selection {
    /// Reads what was typed after `--select` and `--ignore`: codes, names of codes, the first letters of codes such as
    /// `TL07`, and names of rules.
    pub fn new(select: &[String], ignore: &[String], catalogue: &Catalogue) -> Result<Self, UnknownName> {
        let read = |flag: &'static str, typed: &[String]| -> Result<Vec<Named>, UnknownName> {
            let mut codes = Vec::new();
            for word in typed.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
                let found = matching(word, catalogue);
                if found.is_empty() {
                    return Err(unknown(flag, word, catalogue));
                }
                codes.extend(found);
            }
            Ok(codes)
        };
        Ok(Selection { selected: read("--select", select)?, ignored: read("--ignore", ignore)? })
    }

    /// Whether a finding is reported. What is both selected and ignored is not.
    pub fn reports(&self, finding: &Diagnostic) -> bool {
        let is_one_of = |list: &[Named]| list.iter().any(|named| named.covers(finding));
        (self.selected.is_empty() || is_one_of(&self.selected)) && !is_one_of(&self.ignored)
    }
}

/// The codes or the rule that a word means.
fn matching(word: &str, catalogue: &Catalogue) -> Vec<Named> {
    if let Some(named) = catalogue.named(word) {
        return vec![named];
    }
    let prefix = word.to_ascii_uppercase();
    let digits = prefix.strip_prefix("TL").filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if digits.is_none() {
        return Vec::new();
    }
    let codes = catalogue.codes().iter().copied().filter(|code| code.id.starts_with(&prefix));
    codes.map(Named::Code).collect()
}

fn unknown(flag: &'static str, word: &str, catalogue: &Catalogue) -> UnknownName {
    let near =
        catalogue.nearest(word).or_else(|| nearest(word, catalogue.codes().iter().map(|code| code.id)));
    UnknownName { flag, word: word.to_owned(), near }
}

/// A word that names no code and no rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The flag that it was typed after.
    pub flag: &'static str,
    /// The word.
    pub word: String,
    /// The name that may have been meant.
    pub near: Option<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { flag, word, near } = self;
        write!(formatter, "`{flag} {word}` names no code or rule; ")?;
        match near {
            Some(near) => write!(formatter, "did you mean `{near}`?"),
            None => formatter.write_str("`trueline explain` lists all codes"),
        }
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use trueline_diagnostic::Code;

    fn reported(select: &[&str], ignore: &[&str]) -> Vec<&'static str> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let catalogue = catalogue();
        let selection = Selection::new(&owned(select), &owned(ignore), &catalogue).unwrap();
        let place = trueline_source::SourceId::from_index(0).span(0, 0);
        let is_reported = |code: &&&'static Code| selection.reports(&Diagnostic::new(code, place, ""));
        catalogue.codes().iter().filter(is_reported).map(|code| code.id).collect()
    }

    #[test]
    fn codes_names_and_first_letters_are_taken() {
        let all = reported(&[], &[]).len();
        assert_eq!(all, catalogue().codes().len());
        assert_eq!(reported(&["TL0105"], &[]), ["TL0105"]);
        assert_eq!(reported(&["tl0151", "unknown-code"], &[]), ["TL0151", "TL0154"]);
        assert!(reported(&["TL015"], &[]).iter().all(|id| id.starts_with("TL015")));
        assert!(reported(&["TL015"], &[]).len() > 3);
        assert_eq!(reported(&[], &["unknown-code"]).len(), all - 1);
        assert!(!reported(&["TL015"], &["TL0154"]).contains(&"TL0154"));
    }

    #[test]
    fn rules_are_taken_by_their_names() {
        let catalogue = catalogue();
        let named = |name: &str| match catalogue.named(name) {
            Some(Named::Rule(rule)) => rule,
            other => panic!("{name}: {other:?}"),
        };
        let place = trueline_source::SourceId::from_index(0).span(0, 0);
        let finding = |name: &str| Diagnostic::new(named(name).code, place, "").rule(named(name));
        let ports = "service/duplicate-node-port";
        let selection = Selection::new(&[ports.to_owned()], &[], &catalogue).unwrap();
        assert!(selection.reports(&finding(ports)) && !selection.reports(&finding("service/duplicate-port")));
        let selection = Selection::new(&["TL0706".to_owned()], &[ports.to_owned()], &catalogue).unwrap();
        assert!(!selection.reports(&finding(ports)) && selection.reports(&finding("service/duplicate-port")));
        let wrong = Selection::new(&["service/duplicate-nodeport".to_owned()], &[], &catalogue)
            .unwrap_err()
            .to_string();
        assert!(wrong.ends_with("did you mean `service/duplicate-node-port`?"), "{wrong}");
    }

    #[test]
    fn what_names_no_code_is_an_error() {
        let wrong =
            |word: &str| Selection::new(&[word.to_owned()], &[], &catalogue()).unwrap_err().to_string();
        assert_eq!(
            wrong("unknown-cod"),
            "`--select unknown-cod` names no code or rule; did you mean `unknown-code`?"
        );
        assert_eq!(wrong("TL9"), "`--select TL9` names no code or rule; `trueline explain` lists all codes");
        assert!(wrong("xyzzy").ends_with("lists all codes"));
    }
}
