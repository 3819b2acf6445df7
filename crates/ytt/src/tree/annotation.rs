//! Annotations: what `#@name args` attaches to a node.

use std::rc::Rc;

use super::Position;

/// A Starlark value. The tree only stores them.
pub type Argument = trueline_starlark::Value;

/// The arguments of one annotation.
#[derive(Debug, Clone, Default)]
pub struct Annotation {
    /// Positional arguments.
    pub args: Vec<Argument>,
    /// Keyword arguments, in the order they were written.
    pub kwargs: Vec<(Rc<str>, Argument)>,
    /// Where the annotation is.
    pub position: Position,
}

impl Annotation {
    /// A keyword argument.
    pub fn kwarg(&self, name: &str) -> Option<&Argument> {
        self.kwargs.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }
}

/// The annotations of a node by name, such as `overlay/match`. A node has few, so they are searched one by one.
#[derive(Debug, Clone, Default)]
pub struct Annotations(Vec<(Rc<str>, Annotation)>);

impl Annotations {
    /// None.
    pub const fn new() -> Self {
        Annotations(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The annotation of a name.
    pub fn get(&self, name: &str) -> Option<&Annotation> {
        self.0.iter().find(|(known, _)| **known == *name).map(|(_, annotation)| annotation)
    }

    /// Sets an annotation; one of the same name is replaced.
    pub fn set(&mut self, name: Rc<str>, annotation: Annotation) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = annotation,
            None => self.0.push((name, annotation)),
        }
    }

    /// Removes an annotation.
    pub fn remove(&mut self, name: &str) -> Option<Annotation> {
        let index = self.0.iter().position(|(known, _)| **known == *name)?;
        Some(self.0.remove(index).1)
    }

    /// Keeps those that a rule accepts by name.
    pub fn retain(&mut self, mut keeps: impl FnMut(&str) -> bool) {
        self.0.retain(|(name, _)| keeps(name));
    }

    /// Names and annotations, in the order in which they were first set.
    pub fn iter(&self) -> impl Iterator<Item = (&Rc<str>, &Annotation)> {
        self.0.iter().map(|(name, annotation)| (name, annotation))
    }
}
