//! Overlays of whole files. The cases are in `cases.txt`: documents, an overlay, and what ytt prints for both.

use std::cell::RefCell;
use std::rc::Rc;

use starlark::{BlockStyle, Builtin, Globals, Limits, Program, Thread, parse};
use trueline_starlark as starlark;

use super::{
    Exactness, Left, Operation, OverlayFile, Problem, Right, annotate_for_plain_merge, overlay_document,
};
use crate::modules::overlay::module;
use crate::tree::{
    Annotation, Document, DocumentSet, File, Format, Meta, Presence, ReadOptions, Value, read,
    write_documents,
};
use crate::value::{Content, Context, Fragment};

/// The line that every overlay starts with.
const LOAD: &str = "#@ load(\"@ytt:overlay\", \"overlay\")\n";

/// A run with a thread of its own.
struct Run {
    thread: Thread,
    context: Context,
    given: Globals,
    collected: Rc<RefCell<Annotation>>,
}

impl Run {
    fn new() -> Run {
        let context = Context::new();
        let collected = Rc::<RefCell<Annotation>>::default();
        let into = Rc::clone(&collected);
        let collect = Builtin::new("collect", move |_, args| {
            let named = |(name, value): &(starlark::Value, starlark::Value)| {
                (Rc::from(name.as_str().unwrap_or_default()), value.clone())
            };
            *into.borrow_mut() = Annotation {
                args: args.positional.to_vec(),
                kwargs: args.named.iter().map(named).collect(),
                ..Annotation::default()
            };
            Ok(starlark::Value::NONE)
        });
        let mut given = Globals::new();
        given.set("overlay", module(&context));
        given.set("collect", starlark::Value::builtin(collect));
        Run { thread: Thread::new(Limits::default()), context, given, collected }
    }

    /// The documents of a YAML text, with their annotations. Code is not run.
    fn documents(&mut self, name: &str, text: &str) -> DocumentSet {
        let mut documents = read(&File::new(name, text), &ReadOptions::default()).unwrap();
        documents.documents.retain(|document| document.presence == Presence::Written);
        for document in &mut documents.documents {
            self.annotate(&mut document.meta);
            self.annotate_value(&mut document.value);
        }
        documents
    }

    /// Comments before the first separator belong to an empty document.
    fn last_document(&mut self, name: &str, text: &str) -> Document {
        self.documents(name, text).documents.pop().unwrap()
    }

    fn annotate_value(&mut self, value: &mut Value) {
        match value {
            Value::Map(map) => {
                for item in &mut Rc::make_mut(map).items {
                    self.annotate(&mut item.meta);
                    self.annotate_value(&mut item.value);
                }
            }
            Value::Array(array) => {
                for item in &mut Rc::make_mut(array).items {
                    self.annotate(&mut item.meta);
                    self.annotate_value(&mut item.value);
                }
            }
            _ => {}
        }
    }

    fn annotate(&mut self, meta: &mut Meta) {
        for comment in meta.comments().to_vec() {
            let Some(text) = comment.text.strip_prefix('@') else { continue };
            let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
            if name.is_empty() {
                continue;
            }
            let source = format!("collect({arguments})\n");
            let ast = parse("annotation", source.as_bytes(), BlockStyle::End).unwrap();
            let program = Program::compile(&ast, &|name| self.given.contains(name)).unwrap();
            program.init(&mut self.thread, &self.given).unwrap();
            let mut annotation = self.collected.take();
            annotation.position = comment.position.clone();
            meta.annotations_mut().set(name.into(), annotation);
        }
    }

    fn post_process(&mut self, files: &[(&str, &str)]) -> Result<String, crate::error::Error> {
        let mut all = Vec::new();
        for (name, text) in files {
            all.push(OverlayFile { name: (*name).to_owned(), documents: self.documents(name, text) });
        }
        let results = super::post_process(all, &mut self.thread, &self.context, &mut Err)?;
        let mut printed = DocumentSet::default();
        printed.documents.extend(results.into_iter().flatten().flat_map(|file| file.documents));
        Ok(text_of(&printed))
    }

    fn exact(&mut self, left: &str, right: &str) -> Result<DocumentSet, crate::error::Error> {
        let left = self.last_document("left.yml", left);
        let right = self.last_document("right.yml", right);
        let result = overlay_document(left, &right, &mut self.thread, &self.context)?;
        Ok(DocumentSet { documents: vec![result], ..DocumentSet::default() })
    }
}

fn text_of(documents: &DocumentSet) -> String {
    write_documents(documents, Format::Yaml).unwrap()
}

#[test]
fn files_are_overlaid_as_ytt_does_it() {
    let cases = include_str!("cases.txt");
    let mut count = 0;
    for case in cases.split("##### ").skip(1) {
        let (name, texts) = case.split_once('\n').unwrap();
        let texts: Vec<&str> = texts.split("#-----\n").collect();
        let [left, right, expected] = texts.as_slice() else { panic!("{name}") };
        let overlay = format!("{LOAD}{right}");
        let result = Run::new().post_process(&[("config.yml", left), ("ov.yml", &overlay)]);
        let found = result.unwrap_or_else(|error| format!("ytt: Error: {}\n", error.printed()));
        assert_eq!(found, *expected, "{name}");
        count += 1;
    }
    assert!(count > 100);
}

#[test]
fn files_are_taken_in_order() {
    let overlay = |text: &str| format!("{LOAD}#@overlay/match by=overlay.index(1)\n{text}");
    let files = |text: &str| {
        let overlay = overlay(text);
        Run::new().post_process(&[("b.yml", "b: 1\n"), ("ov.yml", &overlay), ("a.yml", "a: 1\n")]).unwrap()
    };
    assert_eq!(files("---\na: 2\n"), "b: 1\n---\na: 2\n");
    assert_eq!(files("#@overlay/append\n---\nc: 2\n"), "b: 1\n---\na: 1\n---\nc: 2\n");
    assert_eq!(files("#@overlay/remove\n---\n"), "b: 1\n");
    assert_eq!(files("#@overlay/insert before=True\n---\nc: 2\n"), "b: 1\n---\nc: 2\n---\na: 1\n");
    let overlay = format!(
        "{LOAD}#@overlay/match by=overlay.index(7), missing_ok=True\n#@overlay/replace or_add=True\n---\nc: 2\n"
    );
    let result = Run::new().post_process(&[("b.yml", "b: 1\n"), ("ov.yml", &overlay), ("a.yml", "a: 1\n")]);
    assert_eq!(result.unwrap(), "b: 1\n---\nc: 2\n---\na: 1\n");
}

#[test]
fn a_file_of_overlays_leaves_nothing() {
    let mut run = Run::new();
    let overlay = run.documents("ov.yml", &format!("{LOAD}#@overlay/match by=overlay.all\n---\na: 2\n"));
    let config = run.documents("config.yml", "a: 1\n---\n---\n");
    let file = |name: &str, documents| OverlayFile { name: name.to_owned(), documents };
    let results = super::post_process(
        vec![file("ov.yml", overlay), file("config.yml", config)],
        &mut run.thread,
        &run.context,
        &mut Err,
    )
    .unwrap();
    let counts: Vec<Option<usize>> =
        results.iter().map(|file| file.as_ref().map(|file| file.documents.len())).collect();
    assert_eq!(counts, [None, Some(1)]);
}

#[test]
fn without_documents_there_is_nothing_to_add_to() {
    for annotation in ["#@overlay/append", "#@overlay/replace or_add=True"] {
        let overlay =
            format!("{LOAD}#@overlay/match by=overlay.all, missing_ok=True\n{annotation}\n---\na: 2\n");
        let error = Run::new().post_process(&[("ov.yml", &overlay)]).unwrap_err();
        assert!(error.text().ends_with("but there are none"), "{error}");
    }
}

#[test]
fn faults_know_their_places() {
    let check = |left: &str, right: &str, places: &[&str], annotation: Option<&str>| {
        let overlay = format!("{LOAD}{right}");
        let error = Run::new().post_process(&[("c.yml", left), ("o.yml", &overlay)]).unwrap_err();
        let found: Vec<String> = error.places().iter().map(ToString::to_string).collect();
        assert_eq!(found, places, "{error}");
        let crate::error::ErrorKind::Overlay(facts) = error.kind() else { panic!("{error:?}") };
        let fault = facts.downcast_ref::<super::Fault>().unwrap();
        assert_eq!(fault.annotation.as_ref().map(ToString::to_string).as_deref(), annotation);
        fault.problem.clone()
    };
    // The innermost node of the overlay comes first.
    let problem =
        check("a: {b: 1}\n", "#@overlay/match by=overlay.all\n---\na:\n  c: 1\n", &["o.yml:5"], None);
    assert_eq!(problem, Problem::Count { expected: Some("1".to_owned()), found: 0 });
    // Then what was matched.
    let right = "#@overlay/match by=overlay.all\n---\na: 2\n";
    check("a: 1\n---\na: 1\n", right, &["o.yml:3", "c.yml:1", "c.yml:2"], Some("o.yml:2"));
    // A value of another kind.
    let right = "#@overlay/match by=overlay.all\n---\na: {b: {c: 1}}\n";
    let problem = check("x: 1\na:\n  b: 1\n", right, &["o.yml:4", "c.yml:3"], None);
    assert_eq!(problem, Problem::Kind { expected: "map", found: "integer" });
    // What an assertion is about.
    let right = "#@overlay/match by=overlay.all\n---\n#@overlay/assert\na: 2\n";
    assert_eq!(check("a: 1\n", right, &["o.yml:5", "c.yml:1"], None), Problem::Assertion);
    // An annotation that cannot be understood.
    let right = "#@overlay/match by=overlay.all\n---\n#@overlay/replace vai=1\na: 2\n";
    assert_eq!(check("a: 1\n", right, &["o.yml:5"], Some("o.yml:4")), Problem::Annotation);
}

#[test]
fn replaced_values_keep_their_places() {
    let mut run = Run::new();
    let result = run.exact("---\na: 1\nb: {c: 2}\n", "---\na:   5\nb: {c: 3}\n").unwrap();
    let map = result.documents[0].value.as_map().unwrap();
    let item = &map.items[0];
    assert_eq!(item.meta.position().to_string(), "right.yml:2");
    assert_eq!(item.meta.place().range(), Some(9..10));
    // A map that was merged is still the left one.
    assert_eq!(map.items[1].meta.position().to_string(), "left.yml:3");
    let inner = &map.items[1].value.as_map().unwrap().items[0];
    assert_eq!(inner.meta.position().to_string(), "right.yml:3");
    assert_eq!(result.documents[0].meta.position().to_string(), "left.yml:1");
}

#[test]
fn exact_documents_need_no_match() {
    let overlaid = |left: &str, right: &str| match Run::new().exact(left, right) {
        Ok(documents) => text_of(&documents),
        Err(error) => error.text().to_owned(),
    };
    assert_eq!(overlaid("---\na: 1\n", "---\na: 2\n"), "a: 2\n");
    let missing = "Document on line right.yml:1: Map item (key 'b') on line right.yml:2: \
                   Expected number of matched nodes to be 1, but was 0";
    assert_eq!(overlaid("---\na: 1\n", "---\nb: 2\n"), missing);
    let defaults = "#@overlay/match-child-defaults missing_ok=True\n---\nb: 2\n";
    assert_eq!(overlaid("---\na: 1\n", defaults), "a: 1\nb: 2\n");
    assert_eq!(overlaid("---\na: 1\n", "#@overlay/replace\n---\nb: 2\n"), "b: 2\n");
    assert_eq!(overlaid("---\na: 1\n", "#@overlay/remove\n---\nb: 2\n"), "");
}

#[test]
fn plain_merging_replaces_all_but_maps() {
    let merged = |left: &str, right: &str| {
        let mut run = Run::new();
        let left = run.last_document("left.yml", left);
        let mut right = run.last_document("right.yml", right);
        annotate_for_plain_merge(&mut right);
        let result = overlay_document(left, &right, &mut run.thread, &run.context);
        match result {
            Ok(result) => text_of(&DocumentSet { documents: vec![result], ..DocumentSet::default() }),
            Err(error) => error.text().to_owned(),
        }
    };
    let left = "---\na: {b: 1, c: [1]}\nd: x\ne: {f: 1}\n";
    assert_eq!(
        merged(left, "---\na: {c: [2], o: {m: 1}}\n"),
        "a:\n  b: 1\n  c:\n  - 2\n  o:\n    m: 1\nd: x\ne:\n  f: 1\n"
    );
    assert_eq!(merged(left, "---\nd: [1]\ne: ~\n"), "a:\n  b: 1\n  c:\n  - 1\nd:\n- 1\ne: null\n");
    assert_eq!(
        merged(left, "---\nd: {x: 1}\n"),
        "Document on line right.yml:1: Map item (key 'd') on line right.yml:2: Expected map, but was string"
    );
}

#[test]
fn annotations_of_overlays_are_stripped() {
    let left = "#@overlay/nonsense\n---\n#@other/one\n#@overlay/two\na: {b: 1}\n";
    let right = "---\na:\n  #@overlay/match missing_ok=True\n  #@other/three\n  c: 1\n";
    let result = Run::new().exact(left, right).unwrap();
    let document = &result.documents[0];
    assert!(document.meta.annotations().is_empty());
    let item = &document.value.as_map().unwrap().items[0];
    let names = |meta: &Meta| meta.annotations().iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&item.meta), ["other/one"]);
    assert_eq!(names(&item.value.as_map().unwrap().items[1].meta), ["other/three"]);
}

#[test]
fn annotations_can_be_edited() {
    let edited = |left: &str, right: &str| {
        let result = Run::new().exact(&format!("---\n{left}"), &format!("---\n{right}"));
        let result = match result {
            Ok(result) => result,
            Err(error) => return error.text().to_owned(),
        };
        let item = result.documents[0].value.as_map().unwrap().items[0].clone();
        let mut text = format!("{:?}", item.value);
        for (name, annotation) in item.meta.annotations().iter() {
            let kwargs: Vec<String> =
                annotation.kwargs.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
            text.push_str(&format!(" {name}{:?}{kwargs:?}", annotation.args));
        }
        text
    };
    let left = "#@x/a 1, k=1\n#@x/b 2\nf: 42\n";
    assert_eq!(edited(left, "#@x/a 5\nf: 13\n"), r#"Int(13) x/a[1]["k=1"] x/b[2][]"#);
    assert_eq!(edited(left, "#@overlay/noop\nf: ~\n"), r#"Int(42) x/a[1]["k=1"] x/b[2][]"#);
    assert_eq!(
        edited(left, "#@x/a 5\n#@x/c 6\n#@overlay/replace-ann\nf: 13\n"),
        "Int(13) x/a[5][] x/b[2][] x/c[6][]"
    );
    assert_eq!(
        edited(left, "#@overlay/noop\n#@x/a 5, n=2, k=3\n#@x/c 6\n#@overlay/merge-anns\nf: ~\n"),
        r#"Int(42) x/a[1, 5]["k=3", "n=2"] x/b[2][] x/c[6][]"#
    );
    assert_eq!(edited(left, "#@overlay/noop\n#@overlay/remove-anns \"x/a\"\nf: 1\n"), "Int(42) x/b[2][]");
    assert_eq!(
        edited(left, "#@overlay/noop\n#@overlay/remove-anns \"x/a\"\n#@x/a 7\nf: 1\n"),
        "Int(42) x/b[2][] x/a[7][]"
    );
    assert_eq!(
        edited(left, "#@overlay/remove-anns via=lambda name: name.endswith(\"b\")\nf: 1\n"),
        r#"Int(1) x/a[1]["k=1"]"#
    );
    let validation = "#@schema/validation 1\nf: 1\n";
    assert_eq!(edited(validation, "#@overlay/remove-anns \"schema/validate\"\nf: 1\n"), "Int(1)");
    for (right, fault) in [
        ("#@overlay/noop\n#@overlay/replace\nf: 1\n", "Expected to find only one overlay operation"),
        (
            "#@overlay/remove-anns\nf: 1\n",
            "Expected 'overlay/remove-anns' annotation to have at least one name or the keyword argument 'via'",
        ),
        (
            "#@overlay/remove-anns 5\nf: 1\n",
            "Expected 'overlay/remove-anns' annotation arguments to be strings, but was int",
        ),
        (
            "#@overlay/remove-anns via=5\nf: 1\n",
            "Expected 'overlay/remove-anns' annotation keyword argument 'via' to be function, but was starlark.Int",
        ),
        (
            "#@overlay/remove-anns by=5\nf: 1\n",
            "Unknown 'overlay/remove-anns' annotation keyword argument 'by'",
        ),
        ("#@overlay/noop\ng: 1\n", "Expected number of matched nodes to be 1, but was 0"),
    ] {
        let found = edited(left, right);
        assert!(found.ends_with(fault), "{found}");
    }
}

#[test]
fn an_overlay_has_to_be_of_the_same_kind() {
    let mut run = Run::new();
    let documents = run.documents("a.yml", "---\na: 1\n");
    let map = documents.documents[0].value.clone();
    let array = run.documents("b.yml", "---\n- 1\n").documents[0].value.clone();
    let mut fault = |mut left: Side, right: Right<'_>| {
        let left = match &mut left {
            Side::Documents(documents) => Left::Documents(documents),
            Side::Value(value) => Left::Value(value),
        };
        let exactness = Exactness::Annotated;
        let operation = Operation { left, right, exactness, thread: &mut run.thread, context: &run.context };
        operation.apply().err().map(|fault| fault.text.clone())
    };
    enum Side {
        Documents(DocumentSet),
        Value(Value),
    }
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        fault(Side::Value(map.clone()), Right::Documents(&documents)),
        text("Expected document set, but was map")
    );
    assert_eq!(
        fault(Side::Documents(documents.clone()), Right::Value(&map)),
        text("Expected map, but was document set")
    );
    assert_eq!(
        fault(Side::Documents(documents.clone()), Right::Value(&array)),
        text("Expected array, but was document set")
    );
    assert_eq!(fault(Side::Value(Value::Null), Right::Value(&array)), text("Expected array, but was null"));
    assert_eq!(fault(Side::Value(map), Right::Value(&Value::Int(5))), None);
    assert_eq!(fault(Side::Documents(documents), Right::Value(&Value::Int(5))), None);
}

#[test]
fn inserting_again_and_again_reaches_a_limit() {
    let mut overlay = LOAD.to_owned();
    for _ in 0..40 {
        overlay.push_str(
            "#@overlay/match by=overlay.all, expects=\"1+\"\n#@overlay/insert after=True\n---\na: 1\n",
        );
    }
    let mut run = Run::new();
    run.thread = Thread::new(Limits { steps: 10_000_000, ..Limits::default() });
    let error = run.post_process(&[("config.yml", "a: 1\n"), ("ov.yml", &overlay)]).unwrap_err();
    assert!(matches!(error.kind(), crate::error::ErrorKind::Limit), "{error:?}");
}

#[test]
fn a_fragment_is_overlaid_in_place() {
    let mut run = Run::new();
    let mut fragment = |name: &str, text: &str| {
        let documents = run.documents(name, text);
        let content: Content = match documents.documents.len() {
            1 => documents.documents[0].value.clone().into(),
            _ => documents.into(),
        };
        run.given.set(name, starlark::Value::custom(Fragment::new(content, &run.context)));
    };
    fragment("left", "a: {b: 1}\n");
    fragment("right", "a: {b: 2}\n");
    fragment("array", "- 1\n");
    let mut eval = |source: &str| {
        let ast = parse("a.star", source.as_bytes(), BlockStyle::End).unwrap();
        let program = Program::compile(&ast, &|name| run.given.contains(name)).unwrap();
        match program.init(&mut run.thread, &run.given) {
            Ok(globals) => {
                let value = globals.get("r").unwrap();
                String::from_utf8(run.thread.str(value).unwrap()).unwrap()
            }
            Err(error) => error.message().to_owned(),
        }
    };
    assert_eq!(eval("r = overlay.apply(left)[\"a\"][\"b\"]\n"), "1");
    assert_eq!(
        eval("r = [overlay.apply(left, right)[\"a\"][\"b\"], left[\"a\"][\"b\"], right[\"a\"][\"b\"]]\n"),
        "[2, 2, 2]"
    );
    assert_eq!(eval("r = overlay.apply({\"a\": {\"b\": 5, \"c\": 6}}, right)[\"a\"][\"c\"]\n"), "6");
    assert_eq!(eval("r = overlay.apply(left, {\"a\": {\"b\": 7}})[\"a\"][\"b\"]\n"), "7");
    for (source, expected) in [
        ("r = overlay.apply()\n", "overlay.apply: expected exactly at least argument"),
        ("r = overlay.apply(left, array)\n", "overlay.apply: Expected array, but was map"),
        (
            "r = overlay.apply(left, {\"x\": 1})\n",
            "overlay.apply: Map item (key 'x') on line ?: Expected number of matched nodes to be 1, but was 0",
        ),
        ("r = overlay.index(\"a\")\n", "overlay.index: expected starlark.Int"),
        ("r = overlay.index(1 << 80)\n", "overlay.index: expected int64 value"),
        ("r = overlay.index()\n", "overlay.index: expected exactly one argument"),
        ("r = overlay.subset(1, 2)\n", "overlay.subset: expected exactly one argument"),
        ("r = overlay.map_key(1)\n", "overlay.map_key: expected a string, but was int"),
        ("r = overlay.and_op()\n", "overlay.and_op: expected at least one argument"),
        ("r = overlay.or_op()\n", "overlay.or_op: expected at least one argument"),
        ("r = overlay.not_op()\n", "overlay.not_op: expected exactly one argument"),
        ("r = overlay.all()\n", "overlay.all: expected exactly 3 arguments"),
        ("r = overlay.not_op(overlay.all)(1)\n", "overlay.or_op: expected exactly 3 arguments"),
        ("r = overlay.subset(left)\n", "<built-in function overlay.subset_matcher>"),
        ("r = type(overlay.subset(left))\n", "builtin_function_or_method"),
        ("r = overlay.map_key(\"b\")(0, left[\"a\"], {\"b\": 7})\n", "True"),
        ("r = overlay.subset(left)(0, left, None)\n", "True"),
        (
            "m = overlay.all\nfor i in range(200):\nm = overlay.not_op(m)\nend\nr = m\n",
            "overlay.not_op: expected matchers to nest at most 100 levels deep",
        ),
    ] {
        assert_eq!(eval(source), expected, "{source}");
    }
}

#[test]
fn large_arrays_are_matched_by_key() {
    let mut left = String::from("list:\n");
    let mut right = String::from("#@overlay/match by=overlay.all\n---\nlist:\n");
    for index in 0..20 {
        left.push_str(&format!("- {{name: n{index}, v: 0}}\n"));
    }
    // Names that change, items that are removed, added and matched in other ways do not lead astray.
    for (annotations, item) in [
        ("by=\"name\"", "{name: n3, v: 1}"),
        ("by=overlay.index(5)", "{name: other, v: 2}"),
        ("by=\"name\", missing_ok=True", "{name: n5, v: 3}"),
        ("by=\"name\"", "{name: n5, v: 4}"),
        ("by=\"name\"", "{name: other, v: 5}"),
        ("by=\"name\"\n#@overlay/remove", "{name: n0}"),
        ("by=\"name\"", "{name: n19, v: 6}"),
        ("by=\"name\"\n#@overlay/insert before=True", "{name: n18, v: 7}"),
        ("by=\"name\", expects=2", "{name: n18, v: 8}"),
        ("by=\"v\", expects=1", "{name: n1, v: 6}"),
        ("by=\"name\", expects=2", "{name: n1, v: 9}"),
    ] {
        right.push_str(&format!("#@overlay/match {annotations}\n- {item}\n"));
    }
    let overlay = format!("{LOAD}{right}");
    let result = Run::new().post_process(&[("c.yml", &left), ("o.yml", &overlay)]).unwrap();
    let pairs: Vec<&str> = result.lines().skip(1).collect();
    let pairs: Vec<String> = pairs
        .chunks(2)
        .map(|pair| {
            format!("{}={}", pair[0].trim_start_matches("- name: "), pair[1].trim_start_matches("  v: "))
        })
        .collect();
    let expected = "n1=9 n2=0 n3=1 n4=0 other=5 n6=0 n7=0 n8=0 n9=0 n10=0 n11=0 n12=0 n13=0 n14=0 n15=0 n16=0 \
                    n17=0 n18=8 n18=8 n1=9 n5=4";
    assert_eq!(pairs.join(" "), expected);
}
