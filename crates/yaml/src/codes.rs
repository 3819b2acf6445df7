//! The codes of this crate: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// The file is not valid JSON.
pub static JSON_SYNTAX: Code = Code {
    id: "TL0101",
    name: "json-syntax",
    severity: Severity::Error,
    summary: "The file is not valid JSON",
    explanation: "In JSON, keys and strings are in double quotes, items are separated by commas with none after \
                  the last, and comments are not allowed.\n\nThe finding marks where parsing stopped. If the file \
                  is meant to be YAML, give it a name that ends in `.yaml`.",
    wrong: "{\"a\": 1,}\n",
    right: "{\"a\": 1}\n",
};

/// The file contains a character that YAML forbids.
pub static FORBIDDEN_CHARACTER: Code = Code {
    id: "TL0102",
    name: "forbidden-character",
    severity: Severity::Error,
    summary: "The file contains a character that YAML forbids",
    explanation: "YAML allows tabs, line breaks and printable characters. Other control characters usually come \
                  from copying out of a terminal, from a broken download, or from a binary file with the wrong \
                  name.\n\nRemove the character, or write it as an escape inside double quotes, such as \
                  `\"\\x1b\"`.",
    wrong: "greeting: \"ring\u{7}\"\n",
    right: "greeting: \"ring\\a\"\n",
};

/// A line is indented with a tab.
pub static TAB_INDENTATION: Code = Code {
    id: "TL0103",
    name: "tab-indentation",
    severity: Severity::Error,
    summary: "A line is indented with a tab",
    explanation: "YAML uses spaces to show what belongs together, and a tab has no fixed width. Replace the tab \
                  with spaces; most editors have a setting for it.",
    wrong: "spec:\n\treplicas: 1\n",
    right: "spec:\n  replicas: 1\n",
};

/// A quote is never closed.
pub static UNCLOSED_QUOTE: Code = Code {
    id: "TL0104",
    name: "unclosed-quote",
    severity: Severity::Error,
    summary: "A quote is never closed",
    explanation: "Everything after the opening quote, up to the end of the document, was read as part of the \
                  string. Close the quote where the string ends. Inside double quotes, a quote is written `\\\"`; \
                  inside single quotes, it is written twice.",
    wrong: "name: \"web\nkind: Pod\n",
    right: "name: \"web\"\nkind: Pod\n",
};

/// A key appears twice in one map.
pub static DUPLICATE_KEY: Code = Code {
    id: "TL0105",
    name: "duplicate-key",
    severity: Severity::Error,
    summary: "A key appears twice in one map",
    explanation: "Only the last value counts; the others are silently lost. Some tools refuse such a file. Remove \
                  one of the two, or merge their values.",
    wrong: "image: web\nport: 80\nimage: api\n",
    right: "image: api\nport: 80\n",
};

/// A bracket is not closed, or a comma is missing.
pub static UNCLOSED_BRACKET: Code = Code {
    id: "TL0106",
    name: "unclosed-bracket",
    severity: Severity::Error,
    summary: "A bracket is not closed, or a comma is missing",
    explanation: "Between `[` and `]` items are separated by commas, and between `{` and `}` entries are. Close \
                  the bracket, or put a comma between the two items. A string that contains `,`, `[`, `]`, `{` or \
                  `}` needs quotes there.",
    wrong: "ports: [80, 443\nname: web\n",
    right: "ports: [80, 443]\nname: web\n",
};

/// A `key: value` pair is where none is allowed.
pub static MISPLACED_COLON: Code = Code {
    id: "TL0107",
    name: "misplaced-colon",
    severity: Severity::Error,
    summary: "A `key: value` pair is not allowed here",
    explanation: "A colon with a space after it separates a key from its value. Here there already is a key on the \
                  line, or the line is indented as if it continued the string above it.\n\nPut quotes around a \
                  string that contains a colon, or fix the indentation.",
    wrong: "message: error: not found\n",
    right: "message: \"error: not found\"\n",
};

/// A line lacks a colon.
pub static MISSING_COLON: Code = Code {
    id: "TL0108",
    name: "missing-colon",
    severity: Severity::Error,
    summary: "A line has no colon",
    explanation: "A key of the map is expected here, so the line must read `key: value`. The colon needs a space \
                  after it. If the line continues the string above, indent it further than the key.",
    wrong: "name: web\nreplicas 3\nkind: Pod\n",
    right: "name: web\nreplicas: 3\nkind: Pod\n",
};

/// A line does not fit the list or map around it.
pub static BAD_INDENTATION: Code = Code {
    id: "TL0109",
    name: "bad-indentation",
    severity: Severity::Error,
    summary: "A line does not fit the list or map around it",
    explanation: "All keys of a map begin in the same column, and so do all the `-` of a list. This line begins in \
                  a different column, or a list and a map are mixed.\n\nIndent the line like its neighbours.",
    wrong: "metadata:\n    name: web\n  labels: {}\n",
    right: "metadata:\n    name: web\n    labels: {}\n",
};

/// A string begins with a character that YAML reserves.
pub static RESERVED_CHARACTER: Code = Code {
    id: "TL0110",
    name: "reserved-character",
    severity: Severity::Error,
    summary: "A string begins with a character that YAML reserves",
    explanation: "A string without quotes cannot begin with `@`, `` ` `` or `%`, nor with `|` or `>` between \
                  brackets. Put it in quotes.",
    wrong: "user: @admin\n",
    right: "user: \"@admin\"\n",
};

/// A value is missing.
pub static MISSING_NODE: Code = Code {
    id: "TL0111",
    name: "missing-node",
    severity: Severity::Error,
    summary: "A value is missing",
    explanation: "A value is expected, but there is a closing bracket without an opening one, a second comma in a \
                  row, or the like. Remove it, write the value, or put quotes around a string that begins like \
                  this.",
    wrong: "list: [a, , b]\n",
    right: "list: [a, b]\n",
};

/// An escape in double quotes is unknown.
pub static BAD_ESCAPE: Code = Code {
    id: "TL0112",
    name: "bad-escape",
    severity: Severity::Error,
    summary: "An escape in double quotes is unknown",
    explanation: "Inside double quotes a backslash starts an escape, such as `\\n`, `\\t`, `\\\"`, `\\\\`, `\\x41` \
                  or `\\u00e9`. Write two backslashes for one, or use single quotes, where a backslash means \
                  nothing special.",
    wrong: "pattern: \"\\d+\"\n",
    right: "pattern: '\\d+'\n",
};

/// Something follows `|` or `>` on the same line.
pub static BAD_BLOCK_HEADER: Code = Code {
    id: "TL0113",
    name: "bad-block-header",
    severity: Severity::Error,
    summary: "Something follows `|` or `>` on the same line",
    explanation: "After `|` or `>` only an indentation from 1 to 9, a `+` or `-`, and a comment are allowed; the \
                  string begins on the next line. Put quotes around a string that begins with `|` or `>`.",
    wrong: "script: | echo hello\n",
    right: "script: |\n  echo hello\n",
};

/// A directive is unknown or misplaced.
pub static BAD_DIRECTIVE: Code = Code {
    id: "TL0114",
    name: "bad-directive",
    severity: Severity::Error,
    summary: "A directive is unknown or misplaced",
    explanation: "A line that begins with `%` is a directive. There are two: `%YAML 1.1` and `%TAG`, and each \
                  needs a `---` after it. Kubernetes tools read YAML 1.1 only. Manifests need no directives: \
                  remove the line, or indent it if it belongs to a string.",
    wrong: "%YAML 1.2\n---\nname: web\n",
    right: "name: web\n",
};

/// Something follows the end of the document.
pub static TEXT_AFTER_DOCUMENT: Code = Code {
    id: "TL0115",
    name: "text-after-document",
    severity: Severity::Error,
    summary: "Something follows the end of the document",
    explanation: "A document is one value: one map, one list or one string. This is a second value without a `---` \
                  before it. Often the first line lacks its colon, or the first lines are indented differently \
                  from the others.",
    wrong: "[a, b]\nname: web\n",
    right: "list: [a, b]\nname: web\n",
};

/// `&` or `*` without a valid name.
pub static BAD_ANCHOR_NAME: Code = Code {
    id: "TL0116",
    name: "bad-anchor-name",
    severity: Severity::Error,
    summary: "`&` or `*` without a valid name",
    explanation: "`&name` marks a value and `*name` repeats it. A name consists of letters, digits, `_` and `-`. \
                  Put quotes around a string that begins with `&` or `*`.",
    wrong: "schedule: */5\n",
    right: "schedule: \"*/5\"\n",
};

/// An alias names an anchor that does not exist.
pub static UNKNOWN_ANCHOR: Code = Code {
    id: "TL0117",
    name: "unknown-anchor",
    severity: Severity::Error,
    summary: "An alias names an anchor that does not exist",
    explanation: "`*name` repeats the value that was marked `&name` earlier in the same document. Anchors only \
                  work within one document of a file. Put quotes around a string that begins with `*`.",
    wrong: "a: *base\n",
    right: "base: &base 1\na: *base\n",
};

/// An alias is inside the value that it repeats.
pub static RECURSIVE_ANCHOR: Code = Code {
    id: "TL0118",
    name: "recursive-anchor",
    severity: Severity::Error,
    summary: "An alias is inside the value that it repeats",
    explanation: "The value would have to contain itself. Use another anchor, or remove the alias.",
    wrong: "a: &a\n  b: *a\n",
    right: "a: &a\n  b: 1\n",
};

/// A tag is malformed.
pub static BAD_TAG: Code = Code {
    id: "TL0119",
    name: "bad-tag",
    severity: Severity::Error,
    summary: "A tag is malformed",
    explanation: "A tag is `!name`, `!!type`, `!handle!name` with a `%TAG` line for the handle, or `!<uri>`, \
                  followed by white space. Put quotes around a string that begins with `!`.",
    wrong: "a: !e!thing 1\n",
    right: "a: !thing 1\n",
};

/// A tag does not fit its value.
pub static WRONG_TAG: Code = Code {
    id: "TL0120",
    name: "wrong-tag",
    severity: Severity::Error,
    summary: "A tag does not fit its value",
    explanation: "`!!int`, `!!float`, `!!bool`, `!!null` and `!!timestamp` need a value of that type, and \
                  `!!binary` needs base64. Correct the value, or remove the tag.",
    wrong: "replicas: !!int many\n",
    right: "replicas: !!int 3\n",
};

/// A merge key has a value that is not a map.
pub static MERGE_NOT_MAP: Code = Code {
    id: "TL0121",
    name: "merge-not-map",
    severity: Severity::Error,
    summary: "A merge key has a value that is not a map",
    explanation: "`<<` merges another map into this one: its value must be an alias of a map, a map, or a list of \
                  those. Put quotes around `<<` if it is an ordinary key.",
    wrong: "a:\n  <<: 1\n",
    right: "base: &base {x: 1}\na:\n  <<: *base\n",
};

/// A list or map is used as a key.
pub static KEY_NOT_SCALAR: Code = Code {
    id: "TL0122",
    name: "key-not-scalar",
    severity: Severity::Error,
    summary: "A list or map is used as a key",
    explanation: "The keys of a map are strings. An opening brace or bracket where a key is expected is often a \
                  template that was not rendered: `{{ .Values.name }}` without quotes is read as a map inside a \
                  map.",
    wrong: "? [a, b]\n: 1\n",
    right: "a: 1\nb: 1\n",
};

/// A key cannot be a key of a JSON object.
pub static KEY_NOT_JSON: Code = Code {
    id: "TL0123",
    name: "key-not-json",
    severity: Severity::Error,
    summary: "A key cannot be a key of a JSON object",
    explanation: "Kubernetes tools convert YAML to JSON, where an empty key (`:` with nothing before it, `~` or \
                  `null`) and integers from 2⁶³ on cannot be keys. Put the key in quotes.",
    wrong: "~: 1\n",
    right: "\"~\": 1\n",
};

/// A number does not exist in JSON.
pub static NUMBER_NOT_JSON: Code = Code {
    id: "TL0124",
    name: "number-not-json",
    severity: Severity::Error,
    summary: "A number does not exist in JSON",
    explanation: "Kubernetes tools convert YAML to JSON, which has no `.inf` and no `.nan`. Put it in quotes, or \
                  write a number.",
    wrong: "limit: .inf\n",
    right: "limit: 1000\n",
};

/// Lists and maps are nested too deeply.
pub static TOO_DEEP: Code = Code {
    id: "TL0125",
    name: "too-deep",
    severity: Severity::Error,
    summary: "Lists and maps are nested too deeply",
    explanation: "Real configuration stays below fifty levels. Deeper nesting is a mistake of the program that \
                  wrote the file, or an attack on the one that reads it.",
    wrong: "",
    right: "",
};

/// The file is too large.
pub static TOO_LARGE: Code = Code {
    id: "TL0126",
    name: "too-large",
    severity: Severity::Error,
    summary: "The file is too large",
    explanation: "Files are limited to 64 MiB, 200,000 documents and 5 million keys, values and comments, so that \
                  no input can use up all memory. Split the file, or keep large data out of the configuration.",
    wrong: "",
    right: "",
};

/// Aliases expand to too much data.
pub static TOO_MANY_ALIASES: Code = Code {
    id: "TL0127",
    name: "too-many-aliases",
    severity: Severity::Error,
    summary: "Aliases expand to too much data",
    explanation: "Aliases of values that contain aliases themselves can make a small file expand to billions of \
                  values. go-yaml refuses a document if nearly everything in it comes from aliases, and so does \
                  every tool built on it.",
    wrong: "",
    right: "",
};

/// All codes of this crate.
pub const CODES: &[&Code] = &[
    &JSON_SYNTAX,
    &FORBIDDEN_CHARACTER,
    &TAB_INDENTATION,
    &UNCLOSED_QUOTE,
    &DUPLICATE_KEY,
    &UNCLOSED_BRACKET,
    &MISPLACED_COLON,
    &MISSING_COLON,
    &BAD_INDENTATION,
    &RESERVED_CHARACTER,
    &MISSING_NODE,
    &BAD_ESCAPE,
    &BAD_BLOCK_HEADER,
    &BAD_DIRECTIVE,
    &TEXT_AFTER_DOCUMENT,
    &BAD_ANCHOR_NAME,
    &UNKNOWN_ANCHOR,
    &RECURSIVE_ANCHOR,
    &BAD_TAG,
    &WRONG_TAG,
    &MERGE_NOT_MAP,
    &KEY_NOT_SCALAR,
    &KEY_NOT_JSON,
    &NUMBER_NOT_JSON,
    &TOO_DEEP,
    &TOO_LARGE,
    &TOO_MANY_ALIASES,
];
