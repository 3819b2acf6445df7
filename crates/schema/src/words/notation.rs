//! Names and paths as a user writes them: `install.mise.tools[0]` for `/install/mise/tools/0`.

use std::borrow::Cow;

use super::tree;
use crate::Instance;

/// Paths longer than this many parts are cut at the front, because the end distinguishes places.
const SHOWN_PARTS: usize = 10;
/// Names longer than this many characters are cut.
const SHOWN_NAME: usize = 60;

/// The path of a pointer without quotation marks; empty for the document as a whole.
pub(crate) fn notation(root: Instance<'_>, pointer: &str) -> String {
    let parts: Vec<Cow<'_, str>> = parts(pointer).collect();
    let skipped = parts.len().saturating_sub(SHOWN_PARTS);
    let mut text = String::from(if skipped > 0 { "…" } else { "" });
    // A part of digits may be an index or a name; only the document knows.
    let last_index = parts.iter().rposition(|part| is_index(part));
    let mut node = Some(root);
    for (position, part) in parts.iter().enumerate() {
        let in_list = is_index(part) && node.is_none_or(|node| !tree::is_map(node));
        node = node
            .filter(|_| Some(position) < last_index)
            .and_then(|node| node.child(part))
            .map(|found| found.0);
        if position < skipped {
            continue;
        }
        if in_list {
            text.push_str(&format!("[{part}]"));
        } else {
            push_name(&mut text, part);
        }
    }
    text
}

/// The path of a field below a pointer.
pub(crate) fn field(root: Instance<'_>, pointer: &str, name: &str) -> String {
    let mut text = notation(root, pointer);
    push_name(&mut text, name);
    text
}

/// The last name of a pointer with the indices after it; `None` for the document as a whole.
pub(crate) fn last(pointer: &str) -> Option<String> {
    let parts: Vec<Cow<'_, str>> = parts(pointer).collect();
    let name = parts.iter().rposition(|part| !is_index(part))?;
    let mut text = String::new();
    push_name(&mut text, parts.get(name)?);
    for index in parts.iter().skip(name + 1) {
        text.push_str(&format!("[{index}]"));
    }
    Some(text)
}

/// The parts of a JSON pointer, unescaped.
pub(crate) fn parts(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// A part of a JSON pointer unescaped.
pub(crate) fn unescape(part: &str) -> Cow<'_, str> {
    if part.contains('~') {
        Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(part)
    }
}

/// A name as a part of a JSON pointer.
pub(crate) fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

fn push_name(text: &mut String, name: &str) {
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/' | '$' | '@' | ':'));
    if plain {
        if !text.is_empty() && !text.ends_with('…') {
            text.push('.');
        }
        text.push_str(&cut(name));
    } else {
        text.push_str(&format!("[\"{}\"]", cut(&visible(name))));
    }
}

fn cut(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(SHOWN_NAME) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// The text with every character made visible that would break a line or a quotation.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(|letter: char| letter.is_control() || letter == '`') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '`' => shown.push('\''),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            letter if letter.is_control() => shown.push_str(&format!("\\u{{{:x}}}", letter as u32)),
            letter => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_read_as_typed() {
        let value = json!({
            "install": {"tools": [{"name": 1}]},
            "ports": {"8080": {"x": [1]}},
            "labels": {"app.io/name": 1, "a b": 2, "": 3, "a\nb`c": 4}
        });
        let value = crate::words::tests::value(&value);
        let root = Instance::Value(&value);
        for (pointer, wanted) in [
            ("", ""),
            ("/install/tools/0/name", "install.tools[0].name"),
            ("/ports/8080/x/0", "ports.8080.x[0]"),
            ("/labels/app.io~1name", "labels[\"app.io/name\"]"),
            ("/labels/a b", "labels[\"a b\"]"),
            ("/labels/", "labels[\"\"]"),
            ("/labels/a\nb`c", "labels[\"a\\nb'c\"]"),
        ] {
            assert_eq!(notation(root, pointer), wanted);
        }
        assert_eq!(field(root, "/install", "method"), "install.method");
        assert_eq!(field(root, "", "method"), "method");
    }

    #[test]
    fn long_paths_and_names_are_cut() {
        let value = crate::words::tests::value(&json!({}));
        let deep = "/a".repeat(1000);
        assert_eq!(notation(Instance::Value(&value), &deep), "…a.a.a.a.a.a.a.a.a.a");
        let long = format!("/{}", "x".repeat(500));
        assert_eq!(notation(Instance::Value(&value), &long).chars().count(), SHOWN_NAME + 1);
    }
}
