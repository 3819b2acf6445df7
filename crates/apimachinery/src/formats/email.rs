//! The format `email`: one address as mail programs write it, with or without a display name, in a group of
//! one, and with comments.

use core::net::IpAddr;

/// One address.
pub(super) fn email(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    let count = parser.address(Group::Allowed);
    count == Some(1) && parser.skip_comments() && parser.rest.is_empty()
}

/// Whether a group of addresses may appear here; a group contains no group.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Allowed,
    Forbidden,
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// How many addresses there are; `None` if it is not an address.
    fn address(&mut self, group: Group) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        if self.bare_address() {
            self.skip_space();
            return (!self.take('(') || self.comment()).then_some(1);
        }
        if !self.rest.starts_with('<') {
            self.name()?;
        }
        self.skip_space();
        if group == Group::Allowed && self.take(':') {
            return self.group();
        }
        (self.take('<') && self.bare_address() && self.take('>')).then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.take(';') {
            return self.skip_comments().then_some(0);
        }
        let mut count = 0;
        loop {
            count += self.address(Group::Forbidden)?;
            if !self.skip_comments() {
                return None;
            }
            if self.take(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// `local@domain`; rewinds if it is not an address.
    fn bare_address(&mut self) -> bool {
        let start = self.rest;
        let found = self.local_part() && self.take('@') && self.domain();
        if !found {
            self.rest = start;
        }
        found
    }

    fn local_part(&mut self) -> bool {
        self.skip_space();
        match self.rest.starts_with('"') {
            true => self.quoted().is_some_and(|length| length > 0),
            false => self.atom().is_some_and(is_strict),
        }
    }

    fn domain(&mut self) -> bool {
        self.skip_space();
        if !self.take('[') {
            return self.atom().is_some_and(is_strict);
        }
        let Some((literal, rest)) = self.rest.split_once(']') else { return false };
        self.rest = rest;
        literal.parse::<IpAddr>().is_ok()
    }

    /// The words of a display name. Whatever ends it after the first word is not consumed.
    fn name(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return None;
            }
            self.skip_space();
            let found = match self.rest.chars().next() {
                None => false,
                Some('"') => self.quoted().is_some(),
                Some(_) => self.atom().is_some(),
            };
            if !found {
                return (words > 0 || self.rest.is_empty()).then_some(());
            }
            words += 1;
        }
    }

    /// The length of a quoted string, without its escapes.
    fn quoted(&mut self) -> Option<usize> {
        let mut characters = self.rest.strip_prefix('"')?.char_indices();
        let inside = self.rest.get(1..)?;
        let mut length = 0;
        let mut escaped = false;
        for (index, character) in characters.by_ref() {
            let is_space = matches!(character, ' ' | '\t');
            match character {
                _ if escaped && (is_visible(character) || is_space) => escaped = false,
                '"' if !escaped => {
                    self.rest = inside.get(index + 1..)?;
                    return Some(length);
                }
                '\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                _ if !escaped && (is_visible(character) || is_space) => {}
                _ => return None,
            }
            length += 1;
        }
        None
    }

    /// A word with dots.
    fn atom(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|character| !is_of_atom(character)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!atom.is_empty()).then_some(atom)
    }

    fn take(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips spaces and comments; returns whether all comments are closed.
    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.take('(') {
            if !self.comment() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// A comment whose opening bracket has been read; comments may appear in comments.
    fn comment(&mut self) -> bool {
        let mut depth = 1;
        let mut characters = self.rest.chars();
        while depth > 0 {
            match characters.next() {
                None => break,
                Some('\\') => drop(characters.next()),
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some(_) => {}
            }
        }
        self.rest = characters.as_str();
        depth == 0
    }
}

/// In an address, dots are only allowed between words.
fn is_strict(atom: &str) -> bool {
    atom.split('.').all(|word| !word.is_empty())
}

fn is_visible(character: char) -> bool {
    matches!(character, '!'..='~') || character as u32 >= 0x80
}

fn is_of_atom(character: char) -> bool {
    is_visible(character)
        && !matches!(character, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let right = [
            "a@b",
            "a.b@c.d",
            "Ann <a@b>",
            "\"Ann B.\" <a@b>",
            "a@b (Ann (B))",
            " a@b ",
            "\"x y\"@b",
            "a@[127.0.0.1]",
            "group: a@b;",
            "ä@ö",
            "J. Smith <a@b>",
            "<a@b>",
        ];
        for text in right {
            assert!(email(text), "{text}");
        }
        let wrong = [
            "",
            "a",
            "a@",
            "@b",
            "a..b@c",
            ".a@b",
            "a.@b",
            "a@b, c@d",
            "group: ;",
            "group: a@b, c@d;",
            "a b@c",
            "a@b (",
            "Ann <a@b",
            "\"\"@b",
            "a@[x]",
            "a@b c",
        ];
        for text in wrong {
            assert!(!email(text), "{text}");
        }
    }
}
