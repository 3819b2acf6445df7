//! Upper and lower case as in Go, where each character becomes one character. The standard library may turn one
//! character into several, and knows characters added after Unicode 15.

use trueline_gotemplate::{is_alphanumeric, is_print};

/// Go's `unicode.ToUpper`.
pub(crate) fn to_upper(character: char) -> char {
    match character {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => shifted(character, 8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => shifted(character, 9),
        // Their capitals were added later.
        '\u{19b}' | '\u{264}' => character,
        _ => single(character.to_uppercase(), character),
    }
}

/// Go's `unicode.ToLower`.
pub(crate) fn to_lower(character: char) -> char {
    match character {
        'İ' => 'i',
        _ => single(character.to_lowercase(), character),
    }
}

/// Go's `unicode.ToTitle`.
pub(crate) fn to_title(character: char) -> char {
    match character {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => character,
        _ => to_upper(character),
    }
}

/// Go's `unicode.IsUpper`.
pub(crate) fn is_upper(character: char) -> bool {
    character.is_uppercase() && is_alphanumeric(character)
}

/// Go's `unicode.IsLower`, except for a few letters without another case.
pub(crate) fn is_lower(character: char) -> bool {
    character.is_lowercase() && is_alphanumeric(character)
}

/// Go's `unicode.IsTitle`.
pub(crate) fn is_title(character: char) -> bool {
    matches!(character,
        '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}'
        | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}')
}

/// Go's `unicode.IsLetter`.
pub(crate) fn is_letter(character: char) -> bool {
    character != '_' && is_alphanumeric(character) && !character.is_numeric()
}

fn single(mut mapped: impl ExactSizeIterator<Item = char>, character: char) -> char {
    match (mapped.len(), mapped.next()) {
        (1, Some(mapped)) if is_print(character) => mapped,
        _ => character,
    }
}

fn shifted(character: char, distance: u32) -> char {
    char::from_u32(u32::from(character) + distance).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_becomes_one() {
        for (character, upper, lower, title) in [
            ('a', 'A', 'a', 'A'),
            ('É', 'É', 'é', 'É'),
            ('ß', 'ß', 'ß', 'ß'),
            ('İ', 'İ', 'i', 'İ'),
            ('ᾳ', 'ᾼ', 'ᾳ', 'ᾼ'),
            ('ǆ', 'Ǆ', 'ǆ', 'ǅ'),
            ('ა', 'Ა', 'ა', 'ა'),
            ('ⅷ', 'Ⅷ', 'ⅷ', 'Ⅷ'),
            ('1', '1', '1', '1'),
        ] {
            assert_eq!(
                (to_upper(character), to_lower(character), to_title(character)),
                (upper, lower, title)
            );
        }
        assert!(!is_upper('Ⅷ') && is_upper('É') && !is_lower('ⅷ') && is_lower('ß') && is_title('ǅ'));
        assert!(is_letter('é') && !is_letter('_') && !is_letter('9') && !is_letter('٣'));
    }
}
