//! What became of one value of a chart: who sets it, what that replaces, which templates read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_diagnostic::{is_secret_name, nearest};
use trueline_helm::Refusal;
use trueline_helm::chart::{self, LoadFailure};
use trueline_helm::engine::Texts;
use trueline_helm::usage::{Setting, Story, Usage, ValueRead, keys_of_path};
use trueline_helm::values::{ValueError, ValueOptions, read_given};
use trueline_source::{Network, SourceKind, SourceMap, Span, System};
use trueline_yaml::{Data, Value};

use crate::chart::{COMPAT, typed_into_secrets};
use crate::discovery::{ConfigChoice, Inputs};
use crate::open_error::OpenError;

/// What is asked about a value.
#[derive(Debug)]
pub struct ValueQuestion {
    /// The chart: a directory or an archive.
    pub chart: PathBuf,
    /// The value, as templates write it.
    pub path: String,
    /// The files and flags that give values.
    pub values: ValueOptions,
    /// Whether values files may be addresses.
    pub network: Network,
}

/// What became of a value.
#[derive(Debug)]
pub struct ValueStory {
    /// The keys on the way to it.
    pub keys: Vec<String>,
    /// What sets it, the strongest first.
    pub set: Vec<ValueSetting>,
    /// Where templates read it.
    pub reads: Vec<ValueRead>,
    /// The value that is probably meant, where nothing sets or reads this one.
    pub meant: Option<String>,
    sources: Arc<SourceMap>,
}

/// A place that sets a value.
#[derive(Debug)]
pub struct ValueSetting {
    /// The place; nothing where it was not typed.
    pub place: Option<Span>,
    /// The value; nothing where it may be a secret.
    pub value: Option<Value>,
    /// Whether the value is a map, which is merged with those below and above it.
    pub is_map: bool,
    /// How many of the keys lead to it: not all where something above the value is no map.
    pub depth: usize,
}

/// Why nothing can be said about a value.
#[derive(Debug)]
pub enum ValueFailure {
    /// The path of the value cannot be read.
    Path(String, Refusal),
    /// The paths that were named cannot be followed.
    Inputs(OpenError),
    /// The values that were given cannot be read.
    Values(ValueError),
    /// The chart cannot be loaded.
    Chart(PathBuf, Box<LoadFailure>),
    /// The templates of the chart cannot be looked through.
    Templates,
}

impl std::fmt::Display for ValueFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ValueFailure::Path(path, wrong) => write!(formatter, "the path `{path}` cannot be read: {wrong}"),
            ValueFailure::Inputs(error) => error.fmt(formatter),
            ValueFailure::Values(error) => error.fmt(formatter),
            ValueFailure::Chart(chart, failure) => write!(formatter, "{}: {failure}", chart.display()),
            ValueFailure::Templates => {
                formatter.write_str("the chart cannot be looked through; `trueline check` says why")
            }
        }
    }
}

impl std::error::Error for ValueFailure {}

impl From<ValueError> for ValueFailure {
    fn from(error: ValueError) -> Self {
        ValueFailure::Values(error)
    }
}

impl ValueStory {
    /// Loads a chart and follows a value through it.
    pub fn of(question: &ValueQuestion, system: Arc<dyn System>) -> Result<Self, ValueFailure> {
        let path = &question.path;
        let keys = keys_of_path(path).map_err(|wrong| ValueFailure::Path(path.clone(), wrong))?;
        let sources = Arc::new(SourceMap::new());
        let fetch = system.fetch(question.network);
        let mut read = |name: &str| read_given(&*system, &*fetch, name);
        let merged = question.values.merge(&sources, COMPAT, &mut read)?;
        let mut given = Vec::new();
        for one in one_by_one(&question.values) {
            given.push(one.merge(&sources, COMPAT, &mut read)?);
        }
        let chart = load(&question.chart, Arc::clone(&system), &sources)?;
        let texts = Texts::read(&chart, COMPAT);
        let usage = Usage::of(&chart, &texts, &merged, COMPAT).ok_or(ValueFailure::Templates)?;
        let story = usage.story(&keys, &given);
        let secrets = typed_into_secrets(&chart, &texts, &merged, &sources);
        let is_secret =
            keys.iter().any(|key| is_secret_name(key)) || ends_in_secret(&story, &secrets, &sources);
        hide_in_flags(&story, &secrets, &sources, is_secret);
        let is_unknown = story.set.is_empty() && story.reads.is_empty();
        let meant = if is_unknown { meant(&story, &keys) } else { None };
        let shown = |setting: Setting| ValueSetting {
            place: setting.span,
            is_map: matches!(setting.value.data, Data::Map(_)),
            depth: setting.depth,
            value: (!is_secret && !holds_secret(&setting.value)).then_some(setting.value),
        };
        let set = story.set.into_iter().rev().map(shown).collect();
        Ok(ValueStory { keys, set, reads: story.reads, meant, sources })
    }

    /// The texts that places lead into.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

fn load(chart: &Path, system: Arc<dyn System>, sources: &SourceMap) -> Result<chart::Chart, ValueFailure> {
    let place = Inputs::new(system, ConfigChoice::None).map_err(ValueFailure::Inputs)?.place(chart);
    let shown = chart.display().to_string();
    let request = chart::Request {
        loader: &*place.loader,
        path: &place.path,
        absolute: &shown,
        sources,
        compat: COMPAT,
    };
    let loaded = chart::load(&request);
    Ok(loaded.map_err(|failure| ValueFailure::Chart(chart.to_owned(), Box::new(failure)))?.chart)
}

fn meant(story: &Story, keys: &[String]) -> Option<String> {
    let known = story.known;
    let meant = nearest(keys.get(known)?, story.neighbours.iter().map(String::as_str))?;
    let (above, below) = (keys.iter().take(known), keys.iter().skip(known + 1));
    let keys = above.map(String::as_str).chain([meant]).chain(below.map(String::as_str));
    Some(keys.collect::<Vec<_>>().join("."))
}

/// Each file and flag by itself, in the order in which Helm takes them.
fn one_by_one(options: &ValueOptions) -> Vec<ValueOptions> {
    let each = |list: &[String], make: fn(Vec<String>) -> ValueOptions| {
        list.iter().map(|text| make(vec![text.clone()])).collect::<Vec<_>>()
    };
    // Standard input can be read once only.
    let files: Vec<String> = options.files.iter().filter(|file| file.trim() != "-").cloned().collect();
    [
        each(&files, |files| ValueOptions { files, ..ValueOptions::default() }),
        each(&options.json, |json| ValueOptions { json, ..ValueOptions::default() }),
        each(&options.set, |set| ValueOptions { set, ..ValueOptions::default() }),
        each(&options.string, |string| ValueOptions { string, ..ValueOptions::default() }),
        each(&options.file, |file| ValueOptions { file, ..ValueOptions::default() }),
        each(&options.literal, |literal| ValueOptions { literal, ..ValueOptions::default() }),
    ]
    .concat()
}

/// Whether a value gets into a Secret: it was seen there, or a template reads it in the data of one that was not rendered.
fn ends_in_secret(story: &Story, secrets: &[Span], sources: &SourceMap) -> bool {
    // A flag is a source of its own each time that it is read.
    let is_same = |left: Span, right: Span| {
        left.start < right.end
            && right.start < left.end
            && (left.source == right.source || {
                let [left, right] = [left, right].map(|span| sources.get(span.source));
                left.name() == right.name() && left.text() == right.text()
            })
    };
    let mut places = story.set.iter().filter_map(|setting| setting.span);
    places.any(|place| secrets.iter().any(|secret| is_same(place, *secret)))
        || story.reads.iter().any(|read| is_in_data(sources.get(read.span.source).text(), read.span))
}

/// The name of a flag is its text: what is secret of it is not shown.
fn hide_in_flags(story: &Story, secrets: &[Span], sources: &SourceMap, is_secret: bool) {
    for place in story.set.iter().filter_map(|setting| setting.span) {
        let flag = sources.get(place.source);
        if !matches!(flag.kind(), SourceKind::Flag) {
            continue;
        }
        let same = secrets.iter().filter(|secret| sources.get(secret.source).text() == flag.text());
        let mut hidden: Vec<_> = same.map(|secret| secret.start..secret.end).collect();
        if is_secret {
            let value = flag.text().find('=').map_or(0, |sign| sign + 1);
            let place = place.source.span(value, flag.text().len());
            hidden.push(place.start..place.end);
        }
        sources.hide(place.source, hidden);
    }
}

/// Whether a place in a template stands in the data of a Secret.
fn is_in_data(template: &str, place: Span) -> bool {
    let before = template.get(..place.start as usize).unwrap_or_default();
    let start = before.rfind("\n---").map_or(0, |start| start + 1);
    let rest = template.get(start..).unwrap_or_default();
    let document = rest.get(..rest.find("\n---").unwrap_or(rest.len())).unwrap_or_default();
    let is_field = |line: &&str| line.starts_with(|first: char| first.is_ascii_alphabetic());
    let field = before.get(start..).unwrap_or_default().lines().rfind(is_field).unwrap_or_default();
    let says = |line: &str| {
        let kind = line.strip_prefix("kind:").map(|kind| kind.trim().trim_matches(['"', '\'']));
        kind == Some("Secret") || line.starts_with("stringData:")
    };
    (field.starts_with("data:") || field.starts_with("stringData:")) && document.lines().any(says)
}

/// Whether a map has a name of a secret in it.
fn holds_secret(value: &Value) -> bool {
    match &value.data {
        Data::Map(map) => map.iter().any(|(key, entry)| is_secret_name(key) || holds_secret(&entry.value)),
        Data::List(items) => items.iter().any(holds_secret),
        _ => false,
    }
}
