//! What Go's results cannot show: the errors after the first, their places, the limits.

use super::{MAX_DEPTH, MAX_ERRORS, function_names};
use crate::node::{Node, Operand, Syntax};
use crate::{Delimiters, Fault, Functions, Parsed, parse};

fn read_with(text: &str, functions: &Functions, delimiters: Delimiters<'_>) -> Parsed {
    parse(&"t".into(), &text.as_bytes().into(), functions, delimiters)
}

fn read(text: &str) -> Parsed {
    read_with(text, &function_names(&["print", "eq", "and"]), Delimiters::default())
}

/// The first template as Go writes it.
fn written(parsed: &Parsed) -> Vec<u8> {
    parsed.trees[0].root.to_bytes(&parsed.trees[0].nodes)
}

/// Go's message for each error, and the text at its place.
fn errors(text: &str) -> Vec<(String, String)> {
    let parsed = read(text);
    parsed.errors.iter().map(|error| (error.message.clone(), text[error.range.clone()].to_owned())).collect()
}

#[test]
fn all_errors_of_a_text_are_found_at_their_places() {
    let undefined = |name: &str| format!("function \"{name}\" not defined");
    let table: &[(&str, &[(&str, &str)])] = &[
        ("{{ a }}{{ .x | b }}{{ if c 1 d }}{{ end }}", &[("a", "a"), ("b", "b"), ("c", "c"), ("d", "d")]),
        ("{{ if .x }}{{ end }}{{ end }}{{ a }}", &[("unexpected {{end}}", "{{ end }}"), ("a", "a")]),
        ("{{ if .x-y }}{{ a }}{{ end }}", &[("bad character U+002D '-'", "-"), ("a", "a")]),
        ("{{ print \"x }}\n{{ a }}", &[("unterminated quoted string", "\""), ("a", "a")]),
        (
            "{{ (.x }}{{ .x) }}{{ a }}",
            &[("unclosed left paren", "("), ("unexpected right paren", ")"), ("a", "a")],
        ),
        ("{{ print (print (.x) }}", &[("unclosed left paren", "(")]),
        (
            "{{ .x | 1 | 2 }}",
            &[
                ("non executable command in pipeline stage 2", "1"),
                ("non executable command in pipeline stage 3", "2"),
            ],
        ),
        ("{{/* x */ y }}{{ a }}", &[("comment ends before closing delimiter", " y "), ("a", "a")]),
        ("{{/* x }}\n{{ a }}", &[("unclosed comment", "/*"), ("a", "a")]),
        ("{{ a }}{{/* x {{ b }}", &[("a", "a"), ("unclosed comment", "/*"), ("b", "b")]),
        (
            "{{ a }}{{/* x */ {{ b }}",
            &[("a", "a"), ("comment ends before closing delimiter", " {{ b "), ("b", "b")],
        ),
        ("{{ define a }}{{ b }}{{ end }}", &[("unexpected \"a\" in define clause", "a"), ("b", "b")]),
        ("{{ end x }}{{ a }}", &[("unexpected \"x\" in end", "x"), ("a", "a")]),
        ("{{ range $a, $b, $c := . }}{{ $a }}{{ $b }}{{ end }}", &[("too many declarations in range", "$b")]),
        (
            "{{ break }}{{ if }}{{ end }}",
            &[("{{break}} outside {{range}}", "{{ break }}"), ("missing value for if", "{{ if }}")],
        ),
        ("{{ if . }}{{ with . }}", &[("unexpected EOF", "{{ with . }}"), ("unexpected EOF", "{{ if . }}")]),
        ("{{ if . }}{{ else if . }}{{ else }}", &[("unexpected EOF", "{{ if . }}")]),
    ];
    for (text, expected) in table {
        let expected: Vec<(String, String)> = expected
            .iter()
            .map(|(words, place)| {
                let words = if words.len() == 1 { undefined(words) } else { (*words).to_owned() };
                (words, (*place).to_owned())
            })
            .collect();
        assert_eq!(errors(text), expected, "{text}");
    }
}

#[test]
fn one_mistake_is_reported_once() {
    for (text, fault, place) in [
        // What follows an unclosed action is not part of it.
        ("{{ if .x \n a: b\n{{ end }}", Fault::UnclosedAction, "{{"),
        ("a: {{ .x }\nb: {{ .y }}\n", Fault::UnclosedAction, "{{"),
        ("{{ if .x }}{{ .y", Fault::UnclosedAction, "{{"),
        ("{{ .x {{ .y }}", Fault::UnclosedAction, "{{"),
        // A variable that was to be declared is not also reported as missing.
        ("{{ $x : = 1 }}{{ $x }}", Fault::LoneColon, ":"),
        // An `else` without a block has an `end` without a block.
        ("{{ if . }}{{ end }}{{ else }}{{ end }}", Fault::ExtraElse, "{{ else }}"),
        ("{{ define \"a\" }}{{ if . }}{{ end }}{{ else }}{{ end }}{{ end }}", Fault::ExtraElse, "{{ else }}"),
        ("{{ define \"a\" }}{{ else }}{{ end }}", Fault::ExtraElse, "{{ else }}"),
        (
            "{{ range . }}{{ else if . }}{{ end }}",
            Fault::ElseOfOtherKind { block: "range", keyword: "if" },
            "if",
        ),
        (
            "{{ if . }}{{ define \"a\" }}{{ end }}{{ define \"b\" }}{{ end }}",
            Fault::UnclosedBlock { keyword: "if", define: Some(13..19) },
            "{{ if . }}",
        ),
        (
            "{{ if . }}{{ define \"a\" }}{{ end }}{{ define \"b\" }}{{ end }}{{ end }}",
            Fault::NestedDefine { opened: 0..10, keyword: "if" },
            "define",
        ),
        // Nothing is known about what a comment or a raw string swallowed.
        ("{{ if . }}{{/* x\n{{ a }}", Fault::UnclosedComment, "/*"),
        ("{{ if . }}{{ print `x\n}}{{ a }}", Fault::UnclosedRawString, "`"),
    ] {
        let parsed = read(text);
        let found: Vec<_> =
            parsed.errors.iter().map(|error| (error.fault.clone(), &text[error.range.clone()])).collect();
        assert_eq!(found, [(fault, place)], "{text}");
    }
}

#[test]
fn nodes_know_their_ranges_and_go_s_locations() {
    let parsed = read("a\nb: {{ print (.a.b).c $.d.e | print }}\n");
    let tree = &parsed.trees[0];
    let nodes = &*tree.nodes;
    let [_, Node::Action(action), _] = tree.root.nodes(nodes) else { panic!("{parsed:?}") };
    let shown = |node: &dyn Syntax| {
        let place = node.place(nodes);
        (String::from_utf8_lossy(nodes.at(place)).into_owned(), tree.location(place))
    };
    let pair = |range: &str, location: &str| (range.to_owned(), location.to_owned());
    let pipe = nodes.pipe(action.pipe);
    let [first, second] = pipe.commands(nodes) else { panic!("{action:?}") };
    let [chain, variable] = first.arguments(nodes) else { panic!("{first:?}") };
    let Operand::Chain(inner) = chain else { panic!("{chain:?}") };
    assert_eq!(shown(action), pair("{{ print (.a.b).c $.d.e | print }}", "t:2:6"));
    assert_eq!(shown(pipe), pair("print (.a.b).c $.d.e | print", "t:2:6"));
    assert_eq!(shown(first), pair("print (.a.b).c $.d.e", "t:2:6"));
    assert_eq!(shown(second), pair("print", "t:2:29"));
    assert_eq!(shown(chain), pair("(.a.b).c", "t:2:18"));
    assert_eq!(shown(&nodes.chain(*inner).operand), pair(".a.b", "t:2:13"));
    assert_eq!(shown(variable), pair("$.d.e", "t:2:22"));
    assert_eq!(chain.to_bytes(nodes), b"(.a.b).c");
}

#[test]
fn names_and_constants_are_stored_once() {
    let parsed = read("{{ .a.b }}{{ $.b }}{{ print \"c\" \"c\" }}");
    let nodes = &*parsed.trees[0].nodes;
    let heads: Vec<_> = nodes.commands.iter().map(|command| command.head).collect();
    let [Operand::Field(field), Operand::Variable(variable), _] = &*heads else { panic!("{heads:?}") };
    let (last, only) = (field.fields.names(nodes).last(), variable.fields.names(nodes).last());
    assert!(std::ptr::eq(last.unwrap(), only.unwrap()));
    assert_eq!(nodes.constants.len(), 1);
}

#[test]
fn nesting_is_limited_and_deep_trees_are_freed() {
    let blocks = |depth: usize| "{{ if . }}".repeat(depth) + &"{{ end }}".repeat(depth);
    let chain = |depth: usize| "{{ if . }}".to_owned() + &"{{ else if . }}".repeat(depth) + "{{ end }}";
    let parentheses = |depth: usize| format!("{{{{ {}.{} }}}}", "(".repeat(depth), ")".repeat(depth));
    let make: [&dyn Fn(usize) -> String; 3] = [&blocks, &chain, &parentheses];
    for make in make {
        let parsed = read(&make(MAX_DEPTH - 1));
        assert_eq!(parsed.errors, []);
        assert!(written(&parsed).len() > MAX_DEPTH);
        let parsed = read(&make(20_000));
        let faults: Vec<_> = parsed.errors.iter().map(|error| error.fault.clone()).collect();
        assert_eq!(faults, [Fault::TooDeep]);
    }
}

#[test]
fn parsing_stops_after_too_many_errors() {
    for piece in ["{{ a }}", "{{ \"\\\" }}", "{{/* ", "{{ ` ", "{{ (", "{{ end }}", "{{ if }}", "{{ '\\' }}"]
    {
        let parsed = read(&piece.repeat(20_000));
        assert!((1..=MAX_ERRORS).contains(&parsed.errors.len()), "{piece}: {}", parsed.errors.len());
    }
}

#[test]
fn many_variables_are_looked_up_fast() {
    let text: String = (0..20_000).map(|number| format!("{{{{ $v{number} := 1 }}}}{{{{ $v0 }}}}")).collect();
    assert_eq!(read(&text).errors, []);
}

#[test]
fn delimiters_can_be_chosen_and_keywords_can_be_functions() {
    let delimiters = Delimiters { left: b"<<", right: b">>" };
    let parsed = read_with("{{ <<- if . >> a <<- end >> {{ break }}", &function_names(&[]), delimiters);
    assert_eq!(parsed.errors, []);
    assert_eq!(written(&parsed), b"{{{{if .}} a{{end}} {{ break }}");
    let text = "{{ break 1 }}{{ range . }}{{ break }}{{ end }}";
    let parsed = read_with(text, &function_names(&["break"]), Delimiters::default());
    assert_eq!(parsed.errors, []);
    assert_eq!(written(&parsed), b"{{break 1}}{{range .}}{{break}}{{end}}");
}

#[test]
fn the_template_of_the_text_comes_first() {
    let names = |text: &str| {
        let parsed = read(text);
        let names = parsed.trees.iter().map(|tree| String::from_utf8_lossy(&tree.name).into_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("{{ define \"b\" }}1{{ end }}{{ define \"a\" }}2{{ end }}"), ["t", "b", "a"]);
    assert_eq!(names("{{ define \"b\" }}1{{ end }}{{ define \"t\" }}2{{ end }}"), ["t", "b"]);
    assert_eq!(names(""), ["t"]);
}
