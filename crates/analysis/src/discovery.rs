//! From paths that somebody names to loaders: what each may read, and how its files are called.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use trueline_source::{
    Entry, LoadError, LoadErrorKind, Loader, MemoryLoader, OverlayLoader, Stat, System, failure, plain,
    read_bounded,
};

use crate::config::FILE_NAME;
use crate::input::{ConfigFile, Input};
use crate::open_error::OpenError;

/// What stands for standard input on the command line.
pub const STANDARD_INPUT: &str = "-";
/// The name that reports show for standard input.
const STDIN: &str = "<stdin>";
/// No more than this is read from standard input, or from a pipe.
const MAX_STDIN: u64 = 256 << 20;
/// No more than this is read of a `trueline.toml`.
const MAX_CONFIG: u64 = 1 << 20;

/// Which configuration counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ConfigChoice {
    /// The nearest file upwards from each input.
    #[default]
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
pub enum Templates {
    /// A part of its chart, which is checked.
    OfTheirChart,
    /// A file like any other.
    AsNamed,
}

/// A place on the disk that a path on the command line leads to.
#[derive(Debug)]
pub struct OpenedPlace {
    /// Reads below the root that the path belongs to.
    pub loader: Arc<dyn Loader>,
    /// The path in the loader.
    pub path: String,
    /// The loader's root, where it is a directory that exists.
    root: Option<PathBuf>,
}

/// Turns paths into inputs.
#[derive(Debug)]
pub struct Inputs {
    system: Arc<dyn System>,
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
    /// Looks for paths in a system.
    pub fn new(system: Arc<dyn System>, choice: ConfigChoice) -> Result<Self, OpenError> {
        let working_directory =
            system.working_directory().map_err(|error| OpenError::WorkingDirectory(plain(&error)))?;
        Ok(Inputs { system, working_directory, choice, found: BTreeMap::new() })
    }

    /// The inputs of a command line; `-` is standard input. The `templates/` of a chart, a file or folder in it, its
    /// Chart.yaml and its values.yaml stand for the chart, unless it was said what files are: by themselves they say
    /// too little.
    pub fn open(&mut self, paths: &[PathBuf], templates: Templates) -> Result<Vec<Input>, OpenError> {
        let mut has_read_standard_input = false;
        let mut inputs = Vec::new();
        for path in paths {
            let place = if path.as_os_str() == STANDARD_INPUT {
                if std::mem::replace(&mut has_read_standard_input, true) {
                    return Err(OpenError::InputTwice);
                }
                self.standard_input()
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
            let OpenedPlace { loader, path, root } = place;
            inputs.push(Input { loader, path, root, config });
        }
        Ok(inputs)
    }

    /// The chart whose template, folder of templates, description or values a path is.
    fn chart_of_part(&self, typed: &Path) -> Option<PathBuf> {
        let path = self.working_directory.join(typed);
        let metadata = self.system.stat(&path).ok()?;
        let is_package = || PACKAGE_FILES.iter().any(|file| self.system.stat(&path.join(file)).is_ok());
        if !metadata.is_file() && (!metadata.is_directory() || is_package()) {
            return None;
        }
        let above = usize::from(metadata.is_file());
        let folders = path.ancestors().skip(above).filter(|folder| folder.ends_with("templates"));
        let of_template = folders.filter_map(Path::parent);
        let is_own = path.file_name().is_some_and(|name| CHART_FILES.iter().any(|own| name == *own));
        let mut charts = path.parent().filter(|_| is_own).into_iter().chain(of_template);
        let is_chart = |folder: &&Path| self.system.stat(&folder.join("Chart.yaml")).is_ok_and(Stat::is_file);
        charts.find(is_chart).map(Path::to_owned)
    }

    /// Where a path leads. A file's loader has the file's directory as its root.
    pub fn place(&self, typed: &Path) -> OpenedPlace {
        self.try_place(typed).unwrap_or_else(|error| {
            let shown = self.shown(typed);
            OpenedPlace { loader: Arc::new(Failed { shown, error }), path: String::new(), root: None }
        })
    }

    /// A directory; nothing if there is none.
    pub fn directory(&self, typed: &Path) -> Option<Arc<dyn Loader>> {
        self.system.directory(typed, &self.shown(typed)).ok()
    }

    fn try_place(&self, typed: &Path) -> Result<OpenedPlace, LoadError> {
        let shown = self.shown(typed);
        let metadata = self.system.stat(typed);
        if metadata.as_ref().is_ok_and(|metadata| metadata.is_directory()) {
            let loader = self.system.directory(typed, &shown)?;
            return Ok(OpenedPlace { loader, path: String::new(), root: self.system.real(typed).ok() });
        }
        // A person who names a pipe or a device wants it to be read. What is only found is not opened.
        if metadata.is_ok_and(Stat::is_stream) {
            let stream = self.system.open(typed).map_err(|error| failure(&error, &shown))?;
            return Ok(self.stream(read_bounded(stream, MAX_STDIN, &shown), shown));
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
        let directory = self.system.directory(parent, &self.shown(parent))?;
        let root = self.system.real(parent).ok();
        let outside = directory.follow(&name).is_err_and(|error| error.kind == LoadErrorKind::Outside);
        if !outside {
            return Ok(OpenedPlace { loader: directory, path: name, root });
        }
        // A link that leaves its directory is not followed, unless a person has named it.
        let real = self.system.real(typed).map_err(|error| failure(&error, &shown))?;
        let above = self.system.directory(real.parent().unwrap_or(&real), "")?;
        let target = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = above.read(target).map_err(|error| LoadError { path: shown, ..error })?;
        let file = MemoryLoader::new(self.shown(parent)).with_file(&name, bytes);
        Ok(OpenedPlace { loader: Arc::new(OverlayLoader::new(Arc::new(file), directory)), path: name, root })
    }

    /// What standard input holds.
    pub fn standard_input(&self) -> OpenedPlace {
        let read = self.system.standard_input(MAX_STDIN);
        let read = read.map_err(|error| LoadError { path: STDIN.to_owned(), ..error });
        self.stream(read, STDIN.to_owned())
    }

    /// What can be read once and has no directory of its own: the configuration of the working directory counts.
    fn stream(&self, read: Result<Vec<u8>, LoadError>, shown: String) -> OpenedPlace {
        let (directory, name) = shown.rsplit_once('/').unwrap_or(("", &shown));
        let path = name.to_owned();
        let loader: Arc<dyn Loader> = match read {
            Ok(bytes) => Arc::new(MemoryLoader::new(directory).with_file(&path, bytes)),
            Err(error) => Arc::new(Failed { shown, error }),
        };
        OpenedPlace { loader, path, root: self.system.real(&self.working_directory).ok() }
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
        let real = self.system.real(&self.working_directory.join(directory)).ok()?;
        let below = real.strip_prefix(self.system.real(&self.working_directory).ok()?).ok()?.to_owned();
        Some(below.join(name))
    }

    /// The configuration that counts for a loader's root.
    fn config(&mut self, root: &Path) -> Result<Option<ConfigFile>, OpenError> {
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

    fn nearest(&mut self, root: &Path) -> Result<Option<Arc<FoundConfig>>, OpenError> {
        if let Some(found) = self.found.get(root) {
            return Ok(found.clone());
        }
        let candidate = root.join(FILE_NAME);
        let found = if self.system.stat(&candidate).is_ok_and(Stat::is_file) {
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

    fn read_config(&self, path: &Path) -> Result<FoundConfig, OpenError> {
        let refused = |error: io::Error, name: &str| OpenError::Configuration(failure(&error, name));
        let real = self.system.real(path).map_err(|error| refused(error, &self.shown(path)))?;
        let name = self.shown(if path.is_absolute() { &real } else { path });
        let failed = |error: io::Error| refused(error, &name);
        if !self.system.stat(&real).map_err(failed)?.is_file() {
            return Err(OpenError::ConfigurationIsNoFile(name));
        }
        let file = self.system.open(&real).map_err(failed)?;
        let bytes = read_bounded(file, MAX_CONFIG, &name).map_err(OpenError::Configuration)?;
        let text = String::from_utf8(bytes).map_err(|_| OpenError::ConfigurationIsNoText(name.clone()))?;
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
    use trueline_source::MemorySystem;

    fn tree() -> MemorySystem {
        MemorySystem::new()
            .with_file("/repo/trueline.toml", "strict = true\n")
            .with_file("/repo/pkg/extension.yaml", "a: 1\n")
            .with_file("/repo/pkg/deep/notes.txt", "")
            .with_file("/outside.yaml", "b: 2\n")
    }

    fn inputs(system: MemorySystem, choice: ConfigChoice) -> Inputs {
        Inputs::new(Arc::new(system), choice).unwrap()
    }

    fn open(choice: ConfigChoice, path: &str) -> Result<Input, OpenError> {
        opened(tree(), choice, path)
    }

    fn opened(system: MemorySystem, choice: ConfigChoice, path: &str) -> Result<Input, OpenError> {
        let mut inputs = inputs(system, choice);
        inputs.open(&[PathBuf::from(path)], Templates::OfTheirChart).map(|mut inputs| inputs.remove(0))
    }

    #[test]
    fn files_and_directories_are_named_from_the_working_directory() {
        let file = open(ConfigChoice::None, "/repo/./pkg/extension.yaml").unwrap();
        assert_eq!(file.path, "extension.yaml");
        assert_eq!(file.loader.display(&file.path), "repo/pkg/extension.yaml");
        assert_eq!(file.loader.read(&file.path).unwrap(), b"a: 1\n");
        assert_eq!(file.config, None);
        let directory = open(ConfigChoice::None, "repo").unwrap();
        assert_eq!(directory.loader.display("pkg/extension.yaml"), "repo/pkg/extension.yaml");
        let elsewhere =
            opened(tree().seen_from("/repo/pkg/deep"), ConfigChoice::None, "/outside.yaml").unwrap();
        assert_eq!(elsewhere.loader.display(&elsewhere.path), "/outside.yaml");
    }

    #[test]
    fn a_template_stands_for_its_chart() {
        let system = || {
            [
                "chart/Chart.yaml",
                "chart/templates/nested/Chart.yaml",
                "web/Chart.yaml",
                "web/values.yaml",
                "web/other.yaml",
                "web/templates/deep/a.yaml",
                "templates/a.yaml",
                "values.yaml",
            ]
            .iter()
            .fold(tree(), |system, name| system.with_file(&format!("/repo/{name}"), ""))
        };
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
            let input = opened(system(), ConfigChoice::None, typed).unwrap();
            assert_eq!(input.loader.display(&input.path), shown, "{typed}");
        }
        let path = [PathBuf::from("repo/web/templates/deep/a.yaml")];
        let opened = inputs(system(), ConfigChoice::None).open(&path, Templates::AsNamed).unwrap();
        assert_eq!(opened[0].path, "a.yaml");
    }

    #[test]
    fn the_nearest_configuration_upwards_is_found() {
        let config = open(ConfigChoice::Nearest, "repo/pkg/extension.yaml").unwrap().config.unwrap();
        assert_eq!((config.name.as_str(), config.base.as_str()), ("repo/trueline.toml", "pkg"));
        assert_eq!(config.text, "strict = true\n");
        let nearer = tree().with_file("/repo/pkg/trueline.toml", "");
        let config = opened(nearer, ConfigChoice::Nearest, "repo/pkg").unwrap().config.unwrap();
        assert_eq!((config.name.as_str(), config.base.as_str()), ("repo/pkg/trueline.toml", ""));
        let given = ConfigChoice::File("/repo/trueline.toml".into());
        assert_eq!(open(given, "repo/pkg").unwrap().config.unwrap().base, "pkg");
        let missing = ConfigChoice::File("/none.toml".into());
        assert_eq!(open(missing, "repo").unwrap_err().to_string(), "`none.toml` does not exist");
    }

    #[test]
    fn what_is_missing_is_said_when_it_is_asked_for() {
        for path in ["none.yaml", "no/such/file.yaml"] {
            let input = open(ConfigChoice::Nearest, path).unwrap();
            assert_eq!(input.loader.entry(&input.path).unwrap_err().kind, LoadErrorKind::NotFound);
            assert_eq!(input.loader.display(&input.path), path);
        }
    }

    #[test]
    fn standard_input_is_read_once() {
        let mut inputs = inputs(tree().with_standard_input("a: 1"), ConfigChoice::None);
        let dash = PathBuf::from("-");
        let opened = inputs.open(std::slice::from_ref(&dash), Templates::OfTheirChart).unwrap();
        assert_eq!(opened[0].loader.display(&opened[0].path), "<stdin>");
        assert_eq!(opened[0].loader.read(&opened[0].path).unwrap(), b"a: 1");
        let twice = inputs.open(&[dash.clone(), dash], Templates::OfTheirChart);
        assert_eq!(twice.unwrap_err(), OpenError::InputTwice);
    }
}
