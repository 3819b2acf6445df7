//! Kubernetes objects, as plain files hold them and as charts render them: validated against the embedded API, against
//! the definitions (CRDs) that the run knows, or against JSON Schemas from given locations.
//!
//! An object of a kind that only another file may define waits until the whole run has been read. Everything else,
//! objects of kinds whose definition was given among it, is looked at where it is read, so no document is kept longer
//! than needed.

mod codes;
mod custom;
mod definitions;
mod duplicate;
mod expression;
mod head;
mod local;
mod location;
mod old;
mod policies;
mod reading;
mod services;
mod settings;
mod size;
mod skip;
mod stage;
mod version;

use std::sync::Arc;

use trueline_diagnostic::LeftOut;
use trueline_kube::cluster::CustomKind;
use trueline_source::Span;
use trueline_yaml::Value;

pub(crate) use codes::{CODES, NO_DEFINITION};
pub(crate) use custom::{drop_known_defaults, is_about_policies};
pub(crate) use definitions::Definitions;
pub(crate) use expression::part_of_scalar;
pub(crate) use head::{Head, is_definition};
pub use location::{Location, LocationError, Strictness, Wanted};
pub(crate) use location::{Locations, missing_locations};
pub(crate) use old::OldObjects;
pub(crate) use policies::{
    CODES as POLICY_CODES, GivenPolicies, Held, Policies, UnitOf, chart_mentions_policies, mention_policies,
};
pub(crate) use reading::{each_file, each_file_of_definitions};
pub use settings::{KubernetesSettings, MissingSchemas};
pub(crate) use settings::{LocationInput, NamedInput};
pub(crate) use size::too_large;
pub(crate) use skip::{Skips, meant_kind, unused_configured_skip, unused_skips};
pub(crate) use stage::{Remembered, Stage, WITHOUT_SCHEMA};
pub(crate) use version::unknown_versions;

/// What a unit holds for this stage.
#[derive(Debug, Clone, Default)]
pub(crate) struct Objects {
    /// The file of values that a chart was rendered with, where it is one of several.
    pub(crate) values: Option<String>,
    /// Those that wait for a definition.
    pub(crate) waiting: Vec<Waiting>,
    /// Those that wait for the policies of the run.
    pub(crate) held: Vec<Held>,
    /// The kinds that they define.
    pub(crate) definitions: Vec<Arc<CustomKind>>,
    /// How many of them were checked.
    pub(crate) checked: usize,
    /// Which of the kinds that are left out were found.
    pub(crate) skips: Skips,
    /// What was not checked.
    pub(crate) left_out: Vec<LeftOut>,
    /// Where the secrets of a chart were typed.
    pub(crate) secrets: Vec<Span>,
    /// How many of them were not checked although nobody asked for that.
    pub(crate) unasked: usize,
    /// Whether a chart stopped on purpose before it wrote them, with `fail` or `required`.
    pub(crate) is_stopped: bool,
}

impl Objects {
    /// Adds those of another part of the unit.
    pub(crate) fn join(&mut self, other: Objects) {
        let Objects {
            values: _,
            waiting,
            held,
            definitions,
            checked,
            skips,
            left_out,
            secrets,
            unasked,
            is_stopped,
        } = other;
        self.waiting.extend(waiting);
        self.held.extend(held);
        self.definitions.extend(definitions);
        self.checked += checked;
        self.skips.given.extend(skips.given);
        self.skips.configured.extend(skips.configured);
        self.left_out.extend(left_out);
        self.secrets.extend(secrets);
        self.unasked += unasked;
        self.is_stopped |= is_stopped;
    }

    /// Whether all is known of them without the other units of the run.
    pub(crate) fn is_settled(&self) -> bool {
        self.waiting.is_empty()
            && self.held.is_empty()
            && self.skips.given.is_empty()
            && self.skips.configured.is_empty()
    }
}

/// An object of a kind that Kubernetes itself does not define.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub(crate) head: Head,
    pub(crate) value: Value,
    /// A kind of Kubernetes itself whose name is near.
    pub(crate) near: Option<&'static str>,
    /// The program that reads its file, where no cluster does.
    pub(crate) reader: Option<&'static str>,
}
