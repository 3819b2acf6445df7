//! Parsing, with the Go library's error messages.

use std::rc::Rc;

use super::lexer::{END, Lexer, Problem, character_or_end, quoted_character};
use super::number;
use super::tables::{Document, Node, Scope, Tables};
use super::{MAX_DEPTH, Release, Scalar};
use crate::error::{GoError, GoErrorKind};
use crate::quote::quote as quoted;

/// Parses text.
pub fn read(bytes: &[u8], release: Release) -> Result<Document, GoError> {
    let marks: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"];
    let known = if release == Release::V1_2 { 2 } else { marks.len() };
    let bytes = marks.iter().take(known).find_map(|mark| bytes.strip_prefix(*mark)).unwrap_or(bytes);
    if bytes.iter().take(6).any(|byte| *byte == 0) {
        let message = "files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8";
        return Err(GoErrorKind::Toml.says(format!("toml: line 1: {message}")));
    }
    let mut parser = Parser {
        lexer: Lexer::new(bytes, release),
        release,
        tables: Tables::new(release),
        context: Scope::ROOT,
        current: String::new(),
        key_line: 1,
    };
    match parser.document() {
        Ok(()) => Ok(parser.tables.finish()),
        Err(problem) => {
            let key = parser.key_in_scope();
            let key = if key.is_empty() { key } else { format!(" (last key {})", quoted(&key)) };
            Err(GoErrorKind::Toml.says(format!("toml: line {}{key}: {}", problem.line, problem.message)))
        }
    }
}

const BREAK_IN_TABLE: &str = "newlines not allowed within inline tables";

struct Parser<'a> {
    lexer: Lexer<'a>,
    release: Release,
    tables: Tables,
    /// The table that keys belong to.
    context: Scope,
    /// The key whose value is being read.
    current: String,
    /// The line of the first part of the last key.
    key_line: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), Problem> {
        loop {
            match self.lexer.next()? {
                ' ' | '\t' | '\n' | '\r' => self.lexer.ignore(),
                '#' => self.lexer.comment()?,
                '[' => {
                    self.header()?;
                    self.line_end()?;
                }
                END => return Ok(()),
                _ => {
                    self.lexer.back();
                    self.key_start()?;
                    let outer = self.context;
                    self.assignment(0)?;
                    self.context = outer;
                    self.current.clear();
                    self.line_end()?;
                }
            }
        }
    }

    /// What follows a table's name or a value: only a comment.
    fn line_end(&mut self) -> Result<(), Problem> {
        loop {
            match self.lexer.next()? {
                '#' => return self.lexer.comment(),
                ' ' | '\t' => {}
                '\n' | '\r' => {
                    self.lexer.ignore();
                    return Ok(());
                }
                END => {
                    self.lexer.back();
                    self.lexer.ignore();
                    return Ok(());
                }
                other => {
                    return Err(self.lexer.problem(format!(
                        "expected a top-level item to end with a newline, comment, or EOF, but got {} instead",
                        quoted_character(other)
                    )));
                }
            }
        }
    }

    /// The name of a table, or of an array of tables, after its first bracket.
    fn header(&mut self) -> Result<(), Problem> {
        let is_array = self.lexer.accept('[')?;
        self.lexer.ignore();
        let mut key = Vec::new();
        loop {
            self.lexer.skip_blanks()?;
            match self.lexer.peek()? {
                ']' | END => {
                    let message = "unexpected end of table name (table names cannot be empty)";
                    return Err(self.lexer.problem(message));
                }
                '.' => {
                    let message = "unexpected table separator (table names cannot be empty)";
                    return Err(self.lexer.problem(message));
                }
                _ => self.name_part(&mut key)?,
            }
            self.lexer.skip_blanks()?;
            match self.lexer.next()? {
                '.' => self.lexer.ignore(),
                ']' => break,
                other => {
                    return Err(self.lexer.problem(format!(
                        "expected '.' or ']' to end table name, but got {} instead",
                        quoted_character(other)
                    )));
                }
            }
        }
        if is_array {
            let closing = self.lexer.next()?;
            if closing != ']' {
                return Err(self.lexer.problem(format!(
                    "expected end of table array name delimiter ']', but got {} instead",
                    quoted_character(closing)
                )));
            }
        }
        self.lexer.ignore();
        let Some((last, parents)) = key.split_last() else { return Ok(()) };
        self.context = self.tables.walk(parents).map_err(|message| self.about_key(message))?;
        let opened = if is_array {
            self.tables.open_item(self.context, last)
        } else {
            self.tables.open(self.context, last)
        };
        self.context = opened.map_err(|message| self.about_key(message))?;
        self.tables.set_array(self.context, "", false);
        Ok(())
    }

    /// Reads one part of a key and records the line in which the first part ended.
    fn name_part(&mut self, key: &mut Vec<String>) -> Result<(), Problem> {
        let part = match self.lexer.peek()? {
            '"' => {
                self.lexer.next()?;
                self.lexer.ignore();
                let (raw, line) = self.basic_string()?;
                self.unescape(&raw, line)?
            }
            '\'' => {
                self.lexer.next()?;
                self.lexer.ignore();
                self.literal_string()?
            }
            _ => {
                while matches!(self.lexer.next()?, 'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-') {}
                self.lexer.back();
                self.lexer.take().to_owned()
            }
        };
        if key.is_empty() {
            self.key_line = self.lexer.line;
        }
        key.push(part);
        Ok(())
    }

    fn key_start(&mut self) -> Result<(), Problem> {
        self.lexer.skip_blanks()?;
        match self.lexer.peek()? {
            '=' | END => Err(self.lexer.problem("unexpected '=': key name appears blank")),
            '.' => Err(self.lexer.problem("unexpected '.': keys cannot start with a '.'")),
            _ => Ok(()),
        }
    }

    /// A key up to its equals sign.
    fn key(&mut self) -> Result<Vec<String>, Problem> {
        let mut key = Vec::new();
        loop {
            self.lexer.skip_blanks()?;
            match self.lexer.peek()? {
                '=' | END => return Err(self.lexer.problem("unexpected '='")),
                '.' => return Err(self.lexer.problem("unexpected '.'")),
                _ => self.name_part(&mut key)?,
            }
            self.lexer.skip_blanks()?;
            match self.lexer.next()? {
                END => return Err(self.lexer.problem("unexpected EOF; expected key separator '='")),
                '.' => self.lexer.ignore(),
                '=' => {
                    self.lexer.ignore();
                    return Ok(key);
                }
                other => {
                    let message = format!("expected '.' or '=', but got {} instead", quoted_character(other));
                    return Err(match other {
                        '\n' if self.release == Release::V1_6 => self.lexer.problem_above(message),
                        _ => self.lexer.problem(message),
                    });
                }
            }
        }
    }

    /// A key with its value. Returns the full key and the value; the context stays that of the key.
    fn assignment(&mut self, depth: usize) -> Result<(Vec<String>, Node), Problem> {
        let key = self.key()?;
        let Some((last, parents)) = key.split_last() else {
            return Err(self.lexer.problem("unexpected '='"));
        };
        self.current.clone_from(last);
        for parent in parents {
            self.tables.implied(self.context, parent);
            let opened = self.tables.open(self.context, parent);
            self.context = opened.map_err(|message| self.about_key(message))?;
        }
        let value = self.value(false, depth)?;
        self.tables.define(self.context, last, value.clone()).map_err(|message| self.about_key(message))?;
        self.set_array(matches!(value, Node::Array(_)));
        Ok((key, value))
    }

    fn set_array(&mut self, is_array: bool) {
        self.tables.set_array(self.context, &self.current, is_array);
    }

    /// An error about the last key.
    fn about_key(&self, message: String) -> Problem {
        Problem { line: self.key_line, message }
    }

    fn value(&mut self, in_array: bool, depth: usize) -> Result<Node, Problem> {
        if depth > MAX_DEPTH {
            return Err(self.lexer.problem("the value is nested too deeply"));
        }
        while matches!(self.lexer.peek()?, ' ' | '\t') {
            self.lexer.next()?;
        }
        self.lexer.ignore();
        let first = self.lexer.next()?;
        let form = match first {
            '0'..='9' => {
                self.lexer.back();
                number::lex_from_digit(&mut self.lexer)?
            }
            '-' | '+' => number::lex_signed(&mut self.lexer)?,
            '[' => {
                self.lexer.ignore();
                return self.array(depth);
            }
            '{' => {
                self.lexer.ignore();
                return self.inline_table(in_array, depth);
            }
            '"' | '\'' => return self.string(first).map(|text| Node::Plain(Scalar::String(text))),
            '.' => return Err(self.lexer.problem("floats must start with a digit, not '.'")),
            'i' | 'n' if self.special_float()? => number::Form::Float,
            END => return Err(self.lexer.problem("unexpected EOF; expected value")),
            letter if letter.is_alphabetic() => return self.boolean(),
            other => {
                let message = format!("expected value but found {} instead", quoted_character(other));
                return Err(match other {
                    '\n' if self.release == Release::V1_6 => self.lexer.problem_above(message),
                    _ => self.lexer.problem(message),
                });
            }
        };
        let line = self.lexer.line;
        let text = self.lexer.take();
        number::value(form, text, self.release).map(Node::Plain).map_err(|message| Problem { line, message })
    }

    /// Whether the rest of `inf` or `nan` follows.
    fn special_float(&mut self) -> Result<bool, Problem> {
        let lexer = &mut self.lexer;
        Ok((lexer.accept('n')? && lexer.accept('f')?) || (lexer.accept('a')? && lexer.accept('n')?))
    }

    fn boolean(&mut self) -> Result<Node, Problem> {
        self.lexer.back();
        let mut word = String::new();
        loop {
            let letter = self.lexer.next()?;
            if !letter.is_alphabetic() {
                self.lexer.back();
                break;
            }
            word.push(letter);
        }
        self.lexer.ignore();
        match word.as_str() {
            "true" => Ok(Node::Plain(Scalar::Bool(true))),
            "false" => Ok(Node::Plain(Scalar::Bool(false))),
            _ => Err(self.lexer.problem(format!("expected value but found {} instead", quoted(&word)))),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node, Problem> {
        self.set_array(true);
        let mut items = Vec::new();
        loop {
            match self.lexer.next()? {
                ' ' | '\t' | '\n' | '\r' => self.lexer.ignore(),
                '#' => self.lexer.comment()?,
                ',' => return Err(self.lexer.problem("unexpected comma")),
                ']' => break,
                _ => {
                    self.lexer.back();
                    items.push(self.value(true, depth + 1)?);
                    if self.array_goes_on()? {
                        continue;
                    }
                    break;
                }
            }
        }
        self.lexer.ignore();
        Ok(Node::Array(Rc::new(items)))
    }

    fn array_goes_on(&mut self) -> Result<bool, Problem> {
        loop {
            match self.lexer.next()? {
                ' ' | '\t' | '\n' | '\r' => self.lexer.ignore(),
                '#' => self.lexer.comment()?,
                ',' => {
                    self.lexer.ignore();
                    return Ok(true);
                }
                ']' => return Ok(false),
                other => {
                    return Err(self.lexer.problem(format!(
                        "expected a comma (',') or array terminator (']'), but got {}",
                        character_or_end(other)
                    )));
                }
            }
        }
    }

    fn inline_table(&mut self, in_array: bool, depth: usize) -> Result<Node, Problem> {
        let outer = (self.context, std::mem::take(&mut self.current));
        let implied = self.tables.implied(outer.0, &outer.1);
        if !outer.0.is_table() {
            self.context = implied;
            return Err(self.about_key(self.tables.no_table(outer.0)));
        }
        let opened = if in_array {
            self.tables.open_item(outer.0, &outer.1)
        } else {
            self.tables.open(outer.0, &outer.1)
        };
        let own = opened.map_err(|message| self.about_key(message))?;
        self.context = own;
        let table = self.tables.add();
        loop {
            match self.lexer.next()? {
                ' ' | '\t' => self.lexer.ignore(),
                '\n' | '\r' if self.release == Release::V1_6 => self.lexer.ignore(),
                '\n' | '\r' => return Err(self.lexer.problem_above(BREAK_IN_TABLE)),
                '#' => self.lexer.comment()?,
                ',' => return Err(self.lexer.problem("unexpected comma")),
                '}' => break,
                _ => {
                    self.lexer.back();
                    self.key_start()?;
                    let (key, value) = self.assignment(depth + 1)?;
                    let key = match self.release {
                        // The older release drops all parts of a name except the last.
                        Release::V1_2 => key.get(key.len().saturating_sub(1)..).unwrap_or_default(),
                        Release::V1_6 => &key,
                    };
                    if self.tables.insert(table, key, value).is_none() {
                        let name = self.tables.name(self.context);
                        return Err(self.about_key(format!("{} is not a table", quoted(name))));
                    }
                    self.context = own;
                    if !self.inline_table_goes_on()? {
                        break;
                    }
                }
            }
        }
        self.lexer.ignore();
        (self.context, self.current) = outer;
        Ok(Node::Table(table))
    }

    fn inline_table_goes_on(&mut self) -> Result<bool, Problem> {
        loop {
            match self.lexer.next()? {
                ' ' | '\t' => self.lexer.ignore(),
                '\n' | '\r' if self.release == Release::V1_6 => self.lexer.ignore(),
                '\n' | '\r' => return Err(self.lexer.problem_above(BREAK_IN_TABLE)),
                '#' => self.lexer.comment()?,
                ',' => {
                    self.lexer.ignore();
                    self.lexer.skip_blanks()?;
                    if self.lexer.peek()? != '}' {
                        return Ok(true);
                    }
                    if self.release == Release::V1_2 {
                        return Err(self.lexer.problem("trailing comma not allowed in inline tables"));
                    }
                }
                '}' => return Ok(false),
                other => {
                    return Err(self.lexer.problem(format!(
                        "expected a comma or an inline table terminator '}}', but got {} instead",
                        character_or_end(other)
                    )));
                }
            }
        }
    }

    /// A string of any kind after its first quote.
    fn string(&mut self, quote: char) -> Result<String, Problem> {
        let mut multiline = false;
        if self.lexer.accept(quote)? {
            multiline = self.lexer.accept(quote)?;
            if !multiline {
                self.lexer.back();
            }
        }
        self.lexer.ignore();
        match (quote, multiline) {
            ('"', false) => {
                let (raw, line) = self.basic_string()?;
                self.unescape(&raw, line)
            }
            ('"', true) => {
                let (raw, line) = self.multiline_string('"')?;
                match self.release {
                    Release::V1_2 => {
                        let joined = joined_lines(&raw)
                            .ok_or_else(|| self.about_key("invalid escape: '\\ '".to_owned()))?;
                        self.unescape(without_first_break(&joined), line)
                    }
                    Release::V1_6 => self.unescape(&without_escaped_breaks(without_first_break(&raw)), line),
                }
            }
            (_, false) => self.literal_string(),
            (_, true) => {
                let (raw, _) = self.multiline_string('\'')?;
                Ok(without_first_break(&raw).to_owned())
            }
        }
    }

    fn basic_string(&mut self) -> Result<(String, usize), Problem> {
        loop {
            match self.lexer.next()? {
                END => return Err(self.lexer.problem("unexpected EOF; expected '\"'")),
                '\n' | '\r' => return Err(self.lexer.problem_above("strings cannot contain newlines")),
                '\\' => self.lex_escape()?,
                '"' => return self.close_string(1),
                _ => {}
            }
        }
    }

    fn literal_string(&mut self) -> Result<String, Problem> {
        loop {
            match self.lexer.next()? {
                END => return Err(self.lexer.problem("unexpected EOF; expected \"'\"")),
                '\n' | '\r' => return Err(self.lexer.problem_above("strings cannot contain newlines")),
                '\'' => return self.close_string(1).map(|(text, _)| text),
                _ => {}
            }
        }
    }

    fn multiline_string(&mut self, quote: char) -> Result<(String, usize), Problem> {
        let three: String = std::iter::repeat_n(quote, 3).collect();
        let five: String = std::iter::repeat_n(quote, 5).collect();
        loop {
            match self.lexer.next()? {
                END => {
                    let expected = if quote == '"' { format!("'{three}'") } else { format!("\"{three}\"") };
                    return Err(self.lexer.problem(format!("unexpected EOF; expected {expected}")));
                }
                '\\' if quote == '"' => self.lex_multiline_escape()?,
                found if found == quote => {
                    if !self.lexer.accept(quote)? {
                        continue;
                    }
                    if !self.lexer.accept(quote)? {
                        self.lexer.back();
                        continue;
                    }
                    if self.lexer.peek()? != quote {
                        return self.close_string(3);
                    }
                    // Two quotes may precede the closing three.
                    let current = self.lexer.current();
                    let escaped = quote == '"' && current.ends_with(&format!("\\{five}"));
                    if current.ends_with(&five) && !escaped {
                        let six: String = std::iter::repeat_n(quote, 6).collect();
                        let shown = if quote == '"' { format!("'{six}'") } else { format!("\"{six}\"") };
                        return Err(self.lexer.problem(format!("unexpected {shown}")));
                    }
                    self.lexer.back();
                    self.lexer.back();
                }
                _ => {}
            }
        }
    }

    /// The string before its closing quotes, and the line where it ends.
    fn close_string(&mut self, quotes: usize) -> Result<(String, usize), Problem> {
        for _ in 0..quotes {
            self.lexer.back();
        }
        let (text, line) = (self.lexer.current().to_owned(), self.lexer.line);
        for _ in 0..quotes {
            self.lexer.next()?;
        }
        self.lexer.ignore();
        Ok((text, line))
    }

    /// Checks what follows a backslash where it may also escape a line break.
    fn lex_multiline_escape(&mut self) -> Result<(), Problem> {
        if matches!(self.lexer.next()?, '\n' | '\r') {
            return Ok(());
        }
        self.lexer.back();
        self.lex_escape()
    }

    /// Checks what follows a backslash.
    fn lex_escape(&mut self) -> Result<(), Problem> {
        let letter = self.lexer.next()?;
        let (digits, name) = match letter {
            'b' | 't' | 'n' | 'f' | 'r' | '"' | ' ' | '\t' | '\\' => return Ok(()),
            'e' if self.release == Release::V1_6 => return Ok(()),
            'x' if self.release == Release::V1_6 => (2, "two"),
            'u' => (4, "four"),
            'U' => (8, "eight"),
            END => return Err(self.lexer.problem_above(format!("invalid escape in string '\\{letter}'"))),
            _ => return Err(self.lexer.problem(format!("invalid escape in string '\\{letter}'"))),
        };
        for _ in 0..digits {
            if !self.lexer.next()?.is_ascii_hexdigit() {
                return Err(self.lexer.problem(format!(
                    "expected {name} hexadecimal digits after '\\{letter}', but got {} instead",
                    quoted(self.lexer.current())
                )));
            }
        }
        Ok(())
    }

    /// The text with its escapes replaced; they were checked when it was read.
    fn unescape(&self, text: &str, line: usize) -> Result<String, Problem> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            if character != '\\' {
                out.push(character);
                continue;
            }
            let Some(letter) = rest.next() else { break };
            let digits = match letter {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                ' ' | '\t' => {
                    return Err(Problem { line, message: format!("invalid escape: '\\{letter}'") });
                }
                _ => {
                    out.push(escaped(letter));
                    continue;
                }
            };
            let code: String = rest.by_ref().take(digits).collect();
            match u32::from_str_radix(&code, 16).ok().and_then(char::from_u32) {
                Some(character) => out.push(character),
                None => {
                    let message = format!("Escaped character '\\u{code}' is not valid UTF-8.");
                    return Err(Problem { line, message });
                }
            }
        }
        Ok(out)
    }

    /// The key shown with an error.
    fn key_in_scope(&self) -> String {
        match (self.context, self.current.as_str()) {
            (context, "") => self.tables.name(context),
            (context, current) if context.is_root() => current.to_owned(),
            (context, current) => format!("{}.{current}", self.tables.name(context)),
        }
    }
}

/// The character for a letter after a backslash.
fn escaped(letter: char) -> char {
    match letter {
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        itself => itself,
    }
}

fn without_first_break(text: &str) -> &str {
    text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n")).unwrap_or(text)
}

/// The text without escaped line breaks and the white space after them.
fn without_escaped_breaks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let (before, from) = rest.split_at_checked(place).unwrap_or((rest, ""));
        out.push_str(before);
        let behind = from.get(1..).unwrap_or_default();
        let trimmed = behind.trim_start_matches([' ', '\t', '\r', '\n']);
        let blank = behind.get(..behind.len() - trimmed.len()).unwrap_or_default();
        if blank.contains('\n') {
            rest = trimmed;
            continue;
        }
        let kept = if behind.starts_with('\\') { 2 } else { 1 };
        out.push_str(from.get(..kept).unwrap_or(from));
        rest = from.get(kept..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The lines of the text, joined like the older release does if they end with a backslash. `None` if the last
/// one does.
fn joined_lines(text: &str) -> Option<String> {
    const BLANK: [char; 3] = [' ', '\t', '\r'];
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out = String::with_capacity(text.len());
    // Whether the break before this line was removed, and whether that of the last non-blank line was.
    let (mut joined, mut escaped) = (false, false);
    for (index, whole) in lines.iter().enumerate() {
        let last = index + 1 == lines.len();
        let whole = if std::mem::take(&mut joined) { whole.trim_start_matches(BLANK) } else { whole };
        let line = whole.trim_end_matches(BLANK);
        if !line.ends_with('\\') {
            out.push_str(whole.trim_end_matches('\r'));
            if !escaped && !last {
                out.push('\n');
            }
            continue;
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let line = if escaped { line.trim_start_matches(BLANK) } else { line };
        escaped = backslashes % 2 == 1;
        if !escaped {
            out.push_str(whole);
            out.push('\n');
            continue;
        }
        if last {
            return None;
        }
        out.push_str(line.strip_suffix('\\').unwrap_or(line));
        joined = true;
    }
    Some(out)
}
