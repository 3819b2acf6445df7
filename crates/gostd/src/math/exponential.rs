//! Powers and logarithms.

use super::{EXPONENT_MASK, MANTISSA_BITS, frexp, ldexp, polynomial};

/// `e` to the power of `x`: the exponent is split off, the rest is divided by 16, put into the series, and
/// squared again.
pub fn exp(x: f64) -> f64 {
    const LARGEST: f64 = 7.09782712893384e+02;
    const LN_2_HIGH: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
    const LN_2_LOW: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
    const SERIES: [f64; 8] = [
        2.480_158_730_158_730_158_7e-5,
        1.984_126_984_126_984_127_0e-4,
        1.388_888_888_888_888_888_9e-3,
        8.333_333_333_333_333_333_3e-3,
        4.166_666_666_666_666_666_7e-2,
        1.666_666_666_666_666_666_7e-1,
        0.5,
        1.0,
    ];
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == f64::NEG_INFINITY {
        return 0.0;
    }
    if x > LARGEST {
        return f64::INFINITY;
    }
    let exponent = (x * std::f64::consts::LOG2_E).round_ties_even() as i32;
    let turns = f64::from(exponent);
    let rest = (-turns).mul_add(LN_2_HIGH, x);
    let rest = (-turns).mul_add(LN_2_LOW, rest) * 0.0625;
    let [first, others @ ..] = SERIES;
    let sum = others.iter().fold(first, |sum: f64, coefficient| rest.mul_add(sum, *coefficient));
    let mut power = rest * sum;
    for _ in 0..3 {
        power *= power + 2.0;
    }
    let power = (power + 2.0).mul_add(power, 1.0);
    let biased = exponent.saturating_add(1023);
    let two_to = |biased: i32| f64::from_bits((biased as u64) << MANTISSA_BITS);
    match biased {
        2047.. => f64::INFINITY,
        1.. => power * two_to(biased),
        -52..=0 => power * two_to(biased + 1022) * two_to(1),
        _ => 0.0,
    }
}

const LN_2_HIGH: f64 = 6.931_471_803_691_238_164_90e-01;
const LN_2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;

/// The coefficients of the logarithm, from the lowest power on.
const LOG: [f64; 7] = [
    6.666_666_666_666_735_130e-01,
    3.999_999_999_940_941_908e-01,
    2.857_142_874_366_239_149e-01,
    2.222_219_843_214_978_396e-01,
    1.818_357_216_161_805_012e-01,
    1.531_383_769_920_937_332e-01,
    1.479_819_860_511_658_591e-01,
];

/// The natural logarithm. As in Go, the bits of denormal numbers are read as those of normal ones.
pub fn log(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let bits = x.to_bits();
    let mut fraction = f64::from_bits(bits & !EXPONENT_MASK | 0.5_f64.to_bits());
    let mut exponent = (bits >> MANTISSA_BITS) as f64 - 1022.0;
    if fraction <= std::f64::consts::FRAC_1_SQRT_2 {
        fraction *= 2.0;
        exponent -= 1.0;
    }
    let f = fraction - 1.0;
    let s = f / (2.0 + f);
    let square = s * s;
    let fourth = square * square;
    let [l1, l2, l3, l4, l5, l6, l7] = LOG;
    let odd = square * polynomial(fourth, &[l7, l5, l3, l1]);
    let even = fourth * polynomial(fourth, &[l6, l4, l2]);
    let half = 0.5 * f * f;
    exponent * LN_2_HIGH - ((half - (s * (half + (odd + even)) + exponent * LN_2_LOW)) - f)
}

/// The natural logarithm of `1 + x`, accurate for small numbers too.
pub fn log1p(x: f64) -> f64 {
    const SQRT_2_LESS_1: f64 = 4.142_135_623_730_950_488_017e-01;
    const HALF_SQRT_2_LESS_1: f64 = -2.928_932_188_134_524_755_992e-01;
    const SMALL: f64 = 1.0 / (1_u64 << 29) as f64;
    const TINY: f64 = 1.0 / (1_u64 << 54) as f64;
    const SQRT_2_MANTISSA: u64 = 0x0006_a09e_667f_3bcd;
    if x < -1.0 || x.is_nan() {
        return f64::NAN;
    }
    if x == -1.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return x;
    }
    let size = x.abs();
    if size < TINY {
        return x;
    }
    if size < SMALL {
        return x - x * x * 0.5;
    }
    // `1 + x` as a power of two times `1 + f`; what was lost in the sum is `correction`.
    let (mut exponent, mut f, mut correction, mut mantissa) = (0.0, x, 0.0, 1);
    if size >= SQRT_2_LESS_1 || x <= HALF_SQRT_2_LESS_1 {
        let sum = if size < (1_u64 << 53) as f64 { 1.0 + x } else { x };
        let bits = sum.to_bits();
        exponent = (bits >> MANTISSA_BITS) as f64 - 1023.0;
        if size < (1_u64 << 53) as f64 {
            correction = if exponent > 0.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) } / sum;
        }
        mantissa = bits & !EXPONENT_MASK;
        let normal = if mantissa < SQRT_2_MANTISSA {
            f64::from_bits(mantissa | 1.0_f64.to_bits())
        } else {
            exponent += 1.0;
            let half = f64::from_bits(mantissa | 0.5_f64.to_bits());
            mantissa = (0x0010_0000_0000_0000 - mantissa) >> 2;
            half
        };
        f = normal - 1.0;
    }
    let half = 0.5 * f * f;
    if mantissa == 0 {
        if f == 0.0 {
            return match exponent {
                0.0 => 0.0,
                _ => exponent * LN_2_HIGH + (correction + exponent * LN_2_LOW),
            };
        }
        let r = half * (1.0 - 0.666_666_666_666_666_66 * f);
        return match exponent {
            0.0 => f - r,
            _ => exponent * LN_2_HIGH - ((r - (exponent * LN_2_LOW + correction)) - f),
        };
    }
    let s = f / (2.0 + f);
    let square = s * s;
    let [l1, l2, l3, l4, l5, l6, l7] = LOG;
    let r = square * polynomial(square, &[l7, l6, l5, l4, l3, l2, l1]);
    match exponent {
        0.0 => f - (half - s * (half + r)),
        _ => exponent * LN_2_HIGH - ((half - (s * (half + r) + (exponent * LN_2_LOW + correction))) - f),
    }
}

fn is_odd(x: f64) -> bool {
    x.abs() < (1_u64 << 53) as f64 && x.fract() == 0.0 && x as i64 & 1 == 1
}

/// `x` to the power of `y`: the integer part of `y` by squaring, its fraction by logarithms.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if y == 1.0 {
        return x;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == 0.0 {
        let keeps_sign = x.is_sign_negative() && is_odd(y);
        return match (y < 0.0, keeps_sign) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => f64::INFINITY,
            (false, true) => x,
            (false, false) => 0.0,
        };
    }
    if y.is_infinite() {
        return match x {
            -1.0 => 1.0,
            _ if (x.abs() < 1.0) == (y > 0.0) => 0.0,
            _ => f64::INFINITY,
        };
    }
    if x == f64::NEG_INFINITY {
        return pow(1.0 / x, -y);
    }
    if x == f64::INFINITY {
        return if y < 0.0 { 0.0 } else { x };
    }
    if y == 0.5 {
        return x.sqrt();
    }
    if y == -0.5 {
        return 1.0 / x.sqrt();
    }
    let (mut whole, mut fraction) = (y.abs().trunc(), y.abs().fract());
    if fraction != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    if whole >= 9_223_372_036_854_775_808.0 {
        return match x {
            -1.0 => 1.0,
            _ if (x.abs() < 1.0) == (y > 0.0) => 0.0,
            _ => f64::INFINITY,
        };
    }
    let (mut result, mut result_exponent) = (1.0, 0);
    if fraction != 0.0 {
        if fraction > 0.5 {
            fraction -= 1.0;
            whole += 1.0;
        }
        result = exp(fraction * log(x));
    }
    let (mut square, mut square_exponent) = frexp(x);
    let mut left = whole as i64;
    while left != 0 {
        if !(-(1 << 12)..=1 << 12).contains(&square_exponent) {
            // The result is already far too large or small.
            result_exponent += square_exponent;
            break;
        }
        if left & 1 == 1 {
            result *= square;
            result_exponent += square_exponent;
        }
        square *= square;
        square_exponent *= 2;
        if square < 0.5 {
            square += square;
            square_exponent -= 1;
        }
        left >>= 1;
    }
    if y < 0.0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    ldexp(result, result_exponent)
}
