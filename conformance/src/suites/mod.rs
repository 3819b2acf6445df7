//! The suites, one file each.

mod cel;
mod cel_values;
mod crd;
mod crd_objects;
mod crd_publish;
mod extension;
mod helm;
mod helm_archive;
mod helm_compare;
mod helm_infer;
mod helm_origins;
mod helm_planting;
mod helm_usage;
mod json_schema;
mod kube_builtin;
mod kubeconform;
mod real_charts;
mod yaml;
mod ytt;
mod ytt_import;
mod ytt_planting;

use std::sync::Arc;

use trueline_analysis::{ConfigChoice, Run, Settings, Silent, Snapshot, Unanswered, Wanted};
use trueline_source::{Cancel, MemorySystem, SourceMap};

use crate::Suite;

/// Checks the working directory of a machine in memory, without a network and without configuration.
fn checked(system: MemorySystem, settings: Settings) -> (Run, Arc<SourceMap>) {
    let (paths, configuration) = (vec![".".into()], ConfigChoice::None);
    let settings = Settings { paths, configuration, offline: true, ..settings };
    let run = || -> Result<_, Unanswered> {
        let snapshot = Snapshot::open(Arc::new(system), settings).map_err(Unanswered::CannotRun)?;
        let report = snapshot.check_all(Wanted::default(), &Silent, &Cancel::new())?;
        Ok((report.run, report.sources))
    };
    run().unwrap_or_else(|wrong| panic!("the run could not be made: {wrong}"))
}

/// All suites.
pub const SUITES: &[Suite] = &[
    Suite { name: "yaml", folder: "yaml", load: yaml::load, summary: None },
    Suite { name: "json-schema", folder: "json-schema", load: json_schema::load_required, summary: None },
    Suite {
        name: "json-schema-formats",
        folder: "json-schema",
        load: json_schema::load_formats,
        summary: None,
    },
    Suite { name: "extension-real", folder: "extension", load: extension::load_real, summary: None },
    Suite { name: "extension-altered", folder: "extension", load: extension::load_altered, summary: None },
    Suite { name: "cel", folder: "cel", load: cel::load, summary: None },
    Suite { name: "crd", folder: "crd", load: crd::load, summary: Some(crd::summary) },
    Suite { name: "helm-v4", folder: "helm", load: helm::load_v4, summary: None },
    Suite { name: "helm-v3", folder: "helm", load: helm::load_v3, summary: None },
    Suite { name: "helm-stderr", folder: "helm", load: helm::load_stderr, summary: None },
    Suite {
        name: "helm-origins",
        folder: "helm",
        load: helm_origins::load,
        summary: Some(helm_origins::summary),
    },
    Suite {
        name: "helm-planting",
        folder: "helm",
        load: helm_planting::load,
        summary: Some(helm_planting::summary),
    },
    Suite { name: "helm-infer", folder: "helm", load: helm_infer::load, summary: Some(helm_infer::summary) },
    Suite {
        name: "kube-builtin",
        folder: "crd",
        load: kube_builtin::load,
        summary: Some(kube_builtin::summary),
    },
    Suite { name: "helm-usage", folder: "helm", load: helm_usage::load, summary: None },
    Suite {
        name: "crd-objects",
        folder: "crd",
        load: crd_objects::load,
        summary: Some(crd_objects::summary),
    },
    Suite { name: "crd-publish", folder: "crd", load: crd_publish::load, summary: None },
    Suite { name: "kubeconform", folder: "crd", load: kubeconform::load, summary: None },
    Suite { name: "ytt", folder: "ytt", load: ytt::load, summary: None },
    Suite { name: "ytt-import", folder: "helm", load: ytt_import::load, summary: Some(ytt_import::summary) },
    Suite {
        name: "ytt-planting",
        folder: "ytt",
        load: ytt_planting::load,
        summary: Some(ytt_planting::summary),
    },
];
