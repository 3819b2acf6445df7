//! What Helm says of schemas that cannot be read or used.
//!
//! Helm takes the machine's root for the folder of a chart's schema, reads files from there, and fetches what
//! stands elsewhere on every run. Here a schema refers to files of its chart; where that differs, the sentence
//! begins as Helm's does and says why in our own words.

use std::sync::Arc;

use serde_json::Value as Json;
use trueline_diagnostic::{Diagnostic, Severity};
use trueline_gotemplate::fmt::quote;
use trueline_schema::{
    DUPLICATE_ID, Draft, Outline, SCHEMA_SYNTAX, SchemaError, SchemaLookup, Store, UNKNOWN_DRAFT,
    UNRESOLVED_REFERENCE, within,
};
use trueline_source::{SourceId, Span};
use trueline_yaml::{Limits, NodeRef, Value, json};

use super::evaluate::{Evaluator, Formats};
use super::library::{Library, draft_named, escaped};
use super::plain::is_plainly_valid;
use super::{ADDRESS, SchemaFailure, compile, findings, syntax, words};

/// The failure of a schema that cannot be used.
pub(super) fn unusable(store: &Store, source: SourceId, error: &SchemaError) -> SchemaFailure {
    let diagnostics = error.diagnostics().to_vec();
    SchemaFailure { text: text(store, source, error), diagnostics }
}

fn text(store: &Store, source: SourceId, error: &SchemaError) -> String {
    let text = store.sources().get(source).text().clone();
    let findings = error.diagnostics();
    if findings.iter().any(|finding| finding.code == &SCHEMA_SYNTAX && finding.primary.span.source == source)
        && let Some(fault) = syntax::stream_fault(text.as_bytes())
    {
        return fault;
    }
    if let Some(finding) = findings.iter().find(|finding| finding.code == &DUPLICATE_ID)
        && let Some(text) = twice(finding, source, &text)
    {
        return text;
    }
    let dialect = findings.iter().find(|finding| finding.code == &UNKNOWN_DRAFT);
    if let Some(finding) = dialect {
        return reference(store, source, finding, None);
    }
    let json = Value::from_json_text(&text).ok();
    if let Some(value) = &json
        && let Some(refusal) = refused_by(draft_of(value), value, ADDRESS)
    {
        return refusal.text;
    }
    match findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(finding) => reference(store, source, finding, json.as_ref()),
        None => error.to_string(),
    }
}

/// What is said of two schemas of one text that have the same name.
fn twice(finding: &Diagnostic, source: SourceId, text: &Arc<str>) -> Option<String> {
    let document = json::read(source, text, Limits::default()).ok()?;
    let second = finding.primary.span;
    let first = finding.related.first().map(|label| label.span).filter(|span| span.source == source)?;
    let (keyword, value, at) = named(document.root(), second, String::new())?;
    let (kind, name) = match value.split_once('#').filter(|(_, name)| !name.is_empty()) {
        Some((_, name)) => ("anchor", name.to_owned()),
        None if keyword.ends_with("id") => ("id", value),
        None => ("anchor", value),
    };
    let (.., other) = named(document.root(), first, String::new())?;
    let [name, address, at, other] = [&name, ADDRESS, &at, &other].map(quote);
    Some(format!("duplicate {kind} {name} in {address} at {at} and {other}"))
}

/// The keyword with its value, and the place of the schema that it stands in, by the place of the value or of the
/// schema.
fn named(node: NodeRef<'_>, span: Span, pointer: String) -> Option<(String, String, String)> {
    if node.span() == span {
        return Some((String::new(), String::new(), pointer));
    }
    for (index, item) in node.items().into_iter().flatten().enumerate() {
        if let Some(found) = named(item, span, format!("{pointer}/{index}")) {
            return Some(found);
        }
    }
    for (key, value) in node.entries().into_iter().flatten() {
        let keyword = key.key_text();
        if value.span() == span
            && let Some(text) = value.as_str()
        {
            return Some((keyword.into_owned(), text.to_owned(), pointer));
        }
        if let Some(found) = named(value, span, format!("{pointer}/{}", escaped(&keyword))) {
            return Some(found);
        }
    }
    None
}

fn draft_of(schema: &Value) -> Draft {
    let named = schema.get("$schema").and_then(Value::as_str);
    named.and_then(draft_named).unwrap_or(Draft::Draft202012)
}

/// A schema that breaks the rules of its draft.
struct Refusal {
    text: String,
    /// What is wrong, with its place as a JSON pointer.
    reasons: Vec<(String, String)>,
}

/// The failure of a schema that breaks the rules of its draft, or that refers to one which does.
pub(super) fn against_metaschema(
    store: &Store,
    source: SourceId,
    outline: &Outline,
) -> Option<SchemaFailure> {
    outline.roots().find_map(|root| {
        let json = outline.at(&root)?;
        let named = json.get("$schema").and_then(Json::as_str).and_then(draft_named);
        let draft = named.unwrap_or_else(|| outline.draft());
        if is_plainly_valid(json, draft) {
            return None;
        }
        let schema = Value::from_serde(json);
        let file = root.trim_end_matches('#');
        let address = if root == outline.root() { ADDRESS.to_owned() } else { format!("file:///{file}") };
        let refusal =
            refused_by(draft, &schema, &address).or_else(|| wrong_pattern(draft, json, &address, ""))?;
        let mut diagnostics = findings::of_schema(store, source);
        if diagnostics.is_empty() {
            let place = |pointer: &str| outline.span(&format!("{root}{pointer}"));
            let reasons = refusal.reasons.iter().map(|(pointer, reason)| {
                findings::refused_schema(
                    place(pointer).unwrap_or_else(|| Span::whole(source).at_start()),
                    reason,
                )
            });
            diagnostics.extend(reasons);
        }
        Some(SchemaFailure { text: refusal.text, diagnostics })
    })
}

fn refused_by(draft: Draft, schema: &Value, address: &str) -> Option<Refusal> {
    let refused = || {
        let evaluator = Evaluator::new(Library::official(draft)?, Formats::Always);
        let failures = evaluator.failures(schema);
        let name = format!("{}#", evaluator.library.address());
        (!failures.is_empty()).then(|| (name, words::lines(&failures), words::leaves(&failures)))
    };
    let (name, lines, reasons) = within(refused).ok().flatten()?;
    let text = format!(
        "{} is not valid against metaschema: jsonschema validation failed with {}\n{lines}",
        quote(format!("{address}#")),
        words::quoted(&name)
    );
    Some(Refusal { text, reasons })
}

/// What a schema has against the rules of a draft: JSON pointers with reasons.
pub(crate) fn broken_rules(draft: Draft, schema: &Value) -> Vec<(String, String)> {
    refused_by(draft, schema, ADDRESS).map(|refusal| refusal.reasons).unwrap_or_default()
}

/// A name in `patternProperties` that is no pattern. The schemas of two drafts do not say that it has to be one.
fn wrong_pattern(draft: Draft, json: &Json, address: &str, pointer: &str) -> Option<Refusal> {
    if draft > Draft::Draft6 {
        return None;
    }
    match json {
        Json::Object(members) => {
            let patterns = members.get("patternProperties").and_then(Json::as_object);
            let place = format!("{pointer}/patternProperties");
            let wrong = patterns.into_iter().flatten().find_map(|(pattern, _)| {
                let why = compile(pattern).err()?;
                let text = format!(
                    "invalid regex {} at {}: {why}",
                    quote(pattern),
                    quote(format!("{address}#{place}"))
                );
                Some(Refusal { reasons: vec![(place.clone(), text.clone())], text })
            });
            wrong.or_else(|| {
                let inside =
                    members.iter().filter(|(name, _)| !matches!(name.as_str(), "enum" | "const" | "default"));
                inside.into_iter().find_map(|(name, member)| {
                    wrong_pattern(draft, member, address, &format!("{pointer}/{}", escaped(name)))
                })
            })
        }
        Json::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| wrong_pattern(draft, item, address, &format!("{pointer}/{index}"))),
        _ => None,
    }
}

/// What is said of a reference that cannot be resolved.
fn reference(store: &Store, root: SourceId, finding: &Diagnostic, schema: Option<&Value>) -> String {
    let source = store.sources().get(finding.primary.span.source);
    let written = source.slice(finding.primary.span);
    // What another file refers to counts from there, and Helm would not have come that far.
    if finding.primary.span.source != root {
        let name = source.name().rsplit('/').next().unwrap_or_default();
        return format!("{name}: {}", finding.message);
    }
    let Ok(Json::String(written)) = serde_json::from_str(written) else { return finding.message.clone() };
    let (address, fragment) = written.split_once('#').unwrap_or((written.as_str(), ""));
    let whole = absolute(address, schema);
    if address.is_empty() {
        return part_not_found(ADDRESS, &whole, fragment);
    }
    if store.is_mapped(&written) || store.is_mapped(&whole) {
        // Helm knows no prefixes: the file that it would look for has nothing to do with it.
        return format!("failing loading {}: {}", quote(address), finding.message);
    }
    let loaded = match whole.split_once(':') {
        Some(("http" | "https", _)) => store.has_address(&whole),
        Some(("file", path)) => store.has_file(path.trim_start_matches('/')),
        _ => false,
    };
    if loaded && !fragment.is_empty() && finding.code == &UNRESOLVED_REFERENCE {
        return part_not_found(&whole, &whole, fragment);
    }
    let why = match whole.split_once(':') {
        Some(("http" | "https", _)) => format!("HTTP request failed for {whole}: {}", finding.message),
        Some(("file", path)) if finding.code == &UNRESOLVED_REFERENCE && !loaded => {
            format!("open {}: no such file or directory", path.trim_start_matches("//"))
        }
        Some(("file", _)) => finding.message.clone(),
        _ => format!("no URLLoader registered for {}", quote(&whole)),
    };
    format!("failing loading {}: {why}", quote(&whole))
}

/// What is said of a place or a name that a schema does not have; `whole` is the schema's own name.
fn part_not_found(address: &str, whole: &str, fragment: &str) -> String {
    match fragment.starts_with('/') {
        true => format!("json-pointer in {} not found", quote(format!("{address}#{}", spelled(fragment)))),
        false => {
            format!(
                "anchor in {} not found in schema {}",
                quote(format!("{whole}#{fragment}")),
                quote(address)
            )
        }
    }
}

/// A JSON pointer as it stands in an address.
fn spelled(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.~$&+:=@/%".contains(&byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A reference resolved against the schema's own name, or against the one that Helm gives it.
fn absolute(address: &str, schema: Option<&Value>) -> String {
    let has_scheme = |text: &str| text.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    let named =
        schema.and_then(|schema| schema.get("$id").or_else(|| schema.get("id"))).and_then(Value::as_str);
    let base = named.map(|name| name.split('#').next().unwrap_or_default()).filter(|name| has_scheme(name));
    let base = base.unwrap_or(ADDRESS);
    if address.is_empty() {
        return base.to_owned();
    }
    if has_scheme(address) {
        return address.to_owned();
    }
    let authority = base.find("://").map_or(0, |index| index + 3);
    let (host, path) = base.split_at(
        base.get(authority..).and_then(|rest| rest.find('/')).map_or(base.len(), |index| authority + index),
    );
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = if address.starts_with('/') { address.to_owned() } else { format!("{folder}/{address}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/').skip(1) {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    format!("{host}/{}", parts.join("/"))
}
