//! The module `library`: what templates do with libraries.

use std::rc::Rc;

use trueline_starlark::{Args, Builtin, Error as StarlarkError, Frame, Module, Thread, Value as Starlark};

use super::Library;
use super::execution::{Evaluated, Execution};
use super::loader::Phase;
use super::session::{Validation, Validations};
use crate::error::Error;
use crate::template::{KeyOverrides, UnknownComments, typed_line};
use crate::tree::{Document, Meta, Position, Scalars, Value};
use crate::validation::without_rules;
use crate::value::{Content, Fragment, Origin, from_starlark, go_type_name, into_yaml, to_struct};
use crate::values::{
    CombinedSchema, CombinedValues, Envelope, LibraryRef, Precedence, SchemaEnvelope, as_plain_merge,
};

/// What evaluating a library costs besides what its code does, and what each set of data values adds to that.
const EVALUATION_STEPS: usize = 5_000;
const VALUES_STEPS: usize = 500;

/// `library` as a file sees it.
pub(super) struct LibraryModule {
    phase: Rc<Phase>,
    library: Rc<Library>,
}

impl LibraryModule {
    pub(super) fn new(phase: &Rc<Phase>, library: &Rc<Library>) -> LibraryModule {
        LibraryModule { phase: Rc::clone(phase), library: Rc::clone(library) }
    }

    pub(super) fn into_value(self) -> Starlark {
        let get = function("library.get", move |_, args| self.get(args));
        Starlark::custom(Module::new("library", [("get".to_owned(), get)]))
    }

    fn get(&self, args: &Args<'_>) -> Result<Starlark, Error> {
        let [path] = args.positional else { return Err(Error::other("expected exactly one argument")) };
        let path = string(path)?;
        let mut options = self.phase.options;
        let mut validations = self.phase.validations;
        let mut alias = String::new();
        for (name, value) in args.named {
            match name.as_str().unwrap_or_default() {
                "alias" => alias = string(value)?,
                "ignore_unknown_comments" => {
                    options.unknown_comments =
                        if boolean(value)? { UnknownComments::Ignore } else { UnknownComments::Refuse };
                }
                "implicit_map_key_overrides" => {
                    options.key_overrides =
                        if boolean(value)? { KeyOverrides::Implicit } else { KeyOverrides::Annotated };
                }
                "strict" => {
                    options.scalars = if boolean(value)? { Scalars::Strict } else { Scalars::Lenient }
                }
                other if Validations::default().skip(other) => {
                    if boolean(value)? {
                        validations.skip(other);
                    }
                }
                other => return Err(Error::other(format!("Unexpected kwarg '{other}'"))),
            }
        }
        if path.starts_with('@') {
            return Err(Error::other(format!("Expected library '{path}' to be specified without '@'")));
        }
        let library = self.library.find_accessible(&path)?;
        let instance = Instance {
            name: LibraryRef { path: path.into(), alias: alias.into() },
            values: self.phase.library_values.clone(),
            schemas: self.phase.library_schemas.clone(),
            execution: Execution::new(&self.phase.session, &library, options, validations),
            phase: Rc::clone(&self.phase),
        };
        Ok(Rc::new(instance).into_value())
    }
}

/// A library that was got, with what was handed to it. It never changes: handing it more makes another one.
#[derive(Clone)]
struct Instance {
    name: LibraryRef,
    values: Vec<Rc<Envelope>>,
    schemas: Vec<Rc<SchemaEnvelope>>,
    execution: Execution,
    /// What the files see that use it.
    phase: Rc<Phase>,
}

impl Instance {
    fn into_value(self: Rc<Self>) -> Starlark {
        let evaluating = format!("Evaluating library '{}'", self.name);
        let exporting = format!("Exporting from library '{}'", self.name);
        let instance = Rc::clone(&self);
        let with_values =
            function("library.with_data_values", move |thread, args| instance.with_data_values(thread, args));
        let instance = Rc::clone(&self);
        let with_schema = function("library.with_data_values_schema", move |thread, args| {
            instance.with_data_values_schema(thread, args)
        });
        let instance = Rc::clone(&self);
        let eval = function("library.eval", move |thread, args| {
            instance.eval(thread, args).map_err(|error| error.context(&evaluating))
        });
        let (instance, words) = (Rc::clone(&self), exporting.clone());
        let export = function("library.export", move |thread, args| {
            instance.export(thread, args).map_err(|error| error.context(&words))
        });
        let data_values = function("library.data_values", move |thread, args| {
            self.data_values(thread, args).map_err(|error| error.context(&exporting))
        });
        let members = [
            ("with_data_values", with_values),
            ("with_data_values_schema", with_schema),
            ("eval", eval),
            ("export", export),
            ("data_values", data_values),
        ];
        let members = members.map(|(name, value)| (name.to_owned(), value));
        Starlark::custom(Module::new("library", members))
    }

    /// The document that a value becomes.
    fn document(&self, value: &Starlark, origin: &Origin) -> Result<Document, Error> {
        let value = match from_starlark(value, &self.execution.session.context)? {
            Content::Value(value) => into_yaml(value, origin),
            other => {
                let text = format!("Expected data values to be a map, but was {}", other.type_name());
                return Err(Error::other(text));
            }
        };
        Ok(Document { value, meta: Meta::at(Position::unknown()), ..Document::default() })
    }

    fn with_data_values(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [values] = args.positional else { return Err(Error::other("expected exactly one argument")) };
        // All values before these are kept for the new instance too.
        thread.spend(VALUES_STEPS.saturating_add(self.values.len()))?;
        let mut document = self.document(values, &Origin::Memory)?;
        if let Some(place) = self.caller(thread) {
            typed_at(&mut document, &place);
        }
        for (name, value) in args.named {
            match name.as_str().unwrap_or_default() {
                "plain" if boolean(value)? => as_plain_merge(&mut document)?,
                "plain" => {}
                other => return Err(Error::other(format!("invalid argument name: {other}"))),
            }
        }
        let mut instance = self.clone();
        instance.values.push(Rc::new(Envelope::new(document)?));
        Ok(Rc::new(instance).into_value())
    }

    /// The line of the file that calls a function of this library.
    fn caller(&self, thread: &Thread) -> Option<Position> {
        let programs = self.phase.programs.borrow();
        let line = |frame: &Frame| typed_line(programs.get(&*frame.file)?, frame.position.line);
        thread.frames().iter().find_map(line)
    }

    fn with_data_values_schema(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [schema] = args.positional else { return Err(Error::other("expected exactly one argument")) };
        let document = self.document(schema, &Origin::At(Position::unknown()))?;
        let envelope = SchemaEnvelope::new(document, thread, &self.execution.session.context)?;
        let mut instance = self.clone();
        instance.schemas.push(Rc::new(envelope));
        Ok(Rc::new(instance).into_value())
    }

    fn eval(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        if !args.positional.is_empty() {
            return Err(Error::other("expected no arguments"));
        }
        let instance = self.with_validations(args)?;
        let mut documents = instance.evaluate(thread)?.into_documents();
        if instance.execution.validations.output == Validation::Skip {
            // Whoever puts these documents into others does not validate them either.
            without_rules(&mut documents);
        }
        let fragment = Fragment::new(documents, &self.execution.session.context);
        Ok(Starlark::custom(fragment))
    }

    fn data_values(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        if !args.positional.is_empty() {
            return Err(Error::other("expected no arguments"));
        }
        let instance = self.with_validations(args)?;
        let session = Rc::clone(&self.execution.session);
        let document = session.apart(|| {
            let CombinedSchema { schema, .. } = instance.schema(thread)?;
            Ok(instance.combined_values(thread, &schema)?.document)
        })?;
        Ok(to_struct(&document.value, &document.meta.place(), &session.context)?)
    }

    fn export(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Starlark, Error> {
        let [symbol] = args.positional else { return Err(Error::other("expected exactly one argument")) };
        let symbol = string(symbol)?;
        let mut path = String::new();
        for (name, value) in args.named {
            match name.as_str().unwrap_or_default() {
                "path" => path = string(value)?,
                other if Validations::default().skip(other) => {}
                other => return Err(Error::other(format!("Unexpected keyword argument '{other}'"))),
            }
        }
        if symbol.starts_with('_') {
            return Err(Error::other("Symbols starting with '_' are private, and cannot be exported"));
        }
        let exports = self.with_validations(args)?.evaluate(thread)?.exports;
        let found: Vec<_> = exports
            .iter()
            .filter_map(|export| Some((&export.path, export.globals.get(&symbol)?)))
            .filter(|(file, _)| path.is_empty() || ***file == *path)
            .collect();
        match found[..] {
            [] => Err(Error::other(format!("Expected to find exported symbol '{symbol}', but did not"))),
            [(_, value)] => Ok(value.clone()),
            _ => {
                let paths: Vec<&str> = found.iter().map(|(file, _)| &***file).collect();
                Err(Error::other(format!(
                    "Expected to find exactly one exported symbol '{symbol}', but found multiple across files: {}",
                    paths.join(", ")
                )))
            }
        }
    }

    /// The library without the validations that keyword arguments turn off. Others are passed over, as ytt does.
    fn with_validations(&self, args: &Args<'_>) -> Result<Instance, Error> {
        let mut instance = self.clone();
        for (name, value) in args.named {
            let name = name.as_str().unwrap_or_default();
            if Validations::default().skip(name) && boolean(value)? {
                instance.execution.validations.skip(name);
            }
        }
        Ok(instance)
    }

    fn evaluate(&self, thread: &mut Thread) -> Result<Evaluated, Error> {
        thread.spend(EVALUATION_STEPS.saturating_add(self.values.len().saturating_mul(VALUES_STEPS)))?;
        self.execution.session.apart(|| {
            let CombinedSchema { schema, for_libraries: schemas } = self.schema(thread)?;
            let CombinedValues { document, for_libraries: values } = self.combined_values(thread, &schema)?;
            self.execution.evaluate(thread, document, values, schemas)
        })
    }

    /// Its schema, with those for libraries inside of it.
    fn schema(&self, thread: &mut Thread) -> Result<CombinedSchema, Error> {
        let (mut own, mut inner) = (Vec::new(), Vec::new());
        for envelope in self.schemas.iter().filter_map(|envelope| envelope.used_in(&self.name)) {
            if envelope.is_for_other_library() {
                inner.push(Rc::new(envelope));
            } else {
                own.push(Rc::new(envelope));
            }
        }
        let mut combined = self.execution.schema(thread, &own)?;
        combined.for_libraries.extend(inner);
        Ok(combined)
    }

    /// Its data values, with those for libraries inside of it.
    fn combined_values(
        &self,
        thread: &mut Thread,
        schema: &crate::schema::Schema,
    ) -> Result<CombinedValues, Error> {
        let (mut before, mut after, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for envelope in self.values.iter().filter_map(|envelope| envelope.used_in(&self.name)) {
            let list = match envelope.precedence {
                _ if envelope.is_for_other_library() => &mut inner,
                Precedence::BeforeLibraryModule => &mut before,
                Precedence::AfterLibraryModule => &mut after,
            };
            list.push(Rc::new(envelope));
        }
        before.append(&mut after);
        let mut combined = self.execution.values(thread, schema, before)?;
        combined.for_libraries.extend(inner);
        Ok(combined)
    }
}

/// Notes where values were handed over that were typed nowhere else. Messages of ytt do not show it.
fn typed_at(document: &mut Document, place: &Position) {
    fn note(meta: &mut Meta, place: &Position) {
        if !meta.place().is_known() {
            meta.set_place(place.clone());
        }
    }
    note(&mut document.meta, place);
    let mut open = vec![&mut document.value];
    while let Some(value) = open.pop() {
        match value {
            Value::Map(_) => {
                let Some(map) = value.as_map_mut() else { continue };
                for item in &mut map.items {
                    note(&mut item.meta, place);
                    open.push(&mut item.value);
                }
            }
            Value::Array(_) => {
                let Some(array) = value.as_array_mut() else { continue };
                for item in &mut array.items {
                    note(&mut item.meta, place);
                    open.push(&mut item.value);
                }
            }
            _ => {}
        }
    }
}

/// A function whose errors begin with its name.
fn function(
    name: &'static str,
    run: impl Fn(&mut Thread, &Args<'_>) -> Result<Starlark, Error> + 'static,
) -> Starlark {
    let run = move |thread: &mut Thread, args: &Args<'_>| {
        run(thread, args).map_err(|error| StarlarkError::from(error).prefixed(name))
    };
    Starlark::builtin(Builtin::new(name, run))
}

fn string(value: &Starlark) -> Result<String, Error> {
    match value.as_bytes() {
        Some(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        None => Err(Error::other(format!("expected a string, but was {}", value.type_name()))),
    }
}

fn boolean(value: &Starlark) -> Result<bool, Error> {
    value
        .as_bool()
        .ok_or_else(|| Error::other(format!("expected starlark.Bool, but was {}", go_type_name(value))))
}
