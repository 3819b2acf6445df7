//! GnuPG's keybox (pubring.kbx): blobs with a length, a kind, and for OpenPGP the place of the keys inside.

const HEADER: u8 = 1;
const OPENPGP: u8 = 2;
/// Blobs with this flag are not part of the keyring yet.
const EPHEMERAL: u16 = 2;

pub(super) fn is_keybox(bytes: &[u8]) -> bool {
    bytes.get(4) == Some(&HEADER) && bytes.get(8..12) == Some(b"KBXf")
}

/// The OpenPGP keys of a keybox, one after the other.
pub(super) fn public_keys(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut keys = Vec::new();
    let mut offset = 0;
    while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
        let (Some(length), Some(kind)) = (number(rest, 0), rest.get(4)) else {
            return Err(format!("truncated blob header at offset {offset}"));
        };
        if length < 5 {
            return Err(format!("invalid blob length {length} at offset {offset}"));
        }
        let blob = rest.get(..length).ok_or_else(|| {
            let left = rest.len();
            format!("blob at offset {offset} has length {length} exceeding the {left} remaining bytes")
        })?;
        if *kind == OPENPGP {
            let (Some(start), Some(size)) = (number(blob, 8), number(blob, 12)) else {
                return Err(format!("OpenPGP blob at offset {offset} is too short"));
            };
            let key = blob.get(start..start.saturating_add(size));
            let key =
                key.ok_or_else(|| format!("OpenPGP blob at offset {offset} has an out-of-range keyblock"))?;
            let flags = blob.get(6..8).and_then(|flags| flags.try_into().ok()).map_or(0, u16::from_be_bytes);
            if flags & EPHEMERAL == 0 {
                keys.extend_from_slice(key);
            }
        }
        offset = offset.saturating_add(length);
    }
    if keys.is_empty() { Err("keybox contains no OpenPGP keys".to_owned()) } else { Ok(keys) }
}

/// A number of four bytes, the largest first.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(kind: u8, flags: u8, key: &[u8]) -> Vec<u8> {
        let length = u8::try_from(16 + key.len()).unwrap();
        let size = u8::try_from(key.len()).unwrap();
        [&[0, 0, 0, length, kind, 1, 0, flags, 0, 0, 0, 16, 0, 0, 0, size], key].concat()
    }

    #[test]
    fn keys_are_taken_out_of_their_blobs() {
        let mut header = blob(1, 0, b"");
        header[8..12].copy_from_slice(b"KBXf");
        let keybox =
            [header.clone(), blob(2, 0, b"ab"), blob(3, 0, b"x"), blob(2, 2, b"y"), blob(2, 0, b"c")]
                .concat();
        assert!(is_keybox(&keybox) && !is_keybox(b"KBXf"));
        assert_eq!(public_keys(&keybox).unwrap(), b"abc");
        let mut beyond = blob(2, 0, b"ab");
        beyond[15] = 200;
        for (bytes, error) in [
            (header.clone(), "keybox contains no OpenPGP keys"),
            (b"\0\0\0".to_vec(), "truncated blob header at offset 0"),
            (b"\0\0\0\x04\x02".to_vec(), "invalid blob length 4 at offset 0"),
            (b"\0\0\0\x09\x02".to_vec(), "blob at offset 0 has length 9 exceeding the 5 remaining bytes"),
            (b"\0\0\0\x06\x02\x01".to_vec(), "OpenPGP blob at offset 0 is too short"),
            (beyond, "OpenPGP blob at offset 0 has an out-of-range keyblock"),
        ] {
            assert_eq!(public_keys(&bytes).unwrap_err(), error);
        }
    }
}
