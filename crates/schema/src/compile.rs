//! Compiles documents to a validator.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jsonschema::{
    Draft, PatternOptions, Registry, RegistryBuilder, Retrieve, Uri, ValidationError, Validator,
};
use rustc_hash::FxHashMap;
use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_source::Span;

use crate::closure::{Closure, Part};
use crate::document::SchemaDocument;
use crate::graph::Graph;
use crate::schema::SchemaText;
use crate::store::{SchemaError, Store};
use crate::{
    Formats, Instance, Outline, Schema, Tree, WordingContext, address, chain, circle, diagnose, pattern,
};

/// A schema breaks the rules for schemas.
pub static INVALID_SCHEMA: Code = Code {
    id: "TL0240",
    name: "invalid-schema",
    severity: Severity::Error,
    summary: "A schema breaks the rules of its draft",
    explanation: "The schema itself is validated against the meta-schema of its draft, which says how each keyword \
                  is written: `type` is one of seven names or a list of them, `required` a list of strings, \
                  `minLength` a non-negative integer, and so on. A keyword written in any other way would not do \
                  what it seems to say.",
    wrong: "{\"type\": \"strin\", \"required\": \"name\"}",
    right: "{\"type\": \"string\", \"required\": [\"name\"]}",
};

/// A schema cannot be used for any other reason.
pub static UNUSABLE_SCHEMA: Code = Code {
    id: "TL0249",
    name: "unusable-schema",
    severity: Severity::Error,
    summary: "A schema cannot be used",
    explanation: "The schema follows the rules of its draft and everything it refers to exists, but it still \
                  cannot be compiled: for example because its `$schema` requires an unknown vocabulary, or because \
                  meta-schemas refer to each other in a cycle.",
    wrong: "",
    right: "",
};

/// Compiles a schema with everything that it refers to, or returns everything that is wrong with it.
pub(crate) fn compile(
    store: &Store,
    document: Arc<SchemaDocument>,
    formats: Formats,
) -> Result<Schema, SchemaError> {
    let mut closure = Closure::of(store, document);
    closure.findings.extend(check_ways(&closure));
    let built =
        if has_errors(&closure.findings) { Err(None) } else { build(store, &closure, formats).map_err(Some) };
    let mut findings = match &built {
        // The validator checks only the first document, but the author wrote the others of the package too.
        Ok(_) => closure.parts.iter().skip(1).flat_map(|part| check_part(store, &closure, part)).collect(),
        Err(_) => closure
            .parts
            .iter()
            .flat_map(|part| {
                let mut findings = check_part(store, &closure, part);
                findings.extend(check_patterns(part));
                findings
            })
            .collect::<Vec<_>>(),
    };
    if let Err(Some(failure)) = &built
        && findings.is_empty()
    {
        findings.push(failure.finding(&closure));
    }
    let mut all = closure.findings.clone();
    all.append(&mut findings);
    all.sort_by_key(|finding| finding.primary.span);
    match built {
        Ok(validator) if !has_errors(&all) => Ok(finish(closure, validator, all)),
        _ => Err(SchemaError::Broken(all)),
    }
}

/// Compiles a schema that is known to be valid.
pub(crate) fn compile_official(store: &Store, document: Arc<SchemaDocument>) -> Result<Schema, SchemaError> {
    let closure = Closure::of(store, document);
    match build(store, &closure, Formats::ByDraft) {
        Ok(validator) => Ok(finish(closure, validator, Vec::new())),
        Err(failure) => Err(SchemaError::Broken(vec![failure.finding(&closure)])),
    }
}

fn has_errors(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Reports why the validator could not be built.
struct BuildFailure {
    message: String,
    pointer: String,
}

impl BuildFailure {
    fn finding(&self, closure: &Closure<'_>) -> Diagnostic {
        let place = closure.parts.first().map(|part| {
            let found = part.document.document.root().at_pointer(&self.pointer);
            found.map_or_else(|| part.document.start(), |node| node.span())
        });
        let span = place.unwrap_or_else(|| Span::whole(trueline_source::SourceId::from_index(0)));
        Diagnostic::new(&UNUSABLE_SCHEMA, span, format!("the schema cannot be used: {}", self.message))
            .level(Level::Schema)
    }
}

/// Everything was loaded before, so whatever is requested now does not exist.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<serde_json::Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` was not loaded").into())
    }
}

/// Loads nothing; for a registry that starts with the schemas of another.
const NOTHING: [(&str, &serde_json::Value); 0] = [];

fn add<'a>(
    registry: RegistryBuilder<'a>,
    part: &Part,
    json: &'a serde_json::Value,
) -> Result<RegistryBuilder<'a>, jsonschema::ReferencingError> {
    let address = part.document.address.as_str();
    if part.own_dialect {
        return registry.add(address, json);
    }
    registry.add(address, part.draft.create_resource_ref(json))
}

fn build(store: &Store, closure: &Closure<'_>, formats: Formats) -> Result<Validator<Tree>, BuildFailure> {
    let texts: Vec<Arc<serde_json::Value>> = closure.parts.iter().map(Part::json).collect();
    let failed = |error: ValidationError<'_>| BuildFailure {
        message: error.masked().to_string(),
        pointer: error.instance_path().as_str().to_owned(),
    };
    let unresolved = |error: jsonschema::ReferencingError| BuildFailure {
        message: error.to_string(),
        pointer: String::new(),
    };
    let attempt = || {
        let (Some(root), Some(json)) = (closure.parts.first(), texts.first()) else {
            return Err(BuildFailure { message: "no such schema".to_owned(), pointer: String::new() });
        };
        // A schema may refer to the official schema of any draft, not only of its own.
        let official: &Registry<'_> = &referencing::SPECIFICATIONS;
        let mut registry =
            add(official.extend(NOTHING).map_err(unresolved)?, root, json).map_err(unresolved)?;
        for (part, json) in closure.parts.iter().zip(&texts).skip(1) {
            registry = add(registry, part, json).map_err(unresolved)?;
        }
        let registry = registry.retriever(Nothing).prepare().map_err(unresolved)?;
        let patterns = PatternOptions::regex().size_limit(pattern::SIZE).dfa_size_limit(pattern::TABLE);
        let options = jsonschema::options_for::<Tree>()
            .with_registry(&registry)
            .with_retriever(Nothing)
            .with_base_uri(root.document.address.as_str())
            .with_pattern_options(patterns);
        let options = match formats {
            Formats::Assert => options.should_validate_formats(true),
            Formats::Ignore => options.should_validate_formats(false),
            Formats::ByDraft => options,
        };
        let options = if json.get("$schema").is_none() { options.with_draft(root.draft) } else { options };
        let options = match store.durations() {
            Some(is_duration) => options.with_format("duration", is_duration),
            None => options,
        };
        options.build(json).map_err(failed)
    };
    // The compiler states some of its assumptions as panics. A schema that breaks one is refused like any
    // other that it cannot take.
    catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
        Err(BuildFailure { message: "its structure cannot be compiled".to_owned(), pointer: String::new() })
    })
}

/// Reads a schema with everything that it refers to, or reports what could not be resolved. Callers that follow
/// references have to detect cycles themselves.
pub(crate) fn outline(store: &Store, document: Arc<SchemaDocument>) -> Result<Outline, SchemaError> {
    let mut closure = Closure::of(store, document);
    let draft = closure.parts.first().map_or_else(Draft::default, |part| part.draft);
    let findings = std::mem::take(&mut closure.findings);
    match has_errors(&findings) {
        true => Err(SchemaError::Broken(findings)),
        false => Ok(outlined(closure, draft, findings)),
    }
}

fn finish(closure: Closure<'_>, validator: Validator<Tree>, warnings: Vec<Diagnostic>) -> Schema {
    let outline = outlined(closure, validator.draft(), warnings);
    Schema { validator, outline }
}

fn outlined(closure: Closure<'_>, draft: Draft, warnings: Vec<Diagnostic>) -> Outline {
    let Closure { parts, resources, leads, .. } = closure;
    let texts = parts
        .into_iter()
        .map(|part| {
            let (document, schemas) = part.into_text();
            SchemaText { document, schemas }
        })
        .collect();
    Outline { draft, texts, resources, leads, warnings }
}

/// Validates a document against the meta-schema of its draft.
fn check_part(store: &Store, closure: &Closure<'_>, part: &Part) -> Vec<Diagnostic> {
    let own = !address::is_remote(&part.document.address) && !store.is_embedded(&part.document.address);
    let first = closure.parts.first().is_some_and(|first| Arc::ptr_eq(&first.document, &part.document));
    if part.own_dialect || !(own || first) {
        return Vec::new();
    }
    let Ok(metaschema) = store.metaschema(part.draft) else { return Vec::new() };
    let foreign = closure.foreign_dialects(part);
    let mut violations = metaschema.validate(&part.document.document);
    violations.retain(|violation| !foreign.iter().any(|pointer| is_below(&violation.instance_path, pointer)));
    let context = WordingContext {
        sources: store.sources(),
        schema: metaschema.as_ref(),
        instance: Instance::from(&part.document.document),
        fallback: part.document.start(),
    };
    let mut findings = diagnose(&violations, &context);
    findings.retain(|finding| finding.severity == Severity::Error);
    for finding in &mut findings {
        finding.code = &INVALID_SCHEMA;
    }
    findings
}

fn is_below(path: &str, pointer: &str) -> bool {
    path.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Looks for chains of schemas that never end, or that are very long.
fn check_ways(closure: &Closure<'_>) -> Vec<Diagnostic> {
    let graph = Graph::of(closure);
    let circles = circle::findings(closure, &graph);
    if circles.is_empty() { check_chains(closure, &graph).into_iter().collect() } else { circles }
}

fn check_chains(closure: &Closure<'_>, graph: &Graph) -> Option<Diagnostic> {
    let (length, schema) = chain::longest(graph).filter(|(length, _)| *length > chain::LONGEST)?;
    let message = format!("{length} schemas are chained for one value; the limit is {}", chain::LONGEST);
    let finding = Diagnostic::new(&UNUSABLE_SCHEMA, closure.node(schema).span(), message);
    Some(finding.help("shorten the chain of `$ref`, `allOf` and the like").level(Level::Schema))
}

fn check_patterns(part: &Part) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<Span, ()> = FxHashMap::default();
    let patterns = part.patterns.iter().map(|id| part.document.document.node(*id));
    patterns
        .filter(|node| seen.insert(node.span(), ()).is_none())
        .filter_map(|node| pattern::check(&node.key_text(), node.span()))
        .collect()
}
