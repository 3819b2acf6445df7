//! Puts errors of running templates into the user's words.

use trueline_diagnostic::{Code, Diagnostic, Frame, Level};
use trueline_source::Span;

use crate::run_codes::*;
use crate::{Error, Link, Reason, StoppedAt};

/// How many steps of a trace are shown at its inner end, and how many at its outer end.
const INNERMOST: usize = 12;
const OUTERMOST: usize = 4;

/// The message for an error.
struct Wording {
    code: &'static Code,
    message: String,
    help: String,
}

fn say(code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Wording {
    Wording { code, message: message.into(), help: help.into() }
}

impl Error {
    /// The finding for a report. `template` is where a template is that has no place of its own.
    pub fn to_diagnostic(&self, template: Span) -> Diagnostic {
        let places: Vec<&StoppedAt> = self.places().collect();
        let (innermost, callers) = match places.split_last() {
            Some((innermost, callers)) => (Some(*innermost), callers),
            None => (None, &places[..]),
        };
        let Wording { code, message, help } = self.words_for_users(innermost);
        let span = innermost.and_then(|place| place.span).unwrap_or(template);
        let mut diagnostic = Diagnostic::new(code, span, message).level(Level::Semantic);
        let beside_value = match self.facts() {
            Some(Reason::FieldOfNil { owner, .. }) => format!("`{}` would be set here", last_part(owner)),
            _ => "the value was typed here".to_owned(),
        };
        for value in innermost.map(|place| &*place.values).unwrap_or_default() {
            if *value != span && diagnostic.related.iter().all(|label| label.span != *value) {
                diagnostic = diagnostic.related(*value, beside_value.clone());
            }
        }
        diagnostic.path = self.facts().and_then(value_path);
        diagnostic.trace = trace(callers);
        if help.is_empty() { diagnostic } else { diagnostic.help(help) }
    }

    /// The places where templates stopped, from the outermost to the innermost.
    pub fn places(&self) -> impl Iterator<Item = &StoppedAt> {
        self.chain().filter_map(|error| match &error.link {
            Link::Template(place) => Some(&**place),
            Link::Function | Link::Limit => None,
        })
    }

    /// The innermost facts.
    fn facts(&self) -> Option<&Reason> {
        self.chain().filter_map(|error| error.reason.as_deref()).last()
    }

    fn words_for_users(&self, innermost: Option<&StoppedAt>) -> Wording {
        if self.is_limit() {
            return say(&RUN_LIMIT, self.root().words.clone(), "look for a `range` over a very large number");
        }
        match self.facts() {
            Some(reason) => words(reason, self, innermost),
            None => say(&TEMPLATE_STOPPED, self.root().words.clone(), ""),
        }
    }
}

/// The callers of the template that stopped, innermost first. If there are very many, those in the middle are
/// left out.
fn trace(callers: &[&StoppedAt]) -> Vec<Frame> {
    let known = callers.iter().rev().filter_map(|place| {
        let text = format!("called from `{}`", place.template);
        place.span.map(|span| Frame { span, text })
    });
    let mut frames: Vec<Frame> = known.collect();
    if frames.len() > INNERMOST + OUTERMOST {
        let left_out = frames.len() - INNERMOST - OUTERMOST;
        frames.drain(INNERMOST..INNERMOST + left_out);
        if let Some(frame) = frames.get_mut(INNERMOST) {
            frame.text = format!("{} (after {left_out} further calls)", frame.text);
        }
    }
    frames
}

fn words(reason: &Reason, error: &Error, innermost: Option<&StoppedAt>) -> Wording {
    match reason {
        Reason::FieldOfNil { field, owner } => field_of_nil(field, owner),
        Reason::NoField { field, owner, found } => {
            let owner = if owner.is_empty() { "." } else { owner };
            say(
                &NO_SUCH_FIELD,
                format!("`{owner}` has no field `{field}`: it is {}", kind(found)),
                format!("use `{owner}` itself, or make it a map with the key `{field}`"),
            )
        }
        Reason::NoKey { key } => say(
            &NO_SUCH_KEY,
            format!("the key `{key}` does not exist"),
            format!("set `{key}`, or test for it with `if`"),
        ),
        Reason::ArgumentCount { function, wanted, variadic, found } => {
            let least = if *variadic { "at least " } else { "" };
            let plural = if *wanted == 1 { "argument" } else { "arguments" };
            let were = if *found == 1 { "1 is given".to_owned() } else { format!("{found} are given") };
            say(
                &ARGUMENT_COUNT,
                format!("`{function}` takes {least}{wanted} {plural}, but {were}"),
                "a value that comes through `|` counts as the last argument; a call among the arguments needs parentheses",
            )
        }
        Reason::ArgumentType { function, wanted, found } => {
            let help = match (wanted.as_str(), found.as_str()) {
                (_, "nil" | "interface {}" | "<nil>") => {
                    "set the value, or put a `default` before it".to_owned()
                }
                ("string", _) => "make it a string: `| toString`, or `printf \"%v\"`".to_owned(),
                (wanted, _) if is_number(wanted) => "make it a number: `| int`, or `| float64`".to_owned(),
                (wanted, _) => format!("give it {}", kind(wanted)),
            };
            say(&ARGUMENT_TYPE, format!("`{function}` needs {}, found {}", kind(wanted), kind(found)), help)
        }
        Reason::NotAFunction { found } => say(
            &NO_FUNCTION,
            format!("`{found}` is not a function and takes no arguments"),
            "only functions take arguments; to join strings use `printf`",
        ),
        Reason::NotIterable { found } => {
            let help = match found.as_str() {
                found if is_number(found) => "for numbers use `range until (int …)`",
                "string" => "split the string into a list with `splitList`",
                _ => "`range` works on lists, maps and integers",
            };
            say(&NOT_ITERABLE, format!("`range` does not work on {}", kind(found)), help)
        }
        Reason::Comparison { left, right } => comparison(left, right),
        Reason::Undeclared { name } => say(
            &crate::codes::UNKNOWN_VARIABLE,
            format!("the variable `{name}` is assigned but not declared"),
            format!("declare it with `{name} := …`"),
        ),
        Reason::NoTemplate { name, nearest } => say(
            &UNKNOWN_TEMPLATE,
            format!("no template is named `{name}`"),
            match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("define it: `{{{{ define \"{name}\" }}}}…{{{{ end }}}}`"),
            },
        ),
        Reason::Overflow => say(
            &NUMBER_TOO_LARGE,
            match innermost {
                Some(place) => format!("`{}` is too large for an integer", place.context),
                None => "the number is too large for an integer".to_owned(),
            },
            "put quotes around it if it is only printed",
        ),
        Reason::Call { function } => {
            say(&FUNCTION_FAILED, format!("`{function}` fails: {}", error.root().words), "")
        }
        Reason::Stopped { message } => say(&STOPPED_ON_PURPOSE, message.clone(), ""),
        Reason::Depth => say(
            &ENDLESS_TEMPLATES,
            match innermost {
                Some(place) => format!("the template `{}` is called endlessly", place.template),
                None => "templates call each other endlessly".to_owned(),
            },
            "a template that includes itself needs a condition under which it stops",
        ),
    }
}

fn field_of_nil(field: &str, owner: &str) -> Wording {
    if owner.is_empty() {
        return say(
            &FIELD_OF_NOTHING,
            format!("`.{field}` cannot be read because `.` is not set"),
            "give the template a value, such as `.` or `$`",
        );
    }
    let name = last_part(owner);
    say(
        &FIELD_OF_NOTHING,
        format!("`{owner}.{field}` cannot be read: `{name}` is not set"),
        format!(
            "set `{owner}`, or guard it: `{{{{ with {owner} }}}}{{{{ .{field} }}}}{{{{ end }}}}`, or `({owner}).{field}`, which is empty then"
        ),
    )
}

/// The value that is missing or has the wrong type, as a JSON pointer into the values of its chart.
fn value_path(reason: &Reason) -> Option<String> {
    let (Reason::FieldOfNil { owner, .. } | Reason::NoField { owner, .. }) = reason else { return None };
    let (before, names) = owner.split_once(".Values.")?;
    // A variable that has values is most likely the root.
    let is_root = before.is_empty() || before.starts_with('$') && !before.contains('.');
    is_root.then(|| format!("/{}", names.replace('.', "/")))
}

/// The last name of a path.
fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn comparison(left: &str, right: &str) -> Wording {
    let is_whole = |name: &str| name != "float64" && is_number(name);
    if is_number(left) && is_number(right) && is_whole(left) != is_whole(right) {
        return say(
            &COMPARISON,
            "an integer cannot be compared with a number from a values file",
            "write the number with a decimal point, such as `80.0`, or convert the value, such as `(int \
             .Values.port)`",
        );
    }
    let help = match (left, right) {
        _ if is_number(left) && right == "string" || left == "string" && is_number(right) => {
            "convert both to strings with `toString`, or both to numbers with `int`"
        }
        ("<nil>", _) | (_, "<nil>") => "set the value, or put a `default` before it",
        _ => "compare strings with strings, and numbers with numbers",
    };
    let message = if left == right {
        format!("{} cannot be compared with another", kind(left))
    } else {
        format!("{} cannot be compared with {}", kind(left), kind(right))
    };
    say(&COMPARISON, message, help)
}

fn is_number(name: &str) -> bool {
    name == "float64" || name.starts_with("int") && name != "interface {}" || name.starts_with("uint")
}

/// A type in words.
fn kind(name: &str) -> String {
    match name {
        "string" => "a string".into(),
        "bool" => "a boolean".into(),
        "[]uint8" => "a list of bytes".into(),
        "nil" | "<nil>" | "interface {}" => "nothing".into(),
        name if is_number(name) => "a number".into(),
        name if name.starts_with("[]") => "a list".into(),
        name if name.starts_with("map[") || name.ends_with(".Values") => "a map".into(),
        name => format!("a value of type `{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trueline_source::{SourceId, SourceKind, SourceMap};

    use super::*;
    use crate::exec::tests::World;
    use crate::{Functions, Options, Origins, Templates};

    const VALUES: &str =
        r#"{"Values": {"name": "web", "port": 8080.5, "tags": ["a"], "labels": {"app": "web"}}}"#;

    fn run(sources: &SourceMap, template: &str) -> Result<String, Box<Diagnostic>> {
        let id = sources.add("t.yaml", SourceKind::File, template);
        let values = sources.add("values.json", SourceKind::File, VALUES);
        let value = crate::exec::tests::json(VALUES, Some(values));
        let mut set = Templates::new("set", Arc::new(Functions::builtin()));
        set.parse("t.yaml", &Arc::from(template.as_bytes()), Some(id)).unwrap();
        let mut options = Options::new(&World, &());
        options.missing_key = crate::MissingKey::Zero;
        options.origins = Origins::Kept;
        options.limits.depth = 30;
        match set.execute("t.yaml", &value, &options) {
            Ok(rendered) => Ok(rendered.text.text().into_owned()),
            Err(error) => Err(Box::new(error.to_diagnostic(id.span(0, 0)))),
        }
    }

    #[test]
    fn examples_show_their_codes() {
        let run_codes = crate::CODES.iter().filter(|code| code.id >= "TL0530" && !code.wrong.is_empty());
        for code in run_codes {
            let sources = SourceMap::new();
            let finding = run(&sources, code.wrong).unwrap_err();
            assert_eq!(finding.code.id, code.id, "{}", code.wrong);
            assert!(run(&sources, code.right).is_ok(), "{}", code.right);
        }
    }

    #[test]
    fn findings_say_what_is_wrong_and_where() {
        for (template, message, place) in [
            (
                "{{ .Values.image.tag }}",
                "`.Values.image.tag` cannot be read: `image` is not set",
                ".Values.image.tag",
            ),
            ("{{ $x := .Values }}{{ $x.a.b }}", "`$x.a.b` cannot be read: `a` is not set", "$x.a.b"),
            ("{{ .Values.name.x.y }}", "`.Values.name` has no field `x`: it is a string", ".Values.name.x.y"),
            ("{{ len .Values.name 1 }}", "`len` takes 1 argument, but 2 are given", "len"),
            ("{{ printf .Values.port }}", "`printf` needs a string, found a number", ".Values.port"),
            ("{{ printf 5 }}", "`printf` needs a string, found a number", "5"),
            ("{{ range .Values.name }}{{ end }}", "`range` does not work on a string", ".Values.name"),
            (
                "{{ eq .Values.port 1 }}",
                "an integer cannot be compared with a number from a values file",
                "eq .Values.port 1",
            ),
            ("{{ eq .Values.name 1 }}", "a string cannot be compared with a number", "eq .Values.name 1"),
            ("{{ index .Values.tags 9 }}", "`index` fails: index out of range: 9", "index .Values.tags 9"),
            (
                "{{ 18446744073709551615 }}",
                "`18446744073709551615` is too large for an integer",
                "18446744073709551615",
            ),
        ] {
            let sources = SourceMap::new();
            let finding = run(&sources, template).unwrap_err();
            assert_eq!(finding.message, message);
            let source = sources.get(finding.primary.span.source);
            assert_eq!(source.slice(finding.primary.span), place, "{template}");
        }
    }

    #[test]
    fn the_path_of_the_value_is_recorded() {
        for (template, path) in [
            ("{{ .Values.image.tag }}", Some("/image")),
            ("{{ $.Values.labels.x.y }}", Some("/labels/x")),
            ("{{ .Values.name.x }}", Some("/name")),
            ("{{ with .Values }}{{ .image.tag }}{{ end }}", None),
        ] {
            let finding = run(&SourceMap::new(), template).unwrap_err();
            assert_eq!(finding.path.as_deref(), path, "{template}");
        }
    }

    #[test]
    fn the_value_and_the_calls_are_shown() {
        let sources = SourceMap::new();
        let template = r#"{{ define "a" }}{{ .name.x }}{{ end }}{{ define "b" }}{{ template "a" . }}{{ end }}{{ template "b" .Values }}"#;
        let finding = run(&sources, template).unwrap_err();
        let slice = |span: Span| sources.get(span.source).slice(span).to_owned();
        assert_eq!(slice(finding.primary.span), ".name.x");
        assert_eq!(finding.related.iter().map(|label| slice(label.span)).collect::<Vec<_>>(), ["\"web\""]);
        assert_eq!(finding.primary.span.source, SourceId::from_index(0));
    }
}
