//! What is said of a value that breaks a rule.

use trueline_ytt::validation::RuleViolation;

/// Lists of allowed values that are longer are left to the help.
const LONGEST: usize = 80;

/// The message of a finding, and what helps.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// What is wrong with the value at a path. Where the author of a rule has words of their own, they are used; the rules that
/// have names have ours.
pub(super) fn worded(path: &str, broken: &RuleViolation) -> Words {
    let subject = if path == "(document)" { "the document".to_owned() } else { format!("`{path}`") };
    let only = |message: String| Words { message, help: None };
    let wanted = first_line(&broken.description);
    // The function that says so is ytt's and not the reader's.
    let found = broken.found.strip_prefix("assert.fail: fail: ").unwrap_or(&broken.found);
    let found = first_line(found);
    if let Some(message) = &broken.message {
        return only(first_line(message).to_owned());
    }
    if wanted == "not null" {
        let help = "set it in a file of data values, or with `--data-value`".to_owned();
        return Words { message: format!("{subject} is required and has no value"), help: Some(help) };
    }
    if let Some(predicate) = of_named_rule(wanted, found) {
        return only(format!("{subject} {predicate}"));
    }
    if let Some(pattern) = wanted.strip_prefix("a value matching ").filter(|_| found == "does not match") {
        return Words {
            message: format!("{subject} does not match the pattern of its rule"),
            help: Some(format!("it must match `{pattern}`")),
        };
    }
    let message = match found {
        "" => format!("{subject} breaks a validation rule"),
        found => format!("{subject} breaks a validation rule: {found}"),
    };
    Words {
        message,
        help: Some(wanted).filter(|wanted| !wanted.is_empty()).map(|wanted| format!("it must be: {wanted}")),
    }
}

/// What a value must be that breaks a rule with a name; none if it has words of its author, or fails in another way.
fn of_named_rule(wanted: &str, found: &str) -> Option<String> {
    let length = found.strip_prefix("length = ");
    for (rule, words) in [("length >= ", "at least "), ("length <= ", "at most "), ("length = ", "")] {
        if let (Some(bound), Some(length)) = (wanted.strip_prefix(rule), length) {
            return Some(format!("must have a length of {words}{bound}, found {length}"));
        }
    }
    for (rule, sign, words) in
        [("a value >= ", "value < ", "at least"), ("a value <= ", "value > ", "at most")]
    {
        if let (Some(bound), true) = (wanted.strip_prefix(rule), found.starts_with(sign)) {
            return Some(format!("must be {words} {bound}"));
        }
    }
    if let Some(name) = wanted.strip_prefix("a valid ").filter(|name| found == format!("not a valid {name}"))
    {
        return Some(format!("is not a valid {name}"));
    }
    if wanted.starts_with("one of ") && found == "not one of allowed values" && wanted.len() <= LONGEST {
        return Some(format!("must be {wanted}"));
    }
    if let Some(keys) =
        wanted.strip_prefix("exactly one of ").and_then(|keys| keys.strip_suffix(" to be not null"))
    {
        let keys = if keys == "all children" { "its keys" } else { keys };
        return match found.strip_suffix(" are not null") {
            Some(set) => Some(format!("must have exactly one of {keys} set, found {set}")),
            None if matches!(found, "all values are null" | "value is empty") => {
                Some(format!("must have exactly one of {keys} set, found none"))
            }
            None => None,
        };
    }
    let is_plain = match wanted {
        "an even number" => found == "an odd number",
        "an odd number" => found == "an even number",
        _ => [
            ("a value starting with ", "does not start with "),
            ("a value ending with ", "does not end with "),
            ("a value containing ", "does not contain "),
            ("a multiple of ", "not a multiple of "),
        ]
        .iter()
        .any(|(want, lack)| wanted.starts_with(want) && found.starts_with(lack)),
    };
    is_plain.then(|| format!("must be {wanted}"))
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use trueline_ytt::tree::Position;

    use super::*;

    fn of(path: &str, description: &str, found: &str) -> (String, Option<String>) {
        let broken = RuleViolation {
            rule: Position::unknown(),
            description: description.to_owned(),
            found: found.to_owned(),
            message: None,
        };
        let Words { message, help } = worded(path, &broken);
        (message, help)
    }

    #[test]
    fn rules_with_names_are_in_plain_words() {
        for (description, found, expected) in [
            ("length >= 8", "length = 7", "`a` must have a length of at least 8, found 7"),
            ("length = 16", "length = 7", "`a` must have a length of 16, found 7"),
            ("a value <= 10", "value > 10", "`a` must be at most 10"),
            ("a value >= \"b\"", "value < b", "`a` must be at least \"b\""),
            ("one of [\"a\", \"b\"]", "not one of allowed values", "`a` must be one of [\"a\", \"b\"]"),
            ("a valid hostname", "not a valid hostname", "`a` is not a valid hostname"),
            (
                "a value starting with \"/\"",
                "does not start with \"/\"",
                "`a` must be a value starting with \"/\"",
            ),
            ("a multiple of 3", "not a multiple of 3", "`a` must be a multiple of 3"),
            ("an even number", "an odd number", "`a` must be an even number"),
            (
                "exactly one of [\"x\", \"y\"] to be not null",
                "[\"x\", \"y\"] are not null",
                "`a` must have exactly one of [\"x\", \"y\"] set, found [\"x\", \"y\"]",
            ),
            (
                "exactly one of all children to be not null",
                "value is empty",
                "`a` must have exactly one of its keys set, found none",
            ),
        ] {
            assert_eq!(of("a", description, found), (expected.to_owned(), None), "{description}");
        }
        let (message, help) = of("a", "a value matching ^v", "does not match");
        assert_eq!(message, "`a` does not match the pattern of its rule");
        assert_eq!(help.as_deref(), Some("it must match `^v`"));
    }

    #[test]
    fn authors_and_other_failures_keep_their_words() {
        for (description, found, message, help) in [
            ("a name", "length = 0", "`a` breaks a validation rule: length = 0", Some("it must be: a name")),
            (
                "length >= 2",
                "len: value of type int has no len",
                "`a` breaks a validation rule: len: value of type int has no len",
                Some("it must be: length >= 2"),
            ),
            (
                "exactly one replica",
                "assert.fail: fail: 2 are configured",
                "`a` breaks a validation rule: 2 are configured",
                Some("it must be: exactly one replica"),
            ),
            ("small", "", "`a` breaks a validation rule", Some("it must be: small")),
        ] {
            assert_eq!(of("a", description, found), (message.to_owned(), help.map(str::to_owned)));
        }
        assert_eq!(of("(document)", "", "x").0, "the document breaks a validation rule: x");
    }
}
