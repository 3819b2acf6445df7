//! Amounts as the API server computes with them. A short one is a 64-bit number with a power of ten; one that does not
//! fit is a decimal of any size. Which of the two it is can be seen from outside: only a short one is an integer.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use num_bigint::{BigInt, BigUint, Sign};
use trueline_apimachinery::quantity::{Notation, Parts, QuantityError};

/// How many digits a decimal may have. The API server has no limit and would run out of memory instead.
const MOST_DIGITS: u64 = 20_000;

/// The smallest power of ten that amounts have; what is below is rounded away from zero.
const NANO: i32 = -9;

/// An amount.
#[derive(Debug)]
pub(crate) struct Amount {
    /// Comparing and adding change the amount they are called on, as they do in the API server: comparing a short one
    /// with a decimal makes it a decimal, and adding to a decimal writes the sum into it.
    inner: Mutex<Inner>,
    notation: Notation,
    /// How it was written, where that is how it is written again.
    text: Option<Arc<str>>,
}

#[derive(Debug, Clone)]
enum Inner {
    Short(Short),
    /// Copies of an amount share their decimal.
    Decimal(Arc<Mutex<Decimal>>),
}

/// A 64-bit number times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Short {
    value: i64,
    scale: i32,
}

/// A number of any size times a power of ten.
#[derive(Debug, Clone)]
struct Decimal {
    value: BigInt,
    scale: i32,
}

/// What is said of an amount that takes more room than is given to any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Which of the two operations is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
}

/// A number can never be left half written, so a lock that a panic broke is as good as any.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Amount {
    /// Reads an amount, or says what is wrong with it in the server's words.
    pub(crate) fn parse(text: &str) -> Result<Amount, &'static str> {
        let parts = Parts::read(text).map_err(QuantityError::text)?;
        let whole = parts.whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        // Zeros alone end the reading, a point and a suffix after them do not.
        if let Some(short) = short(&parts, whole) {
            let shifted = format!("{whole}{}", parts.fraction);
            let stays = match parts.notation {
                Notation::Binary => last_bits(&shifted) != 0,
                _ => short.scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0'),
            };
            return Ok(Amount {
                inner: Mutex::new(Inner::Short(short)),
                notation: parts.notation,
                text: (stays || text == "0").then(|| text.into()),
            });
        }
        let (decimal, notation) = decimal(&parts).map_err(|TooLarge| "quantity is too large")?;
        Ok(Amount { inner: Mutex::new(Inner::Decimal(Arc::new(Mutex::new(decimal)))), notation, text: None })
    }

    /// An integer.
    pub(crate) fn from_integer(value: i64) -> Amount {
        let inner = Mutex::new(Inner::Short(Short { value, scale: 0 }));
        Amount { inner, notation: Notation::Exponent, text: None }
    }

    /// Its value, if it is short and an integer.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        match &*locked(&self.inner) {
            Inner::Short(short) if short.scale >= 0 => short.raised(short.scale),
            _ => None,
        }
    }

    /// Its value as a float, which may be off by a little.
    pub(crate) fn as_float(&self) -> f64 {
        let (base, exponent) = match &*locked(&self.inner) {
            Inner::Short(short) => (short.value as f64, short.scale),
            Inner::Decimal(decimal) => {
                let decimal = locked(decimal);
                (nearest_float(&decimal.value), decimal.scale)
            }
        };
        if exponent == 0 { base } else { base * power_of_ten(exponent) }
    }

    /// Below zero, zero or above.
    pub(crate) fn sign(&self) -> i64 {
        match &*locked(&self.inner) {
            Inner::Short(short) => short.value.signum(),
            Inner::Decimal(decimal) => match locked(decimal).value.sign() {
                Sign::Minus => -1,
                Sign::NoSign => 0,
                Sign::Plus => 1,
            },
        }
    }

    /// Compares it with another, and becomes a decimal if the other is one.
    pub(crate) fn compare(&self, other: &Amount) -> Ordering {
        let ordering = self.ordering(other);
        let other_is_decimal = matches!(&*locked(&other.inner), Inner::Decimal(_));
        let mut inner = locked(&self.inner);
        if let (Inner::Short(short), true) = (&*inner, other_is_decimal) {
            let decimal = short.decimal();
            *inner = Inner::Decimal(Arc::new(Mutex::new(decimal)));
        }
        ordering
    }

    /// Compares it with another and stays what it is.
    pub(crate) fn ordering(&self, other: &Amount) -> Ordering {
        self.snapshot().cmp(&other.snapshot())
    }

    /// The sum or the difference. A decimal on the left becomes the result itself.
    pub(crate) fn combine(&self, other: &Amount, operation: Operation) -> Result<Amount, TooLarge> {
        let left = locked(&self.inner).clone();
        let right = locked(&other.inner).clone();
        let is_zero = self.sign() == 0;
        let notation = if is_zero { other.notation } else { self.notation };
        if let (Inner::Short(left), Inner::Short(right)) = (&left, &right)
            && let Some(result) = left.combine(*right, operation)
        {
            return Ok(Amount { inner: Mutex::new(Inner::Short(result)), notation, text: None });
        }
        let right = other.snapshot();
        let shared = match left {
            Inner::Short(left) => Arc::new(Mutex::new(left.decimal())),
            Inner::Decimal(decimal) => decimal,
        };
        {
            let mut decimal = locked(&shared);
            let result = decimal.combine(&right, operation)?;
            *decimal = result;
        }
        Ok(Amount { inner: Mutex::new(Inner::Decimal(shared)), notation, text: None })
    }

    fn snapshot(&self) -> Decimal {
        match &*locked(&self.inner) {
            Inner::Short(short) => short.decimal(),
            Inner::Decimal(decimal) => locked(decimal).clone(),
        }
    }

    /// As the server writes it.
    pub(crate) fn text(&self) -> Arc<str> {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let exact = self.snapshot();
        if exact.value.sign() == Sign::NoSign {
            return "0".into();
        }
        let is_small = exact.cmp(&Decimal::from(1024)).is_lt() && exact.cmp(&Decimal::from(-1024)).is_gt();
        if self.notation == Notation::Binary
            && !is_small
            && let Some(integer) = exact.integer()
        {
            let (number, times) = without_factors(integer, 1024);
            let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(times as usize).copied();
            return format!("{number}{}", suffix.unwrap_or_default()).into();
        }
        let (mut number, times) = without_factors(exact.value, 10);
        let mut exponent = i64::from(exact.scale) + i64::from(times);
        while exponent % 3 != 0 {
            number *= 10;
            exponent -= 1;
        }
        let suffix = match (self.notation, exponent) {
            (_, 0) => String::new(),
            (Notation::Exponent, _) => format!("e{exponent}"),
            // A number that is too large for the suffixes is written without any, which makes it look small.
            _ => ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]
                .get(usize::try_from(exponent / 3 + 3).unwrap_or(usize::MAX))
                .copied()
                .unwrap_or_default()
                .to_owned(),
        };
        format!("{number}{suffix}").into()
    }
}

/// Which of the last three bits of a number that was written are set.
fn last_bits(digits: &str) -> u64 {
    digits.parse::<u64>().map_or(0, |value| value & 7)
}

/// The amount as a short one, if the server reads it so.
fn short(parts: &Parts<'_>, whole: &str) -> Option<Short> {
    let digits = whole.len() + parts.fraction.len();
    let (factor, scale) = match parts.base {
        2 => {
            let room = 15_i64 - i64::try_from(whole.len()).ok()? - i64::from(parts.exponent) * 3 / 10 - 1;
            if room < 0 || !parts.fraction.is_empty() {
                return None;
            }
            (1_i64.checked_shl(u32::try_from(parts.exponent).ok()?)?, 0)
        }
        _ if digits > 18 => return None,
        _ => (1, parts.exponent.wrapping_sub(i32::try_from(parts.fraction.len()).ok()?)),
    };
    if scale < NANO {
        return None;
    }
    let value = format!("{whole}{}", parts.fraction).parse::<i64>().ok()?.checked_mul(factor)?;
    Some(Short { value: if parts.is_negative { -value } else { value }, scale })
}

/// The amount as a decimal, and how it is written again.
fn decimal(parts: &Parts<'_>) -> Result<(Decimal, Notation), TooLarge> {
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let value = digits.parse::<BigUint>().unwrap_or_default();
    let scale = parts.exponent.wrapping_sub(i32::try_from(parts.fraction.len()).map_err(|_| TooLarge)?);
    let mut decimal = match parts.base {
        2 => Decimal {
            value: BigInt::from(value << parts.exponent.clamp(0, 60)),
            scale: scale.wrapping_sub(parts.exponent),
        },
        _ => Decimal { value: BigInt::from(value), scale },
    };
    if decimal.value.sign() != Sign::NoSign {
        decimal = decimal.rounded_up()?;
    }
    let mut notation = parts.notation;
    if notation == Notation::Binary {
        if decimal.cmp(&Decimal::from(i64::MAX)).is_gt() {
            decimal = Decimal::from(i64::MAX);
        }
        if decimal.cmp(&Decimal::from(1)).is_lt() && decimal.value.sign() != Sign::NoSign {
            notation = Notation::Decimal;
        }
    }
    if parts.is_negative {
        decimal.value = -decimal.value;
    }
    Ok((decimal, notation))
}

/// The number without so many factors, and how many there were.
fn without_factors(mut number: BigInt, factor: u32) -> (BigInt, u32) {
    let mut times = 0;
    while number.sign() != Sign::NoSign && (&number % factor).sign() == Sign::NoSign {
        number /= factor;
        times += 1;
    }
    (number, times)
}

impl Short {
    fn decimal(self) -> Decimal {
        Decimal { value: self.value.into(), scale: self.scale }
    }

    /// The value times ten to this power, if it fits.
    fn raised(self, power: i32) -> Option<i64> {
        if self.value == 0 {
            return Some(0);
        }
        // The server's own check lets the most negative number pass only as it is.
        if self.value == i64::MIN && power > 0 {
            return None;
        }
        self.value.checked_mul(10_i64.checked_pow(u32::try_from(power).ok()?)?)
    }

    fn combine(self, other: Short, operation: Operation) -> Option<Short> {
        let other = match operation {
            Operation::Add => other,
            Operation::Subtract => Short { value: other.value.wrapping_neg(), ..other },
        };
        if other.value == 0 {
            return Some(self);
        }
        if self.value == 0 {
            return Some(other);
        }
        let scale = self.scale.min(other.scale);
        let left = self.raised(self.scale.checked_sub(scale)?)?;
        let right = other.raised(other.scale.checked_sub(scale)?)?;
        Some(Short { value: left.checked_add(right)?, scale })
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Decimal { value: value.into(), scale: 0 }
    }
}

impl Decimal {
    /// How many digits it has before and after the power is applied: at least and at most, from its bits.
    fn digits(&self) -> (i64, i64) {
        let bits = self.value.bits();
        let digits = |bits: u64| i64::try_from(bits.saturating_mul(30_103) / 100_000).unwrap_or(i64::MAX);
        let scale = i64::from(self.scale);
        (digits(bits.saturating_sub(1)).saturating_add(scale), digits(bits).saturating_add(2 + scale))
    }

    /// Rounded away from zero to the smallest power that amounts have.
    fn rounded_up(self) -> Result<Decimal, TooLarge> {
        if self.scale >= NANO {
            return self.at_scale(NANO);
        }
        let power = u64::from(self.scale.abs_diff(NANO));
        // All of it is below the smallest power.
        if self.digits().1 < i64::from(NANO) {
            return Ok(Decimal { value: 1.into(), scale: NANO });
        }
        let divisor = ten_to(power)?;
        let (quotient, rest) = (&self.value / &divisor, &self.value % &divisor);
        let up = u8::from(rest.sign() != Sign::NoSign);
        Ok(Decimal { value: quotient + up, scale: NANO })
    }

    /// The same number with a smaller power.
    fn at_scale(&self, scale: i32) -> Result<Decimal, TooLarge> {
        if self.value.sign() == Sign::NoSign || self.scale == scale {
            return Ok(Decimal { value: self.value.clone(), scale });
        }
        let factor = ten_to(u64::from(self.scale.abs_diff(scale)))?;
        Ok(Decimal { value: &self.value * factor, scale })
    }

    fn combine(&self, other: &Decimal, operation: Operation) -> Result<Decimal, TooLarge> {
        let scale = self.scale.min(other.scale);
        let (left, right) = (self.at_scale(scale)?, other.at_scale(scale)?);
        let value = match operation {
            Operation::Add => left.value + right.value,
            Operation::Subtract => left.value - right.value,
        };
        Ok(Decimal { value, scale })
    }

    fn cmp(&self, other: &Decimal) -> Ordering {
        let sign = |decimal: &Decimal| decimal.value.sign();
        if sign(self) != sign(other) || sign(self) == Sign::NoSign {
            return sign(self).cmp(&sign(other));
        }
        let toward =
            |ordering: Ordering| if sign(self) == Sign::Minus { ordering.reverse() } else { ordering };
        // Numbers of different length need not be written out, however far apart they are.
        let (left, right) = (self.digits(), other.digits());
        if left.0 > right.1 {
            return toward(Ordering::Greater);
        }
        if left.1 < right.0 {
            return toward(Ordering::Less);
        }
        let scale = self.scale.min(other.scale);
        match (self.at_scale(scale), other.at_scale(scale)) {
            (Ok(left), Ok(right)) => left.value.cmp(&right.value),
            // Two numbers of the same length have powers that are no further apart than they have digits.
            _ => toward(left.cmp(&right)),
        }
    }

    /// Its value, if it is an integer.
    fn integer(&self) -> Option<BigInt> {
        if self.scale >= 0 {
            return self.at_scale(0).ok().map(|decimal| decimal.value);
        }
        let divisor = ten_to(u64::from(self.scale.unsigned_abs())).ok()?;
        ((&self.value % &divisor).sign() == Sign::NoSign).then(|| &self.value / divisor)
    }
}

/// A power of ten, unless it has more digits than any amount may have.
fn ten_to(power: u64) -> Result<BigInt, TooLarge> {
    match u32::try_from(power) {
        Ok(power) if u64::from(power) <= MOST_DIGITS => Ok(BigInt::from(10).pow(power)),
        _ => Err(TooLarge),
    }
}

/// The float nearest to the number, an even one where two are equally near.
fn nearest_float(number: &BigInt) -> f64 {
    let bits = number.bits();
    let sign = if number.sign() == Sign::Minus { -1.0 } else { 1.0 };
    let magnitude = number.magnitude();
    let shift = bits.saturating_sub(64);
    let top = magnitude >> shift;
    // What is shifted away only matters for rounding, for which one bit is enough.
    let is_exact = (&top << shift) == *magnitude;
    let top = top.iter_u64_digits().next().unwrap_or_default() | u64::from(!is_exact);
    let power = i32::try_from(shift).unwrap_or(i32::MAX);
    sign * (top as f64) * 2_f64.powi(power)
}

/// Ten to a power as Go's `math.Pow10` has it: the nearest float, zero and infinity outside of what floats hold.
fn power_of_ten(exponent: i32) -> f64 {
    match exponent {
        ..-323 => 0.0,
        309.. => f64::INFINITY,
        _ => format!("1e{exponent}").parse().unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    #[test]
    fn amounts_are_written_as_the_server_writes_them() {
        for (typed, written) in [
            ("0", "0"),
            ("00", "0"),
            ("+1", "+1"),
            ("-.5", "-500m"),
            ("1000", "1k"),
            ("1.5", "1500m"),
            ("0.1", "100m"),
            ("1.5Ki", "1536"),
            ("1536Ki", "1536Ki"),
            ("2048Ki", "2Mi"),
            ("1e19", "10e18"),
            ("1E", "1E"),
            ("8Ei", "9223372036854775807"),
            ("1e-10", "1e-9"),
            ("0.1n", "1n"),
            ("10000000000000000000000", "10"),
            ("0.5Ki", "512"),
            ("0.0001Ki", "102400u"),
            ("123456789012345678901", "123456789012345678901"),
            ("1e-999999999", "1e-9"),
        ] {
            assert_eq!(&*amount(typed).text(), written, "{typed}");
        }
        assert_eq!(Amount::parse("1Z").unwrap_err(), QuantityError::Form.text());
        assert!(Amount::parse("1234567890123456789012e2000000000").is_err());
    }

    #[test]
    fn only_short_amounts_are_integers() {
        for (typed, integer) in [
            ("5", Some(5)),
            ("1.5e3", Some(1500)),
            ("1.5", None),
            ("1e18", Some(1_000_000_000_000_000_000)),
            ("1e19", None),
            ("1.0", None),
            ("1.5Ki", None),
            ("100Gi", Some(107_374_182_400)),
            ("1234567890123456789", None),
            ("0e999999999", Some(0)),
        ] {
            assert_eq!(amount(typed).as_integer(), integer, "{typed}");
        }
    }

    #[test]
    fn sums_and_differences() {
        let sum =
            |left: &str, right: &str| amount(left).combine(&amount(right), Operation::Add).unwrap().text();
        let difference = |left: &str, right: &str| {
            amount(left).combine(&amount(right), Operation::Subtract).unwrap().text()
        };
        assert_eq!(&*sum("0", "1Ki"), "1Ki");
        assert_eq!(&*sum("1Ki", "1"), "1025");
        assert_eq!(&*sum("9223372036854775807", "1"), "9223372036854775808");
        assert_eq!(&*difference("1", "1m"), "999m");
        assert_eq!(&*difference("0", "1e3"), "-1e3");
        assert!(amount("1").combine(&amount("1e999999"), Operation::Add).is_err());
    }

    #[test]
    fn adding_to_a_decimal_changes_it() {
        let large = amount("1234567890123456789012");
        let sum = large.combine(&Amount::from_integer(1), Operation::Add).unwrap();
        assert_eq!(large.compare(&sum), Ordering::Equal);
        let short = amount("1");
        assert_eq!(short.ordering(&large), Ordering::Less);
        assert_eq!(short.as_integer(), Some(1));
        assert_eq!(short.compare(&large), Ordering::Less);
        assert_eq!(short.as_integer(), None);
    }

    #[test]
    fn amounts_far_apart_compare_without_being_written_out() {
        for (left, right, ordering) in [
            ("1e1000000000", "1", Ordering::Greater),
            ("-1e1000000000", "1", Ordering::Less),
            ("1", "1e1000000000", Ordering::Less),
            ("-1", "-1e1000000000", Ordering::Greater),
            ("1e1000000000", "1e1000000000", Ordering::Equal),
            ("10e999999999", "1e1000000000", Ordering::Equal),
            ("1.5", "1500m", Ordering::Equal),
            ("0", "0e1000000000", Ordering::Equal),
        ] {
            assert_eq!(amount(left).compare(&amount(right)), ordering, "{left} {right}");
        }
    }

    #[test]
    fn floats() {
        for (typed, float) in
            [("1u", 1e-6), ("1e19", 1e19), ("1Ki", 1024.0), ("1e400", f64::INFINITY), ("-0.5", -0.5)]
        {
            assert_eq!(amount(typed).as_float(), float, "{typed}");
        }
    }
}
