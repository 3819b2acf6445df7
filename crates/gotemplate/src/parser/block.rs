//! Text, actions, and the blocks they open and close.

use std::ops::Range;

use super::{Abort, Definition, MAX_DEPTH, Parser, TreeState, place};
use crate::fmt::quote;
use crate::lexer::{Keyword, Token, TokenKind};
use crate::node::{
    Action, Branch, BranchKind, Bytes, ConstantId, Items, List, Node, Pipe, Template, TemplatePlace,
};
use crate::parse_error::Fault;

/// A block being read.
pub(super) struct Frame {
    kind: FrameKind,
    /// The action that opened it.
    opened: Range<usize>,
    /// The start of the current list among the collected nodes.
    nodes: usize,
    /// The start of the current list in the text.
    list: TemplatePlace,
    /// How many variables there were before it.
    variables: usize,
    /// Whether an `else` without a block was found in it. The next `end` then is not this block's.
    stray_else: StrayElse,
    /// The error about a definition in it.
    nested_define: Option<usize>,
}

enum FrameKind {
    /// The whole text.
    Text,
    Define(TemplateName),
    Block(TemplateName, Pipe),
    Branch(OpenBranch),
}

/// The name of a template, unless it is invalid, and its place.
struct TemplateName {
    value: Option<ConstantId>,
    range: Range<usize>,
}

struct OpenBranch {
    kind: BranchKind,
    pipe: Pipe,
    /// What precedes `else`, and the place of that `else`.
    first: Option<(List, Range<usize>)>,
    /// Whether it is the `if` of an `else if`, whose `end` closes two blocks.
    of_else: OfElse,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OfElse {
    No,
    Yes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StrayElse {
    None,
    /// Its `end` is still to come.
    Open,
    Closed,
}

impl Frame {
    fn keyword(&self) -> &'static str {
        match &self.kind {
            FrameKind::Text => "",
            FrameKind::Define(_) => "define",
            FrameKind::Block(..) => "block",
            FrameKind::Branch(branch) => branch.kind.keyword(),
        }
    }
}

impl Parser<'_> {
    /// The whole text.
    pub(super) fn text(&mut self) {
        if u32::try_from(self.bytes.len()).is_err() {
            return self.report(Fault::TooLong, "template text is too long", 0..0);
        }
        let start = self.peek().start();
        self.frames.push(Frame {
            kind: FrameKind::Text,
            opened: 0..0,
            nodes: 0,
            list: beginning(start),
            variables: 0,
            stray_else: StrayElse::None,
            nested_define: None,
        });
        while !self.stopped {
            let outside = self.frames.len() == 1;
            let token = if outside { self.peek() } else { self.peek_non_space() };
            if token.kind == TokenKind::End {
                break;
            }
            if outside && token.kind == TokenKind::LeftDelimiter {
                self.next();
                if self.next_non_space().kind == TokenKind::Keyword(Keyword::Define) {
                    self.enter_action(token);
                    self.define();
                    continue;
                }
                self.back_two(token);
            }
            self.text_or_action();
        }
        self.end_of_text();
    }

    fn text_or_action(&mut self) {
        let token = self.next_non_space();
        match token.kind {
            TokenKind::Text => self.nodes.push(Node::Text(place(token.range()))),
            TokenKind::LeftDelimiter => {
                self.state.action = Some(token.start());
                self.enter_action(token);
                self.action();
            }
            _ => {
                let errors = self.errors.len();
                self.unexpected(token, "input");
                self.explain_else(errors, token);
                self.skip();
            }
        }
    }

    /// Only the `if` or `with` of an `else` can be left over after an action.
    fn explain_else(&mut self, error: usize, token: Token) {
        let block = self.frames.last().map_or("", Frame::keyword);
        if let (Some(error), TokenKind::Keyword(keyword)) = (self.errors.get_mut(error), token.kind) {
            let keyword = if keyword == Keyword::If { "if" } else { "with" };
            error.fault = Fault::ElseOfOtherKind { block, keyword };
        }
    }

    fn action(&mut self) {
        let token = self.next_non_space();
        let node = match token.kind {
            TokenKind::Keyword(Keyword::If) => return self.branch(BranchKind::If, OfElse::No),
            TokenKind::Keyword(Keyword::With) => return self.branch(BranchKind::With, OfElse::No),
            TokenKind::Keyword(Keyword::Range) => return self.branch(BranchKind::Range, OfElse::No),
            TokenKind::Keyword(Keyword::Block) => return self.block(),
            TokenKind::Keyword(Keyword::Define) => return self.nested_define(token),
            TokenKind::Keyword(Keyword::Else) => return self.otherwise(),
            TokenKind::Keyword(Keyword::End) => return self.end(),
            TokenKind::Keyword(Keyword::Break) => self.jump(token, "break").map(Node::Break),
            TokenKind::Keyword(Keyword::Continue) => self.jump(token, "continue").map(Node::Continue),
            TokenKind::Keyword(Keyword::Template) => self.template(),
            _ => {
                self.back();
                self.print(token)
            }
        };
        match node {
            Ok(node) => self.nodes.push(node),
            Err(Abort) => self.recover(),
        }
        self.state.action = None;
    }

    /// An action that prints, declares or assigns.
    fn print(&mut self, first: Token) -> Result<Node, Abort> {
        match self.pipeline("command") {
            Ok(pipe) => {
                let pipe = self.kept.add_pipe(pipe);
                Ok(Node::Action(Action { place: self.action_place(first.start()), pipe }))
            }
            Err(Abort) => {
                if first.kind == TokenKind::Variable {
                    self.failed_declaration(first);
                }
                Err(Abort)
            }
        }
    }

    /// The variable that was to be declared is not reported as missing, neither here nor where it is used.
    fn failed_declaration(&mut self, variable: Token) {
        let name = self.name(self.token_text(variable));
        self.state.declare(name);
        if let Some([missing, cause]) = self.errors.get_mut(self.action_errors..)
            && missing.range == variable.range()
            && cause.fault == Fault::LoneColon
        {
            missing.fault = Fault::LoneColon;
            missing.range = cause.range.clone();
            self.errors.pop();
        }
    }

    fn action_place(&self, position: u32) -> TemplatePlace {
        TemplatePlace { position, ..place(self.action.clone()) }
    }

    fn jump(&mut self, token: Token, keyword: &'static str) -> Result<TemplatePlace, Abort> {
        let context = if keyword == "break" { "{{break}}" } else { "{{continue}}" };
        self.expect_right_delimiter(context)?;
        if self.state.range_depth == 0 {
            let message = format!("{context} outside {{{{range}}}}");
            self.report(Fault::OutsideRange { keyword }, message, self.action.clone());
        }
        Ok(self.action_place(token.start()))
    }

    fn template(&mut self) -> Result<Node, Abort> {
        let token = self.next_non_space();
        let name = self.template_name(token, "template clause")?;
        let next = self.next_non_space();
        self.action.end = next.end() as usize;
        let pipe = if next.kind == TokenKind::RightDelimiter {
            None
        } else {
            self.back();
            let pipe = self.pipeline("template clause")?;
            Some(self.kept.add_pipe(pipe))
        };
        let name = self.constant(name.value);
        Ok(Node::Template(Template { place: self.action_place(token.start()), name, pipe }))
    }

    fn template_name(&mut self, token: Token, context: &'static str) -> Result<TemplateName, Abort> {
        match token.kind {
            TokenKind::QuotedString | TokenKind::RawString => {
                Ok(TemplateName { value: self.string(token), range: token.range() })
            }
            _ => Err(self.unexpected(token, context)),
        }
    }

    /// The name of a template, or an empty one if it is invalid.
    fn constant(&mut self, name: Option<ConstantId>) -> ConstantId {
        name.unwrap_or_else(|| self.kept.add_constant([].into()))
    }

    /// `if`, `with` or `range`, also after `else`; the keyword is read.
    fn branch(&mut self, kind: BranchKind, of_else: OfElse) {
        let variables = self.state.variables.len();
        let pipe = self.pipeline(kind.keyword()).unwrap_or_else(|Abort| {
            self.recover();
            self.missing_pipe()
        });
        if kind == BranchKind::Range {
            self.state.range_depth += 1;
        }
        self.open(FrameKind::Branch(OpenBranch { kind, pipe, first: None, of_else }), variables);
    }

    /// A placeholder for a pipeline that cannot be parsed.
    fn missing_pipe(&self) -> Pipe {
        Pipe { place: place(self.action.clone()), ..Pipe::default() }
    }

    /// `block`; the keyword is read. It is a definition and a call of it at the same place.
    fn block(&mut self) {
        let header = self.block_header().unwrap_or_else(|Abort| {
            self.recover();
            (TemplateName { value: None, range: self.action.clone() }, self.missing_pipe())
        });
        self.suspended.push(std::mem::replace(&mut self.state, TreeState::new()));
        self.open(FrameKind::Block(header.0, header.1), 0);
    }

    fn block_header(&mut self) -> Result<(TemplateName, Pipe), Abort> {
        let token = self.next_non_space();
        let name = self.template_name(token, "block clause")?;
        Ok((name, self.pipeline("block clause")?))
    }

    /// `define`; the keyword is read.
    fn define(&mut self) {
        self.suspended.push(std::mem::replace(&mut self.state, TreeState::new()));
        let name = self.define_header().unwrap_or_else(|Abort| {
            self.recover();
            TemplateName { value: None, range: self.action.clone() }
        });
        self.open(FrameKind::Define(name), 0);
    }

    fn define_header(&mut self) -> Result<TemplateName, Abort> {
        let token = self.next_non_space();
        let name = self.template_name(token, "define clause")?;
        self.expect_right_delimiter("define clause")?;
        Ok(name)
    }

    /// A definition inside a block is an error, probably because the block was not closed. The error is
    /// reported once, and the definition is parsed.
    fn nested_define(&mut self, token: Token) {
        let next_error = self.errors.len();
        if let Some(frame) = self.frames.last_mut()
            && frame.nested_define.is_none()
        {
            frame.nested_define = Some(next_error);
            let (opened, keyword) = (frame.opened.clone(), frame.keyword());
            let message = format!("unexpected {} in command", self.describe(token));
            let fault = Fault::NestedDefine { opened, keyword };
            self.report(fault, message, token.range());
        }
        self.state.action = None;
        self.define();
    }

    /// Begins the list of a block.
    fn open(&mut self, kind: FrameKind, variables: usize) {
        let opened = self.action.clone();
        if self.frames.len() > MAX_DEPTH {
            self.report(Fault::TooDeep, "max nesting depth exceeded", opened.clone());
            self.stopped = true;
        }
        let list = self.peek_non_space().start();
        self.frames.push(Frame {
            kind,
            opened,
            nodes: self.nodes.len(),
            list: beginning(list),
            variables,
            stray_else: StrayElse::None,
            nested_define: None,
        });
    }

    /// `else`; the keyword is read.
    fn otherwise(&mut self) {
        let next = self.peek_non_space();
        let keyword = match next.kind {
            TokenKind::Keyword(Keyword::If) => Some(BranchKind::If),
            TokenKind::Keyword(Keyword::With) => Some(BranchKind::With),
            _ => None,
        };
        let errors = self.errors.len();
        if keyword.is_none()
            && let Err(Abort) = self.expect_right_delimiter("else")
        {
            self.recover();
        }
        self.state.action = None;
        let end = self.action.start;
        let action = self.action.start..self.action.end.max(next.end() as usize);
        let Some(frame) = self.frames.last_mut() else { return };
        let FrameKind::Branch(branch) = &mut frame.kind else {
            frame.stray_else = StrayElse::Open;
            if errors == self.errors.len() {
                self.stray_else(action);
            }
            if keyword.is_some() {
                self.recover();
            }
            return;
        };
        if let Some((_, first)) = &branch.first {
            let first = first.clone();
            if errors == self.errors.len() {
                self.report(Fault::SecondElse { first }, "expected end; found {{else}}", action);
            }
            if keyword.is_some() {
                self.recover();
            }
            return;
        }
        let at = TemplatePlace { end: end as u32, ..frame.list };
        let nodes = Items::keep(&mut self.kept.list, self.nodes, frame.nodes);
        branch.first = Some((List { place: at, nodes }, action));
        if branch.kind == BranchKind::Range {
            self.state.range_depth = self.state.range_depth.saturating_sub(1);
        }
        if keyword == Some(branch.kind) {
            let kind = branch.kind;
            frame.list = TemplatePlace { start: end as u32, end: end as u32, position: next.start() };
            self.next();
            self.branch(kind, OfElse::Yes);
        } else {
            let list = self.peek_non_space().start();
            if let Some(frame) = self.frames.last_mut() {
                frame.list = beginning(list);
            }
        }
    }

    /// Reports an `else` outside `if`, `with` and `range`.
    fn stray_else(&mut self, action: Range<usize>) {
        // Go reports this one from the surrounding template, which has read nothing since.
        let block = matches!(self.frames.last(), Some(Frame { kind: FrameKind::Block(..), .. }));
        let state = self.suspended.last().filter(|_| block).unwrap_or(&self.state);
        let line = self.line(state.tokens[0].start());
        let message = match self.frames.last().map(|frame| &frame.kind) {
            Some(FrameKind::Define(_)) => "unexpected {{else}} in define clause",
            Some(FrameKind::Block(..)) => "unexpected {{else}} in block clause",
            _ => "unexpected {{else}}",
        };
        self.report_line(line, Fault::ExtraElse, message.to_owned(), action);
    }

    /// `end`; the keyword is read.
    fn end(&mut self) {
        let errors = self.errors.len();
        if let Err(Abort) = self.expect_right_delimiter("end") {
            self.recover();
        }
        self.state.action = None;
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.stray_else == StrayElse::Open {
            frame.stray_else = StrayElse::Closed;
        } else if let FrameKind::Text = frame.kind {
            if errors == self.errors.len() {
                self.report(Fault::ExtraEnd, "unexpected {{end}}", self.action.clone());
            }
        } else {
            self.close();
        }
    }

    /// Closes the innermost block, and those whose `else if` it is.
    fn close(&mut self) {
        while let Some(frame) = self.frames.pop() {
            let at = TemplatePlace { end: self.action.start as u32, ..frame.list };
            let last = self.list(frame.nodes, at);
            match frame.kind {
                FrameKind::Text => return,
                FrameKind::Define(name) => {
                    self.define_as(name.value, name.range, &frame.opened, last);
                    self.leave();
                    return;
                }
                FrameKind::Block(name, pipe) => {
                    let position = name.range.start as u32;
                    self.define_as(name.value, name.range, &frame.opened, last);
                    self.leave();
                    let at = TemplatePlace { position, ..place(frame.opened) };
                    let (name, pipe) = (self.constant(name.value), self.kept.add_pipe(pipe));
                    self.nodes.push(Node::Template(Template { place: at, name, pipe: Some(pipe) }));
                    self.state.action = None;
                    return;
                }
                FrameKind::Branch(OpenBranch { kind, pipe, first, of_else }) => {
                    self.state.forget(frame.variables);
                    if kind == BranchKind::Range && first.is_none() {
                        self.state.range_depth = self.state.range_depth.saturating_sub(1);
                    }
                    let (list, otherwise) = match first {
                        Some((first, _)) => (first, Some(last)),
                        None => (last, None),
                    };
                    let at = TemplatePlace { position: pipe.place.position, ..place(frame.opened) };
                    let branch = Branch { kind, place: at, pipe, list, otherwise };
                    let branch = self.kept.add_branch(branch);
                    self.nodes.push(Node::Branch(branch));
                    if of_else == OfElse::No {
                        return;
                    }
                }
            }
        }
    }

    /// Returns to the template that contains the one just parsed.
    fn leave(&mut self) {
        if let Some(state) = self.suspended.pop() {
            self.state = state;
        }
    }

    /// Takes the items collected since `base`.
    fn list(&mut self, base: usize, place: TemplatePlace) -> List {
        List { place, nodes: Items::keep(&mut self.kept.list, self.nodes, base) }
    }

    fn define_as(
        &mut self,
        name: Option<ConstantId>,
        range: Range<usize>,
        opened: &Range<usize>,
        root: List,
    ) {
        if let Some(name) = name {
            let name = self.kept.constant(name).clone();
            self.add(name, range, opened, root);
        }
    }

    /// Adds a template. Of two with the same name, only one may be non-empty.
    fn add(&mut self, name: Bytes, range: Range<usize>, opened: &Range<usize>, root: List) {
        let nodes = &*self.kept;
        let definition = Definition { name: name.clone(), place: place(opened.clone()), root };
        match self.defined.get(&name).and_then(|index| self.definitions.get_mut(*index)) {
            None => {
                self.defined.insert(name, self.definitions.len());
                self.definitions.push(definition);
            }
            Some(before) if before.root.is_blank(nodes) => *before = definition,
            Some(before) if !root.is_blank(nodes) => {
                let first = before.place.range();
                let message = format!("template: multiple definition of template {}", quote(&name));
                let name = String::from_utf8_lossy(&name).into_owned();
                self.report(Fault::DefinedTwice { name, first }, message, range);
            }
            Some(_) => {}
        }
    }

    fn end_of_text(&mut self) {
        let told = self.stopped || self.lexer.swallowed();
        while self.frames.len() > 1 {
            let Some(frame) = self.frames.pop() else { break };
            self.nodes.truncate(frame.nodes);
            let of_else = matches!(&frame.kind, FrameKind::Branch(branch) if branch.of_else == OfElse::Yes);
            if told || of_else || frame.stray_else != StrayElse::None {
                continue;
            }
            let (keyword, opened) = (frame.keyword(), frame.opened);
            match frame.nested_define.and_then(|index| self.errors.get_mut(index)) {
                Some(error) => {
                    error.fault = Fault::UnclosedBlock { keyword, define: Some(error.range.clone()) };
                    error.range = opened;
                }
                None => {
                    self.report(Fault::UnclosedBlock { keyword, define: None }, "unexpected EOF", opened);
                }
            }
        }
        let at = self.frames.pop().map_or(beginning(0), |frame| frame.list);
        let at = TemplatePlace { end: self.bytes.len() as u32, ..at };
        let root = self.list(0, at);
        let name: Bytes = self.name.as_bytes().into();
        let defined = self.defined.get(&name).and_then(|index| self.definitions.get(*index));
        let range = defined.map_or(0..0, |definition| definition.place.range());
        self.add(name.clone(), range, &(0..0), root);
        if let Some(main) = self.defined.get(&name).filter(|index| **index < self.definitions.len()) {
            let main = self.definitions.remove(*main);
            self.definitions.insert(0, main);
        }
    }
}

/// The place of something that starts here.
fn beginning(start: u32) -> TemplatePlace {
    TemplatePlace { start, end: start, position: start }
}
