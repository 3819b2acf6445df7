//! Which branches of a chart's templates a set of values never reached.

use std::ops::Range;

use trueline_diagnostic::{Diagnostic, Level};
use trueline_gotemplate::Branches;
use trueline_gotemplate::node::{Branch, BranchKind, List, Node, Nodes};
use trueline_source::SourceId;

use super::codes::BRANCH_NOT_REACHED;
use crate::engine::Texts;

/// The figures of a chart's own templates, and what was not reached.
#[derive(Debug, Default)]
pub struct Coverage {
    /// How many branches there are: each `if`, `with` and `range`, and each `else`.
    pub branches: usize,
    /// How many of them were reached.
    pub reached: usize,
    /// One finding for each that was not, unless it stands inside another.
    pub findings: Vec<Diagnostic>,
}

/// Compares the branches that were taken with those that a chart's own templates have.
pub fn coverage(texts: &Texts, taken: &Branches) -> Coverage {
    let mut coverage = Coverage::default();
    for text in texts.own() {
        let Some(source) = text.source() else { continue };
        for tree in text.trees() {
            let mut survey = Survey { source, nodes: &tree.nodes, taken, coverage: &mut coverage };
            survey.list(&tree.root, Around::Reached);
        }
    }
    coverage
}

/// What is known of the branch around.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Reached,
    /// It was reported as not reached.
    Missed,
}

struct Survey<'a> {
    source: SourceId,
    nodes: &'a Nodes,
    taken: &'a Branches,
    coverage: &'a mut Coverage,
}

impl Survey<'_> {
    fn list(&mut self, list: &List, around: Around) {
        for node in list.nodes(self.nodes) {
            if let Node::Branch(branch) = node {
                self.branch(self.nodes.branch(*branch), around);
            }
        }
    }

    fn branch(&mut self, branch: &Branch, around: Around) {
        let taken = self.taken.taken(self.source, branch.place.start);
        let inside = self.part(branch, branch.place.range(), taken.list, around);
        self.list(&branch.list, inside);
        let Some(otherwise) = &branch.otherwise else { return };
        // An `else if` is the branch that it leads to.
        if let [Node::Branch(next)] = otherwise.nodes(self.nodes)
            && self.is_else_if(self.nodes.branch(*next))
        {
            self.branch(self.nodes.branch(*next), around);
            return;
        }
        let start = otherwise.place.start as usize;
        let before = self.nodes.text().get(..start).unwrap_or_default();
        let action = memchr::memmem::rfind(before, b"{{").unwrap_or(start);
        let inside = self.part(branch, action..start, taken.otherwise, around);
        self.list(otherwise, inside);
    }

    /// Whether a branch alone after `else` was written as one action with it.
    fn is_else_if(&self, inner: &Branch) -> bool {
        let action = self.nodes.text().get(inner.place.range()).unwrap_or_default();
        let action = action.strip_prefix(b"{{").unwrap_or(action);
        action.strip_prefix(b"-").unwrap_or(action).trim_ascii_start().starts_with(b"else")
    }

    /// Counts one part of a branch, whose action stands at a place.
    fn part(&mut self, branch: &Branch, place: Range<usize>, taken: bool, around: Around) -> Around {
        self.coverage.branches += 1;
        if taken {
            self.coverage.reached += 1;
            return Around::Reached;
        }
        if around == Around::Reached {
            let help = match branch.kind {
                BranchKind::Range => {
                    "give a list with entries, for example in a further file `ci/*-values.yaml`"
                }
                _ => "give values that lead here, for example in a further file `ci/*-values.yaml`",
            };
            let span = self.source.span(place.start, place.end);
            let finding = Diagnostic::new(&BRANCH_NOT_REACHED, span, "no given values reach this branch")
                .help(help)
                .level(Level::Semantic);
            self.coverage.findings.push(finding);
        }
        Around::Missed
    }
}
