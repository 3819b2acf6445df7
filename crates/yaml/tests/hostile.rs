//! Texts that are meant to hurt: each must be read or refused without a panic. Without limits they would take minutes
//! or all memory, which nobody who runs the tests can miss.

use std::sync::Arc;

use trueline_source::SourceId;
use trueline_yaml::{Draft, Limits, ReadOptions, Stream, SyntaxErrorKind, Value, read};

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
    // Each value holds the one before, four hundred levels further down.
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
fn aliases_in_reason_are_read() {
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
    // The same where the errors show only when documents are whole.
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
fn comments_behind_deep_nesting_are_hung_on_nodes_quickly() {
    let text = format!("{}x\n{}", "- ".repeat(900), "#\n #\n".repeat(50_000));
    assert!(Draft::read(&text, &Limits::default()).unwrap().is_some());
}
