//! A schema that is ready for use, and the documents it was made from.

use std::sync::Arc;

use jsonschema::{Draft, Validator};
use rustc_hash::FxHashMap;
use trueline_diagnostic::Diagnostic;
use trueline_source::Span;
use trueline_yaml::{NodeId, NodeRef};

use crate::closure::Spot;
use crate::convert::Converter;
use crate::document::SchemaDocument;
use crate::{Instance, SchemaLookup, Tree, Violation, address, guard};

/// A compiled schema, with the documents that it was made from.
#[derive(Debug)]
pub struct Schema {
    pub(crate) validator: Validator<Tree>,
    pub(crate) outline: Outline,
}

/// A schema that was read with everything it refers to but not compiled, for callers that walk over its rules
/// themselves.
#[derive(Debug)]
pub struct Outline {
    pub(crate) draft: Draft,
    pub(crate) texts: Vec<SchemaText>,
    pub(crate) resources: FxHashMap<String, Spot>,
    pub(crate) leads: FxHashMap<(usize, NodeId), Spot>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// One of the documents of a schema.
#[derive(Debug)]
pub(crate) struct SchemaText {
    pub(crate) document: Arc<SchemaDocument>,
    /// The nodes that are schemas, rather than data or maps of schemas, with their drafts.
    pub(crate) schemas: FxHashMap<NodeId, Draft>,
}

impl Schema {
    /// The rules that an instance violates; none if it is valid.
    ///
    /// If finding them costs too much, there is a single violation of the keyword `limit`.
    pub fn validate<'a>(&self, instance: impl Into<Instance<'a>>) -> Vec<Violation> {
        let instance = instance.into();
        let violations = guard::within(|| {
            if self.validator.is_valid(instance) {
                return Vec::new();
            }
            guard::expect_paths(instance.longest_path());
            let converter = Converter::new(self, instance);
            self.validator.iter_errors(instance).map(|error| converter.violation(&error)).collect()
        });
        violations.unwrap_or_else(|limit| vec![Converter::new(self, instance).limit(limit)])
    }

    /// Whether an instance is valid. One that costs too much to validate is not.
    pub fn is_valid<'a>(&self, instance: impl Into<Instance<'a>>) -> bool {
        let instance = instance.into();
        guard::within(|| self.validator.is_valid(instance)).unwrap_or(false)
    }

    /// Warnings about the schema itself, such as a reference over unencrypted HTTP.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.outline.warnings
    }

    /// The draft that the schema is written in.
    pub fn draft(&self) -> Draft {
        self.outline.draft
    }
}

impl Outline {
    /// The warnings about a schema that can be used.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The draft that the schema is written in.
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// The spans of all documents that were not fetched: the schema, then those of its package that it refers
    /// to.
    pub fn roots(&self) -> impl Iterator<Item = String> {
        let own = self.texts.iter().filter(|text| !address::is_remote(&text.document.address));
        own.map(|text| format!("{}#", text.document.name))
    }

    /// The place at an absolute address with a pointer.
    pub(crate) fn place(&self, address: &str, pointer: &str) -> Option<SchemaPlaceRef<'_>> {
        let spot = self.resources.get(address)?;
        Some(SchemaPlaceRef {
            text: self.texts.get(spot.part)?,
            pointer: format!("{}{pointer}", spot.pointer),
        })
    }

    fn parse(&self, place: &str) -> Option<(usize, SchemaPlaceRef<'_>)> {
        self.texts.iter().enumerate().find_map(|(index, text)| {
            let pointer = place.strip_prefix(text.document.name.as_str())?.strip_prefix('#')?;
            Some((index, SchemaPlaceRef { text, pointer: pointer.to_owned() }))
        })
    }
}

/// A place in one of the documents of a schema.
pub(crate) struct SchemaPlaceRef<'s> {
    pub(crate) text: &'s SchemaText,
    pub(crate) pointer: String,
}

impl<'s> SchemaPlaceRef<'s> {
    /// The name of the document with the pointer after `#`.
    pub(crate) fn name(&self) -> String {
        format!("{}#{}", self.text.document.name, self.pointer)
    }

    pub(crate) fn node(&self) -> Option<NodeRef<'s>> {
        self.text.document.document.root().at_pointer(&self.pointer)
    }

    pub(crate) fn json(&self) -> Option<&'s serde_json::Value> {
        self.text.document.json.pointer(&self.pointer)
    }

    /// Where it is: from its key on, if it has one.
    pub(crate) fn span(&self) -> Option<Span> {
        let (parent, last) = match self.pointer.rsplit_once('/') {
            Some((parent, last)) => (parent, last.replace("~1", "/").replace("~0", "~")),
            None => return self.node().map(NodeRef::span),
        };
        let parent = self.text.document.document.root().at_pointer(parent)?;
        match parent.get_entry(&last) {
            Some((key, value)) => Some(key.span().to(value.span())),
            None => self.node().map(NodeRef::span),
        }
    }

    /// Whether the last part of the pointer is a keyword, and not the name of a property or an index.
    pub(crate) fn is_keyword(&self) -> bool {
        self.pointer.rsplit_once('/').is_some_and(|(parent, _)| {
            let parent = self.text.document.document.root().at_pointer(parent);
            parent.is_some_and(|parent| self.text.schemas.contains_key(&parent.id()))
        })
    }
}

impl SchemaLookup for Schema {
    fn root(&self) -> String {
        self.outline.root()
    }

    fn at(&self, place: &str) -> Option<&serde_json::Value> {
        self.outline.at(place)
    }

    fn follow(&self, place: &str, reference: &str) -> Option<String> {
        self.outline.follow(place, reference)
    }

    fn span(&self, place: &str) -> Option<Span> {
        self.outline.span(place)
    }

    fn typed(&self, place: &str) -> Option<&str> {
        self.outline.typed(place)
    }
}

impl SchemaLookup for Outline {
    fn root(&self) -> String {
        self.texts.first().map(|text| format!("{}#", text.document.name)).unwrap_or_default()
    }

    fn at(&self, place: &str) -> Option<&serde_json::Value> {
        self.parse(place)?.1.json()
    }

    fn follow(&self, place: &str, reference: &str) -> Option<String> {
        let (part, place) = self.parse(place)?;
        let node = place.node()?;
        let value = ["$ref", "$dynamicRef", "$recursiveRef"]
            .into_iter()
            .filter_map(|keyword| node.get(keyword))
            .find(|value| value.as_str() == Some(reference))?;
        let lead = self.leads.get(&(part, value.id()))?;
        let text = self.texts.get(lead.part)?;
        Some(format!("{}#{}", text.document.name, lead.pointer))
    }

    fn span(&self, place: &str) -> Option<Span> {
        self.parse(place)?.1.span()
    }

    fn typed(&self, place: &str) -> Option<&str> {
        self.parse(place)?.1.node()?.text()
    }
}
