//! The tree of what was read, before macros and meaning. Nodes are in one list, so trees of any depth are dropped
//! safely.

use super::token::{Token, TokenKind};

/// The number of a node in its [`Tree`].
pub(super) type NodeId = u32;

/// The number of a token in its [`Tree`].
pub(super) type TokenId = u32;

/// What a node is: the alternatives of cel-go's grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrammarKind {
    /// A rule that ended before it was clear which alternative it is.
    Broken,
    /// As `Broken`, where a unary expression was expected.
    BrokenUnary,
    /// A node that only passes on its first child.
    Pass,
    /// `c ? a : b` where there is an operator.
    Conditional,
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a < b`
    Relation,
    /// `a + b`
    Calc,
    /// `!a`
    Not,
    /// `-a`
    Negate,
    /// `a.b`
    Select,
    /// `a.b(c)`
    MemberCall,
    /// `a[b]`
    Index,
    /// `a`
    Ident,
    /// `a(b)`
    GlobalCall,
    /// `[a]`
    List,
    /// `{a: b}`
    Map,
    /// `a{b: c}`
    Message,
    /// The arguments of a call.
    Arguments,
    /// The elements of a list.
    Elements,
    /// The fields of a message.
    Fields,
    /// The entries of a map.
    Entries,
    /// A field's name with its question mark.
    OptionalField,
    /// An expression with its question mark.
    OptionalExpr,
    /// A field's name.
    SimpleIdentifier,
    /// A field's name in back quotes.
    QuotedIdentifier,
    /// A literal of the kind of its token.
    Literal,
}

/// A node. Which tokens and children are there after an error depends on where it was.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// What it is.
    pub(super) kind: GrammarKind,
    /// The first token.
    pub(super) start: TokenId,
    /// The last token.
    pub(super) stop: TokenId,
    /// The operator, the sign or the bracket.
    pub(super) op: Option<TokenId>,
    /// The question mark.
    pub(super) question: Option<TokenId>,
    /// The name or the literal.
    pub(super) name: Option<TokenId>,
    /// The leading dot.
    pub(super) dot: Option<TokenId>,
    /// Repeated operators, the parts of a qualified name, or the colons of entries.
    pub(super) repeated: Vec<TokenId>,
    /// The parts that are nodes.
    pub(super) children: Vec<NodeId>,
}

/// All nodes and tokens.
#[derive(Debug)]
pub(super) struct Tree {
    /// The tokens, then those that were made up.
    pub(super) tokens: Vec<Token>,
    /// The nodes.
    pub(super) nodes: Vec<Node>,
    /// The outermost node.
    pub(super) root: NodeId,
}

impl Node {
    /// A node without parts.
    pub(super) fn new(kind: GrammarKind, start: TokenId) -> Self {
        Self {
            kind,
            start,
            stop: start,
            op: None,
            question: None,
            name: None,
            dot: None,
            repeated: Vec::new(),
            children: Vec::new(),
        }
    }
}

impl Tree {
    /// A node.
    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// A token. One that does not exist is the end of the text.
    pub(super) fn token(&self, id: TokenId) -> Token {
        self.tokens.get(id as usize).copied().unwrap_or(Token {
            kind: TokenKind::End,
            start: 0,
            end: 0,
            is_missing: false,
        })
    }
}
