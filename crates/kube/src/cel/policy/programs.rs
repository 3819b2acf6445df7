//! The expressions of a policy, compiled as a server compiles those that it has stored.

use std::sync::Arc;

use trueline_cel::ast::{Expr, ExprKind};
use trueline_cel::env::Env;
use trueline_cel::program::Program;
use trueline_cel::types::Type;
use trueline_kube_facts::KubeVersion;
use trueline_kube_rules::cel::{Admission, Extra};

use super::read::{Policy, Text};

/// The expressions of a policy.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) conditions: Vec<Compiled>,
    pub(super) variables: Vec<(Arc<str>, Compiled)>,
    pub(super) validations: Vec<Compiled>,
    /// Those of messages, by the number of the validation.
    pub(super) messages: Vec<Option<Compiled>>,
    pub(super) annotations: Vec<Compiled>,
}

/// An expression that was compiled, or why it could not be.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) text: Arc<str>,
    pub(super) program: Result<Ready, String>,
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) program: Program,
    /// Its variables, in the order of their numbers.
    pub(super) names: Vec<Arc<str>>,
    /// Whether it asks what somebody is allowed to do.
    pub(super) asks_rights: bool,
    /// The field of the object that it is about, if there is one only.
    pub(super) field: Option<Vec<Arc<str>>>,
}

impl Programs {
    pub(super) fn of(policy: &Policy, version: KubeVersion) -> Programs {
        let mut admission = Admission::for_stored(version);
        let params = policy.param_kind.is_some();
        let all = Extra { params, authorizer: true, variables: true, patches: false };
        let mut variables = Vec::new();
        for (name, text) in &policy.variables {
            let (compiled, declared) = compile(&admission, text, all, &[]);
            admission.add_variable(name, declared.unwrap_or(Type::Dyn));
            variables.push((Arc::clone(name), compiled));
        }
        let of = |text: &Text, extra: Extra, wanted: &[Type]| compile(&admission, text, extra, wanted).0;
        let without_rights = Extra { authorizer: false, ..all };
        Programs {
            conditions: policy.conditions.iter().map(|text| of(text, all, &[Type::Bool])).collect(),
            validations: policy
                .validations
                .iter()
                .map(|validation| of(&validation.expression, all, &[Type::Bool]))
                .collect(),
            messages: policy
                .validations
                .iter()
                .map(|validation| {
                    let text = validation.message_expression.as_ref()?;
                    Some(of(text, without_rights, &[Type::String]))
                })
                .collect(),
            annotations: policy
                .annotations
                .iter()
                .map(|text| of(text, all, &[Type::String, Type::Null]))
                .collect(),
            variables,
        }
    }
}

fn compile(admission: &Admission, text: &Text, extra: Extra, wanted: &[Type]) -> (Compiled, Option<Type>) {
    let env = admission.env(extra);
    let compiled = |program| Compiled { text: Arc::clone(&text.text), program };
    let checked = match admission.compile_in(&env, &text.text, wanted) {
        Ok(checked) => checked,
        Err(failure) => return (compiled(Err(failure.server_text().to_owned())), None),
    };
    let declared = checked.result();
    let program = match Program::new(&env, &checked) {
        Ok(program) => program,
        Err(fault) => {
            let words = format!("program instantiation failed: {}", fault.message);
            return (compiled(Err(words)), Some(declared));
        }
    };
    let mut read = Read::default();
    read.expression(&checked.ast.root);
    let ready =
        Ready { program, names: names(&env), asks_rights: read.asks_rights, field: read.only_field() };
    (compiled(Ok(ready)), Some(declared))
}

fn names(env: &Env) -> Vec<Arc<str>> {
    env.variables().iter().map(|variable| Arc::clone(&variable.name)).collect()
}

/// What an expression reads.
#[derive(Debug, Default)]
struct Read {
    asks_rights: bool,
    /// The paths of fields of the object.
    fields: Vec<Vec<Arc<str>>>,
    /// Whether it reads the object in a way that is no path.
    is_entangled: bool,
}

impl Read {
    fn expression(&mut self, root: &Expr) {
        let mut open = vec![root];
        while let Some(expression) = open.pop() {
            match &expression.kind {
                ExprKind::Literal(_) => {}
                ExprKind::Ident(name) => match &**name {
                    "authorizer" | "authorizer.requestResource" => self.asks_rights = true,
                    "object" | "oldObject" | "variables" => self.is_entangled = true,
                    _ => {}
                },
                ExprKind::Select { operand, .. } => match path(expression) {
                    Some((root, path)) => self.path(root, path),
                    None => open.push(operand),
                },
                ExprKind::Call { target, args, .. } => open.extend(target.as_deref().into_iter().chain(args)),
                ExprKind::List { elements, .. } => open.extend(elements),
                ExprKind::Map(entries) | ExprKind::Struct { fields: entries, .. } => {
                    open.extend(entries.iter().flat_map(|entry| [&entry.key, &entry.value]));
                }
                ExprKind::Comprehension(parts) => {
                    self.is_entangled = true;
                    open.extend([&parts.range, &parts.start, &parts.condition, &parts.step, &parts.result]);
                }
            }
        }
    }

    fn path(&mut self, root: &str, path: Vec<Arc<str>>) {
        match root {
            "object" if self.fields.contains(&path) => {}
            "object" => self.fields.push(path),
            "oldObject" | "variables" => self.is_entangled = true,
            "authorizer" => self.asks_rights = true,
            _ => {}
        }
    }

    fn only_field(&self) -> Option<Vec<Arc<str>>> {
        match self.fields.as_slice() {
            [only] if !self.is_entangled => Some(only.clone()),
            _ => None,
        }
    }
}

/// The variable and the names of fields of `a.b.c`.
fn path(expression: &Expr) -> Option<(&str, Vec<Arc<str>>)> {
    let mut names = Vec::new();
    let mut here = expression;
    loop {
        match &here.kind {
            ExprKind::Select { operand, field, .. } => {
                names.push(Arc::clone(field));
                here = operand;
            }
            ExprKind::Ident(root) => {
                names.reverse();
                return Some((root, names));
            }
            _ => return None,
        }
    }
}
