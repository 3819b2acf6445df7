//! Turns tokens into trees, with Go's rules and Go's error messages.
//!
//! Go stops at the first error. This parser continues after the invalid action, so its first error is Go's and
//! the others are those that Go would report once the earlier ones are fixed.
//!
//! Nothing here recurses with the text: open blocks and open parentheses are on explicit stacks.

mod block;
mod pipeline;
mod room;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Functions;
use crate::fmt::quote;
use crate::lexer::{Delimiters, Lexer, Skipped, Token, TokenKind, Words};
use crate::node::{Bytes, Command, List, NameId, Node, Nodes, Operand, TemplatePlace, Tree, Variable};
use crate::parse_error::{Fault, ParseError};

pub(crate) use room::Room;
use room::{Known, NO_FUNCTION};

/// How deeply blocks may be nested, and parentheses within an action. Go has no limit for the first and 10,000
/// for the second; ours is lower because trees are walked recursively.
const MAX_DEPTH: usize = 1_000;

/// Parsing stops after this many errors: such text is not a template.
const MAX_ERRORS: usize = 200;

/// The result of parsing text.
#[derive(Debug)]
pub struct Parsed {
    /// The templates in the order of their definition, each name once, starting with the text itself. If there
    /// are errors they are incomplete and must not be executed.
    pub trees: Vec<Tree>,
    /// The errors, in the order in which they were found.
    pub errors: Vec<ParseError>,
}

/// Parses text with all templates that it defines. Messages use `name` for it.
pub fn parse(name: &Arc<str>, text: &Bytes, functions: &Functions, delimiters: Delimiters<'_>) -> Parsed {
    read_in(&mut Room::default(), name, text, functions, delimiters, Faults::Explained)
}

/// The templates of a string that may not be one; nothing if it is not. The first fault ends it, and is not explained.
pub fn templates_of(
    name: &Arc<str>,
    text: &Bytes,
    functions: &Functions,
    delimiters: Delimiters<'_>,
) -> Option<Vec<Tree>> {
    let parsed = read_in(&mut Room::default(), name, text, functions, delimiters, Faults::Noticed);
    parsed.errors.is_empty().then_some(parsed.trees)
}

/// What is done with what is wrong in a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faults {
    /// Everything is reported, with the names that may have been meant.
    Explained,
    /// The text is no template: nobody asks why.
    Noticed,
}

/// The same with memory reused from other texts that were parsed with the same functions.
pub(crate) fn parse_in(
    room: &mut Room,
    name: &Arc<str>,
    text: &Bytes,
    functions: &Functions,
    delimiters: Delimiters<'_>,
) -> Parsed {
    read_in(room, name, text, functions, delimiters, Faults::Explained)
}

fn read_in(
    room: &mut Room,
    name: &Arc<str>,
    text: &Bytes,
    functions: &Functions,
    delimiters: Delimiters<'_>,
    faults: Faults,
) -> Parsed {
    let words = Words {
        break_is_keyword: functions.id("break").is_none(),
        continue_is_keyword: functions.id("continue").is_none(),
    };
    room.kept.begin(text);
    let mut parser = Parser {
        name,
        bytes: text,
        functions,
        lexer: Lexer::new(text, delimiters, words),
        left_length: if delimiters.left.is_empty() { 2 } else { delimiters.left.len() },
        kept: &mut room.kept,
        words: &mut room.words,
        nearest: FxHashMap::default(),
        state: TreeState::new(),
        suspended: Vec::new(),
        frames: Vec::new(),
        nodes: &mut room.nodes,
        commands: &mut room.commands,
        operands: &mut room.operands,
        variables: &mut room.variables,
        fields: &mut room.fields,
        parentheses: Vec::new(),
        action: 0..0,
        action_errors: 0,
        definitions: Vec::new(),
        defined: FxHashMap::default(),
        errors: Vec::new(),
        faults,
        stopped: false,
    };
    parser.text();
    let nodes = Arc::new(parser.kept.take());
    let tree = |Definition { name: own, place, root }| Tree {
        name: own,
        file: Arc::clone(name),
        nodes: Arc::clone(&nodes),
        place,
        root,
    };
    let parsed = Parsed { trees: parser.definitions.into_iter().map(tree).collect(), errors: parser.errors };
    room.clear();
    parsed
}

/// The action cannot be parsed any further; the error was reported.
struct Abort;

struct Parser<'t> {
    name: &'t Arc<str>,
    bytes: &'t [u8],
    functions: &'t Functions,
    lexer: Lexer<'t>,
    left_length: usize,
    /// The finished nodes.
    kept: &'t mut Nodes,
    words: &'t mut room::Words,
    /// Suggestions for unknown functions, cached because the same names occur again and again.
    nearest: FxHashMap<NameId, Option<String>>,
    /// The variables of the current template, and of those that contain it.
    state: TreeState,
    suspended: Vec<TreeState>,
    frames: Vec<block::Frame>,
    // The collected items; each block, pipeline and command owns the end of these from its start on.
    nodes: &'t mut Vec<Node>,
    commands: &'t mut Vec<Command>,
    operands: &'t mut Vec<Operand>,
    variables: &'t mut Vec<Variable>,
    fields: &'t mut Vec<NameId>,
    /// The places of the open parentheses of the action.
    parentheses: Vec<u32>,
    /// The part of the current action that was read.
    action: Range<usize>,
    /// How many errors there were before it.
    action_errors: usize,
    definitions: Vec<Definition>,
    /// The definitions by their names.
    defined: FxHashMap<Bytes, usize>,
    errors: Vec<ParseError>,
    faults: Faults,
    /// Whether to stop parsing.
    stopped: bool,
}

/// A template of the text.
struct Definition {
    name: Bytes,
    place: TemplatePlace,
    root: List,
}

/// What Go's parser stores for each template.
struct TreeState {
    /// The last token, then those that were put back before it.
    tokens: [Token; 3],
    /// How many of them are still to be returned.
    pending: usize,
    /// The start of the action that Go believes to be in; Go forgets an outer one when an inner one ends.
    action: Option<u32>,
    range_depth: usize,
    variables: Vec<NameId>,
    /// How often each of the variables is declared.
    declared: FxHashMap<NameId, u32>,
}

impl TreeState {
    fn new() -> Self {
        let token = Token::new(TokenKind::End, 0..0);
        TreeState {
            tokens: [token; 3],
            pending: 0,
            action: None,
            range_depth: 0,
            variables: Vec::new(),
            declared: FxHashMap::default(),
        }
    }

    fn declare(&mut self, name: NameId) {
        *self.declared.entry(name).or_default() += 1;
        self.variables.push(name);
    }

    /// Forgets all but the first `count` variables.
    fn forget(&mut self, count: usize) {
        for name in self.variables.drain(count.min(self.variables.len())..) {
            if let Some(times) = self.declared.get_mut(&name) {
                *times = times.saturating_sub(1);
            }
        }
    }

    fn is_declared(&self, name: NameId) -> bool {
        self.declared.get(&name).is_some_and(|times| *times > 0)
    }
}

/// Tokens; Go's parser looks up to three ahead.
impl<'t> Parser<'t> {
    fn next(&mut self) -> Token {
        match self.state.pending.checked_sub(1) {
            Some(left) => self.state.pending = left,
            None => self.state.tokens[0] = self.lexer.next_token(),
        }
        self.state.tokens.get(self.state.pending).copied().unwrap_or(self.state.tokens[0])
    }

    fn peek(&mut self) -> Token {
        let token = self.next();
        self.state.pending += 1;
        token
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != TokenKind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.state.pending += 1;
        token
    }

    /// Puts back the last token.
    fn back(&mut self) {
        self.state.pending += 1;
    }

    /// Puts back a token before the last one.
    fn back_two(&mut self, first: Token) {
        self.state.tokens[1] = first;
        self.state.pending = 2;
    }

    /// Puts back two tokens before the last one.
    fn back_three(&mut self, first: Token, second: Token) {
        self.state.tokens[1] = second;
        self.state.tokens[2] = first;
        self.state.pending = 3;
    }

    fn expect(&mut self, kind: TokenKind, context: &'static str) -> Result<Token, Abort> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(token, context)) }
    }

    fn expect_right_delimiter(&mut self, context: &'static str) -> Result<(), Abort> {
        let token = self.expect(TokenKind::RightDelimiter, context)?;
        self.action.end = token.end() as usize;
        Ok(())
    }

    /// Begins an action.
    fn enter_action(&mut self, left: Token) {
        self.action = left.range();
        self.action_errors = self.errors.len();
    }

    /// Continues after the current action.
    fn recover(&mut self) {
        if self.skip() == Skipped::Unclosed {
            self.explain_unclosed();
        }
    }

    fn skip(&mut self) -> Skipped {
        let skipped = self.lexer.skip_action(self.state.tokens[0]);
        self.action.end = self.lexer.position();
        self.state.pending = 0;
        self.commands.clear();
        self.operands.clear();
        self.variables.clear();
        self.fields.clear();
        self.parentheses.clear();
        skipped
    }

    fn token_text(&self, token: Token) -> &'t [u8] {
        self.bytes.get(token.range()).unwrap_or_default()
    }

    fn known(&mut self, text: &'t [u8]) -> Known {
        self.words.name(text, self.functions, self.kept)
    }

    fn name(&mut self, text: &'t [u8]) -> NameId {
        self.known(text).name
    }
}

/// Errors.
impl Parser<'_> {
    /// Reports an error with the line of the last token.
    fn report(&mut self, fault: Fault, message: impl Into<String>, range: Range<usize>) {
        let line = self.line(self.state.tokens[0].start());
        self.report_line(line, fault, message.into(), range);
    }

    fn report_line(&mut self, line: usize, fault: Fault, message: String, range: Range<usize>) {
        self.errors.push(ParseError { name: Arc::clone(self.name), line, message, range, fault });
        self.stopped |= self.faults == Faults::Noticed || self.errors.len() >= MAX_ERRORS;
    }

    fn line(&self, position: u32) -> usize {
        let before = self.bytes.get(..position as usize).unwrap_or(self.bytes);
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// Reports a token that is not allowed where it is.
    fn unexpected(&mut self, token: Token, context: &'static str) -> Abort {
        if token.kind == TokenKind::Error {
            return self.unreadable(token);
        }
        let found = self.describe(token);
        let message = format!("unexpected {found} in {context}");
        // The end of the text has no place of its own.
        let range = if token.kind == TokenKind::End { self.action.clone() } else { token.range() };
        let found = String::from_utf8_lossy(self.token_text(token)).into_owned();
        self.report(Fault::Unexpected { found, context }, message, range);
        Abort
    }

    /// Reports an error of the lexer.
    fn unreadable(&mut self, token: Token) -> Abort {
        let Some((fault, place)) = self.lexer.fault().cloned() else { return Abort };
        let mut message = fault.lexer_message(self.token_text(token));
        if let Some(action) = self.state.action.map(|start| self.line(start))
            && action != self.line(token.start())
        {
            let words = if message.ends_with(" action") { "started" } else { "in action started" };
            message.push_str(&format!(" {words} at {}:{action}", self.name));
        }
        let range = match (&fault, self.parentheses.last()) {
            (Fault::UnclosedParenthesis, Some(start)) => *start as usize..*start as usize + 1,
            (Fault::UnclosedAction, _) => self.action.start..self.action.start + self.left_length,
            _ => place.range(),
        };
        self.report(fault, message, range);
        Abort
    }

    /// What follows an unclosed action was not meant to be part of it, so of all its errors only one is
    /// reported, with Go's message and at the right place.
    fn explain_unclosed(&mut self) {
        self.errors.truncate(self.action_errors + 1);
        if let Some(error) = self.errors.get_mut(self.action_errors) {
            error.fault = Fault::UnclosedAction;
            error.range = self.action.start..self.action.start + self.left_length;
        }
    }

    /// A token as Go writes it in messages.
    fn describe(&self, token: Token) -> String {
        let text = self.token_text(token);
        match token.kind {
            TokenKind::End => "EOF".to_owned(),
            TokenKind::Keyword(_) => format!("<{}>", String::from_utf8_lossy(text)),
            _ if text.len() > 10 => format!("{}...", quote(first_characters(text, 10))),
            _ => quote(text),
        }
    }
}

/// The first characters of the text; a byte that is not UTF-8 counts as one.
fn first_characters(text: &[u8], count: usize) -> &[u8] {
    let mut length = 0;
    let mut left = count;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars().take(left) {
            length += character.len_utf8();
            left -= 1;
        }
        let invalid = chunk.invalid().len().min(left);
        length += invalid;
        left -= invalid;
        if left == 0 {
            break;
        }
    }
    text.get(..length).unwrap_or(text)
}

/// The place of a node that Go locates by its start.
fn place(range: Range<usize>) -> TemplatePlace {
    TemplatePlace { start: range.start as u32, end: range.end as u32, position: range.start as u32 }
}

/// Functions that have only names.
#[cfg(test)]
pub(crate) fn function_names(names: &[&'static str]) -> Functions {
    let mut functions = Functions::default();
    let call: crate::Call = |_, _| Err(crate::Error::new("has no code"));
    functions.extend(
        &names
            .iter()
            .map(|name| crate::Function {
                name,
                parameters: &[],
                variadic: crate::Variadic::Yes,
                call,
                usage: "",
                doc: "",
                uses: crate::Uses::All,
            })
            .collect::<Vec<_>>(),
    );
    functions
}
