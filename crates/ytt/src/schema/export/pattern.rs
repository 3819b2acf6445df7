//! Regular expressions: Go's as they are, and as JSON Schema has them.

/// A regular expression that a string has to match somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// As Go reads it.
    pub(super) go: String,
    /// The same for ECMAScript, if it can be said there.
    pub(super) portable: Option<String>,
}

impl Pattern {
    pub(super) fn written(source: &str) -> Pattern {
        Pattern { go: source.to_owned(), portable: portable(source) }
    }

    fn literal(pattern: String) -> Pattern {
        Pattern { portable: Some(pattern.clone()), go: pattern }
    }

    pub(super) fn starting(text: &str) -> Pattern {
        Pattern::literal(format!("^{}", escaped(text)))
    }

    pub(super) fn ending(text: &str) -> Pattern {
        Pattern::literal(format!("{}$", escaped(text)))
    }

    pub(super) fn containing(text: &str) -> Pattern {
        Pattern::literal(escaped(text))
    }
}

const SYNTAX: &str = "^$\\.*+?()[]{}|/";

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '/' => out.push('/'),
            _ if SYNTAX.contains(character) => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}

/// What Go takes for white space.
const SPACE: &str = "\\t\\n\\f\\r ";

/// A pattern of Go in the words of ECMAScript; none if it uses what only Go has.
fn portable(source: &str) -> Option<String> {
    let mut reader = Reader { rest: source, out: String::with_capacity(source.len()) };
    while let Some(character) = reader.next() {
        match character {
            '\\' => reader.escape(PatternPart::Outside)?,
            '[' => reader.class()?,
            // A line feed is all that Go does not match.
            '.' => reader.out.push_str("[^\\n]"),
            '(' => reader.group()?,
            '{' if !reader.is_repetition() => reader.out.push_str("\\{"),
            '}' | ']' if !reader.out.ends_with(|last: char| last.is_ascii_digit() || last == ',') => {
                reader.out.push('\\');
                reader.out.push(character);
            }
            other => reader.out.push(other),
        }
    }
    Some(reader.out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternPart {
    Outside,
    Class,
}

struct Reader<'s> {
    rest: &'s str,
    out: String,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        Some(character)
    }

    /// Whether what follows a brace makes it a repetition: `2}`, `2,}` or `2,3}`.
    fn is_repetition(&self) -> bool {
        let Some((inside, _)) = self.rest.split_once('}') else { return false };
        let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
        !least.is_empty() && [least, most].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn escape(&mut self, place: PatternPart) -> Option<()> {
        match self.next()? {
            character @ ('d' | 'D' | 'w' | 'W' | 'n' | 'r' | 't' | 'f' | 'v') => {
                self.out.push('\\');
                self.out.push(character);
            }
            character @ ('b' | 'B') if place == PatternPart::Outside => {
                self.out.push('\\');
                self.out.push(character);
            }
            's' if place == PatternPart::Class => self.out.push_str(SPACE),
            's' => self.out.push_str(&format!("[{SPACE}]")),
            'S' if place == PatternPart::Outside => self.out.push_str(&format!("[^{SPACE}]")),
            'A' if place == PatternPart::Outside => self.out.push('^'),
            'z' if place == PatternPart::Outside => self.out.push('$'),
            '-' if place == PatternPart::Class => self.out.push_str("\\-"),
            character if SYNTAX.contains(character) => {
                self.out.push('\\');
                self.out.push(character);
            }
            character if character.is_ascii_punctuation() => self.out.push(character),
            _ => return None,
        }
        Some(())
    }

    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if let Some(rest) = self.rest.strip_prefix('^') {
            self.out.push('^');
            self.rest = rest;
        }
        // A bracket that comes first is one of the characters.
        if let Some(rest) = self.rest.strip_prefix(']') {
            self.out.push_str("\\]");
            self.rest = rest;
        }
        loop {
            match self.next()? {
                ']' => break,
                '[' if self.rest.starts_with(':') => return None,
                '[' => self.out.push_str("\\["),
                '\\' => self.escape(PatternPart::Class)?,
                other => self.out.push(other),
            }
        }
        self.out.push(']');
        Some(())
    }

    /// Groups; their names do not matter.
    fn group(&mut self) -> Option<()> {
        let Some(rest) = self.rest.strip_prefix('?') else {
            self.out.push('(');
            return Some(());
        };
        if let Some(rest) = rest.strip_prefix(':') {
            self.out.push_str("(?:");
            self.rest = rest;
            return Some(());
        }
        let name = rest.strip_prefix("P<").or_else(|| rest.strip_prefix('<'))?;
        self.rest = name.split_once('>')?.1;
        self.out.push('(');
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_go_has_is_not_portable() {
        for (go, ecma) in [
            ("^[a-z]+$", Some("^[a-z]+$")),
            ("a.b", Some("a[^\\n]b")),
            ("\\s\\S", Some("[\\t\\n\\f\\r ][^\\t\\n\\f\\r ]")),
            ("[\\s\\-\\]]", Some("[\\t\\n\\f\\r \\-\\]]")),
            ("[]a]", Some("[\\]a]")),
            ("(?P<x>a)(?:b)", Some("(a)(?:b)")),
            ("\\Aa\\z", Some("^a$")),
            ("a{2,3}b{,3}", Some("a{2,3}b\\{,3}")),
            ("\\/\\:", Some("\\/:")),
            ("(?i)a", None),
            ("[[:alpha:]]", None),
            ("\\pL", None),
            ("\\Qa\\E", None),
            ("\\x{1F600}", None),
            ("[\\S]", None),
        ] {
            assert_eq!(portable(go).as_deref(), ecma, "{go}");
        }
    }

    #[test]
    fn literals_are_escaped() {
        assert_eq!(Pattern::starting("a.b/").go, "^a\\.b/");
        assert_eq!(Pattern::ending(".git").go, "\\.git$");
        assert_eq!(Pattern::containing("a\n{").go, "a\\n\\{");
    }
}
