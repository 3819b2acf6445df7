//! DSA keys, which can be generated and stored but are not used for signing here.

use num_bigint::BigUint;
use trueline_gotemplate::Environment;

use super::der::{self, Reader, SEQUENCE};
use super::modular::Modulus;
use super::prime::{first_prime, random_below, random_odd};

/// The numbers of a key in their written order: P, Q, G, Y, X.
#[derive(Debug, Clone)]
pub(crate) struct PrivateKey([BigUint; 5]);

impl PrivateKey {
    /// A new key, with the number of bits for P and for Q.
    pub(super) fn generate(environment: &dyn Environment, bits: u64, order_bits: u64) -> Self {
        let two = BigUint::from(2_u8);
        let order = loop {
            let order = first_prime(&random_odd(environment, order_bits), &two, |_| true);
            if order.bits() == order_bits {
                break order;
            }
        };
        let step = &order * 2_u8;
        let modulus = loop {
            // One above a multiple of twice the order, so that the order divides P - 1.
            let start = random_odd(environment, bits);
            let modulus = first_prime(&(&start - &start % &step + 1_u8), &step, |_| true);
            if modulus.bits() == bits {
                break modulus;
            }
        };
        let field = Modulus::new(&modulus);
        let cofactor = (&modulus - 1_u8) / &order;
        let one = BigUint::from(1_u8);
        let generators = (2_u32..).map(|base| field.power(&BigUint::from(base), &cofactor));
        let generator = generators.into_iter().find(|generator| *generator != one).unwrap_or(one);
        let secret = random_below(environment, &order);
        let public = field.power(&generator, &secret);
        Self([modulus, order, generator, public, secret])
    }

    /// Reads the binary form.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes).inside(SEQUENCE)?;
        reader.unsigned()?;
        let mut numbers = [const { BigUint::ZERO }; 5];
        for number in &mut numbers {
            *number = reader.unsigned()?;
        }
        Some(Self(numbers))
    }

    /// The binary form.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut parts = der::integer(&BigUint::ZERO);
        parts.extend(self.0.iter().flat_map(der::integer));
        der::tagged(SEQUENCE, &parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::Fixed;

    #[test]
    fn keys() {
        let key = PrivateKey::generate(&Fixed::default(), 512, 160);
        let [modulus, order, generator, public, secret] = &key.0;
        assert_eq!((modulus.bits(), order.bits()), (512, 160));
        let one = BigUint::from(1_u8);
        assert_eq!(generator.modpow(order, modulus), one);
        assert_eq!(generator.modpow(secret, modulus), *public);
        assert_eq!(PrivateKey::read(&key.write()).unwrap().write(), key.write());
        assert!(PrivateKey::read(b"").is_none());
    }
}
