//! Hash sums in hexadecimal digits.

use sha2::{Digest, Sha256};

/// The SHA-256 sum in hexadecimal digits.
pub fn sha256_text(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

/// The MD5 sum in hexadecimal digits. It is short enough to be implemented here (RFC 1321), and its crate
/// depends on an older family of hash crates than the others.
pub fn md5_text(bytes: &[u8]) -> String {
    digits(&md5(bytes))
}

/// Bytes in hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rotation of each step of a round: four numbers per round, repeated.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

fn md5(bytes: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    // The integer part of 2³² times the sine of each step.
    let sines: [u32; 64] =
        std::array::from_fn(|step| ((step as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32);
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        mix(&mut state, block, &sines);
    }
    let mut end = rest.to_vec();
    end.push(0x80);
    end.resize(end.len().next_multiple_of(64), 0);
    if rest.len() >= 56 {
        end.resize(128, 0);
    }
    let length = end.len() - 8;
    end.truncate(length);
    end.extend_from_slice(&(bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in end.as_chunks::<64>().0 {
        mix(&mut state, block, &sines);
    }
    let mut sum = [0; 16];
    for (part, word) in sum.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *part = word.to_le_bytes();
    }
    sum
}

fn mix(state: &mut [u32; 4], block: &[u8; 64], sines: &[u32; 64]) {
    let words: [u32; 16] = std::array::from_fn(|index| {
        let [a, b, c, d] = std::array::from_fn(|byte| block[index * 4 + byte]);
        u32::from_le_bytes([a, b, c, d])
    });
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64 {
        let round = step / 16;
        let (mixed, word) = match round {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(sines[step]).wrapping_add(words[word % 16]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(TURNS[round][step % 4]));
    }
    for (word, part) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        for (given, sum) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a",
            ),
        ] {
            assert_eq!(md5_text(given.as_bytes()), sum, "{given}");
        }
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_text(b""), empty);
    }

    /// The sums of `x` repeated, around the length of a block.
    #[test]
    fn lengths_around_a_block() {
        for (length, sum) in LENGTHS {
            assert_eq!(md5_text("x".repeat(*length).as_bytes()), *sum, "{length}");
        }
    }

    const LENGTHS: &[(usize, &str)] = &[
        (55, "04364420e25c512fd958a70738aa8f72"),
        (56, "668a72d5ba17f08e62dabcafad6db14b"),
        (57, "693037871c4a9d3d8685018905cb530a"),
        (63, "7dc2ca208106a2f703567bdff99d8981"),
        (64, "c1bb4f81d892b2d57947682aeb252456"),
        (65, "1bc932052302d074bdec39795fe00cf6"),
        (119, "ab347a5f68c8a443cfcddc633f12c24f"),
        (120, "fb98667f98096de92620b64f46e1c5b5"),
        (128, "d69cb61a6ee87200676eb0d4b90edbcb"),
    ];
}
