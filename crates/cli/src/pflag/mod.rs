//! Flags as pflag reads them: `--name=value`, `--name value`, `-n value`, `-nvalue`, `-abc`, in any place before
//! `--`. The texts of its errors are what scripts around Helm look for, and no other library has them.

mod fault;
mod help;
mod value;

use std::collections::BTreeMap;

pub(crate) use fault::{FlagError, ValueFault};
pub(crate) use help::usages;

/// A flag that a command takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    pub(crate) short: Option<char>,
    pub(crate) kind: FlagKind,
    /// What the flag means without a value; a flag with none of this needs one.
    pub(crate) alone: Option<&'static str>,
    pub(crate) deprecated: Option<&'static str>,
    pub(crate) is_hidden: bool,
    /// What it does, in our words.
    pub(crate) help: &'static str,
}

/// What a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagKind {
    Switch,
    Text,
    /// May be given several times; each value is one entry.
    Array,
    /// May be given several times; each value is a list with commas.
    Slice,
    Integer,
    Float,
    Duration,
    /// `key=value` with commas.
    Pairs,
    /// A string that the command checks as soon as it is read.
    Checked,
    /// The same, given several times.
    CheckedArray,
}

impl Flag {
    pub(crate) const fn new(name: &'static str, kind: FlagKind, help: &'static str) -> Self {
        let alone = match kind {
            FlagKind::Switch => Some("true"),
            _ => None,
        };
        Flag { name, short: None, kind, alone, deprecated: None, is_hidden: false, help }
    }

    pub(crate) const fn switch(name: &'static str, help: &'static str) -> Self {
        Flag::new(name, FlagKind::Switch, help)
    }

    pub(crate) const fn text(name: &'static str, help: &'static str) -> Self {
        Flag::new(name, FlagKind::Text, help)
    }

    pub(crate) const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    /// The value that the flag has when it is given without one.
    pub(crate) const fn alone(mut self, value: &'static str) -> Self {
        self.alone = Some(value);
        self
    }

    /// Still read, but no longer shown; using it prints what to do instead.
    pub(crate) const fn deprecated(mut self, message: &'static str) -> Self {
        self.deprecated = Some(message);
        self.is_hidden = true;
        self
    }

    /// Read, but not shown.
    pub(crate) const fn hidden(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// The flag as errors name it.
    fn shown(&self) -> String {
        match self.short {
            Some(short) => format!("-{short}, --{}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

/// What a command line said.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    values: BTreeMap<&'static str, Vec<String>>,
    /// The arguments that are no flags.
    pub(crate) arguments: Vec<String>,
    /// What is to be said about deprecated flags, once the line has been read.
    pub(crate) notes: Vec<String>,
}

impl Parsed {
    /// Whether the flag was given.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// The last value of a flag.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.last().map(String::as_str)
    }

    /// The last value of a flag, or nothing.
    pub(crate) fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// The last value of a flag that is a length of time; one that is not positive counts as none.
    pub(crate) fn duration(&self, name: &str) -> Option<std::time::Duration> {
        let nanoseconds = value::duration(self.text(name)?).ok().filter(|length| *length > 0.0)?;
        Some(std::time::Duration::from_secs_f64(nanoseconds / 1e9))
    }

    /// All values of a flag.
    pub(crate) fn list(&self, name: &str) -> &[String] {
        self.values.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Looks at the value of a [`Kind::Checked`] flag, with all values given so far and this one; the error is what
/// is wrong with it.
pub(crate) type Check<'c> = &'c mut dyn FnMut(&Flag, &str, &Parsed) -> Result<(), String>;

/// Reads a command line, or says what is wrong with it.
pub(crate) fn parse(flags: &[Flag], arguments: &[String], check: Check<'_>) -> Result<Parsed, FlagError> {
    let mut parser = Parser { flags, parsed: Parsed::default(), check };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            parser.parsed.arguments.extend(rest.cloned());
            break;
        }
        if argument.starts_with("--") {
            parser.long(argument, &mut rest)?;
        } else if argument.len() > 1 && argument.starts_with('-') {
            parser.short(argument, &mut rest)?;
        } else {
            parser.parsed.arguments.push(argument.clone());
        }
    }
    Ok(parser.parsed)
}

/// The arguments up to `--` that are neither flags nor their values, each with its place: how a command is found
/// before its flags are known. A flag that is not known is taken for one with a value.
pub(crate) fn words<'a>(flags: &[Flag], arguments: &'a [String]) -> Vec<(usize, &'a str)> {
    let needs_value = |argument: &str| {
        let flag = match argument.strip_prefix("--") {
            Some(name) => flags.iter().find(|flag| flag.name == name),
            None if argument.len() == 2 => flags.iter().find(|flag| flag.short == argument.chars().nth(1)),
            // Several letters, or a letter with its value.
            None => return false,
        };
        !argument.contains('=') && flag.is_none_or(|flag| flag.alone.is_none())
    };
    let mut found = Vec::new();
    let mut places = arguments.iter().enumerate();
    while let Some((place, argument)) = places.next() {
        if argument == "--" {
            break;
        }
        if argument.starts_with('-') && argument.len() > 1 {
            if needs_value(argument) {
                places.next();
            }
        } else if !argument.is_empty() && !argument.starts_with('-') {
            found.push((place, argument.as_str()));
        }
    }
    found
}

struct Parser<'p, 'c> {
    flags: &'p [Flag],
    parsed: Parsed,
    check: Check<'c>,
}

impl<'p> Parser<'p, '_> {
    fn long(&mut self, argument: &str, rest: &mut std::slice::Iter<'_, String>) -> Result<(), FlagError> {
        let body = argument.strip_prefix("--").unwrap_or_default();
        if body.starts_with(['-', '=']) {
            return Err(FlagError::Syntax(argument.to_owned()));
        }
        let (name, value) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (body, None),
        };
        let flags = self.flags;
        let Some(flag) = flags.iter().find(|flag| flag.name == name) else {
            return Err(FlagError::Unknown(name.to_owned()));
        };
        let value = match value.or_else(|| flag.alone.map(str::to_owned)) {
            Some(value) => value,
            None => rest.next().cloned().ok_or_else(|| FlagError::NoValue(name.to_owned()))?,
        };
        self.set(flag, &value)
    }

    fn short(&mut self, argument: &str, rest: &mut std::slice::Iter<'_, String>) -> Result<(), FlagError> {
        let mut letters = argument.strip_prefix('-').unwrap_or_default();
        while let Some(letter) = letters.chars().next() {
            let group = letters;
            letters = letters.get(letter.len_utf8()..).unwrap_or_default();
            let flags = self.flags;
            let Some(flag) = flags.iter().find(|flag| flag.short == Some(letter)) else {
                return Err(FlagError::UnknownLetter(letter, group.to_owned()));
            };
            let value = if let Some(value) = letters.strip_prefix('=').filter(|value| !value.is_empty()) {
                letters = "";
                value.to_owned()
            } else if let Some(alone) = flag.alone {
                alone.to_owned()
            } else if !letters.is_empty() {
                std::mem::take(&mut letters).to_owned()
            } else {
                let missing = || FlagError::NoValueOfLetter(letter, group.to_owned());
                rest.next().cloned().ok_or_else(missing)?
            };
            self.set(flag, &value)?;
        }
        Ok(())
    }

    fn set(&mut self, flag: &'p Flag, value: &str) -> Result<(), FlagError> {
        let read = value::read(flag.kind, value).and_then(|values| match flag.kind {
            FlagKind::Checked | FlagKind::CheckedArray => {
                (self.check)(flag, value, &self.parsed).map(|()| values).map_err(ValueFault::Refused)
            }
            _ => Ok(values),
        });
        let read = read.map_err(|fault| FlagError::Invalid {
            value: value.to_owned(),
            flag: flag.shown().to_owned(),
            fault,
        })?;
        let values = self.parsed.values.entry(flag.name).or_default();
        if !matches!(flag.kind, FlagKind::Array | FlagKind::Slice | FlagKind::Pairs | FlagKind::CheckedArray)
        {
            values.clear();
        }
        values.extend(read);
        if let Some(message) = flag.deprecated {
            self.parsed.notes.push(format!("Flag --{} has been deprecated, {message}", flag.name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag::text("namespace", "").short('n'),
        Flag::switch("no-hooks", ""),
        Flag::switch("generate-name", "").short('g'),
        Flag::new("set", FlagKind::Array, ""),
        Flag::new("values", FlagKind::Slice, "").short('f'),
        Flag::switch("atomic", "").deprecated("use another"),
        Flag::new("wait", FlagKind::Checked, "").alone("watcher"),
        Flag::new("labels", FlagKind::Pairs, "").short('l'),
    ];

    fn line(arguments: &[&str]) -> Result<Parsed, FlagError> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        parse(FLAGS, &arguments, &mut |_, value, _| {
            if value == "bad" { Err("it is bad".to_owned()) } else { Ok(()) }
        })
    }

    #[test]
    fn values_are_taken_in_every_form() {
        for arguments in [
            &["-n", "x", "a", "-gfb", "--set=k=v,w", "c"][..],
            &["a", "-nx", "--generate-name", "-f=b", "c", "--set", "k=v,w"],
            &["-g", "-n=x", "--values", "b", "--set=k=v,w", "--", "a", "c"],
            &["a", "c", "--namespace=y", "--namespace", "x", "-gf", "b", "--set", "k=v,w"],
        ] {
            let parsed = line(arguments).unwrap();
            assert_eq!(parsed.arguments, ["a", "c"], "{arguments:?}");
            assert_eq!(parsed.text("namespace"), Some("x"), "{arguments:?}");
            assert!(parsed.is_on("generate-name") && !parsed.is_set("no-hooks"), "{arguments:?}");
            assert_eq!(parsed.list("set"), ["k=v,w"], "{arguments:?}");
            assert_eq!(parsed.list("values"), ["b"], "{arguments:?}");
        }
    }

    #[test]
    fn what_follows_a_flag_is_its_value_whatever_it_is() {
        let parsed = line(&["--set", "--no-hooks", "-n", "--", "-", ""]).unwrap();
        assert_eq!(parsed.list("set"), ["--no-hooks"]);
        assert_eq!(parsed.text("namespace"), Some("--"));
        assert_eq!(parsed.arguments, ["-", ""]);
    }

    #[test]
    fn lists_grow_and_others_are_replaced() {
        let parsed =
            line(&["-fa,b", "-f", "\"c,d\"", "--set", "a", "--set", "b", "--no-hooks", "--no-hooks=f"])
                .unwrap();
        assert_eq!(parsed.list("values"), ["a", "b", "c,d"]);
        assert_eq!(parsed.list("set"), ["a", "b"]);
        assert!(parsed.is_set("no-hooks") && !parsed.is_on("no-hooks"));
        assert_eq!(line(&["--wait"]).unwrap().text("wait"), Some("watcher"));
        assert_eq!(line(&["--atomic"]).unwrap().notes, ["Flag --atomic has been deprecated, use another"]);
    }

    #[test]
    fn errors_have_the_words_of_pflag() {
        for (arguments, error) in [
            (&["--bogus"][..], "unknown flag: --bogus"),
            (&["--bogus=1"], "unknown flag: --bogus"),
            (&["-gz1"], "unknown shorthand flag: 'z' in -z1"),
            (&["--set"], "flag needs an argument: --set"),
            (&["-gn"], "flag needs an argument: 'n' in -n"),
            (&["--=x"], "bad flag syntax: --=x"),
            (&["---x"], "bad flag syntax: ---x"),
            (
                &["--no-hooks=maybe"],
                "invalid argument \"maybe\" for \"--no-hooks\" flag: strconv.ParseBool: parsing \"maybe\": invalid \
                 syntax",
            ),
            (
                &["-l", "a"],
                "invalid argument \"a\" for \"-l, --labels\" flag: a must be formatted as key=value",
            ),
            (&["--wait=bad"], "invalid argument \"bad\" for \"--wait\" flag: it is bad"),
        ] {
            assert_eq!(line(arguments).unwrap_err().to_string(), error, "{arguments:?}");
        }
    }

    #[test]
    fn commands_are_found_among_flags() {
        let found = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            words(FLAGS, &arguments)
                .into_iter()
                .map(|(place, word)| (place, word.to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&["template", "x"]), [(0, "template".to_owned()), (1, "x".to_owned())]);
        assert_eq!(found(&["-n", "template", "lint"]), [(2, "lint".to_owned())]);
        assert_eq!(found(&["-g", "--no-hooks", "--set=a", "lint"]), [(3, "lint".to_owned())]);
        assert_eq!(found(&["--unknown", "a", "lint"]), [(2, "lint".to_owned())]);
        assert_eq!(found(&["--", "lint"]), []);
    }
}
