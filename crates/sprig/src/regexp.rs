//! Replacing in strings that remember their origin; the patterns themselves are a separate crate.

use trueline_gotemplate::{Context, Error, Str, StrBuilder, Trace};
use trueline_regexp::Piece;

pub use trueline_regexp::{Count, Regexp, quote_meta};

use crate::text::check_size;

/// The string with each match replaced by the template, in which `$1`, `${1}` and `$name` refer to groups.
/// Copied parts keep their traces. Each match is charged before its replacement is written.
pub(crate) fn replace_all(
    context: &mut dyn Context,
    pattern: &Regexp,
    text: &Str,
    template: &[u8],
) -> Result<Str, Error> {
    let groups = memchr::memchr_iter(b'$', template).count();
    if groups == 0 {
        return replace_all_literal(context, pattern, text, template);
    }
    let cost = (pattern.groups_cost_per_byte(), groups.saturating_mul(pattern.group_count()));
    context.spend((text.len() as u64).saturating_mul(cost.0 as u64))?;
    let mut out = StrBuilder::with_capacity(text.len());
    let mut end = 0;
    pattern.captures_for(text.as_bytes(), &mut |captures, again| {
        let Some(whole) = captures.first().cloned().flatten() else { return Ok(()) };
        let written = template.len().saturating_add(groups.saturating_mul(whole.len()));
        check_size((out.bytes().len() as u64).saturating_add(written as u64))?;
        context.spend(match_steps(again, cost.0).saturating_add((written + cost.1) as u64))?;
        out.push_part(text, end..whole.start, Trace::Unknown);
        pattern.expand(template, captures, &mut |piece| match piece {
            Piece::Template(part) => out.push(part, Trace::Unknown),
            Piece::Match(range) => out.push_part(text, range, Trace::Unknown),
        });
        end = whole.end;
        Ok(())
    })?;
    out.push_part(text, end..text.len(), Trace::Unknown);
    Ok(out.finish())
}

/// The string with each match replaced by another string.
pub(crate) fn replace_all_literal(
    context: &mut dyn Context,
    pattern: &Regexp,
    text: &Str,
    replacement: &[u8],
) -> Result<Str, Error> {
    let cost = pattern.cost_per_byte();
    let found = pattern.find_all_for(text.as_bytes(), Count::All, &mut |again| {
        context.spend(match_steps(again, cost).saturating_add(replacement.len() as u64))
    })?;
    let size =
        (found.len() as u64).saturating_mul(replacement.len() as u64).saturating_add(text.len() as u64);
    check_size(size)?;
    let mut out = StrBuilder::with_capacity(text.len());
    let mut end = 0;
    for found in found {
        out.push_part(text, end..found.start, Trace::Unknown);
        out.push(replacement, Trace::Unknown);
        end = found.end;
    }
    out.push_part(text, end..text.len(), Trace::Unknown);
    Ok(out.finish())
}

/// The cost of one match: itself, and the bytes after it that may be read again for the next.
pub(crate) fn match_steps(again: usize, cost_per_byte: usize) -> u64 {
    16 + (again as u64 / 32).saturating_mul(cost_per_byte as u64)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::test_context::Fixed;

    fn texts(text: &[u8], ranges: &[Range<usize>]) -> Vec<String> {
        ranges.iter().map(|range| String::from_utf8_lossy(&text[range.clone()]).into_owned()).collect()
    }

    #[test]
    fn replacing_finding_splitting() {
        type Row = (&'static str, &'static [u8], &'static str, &'static [u8], &'static [&'static str], usize);
        // The pattern, string, template, result of replacing, matches, and number of parts.
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
            let mut context = Fixed::default();
            let actual = replace_all(&mut context, &regexp, &Str::from(*text), template.as_bytes()).unwrap();
            assert_eq!(actual.text(), String::from_utf8_lossy(replaced), "{pattern}");
            assert_eq!(&texts(text, &regexp.find_all(text, Count::All)), found, "{pattern}");
            assert_eq!(regexp.split(text, Count::All).len(), *parts, "{pattern}");
            assert_eq!(regexp.is_match(text), !found.is_empty(), "{pattern}");
            assert_eq!(regexp.find(text).is_some(), !found.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn copied_parts_keep_their_traces() {
        let span = |start| trueline_source::SourceId::from_index(0).span(start, start + 5);
        let mut builder = StrBuilder::default();
        builder.push(b"a <<", Trace::Unknown);
        builder.push(b"one", Trace::Value(span(10)));
        builder.push(b">> ", Trace::Unknown);
        builder.push(b"two", Trace::Value(span(20)));
        let pattern = Regexp::compile(b"<<(.*?)>>").unwrap();
        let replaced = replace_all(&mut Fixed::default(), &pattern, &builder.finish(), b"[$1]").unwrap();
        assert_eq!(replaced.text(), "a [one] two");
        assert_eq!(replaced.trace_at(3), Trace::Value(span(10)));
        assert_eq!(replaced.trace_at(6), Trace::Unknown);
        assert_eq!(replaced.trace_at(8), Trace::Value(span(20)));
    }
}
