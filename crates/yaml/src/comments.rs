//! Which node a comment belongs to.
//!
//! A comment on its own line belongs to the outermost node on the next line with a node; a comment at the end
//! of a line to the innermost node on that line. What follows the last node goes to the next document.

use trueline_source::SourceId;

use crate::classes;
use crate::{Builder, Comment, CommentOwner, Placement};

/// A comment as it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScannedComment {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) line_start: u32,
    pub(crate) site: Site,
}

/// What a comment follows; ytt does not see all comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Site {
    /// Between tokens.
    Between,
    /// After `|`, `>` or a directive, on the same line.
    Header,
}

/// Something that can own comments, with its start. Lists of them are sorted by `start`, outer ones before
/// inner ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) start: u32,
    pub(crate) owner: CommentOwner,
}

/// Assigns comments to a document that ends at `content_end` and returns those that it does not own.
pub(crate) fn assign(
    text: &str,
    source: SourceId,
    comments: &[ScannedComment],
    owners: &[Owner],
    content_end: u32,
    builder: &mut Builder,
) -> Vec<ScannedComment> {
    let mut left = Vec::new();
    for comment in comments {
        let placement = placement(text, comment);
        let next = owners.partition_point(|owner| owner.start < comment.start);
        let on_line = match placement {
            Placement::EndOfLine => owners[..next].last().filter(|owner| owner.start >= comment.line_start),
            Placement::OwnLine => None,
        };
        let owner = match on_line.or_else(|| owners.get(next)) {
            Some(owner) => owner.owner,
            None if comment.start < content_end && owners.is_empty() => CommentOwner::Document,
            None if comment.start < content_end || placement == Placement::EndOfLine => CommentOwner::Nothing,
            None => {
                left.push(*comment);
                continue;
            }
        };
        let span = source.span(comment.start as usize, comment.end as usize);
        builder.comment(Comment { span, placement, owner });
    }
    left
}

/// Whether a comment is alone on its line.
pub(crate) fn placement(text: &str, comment: &ScannedComment) -> Placement {
    let before = text.get(comment.line_start as usize..comment.start as usize).unwrap_or_default();
    if before.chars().all(|character| matches!(character, ' ' | '\t' | '\u{feff}')) {
        Placement::OwnLine
    } else {
        Placement::EndOfLine
    }
}

/// Where each line of the text starts, as YAML 1.1 counts line breaks.
pub fn line_starts(text: &str) -> Vec<u32> {
    std::iter::once(0).chain(later_lines(text)).collect()
}

/// The line of an offset, counted from zero, as YAML 1.1 counts line breaks.
pub(crate) fn line_of(text: &str, offset: usize) -> u32 {
    later_lines(text.get(..offset).unwrap_or(text)).count() as u32
}

/// Where the lines after the first start, as YAML 1.1 counts line breaks.
pub(crate) fn later_lines(text: &str) -> impl Iterator<Item = u32> {
    let bytes = text.as_bytes();
    let mut position = 0;
    std::iter::from_fn(move || {
        let found = classes::next_break(bytes, position)?;
        position = found + classes::break_length(bytes, found);
        Some(position as u32)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{ReadOptions, read};

    /// Each comment with the text of what owns it; `---` for the document, `-` for nothing.
    fn owners(text: &str) -> Vec<(String, String)> {
        let stream = read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default());
        assert_eq!(stream.errors, []);
        let mut found = Vec::new();
        for document in &stream.documents {
            for comment in document.comments() {
                let owner = match comment.owner {
                    CommentOwner::Document => "---".to_owned(),
                    CommentOwner::Nothing => "-".to_owned(),
                    CommentOwner::Entry(key) => format!("{}:", document.node(key).key_text()),
                    CommentOwner::Item(item) => format!("- {}", &text[document.node(item).span().range()]),
                };
                found.push((text[comment.span.range()].to_owned(), owner));
            }
        }
        found.extend(
            stream.comments.iter().map(|comment| (text[comment.span.range()].to_owned(), "left".into())),
        );
        found
    }

    #[test]
    fn comments_belong_to_the_outermost_node_below_or_the_innermost_node_on_the_line() {
        for (text, expected) in [
            ("# top\na: 1 # one\n# b\nb: 2\n", vec![("# top", "a:"), ("# one", "a:"), ("# b", "b:")]),
            ("# item\n- name: x # name\n", vec![("# item", "- name: x"), ("# name", "name:")]),
            ("- # x\n  a: 1\n", vec![("# x", "- a: 1")]),
            ("a: # a\n  # b\n  b: 1\n", vec![("# a", "a:"), ("# b", "b:")]),
            ("#@ doc\n--- # same\na: 1\n", vec![("#@ doc", "---"), ("# same", "---")]),
            ("a: 1\n# next\n---\nb: 1\n# end\n", vec![("# next", "---"), ("# end", "left")]),
            ("a: | # head\n  # text\nb: 1\n", vec![("# head", "a:")]),
            ("a: [1, # one\n  2] # two\n", vec![("# one", "- 1"), ("# two", "- 2")]),
            ("# top\ntext\n", vec![("# top", "---")]),
            ("a: x # y\n  # z\nb: '# no'\n", vec![("# y", "a:"), ("# z", "b:")]),
            ("# only\n", vec![("# only", "left")]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(one, two)| (one.to_owned(), two.to_owned())).collect();
            assert_eq!(owners(text), expected, "{text}");
        }
    }
}
