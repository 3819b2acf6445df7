//! Errors of templates in Helm's words.
//!
//! Helm takes Go's text apart again to print it. Helm 4 gives each link of the chain lines of its own; both
//! single out what a chart says with `required` and `fail`.

use trueline_gotemplate::{Error, Link};

use super::functions::{OWN_WORDS_END, OWN_WORDS_START};
use crate::chart::Compat;

/// The text of a failed execution.
pub(super) fn execution(error: &Error, compat: Compat) -> String {
    let whole = error.to_string();
    let Link::Template(place) = &error.link else { return whole };
    if let Some(words) = own_words(&whole) {
        return format!("execution error at ({}): {words}", place.location);
    }
    match compat {
        Compat::Helm4 => links(error).unwrap_or(whole),
        Compat::Helm3 => whole,
    }
}

/// What a chart said itself, between the marks.
pub(super) fn own_words(text: &str) -> Option<&str> {
    let start = text.find(OWN_WORDS_START)? + OWN_WORDS_START.len();
    let rest = &text[start..];
    Some(&rest[..rest.rfind(OWN_WORDS_END)?])
}

/// Helm 4's lines, a group for each link; nothing if a link is not a template's.
fn links(error: &Error) -> Option<String> {
    let mut groups: Vec<String> = Vec::new();
    for link in error.chain() {
        let group = group(link)?;
        if groups.last() != Some(&group) {
            groups.push(group);
        }
    }
    Some(groups.concat().trim().to_owned())
}

fn group(link: &Error) -> Option<String> {
    match &link.link {
        Link::Template(place) => {
            let message = up_to_next(&link.words, link.cause.as_deref());
            let name = place.template.split('"').next().unwrap_or_default();
            let context = &place.context;
            Some(format!("{}\n  executing \"{name}\" at <{context}>:\n    {message}\n", place.location))
        }
        _ => {
            let text = link.to_string();
            let rest = text.strip_prefix("template: ")?;
            if rest.starts_with("no template ") {
                return Some(format!("{text}\n"));
            }
            let (location, message) = rest.rsplit_once(": ")?;
            let message = message.split(" template:").next().unwrap_or_default();
            Some(format!("{location}\n  {message}\n"))
        }
    }
}

/// The words of a link up to where the text of the next template begins.
fn up_to_next(words: &str, cause: Option<&Error>) -> String {
    let text = match cause {
        // What follows begins with `template:`, directly after these words.
        Some(cause) if matches!(cause.link, Link::Template(_)) => format!("{words}template:"),
        Some(cause) => format!("{words}{cause}"),
        None => words.to_owned(),
    };
    text.split(" template:").next().unwrap_or_default().to_owned()
}

/// The text of a template that cannot be parsed, from Go's.
pub(super) fn parsing(file: &str, text: &str) -> String {
    let mut parts = text.split(": ");
    match (parts.next(), parts.next()) {
        (Some(_), Some(location)) => {
            let message = parts.last().unwrap_or(location);
            format!("parse error at ({location}): {message}")
        }
        _ => format!("parse error in ({file}): {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_gotemplate::StoppedAt;

    fn link(location: &str, template: &str, context: &str, words: &str, cause: Option<Error>) -> Error {
        let place = StoppedAt {
            template: template.into(),
            location: location.into(),
            context: context.into(),
            span: None,
            values: Vec::new(),
        };
        let mut error = cause.map_or_else(|| Error::new(words), |cause| Error::wrap(words, cause));
        error.link = Link::Template(Box::new(place));
        error
    }

    #[test]
    fn each_link_has_lines_of_its_own_in_helm_4() {
        let inner = link("t/_h.tpl:2:3", "b", ".Values.q.r", "nil pointer evaluating interface {}.r", None);
        let outer =
            link("t/t.yaml:2:6", "t/t.yaml", "include \"b\" .", "error calling include: ", Some(inner));
        assert_eq!(
            execution(&outer, Compat::Helm4),
            "t/t.yaml:2:6\n  executing \"t/t.yaml\" at <include \"b\" .>:\n    error calling include:\n\
             t/_h.tpl:2:3\n  executing \"b\" at <.Values.q.r>:\n    nil pointer evaluating interface {}.r"
        );
        assert_eq!(
            execution(&outer, Compat::Helm3),
            "template: t/t.yaml:2:6: executing \"t/t.yaml\" at <include \"b\" .>: error calling include: \
             template: t/_h.tpl:2:3: executing \"b\" at <.Values.q.r>: nil pointer evaluating interface {}.r"
        );
    }

    #[test]
    fn an_error_of_a_function_keeps_one_line() {
        let outer =
            link("t:1:2", "t", "index", "error calling index: ", Some(Error::new("index out of range: 5")));
        let text = "template: t:1:2: executing \"t\" at <index>: error calling index: index out of range: 5";
        assert_eq!(execution(&outer, Compat::Helm4), text);
    }

    #[test]
    fn a_template_that_is_not_there_stands_alone() {
        let missing = Error::new("template: no template \"nope\" associated with template \"gotpl\"");
        let outer = link("t:1:2", "t", "include", "error calling include: ", Some(missing));
        assert_eq!(
            execution(&outer, Compat::Helm4),
            "t:1:2\n  executing \"t\" at <include>:\n    error calling include:\n\
             template: no template \"nope\" associated with template \"gotpl\""
        );
    }

    #[test]
    fn a_charts_own_words_are_singled_out() {
        let words = Error::new(format!("{OWN_WORDS_START}set\nthis{OWN_WORDS_END}"));
        let outer = link("t:1:2", "t", "required", "error calling required: ", Some(words));
        assert_eq!(execution(&outer, Compat::Helm3), "execution error at (t:1:2): set\nthis");
    }

    #[test]
    fn only_the_last_part_of_a_parse_error_survives() {
        let text = "template: t/t.yaml:2: bad number syntax: \"1x\"";
        assert_eq!(parsing("f", text), "parse error at (t/t.yaml:2): \"1x\"");
        assert_eq!(parsing("f", "odd"), "parse error in (f): odd");
    }
}
