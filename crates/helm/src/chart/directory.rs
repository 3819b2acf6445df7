//! The files of a chart's directory, in Helm's order.

use std::sync::OnceLock;

use trueline_diagnostic::{Code, Diagnostic};
use trueline_gotemplate::fmt::quote;
use trueline_source::{Entry, EntryKind, Listed, LoadError, LoadErrorKind, Loader};

use super::archive::{LARGEST_CHART, LARGEST_FILE_HELM3};
use super::context::Context;
use super::ignore::{self, PathKind, Rules};
use super::raw::{Content, Raw, about_file};
use super::{CHART_LINK, CHART_TOO_LARGE, Compat, IRREGULAR_FILE, LoadFailure, UNREADABLE_FILE};
use crate::log::{Level, LogLine};

/// Directories in directories.
pub(super) const DEEPEST: usize = 256;

/// A directory of a loader, and the path that Helm's texts name it by.
#[derive(Clone, Copy)]
pub(super) struct Directory<'a> {
    pub(super) loader: &'a dyn Loader,
    pub(super) path: &'a str,
    pub(super) absolute: &'a str,
}

impl Directory<'_> {
    /// The loader's path of a file.
    pub(super) fn inside(&self, name: &str) -> String {
        match (self.path, name) {
            ("", name) => name.to_owned(),
            (path, "") => path.to_owned(),
            (path, name) => format!("{path}/{name}"),
        }
    }

    pub(super) fn shown(&self, name: &str) -> String {
        self.loader.display(&self.inside(name))
    }

    /// Helm's path of a file.
    pub(super) fn absolute(&self, name: &str) -> String {
        format!("{}/{name}", self.absolute.trim_end_matches('/'))
    }

    /// All files that `.helmignore` does not hide.
    pub(super) fn files(self, context: &mut Context<'_>) -> Result<Vec<Raw>, LoadFailure> {
        let rules = match self.loader.read(&self.inside(ignore::FILE)) {
            Ok(bytes) => Rules::parse(&bytes, &self.shown(ignore::FILE), context.sources)?,
            Err(error) if error.kind == LoadErrorKind::NotFound => Rules::standard(),
            Err(error) => return Err(self.unreadable(ignore::FILE, &error, context)),
        };
        let root = self.loader.follow(self.path).unwrap_or_else(|_| self.path.to_owned());
        let mut walk = Walk {
            directory: self,
            shown: self.shown(""),
            rules,
            context,
            files: Vec::new(),
            left: LARGEST_CHART,
            open: vec![root],
        };
        let walked = walk.directory("");
        let listed = walk.files;
        let contents: Vec<OnceLock<Result<Content, LoadError>>> = vec![OnceLock::new(); listed.len()];
        self.loader.read_each(&listed, &|number, read| {
            if let Some(content) = contents.get(number) {
                // Each number comes once.
                let _ = content.set(read.map(Content::from));
            }
        });
        let mut files = Vec::with_capacity(listed.len());
        for (listed, content) in listed.into_iter().zip(contents) {
            let name = below(&listed.path, self.path).to_owned();
            let not_read = || Err(LoadError::new(LoadErrorKind::Other, &name));
            let content = content.into_inner().unwrap_or_else(not_read).map_err(|error| {
                self.unreadable(&name, &error, context).within(format_args!("error reading {name}"))
            })?;
            let shown = self.shown(&name);
            let modified = context.times.and_then(|times| times(&self.inside(&name)));
            files.push(Raw::new(name, shown, content).modified_at(modified));
        }
        // Helm reads while it walks, so what cannot be read comes before what the walk stopped at.
        walked.map(|()| files)
    }

    /// The system does not give a file.
    pub(super) fn unreadable(&self, name: &str, error: &LoadError, context: &Context<'_>) -> LoadFailure {
        let finding = about_file(context.sources, self.shown(name), &UNREADABLE_FILE, error.to_string());
        LoadFailure::new(self.system_text(name, error), vec![finding])
    }

    /// Go's text for a failed system call.
    pub(super) fn system_text(&self, name: &str, error: &LoadError) -> String {
        let path = self.absolute(name);
        match error.kind {
            LoadErrorKind::NotFound => format!("open {path}: no such file or directory"),
            LoadErrorKind::Denied => format!("open {path}: permission denied"),
            LoadErrorKind::WrongKind => format!("read {path}: is a directory"),
            _ => format!("open {path}: {error}"),
        }
    }
}

struct Walk<'a, 'b> {
    directory: Directory<'a>,
    shown: String,
    rules: Rules,
    context: &'a mut Context<'b>,
    /// The files that are to be read.
    files: Vec<Listed>,
    /// Bytes that may still be read.
    left: u64,
    /// Where the directories really are that the walk is in: a link to one of them leads round in a circle.
    open: Vec<String>,
}

impl Walk<'_, '_> {
    fn directory(&mut self, name: &str) -> Result<(), LoadFailure> {
        let directory = self.directory;
        let entries = directory
            .loader
            .list(&directory.inside(name))
            .map_err(|error| directory.unreadable(name, &error, self.context))?;
        for entry in entries {
            let name = if name.is_empty() { entry.name.clone() } else { format!("{name}/{}", entry.name) };
            self.context.count_file(&self.shown)?;
            self.entry(&name, &entry)?;
        }
        Ok(())
    }

    fn entry(&mut self, name: &str, entry: &Entry) -> Result<(), LoadFailure> {
        let target = if entry.link { Some(self.follow(name)?) } else { None };
        let kind = if entry.kind == EntryKind::Directory { PathKind::Directory } else { PathKind::File };
        if self.rules.ignore(name, kind, &mut self.context.log) {
            return Ok(());
        }
        match entry.kind {
            EntryKind::Directory => self.enter(name, target),
            EntryKind::File => {
                let base =
                    target.as_deref().unwrap_or(name).rsplit('/').next().unwrap_or_default().to_owned();
                self.file(name, &base, entry)
            }
            EntryKind::Other => {
                let text = format!(
                    "cannot load irregular file {} as it has file mode type bits set",
                    self.directory.absolute(name)
                );
                Err(self.fail(name, &IRREGULAR_FILE, text, "this is neither a file nor a directory"))
            }
        }
    }

    fn enter(&mut self, name: &str, target: Option<String>) -> Result<(), LoadFailure> {
        let real = target.unwrap_or_else(|| {
            let parent = self.open.last().map(String::as_str).unwrap_or_default();
            let base = name.rsplit('/').next().unwrap_or_default();
            if parent.is_empty() { base.to_owned() } else { format!("{parent}/{base}") }
        });
        if self.open.contains(&real) {
            let text = format!("error evaluating symlink {}: too many links", self.directory.absolute(name));
            return Err(self.fail(name, &CHART_LINK, text, "this link leads round in a circle"));
        }
        if self.open.len() >= DEEPEST {
            let text = too_deep();
            return Err(self.fail(name, &CHART_TOO_LARGE, text, "this directory is nested too deeply"));
        }
        self.open.push(real);
        self.directory(name)?;
        self.open.pop();
        Ok(())
    }

    /// Where a link leads to. Helm says so of each, because links can be used for bad things.
    fn follow(&mut self, name: &str) -> Result<String, LoadFailure> {
        let directory = self.directory;
        let link = directory.absolute(name);
        match directory.loader.follow(&directory.inside(name)) {
            Ok(target) => {
                let resolved = directory.absolute(below(&target, directory.path));
                let line = LogLine::new(
                    Level::Info,
                    "found symbolic link in path. Contents of linked file included and used",
                )
                .with("path", link.as_str())
                .with("resolved", resolved.as_str())
                .in_helm3(
                    "walk.go:75",
                    format!("found symbolic link in path: {link} resolves to {resolved}. Contents of linked file included and used"),
                );
                self.context.log.push(line);
                Ok(target)
            }
            Err(error) if error.kind == LoadErrorKind::NotFound => {
                let missing = match error.path.as_str() {
                    path if path.starts_with('/') => path.to_owned(),
                    path => directory.absolute(below(path, directory.path)),
                };
                let text =
                    format!("error evaluating symlink {link}: lstat {missing}: no such file or directory");
                Err(self.fail(name, &CHART_LINK, text, "this link cannot be resolved"))
            }
            Err(error) if error.kind == LoadErrorKind::Outside => {
                let text = format!("error evaluating symlink {link}: it leads out of the chart");
                Err(self.fail(name, &CHART_LINK, text, "this link leads out of the chart"))
            }
            Err(error) => {
                let text = format!("error evaluating symlink {link}: {error}");
                Err(self.fail(name, &CHART_LINK, text, "this link cannot be followed"))
            }
        }
    }

    fn file(&mut self, name: &str, base: &str, entry: &Entry) -> Result<(), LoadFailure> {
        let length = entry.length;
        let too_large = match self.context.compat {
            Compat::Helm3 if length > LARGEST_FILE_HELM3 => Some(format!(
                "chart file {} is larger than the maximum file size {LARGEST_FILE_HELM3}",
                quote(base)
            )),
            Compat::Helm4 if length > self.left => Some(format!(
                "error reading {name}: chart exceeds maximum decompressed size of {LARGEST_CHART} bytes"
            )),
            _ => None,
        };
        if let Some(text) = too_large {
            return Err(self.fail(name, &CHART_TOO_LARGE, text, "the chart is too large with this file"));
        }
        self.left = self.left.saturating_sub(length);
        self.files.push(Listed { path: self.directory.inside(name), length, link: entry.link });
        Ok(())
    }

    fn fail(&self, name: &str, code: &'static Code, text: String, message: &str) -> LoadFailure {
        let finding: Diagnostic = about_file(self.context.sources, self.directory.shown(name), code, message);
        LoadFailure::new(text, vec![finding])
    }
}

/// What is said where directories are nested too deeply, in archives too.
pub(super) fn too_deep() -> String {
    format!("directories are nested more than {DEEPEST} deep")
}

/// A path as it is seen from a directory that it is below.
fn below<'a>(path: &'a str, directory: &str) -> &'a str {
    path.strip_prefix(directory).map_or(path, |inside| inside.trim_start_matches('/'))
}
