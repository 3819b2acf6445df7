//! Schema documents to types.

use std::rc::Rc;

use trueline_starlark::Thread;

use super::annotations::{self, ArgumentError};
use super::report::SchemaError;
use super::types::{
    AnyType, ArrayItemType, ArrayType, DocumentType, Documentation, MapItemType, MapType, NullableType,
    Scalar, ScalarType, Type,
};
use super::violation::{Problem, Role, Violation};
use super::{check, report_of};
use crate::error::Error;
use crate::tree::{Array, Document, KeyIndex, Map, MapItem, Meta, Position, Value};
use crate::validation::Validation;
use crate::value::Context;

/// How deep types may be nested: they are built and compared with values recursively.
const DEEPEST: usize = 200;

const INVALID: &str = "Invalid schema";

impl DocumentType {
    /// The type that a schema document describes.
    pub(super) fn from_schema(
        document: &Document,
        thread: &mut Thread,
        context: &Context,
    ) -> Result<DocumentType, Error> {
        let node = Node { value: &document.value, meta: &document.meta, kind: SchemaNodeKind::Document };
        let Typed { value, default, validation } =
            node.typed(&mut Builder { thread, context, depth: 0, enclosing: document.meta.position() })?;
        Ok(DocumentType { value, position: document.meta.position(), default, validation })
    }
}

/// What is known of a node.
struct Typed {
    value: Type,
    default: Value,
    validation: Option<Rc<Validation>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaNodeKind {
    Document,
    MapItem,
    ArrayItem,
}

/// A node of a schema that has a value and annotations.
struct Node<'d> {
    value: &'d Value,
    meta: &'d Meta,
    kind: SchemaNodeKind,
}

/// What types are built with.
struct Builder<'a> {
    thread: &'a mut Thread,
    context: &'a Context,
    depth: usize,
    /// Where the innermost node is that has a position: what code made has none of its own.
    enclosing: Position,
}

impl Node<'_> {
    fn typed(&self, builder: &mut Builder<'_>) -> Result<Typed, Error> {
        let mut value = self.type_of_value(builder)?;
        let default = self.default(&value, builder.context)?;
        let validation = self.validation(&value, builder.thread)?;
        value.set_default(&default);
        Ok(Typed { value, default, validation })
    }

    fn type_of_value(&self, builder: &mut Builder<'_>) -> Result<Type, Error> {
        let invalid = |violation: Box<Violation>| SchemaError::one(INVALID, *violation);
        let is_any = annotations::is_any(self.meta).map_err(invalid)?;
        let is_nullable = annotations::is_nullable(self.meta).map_err(invalid)?;
        let position = builder.known(&self.meta.position());
        let documentation = Documentation::default();
        let mut declared = if is_any {
            let default = if is_nullable { Value::Null } else { self.value.clone() };
            self.has_no_types_inside()?;
            Type::Any(Box::new(AnyType { position, default, documentation }))
        } else {
            let inferred = builder.infer(self.value, &position, &self.meta.place());
            // ytt reports what is wrong inside of a nullable value as a report in a report.
            let inferred = if is_nullable { inferred.map_err(wrapped) } else { inferred };
            let Some(inferred) = inferred? else {
                let violation = Violation::new(Problem::NullValue, &position, &self.meta.place());
                return Err(
                    SchemaError::one(format!("{INVALID} - null value not allowed here"), violation).into()
                );
            };
            if is_nullable {
                Type::Nullable(Box::new(NullableType { value: inferred, position, documentation }))
            } else {
                inferred
            }
        };
        self.document(&mut declared, builder.context)?;
        Ok(declared)
    }

    /// Sets what is said about a type.
    fn document(&self, declared: &mut Type, context: &Context) -> Result<(), Error> {
        let invalid = |violation: Box<Violation>| SchemaError::one(INVALID, *violation);
        let description = annotations::text(annotations::DESCRIPTION, self.meta).map_err(invalid)?;
        let title = annotations::text(annotations::TITLE, self.meta).map_err(invalid)?;
        let examples = annotations::examples(self.meta, context).map_err(argument_error)?;
        if self.kind == SchemaNodeKind::Document
            && let Some(annotation) = self.meta.annotations().get(annotations::DEPRECATED)
        {
            let problem = Problem::DeprecatedOnDocument;
            let violation = Violation::of_annotation(problem, &annotation.position, &self.meta.position());
            return Err(SchemaError::one(INVALID, violation).into());
        }
        let deprecated = annotations::text(annotations::DEPRECATED, self.meta).map_err(invalid)?;
        let (examples, annotation) = examples.unwrap_or_default();
        let mut violations = Vec::new();
        for example in &examples {
            violations.extend(fit_argument(&mut example.value.clone(), declared));
        }
        if !violations.is_empty() {
            let in_annotation =
                violations.into_iter().map(|violation| violation.in_annotation(Role::Example, &annotation));
            let summary = format!("{INVALID} - @{} has wrong type", annotations::EXAMPLES);
            return Err(SchemaError::new(summary, in_annotation.collect()).into());
        }
        *declared.documentation_mut() = Documentation { title, description, deprecated, examples };
        Ok(())
    }

    fn default(&self, declared: &Type, context: &Context) -> Result<Value, Error> {
        if self.kind == SchemaNodeKind::ArrayItem
            && let Some(annotation) = self.meta.annotations().get(annotations::DEFAULT)
        {
            let problem = Problem::DefaultOnArrayItem;
            let violation = Violation::of_annotation(problem, &annotation.position, &self.meta.position());
            let summary = format!("{INVALID} - @{} not supported on array item", annotations::DEFAULT);
            return Err(SchemaError::wrapping(INVALID, SchemaError::one(summary, violation)).into());
        }
        let Some((mut value, annotation)) =
            annotations::default(self.meta, declared, context).map_err(argument_error)?
        else {
            return Ok(declared.default());
        };
        let violations = fit_argument(&mut value, declared);
        if violations.is_empty() {
            return Ok(value);
        }
        let in_annotation =
            violations.into_iter().map(|violation| violation.in_annotation(Role::Default, &annotation));
        let summary = format!("{INVALID} - @{} is wrong type", annotations::DEFAULT);
        Err(SchemaError::new(summary, in_annotation.collect()).into())
    }

    /// The rules of the node; strings without any have those that were handed down to them.
    fn validation(&self, declared: &Type, thread: &mut Thread) -> Result<Option<Rc<Validation>>, Error> {
        let annotations = self.meta.annotations();
        let (name, annotation) = match annotations.get(annotations::VALIDATION) {
            Some(annotation) => (annotations::VALIDATION, annotation),
            None => match annotations.get(annotations::STRINGS) {
                Some(annotation) if declared.is_string() => (annotations::STRINGS, annotation),
                _ => return Ok(None),
            },
        };
        Ok(Some(Rc::new(Validation::from_annotation(name, annotation, thread)?)))
    }

    /// Refuses annotations about types on nodes below this one, which may be nested deeper than types.
    fn has_no_types_inside(&self) -> Result<(), Error> {
        let mut open = vec![(self.value, None)];
        while let Some((value, holder)) = open.pop() {
            if let Some(meta) = holder {
                refuse_types(meta)?;
            }
            // What comes first is looked at first, and so it is put there last.
            match value {
                Value::Map(map) => {
                    refuse_types(&map.meta)?;
                    open.extend(map.items.iter().rev().map(|item| (&item.value, Some(&item.meta))));
                }
                Value::Array(array) => {
                    refuse_types(&array.meta)?;
                    open.extend(array.items.iter().rev().map(|item| (&item.value, Some(&item.meta))));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn refuse_types(meta: &Meta) -> Result<(), Error> {
    let found = annotations::about_types(meta.annotations());
    if found.is_empty() {
        return Ok(());
    }
    let (names, positions): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let violation = Violation::new(Problem::InsideAny(names), &meta.position(), &Position::unknown());
    Err(SchemaError::one(INVALID, Violation { annotations: positions, ..violation }).into())
}

/// A value from the argument of an annotation, checked against a type. Its position is that of the type.
fn fit_argument(value: &mut Value, declared: &Type) -> Vec<Violation> {
    let position = declared.position();
    if value.is_collection() {
        check::fit(value, &Meta::at(position.clone()), declared)
    } else {
        check::check_scalar(value, &Meta::new(position.clone(), position.clone()), declared)
            .into_iter()
            .collect()
    }
}

impl Builder<'_> {
    /// The type of a value; none for a null.
    fn infer(&mut self, value: &Value, position: &Position, place: &Position) -> Result<Option<Type>, Error> {
        if self.depth >= DEEPEST {
            let text = format!("the schema is nested more than {DEEPEST} levels deep");
            return Err(Error::limit(text).at(position.clone()));
        }
        self.depth += 1;
        let enclosing = std::mem::replace(&mut self.enclosing, position.clone());
        let inferred = match value {
            Value::Map(map) => Some(Type::Map(self.map_type(map)?)),
            Value::Array(array) => Some(Type::Array(self.array_type(array, place)?)),
            scalar => Scalar::of(scalar).map(|kind| {
                Type::Scalar(Box::new(ScalarType {
                    scalar: kind,
                    position: position.clone(),
                    default: scalar.clone(),
                    documentation: Documentation::default(),
                }))
            }),
        };
        self.depth -= 1;
        self.enclosing = enclosing;
        Ok(inferred)
    }

    /// The position of a node, or of the one that it is in.
    fn known(&self, position: &Position) -> Position {
        if position.is_known() { position.clone() } else { self.enclosing.clone() }
    }

    fn map_type(&mut self, map: &Map) -> Result<Box<MapType>, Error> {
        let mut items = Vec::with_capacity(map.items.len());
        let mut defaults = Vec::with_capacity(map.items.len());
        for item in &map.items {
            let node = Node { value: &item.value, meta: &item.meta, kind: SchemaNodeKind::MapItem };
            let Typed { value, default, validation } = node.typed(self)?;
            items.push(MapItemType { value, validation });
            let annotation = item.meta.annotations().get(annotations::DEFAULT);
            let place =
                annotation.map_or_else(|| item.meta.place(), |annotation| annotation.position.clone());
            let meta = Meta::new(self.known(&item.meta.position()), place);
            defaults.push(MapItem { key: item.key.clone(), value: default, meta });
        }
        let mut index = KeyIndex::new();
        index.update(&defaults);
        let position = self.known(&map.meta.position());
        Ok(Box::new(MapType { items, position, documentation: Documentation::default(), defaults, index }))
    }

    fn array_type(&mut self, array: &Array, place: &Position) -> Result<Box<ArrayType>, Error> {
        let position = self.known(&array.meta.position());
        let [item] = array.items.as_slice() else {
            let violation = Violation::new(Problem::ArrayLength(array.items.len()), &position, place);
            let summary = format!("{INVALID} - wrong number of items in array definition");
            return Err(SchemaError::one(summary, violation).into());
        };
        let node = Node { value: &item.value, meta: &item.meta, kind: SchemaNodeKind::ArrayItem };
        let Typed { value, validation, .. } = node.typed(self)?;
        let item = ArrayItemType { value, validation };
        let default = Array::new(Vec::new(), Meta::at(position.clone())).into();
        Ok(Box::new(ArrayType { item, position, default, documentation: Documentation::default() }))
    }
}

fn argument_error(error: ArgumentError) -> Error {
    match error {
        ArgumentError::Violation(violation) => SchemaError::one(INVALID, *violation).into(),
        ArgumentError::Conversion(error) => error,
    }
}

/// The error in a report of its own.
fn wrapped(error: Error) -> Error {
    match report_of(&error) {
        Some(report) => SchemaError::wrapping(INVALID, report.clone()).into(),
        None => SchemaError::text(INVALID, error.to_string()).into(),
    }
}
