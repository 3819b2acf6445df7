//! A value in a manifest with its path: what a rule reads and where it points.
//!
//! Rules read the document itself, not typed structures, so a manifest that the schema rejected in one place is
//! still checked everywhere else. A value of an unexpected type counts as absent, because level two has already
//! reported it.

use std::borrow::Cow;

use trueline_diagnostic::{Code, Diagnostic, Edit, Level};
use trueline_source::Span;
use trueline_yaml::{NodeRef, ScalarStyle, ScalarValue};

/// A value, its key (if it has one) and its path.
#[derive(Debug, Clone)]
pub(crate) struct Field<'a> {
    node: NodeRef<'a>,
    key: Option<NodeRef<'a>>,
    pointer: String,
}

impl<'a> Field<'a> {
    /// The top of a document.
    pub(crate) fn root(node: NodeRef<'a>) -> Self {
        Field { node, key: None, pointer: String::new() }
    }

    /// The value of a key; a null counts as absent, because every section may be null.
    pub(crate) fn get(&self, name: &str) -> Option<Field<'a>> {
        let (key, node) = self.node.get_entry(name)?;
        if node.is_null() {
            return None;
        }
        Some(Field { node, key: Some(key), pointer: format!("{}/{name}", self.pointer) })
    }

    /// The value at the end of several keys, written `metadata/version`.
    pub(crate) fn at(&self, path: &str) -> Option<Field<'a>> {
        path.split('/').try_fold(self.clone(), |field, name| field.get(name))
    }

    /// The items of a list that are not null; none if it is not a list.
    pub(crate) fn items(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let pointer = self.pointer.clone();
        let items = self.node.items().into_iter().flatten().enumerate();
        items.filter(|(_, node)| !node.is_null()).map(move |(index, node)| Field {
            node,
            key: None,
            pointer: format!("{pointer}/{index}"),
        })
    }

    /// The items of the list at `path`.
    pub(crate) fn items_at(&self, path: &str) -> Vec<Field<'a>> {
        self.at(path).map(|list| list.items().collect()).unwrap_or_default()
    }

    /// The entries of a map with their names, without nulls; none if it is not a map.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Cow<'a, str>, Field<'a>)> + use<'a> {
        let pointer = self.pointer.clone();
        let entries = self.node.entries().into_iter().flatten().filter(|(_, node)| !node.is_null());
        entries.map(move |(key, node)| {
            let name = key.key_text();
            let pointer = format!("{pointer}/{}", escape(&name));
            (name, Field { node, key: Some(key), pointer })
        })
    }

    /// The entries of the map at `path`.
    pub(crate) fn entries_at(&self, path: &str) -> Vec<(Cow<'a, str>, Field<'a>)> {
        self.at(path).map(|map| map.entries().collect()).unwrap_or_default()
    }

    /// The string, if it is one.
    pub(crate) fn text(&self) -> Option<&'a str> {
        self.node.as_str()
    }

    /// The string at the end of several keys.
    pub(crate) fn text_at(&self, path: &str) -> Option<&'a str> {
        self.at(path)?.text()
    }

    /// The boolean of a key, if it has one.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)?.node.scalar() {
            Some(ScalarValue::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// The integer of a key, if it has one.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.get(name)?.node.scalar() {
            Some(ScalarValue::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// The node itself.
    pub(crate) fn node(&self) -> NodeRef<'a> {
        self.node
    }

    /// The place of the value.
    pub(crate) fn span(&self) -> Span {
        self.node.span()
    }

    /// The place of the key, or of the value if it has none.
    pub(crate) fn key_span(&self) -> Span {
        self.key.map_or(self.node.span(), |key| key.span())
    }

    /// The text of the key; empty if it has none.
    pub(crate) fn key_name(&self) -> &'a str {
        self.key.and_then(NodeRef::text).unwrap_or_default()
    }

    /// A finding at the value.
    pub(crate) fn finding(&self, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        self.finding_at(code, self.span(), message)
    }

    /// A finding at the key.
    pub(crate) fn key_finding(&self, code: &'static Code, message: impl Into<String>) -> Diagnostic {
        self.finding_at(code, self.key_span(), message)
    }

    /// A finding about this value at another place, such as a file that it names.
    pub(crate) fn finding_at(
        &self,
        code: &'static Code,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(code, span, message).path(self.pointer.clone()).level(Level::Semantic)
    }

    /// Offers another value, written like the old one; not for an alias, which affects other places too.
    pub(crate) fn offer(&self, finding: Diagnostic, value: &str) -> Diagnostic {
        offer(self.node, finding, value)
    }

    /// Offers another key.
    pub(crate) fn offer_key(&self, finding: Diagnostic, name: &str) -> Diagnostic {
        match self.key {
            Some(key) => offer(key, finding, name),
            None => finding,
        }
    }
}

fn offer(node: NodeRef<'_>, finding: Diagnostic, text: &str) -> Diagnostic {
    // Only a value in one piece that needs no new quotes or escapes is replaced.
    let simple =
        text.chars().all(|character| character.is_ascii_alphanumeric() || "-_./:@".contains(character));
    let replacement = match node.style() {
        Some(ScalarStyle::Plain) if simple => text.to_owned(),
        Some(ScalarStyle::SingleQuoted) if simple => format!("'{text}'"),
        Some(ScalarStyle::DoubleQuoted) if simple => format!("\"{text}\""),
        _ => return finding,
    };
    if text.is_empty() || node.alias_target().is_some() {
        return finding;
    }
    finding.fix(format!("write `{text}`"), vec![Edit { span: node.span(), replacement }])
}

/// A name as one part of a JSON pointer.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use trueline_diagnostic::Severity;
    use trueline_source::SourceId;

    static CODE: Code = Code {
        id: "TL0000",
        name: "test",
        severity: Severity::Error,
        summary: "",
        explanation: "",
        wrong: "",
        right: "",
    };

    fn offered(text: &str, value: &str) -> Option<String> {
        let stream = crate::check::read(SourceId::from_index(0), &Arc::from(text));
        let field = Field::root(stream.documents[0].root());
        let field = field.get("a").unwrap_or(field);
        let finding = field.offer(field.finding(&CODE, "wrong"), value);
        finding.fix.map(|fix| fix.edits[0].replacement.clone())
    }

    #[test]
    fn another_value_is_written_as_the_old_one_was() {
        assert_eq!(offered("a: x", "y").as_deref(), Some("y"));
        assert_eq!(offered("a: 'x'", "y").as_deref(), Some("'y'"));
        assert_eq!(offered("a: \"x\"", "y").as_deref(), Some("\"y\""));
        for (text, value) in
            [("a: |\n  x\n", "y"), ("a: [x]", "y"), ("a: x", "y z"), ("a: x", ""), ("b: &b x\na: *b", "y")]
        {
            assert_eq!(offered(text, value), None, "{text}");
        }
    }

    #[test]
    fn only_a_key_can_be_renamed() {
        let stream = crate::check::read(SourceId::from_index(0), &Arc::from("a/b~c: x"));
        let root = Field::root(stream.documents[0].root());
        let finding = root.offer_key(root.key_finding(&CODE, "wrong"), "y");
        assert_eq!(finding.fix, None);
        assert_eq!(root.key_name(), "");
        let (_, field) = root.entries().next().unwrap();
        let finding = field.offer_key(field.key_finding(&CODE, "wrong"), "y");
        assert_eq!(finding.fix.map(|fix| fix.edits[0].span.range()), Some(0..5));
        assert_eq!(finding.path.as_deref(), Some("/a~1b~0c"));
    }
}
