//! The codes of values that nothing reads, or that nothing sets.

use trueline_diagnostic::{Code, Severity};

/// A value that nothing reads.
pub static UNUSED_VALUE: Code = Code {
    id: "TL0680",
    name: "unused-value",
    severity: Severity::Warning,
    summary: "A value is set, and no template and no schema reads it",
    explanation: "Helm accepts any value and does not report unused ones. Usually the name is misspelt, is at the wrong depth, or belongs to another version of the chart.\n\nTemplates are analysed without running them: each use of `.Values` is followed through variables, `with`, `range`, `include`, `tpl` and the maps that are passed on. If a template uses a whole map, everything in it counts as read. A value in the chart's own values.yaml is only noted, because it does no harm.",
    wrong: "# The chart reads `image.tag`.\nimageTag: \"1.2\"\n",
    right: "image:\n  tag: \"1.2\"\n",
};

/// A value that nothing reads, with a name near to one that is.
pub static MISSPELT_VALUE: Code = Code {
    id: "TL0681",
    name: "misspelt-value",
    severity: Severity::Warning,
    summary: "A value is set that nothing reads, and templates read one of nearly the same name",
    explanation: "Helm accepts any value and does not report unused ones, so after a typing mistake the default stays in place. Names are case-sensitive.",
    wrong: "replicacount: 3\n",
    right: "replicaCount: 3\n",
};

/// A read of a field of a value that is not set.
pub static UNDEFINED_OWNER: Code = Code {
    id: "TL0682",
    name: "field-of-undefined-value",
    severity: Severity::Warning,
    summary: "A template reads a field of a value that nothing sets",
    explanation: "A value that is not set is nil, and reading a field of nil stops the rendering: `nil pointer evaluating interface {}.create`. Nothing sets this value: not the chart's values.yaml, and no file or flag that was given; and no condition around the read checks for it first.\n\nThe read may be in a branch that the given values do not take. Then the rendering fails only for users who set other values.",
    wrong: "# values.yaml does not name serviceAccount.\n{{ if .Values.serviceAccount.create }}\n",
    right: "# values.yaml\nserviceAccount:\n  create: true\n",
};

/// A value that is printed and not set.
pub static UNDEFINED_VALUE: Code = Code {
    id: "TL0683",
    name: "undefined-value",
    severity: Severity::Note,
    summary: "A template prints a value that nothing sets",
    explanation: "A value that is not set prints nothing, so a field of the rendered object is left empty. Nothing sets this value, and no condition or default checks for it. If users have to set it, use `required`; otherwise list it in values.yaml, where users look for it.",
    wrong: "port: {{ .Values.service.port }}\n",
    right: "port: {{ .Values.service.port | default 80 }}\n",
};

/// A value that is read and not set, with a name near to one that is set and not read.
pub static MISSPELT_READ: Code = Code {
    id: "TL0684",
    name: "misspelt-read",
    severity: Severity::Warning,
    summary: "A template reads a value that nothing sets, and a value of nearly the same name is set and not read",
    explanation: "One of the two names is a typing mistake. Names are case-sensitive.",
    wrong: "# values.yaml has replicaCount.\nreplicas: {{ .Values.replicacount }}\n",
    right: "replicas: {{ .Values.replicaCount }}\n",
};

/// A value of another kind than the default that it replaces.
pub static SHADOWED_VALUE: Code = Code {
    id: "TL0685",
    name: "shadowed-value",
    severity: Severity::Warning,
    summary: "A map of values is replaced by a plain value, or the other way round",
    explanation: "Maps are merged; anything else replaces what was there. A string or a list in place of a map removes everything that the chart has below it, and templates that read a field of it fail: `can't evaluate field`. Helm only prints a warning.\n\nThis is not reported if a template checks the type of the value, or if the default is empty.",
    wrong: "# The chart has image.repository and image.tag.\nimage: nginx:1.27\n",
    right: "image:\n  repository: nginx\n  tag: \"1.27\"\n",
};

/// A field that `.Chart`, `.Release` and the like do not have.
pub static UNKNOWN_FIELD: Code = Code {
    id: "TL0686",
    name: "unknown-builtin-field",
    severity: Severity::Warning,
    summary: "A template reads a field that `.Chart`, `.Release`, `.Capabilities` or `.Template` does not have",
    explanation: "Helm passes these to every template, and their fields are the same for every chart; names are case-sensitive. `.Chart`, `.Release` and `.Template` are maps: a field that does not exist is silently empty. Helm 3 stops at an unknown field of `.Chart`, and every version stops at one of `.Capabilities`.\n\nIf the rendered object is invalid because of it, or the rendering stops, this is an error.",
    wrong: "metadata:\n  namespace: {{ .Release.Namesapce }}\n",
    right: "metadata:\n  namespace: {{ .Release.Namespace }}\n",
};

/// A namespace that is written into a template.
pub static FIXED_NAMESPACE: Code = Code {
    id: "TL0550",
    name: "fixed-namespace",
    severity: Severity::Warning,
    summary: "A namespace is written into a template",
    explanation: "The object goes to that namespace whatever `--namespace` says, so the chart can be installed only once, and its parts may not find each other. Namespaces that every cluster has, such as `kube-system`, are not reported: some objects must be in them.",
    wrong: "metadata:\n  name: web\n  namespace: production\n",
    right: "metadata:\n  name: web\n  namespace: {{ .Release.Namespace }}\n",
};

/// A branch that no values reached.
pub static BRANCH_NOT_REACHED: Code = Code {
    id: "TL0551",
    name: "branch-not-reached",
    severity: Severity::Note,
    summary: "None of the given values reach a branch of a template",
    explanation: "With `--coverage`, all renderings of a run are taken together: those with the chart's own values, with the files in `ci/`, and with the values that were given. None of them executed this branch, so it was not checked. Branches inside it are not reported separately.",
    wrong: "",
    right: "",
};

/// How much of the templates was reached.
pub static COVERAGE: Code = Code {
    id: "TL0552",
    name: "template-coverage",
    severity: Severity::Note,
    summary: "How many branches of the templates were reached",
    explanation: "With `--coverage`: how many branches of the chart's own templates (each `if`, `with` and `range`, and each `else`) were executed by at least one rendering of the run. The others are reported one by one.",
    wrong: "",
    right: "",
};

/// The codes of this module.
pub const USAGE_CODES: &[&Code] = &[
    &UNUSED_VALUE,
    &MISSPELT_VALUE,
    &UNDEFINED_OWNER,
    &UNDEFINED_VALUE,
    &MISSPELT_READ,
    &SHADOWED_VALUE,
    &UNKNOWN_FIELD,
    &FIXED_NAMESPACE,
    &BRANCH_NOT_REACHED,
    &COVERAGE,
];
