//! Malicious texts: each must be read or refused without a panic. Without limits they would take minutes or all
//! memory, which would be hard to miss in a test run.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{
    Draft, Limits, ReadOptions, Stream, SyntaxErrorKind, Value, json, read, yaml_to_json_strict,
};

fn read_text(text: &str) -> Stream {
    read(SourceId::from_index(0), &Arc::from(text), &ReadOptions::default())
}

#[test]
fn deep_nesting_is_refused_quickly() {
    let indented: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        indented,
    ] {
        let stream = read_text(&text);
        assert!(
            matches!(stream.errors[0].kind, SyntaxErrorKind::TooDeep),
            "{}: {:?}",
            &text[..20],
            stream.errors[0].kind
        );
        assert_eq!(stream.errors[0].to_diagnostic().code.name, "too-deep");
    }
}

#[test]
fn depth_counts_through_aliases() {
    // Each value contains the one before, four hundred levels further down.
    let mut text = format!("a0: &a0 {}{}\n", "[".repeat(400), "]".repeat(400));
    for index in 1..100 {
        let (open, close) = ("[".repeat(400), "]".repeat(400));
        text.push_str(&format!("a{index}: &a{index} {open}*a{}{close}\n", index - 1));
    }
    assert!(matches!(read_text(&text).errors[0].kind, SyntaxErrorKind::TooDeep));
}

#[test]
fn alias_bombs_are_refused() {
    let mut lists = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    let mut merges = String::from("m0: &m0 {k0: 0}\n");
    for index in 1..=12 {
        let before = index - 1;
        let aliases = vec![format!("*a{before}"); 9].join(", ");
        lists.push_str(&format!("a{index}: &a{index} [{aliases}]\n"));
    }
    for index in 1..20_000 {
        merges.push_str(&format!("m{index}: &m{index} {{<<: *m{}, k{index}: 0}}\n", index - 1));
    }
    for text in [lists, merges] {
        let stream = read_text(&text);
        assert!(
            matches!(stream.errors[0].kind, SyntaxErrorKind::TooManyAliases | SyntaxErrorKind::TooDeep),
            "{:?}",
            stream.errors[0].kind
        );
        assert!(stream.documents.is_empty());
    }
}

#[test]
fn a_reasonable_number_of_aliases_is_read() {
    let text = format!("base: &base {{a: 1, b: [1, 2, 3]}}\nlist:\n{}", "- *base\n".repeat(50));
    let stream = read_text(&text);
    assert_eq!(stream.errors, []);
    let value = Value::from_node(stream.documents[0].root());
    assert!(value.to_json_text().is_ok_and(|json| json.len() > 1_000));
}

#[test]
fn a_scalar_of_a_hundred_megabytes_is_read_or_refused_quickly() {
    let text: Arc<str> = format!("a: {}\n", "x".repeat(100 << 20)).into();
    let stream = read(SourceId::from_index(0), &text, &ReadOptions::default());
    assert!(matches!(stream.errors[0].kind, SyntaxErrorKind::TooLarge));
    assert_eq!(stream.errors[0].to_diagnostic().code.name, "too-large");
    let limits = Limits { size: 200 << 20, ..Limits::default() };
    let stream = read(SourceId::from_index(0), &text, &ReadOptions { limits, ..ReadOptions::default() });
    assert_eq!(
        stream.documents[0].root().get("a").and_then(|node| node.text()).map(str::len),
        Some(100 << 20)
    );
}

#[test]
fn many_broken_documents_end_in_a_thousand_errors() {
    for piece in ["---\n@\n", "---\n\"\n", "--- [\n", "--- *a\n", "---\n- a\nb: c\n", "%A\n---\n"] {
        let stream = read_text(&piece.repeat(20_000));
        assert_eq!(stream.errors.len(), 1_000, "{piece}");
    }
    // The same for errors that only show in complete documents.
    for piece in ["- ~: 1\n", "- ? [a]\n", "- !!int x\n", "- .inf\n", "- {<<: 1}\n"] {
        let stream = read_text(&piece.repeat(20_000));
        assert_eq!(stream.errors.len(), 1_000, "{piece}");
    }
}

#[test]
fn nothing_empty_or_binary_panics() {
    assert!(read_text("").first().is_ok_and(|document| document.is_none()));
    assert!(read_text("# nothing\n").first().is_ok_and(|document| document.is_none()));
    let binary: String = (0u8..=255).map(char::from).collect();
    assert!(matches!(read_text(&binary).errors[0].kind, SyntaxErrorKind::ControlCharacter('\0')));
}

#[test]
fn comments_after_deep_nesting_are_attached_to_nodes_quickly() {
    let text = format!("{}x\n{}", "- ".repeat(900), "#\n #\n".repeat(50_000));
    assert!(Draft::read(&text, &Limits::default()).unwrap().is_some());
}

#[test]
fn the_numbers_of_documents_and_nodes_of_a_text_are_limited() {
    let limits = Limits { documents: 10, nodes: 100, ..Limits::default() };
    let read_within = |text: String| {
        read(SourceId::from_index(0), &text.into(), &ReadOptions { limits, ..ReadOptions::default() })
    };
    for piece in ["---\n", "---\na: 1\n", "--- # x\n", "---\n...\n", "%YAML 1.1\n---\na\n...\n"] {
        let stream = read_within(piece.repeat(1_000));
        assert_eq!(stream.documents.len(), 10, "{piece}");
        assert_eq!(stream.errors.len(), 1, "{piece}");
        assert_eq!(stream.errors[0].kind, SyntaxErrorKind::TooManyDocuments, "{piece}");
        assert_eq!(read_within(piece.repeat(10)).errors, [], "{piece}");
    }
    for piece in ["-\n", "- a\n", "- [a]\n", "#\n", "- a #\n", "? a\n"] {
        let stream = read_within(piece.repeat(1_000));
        assert_eq!(stream.errors.len(), 1, "{piece}");
        assert_eq!(stream.errors[0].kind, SyntaxErrorKind::TooManyNodes, "{piece}");
        assert!(stream.comments.len() <= 100, "{piece}");
        assert_eq!(stream.errors[0].to_diagnostic().code.name, "too-large");
    }
    // The nodes of all documents count together.
    let stream = read_within(format!(
        "{}---\n- 1\n",
        "---\n- a\n- b\n- c\n- d\n- e\n- f\n- g\n- h\n- i\n- j\n".repeat(9)
    ));
    assert_eq!((stream.documents.len(), stream.errors.len()), (9, 1));
}

#[test]
fn the_numbers_of_documents_and_nodes_of_json_are_limited() {
    let limits = Limits { documents: 10, nodes: 100, ..Limits::default() };
    let read_within = |text: String| json::read_all(SourceId::from_index(0), &text.into(), limits);
    let stream = read_within("{}\n".repeat(1_000));
    assert_eq!(stream.documents.len(), 10);
    assert_eq!(stream.errors[0].kind, SyntaxErrorKind::TooManyDocuments);
    assert_eq!(read_within("{}".repeat(10)).errors, []);
    for text in [format!("[{}0]", "0,".repeat(1_000)), "{\"a\":[1,2,3,4,5,6,7,8,9,0,1,2,3]}".repeat(9)] {
        let stream = read_within(text);
        assert_eq!(stream.errors[0].kind, SyntaxErrorKind::TooManyNodes);
    }
}

#[test]
fn tags_cost_their_full_length() {
    // Many directives are looked up without a scan over all of them.
    let mut text: String = (0..50_000).map(|number| format!("%TAG !a{number}! tag:x,{number}:\n")).collect();
    text.push_str("---\n");
    (0..50_000).for_each(|number| text.push_str(&format!("- !a{number}!x y\n")));
    let stream = read_text(&text);
    assert_eq!(stream.errors, []);
    let last = stream.documents[0].root().items().unwrap().last().unwrap();
    assert_eq!(last.tag(), Some("tag:x,49999:x"));
    let twice = "%TAG !a! x\n%TAG !b! x\n%TAG !a! y\n---\na: 1\n";
    assert_eq!(read_text(twice).errors[0].kind, SyntaxErrorKind::DuplicateTagDirective);
    // The prefix is written once but is part of every tag.
    let text = format!("%TAG !a! tag:{}\n---\n{}", "x".repeat(1 << 20), "- !a!x y\n".repeat(1_000));
    assert_eq!(read_text(&text).errors[0].kind, SyntaxErrorKind::LongTags);
}

#[test]
fn the_repetition_of_long_strings_is_limited() {
    let long = "x".repeat(1 << 20);
    for text in [
        format!("a: &a {long}\nb:\n{}", "- *a\n".repeat(1_000)),
        format!("a: &a [{long}]\nb:\n{}", "- *a\n".repeat(1_000)),
        format!("a: &a {{k: {long}}}\nb:\n{}", "- <<: *a\n".repeat(1_000)),
    ] {
        assert_eq!(read_text(&text).errors[0].kind, SyntaxErrorKind::TooManyAliases);
    }
    // Without aliases, long strings cost only their own length.
    assert_eq!(read_text(&format!("- {long}\n").repeat(20)).errors, []);
}

#[test]
fn the_merging_of_long_keys_is_limited() {
    let text = format!("a: &a {{? {} : 1}}\nb:\n{}", "x".repeat(1 << 20), "- <<: *a\n".repeat(1_000));
    assert_eq!(read_text(&text).errors[0].kind, SyntaxErrorKind::TooManyAliases);
}

#[test]
fn lines_of_many_duplicate_keys_are_counted_once() {
    let text = format!("pad: |\n{}{}", "  x\n".repeat(100_000), "a: 1\n".repeat(20_000));
    let errors = yaml_to_json_strict(&text).unwrap_err().to_string();
    assert!(
        errors.contains("line 120001: key \"a\" already set in map"),
        "{}",
        &errors[errors.len() - 100..]
    );
}
