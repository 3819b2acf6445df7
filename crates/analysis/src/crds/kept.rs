//! An object as a cluster would have it, written as it was typed: what did not change keeps its place, its quotes and
//! its comments.

use std::ops::Range;

use super::patch::patched;
use trueline_yaml::{Brackets, Dashes, Data, Dialect, Draft, DraftContent, DraftNode, Limits, Value};

/// How deep objects are followed; one that is deeper is written anew.
pub(super) const DEEPEST: usize = 100;

/// The text of an object whose text was `typed` and that became something else. Nothing where it cannot be kept: an
/// object in brackets, or one with anchors that are concerned, has to be written anew.
pub(super) fn kept(typed: &str, before: &Value, after: &Value) -> Option<String> {
    let is_marked = typed.trim_start().starts_with(['-', '%']);
    let whole = format!("{}\n", typed.trim_end());
    if before == after && !is_marked && trueline_yaml::yaml_to_value(&whole).ok()? == *after {
        return Some(whole);
    }
    let is_wanted = |text: &str| trueline_yaml::yaml_to_value(text).is_ok_and(|value| value == *after);
    if !is_marked && let Some(text) = patched(&whole, after).filter(|text| is_wanted(text)) {
        return Some(text);
    }
    let mut draft = Draft::read(typed, &Limits::default()).ok()??;
    if !matches!(draft.root.content, DraftContent::Map(Brackets::None, _)) {
        return None;
    }
    adapt(&mut draft.root, before, after, 0)?;
    let text = trueline_yaml::write_drafts([(&draft, dashes(typed))]);
    // Whatever the writer made of it has to be the object that was asked for.
    is_wanted(&text).then_some(text)
}

/// Whether the lists of a file are indented further than their keys.
fn dashes(text: &str) -> Dashes {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut key: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        if let Some(key) = key
            && line.trim_start().starts_with("- ")
        {
            return if indentation(line) > key { Dashes::Indented } else { Dashes::UnderKey };
        }
        key = line.trim_end().ends_with(':').then(|| indentation(line));
    }
    Dashes::UnderKey
}

/// Makes the node what the object became.
pub(super) fn adapt(node: &mut DraftNode, before: &Value, after: &Value, depth: usize) -> Option<()> {
    if depth > DEEPEST || matches!(node.content, DraftContent::Alias(_)) {
        return None;
    }
    match (&mut node.content, &before.data, &after.data) {
        (DraftContent::Map(_, entries), Data::Map(old), Data::Map(new)) => {
            // Another spelling of a key, a merge key or one that is there twice.
            let is_plain = |(key, _): &(DraftNode, DraftNode)| old.contains_key(key.text());
            if entries.len() != old.len() || !entries.iter().all(is_plain) {
                return None;
            }
            entries.retain(|(key, _)| new.contains_key(key.text()));
            for (key, value) in entries.iter_mut() {
                adapt(value, before.get(key.text())?, after.get(key.text())?, depth + 1)?;
            }
            for (name, entry) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                let single: Value =
                    [(std::sync::Arc::clone(name), entry.value.clone())].into_iter().collect();
                let DraftContent::Map(_, added) = written(&single)?.content else { return None };
                entries.extend(added);
            }
        }
        (DraftContent::List(_, items), Data::List(old), Data::List(new))
            if items.len() == old.len() && old.len() == new.len() =>
        {
            for ((item, old), new) in items.iter_mut().zip(old.iter()).zip(new.iter()) {
                adapt(item, old, new, depth + 1)?;
            }
        }
        _ if before == after => {}
        _ => node.content = written(after)?.content,
    }
    Some(())
}

/// A value that was not there before, as a cluster's tools write it.
fn written(value: &Value) -> Option<DraftNode> {
    let text = trueline_yaml::marshal(value, Dialect::Sigs).ok()?;
    Some(Draft::read(&text, &Limits::default()).ok()??.root)
}

/// The text of an item of a list as a document of its own: as far to the left as its first key stands. Nothing where it
/// does not stand in lines of its own.
pub(super) fn item(whole: &str, range: Range<usize>) -> Option<String> {
    let line_start = whole.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
    let before = whole.get(line_start..range.start)?;
    if !before.chars().all(|sign| matches!(sign, ' ' | '-')) {
        return None;
    }
    let mut text = String::new();
    for line in format!("{}{}", " ".repeat(before.len()), whole.get(range)?).lines() {
        // A comment may stand further to the left.
        let is_inside = line.bytes().take(before.len()).all(|byte| byte == b' ');
        text.push_str(if is_inside {
            line.get(before.len()..).unwrap_or_default()
        } else {
            line.trim_start()
        });
        text.push('\n');
    }
    Some(text)
}

/// Where the documents of a file stand.
pub(super) fn documents(text: &str) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let (mut start, mut offset) = (0, 0);
    for line in text.split_inclusive('\n') {
        let end = offset + line.len();
        let is_mark = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n']) || rest.is_empty());
        if is_mark {
            documents.push(start..offset);
            // What follows the dashes belongs to the document, unless it is nothing.
            start = if line.trim_end() == "---" { end } else { offset };
        }
        offset = end;
    }
    documents.push(start..text.len());
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_change_stays_as_it_was_typed() {
        let yaml = |text: &str| trueline_yaml::yaml_to_value(text).unwrap();
        for (typed, after, expected) in [
            (
                "# mine\nspec:  # here\n  zone: 'a'\n  # gone\n  extra: 1\n  keep: \"7\"  # days\n",
                "spec: {zone: a, keep: \"7\", added: {x: [1]}}",
                Some(
                    "# mine\nspec:  # here\n  zone: 'a'\n  keep: \"7\"  # days\n  added:\n    x:\n    - 1\n",
                ),
            ),
            (
                "a:\n    b:   c    # far\n\n\n    x: 1\n\n    # mine\n    x2:\n        y: |\n            1\n    # yours\n    d: [ 1,2 ]\ne: { f:  1, x: 2 }\n",
                "{a: {b: c, d: [1, 2], g: 1}, e: {f: 1}}",
                Some("a:\n    b:   c    # far\n\n\n\n    # yours\n    d: [ 1,2 ]\n    g: 1\ne: {f: 1}\n"),
            ),
            ("a:\n-   x: 1\n    b:  2\n", "{a: [{b: 2}]}", Some("a:\n- b: 2\n")),
            ("a:\n  x: 1\nb:  1\n", "{a: {}, b: 1}", Some("a: {}\nb: 1\n")),
            ("b: 1\na: [1, 2]\n", "{b: 1, a: [1, 3]}", Some("b: 1\na: [1, 3]\n")),
            ("b:\n  - x: 1\n    z: 2\n", "{b: [{x: 1}]}", Some("b:\n  - x: 1\n")),
            ("a: on\nb: null\n", "{a: true, b: \"on\"}", Some("a: on\nb: \"on\"\n")),
            ("{a: 1}\n", "{a: 2}", None),
            ("a: &x 1\nb: *x\n", "{a: 1, b: 2}", Some("a: &x 1\nb: 2\n")),
            ("a: &x {c: 1}\nb: *x\n", "{a: {c: 1}, b: {}}", None),
            ("a: &x 1\nb:   *x\n\n", "{a: 1, b: 1}", Some("a: &x 1\nb:   *x\n")),
        ] {
            let kept = kept(typed, &yaml(typed), &yaml(after));
            assert_eq!(kept.as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn items_of_lists_are_moved_to_the_left() {
        let text = "items:\n  - b: '1'\n# far\n    a: |\n      x\n  - {c: 1}\n";
        let at = |part: &str| text.find(part).unwrap();
        assert_eq!(item(text, at("b:")..at("  - {")).as_deref(), Some("b: '1'\n# far\na: |\n  x\n"));
        assert_eq!(item(text, at("{c")..text.len()).as_deref(), Some("{c: 1}\n"));
        assert_eq!(item("items: [{a: 1}]\n", 8..14), None);
    }

    #[test]
    fn files_are_taken_apart_where_documents_begin() {
        let texts = |text: &'static str| -> Vec<&str> {
            documents(text).into_iter().map(|range| &text[range]).collect()
        };
        let three = "a: 1\n---\nb: |\n  ---\n--- # x\nc: 1\n";
        assert_eq!(texts(three), ["a: 1\n", "b: |\n  ---\n", "--- # x\nc: 1\n"]);
        assert_eq!(texts("---\na: 1\n"), ["", "a: 1\n"]);
        assert_eq!(texts(""), [""]);
    }
}
