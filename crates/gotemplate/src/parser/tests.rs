//! Texts, the trees they make and the errors in them.

use std::sync::Arc;

use crate::node::{Syntax, TemplateText};
use crate::{Delimiters, Functions, Parsed, parse};

fn read(text: &str) -> (Arc<TemplateText>, Parsed) {
    let text = Arc::new(TemplateText::new("t", text.as_bytes()));
    let parsed = parse(&text, &Functions::builtin(), Delimiters::default());
    (text, parsed)
}

#[test]
fn a_text_is_read_with_what_it_defines() {
    let (text, parsed) =
        read("a {{- define \"d\" }}{{ .x.y }}{{ end -}} \n{{ if $ }}b{{ else if . }}c{{ end }}");
    let trees: Vec<(String, String)> = parsed
        .trees
        .iter()
        .map(|tree| {
            let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (words(&tree.name), words(&tree.root.to_bytes(&text)))
        })
        .collect();
    let expected = [("t", "a{{if $}}b{{else}}{{if .}}c{{end}}{{end}}"), ("d", "{{.x.y}}")];
    assert_eq!(trees, expected.map(|(name, tree)| (name.to_owned(), tree.to_owned())));
    assert_eq!(parsed.errors, []);
}
