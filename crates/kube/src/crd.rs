//! CRDs: reading one, checking it, and what a change of it breaks.

pub use trueline_kube_crd::check::{
    CheckOptions, Checked, RuleCost, Verdict, Warning, check, refused, severity_of_unknown, unknown_field,
    unreadable, unreadable_words, warned,
};
pub use trueline_kube_crd::codes::{self, CODES};
pub use trueline_kube_crd::definition::{
    ApiVersion, ClientConfig, Condition, Conversion, Crd, Decoded, Names, PrinterColumn, Scale,
    SelectableField, Service, Spec, Status, Subresources, Validation, Version, aggregate, decode, is_crd,
};
pub use trueline_kube_crd::diff::{Break, Difference, Effect, NotShown, diff};
