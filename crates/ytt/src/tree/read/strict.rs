//! `--strict`: a plain scalar has to mean the same to cautious readers of YAML.

use trueline_yaml::{ScalarValue, is_timestamp};

/// What ytt says against a plain scalar that YAML takes for `value`.
pub(super) fn objection(text: &str, value: ScalarValue) -> Option<String> {
    let cautious = match cautious_tag(text) {
        Ok(tag) => tag,
        Err(problem) => return Some(format!("yaml: Strict parsing: {problem}")),
    };
    let native = match value {
        ScalarValue::Null => "!!null",
        ScalarValue::Bool(_) => "!!bool",
        ScalarValue::Int(_) | ScalarValue::UInt(_) => "!!int",
        ScalarValue::Float(_) => "!!float",
        ScalarValue::String if is_timestamp(text) => "!!timestamp",
        ScalarValue::String => "!!str",
    };
    (cautious != native)
        .then(|| format!("yaml: Strict parsing: Found '{text}' ambigious (could be {cautious} or {native})"))
}

/// What a cautious reader takes a scalar for, or why it does not dare to.
fn cautious_tag(text: &str) -> Result<&'static str, String> {
    match text {
        "" => return Ok("!!null"),
        "true" | "false" => return Ok("!!bool"),
        _ => {}
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (digits, rest) = split_digits(unsigned);
    if is_decimal(digits) && rest.is_empty() {
        return integer(text);
    }
    if is_decimal(digits) && is_fraction(rest) {
        return match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok("!!float"),
            _ => Err(format!(
                "Parsing float '{text}': strconv.ParseFloat: parsing \"{text}\": value out of range"
            )),
        };
    }
    if text.contains(char::is_whitespace) {
        return Err(format!("Strings with whitespace must be explicitly quoted: '{text}'"));
    }
    if text.contains(':') {
        return Err(format!("Strings with colon must be explicitly quoted: '{text}'"));
    }
    // Mostly a missing line break before a document.
    if text.contains("---") {
        return Err(format!("Strings with triple-dash must be explicitly quoted: '{text}'"));
    }
    Ok("!!str")
}

fn integer(text: &str) -> Result<&'static str, String> {
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return Ok("!!int");
    }
    let problem = if text.starts_with('-') { "invalid syntax" } else { "value out of range" };
    Err(format!("Parsing int '{text}': strconv.ParseUint: parsing \"{text}\": {problem}"))
}

/// `0`, or digits that do not begin with one.
fn is_decimal(digits: &str) -> bool {
    digits == "0" || (!digits.is_empty() && !digits.starts_with('0'))
}

/// What may follow the digits: a full stop with digits, an exponent.
fn is_fraction(text: &str) -> bool {
    let text = match text.strip_prefix('.').map(split_digits) {
        None => text,
        Some(("", _)) => return false,
        Some((_, rest)) => rest,
    };
    if text.is_empty() {
        return true;
    }
    let Some(exponent) = text.strip_prefix(['e', 'E']) else { return false };
    let (digits, rest) = split_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    !digits.is_empty() && rest.is_empty()
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::super::super::{File, ReadOptions, Scalars, read};

    #[test]
    fn what_could_be_misread_is_refused() {
        let options = ReadOptions { scalars: Scalars::Strict, ..ReadOptions::default() };
        for (text, expected) in [
            ("a: b", ""),
            ("a: true", ""),
            ("a:", ""),
            ("a: -1.5e+3", ""),
            ("a: 18446744073709551615", ""),
            ("a: 'yes'", ""),
            ("a: !!str yes", ""),
            ("a: 0x1", "Found '0x1' ambigious (could be !!str or !!int)"),
            ("a: yes", "Found 'yes' ambigious (could be !!str or !!bool)"),
            ("a: ~", "Found '~' ambigious (could be !!str or !!null)"),
            ("a: 017", "Found '017' ambigious (could be !!str or !!int)"),
            ("a: 1.", "Found '1.' ambigious (could be !!str or !!float)"),
            ("a: 2001-01-01", "Found '2001-01-01' ambigious (could be !!str or !!timestamp)"),
            ("a: b c", "Strings with whitespace must be explicitly quoted: 'b c'"),
            ("a: b:c", "Strings with colon must be explicitly quoted: 'b:c'"),
            ("a: b---", "Strings with triple-dash must be explicitly quoted: 'b---'"),
            ("n: b", "Found 'n' ambigious (could be !!str or !!bool)"),
            (
                "a: 99999999999999999999",
                "Parsing int '99999999999999999999': strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            let found = read(&File::new("a.yml", text), &options).err();
            let found = found.map(|error| error.text).unwrap_or_default();
            assert_eq!(found.strip_prefix("yaml: Strict parsing: ").unwrap_or(&found), expected, "{text}");
        }
    }
}
