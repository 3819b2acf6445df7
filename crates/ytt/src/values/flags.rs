//! Data values from flags and the environment, as documents that are overlaid on those of files.

use std::ops::Range;
use std::rc::Rc;

use trueline_source::SourceId;

use super::envelope::Envelope;
use super::found::FoundFile;
use super::plain::as_plain_merge;
use crate::error::{Error, ErrorKind, Fact};
use crate::input_error::InputError;
use crate::tree::{
    Annotation, CommentHandling, Document, File, Map, MapItem, Meta, Position, ReadOptions, Scalars, Text,
    Value, read,
};

/// The value of a flag.
#[derive(Debug, Clone, Default)]
pub struct FlagValue {
    /// What was typed after the flag.
    pub text: String,
    /// Its id in the map of sources, if it is there.
    pub source: Option<SourceId>,
}

impl From<&str> for FlagValue {
    fn from(text: &str) -> FlagValue {
        FlagValue { text: text.to_owned(), source: None }
    }
}

/// The flags that set data values, each in the order in which it was given.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--data-values-file [@lib:]PATH`
    pub files: Vec<FlagValue>,
    /// `--data-values-env [@lib:]PREFIX`
    pub env: Vec<FlagValue>,
    /// `--data-values-env-yaml [@lib:]PREFIX`
    pub env_yaml: Vec<FlagValue>,
    /// `--data-value [@lib:]KEY=TEXT`
    pub values: Vec<FlagValue>,
    /// `--data-value-yaml [@lib:]KEY=YAML`
    pub values_yaml: Vec<FlagValue>,
    /// `--data-value-file [@lib:]KEY=PATH`
    pub value_files: Vec<FlagValue>,
}

/// What flags refer to.
pub trait FlagInputs {
    /// The variables of the environment as `NAME=VALUE`, in their order.
    fn environment(&self) -> Vec<String>;

    /// Notes a variable that is used, under the name that reports show, in the map of sources, if there is one.
    fn note_variable(&self, shown: &str, variable: &str) -> Option<SourceId> {
        let _ = (shown, variable);
        None
    }

    /// The files at a path, a URL or `-`: the file itself, or all files in a directory, sorted by path.
    ///
    /// # Errors
    /// If there is none.
    fn find(&self, path: &str) -> Result<Vec<FoundFile>, InputError>;
}

/// The documents that flags make.
#[derive(Debug, Default)]
pub struct FlagDocuments {
    /// Those for the library that is run, from the weakest to the strongest.
    pub own: Vec<Rc<Envelope>>,
    /// Those for libraries inside of it.
    pub for_libraries: Vec<Rc<Envelope>>,
}

impl Flags {
    /// Turns all flags into documents. Which flag wins does not depend on the order in which different flags are given.
    pub fn documents(&self, inputs: &dyn FlagInputs, scalars: Scalars) -> Result<FlagDocuments, Error> {
        let mut all = Vec::new();
        for flag in &self.files {
            let in_flag = |error: Error| in_flag(error, "--data-values-file", flag);
            all.extend(file(flag, inputs, scalars).map_err(in_flag)?);
        }
        let environment =
            if self.env.is_empty() && self.env_yaml.is_empty() { Vec::new() } else { inputs.environment() };
        for (name, flags, kind) in [
            ("data-values-env", &self.env, ValueReading::Text),
            ("data-values-env-yaml", &self.env_yaml, ValueReading::Yaml(scalars)),
        ] {
            for flag in flags {
                let variables = variables(name, flag, kind, &environment, inputs);
                let under = format!("Extracting data values from env under prefix '{}'", flag.text);
                all.extend(variables.map_err(|error| located(error.context(under), name, flag))?);
            }
        }
        for (name, flags, kind) in [
            ("data-value", &self.values, ValueReading::Text),
            ("data-value-yaml", &self.values_yaml, ValueReading::Yaml(scalars)),
        ] {
            for flag in flags {
                let value = key_value(name, flag, kind);
                all.push(
                    value.map_err(|error| {
                        located(error.context("Extracting data value from KV"), name, flag)
                    })?,
                );
            }
        }
        for flag in &self.value_files {
            let in_flag = |error: Error| in_flag(error, "--data-value-file", flag);
            all.push(key_file(flag, inputs).map_err(in_flag)?);
        }
        let (for_libraries, own) =
            all.into_iter().map(Rc::new).partition(|envelope| envelope.is_for_other_library());
        Ok(FlagDocuments { own, for_libraries })
    }
}

fn in_flag(error: Error, name: &str, flag: &FlagValue) -> Error {
    located(error.context("Extracting data value from file"), name.trim_start_matches('-'), flag)
}

/// The error at the flag, if nobody knows better.
fn located(error: Error, name: &str, flag: &FlagValue) -> Error {
    if error.places().is_empty() { error.at(Typed::flag(name, flag).whole()) } else { error }
}

/// How the text of a value is understood.
#[derive(Debug, Clone, Copy)]
enum ValueReading {
    Text,
    Yaml(Scalars),
}

/// `--data-values-file`
fn file(flag: &FlagValue, inputs: &dyn FlagInputs, scalars: Scalars) -> Result<Vec<Envelope>, Error> {
    let (address, path) = split_address(&flag.text)?;
    let found = inputs
        .find(path)
        .map_err(|error| file_error(error.to_string()).context(format!("Find files '{path}'")))?;
    let mut envelopes = Vec::new();
    for file in found.iter().filter(|file| !file.is_passed_over()) {
        let name = &file.name;
        let text = file.text().map_err(|text| file_error(text).context(format!("Reading file '{name}'")))?;
        let documents = read(&text, &ReadOptions { scalars, ..ReadOptions::default() }).map_err(|error| {
            Error::from(error).context(format!("Unmarshaling YAML data values file '{name}'"))
        })?;
        for mut document in documents.documents {
            if document.value.is_null() {
                continue;
            }
            as_plain_merge(&mut document)
                .map_err(|error| error.context(format!("Checking data values file '{path}'")))?;
            envelopes.push(Envelope::addressed(document, address)?);
        }
    }
    Ok(envelopes)
}

/// `--data-values-env` and `--data-values-env-yaml`
fn variables(
    name: &str,
    flag: &FlagValue,
    kind: ValueReading,
    environment: &[String],
    inputs: &dyn FlagInputs,
) -> Result<Vec<Envelope>, Error> {
    let (address, prefix) = split_key_address(&flag.text)?;
    let mut envelopes = Vec::new();
    for variable in environment {
        let Some((variable_name, text)) = variable.split_once('=') else {
            let text = "Expected env variable to be key-value pair (format: key=value)";
            return Err(Error::new(ErrorKind::Flag, text));
        };
        let key = variable_name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
        let Some(key) = key else { continue };
        let shown = format!("${variable_name}");
        let source = inputs.note_variable(&shown, variable);
        let typed = Typed::of(&shown, variable, source);
        let value = value_of(text, kind, &typed).map_err(|error| {
            error.context(format!("Extracting data value from env variable '{variable_name}'"))
        })?;
        let shown = File::argument(&format!("({name} arg) {prefix}"), variable.as_str());
        let keys = pieces(key, "__", prefix.len() + 1);
        envelopes.push(Envelope::addressed(document(keys, value, &shown, &typed), address)?);
    }
    Ok(envelopes)
}

/// `--data-value` and `--data-value-yaml`
fn key_value(name: &str, flag: &FlagValue, kind: ValueReading) -> Result<Envelope, Error> {
    let Some((key, text)) = flag.text.split_once('=') else {
        return Err(Error::known(ErrorKind::Flag, Fact::NotKeyValue));
    };
    let typed = Typed::flag(name, flag);
    let value = value_of(text, kind, &typed)
        .map_err(|error| error.context(format!("Deserializing value for key '{key}'")))?;
    let (address, path) = split_key_address(key)?;
    let shown = File::argument(&format!("({name} arg)"), flag.text.as_str());
    let keys = pieces(path, ".", key.len() - path.len());
    Envelope::addressed(document(keys, value, &shown, &typed), address)
}

/// `--data-value-file`
fn key_file(flag: &FlagValue, inputs: &dyn FlagInputs) -> Result<Envelope, Error> {
    let Some((key, path)) = flag.text.split_once('=') else {
        return Err(Error::new(ErrorKind::Flag, "Expected format key=/file/path"));
    };
    let mut found = inputs
        .find(path)
        .map_err(|error| file_error(error.to_string()).context(format!("Finding file '{path}'")))?;
    let (Some(file), true) = (found.pop(), found.is_empty()) else {
        return Err(file_error(format!("Expected '{path}' to be a file, but is a directory")));
    };
    let bytes = file.bytes.as_ref().map_err(|_| file_error(format!("Reading file '{path}'")))?;
    let (address, keys) = split_key_address(key)?;
    let text = String::from_utf8_lossy(bytes);
    let shown = File::argument(&format!("(data-value-file arg) {keys}={path}"), &*text);
    // Its keys were typed in the flag, and its value in the file.
    let typed = Typed::flag("data-value-file", flag);
    let place = file.text().map_or_else(|_| Position::unknown(), |file| whole(&file));
    let value = (Value::String(Text::from(&**bytes)), place);
    let keys = pieces(keys, ".", 0).map(|(key, _)| (key, 0..0)).collect::<Vec<_>>();
    Envelope::addressed(document(keys.into_iter(), value, &shown, &typed), address)
}

fn file_error(text: String) -> Error {
    Error::new(ErrorKind::File, text)
}

/// What somebody typed, as reports show it.
struct Typed {
    file: Rc<File>,
}

impl Typed {
    /// A flag without its dashes, with its value.
    fn flag(name: &str, flag: &FlagValue) -> Typed {
        let name = format!("--{name} {}", flag.text);
        Typed::of(&name, &flag.text, flag.source)
    }

    fn of(name: &str, text: &str, source: Option<SourceId>) -> Typed {
        let file = match source {
            Some(source) => File::in_source(name, text, source),
            None => File::new(name, text),
        };
        Typed { file }
    }

    fn whole(&self) -> Position {
        whole(&self.file)
    }

    /// A place in the last part of what was typed.
    fn in_end(&self, part: &str, range: Range<u32>) -> Position {
        let offset = self.file.text().len().saturating_sub(part.len()) as u32;
        Position::new(&self.file, range.start + offset..range.end + offset)
    }
}

fn whole(file: &Rc<File>) -> Position {
    Position::new(file, 0..file.text().len() as u32)
}

/// A value with the place where it was typed, which is the end of what was typed.
fn value_of(text: &str, kind: ValueReading, typed: &Typed) -> Result<(Value, Position), Error> {
    let scalars = match kind {
        ValueReading::Text => return Ok((Value::string(text), typed.in_end(text, 0..text.len() as u32))),
        ValueReading::Yaml(scalars) => scalars,
    };
    // Positions in the value have no file name in messages.
    let file = File::new("", text);
    let options = ReadOptions { comments: CommentHandling::Ignore, scalars, ..ReadOptions::default() };
    let documents = read(&file, &options).map_err(|error| {
        let range = error.position.range().unwrap_or(0..text.len() as u32);
        Error::new(ErrorKind::Yaml, error.text)
            .at(typed.in_end(text, range))
            .context("Deserializing YAML value")
    })?;
    let Some(mut document) = documents.documents.into_iter().next() else {
        return Ok((Value::Null, typed.in_end(text, 0..text.len() as u32)));
    };
    let moved = |place: &Position| match place.range() {
        Some(range) => typed.in_end(text, range),
        None => typed.in_end(text, 0..text.len() as u32),
    };
    let place = moved(&document.meta.place());
    move_places(&mut document.value, &moved);
    Ok((document.value, place))
}

/// Moves the places where values were typed.
fn move_places(value: &mut Value, moved: &dyn Fn(&Position) -> Position) {
    if let Some(map) = value.as_map_mut() {
        for item in &mut map.items {
            item.meta.set_place(moved(&item.meta.place()));
            move_places(&mut item.value, moved);
        }
    } else if let Some(array) = value.as_array_mut() {
        for item in &mut array.items {
            item.meta.set_place(moved(&item.meta.place()));
            move_places(&mut item.value, moved);
        }
    }
}

/// The keys that lead to a value, each with its place in what was typed.
fn pieces<'t>(
    keys: &'t str,
    separator: &'t str,
    mut offset: usize,
) -> impl Iterator<Item = (&'t str, Range<u32>)> {
    keys.split(separator).map(move |key| {
        let start = offset as u32;
        offset += key.len() + separator.len();
        (key, start..start + key.len() as u32)
    })
}

/// A document that puts a value under keys, whatever is there, and adds what is missing on the way.
fn document<'t>(
    keys: impl Iterator<Item = (&'t str, Range<u32>)>,
    value: (Value, Position),
    shown: &Rc<File>,
    typed: &Typed,
) -> Document {
    let (mut value, place) = value;
    let keys: Vec<_> = keys.collect();
    let mut operation = Some(("overlay/replace", "or_add"));
    for (key, range) in keys.into_iter().rev() {
        let mut meta = Meta::at(Position::new(shown, range)).typed_at(place.clone());
        let annotations = meta.annotations_mut();
        for (name, argument) in [("overlay/match", "missing_ok")].into_iter().chain(operation.take()) {
            let kwargs = vec![(argument.into(), true.into())];
            annotations.set(name.into(), Annotation { kwargs, ..Annotation::default() });
        }
        let map_meta = Meta::at(meta.position()).typed_at(place.clone());
        let items = vec![MapItem { key: Value::string(key), value, meta }];
        value = Map::new(items, map_meta).into();
    }
    let meta = Meta::at(whole(shown)).typed_at(typed.whole());
    Document { value, meta, ..Document::default() }
}

/// The address `@lib…` before a colon, and what comes after it.
fn split_address(text: &str) -> Result<(&str, &str), Error> {
    match text.split_once(':') {
        Some(("@", _)) => Err(Error::new(ErrorKind::Flag, "Expected library ref to not be empty")),
        Some((address, rest)) if address.starts_with('@') => Ok((address, rest)),
        _ => Ok(("", text)),
    }
}

/// The same for keys, which cannot have a colon themselves.
fn split_key_address(text: &str) -> Result<(&str, &str), Error> {
    let (address, key) = split_address(text)?;
    if key.contains(':') {
        let text = format!("Expected at most one library-key separator ':' in '{key}'");
        return Err(Error::new(ErrorKind::Flag, text));
    }
    Ok((address, key))
}
