//! `trueline explain-value`: what became of one value of a chart.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use trueline_analysis::{Reach, ValueQuestion, ValueSetting, ValueStory};
use trueline_report::{harmless, harmless_json};
use trueline_source::{Network, Span};

use super::{Ended, INVALID, VALID, say};
use crate::chart_flags::ValueFlags;
use crate::machine::Machine;

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
        let question = ValueQuestion {
            chart: self.chart,
            path: self.path,
            values: self.values.options(),
            network: if self.offline { Network::Offline } else { Network::Allowed },
        };
        let system = Arc::new(Machine::of_process()?);
        let story = ValueStory::of(&question, system)?;
        let answer = Answer { path: &question.path, story: &story };
        let text = match self.format {
            AnswerFormat::Text => harmless(&answer.text()).into_owned(),
            AnswerFormat::Json => harmless_json(answer.json()),
        };
        say(&text)?;
        Ok(if story.set.is_empty() && story.reads.is_empty() { INVALID } else { VALID })
    }
}

/// What is printed.
struct Answer<'a> {
    path: &'a str,
    story: &'a ValueStory,
}

impl Answer<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        let ValueStory { keys, set, reads, meant, .. } = self.story;
        let _ = writeln!(text, "{}", self.path);
        if set.is_empty() {
            let _ = writeln!(text, "  nothing sets it");
        }
        for (index, setting) in set.iter().enumerate() {
            let heading = match (setting.is_map, index) {
                (_, 0) => "set by",
                (true, _) => "merged with",
                _ => "replaces",
            };
            let note = if setting.depth < keys.len() { ", which is no map" } else { "" };
            let _ = writeln!(text, "  {heading:<12}{}  {}{note}", self.place(setting.place), shown(setting));
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
        if let Some(meant) = meant {
            let _ = writeln!(text, "  did you mean `{meant}`?");
        }
        text
    }

    fn json(&self) -> String {
        let sources = self.story.sources();
        let place = |span: Option<Span>| {
            let span = span.map(|span| (sources.get(span.source).name().to_owned(), sources.position(span)));
            span.map(|(file, position)| {
                serde_json::json!({ "file": file, "line": position.line, "column": position.column })
            })
        };
        let set = self.story.set.iter().map(|setting| {
            serde_json::json!({
                "place": place(setting.place),
                "value": setting.value.as_ref().map(|value| value.to_serde()),
                "keys": setting.depth,
            })
        });
        let read = self.story.reads.iter().map(|read| {
            let reach = match read.reach {
                Reach::Itself => "itself",
                Reach::Above => "above",
                Reach::Below => "below",
            };
            serde_json::json!({ "place": place(Some(read.span)), "reach": reach })
        });
        let answer = serde_json::json!({
            "path": self.path,
            "keys": self.story.keys,
            "set": set.collect::<Vec<_>>(),
            "read": read.collect::<Vec<_>>(),
            "meant": self.story.meant,
        });
        format!("{answer:#}\n")
    }

    fn place(&self, span: Option<Span>) -> String {
        let Some(span) = span else { return "(no place)".to_owned() };
        let sources = self.story.sources();
        let position = sources.position(span);
        let name = sources.get(span.source).name().to_owned();
        format!("{name}:{}:{}", position.line, position.column)
    }
}

fn shown(setting: &ValueSetting) -> String {
    let Some(value) = &setting.value else { return "(not shown)".to_owned() };
    let text = value.to_json_text().unwrap_or_default();
    match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("{start}…"),
        None => text,
    }
}
