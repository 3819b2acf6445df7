//! The pipeline: what a path is, which stages it goes through, and what is made of the findings
//! (`trueline.toml`, suppression). The disk and the terminal are somebody else's.

mod alike;
mod budget;
mod chart;
mod config;
mod detect;
mod discovery;
mod emit;
mod glance;
mod here;
mod host;
mod input;
mod kinds;
mod kubernetes;
mod kustomize;
mod looked;
mod memory;
mod parts;
mod registry;
mod rendering;
mod repeat;
mod run;
mod secret;
mod selection;
mod session;
mod settings;
mod shown;
mod snapshot;
mod suppress;
mod unit;
mod walk;
mod ytt;

use trueline_diagnostic::Catalogue;

pub use chart::{ChartSettings, Coverage, Subject, Trial, typed_into_secrets, values_pattern};
pub use discovery::{ConfigChoice, Inputs, Place, STANDARD_INPUT, Templates};
pub use here::{Definition, Field, Here, Item, Part};
pub use host::{Change, Host};
pub use input::{ConfigFile, Input, Progress, Silent};
pub use kinds::Kind;
pub use kubernetes::{
    KubernetesSettings, Location, MissingSchemas, Strictness, Wanted as WantedSchema, each_file,
    each_file_of_definitions, part_of_scalar, too_large,
};
pub use rendering::{RenderedDocument, RenderedText, Rendering};
pub use run::{Ending, Run};
pub use secret::hide as hide_secrets;
pub use selection::Selection;
pub use session::Wanted;
pub use settings::Settings;
pub use snapshot::{Outcome, Rendered, Report, Snapshot, Unanswered, UnitId};
pub use ytt::YttSettings;

/// All codes and rules of the program.
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
        trueline_kube::cluster::CODES,
        trueline_kube::crd::CODES,
        trueline_kube::cel::CODES,
        trueline_kube::object::UNION_CODES,
    ];
    let others: &[&[&_]] = &[trueline_yaml::CODES, trueline_schema::CODES, trueline_extension::CODES];
    Catalogue::new(&[own, others, trueline_helm::CODES].concat()).with_rules(trueline_kube::named_rules())
}
