//! The schemas of a run, each compiled once.

use std::sync::{Arc, OnceLock};

use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_schema::{
    Access, Formats, Instance, PLAIN_HTTP, Schema, SchemaError, Store, WordingContext, diagnose,
};
use trueline_source::{Loader, SourceKind, SourceMap, Span};
use trueline_yaml::NodeRef;

use super::directory::{SchemaDirectory, SchemaFetch, SchemaFiles};
use super::embedded::{SCHEMA_BASE, SCHEMAS};

/// A schema of an extension could not be loaded.
pub static SCHEMA_UNAVAILABLE: Code = Code {
    id: "TL0360",
    name: "extension-schema-unavailable",
    severity: Severity::Error,
    summary: "A schema for extensions cannot be loaded",
    explanation: "The directory given with `--schema-dir` has a file of this name, but it cannot be read. Nothing \
                  was validated against it, so the fields it describes are not checked.\n\nMake the file readable, \
                  or remove it: the schema that is compiled into the program is then used.",
    wrong: "",
    right: "",
};

/// The type of a document, which determines its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SchemaKind {
    /// `extension.yaml`.
    Extension,
    /// `registry.yaml`.
    Registry,
    /// `profiles.yaml`.
    Profiles,
    /// `categories.yaml`.
    Categories,
}

impl SchemaKind {
    /// All of them.
    pub const ALL: [SchemaKind; 4] =
        [SchemaKind::Extension, SchemaKind::Registry, SchemaKind::Profiles, SchemaKind::Categories];

    /// The name of its schema.
    pub fn name(self) -> &'static str {
        match self {
            SchemaKind::Extension => "extension",
            SchemaKind::Registry => "registry",
            SchemaKind::Profiles => "profiles",
            SchemaKind::Categories => "categories",
        }
    }

    fn file(self) -> String {
        format!("{}.schema.json", self.name())
    }
}

/// The schemas of a run. Each is compiled on first use, and only once; shared between threads.
#[derive(Debug)]
pub struct SchemaSet {
    sources: Arc<SourceMap>,
    /// A directory of schemas, and what else may be read.
    directory: Option<(Arc<SchemaFiles>, Access)>,
    store: OnceLock<Store>,
    compiled: [OnceLock<Result<Arc<Schema>, Vec<Diagnostic>>>; 4],
}

impl SchemaSet {
    /// The embedded schemas. Their texts are added to `sources`, so findings can point at rules.
    pub fn embedded(sources: Arc<SourceMap>) -> Self {
        SchemaSet { sources, directory: None, store: OnceLock::new(), compiled: Default::default() }
    }

    /// The schemas of a directory, and embedded ones for those it lacks.
    ///
    /// A reference to a schema that is in neither is followed to the remote address.
    pub fn with_directory(sources: Arc<SourceMap>, directory: &SchemaDirectory) -> Self {
        let files = Arc::new(SchemaFiles::new(directory));
        let access = Access {
            package: Some(Arc::clone(&files) as Arc<dyn Loader>),
            root: directory.loader.root(),
            fetch: Some(Arc::new(SchemaFetch(Arc::clone(&files)))),
            network: directory.network,
            ..Access::default()
        };
        SchemaSet {
            sources,
            directory: Some((files, access)),
            store: OnceLock::new(),
            compiled: Default::default(),
        }
    }

    /// The schema for a type of document, or what is wrong with the schema.
    pub fn schema(&self, kind: SchemaKind) -> Result<&Arc<Schema>, &[Diagnostic]> {
        let compile = || match self.load(kind) {
            Ok(schema) => Ok(schema),
            Err(SchemaError::Broken(findings)) => Err(findings),
            Err(error) => Err(vec![self.unavailable(kind, &error)]),
        };
        self.compiled[kind as usize].get_or_init(compile).as_ref().map_err(Vec::as_slice)
    }

    /// Level two: validates a document against its schema and returns the violations.
    ///
    /// If the schema is broken, its errors are reported instead, so nothing passes unchecked.
    pub fn check(&self, kind: SchemaKind, root: NodeRef<'_>) -> Vec<Diagnostic> {
        let schema = match self.schema(kind) {
            Ok(schema) => schema,
            Err(findings) => return findings.to_vec(),
        };
        let instance = Instance::from(root);
        let context = WordingContext {
            sources: &self.sources,
            schema: schema.as_ref(),
            instance,
            fallback: root.span(),
        };
        diagnose(&schema.validate(instance), &context)
    }

    /// The findings about the schemas themselves; all of them are compiled.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for kind in SchemaKind::ALL {
            if let Err(broken) = self.schema(kind) {
                findings.extend_from_slice(broken);
            }
        }
        findings.extend(self.warnings());
        once(findings)
    }

    /// The findings about the schemas used so far; [`check`](Self::check) reports the errors of the others.
    #[inline]
    pub fn warnings(&self) -> Vec<Diagnostic> {
        match self.store.get() {
            Some(_) => self.warnings_of_used(),
            None => Vec::new(),
        }
    }

    fn warnings_of_used(&self) -> Vec<Diagnostic> {
        let used = self.compiled.iter().filter_map(|cell| cell.get()?.as_ref().ok());
        let mut warnings: Vec<Diagnostic> = used.flat_map(|schema| schema.warnings()).cloned().collect();
        for url in self.directory.iter().flat_map(|(files, _)| files.fetched_plainly()) {
            let message = format!("`{url}` was fetched over unencrypted HTTP, where it can be tampered with");
            let source = self.sources.add(url, SourceKind::Url, "");
            let finding = Diagnostic::new(&PLAIN_HTTP, Span::whole(source), message);
            warnings.push(finding.level(Level::Schema).help("use `https:`"));
        }
        once(warnings)
    }

    fn store(&self) -> &Store {
        self.store.get_or_init(|| {
            let access = match &self.directory {
                Some((_, access)) => access.clone(),
                None => {
                    let embedded =
                        SCHEMAS.iter().map(|schema| (schema.uri.to_owned(), Arc::from(schema.text)));
                    Access { embedded: embedded.collect(), ..Access::default() }
                }
            };
            Store::new(Arc::clone(&self.sources), access)
        })
    }

    fn load(&self, kind: SchemaKind) -> Result<Arc<Schema>, SchemaError> {
        match &self.directory {
            Some(_) => self.store().file(&kind.file(), Formats::Assert),
            None => self.store().schema(&format!("{SCHEMA_BASE}{}", kind.file()), Formats::Assert),
        }
    }

    fn unavailable(&self, kind: SchemaKind, error: &SchemaError) -> Diagnostic {
        let file = kind.file();
        let name = self.directory.as_ref().map_or(file.clone(), |(files, _)| files.display(&file));
        let message = format!("the schema of {} cannot be loaded: {error}", kind.name());
        let source = self.sources.add(name, SourceKind::File, "");
        Diagnostic::new(&SCHEMA_UNAVAILABLE, Span::whole(source), message)
            .level(Level::Schema)
            .help("make the file readable, or remove it to use the embedded schema")
    }
}

/// Several schemas share parts; an error in a part is reported once.
fn once(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = Vec::new();
    findings.retain(|finding| {
        let key = (finding.code.id, finding.primary.span, finding.message.clone());
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    findings
}
