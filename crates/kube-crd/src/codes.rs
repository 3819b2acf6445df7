//! The codes of CRDs: what `explain` prints about them. From TL0821 on they are stricter than the server.

use trueline_diagnostic::{Code, Severity};

/// A field of a CRD holds a value of the wrong type.
pub static UNREADABLE: Code = Code {
    id: "TL0801",
    name: "crd-unreadable",
    severity: Severity::Error,
    summary: "A field of a CRD holds a value of the wrong type",
    explanation: "The server reads a CRD into fixed types before it looks at anything else. A string where a number belongs, or a list where a map belongs, ends the reading: nothing else is checked.\n\nWrite the value that the label asks for. Write numbers and booleans without quotes.",
    wrong: "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      name: {type: string, maxLength: \"63\"}\n",
    right: "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      name: {type: string, maxLength: 63}\n",
};

/// A field of a CRD is not known to the server.
pub static UNKNOWN_FIELD: Code = Code {
    id: "TL0802",
    name: "crd-unknown-field",
    severity: Severity::Error,
    summary: "A field of a CRD is not known to the server",
    explanation: "The server drops what it does not know, or refuses the CRD if the client asks it to be strict, as kubectl does. A keyword of JSON Schema that CRDs do not have, such as `const` or `if`, has no effect either way.\n\nFix the spelling, or remove the field. `--field-validation` chooses between error, warning and silence.",
    wrong: "names:\n  plural: foos\n  kind: Foo\n  shortname: fo\n",
    right: "names:\n  plural: foos\n  kind: Foo\n  shortNames: [fo]\n",
};

/// The name or the metadata of a CRD is not allowed.
pub static METADATA: Code = Code {
    id: "TL0803",
    name: "crd-metadata",
    severity: Severity::Error,
    summary: "The name or the metadata of a CRD is not allowed",
    explanation: "The name of a CRD is not free: it is the plural of the resource, a dot, and the group. Labels, annotations, finalizers and owner references follow the rules of all objects.",
    wrong: "metadata: {name: foo}\nspec:\n  group: example.com\n  names: {plural: foos, kind: Foo}\n",
    right: "metadata: {name: foos.example.com}\nspec:\n  group: example.com\n  names: {plural: foos, kind: Foo}\n",
};

/// The group, the scope or a name of a resource is not allowed.
pub static NAMES: Code = Code {
    id: "TL0804",
    name: "crd-names",
    severity: Severity::Error,
    summary: "The group, the scope or a name of a resource is not allowed",
    explanation: "The group is a domain with at least one dot. The scope is `Cluster` or `Namespaced`. Plural, singular, short names and categories are lower-case words (letters, digits and dashes, beginning with a letter); the kind may have capitals.",
    wrong: "spec:\n  group: example\n  scope: namespaced\n  names: {plural: Foos, kind: Foo}\n",
    right: "spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: foos, kind: Foo}\n",
};

/// The versions of a CRD do not fit together.
pub static VERSIONS: Code = Code {
    id: "TL0805",
    name: "crd-versions",
    severity: Severity::Error,
    summary: "The versions of a CRD do not fit together",
    explanation: "Exactly one version is the one that objects are stored in, names of versions are unique, and every version has a schema. A version that objects were stored in has to stay until they have been moved.",
    wrong: "versions:\n- {name: v1, served: true, storage: true}\n- {name: v2, served: true, storage: true}\n",
    right: "versions:\n- name: v1\n  served: true\n  storage: false\n  schema: {openAPIV3Schema: {type: object}}\n- name: v2\n  served: true\n  storage: true\n  schema: {openAPIV3Schema: {type: object}}\n",
};

/// The conversion between versions is not set up rightly.
pub static CONVERSION: Code = Code {
    id: "TL0806",
    name: "crd-conversion",
    severity: Severity::Error,
    summary: "The conversion between versions is not set up rightly",
    explanation: "The strategy is `None` or `Webhook`. A webhook needs either an address or a service, and the versions of reviews that it understands, of which the server has to know one.",
    wrong: "conversion:\n  strategy: Webhook\n",
    right: "conversion:\n  strategy: Webhook\n  webhook:\n    conversionReviewVersions: [v1]\n    clientConfig:\n      service: {name: converter, namespace: system}\n",
};

/// A subresource, a printer column or a selectable field is not allowed.
pub static FEATURE: Code = Code {
    id: "TL0807",
    name: "crd-feature",
    severity: Severity::Error,
    summary: "A subresource, a printer column or a selectable field is not allowed",
    explanation: "Paths begin with a dot. Those of the scale subresource lead into `.spec` and `.status`. A selectable field leads to a string, a boolean or an integer that the schema knows.",
    wrong: "subresources:\n  scale: {specReplicasPath: spec.replicas, statusReplicasPath: .status.replicas}\n",
    right: "subresources:\n  scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}\n",
};

/// A keyword of a schema cannot be used in this way.
pub static SCHEMA_KEYWORD: Code = Code {
    id: "TL0808",
    name: "crd-schema-keyword",
    severity: Severity::Error,
    summary: "A keyword of a schema cannot be used in this way",
    explanation: "CRDs take a part of OpenAPI's schema language. References, `uniqueItems: true`, lists of schemas for `items` and others are not in it, and the keywords that begin with `x-kubernetes-` demand types of their own.",
    wrong: "properties:\n  names: {type: array, uniqueItems: true, items: {type: string}}\n",
    right: "properties:\n  names: {type: array, x-kubernetes-list-type: set, items: {type: string}}\n",
};

/// A schema is not structural.
pub static NOT_STRUCTURAL: Code = Code {
    id: "TL0809",
    name: "crd-not-structural",
    severity: Severity::Error,
    summary: "A schema is not structural",
    explanation: "The server has to know which fields there are, and of what type, without working out `allOf`, `anyOf`, `oneOf` and `not`. So every field has a type outside of them, and inside of them there are only demands on values: no types, no defaults, no descriptions, and no field that is not there outside too.",
    wrong: "openAPIV3Schema:\n  type: object\n  properties:\n    port:\n      anyOf:\n      - {type: integer}\n      - {type: string}\n",
    right: "openAPIV3Schema:\n  type: object\n  properties:\n    port:\n      x-kubernetes-int-or-string: true\n",
};

/// A default is not a value that its own schema accepts.
pub static BAD_DEFAULT: Code = Code {
    id: "TL0810",
    name: "crd-bad-default",
    severity: Severity::Error,
    summary: "A default is not a value that its own schema accepts",
    explanation: "A default is put into objects as it is, so it has to be valid by itself: with all required fields (defaults inside of it are not filled in first), without fields that the schema does not know.",
    wrong: "properties:\n  replicas: {type: integer, default: \"1\"}\n",
    right: "properties:\n  replicas: {type: integer, default: 1}\n",
};

/// A field of a validation rule is not allowed.
pub static BAD_RULE: Code = Code {
    id: "TL0811",
    name: "crd-bad-rule",
    severity: Severity::Error,
    summary: "A field of a validation rule is not allowed",
    explanation: "A rule has an expression. Its message is one line, and is needed if the expression is longer than that. Its reason is one of four words, and its path leads from the schema with the rule to a field below it.",
    wrong: "x-kubernetes-validations:\n- rule: \"\"\n  message: \"wrong\"\n",
    right: "x-kubernetes-validations:\n- rule: self.minimum <= self.maximum\n  message: the minimum is above the maximum\n",
};

/// An update changes what must not change.
pub static IMMUTABLE_FIELD: Code = Code {
    id: "TL0812",
    name: "crd-immutable",
    severity: Severity::Error,
    summary: "An update changes what must not change",
    explanation: "Objects are stored under the group and the plural of their resource, so these cannot change; nor can scope and kind once the server serves the resource. A CRD that needs another name is a new CRD.",
    wrong: "",
    right: "",
};

/// A format is not one that servers check.
pub static UNKNOWN_FORMAT: Code = Code {
    id: "TL0813",
    name: "crd-unknown-format",
    severity: Severity::Warning,
    summary: "A format is not one that servers check",
    explanation: "The server accepts the schema, warns, and checks nothing. Use a format that it knows, or a pattern.",
    wrong: "properties:\n  address: {type: string, format: ip}\n",
    right: "properties:\n  address: {type: string, format: ipv4}\n",
};

/// A CRD in a group of the Kubernetes project does not say where it was approved.
pub static APPROVAL: Code = Code {
    id: "TL0814",
    name: "crd-approval",
    severity: Severity::Error,
    summary: "A CRD in a group of the Kubernetes project does not say where it was approved",
    explanation: "Groups below `k8s.io` and `kubernetes.io` belong to the project. The annotation `api-approved.kubernetes.io` holds the address of the pull request that approved the API, or a string that begins with `unapproved`. Anybody else uses a domain of their own.",
    wrong: "metadata:\n  name: foos.example.k8s.io\n",
    right: "metadata:\n  name: foos.example.k8s.io\n  annotations:\n    api-approved.kubernetes.io: https://github.com/kubernetes/enhancements/pull/1111\n",
};

/// A CRD is written in a version of the API that servers no longer take.
pub static OLD_API: Code = Code {
    id: "TL0815",
    name: "crd-old-api",
    severity: Severity::Warning,
    summary: "A CRD is written in a version of the API that servers no longer take",
    explanation: "`apiextensions.k8s.io/v1beta1` was removed in Kubernetes 1.22. It is checked by its own rules here, but no server of today accepts it. In `v1` every version has its own schema, and conversion has its settings under `webhook`.",
    wrong: "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
    right: "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
};

/// A field is inside `allOf`, `anyOf`, `oneOf` or `not`, but not outside.
pub static INCOMPLETE: Code = Code {
    id: "TL0821",
    name: "crd-incomplete",
    severity: Severity::Warning,
    summary: "A field is inside `allOf`, `anyOf`, `oneOf` or `not`, but not outside",
    explanation: "A structural schema names every field outside of these keywords (KEP-2335). The API server of Kubernetes 1.35 checks that only for those at the root of a schema and misses the same fault further down: the field is then pruned from every object before the demand on it is looked at.\n\nAdd the field, with its type, to the `properties` or `items` beside the keyword.",
    wrong: "spec:\n  type: object\n  anyOf:\n  - properties: {size: {minimum: 1}}\n",
    right: "spec:\n  type: object\n  properties: {size: {type: integer}}\n  anyOf:\n  - properties: {size: {minimum: 1}}\n",
};

/// `additionalProperties: false` inside of `allOf`, `anyOf`, `oneOf` or `not`.
pub static INEFFECTIVE: Code = Code {
    id: "TL0822",
    name: "crd-ineffective",
    severity: Severity::Warning,
    summary: "`additionalProperties: false` inside of `allOf`, `anyOf`, `oneOf` or `not`",
    explanation: "A structural schema has no `additionalProperties` there (KEP-2335). The API server of Kubernetes 1.35 refuses `true` and schemas, but accepts `false`. Remove it: fields that the schema does not know are pruned anyway.",
    wrong: "allOf:\n- additionalProperties: false\n",
    right: "allOf:\n- maxProperties: 3\n",
};

/// The pattern of an integer or string is used without `x-kubernetes-int-or-string`.
pub static MISSING_INT_OR_STRING: Code = Code {
    id: "TL0823",
    name: "crd-missing-int-or-string",
    severity: Severity::Warning,
    summary: "The pattern of an integer or string is used without `x-kubernetes-int-or-string`",
    explanation: "Types inside of `anyOf` are allowed only to spell out `x-kubernetes-int-or-string: true` (KEP-2335). The API server of Kubernetes 1.35 accepts them without that keyword too, where they contradict the type beside them or say nothing.",
    wrong: "port:\n  type: string\n  anyOf: [{type: integer}, {type: string}]\n",
    right: "port:\n  x-kubernetes-int-or-string: true\n  anyOf: [{type: integer}, {type: string}]\n",
};

/// A union is not one as structural schemas describe them.
pub static BAD_UNION: Code = Code {
    id: "TL0824",
    name: "crd-union",
    severity: Severity::Warning,
    summary: "A union is not one as structural schemas describe them",
    explanation: "KEP-2335 describes `x-kubernetes-unions`, and no API server implements it: the keyword is dropped. Where it is used as a hint for tools, it has to be right: a discriminator that is a string field, and fields that exist, each with a value of the discriminator. Objects are checked against unions that are (TL0730, TL0731).",
    wrong: "x-kubernetes-unions:\n- fields: {emptyDir: EmptyDir}\n",
    right: "x-kubernetes-unions:\n- discriminator: type\n  fields: {emptyDir: EmptyDir}\n",
};

/// A default below `additionalProperties` is not a value that its own schema accepts.
pub static UNCHECKED_DEFAULT: Code = Code {
    id: "TL0825",
    name: "crd-unchecked-default",
    severity: Severity::Warning,
    summary: "A default below `additionalProperties` is not a value that its own schema accepts",
    explanation: "Servers do not look at defaults below `additionalProperties` when a CRD is written, but they do fill them in: objects are then refused because of a value that nobody typed.",
    wrong: "additionalProperties: {type: integer, default: x}\n",
    right: "additionalProperties: {type: integer, default: 1}\n",
};

/// No value, or not the value that was meant, can keep to this schema.
pub static IMPOSSIBLE: Code = Code {
    id: "TL0826",
    name: "crd-impossible",
    severity: Severity::Warning,
    summary: "No value, or not the value that was meant, can keep to this schema",
    explanation: "The server does not compare keywords with each other: a minimum above the maximum, a choice of another type than the field, or a required field that is pruned because `properties` does not have it are all accepted. Objects are then refused whatever they hold.",
    wrong: "size: {type: integer, minimum: 10, maximum: 1}\n",
    right: "size: {type: integer, minimum: 1, maximum: 10}\n",
};

/// A bound of integers has a fraction, which the server cuts off.
pub static TRUNCATED_BOUND: Code = Code {
    id: "TL0827",
    name: "crd-truncated-bound",
    severity: Severity::Warning,
    summary: "A bound of integers has a fraction, which the server cuts off",
    explanation: "For integers the server cuts bounds down to integers: `minimum: 2.5` accepts 2. `multipleOf` below 1 refuses every integer.",
    wrong: "size: {type: integer, minimum: 2.5}\n",
    right: "size: {type: integer, minimum: 3}\n",
};

/// A choice of null is never taken.
pub static NULL_CHOICE: Code = Code {
    id: "TL0828",
    name: "crd-null-choice",
    severity: Severity::Warning,
    summary: "A choice of null is never taken",
    explanation: "The server does not find null among the values of `enum`, even if the field is `nullable`: null is always refused there. Leave the field out instead of setting it to null.",
    wrong: "mode: {type: string, nullable: true, enum: [fast, null]}\n",
    right: "mode: {type: string, enum: [fast]}\n",
};

/// `additionalProperties: true` keeps fields, but not what is inside of them.
pub static EMPTIED_MAP: Code = Code {
    id: "TL0829",
    name: "crd-emptied-map",
    severity: Severity::Warning,
    summary: "`additionalProperties: true` keeps fields, but not what is inside of them",
    explanation: "A map whose values have no schema keeps its own fields, but objects inside of them are pruned until they are empty. To keep everything, use `x-kubernetes-preserve-unknown-fields: true`.",
    wrong: "settings: {type: object, additionalProperties: true}\n",
    right: "settings: {type: object, x-kubernetes-preserve-unknown-fields: true}\n",
};

/// The path of a printer column cannot be resolved.
pub static BROKEN_COLUMN: Code = Code {
    id: "TL0830",
    name: "crd-broken-column",
    severity: Severity::Warning,
    summary: "The path of a printer column cannot be resolved",
    explanation: "The server accepts any path that begins with a dot. If it cannot be read, all columns are replaced by the default ones; if it leads to a field that the schema does not have, the column stays empty.",
    wrong: "additionalPrinterColumns:\n- {name: Size, type: integer, jsonPath: .spec.sise}\n",
    right: "additionalPrinterColumns:\n- {name: Size, type: integer, jsonPath: .spec.size}\n",
};

/// A change of a CRD breaks objects that exist.
pub static BREAKING_CHANGE: Code = Code {
    id: "TL0841",
    name: "crd-breaking-change",
    severity: Severity::Warning,
    summary: "A change of a CRD breaks objects that exist",
    explanation: "An object that the old CRD accepts is refused by the new one, loses fields, or can no longer be reached. The server does not look at existing objects when a CRD is changed: they fail when somebody writes them next.\n\nAdd a new version and convert, or make the change in steps that old objects survive.",
    wrong: "",
    right: "",
};

/// All codes of CRDs.
pub const CODES: &[&Code] = &[
    &UNREADABLE,
    &UNKNOWN_FIELD,
    &METADATA,
    &NAMES,
    &VERSIONS,
    &CONVERSION,
    &FEATURE,
    &SCHEMA_KEYWORD,
    &NOT_STRUCTURAL,
    &BAD_DEFAULT,
    &BAD_RULE,
    &IMMUTABLE_FIELD,
    &UNKNOWN_FORMAT,
    &APPROVAL,
    &OLD_API,
    &INCOMPLETE,
    &INEFFECTIVE,
    &MISSING_INT_OR_STRING,
    &BAD_UNION,
    &UNCHECKED_DEFAULT,
    &IMPOSSIBLE,
    &TRUNCATED_BOUND,
    &NULL_CHOICE,
    &EMPTIED_MAP,
    &BROKEN_COLUMN,
    &BREAKING_CHANGE,
];
