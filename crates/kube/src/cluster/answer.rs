//! What came out of a review, by the kind of object.

use trueline_yaml::SyntaxError;

use super::custom::CustomAnswer;
use super::definition::DefinitionAnswer;
use crate::api::{Kind, Lookup};
use crate::manifest::{Problem, Skip, Verdict};
use crate::structural::NotStructural;

/// What came out.
#[derive(Debug)]
pub(super) enum Answer<'a> {
    /// The text is not JSON.
    Unread(SyntaxError),
    /// The text of what the object takes the place of is not JSON.
    UnreadOld(SyntaxError),
    /// The object is of a kind that Kubernetes itself has, or had. It can be stored if the kind is served.
    BuiltIn { kind: Option<Kind>, problems: Vec<Problem> },
    /// The object is of a kind that a CRD defines.
    Custom(Box<CustomAnswer<'a>>),
    /// The CRD of the object's kind cannot be used.
    Unusable(&'a NotStructural),
    /// The object is a CRD.
    Definition(Box<DefinitionAnswer>),
    /// Nothing was reviewed.
    Skipped(Skip),
}

impl Answer<'_> {
    /// What the rules of built-in kinds say.
    pub(super) fn of_built_in(verdict: Verdict, known: Option<Lookup>) -> Self {
        let kind = match known {
            Some(Lookup::Served(kind)) => Some(kind),
            _ => None,
        };
        match verdict {
            Verdict::Checked(problems) => Answer::BuiltIn { kind, problems },
            Verdict::Skipped(why) => Answer::Skipped(why),
        }
    }
}
