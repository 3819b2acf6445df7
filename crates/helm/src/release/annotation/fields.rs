//! Annotations of a document: read, set and taken away as kyaml does it, which Helm 4 uses.

use trueline_yaml::{Brackets, Dashes, DraftContent, DraftNode, ScalarStyle, write_drafts};

const METADATA: &str = "metadata";
const ANNOTATIONS: &str = "annotations";

/// What a map must be; a null passes for one without keys. The words are kyaml's.
fn expect_map(node: &DraftNode) -> Result<(), String> {
    let found = match &node.content {
        _ if node.is_null() => return Ok(()),
        DraftContent::Map(..) => return Ok(()),
        DraftContent::List(..) => "SequenceNode",
        DraftContent::Scalar(..) => "ScalarNode",
        DraftContent::Alias(_) => "AliasNode",
    };
    let text = write_drafts([(&node.clone().into(), Dashes::UnderKey)]);
    Err(format!("wrong node kind: expected MappingNode but got {found}: node contents:\n{text}"))
}

/// Whether kyaml takes a value for nothing.
pub(super) fn is_nothing(node: &DraftNode) -> bool {
    let can_be_empty = matches!(node.content, DraftContent::List(..) | DraftContent::Map(..));
    node.is_null() || (can_be_empty && node.is_empty())
}

/// The value of a key, if there is something in it.
pub(super) fn field<'d>(node: &'d DraftNode, key: &str) -> Option<&'d DraftNode> {
    node.get(key).filter(|value| !is_nothing(value))
}

/// The text of an annotation; none if it is missing.
pub(super) fn annotation<'d>(root: &'d DraftNode, key: &str) -> &'d str {
    let annotations = field(root, METADATA).and_then(|metadata| field(metadata, ANNOTATIONS));
    let value = annotations.and_then(|annotations| annotations.get(key));
    value.filter(|value| !value.is_null()).map_or("", DraftNode::text)
}

/// Whether a document tells anything of what kyaml calls its metadata.
pub(super) fn has_metadata(root: &DraftNode) -> bool {
    let of_root = ["apiVersion", "kind"].into_iter().any(|key| field(root, key).is_some());
    let of_metadata = |metadata: &DraftNode| {
        ["name", "namespace", "labels", ANNOTATIONS].into_iter().any(|key| field(metadata, key).is_some())
    };
    root.is_null() || of_root || field(root, METADATA).is_some_and(of_metadata)
}

/// Sets an annotation, after all others if it is new.
pub(super) fn set_annotation(root: &mut DraftNode, key: &str, value: &str) -> Result<(), String> {
    clear_empty(root)?;
    if root.is_null() {
        return Ok(());
    }
    expect_map(root)?;
    let Some(metadata) = field_or_new(root, METADATA) else { return Ok(()) };
    expect_map(metadata)?;
    let Some(annotations) = field_or_new(metadata, ANNOTATIONS) else { return Ok(()) };
    expect_map(annotations)?;
    let DraftContent::Map(_, entries) = &mut annotations.content else { return Ok(()) };
    match entries.iter_mut().find(|(name, _)| name.text() == key) {
        Some((_, old)) => {
            let style = match &old.content {
                DraftContent::Scalar(_, style) => *style,
                _ => ScalarStyle::Plain,
            };
            *old = DraftNode::string(value, style);
        }
        None => entries.push((
            DraftNode::string(key, ScalarStyle::Plain),
            DraftNode::string(value, ScalarStyle::SingleQuoted),
        )),
    }
    Ok(())
}

/// Takes an annotation away.
pub(super) fn clear_annotation(root: &mut DraftNode, key: &str) -> Result<(), String> {
    let mut node = root;
    for step in [METADATA, ANNOTATIONS] {
        expect_map(node)?;
        match field_mut(node, step) {
            Some(next) => node = next,
            None => return Ok(()),
        }
    }
    expect_map(node)?;
    remove(node, |name, _| name == key);
    Ok(())
}

/// Takes annotations and metadata away that have nothing in them.
pub(super) fn clear_empty(root: &mut DraftNode) -> Result<(), String> {
    expect_map(root)?;
    if let Some(metadata) = field_mut(root, METADATA) {
        expect_map(metadata)?;
        remove(metadata, |name, value| name == ANNOTATIONS && value.is_empty());
    }
    remove(root, |name, value| name == METADATA && value.is_empty());
    Ok(())
}

fn field_mut<'d>(node: &'d mut DraftNode, key: &str) -> Option<&'d mut DraftNode> {
    let DraftContent::Map(_, entries) = &mut node.content else { return None };
    entries.iter_mut().find(|(name, _)| name.text() == key).map(|(_, value)| value)
}

fn field_or_new<'d>(node: &'d mut DraftNode, key: &str) -> Option<&'d mut DraftNode> {
    if node.get(key).is_none()
        && let DraftContent::Map(_, entries) = &mut node.content
    {
        let map = DraftNode::new(DraftContent::Map(Brackets::None, Vec::new()));
        entries.push((DraftNode::string(key, ScalarStyle::Plain), map));
    }
    field_mut(node, key)
}

/// Takes the first entry away that is meant.
fn remove(node: &mut DraftNode, is_meant: impl Fn(&str, &DraftNode) -> bool) {
    if let DraftContent::Map(_, entries) = &mut node.content
        && let Some(place) = entries.iter().position(|(key, value)| is_meant(key.text(), value))
    {
        entries.remove(place);
    }
}
