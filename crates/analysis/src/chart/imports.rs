//! Entries of `import-values` that import nothing. Helm says so among its warnings at best, and renders without them.

use trueline_diagnostic::{Diagnostic, Edit, Level, nearest};
use trueline_helm::chart::{Chart, Dependency};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::codes::BROKEN_IMPORT;

/// What is wrong with the imports of a chart. `processed` is the same chart with the subcharts that take part, whose
/// values are part of its own.
pub(super) fn check(chart: &Chart, processed: &Chart) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for dependency in &chart.metadata.dependencies {
        let name = if dependency.alias.is_empty() { &dependency.name } else { &dependency.alias };
        // A subchart that is left out is not imported from.
        if !processed.dependencies.iter().any(|subchart| subchart.name() == name) {
            continue;
        }
        let Some(values) = processed.values.get(name) else { continue };
        for (entry, place) in entries(dependency) {
            findings.extend(check_one(entry, place, name, values));
        }
    }
    findings
}

/// The entries of a dependency, with their places.
fn entries(dependency: &Dependency) -> impl Iterator<Item = (&Value, Span)> {
    let written = dependency.written.as_ref().and_then(|written| written.get("import-values"));
    let items = match written.map(|list| &list.data) {
        Some(Data::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| Some((item, item.origin?)))
}

fn check_one(entry: &Value, place: Span, subchart: &str, values: &Value) -> Option<Diagnostic> {
    match &entry.data {
        Data::String(name) => {
            let exports = values.get("exports");
            let path = format!("exports.{name}");
            let fault = fault(values, &path)?;
            let message = match fault.value {
                Some(_) => format!("`{}` in the values of `{subchart}` is no map", fault.path),
                None => format!("the subchart `{subchart}` exports no `{name}`"),
            };
            let finding = fault.explain(broken(place, message), entry, name);
            Some(match exports.map(|exports| &exports.data) {
                None => finding.help(format!(
                    "a name stands for a map below `exports` in the values of `{subchart}`, which has none; write \
                     `child:` and `parent:` to import another map"
                )),
                Some(_) => finding,
            })
        }
        Data::Map(_) => {
            for key in ["child", "parent"] {
                let message = match entry.get(key).map(|value| (&value.data, value.origin)) {
                    Some((Data::String(_), _)) => continue,
                    Some((_, origin)) => {
                        let message = format!("`{key}` of an import has to be a path of names");
                        return Some(broken(origin.unwrap_or(place), message).help(FORM));
                    }
                    None => format!("this import has no `{key}`"),
                };
                return Some(broken(place, message).help(FORM));
            }
            let child = entry.get("child")?;
            let path = child.as_str()?;
            let fault = fault(values, path)?;
            let message = match fault.value {
                Some(_) => format!("`{}` in the values of `{subchart}` is no map", fault.path),
                None => format!("the values of `{subchart}` have no `{}`", fault.path),
            };
            Some(fault.explain(broken(child.origin.unwrap_or(place), message), child, path))
        }
        _ => Some(broken(place, "this is no import, and Helm leaves it out".to_owned()).help(FORM)),
    }
}

/// How an import is written.
const FORM: &str =
    "write the name of a map below `exports`, or `child:` and `parent:` with paths such as `a.b`";

fn broken(place: Span, message: String) -> Diagnostic {
    Diagnostic::new(&BROKEN_IMPORT, place, message).label("nothing is imported").level(Level::Semantic)
}

/// Where a path of names ends before it has come to a map.
struct Fault<'v> {
    /// The path to there.
    path: String,
    /// The last name of it.
    name: String,
    /// What is there instead of a map.
    value: Option<&'v Value>,
    /// The names that are there.
    known: Vec<&'v str>,
}

fn fault<'v>(values: &'v Value, path: &str) -> Option<Fault<'v>> {
    let mut table = values;
    let mut walked: Vec<&str> = Vec::new();
    for name in path.split('.') {
        walked.push(name);
        let below = table.get(name).filter(|value| !matches!(value.data, Data::Null));
        match below {
            Some(value) if matches!(value.data, Data::Map(_)) => table = value,
            value => {
                let known = match &table.data {
                    Data::Map(map) => map.iter().map(|(key, _)| &**key).collect(),
                    _ => Vec::new(),
                };
                return Some(Fault { path: walked.join("."), name: name.to_owned(), value, known });
            }
        }
    }
    None
}

impl Fault<'_> {
    /// Adds where the value is, or which name may have been meant.
    fn explain(&self, finding: Diagnostic, typed: &Value, path: &str) -> Diagnostic {
        if let Some(value) = self.value {
            let finding = finding.help("only maps are imported: import the map that holds it");
            return match value.origin {
                Some(origin) => finding.related(origin, "this is no map"),
                None => finding,
            };
        }
        let Some(meant) = nearest(&self.name, self.known.iter().copied()) else { return finding };
        let finding = finding.help(format!("did you mean `{meant}`?"));
        match (typed.origin, path.strip_suffix(self.name.as_str())) {
            (Some(span), Some(before)) if span.range().len() == path.len() => {
                let replacement = format!("{before}{meant}");
                finding.fix(format!("write `{replacement}`"), vec![Edit { span, replacement }])
            }
            _ => finding,
        }
    }
}
