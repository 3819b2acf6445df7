//! What is wrong with the arguments of `@schema/validation` and its like, in our words.

use trueline_diagnostic::nearest;
use trueline_ytt::validation::{Format, NAMED_RULES};

use super::sentences::a_thing;

/// What ytt says of arguments, and what is said instead, after the name of the annotation.
const ARGUMENTS: &[(&str, &str)] = &[
    (
        "expected annotation to have 2-tuple as argument(s), but found no arguments",
        "needs a rule, such as `min=1`",
    ),
    (
        "expected annotation to have 2-tuple as argument(s), but found: {}",
        "takes rules such as `min=1` or `(\"a port\", is_port)`, found {0}",
    ),
    (
        "expected 2-tuple, but found tuple with length {}",
        "expects a description and a function, found a tuple of {0}",
    ),
    ("expected keyword argument \"{}\" to be a {}, but was {}", "expects a {1} for `{0}=`, found {a2}"),
    ("unknown keyword argument \"{}\"", "has no rule `{0}`"),
];

/// The message for an annotation that cannot be read, and how it is corrected; none if an error is about something else.
pub(super) fn of_annotation(text: &str) -> Option<(String, Option<String>)> {
    let text = text.lines().find_map(|line| line.split_once("Invalid @"))?.1;
    let (name, words) = text.split_once(" annotation - ")?;
    // The place is where the finding is.
    let place = words.rfind(" (at ").or_else(|| words.rfind(" (by "));
    let words = place.filter(|_| words.ends_with(')')).and_then(|end| words.get(..end)).unwrap_or(words);
    let quoted = words.split('"').nth(1).unwrap_or_default();
    let near = match words.split('"').next()? {
        "unknown keyword argument " => nearest(quoted, NAMED_RULES.into_iter().chain(["when"])),
        "unknown format " => nearest(quoted, Format::ALL.map(Format::name)),
        _ => None,
    };
    let message = match ARGUMENTS.iter().find_map(|(said, ours)| reworded(words, said, ours)) {
        Some(words) => format!("`@{name}` {words}"),
        None => format!("`@{name}`: {words}"),
    };
    Some((message, near.map(|near| format!("did you mean `{near}`?"))))
}

/// Our words in place of a sentence that fits; `{0}` is what its first `{}` stands for, and `{a2}` a type of values.
fn reworded(text: &str, said: &str, ours: &str) -> Option<String> {
    let mut result = ours.to_owned();
    for (index, part) in parts(text, said)?.into_iter().enumerate() {
        result = result.replace(&format!("{{a{index}}}"), &a_thing(part));
        result = result.replace(&format!("{{{index}}}"), part);
    }
    Some(result)
}

/// What the holes of a sentence stand for.
fn parts<'t>(text: &'t str, said: &str) -> Option<Vec<&'t str>> {
    let mut pieces = said.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut parts = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let (part, after) = match pieces.peek() {
            None if piece.is_empty() => (rest, ""),
            None => (rest.strip_suffix(piece)?, ""),
            Some(_) => rest.split_once(piece)?,
        };
        parts.push(part);
        rest = after;
    }
    rest.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::of_annotation;

    #[test]
    fn arguments_that_are_misspelt_are_corrected() {
        let of = |words: &str| {
            of_annotation(&format!("Overlaying:\n  Invalid @schema/validation annotation - {words}"))
        };
        let (message, help) = of("unknown keyword argument \"min_length\" (at schema.yml:3)").unwrap();
        assert_eq!(message, "`@schema/validation` has no rule `min_length`");
        assert_eq!(help.as_deref(), Some("did you mean `min_len`?"));
        let (_, help) = of("unknown format \"hostnam\", expected one of a, b (at s.yml:3)").unwrap();
        assert_eq!(help.as_deref(), Some("did you mean `hostname`?"));
        let (message, _) =
            of("expected keyword argument \"min_len\" to be a number, but was string (at s.yml:3)").unwrap();
        assert_eq!(message, "`@schema/validation` expects a number for `min_len=`, found a string");
        let (message, _) = of_annotation(
            "Overlaying (in following order: s.yml): Invalid @assert/validate annotation - expected annotation to have 2-tuple as argument(s), but found: 5 (by s.yml:3)",
        )
        .unwrap();
        assert_eq!(
            message,
            "`@assert/validate` takes rules such as `min=1` or `(\"a port\", is_port)`, found 5"
        );
        assert_eq!(of("one_not_null= cannot be False").unwrap().1, None);
        assert_eq!(of_annotation("something else"), None);
    }
}
