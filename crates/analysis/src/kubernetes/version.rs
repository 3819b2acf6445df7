//! Versions of Kubernetes that were asked for and are not known.

use std::collections::BTreeMap;

use trueline_diagnostic::Diagnostic;
use trueline_kube::KubeVersion;
use trueline_kube::api::Api;
use trueline_source::{SourceKind, SourceMap, Span};

use super::codes::UNKNOWN_VERSION;

/// The versions that are not known of those that were asked for; each with the place in a configuration, where it is
/// no flag that asks for it.
pub(crate) fn unknown_versions(
    asked: &BTreeMap<KubeVersion, Option<Span>>,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let known: Vec<KubeVersion> = Api::versions().collect();
    let finding = |(version, place): (&KubeVersion, &Option<Span>)| {
        let nearest = Api::nearest(Some(*version))?.version();
        let place = place.unwrap_or_else(|| {
            Span::whole(sources.add(format!("--kube-version {version}"), SourceKind::Flag, ""))
        });
        let message =
            format!("the API of Kubernetes {version} is not known; objects are validated against {nearest}");
        let (first, last) = (known.first()?, known.last()?);
        let help = format!("the versions from {first} to {last} are known");
        Some(Diagnostic::new(&UNKNOWN_VERSION, place, message).help(help))
    };
    asked.iter().filter(|(version, _)| !known.contains(version)).filter_map(finding).collect()
}
