//! Reports into files: all of them prepared first, then each put in place in one step.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use trueline_source::plain;

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
        // What the system puts into these directories leads to what is open already, whatever that is.
        let is_system = ["/dev", "/proc"].iter().any(|above| typed.starts_with(above));
        let is_link = fs::symlink_metadata(typed).is_ok_and(|metadata| metadata.is_symlink());
        if let Ok(metadata) = fs::metadata(typed) {
            if metadata.is_dir() {
                return Err(format!("`{shown}` is a directory, and a report needs a file"));
            }
            if is_system {
                return Ok(Destination { typed: typed.to_owned(), real: typed.to_owned(), stream: true });
            }
        }
        // A link is replaced by the file, and what it leads to is left alone: who made the link is not known, and one
        // in a chart could lead anywhere.
        if let Ok(metadata) = fs::metadata(typed)
            && !(is_link && metadata.is_file())
        {
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

    fn prepare(
        &self,
        write: &impl Fn(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<Prepared<'_>> {
        if self.stream {
            let mut file = BufWriter::new(fs::OpenOptions::new().write(true).open(&self.real)?);
            write(&mut file)?;
            file.flush()?;
            return Ok(Prepared { destination: self, file: None });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".trueline-");
        // Temporary files are private by default; a report has the rights of any other new file, or
        // those of the file that it replaces.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(self.real.parent().unwrap_or(Path::new(".")))?;
        if let Ok(metadata) = fs::symlink_metadata(&self.real)
            && metadata.is_file()
        {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        let mut buffered = BufWriter::new(file.as_file_mut());
        write(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        file.as_file().sync_all()?;
        Ok(Prepared { destination: self, file: Some(file) })
    }
}

struct Prepared<'a> {
    destination: &'a Destination,
    file: Option<NamedTempFile>,
}

/// Writes every text whole, or none of them if one cannot be written.
pub(crate) fn write_all<T: AsRef<[u8]>>(texts: &[(Destination, T)]) -> Result<(), String> {
    let write = |(destination, text): &(Destination, T)| {
        let text = text.as_ref().to_vec();
        (destination.clone(), move |out: &mut dyn Write| out.write_all(&text))
    };
    write_with(&texts.iter().map(write).collect::<Vec<_>>())
}

/// The same for reports that are written bit by bit.
pub(crate) fn write_with<F>(reports: &[(Destination, F)]) -> Result<(), String>
where
    F: Fn(&mut dyn Write) -> std::io::Result<()>,
{
    let mut prepared = Vec::new();
    for (destination, write) in reports {
        prepared.push(destination.prepare(write).map_err(|error| destination.fail(&error))?);
    }
    let mut new = Vec::new();
    for Prepared { destination, file } in prepared {
        let Some(file) = file else { continue };
        let is_new = fs::symlink_metadata(&destination.real).is_err();
        if let Err(error) = file.persist(&destination.real) {
            // What was not there before is not there afterwards.
            new.iter().for_each(|path: &&Path| drop(fs::remove_file(path)));
            return Err(destination.fail(&error.error));
        }
        new.extend(is_new.then_some(destination.real.as_path()));
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
    fn links_are_replaced_and_rights_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = TempDir::new().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        fs::write(&real, "").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write_all(&[(Destination::new(&real).unwrap(), "1".to_owned())]).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "1");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        write_all(&[(Destination::new(&link).unwrap(), "2".to_owned())]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        assert_eq!(
            (fs::read_to_string(&real).unwrap().as_str(), fs::read_to_string(&link).unwrap().as_str()),
            ("1", "2")
        );
        let dangling = directory.path().join("dangling");
        symlink("nowhere", &dangling).unwrap();
        write_all(&[(Destination::new(&dangling).unwrap(), "3".to_owned())]).unwrap();
        assert!(!directory.path().join("nowhere").exists() && dangling.exists());
    }

    #[test]
    fn what_cannot_all_be_put_in_place_is_taken_back() {
        let directory = TempDir::new().unwrap();
        let (one, two) = (directory.path().join("one"), directory.path().join("two"));
        let reports = [(Destination::new(&one).unwrap(), "1"), (Destination::new(&two).unwrap(), "2")];
        // Nothing can be renamed to a directory with something in it.
        fs::create_dir_all(two.join("inside")).unwrap();
        assert!(write_all(&reports).is_err());
        assert!(!one.exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
