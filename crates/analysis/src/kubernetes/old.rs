//! What objects are updates of.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trueline_diagnostic::{Diagnostic, Level};
use trueline_kube::manifest;
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{Document, NodeId, SyntaxError};

use super::codes::{OLD_OBJECT_TWICE, UNUSED_OLD};
use super::head::Head;
use super::reading::each_file;
use super::settings::NamedInput;

/// The objects that a cluster holds already, as files and directories have them.
#[derive(Debug, Default)]
pub(crate) struct OldObjects {
    inputs: Vec<OldInput>,
    /// The files that they are from, each with its text and the number of the input that has it first.
    files: BTreeMap<String, (Arc<str>, usize)>,
    documents: Vec<Document>,
    known: BTreeMap<[String; 4], Stored>,
    /// What is wrong with them.
    findings: Vec<Diagnostic>,
    is_unreadable: bool,
}

/// A file or directory that old objects are from.
#[derive(Debug)]
struct OldInput {
    /// Where it is, as a person would type it.
    shown: String,
    /// Where a configuration names it.
    named: Option<Span>,
    has_objects: bool,
    /// The inputs before it that have a file of it as well.
    same: BTreeSet<usize>,
    /// Whether all of it could be read.
    is_sound: bool,
    /// Whether something is an update of one of its objects.
    is_used: AtomicBool,
}

/// An object, and what it is: an item of a list need not say it itself.
#[derive(Debug)]
struct Stored {
    input: usize,
    document: usize,
    node: NodeId,
    place: Span,
    api_version: String,
    kind: String,
    names_namespace: bool,
}

impl OldObjects {
    /// Reads the objects of files and directories; nothing if there are none of these. What is no object is not
    /// looked at.
    pub(crate) fn read<'i>(
        inputs: impl Iterator<Item = &'i NamedInput>,
        sources: &SourceMap,
    ) -> Option<OldObjects> {
        let mut old = OldObjects::default();
        for named in inputs {
            old.add(named, sources);
        }
        (!old.inputs.is_empty()).then_some(old)
    }

    fn add(&mut self, named: &NamedInput, sources: &SourceMap) {
        let input = &named.input;
        let number = self.inputs.len();
        let mut has_objects = false;
        let mut same = BTreeSet::new();
        let found_before = self.findings.len();
        let errors = each_file(input, sources, |stream| {
            if let Some(first) = stream.documents.first() {
                let file = sources.get(first.root().span().source);
                // A file that was named twice counts once.
                if let Some((text, before)) = self.files.get(file.name())
                    && text == file.text()
                {
                    same.insert(*before);
                    return;
                }
                self.files.insert(file.name().to_owned(), (Arc::clone(file.text()), number));
            }
            self.findings.extend(stream.errors.iter().map(SyntaxError::to_diagnostic));
            for document in stream.documents {
                for object in manifest::objects(document.root()) {
                    has_objects |= self.store(&object, number);
                }
                self.documents.push(document);
            }
        });
        self.is_unreadable |= !errors.is_empty();
        self.findings.extend(errors.iter().map(|error| named.unreadable(error, sources)));
        let is_wrong = |finding: &Diagnostic| finding.code != &OLD_OBJECT_TWICE;
        let is_sound = !self.findings.iter().skip(found_before).any(is_wrong);
        let shown = input.loader.display(&input.path);
        let is_used = AtomicBool::new(false);
        self.inputs.push(OldInput { shown, named: named.named, has_objects, same, is_sound, is_used });
    }

    /// Takes an object of the document that comes next; false if it is none.
    fn store(&mut self, object: &manifest::Object<'_>, input: usize) -> bool {
        let Some(head) = Head::of(object) else { return false };
        // What gets its name from the cluster is an update of nothing.
        if head.name.is_none() {
            return true;
        }
        let stored = Stored {
            input,
            document: self.documents.len(),
            node: object.node.id(),
            place: head.place,
            api_version: object.api_version.to_owned(),
            kind: object.kind.to_owned(),
            names_namespace: head.namespace.is_some(),
        };
        match self.known.entry(key(&head, head.namespace.as_deref())) {
            Entry::Vacant(entry) => {
                entry.insert(stored);
            }
            Entry::Occupied(mut entry) => {
                let first = entry.insert(stored).place;
                self.findings.push(twice(&head, first));
            }
        }
        true
    }

    /// What an object is an update of. One that names no namespace lands in `namespace`; where none was given, the
    /// only object of its name is meant, wherever it is.
    pub(super) fn of(&self, head: &Head, namespace: &str) -> Option<manifest::Object<'_>> {
        let typed = head.namespace.as_deref();
        let namespace = typed.or(Some(namespace)).filter(|namespace| *namespace != DEFAULT);
        let stored = self.known.get(&key(head, namespace)).or_else(|| self.only(head, namespace))?;
        self.inputs.get(stored.input)?.is_used.store(true, Ordering::Relaxed);
        let node = self.documents.get(stored.document)?.node(stored.node);
        let (api_version, kind) = (stored.api_version.as_str(), stored.kind.as_str());
        Some(manifest::Object { api_version, kind, ..manifest::Object::new(node) })
    }

    /// Whether a file holds some of them.
    pub(crate) fn are_in(&self, file: &str) -> bool {
        self.files.contains_key(file)
    }

    /// Whether some of them could not be read.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }

    /// What there is to say of them after everything was compared. What a configuration names need not be used where
    /// only a part of what it speaks of was checked: `is_whole` says whether all was.
    pub(crate) fn findings(&self, sources: &SourceMap, is_whole: impl Fn(Span) -> bool) -> Vec<Diagnostic> {
        let mut findings = self.findings.clone();
        let is_used = |input: &OldInput| input.is_used.load(Ordering::Relaxed);
        let unused = self.inputs.iter().filter(|input| {
            let mut same = input.same.iter().filter_map(|number| self.inputs.get(*number));
            // What holds nothing but files that were named before is reported there.
            let is_settled = is_used(input) || (!input.has_objects && !input.same.is_empty());
            input.is_sound && !is_settled && !same.any(is_used) && input.named.is_none_or(&is_whole)
        });
        findings.extend(unused.map(|input| input.unused(sources)));
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

impl OldInput {
    fn unused(&self, sources: &SourceMap) -> Diagnostic {
        let place = self.named.unwrap_or_else(|| {
            Span::whole(sources.add(format!("--old {}", self.shown), SourceKind::Flag, ""))
        });
        let (message, help) = match self.has_objects {
            true => (
                "no object is an update of one that is there, so nothing was compared",
                "give a file with objects of the same kind, namespace and name; `--namespace` is that of objects \
                 which name none",
            ),
            false => (
                "there is no Kubernetes object in it, so nothing was compared",
                "give the objects as manifests, or as `kubectl get -o yaml` writes them",
            ),
        };
        Diagnostic::new(&UNUSED_OLD, place, message).help(help)
    }
}

/// The finding for an object that is there a second time.
fn twice(head: &Head, first: Span) -> Diagnostic {
    let name = head.name.as_deref().unwrap_or_default();
    let kind = &head.of.kind;
    let within = head.namespace.as_ref().map(|name| format!(" in `{name}`")).unwrap_or_default();
    let message = format!("there are two old objects `{name}` of the kind `{kind}`{within}");
    Diagnostic::new(&OLD_OBJECT_TWICE, head.place, message)
        .label("updates are compared with this one")
        .related(first, "the first is here")
        .help("leave out the one that the cluster does not hold")
        .level(Level::Semantic)
}

/// The namespace of what is not put into another one.
const DEFAULT: &str = "default";

/// What tells objects apart; none for the namespace is the default one, or that the kind has none.
fn key(head: &Head, namespace: Option<&str>) -> [String; 4] {
    let namespace = namespace.filter(|namespace| *namespace != DEFAULT).unwrap_or_default();
    let name = head.name.as_deref().unwrap_or_default();
    [head.of.group.as_str(), &head.of.kind, namespace, name].map(str::to_owned)
}
