//! The codes of loading: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// There is no Chart.yaml.
pub static NO_CHART_YAML: Code = Code {
    id: "TL0401",
    name: "no-chart-yaml",
    severity: Severity::Error,
    summary: "A chart has no Chart.yaml",
    explanation: "Chart.yaml is what makes a directory a chart: without it nothing else in there is read. It stands at the top of the chart, and its name is written exactly so.\n\nEach entry of `charts/` is a chart of its own, as a directory or as a `.tgz`; a file that is none, such as a README, must begin with `_` or `.`, or be left out with `.helmignore`. A Chart.yaml that `.helmignore` matches is not there either: a line that begins with `!` hides everything that it does not match.",
    wrong: "# charts/README.md beside charts/redis/\n",
    right: "# charts/_README.md beside charts/redis/\n",
};

/// A field of Chart.yaml, requirements.yaml or a lock file has the wrong type.
pub static WRONG_TYPE: Code = Code {
    id: "TL0402",
    name: "chart-field-type",
    severity: Severity::Error,
    summary: "A field of Chart.yaml has the wrong type",
    explanation: "Helm reads Chart.yaml, requirements.yaml and the lock files into fixed types. A number or `true` is accepted where a string is expected. A list or a map is not, and a single string is not accepted where a list of strings is expected.",
    wrong: "name: web\nkeywords: http\n",
    right: "name: web\nkeywords: [http]\n",
};

/// The apiVersion is not known.
pub static API_VERSION: Code = Code {
    id: "TL0403",
    name: "chart-api-version",
    severity: Severity::Error,
    summary: "The apiVersion of a chart is not known",
    explanation: "A chart's `apiVersion` is `v2`, or `v1` for charts from the time of Helm 2. Helm 4 refuses others; `v3` is an experiment that it does not render yet. It is not the version of the chart (`version`) nor that of what the chart installs (`appVersion`).",
    wrong: "apiVersion: apps/v1\nname: web\nversion: 1.0.0\n",
    right: "apiVersion: v2\nname: web\nversion: 1.0.0\n",
};

/// The name of a chart is missing or is a path.
pub static CHART_NAME: Code = Code {
    id: "TL0404",
    name: "chart-name",
    severity: Severity::Error,
    summary: "The name of a chart is missing or is a path",
    explanation: "The name of a chart is the name of its directory, in a repository and in its parent's `charts/`. It must not be empty, `.` or `..`, and must not contain `/`.",
    wrong: "apiVersion: v2\nname: team/web\nversion: 1.0.0\n",
    right: "apiVersion: v2\nname: web\nversion: 1.0.0\n",
};

/// The version of a chart is missing or is not a version.
pub static CHART_VERSION: Code = Code {
    id: "TL0405",
    name: "chart-version",
    severity: Severity::Error,
    summary: "The version of a chart is missing or is not a version",
    explanation: "`version` is a semantic version such as `1.2.3`, optionally followed by `-` with a pre-release and `+` with build metadata. A leading `v` and missing numbers are tolerated. The version of the software inside goes into `appVersion`, which may be any string.",
    wrong: "apiVersion: v2\nname: web\nversion: 1.2.3.4\n",
    right: "apiVersion: v2\nname: web\nversion: 1.2.3\nappVersion: 1.2.3.4\n",
};

/// The type of a chart is not known.
pub static CHART_TYPE: Code = Code {
    id: "TL0406",
    name: "chart-type",
    severity: Severity::Error,
    summary: "The type of a chart is not known",
    explanation: "`type` is `application` for a chart that can be installed, or `library` for one that only holds templates for others. Without it a chart is an application.",
    wrong: "type: service\n",
    right: "type: application\n",
};

/// An entry of `maintainers` is empty.
pub static EMPTY_MAINTAINER: Code = Code {
    id: "TL0407",
    name: "empty-maintainer",
    severity: Severity::Error,
    summary: "An entry of `maintainers` is empty",
    explanation: "Each maintainer is a map with `name` and, if known, `email` and `url`. A `-` with nothing after it is not one.",
    wrong: "maintainers:\n  -\n",
    right: "maintainers:\n  - name: Ada\n",
};

/// An entry of `dependencies` is empty.
pub static EMPTY_DEPENDENCY: Code = Code {
    id: "TL0408",
    name: "empty-dependency",
    severity: Severity::Error,
    summary: "An entry of `dependencies` is empty",
    explanation: "Each dependency is a map with `name`, `version` and `repository`. A `-` with nothing after it is not one.",
    wrong: "dependencies:\n  -\n",
    right: "dependencies:\n  - name: redis\n    version: 1.x\n    repository: https://charts.example.com\n",
};

/// An alias cannot be a key of values.
pub static DEPENDENCY_ALIAS: Code = Code {
    id: "TL0409",
    name: "dependency-alias",
    severity: Severity::Error,
    summary: "An alias has a character that it may not have",
    explanation: "The alias of a dependency is the key of its values, so it has only letters, digits, `_` and `-`.",
    wrong: "dependencies:\n  - name: redis\n    alias: my.cache\n",
    right: "dependencies:\n  - name: redis\n    alias: my-cache\n",
};

/// Two dependencies have one name.
pub static DUPLICATE_DEPENDENCY: Code = Code {
    id: "TL0410",
    name: "duplicate-dependency",
    severity: Severity::Error,
    summary: "Two dependencies have one name",
    explanation: "The name of a dependency, or its alias, is the key of its values and the name of its directory, so it must be unique. To use a chart twice, give each use an alias of its own.",
    wrong: "dependencies:\n  - name: redis\n  - name: redis\n",
    right: "dependencies:\n  - name: redis\n    alias: cache\n  - name: redis\n    alias: queue\n",
};

/// values.yaml is not a map.
pub static VALUES_NOT_MAP: Code = Code {
    id: "TL0411",
    name: "values-not-map",
    severity: Severity::Error,
    summary: "Values are not a map",
    explanation: "Values are looked up by name, so a file of values is a map: `key: value` on each line. An empty file is fine.",
    wrong: "- replicas\n- image\n",
    right: "replicas: 1\nimage: web\n",
};

/// A values file has something after `---` on the same line.
pub static VALUES_SEPARATOR: Code = Code {
    id: "TL0412",
    name: "values-separator",
    severity: Severity::Error,
    summary: "Something stands after `---` in a file of values",
    explanation: "Helm 4 splits a values file at every line that begins with `---`, even inside a multi-line string, and merges the parts. Only a comment may follow on such a line. Indent the line if it belongs to a string.",
    wrong: "a: 1\n--- b\nc: 2\n",
    right: "a: 1\n--- # b\nc: 2\n",
};

/// A pattern of .helmignore cannot be used.
pub static IGNORE_PATTERN: Code = Code {
    id: "TL0413",
    name: "helmignore-pattern",
    severity: Severity::Error,
    summary: "A pattern of .helmignore cannot be used",
    explanation: "A `.helmignore` has one pattern per line: `*` matches any characters of a name, `?` matches one, and `[a-z]` matches one of a range. `**` is not supported: a pattern without `/` already matches at every depth.",
    wrong: "**/*.bak\n",
    right: "*.bak\n",
};

/// An archive cannot be read.
pub static BROKEN_ARCHIVE: Code = Code {
    id: "TL0414",
    name: "broken-archive",
    severity: Severity::Error,
    summary: "A chart's archive cannot be read",
    explanation: "A packed chart is a tar archive compressed with gzip, as `helm package` writes it, with all files inside of one directory. Pack the chart again, or give the chart's directory.",
    wrong: "",
    right: "",
};

/// An entry of an archive has a path that is not allowed.
pub static ARCHIVE_PATH: Code = Code {
    id: "TL0415",
    name: "archive-path",
    severity: Severity::Error,
    summary: "An entry of an archive has a path that is not allowed",
    explanation: "All entries of a packed chart are below one directory. Absolute paths, paths with `..` and paths with a drive letter are refused: they could write outside the target directory.",
    wrong: "",
    right: "",
};

/// A chart is too large.
pub static CHART_TOO_LARGE: Code = Code {
    id: "TL0416",
    name: "chart-too-large",
    severity: Severity::Error,
    summary: "A chart is too large",
    explanation: "A chart may hold 100 MiB after unpacking (with `--compat helm3`, each file 5 MiB), and 100,000 files. With its packed subcharts it may unpack to 512 MiB, and charts may be nested 64 deep, directories 256. Leave large files out with `.helmignore`.",
    wrong: "",
    right: "",
};

/// A symbolic link cannot be followed.
pub static CHART_LINK: Code = Code {
    id: "TL0417",
    name: "chart-link",
    severity: Severity::Error,
    summary: "A symbolic link in a chart cannot be followed",
    explanation: "Links are followed as long as they stay inside the chart. Helm follows them anywhere; here a chart cannot read files outside of it, so checking a chart from a stranger is safe. Copy the file into the chart, or list the link in `.helmignore` if nothing needs it.",
    wrong: "",
    right: "",
};

/// A file is neither a file nor a directory.
pub static IRREGULAR_FILE: Code = Code {
    id: "TL0418",
    name: "irregular-file",
    severity: Severity::Error,
    summary: "A chart holds a device, a socket or a pipe",
    explanation: "Only files and directories can be loaded. Remove the file, or list it in `.helmignore`.",
    wrong: "",
    right: "",
};

/// A file of a chart cannot be read.
pub static UNREADABLE_FILE: Code = Code {
    id: "TL0419",
    name: "unreadable-chart-file",
    severity: Severity::Error,
    summary: "A file of a chart cannot be read",
    explanation: "The operating system refused to open the file. Fix its permissions, or list it in `.helmignore` if the chart does not need it.",
    wrong: "",
    right: "",
};

/// requirements.yaml or requirements.lock in a chart of apiVersion v2.
pub static OLD_REQUIREMENTS: Code = Code {
    id: "TL0420",
    name: "old-requirements",
    severity: Severity::Warning,
    summary: "Dependencies are listed in a file of the time before apiVersion v2",
    explanation: "Charts with apiVersion `v2` list their dependencies in Chart.yaml and lock them in Chart.lock. requirements.yaml is still read, and its entries override those of Chart.yaml. Move its entries to Chart.yaml.",
    wrong: "# requirements.yaml\ndependencies:\n  - name: redis\n",
    right: "# Chart.yaml\ndependencies:\n  - name: redis\n",
};

/// A file of a chart is not UTF-8 text.
pub static NOT_UTF8: Code = Code {
    id: "TL0421",
    name: "chart-not-utf8",
    severity: Severity::Error,
    summary: "A file that is read as YAML is not UTF-8 text",
    explanation: "YAML is read as UTF-8. If the file was saved in another encoding, such as UTF-16 or Latin-1, save it again as UTF-8.",
    wrong: "",
    right: "",
};

/// All codes of loading.
pub const CODES: &[&Code] = &[
    &NO_CHART_YAML,
    &WRONG_TYPE,
    &API_VERSION,
    &CHART_NAME,
    &CHART_VERSION,
    &CHART_TYPE,
    &EMPTY_MAINTAINER,
    &EMPTY_DEPENDENCY,
    &DEPENDENCY_ALIAS,
    &DUPLICATE_DEPENDENCY,
    &VALUES_NOT_MAP,
    &VALUES_SEPARATOR,
    &IGNORE_PATTERN,
    &BROKEN_ARCHIVE,
    &ARCHIVE_PATH,
    &CHART_TOO_LARGE,
    &CHART_LINK,
    &IRREGULAR_FILE,
    &UNREADABLE_FILE,
    &OLD_REQUIREMENTS,
    &NOT_UTF8,
];
