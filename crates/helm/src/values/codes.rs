//! The codes of values and dependencies: what `explain` prints about them.

use trueline_diagnostic::{Code, Severity};

/// A `--set` text cannot be read.
pub static SET_SYNTAX: Code = Code {
    id: "TL0601",
    name: "set-syntax",
    severity: Severity::Error,
    summary: "A `--set` text cannot be read",
    explanation: "`--set` takes pairs of key and value, such as `image.tag=1.2,replicas=3`. A dot goes into a map and `[0]` into a list; `{a,b}` is a list.\n\nA comma, dot, bracket or brace that belongs to the value needs a backslash before it, and the shell may remove one backslash: put the whole argument in single quotes. `--set-literal` takes everything after the `=` as it is.",
    wrong: "--set replicas\n",
    right: "--set replicas=3\n",
};

/// A `--set` path goes through a value that has nothing below it.
pub static SET_THROUGH_VALUE: Code = Code {
    id: "TL0602",
    name: "set-through-value",
    severity: Severity::Error,
    summary: "A `--set` path goes through a value that has nothing below it",
    explanation: "A dot goes into a map and `[0]` goes into a list. An earlier flag or a values file has set something else there. Only given values count here, not the chart's own defaults.",
    wrong: "--set image=web,image.tag=1.2\n",
    right: "--set image.name=web,image.tag=1.2\n",
};

/// The value of a `--set-json` is not JSON.
pub static SET_JSON_SYNTAX: Code = Code {
    id: "TL0603",
    name: "set-json-syntax",
    severity: Severity::Error,
    summary: "The value of a `--set-json` is not JSON",
    explanation: "The part after `=` is one JSON value: a string in double quotes, a number, `true`, `false`, `null`, a list or an object. The shell takes double quotes away unless the argument is in single quotes.\n\nHelm 4 also takes a whole object that is merged into the values, such as `--set-json '{\"replicas\": 3}'`.",
    wrong: "--set-json 'name=web'\n",
    right: "--set-json 'name=\"web\"'\n",
};

/// A file with values cannot be read.
pub static VALUES_FILE_UNREADABLE: Code = Code {
    id: "TL0604",
    name: "values-file-unreadable",
    severity: Severity::Error,
    summary: "A file with values cannot be read",
    explanation: "A file that `-f` or `--set-file` names does not exist or cannot be read. Paths are relative to the working directory, not to the chart.",
    wrong: "",
    right: "",
};

/// The values of a subchart are not a map.
pub static SUBCHART_VALUES_NOT_MAP: Code = Code {
    id: "TL0605",
    name: "subchart-values-not-a-map",
    severity: Severity::Error,
    summary: "The values of a subchart are not a map",
    explanation: "The key with the name (or alias) of a subchart holds that subchart's values, so it must be a map. To leave a subchart out, give its dependency a `condition` and set that to `false`.",
    wrong: "database: false\n",
    right: "database:\n  enabled: false\n",
};

/// Values are nested too deep, or are too many.
pub static VALUES_TOO_DEEP: Code = Code {
    id: "TL0606",
    name: "values-too-deep",
    severity: Severity::Error,
    summary: "Values are nested deeper than 1,000 levels, or lists have too many gaps",
    explanation: "No real configuration comes near these limits. They keep a few bytes of input, such as a repeated list index of many digits, from using up all memory.",
    wrong: "",
    right: "",
};

/// A chart imports a table of values into itself.
pub static IMPORT_INTO_ITSELF: Code = Code {
    id: "TL0607",
    name: "import-into-itself",
    severity: Severity::Error,
    summary: "`import-values` puts a table of values into itself",
    explanation: "The same map of a subchart is imported twice, once to a place and once to a place below it, so the second import contains itself without end. Import the map once, or import only a part of it to the inner place.",
    wrong: "import-values:\n  - child: data\n    parent: settings\n  - child: data\n    parent: settings.more\n",
    right: "import-values:\n  - child: data\n    parent: settings\n",
};

/// A chart imports more values than any chart has.
pub static TOO_MANY_IMPORTED: Code = Code {
    id: "TL0570",
    name: "too-many-imported-values",
    severity: Severity::Error,
    summary: "`import-values` imports more than a million values",
    explanation: "Each entry of `import-values` is merged into what the entries before it imported. A table that is imported many times is merged, and kept, many times: a chart of a few kilobytes could take all memory this way. No real chart comes near the limit.\n\nImport each table once, and only the part of it that the chart uses.",
    wrong: "",
    right: "",
};

/// A chart has more subcharts, or they have more values, than any chart has.
pub static TOO_MANY_SUBCHARTS: Code = Code {
    id: "TL0572",
    name: "too-many-subcharts",
    severity: Severity::Error,
    summary: "A chart has more than 5,000 subcharts, or they have more than a million values",
    explanation: "Each alias of a subchart is a subchart of its own, with values of its own, and aliases of charts with aliases multiply: a chart of a few kilobytes could take all memory this way. No real chart comes near the limit.\n\nList fewer dependencies, or give one of them a list of what it is to make.",
    wrong: "",
    right: "",
};

/// The codes of values and dependencies.
pub const VALUES_CODES: &[&Code] = &[
    &SET_SYNTAX,
    &SET_THROUGH_VALUE,
    &SET_JSON_SYNTAX,
    &VALUES_FILE_UNREADABLE,
    &SUBCHART_VALUES_NOT_MAP,
    &VALUES_TOO_DEEP,
    &IMPORT_INTO_ITSELF,
    &TOO_MANY_IMPORTED,
    &TOO_MANY_SUBCHARTS,
];
