//! Reads expressions that are well-formed, which nearly all are, by recursive descent.
//!
//! At the first thing out of order it gives up without a word. What is wrong, and how deep an expression may be, is then
//! decided by the reader in [`super::recovery`], which follows the grammar step by step as cel-go does.

use super::token::{Token, TokenKind};
use super::tree::{GrammarKind, Node, NodeId, Tree};

/// The expression is not well-formed, or too deep.
pub(super) struct GivenUp;

/// Reads tokens, the last of which is the end of the text.
pub(super) fn read(tokens: Vec<Token>, most_depth: u32) -> Result<Tree, (GivenUp, Vec<Token>)> {
    let mut reader = Reader { tokens, nodes: Vec::new(), at: 0, most_depth, expr: 0, relation: 0, calc: 0 };
    match reader.expr() {
        Ok(root) if reader.peek() == TokenKind::End => {
            Ok(Tree { tokens: reader.tokens, nodes: reader.nodes, root })
        }
        _ => Err((GivenUp, reader.tokens)),
    }
}

struct Reader {
    tokens: Vec<Token>,
    nodes: Vec<Node>,
    at: u32,
    most_depth: u32,
    // How often each rule is being read right now. Other rules are never nested deeper than one of these.
    expr: u32,
    relation: u32,
    calc: u32,
}

type Read<T> = Result<T, GivenUp>;

impl Reader {
    fn peek(&self) -> TokenKind {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: u32) -> TokenKind {
        self.tokens.get((self.at + ahead) as usize).map_or(TokenKind::End, |token| token.kind)
    }

    /// The current token, after which reading goes on.
    fn take(&mut self) -> u32 {
        let token = self.at;
        self.at += 1;
        token
    }

    fn take_if(&mut self, kind: TokenKind) -> Option<u32> {
        (self.peek() == kind).then(|| self.take())
    }

    fn expect(&mut self, kind: TokenKind) -> Read<u32> {
        self.take_if(kind).ok_or(GivenUp)
    }

    fn add(&mut self, mut node: Node) -> NodeId {
        node.stop = self.at.saturating_sub(1);
        self.nodes.push(node);
        (self.nodes.len() - 1) as NodeId
    }

    fn start_of(&self, node: NodeId) -> u32 {
        self.nodes.get(node as usize).map_or(0, |node| node.start)
    }

    fn enter(&self, depth: u32) -> Read<()> {
        if depth > self.most_depth { Err(GivenUp) } else { Ok(()) }
    }

    fn expr(&mut self) -> Read<NodeId> {
        self.expr += 1;
        self.enter(self.expr)?;
        let condition = self.or()?;
        let node = match self.take_if(TokenKind::Question) {
            None => condition,
            Some(op) => {
                let yes = self.or()?;
                self.expect(TokenKind::Colon)?;
                let no = self.expr()?;
                let mut node = Node::new(GrammarKind::Conditional, self.start_of(condition));
                node.op = Some(op);
                node.children = vec![condition, yes, no];
                self.add(node)
            }
        };
        self.expr -= 1;
        Ok(node)
    }

    /// `a && b || c && d`
    fn or(&mut self) -> Read<NodeId> {
        let first = self.and()?;
        if self.peek() != TokenKind::Or {
            return Ok(first);
        }
        let mut node = Node::new(GrammarKind::Or, self.start_of(first));
        node.children.push(first);
        while let Some(op) = self.take_if(TokenKind::Or) {
            node.repeated.push(op);
            node.children.push(self.and()?);
        }
        Ok(self.add(node))
    }

    fn and(&mut self) -> Read<NodeId> {
        let first = self.relation(1)?;
        if self.peek() != TokenKind::And {
            return Ok(first);
        }
        let mut node = Node::new(GrammarKind::And, self.start_of(first));
        node.children.push(first);
        while let Some(op) = self.take_if(TokenKind::And) {
            node.repeated.push(op);
            node.children.push(self.relation(1)?);
        }
        Ok(self.add(node))
    }

    fn binary(&mut self, kind: GrammarKind, left: NodeId, op: u32, right: NodeId) -> NodeId {
        let mut node = Node::new(kind, self.start_of(left));
        node.op = Some(op);
        node.children = vec![left, right];
        self.add(node)
    }

    fn relation(&mut self, least: u32) -> Read<NodeId> {
        self.relation += 1;
        self.enter(self.relation)?;
        let mut left = self.calc(1)?;
        while least <= 1 && is_relation(self.peek()) {
            let op = self.take();
            let right = self.relation(2)?;
            left = self.binary(GrammarKind::Relation, left, op, right);
        }
        self.relation -= 1;
        Ok(left)
    }

    fn calc(&mut self, least: u32) -> Read<NodeId> {
        self.calc += 1;
        self.enter(self.calc)?;
        let mut left = self.unary()?;
        loop {
            let precedence = match self.peek() {
                TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 2,
                TokenKind::Plus | TokenKind::Minus => 1,
                _ => break,
            };
            if precedence < least {
                break;
            }
            let op = self.take();
            let right = self.calc(precedence + 1)?;
            left = self.binary(GrammarKind::Calc, left, op, right);
        }
        self.calc -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Read<NodeId> {
        let (operator, kind) = match self.peek() {
            TokenKind::Not => (TokenKind::Not, GrammarKind::Not),
            // A minus sign before a number belongs to the number, unless there are several.
            TokenKind::Minus if !matches!(self.peek_at(1), TokenKind::Int | TokenKind::Float) => {
                (TokenKind::Minus, GrammarKind::Negate)
            }
            _ => return self.member(),
        };
        let mut node = Node::new(kind, self.at);
        while let Some(op) = self.take_if(operator) {
            node.repeated.push(op);
        }
        node.children.push(self.member()?);
        Ok(self.add(node))
    }

    fn member(&mut self) -> Read<NodeId> {
        let mut left = self.primary()?;
        loop {
            let mut node = Node::new(GrammarKind::Select, self.start_of(left));
            node.children.push(left);
            match self.peek() {
                TokenKind::Dot
                    if self.peek_at(1) == TokenKind::Identifier
                        && self.peek_at(2) == TokenKind::LeftParen =>
                {
                    self.take();
                    node.kind = GrammarKind::MemberCall;
                    node.name = Some(self.take());
                    node.op = Some(self.take());
                    self.arguments(&mut node)?;
                }
                TokenKind::Dot => {
                    node.op = Some(self.take());
                    node.question = self.take_if(TokenKind::Question);
                    let name = self.field_name()?;
                    node.children.push(name);
                }
                TokenKind::LeftBracket => {
                    node.kind = GrammarKind::Index;
                    node.op = Some(self.take());
                    node.question = self.take_if(TokenKind::Question);
                    let index = self.expr()?;
                    node.children.push(index);
                    self.expect(TokenKind::RightBracket)?;
                }
                _ => return Ok(left),
            }
            left = self.add(node);
        }
    }

    fn field_name(&mut self) -> Read<NodeId> {
        let kind = match self.peek() {
            TokenKind::Identifier => GrammarKind::SimpleIdentifier,
            TokenKind::QuotedIdentifier => GrammarKind::QuotedIdentifier,
            _ => return Err(GivenUp),
        };
        let mut node = Node::new(kind, self.at);
        node.name = Some(self.take());
        Ok(self.add(node))
    }

    fn arguments(&mut self, call: &mut Node) -> Read<()> {
        if self.take_if(TokenKind::RightParen).is_some() {
            return Ok(());
        }
        let mut node = Node::new(GrammarKind::Arguments, self.at);
        loop {
            node.children.push(self.expr()?);
            if self.take_if(TokenKind::Comma).is_none() {
                break;
            }
        }
        let arguments = self.add(node);
        call.children.push(arguments);
        self.expect(TokenKind::RightParen)?;
        Ok(())
    }

    fn primary(&mut self) -> Read<NodeId> {
        match self.peek() {
            TokenKind::Identifier | TokenKind::Dot => self.named(),
            TokenKind::LeftParen => {
                let start = self.take();
                let inner = self.expr()?;
                self.expect(TokenKind::RightParen)?;
                let mut node = Node::new(GrammarKind::Pass, start);
                node.children.push(inner);
                Ok(self.add(node))
            }
            TokenKind::LeftBracket => {
                let mut node = Node::new(GrammarKind::List, self.at);
                node.op = Some(self.take());
                self.elements(&mut node, TokenKind::RightBracket)?;
                Ok(self.add(node))
            }
            TokenKind::LeftBrace => {
                let mut node = Node::new(GrammarKind::Map, self.at);
                node.op = Some(self.take());
                self.elements(&mut node, TokenKind::RightBrace)?;
                Ok(self.add(node))
            }
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Read<NodeId> {
        let mut node = Node::new(GrammarKind::Literal, self.at);
        node.op = self.take_if(TokenKind::Minus);
        match self.peek() {
            TokenKind::Int | TokenKind::Float => {}
            TokenKind::UInt
            | TokenKind::String
            | TokenKind::Bytes
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Null
                if node.op.is_none() => {}
            _ => return Err(GivenUp),
        }
        node.name = Some(self.take());
        Ok(self.add(node))
    }

    /// A name, a call or a message.
    fn named(&mut self) -> Read<NodeId> {
        let mut node = Node::new(GrammarKind::Ident, self.at);
        node.dot = self.take_if(TokenKind::Dot);
        let first = self.expect(TokenKind::Identifier)?;
        let mut ahead = 0;
        while self.peek_at(ahead) == TokenKind::Dot && self.peek_at(ahead + 1) == TokenKind::Identifier {
            ahead += 2;
        }
        if self.peek_at(ahead) == TokenKind::LeftBrace {
            node.kind = GrammarKind::Message;
            node.repeated.push(first);
            while self.take_if(TokenKind::Dot).is_some() {
                node.repeated.push(self.expect(TokenKind::Identifier)?);
            }
            node.op = Some(self.expect(TokenKind::LeftBrace)?);
            self.elements(&mut node, TokenKind::RightBrace)?;
            return Ok(self.add(node));
        }
        node.name = Some(first);
        if self.peek() == TokenKind::LeftParen {
            node.kind = GrammarKind::GlobalCall;
            node.op = Some(self.take());
            self.arguments(&mut node)?;
        }
        Ok(self.add(node))
    }

    /// What is between brackets or braces, and the closing one.
    fn elements(&mut self, outer: &mut Node, close: TokenKind) -> Read<()> {
        let kind = match outer.kind {
            GrammarKind::List => GrammarKind::Elements,
            GrammarKind::Map => GrammarKind::Entries,
            _ => GrammarKind::Fields,
        };
        let mut node = Node::new(kind, self.at);
        // One comma may be before the closing bracket, even without elements.
        while self.peek() != close && !(node.children.is_empty() && self.peek() == TokenKind::Comma) {
            let mut element = Node::new(GrammarKind::OptionalExpr, self.at);
            element.question = self.take_if(TokenKind::Question);
            if kind == GrammarKind::Fields {
                element.kind = GrammarKind::OptionalField;
                element.children.push(self.field_name()?);
            } else {
                element.children.push(self.expr()?);
            }
            let element = self.add(element);
            node.children.push(element);
            if kind != GrammarKind::Elements {
                node.repeated.push(self.expect(TokenKind::Colon)?);
                node.children.push(self.expr()?);
            }
            if self.peek() != TokenKind::Comma || self.peek_at(1) == close {
                break;
            }
            self.take();
        }
        if !node.children.is_empty() {
            let elements = self.add(node);
            outer.children.push(elements);
        }
        self.take_if(TokenKind::Comma);
        self.expect(close)?;
        Ok(())
    }
}

fn is_relation(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Less
            | TokenKind::LessEquals
            | TokenKind::GreaterEquals
            | TokenKind::Greater
            | TokenKind::Equals
            | TokenKind::NotEquals
            | TokenKind::In
    )
}
