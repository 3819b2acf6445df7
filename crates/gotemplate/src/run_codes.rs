//! The codes of what goes wrong while templates run: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// A field of nothing was asked for.
pub static FIELD_OF_NOTHING: Code = Code {
    id: "TL0530",
    name: "field-of-nothing",
    severity: Severity::Error,
    summary: "A field is read of a value that is not set",
    explanation: "A key that nobody set reads as nothing, and that is allowed; a field of nothing is not. So `.Values.image.tag` stops the rendering as soon as nobody set `image`, however the tag is handled further on. Helm's words for it are `nil pointer evaluating interface {}.tag`.\n\nSet the value, or guard it: with `with` or `if` around it, or with parentheses, `(.Values.image).tag`, which read nothing as nothing.",
    wrong: "image: {{ .Values.image.tag }}\n",
    right: "image: {{ with .Values.image }}{{ .tag }}{{ end }}\n",
};

/// A value has no such field.
pub static NO_SUCH_FIELD: Code = Code {
    id: "TL0531",
    name: "no-such-field",
    severity: Severity::Error,
    summary: "A value has no such field",
    explanation: "Only maps have fields with names, and objects have those that they were made with. A text, a number or a list has none: the path in the template is one step too long, or the value is not the map that the template expects.\n\nFor an item of a list use `index .Values.list 0` or `range`.",
    wrong: "name: {{ .Values.name.first }}\n",
    right: "name: {{ .Values.name }}\n",
};

/// A map has no such key, and missing keys are errors.
pub static NO_SUCH_KEY: Code = Code {
    id: "TL0532",
    name: "no-such-key",
    severity: Severity::Error,
    summary: "A map has no such key, and missing keys are errors here",
    explanation: "With this setting every key that a template reads has to be there. Set it, or ask with `if` or `index` first.",
    wrong: "",
    right: "",
};

/// A function was called with too many or too few arguments.
pub static ARGUMENT_COUNT: Code = Code {
    id: "TL0533",
    name: "argument-count",
    severity: Severity::Error,
    summary: "A function gets too many or too few arguments",
    explanation: "A value that comes through `|` is the last argument and counts as one. An argument that is itself a call needs parentheses, otherwise its own arguments are taken for further ones: `quote (printf \"%s\" .name)`.",
    wrong: "length: {{ len .Values.name .Values.port }}\n",
    right: "length: {{ len .Values.name }}\n",
};

/// An argument has another type than the function takes.
pub static ARGUMENT_TYPE: Code = Code {
    id: "TL0534",
    name: "argument-type",
    severity: Severity::Error,
    summary: "An argument has another type than the function takes",
    explanation: "Values are not converted on their way into a function: a number is no text, even if it looks like one, and a value that is not set is neither. Convert it, with `toString` or `printf \"%v\"` to text and with `int` or `float64` to a number, put a `default` before it, or fix the value.",
    wrong: "port: {{ printf .Values.port }}\n",
    right: "port: {{ printf \"%v\" .Values.port }}\n",
};

/// Something that is no function has arguments.
pub static NO_FUNCTION: Code = Code {
    id: "TL0535",
    name: "no-function",
    severity: Severity::Error,
    summary: "Something that is no function has arguments",
    explanation: "The first word of an action, and of each part after a `|`, is called with the words after it. Only functions and methods can be called; a value stands alone. To join texts, use `printf`.",
    wrong: "name: {{ .Values.name \"-web\" }}\n",
    right: "name: {{ printf \"%s-web\" .Values.name }}\n",
};

/// `range` over something that has no items.
pub static NOT_ITERABLE: Code = Code {
    id: "TL0536",
    name: "not-iterable",
    severity: Severity::Error,
    summary: "`range` goes through something that has no items",
    explanation: "`range` goes through lists, maps and integers. A number from a values file is not an integer for templates, even if it looks like one: convert it with `int`, as in `range until (int .Values.count)`. A text has no items; `splitList` makes a list of it.",
    wrong: "{{ range .Values.port }}x{{ end }}\n",
    right: "{{ range .Values.tags }}{{ . }}{{ end }}\n",
};

/// Two values that cannot be compared.
pub static COMPARISON: Code = Code {
    id: "TL0537",
    name: "comparison",
    severity: Severity::Error,
    summary: "Two values cannot be compared",
    explanation: "Only values of one kind can be compared, and maps and lists cannot at all. Numbers of a values file are floating-point numbers, and `80` in a template is a whole one: these are two kinds. Write `80.0`, or convert the value: `eq (int .Values.port) 80`.",
    wrong: "{{ if eq .Values.port 8080 }}yes{{ end }}\n",
    right: "{{ if eq .Values.port 8080.0 }}yes{{ end }}\n",
};

/// No template has this name.
pub static UNKNOWN_TEMPLATE: Code = Code {
    id: "TL0538",
    name: "unknown-template",
    severity: Severity::Error,
    summary: "No template has this name",
    explanation: "The name has to be that of a `define` in one of the files that are rendered together, letter for letter. Those of a library chart are only there if the chart is among the dependencies and was fetched.",
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

/// A function gave up.
pub static FUNCTION_FAILED: Code = Code {
    id: "TL0540",
    name: "function-failed",
    severity: Severity::Error,
    summary: "A function cannot work with its arguments",
    explanation: "The types of the arguments are right, but the function cannot do anything with these values: an index beyond the end of a list, a text that is no version, a division by zero. The message is the function's own.",
    wrong: "first: {{ index .Values.tags 5 }}\n",
    right: "first: {{ index .Values.tags 0 }}\n",
};

/// Templates call each other without end.
pub static ENDLESS_TEMPLATES: Code = Code {
    id: "TL0541",
    name: "endless-templates",
    severity: Severity::Error,
    summary: "Templates call each other without end",
    explanation: "A template that includes itself, directly or by way of others, needs a condition under which it stops. The trace shows the circle.",
    wrong: "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}\n",
    right: "{{ define \"a\" }}x{{ end }}{{ template \"a\" . }}\n",
};

/// A run took too long or wrote too much.
pub static RUN_LIMIT: Code = Code {
    id: "TL0542",
    name: "run-limit",
    severity: Severity::Error,
    summary: "The templates take too long or write too much",
    explanation: "A run is stopped when it has taken far more steps, or has written far more bytes, than any real chart needs. Most often a `range` goes through a number that is much larger than was meant.",
    wrong: "",
    right: "",
};

/// A template cannot go on.
pub static TEMPLATE_STOPPED: Code = Code {
    id: "TL0543",
    name: "template-stopped",
    severity: Severity::Error,
    summary: "A template cannot go on",
    explanation: "The action can be read, but there is nothing that it could mean with these values. The message says why.",
    wrong: "value: {{ nil }}\n",
    right: "value: {{ \"\" }}\n",
};

/// A template stops the rendering on purpose.
pub static STOPPED_ON_PURPOSE: Code = Code {
    id: "TL0544",
    name: "stopped-on-purpose",
    severity: Severity::Error,
    summary: "A template stops the rendering on purpose",
    explanation: "Whoever wrote the template checks the values with `fail` or `required`, and the message is theirs. Most often a value has to be set that has no sensible default.",
    wrong: "",
    right: "",
};
