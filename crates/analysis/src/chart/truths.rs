//! Strings that spell `false` in the place of a boolean: a string that is not empty counts as true in `if`. They are found by
//! trying: the chart is rendered again with the boolean, and if that makes a difference, the string is not what was meant.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_diagnostic::{Diagnostic, Edit, Level};
use trueline_helm::chart::Chart;
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Data, MapEntry, Value};

use super::codes::STRING_FOR_BOOLEAN;

/// No more strings than these are tried, and values are looked at up to this depth.
const MOST: usize = 8;
const DEPTH: usize = 64;

/// Words that are `false` without quotes.
const FALSE: [&str; 3] = ["false", "no", "off"];

/// A string that spells `false`, where the chart itself has a boolean.
pub(super) struct Candidate {
    pub(super) place: Span,
    path: String,
    text: String,
    default: Option<Span>,
}

/// The strings among given values that may be meant as booleans.
pub(super) fn candidates(chart: &Chart, user: &Value) -> Vec<Candidate> {
    let mut found = Vec::new();
    of_chart(chart, &[user], &mut Vec::new(), &mut found);
    found.truncate(MOST);
    found
}

fn of_chart(chart: &Chart, above: &[&Value], keys: &mut Vec<String>, found: &mut Vec<Candidate>) {
    above.iter().for_each(|upper| compare(upper, &chart.values, keys, found));
    for subchart in &chart.dependencies {
        let name = subchart.name();
        let above: Vec<&Value> =
            above.iter().copied().chain([&chart.values]).filter_map(|values| values.get(name)).collect();
        keys.push(name.to_owned());
        of_chart(subchart, &above, keys, found);
        keys.pop();
    }
}

fn compare(upper: &Value, lower: &Value, keys: &mut Vec<String>, found: &mut Vec<Candidate>) {
    let (Data::Map(upper), Data::Map(lower)) = (&upper.data, &lower.data) else { return };
    if keys.len() > DEPTH || found.len() > MOST {
        return;
    }
    for (key, entry) in upper.iter() {
        let Some(default) = lower.get(key) else { continue };
        keys.push(key.to_string());
        if let (Data::String(text), Data::Bool(_), Some(place)) =
            (&entry.value.data, &default.value.data, entry.value.origin)
            && FALSE.iter().any(|word| text.eq_ignore_ascii_case(word))
            && !found.iter().any(|known| known.place == place)
        {
            let (path, text) = (keys.join("."), text.to_string());
            found.push(Candidate { place, path, text, default: default.value.origin });
        }
        compare(&entry.value, &default.value, keys, found);
        keys.pop();
    }
}

/// The same values, with `false` in one place.
pub(super) fn with_false(value: &Value, place: Span) -> Value {
    let data = match &value.data {
        Data::List(items) => Data::List(Arc::new(items.iter().map(|item| with_false(item, place)).collect())),
        Data::Map(map) => {
            let entries = map.iter().map(|(key, entry)| {
                let value = with_false(&entry.value, place);
                (Arc::clone(key), MapEntry { key_origin: entry.key_origin, value })
            });
            Data::Map(Arc::new(entries.collect()))
        }
        Data::String(_) if value.origin == Some(place) => Data::Bool(false),
        other => other.clone(),
    };
    Value { data, origin: value.origin }
}

/// What is said of a string that makes a difference.
pub(super) fn finding(candidate: &Candidate, sources: &SourceMap) -> Diagnostic {
    let Candidate { place, path, text, default } = candidate;
    let message = format!("`{path}` is the string \"{text}\", which counts as true");
    let mut finding = Diagnostic::new(&STRING_FOR_BOOLEAN, *place, message).level(Level::Semantic);
    if let Some(default) = default {
        finding = finding.related(*default, "the chart has a boolean here");
    }
    match sources.get(place.source).kind() {
        SourceKind::File => {
            let edit = Edit { span: *place, replacement: "false".to_owned() };
            finding.help("write it without quotes").fix("write `false`", vec![edit])
        }
        _ => finding.help("give it with `--set`"),
    }
}

/// What was rendered, by name: texts that are the same say that a value makes no difference.
pub(super) fn texts(files: &[trueline_helm::release::RenderedFile]) -> FxHashMap<&str, &[u8]> {
    files.iter().map(|file| (&*file.path, &*file.text)).collect()
}
