//! Functions on numbers, bit for bit as Go computes them on amd64 with fused multiplication. The algorithms are
//! those of Cephes and FreeBSD; other libraries differ in the last digit.

#![allow(clippy::excessive_precision, reason = "coefficients are written as published")]

mod exponential;
mod gamma;
mod hyperbolic;
mod trigonometric;

pub use exponential::{exp, log, log1p, pow};
pub use gamma::gamma;
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use trigonometric::{acos, asin, atan, atan2, cos, sin, tan};

/// The remainder of a division, with the sign of the dividend.
pub fn modulo(x: f64, y: f64) -> f64 {
    x % y
}

/// The remainder of a division that is rounded to the nearest integer.
pub fn remainder(x: f64, y: f64) -> f64 {
    const TINY: f64 = 4.450_147_717_014_402_766_18e-308;
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    // A negative zero keeps its sign.
    let (mut rest, y) = (if x < 0.0 { -x } else { x }, y.abs());
    if rest == y {
        return if x < 0.0 { -0.0 } else { 0.0 };
    }
    if y <= f64::MAX / 2.0 {
        rest = modulo(rest, y + y);
    }
    if y < TINY {
        if rest + rest > y {
            rest -= y;
            if rest + rest >= y {
                rest -= y;
            }
        }
    } else {
        let half = 0.5 * y;
        if rest > half {
            rest -= y;
            if rest >= half {
                rest -= y;
            }
        }
    }
    if x < 0.0 { -rest } else { rest }
}

/// The length of the hypotenuse.
pub fn hypot(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (large, small) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if large == 0.0 {
        return 0.0;
    }
    let ratio = small / large;
    large * (ratio * ratio + 1.0).sqrt()
}

/// A polynomial, from the coefficient of the highest power on.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    let (first, rest) = coefficients.split_first().map_or((0.0, &[][..]), |(first, rest)| (*first, rest));
    rest.iter().fold(first, |sum, coefficient| sum * x + coefficient)
}

/// The same for a highest coefficient of one.
fn monic(x: f64, coefficients: &[f64]) -> f64 {
    let (first, rest) = coefficients.split_first().map_or((0.0, &[][..]), |(first, rest)| (*first, rest));
    rest.iter().fold(x + first, |sum, coefficient| sum * x + coefficient)
}

const EXPONENT_BIAS: i32 = 1023;
const MANTISSA_BITS: u32 = 52;
const EXPONENT_MASK: u64 = 0x7ff << MANTISSA_BITS;

/// A normal number, and the power of two to multiply it by.
fn normalize(x: f64) -> (f64, i32) {
    if x.abs() < f64::MIN_POSITIVE { (x * (1_u64 << 52) as f64, -52) } else { (x, 0) }
}

/// A number between a half and one, and the power of two to multiply it by.
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (x, exponent) = normalize(x);
    let bits = x.to_bits();
    let own = ((bits & EXPONENT_MASK) >> MANTISSA_BITS) as i32;
    let fraction = f64::from_bits(bits & !EXPONENT_MASK | (EXPONENT_BIAS as u64 - 1) << MANTISSA_BITS);
    (fraction, exponent + own - EXPONENT_BIAS + 1)
}

/// A number times a power of two, rounded once.
fn ldexp(x: f64, exponent: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (x, own) = normalize(x);
    let bits = x.to_bits();
    let before = ((bits & EXPONENT_MASK) >> MANTISSA_BITS) as i32 - EXPONENT_BIAS;
    let mut exponent = exponent.saturating_add(own).saturating_add(before);
    if exponent < -1075 {
        return 0.0_f64.copysign(x);
    }
    if exponent > EXPONENT_BIAS {
        return f64::INFINITY.copysign(x);
    }
    let mut scale = 1.0;
    if exponent < -1022 {
        exponent += 53;
        scale = 1.0 / (1_u64 << 53) as f64;
    }
    let bits = bits & !EXPONENT_MASK | ((exponent + EXPONENT_BIAS) as u64) << MANTISSA_BITS;
    scale * f64::from_bits(bits)
}

#[cfg(test)]
mod tests;
