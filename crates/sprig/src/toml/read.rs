//! Reading. What may be said twice and what may not follows the Go library, and so do the words.

use std::collections::{BTreeMap, BTreeSet};

use trueline_gotemplate::{Element, List, Map, Value, fmt};

use super::lexer::{END, Lexer, Problem, character_or_end, quoted_character};
use super::number;
use super::{MAX_DEPTH, joined};

/// Reads a text; the error is Go's text.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, String> {
    let marks: [&[u8]; 3] = [b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"];
    let bytes = marks.iter().find_map(|mark| bytes.strip_prefix(*mark)).unwrap_or(bytes);
    if bytes.iter().take(6).any(|byte| *byte == 0) {
        let message = "files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8";
        return Err(format!("toml: line 1: {message}"));
    }
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        context: Vec::new(),
        current: String::new(),
        key_line: 1,
        root: Table::new(),
        implicit: BTreeSet::new(),
        arrays: BTreeMap::new(),
    };
    match parser.document() {
        Ok(()) => Ok(table_value(parser.root)),
        Err(problem) => {
            let key = parser.key_in_scope();
            let key = if key.is_empty() { key } else { format!(" (last key {})", fmt::quote(&key)) };
            Err(format!("toml: line {}{key}: {}", problem.line, problem.message))
        }
    }
}

type Table = BTreeMap<String, Node>;

#[derive(Debug, Clone)]
enum Node {
    Plain(Value),
    Array(Vec<Node>),
    Table(Table),
    Tables(Vec<Table>),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The table that keys belong to.
    context: Vec<String>,
    /// The key whose value is read.
    current: String,
    /// The line of the first part of the last key.
    key_line: usize,
    root: Table,
    /// Tables that exist only because something is in them.
    implicit: BTreeSet<String>,
    /// Which keys hold arrays of values.
    arrays: BTreeMap<String, bool>,
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
                    let outer = self.context.clone();
                    self.assignment(0)?;
                    self.context = outer;
                    self.current.clear();
                    self.line_end()?;
                }
            }
        }
    }

    /// What follows a table's name or a value: nothing but a comment.
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

    /// The name of a table, or of an array of tables, behind its first bracket.
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
        self.add_context(&key, is_array)?;
        self.arrays.insert(joined(&self.context), false);
        Ok(())
    }

    /// Reads one part of a key and remembers in which line the first one ended.
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
                        '\n' => self.lexer.problem_above(message),
                        _ => self.lexer.problem(message),
                    });
                }
            }
        }
    }

    /// A key with its value. Gives the whole key and the value; the context stays that of the key.
    fn assignment(&mut self, depth: usize) -> Result<(Vec<String>, Node), Problem> {
        let key = self.key()?;
        let Some((last, parents)) = key.split_last() else {
            return Err(self.lexer.problem("unexpected '='"));
        };
        self.current.clone_from(last);
        for parent in parents {
            let mut context = self.context.clone();
            context.push(parent.clone());
            self.implicit.insert(joined(&context));
            self.add_context(&context, false)?;
        }
        let value = self.value(false, depth)?;
        self.set_value(last, value.clone())?;
        self.set_array(matches!(value, Node::Array(_)));
        Ok((key.clone(), value))
    }

    fn set_array(&mut self, is_array: bool) {
        let mut key = self.context.clone();
        if !self.current.is_empty() {
            key.push(self.current.clone());
        }
        self.arrays.insert(joined(&key), is_array);
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
            '"' | '\'' => return self.string(first).map(|text| Node::Plain(Value::from(text))),
            '.' => return Err(self.lexer.problem("floats must start with a digit, not '.'")),
            'i' | 'n' if self.special_float()? => number::Form::Float,
            END => return Err(self.lexer.problem("unexpected EOF; expected value")),
            letter if letter.is_alphabetic() => return self.boolean(),
            other => {
                let message = format!("expected value but found {} instead", quoted_character(other));
                return Err(match other {
                    '\n' => self.lexer.problem_above(message),
                    _ => self.lexer.problem(message),
                });
            }
        };
        let line = self.lexer.line;
        let text = self.lexer.take();
        number::value(form, text).map(Node::Plain).map_err(|message| Problem { line, message })
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
            "true" => Ok(Node::Plain(Value::from(true))),
            "false" => Ok(Node::Plain(Value::from(false))),
            _ => Err(self.lexer.problem(format!("expected value but found {} instead", fmt::quote(&word)))),
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
        Ok(Node::Array(items))
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
        let outer = (self.context.clone(), self.current.clone());
        self.context.push(std::mem::take(&mut self.current));
        let own = self.context.clone();
        self.implicit.insert(joined(&own));
        self.add_context(&own, in_array)?;
        let mut table = Table::new();
        loop {
            match self.lexer.next()? {
                ' ' | '\t' | '\n' | '\r' => self.lexer.ignore(),
                '#' => self.lexer.comment()?,
                ',' => return Err(self.lexer.problem("unexpected comma")),
                '}' => break,
                _ => {
                    self.lexer.back();
                    self.key_start()?;
                    let (key, value) = self.assignment(depth + 1)?;
                    if insert(&mut table, &key, value).is_none() {
                        let message = format!("{} is not a table", fmt::quote(joined(&self.context)));
                        return Err(Problem { line: self.key_line, message });
                    }
                    self.context.clone_from(&own);
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
                ' ' | '\t' | '\n' | '\r' => self.lexer.ignore(),
                '#' => self.lexer.comment()?,
                ',' => {
                    self.lexer.ignore();
                    self.lexer.skip_blanks()?;
                    if self.lexer.peek()? != '}' {
                        return Ok(true);
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

    /// A string of any kind behind its first quote.
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
                self.unescape(&without_escaped_breaks(without_first_break(&raw)), line)
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
                    // Two quotes may stand before the closing three.
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

    /// The string before its closing quotes, and the line in which it ends.
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

    /// Checks what follows a backslash where it may also take away a line break.
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
            'e' | 'b' | 't' | 'n' | 'f' | 'r' | '"' | ' ' | '\t' | '\\' => return Ok(()),
            'x' => (2, "two"),
            'u' => (4, "four"),
            'U' => (8, "eight"),
            _ => return Err(self.lexer.problem(format!("invalid escape in string '\\{letter}'"))),
        };
        for _ in 0..digits {
            if !self.lexer.next()?.is_ascii_hexdigit() {
                return Err(self.lexer.problem(format!(
                    "expected {name} hexadecimal digits after '\\{letter}', but got {} instead",
                    fmt::quote(self.lexer.current())
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
            let digits = match rest.next() {
                Some('b') => {
                    out.push('\u{8}');
                    continue;
                }
                Some('t') => {
                    out.push('\t');
                    continue;
                }
                Some('n') => {
                    out.push('\n');
                    continue;
                }
                Some('f') => {
                    out.push('\u{c}');
                    continue;
                }
                Some('r') => {
                    out.push('\r');
                    continue;
                }
                Some('e') => {
                    out.push('\u{1b}');
                    continue;
                }
                Some('x') => 2,
                Some('u') => 4,
                Some('U') => 8,
                Some(blank @ (' ' | '\t')) => {
                    return Err(Problem { line, message: format!("invalid escape: '\\{blank}'") });
                }
                other => {
                    out.extend(other);
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

    /// The key that is shown with an error.
    fn key_in_scope(&self) -> String {
        match (self.context.as_slice(), self.current.as_str()) {
            (context, "") => joined(context),
            ([], current) => current.to_owned(),
            (context, current) => format!("{}.{current}", joined(context)),
        }
    }

    /// Opens a table, or one more of an array of tables.
    fn add_context(&mut self, key: &[String], is_array: bool) -> Result<(), Problem> {
        let Some((last, parents)) = key.split_last() else { return Ok(()) };
        let line = self.key_line;
        let mut table = &mut self.root;
        let mut passed = Vec::new();
        for part in parents {
            passed.push(part.clone());
            if !table.contains_key(part) {
                self.implicit.insert(joined(&passed));
            }
            let Some(next) = step(table.entry(part.clone()).or_insert_with(|| Node::Table(Table::new())))
            else {
                let message = format!("Key '{}' was already created as a hash.", joined(&passed));
                return Err(Problem { line, message });
            };
            table = next;
        }
        self.context = parents.to_vec();
        if is_array {
            let Node::Tables(tables) = table.entry(last.clone()).or_insert_with(|| Node::Tables(Vec::new()))
            else {
                let key = joined(key);
                let message = format!("Key '{key}' was already created and cannot be used as an array.");
                return Err(Problem { line, message });
            };
            tables.push(Table::new());
        }
        if !is_array {
            self.set_value(last, Node::Table(Table::new()))?;
        }
        self.context.push(last.clone());
        Ok(())
    }

    /// Sets a key of the table in scope, which must not have it.
    fn set_value(&mut self, key: &str, value: Node) -> Result<(), Problem> {
        let mut table = &mut self.root;
        let mut passed = Vec::new();
        for part in &self.context {
            passed.push(part.clone());
            match table.get_mut(part).and_then(step) {
                Some(next) => table = next,
                None => {
                    let message = format!("Key '{}' has already been defined.", joined(&passed));
                    return Err(Problem { line: self.key_line, message });
                }
            }
        }
        passed.push(key.to_owned());
        let name = joined(&passed);
        if table.contains_key(key) {
            // What exists only because something is in it may be defined once; it keeps what is in it, unless
            // it was the place where an array of tables was built.
            if !self.implicit.remove(&name) {
                let message = format!("Key '{name}' has already been defined.");
                return Err(Problem { line: self.key_line, message });
            }
            if !self.arrays.get(&name).copied().unwrap_or(false) {
                return Ok(());
            }
        }
        table.insert(key.to_owned(), value);
        Ok(())
    }
}

/// The table that a key leads to: the last one of an array of them.
fn step(node: &mut Node) -> Option<&mut Table> {
    match node {
        Node::Table(table) => Some(table),
        Node::Tables(tables) => tables.last_mut(),
        Node::Plain(_) | Node::Array(_) => None,
    }
}

/// Puts a value under a key of several parts. `None`: something on the way is no table.
fn insert(table: &mut Table, key: &[String], value: Node) -> Option<()> {
    let (last, parents) = key.split_last()?;
    let mut table = table;
    for part in parents {
        table = match table.entry(part.clone()).or_insert_with(|| Node::Table(Table::new())) {
            Node::Table(table) => table,
            _ => return None,
        };
    }
    table.insert(last.clone(), value);
    Some(())
}

fn without_first_break(text: &str) -> &str {
    text.strip_prefix('\n').or_else(|| text.strip_prefix("\r\n")).unwrap_or(text)
}

/// The text without the breaks that a backslash takes away, and the white space behind them.
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

fn table_value(table: Table) -> Value {
    Value::from(table.into_iter().map(|(key, node)| (key, node_value(node))).collect::<Map>())
}

fn node_value(node: Node) -> Value {
    match node {
        Node::Plain(value) => value,
        Node::Array(items) => Value::list(items.into_iter().map(node_value).collect()),
        Node::Table(table) => table_value(table),
        Node::Tables(tables) => {
            let items = tables.into_iter().map(table_value).collect();
            Value::from(List::new(Element::Named("map[string]interface {}"), items))
        }
    }
}
