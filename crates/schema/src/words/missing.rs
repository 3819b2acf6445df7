//! `required` and `dependentRequired`: a required field is missing.

use serde_json::Value;
use trueline_diagnostic::{Code, Diagnostic, Severity};

use super::describe::reference;
use super::excerpt::quote;
use super::route::{Route, below};
use super::{Worded, Words, notation, tree};
use crate::{Violation, help};

/// A field is missing.
pub(crate) static MISSING_PROPERTY: Code = Code {
    id: "TL0202",
    name: "missing-property",
    severity: Severity::Error,
    summary: "A required field is missing",
    explanation: "The schema lists the required fields of a map (`required`), and one of them is missing. Add it, \
                  or check its spelling and its indentation: a field indented too far belongs to the map above it.",
    wrong: "install:\n  mise:\n    configFile: mise.toml\n",
    right: "install:\n  method: mise\n  mise:\n    configFile: mise.toml\n",
};

/// A field is missing that another one requires.
pub(crate) static MISSING_DEPENDENT: Code = Code {
    id: "TL0219",
    name: "missing-dependent-property",
    severity: Severity::Error,
    summary: "A field that another field requires is missing",
    explanation: "Some fields make sense only together (`dependentRequired`, `dependencies`): if one is set, the \
                  other must be set too. Add the missing field or remove the one that requires it.",
    wrong: "tls:\n  cert: server.crt\n",
    right: "tls:\n  cert: server.crt\n  key: server.key\n",
};

pub(crate) fn word(words: &Words<'_>, violation: &Violation, route: &Route<'_>) -> Vec<Worded> {
    let name = violation.names.first().map(String::as_str).unwrap_or_default();
    vec![(Some(name.to_owned()), missing(words, violation, route, name))]
}

fn missing(words: &Words<'_>, violation: &Violation, route: &Route<'_>, name: &str) -> Diagnostic {
    let field = format!("`{}`", notation::field(words.context.instance, &violation.instance_path, name));
    let inside = words.inside(&violation.instance_path);
    let place = words.map_place(violation);
    let asking = violation.names.get(1).filter(|_| violation.keyword != "required");
    let mut diagnostic = match asking {
        Some(asking) => {
            let message = format!("{field} is missing; {} requires it", quote(asking));
            let parent = words.at(&violation.instance_path);
            let other = parent.and_then(|(parent, _)| parent.child(asking)).and_then(|(_, place)| place.key);
            Diagnostic::new(&MISSING_DEPENDENT, other.unwrap_or(place), message)
                .label(format!("{} must be set too", quote(name)))
        }
        None => Diagnostic::new(&MISSING_PROPERTY, place, format!("{field} is missing"))
            .label(format!("{}{MUST_BE_SET}{inside}", quote(name))),
    };
    if let Some(misplaced) = misspelt(words, violation, route, name) {
        diagnostic = diagnostic.help(format!("did you misspell it as {}?", quote(&misplaced)));
    }
    advice(words, route, name, &inside, diagnostic)
}

/// What the label of a missing field says after the field's name.
pub(super) const MUST_BE_SET: &str = " must be set ";

/// What to write: an example from the schema of the missing field, with its description.
fn advice(
    words: &Words<'_>,
    route: &Route<'_>,
    name: &str,
    inside: &str,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let schemas = property_schemas(words, route, name);
    let example = schemas.iter().find_map(|schema| help::example_line(name, schema));
    let description = schemas.iter().find_map(|schema| help::description(schema));
    let diagnostic = diagnostic.help(match example {
        Some(line) => format!("add it, for example {line}"),
        None => format!("add {} {inside}", quote(name)),
    });
    match description {
        Some(description) => diagnostic.help(format!("{}: {description}", quote(name))),
        None => diagnostic,
    }
}

/// The schemas of a property, if the map's schemas describe it; references followed.
fn property_schemas<'r>(words: &'r Words<'_>, route: &'r Route<'_>, name: &str) -> Vec<&'r Value> {
    let mut found = Vec::new();
    let own: Vec<_> = route.beside().collect();
    // A `required` in a branch may name properties that the map's main schema describes.
    for step in own.into_iter().rev() {
        let Some(mut schema) = step.schema.get("properties").and_then(|properties| properties.get(name))
        else {
            continue;
        };
        let mut place = below(&step.place, &["properties", name]);
        for _ in 0..8 {
            found.push(schema);
            match reference(words.context.schema, &place, schema) {
                Some((target, next)) => (place, schema) = (target, next),
                None => break,
            }
        }
    }
    found
}

/// A field that is set but unknown to the schema, with almost the same name as the missing one.
fn misspelt(words: &Words<'_>, violation: &Violation, route: &Route<'_>, name: &str) -> Option<String> {
    let (map, _) = words.at(&violation.instance_path)?;
    let known = |candidate: &str| {
        route
            .beside()
            .any(|step| step.schema.get("properties").is_some_and(|names| names.get(candidate).is_some()))
    };
    let entries = tree::entries(map);
    // A large map is a table of names that nobody misspells.
    if entries.len() > 200 {
        return None;
    }
    let candidates = entries.iter().map(|(name, ..)| name.as_ref()).filter(|candidate| !known(candidate));
    trueline_diagnostic::nearest(name, candidates).map(str::to_owned)
}
