//! Which way to go where one token does not decide.
//!
//! All ways are followed at once, token by token, until one is left. First without regard to the calls that led here; only
//! if that cannot tell the ways apart, again with them. Where no way goes on, a way that has reached the end of its rule
//! is taken, and otherwise the expression is broken. This is the method of cel-go's reader; what it finds decides what is
//! reported.

use rustc_hash::{FxHashMap, FxHashSet};

use super::grammar::{Edge, Grammar, StateId, StateKind};
use super::stacks::{Below, EMPTY, StackId, Stacks};
use crate::syntax::token::{Token, TokenKind};

/// The most steps of one expression's predictions. After that the first way that is left is taken.
const MOST_WORK: u32 = 3_000_000;

/// No way goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoWay {
    /// The token at which it was clear.
    pub(super) offending: u32,
    /// The last token that was looked at.
    pub(super) furthest: u32,
}

/// What a prediction found: the way, from 0, and the last token that was looked at.
pub(super) type Prediction = Result<(usize, u32), NoWay>;

/// What a prediction is about.
pub(super) struct Question<'a> {
    /// The state with several ways.
    pub(super) decision: StateId,
    /// The tokens.
    pub(super) tokens: &'a [Token],
    /// The next token.
    pub(super) at: u32,
    /// The states to return to, the outermost call first.
    pub(super) calls: &'a [StateId],
    /// The precedence that the rule was called with.
    pub(super) precedence: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Config {
    state: StateId,
    way: u8,
    stacks: StackId,
    /// Whether it left the rule of the decision.
    is_outside: bool,
    /// Whether it left by the outermost level of a rule with precedences.
    is_outermost: bool,
}

/// Configurations, at most one for each state and way.
#[derive(Debug, Default)]
struct Configs {
    list: Vec<Config>,
    index: FxHashMap<(StateId, u8), usize>,
}

impl Configs {
    fn add(&mut self, config: Config, stacks: &mut Stacks, below: Below) {
        let key = (config.state, config.way);
        if let Some(existing) = self.index.get(&key).and_then(|&index| self.list.get_mut(index)) {
            existing.stacks = stacks.join(existing.stacks, config.stacks, below);
            existing.is_outside |= config.is_outside;
            existing.is_outermost |= config.is_outermost;
            return;
        }
        self.index.insert(key, self.list.len());
        self.list.push(config);
    }

    /// The only way, if there is one.
    fn unique(&self) -> Option<u8> {
        let first = self.list.first()?.way;
        self.list.iter().all(|config| config.way == first).then_some(first)
    }

    /// The ways of each group of configurations that have the same key.
    fn ways_by<K: std::hash::Hash + Eq>(&self, key: impl Fn(&Config) -> K) -> Vec<u16> {
        let mut groups: FxHashMap<K, u16> = FxHashMap::default();
        for config in &self.list {
            *groups.entry(key(config)).or_default() |= 1 << config.way;
        }
        groups.into_values().collect()
    }
}

/// How many tokens are looked at before a prediction is not remembered any more.
const MOST_REMEMBERED: usize = 3;

/// A decision with its precedence and the tokens that decided it.
type Remembered = (StateId, u8, [Option<TokenKind>; MOST_REMEMBERED]);

/// Predicts ways in one expression.
pub(super) struct Predictor {
    grammar: &'static Grammar,
    stacks: Stacks,
    work: u32,
    /// Ways that a few tokens decided without regard to the calls, because the same few come again and again.
    remembered: FxHashMap<Remembered, u8>,
}

/// What holds for one closure.
#[derive(Clone, Copy)]
struct Closing<'a> {
    question: &'a Question<'a>,
    below: Below,
    /// Whether precedences are looked at: only before the first token.
    is_first: bool,
    /// Whether the end of the text was read; then it may be passed again.
    is_at_end: bool,
}

impl Predictor {
    pub(super) fn new(grammar: &'static Grammar) -> Self {
        Self { grammar, stacks: Stacks::new(), work: 0, remembered: FxHashMap::default() }
    }

    pub(super) fn predict(&mut self, question: &Question<'_>) -> Prediction {
        let mut tokens = [None; MOST_REMEMBERED];
        for (index, at) in (question.at..).take(MOST_REMEMBERED).enumerate() {
            if let Some(token) = tokens.get_mut(index) {
                *token = Some(kind_at(question.tokens, at));
            }
            if let Some(&way) = self.remembered.get(&(question.decision, question.precedence, tokens)) {
                return Ok((way.into(), at));
            }
        }
        // Nothing of an earlier prediction is needed any more.
        self.stacks = Stacks::new();
        let configs = self.start(question, EMPTY, Below::Anything);
        let mut previous = self.without_repeated_operators(question, configs);
        let mut at = question.at;
        loop {
            let kind = kind_at(question.tokens, at);
            let reached = self.reach(question, &previous, kind, Below::Anything);
            if reached.list.is_empty() {
                return match self.finished(&previous) {
                    Some(way) => Ok((way, at)),
                    None => Err(NoWay { offending: at, furthest: at }),
                };
            }
            if let Some(way) = reached.unique() {
                self.remember(question, at, way);
                return Ok((way.into(), at));
            }
            if self.is_conflict(&reached) {
                return self.predict_in_context(question, at);
            }
            if self.work > MOST_WORK {
                return Ok((lowest(&reached), at));
            }
            previous = reached;
            if kind != TokenKind::End {
                at += 1;
            }
        }
    }

    fn remember(&mut self, question: &Question<'_>, last: u32, way: u8) {
        let mut tokens = [None; MOST_REMEMBERED];
        for (index, at) in (question.at..=last).enumerate() {
            let Some(token) = tokens.get_mut(index) else { return };
            *token = Some(kind_at(question.tokens, at));
        }
        self.remembered.insert((question.decision, question.precedence, tokens), way);
    }

    fn predict_in_context(&mut self, question: &Question<'_>, seen: u32) -> Prediction {
        let mut calls = EMPTY;
        for &state in question.calls {
            calls = self.stacks.push(calls, state);
        }
        let mut previous = self.start(question, calls, Below::Nothing);
        let mut at = question.at;
        loop {
            let kind = kind_at(question.tokens, at);
            let reached = self.reach(question, &previous, kind, Below::Nothing);
            let furthest = at.max(seen);
            if reached.list.is_empty() {
                return match self.finished(&previous) {
                    Some(way) => Ok((way, furthest)),
                    // The first token is blamed here, not the one that was reached.
                    None => Err(NoWay { offending: question.at, furthest }),
                };
            }
            if let Some(way) = reached.unique() {
                return Ok((way.into(), furthest));
            }
            // The ways agree on one if the lowest of every group is the same.
            let mut lowest_ways =
                reached.ways_by(|config| (config.state, config.stacks)).into_iter().map(u16::trailing_zeros);
            if let Some(first) = lowest_ways.next()
                && lowest_ways.all(|way| way == first)
            {
                return Ok((first as usize, furthest));
            }
            if self.work > MOST_WORK {
                return Ok((lowest(&reached), furthest));
            }
            previous = reached;
            if kind != TokenKind::End {
                at += 1;
            }
        }
    }

    /// The configurations before the first token.
    fn start(&mut self, question: &Question<'_>, stacks: StackId, below: Below) -> Configs {
        let mut configs = Configs::default();
        let closing = Closing { question, below, is_first: true, is_at_end: false };
        let edges = self.grammar.state(question.decision).map(|state| state.edges.as_slice());
        for (way, edge) in edges.unwrap_or_default().iter().enumerate() {
            if let Edge::Free(state) = *edge {
                let config = Config { state, way: way as u8, stacks, is_outside: false, is_outermost: false };
                self.close(config, &mut configs, &mut FxHashSet::default(), closing);
            }
        }
        configs
    }

    /// In the loop over operators, leaving it must not lead to the same operators as going on.
    fn without_repeated_operators(&mut self, question: &Question<'_>, configs: Configs) -> Configs {
        if !self.grammar.state(question.decision).is_some_and(|state| state.is_precedence_loop) {
            return configs;
        }
        let first: FxHashMap<StateId, StackId> = configs
            .list
            .iter()
            .filter(|config| config.way == 0)
            .map(|config| (config.state, config.stacks))
            .collect();
        let mut kept = Configs::default();
        for config in configs.list {
            let is_repeated =
                config.way != 0 && !config.is_outermost && first.get(&config.state) == Some(&config.stacks);
            if !is_repeated {
                kept.add(config, &mut self.stacks, Below::Anything);
            }
        }
        kept
    }

    /// The configurations after one more token.
    fn reach(&mut self, question: &Question<'_>, from: &Configs, kind: TokenKind, below: Below) -> Configs {
        let is_at_end = kind == TokenKind::End;
        let mut moved = Configs::default();
        let mut stopped = Vec::new();
        for config in &from.list {
            self.work += 1;
            let Some(state) = self.grammar.state(config.state) else { continue };
            if state.kind == StateKind::Stop {
                if below == Below::Nothing || is_at_end {
                    stopped.push(*config);
                }
                continue;
            }
            for edge in &state.edges {
                if let Edge::Token(set, target) = *edge
                    && set.contains(kind)
                {
                    moved.add(Config { state: target, ..*config }, &mut self.stacks, below);
                }
            }
        }
        let mut reached;
        if stopped.is_empty() && !is_at_end && (moved.list.len() == 1 || moved.unique().is_some()) {
            reached = moved;
        } else {
            reached = Configs::default();
            let closing = Closing { question, below, is_first: false, is_at_end };
            let mut seen = FxHashSet::default();
            for config in moved.list {
                self.close(config, &mut reached, &mut seen, closing);
            }
        }
        if is_at_end {
            let mut ended = Configs::default();
            for config in reached.list {
                if self.is_stop(config.state) {
                    ended.add(config, &mut self.stacks, below);
                }
            }
            reached = ended;
        }
        let has_stop = reached.list.iter().any(|config| self.is_stop(config.state));
        if below == Below::Anything || !has_stop {
            for config in stopped {
                reached.add(config, &mut self.stacks, below);
            }
        }
        reached
    }

    fn is_stop(&self, state: StateId) -> bool {
        self.grammar.state(state).is_some_and(|state| state.kind == StateKind::Stop)
    }

    /// Adds everything that can be reached without a token.
    fn close(
        &mut self,
        config: Config,
        configs: &mut Configs,
        seen: &mut FxHashSet<(Config, bool)>,
        closing: Closing<'_>,
    ) {
        // The depth is 0 as long as the way is in the rule of the decision itself.
        let mut waiting = vec![(config, 0_i32)];
        while let Some((config, depth)) = waiting.pop() {
            if !seen.insert((config, depth == 0)) {
                continue;
            }
            self.work += 1;
            let Some(state) = self.grammar.state(config.state) else { continue };
            if state.kind == StateKind::Stop {
                if config.stacks != EMPTY {
                    for &(target, stacks) in self.stacks.tops(config.stacks) {
                        waiting.push((Config { state: target, stacks, ..config }, depth));
                    }
                    continue;
                }
                if closing.below == Below::Nothing {
                    configs.add(config, &mut self.stacks, closing.below);
                    continue;
                }
            }
            let reads =
                state.edges.is_empty() || state.edges.iter().any(|edge| matches!(edge, Edge::Token(..)));
            if reads {
                configs.add(config, &mut self.stacks, closing.below);
            }
            for (index, edge) in state.edges.iter().enumerate() {
                if index == 0 && state.is_precedence_loop && self.returns_to_rule(&config) {
                    continue;
                }
                let next = match *edge {
                    Edge::Free(target) => Some((Config { state: target, ..config }, depth)),
                    Edge::Precedence(precedence, target) => {
                        let is_wanted =
                            !closing.is_first || depth != 0 || precedence >= closing.question.precedence;
                        is_wanted.then_some((Config { state: target, ..config }, depth))
                    }
                    Edge::Call { rule, follow } => {
                        let stacks = self.stacks.push(config.stacks, follow);
                        let depth = if depth >= 0 { depth + 1 } else { depth };
                        Some((Config { state: self.grammar.start(rule), stacks, ..config }, depth))
                    }
                    Edge::Return { follow, is_outermost } => {
                        let is_own = self.grammar.state(closing.question.decision).is_some_and(|decision| {
                            decision.is_precedence_loop && decision.rule == state.rule
                        });
                        let is_outermost = config.is_outermost || is_outermost && is_own;
                        Some((Config { state: follow, is_outside: true, is_outermost, ..config }, depth - 1))
                    }
                    Edge::Token(set, target) => (closing.is_at_end && set.contains(TokenKind::End))
                        .then_some((Config { state: target, ..config }, depth)),
                };
                waiting.extend(next);
            }
        }
    }

    /// Whether every stack returns to the rule that is read; its operators are read there.
    fn returns_to_rule(&self, config: &Config) -> bool {
        let rule = self.grammar.state(config.state).map(|state| state.rule);
        let tops = self.stacks.tops(config.stacks);
        !tops.is_empty()
            && tops.iter().all(|&(state, _)| self.grammar.state(state).map(|state| state.rule) == rule)
    }

    /// The first way that has reached the end of the rule of the decision.
    fn finished(&self, configs: &Configs) -> Option<usize> {
        configs
            .list
            .iter()
            .filter(|config| config.is_outside || self.is_stop(config.state) && config.stacks == EMPTY)
            .map(|config| usize::from(config.way))
            .min()
    }

    /// Whether more tokens will not tell the ways apart without regard to the calls.
    fn is_conflict(&self, configs: &Configs) -> bool {
        if configs.list.iter().all(|config| self.is_stop(config.state)) {
            return true;
        }
        let has_several = |ways: &u16| ways.count_ones() > 1;
        configs.ways_by(|config| (config.state, config.stacks)).iter().any(has_several)
            && configs.ways_by(|config| config.state).iter().all(has_several)
    }
}

fn kind_at(tokens: &[Token], at: u32) -> TokenKind {
    tokens.get(at as usize).map_or(TokenKind::End, |token| token.kind)
}

fn lowest(configs: &Configs) -> usize {
    configs.list.iter().map(|config| usize::from(config.way)).min().unwrap_or_default()
}
