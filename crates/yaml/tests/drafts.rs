//! Documents that are read with their comments and styles, and written back.

use trueline_yaml::{Dashes, Draft, DraftContent, DraftNode, Limits, ScalarStyle, write_drafts};

fn again(text: &str) -> String {
    match Draft::read(text, &Limits::default()) {
        Ok(draft) => write_drafts(draft.iter().map(|draft| (draft, Dashes::UnderKey))),
        Err(error) => error.go_text,
    }
}

/// The cases of a file: a line with `##` and a description, the input, `=>`, and the output.
#[test]
fn documents_keep_their_comments_and_styles() {
    let mut count = 0;
    for case in include_str!("drafts.txt").split("\n## ") {
        let (name, case) = case.split_once('\n').unwrap();
        let (text, written) = case.split_once("\n=>\n").unwrap();
        let written = if written.ends_with('\n') { written.to_owned() } else { format!("{written}\n") };
        assert_eq!(again(&format!("{text}\n")), written, "{name}");
        count += 1;
    }
    assert!(count > 15);
}

#[test]
fn white_space_is_distinguished() {
    for (text, written) in [
        ("a:\tb\t# c\nd: 'e\tf'\ng:   h\n", "a: b # c\nd: \"e\\tf\"\ng: h\n"),
        ("a: |\n  trailing \nb: >\n  x \n  y\n", "a: \"trailing \\n\"\nb: >\n  x  y\n\n"),
        ("a: 1 # end \n", "a: 1 # end \n"),
        ("a: 1\rb: 2\r", "a: 1\nb: 2\n"),
        ("\u{feff}a: 1\n", "a: 1\n"),
        ("a: 'x\u{2028}y'\n", "a: 'x\u{2028}  y'\n"),
        ("", ""),
        ("# only a comment\n", ""),
        ("---\n", "\n"),
    ] {
        assert_eq!(again(text), written, "{text:?}");
    }
}

#[test]
fn errors_name_the_line_where_the_construct_started() {
    for (text, error) in [
        ("# c\na: 1\nb:\n  c: 1\n d: 2\n", "yaml: line 1: did not find expected key"),
        ("a: 1\nb:\n  c: 1\n d: 2\n", "yaml: line 3: did not find expected key"),
        ("a: 1\n\n[\n\n", "yaml: line 3: could not find expected ':'"),
        ("a: 1\nb: *c\n", "yaml: unknown anchor 'c' referenced"),
        ("a: 1\nb: [\n\n", "yaml: line 3: did not find expected node content"),
        ("\n\na: b: c\n", "yaml: line 3: mapping values are not allowed in this context"),
    ] {
        assert_eq!(again(text), error, "{text:?}");
    }
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    assert_eq!(again(&deep), "yaml: exceeded max depth");
}

#[test]
fn documents_can_be_changed() {
    let mut draft = Draft::read("a: 1 # one\nb: {c: d}\n", &Limits::default()).unwrap().unwrap();
    let DraftContent::Map(_, entries) = &mut draft.root.content else { panic!("no map") };
    entries.remove(0);
    for (text, style) in
        [("e", ScalarStyle::SingleQuoted), ("1", ScalarStyle::Plain), ("2001-01-01", ScalarStyle::Plain)]
    {
        entries.push((DraftNode::string("f", ScalarStyle::Plain), DraftNode::string(text, style)));
    }
    let list = Draft::from(DraftNode::new(DraftContent::Map(
        trueline_yaml::Brackets::None,
        vec![(
            DraftNode::string("l", ScalarStyle::Plain),
            DraftNode::new(DraftContent::List(
                trueline_yaml::Brackets::None,
                vec![DraftNode::string("x", ScalarStyle::Plain)],
            )),
        )],
    )));
    assert_eq!(
        write_drafts([(&draft, Dashes::UnderKey), (&list, Dashes::UnderKey), (&list, Dashes::Indented)]),
        "b: {c: d}\nf: 'e'\nf: \"1\"\nf: \"2001-01-01\"\n---\nl:\n- x\n---\nl:\n  - x\n"
    );
}
