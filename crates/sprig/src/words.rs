//! Splits names into words and joins them, as `huandu/xstrings` does.

use crate::case::{is_letter, is_upper, to_lower, to_upper};
use crate::punctuation::is_punctuation;
use crate::utf8;
use trueline_gotemplate::first_character;

/// `HttpServer`: each word with a capital. Separators at the start are kept, and all but one of several.
pub(crate) fn camel_case(text: &[u8]) -> String {
    let mut written = String::with_capacity(text.len());
    let mut characters = utf8::characters(text).map(|found| found.1);
    let mut current = None;
    let mut after_upper = false;
    for character in characters.by_ref() {
        if !is_separator(character) {
            after_upper = is_upper(character);
            current = Some(to_upper(character));
            break;
        }
        written.push(character);
        current = Some(character);
    }
    let Some(mut current) = current else { return written };
    let mut rest = characters.peekable();
    if rest.peek().is_none() {
        // The original writes the last separator twice if there is nothing else.
        written.push(current);
        return written;
    }
    for character in rest {
        let previous = current;
        current = character;
        if is_separator(current) && is_separator(previous) {
            written.push(previous);
        } else if is_separator(previous) {
            after_upper = is_upper(current);
            current = to_upper(current);
        } else {
            if after_upper && is_upper(current) {
                current = to_lower(current);
            } else {
                after_upper = false;
            }
            written.push(previous);
        }
    }
    written.push(current);
    written
}

/// `http_server`: the words in lower case with a separator between them.
pub(crate) fn separated(text: &[u8], separator: char) -> Vec<u8> {
    let mut out = Lowered { bytes: Vec::with_capacity(text.len() + 8), separator };
    let mut word = Word::next(text);
    while !word.rest.is_empty() {
        if word.class != Class::Separator {
            out.word(word.class, word.bytes);
        }
        let last = word;
        word = Word::next(last.rest);
        match last.class {
            Class::Number => {
                word = out.lower_case_run(word);
                out.separate_unless(word.class, &[Class::None, Class::Punctuation, Class::Separator]);
            }
            Class::Separator => out.word(last.class, last.bytes),
            Class::Punctuation => {}
            _ if word.class != Class::Number => {
                out.separate_unless(word.class, &[Class::Separator, Class::Punctuation]);
            }
            _ if word.rest.is_empty() => {}
            _ => {
                let number = word;
                word = Word::next(number.rest);
                if word.class == Class::Alphabet {
                    // If letters follow the number, it starts a word with them.
                    out.separator();
                    out.word(Class::Number, number.bytes);
                    word = out.lower_case_run(word);
                    out.separate_unless(word.class, &[Class::None, Class::Separator, Class::Punctuation]);
                } else {
                    // Otherwise it ends the word before it.
                    out.word(Class::Number, number.bytes);
                    out.separate_unless(word.class, &[Class::Separator, Class::Punctuation]);
                }
            }
        }
    }
    out.word(word.class, word.bytes);
    out.bytes
}

struct Lowered {
    bytes: Vec<u8>,
    separator: char,
}

impl Lowered {
    fn separator(&mut self) {
        self.push(self.separator);
    }

    fn separate_unless(&mut self, class: Class, classes: &[Class]) {
        if !classes.contains(&class) {
            self.separator();
        }
    }

    fn push(&mut self, character: char) {
        self.bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn word(&mut self, class: Class, word: &[u8]) {
        if class != Class::Upper && class != Class::Separator {
            return self.bytes.extend_from_slice(word);
        }
        for (_, character, _) in utf8::characters(word) {
            if is_separator(character) {
                self.separator();
            } else {
                self.push(if is_upper(character) { to_lower(character) } else { character });
            }
        }
    }

    /// Writes words of lower-case letters and numbers; returns the first other word.
    fn lower_case_run<'t>(&mut self, mut word: Word<'t>) -> Word<'t> {
        while matches!(word.class, Class::Alphabet | Class::Number) {
            self.word(word.class, word.bytes);
            word = Word::next(word.rest);
        }
        word
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    None,
    Number,
    Upper,
    Alphabet,
    Separator,
    Punctuation,
    Other,
}

#[derive(Clone, Copy)]
struct Word<'t> {
    class: Class,
    bytes: &'t [u8],
    rest: &'t [u8],
}

impl<'t> Word<'t> {
    /// The first word of the string.
    fn next(text: &'t [u8]) -> Self {
        let mut reader = Reader { text, offset: 0 };
        let class = reader.word();
        let (bytes, rest) = text.split_at_checked(reader.offset).unwrap_or((text, &[]));
        Word { class, bytes, rest }
    }
}

struct Reader<'t> {
    text: &'t [u8],
    offset: usize,
}

impl Reader<'_> {
    /// The next valid character, with the width of everything skipped; if there is none, `otherwise` with the
    /// width of the rest.
    fn peek(&self, otherwise: Option<char>) -> (Option<char>, usize) {
        let mut skipped = 0;
        while let Some((character, width)) = self.text.get(self.offset + skipped..).and_then(first_character)
        {
            skipped += width;
            if character != char::REPLACEMENT_CHARACTER {
                return (Some(character), skipped);
            }
        }
        (otherwise, skipped)
    }

    fn at_end(&self) -> bool {
        self.offset >= self.text.len()
    }

    /// Continues while characters belong to the word; returns the last one read.
    fn run(&mut self, mut last: char, belongs: impl Fn(char) -> bool) -> char {
        while !self.at_end() {
            let (next, width) = self.peek(Some(last));
            last = next.unwrap_or(last);
            if width == 0 || !belongs(last) {
                break;
            }
            self.offset += width;
        }
        last
    }

    fn word(&mut self) -> Class {
        let (first, width) = self.peek(None);
        self.offset += width;
        let Some(first) = first else { return Class::None };
        let small = |character| is_alphabet(character) && !is_upper(character);
        if is_separator(first) {
            self.run(first, is_separator);
            Class::Separator
        } else if is_punctuation(first) {
            self.run(first, is_punctuation);
            Class::Punctuation
        } else if is_upper(first) {
            self.capitals(first);
            Class::Upper
        } else if is_alphabet(first) {
            self.run(first, small);
            Class::Alphabet
        } else if first.is_numeric() {
            self.run(first, char::is_numeric);
            Class::Number
        } else {
            self.run(first, |character| {
                !(is_separator(character)
                    || is_alphabet(character)
                    || character.is_numeric()
                    || is_punctuation(character))
            });
            Class::Other
        }
    }

    /// Upper-case letters, or one upper-case letter and the lower-case letters after it. Of `HTTPStatus` the
    /// word is `HTTP`.
    fn capitals(&mut self, first: char) {
        if self.at_end() {
            return;
        }
        let (second, width) = self.peek(Some(first));
        let second = second.unwrap_or(first);
        if is_upper(second) {
            let mut last_width = width;
            let mut last = second;
            self.offset += width;
            while !self.at_end() {
                let (next, width) = self.peek(Some(last));
                last = next.unwrap_or(last);
                if !is_upper(last) {
                    break;
                }
                last_width = width;
                self.offset += width;
            }
            if !self.at_end() && is_alphabet(last) {
                self.offset -= last_width;
            }
        } else if is_alphabet(second) {
            self.offset += width;
            self.run(second, |character| is_alphabet(character) && !is_upper(character));
        }
    }
}

fn is_separator(character: char) -> bool {
    matches!(character, '-' | '_') || character.is_whitespace()
}

/// Letters except Chinese ones, which have no case and need no separator.
fn is_alphabet(character: char) -> bool {
    is_letter(character)
        && !matches!(character, '\u{3400}'..='\u{4d85}' | '\u{4e00}'..='\u{9fcc}' | '\u{20000}'..='\u{2b81d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_camel_case() {
        for (text, expected) in [
            ("", ""),
            ("some_words", "SomeWords"),
            ("http-server", "HttpServer"),
            ("GOLANG_IS_GREAT", "GolangIsGreat"),
            ("_complex__case_", "_Complex_Case_"),
            ("a", "A"),
            ("__", "___"),
            ("HTTPServer 2x", "Httpserver2x"),
        ] {
            assert_eq!(camel_case(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn names_become_snake_case() {
        for (text, expected) in [
            ("", ""),
            ("FirstName", "first_name"),
            ("HTTPServer 2x", "http_server_2x"),
            ("NoHTTPS", "no_https"),
            ("GO-PATH", "go_path"),
            ("http2xx", "http_2xx"),
            ("HTTP20xOK", "http_20x_ok"),
            ("Duration2m3s", "duration_2m3s"),
            ("Bld4Floor3rd", "bld4_floor_3rd"),
            ("A1B2c3", "a1_b_2c3"),
            ("a.b/C", "a.b/c"),
            ("  x  ", "__x__"),
        ] {
            assert_eq!(String::from_utf8_lossy(&separated(text.as_bytes(), '_')), expected, "{text}");
        }
    }
}
