//! Amounts of what is counted: whether the server takes one for an integer.
//!
//! It looks at the thousandths, rounded up, in 64 bits. A short amount whose thousandths do not fit counts as zero, and of
//! a long one only the lower bits are looked at, so some integers are refused.

use trueline_apimachinery::quantity::Parts;
use trueline_yaml::ScalarValue;

use crate::place::FieldPlace;

/// With more digits than this, an amount is long.
const SHORT: usize = 18;

/// Smaller parts than this power of ten make an amount long, too.
const SMALLEST: i64 = -9;

/// Whether an amount is an integer. One that cannot be read was reported.
pub(super) fn is_integer(amount: &FieldPlace<'_, '_>) -> bool {
    let Some(quantity) = amount.quantity() else { return true };
    let thousandths = quantity.thousandths();
    if let Ok(thousandths) = i64::try_from(thousandths) {
        return thousandths % 1000 == 0;
    }
    let number;
    let text = match amount.node().and_then(|node| node.scalar()) {
        Some(ScalarValue::Int(value)) => {
            number = value.to_string();
            number.as_str()
        }
        Some(ScalarValue::UInt(value)) => {
            number = value.to_string();
            number.as_str()
        }
        _ => amount.text().unwrap_or_default().trim(),
    };
    match Parts::read(text) {
        Ok(parts) if parts.base == 10 && is_short(&parts) => true,
        Ok(parts) if parts.base == 10 => low_thousandths(&parts) % 1000 == 0,
        _ => low_bits(thousandths) % 1000 == 0,
    }
}

fn is_short(parts: &Parts<'_>) -> bool {
    let digits = parts.whole.trim_start_matches('0').len().saturating_add(parts.fraction.len());
    let places = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
    digits <= SHORT && i64::from(parts.exponent).saturating_sub(places) >= SMALLEST
}

fn low_bits(number: i128) -> i64 {
    u64::try_from(number.rem_euclid(1 << u64::BITS)).unwrap_or_default().cast_signed()
}

/// The lower bits of the thousandths of a long amount.
fn low_thousandths(parts: &Parts<'_>) -> i64 {
    let places = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
    let shift = i64::from(parts.exponent).saturating_sub(places).saturating_add(3);
    let digits = || parts.whole.bytes().chain(parts.fraction.bytes()).map(|digit| u64::from(digit - b'0'));
    let count = parts.whole.len().saturating_add(parts.fraction.len());
    let cut = usize::try_from(shift.saturating_neg()).unwrap_or_default().min(count);
    let times_ten = |number: u64| number.wrapping_mul(10);
    let number = digits().take(count - cut).fold(0, |number, digit| times_ten(number).wrapping_add(digit));
    let rounded = number.wrapping_add(u64::from(digits().skip(count - cut).any(|digit| digit != 0)));
    // So many tens leave nothing of 64 bits.
    let tens = shift.clamp(0, i64::from(u64::BITS));
    (0..tens).fold(rounded, |number, _| times_ten(number)).cast_signed()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn integers_as_the_server_counts_them() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: {}}}\n";
        let accepted = [
            "0",
            "3000m",
            "0.9999",
            "10P",
            "100E",
            "1e18",
            "1e40",
            "8Ei",
            "9223372036854775808",
            "18446744073709551616",
            "18446744073709552000",
        ];
        for text in accepted {
            bench.accepts(&frame.replace("{}", &format!("{text:?}")));
        }
        // A number is written out before the server reads it.
        bench.accepts(&frame.replace("{}", "9223372036854775807"));
        for refused in [
            "1.0001",
            "1.0000000001",
            "0.0000000001",
            "1000000000000000000",
            "10000000000000000000",
            "99999999999999999999",
            "999999999999999999.5",
            "1000000000000000000000000000000000000000000",
        ] {
            let text = frame.replace("{}", &format!("{refused:?}"));
            let error = bench.errors(&text).join("\n");
            assert!(error.ends_with("must be an integer"), "{refused}: {error}");
        }
    }
}
