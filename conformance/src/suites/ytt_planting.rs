//! Provenance of ytt, by planting: in each of many real folders one fault of each kind is planted at a known place, and a
//! finding of the check must point at exactly that place.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value as Json;
use trueline_analysis::{InputKind, Run, Settings, YttSettings};
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_source::{MemorySystem, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{NodeRef, ReadOptions, ScalarValue};

use crate::Case;

/// The categories whose folders are configurations, and not single features.
const CATEGORIES: [&str; 3] = ["real-", "up-examples", "integration"];

/// How many places are tried for a fault that may do no harm.
const TRIES: usize = 12;

/// The file that faults are planted in where they need one of their own. It is the last of its folder.
const OWN_FILE: &str = "zz-planted.yml";

/// The file that `--data-values-file` names.
const VALUES_FILE: &str = "/planted-values.yml";

/// The kinds of faults, and how each is planted.
const KINDS: &[(&str, Plant)] = &[
    ("schema-type", Folder::schema_type),
    ("value-file", Folder::value_in_file),
    ("value-flag", Folder::value_in_flag),
    ("template-line", Folder::template_line),
    ("overlay-unmatched", Folder::unmatched_overlay),
];

type Plant = fn(&Folder, usize) -> Option<Planted>;

/// A fault in a folder.
#[derive(Default)]
struct Planted {
    /// Files that are replaced or added.
    files: Vec<(String, String)>,
    /// What `--data-values-file` holds.
    values_file: Option<String>,
    values: Vec<String>,
    values_yaml: Vec<String>,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

impl Place {
    fn new(file: impl Into<String>, line: u32, column: u32) -> Place {
        Place { file: file.into(), line, column }
    }
}

/// How many faults of each kind were found, and how many were planted.
static FOUND: Mutex<BTreeMap<&str, (usize, usize)>> = Mutex::new(BTreeMap::new());

/// One case for each kind of fault and each folder.
pub(crate) fn load(corpus: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let mut known = Vec::new();
    for category in super::ytt::sorted(&corpus.join("cases"))? {
        let name = category.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !CATEGORIES.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        for path in super::ytt::sorted(&category)? {
            let Some(folder) = Folder::read(&path)?.filter(|folder| !known.contains(&folder.files)) else {
                continue;
            };
            known.push(folder.files.clone());
            let id = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            let folder = Arc::new(folder);
            for &(kind, plant) in KINDS {
                let folder = Arc::clone(&folder);
                cases.push(Case::new(format!("{kind}/{id}"), move || check(&folder, kind, plant)));
            }
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

/// Plants a fault where it does harm, and looks for it among the errors that the folder did not have before. A folder
/// that has no such place passes.
fn check(folder: &Folder, kind: &'static str, plant: Plant) -> Result<(), String> {
    let Some(known) = folder.known.get_or_init(|| folder.findings_before()) else { return Ok(()) };
    for index in 0..TRIES {
        let Some(planted) = plant(folder, index) else { return Ok(()) };
        let (run, sources) = folder.run(&planted);
        let mut known = known.clone();
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
            let file = match source.kind() {
                SourceKind::Flag => format!("flag {}", source.text()),
                _ => source.name().to_owned(),
            };
            Place { file, line: position.line, column: position.column }
        };
        let labels = |finding: &Diagnostic| -> Vec<Place> {
            let related = finding.related.iter().map(|label| place(label.span));
            [place(finding.primary.span)].into_iter().chain(related).collect()
        };
        let is_found = errors.iter().any(|finding| labels(finding).contains(&planted.place));
        let mut counts = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let (found, all) = counts.entry(kind).or_default();
        *found += usize::from(is_found);
        *all += 1;
        if is_found {
            return Ok(());
        }
        let shown = errors.iter().take(5);
        let shown: Vec<String> = shown
            .map(|finding| format!("  {} {} {:?}", finding.code, finding.message, labels(finding)))
            .collect();
        return Err(format!("planted at {:?}, not found there:\n{}", planted.place, shown.join("\n")));
    }
    Ok(())
}

/// What tells a finding from others, wherever the lines around it have moved to.
type Identity = (&'static str, String);

fn identity(finding: &Diagnostic) -> Identity {
    (finding.code.id, finding.message.clone())
}

/// A folder with the data values that it is run with.
struct Folder {
    files: Vec<(String, Vec<u8>)>,
    values: Vec<String>,
    values_yaml: Vec<String>,
    values_files: Vec<(String, Vec<u8>)>,
    /// What is wrong with it as it is, and how often; nothing if it cannot be rendered.
    known: OnceLock<Option<BTreeMap<Identity, usize>>>,
}

/// A value that a schema or data values have.
struct Spot {
    path: Vec<String>,
    is_string: bool,
}

impl Folder {
    /// The folder of a case that ends well, if it needs nothing that `check` does not take.
    fn read(path: &Path) -> Result<Option<Folder>, String> {
        let text = fs::read(path.join("case.json")).map_err(|error| error.to_string())?;
        let case: Json = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let is_good = fs::read(path.join("expected/exit")).is_ok_and(|exit| exit.starts_with(b"0"));
        if !is_good || case["stdin"].is_string() || case["env"].is_object() {
            return Ok(None);
        }
        let mut folder = Folder {
            files: Vec::new(),
            values: Vec::new(),
            values_yaml: Vec::new(),
            values_files: Vec::new(),
            known: OnceLock::new(),
        };
        let at = path.join("files");
        let mut arguments = case["args"].as_array().into_iter().flatten().filter_map(Json::as_str);
        while let Some(flag) = arguments.next() {
            let Some(value) = arguments.next() else { return Ok(None) };
            match flag {
                "-f" | "--file" => files(&at.join(value), "", &mut folder.files)?,
                "-v" | "--data-value" => folder.values.push(value.to_owned()),
                "--data-value-yaml" => folder.values_yaml.push(value.to_owned()),
                "--data-values-file" => match fs::read(at.join(value)) {
                    Ok(bytes) => folder.values_files.push((format!("/named/{value}"), bytes)),
                    Err(_) => return Ok(None),
                },
                "-o" | "--output" | "--output-files" => {}
                _ => return Ok(None),
            }
        }
        folder.files.sort();
        let is_one_each = folder.files.windows(2).all(|pair| pair[0].0 != pair[1].0);
        Ok(Some(folder).filter(|folder| is_one_each && !folder.files.is_empty()))
    }

    /// What is wrong before anything is planted; nothing if that is already a fault of ytt.
    fn findings_before(&self) -> Option<BTreeMap<Identity, usize>> {
        let mut known = BTreeMap::new();
        let (run, _) = self.run(&Planted::default());
        for finding in run.outcome.findings() {
            if finding.code.id.starts_with("TL10") && finding.severity == Severity::Error {
                return None;
            }
            *known.entry(identity(finding)).or_default() += 1;
        }
        Some(known)
    }

    /// The texts of the folder itself, without its libraries.
    fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(name, bytes)| {
            let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
            let is_own = is_yaml && !name.contains("_ytt_lib/") && !name.contains(".lib.");
            let text = std::str::from_utf8(bytes).ok().filter(|text| is_own && !text.contains('\r'))?;
            Some((name.as_str(), text))
        })
    }

    /// The files with documents of an annotation.
    fn annotated(&self, annotation: &str) -> Vec<(&str, &str)> {
        let line = format!("#@{annotation}");
        let has = |text: &str| {
            text.lines().any(|known| known.trim_end() == line) && !text.contains("#@library/ref")
        };
        self.texts().filter(|(_, text)| has(text)).collect()
    }

    /// The leaves of the schema, or of the data values where there is none.
    fn leaves(&self, annotation: &str) -> Vec<Spot> {
        let mut spots = Vec::new();
        // Overlays may take away what another file declares.
        for (_, text) in
            self.annotated(annotation).into_iter().filter(|(_, text)| !text.contains("#@overlay/"))
        {
            let text: Arc<str> = text.into();
            let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
            for document in stream.documents.iter().filter(|_| stream.errors.is_empty()) {
                leaves(document.root(), &text, &mut Vec::new(), &mut spots);
            }
        }
        spots
    }

    /// The leaf that is tried as the `index`th.
    fn leaf(&self, annotation: &str, index: usize) -> Option<Spot> {
        let mut leaves = self.leaves(annotation);
        let step = (leaves.len() / TRIES).max(1);
        let place = index * step + step / 2;
        (place < leaves.len()).then(|| leaves.swap_remove(place))
    }

    fn has_schema(&self) -> bool {
        !self.annotated(SCHEMA).is_empty()
    }

    /// A declaration that no schema can have, or a default of another type.
    fn schema_type(&self, index: usize) -> Option<Planted> {
        let variants =
            [("planted: null", 10), ("planted: [1, 2]", 10), ("#@schema/default 5\nplanted: a", 1)];
        let size: usize = self.files.iter().map(|(_, bytes)| bytes.len()).sum();
        let (lines, column) = variants[size % variants.len()];
        if !self.has_schema() {
            // With a schema all data values have to be declared.
            if index > 0 || !self.annotated(VALUES).is_empty() || !self.values.is_empty() {
                return None;
            }
            let text = format!("#@data/values-schema\n---\n{lines}\n");
            let place = Place::new(OWN_FILE, 3, column);
            return Some(Planted { files: vec![(OWN_FILE.to_owned(), text)], place, ..Planted::default() });
        }
        let schemas = self.annotated(SCHEMA);
        let (name, text) = *schemas.get(index % schemas.len())?;
        // Before a line with a key of the document that nothing belongs to.
        let starts: Vec<usize> = line_starts(text)
            .filter(|&(before, start)| {
                let line = text[start..].lines().next().unwrap_or_default();
                let is_key = line.starts_with(|first: char| first.is_ascii_alphabetic());
                is_key && line.contains(':') && !before.trim_start().starts_with("#@")
            })
            .map(|(_, start)| start)
            .collect();
        let start = *starts.get(starts.len() / 2 + index / schemas.len())?;
        let line = text[..start].matches('\n').count() as u32 + 1;
        let text = format!("{}{lines}\n{}", &text[..start], &text[start..]);
        let place = Place::new(name, line, column);
        Some(Planted { files: vec![(name.to_owned(), text)], place, ..Planted::default() })
    }

    /// A value of another type than the schema declares; where there is no schema, one that is not there to be
    /// overlaid.
    fn value_in_file(&self, index: usize) -> Option<Planted> {
        if !self.has_schema() {
            if index > 0 || self.annotated(VALUES).is_empty() {
                return None;
            }
            let text = "#@data/values\n---\nplanted_key: 1\n".to_owned();
            let place = Place::new(OWN_FILE, 3, 1);
            return Some(Planted { files: vec![(OWN_FILE.to_owned(), text)], place, ..Planted::default() });
        }
        let leaf = self.leaf(SCHEMA, index)?;
        let mut text = String::new();
        for (depth, name) in leaf.path.iter().enumerate() {
            text.push_str(&format!("{}{name}:\n", "  ".repeat(depth)));
        }
        text.pop();
        let line = leaf.path.len() as u32;
        let column = text.lines().last().map_or(0, str::len) as u32 + 2;
        text.push_str(if leaf.is_string { " 12345\n" } else { " planted\n" });
        Some(if self.files.len().is_multiple_of(2) {
            let place = Place::new(VALUES_FILE, line, column);
            Planted { values_file: Some(text), place, ..Planted::default() }
        } else {
            let place = Place::new(OWN_FILE, line + 2, column);
            let text = format!("#@data/values\n---\n{text}");
            Planted { files: vec![(OWN_FILE.to_owned(), text)], place, ..Planted::default() }
        })
    }

    /// The same in a flag; where there is no schema, a value below one that is not a map.
    fn value_in_flag(&self, index: usize) -> Option<Planted> {
        if !self.has_schema() {
            let leaf = self.leaf(VALUES, index)?;
            let path = leaf.path.join(".");
            let column = path.rfind('.').map_or(0, |dot| dot + 1) as u32 + 1;
            let flag = format!("{path}.planted=x");
            let place = Place::new(format!("flag {flag}"), 1, column);
            return Some(Planted { values: vec![flag], place, ..Planted::default() });
        }
        let leaf = self.leaf(SCHEMA, index)?;
        let path = leaf.path.join(".");
        let flag = format!("{path}={}", if leaf.is_string { "12345" } else { "planted" });
        let place = Place::new(format!("flag {flag}"), 1, path.len() as u32 + 2);
        Some(Planted { values_yaml: vec![flag], place, ..Planted::default() })
    }

    /// Code that fails in a template: a line of its own, or the value of a node.
    fn template_line(&self, index: usize) -> Option<Planted> {
        let is_template = |(_, text): &(&str, &str)| {
            text.contains("#@")
                && !text.contains("#@data/values")
                && !text.contains("#@schema/")
                && !has_others(text)
        };
        let templates: Vec<(&str, &str)> = self.texts().filter(is_template).collect();
        let (name, text) = *templates.get(templates.len() / 2 + index)?;
        let mut text = text.trim_end().to_owned();
        let (lines, column) = match text.len() % 3 {
            0 => ("---\nplanted: #@ 1 // 0\n", 13),
            1 => ("---\n#@ planted = {}[\"planted\"]\n", 4),
            _ => ("---\nplanted: #@ planted_name\n", 13),
        };
        text.push('\n');
        let line = text.matches('\n').count() as u32 + 2;
        text.push_str(lines);
        let place = Place::new(name, line, column);
        Some(Planted { files: vec![(name.to_owned(), text)], place, ..Planted::default() })
    }

    /// An overlay that matches nothing: a document, or a key of documents.
    fn unmatched_overlay(&self, index: usize) -> Option<Planted> {
        if index > 1 {
            return None;
        }
        let (text, line) = match (self.files.len() + index) % 2 {
            0 => ("#@overlay/match by=overlay.subset({\"kind\": \"Planted\"})\n---\nplanted: 1\n", 3),
            _ => ("#@overlay/match by=overlay.all, expects=\"0+\"\n---\nplanted_key: 1\n", 4),
        };
        let text = format!("#@ load(\"@ytt:overlay\", \"overlay\")\n{text}");
        let place = Place::new(OWN_FILE, line, 1);
        Some(Planted { files: vec![(OWN_FILE.to_owned(), text)], place, ..Planted::default() })
    }

    fn run(&self, planted: &Planted) -> (Run, Arc<SourceMap>) {
        let mut system = MemorySystem::new().seen_from("/folder");
        for (name, bytes) in &self.files {
            system = system.with_file(&format!("/folder/{name}"), bytes.clone());
        }
        for (name, text) in &planted.files {
            system = system.with_file(&format!("/folder/{name}"), text.clone());
        }
        let mut values_files = self.values_files.clone();
        values_files.extend(
            planted.values_file.iter().map(|text| (VALUES_FILE.to_owned(), text.clone().into_bytes())),
        );
        let names = values_files.iter().map(|(name, _)| name.clone()).collect();
        for (name, bytes) in &values_files {
            system = system.with_file(name, bytes.clone());
        }
        let all = |own: &[String], planted: &[String]| own.iter().chain(planted).cloned().collect();
        let ytt = YttSettings {
            values: all(&self.values, &planted.values),
            values_yaml: all(&self.values_yaml, &planted.values_yaml),
            files: names,
            ..YttSettings::default()
        };
        super::checked(system, Settings { kind: Some(InputKind::Ytt), ytt, ..Settings::default() })
    }
}

const SCHEMA: &str = "data/values-schema";
const VALUES: &str = "data/values";

/// Whether a file may have comments that no template has.
fn has_others(text: &str) -> bool {
    text.lines().any(|line| {
        let own = line.trim_start();
        own.starts_with('#') && !own.starts_with("#@") && !own.starts_with("#!") || line.contains(" # ")
    })
}

/// The starts of lines but the first, each with the line before it.
fn line_starts(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.match_indices('\n').filter(|(end, _)| end + 1 < text.len()).map(|(end, _)| {
        let start = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        (&text[start..end], end + 1)
    })
}

/// The leaves below a node that are typed and that no annotation or code is about.
fn leaves(node: NodeRef<'_>, text: &str, path: &mut Vec<String>, spots: &mut Vec<Spot>) {
    for (key, value) in node.written_entries().into_iter().flatten() {
        let name = key.key_text().into_owned();
        let is_plain =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let start = text[..key.span().start as usize].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let before = text[..start].trim_end().lines().last().unwrap_or_default();
        let is_free = !line.contains("#@") && !before.trim_start().starts_with("#@");
        if !is_plain || !is_free || value.alias_target().is_some() || value.anchor().is_some() {
            continue;
        }
        path.push(name);
        match value.scalar() {
            _ if value.entries().is_some() => leaves(value, text, path, spots),
            Some(ScalarValue::String) => spots.push(Spot { path: path.clone(), is_string: true }),
            Some(ScalarValue::Bool(_) | ScalarValue::Int(_)) => {
                spots.push(Spot { path: path.clone(), is_string: false });
            }
            _ => {}
        }
        path.pop();
    }
}

/// The files below a path, or the one file that it is.
fn files(path: &Path, below: &str, found: &mut Vec<(String, Vec<u8>)>) -> Result<(), String> {
    if path.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if below.is_empty() { name.into_owned() } else { below.to_owned() };
        found.push((name, fs::read(path).map_err(|error| error.to_string())?));
    } else if path.is_dir() {
        for entry in super::ytt::sorted(path)? {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let below = if below.is_empty() { name } else { format!("{below}/{name}") };
            files(&entry, &below, found)?;
        }
    }
    Ok(())
}
