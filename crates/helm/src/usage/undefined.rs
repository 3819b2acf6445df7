//! Values that templates read and that nothing sets.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level, nearest};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::Usage;
use super::codes::{MISSPELT_READ, UNDEFINED_OWNER, UNDEFINED_VALUE};
use super::interpreter::{Read, ReadKind};
use super::paths::{Step, follow};
use super::words;

impl Usage {
    /// Reads of values that nothing sets and that no condition or default asks for first.
    pub fn undefined(&self) -> Vec<Diagnostic> {
        let mut findings: Vec<Diagnostic> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for read in self.reads.iter().filter(|read| !read.is_guarded && !self.paths.is_tested(read.path)) {
            let Some(keys) = self.paths.keys(read.path) else { continue };
            if keys.is_empty() || self.is_set(&keys) || !self.has_owner(&keys) || !seen.insert(read.span) {
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

    fn found(&self, keys: &[Arc<str>]) -> Vec<&Value> {
        let steps: Vec<Step> = keys.iter().map(|key| Step::Key(Arc::clone(key))).collect();
        let mut found = Vec::new();
        follow(&self.values, &steps, &mut found);
        if keys.first().is_some_and(|first| &**first == "global") {
            for chart in &self.charts {
                let steps: Vec<Step> = chart.iter().cloned().chain(steps.iter().cloned()).collect();
                follow(&self.values, &steps, &mut found);
            }
        }
        found
    }
}
