//! From the paths on the command line to loaders: what each may read, and how its files are called.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use trueline_analysis::{CONFIG_FILE_NAME, ConfigFile, Input};
use trueline_source::{Entry, LoadError, LoadErrorKind, Loader, MemoryLoader, OverlayLoader};

use crate::disk::{DiskLoader, failure, read_bounded};

/// What stands for standard input on the command line.
pub(crate) const STANDARD_INPUT: &str = "-";
/// How a text from standard input is called.
const STDIN: &str = "<stdin>";
/// No more than this is read from standard input, or from a pipe.
const MAX_STDIN: u64 = 256 << 20;
/// No more than this is read of a `trueline.toml`.
const MAX_CONFIG: u64 = 1 << 20;

/// Which configuration counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfigChoice {
    /// The nearest file upwards from each input.
    Nearest,
    /// This file, for every input.
    File(PathBuf),
    /// None at all.
    None,
}

/// The files of a chart that say nothing by themselves.
const CHART_FILES: [&str; 5] =
    ["Chart.yaml", "Chart.lock", "values.yaml", "requirements.yaml", "requirements.lock"];

/// The files that make a folder a package of its own, wherever it is.
const PACKAGE_FILES: [&str; 2] = ["Chart.yaml", "extension.yaml"];

/// What a template or another file of a chart is that was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Templates {
    /// A part of its chart, which is checked.
    OfTheirChart,
    /// A file like any other.
    AsNamed,
}

/// A place on the disk that a path on the command line leads to.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) loader: Arc<dyn Loader>,
    /// The path in the loader.
    pub(crate) path: String,
    /// The loader's root, where it is a directory that exists.
    root: Option<PathBuf>,
}

/// Turns paths into inputs.
#[derive(Debug)]
pub(crate) struct Inputs {
    working_directory: PathBuf,
    choice: ConfigChoice,
    /// What was found upwards from a directory: the directory of the file, its name and its text.
    found: BTreeMap<PathBuf, Option<Arc<FoundConfig>>>,
}

#[derive(Debug)]
struct FoundConfig {
    directory: PathBuf,
    name: String,
    text: String,
}

impl Inputs {
    pub(crate) fn new(working_directory: PathBuf, choice: ConfigChoice) -> Self {
        Inputs { working_directory, choice, found: BTreeMap::new() }
    }

    /// The inputs of a command line; `-` is standard input. The `templates/` of a chart, a file or folder in it, its
    /// Chart.yaml and its values.yaml stand for the chart, unless it was said what files are: by themselves they say
    /// too little.
    pub(crate) fn open(
        &mut self,
        paths: &[PathBuf],
        templates: Templates,
        stdin: impl io::Read,
    ) -> Result<Vec<Input>, String> {
        let mut stdin = Some(stdin);
        let mut inputs = Vec::new();
        for path in paths {
            let place = if path.as_os_str() == STANDARD_INPUT {
                let stdin = stdin.take().ok_or("standard input is named twice, but can be read only once")?;
                self.standard_input(stdin)
            } else {
                let chart = match templates {
                    Templates::OfTheirChart => self.chart_of_part(path),
                    Templates::AsNamed => None,
                };
                self.place(chart.as_deref().unwrap_or(path))
            };
            let config = match &place.root {
                Some(root) => self.config(root)?,
                None => None,
            };
            inputs.push(Input { loader: place.loader, path: place.path, config });
        }
        Ok(inputs)
    }

    /// The chart whose template, folder of templates, description or values a path is.
    fn chart_of_part(&self, typed: &Path) -> Option<PathBuf> {
        let path = self.working_directory.join(typed);
        let metadata = fs::metadata(&path).ok()?;
        let is_package = || PACKAGE_FILES.iter().any(|file| fs::metadata(path.join(file)).is_ok());
        if !metadata.is_file() && (!metadata.is_dir() || is_package()) {
            return None;
        }
        let above = usize::from(metadata.is_file());
        let folders = path.ancestors().skip(above).filter(|folder| folder.ends_with("templates"));
        let of_template = folders.filter_map(Path::parent);
        let is_own = path.file_name().is_some_and(|name| CHART_FILES.iter().any(|own| name == *own));
        let mut charts = path.parent().filter(|_| is_own).into_iter().chain(of_template);
        let is_chart =
            |folder: &&Path| fs::metadata(folder.join("Chart.yaml")).is_ok_and(|metadata| metadata.is_file());
        charts.find(is_chart).map(Path::to_owned)
    }

    /// Where a path leads. A file's loader has the file's directory as its root.
    pub(crate) fn place(&self, typed: &Path) -> Place {
        self.try_place(typed).unwrap_or_else(|error| {
            let shown = self.shown(typed);
            Place { loader: Arc::new(Failed { shown, error }), path: String::new(), root: None }
        })
    }

    /// A directory; nothing if there is none.
    pub(crate) fn directory(&self, typed: &Path) -> Option<Arc<dyn Loader>> {
        Some(Arc::new(DiskLoader::new(typed, self.shown(typed)).ok()?))
    }

    fn try_place(&self, typed: &Path) -> Result<Place, LoadError> {
        let shown = self.shown(typed);
        let metadata = fs::metadata(typed);
        if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) {
            let loader = DiskLoader::new(typed, shown)?;
            let root = Some(loader.root().to_owned());
            return Ok(Place { loader: Arc::new(loader), path: String::new(), root });
        }
        if metadata.is_ok_and(|metadata| is_stream(metadata.file_type())) {
            let stream = fs::File::open(typed).map_err(|error| failure(&error, &shown))?;
            return Ok(self.stream(stream, shown));
        }
        let name = match typed.file_name().map(|name| name.to_str()) {
            Some(Some(name)) => name.to_owned(),
            Some(None) => {
                return Err(LoadError::new(LoadErrorKind::Other, shown).with_detail("its name is not UTF-8"));
            }
            None => return Err(LoadError::new(LoadErrorKind::NotFound, shown)),
        };
        let parent = match typed.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = DiskLoader::new(parent, self.shown(parent))?;
        let root = Some(directory.root().to_owned());
        let outside = directory.leaves(&name);
        let directory: Arc<dyn Loader> = Arc::new(directory);
        if !outside {
            return Ok(Place { loader: directory, path: name, root });
        }
        // A link that leaves its directory is not followed, unless a person has named it.
        let real = fs::canonicalize(typed).map_err(|error| failure(&error, &shown))?;
        let above = DiskLoader::new(real.parent().unwrap_or(&real), "")?;
        let target = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = above.read(target).map_err(|error| LoadError { path: shown, ..error })?;
        let file = MemoryLoader::new(self.shown(parent)).with_file(&name, bytes);
        Ok(Place { loader: Arc::new(OverlayLoader::new(Arc::new(file), directory)), path: name, root })
    }

    /// What standard input holds.
    pub(crate) fn standard_input(&self, stdin: impl io::Read) -> Place {
        self.stream(stdin, STDIN.to_owned())
    }

    /// What can be read once and has no directory of its own: the configuration of the working directory counts.
    fn stream(&self, stream: impl io::Read, shown: String) -> Place {
        let (directory, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
        let path = name.to_owned();
        let loader: Arc<dyn Loader> = match read_bounded(stream, MAX_STDIN, &shown) {
            Ok(bytes) => Arc::new(MemoryLoader::new(directory).with_file(&path, bytes)),
            Err(error) => Arc::new(Failed { shown, error }),
        };
        Place { loader, path, root: fs::canonicalize(&self.working_directory).ok() }
    }

    /// A path as a person would type it from the working directory.
    fn shown(&self, typed: &Path) -> String {
        let path = typed.strip_prefix(&self.working_directory).unwrap_or(typed);
        let straight = self.without_ways_up(path);
        let path = straight.as_deref().unwrap_or(path);
        let parts: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        let text = parts.to_string_lossy();
        if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
    }

    /// A path with `..` in it that leads below the working directory, as it is typed without: what is named in two ways is
    /// one thing.
    fn without_ways_up(&self, path: &Path) -> Option<PathBuf> {
        if !path.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let (directory, name) = match path.file_name() {
            Some(name) => (path.parent()?, Path::new(name)),
            None => (path, Path::new("")),
        };
        let real = fs::canonicalize(self.working_directory.join(directory)).ok()?;
        let below = real.strip_prefix(fs::canonicalize(&self.working_directory).ok()?).ok()?.to_owned();
        Some(below.join(name))
    }

    /// The configuration that counts for a loader's root.
    fn config(&mut self, root: &Path) -> Result<Option<ConfigFile>, String> {
        let found = match self.choice.clone() {
            ConfigChoice::None => None,
            ConfigChoice::File(path) => match self.found.get(&path) {
                Some(found) => found.clone(),
                None => {
                    let found = Some(Arc::new(self.read_config(&path)?));
                    self.found.insert(path, found.clone());
                    found
                }
            },
            ConfigChoice::Nearest => self.nearest(root)?,
        };
        Ok(found.map(|found| ConfigFile {
            name: found.name.clone(),
            text: found.text.clone(),
            base: self.base(&found.directory, root),
        }))
    }

    fn nearest(&mut self, root: &Path) -> Result<Option<Arc<FoundConfig>>, String> {
        if let Some(found) = self.found.get(root) {
            return Ok(found.clone());
        }
        let candidate = root.join(CONFIG_FILE_NAME);
        let found = if fs::metadata(&candidate).is_ok_and(|metadata| metadata.is_file()) {
            Some(Arc::new(self.read_config(&candidate)?))
        } else {
            match root.parent() {
                Some(parent) => self.nearest(parent)?,
                None => None,
            }
        };
        self.found.insert(root.to_owned(), found.clone());
        Ok(found)
    }

    fn read_config(&self, path: &Path) -> Result<FoundConfig, String> {
        let real = fs::canonicalize(path).map_err(|error| failure(&error, &self.shown(path)).to_string())?;
        let name = self.shown(if path.is_absolute() { &real } else { path });
        let failed = |error: io::Error| failure(&error, &name).to_string();
        if !fs::metadata(&real).map_err(failed)?.is_file() {
            return Err(format!("`{name}` is not a file"));
        }
        let file = fs::File::open(&real).map_err(failed)?;
        let bytes = read_bounded(file, MAX_CONFIG, &name).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| format!("`{name}` is not UTF-8 text"))?;
        let directory = real.parent().unwrap_or(&real).to_owned();
        Ok(FoundConfig { directory, name, text })
    }

    /// The path from a configuration's directory to a root, with `/`; where there is none, the patterns of
    /// the configuration count from the working directory.
    fn base(&self, directory: &Path, root: &Path) -> String {
        let from = root
            .strip_prefix(directory)
            .or_else(|_| root.strip_prefix(&self.working_directory))
            .unwrap_or(root);
        from.to_string_lossy().replace('\\', "/").trim_matches('/').to_owned()
    }
}

/// Whether a file is a pipe or a device: a person who names one wants it to be read. What is only found is not opened.
#[cfg(unix)]
fn is_stream(file_type: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    file_type.is_fifo() || file_type.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_file_type: fs::FileType) -> bool {
    false
}

/// A path that cannot be resolved: the reason is found when it is asked for.
#[derive(Debug)]
struct Failed {
    shown: String,
    error: LoadError,
}

impl Loader for Failed {
    fn read(&self, _path: &str) -> Result<Vec<u8>, LoadError> {
        Err(self.error.clone())
    }

    fn list(&self, _path: &str) -> Result<Vec<Entry>, LoadError> {
        Err(self.error.clone())
    }

    fn entry(&self, _path: &str) -> Result<Entry, LoadError> {
        Err(self.error.clone())
    }

    fn scoped(&self, _path: &str) -> Result<Arc<dyn Loader>, LoadError> {
        Err(self.error.clone())
    }

    fn display(&self, _path: &str) -> String {
        self.shown.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn tree() -> (TempDir, PathBuf) {
        let directory = TempDir::new().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir_all(root.join("repo/pkg/deep")).unwrap();
        fs::write(root.join("repo/trueline.toml"), "strict = true\n").unwrap();
        fs::write(root.join("repo/pkg/extension.yaml"), "a: 1\n").unwrap();
        fs::write(root.join("outside.yaml"), "b: 2\n").unwrap();
        (directory, root)
    }

    fn open(working_directory: &Path, choice: ConfigChoice, path: &Path) -> Result<Input, String> {
        let mut inputs = Inputs::new(working_directory.to_owned(), choice);
        inputs
            .open(&[path.to_owned()], Templates::OfTheirChart, io::empty())
            .map(|mut inputs| inputs.remove(0))
    }

    #[test]
    fn files_and_directories_are_named_from_the_working_directory() {
        let (_keep, root) = tree();
        let file = open(&root, ConfigChoice::None, &root.join("repo/./pkg/extension.yaml")).unwrap();
        assert_eq!(file.path, "extension.yaml");
        assert_eq!(file.loader.display(&file.path), "repo/pkg/extension.yaml");
        assert_eq!(file.loader.read(&file.path).unwrap(), b"a: 1\n");
        assert_eq!(file.config, None);
        let directory = open(&root, ConfigChoice::None, &root.join("repo")).unwrap();
        assert_eq!(directory.loader.display("pkg/extension.yaml"), "repo/pkg/extension.yaml");
        let elsewhere =
            open(&root.join("repo/pkg/deep"), ConfigChoice::None, &root.join("outside.yaml")).unwrap();
        assert_eq!(elsewhere.loader.display(&elsewhere.path), root.join("outside.yaml").to_str().unwrap());
    }

    #[test]
    fn a_template_stands_for_its_chart() {
        let (_keep, root) = tree();
        fs::create_dir_all(root.join("repo/web/templates/deep")).unwrap();
        fs::create_dir_all(root.join("repo/templates")).unwrap();
        fs::create_dir_all(root.join("repo/chart/templates/nested")).unwrap();
        for name in [
            "chart/Chart.yaml",
            "chart/templates/nested/Chart.yaml",
            "web/Chart.yaml",
            "web/values.yaml",
            "web/other.yaml",
            "web/templates/deep/a.yaml",
            "templates/a.yaml",
            "values.yaml",
        ] {
            fs::write(root.join("repo").join(name), "").unwrap();
        }
        for (typed, shown) in [
            ("repo/web/templates/deep/a.yaml", "repo/web"),
            ("repo/web/templates", "repo/web"),
            ("repo/web/templates/", "repo/web"),
            ("repo/web/templates/deep/.", "repo/web"),
            ("repo/web/../web/templates", "repo/web"),
            ("repo/templates", "repo/templates"),
            ("repo/chart/templates/nested", "repo/chart/templates/nested"),
            ("repo/web/templates/none.yaml", "repo/web/templates/none.yaml"),
            ("repo/templates/a.yaml", "repo/templates/a.yaml"),
            ("repo/web/Chart.yaml", "repo/web"),
            ("repo/web/values.yaml", "repo/web"),
            ("repo/web/other.yaml", "repo/web/other.yaml"),
            ("repo/values.yaml", "repo/values.yaml"),
        ] {
            let input = open(&root, ConfigChoice::None, &root.join(typed)).unwrap();
            assert_eq!(input.loader.display(&input.path), shown, "{typed}");
        }
        let path = [root.join("repo/web/templates/deep/a.yaml")];
        let mut inputs = Inputs::new(root, ConfigChoice::None);
        let opened = inputs.open(&path, Templates::AsNamed, io::empty()).unwrap();
        assert_eq!(opened[0].path, "a.yaml");
    }

    #[test]
    fn the_nearest_configuration_upwards_is_found() {
        let (_keep, root) = tree();
        let config = open(&root, ConfigChoice::Nearest, &root.join("repo/pkg/extension.yaml"))
            .unwrap()
            .config
            .unwrap();
        assert_eq!((config.name.as_str(), config.base.as_str()), ("repo/trueline.toml", "pkg"));
        assert_eq!(config.text, "strict = true\n");
        fs::write(root.join("repo/pkg/trueline.toml"), "").unwrap();
        let config = open(&root, ConfigChoice::Nearest, &root.join("repo/pkg")).unwrap().config.unwrap();
        assert_eq!((config.name.as_str(), config.base.as_str()), ("repo/pkg/trueline.toml", ""));
        let given = ConfigChoice::File(root.join("repo/trueline.toml"));
        assert_eq!(open(&root, given, &root.join("repo/pkg")).unwrap().config.unwrap().base, "pkg");
        let missing = ConfigChoice::File(root.join("none.toml"));
        assert_eq!(open(&root, missing, &root.join("repo")).unwrap_err(), "`none.toml` does not exist");
    }

    #[test]
    fn what_is_missing_is_said_when_it_is_asked_for() {
        let (_keep, root) = tree();
        for path in ["none.yaml", "no/such/file.yaml"] {
            let input = open(&root, ConfigChoice::Nearest, &root.join(path)).unwrap();
            assert_eq!(input.loader.entry(&input.path).unwrap_err().kind, LoadErrorKind::NotFound);
            assert_eq!(input.loader.display(&input.path), path);
        }
    }

    #[test]
    fn standard_input_is_read_once() {
        let (_keep, root) = tree();
        let mut inputs = Inputs::new(root, ConfigChoice::None);
        let dash = PathBuf::from("-");
        let opened = inputs.open(std::slice::from_ref(&dash), Templates::OfTheirChart, &b"a: 1"[..]).unwrap();
        assert_eq!(opened[0].loader.display(&opened[0].path), "<stdin>");
        assert_eq!(opened[0].loader.read(&opened[0].path).unwrap(), b"a: 1");
        assert!(
            inputs
                .open(&[dash.clone(), dash], Templates::OfTheirChart, io::empty())
                .unwrap_err()
                .contains("named twice")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_is_named_is_followed() {
        let (_keep, root) = tree();
        std::os::unix::fs::symlink("../../outside.yaml", root.join("repo/pkg/link.yaml")).unwrap();
        let input = open(&root, ConfigChoice::None, &root.join("repo/pkg/link.yaml")).unwrap();
        assert_eq!(input.loader.read(&input.path).unwrap(), b"b: 2\n");
        assert_eq!(input.loader.display(&input.path), "repo/pkg/link.yaml");
        assert_eq!(input.loader.read("extension.yaml").unwrap(), b"a: 1\n");
        let directory = open(&root, ConfigChoice::None, &root.join("repo/pkg")).unwrap();
        assert_eq!(directory.loader.read("link.yaml").unwrap_err().kind, LoadErrorKind::Outside);
    }
}
