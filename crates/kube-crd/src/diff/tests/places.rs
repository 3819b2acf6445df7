//! Where changes are reported, and with which words.

use super::*;

#[test]
fn a_change_is_told_at_the_keyword_that_breaks() {
    // The old field, the new one with the text that is marked between bars, and what is said beside it.
    let rows = [
        ("{type: integer, maximum: 10}", "{type: integer, |maximum: 5|}", "`maximum` was 10, and is 5 now"),
        (
            "{type: integer}",
            "{type: integer, description: one, |minimum: 1|}",
            "`minimum` is 1 now, and was not there before",
        ),
        (
            "{type: integer, maximum: 5}",
            "{type: integer, maximum: 5, |exclusiveMaximum: true|}",
            "`exclusiveMaximum` is true now, and was not there before",
        ),
        (
            "{type: string, pattern: '^[a-z]+$'}",
            "{type: string, |pattern: '^[a-z]{3,5}$'|}",
            "`pattern` was \"^[a-z]+$\", and is \"^[a-z]{3,5}$\" now",
        ),
        ("{type: string}", "{|type: integer|}", "`type` was \"string\", and is \"integer\" now"),
        (
            "{x-kubernetes-int-or-string: true}",
            "{|type: integer|}",
            "`type` is \"integer\" now, and was an integer or a string (`x-kubernetes-int-or-string`) before",
        ),
        ("{type: string, enum: [a, b, c]}", "{type: string, |enum|: [a]}", "`enum` had \"b\", \"c\", too"),
        ("{type: string}", "{type: string, |enum|: [a]}", "`enum` is [\"a\"] now, and was not there before"),
        (
            "{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, required: [a, |b|], properties: {a: {type: string}, b: {type: string}}}",
            "this was not required before",
        ),
        (
            "{type: object, required: [a], properties: {a: {type: string, default: x}}}",
            "{type: object, required: [a], properties: {a: |{type: string}|}}",
            "`default` was \"x\", and is not there any more",
        ),
        (
            "{type: array, items: {type: string, nullable: true}}",
            "{type: array, items: |{type: string}|}",
            "`nullable` was true, and is not there any more",
        ),
        (
            "{type: array, items: {type: string}}",
            "{type: array, |x-kubernetes-list-type: set|, items: {type: string}}",
            "`x-kubernetes-list-type` is \"set\" now, and was not there before",
        ),
        (
            "{type: object, additionalProperties: {type: string, maxLength: 5}}",
            "{type: object, additionalProperties: {type: string, |maxLength: 3|}}",
            "`maxLength` was 5, and is 3 now",
        ),
        (
            "{type: string, allOf: [{minLength: 1}]}",
            "{type: string, allOf: [{minLength: 1}, |{maxLength: 3}|]}",
            "`allOf` was [{\"minLength\":1}], and is [{\"minLength\":1},{\"maxLength\":3}] now",
        ),
        (
            "{type: string, maxLength: 5}",
            "{type: string, maxLength: 5, allOf: [{maxLength: 5}, |{minLength: 4}|]}",
            "`allOf` is [{\"maxLength\":5},{\"minLength\":4}] now, and was not there before",
        ),
        (
            "{type: string}",
            "{type: string, |oneOf|: [{pattern: '^a'}, {pattern: '^b'}]}",
            "`oneOf` is [{\"pattern\":\"^a\"},{\"pattern\":\"^b\"}] now, and was not there before",
        ),
        (
            "{type: string}",
            "{type: string, |not|: {enum: [abc]}}",
            "`not` is {\"enum\":[\"abc\"]} now, and was not there before",
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true}",
            "|{type: object}|",
            "`x-kubernetes-preserve-unknown-fields` was true, and is not there any more",
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true}",
            "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {|type: integer|}}}",
            "`type` is \"integer\" now, and was not there before",
        ),
    ];
    for (old, new, said) in rows {
        let field = |schema: &str| format!("{{type: object, properties: {{f: {schema}}}}}");
        let marked = text(&field(new));
        let [before, within, _] = marked.split('|').collect::<Vec<_>>()[..] else { panic!("{new}") };
        let breaks = diff(&crd(&field(old)), &crd(&field(&new.replace('|', "")))).breaks;
        let [found] = breaks.as_slice() else { panic!("{old} to {new}: {breaks:?}") };
        assert_eq!(found.label, said, "{old} to {new}");
        let place = found.place.unwrap().range();
        assert_eq!(place, before.len()..before.len() + within.len(), "{old} to {new}");
    }
}

#[test]
fn each_keyword_that_breaks_by_itself_is_told_with_its_own_object() {
    // The old field, the new one, and what is said beside each keyword with the object that is shown for it.
    let rows = [
        (
            "{type: integer, minimum: 1, maximum: 9}",
            "{type: integer, minimum: 2, maximum: 5}",
            &[("`minimum` was 1, and is 2 now", "f: 1"), ("`maximum` was 9, and is 5 now", "f: 7")][..],
        ),
        (
            "{type: string}",
            "{type: string, minLength: 3, pattern: '^[a-z]*$'}",
            &[
                ("`minLength` is 3 now, and was not there before", "f: a"),
                ("`pattern` is \"^[a-z]*$\" now, and was not there before", "f: a-b"),
            ],
        ),
        // A length is nothing that a number can break.
        (
            "{type: integer}",
            "{type: string, minLength: 3}",
            &[("`type` was \"integer\", and is \"string\" now", "f: 1")],
        ),
        // What breaks inside of an object hides nothing of what breaks the object.
        (
            "{type: object, additionalProperties: {type: integer}}",
            "{type: object, maxProperties: 1, additionalProperties: {type: integer, maximum: 3}}",
            &[
                ("`maximum` is 3 now, and was not there before", "f:\n  key: 4"),
                ("`maxProperties` is 1 now, and was not there before", "f:\n  key0: 1\n  key1: 1"),
            ],
        ),
        (
            "{type: array, items: {type: object, required: [k], properties: {k: {type: string}}}}",
            "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, \
             required: [k], properties: {k: {type: string}}}}",
            &[("`x-kubernetes-list-type` is \"map\" now, and was not there before", "f:\n- k: a\n- k: a")],
        ),
    ];
    let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
    let mut others = Vec::new();
    for (old, new, expected) in rows {
        let (before, after) = (field(old), field(new));
        let breaks = diff(&before, &after).breaks;
        let mut told = Vec::new();
        for found in &breaks {
            let Ok(object) = &found.example else { panic!("{old} to {new}: {found:?}") };
            assert!(takes(&before, object) && !takes(&after, object), "{old} to {new}: {object:?}");
            let text = trueline_yaml::marshal(object, trueline_yaml::Dialect::Sigs).unwrap();
            let shown = text.split_once("spec:\n  ").unwrap().1.replace("\n  ", "\n");
            told.push((&*found.label, shown.trim_end().to_owned()));
        }
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(label, shown)| (*label, (*shown).to_owned())).collect();
        if told != expected {
            others.push(format!("{old} to {new}: {told:?}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn what_is_gone_is_told_at_its_key() {
    let fields = |fields: &str| format!("{{type: object, required: [bucket], properties: {{{fields}}}}}");
    let (old, new) = (fields("bucket: {type: string}"), fields("bucketName: {type: string}"));
    let breaks = diff(&crd(&old), &crd(&new)).breaks;
    let texts = [text(&old), text(&new)];
    let told: Vec<(&str, &str)> = breaks
        .iter()
        .zip(&texts)
        .map(|(found, text)| (&text[found.place.unwrap().range()], &*found.label))
        .collect();
    let expected = [
        ("bucket", "this field is not in the new schema"),
        ("bucket", "this is still required, but is no field any more"),
    ];
    assert_eq!(told, expected, "{breaks:?}");
    assert!(breaks[1].message.ends_with("`bucket` is required"), "{}", breaks[1].message);

    let old = text("{type: object}");
    let read =
        |text: &str| crate::definition::decode(&trueline_yaml::yaml_to_value(text).unwrap()).unwrap().crd;
    let version = "name: v1, served: true, storage: true";
    let both = "name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}, \
                {name: v1, served: false, storage: false";
    let unserved = old.replace(version, both);
    let breaks = diff(&read(&old), &read(&unserved)).breaks;
    assert_eq!(&unserved[breaks[0].place.unwrap().range()], "served: false");
    assert_eq!(breaks[0].label, "`served` was true, and is false now");
    let breaks = diff(&read(&old), &read(&old.replace("name: v1", "name: v2"))).breaks;
    assert_eq!(&old[breaks[0].place.unwrap().range()], "name: v1");
    assert_eq!(breaks[0].label, "this version is not in the new definition");
}
