//! References that form a cycle: following them leads back to the same schema while still looking at the same
//! value of the document. Such a schema has no meaning, and validating a value against it would never end.

use rustc_hash::FxHashSet;
use trueline_diagnostic::{Code, Diagnostic, Level, Severity};
use trueline_yaml::NodeId;

use crate::address;
use crate::closure::Closure;
use crate::graph::{Certainty, Graph};

/// References form a cycle without going deeper into the document.
pub static REFERENCE_CIRCLE: Code = Code {
    id: "TL0254",
    name: "reference-circle",
    severity: Severity::Error,
    summary: "The references of a schema form a cycle",
    explanation: "A schema may refer to itself to describe a tree: below `properties`, `items` and the like every \
                  step goes one level deeper into the document, and ends where the document does. Here the \
                  references lead back to where they started without going deeper, directly or through `allOf`, \
                  `anyOf`, `oneOf`, `not`, `if`, `then`, `else` or `dependentSchemas`. The same value would be \
                  validated against the same schema for ever, so the schema has no meaning, and validators \
                  disagree about it.\n\nThe finding marks the reference that closes the cycle and the others in \
                  it. Change one of them to refer to a schema with its own rules, remove it, or move it below \
                  `properties` or `items` if a tree is meant.",
    wrong: "{\"$ref\": \"#/$defs/node\", \"$defs\": {\"node\": {\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/node\"}]}}}",
    right: "{\"$ref\": \"#/$defs/node\", \"$defs\": {\"node\": {\"anyOf\": [{\"type\": \"string\"}, \
            {\"items\": {\"$ref\": \"#/$defs/node\"}}]}}}",
};

/// How many other references of a cycle are shown.
const SHOWN: usize = 8;

/// How far the search has got with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    New,
    /// On the path that is being followed, after this many references.
    Open(usize),
    Done,
}

/// The references of a cycle, in the order in which they are followed.
type Circle = Vec<(usize, NodeId)>;

/// One finding for each reference that closes a cycle.
pub(crate) fn findings(closure: &Closure<'_>, graph: &Graph) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    search(graph, |references| findings.extend(finding(closure, references)));
    findings
}

/// Follows all steps, each once. A step to a schema on the current path closes a cycle.
fn search(graph: &Graph, mut closed: impl FnMut(&[(usize, NodeId)])) {
    let mut colours = vec![Colour::New; graph.len()];
    let mut way: Circle = Vec::new();
    let mut said: FxHashSet<(usize, NodeId)> = FxHashSet::default();
    for root in 0..graph.len() {
        if colours[root] != Colour::New {
            continue;
        }
        colours[root] = Colour::Open(0);
        // An explicit stack, because the path may be long.
        let mut open = vec![(root, 0)];
        while let Some((index, taken)) = open.pop() {
            let behind = match colours[index] {
                Colour::Open(behind) => behind,
                Colour::New | Colour::Done => 0,
            };
            way.truncate(behind);
            let Some(step) = graph.steps(index).get(taken) else {
                colours[index] = Colour::Done;
                continue;
            };
            open.push((index, taken + 1));
            if step.taken == Certainty::Possible {
                continue;
            }
            way.extend(step.reference.zip(graph.vertex(index)).map(|(value, (part, _))| (part, value)));
            match colours[step.to] {
                Colour::New => {
                    colours[step.to] = Colour::Open(way.len());
                    open.push((step.to, 0));
                }
                Colour::Open(start) => {
                    // The last step may lead into a schema that is inside another, as does the next one from
                    // there; what they close is closed by the one reference before them.
                    if way.last().is_some_and(|last| said.insert(*last)) {
                        closed(way.get(start..).unwrap_or_default());
                    }
                }
                Colour::Done => {}
            }
        }
    }
}

fn finding(closure: &Closure<'_>, references: &[(usize, NodeId)]) -> Option<Diagnostic> {
    let (last, others) = references.split_last()?;
    let node = closure.node(*last);
    let written = address::shown(node.as_str().unwrap_or_default());
    let message = format!("`{written}` refers back to itself without going deeper into the document");
    let label = match others.len() {
        0 => "this reference points to itself".to_owned(),
        _ => format!("this closes a cycle of {} references", references.len()),
    };
    let mut finding = Diagnostic::new(&REFERENCE_CIRCLE, node.span(), message)
        .label(label)
        .help("remove one reference of the cycle, or refer to a schema with its own rules")
        .help("to describe a tree, put it below `properties` or `items`")
        .level(Level::Schema);
    for other in others.iter().take(SHOWN) {
        finding = finding.related(closure.node(*other).span(), "through this reference");
    }
    Some(finding)
}
