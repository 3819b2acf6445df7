//! ytt's words for what is wrong with data values and schemas, in ytt's layout.

use std::fmt::{self, Write};

use super::violation::{Fault, Problem, Role, Violation};
use crate::tree::Position;

/// What is wrong with data values or a schema: violations, and errors that are not about a node.
#[derive(Debug, Clone)]
pub struct SchemaError {
    summary: String,
    violations: Vec<Violation>,
    others: Vec<Other>,
}

#[derive(Debug, Clone)]
enum Other {
    Report(SchemaError),
    Text(String),
}

impl SchemaError {
    /// Violations under a headline.
    pub(crate) fn new(summary: impl Into<String>, violations: Vec<Violation>) -> SchemaError {
        SchemaError { summary: summary.into(), violations, others: Vec::new() }
    }

    /// One violation under a headline.
    pub(super) fn one(summary: impl Into<String>, violation: Violation) -> SchemaError {
        SchemaError::new(summary, vec![violation])
    }

    /// A report inside of another: ytt wraps some of its own reports once more.
    pub(super) fn wrapping(summary: &str, inner: SchemaError) -> SchemaError {
        SchemaError { others: vec![Other::Report(inner)], ..SchemaError::new(summary, Vec::new()) }
    }

    /// An error that is not about a value.
    pub(super) fn text(summary: &str, text: impl Into<String>) -> SchemaError {
        SchemaError { others: vec![Other::Text(text.into())], ..SchemaError::new(summary, Vec::new()) }
    }

    /// The headline.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// All violations, also those of reports inside.
    pub fn violations(&self) -> Vec<&Violation> {
        let mut all: Vec<&Violation> = self.violations.iter().collect();
        for other in &self.others {
            if let Other::Report(report) = other {
                all.extend(report.violations());
            }
        }
        all
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}\n{}\n", self.summary, "=".repeat(self.summary.len()))?;
        // The gutter is as wide as the widest line number of a node; those of annotations do not count.
        let width =
            self.violations.iter().map(|violation| violation.position.as_line().len()).max().unwrap_or(0);
        for violation in &self.violations {
            write_violation(f, violation, width)?;
        }
        for other in &self.others {
            match other {
                Other::Report(report) => writeln!(f, "{report} ")?,
                Other::Text(text) => writeln!(f, "{text} ")?,
            }
        }
        f.write_char('\n')
    }
}

impl std::error::Error for SchemaError {}

fn write_violation(f: &mut fmt::Formatter<'_>, violation: &Violation, width: usize) -> fmt::Result {
    if let Some(description) = violation.description() {
        write!(f, "\n{description}")?;
    }
    let position = &violation.position;
    if position.is_from_memory() {
        write!(f, "\nData value calculated:\n  {:width$} #\n", "")?;
        write!(f, "  {:width$} # {}\n  {:width$} #", "", position.line_text(), "")?;
    } else {
        write!(f, "\n{}:\n  {:width$} |", position.file_name(), "")?;
        let mut annotations: Vec<&Position> = violation.annotations.iter().collect();
        annotations.sort_by_key(|position| position.line());
        let mut last: Option<&Position> = None;
        for position in annotations.into_iter().chain([position]) {
            if last.is_some_and(|last| !position.is_next_to(last)) {
                write!(f, "\n  {:width$} | ...", "")?;
            }
            write!(f, "\n  {:>width$} | {}", position.as_line(), position.line_text())?;
            last = Some(position);
        }
        write!(f, "\n  {:width$} |", "")?;
    }
    f.write_str("\n\n")?;
    let found = violation.found();
    if !found.is_empty() {
        write!(f, "  {:width$} = found: {found}", "")?;
    }
    f.write_char('\n')?;
    let expected = violation.expected();
    if !expected.is_empty() {
        write!(f, "  {:width$} = expected: {expected}", "")?;
    }
    for hint in violation.hints() {
        write!(f, "\n  {:width$} = hint: {hint}", "")?;
    }
    f.write_char('\n')
}

/// What `@schema/examples` takes.
const EXAMPLE: &str = "2-tuple containing description (string) and example value (of expected type)";

impl Violation {
    /// What is wrong, where ytt says it.
    pub fn description(&self) -> Option<String> {
        match &self.problem {
            Problem::UndeclaredKey { .. } => Some("Given data value is not declared in schema".to_owned()),
            Problem::DeprecatedOnDocument => {
                Some("@schema/deprecated not supported on a document".to_owned())
            }
            Problem::InsideAny(_) => Some("Schema was specified within an \"any type\" fragment".to_owned()),
            Problem::Arguments { annotation, fault, .. } => Some(match (*annotation, fault) {
                ("schema/type", Fault::Missing) => {
                    "expected @schema/type annotation to have keyword argument and value".to_owned()
                }
                ("schema/type", _) => "unknown @schema/type annotation keyword argument".to_owned(),
                ("schema/nullable", _) => {
                    "expected @schema/nullable annotation to not contain any keyword arguments".to_owned()
                }
                _ => format!("syntax error in @{annotation} annotation"),
            }),
            Problem::WrongType { .. }
            | Problem::ArrayLength(_)
            | Problem::NullValue
            | Problem::DefaultOnArrayItem => None,
        }
    }

    /// What is there.
    pub fn found(&self) -> String {
        let found = match &self.problem {
            Problem::WrongType { found, .. } => (*found).to_owned(),
            Problem::UndeclaredKey { key, .. } => key.clone(),
            Problem::ArrayLength(length) => format!("{length} array items"),
            Problem::NullValue => "null value".to_owned(),
            Problem::DefaultOnArrayItem | Problem::DeprecatedOnDocument => String::new(),
            Problem::InsideAny(annotations) => format!("@{} annotation(s)", annotations.join(", @")),
            Problem::Arguments { annotation, fault, .. } => return self.found_argument(annotation, fault),
        };
        match (self.role, self.annotations.first()) {
            (Role::Default, Some(annotation)) => format!("{found} (at {annotation})"),
            (Role::Example, Some(annotation)) => format!("{found} (by {annotation})"),
            _ => found,
        }
    }

    fn found_argument(&self, annotation: &str, fault: &Fault) -> String {
        let at = self.annotations.first().map(Position::to_string).unwrap_or_default();
        match fault {
            Fault::Missing if annotation == "schema/type" => {
                format!("missing keyword argument and value (by {at})")
            }
            Fault::Missing => format!("missing value in @{annotation} (by {at})"),
            Fault::Keyword => format!("keyword argument in @{annotation} (by {at})"),
            Fault::UnknownKeyword(name) => format!("{name} (by {at})"),
            Fault::TooMany(count) => format!("{count} values in @{annotation} (by {at})"),
            Fault::NotString => format!("Non-string value in @{annotation} (by {at})"),
            Fault::NotBool(found) => format!("{found} (by {at})"),
            Fault::NotTuple(found) => format!("{found} for @{annotation} (at {at})"),
            Fault::ShortTuple => format!("empty tuple in @{annotation} (by {at})"),
            Fault::LongTuple(length) => format!("{length}-tuple argument in @{annotation} (by {at})"),
            Fault::DescriptionNotString(found) => format!("{found} value for @{annotation} (at {at})"),
        }
    }

    /// What should be there.
    pub fn expected(&self) -> String {
        let declared = &self.declared;
        match &self.problem {
            // A type that was computed has no name in reports.
            Problem::WrongType { .. } if !declared.is_known() => format!(" (by {declared})"),
            Problem::WrongType { expected, .. } => format!("{expected} (by {declared})"),
            Problem::UndeclaredKey { declared: keys, .. } => match keys.as_slice() {
                [key] => format!("a map item with the key named \"{key}\" (from {declared})"),
                [_, ..] if keys.len() <= 9 => format!("one of {{ {} }} (from {declared})", keys.join(", ")),
                _ => format!("a key declared in map (from {declared})"),
            },
            Problem::ArrayLength(_) => "exactly 1 array item, of the desired type".to_owned(),
            Problem::NullValue => "non-null value".to_owned(),
            Problem::DefaultOnArrayItem | Problem::DeprecatedOnDocument => String::new(),
            Problem::InsideAny(_) => {
                "no '@schema/...' on nodes within a node annotated '@schema/type any=True'".to_owned()
            }
            Problem::Arguments { annotation, fault, expected } => match (*annotation, fault, expected) {
                (_, _, Some(expected)) => format!("{expected} (by {declared})"),
                ("schema/type", Fault::Missing, _) => "valid keyword argument and value".to_owned(),
                ("schema/type", Fault::UnknownKeyword(_), _) => "A valid kwarg".to_owned(),
                ("schema/type" | "schema/nullable", ..) => "starlark.Bool".to_owned(),
                ("schema/examples", ..) => EXAMPLE.to_owned(),
                _ => "string".to_owned(),
            },
        }
    }

    /// What may help.
    pub fn hints(&self) -> Vec<String> {
        let hints: &[&str] = match &self.problem {
            Problem::WrongType { .. } => &[],
            Problem::UndeclaredKey { nearest, .. } => {
                return nearest.iter().map(|nearest| format!("did you mean \"{nearest}\"?")).collect();
            }
            Problem::ArrayLength(_) => &[
                "in schema, the one item of the array implies the type of its elements.",
                "in schema, the default value for an array is always an empty list.",
                "default values can be overridden via a data values overlay.",
            ],
            Problem::NullValue => &[
                "in YAML, omitting a value implies null.",
                "to set the default value to null, annotate with @schema/nullable.",
                "to allow any value, annotate with @schema/type any=True.",
            ],
            Problem::DefaultOnArrayItem => &[
                "do you mean to set a default value for the array?",
                "set an array's default by annotating its parent.",
            ],
            Problem::DeprecatedOnDocument => &[
                "do you mean to deprecate the entire schema document?",
                "use schema/deprecated on individual keys.",
            ],
            Problem::InsideAny(_) => &[
                "an \"any type\" fragment has no constraints; nested schema annotations conflict and are disallowed",
            ],
            Problem::Arguments { annotation, fault, .. } => match (*annotation, fault) {
                ("schema/type", Fault::Missing) => &["Supported key-value pairs are 'any=True', 'any=False'"],
                ("schema/type" | "schema/nullable", _) => &["Supported kwargs are 'any'"],
                ("schema/default", Fault::Keyword) => &[
                    "this annotation only accepts one argument: the default value.",
                    "value must be in Starlark format, e.g.: {'key': 'value'}, True.",
                ],
                ("schema/examples", _) => &[],
                (_, Fault::Keyword) => &["this annotation only accepts one argument: a string."],
                _ => &[],
            },
        };
        hints.iter().map(|&hint| hint.to_owned()).collect()
    }
}
