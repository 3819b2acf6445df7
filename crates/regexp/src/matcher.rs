//! Patterns that only answer whether text matches. A small one runs on the engine. For a large one, with
//! thousands of parts of thousands of characters each, the engine would need hundreds of megabytes, so it runs
//! on our own program with one instruction per part, as in Go.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::error::PatternError;
use crate::program::Program;
use crate::translate;

/// How many patterns are cached per thread.
const KEPT: usize = 1_024;

/// How large a pattern may be for the engine, counted in Go's instructions; Unicode classes count more.
const ENGINE_SIZE: usize = 2_000;
const UNICODE_WEIGHT: usize = 100;

/// How many Unicode classes a pattern may name on the engine: each needs some kilobytes during parsing.
const MAX_UNICODE_CLASSES: usize = 5_000;

thread_local! {
    static READY: RefCell<BTreeMap<Vec<u8>, Arc<Matcher>>> = const { RefCell::new(BTreeMap::new()) };
}

/// A pattern that Go accepts, compiled when the first text is matched against it.
#[derive(Debug)]
pub struct Matcher {
    /// The engine's pattern.
    pub(crate) pattern: String,
    weight: Weight,
    ready: OnceLock<Ready>,
}

/// What runs a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Small,
    Large,
    TooLarge,
}

#[derive(Debug)]
enum Ready {
    Engine(Box<regex::Regex>),
    Program(Program),
    TooLarge,
}

impl Matcher {
    /// Parses a pattern, or takes it from the cache; the error is Go's message.
    pub fn shared(pattern: &[u8]) -> Result<Arc<Self>, PatternError> {
        if let Some(ready) = READY.with_borrow(|ready| ready.get(pattern).cloned()) {
            return Ok(ready);
        }
        let read = Arc::new(Self::new(pattern)?);
        READY.with_borrow_mut(|ready| {
            if ready.len() >= KEPT {
                ready.clear();
            }
            ready.insert(pattern.to_vec(), Arc::clone(&read));
        });
        Ok(read)
    }

    /// Parses a pattern; the error is Go's message.
    pub fn new(pattern: &[u8]) -> Result<Self, PatternError> {
        let translated = translate::translate(pattern)?;
        let weight = if translated.unicode_classes > 0 { UNICODE_WEIGHT } else { 1 };
        let is_small = translated.size.saturating_mul(weight) <= ENGINE_SIZE
            && translated.pattern.len() <= ENGINE_SIZE.saturating_mul(20)
            && translated.depth <= crate::MAX_NESTING;
        let weight = match translated.unicode_classes {
            _ if is_small => Weight::Small,
            0..=MAX_UNICODE_CLASSES => Weight::Large,
            _ => Weight::TooLarge,
        };
        Ok(Self { pattern: translated.pattern, weight, ready: OnceLock::new() })
    }

    /// Whether a part of the text matches; `None` if the pattern is too large for us to tell.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        match self.ready.get_or_init(|| self.make_ready()) {
            Ready::Engine(regex) => Some(regex.is_match(text)),
            Ready::Program(program) => program.is_match(text),
            Ready::TooLarge => None,
        }
    }

    fn make_ready(&self) -> Ready {
        if self.weight == Weight::TooLarge {
            return Ready::TooLarge;
        }
        if self.weight == Weight::Small
            && let Ok(regex) = regex::Regex::new(&self.pattern)
        {
            return Ready::Engine(Box::new(regex));
        }
        let parsed = regex_syntax::ParserBuilder::new().nest_limit(10_000).build().parse(&self.pattern);
        match parsed.ok().and_then(|parsed| Program::new(&parsed)) {
            Some(program) => Ready::Program(program),
            None => Ready::TooLarge,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn large_patterns_match_as_small_ones_do() {
        let rows: &[(&str, &str, bool)] = &[
            (r"^\pL{0,1000}$", "äb", true),
            (r"^\pL{0,1000}$", "a1", false),
            (r"^\pL{1000}\pL{1000}$", "a", false),
            (r"^\PL{1000}\PL{1000}$", "1", false),
            (r"(\pL{30}){30}|b", "ab", true),
            (r"^(\pL{1,30}){1,30}$", "abc", true),
            (r"(?m)^\pL{1,900}$", "1\nab\n2", true),
            (r"\b\pL{3,900}\b", "ab abc", true),
            (r"\b\pL{4,900}\b", "ab abc", false),
            (r"^(\pL|\b)*\pL{500}?x?$", "", false),
            (r"^[^\x{80}-\x{10FFFF}]{0,1000}$", "\u{d7ff}", false),
            (r"^[^\x{80}-\x{10FFFF}]{0,1000}$", "\u{e000}", false),
            (r"^[^\x{80}-\x{10FFFF}]{0,1000}$", "abc", true),
        ];
        for (pattern, text, expected) in rows {
            let found = Matcher::new(pattern.as_bytes()).unwrap().is_match(text);
            assert_eq!(found, Some(*expected), "{pattern} in {text:?}");
        }
    }

    #[test]
    fn nesting_is_accepted_as_deep_as_in_go() {
        let deep = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
        assert_eq!(Matcher::new(deep(999).as_bytes()).unwrap().is_match("ba"), Some(true));
        assert_eq!(
            Matcher::new(deep(1_000).as_bytes()).unwrap_err().to_string(),
            format!("error parsing regexp: expression nests too deeply: `{}`", deep(1_000))
        );
        for (pattern, is_taken) in [
            ("(".repeat(499) + "ab" + &")c".repeat(499), true),
            ("(".repeat(500) + "ab" + &")c".repeat(500), false),
            ("(?:".repeat(900) + "ab" + &")c".repeat(900), true),
            ("(?:".repeat(1_500) + "a" + &")*".repeat(1_500), false),
            ("(?:a|".repeat(700) + "bc" + &")".repeat(700), true),
            ("(?:ab|c".repeat(600) + "d" + &")".repeat(600), false),
            ("a{1000}".repeat(3_355), true),
            ("a{1000}".repeat(3_356), false),
            ("a{0,1000}".repeat(1_677), true),
            ("a{0,1000}".repeat(1_678), false),
            ("(a{1,30}){1,30}".repeat(1_800), true),
            ("(a{1,30}){1,30}".repeat(1_900), false),
            (r"\pL".repeat(25_000), true),
            (r"\pL".repeat(26_000), false),
        ] {
            let read = Matcher::new(pattern.as_bytes());
            assert_eq!(read.is_ok(), is_taken, "{}", pattern.get(..40).unwrap_or_default());
        }
        let flat = "(?:".repeat(3_000) + "a" + &")".repeat(3_000);
        assert_eq!(Matcher::new(flat.as_bytes()).unwrap().is_match("a"), Some(true));
    }

    #[test]
    fn work_is_limited() {
        let pattern = r"(a{1,30}){1,30}".repeat(3_000);
        assert!(Matcher::new(pattern.as_bytes()).unwrap_err().to_string().contains("expression too large"));
        let many = r"^(\pL{1,30}){1,30}".repeat(300);
        assert_eq!(Matcher::new(many.as_bytes()).unwrap().is_match(&"a".repeat(20_000)), None);
    }

    fn small_pattern() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a", "b", "[a-c]", "[^a]", r"\d", r"\w", r"\pL", ".", "^", "$", r"\b", r"\B", "(?i:k)", "-", "é",
            "(?m:^)",
        ]);
        part.prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}", "{2,}"]))
                    .prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_program_agrees_with_the_engine(pattern in small_pattern(), text in "[abcKk1 é\n-]{0,6}") {
            let translated = translate::translate(pattern.as_bytes()).unwrap().pattern;
            let engine = regex::Regex::new(&translated).unwrap().is_match(&text);
            let parsed = regex_syntax::Parser::new().parse(&translated).unwrap();
            prop_assert_eq!(Program::new(&parsed).unwrap().is_match(&text), Some(engine));
        }
    }
}
