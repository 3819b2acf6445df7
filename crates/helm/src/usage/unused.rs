//! Values that nothing reads.

use trueline_diagnostic::{Diagnostic, Level, Severity, nearest};
use trueline_source::Span;
use trueline_yaml::{Data, Map, Value};

use super::codes::{MISSPELT_VALUE, UNUSED_VALUE};
use super::paths::View;
use super::{Usage, words};

/// Values are looked at up to this depth.
const DEPTH: usize = 24;

impl Usage {
    /// Values of files and flags that no template and no schema reads.
    pub fn unused_given(&self, user: &Value) -> Vec<Diagnostic> {
        self.unused(user, Severity::Warning)
    }

    /// Values of the chart's own values.yaml that no template and no schema reads. They do no harm, so that they are
    /// only noted, unless the name is a misspelling of one that is read and not there.
    pub fn unused_defaults(&self) -> Vec<Diagnostic> {
        let own = self.chart.values.clone();
        self.unused(&own, Severity::Note)
    }

    fn unused(&self, values: &Value, severity: Severity) -> Vec<Diagnostic> {
        let mut search = Search { usage: self, severity, findings: Vec::new() };
        if let Data::Map(map) = &values.data
            && self.chart.metadata.kind != "library"
        {
            search.map(map, &self.paths.at_root(), &mut Vec::new());
        }
        search.findings
    }
}

/// How many unused values are compared with what templates read. A file with more of them is wrong as a whole, and each is
/// compared with every name.
const MAX_COMPARED: usize = 500;

struct Search<'u> {
    usage: &'u Usage,
    severity: Severity,
    findings: Vec<Diagnostic>,
}

impl<'u> Search<'u> {
    fn map(&mut self, map: &Map, view: &View<'u>, keys: &mut Vec<String>) {
        if keys.len() > DEPTH || view.is_whole() {
            return;
        }
        for (key, entry) in map {
            // A null takes a default away.
            if matches!(entry.value.data, Data::Null) {
                continue;
            }
            let below = view.key(key);
            keys.push(key.to_string());
            if below.is_empty() {
                if let Some(span) = entry.key_origin.or(entry.value.origin) {
                    self.report(map, view, keys, span);
                }
            } else {
                self.value(&entry.value, &below, keys);
            }
            keys.pop();
        }
    }

    fn value(&mut self, value: &Value, view: &View<'u>, keys: &mut Vec<String>) {
        match &value.data {
            Data::Map(map) => self.map(map, view, keys),
            Data::List(items) if !view.is_whole() && keys.len() <= DEPTH => {
                let below = view.item();
                if below.is_empty() {
                    return;
                }
                for (index, item) in items.iter().enumerate() {
                    keys.push(index.to_string());
                    self.value(item, &below, keys);
                    keys.pop();
                }
            }
            _ => {}
        }
    }

    fn report(&mut self, map: &Map, view: &View<'u>, keys: &[String], span: Span) {
        let Some((key, above)) = keys.split_last() else { return };
        let name = words::dotted(keys);
        // Not what stands there as well: then both are meant.
        let compares = self.findings.len() < MAX_COMPARED;
        let others = if compares { view.names() } else { Default::default() };
        let others = others.into_iter().filter(|other| !map.contains_key(*other));
        let meant = nearest(key, others).map(|meant| words::dotted_below(above, meant));
        let message = format!("no template reads `{name}`");
        let finding = match meant {
            Some(meant) if self.severity == Severity::Warning => {
                Diagnostic::new(&MISSPELT_VALUE, span, message)
                    .label(format!("did you mean `{meant}`?"))
                    .help(format!("templates read `{meant}`; correct the name, or take the value out"))
            }
            meant => {
                let finding = Diagnostic::new(&UNUSED_VALUE, span, message).severity(self.severity);
                let read: Vec<String> = match meant {
                    Some(meant) => vec![meant],
                    None if compares => self.usage.paths.ending_with(key, 3),
                    None => Vec::new(),
                };
                let finding = finding.label("this value changes nothing");
                match read.as_slice() {
                    [] => finding.help("remove it, or look up in the chart's values.yaml how it is called"),
                    read => finding.help(format!("templates read {}; did you mean that?", words::list(read))),
                }
            }
        };
        self.findings.push(finding.path(words::pointer(keys)).level(Level::Semantic));
    }
}
