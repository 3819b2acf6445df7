//! ytt's facts in our words.

use trueline_diagnostic::nearest;
use trueline_ytt::error::{Fact, LanguageFault as Fault};

use super::rules;
use super::words::without_verbs;

/// The modules of ytt, for names that are misspelt.
const MODULES: [&str; 18] = [
    "assert", "base64", "data", "ip", "json", "library", "math", "md5", "module", "overlay", "regexp",
    "sha256", "struct", "template", "toml", "url", "version", "yaml",
];

/// What is said of a fact, and what helps; none if ytt's own sentence is good enough.
pub(super) fn of_fact(fact: &Fact) -> Option<(String, Option<String>)> {
    if let Fact::Rule { annotation, fault, .. } = fact {
        return Some(rules::of_annotation(annotation, fault));
    }
    let help = match fact {
        Fact::Language(fault) => help_of_fault(fault),
        Fact::RepeatedKey { .. } => Some(
            "remove one of the two, or add `#@yaml/map-key-override` above the second if it replaces the first"
                .to_owned(),
        ),
        Fact::NoModule { name } => nearest(name, MODULES).map(|near| format!("did you mean `@ytt:{near}`?")),
        Fact::Misplaced { annotation, .. } if annotation.starts_with("data/") => {
            Some("add a line with `---` below the annotation".to_owned())
        }
        _ => None,
    };
    let message = match fact {
        Fact::Language(fault) => of_fault(fault),
        Fact::RepeatedKey { key } => format!("the key `{}` appears twice in this map", without_verbs(key)),
        Fact::NoModule { name } => format!("ytt has no module `@ytt:{name}`"),
        Fact::NoFile { module: Some(module), .. } => {
            format!("cannot load `{module}`: there is no such file in this folder")
        }
        Fact::NoLibraries { directory } => format!("there is no directory `{directory}` with libraries"),
        Fact::NoLibrary { path, .. } => format!("there is no library `{path}` in `_ytt_lib`"),
        Fact::UnknownComment { .. } => {
            "comments in a ytt template begin with `#@` (code) or `#!` (a comment)".to_owned()
        }
        Fact::TwoValues { .. } => {
            "this has a YAML value and a computed one; only one of them is allowed".to_owned()
        }
        Fact::CodeAfterEnd { .. } => "expected a YAML node after `/end`, found code".to_owned(),
        Fact::Misplaced { annotation, .. } if annotation.starts_with("data/") => {
            format!("`@{annotation}` is not above a document")
        }
        Fact::Misplaced { annotation, node, allowed, .. } => {
            format!("`@{annotation}` is not allowed on {}, only on {allowed}", a_thing(node))
        }
        Fact::SeveralOperations => "a node may have only one overlay operation".to_owned(),
        Fact::NoArguments { annotation, arguments } => {
            format!("`@{annotation}` needs an argument: {arguments}")
        }
        Fact::NoMatcher { annotation } => {
            format!("`@{annotation}` needs `by=` here, to say what it matches")
        }
        Fact::Exclusive { one, two } => format!("`{one}=` and `{two}=` cannot be used together"),
        Fact::NotACount { found } => format!("expected a number such as 1 or `\"1+\"`, found `{found}`"),
        Fact::UnknownArgument { annotation, argument } => {
            format!("`@{annotation}` has no argument `{argument}`")
        }
        Fact::NotEqual { .. } => "this is not what the overlay asserts".to_owned(),
        Fact::Refused { message: Some(message) } => first_line(message).to_owned(),
        Fact::Refused { message: None } => "this does not pass the assertion of the overlay".to_owned(),
        Fact::NoMatchKey { key } => format!("an item of this list has no key `{key}` to match by"),
        Fact::Unused { library: Some(library), .. } => {
            format!("this is for the library `{library}`, which no template uses")
        }
        Fact::NotKeyValue => "a data value is set with `KEY=VALUE`".to_owned(),
        _ => return None,
    };
    (!message.is_empty()).then_some((message, help))
}

/// What is said of a fault of the language; nothing of one that it says itself.
fn of_fault(fault: &Fault) -> String {
    match fault {
        Fault::Undefined { name, .. } => format!("`{name}` is not defined"),
        Fault::OpenBlock => "this block is never closed".to_owned(),
        Fault::OpenString => "this string has no closing quote".to_owned(),
        Fault::Unexpected { found, wanted } => unexpected(found, wanted),
        Fault::NotIterable { found } => format!("{} cannot be iterated over", a_thing(found)),
        Fault::Binary { left, operator, right } => {
            format!("`{operator}` does not work between {} and {}", a_thing(left), a_thing(right))
        }
        Fault::Unary { operator, operand } => format!("`{operator}` does not work on {}", a_thing(operand)),
        Fault::NotComparable { left, operator, right } => {
            format!("`{operator}` cannot compare {} with {}", a_thing(left), a_thing(right))
        }
        Fault::MissingKey { key, container } => {
            let quoted = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
            format!("there is no key `{}` in this {}", quoted.unwrap_or(key), thing(container))
        }
        Fault::MissingAttribute { found, name, .. } => {
            format!("{} has no field or method `{name}`", a_thing(found))
        }
        Fault::MissingArguments { function, missing } => match missing.as_slice() {
            [name] => format!("the argument `{name}` of `{function}` is missing"),
            names => format!("{} arguments of `{function}` are missing: {}", names.len(), names.join(", ")),
        },
        _ => String::new(),
    }
}

fn help_of_fault(fault: &Fault) -> Option<String> {
    match fault {
        Fault::Undefined { nearest: Some(nearest), .. }
        | Fault::MissingAttribute { nearest: Some(nearest), .. } => {
            Some(format!("did you mean `{nearest}`?"))
        }
        Fault::OpenBlock => Some("close it with `end`".to_owned()),
        _ => None,
    }
}

/// What the parser wanted and found.
fn unexpected(found: &str, wanted: &str) -> String {
    match (found, wanted) {
        ("newline", "':'") => return "expected `:` at the end of this line".to_owned(),
        ("newline", "primary expression") => {
            return "expected an expression, found the end of the line".to_owned();
        }
        ("illegal token", "primary expression") => return "this is not an expression".to_owned(),
        _ => {}
    }
    let token = |token: &str| match token {
        "primary expression" => "an expression".to_owned(),
        "identifier" => "a name".to_owned(),
        "int literal" | "float literal" => "a number".to_owned(),
        "string literal" => "a string".to_owned(),
        "newline" => "the end of the line".to_owned(),
        "end of file" => "the end of the code".to_owned(),
        "illegal token" => "something else".to_owned(),
        other => format!("`{}`", other.trim_matches('\'')),
    };
    format!("expected {}, found {}", token(wanted), token(found))
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

pub(super) fn a_thing(name: &str) -> String {
    match thing(name) {
        "NoneType" => "None".to_owned(),
        name if name.starts_with(['a', 'e', 'i', 'o']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_in_plain_words() {
        let text = |text: &str| text.to_owned();
        let binary = |left: &str, operator, right: &str| Fault::Binary {
            left: left.to_owned(),
            operator,
            right: right.to_owned(),
        };
        for (fault, expected, help) in [
            (
                Fault::Undefined { name: text("tru"), nearest: Some(text("true")) },
                "`tru` is not defined",
                "did you mean `true`?",
            ),
            (Fault::Undefined { name: text("x"), nearest: None }, "`x` is not defined", ""),
            (
                Fault::MissingAttribute {
                    found: text("struct"),
                    name: text("nme"),
                    nearest: Some(text("name")),
                },
                "a struct has no field or method `nme`",
                "did you mean `name`?",
            ),
            (
                Fault::MissingAttribute { found: text("NoneType"), name: text("x"), nearest: None },
                "None has no field or method `x`",
                "",
            ),
            (binary("string", "+", "int"), "`+` does not work between a string and an integer", ""),
            (
                Fault::NotComparable { left: text("string"), operator: ">=", right: text("int") },
                "`>=` cannot compare a string with an integer",
                "",
            ),
            (
                Fault::MissingKey { key: text("\"b\""), container: text("dict") },
                "there is no key `b` in this dict",
                "",
            ),
            (
                Fault::MissingKey { key: text("5"), container: text("yamlfragment") },
                "there is no key `5` in this YAML fragment",
                "",
            ),
            (
                Fault::Unexpected { found: text("']'"), wanted: text("primary expression") },
                "expected an expression, found `]`",
                "",
            ),
            (
                Fault::Unexpected { found: text("newline"), wanted: text("':'") },
                "expected `:` at the end of this line",
                "",
            ),
            (
                Fault::MissingArguments { function: text("f"), missing: vec![text("b")] },
                "the argument `b` of `f` is missing",
                "",
            ),
        ] {
            let help = Some(help).filter(|help| !help.is_empty()).map(str::to_owned);
            let fact = Fact::Language(fault);
            assert_eq!(of_fact(&fact), Some((expected.to_owned(), help)), "{fact}");
        }
        let (message, help) = of_fact(&Fact::NoModule { name: text("libary") }).unwrap();
        assert_eq!(message, "ytt has no module `@ytt:libary`");
        assert_eq!(help.as_deref(), Some("did you mean `@ytt:library`?"));
        let misplaced = Fact::Misplaced {
            annotation: text("overlay/insert"),
            node: "map item",
            line: text("F:5"),
            allowed: "array items",
        };
        let (message, _) = of_fact(&misplaced).unwrap();
        assert_eq!(message, "`@overlay/insert` is not allowed on a map item, only on array items");
        assert_eq!(of_fact(&Fact::Language(Fault::Said { words: text("x") })), None);
    }
}
