//! What became of one value: who set it, what that replaced, and which templates read it.

use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::paths::Step;
use super::{Usage, imported};
use crate::refusal::{Refusal, RefusalKind};

/// What became of one value.
#[derive(Debug, Clone)]
pub struct Story {
    /// Everything that sets it, from the weakest to the strongest.
    pub set: Vec<Setting>,
    /// Where templates read it.
    pub reads: Vec<ValueRead>,
    /// How many keys of the path are known; all of them, if something sets or reads the value.
    pub known: usize,
    /// The names that are set or read beside the first key that is not known, for whoever has misspelt it.
    pub neighbours: Vec<String>,
}

/// One place that sets a value.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The place of the value.
    pub span: Option<Span>,
    /// The value there. A map is merged with those below and above it.
    pub value: Value,
    /// How much of the path leads to it: less than the whole if something above the value is no map.
    pub depth: usize,
}

/// A place in a template that reads a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRead {
    /// The place.
    pub span: Span,
    /// What is read there.
    pub reach: Reach,
}

/// What is read of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The value itself.
    Itself,
    /// All of a map that it is a part of.
    Above,
    /// Something below it.
    Below,
}

/// The keys of a path such as `a.b[0]["c.d"]`.
pub fn keys_of_path(path: &str) -> Result<Vec<String>, Refusal> {
    keys_in(path).map_err(|text| RefusalKind::Syntax.of(text))
}

fn keys_in(path: &str) -> Result<Vec<String>, &'static str> {
    let mut keys = Vec::new();
    let mut rest = path.strip_prefix(".Values.").or_else(|| path.strip_prefix("Values.")).unwrap_or(path);
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('[') {
            let (key, behind) = match behind.strip_prefix('"') {
                Some(behind) => behind.split_once("\"]").ok_or("a `[\"` without its `\"]`")?,
                None => behind.split_once(']').ok_or("a `[` without its `]`")?,
            };
            keys.push(key.to_owned());
            rest = behind;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (key, behind) = rest.split_at(end);
            if key.is_empty() {
                return Err("a name is missing between two dots");
            }
            keys.push(key.to_owned());
            rest = behind;
        }
        rest = match rest.strip_prefix('.') {
            Some("") => return Err("a name is missing after the last dot"),
            Some(behind) => behind,
            None => rest,
        };
    }
    if keys.is_empty() { Err("no name") } else { Ok(keys) }
}

impl Usage {
    /// What became of the value at the end of some keys. `given` are the values of each file and flag, from the
    /// weakest to the strongest.
    pub fn story(&self, keys: &[String], given: &[Value]) -> Story {
        let mut set = imported::defaults(&self.chart, keys);
        for values in given {
            set.extend(Setting::of(values, keys));
        }
        // Everybody's globals are those of the root chart, where they are set there.
        if let Some(start) = self.globals_in(keys) {
            let keys = keys.get(start..).unwrap_or_default();
            set.extend(Setting::of(&self.chart.values, keys));
            set.extend(given.iter().filter_map(|values| Setting::of(values, keys)));
        }
        let (known, neighbours) = self.neighbours(keys);
        let mut reads = self.reads_of(keys);
        for place in imported::places(&self.chart, keys) {
            for read in self.reads_of(&place) {
                if !reads.iter().any(|known| known.span == read.span) {
                    reads.push(read);
                }
            }
        }
        Story { set, reads, known, neighbours }
    }

    /// Where `global` stands in keys that lead into a subchart.
    fn globals_in(&self, keys: &[String]) -> Option<usize> {
        let start = keys.iter().position(|key| key == "global").filter(|start| *start > 0)?;
        let above: Vec<Step> = keys.iter().take(start).map(|key| Step::Key(key.as_str().into())).collect();
        self.charts.contains(&above).then_some(start)
    }

    fn reads_of(&self, keys: &[String]) -> Vec<ValueRead> {
        let mut view = self.paths.at_root();
        let mut reads: Vec<ValueRead> = Vec::new();
        let mut add = |spans: Vec<Span>, reach| {
            for span in spans {
                if !reads.iter().any(|read| read.span == span) {
                    reads.push(ValueRead { span, reach });
                }
            }
        };
        for key in keys {
            if view.is_whole() {
                add(view.reads(), Reach::Above);
            }
            view = match key.parse::<usize>() {
                Ok(_) if view.key(key).is_empty() => view.item(),
                _ => view.key(key),
            };
        }
        add(view.reads(), Reach::Itself);
        add(view.reads_below(), Reach::Below);
        reads.sort_by_key(|read| (read.reach, read.span.source, read.span.start));
        reads
    }

    fn neighbours(&self, keys: &[String]) -> (usize, Vec<String>) {
        let mut view = self.paths.at_root();
        let mut value = Some(&self.values);
        for (known, key) in keys.iter().enumerate() {
            let (below, inside) = (view.key(key), value.and_then(|value| value.get(key)));
            if below.is_empty() && inside.is_none() {
                let mut names: Vec<String> = view.names().into_iter().map(str::to_owned).collect();
                if let Some(Value { data: Data::Map(map), .. }) = value {
                    names.extend(map.keys().map(ToString::to_string));
                }
                names.sort_unstable();
                names.dedup();
                return (known, names);
            }
            (view, value) = (below, inside);
        }
        (keys.len(), Vec::new())
    }
}

impl Setting {
    /// What some values say about the end of keys, or about something above it that is no map.
    pub(super) fn of(values: &Value, keys: &[String]) -> Option<Setting> {
        let mut value = values;
        let mut span = None;
        for (depth, key) in keys.iter().enumerate() {
            value = match &value.data {
                Data::Map(map) => {
                    let entry = map.get(key.as_str())?;
                    span = entry.value.origin.or(entry.key_origin);
                    &entry.value
                }
                Data::List(items) => {
                    let item = items.get(key.parse::<usize>().ok()?)?;
                    span = item.origin;
                    item
                }
                _ => return Some(Setting { span, value: value.clone(), depth }),
            };
        }
        Some(Setting { span, value: value.clone(), depth: keys.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        for (path, expected) in [
            ("a", Ok(vec!["a"])),
            (".Values.a.b", Ok(vec!["a", "b"])),
            ("a[0].b", Ok(vec!["a", "0", "b"])),
            ("a[\"x.y/z\"].b", Ok(vec!["a", "x.y/z", "b"])),
            ("a..b", Err(())),
            ("a.", Err(())),
            ("", Err(())),
            ("a[", Err(())),
        ] {
            let keys = keys_of_path(path).map_err(|_| ());
            assert_eq!(keys, expected.map(|keys| keys.into_iter().map(str::to_owned).collect()), "{path}");
        }
    }
}
