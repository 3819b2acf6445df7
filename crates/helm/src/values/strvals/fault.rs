//! What can be wrong with the argument of `--set`, in Helm's words and in ours.

use trueline_diagnostic::{Code, Diagnostic, Level};
use trueline_gotemplate::fmt::quote;
use trueline_source::Span;
use trueline_yaml::Value;

use crate::values::print::go_type;
use crate::values::{
    SET_JSON_SYNTAX, SET_SYNTAX, SET_THROUGH_VALUE, VALUES_FILE_UNREADABLE, VALUES_TOO_DEEP,
};

/// Why reading ends before the text does.
pub(super) enum Stop {
    /// The text is over where nothing more was needed, or where Helm does not mind.
    End,
    /// Something is wrong.
    Fault(Box<Fault>),
}

/// Something wrong with the text.
#[derive(Debug, Clone)]
pub(in crate::values) struct Fault {
    /// Helm's words.
    pub(in crate::values) text: String,
    /// Ours.
    pub(in crate::values) diagnostic: Box<Diagnostic>,
}

/// The most that Helm takes.
pub(super) const MOST_NAMES: usize = 30;
pub(super) const LARGEST_INDEX: usize = 65_536;

/// The most that we take: a step costs stack.
pub(super) const MOST_STEPS: usize = 200;

fn fault(code: &'static Code, span: Span, text: String, message: String, help: &str) -> Stop {
    let diagnostic = Diagnostic::new(code, span, message).help(help).level(Level::Parse);
    Stop::Fault(Box::new(Fault { text, diagnostic: Box::new(diagnostic) }))
}

pub(super) fn no_value(span: Span, key: &str) -> Stop {
    let text = format!("key {} has no value", quote(key));
    fault(&SET_SYNTAX, span, text, format!("the key `{key}` has no value"), "write `key=value`")
}

pub(super) fn no_value_before_comma(span: Span, key: &str) -> Stop {
    let text = format!("key {} has no value (cannot end with ,)", quote(key));
    let help = "write `key=value`; a comma inside a value needs a backslash before it";
    fault(&SET_SYNTAX, span, text, format!("the key `{key}` has no value before the comma"), help)
}

pub(super) fn empty_map(span: Span, key: &str) -> Stop {
    let text = format!("key map {} has no value", quote(key));
    let help = "write a name after the dot; a dot inside a name needs a backslash before it";
    fault(&SET_SYNTAX, span, text, format!("nothing is named below `{key}`"), help)
}

pub(super) fn too_many_names(span: Span) -> Stop {
    let text =
        format!("value name nested level is greater than maximum supported nested level of {MOST_NAMES}");
    let message = format!("a name can have at most {MOST_NAMES} dots");
    fault(&SET_SYNTAX, span, text, message, "put deeper values in a file and give it with `-f`")
}

pub(super) fn too_many_steps(span: Span) -> Stop {
    let text = format!("value name has more than the maximum supported {MOST_STEPS} names and indexes");
    let message = format!("a path can have at most {MOST_STEPS} names and indexes");
    fault(&VALUES_TOO_DEEP, span, text, message, "put deeper values in a file and give it with `-f`")
}

pub(super) fn bad_index(span: Span, text: &str) -> Stop {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = if is_number { "value out of range" } else { "invalid syntax" };
    let words = format!("error parsing index: strconv.Atoi: parsing {}: {problem}", quote(text));
    let message = format!("`{text}` is not a position in a list");
    fault(&SET_SYNTAX, span, words, message, "write an integer between the brackets, such as `[0]`")
}

pub(super) fn unclosed_index(span: Span) -> Stop {
    let diagnostic = Box::new(never_closed(span));
    Stop::Fault(Box::new(Fault { text: "error parsing index: EOF".to_owned(), diagnostic }))
}

pub(super) fn never_closed(span: Span) -> Diagnostic {
    dropped(span, "this `[` is never closed", "close the position with `]`")
}

pub(super) fn nothing_behind_index(span: Span) -> Diagnostic {
    dropped(span, "nothing is set here", "after `]` comes `.`, `[` or `=`")
}

pub(super) fn nothing_behind_dot(span: Span) -> Diagnostic {
    dropped(span, "nothing is set here", "write a name after the dot, and `=value`")
}

pub(super) fn no_key(span: Span) -> Diagnostic {
    dropped(span, "this value has no key, so that it is dropped", "write `key=value`")
}

/// What Helm says nothing about.
fn dropped(span: Span, message: &str, help: &str) -> Diagnostic {
    Diagnostic::new(&SET_SYNTAX, span, message).help(help).level(Level::Parse)
}

pub(super) fn negative_index(span: Span, index: i64) -> Stop {
    let text = format!("negative {index} index not allowed");
    fault(&SET_SYNTAX, span, text, "a list has no negative positions".to_owned(), "count from 0")
}

pub(super) fn large_index(span: Span, index: usize) -> Stop {
    let text = format!("index of {index} is greater than maximum supported index of {LARGEST_INDEX}");
    let message = format!("the largest position in a list is {LARGEST_INDEX}");
    fault(&SET_SYNTAX, span, text, message, "positions count from 0")
}

pub(super) fn too_many_gaps(span: Span) -> Stop {
    let text = "list positions leave too many elements unset".to_owned();
    fault(&VALUES_TOO_DEEP, span, text.clone(), text, "set the elements of a list from its beginning")
}

pub(super) fn after_index(span: Span, found: &str) -> Stop {
    let quoted: Vec<String> = found.chars().map(quote_char).collect();
    let text = format!("unexpected data at end of array index: [{}]", quoted.join(" "));
    let message = "text stands between `]` and what comes next".to_owned();
    fault(&SET_SYNTAX, span, text, message, "after `]` comes `.`, `[` or `=`")
}

pub(super) fn unclosed_list(span: Span) -> Stop {
    let text = "list must terminate with '}'".to_owned();
    let message = "this list is never closed".to_owned();
    fault(&SET_SYNTAX, span, text, message, "close the list with `}`, or put a backslash before the `{`")
}

/// A path leads into something that is neither map nor list.
pub(super) fn not_a(wanted: Wanted, span: Span, key: &str, found: &Value) -> Stop {
    let (go, ours) = match wanted {
        Wanted::Map => ("map[string]interface {}", "map"),
        Wanted::List => ("[]interface {}", "list"),
    };
    let text = format!(
        "unable to parse key: interface conversion: interface {{}} is {}, not {go}",
        go_type(&found.data)
    );
    let message = format!("`{key}` is not a {ours}");
    let mut diagnostic = Diagnostic::new(&SET_THROUGH_VALUE, span, message).level(Level::Parse);
    if let Some(origin) = found.origin {
        diagnostic = diagnostic.related(origin, "it was set here");
    }
    Stop::Fault(Box::new(Fault { text, diagnostic: Box::new(diagnostic) }))
}

/// What a path needs at a place.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Map,
    List,
}

pub(super) fn unreadable(span: Span, reason: String) -> Stop {
    let message = format!("the file cannot be read: {reason}");
    let help = "paths are relative to the working directory";
    fault(&VALUES_FILE_UNREADABLE, span, reason, message, help)
}

pub(in crate::values) fn bad_json(span: Span, problem: &str) -> Fault {
    let diagnostic = Diagnostic::new(&SET_JSON_SYNTAX, span, problem)
        .help("text stands in double quotes in JSON; put the whole argument in single quotes")
        .level(Level::Parse);
    Fault { text: problem.to_owned(), diagnostic: Box::new(diagnostic) }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(Box::new(fault))
    }
}

/// Go's `strconv.QuoteRune`.
fn quote_char(character: char) -> String {
    trueline_gostd::quote::quote_character(character, trueline_gostd::quote::Keep::Printable)
}
