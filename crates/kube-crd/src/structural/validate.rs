//! Whether a schema is structural: what is allowed where, with the server's words about what may not.

use trueline_kube_facts::{FieldError, Trail, rules};
use trueline_regexp::Matcher;

use super::complete::completeness;
use super::{Extensions, Generic, NestedValueValidation, Structural, ValueValidation};
use crate::props::OrBool;

rules! {
    /// A list does not say what its items are.
    ITEMS_MISSING: Required in crate::codes::NOT_STRUCTURAL, "crd/items-missing", "must be specified";
    /// `additionalProperties` is used at the root.
    ADDITIONAL_AT_ROOT: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/additional-at-root",
        "must not be used at the root";
    /// `additionalProperties` is used for an embedded object.
    ADDITIONAL_IN_EMBEDDED: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/additional-in-embedded",
        "must not be used if x-kubernetes-embedded-resource is set";
    /// An embedded object has no fields.
    EMBEDDED_WITHOUT_FIELDS: Required in crate::codes::NOT_STRUCTURAL, "crd/embedded-without-fields",
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    /// An embedded object has no type.
    EMBEDDED_NO_TYPE: Required in crate::codes::NOT_STRUCTURAL, "crd/embedded-no-type", "{}";
    /// An embedded object has another type than `object`.
    EMBEDDED_TYPE: Invalid in crate::codes::NOT_STRUCTURAL, "crd/embedded-type", "{}";
    /// A field has no type.
    NO_TYPE: Required in crate::codes::NOT_STRUCTURAL, "crd/no-type", "{}";
    /// The root has another type than `object`.
    TYPE_AT_ROOT: Invalid in crate::codes::NOT_STRUCTURAL, "crd/type-at-root", "must be object at the root";
    /// `apiVersion`, `kind` or `metadata` has another type.
    HEAD_TYPE: Invalid in crate::codes::NOT_STRUCTURAL, "crd/head-type", "must be {}";
    /// The schema of `metadata` demands more than is allowed.
    METADATA_SCHEMA: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/metadata-schema",
        "must not specify anything other than name and generateName, but metadata is implicitly specified";
    /// A keyword cannot be used with `x-kubernetes-int-or-string`.
    INT_OR_STRING: Invalid in crate::codes::NOT_STRUCTURAL, "crd/int-or-string",
        "must be false if x-kubernetes-int-or-string is true";
    /// A pattern is not a regular expression.
    PATTERN: Invalid in crate::codes::NOT_STRUCTURAL, "crd/pattern",
        "must be a valid regular expression, but isn't: {}";
    /// A keyword is used inside of a branch.
    KEYWORD_IN_BRANCH: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/keyword-in-branch",
        "must be {} to be structural";
    /// A type is given inside of a branch.
    TYPE_IN_BRANCH: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/type-in-branch",
        "must be {} to be structural";
    /// `metadata` is used inside of a branch.
    METADATA_IN_BRANCH: Forbidden in crate::codes::NOT_STRUCTURAL, "crd/metadata-in-branch",
        "must not be specified in a nested context";
}

/// Where a schema is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

impl Structural {
    /// All that keeps the schema from being structural, in the server's order.
    pub fn validate(&self, path: &Trail<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        invariants(self, Level::Root, path, &mut errors);
        completeness(self, path, &mut errors);
        errors.sort_by_cached_key(FieldError::message);
        errors
    }
}

fn invariants(schema: &Structural, level: Level, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let (generic, extensions) = (&schema.generic, &schema.extensions);
    let type_name = &*generic.type_name;
    if type_name == "array" && schema.items.is_none() {
        errors.push(path.child("items").refuse(&ITEMS_MISSING));
    }
    if let Some(items) = &schema.items {
        invariants(items, Level::Item, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        invariants(property, Level::Field, &properties.key(name), errors);
    }
    let additional_path = path.child("additionalProperties");
    if let Some(additional) = schema.additional_properties.as_deref() {
        if level == Level::Root {
            errors.push(additional_path.refuse(&ADDITIONAL_AT_ROOT));
        }
        if let OrBool::Schema(additional) = additional {
            invariants(additional, Level::Field, &additional_path, errors);
        }
        if extensions.embedded_resource {
            errors.push(additional_path.refuse(&ADDITIONAL_IN_EMBEDDED));
        }
    }
    int_or_string_alone(extensions, path, errors);
    if let Some(validation) = &schema.value_validation {
        let skip =
            Skip { any_of: validation.is_int_or_string(), first_all_of: validation.begins_int_or_string() };
        value_validation(validation, skip, path, errors);
    }
    types(schema, level, path, errors);
    if level == Level::Root || extensions.embedded_resource {
        resource_fields(schema, level, &properties, errors);
    }
    if extensions.embedded_resource && !extensions.preserve_unknown_fields && schema.properties.is_empty() {
        errors.push(properties.refuse(&EMBEDDED_WITHOUT_FIELDS));
    }
}

fn types(schema: &Structural, level: Level, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let extensions = &schema.extensions;
    let type_name = &*schema.generic.type_name;
    let path = path.child("type");
    if extensions.embedded_resource && type_name != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if type_name.is_empty() {
            path.refuse(EMBEDDED_NO_TYPE.with(detail))
        } else {
            path.refuse_text(type_name, EMBEDDED_TYPE.with(detail))
        });
    } else if type_name.is_empty() && !extensions.int_or_string && !extensions.preserve_unknown_fields {
        errors.push(path.refuse(NO_TYPE.with(match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        })));
    }
    if level == Level::Root && !matches!(type_name, "" | "object") {
        errors.push(path.refuse_text(type_name, &TYPE_AT_ROOT));
    }
}

/// What every object has: its kind and version are text, and of its metadata only the name may be restricted.
fn resource_fields(schema: &Structural, level: Level, properties: &Trail<'_>, errors: &mut Vec<FieldError>) {
    for (name, expected) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = schema.properties.get(name) else { continue };
        let type_name = &*property.generic.type_name;
        if type_name != expected {
            errors.push(properties.key(name).child("type").refuse_text(type_name, HEAD_TYPE.with(expected)));
        }
    }
    if let Some(metadata) = schema.properties.get("metadata")
        && level == Level::Root
        && !restricts_names_only(metadata)
    {
        errors.push(properties.key("metadata").refuse(&METADATA_SCHEMA));
    }
}

fn restricts_names_only(metadata: &Structural) -> bool {
    let is_name = |name: &str| matches!(name, "name" | "generateName");
    let generic = Generic {
        type_name: metadata.generic.type_name.clone(),
        // A default is refused elsewhere.
        default: metadata.generic.default.clone(),
        ..Generic::default()
    };
    metadata.items.is_none()
        && metadata.properties.keys().all(|name| is_name(name))
        && metadata.additional_properties.is_none()
        && metadata.generic == generic
        && metadata.extensions == Extensions::default()
        && metadata.rules.is_empty()
        && metadata.value_validation.as_ref().is_none_or(|validation| validation.is_empty())
}

fn int_or_string_alone(extensions: &Extensions, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if !extensions.int_or_string {
        return;
    }
    let others = [
        ("x-kubernetes-preserve-unknown-fields", extensions.preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", extensions.embedded_resource),
    ];
    for (keyword, _) in others.into_iter().filter(|(_, is_set)| *is_set) {
        errors.push(path.child(keyword).refuse_value("true", &INT_OR_STRING));
    }
}

/// The branches where types are allowed: those that spell out that a value is an integer or a string.
#[derive(Debug, Clone, Copy, Default)]
struct Skip {
    any_of: bool,
    first_all_of: bool,
}

fn value_validation(
    validation: &ValueValidation,
    skip: Skip,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    if !skip.any_of {
        branches(&validation.any_of, &path.child("anyOf"), errors);
    }
    let all_of = path.child("allOf");
    for (index, branch) in validation.all_of.iter().enumerate() {
        let skip = Skip { any_of: skip.first_all_of && index == 0, first_all_of: false };
        nested(branch, skip, &all_of.index(index), errors);
    }
    branches(&validation.one_of, &path.child("oneOf"), errors);
    if let Some(not) = &validation.not {
        nested(not, Skip::default(), &path.child("not"), errors);
    }
    if !validation.pattern.is_empty()
        && let Err(problem) = Matcher::shared(validation.pattern.as_bytes())
    {
        errors
            .push(path.child("pattern").refuse_text(&validation.pattern, PATTERN.with(problem.to_string())));
    }
}

fn branches(branches: &[NestedValueValidation], path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    for (index, branch) in branches.iter().enumerate() {
        nested(branch, Skip::default(), &path.index(index), errors);
    }
}

fn nested(branch: &NestedValueValidation, skip: Skip, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    value_validation(&branch.value_validation, skip, path, errors);
    if let Some(items) = &branch.items {
        nested(items, Skip::default(), &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &branch.properties {
        nested(property, Skip::default(), &properties.key(name), errors);
    }
    let (generic, extensions) = (&branch.forbidden_generic, &branch.forbidden_extensions);
    // `additionalProperties: false` is lost on the way to the server's model, so it passes.
    let has_additional =
        branch.additional_properties.as_deref().is_some_and(|schema| !matches!(schema, OrBool::Bool(false)));
    let forbidden = [
        ("type", "empty", !generic.type_name.is_empty()),
        ("additionalProperties", "undefined", has_additional),
        ("default", "undefined", generic.default.is_some()),
        ("title", "empty", !generic.title.is_empty()),
        ("description", "empty", !generic.description.is_empty()),
        ("nullable", "false", generic.nullable),
        ("x-kubernetes-preserve-unknown-fields", "false", extensions.preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", "false", extensions.embedded_resource),
        ("x-kubernetes-int-or-string", "false", extensions.int_or_string),
        ("x-kubernetes-list-map-keys", "empty", !extensions.list_map_keys.is_empty()),
        ("x-kubernetes-list-type", "undefined", extensions.list_type.is_some()),
        ("x-kubernetes-map-type", "undefined", extensions.map_type.is_some()),
        ("x-kubernetes-validations", "empty", !branch.rules.is_empty()),
    ];
    for (keyword, state, _) in forbidden.into_iter().filter(|(.., is_set)| *is_set) {
        let rule = if keyword == "type" { &TYPE_IN_BRANCH } else { &KEYWORD_IN_BRANCH };
        errors.push(path.child(keyword).refuse(rule.with(state)));
    }
    if branch.properties.contains_key("metadata") {
        errors.push(properties.key("metadata").refuse(&METADATA_IN_BRANCH));
    }
}

impl ValueValidation {
    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        self.format.is_empty()
            && self.pattern.is_empty()
            && !self.exclusive_maximum
            && !self.exclusive_minimum
            && !self.unique_items
            && [self.maximum, self.minimum, self.multiple_of].iter().all(Option::is_none)
            && [self.max_length, self.min_length, self.max_items, self.min_items].iter().all(Option::is_none)
            && [self.max_properties, self.min_properties].iter().all(Option::is_none)
            && self.choices.is_empty()
            && self.required.is_empty()
            && [&self.all_of, &self.any_of, &self.one_of].iter().all(|branches| branches.is_empty())
            && self.not.is_none()
    }

    /// Whether `anyOf` says nothing but that a value is an integer or a string.
    pub fn is_int_or_string(&self) -> bool {
        matches!(self.any_of.as_slice(), [integer, string]
            if integer.is_only_type("integer") && string.is_only_type("string"))
    }

    /// Whether the first branch of `allOf` begins with saying that a value is an integer or a string.
    pub fn begins_int_or_string(&self) -> bool {
        self.all_of.first().is_some_and(|first| first.value_validation.is_int_or_string())
    }
}

impl NestedValueValidation {
    /// A branch that says nothing but the type.
    pub(super) fn of_type(type_name: &str) -> Self {
        let forbidden_generic = Generic { type_name: type_name.into(), ..Generic::default() };
        NestedValueValidation { forbidden_generic, ..NestedValueValidation::default() }
    }

    fn is_only_type(&self, type_name: &str) -> bool {
        self.forbidden_generic == Generic { type_name: type_name.into(), ..Generic::default() }
            && self.forbidden_extensions == Extensions::default()
            && self.value_validation.is_empty()
            && self.items.is_none()
            && self.properties.is_empty()
            && self
                .additional_properties
                .as_deref()
                .is_none_or(|schema| matches!(schema, OrBool::Bool(false)))
            && self.rules.is_empty()
    }
}
