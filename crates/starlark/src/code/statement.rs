//! Compiles statements.

use super::compile::{Compiler, Loop};
use super::op::{Loading, Op};
use crate::custom::BinaryOp;
use crate::error::Position;
use crate::syntax::{Assign, Expr, For, Load, Statement, Suffix, Token, While};

impl Compiler<'_, '_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expr(Expr::Literal(..)) => {}
            Statement::Expr(expr) => {
                self.expr(expr);
                self.emit(Op::Pop);
            }
            Statement::Branch { token, .. } => self.branch(*token),
            Statement::If(statement) => {
                let mut done = Vec::new();
                for (condition, body) in &statement.branches {
                    let next = self.jump_unless(condition);
                    self.statements(body);
                    done.push(self.emit(Op::Jump(0)));
                    self.land(next);
                }
                self.statements(&statement.otherwise);
                self.land(done);
            }
            Statement::Assign(assign) => {
                let Assign { target, op, position, value } = &**assign;
                if *op == Token::Equals {
                    self.expr(value);
                    self.assign(*position, target);
                } else {
                    self.augmented(target, *op, *position, value);
                }
            }
            Statement::Def { name, function } => {
                self.function(function);
                self.set(*name);
            }
            Statement::For(statement) => {
                let For { position, target, iterable, body } = &**statement;
                self.expr(iterable);
                self.at(*position);
                self.emit(Op::BeginIteration);
                let head = self.here();
                let exit = self.emit(Op::Next(0));
                self.assign(*position, target);
                self.loops.push(Loop { head, breaks: vec![exit] });
                self.statements(body);
                self.emit(Op::Loop(head as u32));
                let exits = self.loops.pop().map(|ended| ended.breaks).unwrap_or_default();
                self.land(exits);
                self.emit(Op::EndIteration);
            }
            Statement::While(statement) => {
                let While { condition, body, .. } = &**statement;
                let head = self.here();
                let exits = self.jump_unless(condition);
                self.loops.push(Loop { head, breaks: exits });
                self.statements(body);
                self.emit(Op::Loop(head as u32));
                let exits = self.loops.pop().map(|ended| ended.breaks).unwrap_or_default();
                self.land(exits);
            }
            Statement::Return { value, .. } => {
                match value {
                    Some(value) => self.expr(value),
                    None => {
                        self.emit(Op::None);
                    }
                }
                self.emit(Op::Return);
            }
            Statement::Load(statement) => {
                let Load { position, module, names } = &**statement;
                let module = String::from_utf8_lossy(module).into_owned();
                let from = names.iter().map(|(from, _)| self.name(from.name).clone()).collect();
                self.loads.push(Loading { module, names: from });
                self.at(*position);
                self.emit(Op::Load(self.loads.len() as u32 - 1));
                for (_, to) in names.iter().rev() {
                    self.set(*to);
                }
            }
        }
    }

    fn branch(&mut self, token: Token) {
        let Some(head) = self.loops.last().map(|innermost| innermost.head) else { return };
        match token {
            Token::Break => {
                let jump = self.emit(Op::Jump(0));
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.breaks.push(jump);
                }
            }
            Token::Continue => {
                self.emit(Op::Loop(head as u32));
            }
            _ => {}
        }
    }

    /// Takes the top of the stack into whatever is on the left side.
    pub(super) fn assign(&mut self, position: Position, target: &Expr) {
        match target {
            Expr::Paren(_, inside) => self.assign(position, inside),
            Expr::Ident(ident) => self.set(*ident),
            Expr::Tuple(_, items) | Expr::List(_, items) => {
                self.at(position);
                self.emit(Op::Unpack(items.len() as u32));
                for item in items {
                    self.assign(position, item);
                }
            }
            Expr::Suffixed(suffixed) => {
                let Some((last, front)) = suffixed.suffixes.split_last() else { return };
                self.suffixed(&suffixed.first, front);
                self.emit(Op::Exchange);
                match last {
                    Suffix::Index(bracket, index) => {
                        self.expr(index);
                        self.emit(Op::Exchange);
                        self.at(*bracket);
                        self.emit(Op::SetIndex);
                    }
                    Suffix::Dot(dot, name) => {
                        let name = self.name_index(*name);
                        self.at(*dot);
                        self.emit(Op::SetAttr(name));
                    }
                    Suffix::Slice(..) | Suffix::Call(..) => {}
                }
            }
            _ => {}
        }
    }

    /// `target op= value`, where the parts of the target are evaluated once.
    fn augmented(&mut self, target: &Expr, op: Token, position: Position, value: &Expr) {
        let mut target = target;
        while let Expr::Paren(_, inside) = target {
            target = inside;
        }
        let mut last = None;
        match target {
            Expr::Ident(ident) => self.lookup(*ident),
            Expr::Suffixed(suffixed) => {
                let Some((suffix, front)) = suffixed.suffixes.split_last() else { return };
                self.suffixed(&suffixed.first, front);
                match suffix {
                    Suffix::Index(bracket, index) => {
                        self.expr(index);
                        self.emit(Op::DuplicateTwo);
                        self.at(*bracket);
                        self.emit(Op::Index);
                        last = Some((*bracket, Op::SetIndex));
                    }
                    Suffix::Dot(dot, name) => {
                        let name = self.name_index(*name);
                        self.emit(Op::Duplicate);
                        self.at(*dot);
                        self.emit(Op::Attr(name));
                        last = Some((*dot, Op::SetAttr(name)));
                    }
                    Suffix::Slice(..) | Suffix::Call(..) => return,
                }
            }
            _ => return,
        }
        self.expr(value);
        self.at(position);
        let op = match op {
            Token::MinusEquals => Op::Binary(BinaryOp::Minus),
            Token::StarEquals => Op::Binary(BinaryOp::Star),
            Token::SlashEquals => Op::Binary(BinaryOp::Slash),
            Token::SlashSlashEquals => Op::Binary(BinaryOp::SlashSlash),
            Token::PercentEquals => Op::Binary(BinaryOp::Percent),
            Token::AmpersandEquals => Op::Binary(BinaryOp::Ampersand),
            Token::PipeEquals => Op::Binary(BinaryOp::Pipe),
            Token::CircumflexEquals => Op::Binary(BinaryOp::Circumflex),
            Token::ShiftLeftEquals => Op::Binary(BinaryOp::ShiftLeft),
            Token::ShiftRightEquals => Op::Binary(BinaryOp::ShiftRight),
            _ => Op::InplaceAdd,
        };
        self.emit(op);
        match (target, last) {
            (Expr::Ident(ident), _) => self.set(*ident),
            (_, Some((position, op))) => {
                self.at(position);
                self.emit(op);
            }
            _ => {}
        }
    }
}
