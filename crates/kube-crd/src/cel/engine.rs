//! Compiling the expressions of rules: which functions they may use, what they see, and what they may cost.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_cel::env::Env;
use trueline_cel::function::{Fault, Size, Sizes};
use trueline_cel::program::{Outcome, Program};
use trueline_cel::shape::{ObjectShape, Shape};
use trueline_cel::syntax::{self, Issue, IssueKind};
use trueline_cel::types::Type;
use trueline_cel::value::Value;
use trueline_kube_cel::budget::PER_CALL;
use trueline_kube_cel::escape::{escape, is_reserved};
use trueline_kube_cel::plain::{plain, plain_fault, plain_result, reserved_field, without_consequences};
use trueline_kube_cel::reads::{Reads, roots};
use trueline_kube_facts::Failure;
use trueline_kube_facts::{ExpressionIssue, KubeVersion};

use super::declared::{Declared, MAX_KEY, ROOT_NAME, Step};
use crate::props::Props;

/// What compiles expressions. The server lets new expressions use only what the version before it knew, too, so
/// that it can be taken back; those that are stored already may use everything.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    new: Arc<Env>,
    stored: Arc<Env>,
    stored_rules: Arc<FxHashSet<Arc<str>>>,
    stored_messages: Arc<FxHashSet<Arc<str>>>,
}

impl Engine {
    /// For the rules of a CRD that is new.
    pub(crate) fn for_new(version: KubeVersion) -> Self {
        let new = Arc::new(trueline_kube_cel::environment(u32::from(version.minor.saturating_sub(1))));
        Engine {
            stored: Arc::clone(&new),
            new,
            stored_rules: Arc::default(),
            stored_messages: Arc::default(),
        }
    }

    /// For the rules of a CRD that replaces another one, which has these schemas.
    pub(crate) fn for_update<'s>(version: KubeVersion, old: impl Iterator<Item = &'s Arc<Props>>) -> Self {
        let mut engine = Self::for_new(version);
        engine.stored = Arc::new(trueline_kube_cel::environment(u32::from(version.minor)));
        let (mut rules, mut messages) = (FxHashSet::default(), FxHashSet::default());
        for schema in old {
            schema.any(|schema| {
                for rule in &schema.validations {
                    rules.insert(Arc::clone(&rule.rule));
                    messages.insert(Arc::clone(&rule.message_expression));
                }
                false
            });
        }
        Engine { stored_rules: Arc::new(rules), stored_messages: Arc::new(messages), ..engine }
    }

    /// For the rules of a CRD that a cluster has.
    pub(crate) fn for_stored(version: KubeVersion) -> Self {
        let stored = Arc::new(trueline_kube_cel::environment(u32::from(version.minor)));
        Engine {
            new: Arc::clone(&stored),
            stored,
            stored_rules: Arc::default(),
            stored_messages: Arc::default(),
        }
    }

    /// What new expressions may use.
    pub(crate) fn env(&self) -> Env {
        Env::clone(&self.new)
    }

    /// What the expressions on a value see. `name` is the name of its type.
    pub(crate) fn scope<'e>(&'e self, declared: &'e Declared, name: &'e str, old: OldSelf) -> Scope<'e> {
        Scope { engine: self, declared, name, old }
    }
}

/// What `oldSelf` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OldSelf {
    /// The old value; the rule is left out where there is none.
    Value,
    /// An optional.
    Optional,
}

/// What the expressions on a value see.
#[derive(Debug)]
pub(crate) struct Scope<'e> {
    engine: &'e Engine,
    declared: &'e Declared,
    name: &'e str,
    old: OldSelf,
}

/// An expression that was compiled.
#[derive(Debug)]
pub(crate) struct Expression {
    program: Program,
    /// What evaluating it once may cost.
    pub(crate) max_cost: u64,
    /// Whether it reads `oldSelf`.
    pub(crate) uses_old_self: bool,
    /// The keys of the only field that it reads, if there is only one.
    pub(crate) only_field: Option<Vec<Arc<str>>>,
}

impl Expression {
    /// Evaluates it with `self` and `oldSelf`.
    pub(crate) fn evaluate(&self, variables: &[Option<Value>]) -> Outcome {
        self.program.run(variables, PER_CALL)
    }

    /// The bytes of the expression that a fault comes from, if that is known.
    pub(crate) fn place(&self, fault: &Fault) -> Option<Range<u32>> {
        self.program.place(fault)
    }
}

impl Scope<'_> {
    /// Compiles a rule.
    pub(crate) fn rule(&self, expression: &Arc<str>) -> Result<Expression, Failure> {
        let is_stored = self.engine.stored_rules.contains(expression);
        self.compile(
            expression,
            is_stored,
            Wanted { result: Type::Bool, prefix: "", wrong: "cel expression must evaluate to a bool" },
        )
    }

    /// Compiles the expression of a message.
    pub(crate) fn message(&self, expression: &Arc<str>) -> Result<Expression, Failure> {
        let is_stored = self.engine.stored_messages.contains(expression);
        let wrong = "messageExpression must evaluate to a string";
        self.compile(
            expression,
            is_stored,
            Wanted { result: Type::String, prefix: "messageExpression ", wrong },
        )
    }

    fn compile(&self, expression: &Arc<str>, is_stored: bool, wanted: Wanted) -> Result<Expression, Failure> {
        let base = if is_stored { &self.engine.stored } else { &self.engine.new };
        let mut env = Env::clone(base);
        let this = self.declared.shape.declared();
        env.add_variable("self", this.clone());
        env.add_variable(
            "oldSelf",
            match self.old {
                OldSelf::Value => this,
                OldSelf::Optional => Type::optional(this),
            },
        );
        let checked =
            env.compile(expression).map_err(|issues| self.not_compiled(expression, issues, wanted.prefix))?;
        let found = checked.result();
        if found != wanted.result {
            let plain = plain_result(std::slice::from_ref(&wanted.result), &found);
            return Err(Failure::of_whole(wanted.wrong.to_owned(), expression, plain));
        }
        let program = Program::new(&env, &checked).map_err(|fault| {
            let what = if wanted.prefix.is_empty() { "program " } else { wanted.prefix };
            let text = format!("{what}instantiation failed: {fault}");
            Failure::of_whole(text, expression, plain_fault(&fault.kind))
        })?;
        let estimate = trueline_cel::cost::estimate(&checked, self);
        let root = &checked.ast.root;
        let only = Reads::of(root, &["self", "oldSelf"], &[]).only_field();
        Ok(Expression {
            program,
            max_cost: estimate.max,
            uses_old_self: roots(root).iter().any(|(name, _)| *name == "oldSelf"),
            only_field: only.and_then(|path| self.keys(&path)),
        })
    }

    /// The keys of a path of fields, as documents have them.
    fn keys(&self, path: &[Arc<str>]) -> Option<Vec<Arc<str>>> {
        let mut here = &self.declared.shape;
        let mut keys = Vec::new();
        for name in path {
            match here {
                Shape::Object(object) => {
                    let field = object.fields.get(name)?;
                    keys.push(Arc::clone(&field.key));
                    here = &field.shape;
                }
                Shape::Map(value) => {
                    keys.push(Arc::clone(name));
                    here = value;
                }
                _ => return None,
            }
        }
        Some(keys)
    }

    /// How large a value can be that an expression reads.
    fn most(&self, path: &[Arc<str>]) -> Option<u64> {
        let (_, steps) = path.split_first()?;
        let mut here = self.declared;
        for (index, step) in steps.iter().enumerate() {
            match here.step(step)? {
                Step::To(declared) => here = declared,
                // Nothing lies below a key.
                Step::Keys => return (index + 1 == steps.len()).then_some(MAX_KEY.unsigned_abs()),
            }
        }
        Some(here.max_elements.unsigned_abs())
    }

    fn not_compiled(&self, expression: &Arc<str>, mut issues: Vec<Issue>, prefix: &str) -> Failure {
        if self.name != ROOT_NAME {
            // Types are named by where they are in the whole schema; the server names them from the rule on.
            for issue in &mut issues {
                issue.kind.replace_types(&|found| self.named_from_here(found));
            }
        }
        let text = format!("{prefix}compilation failed: {}", syntax::display(&issues, expression));
        let issues = without_consequences(issues).map(|issue| {
            ExpressionIssue::new(expression, plain(&issue.kind), issue.place, self.help(&issue.kind))
        });
        Failure::new(text, Arc::clone(expression), issues.collect())
    }

    /// A type with names that begin at the rule.
    fn named_from_here(&self, found: &Type) -> Type {
        found.map_objects(&|shape: &ObjectShape| {
            let name = shape.name.strip_prefix(self.name)?;
            Some(ObjectShape { name: format!("{ROOT_NAME}{name}").into(), ..shape.clone() })
        })
    }

    /// What would be right where a field is named that expressions know by another name.
    pub(crate) fn help(&self, kind: &IssueKind) -> Option<String> {
        let name = match kind {
            IssueKind::Undeclared { name, .. } if self.declared.fields.contains_key(name) => {
                return Some(format!("write `self.{name}`"));
            }
            IssueKind::Undeclared { .. } => {
                return Some("rules can use `self`, and `oldSelf` for the value before an update".to_owned());
            }
            IssueKind::Reserved(name) => {
                let escaped = escape(name)?;
                let is_field = self.declared.fields.contains_key(&*escaped);
                return is_field.then(|| format!("write `self.{escaped}`"));
            }
            IssueKind::Syntax(issue) => reserved_field(issue)?,
            IssueKind::UndefinedField(name) => &**name,
            _ => return None,
        };
        let mut keys = Vec::new();
        keys_below(self.declared, &mut keys, 0);
        let is_meant = |key: &&Arc<str>| {
            let rest = key.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() && is_reserved(key) || rest.starts_with(['-', '.', '/']))
        };
        if let Some(key) = keys.iter().find(is_meant) {
            let escaped = escape(key)?;
            return Some(format!("in expressions, the field `{key}` is written `{escaped}`"));
        }
        let names = keys.iter().map(|key| &**key);
        let near = trueline_diagnostic::nearest(name, names)?;
        Some(format!("did you mean `{near}`?"))
    }
}

impl Sizes for Scope<'_> {
    fn size(&self, path: &[Arc<str>], _: &Type) -> Option<Size> {
        self.most(path).map(|most| Size::between(0, most))
    }
}

/// What an expression has to give, and what the server says otherwise.
struct Wanted {
    result: Type,
    prefix: &'static str,
    wrong: &'static str,
}

/// The keys of all fields that an expression can reach, as documents have them.
fn keys_below(declared: &Declared, keys: &mut Vec<Arc<str>>, depth: usize) {
    const MOST: usize = 2_000;
    if depth > 32 || keys.len() > MOST {
        return;
    }
    if let Shape::Object(shape) = &declared.shape {
        keys.extend(shape.fields.values().map(|field| Arc::clone(&field.key)));
    }
    for field in declared.fields.values() {
        keys_below(field, keys, depth + 1);
    }
    if let Some(element) = &declared.element {
        keys_below(element, keys, depth + 1);
    }
}
