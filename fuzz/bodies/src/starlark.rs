//! Starlark: any source is read or refused, and what can be read runs to an end within its limits, twice to the same one.

use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{
    Args, BlockStyle, Builtin, Error, ErrorKind, Globals, Limits, Mark, Module, Program, Struct, Thread,
    Value, Wrap, parse,
};

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "starlark",
    run,
    seeds: &[
        "def f(a, b=2, *c, d, **e):\n  return [a + b, c, d, e]\nend\nprint(f(1, 2, *[3], d=4, **{'x': 5}))\n",
        "x = [i * i for i in range(9) if i % 2]\nfor a, (b, c) in [(1, (2, 3))]:\n  x += [a, b, c]\nend\nprint(x, sorted(x, key=lambda v: -v))\n",
        "d = {'a': 1, (1, 2): [None], 1.5: True}\nd['b'] = d.get('a', 0) + 1\nd.update([('c', 3)], e=4)\nprint(d.items(), d.pop('a'), d)\n",
        "s = 'a,b,\\u00e9'\nprint(s.split(',', 1), '%s-%r-%d-%g' % (s, s, 7, 1.5), '{} {x!r}'.format(1, x=s), s[::-1].upper())\n",
        "load('m', 'x', y='f')\nn = 0\nwhile n < 5:\n  n += 1\n  if n == 3: continue\n  print(n, y(x))\nend\n",
        "def outer():\n  n = [0]\n  def inc():\n    n[0] += 1\n    return node(n[0])\n  end\n  return inc\nend\ng = outer()\ng()\nprint(g(), 1 << 100, -7 // 2, hash('a'))\n",
        "x = []\nx.append(x)\ny = struct(a=x, b=lambda: y)\nprint(x, y.a, y == y, dir(y), set([1, 2]) | set([3]))\nmark.x[0] = 1\n",
        "if mark:\n  print(mark + 'b', mark.strip('m'), ''.join([mark]), mark.elems())\nelif not mark in [1]:\n  fail(mark)\nelse:\n  z = call(len, mark)\nend\n",
        "print(max([3, 1], key=lambda v: 1 // (v - 1)), zip('ab'.elems(), range(3)), enumerate(['x'], 5), reversed((1, 2)))\n",
    ],
};

/// Small, so that many inputs can be run; what takes time or memory ends here.
const LIMITS: Limits = Limits { steps: 20_000, memory: 1 << 22, depth: 300, reentry: 8 };
const MOST_LINES: usize = 1 << 16;

fn run(input: &[u8]) {
    for style in [BlockStyle::End, BlockStyle::Indent] {
        let first = execute(input, style);
        assert_eq!(first, execute(input, style), "a program does different things");
    }
}

/// What a program prints, and how it fails.
fn execute(source: &[u8], style: BlockStyle) -> (Vec<u8>, Option<(String, usize)>) {
    let output = Rc::new(RefCell::new(Vec::new()));
    let mut thread = Thread::new(LIMITS);
    let printed = Rc::clone(&output);
    thread.set_print(move |_, text| printed.borrow_mut().extend_from_slice(text));
    thread.set_loader(|thread, name| {
        if name != "m" {
            return Err(Error::new("no such module"));
        }
        let source = b"x = ['m']\ndef f(v): return v + v\n";
        let globals = evaluate(&mut thread.fork(), source, BlockStyle::End)?;
        globals.freeze();
        Ok(globals)
    });
    let error = evaluate(&mut thread, source, style).err();
    if let Some(error) = &error {
        check(error, source);
    }
    drop(thread);
    let output = output.borrow().clone();
    (output, error.map(|error| (error.message().to_owned(), error.frames().len())))
}

fn evaluate(thread: &mut Thread, source: &[u8], style: BlockStyle) -> Result<Globals, Error> {
    let mut given = Globals::new();
    given.set("mark", Value::string("marked").with_mark(Mark(7)));
    given.set("module", Value::custom(Module::new("module", [("x".to_owned(), Value::list(vec![]))])));
    given.set(
        "struct",
        Value::builtin(Builtin::new("struct", |_, args| {
            let fields = args.named.iter();
            let fields =
                fields.map(|(name, value)| (name.as_str().unwrap_or_default().to_owned(), value.clone()));
            Ok(Value::custom(Struct::new(fields)))
        })),
    );
    given.set(
        "call",
        Value::builtin(Builtin::new("call", |thread, args| match args.positional {
            [function, positional @ ..] => thread.call(function, Args { positional, named: args.named }),
            [] => Err(Error::new("call: nothing to call")),
        })),
    );
    for name in ["node", "begin", "finish"] {
        let function =
            |_: &mut Thread, args: &Args<'_>| Ok(args.positional.first().cloned().unwrap_or(Value::NONE));
        given.set(name, Value::builtin(Builtin::new(name, function)));
    }
    let mut ast = parse("f", source, style)?;
    ast.wrap_functions(&Wrap { marks: &["node"], begin: "begin", begin_argument: "x", end: "finish" });
    let program = Program::compile(&ast, &|name| given.contains(name))?;
    let globals = program.init(thread, &given)?;
    globals.freeze();
    for (_, value) in globals.iter() {
        // Whether this fails does not matter here: it may cost too much.
        let _ = thread.repr(value);
    }
    Ok(globals)
}

/// Errors point into the source.
fn check(error: &Error, source: &[u8]) {
    let lines = source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    assert!(lines > MOST_LINES || error.frames().len() <= LIMITS.depth + 1);
    let is_of_source = matches!(error.kind(), ErrorKind::Syntax | ErrorKind::Resolve);
    assert_eq!(is_of_source, !error.problems().is_empty(), "{error:?}");
    for problem in error.problems() {
        assert!(problem.position.line as usize <= lines + 1, "{problem:?} is outside the source");
        assert!(!problem.message.is_empty());
    }
    for frame in error.frames().iter().filter(|frame| &*frame.file == "f") {
        assert!((1..=lines).contains(&(frame.position.line as usize)), "{frame:?} is outside the source");
    }
}
