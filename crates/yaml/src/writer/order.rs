//! The order of keys: numbers inside keys are compared as numbers, and letters come after everything else.

use std::cmp::Ordering;

use crate::Dialect;

/// Entries of a map in the order in which their keys are written.
pub fn sorted_as_written<T: Clone>(mut entries: Vec<(&str, T)>, dialect: Dialect) -> Vec<(&str, T)> {
    if dialect != Dialect::Ytt {
        // go-yaml's comparison contradicts itself for some keys (`a1b` < `a9` < `a10` < `a1b`), and its own
        // output varies then. Starting from the order of bytes, our output at least does not vary.
        entries.sort_unstable_by_key(|entry| entry.0);
        merge_sort(&mut entries, &|left, right| less(left.0, right.0, dialect));
    }
    entries
}

/// The standard library's sort may panic when a comparison contradicts itself; this one cannot.
fn merge_sort<T: Clone>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    if items.windows(2).all(|pair| !less(&pair[1], &pair[0])) {
        return;
    }
    let (left, right) = items.split_at_mut(items.len() / 2);
    merge_sort(left, less);
    merge_sort(right, less);
    let (left, right) = (left.to_vec(), right.to_vec());
    let mut left = left.into_iter().peekable();
    let mut right = right.into_iter().peekable();
    for slot in items {
        let take_right = match (left.peek(), right.peek()) {
            (Some(left), Some(right)) => less(right, left),
            (left, _) => left.is_none(),
        };
        if let Some(item) = if take_right { right.next() } else { left.next() } {
            *slot = item;
        }
    }
}

/// Most keys differ first in an ASCII letter or in their length, which can be seen without decoding them.
fn less(left: &str, right: &str, dialect: Dialect) -> bool {
    match left.bytes().zip(right.bytes()).find(|(left, right)| left != right) {
        None => left.len() < right.len(),
        Some((left, right)) if left.is_ascii_alphabetic() && right.is_ascii_alphabetic() => left < right,
        Some(_) => {
            let characters = |key: &str| key.chars().collect::<Vec<char>>();
            less_by_character(&characters(left), &characters(right), dialect)
        }
    }
}

fn less_by_character(left: &[char], right: &[char], dialect: Dialect) -> bool {
    let Some(position) = left.iter().zip(right).position(|(left, right)| left != right) else {
        return left.len() < right.len();
    };
    let (first, second) = (left[position], right[position]);
    match (is_letter(first), is_letter(second)) {
        (true, true) => first < second,
        (false, false) => match compare_numbers(left, right, position) {
            Ordering::Equal => first < second,
            order => order == Ordering::Less,
        },
        // Version 3 ends a number before its next letter: `a1b` comes before `a10`.
        (first_is_letter, _) if dialect == Dialect::GoYamlV3 && follows_digit(left, position) => {
            first_is_letter
        }
        (_, second_is_letter) => second_is_letter,
    }
}

fn follows_digit(characters: &[char], position: usize) -> bool {
    position.checked_sub(1).and_then(|before| characters.get(before)).is_some_and(|&before| is_digit(before))
}

/// Compares the numbers that two keys have from a position on, by value and then by length.
fn compare_numbers(left: &[char], right: &[char], position: usize) -> Ordering {
    let zero = left[position] == '0' || right[position] == '0';
    let before = left[..position].iter().rev().take_while(|&&character| is_digit(character));
    // A zero inside a number makes it longer and so larger; a leading one does not.
    let start = i64::from(zero && before.into_iter().any(|&digit| digit != '0'));
    let (left_number, left_length) = number(&left[position..], start);
    let (right_number, right_length) = number(&right[position..], start);
    left_number.cmp(&right_number).then(left_length.cmp(&right_length))
}

/// As in Go, long numbers overflow, and the digits of other scripts are valued by their distance from zero.
fn number(characters: &[char], start: i64) -> (i64, usize) {
    let digits = characters.iter().take_while(|&&character| is_digit(character));
    digits.fold((start, 0), |(number, length), &digit| {
        let digit = i64::from(u32::from(digit)) - i64::from(u32::from('0'));
        (number.wrapping_mul(10).wrapping_add(digit), length + 1)
    })
}

/// Unicode's general category "letter". The characters that may start an identifier are nearly the same set,
/// but the letters below are missing there because normalisation would split them.
fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphabetic();
    }
    let may_begin_identifier = unicode_ident::is_xid_start(character)
        || matches!(
            character,
            '\u{37a}'
                | '\u{e33}'
                | '\u{eb3}'
                | '\u{2e2f}'
                | '\u{fc5e}'..='\u{fc63}'
                | '\u{fdfa}'
                | '\u{fdfb}'
                | '\u{fe70}'..='\u{fe7e}'
                | '\u{ff9e}'
                | '\u{ff9f}'
        );
    may_begin_identifier && character.is_alphabetic() && !character.is_numeric()
}

/// Unicode's general category "decimal digit": the numbers that may continue an identifier but not start it,
/// except for a few that are only there for historical reasons.
fn is_digit(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_digit();
    }
    character.is_numeric()
        && unicode_ident::is_xid_continue(character)
        && !unicode_ident::is_xid_start(character)
        && !matches!(character, '\u{1369}'..='\u{1371}' | '\u{19da}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keys: &[&str], dialect: Dialect) -> Vec<String> {
        let entries = keys.iter().map(|key| (*key, ())).collect();
        sorted_as_written(entries, dialect).into_iter().map(|(key, ())| key.to_owned()).collect()
    }

    #[test]
    fn numbers_count_as_numbers() {
        let sorted =
            ["", "-", "1", "2", "10", "A", "a", "a-b", "a1", "a2", "a9", "a10", "aB", "ab", "b", "é", "一"];
        let mut shuffled = sorted;
        shuffled.reverse();
        assert_eq!(order(&shuffled, Dialect::Sigs), sorted);
        assert_eq!(order(&shuffled, Dialect::Ytt), shuffled);
        assert_eq!(
            order(&["x001", "x01", "x1", "x100", "x10"], Dialect::Sigs),
            ["x1", "x01", "x001", "x10", "x100"]
        );
    }

    #[test]
    fn version_3_ends_a_number_at_a_letter() {
        assert_eq!(order(&["a1b", "a10", "a9"], Dialect::GoYamlV3), ["a1b", "a9", "a10"]);
    }

    #[test]
    fn keys_with_a_contradictory_comparison_still_have_an_order() {
        let one = order(&["a10", "a1b", "a9"], Dialect::Sigs);
        assert_eq!(order(&["a9", "a10", "a1b"], Dialect::Sigs), one);
        let many: std::collections::BTreeSet<String> =
            (0..3000).map(|index| format!("a{}{}", index % 17, ["b", "", "0", "-"][index % 4])).collect();
        let keys: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(order(&keys, Dialect::Sigs).into_iter().collect::<std::collections::BTreeSet<_>>(), many);
    }
}
