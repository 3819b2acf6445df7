//! `trueline explain-value`: what became of one value of a chart.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use trueline_analysis::{ConfigChoice, Inputs};
use trueline_diagnostic::{is_secret_name, nearest};
use trueline_helm::chart::{self, Compat};
use trueline_helm::engine::Texts;
use trueline_helm::usage::{Reach, Setting, Story, Usage, keys_of_path};
use trueline_helm::values::ValueOptions;
use trueline_report::{harmless, harmless_json};
use trueline_schema::Network;
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Data, Value};

use super::{Ended, INVALID, VALID, say};
use crate::chart_flags::ValueFlags;
use crate::world::World;

/// The longest text of a value that is shown.
const LONGEST: usize = 60;

/// Explain a value of a chart: which file or flag sets it, what that replaces, which templates read it
///
/// PATH is written as in templates, such as image.tag, hosts[0].name or podLabels["example.com/team"]; the values of
/// a subchart stand under its name.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  trueline explain-value charts/web image.tag
  trueline explain-value charts/web image.tag -f prod.yaml --set image.tag=1.2.3
  trueline explain-value charts/web redis.auth.enabled --format json

Exit codes: 0 the value is set or read, 1 nothing sets or reads it, 2 could not run.")]
pub(crate) struct ExplainValue {
    /// The chart: a directory or an archive
    #[arg(value_name = "CHART", value_hint = ValueHint::AnyPath)]
    chart: PathBuf,

    /// The value
    #[arg(value_name = "PATH")]
    path: String,

    #[command(flatten)]
    values: ValueFlags,

    /// Format of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: AnswerFormat,

    /// Fetch nothing: values files cannot be addresses
    #[arg(long)]
    offline: bool,
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

impl ExplainValue {
    pub(crate) fn run(self) -> Ended {
        let keys = keys_of_path(&self.path)
            .map_err(|wrong| format!("the path `{}` cannot be read: {wrong}", self.path))?;
        let sources = Arc::new(SourceMap::new());
        let mut world = World::of_process()?;
        let network = if self.offline { Network::Offline } else { Network::Allowed };
        let mut read = |name: &str| crate::helm::values::read(&mut world, name, network);
        let options = self.values.options();
        let merged = options.merge(&sources, Compat::Helm4, &mut read).map_err(|error| error.to_string())?;
        let mut given = Vec::new();
        for one in one_by_one(&options) {
            let values = one.merge(&sources, Compat::Helm4, &mut read).map_err(|error| error.to_string())?;
            given.push(values);
        }
        let chart = self.load(&world, &sources)?;
        let texts = Texts::read(&chart, Compat::Helm4);
        let Some(usage) = Usage::of(&chart, &texts, &merged, Compat::Helm4) else {
            return Err("the chart cannot be looked through; `trueline check` says why".to_owned());
        };
        let story = usage.story(&keys, &given);
        let secrets = trueline_analysis::typed_into_secrets(&chart, &texts, &merged, &sources);
        let is_secret =
            keys.iter().any(|key| is_secret_name(key)) || ends_in_secret(&story, &secrets, &sources);
        hide_in_flags(&story, &secrets, &sources, is_secret);
        let answer = Answer { path: &self.path, keys: &keys, story, sources: &sources, is_secret };
        let text = match self.format {
            AnswerFormat::Text => harmless(&answer.text()).into_owned(),
            AnswerFormat::Json => harmless_json(answer.json()),
        };
        say(&text)?;
        Ok(if answer.story.set.is_empty() && answer.story.reads.is_empty() { INVALID } else { VALID })
    }

    fn load(&self, world: &World, sources: &SourceMap) -> Result<chart::Chart, String> {
        let place = Inputs::new(world.system(), ConfigChoice::None)?.place(&self.chart);
        let shown = self.chart.display().to_string();
        let request = chart::Request {
            loader: &*place.loader,
            path: &place.path,
            absolute: &shown,
            sources,
            compat: Compat::Helm4,
        };
        let loaded = chart::load(&request).map_err(|failure| format!("{shown}: {failure}"))?;
        Ok(loaded.chart)
    }
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

struct Answer<'a> {
    path: &'a str,
    keys: &'a [String],
    story: Story,
    sources: &'a SourceMap,
    /// Whether a name on the way belongs to a secret, or the value ends in a Secret: then none is shown.
    is_secret: bool,
}

impl Answer<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        let Story { set, reads, .. } = &self.story;
        let _ = writeln!(text, "{}", self.path);
        if set.is_empty() {
            let _ = writeln!(text, "  nothing sets it");
        }
        for (index, setting) in set.iter().rev().enumerate() {
            let heading = match (&setting.value.data, index) {
                (_, 0) => "set by",
                (Data::Map(_), _) => "merged with",
                _ => "replaces",
            };
            let note = if setting.depth < self.keys.len() { ", which is no map" } else { "" };
            let _ =
                writeln!(text, "  {heading:<12}{}  {}{note}", self.place(setting.span), self.shown(setting));
        }
        if reads.is_empty() {
            let _ = writeln!(text, "  no template reads it");
        }
        for (index, read) in reads.iter().enumerate() {
            let heading = if index == 0 { "read by" } else { "" };
            let reach = match read.reach {
                Reach::Itself => "",
                Reach::Above => "  with everything around it",
                Reach::Below => "  something below it",
            };
            let _ = writeln!(text, "  {heading:<12}{}{reach}", self.place(Some(read.span)));
        }
        if set.is_empty()
            && reads.is_empty()
            && let Some(meant) = self.meant()
        {
            let _ = writeln!(text, "  did you mean `{meant}`?");
        }
        text
    }

    fn meant(&self) -> Option<String> {
        let known = self.story.known;
        let meant = nearest(self.keys.get(known)?, self.story.neighbours.iter().map(String::as_str))?;
        let (above, below) = (self.keys.iter().take(known), self.keys.iter().skip(known + 1));
        let keys = above.map(String::as_str).chain([meant]).chain(below.map(String::as_str));
        Some(keys.collect::<Vec<_>>().join("."))
    }

    fn json(&self) -> String {
        let place = |span: Option<Span>| {
            let span = span
                .map(|span| (self.sources.get(span.source).name().to_owned(), self.sources.position(span)));
            span.map(|(file, position)| {
                serde_json::json!({ "file": file, "line": position.line, "column": position.column })
            })
        };
        let set: Vec<_> = self
            .story
            .set
            .iter()
            .rev()
            .map(|setting| {
                let is_secret = self.is_secret || holds_secret(&setting.value);
                let value = if is_secret { None } else { Some(setting.value.to_serde()) };
                serde_json::json!({
                    "place": place(setting.span),
                    "value": value,
                    "keys": setting.depth,
                })
            })
            .collect();
        let read: Vec<_> = self
            .story
            .reads
            .iter()
            .map(|read| {
                let reach = match read.reach {
                    Reach::Itself => "itself",
                    Reach::Above => "above",
                    Reach::Below => "below",
                };
                serde_json::json!({ "place": place(Some(read.span)), "reach": reach })
            })
            .collect();
        let answer = serde_json::json!({
            "path": self.path,
            "keys": self.keys,
            "set": set,
            "read": read,
            "meant": if set.is_empty() && read.is_empty() { self.meant() } else { None },
        });
        format!("{answer:#}\n")
    }

    fn shown(&self, setting: &Setting) -> String {
        if self.is_secret || holds_secret(&setting.value) {
            return "(not shown)".to_owned();
        }
        let text = setting.value.to_json_text().unwrap_or_default();
        match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
            Some(start) => format!("{start}…"),
            None => text,
        }
    }

    fn place(&self, span: Option<Span>) -> String {
        let Some(span) = span else { return "(no place)".to_owned() };
        let position = self.sources.position(span);
        let name = self.sources.get(span.source).name().to_owned();
        format!("{name}:{}:{}", position.line, position.column)
    }
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
