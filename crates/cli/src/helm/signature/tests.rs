//! Charts signed here and by Helm, verified here; and what must not be believed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pgp::composed::{ArmorOptions, KeyType, SecretKeyParamsBuilder, SignedSecretKey};
use pgp::ser::Serialize;
use pgp::types::Password;
use rand_core::{CryptoRng, RngCore};
use tempfile::TempDir;

use crate::helm::run;
use crate::world::World;

/// A signature by real Helm, and the public keys of a throw-away key in three forms.
const SIGNED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/signed");

/// Numbers that are the same each time, so that the tests are too.
struct Numbers(u64);

impl RngCore for Numbers {
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = (self.next_u64() >> 56) as u8;
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl CryptoRng for Numbers {}

fn key(seed: u64, name: &str) -> SignedSecretKey {
    SecretKeyParamsBuilder::default()
        .key_type(KeyType::Ed25519Legacy)
        .can_certify(true)
        .can_sign(true)
        .primary_user_id(name.to_owned())
        .build()
        .unwrap()
        .generate(Numbers(seed))
        .unwrap()
}

/// A directory with a chart, three keyrings and a passphrase.
fn place() -> TempDir {
    let place = TempDir::new().unwrap();
    let write = |path: &str, bytes: &[u8]| std::fs::write(place.path().join(path), bytes).unwrap();
    std::fs::create_dir_all(place.path().join("c/templates")).unwrap();
    write("c/Chart.yaml", b"apiVersion: v2\nname: c\nversion: 1.2.3\ndescription: \"-dash \"\n");
    write("c/templates/x.yaml", b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n");
    let one = key(1, "One Signer <one@example.com>");
    let mut two = key(2, "Two Signer <two@example.com>");
    two.primary_key.set_password(Numbers(3), &Password::from("open sesame")).unwrap();
    let secret = [one.to_bytes().unwrap(), two.to_bytes().unwrap()].concat();
    write("secret.gpg", &secret);
    write("public.gpg", &one.to_public_key().to_bytes().unwrap());
    write("public.asc", &one.to_public_key().to_armored_bytes(ArmorOptions::default()).unwrap());
    write("other.gpg", &two.to_public_key().to_bytes().unwrap());
    write("passphrase", b"open sesame\n");
    write("wrong", b"close sesame\n");
    write("nothing", b"");
    place
}

fn in_2096() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_000_000_000)
}

/// What a command prints, and its error.
fn ran(place: &Path, line: &str) -> (String, String) {
    let (mut world, stdout, stderr) = World::new(place.to_owned(), BTreeMap::new());
    world.set_clock(in_2096);
    let arguments: Vec<_> = line.split(' ').map(|word| word.replace('_', " ").into()).collect();
    run(&arguments, &mut world);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(stdout.take()), text(stderr.take()))
}

#[test]
fn what_helm_signed_is_verified() {
    let place = TempDir::new().unwrap();
    for name in ["signed-0.1.0.tgz", "signed-0.1.0.tgz.prov", "keys.gpg", "keys.asc", "keys.kbx"] {
        std::fs::copy(Path::new(SIGNED).join(name), place.path().join(name)).unwrap();
    }
    let proved = "Signed by: Chart Signer <signer@example.com>\n\
        Using Key With Fingerprint: B50BFE9417330739FFDF0C66955B925B57FC1F7C\n\
        Chart Hash Verified: sha256:ee1f4b6b0c8e649f4b7ecdf9f7ee32bb928b91e8caff5d00b076284653200fed\n";
    for keyring in ["keys.gpg", "keys.asc", "keys.kbx"] {
        let (stdout, stderr) = ran(place.path(), &format!("verify signed-0.1.0.tgz --keyring {keyring}"));
        assert_eq!((stdout.as_str(), stderr.as_str()), (proved, ""), "{keyring}");
    }
    let signature = place.path().join("signed-0.1.0.tgz.prov");
    let text = std::fs::read_to_string(&signature).unwrap();
    std::fs::write(&signature, text.replace("A chart that", "A chart thot")).unwrap();
    let (_, stderr) = ran(place.path(), "verify signed-0.1.0.tgz --keyring keys.gpg");
    assert_eq!(stderr, "Error: openpgp: invalid signature: RSA verification failure\n");
}

#[test]
fn what_is_signed_here_is_verified_here() {
    let place = place();
    let (stdout, stderr) = ran(place.path(), "package c --sign --key One --keyring secret.gpg");
    assert_eq!(stderr, "");
    assert!(stdout.ends_with("c-1.2.3.tgz\n"), "{stdout}");
    let signed = std::fs::read_to_string(place.path().join("c-1.2.3.tgz.prov")).unwrap();
    assert!(
        signed.starts_with(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\napiVersion: v2\ndescription: '-dash '\nname: c\n\
             version: 1.2.3\n\n...\nfiles:\n  c-1.2.3.tgz: sha256:"
        ),
        "{signed}"
    );
    assert!(signed.ends_with("\n-----END PGP SIGNATURE-----"), "{signed}");
    for keyring in ["public.gpg", "public.asc", "secret.gpg"] {
        let (stdout, stderr) = ran(place.path(), &format!("verify c-1.2.3.tgz --keyring {keyring}"));
        assert_eq!(stderr, "", "{keyring}");
        assert!(stdout.starts_with("Signed by: One Signer <one@example.com>\n"), "{stdout}");
    }
    let (stdout, stderr) = ran(place.path(), "template c-1.2.3.tgz --verify --keyring public.gpg");
    assert!(stdout.contains("kind: ConfigMap") && stderr.is_empty(), "{stdout}{stderr}");
    let locked = "package c -d locked --sign --key Two --keyring secret.gpg";
    assert_eq!(ran(place.path(), &format!("{locked} --passphrase-file passphrase")).1, "");
    let (stdout, _) = ran(place.path(), "verify locked/c-1.2.3.tgz --keyring other.gpg");
    assert!(stdout.starts_with("Signed by: Two Signer <two@example.com>\n"), "{stdout}");
}

#[test]
fn what_cannot_be_signed_is_not_packed_either() {
    let place = place();
    for (flags, error) in [
        ("--key Signer --keyring secret.gpg", "more than one key contain the id \"Signer\""),
        ("--key Nobody --keyring secret.gpg", "private key not found"),
        (
            "--key One --keyring public.gpg",
            "provided key is not a private key. Try providing a keyring with secret keys",
        ),
        ("--key One --keyring none", "open none: no such file or directory"),
        ("--key One --keyring passphrase", "openpgp: invalid data: tag byte does not have MSB set"),
        (
            "--key Two --keyring secret.gpg",
            "the key \"Two Signer <two@example.com>\" is locked: name the file with its passphrase in \
             --passphrase-file (- for standard input)",
        ),
        (
            "--key Two --keyring secret.gpg --passphrase-file wrong",
            "openpgp: invalid data: private key checksum failure",
        ),
        ("--key Two --keyring secret.gpg --passphrase-file nothing", "EOF"),
        (
            "--key Two --keyring secret.gpg --passphrase-file -",
            "specified reading passphrase from stdin, without input on stdin",
        ),
    ] {
        let (stdout, stderr) = ran(place.path(), &format!("package c -d out --sign {flags}"));
        assert_eq!((stdout.as_str(), stderr), ("", format!("Error: {error}\n")), "{flags}");
    }
    assert!(!place.path().join("out").exists());
}

#[test]
fn what_does_not_hold_is_not_believed() {
    let place = place();
    assert_eq!(ran(place.path(), "package c --sign --key One --keyring secret.gpg").1, "");
    let read = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    let (archive, signature) = (read("c-1.2.3.tgz"), read("c-1.2.3.tgz.prov"));
    let text = String::from_utf8(signature.clone()).unwrap();
    let check = |name: &str, archive: &[u8], signature: &str, keyring: &str| {
        std::fs::write(place.path().join(name), archive).unwrap();
        std::fs::write(place.path().join(format!("{name}.prov")), signature).unwrap();
        let (stdout, stderr) = ran(place.path(), &format!("verify {name} --keyring {keyring}"));
        assert_eq!(stdout, "");
        stderr.trim_start_matches("Error: ").trim_end().to_owned()
    };
    let longer = [archive.as_slice(), b"x"].concat();
    let name = "c-1.2.3.tgz";
    let wrong = check(name, &longer, &text, "public.gpg");
    assert!(wrong.starts_with("sha256 sum does not match for c-1.2.3.tgz: \"sha256:"), "{wrong}");
    let broken_armour = text.replace("-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP SIGNATURE----");
    let no_key = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n";
    std::fs::write(place.path().join("broken.asc"), no_key).unwrap();
    std::fs::write(place.path().join("message.asc"), text.replace(" SIGNED MESSAGE", " MESSAGE")).unwrap();
    for (name, signature, keyring, error) in [
        (name, text.as_str(), "other.gpg", "openpgp: signature made by unknown entity"),
        (name, &text, "nothing", "openpgp: signature made by unknown entity"),
        (
            name,
            &text,
            "passphrase",
            "failed to load keyring: openpgp: invalid data: tag byte does not have MSB set",
        ),
        (name, &text, "none", "failed to load keyring: open none: no such file or directory"),
        (
            name,
            &text,
            "broken.asc",
            "failed to load keyring: reading armored keyring broken.asc: no keys found",
        ),
        (
            name,
            &text.replace("name: c\n", "name: d\n"),
            "public.gpg",
            "openpgp: invalid signature: EdDSA verification failure",
        ),
        (name, &broken_armour, "public.gpg", "signature block not found"),
        (name, "", "public.gpg", "signature block not found"),
        (
            "d-1.2.3.tgz",
            &text,
            "public.gpg",
            "provenance does not contain a SHA for a file named \"d-1.2.3.tgz\"",
        ),
    ] {
        assert_eq!(check(name, &archive, signature, keyring), error, "{keyring}");
    }
    std::fs::remove_file(place.path().join("c-1.2.3.tgz.prov")).unwrap();
    let missing =
        "could not load provenance file c-1.2.3.tgz.prov: stat c-1.2.3.tgz.prov: no such file or directory";
    let (_, stderr) = ran(place.path(), "verify c-1.2.3.tgz --keyring public.gpg");
    assert_eq!(stderr, format!("Error: {missing}\n"));
    let (_, stderr) = ran(place.path(), "template c-1.2.3.tgz --verify --keyring public.gpg");
    assert!(stderr.contains("could not load provenance file"), "{stderr}");
    let (_, stderr) = ran(place.path(), "verify c --keyring public.gpg");
    assert_eq!(stderr, "Error: unpacked charts cannot be verified\n");
}

#[test]
fn a_signature_from_the_future_is_not_believed() {
    let place = place();
    assert_eq!(ran(place.path(), "package c --sign --key One --keyring secret.gpg").1, "");
    let (mut world, _, stderr) = World::new(place.path().to_owned(), BTreeMap::new());
    world.set_clock(|| UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let line = ["verify", "c-1.2.3.tgz", "--keyring", "public.gpg"].map(Into::into);
    run(&line, &mut world);
    assert_eq!(String::from_utf8(stderr.take()).unwrap(), "Error: openpgp: key expired\n");
}
