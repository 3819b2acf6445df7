//! Provenance, counted: in each real chart every default is replaced by a mark of its own, and every mark in the
//! rendered text must lead back to where its value was typed and to the action that printed it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use trueline_gotemplate::{Environment, Origins};
use trueline_helm::chart::{Chart, Compat};
use trueline_helm::engine::{self, Capabilities, Mode, Operation, Release};
use trueline_helm::release::RenderedFile;
use trueline_helm::{dependencies, values};
use trueline_source::{Origin, SourceMap, Span};
use trueline_yaml::{Data, Map, MapEntry, Value};

use super::real_charts;
use crate::Case;

/// A chart passes with this share of its marks found, in percent.
const SHARE: usize = 95;

/// Charts are rendered again with half of the marks when they refuse them, but not without end.
const RENDERINGS: usize = 40;

static FOUND: AtomicUsize = AtomicUsize::new(0);
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// One case for each chart.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let charts = real_charts::list(folder)?;
    Ok(charts.into_iter().map(|(id, path)| Case::new(id, move || check(&path))).collect())
}

/// The share of all charts that ran.
pub(crate) fn summary() -> String {
    let (found, seen) = (FOUND.load(Ordering::Relaxed), SEEN.load(Ordering::Relaxed));
    format!(
        "{found} of {seen} marks lead back to their value, {:.2} %",
        found as f64 * 100.0 / seen.max(1) as f64
    )
}

fn check(path: &Path) -> Result<(), String> {
    let sources = SourceMap::new();
    let chart = real_charts::load(path, &sources)?;
    let user = Value::new(Data::Map(Arc::new(Map::default())));
    let mut log = Vec::new();
    let chart =
        dependencies::process(chart, &user, Compat::Helm4, &mut log).map_err(|error| error.to_string())?;
    let values =
        values::coalesce(&chart, &user, Compat::Helm4, &mut log).map_err(|error| error.to_string())?;
    let mut marks = Marks::default();
    marks.collect(&values);
    let marks = marks.list;
    let mut search =
        Search { chart: &chart, values: &values, renderings: 0, found: 0, seen: 0, lost: Vec::new() };
    search.plant(&marks);
    let Search { found, seen, lost, .. } = search;
    FOUND.fetch_add(found, Ordering::Relaxed);
    SEEN.fetch_add(seen, Ordering::Relaxed);
    if found * 100 >= seen * SHARE {
        return Ok(());
    }
    let place = |span: Span| {
        let position = sources.position(span);
        format!("{}:{}:{}", sources.get(span.source).name(), position.line, position.column)
    };
    let lost: Vec<_> =
        lost.iter().map(|(path, span)| format!("  {path}: value of {}", place(*span))).collect();
    Err(format!("{found} of {seen} marks lead back to their value\n{}", lost.join("\n")))
}

/// A value that gets a mark of its own: texts and numbers, found again by where they were typed. Of two that
/// were typed at one place, such as an anchor that is used twice, either will do.
struct Mark {
    origin: Span,
    text: String,
}

#[derive(Default)]
struct Marks {
    list: Vec<Mark>,
    origins: FxHashSet<Span>,
}

impl Marks {
    fn collect(&mut self, value: &Value) {
        match &value.data {
            Data::String(text) if !text.is_empty() => self.add(value, |number| format!("mark{number:06}x")),
            Data::Int(_) | Data::UInt(_) | Data::Float(_) => {
                self.add(value, |number| (100_000 + number).to_string());
            }
            Data::List(items) => items.iter().for_each(|item| self.collect(item)),
            Data::Map(map) => map.values().for_each(|entry| self.collect(&entry.value)),
            _ => {}
        }
    }

    fn add(&mut self, value: &Value, text: impl Fn(usize) -> String) {
        if let Some(origin) = value.origin
            && self.origins.insert(origin)
        {
            self.list.push(Mark { origin, text: text(self.list.len()) });
        }
    }
}

struct Search<'a> {
    chart: &'a Chart,
    values: &'a Value,
    renderings: usize,
    found: usize,
    seen: usize,
    lost: Vec<(Arc<str>, Span)>,
}

impl Search<'_> {
    /// Renders with these marks; if the chart refuses them, with each half of them.
    fn plant(&mut self, marks: &[Mark]) {
        if marks.is_empty() || self.renderings >= RENDERINGS {
            return;
        }
        self.renderings += 1;
        let options = engine::Options {
            compat: Compat::Helm4,
            release: Release {
                name: "rel".into(),
                namespace: "default".into(),
                operation: Operation::Install,
            },
            capabilities: Capabilities::default(),
            mode: Mode::Render,
            origins: Origins::Kept,
            environment: &Fixed,
            limits: trueline_helm::Limits::default(),
        };
        let by_origin = marks.iter().map(|mark| (mark.origin, mark)).collect();
        match engine::render(self.chart, &planted(self.values, &by_origin), &options) {
            Ok(output) => output.files.iter().for_each(|file| self.count(file, marks)),
            Err(_) => {
                let (left, right) = marks.split_at(marks.len() / 2);
                if !left.is_empty() {
                    self.plant(left);
                    self.plant(right);
                }
            }
        }
    }

    fn count(&mut self, file: &RenderedFile, marks: &[Mark]) {
        let text = String::from_utf8_lossy(&file.text);
        for mark in marks {
            for (offset, _) in text.match_indices(&mark.text) {
                self.seen += 1;
                let runs = file.origins.runs();
                let index = runs.partition_point(|run| run.start as usize <= offset);
                let origin = index.checked_sub(1).and_then(|index| runs.get(index)).map(|run| run.origin);
                if matches!(origin, Some(Origin::Computed { value: Some(value), .. }) if value == mark.origin)
                {
                    self.found += 1;
                } else {
                    self.lost.push((Arc::clone(&file.path), mark.origin));
                }
            }
        }
    }
}

fn planted(value: &Value, marks: &FxHashMap<Span, &Mark>) -> Value {
    let mark = || value.origin.and_then(|origin| marks.get(&origin));
    let data = match &value.data {
        Data::String(_) => mark().map(|mark| Data::String(mark.text.as_str().into())),
        Data::Int(_) | Data::UInt(_) | Data::Float(_) => {
            mark().and_then(|mark| mark.text.parse().ok()).map(Data::Float)
        }
        Data::List(items) => {
            Some(Data::List(Arc::new(items.iter().map(|item| planted(item, marks)).collect())))
        }
        Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                (
                    Arc::clone(key),
                    MapEntry { key_origin: entry.key_origin, value: planted(&entry.value, marks) },
                )
            });
            Some(Data::Map(Arc::new(entries.collect())))
        }
        _ => None,
    };
    Value { data: data.unwrap_or_else(|| value.data.clone()), origin: value.origin }
}

/// A world that stands still.
struct Fixed;

impl Environment for Fixed {
    fn now(&self) -> (i64, u32) {
        (1_700_000_000, 0)
    }

    fn random(&self, buffer: &mut [u8]) {
        // Keys are looked for until one is found, so the numbers must go on.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        for byte in buffer {
            let step = NEXT.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            *byte = ((step ^ (step >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as u8;
        }
    }

    fn lookup_host(&self, _: &str) -> String {
        String::new()
    }
}
