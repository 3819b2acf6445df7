//! A place in an object: the value there, if there is one, and the way that leads to it.
//!
//! Places live on the stack and point at the place around them, so a path is only written out, and what to point
//! at only looked for, when there is something to say about it.

use std::borrow::Cow;

use trueline_apimachinery::quantity::{Notation, Quantity};
use trueline_kube_facts::{FieldPath, Segment};
use trueline_source::Span;
use trueline_yaml::{NodeId, NodeKind, NodeRef, ScalarValue};

/// One step of a path.
#[derive(Debug, Clone, Copy)]
enum Step<'d> {
    Root,
    /// A field that was asked for by its name.
    Field(&'static str),
    /// A field by its key.
    TypedField(NodeRef<'d>),
    Key(NodeRef<'d>),
    Index(usize),
}

/// What is pointed at: the value itself, or the nearest thing that exists.
#[derive(Debug, Clone, Copy)]
enum Pointed<'p, 'd> {
    At(Span),
    Entry { key: NodeRef<'d>, value: NodeRef<'d> },
    Item(NodeRef<'d>),
    Around(&'p FieldPlace<'p, 'd>),
}

/// A field that the server drops before it looks at an object.
#[derive(Debug)]
pub(crate) struct HiddenField {
    /// Its key.
    pub(crate) key: NodeId,
    /// Its definition and name, if the definition has it.
    pub(crate) known: Option<(&'static str, &'static str)>,
}

/// The keys of fields that the server drops before it looks at an object.
#[derive(Debug)]
pub(crate) struct Hidden {
    keys: Vec<NodeId>,
}

impl Hidden {
    /// Those of some fields that are chosen.
    pub(crate) fn new(fields: &[HiddenField], is_hidden: impl Fn(&HiddenField) -> bool) -> Self {
        let chosen = fields.iter().filter(|field| is_hidden(field));
        let mut keys: Vec<NodeId> = chosen.map(|field| field.key).collect();
        keys.sort_unstable();
        Hidden { keys }
    }
}

/// A place in an object. What is null counts as absent, as it does for the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldPlace<'p, 'd> {
    parent: Option<&'p FieldPlace<'p, 'd>>,
    step: Step<'d>,
    node: Option<NodeRef<'d>>,
    pointed: Pointed<'p, 'd>,
    hidden: Option<&'p Hidden>,
}

impl<'p, 'd> FieldPlace<'p, 'd> {
    /// The top of an object.
    pub(crate) fn root(node: NodeRef<'d>) -> Self {
        // The kind is what a reader looks for when an object as a whole is meant.
        let span = node.get("kind").map_or_else(|| node.span(), NodeRef::span);
        FieldPlace {
            parent: None,
            step: Step::Root,
            node: Some(node),
            pointed: Pointed::At(span),
            hidden: None,
        }
    }

    /// The same place, without these fields below it.
    pub(crate) fn without(self, hidden: &'p Hidden) -> Self {
        FieldPlace { hidden: Some(hidden), ..self }
    }

    /// Whether a field is not one of those that are left out.
    #[inline]
    pub(crate) fn sees(&self, key: NodeRef<'_>) -> bool {
        self.hidden.is_none_or(|hidden| hidden.keys.binary_search(&key.id()).is_err())
    }

    /// A field by its name.
    #[inline]
    pub(crate) fn child(&'p self, name: &'static str) -> FieldPlace<'p, 'd> {
        match self.node.and_then(|node| node.get_entry(name)).filter(|(key, _)| self.sees(*key)) {
            Some((key, value)) => self.below(Step::Field(name), Pointed::Entry { key, value }, value),
            None => FieldPlace {
                parent: Some(self),
                step: Step::Field(name),
                node: None,
                pointed: Pointed::Around(self),
                hidden: self.hidden,
            },
        }
    }

    /// A field whose entry is at hand.
    pub(crate) fn field(&'p self, key: NodeRef<'d>, value: NodeRef<'d>) -> FieldPlace<'p, 'd> {
        self.below(Step::TypedField(key), Pointed::Entry { key, value }, value)
    }

    /// The value of a key of a map.
    pub(crate) fn key(&'p self, key: NodeRef<'d>, value: NodeRef<'d>) -> FieldPlace<'p, 'd> {
        self.below(Step::Key(key), Pointed::Entry { key, value }, value)
    }

    /// The value of a key of a map, if the map has it.
    pub(crate) fn entry(&'p self, key: &str) -> Option<FieldPlace<'p, 'd>> {
        let (key, value) = self.node?.get_entry(key)?;
        Some(self.key(key, value))
    }

    /// A key of a map, if the map has it: the same as its value, but pointing at the key itself.
    pub(crate) fn on_key(&'p self, key: &str) -> Option<FieldPlace<'p, 'd>> {
        let (key, value) = self.node?.get_entry(key)?;
        Some(FieldPlace { pointed: Pointed::At(key.span()), ..self.key(key, value) })
    }

    /// The same place, but pointing at the key of its value.
    pub(crate) fn at_key(&self) -> FieldPlace<'p, 'd> {
        match self.pointed {
            Pointed::Entry { key, .. } => FieldPlace { pointed: Pointed::At(key.span()), ..*self },
            _ => *self,
        }
    }

    /// The key that leads here, if there is one.
    pub(crate) fn key_id(&self) -> Option<NodeId> {
        match self.pointed {
            Pointed::Entry { key, .. } => Some(key.id()),
            _ => None,
        }
    }

    /// An item of a list.
    pub(crate) fn index(&'p self, index: usize, value: NodeRef<'d>) -> FieldPlace<'p, 'd> {
        self.below(Step::Index(index), Pointed::Item(value), value)
    }

    fn below(&'p self, step: Step<'d>, pointed: Pointed<'p, 'd>, value: NodeRef<'d>) -> FieldPlace<'p, 'd> {
        let node = if value.is_null() { None } else { Some(value) };
        FieldPlace { parent: Some(self), step, node, pointed, hidden: self.hidden }
    }

    /// This place and those around it, up to the top.
    pub(crate) fn and_around(&self) -> impl Iterator<Item = &FieldPlace<'p, 'd>> {
        std::iter::successors(Some(self), |place| place.parent)
    }

    /// The top of the object.
    pub(crate) fn top(&self) -> &FieldPlace<'p, 'd> {
        self.and_around().last().unwrap_or(self)
    }

    /// The same path, but pointing at another place: the server names a map where it means one of its keys.
    pub(crate) fn at(&self, other: &FieldPlace<'_, 'd>) -> FieldPlace<'p, 'd> {
        FieldPlace { node: other.node, pointed: Pointed::At(other.span()), ..*self }
    }

    /// The value, unless it is absent.
    pub(crate) fn node(&self) -> Option<NodeRef<'d>> {
        self.node
    }

    /// Where to point.
    pub(crate) fn span(&self) -> Span {
        let is_full = |value: NodeRef<'_>| value.scalar().is_some_and(|scalar| scalar != ScalarValue::Null);
        match self.pointed {
            Pointed::At(span) => span,
            Pointed::Entry { value, .. } | Pointed::Item(value) if is_full(value) => value.span(),
            Pointed::Entry { key, .. } => key.span(),
            Pointed::Item(value) => first_line_of(value),
            Pointed::Around(place) => place.span(),
        }
    }

    /// Whether it is the top of the object.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// The name of the field that leads here; empty for the top and for items.
    pub(crate) fn last_name(&self) -> Cow<'d, str> {
        match &self.step {
            Step::Field(name) => Cow::Borrowed(name),
            Step::TypedField(key) | Step::Key(key) => key.key_text(),
            Step::Root | Step::Index(_) => Cow::Borrowed(""),
        }
    }

    /// The name of the field that holds the list which this is an item of.
    pub(crate) fn name_around(&self) -> Cow<'d, str> {
        self.parent.map_or(Cow::Borrowed(""), FieldPlace::last_name)
    }

    /// Whether there is no value.
    pub(crate) fn is_absent(&self) -> bool {
        self.node.is_none()
    }

    /// Whether it is written as null, which is not the same as not being written where objects are merged.
    pub(crate) fn is_null(&self) -> bool {
        self.node.is_none() && matches!(self.pointed, Pointed::Entry { .. })
    }

    /// The string: empty if it is absent, nothing if it is something other than a string.
    pub(crate) fn text(&self) -> Option<&'d str> {
        match self.node {
            None => Some(""),
            Some(node) => node.as_str(),
        }
    }

    /// The string, if it is there and not empty.
    pub(crate) fn full_text(&self) -> Option<&'d str> {
        self.text().filter(|text| !text.is_empty())
    }

    /// The integer, if there is one. `3.0` is one too: it is written `3` before the server reads it.
    pub(crate) fn integer(&self) -> Option<i64> {
        integer_of(self.node?)
    }

    /// Whether it is true.
    pub(crate) fn is_true(&self) -> bool {
        self.node.and_then(NodeRef::scalar) == Some(ScalarValue::Bool(true))
    }

    /// The amount, if there is one. In a map, null is nothing rather than no amount.
    pub(crate) fn quantity(&self) -> Option<Quantity> {
        match self.node {
            None if matches!(self.step, Step::Key(_)) => Some(Quantity::from_integer(0)),
            node => quantity_of(node?).ok(),
        }
    }

    /// How the amount is written.
    pub(crate) fn notation(&self) -> Notation {
        // A number loses its own when it is written as JSON.
        self.node.and_then(NodeRef::as_str).map_or(Notation::Decimal, Notation::of)
    }

    /// The amount as the server writes it; empty if there is none.
    pub(crate) fn amount(&self) -> String {
        self.quantity().map(|size| size.written(self.notation())).unwrap_or_default()
    }

    /// The items of a list, each with its place; none, if it is not a list.
    pub(crate) fn items(&'p self) -> impl Iterator<Item = FieldPlace<'p, 'd>> {
        let items = self.node.and_then(NodeRef::items).into_iter().flatten();
        items.enumerate().map(|(index, value)| self.index(index, value))
    }

    /// How many entries a map has.
    pub(crate) fn entry_count(&self) -> usize {
        self.node.and_then(NodeRef::entries).map_or(0, Iterator::count)
    }

    /// How many items a list has.
    pub(crate) fn count(&self) -> usize {
        self.node.and_then(NodeRef::items).map_or(0, |items| items.len())
    }

    /// The entries of a map, each with its place; none, if it is not a map.
    pub(crate) fn entries(&'p self) -> impl Iterator<Item = (Cow<'d, str>, FieldPlace<'p, 'd>)> {
        let entries = self.node.and_then(NodeRef::entries).into_iter().flatten();
        let seen = entries.filter(|(key, _)| self.sees(*key));
        seen.map(|(key, value)| (key.key_text(), self.key(key, value)))
    }

    /// Whether it is a map or list without entries, an empty string, or absent.
    pub(crate) fn is_empty(&self) -> bool {
        let Some(node) = self.node else { return true };
        match node.kind() {
            NodeKind::Sequence { start, end } => start == end,
            NodeKind::Mapping { effective_start, effective_end, .. } => effective_start == effective_end,
            NodeKind::Scalar { .. } => node.as_str() == Some(""),
            NodeKind::Alias(_) => false,
        }
    }

    /// The path as the server has it.
    pub(crate) fn path(&self) -> FieldPath {
        let mut steps: Vec<Segment> = self.and_around().filter_map(FieldPlace::segment).collect();
        steps.reverse();
        FieldPath::new(steps)
    }

    fn segment(&self) -> Option<Segment> {
        Some(match self.step {
            Step::Root => return None,
            Step::Field(name) => Segment::field(name),
            Step::TypedField(key) => Segment::field(key.key_text()),
            Step::Key(key) => Segment::Key(key.key_text().into()),
            Step::Index(index) => Segment::Index(index),
        })
    }
}

/// A list or map in a list has no key to point at; its beginning is enough.
fn first_line_of(node: NodeRef<'_>) -> Span {
    match node.entries().and_then(|mut entries| entries.next()) {
        Some((key, _)) => key.span(),
        None => node.span(),
    }
}

/// The integer that a node is for the server.
pub(crate) fn integer_of(node: NodeRef<'_>) -> Option<i64> {
    match node.scalar()? {
        ScalarValue::Int(value) => Some(value),
        // Below this, Go writes the digits of an integer; above, it uses an exponent.
        ScalarValue::Float(value) if value.trunc() == value && value.abs() < 1e18 => Some(value as i64),
        _ => None,
    }
}

/// The amount that a node is for the server, or its words.
pub(crate) fn quantity_of(node: NodeRef<'_>) -> Result<Quantity, &'static str> {
    let form = trueline_apimachinery::quantity::QuantityError::Form.text();
    let text = match node.scalar() {
        Some(ScalarValue::String) => Cow::Borrowed(node.text().unwrap_or_default()),
        Some(ScalarValue::Int(value)) => return Ok(Quantity::from_integer(value)),
        Some(ScalarValue::UInt(value)) => Cow::Owned(value.to_string()),
        Some(ScalarValue::Float(value)) if value.is_finite() => Cow::Owned(format!("{value}")),
        _ => return Err(form),
    };
    Quantity::read(&text).map_err(|error| error.text())
}
