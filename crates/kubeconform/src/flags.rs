//! kubeconform's flags, read as Go's `flag` package reads them: one or two dashes, values after `=` or in the next
//! word, and only paths after the first word that is not a flag.

use std::collections::BTreeSet;
use std::fmt;

use trueline_analysis::Strictness;
use trueline_helm::quote;

/// What the flags ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) cache: String,
    pub(crate) exit_on_error: bool,
    pub(crate) files: Vec<String>,
    pub(crate) ignored_names: Vec<String>,
    pub(crate) ignore_missing_schemas: bool,
    pub(crate) kubernetes: String,
    pub(crate) workers: i64,
    pub(crate) output: String,
    pub(crate) rejected: BTreeSet<String>,
    pub(crate) locations: Vec<String>,
    pub(crate) skipped: BTreeSet<String>,
    pub(crate) skip_tls: bool,
    pub(crate) strictness: Strictness,
    pub(crate) summary: bool,
    pub(crate) verbose: bool,
    help: bool,
    version: bool,
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            cache: String::new(),
            exit_on_error: false,
            files: Vec::new(),
            ignored_names: Vec::new(),
            ignore_missing_schemas: false,
            kubernetes: "master".to_owned(),
            workers: 4,
            output: "text".to_owned(),
            rejected: BTreeSet::new(),
            locations: Vec::new(),
            skipped: BTreeSet::new(),
            skip_tls: false,
            strictness: Strictness::Lenient,
            summary: false,
            verbose: false,
            help: false,
            version: false,
        }
    }
}

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    Run(Box<Flags>),
    /// The help, whatever else is wrong.
    Help(String),
    Version,
    /// What is wrong, with the help.
    Wrong(String),
}

/// How a flag takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Switch,
    /// With a value; the word that stands for it in the help.
    Valued(&'static str),
}

struct Flag {
    name: &'static str,
    form: Form,
    help: &'static str,
    default: &'static str,
}

const fn switch(name: &'static str, help: &'static str) -> Flag {
    Flag { name, form: Form::Switch, help, default: "" }
}

const fn valued(name: &'static str, word: &'static str, help: &'static str, default: &'static str) -> Flag {
    Flag { name, form: Form::Valued(word), help, default }
}

/// In the order of the help.
const FLAGS: [Flag; 17] = [
    valued("cache", "string", "keep fetched schemas in this directory, and take them from there", ""),
    switch("debug", "accepted; there is nothing more to tell"),
    switch("exit-on-error", "stop at the first resource that is wrong"),
    switch("h", "print this help"),
    valued(
        "ignore-filename-pattern",
        "value",
        "leave out files whose paths match this regular expression (may be repeated)",
        "",
    ),
    switch("ignore-missing-schemas", "skip resources of kinds without a schema; otherwise they are errors"),
    switch(
        "insecure-skip-tls-verify",
        "do not look at the certificates of servers that schemas are fetched from",
    ),
    valued(
        "kubernetes-version",
        "value",
        "the version of Kubernetes, such as 1.35.0; master is the newest",
        "master",
    ),
    valued("n", "int", "how many resources are looked at in parallel", "4"),
    valued("output", "string", "the format of the output: json, junit, pretty, tap or text", "\"text\""),
    valued(
        "reject",
        "string",
        "kinds that are errors, with commas between them: Kind or group/version/Kind",
        "",
    ),
    valued(
        "schema-location",
        "value",
        "where schemas are looked for, the embedded ones being \"default\" (may be repeated)",
        "",
    ),
    valued(
        "skip",
        "string",
        "kinds to leave alone, with commas between them: Kind or group/version/Kind",
        "",
    ),
    switch("strict", "refuse fields that are not known, and keys that are there twice"),
    switch("summary", "print how many resources were valid at the end (not with junit and tap)"),
    switch("v", "print which version of kubeconform is followed"),
    switch("verbose", "print all resources, and not only those that are wrong (junit and tap always do)"),
];

/// Reads a command line.
pub(crate) fn parse(arguments: &[String]) -> Parsed {
    let mut flags = Flags::default();
    let told = match read(arguments, &mut flags) {
        Ok(()) => String::new(),
        Err(Stop::Help) => usage(),
        Err(Stop::Wrong(words)) => format!("{words}\n{}", usage()),
    };
    match (told.is_empty(), flags.help) {
        (_, true) => Parsed::Help(format!("{told}{}\n", usage())),
        (false, false) => Parsed::Wrong(told),
        (true, false) if flags.version => Parsed::Version,
        (true, false) => Parsed::Run(Box::new(flags)),
    }
}

/// Why reading stopped.
enum Stop {
    /// `-help`, which is no flag of its own.
    Help,
    Wrong(String),
}

fn read(arguments: &[String], flags: &mut Flags) -> Result<(), Stop> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.as_slice().first() {
        let Some(dashed) = word.strip_prefix('-').filter(|name| !name.is_empty()) else { break };
        rest.next();
        if dashed == "-" {
            break;
        }
        let typed = dashed.strip_prefix('-').unwrap_or(dashed);
        if typed.starts_with(['-', '=']) {
            return Err(Stop::Wrong(format!("bad flag syntax: {word}")));
        }
        let (name, value) = match typed.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (typed, None),
        };
        let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
            return Err(match name {
                "help" => Stop::Help,
                _ => Stop::Wrong(format!("flag provided but not defined: -{name}")),
            });
        };
        let wrong = match flag.form {
            Form::Switch => {
                let value = value.unwrap_or("true");
                match boolean(value) {
                    Some(is_on) => {
                        flags.turn(name, is_on);
                        continue;
                    }
                    None => format!("invalid boolean value {} for -{name}: parse error", quote(value)),
                }
            }
            Form::Valued(_) => match value.or_else(|| rest.next().map(String::as_str)) {
                None => format!("flag needs an argument: -{name}"),
                Some(value) => match flags.set(name, value) {
                    Ok(()) => continue,
                    Err(fault) => format!("invalid value {} for flag -{name}: {fault}", quote(value)),
                },
            },
        };
        return Err(Stop::Wrong(wrong));
    }
    flags.files = rest.cloned().collect();
    Ok(())
}

impl Flags {
    fn turn(&mut self, name: &str, is_on: bool) {
        match name {
            "exit-on-error" => self.exit_on_error = is_on,
            "h" => self.help = is_on,
            "ignore-missing-schemas" => self.ignore_missing_schemas = is_on,
            "insecure-skip-tls-verify" => self.skip_tls = is_on,
            "strict" => self.strictness = if is_on { Strictness::Strict } else { Strictness::Lenient },
            "summary" => self.summary = is_on,
            "v" => self.version = is_on,
            "verbose" => self.verbose = is_on,
            _ => {}
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), ValueFault> {
        match name {
            "cache" => value.clone_into(&mut self.cache),
            "ignore-filename-pattern" => self.ignored_names.push(value.to_owned()),
            "kubernetes-version" => {
                if !is_version(value) {
                    return Err(ValueFault::Version(value.to_owned()));
                }
                value.clone_into(&mut self.kubernetes);
            }
            "n" => self.workers = integer(value)?,
            "output" => value.clone_into(&mut self.output),
            "reject" => self.rejected = listed(value),
            "schema-location" => self.locations.push(value.to_owned()),
            "skip" => self.skipped = listed(value),
            _ => {}
        }
        Ok(())
    }
}

fn boolean(value: &str) -> Option<bool> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Why a value does not fit a flag, shown in Go's words.
#[derive(Debug)]
enum ValueFault {
    /// It is not a number.
    Syntax,
    /// It is too large.
    Range,
    /// It is not a version of Kubernetes.
    Version(String),
}

impl fmt::Display for ValueFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueFault::Syntax => formatter.write_str("parse error"),
            ValueFault::Range => formatter.write_str("value out of range"),
            ValueFault::Version(value) => write!(
                formatter,
                "{value} is not a valid version. Valid values are \"master\" (default) or full version x.y.z (e.g. \
                 \"1.27.2\")"
            ),
        }
    }
}

/// A number with an optional sign, decimal or with the prefix of another base.
fn integer(value: &str) -> Result<i64, ValueFault> {
    let (is_negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match (lower.get(..2), lower.as_str()) {
        (Some("0x"), _) => (16, lower.get(2..).unwrap_or_default()),
        (Some("0o"), _) => (8, lower.get(2..).unwrap_or_default()),
        (Some("0b"), _) => (2, lower.get(2..).unwrap_or_default()),
        (_, octal) if octal.len() > 1 && octal.starts_with('0') => (8, octal.get(1..).unwrap_or_default()),
        (_, decimal) => (10, decimal),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err(ValueFault::Syntax);
    }
    let size = i128::from_str_radix(digits, base).unwrap_or(i128::MAX);
    let number = if is_negative { -size } else { size };
    i64::try_from(number).map_err(|_| ValueFault::Range)
}

fn is_version(value: &str) -> bool {
    let parts: Vec<&str> = value.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    value == "master" || parts.len() == 3 && parts.iter().all(is_number)
}

/// The names of a list with commas between them.
fn listed(value: &str) -> BTreeSet<String> {
    value.split(',').map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned).collect()
}

/// The help, as Go lays it out.
fn usage() -> String {
    let mut text = "Usage: trueline kubeconform [OPTION]... [FILE OR FOLDER]...\n".to_owned();
    for Flag { name, form, help, default } in &FLAGS {
        let mut head = format!("  -{name}");
        if let Form::Valued(word) = form {
            head.push_str(&format!(" {word}"));
        }
        // Only a switch of one letter leaves room for its help.
        let between = if head.len() <= 4 { "\t" } else { "\n    \t" };
        let default = if default.is_empty() { String::new() } else { format!(" (default {default})") };
        text.push_str(&format!("{head}{between}{help}{default}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &[&str]) -> Parsed {
        parse(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    fn run(line: &[&str]) -> Flags {
        match parsed(line) {
            Parsed::Run(flags) => *flags,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    #[test]
    fn flags_are_read_as_go_reads_them() {
        let flags = run(&[
            "-summary",
            "--strict=T",
            "-verbose=false",
            "-n",
            "0x10",
            "-output=json",
            "-skip",
            " A, v1/B ,,",
            "-schema-location",
            "default",
            "--schema-location=x={{.Group}}.json",
            "-debug",
            "a.yaml",
            "-summary",
        ]);
        assert!(flags.summary && !flags.verbose && flags.strictness == Strictness::Strict);
        assert_eq!((flags.workers, flags.output.as_str()), (16, "json"));
        assert_eq!(flags.skipped, BTreeSet::from(["A".to_owned(), "v1/B".to_owned()]));
        assert_eq!(flags.locations, ["default", "x={{.Group}}.json"]);
        assert_eq!(flags.files, ["a.yaml", "-summary"], "nothing but paths after the first path");
        assert_eq!(run(&["-summary", "--", "-x"]).files, ["-x"]);
        assert_eq!(run(&["-"]).files, ["-"]);
    }

    #[test]
    fn what_is_wrong_is_told_in_go_s_words() {
        for (line, words) in [
            (&["-foo", "x"][..], "flag provided but not defined: -foo"),
            (&["---x"], "bad flag syntax: ---x"),
            (&["-=x"], "bad flag syntax: -=x"),
            (&["-n"], "flag needs an argument: -n"),
            (&["-n", "x"], "invalid value \"x\" for flag -n: parse error"),
            (
                &["-n", "99999999999999999999"],
                "invalid value \"99999999999999999999\" for flag -n: value out of range",
            ),
            (&["-summary=maybe"], "invalid boolean value \"maybe\" for -summary: parse error"),
            (
                &["-kubernetes-version", "1.2"],
                "invalid value \"1.2\" for flag -kubernetes-version: 1.2 is not a valid version. Valid values are \
                 \"master\" (default) or full version x.y.z (e.g. \"1.27.2\")",
            ),
            (&["-help"], "Usage: trueline kubeconform [OPTION]... [FILE OR FOLDER]..."),
        ] {
            let Parsed::Wrong(told) = parsed(line) else { panic!("{line:?}") };
            assert_eq!(told.lines().next(), Some(words));
            assert!(told.contains("\n  -cache string\n    \tkeep"), "{told}");
        }
    }

    #[test]
    fn help_and_version_win() {
        let Parsed::Help(help) = parsed(&["-h"]) else { panic!() };
        assert!(help.contains("\n  -h\tprint this help\n"), "{help}");
        assert!(help.contains("(default 4)\n") && help.contains("(default \"text\")\n"), "{help}");
        assert!(help.ends_with("always do)\n\n"), "{help}");
        let Parsed::Help(help) = parsed(&["-h", "-bad"]) else { panic!() };
        assert!(help.starts_with("flag provided but not defined: -bad\nUsage"), "{help}");
        assert_eq!(parsed(&["-v"]), Parsed::Version);
    }

    #[test]
    fn the_help_names_the_flags_in_order() {
        assert!(FLAGS.is_sorted_by_key(|flag| flag.name));
    }
}
