//! Go's syntax of patterns, rewritten for the engine: every construct is spelled out, so nothing depends on
//! differences in the engine's syntax.

use std::fmt::Write;

use crate::error::{PatternError, TOO_DEEP, TOO_LARGE};
use crate::tree::{Inside, Tree};

/// A pattern for the engine, and the names of its groups.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) pattern: String,
    pub(super) names: Vec<String>,
    /// How deeply groups are nested.
    pub(super) depth: usize,
    /// How many instructions Go needs for it.
    pub(super) size: usize,
    /// How many Unicode classes it names.
    pub(super) unicode_classes: usize,
}

/// How deeply groups may be nested, whether or not they add to the height of the tree.
const MAX_DEPTH: usize = 4_000;

/// How often a pattern may name a class with hundreds of ranges: Go counts the ranges of all classes.
const MAX_LARGE_CLASSES: usize = 25_000;

/// The classes with the most ranges.
const LARGE_CLASSES: &[&str] = &["L", "Letter", "C", "Other", "Cn", "Unassigned", "Assigned"];

/// The maximum product of nested repetitions.
const MAX_REPEAT: u32 = 1_000;

/// An empty class.
const NOTHING: &str = "[a&&b]";

/// Rewrites a pattern.
pub(super) fn translate(pattern: &[u8]) -> Result<Translated, PatternError> {
    let text = std::str::from_utf8(pattern).map_err(|problem| {
        let rest = pattern.get(problem.valid_up_to()..).unwrap_or_default();
        PatternError::new("invalid UTF-8", &String::from_utf8_lossy(rest))
    })?;
    let mut translator = Translator {
        whole: text,
        rest: text,
        flags: Flags::default(),
        frames: vec![Frame::default()],
        out: String::with_capacity(text.len() * 2),
        names: Vec::new(),
        depth: 0,
        unicode_classes: 0,
        large_classes: 0,
    };
    translator.run()?;
    let whole = translator.frames.pop().unwrap_or_default().inside.tree();
    translator.limit(whole)?;
    if translator.large_classes > MAX_LARGE_CLASSES {
        return Err(PatternError::new(TOO_LARGE, text));
    }
    let Translator { out: pattern, names, depth, unicode_classes, .. } = translator;
    Ok(Translated { pattern, names, depth, size: whole.size, unicode_classes })
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    fold_case: bool,
    multi_line: bool,
    dot_matches_newline: bool,
    lazy: bool,
}

/// An open group.
#[derive(Debug, Default)]
struct Frame {
    /// The flags from before it.
    flags: Flags,
    /// The maximum repetition of its parts.
    repeats: u32,
    /// The same for the last part, if there is one that can be repeated.
    operand: Option<u32>,
    /// Whether the group is numbered.
    is_capture: bool,
    inside: Inside,
}

struct Translator<'a> {
    whole: &'a str,
    rest: &'a str,
    flags: Flags,
    frames: Vec<Frame>,
    out: String,
    names: Vec<String>,
    depth: usize,
    unicode_classes: usize,
    large_classes: usize,
}

impl<'a> Translator<'a> {
    fn limit(&self, tree: Tree) -> Result<(), PatternError> {
        tree.limit().map_err(|what| PatternError::new(what, self.whole))
    }

    fn run(&mut self) -> Result<(), PatternError> {
        let mut last_repeat = None;
        while let Some(character) = self.rest.chars().next() {
            let before = self.rest;
            let mut repeat = None;
            match character {
                '(' if before.starts_with("(?") => self.open_special()?,
                '(' => {
                    self.skip(1);
                    self.open_capture(String::new())?;
                }
                '|' => {
                    self.skip(1);
                    self.out.push('|');
                    self.frame().inside.bar();
                    self.end_operand();
                }
                ')' => self.close()?,
                '^' => self.operator(1, if self.flags.multi_line { "(?m:^)" } else { r"\A" }),
                '$' => self.operator(1, if self.flags.multi_line { "(?m:$)" } else { r"\z" }),
                '.' => self.operator(1, if self.flags.dot_matches_newline { "(?s:.)" } else { r"[^\n]" }),
                '[' => self.class()?,
                '*' | '+' | '?' => {
                    self.skip(1);
                    self.repeat(before, character.encode_utf8(&mut [0; 4]), None, last_repeat)?;
                    repeat = Some(before);
                }
                '{' => match self.counts()? {
                    Some((minimum, maximum)) => {
                        let written = match maximum {
                            Some(maximum) => format!("{{{minimum},{maximum}}}"),
                            None => format!("{{{minimum},}}"),
                        };
                        self.repeat(before, &written, Some((minimum, maximum)), last_repeat)?;
                        repeat = Some(before);
                    }
                    None => {
                        self.skip(1);
                        self.literal('{');
                    }
                },
                '\\' => self.escape()?,
                _ => {
                    self.skip(character.len_utf8());
                    self.literal(character);
                }
            }
            last_repeat = repeat;
        }
        if self.frames.len() > 1 { Err(PatternError::new("missing closing )", self.whole)) } else { Ok(()) }
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// The part read since `before`.
    fn since(&self, before: &'a str) -> &'a str {
        before.get(..before.len().saturating_sub(self.rest.len())).unwrap_or(before)
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The last part can be repeated.
    fn end_part(&mut self, repeats: u32) {
        let frame = self.frame();
        frame.operand = Some(repeats);
        frame.repeats = frame.repeats.max(repeats);
    }

    fn end_operand(&mut self) {
        self.frame().operand = None;
    }

    fn operator(&mut self, length: usize, written: &str) {
        self.skip(length);
        self.out.push_str(written);
        self.frame().inside.push(Tree::LEAF);
        self.end_part(1);
    }

    fn literal(&mut self, character: char) {
        let fold = if self.flags.fold_case { "i" } else { "" };
        _ = write!(self.out, "(?{fold}:\\x{{{:x}}})", u32::from(character));
        self.frame().inside.push_literal();
        self.end_part(1);
    }

    fn open_capture(&mut self, name: String) -> Result<(), PatternError> {
        self.names.push(name);
        self.open("(")?;
        self.frame().is_capture = true;
        Ok(())
    }

    fn open(&mut self, written: &str) -> Result<(), PatternError> {
        self.depth = self.depth.max(self.frames.len());
        if self.frames.len() > MAX_DEPTH {
            return Err(PatternError::new(TOO_DEEP, self.whole));
        }
        self.out.push_str(written);
        self.frames.push(Frame { flags: self.flags, ..Frame::default() });
        Ok(())
    }

    fn close(&mut self) -> Result<(), PatternError> {
        if self.frames.len() < 2 {
            return Err(PatternError::new("unexpected )", self.whole));
        }
        self.skip(1);
        self.out.push(')');
        if let Some(frame) = self.frames.pop() {
            self.flags = frame.flags;
            let (repeats, is_capture) = (frame.repeats.max(1), frame.is_capture);
            let mut tree = frame.inside.tree();
            if is_capture {
                tree = tree.captured();
            }
            self.limit(tree)?;
            self.frame().inside.push(tree);
            self.end_part(repeats);
        }
        Ok(())
    }

    /// A group that starts with `(?`: named, or with flags.
    fn open_special(&mut self) -> Result<(), PatternError> {
        let before = self.rest;
        let named = match before.get(2..) {
            Some(rest) if rest.starts_with("P<") && before.len() > 4 => Some(4),
            Some(rest) if rest.starts_with('<') && before.len() > 3 => Some(3),
            _ => None,
        };
        if let Some(start) = named {
            let end = before.find('>').ok_or_else(|| PatternError::new("invalid named capture", before))?;
            let name = before.get(start..end).unwrap_or_default();
            self.skip(end + 1);
            let valid = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.is_empty() || !valid {
                return Err(PatternError::new("invalid named capture", self.since(before)));
            }
            return self.open_capture(name.to_owned());
        }
        self.skip(2);
        let mut flags = self.flags;
        let (mut on, mut seen) = (true, false);
        while let Some(character) = self.rest.chars().next() {
            self.skip(character.len_utf8());
            match character {
                'i' => (flags.fold_case, seen) = (on, true),
                'm' => (flags.multi_line, seen) = (on, true),
                's' => (flags.dot_matches_newline, seen) = (on, true),
                'U' => (flags.lazy, seen) = (on, true),
                '-' if on => (on, seen) = (false, false),
                ':' | ')' if on || seen => {
                    if character == ':' {
                        self.open("(?:")?;
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(PatternError::new("invalid or unsupported Perl syntax", self.since(before)))
    }

    /// The counts in braces. `None` if the brace is an ordinary character.
    fn counts(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let before = self.rest;
        let Some((minimum, maximum, after)) = read_counts(before) else { return Ok(None) };
        self.rest = after;
        let too_large = minimum > MAX_REPEAT || maximum.is_some_and(|maximum| maximum > MAX_REPEAT);
        if too_large || maximum.is_some_and(|maximum| maximum < minimum) {
            return Err(PatternError::new("invalid repeat count", self.since(before)));
        }
        Ok(Some((minimum, maximum)))
    }

    fn repeat(
        &mut self,
        before: &'a str,
        written: &str,
        counts: Option<(u32, Option<u32>)>,
        last_repeat: Option<&'a str>,
    ) -> Result<(), PatternError> {
        let mut lazy = self.flags.lazy;
        if self.rest.starts_with('?') {
            self.skip(1);
            lazy = !lazy;
        }
        if let Some(last) = last_repeat {
            return Err(PatternError::new("invalid nested repetition operator", self.since(last)));
        }
        let Some(repeats) = self.frame().operand else {
            return Err(PatternError::new("missing argument to repetition operator", self.since(before)));
        };
        self.repeat_tree(counts)?;
        self.out.push_str(written);
        if lazy {
            self.out.push('?');
        }
        let repeats = match counts {
            Some((_, Some(0))) => 1,
            Some((minimum, maximum)) => {
                let factor = maximum.unwrap_or(minimum);
                let product = repeats.saturating_mul(factor.max(1));
                if (minimum >= 2 || factor >= 2) && product > MAX_REPEAT {
                    return Err(PatternError::new("invalid repeat count", self.since(before)));
                }
                product
            }
            None => repeats,
        };
        self.end_part(repeats);
        Ok(())
    }

    fn repeat_tree(&mut self, counts: Option<(u32, Option<u32>)>) -> Result<(), PatternError> {
        let Some(part) = self.frame().inside.last.take() else { return Ok(()) };
        let tree = part.repeated(counts);
        self.limit(tree)?;
        self.frame().inside.last = Some(tree);
        Ok(())
    }

    /// A backslash sequence outside brackets.
    fn escape(&mut self) -> Result<(), PatternError> {
        let before = self.rest;
        match before.as_bytes().get(1) {
            Some(b'A') => self.operator(2, r"\A"),
            Some(b'z') => self.operator(2, r"\z"),
            Some(b'b') => self.operator(2, r"(?-u:\b)"),
            Some(b'B') => self.operator(2, r"(?-u:\B)"),
            Some(b'C') => return Err(PatternError::new("invalid escape sequence", r"\C")),
            Some(b'Q') => {
                self.skip(2);
                let (quoted, after) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
                self.rest = after;
                for character in quoted.chars() {
                    self.literal(character);
                }
            }
            _ => {
                if let Some(class) = self.class_escape()? {
                    self.push_class(&class);
                } else {
                    match self.character_escape()? {
                        Some(character) => self.literal(character),
                        None => self.push_class(NOTHING),
                    }
                }
            }
        }
        Ok(())
    }

    fn push_class(&mut self, class: &str) {
        let fold = if self.flags.fold_case { "i" } else { "" };
        _ = write!(self.out, "(?{fold}:{class})");
        self.frame().inside.push(Tree::LEAF);
        self.end_part(1);
    }

    /// `\d` and its like, `\pL`, `\p{Greek}`: as a class of the engine.
    fn class_escape(&mut self) -> Result<Option<String>, PatternError> {
        let before = self.rest;
        let Some(letter) = before.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
            return Ok(None);
        };
        let class = match letter {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            's' => r"[\t\n\f\r ]",
            'S' => r"[^\t\n\f\r ]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            'p' | 'P' => return self.unicode_class(letter == 'P').map(Some),
            _ => return Ok(None),
        };
        self.skip(2);
        Ok(Some(class.to_owned()))
    }

    fn unicode_class(&mut self, negated: bool) -> Result<String, PatternError> {
        let before = self.rest;
        self.unicode_classes += 1;
        self.skip(2);
        let Some(first) = self.rest.chars().next() else {
            return Err(PatternError::new("invalid UTF-8", ""));
        };
        let name = if first == '{' {
            let end =
                before.find('}').ok_or_else(|| PatternError::new("invalid character class range", before))?;
            self.rest = before.get(end + 1..).unwrap_or_default();
            before.get(3..end).unwrap_or_default()
        } else {
            self.skip(first.len_utf8());
            self.since(before).get(2..).unwrap_or_default()
        };
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, !negated),
            None => (name, negated),
        };
        if LARGE_CLASSES.contains(&canonical(name).as_str()) {
            self.large_classes += 1;
        }
        let class = named_unicode_class(name)
            .ok_or_else(|| PatternError::new("invalid character class range", self.since(before)))?;
        Ok(if negated { format!("[^{class}]") } else { format!("[{class}]") })
    }

    /// An escape for one character. `None` for a number that is not a character.
    fn character_escape(&mut self) -> Result<Option<char>, PatternError> {
        let before = self.rest;
        self.skip(1);
        let Some(letter) = self.rest.chars().next() else {
            return Err(PatternError::new("trailing backslash at end of expression", ""));
        };
        self.skip(letter.len_utf8());
        let octal = |text: &str| text.bytes().next().filter(|byte| (b'0'..=b'7').contains(byte));
        let value = match letter {
            '0' => Some(0),
            '1'..='7' if octal(self.rest).is_some() => letter.to_digit(8),
            'x' => self.hexadecimal(),
            'a' => return Ok(Some('\u{7}')),
            'f' => return Ok(Some('\u{c}')),
            'n' => return Ok(Some('\n')),
            'r' => return Ok(Some('\r')),
            't' => return Ok(Some('\t')),
            'v' => return Ok(Some('\u{b}')),
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => return Ok(Some(letter)),
            _ => None,
        };
        let Some(mut value) = value else {
            return Err(PatternError::new("invalid escape sequence", self.since(before)));
        };
        if letter != 'x' {
            for _ in 1..3 {
                let Some(digit) = octal(self.rest) else { break };
                value = value * 8 + u32::from(digit - b'0');
                self.skip(1);
            }
        }
        Ok(char::from_u32(value))
    }

    /// Two digits, or any number of them in braces.
    fn hexadecimal(&mut self) -> Option<u32> {
        let mut value = 0;
        let first = self.rest.chars().next()?;
        self.skip(first.len_utf8());
        if first != '{' {
            let second = self.rest.chars().next()?;
            self.skip(second.len_utf8());
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut digits = 0;
        while let Some(character) = self.rest.chars().next() {
            self.skip(character.len_utf8());
            if character == '}' {
                return (digits > 0).then_some(value);
            }
            value = value * 16 + character.to_digit(16)?;
            if value > u32::from(char::MAX) {
                return None;
            }
            digits += 1;
        }
        None
    }

    /// The class between brackets.
    fn class(&mut self) -> Result<(), PatternError> {
        let before = self.rest;
        self.skip(1);
        let mut class = String::from("[");
        if self.rest.starts_with('^') {
            self.skip(1);
            class.push('^');
        }
        // An empty item keeps the class valid for the engine even if all others are empty too.
        class.push_str(NOTHING);
        let mut ranges = Vec::new();
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if let Some(named) = self.named_class()? {
                class.push_str(&named);
                continue;
            }
            if let Some(escaped) = self.class_escape()? {
                class.push_str(&escaped);
                continue;
            }
            let start = self.rest;
            let low = self.class_character(before)?;
            let mut high = low;
            let ends =
                self.rest.strip_prefix('-').is_none_or(|rest| rest.is_empty() || rest.starts_with(']'));
            if !ends {
                self.skip(1);
                high = self.class_character(before)?;
                if high < low {
                    return Err(PatternError::new("invalid character class range", self.since(start)));
                }
            }
            ranges.push((low, high));
        }
        push_ranges(&mut class, ranges);
        self.skip(1);
        class.push(']');
        self.push_class(&class);
        Ok(())
    }

    fn class_character(&mut self, whole: &str) -> Result<u32, PatternError> {
        let Some(character) = self.rest.chars().next() else {
            return Err(PatternError::new("missing closing ]", whole));
        };
        if character == '\\' {
            // A number that is not a character can only be half of a UTF-16 pair, which no text can express.
            return Ok(self.character_escape()?.map_or(0xd800, u32::from));
        }
        self.skip(character.len_utf8());
        Ok(u32::from(character))
    }

    /// `[:alpha:]` and its like.
    fn named_class(&mut self) -> Result<Option<String>, PatternError> {
        let Some(end) = self.rest.strip_prefix("[:").and_then(|rest| rest.find(":]")) else {
            return Ok(None);
        };
        let before = self.rest;
        self.skip(end + 4);
        let name = before.get(2..end + 2).unwrap_or_default();
        let (name, mark) = match name.strip_prefix('^') {
            Some(name) => (name, "^"),
            None => (name, ""),
        };
        match POSIX.iter().find(|(own, _)| *own == name) {
            Some((_, items)) => Ok(Some(format!("[{mark}{items}]"))),
            None => Err(PatternError::new("invalid character class range", self.since(before))),
        }
    }
}

const POSIX: &[(&str, &str)] = &[
    ("alnum", "0-9A-Za-z"),
    ("alpha", "A-Za-z"),
    ("ascii", r"\x00-\x7F"),
    ("blank", r"\t "),
    ("cntrl", r"\x00-\x1F\x7F"),
    ("digit", "0-9"),
    ("graph", r"\x21-\x7E"),
    ("lower", "a-z"),
    ("print", r"\x20-\x7E"),
    ("punct", r"\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E"),
    ("space", r"\t\n\x0B\f\r "),
    ("upper", "A-Z"),
    ("word", "0-9A-Za-z_"),
    ("xdigit", "0-9A-Fa-f"),
];

/// The ranges of a class, without the numbers that are not characters. A range across them must stay in one
/// piece: for the engine, a gap between two ranges would belong to the class when it is negated.
fn push_ranges(class: &mut String, mut ranges: Vec<(u32, u32)>) {
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (low, high) in ranges {
        let low = if (0xd800..0xe000).contains(&low) { 0xe000 } else { low };
        let high = if (0xd800..0xe000).contains(&high) { 0xd7ff } else { high };
        if low > high {
            continue;
        }
        match merged.last_mut() {
            Some((_, last)) if low <= *last || (*last == 0xd7ff && low == 0xe000) => *last = high.max(*last),
            _ => merged.push((low, high)),
        }
    }
    for (low, high) in merged {
        _ = write!(class, "\\x{{{low:x}}}-\\x{{{high:x}}}");
    }
}

fn read_counts(text: &str) -> Option<(u32, Option<u32>, &str)> {
    let (minimum, rest) = read_count(text.strip_prefix('{')?)?;
    let (maximum, rest) = match rest.strip_prefix(',') {
        None => (Some(minimum), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (maximum, rest) = read_count(rest)?;
            (Some(maximum), rest)
        }
    };
    Some((minimum, maximum, rest.strip_prefix('}')?))
}

fn read_count(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(length).filter(|(digits, _)| !digits.is_empty())?;
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}

/// The engine's class for one of Go's names: general categories, and scripts of one word.
fn named_unicode_class(name: &str) -> Option<String> {
    let canonical = canonical(name);
    match canonical.as_str() {
        "Any" => return Some(r"\x{0}-\x{10ffff}".to_owned()),
        "Assigned" => return Some(r"\P{Cn}".to_owned()),
        "Ascii" => return Some(r"\x00-\x7f".to_owned()),
        "Cs" | "Surrogate" => return Some(NOTHING.to_owned()),
        "Lc" => return Some(r"\p{Lu}\p{Ll}\p{Lt}".to_owned()),
        _ => {}
    }
    let category = CATEGORIES.split_whitespace().find(|own| *own == canonical);
    let alias = || {
        let aliases = CATEGORY_ALIASES.split_whitespace().filter_map(|pair| pair.split_once('='));
        aliases.filter(|(own, _)| *own == canonical).map(|(_, category)| category).next()
    };
    if let Some(category) = category.or_else(alias) {
        return Some(format!(r"\p{{gc={category}}}"));
    }
    let script = SCRIPTS.split_whitespace().find(|own| *own == canonical)?;
    Some(format!(r"\p{{sc={script}}}"))
}

/// A name with its first letter in upper case and all others in lower case, without spaces, hyphens and
/// underscores.
fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|character| !matches!(character, '_' | '-' | ' '));
    let change = |(index, letter): (usize, char)| {
        if index == 0 { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    letters.enumerate().map(change).collect()
}

const CATEGORIES: &str = "C Cc Cf Cn Co L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z \
                          Zl Zp Zs";

const CATEGORY_ALIASES: &str = "Casedletter=LC Closepunctuation=Pe Combiningmark=M Connectorpunctuation=Pc Control=Cc \
    Currencysymbol=Sc Dashpunctuation=Pd Decimalnumber=Nd Enclosingmark=Me Finalpunctuation=Pf Format=Cf \
    Initialpunctuation=Pi Letter=L Letternumber=Nl Lineseparator=Zl Lowercaseletter=Ll Mark=M Mathsymbol=Sm \
    Modifierletter=Lm Modifiersymbol=Sk Nonspacingmark=Mn Number=N Openpunctuation=Ps Other=C Otherletter=Lo \
    Othernumber=No Otherpunctuation=Po Othersymbol=So Paragraphseparator=Zp Privateuse=Co Punctuation=P Separator=Z \
    Spaceseparator=Zs Spacingmark=Mc Symbol=S Titlecaseletter=Lt Unassigned=Cn Uppercaseletter=Lu Cntrl=Cc Digit=Nd \
    Punct=P";

/// Go does not find scripts whose names have several words.
const SCRIPTS: &str = "Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille \
    Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari \
    Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul \
    Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki Khudawadi \
    Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Medefaidrin Miao \
    Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene \
    Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac \
    Tagalog Tagbanwa Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi \
    Wancho Yezidi Yi";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regexp;

    #[test]
    fn errors() {
        for (pattern, expected) in [
            (r"\p{Old_Italic}", r"invalid character class range: `\p{Old_Italic}`"),
            (r"\p{Grek}", r"invalid character class range: `\p{Grek}`"),
            (r"\pX", r"invalid character class range: `\pX`"),
            (r"\p{Foo", r"invalid character class range: `\p{Foo`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            ("[[:alpha:]", "missing closing ]: `[[:alpha:]`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("(a{100}){11}", "invalid repeat count: `{11}`"),
            ("(?:a{0,1000}){2}", "invalid repeat count: `{2}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("(*a)", "missing argument to repetition operator: `*`"),
            ("a|*", "missing argument to repetition operator: `*`"),
            ("(?i)*", "missing argument to repetition operator: `*`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
            ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
            ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?P<n", "invalid named capture: `(?P<n`"),
            ("(?P<>a)", "invalid named capture: `(?P<>`"),
            ("(a", "missing closing ): `(a`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("[]", "missing closing ]: `[]`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\q", r"invalid escape sequence: `\q`"),
            (r"\x4", r"invalid escape sequence: `\x4`"),
            (r"\xzz", r"invalid escape sequence: `\xzz`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"a\", "trailing backslash at end of expression: ``"),
            (r"[a\", "trailing backslash at end of expression: ``"),
        ] {
            let actual = Regexp::compile(pattern.as_bytes()).unwrap_err().to_string();
            assert_eq!(actual, format!("error parsing regexp: {expected}"), "{pattern}");
        }
        let actual = Regexp::compile(b"a\xff").unwrap_err().to_string();
        assert_eq!(actual, "error parsing regexp: invalid UTF-8: `\u{fffd}`");
    }

    #[test]
    fn surrogates_are_in_no_class() {
        // The pattern, and what matches and what does not.
        for (pattern, matching, others) in [
            (r"^[^\x{80}-\x{10FFFF}]$", "a", "\u{d7ff}\u{e000}é"),
            (r"^[^\x{80}-\x{D7FF}\x{E000}-\x{10FFFF}]$", "a", "\u{d7ff}\u{e000}é"),
            (r"^[^\x00-\x{10FFFF}]$", "", "a\u{d7ff}\u{e000}"),
            (r"^[^é-\x{FFFF}]$", "a", "\u{d7ff}\u{e000}é"),
            (r"^[\x{80}-\x{10FFFF}]$", "\u{d7ff}\u{e000}é", "a"),
            (r"^[\x{D800}-\x{DFFF}]$", "", "a\u{d7ff}\u{e000}"),
            (r"^[^\x{D800}-\x{DFFF}]$", "a\u{d7ff}\u{e000}", ""),
            (r"^[^\x00-\x{D800}]$", "\u{e000}", "a\u{d7ff}"),
            (r"^[^\x{DFFF}-\x{10FFFF}]$", "a\u{d7ff}", "\u{e000}"),
            (r"^\PL$", "\u{d7ff}\u{e000}1", "a"),
            (r"^[^\PL]$", "a", "\u{d7ff}\u{e000}1"),
        ] {
            let regexp = Regexp::compile(pattern.as_bytes()).unwrap();
            for (text, expected) in [(matching, true), (others, false)] {
                for character in text.chars() {
                    let found = regexp.is_match(character.to_string().as_bytes());
                    assert_eq!(found, expected, "{pattern} and {character:?}");
                }
            }
        }
    }

    #[test]
    fn every_class_is_known_to_the_engine() {
        let aliases = CATEGORY_ALIASES.split_whitespace().filter_map(|pair| pair.split_once('='));
        let names = CATEGORIES
            .split_whitespace()
            .chain(SCRIPTS.split_whitespace())
            .chain(aliases.map(|(name, _)| name));
        for name in names.chain(["Any", "ASCII", "assigned", "LC", "Cs", "Uppercase_Letter"]) {
            for pattern in [format!(r"\p{{{name}}}"), format!(r"(?i)[^\P{{{name}}}]")] {
                assert!(Regexp::compile(pattern.as_bytes()).is_ok(), "{pattern}");
            }
        }
    }
}
