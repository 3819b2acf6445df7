//! What each fuzz target does with its input. A body panics when a promise is broken; any input at all is
//! allowed.

mod arbitrary;
mod chart_load;
mod chart_values;
mod configuration;
mod crd_schema;
mod extension_check;
mod findings;
mod json_read;
mod kube_objects;
mod manifest_check;
mod mutate;
mod origins;
mod prepared;
mod repository_answers;
mod schema_compile;
mod set_flags;
mod suppression;
mod template_parse;
mod template_run;
mod yaml_read;
mod yaml_roundtrip;

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
    schema_compile::TARGET,
    crd_schema::TARGET,
    extension_check::TARGET,
    configuration::TARGET,
    suppression::TARGET,
    template_parse::TARGET,
    template_run::TARGET,
    chart_load::TARGET,
    chart_values::TARGET,
    set_flags::TARGET,
    repository_answers::TARGET,
    kube_objects::TARGET,
    manifest_check::TARGET,
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
