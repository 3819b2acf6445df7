//! Files inside a tar archive, compressed with gzip or not, unpacked into memory, never to disk.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::metered::Metered;
use super::{Entry, EntryKind, LoadError, LoadErrorKind, Loader, normalize_path};

/// How much an archive may hold. One that holds more is refused as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bytes after decompression, headers and padding included.
    pub unpacked: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Entries of any kind.
    pub entries: usize,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        ArchiveLimits { unpacked: 256 << 20, file: 64 << 20, entries: 100_000 }
    }
}

/// A loader over the files of one archive.
#[derive(Debug, Clone)]
pub struct ArchiveLoader {
    nodes: Arc<BTreeMap<String, Node>>,
    root: String,
    name: String,
}

#[derive(Debug, Clone)]
enum Node {
    File {
        bytes: Arc<[u8]>,
        executable: bool,
    },
    Directory,
    /// A symbolic or hard link to a path of the archive.
    Link(String),
    /// A device, or a link that leads out of the archive.
    Other,
}

/// As many links as Linux follows before it reports a loop.
const MAX_LINKS: usize = 40;

impl ArchiveLoader {
    /// Unpacks a `.tar` or `.tgz`; `name` is prepended to every path shown to a user.
    ///
    /// An entry whose path is absolute or leaves the archive makes the whole archive invalid: nobody writes one
    /// by accident. Links that leave it are listed as [`EntryKind::Other`] and never followed.
    pub fn new(name: impl Into<String>, bytes: &[u8], limits: ArchiveLimits) -> Result<Self, LoadError> {
        let name = name.into();
        let nodes = if bytes.starts_with(&[0x1f, 0x8b]) {
            unpack(&name, MultiGzDecoder::new(bytes), limits)?
        } else {
            unpack(&name, bytes, limits)?
        };
        Ok(ArchiveLoader { nodes: Arc::new(nodes), root: String::new(), name })
    }

    /// The path inside the archive that `path` leads to, with every link followed, and what is there.
    fn resolve(&self, path: &str) -> Result<(String, Option<&Node>), LoadError> {
        let wanted = join(&self.root, &normalize_path(path)?);
        let failed = |kind| LoadError::new(kind, path);
        let mut waiting: Vec<String> = wanted.split('/').rev().map(str::to_owned).collect();
        let mut here = String::new();
        let mut links = 0;
        while let Some(part) = waiting.pop() {
            if part.is_empty() {
                continue;
            }
            let next = join(&here, &part);
            match self.nodes.get(&next) {
                Some(Node::Link(target)) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(failed(LoadErrorKind::Other).with_detail("its links form a loop"));
                    }
                    waiting.extend(target.split('/').rev().map(str::to_owned));
                    here.clear();
                }
                Some(Node::File { .. } | Node::Other) if waiting.iter().any(|part| !part.is_empty()) => {
                    return Err(failed(LoadErrorKind::NotFound));
                }
                _ => here = next,
            }
        }
        // A link inside a scoped directory must not leave it either.
        if !self.root.is_empty() && here != self.root && !here.starts_with(&format!("{}/", self.root)) {
            return Err(failed(LoadErrorKind::Outside));
        }
        let node = self.nodes.get(&here);
        if node.is_none() && !here.is_empty() && self.below(&here).next().is_none() {
            return Err(failed(LoadErrorKind::NotFound));
        }
        Ok((here, node))
    }

    fn below<'a>(&'a self, directory: &str) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let length = prefix.len();
        self.nodes
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, node)| (&path[length..], node))
    }

    fn is_link(&self, path: &str) -> bool {
        normalize_path(path)
            .is_ok_and(|path| matches!(self.nodes.get(&join(&self.root, &path)), Some(Node::Link(_))))
    }
}

impl Loader for ArchiveLoader {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        match self.resolve(path)?.1 {
            Some(Node::File { bytes, .. }) => Ok(bytes.to_vec()),
            Some(Node::Other) => Err(LoadError::new(LoadErrorKind::Outside, path)),
            _ => Err(LoadError::new(LoadErrorKind::WrongKind, path)),
        }
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let (directory, node) = self.resolve(path)?;
        if !matches!(node, None | Some(Node::Directory)) {
            return Err(LoadError::new(LoadErrorKind::WrongKind, path));
        }
        let base = directory.strip_prefix(&self.root).unwrap_or_default().trim_start_matches('/').to_owned();
        let mut names: Vec<&str> = self
            .below(&directory)
            .filter_map(|(below, _)| below.split('/').next())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(|name| self.entry(&join(&base, name))).collect()
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let name = normalize_path(path)?.rsplit('/').next().unwrap_or_default().to_owned();
        let (kind, length, executable) = match self.resolve(path) {
            Ok((_, Some(Node::File { bytes, executable }))) => {
                (EntryKind::File, bytes.len() as u64, *executable)
            }
            Ok((_, None | Some(Node::Directory))) => (EntryKind::Directory, 0, false),
            Ok(_) => (EntryKind::Other, 0, false),
            Err(_) if self.is_link(path) => (EntryKind::Other, 0, false),
            Err(error) => return Err(error),
        };
        Ok(Entry { name, kind, length, executable, link: self.is_link(path) })
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        match self.resolve(path)? {
            (root, None | Some(Node::Directory)) => {
                Ok(Arc::new(ArchiveLoader { nodes: Arc::clone(&self.nodes), root, name: self.name.clone() }))
            }
            _ => Err(LoadError::new(LoadErrorKind::WrongKind, path)),
        }
    }

    fn follow(&self, path: &str) -> Result<String, LoadError> {
        let (inside, _) = self.resolve(path)?;
        Ok(inside.strip_prefix(&self.root).unwrap_or_default().trim_start_matches('/').to_owned())
    }

    fn display(&self, path: &str) -> String {
        let inside = normalize_path(path).map_or_else(|_| path.to_owned(), |path| join(&self.root, &path));
        join(&self.name, &inside)
    }
}

fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", name) => name.to_owned(),
        (directory, "") => directory.to_owned(),
        (directory, name) => format!("{directory}/{name}"),
    }
}

fn unpack(name: &str, input: impl Read, limits: ArchiveLimits) -> Result<BTreeMap<String, Node>, LoadError> {
    let too_large = |detail: String| LoadError::new(LoadErrorKind::TooLarge, name).with_detail(detail);
    let over = || too_large(format!("it is larger than {} bytes when unpacked", limits.unpacked));
    // The limit applies to what the decompressor produces, so neither the bytes nor the headers of a
    // decompression bomb are ever held in memory.
    let (input, meter) = Metered::new(input, limits.unpacked);
    let mut archive = Archive::new(input);
    let broken = |error: io::Error| match error.kind() {
        io::ErrorKind::FileTooLarge if meter.is_in_headers() => {
            too_large("the name of one of its entries is too long".to_owned())
        }
        io::ErrorKind::FileTooLarge => over(),
        _ => LoadError::new(LoadErrorKind::Other, name).with_detail("it is not a complete tar archive"),
    };
    let mut nodes = BTreeMap::new();
    let mut unpacked = 0;
    for (index, entry) in archive.entries().map_err(broken)?.enumerate() {
        let mut entry = entry.map_err(broken)?;
        if index >= limits.entries {
            return Err(too_large(format!("it has more than {} entries", limits.entries)));
        }
        meter.begin_entry(entry.size().min(limits.unpacked));
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            continue;
        }
        let written = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = normalize_path(&written).map_err(|_| {
            LoadError::new(LoadErrorKind::Outside, name)
                .with_detail(format!("its entry `{}` points outside the archive", printable(&written)))
        })?;
        if path.is_empty() {
            continue;
        }
        let node = match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let bound = limits.file.min(limits.unpacked.saturating_sub(unpacked));
                let mut bytes = Vec::new();
                // The reader fills in the holes of a sparse file, so the limit is needed here as well.
                (&mut entry).take(bound.saturating_add(1)).read_to_end(&mut bytes).map_err(broken)?;
                if bytes.len() as u64 > bound {
                    return Err(if bound == limits.file {
                        too_large(format!(
                            "its file `{}` is larger than {} bytes",
                            printable(&path),
                            limits.file
                        ))
                    } else {
                        over()
                    });
                }
                unpacked += bytes.len() as u64;
                let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
                Node::File { bytes: bytes.into(), executable }
            }
            EntryType::Directory => Node::Directory,
            EntryType::Symlink => {
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                link(entry.link_name_bytes().as_deref(), parent)
            }
            EntryType::Link => link(entry.link_name_bytes().as_deref(), ""),
            _ => Node::Other,
        };
        // A file whose name is not UTF-8 cannot be requested, but it is listed so that nothing silently
        // disappears.
        let node = if written.contains(char::REPLACEMENT_CHARACTER) { Node::Other } else { node };
        nodes.insert(path, node);
    }
    Ok(nodes)
}

/// A link as written in the archive: symbolic links are relative to their directory, hard links to the root.
fn link(target: Option<&[u8]>, directory: &str) -> Node {
    let Some(target) = target.and_then(|target| std::str::from_utf8(target).ok()) else { return Node::Other };
    if target.starts_with('/') {
        return Node::Other;
    }
    match normalize_path(&join(directory, target)) {
        Ok(path) => Node::Link(path),
        Err(_) => Node::Other,
    }
}

fn printable(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { '\u{fffd}' } else { character })
        .take(200)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;
    use tar::{Builder, Header};

    const SMALL: ArchiveLimits = ArchiveLimits { unpacked: 1 << 20, file: 100_000, entries: 50 };

    struct Tar(Builder<Vec<u8>>);

    impl Tar {
        fn new() -> Self {
            Tar(Builder::new(Vec::new()))
        }

        /// Writes the name as it is: the builder's own methods refuse the names that are tested here.
        fn header(kind: EntryType, path: &str, mode: u32, size: u64) -> Header {
            let mut header = Header::new_gnu();
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(kind);
            header.set_mode(mode);
            header.set_size(size);
            header
        }

        fn file(mut self, path: &str, mode: u32, bytes: &[u8]) -> Self {
            let mut header = Self::header(EntryType::Regular, path, mode, bytes.len() as u64);
            header.set_cksum();
            self.0.append(&header, bytes).unwrap();
            self
        }

        fn other(mut self, kind: EntryType, path: &str, target: &str) -> Self {
            let mut header = Self::header(kind, path, 0o644, 0);
            header.as_old_mut().linkname[..target.len()].copy_from_slice(target.as_bytes());
            header.set_cksum();
            self.0.append(&header, io::empty()).unwrap();
            self
        }

        fn bytes(self) -> Vec<u8> {
            self.0.into_inner().unwrap()
        }

        fn load(self) -> ArchiveLoader {
            ArchiveLoader::new("c.tgz", &gzip(&self.bytes()), SMALL).unwrap()
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn listed(loader: &dyn Loader, path: &str) -> Vec<(String, EntryKind)> {
        loader.list(path).unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect()
    }

    #[test]
    fn files_are_read_from_both_kinds_of_archive() {
        let tar = Tar::new()
            .file("chart/Chart.yaml", 0o644, b"name: c")
            .file("./chart/run.sh", 0o755, b"#!")
            .bytes();
        for bytes in [gzip(&tar), tar] {
            let loader = ArchiveLoader::new("c.tgz", &bytes, SMALL).unwrap();
            assert_eq!(loader.read("chart/Chart.yaml").unwrap(), b"name: c");
            assert!(loader.entry("chart/run.sh").unwrap().executable);
            assert!(!loader.entry("chart/Chart.yaml").unwrap().executable);
            assert_eq!(listed(&loader, ""), [("chart".to_owned(), EntryKind::Directory)]);
            assert_eq!(loader.read("chart").unwrap_err().kind, LoadErrorKind::WrongKind);
            assert_eq!(loader.read("no").unwrap_err().kind, LoadErrorKind::NotFound);
            assert_eq!(loader.read("chart/run.sh/x").unwrap_err().kind, LoadErrorKind::NotFound);
            let scoped = loader.scoped("chart").unwrap();
            assert_eq!(scoped.read("Chart.yaml").unwrap(), b"name: c");
            assert_eq!(scoped.display("Chart.yaml"), "c.tgz/chart/Chart.yaml");
            assert_eq!(scoped.follow("./Chart.yaml").unwrap(), "Chart.yaml");
            assert_eq!(scoped.read("../chart/Chart.yaml").unwrap_err().kind, LoadErrorKind::Outside);
            assert_eq!(listed(&*scoped, "").len(), 2);
        }
    }

    #[test]
    fn links_inside_are_followed_and_links_outside_are_not() {
        let loader = Tar::new()
            .file("a/real", 0o644, b"real")
            .other(EntryType::Symlink, "b/soft", "../a/real")
            .other(EntryType::Link, "b/hard", "a/real")
            .other(EntryType::Symlink, "b/directory", "../a")
            .other(EntryType::Symlink, "b/out", "../../etc/passwd")
            .other(EntryType::Symlink, "b/root", "/etc/passwd")
            .other(EntryType::Symlink, "b/gone", "nowhere")
            .other(EntryType::Symlink, "b/loop", "loop")
            .other(EntryType::Fifo, "b/pipe", "")
            .load();
        for path in ["b/soft", "b/hard", "b/directory/real"] {
            assert_eq!(loader.read(path).unwrap(), b"real", "{path}");
        }
        let kinds: Vec<String> =
            listed(&loader, "b").into_iter().map(|(name, kind)| format!("{name} {kind:?}")).collect();
        assert_eq!(
            kinds,
            [
                "directory Directory",
                "gone Other",
                "hard File",
                "loop Other",
                "out Other",
                "pipe Other",
                "root Other",
                "soft File"
            ]
        );
        assert!(loader.entry("b/directory").unwrap().link && !loader.entry("a/real").unwrap().link);
        assert_eq!(loader.read("b/out").unwrap_err().kind, LoadErrorKind::Outside);
        assert_eq!(loader.read("b/root").unwrap_err().kind, LoadErrorKind::Outside);
        assert_eq!(loader.read("b/gone").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(loader.read("b/loop").unwrap_err().kind, LoadErrorKind::Other);
        let scoped = loader.scoped("b").unwrap();
        assert_eq!(scoped.read("soft").unwrap_err().kind, LoadErrorKind::Outside);
        assert_eq!(scoped.entry("soft").unwrap().kind, EntryKind::Other);
    }

    #[test]
    fn an_entry_that_leaves_the_archive_makes_it_invalid() {
        for path in ["../x", "/etc/x", "a/../../x", "..\\x"] {
            let bytes = Tar::new().file(path, 0o644, b"x").bytes();
            let error = ArchiveLoader::new("c.tar", &bytes, SMALL).unwrap_err();
            assert_eq!(error.kind, LoadErrorKind::Outside, "{path}");
            assert_eq!(error.path, "c.tar");
        }
    }

    #[test]
    fn limits_are_enforced() {
        let refused = |bytes: &[u8]| ArchiveLoader::new("c", bytes, SMALL).unwrap_err();
        let many = (0..60).fold(Tar::new(), |tar, index| tar.file(&format!("f{index}"), 0o644, b""));
        assert!(refused(&many.bytes()).detail.contains("more than 50 entries"));

        let large = Tar::new().file("big", 0o644, &vec![0; 100_001]).bytes();
        assert!(refused(&large).detail.contains("`big` is larger than 100000 bytes"));

        let sum =
            (0..12).fold(Tar::new(), |tar, index| tar.file(&format!("f{index}"), 0o644, &vec![0; 99_000]));
        assert!(refused(&sum.bytes()).detail.contains("larger than 1048576 bytes when unpacked"));

        let mut header = Tar::header(EntryType::Regular, "bomb", 0o644, 1 << 40);
        header.set_cksum();
        let mut bomb = header.as_bytes().to_vec();
        bomb.resize(3 << 20, 0);
        assert_eq!(refused(&gzip(&bomb)).kind, LoadErrorKind::TooLarge);
    }

    #[test]
    fn a_file_that_is_not_an_archive_is_reported() {
        let whole = gzip(&Tar::new().file("a", 0o644, &[7; 5000]).bytes());
        for bytes in
            [&b"name: not an archive, but long enough to be read as a header".repeat(20)[..], &whole[..30]]
        {
            let error = ArchiveLoader::new("c.tgz", bytes, SMALL).unwrap_err();
            assert_eq!(error.to_string(), "`c.tgz` could not be read: it is not a complete tar archive");
        }
    }
}
