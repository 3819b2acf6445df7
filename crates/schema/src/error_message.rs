//! `errorMessage`: messages by the schema's author that replace ours.
//!
//! A string applies to everything that is wrong in its schema. A map has messages by keyword, with
//! `required: {name: …}` per name, `properties` and `items` for what lies below, and `_` for the rest. The
//! innermost schema with a message wins.

use serde_json::Value;

use crate::Violation;
use crate::words::notation::parts;
use crate::words::route::Route;
use crate::words::{Words, excerpt, secret, tree};

/// How many characters of a message are read.
const LONGEST: usize = 4_000;

/// A message by the schema's author.
pub(crate) struct Custom {
    /// The message.
    pub message: String,
    /// What it applies to, so it is reported once.
    pub reach: String,
}

/// The author's message for a broken rule; `name` is the property that a rule about names is about.
pub(crate) fn for_rule(
    words: &Words<'_>,
    violation: &Violation,
    route: &Route<'_>,
    name: Option<&str>,
) -> Option<Custom> {
    let path: Vec<_> = parts(&violation.instance_path).collect();
    let own = route.steps.len().checked_sub(1)?;
    for (index, step) in route.steps.iter().enumerate().rev() {
        let Some(said) = step.schema.get("errorMessage") else { continue };
        let below: Vec<&str> = path.iter().skip(step.depth).map(AsRef::as_ref).collect();
        let scope = Scope { violation, name, is_own: index == own, through: step.through };
        let Some((message, reach)) = scope.find(said, &below) else { continue };
        let prefix: Vec<&str> = path
            .iter()
            .take(step.depth + reach.unwrap_or(usize::MAX - path.len()))
            .map(AsRef::as_ref)
            .collect();
        let reach = match reach {
            Some(_) => format!("{}\n/{}", step.place, prefix.join("/")),
            // A message for one keyword and one name applies to nothing else.
            None => format!(
                "{}\n{}\n{}\n{}",
                step.place,
                violation.instance_path,
                violation.keyword,
                name.unwrap_or_default()
            ),
        };
        return Some(Custom { message: fill_in(words, violation, message), reach });
    }
    None
}

struct Scope<'s> {
    violation: &'s Violation,
    name: Option<&'s str>,
    /// Whether the broken rule is in the very schema that has the messages.
    is_own: bool,
    through: &'static str,
}

impl Scope<'_> {
    /// The message, and how many parts of the path below the schema it applies to as a whole.
    fn find<'m>(&self, said: &'m Value, below: &[&str]) -> Option<(&'m str, Option<usize>)> {
        let mut said = said;
        let mut passed = 0;
        let mut rest: Option<(&'m str, usize)> = None;
        loop {
            if let Value::String(message) = said {
                return Some((message, Some(passed)));
            }
            if let Some(message) = said.get("_").and_then(Value::as_str) {
                rest = Some((message, passed));
            }
            let next = below.get(passed);
            match next {
                None => {
                    let of_keyword = self.of_keyword(said).map(|message| (message, None));
                    return of_keyword.or(rest.map(|(message, passed)| (message, Some(passed))));
                }
                Some(part) => {
                    let child =
                        said.get("properties").and_then(|properties| properties.get(part)).or_else(|| {
                            match said.get("items")? {
                                Value::Array(items) => items.get(part.parse::<usize>().ok()?),
                                all => part.parse::<usize>().ok().map(|_| all),
                            }
                        });
                    match child {
                        Some(child) => said = child,
                        None => return rest.map(|(message, passed)| (message, Some(passed))),
                    }
                    passed += 1;
                }
            }
        }
    }

    fn of_keyword<'m>(&self, said: &'m Value) -> Option<&'m str> {
        let keyword = self.violation.keyword.as_str();
        // A rule below `then` belongs to the whole `if`.
        let condition = matches!(self.through, "then" | "else").then_some("if");
        let keywords = [self.is_own.then_some(keyword), Some(self.through), condition];
        keywords.into_iter().flatten().filter(|keyword| !keyword.is_empty()).find_map(|keyword| {
            match said.get(keyword)? {
                Value::String(message) => Some(message.as_str()),
                by_name => by_name.get(self.name?)?.as_str(),
            }
        })
    }
}

/// Inserts values into a message: `${/metadata/name}` from the document's root, `${0}` the value itself,
/// `${1/name}` from one level up.
fn fill_in(words: &Words<'_>, violation: &Violation, message: &str) -> String {
    // The message is repeated for everything that is wrong in its scope.
    let message: String = message.chars().take(LONGEST).collect();
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = message.as_str();
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((pointer, after)) = behind.split_once('}') else { break };
        text.push_str(before);
        match value_at(words, &violation.instance_path, pointer) {
            Some(value) => text.push_str(&value),
            None => text.push_str(&format!("${{{pointer}}}")),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

fn value_at(words: &Words<'_>, from: &str, pointer: &str) -> Option<String> {
    let absolute = if pointer.starts_with('/') || pointer.is_empty() {
        pointer.to_owned()
    } else {
        let digits = pointer.find('/').unwrap_or(pointer.len());
        let mut base = from;
        for _ in 0..pointer.get(..digits)?.parse::<usize>().ok()? {
            base = base.rsplit_once('/')?.0;
        }
        format!("{base}{}", pointer.get(digits..)?)
    };
    if secret::is_secret(words.context.instance, &absolute) {
        return Some("…".to_owned());
    }
    let (instance, _) = words.at(&absolute)?;
    // A list or a map may hold secrets, and are too long for a sentence anyway.
    Some(match tree::scalar(instance) {
        Some(value) => excerpt::show(&value).trim_matches('`').to_owned(),
        None if tree::is_map(instance) => "a map".to_owned(),
        None => "a list".to_owned(),
    })
}
