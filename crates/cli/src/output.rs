//! Where files go that a command writes together: looked at before the run, and put in place when it has ended.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use trueline_source::{NewFile, Placing, Stat, StatKind, System, plain};

/// A file that a report goes to, with where it really is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    typed: PathBuf,
    real: PathBuf,
    placing: Placing,
    /// Whether there is something already.
    is_taken: bool,
}

impl Destination {
    /// Looks at a place before the run, so that a mistake in it does not cost the run.
    pub(crate) fn new(typed: &Path, system: &dyn System) -> Result<Self, NoDestination> {
        let failed = |kind| NoDestination { typed: typed.to_owned(), kind };
        let destination =
            |real, placing, is_taken| Destination { typed: typed.to_owned(), real, placing, is_taken };
        // What the system puts into these directories leads to what is open already, whatever that is.
        let is_system = ["/dev", "/proc"].iter().any(|above| typed.starts_with(above));
        let is_link = system.link_stat(typed).is_ok_and(|stat| stat.kind == StatKind::Link);
        let found = system.stat(typed);
        if let Ok(found) = found {
            if found.is_directory() {
                return Err(failed(NoDestinationKind::Directory));
            }
            if is_system {
                return Ok(destination(typed.to_owned(), Placing::Stream, true));
            }
            // A link is replaced by the file, and what it leads to is left alone: who made the link is not known, and one
            // in a chart could lead anywhere.
            if !(is_link && found.is_file()) {
                let real = system.real(typed).map_err(|error| failed(NoDestinationKind::System(error)))?;
                let placing = if found.is_file() { Placing::Whole } else { Placing::Stream };
                return Ok(destination(real, placing, true));
            }
        }
        let name = typed.file_name().ok_or_else(|| failed(NoDestinationKind::NoName))?;
        let parent = match typed.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let real = system.real(parent).map_err(|_| failed(NoDestinationKind::NoParent(parent.to_owned())))?;
        if !system.stat(&real).is_ok_and(Stat::is_directory) {
            return Err(failed(NoDestinationKind::FileAsParent(parent.to_owned())));
        }
        Ok(destination(real.join(name), Placing::Whole, found.is_ok()))
    }

    /// Where it really is.
    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// Whether something is there that is no report: what it speaks of must not be replaced by it, and a slip
    /// of the keyboard is enough.
    pub(crate) fn replaces_configuration(&self) -> bool {
        let kinds = ["yaml", "yml", "toml"];
        let is_configuration =
            self.real.extension().is_some_and(|ending| kinds.iter().any(|kind| ending == *kind));
        is_configuration && !self.is_stream() && self.is_taken
    }

    /// Whether it is a device or a pipe, which several reports may go to.
    pub(crate) fn is_stream(&self) -> bool {
        self.placing == Placing::Stream
    }
}

/// A place that no report can go to.
#[derive(Debug)]
pub(crate) struct NoDestination {
    typed: PathBuf,
    kind: NoDestinationKind,
}

#[derive(Debug)]
enum NoDestinationKind {
    Directory,
    NoName,
    NoParent(PathBuf),
    FileAsParent(PathBuf),
    System(io::Error),
}

impl std::fmt::Display for NoDestination {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.typed.display();
        match &self.kind {
            NoDestinationKind::Directory => {
                write!(formatter, "`{shown}` is a directory, and a report needs a file")
            }
            NoDestinationKind::NoName => write!(formatter, "`{shown}` is not the name of a file"),
            NoDestinationKind::NoParent(parent) => write!(
                formatter,
                "`{shown}` cannot be written: the directory `{}` does not exist",
                parent.display()
            ),
            NoDestinationKind::FileAsParent(parent) => {
                write!(formatter, "`{shown}` cannot be written: `{}` is not a directory", parent.display())
            }
            NoDestinationKind::System(error) => {
                write!(formatter, "`{shown}` cannot be written: {}", plain(error))
            }
        }
    }
}

impl From<NoDestination> for String {
    fn from(error: NoDestination) -> Self {
        error.to_string()
    }
}

/// A file that could not be written, with which the others were not written either.
#[derive(Debug)]
pub(crate) struct Unwritten {
    typed: PathBuf,
    error: io::Error,
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "`{}` cannot be written: {}", self.typed.display(), plain(&self.error))
    }
}

impl From<Unwritten> for String {
    fn from(error: Unwritten) -> Self {
        error.to_string()
    }
}

/// Writes every text whole, or none of them if one cannot be written.
pub(crate) fn write_all<T: AsRef<[u8]>>(
    texts: &[(Destination, T)],
    system: &dyn System,
) -> Result<(), Unwritten> {
    let write = |(destination, text): &(Destination, T)| {
        let text = text.as_ref().to_vec();
        (destination.clone(), move |out: &mut dyn Write| out.write_all(&text))
    };
    write_with(&texts.iter().map(write).collect::<Vec<_>>(), system)
}

/// The same for reports that are written bit by bit.
pub(crate) fn write_with<F>(reports: &[(Destination, F)], system: &dyn System) -> Result<(), Unwritten>
where
    F: Fn(&mut dyn Write) -> io::Result<()>,
{
    let files: Vec<NewFile<'_>> = reports
        .iter()
        .map(|(destination, content)| NewFile {
            path: &destination.real,
            placing: destination.placing,
            content,
        })
        .collect();
    system.write_together(&files).map_err(|failed| Unwritten {
        typed: reports.get(failed.file).map(|(destination, _)| destination.typed.clone()).unwrap_or_default(),
        error: failed.error,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::machine::Machine;

    fn machine() -> Machine {
        Machine::new(std::env::temp_dir(), BTreeMap::new())
    }

    fn to(path: &Path) -> Result<Destination, String> {
        Destination::new(path, &machine()).map_err(String::from)
    }

    fn write_all<T: AsRef<[u8]>>(texts: &[(Destination, T)]) -> Result<(), String> {
        super::write_all(texts, &machine()).map_err(String::from)
    }

    fn names(directory: &TempDir) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn reports_replace_what_was_there() {
        let directory = TempDir::new().unwrap();
        let (one, two) = (directory.path().join("one"), directory.path().join("two"));
        fs::write(&one, "before, and longer than what follows").unwrap();
        let reports = [(to(&one).unwrap(), "1".to_owned()), (to(&two).unwrap(), "2".to_owned())];
        write_all(&reports).unwrap();
        assert_eq!(
            (fs::read_to_string(&one).unwrap(), fs::read_to_string(&two).unwrap()),
            ("1".into(), "2".into())
        );
        assert_eq!(names(&directory), ["one", "two"]);
    }

    #[test]
    fn if_one_cannot_be_written_none_is() {
        let directory = TempDir::new().unwrap();
        let (one, gone) = (directory.path().join("one"), directory.path().join("gone"));
        fs::write(&one, "before").unwrap();
        fs::create_dir(&gone).unwrap();
        let two = to(&gone.join("two")).unwrap();
        fs::remove_dir(&gone).unwrap();
        let error = write_all(&[(to(&one).unwrap(), "1".to_owned()), (two, "2".to_owned())]).unwrap_err();
        assert!(error.ends_with("cannot be written: No such file or directory"), "{error}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "before");
        assert_eq!(names(&directory), ["one"]);
    }

    #[test]
    fn a_place_that_cannot_be_is_refused_before_the_run() {
        let directory = TempDir::new().unwrap();
        let refused = |path: &Path| to(path).unwrap_err();
        assert!(refused(directory.path()).ends_with("is a directory, and a report needs a file"));
        assert!(refused(&directory.path().join("no/report")).contains("does not exist"));
        fs::write(directory.path().join("file"), "").unwrap();
        assert!(refused(&directory.path().join("file/report")).contains("is not a directory"));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_and_rights_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = TempDir::new().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write_all(&[(to(&real).unwrap(), "1".to_owned())]).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "1");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        write_all(&[(to(&link).unwrap(), "2".to_owned())]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        assert_eq!(
            (fs::read_to_string(&real).unwrap().as_str(), fs::read_to_string(&link).unwrap().as_str()),
            ("1", "2")
        );
        let dangling = directory.path().join("dangling");
        symlink("nowhere", &dangling).unwrap();
        write_all(&[(to(&dangling).unwrap(), "3".to_owned())]).unwrap();
        assert!(!directory.path().join("nowhere").exists() && dangling.exists());
    }

    #[test]
    fn what_cannot_all_be_put_in_place_is_taken_back() {
        let directory = TempDir::new().unwrap();
        let (one, two) = (directory.path().join("one"), directory.path().join("two"));
        let reports = [(to(&one).unwrap(), "1"), (to(&two).unwrap(), "2")];
        // Nothing can be renamed to a directory with something in it.
        fs::create_dir_all(two.join("inside")).unwrap();
        assert!(write_all(&reports).is_err());
        assert!(!one.exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
