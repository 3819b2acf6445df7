//! What ytt files can be found wrong with: what `explain` prints about it.

use trueline_diagnostic::{Code, Severity};

/// YAML that ytt refuses and the reader of other files does not.
pub(super) static YAML: Code = Code {
    id: "TL1001",
    name: "ytt-yaml",
    severity: Severity::Error,
    summary: "A ytt file or data value is not YAML that ytt can read",
    explanation: "ytt reads YAML with a few rules of its own, such as strict types under `--strict`. Nothing of the \
                  folder is rendered until the file can be read.",
    wrong: "",
    right: "",
};

/// A comment or code that is not written as templates are.
pub(super) static SYNTAX: Code = Code {
    id: "TL1002",
    name: "ytt-syntax",
    severity: Severity::Error,
    summary: "A ytt template is not written correctly",
    explanation: "In a ytt template every comment begins with `#@` (code) or `#!` (a comment), a value is either YAML \
                  or code, and each `if`, `for` and `def` is closed with `end`. The code itself is Starlark.",
    wrong: "# the port\nport: #@ data.values.port\n",
    right: "#! the port\nport: #@ data.values.port\n",
};

/// Code of a template fails when it is run.
pub(super) static TEMPLATE: Code = Code {
    id: "TL1003",
    name: "ytt-template-error",
    severity: Severity::Error,
    summary: "The code of a ytt template fails",
    explanation: "The finding points at the innermost line of the code that failed; the calls that led there are listed \
                  below it. Where the code stops on purpose (`assert.fail`), the message is the author's.",
    wrong: "port: #@ data.values.prot\n",
    right: "port: #@ data.values.port\n",
};

/// A data value does not have the type that the schema declares.
pub(super) static DATA_VALUE: Code = Code {
    id: "TL1004",
    name: "ytt-data-value",
    severity: Severity::Error,
    summary: "A data value does not fit the schema",
    explanation: "A `#@data/values-schema` document declares every data value by an example: its keys are the only keys, \
                  and each value has to have the type of the example. `#@schema/nullable` and `#@schema/type any=True` \
                  allow more.",
    wrong: "#@data/values\n---\nport: eighty\n",
    right: "#@data/values\n---\nport: 80\n",
};

/// The schema itself is wrong.
pub(super) static SCHEMA: Code = Code {
    id: "TL1005",
    name: "ytt-schema",
    severity: Severity::Error,
    summary: "A schema of data values is not valid",
    explanation: "A list in a schema has exactly one item, which stands for all; null needs `#@schema/nullable` or \
                  `#@schema/type any=True`, because it has no type; and each `#@schema/` annotation takes the arguments \
                  that ytt documents.",
    wrong: "#@data/values-schema\n---\nhosts: []\n",
    right: "#@data/values-schema\n---\nhosts:\n- \"\"\n",
};

/// An overlay cannot be applied.
pub(super) static OVERLAY: Code = Code {
    id: "TL1006",
    name: "ytt-overlay",
    severity: Severity::Error,
    summary: "An overlay cannot be applied",
    explanation: "An overlay has to match exactly one node unless `#@overlay/match` says otherwise with `expects=` or \
                  `missing_ok=True`, and a map is only merged into a map, a list into a list.",
    wrong: "#@overlay/match by=overlay.subset({\"kind\": \"Deploymet\"})\n---\n",
    right: "#@overlay/match by=overlay.subset({\"kind\": \"Deployment\"})\n---\n",
};

/// A file cannot be used.
pub(super) static FILE: Code = Code {
    id: "TL1007",
    name: "ytt-file",
    severity: Severity::Error,
    summary: "A file that a ytt folder or a flag names cannot be used",
    explanation: "A file that is loaded or named with `--data-values-file` does not exist, cannot be read, or is not of a \
                  type that can be used there.",
    wrong: "",
    right: "",
};

/// A flag cannot be used.
pub(super) static FLAG: Code = Code {
    id: "TL1008",
    name: "ytt-flag",
    severity: Severity::Error,
    summary: "A flag that sets data values cannot be used",
    explanation: "`--data-value` and `--data-value-yaml` take `KEY=VALUE`, with `.` between the parts of the key and \
                  `@LIBRARY:` before it for the data values of a library.",
    wrong: "",
    right: "",
};

/// A data value breaks a rule.
pub(super) static VALIDATION: Code = Code {
    id: "TL1009",
    name: "ytt-validation",
    severity: Severity::Error,
    summary: "A data value or an output document breaks a validation rule",
    explanation: "`#@schema/validation` and `#@assert/validate` attach rules to data values and to output documents. The \
                  finding points at the value where it was typed, and at the rule.",
    wrong: "#@data/values-schema\n---\n#@schema/validation min=1, max=65535\nport: 0\n",
    right: "#@data/values-schema\n---\n#@schema/validation min=1, max=65535\nport: 8080\n",
};

/// A run would cost too much.
pub(super) static LIMIT: Code = Code {
    id: "TL1010",
    name: "ytt-limit",
    severity: Severity::Error,
    summary: "Rendering a ytt folder would cost too much",
    explanation: "Programs in templates may take a certain number of steps, memory and nesting, so a folder from a \
                  stranger cannot stop the check. Look for a loop or a recursion that does not end.",
    wrong: "",
    right: "",
};

/// Anything else that stops ytt.
pub(super) static FAILED: Code = Code {
    id: "TL1011",
    name: "ytt-failed",
    severity: Severity::Error,
    summary: "A ytt folder cannot be rendered",
    explanation: "ytt stops before it has rendered anything. The message says why.",
    wrong: "",
    right: "",
};

/// An annotation that ytt does not know, under a name that is ytt's.
pub(super) static ANNOTATION: Code = Code {
    id: "TL1012",
    name: "ytt-annotation",
    severity: Severity::Warning,
    summary: "An annotation is not one of ytt's, and has no effect",
    explanation: "ytt takes annotations of any name and passes over those that it does not know, so a misspelt one \
                  silently does nothing. Names that begin with `schema/`, `overlay/`, `data/`, `assert/`, `library/`, \
                  `template/` and `yaml/` are ytt's own.",
    wrong: "#@schema/nulable\ntls_secret: \"\"\n",
    right: "#@schema/nullable\ntls_secret: \"\"\n",
};

/// A flag for charts in a run that has ytt folders and no chart.
pub(super) static CHART_VALUES: Code = Code {
    id: "TL1013",
    name: "ytt-chart-values",
    severity: Severity::Warning,
    summary: "A flag that sets values of charts has no effect on ytt folders",
    explanation: "`-f` and `--set` give values to Helm charts. Data values of ytt folders are given with \
                  `--data-values-file`, `--data-value`, `--data-value-yaml`, `--data-value-file`, `--data-values-env` \
                  and `--data-values-env-yaml`.",
    wrong: "",
    right: "",
};

/// The codes of this area.
pub(crate) const CODES: &[&Code] = &[
    &YAML,
    &SYNTAX,
    &TEMPLATE,
    &DATA_VALUE,
    &SCHEMA,
    &OVERLAY,
    &FILE,
    &FLAG,
    &VALIDATION,
    &LIMIT,
    &FAILED,
    &ANNOTATION,
    &CHART_VALUES,
];
