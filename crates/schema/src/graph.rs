//! Which schemas apply to the same value as another: those that it refers to, and those in `allOf`, `not` and
//! the like. Schemas for properties and items are not among them; they apply to another value.

use jsonschema::Draft;
use rustc_hash::FxHashMap;
use trueline_yaml::{NodeId, NodeRef, ScalarValue};

use crate::closure::Closure;
use crate::{address, walk};

/// A schema: its document, and its node there.
pub(crate) type Vertex = (usize, NodeId);

/// A step from a schema to one that applies to the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The other schema.
    pub(crate) to: usize,
    /// The value of the reference that points there; `None` if the schema is nested in the first.
    pub(crate) reference: Option<NodeId>,
    pub(crate) taken: Certainty,
}

/// Whether a step is followed in validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is, at least for some values.
    Certain,
    /// The draft ignores the keyword, or the reference may resolve to something else at run time.
    Possible,
}

/// All schemas of a closure, and the steps between them.
#[derive(Debug)]
pub(crate) struct Graph {
    vertices: Vec<Vertex>,
    steps: Vec<Vec<Step>>,
}

impl Graph {
    /// The graph of a closure.
    pub(crate) fn of(closure: &Closure<'_>) -> Self {
        let schemas: Vec<(Vertex, Draft)> = closure.schemas().collect();
        let index: FxHashMap<Vertex, usize> =
            schemas.iter().enumerate().map(|(index, (vertex, _))| (*vertex, index)).collect();
        let anchors = Anchors::of(closure, &schemas);
        let steps = schemas.iter().map(|&((part, node), draft)| {
            let mut steps = Vec::new();
            let node = closure.node((part, node));
            let alone = walk::reference_alone(node, draft);
            from(node, |keyword, value| {
                let (vertex, reference) = match keyword {
                    "$ref" | "$dynamicRef" | "$recursiveRef" => {
                        let Some(lead) = closure.leads.get(&(part, value.id())) else { return };
                        ((lead.part, lead.node()), Some(value.id()))
                    }
                    _ => ((part, value.id()), None),
                };
                let Some(&to) = index.get(&vertex) else { return };
                let surely = match keyword {
                    "$ref" => true,
                    "$dynamicRef" => anchors.lead_nowhere_else(value, closure.node(vertex)),
                    "$recursiveRef" => anchors.recur_nowhere_else(closure.node(vertex)),
                    _ => !alone && counts(keyword, node, draft),
                };
                let taken = if surely { Certainty::Certain } else { Certainty::Possible };
                steps.push(Step { to, reference, taken });
            });
            steps
        });
        let steps = steps.collect();
        Graph { vertices: schemas.into_iter().map(|(vertex, _)| vertex).collect(), steps }
    }

    /// How many schemas there are.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    /// A schema by its index.
    pub(crate) fn vertex(&self, index: usize) -> Option<Vertex> {
        self.vertices.get(index).copied()
    }

    /// The steps from a schema, in the order in which they are written.
    pub(crate) fn steps(&self, index: usize) -> &[Step] {
        self.steps.get(index).map_or(&[], Vec::as_slice)
    }
}

/// Goes over the references of a schema, and the schemas inside it that apply to the same value.
fn from<'a>(node: NodeRef<'a>, mut take: impl FnMut(&str, NodeRef<'a>)) {
    for (key, value) in node.entries().into_iter().flatten() {
        let keyword = key.key_text();
        match keyword.as_ref() {
            "allOf" | "anyOf" | "oneOf" => {
                value.items().into_iter().flatten().for_each(|item| take(&keyword, item));
            }
            "dependentSchemas" | "dependencies" => {
                value.entries().into_iter().flatten().for_each(|(_, value)| take(&keyword, value));
            }
            "$ref" | "$dynamicRef" | "$recursiveRef" | "not" | "if" | "then" | "else" => {
                take(&keyword, value);
            }
            _ => {}
        }
    }
}

/// Whether a keyword belongs to the draft and has an effect in this schema.
fn counts(keyword: &str, node: NodeRef<'_>, draft: Draft) -> bool {
    match keyword {
        "if" => draft >= Draft::Draft7,
        "then" | "else" => draft >= Draft::Draft7 && node.get("if").is_some(),
        "dependencies" => draft <= Draft::Draft7,
        "dependentSchemas" => draft >= Draft::Draft201909,
        _ => true,
    }
}

/// How many schemas have each name that `$dynamicRef` and `$recursiveRef` look for at run time. If only one
/// schema has the name, the target is known.
struct Anchors<'a> {
    dynamic: FxHashMap<&'a str, usize>,
    recursive: usize,
}

impl<'a> Anchors<'a> {
    fn of(closure: &'a Closure<'_>, schemas: &[(Vertex, Draft)]) -> Self {
        let mut anchors = Anchors { dynamic: FxHashMap::default(), recursive: 0 };
        for (vertex, _) in schemas {
            let node = closure.node(*vertex);
            if let Some(name) = node.get("$dynamicAnchor").and_then(NodeRef::as_str) {
                *anchors.dynamic.entry(name).or_default() += 1;
            }
            anchors.recursive += usize::from(recurs(node));
        }
        anchors
    }

    fn lead_nowhere_else(&self, reference: NodeRef<'_>, target: NodeRef<'_>) -> bool {
        let (_, fragment) = address::split(reference.as_str().unwrap_or_default());
        let name = fragment.map(address::decode).unwrap_or_default();
        let anchor = target.get("$dynamicAnchor").and_then(NodeRef::as_str);
        anchor != Some(name.as_ref()) || self.dynamic.get(name.as_ref()) == Some(&1)
    }

    fn recur_nowhere_else(&self, target: NodeRef<'_>) -> bool {
        !recurs(target) || self.recursive == 1
    }
}

fn recurs(node: NodeRef<'_>) -> bool {
    node.get("$recursiveAnchor").and_then(NodeRef::scalar) == Some(ScalarValue::Bool(true))
}
