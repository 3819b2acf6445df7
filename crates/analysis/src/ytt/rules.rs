//! What is wrong with the arguments of `@schema/validation` and its like, in our words.

use trueline_diagnostic::nearest;
use trueline_ytt::validation::{Format, NAMED_RULES};

use super::sentences::reworded_with;

/// What ytt says of arguments, and what is said instead, after the name of the annotation.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    (
        "expected annotation to have 2-tuple as argument(s), but found no arguments",
        "needs a rule, such as `min=1`",
        "",
    ),
    (
        "expected annotation to have 2-tuple as argument(s), but found: {}",
        "takes rules such as `min=1` or `(\"a port\", is_port)`, found {0}",
        "",
    ),
    (
        "expected 2-tuple, but found tuple with length {}",
        "expects a description and a function, found a tuple of {0}",
        "",
    ),
    ("expected keyword argument \"{}\" to be a {}, but was {}", "expects a {1} for `{0}=`, found {a2}", ""),
    ("unknown keyword argument \"{}\"", "has no rule `{0}`", ""),
];

/// The message for an annotation that cannot be read, and how it is corrected; none if an error is about something else.
pub(super) fn of_annotation(text: &str) -> Option<(String, Option<String>)> {
    let text = text.lines().find_map(|line| line.trim_start().strip_prefix("Invalid @"))?;
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
    let message = match reworded_with(ARGUMENTS, words) {
        Some((words, _)) => format!("`@{name}` {words}"),
        None => format!("`@{name}`: {words}"),
    };
    Some((message, near.map(|near| format!("did you mean `{near}`?"))))
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
        assert_eq!(of("one_not_null= cannot be False").unwrap().1, None);
        assert_eq!(of_annotation("something else"), None);
    }
}
