//! Strings quoted, indented, wrapped and shortened.

use trueline_gotemplate::{Context, Error, Function, Str, StrBuilder, Trace, Type, Uses, Value, fmt};

use crate::argument::{any, integer, text, trace};
use crate::define::{fixed, variadic};
use crate::strings::repeated_size;
use crate::text;
use crate::traced::rewrite;

const WIDTH_TEXT: &[Type] = &[Type::INT, Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("quote", &[Type::Any], quote, "VALUE…", "The values in double quotes, with Go's escapes.")
        .with(Uses::Printed),
    variadic("squote", &[Type::Any], squote, "VALUE…", "The values in single quotes, without any escapes.")
        .with(Uses::Printed),
    fixed("indent", WIDTH_TEXT, indent, "WIDTH STRING", "The string with WIDTH spaces before each line."),
    fixed("nindent", WIDTH_TEXT, nindent, "WIDTH STRING", "Like `indent`, with a line break before it."),
    fixed(
        "wrap",
        WIDTH_TEXT,
        wrap,
        "WIDTH STRING",
        "The string wrapped to this width; longer words are not split.",
    ),
    fixed(
        "wrapWith",
        &[Type::INT, Type::String, Type::String],
        wrap_with,
        "WIDTH BREAK STRING",
        "The string with `BREAK` after each piece of this width; longer words are split.",
    ),
    fixed(
        "abbrev",
        WIDTH_TEXT,
        abbrev,
        "WIDTH STRING",
        "The string shortened to this width, including the `...` at its end.",
    ),
    fixed(
        "abbrevboth",
        &[Type::INT, Type::INT, Type::String],
        abbrevboth,
        "OFFSET WIDTH STRING",
        "The string from about the offset on, shortened to this width, with `...` where something is left out.",
    ),
];

fn quote(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    quoted(arguments, |value| {
        let text = text::string(context, value)?;
        // An escape takes up to ten bytes.
        context.spend(text.len() as u64)?;
        if text.runs().is_empty() {
            return Ok(Str::from(fmt::quote(text.as_bytes())));
        }
        let escaped = rewrite(&text, |_, bytes, written| match bytes {
            [b' ' | b'!' | b'#'..=b'[' | b']'..=b'~'] => written.extend_from_slice(bytes),
            _ => written.extend_from_slice(inside(&fmt::quote(bytes))),
        });
        Ok(enclosed(&escaped, b"\""))
    })
}

fn squote(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    quoted(arguments, |value| {
        let text = text::display(context, value)?;
        context.spend(text.len() as u64)?;
        Ok(enclosed(&text, b"'"))
    })
}

/// A string without its quotes.
fn inside(quoted: &str) -> &[u8] {
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().as_bytes()
}

fn enclosed(text: &Str, mark: &[u8]) -> Str {
    let mut builder = StrBuilder::with_capacity(text.len() + 2);
    builder.push(mark, Trace::Unknown);
    builder.push_str(text, Trace::Unknown);
    builder.push(mark, Trace::Unknown);
    builder.finish()
}

/// The values except nil, each in quotes, separated by spaces.
fn quoted(arguments: &[Value], mut quote: impl FnMut(&Value) -> Result<Str, Error>) -> Result<Value, Error> {
    let mut values = arguments.iter().filter(|value| !value.is_nil());
    Ok(match (values.next(), values.next()) {
        (None, _) => Value::from(Str::empty()),
        (Some(only), None) => Value::from(quote(only)?).at(only.origin),
        (Some(first), Some(second)) => {
            let mut builder = StrBuilder::default();
            builder.push_str(&quote(first)?, trace(first));
            for value in std::iter::once(second).chain(values) {
                builder.push(b" ", Trace::Unknown);
                builder.push_str(&quote(value)?, trace(value));
            }
            Value::from(builder.finish())
        }
    })
}

fn indent(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    indented(context, arguments, b"")
}

fn nindent(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    indented(context, arguments, b"\n")
}

fn indented(context: &mut dyn Context, arguments: &[Value], before: &[u8]) -> Result<Value, Error> {
    let whole = text(arguments, 1);
    let breaks = memchr::memchr_iter(b'\n', whole.as_bytes());
    let width = repeated_size(context, integer(arguments, 0), 1)?;
    let padding = repeated_size(context, integer(arguments, 0), breaks.clone().count() + 1)?;
    let pad = vec![b' '; width];
    let mut builder = StrBuilder::with_capacity(before.len() + whole.len() + padding);
    builder.push(before, Trace::Unknown);
    builder.push(&pad, Trace::Unknown);
    let mut position = 0;
    for place in breaks {
        builder.push_part(&whole, position..place + 1, Trace::Unknown);
        builder.push(&pad, Trace::Unknown);
        position = place + 1;
    }
    builder.push_part(&whole, position..whole.len(), Trace::Unknown);
    Ok(Value::from(builder.finish()).at(any(arguments, 1).origin))
}

fn wrap(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let wrapped = wrapped(context, &text(arguments, 1), integer(arguments, 0), b"\n", LongWords::Kept)?;
    Ok(Value::from(wrapped).at(any(arguments, 1).origin))
}

fn wrap_with(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let line_break = text(arguments, 1);
    let line_break = if line_break.is_empty() { b"\n" } else { line_break.as_bytes() };
    let wrapped = wrapped(context, &text(arguments, 2), integer(arguments, 0), line_break, LongWords::Cut)?;
    Ok(Value::from(wrapped).at(any(arguments, 2).origin))
}

#[derive(Clone, Copy, PartialEq)]
enum LongWords {
    Kept,
    Cut,
}

/// Lines of at most `width` bytes. Spaces at the start of a line are dropped; a space at a break is replaced by
/// the break.
fn wrapped(
    context: &mut dyn Context,
    text: &Str,
    width: i64,
    line_break: &[u8],
    long_words: LongWords,
) -> Result<Str, Error> {
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    let bytes = text.as_bytes();
    // Of two lines at least one has the full width, or ends before a word that has.
    let lines = (bytes.len() as u64).saturating_mul(2) / (width as u64).saturating_add(1) + 2;
    let most = lines.min(bytes.len() as u64 + 1).saturating_mul(line_break.len() as u64);
    text::check_size(most)?;
    context.spend(most.saturating_add(bytes.len() as u64))?;
    let mut builder = StrBuilder::with_capacity(bytes.len());
    let mut offset = 0;
    while bytes.len() - offset > width {
        if bytes.get(offset) == Some(&b' ') {
            offset += 1;
            continue;
        }
        let space = |from: usize| memchr::memchr(b' ', bytes.get(from..)?).map(|found| found + from);
        let line = bytes.get(offset..offset + width + 1).unwrap_or_default();
        let (end, next) = match memchr::memrchr(b' ', line) {
            Some(found) => (offset + found, offset + found + 1),
            None if long_words == LongWords::Cut => (offset + width, offset + width),
            None => match space(offset + width) {
                Some(found) => (found, found + 1),
                None => {
                    builder.push_part(text, offset..bytes.len(), Trace::Unknown);
                    return Ok(builder.finish());
                }
            },
        };
        builder.push_part(text, offset..end, Trace::Unknown);
        builder.push(line_break, Trace::Unknown);
        offset = next;
    }
    builder.push_part(text, offset..bytes.len(), Trace::Unknown);
    Ok(builder.finish())
}

fn abbrev(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let width = integer(arguments, 0);
    let whole = text(arguments, 1);
    match usize::try_from(width) {
        Ok(width) if width >= 4 => {
            let mut builder = StrBuilder::default();
            abbreviate(&mut builder, &whole, 0, 0, width);
            Ok(Value::from(builder.finish()).at(any(arguments, 1).origin))
        }
        _ => Ok(any(arguments, 1)),
    }
}

fn abbrevboth(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let (offset, width) = (integer(arguments, 0), integer(arguments, 1));
    let whole = text(arguments, 2);
    if width < 4 || (offset > 0 && width < 7) {
        return Ok(any(arguments, 2));
    }
    let mut builder = StrBuilder::default();
    let offset = usize::try_from(offset.max(0)).unwrap_or(usize::MAX);
    abbreviate(&mut builder, &whole, 0, offset, usize::try_from(width).unwrap_or(usize::MAX));
    Ok(Value::from(builder.finish()).at(any(arguments, 2).origin))
}

/// Writes the string from `base` on, shortened to `width`, so that the text `offset` bytes later is visible.
fn abbreviate(builder: &mut StrBuilder, text: &Str, base: usize, offset: usize, width: usize) {
    const MARK: &[u8] = b"...";
    let length = text.len() - base;
    if length <= width {
        return builder.push_part(text, base..text.len(), Trace::Unknown);
    }
    let kept = width - MARK.len();
    let offset = offset.min(length).min(length - kept);
    if offset <= 4 {
        builder.push_part(text, base..base + kept, Trace::Unknown);
        return builder.push(MARK, Trace::Unknown);
    }
    builder.push(MARK, Trace::Unknown);
    if offset + kept < length {
        abbreviate(builder, text, base + offset, 0, kept);
    } else {
        builder.push_part(text, text.len() - kept..text.len(), Trace::Unknown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, check};
    use trueline_source::SourceId;

    #[test]
    fn functions_return_what_sprig_returns() {
        check(&[
            (r#"quote "a\"b\\c\n" nil 1 1.5 true"#, r#"string "\"a\\\"b\\\\c\\n\" \"1\" \"1.5\" \"true\"""#),
            ("quote", r#"string """#),
            (r#"quote (list 1 "x")"#, r#"string "\"[1 x]\"""#),
            (r#"squote "it's" nil 1"#, r#"string "'it's' '1'""#),
            (r#"indent 2 "a\nb\n""#, r#"string "  a\n  b\n  ""#),
            (r#"indent 0 "a""#, r#"string "a""#),
            (r#"indent -1 "a""#, "! strings: negative Repeat count"),
            (r#"nindent 2 "a\n\nb""#, r#"string "\n  a\n  \n  b""#),
            (r#"wrap 5 "The quick brownish fox""#, r#"string "The\nquick\nbrownish\nfox""#),
            (r#"wrap 0 "ab cd""#, r#"string "ab\ncd""#),
            (r#"wrapWith 5 "|" "The quick brownish fox""#, r#"string "The|quick|brown|ish|fox""#),
            (r#"wrapWith 3 "" "abcdef""#, r#"string "abc\ndef""#),
            (r#"wrap 5 """#, r#"string """#),
            (r#"abbrev 8 "hello world""#, r#"string "hello...""#),
            (r#"abbrev 3 "hello world""#, r#"string "hello world""#),
            (r#"abbrev 4 "hello world""#, r#"string "h...""#),
            (r#"abbrev 50 "hello""#, r#"string "hello""#),
            (r#"abbrevboth 5 10 "1234 5678 9123 4567""#, r#"string "...5678...""#),
            (r#"abbrevboth 0 7 "1234 5678""#, r#"string "1234...""#),
            (r#"abbrevboth 5 6 "1234 5678""#, r#"string "1234 5678""#),
            (r#"abbrevboth 50 8 "1234 5678 9012""#, r#"string "... 9012""#),
            (r#"abbrevboth -3 8 "1234 5678 9012""#, r#"string "1234 ...""#),
        ]);
    }

    #[test]
    fn lines_and_quotes_keep_the_traces_of_the_text() {
        let span = |start, end| SourceId::from_index(0).span(start, end);
        let mut builder = StrBuilder::default();
        builder.push(b"a\n", Trace::Verbatim(span(5, 7)));
        builder.push(b"b\"", Trace::Value(span(20, 22)));
        let text = Value::from(builder.finish());
        let indented = call(FUNCTIONS, "nindent", &[Value::int(2), text.clone()]).unwrap();
        let indented = indented.as_str().unwrap();
        assert_eq!(indented.as_bytes(), b"\n  a\n  b\"");
        assert_eq!(
            [1, 3, 4, 5, 7].map(|offset| indented.trace_at(offset)),
            [
                Trace::Unknown,
                Trace::Verbatim(span(5, 7)),
                Trace::Verbatim(span(6, 7)),
                Trace::Unknown,
                Trace::Value(span(20, 22))
            ]
        );
        let quoted = call(FUNCTIONS, "quote", &[text]).unwrap();
        let quoted = quoted.as_str().unwrap();
        assert_eq!(quoted.as_bytes(), br#""a\nb\"""#);
        assert_eq!(quoted.trace_at(0), Trace::Unknown);
        assert_eq!(quoted.trace_at(1), Trace::Verbatim(span(5, 7)));
        assert_eq!(quoted.trace_at(4), Trace::Value(span(20, 22)));
    }

    #[test]
    fn wide_indentation_is_refused() {
        let arguments = [Value::int(1 << 40), Value::from("x")];
        assert!(call(FUNCTIONS, "indent", &arguments).unwrap_err().is_limit());
        let arguments = [Value::int(1 << 29), Value::from("\n\n\n")];
        assert!(call(FUNCTIONS, "indent", &arguments).unwrap_err().is_limit());
    }
}
