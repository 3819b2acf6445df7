//! ytt's templates: whatever they do ends, twice in the same way; places are inside the text; and a file without code is
//! its own output.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{Error as StarlarkError, Globals, Limits, Thread, Value as Starlark};
use trueline_ytt::error::Error;
use trueline_ytt::template::{
    Loader, Options, Output, Program, UnknownComments, compile_starlark, compile_yaml, has_templating,
};
use trueline_ytt::text;
use trueline_ytt::tree::{self, DocumentSet, File, Format, ReadOptions, Value};
use trueline_ytt::value::{Context, Struct};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "ytt_templates",
    run,
    seeds: &[
        "y#@ def f(x):\na: #@ x\nb: [1, {c: d}]\n#@ if x:\n#@ return\n#@ end\ne:\n- f\n#@ end\n---\ng: #@ f(1)\nh: #@ f(0)\n",
        "y#@ load(\"self\", \"f\")\n#@ for i in range(3):\n---\na: #@ i\n#@yaml/map-key-override\na:\n  b: #@ {1: (2, \"x\")}\n#@ end\n",
        "y#@yaml/text-templated-strings\na:\n  \"k(@= str(1) @)\": |\n    x (@ if True: -@)\n    y\n    (@- end @)\n#@foo/bar 1, k=[2]\nc: #! remark\n- #@ None\n",
        "y#@ load(\"@ytt:template\", \"template\")\na: 1\n_: #@ template.replace({\"b\": [1], \"a\": 2})\nc:\n- #@ template.replace([1, {}])\n--- #@ template.replace([{\"d\": 1}])\n",
        "ya: &x {b: 1}\nc: *x\n1: 2\n~: [3, \"4\"]\nd: |\n  text\n--- # remark\n- e\n",
        "t(@ def f(x): -@)\n  [(@= x @)]\n(@- end @)a(@= f(\"b\") @)\n(@ for i in range(2): @)(@= str(i) @)(@ end @)",
        "sdef f(x):\n  return [y for y in x if y]\nend\nz = f([1, 0])\n",
    ],
};

/// The one file can load itself, once.
struct Files {
    input: Vec<u8>,
    context: Context,
    programs: RefCell<Vec<Rc<Program>>>,
}

struct FileLoader(Rc<Files>);

impl Loader for FileLoader {
    fn load(&self, thread: &mut Thread, module: &str, replace: &Starlark) -> Result<Globals, StarlarkError> {
        if module == "@ytt:template" {
            let mut globals = Globals::new();
            let members = Struct::new([("replace".into(), replace.clone())]);
            globals.set("template", Starlark::custom(members));
            return Ok(globals);
        }
        if self.0.programs.borrow().len() > 2 {
            return Err(StarlarkError::new("loaded too often"));
        }
        Ok(self.0.eval(&mut thread.fork())?.0)
    }

    fn find_program(&self, name: &str) -> Option<Rc<Program>> {
        self.0.programs.borrow().iter().find(|program| program.name() == name).cloned()
    }
}

impl Files {
    fn eval(self: &Rc<Self>, thread: &mut Thread) -> Result<(Globals, Output), Error> {
        let (kind, text) = self.input.split_first().map_or((b'y', &[][..]), |(kind, rest)| (*kind, rest));
        let program = match kind {
            b't' => text::compile(&File::from_bytes("a.txt", text), text, 2)?,
            b's' => compile_starlark(&File::from_bytes("a.star", text), text, 2),
            _ => {
                let documents = tree::read(&File::from_bytes("a.yml", text), &ReadOptions::default())?;
                compile_yaml("a.yml", &documents, Options { id: 2, ..Options::default() })?
            }
        };
        program.debug_listing();
        self.programs.borrow_mut().push(Rc::clone(&program));
        let loader: Rc<dyn Loader> = Rc::new(FileLoader(Rc::clone(self)));
        program.eval(thread, &loader, &self.context)
    }
}

fn limits() -> Limits {
    Limits { steps: 100_000, memory: 16 << 20, depth: 200, reentry: 20 }
}

fn run(input: &[u8]) {
    let (first, length) = outcome(input);
    for place in &first.1 {
        let range = place.range().unwrap_or_default();
        // What is not UTF-8 grows when it is replaced.
        assert!(range.start <= range.end && range.end as usize <= 3 * length + 3, "{range:?} of {length}");
    }
    let (second, _) = outcome(input);
    assert_eq!(first.0, second.0, "evaluated differently");
    plain_is_its_own_output(input.get(1..).unwrap_or_default());
}

type Outcome = (String, Vec<tree::Position>);

/// What a file prints or fails with.
fn outcome(input: &[u8]) -> (Outcome, usize) {
    let files = Rc::new(Files {
        input: input.to_vec(),
        context: Context::with_nodes(100_000),
        programs: RefCell::default(),
    });
    let outcome = match files.eval(&mut Thread::new(limits())) {
        Ok((_, Output::Documents(documents))) => (print(&documents), Vec::new()),
        Ok((_, Output::Text(text))) => (String::from_utf8_lossy(&text).into_owned(), Vec::new()),
        Ok((_, Output::Nothing)) => (String::new(), Vec::new()),
        Err(error) => (error.printed(), error.places().to_vec()),
    };
    (outcome, input.len())
}

fn print(documents: &DocumentSet) -> String {
    tree::write_documents(documents, Format::Yaml).unwrap_or_else(|error| error.to_string())
}

/// Compiling and running a file without code changes nothing, unless a key is there twice.
fn plain_is_its_own_output(text: &[u8]) {
    let file = File::from_bytes("a.yml", text);
    let Ok(documents) = tree::read(&file, &ReadOptions::default()) else { return };
    if has_templating(&documents)
        || documents.documents.iter().any(|document| has_duplicates(&document.value))
    {
        return;
    }
    let options = Options { id: 2, unknown_comments: UnknownComments::Ignore, ..Options::default() };
    let files = Rc::new(Files { input: Vec::new(), context: Context::new(), programs: RefCell::default() });
    let loader: Rc<dyn Loader> = Rc::new(FileLoader(files));
    let result = compile_yaml("a.yml", &documents, options)
        .and_then(|program| program.eval(&mut Thread::new(Limits::default()), &loader, &Context::new()));
    match result {
        Ok((_, Output::Documents(output))) => assert_eq!(print(&output), print(&documents), "changed"),
        Ok(_) => panic!("no documents"),
        Err(error) => panic!("plain YAML fails: {error}"),
    }
}

fn has_duplicates(value: &Value) -> bool {
    match value {
        Value::Map(map) => {
            map.has_duplicate_keys() || map.items.iter().any(|item| has_duplicates(&item.value))
        }
        Value::Array(array) => array.items.iter().any(|item| has_duplicates(&item.value)),
        _ => false,
    }
}
