//! The mise configuration file exists and is TOML.

use trueline_diagnostic::{Code, Diagnostic, Severity};

use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0308",
    name: "mise-config",
    severity: Severity::Error,
    summary: "The mise configuration cannot be read",
    explanation: "`install.mise.configFile` names a TOML file of the package, whose `[tools]` table lists the \
                  tools and their versions. If it is missing or invalid, nothing can be installed.\n\nAdd the \
                  file, correct its name, or fix the TOML. Versions are strings: as a number, `3.10` would mean \
                  `3.1`.",
    wrong: "# mise.toml\n[tools]\npython = 3.10\n",
    right: "# mise.toml\n[tools]\npython = \"3.10\"\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for config in subject.mise_configs() {
        for problem in &config.problems {
            let finding = match problem.span {
                Some(span) => config
                    .field
                    .finding_at(&CODE, span, problem.message.clone())
                    .related(config.field.span(), "the file is named here"),
                None => config.field.finding(&CODE, problem.message.clone()),
            };
            findings.push(finding.help(problem.help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    const MANIFEST: &str = "install: {method: mise, mise: {configFile: mise.toml}}";

    #[test]
    fn readable_files_pass() {
        for text in [
            "",
            "[tools]\n",
            "[tools]\nnode = \"20\"\n\"npm:prettier\" = { version = \"3\", postinstall = \"x\" }\n",
            "[tools]\npython = [\"3.12\", \"3.11\"]\n[env]\nA = 1\n",
            "[tools.go]\nversion = \"1.22\"\n[settings]\nexperimental = true\n",
            "# only a comment",
        ] {
            Bench::new(check)
                .file("mise.toml", text)
                .accepts(&[MANIFEST, "install: {method: mise, mise: {}}"]);
        }
        Bench::new(check).package().accepts(&[
            "install: {method: mise, mise: {}}",
            "install: {method: mise, mise: {configFile: ../mise.toml}}",
            "install: {method: mise, mise: {configFile: 7}}",
            "install: {method: script}",
        ]);
        Bench::new(check).accepts(&[MANIFEST]);
    }

    #[test]
    fn mistakes_are_reported_inside_the_file() {
        for (text, words) in [
            ("[tools]\nnode = «20»\n", "the version of `node` must be a string"),
            ("[tools]\npython = [\"3\", «3.10»]\n", "the version of `python` must be a string"),
            ("[tools]\ngo = { version = «true» }\n", "the version of `go` must be a string"),
            ("tools = «\"node\"»\n", "`tools` must be a table"),
            ("[tools]\nnode = «»\n", "TOML syntax error"),
            ("[tools]\nnode = \"1\"\n«node» = \"2\"\n", "TOML syntax error: duplicate key"),
            ("[tools]\nnode = \"20«»\n", "TOML syntax error"),
        ] {
            Bench::new(check).file("mise.toml", text).rejects(&[(MANIFEST, words)]);
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_reported_at_its_name() {
        use crate::rules::testing::Unreadable;
        use trueline_source::{LoadErrorKind, MemoryLoader};
        for (kind, words) in [
            (LoadErrorKind::Denied, "cannot be read (permission denied)"),
            (LoadErrorKind::TooLarge, "is larger than the limit"),
            (LoadErrorKind::Other, "could not be read"),
        ] {
            let bench = Bench::new(check).loader(Unreadable(kind));
            bench.rejects(&[("install: {method: mise, mise: {configFile: «mise.toml»}}", words)]);
        }
        Bench::new(check).loader(Unreadable(LoadErrorKind::Outside)).accepts(&[MANIFEST]);
        let latin = MemoryLoader::new("").with_file("mise.toml", b"# caf\xe9\n".to_vec());
        let findings = Bench::new(check).loader(latin).findings(MANIFEST);
        assert_eq!(findings[0].message, "this is not UTF-8 text");
        assert_eq!(findings[0].primary.span.start, 5);
    }

    #[test]
    fn a_missing_file_is_reported_at_its_name() {
        let bench = Bench::new(check).file("conf/x", "");
        bench.rejects(&[
            (
                "install: {method: mise, mise: {configFile: «mise.toml»}}",
                "the mise configuration `mise.toml` does not exist in the package",
            ),
            ("install: {mise: {configFile: «'./conf'»}}", "`conf` is a directory, not a file"),
            (
                "install:\n  method: hybrid\n  hybrid:\n    steps:\n    - method: mise\n      mise:\n        configFile: «conf/y»\n",
                "`conf/y` does not exist",
            ),
        ]);
    }
}
