//! The schema of a version: what any schema of a CRD may say, whether it is structural or not.

use rustc_hash::FxHashSet;
use trueline_kube_facts::{FieldError, Reason, Trail, rules};

use super::expressions::{self, Scope, SingleCost, Total};
use super::options::{Options, TYPES, is_type};
use crate::definition::Validation;
use crate::props::{Items, OrBool, Props, Rule, StringsOrSchema};
use crate::{
    check::validate::defaults::UnknownInDefaults,
    structural::{Brackets, Structural},
};

rules! {
    /// The root of the schema is nullable.
    NULLABLE_ROOT: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/nullable-root",
        "nullable cannot be true at the root";
    /// The schema cannot be used.
    SCHEMA_REFUSED: Invalid in crate::codes::NOT_STRUCTURAL, "crd/schema-refused", "{}";
    /// The root of the schema is not an object.
    ROOT_TYPE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/root-type",
        "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
    /// The schema has more at its root than the subresource `status` allows.
    ROOT_BESIDE_STATUS: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/root-beside-status",
        "only [{}] fields are allowed at the root of the schema if the status subresource is enabled";
    /// A schema has both `properties` and `additionalProperties`.
    PROPERTIES_AND_ADDITIONAL: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/properties-and-additional",
        "additionalProperties and properties are mutual exclusive";
    /// `x-kubernetes-preserve-unknown-fields` is false.
    PRESERVE_UNKNOWN_FALSE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/preserve-unknown-false",
        "must be true or undefined";
    /// A default is set where there can be none.
    DEFAULT_NOT_ALLOWED: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/default-not-allowed",
        "must not be set {}";
    /// A keyword of JSON Schema is not supported in CRDs.
    UNSUPPORTED_KEYWORD: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/unsupported-keyword",
        "{} is not supported";
    /// A schema has the type `null`.
    NULL_TYPE: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/null-type",
        "type cannot be set to null, use nullable as an alternative";
    /// `items` is a list of schemas.
    ITEMS_LIST: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/items-list",
        "items must be a schema object and not an array";
    /// Rules are set inside of the metadata of objects.
    VALIDATIONS_IN_METADATA: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/validations-in-metadata",
        "must not be used inside of resource meta";
    /// `uniqueItems` is true.
    UNIQUE_ITEMS: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/unique-items",
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    /// `x-kubernetes-map-type` needs the type `object`.
    MAP_TYPE: Required in crate::codes::SCHEMA_KEYWORD, "crd/map-type", "{}";
    /// `x-kubernetes-map-type` needs the type `object`.
    WRONG_MAP_TYPE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/type-of-map", "{}";
    /// The items of a set are not compared as a whole.
    LIST_OF_SETS: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/list-of-sets",
        "must be atomic as item of a list with x-kubernetes-list-type=set";
    /// `x-kubernetes-list-map-keys` needs the list type `map`.
    NO_LIST_TYPE: Required in crate::codes::SCHEMA_KEYWORD, "crd/no-list-type", "{}";
    /// `x-kubernetes-list-map-keys` needs the list type `map`.
    LIST_TYPE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/list-type", "{}";
    /// A list of the type `map` has no keys.
    NO_MAP_KEYS: Required in crate::codes::SCHEMA_KEYWORD, "crd/no-map-keys",
        "must not be empty if x-kubernetes-list-type is map";
    /// A list of the type `map` has no schema for its items.
    NO_ITEMS: Required in crate::codes::SCHEMA_KEYWORD, "crd/no-items",
        "must have a schema if x-kubernetes-list-type is map";
    /// A list of the type `map` has several schemas for its items.
    MANY_ITEMS: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/many-items",
        "must only have a single schema if x-kubernetes-list-type is map";
    /// The items of a list of the type `map` are not objects.
    MAP_ITEM_TYPE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/map-item-type",
        "must be object if parent array's x-kubernetes-list-type is map";
    /// A key of a list of the type `map` is not a scalar.
    MAP_KEY_TYPE: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/map-key-type",
        "must be a scalar type if parent array's x-kubernetes-list-type is map";
    /// A key of a list of the type `map` is not a field of its items.
    UNKNOWN_MAP_KEY: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/unknown-map-key",
        "entries must all be names of item properties";
    /// A key of a list of the type `map` is listed twice.
    DUPLICATE_MAP_KEY: Invalid in crate::codes::SCHEMA_KEYWORD, "crd/duplicate-map-key",
        "must not contain duplicate entries";
    /// A rule in CEL is empty.
    EMPTY_RULE: Required in crate::codes::BAD_RULE, "crd/empty-rule", "rule is not specified";
    /// The message of a rule is blank.
    BLANK_MESSAGE: Invalid in crate::codes::BAD_RULE, "crd/blank-message", "must be non-empty if specified";
    /// The message of a rule has more than one line.
    MESSAGE_LINES: Invalid in crate::codes::BAD_RULE, "crd/message-lines", "must not contain line breaks";
    /// A rule of more than one line has no message.
    MESSAGE_FOR_LINES: Required in crate::codes::BAD_RULE, "crd/message-for-lines",
        "message must be specified if rule contains line breaks";
    /// The message expression of a rule is blank.
    BLANK_MESSAGE_EXPRESSION: Required in crate::codes::BAD_RULE, "crd/blank-message-expression",
        "messageExpression must be non-empty if specified";
    /// The field path of a rule is blank.
    BLANK_FIELD_PATH: Invalid in crate::codes::BAD_RULE, "crd/blank-field-path",
        "must be non-empty if specified";
    /// The field path of a rule has more than one line.
    FIELD_PATH_LINES: Invalid in crate::codes::BAD_RULE, "crd/field-path-lines", "must not contain line breaks";
    /// The field path of a rule points at a field that does not exist.
    FIELD_PATH: Invalid in crate::codes::BAD_RULE, "crd/field-path", "must be a valid path";
    /// A key of a list of the type `map` is nullable.
    NULLABLE_MAP_KEY: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/nullable-map-key",
        "cannot be nullable when x-kubernetes-list-type is {}";
    /// A key of a list of the type `map` is neither required nor has a default.
    OPTIONAL_MAP_KEY: Required in crate::codes::SCHEMA_KEYWORD, "crd/optional-map-key",
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
    /// A key of a list of the type `map` is nullable.
    NULLABLE_KEY: Forbidden in crate::codes::SCHEMA_KEYWORD, "crd/nullable-key",
        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
}

/// The fields that may be used at the root beside a status subresource, in Go's spelling.
const AT_ROOT: &str = "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength \
                       MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties \
                       ExternalDocs Example XPreserveUnknownFields XValidations";

/// Checks the schema of a version, or the one that all versions share. `path` is that of what holds it.
pub(super) fn validate(
    validation: &Validation,
    has_status: bool,
    options: &Options,
    single: SingleCost,
    path: &Trail<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(schema) = &validation.schema else { return };
    let path = path.child("openAPIV3Schema");
    let before = errors.len();
    if has_status {
        root_beside_status(schema, &path, errors);
    }
    if schema.nullable {
        errors.push(path.child("nullable").refuse(&NULLABLE_ROOT));
    }
    let mut refused = None;
    let structural = options.structural.then(|| Structural::new(schema));
    let mut scope = None;
    if let Some(structural) = &structural {
        match structural {
            // The same is mostly said in other words below.
            Err(problem) => refused = Some(problem.clone()),
            Ok(structural) => {
                let mut found = structural.validate(&path);
                if found.is_empty() {
                    let unknown = match options.pruned_defaults {
                        true => UnknownInDefaults::Refused,
                        false => UnknownInDefaults::Allowed,
                    };
                    found = structural.validate_defaults(&path, unknown, &options.stored);
                }
                // Expressions are only looked at where the schema itself is right.
                scope = found.is_empty().then(|| Scope::root(structural)).filter(Scope::has_rules);
                errors.extend(found);
            }
        }
    }
    let mut walk = Walk { options, single, errors, expressions: Vec::new(), total: Total::default() };
    walk.schema(schema, &path, Inside { is_root: true, ..Inside::default() }, scope.as_ref());
    let Walk { expressions, total, .. } = walk;
    errors.extend(expressions);
    total.finish(&path, errors);
    if let Some(refused) = refused.filter(|_| errors.len() == before) {
        let error = path.refuse_text("", SCHEMA_REFUSED.with(refused.text));
        errors.push(FieldError { place: refused.place.or(error.place), ..error });
    }
}

/// The status is validated on its own, so the root must not say anything that would be lost.
fn root_beside_status(schema: &Props, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let written = &schema.written;
    let first = [
        ("id", !schema.id.is_empty()),
        ("$schema", !schema.schema.is_empty()),
        ("$ref", written.has("$ref")),
    ];
    let not_object = !matches!(&*schema.type_name, "" | "object");
    let other = [
        ("default", schema.default.is_some()),
        ("nullable", schema.nullable),
        ("x-kubernetes-embedded-resource", schema.embedded_resource),
        ("x-kubernetes-int-or-string", schema.int_or_string),
    ];
    // Of these even an empty one counts.
    let written_ones = [
        "enum",
        "maxProperties",
        "minProperties",
        "allOf",
        "oneOf",
        "anyOf",
        "not",
        "additionalProperties",
        "patternProperties",
        "dependencies",
        "additionalItems",
        "definitions",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
    ];
    let is_set = |row: &(&'static str, bool)| row.1;
    let offending = match first.iter().find(|row| is_set(row)) {
        Some((keyword, _)) => Some(*keyword),
        None if not_object => {
            errors.push(path.child("type").refuse_text(&schema.type_name, &ROOT_TYPE));
            None
        }
        None => {
            let simple = other.iter().find(|row| is_set(row)).map(|(keyword, _)| *keyword);
            simple.or_else(|| written_ones.into_iter().find(|keyword| written.has(keyword)))
        }
    };
    if let Some(keyword) = offending {
        let place = path.child(keyword).place(Reason::Forbidden);
        errors.push(FieldError { place, ..path.refuse(ROOT_BESIDE_STATUS.with(AT_ROOT)) });
    }
}

/// What is around a schema.
#[derive(Debug, Clone, Copy, Default)]
struct Inside<'a> {
    is_root: bool,
    /// Inside the version, the kind or the metadata of a resource.
    resource_meta: bool,
    /// Why there must be no defaults.
    no_defaults: Option<NoDefaults<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum NoDefaults<'a> {
    TopLevel(&'a str),
    AdditionalProperties,
}

struct Walk<'e> {
    options: &'e Options,
    single: SingleCost,
    errors: &'e mut Vec<FieldError>,
    /// What is wrong with expressions.
    expressions: Vec<FieldError>,
    total: Total,
}

impl Walk<'_> {
    /// `scope` is what expressions know; nothing where there are none.
    fn schema(&mut self, schema: &Props, path: &Trail<'_>, inside: Inside<'_>, scope: Option<&Scope<'_>>) {
        let before = self.errors.len();
        let scope = scope.filter(|scope| scope.has_rules());
        self.keywords(schema, path, inside);
        let below = Inside { is_root: false, ..inside };
        if let Some(additional) = schema.additional_properties.as_deref() {
            let path = path.child("additionalProperties");
            if !schema.properties.is_empty() && !matches!(additional, OrBool::Bool(true)) {
                self.errors.push(path.refuse(&PROPERTIES_AND_ADDITIONAL));
            }
            if let OrBool::Schema(additional) = additional {
                let no_defaults = if inside.resource_meta {
                    Some(NoDefaults::AdditionalProperties)
                } else {
                    inside.no_defaults
                };
                let values = scope.and_then(Scope::values);
                self.schema(additional, &path, Inside { no_defaults, ..below }, values.as_ref());
            }
        }
        self.properties(schema, path, inside, scope);
        if let Some(not) = &schema.not {
            self.schema(not, &path.child("not"), below, None);
        }
        for (keyword, branches) in
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            let path = path.child(keyword);
            for (index, branch) in branches.iter().enumerate() {
                self.schema(branch, &path.index(index), below, None);
            }
        }
        let definitions = path.child("definitions");
        for (name, definition) in &schema.definitions {
            self.schema(definition, &definitions.key(name), below, None);
        }
        let items = path.child("items");
        match schema.items.as_deref() {
            Some(Items::Schema(item)) => {
                let scope = scope.and_then(|scope| scope.items(path));
                self.schema(item, &items, below, scope.as_ref());
            }
            Some(Items::List(list)) => {
                for (index, item) in list.iter().enumerate() {
                    self.schema(item, &items.index(index), below, None);
                }
            }
            None => {}
        }
        let dependencies = path.child("dependencies");
        for (name, dependency) in schema.dependencies.iter().flatten() {
            if let StringsOrSchema::Schema(schema) = dependency {
                self.schema(schema, &dependencies.key(name), below, None);
            }
        }
        if schema.preserve_unknown_fields == Some(false) {
            let path = path.child("x-kubernetes-preserve-unknown-fields");
            self.errors.push(path.refuse_value("false", &PRESERVE_UNKNOWN_FALSE));
        }
        self.map_type(schema, path);
        self.list_type(schema, path);
        if self.options.map_keys {
            map_keys(schema, path, self.errors);
        }
        let rules = path.child("x-kubernetes-validations");
        for (index, rule) in schema.validations.iter().enumerate() {
            self.rule(rule, schema, &rules.index(index));
        }
        if let Some(scope) = scope.filter(|_| self.errors.len() == before && !schema.validations.is_empty()) {
            let (engine, single) = (&self.options.engine, self.single);
            expressions::validate(scope, engine, single, &mut self.total, &rules, &mut self.expressions);
        }
    }

    fn keywords(&mut self, schema: &Props, path: &Trail<'_>, inside: Inside<'_>) {
        let type_name = &*schema.type_name;
        if self.options.valid_types && !type_name.is_empty() && !is_type(type_name) {
            self.errors.push(path.child("type").not_supported(type_name, &TYPES));
        }
        if let Some(no_defaults) = inside.no_defaults.filter(|_| schema.default.is_some()) {
            let why = match no_defaults {
                NoDefaults::TopLevel(property) => format!("in top-level {property}"),
                NoDefaults::AdditionalProperties => {
                    "inside additionalProperties applying to object metadata".to_owned()
                }
            };
            self.errors.push(path.child("default").refuse(DEFAULT_NOT_ALLOWED.with(why)));
        }
        let unsupported = [
            ("id", !schema.id.is_empty()),
            ("additionalItems", schema.additional_items.is_some()),
            ("patternProperties", !schema.pattern_properties.is_empty()),
            ("definitions", !schema.definitions.is_empty()),
            ("dependencies", schema.dependencies.is_some()),
            ("$ref", schema.reference.is_some()),
        ];
        for (keyword, _) in unsupported.into_iter().filter(|(_, is_set)| *is_set) {
            self.errors.push(path.child(keyword).refuse(UNSUPPORTED_KEYWORD.with(keyword)));
        }
        if type_name == "null" {
            self.errors.push(path.child("type").refuse(&NULL_TYPE));
        }
        if matches!(schema.items.as_deref(), Some(Items::List(list)) if !list.is_empty()) {
            self.errors.push(path.child("items").refuse(&ITEMS_LIST));
        }
        if inside.resource_meta && schema.embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            self.errors.push(path.refuse(&VALIDATIONS_IN_METADATA));
        }
        if schema.unique_items {
            self.errors.push(path.child("uniqueItems").refuse(&UNIQUE_ITEMS));
        }
    }

    fn properties(
        &mut self,
        schema: &Props,
        path: &Trail<'_>,
        inside: Inside<'_>,
        scope: Option<&Scope<'_>>,
    ) {
        let path = path.child("properties");
        for (name, property) in &schema.properties {
            let mut below = Inside { is_root: false, ..inside };
            if (inside.is_root || schema.embedded_resource)
                && matches!(&**name, "metadata" | "kind" | "apiVersion")
            {
                below.resource_meta = true;
                if inside.is_root {
                    below.no_defaults = Some(NoDefaults::TopLevel(name));
                }
            }
            let field = scope.and_then(|scope| scope.field(name));
            self.schema(property, &path.key(name), below, field.as_ref());
        }
    }

    fn map_type(&mut self, schema: &Props, path: &Trail<'_>) {
        let Some(map_type) = schema.map_type.as_deref() else { return };
        self.needs_type(schema, "object", "x-kubernetes-map-type", path);
        if !matches!(map_type, "atomic" | "granular") {
            self.errors
                .push(path.child("x-kubernetes-map-type").not_supported(map_type, &["atomic", "granular"]));
        }
    }

    /// Whether the type is the one that a keyword needs.
    fn needs_type(&mut self, schema: &Props, type_name: &str, keyword: &str, path: &Trail<'_>) -> bool {
        let found = &*schema.type_name;
        if found == type_name {
            return true;
        }
        let detail = format!("must be {type_name} if {keyword} is specified");
        let path = path.child("type");
        self.errors.push(if found.is_empty() {
            path.refuse(MAP_TYPE.with(detail))
        } else {
            path.refuse_text(found, WRONG_MAP_TYPE.with(detail))
        });
        false
    }

    fn list_type(&mut self, schema: &Props, path: &Trail<'_>) {
        let list_path = path.child("x-kubernetes-list-type");
        if let Some(list_type) = schema.list_type.as_deref() {
            let is_array = self.needs_type(schema, "array", "x-kubernetes-list-type", path);
            if is_array && self.options.atomic_sets && is_non_atomic_set(schema) {
                let keyword = match schema.item().map(|item| &*item.type_name) {
                    Some("array") => "x-kubernetes-list-type",
                    _ => "x-kubernetes-map-type",
                };
                self.errors.push(path.child("items").child(keyword).refuse(&LIST_OF_SETS));
            }
            if !matches!(list_type, "atomic" | "set" | "map") {
                self.errors.push(list_path.not_supported(list_type, &["atomic", "set", "map"]));
            }
        }
        if !schema.list_map_keys.is_empty() {
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            match schema.list_type.as_deref() {
                None => self.errors.push(list_path.refuse(NO_LIST_TYPE.with(detail))),
                Some("map") => {}
                Some(other) => self.errors.push(list_path.refuse_text(other, LIST_TYPE.with(detail))),
            }
        }
        if schema.list_type.as_deref() == Some("map") {
            self.list_map(schema, path);
        }
    }

    fn list_map(&mut self, schema: &Props, path: &Trail<'_>) {
        let keys_path = path.child("x-kubernetes-list-map-keys");
        if schema.list_map_keys.is_empty() {
            self.errors.push(keys_path.refuse(&NO_MAP_KEYS));
        }
        let items = path.child("items");
        let item = match schema.items.as_deref() {
            None => {
                self.errors.push(items.refuse(&NO_ITEMS));
                return;
            }
            Some(Items::List(_)) => {
                self.errors.push(items.refuse(&MANY_ITEMS));
                return;
            }
            Some(Items::Schema(item)) => item,
        };
        if &*item.type_name != "object" {
            self.errors.push(items.child("type").refuse_text(&item.type_name, &MAP_ITEM_TYPE));
            return;
        }
        let properties = items.child("properties");
        let mut taken = FxHashSet::default();
        for (index, key) in schema.list_map_keys.iter().enumerate() {
            match item.properties.get(key) {
                Some(property) if matches!(&*property.type_name, "array" | "object") => {
                    // The server prints the type of the item.
                    self.errors.push(properties.key(key).child("type").refuse_text("object", &MAP_KEY_TYPE));
                }
                Some(_) => {}
                None => {
                    let error = keys_path.refuse(&UNKNOWN_MAP_KEY);
                    let place = keys_path.index(index).place(Reason::Invalid);
                    self.errors.push(FieldError { place, ..error });
                }
            }
            if !taken.insert(key) {
                let error = keys_path.refuse(&DUPLICATE_MAP_KEY);
                let place = keys_path.index(index).place(Reason::Invalid);
                self.errors.push(FieldError { place, ..error });
            }
        }
    }

    /// What can be said of a rule without reading its expressions.
    fn rule(&mut self, rule: &Rule, schema: &Props, path: &Trail<'_>) {
        let message = path.child("message");
        if rule.rule.trim().is_empty() {
            self.errors.push(path.child("rule").refuse(&EMPTY_RULE));
        } else if !rule.message.is_empty() && rule.message.trim().is_empty() {
            self.errors.push(message.refuse_text(&rule.message, &BLANK_MESSAGE));
        } else if has_line_breaks(rule.message.trim()) {
            self.errors.push(message.refuse_text(&rule.message, &MESSAGE_LINES));
        } else if has_line_breaks(rule.rule.trim()) && rule.message.trim().is_empty() {
            self.errors.push(message.refuse(&MESSAGE_FOR_LINES));
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            self.errors.push(path.child("messageExpression").refuse(&BLANK_MESSAGE_EXPRESSION));
        }
        const REASONS: [&str; 4] =
            ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            self.errors.push(path.child("reason").not_supported(reason, &REASONS));
        }
        let (field_path, path) = (&*rule.field_path, path.child("fieldPath"));
        if field_path.is_empty() {
            return;
        }
        if field_path.trim().is_empty() {
            self.errors.push(path.refuse_text(field_path, &BLANK_FIELD_PATH));
        }
        if has_line_breaks(field_path) {
            self.errors.push(path.refuse_text(field_path, &FIELD_PATH_LINES));
        }
        let is_valid = Structural::new(schema)
            .map_or(true, |structural| structural.follow(field_path, Brackets::Allowed).is_ok());
        if !is_valid {
            self.errors.push(path.refuse_text(field_path, &FIELD_PATH));
        }
    }
}

fn has_line_breaks(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Whether a schema is that of a set whose items can be changed in parts.
pub(super) fn is_non_atomic_set(schema: &Props) -> bool {
    let Some(item) = schema.item().filter(|_| schema.list_type.as_deref() == Some("set")) else {
        return false;
    };
    match &*item.type_name {
        "array" => item.list_type.as_deref().is_some_and(|list_type| list_type != "atomic"),
        "object" => item.map_type.as_deref() != Some("atomic"),
        _ => false,
    }
}

/// Whether a schema is that of a list whose items, or the keys of whose items, can be missing.
pub(super) fn has_bad_map_keys(schema: &Props) -> bool {
    let mut errors = Vec::new();
    map_keys(schema, &Trail::root("", None), &mut errors);
    !errors.is_empty()
}

fn map_keys(schema: &Props, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    let (Some(item), Some(list_type @ ("set" | "map"))) = (schema.item(), schema.list_type.as_deref()) else {
        return;
    };
    let path = path.child("items");
    if item.nullable {
        errors.push(path.child("nullable").refuse(NULLABLE_MAP_KEY.with(list_type)));
    }
    if list_type == "set" {
        return;
    }
    let properties = path.child("properties");
    let required: FxHashSet<&str> = item.required.iter().map(|name| &**name).collect();
    for key in &schema.list_map_keys {
        let Some(property) = item.properties.get(key) else { continue };
        let path = properties.key(key);
        if !required.contains(&**key) && property.default.is_none() {
            errors.push(path.child("default").refuse(&OPTIONAL_MAP_KEY));
        }
        if property.nullable {
            errors.push(path.child("nullable").refuse(&NULLABLE_KEY));
        }
    }
}
