//! Pipelines: declarations, commands, operands, constants.

use super::{Abort, Faults, MAX_DEPTH, NO_FUNCTION, Parser, place};
use crate::constant::{self, ConstantError};
use crate::fmt::quote;
use crate::lexer::{Keyword, Token, TokenKind};
use crate::node::{
    Chain, Command, ConstantId, Field, Fields, Function, Items, NameId, Number, Operand, Pipe,
    StringConstant, TemplatePlace, Variable,
};
use crate::parse_error::Fault;

/// A pipeline being read.
struct OpenPipe {
    /// Its purpose, in Go's words.
    context: &'static str,
    /// The token that ends it.
    end: TokenKind,
    /// The start of the action or parenthesis that contains it.
    opened: usize,
    start: u32,
    last: u32,
    is_assign: bool,
    /// The start of its variables among the collected ones.
    variables: usize,
    /// The start of its commands among the collected ones.
    commands: usize,
    command: Option<OpenCommand>,
}

/// A command being read.
struct OpenCommand {
    start: u32,
    last: u32,
    /// The start of its operands among the collected ones.
    operands: usize,
}

/// The first part of an operand.
#[derive(Clone, Copy)]
enum Term {
    /// A constant, a function or a pipeline: complete, and added to the operands.
    Whole,
    Field,
    Variable,
    Parenthesis,
    /// The next token does not start an operand.
    None,
}

impl<'t> Parser<'t> {
    /// The pipeline of an action, including the right delimiter.
    pub(super) fn pipeline(&mut self, context: &'static str) -> Result<Pipe, Abort> {
        // The commands that wait for a pipeline in parentheses.
        let mut outer: Vec<OpenPipe> = Vec::new();
        let mut open = self.open_pipe(context, TokenKind::RightDelimiter, self.action.start);
        self.declarations(&mut open)?;
        loop {
            if open.command.is_some() {
                self.peek_non_space();
                let (token, term) = self.term();
                match term {
                    Term::Parenthesis => {
                        if outer.len() >= MAX_DEPTH {
                            self.report(Fault::TooDeep, "max expression depth exceeded", token.range());
                            return Err(Abort);
                        }
                        self.parentheses.push(token.start());
                        let context = "parenthesized pipeline";
                        let inner =
                            self.open_pipe(context, TokenKind::RightParenthesis, token.start() as usize);
                        outer.push(std::mem::replace(&mut open, inner));
                        self.declarations(&mut open)?;
                    }
                    Term::None => self.behind_operand(&mut open)?,
                    term => {
                        self.operand(&mut open, term, token.start(), token.end());
                        self.behind_operand(&mut open)?;
                    }
                }
                continue;
            }
            let token = self.next_non_space();
            if token.kind == open.end {
                self.check(&open, token);
                let opened = open.opened as u32;
                let pipe = self.finish(open);
                let Some(before) = outer.pop() else {
                    self.action.end = token.end() as usize;
                    return Ok(pipe);
                };
                open = before;
                self.parentheses.pop();
                let pipe = self.kept.add_pipe(pipe);
                self.operands.push(Operand::Pipe(pipe));
                self.operand(&mut open, Term::Whole, opened, token.end());
                self.behind_operand(&mut open)?;
            } else if begins_operand(token.kind) {
                self.back();
                let operands = self.operands.len();
                open.command = Some(OpenCommand { start: token.start(), last: token.start(), operands });
            } else {
                return Err(self.unexpected(token, open.context));
            }
        }
    }

    /// Begins a pipeline.
    fn open_pipe(&mut self, context: &'static str, end: TokenKind, opened: usize) -> OpenPipe {
        let start = self.peek_non_space().start();
        OpenPipe {
            context,
            end,
            opened,
            start,
            last: start,
            is_assign: false,
            variables: self.variables.len(),
            commands: self.commands.len(),
            command: None,
        }
    }

    /// Reads the variables that a pipeline declares or assigns.
    fn declarations(&mut self, open: &mut OpenPipe) -> Result<(), Abort> {
        loop {
            let variable = self.peek_non_space();
            if variable.kind != TokenKind::Variable {
                return Ok(());
            }
            self.next();
            let behind = self.peek();
            let next = self.peek_non_space();
            let comma = next.kind == TokenKind::Char && self.token_text(next) == b",";
            match next.kind {
                TokenKind::Assign | TokenKind::Declare => {
                    open.is_assign = next.kind == TokenKind::Assign;
                    self.next_non_space();
                    self.declare(open, variable, next);
                    return Ok(());
                }
                TokenKind::Char if comma => {
                    self.next_non_space();
                    self.declare(open, variable, next);
                    self.behind_comma(open, variable)?;
                }
                _ => {
                    if behind.kind == TokenKind::Space {
                        self.back_three(variable, behind);
                    } else {
                        self.back_two(variable);
                    }
                    return Ok(());
                }
            }
        }
    }

    fn declare(&mut self, open: &mut OpenPipe, variable: Token, behind: Token) {
        let name = self.name(self.token_text(variable));
        self.variables.push(Variable { place: place(variable.range()), name, fields: Fields::default() });
        open.last = behind.end();
        self.state.declare(name);
    }

    /// After a comma there can only be the second variable of a `range`.
    fn behind_comma(&mut self, open: &OpenPipe, variable: Token) -> Result<(), Abort> {
        if open.context != "range" || self.variables.len() - open.variables >= 2 {
            let message = format!("too many declarations in {}", open.context);
            self.report(Fault::TooManyVariables { context: open.context }, message, variable.range());
            return Err(Abort);
        }
        let next = self.peek_non_space();
        match next.kind {
            TokenKind::Variable | TokenKind::RightDelimiter | TokenKind::RightParenthesis => Ok(()),
            _ => {
                let message = "range can only initialize variables";
                self.report(Fault::VariableExpected, message, next.range());
                Err(Abort)
            }
        }
    }

    /// The first part of an operand.
    fn term(&mut self) -> (Token, Term) {
        let token = self.next_non_space();
        let at = place(token.range());
        let text = self.token_text(token);
        let operand = match token.kind {
            TokenKind::Identifier => {
                let known = self.known(text);
                if known.function == NO_FUNCTION {
                    self.unknown_function(known.name, token);
                }
                Operand::Function(Function { place: at, name: known.name, id: known.function })
            }
            TokenKind::Keyword(Keyword::Dot) => Operand::Dot(at),
            TokenKind::Keyword(Keyword::Nil) => Operand::Nil(at),
            TokenKind::Bool => Operand::Bool(at, text == b"true"),
            TokenKind::CharConstant => self.number(token, constant::character(text, at)),
            TokenKind::Complex => self.number(token, constant::complex(text, at)),
            TokenKind::Number => self.number(token, constant::number(text, at)),
            TokenKind::QuotedString | TokenKind::RawString => {
                let value = self.string(token).unwrap_or_else(|| self.kept.add_constant([].into()));
                Operand::Text(StringConstant { place: at, value })
            }
            TokenKind::Variable => {
                let name = self.name(text);
                if text != b"$" && !self.state.is_declared(name) {
                    let name = self.kept.name(name).clone();
                    let message = format!("undefined variable {}", quote(&*name));
                    self.report(Fault::UnknownVariable { name }, message, token.range());
                }
                return (token, Term::Variable);
            }
            TokenKind::Field => return (token, Term::Field),
            TokenKind::LeftParenthesis => return (token, Term::Parenthesis),
            _ => {
                self.back();
                return (token, Term::None);
            }
        };
        self.operands.push(operand);
        (token, Term::Whole)
    }

    fn unknown_function(&mut self, name: NameId, token: Token) {
        let nearest = match self.faults {
            Faults::Noticed => None,
            Faults::Explained => {
                let nearest = self.nearest.entry(name).or_insert_with(|| {
                    let names = self.functions.names();
                    trueline_diagnostic::nearest(self.kept.name(name), names).map(str::to_owned)
                });
                nearest.clone()
            }
        };
        let name = self.kept.name(name).clone();
        let message = format!("function {} not defined", quote(&*name));
        self.report(Fault::UnknownFunction { name, nearest }, message, token.range());
    }

    fn number(&mut self, token: Token, number: Result<Number, ConstantError>) -> Operand {
        let number = number.unwrap_or_else(|error| {
            let fault = match (&error, token.kind) {
                (ConstantError::Overflow, _) => Fault::NumberTooLarge,
                (_, TokenKind::CharConstant) => Fault::BadCharacter,
                _ => Fault::BadNumber,
            };
            self.report(fault, error.message(self.token_text(token)), token.range());
            Number { place: place(token.range()), ..Number::default() }
        });
        Operand::Number(self.kept.add_number(number))
    }

    /// The value of a string constant; `None` after reporting an error if it is invalid.
    pub(super) fn string(&mut self, token: Token) -> Option<ConstantId> {
        let text = self.token_text(token);
        if let Some(known) = self.words.constant(text, self.kept) {
            return Some(known);
        }
        match constant::string(text) {
            Ok(value) => Some(self.words.add_constant(text, value.into(), self.kept)),
            Err(error) => {
                self.report(Fault::BadString, error.message(text), token.range());
                None
            }
        }
    }

    /// Adds an operand with its fields.
    fn operand(&mut self, open: &mut OpenPipe, term: Term, start: u32, end: u32) {
        let base = self.fields.len();
        let first = self.bytes.get(start as usize..end as usize).unwrap_or_default();
        if let Term::Field = term {
            let name = self.name(first.get(1..).unwrap_or_default());
            self.fields.push(name);
        }
        let mut at = TemplatePlace { start, end, position: start };
        let mut next = self.peek();
        let has_fields = next.kind == TokenKind::Field;
        if has_fields {
            // Go places an operand with fields at its first field.
            at.position = next.start();
        }
        while next.kind == TokenKind::Field {
            self.next();
            at.end = next.end();
            let name = self.name(self.token_text(next).get(1..).unwrap_or_default());
            self.fields.push(name);
            next = self.peek();
        }
        let fields = Fields(Items::keep(&mut self.kept.fields, self.fields, base));
        match term {
            Term::Field => self.operands.push(Operand::Field(Field { place: at, fields })),
            Term::Variable => {
                let name = self.name(first);
                self.operands.push(Operand::Variable(Variable { place: at, name, fields }));
            }
            Term::Whole if has_fields => match self.operands.pop() {
                Some(operand @ (Operand::Function(_) | Operand::Pipe(_))) => {
                    let chain = self.kept.add_chain(Chain { place: at, operand, fields });
                    self.operands.push(Operand::Chain(chain));
                }
                operand => {
                    self.operands.extend(operand);
                    let message = format!("unexpected . after term {}", quote(first));
                    self.report(Fault::FieldOfConstant, message, end as usize..at.end as usize);
                }
            },
            Term::Whole | Term::Parenthesis | Term::None => {}
        }
        if let Some(command) = &mut open.command {
            command.last = at.end;
        }
    }

    /// Checks whether the command continues.
    fn behind_operand(&mut self, open: &mut OpenPipe) -> Result<(), Abort> {
        let token = self.next();
        match token.kind {
            TokenKind::Space => return Ok(()),
            TokenKind::RightDelimiter | TokenKind::RightParenthesis => self.back(),
            TokenKind::Pipe => {}
            _ => return Err(self.unexpected(token, "operand")),
        }
        let Some(command) = open.command.take() else { return Ok(()) };
        if self.operands.len() > command.operands {
            let arguments = Items::keep(&mut self.kept.operands, self.operands, command.operands + 1);
            let at = TemplatePlace { start: command.start, end: command.last, position: command.start };
            open.last = at.end;
            self.commands.extend(self.operands.pop().map(|head| Command { place: at, head, arguments }));
        }
        Ok(())
    }

    /// Checks Go's rules for a complete pipeline.
    fn check(&mut self, open: &OpenPipe, end: Token) {
        let commands = self.commands.get(open.commands..).unwrap_or_default();
        if commands.is_empty() {
            let message = format!("missing value for {}", open.context);
            let fault = Fault::MissingValue { context: open.context };
            return self.report(fault, message, open.opened..end.end() as usize);
        }
        if !commands.iter().skip(1).any(|command| is_value(&command.head)) {
            return;
        }
        let wrong: Vec<(usize, std::ops::Range<usize>)> = commands
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, command)| is_value(&command.head))
            .map(|(index, command)| (index + 1, command.place.range()))
            .collect();
        for (stage, range) in wrong {
            let message = format!("non executable command in pipeline stage {stage}");
            self.report(Fault::NotExecutable, message, range);
        }
    }

    fn finish(&mut self, open: OpenPipe) -> Pipe {
        Pipe {
            place: TemplatePlace { start: open.start, end: open.last, position: open.start },
            is_assign: open.is_assign,
            variables: Items::keep(&mut self.kept.variables, self.variables, open.variables),
            commands: Items::keep(&mut self.kept.commands, self.commands, open.commands),
        }
    }
}

fn begins_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Bool
            | TokenKind::CharConstant
            | TokenKind::Complex
            | TokenKind::Field
            | TokenKind::Identifier
            | TokenKind::Number
            | TokenKind::RawString
            | TokenKind::QuotedString
            | TokenKind::Variable
            | TokenKind::LeftParenthesis
            | TokenKind::Keyword(Keyword::Dot | Keyword::Nil)
    )
}

/// Whether it is something that cannot take an argument.
fn is_value(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Bool(..) | Operand::Dot(_) | Operand::Nil(_) | Operand::Number(_) | Operand::Text(_)
    )
}
