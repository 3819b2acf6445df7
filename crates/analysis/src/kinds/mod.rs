//! The kinds of input, one row each: how an input of the kind is recognised, and how it is checked. Adding a kind takes its
//! variant, its row here and a module with its check.

mod extension;
mod json_schema;
mod objects;
mod syntax;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use trueline_source::{Source, SourceId, SourceMap};
use trueline_yaml::{NodeRef, Stream};

use crate::chart::{self, GivenValues};
use crate::session::Session;
use crate::shown::Shown;
use crate::unit::{Checked, Mode};
use crate::walk::Candidate;
use crate::{kubernetes, ytt};

/// What a path is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputKind {
    /// A Helm chart: a directory or archive with `Chart.yaml`.
    Chart,
    /// A directory or file of ytt: YAML with `#@` comments.
    Ytt,
    /// An extension manifest.
    Extension,
    /// A registry of extensions.
    Registry,
    /// Profiles: named sets of extensions.
    Profiles,
    /// Categories of extensions.
    Categories,
    /// A JSON Schema.
    JsonSchema,
    /// CRDs, also with other objects beside them.
    Crd,
    /// A Kubernetes object, or several.
    Kubernetes,
    /// A `kustomization.yaml`.
    Kustomization,
    /// What a `kustomization.yaml` names as a part of objects, such as a patch.
    Patch,
    /// YAML or JSON of an unknown kind.
    Yaml,
}

/// A kind of input.
struct Row {
    kind: InputKind,
    /// The word for it.
    word: &'static str,
    /// Whether `--as` takes the word.
    choice: Choice,
    /// Why a unit of this kind is not checked beyond its syntax, if it is not.
    unsupported: Option<&'static str>,
    /// The file that makes its folder a package of this kind, whatever else is in the folder.
    marker: Option<&'static str>,
    /// Whether the name of a file says that it is of this kind, whatever it holds.
    has_name: fn(&str) -> bool,
    /// The usual name of a file of this kind, with the key that tells it: it is one however wrong the rest of it is.
    usual: Option<(&'static str, &'static str)>,
    /// Whether a document is of this kind.
    is_document: fn(NodeRef<'_>) -> bool,
    check: Check,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Offered,
    Internal,
}

/// How a unit is checked.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// It is more than one text, and reads what it needs by itself.
    Folder(FolderCheck),
    /// It is one text, which was read.
    Text(fn(TextUnit<'_>) -> Checked),
}

/// The check of a folder or an archive.
pub(crate) type FolderCheck = fn(&Candidate, Mode<'_>, (&Session, &GivenValues), &Arc<SourceMap>) -> Checked;

/// A unit that is one text.
pub(crate) struct TextUnit<'a> {
    pub(crate) kind: InputKind,
    pub(crate) candidate: &'a Candidate,
    pub(crate) id: SourceId,
    pub(crate) source: Arc<Source>,
    /// What it was read to, where that was needed to find out what it is.
    pub(crate) stream: Option<Stream>,
    pub(crate) mode: Mode<'a>,
    pub(crate) settings: &'a Session,
    pub(crate) shown: &'a Shown,
    pub(crate) sources: &'a Arc<SourceMap>,
}

/// All kinds. A document is of the first whose test it passes.
const TABLE: &[Row] = &[
    Row {
        check: Check::Folder(|candidate, mode, (settings, given), sources| {
            chart::check(candidate, mode, settings, given, sources)
        }),
        marker: Some("Chart.yaml"),
        has_name: |name| name.ends_with(".tgz") || name.ends_with(".tar.gz"),
        ..Row::new(InputKind::Chart, "chart")
    },
    Row {
        check: Check::Folder(|candidate, mode, (settings, _), sources| {
            ytt::check(candidate, mode, settings, sources)
        }),
        ..Row::new(InputKind::Ytt, "ytt")
    },
    Row {
        check: Check::Text(json_schema::check),
        has_name: |name| name.ends_with(".schema.json"),
        is_document: json_schema::is_schema,
        ..Row::new(InputKind::JsonSchema, "json-schema")
    },
    Row {
        check: Check::Text(objects::check),
        is_document: kubernetes::is_definition,
        ..Row::new(InputKind::Crd, "crd")
    },
    Row {
        check: Check::Text(objects::check),
        is_document: objects::is_object,
        ..Row::new(InputKind::Kubernetes, "kubernetes")
    },
    Row {
        check: Check::Text(extension::check_registry),
        usual: Some(("registry.yaml", "extensions")),
        is_document: extension::is_registry,
        ..Row::new(InputKind::Registry, "registry")
    },
    Row {
        check: Check::Text(extension::check_profiles),
        usual: Some(("profiles.yaml", "profiles")),
        is_document: extension::is_profiles,
        ..Row::new(InputKind::Profiles, "profiles")
    },
    Row {
        check: Check::Text(extension::check_categories),
        usual: Some(("categories.yaml", "categories")),
        is_document: extension::is_categories,
        ..Row::new(InputKind::Categories, "categories")
    },
    Row {
        check: Check::Text(extension::check),
        marker: Some("extension.yaml"),
        has_name: |name| name == "extension.yaml",
        is_document: extension::is_extension,
        ..Row::new(InputKind::Extension, "extension")
    },
    Row {
        choice: Choice::Internal,
        unsupported: Some(
            "kustomize reads it, no cluster does: checked for syntax only; `kustomize build` makes the objects",
        ),
        ..Row::new(InputKind::Kustomization, "kustomization")
    },
    Row {
        choice: Choice::Internal,
        unsupported: Some(
            "a kustomization.yaml names it as a part, not as a whole object: checked for syntax only",
        ),
        ..Row::new(InputKind::Patch, "patch")
    },
    Row {
        unsupported: Some("not of a kind that is known: checked for syntax only"),
        ..Row::new(InputKind::Yaml, "yaml")
    },
];

impl Row {
    /// A kind that nothing is recognised as, and of which only the syntax is checked.
    const fn new(kind: InputKind, word: &'static str) -> Self {
        Row {
            kind,
            word,
            choice: Choice::Offered,
            unsupported: None,
            marker: None,
            has_name: |_| false,
            usual: None,
            is_document: |_| false,
            check: Check::Text(syntax::check),
        }
    }
}

impl InputKind {
    /// The kinds that `--as` takes.
    pub fn choices() -> impl Iterator<Item = InputKind> {
        TABLE.iter().filter(|row| row.choice == Choice::Offered).map(|row| row.kind)
    }

    /// The word for it, as `--as` takes it.
    pub fn as_str(self) -> &'static str {
        self.row().map_or("", |row| row.word)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.kind == self)
    }

    /// How a unit of this kind is checked.
    pub(crate) fn check(self) -> Check {
        self.row().map_or(Check::Text(syntax::check), |row| row.check)
    }

    /// Why a unit of this kind is not checked beyond its syntax, if it is not.
    pub(crate) fn unsupported(self) -> Option<&'static str> {
        self.row().and_then(|row| row.unsupported)
    }

    /// The kind that the name of a file says, whatever it holds.
    pub(crate) fn of_name(name: &str) -> Option<InputKind> {
        TABLE.iter().find(|row| (row.has_name)(name)).map(|row| row.kind)
    }

    /// The kind of a folder that is a package, and its file if that is what is checked, by which files it has.
    pub(crate) fn of_folder(has: impl Fn(&str) -> bool) -> Option<(InputKind, Option<&'static str>)> {
        let of = |row: &'static Row| Some((row, row.marker.filter(|marker| has(marker))?));
        let (row, marker) = TABLE.iter().find_map(of)?;
        Some((row.kind, matches!(row.check, Check::Text(_)).then_some(marker)))
    }

    /// The kind of a file with the usual name for it and the key that tells it, however wrong the rest of it is.
    pub(crate) fn of_usual_file(name: &str, root: NodeRef<'_>) -> Option<InputKind> {
        let (row, key) = TABLE
            .iter()
            .find_map(|row| row.usual.filter(|(usual, _)| *usual == name).map(|(_, key)| (row, key)))?;
        (root.get(key).is_some() && root.get("apiVersion").is_none()).then_some(row.kind)
    }

    /// The kind of a document.
    pub(crate) fn of_document(root: NodeRef<'_>) -> InputKind {
        TABLE.iter().find(|row| (row.is_document)(root)).map_or(InputKind::Yaml, |row| row.kind)
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for InputKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        InputKind::choices().find(|kind| kind.as_str() == name).ok_or_else(|| {
            let names: Vec<&str> = InputKind::choices().map(InputKind::as_str).collect();
            format!("`{name}` is not a kind; the kinds are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_recognised_by_their_files() {
        let of = |names: &[&str]| InputKind::of_folder(|name| names.contains(&name));
        assert_eq!(of(&["a.yaml", "extension.yaml"]), Some((InputKind::Extension, Some("extension.yaml"))));
        assert_eq!(of(&["extension.yaml", "Chart.yaml"]), Some((InputKind::Chart, None)), "the first counts");
        assert_eq!(of(&["a.yaml"]), None);
    }

    #[test]
    fn every_kind_has_one_row_and_a_word_of_its_own() {
        for row in TABLE {
            assert_eq!(TABLE.iter().filter(|other| other.kind == row.kind).count(), 1, "{}", row.kind);
            assert_eq!(TABLE.iter().filter(|other| other.word == row.word).count(), 1, "{}", row.word);
            let is_choice = row.choice == Choice::Offered;
            assert_eq!(row.word.parse::<InputKind>().ok(), is_choice.then_some(row.kind), "{}", row.word);
        }
        assert_eq!(
            "pod".parse::<InputKind>().unwrap_err().matches(", ").count(),
            InputKind::choices().count() - 1
        );
    }
}
