//! From the tree of what was read to the tree of what is meant.
//!
//! It also runs over what could be read of a broken expression, because cel-go reports reserved words, literals out of
//! range and wrong uses of macros beside the syntax errors.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::issue::{Issue, IssueKind, LimitIssue, LiteralIssue};
use super::literal::{self, Quoted};
use super::token::TokenKind;
use super::tree::{GrammarKind, Node, NodeId, TokenId, Tree};
use super::{ParseOptions, names};
use crate::ast::{Ask, Ast, Entry, Expr, ExprId, ExprKind};
use crate::value::Value;

/// The place of what was never written.
pub(super) const UNKNOWN: Range<u32> = u32::MAX..u32::MAX;

/// The expression has more levels than allowed, or macros made it too large.
#[derive(Debug)]
pub(super) struct Stopped;

pub(super) type Built<T> = Result<T, Stopped>;

/// Builds the tree. Issues that are already known come first.
pub(super) fn build(
    text: &str,
    tree: &Tree,
    options: &ParseOptions,
    issues: Vec<Issue>,
) -> Result<Ast, Vec<Issue>> {
    let mut builder = Builder {
        text,
        tree,
        options,
        issues,
        // The number 0 is that of nothing.
        places: vec![UNKNOWN],
        macro_calls: FxHashMap::default(),
        depth: 0,
        copied: 0,
    };
    match builder.visit(Some(tree.root)) {
        Ok(root) if builder.issues.is_empty() => {
            Ok(Ast { root, places: builder.places, macro_calls: builder.macro_calls })
        }
        _ => Err(builder.issues),
    }
}

pub(super) struct Builder<'a> {
    text: &'a str,
    tree: &'a Tree,
    pub(super) options: &'a ParseOptions,
    pub(super) issues: Vec<Issue>,
    places: Vec<Range<u32>>,
    pub(super) macro_calls: FxHashMap<ExprId, Expr>,
    depth: u32,
    pub(super) copied: u32,
}

impl Builder<'_> {
    /// A new number for something at a place.
    pub(super) fn number(&mut self, place: Range<u32>) -> ExprId {
        self.places.push(place);
        (self.places.len() - 1) as ExprId
    }

    /// Where a node is.
    pub(super) fn place(&self, id: ExprId) -> Range<u32> {
        self.places.get(id as usize).cloned().unwrap_or(UNKNOWN)
    }

    fn number_of_token(&mut self, token: Option<TokenId>) -> ExprId {
        let place = token.map_or(UNKNOWN, |token| self.place_of_token(token));
        self.number(place)
    }

    fn place_of_token(&self, token: TokenId) -> Range<u32> {
        let token = self.tree.token(token);
        token.start..token.end
    }

    fn place_of_node(&self, node: &Node) -> Range<u32> {
        let start = self.tree.token(node.start);
        let stop = self.tree.token(node.stop);
        start.start..stop.end.max(start.start)
    }

    pub(super) fn report(&mut self, place: Range<u32>, kind: IssueKind) {
        let issue = if self.issues.len() >= super::issue::MOST_ISSUES {
            // It is only counted, so its line need not be searched for.
            Issue { kind, place, line: -1, column: -1 }
        } else if place == UNKNOWN {
            // cel-go computes this place from an offset of -1.
            Issue { kind, place: 0..0, line: 1, column: -1 }
        } else {
            Issue::at(self.text, place, kind)
        };
        self.issues.push(issue);
    }

    /// A placeholder for what could not be read. The tree it is in is never returned.
    pub(super) fn nothing(&mut self, place: Range<u32>) -> Expr {
        Expr { id: self.number(place), kind: ExprKind::Literal(Value::Null) }
    }

    fn report_node(&mut self, node: &Node, kind: IssueKind) -> Expr {
        let place = self.place_of_node(node);
        self.report(place.clone(), kind);
        self.nothing(place)
    }

    fn text_of(&self, token: TokenId) -> String {
        let token = self.tree.token(token);
        if token.is_missing {
            return format!("<missing {}>", token.kind.name());
        }
        if token.kind == TokenKind::End {
            return "<EOF>".to_owned();
        }
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default().to_owned()
    }

    pub(super) fn visit(&mut self, id: Option<NodeId>) -> Built<Expr> {
        let tree = self.tree;
        let mut id = id;
        let node = loop {
            match id.and_then(|id| tree.node(id)) {
                Some(node) if node.kind == GrammarKind::Pass => id = node.children.first().copied(),
                node => break node,
            }
        };
        let Some(node) = node else { return Ok(self.broken()) };
        let is_level = matches!(
            node.kind,
            GrammarKind::Conditional
                | GrammarKind::Relation
                | GrammarKind::Calc
                | GrammarKind::Select
                | GrammarKind::MemberCall
                | GrammarKind::Index
        );
        if !is_level {
            return self.visit_flat(node);
        }
        self.depth += 1;
        if self.depth > self.options.most_depth {
            self.issues.push(Issue::nowhere(IssueKind::Limit(LimitIssue::Levels)));
            return Err(Stopped);
        }
        let expr = self.visit_level(node);
        self.depth -= 1;
        expr
    }

    fn broken(&mut self) -> Expr {
        if self.issues.is_empty() {
            self.issues.push(Issue::nowhere(internal("unknown parse element encountered: <<nil>>")));
        }
        self.nothing(UNKNOWN)
    }

    fn visit_level(&mut self, node: &Node) -> Built<Expr> {
        match node.kind {
            GrammarKind::Conditional => self.conditional(node),
            GrammarKind::Relation | GrammarKind::Calc => self.binary(node),
            GrammarKind::Select => self.select(node),
            GrammarKind::MemberCall => self.member_call(node),
            _ => self.index(node),
        }
    }

    fn visit_flat(&mut self, node: &Node) -> Built<Expr> {
        match node.kind {
            GrammarKind::Or => self.logic(node, names::OR),
            GrammarKind::And => self.logic(node, names::AND),
            GrammarKind::Not => self.unary(node, names::NOT),
            GrammarKind::Negate => self.unary(node, names::NEGATE),
            GrammarKind::Ident => self.ident(node),
            GrammarKind::GlobalCall => self.global_call(node),
            GrammarKind::List => self.list(node),
            GrammarKind::Map => self.map(node),
            GrammarKind::Message => self.message(node),
            GrammarKind::Literal => self.literal(node),
            GrammarKind::BrokenUnary => {
                let place = self.place_of_node(node);
                Ok(self.nothing(place))
            }
            _ => Ok(self.broken()),
        }
    }

    fn child(node: &Node, index: usize) -> Option<NodeId> {
        node.children.get(index).copied()
    }

    fn conditional(&mut self, node: &Node) -> Built<Expr> {
        let condition = self.visit(Self::child(node, 0))?;
        let id = self.number_of_token(node.op);
        let yes = self.visit(Self::child(node, 1))?;
        let no = self.visit(Self::child(node, 2))?;
        Ok(call(id, names::CONDITIONAL, vec![condition, yes, no]))
    }

    fn logic(&mut self, node: &Node, function: &str) -> Built<Expr> {
        let mut terms = Vec::with_capacity(node.children.len());
        terms.push(self.visit(Self::child(node, 0))?);
        let mut operators = Vec::with_capacity(node.repeated.len());
        for (index, &operator) in node.repeated.iter().enumerate() {
            let Some(&child) = node.children.get(index + 1) else {
                let wanted = if function == names::OR { "||" } else { "&&" };
                return Ok(
                    self.report_node(node, internal(format!("unexpected character, wanted '{wanted}'")))
                );
            };
            terms.push(self.visit(Some(child))?);
            operators.push(self.number_of_token(Some(operator)));
        }
        Ok(balanced(&mut terms.into_iter(), &operators, &Arc::from(function)))
    }

    fn binary(&mut self, node: &Node) -> Built<Expr> {
        let operator = node.op.map(|op| self.tree.token(op)).filter(|token| !token.is_missing);
        let Some(function) = operator.and_then(|token| names::binary(token.kind)) else {
            return Ok(self.report_node(node, internal("operator not found")));
        };
        let left = self.visit(Self::child(node, 0))?;
        let id = self.number_of_token(node.op);
        let right = self.visit(Self::child(node, 1))?;
        Ok(call(id, function, vec![left, right]))
    }

    fn unary(&mut self, node: &Node, function: &str) -> Built<Expr> {
        // Pairs of operators cancel each other.
        if node.repeated.len().is_multiple_of(2) {
            return self.visit(Self::child(node, 0));
        }
        let id = self.number_of_token(node.repeated.first().copied());
        let operand = self.visit(Self::child(node, 0))?;
        Ok(call(id, function, vec![operand]))
    }

    fn field_name(&self, id: Option<NodeId>) -> Result<String, IssueKind> {
        let Some(node) = id.and_then(|id| self.tree.node(id)) else {
            return Err(internal("unsupported ident kind"));
        };
        let text = node.name.map(|name| self.text_of(name)).unwrap_or_default();
        match node.kind {
            GrammarKind::SimpleIdentifier => Ok(text),
            GrammarKind::QuotedIdentifier if !self.options.quoted_identifiers => Err(IssueKind::QuotedField),
            GrammarKind::QuotedIdentifier => text
                .strip_prefix('`')
                .and_then(|text| text.strip_suffix('`'))
                .map(str::to_owned)
                .ok_or_else(|| internal("invalid escaped identifier: underflow")),
            _ => Err(internal("unsupported ident kind")),
        }
    }

    fn select(&mut self, node: &Node) -> Built<Expr> {
        let operand = self.visit(Self::child(node, 0))?;
        let name = Self::child(node, 1);
        let (Some(name_node), Some(op)) = (name.and_then(|name| self.tree.node(name)), node.op) else {
            let place = self.place_of_node(node);
            return Ok(self.nothing(place));
        };
        let name_place = self.place_of_node(name_node);
        let field = match self.field_name(name) {
            Ok(field) => field,
            Err(issue) => {
                self.report(name_place.clone(), issue);
                String::new()
            }
        };
        if node.question.is_none() {
            let id = self.number_of_token(Some(op));
            let kind = ExprKind::Select { operand: Box::new(operand), field: field.into(), ask: Ask::Value };
            return Ok(Expr { id, kind });
        }
        if !self.options.optional {
            let place = self.place_of_token(op);
            self.report(place.clone(), IssueKind::Unsupported(".?"));
            return Ok(self.nothing(place));
        }
        let field_id = self.number(name_place);
        let id = self.number_of_token(Some(op));
        let field = Expr { id: field_id, kind: ExprKind::Literal(Value::String(field.into())) };
        Ok(call(id, names::OPTIONAL_SELECT, vec![operand, field]))
    }

    fn member_call(&mut self, node: &Node) -> Built<Expr> {
        let target = self.visit(Self::child(node, 0))?;
        let Some(name) = node.name else {
            let place = self.place_of_node(node);
            return Ok(self.nothing(place));
        };
        let id = self.number_of_token(node.op);
        let args = self.arguments(Self::child(node, 1))?;
        let function = self.text_of(name);
        self.call_or_macro(id, function, Some(target), args)
    }

    fn index(&mut self, node: &Node) -> Built<Expr> {
        let target = self.visit(Self::child(node, 0))?;
        let Some(op) = node.op else {
            let place = self.place_of_node(node);
            return Ok(self.nothing(place));
        };
        let id = self.number_of_token(Some(op));
        let index = self.visit(Self::child(node, 1))?;
        let function = if node.question.is_some() { names::OPTIONAL_INDEX } else { names::INDEX };
        if node.question.is_some() && !self.options.optional {
            let place = self.place_of_token(op);
            self.report(place.clone(), IssueKind::Unsupported("[?"));
            return Ok(self.nothing(place));
        }
        Ok(call(id, function, vec![target, index]))
    }

    fn arguments(&mut self, id: Option<NodeId>) -> Built<Vec<Expr>> {
        let tree = self.tree;
        let Some(node) = id.and_then(|id| tree.node(id)) else { return Ok(Vec::new()) };
        node.children.iter().map(|&child| self.visit(Some(child))).collect()
    }

    /// The name with its leading dot, or a placeholder where it is reserved or missing.
    fn name(&mut self, node: &Node) -> Result<String, Expr> {
        let Some(name) = node.name else {
            let place = self.place_of_node(node);
            return Err(self.nothing(place));
        };
        let text = self.text_of(name);
        if names::is_reserved(&text) {
            return Err(self.report_node(node, IssueKind::Reserved(text.into())));
        }
        Ok(if node.dot.is_some() { format!(".{text}") } else { text })
    }

    fn ident(&mut self, node: &Node) -> Built<Expr> {
        let name = match self.name(node) {
            Ok(name) => name,
            Err(expr) => return Ok(expr),
        };
        Ok(Expr { id: self.number_of_token(node.name), kind: ExprKind::Ident(name.into()) })
    }

    fn global_call(&mut self, node: &Node) -> Built<Expr> {
        let function = match self.name(node) {
            Ok(name) => name,
            Err(expr) => return Ok(expr),
        };
        let id = self.number_of_token(node.op);
        let args = self.arguments(Self::child(node, 0))?;
        self.call_or_macro(id, function, None, args)
    }

    fn list(&mut self, node: &Node) -> Built<Expr> {
        let tree = self.tree;
        let id = self.number_of_token(node.op);
        let mut elements = Vec::new();
        let mut optional = Vec::new();
        let children = Self::child(node, 0).and_then(|child| tree.node(child));
        for &child in children.map(|node| node.children.as_slice()).unwrap_or_default() {
            let Some(element) = tree.node(child) else { continue };
            elements.push(self.visit(Self::child(element, 0))?);
            let Some(question) = element.question else { continue };
            if self.options.optional {
                optional.push((elements.len() - 1) as u32);
            } else {
                let place = self.place_of_token(question);
                self.report(place, IssueKind::Unsupported("?"));
            }
        }
        Ok(Expr { id, kind: ExprKind::List { elements, optional } })
    }

    fn map(&mut self, node: &Node) -> Built<Expr> {
        let tree = self.tree;
        let id = self.number_of_token(node.op);
        let mut entries = Vec::new();
        if let Some(list) = Self::child(node, 0).and_then(|child| tree.node(child)) {
            for (index, &colon) in list.repeated.iter().enumerate() {
                let entry_id = self.number_of_token(Some(colon));
                let parts = (Self::child(list, index * 2), Self::child(list, index * 2 + 1));
                let (Some(key), Some(value)) = parts else { break };
                let Some(key) = tree.node(key) else { break };
                let is_optional = key.question.is_some();
                if is_optional && !self.options.optional {
                    self.report_node(key, IssueKind::Unsupported("?"));
                    continue;
                }
                let key = self.visit(Self::child(key, 0))?;
                let value = self.visit(Some(value))?;
                entries.push(Entry { id: entry_id, key, value, is_optional });
            }
        }
        Ok(Expr { id, kind: ExprKind::Map(entries) })
    }

    fn message(&mut self, node: &Node) -> Built<Expr> {
        let tree = self.tree;
        let parts: Vec<String> = node.repeated.iter().map(|&part| self.text_of(part)).collect();
        let dot = if node.dot.is_some() { "." } else { "" };
        let name = format!("{dot}{}", parts.join("."));
        let id = self.number_of_token(node.op);
        let mut fields = Vec::new();
        if let Some(list) = Self::child(node, 0).and_then(|child| tree.node(child)) {
            for index in 0..list.children.len().div_ceil(2) {
                let parts = (Self::child(list, index * 2), Self::child(list, index * 2 + 1));
                let ((Some(field), Some(value)), Some(&colon)) = (parts, list.repeated.get(index)) else {
                    break;
                };
                let entry_id = self.number_of_token(Some(colon));
                let Some(field) = tree.node(field) else { break };
                let is_optional = field.question.is_some();
                if is_optional && !self.options.optional {
                    self.report_node(field, IssueKind::Unsupported("?"));
                    continue;
                }
                let name = match self.field_name(Self::child(field, 0)) {
                    Ok(name) => name,
                    Err(issue) => {
                        self.report_node(list, issue);
                        continue;
                    }
                };
                let value = self.visit(Some(value))?;
                let key = Expr { id: entry_id, kind: ExprKind::Literal(Value::String(name.into())) };
                fields.push(Entry { id: entry_id, key, value, is_optional });
            }
        }
        Ok(Expr { id, kind: ExprKind::Struct { name: name.into(), fields } })
    }

    fn literal(&mut self, node: &Node) -> Built<Expr> {
        let token = node.name.map(|name| self.tree.token(name).kind);
        let text = node.name.map(|name| self.text_of(name)).unwrap_or_default();
        let sign = if node.op.is_some() { "-" } else { "" };
        let value = match token {
            Some(TokenKind::Int) => literal::int(sign, &text).map(Value::Int).ok_or(LiteralIssue::Int),
            Some(TokenKind::UInt) => literal::uint(&text).map(Value::UInt).ok_or(LiteralIssue::UInt),
            Some(TokenKind::Float) => {
                literal::double(sign, &text).map(Value::Double).ok_or(LiteralIssue::Double)
            }
            Some(TokenKind::String) => literal::unescape(&text, Quoted::String)
                .map(|bytes| Value::String(String::from_utf8_lossy(&bytes).into()))
                .map_err(LiteralIssue::Escape),
            Some(TokenKind::Bytes) => literal::unescape(text.get(1..).unwrap_or_default(), Quoted::Bytes)
                .map(|bytes| Value::Bytes(bytes.into()))
                .map_err(LiteralIssue::Escape),
            Some(TokenKind::True) => Ok(Value::Bool(true)),
            Some(TokenKind::False) => Ok(Value::Bool(false)),
            Some(TokenKind::Null) => Ok(Value::Null),
            _ => return Ok(self.broken()),
        };
        match value {
            Ok(value) => {
                let place = self.place_of_node(node);
                Ok(Expr { id: self.number(place), kind: ExprKind::Literal(value) })
            }
            Err(issue) => Ok(self.report_node(node, IssueKind::Literal(issue))),
        }
    }
}

/// What cel-go does not expect of its own parser.
fn internal(words: impl Into<String>) -> IssueKind {
    IssueKind::Internal(words.into())
}

/// A call of a function without a receiver.
pub(super) fn call(id: ExprId, function: &str, args: Vec<Expr>) -> Expr {
    Expr { id, kind: ExprKind::Call { target: None, function: function.into(), args } }
}

/// Terms joined by one operator, as a tree of the least depth. It takes one term more than there are operators.
fn balanced(terms: &mut impl Iterator<Item = Expr>, operators: &[ExprId], function: &Arc<str>) -> Expr {
    // What is before the operator in the middle, itself, and what is after it.
    let (before, rest) = operators.split_at(operators.len() / 2);
    let Some((&id, after)) = rest.split_first() else {
        return terms.next().unwrap_or(Expr { id: 0, kind: ExprKind::Literal(Value::Null) });
    };
    let left = balanced(terms, before, function);
    let right = balanced(terms, after, function);
    Expr { id, kind: ExprKind::Call { target: None, function: function.clone(), args: vec![left, right] } }
}
