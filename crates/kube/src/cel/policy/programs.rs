//! The expressions of a policy, compiled as a server compiles those that it has stored.

use std::sync::Arc;

use trueline_cel::env::Env;
use trueline_cel::program::Program;
use trueline_cel::types::Type;
use trueline_kube_cel::reads::{Reads, roots};
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
            let words = format!("program instantiation failed: {fault}");
            return (compiled(Err(words)), Some(declared));
        }
    };
    let root = &checked.ast.root;
    let asks_rights =
        roots(root).iter().any(|(name, _)| matches!(*name, "authorizer" | "authorizer.requestResource"));
    let field = Reads::of(root, &["object"], &["oldObject", "variables"]).only_field();
    let ready = Ready { program, names: names(&env), asks_rights, field };
    (compiled(Ok(ready)), Some(declared))
}

fn names(env: &Env) -> Vec<Arc<str>> {
    env.variables().iter().map(|variable| Arc::clone(&variable.name)).collect()
}
