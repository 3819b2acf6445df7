//! What the expressions of admission see: policies, conditions of webhooks, and selectors of devices.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use trueline_cel::check::Checked;
use trueline_cel::env::Env;
use trueline_cel::shape::{FieldShape, ListKind, ListShape, ObjectShape, OtherFields, Shape};
use trueline_cel::syntax;
use trueline_cel::types::Type;
use trueline_kube_cel::authorizer::{AUTHORIZER, RESOURCE_CHECK};
use trueline_kube_cel::plain::{plain, plain_result, without_consequences};
use trueline_kube_cel::{environment, jsonpatch};
use trueline_kube_facts::{ExpressionIssue, Failure, KubeVersion};

/// The type of what an apply configuration gives.
const OBJECT: &str = "Object";

/// What mutations give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patch {
    /// An `Object` with the fields that are applied.
    Configuration,
    /// A list of `JSONPatch`.
    Operations,
}

impl Patch {
    /// Its type.
    pub fn declared(self) -> Type {
        match self {
            Patch::Configuration => {
                let fields = FxHashMap::default();
                Type::Object(Arc::new(ObjectShape { name: OBJECT.into(), fields, others: OtherFields::Any }))
            }
            Patch::Operations => Type::list(jsonpatch::patch_type()),
        }
    }
}

/// Variables that only some expressions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extra {
    /// `params`
    pub params: bool,
    /// `authorizer`
    pub authorizer: bool,
    /// `variables`
    pub variables: bool,
    /// `Object{…}`, `JSONPatch{…}` and `jsonpatch.escapeKey`
    pub patches: bool,
}

/// The environment of an expression of admission.
#[derive(Debug, Clone)]
pub struct Admission {
    base: Env,
    /// What policies compute first, in their order.
    variables: Vec<(Arc<str>, Type)>,
}

impl Admission {
    /// For new expressions on a server of this version.
    pub fn new(version: KubeVersion) -> Self {
        Admission { base: environment(u32::from(version.minor.saturating_sub(1))), variables: Vec::new() }
    }

    /// For expressions that a server of this version has stored.
    pub fn for_stored(version: KubeVersion) -> Self {
        Admission { base: environment(u32::from(version.minor)), variables: Vec::new() }
    }

    /// Declares a variable of a policy for the expressions after it.
    pub fn add_variable(&mut self, name: &str, declared: Type) {
        self.variables.push((name.into(), declared));
    }

    /// Compiles an expression that has to give one of these types; any, if there are none.
    pub fn compile(&self, text: &str, extra: Extra, wanted: &[Type]) -> Result<Checked, Failure> {
        self.compile_in(&self.env(extra), text, wanted)
    }

    /// What an expression may use.
    pub fn env(&self, extra: Extra) -> Env {
        let mut env = self.base.clone();
        env.add_variable("object", Type::Dyn);
        env.add_variable("oldObject", Type::Dyn);
        env.add_variable("namespaceObject", namespace().declared());
        env.add_variable("request", request().declared());
        if extra.params {
            env.add_variable("params", Type::Dyn);
        }
        if extra.authorizer {
            env.add_variable("authorizer", Type::Opaque(&AUTHORIZER));
            env.add_variable("authorizer.requestResource", Type::Opaque(&RESOURCE_CHECK));
        }
        if extra.variables {
            let fields = self.variables.iter().map(|(name, declared)| (&**name, shape_of(declared)));
            env.add_variable("variables", object("kubernetes.variables", fields).declared());
        }
        if extra.patches {
            env.add_open_type(OBJECT);
            env.add_type("JSONPatch", jsonpatch::patch_type());
            env.add_functions(jsonpatch::functions());
        }
        env
    }

    /// The same in an environment of [`Admission::env`].
    pub fn compile_in(&self, env: &Env, text: &str, wanted: &[Type]) -> Result<Checked, Failure> {
        compile(env, text, wanted, |found| match wanted {
            [one] => format!("must evaluate to {} but got {}", go_text(one), go_text(found)),
            several => {
                let listed: Vec<String> = several.iter().map(go_text).collect();
                format!("must evaluate to one of [{}] but got {}", listed.join(" "), go_text(found))
            }
        })
    }
}

pub(super) fn compile(
    env: &Env,
    text: &str,
    wanted: &[Type],
    wrong: impl Fn(&Type) -> String,
) -> Result<Checked, Failure> {
    let expression: Arc<str> = text.into();
    let checked = env.compile(text).map_err(|issues| {
        let shown = format!("compilation failed: {}", syntax::display(&issues, text));
        let issues = without_consequences(issues)
            .map(|issue| ExpressionIssue::new(text, plain(&issue.kind), issue.place, None));
        Failure::new(shown, Arc::clone(&expression), issues.collect())
    })?;
    let found = checked.result();
    if !wanted.is_empty() && !wanted.contains(&found) {
        return Err(Failure::of_whole(wrong(&found), &expression, plain_result(wanted, &found)));
    }
    Ok(checked)
}

/// A type as Go prints it, which is not how issues of expressions have it.
pub(super) fn go_text(of: &Type) -> String {
    match of {
        Type::List(item) => format!("list({})", go_text(item)),
        Type::Map(key, value) => format!("map({}, {})", go_text(key), go_text(value)),
        Type::Optional(value) => format!("optional_type({})", go_text(value)),
        Type::Type(Some(inner)) => format!("type({})", go_text(inner)),
        Type::Wrapper(inner) => format!("wrapper({})", go_text(inner)),
        other => other.runtime_name().to_owned(),
    }
}

pub(super) fn object<'f>(name: &str, fields: impl IntoIterator<Item = (&'f str, Shape)>) -> Shape {
    let mut found = FxHashMap::default();
    for (key, shape) in fields {
        let key: Arc<str> = key.into();
        found.insert(Arc::clone(&key), FieldShape { key, shape });
    }
    Shape::Object(Arc::new(ObjectShape { name: name.into(), fields: found, others: OtherFields::None }))
}

fn list(item: Shape) -> Shape {
    Shape::List(Arc::new(ListShape { item, kind: ListKind::Ordered }))
}

/// What expressions know of a request.
fn request() -> Shape {
    let kind = || {
        let fields = [("group", Shape::String), ("version", Shape::String), ("kind", Shape::String)];
        object("kubernetes.GroupVersionKind", fields)
    };
    let resource = || {
        let fields = [("group", Shape::String), ("version", Shape::String), ("resource", Shape::String)];
        object("kubernetes.GroupVersionResource", fields)
    };
    let user = object(
        "kubernetes.UserInfo",
        [
            ("username", Shape::String),
            ("uid", Shape::String),
            ("groups", list(Shape::String)),
            ("extra", Shape::Map(Arc::new(list(Shape::String)))),
        ],
    );
    object(
        "kubernetes.AdmissionRequest",
        [
            ("kind", kind()),
            ("resource", resource()),
            ("subResource", Shape::String),
            ("requestKind", kind()),
            ("requestResource", resource()),
            ("requestSubResource", Shape::String),
            ("name", Shape::String),
            ("namespace", Shape::String),
            ("operation", Shape::String),
            ("userInfo", user),
            ("dryRun", Shape::Bool),
            ("options", Shape::Dyn),
        ],
    )
}

/// What expressions know of the namespace of an object.
fn namespace() -> Shape {
    let texts = || Shape::Map(Arc::new(Shape::String));
    let metadata = object(
        "kubernetes.NamespaceMetadata",
        [
            ("name", Shape::String),
            ("generateName", Shape::String),
            ("namespace", Shape::String),
            ("labels", texts()),
            ("annotations", texts()),
            ("UID", Shape::String),
            ("creationTimestamp", Shape::DateTime),
            ("deletionGracePeriodSeconds", Shape::Int),
            ("deletionTimestamp", Shape::DateTime),
            ("generation", Shape::Int),
            ("resourceVersion", Shape::String),
            ("finalizers", list(Shape::String)),
        ],
    );
    let condition = object(
        "kubernetes.NamespaceCondition",
        [
            ("status", Shape::String),
            ("type", Shape::String),
            ("lastTransitionTime", Shape::DateTime),
            ("message", Shape::String),
            ("reason", Shape::String),
        ],
    );
    let spec = object("kubernetes.NamespaceSpec", [("finalizers", list(Shape::String))]);
    let status =
        object("kubernetes.NamespaceStatus", [("conditions", list(condition)), ("phase", Shape::String)]);
    object("kubernetes.Namespace", [("metadata", metadata), ("spec", spec), ("status", status)])
}

/// How a value of a type looks to the expressions that read it from a variable.
fn shape_of(declared: &Type) -> Shape {
    match declared {
        Type::Bool => Shape::Bool,
        Type::Int => Shape::Int,
        Type::Double => Shape::Double,
        Type::String => Shape::String,
        Type::Bytes => Shape::Bytes,
        Type::Duration => Shape::Duration,
        Type::Timestamp => Shape::DateTime,
        Type::List(item) => list(shape_of(item)),
        Type::Map(key, value) if **key == Type::String => Shape::Map(Arc::new(shape_of(value))),
        Type::Object(shape) => Shape::Object(Arc::clone(shape)),
        _ => Shape::Dyn,
    }
}
