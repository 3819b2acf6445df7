//! What a chart as a whole can be found wrong with: what `explain` prints about it.

use trueline_diagnostic::{Code, Severity};

/// A dependency is listed and not there.
pub(super) static MISSING_DEPENDENCY: Code = Code {
    id: "TL0430",
    name: "missing-dependency",
    severity: Severity::Error,
    summary: "A dependency of Chart.yaml is not in charts/",
    explanation: "Helm renders nothing as long as a chart that Chart.yaml lists is not in the directory `charts/`, \
                  unpacked or as an archive. Its templates and default values are part of the result, so that nothing \
                  can be said about the rendered objects without it: only what the files of the chart say by \
                  themselves was checked.",
    wrong: "",
    right: "",
};

/// The chart is not made for this version of Kubernetes.
pub(super) static KUBE_VERSION: Code = Code {
    id: "TL0431",
    name: "chart-kube-version",
    severity: Severity::Error,
    summary: "A chart is not made for this version of Kubernetes",
    explanation: "`kubeVersion` in Chart.yaml says which versions of Kubernetes a chart is for, and Helm renders \
                  nothing for another. `--kube-version` says which version the check is made for. A version with \
                  something after its numbers, such as `1.30.1-gke.5`, comes before `1.30.1` for most constraints: \
                  write `>=1.30.0-0` to allow it.",
    wrong: "kubeVersion: \"<1.20.0\"\n",
    right: "kubeVersion: \">=1.20.0-0\"\n",
};

/// A rendered document cannot be read.
pub(super) static UNREADABLE_RENDERED: Code = Code {
    id: "TL0432",
    name: "rendered-not-text",
    severity: Severity::Error,
    summary: "A template writes bytes that are not UTF-8 text",
    explanation: "What a template writes is read as YAML, which is UTF-8 text. Bytes of a file that is no text have to \
                  be encoded, such as with `b64enc` in the `binaryData` of a ConfigMap.",
    wrong: "",
    right: "",
};

/// A rendered document is no map.
pub(super) static NOT_AN_OBJECT: Code = Code {
    id: "TL0433",
    name: "not-an-object",
    severity: Severity::Error,
    summary: "A template writes something that is not an object",
    explanation: "Each document that a template writes has to be a Kubernetes object: a map with `apiVersion` and \
                  `kind`. Often the name of a helper file lacks the `_` at its beginning that keeps it from being \
                  rendered, or an `include` has lost the key before it.",
    wrong: "- name: web\n",
    right: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n",
};

/// A rendered object has no apiVersion or kind.
pub(super) static NO_TYPE: Code = Code {
    id: "TL0434",
    name: "no-kind",
    severity: Severity::Error,
    summary: "A rendered object has no `apiVersion` or no `kind`",
    explanation: "Without `apiVersion` and `kind` nobody knows what an object is, and a cluster refuses it. Where the \
                  template does write them, look for a condition that leaves them out but not what follows, or for a \
                  `---` in the middle of an object.",
    wrong: "metadata:\n  name: web\n",
    right: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n",
};

/// The head of an object is not what it has to be.
pub(super) static WRONG_HEAD: Code = Code {
    id: "TL0439",
    name: "wrong-head",
    severity: Severity::Error,
    summary: "A field that every object has is of another kind than it has to be",
    explanation: "`apiVersion`, `kind` and `metadata.name` are text, and annotations are a map of texts. Helm reads \
                  them of every object, and stops at one where they are something else. Numbers, `true` and `false` \
                  become text in quotes: `{{ .Values.port | quote }}`.",
    wrong: "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    port: 80\n",
    right: "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    port: \"80\"\n",
};

/// A file of custom resource definitions is written as a template.
pub(super) static TEMPLATED_CRD: Code = Code {
    id: "TL0435",
    name: "templated-crd",
    severity: Severity::Error,
    summary: "A file in crds/ is written as a template",
    explanation: "Helm installs the files in `crds/` as they stand, before anything else, and runs no template in \
                  them: `{{ … }}` stays in the text. Move a definition that depends on values to `templates/`; it is \
                  then upgraded and deleted with the release. In comments and in a `description` such braces are only words, \
                  and said as a note.",
    wrong: "metadata:\n  name: backups.example.com\n  labels: {release: \"{{ .Release.Name }}\"}\n",
    right: "metadata:\n  name: backups.example.com\n  labels: {app: backup}\n",
};

/// Lines are indented in several ways.
pub(super) static MIXED_INDENTATION: Code = Code {
    id: "TL0436",
    name: "mixed-indentation",
    severity: Severity::Note,
    summary: "The maps of a file are indented by different numbers of spaces",
    explanation: "YAML allows it, and so does Helm. But linters that are run on charts, such as yamllint, refuse it, and \
                  a line that is indented as somewhere else in the file easily ends up in another map than the one that \
                  was meant. Only the first such place of a file is named.",
    wrong: "image:\n   tag: \"1\"\nservice:\n  port: 80\n",
    right: "image:\n  tag: \"1\"\nservice:\n  port: 80\n",
};

/// No file matches `--values-matrix`.
pub(super) static EMPTY_MATRIX: Code = Code {
    id: "TL0437",
    name: "empty-values-matrix",
    severity: Severity::Error,
    summary: "No file of the chart matches `--values-matrix`",
    explanation: "`--values-matrix` takes a pattern for files of values, seen from the chart's own directory, such as \
                  `ci/*.yaml`, and renders the chart once with each of them. None matched, so the chart was not \
                  rendered at all; where another chart of the run has such files, it is only skipped. Put the pattern in quotes, or the shell replaces it by files of the working \
                  directory.",
    wrong: "",
    right: "",
};

/// Rendering ended without a finding of its own.
pub(super) static NOT_RENDERED: Code = Code {
    id: "TL0438",
    name: "not-rendered",
    severity: Severity::Error,
    summary: "A chart could not be rendered",
    explanation: "Rendering ended for a reason that has no place in the chart, which the message names.",
    wrong: "",
    right: "",
};

/// What `helm lint` says of Chart.yaml.
pub(super) static CHART_LINT: Code = Code {
    id: "TL0440",
    name: "chart-lint",
    severity: Severity::Warning,
    summary: "Chart.yaml does not keep a rule of `helm lint`",
    explanation: "Helm renders the chart all the same. The rules are those of `helm lint`, with its words: an icon is \
                  recommended (a note); unknown fields and versions that are only nearly semantic are warnings, and so \
                  are subcharts that `dependencies` does not name; addresses that are none, and fields that belong to \
                  another apiVersion, are errors.",
    wrong: "apiVersion: v2\nname: web\nversion: \"1.2\"\n",
    right: "apiVersion: v2\nname: web\nversion: 1.2.0\nicon: https://example.com/web.svg\n",
};

/// A subchart of another version than Chart.yaml asks for.
pub(super) static OTHER_VERSION: Code = Code {
    id: "TL0441",
    name: "other-dependency-version",
    severity: Severity::Note,
    summary: "A subchart has a version that Chart.yaml does not allow",
    explanation: "Chart.yaml says which versions of a dependency it allows, and the chart in `charts/` has another one. \
                  Helm renders the subchart all the same, in the version that is there, and says nothing; `helm \
                  dependency list` shows it as `wrong version`, and `helm dependency update` replaces it by a version \
                  that is allowed.\n\nAn `alias` has no effect then: Helm renders the subchart under its own name, so \
                  values below the alias do not reach it. This is a warning.",
    wrong: "dependencies:\n  - name: redis\n    version: ^2.0.0   # charts/redis is 1.4.0\n",
    right: "dependencies:\n  - name: redis\n    version: ^1.0.0\n",
};

/// The lock file is not that of Chart.yaml.
pub(super) static STALE_LOCK: Code = Code {
    id: "TL0442",
    name: "stale-lock",
    severity: Severity::Warning,
    summary: "Chart.lock is out of date",
    explanation: "Chart.lock holds the versions that were chosen for the dependencies of Chart.yaml, and a sum over both. \
                  Somebody has changed the dependencies since, so that `helm dependency build` refuses the lock. \
                  `helm dependency update` chooses versions anew and writes the lock. Charts whose repositories are \
                  called by a name (`@name`) are not looked at: the sum is over addresses.",
    wrong: "",
    right: "",
};

/// A schema that is not part of the chart.
pub(super) static HIDDEN_SCHEMA: Code = Code {
    id: "TL0443",
    name: "hidden-schema",
    severity: Severity::Warning,
    summary: "`.helmignore` keeps a schema out of the chart",
    explanation: "What `.helmignore` matches is not part of the chart, neither when it is rendered from its directory \
                  nor when it is packed. A values.schema.json that is hidden this way checks nothing, and a hidden \
                  schema-dependencies.json, or a hidden file or folder that it names, leaves the references of the \
                  schema without their targets.",
    wrong: "*.json\n",
    right: "*.json\n!values.schema.json\n",
};

/// An import of values that imports nothing.
pub(super) static BROKEN_IMPORT: Code = Code {
    id: "TL0444",
    name: "broken-import",
    severity: Severity::Warning,
    summary: "An entry of `import-values` imports nothing",
    explanation: "`import-values` of a dependency takes maps of the subchart's values over into those of the chart: a \
                  name stands for a map below `exports`, and `child` and `parent` are paths in the two charts. Where \
                  there is no such map, Helm writes a warning into its log and renders without the values; an entry of \
                  another form is left out without a word. Only what the charts' own files say counts, not values that \
                  a user gives.",
    wrong: "dependencies:\n  - name: redis\n    version: 1.0.0\n    import-values: [conection]   # redis exports connection\n",
    right: "dependencies:\n  - name: redis\n    version: 1.0.0\n    import-values: [connection]\n",
};

/// A directory is not called as the chart in it.
pub(super) static DIRECTORY_NAME: Code = Code {
    id: "TL0422",
    name: "chart-directory-name",
    severity: Severity::Note,
    summary: "The directory of a chart is not named after the chart",
    explanation: "By convention a chart is in a directory of its own name, without the version: people look for it \
                  there, and `helm pull --untar` unpacks it there. Helm renders the chart either way: only the name in \
                  Chart.yaml counts.",
    wrong: "# frontend/Chart.yaml\nname: web\n",
    right: "# web/Chart.yaml\nname: web\n",
};

/// A chart is marked as deprecated.
pub(super) static DEPRECATED_CHART: Code = Code {
    id: "TL0423",
    name: "deprecated-chart",
    severity: Severity::Note,
    summary: "A chart, or a chart that it depends on, is deprecated",
    explanation: "`deprecated: true` in Chart.yaml says that nobody maintains the chart any more. Helm warns whoever \
                  installs it. For the chart itself this is a note. For a dependency it is a warning: the releases \
                  that depend on it get no fixes any more, and the dependency should be replaced.",
    wrong: "apiVersion: v2\nname: web\nversion: 1.0.0\ndeprecated: true\n",
    right: "apiVersion: v2\nname: web\nversion: 1.0.0\n",
};

/// A condition or a tag that is not a boolean.
pub(super) static CONDITION: Code = Code {
    id: "TL0424",
    name: "condition-without-effect",
    severity: Severity::Warning,
    summary: "A condition or tag of a dependency has no effect",
    explanation: "`condition` names values that enable or disable a dependency, and `tags` names keys below `tags` in the \
                  values. Only `true` and `false` count. Helm ignores anything else, such as the string \"false\" or a \
                  map, so the subchart is rendered although it was meant to be disabled.\n\nSeveral paths of a \
                  condition are separated by commas without spaces: Helm takes a space for a part of the first key, \
                  which then does not exist.\n\nA condition that nothing sets has no effect either. It is reported if \
                  the chart has `NAME.enabled` for the dependency, which the condition does not name.",
    wrong: "# Chart.yaml: condition: redis.enabled\nredis:\n  enabled: \"false\"\n",
    right: "redis:\n  enabled: false\n",
};

/// `enabled` in an entry of `dependencies`.
pub(super) static DEPENDENCY_ENABLED: Code = Code {
    id: "TL0425",
    name: "dependency-enabled",
    severity: Severity::Warning,
    summary: "`enabled` of a dependency has no effect",
    explanation: "Helm reads the field `enabled` of a dependency in Chart.yaml and then sets it itself, from \
                  `condition` and `tags`. `enabled: false` does not disable the dependency. Use a `condition`, and \
                  set the value that it names to `false`. `enabled: true` is a note.",
    wrong: "dependencies:\n  - name: redis\n    version: 1.x\n    enabled: false\n",
    right: "dependencies:\n  - name: redis\n    version: 1.x\n    condition: redis.enabled\n",
};

/// A chart, or a chart with some values, that was not rendered because others took all the work that may be done.
pub(super) static TOO_MUCH_WORK: Code = Code {
    id: "TL0571",
    name: "too-much-work",
    severity: Severity::Error,
    summary: "A chart is not rendered because what came before it took too much work",
    explanation: "All sets of values of a chart share one limit on the work that its templates do, and all charts of a \
                  run share another. Real charts take a small part of either, and a large chart may take more than a \
                  small one. A chart that loops millions of times, or makes many keys and passwords, and does so again \
                  for each file in `ci/`, would otherwise keep a check busy for hours.\n\nThe charts and values that \
                  come first in the order of their names are checked. Look at what their templates do so often, or \
                  check the others in a run of their own.",
    wrong: "",
    right: "",
};

/// A block is not indented as the lines around it.
pub(super) static WRONG_INDENTATION: Code = Code {
    id: "TL0560",
    name: "wrong-indentation",
    severity: Severity::Error,
    summary: "An action prints a block that is not indented as the lines around it",
    explanation: "`toYaml` and `include` print several lines, and what is before the action on its line indents only \
                  the first of them. `nindent N` starts a new line and indents every line by N spaces: use it with \
                  `{{-`, and with the number of spaces that the block needs below its key. The number that is \
                  suggested is one with which the rendered text can be read.",
    wrong: "resources:\n  {{ toYaml .Values.resources }}\n",
    right: "resources:\n  {{- toYaml .Values.resources | nindent 2 }}\n",
};

/// Go's mark of a value that a format does not fit.
pub(super) static BAD_VERB: Code = Code {
    id: "TL0561",
    name: "bad-verb",
    severity: Severity::Error,
    summary: "A format of `printf` does not fit its value",
    explanation: "Where a verb of `printf` does not fit a value, Go writes a mark such as `%!s(float64=1.1)` instead of \
                  failing, and so do `%!d(string=…)`, `%!s(<nil>)`, `%!s(MISSING)` and `%!(EXTRA …)`. The mark ends up \
                  in the object. Numbers in values are not strings: quote the value, or print it with `%v`.",
    wrong: "# values.yaml\ntag: 1.10\n# template\nimage: {{ printf \"nginx:%s\" .Values.tag }}\n",
    right: "# values.yaml\ntag: \"1.10\"\n# template\nimage: {{ printf \"nginx:%s\" .Values.tag }}\n",
};

/// A map printed as Go prints it.
pub(super) static GO_MAP: Code = Code {
    id: "TL0562",
    name: "printed-map",
    severity: Severity::Error,
    summary: "A map is printed in Go's own notation",
    explanation: "An action that prints a map writes `map[key:value]`, which is not YAML: it becomes a string. Print \
                  maps with `toYaml` and `nindent`, or with `toJson` where a string is wanted, or print one of the \
                  map's fields.",
    wrong: "nodeSelector: {{ .Values.nodeSelector }}\n",
    right: "nodeSelector:\n  {{- toYaml .Values.nodeSelector | nindent 2 }}\n",
};

/// A string that spells `false` and counts as true.
pub(super) static STRING_FOR_BOOLEAN: Code = Code {
    id: "TL0661",
    name: "string-for-boolean",
    severity: Severity::Warning,
    summary: "A string such as \"false\" is given where the chart has a boolean, and counts as true",
    explanation: "In `if` and `with` every string that is not empty counts as true, also \"false\". The chart's own value is \
                  a boolean, and what is rendered is not the same with the string as with `false`.",
    wrong: "# The chart has metrics.enabled: false.\nmetrics:\n  enabled: \"false\"\n",
    right: "metrics:\n  enabled: false\n",
};

/// A value is printed otherwise than it was typed.
pub(super) static PRINTED_OTHERWISE: Code = Code {
    id: "TL0660",
    name: "printed-otherwise",
    severity: Severity::Warning,
    summary: "A value is printed differently from what was typed",
    explanation: "Helm reads a value that looks like a number or a boolean as one, and prints it in its own way: `1.10` \
                  becomes `1.1`, `1000000` becomes `1e+06`, `0755` becomes `493`, `yes` becomes `true`. Where the \
                  text matters, because it becomes a part of a string, such as the tag of an image, quote the value. \
                  A number that stays the same number in the rendered object is not reported.",
    wrong: "tag: 1.10\n",
    right: "tag: \"1.10\"\n",
};

/// The codes of this module.
pub(crate) const CODES: &[&Code] = &[
    &MISSING_DEPENDENCY,
    &KUBE_VERSION,
    &UNREADABLE_RENDERED,
    &NOT_AN_OBJECT,
    &NO_TYPE,
    &WRONG_HEAD,
    &TEMPLATED_CRD,
    &MIXED_INDENTATION,
    &EMPTY_MATRIX,
    &NOT_RENDERED,
    &CHART_LINT,
    &OTHER_VERSION,
    &STALE_LOCK,
    &HIDDEN_SCHEMA,
    &BROKEN_IMPORT,
    &WRONG_INDENTATION,
    &BAD_VERB,
    &GO_MAP,
    &PRINTED_OTHERWISE,
    &STRING_FOR_BOOLEAN,
    &DIRECTORY_NAME,
    &DEPRECATED_CHART,
    &CONDITION,
    &DEPENDENCY_ENABLED,
    &TOO_MUCH_WORK,
];
