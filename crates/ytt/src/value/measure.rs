//! How large a tree is. Trees are shared, so a program can make one that would never be printed to its end; what is put
//! into the output is paid for in full before it is put there.

use trueline_starlark::Error;

use super::{Content, Context};
use crate::tree::{DocumentSet, Value};

/// How deep maps and arrays may be inside each other, items counted as well: trees are walked recursively. It is what the
/// reader of YAML allows.
const DEEPEST: u32 = 2_000;

/// How many nodes a tree has, long texts counting as several, and how many levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Measure {
    pub(crate) nodes: u64,
    pub(crate) height: u32,
}

impl Measure {
    /// Takes in something that is one level below.
    pub(crate) fn include(&mut self, below: Measure) {
        self.nodes = self.nodes.saturating_add(below.nodes).saturating_add(1);
        self.height = self.height.max(below.height.saturating_add(1));
    }

    /// Fails for trees that are too deep to walk over.
    pub(crate) fn check(self) -> Result<Measure, Error> {
        if self.height <= DEEPEST {
            return Ok(self);
        }
        Err(Error::limit(format!("the YAML is nested more than {} levels deep", DEEPEST / 2)))
    }
}

impl Content {
    /// Counts the nodes, and pays for them one by one.
    pub(crate) fn measure(&self, context: &Context) -> Result<Measure, Error> {
        match self {
            Content::Value(value) => measure_value(value, context, 0),
            Content::Documents(documents) => measure_documents(documents, context),
        }
    }
}

fn measure_documents(documents: &DocumentSet, context: &Context) -> Result<Measure, Error> {
    let mut measure = Measure::default();
    for document in &documents.documents {
        measure.include(measure_value(&document.value, context, 1)?);
    }
    measure.check()
}

fn measure_value(value: &Value, context: &Context, level: u32) -> Result<Measure, Error> {
    let mut measure = Measure::default();
    let mut open = vec![(value, level)];
    while let Some((value, level)) = open.pop() {
        let items = match value {
            Value::Map(map) => {
                open.extend(map.items.iter().map(|item| (&item.value, level + 2)));
                map.items.len()
            }
            Value::Array(array) => {
                open.extend(array.items.iter().map(|item| (&item.value, level + 2)));
                array.items.len()
            }
            Value::String(text) => {
                let nodes = Context::nodes_of_text(text.as_bytes().len());
                context.charge(nodes)?;
                measure.nodes = measure.nodes.saturating_add(nodes);
                continue;
            }
            _ => continue,
        };
        context.charge(items as u64 + 1)?;
        measure.nodes = measure.nodes.saturating_add(items as u64 + 1);
        measure.height = measure.height.max(level + 2);
        measure.check()?;
    }
    Ok(measure)
}
