//! What each fuzz target does with its input. A body panics when a promise is broken; any input at all is
//! allowed.

mod arbitrary;
mod cel_eval;
mod cel_parse;
mod chart_load;
mod chart_values;
mod cluster_review;
mod configuration;
mod crd_schema;
mod extension_check;
mod findings;
mod json_read;
mod kube_objects;
mod kubeconform;
mod manifest_check;
mod mutate;
mod origins;
mod policies;
mod prepared;
mod regexp;
mod report_escaping;
mod repository_answers;
mod schema_compile;
mod set_flags;
mod starlark;
mod suppression;
mod template_functions;
mod template_parse;
mod template_run;
mod yaml_read;
mod yaml_roundtrip;
mod ytt_documents;
mod ytt_overlays;
mod ytt_templates;

pub use mutate::Mutator;

/// One thing to fuzz.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of the target for cargo-fuzz.
    pub name: &'static str,
    /// Does it.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    json_read::TARGET,
    yaml_read::TARGET,
    yaml_roundtrip::TARGET,
    ytt_documents::TARGET,
    ytt_overlays::TARGET,
    ytt_templates::TARGET,
    schema_compile::TARGET,
    crd_schema::TARGET,
    extension_check::TARGET,
    configuration::TARGET,
    suppression::TARGET,
    report_escaping::TARGET,
    template_parse::TARGET,
    template_run::TARGET,
    template_functions::TARGET,
    chart_load::TARGET,
    chart_values::TARGET,
    set_flags::TARGET,
    repository_answers::TARGET,
    kube_objects::TARGET,
    manifest_check::TARGET,
    cluster_review::TARGET,
    regexp::TARGET,
    cel_parse::TARGET,
    cel_eval::TARGET,
    policies::TARGET,
    starlark::TARGET,
    kubeconform::TARGET,
];

/// Runs a target by its name.
///
/// # Panics
/// When there is no such target, or when the input breaks a promise.
pub fn run(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("there is no fuzz target `{name}`"));
    (target.run)(input);
}
