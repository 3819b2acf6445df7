//! The Common Expression Language, with the verdicts, the error texts and the costs of cel-go.
//!
//! An expression goes one way: text → [`ast::Ast`] → types checked in an environment → a program that is evaluated many
//! times. Nothing here knows Kubernetes; its functions and types are declared from outside.

pub mod arguments;
pub mod ast;
pub mod check;
pub mod cost;
pub mod env;
pub mod function;
pub mod library;
pub mod program;
pub mod shape;
pub mod syntax;
pub mod types;
pub mod validate;
pub mod value;
