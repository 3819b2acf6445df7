//! What stands in for OpenPGP in a build without the feature `sign`.

use super::Signer;

const MISSING: &str = "this trueline was built without signatures: build it with `--features sign`";

/// Keys, which cannot be had.
pub(super) enum Keyring {}

/// A key to sign with, which cannot be had.
pub(super) enum SigningKey {}

impl Keyring {
    pub(super) fn read(_bytes: &[u8], _path: &str) -> Result<Self, String> {
        Err(MISSING.to_owned())
    }

    pub(super) fn verify(&self, _provenance: &[u8], _now: i64) -> Result<(Signer, String), String> {
        match *self {}
    }

    pub(super) fn signing_key(&self, _id: &str) -> Result<&SigningKey, String> {
        match *self {}
    }
}

impl SigningKey {
    pub(super) fn sign(
        &self,
        _text: &str,
        _passphrase: Option<&[u8]>,
        _now: i64,
        _random: &dyn Fn(&mut [u8]),
    ) -> Result<Vec<u8>, String> {
        match *self {}
    }
}
