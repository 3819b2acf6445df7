//! Paths of values in words.

/// A path as people write it: names with dots, numbers of lists in brackets, other names in quotes.
pub(super) fn dotted(keys: &[String]) -> String {
    let mut text = String::new();
    for key in keys {
        push(&mut text, key);
    }
    text
}

/// The path of a name below others.
pub(super) fn dotted_below(above: &[String], name: &str) -> String {
    let mut text = dotted(above);
    push(&mut text, name);
    text
}

fn push(text: &mut String, key: &str) {
    let is_plain = key.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    if !text.is_empty() && key.parse::<usize>().is_ok() {
        text.push_str(&format!("[{key}]"));
    } else if is_plain && !key.is_empty() {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(key);
    } else {
        text.push_str(&format!("[{key:?}]"));
    }
}

/// A path as a JSON pointer.
pub(super) fn pointer(keys: &[String]) -> String {
    keys.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Names in a sentence.
pub(super) fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_people_do() {
        let keys = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        for (path, expected) in [
            ("a", "a"),
            ("a|b|c", "a.b.c"),
            ("hosts|0|name", "hosts[0].name"),
            ("labels|app.kubernetes.io/name", "labels[\"app.kubernetes.io/name\"]"),
        ] {
            assert_eq!(dotted(&keys(path)), expected);
        }
        assert_eq!(pointer(&keys("a/b|c~d")), "/a~1b/c~0d");
        assert_eq!(list(&keys("a|b|c")), "`a`, `b` and `c`");
    }
}
