//! What objects are updates of.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use trueline_diagnostic::Diagnostic;
use trueline_kube::manifest;
use trueline_source::{LoadError, SourceKind, SourceMap, Span};
use trueline_yaml::{Document, NodeId, SyntaxError};

use super::codes::UNUSED_OLD;
use super::head::Head;
use super::reading::each_file;
use crate::input::Input;

/// The objects that a cluster holds already, as a file or a directory has them.
#[derive(Debug, Default)]
pub struct OldObjects {
    documents: Vec<Document>,
    known: BTreeMap<[String; 4], Stored>,
    /// What cannot be read of them.
    errors: Vec<Diagnostic>,
    /// Where they are, as a person would type it.
    shown: String,
    /// Whether something is an update of one of them.
    is_used: AtomicBool,
}

/// An object, and what it is: an item of a list need not say it itself.
#[derive(Debug)]
struct Stored {
    document: usize,
    node: NodeId,
    api_version: String,
    kind: String,
    names_namespace: bool,
}

impl OldObjects {
    /// Reads the objects of a file or directory. What is no object is not looked at.
    pub fn read(input: &Input, sources: &SourceMap) -> Result<Self, LoadError> {
        let mut old = OldObjects { shown: input.loader.display(&input.path), ..OldObjects::default() };
        let errors = each_file(input, sources, |stream| {
            old.errors.extend(stream.errors.iter().map(SyntaxError::to_diagnostic));
            for document in stream.documents {
                for object in manifest::objects(document.root()) {
                    if let Some(head) = Head::of(&object) {
                        let (api_version, kind) = (object.api_version.to_owned(), object.kind.to_owned());
                        let (document, node) = (old.documents.len(), object.node.id());
                        let names_namespace = head.namespace.is_some();
                        old.known.insert(
                            key(&head, head.namespace.as_deref()),
                            Stored { document, node, api_version, kind, names_namespace },
                        );
                    }
                }
                old.documents.push(document);
            }
        });
        match errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(old),
        }
    }

    /// What an object is an update of. One that names no namespace lands in `namespace`; where that was not said, the
    /// only object of its name is meant, wherever it is.
    pub(super) fn of(&self, head: &Head, namespace: &str) -> Option<manifest::Object<'_>> {
        let typed = head.namespace.as_deref();
        let namespace = typed.or(Some(namespace)).filter(|namespace| *namespace != DEFAULT);
        let stored = self.known.get(&key(head, namespace)).or_else(|| self.only(head, namespace))?;
        self.is_used.store(true, Ordering::Relaxed);
        let node = self.documents.get(stored.document)?.node(stored.node);
        let (api_version, kind) = (stored.api_version.as_str(), stored.kind.as_str());
        Some(manifest::Object { api_version, kind, ..manifest::Object::new(node) })
    }

    /// What there is to say of them after everything was compared.
    pub(crate) fn findings(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        let mut findings = self.errors.clone();
        if findings.is_empty() && !self.is_used.load(Ordering::Relaxed) {
            let source = sources.add(format!("--old {}", self.shown), SourceKind::Flag, "");
            let message = "no object is an update of one that is there, so that nothing was compared";
            let help = "give a file with objects of the same kind, namespace and name; `--namespace` is that of \
                        objects which name none";
            findings.push(Diagnostic::new(&UNUSED_OLD, Span::whole(source), message).help(help));
        }
        findings
    }

    /// The only object of a kind and name, if it is not known which namespace the one that is looked for or the one
    /// that is there is in.
    fn only(&self, head: &Head, namespace: Option<&str>) -> Option<&Stored> {
        let [group, kind, _, name] = key(head, None);
        let first = [group.clone(), kind.clone(), String::new(), String::new()];
        let same_kind =
            self.known.range(first..).take_while(|([of, known, ..], _)| (of, known) == (&group, &kind));
        let mut same_name = same_kind.filter(|([.., known], _)| *known == name);
        let (_, stored) = same_name.next()?;
        let is_open = (head.namespace.is_none() && namespace.is_none()) || !stored.names_namespace;
        (is_open && same_name.next().is_none()).then_some(stored)
    }
}

/// The namespace of what is not put into another one.
const DEFAULT: &str = "default";

/// What tells objects apart; none for the namespace is the default one, or that the kind has none.
fn key(head: &Head, namespace: Option<&str>) -> [String; 4] {
    let namespace = namespace.filter(|namespace| *namespace != DEFAULT).unwrap_or_default();
    let name = head.name.as_deref().unwrap_or_default();
    [head.of.group.as_str(), &head.of.kind, namespace, name].map(str::to_owned)
}
