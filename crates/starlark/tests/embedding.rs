//! What the embedder relies on: marks, its own values, builtins, loading, freezing, wrapped functions.

mod common;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use trueline_starlark::{
    Args, BinaryOp, BlockStyle, Builtin, CompareOp, CustomValue, Dict, Error, ErrorKind, Globals, Limits,
    Mark, Module, Program, Side, Struct, Thread, UnaryOp, Value, View, Want, Wrap, Writer, nearest, parse,
};

/// Runs a source with some names, and returns its globals.
fn globals(source: &str, given: &Globals) -> Result<(Thread, Globals), Error> {
    let ast = parse("test.star", source.as_bytes(), BlockStyle::End)?;
    let program = Program::compile(&ast, &|name| given.contains(name))?;
    let mut thread = Thread::new(Limits::default());
    let globals = program.init(&mut thread, given)?;
    Ok((thread, globals))
}

fn failure(source: &str, given: &Globals) -> String {
    match globals(source, given) {
        Ok(_) => panic!("no error: {source}"),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn marks_follow_what_is_computed_from_a_value() {
    let mut given = Globals::new();
    given.set("a", Value::string("Abc").with_mark(Mark(1)));
    given.set("b", Value::string("x,y").with_mark(Mark(2)));
    given.set("n", Value::int(5).with_mark(Mark(3)));
    given.set("f", Value::float(1.5).with_mark(Mark(4)));
    given.set("l", Value::list(vec![Value::string("i").with_mark(Mark(6))]).with_mark(Mark(5)));
    for (expression, mark) in [
        ("a", 1),
        ("[a][0]", 1),
        ("{'k': a}['k']", 1),
        ("(lambda x: x)(a)", 1),
        ("a if n else 1", 1),
        ("None or a", 1),
        ("a + b", 1),
        ("'-' + b", 2),
        ("'-' + '-'", 0),
        ("a * 2", 1),
        ("2 * a", 1),
        ("a[0]", 1),
        ("a[1:]", 1),
        ("a[::-1]", 1),
        ("a.upper()", 1),
        ("a.lower()", 1),
        ("a.title()", 1),
        ("a.strip('A')", 1),
        ("a.replace('b', '-')", 1),
        ("'x'.replace('x', a)", 1),
        ("b.split(',')[1]", 2),
        ("b.partition(',')[2]", 2),
        ("b.splitlines()[0]", 2),
        ("list(b.elems())[0]", 2),
        ("','.join(['-', a, b])", 1),
        ("b.join(['-', a])", 2),
        ("'%s-%s' % ('x', b)", 2),
        ("'%d' % n", 3),
        ("a % ()", 1),
        ("'{} {}'.format('x', n)", 3),
        ("'{x}'.format(x=b)", 2),
        ("a.format()", 1),
        ("str(n)", 3),
        ("str(a)", 1),
        ("repr(a)", 1),
        ("int('5')", 0),
        ("int(f)", 4),
        ("float(n)", 3),
        ("chr(n)", 3),
        ("n + 1", 3),
        ("1 + n", 3),
        ("n * f", 3),
        ("-n", 3),
        ("~n", 3),
        ("n // 2", 3),
        ("n / 2", 3),
        ("n << 2", 3),
        ("l[0]", 6),
        ("[x for x in l][0]", 6),
        ("max([1, n])", 3),
        ("sorted([a, b])[0]", 1),
        ("l", 5),
        ("getattr(a, 'upper')()", 1),
        ("dict(k=a)['k']", 1),
        ("{a: 1}.keys()[0]", 1),
        ("[a].pop()", 1),
    ] {
        let (_, found) = globals(&format!("r = {expression}\n"), &given).expect(expression);
        assert_eq!(found.get("r").map(Value::mark), Some(Mark(mark)), "{expression}");
    }
    let (_, found) =
        globals("r = [a == 'Abc', {a: 1}['Abc'], a in ['Abc'], len(set([a, 'Abc'])), a]\n", &given)
            .expect("marks do not count");
    let (mut thread, r) = (Thread::new(Limits::default()), found.get("r").cloned().expect("r"));
    assert_eq!(thread.repr(&r).expect("text"), b"[True, 1, True, 1, \"Abc\"]");
}

/// A value that supports everything, and one that supports nothing.
struct Able(RefCell<Vec<Value>>);
struct Plain;

impl CustomValue for Plain {
    fn type_name(&self) -> &str {
        "plain"
    }
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push("plain()")
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CustomValue for Able {
    fn type_name(&self) -> &str {
        "able"
    }
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push("able(")?;
        let items = self.0.borrow().clone();
        for item in &items {
            writer.repr(item)?;
        }
        writer.push(")")
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn truth(&self) -> bool {
        !self.0.borrow().is_empty()
    }
    fn attr(&self, _: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        match name {
            "first" => Ok(self.0.borrow().first().cloned()),
            "broken" => Err(Error::new("broken attribute")),
            "missing" => Err(Error::no_attribute("able lacks .missing")),
            _ => Ok(None),
        }
    }
    fn attr_names(&self) -> Vec<String> {
        vec!["first".into(), "broken".into(), "mising".into()]
    }
    fn set_attr(&self, _: &mut Thread, name: &str, value: &Value) -> Option<Result<(), Error>> {
        Some(match name {
            "first" => {
                self.0.borrow_mut().insert(0, value.clone());
                Ok(())
            }
            _ => Err(Error::no_attribute(format!("no field {name}"))),
        })
    }
    fn len(&self) -> Option<usize> {
        Some(self.0.borrow().len())
    }
    fn get_index(&self, _: &mut Thread, index: usize) -> Option<Result<Value, Error>> {
        Some(self.0.borrow().get(index).cloned().ok_or_else(|| Error::new("gone")))
    }
    fn set_index(&self, _: &mut Thread, index: usize, value: &Value) -> Option<Result<(), Error>> {
        self.0.borrow_mut()[index] = value.clone();
        Some(Ok(()))
    }
    fn slice(&self, _: &mut Thread, start: i64, end: i64, step: i64) -> Option<Result<Value, Error>> {
        Some(Ok(Value::tuple(vec![Value::int(start), Value::int(end), Value::int(step)])))
    }
    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        Some(Box::new(self.0.borrow().clone().into_iter()))
    }
    fn items(&self, _: &mut Thread) -> Option<Result<Vec<(Value, Value)>, Error>> {
        Some(Ok(vec![(Value::string("k"), Value::int(1))]))
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, _: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
        if args.positional.is_empty() {
            Err(Error::new("nothing given"))
        } else {
            Ok(args.positional[0].clone())
        }
    }
    fn compare(
        &self,
        thread: &mut Thread,
        op: CompareOp,
        other: &Value,
        depth: usize,
    ) -> Option<Result<bool, Error>> {
        let other = other.as_custom::<Able>()?;
        let (one, two) = (Value::list(self.0.borrow().clone()), Value::list(other.0.borrow().clone()));
        Some(thread.compare_depth(op, &one, &two, depth - 1))
    }
    fn binary(&self, _: &mut Thread, op: BinaryOp, _: &Value, side: Side) -> Option<Result<Value, Error>> {
        (op == BinaryOp::Plus).then(|| Ok(Value::string(if side == Side::Left { "left" } else { "right" })))
    }
    fn unary(&self, _: &mut Thread, op: UnaryOp) -> Option<Result<Value, Error>> {
        (op == UnaryOp::Minus).then(|| Ok(Value::int(-1)))
    }
}

fn customs() -> Globals {
    let mut given = Globals::new();
    given.set("p", Value::custom(Plain));
    given.set("a", Value::custom(Able(RefCell::new(vec![Value::int(7), Value::int(8)]))));
    given.set("b", Value::custom(Able(RefCell::new(vec![Value::int(9)]))));
    given.set("m", Value::custom(Module::new("mod", [("x".to_owned(), Value::int(1))])));
    given.set(
        "s",
        Value::custom(Struct::new([("b".to_owned(), Value::int(2)), ("a".to_owned(), Value::int(1))])),
    );
    given
}

#[test]
fn values_of_the_embedder_support_their_operations() {
    for (expression, expected) in [
        (
            "type(p), str(p), bool(p), p == p, p != p, dir(p)",
            r#"("plain", "plain()", True, True, False, [])"#,
        ),
        ("type(a), str(a), bool(a), len(a)", r#"("able", "able(78)", True, 2)"#),
        ("a.first, a[0], a[-1], a[1:], a[::-1]", "(7, 7, 8, (1, 2, 1), (1, -1, -1))"),
        ("[x for x in a], list(a), sorted(a, reverse=True)", "([7, 8], [7, 8], [8, 7])"),
        ("dict(a), (lambda **k: k)(**a), (lambda *x: x)(*a)", r#"({"k": 1}, {"k": 1}, (7, 8))"#),
        ("a(5), a + 1, 1 + a, -a", r#"(5, "left", "right", -1)"#),
        ("a == a, a < b, a == b, a != b, [a] == [a]", "(True, True, False, True, True)"),
        (
            "hasattr(a, 'first'), hasattr(a, 'x'), getattr(a, 'x', 3), hasattr(a, 'broken')",
            "(True, False, 3, True)",
        ),
        ("getattr(a, 'broken', 4), getattr(a, 'first')", "(4, 7)"),
        ("m.x, str(m), type(m), dir(m)", r#"(1, "<module \"mod\">", "module", ["x"])"#),
        (
            "s.a, str(s), s == s, s + s == s, dir(s), {s: 1}[s]",
            r#"(1, "struct(a = 1, b = 2)", True, True, ["a", "b"], 1)"#,
        ),
        ("map_call()", "[1, 2]"),
    ] {
        let mut given = customs();
        given.set(
            "map_call",
            Value::builtin(Builtin::new("map_call", |thread, _| {
                thread.call(
                    &Value::builtin(Builtin::new("in", |_, _| Ok(Value::list(vec![1.into(), 2.into()])))),
                    Args::of(&[]),
                )
            })),
        );
        let (mut thread, found) = globals(&format!("r = {expression}\n"), &given).expect(expression);
        let value = found.get("r").cloned().expect("r");
        assert_eq!(String::from_utf8_lossy(&thread.repr(&value).expect("text")), expected, "{expression}");
    }
    let (_, _) = globals("a.first = 1\na[1] = 5\na[0] += 1\n", &customs()).expect("changes");
}

#[test]
fn unsupported_operations_on_values_of_the_embedder_fail_in_the_words_of_the_original() {
    for (source, expected) in [
        ("p.x", "plain has no .x field or method"),
        ("p.x = 1", "can't assign to .x field of plain"),
        ("p[0]", "unhandled index operation plain[int]"),
        ("p[0] = 1", "plain value does not support item assignment"),
        ("p[1:]", "invalid slice operand plain"),
        ("len(p)", "len: value of type plain has no len"),
        ("[x for x in p]", "plain value is not iterable"),
        ("p()", "invalid call of non-function (plain)"),
        ("p + 1", "unknown binary op: plain + int"),
        ("1 in p", "unknown binary op: int in plain"),
        ("-p", "unknown unary op: - plain"),
        ("p < p", "plain < plain not implemented"),
        ("{p: 1}", "unhashable type: plain"),
        ("(lambda **k: k)(**p)", "argument after ** must be a mapping, not plain"),
        ("(lambda *k: k)(*p)", "argument after * must be iterable, not plain"),
        ("a.firts", "able has no .firts field or method (did you mean .first?)"),
        ("a.missing", "able lacks .missing (did you mean .mising?)"),
        ("a.broken", "broken attribute"),
        ("a.frist = 1", "no field frist (did you mean .first?)"),
        ("a[5]", "able index 5 out of range [-2:1]"),
        ("a['x']", "able index: got string, want int"),
        ("a()", "nothing given"),
        ("a - 1", "unknown binary op: able - int"),
        ("getattr(a, 'broken')", "getattr: broken attribute"),
        ("m.y", "module has no .y field or method"),
        ("m.xx", "module has no .xx field or method"),
        ("s.c", "struct has no .c attribute"),
        ("s < s", "struct < struct not implemented"),
        ("s.a = 1", "can't assign to .a field of struct"),
        ("{m: 1}", "unhashable: module"),
    ] {
        assert_eq!(failure(&format!("{source}\n"), &customs()), expected, "{source}");
    }
}

#[test]
fn loaded_values_are_frozen_and_have_their_own_calls() {
    let outcome = common::run(
        "load('m', 'x', twice='double')\nprint(x, twice(4))\ndef f(): return twice(x)\nprint(f())\n",
    );
    assert_eq!(outcome.output, "[1] 8\n[1, 1]\n", "{:?}", outcome.error);
    for (source, expected) in [
        ("load('m', 'x')\nx.append(1)", "append: cannot append to frozen list"),
        ("load('m', 'x')\nx[0] = 1", "cannot assign to element of frozen list"),
        ("load('m', 'x')\nx += [1]", "cannot apply += to frozen list"),
        ("load('m', 'y')", "load: name y not found in module m (did you mean x?)"),
        ("load('m', 'doubl')", "load: name doubl not found in module m (did you mean double?)"),
        ("load('n', 'x')", "cannot load n: Expected to find file 'n'"),
    ] {
        let error = common::run(&format!("{source}\n")).error.expect(source);
        let expected = expected.replace(" (did you mean x?)", "");
        assert_eq!(error.message(), expected, "{source}");
    }
    let error = common::run("load('m', 'bad')\ndef f(): return bad()\nf()\n").error.expect("bad");
    let frames: Vec<(&str, &str, u32)> =
        error.frames().iter().map(|frame| (&*frame.function, &*frame.file, frame.position.line)).collect();
    assert_eq!(frames, [("bad", "m", 3), ("f", "test.star", 2), ("<toplevel>", "test.star", 3)]);
}

#[test]
fn functions_that_build_are_wrapped() {
    let source = "def plain(): return 1\n\
                  def build(x):\nif x == 0: return\nif x == 1: return 'early'\nnode(x)\nend\n\
                  def outer():\ndef inner(): node(5)\nreturn inner()\nend\n\
                  r = [plain(), build(0), build(1), build(2), outer(), (lambda: node(9))()]\n";
    let log = Rc::new(RefCell::new(Vec::new()));
    let mut given = Globals::new();
    for name in ["begin", "end_", "node"] {
        let log = Rc::clone(&log);
        given.set(
            name,
            Value::builtin(Builtin::new(name, move |thread, args| {
                let text = String::from_utf8(thread.repr(&Value::tuple(args.positional.to_vec()))?)
                    .unwrap_or_default();
                log.borrow_mut().push(format!("{name}{text}"));
                Ok(args.positional.first().cloned().unwrap_or(Value::string("built")))
            })),
        );
    }
    let mut ast = parse("t", source.as_bytes(), BlockStyle::End).expect("parses");
    ast.wrap_functions(&Wrap { marks: &["node"], begin: "begin", begin_argument: "yaml", end: "end_" });
    let program = Program::compile(&ast, &|name| given.contains(name)).expect("compiles");
    let mut thread = Thread::new(Limits::default());
    let found = program.init(&mut thread, &given).expect("runs");
    let r = found.get("r").cloned().expect("r");
    assert_eq!(thread.repr(&r).expect("text"), br#"[1, "built", "early", "built", "built", 9]"#);
    assert_eq!(
        *log.borrow(),
        [
            "begin(\"yaml\",)",
            "end_()",
            "begin(\"yaml\",)",
            "end_(\"early\",)",
            "begin(\"yaml\",)",
            "node(2,)",
            "end_()",
            "begin(\"yaml\",)",
            "node(5,)",
            "end_()",
            "node(9,)"
        ]
    );
}

#[test]
fn arguments_are_unpacked_with_the_messages_of_the_original() {
    let mut given = Globals::new();
    given.set(
        "pos",
        Value::builtin(Builtin::new("pos", |_, args| {
            let [one, two] = args.positional_only("pos", 1, [Want::String, Want::Bool])?;
            Ok(Value::tuple(vec![one.cloned().unwrap_or(Value::NONE), two.cloned().unwrap_or(Value::NONE)]))
        })),
    );
    given.set(
        "any",
        Value::builtin(Builtin::new("any", |_, args| {
            let params = [("a", Want::Int), ("b", Want::List), ("c?", Want::Dict), ("d?", Want::Callable)];
            Ok(Value::bool(args.unpack("any", params)?.iter().all(Option::is_some)))
        })),
    );
    for (source, expected) in [
        ("pos()", "pos: got 0 arguments, want at least 1"),
        ("pos('a', True, 1)", "pos: got 3 arguments, want at most 2"),
        ("pos(1)", "pos: for parameter 1: got int, want string"),
        ("pos('a', 1)", "pos: for parameter 2: got int, want bool"),
        ("pos(x=1)", "pos: unexpected keyword arguments"),
        ("any()", "any: missing argument for a"),
        ("any(1)", "any: missing argument for b"),
        ("any(1, 2)", "any: for parameter b: got int, want list"),
        ("any(1 << 40, [])", "any: for parameter a: 1099511627776 out of range"),
        ("any(1, [], {}, len, 5)", "any: got 5 arguments, want at most 4"),
        ("any(1, [], d=5)", "any: for parameter \"d\": got int, want callable"),
        ("any(1, [], c=5)", "any: for parameter \"c\": got int, want dict"),
        ("any(1, a=5)", "any: got multiple values for keyword argument \"a\""),
        ("any(1, [], e=5)", "any: unexpected keyword argument \"e\""),
    ] {
        assert_eq!(failure(&format!("{source}\n"), &given), expected, "{source}");
    }
}

#[test]
fn small_things() {
    assert_eq!(nearest("nme", ["name", "other"]), Some("name"));
    let mut thread = Thread::new(Limits::default());
    let dict = Dict::new();
    dict.insert(&mut thread, Value::string("a"), Value::int(1)).expect("a key");
    assert!(dict.insert(&mut thread, Value::list(vec![]), Value::int(1)).is_err());
    let value = Value::dict(dict);
    assert_eq!(thread.len(&value), Some(1));
    assert_eq!(thread.elements(&value).expect("keys").map(|keys| keys.len()), Some(1));
    assert!(thread.elements(&Value::int(1)).expect("none").is_none());
    assert_eq!(thread.index(&value, &Value::string("a")).expect("there").as_int(), Some(1));
    thread.set_key(&value, &Value::int(2), &value.clone()).expect("may hold itself");
    value.freeze();
    assert!(thread.set_key(&value, &Value::int(3), &Value::NONE).is_err());
    assert_eq!(
        thread.attr(&Value::string("a"), "upper").expect("method").type_name(),
        "builtin_function_or_method"
    );
    assert!(matches!(Value::big(5.into()).view(), View::Int(5)));
    thread.set_data(Rc::new(42i32));
    assert_eq!(thread.data::<i32>().as_deref(), Some(&42));
    assert!(thread.fork().data::<String>().is_none());
    let error = thread.call(&Value::int(1), Args::of(&[])).expect_err("not callable");
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Evaluation, "invalid call of non-function (int)")
    );
}

#[test]
fn programs_are_shared_between_operating_system_threads() {
    let ast =
        parse("t", b"def f(x): return [x, 'a', 1 << 100]\nr = f(2)\n", BlockStyle::End).expect("parses");
    let program = Program::compile(&ast, &|_| false).expect("compiles");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut thread = Thread::new(Limits::default());
                let found = program.init(&mut thread, &Globals::new()).expect("runs");
                assert_eq!(found.iter().count(), 2);
            });
        }
    });
}
