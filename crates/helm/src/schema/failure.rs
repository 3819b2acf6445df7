//! What Helm's validator says of values that break rules: a tree of facts, shaped as that validator shapes it.

use serde_json::Value as Json;

use super::number::Decimal;

/// A broken rule, with those that explain it.
#[derive(Debug, Clone)]
pub(super) struct Failure<'s> {
    /// The value, as a JSON pointer.
    pub(super) path: String,
    pub(super) kind: Violation<'s>,
    pub(super) causes: Vec<Failure<'s>>,
}

/// A number as it was typed in the schema, where that is not how JSON writes it.
pub(super) type Typed<'s> = Option<&'s str>;

/// Which rule was broken, and how.
#[derive(Debug, Clone)]
pub(super) enum Violation<'s> {
    /// Several rules of one schema.
    Group,
    /// Rules of the schema that a reference leads to.
    Reference,
    FalseSchema,
    Cycle {
        url: String,
        first: String,
        second: String,
    },
    /// A number that JSON does not have.
    NotJson,
    Type {
        got: &'static str,
        want: Vec<&'static str>,
    },
    Const(&'s Json, Typed<'s>),
    Enum(&'s [Json], Vec<Typed<'s>>),
    Format {
        got: String,
        want: &'s str,
        why: String,
    },
    Not,
    AllOf,
    AnyOf,
    /// With the first two that matched, if any did.
    OneOf(Option<(usize, usize)>),
    /// `minLength`, `maxItems` and their like.
    Count {
        keyword: &'static str,
        got: usize,
        want: i64,
    },
    /// `minimum`, `multipleOf` and their like.
    Bound {
        keyword: &'static str,
        got: Decimal,
        want: Decimal,
    },
    Required(Vec<&'s str>),
    Dependency {
        name: &'s str,
        missing: Vec<&'s str>,
    },
    AdditionalProperties(Vec<String>),
    PropertyName(String),
    Duplicates(usize, usize),
    AdditionalItems(usize),
    Contains,
    MinContains {
        want: i64,
        matched: Vec<usize>,
    },
    MaxContains {
        want: i64,
        matched: Vec<usize>,
    },
    Pattern {
        got: String,
        want: &'s str,
    },
}

impl Violation<'_> {
    /// How many bytes of values and names it says, about.
    pub(super) fn length(&self) -> usize {
        let said = |json: &Json| json.as_str().map_or(8, str::len);
        match self {
            Violation::Const(want, _) => said(want),
            Violation::Enum(want, _) => want.iter().map(said).sum(),
            Violation::Format { got, want, why } => got.len() + want.len() + why.len(),
            Violation::Pattern { got, want } => got.len() + want.len(),
            Violation::Required(names) | Violation::Dependency { missing: names, .. } => {
                names.iter().map(|name| name.len()).sum()
            }
            Violation::AdditionalProperties(names) => names.iter().map(String::len).sum(),
            Violation::PropertyName(name) => name.len(),
            Violation::Cycle { url, first, second } => url.len() + first.len() + second.len(),
            Violation::MinContains { matched, .. } | Violation::MaxContains { matched, .. } => {
                8 * matched.len()
            }
            _ => 0,
        }
    }
}
