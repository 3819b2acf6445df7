//! The rules of the server, by their names, and what a breach of one says.
//!
//! A rule is declared with [`rules!`] beside the check that uses it: its name, the kind of error, the server's sentence
//! with `{}` for each value in it, and a comment that says what it demands, which `trueline explain` prints.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use trueline_apimachinery::names::{NameProblem, pattern_problem};
use trueline_diagnostic::{Code, RuleInfo};

use crate::codes::code_of;
use crate::quote::go_quoted;
use crate::reason::Reason;

/// A rule of the server.
#[derive(Debug)]
pub struct ServerRule {
    /// Its name, and what it demands.
    pub info: RuleInfo,
    /// The kind of error.
    pub reason: Reason,
    /// The server's sentence, with `{}` for each value in it.
    pub sentence: &'static str,
}

impl PartialEq for ServerRule {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.info.name == other.info.name
    }
}

impl Eq for ServerRule {}

impl Hash for ServerRule {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.info.name.hash(state);
    }
}

impl ServerRule {
    /// A rule whose findings have the code of their kind of error.
    pub const fn new(
        reason: Reason,
        name: &'static str,
        about: &'static [&'static str],
        sentence: &'static str,
    ) -> Self {
        ServerRule { info: RuleInfo { name, code: code_of(reason), about }, reason, sentence }
    }

    /// The same rule with a code of its own.
    pub const fn under(self, code: &'static Code) -> Self {
        let ServerRule { info, reason, sentence } = self;
        ServerRule { info: RuleInfo { name: info.name, code, about: info.about }, reason, sentence }
    }

    /// A breach of the rule, with the first value in the server's sentence.
    pub fn with(&'static self, value: impl Into<Argument>) -> Breach {
        Breach { rule: self, detail: Detail::Values(vec![value.into()]) }
    }
}

/// A value in a sentence of the server's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A number, such as a limit.
    Number(i64),
    /// A name, or a value as the server prints it.
    Text(Box<str>),
}

/// What is known of a breach besides its rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Nothing: the rule's sentence is the same for all.
    Fixed,
    /// The values in the rule's sentence, in its order.
    Values(Vec<Argument>),
    /// The words that are allowed, in the server's order.
    Choices(Vec<Cow<'static, str>>),
    /// The values in the rule's sentence, which begins with the path of the value: `spec.size in body …`.
    InBody {
        /// The path, as far as it leads into the value that was validated.
        name: Box<str>,
        /// The values in the rule's sentence, in its order.
        values: Vec<Argument>,
    },
    /// What is wrong with a name.
    Name(NameProblem),
    /// The regular expression that a string does not match, and strings that do.
    Pattern {
        /// The regular expression.
        regex: Cow<'static, str>,
        /// Strings that match.
        examples: &'static [&'static str],
    },
}

/// A rule that was broken, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Breach {
    /// The rule.
    pub rule: &'static ServerRule,
    /// What is known besides.
    pub detail: Detail,
}

impl Breach {
    /// The same breach with the next value in the server's sentence.
    pub fn and(mut self, value: impl Into<Argument>) -> Self {
        if let Detail::Values(values) | Detail::InBody { values, .. } = &mut self.detail {
            values.push(value.into());
        }
        self
    }

    /// One of the words that are allowed was not found.
    pub fn choices<W>(rule: &'static ServerRule, words: impl IntoIterator<Item = W>) -> Self
    where
        W: Into<Cow<'static, str>>,
    {
        Breach { rule, detail: Detail::Choices(words.into_iter().map(Into::into).collect()) }
    }

    /// A string does not match a regular expression.
    pub fn pattern(
        rule: &'static ServerRule,
        regex: impl Into<Cow<'static, str>>,
        examples: &'static [&'static str],
    ) -> Self {
        Breach { rule, detail: Detail::Pattern { regex: regex.into(), examples } }
    }

    /// The server's sentence.
    pub fn sentence(&self) -> String {
        self.detail.sentence(self.rule)
    }
}

impl Detail {
    /// The server's sentence about a breach of a rule: the one place where it is put together.
    pub fn sentence(&self, rule: &ServerRule) -> String {
        match self {
            Detail::Fixed => rule.sentence.to_owned(),
            Detail::Name(problem) => problem.to_string(),
            Detail::InBody { name, values } => format!("{name} in body {}", filled(rule.sentence, values)),
            Detail::Values(values) => filled(rule.sentence, values),
            Detail::Choices(words) => {
                let words: Vec<String> = words.iter().map(|word| go_quoted(word)).collect();
                filled(rule.sentence, &[Argument::Text(words.join(", ").into())])
            }
            Detail::Pattern { regex, examples } => pattern_problem(rule.sentence, regex, examples),
        }
    }

    /// The sentence without what the finding says already, and what is for machines: the path, a regular expression and
    /// examples for it.
    pub fn short(&self, rule: &ServerRule) -> String {
        match self {
            Detail::Pattern { .. } => rule.sentence.to_owned(),
            Detail::InBody { values, .. } => filled(rule.sentence, values),
            Detail::Name(problem) => problem.short(),
            _ => self.sentence(rule),
        }
    }

    /// The sentence about a part that was looked at by itself, and has no name.
    pub fn about_part(&self, rule: &ServerRule) -> String {
        match self {
            Detail::InBody { values, .. } => filled(rule.sentence, values),
            // `anyOf` and its kin begin with the path, too: that of a part is an empty string in quotes.
            Detail::Values(values) if values.first() == Some(&Argument::from("\"\"")) => {
                let rest = rule.sentence.strip_prefix("{} ").unwrap_or(rule.sentence);
                filled(rest, values.get(1..).unwrap_or_default())
            }
            _ => self.sentence(rule),
        }
    }

    /// The name that is the value of the sentence at this place.
    pub fn text(&self, at: usize) -> Option<&str> {
        match self.values().get(at)? {
            Argument::Text(text) => Some(text),
            Argument::Number(_) => None,
        }
    }

    fn values(&self) -> &[Argument] {
        match self {
            Detail::Values(values) | Detail::InBody { values, .. } => values,
            Detail::Fixed | Detail::Choices(_) | Detail::Name(_) | Detail::Pattern { .. } => &[],
        }
    }
}

/// The server's sentences about several breaches, as one.
pub fn joined(breaches: &[Breach], between: &str) -> String {
    breaches.iter().map(Breach::sentence).collect::<Vec<_>>().join(between)
}

/// A sentence with its values.
fn filled(sentence: &str, values: &[Argument]) -> String {
    let mut text = String::with_capacity(sentence.len() + 16 * values.len());
    let mut values = values.iter();
    let mut parts = sentence.split("{}");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        match values.next() {
            Some(Argument::Number(number)) => {
                let _ = write!(text, "{number}");
            }
            Some(Argument::Text(value)) => text.push_str(value),
            None => {}
        }
        text.push_str(part);
    }
    text
}

impl From<&'static ServerRule> for Breach {
    fn from(rule: &'static ServerRule) -> Self {
        Breach { rule, detail: Detail::Fixed }
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Argument::Text(text.into())
    }
}

impl From<&Breach> for Argument {
    /// The server puts one of its sentences into another.
    fn from(breach: &Breach) -> Self {
        Argument::Text(breach.sentence().into())
    }
}

impl From<Breach> for Argument {
    fn from(breach: Breach) -> Self {
        Argument::from(&breach)
    }
}

impl From<&&str> for Argument {
    fn from(text: &&str) -> Self {
        Argument::Text((*text).into())
    }
}

impl From<&String> for Argument {
    fn from(text: &String) -> Self {
        Argument::Text(text.as_str().into())
    }
}

impl From<&Cow<'_, str>> for Argument {
    fn from(text: &Cow<'_, str>) -> Self {
        Argument::Text(text.as_ref().into())
    }
}

impl From<&Arc<str>> for Argument {
    fn from(text: &Arc<str>) -> Self {
        Argument::Text(text.as_ref().into())
    }
}

impl From<String> for Argument {
    fn from(text: String) -> Self {
        Argument::Text(text.into())
    }
}

impl From<Cow<'_, str>> for Argument {
    fn from(text: Cow<'_, str>) -> Self {
        Argument::Text(text.into_owned().into())
    }
}

impl From<&i64> for Argument {
    fn from(number: &i64) -> Self {
        Argument::Number(*number)
    }
}

impl From<i64> for Argument {
    fn from(number: i64) -> Self {
        Argument::Number(number)
    }
}

impl From<usize> for Argument {
    fn from(number: usize) -> Self {
        Argument::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// Declares rules: a comment that says what each demands, its name in the program, the kind of error, its name for people
/// (`family/words-with-dashes`), and the server's sentence, if it has one. `NAMED` is the list of them.
#[macro_export]
macro_rules! rules {
    ($($(#[doc = $about:literal])+ $name:ident: $reason:ident $(in $code:path)?, $id:literal $(, $sentence:expr)?;)+) => {
        $(
            $(#[doc = $about])+
            #[allow(unreachable_pub, reason = "most files that declare rules are private")]
            pub static $name: $crate::ServerRule = $crate::ServerRule::new(
                $crate::Reason::$reason,
                $id,
                &[$($about),+],
                $crate::rules!(@sentence $($sentence)?),
            )$(.under(&$code))?;
        )+

        /// The rules that are declared here.
        #[allow(unreachable_pub, reason = "most files that declare rules are private")]
        pub static NAMED: &[&$crate::ServerRule] = &[$(&$name),+];
    };
    (@sentence) => { "" };
    (@sentence $sentence:expr) => { $sentence };
}

#[cfg(test)]
mod tests {
    use super::*;

    rules! {
        /// A first line,
        /// and a second.
        ///
        /// Why.
        LIMIT: Invalid, "test/limit", "must have at most {} {}";
        /// A word.
        WORD: NotSupported, "test/word", "supported values: {}";
        /// A form.
        FORM: Invalid, "test/form", "must be of a form";
    }

    #[test]
    fn sentences_are_put_together() {
        assert_eq!(LIMIT.with(3_i64).and("items").sentence(), "must have at most 3 items");
        assert_eq!(Breach::choices(&WORD, ["a", "b"]).sentence(), "supported values: \"a\", \"b\"");
        let breach = Breach::pattern(&FORM, "x*", &["x", "xx"]);
        assert_eq!(
            breach.sentence(),
            "must be of a form (e.g. 'x',  or 'xx', regex used for validation is 'x*')"
        );
        assert_eq!(NAMED.len(), 3);
        assert_eq!(
            (LIMIT.info.summary(), LIMIT.info.explanation()),
            ("A first line, and a second.".into(), "Why.".into())
        );
    }
}
