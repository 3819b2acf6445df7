//! Flags for charts that were given to ytt folders.

use trueline_diagnostic::{Diagnostic, Level};
use trueline_helm::values::ValueOptions;
use trueline_source::{SourceKind, SourceMap, Span};

use super::codes::CHART_VALUES;

/// What is said of flags that set values of charts, where there are ytt folders and no chart: each kind of flag once.
pub(crate) fn ignored_values(values: &ValueOptions, sources: &SourceMap) -> Vec<Diagnostic> {
    let flags = [
        ("-f", &values.files, "--data-values-file FILE"),
        ("--set", &values.set, "--data-value-yaml KEY=YAML"),
        ("--set-string", &values.string, "--data-value KEY=TEXT"),
        ("--set-file", &values.file, "--data-value-file KEY=PATH"),
        ("--set-json", &values.json, "--data-value-yaml KEY=YAML"),
        ("--set-literal", &values.literal, "--data-value KEY=TEXT"),
    ];
    let finding = |(flag, texts, instead): (&str, &Vec<String>, &str)| {
        let text = texts.first()?;
        let source = sources.add(format!("{flag} {text}"), SourceKind::Flag, text.as_str());
        let message = format!("`{flag}` sets values of charts and has no effect on ytt folders");
        let finding = Diagnostic::new(&CHART_VALUES, Span::whole(source), message).level(Level::Semantic);
        Some(finding.help(format!("use `{instead}` to set data values")))
    };
    flags.into_iter().filter_map(finding).collect()
}
