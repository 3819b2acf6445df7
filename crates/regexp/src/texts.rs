//! Generates example strings for patterns: the shortest that some patterns match and others do not.
//!
//! The patterns are run in parallel as automata, over an alphabet with one character for each class of
//! characters that they distinguish. If all states were visited, no other string exists; otherwise the work is
//! limited.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::{self, Class, Hir, HirKind, Look};

use crate::Matcher;

/// How large one automaton may become, in bytes.
const MAX_AUTOMATON: usize = 1 << 20;

/// How many characters are tried at each position.
const MAX_ALPHABET: usize = 256;

/// The cost of building an automaton, in steps: this, plus one for this many bytes of it.
const AUTOMATON: usize = 2_000;
const BYTES_PER_STEP: usize = 16;

/// The preferred characters of generated strings, best first.
const COMMON: &str = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-./_:,@ +=#*%&$!?~^|;<>()[]{}'\"`\\äéλж中😀";

/// The requirements for generated strings.
#[derive(Debug, Default)]
pub struct Wanted<'p> {
    /// The patterns that each string must match.
    pub matching: Vec<&'p Matcher>,
    /// The patterns that no string may match.
    pub refusing: Vec<&'p Matcher>,
    /// The minimum number of characters.
    pub least: usize,
    /// The maximum number of characters.
    pub most: Option<usize>,
}

/// Generated strings.
#[derive(Debug, PartialEq, Eq)]
pub struct Texts {
    /// The strings, shortest first, all different.
    pub texts: Vec<String>,
    /// Why there are no more.
    pub end: End,
}

/// Why a search for strings ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As many were found as requested.
    Enough,
    /// Every path was followed: if no string was found, none exists.
    NoMore,
    /// The patterns are too large, or the steps are used up.
    GaveUp,
}

/// Generates this many strings. Subtracts the work from the remaining steps.
pub fn texts(wanted: &Wanted<'_>, count: usize, steps: &mut usize) -> Texts {
    let mut texts = Vec::new();
    let end = search(wanted, count, steps, &mut texts).unwrap_or(End::GaveUp);
    Texts { texts, end }
}

/// `None` if the search had to be stopped.
fn search(wanted: &Wanted<'_>, count: usize, steps: &mut usize, texts: &mut Vec<String>) -> Option<End> {
    let mut alphabet = Alphabet::default();
    let mut automata = Vec::new();
    for (patterns, role) in [(&wanted.matching, Role::Matching), (&wanted.refusing, Role::Refusing)] {
        for pattern in patterns {
            *steps = steps.checked_sub(AUTOMATON)?;
            let syntax = regex_syntax::ParserBuilder::new().nest_limit(10_000).build();
            let parsed = { syntax }.parse(&pattern.pattern).ok()?;
            alphabet.add(&parsed);
            let made = Automaton::new(&parsed, role);
            let size = made.as_ref().map_or(MAX_AUTOMATON, |made| made.dfa.get_nfa().memory_usage());
            *steps = steps.saturating_sub(size / BYTES_PER_STEP);
            automata.push(made?);
        }
    }
    let (characters, coverage) = alphabet.characters(count);
    let start: Option<Vec<_>> = automata.iter_mut().map(Automaton::start).collect();
    let mut nodes: Vec<(usize, char)> = Vec::new();
    let mut visits: BTreeMap<(Vec<State>, usize), usize> = BTreeMap::new();
    let mut waiting = VecDeque::from([(start?, 0, None)]);
    while let Some((states, length, node)) = waiting.pop_front() {
        if texts.len() >= count {
            return Some(End::Enough);
        }
        if length >= wanted.least && accepted(&mut automata, &states)? {
            texts.push(spelled(&nodes, node));
        }
        if wanted.most.is_some_and(|most| length >= most) {
            continue;
        }
        for character in &characters {
            *steps = steps.checked_sub(1)?;
            let Some(next) = stepped(&mut automata, &states, *character)? else { continue };
            let seen = visits.entry((next.clone(), wanted.least.min(length + 1))).or_default();
            if *seen < count {
                *seen += 1;
                nodes.push((node.map_or(0, |node: usize| node + 1), *character));
                waiting.push_back((next, length + 1, Some(nodes.len() - 1)));
            }
        }
    }
    Some(match coverage {
        _ if texts.len() >= count => End::Enough,
        Coverage::Whole => End::NoMore,
        Coverage::Part => End::GaveUp,
    })
}

/// The characters on the path to a node; each node refers to the one before it, counted from one.
fn spelled(nodes: &[(usize, char)], last: Option<usize>) -> String {
    let mut characters = Vec::new();
    let mut at = last;
    while let Some((before, character)) = at.and_then(|index| nodes.get(index)) {
        characters.push(*character);
        at = before.checked_sub(1);
    }
    characters.into_iter().rev().collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Matching,
    Refusing,
}

/// The state of an automaton; `None` once it has matched, whatever follows.
type State = Option<LazyStateID>;

struct Automaton {
    dfa: DFA,
    cache: Cache,
    role: Role,
}

impl Automaton {
    fn new(parsed: &Hir, role: Role) -> Option<Self> {
        let limits = thompson::Config::new().nfa_size_limit(Some(MAX_AUTOMATON));
        let nfa = thompson::Compiler::new().configure(limits).build_from_hir(parsed).ok()?;
        // State ids stay valid: the search ends instead of starting over with an empty cache.
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(MAX_AUTOMATON)
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache, role })
    }

    fn start(&mut self) -> Option<State> {
        self.dfa.start_state_forward(&mut self.cache, &Input::new("")).ok().map(Some)
    }

    /// The state after a character. A match is seen one byte after its end.
    fn step(&mut self, state: State, character: char) -> Option<State> {
        let Some(mut state) = state else { return Some(None) };
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            state = self.dfa.next_state(&mut self.cache, state, byte).ok()?;
            if state.is_match() {
                return Some(None);
            }
        }
        (!state.is_quit()).then_some(Some(state))
    }

    fn ends_well(&mut self, state: State) -> Option<bool> {
        let matches = match state {
            None => true,
            Some(state) => self.dfa.next_eoi_state(&mut self.cache, state).ok()?.is_match(),
        };
        Some(matches == (self.role == Role::Matching))
    }
}

fn accepted(automata: &mut [Automaton], states: &[State]) -> Option<bool> {
    for (automaton, state) in automata.iter_mut().zip(states) {
        if !automaton.ends_well(*state)? {
            return Some(false);
        }
    }
    Some(true)
}

/// The states after a character; `None` inside if no string that continues this way is wanted.
fn stepped(automata: &mut [Automaton], states: &[State], character: char) -> Option<Option<Vec<State>>> {
    let mut next = Vec::with_capacity(states.len());
    for (automaton, state) in automata.iter_mut().zip(states) {
        let state = automaton.step(*state, character)?;
        match (automaton.role, state) {
            (Role::Refusing, None) => return Some(None),
            (Role::Matching, Some(state)) if state.is_dead() => return Some(None),
            _ => next.push(state),
        }
    }
    Some(Some(next))
}

/// The characters at which patterns start to treat characters differently.
#[derive(Debug, Default)]
struct Alphabet {
    bounds: BTreeSet<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    Whole,
    Part,
}

impl Alphabet {
    fn range(&mut self, first: u32, last: u32) {
        self.bounds.insert(first);
        self.bounds.insert(last.saturating_add(1));
    }

    fn add(&mut self, parsed: &Hir) {
        let Ok(()) = hir::visit(parsed, Bounds(self));
    }

    /// This many characters of each class, the most readable first.
    fn characters(mut self, of_each: usize) -> (Vec<char>, Coverage) {
        for (first, last) in [('a', 'z'), ('A', 'Z'), ('0', '9')] {
            self.range(first.into(), last.into());
        }
        self.range(0, char::MAX.into());
        let bounds: Vec<u32> = self.bounds.into_iter().collect();
        let mut of_parts: BTreeMap<usize, Vec<char>> = BTreeMap::new();
        for character in COMMON.chars() {
            let part = bounds.partition_point(|bound| *bound <= character.into());
            let found = of_parts.entry(part).or_default();
            if found.len() < of_each {
                found.push(character);
            }
        }
        let mut rare = Vec::new();
        for (index, bound) in bounds.iter().enumerate() {
            let end = bounds.get(index + 1).copied().unwrap_or(u32::from(char::MAX) + 1);
            if !of_parts.contains_key(&(index + 1)) {
                // Surrogates are not characters.
                let first = [*bound, 0xE000].into_iter().filter(|code| (*bound..end).contains(code));
                rare.extend(first.filter_map(char::from_u32).next());
            }
        }
        rare.sort_by_key(|character| character.is_control());
        let common = of_parts.into_values().flatten().collect::<BTreeSet<char>>();
        let all: Vec<char> =
            COMMON.chars().filter(|character| common.contains(character)).chain(rare).collect();
        let coverage = if all.len() > MAX_ALPHABET { Coverage::Part } else { Coverage::Whole };
        (all.into_iter().take(MAX_ALPHABET).collect(), coverage)
    }
}

/// Collects the classes that a pattern distinguishes, without recursion.
struct Bounds<'a>(&'a mut Alphabet);

impl hir::Visitor for Bounds<'_> {
    type Output = ();
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_pre(&mut self, part: &Hir) -> Result<(), Self::Err> {
        match part.kind() {
            HirKind::Literal(literal) => {
                for character in String::from_utf8_lossy(&literal.0).chars() {
                    self.0.range(character.into(), character.into());
                }
            }
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.iter() {
                    self.0.range(range.start().into(), range.end().into());
                }
            }
            HirKind::Class(Class::Bytes(class)) => {
                for range in class.iter() {
                    self.0.range(range.start().into(), range.end().into());
                }
            }
            HirKind::Look(Look::StartLF | Look::EndLF) => self.0.range('\n'.into(), '\n'.into()),
            HirKind::Look(Look::Start | Look::End) => {}
            HirKind::Look(_) => {
                for (first, last) in [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')] {
                    self.0.range(first.into(), last.into());
                }
            }
            HirKind::Empty
            | HirKind::Repetition(_)
            | HirKind::Capture(_)
            | HirKind::Concat(_)
            | HirKind::Alternation(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STEPS: usize = 200_000;

    fn made(matching: &[&str], refusing: &[&str], lengths: (usize, Option<usize>), count: usize) -> Texts {
        let [matching, refusing] = [matching, refusing].map(|patterns| -> Vec<Matcher> {
            patterns.iter().map(|pattern| Matcher::new(pattern.as_bytes()).unwrap()).collect()
        });
        let wanted = Wanted {
            matching: matching.iter().collect(),
            refusing: refusing.iter().collect(),
            least: lengths.0,
            most: lengths.1,
        };
        texts(&wanted, count, &mut { STEPS })
    }

    /// The patterns to match and not to match, the length, and the string.
    type Row = (&'static [&'static str], &'static [&'static str], (usize, Option<usize>), &'static str);

    #[test]
    fn the_shortest_string_of_a_pattern() {
        let rows: &[Row] = &[
            (&["^[a-z]+$"], &[], (0, None), "a"),
            (&["^[a-z]+$"], &["^[a-z]{3,5}$"], (0, None), "a"),
            (&["^[a-z]+$"], &["^[a-z]{3,5}$"], (3, None), "aaaaaa"),
            (&["^[a-z]{2,}$"], &["^[a-z]*$|^aa"], (0, None), ""),
            (&["b"], &["^b"], (0, None), "ab"),
            (&[], &[], (4, Some(9)), "aaaa"),
            (&["^sha256:[a-f0-9]{6}$"], &[], (0, None), "sha256:aaaaaa"),
            (&[r"^\d{1,3}(\.\d{1,3}){3}$"], &[], (0, None), "0.0.0.0"),
            (&["^(?i)ok$"], &["^ok$", "^OK$"], (0, None), "oK"),
            (&[r"\bx\b"], &["^x"], (0, None), "-x"),
            (&["^[^a-z]$"], &["^[0-9A-Z]$"], (0, None), "-"),
            (&["^[äö]$"], &["ä"], (0, None), "ö"),
            (&["(?m)^b$"], &["^b"], (0, None), "\nb"),
            (&["^a*$"], &[], (3, Some(2)), ""),
            (&["^(foo|bar)$", "r$"], &[], (0, None), "bar"),
        ];
        for (matching, refusing, lengths, expected) in rows {
            let found = made(matching, refusing, *lengths, 1);
            assert_eq!(found.texts.concat(), *expected, "{matching:?} without {refusing:?}: {found:?}");
            assert_ne!(found.end, End::GaveUp, "{matching:?}");
        }
    }

    #[test]
    fn several_strings_are_different() {
        assert_eq!(made(&["^[a-c]$"], &[], (0, None), 3).texts, ["a", "b", "c"]);
        let few = made(&["^[ab]?$"], &[], (0, None), 9);
        assert_eq!((few.texts, few.end), (vec![String::new(), "a".to_owned(), "b".to_owned()], End::NoMore));
    }

    #[test]
    fn a_pattern_that_includes_another_leaves_no_string() {
        for (narrow, wide) in
            [("^[a-z]{3,5}$", "^[a-z]+$"), ("^[0-9a-f]+$", "^[a-f0-9]{1,}$"), ("^é$", "^.$")]
        {
            let found = made(&[narrow], &[wide], (0, None), 1);
            assert_eq!((found.texts.len(), found.end), (0, End::NoMore), "{narrow} in {wide}");
        }
    }

    #[test]
    fn work_is_limited() {
        let hostile = ["^(a|b)*a(a|b){900}$", r"^(\pL{30}){30}$", "^((a{1,10}){1,10}){1,10}b$", "^x{1000}$"];
        for pattern in hostile {
            let mut steps = 20_000;
            let regexp = Matcher::new(pattern.as_bytes()).unwrap();
            let refused = Matcher::new(b"^(a|b)*b(a|b){12}$").unwrap();
            let wanted = Wanted { matching: vec![&regexp], refusing: vec![&refused], ..Wanted::default() };
            for text in texts(&wanted, 1, &mut steps).texts {
                assert_eq!((regexp.is_match(&text), refused.is_match(&text)), (Some(true), Some(false)));
            }
            assert!(steps < 20_000);
        }
        assert_eq!(made(&["a"], &[], (usize::MAX, None), 1).end, End::GaveUp);
    }

    fn small_pattern() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec![
            "a", "b", "[a-c]", "[^a]", r"\d", r"\w", r"\pL", ".", "^", "$", r"\b", r"\B", "(?i:k)", "-", "é",
        ]);
        part.prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("({})", parts.join("|"))),
                (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}"]))
                    .prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn generated_strings_meet_the_requirements(wide in small_pattern(), narrow in small_pattern(), least in 0_usize..5) {
            let [wide, narrow] = [wide, narrow].map(|pattern| Matcher::new(pattern.as_bytes()).unwrap());
            let wanted = Wanted {
                matching: vec![&wide],
                refusing: vec![&narrow],
                least,
                most: Some(least + 4),
            };
            for text in texts(&wanted, 3, &mut 20_000).texts {
                prop_assert!(wide.is_match(&text) == Some(true), "{text:?}");
                prop_assert!(narrow.is_match(&text) == Some(false), "{text:?}");
                prop_assert!((least..=least + 4).contains(&text.chars().count()), "{text:?}");
            }
        }
    }
}
