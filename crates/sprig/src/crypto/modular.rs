//! Fast powers modulo an odd number: generating a key spends almost all its time here.

use num_bigint::BigUint;

/// Numbers modulo an odd one in Montgomery form, where reduction needs no division.
pub(super) struct Modulus {
    limbs: Vec<u64>,
    /// Minus the inverse of the lowest limb, modulo 2^64.
    inverse: u64,
    /// 1 in Montgomery form.
    one: Vec<u64>,
    /// The factor that converts a number to Montgomery form.
    square: Vec<u64>,
}

impl Modulus {
    /// The modulus must be odd and more than 1.
    pub(super) fn new(modulus: &BigUint) -> Self {
        let limbs = modulus.to_u64_digits();
        let lowest = limbs.first().copied().unwrap_or(1);
        // Each step of Newton's iteration doubles the number of correct bits, from the first five on.
        let mut inverse = lowest.wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(lowest.wrapping_mul(inverse)));
        }
        let bits = limbs.len() as u64 * 64;
        let one = (BigUint::from(1_u8) << bits) % modulus;
        let square = (BigUint::from(1_u8) << (2 * bits)) % modulus;
        Self {
            one: padded(&one, limbs.len()),
            square: padded(&square, limbs.len()),
            inverse: inverse.wrapping_neg(),
            limbs,
        }
    }

    /// `base` to the power of `exponent`.
    pub(super) fn power(&self, base: &BigUint, exponent: &BigUint) -> BigUint {
        let modulus = from_limbs(&self.limbs);
        let mut scratch = self.scratch();
        let mut first = self.one.clone();
        self.multiply(&padded(&(base % modulus), self.limbs.len()), &self.square, &mut first, &mut scratch);
        // All powers with four-bit exponents, so at most one multiplication is needed per four squarings.
        let mut powers = vec![self.one.clone(), first.clone()];
        for _ in 2..16 {
            let mut next = self.one.clone();
            if let Some(last) = powers.last() {
                self.multiply(last, &first, &mut next, &mut scratch);
            }
            powers.push(next);
        }
        let mut result = self.one.clone();
        let mut squared = self.one.clone();
        for digit in exponent.to_radix_be(16) {
            for _ in 0..4 {
                self.multiply(&result, &result, &mut squared, &mut scratch);
                std::mem::swap(&mut result, &mut squared);
            }
            if digit != 0
                && let Some(power) = powers.get(usize::from(digit))
            {
                self.multiply(&result, power, &mut squared, &mut scratch);
                std::mem::swap(&mut result, &mut squared);
            }
        }
        self.plain(&result)
    }

    /// Whether the modulus passes the Miller-Rabin test with base 2. Multiplying by 2 is a shift, so this is
    /// the cheapest way to see that a number is not prime.
    pub(super) fn is_probable_prime_to_two(&self) -> bool {
        let minus_one = from_limbs(&self.limbs) - 1_u8;
        let twos = minus_one.trailing_zeros().unwrap_or(0);
        let odd = &minus_one >> twos;
        let mut scratch = self.scratch();
        let mut result = self.one.clone();
        let mut squared = self.one.clone();
        for bit in (0..odd.bits()).rev() {
            self.multiply(&result, &result, &mut squared, &mut scratch);
            std::mem::swap(&mut result, &mut squared);
            if odd.bit(bit) {
                self.double(&mut result);
            }
        }
        let minus_one = self.minus_one();
        if result == self.one || result == minus_one {
            return true;
        }
        for _ in 1..twos {
            self.multiply(&result, &result, &mut squared, &mut scratch);
            std::mem::swap(&mut result, &mut squared);
            if result == minus_one {
                return true;
            }
        }
        false
    }

    /// The same test with another base.
    pub(super) fn is_probable_prime_to(&self, base: u32) -> bool {
        let modulus = from_limbs(&self.limbs);
        let minus_one = &modulus - 1_u8;
        let twos = minus_one.trailing_zeros().unwrap_or(0);
        let mut result = self.power(&BigUint::from(base), &(&minus_one >> twos));
        if result == BigUint::from(1_u8) || result == minus_one {
            return true;
        }
        for _ in 1..twos {
            result = &result * &result % &modulus;
            if result == minus_one {
                return true;
            }
        }
        false
    }

    fn scratch(&self) -> Vec<u64> {
        vec![0; self.limbs.len() + 2]
    }

    /// Minus 1 in Montgomery form.
    fn minus_one(&self) -> Vec<u64> {
        padded(&(from_limbs(&self.limbs) - from_limbs(&self.one)), self.limbs.len())
    }

    fn plain(&self, value: &[u64]) -> BigUint {
        let mut one = vec![0; self.limbs.len()];
        if let Some(lowest) = one.first_mut() {
            *lowest = 1;
        }
        let mut out = one.clone();
        self.multiply(value, &one, &mut out, &mut self.scratch());
        from_limbs(&out)
    }

    fn double(&self, value: &mut [u64]) {
        let mut carry = 0;
        for limb in value.iter_mut() {
            let next = *limb >> 63;
            *limb = *limb << 1 | carry;
            carry = next;
        }
        if carry != 0 || !is_less(value, &self.limbs) {
            subtract(value, &self.limbs);
        }
    }

    /// Montgomery's product: `left * right / 2^(64 * limbs)`. All have as many limbs as the modulus.
    fn multiply(&self, left: &[u64], right: &[u64], out: &mut [u64], scratch: &mut [u64]) {
        let length = self.limbs.len();
        scratch.fill(0);
        for &digit in left {
            let Some((low, high)) = scratch.split_at_mut_checked(length) else { return };
            let mut carry = 0;
            for (place, &factor) in low.iter_mut().zip(right) {
                let sum = u128::from(*place) + u128::from(digit) * u128::from(factor) + u128::from(carry);
                *place = sum as u64;
                carry = (sum >> 64) as u64;
            }
            let [upper, top] = high else { return };
            let (sum, overflow) = upper.overflowing_add(carry);
            (*upper, *top) = (sum, u64::from(overflow));
            // A multiple of the modulus makes the lowest limb zero; it is then shifted out.
            let factor = low.first().copied().unwrap_or(0).wrapping_mul(self.inverse);
            let mut carry = 0;
            let mut previous: Option<&mut u64> = None;
            for (place, &limb) in low.iter_mut().zip(&self.limbs) {
                let sum = u128::from(*place) + u128::from(factor) * u128::from(limb) + u128::from(carry);
                carry = (sum >> 64) as u64;
                if let Some(previous) = previous.replace(place) {
                    *previous = sum as u64;
                }
            }
            let (sum, overflow) = upper.overflowing_add(carry);
            if let Some(last) = previous {
                *last = sum;
            }
            *upper = top.wrapping_add(u64::from(overflow));
        }
        let Some((low, high)) = scratch.split_at_checked(length) else { return };
        out.copy_from_slice(low);
        if high.first().is_some_and(|upper| *upper != 0) || !is_less(out, &self.limbs) {
            subtract(out, &self.limbs);
        }
    }
}

fn padded(number: &BigUint, length: usize) -> Vec<u64> {
    let mut limbs = number.to_u64_digits();
    limbs.resize(length, 0);
    limbs
}

fn from_limbs(limbs: &[u64]) -> BigUint {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

fn is_less(left: &[u64], right: &[u64]) -> bool {
    left.iter().rev().lt(right.iter().rev())
}

fn subtract(value: &mut [u64], other: &[u64]) {
    let mut borrow = false;
    for (limb, &other) in value.iter_mut().zip(other) {
        let (difference, first) = limb.overflowing_sub(other);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *limb = difference;
        borrow = first || second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> BigUint {
        BigUint::parse_bytes(text.as_bytes(), 16).unwrap()
    }

    #[test]
    fn powers() {
        for modulus in [
            "3",
            "10001",
            "ffffffffffffffff",
            "ffffffffffffffffffffffffffffffff",
            "1000000000000000000000000000000000000000000000000000000000000f3b1",
            "8000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        ] {
            let modulus = number(modulus);
            let prepared = Modulus::new(&modulus);
            for base in ["0", "1", "2", "123456789abcdef0", "ffffffffffffffffffffffffffffffffffffffffff"] {
                for exponent in ["0", "1", "10001", "fedcba98765432100123456789"] {
                    let (base, exponent) = (number(base), number(exponent));
                    assert_eq!(prepared.power(&base, &exponent), base.modpow(&exponent, &modulus));
                }
            }
        }
    }

    #[test]
    fn primes_and_others() {
        for (value, prime) in [
            (7_u64, true),
            (2_047, true), // The smallest composite that passes with the base 2.
            (2_049, false),
            (65_537, true),
            (4_294_967_291, true),
            (4_294_967_297, true), // A Fermat number passes too.
            (18_446_744_073_709_551_557, true),
            (18_446_744_073_709_551_555, false),
        ] {
            assert_eq!(Modulus::new(&BigUint::from(value)).is_probable_prime_to_two(), prime, "{value}");
        }
        assert!(!Modulus::new(&BigUint::from(2_047_u32)).is_probable_prime_to(3));
        assert!(Modulus::new(&BigUint::from(65_537_u32)).is_probable_prime_to(3));
    }
}
