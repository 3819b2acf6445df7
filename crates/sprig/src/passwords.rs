//! Passwords: hashing, deriving, and encrypting strings with one.

use aes::Aes256;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use trueline_gostd::base64::STANDARD;
use trueline_gotemplate::{Context, Data, Error, Function, Type, UintKind, Value};

use crate::argument::{integer, text};
use crate::crypto::STEPS_PER_MICROSECOND;
use crate::define::fixed;

const TEXT: &[Type] = &[Type::String];
const TWO_TEXTS: &[Type] = &[Type::String, Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("bcrypt", TEXT, bcrypt, "PASSWORD", "The bcrypt hash of the password."),
    fixed(
        "htpasswd",
        TWO_TEXTS,
        htpasswd,
        "USER PASSWORD",
        "A line for an htpasswd file, with a bcrypt hash.",
    ),
    fixed(
        "derivePassword",
        &[Type::Uint(UintKind::Uint32), Type::String, Type::String, Type::String, Type::String],
        derive_password,
        "COUNTER TYPE PASSWORD USER SITE",
        "The password for a site, derived from a master password.",
    ),
    fixed(
        "encryptAES",
        TWO_TEXTS,
        encrypt_aes,
        "PASSWORD STRING",
        "The string encrypted with AES-256 in CBC mode, in base64.",
    ),
    fixed("decryptAES", TWO_TEXTS, decrypt_aes, "PASSWORD STRING", "The string that `encryptAES` encrypted."),
];

/// The default cost of Go's library.
const BCRYPT_COST: u32 = 10;

/// Both hashes are slow by design.
const BCRYPT_STEPS: u64 = 80_000 * STEPS_PER_MICROSECOND;
const SCRYPT_STEPS: u64 = 220_000 * STEPS_PER_MICROSECOND;

fn bcrypt_hash(context: &mut dyn Context, password: &[u8]) -> Result<String, Error> {
    context.spend(BCRYPT_STEPS)?;
    let mut salt = [0; 16];
    context.environment().random(&mut salt);
    let hashed = if password.len() > 72 {
        Err("bcrypt: password length exceeds 72 bytes".to_owned())
    } else {
        bcrypt::hash_with_salt(password, BCRYPT_COST, salt).map_err(|problem| problem.to_string())
    };
    Ok(match hashed {
        Ok(parts) => parts.format_for_version(bcrypt::Version::TwoA),
        Err(problem) => format!("failed to encrypt string with bcrypt: {problem}"),
    })
}

fn bcrypt(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    bcrypt_hash(context, text(arguments, 0).as_bytes()).map(Value::from)
}

fn htpasswd(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let user = text(arguments, 0);
    let mut line = if user.as_bytes().contains(&b':') { b"invalid username: ".to_vec() } else { Vec::new() };
    line.extend_from_slice(user.as_bytes());
    if !user.as_bytes().contains(&b':') {
        line.push(b':');
        line.extend(bcrypt_hash(context, text(arguments, 1).as_bytes())?.into_bytes());
    }
    Ok(Value::new(Data::String(line.into())))
}

/// The shapes of derived passwords; each letter stands for a class of characters.
const SHAPES: &[(&str, &[&str])] = &[
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

fn class(letter: u8) -> &'static [u8] {
    match letter {
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

fn derive_password(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let [kind, password, user, site] = [1, 2, 3, 4].map(|index| text(arguments, index));
    let counter = u32::try_from(integer(arguments, 0)).unwrap_or(0);
    let Some((_, shapes)) = SHAPES.iter().find(|(name, _)| name.as_bytes() == kind.as_bytes()) else {
        return Ok(Value::from(format!("cannot find password template {}", kind.text())));
    };
    context.spend(SCRYPT_STEPS)?;
    let scoped =
        |name: &[u8]| [&b"com.lyndir.masterpassword"[..], &(name.len() as u32).to_be_bytes(), name].concat();
    let failed = |_| Error::new("failed to derive password");
    let mut key = [0; 64];
    let cost = scrypt::Params::new(15, 8, 2).map_err(|problem| Error::new(problem.to_string()))?;
    scrypt::scrypt(password.as_bytes(), &scoped(user.as_bytes()), &cost, &mut key)
        .map_err(|problem| Error::new(problem.to_string()))?;
    let mut seeded = <Hmac<Sha256> as KeyInit>::new_from_slice(&key).map_err(failed)?;
    seeded.update(&scoped(site.as_bytes()));
    seeded.update(&counter.to_be_bytes());
    let seed = seeded.finalize().into_bytes();
    let (first, rest) = seed.split_first().unwrap_or((&0, &[]));
    let shape = shapes.get(usize::from(*first) % shapes.len().max(1)).copied().unwrap_or_default();
    let derived: String = shape
        .bytes()
        .zip(rest)
        .filter_map(|(letter, byte)| {
            let class = class(letter);
            class.get(usize::from(*byte) % class.len().max(1)).copied().map(char::from)
        })
        .collect();
    Ok(Value::from(derived))
}

const BLOCK: usize = 16;

/// The cipher for a password, which is truncated or padded with zeros to the length of a key.
fn cipher(password: &[u8]) -> Aes256 {
    let mut key = [0; 32];
    for (place, byte) in key.iter_mut().zip(password) {
        *place = *byte;
    }
    Aes256::new(&key.into())
}

fn encrypt_aes(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let plain = text(arguments, 1);
    if plain.is_empty() {
        return Ok(Value::from(""));
    }
    let cipher = cipher(text(arguments, 0).as_bytes());
    let padding = BLOCK - plain.len() % BLOCK;
    let padded = [plain.as_bytes(), &vec![padding as u8; padding]].concat();
    let mut previous = [0; BLOCK];
    context.environment().random(&mut previous);
    let mut out = previous.to_vec();
    for chunk in padded.chunks_exact(BLOCK) {
        let mut block: Block<Aes256> = previous.into();
        block.iter_mut().zip(chunk).for_each(|(place, byte)| *place ^= byte);
        cipher.encrypt_block(&mut block);
        previous = block.into();
        out.extend_from_slice(&previous);
    }
    Ok(Value::from(STANDARD.encode(&out)))
}

fn decrypt_aes(_: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    let given = text(arguments, 1);
    if given.is_empty() {
        return Ok(Value::from(""));
    }
    let bytes = STANDARD.decode(given.as_bytes()).map_err(|wrong| Error::new(wrong.to_string()))?;
    let Some((start, encrypted)) = bytes.split_first_chunk::<BLOCK>() else {
        // Go allocates according to the length of the string.
        let room = given.len() / 4 * 3;
        return Err(Error::new(format!(
            "runtime error: slice bounds out of range [:16] with capacity {room}"
        )));
    };
    if encrypted.len() % BLOCK != 0 {
        return Err(Error::new("crypto/cipher: input not full blocks"));
    }
    let cipher = cipher(text(arguments, 0).as_bytes());
    let mut plain = Vec::with_capacity(encrypted.len());
    let mut previous = *start;
    for chunk in encrypted.chunks_exact(BLOCK) {
        let Ok(chunk) = <[u8; BLOCK]>::try_from(chunk) else { continue };
        let mut block: Block<Aes256> = chunk.into();
        cipher.decrypt_block(&mut block);
        plain.extend(block.iter().zip(previous).map(|(byte, mask)| byte ^ mask));
        previous = chunk;
    }
    let Some(padding) = plain.last().copied().map(usize::from) else {
        return Err(Error::new("runtime error: index out of range [-1]"));
    };
    match plain.len().checked_sub(padding) {
        Some(length) => plain.truncate(length),
        None => {
            let missing = padding - plain.len();
            return Err(Error::new(format!("runtime error: slice bounds out of range [:-{missing}]")));
        }
    }
    Ok(Value::new(Data::String(plain.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, counts_first, shown};

    #[test]
    fn slow_functions_are_counted() {
        let counter = Value::new(Data::Uint(UintKind::Uint32, 1));
        let texts = ["long", "p", "u", "s"].map(Value::from);
        for (name, arguments) in [
            ("bcrypt", vec!["p".into()]),
            ("htpasswd", vec!["u".into(), "p".into()]),
            ("derivePassword", [vec![counter], texts.to_vec()].concat()),
        ] {
            assert!(counts_first(FUNCTIONS, name, &arguments), "{name}");
        }
    }

    #[test]
    fn hashes() {
        let hash = shown(call(FUNCTIONS, "bcrypt", &["secret".into()]));
        assert!(hash.starts_with("$2a$10$") && hash.len() == 60, "{hash}");
        assert!(bcrypt::verify("secret", &hash).unwrap());
        assert_eq!(
            shown(call(FUNCTIONS, "bcrypt", &["x".repeat(73).into()])),
            "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
        );
        assert!(shown(call(FUNCTIONS, "htpasswd", &["u".into(), "p".into()])).starts_with("u:$2a$10$"));
        assert_eq!(shown(call(FUNCTIONS, "htpasswd", &["u:v".into(), "p".into()])), "invalid username: u:v");
    }

    #[test]
    fn derived() {
        let derive = |counter: u64, kind: &str, password: &str, user: &str, site: &str| {
            let counter = Value::new(Data::Uint(UintKind::Uint32, counter));
            let texts = [kind, password, user, site].map(Value::from);
            shown(call(FUNCTIONS, "derivePassword", &[vec![counter], texts.to_vec()].concat()))
        };
        assert_eq!(derive(1, "long", "password", "user", "example.com"), "ZedaFaxcZaso9*");
        assert_eq!(derive(2, "pin", "password", "user", "example.com").len(), 4);
        assert_eq!(derive(1, "bogus", "p", "u", "s"), "cannot find password template bogus");
    }

    #[test]
    fn encrypted() {
        for plain in ["a", "exactly 16 bytes", "somewhat longer than a block"] {
            let encrypted = call(FUNCTIONS, "encryptAES", &["key".into(), plain.into()]).unwrap();
            assert_eq!(shown(call(FUNCTIONS, "decryptAES", &["key".into(), encrypted])), plain);
        }
        for (given, expected) in [
            ("", ""),
            ("30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ=", "plaintext"),
            ("!", "illegal base64 data at input byte 0"),
            ("AQID", "runtime error: slice bounds out of range [:16] with capacity 3"),
            ("AQIDBAUGBwgJCgsMDQ4PEA==", "runtime error: index out of range [-1]"),
            ("AQIDBAUGBwgJCgsMDQ4PEBE=", "crypto/cipher: input not full blocks"),
        ] {
            assert_eq!(
                shown(call(FUNCTIONS, "decryptAES", &["secretkey".into(), given.into()])),
                expected,
                "{given}"
            );
        }
    }
}
