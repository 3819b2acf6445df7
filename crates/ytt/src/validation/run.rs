//! Values checked against rules.

use std::rc::Rc;

use trueline_starlark::{Args, ErrorKind as StarlarkErrorKind, Thread, Value, View};

use super::annotation::{NullValues, Rule, Validation};
use super::report::{Invalid, Report, RuleViolation};
use crate::error::{Error, ErrorKind};
use crate::schema::{Schema, Type};
use crate::tree::{self, Document, Meta, Text};
use crate::value::{Context, Struct, to_starlark};

/// The annotation of rules in data values.
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
    let root = Node {
        value: &document.value,
        meta: &document.meta,
        parent: None,
        path: Path { before: None, last: Step::Document },
    };
    collect(root, (declared.validation.as_ref(), &declared.value), &mut nodes, thread).map_err(prefixed)?;
    let mut run = Run { root: &document.value, thread, context };
    let mut report = Report::default();
    for (node, validations) in &nodes {
        for validation in validations {
            let invalid = run.validate(node, validation).map_err(prefixed)?;
            report.invalid.extend(invalid);
        }
    }
    if report.invalid.is_empty() {
        return Ok(());
    }
    let text = report.to_string();
    let places: Vec<_> = report.invalid.iter().map(|invalid| invalid.place.clone()).collect();
    Err(prefixed(Error::new(ErrorKind::Validation(Rc::new(report)), text).at_all(places)))
}

fn prefixed(error: Error) -> Error {
    let text = format!("Validating final data values:\n{error}");
    error.reworded(text)
}

/// A node that has a value.
struct Node<'d> {
    value: &'d tree::Value,
    meta: &'d Meta,
    /// The collection that it is in.
    parent: Option<&'d tree::Value>,
    path: Path<'d>,
}

/// The keys and indices that lead to a node. Most are never printed, and so they are kept apart.
#[derive(Clone)]
struct Path<'d> {
    before: Option<Rc<Path<'d>>>,
    last: Step<'d>,
}

#[derive(Clone, Copy)]
enum Step<'d> {
    Document,
    Key(&'d tree::Value),
    Index(usize),
}

impl<'d> Node<'d> {
    fn child(&self, path: &Rc<Path<'d>>, value: &'d tree::Value, meta: &'d Meta, last: Step<'d>) -> Node<'d> {
        let path = Path { before: Some(Rc::clone(path)), last };
        Node { value, meta, parent: Some(self.value), path }
    }

    /// The keys and indices that lead to it, such as `db.hosts[0]`; nothing for the document.
    fn path(&self) -> String {
        let mut steps = vec![self.path.last];
        let mut before = self.path.before.as_ref();
        while let Some(path) = before {
            steps.push(path.last);
            before = path.before.as_ref();
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Document => {}
                Step::Key(key) if path.is_empty() => path = key.go_string(),
                Step::Key(key) => path = format!("{path}.{}", key.go_string()),
                Step::Index(index) => path = format!("{path}[{index}]"),
            }
        }
        path
    }
}

/// What a schema says about a node.
type Declared<'s> = (Option<&'s Rc<Validation>>, &'s Type);

/// Finds the nodes that have rules, parents before children. All annotations are checked before any rule is run.
fn collect<'d>(
    node: Node<'d>,
    declared: impl Into<Option<Declared<'d>>>,
    nodes: &mut Vec<(Node<'d>, Vec<Rc<Validation>>)>,
    thread: &mut Thread,
) -> Result<(), Error> {
    let mut open = vec![(node, declared.into())];
    while let Some((node, declared)) = open.pop() {
        let declared_type = declared.map(|(_, declared)| declared);
        // What comes first is looked at first, and so it is put there last.
        match node.value {
            tree::Value::Map(map) => {
                let path = Rc::new(node.path.clone());
                for item in map.items.iter().rev() {
                    let inside = match declared_type.map(inner) {
                        Some(Type::Map(declared)) => declared.get(&item.key),
                        _ => None,
                    };
                    let child = node.child(&path, &item.value, &item.meta, Step::Key(&item.key));
                    open.push((child, inside.map(|inside| (inside.validation.as_ref(), &inside.value))));
                }
            }
            tree::Value::Array(array) => {
                let path = Rc::new(node.path.clone());
                let inside = match declared_type.map(inner) {
                    Some(Type::Array(declared)) => {
                        Some((declared.item.validation.as_ref(), &declared.item.value))
                    }
                    _ => None,
                };
                for (index, item) in array.items.iter().enumerate().rev() {
                    let child = node.child(&path, &item.value, &item.meta, Step::Index(index));
                    open.push((child, inside));
                }
            }
            _ => {}
        }
        let mut validations: Vec<Rc<Validation>> = Vec::new();
        validations.extend(declared.and_then(|(validation, _)| validation).cloned());
        if let Some(annotation) = node.meta.annotations().get(ASSERT_VALIDATE) {
            validations.push(Rc::new(Validation::from_annotation(ASSERT_VALIDATE, annotation, thread)?));
        }
        if !validations.is_empty() {
            nodes.push((node, validations));
        }
    }
    Ok(())
}

/// The type of a value that is not null.
fn inner(declared: &Type) -> &Type {
    match declared {
        Type::Nullable(nullable) => &nullable.value,
        other => other,
    }
}

struct Run<'a> {
    root: &'a tree::Value,
    thread: &'a mut Thread,
    context: &'a Context,
}

impl Run<'_> {
    fn validate(&mut self, node: &Node<'_>, validation: &Validation) -> Result<Option<Invalid>, Error> {
        if node.value.is_null() && validation.null == NullValues::Pass {
            return Ok(None);
        }
        let value = to_starlark(self.thread, node.value, &node.meta.place, self.context)?;
        if !self.is_wanted(node, validation, &value)? {
            return Ok(None);
        }
        let mut violations = Vec::new();
        for rule in &validation.rules {
            let Some(found) = self.broken(rule, &value)? else { continue };
            let description = match rule {
                Rule::Function { description, .. } => description.clone(),
                Rule::Named(check) => check.description(self.thread)?,
            };
            violations.push(RuleViolation { rule: validation.position.clone(), description, found });
            // A null breaks most rules; that it is null says it all.
            if matches!(rule, Rule::Named(super::Check::NotNull)) {
                break;
            }
        }
        if violations.is_empty() {
            return Ok(None);
        }
        let mut path = node.path();
        if path.is_empty() {
            path = if node.parent.is_none() { "(document)" } else { "(map item)" }.to_owned();
        }
        let place = if node.meta.place.is_known() { &node.meta.place } else { &node.meta.position };
        Ok(Some(Invalid { path, position: node.meta.position.clone(), place: place.clone(), violations }))
    }

    /// What a rule finds wrong with a value, if it is broken; empty if the rule does not say.
    fn broken(&mut self, rule: &Rule, value: &Value) -> Result<Option<String>, Error> {
        let result = match rule {
            Rule::Function { function, .. } => {
                let result = self.thread.call(function, Args::of(std::slice::from_ref(value)));
                result.map(|result| result.as_bool() == Some(true))
            }
            Rule::Named(check) => check.run(self.thread, value, self.context).map(|()| true),
        };
        match result {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(String::new())),
            Err(error) if error.kind() == StarlarkErrorKind::Limit => Err(error.into()),
            Err(error) => {
                let text = error.message();
                let text = text.strip_prefix("fail: ").unwrap_or(text);
                Ok(Some(text.strip_prefix("check: ").unwrap_or(text).to_owned()))
            }
        }
    }

    /// Whether `when=` lets the rules be run.
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
            Err(error) => fails(format!("Failure evaluating when=: {}", error.message())),
        }
    }

    /// What is around a value: the collection that it is in, and the value of the document.
    fn surroundings(&mut self, node: &Node<'_>) -> Result<Value, Error> {
        let parent = match node.parent {
            Some(parent) => to_starlark(self.thread, parent, &tree::Position::unknown(), self.context)?,
            None => Value::NONE,
        };
        let root = to_starlark(self.thread, self.root, &tree::Position::unknown(), self.context)?;
        Ok(Value::custom(Struct::new([(Text::from("parent"), parent), (Text::from("root"), root)])))
    }
}
