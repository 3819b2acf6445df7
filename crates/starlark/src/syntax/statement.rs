//! Statements.

use super::ast::{Assign, Expr, For, FunctionDef, Ident, If, Load, Statement, While};
use super::parser::Parser;
use super::scanner::syntax_error;
use super::token::{Meaning, Token};
use crate::error::{Error, Position};

impl Parser<'_> {
    pub(super) fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<(), Error> {
        let statement = match self.token {
            Token::Def => self.nested(Self::def)?,
            Token::If => self.nested(Self::if_statement)?,
            Token::For => self.nested(Self::for_statement)?,
            Token::While => self.nested(Self::while_statement)?,
            _ => return self.simple_statements(statements),
        };
        statements.push(statement);
        Ok(())
    }

    fn def(&mut self) -> Result<Statement, Error> {
        let position = self.advance()?;
        let id = self.function_id();
        let name = self.ident()?;
        self.consume(Token::LeftParen)?;
        let params = self.params()?;
        self.consume(Token::RightParen)?;
        self.consume(Token::Colon)?;
        let body = self.suite()?;
        let function = Box::new(FunctionDef { id, position, name: name.name, params, body });
        Ok(Statement::Def { name, function })
    }

    fn if_statement(&mut self) -> Result<Statement, Error> {
        let position = self.position;
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            self.advance()?;
            let condition = self.test()?;
            self.consume(Token::Colon)?;
            branches.push((condition, self.suite()?));
            if self.token != Token::Elif {
                break;
            }
        }
        if self.token == Token::Else {
            self.advance()?;
            self.consume(Token::Colon)?;
            otherwise = self.suite()?;
        }
        Ok(Statement::If(Box::new(If { position, branches, otherwise })))
    }

    fn for_statement(&mut self) -> Result<Statement, Error> {
        let position = self.advance()?;
        let target = self.loop_variables()?;
        self.consume(Token::In)?;
        let iterable = self.expression_list()?;
        self.consume(Token::Colon)?;
        let body = self.suite()?;
        Ok(Statement::For(Box::new(For { position, target, iterable, body })))
    }

    fn while_statement(&mut self) -> Result<Statement, Error> {
        let position = self.advance()?;
        let condition = self.test()?;
        self.consume(Token::Colon)?;
        let body = self.suite()?;
        Ok(Statement::While(Box::new(While { position, condition, body })))
    }

    /// The body after a colon: statements on the same line, or a block.
    fn suite(&mut self) -> Result<Vec<Statement>, Error> {
        let mut statements = Vec::new();
        if self.token != Token::Newline {
            self.simple_statements(&mut statements)?;
            return Ok(statements);
        }
        self.advance()?;
        self.consume(Token::Indent)?;
        while !matches!(self.token, Token::Outdent | Token::EndOfFile) {
            self.statement(&mut statements)?;
        }
        self.consume(Token::Outdent)?;
        Ok(statements)
    }

    fn simple_statements(&mut self, statements: &mut Vec<Statement>) -> Result<(), Error> {
        loop {
            statements.push(self.small_statement()?);
            if self.token != Token::Semicolon {
                break;
            }
            self.advance()?;
            if matches!(self.token, Token::Newline | Token::EndOfFile) {
                break;
            }
        }
        if self.token != Token::EndOfFile {
            self.consume(Token::Newline)?;
        }
        Ok(())
    }

    fn small_statement(&mut self) -> Result<Statement, Error> {
        match self.token {
            Token::Return => {
                let position = self.advance()?;
                let value = match self.token {
                    Token::EndOfFile | Token::Newline | Token::Semicolon => None,
                    _ => Some(self.expression_list()?),
                };
                return Ok(Statement::Return { position, value });
            }
            Token::Break | Token::Continue | Token::Pass => {
                let token = self.token;
                let position = self.advance()?;
                return Ok(Statement::Branch { token, position });
            }
            Token::Load => return self.load(),
            _ => {}
        }
        let target = self.expression_list()?;
        let op = self.token;
        let is_assignment = op == Token::Equals
            || (Token::PlusEquals as u8..=Token::ShiftRightEquals as u8).contains(&(op as u8));
        if !is_assignment {
            return Ok(Statement::Expr(target));
        }
        let position = self.advance()?;
        let value = self.expression_list()?;
        Ok(Statement::Assign(Box::new(Assign { target, op, position, value })))
    }

    fn load(&mut self) -> Result<Statement, Error> {
        let position = self.advance()?;
        let bracket = self.consume(Token::LeftParen)?;
        if self.token != Token::String {
            return Err(self.error("first operand of load statement must be a string literal"));
        }
        let (_, module) = self.string_literal()?;
        let mut names = Vec::new();
        while !matches!(self.token, Token::RightParen | Token::EndOfFile) {
            self.consume(Token::Comma)?;
            match self.token {
                Token::RightParen => break,
                Token::String => {
                    let name = self.loaded_name()?;
                    names.push((name, name));
                }
                Token::Ident => {
                    let local = self.ident()?;
                    let shown = self.ast.name(local.name).to_string();
                    if self.token != Token::Equals {
                        return Err(self.error(format!(
                            "load operand must be \"{shown}\" or {shown}=\"originalname\" (want '=' after {shown})"
                        )));
                    }
                    self.advance()?;
                    if self.token != Token::String {
                        let message = format!(
                            "original name of loaded symbol must be quoted: {shown}=\"originalname\""
                        );
                        return Err(self.error(message));
                    }
                    names.push((self.loaded_name()?, local));
                }
                other => {
                    let shown = other.shown();
                    let message =
                        format!("load operand must be \"name\" or localname=\"name\" (got {shown})");
                    return Err(self.error(message));
                }
            }
        }
        self.consume(Token::RightParen)?;
        if names.is_empty() {
            return Err(syntax_error(bracket, "load statement must import at least 1 symbol"));
        }
        Ok(Statement::Load(Box::new(Load { position, module, names })))
    }

    /// A quoted name; its place is after the opening quote.
    fn loaded_name(&mut self) -> Result<Ident, Error> {
        let (position, text) = self.string_literal()?;
        let symbol = self.symbol(&String::from_utf8_lossy(&text));
        Ok(self.make_ident(symbol, Position { column: position.column + 1, ..position }))
    }

    fn string_literal(&mut self) -> Result<(Position, Vec<u8>), Error> {
        let text = match std::mem::take(&mut self.meaning) {
            Meaning::String(text) => text,
            _ => Vec::new(),
        };
        Ok((self.advance()?, text))
    }

    /// Names after `for`. They end before `in`.
    pub(super) fn loop_variables(&mut self) -> Result<Expr, Error> {
        let first = self.nested(Self::suffixed)?;
        if self.token != Token::Comma {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.token == Token::Comma {
            self.advance()?;
            if self.ends_list() {
                break;
            }
            items.push(self.nested(Self::suffixed)?);
        }
        Ok(Expr::Tuple(Position::default(), items.into()))
    }
}
