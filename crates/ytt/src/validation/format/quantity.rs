//! Quantities of Kubernetes: `500m`, `1.5Gi`, `12e6`.

/// The same as a regular expression, for those who only have that.
pub(crate) const PATTERN: &str =
    "^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$";

fn after_digits(text: &str) -> &str {
    text.trim_start_matches(|character: char| character.is_ascii_digit())
}

/// A number, and then a suffix or an exponent.
pub(super) fn quantity(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut rest = after_digits(number);
    let mut digits = number.len() - rest.len();
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = after_digits(fraction);
        digits += fraction.len() - rest.len();
    }
    let is_exponent = || {
        let exponent = rest.strip_prefix(['e', 'E']).unwrap_or_default();
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && after_digits(exponent).is_empty()
    };
    let suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "m", "k", "M", "G", "T", "P", "E"];
    digits > 0 && (suffixes.contains(&rest) || is_exponent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_says_the_same() {
        let pattern = trueline_regexp::Regexp::new(PATTERN.as_bytes()).unwrap();
        let parts = ["", "+", "-", "1", ".", "07", "Ki", "k", "K", "e", "E", "i", "m", " ", "\n"];
        for one in parts {
            for two in parts {
                for three in parts {
                    for four in parts {
                        let text = format!("{one}{two}{three}{four}");
                        assert_eq!(pattern.is_match(text.as_bytes()), quantity(&text), "{text:?}");
                    }
                }
            }
        }
    }
}
