//! ytt's sentences in ours: a table of patterns, in which `{}` stands for what differs.

use trueline_diagnostic::nearest;

/// What ytt says, what is said instead, and what helps. `{0}` is what the first `{}` stands for. The first pattern that fits
/// counts, so longer ones come before shorter ones that fit as well.
const SENTENCES: &[(&str, &str, &str)] = &[
    // The language.
    ("undefined: {} (did you mean {}?)", "`{0}` is not defined", "did you mean `{1}`?"),
    ("undefined: {}", "`{0}` is not defined", ""),
    (
        "mismatched set of block openings (if/else/elif/for/def) and closing (end)",
        "this block is never closed",
        "close it with `end`",
    ),
    ("got newline, want ':'", "expected `:` at the end of this line", ""),
    ("got newline, want primary expression", "expected an expression, found the end of the line", ""),
    ("unexpected newline in string", "this string has no closing quote", ""),
    ("{} value is not iterable", "{a0} cannot be iterated over", ""),
    ("unknown binary op: {} not in {}", "`not in` does not work between {a0} and {a1}", ""),
    ("unknown binary op: {} {} {}", "`{1}` does not work between {a0} and {a2}", ""),
    ("unknown unary op: {} {}", "`{0}` does not work on {a1}", ""),
    ("{} {} {} not implemented", "`{1}` cannot compare {a0} with {a2}", ""),
    ("key \"{}\" not in {}", "there is no key `{0}` in this {thing1}", ""),
    ("key {} not in {}", "there is no key `{0}` in this {thing1}", ""),
    (
        "{} has no .{} field or method (did you mean .{}?)",
        "{a0} has no field or method `{1}`",
        "did you mean `{2}`?",
    ),
    ("{} has no .{} field or method", "{a0} has no field or method `{1}`", ""),
    ("function {} missing {} argument ({})", "the argument `{2}` of `{0}` is missing", ""),
    ("function {} missing {} arguments ({})", "{1} arguments of `{0}` are missing: {2}", ""),
    ("fail: {}", "{0}", ""),
    // Files and libraries.
    ("cannot load {}: builtin ytt library does not have module '{}'", "ytt has no module `{0}`", "{module1}"),
    (
        "library.get: Could not find private library (directory '_ytt_lib' missing?)",
        "there is no directory `_ytt_lib` with libraries",
        "",
    ),
    (
        "library.get: Expected to find library '{}', but did not find '{}'",
        "there is no library `{0}` in `_ytt_lib`",
        "",
    ),
    // Overlays.
    ("expected to find only one overlay operation", "a node may have only one overlay operation", ""),
    (
        "expected '{}' annotation to have at least one keyword argument ({})",
        "`@{0}` needs an argument: {1}",
        "",
    ),
    (
        "expected '{}' annotation keyword argument 'by' to be specified",
        "`@{0}` needs `by=` here, to say what it matches",
        "",
    ),
    (
        "expected only one of keyword arguments ('{}', '{}') specified",
        "`{0}=` and `{1}=` cannot be used together",
        "",
    ),
    (
        "expected '{}' to be in format 'i+' where i is an integer",
        "expected a number such as 1 or `\"1+\"`, found `{0}`",
        "",
    ),
    ("unknown '{}' annotation keyword argument '{}'", "`@{0}` has no argument `{1}`", ""),
    (
        "found @{} on document ({}); only {} can be annotated with @{}",
        "`@{0}` is not allowed on a document, only on {2}",
        "",
    ),
    (
        "found @data/values on {} ({}); only documents (---) can be annotated with @data/values",
        "`@data/values` is not above a document",
        "add a line with `---` below the annotation",
    ),
    (
        "found @data/values-schema on {} ({}); only documents (---) can be annotated with @data/values-schema",
        "`@data/values-schema` is not above a document",
        "add a line with `---` below the annotation",
    ),
    (
        "found @{} on {} ({}); only {} can be annotated with @{}",
        "`@{0}` is not allowed on {a1}, only on {3}",
        "",
    ),
    // Flags.
    ("expected format key=value", "a data value is set with `KEY=VALUE`", ""),
];

/// The modules of ytt, for names that are misspelt.
const MODULES: [&str; 18] = [
    "assert", "base64", "data", "ip", "json", "library", "math", "md5", "module", "overlay", "regexp",
    "sha256", "struct", "template", "toml", "url", "version", "yaml",
];

/// What is said instead of a sentence of ytt, and what helps; none if the sentence is not in the table.
pub(super) fn reworded(text: &str) -> Option<(String, Option<String>)> {
    if let Some(words) = unexpected_token(text) {
        return Some((words, None));
    }
    reworded_with(SENTENCES, text)
}

/// The same with another table.
pub(super) fn reworded_with(
    sentences: &[(&str, &str, &str)],
    text: &str,
) -> Option<(String, Option<String>)> {
    sentences.iter().find_map(|(pattern, sentence, help)| {
        let parts = parts(text, pattern)?;
        let help = filled(help, &parts);
        Some((filled(sentence, &parts), Some(help).filter(|help| !help.is_empty())))
    })
}

/// What the parser wanted and found.
fn unexpected_token(text: &str) -> Option<String> {
    let (found, wanted) = text.strip_prefix("got ")?.split_once(", want ")?;
    if found == "newline" {
        return None;
    }
    if let Some(count) = found.strip_suffix(" arguments") {
        let plural = if wanted.ends_with('1') { "" } else { "s" };
        return Some(format!("expected {wanted} argument{plural}, found {count}"));
    }
    let token = |token: &str| match token {
        "primary expression" => "an expression".to_owned(),
        "identifier" => "a name".to_owned(),
        "int literal" | "float literal" => "a number".to_owned(),
        "string literal" => "a string".to_owned(),
        "end of file" => "the end of the code".to_owned(),
        "illegal token" => "something else".to_owned(),
        other => format!("`{}`", other.trim_matches('\'')),
    };
    Some(format!("expected {}, found {}", token(wanted), token(found)))
}

/// What the holes of a pattern stand for.
fn parts<'t>(text: &'t str, pattern: &str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
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

fn filled(sentence: &str, parts: &[&str]) -> String {
    let mut text = sentence.to_owned();
    for (index, part) in parts.iter().enumerate() {
        for (hole, words) in [
            (format!("{{{index}}}"), (*part).to_owned()),
            (format!("{{a{index}}}"), a_thing(part)),
            (format!("{{thing{index}}}"), thing(part).to_owned()),
            (format!("{{module{index}}}"), nearest_module(part)),
        ] {
            if text.contains(&hole) {
                text = text.replace(&hole, &words);
            }
        }
    }
    text
}

fn nearest_module(name: &str) -> String {
    nearest(name, MODULES).map_or_else(String::new, |near| format!("did you mean `@ytt:{near}`?"))
}

/// The name of a type of Starlark in the words of people.
fn thing(name: &str) -> &str {
    match name {
        "int" => "integer",
        "bool" => "boolean",
        "yamlfragment" => "YAML fragment",
        "builtin_function_or_method" => "function",
        other => other,
    }
}

fn a_thing(name: &str) -> String {
    match thing(name) {
        "NoneType" => "None".to_owned(),
        name if name.starts_with(['a', 'e', 'i', 'o']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::reworded;

    #[test]
    fn sentences_are_in_plain_words() {
        for (text, expected, help) in [
            ("undefined: tru (did you mean true?)", "`tru` is not defined", "did you mean `true`?"),
            ("undefined: x", "`x` is not defined", ""),
            (
                "struct has no .nme field or method (did you mean .name?)",
                "a struct has no field or method `nme`",
                "did you mean `name`?",
            ),
            ("int has no .x field or method", "an integer has no field or method `x`", ""),
            ("NoneType has no .x field or method", "None has no field or method `x`", ""),
            ("unknown binary op: string + int", "`+` does not work between a string and an integer", ""),
            (
                "unknown binary op: int not in int",
                "`not in` does not work between an integer and an integer",
                "",
            ),
            ("string >= int not implemented", "`>=` cannot compare a string with an integer", ""),
            ("key \"b\" not in dict", "there is no key `b` in this dict", ""),
            ("key 5 not in yamlfragment", "there is no key `5` in this YAML fragment", ""),
            ("got ']', want primary expression", "expected an expression, found `]`", ""),
            ("got newline, want ':'", "expected `:` at the end of this line", ""),
            ("function f missing 1 argument (b)", "the argument `b` of `f` is missing", ""),
            ("fail: stop", "stop", ""),
            ("got 2 arguments, want at least 1", "expected at least 1 argument, found 2", ""),
            (
                "cannot load @ytt:libary: builtin ytt library does not have module 'libary'",
                "ytt has no module `@ytt:libary`",
                "did you mean `@ytt:library`?",
            ),
            (
                "found @overlay/insert on map item (F:5); only array items can be annotated with @overlay/insert",
                "`@overlay/insert` is not allowed on a map item, only on array items",
                "",
            ),
        ] {
            let found = reworded(text);
            let help = Some(help).filter(|help| !help.is_empty()).map(str::to_owned);
            assert_eq!(found, Some((expected.to_owned(), help)), "{text}");
        }
        for text in ["", "the author's own words", "undefined"] {
            assert_eq!(reworded(text), None, "{text}");
        }
    }
}
