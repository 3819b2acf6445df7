//! Puts errors in the text of a template into the user's words.

use std::ops::Range;

use trueline_diagnostic::{Code, Diagnostic, Level};
use trueline_source::SourceId;

use crate::codes::*;
use crate::{Fault, ParseError};

/// The message for an error.
struct Wording {
    code: &'static Code,
    message: String,
    /// The label at the place itself.
    label: &'static str,
    /// Another place and its label.
    related: Option<(Range<usize>, &'static str)>,
    help: String,
}

impl ParseError {
    /// The finding for a report. `source` is the text that the template was read from.
    pub fn to_diagnostic(&self, source: SourceId) -> Diagnostic {
        let words = words(&self.fault);
        let span = |range: &Range<usize>| source.span(range.start, range.end);
        let mut diagnostic =
            Diagnostic::new(words.code, span(&self.range), words.message).level(Level::Parse);
        if !words.label.is_empty() {
            diagnostic = diagnostic.label(words.label);
        }
        if let Some((range, text)) = &words.related {
            diagnostic = diagnostic.related(span(range), *text);
        }
        if words.help.is_empty() { diagnostic } else { diagnostic.help(words.help) }
    }
}

fn say(code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Wording {
    Wording { code, message: message.into(), label: "", related: None, help: help.into() }
}

/// The message about something that is not closed.
fn open(code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Wording {
    Wording { label: "opened here", ..say(code, message, help) }
}

fn words(fault: &Fault) -> Wording {
    match fault {
        Fault::UnclosedAction => {
            open(&UNCLOSED_ACTION, "this action is never closed", "close it with `}}`, after its last word")
        }
        Fault::UnclosedString => open(
            &UNCLOSED_TEMPLATE_QUOTE,
            "this quote is never closed",
            "close it on the same line; write a double quote inside it as `\\\"`",
        ),
        Fault::UnclosedRawString => {
            open(&UNCLOSED_TEMPLATE_QUOTE, "this backquote is never closed", "close it where the string ends")
        }
        Fault::UnclosedCharacter => open(
            &UNCLOSED_TEMPLATE_QUOTE,
            "this quote is never closed",
            "put strings in double quotes; single quotes contain one character",
        ),
        Fault::UnclosedComment => {
            open(&TEMPLATE_COMMENT, "this comment is never closed", "close it with `*/}}`")
        }
        Fault::TextBehindComment => Wording {
            label: "this follows the comment",
            ..say(
                &TEMPLATE_COMMENT,
                "a comment must be alone in its action",
                "close the action right after the comment, with `*/}}` or `*/ -}}`",
            )
        },
        Fault::UnclosedParenthesis => open(
            &TEMPLATE_PARENTHESES,
            "this `(` is never closed",
            "close it with `)` before the end of the action",
        ),
        Fault::ExtraParenthesis => say(
            &TEMPLATE_PARENTHESES,
            "this `)` has no matching `(`",
            "remove it, or add the missing `(` before it",
        ),
        Fault::LoneColon | Fault::StrangeCharacter(_) | Fault::CharacterInName(_) => character(fault),
        Fault::BadNumber
        | Fault::NumberTooLarge
        | Fault::BadString
        | Fault::BadCharacter
        | Fault::FieldOfConstant => constant(fault),
        Fault::UnknownFunction { name, nearest } => Wording {
            label: "no function has this name",
            ..say(
                &UNKNOWN_FUNCTION,
                format!("unknown function `{name}`"),
                match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => {
                        format!("a field is written `.{name}`, a variable `${name}`, a string `\"{name}\"`")
                    }
                },
            )
        },
        Fault::UnknownVariable { name } => Wording {
            label: "not declared here",
            ..say(
                &UNKNOWN_VARIABLE,
                format!("the variable `{name}` is not declared here"),
                format!(
                    "declare it earlier, and outside blocks that end before this: `{{{{ {name} := … }}}}`"
                ),
            )
        },
        Fault::Unexpected { found, context } => unexpected(found, context),
        Fault::MissingValue { context } => missing_value(context),
        Fault::NotExecutable => Wording {
            label: "this is not a function",
            ..say(
                &NOT_A_COMMAND,
                "a value cannot be piped into a value",
                "put a function after `|`; what precedes `|` becomes its last argument",
            )
        },
        Fault::TooManyVariables { context } => say(
            &TEMPLATE_DECLARATION,
            if *context == "range" {
                "`range` can declare at most two variables"
            } else {
                "only one variable can be declared here"
            },
            "only `range` declares two: `{{ range $key, $value := … }}`",
        ),
        Fault::VariableExpected => Wording {
            label: "expected a variable",
            ..say(
                &TEMPLATE_DECLARATION,
                "only a variable can follow the comma",
                "write `{{ range $key, $value := … }}`",
            )
        },
        Fault::DefinedTwice { name, first } => Wording {
            related: Some((first.clone(), "the first definition")),
            ..say(
                &DEFINED_TWICE,
                format!("the template `{name}` is defined twice in this file"),
                "remove one of the two, or give it another name",
            )
        },
        Fault::TooDeep => {
            say(&TEMPLATE_TOO_LARGE, "this is nested too deeply", "split the template into several")
        }
        Fault::TooLong => say(&TEMPLATE_TOO_LARGE, "this template is longer than 4 GiB", ""),
        Fault::NestedDefine { .. }
        | Fault::UnclosedBlock { .. }
        | Fault::ExtraEnd
        | Fault::ExtraElse
        | Fault::SecondElse { .. }
        | Fault::ElseOfOtherKind { .. }
        | Fault::OutsideRange { .. } => block(fault),
    }
}

fn character(fault: &Fault) -> Wording {
    match fault {
        Fault::StrangeCharacter(found @ ('“' | '”' | '„' | '‘' | '’' | '«' | '»')) => say(
            &TEMPLATE_CHARACTER,
            format!("`{found}` is not a quote in a template"),
            "use the plain quote `\"`",
        ),
        Fault::StrangeCharacter(found) if crate::is_print(*found) => say(
            &TEMPLATE_CHARACTER,
            format!("`{found}` has no meaning in a template action"),
            "put it in quotes if it is part of a string",
        ),
        Fault::StrangeCharacter(found) => say(
            &TEMPLATE_CHARACTER,
            format!("the character U+{:04X} is not allowed in a template action", u32::from(*found)),
            "remove it; it may look like a space",
        ),
        Fault::CharacterInName('-') => say(
            &TEMPLATE_CHARACTER,
            "a name in a template cannot contain `-`",
            "use `index` to read such a key, as in `index .labels \"app-name\"`; put a space before `-}}`",
        ),
        Fault::CharacterInName(found) if crate::is_print(*found) => say(
            &TEMPLATE_CHARACTER,
            format!("`{found}` cannot follow a name"),
            "put a space between them; use `index` to read a key with such a character",
        ),
        Fault::CharacterInName(found) => say(
            &TEMPLATE_CHARACTER,
            format!("the character U+{:04X} cannot follow a name", u32::from(*found)),
            "remove it; it may look like a space",
        ),
        _ => say(
            &TEMPLATE_CHARACTER,
            "a colon must be followed by `=`",
            "declare a variable with `:=`, without a space between the two",
        ),
    }
}

fn constant(fault: &Fault) -> Wording {
    match fault {
        Fault::NumberTooLarge => say(
            &TEMPLATE_CONSTANT,
            "this integer does not fit into 64 bits",
            "write it as a string in quotes, or as a number with a decimal point",
        ),
        Fault::BadString => say(
            &TEMPLATE_CONSTANT,
            "this string contains an unknown escape",
            "write a backslash as `\\\\`, or put the string in backquotes",
        ),
        Fault::BadCharacter => say(
            &TEMPLATE_CONSTANT,
            "single quotes must contain exactly one character",
            "put strings in double quotes",
        ),
        Fault::FieldOfConstant => Wording {
            label: "a field of a constant",
            ..say(
                &FIELD_OF_CONSTANT,
                "what precedes this has no fields",
                "put a space before the dot if this is another argument",
            )
        },
        _ => say(
            &TEMPLATE_CONSTANT,
            "this is not a number",
            "put strings in quotes; there are no operators, use functions such as `add`",
        ),
    }
}

fn unexpected(found: &str, context: &str) -> Wording {
    let long = found.len() > 40 || found.contains('\n');
    let message =
        if long { "this is not allowed here".to_owned() } else { format!("`{found}` is not allowed here") };
    let help = match (context, found) {
        ("define clause", _) => "a definition has only a name in quotes: `{{ define \"name\" }}`",
        ("template clause", _) => {
            "the name of the template comes first, in quotes: `{{ template \"name\" . }}`"
        }
        ("block clause", _) => "the name of the template comes first, in quotes: `{{ block \"name\" . }}`",
        ("end", _) => "write `{{ end }}` without anything else",
        ("else", _) => "write `else` alone, or with an `if` or `with` after it",
        ("{{break}}", _) => "write `{{ break }}` without anything else",
        ("{{continue}}", _) => "write `{{ continue }}` without anything else",
        (_, "/") => "a comment must begin right after the delimiter: `{{/* … */}}`; there are no operators",
        (_, "=" | ":=") => "compare with `eq`, as in `eq .a .b`; only a variable can be declared or assigned",
        (_, "!") => "there are no operators: use `not` or `ne`",
        (_, "<" | ">") => "there are no operators: use `lt`, `le`, `gt` or `ge`",
        (_, "&") => "there are no operators: use `and`, as in `and .a .b`",
        (_, "|") => "put a command on both sides of `|`; for a choice use `or`, as in `or .a .b`",
        (_, "[" | "]") => "read an item with `index`, as in `index .list 0`",
        (_, ",") => "separate arguments with spaces, not commas",
        (_, "}") => "close the action with `}}`",
        (_, "{") => "an action cannot be inside another; use `(` and `)` for a part of it",
        (_, "(") => "put a space before `(`",
        (_, ".") => "put a space before the dot if it is another argument",
        ("operand", _) => "put a space between the two",
        _ => "",
    };
    say(&TEMPLATE_SYNTAX, message, help)
}

fn missing_value(context: &str) -> Wording {
    let (message, help) = match context {
        "command" => ("this action has no value", "write what it should print, or remove it"),
        "parenthesized pipeline" => ("these parentheses are empty", "write a value between them"),
        "if" => ("this `if` has no condition", "write a condition, as in `{{ if .enabled }}`"),
        "with" => ("this `with` has no value", "write a value, as in `{{ with .name }}`"),
        "range" => ("this `range` has no list", "write a list, as in `{{ range .items }}`"),
        _ => ("the template is given no value", "write the value to pass, as in `{{ block \"name\" . }}`"),
    };
    say(&MISSING_VALUE, message, help)
}

fn block(fault: &Fault) -> Wording {
    match fault {
        Fault::NestedDefine { opened, keyword } => Wording {
            related: Some((opened.clone(), "it is inside this block")),
            ..say(
                &NESTED_DEFINE,
                format!("a template cannot be defined inside `{keyword}`"),
                "move the definition outside all blocks",
            )
        },
        Fault::UnclosedBlock { keyword, define } => Wording {
            related: define.clone().map(|range| (range, "the next definition begins before it is closed")),
            ..open(&UNCLOSED_BLOCK, format!("this `{keyword}` is never closed"), "close it with `{{ end }}`")
        },
        Fault::ExtraEnd => say(
            &EXTRA_END,
            "this `end` has no block to close",
            "remove it, or look for a block above that was closed too early",
        ),
        Fault::SecondElse { first } => Wording {
            related: Some((first.clone(), "its first `else`")),
            ..say(
                &MISPLACED_ELSE,
                "this block already has an `else`",
                "put the plain `else` last, after every `else if`, or close the block before",
            )
        },
        Fault::ElseOfOtherKind { block, keyword } => say(
            &MISPLACED_ELSE,
            format!("`else {keyword}` cannot continue a `{block}`"),
            format!("put a separate block after `else`: `{{{{ else }}}}{{{{ {keyword} … }}}}…{{{{ end }}}}`"),
        ),
        Fault::OutsideRange { keyword } => say(
            &OUTSIDE_RANGE,
            format!("`{keyword}` is outside `range`"),
            "a loop can only be left from inside it, in the same template",
        ),
        _ => say(
            &MISPLACED_ELSE,
            "this `else` belongs to no block",
            "look for a block above that was closed too early",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::function_names;
    use crate::{Delimiters, parse};

    fn findings(text: &str) -> Vec<Diagnostic> {
        let names = ["print", "printf", "eq", "and", "or", "index"];
        let parsed =
            parse(&"t".into(), &text.as_bytes().into(), &function_names(&names), Delimiters::default());
        parsed.errors.iter().map(|error| error.to_diagnostic(SourceId::from_index(0))).collect()
    }

    #[test]
    fn every_code_has_a_wrong_and_a_right_example() {
        let parse_codes = CODES.iter().filter(|code| code.id < "TL0530" && !code.wrong.is_empty());
        for code in parse_codes {
            let ids: Vec<_> = findings(code.wrong).iter().map(|finding| finding.code.id).collect();
            assert_eq!(ids, [code.id], "{}", code.wrong);
            let right = findings(code.right);
            assert!(right.is_empty(), "{}: {right:?}", code.right);
        }
    }

    #[test]
    fn codes_are_complete_and_in_order() {
        assert!(CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
        for code in CODES {
            assert!(!code.explanation.is_empty() && !code.summary.ends_with('.'), "{}", code.id);
        }
    }

    #[test]
    fn findings_say_what_is_wrong_and_where() {
        for (text, place, message, help) in [
            ("{{ prnt .a }}", "prnt", "unknown function `prnt`", "did you mean `print`?"),
            ("{{ if .a }}\n", "{{ if .a }}", "this `if` is never closed", "close it with `{{ end }}`"),
            ("a: {{ .a }\nb: {{ .b }}", "{{", "this action is never closed", "close it with `}}`, after"),
            (
                "{{ .a.b-c }}",
                "-",
                "a name in a template cannot contain `-`",
                "use `index` to read such a key",
            ),
            ("{{ if .a = 1 }}{{ end }}", "=", "`=` is not allowed here", "compare with `eq`"),
            (
                "{{ if .a && .b }}{{ end }}",
                "&",
                "`&` is not allowed here",
                "there are no operators: use `and`",
            ),
            ("{{ /* c */ }}", "/", "`/` is not allowed here", "a comment must begin right after"),
            ("{{ print “a” }}", "“", "`“` is not a quote in a template", "use the plain quote"),
            ("{{ print .a\u{a0}}}", "\u{a0}", "the character U+00A0 cannot follow a name", "remove it"),
            ("{{ $x := 1 }}{{ $y }}", "$y", "the variable `$y` is not declared here", "declare it earlier"),
        ] {
            let found = findings(text);
            let [finding] = found.as_slice() else { panic!("{text}: {found:?}") };
            assert_eq!(&text[finding.primary.span.range()], place, "{text}");
            assert_eq!(finding.message, message, "{text}");
            assert!(
                finding.help.as_ref().is_some_and(|words| words.starts_with(help)),
                "{text}: {finding:?}"
            );
        }
    }

    #[test]
    fn a_block_that_is_not_closed_before_a_definition_is_shown_with_both_places() {
        let text =
            "{{ define \"a\" }}{{ if . }}{{ end }}\n{{ define \"b\" }}{{ end }}{{ define \"c\" }}{{ end }}";
        let found = findings(text);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(&text[finding.primary.span.range()], "{{ define \"a\" }}");
        assert_eq!(finding.related[0].span.start, 39);
    }
}
