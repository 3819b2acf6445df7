//! A gzip stream as Go reads it: member by member, with Go's error texts.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// What Go says of a stream that is not gzip.
pub(super) const INVALID_HEADER: &str = "gzip: invalid header";
/// What Go says of a stream that ends too early.
pub(super) const UNEXPECTED_END: &str = "unexpected EOF";

/// What a reader leaves for those above it, who have errors of their own.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Go's text of what stopped it.
    pub(super) stopped: Option<String>,
    /// How many bytes it has given.
    pub(super) given: usize,
}

/// The longest name or comment that Go takes in a header.
const LONGEST_NAME: usize = 512;

pub(super) struct Gunzip<'a> {
    rest: &'a [u8],
    member: Option<Member>,
    progress: Rc<RefCell<Progress>>,
}

struct Member {
    inflate: Decompress,
    crc: Crc,
}

impl<'a> Gunzip<'a> {
    /// A reader whose first header has been read, or Go's text of what is wrong with it.
    pub(super) fn new(bytes: &'a [u8], progress: Rc<RefCell<Progress>>) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err("EOF".to_owned());
        }
        let rest = header(bytes)?;
        Ok(Gunzip { rest, member: Some(Member::new()), progress })
    }

    fn stop<T>(&mut self, text: String) -> io::Result<T> {
        self.member = None;
        self.rest = &[];
        self.progress.borrow_mut().stopped = Some(text);
        Err(io::ErrorKind::InvalidData.into())
    }

    /// Reads the trailer of a member, and the header of the next one.
    fn end_of_member(&mut self) -> io::Result<()> {
        let Some(member) = self.member.take() else { return Ok(()) };
        let Some((trailer, rest)) = self.rest.split_first_chunk::<8>() else {
            return self.stop(UNEXPECTED_END.to_owned());
        };
        let [sum @ .., _, _, _, _] = *trailer;
        let [_, _, _, _, length @ ..] = *trailer;
        if u32::from_le_bytes(sum) != member.crc.sum() || u32::from_le_bytes(length) != member.crc.amount() {
            return self.stop("gzip: invalid checksum".to_owned());
        }
        self.rest = rest;
        if !rest.is_empty() {
            match header(rest) {
                Ok(rest) => {
                    self.rest = rest;
                    self.member = Some(Member::new());
                }
                Err(text) => return self.stop(text),
            }
        }
        Ok(())
    }
}

impl Member {
    fn new() -> Self {
        Member { inflate: Decompress::new(false), crc: Crc::new() }
    }
}

impl Read for Gunzip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let (read, written) = (member.inflate.total_in(), member.inflate.total_out());
            let status = member.inflate.decompress(self.rest, buffer, FlushDecompress::None);
            let taken = usize::try_from(member.inflate.total_in() - read).unwrap_or(usize::MAX);
            let given = usize::try_from(member.inflate.total_out() - written).unwrap_or(usize::MAX);
            let offset = member.inflate.total_in();
            member.crc.update(buffer.get(..given).unwrap_or_default());
            self.rest = self.rest.get(taken..).unwrap_or_default();
            match status {
                Err(_) => return self.stop(format!("flate: corrupt input before offset {offset}")),
                Ok(Status::StreamEnd) => self.end_of_member()?,
                Ok(Status::Ok | Status::BufError) if given == 0 && taken == 0 => {
                    return self.stop(UNEXPECTED_END.to_owned());
                }
                Ok(Status::Ok | Status::BufError) => {}
            }
            if given > 0 {
                self.progress.borrow_mut().given += given;
                return Ok(given);
            }
        }
        Ok(0)
    }
}

/// What follows a header.
fn header(bytes: &[u8]) -> Result<&[u8], String> {
    let end = || UNEXPECTED_END.to_owned();
    let invalid = || INVALID_HEADER.to_owned();
    let (fixed, mut rest) = bytes.split_first_chunk::<10>().ok_or_else(end)?;
    let [0x1f, 0x8b, 8, flags, ..] = *fixed else { return Err(invalid()) };
    if flags & 4 != 0 {
        let (length, behind) = rest.split_first_chunk::<2>().ok_or_else(end)?;
        rest = behind.get(usize::from(u16::from_le_bytes(*length))..).ok_or_else(end)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let length = rest.iter().position(|byte| *byte == 0);
            if length.unwrap_or(rest.len()) >= LONGEST_NAME {
                return Err(invalid());
            }
            rest = rest.get(length.ok_or_else(end)? + 1..).unwrap_or_default();
        }
    }
    if flags & 2 != 0 {
        let (sum, behind) = rest.split_first_chunk::<2>().ok_or_else(end)?;
        let mut crc = Crc::new();
        crc.update(bytes.get(..bytes.len() - rest.len()).unwrap_or_default());
        if u32::from(u16::from_le_bytes(*sum)) != crc.sum() & 0xffff {
            return Err(invalid());
        }
        rest = behind;
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let progress = Rc::default();
        let mut text = Vec::new();
        match Gunzip::new(bytes, Rc::clone(&progress))?.read_to_end(&mut text) {
            Ok(_) => Ok(text),
            Err(_) => Err(progress.take().stopped.unwrap()),
        }
    }

    #[test]
    fn members_are_read_one_after_the_other() {
        let long: Vec<u8> = (0..200_000u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(unpacked(&packed(&long)), Ok(long));
        assert_eq!(unpacked(&[packed(b"one "), packed(b"two")].concat()), Ok(b"one two".to_vec()));
        let named = GzBuilder::new().filename("n").comment("c").extra(vec![1, 2, 3]);
        let mut encoder = named.write(Vec::new(), Compression::fast());
        encoder.write_all(b"named").unwrap();
        assert_eq!(unpacked(&encoder.finish().unwrap()), Ok(b"named".to_vec()));
    }

    #[test]
    fn broken_streams_have_go_s_texts() {
        let whole = packed(b"some text that is long enough");
        let mut wrong_sum = whole.clone();
        let last = wrong_sum.len() - 6;
        wrong_sum[last] ^= 1;
        for (bytes, text) in [
            (&b""[..], "EOF"),
            (b"\x1f\x8b", "unexpected EOF"),
            (b"PK\x03\x04 no gzip at all", "gzip: invalid header"),
            (&whole[..whole.len() - 9], "unexpected EOF"),
            (&whole[..whole.len() - 1], "unexpected EOF"),
            (&wrong_sum, "gzip: invalid checksum"),
            (&[&whole[..], b"trailing bytes"].concat(), "gzip: invalid header"),
        ] {
            assert_eq!(unpacked(bytes), Err(text.to_owned()));
        }
    }
}
