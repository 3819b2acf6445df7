//! The secrets in a text that cannot be read as YAML, as templates cannot: a careful look at its lines. Rather too much
//! is hidden than too little.

use std::ops::Range;

use trueline_diagnostic::is_secret_name;

use super::{Found, LAST_APPLIED, is_open_field, range};

/// The secrets in a text.
pub(super) fn search(text: &str) -> Found {
    let mut found = Found::default();
    let (mut start, mut is_secret) = (0, false);
    let is_json = text.trim_start().starts_with('{') && !text.trim_start().starts_with("{{");
    // Documents are looked at one by one: a Secret says what it is anywhere in its own.
    while start < text.len() {
        let rest = text.get(start..).unwrap_or_default();
        let end = if is_json { None } else { rest.find("\n---").map(|end| end + 1) }.unwrap_or(rest.len());
        let part = rest.get(..end).unwrap_or(rest);
        // What does not say what it is may be the rest of a Secret that was cut.
        is_secret = says_secret(part) || is_secret && !part.contains("kind");
        let mut look = Look { start, is_secret, ..Look::default() };
        let mut lines = part.split_inclusive(['\n', '\r']).peekable();
        let mut before = "";
        while let Some(line) = lines.next() {
            let beside = [before, lines.peek().copied().unwrap_or_default()];
            look.line(line, beside, &mut found);
            look.start += line.len();
            before = line;
        }
        start += end.max(1);
    }
    found
}

/// What is secret in a comment: the value of something that is named like a secret.
pub(super) fn in_comment(text: &str, comment: Range<usize>) -> Option<Range<u32>> {
    let secret = named_in(text.get(comment.clone())?)?;
    Some(range(comment.start + secret..comment.end))
}

/// What is known of the lines before one.
#[derive(Default)]
struct Look {
    /// Where the line begins in the text.
    start: usize,
    /// Whether the document is a Secret.
    is_secret: bool,
    /// The indentation of a field that is named like a secret; what stands below it is secret.
    named: Option<usize>,
    /// The same for a field of a Secret that is not secret.
    open: Option<usize>,
    /// The same for one that is, and the indentation of the first line below it.
    data: Option<(usize, Option<usize>)>,
}

impl Look {
    /// Looks at a line; `beside` are those before and behind it.
    fn line(&mut self, line: &str, beside: [&str; 2], found: &mut Found) {
        let content = line.trim_start();
        if matches!(content.trim_end(), "" | "---") {
            return;
        }
        let indent = line.len() - content.len();
        // A line of a template that writes no field tells nothing about those around it.
        if content.starts_with("{{") {
            let is_inside = self.is_secret && self.open.is_none() || self.named.is_some();
            if is_inside {
                self.hide(line, indent, &mut found.data);
            }
            return;
        }
        let is_item = content.starts_with("- ");
        let is_below = |above: usize| indent > above || indent == above && is_item;
        self.named = self.named.filter(|above| is_below(*above));
        if self.named.is_some() {
            return self.hide(line, indent, &mut found.named);
        }
        if self.is_secret && self.secret_line(line, indent, found) {
            return;
        }
        let value = field(line).filter(|(name, _)| name.rsplit(' ').next() == Some("value"));
        let beside = value.filter(|_| beside.iter().any(|line| names_secret(line))).map(|(_, value)| value);
        if let Some(start) = named_in(line).into_iter().chain(beside).min() {
            self.hide(line, start, &mut found.named);
        }
        if field(line).is_some_and(|(name, _)| is_secret_name(name) || name.ends_with(LAST_APPLIED)) {
            self.named = Some(column(line));
        }
    }

    /// Looks at a line of a Secret: whether all has been said of it.
    fn secret_line(&mut self, line: &str, indent: usize, found: &mut Found) -> bool {
        let column = column(line);
        self.open = self.open.filter(|above| column > *above);
        if self.open.is_some() {
            return false;
        }
        let field = field(line);
        self.data = self.data.filter(|(above, _)| column > *above);
        if let Some((_, child)) = &mut self.data {
            let is_child = *child.get_or_insert(column) == column;
            let value = field.filter(|_| is_child).map_or(indent, |(_, value)| value);
            self.hide(line, value, &mut found.data);
            return true;
        }
        match field {
            Some((name, value)) if is_open_field(name) => {
                let rest = line.get(value..).unwrap_or_default();
                let action =
                    if rest.starts_with("{{") { rest.find("}}").map_or(0, |end| end + 2) } else { 0 };
                let more =
                    rest.get(action..).and_then(|rest| rest.find(['{', ','])).map(|more| action + more);
                match more {
                    // More than one field in a line.
                    Some(more) => self.hide(line, value + more, &mut found.data),
                    None => self.open = Some(column),
                }
                false
            }
            Some((_, value)) => {
                self.data = Some((column, None));
                self.hide(line, value, &mut found.data);
                true
            }
            None => {
                self.hide(line, indent, &mut found.data);
                true
            }
        }
    }

    /// Hides a line from a byte on.
    fn hide(&self, line: &str, from: usize, ranges: &mut Vec<Range<u32>>) {
        ranges.push(range(self.start + from..self.start + line.trim_end().len()));
    }
}

/// Where a line begins, without the dashes of lists.
fn column(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t', '-']).len()
}

/// The name of the field that a line begins with, and where its value begins.
fn field(line: &str) -> Option<(&str, usize)> {
    let (before, value) = line.split_once(':')?;
    let name = before.trim().trim_start_matches(['-', ' ', '{', ',']).trim_matches(['"', '\'', ' ']);
    if name.contains(['{', '}', ',']) {
        return None;
    }
    Some((name, line.len() - value.trim_start().len()))
}

/// How many characters, and how many words of them, are looked at to read the name of a kind.
const LONGEST: usize = 200;
const WORDS: usize = 3;

/// Whether a document says that it is a Secret, or a list of them, or has a field that nothing else has.
fn says_secret(part: &str) -> bool {
    let mut kinds = part.match_indices("kind").filter_map(|(start, word)| part.get(start + word.len()..));
    part.contains("stringData")
        || kinds.any(|rest| {
            let rest = rest.trim_start_matches(['"', '\'', ' ']);
            let Some(value) = rest.strip_prefix(':') else { return false };
            // An anchor, a tag or a mistake may stand before it. A line can be as long as the text.
            let end = value.char_indices().take(LONGEST).find(|(_, letter)| matches!(letter, '\n' | '\r'));
            let end = end.or_else(|| value.char_indices().nth(LONGEST)).map(|(end, _)| end);
            let value = end.and_then(|end| value.get(..end)).unwrap_or(value);
            let words = value.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
            // A list of them is secret as well, and so may be a kind that is misspelt.
            words.take(WORDS).any(|word| word.to_lowercase().starts_with("secret"))
        })
}

/// Where the value of something that is named like a secret begins in a line.
fn named_in(line: &str) -> Option<usize> {
    let mut from = 0;
    let mut is_beside = None;
    for (colon, _) in line.match_indices(':') {
        let name = line.get(from..colon)?.trim_end_matches(['"', '\'', ' ']);
        let name = name.rsplit([' ', '"', '\'', '{', ',', '[', '\t', '#']).next().unwrap_or(name);
        let value = line.get(colon + 1..)?.trim_start();
        let is_named = is_secret_name(name) || name.ends_with(LAST_APPLIED);
        if !value.is_empty()
            && (is_named || name == "value" && *is_beside.get_or_insert_with(|| names_secret(line)))
        {
            return Some(line.len() - value.len());
        }
        from = colon + 1;
    }
    None
}

/// Whether a field of a line, such as `name`, says that what is beside it is secret.
fn names_secret(line: &str) -> bool {
    let fields = ["name", "key"].iter().flat_map(|name| line.match_indices(name));
    let mut values = fields.filter_map(|(start, name)| {
        let rest = line.get(start + name.len()..)?.trim_start_matches(['"', '\'', ' ']).strip_prefix(':')?;
        rest.trim_start_matches(['"', '\'', ' ']).split([',', '}', ' ', '"', '\'', '\n', '\r']).next()
    });
    values.any(is_secret_name)
}
