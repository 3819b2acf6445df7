//! What a comment means to a template.

use std::rc::Rc;

use crate::error::{Error, ErrorKind, Fact};
use crate::tree::{Comment, Position};

/// What becomes of comments that are neither code nor annotations nor ytt's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UnknownComments {
    /// They are an error.
    #[default]
    Refuse,
    /// They are left out.
    Ignore,
}

/// What a comment is, apart from where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning<'c> {
    /// For people.
    Remark,
    /// `#@ …`: code above a node, or its value beside it.
    Short(&'c str),
    /// `#@name content`.
    Named(&'c str, &'c str),
    /// Not written for ytt.
    Unknown,
}

/// What a comment is; `text` is what follows its `#`.
pub(super) fn meaning(text: &str) -> Meaning<'_> {
    if text.starts_with('!') {
        return Meaning::Remark;
    }
    let Some(rest) = text.strip_prefix('@') else { return Meaning::Unknown };
    let (name, content) = rest.split_once(' ').unwrap_or((rest, ""));
    match name {
        "" => Meaning::Short(content),
        "comment" => Meaning::Remark,
        name => Meaning::Named(name, content),
    }
}

/// A piece of code with its comment.
#[derive(Debug)]
pub(super) struct Code<'c> {
    pub(super) text: String,
    pub(super) comment: &'c Comment,
}

/// An annotation with its comment.
#[derive(Debug)]
pub(super) struct AnnotationCode<'c> {
    pub(super) name: Rc<str>,
    pub(super) content: &'c str,
    pub(super) comment: &'c Comment,
}

/// What the comments of a node say.
#[derive(Debug, Default)]
pub(super) struct Metas<'c> {
    pub(super) blocks: Vec<Code<'c>>,
    pub(super) values: Vec<Code<'c>>,
    pub(super) annotations: Vec<AnnotationCode<'c>>,
    /// Whether a block holds this node alone, as with `if/end`.
    pub(super) needs_end: bool,
}

/// Whether a node has a value of YAML already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    Yes,
    No,
}

const NODE_BLOCKS: [(&str, &str); 5] =
    [("if/end", "if"), ("else/end", "else"), ("elif/end", "elif"), ("for/end", "for"), ("def/end", "def")];

impl<'c> Metas<'c> {
    /// Reads the comments of a node.
    pub(super) fn read(
        comments: &'c [Comment],
        node: &Position,
        filled: Filled,
        unknown: UnknownComments,
    ) -> Result<Metas<'c>, Error> {
        let mut metas = Metas::default();
        for comment in comments {
            metas.add(comment, node, filled, unknown)?;
        }
        Ok(metas)
    }

    fn add(
        &mut self,
        comment: &'c Comment,
        node: &Position,
        filled: Filled,
        unknown: UnknownComments,
    ) -> Result<(), Error> {
        match meaning(&comment.text) {
            Meaning::Remark => {}
            Meaning::Unknown if unknown == UnknownComments::Ignore => {}
            Meaning::Unknown => {
                let (line, text) = (comment.position.as_line(), comment.text.to_string());
                let fact = Fact::UnknownComment { line, text };
                return Err(Error::known(ErrorKind::Syntax, fact).at(comment.position.clone()));
            }
            Meaning::Short(content) => {
                let is_beside = node.is_known() && comment.position.line() == node.line();
                return if is_beside {
                    self.value(content, comment, filled)
                } else {
                    self.code(content, comment)
                };
            }
            Meaning::Named("template/value", content) => return self.value(content, comment, filled),
            Meaning::Named("template/code", content) => return self.code(content, comment),
            Meaning::Named(name, content) => {
                self.annotations.push(AnnotationCode { name: name.into(), content, comment });
            }
        }
        Ok(())
    }

    fn value(&mut self, content: &str, comment: &'c Comment, filled: Filled) -> Result<(), Error> {
        if filled == Filled::Yes {
            let fact = Fact::TwoValues { line: comment.position.as_string() };
            return Err(Error::known(ErrorKind::Syntax, fact).at(comment.position.clone()));
        }
        self.values.push(Code { text: content.to_owned(), comment });
        Ok(())
    }

    fn code(&mut self, content: &str, comment: &'c Comment) -> Result<(), Error> {
        if self.needs_end {
            let fact = Fact::CodeAfterEnd { line: comment.position.as_string() };
            return Err(Error::known(ErrorKind::Syntax, fact).at(comment.position.clone()));
        }
        let trimmed = content.trim_start();
        let mut text = content.to_owned();
        for (keyword, plain) in NODE_BLOCKS {
            if let Some(rest) = trimmed.strip_prefix(keyword) {
                let space = &content[..content.len() - trimmed.len()];
                text = format!("{space}{plain}{rest}");
                self.needs_end = true;
                break;
            }
        }
        self.blocks.push(Code { text, comment });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    #[test]
    fn comments_are_code_annotations_or_remarks() {
        for (text, expected) in [
            ("! x", Meaning::Remark),
            ("@comment x", Meaning::Remark),
            ("@ if x:", Meaning::Short("if x:")),
            ("@", Meaning::Short("")),
            ("@end", Meaning::Named("end", "")),
            ("@overlay/match by=1, expects=2", Meaning::Named("overlay/match", "by=1, expects=2")),
            (" @ x", Meaning::Unknown),
            ("", Meaning::Unknown),
        ] {
            assert_eq!(meaning(text), expected, "{text}");
        }
    }

    #[test]
    fn a_block_of_one_node_ends_the_code() {
        let file = File::new("a.yml", "#@ if/end x:\n#@ y = 1\na: 1\n");
        let comment =
            |text: &str, line| Comment { text: text.into(), position: Position::of_line(&file, line) };
        let comments = [comment("@   if/end x:", 1), comment("@ y = 1", 2)];
        let node = Position::of_line(&file, 3);
        let metas = Metas::read(&comments[..1], &node, Filled::Yes, UnknownComments::Refuse).unwrap();
        assert_eq!((metas.blocks[0].text.as_str(), metas.needs_end), ("  if x:", true));
        let error = Metas::read(&comments, &node, Filled::Yes, UnknownComments::Refuse).unwrap_err();
        assert_eq!(error.text(), "Unexpected code at line a.yml:2 after use of '*/end', expected YAML node");
    }
}
