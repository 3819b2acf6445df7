//! Which parts of a template are the same in every evaluation.

use std::rc::Rc;

use super::meta::{Meaning, UnknownComments, meaning};
use crate::error::Error;
use crate::tree::{Array, Comment, DocumentSet, Map, Meta, Value};
use crate::value::Measure;

/// How many nodes a template may have. Aliases count wherever they are.
const NODES: usize = 20_000_000;

/// The annotation that makes strings text templates.
pub(crate) const TEXT_TEMPLATED: &str = "yaml/text-templated-strings";

/// ytt gives two tags to text without code: to the text and to what holds it.
pub(super) const TEXT_TAGS: u32 = 2;

/// Whether strings are text templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strings {
    Plain,
    Templated,
}

/// What is known of a node before it is compiled.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts {
    /// Whether its own comments and its key mean nothing to the template.
    is_plain: bool,
    /// Whether all that it holds is fixed.
    pub(super) holds_literals: bool,
    /// How many tags ytt gives to what is below it.
    pub(super) tags_below: u32,
    /// How many of them belong to its key.
    pub(super) key_tags: u32,
    /// How many nodes are below it.
    nodes_below: u32,
    /// How many levels are below it.
    height: u32,
    /// Whether comments have to be removed below it.
    has_remarks: bool,
}

/// The facts of all nodes, in the order in which they are compiled.
pub(super) struct Survey {
    facts: Vec<Facts>,
    next: usize,
}

impl Survey {
    pub(super) fn of(documents: &DocumentSet, unknown: UnknownComments) -> Result<Survey, Error> {
        let mut surveyor = Surveyor { facts: Vec::new(), unknown };
        let strings = surveyor.strings(&documents.meta, Strings::Plain);
        let at = surveyor.begin(&documents.meta)?;
        for document in &documents.documents {
            let strings = surveyor.strings(&document.meta, strings);
            let child = surveyor.begin(&document.meta)?;
            surveyor.value(&document.value, strings, child)?;
            surveyor.end(child, at);
        }
        // The document set is what everything else is put into.
        surveyor.facts[at].holds_literals = false;
        Ok(Survey { facts: surveyor.facts, next: 0 })
    }

    /// The facts of the next node.
    pub(super) fn next(&mut self) -> Facts {
        let facts = self.facts.get(self.next).copied();
        self.next += 1;
        facts.unwrap_or_default()
    }

    /// Passes over the nodes below one that was just returned.
    pub(super) fn skip_below(&mut self, facts: Facts) {
        self.next += facts.nodes_below as usize;
    }
}

struct Surveyor {
    facts: Vec<Facts>,
    unknown: UnknownComments,
}

impl Surveyor {
    fn begin(&mut self, meta: &Meta) -> Result<usize, Error> {
        if self.facts.len() >= NODES {
            return Err(Error::limit(format!("the template has more than {NODES} nodes")));
        }
        let mut facts = Facts { is_plain: true, holds_literals: true, ..Facts::default() };
        for comment in meta.comments() {
            facts.has_remarks = true;
            facts.is_plain &= self.is_remark(comment);
        }
        self.facts.push(facts);
        Ok(self.facts.len() - 1)
    }

    fn is_remark(&self, comment: &Comment) -> bool {
        match meaning(&comment.text) {
            Meaning::Remark => true,
            Meaning::Unknown => self.unknown == UnknownComments::Ignore,
            Meaning::Short(_) | Meaning::Named(..) => false,
        }
    }

    fn end(&mut self, child: usize, parent: usize) {
        let facts = self.facts[child];
        let above = &mut self.facts[parent];
        above.holds_literals &= facts.is_literal();
        above.has_remarks |= facts.has_remarks;
        above.tags_below = above.tags_below.saturating_add(facts.tags_below + 1);
        above.nodes_below += facts.nodes_below + 1;
        above.height = above.height.max(facts.height + 1);
    }

    fn strings(&self, meta: &Meta, outer: Strings) -> Strings {
        let asks = |comment: &Comment| matches!(meaning(&comment.text), Meaning::Named(TEXT_TEMPLATED, _));
        if meta.comments().iter().any(asks) { Strings::Templated } else { outer }
    }

    fn value(&mut self, value: &Value, strings: Strings, parent: usize) -> Result<(), Error> {
        match value {
            Value::Map(map) => {
                let at = self.begin(&map.meta)?;
                self.facts[at].holds_literals &= !map.has_duplicate_keys();
                for item in &map.items {
                    let strings = self.strings(&item.meta, strings);
                    let child = self.begin(&item.meta)?;
                    if let (Strings::Templated, Value::String(text)) = (strings, &item.key) {
                        let facts = &mut self.facts[child];
                        facts.is_plain &= is_plain_text(text);
                        facts.key_tags = TEXT_TAGS;
                        facts.tags_below = TEXT_TAGS;
                    }
                    self.value(&item.value, strings, child)?;
                    self.end(child, at);
                }
                self.end(at, parent);
            }
            Value::Array(array) => {
                let at = self.begin(&array.meta)?;
                for item in &array.items {
                    let strings = self.strings(&item.meta, strings);
                    let child = self.begin(&item.meta)?;
                    self.value(&item.value, strings, child)?;
                    self.end(child, at);
                }
                self.end(at, parent);
            }
            scalar => self.text(scalar, strings, parent),
        }
        Ok(())
    }

    fn text(&mut self, value: &Value, strings: Strings, at: usize) {
        if let (Strings::Templated, Value::String(text)) = (strings, value) {
            let facts = &mut self.facts[at];
            facts.holds_literals &= is_plain_text(text);
            facts.tags_below = facts.tags_below.saturating_add(TEXT_TAGS);
        }
    }
}

/// Whether a text template is nothing but text.
pub(super) fn is_plain_text(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"(@").is_none() && memchr::memmem::find(text, b"@)").is_none()
}

impl Facts {
    /// Whether it and all that it holds is fixed.
    pub(super) fn is_literal(self) -> bool {
        self.is_plain && self.holds_literals
    }

    /// How large what is below the node is.
    pub(super) fn measure(self) -> Measure {
        Measure { nodes: u64::from(self.nodes_below), height: self.height }
    }

    /// The value of a fixed node as it is put into the output: without comments.
    pub(super) fn output(self, value: &Value) -> Value {
        if self.has_remarks {
            without_comments(value).unwrap_or_else(|| value.clone())
        } else {
            value.clone()
        }
    }
}

/// The value without comments, if it has any. What has none stays shared.
fn without_comments(value: &Value) -> Option<Value> {
    match value {
        Value::Map(map) => {
            let mut copy: Option<Rc<Map>> = None;
            for (index, item) in map.items.iter().enumerate() {
                let value = without_comments(&item.value);
                if item.meta.comments().is_empty() && value.is_none() {
                    continue;
                }
                let target = &mut Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(map))).items[index];
                target.meta.clear_extra();
                if let Some(value) = value {
                    target.value = value;
                }
            }
            copy.map(Value::Map)
        }
        Value::Array(array) => {
            let mut copy: Option<Rc<Array>> = None;
            for (index, item) in array.items.iter().enumerate() {
                let value = without_comments(&item.value);
                if item.meta.comments().is_empty() && value.is_none() {
                    continue;
                }
                let target = &mut Rc::make_mut(copy.get_or_insert_with(|| Rc::clone(array))).items[index];
                target.meta.clear_extra();
                if let Some(value) = value {
                    target.value = value;
                }
            }
            copy.map(Value::Array)
        }
        _ => None,
    }
}
