//! Runs a source and collects what it prints.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{BlockStyle, Builtin, Error, Globals, Limits, Program, Struct, Thread, Value, parse};

/// The outcome of a program.
pub(crate) struct Outcome {
    /// What it printed.
    pub(crate) output: String,
    /// Its error.
    pub(crate) error: Option<Error>,
}

/// Limits that keep tests short.
pub(crate) const LIMITS: Limits = Limits { steps: 500_000, memory: 1 << 24, depth: 5_000, reentry: 20 };

/// Runs a source whose blocks end with `end`.
pub(crate) fn run(source: &str) -> Outcome {
    run_with(source.as_bytes(), BlockStyle::End, LIMITS)
}

/// Runs a source. It has a function `struct`, and can load the module `m` with `x = [1]` and `double`.
pub(crate) fn run_with(source: &[u8], style: BlockStyle, limits: Limits) -> Outcome {
    let output = Rc::new(RefCell::new(String::new()));
    let mut thread = Thread::new(limits);
    let printed = Rc::clone(&output);
    thread.set_print(move |_, text| {
        printed.borrow_mut().push_str(&String::from_utf8_lossy(text));
        printed.borrow_mut().push('\n');
    });
    thread.set_loader(|thread, name| match name {
        "m" => {
            let source = b"x = [1]\ndef double(v): return v * 2\ndef bad(): return x[7]\n";
            let mut thread = thread.fork();
            let globals = execute(&mut thread, "m", source, BlockStyle::End)?;
            globals.freeze();
            Ok(globals)
        }
        _ => Err(Error::new(format!("Expected to find file '{name}'"))),
    });
    let result = execute(&mut thread, "test.star", source, style);
    let output = output.borrow().clone();
    Outcome { output, error: result.err() }
}

fn execute(thread: &mut Thread, file: &str, source: &[u8], style: BlockStyle) -> Result<Globals, Error> {
    let mut given = Globals::new();
    given.set(
        "struct",
        Value::builtin(Builtin::new("struct", |_, args| {
            let fields = args.named.iter();
            let fields =
                fields.map(|(name, value)| (name.as_str().unwrap_or_default().to_owned(), value.clone()));
            Ok(Value::custom(Struct::new(fields)))
        })),
    );
    let ast = parse(file, source, style)?;
    let program = Program::compile(&ast, &|name| given.contains(name))?;
    program.init(thread, &given)
}
