//! Signatures of charts: `package --sign`, `verify`, and `--verify` of the commands that read archives.
//!
//! OpenPGP is a feature of the build (`sign`), because it brings a hundred crates with it and few charts are signed.
//! Without it everything here works up to the point where a key is needed, and then says so.

#[cfg_attr(not(feature = "sign"), path = "absent.rs")]
mod openpgp;

use std::path::Path;

use trueline_helm::chart::Metadata;
use trueline_helm::quote;
use trueline_helm::repository::sha256_text;
use trueline_yaml::{Dialect, Value, write, yaml_to_value};

use self::openpgp::Keyring;
use super::flag::{Flag, Parsed};
use crate::world::{World, go_error};

/// What stands between the two documents of a provenance file; `---` would end clear-signed text.
const SEPARATOR: &str = "\n...\n";

/// The flag for the keys.
pub(super) fn keyring_flag() -> Flag {
    Flag::text("keyring", "the file with the keys (default: pubring.gpg or pubring.kbx of GnuPG)")
}

/// The flag of commands that read archives.
pub(super) fn verify_flag() -> Flag {
    Flag::switch("verify", "fail unless the archive is signed with a key of the keyring")
}

/// Who signed something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signer {
    /// The names on the key.
    identities: Vec<String>,
    /// The fingerprint of the primary key, in hexadecimal capitals.
    fingerprint: String,
}

/// What was proved about an archive.
#[derive(Debug)]
pub(super) struct Verified {
    signer: Signer,
    digest: String,
}

impl Verified {
    /// The lines that Helm prints about it.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for identity in &self.signer.identities {
            text.push_str(&format!("Signed by: {identity}\n"));
        }
        let Signer { fingerprint, .. } = &self.signer;
        text + &format!("Using Key With Fingerprint: {fingerprint}\nChart Hash Verified: {}\n", self.digest)
    }
}

/// Where the keys are: what `--keyring` says, or where GnuPG keeps them.
fn keyring_path(parsed: &Parsed, world: &World) -> String {
    if let Some(typed) = parsed.text("keyring") {
        return typed.to_owned();
    }
    let home = world.variable("GNUPGHOME").unwrap_or_else(|| {
        let home = world.variable("HOME").unwrap_or_default();
        Path::new(&home).join(".gnupg").to_string_lossy().into_owned()
    });
    let inside = |name: &str| Path::new(&home).join(name).to_string_lossy().into_owned();
    let (old, new) = (inside("pubring.gpg"), inside("pubring.kbx"));
    if !world.exists(&old) && world.exists(&new) { new } else { old }
}

fn keyring(parsed: &Parsed, world: &World) -> Result<Keyring, String> {
    let path = keyring_path(parsed, world);
    let bytes = world.read_file(&path).map_err(|error| error.to_string())?;
    Keyring::read(&bytes, &path)
}

/// Verifies an archive on the disk with the signature that lies beside it.
pub(super) fn verify_file(path: &str, parsed: &Parsed, world: &World) -> Result<Verified, String> {
    let stat = |path: &str| world.stat(path).map_err(|error| format!("stat {path}: {}", go_error(&error)));
    if stat(path)?.is_directory() {
        return Err("unpacked charts cannot be verified".to_owned());
    }
    let extension = Path::new(path).extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("tgz") {
        return Err("chart must be a tgz file".to_owned());
    }
    let beside = format!("{path}.prov");
    stat(&beside).map_err(|wrong| format!("could not load provenance file {beside}: {wrong}"))?;
    let keyring = keyring(parsed, world).map_err(|wrong| format!("failed to load keyring: {wrong}"))?;
    let archive = world.read_file(path).map_err(|wrong| format!("failed to read chart archive: {wrong}"))?;
    let provenance =
        world.read_file(&beside).map_err(|wrong| format!("failed to read provenance file: {wrong}"))?;
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    check(&keyring, &archive, &provenance, &name, world)
}

/// Verifies an archive that was fetched, before anything is done with it.
pub(super) fn verify_bytes(
    name: &str,
    archive: &[u8],
    provenance: &[u8],
    parsed: &Parsed,
    world: &World,
) -> Result<Verified, String> {
    let keyring = keyring(parsed, world).map_err(|wrong| format!("failed to load keyring: {wrong}"))?;
    check(&keyring, archive, provenance, name, world)
}

fn check(
    keyring: &Keyring,
    archive: &[u8],
    provenance: &[u8],
    name: &str,
    world: &World,
) -> Result<Verified, String> {
    let (signer, text) = keyring.verify(provenance, world.now().0)?;
    let digest = format!("sha256:{}", sha256_text(archive));
    let promised = promised_sum(&text, name)?;
    match promised {
        None => Err(format!("provenance does not contain a SHA for a file named {}", quote(name))),
        Some(promised) if promised == digest => Ok(Verified { signer, digest }),
        Some(promised) => {
            Err(format!("sha256 sum does not match for {name}: {} != {}", quote(&promised), quote(&digest)))
        }
    }
}

/// The sum that a signed text has for a file.
fn promised_sum(text: &str, name: &str) -> Result<Option<String>, String> {
    let sums = text.split(SEPARATOR).nth(1);
    let sums = sums.ok_or_else(|| "message block must have at least two parts".to_owned())?;
    let value = yaml_to_value(sums).map_err(|wrong| format!("error converting YAML to JSON: {wrong}"))?;
    Ok(value.get("files").and_then(|files| files.get(name)).and_then(Value::as_str).map(str::to_owned))
}

/// The text that is signed: what the chart says about itself, and the sum of its archive.
fn message(metadata: &Metadata, name: &str, archive: &[u8]) -> String {
    let sum = format!("sha256:{}", sha256_text(archive));
    let files: Value = [(name, Value::from(sum.as_str()))].into_iter().collect();
    let sums: Value = [("files", files)].into_iter().collect();
    format!("{}{SEPARATOR}{}", metadata.to_yaml(), write(&sums, Dialect::Sigs))
}

/// Signs archives; a passphrase is read once for all of them.
#[derive(Default)]
pub(super) struct Signing {
    passphrase: Option<Vec<u8>>,
}

impl Signing {
    /// What must be said about the flags before anything is packed.
    pub(super) fn check_flags(parsed: &Parsed) -> Result<(), String> {
        if parsed.text_or_empty("key").is_empty() {
            return Err("--key is required for signing a package".to_owned());
        }
        if parsed.text("keyring") == Some("") {
            return Err("--keyring is required for signing a package".to_owned());
        }
        Ok(())
    }

    /// The provenance file of an archive.
    pub(super) fn sign(
        &mut self,
        metadata: &Metadata,
        name: &str,
        archive: &[u8],
        parsed: &Parsed,
        world: &mut World,
    ) -> Result<Vec<u8>, String> {
        let keyring = keyring(parsed, world)?;
        let key = keyring.signing_key(parsed.text_or_empty("key"))?;
        let passphrase = match parsed.text_or_empty("passphrase-file") {
            "" => None,
            path => Some(self.passphrase(path, world)?),
        };
        key.sign(&message(metadata, name, archive), passphrase, world.now().0, &|buffer| {
            world.system().random(buffer)
        })
    }

    /// The first line of the file that holds the passphrase, or of standard input.
    fn passphrase(&mut self, path: &str, world: &mut World) -> Result<&[u8], String> {
        if self.passphrase.is_none() {
            let bytes = match path {
                "-" => world.read_stdin().map_err(|error| error.to_string())?,
                path => world.read_file(path).map_err(|error| error.to_string())?,
            };
            if bytes.is_empty() {
                return Err(match path {
                    "-" => "specified reading passphrase from stdin, without input on stdin".to_owned(),
                    _ => "EOF".to_owned(),
                });
            }
            let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            self.passphrase = Some(line.strip_suffix(b"\r").unwrap_or(line).to_vec());
        }
        Ok(self.passphrase.as_deref().unwrap_or_default())
    }
}

#[cfg(all(test, feature = "sign"))]
mod tests;
