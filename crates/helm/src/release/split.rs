//! Where the documents of a file begin and end. Helm does not ask YAML for it: it looks for lines with `---`.

use std::ops::Range;

use super::text::{trim_end, trim_start};
use crate::chart::Compat;

/// The ranges of the documents.
pub fn split(bytes: &[u8], compat: Compat) -> Vec<Range<usize>> {
    match compat {
        Compat::Helm4 => split4(bytes),
        Compat::Helm3 => split3(bytes),
    }
}

const MARK: &[u8] = b"---";

/// Every line that begins with `---` ends a document. White space after the mark goes with it, and what else is on
/// its line begins the next one.
fn split4(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let mut push = |start: usize, end: usize| {
        let document = bytes.get(start..end).unwrap_or_default();
        let start = start + trim_start(document);
        if start < end {
            documents.push(start..end);
        }
    };
    let mut start = trim_start(bytes);
    let mut line = start;
    loop {
        let rest = bytes.get(line..).unwrap_or_default();
        if let Some(behind) = rest.strip_prefix(MARK) {
            push(start, line);
            let blank = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            start = line + MARK.len() + blank;
        }
        match rest.iter().position(|&byte| byte == b'\n') {
            Some(end) => line += end + 1,
            None => break,
        }
    }
    push(start, bytes.len());
    documents
}

/// A document ends before the white space that precedes a line with `---`, and the next begins after the white
/// space that follows. So of two marks in a row the second one is content.
fn split3(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_space = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ');
    let first = trim_start(bytes);
    let end = trim_end(bytes, first);
    let Some(text) = bytes.get(..end) else { return Vec::new() };
    let after_mark = |mark: usize| {
        let behind = text.get(mark + MARK.len()..).unwrap_or_default();
        mark + MARK.len() + behind.iter().take_while(|byte| is_space(byte)).count()
    };
    let mut documents = Vec::new();
    let mut push = |start: usize, end: usize| {
        if start < end {
            let document = text.get(start..end).unwrap_or_default();
            let from = trim_start(document);
            let to = trim_end(document, from);
            documents.push(start + from..start + to);
        }
    };
    let mut start = first;
    if text.get(first..).is_some_and(|rest| rest.starts_with(MARK)) {
        start = after_mark(first);
    }
    let mut from = start;
    while let Some(rest) = text.get(from..)
        && let Some(found) = rest.iter().position(|&byte| byte == b'\n')
    {
        let mark = from + found + 1;
        if !text.get(mark..).is_some_and(|rest| rest.starts_with(MARK)) {
            from = mark;
            continue;
        }
        let before = text.get(start..mark).unwrap_or_default();
        push(start, mark - before.iter().rev().take_while(|byte| is_space(byte)).count());
        start = after_mark(mark);
        from = start;
    }
    push(start, end);
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(text: &str, compat: Compat) -> Vec<&str> {
        split(text.as_bytes(), compat).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn each_helm_splits_in_its_own_way() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("", &[], &[]),
            (" \n", &[], &[]),
            ("a: 1\n", &["a: 1\n"], &["a: 1"]),
            ("\n---\na: 1\n---\nb: 2", &["a: 1\n", "b: 2"], &["a: 1", "b: 2"]),
            ("a: 1\n \n---  \n\n  b: 2\n", &["a: 1\n \n", "b: 2\n"], &["a: 1", "b: 2"]),
            ("--- # c\na: 1\n", &["# c\na: 1\n"], &["# c\na: 1"]),
            ("---\n---\na: 1\n", &["a: 1\n"], &["---\na: 1"]),
            ("a: 1\n---\n---\n---\nb: 2\n", &["a: 1\n", "b: 2\n"], &["a: 1", "---", "b: 2"]),
            ("a: 1\n----\nb: 2\n", &["a: 1\n", "-\nb: 2\n"], &["a: 1", "-\nb: 2"]),
            ("---x: 1", &["x: 1"], &["x: 1"]),
            ("a: |\n  ---\n  b\n", &["a: |\n  ---\n  b\n"], &["a: |\n  ---\n  b"]),
            ("a: 1\r\n---\r\nb: 2\r\n", &["a: 1\r\n", "b: 2\r\n"], &["a: 1", "b: 2"]),
            ("a: 1\n---", &["a: 1\n"], &["a: 1"]),
            ("---", &[], &[]),
        ];
        for (text, helm4, helm3) in cases {
            assert_eq!(documents(text, Compat::Helm4), *helm4, "Helm 4: {text:?}");
            assert_eq!(documents(text, Compat::Helm3), *helm3, "Helm 3: {text:?}");
        }
    }
}
