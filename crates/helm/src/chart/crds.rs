//! The custom resource definitions of a chart: files in `crds/`, which are no templates.

use super::assemble::extension;
use super::{Chart, File};

/// A file of custom resource definitions.
#[derive(Debug, Clone)]
pub struct Crd {
    /// Its path from the root chart, as Helm prints it: `root/charts/sub/crds/x.yaml`.
    pub path: String,
    /// The file.
    pub file: File,
}

impl Chart {
    /// All files of custom resource definitions: the chart's own in their order, then those of its
    /// subcharts in theirs.
    pub fn crds(&self) -> Vec<Crd> {
        let mut found = Vec::new();
        self.collect_crds(self.name(), &mut found);
        found
    }

    fn collect_crds(&self, path: &str, found: &mut Vec<Crd>) {
        let own = self.files.iter().filter(|file| is_crd(&file.name));
        found.extend(own.map(|file| Crd { path: format!("{path}/{}", file.name), file: file.clone() }));
        for subchart in &self.dependencies {
            subchart.collect_crds(&format!("{path}/charts/{}", subchart.name()), found);
        }
    }
}

/// Whether a file of a chart holds custom resource definitions.
pub(super) fn is_crd(name: &str) -> bool {
    let is_manifest =
        |wanted: &&str| extension(name).strip_prefix('.').is_some_and(|end| end.eq_ignore_ascii_case(wanted));
    name.starts_with("crds/") && ["yaml", "yml", "json"].iter().any(is_manifest)
}
