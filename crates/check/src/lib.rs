//! The pipeline: what a path is, which stages it goes through, and what is made of the findings
//! (`trueline.toml`, suppression). The disk and the terminal are somebody else's.

mod alike;
mod budget;
mod chart;
mod config;
mod detect;
mod emit;
mod input;
mod kind;
mod kubernetes;
mod kustomize;
mod looked;
mod registry;
mod repeat;
mod run;
mod secret;
mod selection;
mod shown;
mod suppress;
mod unit;
mod walk;
mod ytt;

use trueline_diagnostic::Catalogue;

pub use chart::{
    ChartSettings, Coverage, ReadValues, RenderedDocument, Subject, Trial, typed_into_secrets, values_pattern,
};
pub use config::FILE_NAME as CONFIG_FILE_NAME;
pub use input::{ConfigFile, Configured, Input, Nested, Progress, Silent, configured};
pub use kind::Kind;
pub use kubernetes::{
    KubernetesSettings, Location, LocationInput, MissingSchemas, NamedInput, Open, Strictness, Wanted,
    each_file, each_file_of_definitions, missing, part_of_scalar, too_large,
};
pub use run::{Ending, Run, run};
pub use secret::hide as hide_secrets;
pub use selection::Selection;
pub use unit::Settings;
pub use ytt::{DataValuesFile, FindDataValues, YttSettings};

/// All codes of the program.
pub fn catalogue() -> Catalogue {
    let own: &[&[&_]] = &[
        config::CODES,
        suppress::CODES,
        input::CODES,
        chart::CODES,
        ytt::CODES,
        kubernetes::CODES,
        kubernetes::POLICY_CODES,
        trueline_kube::manifest::CODES,
        trueline_kube::crd::CODES,
        trueline_kube::cel::CODES,
        trueline_kube::object::UNION_CODES,
    ];
    let others: &[&[&_]] = &[trueline_yaml::CODES, trueline_schema::CODES, trueline_extension::CODES];
    Catalogue::new(&[own, others, trueline_helm::CODES].concat())
}
