//! The secrets in a file that cannot be read as YAML, as templates cannot: a careful look at its lines. Rather too much
//! is hidden than too little.

use std::ops::Range;
use std::sync::Arc;

use trueline_diagnostic::is_secret_name;
use trueline_source::SourceId;
use trueline_yaml::{Document, ReadOptions};

use super::{
    LAST_APPLIED, SecretRanges, arguments, document, is_open_below, is_open_field, is_value_field, range,
};

/// The secrets in a file.
pub(super) fn search(text: &str) -> SecretRanges {
    let mut found = SecretRanges::default();
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
    /// A field that is named like a secret; what is below it is secret.
    named: Option<Named>,
    /// The same for a field of a Secret that is not secret.
    open: Option<usize>,
    /// The same for one that is, and the indentation of the first line below it.
    data: Option<(usize, Option<usize>)>,
}

/// A field that is named like a secret.
#[derive(Clone, Copy)]
struct Named {
    /// Its indentation.
    column: usize,
    /// Whether lines below it are a part of its text, rather than fields of a map or items of a list.
    is_text: bool,
}

impl Look {
    /// Looks at a line; `beside` are those before and after it.
    fn line(&mut self, line: &str, beside: [&str; 2], found: &mut SecretRanges) {
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
        self.named = self.named.filter(|named| is_below(named.column));
        if let Some(named) = self.named {
            return self.below(line, indent, (named, beside), found);
        }
        if self.is_secret && self.secret_line(line, indent, found) {
            return;
        }
        let value = field(line).filter(|(name, _)| name.rsplit(' ').next().is_some_and(is_value_field));
        let beside = value.filter(|_| beside.iter().any(|line| names_secret(line))).map(|(_, value)| value);
        if let Some(start) = named_in(line).into_iter().chain(beside).min() {
            self.hide_value(line, start, found);
        }
        let passed = arguments::in_text(line.trim_end()).into_iter();
        found.passed.extend(passed.map(|value| range(self.start + value.start..self.start + value.end)));
        if let Some((name, value)) = field(line)
            && (is_secret_name(name) || name.ends_with(LAST_APPLIED))
        {
            let is_text = !line.get(value..).unwrap_or_default().trim().is_empty();
            self.named = Some(Named { column: column(line), is_text });
        }
    }

    /// Looks at a line below a field that is named like a secret: the names of fields are shown, and so is what leads to
    /// a secret.
    fn below(
        &self,
        line: &str,
        indent: usize,
        (named, beside): (Named, [&str; 2]),
        found: &mut SecretRanges,
    ) {
        let dash = line.get(indent..).unwrap_or_default().strip_prefix("- ");
        match field(line).filter(|_| !named.is_text) {
            Some((name, _)) if is_open_below(name) => {}
            // Which key of a Secret is taken.
            Some(("key", _))
                if beside.iter().filter_map(|line| field(line)).any(|(name, _)| is_open_below(name)) => {}
            Some((_, value)) => self.hide_value(line, value, found),
            None => {
                let start = if named.is_text { indent } else { indent + dash.map_or(0, |_| 2) };
                self.hide(line, start, &mut found.named);
            }
        }
    }

    /// Hides the value of something that is named like a secret: of a map or list in one line, only what is secret in it.
    fn hide_value(&self, line: &str, start: usize, found: &mut SecretRanges) {
        match self.in_flow_of(line, start, document::search_named) {
            Some((ranges, _)) => found.named.extend(ranges),
            None => self.hide(line, start, &mut found.named),
        }
    }

    /// Hides the value of a field of a Secret: of a map in one line, only the values in it.
    fn hide_data(&self, line: &str, start: usize, found: &mut SecretRanges) {
        match self.in_flow_of(line, start, document::search_data) {
            Some((ranges, end)) => {
                found.data.extend(ranges);
                // A comment may say what the value was.
                let rest = line.get(end..).unwrap_or_default();
                if !rest.trim_matches([' ', ',', '}', ']', '\n', '\r']).is_empty() {
                    self.hide(line, end, &mut found.data);
                }
            }
            None => self.hide(line, start, &mut found.data),
        }
    }

    /// What is secret in a map or list that begins at `start` of a line, and where in the line that ends; nothing if there
    /// is none that can be read.
    fn in_flow_of(&self, line: &str, start: usize, search: Search) -> Option<(Vec<Range<u32>>, usize)> {
        let value = line.get(start..).unwrap_or_default().trim_end();
        let is_flow = value.starts_with(['{', '[']) && !value.starts_with("{{");
        let (ranges, end) = if is_flow { in_flow(value, search)? } else { return None };
        let base = self.start + start;
        let moved = |found: Range<u32>| range(base + found.start as usize..base + found.end as usize);
        Some((ranges.into_iter().map(moved).collect(), start + end))
    }

    /// Looks at a line of a Secret: whether all has been said of it.
    fn secret_line(&mut self, line: &str, indent: usize, found: &mut SecretRanges) -> bool {
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
                self.hide_data(line, value, found);
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

/// What looks for secrets in a document of a file.
type Search = fn(&Document, &str) -> Vec<Range<u32>>;

/// The secrets in a map or list that a line of a template ends with, and where it ends; nothing if it cannot be read.
fn in_flow(value: &str, search: Search) -> Option<(Vec<Range<u32>>, usize)> {
    // The actions in it write something that is not known, and as long as they are.
    let mut text = value.to_owned();
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find("{{").map(|start| from + start) {
        let end = start + text.get(start..)?.find("}}")? + 2;
        text.replace_range(start..end, &"x".repeat(end - start));
        from = end;
    }
    // What encloses the line may be closed in it, too.
    let mut depth = 0_usize;
    let mut end = text.len();
    for (index, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            end = index + 1;
            break;
        }
    }
    text.truncate(end);
    let text: Arc<str> = Arc::from(text);
    let stream = trueline_yaml::read(SourceId::from_index(0), &text, &ReadOptions::default());
    let [document] = stream.documents.as_slice() else { return None };
    stream.errors.is_empty().then(|| (search(document, &text), end))
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
            && (is_named || is_value_field(name) && *is_beside.get_or_insert_with(|| names_secret(line)))
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
