//! `--post-renderer`: a program that works the output over. Helm 3 takes any program; Helm 4 takes the name of a
//! plugin.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trueline_helm::chart::Compat;
use trueline_helm::log::{Level, LogLine};
use trueline_helm::release::{RenderedFile, merge_annotated, split_annotated};
use trueline_helm::{expand_variables, quote};
use trueline_source::{Ending, Program, SourceId};
use trueline_yaml::{Document, NodeRef, ReadOptions};

use super::flag::Parsed;
use super::settings;
use crate::world::{World, clean, go_error};

/// Bytes of what a program may write.
const LARGEST_OUTPUT: u64 = 1 << 30;

/// A program that is ready to be run.
#[derive(Debug)]
pub(super) struct PostRenderer {
    program: PathBuf,
    arguments: Vec<String>,
    /// The name and the directory of the plugin, if it is one.
    plugin: Option<(String, String)>,
}

/// Whether the value of the flag names a program that is there; it is asked as soon as the flag is read.
pub(super) fn check(
    name: &str,
    before: &Parsed,
    compat: Compat,
    world: &World,
    log: &mut Vec<LogLine>,
) -> Result<(), String> {
    if name.is_empty() {
        return Ok(());
    }
    if compat == Compat::Helm4 && !before.text_or_empty("post-renderer").is_empty() {
        return Err("cannot specify --post-renderer flag more than once".to_owned());
    }
    find(name, &[], compat, world, log).map(|_| ())
}

fn find(
    name: &str,
    arguments: &[String],
    compat: Compat,
    world: &World,
    log: &mut Vec<LogLine>,
) -> Result<PostRenderer, String> {
    match compat {
        Compat::Helm4 => plugin(name, arguments, world, log),
        Compat::Helm3 => {
            let program = look_path(name, world).map_err(|wrong| {
                format!("unable to find binary at {name}: exec: {}: {wrong}", quote(name))
            })?;
            Ok(PostRenderer { program, arguments: arguments.to_vec(), plugin: None })
        }
    }
}

impl PostRenderer {
    /// The program that the flags name.
    pub(super) fn chosen(parsed: &Parsed, compat: Compat, world: &World) -> Result<Option<Self>, String> {
        let name = parsed.text_or_empty("post-renderer");
        if name.is_empty() {
            return Ok(None);
        }
        let arguments = parsed.list("post-renderer-args");
        // What there is to say about other plugins was said when the flag was read.
        find(name, arguments, compat, world, &mut Vec::new()).map(Some)
    }

    /// What the program makes of its input.
    pub(super) fn run(&self, input: &[u8], world: &World) -> Result<Vec<u8>, String> {
        let variables: Vec<(OsString, OsString)> = match &self.plugin {
            Some((name, directory)) => {
                let set = [("HELM_PLUGIN_NAME", name), ("HELM_PLUGIN_DIR", directory)];
                set.map(|(variable, value)| (variable.into(), value.into())).into()
            }
            None => Vec::new(),
        };
        let program = Program {
            path: &self.program,
            arguments: &self.arguments,
            variables: &variables,
            input,
            patience: None,
            most: LARGEST_OUTPUT,
        };
        let finished = world.system().run(&program).map_err(|error| {
            self.failed(&format!("fork/exec {}: {}", self.program.display(), go_error(&error)), "")
        })?;
        if finished.ending != Ending::Code(0) {
            let said = String::from_utf8_lossy(&finished.complaints);
            return Err(self.failed(&ended(finished.ending), &said));
        }
        if let Some((name, _)) = &self.plugin
            && finished.output.trim_ascii().is_empty()
        {
            return Err(format!("post-renderer {} produced empty output", quote(name)));
        }
        Ok(finished.output)
    }

    fn failed(&self, why: &str, said: &str) -> String {
        match &self.plugin {
            Some((name, _)) => {
                let name = quote(name);
                format!("failed to invoke post-renderer plugin {name}: plugin {name} exited with error")
            }
            None => {
                format!(
                    "error while running command {}. error output:\n{said}: {why}",
                    self.program.display()
                )
            }
        }
    }
}

/// Sends the rendered files through a plugin.
pub(super) fn over_files(
    files: Vec<RenderedFile>,
    program: &PostRenderer,
    world: &World,
) -> Result<Vec<RenderedFile>, String> {
    let stream = merge_annotated(&files)?;
    let output = program
        .run(stream.as_bytes(), world)
        .map_err(|wrong| format!("error while running post render on files: {wrong}"))?;
    Ok(split_annotated(&output)?)
}

fn ended(ending: Ending) -> String {
    match ending {
        Ending::Code(code) => format!("exit status {code}"),
        Ending::Signal(signal) => format!("signal: {signal}"),
        Ending::Unknown => "it ended".to_owned(),
    }
}

/// Where a program is, as a shell would find it.
fn look_path(name: &str, world: &World) -> Result<PathBuf, String> {
    if name.contains('/') {
        let path = world.path(name);
        return is_program(&path, world).map(|()| clean(&path)).map_err(|wrong| match wrong.as_str() {
            "no such file or directory" => format!("stat {name}: {wrong}"),
            _ => wrong,
        });
    }
    let directories = world.environment().get(OsStr::new("PATH")).cloned().unwrap_or_default();
    std::env::split_paths(&directories)
        .map(|directory| world.directory().join(directory).join(name))
        .find(|path| is_program(path, world).is_ok())
        .map(|path| clean(&path))
        .ok_or_else(|| "executable file not found in $PATH".to_owned())
}

fn is_program(path: &Path, world: &World) -> Result<(), String> {
    let stat = world.stat(path).map_err(|error| go_error(&error))?;
    if stat.is_directory() {
        return Err("is a directory".to_owned());
    }
    match world.system().is_executable(path) {
        Ok(true) => Ok(()),
        Ok(false) => Err("permission denied".to_owned()),
        Err(error) => Err(go_error(&error)),
    }
}

/// The plugin of a name, of those that work output over.
fn plugin(
    name: &str,
    arguments: &[String],
    world: &World,
    log: &mut Vec<LogLine>,
) -> Result<PostRenderer, String> {
    for directory in std::env::split_paths(&settings::plugins(world)) {
        let base = world.directory().join(&directory);
        let names = world.names(&base).into_iter();
        let mut folders: Vec<PathBuf> = names.map(|name| base.join(name)).collect();
        folders.sort();
        for folder in folders {
            let file = folder.join("plugin.yaml");
            let bytes = world.read_file(&file.to_string_lossy()).ok();
            let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
            match declared(&text) {
                Ok(Some(document)) if text_of(document.root(), "name") == name => {
                    return prepared(&document, name, &folder, arguments, world);
                }
                Ok(_) => {}
                Err(wrong) => {
                    let folder = quote(folder.to_string_lossy().as_bytes());
                    log.push(
                        LogLine::new(Level::Warn, "failed to load plugin (ignoring)")
                            .with("plugin_yaml", file.to_string_lossy())
                            .with("error", format!("failed to load plugin {folder}: {wrong}")),
                    );
                }
            }
        }
    }
    Err(format!("plugin: {{Name:{name} Type:postrenderer/v1}} not found"))
}

fn text_of<'d>(node: NodeRef<'d>, key: &str) -> &'d str {
    node.get(key).and_then(|value| value.text()).unwrap_or_default()
}

/// What a plugin.yaml says, if it is that of a plugin which works output over.
fn declared(text: &str) -> Result<Option<Document>, String> {
    let stream = trueline_yaml::read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
    let document = match stream.first() {
        Ok(Some(document)) => document,
        Ok(None) => return Err("failed to peek plugin.yaml API version: EOF".to_owned()),
        Err(error) => return Err(format!("failed to peek plugin.yaml API version: {}", error.go_text)),
    };
    let root = document.root();
    match text_of(root, "apiVersion") {
        // Plugins of older Helms are commands or fetch charts.
        "" => return Ok(None),
        "v1" => {}
        other => return Err(format!("invalid plugin apiVersion: {}", quote(other))),
    }
    if text_of(root, "version").is_empty() {
        return Err("plugin `version` is required".to_owned());
    }
    if let Some(key) = ["type", "runtime"].into_iter().find(|key| text_of(root, key).is_empty()) {
        return Err(format!("`{key}` missing"));
    }
    Ok(Some(document.clone()).filter(|_| text_of(root, "type") == "postrenderer/v1"))
}

fn prepared(
    document: &Document,
    name: &str,
    folder: &Path,
    arguments: &[String],
    world: &World,
) -> Result<PostRenderer, String> {
    let root = document.root();
    let runtime = text_of(root, "runtime");
    if runtime != "subprocess" {
        return Err(format!("plugins with the runtime {} are not run", quote(runtime)));
    }
    let commands = root.get("runtimeConfig").and_then(|config| config.get("platformCommand"));
    let commands: Vec<NodeRef<'_>> = commands.and_then(|list| list.items()).into_iter().flatten().collect();
    let Some(command) = for_this_platform(&commands) else {
        return Err("failed to prepare plugin command: no plugin command is applicable".to_owned());
    };
    let directory = folder.to_string_lossy().into_owned();
    let expand = |text: &str| {
        expand_variables(text, |variable| match variable {
            "HELM_PLUGIN_NAME" => name.to_owned(),
            "HELM_PLUGIN_DIR" => directory.clone(),
            other => world.variable(other).unwrap_or_default(),
        })
    };
    let mut words = text_of(command, "command").split(' ').map(expand);
    let main = words.next().unwrap_or_default();
    let own = command.get("args").and_then(|list| list.items()).into_iter().flatten();
    let all: Vec<String> = words
        .chain(own.map(|argument| expand(argument.text().unwrap_or_default())))
        .chain(arguments.iter().cloned())
        .collect();
    let program = match main.contains('/') {
        true => world.directory().join(&main),
        false => look_path(&main, world).unwrap_or_else(|_| PathBuf::from(&main)),
    };
    Ok(PostRenderer { program, arguments: all, plugin: Some((name.to_owned(), directory)) })
}

/// The command for this system: for its kind and processor, else for its kind, else for any.
fn for_this_platform<'d>(commands: &[NodeRef<'d>]) -> Option<NodeRef<'d>> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let find = |wanted_system: &str, wanted_processor: &str| {
        commands.iter().copied().find(|command| {
            text_of(*command, "os").eq_ignore_ascii_case(wanted_system)
                && text_of(*command, "arch").eq_ignore_ascii_case(wanted_processor)
        })
    };
    find(system, processor)
        .or_else(|| find(system, ""))
        .or_else(|| find("", ""))
        .filter(|command| !text_of(*command, "command").is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    /// Another process writes it: a program that another test starts meanwhile would have it open for writing, and so it
    /// could not be run.
    fn script(path: &Path, text: &str) {
        let text = format!("#!/bin/sh\n{text}\n");
        let written = Command::new("sh")
            .args(["-c", "printf %s \"$1\" > \"$0\""])
            .arg(path)
            .arg(text)
            .status()
            .unwrap();
        assert!(written.success());
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn world(directory: &Path) -> World {
        let environment = BTreeMap::from([
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("HELM_PLUGINS".into(), directory.join("plugins").into()),
        ]);
        World::new(directory.to_owned(), environment).0
    }

    #[test]
    fn helm3_runs_any_program() {
        let directory = tempfile::TempDir::new().unwrap();
        let world = world(directory.path());
        script(&directory.path().join("up"), "tr a-z A-Z; echo \"$1\"");
        script(&directory.path().join("no"), "echo why >&2; exit 3");
        let find = |name: &str| find(name, &["x".to_owned()], Compat::Helm3, &world, &mut Vec::new());
        assert_eq!(find("./up").unwrap().run(b"ab\n", &world).unwrap(), b"AB\nx\n");
        let error = find("./no").unwrap().run(&[b'x'; 100_000], &world).unwrap_err();
        assert!(error.ends_with("error output:\nwhy\n: exit status 3"), "{error}");
        for (name, wrong) in [
            ("nosuch", "exec: \"nosuch\": executable file not found in $PATH"),
            ("./gone", "exec: \"./gone\": stat ./gone: no such file or directory"),
            (".", "exec: \".\": executable file not found in $PATH"),
            ("./", "exec: \"./\": is a directory"),
        ] {
            assert_eq!(find(name).unwrap_err(), format!("unable to find binary at {name}: {wrong}"));
        }
    }

    #[test]
    fn helm4_runs_plugins() {
        let directory = tempfile::TempDir::new().unwrap();
        let world = world(directory.path());
        let folder = directory.path().join("plugins/one");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join("plugin.yaml"),
            "apiVersion: v1\nname: up\nversion: 0.1.0\ntype: postrenderer/v1\nruntime: subprocess\nruntimeConfig:\n  \
             platformCommand:\n  - {os: plan9, command: no}\n  - {command: '${HELM_PLUGIN_DIR}/run', args: [b]}\n",
        )
        .unwrap();
        script(&folder.join("run"), "cat; echo \"args: $HELM_PLUGIN_NAME $*\"");
        fs::create_dir_all(directory.path().join("plugins/two")).unwrap();
        fs::write(directory.path().join("plugins/two/plugin.yaml"), "apiVersion: v9\n").unwrap();
        let mut log = Vec::new();
        let missing = find("none", &[], Compat::Helm4, &world, &mut log).unwrap_err();
        assert_eq!(missing, "plugin: {Name:none Type:postrenderer/v1} not found");
        assert_eq!(log.len(), 1);
        let found = find("up", &["c".to_owned()], Compat::Helm4, &world, &mut log).unwrap();
        assert_eq!(found.run(b"a: 1\n", &world).unwrap(), b"a: 1\nargs: up b c\n");
        script(&folder.join("run"), "cat > /dev/null");
        assert_eq!(found.run(b"a: 1\n", &world).unwrap_err(), "post-renderer \"up\" produced empty output");
    }
}
