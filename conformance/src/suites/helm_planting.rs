//! Provenance, by planting: in each of many real charts one fault of each kind is planted at a known place, and a
//! finding of the check must point at exactly that place.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use trueline_analysis::{ChartSettings, Run, Settings};
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_helm::values::ValueOptions;
use trueline_source::{MemorySystem, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Document, NodeRef, ReadOptions, ScalarValue};

use super::real_charts;
use crate::Case;

/// How many charts faults are planted in. The few largest would take more time than all others together.
const CHARTS: usize = 134;

/// How many places are tried for a fault that only does harm where a template reads the value.
const TRIES: usize = 12;

/// The kinds of faults, and how each is planted.
const KINDS: &[(&str, Plant)] = &[
    ("schema-values", |chart, index| chart.schema(index, Via::Values)),
    ("schema-flag", |chart, index| chart.schema(index, Via::Flag)),
    ("type-values", |chart, index| chart.map(index, Via::Values, "planted")),
    ("type-flag", |chart, index| chart.map(index, Via::Flag, "planted")),
    ("type-template", |chart, index| chart.template(index, "{{ .Release.Name.planted }}", 4)),
    ("nil-values", |chart, index| chart.map(index, Via::Values, "null")),
    ("nil-flag", |chart, index| chart.map(index, Via::Flag, "null")),
    ("nil-template", |chart, index| chart.template(index, "{{ .Values.plantedMissing.field }}", 4)),
    ("yaml-values", |chart, index| chart.values_line(index)),
    ("yaml-printed", |chart, index| chart.text(index, Via::Values)),
    ("yaml-flag", |chart, index| chart.text(index, Via::Flag)),
    ("yaml-template", |chart, index| chart.template(index, "planted: ]", 10)),
];

type Plant = fn(&Chart, usize) -> Option<Planted>;

/// How a value is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Via {
    Values,
    Flag,
}

/// A chart with a fault.
struct Planted {
    /// Files that are replaced or added.
    files: Vec<(String, String)>,
    set: Option<String>,
    /// The place of the fault.
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

/// How many faults of each kind were found, and how many were planted.
static FOUND: Mutex<BTreeMap<&str, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// One case for each kind of fault and each chart.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut charts: Vec<(u64, String, PathBuf)> = Vec::new();
    for (id, path) in real_charts::list(folder)? {
        if path.join("values.yaml").is_file() {
            charts.push((size(&path)?, id, path));
        }
    }
    charts.sort();
    charts.truncate(CHARTS);
    let mut cases = Vec::new();
    for (_, id, path) in charts {
        let chart: Arc<OnceLock<Result<Chart, String>>> = Arc::default();
        for &(kind, plant) in KINDS {
            let (chart, path) = (Arc::clone(&chart), path.clone());
            let run = move || match chart.get_or_init(|| Chart::read(&path)) {
                Ok(chart) => check(chart, kind, plant),
                Err(error) => Err(error.clone()),
            };
            cases.push(Case::new(format!("{kind}/{id}"), run));
        }
    }
    Ok(cases)
}

/// The share of each kind.
pub(crate) fn summary() -> String {
    let counts = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let share = |(kind, (found, planted)): (&&str, &(usize, usize))| format!("{kind} {found} of {planted}");
    format!("found at their place: {}", counts.iter().map(share).collect::<Vec<_>>().join(", "))
}

fn size(folder: &Path) -> Result<u64, String> {
    let mut total = 0;
    for path in super::helm::entries(folder)? {
        total += match path.is_dir() {
            true => size(&path)?,
            false => std::fs::metadata(&path).map_or(0, |metadata| metadata.len()),
        };
    }
    Ok(total)
}

/// Plants a fault where it does harm, and looks for it among the errors that the chart did not have before. A chart
/// that has no such place passes.
fn check(chart: &Chart, kind: &'static str, plant: Plant) -> Result<(), String> {
    for index in 0..TRIES {
        let Some(planted) = plant(chart, index) else { return Ok(()) };
        let (run, sources) = chart.run(&planted.files, planted.set.as_deref());
        let mut known = chart.known.clone();
        let is_new = |finding: &&Diagnostic| match known.get_mut(&identity(finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => finding.severity == Severity::Error,
        };
        let errors: Vec<_> = run.outcome.findings().filter(is_new).collect();
        if errors.is_empty() {
            continue;
        }
        let place = |span: Span| {
            let position = sources.position(span);
            let source = sources.get(span.source);
            // The name of a flag is shortened, and says nothing of what may be secret.
            let file = match source.kind() {
                SourceKind::Flag => format!("--set {}", source.text()),
                _ => source.name().to_owned(),
            };
            Place { file, line: position.line, column: position.column }
        };
        let mut labels =
            errors.iter().flat_map(|finding| [&finding.primary].into_iter().chain(&finding.related));
        let is_found = labels.any(|label| place(label.span) == planted.place);
        let mut counts = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let (found, all) = counts.entry(kind).or_default();
        *found += usize::from(is_found);
        *all += 1;
        if is_found {
            return Ok(());
        }
        let shown: Vec<String> = errors
            .iter()
            .take(5)
            .map(|finding| {
                let related: Vec<_> = finding.related.iter().map(|label| place(label.span)).collect();
                format!(
                    "  {} {} {:?} {related:?}",
                    finding.code,
                    finding.message,
                    place(finding.primary.span)
                )
            })
            .collect();
        return Err(format!("planted at {:?}, not found there:\n{}", planted.place, shown.join("\n")));
    }
    Ok(())
}

/// A real chart, ready for planting.
struct Chart {
    files: Vec<(String, Vec<u8>)>,
    values: Arc<str>,
    /// The leaves of values.yaml that are set to something, and its maps.
    leaves: Vec<Spot>,
    maps: Vec<Spot>,
    /// Where the lines of its top-level keys begin.
    lines: Vec<usize>,
    /// All templates in one text, to look for values in.
    templates: String,
    /// Its own templates that are run.
    run_templates: Vec<String>,
    /// What is wrong with it as it stands, and how often.
    known: BTreeMap<Identity, usize>,
}

/// What tells a finding from others, wherever the lines around it have moved to.
type Identity = (&'static str, String);

fn identity(finding: &Diagnostic) -> Identity {
    (finding.code.id, finding.message.clone())
}

/// A value in values.yaml.
struct Spot {
    path: Vec<String>,
    start: usize,
    end: usize,
    kind: &'static str,
}

impl Spot {
    fn dotted(&self) -> String {
        self.path.join(".")
    }
}

impl Chart {
    fn read(path: &Path) -> Result<Chart, String> {
        let mut files = real_charts::files(path)?;
        // The values for tests would hide what the chart's own do.
        files.retain(|(name, _)| !name.starts_with("ci/"));
        let values = files.iter().find(|(name, _)| name == "values.yaml").map(|(_, bytes)| bytes.clone());
        let values = String::from_utf8(values.unwrap_or_default()).unwrap_or_default();
        let text: Arc<str> = values.into();
        let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
        let templates = files.iter().filter(|(name, _)| name.starts_with("templates/"));
        let templates: Vec<_> = templates.map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
        let mut chart = Chart {
            templates: templates.concat(),
            leaves: Vec::new(),
            maps: Vec::new(),
            lines: Vec::new(),
            run_templates: run_templates(&files),
            known: BTreeMap::new(),
            values: text,
            files,
        };
        let (run, _) = chart.run(&[], None);
        for finding in run.outcome.findings() {
            *chart.known.entry(identity(finding)).or_default() += 1;
        }
        let [document] = stream.documents.as_slice() else { return Ok(chart) };
        if !stream.errors.is_empty() || chart.values.starts_with('\u{feff}') || chart.values.contains('\r') {
            return Ok(chart);
        }
        chart.spots(document);
        Ok(chart)
    }

    fn spots(&mut self, document: &Document) {
        let root = document.root();
        let entries = root.written_entries().into_iter().flatten();
        for (key, _) in entries {
            let start = key.span().start as usize;
            if start == 0 || self.values.get(start - 1..start) == Some("\n") {
                self.lines.push(start);
            }
        }
        let mut open = vec![(root, Vec::new())];
        while let Some((node, path)) = open.pop() {
            for (key, value) in node.written_entries().into_iter().flatten() {
                let name = key.key_text().into_owned();
                let is_plain =
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if !is_plain || value.alias_target().is_some() || value.anchor().is_some() {
                    continue;
                }
                let mut path: Vec<String> = path.clone();
                path.push(name);
                let (start, end) = (value.span().start as usize, value.span().end as usize);
                let spot = |path, kind| Spot { path, start, end, kind };
                if value.entries().is_some() {
                    self.maps.push(spot(path.clone(), "object"));
                    open.push((value, path));
                } else if let Some(kind) = kind_of(value) {
                    self.leaves.push(spot(path, kind));
                }
            }
        }
        self.maps.sort_by_key(|spot| (spot.path.len(), spot.start));
        self.leaves.sort_by_key(|spot| spot.start);
    }

    /// The place of a byte of a file.
    fn place(file: &str, text: &str, offset: usize) -> Place {
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() as u32 + 1;
        Place { file: file.to_owned(), line, column }
    }

    /// Another value in place of one.
    fn give(&self, spot: &Spot, via: Via, value: &str) -> Planted {
        match via {
            Via::Values => {
                let mut text = self.values.to_string();
                text.replace_range(spot.start..spot.end, value);
                let place = Chart::place("values.yaml", &text, spot.start);
                Planted { files: vec![("values.yaml".to_owned(), text)], set: None, place }
            }
            Via::Flag => {
                let flag = format!("{}={value}", spot.dotted());
                let column = spot.dotted().chars().count() as u32 + 2;
                let place = Place { file: format!("--set {flag}"), line: 1, column };
                Planted { files: Vec::new(), set: Some(flag), place }
            }
        }
    }

    /// A value of another type than a schema asks for.
    fn schema(&self, index: usize, via: Via) -> Option<Planted> {
        let step = (self.leaves.len() / TRIES).max(1);
        let leaf = self.leaves.get(index * step + step / 2)?;
        let value = if leaf.kind == "string" { "12345" } else { "planted" };
        let mut schema = format!("{{\"type\": \"{}\"}}", leaf.kind);
        for name in leaf.path.iter().rev() {
            schema = format!("{{\"properties\": {{\"{name}\": {schema}}}}}");
        }
        let mut planted = self.give(leaf, via, value);
        planted.files.push(("values.schema.json".to_owned(), schema));
        Some(planted)
    }

    /// Something else in place of a map that templates read.
    fn map(&self, index: usize, via: Via, value: &str) -> Option<Planted> {
        let is_read = |spot: &&Spot| self.templates.contains(&format!(".Values.{}.", spot.dotted()));
        self.maps.iter().filter(is_read).nth(index).map(|spot| self.give(spot, via, value))
    }

    /// A string that is not valid in YAML where templates print it.
    fn text(&self, index: usize, via: Via) -> Option<Planted> {
        let is_printed = |spot: &&Spot| {
            let read = format!(" .Values.{} ", spot.dotted());
            spot.kind == "string" && self.templates.contains(&read)
        };
        let value = if via == Via::Flag { "]planted" } else { "\"]planted\"" };
        self.leaves.iter().filter(is_printed).nth(index).map(|spot| self.give(spot, via, value))
    }

    /// A line at the end of a template.
    fn template(&self, index: usize, line: &str, column: u32) -> Option<Planted> {
        let middle = self.run_templates.len() / 2;
        let name = self.run_templates.get(middle + index)?;
        let (_, bytes) = self.files.iter().find(|(file, _)| file == name)?;
        let mut text = String::from_utf8(bytes.clone()).ok()?;
        text.truncate(text.trim_end().len());
        // An action that takes away the space after it would join the line to the one before.
        if text.ends_with("-}}") {
            text.push_str("{{ \"\" }}");
        }
        text.push('\n');
        let place = Place { column, ..Chart::place(name, &text, text.len()) };
        text.push_str(&format!("{line}\n"));
        Some(Planted { files: vec![(name.clone(), text)], set: None, place })
    }

    /// A line of values.yaml that is no YAML.
    fn values_line(&self, index: usize) -> Option<Planted> {
        let start = *self.lines.get(self.lines.len() / 2 + index)?;
        let (line, column) = match self.values.len() % 3 {
            0 => ("planted: @value", 10),
            1 => ("planted: ]", 10),
            _ => ("planted: %value", 10),
        };
        let mut text = self.values.to_string();
        text.insert_str(start, &format!("{line}\n"));
        let place = Place { column, ..Chart::place("values.yaml", &text, start) };
        Some(Planted { files: vec![("values.yaml".to_owned(), text)], set: None, place })
    }

    fn run(&self, files: &[(String, String)], set: Option<&str>) -> (Run, Arc<SourceMap>) {
        let mut system = MemorySystem::new();
        for (name, bytes) in &self.files {
            system = system.with_file(name, bytes.clone());
        }
        for (name, text) in files {
            system = system.with_file(name, text.clone());
        }
        let values =
            ValueOptions { set: set.map(str::to_owned).into_iter().collect(), ..ValueOptions::default() };
        let charts = ChartSettings { values, ..ChartSettings::default() };
        super::checked(system, Settings { charts, ..Settings::default() })
    }
}

/// The type of a leaf that is set to something, as schemas call it.
fn kind_of(value: NodeRef<'_>) -> Option<&'static str> {
    match value.scalar()? {
        ScalarValue::String if !value.text().unwrap_or_default().contains('\n') => Some("string"),
        ScalarValue::Bool(_) => Some("boolean"),
        ScalarValue::Int(_) | ScalarValue::UInt(_) | ScalarValue::Float(_) => Some("number"),
        ScalarValue::String | ScalarValue::Null => None,
    }
}

/// The chart's own templates that are run.
fn run_templates(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let is_template = |name: &str| {
        let file = name.rsplit('/').next().unwrap_or_default();
        name.starts_with("templates/") && !file.starts_with('_') && name.ends_with(".yaml")
    };
    files.iter().map(|(name, _)| name.clone()).filter(|name| is_template(name)).collect()
}
