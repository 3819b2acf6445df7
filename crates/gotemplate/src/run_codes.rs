//! The codes of errors while templates run, with the text that `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// A field of nil was read.
pub static FIELD_OF_NOTHING: Code = Code {
    id: "TL0530",
    name: "field-of-nothing",
    severity: Severity::Error,
    summary: "A field is read from a value that is not set",
    explanation: "A key that is not set is null, and reading it is allowed; reading a field of null is not. So \
                  `.Values.image.tag` stops rendering if `image` is not set, however the tag is used. Helm reports \
                  `nil pointer evaluating interface {}.tag`.\n\nSet the value, or guard it: with `with` or `if` \
                  around it, or with parentheses, `(.Values.image).tag`, which is empty if `image` is not set.",
    wrong: "image: {{ .Values.image.tag }}\n",
    right: "image: {{ with .Values.image }}{{ .tag }}{{ end }}\n",
};

/// A value has no such field.
pub static NO_SUCH_FIELD: Code = Code {
    id: "TL0531",
    name: "no-such-field",
    severity: Severity::Error,
    summary: "A value has no such field",
    explanation: "Only maps and built-in objects have fields. A string, a number or a list has none: the path in \
                  the template is one step too long, or the value is not the map that the template expects.\n\nFor \
                  an item of a list use `index .Values.list 0` or `range`.",
    wrong: "name: {{ .Values.name.first }}\n",
    right: "name: {{ .Values.name }}\n",
};

/// A map has no such key, and missing keys are errors.
pub static NO_SUCH_KEY: Code = Code {
    id: "TL0532",
    name: "no-such-key",
    severity: Severity::Error,
    summary: "A map has no such key, and missing keys are errors here",
    explanation: "With this setting every key that a template reads must exist. Set it, or test for it with `if` \
                  or `index` first.",
    wrong: "",
    right: "",
};

/// A function was called with too many or too few arguments.
pub static ARGUMENT_COUNT: Code = Code {
    id: "TL0533",
    name: "argument-count",
    severity: Severity::Error,
    summary: "A function gets too many or too few arguments",
    explanation: "A value that comes through `|` is the last argument and counts as one. An argument that is \
                  itself a call needs parentheses, otherwise its own arguments count as further ones: `quote \
                  (printf \"%s\" .name)`.",
    wrong: "length: {{ len .Values.name .Values.port }}\n",
    right: "length: {{ len .Values.name }}\n",
};

/// An argument has the wrong type.
pub static ARGUMENT_TYPE: Code = Code {
    id: "TL0534",
    name: "argument-type",
    severity: Severity::Error,
    summary: "An argument of a function has the wrong type",
    explanation: "Functions do not convert their arguments: a number is not a string, and a value that is not set \
                  is neither. Fix the value (often it only needs quotes), put a `default` before it, or convert \
                  it: with `toString` or `printf \"%v\"` to a string, with `int` or `float64` to a number.",
    wrong: "port: {{ printf .Values.port }}\n",
    right: "port: {{ printf \"%v\" .Values.port }}\n",
};

/// Something that is not a function has arguments.
pub static NO_FUNCTION: Code = Code {
    id: "TL0535",
    name: "no-function",
    severity: Severity::Error,
    summary: "Something that is not a function has arguments",
    explanation: "The first word of an action, and of each part after a `|`, is called with the words after it as \
                  arguments. Only functions and methods take arguments. To join strings, use `printf`.",
    wrong: "name: {{ .Values.name \"-web\" }}\n",
    right: "name: {{ printf \"%s-web\" .Values.name }}\n",
};

/// `range` over something without items.
pub static NOT_ITERABLE: Code = Code {
    id: "TL0536",
    name: "not-iterable",
    severity: Severity::Error,
    summary: "`range` is used on something without items",
    explanation: "`range` works on lists, maps and integers. For templates a number from a values file is not an \
                  integer, even if it looks like one: convert it with `int`, as in `range until (int \
                  .Values.count)`. A string has no items; `splitList` splits it into a list.",
    wrong: "{{ range .Values.port }}x{{ end }}\n",
    right: "{{ range .Values.tags }}{{ . }}{{ end }}\n",
};

/// Two values that cannot be compared.
pub static COMPARISON: Code = Code {
    id: "TL0537",
    name: "comparison",
    severity: Severity::Error,
    summary: "Two values cannot be compared",
    explanation: "Only values of the same type can be compared, and maps and lists cannot be compared at all. \
                  Numbers from a values file are floating-point numbers, but `80` in a template is an integer, \
                  which is another type. Write `80.0`, or convert the value: `eq (int .Values.port) 80`.",
    wrong: "{{ if eq .Values.port 8080 }}yes{{ end }}\n",
    right: "{{ if eq .Values.port 8080.0 }}yes{{ end }}\n",
};

/// No template has this name.
pub static UNKNOWN_TEMPLATE: Code = Code {
    id: "TL0538",
    name: "unknown-template",
    severity: Severity::Error,
    summary: "No template has this name",
    explanation: "The name must be exactly that of a `define` in one of the files that are rendered together. \
                  Templates of a library chart are only available if the chart is listed in the dependencies and \
                  was downloaded.",
    wrong: "{{ define \"app.labels\" }}app: web{{ end }}{{ template \"labels\" . }}\n",
    right: "{{ define \"app.labels\" }}app: web{{ end }}{{ template \"app.labels\" . }}\n",
};

/// A constant is too large.
pub static NUMBER_TOO_LARGE: Code = Code {
    id: "TL0539",
    name: "number-too-large",
    severity: Severity::Error,
    summary: "A number in a template is too large",
    explanation: "Integers in templates have 64 bits with a sign. Put quotes around one that is only printed.",
    wrong: "id: {{ 18446744073709551615 }}\n",
    right: "id: {{ \"18446744073709551615\" }}\n",
};

/// A function failed.
pub static FUNCTION_FAILED: Code = Code {
    id: "TL0540",
    name: "function-failed",
    severity: Severity::Error,
    summary: "A function fails with these arguments",
    explanation: "The types of the arguments are right, but the function cannot do anything with these values: an \
                  index beyond the end of a list, a string that is not a version, a division by zero. The message \
                  is the function's own.",
    wrong: "first: {{ index .Values.tags 5 }}\n",
    right: "first: {{ index .Values.tags 0 }}\n",
};

/// Templates call each other endlessly.
pub static ENDLESS_TEMPLATES: Code = Code {
    id: "TL0541",
    name: "endless-templates",
    severity: Severity::Error,
    summary: "Templates call each other endlessly",
    explanation: "A template that includes itself, directly or through others, needs a condition under which it \
                  stops. The trace shows the cycle.",
    wrong: "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}\n",
    right: "{{ define \"a\" }}x{{ end }}{{ template \"a\" . }}\n",
};

/// A run took too long or wrote too much.
pub static RUN_LIMIT: Code = Code {
    id: "TL0542",
    name: "run-limit",
    severity: Severity::Error,
    summary: "The templates take too long or write too much",
    explanation: "A run is stopped when it takes far more steps, or writes far more bytes, than any real chart \
                  needs. Most often a `range` uses a number that is much larger than intended.",
    wrong: "",
    right: "",
};

/// A template cannot continue.
pub static TEMPLATE_STOPPED: Code = Code {
    id: "TL0543",
    name: "template-stopped",
    severity: Severity::Error,
    summary: "A template cannot be rendered",
    explanation: "The action is valid, but it has no meaning with these values. The message says why.",
    wrong: "value: {{ nil }}\n",
    right: "value: {{ \"\" }}\n",
};

/// A template stops the rendering on purpose.
pub static STOPPED_ON_PURPOSE: Code = Code {
    id: "TL0544",
    name: "stopped-on-purpose",
    severity: Severity::Error,
    summary: "A template stops the rendering on purpose",
    explanation: "The author of the template checks the values with `fail` or `required`, and wrote the message. \
                  Most often a value without a sensible default must be set.",
    wrong: "",
    right: "",
};
