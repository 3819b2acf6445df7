//! Parses source to a tree.

mod ast;
mod block;
mod expression;
mod number;
mod parser;
mod quote;
mod scanner;
mod statement;
mod token;
mod wrap;

pub use ast::Ast;
pub(crate) use ast::{
    Arg, Assign, Chain, Clause, Comprehension, Expr, For, FunctionDef, FunctionId, Ident, Literal, Load,
    Param, Statement, Suffix, Symbol, While, start,
};
pub use parser::{BlockStyle, parse};
pub(crate) use token::Token;
pub use wrap::Wrap;
