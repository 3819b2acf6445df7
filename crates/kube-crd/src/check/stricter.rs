//! What servers let pass, though structural schemas as they are described do not, or no object can profit from it:
//! warnings, each with its own code.

use trueline_diagnostic::{Code, Diagnostic, Level};
use trueline_kube_facts::{FieldError, Reason, Trail};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::subject::subject;
use crate::codes::*;
use crate::definition::{Crd, PrinterColumn};
use crate::object::{Purpose, validate};
use crate::props::OrBool;
use crate::structural::{Brackets, NestedValueValidation, Structural, ValueValidation};

impl Crd {
    /// What is wrong beyond what the server says. Schemas that are not structural are left to the server.
    pub fn stricter_findings(&self, around: Span) -> Vec<Diagnostic> {
        let mut findings = Findings { around, list: Vec::new() };
        for (text, version, props) in self.named_schemas() {
            let Ok(schema) = Structural::new(props) else { continue };
            let path = Trail::at(&text, props.written.0.as_ref());
            for error in schema.validate_unions(&path) {
                findings.error(&BAD_UNION, &error, "servers drop `x-kubernetes-unions`");
            }
            if !schema.validate(&path).is_empty() {
                continue;
            }
            for error in schema.incomplete_below_root(&path) {
                let help = "add the field, with its type, outside of the branch; servers do not notice";
                findings.error(&INCOMPLETE, &error, help);
            }
            findings.schema(&schema, &path, InMap::No);
            for column in self.printer_columns(version) {
                findings.column(column, &schema);
            }
        }
        findings.list
    }
}

/// Whether a schema is below `additionalProperties`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InMap {
    Yes,
    No,
}

struct Findings {
    around: Span,
    list: Vec<Diagnostic>,
}

impl Findings {
    fn error(&mut self, code: &'static Code, error: &FieldError, help: &str) {
        let worded = super::refused(error, self.around, &|scalar, _, _| scalar);
        let place = error.place.unwrap_or(self.around);
        self.list.push(Diagnostic::new(code, place, worded.message).help(help).level(Level::Semantic));
    }

    fn at(&mut self, code: &'static Code, path: &Trail<'_>, message: String, help: &str) {
        let message = match path.path() {
            path if path.goes_through("openAPIV3Schema") => format!("{}: {message}", subject(&path)),
            _ => message,
        };
        // A whole list of branches is too much to look at.
        let reason = if code == &MISSING_INT_OR_STRING { Reason::Forbidden } else { Reason::Invalid };
        let place = path.place(reason).unwrap_or(self.around);
        self.list.push(Diagnostic::new(code, place, message).help(help).level(Level::Semantic));
    }

    fn schema(&mut self, schema: &Structural, path: &Trail<'_>, in_map: InMap) {
        if let Some(validation) = &schema.value_validation {
            self.int_or_string(schema, validation, path);
            self.bounds(schema, validation, path);
            self.choices(schema, validation, path);
            self.required(schema, validation, path);
            self.branches(validation, path);
        }
        if in_map == InMap::Yes
            && let Some(default) = &schema.generic.default
        {
            let path = path.child("default");
            for error in validate(default, schema, Purpose::Defaults, &path.path()) {
                let error = FieldError { place: default.origin, ..error };
                self.error(&UNCHECKED_DEFAULT, &error, "fix the default: objects take it as it is");
            }
        }
        if let Some(items) = &schema.items {
            self.schema(items, &path.child("items"), in_map);
        }
        let properties = path.child("properties");
        for (name, property) in &schema.properties {
            self.schema(property, &properties.key(name), in_map);
        }
        let additional_path = path.child("additionalProperties");
        match schema.additional_properties.as_deref() {
            Some(OrBool::Schema(additional)) => self.schema(additional, &additional_path, InMap::Yes),
            Some(OrBool::Bool(true))
                if !schema.extensions.preserve_unknown_fields && schema.properties.is_empty() =>
            {
                let message = "objects inside of this map are pruned until they are empty".to_owned();
                let help = "use `x-kubernetes-preserve-unknown-fields: true` to keep everything";
                self.at(&EMPTIED_MAP, &additional_path, message, help);
            }
            _ => {}
        }
    }

    fn int_or_string(&mut self, schema: &Structural, validation: &ValueValidation, path: &Trail<'_>) {
        let keyword = if validation.is_int_or_string() {
            "anyOf"
        } else if validation.begins_int_or_string() {
            "allOf"
        } else {
            return;
        };
        if !schema.extensions.int_or_string {
            let message = "types are allowed here only beside `x-kubernetes-int-or-string: true`".to_owned();
            let help =
                "set `x-kubernetes-int-or-string: true` in place of the type, or take the branches out";
            self.at(&MISSING_INT_OR_STRING, &path.child(keyword), message, help);
        }
    }

    fn bounds(&mut self, schema: &Structural, validation: &ValueValidation, path: &Trail<'_>) {
        let numbers = (validation.minimum, validation.maximum);
        if let (Some(minimum), Some(maximum)) = numbers
            && (minimum > maximum
                || minimum == maximum && (validation.exclusive_minimum || validation.exclusive_maximum))
        {
            let message = format!("no number is at least {minimum} and at most {maximum}");
            self.at(&IMPOSSIBLE, &path.child("minimum"), message, "exchange the two, or fix one of them");
        }
        let lengths = [
            ("minLength", validation.min_length, validation.max_length),
            ("minItems", validation.min_items, validation.max_items),
            ("minProperties", validation.min_properties, validation.max_properties),
        ];
        for (keyword, minimum, maximum) in lengths {
            if let (Some(minimum), Some(maximum)) = (minimum, maximum)
                && (minimum > maximum || maximum < 0)
            {
                let message = format!("nothing has at least {minimum} and at most {maximum} of something");
                self.at(&IMPOSSIBLE, &path.child(keyword), message, "exchange the two, or fix one of them");
            }
        }
        if validation.multiple_of.is_some_and(|factor| factor <= 0.0) {
            let message = "no number is a multiple of this".to_owned();
            self.at(&IMPOSSIBLE, &path.child("multipleOf"), message, "use a number above 0");
        }
        if &*schema.generic.type_name == "integer" {
            let bounds = [
                ("minimum", validation.minimum),
                ("maximum", validation.maximum),
                ("multipleOf", validation.multiple_of),
            ];
            for (keyword, _) in
                bounds.into_iter().filter(|(_, bound)| bound.is_some_and(|bound| bound.fract() != 0.0))
            {
                let message = "the server cuts off the fraction, because the field is an integer".to_owned();
                self.at(&TRUNCATED_BOUND, &path.child(keyword), message, "use an integer, or `type: number`");
            }
        }
    }

    fn choices(&mut self, schema: &Structural, validation: &ValueValidation, path: &Trail<'_>) {
        let path = path.child("enum");
        for (index, choice) in validation.choices.iter().enumerate() {
            let path = path.index(index);
            if matches!(choice.data, Data::Null) {
                let message = "null is never found among the choices".to_owned();
                self.at(&NULL_CHOICE, &path, message, "remove it; leave the field out of objects instead");
            } else if !schema.extensions.int_or_string && !is_of_type(choice, &schema.generic.type_name) {
                let message =
                    format!("this choice is not {}, so no object can have it", schema.generic.type_name);
                self.at(
                    &IMPOSSIBLE,
                    &path,
                    message,
                    "write it as the type of the field demands, or remove it",
                );
            }
        }
    }

    /// A required field that is pruned makes every object invalid.
    fn required(&mut self, schema: &Structural, validation: &ValueValidation, path: &Trail<'_>) {
        if schema.extensions.preserve_unknown_fields
            || schema.additional_properties.is_some()
            || &*schema.generic.type_name != "object"
        {
            return;
        }
        let path = path.child("required");
        for (index, name) in validation.required.iter().enumerate() {
            let is_implied = schema.extensions.embedded_resource || path_is_root(&path);
            if schema.properties.contains_key(name)
                || is_implied && matches!(&**name, "apiVersion" | "kind" | "metadata")
            {
                continue;
            }
            let message =
                format!("`{name}` is required, but it is pruned because `properties` does not have it");
            self.at(&IMPOSSIBLE, &path.index(index), message, "add it to `properties`, or do not require it");
        }
    }

    fn branches(&mut self, validation: &ValueValidation, path: &Trail<'_>) {
        if let Some(not) = &validation.not {
            self.branch(not, &path.child("not"));
        }
        let lists =
            [("allOf", &validation.all_of), ("anyOf", &validation.any_of), ("oneOf", &validation.one_of)];
        for (keyword, branches) in lists {
            let path = path.child(keyword);
            for (index, branch) in branches.iter().enumerate() {
                self.branch(branch, &path.index(index));
            }
        }
    }

    fn branch(&mut self, branch: &NestedValueValidation, path: &Trail<'_>) {
        if matches!(branch.additional_properties.as_deref(), Some(OrBool::Bool(false))) {
            let message = "a structural schema has no `additionalProperties` in a branch".to_owned();
            let help = "remove it: fields that the schema does not know are pruned anyway";
            self.at(&INEFFECTIVE, &path.child("additionalProperties"), message, help);
        }
        self.branches(&branch.value_validation, path);
        if let Some(items) = &branch.items {
            self.branch(items, &path.child("items"));
        }
        let properties = path.child("properties");
        for (name, property) in &branch.properties {
            self.branch(property, &properties.key(name));
        }
    }

    /// Only paths that are names and dots are followed; of others it is only looked at whether they are whole.
    fn column(&mut self, column: &PrinterColumn, schema: &Structural) {
        let json_path = &*column.json_path;
        let path = Trail::root("", column.written.0.as_ref());
        let path = path.child("jsonPath");
        let count = |character: char| json_path.matches(character).count();
        if count('[') != count(']') || count('(') != count(')') {
            let message = "the path of this column cannot be read: a bracket is not closed".to_owned();
            self.at(
                &BROKEN_COLUMN,
                &path,
                message,
                "close the bracket; servers print no column of this list",
            );
            return;
        }
        let is_plain = json_path.starts_with('.')
            && json_path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        let first = json_path.trim_start_matches('.').split('.').next().unwrap_or_default();
        if !is_plain || matches!(first, "metadata" | "apiVersion" | "kind" | "") {
            return;
        }
        if schema.follow(json_path, Brackets::Forbidden).is_err() && !leads_into_anything(schema, json_path) {
            let message = format!("no object has a field `{json_path}`: the schema does not know it");
            self.at(&BROKEN_COLUMN, &path, message, "fix the path, or add the field to the schema");
        }
    }
}

/// Whether a path leaves the schema at a place where fields are kept that no schema knows.
fn leads_into_anything(schema: &Structural, json_path: &str) -> bool {
    let mut at = schema;
    for name in json_path.split('.').skip(1) {
        match (at.properties.get(name), at.additional_properties.as_deref()) {
            (Some(property), _) => at = property,
            (None, Some(OrBool::Schema(additional))) => at = additional,
            (None, Some(OrBool::Bool(_))) => return true,
            (None, None) => break,
        }
    }
    at.extensions.preserve_unknown_fields
}

/// `…openAPIV3Schema.required` is that of the root.
fn path_is_root(required: &Trail<'_>) -> bool {
    required.path().ends_with(&["openAPIV3Schema", "required"])
}

fn is_of_type(value: &Value, type_name: &str) -> bool {
    match type_name {
        "integer" => matches!(value.data, Data::Int(_) | Data::UInt(_)),
        "" => true,
        name => value.type_name() == name,
    }
}
