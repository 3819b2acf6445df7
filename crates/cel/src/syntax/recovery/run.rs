//! The reader: walks the steps of the grammar and recovers from errors.
//!
//! Calls are on a stack of its own, so no expression makes it overflow.

use std::collections::BTreeSet;

use super::grammar::{Grammar, RULES, Rule, Slot, StateId, StateKind, Step, StepId, TokenSet};
use super::predict::{Predictor, Question};
use crate::syntax::issue::{Issue, IssueKind, LimitIssue, SyntaxIssue};
use crate::syntax::lexer::Tokens;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{GrammarKind, Node, NodeId, Tree};

/// The most syntax errors that are reported.
const MOST_ERRORS: u32 = 100;

/// How often reading goes on after an error.
const MOST_RECOVERIES: u32 = 30;

/// How many tokens are skipped at once.
const MOST_SKIPPED: u32 = 256;

/// What was read.
pub(in crate::syntax) struct Outcome {
    /// What is wrong.
    pub(in crate::syntax) issues: Vec<Issue>,
    /// What could be read, unless reading was given up.
    pub(in crate::syntax) tree: Option<Tree>,
}

/// Reads tokens, the last of which is the end of the text.
pub(in crate::syntax) fn read(text: &str, tokens: Tokens, most_depth: u32) -> Outcome {
    let grammar = Grammar::get();
    let mut reader = Reader {
        grammar,
        text,
        count: tokens.list.len() as u32,
        tokens,
        reported_unreadable: 0,
        at: 0,
        state: 0,
        frames: Vec::new(),
        follows: Vec::new(),
        nodes: Vec::new(),
        depths: [0; RULES],
        most_depth,
        predictor: Predictor::new(grammar),
        issues: Vec::new(),
        errors: 0,
        recoveries: 0,
        is_recovering: false,
        last_error_at: None,
        last_error_states: BTreeSet::new(),
    };
    let tree = match reader.run() {
        Ok(root) => Some(Tree { tokens: reader.tokens.list, nodes: reader.nodes, root }),
        Err(Halt) => None,
    };
    Outcome { issues: reader.issues, tree }
}

/// Reading is given up; the reason was reported.
struct Halt;

/// Why a rule cannot go on.
enum Trouble {
    NoWay { start: u32, offending: u32 },
    Mismatch,
}

struct Frame {
    rule: Rule,
    /// The step to go on with after the rule.
    after: StepId,
    precedence: u8,
    node: NodeId,
}

struct Reader<'a> {
    grammar: &'static Grammar,
    text: &'a str,
    /// The tokens; those that were made up are after the `count` tokens of the text.
    tokens: Tokens,
    count: u32,
    reported_unreadable: usize,
    at: u32,
    state: StateId,
    frames: Vec<Frame>,
    /// The states that the calls return to, without the first rule's.
    follows: Vec<StateId>,
    nodes: Vec<Node>,
    depths: [u32; RULES],
    most_depth: u32,
    predictor: Predictor,
    issues: Vec<Issue>,
    errors: u32,
    recoveries: u32,
    /// Whether an error was reported and no token has fitted since.
    is_recovering: bool,
    last_error_at: Option<u32>,
    last_error_states: BTreeSet<StateId>,
}

type Run<T> = Result<T, Halt>;

impl Reader<'_> {
    fn run(&mut self) -> Run<NodeId> {
        self.fetch(0)?;
        self.enter(Rule::Start, 0, 0, 0)?;
        let mut at = self.grammar.entry(Rule::Start);
        let grammar = self.grammar;
        while let Some(step) = grammar.steps.get(at as usize) {
            at = match self.step(step, at)? {
                Ok(next) => next,
                Err(trouble) => {
                    self.report(&trouble)?;
                    self.recover()?;
                    match self.leave() {
                        Some(next) => next,
                        None => break,
                    }
                }
            };
            if self.frames.is_empty() {
                break;
            }
        }
        // The node of the first rule is the first one.
        Ok(0)
    }

    /// Makes a step and returns the next one.
    fn step(&mut self, step: &Step, at: StepId) -> Run<Result<StepId, Trouble>> {
        let mut next = at + 1;
        match step {
            Step::Sync(state) => {
                self.state = *state;
                if let Err(trouble) = self.sync()? {
                    return Ok(Err(trouble));
                }
            }
            Step::Match(state, kind, slot) => {
                self.state = *state;
                match self.expect(*kind)? {
                    Ok(token) => self.remember(*slot, token),
                    Err(trouble) => return Ok(Err(trouble)),
                }
            }
            Step::MatchAny(state) => {
                self.state = *state;
                let kind = self.peek(0)?;
                let token = if self.next_of(*state).contains(kind) {
                    let token = self.at;
                    self.end_recovery();
                    self.consume()?;
                    token
                } else {
                    match self.recover_inline()? {
                        Ok(token) => token,
                        Err(trouble) => return Ok(Err(trouble)),
                    }
                };
                self.remember(Slot::Op, token);
            }
            Step::Call(state, rule, precedence) => {
                self.state = *state;
                self.enter(*rule, *state, next, *precedence)?;
                next = self.grammar.entry(*rule);
            }
            Step::Unless(state, target) => {
                let kind = self.peek(0)?;
                if !self.next_of(*state).contains(kind) {
                    next = *target;
                }
            }
            Step::If(state, target) => {
                let kind = self.peek(0)?;
                if self.next_of(*state).contains(kind) {
                    next = *target;
                }
            }
            Step::Predict(decision, ways) => match self.predict(*decision)? {
                Ok(way) => next = ways.get(way).copied().unwrap_or(next),
                Err(trouble) => return Ok(Err(trouble)),
            },
            Step::Switch(ways) => {
                let kind = self.peek(0)?;
                match ways.iter().find(|(wanted, _)| *wanted == kind) {
                    Some((_, target)) => next = *target,
                    None => return Ok(Err(Trouble::NoWay { start: self.at, offending: self.at })),
                }
            }
            Step::Go(target) => next = *target,
            Step::Become(kind) => {
                if let Some(node) = self.node() {
                    node.kind = *kind;
                }
            }
            Step::Wrap(kind) => self.wrap(*kind),
            Step::Return => next = self.leave().unwrap_or(next),
        }
        Ok(Ok(next))
    }

    fn node(&mut self) -> Option<&mut Node> {
        let id = self.frames.last()?.node;
        self.nodes.get_mut(id as usize)
    }

    fn remember(&mut self, slot: Slot, token: u32) {
        let Some(node) = self.node() else { return };
        match slot {
            Slot::Nowhere => {}
            Slot::Op => node.op = Some(token),
            Slot::Question => node.question = Some(token),
            Slot::Name => node.name = Some(token),
            Slot::Dot => node.dot = Some(token),
            Slot::Repeated => node.repeated.push(token),
        }
    }

    fn enter(&mut self, rule: Rule, caller: StateId, after: StepId, precedence: u8) -> Run<()> {
        if let Some(depth) = self.depths.get_mut(rule as usize) {
            *depth += 1;
            if *depth > self.most_depth {
                let limit = LimitIssue::Nesting(self.most_depth);
                self.issues.push(Issue::nowhere(IssueKind::Limit(limit)));
                return Err(Halt);
            }
        }
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node::new(GrammarKind::Broken, self.at));
        if !self.frames.is_empty() {
            self.follows.extend(self.grammar.follow(caller));
        }
        self.frames.push(Frame { rule, after, precedence, node });
        Ok(())
    }

    /// Makes a node of which the current one is the first part, as operators do.
    fn wrap(&mut self, kind: GrammarKind) {
        let new = self.nodes.len() as NodeId;
        let stop = self.at.saturating_sub(1);
        let Some(frame) = self.frames.last_mut() else { return };
        let old = std::mem::replace(&mut frame.node, new);
        let mut start = 0;
        if let Some(node) = self.nodes.get_mut(old as usize) {
            node.stop = stop;
            start = node.start;
        }
        let mut node = Node::new(kind, start);
        node.children.push(old);
        self.nodes.push(node);
    }

    /// Ends the current rule and returns the step its caller goes on with.
    fn leave(&mut self) -> Option<StepId> {
        let stop = self.at.saturating_sub(1);
        let frame = self.frames.pop()?;
        self.follows.pop();
        if let Some(depth) = self.depths.get_mut(frame.rule as usize) {
            *depth = depth.saturating_sub(1);
        }
        if let Some(node) = self.nodes.get_mut(frame.node as usize) {
            node.stop = stop;
        }
        self.node()?.children.push(frame.node);
        Some(frame.after)
    }

    /// The kind of a token ahead.
    fn peek(&mut self, ahead: u32) -> Run<TokenKind> {
        let index = (self.at + ahead).min(self.count.saturating_sub(1));
        self.fetch(index)?;
        Ok(self.token(index).kind)
    }

    fn token(&self, index: u32) -> Token {
        self.tokens.list.get(index as usize).copied().unwrap_or(Token {
            kind: TokenKind::End,
            start: self.text.len() as u32,
            end: self.text.len() as u32,
            is_missing: false,
        })
    }

    /// Reports what cannot be read before a token when that token is first looked at.
    fn fetch(&mut self, index: u32) -> Run<()> {
        while let Some(piece) = self.tokens.unreadable.get(self.reported_unreadable).copied()
            && piece.before <= index
        {
            self.reported_unreadable += 1;
            let text = self.text.get(piece.start as usize..piece.end as usize).unwrap_or_default();
            self.notify(piece.start..piece.end, SyntaxIssue::Unreadable(text.to_owned()))?;
        }
        Ok(())
    }

    fn consume(&mut self) -> Run<()> {
        if self.peek(0)? != TokenKind::End {
            self.at += 1;
            self.fetch(self.at)?;
        }
        Ok(())
    }

    fn skip(&mut self, skipped: &mut u32) -> Run<()> {
        if *skipped >= MOST_SKIPPED {
            self.issues.push(Issue::nowhere(IssueKind::Limit(LimitIssue::Skipped(MOST_SKIPPED))));
            return Err(Halt);
        }
        *skipped += 1;
        self.consume()
    }

    fn next_of(&self, state: StateId) -> TokenSet {
        self.grammar.state(state).map(|state| state.next).unwrap_or_default()
    }

    fn expect(&mut self, kind: TokenKind) -> Run<Result<u32, Trouble>> {
        if self.peek(0)? != kind {
            return self.recover_inline();
        }
        let token = self.at;
        self.end_recovery();
        self.consume()?;
        Ok(Ok(token))
    }

    fn predict(&mut self, decision: StateId) -> Run<Result<usize, Trouble>> {
        self.peek(0)?;
        let question = Question {
            decision,
            tokens: self.tokens.list.get(..self.count as usize).unwrap_or_default(),
            at: self.at,
            calls: &self.follows,
            precedence: self.frames.last().map_or(0, |frame| frame.precedence),
        };
        match self.predictor.predict(&question) {
            Ok((way, furthest)) => {
                self.fetch(furthest.min(self.count.saturating_sub(1)))?;
                Ok(Ok(way))
            }
            Err(no_way) => {
                self.fetch(no_way.furthest.min(self.count.saturating_sub(1)))?;
                Ok(Err(Trouble::NoWay { start: self.at, offending: no_way.offending }))
            }
        }
    }

    fn end_recovery(&mut self) {
        self.is_recovering = false;
        self.last_error_at = None;
        self.last_error_states.clear();
    }

    /// The tokens that may come next in the current state, in view of all rules being read.
    fn expected(&self) -> TokenSet {
        self.expected_in(self.state)
    }

    fn expected_in(&self, state: StateId) -> TokenSet {
        let Some(mut state) = self.grammar.state(state) else { return TokenSet::default() };
        let mut expected = state.next;
        for &follow in self.follows.iter().rev() {
            if !state.can_end {
                return expected;
            }
            let Some(follow) = self.grammar.state(follow) else { break };
            state = follow;
            expected = expected.with(state.next);
        }
        if state.can_end { expected.with(TokenSet::of(&[TokenKind::End])) } else { expected }
    }

    /// The tokens that may follow one of the rules being read.
    fn recovery_set(&self) -> TokenSet {
        self.follows.iter().fold(TokenSet::default(), |set, &follow| set.with(self.next_of(follow)))
    }

    fn sync(&mut self) -> Run<Result<(), Trouble>> {
        if self.is_recovering {
            return Ok(Ok(()));
        }
        let kind = self.peek(0)?;
        let Some(state) = self.grammar.state(self.state) else { return Ok(Ok(())) };
        if state.can_end || state.next.contains(kind) {
            return Ok(Ok(()));
        }
        match state.kind {
            StateKind::Choice => {
                if self.delete_token(&mut 0)?.is_none() {
                    return Ok(Err(Trouble::Mismatch));
                }
            }
            StateKind::LoopBack => {
                self.report_unwanted()?;
                let wanted = self.expected().with(self.recovery_set());
                // Here the number of tokens is not limited.
                while self.peek(0)? != TokenKind::End && !wanted.contains(self.peek(0)?) {
                    self.consume()?;
                }
            }
            StateKind::Plain | StateKind::Stop => {}
        }
        Ok(Ok(()))
    }

    /// Counts how often reading goes on after an error.
    fn count_recovery(&mut self) -> Run<()> {
        self.recoveries += 1;
        if self.recoveries > MOST_RECOVERIES {
            self.notify_token(self.at, SyntaxIssue::Recoveries(MOST_RECOVERIES))?;
            return Err(Halt);
        }
        Ok(())
    }

    fn recover(&mut self) -> Run<()> {
        self.count_recovery()?;
        let mut skipped = 0;
        if self.last_error_at == Some(self.at) && self.last_error_states.contains(&self.state) {
            // The same error at the same token: something has to be read.
            self.skip(&mut skipped)?;
        }
        self.last_error_at = Some(self.at);
        self.last_error_states.insert(self.state);
        let wanted = self.recovery_set();
        while self.peek(0)? != TokenKind::End && !wanted.contains(self.peek(0)?) {
            self.skip(&mut skipped)?;
        }
        Ok(())
    }

    /// Leaves out a token, or makes one up, if the expression goes on well then.
    fn recover_inline(&mut self) -> Run<Result<u32, Trouble>> {
        self.count_recovery()?;
        let mut skipped = 0;
        if let Some(token) = self.delete_token(&mut skipped)? {
            self.skip(&mut skipped)?;
            return Ok(Ok(token));
        }
        let current = self.peek(0)?;
        let after = self.grammar.state(self.state).and_then(|state| match state.edges.first() {
            Some(super::grammar::Edge::Token(_, target)) => Some(*target),
            _ => None,
        });
        if after.is_some_and(|after| self.expected_in(after).contains(current)) {
            self.report_missing()?;
            return Ok(Ok(self.missing_token()));
        }
        Ok(Err(Trouble::Mismatch))
    }

    /// Leaves out the current token if the one after it is expected, which is returned.
    fn delete_token(&mut self, skipped: &mut u32) -> Run<Option<u32>> {
        let next = self.peek(1)?;
        if !self.expected().contains(next) {
            return Ok(None);
        }
        self.report_unwanted()?;
        self.skip(skipped)?;
        self.end_recovery();
        Ok(Some(self.at))
    }

    fn missing_token(&mut self) -> u32 {
        let kind = self.expected().first().unwrap_or(TokenKind::End);
        let current = self.token(self.at);
        let at =
            if current.kind == TokenKind::End && self.at > 0 { self.token(self.at - 1) } else { current };
        self.tokens.list.push(Token { kind, start: at.start, end: at.start, is_missing: true });
        (self.tokens.list.len() - 1) as u32
    }

    fn report(&mut self, trouble: &Trouble) -> Run<()> {
        if self.is_recovering {
            return Ok(());
        }
        self.is_recovering = true;
        match *trouble {
            Trouble::NoWay { start, offending } => {
                let found =
                    (self.token(start).kind != TokenKind::End).then(|| self.text_between(start, offending));
                let input = found.as_deref().unwrap_or_default();
                let issue = match input.char_indices().nth(1).map(|(at, _)| input.split_at(at).1) {
                    // cel-go says it differently after a dot.
                    Some(word @ ("true" | "false" | "null")) if !input.starts_with('\n') => {
                        let expected = "IDENTIFIER".to_owned();
                        SyntaxIssue::Mismatched { found: Some(word.to_owned()), expected }
                    }
                    _ => SyntaxIssue::NoAlternative { found, token: self.shown(offending) },
                };
                self.notify_token(offending, issue)
            }
            Trouble::Mismatch => {
                let issue =
                    SyntaxIssue::Mismatched { found: self.shown(self.at), expected: self.expected().shown() };
                self.notify_token(self.at, issue)
            }
        }
    }

    fn report_unwanted(&mut self) -> Run<()> {
        if self.is_recovering {
            return Ok(());
        }
        self.is_recovering = true;
        let issue = SyntaxIssue::Extraneous { found: self.shown(self.at), expected: self.expected().shown() };
        self.notify_token(self.at, issue)
    }

    fn report_missing(&mut self) -> Run<()> {
        if self.is_recovering {
            return Ok(());
        }
        self.is_recovering = true;
        let issue = SyntaxIssue::Missing { found: self.shown(self.at), expected: self.expected().shown() };
        self.notify_token(self.at, issue)
    }

    fn notify_token(&mut self, token: u32, issue: SyntaxIssue) -> Run<()> {
        let token = self.token(token);
        self.notify(token.start..token.end, issue)
    }

    fn notify(&mut self, place: std::ops::Range<u32>, issue: SyntaxIssue) -> Run<()> {
        if self.errors >= MOST_ERRORS {
            let limit = LimitIssue::Errors(MOST_ERRORS);
            self.issues.push(Issue::at(self.text, place, IssueKind::Limit(limit)));
            return Err(Halt);
        }
        self.errors += 1;
        self.issues.push(Issue::at(self.text, place, IssueKind::Syntax(issue)));
        Ok(())
    }

    /// The text of a token; nothing for the end.
    fn shown(&self, token: u32) -> Option<String> {
        let token = self.token(token);
        let text = self.text.get(token.start as usize..token.end as usize).unwrap_or_default();
        (token.kind != TokenKind::End).then(|| text.to_owned())
    }

    /// The text from one token to the end of another, without what could not be read.
    fn text_between(&self, first: u32, last: u32) -> String {
        let (start, end) = (self.token(first).start, self.token(last).end);
        let mut text = String::new();
        let mut at = start;
        for piece in &self.tokens.unreadable {
            if piece.start >= at && piece.end <= end {
                text.push_str(self.text.get(at as usize..piece.start as usize).unwrap_or_default());
                at = piece.end;
            }
        }
        text.push_str(self.text.get(at as usize..end as usize).unwrap_or_default());
        text
    }
}
