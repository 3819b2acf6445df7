//! A reader that limits how much an archive may hold between two files.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// The headers of one entry of a tar archive, long names and pax records included. They are read into memory before
/// anybody sees the entry; Go's reader takes one mebibyte for each.
const LARGEST_HEADERS: u64 = 4 << 20;

/// Passes on what another reader returns, up to a limit; then it fails with [`io::ErrorKind::FileTooLarge`].
#[derive(Debug)]
pub struct Metered<R> {
    input: R,
    meter: Meter,
}

/// How many bytes a [`Metered`] reader may still return.
#[derive(Debug, Clone)]
pub struct Meter {
    /// Up to the next entry.
    entry: Rc<Cell<u64>>,
    /// In total.
    total: Rc<Cell<u64>>,
}

impl<R: Read> Metered<R> {
    /// A reader that returns at most this many bytes in total, with its meter.
    pub fn new(input: R, total: u64) -> (Self, Meter) {
        let meter = Meter { entry: Rc::new(Cell::new(LARGEST_HEADERS)), total: Rc::new(Cell::new(total)) };
        (Metered { input, meter: meter.clone() }, meter)
    }
}

impl Meter {
    /// Starts an entry whose content has this many bytes: they and the headers of the next entry may be read.
    pub fn begin_entry(&self, size: u64) {
        self.entry.set(size.saturating_add(LARGEST_HEADERS));
    }

    /// Whether the reader failed because headers were too large rather than the whole archive.
    pub fn is_in_headers(&self) -> bool {
        self.entry.get() == 0
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for left in [&self.meter.entry, &self.meter.total] {
            match left.get().checked_sub(count as u64) {
                Some(fewer) => left.set(fewer),
                None => {
                    left.set(0);
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_the_total_size_are_limited() {
        let (mut reader, meter) = Metered::new(io::repeat(0), 100 << 20);
        let mut buffer = vec![0; 1 << 20];
        for _ in 0..4 {
            reader.read_exact(&mut buffer).unwrap();
        }
        meter.begin_entry(2 << 20);
        for _ in 0..6 {
            reader.read_exact(&mut buffer).unwrap();
        }
        assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(meter.is_in_headers());
        let (mut reader, meter) = Metered::new(io::repeat(0), 10);
        assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(!meter.is_in_headers());
    }
}
