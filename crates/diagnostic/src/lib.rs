//! What a finding is: a code with its documentation, a sentence, labelled places, a trace, help and an optional
//! fix. The report crate decides how it looks on a terminal or in a file.

mod code;
mod diagnostic;
mod nearest;
mod origin;
mod outcome;
mod rule;
mod secret;

pub use code::{Catalogue, Code, Named, Severity};
pub use diagnostic::{Diagnostic, Edit, Fix, Frame, KubeCause, Label, Level, SchemaPlace};
pub use nearest::nearest;
pub use origin::{RENDERED, typed_place};
pub use outcome::{Counts, LeftOut, Outcome, Summary, Unit, Units, Unlisted, Verdict};
pub use rule::RuleInfo;
pub use secret::{
    credentials_in, has_word, is_about_secret, is_secret_name, secret_in_flag, shown_address,
    without_credentials,
};
