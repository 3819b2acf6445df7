//! Documents with comments to a program.

use std::rc::Rc;

use super::builder::KeyOverrides;
use super::listing::{InstructionNames, Listing, Source};
use super::literal::{Facts, Strings, Survey, TEXT_TAGS, TEXT_TEMPLATED, is_plain_text};
use super::meta::{Filled, Meaning, Metas, UnknownComments, meaning};
use super::node::{Fixed, NodeId, NodeKind, NodeTable, Prototype, ROOT};
use super::program::Program;
use crate::error::Error;
use crate::text;
use crate::tree::{Comment, DocumentSet, Meta, Position, Value};

/// How a template is compiled and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// What becomes of comments that were not written for ytt.
    pub unknown_comments: UnknownComments,
    /// What becomes of keys that are there twice.
    pub key_overrides: KeyOverrides,
    /// The number in the names of generated functions; ytt counts the templates of a run from 2.
    pub id: u32,
}

/// Whether a file is a template: whether one of its comments is code or an annotation.
pub fn has_templating(documents: &DocumentSet) -> bool {
    let is_ytt = |comment: &Comment| matches!(meaning(&comment.text), Meaning::Short(_) | Meaning::Named(..));
    documents.all_comments.iter().any(is_ytt)
}

/// Compiles a template.
///
/// # Errors
/// For comments and values that a template cannot have. Faults of the code are found when it is evaluated.
pub fn compile_yaml(name: &str, documents: &DocumentSet, options: Options) -> Result<Rc<Program>, Error> {
    let survey = Survey::of(documents, options.unknown_comments)?;
    let mut compiler = Compiler {
        survey,
        names: InstructionNames::new(options.id),
        nodes: NodeTable::new(),
        listing: Listing::default(),
        unknown: options.unknown_comments,
        run: None,
    };
    compiler.reset_context();
    compiler.listing.push(format!("{}(\"yaml\")", compiler.names.start_ctx), None);
    compiler.documents(documents)?;
    compiler.listing.push(format!("{}(None)", compiler.names.end_ctx), None);
    Ok(Program::new(name, compiler.names, compiler.nodes, compiler.listing, options.key_overrides))
}

struct Compiler {
    survey: Survey,
    names: InstructionNames,
    nodes: NodeTable,
    listing: Listing,
    unknown: UnknownComments,
    /// The first node of those that the last call starts.
    run: Option<NodeId>,
}

/// A node and what is needed to compile it.
struct Node<'t> {
    kind: NodeKind,
    key: Option<&'t Value>,
    /// What a document or an item holds; none for collections, whose children are compiled one by one.
    value: Option<&'t Value>,
    /// How many items a collection has.
    items: usize,
    meta: &'t Meta,
}

impl Compiler {
    fn documents(&mut self, documents: &DocumentSet) -> Result<(), Error> {
        let facts = self.survey.next();
        let node =
            Node { kind: NodeKind::DocumentSet, key: None, value: None, items: 0, meta: &documents.meta };
        let (id, metas, strings) = self.begin(&node, facts, ROOT, Strings::Plain)?;
        for document in &documents.documents {
            let kind = NodeKind::Document(document.presence);
            let node = Node { kind, key: None, value: Some(&document.value), items: 0, meta: &document.meta };
            self.item(&node, id, strings)?;
        }
        self.end(id, &metas);
        Ok(())
    }

    /// A document, a map item or an array item.
    fn item(&mut self, node: &Node<'_>, parent: NodeId, strings: Strings) -> Result<(), Error> {
        let facts = self.survey.next();
        let (id, metas, strings) = self.begin(node, facts, parent, strings)?;
        match node.value {
            _ if facts.holds_literals => {
                self.survey.skip_below(facts);
                self.nodes.skip(facts.tags_below - facts.key_tags);
            }
            Some(value @ (Value::Map(_) | Value::Array(_))) => self.collection(value, id, strings)?,
            Some(Value::String(text)) => {
                let name = self.names.set_node.clone();
                self.templated_string(text, node, id, &name)?;
            }
            _ => {}
        }
        for value in &metas.values {
            let code = format!("{}({}, ({}))", self.names.set_node, self.nodes.tag(id), value.text);
            self.written(code, code_source(value.comment, &value.text));
        }
        self.end(id, &metas);
        Ok(())
    }

    fn collection(&mut self, value: &Value, parent: NodeId, strings: Strings) -> Result<(), Error> {
        let (kind, items, meta) = match value {
            Value::Map(map) => (NodeKind::Map, map.items.len(), &map.meta),
            Value::Array(array) => (NodeKind::Array, array.items.len(), &array.meta),
            _ => return Ok(()),
        };
        let facts = self.survey.next();
        let node = Node { kind, key: None, value: facts.holds_literals.then_some(value), items, meta };
        let (id, metas, strings) = self.begin(&node, facts, parent, strings)?;
        if facts.holds_literals {
            self.survey.skip_below(facts);
            self.nodes.skip(facts.tags_below);
            self.end(id, &metas);
            return Ok(());
        }
        match value {
            Value::Map(map) => {
                for item in &map.items {
                    let (key, value) = (Some(&item.key), Some(&item.value));
                    let node = Node { kind: NodeKind::MapItem, key, value, items: 0, meta: &item.meta };
                    self.item(&node, id, strings)?;
                }
            }
            Value::Array(array) => {
                for item in &array.items {
                    let (kind, value) = (NodeKind::ArrayItem, Some(&item.value));
                    let node = Node { kind, key: None, value, items: 0, meta: &item.meta };
                    self.item(&node, id, strings)?;
                }
            }
            _ => {}
        }
        self.end(id, &metas);
        Ok(())
    }

    /// The code of a node up to the call that starts it.
    fn begin<'n>(
        &mut self,
        node: &Node<'n>,
        facts: Facts,
        parent: NodeId,
        strings: Strings,
    ) -> Result<(NodeId, Metas<'n>, Strings), Error> {
        let is_filled = node.value.is_some_and(|value| !value.is_null());
        let filled = if is_filled { Filled::Yes } else { Filled::No };
        let metas = Metas::read(node.meta.comments(), &node.meta.position(), filled, self.unknown)?;
        let mut prototype = Prototype::new(node.kind, digested(node.meta, &metas));
        prototype.key = node.key.cloned().unwrap_or_default();
        prototype.items = node.items;
        if facts.holds_literals {
            prototype.fixed = Fixed::Whole;
            prototype.value = facts.output(node.value.unwrap_or(&Value::Null));
            prototype.measure = facts.measure();
        }
        let id = self.nodes.add(parent, prototype);
        let tag = self.nodes.tag(id);
        let asks = metas.annotations.iter().any(|annotation| *annotation.name == *TEXT_TEMPLATED);
        let strings = if asks { Strings::Templated } else { strings };
        for block in &metas.blocks {
            self.written(&block.text, code_source(block.comment, &block.text));
        }
        for annotation in &metas.annotations {
            self.nodes.add_annotation(id, &annotation.name, &annotation.comment.position);
            let code = format!(
                "{}({tag}, \"{}\", {}({}))",
                self.names.start_node_annotation,
                annotation.name,
                self.names.collect_node_annotation,
                annotation.content
            );
            self.written(code, code_source(annotation.comment, annotation.content));
        }
        if let (Strings::Templated, Some(Value::String(text))) = (strings, node.key) {
            let name = self.names.set_map_item_key.clone();
            self.templated_string(text, node, id, &name)?;
        }
        self.start(id, node);
        Ok((id, metas, strings))
    }

    /// Adds the call that starts a node, or lets the call before it do it.
    fn start(&mut self, id: NodeId, node: &Node<'_>) {
        if let Some(first) = self.run {
            self.nodes.extend_run(first);
            return;
        }
        let tag = self.nodes.tag(id);
        match Source::line(&node.meta.position()) {
            source @ Some(_) => {
                self.listing.push_start(&self.names, tag, id, source);
                // The texts of a templated key come after its item in the table, and are started by its own code.
                self.run = self.nodes.is_last(id).then_some(id);
            }
            // Only instructions that come from no line are ever shown, with what ytt writes after them.
            None => {
                let comment = debug_comment(node.kind, node.key);
                self.run = None;
                self.listing.push_unwritten(&self.names, tag, &comment);
            }
        }
    }

    /// Adds a line with code that somebody wrote.
    fn written(&mut self, code: impl AsRef<[u8]>, source: Option<Source>) {
        self.run = None;
        self.listing.push_written(code, source);
    }

    /// Adds any other line.
    fn code(&mut self, code: impl AsRef<[u8]>, source: Option<Source>) {
        self.run = None;
        self.listing.push(code, source);
    }

    fn end(&mut self, id: NodeId, metas: &Metas<'_>) {
        self.nodes.close(id);
        if metas.needs_end {
            self.code("end", None);
        }
    }

    /// A string that is a text template, inside this program.
    fn templated_string(
        &mut self,
        text: &[u8],
        node: &Node<'_>,
        id: NodeId,
        name: &str,
    ) -> Result<(), Error> {
        self.run = None;
        if is_plain_text(text) {
            // The first line of the code that ytt has for such a key: if the line above it is not complete, this one is
            // reported.
            self.code(format!("{}(\"text\")", self.names.set_ctx_type), None);
            self.nodes.skip(TEXT_TAGS);
            return Ok(());
        }
        text::compile_inline(text, &node.meta.position(), &self.names, &mut self.nodes, &mut self.listing)?;
        let code = format!("{name}({}, ({}()))", self.nodes.tag(id), self.names.end_ctx);
        self.code(code, Source::line(&node.meta.position()));
        self.reset_context();
        Ok(())
    }

    fn reset_context(&mut self) {
        self.code(format!("{}(\"yaml\")", self.names.set_ctx_type), None);
    }
}

/// What is left of a node's comments once code has been taken out: those of annotations.
fn digested(meta: &Meta, metas: &Metas<'_>) -> Meta {
    let mut result = meta.clone();
    result.clear_extra();
    if !metas.annotations.is_empty() {
        result.extra_mut().comments =
            metas.annotations.iter().map(|annotation| annotation.comment.clone()).collect();
    }
    result
}

/// The line of a comment, and the code in it.
fn code_source(comment: &Comment, code: &str) -> Option<Source> {
    let source = Source::line(&comment.position)?;
    let code = code.trim();
    let narrow = comment.text.rfind(code).filter(|_| !code.is_empty()).and_then(|offset| {
        let start = comment.position.range()?.start + 1 + offset as u32;
        Some(Position::new(comment.position.file()?, start..start + code.len() as u32))
    });
    Some(match narrow {
        Some(narrow) => source.with_code(narrow),
        None => source,
    })
}

/// What ytt writes after each instruction.
fn debug_comment(kind: NodeKind, key: Option<&Value>) -> String {
    match kind {
        NodeKind::DocumentSet => "*yamlmeta.DocumentSet".to_owned(),
        NodeKind::Document(_) => "*yamlmeta.Document".to_owned(),
        NodeKind::Map => "*yamlmeta.Map".to_owned(),
        NodeKind::Array => "*yamlmeta.Array".to_owned(),
        NodeKind::ArrayItem => "*yamlmeta.ArrayItem idx=?".to_owned(),
        // A key with line breaks must not become code.
        NodeKind::MapItem => {
            let key = key.map(Value::go_string).unwrap_or_default();
            format!("*yamlmeta.MapItem key={}", key.replace(['\n', '\r'], " "))
        }
        NodeKind::TextRoot | NodeKind::Text => String::new(),
    }
}
