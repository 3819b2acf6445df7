//! Programs that exceed a limit fail with an error, in a stack of 2 MiB, and leave no memory allocated.

mod common;

use common::{LIMITS, run, run_with};
use trueline_starlark::{BlockStyle, ErrorKind, Globals, Limits, Program, Thread, parse};

/// Runs a source that must fail because of a limit, and returns the message.
fn limited(source: &str) -> String {
    let outcome = run(source);
    let error = outcome.error.unwrap_or_else(|| panic!("no error: {}", shortened(source)));
    assert_eq!(error.kind(), ErrorKind::Limit, "{}: {error}", shortened(source));
    error.message().to_owned()
}

fn shortened(source: &str) -> String {
    source.chars().take(200).collect()
}

#[test]
fn loops_and_recursion_end() {
    for source in [
        "while True: x = 1",
        "def f(): return f()\nf()",
        "def f(n):\nif n: return g(n)\nend\ndef g(n): return f(n + 1)\nf(1)",
        "def f(x): return sorted([1, 2], key=f)\nf(1)",
        "def f(x): return max([1, 2], key=lambda y: f(y))\nf(1)",
        "for i in range(100000000): i",
        "x = [i for i in range(100000000)]",
        "x = [1]\nfor i in range(60): x = [x, x]\nstr(x)",
        "x = (1,)\nfor i in range(60): x = (x, x)\n{x: 1}",
        "x = [1] * 1000\nx = [x] * 1000\nx = [x] * 1000\ny = [1] * 1000\ny = [y] * 1000\ny = [y] * 1000\nx == y",
        "x = range(100000000)\nany([0 for i in x])",
        "zip(range(1000000000), range(1000000000))",
    ] {
        limited(source);
    }
}

#[test]
fn memory_is_checked_before_it_is_used() {
    for source in [
        "x = 'a' * 1000000000",
        "x = [1] * 1000000000",
        "x = (1,) * 100000000",
        "x = 'a' * 1000000\nx = [x * 1000]",
        "x = 'abc' * 1000000\nx.replace('', 'y' * 1000)",
        "x = ('a' * 1000000).split('a')\n','.join(x * 100)",
        "x = list(range(1000000000))",
        "x = tuple(range(1000000000))",
        "x = sorted(range(1000000000))",
        "x = reversed(range(1000000000))",
        "x = enumerate(range(1000000000))",
        "x = []\nwhile True: x.append('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' + str(len(x)))",
        "x = {}\nfor i in range(100000000): x[i] = i",
        "x = []\nx += range(1000000000)",
        "x = []\nx.extend(range(1000000000))",
        "x = 3\nwhile True: x = x * x",
        "x = 3\nwhile True: x = x << 500",
        "x = 'a'\nwhile True: x += x",
        "x = 'a'\nwhile True: x = '%s%s' % (x, x)",
        "x = 'a'\nwhile True: x = '{}{}'.format(x, x)",
        "x = [1]\nwhile True: x = x + x",
        "x = [1]\nwhile True: x += x",
        "x = (1,)\nwhile True: x += x",
        "def f(x):\nreturn lambda: x\nend\nx = 1\ny = []\nwhile True: y.append(f(x))",
        "int('9' * 10000000)",
        "x = 9\nfor i in range(22): x = x * x\nstr(x)",
        "def f(*a): return len(a)\nf(*range(1000000000))",
    ] {
        limited(source);
    }
}

#[test]
fn code_can_only_be_nested_so_deeply() {
    let deep = 100_000;
    let sources = [
        format!("x = {}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("x = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}", "[".repeat(deep)),
        format!("x = {}1", "-".repeat(deep)),
        format!("x = {}1", "not ".repeat(deep)),
        format!("x = {}1", "lambda: ".repeat(deep)),
        format!("x = {}1", "1 if 1 else ".repeat(deep)),
        format!("x = {}1{}", "{1: ".repeat(deep), "}".repeat(deep)),
        format!("x = {}1{}", "f(".repeat(deep), ")".repeat(deep)),
        format!("x = {}1{}", "a[".repeat(deep), "]".repeat(deep)),
        format!("{}x = 1\n{}", "if 1:\n".repeat(deep), "end\n".repeat(deep)),
        format!("{}x = 1\n{}", "def f():\n".repeat(deep), "end\n".repeat(deep)),
        format!("x = {}1", "1 if ".repeat(deep)),
        format!("x = [1 {}]", "for a in [".repeat(deep)),
        format!("{}x = 1", "for a in [1]: ".repeat(deep)),
    ];
    for source in sources {
        let error = run(&source).error.unwrap_or_else(|| panic!("no error: {}", shortened(&source)));
        assert_eq!(error.kind(), ErrorKind::Syntax, "{}: {error}", shortened(&source));
    }
    // Allowed nesting also passes the resolver and the compiler, and it runs.
    let deep = 60;
    for source in [
        format!("x = {}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("x = {}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("x = {}1", "lambda: ".repeat(deep)),
        format!("{}x = 1\n{}", "if 1:\n".repeat(deep), "end\n".repeat(deep)),
    ] {
        assert!(run(&source).error.is_none(), "{}", shortened(&source));
    }
}

#[test]
fn long_code_is_not_deep() {
    let long = 20_000;
    let sources = [
        format!("x = 1{}\nprint(x)", " + 1".repeat(long)),
        format!("x = ''{}\nprint(len(x))", ".upper()".repeat(long)),
        format!("x = {}1\nprint(x)", "0 or ".repeat(long)),
        format!("x = [{}]\nprint(len(x))", "1, ".repeat(long)),
        format!("if 0:\nx = 0\n{}else:\nx = 1\nend\nprint(x)", "elif 0:\nx = 1\n".repeat(long)),
        format!("{}print(1)", "x = 1\n".repeat(long)),
    ];
    for source in sources {
        let outcome = run(&source);
        assert!(outcome.error.is_none(), "{}: {:?}", shortened(&source), outcome.error);
    }
}

#[test]
fn deep_values_are_created_read_and_freed() {
    let deep = "for i in range(10000): x = ";
    for make in [
        "[x]",
        "(x,)",
        "{1: x}",
        "{'a': [x]}",
        "(lambda y: lambda: y)(x)",
        "struct(a=x)",
        "[x].append",
        "(lambda y=x: y)",
        "[(x,), {1: {2: x}}]",
    ] {
        let outcome = run(&format!("x = 1\n{deep}{make}\n"));
        assert!(outcome.error.is_none(), "{make}: {:?}", outcome.error);
        let outcome = run(&format!("x = 1\n{deep}{make}\ny = [x, x]\ny.append(y)\n"));
        assert!(outcome.error.is_none(), "{make}: {:?}", outcome.error);
    }
    for (source, words) in [
        ("x = [x]\nend\nstr(x)", "nested more than"),
        ("x = (x,)\nend\nstr(x)", "nested more than"),
        ("x = {1: x}\nend\nrepr(x)", "nested more than"),
        ("x = struct(a=x)\nend\nrepr(x)", "nested more than"),
        ("x = (x,)\nend\n{x: 1}", "nested more than"),
        ("x = [x]\nend\nx == [x]", "maximum recursion"),
        ("x = (x,)\nend\nx < (x,)", "maximum recursion"),
        ("x = struct(a=x)\nend\nx == struct(a=struct(a=x))", "maximum recursion"),
    ] {
        let outcome = run(&format!("x = 1\nfor i in range(10000):\n{source}\n"));
        let message = outcome.error.map(|error| error.message().to_owned()).unwrap_or_default();
        assert!(message.contains(words), "{source}: {message}");
    }
}

#[test]
fn calls_go_as_deep_as_the_limit_allows() {
    let limits = Limits { steps: 5_000_000, depth: 200_000, memory: 1 << 28, ..LIMITS };
    let source = b"def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(150000))\n";
    let outcome = run_with(source, BlockStyle::End, limits);
    assert_eq!(outcome.output, "150000\n", "{:?}", outcome.error);
    let shallow = Limits { depth: 100, ..LIMITS };
    let error = run_with(source, BlockStyle::End, shallow).error.expect("too deep");
    assert_eq!(error.message(), "functions call each other more than 100 levels deep");
    assert_eq!(error.frames().len(), 100);
}

#[test]
fn errors_of_limits_have_places_and_are_not_caught() {
    let error = run("def f():\nwhile True: x = 1\nend\nf()\n").error.expect("it never ends");
    let lines: Vec<u32> = error.frames().iter().map(|frame| frame.position.line).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines.last(), Some(&4));
    limited("x = 'a' * 10000000\nhasattr([x * 2], 'x')");
}

#[test]
fn values_that_contain_themselves_are_freed() {
    // If a run leaked memory, later runs would reach the limit.
    for _ in 0..200 {
        let source = "def f():\ndef g(): return g\nx = ['a' * 100000]\nx.append(x)\nd = {'x': x}\nd['d'] = d\n\
                      y = [struct(a=d)]\ny.append(lambda: y)\nreturn g\nend\nh = f()\nl = [h]\nl[0] = l\n";
        let outcome = run_with(source.as_bytes(), BlockStyle::End, LIMITS);
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
    }
}

#[test]
fn long_code_costs_more_than_short_code() {
    let steps = |lines: usize, source: &str| {
        let source = source.replace("LINES", &"x = 1 + y\n".repeat(lines));
        let mut thread = Thread::new(LIMITS);
        let ast = parse("t.star", source.as_bytes(), BlockStyle::End).unwrap();
        let program = Program::compile(&ast, &|_| false).unwrap();
        program.init(&mut thread, &Globals::new()).unwrap();
        LIMITS.steps - thread.steps_left()
    };
    for source in [
        "y = 2\nfor i in range(100):\nLINESend",
        "y = 2\ndef f():\nLINESend\nfor i in range(100): f()",
        "y = 2\nn = 0\nwhile n < 100:\nn += 1\nLINESend",
    ] {
        let (once, twice, much) = (steps(100, source), steps(200, source), steps(1_000, source));
        assert!(twice > once + once / 2 && twice < once * 5 / 2, "{source}: {once}, {twice}");
        assert!(much > 100 * 1_000 / 2, "{source}: {much}");
    }
}

#[test]
fn twice_as_long_strings_cost_about_twice_as_much() {
    let steps = |length: usize, call: &str| {
        let source = format!("x = 'ab' * {length}\ny = 'ab' * ({length} // 2) + 'c'\nz = {call}\n");
        let mut thread = Thread::new(Limits { steps: u64::MAX, memory: 1 << 28, ..LIMITS });
        let ast = parse("t.star", source.as_bytes(), BlockStyle::End).unwrap();
        let program = Program::compile(&ast, &|_| false).unwrap();
        program.init(&mut thread, &Globals::new()).unwrap();
        u64::MAX - thread.steps_left()
    };
    for call in [
        "x.find(y)",
        "x.rfind(y)",
        "x.count('a')",
        "x.count(y)",
        "y in x",
        "x.replace('a', 'b')",
        "x.strip(y)",
        "x[::-1]",
        "x[1:]",
        "x.startswith((y, y, y))",
        "x.upper()",
        "x.split('b')",
        "x.splitlines()",
        "x == y",
        "hash(x)",
        "repr(x)",
        "x.title()",
        "list(x.elems())",
        "x + y",
        "x * 2",
        "'%s' % x",
        "'{}'.format(x)",
        "','.join([x, y])",
    ] {
        let (small, large) = (steps(50_000, call), steps(100_000, call));
        assert!(large > small + small / 2 && large < small * 5 / 2, "{call}: {small}, then {large}");
    }
    assert!(steps(10, "['%f' % 1e308 for i in range(100)]") > 100 * 100);
    assert!(steps(50_000, "print(x)") > 100_000);
}
