//! What can be wrong with a data value or a schema, as facts. The words are in `report`.

use super::types::Type;
use crate::tree::{Position, Value};

/// Keys longer than this get no suggestion: comparing two keys costs the product of their lengths.
const LONGEST: usize = 500;

/// One thing that is wrong with a data value or a schema.
#[derive(Debug, Clone)]
pub struct Violation {
    /// What is wrong.
    pub problem: Problem,
    /// The node whose line ytt's report shows.
    pub position: Position,
    /// The value or key itself, in the file or flag where it was typed.
    pub place: Position,
    /// Where the schema declares what was expected; unknown where nothing is declared.
    pub declared: Position,
    /// The annotations that are at fault.
    pub annotations: Vec<Position>,
    /// What the value was written for.
    pub role: Role,
}

/// What a value was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// It is a data value, or a part of the schema.
    #[default]
    Value,
    /// It is the argument of `@schema/default`.
    Default,
    /// It is in an argument of `@schema/examples`.
    Example,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A value of another type was declared.
    WrongType {
        /// The type that it has.
        found: &'static str,
        /// The type that was declared.
        expected: &'static str,
    },
    /// The key is not declared.
    UndeclaredKey {
        /// The key.
        key: String,
        /// The declared keys, sorted.
        declared: Vec<String>,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// An array of a schema does not have exactly one item, but so many.
    ArrayLength(usize),
    /// A null from which no type can be inferred.
    NullValue,
    /// `@schema/default` on an item of an array.
    DefaultOnArrayItem,
    /// `@schema/deprecated` on a document.
    DeprecatedOnDocument,
    /// Annotations of these names below `@schema/type any=True`.
    InsideAny(Vec<&'static str>),
    /// An annotation with arguments that it does not take.
    Arguments {
        /// The name of the annotation.
        annotation: &'static str,
        /// What is wrong with the arguments.
        fault: Fault,
        /// The type that was declared for the argument, if the schema declares it.
        expected: Option<&'static str>,
    },
}

/// What is wrong with the arguments of an annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// There are none.
    Missing,
    /// There is a keyword argument, and none is allowed.
    Keyword,
    /// There is a keyword argument of an unknown name.
    UnknownKeyword(String),
    /// There are so many, and only one is allowed.
    TooMany(usize),
    /// It is not a string.
    NotString,
    /// It is not a boolean, but of this Go type.
    NotBool(&'static str),
    /// It is not a tuple, but of this Starlark type.
    NotTuple(String),
    /// It is a tuple with fewer than two elements.
    ShortTuple,
    /// It is a tuple with so many elements, which is more than two.
    LongTuple(usize),
    /// The description in the tuple is not a string, but of this Starlark type.
    DescriptionNotString(String),
}

impl Violation {
    pub(super) fn new(problem: Problem, position: &Position, place: &Position) -> Violation {
        let place = if place.is_known() { place } else { position };
        Violation {
            problem,
            position: position.clone(),
            place: place.clone(),
            declared: Position::unknown(),
            annotations: Vec::new(),
            role: Role::Value,
        }
    }

    /// A value of another type than the declared one.
    pub(super) fn wrong_type(
        found: &'static str,
        position: &Position,
        place: &Position,
        declared: &Type,
    ) -> Violation {
        let problem = Problem::WrongType { found, expected: declared.name() };
        Violation::new(problem, position, place).declared_at(declared.position())
    }

    /// Something wrong with an annotation of a node.
    pub(super) fn of_annotation(problem: Problem, annotation: &Position, node: &Position) -> Violation {
        Violation { annotations: vec![annotation.clone()], ..Violation::new(problem, node, annotation) }
    }

    pub(super) fn declared_at(self, declared: &Position) -> Violation {
        Violation { declared: declared.clone(), ..self }
    }

    /// The same about a value that is the argument of an annotation.
    pub(super) fn in_annotation(self, role: Role, annotation: &Position) -> Violation {
        Violation { role, annotations: vec![annotation.clone()], place: annotation.clone(), ..self }
    }
}

impl Problem {
    /// A key that is not one of the declared ones.
    pub(super) fn undeclared_key<'k>(key: &Value, declared: impl Iterator<Item = &'k Value>) -> Problem {
        let key = key.go_value();
        let mut declared: Vec<String> = declared.map(Value::go_string).collect();
        declared.sort_unstable();
        let candidates = declared.iter().map(String::as_str).filter(|_| key.len() <= LONGEST);
        let nearest = trueline_starlark::nearest(&key, candidates).map(str::to_owned);
        Problem::UndeclaredKey { key, declared, nearest }
    }
}
