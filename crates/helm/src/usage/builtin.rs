//! What Helm gives to templates besides values: `.Chart`, `.Release`, `.Capabilities` and `.Template`. Their fields are
//! known, so a read of any other name is a mistake. In maps such a name is nothing, and Helm says nothing about it.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Diagnostic, Edit, Level, nearest};
use trueline_gotemplate::node::TemplatePlace;
use trueline_source::{SourceId, Span};

use super::Usage;
use super::abstraction::{Abstract, Atom};
use super::codes::UNKNOWN_FIELD;
use super::interpreter::{Frame, Interpreter};
use super::words;

/// Something that Helm gives to templates, with fields that are the same for every chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Builtin {
    Chart,
    Release,
    Capabilities,
    KubeVersion,
    HelmVersion,
    Template,
}

impl Builtin {
    /// What a name of the root stands for.
    pub(super) fn of_root(name: &str) -> Option<Builtin> {
        Some(match name {
            "Chart" => Builtin::Chart,
            "Release" => Builtin::Release,
            "Capabilities" => Builtin::Capabilities,
            "Template" => Builtin::Template,
            _ => return None,
        })
    }

    /// A field that has fields of its own which are known.
    pub(super) fn field(self, name: &str) -> Option<Builtin> {
        match (self, name) {
            (Builtin::Capabilities, "KubeVersion") => Some(Builtin::KubeVersion),
            (Builtin::Capabilities, "HelmVersion") => Some(Builtin::HelmVersion),
            _ => None,
        }
    }

    /// How it is written in a template.
    fn written(self) -> &'static str {
        match self {
            Builtin::Chart => ".Chart",
            Builtin::Release => ".Release",
            Builtin::Capabilities => ".Capabilities",
            Builtin::KubeVersion => ".Capabilities.KubeVersion",
            Builtin::HelmVersion => ".Capabilities.HelmVersion",
            Builtin::Template => ".Template",
        }
    }

    /// The names of its fields and methods that people use.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Builtin::Chart => &[
                "Name",
                "Version",
                "AppVersion",
                "Description",
                "Home",
                "Icon",
                "Sources",
                "Keywords",
                "Maintainers",
                "APIVersion",
                "Condition",
                "Tags",
                "Deprecated",
                "Annotations",
                "KubeVersion",
                "Dependencies",
                "Type",
                "IsRoot",
            ],
            Builtin::Release => &["Name", "Namespace", "IsUpgrade", "IsInstall", "Revision", "Service"],
            Builtin::Capabilities => &["KubeVersion", "APIVersions", "HelmVersion"],
            Builtin::KubeVersion => &["Version", "Major", "Minor"],
            Builtin::HelmVersion => {
                &["Version", "GitCommit", "GitTreeState", "GoVersion", "KubeClientVersion"]
            }
            Builtin::Template => &["Name", "BasePath"],
        }
    }

    /// Methods that Go's types have beside their fields.
    fn methods(self) -> &'static [&'static str] {
        match self {
            Builtin::Capabilities => &["Copy"],
            Builtin::KubeVersion => &["String", "GitVersion"],
            Builtin::Template => &["AsMap", "YAML", "Table", "PathValue"],
            Builtin::Chart | Builtin::Release | Builtin::HelmVersion => &[],
        }
    }
}

/// A read of a field that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct UnknownField {
    owner: Builtin,
    name: Arc<str>,
    /// The name in the template.
    pub(super) span: Span,
    /// Whether a condition or a default asks if it is there.
    pub(super) is_asked: bool,
}

impl Interpreter<'_> {
    /// Remembers a field that is read of a builtin and does not exist. `from` is where in the operand the name is looked
    /// for.
    pub(super) fn look_for_unknown_field(
        &mut self,
        frame: &Frame<'_>,
        value: &Abstract,
        name: &Arc<str>,
        (place, from): (TemplatePlace, usize),
    ) {
        let [atom @ Atom::Builtin(owner)] = value.atoms() else { return };
        let is_known = owner.fields().contains(&&**name) || owner.methods().contains(&&**name);
        let is_put = || self.puts.under(atom, name).is_some() || self.puts.everywhere(atom).is_some();
        if is_known || self.doubts > 0 || is_put() {
            return;
        }
        let Some(source) = frame.source else { return };
        let start = place.start as usize + from;
        let unknown = UnknownField {
            owner: *owner,
            name: Arc::clone(name),
            span: source.span(start, start + name.len()),
            is_asked: self.asking > 0,
        };
        self.summaries.reads_unknown(unknown);
    }
}

impl Usage {
    /// Reads in the chart's own templates of fields that `.Chart`, `.Release`, `.Capabilities` and `.Template` do not have.
    /// One that is only asked for is reported if another name was most likely meant.
    pub fn unknown_fields(&self) -> Vec<Diagnostic> {
        let own: FxHashSet<SourceId> = self.chart.templates.iter().filter_map(|file| file.source).collect();
        let own = self.unknown_fields.iter().filter(|field| own.contains(&field.span.source));
        own.filter_map(|UnknownField { owner, name, span, is_asked }| {
            let near = nearest(name, owner.fields().iter().copied());
            if *is_asked && near.is_none() {
                return None;
            }
            let message = format!("`{}` has no field `{name}`", owner.written());
            let finding = Diagnostic::new(&UNKNOWN_FIELD, *span, message).level(Level::Semantic);
            Some(match near {
                Some(near) => {
                    let edit = Edit { span: *span, replacement: near.to_owned() };
                    finding
                        .label(format!("did you mean `{near}`?"))
                        .fix(format!("write `{near}`"), vec![edit])
                }
                None => {
                    let names: Vec<String> = owner.fields().iter().map(ToString::to_string).collect();
                    finding.help(format!("its fields are {}", words::list(&names)))
                }
            })
        })
        .collect()
    }
}
