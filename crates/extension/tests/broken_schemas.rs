//! A broken schema fails the build: the check that the build script runs, on schemas that are broken.

#[path = "../build/check.rs"]
mod check;

fn problems(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, String)> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    check::problems(&files)
}

fn schema(name: &str, rest: &str) -> String {
    format!(
        r#"{{"$schema": "https://json-schema.org/draft/2020-12/schema",
             "$id": "https://trueline.dev/schemas/{name}"{rest}}}"#
    )
}

#[test]
fn schemas_that_refer_to_each_other_are_accepted() {
    let one = schema("a.json", r#", "properties": {"x": {"$ref": "b.json#/$defs/y"}}"#);
    let other = schema("b.json", r#", "$defs": {"y": {"$ref": "a.json"}}"#);
    assert_eq!(problems(&[("a.json", &one), ("b.json", &other)]), Vec::<String>::new());
}

#[test]
fn every_way_of_being_broken_is_named_with_its_file() {
    let cases: &[(&str, String, &str)] = &[
        (
            "text that is not JSON",
            "{\n  \"a\": }".to_owned(),
            "schemas/a.json is not JSON: expected value at line 2",
        ),
        (
            "an `$id` that is not an address",
            schema("a.json", "").replace("https://trueline.dev/", ""),
            "must have an `$id`",
        ),
        ("no draft", r#"{"$id": "https://trueline.dev/schemas/a.json"}"#.to_owned(), "must name its draft"),
        (
            "an unknown draft",
            r#"{"$schema": "https://example.com/x", "$id": "https://trueline.dev/schemas/a.json"}"#
                .to_owned(),
            "names an unknown draft",
        ),
        (
            "a keyword with a wrong value",
            schema("a.json", r#", "type": "text""#),
            "breaks its metaschema at `/type`",
        ),
        ("a reference to no file", schema("a.json", r#", "$ref": "nothing.json""#), "cannot be resolved"),
        ("a reference to no definition", schema("a.json", r##", "$ref": "#/$defs/x""##), "does not compile"),
        ("an invalid pattern", schema("a.json", r#", "pattern": "(""#), "a.json"),
    ];
    for (what, text, expected) in cases {
        let found = problems(&[("a.json", text)]);
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert!(found[0].contains(expected), "{what}: {found:?}");
    }
}
