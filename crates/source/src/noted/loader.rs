//! A directory seen through open texts, with notes of what is looked at.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Child, Judge, Judged, Look, OpenText, Reads, Texts, children, hash_of};
use crate::{
    Entry, EntryKind, Listed, LoadError, LoadErrorKind, Loader, MemoryLoader, Name, Reader, normalize_path,
};

#[derive(Debug)]
pub(super) struct NotedLoader {
    pub(super) inner: Arc<dyn Loader>,
    /// The real path of the root.
    pub(super) root: PathBuf,
    pub(super) texts: Arc<Texts>,
    pub(super) reads: Arc<Reads>,
}

impl NotedLoader {
    /// The path of the system that a path leads to, with its links followed as far as they stay inside.
    fn real(&self, path: &str) -> PathBuf {
        self.reads.place(self.root.join(path), || {
            let inside = self.inner.follow(path).or_else(|_| normalize_path(path));
            match inside {
                Ok(inside) if inside.is_empty() => self.root.clone(),
                Ok(inside) => self.root.join(inside),
                Err(_) => self.root.join(path),
            }
        })
    }

    /// What a file holds, which is noted.
    fn content(
        &self,
        path: &str,
        read: impl FnOnce() -> Result<Vec<u8>, LoadError>,
    ) -> Result<Vec<u8>, LoadError> {
        let real = self.real(path);
        let read = match self.texts.get(&real) {
            Some(OpenText::Bytes(bytes)) => Ok((Arc::clone(bytes), hash_of(bytes))),
            Some(OpenText::Removed) => Err(Self::not_found(path)),
            None if self.reads.keeps() => self.reads.content(&real, read),
            None => {
                let read = read();
                self.reads.note(Look::Bytes(real), read.as_deref().ok().map(hash_of));
                return read;
            }
        };
        self.reads.note(Look::Bytes(real), read.as_ref().ok().map(|(_, hash)| *hash));
        read.map(|(bytes, _)| bytes.to_vec())
    }

    fn not_found(path: &str) -> LoadError {
        LoadError::new(LoadErrorKind::NotFound, path)
    }
}

impl Loader for NotedLoader {
    fn read(&self, path: &str) -> Result<Vec<u8>, LoadError> {
        self.content(path, || self.inner.read(path))
    }

    fn read_listed(&self, file: &Listed) -> Result<Vec<u8>, LoadError> {
        self.content(&file.path, || self.inner.read_listed(file))
    }

    fn read_each(&self, files: &[Listed], each: &Reader<'_>) {
        let places: Vec<PathBuf> = files.iter().map(|file| self.real(&file.path)).collect();
        let (mut numbers, mut closed) = (Vec::new(), Vec::new());
        for ((number, file), place) in files.iter().enumerate().zip(&places) {
            match (self.texts.contains_key(place), self.reads.known_content(place)) {
                (true, _) => each(number, self.read(&file.path).as_deref().map_err(LoadError::clone)),
                (false, Some(known)) => {
                    self.reads.keep(place, known);
                    self.reads.note(Look::Bytes(place.clone()), Some(known.1));
                    each(number, Ok(&known.0));
                }
                (false, None) => {
                    numbers.push(number);
                    closed.push(file.clone());
                }
            }
        }
        self.inner.read_each(&closed, &|number, read| {
            let Some(&number) = numbers.get(number) else { return };
            if let Some(place) = places.get(number) {
                let hash = read.as_ref().ok().map(|bytes| hash_of(bytes));
                self.reads.note(Look::Bytes(place.clone()), hash);
                if let (Ok(bytes), Some(hash), true) = (&read, hash, self.reads.keeps()) {
                    self.reads.keep(place, &((*bytes).into(), hash));
                }
            }
            each(number, read);
        });
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, LoadError> {
        let real = self.real(path);
        self.reads.note(Look::Entries(real.clone()), None);
        let listed = self.reads.entries(&real, || self.inner.list(path));
        let mut added = children(&self.texts, &real).peekable();
        if listed.is_err() && !added.any(|(_, child)| child != Child::Gone) {
            return listed;
        }
        let own = listed.unwrap_or_default();
        let mut entries: BTreeMap<String, Entry> =
            own.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        for (name, child) in children(&self.texts, &real) {
            let executable = entries.get(name).is_some_and(|entry| entry.executable);
            let (kind, length) = match child {
                Child::Gone => {
                    entries.remove(name);
                    continue;
                }
                Child::Directory => (EntryKind::Directory, 0),
                Child::File(length) => (EntryKind::File, length),
            };
            let name = name.to_owned();
            entries.insert(name.clone(), Entry { name, kind, length, executable, link: false });
        }
        Ok(entries.into_values().collect())
    }

    fn names(&self, path: &str) -> Result<Vec<Name>, LoadError> {
        let real = self.real(path);
        self.reads.note(Look::Names(real.clone()), None);
        let listed = self.inner.names(path);
        let mut added = children(&self.texts, &real);
        if listed.is_err() && !added.any(|(_, child)| child != Child::Gone) {
            return listed;
        }
        let own = listed.unwrap_or_default();
        let mut names: BTreeMap<String, Name> =
            own.into_iter().map(|name| (name.name.clone(), name)).collect();
        for (name, child) in children(&self.texts, &real) {
            let kind = match child {
                Child::Gone => {
                    names.remove(name);
                    continue;
                }
                Child::Directory => EntryKind::Directory,
                Child::File(_) => EntryKind::File,
            };
            names.insert(name.to_owned(), Name { name: name.to_owned(), kind, link: false });
        }
        Ok(names.into_values().collect())
    }

    fn entry(&self, path: &str) -> Result<Entry, LoadError> {
        let real = self.real(path);
        let entry = self.inner.entry(path);
        self.reads.note(Look::Entry(real.clone()), None);
        // A link is looked at itself, too.
        if let Ok(inside) = normalize_path(path) {
            self.reads.note(Look::Entry(self.root.join(inside)), None);
        }
        let name = || real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let made = |kind, length| Entry { name: name(), kind, length, executable: false, link: false };
        match (self.texts.get(&real), entry) {
            (Some(OpenText::Removed), _) => Err(Self::not_found(path)),
            (Some(OpenText::Bytes(bytes)), Ok(entry)) => {
                Ok(Entry { kind: EntryKind::File, length: bytes.len() as u64, ..entry })
            }
            (Some(OpenText::Bytes(bytes)), Err(_)) => Ok(made(EntryKind::File, bytes.len() as u64)),
            (None, Err(_)) if children(&self.texts, &real).any(|(_, child)| child != Child::Gone) => {
                Ok(made(EntryKind::Directory, 0))
            }
            (None, entry) => entry,
        }
    }

    fn scoped(&self, path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        let root = self.real(path);
        self.reads.note(Look::Entry(root.clone()), None);
        let inner = match self.inner.scoped(path) {
            Err(error) if error.kind == LoadErrorKind::NotFound => {
                if !children(&self.texts, &root).any(|(_, child)| child != Child::Gone) {
                    return Err(error);
                }
                Arc::new(MemoryLoader::new(self.display(path)))
            }
            inner => inner?,
        };
        let (texts, reads) = (Arc::clone(&self.texts), Arc::clone(&self.reads));
        Ok(Arc::new(NotedLoader { inner, root, texts, reads }))
    }

    fn follow(&self, path: &str) -> Result<String, LoadError> {
        let real = self.real(path);
        self.reads.note(Look::Entry(real.clone()), None);
        match self.texts.get(&real) {
            Some(OpenText::Bytes(_)) => self.inner.follow(path).or_else(|_| normalize_path(path)),
            Some(OpenText::Removed) => Err(Self::not_found(path)),
            None => self.inner.follow(path),
        }
    }

    fn display(&self, path: &str) -> String {
        self.inner.display(path)
    }

    fn root(&self) -> Option<String> {
        self.inner.root()
    }

    fn judge(&self, file: &Listed, judge: Judge) -> Result<Judged, LoadError> {
        let real = self.real(&file.path);
        let judged = match self.texts.get(&real) {
            Some(OpenText::Bytes(bytes)) => Ok((judge.judge)(bytes)),
            Some(OpenText::Removed) => Err(Self::not_found(&file.path)),
            None => self.inner.read_listed(file).map(|bytes| (judge.judge)(&bytes)),
        };
        self.reads.note(Look::Judged(real, judge), judged.as_ref().ok().copied());
        judged.map(|says| Judged { says, bytes: None })
    }

    fn noting(&self, reads: &Arc<Reads>, texts: &Arc<Texts>) -> Option<Arc<dyn Loader>> {
        Some(Arc::new(NotedLoader {
            inner: Arc::clone(&self.inner),
            root: self.root.clone(),
            texts: Arc::clone(texts),
            reads: Arc::clone(reads),
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn loader(texts: &[(&str, Option<&str>)]) -> (NotedLoader, Arc<Reads>) {
        let inner = MemoryLoader::new("pkg").with_file("a.yaml", "disk").with_file("d/b.yaml", "b");
        let text = |text: Option<&str>| match text {
            Some(text) => OpenText::Bytes(text.as_bytes().into()),
            None => OpenText::Removed,
        };
        let texts = texts.iter().map(|(path, open)| (PathBuf::from(path), text(*open))).collect();
        let reads = Arc::new(Reads::default());
        let noted = NotedLoader {
            inner: Arc::new(inner),
            root: "/r".into(),
            texts: Arc::new(texts),
            reads: Arc::clone(&reads),
        };
        (noted, reads)
    }

    fn names(loader: &dyn Loader, path: &str) -> Vec<String> {
        let listed: Vec<String> = loader.list(path).unwrap().into_iter().map(|entry| entry.name).collect();
        let named: Vec<String> = loader.names(path).unwrap().into_iter().map(|name| name.name).collect();
        assert_eq!(listed, named);
        listed
    }

    #[test]
    fn open_texts_count_in_the_place_of_files() {
        let (loader, _) =
            loader(&[("/r/a.yaml", Some("open")), ("/r/d/b.yaml", None), ("/r/new/deep/c.yaml", Some("c"))]);
        assert_eq!(loader.read("a.yaml").unwrap(), b"open");
        assert_eq!(loader.read("d/b.yaml").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(loader.entry("d/b.yaml").unwrap_err().kind, LoadErrorKind::NotFound);
        assert_eq!(loader.read("new/deep/c.yaml").unwrap(), b"c");
        assert_eq!(names(&loader, ""), ["a.yaml", "d", "new"]);
        assert_eq!(names(&loader, "d"), [""; 0]);
        assert_eq!(names(&loader, "new/deep"), ["c.yaml"]);
        assert_eq!(loader.entry("new").unwrap().kind, EntryKind::Directory);
        let scoped = loader.scoped("new/deep").unwrap();
        assert_eq!(
            (scoped.read("c.yaml").unwrap(), scoped.display("c.yaml")),
            (b"c".to_vec(), "pkg/new/deep/c.yaml".to_owned())
        );
        assert!(loader.scoped("none").is_err());
    }

    #[test]
    fn every_look_is_noted() {
        let (loader, reads) = loader(&[]);
        let _ = (loader.read("a.yaml"), loader.read("none"), loader.names("d"), loader.entry("gone"));
        let listed = Listed { path: "d/b.yaml".to_owned(), length: 1, link: false };
        loader.read_each(&[listed], &|_, read| assert_eq!(read.unwrap(), b"b"));
        let path = |path: &str| PathBuf::from(path);
        let expected = [
            (Look::Bytes(path("/r/a.yaml")), Some(hash_of(b"disk"))),
            (Look::Bytes(path("/r/none")), None),
            (Look::Names(path("/r/d")), None),
            (Look::Entry(path("/r/gone")), None),
            (Look::Bytes(path("/r/d/b.yaml")), Some(hash_of(b"b"))),
        ];
        assert_eq!(reads.count(), expected.len());
        assert!(reads.all(|look, seen| expected.contains(&(look.clone(), seen))));
        let others = Arc::new(Reads::default());
        loader.noting(&others, &loader.texts).unwrap().read("a.yaml").unwrap();
        assert_eq!((reads.count(), others.count()), (expected.len(), 1));
    }

    #[test]
    fn what_was_found_on_the_disk_is_not_looked_for_again() {
        let disk = |text: &str| {
            Arc::new(MemoryLoader::new("pkg").with_file("a.yaml", text).with_file("b.yaml", text))
        };
        let noting = |text: &str, reads: Reads| NotedLoader {
            inner: disk(text),
            root: "/r".into(),
            texts: Arc::default(),
            reads: Arc::new(reads),
        };
        let first = noting("one", Reads::keeping());
        let files = ["a.yaml", "b.yaml"];
        assert!(
            files.iter().all(|file| first.read(file).unwrap() == b"one")
                && first.list("").unwrap().len() == 2
        );
        let changed = [PathBuf::from("/r/b.yaml")].into();
        let second = noting("longer", Reads::after(&first.reads, &changed));
        assert_eq!(files.map(|file| second.read(file).unwrap().len()), [3, 6]);
        assert_eq!(second.list("").unwrap()[1].length, 6);
        // What was known and asked for again is known to the next.
        let third = noting("", Reads::after(&second.reads, &HashSet::new()));
        let listed = files.map(|path| Listed { path: path.to_owned(), length: 0, link: false });
        third.read_each(&listed, &|number, read| assert_eq!(read.unwrap().len(), [3, 6][number]));
        assert_eq!((third.reads.count(), second.reads.count()), (2, 3));
    }
}
