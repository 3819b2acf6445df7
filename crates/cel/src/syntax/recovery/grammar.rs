//! The grammar of expressions as a network of states and, beside it, the steps of the reader that walks it.
//!
//! What is reported for a broken expression, and where reading goes on, depends on the shape of this network: which states
//! are loops, which are choices, and which choices look at one token only. It has the shape that cel-go's reader has.

use std::sync::OnceLock;

use crate::syntax::token::{ALL, TokenKind};
use crate::syntax::tree::GrammarKind;

/// The number of a state.
pub(super) type StateId = u16;

/// The number of a step.
pub(super) type StepId = u16;

/// A set of kinds of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TokenSet(u64);

impl TokenSet {
    pub(super) fn of(kinds: &[TokenKind]) -> Self {
        Self(kinds.iter().fold(0, |set, &kind| set | 1 << kind as u8))
    }

    pub(super) fn contains(self, kind: TokenKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn first(self) -> Option<TokenKind> {
        ALL.into_iter().find(|&kind| self.contains(kind))
    }

    /// The set as error messages show it.
    pub(super) fn shown(self) -> String {
        let names: Vec<&str> =
            ALL.into_iter().filter(|&kind| self.contains(kind)).map(TokenKind::name).collect();
        match names.as_slice() {
            [name] => (*name).to_owned(),
            names => format!("{{{}}}", names.join(", ")),
        }
    }
}

/// The rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Rule {
    Start,
    Expr,
    Or,
    And,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    Arguments,
    Elements,
    Fields,
    OptionalField,
    Entries,
    FieldName,
    OptionalExpr,
    Literal,
}

/// How many rules there are.
pub(super) const RULES: usize = Rule::Literal as usize + 1;

/// What a state is, as far as recovery asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateKind {
    Plain,
    /// A choice, or the beginning of a loop.
    Choice,
    /// The end of a turn of a loop.
    LoopBack,
    /// The end of a rule.
    Stop,
}

/// A way out of a state.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edge {
    /// Nothing is read.
    Free(StateId),
    /// One token of a set is read.
    Token(TokenSet, StateId),
    /// A rule is read.
    Call { rule: Rule, follow: StateId },
    /// Nothing is read, if operators of this precedence are wanted.
    Precedence(u8, StateId),
    /// From the end of a rule to what follows one of its calls.
    Return { follow: StateId, is_outermost: bool },
}

/// A state.
#[derive(Debug)]
pub(super) struct State {
    pub(super) rule: Rule,
    pub(super) kind: StateKind,
    pub(super) edges: Vec<Edge>,
    /// Whether it is the loop over the operators of a rule with precedences.
    pub(super) is_precedence_loop: bool,
    /// The tokens that can come next within the rule.
    pub(super) next: TokenSet,
    /// Whether the rule can end here.
    pub(super) can_end: bool,
}

/// Where a token is remembered in the node of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Nowhere,
    Op,
    Question,
    Name,
    Dot,
    Repeated,
}

/// A step of the reader.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Look whether the next token fits before a choice or a turn of a loop.
    Sync(StateId),
    /// Read a token of this kind.
    Match(StateId, TokenKind, Slot),
    /// Read an operator that was chosen already.
    MatchAny(StateId),
    /// Read a rule with a precedence.
    Call(StateId, Rule, u8),
    /// Go to the step unless the next token can come in the state.
    Unless(StateId, StepId),
    /// Go to the step if the next token can come in the state.
    If(StateId, StepId),
    /// Choose a way by looking as far ahead as necessary.
    Predict(StateId, Vec<StepId>),
    /// Choose a way by the next token.
    Switch(Vec<(TokenKind, StepId)>),
    /// Go to the step.
    Go(StepId),
    /// The node is of this kind.
    Become(GrammarKind),
    /// A new node of this kind takes the node as its first part.
    Wrap(GrammarKind),
    /// The rule ends.
    Return,
}

/// The whole grammar.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) states: Vec<State>,
    pub(super) steps: Vec<Step>,
    /// The first state of each rule.
    pub(super) starts: [StateId; RULES],
    /// The first step of each rule.
    pub(super) entries: [StepId; RULES],
}

impl Grammar {
    /// The only one.
    pub(super) fn get() -> &'static Self {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(make)
    }

    pub(super) fn state(&self, id: StateId) -> Option<&State> {
        self.states.get(id as usize)
    }

    pub(super) fn start(&self, rule: Rule) -> StateId {
        self.starts.get(rule as usize).copied().unwrap_or_default()
    }

    pub(super) fn entry(&self, rule: Rule) -> StepId {
        self.entries.get(rule as usize).copied().unwrap_or_default()
    }

    /// The state after the call that is made in a state.
    pub(super) fn follow(&self, caller: StateId) -> Option<StateId> {
        match self.state(caller)?.edges.first()? {
            Edge::Call { follow, .. } => Some(*follow),
            _ => None,
        }
    }
}

/// How a loop decides whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    NextToken,
    Prediction,
}

struct Maker {
    grammar: Grammar,
    stops: Vec<StateId>,
    rule: Rule,
    at: StateId,
    /// How many calls of rules with precedences ask for any precedence; those return to the outermost level.
    calls: Vec<(StateId, u8)>,
}

impl Maker {
    fn state(&mut self, kind: StateKind) -> StateId {
        self.grammar.states.push(State {
            rule: self.rule,
            kind,
            edges: Vec::new(),
            is_precedence_loop: false,
            next: TokenSet::default(),
            can_end: false,
        });
        (self.grammar.states.len() - 1) as StateId
    }

    fn edge(&mut self, from: StateId, edge: Edge) {
        if let Some(state) = self.grammar.states.get_mut(from as usize) {
            state.edges.push(edge);
        }
    }

    fn step(&mut self, step: Step) -> StepId {
        self.grammar.steps.push(step);
        (self.grammar.steps.len() - 1) as StepId
    }

    fn next_step(&self) -> StepId {
        self.grammar.steps.len() as StepId
    }

    fn patch(&mut self, step: StepId, new: Step) {
        if let Some(old) = self.grammar.steps.get_mut(step as usize) {
            *old = new;
        }
    }

    /// Goes on in a new state after the current one.
    fn enter(&mut self, kind: StateKind) -> StateId {
        let state = self.state(kind);
        self.edge(self.at, Edge::Free(state));
        self.at = state;
        state
    }

    fn token(&mut self, kind: TokenKind, slot: Slot) {
        let from = self.at;
        self.step(Step::Match(from, kind, slot));
        self.at = self.state(StateKind::Plain);
        self.edge(from, Edge::Token(TokenSet::of(&[kind]), self.at));
    }

    fn operator(&mut self, kinds: &[TokenKind]) {
        let from = self.at;
        self.step(Step::MatchAny(from));
        self.at = self.state(StateKind::Plain);
        self.edge(from, Edge::Token(TokenSet::of(kinds), self.at));
    }

    fn call(&mut self, rule: Rule) {
        self.call_with(rule, 0);
    }

    fn call_with(&mut self, rule: Rule, precedence: u8) {
        let from = self.at;
        self.step(Step::Call(from, rule, precedence));
        self.at = self.state(StateKind::Plain);
        self.edge(from, Edge::Call { rule, follow: self.at });
        self.calls.push((from, precedence));
    }

    fn precedence(&mut self, precedence: u8) {
        let from = self.at;
        self.at = self.state(StateKind::Plain);
        self.edge(from, Edge::Precedence(precedence, self.at));
    }

    /// `( … )?`
    fn optional(&mut self, body: impl FnOnce(&mut Self)) {
        let choice = self.enter(StateKind::Choice);
        self.step(Step::Sync(choice));
        let inside = self.enter(StateKind::Plain);
        let test = self.step(Step::Go(0));
        body(self);
        let end = self.enter(StateKind::Plain);
        self.edge(choice, Edge::Free(end));
        let next = self.next_step();
        self.patch(test, Step::Unless(inside, next));
    }

    /// `( … )*`
    fn repeat(&mut self, by: By, body: impl FnOnce(&mut Self)) -> StateId {
        let entry = self.enter(StateKind::Choice);
        self.step(Step::Sync(entry));
        let test = self.step(Step::Go(0));
        let inside = self.enter(StateKind::Choice);
        let first = self.next_step();
        body(self);
        let back = self.enter(StateKind::LoopBack);
        self.step(Step::Sync(back));
        self.edge(back, Edge::Free(entry));
        self.step(Step::Go(test));
        self.at = self.state(StateKind::Plain);
        self.edge(entry, Edge::Free(self.at));
        let after = self.next_step();
        let step = match by {
            By::NextToken => Step::Unless(inside, after),
            By::Prediction => Step::Predict(entry, vec![first, after]),
        };
        self.patch(test, step);
        entry
    }

    /// `( … )+`
    fn repeat_once_or_more(&mut self, by: By, body: impl FnOnce(&mut Self)) {
        let choice = self.enter(StateKind::Choice);
        self.step(Step::Sync(choice));
        let first = self.next_step();
        body(self);
        let back = self.enter(StateKind::LoopBack);
        self.step(Step::Sync(back));
        self.edge(back, Edge::Free(choice));
        self.at = self.state(StateKind::Plain);
        self.edge(back, Edge::Free(self.at));
        let after = self.next_step() + 1;
        self.step(match by {
            By::NextToken => Step::If(choice, first),
            By::Prediction => Step::Predict(back, vec![first, after]),
        });
    }

    /// `( … | … )`, chosen by prediction. The state of the choice is the current one if it is one already.
    fn choose(&mut self, alternatives: &[&dyn Fn(&mut Self)]) {
        let choice = self.enter(StateKind::Choice);
        self.step(Step::Sync(choice));
        let test = self.step(Step::Go(0));
        let entries = self.alternatives(choice, alternatives);
        self.patch(test, Step::Predict(choice, entries));
    }

    fn alternatives(&mut self, choice: StateId, alternatives: &[&dyn Fn(&mut Self)]) -> Vec<StepId> {
        let mut entries = Vec::new();
        let mut ends = Vec::new();
        let mut leaps = Vec::new();
        for alternative in alternatives {
            self.at = choice;
            self.enter(StateKind::Plain);
            entries.push(self.next_step());
            alternative(self);
            ends.push(self.at);
            leaps.push(self.step(Step::Go(0)));
        }
        self.at = self.state(StateKind::Plain);
        for end in ends {
            self.edge(end, Edge::Free(self.at));
        }
        let after = self.next_step();
        for leap in leaps {
            self.patch(leap, Step::Go(after));
        }
        entries
    }

    fn rule(&mut self, rule: Rule, body: impl FnOnce(&mut Self)) {
        self.rule = rule;
        let start = self.state(StateKind::Plain);
        self.at = start;
        let entry = self.next_step();
        if let (Some(first), Some(step)) =
            (self.grammar.starts.get_mut(rule as usize), self.grammar.entries.get_mut(rule as usize))
        {
            *first = start;
            *step = entry;
        }
        body(self);
        self.step(Step::Return);
        let stop = self.enter(StateKind::Stop);
        self.stops.push(stop);
    }
}

fn make() -> Grammar {
    let mut maker = Maker {
        grammar: Grammar { states: Vec::new(), steps: Vec::new(), starts: [0; RULES], entries: [0; RULES] },
        stops: Vec::new(),
        rule: Rule::Start,
        at: 0,
        calls: Vec::new(),
    };
    operators(&mut maker);
    members(&mut maker);
    lists(&mut maker);
    shorten(&mut maker.grammar);
    returns(&mut maker);
    let mut grammar = maker.grammar;
    next_tokens(&mut grammar);
    grammar
}

fn operators(maker: &mut Maker) {
    use TokenKind as T;
    maker.rule(Rule::Start, |maker| {
        maker.step(Step::Become(GrammarKind::Pass));
        maker.call(Rule::Expr);
        maker.token(T::End, Slot::Nowhere);
    });
    maker.rule(Rule::Expr, |maker| {
        maker.step(Step::Become(GrammarKind::Pass));
        maker.call(Rule::Or);
        maker.optional(|maker| {
            maker.token(T::Question, Slot::Op);
            maker.step(Step::Become(GrammarKind::Conditional));
            maker.call(Rule::Or);
            maker.token(T::Colon, Slot::Nowhere);
            maker.call(Rule::Expr);
        });
    });
    for (rule, operand, operator, kind) in
        [(Rule::Or, Rule::And, T::Or, GrammarKind::Or), (Rule::And, Rule::Relation, T::And, GrammarKind::And)]
    {
        maker.rule(rule, |maker| {
            maker.step(Step::Become(GrammarKind::Pass));
            maker.call(operand);
            maker.repeat(By::NextToken, |maker| {
                maker.token(operator, Slot::Repeated);
                maker.step(Step::Become(kind));
                maker.call(operand);
            });
        });
    }
    maker.rule(Rule::Relation, |maker| {
        maker.step(Step::Become(GrammarKind::Pass));
        maker.call(Rule::Calc);
        let entry = maker.repeat(By::Prediction, |maker| {
            maker.step(Step::Wrap(GrammarKind::Relation));
            maker.precedence(1);
            maker.operator(&[
                T::Less,
                T::LessEquals,
                T::GreaterEquals,
                T::Greater,
                T::Equals,
                T::NotEquals,
                T::In,
            ]);
            maker.call_with(Rule::Relation, 2);
        });
        mark_precedence_loop(maker, entry);
    });
    maker.rule(Rule::Calc, |maker| {
        maker.step(Step::Become(GrammarKind::Pass));
        maker.call(Rule::Unary);
        let entry = maker.repeat(By::Prediction, |maker| {
            maker.choose(&[
                &|maker| {
                    maker.step(Step::Wrap(GrammarKind::Calc));
                    maker.precedence(2);
                    maker.operator(&[T::Star, T::Slash, T::Percent]);
                    maker.call_with(Rule::Calc, 3);
                },
                &|maker| {
                    maker.step(Step::Wrap(GrammarKind::Calc));
                    maker.precedence(1);
                    maker.operator(&[T::Plus, T::Minus]);
                    maker.call_with(Rule::Calc, 2);
                },
            ]);
        });
        mark_precedence_loop(maker, entry);
    });
    maker.rule(Rule::Unary, |maker| {
        maker.step(Step::Become(GrammarKind::BrokenUnary));
        maker.choose(&[
            &|maker| {
                maker.step(Step::Become(GrammarKind::Pass));
                maker.call(Rule::Member);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Not));
                maker.repeat_once_or_more(By::NextToken, |maker| maker.token(T::Not, Slot::Repeated));
                maker.call(Rule::Member);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Negate));
                maker.repeat_once_or_more(By::Prediction, |maker| maker.token(T::Minus, Slot::Repeated));
                maker.call(Rule::Member);
            },
        ]);
    });
}

fn mark_precedence_loop(maker: &mut Maker, entry: StateId) {
    if let Some(state) = maker.grammar.states.get_mut(entry as usize) {
        state.is_precedence_loop = true;
    }
}

fn members(maker: &mut Maker) {
    use TokenKind as T;
    maker.rule(Rule::Member, |maker| {
        maker.step(Step::Become(GrammarKind::Pass));
        maker.call(Rule::Primary);
        let entry = maker.repeat(By::Prediction, |maker| {
            maker.choose(&[
                &|maker| {
                    maker.step(Step::Wrap(GrammarKind::Select));
                    maker.precedence(3);
                    maker.token(T::Dot, Slot::Op);
                    maker.optional(|maker| maker.token(T::Question, Slot::Question));
                    maker.call(Rule::FieldName);
                },
                &|maker| {
                    maker.step(Step::Wrap(GrammarKind::MemberCall));
                    maker.precedence(2);
                    maker.token(T::Dot, Slot::Nowhere);
                    maker.token(T::Identifier, Slot::Name);
                    maker.token(T::LeftParen, Slot::Op);
                    maker.optional(|maker| maker.call(Rule::Arguments));
                    maker.token(T::RightParen, Slot::Nowhere);
                },
                &|maker| {
                    maker.step(Step::Wrap(GrammarKind::Index));
                    maker.precedence(1);
                    maker.token(T::LeftBracket, Slot::Op);
                    maker.optional(|maker| maker.token(T::Question, Slot::Question));
                    maker.call(Rule::Expr);
                    maker.token(T::RightBracket, Slot::Nowhere);
                },
            ]);
        });
        mark_precedence_loop(maker, entry);
    });
    let leading_dot = |maker: &mut Maker| maker.optional(|maker| maker.token(T::Dot, Slot::Dot));
    let closing = |maker: &mut Maker, rule: Rule, close: TokenKind| {
        maker.optional(|maker| maker.call(rule));
        maker.optional(|maker| maker.token(T::Comma, Slot::Nowhere));
        maker.token(close, Slot::Nowhere);
    };
    maker.rule(Rule::Primary, |maker| {
        maker.step(Step::Become(GrammarKind::Broken));
        maker.choose(&[
            &|maker| {
                maker.step(Step::Become(GrammarKind::Ident));
                leading_dot(maker);
                maker.token(T::Identifier, Slot::Name);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::GlobalCall));
                leading_dot(maker);
                maker.token(T::Identifier, Slot::Name);
                maker.token(T::LeftParen, Slot::Op);
                maker.optional(|maker| maker.call(Rule::Arguments));
                maker.token(T::RightParen, Slot::Nowhere);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Pass));
                maker.token(T::LeftParen, Slot::Nowhere);
                maker.call(Rule::Expr);
                maker.token(T::RightParen, Slot::Nowhere);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::List));
                maker.token(T::LeftBracket, Slot::Op);
                closing(maker, Rule::Elements, T::RightBracket);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Map));
                maker.token(T::LeftBrace, Slot::Op);
                closing(maker, Rule::Entries, T::RightBrace);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Message));
                leading_dot(maker);
                maker.token(T::Identifier, Slot::Repeated);
                maker.repeat(By::NextToken, |maker| {
                    maker.token(T::Dot, Slot::Nowhere);
                    maker.token(T::Identifier, Slot::Repeated);
                });
                maker.token(T::LeftBrace, Slot::Op);
                closing(maker, Rule::Fields, T::RightBrace);
            },
            &|maker| {
                maker.step(Step::Become(GrammarKind::Pass));
                maker.call(Rule::Literal);
            },
        ]);
    });
}

fn lists(maker: &mut Maker) {
    use TokenKind as T;
    maker.rule(Rule::Arguments, |maker| {
        maker.step(Step::Become(GrammarKind::Arguments));
        maker.call(Rule::Expr);
        maker.repeat(By::NextToken, |maker| {
            maker.token(T::Comma, Slot::Nowhere);
            maker.call(Rule::Expr);
        });
    });
    maker.rule(Rule::Elements, |maker| {
        maker.step(Step::Become(GrammarKind::Elements));
        maker.call(Rule::OptionalExpr);
        maker.repeat(By::Prediction, |maker| {
            maker.token(T::Comma, Slot::Nowhere);
            maker.call(Rule::OptionalExpr);
        });
    });
    let entries = [
        (Rule::Fields, GrammarKind::Fields, Rule::OptionalField),
        (Rule::Entries, GrammarKind::Entries, Rule::OptionalExpr),
    ];
    for (rule, kind, key) in entries {
        let entry = |maker: &mut Maker| {
            maker.call(key);
            maker.token(T::Colon, Slot::Repeated);
            maker.call(Rule::Expr);
        };
        maker.rule(rule, |maker| {
            maker.step(Step::Become(kind));
            entry(maker);
            maker.repeat(By::Prediction, |maker| {
                maker.token(T::Comma, Slot::Nowhere);
                entry(maker);
            });
        });
    }
    let optional = [
        (Rule::OptionalField, GrammarKind::OptionalField, Rule::FieldName),
        (Rule::OptionalExpr, GrammarKind::OptionalExpr, Rule::Expr),
    ];
    for (rule, kind, inner) in optional {
        maker.rule(rule, |maker| {
            maker.step(Step::Become(kind));
            maker.optional(|maker| maker.token(T::Question, Slot::Question));
            maker.call(inner);
        });
    }
    maker.rule(Rule::FieldName, |maker| {
        maker.step(Step::Become(GrammarKind::Broken));
        let choice = maker.enter(StateKind::Choice);
        maker.step(Step::Sync(choice));
        let test = maker.step(Step::Go(0));
        let entries = maker.alternatives(
            choice,
            &[
                &|maker| {
                    maker.step(Step::Become(GrammarKind::SimpleIdentifier));
                    maker.token(T::Identifier, Slot::Name);
                },
                &|maker| {
                    maker.step(Step::Become(GrammarKind::QuotedIdentifier));
                    maker.token(T::QuotedIdentifier, Slot::Name);
                },
            ],
        );
        let kinds = [T::Identifier, T::QuotedIdentifier];
        maker.patch(test, Step::Switch(kinds.into_iter().zip(entries).collect()));
    });
    let signed = |kind: TokenKind| {
        move |maker: &mut Maker| {
            maker.step(Step::Become(GrammarKind::Literal));
            maker.optional(|maker| maker.token(T::Minus, Slot::Op));
            maker.token(kind, Slot::Name);
        }
    };
    let plain = |kind: TokenKind| {
        move |maker: &mut Maker| {
            maker.step(Step::Become(GrammarKind::Literal));
            maker.token(kind, Slot::Name);
        }
    };
    maker.rule(Rule::Literal, |maker| {
        maker.step(Step::Become(GrammarKind::Broken));
        maker.choose(&[
            &signed(T::Int),
            &plain(T::UInt),
            &signed(T::Float),
            &plain(T::String),
            &plain(T::Bytes),
            &plain(T::True),
            &plain(T::False),
            &plain(T::Null),
        ]);
    });
}

/// Lets tokens and calls lead directly to where they join other ways. Predictions tell ways apart by the states that calls
/// return to, so two calls at the ends of two alternatives must return to one state.
fn shorten(grammar: &mut Grammar) {
    let targets: Vec<StateId> =
        (0..grammar.states.len() as StateId).map(|state| joined(grammar, state)).collect();
    let joined = |state: StateId| targets.get(state as usize).copied().unwrap_or(state);
    for state in &mut grammar.states {
        for edge in &mut state.edges {
            match edge {
                Edge::Token(_, target) | Edge::Call { follow: target, .. } => *target = joined(*target),
                Edge::Free(_) | Edge::Precedence(..) | Edge::Return { .. } => {}
            }
        }
    }
}

/// The first state after this one at which something happens.
fn joined(grammar: &Grammar, mut id: StateId) -> StateId {
    while let Some(state) = grammar.state(id)
        && state.kind == StateKind::Plain
        && let [Edge::Free(target)] = *state.edges.as_slice()
        && grammar.state(target).is_some_and(|target| target.kind != StateKind::Stop)
    {
        id = target;
    }
    id
}

/// Connects the end of each rule with what follows its calls.
fn returns(maker: &mut Maker) {
    for (caller, precedence) in maker.calls.clone() {
        let Some(&Edge::Call { rule, follow }) =
            maker.grammar.state(caller).and_then(|state| state.edges.first())
        else {
            continue;
        };
        let has_precedence = matches!(rule, Rule::Relation | Rule::Calc | Rule::Member);
        let Some(&stop) = maker
            .stops
            .iter()
            .find(|&&stop| maker.grammar.state(stop).is_some_and(|state| state.rule == rule))
        else {
            continue;
        };
        maker.edge(stop, Edge::Return { follow, is_outermost: has_precedence && precedence == 0 });
    }
}

/// Computes which tokens can come next in each state.
fn next_tokens(grammar: &mut Grammar) {
    // No rule is empty, so one pass after another until nothing changes is enough.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for index in 0..grammar.states.len() {
            let Some(state) = grammar.states.get(index) else { continue };
            let mut next = state.next;
            let mut can_end = state.kind == StateKind::Stop;
            if !can_end {
                for edge in &state.edges {
                    match *edge {
                        Edge::Token(set, _) => next = next.with(set),
                        Edge::Call { rule, .. } => {
                            if let Some(start) = grammar.state(grammar.start(rule)) {
                                next = next.with(start.next);
                            }
                        }
                        Edge::Free(target)
                        | Edge::Precedence(_, target)
                        | Edge::Return { follow: target, .. } => {
                            if let Some(target) = grammar.state(target) {
                                next = next.with(target.next);
                                can_end |= target.can_end;
                            }
                        }
                    }
                }
            }
            has_changed |= next != state.next || can_end != state.can_end;
            if let Some(state) = grammar.states.get_mut(index) {
                state.next = next;
                state.can_end = can_end;
            }
        }
    }
}
