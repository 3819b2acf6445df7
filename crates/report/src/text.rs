//! Text from untrusted input, made harmless for terminals, editors and logs.
//!
//! A file name, a message or a source line may hold anything. Printed as it is, an escape code could rewrite
//! the lines above it, a bidirectional control could show a line in another order, and a line that begins with
//! `::` would be a command to the GitHub workflow runner, which reads everything that a step prints.

use std::borrow::Cow;

/// Messages are cut to this many characters: a finding may quote a scalar of any size.
const LONGEST_MESSAGE: usize = 4_000;

/// Whether printing `character` could move the cursor, hide text or reorder it, or whether XML and YAML do not
/// allow it.
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{fffe}' | '\u{ffff}')
}

/// What is printed in place of a control character: one column wide, so that marks stay in place.
pub(crate) fn picture(character: char) -> char {
    match character {
        '\0'..='\x1f' => char::from_u32(0x2400 + character as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '␡',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Text of several lines for a terminal or a log: line breaks and tabs stay, other control characters become visible, and
/// no line is a workflow command.
pub fn harmless(text: &str) -> Cow<'_, str> {
    visible(text, "\t")
}

/// The same for reports, in which marks have to stay in place: tabs become spaces.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    visible(text, "    ")
}

fn visible<'t>(text: &'t str, tab: &str) -> Cow<'t, str> {
    let stays =
        |character: char| !is_control(character) || character == '\n' || tab == "\t" && character == '\t';
    if text.chars().all(stays) && !may_command(text) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for character in text.replace("\r\n", "\n").chars() {
        match character {
            '\n' => result.push('\n'),
            '\t' => result.push_str(tab),
            _ if is_control(character) => result.push(picture(character)),
            _ => result.push(character),
        }
    }
    if !may_command(&result) {
        return Cow::Owned(result);
    }
    let lines: Vec<Cow<'_, str>> = result.split('\n').map(without_command).collect();
    Cow::Owned(lines.join("\n"))
}

/// Text on one line: line breaks and tabs are written as escapes, other control characters become visible.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return without_command(text);
    }
    let mut result = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            _ if is_control(character) => result.push(picture(character)),
            _ => result.push(character),
        }
    }
    match without_command(&result) {
        Cow::Owned(harmless) => Cow::Owned(harmless),
        Cow::Borrowed(_) => Cow::Owned(result),
    }
}

/// What a command begins with, at the beginning of a line; the runner drops spaces before it.
const COMMAND: &str = "::";
/// What a command of the older syntax begins with, anywhere in a line.
const OLD_COMMAND: &str = "##[";

fn may_command(text: &str) -> bool {
    text.contains(COMMAND) || text.contains(OLD_COMMAND)
}

/// A line that no runner mistakes for a command: a space is inserted into its start.
pub(crate) fn without_command(line: &str) -> Cow<'_, str> {
    let line = match line.contains(OLD_COMMAND) {
        true => Cow::Owned(line.replace(OLD_COMMAND, "# #[")),
        false => Cow::Borrowed(line),
    };
    match line.trim_start().strip_prefix(COMMAND) {
        Some(rest) => {
            let before = line.len() - rest.len() - COMMAND.len();
            Cow::Owned(format!("{}: :{rest}", line.get(..before).unwrap_or_default()))
        }
        None => line,
    }
}

/// A message, cut if it is longer than anybody reads.
pub(crate) fn cut(message: String) -> String {
    let mut message = without_credentials(message);
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Text without the credentials of URLs in it; the same text if there are none.
pub(crate) fn without_credentials(text: String) -> String {
    match trueline_diagnostic::without_credentials(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => shown,
    }
}

/// Escapes what JSON allows inside strings but a terminal or a workflow runner must not see.
///
/// None of these characters occur outside strings, so the whole text can be treated at once.
pub fn harmless_json(json: String) -> String {
    let json = match json.contains(OLD_COMMAND) {
        true => json.replace(OLD_COMMAND, "\\u0023#["),
        false => json,
    };
    let hidden = |character: char| is_control(character) && character != '\n';
    if !json.contains(hidden) {
        return json;
    }
    let mut result = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if hidden(character) {
            result.push_str(&format!("\\u{:04x}", character as u32));
        } else {
            result.push(character);
        }
    }
    result
}

/// A JSON value on several lines, all but the first of them indented.
pub(crate) fn json(value: &serde_json::Value, indent: usize) -> String {
    let text = harmless_json(format!("{value:#}"));
    if indent == 0 { text } else { text.replace('\n', &format!("\n{}", " ".repeat(indent))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left() {
        let hostile = "a\x1b[31m\u{9b}2J\0\x7f\u{202e}\u{2066}\u{2028}\t\r\nb";
        assert_eq!(one_line(hostile), "a␛[31m\u{fffd}2J␀␡\u{fffd}\u{fffd}\u{fffd}\\t\\r\\nb");
        assert_eq!(lines(hostile), "a␛[31m\u{fffd}2J␀␡\u{fffd}\u{fffd}\u{fffd}    \nb");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(one_line("漢字 é 🎉"), Cow::Borrowed(_)));
        assert!(matches!(harmless("two\nlines"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        for (text, shown) in [
            ("::error::x", ": :error::x"),
            ("a\n  ::stop-commands::x\nb", "a\n  : :stop-commands::x\nb"),
            ("a\r\n\t::x::", "a\n\t: :x::"),
            ("a ##[error]b", "a # #[error]b"),
            ("a::b ::c", "a::b ::c"),
        ] {
            assert_eq!(harmless(text), shown);
        }
        assert_eq!(one_line("::error::\n::x"), ": :error::\\n::x");
    }

    #[test]
    fn messages_are_cut_between_characters() {
        assert_eq!(cut("short".to_owned()), "short");
        let long = "漢".repeat(LONGEST_MESSAGE + 1);
        assert_eq!(cut(long.clone()).chars().count(), LONGEST_MESSAGE + 1);
        assert!(cut(long).ends_with("漢…"));
    }

    #[test]
    fn json_reads_back_as_it_was() {
        let value = serde_json::json!({"a\u{7f}": ["\u{9b}\u{202e}\u{1b}\n##[x]", "é"]});
        let text = json(&value, 0);
        assert!(!text.trim_end().contains(|character| is_control(character) && character != '\n'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
