//! What is at a place of a file: a value of a chart with who sets and reads it, an action of a template, a field of an object
//! with its definition, or a key of anything else; and what is reported there.

mod field;
mod node;
mod template;
mod value;

use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_helm::usage::ValueRead;
use trueline_kube::KubeVersion;
use trueline_source::{SourceId, SourceMap, Span};
use trueline_yaml::ReadOptions;

use crate::parts::UnitParts;
use crate::snapshot::Outcome;

pub use field::{Definition, Field};
pub use node::Part;

/// What is at a place.
#[derive(Debug)]
pub struct Here {
    /// The text that it is: a key, a value or an action.
    pub span: Span,
    /// What it is.
    pub item: Item,
    /// What is reported at the place, at its origin.
    pub findings: Vec<Diagnostic>,
    /// The sources of all places.
    pub sources: Arc<SourceMap>,
}

/// What can be at a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A value of a chart, or its key.
    Value {
        /// The keys that lead to it from the values of the root chart; positions in lists are numbers.
        keys: Vec<String>,
        /// Whether it is the key or the value.
        part: Part,
        /// Where it is set, from the weakest to the strongest.
        set: Vec<Span>,
        /// Where templates read it.
        reads: Vec<ValueRead>,
    },
    /// An action of a template.
    Action {
        /// The values that it reads, each by its keys.
        reads: Vec<Vec<String>>,
        /// The texts that it wrote, in rendered sources.
        writes: Vec<Span>,
    },
    /// A field of a Kubernetes object, or its value.
    Field(Field),
    /// A key or a value of a file that is neither.
    Key {
        /// The keys that lead to it; positions in lists are numbers.
        keys: Vec<String>,
        /// Whether it is the key or the value.
        part: Part,
    },
}

/// What is at an offset of a file that belongs to a unit. `name` is the file's name as reports show it.
pub(crate) fn find(
    name: &str,
    offset: usize,
    parts: &UnitParts,
    version: Option<KubeVersion>,
    (outcome, sources): (&Outcome, &Arc<SourceMap>),
) -> Option<Here> {
    let source = sources.named(name)?;
    let at = u32::try_from(offset).ok()?;
    let (span, item) = item(source, at, parts, version, sources)?;
    let is_there = |finding: &Diagnostic| {
        let place = finding.primary.span;
        outcome.sources.get(place.source).name() == name
            && place.start <= at
            && (at < place.end || place.start == place.end && at == place.start)
    };
    let findings = outcome.unit.findings.iter();
    let findings =
        findings.map(|finding| finding.clone().at_origin(&outcome.sources)).filter(is_there).collect();
    let sources = Arc::clone(sources);
    // The findings are seen through the sources of the check.
    sources.include(&outcome.sources);
    Some(Here { span, item, findings, sources })
}

fn item(
    source: SourceId,
    offset: u32,
    parts: &UnitParts,
    version: Option<KubeVersion>,
    sources: &SourceMap,
) -> Option<(Span, Item)> {
    if let Some(text) = template::text_of(source, parts) {
        return template::action(text, source, offset, parts, sources).or_else(|| {
            // Plain text is a part of what is rendered.
            let (document, at) = template::rendered(source, offset, parts, sources)?;
            let (span, field) = field::at(&document.document, at, version)?;
            let span = sources.typed(span).unwrap_or(span);
            Some((span, Item::Field(field)))
        });
    }
    let text = Arc::clone(sources.get(source).text());
    let stream = trueline_yaml::read(source, &text, &ReadOptions::default());
    let document = stream.documents.iter().find(|document| {
        let span = document.root().span();
        span.start <= offset && offset <= span.end
    })?;
    if let Some(found) = value::at(document, source, offset, parts, sources) {
        return Some(found);
    }
    if let Some((span, field)) = field::at(document, offset, version) {
        return Some((span, Item::Field(field)));
    }
    let found = node::at(document.root(), offset)?;
    Some((found.span, Item::Key { keys: found.keys, part: found.part }))
}
