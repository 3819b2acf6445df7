//! Values checked against rules.

use std::cell::OnceCell;
use std::rc::Rc;

use trueline_starlark::{Args, ErrorKind as StarlarkErrorKind, Thread, Value, View};

use super::annotation::{NullValues, Rule, Test, Validation};
use super::message::Fields;
use super::node::{Node, Parent, Start, Visited, Walk, has_rules};
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
    let start = Node::start(&document.value, &document.meta, Parent::None, Start::Document(0));
    let declared = (declared.validation.as_ref(), &declared.value);
    let found = Run::new(Root::Value(&document.value), thread, context)
        .all(|| Walk::new(start.clone(), Some(declared)));
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
    let with_rules: Vec<(usize, &Document)> = documents
        .clone()
        .enumerate()
        .filter(|(_, document)| {
            document.meta.annotations().has(ASSERT_VALIDATE) || has_rules(&document.value)
        })
        .collect();
    if with_rules.is_empty() {
        return Ok(());
    }
    let all = || DocumentSet { documents: documents.clone().cloned().collect(), ..DocumentSet::default() };
    let walk = || {
        with_rules.iter().flat_map(|(index, document)| {
            let start = Start::Document(*index);
            let start = Node::start(&document.value, &document.meta, Parent::Documents, start);
            Walk::new(start, None)
        })
    };
    Run::new(Root::Documents(&all), thread, context).all(walk)?.into_result()
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
    let start = Node::start(value, holder.unwrap_or(&nowhere), Parent::None, Start::Document(0));
    Run::new(Root::Value(value), thread, context).all(|| Walk::new(start.clone(), None))?.into_result()
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
    rules: &Validation,
    thread: &mut Thread,
    context: &Context,
) -> Result<(), Error> {
    let node = Node::start(named.content, &named.meta, Parent::None, Start::Named(named.name));
    let mut run = Run::new(Root::Value(named.content), thread, context);
    run.root_value = OnceCell::from(named.given.clone());
    let invalid = run.validate(&node, Some(named.given.clone()), rules)?;
    Report { invalid: invalid.into_iter().collect() }.into_result()
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
    let start = Node::start(value, &nowhere, Parent::None, Start::Document(0));
    let mut run = Run::new(Root::Value(value), thread, context);
    run.rules = Rules::Unconditional;
    Ok(!run.all(|| Walk::new(start.clone(), Some((rules, declared))))?.invalid.is_empty())
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
    /// All documents, put together when a rule asks for them.
    Documents(&'a dyn Fn() -> DocumentSet),
}

/// Which rules are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    All,
    /// Those without `when=`.
    Unconditional,
}

struct Run<'a> {
    root: Root<'a>,
    /// The root as functions see it.
    root_value: OnceCell<Value>,
    rules: Rules,
    thread: &'a mut Thread,
    context: &'a Context,
}

/// A node whose rules wait until those below it were run.
struct Waiting<'d> {
    node: Node<'d>,
    declared: Option<&'d Rc<Validation>>,
    /// The rules of its own annotation.
    own: Option<Validation>,
    depth: usize,
    /// How many nodes with rules come before it.
    number: usize,
}

impl<'a> Run<'a> {
    fn new(root: Root<'a>, thread: &'a mut Thread, context: &'a Context) -> Run<'a> {
        Run { root, root_value: OnceCell::new(), rules: Rules::All, thread, context }
    }

    /// Runs the rules of all nodes that a walk comes by, those of children before those of their parents. Reports list
    /// parents first. All annotations are checked before any rule is run, so it is walked twice: a list of the nodes would
    /// be larger than the nodes.
    fn all<'d, W: Iterator<Item = Visited<'d>>>(&mut self, walk: impl Fn() -> W) -> Result<Report, Error> {
        let annotation = |node: &Node<'d>| node.meta.annotations().get(ASSERT_VALIDATE);
        let mut annotated = Vec::new();
        for annotation in walk().filter_map(|visited| annotation(&visited.node)) {
            annotated.push(Validation::from_annotation(ASSERT_VALIDATE, annotation, self.thread)?);
        }
        let mut annotated = annotated.into_iter();
        let mut waiting: Vec<Waiting<'d>> = Vec::new();
        let mut found = Vec::new();
        let mut number = 0;
        for Visited { node, declared, depth } in walk() {
            let own = annotation(&node).and_then(|_| annotated.next());
            let declared = declared.and_then(|(validation, _)| validation);
            if declared.is_none() && own.is_none() {
                continue;
            }
            while let Some(above) = waiting.pop_if(|above| above.depth >= depth) {
                self.run(&above, &mut found)?;
            }
            waiting.push(Waiting { node, declared, own, depth, number });
            number += 1;
        }
        while let Some(above) = waiting.pop() {
            self.run(&above, &mut found)?;
        }
        found.sort_by_key(|(number, _)| *number);
        Ok(Report { invalid: found.into_iter().map(|(_, invalid)| invalid).collect() })
    }

    /// Runs the rules of one node.
    fn run(&mut self, waiting: &Waiting<'_>, found: &mut Vec<(usize, Invalid)>) -> Result<(), Error> {
        let declared = waiting.declared.map(|declared| &**declared);
        for validation in declared.into_iter().chain(&waiting.own) {
            if self.rules == Rules::Unconditional && validation.is_conditional() {
                continue;
            }
            let invalid = self.validate(&waiting.node, None, validation)?;
            found.extend(invalid.map(|invalid| (waiting.number, invalid)));
        }
        Ok(())
    }

    fn validate(
        &mut self,
        node: &Node<'_>,
        given: Option<Value>,
        validation: &Validation,
    ) -> Result<Option<Invalid>, Error> {
        if node.value.is_null() && validation.null == NullValues::Pass {
            return Ok(None);
        }
        let value = match given {
            Some(given) => given,
            None => to_starlark(self.thread, node.value, &node.meta.place(), self.context)?,
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
        let place = if node.meta.place().is_known() { &node.meta.place() } else { &node.meta.position() };
        Ok(Some(Invalid { path, position: node.meta.position(), place: place.clone(), violations }))
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
                    Root::Documents(all) => Value::custom(Fragment::new(all(), self.context)),
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
