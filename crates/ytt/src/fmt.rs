//! `ytt fmt`: templates in one layout. Comments are kept, quotes and flow collections are not.

use crate::tree::{
    ArrayItem, Comment, DocumentSet, JsonOptions, MapItem, Meta, Text, Value, json_of, leaf, read_one,
};

/// The text of documents, read with their comments.
pub fn format(documents: &DocumentSet) -> String {
    let mut writer = Writer::default();
    for (index, document) in documents.documents.iter().enumerate() {
        let notes = writer.comments(&document.meta, "", index == 0);
        if index != 0 || !notes.beside.is_empty() {
            writer.add(Chunk::line("", format!("---{}", notes.beside)));
        }
        if !document.value.is_null() {
            writer.value(&document.value, "");
        }
        if notes.has_lines {
            writer.add(Chunk::space());
        }
    }
    writer.out
}

/// What comments become around a node.
struct Notes {
    /// After the node, on its line.
    beside: String,
    /// Whether there were any on lines of their own.
    has_lines: bool,
}

/// A line, or a part of one.
#[derive(Default)]
struct Chunk {
    indent: String,
    content: String,
    /// Whether the next chunk may go on after it.
    takes_more: bool,
    /// Whether it may come after another.
    may_follow: bool,
    /// Nothing but an empty line before whatever comes next.
    is_space: bool,
}

impl Chunk {
    fn space() -> Self {
        Chunk { is_space: true, ..Chunk::default() }
    }

    fn line(indent: &str, content: String) -> Self {
        Chunk { indent: indent.to_owned(), content, ..Chunk::default() }
    }

    fn part(indent: &str, content: String) -> Self {
        Chunk { may_follow: true, ..Chunk::line(indent, content) }
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    last: Chunk,
}

impl Writer {
    /// The depth is that of YAML that was read, so this may recurse.
    fn value(&mut self, value: &Value, indent: &str) {
        match value {
            Value::Map(map) if !map.items.is_empty() => {
                for (index, item) in map.items.iter().enumerate() {
                    self.map_item(item, indent, index == 0);
                }
            }
            Value::Array(array) if !array.items.is_empty() => {
                for (index, item) in array.items.iter().enumerate() {
                    self.array_item(item, indent, index == 0);
                }
            }
            other => self.add(Chunk::part(indent, on_lines(other).unwrap_or_default())),
        }
    }

    fn map_item(&mut self, item: &MapItem, indent: &str, is_first: bool) {
        let notes = self.comments(&item.meta, indent, is_first);
        let key = key(&item.key);
        if let Some(text) = on_one_line(&item.value, &notes) {
            self.add(Chunk::part(indent, format!("{key}:{text}{}", notes.beside)));
        } else {
            let takes_more = notes.beside.is_empty() && !item.value.is_collection();
            self.add(Chunk { takes_more, ..Chunk::part(indent, format!("{key}:{}", notes.beside)) });
            self.value(&item.value, &format!("{indent}  "));
        }
        self.space_behind(&notes);
    }

    fn array_item(&mut self, item: &ArrayItem, indent: &str, is_first: bool) {
        let notes = self.comments(&item.meta, indent, is_first);
        if let Some(text) = on_one_line(&item.value, &notes) {
            self.add(Chunk::part(indent, format!("-{text}{}", notes.beside)));
        } else {
            let takes_more = notes.beside.is_empty();
            self.add(Chunk { takes_more, ..Chunk::part(indent, format!("-{}", notes.beside)) });
            self.value(&item.value, &format!("{indent}  "));
        }
        self.space_behind(&notes);
    }

    /// Writes the comments above a node, kept apart from the node before it.
    fn comments(&mut self, meta: &Meta, indent: &str, is_first: bool) -> Notes {
        let mut notes = Notes { beside: String::new(), has_lines: false };
        let mut is_apart = is_first;
        let line = meta.position().line();
        for Comment { text, position } in meta.comments() {
            if line.is_some() && line == position.line() {
                notes.beside = format!(" #{text}");
                continue;
            }
            if !is_apart {
                is_apart = true;
                self.add(Chunk::space());
            }
            notes.has_lines = true;
            self.add(Chunk::line(indent, format!("#{text}")));
        }
        notes
    }

    fn space_behind(&mut self, notes: &Notes) {
        if notes.has_lines {
            self.add(Chunk::space());
        }
    }

    fn add(&mut self, chunk: Chunk) {
        if !chunk.is_space {
            if self.last.is_space {
                self.out.push('\n');
            }
            if !self.last.takes_more {
                self.out.push_str(&chunk.indent);
            } else if chunk.may_follow {
                self.out.push(' ');
            } else {
                self.out.push('\n');
                self.out.push_str(&chunk.indent);
            }
            let outer = chunk.indent.get(2..).unwrap_or_default();
            for (index, line) in chunk.content.split('\n').enumerate() {
                if index > 0 {
                    self.out.push('\n');
                    self.out.push_str(outer);
                }
                self.out.push_str(line);
            }
            if !chunk.takes_more {
                self.out.push('\n');
            }
        }
        self.last = chunk;
    }
}

/// A value that is not printed item by item. ytt forgets collections without items and changes what the text means.
fn on_lines(value: &Value) -> Option<String> {
    match value {
        Value::Map(map) if map.items.is_empty() => Some("{}".to_owned()),
        Value::Array(array) if array.items.is_empty() => Some("[]".to_owned()),
        value => leaf(value),
    }
}

/// A value with a space before it, if it fits on the line of its key or dash. With a computed one beside it, a null is
/// left out.
fn on_one_line(value: &Value, notes: &Notes) -> Option<String> {
    if value.is_null() && !notes.beside.is_empty() {
        return Some(String::new());
    }
    on_lines(value).filter(|text| !text.contains('\n')).map(|text| format!(" {text}"))
}

/// A key as YAML, on one line. ytt never quotes keys; here they are quoted where they would be read as something else.
fn key(key: &Value) -> String {
    let quoted = leaf(key).filter(|text| !text.contains('\n'));
    if let Some(raw) = key.as_text().and_then(Text::as_str)
        && quoted.as_deref() != Some(raw)
        && is_read_as_key(raw)
    {
        return raw.to_owned();
    }
    // JSON is YAML too.
    quoted.or_else(|| json_of(key, JsonOptions::default()).ok()).unwrap_or_else(|| key.go_value())
}

/// Whether a string means itself as a key without quotes.
fn is_read_as_key(text: &str) -> bool {
    let Ok(Value::Map(map)) = read_one(format!("{text}: 0\n")) else { return false };
    matches!(&*map.items, [item] if item.key.as_text().is_some_and(|key| *key == text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{File, ReadOptions, read};

    #[test]
    fn templates_get_one_layout() {
        for (text, expected) in [
            ("a: {b: [1, [2]], c: }\n", "a:\n  b:\n    - 1\n    - - 2\n  c: null\n"),
            ("a: #@ 1\nb: x #@ 2\n- c\n", ""),
            ("a: #@ 1\nb: x #@ 2\nc: [1] #@ 3\n", "a: #@ 1\nb: x #@ 2\nc:\n  - 1 #@ 3\n"),
            ("#@ x\na: 1\nb: 2\n#@ y\nc: 3\nd: 4\n", "#@ x\na: 1\n\nb: 2\n\n#@ y\nc: 3\n\nd: 4\n"),
            ("#@data/values\n--- #@ x\na: 1\n", "\n#@data/values\n--- #@ x\na: 1\n"),
            ("- #@ x\n  a: 1\n- #@ y\n", "- #@ x\n  a: 1\n- #@ y\n"),
            ("-\n  #@ x\n  a: 1\n", "-\n  #@ x\n  a: 1\n"),
            ("a: \"p\\nq\"\nb:\n- |\n  r\n  s\n", "a: |-\n  p\n  q\nb:\n  - |\n    r\n    s\n"),
            ("a: {}\nb: [{}, []]\n", "a: {}\nb:\n  - {}\n  - []\n"),
            (
                "'1': a\n2: b\n'y': c\n'a b': d\n? {e: f}\n: g\n",
                "\"1\": a\n2: b\n\"y\": c\na b: d\n{\"e\":\"f\"}: g\n",
            ),
            ("'a: b': 1\n'c:': 2\n\u{1F600}: 3\n", "'a: b': 1\nc:: 2\n\u{1F600}: 3\n"),
            ("\"x\\ny\"\n", "|-\n  x\n  y\n"),
        ] {
            let documents = read(&File::new("", text), &ReadOptions::default());
            let found = documents.map(|documents| format(&documents)).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
            // What it prints is what it would print again.
            if let Ok(again) = read(&File::new("", &*found), &ReadOptions::default()) {
                assert_eq!(format(&again).trim_start(), found.trim_start(), "{text}");
            }
        }
    }
}
