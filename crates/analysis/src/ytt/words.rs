//! Our words for what functions and the language say.

use std::ops::Range;

use trueline_ytt::error::{Fact, LanguageFault as Fault};

use super::sentences;

/// What failed in code, and what helps.
pub(super) fn of_code(message: &str, fact: Option<&Fact>) -> (String, Option<String>) {
    let message = said_by_program(fact).unwrap_or(message).trim();
    // Functions that templates are compiled to are not for readers.
    let message = match message.split_once(": ") {
        Some((function, rest)) if function.starts_with("__ytt_") => rest,
        _ => message,
    };
    let (message, hint) = match message.strip_suffix(')').and_then(|open| open.rsplit_once(" (hint: ")) {
        // What a check looks at is not named with flags, and where a colon is missing is said anyway.
        Some((message, hint)) if hint.contains(" -f ") || hint.starts_with("missing colon") => {
            (message, None)
        }
        Some((message, hint)) => (message, Some(hint.to_owned())),
        None => (message, None),
    };
    match fact.and_then(sentences::of_fact) {
        Some((message, help)) => (without_verbs(&message), help.or(hint)),
        None => (without_verbs(message), hint),
    }
}

/// What is said of a failure outside of code, and what helps: our words, those of the program that failed, or ytt's.
pub(super) fn of_clause(clause: String, fact: Option<&Fact>) -> (String, Option<String>) {
    let known = fact.and_then(sentences::of_fact);
    known.unwrap_or_else(|| (said_by_program(fact).map_or(clause, str::to_owned), None))
}

/// The first line of what a program says when it fails on purpose.
fn said_by_program(fact: Option<&Fact>) -> Option<&str> {
    match fact {
        Some(Fact::Language(Fault::Said { words })) => words.trim_start().lines().next(),
        _ => None,
    }
}

/// The data value that code reads and that does not exist, such as `image.tag`.
pub(super) fn missing_data_value(fact: Option<&Fact>, code: &str) -> Option<String> {
    let Some(Fact::Language(Fault::MissingAttribute { found, name, .. })) = fact else { return None };
    if found != "struct" {
        return None;
    }
    code.split("data.values.").skip(1).find_map(|path| {
        let end = path.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '.'));
        let keys: Vec<&str> = path.get(..end.unwrap_or(path.len()))?.split('.').collect();
        let last = keys.iter().position(|key| key == name)?;
        Some(keys.get(..=last)?.join("."))
    })
}

/// A message without what Go prints for a value that its verb is not for, such as `%!s(bool=false)`: the value alone says
/// more.
pub(super) fn without_verbs(message: &str) -> String {
    let mut result = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("%!") {
        let (before, verb) = rest.split_at(at);
        result.push_str(before);
        match value_of_verb(verb) {
            Some((value, after)) => {
                result.push_str(value);
                rest = after;
            }
            None => {
                result.push_str("%!");
                rest = verb.get(2..).unwrap_or_default();
            }
        }
    }
    result + rest
}

/// The value in `%!s(TYPE=VALUE)`, and what comes after it.
fn value_of_verb(verb: &str) -> Option<(&str, &str)> {
    let inside = verb.strip_prefix("%!")?.strip_prefix(char::is_alphabetic)?.strip_prefix('(')?;
    let (inside, after) = inside.split_once(')')?;
    Some((inside.split_once('=')?.1, after))
}

/// The first sign of a text template that opens code inside of code, closes none, or is never closed, with what is said of it.
pub(super) fn unpaired(text: &str) -> Option<(Range<usize>, &'static str)> {
    let (opens, closes) = ("this `(@` is never closed with `@)`", "this `@)` closes no code");
    let (mut open, mut from) = (None, 0);
    while let Some(at) = text.get(from..).and_then(|rest| rest.find('@')).map(|at| from + at) {
        from = at + 1;
        let (before, after) = text.split_at_checked(at)?;
        match (before.ends_with('('), after.starts_with("@)"), open) {
            (true, _, Some(opened)) => return Some((opened..opened + 2, opens)),
            (true, _, None) => open = Some(at - 1),
            (false, true, None) => return Some((at..at + 2, closes)),
            (false, true, Some(_)) => open = None,
            (false, false, _) => {}
        }
    }
    open.map(|opened| (opened..opened + 2, opens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_in_plain_words() {
        let key = |key: &str| Fact::RepeatedKey { key: key.to_owned() };
        let said = |words: &str| Fact::Language(Fault::Said { words: words.to_owned() });
        let again = "remove one of the two, or add `#@yaml/map-key-override` above the second if it replaces the first";
        let file = Fact::NoFile { path: "a.star".to_owned(), module: Some("a.star".to_owned()) };
        for (message, fact, expected, help) in [
            (
                "__ytt_tpl3_start_node: expected key 'env' to not be specified again",
                Some(key("env")),
                "the key `env` appears twice in this map",
                Some(again),
            ),
            (
                "expected key '%!s(bool=false)' to not be specified again",
                Some(key("%!s(bool=false)")),
                "the key `false` appears twice in this map",
                Some(again),
            ),
            ("assert.fail: fail: need two", Some(said("need two")), "need two", None),
            ("fail: stop (hint: later)\nx", Some(said("stop (hint: later)\nx")), "stop", Some("later")),
            (
                "cannot load a.star: Expected to find file 'a.star' (hint: only files included via -f flag are available)",
                Some(file),
                "cannot load `a.star`: there is no such file in this folder",
                None,
            ),
            ("no module 'x' (hint: is it newer?)", None, "no module 'x'", Some("is it newer?")),
        ] {
            let found = of_code(message, fact.as_ref());
            assert_eq!(found, (expected.to_owned(), help.map(str::to_owned)), "{message}");
        }
    }

    #[test]
    fn data_values_that_do_not_exist_are_named() {
        let (found, name) = ("struct".to_owned(), "tag".to_owned());
        let fact = Fact::Language(Fault::MissingAttribute { found, name, nearest: None });
        for (code, expected) in [
            ("data.values.image.tag", Some("image.tag")),
            ("f(data.values.a, data.values.image.tag.x)", Some("image.tag")),
            ("values.tag", None),
            ("data.values.image", None),
        ] {
            assert_eq!(missing_data_value(Some(&fact), code).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn signs_without_a_partner_are_found() {
        for (text, expected) in [
            ("a (@= b @) c", None),
            ("a (@ b", Some("(@ b")),
            ("a (@ b (@ c @)", Some("(@ b (@ c @)")),
            ("a @) b", Some("@) b")),
            ("me@host (@ a @)", None),
        ] {
            assert_eq!(unpaired(text).map(|(range, _)| &text[range.start..]), expected, "{text}");
        }
    }

    #[test]
    fn verbs_of_go_give_way_to_their_values() {
        for (message, expected) in [
            ("a %!s(bool=false) b %!d(string=x)", "a false b x"),
            ("100%! done %!s(", "100%! done %!s("),
            ("%!", "%!"),
        ] {
            assert_eq!(without_verbs(message), expected);
        }
    }
}
