//! The document of structural schemas, example by example: its litmus tests, the matrix of its test plan, and its
//! plan of compatibility, with the differences that servers have.

use trueline_kube::crd::{self, Crd};
use trueline_kube::structural::{Structural, ValueValidation};
use trueline_kube::{OrBool, Trail};
use trueline_yaml::{Value, yaml_to_value};

const HEAD: &str = "kind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n";

fn decoded(text: &str) -> Crd {
    crd::decode(&yaml_to_value(text).unwrap()).unwrap().crd
}

/// A CRD with these schemas, one version each.
fn v1(schemas: &[&str], rest: &str) -> Crd {
    let versions: Vec<String> = schemas
        .iter()
        .enumerate()
        .map(|(index, schema)| {
            let schema = if schema.is_empty() {
                String::new()
            } else {
                format!(", schema: {{openAPIV3Schema: {schema}}}")
            };
            format!("{{name: v{}, served: true, storage: {}{schema}}}", index + 1, index == 0)
        })
        .collect();
    decoded(&format!(
        "apiVersion: apiextensions.k8s.io/v1\n{HEAD}spec: {{group: example.com, scope: Namespaced, names: {{plural: \
         foos, kind: Foo}}, versions: [{}]{rest}}}",
        versions.join(", ")
    ))
}

fn root(spec: &str) -> String {
    format!("{{type: object, properties: {{spec: {spec}}}}}")
}

/// The structural schema at `spec`.
fn structural(spec: &str) -> Structural {
    let crd = v1(&[&root(spec)], "");
    let schema = crd.schema(&crd.spec.versions[0]).unwrap().clone();
    Structural::new(&schema).unwrap().property("spec").unwrap().clone()
}

fn messages(crd: &Crd) -> Vec<String> {
    crd.validate_create(trueline_kube::KubeVersion::CRD_RULES)
        .errors
        .iter()
        .map(|error| error.message())
        .collect()
}

fn demanded(schema: &Structural) -> &ValueValidation {
    schema.value_validation.as_deref().expect("value validation")
}

fn says_nothing(schema: &Structural) -> bool {
    schema.value_validation.is_none()
        && schema.properties.values().all(|property| says_nothing(property))
        && schema.items.as_deref().is_none_or(says_nothing)
        && match schema.additional_properties.as_deref() {
            Some(OrBool::Schema(additional)) => says_nothing(additional),
            _ => true,
        }
}

const UNION: &str = "{type: object, x-kubernetes-unions: [{discriminator: type, fields: {emptyDir: EmptyDir, \
                     hostPath: HostPath}}], properties: {type: {type: string, enum: [EmptyDir, HostPath]}, emptyDir: \
                     {type: object}, hostPath: {type: object, properties: {path: {type: string, pattern: '/.*'}}, \
                     required: [path]}, sharedField: {type: string}}, required: [sharedField]}";

#[test]
fn litmus_discriminated_union() {
    let schema = structural(UNION);
    let unfolded = schema.clone().unfold_all();
    let fields: Vec<&str> =
        demanded(&unfolded).one_of.iter().map(|branch| &*branch.value_validation.required[0]).collect();
    assert_eq!(fields, ["emptyDir", "hostPath"]);
    // The enum is there already, so that nothing is added to it.
    assert!(demanded(&unfolded.properties["type"]).all_of.is_empty());
    let dropped = schema.without_value_validation();
    assert!(says_nothing(&dropped));
    assert_eq!(dropped.unions, schema.unions);
    assert_eq!(&*dropped.properties["hostPath"].properties["path"].generic.type_name, "string");
    let around = trueline_source::SourceId::from_index(0).span(0, 0);
    for (object, code) in [
        ("{type: EmptyDir, emptyDir: {}}", None),
        ("{emptyDir: {}}", None),
        ("{emptyDir: {}, hostPath: {path: /a}}", Some("TL0730")),
        ("{type: HostPath, emptyDir: {}}", Some("TL0731")),
        ("{}", Some("TL0730")),
    ] {
        let value = yaml_to_value(object).unwrap();
        let findings = trueline_kube::object::union_findings(&schema, &value, around);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code.id).collect();
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{object}");
    }
}

#[test]
fn unions_beside_one_of_are_anded() {
    let schema = structural(
        "{type: object, x-kubernetes-unions: [{discriminator: t, fields: {a: A}}], oneOf: [{required: [b]}], \
         properties: {a: {type: string}, b: {type: string}, t: {type: string, minLength: 1}}}",
    );
    let unfolded = schema.unfold_all();
    let said = demanded(&unfolded);
    assert_eq!(said.one_of.len(), 1);
    assert_eq!(said.all_of.len(), 1);
    assert_eq!(&*said.all_of[0].value_validation.one_of[0].value_validation.required[0], "a");
    // The discriminator had a demand of its own: both hold.
    let discriminator = demanded(&unfolded.properties["t"]);
    assert_eq!(discriminator.choices, [Value::from("A")]);
    assert_eq!(discriminator.min_length, Some(1));
}

#[test]
fn union_definitions() {
    let rows = [
        ("{discriminator: t, fields: {a: A, b: B}}", 0),
        ("{fields: {a: A}}", 2),
        ("{discriminator: t}", 1),
        ("{discriminator: x, fields: {a: A}}", 1),
        ("{discriminator: num, fields: {a: A}}", 1),
        ("{discriminator: t, fields: {a: A, b: A}}", 1),
        ("{discriminator: t, fields: {nope: A}}", 1),
    ];
    for (union, count) in rows {
        let schema = structural(&format!(
            "{{type: object, x-kubernetes-unions: [{union}], properties: {{a: {{type: string}}, b: {{type: string}}, \
             t: {{type: string}}, num: {{type: integer}}}}}}"
        ));
        let errors = schema.validate_unions(&Trail::root("", None));
        assert_eq!(errors.len(), count, "{union}: {errors:?}");
    }
    let nested = structural("{type: object, anyOf: [{x-kubernetes-unions: [{discriminator: t}]}]}");
    assert_eq!(nested.validate_unions(&Trail::root("", None)).len(), 1);
    // The verdict is the server's: it drops the keyword, and the rest is a warning.
    let crd = v1(&[&root("{type: object, x-kubernetes-unions: [{fields: {a: A}}]}")], "");
    assert!(messages(&crd).is_empty());
    let around = trueline_source::SourceId::from_index(0).span(0, 0);
    let codes: Vec<&str> = crd.stricter_findings(around).iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["TL0824", "TL0824"]);
}

#[test]
fn litmus_formats_of_one_type() {
    let schema = structural("{type: string, anyOf: [{pattern: '^4$'}, {pattern: '^6$'}]}");
    assert!(schema.validate(&Trail::root("", None)).iter().all(|error| error.field.ends_with(&["type"])));
    assert_eq!(demanded(&schema.clone().unfold_all()).any_of.len(), 2);
    assert!(says_nothing(&schema.without_value_validation()));
}

#[test]
fn litmus_raw_extension() {
    let schema = structural(
        "{type: object, nullable: true, x-kubernetes-embedded-resource: true, \
         x-kubernetes-preserve-unknown-fields: true, properties: {apiVersion: {type: string, pattern: v1}}}",
    );
    let unfolded = schema.clone().unfold_all();
    let version = demanded(&unfolded.properties["apiVersion"]);
    assert_eq!(version.all_of.len(), 2, "both patterns hold");
    assert_eq!(&*version.all_of[1].value_validation.pattern, "v1");
    assert_eq!(&*unfolded.properties["kind"].generic.type_name, "string");
    assert_eq!(&*unfolded.properties["metadata"].generic.type_name, "object");
    let required: Vec<&str> = demanded(&unfolded).required.iter().map(|name| &**name).collect();
    assert_eq!(required, ["kind", "apiVersion"]);
    let dropped = schema.without_value_validation();
    assert!(says_nothing(&dropped) && dropped.generic.nullable && dropped.extensions.embedded_resource);
}

#[test]
fn litmus_json_and_maps() {
    let json = structural("{type: object, x-kubernetes-preserve-unknown-fields: true, nullable: true}");
    let dropped = json.without_value_validation();
    assert!(dropped.extensions.preserve_unknown_fields && dropped.generic.nullable);
    let map = structural("{type: object, additionalProperties: {type: integer, minimum: 42}}");
    assert!(says_nothing(&map.without_value_validation()));
}

#[test]
fn litmus_int_or_string() {
    let schema = structural(
        "{x-kubernetes-int-or-string: true, pattern: abc, anyOf: [{minimum: 42, maximum: 50}, {minimum: 52, maximum: \
         60}]}",
    );
    let unfolded = schema.clone().unfold();
    assert_eq!(demanded(&unfolded).any_of.len(), 2);
    assert!(demanded(&unfolded).begins_int_or_string());
    let spelled_out = unfolded.clone().unfold();
    assert_eq!(demanded(&spelled_out).all_of.len(), demanded(&unfolded).all_of.len(), "once is enough");
    let simple = structural("{x-kubernetes-int-or-string: true}").unfold();
    assert!(demanded(&simple).is_int_or_string());
    assert!(says_nothing(&schema.without_value_validation()));
}

/// Each example of the document: as specified, as published in OpenAPI v3 with all unfoldings, and in v2. Where the
/// document and servers differ about v2 (patterns and enums stay, a nullable field loses its fields), servers win.
#[test]
fn litmus_examples_as_published() {
    use trueline_kube::publish::{OpenApi, Unfolding, publish};
    let either = r#"[{"type":"integer"},{"type":"string"}]"#;
    let bounds = r#"[{"maximum":50,"minimum":42},{"maximum":60,"minimum":52}]"#;
    let rows: &[(&str, String, &str)] = &[
        (
            "{type: string, anyOf: [{pattern: '^4$'}, {pattern: '^6$'}]}",
            r#"{"anyOf":[{"pattern":"^4$"},{"pattern":"^6$"}],"type":"string"}"#.to_owned(),
            r#"{"type":"string"}"#,
        ),
        (
            "{type: object, properties: {json: {type: object, x-kubernetes-preserve-unknown-fields: true, nullable: \
             true}}}",
            r#"{"properties":{"json":{"nullable":true,"type":"object","x-kubernetes-preserve-unknown-fields":true}},"type":"object"}"#.to_owned(),
            r#"{"properties":{"json":{"x-kubernetes-preserve-unknown-fields":true}},"type":"object"}"#,
        ),
        (
            "{type: object, additionalProperties: {type: integer, minimum: 42}}",
            r#"{"additionalProperties":{"minimum":42,"type":"integer"},"type":"object"}"#.to_owned(),
            r#"{"additionalProperties":{"minimum":42,"type":"integer"},"type":"object"}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true, pattern: abc, anyOf: [{minimum: 42, maximum: 50}, {minimum: 52, \
             maximum: 60}]}",
            format!(r#"{{"allOf":[{{"anyOf":{either}}}],"anyOf":{bounds},"pattern":"abc","x-kubernetes-int-or-string":true}}"#),
            r#"{"pattern":"abc","x-kubernetes-int-or-string":true}"#,
        ),
        (
            "{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: abc, anyOf: \
             [{minimum: 42, maximum: 50}, {minimum: 52, maximum: 60}]}]}",
            format!(r#"{{"allOf":[{{"anyOf":{either}}},{{"anyOf":{bounds},"pattern":"abc"}}],"x-kubernetes-int-or-string":true}}"#),
            r#"{"x-kubernetes-int-or-string":true}"#,
        ),
    ];
    for (spec, version_three, version_two) in rows {
        let crd = v1(&[&root(spec)], "");
        assert!(messages(&crd).is_empty(), "{spec}: {:?}", messages(&crd));
        let published = |open_api| {
            let published = publish(&crd, &crd.spec.versions[0], open_api, Unfolding::Document);
            let spec = published.object.get("properties").and_then(|properties| properties.get("spec"));
            spec.unwrap().to_json_text().unwrap()
        };
        assert_eq!(&published(OpenApi::V3), version_three, "{spec}");
        assert_eq!(published(OpenApi::V2), *version_two, "{spec}");
    }
    let crd = v1(&[&root(UNION)], "");
    let published = |open_api| {
        let published = publish(&crd, &crd.spec.versions[0], open_api, Unfolding::Document);
        published.object.to_json_text().unwrap()
    };
    assert!(
        published(OpenApi::V3).contains(r#""oneOf":[{"required":["emptyDir"]},{"required":["hostPath"]}]"#)
    );
    assert!(!published(OpenApi::V2).contains("oneOf"));
}

/// Rows: the schemas of the versions, the status of the condition, and how many errors a create gives.
#[test]
fn test_plan_matrix() {
    let good = root("{type: object, properties: {a: {type: string}}}");
    let other = root("{type: object, properties: {a: {type: integer}}}");
    let bad = root("{type: object, properties: {a: {minLength: 1}}}");
    let refused = root("{type: object, properties: {a: {type: string, $ref: x}}}");
    let rows: &[(&[&str], Option<&str>, usize)] = &[
        (&[&good], None, 0),
        (&[&bad], Some("True"), 1),
        (&[&refused], Some("Unknown"), 1),
        (&[""], None, 1),
        (&[&good, &other], None, 0),
        (&[&good, &bad], Some("True"), 1),
        (&[&bad, &bad], Some("True"), 1),
        (&[&good, ""], None, 1),
    ];
    for (schemas, condition, errors) in rows {
        let crd = v1(schemas, "");
        let found = crd.non_structural_condition();
        assert_eq!(found.as_ref().map(|found| &*found.status), *condition, "{schemas:?}");
        assert_eq!(messages(&crd).len(), *errors, "{schemas:?}: {:?}", messages(&crd));
        // Nothing is published of a schema that is not structural.
        let versions = crd.spec.versions.iter().map(|version| {
            use trueline_kube::publish::{OpenApi, Unfolding, publish};
            publish(&crd, version, OpenApi::V3, Unfolding::Server).object.get("properties").is_some()
        });
        let told = versions.filter(|is_told| *is_told).count();
        let sound = schemas.iter().filter(|schema| **schema == good || **schema == other).count();
        assert_eq!(told, sound, "{schemas:?}");
        // An update to the same is taken only if objects are not pruned, or if nothing is wrong.
        assert_eq!(
            crd.validate_update(&crd, trueline_kube::KubeVersion::CRD_RULES).errors.is_empty(),
            *errors == 0,
            "{schemas:?}"
        );
        let preserving = v1(schemas, ", preserveUnknownFields: true");
        assert!(
            preserving
                .validate_update(&preserving, trueline_kube::KubeVersion::CRD_RULES)
                .errors
                .iter()
                .all(|error| { error.field.to_string().contains("$ref") })
        );
    }
    let condition = v1(&[&bad], "").non_structural_condition().unwrap();
    assert_eq!(
        &*condition.message,
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be \
         empty for specified object fields"
    );
}

#[test]
fn compatibility_plan() {
    let bad = root("{type: object, properties: {a: {minLength: 1}}}");
    let good = root("{type: object, properties: {a: {type: string}}}");
    let with = |keyword: &str| {
        root(&format!("{{type: object, properties: {{a: {{minLength: 1}}, b: {{{keyword}}}}}}}"))
    };
    let webhook = ", preserveUnknownFields: true, conversion: {strategy: Webhook, webhook: {conversionReviewVersions: \
                   [v1], clientConfig: {url: 'https://a/'}}}";
    let preserving = |schema: &str| v1(&[schema], ", preserveUnknownFields: true");
    let fields = |new: &Crd, old: &Crd| -> Vec<String> {
        new.validate_update(old, trueline_kube::KubeVersion::CRD_RULES)
            .errors
            .into_iter()
            .map(|error| error.field.to_string())
            .collect()
    };
    let old = preserving(&bad);
    // Create: only structural schemas. Update: not structural only if it was so before.
    assert!(!messages(&preserving(&bad)).is_empty());
    assert!(fields(&old, &old).is_empty());
    assert_eq!(fields(&preserving(&bad), &preserving(&good)).len(), 1);
    // A webhook is refused on create and on update without pruning; servers refuse one that was there before too.
    assert!(fields(&v1(&[&bad], webhook), &old).contains(&"spec.conversion.strategy".to_owned()));
    assert!(
        messages(&v1(&[&bad], webhook)).iter().any(|message| message.starts_with("spec.conversion.strategy"))
    );
    // Pruning, defaults and extensions are refused for what is not structural.
    assert!(!fields(&v1(&[&bad], ""), &old).is_empty());
    assert!(!fields(&preserving(&with("type: string, default: x")), &old).is_empty());
    assert!(!fields(&preserving(&with("x-kubernetes-int-or-string: true")), &old).is_empty());
    assert!(fields(&preserving(&with("type: object, x-kubernetes-map-type: atomic")), &old).is_empty());
    // Unions: the server drops them, so they are no reason to refuse.
    assert!(fields(&preserving(&with("type: object, x-kubernetes-unions: []")), &old).is_empty());
    // The condition is never false.
    assert!(v1(&[&good], "").non_structural_condition().is_none());
}

#[test]
fn stricter_than_the_server() {
    let rows = [
        ("{type: object, anyOf: [{properties: {a: {minimum: 1}}}]}", "TL0821"),
        ("{type: object, allOf: [{additionalProperties: false}]}", "TL0822"),
        ("{type: string, anyOf: [{type: integer}, {type: string}]}", "TL0823"),
        ("{type: object, additionalProperties: {type: integer, default: x}}", "TL0825"),
        ("{type: integer, minimum: 3, maximum: 1}", "TL0826"),
        ("{type: integer, enum: [a]}", "TL0826"),
        ("{type: object, required: [a], properties: {b: {type: string}}}", "TL0826"),
        ("{type: integer, minimum: 2.5}", "TL0827"),
        ("{type: string, nullable: true, enum: [a, null]}", "TL0828"),
        ("{type: object, additionalProperties: true}", "TL0829"),
        ("{type: object, properties: {a: {type: string}}, required: [a], anyOf: [{required: [a]}]}", ""),
    ];
    let around = trueline_source::SourceId::from_index(0).span(0, 0);
    for (schema, code) in rows {
        let crd = v1(&[&root(schema)], "");
        assert!(messages(&crd).is_empty(), "{schema}: {:?}", messages(&crd));
        let found = crd.stricter_findings(around);
        let codes: Vec<&str> = found.iter().map(|finding| finding.code.id).collect();
        let expected: Vec<&str> = Some(code).into_iter().filter(|code| !code.is_empty()).collect();
        assert_eq!(codes, expected, "{schema}");
    }
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\n{HEAD}spec: {{group: example.com, scope: Cluster, names: {{plural: foos, \
         kind: Foo}}, versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {}}}, \
         additionalPrinterColumns: [{{name: A, type: string, jsonPath: .spec.nope}}, {{name: B, type: string, \
         jsonPath: '.spec.a[0'}}, {{name: C, type: string, jsonPath: .metadata.name}}, {{name: D, type: string, \
         jsonPath: .spec.a}}]}}]}}",
        root("{type: object, properties: {a: {type: string}}}")
    );
    let codes: Vec<&str> =
        decoded(&text).stricter_findings(around).iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["TL0830", "TL0830"]);
}

#[test]
fn findings_have_codes_places_and_the_server_s_words() {
    // A change of a sound CRD, the code that it gives, and the text at the place.
    let sound = format!(
        "apiVersion: apiextensions.k8s.io/v1\n{HEAD}spec:\n  group: example.com\n  scope: Namespaced\n  names: {{plural: \
         foos, kind: Foo}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
         openAPIV3Schema: {{type: object, properties: {{spec: {{type: string}}}}}}\n"
    );
    let rows = [
        ("storage: true", "storage: \"true\"", "TL0801", "\"true\""),
        ("scope: N", "shape: 1\n  scope: N", "TL0802", "shape"),
        ("foos.example.com", "foo.example.com", "TL0803", "foo.example.com"),
        ("Namespaced", "namespaced", "TL0804", "namespaced"),
        ("storage: true", "storage: false", "TL0805", "versions"),
        ("  versions:", "  conversion: {strategy: Hook}\n  versions:", "TL0806", "Hook"),
        (
            "    schema:",
            "    additionalPrinterColumns: [{name: A, type: str, jsonPath: .a}]\n    schema:",
            "TL0807",
            "str",
        ),
        ("{type: string}", "{type: text}", "TL0808", "text"),
        ("{type: string}", "{minLength: 1}", "TL0809", "spec"),
        ("{type: string}", "{type: string, default: 1}", "TL0810", "1"),
        ("{type: string}", "{type: string, x-kubernetes-validations: [{rule: ''}]}", "TL0811", "''"),
        ("{type: string}", "{type: string, format: foo}", "TL0813", "foo"),
    ];
    for (from, to, code, at) in rows {
        let text = sound.replace(from, to);
        let value = yaml_to_value(&text).unwrap();
        let around = value.origin.unwrap();
        let checked = crd::check(&value, None, crd::CheckOptions::default(), around);
        let found: Vec<&str> = checked.diagnostics.iter().map(|finding| finding.code.id).collect();
        assert!(found.contains(&code), "{to}: {found:?}");
        let finding = checked.diagnostics.iter().find(|finding| finding.code.id == code).unwrap();
        let span = finding.primary.span;
        assert_eq!(&text[span.start as usize..span.end as usize], at, "{to}");
        let mirrors = !matches!(code, "TL0801" | "TL0802" | "TL0813");
        assert_eq!(finding.kube.is_some(), mirrors, "{to}");
    }
    let value = yaml_to_value(&sound).unwrap();
    assert!(
        crd::check(&value, None, crd::CheckOptions::default(), value.origin.unwrap()).diagnostics.is_empty()
    );
}

#[test]
fn codes_are_in_order_and_told() {
    assert!(crd::CODES.windows(2).all(|pair| pair[0].id < pair[1].id));
    for code in crd::CODES {
        assert!(code.id.starts_with("TL08") && !code.explanation.is_empty(), "{}", code.id);
        assert_eq!(code.wrong.is_empty(), code.right.is_empty(), "{}", code.id);
    }
}

/// What is said of a definition, with the texts that are pointed at.
fn findings(text: &str) -> Vec<(String, String)> {
    let value = yaml_to_value(text).unwrap();
    let around = value.origin.unwrap();
    let checked = crd::check(&value, None, crd::CheckOptions::default(), around);
    let shown = |span: trueline_source::Span| text.get(span.range()).unwrap_or_default().to_owned();
    checked.diagnostics.iter().map(|one| (shown(one.primary.span), one.message.clone())).collect()
}

#[test]
fn schemas_can_be_as_deep_as_texts_that_are_read() {
    let depth = 450;
    let inner = "{type: object, properties: {a: ".repeat(depth) + "{type: string}" + &"}}".repeat(depth);
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\n{HEAD}spec:\n  group: example.com\n  scope: Namespaced\n  \
         names: {{plural: foos, kind: Foo}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
         schema: {{openAPIV3Schema: {inner}}}\n"
    );
    // As much as the first thread of a program has.
    let check = move || findings(&text);
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(check).unwrap();
    assert_eq!(thread.join().unwrap(), []);
}

#[test]
fn a_missing_storage_version_is_told_at_the_versions() {
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\n{HEAD}spec:\n  group: example.com\n  scope: Namespaced\n  \
         names: {{plural: foos, kind: Foo}}\n  versions:\n  - name: v1\n    served: true\n    storage: false\n    \
         schema: {{openAPIV3Schema: {{type: object}}}}\n"
    );
    let found = findings(&text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(place, _)| place == "versions"), "{found:?}");
}
