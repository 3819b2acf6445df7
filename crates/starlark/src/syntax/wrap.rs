//! Wraps functions that build something: adds a call before their statements, and one around what they return.

use super::ast::{Arg, Ast, Clause, Expr, FunctionDef, Literal, Param, Statement, Suffix, Suffixed, Symbol};
use crate::error::Position;

/// Which functions to change, and how. See [`Ast::wrap_functions`].
#[derive(Debug, Clone, Copy)]
pub struct Wrap<'a> {
    /// A function that mentions one of these names is changed.
    pub marks: &'a [&'a str],
    /// The function to call before the first statement.
    pub begin: &'a str,
    /// The one argument of that call.
    pub begin_argument: &'a str,
    /// The function to call with the returned value, or with nothing.
    pub end: &'a str,
}

struct Names {
    marks: Vec<Symbol>,
    begin: Symbol,
    end: Symbol,
}

impl Ast {
    /// Changes every `def` that mentions one of the marks outside its inner functions: `begin(argument)`
    /// becomes its first statement, `return x` becomes `return end(x)`, `return` becomes `return end()`, and
    /// the end of the function becomes the same. The added calls have no position.
    pub fn wrap_functions(&mut self, wrap: &Wrap<'_>) {
        let names = Names {
            marks: wrap.marks.iter().map(|mark| self.intern(mark)).collect(),
            begin: self.intern(wrap.begin),
            end: self.intern(wrap.end),
        };
        let mut statements = std::mem::take(&mut self.statements);
        self.wrap_inside(&mut statements, &names, wrap.begin_argument);
        self.statements = statements;
    }

    fn wrap_inside(&mut self, statements: &mut [Statement], names: &Names, argument: &str) {
        for statement in statements {
            match statement {
                Statement::Def { function, .. } => {
                    self.wrap_inside(&mut function.body, names, argument);
                    if mentioned(function, &names.marks) {
                        self.wrap_function(function, names, argument);
                    }
                }
                Statement::If(statement) => {
                    for (_, body) in &mut statement.branches {
                        self.wrap_inside(body, names, argument);
                    }
                    self.wrap_inside(&mut statement.otherwise, names, argument);
                }
                Statement::For(statement) => self.wrap_inside(&mut statement.body, names, argument),
                Statement::While(statement) => self.wrap_inside(&mut statement.body, names, argument),
                _ => {}
            }
        }
    }

    fn wrap_function(&mut self, function: &mut FunctionDef, names: &Names, argument: &str) {
        self.wrap_returns(&mut function.body, names.end);
        let literal = Expr::Literal(Position::default(), Literal::String(argument.as_bytes().into()));
        let begin = self.call(names.begin, vec![Arg::Positional(literal)]);
        let end = self.call(names.end, Vec::new());
        function.body.insert(0, Statement::Expr(begin));
        function.body.push(Statement::Return { position: Position::default(), value: Some(end) });
    }

    fn wrap_returns(&mut self, statements: &mut [Statement], end: Symbol) {
        for statement in statements {
            match statement {
                Statement::Return { value, .. } => {
                    let args = value.take().map(Arg::Positional).into_iter().collect();
                    *value = Some(self.call(end, args));
                }
                Statement::If(statement) => {
                    for (_, body) in &mut statement.branches {
                        self.wrap_returns(body, end);
                    }
                    self.wrap_returns(&mut statement.otherwise, end);
                }
                Statement::For(statement) => self.wrap_returns(&mut statement.body, end),
                Statement::While(statement) => self.wrap_returns(&mut statement.body, end),
                _ => {}
            }
        }
    }

    fn call(&mut self, name: Symbol, args: Vec<Arg>) -> Expr {
        let first = Expr::Ident(self.ident(name));
        let suffixes = Box::new([Suffix::Call(Position::default(), args.into())]);
        Expr::Suffixed(Box::new(Suffixed { first, suffixes }))
    }
}

/// Whether a function mentions one of the names itself: in its statements and defaults, or in a lambda.
fn mentioned(function: &FunctionDef, marks: &[Symbol]) -> bool {
    in_params(&function.params, marks) || in_statements(&function.body, marks)
}

fn in_params(params: &[Param], marks: &[Symbol]) -> bool {
    params.iter().any(|param| matches!(param, Param::Default(_, _, value) if in_expr(value, marks)))
}

fn in_statements(statements: &[Statement], marks: &[Symbol]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Expr(value) => in_expr(value, marks),
        Statement::Assign(assign) => in_expr(&assign.value, marks),
        Statement::If(statement) => {
            statement
                .branches
                .iter()
                .any(|(condition, body)| in_expr(condition, marks) || in_statements(body, marks))
                || in_statements(&statement.otherwise, marks)
        }
        Statement::For(statement) => {
            in_expr(&statement.iterable, marks) || in_statements(&statement.body, marks)
        }
        Statement::While(statement) => {
            in_expr(&statement.condition, marks) || in_statements(&statement.body, marks)
        }
        Statement::Return { value, .. } => value.as_ref().is_some_and(|value| in_expr(value, marks)),
        Statement::Def { .. } | Statement::Branch { .. } | Statement::Load(_) => false,
    })
}

fn in_expr(expr: &Expr, marks: &[Symbol]) -> bool {
    let found = |expr: &Expr| in_expr(expr, marks);
    match expr {
        Expr::Ident(ident) => marks.contains(&ident.name),
        Expr::Literal(..) => false,
        Expr::List(_, items) | Expr::Tuple(_, items) => items.iter().any(found),
        Expr::Dict(_, entries) => entries.iter().any(|(key, _, value)| found(key) || found(value)),
        Expr::Paren(_, inside) | Expr::Unary(_, _, inside) => found(inside),
        Expr::Comprehension(comprehension) => {
            let (key, value) = &comprehension.body;
            found(key)
                || value.as_ref().is_some_and(|(_, value)| found(value))
                || comprehension.clauses.iter().any(|clause| match clause {
                    Clause::For { iterable, .. } => found(iterable),
                    Clause::If(condition) => found(condition),
                })
        }
        Expr::Conditional(conditional) => {
            found(&conditional.condition) || found(&conditional.then) || found(&conditional.otherwise)
        }
        Expr::Chain(chain) => found(&chain.first) || chain.rest.iter().any(|link| found(&link.operand)),
        Expr::Suffixed(suffixed) => {
            found(&suffixed.first)
                || suffixed.suffixes.iter().any(|suffix| match suffix {
                    Suffix::Dot(..) => false,
                    Suffix::Index(_, index) => found(index),
                    Suffix::Slice(_, bounds) => bounds.iter().flatten().any(found),
                    Suffix::Call(_, args) => args.iter().any(|arg| match arg {
                        Arg::Positional(value)
                        | Arg::Named(_, value)
                        | Arg::Star(_, value)
                        | Arg::StarStar(_, value) => found(value),
                    }),
                })
        }
        Expr::Lambda(function) => in_statements(&function.body, marks),
    }
}
