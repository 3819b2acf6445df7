//! The pipeline: what a path is, which stages it goes through, and what is made of the findings
//! (`trueline.toml`, suppression). The disk and the terminal are somebody else's.

mod alike;
mod budget;
mod chart;
mod config;
mod crds;
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
mod open_error;
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
mod value_story;
mod walk;
mod ytt;

use trueline_diagnostic::Catalogue;

pub use chart::{ChartSettings, Coverage, PatternError, Subject, Trial, values_pattern};
pub use crds::{
    Changed, Conditions, CrdFailure, CrdFiles, DiffRequest, Form, Problem, Published, PublishedForm,
    PublishedSchemas, QueryFailure, Transformation, Use,
};
pub use discovery::{ConfigChoice, Inputs, OpenedPlace, STANDARD_INPUT, Templates};
pub use here::{Definition, Field, Here, Item, Part};
pub use host::{Change, Host};
pub use input::{ConfigFile, Input, Progress, Silent};
pub use kinds::InputKind;
pub use kubernetes::{
    KubernetesSettings, Location, LocationError, MissingSchemas, Strictness, Wanted as WantedSchema,
};
pub use open_error::OpenError;
pub use rendering::{RenderedDocument, RenderedText, Rendering};
pub use run::{Ending, Run};
pub use secret::hide as hide_secrets;
pub use selection::{Selection, UnknownName};
pub use session::Wanted;
pub use settings::Settings;
pub use snapshot::{Outcome, Rendered, Report, Snapshot, Unanswered, UnitId};
pub use trueline_helm::usage::{Reach, ValueRead};
pub use trueline_kube::publish::{OpenApi, Unfolding, UnknownFields, ValueValidation};
pub use trueline_kube::{FieldValidation, KubeVersion};
pub use value_story::{ValueFailure, ValueQuestion, ValueSetting, ValueStory};
pub use ytt::YttSettings;

/// Expressions in CEL: what [`CrdFiles::query`] is asked, and what it answers.
pub mod query {
    pub use trueline_kube::cel::grouped;
    pub use trueline_kube::cel::query::{
        Answer, CALL_LIMIT, Compiled, ESTIMATE_LIMIT, Estimate, Failed, LONGEST_RESULT, Query, QueryIssue,
        Unanswered, Why,
    };
}

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
