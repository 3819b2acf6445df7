//! Compiles expressions.

use super::compile::Compiler;
use super::op::{CallShape, Op, Stars};
use crate::custom::{BinaryOp, CompareOp, UnaryOp};
use crate::error::Position;
use crate::syntax::{Arg, Chain, Clause, Comprehension, Expr, Suffix, Token};

impl Compiler<'_, '_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(_, inside) => self.expr(inside),
            Expr::Ident(ident) => self.lookup(*ident),
            Expr::Literal(_, literal) => self.literal(literal),
            Expr::List(_, items) => {
                items.iter().for_each(|item| self.expr(item));
                self.emit(Op::MakeList(items.len() as u32));
            }
            Expr::Tuple(_, items) => {
                items.iter().for_each(|item| self.expr(item));
                self.emit(Op::MakeTuple(items.len() as u32));
            }
            Expr::Dict(_, entries) => {
                self.emit(Op::MakeDict);
                for (key, colon, value) in entries {
                    self.emit(Op::Duplicate);
                    self.expr(key);
                    self.expr(value);
                    self.at(*colon);
                    self.emit(Op::SetDictUnique);
                }
            }
            Expr::Conditional(conditional) => {
                let otherwise = self.jump_unless(&conditional.condition);
                self.expr(&conditional.then);
                let done = self.emit(Op::Jump(0));
                self.land(otherwise);
                self.expr(&conditional.otherwise);
                self.land(vec![done]);
            }
            Expr::Comprehension(comprehension) => {
                let is_dict = comprehension.body.1.is_some();
                self.emit(if is_dict { Op::MakeDict } else { Op::MakeList(0) });
                self.comprehension(comprehension, &comprehension.clauses);
            }
            Expr::Unary(op, position, operand) => {
                self.expr(operand);
                self.at(*position);
                self.emit(match op {
                    Token::Minus => Op::Unary(UnaryOp::Minus),
                    Token::Plus => Op::Unary(UnaryOp::Plus),
                    Token::Tilde => Op::Unary(UnaryOp::Tilde),
                    _ => Op::Not,
                });
            }
            Expr::Chain(chain) => self.chain(chain),
            Expr::Suffixed(suffixed) => self.suffixed(&suffixed.first, &suffixed.suffixes),
            Expr::Lambda(function) => self.function(function),
        }
    }

    fn chain(&mut self, chain: &Chain) {
        self.expr(&chain.first);
        let mut done = Vec::new();
        for link in &chain.rest {
            match link.op {
                Token::Or => {
                    done.push(self.emit(Op::JumpIfOrPop(0)));
                    self.expr(&link.operand);
                }
                Token::And => {
                    done.push(self.emit(Op::JumpIfNotOrPop(0)));
                    self.expr(&link.operand);
                }
                op => {
                    self.expr(&link.operand);
                    self.binary(op, link.position);
                }
            }
        }
        self.land(done);
    }

    fn binary(&mut self, op: Token, position: Position) {
        self.at(position);
        self.emit(match op {
            Token::Plus => Op::Binary(BinaryOp::Plus),
            Token::Minus => Op::Binary(BinaryOp::Minus),
            Token::Star => Op::Binary(BinaryOp::Star),
            Token::Slash => Op::Binary(BinaryOp::Slash),
            Token::SlashSlash => Op::Binary(BinaryOp::SlashSlash),
            Token::Percent => Op::Binary(BinaryOp::Percent),
            Token::Ampersand => Op::Binary(BinaryOp::Ampersand),
            Token::Pipe => Op::Binary(BinaryOp::Pipe),
            Token::Circumflex => Op::Binary(BinaryOp::Circumflex),
            Token::ShiftLeft => Op::Binary(BinaryOp::ShiftLeft),
            Token::ShiftRight => Op::Binary(BinaryOp::ShiftRight),
            Token::EqualEqual => Op::Compare(CompareOp::Equal),
            Token::NotEqual => Op::Compare(CompareOp::NotEqual),
            Token::Less => Op::Compare(CompareOp::Less),
            Token::LessOrEqual => Op::Compare(CompareOp::LessOrEqual),
            Token::Greater => Op::Compare(CompareOp::Greater),
            Token::GreaterOrEqual => Op::Compare(CompareOp::GreaterOrEqual),
            _ => Op::Binary(BinaryOp::In),
        });
        if op == Token::NotIn {
            self.emit(Op::Not);
        }
    }

    /// Code that continues if a condition holds; the returned jumps are taken if it does not.
    pub(super) fn jump_unless(&mut self, condition: &Expr) -> Vec<usize> {
        match condition {
            Expr::Unary(Token::Not, _, operand) => self.jump_if(operand),
            Expr::Chain(chain) if is_of(chain, Token::And) => {
                let mut jumps = self.jump_unless(&chain.first);
                for link in &chain.rest {
                    jumps.extend(self.jump_unless(&link.operand));
                }
                jumps
            }
            Expr::Chain(chain) if is_of(chain, Token::Or) => {
                let Some((last, front)) = chain.rest.split_last() else { return Vec::new() };
                let mut holds = self.jump_if(&chain.first);
                for link in front {
                    holds.extend(self.jump_if(&link.operand));
                }
                let jumps = self.jump_unless(&last.operand);
                self.land(holds);
                jumps
            }
            _ => {
                self.expr(condition);
                vec![self.emit(Op::JumpIfNot(0))]
            }
        }
    }

    /// Like [`Compiler::jump_unless`], the other way around.
    fn jump_if(&mut self, condition: &Expr) -> Vec<usize> {
        match condition {
            Expr::Unary(Token::Not, _, operand) => self.jump_unless(operand),
            Expr::Chain(chain) if is_of(chain, Token::Or) => {
                let mut jumps = self.jump_if(&chain.first);
                for link in &chain.rest {
                    jumps.extend(self.jump_if(&link.operand));
                }
                jumps
            }
            Expr::Chain(chain) if is_of(chain, Token::And) => {
                let Some((last, front)) = chain.rest.split_last() else { return Vec::new() };
                let mut fails = self.jump_unless(&chain.first);
                for link in front {
                    fails.extend(self.jump_unless(&link.operand));
                }
                let jumps = self.jump_if(&last.operand);
                self.land(fails);
                jumps
            }
            _ => {
                self.expr(condition);
                vec![self.emit(Op::JumpIf(0))]
            }
        }
    }

    fn comprehension(&mut self, comprehension: &Comprehension, clauses: &[Clause]) {
        match clauses.split_first() {
            None => {
                self.emit(Op::Duplicate);
                self.expr(&comprehension.body.0);
                match &comprehension.body.1 {
                    Some((colon, value)) => {
                        self.expr(value);
                        self.at(*colon);
                        self.emit(Op::SetDict);
                    }
                    None => {
                        self.emit(Op::Append);
                    }
                }
            }
            Some((Clause::If(condition), rest)) => {
                let done = self.jump_unless(condition);
                self.comprehension(comprehension, rest);
                self.land(done);
            }
            Some((Clause::For { position, target, iterable }, rest)) => {
                self.expr(iterable);
                self.at(*position);
                self.emit(Op::BeginIteration);
                let head = self.here();
                let exit = self.emit(Op::Next(0));
                self.assign(*position, target);
                self.comprehension(comprehension, rest);
                self.emit(Op::Loop(head as u32));
                self.land(vec![exit]);
                self.emit(Op::EndIteration);
            }
        }
    }

    pub(super) fn suffixed(&mut self, first: &Expr, suffixes: &[Suffix]) {
        let known = self.position_count();
        self.expr(first);
        let mut index = 0;
        while let Some(suffix) = suffixes.get(index) {
            index += 1;
            match suffix {
                Suffix::Dot(dot, name) => {
                    let name = self.name_index(*name);
                    self.at(*dot);
                    if let Some(Suffix::Call(bracket, args)) = suffixes.get(index)
                        && !args.iter().any(|arg| matches!(arg, Arg::Star(..) | Arg::StarStar(..)))
                    {
                        index += 1;
                        self.emit(Op::LoadMethod(name));
                        let (shape, _) = self.args(args);
                        self.at(*bracket);
                        self.emit(Op::CallMethod(shape));
                    } else {
                        self.emit(Op::Attr(name));
                    }
                }
                Suffix::Index(bracket, index) => {
                    self.expr(index);
                    self.at(*bracket);
                    self.emit(Op::Index);
                }
                Suffix::Slice(bracket, bounds) => {
                    // A slice has the place of its last part that has one.
                    if self.position_count() == known {
                        self.at(*bracket);
                    }
                    for bound in bounds.iter() {
                        match bound {
                            Some(bound) => self.expr(bound),
                            None => {
                                self.emit(Op::None);
                            }
                        }
                    }
                    self.emit(Op::Slice);
                }
                Suffix::Call(bracket, args) => {
                    let (shape, stars) = self.args(args);
                    self.at(*bracket);
                    self.emit(match stars {
                        None => Op::Call(shape),
                        Some(stars) => Op::CallStars(shape, stars),
                    });
                }
            }
        }
    }

    /// Arguments in the order in which they are evaluated: plain and named ones, then `*args`, then `**kwargs`.
    /// Named ones cannot precede plain ones.
    fn args(&mut self, args: &[Arg]) -> (CallShape, Option<Stars>) {
        let mut positional = 0;
        let mut names = Vec::new();
        let mut star = None;
        let mut stars = None;
        for arg in args {
            match arg {
                Arg::Positional(value) => {
                    self.expr(value);
                    positional += 1;
                }
                Arg::Named(name, value) => {
                    let text = self.name(name.name).clone();
                    names.push(self.string(text.as_bytes()));
                    self.expr(value);
                }
                Arg::Star(_, value) => star = Some(value),
                Arg::StarStar(_, value) => stars = Some(value),
            }
        }
        for value in star.iter().chain(&stars) {
            self.expr(value);
        }
        let named = names.len() as u8;
        let shape = CallShape { positional, named, names: self.names_of_arguments(names) };
        let stars = match (star, stars) {
            (None, None) => None,
            (Some(_), None) => Some(Stars::Args),
            (None, Some(_)) => Some(Stars::Kwargs),
            (Some(_), Some(_)) => Some(Stars::Both),
        };
        (shape, stars)
    }
}

fn is_of(chain: &Chain, op: Token) -> bool {
    chain.rest.first().is_some_and(|link| link.op == op)
}
