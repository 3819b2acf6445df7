//! Scripts and templates that a manifest names exist in the package, and scripts are executable.

use trueline_diagnostic::{Code, Diagnostic, Severity, nearest};
use trueline_source::{EntryKind, LoadErrorKind, Loader, normalize_path};

use crate::field::Field;
use crate::manifest::Subject;
use crate::shell;

pub(crate) static CODE: Code = Code {
    id: "TL0316",
    name: "package-file",
    severity: Severity::Error,
    summary: "A file that the manifest names is missing or not executable",
    explanation: "Scripts for installation, configuration, validation, removal, upgrade and hooks, and the sources \
                  of templates, are files of the package. A missing one makes its step fail, possibly long after \
                  the extension was published.\n\nA missing script for removal or upgrade is a warning, because \
                  the extension can be installed without it. A script that is not executable is an error if it is \
                  run directly, as hooks are, and a warning if it is passed to a shell. Make it executable with \
                  `chmod +x`, or with `git update-index --chmod=+x`.",
    wrong: "# the package holds extension.yaml and scripts/setup.sh\ninstall:\n  method: script\n  script:\n    path: scripts/install.sh\n",
    right: "install:\n  method: script\n  script:\n    path: scripts/setup.sh\n",
};

const MISSING: &str = "does not exist in the package";

/// A file of the package that the manifest names.
pub(super) struct PackageFile<'a> {
    /// What it is, in words.
    pub(super) what: &'static str,
    /// The field that names it.
    pub(super) field: Field<'a>,
    /// Its path as typed.
    pub(super) path: String,
    /// How it is used.
    usage: Usage,
}

/// How a file is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usage {
    /// It is read.
    Read,
    /// It is passed to a shell.
    Shell,
    /// It is passed to a shell, but only after the extension was installed.
    LaterShell,
    /// It is run directly.
    Start,
    /// Another rule checks it.
    Elsewhere,
}

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(package) = subject.package.as_deref() else { return };
    for file in files(subject) {
        let Ok(path) = normalize_path(&file.path) else { continue };
        if file.usage == Usage::Elsewhere || file.path.starts_with("~/") {
            continue;
        }
        let problem = match package.entry(&path) {
            Ok(entry) => match (entry.kind, file.usage) {
                (EntryKind::Directory, _) => {
                    Some(("is a directory, not a file", Severity::Error, "name a file"))
                }
                (EntryKind::File, Usage::Start) if !entry.executable => {
                    Some(("is not executable", Severity::Error, "make it executable with `chmod +x`"))
                }
                (EntryKind::File, Usage::Shell | Usage::LaterShell) if !entry.executable => {
                    Some(("is not executable", Severity::Warning, "make it executable with `chmod +x`"))
                }
                _ => None,
            },
            Err(error) => match error.kind {
                LoadErrorKind::Outside => None,
                LoadErrorKind::NotFound => {
                    let later = file.usage == Usage::LaterShell;
                    let severity = if later { Severity::Warning } else { Severity::Error };
                    Some((MISSING, severity, "add the file, or name an existing one"))
                }
                _ => Some(("cannot be read", Severity::Error, "make the file readable")),
            },
        };
        if let Some((what, severity, help)) = problem {
            let message = format!("{} `{}` {what}", file.what, file.path);
            let finding = file.field.finding(&CODE, message).severity(severity);
            findings.push(match similar(package, &path).filter(|_| what == MISSING) {
                Some(near) => offer(&file, finding, &near),
                None => finding.help(help),
            });
        }
    }
}

/// Suggests the file that was probably meant.
fn offer(file: &PackageFile<'_>, finding: Diagnostic, near: &str) -> Diagnostic {
    // A program of the package is only found with `./` before it.
    let near = if file.path.starts_with("./") { format!("./{near}") } else { near.to_owned() };
    let finding = finding.help(format!("did you mean `{near}`?"));
    // In a shell line the path is only a part of the value.
    if file.field.text() == Some(file.path.as_str()) { file.field.offer(finding, &near) } else { finding }
}

/// The file of the package whose path differs only in case or in one letter per part.
fn similar(package: &dyn Loader, path: &str) -> Option<String> {
    let mut found = String::new();
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let kind = if parts.peek().is_some() { EntryKind::Directory } else { EntryKind::File };
        let entries = package.list(&found).ok()?;
        let names: Vec<&str> =
            entries.iter().filter(|entry| entry.kind == kind).map(|entry| entry.name.as_str()).collect();
        let letters = |text: &str| text.chars().count();
        let near = names.iter().find(|name| **name == part).copied();
        let near = near.or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(part)).copied());
        // `uninstall.sh` is never a typo for `install.sh`, however close it is.
        let near = near.or_else(|| {
            nearest(part, names.iter().copied()).filter(|near| letters(near).abs_diff(letters(part)) <= 1)
        })?;
        found = if found.is_empty() { near.to_owned() } else { format!("{found}/{near}") };
    }
    Some(found)
}

/// Every file of the package that the manifest names.
pub(super) fn files<'a>(subject: &Subject<'a>) -> Vec<PackageFile<'a>> {
    let mut files = Files::default();
    for install in subject.installs() {
        let section = &install.section;
        files.add("the install script", section.at("script/path"), Usage::Shell);
        files.add("the install script", section.get("script"), Usage::Shell);
        for (_, script) in section.entries_at("scripts") {
            files.add("the install script", script.get("path"), Usage::Shell);
        }
        files.add("the mise configuration", section.at("mise/configFile"), Usage::Elsewhere);
    }
    let root = &subject.root;
    files.add("the configure script", root.at("configure/script/path"), Usage::Shell);
    for validation in subject.validations() {
        files.add("the validation script", validation.at("script/path"), Usage::Shell);
    }
    files.add("the removal script", root.at("remove/script/path"), Usage::LaterShell);
    files.add("the upgrade script", root.at("upgrade/script/path"), Usage::LaterShell);
    for path in ["configure/templates", "configure/files"] {
        for template in root.items_at(path) {
            files.add("the template", template.get("source"), Usage::Read);
        }
    }
    files.add("the project context", root.at("capabilities/project-context/mergeFile/source"), Usage::Read);
    for hook in subject.hooks() {
        files.add("the hook script", hook.get("script"), Usage::Start);
        files.add("the hook script", hook.get("path"), Usage::Start);
        for line in [Some(hook.clone()), hook.get("command")].into_iter().flatten() {
            files.0.extend(scripts_of(&line));
        }
    }
    for command in root.items_at("capabilities/project-init/commands") {
        // These run in the project, where a path of the package is found only through a shell's script.
        if let Some(line) = command.get("command") {
            files.0.extend(scripts_of(&line).into_iter().filter(|file| file.usage == Usage::Shell));
        }
    }
    files.0
}

#[derive(Default)]
struct Files<'a>(Vec<PackageFile<'a>>);

impl<'a> Files<'a> {
    /// Adds a file, unless its path contains a variable, which only the target machine can resolve.
    fn add(&mut self, what: &'static str, field: Option<Field<'a>>, usage: Usage) {
        if let Some(field) = field
            && let Some(path) = field.text()
            && !path.contains(['$', '{'])
        {
            self.0.push(PackageFile { what, path: path.to_owned(), field, usage });
        }
    }
}

/// Programs that start the program after them.
const WRAPPERS: &[&str] =
    &["sudo", "exec", "env", "nohup", "command", "time", "nice", "!", "if", "then", "else", "do"];

/// Programs that run the script after them.
const INTERPRETERS: &[&str] =
    &["bash", "sh", "dash", "zsh", "ksh", "source", ".", "python", "python3", "node", "ruby", "perl"];

/// Programs after which a relative path is no longer one of the package, or may have just been created.
const MOVERS: &[&str] = &[
    "cd", "pushd", "popd", "git", "curl", "wget", "tar", "unzip", "cp", "mv", "ln", "mkdir", "install",
    "rsync",
];

/// The scripts of the package that a shell line starts: `./x.sh`, `scripts/x.sh`, `sudo bash -x scripts/x.sh`.
fn scripts_of<'a>(field: &Field<'a>) -> Vec<PackageFile<'a>> {
    let mut files = Vec::new();
    for words in field.text().map(shell::commands).unwrap_or_default() {
        let mut words = words
            .iter()
            .map(String::as_str)
            .skip_while(|word| WRAPPERS.contains(word) || shell::is_assignment(word));
        let Some(program) = words.next() else { continue };
        let name = program.rsplit('/').next().unwrap_or(program);
        if MOVERS.contains(&name) {
            break;
        }
        let (path, usage) = if INTERPRETERS.contains(&name) && (name == program || program.starts_with('/')) {
            // `bash -c '…'` has no script; other options precede it.
            let mut rest = words.skip_while(|word| word.starts_with('-') && !word.ends_with(['c', 'e', 'm']));
            let Some(path) = rest.next().filter(|word| !word.starts_with('-')) else { continue };
            (path, Usage::Shell)
        } else {
            (program, Usage::Start)
        };
        let named = path.contains('/') || path.ends_with(".sh");
        // An absolute path or one below the home directory is a program of the machine, not of the package.
        if named && !path.starts_with(['/', '~']) && !path.contains(['$', '{', '*']) {
            files.push(PackageFile {
                what: "the hook script",
                field: field.clone(),
                path: path.to_owned(),
                usage,
            });
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    fn bench() -> Bench {
        Bench::new(check)
            .script("install.sh")
            .script("scripts/x.sh")
            .file("plain.sh", "")
            .file("t/a.template", "")
    }

    #[test]
    fn existing_files_pass() {
        bench().accepts(&[
            "install: {method: script, script: {path: install.sh}}",
            "install: {method: script, script: ./install.sh, scripts: {fedora: {path: scripts/x.sh}}}",
            "install: {hybrid: {steps: [{method: script, script: {path: scripts/x.sh}}]}}",
            "configure: {templates: [{source: t/a.template}], files: [{source: plain.sh}]}",
            "validate: {script: {path: scripts/x.sh}}\nremove: {script: {path: ./scripts/x.sh}}",
            "capabilities: {hooks: {post-install: {command: 'bash scripts/x.sh --now'}}}",
            "capabilities: {hooks: {post-install: {command: './scripts/x.sh && echo done'}}}",
            "hooks: {post_install: scripts/x.sh, pre_install: [install.sh, {script: scripts/x.sh}]}",
            "capabilities: {hooks: {pre-install: {command: \"echo 'a/b.sh'\"}, post-install: {command: 'bash -c x'}}}",
            "capabilities: {hooks: {post-install: {command: '~/x/y.sh; $HOME/z.sh; /usr/bin/env'}}}",
            "capabilities: {hooks: {post-install: {command: 'cd scripts && ./x.sh'}}}",
            "capabilities: {hooks: {post-install: {command: 'git clone https://example.com/b && b/install.sh'}}}",
            "capabilities: {hooks: {post-install: {command: 'sudo bash -x scripts/x.sh; python3 -m x/y'}}}",
            "capabilities: {project-init: {commands: [{command: bash scripts/x.sh}, {command: ./gradlew}, {description: x}]}}",
            "install: {script: {path: ../outside.sh}}\nupgrade: {script: {path: '${X}/y.sh'}}",
            "configure: {templates: [{source: ~/x}]}",
        ]);
        Bench::new(check).accepts(&["install: {script: {path: nothing-is-known.sh}}"]);
    }

    #[test]
    fn missing_files_are_reported_at_their_name() {
        bench().rejects(&[
            (
                "install: {method: script, script: {path: «setup.sh»}}",
                "the install script `setup.sh` does not exist in the package",
            ),
            ("install: {method: script, script: «'setup.sh'»}", "the install script `setup.sh`"),
            ("install: {scripts: {opensuse: {path: «s.sh»}}}", "the install script `s.sh` does not exist"),
            ("configure: {templates: [{source: «b.template»}]}", "the template `b.template` does not exist"),
            ("configure: {script: {path: «c.sh»}}", "the configure script `c.sh` does not exist"),
            ("validate: {script: {path: «scripts»}}", "`scripts` is a directory, not a file"),
            (
                "capabilities: {hooks: {post-install: {command: «bash scripts/y.sh»}}}",
                "the hook script `scripts/y.sh`",
            ),
            (
                "capabilities: {hooks: {post-install: {command: «true; . ./env.sh»}}}",
                "the hook script `./env.sh`",
            ),
            ("hooks: {post_install: «setup.sh»}", "the hook script `setup.sh` does not exist"),
            ("hooks: {post_install: «bash -x s/no.sh»}", "the hook script `s/no.sh` does not exist"),
            ("hooks: {post_install: «/bin/bash s/no.sh»}", "the hook script `s/no.sh` does not exist"),
            ("hooks: {post_install: «env A=1 ./s/no.sh»}", "the hook script `./s/no.sh` does not exist"),
            ("hooks: {post_install: «python3 s/no.py»}", "the hook script `s/no.py` does not exist"),
            ("hooks: {post_install: [{path: «a»}]}", "the hook script `a` does not exist"),
            (
                "capabilities: {project-init: {commands: [{command: «sh init.sh»}]}}",
                "`init.sh` does not exist",
            ),
            ("capabilities: {project-context: {mergeFile: {source: «S.md»}}}", "the project context `S.md`"),
        ]);
    }

    #[test]
    fn the_file_that_was_meant_is_named() {
        let other = "add the file, or name an existing one";
        for (text, help, fix) in [
            ("install: {script: {path: Install.sh}}", "did you mean `install.sh`?", Some("install.sh")),
            ("install: {script: {path: 'instal.sh'}}", "did you mean `install.sh`?", Some("'install.sh'")),
            ("install: {script: {path: script/X.SH}}", "did you mean `scripts/x.sh`?", Some("scripts/x.sh")),
            (
                "hooks: {post_install: ./scripts/xx.sh}",
                "did you mean `./scripts/x.sh`?",
                Some("./scripts/x.sh"),
            ),
            ("hooks: {post_install: bash Install.sh now}", "did you mean `install.sh`?", None),
            (
                "configure: {templates: [{source: T/a.templat}]}",
                "did you mean `t/a.template`?",
                Some("t/a.template"),
            ),
            ("install: {script: {path: uninstall.sh}}", other, None),
            ("install: {script: {path: other/x.sh}}", other, None),
            ("install: {script: {path: install.sh/x.sh}}", other, None),
        ] {
            let findings = bench().findings(text);
            assert_eq!(findings[0].help.as_deref(), Some(help), "{text}");
            let replacement = findings[0].fix.as_ref().map(|fix| fix.edits[0].replacement.as_str());
            assert_eq!(replacement, fix, "{text}");
        }
    }

    #[test]
    fn scripts_that_cannot_be_run_are_reported() {
        bench().rejects(&[
            ("install: {script: {path: «plain.sh»}}", "the install script `plain.sh` is not executable"),
            ("hooks: {post_install: «./plain.sh»}", "the hook script `./plain.sh` is not executable"),
            ("hooks: {post_install: {script: «plain.sh»}}", "is not executable"),
            ("capabilities: {hooks: {post-install: {command: «bash plain.sh»}}}", "is not executable"),
            ("upgrade: {script: {path: «plain.sh»}}", "the upgrade script `plain.sh` is not executable"),
        ]);
    }

    #[test]
    fn files_that_cannot_be_read_are_reported() {
        use crate::rules::testing::Unreadable;
        let bench = Bench::new(check).loader(Unreadable(LoadErrorKind::Denied));
        bench.rejects(&[("install: {script: {path: «a.sh»}}", "the install script `a.sh` cannot be read")]);
        // A link to outside the package is reported by its own rule.
        let bench = Bench::new(check).loader(Unreadable(LoadErrorKind::Outside));
        bench.accepts(&["install: {script: {path: a.sh}}"]);
    }

    #[test]
    fn a_missing_file_that_does_not_block_installation_is_a_warning() {
        for (text, severity) in [
            ("remove: {script: {path: no.sh}}", Severity::Warning),
            ("upgrade: {script: {path: no.sh}}", Severity::Warning),
            ("install: {script: {path: plain.sh}}", Severity::Warning),
            ("hooks: {post_install: ./plain.sh}", Severity::Error),
            ("validate: {script: {path: no.sh}}", Severity::Error),
        ] {
            assert_eq!(bench().findings(text)[0].severity, severity, "{text}");
        }
    }
}
