//! Chooses the style of a scalar.

use crate::{Brackets, Dialect, ScalarStyle};

use super::plain;

/// The context of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Root,
    ListItem,
    /// Before a `:` on the same line.
    SimpleKey,
    /// After a `?`.
    ComplexKey,
    MapValue,
}

/// What is known about a string.
pub(super) struct Analysis<'a> {
    pub(super) text: &'a str,
    /// Its style anywhere except before the `:` of a key.
    pub(super) style: ScalarStyle,
}

impl<'a> Analysis<'a> {
    /// A scalar that needs no quotes: a number or a YAML keyword.
    pub(super) fn of_plain(text: &'a str) -> Self {
        Analysis { text, style: ScalarStyle::Plain }
    }

    /// A string, in quotes if it would be read as anything else without.
    pub(super) fn of_string(text: &'a str, dialect: Dialect) -> Self {
        if is_word(text) {
            let style = match plain::is_string(text, dialect) {
                true => ScalarStyle::Plain,
                false => ScalarStyle::DoubleQuoted,
            };
            return Analysis { text, style };
        }
        let traits = Traits::of(text);
        let blocks_may_have_tabs = dialect == Dialect::GoYamlV3;
        let special = traits.special || (traits.tab && !blocks_may_have_tabs);
        let style = if text.contains('\n') {
            if traits.trailing_space || traits.space_break || special {
                ScalarStyle::DoubleQuoted
            } else {
                ScalarStyle::Literal
            }
        } else if !plain::is_string(text, dialect) {
            ScalarStyle::DoubleQuoted
        } else if traits.plain_allowed() {
            ScalarStyle::Plain
        } else if traits.single_quoted_allowed() {
            ScalarStyle::SingleQuoted
        } else {
            ScalarStyle::DoubleQuoted
        };
        Analysis { text, style }
    }

    /// A scalar in the style it was written in, as far as the context allows.
    pub(super) fn of_written(
        text: &'a str,
        style: ScalarStyle,
        context: Context,
        surroundings: Brackets,
    ) -> Self {
        let traits = Traits::of(text);
        let in_key = context == Context::SimpleKey;
        let in_brackets = surroundings == Brackets::Around;
        let mut style = match style {
            // Such a string was read from several lines, which are kept.
            ScalarStyle::Plain if text.contains('\n') => ScalarStyle::Literal,
            style => style,
        };
        if in_key && traits.breaks {
            style = ScalarStyle::DoubleQuoted;
        }
        if style == ScalarStyle::Plain {
            let allowed = match text {
                "" => !in_brackets && !in_key,
                _ => traits.plain_allowed() && !(in_brackets && traits.flow_indicators),
            };
            if !allowed {
                style = ScalarStyle::SingleQuoted;
            }
        }
        if style == ScalarStyle::SingleQuoted && !traits.single_quoted_allowed() {
            style = ScalarStyle::DoubleQuoted;
        }
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded)
            && (!traits.block_allowed() || text.is_empty() || in_brackets || in_key)
        {
            style = ScalarStyle::DoubleQuoted;
        }
        Analysis { text, style }
    }

    /// Whether it can precede a `:` on the same line.
    pub(super) fn fits_simple_key(&self) -> bool {
        is_simple_key(self.text, self.text.len())
    }
}

/// Whether a string has no character that could mean anything in YAML, as most keys and many values.
fn is_word(text: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.as_bytes().iter().all(is_part)
}

/// Whether a string can precede a `:` on the same line, with this many bytes before the colon.
pub(super) fn is_simple_key(text: &str, length: usize) -> bool {
    length <= LONGEST_SIMPLE_KEY && !text.contains(is_break)
}

/// Longer keys, in bytes, get a `?` and their own line.
const LONGEST_SIMPLE_KEY: usize = 128;

/// What a string contains.
#[derive(Default)]
struct Traits {
    /// Something with a special meaning in YAML.
    indicators: bool,
    /// Something with a special meaning in YAML, at least in brackets.
    flow_indicators: bool,
    breaks: bool,
    /// Characters that must be escaped.
    special: bool,
    tab: bool,
    leading_space: bool,
    leading_break: bool,
    trailing_space: bool,
    trailing_break: bool,
    /// A space right after a line break.
    break_space: bool,
    /// A space right before a line break.
    space_break: bool,
}

impl Traits {
    fn of(text: &str) -> Self {
        let mut traits = Traits {
            indicators: text.starts_with("---") || text.starts_with("..."),
            leading_space: text.starts_with(' '),
            leading_break: text.starts_with(is_break),
            trailing_space: text.ends_with(' '),
            trailing_break: text.ends_with(is_break),
            ..Traits::default()
        };
        let mut previous = None;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let blank_follows = characters.peek().is_none_or(|&next| next == ' ' || next == '\t');
            traits.indicators |= match (character, previous) {
                (
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                    | '`',
                    None,
                ) => true,
                ('?' | '-', None) | (':', _) => blank_follows,
                ('#', Some(previous)) => matches!(previous, ' ' | '\t' | '\0') || is_break(previous),
                _ => false,
            };
            traits.flow_indicators |=
                traits.indicators || matches!(character, ',' | '?' | '[' | ']' | '{' | '}' | ':');
            if character == '\t' {
                traits.tab = true;
            } else if !is_printable(character) {
                traits.special = true;
            }
            if character == ' ' {
                traits.break_space |= previous.is_some_and(is_break);
            } else if is_break(character) {
                traits.breaks = true;
                traits.space_break |= previous == Some(' ');
            }
            previous = Some(character);
        }
        traits
    }

    fn plain_allowed(&self) -> bool {
        let edges = self.leading_space || self.leading_break || self.trailing_space || self.trailing_break;
        !edges && !self.breaks && !self.special && !self.tab && !self.indicators
    }

    fn block_allowed(&self) -> bool {
        !self.trailing_space && !self.space_break && !self.special
    }

    fn single_quoted_allowed(&self) -> bool {
        !self.break_space && !self.space_break && !self.special && !self.tab
    }
}

/// What ends a line for YAML 1.1.
pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What go-yaml leaves unescaped: nothing beyond the basic plane.
pub(super) fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && character != '\u{feff}'
}
