//! A tar archive as Go's `archive/tar` writes it: plain headers where they are enough, and an extended header for a
//! path that does not fit into one.

/// Archives are made of blocks.
const BLOCK: usize = 512;
/// Bytes of a header for the path, and for what stands before it.
const NAME: usize = 100;
const PREFIX: usize = 155;
/// The latest time that a header has room for.
const LATEST: i64 = 0o777_7777_7777;

/// An archive in the making.
#[derive(Debug, Default)]
pub(super) struct Tar {
    out: Vec<u8>,
}

/// The kinds of entries that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TarEntry {
    File = b'0' as isize,
    Extended = b'x' as isize,
}

impl Tar {
    /// Adds a file that everybody may read; times are seconds since 1970.
    pub(super) fn file(&mut self, path: &str, content: &[u8], modified: i64) {
        let modified = modified.clamp(0, LATEST);
        match split(path) {
            Some((prefix, name)) => self.entry(TarEntry::File, prefix, name, content, modified),
            None => {
                let record = record("path", path);
                let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
                let extended = if directory.is_empty() {
                    format!("PaxHeaders.0/{name}")
                } else {
                    format!("{directory}/PaxHeaders.0/{name}")
                };
                let extended = shortened(&extended);
                self.entry(TarEntry::Extended, "", extended.trim_end_matches('/'), record.as_bytes(), 0);
                let name = shortened(path);
                self.entry(TarEntry::File, "", name.trim_end_matches('/'), content, modified);
            }
        }
    }

    /// The archive with its end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.out.extend([0; 2 * BLOCK]);
        self.out
    }

    fn entry(&mut self, kind: TarEntry, prefix: &str, name: &str, content: &[u8], modified: i64) {
        let is_file = kind == TarEntry::File;
        let mut header = Header { bytes: [0; BLOCK] };
        header.put(0, name.as_bytes());
        header.octal(100, 8, if is_file { 0o644 } else { 0 });
        header.octal(108, 8, 0);
        header.octal(116, 8, 0);
        header.octal(124, 12, content.len() as i64);
        header.octal(136, 12, modified);
        header.put(156, &[kind as u8]);
        header.put(257, b"ustar\x0000");
        if is_file {
            header.octal(329, 8, 0);
            header.octal(337, 8, 0);
        }
        header.put(345, prefix.as_bytes());
        header.seal();
        self.out.extend_from_slice(&header.bytes);
        self.out.extend_from_slice(content);
        self.out.resize(self.out.len().next_multiple_of(BLOCK), 0);
    }
}

struct Header {
    bytes: [u8; BLOCK],
}

impl Header {
    fn put(&mut self, at: usize, text: &[u8]) {
        for (place, byte) in self.bytes.iter_mut().skip(at).zip(text) {
            *place = *byte;
        }
    }

    /// A number with leading zeros and a zero byte after it.
    fn octal(&mut self, at: usize, width: usize, number: i64) {
        self.put(at, format!("{number:0width$o}", width = width - 1).as_bytes());
    }

    /// The sum over all bytes, its own counted as blanks.
    fn seal(&mut self) {
        self.put(148, b"        ");
        let sum: i64 = self.bytes.iter().map(|byte| i64::from(*byte)).sum();
        self.octal(148, 7, sum);
        self.put(154, b"\0 ");
    }
}

/// A path in the two parts that a header has room for; nothing where it does not fit.
fn split(path: &str) -> Option<(&str, &str)> {
    if !path.is_ascii() {
        return None;
    }
    if path.len() <= NAME {
        return Some(("", path));
    }
    let (prefix, name) = path.split_at_checked(path.get(..path.len().min(PREFIX + 1))?.rfind('/')?)?;
    let name = name.strip_prefix('/')?;
    let fits = !prefix.is_empty() && !name.is_empty() && name.len() <= NAME;
    fits.then_some((prefix, name))
}

/// As much of a path as every reader understands.
fn shortened(path: &str) -> String {
    path.chars().filter(|character| character.is_ascii() && *character != '\0').take(NAME).collect()
}

/// A record of an extended header: its length counts the digits of the length too.
fn record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + " =\n".len();
    let mut length = rest + rest.to_string().len();
    if rest + length.to_string().len() != length {
        length = rest + length.to_string().len();
    }
    format!("{length} {key}={value}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn written(paths: &[&str]) -> Vec<(String, String, u64)> {
        let mut tar = Tar::default();
        for path in paths {
            tar.file(path, path.as_bytes(), 1_600_000_000);
        }
        let bytes = tar.finish();
        assert_eq!(bytes.len() % BLOCK, 0);
        let mut archive = tar::Archive::new(bytes.as_slice());
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
            let modified = entry.header().mtime().unwrap();
            assert_eq!(entry.header().mode().unwrap(), 0o644);
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            (path, content, modified)
        });
        entries.collect()
    }

    #[test]
    fn what_is_written_can_be_read() {
        let long = format!("c/{}/{}.txt", "d".repeat(90), "e".repeat(80));
        let longer = format!("c/{}.txt", "f".repeat(200));
        let much_longer = format!("c/{}/{}", "g".repeat(160), "h".repeat(100));
        let paths = ["c/Chart.yaml", "c/files/é.txt", &long, &longer, &much_longer];
        let expected: Vec<_> =
            paths.iter().map(|path| (path.to_string(), path.to_string(), 1_600_000_000)).collect();
        assert_eq!(written(&paths), expected);
    }

    #[test]
    fn paths_are_split_only_where_they_fit() {
        let part = "d".repeat(90);
        assert_eq!(split("a/b"), Some(("", "a/b")));
        assert_eq!(split(&format!("{part}/{part}")), Some((part.as_str(), part.as_str())));
        assert_eq!(split(&"e".repeat(101)), None);
        assert_eq!(split("é"), None);
    }

    #[test]
    fn records_count_themselves() {
        for length in [1, 80, 86, 87, 88, 89, 90, 91, 980, 987, 988, 989, 990] {
            let record = record("path", &"x".repeat(length));
            assert!(record.starts_with(&format!("{} path=", record.len())), "{length}");
        }
    }
}
