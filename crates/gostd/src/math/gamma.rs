//! The gamma function.

use std::f64::consts::PI;

use super::{exp, polynomial, pow, sin};

const P: [f64; 7] = [
    1.601_195_224_767_518_614_07e-04,
    1.191_351_470_065_863_849_13e-03,
    1.042_137_975_617_615_699_35e-02,
    4.763_678_004_571_372_314_64e-02,
    2.074_482_276_484_359_751_50e-01,
    4.942_148_268_014_971_007_53e-01,
    9.999_999_999_999_999_967_96e-01,
];

const Q: [f64; 8] = [
    -2.315_818_733_241_201_298_19e-05,
    5.396_055_804_933_033_978_42e-04,
    -4.456_419_138_517_972_404_94e-03,
    1.181_397_852_220_604_355_52e-02,
    3.582_363_986_054_986_533_73e-02,
    -2.345_917_957_182_433_485_68e-01,
    7.143_049_170_302_730_740_85e-02,
    1.000_000_000_000_000_003_20e+00,
];

const STIRLING: [f64; 5] = [
    7.873_113_957_930_936_283_97e-04,
    -2.295_499_616_133_781_263_80e-04,
    -2.681_326_178_057_812_328_25e-03,
    3.472_222_216_054_586_673_10e-03,
    8.333_333_333_334_822_571_26e-02,
];

/// Stirling's formula, as two factors: their product may be too large where a quotient is not.
fn stirling(x: f64) -> (f64, f64) {
    const SQRT_TWO_PI: f64 = 2.506_628_274_631_000_502_417;
    if x > 200.0 {
        return (f64::INFINITY, 1.0);
    }
    let inverse = 1.0 / x;
    let series = 1.0 + inverse * polynomial(inverse, &STIRLING);
    let power = exp(x);
    let (first, second) = if x > 143.01608 {
        let half = pow(x, 0.5 * x - 0.25);
        (half, half / power)
    } else {
        (pow(x, x - 0.5) / power, 1.0)
    };
    (first, SQRT_TWO_PI * series * second)
}

/// The gamma function.
pub fn gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && x.fract() == 0.0) {
        return f64::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x > 33.0 {
        let (first, second) = stirling(x);
        return first * second;
    }
    if x < -33.0 { of_large_negative(x) } else { of_small(x) }
}

fn of_large_negative(x: f64) -> f64 {
    let size = x.abs();
    let mut floor = size.floor();
    let sign = if floor as i64 & 1 == 0 { -1.0 } else { 1.0 };
    let mut rest = size - floor;
    if rest > 0.5 {
        floor += 1.0;
        rest = size - floor;
    }
    let sine = size * sin(PI * rest);
    if sine == 0.0 {
        return f64::INFINITY * sign;
    }
    let (first, second) = stirling(size);
    let divisor = sine.abs() * first * second;
    let value = if divisor.is_infinite() { PI / sine.abs() / first / second } else { PI / divisor };
    sign * value
}

/// By steps of one to between two and three.
fn of_small(mut x: f64) -> f64 {
    const TINY: f64 = 1e-09;
    let near_zero = |x: f64, product: f64| {
        const EULER: f64 = 0.577_215_664_901_532_860_606_512_090_082_402_431_042_159_335_94;
        if x == 0.0 { f64::INFINITY } else { product / ((1.0 + EULER * x) * x) }
    };
    let mut product = 1.0;
    while x >= 3.0 {
        x -= 1.0;
        product *= x;
    }
    while x < 0.0 {
        if x > -TINY {
            return near_zero(x, product);
        }
        product /= x;
        x += 1.0;
    }
    while x < 2.0 {
        if x < TINY {
            return near_zero(x, product);
        }
        product /= x;
        x += 1.0;
    }
    if x == 2.0 {
        return product;
    }
    x -= 2.0;
    product * polynomial(x, &P) / polynomial(x, &Q)
}
