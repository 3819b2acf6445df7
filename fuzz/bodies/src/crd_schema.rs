//! CRDs and their schemas: no panic, no hang, every finding at its place; dropping value validation never refuses
//! what was accepted, unfolding twice changes nothing more, and an example of what a change breaks is one.

use trueline_kube::crd::{self, Crd};
use trueline_kube::object::{Purpose, union_findings, validate};
use trueline_kube::structural::Structural;
use trueline_kube::{FieldPath, KubeVersion, Trail};
use trueline_source::{SourceKind, SourceMap, Span};
use trueline_yaml::{ReadOptions, Value, read};

use crate::{Target, findings};

pub(crate) const TARGET: Target = Target {
    name: "crd_schema",
    run,
    seeds: &[
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, kind: Foo}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}
    additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a}]
    selectableFields: [{jsonPath: .spec.a}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [a]
            properties:
              a: {type: string, pattern: '^[a-z]+$', maxLength: 9, enum: [x, yy], default: x}
              b: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: integer, minimum: 2}}}}
              c: {x-kubernetes-int-or-string: true, anyOf: [{minimum: 1}, {pattern: x}]}
              d: {type: object, additionalProperties: {type: number, format: double, multipleOf: 2}}
            anyOf: [{required: [b]}, {properties: {a: {minLength: 2}}}, {not: {required: [c]}}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec: {group: example.com, scope: Namespaced, names: {plural: foos, kind: Foo}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, e: {type: integer}, b: {type: array, items: {type: object, properties: {k: {type: integer}}}}}}}}}}]}
---
spec: {a: x, b: [{k: 3}], c: 1, d: {q: 4}}
",
        "apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  version: v1
  names: {plural: foos, kind: Foo}
  conversion: {strategy: Webhook, webhookClientConfig: {url: 'https://a:1/b?c#d'}}
  validation: {openAPIV3Schema: {type: object, nullable: true, items: [{}], $ref: x, dependencies: {a: b}, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-validations: [{rule: a, fieldPath: \".b['c']\"}]}}}}
---
{}
---
spec: {metadata: {name: 1}}
",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {versions: [{schema: {openAPIV3Schema: {x-kubernetes-unions: [{discriminator: t, fields: {a: A}}], properties: {t: {type: string}, a: {default: {b: [1, null]}, type: object}}}}}]}}\n---\n1\n---\n[]\n",
    ],
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut parts = text.split("\n---\n");
    let sources = SourceMap::new();
    let mut next = || value(&sources, parts.next().unwrap_or("{}"));
    let (new, old, object) = (next(), next(), next());
    let crd = |(value, around): &(Value, Span)| -> Option<Crd> {
        let checked = crd::check(value, None, crd::CheckOptions::default(), *around);
        findings::check(&checked.diagnostics, &sources);
        checked.crd
    };
    let Some(new_crd) = crd(&new) else { return };
    new_crd.non_structural_condition();
    for version in &new_crd.spec.versions {
        if let Some(schema) = new_crd.schema(version).and_then(|schema| Structural::new(schema).ok()) {
            properties(&schema, &object.0);
            findings::check(&union_findings(&schema, &object.0, object.1), &sources);
        }
    }
    if let Some(old_crd) = crd(&old) {
        let difference = crd::diff(&old_crd, &new_crd, KubeVersion::CRD_RULES);
        findings::check(&difference.update.diagnostics(new.1, &|scalar, _, _| scalar), &sources);
        for found in &difference.breaks {
            findings::check(&[found.to_diagnostic(new.1)], &sources);
            assert!(found.errors.is_empty() || found.example.is_ok(), "errors about no object");
        }
    }
}

fn properties(schema: &Structural, object: &Value) {
    let path = Trail::root("", None);
    schema.validate_unions(&path);
    let once = schema.clone().unfold();
    assert_eq!(format!("{once:?}"), format!("{:?}", once.clone().unfold()), "unfolding twice");
    let errors = |schema: &Structural| validate(object, schema, Purpose::Objects, &FieldPath::default());
    if schema.validate(&path).is_empty() && errors(schema).is_empty() {
        let left = errors(&schema.without_value_validation());
        assert!(left.is_empty(), "dropping value validation refuses {left:?}");
    }
}

fn value(sources: &SourceMap, text: &str) -> (Value, Span) {
    let id = sources.add("text.yaml", SourceKind::File, text);
    let stream = read(id, sources.get(id).text(), &ReadOptions::default());
    let document = stream.documents.first();
    let value = document.map_or_else(|| Value::from(true), |document| Value::from_node(document.root()));
    (value, Span::whole(id))
}
