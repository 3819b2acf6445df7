//! The schema of a version: what any schema of a CRD may say, whether it is structural or not.

use rustc_hash::FxHashSet;

use super::super::Validation;
use super::expressions::{self, Scope, SingleCost, Total};
use super::options::{Options, TYPES, is_type};
use crate::field_error::{FieldError, Reason};
use crate::field_path::FieldPath;
use crate::props::{Items, OrBool, Props, Rule, StringsOrSchema};
use crate::structural::{Brackets, Structural, UnknownInDefaults};

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
    path: &FieldPath<'_>,
    errors: &mut Vec<FieldError>,
) {
    let Some(schema) = &validation.schema else { return };
    let path = path.child("openAPIV3Schema");
    let before = errors.len();
    if has_status {
        root_beside_status(schema, &path, errors);
    }
    if schema.nullable {
        errors.push(path.child("nullable").forbidden("nullable cannot be true at the root"));
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
        let error = path.invalid("", refused.text);
        errors.push(FieldError { place: refused.place.or(error.place), ..error });
    }
}

/// The status is validated on its own, so the root must not say anything that would be lost.
fn root_beside_status(schema: &Props, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
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
            let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource \
                          is enabled";
            errors.push(path.child("type").invalid(&schema.type_name, detail));
            None
        }
        None => {
            let simple = other.iter().find(|row| is_set(row)).map(|(keyword, _)| *keyword);
            simple.or_else(|| written_ones.into_iter().find(|keyword| written.has(keyword)))
        }
    };
    if let Some(keyword) = offending {
        let detail = format!(
            "only [{AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled"
        );
        let place = path.child(keyword).place(Reason::Forbidden);
        errors.push(FieldError { place, ..path.error(Reason::Invalid, detail) });
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
    fn schema(
        &mut self,
        schema: &Props,
        path: &FieldPath<'_>,
        inside: Inside<'_>,
        scope: Option<&Scope<'_>>,
    ) {
        let before = self.errors.len();
        let scope = scope.filter(|scope| scope.has_rules());
        self.keywords(schema, path, inside);
        let below = Inside { is_root: false, ..inside };
        if let Some(additional) = schema.additional_properties.as_deref() {
            let path = path.child("additionalProperties");
            if !schema.properties.is_empty() && !matches!(additional, OrBool::Bool(true)) {
                self.errors.push(path.forbidden("additionalProperties and properties are mutual exclusive"));
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
            self.errors.push(path.invalid_value("false", "must be true or undefined"));
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

    fn keywords(&mut self, schema: &Props, path: &FieldPath<'_>, inside: Inside<'_>) {
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
            self.errors.push(path.child("default").forbidden(format!("must not be set {why}")));
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
            self.errors.push(path.child(keyword).forbidden(format!("{keyword} is not supported")));
        }
        if type_name == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            self.errors.push(path.child("type").forbidden(detail));
        }
        if matches!(schema.items.as_deref(), Some(Items::List(list)) if !list.is_empty()) {
            self.errors.push(path.child("items").forbidden("items must be a schema object and not an array"));
        }
        if inside.resource_meta && schema.embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            self.errors.push(path.forbidden("must not be used inside of resource meta"));
        }
        if schema.unique_items {
            self.errors.push(path.child("uniqueItems").forbidden(
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ));
        }
    }

    fn properties(
        &mut self,
        schema: &Props,
        path: &FieldPath<'_>,
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

    fn map_type(&mut self, schema: &Props, path: &FieldPath<'_>) {
        let Some(map_type) = schema.map_type.as_deref() else { return };
        self.needs_type(schema, "object", "x-kubernetes-map-type", path);
        if !matches!(map_type, "atomic" | "granular") {
            self.errors
                .push(path.child("x-kubernetes-map-type").not_supported(map_type, &["atomic", "granular"]));
        }
    }

    /// Whether the type is the one that a keyword needs.
    fn needs_type(&mut self, schema: &Props, type_name: &str, keyword: &str, path: &FieldPath<'_>) -> bool {
        let found = &*schema.type_name;
        if found == type_name {
            return true;
        }
        let detail = format!("must be {type_name} if {keyword} is specified");
        let path = path.child("type");
        self.errors.push(if found.is_empty() { path.required(detail) } else { path.invalid(found, detail) });
        false
    }

    fn list_type(&mut self, schema: &Props, path: &FieldPath<'_>) {
        let list_path = path.child("x-kubernetes-list-type");
        if let Some(list_type) = schema.list_type.as_deref() {
            let is_array = self.needs_type(schema, "array", "x-kubernetes-list-type", path);
            if is_array && self.options.atomic_sets && is_non_atomic_set(schema) {
                let keyword = match schema.item().map(|item| &*item.type_name) {
                    Some("array") => "x-kubernetes-list-type",
                    _ => "x-kubernetes-map-type",
                };
                let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
                self.errors.push(path.child("items").child(keyword).error(Reason::Invalid, detail));
            }
            if !matches!(list_type, "atomic" | "set" | "map") {
                self.errors.push(list_path.not_supported(list_type, &["atomic", "set", "map"]));
            }
        }
        if !schema.list_map_keys.is_empty() {
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            match schema.list_type.as_deref() {
                None => self.errors.push(list_path.required(detail)),
                Some("map") => {}
                Some(other) => self.errors.push(list_path.invalid(other, detail)),
            }
        }
        if schema.list_type.as_deref() == Some("map") {
            self.list_map(schema, path);
        }
    }

    fn list_map(&mut self, schema: &Props, path: &FieldPath<'_>) {
        let keys_path = path.child("x-kubernetes-list-map-keys");
        if schema.list_map_keys.is_empty() {
            self.errors.push(keys_path.required("must not be empty if x-kubernetes-list-type is map"));
        }
        let items = path.child("items");
        let item = match schema.items.as_deref() {
            None => {
                self.errors.push(items.required("must have a schema if x-kubernetes-list-type is map"));
                return;
            }
            Some(Items::List(_)) => {
                let detail = "must only have a single schema if x-kubernetes-list-type is map";
                self.errors.push(items.error(Reason::Invalid, detail));
                return;
            }
            Some(Items::Schema(item)) => item,
        };
        if &*item.type_name != "object" {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            self.errors.push(items.child("type").invalid(&item.type_name, detail));
            return;
        }
        let properties = items.child("properties");
        let mut taken = FxHashSet::default();
        for (index, key) in schema.list_map_keys.iter().enumerate() {
            match item.properties.get(key) {
                Some(property) if matches!(&*property.type_name, "array" | "object") => {
                    let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                    // The server prints the type of the item.
                    self.errors.push(properties.key(key).child("type").invalid("object", detail));
                }
                Some(_) => {}
                None => {
                    let error =
                        keys_path.error(Reason::Invalid, "entries must all be names of item properties");
                    let place = keys_path.index(index).place(Reason::Invalid);
                    self.errors.push(FieldError { place, ..error });
                }
            }
            if !taken.insert(key) {
                let error = keys_path.error(Reason::Invalid, "must not contain duplicate entries");
                let place = keys_path.index(index).place(Reason::Invalid);
                self.errors.push(FieldError { place, ..error });
            }
        }
    }

    /// What can be said of a rule without reading its expressions.
    fn rule(&mut self, rule: &Rule, schema: &Props, path: &FieldPath<'_>) {
        let message = path.child("message");
        if rule.rule.trim().is_empty() {
            self.errors.push(path.child("rule").required("rule is not specified"));
        } else if !rule.message.is_empty() && rule.message.trim().is_empty() {
            self.errors.push(message.invalid(&rule.message, "must be non-empty if specified"));
        } else if has_line_breaks(rule.message.trim()) {
            self.errors.push(message.invalid(&rule.message, "must not contain line breaks"));
        } else if has_line_breaks(rule.rule.trim()) && rule.message.trim().is_empty() {
            self.errors.push(message.required("message must be specified if rule contains line breaks"));
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            self.errors.push(path.child("messageExpression").required(detail));
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
            self.errors.push(path.invalid(field_path, "must be non-empty if specified"));
        }
        if has_line_breaks(field_path) {
            self.errors.push(path.invalid(field_path, "must not contain line breaks"));
        }
        let is_valid = Structural::new(schema)
            .map_or(true, |structural| structural.follow(field_path, Brackets::Allowed).is_ok());
        if !is_valid {
            self.errors.push(path.invalid(field_path, "must be a valid path"));
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
    map_keys(schema, &FieldPath::root("", None), &mut errors);
    !errors.is_empty()
}

fn map_keys(schema: &Props, path: &FieldPath<'_>, errors: &mut Vec<FieldError>) {
    let (Some(item), Some(list_type @ ("set" | "map"))) = (schema.item(), schema.list_type.as_deref()) else {
        return;
    };
    let path = path.child("items");
    if item.nullable {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(path.child("nullable").forbidden(detail));
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
            errors.push(path.child("default").required(
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ));
        }
        if property.nullable {
            errors.push(
                path.child("nullable")
                    .forbidden("this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
            );
        }
    }
}
