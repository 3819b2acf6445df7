//! Values that templates read and that nothing sets.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Level, nearest};
use trueline_source::{SourceId, Span};
use trueline_yaml::{Data, Value};

use super::Usage;
use super::codes::{MISSPELT_READ, UNDEFINED_OWNER, UNDEFINED_VALUE};
use super::interpreter::{Read, ReadKind};
use super::paths::{Step, follow};
use super::words;
use crate::chart::Chart;

impl Usage {
    /// Reads in the chart's own templates of values that nothing sets and that no condition or default asks for first.
    pub fn undefined(&self) -> Vec<Diagnostic> {
        let own: FxHashSet<SourceId> = self.chart.templates.iter().filter_map(|file| file.source).collect();
        let mut findings: Vec<Diagnostic> = Vec::new();
        let mut seen = FxHashSet::default();
        let is_certain = |read: &&Read| {
            own.contains(&read.span.source) && !read.is_guarded && !self.paths.is_tested(read.path)
        };
        for read in self.reads.iter().filter(is_certain) {
            let Some(keys) = self.paths.keys(read.path) else { continue };
            // A key without a value in values.yaml tells users what they can set, and prints nothing.
            // So does an empty map: whoever fills it knows with what.
            let is_known = read.kind == ReadKind::Printed
                && (is_listed(&self.chart, &keys) || self.is_in_empty_map(&keys));
            if keys.is_empty() || is_known || self.is_set(&keys) || !self.has_owner(&keys) {
                continue;
            }
            if !seen.insert(read.span) {
                continue;
            }
            findings.push(self.undefined_read(read, &keys));
        }
        findings
    }

    fn undefined_read(&self, read: &Read, keys: &[Arc<str>]) -> Diagnostic {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let name = words::dotted(&keys);
        let meant = self.unread_neighbour(&keys);
        let finding = match (&read.kind, meant) {
            (_, Some((meant, place))) => {
                let mut above = keys.clone();
                above.pop();
                let meant = words::dotted_below(&above, &meant);
                let finding = Diagnostic::new(
                    &MISSPELT_READ,
                    read.span,
                    format!("`{name}` is read, but nothing sets it"),
                )
                .label(format!("did you mean `{meant}`?"))
                .help(format!("`{meant}` is set, and no template reads it: one of the two is misspelt"));
                match place {
                    Some(place) => finding.related(place, "this is set"),
                    None => finding,
                }
            }
            (ReadKind::Field(field), None) => {
                let field = words::dotted_below(&keys, field);
                Diagnostic::new(
                    &UNDEFINED_OWNER,
                    read.span,
                    format!("`{name}` is not set, so reading `{field}` fails"),
                )
                .label(format!("rendering stops here if `{name}` is not given"))
                .help(format!(
                    "set `{name}: {{}}` in values.yaml, or ask first: `{{{{ with .Values.{name} }}}}`"
                ))
            }
            (ReadKind::Printed, None) => {
                Diagnostic::new(&UNDEFINED_VALUE, read.span, format!("`{name}` is read, but nothing sets it"))
                    .label("nothing is printed here")
                    .help("set it in values.yaml, or give a default: `| default \"…\"`")
            }
        };
        finding.path(words::pointer(&keys)).level(Level::Semantic)
    }

    /// A value beside it of nearly the same name that is set and that nothing reads.
    fn unread_neighbour(&self, keys: &[String]) -> Option<(String, Option<Span>)> {
        let (name, above) = keys.split_last()?;
        let steps: Vec<Step> = above.iter().map(|key| Step::Key(key.as_str().into())).collect();
        let mut found = Vec::new();
        follow(&self.values, &steps, &mut found);
        let Some(Value { data: Data::Map(map), .. }) = found.first() else { return None };
        let view = above.iter().fold(self.paths.at_root(), |view, key| view.key(key));
        let unread = map.keys().map(|key| &**key).filter(|key| view.key(key).is_empty());
        let meant = nearest(name, unread)?;
        Some((meant.to_owned(), map.get(meant).and_then(|entry| entry.key_origin)))
    }

    /// Whether a value is there. Globals may be those of any chart.
    fn is_set(&self, keys: &[Arc<str>]) -> bool {
        self.found(keys).iter().any(|value| !matches!(value.data, Data::Null))
    }

    /// Whether the map that a value would stand in is there.
    fn has_owner(&self, keys: &[Arc<str>]) -> bool {
        let Some((_, above)) = keys.split_last() else { return false };
        above.is_empty() || self.found(above).iter().any(|value| matches!(value.data, Data::Map(_)))
    }

    fn is_in_empty_map(&self, keys: &[Arc<str>]) -> bool {
        let above = keys.split_last().map(|(_, above)| self.found(above)).unwrap_or_default();
        keys.len() > 1 && above.iter().all(|value| matches!(&value.data, Data::Map(map) if map.is_empty()))
    }

    fn found(&self, keys: &[Arc<str>]) -> Vec<&Value> {
        let steps: Vec<Step> = keys.iter().map(|key| Step::Key(Arc::clone(key))).collect();
        let mut found = Vec::new();
        follow(&self.values, &steps, &mut found);
        if keys.first().is_some_and(|first| &**first == "global") {
            for chart in self.charts.iter() {
                let steps: Vec<Step> = chart.iter().cloned().chain(steps.iter().cloned()).collect();
                follow(&self.values, &steps, &mut found);
            }
        }
        found
    }
}

/// Whether a chart's own values.yaml has a key, even one without a value.
fn is_listed(chart: &Chart, keys: &[Arc<str>]) -> bool {
    let mut value = Some(&chart.values);
    for key in keys {
        value = value.and_then(|value| value.get(key));
    }
    let below = keys.split_first().and_then(|(first, rest)| {
        let subchart = chart.dependencies.iter().find(|subchart| subchart.name() == &**first)?;
        Some(is_listed(subchart, rest))
    });
    value.is_some() || below == Some(true)
}
