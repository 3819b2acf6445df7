//! The flags of the family, under ytt's names and with our words.

use crate::pflag::{Flag, FlagKind};

const FILE: Flag = Flag::new(
    "file",
    FlagKind::Array,
    "a file, a directory, a URL (http, https) or `-` for standard input; NAME=PATH renames a file",
)
.short('f');
const STRICT: Flag =
    Flag::switch("strict", "refuse plain YAML scalars that YAML parsers read differently").short('s');
const DEBUG: Flag = Flag::switch("debug", "show the Starlark programs that templates are compiled to");
const SHOW_HELP: Flag = Flag::switch("help", "show this help").short('h');

/// What templating takes.
pub(super) const TEMPLATE: &[Flag] = &[
    FILE,
    Flag::new(
        "file-mark",
        FlagKind::Array,
        "change how files are treated: PATH:KEY=VALUE, with `*` and `**/*` in PATH",
    ),
    Flag::switch("files-inspect", "print the paths of the files that would be processed"),
    Flag::new(
        "output",
        FlagKind::Slice,
        "the format: yaml, json or pos, and for schemas openapi-v3, json-schema or crd-schema",
    )
    .short('o'),
    Flag::text("output-files", "write files to this directory instead of printing documents"),
    Flag::text(
        "dangerous-emptied-output-directory",
        "delete everything in this directory, then write files to it",
    ),
    Flag::new("data-value", FlagKind::Array, "set a data value to a string: a.b=text").short('v'),
    Flag::new("data-value-yaml", FlagKind::Array, "set a data value to YAML: a.b=true"),
    Flag::new("data-value-file", FlagKind::Array, "set a data value to the contents of a file: a.b=PATH"),
    Flag::new("data-values-file", FlagKind::Array, "set data values from plain YAML files: PATH"),
    Flag::new(
        "data-values-env",
        FlagKind::Array,
        "set data values to strings from environment variables PREFIX_a__b: PREFIX",
    ),
    Flag::new(
        "data-values-env-yaml",
        FlagKind::Array,
        "set data values to YAML from environment variables PREFIX_a__b: PREFIX",
    ),
    Flag::switch("data-values-inspect", "print the data values that templates would get"),
    Flag::switch(
        "data-values-schema-inspect",
        "print the schema of the data values (with -o openapi-v3, json-schema or crd-schema)",
    ),
    Flag::switch("dangerous-data-values-disable-validation", "skip the validations of data values"),
    Flag::switch(
        "data-value-schema-disable-validation",
        "same as --dangerous-data-values-disable-validation",
    ),
    Flag::switch("output-disable-validation", "skip the validations of output documents"),
    Flag::switch("ignore-unknown-comments", "allow comments that begin with neither `#@` nor `#!`"),
    Flag::switch("implicit-map-key-overrides", "let a later key of a map replace an earlier one"),
    STRICT,
    Flag::new(
        "allow-symlink-destination",
        FlagKind::Slice,
        "follow symbolic links that lead below this path",
    ),
    Flag::switch("dangerous-allow-all-symlink-destinations", "follow all symbolic links"),
    Flag::text("bulk-in", "take the files from JSON: {\"files\":[{\"name\":…,\"data\":…}]}"),
    Flag::switch("bulk-out", "print files or errors as JSON"),
    DEBUG,
    SHOW_HELP,
    Flag::switch("version", "print the version"),
];

/// What `fmt` takes.
pub(super) const FMT: &[Flag] = &[FILE, STRICT, DEBUG, SHOW_HELP];

/// What the other commands take.
pub(super) const HELP: &[Flag] = &[SHOW_HELP];
