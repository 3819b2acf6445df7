//! The CRDs that a run knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_kube::cluster::CustomKind;
use trueline_kube::crd;
use trueline_kube::{manifest, nearest_kind};
use trueline_source::{LoadError, SourceKind, SourceMap, Span};

use super::codes::NO_DEFINITION;
use super::head::{Type, is_definition};
use super::reading::map_files_of_definitions;
use super::settings::NamedInput;
use super::size::too_large;

/// The CRDs that a run knows, by group and kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definitions {
    known: BTreeMap<Arc<str>, OfGroup>,
}

/// The CRDs of a group, by kind.
type OfGroup = BTreeMap<Arc<str>, Vec<Arc<Known>>>;

/// What reading definitions brought up.
#[derive(Debug)]
pub(crate) struct Read {
    /// What could not be read.
    pub(crate) errors: Vec<LoadError>,
    /// What is wrong with the texts.
    pub(crate) findings: Vec<Diagnostic>,
}

/// A definition, and where it is from.
#[derive(Debug)]
pub(super) struct Known {
    /// What it defines.
    pub(super) kind: Arc<CustomKind>,
    /// The unit that it was found in; nothing if it was given.
    unit: Option<String>,
}

impl Definitions {
    /// Takes definitions up that were found in a unit, or that were given.
    pub(crate) fn add(&mut self, kinds: Vec<Arc<CustomKind>>, unit: Option<&str>) {
        for kind in kinds {
            let of_group = self.known.entry(Arc::clone(kind.group())).or_default();
            let of_kind = of_group.entry(Arc::clone(kind.name())).or_default();
            of_kind.push(Arc::new(Known { kind, unit: unit.map(str::to_owned) }));
        }
    }

    /// Reads the definitions in a file or directory; other objects in it are not looked at.
    pub(crate) fn read(&mut self, NamedInput { input, named }: &NamedInput, sources: &SourceMap) -> Read {
        let before = self.count();
        let (looked, errors) = map_files_of_definitions(input, sources, |stream| {
            let mut kinds = Vec::new();
            let mut findings: Vec<_> =
                stream.errors.iter().map(trueline_yaml::SyntaxError::to_diagnostic).collect();
            let objects = stream.documents.iter().flat_map(|document| manifest::objects(document.root()));
            for object in objects.filter(|object| is_definition(object.node)) {
                if let Some(finding) = too_large(object.node) {
                    findings.push(finding);
                    continue;
                }
                match crd::decode(&object.value()) {
                    Ok(decoded) => kinds.push(Arc::new(CustomKind::new(&decoded.crd))),
                    Err(error) => findings.push(crd::unreadable(&error, object.node.span())),
                }
            }
            (kinds, findings)
        });
        let mut findings = Vec::new();
        for (kinds, found) in looked {
            self.add(kinds, None);
            findings.extend(found);
        }
        if errors.is_empty() && findings.is_empty() && self.count() == before {
            let place = named.unwrap_or_else(|| {
                Span::whole(sources.add(input.loader.display(&input.path), SourceKind::File, ""))
            });
            let message = "no CustomResourceDefinition is here";
            findings.push(
                Diagnostic::new(&NO_DEFINITION, place, message)
                    .help("name the file or the directory that holds the CRDs"),
            );
        }
        Read { errors, findings }
    }

    /// Whether none is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn count(&self) -> usize {
        self.known.values().flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    /// The definition of a kind, in whatever version, for the objects of a unit. Of several, one that was given
    /// counts before those that were found, and of these the one in the nearest folder.
    pub(super) fn find(&self, of: &Type, unit: &str) -> Option<&Known> {
        let known = self.known.get(&*of.group)?.get(&*of.kind)?;
        let nearness = |known: &Known| known.unit.as_ref().map_or(usize::MAX, |other| shared(other, unit));
        // The first of those that are equally near.
        known.iter().map(Arc::as_ref).rev().max_by_key(|known| nearness(known))
    }

    /// The definition of a kind that was given. Whatever else defines the kind in the run counts less, so objects of it
    /// need not wait.
    pub(super) fn given(&self, group: &str, kind: &str) -> Option<&Known> {
        let known = self.known.get(group)?.get(kind)?;
        known.iter().map(Arc::as_ref).find(|known| known.unit.is_none())
    }

    /// The kind of the same group whose name is near, for one that has no definition.
    pub(super) fn near(&self, of: &Type) -> Option<&str> {
        nearest_kind(&of.kind, self.known.get(&*of.group)?.keys().map(|kind| &**kind))
    }
}

/// How many folders two paths have in common, with the file itself counted as one.
pub(super) fn shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}
