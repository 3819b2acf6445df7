//! The types of Go's that CRDs and the metadata of objects are read into: facts of the API, as tables.

use super::GoType::{
    Bool, Bytes, Float, Int32, Int64, Json, List, Map, NamedList, NamedMap, SchemaOrBool, SchemaOrList,
    SchemaOrStrings, Struct, Text, Time,
};
use super::{GoStruct, GoType};

const STRING: GoType = Text("string");

/// `[]string`
pub static STRINGS: GoType = List(&STRING);
/// `[]JSONSchemaProps`
pub static SCHEMAS: GoType = List(&Struct(&JSON_SCHEMA_PROPS));

/// `ObjectMeta`
pub static OBJECT_META: GoStruct = GoStruct {
    name: "ObjectMeta",
    package: "v1",
    fields: &[
        ("name", STRING),
        ("generateName", STRING),
        ("namespace", STRING),
        ("selfLink", STRING),
        ("uid", Text("types.UID")),
        ("resourceVersion", STRING),
        ("generation", Int64),
        ("creationTimestamp", Time),
        ("deletionTimestamp", Time),
        ("deletionGracePeriodSeconds", Int64),
        ("labels", Map(&STRING)),
        ("annotations", Map(&STRING)),
        ("ownerReferences", List(&Struct(&OWNER_REFERENCE))),
        ("finalizers", List(&STRING)),
        ("managedFields", List(&Struct(&MANAGED_FIELDS_ENTRY))),
    ],
};

static OWNER_REFERENCE: GoStruct = GoStruct {
    name: "OwnerReference",
    package: "v1",
    fields: &[
        ("apiVersion", STRING),
        ("kind", STRING),
        ("name", STRING),
        ("uid", Text("types.UID")),
        ("controller", Bool),
        ("blockOwnerDeletion", Bool),
    ],
};

static MANAGED_FIELDS_ENTRY: GoStruct = GoStruct {
    name: "ManagedFieldsEntry",
    package: "v1",
    fields: &[
        ("manager", STRING),
        ("operation", Text("v1.ManagedFieldsOperationType")),
        ("apiVersion", STRING),
        ("time", Time),
        ("fieldsType", STRING),
        ("fieldsV1", Json),
        ("subresource", STRING),
    ],
};

/// `CustomResourceDefinition` of `apiextensions.k8s.io/v1`
pub static CRD_V1: GoStruct = GoStruct {
    name: "CustomResourceDefinition",
    package: "@",
    fields: &[
        ("apiVersion", STRING),
        ("kind", STRING),
        ("metadata", Struct(&OBJECT_META)),
        ("spec", Struct(&SPEC_V1)),
        ("status", Struct(&STATUS)),
    ],
};

/// `CustomResourceDefinition` of `apiextensions.k8s.io/v1beta1`
pub static CRD_V1BETA1: GoStruct = GoStruct {
    name: "CustomResourceDefinition",
    package: "@",
    fields: &[
        ("apiVersion", STRING),
        ("kind", STRING),
        ("metadata", Struct(&OBJECT_META)),
        ("spec", Struct(&SPEC_V1BETA1)),
        ("status", Struct(&STATUS)),
    ],
};

static SPEC_V1: GoStruct = GoStruct {
    name: "CustomResourceDefinitionSpec",
    package: "@",
    fields: &[
        ("group", STRING),
        ("names", Struct(&NAMES)),
        ("scope", Text("@.ResourceScope")),
        ("versions", List(&Struct(&VERSION_V1))),
        ("conversion", Struct(&CONVERSION_V1)),
        ("preserveUnknownFields", Bool),
    ],
};

static SPEC_V1BETA1: GoStruct = GoStruct {
    name: "CustomResourceDefinitionSpec",
    package: "@",
    fields: &[
        ("group", STRING),
        ("version", STRING),
        ("names", Struct(&NAMES)),
        ("scope", Text("@.ResourceScope")),
        ("validation", Struct(&VALIDATION)),
        ("subresources", Struct(&SUBRESOURCES)),
        ("versions", List(&Struct(&VERSION_V1BETA1))),
        ("additionalPrinterColumns", List(&Struct(&COLUMN_V1BETA1))),
        ("selectableFields", List(&Struct(&SELECTABLE_FIELD))),
        ("conversion", Struct(&CONVERSION_V1BETA1)),
        ("preserveUnknownFields", Bool),
    ],
};

static NAMES: GoStruct = GoStruct {
    name: "CustomResourceDefinitionNames",
    package: "@",
    fields: &[
        ("plural", STRING),
        ("singular", STRING),
        ("shortNames", List(&STRING)),
        ("kind", STRING),
        ("listKind", STRING),
        ("categories", List(&STRING)),
    ],
};

static VERSION_V1: GoStruct = GoStruct {
    name: "CustomResourceDefinitionVersion",
    package: "@",
    fields: &[
        ("name", STRING),
        ("served", Bool),
        ("storage", Bool),
        ("deprecated", Bool),
        ("deprecationWarning", STRING),
        ("schema", Struct(&VALIDATION)),
        ("subresources", Struct(&SUBRESOURCES)),
        ("additionalPrinterColumns", List(&Struct(&COLUMN_V1))),
        ("selectableFields", List(&Struct(&SELECTABLE_FIELD))),
    ],
};

static VERSION_V1BETA1: GoStruct = GoStruct {
    name: "CustomResourceDefinitionVersion",
    package: "@",
    fields: &[
        ("name", STRING),
        ("served", Bool),
        ("storage", Bool),
        ("deprecated", Bool),
        ("deprecationWarning", STRING),
        ("schema", Struct(&VALIDATION)),
        ("subresources", Struct(&SUBRESOURCES)),
        ("additionalPrinterColumns", List(&Struct(&COLUMN_V1BETA1))),
        ("selectableFields", List(&Struct(&SELECTABLE_FIELD))),
    ],
};

static COLUMN_V1: GoStruct = GoStruct {
    name: "CustomResourceColumnDefinition",
    package: "@",
    fields: &[
        ("name", STRING),
        ("type", STRING),
        ("format", STRING),
        ("description", STRING),
        ("priority", Int32),
        ("jsonPath", STRING),
    ],
};

static COLUMN_V1BETA1: GoStruct = GoStruct {
    name: "CustomResourceColumnDefinition",
    package: "@",
    fields: &[
        ("name", STRING),
        ("type", STRING),
        ("format", STRING),
        ("description", STRING),
        ("priority", Int32),
        ("JSONPath", STRING),
    ],
};

static SELECTABLE_FIELD: GoStruct =
    GoStruct { name: "SelectableField", package: "@", fields: &[("jsonPath", STRING)] };

static CONVERSION_V1: GoStruct = GoStruct {
    name: "CustomResourceConversion",
    package: "@",
    fields: &[("strategy", Text("@.ConversionStrategyType")), ("webhook", Struct(&WEBHOOK))],
};

static WEBHOOK: GoStruct = GoStruct {
    name: "WebhookConversion",
    package: "@",
    fields: &[("clientConfig", Struct(&CLIENT_CONFIG)), ("conversionReviewVersions", List(&STRING))],
};

static CONVERSION_V1BETA1: GoStruct = GoStruct {
    name: "CustomResourceConversion",
    package: "@",
    fields: &[
        ("strategy", Text("@.ConversionStrategyType")),
        ("webhookClientConfig", Struct(&CLIENT_CONFIG)),
        ("conversionReviewVersions", List(&STRING)),
    ],
};

static CLIENT_CONFIG: GoStruct = GoStruct {
    name: "WebhookClientConfig",
    package: "@",
    fields: &[("url", STRING), ("service", Struct(&SERVICE)), ("caBundle", Bytes)],
};

static SERVICE: GoStruct = GoStruct {
    name: "ServiceReference",
    package: "@",
    fields: &[("namespace", STRING), ("name", STRING), ("path", STRING), ("port", Int32)],
};

static VALIDATION: GoStruct = GoStruct {
    name: "CustomResourceValidation",
    package: "@",
    fields: &[("openAPIV3Schema", Struct(&JSON_SCHEMA_PROPS))],
};

static SUBRESOURCES: GoStruct = GoStruct {
    name: "CustomResourceSubresources",
    package: "@",
    fields: &[("status", Struct(&SUBRESOURCE_STATUS)), ("scale", Struct(&SUBRESOURCE_SCALE))],
};

static SUBRESOURCE_STATUS: GoStruct =
    GoStruct { name: "CustomResourceSubresourceStatus", package: "@", fields: &[] };

static SUBRESOURCE_SCALE: GoStruct = GoStruct {
    name: "CustomResourceSubresourceScale",
    package: "@",
    fields: &[("specReplicasPath", STRING), ("statusReplicasPath", STRING), ("labelSelectorPath", STRING)],
};

static STATUS: GoStruct = GoStruct {
    name: "CustomResourceDefinitionStatus",
    package: "@",
    fields: &[
        ("conditions", List(&Struct(&CONDITION))),
        ("acceptedNames", Struct(&NAMES)),
        ("storedVersions", List(&STRING)),
        ("observedGeneration", Int64),
    ],
};

static CONDITION: GoStruct = GoStruct {
    name: "CustomResourceDefinitionCondition",
    package: "@",
    fields: &[
        ("type", Text("@.CustomResourceDefinitionConditionType")),
        ("status", Text("@.ConditionStatus")),
        ("lastTransitionTime", Time),
        ("reason", STRING),
        ("message", STRING),
        ("observedGeneration", Int64),
    ],
};

/// `JSONSchemaProps`
pub static JSON_SCHEMA_PROPS: GoStruct = GoStruct {
    name: "JSONSchemaProps",
    package: "@",
    fields: &[
        ("id", STRING),
        ("$schema", Text("@.JSONSchemaURL")),
        ("$ref", STRING),
        ("description", STRING),
        ("type", STRING),
        ("format", STRING),
        ("title", STRING),
        ("default", Json),
        ("maximum", Float),
        ("exclusiveMaximum", Bool),
        ("minimum", Float),
        ("exclusiveMinimum", Bool),
        ("maxLength", Int64),
        ("minLength", Int64),
        ("pattern", STRING),
        ("maxItems", Int64),
        ("minItems", Int64),
        ("uniqueItems", Bool),
        ("multipleOf", Float),
        ("enum", List(&Json)),
        ("maxProperties", Int64),
        ("minProperties", Int64),
        ("required", List(&STRING)),
        ("items", SchemaOrList),
        ("allOf", List(&Struct(&JSON_SCHEMA_PROPS))),
        ("oneOf", List(&Struct(&JSON_SCHEMA_PROPS))),
        ("anyOf", List(&Struct(&JSON_SCHEMA_PROPS))),
        ("not", Struct(&JSON_SCHEMA_PROPS)),
        ("properties", Map(&Struct(&JSON_SCHEMA_PROPS))),
        ("additionalProperties", SchemaOrBool),
        ("patternProperties", Map(&Struct(&JSON_SCHEMA_PROPS))),
        ("dependencies", NamedMap("@.JSONSchemaDependencies", &SchemaOrStrings)),
        ("additionalItems", SchemaOrBool),
        ("definitions", NamedMap("@.JSONSchemaDefinitions", &Struct(&JSON_SCHEMA_PROPS))),
        ("externalDocs", Struct(&EXTERNAL_DOCUMENTATION)),
        ("example", Json),
        ("nullable", Bool),
        ("x-kubernetes-preserve-unknown-fields", Bool),
        ("x-kubernetes-embedded-resource", Bool),
        ("x-kubernetes-int-or-string", Bool),
        ("x-kubernetes-list-map-keys", List(&STRING)),
        ("x-kubernetes-list-type", STRING),
        ("x-kubernetes-map-type", STRING),
        ("x-kubernetes-validations", NamedList("@.ValidationRules", &Struct(&VALIDATION_RULE))),
    ],
};

static EXTERNAL_DOCUMENTATION: GoStruct = GoStruct {
    name: "ExternalDocumentation",
    package: "@",
    fields: &[("description", STRING), ("url", STRING)],
};

static VALIDATION_RULE: GoStruct = GoStruct {
    name: "ValidationRule",
    package: "@",
    fields: &[
        ("rule", STRING),
        ("message", STRING),
        ("messageExpression", STRING),
        ("reason", Text("@.FieldValueErrorReason")),
        ("fieldPath", STRING),
        ("optionalOldSelf", Bool),
    ],
};
