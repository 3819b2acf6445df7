//! Sines, tangents and their inverses.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::{EXPONENT_BIAS, EXPONENT_MASK, MANTISSA_BITS, monic, polynomial};

const SIN: [f64; 6] = [
    1.589_623_015_765_465_680_60e-10,
    -2.505_074_776_285_780_728_66e-8,
    2.755_731_362_138_572_452_13e-6,
    -1.984_126_982_958_953_859_96e-4,
    8.333_333_333_322_118_588_78e-3,
    -1.666_666_666_666_663_072_95e-1,
];

const COS: [f64; 6] = [
    -1.135_853_652_138_768_173_00e-11,
    2.087_570_084_197_473_167_78e-9,
    -2.755_731_417_929_673_881_12e-7,
    2.480_158_728_885_170_453_48e-5,
    -1.388_888_888_887_305_641_16e-3,
    4.166_666_666_666_659_292_18e-2,
];

/// From here on an angle is reduced with as many digits of pi as it needs.
const LARGE: f64 = (1_u64 << 29) as f64;

/// The number of eighths of a circle, rounded to even, and the rest of the angle.
fn octants(x: f64) -> (u64, f64) {
    const FOUR_OVER_PI: f64 = 1.273_239_544_735_162_686_151_070_106_980;
    const PARTS: [f64; 3] =
        [7.853_981_256_484_985_351_56e-1, 3.774_894_707_930_798_176_68e-8, 2.695_151_429_079_059_526_45e-15];
    if x >= LARGE {
        return reduce(x);
    }
    let mut octant = (x * FOUR_OVER_PI) as u64;
    octant += octant & 1;
    let turns = octant as f64;
    (octant & 7, PARTS.iter().fold(x, |rest, part| rest - turns * part))
}

fn sin_of_rest(rest: f64) -> f64 {
    let square = rest * rest;
    rest + rest * square * polynomial(square, &SIN)
}

fn cos_of_rest(rest: f64) -> f64 {
    let square = rest * rest;
    1.0 - 0.5 * square + square * square * polynomial(square, &COS)
}

/// The cosine.
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (octant, rest) = octants(x.abs());
    let (value, quarter) = match octant & 3 {
        1 | 2 => (sin_of_rest(rest), 1),
        _ => (cos_of_rest(rest), 0),
    };
    if (octant > 3) != (quarter == 1 && octant & 3 > 1) { -value } else { value }
}

/// The sine.
pub fn sin(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (octant, rest) = octants(x.abs());
    let value = match octant & 3 {
        1 | 2 => cos_of_rest(rest),
        _ => sin_of_rest(rest),
    };
    if (x < 0.0) != (octant > 3) { -value } else { value }
}

/// The tangent.
pub fn tan(x: f64) -> f64 {
    const P: [f64; 3] =
        [-1.309_369_391_813_837_776_46e4, 1.153_516_648_385_874_161_40e6, -1.795_652_519_764_848_779_88e7];
    const Q: [f64; 4] = [
        1.368_129_634_706_929_546_78e4,
        -1.320_892_344_402_109_674_47e6,
        2.500_838_018_233_579_158_39e7,
        -5.386_957_559_294_546_298_81e7,
    ];
    if x == 0.0 || x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (octant, rest) = octants(x.abs());
    let square = rest * rest;
    let mut value = rest;
    if square > 1e-14 {
        value = rest + rest * (square * polynomial(square, &P) / monic(square, &Q));
    }
    if octant & 2 == 2 {
        value = -1.0 / value;
    }
    if x < 0.0 { -value } else { value }
}

/// The arc tangent of a number up to 0.66.
fn atan_of_small(x: f64) -> f64 {
    const P: [f64; 5] = [
        -8.750_608_600_031_904_122_785e-01,
        -1.615_753_718_733_365_076_637e+01,
        -7.500_855_792_314_704_667_340e+01,
        -1.228_866_684_490_136_173_410e+02,
        -6.485_021_904_942_025_371_773e+01,
    ];
    const Q: [f64; 5] = [
        2.485_846_490_142_306_297_962e+01,
        1.650_270_098_316_988_542_046e+02,
        4.328_810_604_912_902_668_951e+02,
        4.853_903_996_359_136_964_868e+02,
        1.945_506_571_482_613_964_425e+02,
    ];
    let square = x * x;
    let ratio = square * polynomial(square, &P) / monic(square, &Q);
    x * ratio + x
}

fn atan_of_positive(x: f64) -> f64 {
    /// The part of half of pi beyond the precision of a double.
    const MORE: f64 = 6.123_233_995_736_765_886_130e-17;
    const TAN_OF_3_EIGHTHS: f64 = 2.414_213_562_373_095_048_80;
    if x <= 0.66 {
        return atan_of_small(x);
    }
    if x > TAN_OF_3_EIGHTHS {
        return FRAC_PI_2 - atan_of_small(1.0 / x) + MORE;
    }
    FRAC_PI_4 + atan_of_small((x - 1.0) / (x + 1.0)) + 0.5 * MORE
}

/// The arc tangent.
pub fn atan(x: f64) -> f64 {
    match x {
        0.0 => x,
        _ if x > 0.0 => atan_of_positive(x),
        _ => -atan_of_positive(-x),
    }
}

/// The angle of the point `(x, y)`.
pub fn atan2(y: f64, x: f64) -> f64 {
    const THREE_QUARTERS: f64 = 2.356_194_490_192_344_928_846_982_537_459_627;
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let left = x.is_sign_negative();
    if y == 0.0 {
        return if left { PI } else { 0.0 }.copysign(y);
    }
    if x == 0.0 {
        return FRAC_PI_2.copysign(y);
    }
    if x.is_infinite() {
        let angle = match (left, y.is_infinite()) {
            (false, true) => FRAC_PI_4,
            (false, false) => 0.0,
            (true, true) => THREE_QUARTERS,
            (true, false) => PI,
        };
        return angle.copysign(y);
    }
    if y.is_infinite() {
        return FRAC_PI_2.copysign(y);
    }
    let angle = atan(y / x);
    match (left, angle <= 0.0) {
        (false, _) => angle,
        (true, true) => angle + PI,
        (true, false) => angle - PI,
    }
}

/// The arc sine.
pub fn asin(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let size = x.abs();
    if size > 1.0 {
        return f64::NAN;
    }
    let other = (1.0 - size * size).sqrt();
    let angle =
        if size > 0.7 { FRAC_PI_2 - atan_of_positive(other / size) } else { atan_of_positive(size / other) };
    if x < 0.0 { -angle } else { angle }
}

/// The arc cosine.
pub fn acos(x: f64) -> f64 {
    FRAC_PI_2 - asin(x)
}

/// [`octants`] for large angles: the product with four over pi, with all bits that count (Payne and Hanek).
fn reduce(x: f64) -> (u64, f64) {
    let bits = x.to_bits();
    let exponent = ((bits & EXPONENT_MASK) >> MANTISSA_BITS) as i32 - EXPONENT_BIAS - MANTISSA_BITS as i32;
    let mantissa = bits & !EXPONENT_MASK | 1 << MANTISSA_BITS;
    // Large angles have an exponent that is not negative, and the table has bits for the largest.
    let first = usize::try_from(exponent + 61).unwrap_or_default();
    let (digit, shift) = (first / 64, first % 64);
    let word = |index: usize| u128::from(FOUR_OVER_PI_BITS.get(index).copied().unwrap_or_default());
    let window = |index: usize| ((word(index) << 64 | word(index + 1)) << shift >> 64) as u64;
    let product = |window: u64| u128::from(window) * u128::from(mantissa);
    let low = product(window(digit + 2)) >> 64;
    let middle = product(window(digit + 1));
    let high = u128::from(window(digit).wrapping_mul(mantissa)) << 64;
    let sum = high.wrapping_add(middle).wrapping_add(low);
    let mut octant = (sum >> 125) as u64;
    let fraction = sum << 3;
    // The fraction as a number: its first set bit becomes the implicit one.
    let zeros = (fraction >> 64) as u64;
    let zeros = zeros.leading_zeros().min(62);
    let mantissa = (fraction << (zeros + 1) >> (128 - MANTISSA_BITS)) as u64;
    let exponent = (EXPONENT_BIAS as u64 - u64::from(zeros) - 1) << MANTISSA_BITS;
    let mut rest = f64::from_bits(exponent | mantissa);
    if octant & 1 == 1 {
        octant = (octant + 1) & 7;
        rest -= 1.0;
    }
    (octant, rest * FRAC_PI_4)
}

/// The bits of four over pi, after a one for the integer part.
const FOUR_OVER_PI_BITS: [u64; 20] = [
    0x0000000000000001,
    0x45f306dc9c882a53,
    0xf84eafa3ea69bb81,
    0xb6c52b3278872083,
    0xfca2c757bd778ac3,
    0x6e48dc74849ba5c0,
    0x0c925dd413a32439,
    0xfc3bd63962534e7d,
    0xd1046bea5d768909,
    0xd338e04d68befc82,
    0x7323ac7306a673e9,
    0x3908bf177bf25076,
    0x3ff12fffbc0b301f,
    0xde5e2316b414da3e,
    0xda6cfd9e4f96136e,
    0x9e8c7ecd3cbfd45a,
    0xea4f758fd7cbe2f6,
    0x7a0e73ef14a525d4,
    0xd7f6bf623f1aba10,
    0xac06608df8f6d757,
];
