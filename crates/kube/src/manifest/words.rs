//! The one place where problems become sentences.

use trueline_diagnostic::{Code, Diagnostic, Level};
use trueline_kube_crd::cel::rule_finding;
use trueline_kube_facts::codes;
use trueline_kube_facts::meant::offer;
use trueline_kube_facts::{FieldError, FieldPath, KubeVersion, Reason, Segment, go_quoted};
use trueline_source::Span;
use trueline_yaml::NodeRef;

use super::{Fact, Meant, Object, Problem, Unreadable};
use super::{names, plain, type_words};

/// A finding for a problem of an object.
pub fn diagnostic(problem: &Problem, object: &Object<'_>) -> Diagnostic {
    let field = &problem.field;
    let kind = object.kind;
    let make = |code: &'static Code, message: String| Diagnostic::new(code, problem.place, message);
    let finding = match &problem.fact {
        Fact::UnknownField(name, meant) => {
            unknown_field(&field.to_string(), name, meant, (kind, problem.place))
        }
        Fact::WrongType(wanted, found) => {
            let (expected, typed) = (type_words::wanted(*wanted), type_words::typed(*found));
            make(&codes::WRONG_TYPE, format!("`{field}`: expected {expected}, found {typed}"))
                .help(type_words::help(*wanted, *found))
        }
        Fact::Unreadable(words, meant) => {
            let typed = object.node.at_pointer(&field.pointer()).and_then(NodeRef::text);
            let message = match (words, typed) {
                (Unreadable::Quantity(_), Some(typed)) => format!("`{typed}` is not a valid quantity"),
                _ => format!("`{field}` cannot be read: {words}"),
            };
            let finding = make(&codes::WRONG_TYPE, message);
            match meant.as_slice() {
                [only] => offer(finding, only),
                [ten, two, ..] => {
                    finding.help(format!("write `{two}` (powers of two) or `{ten}` (powers of ten)"))
                }
                [] => match help_for_base64(words, kind) {
                    Some(help) => finding.help(help),
                    None => finding,
                },
            }
        }
        Fact::Refused(error, meant) => {
            let finding = plain::reword(refused(error, problem.place), error, object, problem.place);
            match meant {
                Some(meant) => offer(finding, meant),
                None => finding,
            }
        }
        Fact::Changed(error, old) => {
            let message = format!("`{field}` cannot be changed: {}", error.sentence());
            let mut finding = make(&codes::IMMUTABLE_FIELD, message)
                .related(*old, "this is what the cluster has")
                .help("keep the old value, or delete the object and create it anew");
            finding.kube = Some(error.cause());
            finding.rule(&error.rule.info)
        }
        Fact::Later(error) => {
            let words = error.message_without_field();
            let later = "the server takes it now, and refuses it where it is used";
            make(&codes::DOUBTFUL_FIELD, format!("`{field}`: {words} ({later})")).rule(&error.rule.info)
        }
        Fact::Warned(breach, help) => {
            let info = &breach.rule.info;
            let finding = make(info.code, format!("`{field}`: {}", breach.sentence())).rule(info);
            match help {
                Some(help) => finding.help(help),
                None => finding,
            }
        }
        Fact::Removed(since, replacement) => {
            let message =
                format!("{} {kind} is not served by Kubernetes {since} and later", object.api_version);
            let finding = make(&codes::REMOVED_API, message);
            match replacement {
                Some(text) => finding.help(format!("use `{text}`; its fields may differ")),
                None => finding.help("nothing replaces it; remove the object"),
            }
        }
        Fact::NotYet(since) => {
            let message = format!("{} {kind} is served from Kubernetes {since} on only", object.api_version);
            make(&codes::REMOVED_API, message).help("use an older version of the group, or a newer cluster")
        }
        Fact::Deprecated(since, removed, replacement) => {
            make(&codes::DEPRECATED_API, deprecated(object, *since, *removed)).help(match replacement {
                Some(text) => format!("write `{text}`"),
                None => "nothing replaces it".to_owned(),
            })
        }
        Fact::NamespaceDropped => namespace_dropped(kind, problem.place),
        Fact::SameKeys => {
            make(&codes::SAME_KEYS, format!("`{field}` has the same key as an earlier item of its list"))
                .help("the cluster keeps only one of them when it merges changes; give each its own key")
        }
        Fact::NoHead(name) => make(&codes::NO_HEAD, format!("the object has no `{name}`"))
            .help("every object has an `apiVersion` and a `kind`, both strings"),
    };
    let related = problem.related.iter();
    let finding = related.fold(finding, |finding, (place, words)| finding.related(*place, words.as_str()));
    let finding = plain::at_selector(finding, problem, object);
    let finding = finding.severity(problem.severity).level(Level::Semantic);
    if field.is_empty() { finding } else { finding.path(field.pointer()) }
}

/// A finding for a field that an object's kind does not have: its path and its name, and what may have been meant.
pub fn unknown_field(field: &str, name: &str, meant: &Meant, (kind, place): (&str, Span)) -> Diagnostic {
    let message = format!("the kind `{kind}` has no field `{field}`");
    let finding = Diagnostic::new(&codes::UNKNOWN_FIELD, place, message);
    match meant {
        Meant::Name(near) => offer(finding, near),
        Meant::Inside(paths) => finding.help(help_for_place(name, paths)),
        Meant::Perhaps(known) => finding.help(format!("did you mean `{known}`?")),
        Meant::Wrapper => finding.help(format!("remove `{name}`: its contents belong right here")),
        Meant::Unknown => finding.help(format!("remove `{name}`, or look up its name and where it belongs")),
    }
}

/// How to fix a field that belongs elsewhere.
fn help_for_place(name: &str, paths: &[FieldPath]) -> String {
    match paths {
        [path] if path.is_empty() => {
            format!("`{name}` belongs at the top of the object: look at its indentation")
        }
        [path] if path.last().is_some_and(|last| last.is("matchLabels")) => {
            format!("labels that have to match belong in `{path}`")
        }
        paths => {
            let places = paths.iter().map(|path| match path.last() {
                Some(Segment::Key(key)) if key.is_empty() => format!("an item of `{}`", path.parent()),
                _ => format!("`{path}`"),
            });
            let places: Vec<String> = places.collect();
            format!("`{name}` belongs in {}: look at its indentation", places.join(" or "))
        }
    }
}

/// A finding for the namespace of an object whose kind has none.
pub fn namespace_dropped(kind: &str, place: Span) -> Diagnostic {
    let message = format!("a {kind} is cluster-scoped; `namespace` is ignored");
    Diagnostic::new(&codes::NAMESPACE_DROPPED, place, message).help("remove `namespace`")
}

/// A finding for an error of the server's.
pub fn refused(error: &FieldError, place: Span) -> Diagnostic {
    if let Some(finding) = rule_finding(error, place, &|scalar, _, _| scalar) {
        return finding.rule(&error.rule.info);
    }
    let (message, help) = match names::words(error).filter(|_| !error.field.is_empty()) {
        Some(words) => (format!("`{}` {}", error.field, words.about), words.help.map(str::to_owned)),
        None => (Said::of(error).joined(), help_for_schema_type(error)),
    };
    let mut finding = Diagnostic::new(error.rule.info.code, place, message).rule(&error.rule.info);
    finding.kube = Some(error.cause());
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// The parts of the sentence on an error of the server's.
#[derive(PartialEq, Eq)]
pub(super) struct Said {
    /// What it is about.
    pub(super) head: String,
    /// What the rule says, if it is said after the head.
    pub(super) reason: Option<String>,
}

impl Said {
    fn only(head: String) -> Self {
        Said { head, reason: None }
    }

    /// The sentence.
    pub(super) fn joined(self) -> String {
        match self.reason {
            Some(reason) => format!("{}: {reason}", self.head),
            None => self.head,
        }
    }

    pub(super) fn of(error: &FieldError) -> Self {
        let field = &error.field;
        let value = error.value.as_deref().filter(|value| value.len() <= 80).unwrap_or_default();
        let short = error.detail.short(error.rule);
        let because = |head: String| {
            let reason = Some(short.clone()).filter(|short| !short.is_empty());
            Said { head, reason }
        };
        let value = if value == "\"\"" { "empty" } else { value };
        match error.reason() {
            Reason::TooLong if field.is_empty() => because("the object is too large".to_owned()),
            // Errors of `oneOf` and the like have no field; their sentence names it.
            _ if field.is_empty() => Said::only(short.clone()),
            Reason::Required if value.is_empty() => because(format!("`{field}` is missing or empty")),
            // What the server takes for missing was typed.
            Reason::Required if error.choices().is_some() => Said::only(wrong_choice(error, value)),
            Reason::Required => because(format!("`{field}` is {value}")),
            Reason::Forbidden if short.is_empty() => Said::only(format!("`{field}` must not be set")),
            // What is forbidden is not always that the field is there; the server's words say what.
            Reason::Forbidden => because(format!("`{field}` is not allowed")),
            Reason::Duplicate if value.is_empty() => {
                because(format!("`{field}` is the same as an earlier one"))
            }
            Reason::Duplicate => because(format!("`{field}`: {value} appears twice")),
            Reason::TooMany => because(format!("`{field}` has {value} entries")),
            Reason::TooLong => because(format!("`{field}` is too long")),
            Reason::NotFound => because(format!("`{field}` is {value}, but nothing has that name")),
            Reason::TypeInvalid => match plain::wanted_type(error) {
                // The value is the type that was found.
                Some(wanted) if error.names_type() => Said::only(format!(
                    "`{field}`: expected {}, found {}",
                    wanted.replace(',', " or "),
                    error.typed()
                )),
                // With a format, the value is the string itself.
                Some(wanted) => {
                    Said::only(format!("`{field}` is {value}, which is not of the format {wanted}"))
                }
                None => because(format!("`{field}` is {value}")),
            },
            Reason::NotSupported => Said::only(wrong_choice(error, value)),
            _ if value.is_empty() => because(format!("`{field}` is not valid")),
            _ => match error.counted() {
                Some(counted) => because(format!("`{field}` has {counted}")),
                None => because(format!("`{field}` is {value}")),
            },
        }
    }
}

/// A value that is none of the words that are allowed.
fn wrong_choice(error: &FieldError, value: &str) -> String {
    let words: Vec<String> = error.choices().unwrap_or_default().iter().map(|word| go_quoted(word)).collect();
    let wanted = if words.len() > 1 { "one of " } else { "" };
    let (field, words) = (&error.field, words.join(", "));
    match value {
        "" => format!("`{field}`: expected {wanted}{words}"),
        value => format!("`{field}`: expected {wanted}{words}, found {value}"),
    }
}

/// What helps where a schema wants another type.
fn help_for_schema_type(error: &FieldError) -> Option<String> {
    let wanted = plain::wanted_type(error).filter(|_| error.names_type())?;
    let (wanted, _) = type_words::of_schema(wanted)?;
    let (_, typed) = type_words::of_schema(error.typed())?;
    Some(type_words::help(wanted, typed))
}

fn deprecated(object: &Object<'_>, since: KubeVersion, removed: Option<KubeVersion>) -> String {
    let until = removed.map(|version| format!(", and is gone from {version} on")).unwrap_or_default();
    format!("{} {} is deprecated since Kubernetes {since}{until}", object.api_version, object.kind)
}

/// What helps where base64 is wanted, and something else was typed: most often plain text.
fn help_for_base64(why: &Unreadable, kind: &str) -> Option<&'static str> {
    matches!(why, Unreadable::Base64(_)).then_some(match kind {
        "Secret" => "put plain text into `stringData`, or write it in base64",
        "ConfigMap" => "put plain text into `data`, or write it in base64",
        _ => "write it in base64",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube_facts::{Breach, Detail, ServerRule, common, schema_rules as schema};
    use trueline_kube_rules::{TypedAs, WantedType, rules::job};

    #[test]
    fn what_is_no_base64_says_what_helps() {
        let words = &Unreadable::Base64(7);
        for (kind, expected) in [("Secret", "`stringData`"), ("ConfigMap", "`data`"), ("Other", "base64")] {
            assert!(help_for_base64(words, kind).is_some_and(|help| help.contains(expected)), "{kind}");
        }
        assert_eq!(help_for_base64(&Unreadable::Capitals, "Secret"), None);
        assert_eq!(type_words::help(WantedType::Base64, TypedAs::Number), "encode it, or use `stringData`");
    }

    #[test]
    fn errors_of_the_server_become_sentences() {
        let place = trueline_source::SourceId::from_index(0).span(0, 0);
        let in_body = |rule: &'static ServerRule| {
            let detail = Detail::InBody { name: "a.b".into(), values: Vec::new() };
            Breach { rule, detail }
        };
        let choices = |words: &[&'static str]| Breach::choices(&common::UNSUPPORTED, words.iter().copied());
        for (breach, value, expected) in [
            (Breach::from(&common::MISSING), None, "`a.b` is missing or empty"),
            (
                Breach::choices(&job::RESTART_POLICY, ["a", "b"]),
                Some("\"x\""),
                "`a.b`: expected one of \"a\", \"b\", found \"x\"",
            ),
            (
                in_body(&schema::TYPE).and("string").and("\"integer\""),
                Some("\"integer\""),
                "`a.b`: expected string, found integer",
            ),
            (
                in_body(&schema::TYPE).and("ipv4").and("\"x\""),
                Some("\"x\""),
                "`a.b` is \"x\", which is not of the format ipv4",
            ),
            (choices(&["a", "b"]), Some("\"x\""), "`a.b`: expected one of \"a\", \"b\", found \"x\""),
            (choices(&["a"]), None, "`a.b`: expected \"a\""),
            (
                in_body(&schema::MIN_ITEMS).and(1_i64),
                Some("0"),
                "`a.b` has 0 items: should have at least 1 items",
            ),
            (in_body(&schema::MAXIMUM).and("3"), Some("5"), "`a.b` is 5: should be less than or equal to 3"),
            (common::too_many(3), Some("4"), "`a.b` has 4 entries: must have at most 3 items"),
            (Breach::from(&common::DUPLICATE), None, "`a.b` is the same as an earlier one"),
            (common::too_long(9), None, "`a.b` is too long: may not be more than 9 bytes"),
        ] {
            let mut error = FieldError::new(breach, FieldPath::of("a.b"), None);
            error.value = value.map(str::to_owned);
            assert_eq!(refused(&error, place).message, expected);
        }
        for (wanted, found, expected) in [
            ("string", "integer", Some("put it in quotes")),
            ("integer", "string", Some("write an integer, without quotes")),
            ("array", "string", Some("write a list: each item after `- `, on a line of its own")),
            ("ipv4", "x", None),
        ] {
            let shown = format!("\"{found}\"");
            let breach = in_body(&schema::TYPE).and(wanted).and(&shown);
            let error = FieldError::new(breach, FieldPath::of("a.b"), None).with_value(shown);
            assert_eq!(refused(&error, place).help.as_deref(), expected, "{wanted}");
        }
        let whole = FieldError::new(common::too_long(9), FieldPath::default(), None);
        assert_eq!(refused(&whole, place).message, "the object is too large: may not be more than 9 bytes");
    }
}
