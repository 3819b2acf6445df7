//! Path patterns as in charts: `*` and `?` stop at `/`, `**` does not, `[a-z]`, `[!abc]`, `{one,two}`. A
//! pattern becomes a list of steps; all steps that a path can be at are followed in parallel, so the time is at
//! most steps times length, however alternatives are nested.

use std::fmt;

/// Why a string is no pattern. It prints in the words of the Go library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobError {
    /// It has a character that is no character.
    NotReadable,
    /// It ends inside of brackets.
    Unended,
    /// Something else than `]` comes after a range.
    NotClosed,
    /// A range ends before it begins: its ends.
    Reversed(char, char),
    /// There is nothing between brackets.
    Empty,
}

impl fmt::Display for GlobError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GlobError::NotReadable => formatter.write_str("could not read rune"),
            GlobError::Unended => formatter.write_str("unexpected end of input"),
            GlobError::NotClosed => formatter.write_str("expected close range character"),
            GlobError::Reversed(low, high) => {
                write!(formatter, "hi character '{high}' should be greater than lo '{low}'")
            }
            GlobError::Empty => formatter.write_str("could not parse range"),
        }
    }
}

impl std::error::Error for GlobError {}

/// A parsed pattern.
#[derive(Debug, Clone)]
pub struct Glob {
    steps: Vec<Step>,
}

/// The separators, which `*` and `?` do not match.
const SEPARATOR: char = '/';

#[derive(Debug, Clone)]
enum Step {
    Character(char),
    /// Any characters except separators.
    Any,
    /// Any characters.
    Super,
    /// One character that is not a separator.
    Single,
    List {
        characters: String,
        negated: bool,
    },
    Range {
        low: char,
        high: char,
        negated: bool,
    },
    /// Continues at all of these.
    Fork(Vec<usize>),
    /// Continues there.
    Jump(usize),
}

impl Glob {
    /// Reads a pattern.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        if pattern.contains(char::REPLACEMENT_CHARACTER) {
            return Err(GlobError::NotReadable);
        }
        let mut reader = Reader { rest: pattern, steps: Vec::new(), open: Vec::new() };
        reader.pattern()?;
        Ok(Self { steps: reader.steps })
    }

    /// Whether the whole path matches.
    pub fn matches(&self, path: &str) -> bool {
        let mut places = Places { steps: &self.steps, seen: vec![0; self.steps.len() + 1], turn: 0 };
        let mut current = places.reached([0]);
        for character in path.chars() {
            let next = current.iter().filter_map(|place| self.steps.get(*place)?.after(*place, character));
            current = places.reached(next.collect::<Vec<_>>());
            if current.is_empty() {
                return false;
            }
        }
        current.contains(&self.steps.len())
    }
}

impl Step {
    /// The place after a character, if it matches here.
    fn after(&self, place: usize, character: char) -> Option<usize> {
        let fits = match self {
            Self::Any => return (character != SEPARATOR).then_some(place),
            Self::Super => return Some(place),
            Self::Fork(_) | Self::Jump(_) => false,
            Self::Character(own) => *own == character,
            Self::Single => character != SEPARATOR,
            Self::List { characters, negated } => characters.contains(character) != *negated,
            Self::Range { low, high, negated } => (*low <= character && character <= *high) != *negated,
        };
        fits.then_some(place + 1)
    }
}

/// The places that a path is at.
struct Places<'a> {
    steps: &'a [Step],
    /// The turn in which each place was last reached.
    seen: Vec<usize>,
    turn: usize,
}

impl Places<'_> {
    /// All places that can be reached from these without another character.
    fn reached(&mut self, from: impl Into<Vec<usize>>) -> Vec<usize> {
        self.turn += 1;
        let mut waiting = from.into();
        let mut reached = Vec::new();
        while let Some(place) = waiting.pop() {
            match self.seen.get_mut(place) {
                Some(seen) if *seen < self.turn => *seen = self.turn,
                _ => continue,
            }
            match self.steps.get(place) {
                Some(Step::Fork(targets)) => waiting.extend(targets),
                Some(Step::Jump(target)) => waiting.push(*target),
                Some(Step::Any | Step::Super) => {
                    waiting.push(place + 1);
                    reached.push(place);
                }
                _ => reached.push(place),
            }
        }
        reached
    }
}

/// Braces that are not closed yet.
struct Braces {
    fork: usize,
    /// The jumps at the ends of alternatives.
    jumps: Vec<usize>,
}

struct Reader<'a> {
    rest: &'a str,
    steps: Vec<Step>,
    open: Vec<Braces>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        Some(character)
    }

    fn pattern(&mut self) -> Result<(), GlobError> {
        while let Some(character) = self.next() {
            match character {
                '{' => {
                    let fork = self.steps.len();
                    self.steps.push(Step::Fork(vec![fork + 1]));
                    self.open.push(Braces { fork, jumps: Vec::new() });
                }
                ',' if !self.open.is_empty() => self.next_alternative(),
                '}' if !self.open.is_empty() => self.close(),
                '[' => {
                    let class = self.class()?;
                    self.steps.push(class);
                }
                '?' => self.steps.push(Step::Single),
                '*' => {
                    let double = self.peek() == Some('*');
                    if double {
                        self.next();
                    }
                    self.steps.push(if double { Step::Super } else { Step::Any });
                }
                '\\' => {
                    let escaped = self.next().map(Step::Character);
                    self.steps.extend(escaped);
                }
                other => self.steps.push(Step::Character(other)),
            }
        }
        // Unclosed braces end with the pattern.
        while !self.open.is_empty() {
            self.close();
        }
        Ok(())
    }

    fn next_alternative(&mut self) {
        let Some(braces) = self.open.last_mut() else { return };
        braces.jumps.push(self.steps.len());
        self.steps.push(Step::Jump(0));
        let start = self.steps.len();
        if let Some(Step::Fork(targets)) = self.steps.get_mut(braces.fork) {
            targets.push(start);
        }
    }

    fn close(&mut self) {
        let end = self.steps.len();
        for jump in self.open.pop().into_iter().flat_map(|braces| braces.jumps) {
            if let Some(step) = self.steps.get_mut(jump) {
                *step = Step::Jump(end);
            }
        }
    }

    /// Text up to one of the stops, with backslashes removed.
    fn text(&mut self, stops: &[char]) -> String {
        let mut text = String::new();
        while let Some(character) = self.peek() {
            if character == '\\' {
                self.next();
                text.extend(self.next());
            } else if stops.contains(&character) {
                break;
            } else {
                self.next();
                text.push(character);
            }
        }
        text
    }

    /// What is between brackets: one range, or one list.
    fn class(&mut self) -> Result<Step, GlobError> {
        let negated = self.peek() == Some('!');
        if negated {
            self.next();
        }
        let first = self.peek().ok_or(GlobError::Unended)?;
        let is_range = self.rest.chars().nth(1) == Some('-');
        let part = if is_range {
            self.next();
            self.next();
            let high = self.next().ok_or(GlobError::Unended)?;
            Step::Range { low: first, high, negated }
        } else {
            Step::List { characters: self.text(&[']']), negated }
        };
        match self.next() {
            None => return Err(GlobError::Unended),
            Some(']') => {}
            Some(_) => return Err(GlobError::NotClosed),
        }
        match &part {
            Step::Range { low, high, .. } if high < low => Err(GlobError::Reversed(*low, *high)),
            Step::List { characters, .. } if characters.is_empty() => Err(GlobError::Empty),
            _ => Ok(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        for (pattern, matching, other) in [
            ("", "", "a"),
            ("a.yaml", "a.yaml", "aayaml"),
            ("*", "abc", "a/b"),
            ("**", "a/b/c", ""),
            ("files/*.txt", "files/a.txt", "files/a/b.txt"),
            ("files/**.txt", "files/a/b.txt", "files/a.json"),
            ("**/x", "a/b/x", "x"),
            ("?.txt", "é.txt", "/.txt"),
            ("[a-c]x", "bx", "dx"),
            ("[!a-c]x", "dx", "bx"),
            ("[abc]", "c", "d"),
            ("[!abc]", "/", "a"),
            ("[a\\-z]", "-", "b"),
            ("[\\]]", "]", "["),
            ("{a,b/*}.txt", "b/x.txt", "c.txt"),
            ("a{b,c{d,e}}f", "acef", "acf"),
            ("{a,}b", "b", "c"),
            ("a,b", "a,b", "a"),
            ("a}b", "a}b", "ab"),
            ("\\*", "*", "a"),
            ("{a,b", "b", "c"),
            ("a*b*c", "aXbYc", "aXbY/c"),
        ] {
            let glob = Glob::parse(pattern).unwrap();
            assert!(glob.matches(matching), "{pattern} should match {matching}");
            assert!(other.is_empty() || !glob.matches(other), "{pattern} should not match {other}");
        }
    }

    #[test]
    fn errors() {
        for (pattern, expected) in [
            ("[", "unexpected end of input"),
            ("[a", "unexpected end of input"),
            ("[]", "could not parse range"),
            ("[]a]", "could not parse range"),
            ("[a-]", "unexpected end of input"),
            ("[a-z0-9]", "expected close range character"),
            ("[z-a]", "hi character 'a' should be greater than lo 'z'"),
            ("\u{fffd}", "could not read rune"),
        ] {
            assert_eq!(Glob::parse(pattern).unwrap_err().to_string(), expected, "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        assert!(!Glob::parse(&"*a".repeat(50)).unwrap().matches(&"a".repeat(40)));
        for nested in ["{a,".repeat(30_000), format!("{}b{}", "{a,".repeat(30_000), "}".repeat(30_000))] {
            let glob = Glob::parse(&nested).unwrap();
            assert_eq!(["a", "b", "c"].map(|path| glob.matches(path)), [true, nested.ends_with('}'), false]);
        }
        assert!(!Glob::parse(&"**a".repeat(200)).unwrap().matches(&format!("{}b", "a".repeat(2000))));
    }
}
