//! Expressions in CEL. They are not compiled; what is seen is one that ends where it cannot.

use crate::manifest::place::Place;
use crate::manifest::problem::Report;

/// What can stand where an operand is missing, in the server's words.
const OPERANDS: &str = "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, \
                        NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// Reports an expression that ends behind an operator. An empty one is another matter.
pub(super) fn check(place: &Place<'_, '_>, report: &mut Report) {
    let Some(text) = place.full_text().map(str::trim_end) else { return };
    if !ends_behind_operator(text) {
        return;
    }
    let (line, column) = (text.split('\n').count(), text.rsplit('\n').next().unwrap_or_default());
    let width = column.chars().count();
    let words = format!(
        "compilation failed: ERROR: <input>:{line}:{}: Syntax error: mismatched input '<EOF>' {OPERANDS}\n | {column}\n | {}^",
        width + 1,
        ".".repeat(width)
    );
    report.invalid(place, words);
}

/// The words for an expression that is empty.
pub(super) fn empty() -> String {
    format!("compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' {OPERANDS}")
}

/// What was read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Operand,
    Operator,
    Other,
}

/// Whether an expression ends behind an operator that wants a second operand.
fn ends_behind_operator(text: &str) -> bool {
    let mut rest = text;
    let mut last = Last::Other;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, behind)| behind);
            continue;
        }
        let Some(first) = rest.chars().next() else { return last == Last::Operator };
        let behind = match string_end(rest) {
            // What has no end is wrong in another way.
            Some(None) => return false,
            Some(Some(length)) => {
                last = Last::Operand;
                rest.get(length..)
            }
            None if first.is_ascii_alphanumeric() || first == '_' => {
                let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let length = rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len());
                let is_operator = rest.get(..length) == Some("in") && last == Last::Operand;
                last = if is_operator { Last::Operator } else { Last::Operand };
                rest.get(length..)
            }
            None => {
                let double = ["&&", "||", "==", "!=", "<=", ">="].iter().any(|known| rest.starts_with(known));
                let is_operator = double || "<>+-*/%?:".contains(first);
                last = match first {
                    ')' | ']' | '}' => Last::Operand,
                    _ if is_operator && last == Last::Operand => Last::Operator,
                    _ => Last::Other,
                };
                rest.get(if double { 2 } else { first.len_utf8() }..)
            }
        };
        rest = behind.unwrap_or_default();
    }
}

/// Where the string that a text begins with ends: nothing if it begins with something else, and nothing inside if it has
/// no end.
fn string_end(text: &str) -> Option<Option<usize>> {
    let prefix = text.find(|letter: char| !"rRbB".contains(letter)).unwrap_or(text.len());
    let body = text.get(prefix..).filter(|_| prefix <= 2)?;
    if body.starts_with('`') {
        return Some(body.get(1..).and_then(|inside| inside.find('`')).map(|end| prefix + end + 2));
    }
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| body.starts_with(quote))?;
    let is_raw = text.get(..prefix).is_some_and(|prefix| prefix.contains(['r', 'R']));
    let mut at = quote.len();
    loop {
        let inside = body.get(at..).unwrap_or_default();
        if inside.starts_with(quote) {
            return Some(Some(prefix + at + quote.len()));
        }
        let mut letters = inside.chars();
        let Some(letter) = letters.next() else { return Some(None) };
        at += letter.len_utf8();
        if letter == '\\' && !is_raw {
            at += letters.next().map_or(0, char::len_utf8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_behind_an_operator() {
        for (text, expected) in [
            ("object.spec.replicas <=", true),
            ("self.s ==", true),
            ("a && b ||", true),
            ("a in", true),
            ("a ? b :", true),
            ("(a -", true),
            ("a + // more", true),
            ("a == 'b'", false),
            ("a == \"b +\"", false),
            ("a == r'\\' +", true),
            ("a == 'b\\' +", false),
            ("'''a + ", false),
            ("a.in", false),
            ("{'a': 1}", false),
            ("a[0]", false),
            ("!", false),
            ("-", false),
            ("a // b +", false),
            ("a > 1.5", false),
            ("", false),
        ] {
            assert_eq!(ends_behind_operator(text), expected, "{text}");
        }
    }
}
