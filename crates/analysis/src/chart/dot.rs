//! What the dot is where a template reads `.Values` and finds none: `with` and `range` change it, and a named template
//! gets what its caller passes.

use trueline_diagnostic::{Diagnostic, nearest};
use trueline_helm::{FIELD_OF_NOTHING, NO_SUCH_FIELD};
use trueline_source::SourceMap;

/// What a template is run with.
const ROOT: &[&str] = &["Values", "Release", "Chart", "Capabilities", "Files", "Template", "Subcharts"];

/// The same finding, in words of what changed the dot, if it is about that.
pub(super) fn explain(finding: Diagnostic, sources: &SourceMap) -> Diagnostic {
    // What is missing below `.Values` says nothing about the dot.
    if ![&NO_SUCH_FIELD, &FIELD_OF_NOTHING].contains(&finding.code) || finding.path.is_some() {
        return finding;
    }
    let span = finding.primary.span;
    let source = sources.get(span.source);
    if let Some((name, near)) = misspelt_root(source.slice(span), &finding.message) {
        let before = before_action(source.text().get(..span.start as usize).unwrap_or_default());
        let is_root = name.starts_with('$') || open_blocks(before).iter().all(|block| *block == Block::If);
        let (dollar, name) = name.split_at(name.find('.').unwrap_or_default());
        return match is_root {
            true => Diagnostic {
                message: format!("nothing is called `{dollar}{name}` in a template"),
                help: Some(format!("did you mean `{dollar}.{near}`?")),
                ..finding
            },
            false => finding,
        };
    }
    let Some(name) = root_name(source.slice(span)).filter(|name| is_missing(name, &finding.message)) else {
        return finding;
    };
    let before = before_action(source.text().get(..span.start as usize).unwrap_or_default());
    let blocks = open_blocks(before);
    let outer = blocks.iter().rev().find_map(|block| match block {
        Block::Define(name) => Some(*name),
        _ => None,
    });
    let inner = blocks.iter().rev().find(|block| !matches!(block, Block::If));
    let reach = match name {
        "Values" => "to reach the chart's values".to_owned(),
        name => format!("to reach `.{name}`"),
    };
    let (message, help) = match (inner, outer) {
        (Some(Block::With(what)), _) => (
            format!("inside `with`, `.` is `{what}`, which has no `{name}`"),
            format!("use `$.{name}` {reach}"),
        ),
        (Some(Block::Range(what)), _) => (
            format!("inside `range`, `.` is an item of `{what}`, which has no `{name}`"),
            format!("use `$.{name}` {reach}"),
        ),
        (_, Some(define)) => (
            format!("the template `{define}` reads `.{name}`, but its caller passes something else"),
            format!("pass the root: `{{{{ include \"{define}\" $ }}}}`"),
        ),
        _ => return finding,
    };
    // Inside a named template `$` is what its caller passes, and need not be the root.
    let help = match (inner, outer) {
        (Some(Block::With(_) | Block::Range(_)), Some(define)) => {
            format!("{help}; the caller of `{define}` has to pass `$` or `.`")
        }
        _ => help,
    };
    Diagnostic { message, help: Some(help), ..finding }
}

/// Whether a finding says that this name is missing, and not what is read below it: `(.Values.a).b` begins alike.
fn is_missing(name: &str, message: &str) -> bool {
    message.contains(&format!("has no field `{name}`"))
        || message.starts_with(&format!("`.{name}` cannot be read"))
        || message.starts_with(&format!("`.{name}.")) && message.ends_with(&format!("`{name}` is not set"))
}

/// The text without the action that is open at its end: a `with` changes the dot of what follows, not of what it reads.
fn before_action(text: &str) -> &str {
    match text.rsplit_once("{{") {
        Some((before, action)) if !action.contains("}}") => before,
        _ => text,
    }
}

/// The name of what the root has, if an expression reads it from the dot.
fn root_name(expression: &str) -> Option<&str> {
    let name = expression.strip_prefix('.')?.split(['.', ' ', ')']).next()?;
    ROOT.contains(&name).then_some(name)
}

/// The first name of an expression, with its dot, and what it should be, if it is nearly a name that the root has.
fn misspelt_root<'e>(expression: &'e str, message: &str) -> Option<(&'e str, &'static str)> {
    let names = expression.strip_prefix('$').unwrap_or(expression).strip_prefix('.')?;
    let name = names.split(['.', ' ', ')']).next()?;
    let near = nearest(name, ROOT.iter().copied())?;
    let is_meant = !ROOT.contains(&name) && message.ends_with(&format!("`{name}` is not set"));
    let end = expression.len() - names.len() + name.len();
    is_meant.then_some((expression.get(..end)?, near))
}

/// A block of a template that is not closed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block<'t> {
    If,
    With(&'t str),
    Range(&'t str),
    Define(&'t str),
}

/// The blocks that are open at the end of the text, from the outermost to the innermost.
fn open_blocks(text: &str) -> Vec<Block<'_>> {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let (action, next) = after.split_once("}}").unwrap_or((after, ""));
        rest = next;
        let action = action.trim_start_matches('-').trim_end_matches('-').trim();
        let (word, operand) = action.split_once(char::is_whitespace).unwrap_or((action, ""));
        // What a variable is declared with: `with $x := .Values.a`.
        let operand = operand.rsplit_once(":=").map_or(operand, |(_, value)| value).trim();
        match word {
            "if" => open.push(Block::If),
            "with" => open.push(Block::With(operand)),
            "range" => open.push(Block::Range(operand)),
            "define" | "block" => {
                open.push(Block::Define(operand.split('"').nth(1).unwrap_or(operand)));
            }
            // The dot of `else` is that outside of the block, unless it has one of its own.
            "else" => {
                let block = open.pop();
                open.push(match (operand.strip_prefix("with "), block) {
                    (Some(what), _) => Block::With(what.trim()),
                    (None, Some(define @ Block::Define(_))) => define,
                    _ => Block::If,
                });
            }
            "end" => {
                open.pop();
            }
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_followed() {
        use Block::{Define, If, Range, With};
        for (text, expected) in [
            ("a {{- with .Values.a }} b", vec![With(".Values.a")]),
            ("{{ with .a }}{{ end }}{{ if x }}", vec![If]),
            ("{{ with .a -}} {{ else }}", vec![If]),
            ("{{ if .a -}} {{ else with .b }}", vec![With(".b")]),
            ("{{define \"n.x\"}}{{range $i, $x := .Values.l}}", vec![Define("n.x"), Range(".Values.l")]),
            ("{{/* with */}}{{ x }}", vec![]),
        ] {
            assert_eq!(open_blocks(text), expected, "{text}");
        }
        assert_eq!(before_action("{{ with .a }}{{- with "), "{{ with .a }}");
        assert_eq!(root_name(".Values.x"), Some("Values"));
        assert_eq!(root_name("$.Values.x"), None);
        let message = "`.Relase.Name` cannot be read: `Relase` is not set";
        assert_eq!(misspelt_root(".Relase.Name", message), Some((".Relase", "Release")));
        assert_eq!(misspelt_root("$.Relase.Name", message), Some(("$.Relase", "Release")));
        assert_eq!(misspelt_root(".Values.a.b", "`.Values.a.b` cannot be read: `a` is not set"), None);
        assert_eq!(misspelt_root(".image.tag", "`.image.tag` cannot be read: `image` is not set"), None);
        assert!(is_missing("Values", "`.` has no field `Values`: it is a string"));
        assert!(is_missing("Values", "`.Values.b` cannot be read: `Values` is not set"));
        assert!(!is_missing("Values", "`.` has no field `image`: it is a string"));
    }
}
