//! Bounds of numbers. Integers are compared with what is left of a bound without its fraction.

use trueline_kube_facts::ServerRule;
use trueline_kube_facts::schema_rules as rules;
use trueline_yaml::{Data, Value, number};

use super::compile::Numbers;

/// What is wrong with a number, and the value that the server shows.
pub(super) struct Wrong {
    pub(super) kind: WrongKind,
    pub(super) shown: String,
}

/// What is wrong.
pub(super) enum WrongKind {
    /// A rule with this bound.
    Should(&'static ServerRule, String),
    /// The factor is not above zero.
    Factor(String),
}

/// All that is wrong with a number.
pub(super) fn check(numbers: &Numbers, value: &Value) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    match &value.data {
        Data::Int(number) => whole(numbers, *number, &mut wrong),
        Data::UInt(number) => fractional(numbers, *number as f64, &mut wrong),
        Data::Float(number) => fractional(numbers, *number, &mut wrong),
        _ => {}
    }
    wrong
}

fn whole(numbers: &Numbers, value: i64, wrong: &mut Vec<Wrong>) {
    let shown = || value.to_string();
    if let Some(factor) = numbers.multiple_of.map(truncated) {
        if factor <= 0 {
            wrong.push(Wrong { kind: WrongKind::Factor(factor.to_string()), shown: factor.to_string() });
        } else if value % factor != 0 {
            let kind = WrongKind::Should(&rules::MULTIPLE_OF, factor.to_string());
            wrong.push(Wrong { kind, shown: shown() });
        }
    }
    if let Some(minimum) = numbers.minimum.map(truncated)
        && (value < minimum || (numbers.exclusive_minimum && value == minimum))
    {
        wrong.push(Wrong { kind: below(numbers, &minimum.to_string()), shown: shown() });
    }
    if let Some(maximum) = numbers.maximum.map(truncated)
        && (value > maximum || (numbers.exclusive_maximum && value == maximum))
    {
        wrong.push(Wrong { kind: above(numbers, &maximum.to_string()), shown: shown() });
    }
}

fn fractional(numbers: &Numbers, value: f64, wrong: &mut Vec<Wrong>) {
    if let Some(factor) = numbers.multiple_of {
        let multiple = if factor < 1.0 { 1.0 / factor * value } else { value / factor };
        if factor <= 0.0 {
            let factor = number::general(factor);
            wrong.push(Wrong { kind: WrongKind::Factor(factor.clone()), shown: factor });
        } else if !is_whole(multiple) {
            let kind = WrongKind::Should(&rules::MULTIPLE_OF, number::general(factor));
            wrong.push(Wrong { kind, shown: number::general(value) });
        }
    }
    let shown = || number::general(value);
    if let Some(minimum) = numbers.minimum
        && (value < minimum || (numbers.exclusive_minimum && value == minimum))
    {
        wrong.push(Wrong { kind: below(numbers, &number::general(minimum)), shown: shown() });
    }
    if let Some(maximum) = numbers.maximum
        && (value > maximum || (numbers.exclusive_maximum && value == maximum))
    {
        wrong.push(Wrong { kind: above(numbers, &number::general(maximum)), shown: shown() });
    }
}

fn below(numbers: &Numbers, minimum: &str) -> WrongKind {
    let rule = if numbers.exclusive_minimum { &rules::EXCLUSIVE_MINIMUM } else { &rules::MINIMUM };
    WrongKind::Should(rule, minimum.to_owned())
}

fn above(numbers: &Numbers, maximum: &str) -> WrongKind {
    let rule = if numbers.exclusive_maximum { &rules::EXCLUSIVE_MAXIMUM } else { &rules::MAXIMUM };
    WrongKind::Should(rule, maximum.to_owned())
}

/// A bound for integers. What does not fit becomes the smallest number, as it does on the machines that
/// servers run on.
fn truncated(bound: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&bound) { bound as i64 } else { i64::MIN }
}

/// Whether a number counts as whole: up to 2⁵³, and so near to one that nobody sees the difference.
pub(super) fn is_whole(value: f64) -> bool {
    const LIMIT: f64 = 9_007_199_254_740_991.0;
    const NEAR: f64 = 1e-9;
    if !(-LIMIT..=LIMIT).contains(&value) {
        return false;
    }
    if value.fract() == 0.0 {
        return true;
    }
    // Negative numbers are compared with what is left of them without a sign, which is never near.
    let whole = value.trunc();
    value > 0.0 && whole != 0.0 && (value - whole) / (value + whole) < NEAR
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(numbers: &Numbers, value: Data) -> Vec<String> {
        let wrong = check(numbers, &Value::new(value));
        let texts = wrong.into_iter().map(|wrong| match wrong.kind {
            WrongKind::Should(rule, bound) => format!("{} ({})", rule.with(bound).sentence(), wrong.shown),
            WrongKind::Factor(text) => format!("factor {text} ({})", wrong.shown),
        });
        texts.collect()
    }

    #[test]
    fn whole_numbers_see_bounds_without_fractions() {
        let bounds = Numbers { minimum: Some(2.5), maximum: Some(4.5), ..Numbers::default() };
        assert_eq!(sentences(&bounds, Data::Int(2)), [""; 0]);
        assert_eq!(sentences(&bounds, Data::Int(5)), ["should be less than or equal to 4 (5)"]);
        assert_eq!(sentences(&bounds, Data::Float(2.25)), ["should be greater than or equal to 2.5 (2.25)"]);
        let exclusive = Numbers {
            minimum: Some(1.0),
            exclusive_minimum: true,
            maximum: Some(1e6),
            exclusive_maximum: true,
            ..Numbers::default()
        };
        assert_eq!(sentences(&exclusive, Data::Int(1)), ["should be greater than 1 (1)"]);
        assert_eq!(sentences(&exclusive, Data::Float(2e6)), ["should be less than 1e+06 (2e+06)"]);
        let large = Numbers { maximum: Some(1e19), ..Numbers::default() };
        assert_eq!(
            sentences(&large, Data::Int(0)),
            ["should be less than or equal to -9223372036854775808 (0)"]
        );
    }

    #[test]
    fn multiples() {
        let multiple = |factor| Numbers { multiple_of: Some(factor), ..Numbers::default() };
        assert_eq!(sentences(&multiple(3.0), Data::Int(9)), [""; 0]);
        assert_eq!(sentences(&multiple(3.0), Data::Int(10)), ["should be a multiple of 3 (10)"]);
        assert_eq!(sentences(&multiple(0.5), Data::Int(1)), ["factor 0 (0)"]);
        assert_eq!(sentences(&multiple(0.1), Data::Float(0.3)), [""; 0]);
        assert_eq!(sentences(&multiple(0.5), Data::Float(0.75)), ["should be a multiple of 0.5 (0.75)"]);
        assert_eq!(sentences(&multiple(-1.0), Data::Float(0.5)), ["factor -1 (-1)"]);
    }

    #[test]
    fn nearly_whole_numbers_are_whole() {
        for value in [0.0, 1.0, -3.0, 3.000_000_000_1, 9_007_199_254_740_991.0] {
            assert!(is_whole(value), "{value}");
        }
        for value in [0.5, -3.000_000_000_1, 1e16, 1e-12, f64::NAN, 2.999_999_999_999] {
            assert!(!is_whole(value), "{value}");
        }
    }
}
