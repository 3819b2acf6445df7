//! Floating-point numbers as `strconv.FormatFloat` writes them.

use trueline_yaml::number;

/// The text of a number. `verb` is one of `beEfFgGxX`; without a precision there are as many digits as are
/// needed to read the same number back. Negative numbers and infinities have a sign.
pub(crate) fn float_text(value: f64, verb: u8, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match verb {
        b'b' => binary(value),
        b'x' | b'X' => {
            let text = hexadecimal(value, precision);
            if verb == b'X' { text.to_ascii_uppercase() } else { text }
        }
        b'e' | b'E' => {
            let text = match precision {
                Some(precision) => scientific(&rounded(value, precision)),
                None => scientific(&shortest(value)),
            };
            if verb == b'E' { text.to_ascii_uppercase() } else { text }
        }
        b'f' | b'F' => match precision {
            Some(precision) => {
                let exact = precision.min(EXACT);
                let mut text = format!("{value:.exact$}");
                text.extend(std::iter::repeat_n('0', precision - exact));
                text
            }
            None => positional(value),
        },
        _ => {
            let text = match precision {
                Some(precision) => general(value, precision.max(1)),
                None => number::general(value),
            };
            if verb == b'G' { text.to_ascii_uppercase() } else { text }
        }
    }
}

/// No number has more digits than this after the first; Rust's own limit is a little higher.
const EXACT: usize = 1_200;

/// The number with this many digits after the point, in Rust's scientific notation.
fn rounded(value: f64, precision: usize) -> String {
    let exact = precision.min(EXACT);
    let text = format!("{value:.exact$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if precision > exact => {
            format!("{mantissa}{}e{exponent}", "0".repeat(precision - exact))
        }
        _ => text,
    }
}

/// The shortest digits in Rust's scientific notation, taken from the text that has Go's digits.
fn shortest(value: f64) -> String {
    let text = number::general(value);
    if text.contains('e') {
        return text;
    }
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let leading = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    let Some((first, rest)) = digits.split_at_checked(1) else { return format!("{sign}0e0") };
    let point = if rest.is_empty() { "" } else { "." };
    let exponent = whole.len() as i64 - 1 - leading as i64;
    format!("{sign}{first}{point}{rest}e{exponent}")
}

/// All digits before the point, and the shortest after it.
fn positional(value: f64) -> String {
    let text = shortest(value);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let Ok(point) = usize::try_from(exponent + 1) else {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    };
    match digits.split_at_checked(point) {
        None => format!("{sign}{digits}{}", "0".repeat(point - digits.len())),
        Some(("", fraction)) => format!("{sign}0.{fraction}"),
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
    }
}

/// Rust's scientific notation with Go's exponent: a sign and two digits at least.
fn scientific(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// This many significant digits, without trailing zeros.
fn general(value: f64, precision: usize) -> String {
    let rounded = rounded(value, (precision - 1).min(EXACT));
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as i64;
    let digits = if value == 0.0 { 0 } else { digits };
    // Go's rule if there are fewer digits than places before the point.
    let limit = if precision as i64 > digits && digits > exponent { digits } else { precision as i64 };
    if value != 0.0 && (exponent < -4 || exponent >= limit) {
        return scientific(&format!("{mantissa}e{exponent}"));
    }
    let fraction = if value == 0.0 { 0 } else { (digits - exponent - 1).max(0) as usize };
    // The number was already rounded to these digits, so writing it with as many does not change it.
    format!("{value:.fraction$}")
}

/// The integer mantissa and the power of two.
fn binary(value: f64) -> String {
    let (negative, exponent, mantissa) = parts(value);
    let sign = if negative { "-" } else { "" };
    let exponent = exponent - 52;
    format!("{sign}{mantissa}p{exponent:+}")
}

/// Sign, exponent of the first bit, and mantissa of 53 bits with the first bit set where it is.
fn parts(value: f64) -> (bool, i64, u64) {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let mantissa = bits & ((1 << 52) - 1);
    let negative = bits >> 63 == 1;
    if exponent == 0 { (negative, -1022, mantissa) } else { (negative, exponent - 1023, mantissa | 1 << 52) }
}

/// `0x1.8p+01`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let (negative, mut exponent, mantissa) = parts(value);
    let sign = if negative { "-" } else { "" };
    if mantissa == 0 {
        exponent = 0;
    }
    // One bit before the point, 60 after it.
    let mut mantissa = mantissa << 8;
    while mantissa != 0 && mantissa & 1 << 60 == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(precision) = precision
        && precision < 15
    {
        let shift = precision * 4;
        let extra = mantissa << shift & ((1 << 60) - 1);
        mantissa >>= 60 - shift;
        if extra | mantissa & 1 > 1 << 59 {
            mantissa += 1;
        }
        mantissa <<= 60 - shift;
        if mantissa & 1 << 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut digits = format!("{:015x}", mantissa & ((1 << 60) - 1));
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => {
            digits.truncate(precision);
            digits.extend(std::iter::repeat_n('0', precision.saturating_sub(digits.len())));
        }
    }
    let point = if digits.is_empty() { "" } else { "." };
    let power = if exponent < 0 { '-' } else { '+' };
    format!("{sign}0x{}{point}{digits}p{power}{:02}", mantissa >> 60 & 1, exponent.unsigned_abs())
}
