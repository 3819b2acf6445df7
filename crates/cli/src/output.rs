//! Reports into files: all of them prepared first, then each put in place in one step.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::disk::plain;

/// A file that a report goes to, with where it really is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    typed: PathBuf,
    real: PathBuf,
    /// A device or a pipe, which cannot be put in place but only written to.
    stream: bool,
}

impl Destination {
    /// Looks at a place before the run, so that a mistake in it does not cost the run.
    pub(crate) fn new(typed: &Path) -> Result<Self, String> {
        let shown = typed.display();
        if let Ok(metadata) = fs::metadata(typed) {
            if metadata.is_dir() {
                return Err(format!("`{shown}` is a directory, and a report needs a file"));
            }
            let real = fs::canonicalize(typed)
                .map_err(|error| format!("`{shown}` cannot be written: {}", plain(&error)))?;
            return Ok(Destination { typed: typed.to_owned(), real, stream: !metadata.is_file() });
        }
        let name = typed.file_name().ok_or_else(|| format!("`{shown}` is not the name of a file"))?;
        let parent = match typed.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let real = fs::canonicalize(parent).map_err(|_| {
            format!("`{shown}` cannot be written: the directory `{}` does not exist", parent.display())
        })?;
        if !real.is_dir() {
            return Err(format!("`{shown}` cannot be written: `{}` is not a directory", parent.display()));
        }
        Ok(Destination { typed: typed.to_owned(), real: real.join(name), stream: false })
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
        is_configuration && !self.stream && self.real.exists()
    }

    /// Whether it is a device or a pipe, which several reports may go to.
    pub(crate) fn is_stream(&self) -> bool {
        self.stream
    }

    fn fail(&self, error: &std::io::Error) -> String {
        format!("`{}` cannot be written: {}", self.typed.display(), plain(error))
    }

    fn prepare(&self, text: &[u8]) -> std::io::Result<Prepared<'_>> {
        if self.stream {
            fs::OpenOptions::new().write(true).open(&self.real)?.write_all(text)?;
            return Ok(Prepared { destination: self, file: None });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".trueline-");
        // Temporary files are private by default; a report has the rights of any other new file, or
        // those of the file that it replaces.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(self.real.parent().unwrap_or(Path::new(".")))?;
        if let Ok(metadata) = fs::metadata(&self.real) {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        file.write_all(text)?;
        file.as_file().sync_all()?;
        Ok(Prepared { destination: self, file: Some(file) })
    }
}

struct Prepared<'a> {
    destination: &'a Destination,
    file: Option<NamedTempFile>,
}

/// Writes every report whole, or none of them if one cannot be written.
pub(crate) fn write_all<T: AsRef<[u8]>>(reports: &[(Destination, T)]) -> Result<(), String> {
    let mut prepared = Vec::new();
    for (destination, text) in reports {
        prepared.push(destination.prepare(text.as_ref()).map_err(|error| destination.fail(&error))?);
    }
    for Prepared { destination, file } in prepared {
        if let Some(file) = file {
            file.persist(&destination.real).map_err(|error| destination.fail(&error.error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

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
        let reports = [
            (Destination::new(&one).unwrap(), "1".to_owned()),
            (Destination::new(&two).unwrap(), "2".to_owned()),
        ];
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
        let two = Destination::new(&gone.join("two")).unwrap();
        fs::remove_dir(&gone).unwrap();
        let error = write_all(&[(Destination::new(&one).unwrap(), "1".to_owned()), (two, "2".to_owned())])
            .unwrap_err();
        assert!(error.ends_with("cannot be written: No such file or directory"), "{error}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "before");
        assert_eq!(names(&directory), ["one"]);
    }

    #[test]
    fn a_place_that_cannot_be_is_refused_before_the_run() {
        let directory = TempDir::new().unwrap();
        let refused = |path: &Path| Destination::new(path).unwrap_err();
        assert!(refused(directory.path()).ends_with("is a directory, and a report needs a file"));
        assert!(refused(&directory.path().join("no/report")).contains("does not exist"));
        fs::write(directory.path().join("file"), "").unwrap();
        assert!(refused(&directory.path().join("file/report")).contains("is not a directory"));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_rights_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = TempDir::new().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write_all(&[(Destination::new(&link).unwrap(), "1".to_owned())]).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "1");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(Destination::new(&link).unwrap().real(), Destination::new(&real).unwrap().real());
    }
}
