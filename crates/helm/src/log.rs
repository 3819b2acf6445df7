//! What Helm says beside its output, as data: the command line prints it in the form of the Helm that is
//! followed.

use trueline_gotemplate::fmt::quote;
use trueline_gotemplate::is_print;

use crate::chart::Compat;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Only for `--debug`.
    Debug,
    /// For reading only.
    Info,
    /// Worth a look.
    Warn,
    /// Something failed, and work goes on.
    Error,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// How much it matters.
    pub level: Level,
    /// Helm 4's words.
    pub message: String,
    /// The names and values that Helm 4 prints after it.
    pub pairs: Vec<(&'static str, String)>,
    /// Helm 3's line, where it has one: where in Helm's sources it is written (empty for lines that do not
    /// show it), and the words.
    pub helm3: Option<(&'static str, String)>,
}

impl LogLine {
    /// A line of Helm 4; Helm 3 says nothing.
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        LogLine { level, message: message.into(), pairs: Vec::new(), helm3: None }
    }

    /// Adds a name with a value.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.pairs.push((name, value.into()));
        self
    }

    /// Says what Helm 3 writes instead, and the place in its sources that it shows before the words.
    pub fn in_helm3(mut self, place: &'static str, message: impl Into<String>) -> Self {
        self.helm3 = Some((place, message.into()));
        self
    }

    /// The line as it is printed, without its line break; nothing where that Helm says nothing.
    pub fn render(&self, compat: Compat) -> Option<String> {
        match compat {
            Compat::Helm4 => {
                let mut line = format!("level={} msg={}", self.level.as_str(), field(&self.message));
                for (name, value) in &self.pairs {
                    line.push(' ');
                    line.push_str(name);
                    line.push('=');
                    line.push_str(&field(value));
                }
                Some(line)
            }
            Compat::Helm3 => self.helm3.as_ref().map(|(place, message)| match *place {
                "" => message.clone(),
                place => format!("{place}: {message}"),
            }),
        }
    }
}

impl Level {
    /// The word for it: `DEBUG`, `INFO`, `WARN` or `ERROR`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
        }
    }
}

/// A string as `log/slog` writes it: quoted if it would not read as one word.
fn field(text: &str) -> String {
    let plain = |character: char| match character {
        ' ' | '=' | '"' => false,
        // The table that `log/slog` goes by takes the delete character for a printable one.
        '!'..='\u{7f}' => true,
        char::REPLACEMENT_CHARACTER => false,
        _ => character > '\u{7f}' && is_print(character) && !character.is_whitespace(),
    };
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quote(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_would_not_read_as_one_word() {
        for (text, written) in [
            ("plain", "plain"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a=b", "\"a=b\""),
            ("say \"x\"", "\"say \\\"x\\\"\""),
            ("C:\\dir", "C:\\dir"),
            ("tab\t", "\"tab\\t\""),
            ("/é/漢", "/é/漢"),
            ("a\u{a0}b", "\"a\\u00a0b\""),
        ] {
            assert_eq!(field(text), written);
        }
    }

    #[test]
    fn each_helm_has_its_own_form() {
        let line = LogLine::new(Level::Info, "found a link")
            .with("path", "a b")
            .with("resolved", "c")
            .in_helm3("walk.go:75", "found a link: a b");
        assert_eq!(
            line.render(Compat::Helm4).as_deref(),
            Some("level=INFO msg=\"found a link\" path=\"a b\" resolved=c")
        );
        assert_eq!(line.render(Compat::Helm3).as_deref(), Some("walk.go:75: found a link: a b"));
        let other = LogLine::new(Level::Warn, "new");
        assert_eq!(other.render(Compat::Helm4).as_deref(), Some("level=WARN msg=new"));
        assert_eq!(other.render(Compat::Helm3), None);
        assert_eq!(other.in_helm3("", "WARNING: old").render(Compat::Helm3).as_deref(), Some("WARNING: old"));
    }
}
