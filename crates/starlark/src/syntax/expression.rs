//! Expressions.

use super::ast::{
    Arg, Chain, ChainOp, Clause, Comprehension, Conditional, Expr, FunctionDef, Literal, Param, Statement,
    Suffix, Suffixed,
};
use super::parser::Parser;
use super::scanner::syntax_error;
use super::token::{Meaning, Token};
use crate::error::{Error, Position};

/// Where a comma at the end of a list is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TrailingComma {
    Allowed,
    Refused,
}

/// Whether the body of a lambda may be `a if b else c`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Full,
    WithoutCondition,
}

const NOT: u8 = 2;
const COMPARISON: u8 = 3;

/// How strongly a binary operator binds.
fn precedence(token: Token) -> Option<u8> {
    Some(match token {
        Token::Or => 0,
        Token::And => 1,
        Token::EqualEqual
        | Token::NotEqual
        | Token::Less
        | Token::Greater
        | Token::LessOrEqual
        | Token::GreaterOrEqual
        | Token::In
        | Token::NotIn => COMPARISON,
        Token::Pipe => 4,
        Token::Circumflex => 5,
        Token::Ampersand => 6,
        Token::ShiftLeft | Token::ShiftRight => 7,
        Token::Minus | Token::Plus => 8,
        Token::Star | Token::Percent | Token::Slash | Token::SlashSlash => 9,
        _ => return None,
    })
}

impl Parser<'_> {
    /// One expression, or several separated by commas, which form a tuple.
    pub(super) fn expression_list(&mut self) -> Result<Expr, Error> {
        self.expressions(TrailingComma::Refused)
    }

    fn expressions(&mut self, trailing: TrailingComma) -> Result<Expr, Error> {
        let first = self.test()?;
        if self.token != Token::Comma {
            return Ok(first);
        }
        let mut items = vec![first];
        self.more_expressions(&mut items, trailing)?;
        Ok(Expr::Tuple(Position::default(), items.into()))
    }

    fn more_expressions(&mut self, items: &mut Vec<Expr>, trailing: TrailingComma) -> Result<(), Error> {
        while self.token == Token::Comma {
            let position = self.advance()?;
            if self.ends_list() {
                if trailing == TrailingComma::Refused {
                    return Err(syntax_error(position, "unparenthesized tuple with trailing comma"));
                }
                break;
            }
            items.push(self.test()?);
        }
        Ok(())
    }

    pub(super) fn ends_list(&self) -> bool {
        matches!(
            self.token,
            Token::EndOfFile
                | Token::Newline
                | Token::Equals
                | Token::RightBrace
                | Token::RightBracket
                | Token::RightParen
                | Token::Semicolon
        )
    }

    pub(super) fn test(&mut self) -> Result<Expr, Error> {
        self.nested(|parser| {
            if parser.token == Token::Lambda {
                return parser.lambda(Body::Full);
            }
            let then = parser.binary(0)?;
            if parser.token != Token::If {
                return Ok(then);
            }
            let position = parser.advance()?;
            let condition = parser.binary(0)?;
            if parser.token != Token::Else {
                return Err(syntax_error(position, "conditional expression without else clause"));
            }
            parser.advance()?;
            let otherwise = parser.test()?;
            Ok(Expr::Conditional(Box::new(Conditional { condition, then, otherwise })))
        })
    }

    fn lambda(&mut self, body: Body) -> Result<Expr, Error> {
        let position = self.advance()?;
        let id = self.function_id();
        let params = if self.token == Token::Colon { Vec::new() } else { self.params()? };
        self.consume(Token::Colon)?;
        let value = match body {
            Body::Full => self.test()?,
            Body::WithoutCondition => self.test_without_condition()?,
        };
        let name = self.symbol("lambda");
        let body = vec![Statement::Return { position: Position::default(), value: Some(value) }];
        Ok(Expr::Lambda(Box::new(FunctionDef { id, position, name, params, body })))
    }

    fn test_without_condition(&mut self) -> Result<Expr, Error> {
        self.nested(|parser| {
            if parser.token == Token::Lambda {
                parser.lambda(Body::WithoutCondition)
            } else {
                parser.binary(0)
            }
        })
    }

    /// Operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = if self.token == Token::Not && least <= NOT {
            let position = self.advance()?;
            let operand = self.nested(|parser| parser.binary(NOT))?;
            Expr::Unary(Token::Not, position, Box::new(operand))
        } else {
            self.nested(Self::suffixed)?
        };
        let mut level = None;
        loop {
            if self.token == Token::Not {
                self.advance()?;
                if self.token != Token::In {
                    return Err(self.unexpected(self.token, "in"));
                }
                self.token = Token::NotIn;
            }
            let op = self.token;
            let Some(strength) = precedence(op).filter(|strength| *strength >= least) else {
                return Ok(left);
            };
            if strength == COMPARISON && level == Some(COMPARISON) {
                let before = match &left {
                    Expr::Chain(chain) => chain.rest.last().map_or("", |last| last.op.text()),
                    _ => "",
                };
                let message = format!("{before} does not associate with {} (use parens)", op.text());
                return Err(self.error(message));
            }
            let position = self.advance()?;
            let operand = self.nested(|parser| parser.binary(strength + 1))?;
            let link = ChainOp { op, position, operand };
            left = match left {
                Expr::Chain(mut chain) if level == Some(strength) => {
                    chain.rest.push(link);
                    Expr::Chain(chain)
                }
                first => Expr::Chain(Box::new(Chain { first, rest: vec![link] })),
            };
            level = Some(strength);
        }
    }

    pub(super) fn suffixed(&mut self) -> Result<Expr, Error> {
        let first = self.primary()?;
        let mut suffixes = Vec::new();
        loop {
            let suffix = match self.token {
                Token::Dot => {
                    let position = self.advance()?;
                    Suffix::Dot(position, self.ident()?.name)
                }
                Token::LeftBracket => self.index_or_slice()?,
                Token::LeftParen => {
                    let position = self.advance()?;
                    let args = self.args()?;
                    self.consume(Token::RightParen)?;
                    Suffix::Call(position, args.into())
                }
                _ if suffixes.is_empty() => return Ok(first),
                _ => return Ok(Expr::Suffixed(Box::new(Suffixed { first, suffixes: suffixes.into() }))),
            };
            // Most have one, and the tree of a large program is mostly calls.
            if suffixes.is_empty() {
                suffixes.reserve_exact(1);
            }
            suffixes.push(suffix);
        }
    }

    fn index_or_slice(&mut self) -> Result<Suffix, Error> {
        let position = self.advance()?;
        let mut bounds = [None, None, None];
        if self.token != Token::Colon {
            let index = self.expression_list()?;
            if self.token == Token::RightBracket {
                self.advance()?;
                return Ok(Suffix::Index(position, index));
            }
            bounds[0] = Some(index);
        }
        if self.token == Token::Colon {
            self.advance()?;
            if !matches!(self.token, Token::Colon | Token::RightBracket) {
                bounds[1] = Some(self.test()?);
            }
        }
        if self.token == Token::Colon {
            self.advance()?;
            if self.token != Token::RightBracket {
                bounds[2] = Some(self.test()?);
            }
        }
        self.consume(Token::RightBracket)?;
        Ok(Suffix::Slice(position, Box::new(bounds)))
    }

    fn args(&mut self) -> Result<Vec<Arg>, Error> {
        // Space for one: most calls have no more.
        let mut args = if self.token == Token::RightParen { Vec::new() } else { Vec::with_capacity(1) };
        let mut stars = false;
        while !matches!(self.token, Token::RightParen | Token::EndOfFile) {
            if !args.is_empty() {
                self.consume(Token::Comma)?;
            }
            match self.token {
                Token::RightParen if stars => {
                    return Err(self.unexpected(self.token, "argument"));
                }
                Token::RightParen => break,
                op @ (Token::Star | Token::StarStar) => {
                    stars = true;
                    let position = self.advance()?;
                    let value = self.test()?;
                    args.push(match op {
                        Token::Star => Arg::Star(position, value),
                        _ => Arg::StarStar(position, value),
                    });
                    continue;
                }
                _ => {}
            }
            let value = self.test()?;
            if self.token == Token::Equals {
                let Expr::Ident(name) = value else {
                    return Err(self.error("keyword argument must have form name=expr"));
                };
                self.advance()?;
                args.push(Arg::Named(name, self.test()?));
            } else {
                args.push(Arg::Positional(value));
            }
        }
        Ok(args)
    }

    pub(super) fn params(&mut self) -> Result<Vec<Param>, Error> {
        let mut params = Vec::new();
        let mut stars = false;
        while !matches!(self.token, Token::RightParen | Token::Colon | Token::EndOfFile) {
            if !params.is_empty() {
                self.consume(Token::Comma)?;
            }
            match self.token {
                Token::RightParen if stars => {
                    return Err(self.unexpected(self.token, "parameter"));
                }
                Token::RightParen => break,
                Token::Star => {
                    stars = true;
                    let position = self.advance()?;
                    let name = if self.token == Token::Ident { Some(self.ident()?) } else { None };
                    params.push(Param::Star(position, name));
                }
                Token::StarStar => {
                    stars = true;
                    let position = self.advance()?;
                    params.push(Param::StarStar(position, self.ident()?));
                }
                _ => {
                    let name = self.ident()?;
                    if self.token == Token::Equals {
                        let position = self.advance()?;
                        params.push(Param::Default(name, position, self.test()?));
                    } else {
                        params.push(Param::Plain(name));
                    }
                }
            }
        }
        Ok(params)
    }

    fn primary(&mut self) -> Result<Expr, Error> {
        match self.token {
            Token::Ident => Ok(Expr::Ident(self.ident()?)),
            Token::Int | Token::Float | Token::String => {
                let literal = match std::mem::take(&mut self.meaning) {
                    Meaning::Int(value) => Literal::Int(value),
                    Meaning::Big(value) => Literal::Big(Box::new(value)),
                    Meaning::Float(value) => Literal::Float(value),
                    Meaning::String(value) => Literal::String(value.into()),
                    Meaning::None | Meaning::Word(_) => Literal::Int(0),
                };
                let position = self.advance()?;
                Ok(Expr::Literal(position, literal))
            }
            Token::LeftBracket => self.list(),
            Token::LeftBrace => self.dict(),
            Token::LeftParen => {
                let position = self.advance()?;
                if self.token == Token::RightParen {
                    self.advance()?;
                    return Ok(Expr::Tuple(position, Box::default()));
                }
                let inside = self.expressions(TrailingComma::Allowed)?;
                self.consume(Token::RightParen)?;
                Ok(Expr::Paren(position, Box::new(inside)))
            }
            op @ (Token::Minus | Token::Plus | Token::Tilde) => {
                let position = self.advance()?;
                let operand = self.nested(Self::suffixed)?;
                Ok(Expr::Unary(op, position, Box::new(operand)))
            }
            other => Err(self.unexpected(other, "primary expression")),
        }
    }

    fn list(&mut self) -> Result<Expr, Error> {
        let position = self.advance()?;
        if self.token == Token::RightBracket {
            self.advance()?;
            return Ok(Expr::List(position, Box::default()));
        }
        let first = self.test()?;
        if self.token == Token::For {
            return self.comprehension(position, (first, None), Token::RightBracket);
        }
        let mut items = vec![first];
        self.more_expressions(&mut items, TrailingComma::Allowed)?;
        self.consume(Token::RightBracket)?;
        Ok(Expr::List(position, items.into()))
    }

    fn dict(&mut self) -> Result<Expr, Error> {
        let position = self.advance()?;
        if self.token == Token::RightBrace {
            self.advance()?;
            return Ok(Expr::Dict(position, Box::default()));
        }
        let (key, colon, value) = self.dict_entry()?;
        if self.token == Token::For {
            return self.comprehension(position, (key, Some((colon, value))), Token::RightBrace);
        }
        let mut entries = vec![(key, colon, value)];
        while self.token == Token::Comma {
            self.advance()?;
            if self.token == Token::RightBrace {
                break;
            }
            entries.push(self.dict_entry()?);
        }
        self.consume(Token::RightBrace)?;
        Ok(Expr::Dict(position, entries.into()))
    }

    fn dict_entry(&mut self) -> Result<(Expr, Position, Expr), Error> {
        let key = self.test()?;
        let colon = self.consume(Token::Colon)?;
        Ok((key, colon, self.test()?))
    }

    fn comprehension(
        &mut self,
        position: Position,
        body: (Expr, Option<(Position, Expr)>),
        end: Token,
    ) -> Result<Expr, Error> {
        let mut clauses = Vec::new();
        while self.token != end {
            match self.token {
                Token::For => {
                    let position = self.advance()?;
                    let target = self.loop_variables()?;
                    self.consume(Token::In)?;
                    let iterable = self.nested(|parser| parser.binary(0))?;
                    clauses.push(Clause::For { position, target, iterable });
                }
                Token::If => {
                    self.advance()?;
                    clauses.push(Clause::If(self.test_without_condition()?));
                }
                other => {
                    return Err(self.unexpected(other, format!("'{}', for, or if", end.text())));
                }
            }
        }
        self.advance()?;
        Ok(Expr::Comprehension(Box::new(Comprehension { position, body, clauses })))
    }
}
