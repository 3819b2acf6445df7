//! Finds out which variable each name is: the walk over the tree. The first pass records where names are used
//! and bound; names that a function does not bind are looked up when the whole file is known.

use super::resolve_names::{Binding, Resolver, Scope};
use crate::error::Position;
use crate::syntax::{Arg, Assign, Clause, Expr, FunctionDef, Ident, Param, Statement, Suffix, Token, start};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Assignment {
    Plain,
    Augmented,
}

impl Resolver<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expr(expr) => self.expr(expr),
            Statement::Branch { token, position } => {
                if self.loops == 0 && *token != Token::Pass {
                    self.error(*position, format!("{} not in a loop", token.text()));
                }
            }
            Statement::If(statement) => {
                for (condition, body) in &statement.branches {
                    self.expr(condition);
                    self.statements(body);
                }
                self.statements(&statement.otherwise);
            }
            Statement::Assign(assign) => {
                let Assign { target, op, value, .. } = &**assign;
                self.expr(value);
                let kind = if *op == Token::Equals { Assignment::Plain } else { Assignment::Augmented };
                self.assign(target, kind);
            }
            Statement::Def { name, function } => {
                self.bind(*name);
                self.function(function);
            }
            Statement::For(statement) => {
                self.expr(&statement.iterable);
                self.assign(&statement.target, Assignment::Plain);
                self.loops += 1;
                self.statements(&statement.body);
                self.loops -= 1;
            }
            Statement::While(statement) => {
                self.expr(&statement.condition);
                self.loops += 1;
                self.statements(&statement.body);
                self.loops -= 1;
            }
            Statement::Return { position, value } => {
                if self.function_here().is_none() {
                    self.error(*position, "return statement not within a function");
                }
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            Statement::Load(statement) => self.load(statement.position, &statement.names),
        }
    }

    fn load(&mut self, position: Position, names: &[(Ident, Ident)]) {
        if self.function_here().is_some() {
            self.error(position, "load statement within a function");
        }
        for (from, to) in names {
            let name = self.text(from.name).to_owned();
            if name.is_empty() {
                self.error(from.position, "load: empty identifier");
                continue;
            }
            if name.starts_with('_') {
                let message = format!("load: names with leading underscores are not exported: {name}");
                self.error(from.position, message);
            }
            self.bind_local(*to);
        }
    }

    fn assign(&mut self, target: &Expr, kind: Assignment) {
        let sequence = |resolver: &mut Self, items: &[Expr], empty: &str, name: &str| {
            if items.is_empty() {
                resolver.error(start(target), format!("can't assign to {empty}"));
            }
            if kind == Assignment::Augmented {
                let message = format!("can't use {name} expression in augmented assignment");
                resolver.error(start(target), message);
            }
            for item in items {
                resolver.assign(item, kind);
            }
        };
        match target {
            Expr::Ident(ident) => {
                self.bind(*ident);
            }
            Expr::Tuple(_, items) => sequence(self, items, "()", "tuple"),
            Expr::List(_, items) => sequence(self, items, "[]", "list"),
            Expr::Paren(_, inside) => self.assign(inside, kind),
            Expr::Suffixed(suffixed)
                if matches!(suffixed.suffixes.last(), Some(Suffix::Index(..) | Suffix::Dot(..))) =>
            {
                self.expr(target);
            }
            _ => {
                let name = match target {
                    Expr::Literal(..) => "literal",
                    Expr::Dict(..) => "dictexpr",
                    Expr::Comprehension(_) => "comprehension",
                    Expr::Conditional(_) => "condexpr",
                    Expr::Unary(..) => "unaryexpr",
                    Expr::Chain(_) => "binaryexpr",
                    Expr::Lambda(_) => "lambdaexpr",
                    Expr::Suffixed(suffixed) => match suffixed.suffixes.last() {
                        Some(Suffix::Slice(..)) => "sliceexpr",
                        _ => "callexpr",
                    },
                    _ => "expression",
                };
                self.error(start(target), format!("can't assign to {name}"));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Ident(ident) => self.use_name(*ident),
            Expr::Literal(..) => {}
            Expr::List(_, items) | Expr::Tuple(_, items) => items.iter().for_each(|item| self.expr(item)),
            Expr::Dict(_, entries) => {
                for (key, _, value) in entries {
                    self.expr(key);
                    self.expr(value);
                }
            }
            Expr::Paren(_, inside) | Expr::Unary(_, _, inside) => self.expr(inside),
            Expr::Conditional(conditional) => {
                self.expr(&conditional.condition);
                self.expr(&conditional.then);
                self.expr(&conditional.otherwise);
            }
            Expr::Chain(chain) => {
                self.expr(&chain.first);
                chain.rest.iter().for_each(|link| self.expr(&link.operand));
            }
            Expr::Comprehension(comprehension) => {
                // What the first clause iterates over belongs to the surrounding block: `[x for x in x]`.
                if let Some(Clause::For { iterable, .. }) = comprehension.clauses.first() {
                    self.expr(iterable);
                }
                self.push_block(None);
                for (index, clause) in comprehension.clauses.iter().enumerate() {
                    match clause {
                        Clause::For { target, iterable, .. } => {
                            self.assign(target, Assignment::Plain);
                            if index > 0 {
                                self.expr(iterable);
                            }
                        }
                        Clause::If(condition) => self.expr(condition),
                    }
                }
                self.expr(&comprehension.body.0);
                if let Some((_, value)) = &comprehension.body.1 {
                    self.expr(value);
                }
                self.pop_block();
            }
            Expr::Suffixed(suffixed) => {
                self.expr(&suffixed.first);
                for suffix in &suffixed.suffixes {
                    match suffix {
                        Suffix::Dot(..) => {}
                        Suffix::Index(_, index) => self.expr(index),
                        Suffix::Slice(_, bounds) => {
                            bounds.iter().flatten().for_each(|bound| self.expr(bound))
                        }
                        Suffix::Call(_, args) => self.args(args, start(&suffixed.first)),
                    }
                }
            }
            Expr::Lambda(function) => self.function(function),
        }
    }

    fn args(&mut self, args: &[Arg], call: Position) {
        let mut seen_star = false;
        let mut seen_stars = false;
        let mut names: Vec<u32> = Vec::new();
        let mut named = 0;
        let mut positional = 0;
        for arg in args {
            match arg {
                Arg::StarStar(position, value) => {
                    if seen_stars {
                        self.error(*position, "multiple **kwargs not allowed");
                    }
                    seen_stars = true;
                    self.expr(value);
                }
                Arg::Star(position, value) => {
                    if seen_stars {
                        self.error(*position, "*args may not follow **kwargs");
                    } else if seen_star {
                        self.error(*position, "multiple *args not allowed");
                    }
                    seen_star = true;
                    self.expr(value);
                }
                Arg::Named(name, value) => {
                    named += 1;
                    if seen_stars {
                        self.error(name.position, "argument may not follow **kwargs");
                    }
                    if names.contains(&name.name) {
                        let shown = self.text(name.name).to_owned();
                        self.error(name.position, format!("keyword argument {shown} repeated"));
                    } else {
                        names.push(name.name);
                    }
                    self.expr(value);
                }
                Arg::Positional(value) => {
                    positional += 1;
                    if seen_star {
                        self.error(start(value), "argument may not follow *args");
                    } else if seen_stars {
                        self.error(start(value), "argument may not follow **kwargs");
                    } else if !names.is_empty() {
                        self.error(start(value), "positional argument may not follow named");
                    }
                    self.expr(value);
                }
            }
        }
        for (count, kind) in [(positional, "positional"), (named, "keyword")] {
            if count >= 256 {
                self.error(call, format!("{count} {kind} arguments in call, limit is 255"));
            }
        }
    }

    fn function(&mut self, function: &FunctionDef) {
        // Defaults belong to the surrounding block.
        for param in &function.params {
            if let Param::Default(_, _, value) = param {
                self.expr(value);
            }
        }
        let loops = std::mem::take(&mut self.loops);
        self.push_block(Some(function.id));
        self.params(function);
        self.statements(&function.body);
        self.resolve_local_uses();
        self.pop_block();
        self.loops = loops;
    }

    fn params(&mut self, function: &FunctionDef) {
        let mut seen_optional = false;
        let mut star: Option<(Position, Option<Ident>)> = None;
        let mut stars: Option<Ident> = None;
        let mut keyword_only = 0;
        for param in &function.params {
            match param {
                Param::Plain(name) => {
                    if let Some(stars) = stars {
                        let shown = self.text(stars.name).to_owned();
                        self.error(name.position, format!("required parameter may not follow **{shown}"));
                    } else if star.is_some() {
                        keyword_only += 1;
                    } else if seen_optional {
                        self.error(name.position, "required parameter may not follow optional");
                    }
                    self.bind_param(*name, name.position);
                }
                Param::Default(name, position, _) => {
                    if let Some(stars) = stars {
                        let shown = self.text(stars.name).to_owned();
                        self.error(*position, format!("optional parameter may not follow **{shown}"));
                    } else if star.is_some() {
                        keyword_only += 1;
                    }
                    self.bind_param(*name, *position);
                    seen_optional = true;
                }
                Param::Star(position, name) => {
                    if let Some(stars) = stars {
                        let shown = self.text(stars.name).to_owned();
                        self.error(*position, format!("* parameter may not follow **{shown}"));
                    } else if star.is_some() {
                        self.error(*position, "multiple * parameters not allowed");
                    } else {
                        star = Some((*position, *name));
                    }
                }
                Param::StarStar(position, name) => {
                    if stars.is_some() {
                        self.error(*position, "multiple ** parameters not allowed");
                    }
                    stars = Some(*name);
                }
            }
        }
        // `*args` and `**kwargs` come last, so the others have no gap between them.
        match star {
            Some((_, Some(name))) => self.bind_param(name, name.position),
            Some((position, None)) if keyword_only == 0 => {
                self.error(position, "bare * must be followed by keyword-only parameters");
            }
            _ => {}
        }
        if let Some(name) = stars {
            self.bind_param(name, name.position);
        }
        let info = self.info(function.id);
        info.keyword_only = keyword_only;
        info.has_args = matches!(star, Some((_, Some(_))));
        info.has_kwargs = stars.is_some();
    }

    fn bind_param(&mut self, name: Ident, position: Position) {
        if self.bind(name) {
            let shown = self.text(name.name).to_owned();
            self.error(position, format!("duplicate parameter: {shown}"));
        }
    }
}

impl Binding {
    pub(super) fn is_of_function(&self) -> bool {
        matches!(self.scope, Scope::Local | Scope::Cell | Scope::Free)
    }
}
