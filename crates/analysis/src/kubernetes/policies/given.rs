//! Policies that are given beside what is checked.

use trueline_diagnostic::{Diagnostic, Level, Severity};
use trueline_kube::cluster::{Cluster, Request};
use trueline_kube::manifest::{self, Object as Manifest};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::SyntaxError;

use super::Held;
use super::codes::NO_POLICY;
use crate::kubernetes::head::{Head, is_definition};
use crate::kubernetes::reading::each_file;
use crate::kubernetes::settings::NamedInput;

/// The objects of the files that `--policy` names.
#[derive(Debug, Clone, Default)]
pub(crate) struct GivenPolicies {
    pub(super) objects: Vec<Held>,
    /// What is wrong with them.
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) is_unreadable: bool,
}

impl GivenPolicies {
    /// Reads the files.
    pub(crate) fn read<'i>(
        inputs: impl Iterator<Item = &'i NamedInput>,
        cluster: &Cluster,
        sources: &SourceMap,
    ) -> GivenPolicies {
        let mut given = GivenPolicies::default();
        for named in inputs {
            given.add(named, cluster, sources);
        }
        given
    }

    /// Whether there is anything in them.
    pub(crate) fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }

    fn add(&mut self, named: &NamedInput, cluster: &Cluster, sources: &SourceMap) {
        let NamedInput { input, .. } = named;
        let before = (self.objects.len(), self.findings.len());
        let errors = each_file(input, sources, |stream| {
            self.findings.extend(stream.errors.iter().map(SyntaxError::to_diagnostic));
            for document in &stream.documents {
                for object in manifest::objects(document.root()) {
                    self.take(&object, cluster, sources);
                }
            }
        });
        self.is_unreadable |= !errors.is_empty();
        self.findings.extend(errors.iter().map(|error| named.unreadable(error, sources)));
        if (self.objects.len(), self.findings.len()) == before {
            let place = named.named.unwrap_or_else(|| {
                Span::whole(sources.add(input.loader.display(&input.path), SourceKind::File, ""))
            });
            let message = "no policy, binding or parameter is here";
            let finding = Diagnostic::new(&NO_POLICY, place, message);
            self.findings.push(finding.help("name the file or the directory that holds the policies"));
        }
    }

    fn take(&mut self, object: &Manifest<'_>, cluster: &Cluster, sources: &SourceMap) {
        let Some(head) = Head::of(object) else { return };
        if is_definition(object.node) {
            return;
        }
        let review = cluster.review(Request::create(*object));
        let mut is_refused = false;
        for problem in review.problems().iter().filter(|problem| problem.severity == Severity::Error) {
            is_refused = true;
            let finding = manifest::diagnostic(problem, object).level(Level::Semantic);
            self.findings.push(crate::kubernetes::expression::at_part(finding, problem, sources));
        }
        self.objects.push(Held { head, value: object.value(), is_refused });
    }
}
