//! Patterns for paths as charts write them: `*` and `?` stop at `/`, `**` does not, `[a-z]`, `[!abc]`,
//! `{one,two}`.

use std::collections::BTreeSet;

/// A pattern that was read.
#[derive(Debug, Clone)]
pub struct Glob {
    parts: Vec<Part>,
}

/// What may not be matched by `*` and `?`.
const SEPARATOR: char = '/';

/// How deep alternatives may be nested; deeper ones are refused rather than walked.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    /// Any run without a separator.
    Any,
    /// Any run at all.
    Super,
    /// One character that is no separator.
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
    AnyOf(Vec<Vec<Part>>),
}

impl Glob {
    /// Reads a pattern; the error is the text the Go library gives.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        if pattern.contains(char::REPLACEMENT_CHARACTER) {
            return Err("could not read rune".to_owned());
        }
        let mut reader = Reader { rest: pattern };
        // An unclosed brace ends with the pattern.
        Ok(Self { parts: reader.alternatives(0)?.pop().unwrap_or_default() })
    }

    /// Whether the whole path matches.
    pub fn matches(&self, path: &str) -> bool {
        step(&self.parts, path, BTreeSet::from([0])).contains(&path.len())
    }
}

/// The places that can be reached in the path from those given, each part in its turn. Working on all places
/// at once keeps the time within parts times length, whatever the pattern.
fn step(parts: &[Part], path: &str, from: BTreeSet<usize>) -> BTreeSet<usize> {
    let mut places = from;
    for part in parts {
        let mut next = BTreeSet::new();
        match part {
            Part::Any | Part::Super => reach(part, path, &places, &mut next),
            Part::AnyOf(alternatives) => {
                for alternative in alternatives {
                    next.extend(step(alternative, path, places.clone()));
                }
            }
            _ => {
                let rests = places.iter().filter_map(|place| Some((*place, path.get(*place..)?)));
                next.extend(rests.filter_map(|(place, rest)| Some(place + part.length_at(rest)?)));
            }
        }
        places = next;
        if places.is_empty() {
            break;
        }
    }
    places
}

/// Extends a run of any length from each place.
fn reach(part: &Part, path: &str, from: &BTreeSet<usize>, into: &mut BTreeSet<usize>) {
    let mut running = false;
    for (place, character) in path.char_indices() {
        running |= from.contains(&place);
        if running {
            into.insert(place);
        }
        if character == SEPARATOR && matches!(part, Part::Any) {
            running = false;
        }
    }
    if running || from.contains(&path.len()) {
        into.insert(path.len());
    }
}

impl Part {
    /// How many bytes the part takes at the start of a text, if it fits there.
    fn length_at(&self, text: &str) -> Option<usize> {
        if let Self::Text(own) = self {
            return text.starts_with(own.as_str()).then_some(own.len());
        }
        let character = text.chars().next()?;
        let fits = match self {
            Self::Single => character != SEPARATOR,
            Self::List { characters, negated } => characters.contains(character) != *negated,
            Self::Range { low, high, negated } => (*low <= character && character <= *high) != *negated,
            Self::Text(_) | Self::Any | Self::Super | Self::AnyOf(_) => false,
        };
        fits.then_some(character.len_utf8())
    }
}

struct Reader<'a> {
    rest: &'a str,
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

    /// Reads alternatives up to the closing brace, or, outside of braces, one up to the end.
    fn alternatives(&mut self, depth: usize) -> Result<Vec<Vec<Part>>, String> {
        if depth > MAX_DEPTH {
            return Err("too many nested alternatives".to_owned());
        }
        let mut done = Vec::new();
        let mut parts = Vec::new();
        while let Some(character) = self.peek() {
            match character {
                '{' => {
                    self.next();
                    parts.push(Part::AnyOf(self.alternatives(depth + 1)?));
                }
                ',' if depth > 0 => {
                    self.next();
                    done.push(std::mem::take(&mut parts));
                }
                '}' if depth > 0 => {
                    self.next();
                    break;
                }
                '[' => {
                    self.next();
                    parts.push(self.class()?);
                }
                '?' => {
                    self.next();
                    parts.push(Part::Single);
                }
                '*' => {
                    self.next();
                    let double = self.peek() == Some('*');
                    if double {
                        self.next();
                    }
                    parts.push(if double { Part::Super } else { Part::Any });
                }
                _ => {
                    let stops: &[char] =
                        if depth > 0 { &['?', '*', '[', '{', '}', ','] } else { &['?', '*', '[', '{'] };
                    let text = self.text(stops);
                    if !text.is_empty() {
                        parts.push(Part::Text(text));
                    }
                }
            }
        }
        done.push(parts);
        Ok(done)
    }

    /// Text up to one of the stops, without its backslashes.
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

    /// What stands between brackets: one range, or one list.
    fn class(&mut self) -> Result<Part, String> {
        let ended = || "unexpected end of input".to_owned();
        let negated = self.peek() == Some('!');
        if negated {
            self.next();
        }
        let first = self.peek().ok_or_else(ended)?;
        let is_range = self.rest.chars().nth(1) == Some('-');
        let part = if is_range {
            self.next();
            self.next();
            let high = self.next().ok_or_else(ended)?;
            Part::Range { low: first, high, negated }
        } else {
            Part::List { characters: self.text(&[']']), negated }
        };
        match self.next() {
            None => return Err(ended()),
            Some(']') => {}
            Some(_) => return Err("expected close range character".to_owned()),
        }
        match &part {
            Part::Range { low, high, .. } if high < low => {
                Err(format!("hi character '{high}' should be greater than lo '{low}'"))
            }
            Part::List { characters, .. } if characters.is_empty() => Err("could not parse range".to_owned()),
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
            assert_eq!(Glob::parse(pattern).unwrap_err(), expected, "{pattern}");
        }
        assert!(Glob::parse(&"{".repeat(100_000)).is_err());
    }

    #[test]
    fn hostile_patterns_end() {
        assert!(!Glob::parse(&"*a".repeat(50)).unwrap().matches(&"a".repeat(40)));
        assert!(!Glob::parse(&"**a".repeat(200)).unwrap().matches(&format!("{}b", "a".repeat(2000))));
    }
}
