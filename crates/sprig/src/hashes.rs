//! Hash sums of strings.

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use trueline_gostd::hash::digits;
use trueline_gotemplate::{Context, Error, Function, Type, Value};

use crate::argument::text;
use crate::define::fixed;

const TEXT: &[Type] = &[Type::String];

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("sha1sum", TEXT, sha1sum, "STRING", "The SHA-1 sum in hexadecimal digits."),
    fixed("sha256sum", TEXT, sha256sum, "STRING", "The SHA-256 sum in hexadecimal digits."),
    fixed("sha512sum", TEXT, sha512sum, "STRING", "The SHA-512 sum in hexadecimal digits."),
    fixed("adler32sum", TEXT, adler32sum, "STRING", "The Adler-32 sum as a decimal number."),
];

fn hexadecimal(bytes: &[u8]) -> Value {
    Value::from(digits(bytes))
}

fn sha1sum(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    context.spend(text(arguments, 0).len() as u64 / 8)?;
    Ok(hexadecimal(&Sha1::digest(text(arguments, 0).as_bytes())))
}

fn sha256sum(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    context.spend(text(arguments, 0).len() as u64 / 8)?;
    Ok(hexadecimal(&Sha256::digest(text(arguments, 0).as_bytes())))
}

fn sha512sum(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    context.spend(text(arguments, 0).len() as u64 / 8)?;
    Ok(hexadecimal(&Sha512::digest(text(arguments, 0).as_bytes())))
}

fn adler32sum(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    context.spend(text(arguments, 0).len() as u64 / 8)?;
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in text(arguments, 0).as_bytes() {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    Ok(Value::from((high << 16 | low).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn sums() {
        for (name, given, expected) in [
            ("sha1sum", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("sha1sum", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("sha256sum", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("adler32sum", "abc", "38600999"),
            ("adler32sum", "", "1"),
        ] {
            assert_eq!(shown(call(FUNCTIONS, name, &[given.into()])), expected, "{name} {given}");
        }
        assert!(shown(call(FUNCTIONS, "sha512sum", &["abc".into()])).starts_with("ddaf35a193617abacc417349"));
    }
}
