//! Whole templates: what they print, or what they fail with.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{Args, Builtin, Error as StarlarkError, Globals, Limits, Thread, Value as Starlark};

use super::*;
use crate::error::{Error, ErrorKind};
use crate::text;
use crate::tree::{self, File, Format, Position, ReadOptions};
use crate::value::{Context, Struct, to_struct};

/// Files that can load each other, and data values.
struct Files {
    files: Vec<(&'static str, &'static str)>,
    programs: RefCell<Vec<Rc<Program>>>,
    context: Context,
}

struct FileLoader(Rc<Files>);

impl Loader for FileLoader {
    fn load(&self, thread: &mut Thread, module: &str, replace: &Starlark) -> Result<Globals, StarlarkError> {
        let mut globals = Globals::new();
        match module {
            "@ytt:template" => {
                let module = Struct::new([("replace".into(), replace.clone())]);
                globals.set("template", Starlark::custom(module));
            }
            "@ytt:data" => {
                let file = File::new("values.yml", "a: typed\nb:\n- 1\n");
                let values = tree::read(&file, &ReadOptions::default()).map_err(Error::from)?;
                let values = to_struct(&values.documents[0].value, &Position::unknown(), &self.0.context)?;
                globals.set("values", values);
            }
            "@ytt:assert" => {
                let try_to = Builtin::new("assert.try_to", |thread, args| {
                    Ok(thread.call(&args.positional[0], Args::of(&[])).unwrap_or(Starlark::string("failed")))
                });
                globals.set("try_to", Starlark::builtin(try_to));
            }
            _ => return Ok(self.0.eval(module, &mut thread.fork())?.0),
        }
        Ok(globals)
    }

    fn find_program(&self, name: &str) -> Option<Rc<Program>> {
        self.0.programs.borrow().iter().find(|program| program.name() == name).cloned()
    }
}

impl Files {
    fn new(files: &[(&'static str, &'static str)]) -> Rc<Files> {
        Rc::new(Files { files: files.to_vec(), programs: RefCell::default(), context: Context::new() })
    }

    fn eval(self: &Rc<Self>, name: &str, thread: &mut Thread) -> Result<(Globals, Output), Error> {
        let text = self.files.iter().find(|(known, _)| *known == name);
        let (_, text) = text.ok_or_else(|| Error::other(format!("no file {name}")))?;
        let file = File::new(name, *text);
        let program = if name.ends_with(".star") {
            compile_starlark(&file, text.as_bytes(), 2)
        } else if name.ends_with(".txt") {
            text::compile(&file, text.as_bytes(), 2)?
        } else {
            let documents = tree::read(&file, &ReadOptions::default())?;
            compile_yaml(name, &documents, Options { id: 2, ..Options::default() })?
        };
        self.programs.borrow_mut().push(Rc::clone(&program));
        let loader: Rc<dyn Loader> = Rc::new(FileLoader(Rc::clone(self)));
        program.eval(thread, &loader, &self.context)
    }
}

fn evaluate(files: &[(&'static str, &'static str)]) -> Result<Output, Error> {
    let name = files[0].0;
    let limits = Limits { steps: 10_000_000, ..Limits::default() };
    Files::new(files).eval(name, &mut Thread::new(limits)).map(|(_, output)| output)
}

fn printed(files: &[(&'static str, &'static str)]) -> String {
    match evaluate(files) {
        Ok(Output::Documents(documents)) => tree::write_documents(&documents, Format::Yaml).unwrap(),
        Ok(Output::Text(text)) => String::from_utf8(text).unwrap(),
        Ok(Output::Nothing) => "nothing".to_owned(),
        Err(error) => format!("Error: {}", error.text()),
    }
}

/// Templates and their output, separated by lines of `=>` and `====`.
const CASES: &str = include_str!("cases.txt");

#[test]
fn templates_print_what_ytt_prints() {
    for case in CASES.split("====\n") {
        let (template, expected) = case.split_once("=>\n").unwrap();
        let template: &'static str = Box::leak(template.to_owned().into_boxed_str());
        let found = printed(&[("a.yml", template)]);
        assert_eq!(found.trim_end_matches('\n'), expected.trim_end_matches('\n'), "{template}");
    }
}

#[test]
fn loaded_files_are_code_yaml_or_text() {
    let files = [
        (
            "a.yml",
            "#@ load(\"b.star\", \"f\")\n#@ load(\"c.lib.yml\", \"g\")\n#@ load(\"d.lib.txt\", \"h\")\n\
             a: #@ f()\nb: #@ g(2)\nc: #@ h(\"x\")\n",
        ),
        ("b.star", "def f():\n  return 1\nend\n"),
        ("c.lib.yml", "#@ def g(x):\nx: #@ x\ny:\n- z\n#@ end\n"),
        ("d.lib.txt", "(@ def h(x): -@)\n  [(@= x @)]\n(@- end @)"),
    ];
    assert_eq!(printed(&files), "a: 1\nb:\n  x: 2\n  \"y\":\n  - z\nc: '[x]'\n".replace("\"y\"", "true"));
}

#[test]
fn errors_of_loaded_files_show_their_lines() {
    let files = [
        ("a.yml", "#@ load(\"b.star\", \"f\")\na: #@ f(0)\n"),
        ("b.star", "def f(x):\n  return 1 // x\nend\n"),
    ];
    assert_eq!(
        printed(&files),
        "Error: \n- floored division by zero\n    in f\n      2 |   return 1 // x\n    in <toplevel>\n      \
         a.yml:2 | a: #@ f(0)"
    );
    let files = [("a.yml", "#@ load(\"b.star\", \"f\")\na: 1\n"), ("b.star", "x = nope\n")];
    assert_eq!(
        printed(&files),
        "Error: \n- cannot load b.star: \n    in <toplevel>\n      a.yml:1 | #@ load(\"b.star\", \"f\")\n\n    \
         reason:\n     - undefined: nope\n         1 | x = nope"
    );
}

#[test]
fn the_places_of_an_error_are_the_code() {
    let files = [
        ("a.yml", "#@ load(\"b.star\", \"f\")\na:\n- b: #@   f(0)  \n"),
        ("b.star", "def f(x):\n  return 1 // x\nend\n"),
    ];
    let error = evaluate(&files).unwrap_err();
    let texts: Vec<(String, &str)> = error
        .places()
        .iter()
        .map(|place| {
            let range = place.range().unwrap();
            let text = &place.file().unwrap().text()[range.start as usize..range.end as usize];
            (place.to_string(), text)
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(place, text)| (place.as_str(), *text)).collect();
    assert_eq!(texts, [("b.star:2", "  return 1 // x"), ("a.yml:3", "f(0)")]);
    let ErrorKind::Template(failures) = error.kind() else { panic!("{error:?}") };
    assert_eq!(failures[0].message, "floored division by zero");
    assert_eq!(failures[0].frames[0].function.as_deref(), Some("f"));
}

#[test]
fn errors_inside_of_loads_keep_their_places() {
    let files = [("a.yml", "#@ load(\"b.star\", \"f\")\na: 1\n"), ("b.star", "\nx = 1 // 0\n")];
    let error = evaluate(&files).unwrap_err();
    let places: Vec<String> = error.places().iter().map(ToString::to_string).collect();
    assert_eq!(places, ["b.star:2", "a.yml:1"]);
}

#[test]
fn output_knows_where_its_values_were_typed() {
    let template = "#@ load(\"@ytt:data\", \"values\")\n#@ def f(x):\ny: #@ x\n#@ end\n---\na: #@ values.a\nb: \
                    #@ values.b\nc: #@ [values.a]\nd: #@ f(values.a)\ne: #@ values.a + \"x\"\nf: literal\n";
    let Ok(Output::Documents(documents)) = evaluate(&[("a.yml", template)]) else { panic!("it fails") };
    let map = documents.documents[1].value.as_map().unwrap();
    let place = |index: usize| map.items[index].meta.place().to_string();
    let line = |index: usize| map.items[index].meta.position().to_string();
    assert_eq!((line(0).as_str(), place(0).as_str()), ("a.yml:6", "values.yml:1"));
    assert_eq!(map.items[1].value.as_array().unwrap().items[0].meta.place().to_string(), "values.yml:3");
    assert_eq!(map.items[2].value.as_array().unwrap().items[0].meta.place().to_string(), "values.yml:1");
    let inner = &map.items[3].value.as_map().unwrap().items[0];
    let both = (inner.meta.position().to_string(), inner.meta.place().to_string());
    assert_eq!(both, ("a.yml:3".to_owned(), "values.yml:1".to_owned()));
    assert_eq!(place(4), "values.yml:1");
    assert_eq!((line(5).as_str(), place(5).as_str()), ("a.yml:11", "a.yml:11"));
}

#[test]
fn annotations_stay_on_their_nodes() {
    let template = "#@foo/bar 1, 2, key=\"x\"\n#@foo/bar 3\n#@baz\na: 1\n";
    let Ok(Output::Documents(documents)) = evaluate(&[("a.yml", template)]) else { panic!("it fails") };
    let item = &documents.documents[0].value.as_map().unwrap().items[0];
    let annotations = item.meta.annotations();
    let bar = annotations.get("foo/bar").unwrap();
    assert_eq!((bar.args.len(), bar.kwargs.len(), bar.position.to_string().as_str()), (1, 0, "a.yml:2"));
    assert!(annotations.has("baz"));
    assert_eq!(item.meta.comments().len(), 3);
}

#[test]
fn nodes_without_code_between_them_are_one_instruction() {
    let file = File::new("a.yml", "#@ x = 1\na:\n  b: [1, 2]\n  c: d\n#! remark\ne: #@ x\nf: g\n");
    let documents = tree::read(&file, &ReadOptions::default()).unwrap();
    let program = compile_yaml("a.yml", &documents, Options { id: 2, ..Options::default() }).unwrap();
    let expected = "\
src:  tmpl: code: | srccode
????:    1: __ytt_tpl2_set_ctx_type(\"yaml\") | 
????:    2: __ytt_tpl2_start_ctx(\"yaml\") | 
????:    3: __ytt_tpl2_start_node(1) # *yamlmeta.DocumentSet | 
   1:    4: __ytt_tpl2_start_node(2) | #@ x = 1
   1:    5: x = 1 | #@ x = 1
   2:    6: __ytt_tpl2_start_node(4) | a:
   6:    7: __ytt_tpl2_set_node(11, (x)) | e: #@ x
   7:    8: __ytt_tpl2_start_node(12) | f: g
????:    9: __ytt_tpl2_end_ctx(None) | ";
    assert_eq!(program.debug_listing(), expected);
}

#[test]
fn a_program_can_be_evaluated_again() {
    let files = Files::new(&[("a.yml", "#@ x = []\n#@ x.append(1)\na: #@ x\n")]);
    let mut thread = Thread::new(Limits::default());
    files.eval("a.yml", &mut thread).unwrap();
    let program = Rc::clone(&files.programs.borrow()[0]);
    let loader: Rc<dyn Loader> = Rc::new(FileLoader(Rc::clone(&files)));
    let (globals, output) = program.eval(&mut thread.fork(), &loader, &files.context).unwrap();
    assert!(globals.contains("x"));
    let Output::Documents(documents) = output else { panic!("no documents") };
    assert_eq!(tree::write_documents(&documents, Format::Yaml).unwrap(), "a:\n- 1\n");
}

#[test]
fn what_would_never_end_is_refused() {
    for (template, expected) in [
        ("#@ x = []\n#@ x.append(x)\na: #@ x\n", "nested more than 500 levels deep"),
        (
            "#@ def f(x):\na: #@ x\nb: #@ x\n#@ end\n#@ y = 1\n#@ for i in range(70):\n#@ y = f(y)\n#@ end\nz: #@ y\n",
            "the templates make too many YAML nodes",
        ),
        (
            "#@ def f(x):\na: #@ x\n#@ end\n#@ y = 1\n#@ for i in range(5000):\n#@ y = f(y)\n#@ end\nz: #@ y\n",
            "the YAML is nested more than 1000 levels deep",
        ),
        (
            "#@ y = [1]\n#@ for i in range(70):\n#@ y = [y, y]\n#@ end\nz: #@ y\n",
            "the templates make too many YAML nodes",
        ),
        ("#@ def f():\n#@ return f()\n#@ end\na: #@ f()\n", "too deep"),
    ] {
        let template: &'static str = template;
        let files = [("a.yml", template)];
        let limits = Limits { steps: 10_000_000, ..Limits::default() };
        let files = Rc::new(Files {
            files: files.to_vec(),
            programs: RefCell::default(),
            context: Context::with_nodes(if expected.contains("1000") { 3_000_000 } else { 100_000 }),
        });
        let error = files.eval("a.yml", &mut Thread::new(limits)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit), "{error:?}");
        assert!(error.text().contains(expected) || expected == "too deep", "{}", error.text());
    }
}

#[test]
fn deep_documents_fit_on_a_small_stack() {
    let mut text = "#@ x = 1\n".to_owned();
    for depth in 0..400 {
        text.push_str(&" ".repeat(depth));
        text.push_str("a:\n");
    }
    text.push_str(&" ".repeat(400));
    text.push_str("b: #@ x\n");
    let text: &'static str = Box::leak(text.into_boxed_str());
    assert!(printed(&[("a.yml", text)]).ends_with("b: 1\n"));
}
