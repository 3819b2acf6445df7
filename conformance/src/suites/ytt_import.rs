//! `trueline ytt schema import` on the schemas of charts: the ytt schema, exported again, has the verdict of the original on
//! the chart's values and on values with one leaf changed, or each violation that only one of the two has is owed to a keyword
//! that is listed: one that the evaluation passes on its way to the violation. The rules of ytt themselves have the verdict of
//! the exported schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};
use trueline_schema::{Access, Formats, Schema, Store, Violation};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{NodeRef, ReadOptions, ScalarValue};
use trueline_ytt::files::{InputFile, in_order};
use trueline_ytt::run::{Formats as Outputs, Inspect, Options, run};
use trueline_ytt::schema::{Unexpressed, import};
use trueline_ytt::tree::Format;
use trueline_ytt::values::{FlagInputs, FlagValue, Flags, FoundFile};

use crate::Case;

static COMPARED: AtomicUsize = AtomicUsize::new(0);
/// How many of the verdicts were compared with what ytt says of the same values.
static RULES: AtomicUsize = AtomicUsize::new(0);
static LISTED: AtomicUsize = AtomicUsize::new(0);
/// The files that cannot be compared, with the reason.
static SKIPPED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
/// How many differences each listed keyword explains.
static BY_KEYWORD: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// One case for each schema; files that are not schemas are counted apart.
pub(crate) fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut paths = Vec::new();
    find(folder, &mut paths)?;
    paths.sort();
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    paths.retain(|path| match unusable(path) {
        Some(reason) => {
            skipped.insert(name(path), reason);
            false
        }
        None => true,
    });
    Ok(paths.into_iter().map(|path| Case::new(name(&path), move || check(&path))).collect())
}

/// What was compared in all.
pub(crate) fn summary() -> String {
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    let skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = format!(
        "{} verdicts compared, {} of them with the rules of ytt, {} differ where it is listed; {} files skipped",
        count(&COMPARED),
        count(&RULES),
        count(&LISTED),
        skipped.len()
    );
    let keywords = BY_KEYWORD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut keywords: Vec<(&String, &usize)> = keywords.iter().collect();
    keywords.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let keywords: Vec<String> =
        keywords.iter().map(|(keyword, count)| format!("{keyword} {count}")).collect();
    text.push_str(&format!("\n  differences by listed keyword: {}", keywords.join(", ")));
    for (name, reason) in &*skipped {
        text.push_str(&format!("\n  skipped {name}: {}", reason.lines().next().unwrap_or_default()));
    }
    text
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            find(&path, paths)?;
        } else if path.ends_with("values.schema.json") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Running ytt takes long: only some values are validated with it.
const RULES_EVERY: usize = 7;

/// Values for `--data-values-file`.
struct Values<'v>(&'v str);

impl FlagInputs for Values<'_> {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        Ok(vec![FoundFile { name: path.to_owned(), bytes: Ok(self.0.as_bytes().into()), source: None }])
    }
}

struct NoFlags;

impl FlagInputs for NoFlags {
    fn environment(&self) -> Vec<String> {
        Vec::new()
    }

    fn find(&self, path: &str) -> Result<Vec<FoundFile>, trueline_ytt::input_error::InputError> {
        Err(trueline_ytt::input_error::InputErrorKind::Unreadable.of(path))
    }
}

fn compiled(text: &str) -> Result<Schema, String> {
    let sources = Arc::new(SourceMap::new());
    let source = sources.add("schema.json", SourceKind::File, text);
    let store = Store::new(sources, Access::default());
    store.text(source, None, Formats::Assert).map_err(|error| error.to_string())
}

/// What a schema says against values; none if it accepts them.
fn violations(schema: &Schema, values: &Json) -> Vec<Violation> {
    let sources = SourceMap::new();
    let text: Arc<str> = values.to_string().into();
    let source = sources.add("values.json", SourceKind::File, Arc::clone(&text));
    match trueline_yaml::json::read(source, &text, Default::default()) {
        Ok(document) => schema.validate(document.root()),
        Err(_) => Vec::new(),
    }
}

/// Why a file is not compared: it is not a schema, or what it refers to is not there.
fn unusable(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    compiled(&text).err()
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let original = compiled(&text)?;
    let sources = SourceMap::new();
    let shared: Arc<str> = text.as_str().into();
    let source = sources.add("values.schema.json", SourceKind::File, Arc::clone(&shared));
    let stream = trueline_yaml::read(source, &shared, &ReadOptions::default());
    let document = stream.documents.first().ok_or("no document")?;
    let imported = import(document.root()).map_err(|error| error.to_string())?;
    let exported = export(&imported.text)?;
    let again = compiled(&exported.to_string()).map_err(|error| format!("{error}\n{exported:#}"))?;
    let compared = Compared {
        original,
        again,
        root: document.root(),
        schema: imported.text.clone(),
        unexpressed: imported.unexpressed,
    };
    let values = fs::read_to_string(path.with_file_name("values.yaml")).unwrap_or_default();
    let shared: Arc<str> = values.as_str().into();
    let source = sources.add("values.yaml", SourceKind::File, Arc::clone(&shared));
    let stream = trueline_yaml::read(source, &shared, &ReadOptions::default());
    let mut values = stream.documents.first().map_or(Json::Null, |document| to_json(document.root()));
    if !values.is_object() {
        values = json!({});
    }
    let explain = |error: String| format!("{error}\n{}\n{exported:#}", imported.text);
    compared.verdict(&values).map_err(explain)?;
    compared.agree(&mut values);
    let mut places = Vec::new();
    leaves(&values, &mut Vec::new(), &mut places);
    for place in places.iter().take(400) {
        for other in
            [json!(null), json!("changed"), json!(12345), json!(true), json!([]), json!(1.5), json!("")]
        {
            let mut changed = values.clone();
            if let Some(leaf) = changed.pointer_mut(&pointer(place)) {
                *leaf = other;
            }
            compared.verdict(&changed).map_err(explain)?;
        }
        let mut changed = values.clone();
        let (last, before) = place.split_last().ok_or("no place")?;
        if let Some(Json::Object(map)) = changed.pointer_mut(&pointer(before)) {
            map.remove(last);
            compared.verdict(&changed).map_err(explain)?;
        }
    }
    Ok(())
}

/// The two schemas, and what the second is known not to say.
struct Compared<'d> {
    original: Schema,
    again: Schema,
    /// The original as it was typed.
    root: NodeRef<'d>,
    /// The ytt schema.
    schema: String,
    unexpressed: Vec<Unexpressed>,
}

impl<'d> Compared<'d> {
    /// That both have one verdict, or that each violation that only one of them has is listed for its place.
    fn verdict(&self, values: &Json) -> Result<(), String> {
        let number = COMPARED.fetch_add(1, Ordering::Relaxed);
        let before = violations(&self.original, values);
        let after = violations(&self.again, values);
        if number.is_multiple_of(RULES_EVERY) {
            self.has_the_verdict_of_the_rules(values, after.is_empty())?;
        }
        if before.is_empty() == after.is_empty() {
            return Ok(());
        }
        let mut keywords = BTreeSet::new();
        let mut unlisted = Vec::new();
        let lost = before.iter().map(|violation| ("original", violation, self.lost(violation)));
        let added = after.iter().map(|violation| ("import", violation, self.added(violation)));
        for (side, at, listed) in lost.chain(added) {
            match listed {
                Some(listed) => {
                    keywords.insert(format!("{} ({})", listed.keyword, listed.effect));
                }
                None => unlisted
                    .push(format!("only the {side} has {} at `{}`", at.evaluation_path, at.instance_path)),
            }
        }
        if unlisted.is_empty() {
            LISTED.fetch_add(1, Ordering::Relaxed);
            let mut all = BY_KEYWORD.lock().unwrap_or_else(PoisonError::into_inner);
            keywords.into_iter().for_each(|keyword| *all.entry(keyword).or_default() += 1);
            return Ok(());
        }
        Err(format!("{}\n{values}", unlisted.join("; ")))
    }

    /// That ytt itself says of the values what the exported schema says.
    fn has_the_verdict_of_the_rules(&self, values: &Json, is_valid: bool) -> Result<(), String> {
        // Lengths are counted in bytes there, and numbers without a fraction may be floats.
        let text = values.to_string();
        if !text.is_ascii() || text.contains(".0") {
            return Ok(());
        }
        RULES.fetch_add(1, Ordering::Relaxed);
        let files = in_order(vec![vec![InputFile::new("schema.yml", self.schema.as_bytes().to_vec())]]);
        let flags = Flags { files: vec![FlagValue::from("values.yml")], ..Flags::default() };
        let options = Options { inspect: Inspect::Values, flags, ..Options::default() };
        let ended = run(files, &options, &Values(&text));
        match (ended.result, is_valid) {
            (Ok(_), true) | (Err(_), false) => Ok(()),
            (Ok(_), false) => Err(format!("the exported schema refuses what ytt accepts\n{values}")),
            (Err(error), true) => {
                Err(format!("the exported schema accepts what ytt refuses: {error}\n{values}"))
            }
        }
    }

    /// Takes out of the values what the schemas disagree on: a change elsewhere would say nothing otherwise.
    fn agree(&self, values: &mut Json) {
        for _ in 0..100 {
            let before = violations(&self.original, values);
            let after = violations(&self.again, values);
            let only = if before.is_empty() { after } else { before };
            let mut is_changed = false;
            for violation in only {
                let path = violation.instance_path.as_str();
                if violation.keyword == "additionalProperties" {
                    if let Some(Json::Object(map)) = values.pointer_mut(path) {
                        map.retain(|key, _| !violation.names.contains(key));
                        is_changed = true;
                    }
                } else if let Some((parent, last)) = path.rsplit_once('/') {
                    let last = last.replace("~1", "/").replace("~0", "~");
                    match values.pointer_mut(parent) {
                        Some(Json::Object(map)) => is_changed |= map.remove(&last).is_some(),
                        // Whole lists are left out: taking items out would move the others.
                        Some(list @ Json::Array(_)) => {
                            *list = json!([]);
                            is_changed = true;
                        }
                        _ => {}
                    }
                }
            }
            if !is_changed {
                return;
            }
        }
    }

    /// What is listed that a violation of the original is owed to: a keyword on the way of its evaluation, or on the way of
    /// everything that is wrong in one of its branches.
    fn lost(&self, violation: &Violation) -> Option<&Unexpressed> {
        let place = dotted(&violation.instance_path);
        let way = self.way(&violation.evaluation_path);
        let own = self.unexpressed.iter().find(|lost| match lost.effect {
            // A map without other keys refuses more and accepts nothing else.
            effect if effect.contains("no other") && lost.keyword == "additionalProperties" => false,
            effect if effect.contains("missing") => {
                violation.keyword == "required"
                    && violation.names.iter().any(|name| lost.path == joined(&place, name))
            }
            effect if effect.contains("null") => {
                violation.got == Some(Json::Null)
                    && lost.path == place
                    && way.iter().any(|passed| passed.has(lost.span))
            }
            _ => is_inside(&lost.path, &place) && way.iter().any(|passed| passed.is_at(lost.span)),
        });
        own.or_else(|| {
            violation.causes.iter().find_map(|branch| {
                let lost: Option<Vec<&Unexpressed>> = branch.iter().map(|cause| self.lost(cause)).collect();
                lost?.first().copied()
            })
        })
    }

    /// The keywords and schemas that an evaluation passes.
    fn way(&self, evaluation_path: &str) -> Vec<Passed<'d>> {
        let mut at = Some(self.root);
        let mut way = vec![Passed { key: None, schema: self.root }];
        for token in evaluation_path.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let Some(node) = at else { break };
            let (key, value) = match node.items() {
                Some(mut items) => (None, token.parse().ok().and_then(|index| items.nth(index))),
                None => node.get_entry(&token).map_or((None, None), |(key, value)| (Some(key), Some(value))),
            };
            let Some(value) = value else { break };
            way.push(Passed { key, schema: value });
            at = Some(value);
            if token == "$ref" {
                let pointer = value.as_str().and_then(|reference| reference.strip_prefix('#'));
                let target = pointer.and_then(|pointer| self.root.at_pointer(pointer));
                way.extend(target.map(|schema| Passed { key: None, schema }));
                at = target;
            }
        }
        way
    }

    /// What is listed for the place of a violation of the import.
    fn added(&self, violation: &Violation) -> Option<&Unexpressed> {
        let place = dotted(&violation.instance_path);
        self.unexpressed.iter().find(|lost| {
            lost.path == place && lost.keyword == violation.keyword && lost.effect.contains("no other")
        })
    }
}

/// A step of an evaluation: into the value of a keyword, or into a schema.
struct Passed<'d> {
    key: Option<NodeRef<'d>>,
    schema: NodeRef<'d>,
}

impl Passed<'_> {
    /// Whether the step is to what is typed at a place.
    fn is_at(&self, span: Span) -> bool {
        self.schema.span() == span || self.key.is_some_and(|key| key.span() == span)
    }

    /// Whether the step is to a schema that is, or has a keyword that is, typed at a place.
    fn has(&self, span: Span) -> bool {
        self.schema.span() == span
            || self.schema.entries().into_iter().flatten().any(|(key, _)| key.span() == span)
    }
}

fn export(schema: &str) -> Result<Json, String> {
    let files = in_order(vec![vec![InputFile::new("schema.yml", schema.as_bytes().to_vec())]]);
    let formats = Outputs(vec!["json-schema".to_owned(), "json".to_owned()]);
    let options = Options { inspect: Inspect::Schema, formats, ..Options::default() };
    let ended = run(files, &options, &NoFlags);
    let printed = ended.result.and_then(|produced| produced.print(Format::Json));
    let text = printed.map_err(|error| format!("the import cannot be used: {error}\n{schema}"))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Whether a place is the outer one or in it.
fn is_inside(outer: &str, inner: &str) -> bool {
    outer.is_empty()
        || inner == outer
        || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn joined(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// A JSON pointer as the import writes places.
fn dotted(pointer: &str) -> String {
    let mut text = String::new();
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        if key.parse::<usize>().is_ok() && !text.is_empty() {
            text.push_str("[]");
        } else {
            text = joined(&text, &key);
        }
    }
    text
}

fn leaves(value: &Json, at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let inside: Vec<(String, &Json)> = match value {
        Json::Object(map) if !map.is_empty() => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Json::Array(items) if !items.is_empty() => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ if at.is_empty() => return,
        _ => {
            places.push(at.clone());
            return;
        }
    };
    for (key, value) in inside {
        at.push(key);
        leaves(value, at, places);
        at.pop();
    }
}

fn pointer(place: &[String]) -> String {
    place.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

fn to_json(node: NodeRef<'_>) -> Json {
    let node = node.alias_target().unwrap_or(node);
    if let Some(items) = node.items() {
        return items.map(to_json).collect();
    }
    if let Some(entries) = node.entries() {
        return Json::Object(
            entries.map(|(key, value)| (key.key_text().into_owned(), to_json(value))).collect(),
        );
    }
    match node.scalar() {
        Some(ScalarValue::Bool(value)) => json!(value),
        Some(ScalarValue::Int(value)) => json!(value),
        Some(ScalarValue::UInt(value)) => json!(value),
        Some(ScalarValue::Float(value)) => json!(value),
        Some(ScalarValue::String) => json!(node.as_str().unwrap_or_default()),
        Some(ScalarValue::Null) | None => Json::Null,
    }
}
