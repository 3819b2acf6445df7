//! The values of a chart as a table in Markdown: key, type, default and description, from values.yaml, its
//! comments and the chart's own schema.

use serde_json::Value as Json;
use trueline_diagnostic::Diagnostic;
use trueline_schema::{Draft, Outline, SchemaLookup};
use trueline_yaml::json::{Escaping, KeyOrder, Layout, WriteOptions, write};
use trueline_yaml::{Data, Value};

use super::notes::{Note, Notes, below};
use super::subcharts::own_schema;
use super::types::Types;
use super::{notes_of, render};
use crate::chart::Chart;
use crate::schema::SchemaAccess;

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By their keys.
    #[default]
    ByKey,
    /// As values.yaml has them; those that only the schema has come last.
    AsWritten,
}

/// The table of a chart's values; sections that comments name have their own tables, with headings. The error is
/// what is wrong with annotations.
pub fn table(chart: &Chart, order: Order, access: &SchemaAccess) -> Result<String, Vec<Diagnostic>> {
    let notes = notes_of(chart, access, Draft::Draft202012)?;
    let schema = own_schema(chart, access);
    let mut writer = Writer { access, notes: &notes, schema: schema.as_ref(), rows: Vec::new(), schemas: 0 };
    let root = writer.schema.map(SchemaLookup::root);
    writer.map(&chart.values, "", root.as_deref(), Leaves::All);
    let mut rows = writer.rows;
    if order == Order::ByKey {
        rows.sort_by(|one, other| one.key.cmp(&other.key));
    }
    Ok(text(&rows))
}

struct Row {
    key: String,
    kind: String,
    default: String,
    description: String,
    section: Option<String>,
}

/// Which keys get a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// Those that hold no map.
    All,
    /// Those that are described: something above them is, and tells of the rest.
    Described,
}

/// How many places of a schema are looked at for keys that values.yaml does not have.
const MAX_SCHEMAS: usize = 20_000;

struct Writer<'a> {
    access: &'a SchemaAccess,
    notes: &'a Notes,
    schema: Option<&'a Outline>,
    rows: Vec<Row>,
    schemas: usize,
}

impl Writer<'_> {
    /// The rows of a map; `rules` is the place of its schema.
    fn map(&mut self, value: &Value, path: &str, rules: Option<&str>, leaves: Leaves) {
        let Data::Map(map) = &value.data else { return };
        for (key, entry) in map.iter() {
            let path = below(path, key);
            let note = self.notes.of(entry.key_origin, &path);
            let empty = Note::default();
            let note = note.as_deref().unwrap_or(&empty);
            if note.ignored || note.annotation.hidden {
                continue;
            }
            let rules = rules.and_then(|rules| self.property(rules, key));
            let said = self.description(note, rules.as_deref());
            let is_described = !said.is_empty();
            let has_keys = matches!(&entry.value.data, Data::Map(map) if !map.is_empty());
            // A comment above a map is often the heading of what follows; what it holds tells more.
            let is_told = note.is_marked || note.annotation.keywords.contains_key("description");
            let has_row =
                if has_keys { is_described && is_told } else { is_described || leaves == Leaves::All };
            if has_row {
                self.rows.push(Row {
                    kind: self.kind(&entry.value, note, rules.as_deref()),
                    default: note.default.clone().unwrap_or_else(|| default(&entry.value)),
                    description: said,
                    section: note.section.clone(),
                    key: path.clone(),
                });
            }
            if has_keys {
                let leaves = if has_row { Leaves::Described } else { leaves };
                self.map(&entry.value, &path, rules.as_deref(), leaves);
            }
        }
        if let Some(rules) = rules {
            self.unset(value, path, rules, leaves);
        }
    }

    /// The rows of keys that the schema has and the values do not.
    fn unset(&mut self, value: &Value, path: &str, rules: &str, leaves: Leaves) {
        let Some(schema) = self.schema else { return };
        let Some(Json::Object(properties)) = schema.at(&format!("{rules}/properties")) else { return };
        // Every chart has `global`, and whoever reads the table of this one learns nothing from it.
        let is_told = |name: &&String| value.get(name).is_none() && !(path.is_empty() && *name == "global");
        for name in properties.keys().filter(is_told) {
            self.schemas += 1;
            if self.schemas > MAX_SCHEMAS {
                return;
            }
            let rules = self.property(rules, name);
            let keyword = |keyword| rules.as_deref().and_then(|rules| self.keyword(rules, keyword));
            let default = keyword("default").map(|value| code(&value.to_string()));
            let row = Row {
                key: below(path, name),
                kind: rules.as_deref().and_then(|rules| self.kind_of_rules(rules)).unwrap_or_default(),
                default: default.unwrap_or_default(),
                description: self.description(&Note::default(), rules.as_deref()),
                section: None,
            };
            if leaves == Leaves::All || !row.description.is_empty() {
                self.rows.push(row);
            }
        }
    }

    /// The place of the rules for a property, references followed.
    fn property(&self, rules: &str, name: &str) -> Option<String> {
        let schema = self.schema?;
        let name = name.replace('~', "~0").replace('/', "~1");
        let mut place = format!("{rules}/properties/{name}");
        schema.at(&place)?;
        // A reference to a reference to itself ends somewhere.
        for _ in 0..32 {
            let Some(reference) = schema.at(&format!("{place}/$ref")).and_then(Json::as_str) else { break };
            match schema.follow(&place, reference) {
                // What stands beside a reference is closer to the key.
                Some(target) if schema.at(&format!("{place}/description")).is_none() => place = target,
                _ => break,
            }
        }
        Some(place)
    }

    fn keyword(&self, rules: &str, keyword: &str) -> Option<&Json> {
        self.schema?.at(&format!("{rules}/{keyword}"))
    }

    fn description(&self, note: &Note, rules: Option<&str>) -> String {
        let annotated = note.annotation.keywords.get("description").and_then(Json::as_str);
        let by_rules = || rules.and_then(|rules| self.keyword(rules, "description")).and_then(Json::as_str);
        annotated.or(note.description.as_deref()).or_else(by_rules).unwrap_or_default().to_owned()
    }

    fn kind(&self, value: &Value, note: &Note, rules: Option<&str>) -> String {
        if let Some(kind) = &note.kind {
            return kind.clone();
        }
        let annotated = note.annotation.keywords.get("type").and_then(short_names);
        let stated = annotated.or_else(|| rules.and_then(|rules| self.kind_of_rules(rules)));
        stated.unwrap_or_else(|| {
            let names = Types::of(value, &self.access.sources).keyword();
            names.as_ref().and_then(short_names).unwrap_or_else(|| "any".to_owned())
        })
    }

    fn kind_of_rules(&self, rules: &str) -> Option<String> {
        self.keyword(rules, "type").and_then(short_names)
    }
}

/// The types in the short words that such tables use.
fn short_names(types: &Json) -> Option<String> {
    fn short(name: &Json) -> Option<&str> {
        Some(match name.as_str()? {
            "integer" => "int",
            "number" => "float",
            "boolean" => "bool",
            "array" => "list",
            name => name,
        })
    }
    match types {
        Json::Array(names) => {
            names.iter().map(short).collect::<Option<Vec<_>>>().map(|names| names.join(" or "))
        }
        name => short(name).map(str::to_owned),
    }
}

fn default(value: &Value) -> String {
    if matches!(value.data, Data::Null) {
        return code("nil");
    }
    let options =
        WriteOptions { escaping: Escaping::Minimal, layout: Layout::Compact, order: KeyOrder::Given };
    code(&write(&Value::from_serde(&render::plain(value)), options).unwrap_or_default())
}

/// A string in backticks: more of them than the string has in a row.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// A string that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace("\r\n", "\n").replace(['\n', '\r'], "<br>")
}

fn text(rows: &[Row]) -> String {
    let mut sections: Vec<&str> = Vec::new();
    for section in rows.iter().filter_map(|row| row.section.as_deref()) {
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    sections.sort_unstable();
    let mut text = String::new();
    for section in &sections {
        text.push_str(&format!("### {section}\n\n"));
        write_rows(&mut text, rows.iter().filter(|row| row.section.as_deref() == Some(section)));
        text.push('\n');
    }
    let mut others = rows.iter().filter(|row| row.section.is_none()).peekable();
    if !sections.is_empty() && others.peek().is_some() {
        text.push_str("### Other Values\n\n");
    }
    if sections.is_empty() || others.peek().is_some() {
        write_rows(&mut text, others);
    }
    text
}

fn write_rows<'r>(text: &mut String, rows: impl Iterator<Item = &'r Row>) {
    text.push_str("| Key | Type | Default | Description |\n|-----|------|---------|-------------|\n");
    for row in rows {
        text.push('|');
        for text_of_cell in [&row.key, &row.kind, &row.default, &row.description] {
            if !text_of_cell.is_empty() {
                text.push_str(&format!(" {}", cell(text_of_cell)));
            }
            text.push_str(" |");
        }
        text.push('\n');
    }
}
