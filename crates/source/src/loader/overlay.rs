//! One loader on top of another: files of the upper one hide files of the lower one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Entry, EntryKind, LoadError, LoadErrorKind, Loader, normalize_path};

/// Two loaders seen as one. A path comes from the upper loader if it exists there, otherwise from the lower
/// one; a directory that exists in both has the entries of both.
#[derive(Debug, Clone)]
pub struct OverlayLoader {
    upper: Arc<dyn Loader>,
    lower: Arc<dyn Loader>,
}

impl OverlayLoader {
    /// Puts `upper` on top of `lower`.
    pub fn new(upper: Arc<dyn Loader>, lower: Arc<dyn Loader>) -> Self {
        OverlayLoader { upper, lower }
    }

    /// The loader that a path belongs to. A file in the upper loader hides a whole directory in the lower one.
    fn side(&self, path: &str) -> Result<&Arc<dyn Loader>, LoadError> {
        let path = normalize_path(path)?;
        match self.upper.entry(&path) {
            Ok(_) => return Ok(&self.upper),
            Err(error) if error.kind == LoadErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        for (end, _) in path.match_indices('/') {
            match self.upper.entry(&path[..end]) {
                Ok(entry) if entry.kind != EntryKind::Directory => {
                    return Err(LoadError::new(LoadErrorKind::NotFound, path));
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(&self.lower)
    }

    fn is_directory(loader: &Arc<dyn Loader>, path: &str) -> bool {
        loader.entry(path).is_ok_and(|entry| entry.kind == EntryKind::Directory)
    }
}

impl Loader for OverlayLoader {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        self.side(path)?.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let side = self.side(path)?;
        let above = side.list(path)?;
        if Arc::ptr_eq(side, &self.lower) || !Self::is_directory(&self.lower, path) {
            return Ok(above);
        }
        let below = self.lower.list(path)?;
        let entries: BTreeMap<String, Entry> =
            below.into_iter().chain(above).map(|entry| (entry.name.clone(), entry)).collect();
        Ok(entries.into_values().collect())
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        self.side(path)?.entry(path)
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let side = self.side(path)?;
        let above = side.scoped(path)?;
        if Arc::ptr_eq(side, &self.lower) || !Self::is_directory(&self.lower, path) {
            return Ok(above);
        }
        Ok(Arc::new(OverlayLoader::new(above, self.lower.scoped(path)?)))
    }

    fn follow(&self, path: &str) -> Result<String, LoadError> {
        self.side(path)?.follow(path)
    }

    /// A path that exists in neither is shown as the lower loader shows it, because a user would look for it
    /// there.
    fn display(&self, path: &str) -> String {
        match self.upper.entry(path) {
            Ok(entry) if entry.kind == EntryKind::File || !Self::is_directory(&self.lower, path) => {
                self.upper.display(path)
            }
            _ => self.lower.display(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryLoader;

    fn overlay() -> OverlayLoader {
        let upper = MemoryLoader::new("up")
            .with_file("a", "upper a")
            .with_file("dir/x", "upper x")
            .with_file("hide", "f");
        let lower = MemoryLoader::new("low")
            .with_file("a", "lower a")
            .with_file("b", "lower b")
            .with_file("dir/x", "lower x")
            .with_file("dir/y", "lower y")
            .with_file("hide/inner", "hidden")
            .with_file("only/z", "lower z");
        OverlayLoader::new(Arc::new(upper), Arc::new(lower))
    }

    fn names(entries: Vec<Entry>) -> Vec<String> {
        entries.into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn the_upper_loader_wins() {
        assert_eq!(overlay().read("a").unwrap(), b"upper a");
        assert_eq!(overlay().read("b").unwrap(), b"lower b");
        assert_eq!(overlay().read("./dir/../dir/x").unwrap(), b"upper x");
        assert_eq!(overlay().read("none").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(overlay().read("../a").unwrap_err().kind, LoadErrorKind::Outside);
    }

    #[test]
    fn directories_hold_the_entries_of_both() {
        assert_eq!(names(overlay().list("").unwrap()), ["a", "b", "dir", "hide", "only"]);
        assert_eq!(names(overlay().list("dir").unwrap()), ["x", "y"]);
        assert_eq!(names(overlay().list("only").unwrap()), ["z"]);
    }

    #[test]
    fn a_file_above_hides_a_directory_below() {
        assert_eq!(overlay().entry("hide").unwrap().kind, EntryKind::File);
        assert_eq!(overlay().read("hide/inner").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(overlay().list("hide").unwrap_err().kind, LoadErrorKind::WrongKind);
    }

    #[test]
    fn a_scoped_overlay_is_still_an_overlay() {
        let scoped = overlay().scoped("dir").unwrap();
        assert_eq!(scoped.read("x").unwrap(), b"upper x");
        assert_eq!(scoped.read("y").unwrap(), b"lower y");
        assert_eq!(scoped.read("../a").unwrap_err().kind, LoadErrorKind::Outside);
        assert_eq!(overlay().scoped("only").unwrap().read("z").unwrap(), b"lower z");
        assert_eq!(overlay().scoped("a").unwrap_err().kind, LoadErrorKind::WrongKind);
    }

    #[test]
    fn a_path_is_shown_as_the_loader_that_has_it_shows_it() {
        assert_eq!(overlay().display("a"), "up/a");
        assert_eq!(overlay().display("b"), "low/b");
        assert_eq!(overlay().display("dir"), "low/dir");
        assert_eq!(overlay().display("none"), "low/none");
    }
}
