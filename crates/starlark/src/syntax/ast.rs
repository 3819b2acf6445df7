//! The tree of a program.

use std::sync::Arc;

use num_bigint::BigInt;

use super::token::Token;
use crate::error::Position;

/// A name, as an index into the names of the tree.
pub(crate) type Symbol = u32;
/// One occurrence of a name.
pub(crate) type IdentId = u32;
/// A `def`, a `lambda`, or (zero) the file.
pub(crate) type FunctionId = u32;

/// A parsed source.
#[derive(Debug)]
pub struct Ast {
    pub(crate) file: Arc<str>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) idents: u32,
    pub(crate) functions: u32,
}

impl Ast {
    pub(crate) fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names[symbol as usize]
    }

    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        let known = self.names.iter().position(|known| **known == *name);
        let position = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        position as Symbol
    }

    pub(crate) fn ident(&mut self, name: Symbol) -> Ident {
        self.idents += 1;
        Ident { name, position: Position::default(), id: self.idents - 1 }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Ident {
    pub(crate) name: Symbol,
    pub(crate) position: Position,
    pub(crate) id: IdentId,
}

/// A statement. Those that are not calls are boxed: a template becomes a program that consists mostly of calls.
#[derive(Debug)]
pub(crate) enum Statement {
    Expr(Expr),
    Assign(Box<Assign>),
    Branch { token: Token, position: Position },
    If(Box<If>),
    For(Box<For>),
    While(Box<While>),
    Def { name: Ident, function: Box<FunctionDef> },
    Return { position: Position, value: Option<Expr> },
    Load(Box<Load>),
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) target: Expr,
    pub(crate) op: Token,
    pub(crate) position: Position,
    pub(crate) value: Expr,
}

#[derive(Debug)]
pub(crate) struct If {
    pub(crate) position: Position,
    /// Each condition with its statements.
    pub(crate) branches: Vec<(Expr, Vec<Statement>)>,
    pub(crate) otherwise: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) position: Position,
    pub(crate) target: Expr,
    pub(crate) iterable: Expr,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct While {
    pub(crate) position: Position,
    pub(crate) condition: Expr,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) position: Position,
    pub(crate) module: Vec<u8>,
    /// The loaded name, and its local name.
    pub(crate) names: Vec<(Ident, Ident)>,
}

impl Statement {
    /// Where it begins.
    pub(crate) fn start(&self) -> Position {
        match self {
            Statement::Expr(expr) => start(expr),
            Statement::Assign(assign) => start(&assign.target),
            Statement::Branch { position, .. } | Statement::Return { position, .. } => *position,
            Statement::If(statement) => statement.position,
            Statement::For(statement) => statement.position,
            Statement::While(statement) => statement.position,
            Statement::Load(statement) => statement.position,
            Statement::Def { function, .. } => function.position,
        }
    }
}

#[derive(Debug)]
pub(crate) struct FunctionDef {
    pub(crate) id: FunctionId,
    pub(crate) position: Position,
    pub(crate) name: Symbol,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) enum Param {
    Plain(Ident),
    Default(Ident, Position, Expr),
    Star(Position, Option<Ident>),
    StarStar(Position, Ident),
}

#[derive(Debug)]
pub(crate) enum Literal {
    Int(i64),
    Big(Box<BigInt>),
    Float(f64),
    String(Box<[u8]>),
}

#[derive(Debug)]
pub(crate) enum Expr {
    Ident(Ident),
    Literal(Position, Literal),
    List(Position, Box<[Expr]>),
    /// The position is that of the bracket, if the tuple is empty.
    Tuple(Position, Box<[Expr]>),
    Dict(Position, Box<[(Expr, Position, Expr)]>),
    Paren(Position, Box<Expr>),
    Comprehension(Box<Comprehension>),
    Conditional(Box<Conditional>),
    Unary(Token, Position, Box<Expr>),
    Chain(Box<Chain>),
    Suffixed(Box<Suffixed>),
    Lambda(Box<FunctionDef>),
}

/// `first op operand op operand …`, from left to right, of operators that bind equally.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) first: Expr,
    pub(crate) rest: Vec<ChainOp>,
}

#[derive(Debug)]
pub(crate) struct ChainOp {
    pub(crate) op: Token,
    pub(crate) position: Position,
    pub(crate) operand: Expr,
}

#[derive(Debug)]
pub(crate) struct Conditional {
    pub(crate) condition: Expr,
    pub(crate) then: Expr,
    pub(crate) otherwise: Expr,
}

#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) position: Position,
    /// The value, or the key and the value with the position of the colon between.
    pub(crate) body: (Expr, Option<(Position, Expr)>),
    pub(crate) clauses: Vec<Clause>,
}

#[derive(Debug)]
pub(crate) enum Clause {
    For { position: Position, target: Expr, iterable: Expr },
    If(Expr),
}

/// `first.name[index](args)…`
#[derive(Debug)]
pub(crate) struct Suffixed {
    pub(crate) first: Expr,
    pub(crate) suffixes: Box<[Suffix]>,
}

#[derive(Debug)]
pub(crate) enum Suffix {
    Dot(Position, Symbol),
    Index(Position, Expr),
    /// Boxed, because it is rare and three times as large as the others.
    Slice(Position, Box<[Option<Expr>; 3]>),
    Call(Position, Box<[Arg]>),
}

#[derive(Debug)]
pub(crate) enum Arg {
    Positional(Expr),
    Named(Ident, Expr),
    Star(Position, Expr),
    StarStar(Position, Expr),
}

/// Where an expression begins.
pub(crate) fn start(expr: &Expr) -> Position {
    let mut expr = expr;
    loop {
        expr = match expr {
            Expr::Ident(ident) => return ident.position,
            Expr::Literal(position, _)
            | Expr::List(position, _)
            | Expr::Dict(position, _)
            | Expr::Paren(position, _)
            | Expr::Unary(_, position, _) => return *position,
            Expr::Comprehension(comprehension) => return comprehension.position,
            Expr::Lambda(function) => return function.position,
            Expr::Tuple(position, items) => match items.first() {
                Some(first) => first,
                None => return *position,
            },
            Expr::Conditional(conditional) => &conditional.then,
            Expr::Chain(chain) => &chain.first,
            Expr::Suffixed(suffixed) => &suffixed.first,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_takes_little_memory() {
        assert!(size_of::<Statement>() <= 40);
        assert!(size_of::<Expr>() <= 32);
        assert!(size_of::<Suffix>() <= 40);
        assert!(size_of::<Arg>() <= 48);
    }
}
