//! Keys on elliptic curves: ECDSA on P-256 and P-384, and Ed25519.

use ed25519_dalek::Signer;
use trueline_gotemplate::Environment;

use super::der::{self, BIT_STRING, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE};

const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];

const WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const WITH_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x03];

/// A key for ECDSA.
#[derive(Debug, Clone)]
pub(crate) enum EcdsaKey {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
}

impl EcdsaKey {
    /// A new key on P-256.
    pub(super) fn generate(environment: &dyn Environment) -> Self {
        loop {
            let mut bytes = [0; 32];
            environment.random(&mut bytes);
            // Very few numbers are outside the group.
            if let Ok(key) = p256::ecdsa::SigningKey::from_slice(&bytes) {
                return Self::P256(key);
            }
        }
    }

    /// Reads the binary form; the curve may be known from the context. `None` if it does not have this form at
    /// all; the error is Go's message.
    pub(super) fn read(bytes: &[u8], curve: Option<&[u8]>) -> Option<Result<Self, String>> {
        let mut reader = Reader::new(bytes).inside(SEQUENCE)?;
        let version = reader.contents(INTEGER)?;
        let number = reader.contents(OCTET_STRING)?;
        let named = reader.inside(0xa0).and_then(|mut inside| inside.contents(OBJECT_IDENTIFIER));
        Some(Self::checked(version, number, curve.or(named)))
    }

    fn checked(version: &[u8], number: &[u8], curve: Option<&[u8]>) -> Result<Self, String> {
        if version != [1] {
            let version = version.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
            return Err(format!("x509: unknown EC private key version {version}"));
        }
        let size = match curve {
            Some(P256) => 32,
            Some(P384) => 48,
            _ => return Err("x509: unknown elliptic curve".to_owned()),
        };
        // Some programs write superfluous leading zeros, others omit required ones.
        let digits: Vec<u8> = number.iter().copied().skip_while(|byte| *byte == 0).collect();
        let missing = size - digits.len().min(size);
        if digits.len() > size {
            return Err("x509: invalid private key length".to_owned());
        }
        let padded = [vec![0; missing], digits].concat();
        let key = if size == 32 {
            p256::ecdsa::SigningKey::from_slice(&padded).ok().map(Self::P256)
        } else {
            p384::ecdsa::SigningKey::from_slice(&padded).ok().map(Self::P384)
        };
        key.ok_or_else(|| "ecdsa: invalid private key".to_owned())
    }

    pub(super) fn curve(&self) -> &'static [u8] {
        match self {
            Self::P256(_) => P256,
            Self::P384(_) => P384,
        }
    }

    /// The signature algorithm.
    pub(super) fn signature_algorithm(&self) -> &'static [u8] {
        match self {
            Self::P256(_) => WITH_SHA256,
            Self::P384(_) => WITH_SHA384,
        }
    }

    /// The point of the public key.
    pub(super) fn public(&self) -> Vec<u8> {
        match self {
            Self::P256(key) => key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
            Self::P384(key) => key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
        }
    }

    /// The binary form.
    pub(super) fn write(&self) -> Vec<u8> {
        let number = match self {
            Self::P256(key) => key.to_bytes().to_vec(),
            Self::P384(key) => key.to_bytes().to_vec(),
        };
        let point = der::nested(BIT_STRING, &[&[0], &self.public()]);
        der::sequence(&[
            &der::tagged(INTEGER, &[1]),
            &der::tagged(OCTET_STRING, &number),
            &der::tagged(0xa0, &der::tagged(OBJECT_IDENTIFIER, self.curve())),
            &der::tagged(0xa1, &point),
        ])
    }

    /// The signature of a message, in the binary form.
    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        let numbers = match self {
            Self::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(message);
                signature.to_bytes().to_vec()
            }
            Self::P384(key) => {
                let signature: p384::ecdsa::Signature = key.sign(message);
                signature.to_bytes().to_vec()
            }
        };
        let (first, second) = numbers.split_at(numbers.len() / 2);
        let number = |bytes: &[u8]| der::integer(&num_bigint::BigUint::from_bytes_be(bytes));
        der::sequence(&[&number(first), &number(second)])
    }
}

/// A key for Ed25519.
#[derive(Debug, Clone)]
pub(crate) struct Ed25519Key(ed25519_dalek::SigningKey);

impl Ed25519Key {
    pub(super) fn generate(environment: &dyn Environment) -> Self {
        let mut seed = [0; 32];
        environment.random(&mut seed);
        Self::from_seed(&seed)
    }

    pub(super) fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    pub(super) fn seed(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    pub(super) fn public(&self) -> Vec<u8> {
        self.0.verifying_key().to_bytes().to_vec()
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).to_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::Fixed;

    #[test]
    fn keys_there_and_back() {
        let key = EcdsaKey::generate(&Fixed::default());
        let read = EcdsaKey::read(&key.write(), None).unwrap().unwrap();
        assert_eq!(read.write(), key.write());
        assert_eq!(key.public().len(), 65);
        assert!(key.sign(b"message").starts_with(&[0x30]));
        let larger = der::sequence(&[
            &der::tagged(INTEGER, &[1]),
            &der::tagged(OCTET_STRING, &[7; 47]),
            &der::tagged(0xa0, &der::tagged(OBJECT_IDENTIFIER, P384)),
        ]);
        let larger = EcdsaKey::read(&larger, None).unwrap().unwrap();
        assert_eq!((larger.public().len(), larger.signature_algorithm()), (97, WITH_SHA384));
    }

    #[test]
    fn broken_keys() {
        let with = |version: u8, curve: &[u8], number: &[u8]| {
            der::sequence(&[
                &der::tagged(INTEGER, &[version]),
                &der::tagged(OCTET_STRING, number),
                &der::tagged(0xa0, &der::tagged(OBJECT_IDENTIFIER, curve)),
            ])
        };
        for (bytes, expected) in [
            (with(2, P256, &[1; 32]), "x509: unknown EC private key version 2"),
            (with(1, &[1], &[1; 32]), "x509: unknown elliptic curve"),
            (with(1, P256, &[1; 33]), "x509: invalid private key length"),
            (with(1, P256, &[0; 32]), "ecdsa: invalid private key"),
        ] {
            assert_eq!(EcdsaKey::read(&bytes, None).unwrap().unwrap_err(), expected);
        }
    }
}
