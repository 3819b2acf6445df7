//! Overlays of ytt: whatever a template and its overlays say, they are applied or refused, and what is refused has a place.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark as starlark;
use trueline_ytt::error::{Error, ErrorKind};
use trueline_ytt::modules::overlay::module;
use trueline_ytt::overlay::{
    Fault, OverlayFile, Problem, annotate_for_plain_merge, overlay_document, post_process,
};
use trueline_ytt::template::{Loader, Options, Output, Program, compile_yaml, has_templating};
use trueline_ytt::tree::{DocumentSet, File, Format, ReadOptions, read, write_documents};
use trueline_ytt::value::Context;

use crate::Target;

/// How many files an input has at most.
const FILES: usize = 8;

/// What stands between files.
const SEPARATOR: &str = "#-----\n";

/// Evaluates the files of the input and applies the overlays among their documents.
pub(crate) const TARGET: Target = Target {
    name: "ytt_overlays",
    run,
    seeds: &[
        "a: 1\nb: {c: [1, {d: 2}]}\n#-----\n#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.all\n---\nb:\n  #@overlay/match missing_ok=True\n  e: 1\n#@overlay/remove\na:\n",
        "l:\n- name: a\n- name: b\n#-----\n#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.subset({\"l\": []}), expects=\"1+\"\n---\nl:\n#@overlay/match by=\"name\"\n#@overlay/insert before=True, after=True\n- name: b\n#@overlay/match by=overlay.index(0)\n#@overlay/replace via=lambda l, r: {\"l\": l, \"r\": r}\n- x\n#@overlay/append\n- 5\n",
        "kind: A\n---\nkind: B\n#-----\n#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.or_op(overlay.index(1), overlay.not_op(overlay.map_key(\"kind\"))), when=[1, lambda n: n > 1]\n#@overlay/match-child-defaults missing_ok=True\n---\nx: {y: ~}\n#@overlay/assert via=lambda l, r: (False, \"no\")\nkind: C\n",
        "#@ load(\"@ytt:overlay\", \"overlay\")\n#@ def l():\na: {b: 1}\n#@ end\n#@ def r():\n#@overlay/match-child-defaults expects=1\na:\n  #@overlay/replace via=lambda l, r: overlay.apply(l, r), or_add=True\n  b: {c: 1}\n#@ end\n---\nx: #@ overlay.apply(l(), r(), {\"a\": {\"b\": 2}})\n",
        "1: a\ntrue: b\n~: c\n1.5: [d]\n#-----\n#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=lambda i, l, r: len(l) > 2\n#@overlay/insert after=True, via=lambda l, r: [l] * 3\n---\n1: A\n#@overlay/match by=overlay.all, expects=2\n#@overlay/remove\n---\n",
        "#@ load(\"@ytt:overlay\", \"overlay\")\n#@ for i in range(5):\n---\nn: #@ i\n#@x/y i, k=1\nv: {}\n#@ end\n#@overlay/match by=overlay.all, expects=5\n---\n#@overlay/noop\n#@overlay/merge-anns\n#@overlay/remove-anns \"x/y\", via=lambda n: False\n#@x/y 2\nv: 1\n",
    ],
};

/// Files that load nothing but modules.
struct Alone {
    context: Context,
    programs: RefCell<Vec<Rc<Program>>>,
}

impl Loader for Alone {
    fn load(
        &self,
        _: &mut starlark::Thread,
        name: &str,
        _: &starlark::Value,
    ) -> Result<starlark::Globals, starlark::Error> {
        if name != "@ytt:overlay" {
            return Err(starlark::Error::new("there is only the overlay module"));
        }
        let mut globals = starlark::Globals::new();
        globals.set("overlay", module(&self.context));
        Ok(globals)
    }

    fn find_program(&self, name: &str) -> Option<Rc<Program>> {
        self.programs.borrow().iter().find(|program| program.name() == name).cloned()
    }
}

fn run(input: &[u8]) {
    let first = overlaid(input);
    assert_eq!(first, overlaid(input), "the same input gives the same output");
}

fn overlaid(input: &[u8]) -> String {
    let limits = starlark::Limits { steps: 1_000_000, memory: 32 << 20, ..starlark::Limits::default() };
    let mut thread = starlark::Thread::new(limits);
    let context = Context::with_nodes(100_000);
    let loader = Rc::new(Alone { context: context.clone(), programs: RefCell::default() });
    let text = String::from_utf8_lossy(input);
    let mut files = Vec::new();
    for (index, text) in text.splitn(FILES, SEPARATOR).enumerate() {
        let name = format!("{index}.yml");
        match evaluated(&name, text, index, &loader, &mut thread) {
            Ok(documents) => files.push(OverlayFile { name, documents }),
            Err(error) => return error.printed(),
        }
    }
    plain_merge(&files, &mut thread, &context);
    match post_process(files, &mut thread, &context, &mut Err) {
        Ok(files) => {
            let mut all = DocumentSet::default();
            all.documents.extend(files.into_iter().flatten().flat_map(|file| file.documents));
            write_documents(&all, Format::Pos).unwrap_or_else(|error| error.to_string())
        }
        Err(error) => {
            check_places(&error);
            error.printed()
        }
    }
}

fn evaluated(
    name: &str,
    text: &str,
    id: usize,
    loader: &Rc<Alone>,
    thread: &mut starlark::Thread,
) -> Result<DocumentSet, Error> {
    let file = File::new(name, text);
    let mut documents = read(&file, &ReadOptions::default())?;
    if !has_templating(&documents) {
        documents.override_map_keys();
        return Ok(documents);
    }
    let options = Options { id: id as u32, ..Options::default() };
    let program = compile_yaml(name, &documents, options)?;
    loader.programs.borrow_mut().push(Rc::clone(&program));
    let host = Rc::clone(loader) as Rc<dyn Loader>;
    match program.eval(&mut thread.fork(), &host, &loader.context)?.1 {
        Output::Documents(documents) => Ok(documents),
        _ => Ok(DocumentSet::default()),
    }
}

/// Merges the first document of each file into that of the first: whatever they are, that is done or refused.
fn plain_merge(files: &[OverlayFile], thread: &mut starlark::Thread, context: &Context) {
    let mut firsts = files.iter().filter_map(|file| file.documents.documents.first());
    let Some(mut left) = firsts.next().cloned() else { return };
    for right in firsts {
        let mut right = right.clone();
        annotate_for_plain_merge(&mut right);
        match overlay_document(left, &right, thread, context) {
            Ok(merged) => left = merged,
            Err(error) => return check_places(&error),
        }
    }
}

fn check_places(error: &Error) {
    let ErrorKind::Overlay(facts) = error.kind() else { return };
    let fault = facts.downcast_ref::<Fault>();
    let needs_place = fault.is_some_and(|fault| fault.problem != Problem::Target);
    assert!(!needs_place || !error.places().is_empty(), "an overlay is refused without a place: {error}");
}
