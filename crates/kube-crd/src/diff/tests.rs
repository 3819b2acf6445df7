//! Changes of a field, and the objects that show what they break.

use super::*;

mod places;

fn diff(old: &Crd, new: &Crd) -> Difference {
    super::diff(old, new, KubeVersion::CRD_RULES)
}

fn text(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: foos.example.com}}\n\
         spec: {{group: example.com, scope: Namespaced, names: {{plural: foos, kind: Foo}}, versions: [{{name: v1, \
         served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: \
         {schema}}}}}}}}}]}}"
    )
}

fn crd(schema: &str) -> Crd {
    crate::definition::decode(&trueline_yaml::yaml_to_value(&text(schema)).unwrap()).unwrap().crd
}

#[test]
fn each_change_that_breaks_is_shown_with_an_object() {
    let object = |fields: &str| format!("{{type: object, properties: {{{fields}}}}}");
    // The old field, the new one, and a part of what is said; nothing if nothing breaks.
    let rows = [
        ("f: {type: string}", "f: {type: integer}", "must be of type integer"),
        ("f: {type: string, enum: [a, b]}", "f: {type: string, enum: [a]}", "supported values"),
        ("f: {type: string}", "f: {type: string, maxLength: 3}", "may not be more than 3 bytes"),
        ("f: {type: string}", "f: {type: string, pattern: '^[0-9]+$'}", "should match"),
        ("f: {type: string}", "f: {type: string, format: ipv4}", "must be of type ipv4"),
        ("f: {type: integer, maximum: 10}", "f: {type: integer, maximum: 5}", "less than or equal to 5"),
        ("f: {type: integer}", "f: {type: integer, minimum: 1}", "greater than or equal to 1"),
        ("f: {type: string}, g: {type: string}", "g: {type: string}", "the field `spec.f` is gone"),
        ("f: {type: string, nullable: true}", "f: {type: string}", ""),
        (
            "f: {type: array, items: {type: string, nullable: true}}",
            "f: {type: array, items: {type: string}}",
            "must be of type string",
        ),
        (
            "f: {type: object, properties: {a: {type: string}}}",
            "f: {type: object, required: [a], properties: {a: {type: string, default: x}}}",
            "",
        ),
        (
            "f: {type: object, required: [a], properties: {a: {type: string, default: x}}}",
            "f: {type: object, required: [a], properties: {a: {type: string}}}",
            "`a` is required",
        ),
        ("f: {type: string}", "f: {type: string, not: {enum: [abc]}}", "must not validate the schema (not)"),
        (
            "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
            "f: {type: object, additionalProperties: {type: integer}}",
            "must be of type integer",
        ),
        (
            "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
            "f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
            "is required",
        ),
        (
            "f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
            "f: {type: integer}",
            "must be of type integer",
        ),
        (
            "f: {type: array, items: {type: string}}",
            "f: {type: array, maxItems: 1, items: {type: string}}",
            "at most 1 item",
        ),
        (
            "f: {type: array, items: {type: object, properties: {a: {type: string}}}}",
            "f: {type: array, items: {type: object, required: [a], properties: {a: {type: string}}}}",
            "`a` is required",
        ),
        (
            "f: {type: object, additionalProperties: {type: string}}",
            "f: {type: object, additionalProperties: {type: integer}}",
            "must be of type integer",
        ),
        (
            "f: {type: object, additionalProperties: {type: string}}",
            "f: {type: object, properties: {a: {type: string}}}",
            "the field `spec.f[*]` is gone",
        ),
        (
            "f: {type: array, items: {type: string}}",
            "f: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
            "must not appear twice",
        ),
        (
            "f: {type: object, x-kubernetes-preserve-unknown-fields: true}",
            "f: {type: object}",
            "are pruned now",
        ),
        (
            "f: {type: object, minProperties: 1, additionalProperties: {type: string}}",
            "f: {type: object, minProperties: 2, additionalProperties: {type: string}}",
            "at least 2 properties",
        ),
        (
            "f: {type: object, minProperties: 1, x-kubernetes-preserve-unknown-fields: true}",
            "f: {type: object, minProperties: 1, x-kubernetes-preserve-unknown-fields: true, required: [b]}",
            "`b` is required",
        ),
        (
            "f: {type: object, minProperties: 1, x-kubernetes-preserve-unknown-fields: true}",
            "f: {type: object, minProperties: 2, x-kubernetes-preserve-unknown-fields: true}",
            "at least 2 properties",
        ),
        (
            "f: {type: object, minProperties: 1, additionalProperties: true}",
            "f: {type: object, minProperties: 1, additionalProperties: true, maxProperties: 1}",
            "must have at most 1 item",
        ),
        ("f: {type: string, description: one}", "f: {type: string, description: two}", ""),
        ("f: {x-kubernetes-int-or-string: true}", "f: {type: integer}", "must be of type integer"),
        ("f: {type: string, enum: [a]}", "f: {type: string, enum: [a, b]}", ""),
        ("f: {type: integer, maximum: 5}", "f: {type: integer, maximum: 10}", ""),
        ("f: {type: string}", "f: {type: string}, g: {type: string}", ""),
    ];
    for (old, new, said) in rows {
        let difference = diff(&crd(&object(old)), &crd(&object(new)));
        assert!(difference.update.errors.is_empty(), "{:?}", difference.update.errors);
        if said.is_empty() {
            assert!(difference.breaks.is_empty(), "{old} to {new}: {:?}", difference.breaks);
            continue;
        }
        let [found] = difference.breaks.as_slice() else {
            panic!("{old} to {new}: {:?}", difference.breaks);
        };
        assert!(found.message.contains(said), "{old} to {new}: {}", found.message);
        let example = found.example.as_ref().unwrap_or_else(|reason| panic!("{old} to {new}: {reason:?}"));
        assert_eq!(example.get("kind").and_then(Value::as_str), Some("Foo"));
        let _ = found.to_diagnostic(trueline_source::SourceId::from_index(0).span(0, 0));
    }
}

#[test]
fn what_is_too_much_to_be_shown_is_told() {
    let names: Vec<String> = (0..160).map(|number| format!("f{number}")).collect();
    let fields = |schema: &str| {
        let fields: Vec<String> = names.iter().map(|name| format!("{name}: {schema}")).collect();
        let required = names.join(", ");
        let spec = format!("{{type: object, required: [{required}], properties: {{{}}}}}", fields.join(", "));
        let text = text(&spec).replace("properties: {spec:", "required: [spec], properties: {spec:");
        crate::definition::decode(&trueline_yaml::yaml_to_value(&text).unwrap()).unwrap().crd
    };
    let new = fields("{type: string, minLength: 3, pattern: '^[a-z]*$'}");
    let breaks = diff(&fields("{type: string}"), &new).breaks;
    assert_eq!(breaks.len(), 320);
    assert!(breaks.iter().any(|found| found.example == Err(NotShown::TooLarge)));
}

#[test]
fn what_is_refused_is_not_told_to_be_pruned() {
    // The old field, the new one, and parts of what is said, in this order.
    let anything = "{x-kubernetes-preserve-unknown-fields: true}";
    let object = "{type: object, x-kubernetes-preserve-unknown-fields: true}";
    let rows = [
        (anything, "{type: string}", &["must be of type string"][..]),
        (anything, "{type: integer, minimum: 1}", &["must be of type integer"]),
        (anything, "{type: array, items: {type: string}}", &["must be of type"]),
        (anything, "{x-kubernetes-int-or-string: true}", &["must be of type"]),
        (anything, "{type: object}", &["are pruned now", "must be of type object"]),
        (object, "{type: string}", &["must be of type string"]),
        ("{type: object, properties: {a: {type: string}}}", "{type: string}", &["must be of type string"]),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: string}",
            &["must be of type string"],
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, required: [b], properties: {b: {type: string}}}",
            &["`spec.f.a` is gone", "`b` is required"],
        ),
        (object, "{type: object}", &["are pruned now"]),
    ];
    for (old, new, parts) in rows {
        let told: Vec<String> = said(old, new).into_iter().map(|(message, _)| message).collect();
        assert_eq!(told.len(), parts.len(), "{old} to {new}: {told:?}");
        for (message, part) in told.iter().zip(parts) {
            assert!(message.contains(part), "{old} to {new}: {told:?}");
        }
    }
}

/// What is said of a change of one field, with whether an object is shown.
fn said(old: &str, new: &str) -> Vec<(String, Result<String, NotShown>)> {
    let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
    let shown = |example: Value| {
        let text = trueline_yaml::marshal(&example, trueline_yaml::Dialect::Sigs).unwrap();
        text.split_once("spec:\n").map(|(_, spec)| spec.to_owned()).unwrap_or_default()
    };
    let breaks = diff(&field(old), &field(new)).breaks;
    breaks.into_iter().map(|found| (found.message, found.example.map(shown))).collect()
}

#[test]
fn patterns_are_shown_with_texts_that_only_the_old_one_matches() {
    // The old schema, the new one, and the object that is shown below `spec`; empty if nothing breaks.
    let rows = [
        ("{type: string}", "{type: string, pattern: '^[a-z]{3,5}$'}", "f: a"),
        ("{type: string, pattern: '^[a-z]+$'}", "{type: string, pattern: '^[a-z]{3,5}$'}", "f: a"),
        ("{type: string, pattern: '^[a-z]{3,5}$'}", "{type: string, pattern: '^[a-z]+$'}", ""),
        ("{type: string, pattern: '^[a-z]{3,5}$'}", "{type: string}", ""),
        (
            "{type: string, minLength: 3, pattern: '^[a-z]+$'}",
            "{type: string, pattern: '^[a-z]{3,5}$'}",
            "f: example",
        ),
        (
            "{type: string, maxLength: 5, pattern: '^[a-z]{3,}$'}",
            "{type: string, pattern: '^[a-z]{3,5}$'}",
            "",
        ),
        (
            "{type: string, pattern: '^sha256:[a-f0-9]{8}$'}",
            "{type: string, maxLength: 14, pattern: '^sha256:[a-f0-9]+$'}",
            "f: sha256:aaaaaaaa",
        ),
        (
            "{type: string, pattern: '^q-[0-9]+$', enum: [q-1, q-x, q-22]}",
            "{type: string, pattern: '^q-[0-9]$', enum: [q-1, q-22]}",
            "f: q-22",
        ),
        (
            "{type: string, format: ipv4, pattern: '^10[.]'}",
            "{type: string, format: ipv4, pattern: '^10[.]0[.]0[.]0$'}",
            "f: 10.0.0.1",
        ),
        (
            "{type: array, items: {type: string, pattern: '^k[0-9]+$'}}",
            "{type: array, items: {type: string, pattern: '^k[0-9]{2}$'}}",
            "f:\n- k0",
        ),
        (
            "{type: object, additionalProperties: {type: string, pattern: '^k[0-9]+$'}}",
            "{type: object, additionalProperties: {type: string, pattern: '^k[0-9]{2}$'}}",
            "f:\n  key: k0",
        ),
        (
            "{type: array, minItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: \
             object, required: [id], properties: {id: {type: string, pattern: '^k[0-9]$'}}}}",
            "{type: array, minItems: 2, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: \
             object, required: [id], properties: {id: {type: string, pattern: '^k[1-9]$'}}}}",
            "f:\n- id: k0\n- id: k1",
        ),
        (
            "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: object, \
             required: [a, b], properties: {a: {type: string, pattern: '^a1$'}, b: {type: string, pattern: '^b[0-9]$'}}}}",
            "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, \
             required: [a, b], properties: {a: {type: string, pattern: '^a1$'}, b: {type: string, pattern: '^b[0-9]$'}}}}",
            "f:\n- a: a1\n  b: b0\n- a: a1\n  b: b1",
        ),
        (
            "{type: string, nullable: true, pattern: '^k[0-9]+$'}",
            "{type: string, nullable: true, pattern: '^k[0-9]{2}$'}",
            "f: k0",
        ),
        (
            "{type: string, anyOf: [{pattern: '^a[0-9]$'}, {pattern: '^b[0-9]$'}]}",
            "{type: string, anyOf: [{pattern: '^a[0-9]$'}, {pattern: '^b[0-8]$'}]}",
            "f: b9",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}",
            "{type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}]}",
            "f:\n  b: a",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: integer}, c: {type: boolean}}, oneOf: [{required: \
             [a]}, {required: [b]}, {required: [c]}]}",
            "{type: object, properties: {a: {type: string}, b: {type: integer}, c: {type: boolean}}, oneOf: [{required: \
             [a]}, {required: [b]}]}",
            "f:\n  c: true",
        ),
        (
            "{type: string, allOf: [{pattern: '^k'}, {pattern: '[0-9]$'}]}",
            "{type: string, allOf: [{pattern: '^k'}, {pattern: '[0-9]$'}, {maxLength: 3}]}",
            "f: kaa0",
        ),
        (
            "{type: string, oneOf: [{pattern: '^k'}, {pattern: 'z$'}]}",
            "{type: string, oneOf: [{pattern: '^k'}, {pattern: 'zz$'}]}",
            "f: z",
        ),
        (
            "{type: string, pattern: '^k-'}",
            "{type: string, pattern: '^k-', not: {pattern: '^k-old'}}",
            "f: k-old",
        ),
        (
            "{type: object, required: [a], properties: {a: {type: string, pattern: '^k'}}}",
            "{type: object, required: [a], properties: {a: {type: string, pattern: '^k'}}, allOf: [{properties: {a: \
             {pattern: '9$'}}}]}",
            "f:\n  a: k",
        ),
        (
            "{type: object, required: [g], properties: {g: {type: object, required: [d], properties: {d: {type: \
             string, pattern: '^d-[0-9]{3}$'}}}}}",
            "{type: object, required: [g], properties: {g: {type: object, required: [d, e], properties: {d: {type: \
             string, pattern: '^d-[0-9]{3}$'}, e: {type: string}}}}}",
            "f:\n  g:\n    d: d-000",
        ),
        (
            "{type: array, items: {type: object, properties: {id: {type: string}, a: {type: string}, b: {type: string, \
             pattern: '^k'}}, required: [id], oneOf: [{required: [a]}, {required: [b]}]}}",
            "{type: array, items: {type: object, properties: {id: {type: string}, a: {type: string}, b: {type: string, \
             pattern: '^k[0-9]'}}, required: [id], oneOf: [{required: [a]}, {required: [b]}]}}",
            "f:\n- b: k\n  id: a",
        ),
        // Numbers, lists and maps.
        (
            "{type: integer, multipleOf: 6, minimum: 11}",
            "{type: integer, multipleOf: 4, minimum: 11}",
            "f: 18",
        ),
        (
            "{type: number, multipleOf: 0.5, minimum: 3, maximum: 4, exclusiveMinimum: true}",
            "{type: number, multipleOf: 0.5, minimum: 3, maximum: 4, exclusiveMinimum: true, exclusiveMaximum: true}",
            // A server reads 4 as an integer, which is a multiple of nothing below one.
            "",
        ),
        ("{type: number, multipleOf: 0.5}", "{type: number, multipleOf: 0.5, maximum: -7}", "f: 0.5"),
        (
            "{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string, pattern: '^k[0-9]$'}}",
            "{type: array, minItems: 3, x-kubernetes-list-type: set, items: {type: string, pattern: '^k[0-9]$'}}",
            "f:\n- k0\n- k1",
        ),
        (
            "{type: object, minProperties: 2, additionalProperties: {type: string, pattern: '^k[0-9]$'}}",
            "{type: object, minProperties: 2, maxProperties: 2, additionalProperties: {type: string, pattern: '^k[0-9]$'}}",
            "f:\n  key0: k0\n  key1: k0\n  key2: k0",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, properties: {a: {type: string}, b: {type: string}}, not: {required: [a, b]}}",
            "f:\n  a: a\n  b: a",
        ),
    ];
    let mut others = Vec::new();
    for (old, new, shown) in rows {
        let found = said(old, new);
        if shown.is_empty() {
            assert!(found.is_empty(), "{old} to {new}: {found:?}");
            continue;
        }
        let [(_, Ok(example))] = found.as_slice() else { panic!("{old} to {new}: {found:?}") };
        let example: Vec<&str> =
            example.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        if example.join("\n") != shown {
            others.push(format!("{old} to {new}:\n{}", example.join("\n")));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn what_cannot_be_shown_is_said() {
    let rows = [
        // No text is shown where the old pattern matches none.
        ("{type: string, pattern: '^a$b'}", "{type: integer}", NotShown::NotFound),
        (
            "{type: string, pattern: '^(a|b)*a(a|b){300}$'}",
            "{type: string, pattern: '^(a|b)*a(a|b){200}a(a|b){99}$'}",
            NotShown::Undecided,
        ),
        (
            "{type: string}",
            "{type: string, x-kubernetes-validations: [{rule: 'self != \"\"'}]}",
            NotShown::Rule,
        ),
    ];
    for (old, new, reason) in rows {
        let found = said(old, new);
        let [(_, Err(said))] = found.as_slice() else { panic!("{old} to {new}: {found:?}") };
        assert_eq!(*said, reason, "{old} to {new}");
    }
}

#[test]
fn another_type_breaks_even_if_no_value_can_be_made_up() {
    let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
    let old = field("{type: string, pattern: '^a$b'}");
    for (new, said) in [
        (
            "{type: array, items: {type: string}}",
            "`spec.f` was of type string, and must be of type array now",
        ),
        ("{type: integer}", "`spec.f` was of type string, and must be of type integer now"),
    ] {
        let difference = diff(&old, &field(new));
        let messages: Vec<&str> = difference.breaks.iter().map(|found| &*found.message).collect();
        assert_eq!(messages, [said]);
    }
    assert!(diff(&field("{type: integer}"), &field("{type: number}")).breaks.is_empty());
}

#[test]
fn versions_and_scopes_that_go_break_all_objects() {
    let old = crd("{type: object}");
    let mut new = old.clone();
    new.spec.versions[0].served = false;
    new.spec.scope = "Cluster".into();
    let difference = diff(&old, &new);
    let messages: Vec<&str> = difference.breaks.iter().map(|found| &*found.message).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(difference.breaks.iter().all(|found| found.example.is_ok()));
    assert!(messages[0].contains("scope") && messages[1].contains("not served any more"), "{messages:?}");
}

/// Whether a CRD takes an object, as it is written.
fn takes(crd: &Crd, object: &Value) -> bool {
    let text = trueline_yaml::marshal(object, trueline_yaml::Dialect::Sigs).unwrap();
    let read = trueline_yaml::yaml_to_value(&text).unwrap();
    let resource = crate::object::Resource::new(crd, trueline_kube_facts::KubeVersion::CRD_RULES).unwrap();
    resource.decode(&read, "").is_ok_and(|decoded| resource.create(&decoded).errors.is_empty())
}

#[test]
fn what_only_the_old_schema_accepts_is_found_and_shown() {
    let rows = [
        // Formats beside patterns and lengths.
        ("{type: string, format: ipv4}", "{type: string, format: ipv4, pattern: '^10[.]'}"),
        ("{type: string, format: ipv6}", "{type: string, format: ipv6, maxLength: 20}"),
        ("{type: string, format: date}", "{type: string, format: date, pattern: '^20'}"),
        ("{type: string, format: cidr}", "{type: string, format: cidr, pattern: '^10'}"),
        ("{type: string, format: mac}", "{type: string, format: mac, pattern: '^00'}"),
        ("{type: string, format: email}", "{type: string, format: email, pattern: '@example'}"),
        ("{type: string, format: uuid}", "{type: string, format: uuid, pattern: '^[^A-F]*$'}"),
        ("{type: string, format: date-time}", "{type: string, format: date-time, pattern: 'Z$'}"),
        ("{type: string, format: duration}", "{type: string, format: duration, pattern: '^[^ ]*$'}"),
        // Maps.
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, additionalProperties: false}",
        ),
        (
            "{type: object, additionalProperties: true}",
            "{type: object, additionalProperties: {type: integer}}",
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: integer}}}",
        ),
        (
            "{type: object, x-kubernetes-preserve-unknown-fields: true}",
            "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: integer}}}",
        ),
        (
            "{x-kubernetes-preserve-unknown-fields: true}",
            "{x-kubernetes-preserve-unknown-fields: true, items: {type: integer}}",
        ),
        // Null.
        (
            "{type: object, required: [a], properties: {a: {type: string, nullable: true}}}",
            "{type: object, required: [a], properties: {a: {type: string}}}",
        ),
        (
            "{type: object, minProperties: 1, additionalProperties: {type: string, nullable: true}}",
            "{type: object, minProperties: 1, additionalProperties: {type: string}}",
        ),
        (
            "{type: object, minProperties: 1, properties: {a: {type: boolean}, b: {type: string, nullable: true}}}",
            "{type: object, minProperties: 1, properties: {a: {type: boolean}, b: {type: string}}}",
        ),
        (
            "{type: object, required: [a], properties: {a: {type: string, nullable: true, pattern: '^a$b'}, b: {type: string}}}",
            "{type: object, required: [a, b], properties: {a: {type: string, nullable: true, pattern: '^a$b'}, b: {type: string}}}",
        ),
        (
            "{type: boolean, nullable: true, allOf: [{enum: [true, false]}]}",
            "{type: boolean, nullable: true, enum: [true, false]}",
        ),
        // Defaults.
        (
            "{type: object, properties: {a: {type: string, default: x}}, allOf: [{required: [a]}]}",
            "{type: object, properties: {a: {type: string}}, allOf: [{required: [a]}]}",
        ),
        (
            "{type: object, minProperties: 1, properties: {a: {type: string, default: x}}}",
            "{type: object, minProperties: 1, properties: {a: {type: string}}}",
        ),
        (
            "{type: object, maxProperties: 1, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, maxProperties: 1, properties: {a: {type: string}, b: {type: string, default: y}}}",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}, not: {required: [b]}}",
            "{type: object, properties: {a: {type: string}, b: {type: string, default: y}}, not: {required: [b]}}",
        ),
        (
            "{type: object, properties: {a: {type: string, default: x}}, allOf: [{properties: {a: {enum: [x]}}}]}",
            "{type: object, properties: {a: {type: string, default: y}}, allOf: [{properties: {a: {enum: [x]}}}]}",
        ),
        (
            "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p], items: {type: object, \
             required: [k], properties: {k: {type: string}, p: {type: string, default: TCP}}}}",
            "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p], items: {type: object, \
             required: [k], properties: {k: {type: string}, p: {type: string, default: UDP}}}}",
        ),
        // Items.
        (
            "{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string, enum: [a, b]}}",
            "{type: array, minItems: 2, x-kubernetes-list-type: set, items: {type: string, enum: [a]}}",
        ),
        (
            "{type: array, minItems: 25, items: {type: integer}}",
            "{type: array, minItems: 25, items: {type: integer, maximum: 3}}",
        ),
    ];
    let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
    for (old, new) in rows {
        let (before, after) = (field(old), field(new));
        let breaks = diff(&before, &after).breaks;
        let shown: Vec<&Value> = breaks.iter().filter_map(|found| found.example.as_ref().ok()).collect();
        assert!(!shown.is_empty(), "{old} to {new}: {breaks:?}");
        for object in shown {
            assert!(takes(&before, object), "{old} does not take {object:?}");
            assert!(!takes(&after, object), "{new} takes {object:?}");
        }
    }
}

#[test]
fn what_objects_lose_is_told() {
    let field = |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}}}}}"));
    let rows = [
        (
            "{type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}",
            "{type: object, additionalProperties: true}",
            "fields of `spec.f[*]` are gone",
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, properties: {key: {type: string}}}",
            "the field `spec.f[*]` is gone",
        ),
    ];
    for (old, new, said) in rows {
        let breaks = diff(&field(old), &field(new)).breaks;
        let [found] = breaks.as_slice() else { panic!("{old} to {new}: {breaks:?}") };
        assert!(found.message.contains(said) && found.example.is_ok(), "{old} to {new}: {found:?}");
    }
    let mut kept = field("{type: string}");
    kept.spec.preserve_unknown_fields = Some(true);
    let breaks = diff(&kept, &field("{type: string}")).breaks;
    assert!(breaks.iter().any(|found| found.message.contains("were kept, and are pruned now")), "{breaks:?}");
}

#[test]
fn names_replicas_and_versions_without_a_schema_are_compared() {
    let old = crd("{type: object, properties: {replicas: {type: integer}}}");
    let mut scaled = old.clone();
    scaled.spec.subresources = Some(crate::definition::Subresources {
        scale: Some(crate::definition::Scale {
            spec_replicas_path: ".spec.replicas".into(),
            status_replicas_path: ".status.replicas".into(),
            label_selector_path: None,
        }),
        ..Default::default()
    });
    let breaks = diff(&old, &scaled).breaks;
    assert_eq!(breaks.first().map(|found| &*found.field), Some("spec.replicas"), "{breaks:?}");
    // What is refused for something else says nothing of the name.
    let named = |most: usize, required: &str| {
        let metadata = format!("{{type: object, properties: {{name: {{type: string, maxLength: {most}}}}}}}");
        let root = format!("required: [{required}], properties: {{metadata: {metadata}, spec:");
        let text = text("{type: object}").replace("properties: {spec:", &root);
        crate::definition::decode(&trueline_yaml::yaml_to_value(&text).unwrap()).unwrap().crd
    };
    let told = |old: &Crd, new: &Crd| -> Vec<(String, String)> {
        diff(old, new).breaks.into_iter().map(|found| (found.field, found.label)).collect()
    };
    let (required, longer) = ("this was not required before", "`maxLength` was 60, and is 20 now");
    let expected = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
        rows.iter().map(|(field, label)| ((*field).to_owned(), (*label).to_owned())).collect()
    };
    assert_eq!(told(&named(60, ""), &named(60, "spec")), expected(&[("", required)]));
    assert_eq!(
        told(&named(60, ""), &named(20, "spec")),
        expected(&[("", required), ("metadata.name", longer)])
    );
    let mut without = old.clone();
    without.spec.validation = None;
    without.spec.preserve_unknown_fields = Some(true);
    for version in &mut without.spec.versions {
        version.validation = None;
    }
    let breaks = diff(&without, &old).breaks;
    let refused = breaks.iter().find(|found| found.effect == Effect::Refused);
    assert!(refused.is_some_and(|found| found.example.is_ok()), "{breaks:?}");
}

#[test]
fn objects_keep_the_rules_of_the_old_definition() {
    let field =
        |schema: &str| crd(&format!("{{type: object, properties: {{f: {schema}, g: {{type: string}}}}}}"));
    let rule = "x-kubernetes-validations: [{rule: \"self == 'q'\"}]";
    let old = field(&format!("{{type: string, {rule}}}"));
    let new = field(&format!("{{type: string, maxLength: 0, {rule}}}"));
    let breaks = diff(&old, &new).breaks;
    let [found] = breaks.as_slice() else { panic!("{breaks:?}") };
    // Only `q` keeps the rule, and no object with another value may be shown.
    let shown = found.example.as_ref().ok().and_then(|example| example.get("f")?.as_str().map(str::to_owned));
    assert!(shown.is_none_or(|value| value == "q"), "{found:?}");
}

#[test]
fn an_object_that_breaks_a_new_rule_is_shown() {
    let field = |rules: &str| {
        crd(&format!(
            "{{type: object, required: [size], properties: {{size: {{type: integer, minimum: 1{rules}}}}}}}"
        ))
    };
    let breaks = |rule: &str| {
        let new = field(&format!(", x-kubernetes-validations: [{{rule: \"{rule}\"}}]"));
        diff(&field(""), &new).breaks
    };
    let refused = breaks("self > 100");
    assert!(
        refused.iter().any(|found| found.effect == Effect::Refused && found.example.is_ok()),
        "{refused:?}"
    );
    let unknown = breaks("self >= 1");
    assert!(unknown.iter().all(|found| found.effect == Effect::Unknown), "{unknown:?}");
}

#[test]
fn made_up_objects_are_bounded() {
    let nested = |most: usize| {
        let inner = format!(
            "{{type: object, required: [k], properties: {{k: {{type: string, maxLength: {most}}}}}}}"
        );
        (0..6).fold(inner, |items, _| {
            format!(
                "{{type: object, required: [k, l], properties: {{k: {{type: string}}, l: {{type: array, minItems: 20, \
                 x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {items}}}}}}}"
            )
        })
    };
    let breaks = diff(&crd(&nested(7)), &crd(&nested(6))).breaks;
    assert!(!breaks.is_empty());
    assert!(breaks.iter().all(|found| found.example.is_err()), "{breaks:?}");
}
