//! Large random primes.

use std::sync::LazyLock;

use num_bigint::BigUint;
use trueline_gotemplate::Environment;

use super::modular::Modulus;

/// How many candidates are sieved at once.
const WINDOW: usize = 4_096;

/// Primes below this are sieved with.
const SIEVE_LIMIT: usize = 1 << 16;

/// Odd primes.
static SMALL_PRIMES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut composite = vec![false; SIEVE_LIMIT];
    let mut primes = Vec::new();
    for number in (3..SIEVE_LIMIT).step_by(2) {
        if composite.get(number).copied().unwrap_or(true) {
            continue;
        }
        primes.push(number as u32);
        for multiple in (number * number..SIEVE_LIMIT).step_by(2 * number) {
            if let Some(mark) = composite.get_mut(multiple) {
                *mark = true;
            }
        }
    }
    primes
});

/// Bases of the last tests. For candidates drawn at random these leave a chance of error far below that of
/// the machine.
const BASES: &[u32] = &[3, 5, 7, 11, 13, 17, 19, 23];

/// A random number of so many bits, of which the highest two are set and the lowest is.
pub(super) fn random_odd(environment: &dyn Environment, bits: u64) -> BigUint {
    let mut number = random_below_power(environment, bits);
    for bit in [0, bits.saturating_sub(2), bits.saturating_sub(1)] {
        number.set_bit(bit, true);
    }
    number
}

/// A random number of at most so many bits.
pub(super) fn random_below_power(environment: &dyn Environment, bits: u64) -> BigUint {
    let mut bytes = vec![0; usize::try_from(bits.div_ceil(8)).unwrap_or(0)];
    environment.random(&mut bytes);
    let number = BigUint::from_bytes_be(&bytes);
    number % (BigUint::from(1_u8) << bits)
}

/// A random number from 1 to one below the limit.
pub(super) fn random_below(environment: &dyn Environment, limit: &BigUint) -> BigUint {
    loop {
        let number = random_below_power(environment, limit.bits());
        if number.bits() > 0 && number < *limit {
            return number;
        }
    }
}

/// The first prime of the progression `start`, `start + step` … that is accepted. Start is odd, step even.
pub(super) fn first_prime(start: &BigUint, step: &BigUint, accepted: impl Fn(&BigUint) -> bool) -> BigUint {
    let mut start = start.clone();
    loop {
        let sieve = sieved(&start, step);
        for index in (0..WINDOW).filter(|index| !sieve.get(*index).copied().unwrap_or(true)) {
            let candidate = &start + step * index as u64;
            if accepted(&candidate) && is_prime(&candidate) {
                return candidate;
            }
        }
        start += step * WINDOW as u64;
    }
}

/// Which members of the progression have a small factor.
fn sieved(start: &BigUint, step: &BigUint) -> Vec<bool> {
    let mut composite = vec![false; WINDOW];
    let limit = start.to_u64_digits();
    for &prime in SMALL_PRIMES.iter() {
        // A small prime does not strike out itself.
        if matches!(limit.as_slice(), [only] if *only <= u64::from(prime)) {
            break;
        }
        let (rest, stride) = (remainder(start, prime), remainder(step, prime));
        let Some(inverse) = inverse(stride, prime) else {
            if rest == 0 {
                composite.fill(true);
            }
            continue;
        };
        // The first index where start + index * step is a multiple of the prime.
        let first = u64::from(prime - rest) * u64::from(inverse) % u64::from(prime);
        let indices = (usize::try_from(first).unwrap_or(0)..WINDOW).step_by(prime as usize);
        for index in indices {
            if let Some(mark) = composite.get_mut(index) {
                *mark = true;
            }
        }
    }
    composite
}

fn remainder(number: &BigUint, prime: u32) -> u32 {
    let rest = number
        .iter_u32_digits()
        .rev()
        .fold(0_u64, |rest, digit| (rest << 32 | u64::from(digit)) % u64::from(prime));
    rest as u32
}

/// The inverse modulo a prime, by Euclid.
fn inverse(number: u32, prime: u32) -> Option<u32> {
    let (mut old, mut new) = ((i64::from(prime), 0_i64), (i64::from(number), 1_i64));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    (old.0 == 1).then(|| u32::try_from(old.1.rem_euclid(i64::from(prime))).unwrap_or(0))
}

/// Whether a number without small factors is prime, as far as anyone needs to know.
fn is_prime(number: &BigUint) -> bool {
    let modulus = Modulus::new(number);
    modulus.is_probable_prime_to_two() && BASES.iter().all(|base| modulus.is_probable_prime_to(*base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::Fixed;

    #[test]
    fn first_primes() {
        let first = |start: u64, step: u32| {
            first_prime(&BigUint::from(start), &BigUint::from(step), |_| true).to_string()
        };
        assert_eq!(first(1_000_001, 2), "1000003");
        assert_eq!(first(4_294_967_299, 2), "4294967311");
        assert_eq!(first(18_446_744_073_709_551_533, 2), "18446744073709551533");
        assert_eq!(first(1_000_001, 14), "1000099");
    }

    #[test]
    fn accepted_ones_only() {
        let start = BigUint::from(1_000_001_u32);
        let found = first_prime(&start, &BigUint::from(2_u8), |prime| prime % 10_u8 == BigUint::from(7_u8));
        assert_eq!(found, BigUint::from(1_000_037_u32));
    }

    #[test]
    fn random_numbers_have_their_length() {
        let environment = Fixed::default();
        for bits in [16, 64, 257] {
            let number = random_odd(&environment, bits);
            assert_eq!(number.bits(), bits);
            assert!(number.bit(0) && number.bit(bits - 2));
            assert!(random_below(&environment, &number) < number);
        }
    }
}
