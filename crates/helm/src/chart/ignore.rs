//! `.helmignore`: which files of a directory are not part of the chart.

use std::sync::Arc;

use trueline_diagnostic::Diagnostic;
use trueline_gotemplate::fmt::quote;
use trueline_source::{SourceKind, SourceMap};

use super::{IGNORE_PATTERN, LoadFailure};
use crate::log::{Level, LogLine};
use crate::path_match::{BAD_PATTERN, path_match};

/// The name of the file.
pub(super) const FILE: &str = ".helmignore";

/// What hides dot files in `templates/`, whatever the file says.
const DEFAULT: &str = "templates/.?*";

/// The longest line that Go's scanner takes.
const LONGEST_LINE: usize = 64 * 1024;

/// Whether a path is a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathKind {
    File,
    Directory,
}

/// The rules in their order.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    pattern: String,
    negated: bool,
    only_directories: bool,
    against: Against,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// The path, because the pattern begins with `/`.
    Root,
    /// The path, because the pattern holds a `/`.
    Path,
    /// The last part of the path.
    Name,
}

impl Rules {
    /// The rules of a chart without a `.helmignore`.
    pub(super) fn standard() -> Self {
        Rules { rules: vec![Rule::new(DEFAULT)] }
    }

    /// The rules of a file, followed by the standard ones.
    pub(super) fn parse(bytes: &[u8], shown: &str, sources: &SourceMap) -> Result<Self, LoadFailure> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut rules = Vec::new();
        let mut problems = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let rule = line.trim();
            let start = offset + (line.len() - line.trim_start().len());
            offset += line.len();
            if line.len() > LONGEST_LINE {
                problems.push((start..start, "bufio.Scanner: token too long"));
            } else if rule.is_empty() || rule.starts_with('#') {
                continue;
            } else if let Some(at) = rule.find("**") {
                problems.push((start + at..start + at + 2, "double-star (**) syntax is not supported"));
            } else if path_match(rule, "abc").is_err() {
                problems.push((start..start + rule.len(), BAD_PATTERN));
            } else {
                rules.push(Rule::new(rule));
            }
        }
        rules.push(Rule::new(DEFAULT));
        let Some((_, first)) = problems.first() else { return Ok(Rules { rules }) };
        let source = sources.add(shown, SourceKind::File, Arc::<str>::from(text));
        let diagnostics = problems.iter().map(|(place, problem)| {
            let finding = |message: &str| {
                Diagnostic::new(&IGNORE_PATTERN, source.span(place.start, place.end), message)
            };
            match *problem {
                BAD_PATTERN => {
                    finding("this pattern is malformed").help("close `[` with `]`, and escape with one `\\`")
                }
                problem if problem.starts_with("double") => finding("`**` is not known to .helmignore")
                    .help("a pattern without `/` matches at every depth: `*.bak` stands for `**/*.bak`"),
                _ => finding("this line is too long"),
            }
        });
        Err(LoadFailure::new(*first, diagnostics.collect()))
    }

    /// Whether a path is left out. What goes wrong while matching is only logged.
    pub(super) fn ignore(&self, path: &str, kind: PathKind, log: &mut Vec<LogLine>) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        for rule in &self.rules {
            let wrong_kind = rule.only_directories && kind != PathKind::Directory;
            if rule.negated {
                if wrong_kind || !rule.matches(path, name, log) {
                    return true;
                }
            } else if !wrong_kind && rule.matches(path, name, log) {
                return true;
            }
        }
        false
    }
}

impl Rule {
    fn new(written: &str) -> Self {
        let (negated, pattern) = written.strip_prefix('!').map_or((false, written), |rest| (true, rest));
        let (only_directories, pattern) =
            pattern.strip_suffix('/').map_or((false, pattern), |rest| (true, rest));
        let (against, pattern) = match pattern.strip_prefix('/') {
            Some(rest) => (Against::Root, rest),
            None if pattern.contains('/') => (Against::Path, pattern),
            None => (Against::Name, pattern),
        };
        Rule { pattern: pattern.to_owned(), negated, only_directories, against }
    }

    fn matches(&self, path: &str, name: &str, log: &mut Vec<LogLine>) -> bool {
        let subject = match self.against {
            Against::Root | Against::Path => path,
            Against::Name => name,
        };
        path_match(&self.pattern, subject).unwrap_or_else(|_| {
            let place = match self.against {
                Against::Root => "rules.go:180",
                Against::Path => "rules.go:190",
                Against::Name => "rules.go:202",
            };
            let line = LogLine::new(Level::Error, "failed to compile")
                .with("rule", self.pattern.as_str())
                .with("error", BAD_PATTERN)
                .in_helm3(place, format!("Failed to compile {}: {BAD_PATTERN}", quote(&self.pattern)));
            log.push(line);
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Compat;

    fn ignored(rules: &str, path: &str) -> bool {
        let (path, kind) =
            path.strip_suffix('/').map_or((path, PathKind::File), |path| (path, PathKind::Directory));
        let rules = Rules::parse(rules.as_bytes(), FILE, &SourceMap::new()).unwrap();
        rules.ignore(path, kind, &mut Vec::new())
    }

    #[test]
    fn rules_are_those_of_helm() {
        for (rules, path, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "deep/er/a.txt", true),
            ("d/", "d/", true),
            ("d/", "d", false),
            ("d/", "x/d/", true),
            ("/a.txt", "a.txt", true),
            ("/a.txt", "d/a.txt", false),
            ("e/a.txt", "d/e/a.txt", false),
            ("e/a.txt", "e/a.txt", true),
            ("docs/*", "docs/a/b", false),
            ("!a.txt", "a.txt", false),
            ("!a.txt", "Chart.yaml", true),
            ("!p/", "p", true),
            ("!p/", "p/", false),
            ("*.txt\n!a.txt", "a.txt", true),
            ("  # comment\n\n  a.txt \r\n", "a.txt", true),
            ("\u{feff}a.txt", "a.txt", true),
            ("[ab].txt", "b.txt", true),
            ("a\\*b", "a*b", true),
            ("", "templates/.hidden", true),
            ("", "templates/deep/.hidden", false),
            ("", ".hidden", false),
        ] {
            assert_eq!(ignored(rules, path), expected, "{rules:?} {path}");
        }
    }

    #[test]
    fn every_bad_pattern_is_found_and_the_first_is_named() {
        let sources = SourceMap::new();
        let failure = Rules::parse(b"ok\n  a/**/b\n[\n", "c/.helmignore", &sources).unwrap_err();
        assert_eq!(failure.to_string(), "double-star (**) syntax is not supported");
        let places: Vec<_> = failure
            .diagnostics
            .iter()
            .map(|finding| sources.position(finding.primary.span))
            .map(|position| (position.line, position.column))
            .collect();
        assert_eq!(places, [(2, 5), (3, 1)]);
    }

    #[test]
    fn what_is_found_malformed_too_late_is_logged() {
        let rules = Rules::parse(b"x*[\n", FILE, &SourceMap::new()).unwrap();
        let mut log = Vec::new();
        assert!(!rules.ignore("xylophone", PathKind::File, &mut log));
        assert_eq!(
            log.first().and_then(|line| line.render(Compat::Helm4)).as_deref(),
            Some("level=ERROR msg=\"failed to compile\" rule=x*[ error=\"syntax error in pattern\"")
        );
    }
}
