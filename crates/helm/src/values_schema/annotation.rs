//! `@schema` annotations in comments, in the two forms that people write for generators of schemas: a block of
//! YAML between two lines `# @schema`, and a list in one line, `# @schema type:[string, null]; minimum:1`.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use trueline_diagnostic::{Code, Diagnostic, Level, Severity, nearest};
use trueline_schema::Draft;
use trueline_source::{SourceId, Span};
use trueline_yaml::{Dialect, Limits, ReadOptions, SyntaxErrorKind, Value, read};

use super::comments::Line;
use crate::schema::broken_rules;

/// An annotation that cannot be read.
pub static SCHEMA_ANNOTATION: Code = Code {
    id: "TL0670",
    name: "schema-annotation",
    severity: Severity::Error,
    summary: "An `@schema` annotation cannot be read",
    explanation: "A comment of values.yaml can say more about a key than its value does. Either as a block of YAML \
                  between two lines `# @schema`, right above the key, or in one line as a list of keywords with a \
                  semicolon between them, above the key, at the end of its line or right below it:\n\n\
                  `port: 80 # @schema minimum:1; maximum:65535`\n\n\
                  The keywords are those of JSON Schema, and a few more: `required`, `nullable`, `hidden`, `item`, \
                  `itemEnum`, `itemPattern`, `itemProperties`, `itemRef`, `itemRequired`, `mergeProperties`, \
                  `skipProperties` and `const-from-value`.",
    wrong: "replicas: 1 # @schema minimun:1",
    right: "replicas: 1 # @schema minimum:1",
};

/// What annotations say about one key.
#[derive(Debug, Clone, Default)]
pub(super) struct Annotation {
    /// Keywords of JSON Schema.
    pub(super) keywords: Map<String, Json>,
    /// Whether the map that holds the key has to have it.
    pub(super) required: Option<bool>,
    /// Null is allowed besides.
    pub(super) nullable: bool,
    /// The schema does not speak of the key.
    pub(super) hidden: bool,
    /// The schema does not speak of the keys below.
    pub(super) skip_properties: bool,
    /// The keys below are examples of what any key may have.
    pub(super) merge_properties: bool,
    /// The value is the only one allowed.
    pub(super) const_from_value: bool,
    /// Where it was typed.
    pub(super) span: Option<Span>,
}

impl Annotation {
    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.span.is_none()
    }

    fn set(&mut self, keyword: &str, value: Json) {
        let switch = value.as_bool();
        match (keyword, switch) {
            ("required", Some(_)) => self.required = switch,
            ("nullable", Some(on)) => self.nullable = on,
            ("hidden", Some(on)) => self.hidden = on,
            ("skipProperties", Some(on)) => self.skip_properties = on,
            ("mergeProperties", Some(on)) => self.merge_properties = on,
            ("const-from-value", Some(on)) => self.const_from_value = on,
            _ => {
                let mut value = value;
                name_null(keyword, &mut value);
                self.keywords.insert(keyword.to_owned(), value);
            }
        }
    }

    fn set_of_items(&mut self, keyword: &str, value: Json) {
        let items = self.keywords.entry("items").or_insert_with(|| Json::Object(Map::new()));
        if let Json::Object(items) = items {
            items.insert(keyword.to_owned(), value);
        }
    }
}

/// `null` without quotes is YAML's null, and below `type` means the type of that name.
fn name_null(keyword: &str, value: &mut Json) {
    match value {
        Json::Null if keyword == "type" => *value = Json::from("null"),
        Json::Array(items) => items.iter_mut().for_each(|item| name_null(keyword, item)),
        Json::Object(members) if !matches!(keyword, "const" | "default" | "enum" | "examples") => {
            members.iter_mut().for_each(|(keyword, value)| name_null(keyword, value));
        }
        _ => {}
    }
}

/// What a line of comment is for annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark<'t> {
    /// The line before and after a block.
    Fence,
    /// The line before and after a block about the values as a whole.
    RootFence,
    /// A list on one line: what follows `@schema`.
    List(&'t str),
    /// Something else.
    None,
}

/// Looks at a line of comment.
pub(super) fn mark<'t>(line: &Line<'t>) -> Mark<'t> {
    let text = line.text.trim();
    match text.strip_prefix("@schema") {
        Some("") => Mark::Fence,
        Some(".root") => Mark::RootFence,
        Some(rest) if rest.starts_with(char::is_whitespace) => Mark::List(rest.trim()),
        _ => Mark::None,
    }
}

/// The generators of schemas read annotations as YAML in which `off` and `no` are words.
fn options() -> ReadOptions {
    let limits = Limits { depth: 200, size: 1 << 20, expanded_nodes: 100_000, ..Limits::default() };
    ReadOptions { limits, dialect: Dialect::GoYamlV3 }
}

/// The value of a YAML text.
fn yaml(text: &str) -> Option<Json> {
    let stream = read(SourceId::from_index(0), &Arc::from(text), &options());
    let document = stream.first().ok()?;
    Some(document.map_or(Json::Null, |document| Value::from_node(document.root()).to_serde()))
}

/// Takes the lines of a block in.
pub(super) fn read_block(
    lines: &[Line<'_>],
    fence: Span,
    annotation: &mut Annotation,
) -> Result<(), Box<Diagnostic>> {
    let span = lines.iter().fold(fence, |span, line| span.to(line.span));
    annotation.span.get_or_insert(span);
    let content = |line: &Line<'_>| line.text.strip_prefix(' ').unwrap_or(line.text).to_owned();
    let text: Arc<str> = lines.iter().map(content).collect::<Vec<_>>().join("\n").into();
    let stream = read(fence.source, &text, &options());
    let document = match stream.first() {
        Ok(document) => document,
        Err(error) => {
            let why = match &error.kind {
                SyntaxErrorKind::Grammar(words) => words.as_str(),
                _ => "it is too large",
            };
            let place = place_in(lines, &text, error.span.start as usize).unwrap_or(span);
            return Err(wrong(place, format!("this annotation is no YAML: {why}")));
        }
    };
    let Some(document) = document.filter(|document| !document.root().is_null()) else { return Ok(()) };
    let Json::Object(keywords) = Value::from_node(document.root()).to_serde() else {
        return Err(wrong(span, "an annotation must be a map of keywords".to_owned()));
    };
    for (keyword, value) in keywords {
        annotation.set(&keyword, value);
    }
    Ok(())
}

/// The place of an offset into the text of a block.
fn place_in(lines: &[Line<'_>], text: &str, offset: usize) -> Option<Span> {
    let before = text.get(..offset.min(text.len()))?;
    let number = before.matches('\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    let line = lines.get(number).or(lines.last())?;
    let margin = usize::from(line.text.starts_with(' '));
    let start = (column + margin).min(line.text.len());
    Some(line.place(start, line.text.len()))
}

/// The keywords of a list in one line that take a list, of any values and of names.
const LISTS: &[&str] = &["enum", "examples"];
const NAMES: &[&str] = &["type"];
/// Those whose value is taken as it stands.
const TEXTS: &[&str] = &["$anchor", "$comment", "$id", "$ref", "description", "format", "pattern", "title"];
/// Those that are on when nothing follows them.
const SWITCHES: &[&str] = &[
    "additionalProperties",
    "const-from-value",
    "deprecated",
    "hidden",
    "mergeProperties",
    "nullable",
    "readOnly",
    "required",
    "skipProperties",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];
/// Those about the items of a list, with what they are called there.
const OF_ITEMS: &[(&str, &str)] = &[
    ("item", "type"),
    ("itemEnum", "enum"),
    ("itemPattern", "pattern"),
    ("itemProperties", "properties"),
    ("itemRef", "$ref"),
    ("itemRequired", "required"),
];
/// Those whose value is YAML.
const VALUES: &[&str] = &[
    "additionalItems",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "then",
    "unevaluatedItems",
];

fn keywords() -> impl Iterator<Item = &'static str> {
    let plain = [LISTS, NAMES, TEXTS, SWITCHES, VALUES].into_iter().flatten().copied();
    plain.chain(OF_ITEMS.iter().map(|(keyword, _)| *keyword))
}

/// Takes a list in one line in.
pub(super) fn read_list(
    line: &Line<'_>,
    list: &str,
    annotation: &mut Annotation,
) -> Result<(), Box<Diagnostic>> {
    annotation.span.get_or_insert(line.span);
    for part in parts(list) {
        let (keyword, value) = part.split_once(':').unwrap_or((part, ""));
        let (keyword, value) = (keyword.trim(), value.trim());
        if keyword.is_empty() && value.is_empty() {
            continue;
        }
        let start = line.text.find(part).unwrap_or_default();
        let place = line.place(start, start + part.len());
        let read = |value: &str| {
            yaml(value).ok_or_else(|| wrong(place, format!("the value of `{keyword}` is no YAML")))
        };
        if let Some((_, inner)) = OF_ITEMS.iter().find(|(name, _)| *name == keyword) {
            let value = match *inner {
                "type" | "required" => names(value),
                "enum" => values(value),
                "properties" => read(value)?,
                _ => Json::from(value),
            };
            annotation.set_of_items(inner, value);
            continue;
        }
        let value = match keyword {
            _ if NAMES.contains(&keyword) => names(value),
            _ if LISTS.contains(&keyword) => values(value),
            _ if TEXTS.contains(&keyword) => Json::from(value),
            _ if SWITCHES.contains(&keyword) && value.is_empty() => Json::Bool(true),
            _ if keywords().any(|known| known == keyword) || keyword.starts_with("x-") => read(value)?,
            _ => {
                let finding = wrong(place, format!("`{keyword}` is no keyword of annotations"));
                let near = nearest(keyword, keywords());
                return Err(match near {
                    Some(near) => Box::new(finding.help(format!("did you mean `{near}`?"))),
                    None => finding,
                });
            }
        };
        annotation.set(keyword, value);
    }
    Ok(())
}

/// Cuts a list at its semicolons, but not at one that belongs to a value: a keyword has to follow.
fn parts(list: &str) -> Vec<&str> {
    let begins = |rest: &str| {
        let end = rest.find([':', ';']).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default().trim();
        let is_plain = !word.contains(char::is_whitespace);
        let takes_value = rest.get(end..).is_some_and(|rest| rest.starts_with(':'));
        word.is_empty() || is_plain && (takes_value || keywords().any(|known| known == word))
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, _) in list.match_indices(';') {
        if begins(list.get(place + 1..).unwrap_or_default()) {
            parts.push(list.get(start..place).unwrap_or_default());
            start = place + 1;
        }
    }
    parts.push(list.get(start..).unwrap_or_default());
    parts.iter().map(|part| part.trim()).collect()
}

/// A list of values: YAML's, or words with commas between them.
fn values(text: &str) -> Json {
    if text.starts_with('[')
        && let Some(value) = yaml(text)
    {
        return value;
    }
    let text = text.strip_prefix('[').map_or(text, |text| text.strip_suffix(']').unwrap_or(text));
    let value = |word: &str| match word.trim() {
        "null" => Json::Null,
        word => Json::from(word.trim_matches('"')),
    };
    text.split(',').map(value).collect()
}

/// A list of names, or one name.
fn names(text: &str) -> Json {
    let name = |value: &Json| match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    match values(text) {
        Json::Array(list) => match list.as_slice() {
            [one] if !text.starts_with('[') => Json::from(name(one)),
            list => list.iter().map(name).collect(),
        },
        other => other,
    }
}

/// What is wrong with the keywords of an annotation by the rules of its draft.
pub(super) fn check(annotation: &Annotation, draft: Draft) -> Option<Box<Diagnostic>> {
    let span = annotation.span?;
    let mut keywords = annotation.keywords.clone();
    // Its values are of any kind, and the rules for the names of types are better told by themselves.
    keywords.retain(|keyword, _| !matches!(keyword.as_str(), "default" | "examples" | "const"));
    let schema = Value::from_serde(&Json::Object(keywords));
    let (pointer, reason) = broken_rules(draft, &schema).into_iter().next()?;
    let keyword = pointer.split('/').nth(1).unwrap_or_default();
    Some(wrong(span, format!("`{keyword}` of this annotation breaks the rules of JSON Schema: {reason}")))
}

/// A finding about an annotation.
pub(super) fn wrong(span: Span, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(&SCHEMA_ANNOTATION, span, message).level(Level::Parse))
}
