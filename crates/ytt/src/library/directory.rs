//! Directories as libraries. A directory `_ytt_lib` is private: what is in it can only be reached as a library.

use std::rc::Rc;

use indexmap::IndexMap;

use crate::error::{Error, ErrorKind, Fact};
use crate::files::InputFile;

const PRIVATE: &str = "_ytt_lib";

/// Paths with more directories are refused: libraries are walked recursively.
const MAX_DEPTH: usize = 256;

/// A directory with its files and the directories in it.
#[derive(Debug, Default)]
pub struct Library {
    name: Box<str>,
    children: IndexMap<Box<str>, Rc<Library>>,
    files: Vec<Rc<InputFile>>,
}

/// A file with the library that it is in.
#[derive(Debug, Clone)]
pub struct FileInLibrary {
    /// The file.
    pub file: Rc<InputFile>,
    /// Its directory.
    pub library: Rc<Library>,
    /// Its path below the library that was listed.
    pub path: Rc<str>,
}

impl Library {
    /// The library of all files of a run.
    pub fn root(files: Vec<InputFile>) -> Result<Rc<Library>, Error> {
        let mut root = Builder::default();
        for file in files {
            let path = Rc::clone(file.path());
            let mut library = &mut root;
            let mut directories: Vec<&str> = path.split('/').collect();
            directories.pop();
            if directories.len() > MAX_DEPTH {
                return Err(Error::new(
                    ErrorKind::File,
                    format!(
                        "Expected file path to have at most {MAX_DEPTH} directories, but had {}",
                        directories.len()
                    ),
                ));
            }
            for directory in directories {
                library = library.children.entry(directory.into()).or_default();
            }
            library.files.push(Rc::new(file));
        }
        Ok(root.finish("".into()))
    }

    fn is_private(&self) -> bool {
        &*self.name == PRIVATE
    }

    /// A library below the private directory, for `library.get` and `load("@…")`.
    pub fn find_accessible(self: &Rc<Self>, path: &str) -> Result<Rc<Library>, Error> {
        let Some(mut library) = self.children.get(PRIVATE) else {
            return Err(Error::known(ErrorKind::Other, Fact::NoLibraries { directory: PRIVATE }));
        };
        let pieces: Vec<&str> = path.split('/').collect();
        for (index, piece) in pieces.iter().enumerate() {
            let before = || pieces.get(..index).unwrap_or_default().join("/");
            library = match library.children.get(*piece) {
                Some(found) if found.is_private() => {
                    return Err(Error::other(format!("Could not load private library '{}'", before())));
                }
                Some(found) => found,
                None => {
                    let fact = Fact::NoLibrary { path: path.to_owned(), before: before() };
                    return Err(Error::known(ErrorKind::Other, fact));
                }
            };
        }
        Ok(Rc::clone(library))
    }

    /// A directory that is not private.
    pub fn find_directory(self: &Rc<Self>, path: &str) -> Result<Rc<Library>, Error> {
        let pieces: Vec<&str> = path.split('/').collect();
        let mut library = self;
        for (index, piece) in pieces.iter().enumerate() {
            library = match library.children.get(*piece) {
                Some(found) if found.is_private() => {
                    return Err(Error::other(format!("Encountered private library '{PRIVATE}'")));
                }
                Some(found) => found,
                None => {
                    let before = pieces.get(..index).unwrap_or_default().join("/");
                    return Err(Error::other(format!("Did not find '{before}'")));
                }
            };
        }
        Ok(Rc::clone(library))
    }

    /// A file by its path below this directory.
    pub fn find_file(self: &Rc<Self>, path: &str) -> Result<FileInLibrary, Error> {
        let (library, name) = match path.rsplit_once('/') {
            None => (Rc::clone(self), path),
            Some((directory, name)) => {
                let library = self.find_directory(directory).map_err(|error| {
                    error.context(format_args!("Expected to find file '{path}', but did not"))
                })?;
                (library, name)
            }
        };
        match library.files.iter().find(|file| file.name() == name) {
            Some(file) => Ok(FileInLibrary { file: Rc::clone(file), path: path.into(), library }),
            None => Err(Error::known(ErrorKind::Other, Fact::NoFile { path: path.to_owned(), module: None })),
        }
    }

    /// All files that are not in private directories: those of the directory itself, then those of the directories in
    /// it, in the order in which they were given.
    pub fn accessible_files(self: &Rc<Self>) -> Vec<FileInLibrary> {
        let mut files = Vec::new();
        self.list("", &mut files);
        files
    }

    fn list(self: &Rc<Self>, prefix: &str, files: &mut Vec<FileInLibrary>) {
        files.extend(self.files.iter().map(|file| FileInLibrary {
            file: Rc::clone(file),
            library: Rc::clone(self),
            path: format!("{prefix}{}", file.name()).into(),
        }));
        for child in self.children.values().filter(|child| !child.is_private()) {
            child.list(&format!("{prefix}{}/", child.name), files);
        }
    }

    /// The libraries with their files, as `--debug` shows them.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        self.describe_at(0, &mut text);
        text
    }

    fn describe_at(&self, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        text.push_str(&format!(
            "{indent}- {} (private {})\n{indent}  files:\n",
            self.name,
            self.is_private()
        ));
        if self.files.is_empty() {
            text.push_str(&format!("{indent}    <none>\n"));
        }
        for file in &self.files {
            text.push_str(&format!("{indent}  - {}\n", file.path()));
        }
        text.push_str(&format!("{indent}  libraries:\n"));
        if self.children.is_empty() {
            text.push_str(&format!("{indent}    <none>\n"));
        }
        for child in self.children.values() {
            child.describe_at(depth + 1, text);
        }
    }
}

/// Sorts files into the order in which they count.
pub(super) fn sort(files: &mut [FileInLibrary]) {
    files.sort_by_key(|file| file.file.order());
}

#[derive(Default)]
struct Builder {
    children: IndexMap<Box<str>, Builder>,
    files: Vec<Rc<InputFile>>,
}

impl Builder {
    fn finish(self, name: Box<str>) -> Rc<Library> {
        let children = self.children.into_iter().map(|(name, child)| (name.clone(), child.finish(name)));
        Rc::new(Library { children: children.collect(), files: self.files, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::numbered;

    fn library() -> Rc<Library> {
        let paths = [
            "a.yml",
            "d/b.yml",
            "_ytt_lib/app/c.yml",
            "d/_ytt_lib/x/y.yml",
            "d/e/f.txt",
            "_ytt_lib/_ytt_lib/z.yml",
        ];
        let files = paths.map(|path| InputFile::new(path, Vec::new()));
        Library::root(numbered(files.into())).expect("the paths are short")
    }

    #[test]
    fn private_directories_are_not_listed() {
        let paths: Vec<_> = library().accessible_files().iter().map(|file| file.path.to_string()).collect();
        assert_eq!(paths, ["a.yml", "d/b.yml", "d/e/f.txt"]);
    }

    #[test]
    fn files_and_libraries_are_found_or_missed_in_ytts_words() {
        let root = library();
        let found = |path: &str| root.find_file(path).map(|found| found.file.path().to_string());
        assert_eq!(found("d/e/f.txt").expect("it is there"), "d/e/f.txt");
        for (path, words) in [
            ("x.yml", "Expected to find file 'x.yml' (hint: only files included via -f flag are available)"),
            ("d/g/x.yml", "Expected to find file 'd/g/x.yml', but did not: Did not find 'd'"),
            (
                "_ytt_lib/app/c.yml",
                "Expected to find file '_ytt_lib/app/c.yml', but did not: Encountered private library '_ytt_lib'",
            ),
        ] {
            assert_eq!(found(path).expect_err("it is not there").to_string(), words);
        }
        let app = root.find_accessible("app").expect("it is there");
        assert_eq!(app.accessible_files().len(), 1);
        for (path, words) in [
            ("nope", "Expected to find library 'nope', but did not find ''"),
            ("app/x", "Expected to find library 'app/x', but did not find 'app'"),
            ("_ytt_lib", "Could not load private library ''"),
        ] {
            assert_eq!(root.find_accessible(path).expect_err("it is not there").to_string(), words);
        }
        let words = "Could not find private library (directory '_ytt_lib' missing?)";
        assert_eq!(app.find_accessible("x").expect_err("there is none").to_string(), words);
    }

    #[test]
    fn deep_paths_are_refused() {
        let path = "d/".repeat(100_000) + "a.yml";
        assert!(Library::root(vec![InputFile::new(&path, Vec::new())]).is_err());
    }
}
