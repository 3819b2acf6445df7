//! The codes of this crate: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

pub use crate::run_codes::*;

/// An action is never closed.
pub static UNCLOSED_ACTION: Code = Code {
    id: "TL0501",
    name: "template-unclosed-action",
    severity: Severity::Error,
    summary: "A template action is never closed",
    explanation: "An action begins with `{{` and goes on, also over several lines, to the next `}}`. Here another action begins, or the text ends, before it is closed.\n\nClose it with `}}`. A single `}` is not enough. To print `{{` itself, write `{{ \"{{\" }}`.",
    wrong: "name: {{ .name }\nkind: {{ .kind }}\n",
    right: "name: {{ .name }}\nkind: {{ .kind }}\n",
};

/// A quote in an action is never closed.
pub static UNCLOSED_TEMPLATE_QUOTE: Code = Code {
    id: "TL0502",
    name: "template-unclosed-quote",
    severity: Severity::Error,
    summary: "A quote in a template action is never closed",
    explanation: "A string in double quotes and a character in single quotes end on the line they begin on. A string in backquotes may go over several lines, to the next backquote.\n\nInside double quotes, a double quote is written `\\\"`.",
    wrong: "{{ print \"hello }}\n",
    right: "{{ print \"hello\" }}\n",
};

/// A comment is not written as comments are.
pub static TEMPLATE_COMMENT: Code = Code {
    id: "TL0503",
    name: "template-comment",
    severity: Severity::Error,
    summary: "A template comment is not closed, or does not stand alone",
    explanation: "A comment fills its action: it is written `{{/* … */}}`, or `{{- /* … */ -}}` to remove the white space around it. There is nothing between the delimiters and the comment, no blank either, and nothing else in the action.",
    wrong: "{{/* the name */ .name }}\n",
    right: "{{/* the name */}}{{ .name }}\n",
};

/// Parentheses do not match.
pub static TEMPLATE_PARENTHESES: Code = Code {
    id: "TL0504",
    name: "template-parentheses",
    severity: Severity::Error,
    summary: "The parentheses of a template action do not match",
    explanation: "Every `(` of an action needs its `)` in the same action, and the other way round.",
    wrong: "{{ if and (eq .a 1) (eq .b 2 }}yes{{ end }}\n",
    right: "{{ if and (eq .a 1) (eq .b 2) }}yes{{ end }}\n",
};

/// A character cannot stand in an action.
pub static TEMPLATE_CHARACTER: Code = Code {
    id: "TL0505",
    name: "template-character",
    severity: Severity::Error,
    summary: "A character cannot stand here in a template action",
    explanation: "The names of fields, functions and variables are made of letters, digits and `_`. Behind a name come a blank, `.`, `,`, `|`, `:`, a parenthesis or the end of the action.\n\nA key with other characters in it is read with the function `index`.",
    wrong: "{{ .labels.app-name }}\n",
    right: "{{ index .labels \"app-name\" }}\n",
};

/// A constant has no value.
pub static TEMPLATE_CONSTANT: Code = Code {
    id: "TL0506",
    name: "template-constant",
    severity: Severity::Error,
    summary: "A constant in a template action cannot be read",
    explanation: "Numbers are written as in Go: `12`, `-3`, `0x1F`, `1.5`, `1e3`. Integers have at most 64 bits. Text stands in double quotes or backquotes; single quotes hold one character and make a number of it. The escapes in double quotes are `\\n`, `\\t`, `\\r`, `\\\\`, `\\\"`, `\\x41`, `\\u00e9` and a few more; in backquotes there are none.",
    wrong: "{{ print 'hello' }}\n",
    right: "{{ print \"hello\" }}\n",
};

/// There is no function of this name.
pub static UNKNOWN_FUNCTION: Code = Code {
    id: "TL0507",
    name: "template-unknown-function",
    severity: Severity::Error,
    summary: "A template calls a function that does not exist",
    explanation: "A word without a dot before it is the name of a function. A field needs its dot (`.name`), a variable its dollar sign (`$name`), and text its quotes (`\"name\"`).",
    wrong: "{{ printff \"%d\" 1 }}\n",
    right: "{{ printf \"%d\" 1 }}\n",
};

/// There is no variable of this name.
pub static UNKNOWN_VARIABLE: Code = Code {
    id: "TL0508",
    name: "template-unknown-variable",
    severity: Severity::Error,
    summary: "A template uses a variable that is not declared",
    explanation: "A variable is declared with `:=` and is known from there to the `end` of the block it is declared in. A template that is defined with `define` or `block` knows none of the variables around it, but for `$`.\n\nTo change a variable from within a block, declare it before the block and assign it with `=`.",
    wrong: "{{ if .a }}{{ $x := 1 }}{{ end }}{{ $x }}\n",
    right: "{{ $x := 0 }}{{ if .a }}{{ $x = 1 }}{{ end }}{{ $x }}\n",
};

/// Something stands where it cannot.
pub static TEMPLATE_SYNTAX: Code = Code {
    id: "TL0509",
    name: "template-syntax",
    severity: Severity::Error,
    summary: "Something stands where it cannot in a template action",
    explanation: "An action holds commands with `|` between them. A command is a function or a value with its arguments after it, and blanks between them. There are no operators: functions such as `eq`, `and`, `or` and `not` take their place.",
    wrong: "{{ if .a == 1 }}yes{{ end }}\n",
    right: "{{ if eq .a 1 }}yes{{ end }}\n",
};

/// A block is never closed.
pub static UNCLOSED_BLOCK: Code = Code {
    id: "TL0510",
    name: "template-unclosed-block",
    severity: Severity::Error,
    summary: "A template block is never closed",
    explanation: "Each `if`, `with`, `range`, `define` and `block` needs an `end`. One `end` closes an `if` with all its `else if`.\n\nThe finding stands at the outermost blocks that are open at the end of the text: the `end` that is missing may be that of a block inside, whose own was used up.",
    wrong: "{{ if .a }}\nyes\n",
    right: "{{ if .a }}\nyes\n{{ end }}\n",
};

/// An `end` closes nothing.
pub static EXTRA_END: Code = Code {
    id: "TL0511",
    name: "template-extra-end",
    severity: Severity::Error,
    summary: "An `end` closes nothing",
    explanation: "There is one `end` too many, or the action that should have opened the block is missing, is commented out, or was closed before.",
    wrong: "{{ if .a }}yes{{ end }}{{ end }}\n",
    right: "{{ if .a }}yes{{ end }}\n",
};

/// An `else` belongs to nothing.
pub static MISPLACED_ELSE: Code = Code {
    id: "TL0512",
    name: "template-misplaced-else",
    severity: Severity::Error,
    summary: "An `else` belongs to nothing",
    explanation: "`if`, `with` and `range` have at most one `else`, which comes last. `else if` goes on with an `if`, and `else with` with a `with`; any other condition needs a block of its own after `else`.",
    wrong: "{{ if .a }}1{{ else }}2{{ else if .b }}3{{ end }}\n",
    right: "{{ if .a }}1{{ else if .b }}3{{ else }}2{{ end }}\n",
};

/// A definition stands in a block.
pub static NESTED_DEFINE: Code = Code {
    id: "TL0513",
    name: "template-nested-define",
    severity: Severity::Error,
    summary: "A template is defined inside of a block",
    explanation: "`define` stands outside of all blocks. It says what a template is, once and for all, and cannot depend on a condition; the condition belongs into the template, or around the action that calls it.",
    wrong: "{{ if .x }}{{ define \"a\" }}1{{ end }}{{ end }}\n",
    right: "{{ define \"a\" }}{{ if .x }}1{{ end }}{{ end }}\n",
};

/// A value is missing.
pub static MISSING_VALUE: Code = Code {
    id: "TL0514",
    name: "template-missing-value",
    severity: Severity::Error,
    summary: "A template action has no value",
    explanation: "An action has to say what it prints, decides on or goes over: `{{ if }}`, `{{ }}`, `( )` and `{{ $x := }}` do not.",
    wrong: "{{ if }}yes{{ end }}\n",
    right: "{{ if .a }}yes{{ end }}\n",
};

/// A value stands behind `|`.
pub static NOT_A_COMMAND: Code = Code {
    id: "TL0515",
    name: "template-not-a-command",
    severity: Severity::Error,
    summary: "A value stands after `|` where a function has to be",
    explanation: "`a | b` calls `b` with the value of `a` as its last argument, so `b` has to be a function, a method, or a variable or field that holds one. A constant or `.` takes no argument.",
    wrong: "{{ .name | \"web\" }}\n",
    right: "{{ .name | or \"web\" }}\n",
};

/// A constant has no fields.
pub static FIELD_OF_CONSTANT: Code = Code {
    id: "TL0516",
    name: "template-field-of-constant",
    severity: Severity::Error,
    summary: "A constant has no fields",
    explanation: "Fields are read of `.`, of variables and of what stands in parentheses: `.a.b`, `$x.a`, `(index . \"a\").b`. Strings, booleans and nil have none.",
    wrong: "{{ \"a\".name }}\n",
    right: "{{ .a.name }}\n",
};

/// Too many variables, or something else than a variable.
pub static TEMPLATE_DECLARATION: Code = Code {
    id: "TL0517",
    name: "template-declaration",
    severity: Severity::Error,
    summary: "Variables cannot be declared like this",
    explanation: "An action declares one variable: `{{ $x := … }}`. Only `range` can declare two, the index or key and the element: `{{ range $key, $value := … }}`.",
    wrong: "{{ $a, $b := .pair }}\n",
    right: "{{ $a := index .pair 0 }}{{ $b := index .pair 1 }}\n",
};

/// `break` or `continue` outside of a loop.
pub static OUTSIDE_RANGE: Code = Code {
    id: "TL0518",
    name: "template-outside-range",
    severity: Severity::Error,
    summary: "`break` or `continue` stands outside of `range`",
    explanation: "`break` and `continue` belong to a `range` of the same template. A template that is called from within a loop cannot end that loop, and the part after the `else` of a `range` is not a part of the loop.",
    wrong: "{{ if .a }}{{ break }}{{ end }}\n",
    right: "{{ range .list }}{{ if .a }}{{ break }}{{ end }}{{ end }}\n",
};

/// Two templates have one name.
pub static DEFINED_TWICE: Code = Code {
    id: "TL0519",
    name: "template-defined-twice",
    severity: Severity::Error,
    summary: "Two templates of one file have the same name",
    explanation: "In one file, each name can be defined once, with `define` or `block`. Give one of the two another name, or remove it. A definition that holds nothing but white space does not count.",
    wrong: "{{ define \"a\" }}1{{ end }}{{ define \"a\" }}2{{ end }}\n",
    right: "{{ define \"a\" }}1{{ end }}{{ define \"b\" }}2{{ end }}\n",
};

/// A template is too deep or too long.
pub static TEMPLATE_TOO_LARGE: Code = Code {
    id: "TL0520",
    name: "template-too-large",
    severity: Severity::Error,
    summary: "A template is nested too deeply or is too long",
    explanation: "Blocks can be nested 1,000 deep, and so can the parentheses of an action. A text can have 4 GiB. Nobody writes such a template by hand; one that is made by a program can be cut into several with `define`.",
    wrong: "",
    right: "",
};

/// All codes of this crate.
pub const CODES: &[&Code] = &[
    &UNCLOSED_ACTION,
    &UNCLOSED_TEMPLATE_QUOTE,
    &TEMPLATE_COMMENT,
    &TEMPLATE_PARENTHESES,
    &TEMPLATE_CHARACTER,
    &TEMPLATE_CONSTANT,
    &UNKNOWN_FUNCTION,
    &UNKNOWN_VARIABLE,
    &TEMPLATE_SYNTAX,
    &UNCLOSED_BLOCK,
    &EXTRA_END,
    &MISPLACED_ELSE,
    &NESTED_DEFINE,
    &MISSING_VALUE,
    &NOT_A_COMMAND,
    &FIELD_OF_CONSTANT,
    &TEMPLATE_DECLARATION,
    &OUTSIDE_RANGE,
    &DEFINED_TWICE,
    &TEMPLATE_TOO_LARGE,
    &FIELD_OF_NOTHING,
    &NO_SUCH_FIELD,
    &NO_SUCH_KEY,
    &ARGUMENT_COUNT,
    &ARGUMENT_TYPE,
    &NO_FUNCTION,
    &NOT_ITERABLE,
    &COMPARISON,
    &UNKNOWN_TEMPLATE,
    &NUMBER_TOO_LARGE,
    &FUNCTION_FAILED,
    &ENDLESS_TEMPLATES,
    &RUN_LIMIT,
    &TEMPLATE_STOPPED,
    &STOPPED_ON_PURPOSE,
];
