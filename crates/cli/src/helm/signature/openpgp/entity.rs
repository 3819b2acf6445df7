//! A key with its names and subkeys, of which every part is held by a signature of the key itself.

use pgp::composed::{PublicOrSecret, SignedPublicKey, SignedPublicSubKey};
use pgp::packet::{SecretKey, Signature, SignatureType};
use pgp::types::{KeyDetails, PublicParams, Tag, VerifyingKey};

use super::super::Signer;
use super::{is_over, signature_is_over};

/// A key that can be used.
pub(in super::super) struct Entity {
    public: SignedPublicKey,
    secret: Option<SecretKey>,
    identities: Vec<Identity>,
    subkeys: Vec<Subkey>,
}

/// A name on a key.
struct Identity {
    name: String,
    /// The newest signature that the key holds it with.
    held: Signature,
    revocations: Vec<Signature>,
}

/// A subkey.
struct Subkey {
    key: SignedPublicSubKey,
    /// The newest signature that the key holds it with.
    held: Signature,
    revocations: Vec<Signature>,
}

impl Entity {
    /// Checks what a key says about itself; the error says which part does not hold.
    pub(super) fn new(key: PublicOrSecret) -> Result<Self, String> {
        let (public, secret) = match key {
            PublicOrSecret::Public(public) => (public, None),
            PublicOrSecret::Secret(secret) => (secret.to_public_key(), Some(secret.primary_key.clone())),
        };
        let invalid = |what: &str| format!("openpgp: invalid data: {what}");
        let primary = &public.primary_key;
        let mut identities: Vec<Identity> = Vec::new();
        for user in &public.details.users {
            let own: Vec<&Signature> =
                user.signatures.iter().filter(|signature| is_made_by(signature, primary)).collect();
            for signature in &own {
                signature
                    .verify_certification(primary, Tag::UserId, &user.id)
                    .map_err(|_| invalid("user ID self-signature invalid"))?;
            }
            let (held, revocations) = newest(&own, SignatureType::CertRevocation);
            if let Some(held) = held {
                let name = String::from_utf8_lossy(user.id.id()).into_owned();
                identities.push(Identity { name, held, revocations });
            }
        }
        if identities.is_empty() {
            return Err(invalid("v4 entity without any identities"));
        }
        for revocation in &public.details.revocation_signatures {
            revocation
                .verify_key(primary)
                .map_err(|_| invalid("revocation signature signed by alternate key"))?;
        }
        let mut subkeys = Vec::new();
        for subkey in &public.public_subkeys {
            subkey.verify_bindings(primary).map_err(|_| invalid("subkey signature invalid"))?;
            let (held, revocations) =
                newest(&subkey.signatures.iter().collect::<Vec<_>>(), SignatureType::SubkeyRevocation);
            let held = held.ok_or_else(|| invalid("subkey packet not followed by signature"))?;
            subkeys.push(Subkey { key: subkey.clone(), held, revocations });
        }
        Ok(Entity { public, secret, identities, subkeys })
    }

    /// The names on the key.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.identities.iter().map(|identity| identity.name.as_str())
    }

    /// What is signed with.
    pub(super) fn secret(&self) -> Option<&SecretKey> {
        self.secret.as_ref()
    }

    /// Whether this key made a signature; nothing if it does not claim so.
    pub(super) fn verify(
        &self,
        signature: &Signature,
        data: &[u8],
        now: i64,
    ) -> Option<Result<Signer, String>> {
        let main = self.main_identity()?;
        if is_made_by(signature, &self.public.primary_key) && main.held.key_flags().sign() {
            return Some(self.check(signature, &self.public.primary_key, data, None, now));
        }
        let subkey = self
            .subkeys
            .iter()
            .find(|subkey| is_made_by(signature, &subkey.key.key) && subkey.held.key_flags().sign())?;
        Some(self.check(signature, &subkey.key.key, data, Some(subkey), now))
    }

    fn check(
        &self,
        signature: &Signature,
        key: &impl VerifyingKey,
        data: &[u8],
        subkey: Option<&Subkey>,
        now: i64,
    ) -> Result<Signer, String> {
        if signature.verify(key, data).is_err() {
            let method = method(key.public_params());
            return Err(format!("openpgp: invalid signature: {method} verification failure"));
        }
        let main = self.main_identity().ok_or_else(|| "openpgp: key expired".to_owned())?;
        let holds = |revocation: &Signature| !signature_is_over(revocation, now);
        let is_revoked = self.public.details.revocation_signatures.iter().any(holds)
            || main.revocations.iter().any(holds)
            || subkey.is_some_and(|subkey| subkey.revocations.iter().any(holds));
        if is_revoked {
            return Err("openpgp: signature made by revoked key".to_owned());
        }
        let primary = &self.public.primary_key;
        let is_expired = is_over(Some(primary.created_at()), main.held.key_expiration_time(), now)
            || subkey.is_some_and(|subkey| {
                is_over(Some(subkey.key.key.created_at()), subkey.held.key_expiration_time(), now)
            });
        if is_expired {
            return Err("openpgp: key expired".to_owned());
        }
        let held = subkey.map(|subkey| &subkey.held);
        if [Some(signature), Some(&main.held), held]
            .into_iter()
            .flatten()
            .any(|made| signature_is_over(made, now))
        {
            return Err("openpgp: signature expired".to_owned());
        }
        Ok(Signer {
            identities: self.names().map(str::to_owned).collect(),
            fingerprint: format!("{:X}", primary.fingerprint()),
        })
    }

    /// The name whose signature speaks for the key: one that is not revoked, then the one that is called the main
    /// one, then the newest.
    fn main_identity(&self) -> Option<&Identity> {
        self.identities.iter().max_by_key(|identity| {
            (identity.revocations.is_empty(), identity.held.is_primary(), identity.held.created())
        })
    }
}

/// The newest of the signatures that hold something, and those that take it back.
fn newest(signatures: &[&Signature], revocation: SignatureType) -> (Option<Signature>, Vec<Signature>) {
    let (back, held): (Vec<&Signature>, Vec<&Signature>) =
        signatures.iter().copied().partition(|signature| signature.typ() == Some(revocation));
    let held = held.into_iter().max_by_key(|signature| signature.created());
    (held.cloned(), back.into_iter().cloned().collect())
}

/// Whether a signature says that a key made it.
fn is_made_by(signature: &Signature, key: &impl KeyDetails) -> bool {
    let (fingerprint, id) = (key.fingerprint(), key.legacy_key_id());
    signature.issuer_fingerprint().into_iter().any(|issuer| *issuer == fingerprint)
        || signature.issuer_key_id().into_iter().any(|issuer| *issuer == id)
}

/// What a method of signing is called.
fn method(parameters: &PublicParams) -> &'static str {
    match parameters {
        PublicParams::RSA(_) => "RSA",
        PublicParams::DSA(_) => "DSA",
        PublicParams::ECDSA(_) => "ECDSA",
        PublicParams::Ed25519(_) => "Ed25519",
        PublicParams::Ed448(_) => "Ed448",
        _ => "EdDSA",
    }
}
