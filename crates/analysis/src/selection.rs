//! `--select` and `--ignore`: which codes a run reports.

use trueline_diagnostic::{Catalogue, Code, nearest};

/// Which codes are reported.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only these; all where none is named.
    selected: Vec<&'static str>,
    /// None of these.
    ignored: Vec<&'static str>,
}

impl Selection {
    /// Reads what was typed behind `--select` and `--ignore`: codes, names of codes, and the first letters of codes such
    /// as `TL07`. The error is a sentence.
    pub fn new(select: &[String], ignore: &[String], catalogue: &Catalogue) -> Result<Self, String> {
        let read = |flag: &str, typed: &[String]| -> Result<Vec<&'static str>, String> {
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

    /// Whether findings of a code are reported. What is both selected and ignored is not.
    pub fn reports(&self, code: &Code) -> bool {
        (self.selected.is_empty() || self.selected.contains(&code.id)) && !self.ignored.contains(&code.id)
    }
}

/// The codes that a word means.
fn matching(word: &str, catalogue: &Catalogue) -> Vec<&'static str> {
    if let Some(code) = catalogue.find(word) {
        return vec![code.id];
    }
    let prefix = word.to_ascii_uppercase();
    let digits = prefix.strip_prefix("TL").filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if digits.is_none() {
        return Vec::new();
    }
    catalogue.codes().iter().map(|code| code.id).filter(|id| id.starts_with(&prefix)).collect()
}

fn unknown(flag: &str, word: &str, catalogue: &Catalogue) -> String {
    let near = nearest(word, catalogue.codes().iter().flat_map(|code| [code.name, code.id]));
    let advice = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`trueline explain` lists all codes".to_owned(),
    };
    format!("`{flag} {word}` names no code; {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn reported(select: &[&str], ignore: &[&str]) -> Vec<&'static str> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let catalogue = catalogue();
        let selection = Selection::new(&owned(select), &owned(ignore), &catalogue).unwrap();
        catalogue.codes().iter().filter(|code| selection.reports(code)).map(|code| code.id).collect()
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
    fn what_names_no_code_is_an_error() {
        let wrong = |word: &str| Selection::new(&[word.to_owned()], &[], &catalogue()).unwrap_err();
        assert_eq!(
            wrong("unknown-cod"),
            "`--select unknown-cod` names no code; did you mean `unknown-code`?"
        );
        assert_eq!(wrong("TL9"), "`--select TL9` names no code; `trueline explain` lists all codes");
        assert!(wrong("xyzzy").ends_with("lists all codes"));
    }
}
