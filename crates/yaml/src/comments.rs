//! Which node a comment belongs to.
//!
//! A comment on its own line belongs to the outermost node that begins on the next line that has one; a
//! comment at the end of a line to the innermost node that begins on that line. What stands behind the
//! last node goes to the next document.

use trueline_source::SourceId;

use crate::scanner::ScannedComment;
use crate::{Builder, Comment, CommentOwner, Placement};

/// Something that can own comments, where it begins. A list of them is in order of `start`, outer ones
/// before inner ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) start: u32,
    pub(crate) owner: CommentOwner,
}

/// Gives comments to a document that ends at `content_end`; those that it does not own are returned.
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

/// Whether a comment has its line for itself.
pub(crate) fn placement(text: &str, comment: &ScannedComment) -> Placement {
    let before = text.get(comment.line_start as usize..comment.start as usize).unwrap_or_default();
    if before.chars().all(|character| matches!(character, ' ' | '\t' | '\u{feff}')) {
        Placement::OwnLine
    } else {
        Placement::EndOfLine
    }
}

/// The line of an offset, from zero, as YAML 1.1 counts line breaks.
pub(crate) fn line_of(text: &str, offset: usize) -> u32 {
    let bytes = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let mut lines = 0;
    let mut position = 0;
    while position < bytes.len() {
        let length = crate::scanner::break_length(bytes, position);
        lines += u32::from(length > 0);
        position += length.max(1);
    }
    lines
}
