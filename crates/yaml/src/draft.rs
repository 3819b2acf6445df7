//! Documents that are edited and written back: they keep comments, quotes and brackets, which a [`Value`] does
//! not, and can be changed, which a [`Document`] cannot.
//!
//! [`Value`]: crate::Value
//! [`Document`]: crate::Document

use rustc_hash::FxHashSet;
use trueline_source::SourceId;

use crate::dialect::TAG_PREFIX;
use crate::document::LONGEST;
use crate::fault::{Failure, Fault, Stage};
use crate::parser::{Event, Form, NodeProperties, Parser};
use crate::resolve;
use crate::scanner::NodeComments;
use crate::timestamp::is_timestamp;
use crate::{Dialect, Limits, ScalarStyle, ScalarValue, SyntaxError, SyntaxErrorKind};

/// A document as it was written, read by the rules of go-yaml version 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The comment above everything.
    pub(crate) head: String,
    /// The comment below everything.
    pub(crate) foot: String,
    /// The content.
    pub root: DraftNode,
}

/// A part of a [`Draft`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftNode {
    /// What it is.
    pub content: DraftContent,
    pub(crate) tag: Option<String>,
    pub(crate) anchor: Option<String>,
    pub(crate) comments: NodeComments,
}

/// What a [`DraftNode`] can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftContent {
    /// A scalar of any type.
    Scalar(String, ScalarStyle),
    /// The name of an anchor.
    Alias(String),
    /// A list.
    List(Brackets, Vec<DraftNode>),
    /// A map, with all its keys in order.
    Map(Brackets, Vec<(DraftNode, DraftNode)>),
}

/// How a list or map is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// In brackets.
    Around,
    /// By indentation, unless it is empty.
    None,
}

impl From<DraftNode> for Draft {
    fn from(root: DraftNode) -> Self {
        Draft { head: String::new(), foot: String::new(), root }
    }
}

impl DraftNode {
    /// A part without comments.
    pub fn new(content: DraftContent) -> Self {
        DraftNode { content, tag: None, anchor: None, comments: NodeComments::default() }
    }

    /// A string, quoted if it would mean something else without quotes.
    pub fn string(text: &str, style: ScalarStyle) -> Self {
        let means_itself =
            resolve::plain(text, Dialect::GoYamlV3) == ScalarValue::String && !is_timestamp(text);
        let style = match style {
            ScalarStyle::Plain if !means_itself => ScalarStyle::DoubleQuoted,
            style => style,
        };
        DraftNode::new(DraftContent::Scalar(text.to_owned(), style))
    }

    /// Whether it is null, by its text or by its tag.
    pub fn is_null(&self) -> bool {
        match (&self.tag, &self.content) {
            (Some(tag), _) => tag.strip_prefix(TAG_PREFIX) == Some("null"),
            (None, DraftContent::Scalar(text, ScalarStyle::Plain)) => {
                resolve::plain(text, Dialect::GoYamlV3) == ScalarValue::Null
            }
            _ => false,
        }
    }

    /// Its own text, if it has one; for an alias, the name.
    pub fn text(&self) -> &str {
        match &self.content {
            DraftContent::Scalar(text, _) | DraftContent::Alias(text) => text,
            _ => "",
        }
    }

    /// How many parts it has.
    pub fn len(&self) -> usize {
        match &self.content {
            DraftContent::Scalar(..) | DraftContent::Alias(_) => 0,
            DraftContent::List(_, items) => items.len(),
            DraftContent::Map(_, entries) => entries.len(),
        }
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first value of a key, if it is a map that has it.
    pub fn get(&self, key: &str) -> Option<&DraftNode> {
        let DraftContent::Map(_, entries) = &self.content else { return None };
        entries.iter().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }
}

impl Draft {
    /// Reads the first document of the text; `None` if there is none.
    pub fn read(text: &str, limits: &Limits) -> Result<Option<Draft>, SyntaxError> {
        let source = SourceId::from_index(0);
        if text.len() > limits.size || text.len() > LONGEST {
            let fault = Failure::boxed(SyntaxErrorKind::TooLarge, Stage::Decoder, 0, 0, 0);
            return Err(fault.into_error(source, text));
        }
        let mut reader =
            Reader { parser: Parser::with_comments(text), open: Vec::new(), anchors: FxHashSet::default() };
        reader.document(limits.depth).map_err(|fault| fault.into_error_of_version_3(source, text))
    }
}

/// A list or map that is not complete yet.
struct Open {
    node: DraftNode,
    /// The key that waits for its value.
    key: Option<DraftNode>,
}

struct Reader<'t> {
    parser: Parser<'t>,
    open: Vec<Open>,
    anchors: FxHashSet<String>,
}

impl Reader<'_> {
    fn document(&mut self, depth: usize) -> Result<Option<Draft>, Fault> {
        let Event::DocumentStart(_) = self.parser.next()? else { return Ok(None) };
        let head = self.parser.comments().head;
        let mut root = None;
        loop {
            let event = self.parser.next()?;
            let comments = self.parser.comments();
            let done = match event {
                Event::Scalar { text, style, .. } => {
                    let text = self.parser.scanner.text_of(text);
                    let content = DraftContent::Scalar(text.to_owned(), style);
                    Some(self.begun(content, comments))
                }
                Event::Alias { start, end } => {
                    let name = self.parser.scanner.slice(start + 1, end).to_owned();
                    if !self.anchors.contains(&name) {
                        let kind = SyntaxErrorKind::UnknownAnchor(name);
                        return Err(Failure::boxed(kind, Stage::Decoder, start as usize, end as usize, 0));
                    }
                    let node = DraftNode::new(DraftContent::Alias(name));
                    Some(DraftNode { comments, ..node })
                }
                Event::SequenceStart { start, form } => {
                    self.open(DraftContent::List(brackets(form), Vec::new()), comments, start, depth)?;
                    None
                }
                Event::MappingStart { start, form } => {
                    self.open(DraftContent::Map(brackets(form), Vec::new()), comments, start, depth)?;
                    None
                }
                Event::SequenceEnd(_) | Event::MappingEnd(_) => {
                    self.open.pop().map(|open| closed(open.node, comments))
                }
                Event::DocumentEnd | Event::StreamEnd | Event::DocumentStart(_) => {
                    return Ok(root.map(|root| Draft { head, foot: comments.foot, root }));
                }
            };
            if let Some(node) = done {
                match self.open.last_mut() {
                    Some(open) => open.add(node),
                    None => root = Some(node),
                }
            }
        }
    }

    /// A node with what was written before it.
    fn begun(&mut self, content: DraftContent, comments: NodeComments) -> DraftNode {
        let properties = self.parser.properties.take().map(|properties| *properties);
        let (anchor, tag) = match properties {
            Some(NodeProperties { anchor, tag, .. }) => (anchor, tag),
            None => (None, None),
        };
        let anchor = anchor.map(|(start, end)| self.parser.scanner.slice(start, end).to_owned());
        self.anchors.extend(anchor.clone());
        let tag = tag.filter(|tag| tag != "!" && !tag.is_empty()).or_else(|| match &content {
            // go-yaml keeps the type of such a scalar as a tag, and writes the tag.
            DraftContent::Scalar(text, ScalarStyle::Plain) if text == "<<" => {
                Some(format!("{TAG_PREFIX}merge"))
            }
            _ => None,
        });
        DraftNode { content, tag, anchor, comments }
    }

    fn open(
        &mut self,
        content: DraftContent,
        comments: NodeComments,
        start: u32,
        depth: usize,
    ) -> Result<(), Fault> {
        if self.open.len() >= depth {
            let start = start as usize;
            return Err(Failure::boxed(SyntaxErrorKind::TooDeep, Stage::Decoder, start, start + 1, 0));
        }
        let node = self.begun(content, comments);
        self.open.push(Open { node, key: None });
        Ok(())
    }
}

fn brackets(form: Form) -> Brackets {
    match form {
        Form::Flow => Brackets::Around,
        Form::Block => Brackets::None,
    }
}

/// A list or map with the comments next to and below its end.
fn closed(mut node: DraftNode, end: NodeComments) -> DraftNode {
    node.comments.line = end.line;
    node.comments.foot = end.foot;
    if let DraftContent::Map(Brackets::None, entries) = &mut node.content
        && !node.comments.foot.is_empty()
        && let Some((key, _)) = entries.last_mut()
    {
        key.comments.foot = std::mem::take(&mut node.comments.foot);
    }
    node
}

impl Open {
    fn add(&mut self, mut node: DraftNode) {
        match &mut self.node.content {
            DraftContent::List(_, items) => items.push(node),
            DraftContent::Map(form, entries) => match self.key.take() {
                None => {
                    // A comment below a key was below the value before it.
                    if *form == Brackets::None
                        && !node.comments.foot.is_empty()
                        && let Some((before, _)) = entries.last_mut()
                    {
                        before.comments.foot = std::mem::take(&mut node.comments.foot);
                    }
                    self.key = Some(node);
                }
                Some(mut key) => {
                    if key.comments.foot.is_empty() {
                        key.comments.foot = std::mem::take(&mut node.comments.foot);
                    }
                    entries.push((key, node));
                }
            },
            DraftContent::Scalar(..) | DraftContent::Alias(_) => {}
        }
    }
}
