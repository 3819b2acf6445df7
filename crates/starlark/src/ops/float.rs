//! Floats as text, as Go writes and reads them.

/// Six digits, without trailing zeros, for `str()`.
pub(crate) fn float_text(value: f64) -> String {
    if !value.is_finite() {
        return infinite(value);
    }
    general(&format!("{value:.5e}"))
}

/// As many digits as needed to get the same float again (`%g`).
pub(crate) fn shortest_text(value: f64) -> String {
    if !value.is_finite() {
        return infinite(value);
    }
    general(&format!("{value:e}"))
}

/// `%e` with six digits after the point.
pub(crate) fn exponent_text(value: f64) -> String {
    if !value.is_finite() {
        return infinite(value);
    }
    let text = format!("{value:.6e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{digits}e{}", exponent_part(exponent.parse().unwrap_or(0)))
}

/// `%f` with six digits after the point.
pub(crate) fn fixed_text(value: f64) -> String {
    if value.is_finite() { format!("{value:.6}") } else { infinite(value) }
}

fn infinite(value: f64) -> String {
    let text = if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "+Inf"
    } else {
        "-Inf"
    };
    text.to_owned()
}

/// Writes `d.ddde±x` without an exponent if that is short enough.
fn general(text: &str) -> String {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let digits: String = digits.chars().filter(|character| *character != '.').collect();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return format!("{sign}0");
    }
    if !(-4..6).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}e{}", exponent_part(exponent));
    }
    if exponent < 0 {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = usize::try_from(exponent + 1).unwrap_or(1);
    if digits.len() <= whole {
        let zeros = "0".repeat(whole - digits.len());
        return format!("{sign}{digits}{zeros}");
    }
    let (front, back) = digits.split_at(whole);
    format!("{sign}{front}.{back}")
}

fn exponent_part(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.abs())
}

/// Parses a float like Go, or returns why it cannot.
pub(crate) fn parse_float(text: &[u8]) -> Result<f64, &'static str> {
    const SYNTAX: &str = "invalid syntax";
    let text = std::str::from_utf8(text).map_err(|_| SYNTAX)?;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let with_sign = |value: f64| if negative { -value } else { value };
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return Ok(with_sign(f64::INFINITY));
    }
    if text.eq_ignore_ascii_case("nan") {
        return Ok(f64::NAN);
    }
    if !underscores_fit(unsigned) {
        return Err(SYNTAX);
    }
    let plain: String = unsigned.chars().filter(|character| *character != '_').collect();
    let value = match plain.get(..2) {
        Some("0x" | "0X") => hexadecimal(plain.get(2..).unwrap_or_default()).ok_or(SYNTAX)?,
        _ => {
            if !plain.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
                return Err(SYNTAX);
            }
            plain.parse::<f64>().map_err(|_| SYNTAX)?
        }
    };
    if value.is_infinite() { Err("value out of range") } else { Ok(with_sign(value)) }
}

/// Underscores are between digits, or between `0x` and a digit.
fn underscores_fit(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'_') {
        return true;
    }
    let hexadecimal = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let mut last = b'^';
    for byte in bytes.iter().skip(if hexadecimal { 2 } else { 0 }) {
        if last == b'^' && hexadecimal {
            last = b'0';
        }
        if byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit() {
            last = b'0';
        } else if *byte == b'_' {
            if last != b'0' {
                return false;
            }
            last = b'_';
        } else if last == b'_' {
            return false;
        } else {
            last = b'!';
        }
    }
    last != b'_'
}

/// A hexadecimal float without its `0x`. The exponent is required.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i64 =
        exponent.parse().ok().filter(|_| exponent.bytes().any(|byte| byte.is_ascii_digit()))?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa: u64 = 0;
    let mut shift: i64 = 0;
    for (index, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        if mantissa >> 59 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            // Digits that do not fit only decide between two floats that are equally near.
            mantissa |= u64::from(digit != 0);
            shift += 4;
        }
        if index >= whole.chars().count() {
            shift -= 4;
        }
    }
    let power = exponent.saturating_add(shift).clamp(-5000, 5000) as i32;
    // In two steps, because the power alone may be too large or too small.
    Some(mantissa as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_go_writes_them() {
        for (value, str_text, shortest) in [
            (0.0, "0", "0"),
            (-0.0, "-0", "-0"),
            (1.0, "1", "1"),
            (2.345678912, "2.34568", "2.345678912"),
            (1234567.0, "1.23457e+06", "1.234567e+06"),
            (123456.0, "123456", "123456"),
            (1e21, "1e+21", "1e+21"),
            (0.0001, "0.0001", "0.0001"),
            (0.00001, "1e-05", "1e-05"),
            (-2.5, "-2.5", "-2.5"),
            (999999.5, "1e+06", "999999.5"),
            (100000.0, "100000", "100000"),
            (f64::INFINITY, "+Inf", "+Inf"),
            (f64::NEG_INFINITY, "-Inf", "-Inf"),
            (f64::NAN, "NaN", "NaN"),
        ] {
            assert_eq!(float_text(value), str_text);
            assert_eq!(shortest_text(value), shortest);
        }
        assert_eq!(exponent_text(1.5), "1.500000e+00");
        assert_eq!(fixed_text(1.5), "1.500000");
    }

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("1", Ok(1.0)),
            ("-1.5e3", Ok(-1500.0)),
            (".5", Ok(0.5)),
            ("5.", Ok(5.0)),
            ("+Inf", Ok(f64::INFINITY)),
            ("1_000", Ok(1000.0)),
            ("0x1p-2", Ok(0.25)),
            ("0x1.8p1", Ok(3.0)),
            ("1e400", Err("value out of range")),
            ("", Err("invalid syntax")),
            ("1__0", Err("invalid syntax")),
            ("0x1", Err("invalid syntax")),
            (" 1", Err("invalid syntax")),
            ("1e", Err("invalid syntax")),
        ] {
            assert_eq!(parse_float(text.as_bytes()), expected, "{text}");
        }
    }
}
