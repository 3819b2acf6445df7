//! The formats that results are printed in, one file each.

mod json;
mod junit;
mod pretty;
mod tap;
mod text;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::failure::Failure;
use super::flags::Flags;
use super::outcome::{Outcome, Status};
use super::signature::Signature;

/// A format at work.
pub(crate) trait Output: Send {
    /// Takes a result, and writes what can be written at once.
    fn add(&mut self, outcome: &Outcome, text: &mut String);

    /// What stands at the end, which is now: seconds since 1970, and nanoseconds.
    fn finish(&mut self, now: (i64, u32)) -> String;
}

/// The format that was asked for.
pub(crate) fn new(flags: &Flags, is_stdin: bool, now: (i64, u32)) -> Result<Box<dyn Output>, Failure> {
    let options = Options { summary: flags.summary, verbose: flags.verbose, is_stdin };
    Ok(match flags.output.as_str() {
        "json" => Box::new(json::Json::new(options)),
        "junit" => Box::new(junit::JUnit::new(now)),
        "pretty" => Box::new(Lines::new(pretty::line, options)),
        "tap" => Box::new(tap::Tap::default()),
        "text" => Box::new(Lines::new(text::line, options)),
        _ => return Err(Failure::Format),
    })
}

#[derive(Debug, Clone, Copy)]
struct Options {
    summary: bool,
    verbose: bool,
    is_stdin: bool,
}

/// The formats for people: a line for each result, and a summary if asked for.
struct Lines {
    line: fn(&Outcome, Options) -> Option<String>,
    options: Options,
    counts: Counts,
}

impl Lines {
    fn new(line: fn(&Outcome, Options) -> Option<String>, options: Options) -> Self {
        Lines { line, options, counts: Counts::default() }
    }
}

impl Output for Lines {
    fn add(&mut self, outcome: &Outcome, text: &mut String) {
        self.counts.add(outcome);
        text.extend((self.line)(&harmless(outcome), self.options));
    }

    fn finish(&mut self, _: (i64, u32)) -> String {
        if self.options.summary { self.counts.summary(self.options) } else { String::new() }
    }
}

/// A result whose words can be printed on lines: a file may hold anything.
fn harmless(outcome: &Outcome) -> Outcome {
    let plain = |text: &str| trueline_report::harmless(text).into_owned();
    let Signature { kind, version, namespace, name } = &outcome.signature;
    Outcome {
        path: plain(&outcome.path).into(),
        signature: Signature {
            kind: plain(kind),
            version: plain(version),
            namespace: plain(namespace),
            name: plain(name),
        },
        message: plain(&outcome.message),
        ..outcome.clone()
    }
}

/// How many results of each kind there were.
#[derive(Debug, Clone, Default)]
struct Counts {
    valid: usize,
    invalid: usize,
    errors: usize,
    skipped: usize,
    files: BTreeSet<Arc<str>>,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.status {
            Status::Valid => self.valid += 1,
            Status::Invalid => self.invalid += 1,
            Status::Error => self.errors += 1,
            Status::Skipped => self.skipped += 1,
            Status::Empty => {}
        }
        if !self.files.contains(&outcome.path) {
            self.files.insert(Arc::clone(&outcome.path));
        }
    }

    /// The line at the end of the formats for people.
    fn summary(&self, options: Options) -> String {
        let Counts { valid, invalid, errors, skipped, files } = self;
        let resources = valid + invalid + errors + skipped;
        let s = |count: usize| if count > 1 { "s" } else { "" };
        let place = match options.is_stdin {
            true => "parsing stdin".to_owned(),
            false => format!("in {} file{}", files.len(), s(files.len())),
        };
        format!(
            "Summary: {resources} resource{} found {place} - Valid: {valid}, Invalid: {invalid}, Errors: {errors}, \
             Skipped: {skipped}\n",
            s(resources)
        )
    }
}

#[cfg(test)]
mod tests {
    use trueline_helm::schema::Cause;

    use super::*;
    use crate::signature::Signature;

    /// One result of each kind, in three files.
    pub(crate) fn outcomes() -> Vec<Outcome> {
        let outcome = |path: &str, kind: &str, name: &str, status, message: &str| Outcome {
            path: path.into(),
            signature: Signature {
                kind: kind.to_owned(),
                version: "v1".to_owned(),
                namespace: if name == "b" { "ns".to_owned() } else { String::new() },
                name: name.to_owned(),
            },
            status,
            message: message.to_owned(),
            causes: match status {
                Status::Invalid => vec![Cause { path: "/x".to_owned(), message: "got <a> & 'b'".to_owned() }],
                _ => Vec::new(),
            },
        };
        vec![
            outcome("a.yaml", "Pod", "a", Status::Valid, ""),
            outcome("a.yaml", "Pod", "b", Status::Invalid, "problem: got <a> & 'b'"),
            outcome("b.yaml", "Job", "c", Status::Error, "could not find \"it\""),
            outcome("b.yaml", "", "", Status::Error, "no\nkind"),
            outcome("b.yaml", "Job", "d", Status::Skipped, ""),
            outcome("b.yaml", "Job", "", Status::Skipped, ""),
            outcome("c.yaml", "", "", Status::Empty, ""),
        ]
    }

    pub(crate) fn options(summary: bool, verbose: bool) -> Options {
        Options { summary, verbose, is_stdin: false }
    }

    /// Everything that a format prints.
    pub(crate) fn printed(mut output: impl Output) -> String {
        let mut text = String::new();
        for outcome in outcomes() {
            output.add(&outcome, &mut text);
        }
        text.push_str(&output.finish((11, 250_000_000)));
        text
    }

    #[test]
    fn summaries_count() {
        let mut counts = Counts::default();
        assert_eq!(
            counts.summary(Options { summary: true, verbose: false, is_stdin: true }),
            "Summary: 0 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 0\n"
        );
        outcomes().iter().for_each(|outcome| counts.add(outcome));
        assert_eq!(
            counts.summary(options(true, false)),
            "Summary: 6 resources found in 3 files - Valid: 1, Invalid: 1, Errors: 2, Skipped: 2\n"
        );
    }
}
