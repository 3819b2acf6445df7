//! Which part of an expression a person looks at, where cel-go names a single character.

use std::ops::Range;

/// The place of what is wrong. Where cel-go names only the first character of a name, or the dot before it, that is the whole
/// name.
pub fn whole_name(expression: &str, place: Range<u32>) -> Range<u32> {
    let rest = |from: u32| expression.get(from as usize..).unwrap_or_default();
    let name = |text: &str| {
        let length = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        u32::try_from(length.unwrap_or(text.len())).unwrap_or_default()
    };
    let (mut start, mut end) = (place.start, place.end.max(place.start));
    if rest(start).starts_with('.') && name(rest(start + 1)) > 0 {
        start += 1;
        end = end.max(start + name(rest(start)));
    } else if end <= start.saturating_add(1) {
        end = end.max(start + name(rest(start)));
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::whole_name;

    #[test]
    fn names_are_marked_whole() {
        let expression = "self.most > größe && (1)";
        let cases = [
            (0..1, 0..4),
            (4..5, 5..9),
            (12..13, 12..19),
            (10..11, 10..11),
            (23..24, 23..24),
            (99..99, 99..99),
        ];
        for (place, expected) in cases {
            assert_eq!(whole_name(expression, place.clone()), expected, "{place:?}");
        }
        assert_eq!(whole_name("", 0..0), 0..0);
        assert_eq!(whole_name("a", u32::MAX..u32::MAX), u32::MAX..u32::MAX);
    }
}
