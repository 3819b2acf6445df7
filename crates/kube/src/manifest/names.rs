//! Plain words for names, keys and port numbers that are not allowed.

use trueline_apimachinery::names::{Fault, NameProblem, Part, Syntax};
use trueline_kube_facts::{Detail, FieldError};

/// What is wrong with a name, said after the path of its field, and how to fix it.
pub(super) struct NameWords {
    pub(super) about: String,
    pub(super) help: Option<&'static str>,
}

/// Words for an error about a name. There are none if it is not known what was typed.
pub(super) fn words(error: &FieldError) -> Option<NameWords> {
    let Detail::Name(problem) = &error.detail else { return None };
    let shown = error.value.as_deref()?;
    let typed = error.typed();
    if typed.is_empty() {
        return None;
    }
    let NameProblem { part, fault } = *problem;
    let is = |what: &str| match shown.len() <= 80 {
        true => format!("is {shown}, which {what}"),
        false => what.to_owned(),
    };
    let (about, help) = match fault {
        Fault::Form(_) if part == Part::Prefix => {
            let help = "write the part before `/` as a domain, as in `example.com/team`: lower-case letters, digits, `-` and `.`";
            (is("has an invalid part before its `/`"), Some(help))
        }
        Fault::Form(syntax) => (is(form(syntax)), Some(help(syntax))),
        Fault::Empty => (is(form(Syntax::Key)), Some(help(Syntax::Key))),
        Fault::Long(most) | Fault::LongInBytes(most) => (length(part, typed, most)?, None),
        Fault::Dots => (is("must not contain dots"), Some("use `-` instead")),
        Fault::Port => (is("is not a port number"), Some("use a number from 1 to 65535")),
        Fault::Reserved(_) | Fault::Holds(_) => return None,
    };
    Some(NameWords { about, help })
}

fn form(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::LabelValue => "is not a valid label value",
        Syntax::Label | Syntax::Subdomain | Syntax::OldLabel | Syntax::KeyName | Syntax::Key => {
            "is not a valid name"
        }
    }
}

/// How a name of a form is written. Nothing of what was typed is in it: a secret that was written in another way would not
/// be recognized in the report.
fn help(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Label => {
            "use lower-case letters, digits and `-`, and begin and end with a letter or a digit, as in `my-name`"
        }
        Syntax::Subdomain => {
            "use lower-case letters, digits, `-` and `.`, and begin and end each part with a letter or a digit, as in \
             `my-name`"
        }
        Syntax::OldLabel => {
            "use lower-case letters, digits and `-`, begin with a letter, and end with a letter or a digit, as in `my-name`"
        }
        Syntax::KeyName | Syntax::Key => {
            "use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit; a domain and `/` may come \
             before it, as in `example.com/team`"
        }
        Syntax::LabelValue => {
            "use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit"
        }
    }
}

fn length(part: Part, typed: &str, most: usize) -> Option<String> {
    let counted = match part {
        Part::Whole => typed,
        Part::Prefix => typed.split_once('/')?.0,
        Part::Name => typed.rsplit('/').next()?,
    };
    let (count, unit) = match counted.is_ascii() {
        true => (counted.len(), "characters"),
        false => (counted.len(), "bytes"),
    };
    let limit = format!("{count} {unit} long; the limit is {most}");
    Some(match part {
        Part::Whole => format!("is {limit}"),
        Part::Prefix => format!("has a part before its `/` that is {limit}"),
        Part::Name if typed.contains('/') => format!("has a part after its `/` that is {limit}"),
        Part::Name => format!("has a key that is {limit}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube_facts::{FieldPath, names};

    #[test]
    fn names_are_explained() {
        for (problems, typed, about, help) in [
            (
                names::dns_1123_label("My_Svc"),
                "My_Svc",
                r#"is "My_Svc", which is not a valid name"#,
                Some("begin and end with a letter or a digit, as in `my-name`"),
            ),
            (
                names::dns_1123_subdomain("Web.-Example_"),
                "Web.-Example_",
                r#"is "Web.-Example_", which is not a valid name"#,
                Some("as in `my-name`"),
            ),
            (
                names::dns_1123_label("___"),
                "___",
                r#"is "___", which is not a valid name"#,
                Some("as in `my-name`"),
            ),
            (
                names::label_value("a b"),
                "a b",
                r#"is "a b", which is not a valid label value"#,
                Some("use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit"),
            ),
            (
                names::qualified_name("A_b/c"),
                "A_b/c",
                r#"is "A_b/c", which has an invalid part before its `/`"#,
                Some("lower-case letters, digits, `-` and `.`"),
            ),
        ] {
            let breach = problems.into_iter().next().unwrap();
            let error = FieldError::new(breach, FieldPath::of("a"), None).with_value(format!("{typed:?}"));
            let words = words(&error).unwrap();
            assert_eq!(words.about, about);
            assert!(words.help.unwrap().ends_with(help.unwrap()), "{typed}");
        }
        let long = "a".repeat(70);
        let breach = names::dns_1123_label(&long).remove(0);
        let error = FieldError::new(breach, FieldPath::of("a"), None).with_value(format!("{long:?}"));
        assert_eq!(words(&error).unwrap().about, "is 70 characters long; the limit is 63");
        assert!(words(&FieldError { value: None, ..error }).is_none());
    }
}
