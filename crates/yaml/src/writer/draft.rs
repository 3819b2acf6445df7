//! Writes drafts as text, byte for byte as go-yaml's version 3 writes nodes, with indentations of two spaces.
//!
//! Comments are not written together with their node but at the next opportunity: one that found no place
//! waits, and another may displace it. go-yaml's emitter does that, so this one does too.

use crate::dialect::TAG_PREFIX;
use crate::scanner::NodeComments;
use crate::{Brackets, Dialect, Draft, DraftContent, DraftNode, ScalarStyle};

use super::style::{Analysis, Context, is_break, is_simple_key};
use super::{Counts, Emitter, Gap, INDENTATION};

/// Where the dashes go of a list that is the value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dashes {
    /// Under the key.
    UnderKey,
    /// Further in.
    Indented,
}

/// The text of documents, those after the first with `---` before them.
pub fn write_drafts<'d>(drafts: impl IntoIterator<Item = (&'d Draft, Dashes)>) -> String {
    let mut writer = Writer {
        emitter: Emitter::new(Dialect::GoYamlV3),
        dashes: Dashes::UnderKey,
        flow_level: 0,
        head: "",
        line: "",
        foot: "",
        tail: "",
        key_line: "",
    };
    for (draft, dashes) in drafts {
        writer.dashes = dashes;
        writer.document(draft);
    }
    writer.emitter.out
}

/// The role of a node in the one around it.
#[derive(Clone, Copy, PartialEq)]
enum NodeContext {
    Root,
    Item,
    FlowItem(FlowPosition),
    Key,
    FlowKey(FlowPosition),
    /// After a colon on the line of its key, or below a `?`.
    Value(Context),
    FlowValue(Context),
}

/// The position of a node in brackets.
#[derive(Clone, Copy, PartialEq)]
enum FlowPosition {
    First,
    /// After another, which has its comma already.
    BehindComma,
    /// After another, which has not.
    Behind,
}

struct Writer<'d> {
    emitter: Emitter,
    dashes: Dashes,
    flow_level: usize,
    /// Comments that wait: for above, next to and below the current node, and below the previous one.
    head: &'d str,
    line: &'d str,
    foot: &'d str,
    tail: &'d str,
    /// The comment next to a key.
    key_line: &'d str,
}

impl<'d> Writer<'d> {
    fn document(&mut self, draft: &'d Draft) {
        replace(&mut self.head, &draft.head);
        if !self.emitter.out.is_empty() {
            self.emitter.write_indent();
            self.emitter.write_indicator("---", Gap::Before, Counts::AsText);
            self.emitter.write_indent();
        }
        if !self.head.is_empty() {
            self.write_head();
            self.emitter.put_break();
        }
        self.node(&draft.root, NodeContext::Root, "", &draft.root.comments.foot);
        replace(&mut self.foot, &draft.foot);
        self.emitter.foot_indent = 0;
        self.write_foot();
        self.emitter.foot_indent = -1;
        self.emitter.write_indent();
    }

    /// Writes a node and all below it; returns the position of the next one in the same brackets.
    fn node(
        &mut self,
        node: &'d DraftNode,
        place: NodeContext,
        tail: &'d str,
        foot: &'d str,
    ) -> FlowPosition {
        let NodeComments { head, line, .. } = &node.comments;
        replace(&mut self.head, head);
        match &node.content {
            DraftContent::Scalar(..) => {
                replace(&mut self.line, line);
                replace(&mut self.foot, foot);
                replace(&mut self.tail, tail);
            }
            DraftContent::Alias(_) => {
                replace(&mut self.line, line);
                replace(&mut self.foot, foot);
            }
            DraftContent::Map(..) => replace(&mut self.tail, tail),
            DraftContent::List(..) => {}
        }
        let next = self.place(node, place);
        let in_map = !matches!(place, NodeContext::Root | NodeContext::Item | NodeContext::FlowItem(_));
        match &node.content {
            DraftContent::List(brackets, items) => {
                let flows = self.flow_level > 0 || *brackets == Brackets::Around || items.is_empty();
                if flows {
                    self.flow_list(node, items, foot);
                } else {
                    self.block_list(node, items, foot, in_map);
                }
            }
            DraftContent::Map(brackets, entries) => {
                let flows = self.flow_level > 0 || *brackets == Brackets::Around || entries.is_empty();
                if flows {
                    self.flow_map(node, entries, foot);
                } else {
                    self.block_map(node, entries, foot);
                }
            }
            DraftContent::Scalar(..) | DraftContent::Alias(_) => {}
        }
        next
    }

    /// Writes what comes before a node, its start, and what comes after.
    fn place(&mut self, node: &'d DraftNode, place: NodeContext) -> FlowPosition {
        match place {
            NodeContext::Root => {
                self.write_head();
                self.begin(node, Context::Root);
                self.write_line();
                self.write_foot();
            }
            NodeContext::Item => {
                self.write_head();
                self.emitter.write_indent();
                self.emitter.write_indicator("-", Gap::Before, Counts::AsIndentation);
                self.begin(node, Context::ListItem);
                self.write_line();
                self.write_foot();
            }
            NodeContext::Key => {
                self.write_head();
                self.emitter.write_indent();
                if !self.line.is_empty() {
                    self.key_line = std::mem::take(&mut self.line);
                }
                let context = key_context(node);
                if context == Context::ComplexKey {
                    self.emitter.write_indicator("?", Gap::Before, Counts::AsIndentation);
                }
                self.begin(node, context);
            }
            NodeContext::Value(key) => {
                if key == Context::SimpleKey {
                    self.emitter.write_indicator(":", Gap::None, Counts::AsText);
                } else {
                    self.emitter.write_indent();
                    self.emitter.write_indicator(":", Gap::Before, Counts::AsIndentation);
                }
                self.place_key_line(node);
                self.begin(node, Context::MapValue);
                self.write_line();
                self.write_foot();
            }
            NodeContext::FlowItem(part) => {
                self.before_in_brackets(part);
                return self.in_brackets(node, Context::ListItem);
            }
            NodeContext::FlowKey(part) => {
                self.before_in_brackets(part);
                let context = key_context(node);
                if context == Context::ComplexKey {
                    self.emitter.write_indicator("?", Gap::Before, Counts::AsText);
                }
                self.begin(node, context);
            }
            NodeContext::FlowValue(key) => {
                let gap = if key == Context::SimpleKey { Gap::None } else { Gap::Before };
                self.emitter.write_indicator(":", gap, Counts::AsText);
                return self.in_brackets(node, Context::MapValue);
            }
        }
        FlowPosition::Behind
    }

    fn before_in_brackets(&mut self, part: FlowPosition) {
        if part == FlowPosition::Behind {
            self.emitter.write_indicator(",", Gap::None, Counts::AsText);
        }
        self.write_head();
        if self.emitter.column == 0 {
            self.emitter.write_indent();
        }
    }

    /// The start of an item or value in brackets; a comment after it needs the comma before it.
    fn in_brackets(&mut self, node: &'d DraftNode, context: Context) -> FlowPosition {
        let part = if self.has_comment_behind() { FlowPosition::BehindComma } else { FlowPosition::Behind };
        self.begin(node, context);
        if self.has_comment_behind() {
            self.emitter.write_indicator(",", Gap::None, Counts::AsText);
        }
        self.write_line();
        self.write_foot();
        part
    }

    fn has_comment_behind(&self) -> bool {
        !(self.line.is_empty() && self.foot.is_empty() && self.tail.is_empty())
    }

    /// The comment next to a key moves next to its value, or stays if a block follows.
    fn place_key_line(&mut self, value: &DraftNode) {
        if self.key_line.is_empty() {
            return;
        }
        match &value.content {
            DraftContent::Scalar(..) if self.line.is_empty() => {
                self.line = std::mem::take(&mut self.key_line);
            }
            DraftContent::List(Brackets::None, _) | DraftContent::Map(Brackets::None, _) => {
                std::mem::swap(&mut self.line, &mut self.key_line);
                self.write_line();
                std::mem::swap(&mut self.line, &mut self.key_line);
            }
            _ => {}
        }
    }

    /// Anchor, tag and text of a node; of lists and maps nothing more.
    fn begin(&mut self, node: &'d DraftNode, context: Context) {
        if let DraftContent::Alias(name) = &node.content {
            self.emitter.write_indicator("*", Gap::Before, Counts::AsText);
            self.emitter.write_indicator(name, Gap::None, Counts::AsText);
            return;
        }
        if let Some(anchor) = &node.anchor {
            self.emitter.write_indicator("&", Gap::Before, Counts::AsText);
            self.emitter.write_indicator(anchor, Gap::None, Counts::AsText);
        }
        if let Some(tag) = &node.tag {
            self.emitter.write_indicator(&written_tag(tag), Gap::Before, Counts::AsText);
        }
        if let DraftContent::Scalar(text, style) = &node.content {
            self.scalar(text, *style, context);
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, context: Context) {
        let surroundings = if self.flow_level > 0 { Brackets::Around } else { Brackets::None };
        let analysis = Analysis::of_written(text, style, context, surroundings);
        let indicator = match analysis.style {
            ScalarStyle::Literal => "|",
            ScalarStyle::Folded => ">",
            _ => return self.emitter.scalar(&analysis, context),
        };
        let outer = self.emitter.indent;
        self.emitter.indent = outer.max(0) + INDENTATION;
        self.emitter.write_block_header(indicator, text);
        if self.line.is_empty() {
            self.emitter.put_break();
        } else {
            self.write_line();
        }
        if analysis.style == ScalarStyle::Literal {
            self.emitter.write_literal(text);
        } else {
            self.emitter.write_folded(text);
        }
        self.emitter.indent = outer;
    }

    fn block_list(&mut self, node: &'d DraftNode, items: &'d [DraftNode], foot: &'d str, in_map: bool) {
        let outer = self.emitter.indent;
        let under_key = in_map
            && self.dashes == Dashes::UnderKey
            && (self.emitter.column == 0 || !self.emitter.indention);
        if !under_key || outer < 0 {
            self.emitter.increase_indent();
        }
        for item in items {
            self.node(item, NodeContext::Item, "", &item.comments.foot);
        }
        self.end(node, foot);
        self.emitter.indent = outer;
    }

    fn block_map(&mut self, node: &'d DraftNode, entries: &'d [(DraftNode, DraftNode)], foot: &'d str) {
        let outer = self.emitter.indent;
        self.emitter.increase_indent();
        let mut tail = "";
        for (key, value) in entries {
            self.node(key, NodeContext::Key, tail, "");
            tail = &key.comments.foot;
            self.node(value, NodeContext::Value(key_context(key)), "", &value.comments.foot);
        }
        replace(&mut self.tail, tail);
        self.end(node, foot);
        self.write_head();
        self.emitter.indent = outer;
    }

    /// The comments next to and below the end of a list or map.
    fn end(&mut self, node: &'d DraftNode, foot: &'d str) {
        replace(&mut self.line, &node.comments.line);
        replace(&mut self.foot, foot);
    }

    fn flow_list(&mut self, node: &'d DraftNode, items: &'d [DraftNode], foot: &'d str) {
        let outer = self.open("[");
        let mut part = FlowPosition::First;
        for item in items {
            part = self.node(item, NodeContext::FlowItem(part), "", &item.comments.foot);
        }
        self.end(node, foot);
        self.flow_level = self.flow_level.saturating_sub(1);
        self.emitter.indent = outer;
        if self.emitter.column == 0 {
            self.emitter.write_indent();
        }
        self.close("]");
    }

    fn flow_map(&mut self, node: &'d DraftNode, entries: &'d [(DraftNode, DraftNode)], foot: &'d str) {
        let outer = self.open("{");
        let mut part = FlowPosition::First;
        let mut tail = "";
        for (key, value) in entries {
            self.node(key, NodeContext::FlowKey(part), tail, "");
            tail = &key.comments.foot;
            part = self.node(value, NodeContext::FlowValue(key_context(key)), "", &value.comments.foot);
        }
        replace(&mut self.tail, tail);
        self.end(node, foot);
        let comments = !(self.head.is_empty() && self.foot.is_empty() && self.tail.is_empty());
        if comments && part == FlowPosition::Behind {
            self.emitter.write_indicator(",", Gap::None, Counts::AsText);
        }
        self.write_head();
        self.flow_level = self.flow_level.saturating_sub(1);
        self.emitter.indent = outer;
        self.close("}");
    }

    /// Opens a bracket and returns the indentation around it.
    fn open(&mut self, bracket: &str) -> isize {
        self.emitter.write_indicator(bracket, Gap::Before, Counts::AsText);
        self.emitter.whitespace = true;
        self.flow_level += 1;
        let outer = self.emitter.indent;
        self.emitter.indent = outer.max(0) + INDENTATION;
        outer
    }

    fn close(&mut self, bracket: &str) {
        self.emitter.write_indicator(bracket, Gap::None, Counts::AsText);
        self.write_line();
        self.write_foot();
    }

    fn write_head(&mut self) {
        if !self.tail.is_empty() {
            let tail = std::mem::take(&mut self.tail);
            self.write_comment_below(tail);
        }
        if !self.head.is_empty() {
            let head = std::mem::take(&mut self.head);
            self.emitter.write_indent();
            self.emitter.write_comment(head);
        }
    }

    fn write_line(&mut self) {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            if !self.emitter.whitespace {
                self.emitter.put(' ');
            }
            self.emitter.write_comment(line);
        }
    }

    fn write_foot(&mut self) {
        if !self.foot.is_empty() {
            let foot = std::mem::take(&mut self.foot);
            self.write_comment_below(foot);
        }
    }

    fn write_comment_below(&mut self, comment: &str) {
        self.emitter.write_indent();
        self.emitter.write_comment(comment);
        self.emitter.foot_indent = self.emitter.indent.max(0);
    }
}

impl Emitter {
    fn write_comment(&mut self, comment: &str) {
        let mut at_line_start = false;
        let mut marked = false;
        for character in comment.chars() {
            if is_break(character) {
                self.write_break(character);
                at_line_start = true;
                marked = false;
                continue;
            }
            if at_line_start {
                self.write_indent();
            }
            if !marked && character != '#' {
                self.put('#');
                self.put(' ');
            }
            marked = true;
            self.put(character);
            self.indention = false;
            at_line_start = false;
        }
        if !at_line_start {
            self.put_break();
        }
        self.whitespace = true;
    }
}

/// A new comment replaces a waiting one.
fn replace<'d>(waiting: &mut &'d str, comment: &'d str) {
    if !comment.is_empty() {
        *waiting = comment;
    }
}

/// Whether a key can have its colon on its own line.
fn key_context(key: &DraftNode) -> Context {
    let text = match &key.content {
        DraftContent::List(..) | DraftContent::Map(..) if !key.is_empty() => return Context::ComplexKey,
        _ => key.text(),
    };
    let anchor = key.anchor.as_deref().unwrap_or_default();
    let tag = key.tag.as_deref().map_or(0, |tag| match tag.strip_prefix(TAG_PREFIX) {
        Some(name) => "!!".len() + name.len(),
        None => tag.len(),
    });
    if is_simple_key(text, text.len() + anchor.len() + tag) {
        Context::SimpleKey
    } else {
        Context::ComplexKey
    }
}

/// A tag with its handle, or in full.
fn written_tag(tag: &str) -> String {
    let escaped = |text: &str| {
        let mut out = String::new();
        for character in text.chars() {
            if character.is_ascii_alphanumeric() || ";/?:@&=+$,_.~*'()[]-".contains(character) {
                out.push(character);
            } else {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
        }
        out
    };
    match (tag.strip_prefix('!'), tag.strip_prefix(TAG_PREFIX)) {
        (Some(rest), _) => format!("!{}", escaped(rest)),
        (None, Some(name)) => format!("!!{}", escaped(name)),
        (None, None) => format!("!<{}>", escaped(tag)),
    }
}
