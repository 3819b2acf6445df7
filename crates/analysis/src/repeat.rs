//! Several sets of values find the same thing: it is said once, with the values that it takes where that is not
//! the chart's own.

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, typed_place};
use trueline_source::{SourceMap, Span};

/// What makes two findings the same to a reader: flags are read anew for each set of values, and files of a
/// chart are not, so that the texts have to be compared by name.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    code: &'static str,
    file: String,
    range: (u32, u32),
    message: String,
}

fn key(finding: &Diagnostic, sources: &SourceMap) -> Key {
    let span: Span = typed_place(finding.primary.span, sources);
    Key {
        code: finding.code.id,
        file: sources.get(span.source).name().to_owned(),
        range: (span.start, span.end),
        message: finding.message.clone(),
    }
}

/// Joins what was found with several sets of values; each comes with its name, if it has one.
pub(crate) fn once(trials: Vec<(Option<String>, Vec<Diagnostic>)>, sources: &SourceMap) -> Vec<Diagnostic> {
    let several = trials.len() > 1;
    let mut seen: FxHashMap<Key, usize> = FxHashMap::default();
    let mut kept: Vec<(Diagnostic, Vec<String>)> = Vec::new();
    for (name, findings) in trials {
        for finding in findings {
            match seen.entry(key(&finding, sources)) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(kept.len());
                    kept.push((finding, name.clone().into_iter().collect()));
                }
                std::collections::hash_map::Entry::Occupied(entry) => {
                    let Some((known, names)) = kept.get_mut(*entry.get()) else { continue };
                    // A chart may refuse its own values; that it refuses values for tests is worse.
                    if finding.severity > known.severity {
                        *known = finding;
                        *names = name.iter().cloned().collect();
                    } else if !names.is_empty()
                        && finding.severity == known.severity
                        && let Some(name) = &name
                        && !names.contains(name)
                    {
                        names.push(name.clone());
                    }
                }
            }
        }
    }
    kept.into_iter()
        .map(|(finding, names)| if several { with_names(finding, &names) } else { finding })
        .collect()
}

/// How many names are listed.
const TOLD: usize = 3;

fn with_names(finding: Diagnostic, names: &[String]) -> Diagnostic {
    if names.is_empty() {
        return finding;
    }
    let told: Vec<String> = names.iter().take(TOLD).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    finding.help(format!("found with the values of {}{more}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::NOT_TEXT;
    use trueline_diagnostic::Severity;
    use trueline_source::SourceKind;

    #[test]
    fn the_same_is_said_once() {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, "a: 1\n");
        let finding = |start: usize| Diagnostic::new(&NOT_TEXT, file.span(start, start + 1), "x");
        let trials = vec![
            (None, vec![finding(0)]),
            (Some("one".to_owned()), vec![finding(0), finding(3)]),
            (Some("two".to_owned()), vec![finding(3)]),
        ];
        let found = once(trials, &sources);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].help, None);
        assert_eq!(found[1].help.as_deref(), Some("found with the values of `one`, `two`"));
    }

    #[test]
    fn the_most_severe_is_kept() {
        let sources = SourceMap::new();
        let file = sources.add("t.yaml", SourceKind::File, "a: 1\n");
        let finding = |severity| Diagnostic::new(&NOT_TEXT, file.span(0, 1), "x").severity(severity);
        let trials = vec![
            (None, vec![finding(Severity::Note)]),
            (Some("one".to_owned()), vec![finding(Severity::Error)]),
            (Some("two".to_owned()), vec![finding(Severity::Note)]),
        ];
        let found = once(trials, &sources);
        let told: Vec<(Severity, Option<&str>)> =
            found.iter().map(|finding| (finding.severity, finding.help.as_deref())).collect();
        assert_eq!(told, [(Severity::Error, Some("found with the values of `one`"))]);
    }
}
