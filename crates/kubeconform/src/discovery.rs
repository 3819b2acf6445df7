//! Which files are looked at: those that are named, and those in directories, as Go's `filepath.Walk` goes over them.

use std::path::Path;
use std::rc::Rc;

use trueline_gostd::system::clean;
use trueline_regexp::{PatternError, Regexp};
use trueline_source::{Stat, System};

use super::failure::PathFailure;

/// Directories inside directories; no tree of manifests comes near it.
const MAX_DEPTH: usize = 256;

/// What was found.
#[derive(Debug, Clone)]
pub(crate) enum DiscoveredPath {
    /// A file, by its path as it is shown.
    File(String),
    /// A path that could not be gone over, and why.
    Trouble(String, PathFailure),
}

/// The paths that are left out; the error is Go's, told once a path is matched against it.
pub(crate) struct Ignored(Vec<Result<Rc<Regexp>, PatternError>>);

impl Ignored {
    pub(crate) fn new(patterns: &[String]) -> Self {
        Ignored(patterns.iter().map(|pattern| Regexp::compile(pattern.as_bytes())).collect())
    }

    fn contains(&self, path: &str) -> Result<bool, PatternError> {
        for pattern in &self.0 {
            if pattern.as_ref().map_err(Clone::clone)?.is_match(path.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The files of all paths, in their order; those of a directory in the order of their names.
pub(crate) fn find(paths: &[String], ignored: &Ignored, system: &dyn System) -> Vec<DiscoveredPath> {
    let mut found = Vec::new();
    for typed in paths {
        let mut walk = Walk { system, ignored, found: &mut found };
        if let Err(failure) = walk.path(typed, Path::new(typed), MAX_DEPTH) {
            found.push(DiscoveredPath::Trouble(typed.clone(), failure));
        }
    }
    found
}

struct Walk<'w> {
    system: &'w dyn System,
    ignored: &'w Ignored,
    found: &'w mut Vec<DiscoveredPath>,
}

impl Walk<'_> {
    fn path(&mut self, shown: &str, path: &Path, depth: usize) -> Result<(), PathFailure> {
        let metadata = match shown {
            "" => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
            _ => self.system.link_stat(path),
        };
        let metadata = metadata.map_err(|error| PathFailure::lstat(shown, &error))?;
        if !metadata.is_directory() {
            if is_manifest(shown) && !self.ignored.contains(shown)? {
                // A pipe that nobody writes to would be waited for without end; one that is named is meant.
                let is_other = |metadata: Stat| !metadata.is_file() && !metadata.is_directory();
                if depth < MAX_DEPTH && self.system.stat(path).is_ok_and(is_other) {
                    let failure = PathFailure::NotRegular(shown.to_owned());
                    self.found.push(DiscoveredPath::Trouble(shown.to_owned(), failure));
                    return Ok(());
                }
                self.found.push(DiscoveredPath::File(shown.to_owned()));
            }
            return Ok(());
        }
        if depth == 0 {
            return Err(PathFailure::TooDeep(shown.to_owned(), MAX_DEPTH));
        }
        let mut names = self.system.names(path).map_err(|error| PathFailure::open(shown, &error))?;
        names.sort();
        for name in names {
            self.path(&joined(shown, &name.to_string_lossy()), &path.join(&name), depth - 1)?;
        }
        Ok(())
    }
}

fn is_manifest(path: &str) -> bool {
    let name = path.to_lowercase();
    [".yaml", ".yml", ".json"].iter().any(|ending| name.ends_with(ending))
}

/// Go's `filepath.Join` of a directory that somebody typed and a name in it.
fn joined(directory: &str, name: &str) -> String {
    let clean = clean(Path::new(directory)).to_string_lossy().into_owned();
    match clean.as_str() {
        "." => name.to_owned(),
        "/" => format!("/{name}"),
        _ => format!("{clean}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use trueline_source::MemorySystem;

    use super::*;

    #[test]
    fn directories_are_gone_over_in_order() {
        let files =
            ["d/b.YAML", "d/a/z.yml", "d/a.json", "d/x.txt", "d/y.yaml/q.yaml", "plain.txt", "e/.keep"];
        let system = files.iter().fold(MemorySystem::new(), |system, path| system.with_file(path, ""));
        let found = |paths: &[&str], patterns: &[&str]| {
            let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            find(&owned(paths), &Ignored::new(&owned(patterns)), &system)
                .into_iter()
                .map(|found| match found {
                    DiscoveredPath::File(path) => path,
                    DiscoveredPath::Trouble(path, failure) => format!("{path}! {failure}"),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&["./d/"], &[]), ["d/a/z.yml", "d/a.json", "d/b.YAML", "d/y.yaml/q.yaml"]);
        assert_eq!(found(&["d"], &["json$", "^d/a/"]), ["d/b.YAML", "d/y.yaml/q.yaml"]);
        assert_eq!(found(&["./d/a.json", "plain.txt", "e"], &[]), ["./d/a.json"]);
        assert_eq!(found(&["."], &["y"]), ["d/a.json", "d/b.YAML"]);
        assert_eq!(
            found(&["no.yaml", "d/a.json"], &[]),
            ["no.yaml! lstat no.yaml: no such file or directory", "d/a.json"]
        );
        assert_eq!(found(&["d"], &["("]), ["d! error parsing regexp: missing closing ): `(`"]);
    }
}
