//! What is wrong with data values and schemas, in our words.

use std::sync::Arc;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_source::{Source, SourceKind, SourceMap, Span};
use trueline_yaml::{ReadOptions, ScalarValue};
use trueline_ytt::schema::{Fault, Problem, Role, Violation};
use trueline_ytt::tree::Position;

use super::codes::{DATA_VALUE, SCHEMA};
use super::fault::Faults;
use super::paths;
use super::words::without_verbs;

/// Values longer than this are not repeated.
const LONGEST: usize = 60;
/// More declared keys than these are not listed.
const MOST_KEYS: usize = 8;

/// The finding for a violation: at the value, and at the place where the schema says otherwise.
pub(super) fn finding(violation: &Violation, faults: &Faults<'_>) -> Diagnostic {
    let mut primary = faults.place([&violation.place, &violation.position].into_iter());
    // What code hands over has no place of its own but the code.
    let declared_key = declared_key(violation, faults.sources);
    let is_computed = !violation.position.is_known();
    match (&violation.problem, &declared_key) {
        (Problem::UndeclaredKey { key, .. }, _) if is_computed => primary = faults.quoted_in(primary, key),
        (Problem::WrongType { .. }, Some(key)) if is_computed => primary = faults.quoted_in(primary, key),
        _ => {}
    }
    let is_of_value = violation.role == Role::Value
        && matches!(violation.problem, Problem::WrongType { .. } | Problem::UndeclaredKey { .. });
    let code = if is_of_value { &DATA_VALUE } else { &SCHEMA };
    let finding = Diagnostic::new(code, primary, message(violation, primary, faults.sources));
    let mut finding = finding.level(Level::Schema);
    if let Some(declared) = violation.declared.span().filter(|declared| *declared != primary) {
        finding = finding.related(declared, declared_label(&violation.problem));
    }
    for annotation in violation.annotations.iter().filter_map(Position::span) {
        if annotation != primary {
            finding = finding.related(annotation, "this annotation");
        }
    }
    if let Some(path) = paths::path_of(primary, faults.sources).filter(|_| code == &DATA_VALUE) {
        finding = finding.path(path);
    }
    let help = help(&violation.problem).or_else(|| match violation.role {
        Role::Value if violation.position.is_known() => {
            other_spelling(&violation.problem, &faults.sources.get(primary.source), primary)
        }
        _ => None,
    });
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// How the same value is written with the type that is declared, such as a number that a flag takes for a string.
fn other_spelling(problem: &Problem, source: &Source, place: Span) -> Option<String> {
    let Problem::WrongType { found, expected } = problem else { return None };
    let typed = source.slice(place);
    let (name, is_flag) = (source.name(), matches!(source.kind(), SourceKind::Flag));
    if *found == "string" {
        let inner = match is_flag {
            true => typed,
            false => typed.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?,
        };
        let other = type_in_yaml(inner, place)?;
        if other != *expected && (other, *expected) != ("integer", "float") {
            return None;
        }
        return Some(match is_flag {
            true if name.starts_with("--data-value ") => {
                "use `--data-value-yaml`, which reads the value as YAML".to_owned()
            }
            true if name.starts_with('$') => {
                "use `--data-values-env-yaml`, which reads variables as YAML".to_owned()
            }
            true => return None,
            false => "remove the quotes".to_owned(),
        });
    }
    let is_scalar = matches!(*found, "integer" | "float" | "boolean");
    if *expected != "string" || !is_scalar {
        return None;
    }
    Some(match is_flag {
        true if name.starts_with("--data-value-yaml ") => {
            "use `--data-value`, which takes the value as a string".to_owned()
        }
        true if name.starts_with('$') => {
            "use `--data-values-env`, which takes variables as strings".to_owned()
        }
        true => return None,
        false => "put it in quotes".to_owned(),
    })
}

/// The name of the type that a scalar has as YAML.
fn type_in_yaml(text: &str, place: Span) -> Option<&'static str> {
    let stream = trueline_yaml::read(place.source, &Arc::from(text), &ReadOptions::default());
    let scalar = stream.documents.first()?.root().scalar()?;
    Some(match scalar {
        ScalarValue::Int(_) | ScalarValue::UInt(_) => "integer",
        ScalarValue::Float(_) => "float",
        ScalarValue::Bool(_) => "boolean",
        ScalarValue::String | ScalarValue::Null => return None,
    })
}

/// The key that a schema declares a type for.
fn declared_key(violation: &Violation, sources: &SourceMap) -> Option<String> {
    let span = violation.declared.span()?;
    let source = sources.get(span.source);
    let key = source.slice(span);
    let is_key = key.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'));
    (is_key && !key.is_empty() && key != "---" && key != "-").then(|| key.to_owned())
}

fn message(violation: &Violation, place: Span, sources: &SourceMap) -> String {
    let words = match &violation.problem {
        Problem::WrongType { found, expected } => {
            // The place of an argument is its annotation.
            let found = match violation.role {
                Role::Value if !violation.position.is_known() => {
                    let key = declared_key(violation, sources);
                    let of = key.map(|key| format!(" for `{key}`")).unwrap_or_default();
                    return format!("expected {}{of}, found {}", a_type(expected), a_type(found));
                }
                Role::Value => found_value(found, place, sources),
                Role::Default | Role::Example => a_type(found),
            };
            format!("expected {}, found {found}", a_type(expected))
        }
        Problem::UndeclaredKey { key, .. } => {
            format!("`{}` is not declared in the schema", without_verbs(key))
        }
        Problem::ArrayLength(found) => {
            format!("a list in a schema has exactly one item, found {found}")
        }
        Problem::NullValue => "null in a schema has no type".to_owned(),
        Problem::DefaultOnArrayItem => "`@schema/default` is not allowed on an item of a list".to_owned(),
        Problem::DeprecatedOnDocument => "`@schema/deprecated` is not allowed on a document".to_owned(),
        Problem::InsideAny(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`@{name}`")).collect();
            format!("{} is not allowed below `@schema/type any=True`", names.join(", "))
        }
        Problem::Arguments { annotation, fault, .. } => format!("`@{annotation}` {}", of_arguments(fault)),
        _ => "this schema is not valid".to_owned(),
    };
    match violation.role {
        Role::Value => words,
        Role::Default => format!("the default value does not fit: {words}"),
        Role::Example => format!("the example does not fit: {words}"),
    }
}

fn of_arguments(fault: &Fault) -> String {
    match fault {
        Fault::Missing => "needs an argument".to_owned(),
        Fault::Keyword => "takes no keyword argument".to_owned(),
        Fault::UnknownKeyword(name) => format!("has no keyword argument `{name}`"),
        Fault::TooMany(count) => format!("takes one argument, found {count}"),
        Fault::NotString => "expects a string".to_owned(),
        Fault::NotBool(_) => "expects a boolean".to_owned(),
        Fault::NotTuple(found) => format!("expects a tuple of a description and a value, found a {found}"),
        Fault::ShortTuple => "expects a tuple of a description and a value".to_owned(),
        Fault::LongTuple(count) => format!("expects a tuple of two elements, found {count}"),
        Fault::DescriptionNotString(found) => format!("expects a string as description, found a {found}"),
    }
}

fn declared_label(problem: &Problem) -> String {
    match problem {
        Problem::WrongType { expected, .. } => format!("the schema declares {} here", a_type(expected)),
        Problem::UndeclaredKey { .. } => "the schema declares the keys of this map here".to_owned(),
        _ => "declared here".to_owned(),
    }
}

fn help(problem: &Problem) -> Option<String> {
    match problem {
        Problem::UndeclaredKey { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
        Problem::UndeclaredKey { declared, .. } if !declared.is_empty() && declared.len() <= MOST_KEYS => {
            let names: Vec<String> = declared.iter().map(|name| format!("`{name}`")).collect();
            Some(format!("the declared keys are {}", names.join(", ")))
        }
        Problem::NullValue => Some(
            "write an example of the type with `#@schema/nullable` above it, or allow everything with \
             `#@schema/type any=True`"
                .to_owned(),
        ),
        Problem::ArrayLength(_) => Some("write one item, as an example of all".to_owned()),
        _ => None,
    }
}

/// The type of a value with the value, where that is short.
fn found_value(found: &str, place: Span, sources: &SourceMap) -> String {
    let is_scalar = matches!(found, "string" | "integer" | "float" | "boolean");
    let source = sources.get(place.source);
    let typed = source.slice(place);
    if !is_scalar || typed.is_empty() || typed.len() > LONGEST || typed.contains('\n') {
        return a_type(found);
    }
    let of_type = match found {
        "float" => "number",
        other => other,
    };
    format!("the {of_type} `{typed}`")
}

/// ytt's name of a type in the words of people.
pub(super) fn a_type(name: &str) -> String {
    match name {
        "array" => "a list".to_owned(),
        "integer" => "an integer".to_owned(),
        "float" => "a number".to_owned(),
        "null" => "null".to_owned(),
        "any" => "anything".to_owned(),
        other => format!("a {other}"),
    }
}
