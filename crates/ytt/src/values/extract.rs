//! Documents with data values or schemas among the documents of a file.

use crate::error::{Error, ErrorKind, Fact};
use crate::tree::{Document, DocumentSet, Meta, Value};

/// The documents of a file, by whether they have an annotation.
#[derive(Debug, Default)]
pub struct Extracted {
    /// Those that have it.
    pub matched: Vec<Document>,
    /// Those that do not.
    pub others: Vec<Document>,
}

/// Whether documents have an annotation, such as [`super::DATA_VALUES`]. Also for files that were not evaluated.
pub fn has_documents(documents: &DocumentSet, annotation: &str) -> Result<bool, Error> {
    // Most files have no such comment, and need not be searched.
    if documents.all_comments.iter().all(|comment| annotation_name(&comment.text) != Some(annotation)) {
        return Ok(false);
    }
    check_nodes(documents, annotation)?;
    let mut is_any = false;
    for document in &documents.documents {
        is_any |= is_annotated(document, annotation)?;
    }
    Ok(is_any)
}

/// Separates the documents that have an annotation from the others.
pub fn extract(documents: DocumentSet, annotation: &str) -> Result<Extracted, Error> {
    check_nodes(&documents, annotation)?;
    let mut extracted = Extracted::default();
    for document in documents.documents {
        let is_annotated = is_annotated(&document, annotation)?;
        if is_annotated { &mut extracted.matched } else { &mut extracted.others }.push(document);
    }
    Ok(extracted)
}

fn is_annotated(document: &Document, annotation: &str) -> Result<bool, Error> {
    let mut comments =
        document.meta.comments().iter().filter(|comment| annotation_name(&comment.text) == Some(annotation));
    let first = comments.next();
    if let Some(second) = comments.next() {
        let text = format!("{annotation} annotation may only be used once per document");
        return Err(Error::other(text).at(second.position.clone()));
    }
    Ok(first.is_some() || document.meta.annotations().has(annotation))
}

/// Refuses the annotation on anything but documents.
fn check_nodes(documents: &DocumentSet, annotation: &str) -> Result<(), Error> {
    check_node(&documents.meta, "document set", annotation)?;
    for document in &documents.documents {
        let mut open = vec![Node::Value(&document.value)];
        while let Some(node) = open.pop() {
            // What comes first is looked at first, and so it is put there last.
            match node {
                Node::Item(meta, value, name) => {
                    check_node(meta, name, annotation)?;
                    open.push(Node::Value(value));
                }
                Node::Value(Value::Map(map)) => {
                    check_node(&map.meta, "map", annotation)?;
                    let items = map.items.iter().rev();
                    open.extend(items.map(|item| Node::Item(&item.meta, &item.value, "map item")));
                }
                Node::Value(Value::Array(array)) => {
                    check_node(&array.meta, "array", annotation)?;
                    let items = array.items.iter().rev();
                    open.extend(items.map(|item| Node::Item(&item.meta, &item.value, "array item")));
                }
                Node::Value(_) => {}
            }
        }
    }
    Ok(())
}

enum Node<'d> {
    Item(&'d Meta, &'d Value, &'static str),
    Value(&'d Value),
}

fn check_node(meta: &Meta, name: &'static str, annotation: &str) -> Result<(), Error> {
    let Some(extra) = meta.extra() else { return Ok(()) };
    let comment = extra.comments.iter().find(|comment| annotation_name(&comment.text) == Some(annotation));
    let written = extra.annotations.get(annotation);
    if comment.is_none() && written.is_none() {
        return Ok(());
    }
    let position = &meta.position();
    let (annotation, line) = (annotation.to_owned(), position.to_string());
    let fact = Fact::Misplaced { annotation, node: name, line, allowed: "documents (---)" };
    let place = comment.map(|comment| &comment.position).or(written.map(|written| &written.position));
    let place = place.unwrap_or(position).clone();
    Err(Error::known(ErrorKind::Other, fact).at(place).at(position.clone()))
}

/// The name of the annotation in a comment, which is without its `#`.
fn annotation_name(comment: &str) -> Option<&str> {
    comment.strip_prefix('@')?.split(' ').next()
}
