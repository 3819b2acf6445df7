//! OpenPGP: keyrings, clear-signed text, and who signed it. The error texts are those of the library that Helm uses.

mod clear;
mod entity;
mod keybox;

use std::io::{BufReader, Read};

use pgp::armor::{BlockType, Dearmor};
use pgp::composed::{
    ArmorOptions, CleartextSignedMessage, PublicOrSecret, SignedPublicKeyParser, SignedSecretKeyParser,
};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{
    Packet, PacketParser, Signature, SignatureConfig, SignatureType, Subpacket, SubpacketData,
};
use pgp::types::{Duration, KeyDetails, KeyVersion, Password, Timestamp};
use trueline_helm::quote;

use self::clear::Block;
use self::entity::Entity;
pub(super) use self::entity::Entity as SigningKey;
use super::Signer;

/// No keyring has more keys; more of them would only be a way to keep us busy.
const MOST_KEYS: usize = 10_000;

const BEGIN: &[u8] = b"-----BEGIN PGP";
const END: &[u8] = b"-----END PGP";

/// Keys that can be used: those whose own signatures hold.
pub(super) struct Keyring {
    entities: Vec<Entity>,
}

impl Keyring {
    /// Reads a keyring: packets, armour or GnuPG's keybox.
    pub(super) fn read(bytes: &[u8], path: &str) -> Result<Self, String> {
        let entities = if keybox::is_keybox(bytes) {
            let keys =
                keybox::public_keys(bytes).map_err(|wrong| format!("reading keybox {path}: {wrong}"))?;
            entities(&keys)?
        } else if bytes.trim_ascii_start().starts_with(BEGIN) {
            armoured(bytes).map_err(|wrong| format!("reading armored keyring {path}: {wrong}"))?
        } else {
            entities(bytes)?
        };
        Ok(Keyring { entities })
    }

    /// Who signed a provenance file, and the text that was signed.
    pub(super) fn verify(&self, provenance: &[u8], now: i64) -> Result<(Signer, String), String> {
        let block = Block::find(provenance).ok_or_else(|| "signature block not found".to_owned())?;
        let signature = dearmoured(&block.armour).map_err(|_| "signature block not found".to_owned())?;
        for packet in PacketParser::new(signature.as_slice()) {
            let packet = packet.map_err(|wrong| format!("openpgp: invalid data: {wrong}"))?;
            let Packet::Signature(signature) = packet else {
                return Err("openpgp: invalid data: non signature packet found".to_owned());
            };
            let mut failure = None;
            for entity in &self.entities {
                match entity.verify(&signature, &block.signed, now) {
                    None => {}
                    Some(Ok(signer)) => return Ok((signer, block.text)),
                    Some(Err(wrong)) => failure = Some(wrong),
                }
            }
            if let Some(wrong) = failure {
                return Err(wrong);
            }
        }
        Err("openpgp: signature made by unknown entity".to_owned())
    }

    /// The key whose name is, or contains, this.
    pub(super) fn signing_key(&self, id: &str) -> Result<&SigningKey, String> {
        let mut candidate = None;
        let mut is_vague = false;
        for entity in &self.entities {
            for name in entity.names() {
                if name == id {
                    return Ok(entity);
                }
                if name.contains(id) {
                    is_vague |= candidate.is_some();
                    candidate = Some(entity);
                }
            }
        }
        match candidate {
            Some(_) if is_vague => Err(format!("more than one key contain the id {}", quote(id))),
            Some(entity) => Ok(entity),
            None => Err("private key not found".to_owned()),
        }
    }
}

impl SigningKey {
    /// The text with a signature below it.
    pub(super) fn sign(
        &self,
        text: &str,
        passphrase: Option<&[u8]>,
        now: i64,
        random: &dyn Fn(&mut [u8]),
    ) -> Result<Vec<u8>, String> {
        let key = self.secret().ok_or_else(|| {
            "provided key is not a private key. Try providing a keyring with secret keys".to_owned()
        })?;
        let is_locked = key.secret_params().is_encrypted();
        let password = match passphrase {
            Some(passphrase) => Password::from(passphrase),
            None if is_locked => {
                let name = quote(self.names().next().unwrap_or("Unknown"));
                return Err(format!(
                    "the key {name} is locked: name the file with its passphrase in --passphrase-file (- for standard \
                     input)"
                ));
            }
            None => Password::empty(),
        };
        key.unlock(&password, |_, _| Ok(()))
            .and_then(|unlocked| unlocked)
            .map_err(|_| "openpgp: invalid data: private key checksum failure".to_owned())?;
        let failed =
            |wrong: pgp::errors::Error| format!("failed to either sign or armor message block: {wrong}");
        let config = config(key, now, random).map_err(failed)?;
        let message =
            CleartextSignedMessage::new(&clear::without_trailing_spaces(text), config, key, &password);
        let options = ArmorOptions { headers: None, include_checksum: false };
        let mut signed = message.and_then(|message| message.to_armored_bytes(options)).map_err(failed)?;
        // Helm's files end without a line feed.
        signed.truncate(signed.trim_ascii_end().len());
        Ok(signed)
    }
}

/// What is said in a signature.
fn config(
    key: &pgp::packet::SecretKey,
    now: i64,
    random: &dyn Fn(&mut [u8]),
) -> Result<SignatureConfig, pgp::errors::Error> {
    let (kind, hash) = (SignatureType::Text, HashAlgorithm::Sha512);
    let mut config = match key.version() {
        KeyVersion::V6 => {
            let mut salt = vec![0; hash.salt_len().unwrap_or_default()];
            random(&mut salt);
            SignatureConfig::v6_with_salt(kind, key.algorithm(), hash, salt)
        }
        _ => SignatureConfig::v4(kind, key.algorithm(), hash),
    };
    let now = Timestamp::from_secs(u32::try_from(now).unwrap_or(u32::MAX));
    config.hashed_subpackets = vec![
        Subpacket::regular(SubpacketData::SignatureCreationTime(now))?,
        Subpacket::regular(SubpacketData::IssuerFingerprint(key.fingerprint()))?,
    ];
    if key.version() != KeyVersion::V6 {
        let id = SubpacketData::IssuerKeyId(key.legacy_key_id());
        config.hashed_subpackets.push(Subpacket::regular(id)?);
    }
    Ok(config)
}

/// The keys of a stream of packets. Those that cannot be read or do not hold are passed over, as long as there are
/// others.
fn entities(bytes: &[u8]) -> Result<Vec<Entity>, String> {
    // Plain text is not a keyring, and the reader of packets would only say that it found nothing in it.
    if bytes.first().is_some_and(|byte| byte & 0x80 == 0) {
        return Err("openpgp: invalid data: tag byte does not have MSB set".to_owned());
    }
    let (mut entities, mut failure) = (Vec::new(), None);
    let mut packets = Vec::new();
    for packet in PacketParser::new(bytes) {
        match packet {
            // GnuPG writes what it thinks of a key between its parts.
            Ok(Packet::Trust(_) | Packet::Marker(_) | Packet::Padding(_)) => {}
            Ok(packet) => packets.push(packet),
            Err(wrong) => failure = Some(invalid(&wrong)),
        }
    }
    let most_steps = packets.len();
    let mut rest = packets.into_iter().map(Ok).peekable();
    for _ in 0..most_steps {
        let Some(Ok(packet)) = rest.peek() else { break };
        let key = match packet {
            Packet::SecretKey(_) => {
                let mut parser = SignedSecretKeyParser::from_packets(rest);
                let key = parser.next().map(|key| key.map(PublicOrSecret::Secret));
                rest = parser.into_inner();
                key
            }
            Packet::PublicKey(_) => {
                let mut parser = SignedPublicKeyParser::from_packets(rest);
                let key = parser.next().map(|key| key.map(PublicOrSecret::Public));
                rest = parser.into_inner();
                key
            }
            _ => {
                rest.next();
                None
            }
        };
        match key.map(|key| key.map_err(|wrong| invalid(&wrong)).and_then(Entity::new)) {
            Some(Ok(_)) if entities.len() >= MOST_KEYS => break,
            Some(Ok(entity)) => entities.push(entity),
            Some(Err(wrong)) => failure = Some(wrong),
            None => {}
        }
    }
    match failure {
        Some(wrong) if entities.is_empty() => Err(wrong),
        _ => Ok(entities),
    }
}

fn invalid(wrong: &pgp::errors::Error) -> String {
    format!("openpgp: invalid data: {wrong}")
}

/// The keys of all armoured blocks; exports are often concatenated.
fn armoured(bytes: &[u8]) -> Result<Vec<Entity>, String> {
    let mut all = Vec::new();
    let mut rest = bytes.trim_ascii_start();
    while rest.starts_with(BEGIN) {
        let next = rest.windows(BEGIN.len()).skip(1).position(|window| window == BEGIN);
        let (block, behind) = rest.split_at(next.map_or(rest.len(), |next| next.saturating_add(1)));
        let mut dearmour = Dearmor::new(BufReader::new(block));
        rest = behind;
        // One that has no end is passed over.
        if dearmour.read_header().is_err() || !is_ended(block) {
            continue;
        }
        match dearmour.typ {
            Some(BlockType::PublicKey | BlockType::PrivateKey) => {}
            other => {
                let kind = other.map(|kind| kind.to_string()).unwrap_or_default();
                return Err(format!("expected a public or private key block, got {}", quote(kind)));
            }
        }
        let mut packets = Vec::new();
        dearmour.read_to_end(&mut packets).map_err(|_| "openpgp: invalid data: armor invalid".to_owned())?;
        all.extend(entities(&packets)?);
    }
    if all.is_empty() { Err("no keys found".to_owned()) } else { Ok(all) }
}

fn is_ended(block: &[u8]) -> bool {
    block.windows(END.len()).any(|window| window == END)
}

/// The packets of an armoured signature.
fn dearmoured(armour: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let mut packets = Vec::new();
    Dearmor::new(BufReader::new(armour)).read_to_end(&mut packets)?;
    Ok(packets)
}

/// Whether something that was made at a time and lasts for a while is over, or has not begun.
fn is_over(made: Option<Timestamp>, lasts: Option<Duration>, now: i64) -> bool {
    let Some(made) = made.map(|made| i64::from(made.as_secs())) else { return false };
    let lasts = lasts.map_or(0, |lasts| i64::from(lasts.as_secs()));
    made > now || (lasts != 0 && now > made.saturating_add(lasts))
}

fn signature_is_over(signature: &Signature, now: i64) -> bool {
    is_over(signature.created(), signature.signature_expiration_time(), now)
}
