//! Documents with annotations for tests, without the template engine.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{
    Args, BlockStyle, Builtin, Globals, Limits, Program, Thread, Value as Starlark, parse,
};

use crate::tree::{Annotation, Comment, Document, DocumentSet, File, Meta, ReadOptions, Value, read};

/// A thread for tests.
pub(crate) fn thread() -> Thread {
    Thread::new(Limits::default())
}

/// Reads documents and sets the annotations of their comments.
pub(crate) fn annotated(name: &str, text: &str, thread: &mut Thread) -> DocumentSet {
    let mut documents = read(&File::new(name, text), &ReadOptions::default()).unwrap();
    for document in &mut documents.documents {
        annotate_value(&mut document.value, thread);
        annotate(&mut document.meta, thread);
    }
    documents
}

/// The last document of a YAML text, with its annotations.
pub(crate) fn document(name: &str, text: &str, thread: &mut Thread) -> Document {
    annotated(name, text, thread).documents.pop().unwrap()
}

fn annotate_value(value: &mut Value, thread: &mut Thread) {
    if let Some(map) = value.as_map_mut() {
        for item in &mut map.items {
            annotate(&mut item.meta, thread);
            annotate_value(&mut item.value, thread);
        }
    } else if let Some(array) = value.as_array_mut() {
        for item in &mut array.items {
            annotate(&mut item.meta, thread);
            annotate_value(&mut item.value, thread);
        }
    }
}

fn annotate(meta: &mut Meta, thread: &mut Thread) {
    let comments: Vec<Comment> = meta.comments().to_vec();
    for comment in comments {
        let Some(text) = comment.text.strip_prefix('@') else { continue };
        let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
        let annotation = Annotation { position: comment.position.clone(), ..evaluate(arguments, thread) };
        meta.annotations_mut().set(name.into(), annotation);
    }
}

/// The arguments of an annotation.
fn evaluate(arguments: &str, thread: &mut Thread) -> Annotation {
    let found = Rc::new(RefCell::new(Annotation::default()));
    let result = Rc::clone(&found);
    let mut given = Globals::new();
    let capture = Builtin::new("capture", move |_, args: &Args<'_>| {
        let kwargs = args.named.iter();
        *result.borrow_mut() = Annotation {
            args: args.positional.to_vec(),
            kwargs: kwargs.map(|(name, value)| (name.as_str().unwrap().into(), value.clone())).collect(),
            ..Annotation::default()
        };
        Ok(Starlark::NONE)
    });
    given.set("capture", Starlark::builtin(capture));
    let source = format!("capture({arguments})\n");
    let ast = parse("test", source.as_bytes(), BlockStyle::End).unwrap();
    let program = Program::compile(&ast, &|name| given.contains(name)).unwrap();
    program.init(thread, &given).unwrap();
    found.take()
}
