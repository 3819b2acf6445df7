//! Replacing in text that remembers where it comes from; the patterns themselves are a crate of their own.

use std::ops::Range;

use trueline_gotemplate::{Str, StrBuilder, Trace};

pub use trueline_regexp::{Count, Regexp, quote_meta};

/// The text with each match replaced by the template, in which `$1`, `${1}` and `$name` stand for groups. What
/// is copied keeps its traces.
pub(crate) fn replace_all(pattern: &Regexp, text: &Str, template: &[u8]) -> Str {
    if !template.contains(&b'$') {
        return replace_all_literal(pattern, text, template);
    }
    let mut out = StrBuilder::with_capacity(text.len());
    let mut end = 0;
    for captures in pattern.captures_all(text.as_bytes()) {
        let group = |index: usize| captures.get(index).cloned().flatten();
        let Some(whole) = group(0) else { continue };
        out.push_part(text, end..whole.start, Trace::Unknown);
        expand(pattern, template, text, &group, &mut out);
        end = whole.end;
    }
    out.push_part(text, end..text.len(), Trace::Unknown);
    out.finish()
}

/// The text with each match replaced by another text.
pub(crate) fn replace_all_literal(pattern: &Regexp, text: &Str, replacement: &[u8]) -> Str {
    let mut out = StrBuilder::with_capacity(text.len());
    let mut end = 0;
    for found in pattern.find_all(text.as_bytes(), Count::All) {
        out.push_part(text, end..found.start, Trace::Unknown);
        out.push(replacement, Trace::Unknown);
        end = found.end;
    }
    out.push_part(text, end..text.len(), Trace::Unknown);
    out.finish()
}

fn expand(
    pattern: &Regexp,
    template: &[u8],
    text: &Str,
    group: &dyn Fn(usize) -> Option<Range<usize>>,
    out: &mut StrBuilder,
) {
    let mut rest = template;
    while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
        out.push(rest.get(..dollar).unwrap_or_default(), Trace::Unknown);
        rest = rest.get(dollar + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"$") {
            out.push(b"$", Trace::Unknown);
            rest = after;
            continue;
        }
        let Some((name, after)) = group_name(rest) else {
            out.push(b"$", Trace::Unknown);
            continue;
        };
        rest = after;
        let found = match group_number(name) {
            Some(number) => group(number),
            None => {
                let named = pattern.group_names().iter().enumerate().filter(|(_, own)| *own == name);
                named.filter_map(|(index, _)| group(index + 1)).next()
            }
        };
        out.push_part(text, found.unwrap_or_default(), Trace::Unknown);
    }
    out.push(rest, Trace::Unknown);
}

/// The longest name after a dollar, with or without braces, and what follows.
fn group_name(text: &[u8]) -> Option<(&str, &[u8])> {
    let inside = text.strip_prefix(b"{").unwrap_or(text);
    let valid = inside.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = valid.find(|character: char| !(character.is_alphanumeric() || character == '_'));
    let name = valid.get(..end.unwrap_or(valid.len())).filter(|name| !name.is_empty())?;
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

    fn texts(text: &[u8], ranges: &[Range<usize>]) -> Vec<String> {
        ranges.iter().map(|range| String::from_utf8_lossy(&text[range.clone()]).into_owned()).collect()
    }

    #[test]
    fn replacing_finding_splitting() {
        type Row = (&'static str, &'static [u8], &'static str, &'static [u8], &'static [&'static str], usize);
        // Pattern, text, template, what replacing gives, the matches, the number of parts.
        let rows: &[Row] = &[
            ("a*", b"baaab", "X", b"XbXbX", &["", "aaa", ""], 2),
            (
                r"(\w+)@(?P<h>\w+)",
                b"me@home you@work",
                "$h:$1 ${1}x $1x $$ $ ${h",
                b"home:me mex  $ $ ${h work:you youx  $ $ ${h",
                &["me@home", "you@work"],
                3,
            ),
            (r"\B", "éa b".as_bytes(), "|", "|éa b".as_bytes(), &[""], 1),
            (r"\b", "éa b".as_bytes(), "|", "é|a| |b|".as_bytes(), &["", "", "", ""], 4),
            (".", b"a\xffb", "<$0>", b"<a><\xff><b>", &["a", "\u{fffd}", "b"], 4),
            (r"\x{FFFD}", b"a\xffb", "x", b"axb", &["\u{fffd}"], 2),
            ("(a)|(b)", b"ab", "[$1$2]", b"[a][b]", &["a", "b"], 3),
            ("", b"abc", "-", b"-a-b-c-", &["", "", "", ""], 3),
            ("$", b"a\nb\n", "E", b"a\nb\nE", &[""], 1),
            ("(?m)$", b"a\nb\n", "E", b"aE\nbE\nE", &["", "", ""], 3),
            ("(?m)^", b"a\nb\n", "S", b"Sa\nSb\nS", &["", "", ""], 2),
            ("(?s).+", b"a\nb", "x", b"x", &["a\nb"], 2),
            ("(?U)a+", b"aaa", "x", b"xxx", &["a", "a", "a"], 4),
            ("(?i)[^a]", b"aAb", "x", b"aAx", &["b"], 2),
            (r"\s+", b" \x0b\t", "x", b"x\x0bx", &[" ", "\t"], 3),
            ("(a|ab)(c|bcd)", b"abcd", "$1-$2", b"a-bcd", &["abcd"], 2),
            ("x*", b"", "y", b"y", &[""], 1),
            (r"[\D]", b"a1", "x", b"x1", &["a"], 2),
            (r"(?i)\w", "ſ".as_bytes(), "x", b"x", &["ſ"], 2),
            ("(?P<a>x)|(?P<a>y)", b"xy", "<$a>", b"<x><y>", &["x", "y"], 3),
            (r"\pL+", "aé1".as_bytes(), "x", b"x1", &["aé"], 2),
            (r"[^\x00-\x{10FFFF}]", b"a", "x", b"a", &[], 1),
            (r"\Qa*b\Ec", b"a*bc", "x", b"x", &["a*bc"], 2),
            (r"\101\x42\a", b"AB\x07", "x", b"x", &["AB\x07"], 2),
            ("a{,5}", b"a{,5}", "x", b"x", &["a{,5}"], 2),
            ("[]a]+", b"a]", "x", b"x", &["a]"], 2),
            ("[[:upper:]_-]+", b"A_-b", "x", b"xb", &["A_-"], 2),
        ];
        for (pattern, text, template, replaced, found, parts) in rows {
            let regexp = Regexp::compile(pattern.as_bytes()).unwrap();
            let actual = replace_all(&regexp, &Str::from(*text), template.as_bytes());
            assert_eq!(actual.text(), String::from_utf8_lossy(replaced), "{pattern}");
            assert_eq!(&texts(text, &regexp.find_all(text, Count::All)), found, "{pattern}");
            assert_eq!(regexp.split(text, Count::All).len(), *parts, "{pattern}");
            assert_eq!(regexp.is_match(text), !found.is_empty(), "{pattern}");
            assert_eq!(regexp.find(text).is_some(), !found.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn what_is_copied_keeps_its_traces() {
        let span = |start| trueline_source::SourceId::from_index(0).span(start, start + 5);
        let mut builder = StrBuilder::default();
        builder.push(b"a <<", Trace::Unknown);
        builder.push(b"one", Trace::Value(span(10)));
        builder.push(b">> ", Trace::Unknown);
        builder.push(b"two", Trace::Value(span(20)));
        let replaced = replace_all(&Regexp::compile(b"<<(.*?)>>").unwrap(), &builder.finish(), b"[$1]");
        assert_eq!(replaced.text(), "a [one] two");
        assert_eq!(replaced.trace_at(3), Trace::Value(span(10)));
        assert_eq!(replaced.trace_at(6), Trace::Unknown);
        assert_eq!(replaced.trace_at(8), Trace::Value(span(20)));
    }
}
