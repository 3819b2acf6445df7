//! RSA: keys, their binary form, signatures.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use num_bigint::BigUint;
use sha2::{Digest, Sha256};
use trueline_gotemplate::Environment;

use super::der::{self, Reader, SEQUENCE};
use super::modular::Modulus;
use super::prime::{first_prime, random_odd};

const PUBLIC_EXPONENT: u32 = 65_537;

/// What precedes a SHA-256 hash in a signature.
const SHA256_PREFIX: &[u8] = &[
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    0x04, 0x20,
];

/// How many primes are remembered.
const MOST_REMEMBERED: usize = 64;

/// Where searches began and the primes that they ended with, for seeded randomness: a chart that is rendered again
/// with other values asks for the same keys. The results of real randomness are never kept.
static REMEMBERED: Mutex<VecDeque<(BigUint, BigUint)>> = Mutex::new(VecDeque::new());

#[derive(Debug, Clone)]
pub(crate) struct PrivateKey {
    modulus: BigUint,
    public_exponent: BigUint,
    exponent: BigUint,
    first: BigUint,
    second: BigUint,
}

/// The prime that a search ends with, from an earlier one with the same start if there was one.
fn remembered(start: &BigUint, search: impl Fn(&BigUint) -> BigUint) -> BigUint {
    let all = || REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all().iter().find(|(known, _)| known == start).map(|(_, prime)| prime.clone());
    known.unwrap_or_else(|| {
        let prime = search(start);
        let mut all = all();
        all.truncate(MOST_REMEMBERED - 1);
        all.push_front((start.clone(), prime.clone()));
        prime
    })
}

impl PrivateKey {
    /// A new key of this many bits.
    pub(super) fn generate(environment: &dyn Environment, bits: u64) -> Self {
        let public_exponent = BigUint::from(PUBLIC_EXPONENT);
        let is_repeated = environment.seed().is_some();
        loop {
            let starts = [(); 2].map(|()| random_odd(environment, bits / 2));
            let search_anew = |start: &BigUint| {
                first_prime(start, &BigUint::from(2_u8), |prime| {
                    (prime - 1_u8) % PUBLIC_EXPONENT != BigUint::ZERO && prime.bits() == bits / 2
                })
            };
            let search = |start: &BigUint| match is_repeated {
                true => remembered(start, search_anew),
                false => search_anew(start),
            };
            let [one, other] = &starts;
            // The searches take most of the time of a render; each runs independently from its own start, so
            // the result does not depend on how they are scheduled.
            let (first, second) = std::thread::scope(|scope| {
                let running = scope.spawn(|| search(one));
                let second = search(other);
                (running.join().unwrap_or_else(|_| search(one)), second)
            });
            let order = (&first - 1_u8) * (&second - 1_u8);
            let Some(exponent) = public_exponent.modinv(&order).filter(|_| first != second) else { continue };
            let modulus = &first * &second;
            return Self { modulus, public_exponent, exponent, first, second };
        }
    }

    /// The length of its modulus.
    pub(super) fn bits(&self) -> u64 {
        self.modulus.bits()
    }

    /// Reads the binary form. `None` if it does not have this form at all; the error is Go's message.
    pub(super) fn read(bytes: &[u8]) -> Option<Result<Self, String>> {
        let mut outer = Reader::new(bytes);
        let mut reader = outer.inside(SEQUENCE)?;
        let version = reader.unsigned()?;
        let mut numbers = [const { BigUint::ZERO }; 8];
        for number in &mut numbers {
            *number = reader.unsigned()?;
        }
        if !outer.is_empty() {
            return Some(Err("asn1: syntax error: trailing data".to_owned()));
        }
        Some(Self::checked(&version, numbers))
    }

    fn checked(version: &BigUint, numbers: [BigUint; 8]) -> Result<Self, String> {
        if *version > BigUint::from(1_u8) {
            return Err("x509: unsupported private key version".to_owned());
        }
        if numbers.contains(&BigUint::ZERO) {
            return Err("x509: private key contains zero or negative value".to_owned());
        }
        let [modulus, public_exponent, exponent, first, second, remainder, other_remainder, inverse] =
            numbers;
        if &first * &second != modulus {
            return Err("crypto/rsa: p * q != n".to_owned());
        }
        let one = BigUint::from(1_u8);
        let fits = |prime: &BigUint| {
            *prime > one && &exponent * &public_exponent % (prime - 1_u8) == one && prime.bit(0)
        };
        if !fits(&first) || !fits(&second) {
            return Err("crypto/rsa: invalid exponents".to_owned());
        }
        if remainder != &exponent % (&first - 1_u8) || other_remainder != &exponent % (&second - 1_u8) {
            return Err("crypto/rsa: invalid CRT exponent".to_owned());
        }
        if &inverse * &second % &first != one {
            return Err("crypto/rsa: invalid CRT coefficient".to_owned());
        }
        Ok(Self { modulus, public_exponent, exponent, first, second })
    }

    /// The binary form.
    pub(super) fn write(&self) -> Vec<u8> {
        let inverse = self.second.modinv(&self.first).unwrap_or_default();
        let numbers = [
            &BigUint::ZERO,
            &self.modulus,
            &self.public_exponent,
            &self.exponent,
            &self.first,
            &self.second,
            &(&self.exponent % (&self.first - 1_u8)),
            &(&self.exponent % (&self.second - 1_u8)),
            &inverse,
        ];
        let parts: Vec<Vec<u8>> = numbers.iter().map(|number| der::integer(number)).collect();
        der::sequence(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The binary form of the public key.
    pub(super) fn public(&self) -> Vec<u8> {
        der::sequence(&[&der::integer(&self.modulus), &der::integer(&self.public_exponent)])
    }

    /// The signature of the message's SHA-256 hash, padded by PKCS #1 v1.5. `None` if the key is too small.
    pub(super) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let length = usize::try_from(self.modulus.bits().div_ceil(8)).ok()?;
        let hashed = [SHA256_PREFIX, &Sha256::digest(message)].concat();
        let padding = length.checked_sub(hashed.len() + 3).filter(|padding| *padding >= 8)?;
        let padded = [&[0, 1][..], &vec![0xff; padding], &[0], &hashed].concat();
        let number = BigUint::from_bytes_be(&padded);
        // Two powers modulo the primes cost a quarter of one modulo their product.
        let part = |prime: &BigUint| Modulus::new(prime).power(&number, &(&self.exponent % (prime - 1_u8)));
        let (one, other) = (part(&self.first), part(&self.second));
        let inverse = self.second.modinv(&self.first)?;
        let difference = (&one + &self.first - &other % &self.first) % &self.first;
        let signature = &other + &self.second * (difference * inverse % &self.first);
        let bytes = signature.to_bytes_be();
        Some([vec![0; length.checked_sub(bytes.len())?], bytes].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::Fixed;

    #[test]
    fn keys_there_and_back() {
        let key = PrivateKey::generate(&Fixed::default(), 512);
        assert_eq!(key.modulus.bits(), 512);
        let read = PrivateKey::read(&key.write()).unwrap().unwrap();
        assert_eq!(read.write(), key.write());
        assert_eq!(PrivateKey::generate(&Fixed::default(), 512).write(), key.write());
    }

    #[test]
    fn signatures_verify() {
        let key = PrivateKey::generate(&Fixed::default(), 768);
        let signature = key.sign(b"message").unwrap();
        let opened =
            BigUint::from_bytes_be(&signature).modpow(&key.public_exponent, &key.modulus).to_bytes_be();
        assert!(opened.starts_with(&[1, 0xff]));
        assert!(opened.ends_with(&Sha256::digest(b"message")));
        assert!(PrivateKey::generate(&Fixed::default(), 256).sign(b"message").is_none());
    }

    #[test]
    fn broken_keys() {
        let key = PrivateKey::generate(&Fixed::default(), 512);
        let mut trailing = key.write();
        trailing.push(0);
        let wrong = PrivateKey { modulus: &key.modulus + 2_u8, ..key };
        for (bytes, expected) in
            [(trailing, "asn1: syntax error: trailing data"), (wrong.write(), "crypto/rsa: p * q != n")]
        {
            assert_eq!(PrivateKey::read(&bytes).unwrap().unwrap_err(), expected);
        }
        assert!(PrivateKey::read(b"\x30\x00").is_none());
    }

    #[test]
    fn a_prime_is_searched_for_once() {
        let searches = std::cell::Cell::new(0_usize);
        let search = |start: &BigUint| {
            searches.set(searches.get() + 1);
            start + 2_u8
        };
        // No key starts the search at such a small number, so other tests are not affected.
        let starts: Vec<BigUint> = (1..=MOST_REMEMBERED as u32).map(BigUint::from).collect();
        assert_eq!(remembered(&BigUint::ZERO, search), BigUint::from(2_u8));
        assert_eq!(remembered(&BigUint::ZERO, search), BigUint::from(2_u8));
        assert_eq!(searches.get(), 1);
        starts.iter().for_each(|start| assert_eq!(remembered(start, search), start + 2_u8));
        remembered(&BigUint::ZERO, search);
        assert_eq!(searches.get(), starts.len() + 2, "only so many are kept");
    }
}
