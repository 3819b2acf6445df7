//! The Starlark dialect of ytt: a fork of July 2020 with floats, sets, lambdas, inner functions, recursion,
//! `while`, global variables that can be reassigned, and control flow outside functions. Blocks are written
//! with `end` ([`BlockStyle::End`]) or by indentation. Error messages and their places are those of the
//! original.
//!
//! ```
//! use trueline_starlark::{Args, BlockStyle, Builtin, Globals, Limits, Program, Thread, Value, parse};
//!
//! let mut given = Globals::new();
//! given.set("twice", Value::builtin(Builtin::new("twice", |thread, args| {
//!     let text = thread.str(&args.positional[0])?;
//!     Ok(Value::string([text.clone(), text].concat()))
//! })));
//!
//! let ast = parse("a.star", b"def f(x):\nreturn twice(x + 1)\nend\n", BlockStyle::End)?;
//! let program = Program::compile(&ast, &|name| given.contains(name))?;
//! let mut thread = Thread::new(Limits::default());
//! let globals = program.init(&mut thread, &given)?;
//! globals.freeze();
//! let result = thread.call(globals.get("f").unwrap(), Args::of(&[Value::int(1)]))?;
//! assert_eq!(result.as_str(), Some("22"));
//! # Ok::<(), trueline_starlark::Error>(())
//! ```
//!
//! # From source to values
//! [`parse`] makes an [`Ast`] (which [`Ast::wrap_functions`] may change), [`Program::compile`] resolves its
//! names to slots and generates code, [`Program::init`] runs it and returns its [`Globals`]. A program can be
//! run again and by other operating system threads. [`Thread::call`] calls a function.
//!
//! # Values
//! A [`Value`] has 16 bytes and is cheap to clone. [`Value::view`] gives access to its content. It carries a
//! [`Mark`], which belongs to the reference: storing, passing and reading values keeps it, and a value computed
//! from scalars gets the mark of the first operand that has one. Values of the embedder implement
//! [`CustomValue`].
//!
//! # Safety
//! A program can only access what it was given. Its cost is limited by [`Limits`], which are charged before
//! work is done or memory is allocated. Calls between Starlark functions take no native stack; parsing,
//! comparing, printing and callbacks are limited so that a stack of 2 MiB is enough, in debug builds too, if
//! the embedder's functions use little stack.

mod builtin;
mod call;
mod code;
mod custom;
mod data;
mod error;
mod fault;
mod function;
mod iterate;
mod library;
mod limits;
mod live;
mod ops;
mod structs;
mod syntax;
mod thread;
mod unicode;
mod value;
mod vm;
mod writer;

pub use builtin::{Args, Builtin, Want};
pub use code::{Globals, Program};
pub use custom::{BinaryOp, CompareOp, CustomValue, Side, UnaryOp};
pub use data::{Dict, List, Range, Set, Text};
pub use error::{Error, ErrorKind, Frame, Position, Problem};
pub use fault::{Fault, Fewer};
pub use function::Function;
pub use limits::Limits;
pub use num_bigint::BigInt;
pub use structs::{Module, Struct};
pub use syntax::{Ast, BlockStyle, Wrap, parse};
pub use thread::Thread;
pub use unicode::quote;
pub use value::{Mark, Value, View};
pub use writer::Writer;

/// The name that was probably meant, if one of the candidates is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    code::nearest(name, candidates)
}
