//! Private keys of all kinds, and their text.

use trueline_gotemplate::Environment;

use super::der::{self, INTEGER, NULL, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE};
use super::elliptic::{EcdsaKey, Ed25519Key};
use super::{STEPS_PER_MICROSECOND, dsa, pem, rsa};

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const RSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
const ECDSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// A private key.
#[derive(Debug, Clone)]
pub(crate) enum PrivateKey {
    Rsa(Box<rsa::PrivateKey>),
    Dsa(Box<dsa::PrivateKey>),
    Ecdsa(Box<EcdsaKey>),
    Ed25519(Box<Ed25519Key>),
}

/// The kind of key to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// RSA with this many bits.
    Rsa(u64),
    /// DSA with 2048 and 256 bits.
    Dsa,
    /// ECDSA on P-256.
    Ecdsa,
    Ed25519,
}

impl KeyKind {
    /// How many steps it takes to generate a key of this kind.
    pub(crate) fn steps(self) -> u64 {
        let microseconds = match self {
            // The search for primes takes time cubic in their length: a second for 4,096 bits.
            KeyKind::Rsa(bits) => bits.saturating_pow(3) / 70_000,
            KeyKind::Dsa => 650_000,
            KeyKind::Ecdsa => 300,
            KeyKind::Ed25519 => 60,
        };
        microseconds.saturating_mul(STEPS_PER_MICROSECOND)
    }
}

impl PrivateKey {
    /// How many steps it takes to read a key from text of this many bytes: division takes time quadratic in the
    /// length.
    pub(crate) fn steps_to_read(length: usize) -> u64 {
        let microseconds = (length as u64).saturating_pow(2) / 100_000;
        microseconds.saturating_add(50).saturating_mul(STEPS_PER_MICROSECOND)
    }

    /// How many steps it takes to sign with it.
    pub(crate) fn steps_to_sign(&self) -> u64 {
        let microseconds = match self {
            Self::Rsa(key) => (key.bits().saturating_pow(3) / 5_000_000).saturating_add(100),
            Self::Dsa(_) => 100,
            Self::Ecdsa(_) => 800,
            Self::Ed25519(_) => 100,
        };
        microseconds.saturating_mul(STEPS_PER_MICROSECOND)
    }

    /// A new key.
    pub(crate) fn generate(environment: &dyn Environment, kind: KeyKind) -> Self {
        match kind {
            KeyKind::Rsa(bits) => Self::Rsa(Box::new(rsa::PrivateKey::generate(environment, bits))),
            KeyKind::Dsa => Self::Dsa(Box::new(dsa::PrivateKey::generate(environment, 2_048, 256))),
            KeyKind::Ecdsa => Self::Ecdsa(Box::new(EcdsaKey::generate(environment))),
            KeyKind::Ed25519 => Self::Ed25519(Box::new(Ed25519Key::generate(environment))),
        }
    }

    /// Reads a key from its text; the error is that of the functions.
    pub(crate) fn read(text: &[u8]) -> Result<Self, String> {
        let block = pem::decode(text).ok_or("no PEM data in input")?;
        if block.label == "PRIVATE KEY" {
            return Self::read_wrapped(&block.bytes).map_err(|why| format!("decoding PEM as PKCS#8: {why}"));
        }
        let Some(kind) = block.label.strip_suffix(" PRIVATE KEY") else {
            return Err(format!("no private key data in PEM block of type {}", block.label));
        };
        let read = match kind {
            "RSA" => Self::read_rsa(&block.bytes),
            "EC" => Self::read_ecdsa(&block.bytes, None),
            "DSA" => dsa::PrivateKey::read(&block.bytes)
                .map(|key| Self::Dsa(Box::new(key)))
                .ok_or_else(|| der::complaint(&block.bytes, "DSAKeyFormat")),
            _ => return Err(format!("invalid private key type {}", block.label)),
        };
        read.map_err(|why| format!("parsing {kind} private key from PEM: {why}"))
    }

    fn read_rsa(bytes: &[u8]) -> Result<Self, String> {
        match rsa::PrivateKey::read(bytes) {
            Some(read) => read.map(|key| Self::Rsa(Box::new(key))),
            None if EcdsaKey::read(bytes, None).is_some() => Err(other_format("ParseECPrivateKey")),
            None if unwrap(bytes).is_some() => Err(other_format("ParsePKCS8PrivateKey")),
            None => Err(der::complaint(bytes, "pkcs1PrivateKey")),
        }
    }

    fn read_ecdsa(bytes: &[u8], curve: Option<&[u8]>) -> Result<Self, String> {
        match EcdsaKey::read(bytes, curve) {
            Some(read) => read.map(|key| Self::Ecdsa(Box::new(key))),
            None if unwrap(bytes).is_some() => Err(other_format("ParsePKCS8PrivateKey")),
            None if rsa::PrivateKey::read(bytes).is_some() => Err(other_format("ParsePKCS1PrivateKey")),
            None => {
                let complaint = der::complaint(bytes, "ecPrivateKey");
                Err(format!("x509: failed to parse EC private key: {complaint}"))
            }
        }
    }

    /// Reads a key from PKCS #8, which names its kind.
    fn read_wrapped(bytes: &[u8]) -> Result<Self, String> {
        let (identifier, mut parameters, inner) = match unwrap(bytes) {
            Some(unwrapped) => unwrapped,
            None if EcdsaKey::read(bytes, None).is_some() => return Err(other_format("ParseECPrivateKey")),
            None if rsa::PrivateKey::read(bytes).is_some() => {
                return Err(other_format("ParsePKCS1PrivateKey"));
            }
            None => return Err(der::complaint(bytes, "pkcs8")),
        };
        match identifier {
            RSA => Self::read_rsa(inner)
                .map_err(|why| format!("x509: failed to parse RSA private key embedded in PKCS#8: {why}")),
            ECDSA => Self::read_ecdsa(inner, parameters.contents(OBJECT_IDENTIFIER))
                .map_err(|why| format!("x509: failed to parse EC private key embedded in PKCS#8: {why}")),
            ED25519 if !parameters.is_empty() => {
                Err("x509: invalid Ed25519 private key parameters".to_owned())
            }
            ED25519 => {
                let seed = Reader::new(inner).contents(OCTET_STRING).ok_or_else(|| {
                    format!("x509: invalid Ed25519 private key: {}", der::complaint(inner, ""))
                })?;
                let length = || format!("x509: invalid Ed25519 private key length: {}", seed.len());
                let seed = seed.try_into().map_err(|_| length())?;
                Ok(Self::Ed25519(Box::new(Ed25519Key::from_seed(seed))))
            }
            other => Err(format!(
                "x509: PKCS#8 wrapping contained private key with unknown algorithm: {}",
                der::dotted(other)
            )),
        }
    }

    /// Its text.
    pub(crate) fn write(&self) -> String {
        match self {
            Self::Rsa(key) => pem::encode("RSA PRIVATE KEY", &key.write()),
            Self::Dsa(key) => pem::encode("DSA PRIVATE KEY", &key.write()),
            Self::Ecdsa(key) => pem::encode("EC PRIVATE KEY", &key.write()),
            Self::Ed25519(key) => {
                let inner = der::tagged(OCTET_STRING, &der::tagged(OCTET_STRING, &key.seed()));
                let algorithm = der::sequence(&[&der::tagged(OBJECT_IDENTIFIER, ED25519)]);
                pem::encode("PRIVATE KEY", &der::sequence(&[&der::tagged(INTEGER, &[0]), &algorithm, &inner]))
            }
        }
    }

    /// The public key as in a certificate: its algorithm and its bits. `None` for DSA.
    pub(super) fn public(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let identifier = |bytes: &[u8]| der::tagged(OBJECT_IDENTIFIER, bytes);
        Some(match self {
            Self::Rsa(key) => (der::sequence(&[&identifier(RSA), &der::tagged(NULL, &[])]), key.public()),
            Self::Ecdsa(key) => {
                (der::sequence(&[&identifier(ECDSA), &identifier(key.curve())]), key.public())
            }
            Self::Ed25519(key) => (der::sequence(&[&identifier(ED25519)]), key.public()),
            Self::Dsa(_) => return None,
        })
    }

    /// Its signature algorithm, as in a certificate. `None` for DSA.
    pub(super) fn signature_algorithm(&self) -> Option<Vec<u8>> {
        let identifier = |bytes: &[u8]| der::tagged(OBJECT_IDENTIFIER, bytes);
        Some(match self {
            Self::Rsa(_) => der::sequence(&[&identifier(RSA_WITH_SHA256), &der::tagged(NULL, &[])]),
            Self::Ecdsa(key) => der::sequence(&[&identifier(key.signature_algorithm())]),
            Self::Ed25519(_) => der::sequence(&[&identifier(ED25519)]),
            Self::Dsa(_) => return None,
        })
    }

    /// The signature of a message. `None` if the key cannot sign.
    pub(super) fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Rsa(key) => key.sign(message),
            Self::Ecdsa(key) => Some(key.sign(message)),
            Self::Ed25519(key) => Some(key.sign(message)),
            Self::Dsa(_) => None,
        }
    }
}

/// What PKCS #8 says about a key: the kind, its parameters, the key itself.
fn unwrap(bytes: &[u8]) -> Option<(&[u8], Reader<'_>, &[u8])> {
    let mut reader = Reader::new(bytes).inside(SEQUENCE)?;
    reader.contents(INTEGER)?;
    let mut algorithm = reader.inside(SEQUENCE)?;
    let identifier = algorithm.contents(OBJECT_IDENTIFIER)?;
    Some((identifier, algorithm, reader.contents(OCTET_STRING)?))
}

fn other_format(function: &str) -> String {
    format!("x509: failed to parse private key (use {function} instead for this key format)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::Fixed;

    #[test]
    fn keys_there_and_back() {
        for (kind, label) in [
            (KeyKind::Rsa(512), "RSA PRIVATE KEY"),
            (KeyKind::Ecdsa, "EC PRIVATE KEY"),
            (KeyKind::Ed25519, "PRIVATE KEY"),
        ] {
            let text = PrivateKey::generate(&Fixed::default(), kind).write();
            assert!(text.starts_with(&format!("-----BEGIN {label}-----\n")), "{kind:?}");
            assert_eq!(PrivateKey::read(text.as_bytes()).unwrap().write(), text);
        }
    }

    #[test]
    fn wrapped_keys_are_unwrapped() {
        let PrivateKey::Rsa(key) = PrivateKey::generate(&Fixed::default(), KeyKind::Rsa(512)) else {
            panic!()
        };
        let algorithm = der::sequence(&[&der::tagged(OBJECT_IDENTIFIER, RSA), &der::tagged(NULL, &[])]);
        let wrapped = der::sequence(&[
            &der::tagged(INTEGER, &[0]),
            &algorithm,
            &der::tagged(OCTET_STRING, &key.write()),
        ]);
        let read = PrivateKey::read(pem::encode("PRIVATE KEY", &wrapped).as_bytes()).unwrap();
        assert_eq!(read.write(), pem::encode("RSA PRIVATE KEY", &key.write()));
    }

    #[test]
    fn what_is_not_a_key() {
        for (text, expected) in [
            ("x".to_owned(), "no PEM data in input"),
            (pem::encode("CERTIFICATE", b"x"), "no private key data in PEM block of type CERTIFICATE"),
            (pem::encode("X PRIVATE KEY", b"x"), "invalid private key type X PRIVATE KEY"),
            (
                pem::encode("RSA PRIVATE KEY", b""),
                "parsing RSA private key from PEM: asn1: syntax error: sequence truncated",
            ),
        ] {
            assert_eq!(PrivateKey::read(text.as_bytes()).unwrap_err(), expected);
        }
    }
}
