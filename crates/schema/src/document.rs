//! One document that holds a schema: read once, and kept with its positions.

use std::sync::Arc;

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::{SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::{Document, Limits, ReadOptions, Stream, SyntaxError, SyntaxErrorKind};

use crate::Instance;

/// How deep a schema may be nested. The compiler recurses over it, so this also bounds its stack.
const DEPTH: usize = 256;

/// How many nodes a schema may stand for once the aliases of a YAML document are expanded.
const EXPANDED: u64 = 500_000;

/// A document that is not JSON where a schema was expected.
pub static SCHEMA_SYNTAX: Code = Code {
    id: "TL0241",
    name: "schema-syntax",
    severity: Severity::Error,
    summary: "A schema is not valid JSON",
    explanation: "A JSON Schema is a JSON document (or YAML, if the file name ends in `.yaml` or `.yml`). This one \
                  could not be parsed, so nothing that depends on it was checked. The finding marks where parsing \
                  stopped; what is missing is often just before that.",
    wrong: "{\"type\": \"object\",}",
    right: "{\"type\": \"object\"}",
};

/// A schema with the document that it was read from.
#[derive(Debug)]
pub(crate) struct SchemaDocument {
    /// Where it was loaded from.
    pub(crate) address: String,
    /// The name to show for it.
    pub(crate) name: String,
    /// Its nodes, with their places.
    pub(crate) document: Document,
    /// The same as JSON.
    pub(crate) json: Arc<serde_json::Value>,
}

/// The bytes of a schema document.
pub(crate) struct Bytes {
    pub(crate) address: String,
    pub(crate) name: String,
    pub(crate) kind: SourceKind,
    pub(crate) bytes: Vec<u8>,
}

impl SchemaDocument {
    /// Reads a schema from bytes and adds them to the sources.
    pub(crate) fn read(sources: &SourceMap, bytes: Bytes) -> Result<Self, Box<Diagnostic>> {
        let Bytes { address, name, kind, bytes } = bytes;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let source = sources.add(name, kind, String::from_utf8_lossy(error.as_bytes()).into_owned());
                let span = source.span(offset, offset + char::REPLACEMENT_CHARACTER.len_utf8());
                return Err(Box::new(
                    finding(span, "the schema is not UTF-8 text")
                        .help("save the file as UTF-8, the only encoding allowed for JSON"),
                ));
            }
        };
        let source = sources.add(name, kind, text);
        Self::from_source(sources, source, address)
    }

    /// Reads a schema from text that is already a source.
    pub(crate) fn from_source(
        sources: &SourceMap,
        source: SourceId,
        address: String,
    ) -> Result<Self, Box<Diagnostic>> {
        let entry = sources.get(source);
        let limits = Limits { depth: DEPTH, expanded_nodes: EXPANDED, ..Limits::default() };
        let document = match is_yaml(entry.name()) {
            true => read_yaml(source, entry.text(), limits)?,
            false => trueline_yaml::json::read(source, entry.text(), limits)
                .map_err(|error| Box::new(syntax_finding(&error, limits)))?,
        };
        let root = Instance::from(&document);
        let json = Arc::new(root.to_json());
        if !json.is_object() && !json.is_boolean() {
            return Err(Box::new(
                finding(document.root().span(), "a schema must be a map, `true` or `false`")
                    .help("write the rules as a map, such as `{\"type\": \"object\"}`"),
            ));
        }
        Ok(SchemaDocument { address, name: entry.name().to_owned(), document, json })
    }

    /// The span of the whole document.
    pub(crate) fn start(&self) -> Span {
        Span::whole(self.document.source())
    }
}

fn is_yaml(name: &str) -> bool {
    let name = name.split(['?', '#']).next().unwrap_or_default();
    name.ends_with(".yaml") || name.ends_with(".yml")
}

fn read_yaml(source: SourceId, text: &Arc<str>, limits: Limits) -> Result<Document, Box<Diagnostic>> {
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let Stream { documents, errors, .. } = trueline_yaml::read(source, text, &options);
    if let Some(error) = errors.first() {
        return Err(Box::new(syntax_finding(error, limits)));
    }
    let mut documents = documents.into_iter();
    match (documents.next(), documents.next()) {
        (Some(document), None) => Ok(document),
        (None, _) => Err(Box::new(finding(Span::whole(source), "the file is empty; a schema was expected"))),
        (_, Some(second)) => Err(Box::new(finding(
            second.root().span().at_start(),
            "a schema file holds one document, not several",
        ))),
    }
}

fn finding(span: Span, message: &str) -> Diagnostic {
    Diagnostic::new(&SCHEMA_SYNTAX, span, message).level(Level::Schema)
}

fn syntax_finding(error: &SyntaxError, limits: Limits) -> Diagnostic {
    let message = match &error.kind {
        SyntaxErrorKind::Grammar(words) => format!("the schema cannot be parsed: {words}"),
        SyntaxErrorKind::TooDeep => format!("the schema is nested more than {} levels deep", limits.depth),
        SyntaxErrorKind::TooLarge => format!("the schema is larger than {} MiB", limits.size >> 20),
        SyntaxErrorKind::TooManyAliases => "the aliases of the schema expand to too many values".to_owned(),
        _ => "the schema cannot be parsed".to_owned(),
    };
    let finding = finding(error.span, &message);
    match error.context {
        Some(context) => finding.related(context, "it starts here"),
        None => finding,
    }
}
