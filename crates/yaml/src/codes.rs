//! The codes of this crate: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// The text is not JSON.
pub static JSON_SYNTAX: Code = Code {
    id: "TL0101",
    name: "json-syntax",
    severity: Severity::Error,
    summary: "The text is not JSON",
    explanation: "JSON has one way to write each thing: keys and strings in double quotes, a comma between items and none after the last, no comments.\n\nThe label stands where the reader could not go on. If the file is meant to be YAML, give it a name that ends in `.yaml`.",
    wrong: "{\"a\": 1,}\n",
    right: "{\"a\": 1}\n",
};

/// The text holds a character that YAML forbids.
pub static FORBIDDEN_CHARACTER: Code = Code {
    id: "TL0102",
    name: "forbidden-character",
    severity: Severity::Error,
    summary: "The text holds a character that YAML forbids",
    explanation: "YAML allows tabs, line breaks and everything that can be printed. Other control characters come from copying out of a terminal, from a broken download, or from a binary file with the wrong name.\n\nRemove the character, or write it as an escape inside double quotes, such as `\"\\x1b\"`.",
    wrong: "greeting: \"ring\u{7}\"\n",
    right: "greeting: \"ring\\a\"\n",
};

/// A line is indented with a tab.
pub static TAB_INDENTATION: Code = Code {
    id: "TL0103",
    name: "tab-indentation",
    severity: Severity::Error,
    summary: "A line is indented with a tab",
    explanation: "YAML counts spaces to find out what belongs together, and a tab has no fixed width. Replace the tab with spaces; most editors have a setting for it.",
    wrong: "spec:\n\treplicas: 1\n",
    right: "spec:\n  replicas: 1\n",
};

/// A quote is opened and never closed.
pub static UNCLOSED_QUOTE: Code = Code {
    id: "TL0104",
    name: "unclosed-quote",
    severity: Severity::Error,
    summary: "A quote is opened and never closed",
    explanation: "Everything after the opening quote was taken for text, up to the end of the document. Close the quote where the text ends. Inside double quotes, a quote is written `\\\"`; inside single quotes, it is written twice.",
    wrong: "name: \"web\nkind: Pod\n",
    right: "name: \"web\"\nkind: Pod\n",
};

/// A key appears twice in one map.
pub static DUPLICATE_KEY: Code = Code {
    id: "TL0105",
    name: "duplicate-key",
    severity: Severity::Error,
    summary: "A key appears twice in one map",
    explanation: "Only the last of the values counts, and the other is lost without a word. Some readers refuse such a file. Remove one of the two, or join their values.",
    wrong: "image: web\nport: 80\nimage: api\n",
    right: "image: api\nport: 80\n",
};

/// A bracket is not closed, or a comma is missing.
pub static UNCLOSED_BRACKET: Code = Code {
    id: "TL0106",
    name: "unclosed-bracket",
    severity: Severity::Error,
    summary: "A bracket is not closed, or a comma is missing",
    explanation: "Between `[` and `]` items are separated by commas, and between `{` and `}` entries are. Close the bracket, or put a comma between the two items. A text that holds `,`, `[`, `]`, `{` or `}` needs quotes there.",
    wrong: "ports: [80, 443\nname: web\n",
    right: "ports: [80, 443]\nname: web\n",
};

/// A colon stands where no value can begin.
pub static MISPLACED_COLON: Code = Code {
    id: "TL0107",
    name: "misplaced-colon",
    severity: Severity::Error,
    summary: "A colon stands where no value can begin",
    explanation: "A colon with a space after it separates a key from its value. Here there is a key already, or the line is indented as if it went on with the text above it.\n\nPut quotes around a text that has a colon in it, or fix the indentation.",
    wrong: "message: error: not found\n",
    right: "message: \"error: not found\"\n",
};

/// A line has no colon.
pub static MISSING_COLON: Code = Code {
    id: "TL0108",
    name: "missing-colon",
    severity: Severity::Error,
    summary: "A line has no colon",
    explanation: "This line stands where a key of the map is expected, so it must read `key: value`. A colon needs a space after it. If the line goes on with the text above, indent it further than the key.",
    wrong: "name: web\nreplicas 3\nkind: Pod\n",
    right: "name: web\nreplicas: 3\nkind: Pod\n",
};

/// A line does not fit the list or map around it.
pub static BAD_INDENTATION: Code = Code {
    id: "TL0109",
    name: "bad-indentation",
    severity: Severity::Error,
    summary: "A line does not fit the list or map around it",
    explanation: "The keys of one map begin in the same column, and so do the `-` of one list. This line begins in another one, or a list and a map are mixed at one place.\n\nMove the line to the column of its neighbours.",
    wrong: "metadata:\n    name: web\n  labels: {}\n",
    right: "metadata:\n    name: web\n    labels: {}\n",
};

/// A text begins with a character that YAML keeps for itself.
pub static RESERVED_CHARACTER: Code = Code {
    id: "TL0110",
    name: "reserved-character",
    severity: Severity::Error,
    summary: "A text begins with a character that YAML keeps for itself",
    explanation: "A text without quotes cannot begin with `@`, `` ` `` or `%`, nor with `|` or `>` between brackets. Put it in quotes.",
    wrong: "user: @admin\n",
    right: "user: \"@admin\"\n",
};

/// A value is missing.
pub static MISSING_NODE: Code = Code {
    id: "TL0111",
    name: "missing-node",
    severity: Severity::Error,
    summary: "A value is missing",
    explanation: "Something that ends a value stands where one must begin, such as a closing bracket without an opening one, or two commas in a row. Remove it, write the value, or put quotes around a text that begins like this.",
    wrong: "list: [a, , b]\n",
    right: "list: [a, b]\n",
};

/// An escape in double quotes is not known.
pub static BAD_ESCAPE: Code = Code {
    id: "TL0112",
    name: "bad-escape",
    severity: Severity::Error,
    summary: "An escape in double quotes is not known",
    explanation: "Inside double quotes a backslash begins an escape, such as `\\n`, `\\t`, `\\\"`, `\\\\`, `\\x41` or `\\u00e9`. Write two backslashes for one, or use single quotes, where a backslash means nothing special.",
    wrong: "pattern: \"\\d+\"\n",
    right: "pattern: '\\d+'\n",
};

/// The line of a `|` or `>` holds something else.
pub static BAD_BLOCK_HEADER: Code = Code {
    id: "TL0113",
    name: "bad-block-header",
    severity: Severity::Error,
    summary: "The line of a `|` or `>` holds something else",
    explanation: "Behind `|` or `>` only an indentation from 1 to 9, a `+` or `-`, and a comment may stand; the text begins on the next line. Put quotes around a text that begins with `|` or `>`.",
    wrong: "script: | echo hello\n",
    right: "script: |\n  echo hello\n",
};

/// A directive cannot be used.
pub static BAD_DIRECTIVE: Code = Code {
    id: "TL0114",
    name: "bad-directive",
    severity: Severity::Error,
    summary: "A directive cannot be used",
    explanation: "A line that begins with `%` is a directive. There are two: `%YAML 1.1` and `%TAG`, and each needs a `---` after it. Kubernetes tools read YAML 1.1 only. Manifests need no directives: remove the line, or indent it if it is text.",
    wrong: "%YAML 1.2\n---\nname: web\n",
    right: "name: web\n",
};

/// Something stands behind the end of the document.
pub static TEXT_AFTER_DOCUMENT: Code = Code {
    id: "TL0115",
    name: "text-after-document",
    severity: Severity::Error,
    summary: "Something stands after the end of the document",
    explanation: "A document is one value: one map, one list or one text. This is a second one, without a `---` before it. Often the first line lacks its colon, or the first lines are indented differently from the others.",
    wrong: "[a, b]\nname: web\n",
    right: "list: [a, b]\nname: web\n",
};

/// `&` or `*` without a proper name.
pub static BAD_ANCHOR_NAME: Code = Code {
    id: "TL0116",
    name: "bad-anchor-name",
    severity: Severity::Error,
    summary: "`&` or `*` without a proper name",
    explanation: "`&name` marks a value and `*name` repeats it. A name has letters, digits, `_` and `-`. Put quotes around a text that begins with `&` or `*`.",
    wrong: "schedule: */5\n",
    right: "schedule: \"*/5\"\n",
};

/// An alias names an anchor that is not there.
pub static UNKNOWN_ANCHOR: Code = Code {
    id: "TL0117",
    name: "unknown-anchor",
    severity: Severity::Error,
    summary: "An alias names an anchor that is not there",
    explanation: "`*name` repeats the value that was marked `&name` earlier in the same document. Anchors do not reach into other documents of a file. Put quotes around a text that begins with `*`.",
    wrong: "a: *base\n",
    right: "base: &base 1\na: *base\n",
};

/// An alias stands inside the value that it repeats.
pub static RECURSIVE_ANCHOR: Code = Code {
    id: "TL0118",
    name: "recursive-anchor",
    severity: Severity::Error,
    summary: "An alias stands inside the value that it repeats",
    explanation: "The value would have to contain itself. Let the alias name another anchor, or remove it.",
    wrong: "a: &a\n  b: *a\n",
    right: "a: &a\n  b: 1\n",
};

/// A tag is not written properly.
pub static BAD_TAG: Code = Code {
    id: "TL0119",
    name: "bad-tag",
    severity: Severity::Error,
    summary: "A tag is not written properly",
    explanation: "A tag is `!name`, `!!type`, `!handle!name` with a `%TAG` line for the handle, or `!<uri>`, and white space follows it. Put quotes around a text that begins with `!`.",
    wrong: "a: !e!thing 1\n",
    right: "a: !thing 1\n",
};

/// A tag does not fit its text.
pub static WRONG_TAG: Code = Code {
    id: "TL0120",
    name: "wrong-tag",
    severity: Severity::Error,
    summary: "A tag does not fit its text",
    explanation: "`!!int`, `!!float`, `!!bool`, `!!null` and `!!timestamp` demand a text that can be read as such, and `!!binary` demands base64. Correct the text, or remove the tag.",
    wrong: "replicas: !!int many\n",
    right: "replicas: !!int 3\n",
};

/// A merge key has a value that is not a map.
pub static MERGE_NOT_MAP: Code = Code {
    id: "TL0121",
    name: "merge-not-map",
    severity: Severity::Error,
    summary: "A merge key has a value that is not a map",
    explanation: "`<<` takes the entries of another map: its value is an alias of a map, a map, or a list of those. Put quotes around `<<` if it is an ordinary key.",
    wrong: "a:\n  <<: 1\n",
    right: "base: &base {x: 1}\na:\n  <<: *base\n",
};

/// A list or map is used as a key.
pub static KEY_NOT_SCALAR: Code = Code {
    id: "TL0122",
    name: "key-not-scalar",
    severity: Severity::Error,
    summary: "A list or map is used as a key",
    explanation: "The keys of a map are texts. An opening brace or bracket where a key is expected is often a template that was not rendered: `{{ .Values.name }}` without quotes reads as a map inside a map.",
    wrong: "? [a, b]\n: 1\n",
    right: "a: 1\nb: 1\n",
};

/// A key cannot be a key of a JSON object.
pub static KEY_NOT_JSON: Code = Code {
    id: "TL0123",
    name: "key-not-json",
    severity: Severity::Error,
    summary: "A key cannot be a key of a JSON object",
    explanation: "Kubernetes tools turn YAML into JSON. There, an empty key (`:` without anything before it, `~` or `null`) and integers from 2⁶³ on cannot be keys. Put the key in quotes.",
    wrong: "~: 1\n",
    right: "\"~\": 1\n",
};

/// A number has no place in JSON.
pub static NUMBER_NOT_JSON: Code = Code {
    id: "TL0124",
    name: "number-not-json",
    severity: Severity::Error,
    summary: "A number has no place in JSON",
    explanation: "Kubernetes tools turn YAML into JSON, which has no infinity and nothing for `.nan`. Put it in quotes, or write a number.",
    wrong: "limit: .inf\n",
    right: "limit: 1000\n",
};

/// Lists and maps are nested too deeply.
pub static TOO_DEEP: Code = Code {
    id: "TL0125",
    name: "too-deep",
    severity: Severity::Error,
    summary: "Lists and maps are nested too deeply",
    explanation: "Real configuration stays below fifty levels. Nesting without end is a mistake of whatever wrote the file, or an attack on whatever reads it.",
    wrong: "",
    right: "",
};

/// The text is too large.
pub static TOO_LARGE: Code = Code {
    id: "TL0126",
    name: "too-large",
    severity: Severity::Error,
    summary: "The text is too large",
    explanation: "Files are limited to 64 MiB, 200,000 documents and 5 million keys, values and comments, so no input can use up all memory. Split the file, or keep large data out of the configuration.",
    wrong: "",
    right: "",
};

/// Aliases repeat too much.
pub static TOO_MANY_ALIASES: Code = Code {
    id: "TL0127",
    name: "too-many-aliases",
    severity: Severity::Error,
    summary: "Aliases repeat too much",
    explanation: "An alias of a value that itself holds aliases can make a small file stand for billions of values. go-yaml refuses a document of which nearly everything comes from aliases, and so does every tool built on it.",
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
