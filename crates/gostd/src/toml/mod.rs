//! TOML as the Go library writes and parses it.

mod lexer;
mod number;
mod read;
mod tables;
mod write;

use crate::time::Time;

pub use read::read;
pub use tables::{Document, Node, Table, TableId};
pub use write::{Layout, Sink, Source, TomlKind, WriteFault, Written, write};

/// The release of the Go library to follow: releases differ in what they accept and in their messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// 1.2.1, which reads TOML 1.0.
    V1_2,
    /// 1.6.0, which reads TOML 1.1.
    V1_6,
}

impl Release {
    /// Its spelling of "hexadecimal".
    fn hexadecimal(self) -> &'static str {
        match self {
            Release::V1_2 => "a hexidecimal",
            Release::V1_6 => "a hexadecimal",
        }
    }
}

/// A scalar.
#[derive(Debug, Clone)]
pub enum Scalar {
    /// A string.
    String(String),
    /// A number without a fraction.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A time, a date, or both. If it was written without a zone, the zone's name says which of them it is.
    Time(Time),
}

/// Values nested deeper than this are neither written nor parsed.
const MAX_DEPTH: usize = 500;

/// The zone names of times that were parsed without a zone.
const LOCAL_DATE_TIME: &str = "datetime-local";
const LOCAL_DATE: &str = "date-local";
const LOCAL_TIME: &str = "time-local";

/// A key of several parts joined by dots, with quotes where needed.
fn joined(key: &[String]) -> String {
    key.iter().map(|part| quoted_key(part)).collect::<Vec<_>>().join(".")
}

/// A part of a key, in quotes if it needs them.
fn quoted_key(part: &str) -> String {
    if !part.is_empty()
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    {
        return part.to_owned();
    }
    String::from_utf8_lossy(&quoted(part.as_bytes())).into_owned()
}

/// A string in double quotes.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0..=0x1f | 0x7f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}
