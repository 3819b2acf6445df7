//! Numbers as Go writes them. The digits are the shortest that read back as the same number; Go's
//! packages differ in when they switch to an exponent.

use std::fmt::Write as _;

/// The text that `strconv.FormatFloat(value, 'g', -1, 64)` returns: templates, go-yaml.
pub fn general(value: f64) -> String {
    match special(value) {
        Some(text) => text.to_owned(),
        None => general_text(&Decimal::of(ryu::Buffer::new().format_finite(value))),
    }
}

/// The text that `strconv.FormatFloat(value, 'g', -1, 32)` returns: enough digits for 32 bits.
pub fn general_of_single(value: f64) -> String {
    let value = value as f32;
    match special(value.into()) {
        Some(text) => text.to_owned(),
        None => general_text(&Decimal::of(ryu::Buffer::new().format_finite(value))),
    }
}

/// The text that `strconv.FormatFloat(value, 'f', -1, 64)` returns: no exponent, however many digits there are.
pub fn positional(value: f64) -> String {
    match special(value) {
        Some(text) => text.to_owned(),
        None => positional_text(&Decimal::of(ryu::Buffer::new().format_finite(value))),
    }
}

/// The text that `encoding/json` writes; `None` for what JSON cannot express.
pub fn json(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let decimal = Decimal::of(ryu::Buffer::new().format_finite(value));
    let magnitude = value.abs();
    Some(if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        scientific(&decimal, 1)
    } else {
        positional_text(&decimal)
    })
}

/// The text that go-yaml writes for a number.
pub fn yaml(value: f64) -> String {
    match special(value) {
        Some(_) => yaml_special(value).to_owned(),
        None => general(value),
    }
}

/// The text of a floating-point key as `sigs.k8s.io/yaml` writes it: shortest for 32 bits, which is also why a
/// large key may become infinite.
pub fn key_of_float(value: f64) -> String {
    let single = f64::from(value as f32);
    match special(single) {
        Some(_) => yaml_special(single).to_owned(),
        None => general_of_single(value),
    }
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_finite() {
        None
    } else if value.is_nan() {
        Some("NaN")
    } else {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    }
}

fn yaml_special(value: f64) -> &'static str {
    if value.is_nan() {
        ".nan"
    } else if value > 0.0 {
        ".inf"
    } else {
        "-.inf"
    }
}

/// A number as its significant digits and the exponent of the first of them.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// From the text that `ryu` writes. The standard library's shortest digits are not always Go's: if two are
    /// equally near, it takes the larger and Go the even one.
    fn of(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let before_first = all.len() - significant.len();
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Decimal { negative, digits: "0".to_owned(), exponent: 0 };
        }
        let exponent = exponent + whole.len() as i32 - 1 - before_first as i32;
        Decimal { negative, digits: digits.to_owned(), exponent }
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }
}

/// Go's `%g` with shortest digits: an exponent below 10⁻⁴ and from 10⁶ on, however many digits there are.
fn general_text(decimal: &Decimal) -> String {
    if (-4..6).contains(&decimal.exponent) { positional_text(decimal) } else { scientific(decimal, 2) }
}

fn scientific(decimal: &Decimal, exponent_digits: usize) -> String {
    let mut text = decimal.sign().to_owned();
    let (first, rest) = decimal.digits.split_at(1.min(decimal.digits.len()));
    text.push_str(first);
    if !rest.is_empty() {
        text.push('.');
        text.push_str(rest);
    }
    let sign = if decimal.exponent < 0 { '-' } else { '+' };
    let _ = write!(text, "e{sign}{:0exponent_digits$}", decimal.exponent.unsigned_abs());
    text
}

fn positional_text(decimal: &Decimal) -> String {
    let mut text = decimal.sign().to_owned();
    let digits = decimal.digits.as_str();
    match usize::try_from(decimal.exponent) {
        Ok(exponent) if exponent + 1 >= digits.len() => {
            text.push_str(digits);
            text.extend(std::iter::repeat_n('0', exponent + 1 - digits.len()));
        }
        Ok(exponent) => {
            let (whole, fraction) = digits.split_at(exponent + 1);
            text.push_str(whole);
            text.push('.');
            text.push_str(fraction);
        }
        Err(_) => {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', decimal.exponent.unsigned_abs() as usize - 1));
            text.push_str(digits);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_text_switches_to_an_exponent_early() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (2.0, "2"),
            (100_000.0, "100000"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (123_456.789, "123456.789"),
            // Exactly between the two shortest texts.
            (2_649_073_025_006_517.0 / 4.0, "6.622682562516292e+14"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-1.5e-7, "-1.5e-07"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    #[test]
    fn json_text_keeps_digits_up_to_21() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1_000_000.0, "1000000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (0.000001, "0.000001"),
            (0.0000001, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (123.456, "123.456"),
        ] {
            assert_eq!(json(value).as_deref(), Some(text));
        }
        assert_eq!(json(f64::NAN), None);
        assert_eq!(json(f64::INFINITY), None);
    }

    #[test]
    fn yaml_text_spells_out_what_is_not_a_number() {
        assert_eq!(yaml(f64::INFINITY), ".inf");
        assert_eq!(yaml(f64::NEG_INFINITY), "-.inf");
        assert_eq!(yaml(f64::NAN), ".nan");
        assert_eq!(yaml(1e6), "1e+06");
    }

    #[test]
    fn keys_have_32_bits() {
        for (value, text) in [
            (0.1, "0.1"),
            (2.123_456_789, "2.1234567"),
            (16_777_217.0, "1.6777216e+07"),
            (1e300, ".inf"),
            (-1e300, "-.inf"),
            (1e-60, "0"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(key_of_float(value), text);
        }
    }
}
