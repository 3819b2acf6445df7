//! The Common Expression Language, with the verdicts, the error texts and the costs of cel-go.
//!
//! An expression goes one way: text → [`ast::Ast`] → types checked in an environment → a program that is evaluated many
//! times. Nothing here knows Kubernetes; its functions and types are declared from outside.

pub mod arguments;
pub mod ast;
pub mod check;
mod checked;
mod compile;
pub mod cost;
pub mod env;
mod fault;
pub mod function;
pub mod library;
pub mod program;
mod size;
pub mod syntax;
pub mod types;
pub mod validate;
pub mod value;

pub use types::shape;
