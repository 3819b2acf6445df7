//! The height and size of the tree that Go builds for a pattern: Go refuses patterns that exceed a limit of
//! either.

use crate::error::{TOO_DEEP, TOO_LARGE};

/// How high the tree of a pattern may be, as in Go.
const MAX_HEIGHT: usize = 1_000;

/// How many instructions a pattern may need, as in Go.
const MAX_SIZE: usize = (128 << 20) / 40;

/// The properties of Go's tree for a part of a pattern: Go merges nested parts of the same kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    kind: TreeKind,
    height: usize,
    pub(crate) size: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TreeKind {
    #[default]
    Other,
    Literal,
    Concat,
    Alternate,
}

impl Tree {
    pub(crate) const LEAF: Self = Tree { kind: TreeKind::Other, height: 1, size: 1 };

    /// Checks Go's limits; the error is Go's message.
    pub(crate) fn limit(self) -> Result<(), &'static str> {
        if self.size > MAX_SIZE {
            return Err(TOO_LARGE);
        }
        if self.height > MAX_HEIGHT {
            return Err(TOO_DEEP);
        }
        Ok(())
    }

    /// The part in a numbered group.
    pub(crate) fn captured(self) -> Self {
        let (height, size) = (self.height.saturating_add(1), self.size.saturating_add(2));
        Tree { kind: TreeKind::Other, height, size }
    }

    /// The part repeated, any number of times or this many.
    pub(crate) fn repeated(self, counts: Option<(u32, Option<u32>)>) -> Self {
        let times = |count: u32| self.size.saturating_mul(usize::try_from(count).unwrap_or(usize::MAX));
        let size = match counts {
            None | Some((0, None)) => self.size.saturating_add(2),
            Some((minimum, None)) => times(minimum).saturating_add(1),
            Some((minimum, Some(maximum))) => {
                let optional = usize::try_from(maximum.saturating_sub(minimum)).unwrap_or(usize::MAX);
                times(maximum).saturating_add(optional).max(1)
            }
        };
        Tree { kind: TreeKind::Other, height: self.height.saturating_add(1), size }
    }

    /// Its height inside a part of this kind.
    fn height_in(self, kind: TreeKind) -> usize {
        if self.kind == kind { self.height.saturating_sub(1) } else { self.height }
    }
}

/// Parts in sequence, or as alternatives.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    count: usize,
    highest: usize,
    size: usize,
    first: Tree,
}

impl Parts {
    fn add(&mut self, part: Tree, kind: TreeKind) {
        if self.count == 0 {
            self.first = part;
        }
        self.count += 1;
        self.highest = self.highest.max(part.height_in(kind));
        self.size = self.size.saturating_add(part.size);
    }

    fn is_literal(self) -> bool {
        self.count == 1 && self.first.kind == TreeKind::Literal
    }

    fn tree(self, kind: TreeKind) -> Tree {
        match self.count {
            0 => Tree::LEAF,
            1 => self.first,
            _ => Tree { kind, height: self.highest.saturating_add(1), size: self.size },
        }
    }
}

/// The content of an open group.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Inside {
    /// The last part, which may still be repeated.
    pub(crate) last: Option<Tree>,
    /// The parts before it since the last bar, and the branches before that.
    parts: Parts,
    branches: Parts,
}

impl Inside {
    /// Appends a part.
    pub(crate) fn push(&mut self, part: Tree) {
        self.settle();
        self.last = Some(part);
    }

    /// Appends a character. Consecutive characters form one string, of which only the last can be repeated.
    pub(crate) fn push_literal(&mut self) {
        match self.last {
            Some(before) if before.kind == TreeKind::Literal && self.parts.is_literal() => {
                self.parts.size = self.parts.size.saturating_add(before.size);
                self.parts.first.size = self.parts.size;
            }
            _ => self.settle(),
        }
        self.last = Some(Tree { kind: TreeKind::Literal, ..Tree::LEAF });
    }

    /// The last part can no longer be repeated.
    fn settle(&mut self) {
        if let Some(last) = self.last.take() {
            self.parts.add(last, TreeKind::Concat);
        }
    }

    /// Starts another branch.
    pub(crate) fn bar(&mut self) {
        self.settle();
        let branch = std::mem::take(&mut self.parts).tree(TreeKind::Concat);
        self.branches.add(branch, TreeKind::Alternate);
    }

    pub(crate) fn tree(mut self) -> Tree {
        self.bar();
        self.branches.tree(TreeKind::Alternate)
    }
}
