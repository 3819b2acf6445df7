//! Files that a manifest names are inside its package.

use trueline_diagnostic::{Code, Diagnostic, Severity};
use trueline_source::{EntryKind, LoadErrorKind, normalize_path};

use super::script::files;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0317",
    name: "path-outside-package",
    severity: Severity::Error,
    summary: "The path of a package file points outside the package",
    explanation: "Scripts, templates and configuration files belong to the package and are named by a path from \
                  the directory of `extension.yaml`. An absolute path, a path that leaves the package with `..`, \
                  or a link to outside would read or run something that is not part of the extension.\n\nPut the \
                  file into the package and name it from there.",
    wrong: "install:\n  method: script\n  script:\n    path: ../shared/install.sh\n",
    right: "install:\n  method: script\n  script:\n    path: scripts/install.sh\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for file in files(subject) {
        let path = file.path.as_str();
        let leaves = path.starts_with("~/") || normalize_path(path).is_err();
        let linked = || {
            subject.package.as_deref().is_some_and(|package| match package.entry(path) {
                Ok(entry) => entry.kind == EntryKind::Other,
                Err(error) => error.kind == LoadErrorKind::Outside,
            })
        };
        if leaves || linked() {
            let message = format!("{} `{path}` is outside the package", file.what);
            let finding = file.field.finding(&CODE, message);
            findings.push(
                finding.help("put the file into the package and name it from the directory of the manifest"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn paths_inside_the_package_pass() {
        Bench::new(check).accepts(&[
            "install: {method: script, script: {path: install.sh}}",
            "install: {method: script, script: {path: ./scripts/../install.sh}}",
            "configure: {templates: [{source: a/b.template, destination: /etc/x}]}",
            "capabilities: {hooks: {post-install: {command: 'bash scripts/x.sh && /usr/bin/true'}}}",
            "install: {method: mise, mise: {configFile: conf/mise.toml}}",
            "remove: {script: {path: '${WORKSPACE}/x.sh'}}",
            "validate: {script: {path: 5}}",
        ]);
        Bench::new(check).package().accepts(&["install: {script: {path: missing.sh}}"]);
    }

    #[test]
    fn paths_that_leave_it_are_reported() {
        Bench::new(check).rejects(&[
            (
                "install: {method: script, script: {path: «../install.sh»}}",
                "the install script `../install.sh` is outside the package",
            ),
            ("upgrade: {script: {path: «/opt/upgrade.sh»}}", "the upgrade script `/opt/upgrade.sh`"),
            ("configure: {templates: [{source: «'a/../../b'», destination: x}]}", "the template `a/../../b`"),
            ("configure: {files: [{source: «~/settings.json», destination: x}]}", "`~/settings.json`"),
            (
                "install: {method: mise, mise: {configFile: «../mise.toml»}}",
                "the mise configuration `../mise.toml`",
            ),
            ("capabilities: {hooks: {pre-install: {command: «bash ../x.sh»}}}", "the hook script `../x.sh`"),
            ("capabilities: {project-context: {mergeFile: {source: «C:\\x»}}}", "is outside the package"),
            ("install: {scripts: {fedora: {path: «..»}}}", "`..` is outside"),
        ]);
        use crate::rules::testing::Unreadable;
        Bench::new(check).loader(Unreadable(LoadErrorKind::Outside)).rejects(&[(
            "validate: {script: {path: «link.sh»}}",
            "the validation script `link.sh` is outside",
        )]);
    }
}
