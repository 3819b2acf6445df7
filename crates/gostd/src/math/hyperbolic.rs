//! Hyperbolic functions and their inverses.

use super::{exp, log, log1p, monic, polynomial};

/// Beyond this number adding one makes no difference.
const LARGE: f64 = (1_u64 << 28) as f64;
const LN_2: f64 = std::f64::consts::LN_2;

/// The hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    const P: [f64; 4] = [
        -0.263_056_321_339_749_706_281_948_9e+2,
        -0.289_421_135_598_956_380_728_466_036_6e+4,
        -0.899_127_202_203_950_935_539_801_351_1e+5,
        -0.630_767_364_049_771_699_118_478_725_1e+6,
    ];
    const Q: [f64; 3] = [
        -0.173_678_953_558_233_699_533_450_911e+3,
        0.152_151_737_879_001_907_069_648_517_6e+5,
        -0.630_767_364_049_771_699_121_207_727_7e+6,
    ];
    // A negative zero keeps its sign.
    let size = if x < 0.0 { -x } else { x };
    let value = if size > 21.0 {
        exp(size) * 0.5
    } else if size > 0.5 {
        let power = exp(size);
        (power - 1.0 / power) * 0.5
    } else {
        let square = size * size;
        polynomial(square, &P) * size / monic(square, &Q)
    };
    if x < 0.0 { -value } else { value }
}

/// The hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    let power = exp(x.abs());
    if x.abs() > 21.0 { power * 0.5 } else { (power + 1.0 / power) * 0.5 }
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    const MOST: f64 = 8.802_969_193_111_305_429_598_8e+01;
    const P: [f64; 3] =
        [-9.643_991_794_250_522_386_28e-1, -9.928_772_310_019_185_865_64e1, -1.614_687_684_417_084_479_52e3];
    const Q: [f64; 3] =
        [1.128_116_784_916_329_314_02e2, 2.235_488_390_601_004_485_83e3, 4.844_063_053_251_254_860_48e3];
    let size = x.abs();
    if size > 0.5 * MOST {
        return 1.0_f64.copysign(x);
    }
    if size >= 0.625 {
        let value = 1.0 - 2.0 / (exp(2.0 * size) + 1.0);
        return if x < 0.0 { -value } else { value };
    }
    if x == 0.0 {
        return x;
    }
    let square = x * x;
    x + x * square * polynomial(square, &P) / monic(square, &Q)
}

/// The inverse hyperbolic sine.
pub fn asinh(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    let size = if x < 0.0 { -x } else { x };
    let value = if size > LARGE {
        log(size) + LN_2
    } else if size > 2.0 {
        log(2.0 * size + 1.0 / ((size * size + 1.0).sqrt() + size))
    } else if size < 1.0 / LARGE {
        size
    } else {
        log1p(size + size * size / (1.0 + (1.0 + size * size).sqrt()))
    };
    if x < 0.0 { -value } else { value }
}

/// The inverse hyperbolic cosine.
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 || x.is_nan() {
        return f64::NAN;
    }
    if x == 1.0 {
        return 0.0;
    }
    if x >= LARGE {
        return log(x) + LN_2;
    }
    if x > 2.0 {
        return log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()));
    }
    let above = x - 1.0;
    log1p(above + (2.0 * above + above * above).sqrt())
}

/// The inverse hyperbolic tangent.
pub fn atanh(x: f64) -> f64 {
    if !(-1.0..=1.0).contains(&x) {
        return f64::NAN;
    }
    if x.abs() == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    let size = if x < 0.0 { -x } else { x };
    let value = if size < 1.0 / LARGE {
        size
    } else if size < 0.5 {
        let twice = size + size;
        0.5 * log1p(twice + twice * size / (1.0 - size))
    } else {
        0.5 * log1p((size + size) / (1.0 - size))
    };
    if x < 0.0 { -value } else { value }
}
