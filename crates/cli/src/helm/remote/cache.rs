//! Files that are written whole or not at all, and the archives that are kept so.

use std::path::{Path, PathBuf};

use trueline_helm::repository::sha256_text;
use trueline_source::{FileChange, Readers, make_directories};

use super::Remote;
use crate::world::{World, clean, go_error};

/// Puts a file in place in one step; the directories above it are made if need be.
pub(crate) fn place(world: &World, path: &Path, bytes: &[u8], readers: Readers) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new("."));
    make_directories(&*world.system(), parent)
        .map_err(|error| format!("mkdir {}: {}", parent.display(), go_error(&error)))?;
    let written = world.change(FileChange::Write { path, bytes, readers });
    written.map_err(|error| format!("open {}: {}", path.display(), go_error(&error)))
}

impl Remote {
    /// The archive of a sum, if it was fetched before and is still what it was.
    pub(super) fn cached_archive(&self, digest: &str, world: &World) -> Option<Vec<u8>> {
        let digest = plain_digest(digest).to_ascii_lowercase();
        let path = self.content_path(&digest)?;
        let bytes = world.read_file(&path).ok()?;
        (sha256_text(&bytes) == digest).then_some(bytes)
    }

    /// Keeps an archive under its sum, and says where.
    pub(in super::super) fn keep_archive(&self, bytes: &[u8], world: &World) -> Result<PathBuf, String> {
        let digest = sha256_text(bytes);
        let path = clean(&world.path(&self.content_path(&digest).unwrap_or_default()));
        if self.cached_archive(&digest, world).is_none() {
            place(world, &path, bytes, Readers::Usual)?;
        }
        Ok(path)
    }

    /// Where the archive of a sum is kept.
    fn content_path(&self, digest: &str) -> Option<String> {
        let is_sum = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let first = digest.get(..2).filter(|_| is_sum)?;
        Some(format!("{}/{first}/{digest}.chart", self.paths.content))
    }
}

/// A sum without the name of its method.
pub(super) fn plain_digest(digest: &str) -> &str {
    digest.split_once(':').map_or(digest, |(_, sum)| sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_file_is_put_in_place_with_its_rights() {
        let directory = tempfile::TempDir::new().unwrap();
        let world = World::new(directory.path().to_owned(), BTreeMap::new()).0;
        let path = directory.path().join("a/b/file");
        place(&world, &path, b"one", Readers::Owner).unwrap();
        place(&world, &path, b"two", Readers::Owner).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let below = place(&world, &path.join("c"), b"", Readers::Usual).unwrap_err();
        assert!(below.starts_with("mkdir "), "{below}");
    }
}
