//! Go's template language: it parses text to a tree, and turns a tree and a value into text, recording for
//! every part of that text where it came from. Nothing in this crate knows about charts.

mod builtin;
pub mod codes;
mod constant;
mod error;
mod exec;
pub mod fmt;
mod function;
mod lexer;
pub mod node;
mod parse_error;
mod parse_words;
mod parser;
mod run_codes;
mod run_words;
mod set;
mod uses;
mod value;

pub use codes::CODES;
pub use constant::unquote;
pub use error::{Error, Link, Reason, StoppedAt};
pub use exec::{AskedTemplates, Branches, Limits, MapMethod, MissingKey, Options, Taken};
pub use function::{Call, Context, Environment, Function, Functions, SharedFunctions, TextError, Variadic};
pub use lexer::Delimiters;
pub use parse_error::{Fault, ParseError};
pub use parser::{Parsed, parse, templates_of};
pub use run_codes::{
    ARGUMENT_TYPE, FIELD_OF_NOTHING, NO_SUCH_FIELD, NOT_ITERABLE, STOPPED_ON_PURPOSE, UNKNOWN_TEMPLATE,
};
pub use set::{Reader, Rendered, Templates, Text};
pub use trueline_gostd::unicode::{first_character, is_alphanumeric, is_print};
pub use uses::Uses;
pub use value::{
    Changes, Data, Element, Entry, IntKind, Kind, List, MAX_DEPTH, MAX_NODES, Map, MapKind, Method,
    MethodCall, NotPlain, Object, Origins, Reads, Run, Str, StrBuilder, Trace, Type, UintKind, Value, Watch,
};
