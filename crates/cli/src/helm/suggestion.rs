//! What a mistyped command may have meant.

/// Cobra's words about commands that are near; empty if none is.
pub(super) fn suggest(word: &str, names: &[&str]) -> String {
    let lower = word.to_lowercase();
    let near: Vec<String> = names
        .iter()
        .filter(|name| distance(&lower, &name.to_lowercase()) <= 2 || name.to_lowercase().starts_with(&lower))
        .map(|name| format!("\t{name}\n"))
        .collect();
    if near.is_empty() { String::new() } else { format!("\n\nDid you mean this?\n{}", near.concat()) }
}

/// How many letters must be changed, added or taken away.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, character) in left.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(&right) {
            let cost = if character == *other { diagonal } else { 1 + diagonal.min(before).min(*cell) };
            diagonal = std::mem::replace(cell, cost);
            before = cost;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(suggest("templat", &["template", "lint"]), "\n\nDid you mean this?\n\ttemplate\n");
        assert_eq!(suggest("l", &["template", "lint"]), "\n\nDid you mean this?\n\tlint\n");
        assert_eq!(suggest("bogus", &["template", "lint"]), "");
    }
}
