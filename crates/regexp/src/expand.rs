//! Expands `$1`, `${1}` and `$name` in a replacement.

use std::ops::Range;

use trueline_gostd::unicode::{first_character, is_alphanumeric};

use crate::{Groups, Regexp};

/// A part of a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'t> {
    /// It is in the template.
    Template(&'t [u8]),
    /// It is a part of the searched text.
    Match(Range<usize>),
}

impl Regexp {
    /// Calls `out` with each part of the replacement of a match: the template with its groups inserted. A name
    /// that is not a group of the match is replaced by nothing.
    pub fn expand<'t>(&self, template: &'t [u8], groups: &Groups, out: &mut dyn FnMut(Piece<'t>)) {
        let group = |index: usize| groups.get(index).cloned().flatten();
        let mut rest = template;
        while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
            let (before, from) = rest.split_at(dollar);
            out(Piece::Template(before));
            rest = from.get(1..).unwrap_or_default();
            if let Some(after) = rest.strip_prefix(b"$") {
                out(Piece::Template(b"$"));
                rest = after;
                continue;
            }
            let Some((name, after)) = group_name(rest) else {
                out(Piece::Template(b"$"));
                continue;
            };
            rest = after;
            let found = match group_number(name) {
                Some(number) => group(number),
                None => {
                    let named = self.group_names().iter().enumerate().filter(|(_, own)| *own == name);
                    named.filter_map(|(index, _)| group(index + 1)).next()
                }
            };
            out(Piece::Match(found.unwrap_or_default()));
        }
        out(Piece::Template(rest));
    }
}

/// The longest name after a dollar, with or without braces, and what follows.
fn group_name(text: &[u8]) -> Option<(&str, &[u8])> {
    let inside = text.strip_prefix(b"{").unwrap_or(text);
    let mut end = 0;
    while let Some((character, width)) = inside.get(end..).and_then(first_character)
        && is_alphanumeric(character)
    {
        end += width;
    }
    let name = std::str::from_utf8(inside.get(..end)?).ok().filter(|name| !name.is_empty())?;
    let rest = inside.get(name.len()..)?;
    if inside.len() < text.len() {
        return rest.strip_prefix(b"}").map(|rest| (name, rest));
    }
    Some((name, rest))
}

fn group_number(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if plain && name.len() <= 9 { name.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The replacements of the matches, one after the other.
    fn expanded(pattern: &str, text: &str, template: &str) -> String {
        let regexp = Regexp::new(pattern.as_bytes()).unwrap();
        let mut out = Vec::new();
        let found = regexp.captures_for(text.as_bytes(), &mut |groups, _| {
            regexp.expand(template.as_bytes(), groups, &mut |piece| match piece {
                Piece::Template(part) => out.extend_from_slice(part),
                Piece::Match(range) => out.extend_from_slice(&text.as_bytes()[range]),
            });
            Ok::<(), ()>(())
        });
        assert_eq!(found, Ok(()));
        String::from_utf8(out).unwrap()
    }

    /// The results were recorded from Go's `ReplaceAllString`.
    #[test]
    fn groups_by_number_and_name() {
        for (pattern, text, template, result) in [
            (r"(\w+)@(?P<h>\w+)", "me@home", "$h:$1 ${1}x $1x $$ $ ${h", "home:me mex  $ $ ${h"),
            ("(a)(b)?", "a", "<$0|$1|$2|$3>", "<a|a||>"),
            ("(?P<x>a)|(?P<x>b)", "ab", "<$x>", "<a><b>"),
            ("(a)", "a", "$01 ${01} $1_ ${1}_ $100000000000", "   a_ "),
            ("(?P<e>a)", "a", "$e½${e}é$eé", "a½aé"),
            ("(a)", "a", "${} ${ $- ${1", "${} ${ $- ${1"),
        ] {
            assert_eq!(expanded(pattern, text, template), result, "{pattern} {template}");
        }
    }
}
