//! The codes of this crate: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

pub use crate::run_codes::*;

/// An action is never closed.
pub static UNCLOSED_ACTION: Code = Code {
    id: "TL0501",
    name: "template-unclosed-action",
    severity: Severity::Error,
    summary: "A template action is never closed",
    explanation: "An action begins with `{{` and ends at the next `}}`, which may be on a later line. Here another \
                  action begins, or the file ends, before it is closed.\n\nClose it with `}}`. A single `}` is not \
                  enough. To print `{{` itself, write `{{ \"{{\" }}`.",
    wrong: "name: {{ .name }\nkind: {{ .kind }}\n",
    right: "name: {{ .name }}\nkind: {{ .kind }}\n",
};

/// A quote in an action is never closed.
pub static UNCLOSED_TEMPLATE_QUOTE: Code = Code {
    id: "TL0502",
    name: "template-unclosed-quote",
    severity: Severity::Error,
    summary: "A quote in a template action is never closed",
    explanation: "A string in double quotes and a character in single quotes end on the line they begin on. A \
                  string in backquotes may span several lines, up to the next backquote.\n\nInside double quotes, \
                  a double quote is written `\\\"`.",
    wrong: "{{ print \"hello }}\n",
    right: "{{ print \"hello\" }}\n",
};

/// A comment is malformed.
pub static TEMPLATE_COMMENT: Code = Code {
    id: "TL0503",
    name: "template-comment",
    severity: Severity::Error,
    summary: "A template comment is not closed or not alone in its action",
    explanation: "A comment needs its own action: `{{/* … */}}`, or `{{- /* … */ -}}` to remove the white space \
                  around it. Nothing may be between the delimiters and the comment, not even a space, and nothing \
                  else may be in the action.",
    wrong: "{{/* the name */ .name }}\n",
    right: "{{/* the name */}}{{ .name }}\n",
};

/// Parentheses do not match.
pub static TEMPLATE_PARENTHESES: Code = Code {
    id: "TL0504",
    name: "template-parentheses",
    severity: Severity::Error,
    summary: "The parentheses of a template action do not match",
    explanation: "Every `(` of an action needs a `)` in the same action, and vice versa.",
    wrong: "{{ if and (eq .a 1) (eq .b 2 }}yes{{ end }}\n",
    right: "{{ if and (eq .a 1) (eq .b 2) }}yes{{ end }}\n",
};

/// A character is not allowed in an action.
pub static TEMPLATE_CHARACTER: Code = Code {
    id: "TL0505",
    name: "template-character",
    severity: Severity::Error,
    summary: "A character is not allowed here in a template action",
    explanation: "The names of fields, functions and variables consist of letters, digits and `_`. A name must be \
                  followed by a space, `.`, `,`, `|`, `:`, a parenthesis or the end of the action.\n\nUse the \
                  function `index` to read a key with other characters.",
    wrong: "{{ .labels.app-name }}\n",
    right: "{{ index .labels \"app-name\" }}\n",
};

/// A constant is invalid.
pub static TEMPLATE_CONSTANT: Code = Code {
    id: "TL0506",
    name: "template-constant",
    severity: Severity::Error,
    summary: "A constant in a template action is invalid",
    explanation: "Numbers are written as in Go: `12`, `-3`, `0x1F`, `1.5`, `1e3`. Integers have at most 64 bits. \
                  Strings are in double quotes or backquotes; single quotes contain one character and turn it into \
                  a number. The escapes in double quotes are `\\n`, `\\t`, `\\r`, `\\\\`, `\\\"`, `\\x41`, \
                  `\\u00e9` and a few more; in backquotes there are none.",
    wrong: "{{ print 'hello' }}\n",
    right: "{{ print \"hello\" }}\n",
};

/// No function has this name.
pub static UNKNOWN_FUNCTION: Code = Code {
    id: "TL0507",
    name: "template-unknown-function",
    severity: Severity::Error,
    summary: "A template calls a function that does not exist",
    explanation: "A word without a dot before it is the name of a function. A field needs a dot (`.name`), a \
                  variable a dollar sign (`$name`), and a string quotes (`\"name\"`).",
    wrong: "{{ printff \"%d\" 1 }}\n",
    right: "{{ printf \"%d\" 1 }}\n",
};

/// No variable has this name.
pub static UNKNOWN_VARIABLE: Code = Code {
    id: "TL0508",
    name: "template-unknown-variable",
    severity: Severity::Error,
    summary: "A template uses a variable that is not declared",
    explanation: "A variable is declared with `:=` and is known from there to the `end` of the block it is \
                  declared in. A template that is defined with `define` or `block` cannot use the variables around \
                  it, except for `$`.\n\nTo change a variable from within a block, declare it before the block and \
                  assign it with `=`.",
    wrong: "{{ if .a }}{{ $x := 1 }}{{ end }}{{ $x }}\n",
    right: "{{ $x := 0 }}{{ if .a }}{{ $x = 1 }}{{ end }}{{ $x }}\n",
};

/// Something is where it is not allowed.
pub static TEMPLATE_SYNTAX: Code = Code {
    id: "TL0509",
    name: "template-syntax",
    severity: Severity::Error,
    summary: "Something is not allowed here in a template action",
    explanation: "An action consists of commands separated by `|`. A command is a function or a value followed by \
                  its arguments, separated by spaces. There are no operators: use functions such as `eq`, `and`, \
                  `or` and `not`.",
    wrong: "{{ if .a == 1 }}yes{{ end }}\n",
    right: "{{ if eq .a 1 }}yes{{ end }}\n",
};

/// A block is never closed.
pub static UNCLOSED_BLOCK: Code = Code {
    id: "TL0510",
    name: "template-unclosed-block",
    severity: Severity::Error,
    summary: "A template block is never closed",
    explanation: "Each `if`, `with`, `range`, `define` and `block` needs an `end`. One `end` closes an `if` with \
                  all its `else if`.\n\nThe finding marks the outermost blocks that are still open at the end of \
                  the file; the missing `end` may belong to a block inside them.",
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

/// An `else` belongs to no block.
pub static MISPLACED_ELSE: Code = Code {
    id: "TL0512",
    name: "template-misplaced-else",
    severity: Severity::Error,
    summary: "An `else` belongs to no block",
    explanation: "`if`, `with` and `range` have at most one `else`, which comes last. `else if` only continues an \
                  `if`, and `else with` a `with`; any other condition needs its own block after `else`.",
    wrong: "{{ if .a }}1{{ else }}2{{ else if .b }}3{{ end }}\n",
    right: "{{ if .a }}1{{ else if .b }}3{{ else }}2{{ end }}\n",
};

/// A definition is inside a block.
pub static NESTED_DEFINE: Code = Code {
    id: "TL0513",
    name: "template-nested-define",
    severity: Severity::Error,
    summary: "A template is defined inside a block",
    explanation: "`define` must be outside all blocks. A definition cannot depend on a condition; put the \
                  condition into the template, or around the action that calls it.",
    wrong: "{{ if .x }}{{ define \"a\" }}1{{ end }}{{ end }}\n",
    right: "{{ define \"a\" }}{{ if .x }}1{{ end }}{{ end }}\n",
};

/// A value is missing.
pub static MISSING_VALUE: Code = Code {
    id: "TL0514",
    name: "template-missing-value",
    severity: Severity::Error,
    summary: "A template action has no value",
    explanation: "An action needs a value to print, test or iterate over: `{{ if }}`, `{{ }}`, `( )` and `{{ $x := \
                  }}` have none.",
    wrong: "{{ if }}yes{{ end }}\n",
    right: "{{ if .a }}yes{{ end }}\n",
};

/// A value follows `|`.
pub static NOT_A_COMMAND: Code = Code {
    id: "TL0515",
    name: "template-not-a-command",
    severity: Severity::Error,
    summary: "A value follows `|` where a function is expected",
    explanation: "`a | b` calls `b` with the value of `a` as its last argument, so `b` must be a function, a \
                  method, or a variable or field that holds one. A constant or `.` takes no argument.",
    wrong: "{{ .name | \"web\" }}\n",
    right: "{{ .name | or \"web\" }}\n",
};

/// A constant has no fields.
pub static FIELD_OF_CONSTANT: Code = Code {
    id: "TL0516",
    name: "template-field-of-constant",
    severity: Severity::Error,
    summary: "A constant has no fields",
    explanation: "Only `.`, variables and parentheses can have fields: `.a.b`, `$x.a`, `(index . \"a\").b`. \
                  Strings, booleans and nil have none.",
    wrong: "{{ \"a\".name }}\n",
    right: "{{ .a.name }}\n",
};

/// Too many variables, or something other than a variable.
pub static TEMPLATE_DECLARATION: Code = Code {
    id: "TL0517",
    name: "template-declaration",
    severity: Severity::Error,
    summary: "Variables cannot be declared like this",
    explanation: "An action can declare one variable: `{{ $x := … }}`. Only `range` can declare two, the index or \
                  key and the item: `{{ range $key, $value := … }}`.",
    wrong: "{{ $a, $b := .pair }}\n",
    right: "{{ $a := index .pair 0 }}{{ $b := index .pair 1 }}\n",
};

/// `break` or `continue` outside a loop.
pub static OUTSIDE_RANGE: Code = Code {
    id: "TL0518",
    name: "template-outside-range",
    severity: Severity::Error,
    summary: "`break` or `continue` is outside `range`",
    explanation: "`break` and `continue` must be inside a `range` of the same template. A template that is called \
                  in a loop cannot end that loop, and the part after the `else` of a `range` is not part of the \
                  loop.",
    wrong: "{{ if .a }}{{ break }}{{ end }}\n",
    right: "{{ range .list }}{{ if .a }}{{ break }}{{ end }}{{ end }}\n",
};

/// Two templates have the same name.
pub static DEFINED_TWICE: Code = Code {
    id: "TL0519",
    name: "template-defined-twice",
    severity: Severity::Error,
    summary: "Two templates of one file have the same name",
    explanation: "In one file, each name can be defined once, with `define` or `block`. Give one of the two \
                  another name, or remove it. A definition that contains only white space does not count.",
    wrong: "{{ define \"a\" }}1{{ end }}{{ define \"a\" }}2{{ end }}\n",
    right: "{{ define \"a\" }}1{{ end }}{{ define \"b\" }}2{{ end }}\n",
};

/// A template is too deep or too long.
pub static TEMPLATE_TOO_LARGE: Code = Code {
    id: "TL0520",
    name: "template-too-large",
    severity: Severity::Error,
    summary: "A template is nested too deeply or is too long",
    explanation: "Blocks can be nested 1,000 deep, and so can the parentheses of an action. A template can be 4 \
                  GiB long. A generated template that exceeds this can be split into several with `define`.",
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
