//! Values checked against rules.

use std::cell::OnceCell;
use std::rc::Rc;

use trueline_starlark::{Args, ErrorKind as StarlarkErrorKind, Thread, Value, View};

use super::annotation::{NullValues, Rule, Test, Validation};
use super::message::Fields;
use super::node::{Found, Node, Parent, Start, collect, has_rules, leaves_first};
use super::report::{Invalid, Report, RuleViolation};
use crate::error::{Error, ErrorKind};
use crate::schema::{Schema, Type};
use crate::tree::{self, Document, DocumentSet, Meta, Text};
use crate::value::{Content, Context, Fragment, Struct, to_starlark};

/// The annotation of rules in data values and in output.
pub const ASSERT_VALIDATE: &str = "assert/validate";

/// Checks data values against the rules of their schema, and those of their own annotations.
///
/// # Errors
/// For values that break rules, all of them; and for annotations and functions that fail.
pub fn validate(
    document: &Document,
    schema: &Schema,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    let declared = schema.declared();
    let mut nodes = Vec::new();
    let start = Node::start(&document.value, &document.meta, Parent::None, Start::Document(0));
    let declared = (declared.validation.as_ref(), &declared.value);
    let found = collect(start, declared, &mut nodes, thread)
        .and_then(|()| Run::new(Root::Value(&document.value), thread, context).all(&nodes));
    found.and_then(Report::into_result).map_err(|error| prefixed("Validating final data values", error))
}

/// Checks the documents that a library became against the rules of their annotations.
///
/// # Errors
/// As for [`validate`].
pub fn validate_documents<'d>(
    documents: impl Iterator<Item = &'d Document> + Clone,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    check_documents(documents, thread, context)
        .map_err(|error| prefixed("Validating output documents", error))
}

fn check_documents<'d>(
    documents: impl Iterator<Item = &'d Document> + Clone,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    let mut nodes = Vec::new();
    for (index, document) in documents.clone().enumerate() {
        if document.meta.annotations().has(ASSERT_VALIDATE) || has_rules(&document.value) {
            let start =
                Node::start(&document.value, &document.meta, Parent::Documents, Start::Document(index));
            collect(start, None, &mut nodes, thread)?;
        }
    }
    if nodes.is_empty() {
        return Ok(());
    }
    let all = DocumentSet { documents: documents.cloned().collect(), ..DocumentSet::default() };
    Run::new(Root::Documents(Rc::new(all)), thread, context).all(&nodes)?.into_result()
}

/// Checks a fragment, and what it is in, against the rules of their annotations.
///
/// # Errors
/// As for [`validate`].
pub fn validate_content(
    content: &Content,
    holder: Option<&Meta>,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    let value = match content {
        Content::Documents(set) => return check_documents(set.documents.iter(), thread, context),
        Content::Value(value) => value,
    };
    let nowhere = Meta::default();
    let mut nodes = Vec::new();
    let start = Node::start(value, holder.unwrap_or(&nowhere), Parent::None, Start::Document(0));
    collect(start, None, &mut nodes, thread)?;
    Run::new(Root::Value(value), thread, context).all(&nodes)?.into_result()
}

/// A value that a template named.
pub struct NamedValue<'v> {
    /// What reports call it.
    pub name: &'v str,
    /// The value as rules see it.
    pub given: &'v Value,
    /// The same as YAML.
    pub content: &'v tree::Value,
    /// Where it is.
    pub meta: Meta,
}

/// Checks a value that has a name against rules.
///
/// # Errors
/// As for [`validate`].
pub fn validate_value(
    named: &NamedValue<'_>,
    rules: Validation,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    let node = Node::start(named.content, &named.meta, Parent::None, Start::Named(named.name));
    let nodes =
        [Found { node, validations: vec![Rc::new(rules)], depth: 0, given: Some(named.given.clone()) }];
    let mut run = Run::new(Root::Value(named.content), thread, context);
    run.root_value = OnceCell::from(named.given.clone());
    run.all(&nodes)?.into_result()
}

/// Whether a value of a type breaks rules that always count.
///
/// # Errors
/// If the limits are reached.
pub fn breaks_rules(
    value: &tree::Value,
    declared: &Type,
    rules: Option<&Rc<Validation>>,
    thread: &mut Thread,
    context: &Context,
) -> Result<bool, Error> {
    let nowhere = Meta::default();
    let mut nodes = Vec::new();
    let start = Node::start(value, &nowhere, Parent::None, Start::Document(0));
    collect(start, (rules, declared), &mut nodes, thread)?;
    for found in &mut nodes {
        found.validations.retain(|validation| !validation.is_conditional());
    }
    Ok(!Run::new(Root::Value(value), thread, context).all(&nodes)?.invalid.is_empty())
}

fn prefixed(heading: &str, error: Error) -> Error {
    let text = format!("{heading}:\n{error}");
    error.reworded(text)
}

impl Report {
    fn into_result(self) -> Result<(), Error> {
        if self.invalid.is_empty() {
            return Ok(());
        }
        let text = self.to_string();
        let places: Vec<_> = self.invalid.iter().map(|invalid| invalid.place.clone()).collect();
        Err(Error::new(ErrorKind::Validation(Rc::new(self)), text).at_all(places))
    }
}

/// What `ctx.root` is.
enum Root<'a> {
    Value(&'a tree::Value),
    Documents(Rc<DocumentSet>),
}

struct Run<'a> {
    root: Root<'a>,
    /// The root as functions see it.
    root_value: OnceCell<Value>,
    thread: &'a mut Thread,
    context: &'a Context,
}

impl<'a> Run<'a> {
    fn new(root: Root<'a>, thread: &'a mut Thread, context: &'a Context) -> Run<'a> {
        Run { root, root_value: OnceCell::new(), thread, context }
    }

    /// Runs all rules, those of children before those of their parents. Reports list parents first.
    fn all(&mut self, nodes: &[Found<'_>]) -> Result<Report, Error> {
        let mut found: Vec<Vec<Invalid>> = nodes.iter().map(|_| Vec::new()).collect();
        for index in leaves_first(nodes) {
            let (Some(Found { node, validations, given, .. }), Some(found)) =
                (nodes.get(index), found.get_mut(index))
            else {
                continue;
            };
            for validation in validations {
                found.extend(self.validate(node, given.as_ref(), validation)?);
            }
        }
        Ok(Report { invalid: found.into_iter().flatten().collect() })
    }

    fn validate(
        &mut self,
        node: &Node<'_>,
        given: Option<&Value>,
        validation: &Validation,
    ) -> Result<Option<Invalid>, Error> {
        if node.value.is_null() && validation.null == NullValues::Pass {
            return Ok(None);
        }
        let value = match given {
            Some(given) => given.clone(),
            None => to_starlark(self.thread, node.value, &node.meta.place, self.context)?,
        };
        if !self.is_wanted(node, validation, &value)? {
            return Ok(None);
        }
        let mut violations = Vec::new();
        for rule in &validation.rules {
            let for_arrays = match (&rule.for_arrays, node.value) {
                (Some(check), tree::Value::Array(_)) => {
                    let test = Test::Named(check.clone());
                    Some(Rule { description: None, test, for_arrays: None })
                }
                _ => None,
            };
            let rule = for_arrays.as_ref().unwrap_or(rule);
            let Some(failure) = self.broken(rule, &value)? else { continue };
            violations.push(self.violation(node, validation, rule, &value, failure)?);
            // A null breaks most rules; that it is null says it all.
            if rule.is_not_null() {
                break;
            }
        }
        if violations.is_empty() {
            return Ok(None);
        }
        let path = node.shown_path();
        let place = if node.meta.place.is_known() { &node.meta.place } else { &node.meta.position };
        Ok(Some(Invalid { path, position: node.meta.position.clone(), place: place.clone(), violations }))
    }

    fn violation(
        &mut self,
        node: &Node<'_>,
        validation: &Validation,
        rule: &Rule,
        value: &Value,
        failure: Failure,
    ) -> Result<RuleViolation, Error> {
        let description = rule.description(self.thread)?;
        let message = match &rule.test {
            Test::Function { message: Some(message), name, .. } => {
                let failure = match &failure {
                    Failure::Said(text) => text.clone(),
                    Failure::False => format!("{name} returned False"),
                    Failure::Nothing => String::new(),
                };
                let fields = Fields { key: &node.key(), value, description: &description, failure: &failure };
                Some(message.fill_in(&fields, self.thread)?)
            }
            _ => None,
        };
        let found = match failure {
            Failure::Said(text) => text,
            Failure::False | Failure::Nothing => String::new(),
        };
        Ok(RuleViolation { rule: validation.position.clone(), description, found, message })
    }

    /// How a value breaks a rule, if it does.
    fn broken(&mut self, rule: &Rule, value: &Value) -> Result<Option<Failure>, Error> {
        let result = match &rule.test {
            Test::Function { function, .. } => {
                let result = self.thread.call(function, Args::of(std::slice::from_ref(value)));
                result.map(|result| Failure::of(&result))
            }
            Test::Named(check) => check.run(self.thread, value, self.context).map(|()| None),
        };
        match result {
            Ok(failure) => Ok(failure),
            Err(error) if error.kind() == StarlarkErrorKind::Limit => Err(error.into()),
            Err(error) => {
                let text = error.message();
                let text = text.strip_prefix("fail: ").unwrap_or(text);
                Ok(Some(Failure::Said(text.strip_prefix("check: ").unwrap_or(text).to_owned())))
            }
        }
    }

    /// Whether `when=` lets the rules be run. If it fails they are not.
    fn is_wanted(&mut self, node: &Node<'_>, validation: &Validation, value: &Value) -> Result<bool, Error> {
        let Some(when) = &validation.when else { return Ok(true) };
        let fails = |text: String| {
            Err(Error::other(format!("Validating {}: {text}", node.path())).at(validation.position.clone()))
        };
        let count = match when.view() {
            View::Function(function) => function.parameter_count(),
            _ => 1,
        };
        let mut args = vec![value.clone()];
        match count {
            1 => {}
            2 => args.push(self.surroundings(node)?),
            count => {
                let text = format!("function must accept 1 or 2 arguments ({count} given)");
                return fails(format!("Failed to evaluate when=: {text}"));
            }
        }
        match self.thread.call(when, Args::of(&args)) {
            Ok(result) => match result.as_bool() {
                Some(is_wanted) => Ok(is_wanted),
                None => fails(format!("want when= to be bool, got {}", result.type_name())),
            },
            Err(error) if error.kind() == StarlarkErrorKind::Limit => Err(error.into()),
            Err(_) => Ok(false),
        }
    }

    /// What is around a value: what it is in, and the value of the document or all documents.
    fn surroundings(&mut self, node: &Node<'_>) -> Result<Value, Error> {
        let root = match self.root_value.get() {
            Some(root) => root.clone(),
            None => {
                let root = match &self.root {
                    Root::Value(root) => {
                        to_starlark(self.thread, root, &tree::Position::unknown(), self.context)?
                    }
                    Root::Documents(all) => {
                        let content = Content::Documents(Rc::clone(all));
                        Value::custom(Fragment::new(content, self.context))
                    }
                };
                self.root_value.get_or_init(|| root).clone()
            }
        };
        let parent = match node.parent {
            Parent::None => Value::NONE,
            Parent::Documents => root.clone(),
            Parent::Collection(parent) => {
                to_starlark(self.thread, parent, &tree::Position::unknown(), self.context)?
            }
        };
        Ok(Value::custom(Struct::new([(Text::from("parent"), parent), (Text::from("root"), root)])))
    }
}

/// How a rule is broken.
enum Failure {
    /// The rule says what is wrong.
    Said(String),
    /// A function returned False.
    False,
    /// A function returned something that is not an answer.
    Nothing,
}

impl Failure {
    /// What the result of a function means: True and None pass, and `(False, "text")` says why it fails.
    fn of(result: &Value) -> Option<Failure> {
        let (verdict, text) = match result.view() {
            View::Tuple([verdict, text]) if verdict.as_bool().is_some() => (verdict, text.as_bytes()),
            _ => (result, None),
        };
        match (verdict.view(), text) {
            (View::None | View::Bool(true), _) => None,
            (View::Bool(false), Some(text)) if !text.is_empty() => {
                Some(Failure::Said(String::from_utf8_lossy(text).into_owned()))
            }
            (View::Bool(false), _) => Some(Failure::False),
            _ => Some(Failure::Nothing),
        }
    }
}
