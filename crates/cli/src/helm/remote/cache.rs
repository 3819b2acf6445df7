//! Files that are written whole or not at all, and the archives that are kept so.

use std::io::Write;
use std::path::{Path, PathBuf};

use trueline_helm::repository::sha256_text;

use super::Remote;
use crate::world::{World, clean, go_error};

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Whoever may read new files.
    Usual,
    /// Its owner only.
    Owner,
}

/// Puts a file in place in one step; the directories above it are made if need be.
pub(crate) fn place(path: &Path, bytes: &[u8], rights: Rights) -> Result<(), String> {
    let failed = |error: &std::io::Error| format!("open {}: {}", path.display(), go_error(error));
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .map_err(|error| format!("mkdir {}: {}", parent.display(), go_error(&error)))?;
    place_in(parent, path, bytes, rights).map_err(|error| failed(&error))
}

/// The same in a directory that is there.
pub(crate) fn place_in(parent: &Path, path: &Path, bytes: &[u8], rights: Rights) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".trueline-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match rights {
        Rights::Usual => 0o666,
        Rights::Owner => 0o600,
    }));
    #[cfg(not(unix))]
    let _ = rights;
    let mut file = builder.tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
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
            place(&path, bytes, Rights::Usual)?;
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

    #[test]
    fn a_file_is_put_in_place_with_its_rights() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("a/b/file");
        place(&path, b"one", Rights::Owner).unwrap();
        place(&path, b"two", Rights::Owner).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file stays");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let below = place(&path.join("c"), b"", Rights::Usual).unwrap_err();
        assert!(below.starts_with("mkdir "), "{below}");
    }
}
