//! The flags that give values, in Helm's order: files, then JSON, then the others, wherever they stand on
//! the command line.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, secret_in_flag};
use trueline_source::{SourceId, SourceKind, SourceMap};
use trueline_yaml::{Data, Map, Value};

use super::strvals::{self, Budget, Fault, Form};
use super::{GivenError, VALUES_FILE_UNREADABLE, ValueError, depth, overlay};
use crate::chart::{Compat, read_values};

/// Reads what a path, a URL or `-` (standard input) names.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<Vec<u8>, GivenError> + 'a;

/// What the command line says about values.
#[derive(Debug, Clone, Default)]
pub struct ValueOptions {
    /// `-f`, `--values`: paths, URLs, or `-`.
    pub files: Vec<String>,
    /// `--set-json`.
    pub json: Vec<String>,
    /// `--set`.
    pub set: Vec<String>,
    /// `--set-string`.
    pub string: Vec<String>,
    /// `--set-file`.
    pub file: Vec<String>,
    /// `--set-literal`.
    pub literal: Vec<String>,
}

impl ValueOptions {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let ValueOptions { files, json, set, string, file, literal } = self;
        [files, json, set, string, file, literal].into_iter().all(Vec::is_empty)
    }

    /// All of them joined into one map. Each flag and each file becomes a source that its values point to.
    pub fn merge(
        &self,
        sources: &SourceMap,
        compat: Compat,
        read_file: &mut ReadFile<'_>,
    ) -> Result<Value, ValueError> {
        let base = self.merge_files(sources, compat, read_file)?;
        self.set_over(base, sources, compat, read_file)
    }

    /// The files joined into one map, without what the other flags say.
    pub fn merge_files(
        &self,
        sources: &SourceMap,
        compat: Compat,
        read_file: &mut ReadFile<'_>,
    ) -> Result<Value, ValueError> {
        let mut base = Value::new(Data::Map(Arc::new(Map::default())));
        for name in &self.files {
            let values = values_of_file(name, sources, compat, read_file)?;
            overlay(&mut base, values);
        }
        Ok(base)
    }

    /// What the flags that are no files say, over values from elsewhere.
    pub fn set_over(
        &self,
        base: Value,
        sources: &SourceMap,
        compat: Compat,
        read_file: &mut ReadFile<'_>,
    ) -> Result<Value, ValueError> {
        self.set_and_tell(base, sources, compat, read_file).map(|(values, _)| values)
    }

    /// The same, with what Helm silently drops of the flags, such as everything after a `[` that is not closed.
    pub fn set_and_tell(
        &self,
        mut base: Value,
        sources: &SourceMap,
        compat: Compat,
        read_file: &mut ReadFile<'_>,
    ) -> Result<(Value, Vec<Diagnostic>), ValueError> {
        let mut flags = Flags { sources, compat, budget: Budget::default(), dropped: Vec::new() };
        for text in &self.json {
            flags.json(&mut base, text)?;
        }
        for text in &self.set {
            flags.apply(&mut base, "--set", text, Form::Typed)?;
        }
        for text in &self.string {
            flags.apply(&mut base, "--set-string", text, Form::Text)?;
        }
        for text in &self.file {
            flags.apply(&mut base, "--set-file", text, Form::File { read: read_file, sources })?;
        }
        for text in &self.literal {
            flags.apply(&mut base, "--set-literal", text, Form::Literal)?;
        }
        depth::check(&base)?;
        Ok((base, flags.dropped))
    }
}

fn values_of_file(
    name: &str,
    sources: &SourceMap,
    compat: Compat,
    read_file: &mut ReadFile<'_>,
) -> Result<Value, ValueError> {
    let bytes = read_file(name).map_err(|reason| {
        let flag = sources.add(format!("--values {name}"), SourceKind::Flag, name);
        let message = format!("the values file cannot be read: {reason}");
        let diagnostic = Diagnostic::new(&VALUES_FILE_UNREADABLE, flag.span(0, name.len()), message)
            .help("paths are relative to the working directory");
        ValueError::new(reason.to_string(), vec![diagnostic])
    })?;
    let source = sources.add(name, SourceKind::File, String::from_utf8_lossy(&bytes));
    read_values(source, &bytes, sources, compat).map_err(|failure| {
        let text = format!("failed to parse {name}: {failure}");
        ValueError::new(text, failure.diagnostics)
    })
}

struct Flags<'a> {
    sources: &'a SourceMap,
    compat: Compat,
    budget: Budget,
    dropped: Vec<Diagnostic>,
}

impl Flags<'_> {
    fn apply(&mut self, base: &mut Value, flag: &str, text: &str, form: Form<'_>) -> Result<(), ValueError> {
        let fault = self.run(base, flag, text, form);
        fault.map_err(|fault| {
            ValueError::new(format!("failed parsing {flag} data: {}", fault.text), vec![*fault.diagnostic])
        })
    }

    /// Helm 4 takes a whole object too. Neither says what is wrong with the JSON.
    fn json(&mut self, base: &mut Value, text: &str) -> Result<(), ValueError> {
        if self.compat == Compat::Helm4 && text.trim_start().starts_with('{') {
            let source = self.source("--set-json", text);
            let object = strvals::object(source, text).map_err(|fault| {
                ValueError::new(
                    format!("failed parsing --set-json data JSON: {text}"),
                    vec![*fault.diagnostic],
                )
            })?;
            overlay(base, object);
            return Ok(());
        }
        self.run(base, "--set-json", text, Form::Json).map_err(|fault| {
            ValueError::new(format!("failed parsing --set-json data {text}"), vec![*fault.diagnostic])
        })
    }

    fn run(&mut self, base: &mut Value, flag: &str, text: &str, form: Form<'_>) -> Result<(), Fault> {
        let source = self.source(flag, text);
        let Data::Map(map) = &mut base.data else { return Ok(()) };
        let budget = &mut self.budget;
        let dropped = strvals::apply(Arc::make_mut(map), text, source, form, self.compat, budget)?;
        self.dropped.extend(dropped);
        Ok(())
    }

    fn source(&self, flag: &str, text: &str) -> SourceId {
        self.sources.add(flag_name(flag, text), SourceKind::Flag, text)
    }
}

/// The name of a flag in a report: as typed, but shortened, and without values that may be secret.
fn flag_name(flag: &str, text: &str) -> String {
    const LONGEST: usize = 60;
    let secret = secret_in_flag(text);
    let longest = text.char_indices().nth(LONGEST).map(|(end, _)| end);
    let end = secret.into_iter().chain(longest).min();
    let (shown, more) = match end.and_then(|end| text.get(..end)) {
        Some(start) => (start, "…"),
        None => (text, ""),
    };
    // A name stands in one line.
    let shown: String =
        shown.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    format!("{flag} {shown}{more}")
}
