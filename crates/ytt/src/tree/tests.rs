//! Whole texts: what they are read as, and what they are written as.

use std::rc::Rc;

use trueline_yaml::Limits;

use super::*;

/// Reads YAML whose comments and scalars are taken as by default.
fn tree(text: &str) -> Result<DocumentSet, ReadError> {
    read(&File::new("a.yml", text), &ReadOptions::default())
}

/// Each node on a line: its line number, what it is, and the comments that it owns.
fn outline(text: &str) -> Vec<String> {
    let set = match tree(text) {
        Ok(set) => set,
        Err(error) => return vec![error.text],
    };
    let mut lines = Vec::new();
    for document in &set.documents {
        let name = if document.presence == Presence::Injected { "end" } else { "doc" };
        put(&mut lines, &document.meta, name, &document.value, 0);
    }
    lines
}

fn put(lines: &mut Vec<String>, meta: &Meta, name: &str, value: &Value, level: usize) {
    let comments: String = meta.comments().iter().map(|comment| format!(" #{}", comment.text)).collect();
    let leaf = if value.is_collection() { String::new() } else { format!(" {}", value.go_syntax()) };
    let indent = "  ".repeat(level);
    lines.push(format!("{} {indent}{name}{leaf}{comments}", meta.position().as_line()));
    match value {
        Value::Map(map) => map.items.iter().for_each(|item| {
            put(lines, &item.meta, &format!("{}:", item.key.go_syntax()), &item.value, level + 1)
        }),
        Value::Array(array) => {
            array.items.iter().for_each(|item| put(lines, &item.meta, "-", &item.value, level + 1));
        }
        _ => {}
    }
}

#[track_caller]
fn check_outline(text: &str, expected: &[&str]) {
    assert_eq!(outline(text), expected, "{text}");
}

#[test]
fn documents_have_positions() {
    check_outline("a: 1\n", &["1 doc", "1   \"a\": 1"]);
    check_outline("\n---\na: 1\n", &["2 doc", "3   \"a\": 1"]);
    check_outline("", &["1 doc <nil>"]);
    check_outline("--- a\n---\n--- b", &["1 doc \"a\"", "2 doc <nil>", "3 doc \"b\""]);
    check_outline("---", &["1 doc <nil>", "1 doc <nil>"]);
    check_outline("%YAML 1.1\n---\na\n", &["1 doc <nil>", "1 doc \"a\""]);
    check_outline("a: 1\n...\n---\nb", &["1 doc", "1   \"a\": 1", "3 doc \"b\""]);
}

#[test]
fn items_have_positions() {
    check_outline(
        "a:\n- b\n-\n  c: 1\n",
        &["1 doc", "1   \"a\":", "2     - \"b\"", "3     -", "4       \"c\": 1"],
    );
    // In brackets an item is where its comma is.
    check_outline("[a,\n b\n,\n c]\n", &["1 doc", "1   - \"a\"", "1   - \"b\"", "3   - \"c\""]);
    check_outline("? a\n: b\n? - c\n: d\n", &["1 doc", "1   \"a\": \"b\"", "3   [\"c\"]: \"d\""]);
    check_outline("&x\na: 1\n", &["1 doc", "2   \"a\": 1"]);
    check_outline("!!str\na: 1\n", &["1 doc", "2   \"a\": 1"]);
}

#[test]
fn comments_belong_to_the_outermost_node_below_or_the_innermost_beside() {
    check_outline(
        "#@ top\na: 1 #@ one\n#@ b\nb: 2\n",
        &["1 doc", "2   \"a\": 1 #@ top #@ one", "4   \"b\": 2 #@ b"],
    );
    check_outline("#@ i\n- name: x #@ n\n", &["1 doc", "2   - #@ i", "2     \"name\": \"x\" #@ n"]);
    check_outline("- #@ x\n  a: 1\n", &["1 doc", "1   - #@ x", "2     \"a\": 1"]);
    check_outline("#@v\n--- #@ w\na: 1\n", &["1 doc <nil>", "2 doc #@v #@ w", "3   \"a\": 1"]);
    check_outline(
        "a: 1\n#@ next\n---\nb: 1\n#@ end\n",
        &["1 doc", "1   \"a\": 1", "3 doc #@ next", "4   \"b\": 1", "? end <nil> #@ end"],
    );
    // Neither after the head of a block nor in its text.
    check_outline("a: | #@ head\n  #@ text\nb: 1\n", &["1 doc", "1   \"a\": \"#@ text\\n\"", "3   \"b\": 1"]);
    // After `...` they are lost.
    check_outline("a\n...\n#@ x\n", &["1 doc \"a\""]);
}

#[test]
fn comments_of_anchored_nodes_go_to_the_last_copy() {
    check_outline(
        "base: &b\n  #@ above\n  x: 1 #@ 2\ncopy: *b\n",
        &["1 doc", "1   \"base\":", "3     \"x\": 1 #@ above", "4   \"copy\":", "3     \"x\": 1 #@ 2"],
    );
}

#[test]
fn merge_keys_copy_items_where_they_stand() {
    check_outline(
        "a: &a {x: 1}\nb:\n  x: 0\n  <<: *a\n  z: 2\n",
        &[
            "1 doc",
            "1   \"a\":",
            "1     \"x\": 1",
            "2   \"b\":",
            "3     \"x\": 0",
            "1     \"x\": 1",
            "5     \"z\": 2",
        ],
    );
    check_outline("<<: {x: 1}\n<<: []\n", &["1 doc", "1   \"x\": 1"]);
    for text in ["<<: 1", "<<:", "<<: [{a: 1}]", "a: &a [1]\n<<: *a", "<<: [{a: !!int x}]"] {
        check_outline(text, &["yaml: map merge requires map or sequence of maps as the value"]);
    }
    check_outline("'<<': 1", &["1 doc", "1   \"<<\": 1"]);
}

#[test]
fn duplicate_keys_are_compared_by_type_and_value() {
    let mut set = tree("b: 1\na: 1\nb: {c: 1, c: 2}\n1: a\n1.0: b\n'1': c\n0x1: d\n").unwrap();
    set.override_map_keys();
    let expected = "b:\n  c: 2\na: 1\n1: d\n1: b\n\"1\": c\n";
    assert_eq!(write_documents(&set, Format::Yaml).unwrap(), expected);

    // Large maps have an index, and give the same result.
    let pairs = |times: usize| (0..times).map(|key| format!("k{}: {key}\n", key % 50)).collect::<String>();
    let mut set = tree(&pairs(130)).unwrap();
    set.override_map_keys();
    let text: String =
        (0..50).map(|key| format!("k{key}: {}\n", if key < 30 { key + 100 } else { key + 50 })).collect();
    assert_eq!(write_documents(&set, Format::Yaml).unwrap(), text);
}

#[test]
fn errors_name_the_line_of_the_file() {
    for (text, words, place) in [
        ("a: [1", "yaml: line 1: did not find expected ',' or ']'", "1"),
        ("---\na: [1", "yaml: line 2: did not find expected ',' or ']'", "2"),
        ("a: 'x\n", "yaml: line 2: found unexpected end of stream", "1"),
        ("a: 1\nb\nc: 2\n", "yaml: line 3: could not find expected ':'", "2"),
        ("a: *x\n", "yaml: unknown anchor 'x' referenced", "1"),
        ("a: &x [*x]\n", "yaml: anchor 'x' value contains itself", "1"),
        ("a: 1\nb: !!int x\n", "yaml: cannot decode !!str `x` as a !!int", "2"),
        ("a: !!binary x\n", "yaml: !!binary value contains invalid base64 data", "1"),
        ("a: \u{1}\n", "yaml: control characters are not allowed", "1"),
        ("a: !!int x\nb: [\n", "yaml: line 2: did not find expected node content", "2"),
    ] {
        let error = tree(text).unwrap_err();
        assert_eq!((&*error.text, &*error.position.as_line()), (words, place), "{text}");
    }
    let error = read(&File::from_bytes("a.yml", b"a: 1\nb: \xff"), &ReadOptions::default()).unwrap_err();
    assert_eq!(
        (&*error.text, &*error.position.to_string()),
        ("yaml: invalid leading UTF-8 octet", "a.yml:2")
    );
}

#[test]
fn values_know_where_they_were_typed() {
    let text = "a: &x 'one'\nb: *x\nc: [2, {d: |\n  three\n}]";
    let text = &text.replace("{d: |\n  three\n}", "{d: three}");
    let set = tree(text).unwrap();
    let mut found = Vec::new();
    let mut values = vec![(&set.documents[0].meta, &set.documents[0].value)];
    while let Some((meta, value)) = values.pop() {
        match value {
            Value::Map(map) => values.extend(map.items.iter().rev().map(|item| (&item.meta, &item.value))),
            Value::Array(array) => {
                values.extend(array.items.iter().rev().map(|item| (&item.meta, &item.value)))
            }
            _ => {
                let range = meta.place().range().unwrap();
                found.push(&text[range.start as usize..range.end as usize]);
            }
        }
    }
    assert_eq!(found, ["'one'", "'one'", "2", "three"]);
}

#[test]
fn values_are_written_as_ytt_writes_them() {
    for (text, yaml) in [
        ("a: {}\nb: []\n", "a: {}\nb: []\n"),
        ("{}", ""),
        ("[]", ""),
        ("~", ""),
        ("--- a\n---\n--- b\n", "a\n---\nb\n"),
        ("? {a: 1}\n: [x]\n", "? a: 1\n: - x\n"),
        ("? {}\n: 1\n? []\n: 2\n", "{}: 1\n[]: 2\n"),
        ("? |\n  a\n  b\n: c\n", "? |\n  a\n  b\n: c\n"),
        (
            "~: 1\nyes: 2\n1.50: 3\n18446744073709551615: 4\n",
            "null: 1\ntrue: 2\n1.5: 3\n18446744073709551615: 4\n",
        ),
        (
            "a: !!binary /w==\n!!binary /w==: b\nc: !!binary aGk=\n",
            "a: !!binary /w==\n!!binary /w==: b\nc: hi\n",
        ),
        (
            "a: 'yes'\nb: '1'\nc: 2001-01-01\nd: 12:30\n",
            "a: \"yes\"\nb: \"1\"\nc: \"2001-01-01\"\nd: \"12:30\"\n",
        ),
        ("a: 2.0\nb: 1000000.0\nc: .inf\nd: 1e400\n", "a: 2\nb: 1e+06\nc: .inf\nd: 1e400\n"),
    ] {
        let mut set = tree(text).unwrap();
        set.override_map_keys();
        assert_eq!(write_documents(&set, Format::Yaml).unwrap(), yaml, "{text}");
    }
    let long = Value::string("\u{1F600}x ".repeat(60).into_bytes()[1..].to_vec());
    let text = yaml_of(&long);
    assert!(text.starts_with("!!binary |\n  "), "{text}");
    assert!(text.lines().all(|line| line.len() <= 72));
    assert!(read_one(text).unwrap().is_same(&long));
}

#[test]
fn json_has_sorted_keys_and_go_s_escapes() {
    for (text, json) in [
        ("b: 1\na: [~, true, 1.0, 1e21, <&>]\n", r#"{"a":[null,true,1,1e+21,"\u003c\u0026\u003e"],"b":1}"#),
        ("a: !!binary YfjDqcO4YQ==\n", "{\"a\":\"a\\ufffdéøa\"}"),
        ("--- {}\n--- 1\n--- 2\n", "12"),
    ] {
        assert_eq!(write_documents(&tree(text).unwrap(), Format::Json).unwrap(), json);
    }
    assert_eq!(write_documents(&tree("1: a").unwrap(), Format::Json), Err(WriteError::KeyNotString));
    assert_eq!(write_documents(&tree("[.inf]").unwrap(), Format::Json), Err(WriteError::NotFinite("+Inf")));
    let value = read_one("{a: [1, {}], b: {c: []}}").unwrap();
    let options = JsonOptions { indent: 3, ..JsonOptions::default() };
    let text = "{\n   \"a\": [\n      1,\n      {}\n   ],\n   \"b\": {\n      \"c\": []\n   }\n}";
    assert_eq!(json_of(&value, options).unwrap(), text);
}

#[test]
fn positions_are_printed_in_a_column_that_grows() {
    let text = "a: 1\nb:\n- x\n- c: \"p\\nq\"\n--- |\n  r\n";
    let expected = "          \
          a.yml:1 | [doc]
          a.yml:1 |   a: 1
          a.yml:2 |   b:
          a.yml:3 |     [0] x
          a.yml:4 |     [1]
          a.yml:4 |       c:
                  |         |-
  p
  q
          a.yml:5 | [doc]
                  |   |
  r
";
    assert_eq!(write_documents(&tree(text).unwrap(), Format::Pos).unwrap(), expected);
    let deep = format!("{}a.yml", "d/".repeat(10));
    let mut printer = Printer::new(Format::Pos);
    printer.print_all(&tree("a").unwrap()).unwrap();
    printer.print_all(&read(&File::new(&deep, "1: b"), &ReadOptions::default()).unwrap()).unwrap();
    let text = printer.finish();
    let bars: Vec<_> = text.lines().filter_map(|line| line.find('|')).collect();
    assert_eq!(bars, [18, 18, 38, 38]);
    assert!(text.ends_with("%!s(int=1): b\n"), "{text}");
}

#[test]
fn long_texts_that_aliases_repeat_and_long_lists_are_limited() {
    let repeated =
        |bytes: usize, times: usize| format!("a: &a {}\nb: [{}]\n", "x".repeat(bytes), "*a, ".repeat(times));
    assert!(tree(&repeated(100_000, 100)).is_ok());
    let error = tree(&repeated(100_000, 2_000)).unwrap_err();
    assert_eq!(error.text, "yaml: document contains excessive aliasing");
    let limits = Limits { nodes: 1_000, ..ReadOptions::default().limits };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let long = |items: usize| read(&File::new("a.yml", "- 1\n".repeat(items)), &options);
    assert!(long(900).is_ok());
    assert!(long(1_100).unwrap_err().text.contains("too many nodes"));
}

#[test]
fn aliases_are_shared_and_limited() {
    let set = tree("a: &a {x: [1, 2]}\nb: *a\nc: *a\n").unwrap();
    let Value::Map(map) = &set.documents[0].value else { panic!("no map") };
    let maps: Vec<_> = map.items.iter().filter_map(|item| item.value.as_map()).collect();
    assert!(Rc::ptr_eq(maps[0], maps[1]) && Rc::ptr_eq(maps[0], maps[2]));

    let bomb: String =
        (1..40).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    let error = tree(&format!("a0: &a0 [x]\n{bomb}")).unwrap_err();
    assert_eq!(error.text, "yaml: document contains excessive aliasing");
    let error = tree(&"[".repeat(5_000)).unwrap_err();
    assert_eq!(error.text, "yaml: exceeded max depth");
    let chain: String = (1..1_200).map(|level| format!("a{level}: &a{level} [*a{}]\n", level - 1)).collect();
    assert_eq!(tree(&format!("a0: &a0 [x]\n{chain}")).unwrap_err().text, "yaml: exceeded max depth");
}

#[test]
fn values_that_programs_nest_deeply_are_written_compared_and_dropped() {
    let nest = || {
        (0..200_000).fold(Value::Int(1), |value, level| match level % 2 {
            0 => Value::from(Array::plain(vec![ArrayItem::plain(value)])),
            _ => Value::from(Map::plain(vec![MapItem::plain(Value::string("k"), value)])),
        })
    };
    let value = nest();
    assert!(value.is_same(&nest()));
    assert!(json_of(&value, JsonOptions::default()).is_ok());
}

#[test]
fn plain_values_become_nodes() {
    let plain = read_one("{a: [1, {b: x}]}").unwrap().to_plain();
    let Value::Map(map) = &plain else { panic!("no map") };
    assert!(map.made == Made::Plain && !map.items[0].meta.position().is_known());
    let document = Document { value: plain.clone(), ..Document::default() };
    assert!(!document.is_empty());

    let position = Position::of_text("(data-value arg)", "a=b");
    let nodes = plain.clone().into_nodes(&position);
    let item = nodes.as_map().unwrap().get_str("a").unwrap();
    assert_eq!(item.meta.position().to_string(), "(data-value arg):1");
    assert_eq!(item.value.as_array().unwrap().meta.position().to_string(), "(data-value arg):1");

    let nodes = read_one("{a: \"x\"}").unwrap().to_plain().into_computed_nodes();
    let position = &nodes.as_map().unwrap().items[0].meta.position();
    assert_eq!((position.line_text(), position.is_from_memory()), ("a: \"x\"", true));
    assert!(nodes.is_same(&read_one("{a: x}").unwrap()));
}

#[test]
fn one_document_is_decoded() {
    assert!(read_one("a").unwrap().is_same(&Value::string("a")));
    assert_eq!(
        read_one("--- a\n--- b").unwrap_err().to_string(),
        "Expected to find exactly one YAML document"
    );
    assert_eq!(read_one("[").unwrap_err().to_string(), "yaml: line 1: did not find expected node content");
}
