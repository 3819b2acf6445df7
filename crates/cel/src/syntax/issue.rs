//! What is wrong with an expression, and where.

mod kind;

use std::fmt::Write;
use std::ops::Range;

pub use kind::{IssueKind, LimitIssue, LiteralIssue, MacroIssue, SyntaxIssue};

/// The most issues that are reported; others are counted.
pub const MOST_ISSUES: usize = 100;

/// The longest line that is shown with an issue, in bytes.
const LONGEST_LINE: usize = 16_384;

/// Something that is wrong with an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// What is wrong. It is displayed in cel-go's words.
    pub kind: IssueKind,
    /// The bytes of the expression that it is about; empty where cel-go names no place.
    pub place: Range<u32>,
    /// The line, from 1; -1 where it concerns no place.
    pub line: i32,
    /// The column in code points, from 0; -1 where it concerns no place.
    pub column: i32,
}

impl Issue {
    /// An issue with a part of `text`.
    #[must_use]
    pub fn at(text: &str, place: Range<u32>, kind: IssueKind) -> Self {
        // cel-go finds no column in an empty expression.
        let (line, column) = if text.is_empty() { (1, -1) } else { line_and_column(text, place.start) };
        Self { kind, place, line, column }
    }

    /// An issue with the expression as a whole.
    #[must_use]
    pub fn nowhere(kind: IssueKind) -> Self {
        Self { kind, place: 0..0, line: -1, column: -1 }
    }

    /// The issue as cel-go shows it, with the line and a mark under the column.
    #[must_use]
    pub fn display(&self, text: &str) -> String {
        let mut shown = format!("ERROR: <input>:{}:{}: {}", self.line, i64::from(self.column) + 1, self.kind);
        let number = usize::try_from(self.line).ok().and_then(|line| line.checked_sub(1));
        let Some(line) = number.and_then(|number| text.split('\n').nth(number)) else { return shown };
        if text.is_empty() || line.len() > LONGEST_LINE {
            return shown;
        }
        let line = line.replace('\t', " ");
        let _ = write!(shown, "\n | {line}\n | ");
        let column = usize::try_from(self.column).unwrap_or_default();
        let mut characters = line.chars();
        for character in characters.by_ref().take(column) {
            shown.push(if character.is_ascii() { '.' } else { '．' });
        }
        shown.push(if characters.next().is_none_or(|character| character.is_ascii()) { '^' } else { '＾' });
        shown
    }
}

/// The issues that are reported in the order of their places, then the others.
pub(crate) fn sorted(mut issues: Vec<Issue>) -> Vec<Issue> {
    let reported = issues.len().min(MOST_ISSUES);
    if let Some(reported) = issues.get_mut(..reported) {
        reported.sort_by_key(|issue| (issue.line, issue.column));
    }
    issues
}

/// All issues as cel-go shows them.
#[must_use]
pub fn display(issues: &[Issue], text: &str) -> String {
    let mut shown: Vec<String> = issues.iter().take(MOST_ISSUES).map(|issue| issue.display(text)).collect();
    if issues.len() > MOST_ISSUES {
        shown.push(format!("{} more errors were truncated", issues.len() - MOST_ISSUES));
    }
    shown.join("\n")
}

/// The line (from 1) and the column (from 0, in code points) of a byte of `text`.
#[must_use]
pub fn line_and_column(text: &str, offset: u32) -> (i32, i32) {
    let before = text.get(..offset as usize).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(start..).unwrap_or_default().chars().count();
    (i32::try_from(line).unwrap_or(i32::MAX), i32::try_from(column).unwrap_or(i32::MAX))
}
