//! What of a comment is a description. People also keep examples in comments, lines for other programs, and
//! rules drawn with dashes.

/// The description in lines of comment; `None` if there is none.
///
/// Lines are joined with a blank, except where a paragraph or an item of a list begins.
pub(super) fn description<'t>(lines: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    let mut example: Option<usize> = None;
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        if example.is_some_and(|example| indent > example && !text.is_empty()) {
            continue;
        }
        example = None;
        if is_example(text) {
            example = Some(indent);
            // The line that announces the example has nothing to announce any more.
            if kept.last().is_some_and(|line| announces(line)) {
                kept.pop();
            }
        } else if is_item(text) && kept.is_empty() {
            // A list that nothing announces is one that was commented out.
            example = Some(indent);
        } else if !is_for_programs(text) && !is_ruler(text) {
            kept.push(text);
        }
    }
    let mut description = String::new();
    let mut starts_anew = false;
    for line in kept {
        if line.is_empty() {
            starts_anew = true;
            continue;
        }
        if !description.is_empty() {
            description.push(if starts_anew || is_item(line) { '\n' } else { ' ' });
        }
        starts_anew = false;
        description.push_str(line);
    }
    (!description.is_empty()).then_some(description)
}

fn is_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet))
}

/// Words that stand before a colon in prose as well.
const SAID: &[&str] =
    &["default", "defaults", "e.g.", "eg", "example", "examples", "i.e.", "note", "ref", "see"];

/// Whether a line is YAML that was commented out.
fn is_example(text: &str) -> bool {
    if text.starts_with("{{") || matches!(text, "---" | "..." | "]" | "}" | "[" | "{" | "-") {
        return true;
    }
    match text.strip_prefix("- ") {
        Some(item) => {
            is_entry(item.trim_start()) || item.starts_with(['"', '\'', '{']) && !item.contains(". ")
        }
        None => is_entry(text),
    }
}

/// Whether a line is a key with a value, and not a sentence with a colon in it.
fn is_entry(text: &str) -> bool {
    let Some((key, value)) = split_entry(text) else { return false };
    let bare = key.trim_matches(['"', '\'']);
    let is_key = !bare.is_empty()
        && bare.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
        && !SAID.contains(&bare.to_ascii_lowercase().as_str());
    if !is_key {
        return false;
    }
    let is_lower =
        bare.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_') || key != bare;
    let value = value.split(" #").next().unwrap_or_default().trim();
    is_lower && (!value.contains(' ') || value.starts_with(['"', '\'', '[', '{', '&', '*', '|', '>', '!']))
}

/// The parts before and after a colon that ends a word.
fn split_entry(text: &str) -> Option<(&str, &str)> {
    match text.strip_suffix(':') {
        Some(key) if !key.contains(": ") => Some((key, "")),
        _ => text.split_once(": "),
    }
}

/// Whether a line only leads over to an example.
fn announces(line: &str) -> bool {
    const MOST: usize = 6;
    line.ends_with(':') && line.split_whitespace().count() <= MOST
}

/// Whether a line is there for a program.
fn is_for_programs(text: &str) -> bool {
    let names =
        ["yaml-language-server:", "vim:", "renovate:", "checkov:", "kics-scan", "trivy:", "yamllint "];
    text.starts_with('@') || names.iter().any(|name| text.starts_with(name))
}

fn is_ruler(text: &str) -> bool {
    text.len() >= 3 && text.chars().all(|letter| "-=#*~_+ ".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_no_descriptions() {
        for (comment, expected) in [
            ("Number of pods", Some("Number of pods")),
            ("Number of\npods", Some("Number of pods")),
            ("One.\n\nTwo.", Some("One.\nTwo.")),
            ("Kinds:\n- a\n- b", Some("Kinds:\n- a\n- b")),
            ("- a\n- b", None),
            ("nodeSelector:\n  disk: ssd", None),
            ("Labels of nodes\nnodeSelector:\n  disk: ssd\n  b: c", Some("Labels of nodes")),
            ("Limits. For example:\nlimits:\n  cpu: 100m\nLeave them out.", Some("Leave them out.")),
            ("- name: A\n  value: b", None),
            ("key: value", None),
            ("ref: https://example.com/a", Some("ref: https://example.com/a")),
            ("Note: this is prose", Some("Note: this is prose")),
            ("image: what is run, with its tag", Some("image: what is run, with its tag")),
            ("--------\nText\n========", Some("Text")),
            ("@ignored\nText", Some("Text")),
            ("yaml-language-server: $schema=x.json", None),
            ("\"quoted.key/x\": 1", None),
            ("", None),
        ] {
            assert_eq!(description(comment.lines()).as_deref(), expected, "{comment}");
        }
    }
}
