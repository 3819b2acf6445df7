//! The validator's errors as our own facts: the same rules, with the places of instance and schema.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::json::{Array, Node, NodeIdentity};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::guard::Limit;
use crate::schema::SchemaPlaceRef;
use crate::{Instance, InstancePlace, Schema, SchemaLookup, Violation, address};

/// How many levels of causes are kept. Nobody reads more, and all code that reads them recurses.
const DEPTH: usize = 64;

/// The keyword of the single violation that is reported if a limit was reached.
pub(crate) const LIMIT: &str = "limit";

/// The number of members from which a list or map gets an index.
const WIDE: usize = 32;

/// Turns the errors about one instance into violations.
pub(crate) struct Converter<'s, 'a> {
    schema: &'s Schema,
    root: Instance<'a>,
    /// Many rules may be broken below one long list or map; it is not searched through for each of them.
    wide: RefCell<FxHashMap<NodeIdentity, Children<'a>>>,
    /// The values of keywords by their address in the schema; many violations are of one rule.
    wants: RefCell<FxHashMap<usize, Arc<Value>>>,
}

enum Children<'a> {
    Items(Vec<Instance<'a>>),
    Members(FxHashMap<Cow<'a, str>, (Instance<'a>, InstancePlace)>),
}

impl<'s, 'a> Converter<'s, 'a> {
    pub(crate) fn new(schema: &'s Schema, root: Instance<'a>) -> Self {
        Converter { schema, root, wide: RefCell::default(), wants: RefCell::default() }
    }

    pub(crate) fn violation(&self, error: &ValidationError<'_>) -> Violation {
        self.convert(error, error.instance_path().as_str(), None, DEPTH)
    }

    /// The violation that says that a limit was reached.
    pub(crate) fn limit(&self, limit: Limit) -> Violation {
        Violation {
            keyword: LIMIT.to_owned(),
            got: None,
            want: Arc::new(json!(match limit {
                Limit::Steps => "steps",
                Limit::Errors => "errors",
                Limit::Stack => "depth",
            })),
            names: Vec::new(),
            instance_path: String::new(),
            instance: InstancePlace { value: self.root.span(), key: None },
            schema_path: self.schema.root(),
            evaluation_path: String::new(),
            schema_span: None,
            causes: Vec::new(),
        }
    }

    /// `name` is the property whose name the error is about, if it is not about a value; `depth` is how many
    /// levels of causes may follow.
    fn convert(
        &self,
        error: &ValidationError<'_>,
        path: &str,
        name: Option<&str>,
        depth: usize,
    ) -> Violation {
        let kind = error.kind();
        let (instance, mut place) = self.find(path).unwrap_or((Instance::Text(""), InstancePlace::default()));
        let rule = self.rule(error);
        let keyword = keyword(kind, error.schema_path().as_str(), rule.as_ref());
        let want = match rule.as_ref().and_then(SchemaPlaceRef::json) {
            Some(written) => self.shared(written),
            None => Arc::new(want(kind)),
        };
        let names = names(kind, &keyword, instance, &want);
        let name_of_cause = match kind {
            Kind::PropertyNames { error } => error.instance().as_str().map(str::to_owned),
            _ => None,
        };
        if let Some(name) = name.or(name_of_cause.as_deref())
            && let Some((_, of_name)) = instance.child(name)
        {
            place = InstancePlace { value: of_name.key, key: of_name.key };
        }
        let got = match kind {
            Kind::Required { .. } => None,
            // A violation about a name holds only the name: copying the map for each of its names would take
            // quadratic memory.
            _ => Some(match name.or(name_of_cause.as_deref()) {
                Some(name) => Value::String(name.to_owned()),
                None => instance.to_short_json(),
            }),
        };
        let causes = match kind {
            _ if depth == 0 => Vec::new(),
            Kind::AnyOf { context }
            | Kind::OneOfNotValid { context }
            | Kind::OneOfMultipleValid { context } => {
                let branch = |errors: &Vec<ValidationError<'static>>| {
                    errors
                        .iter()
                        .map(|error| self.convert(error, error.instance_path().as_str(), name, depth - 1))
                        .collect()
                };
                context.iter().map(branch).collect()
            }
            Kind::PropertyNames { error } => {
                vec![vec![self.convert(error, path, name_of_cause.as_deref(), depth - 1)]]
            }
            _ => Vec::new(),
        };
        Violation {
            schema_path: match &rule {
                Some(rule) => rule.name(),
                None => foreign_place(error),
            },
            schema_span: rule.as_ref().and_then(SchemaPlaceRef::span),
            evaluation_path: evaluation_path(error, &keyword),
            keyword,
            got,
            want,
            names,
            instance_path: path.to_owned(),
            instance: place,
            causes,
        }
    }

    /// The value of a keyword, copied once for all violations of it.
    fn shared(&self, written: &'s Value) -> Arc<Value> {
        let address = std::ptr::from_ref(written) as usize;
        Arc::clone(self.wants.borrow_mut().entry(address).or_insert_with(|| Arc::new(written.clone())))
    }

    /// Where the broken rule is.
    fn rule(&self, error: &ValidationError<'_>) -> Option<SchemaPlaceRef<'s>> {
        let location = error.absolute_keyword_location()?.as_str();
        let (own, fragment) = address::split(location);
        let pointer = address::decode(fragment.unwrap_or_default());
        // The validator numbers the entries of `dependentRequired` and its like and reports both rules about
        // content as one, so the keyword is one step above or next to the reported place.
        let above = || pointer.rsplit_once('/').map_or("", |(above, _)| above);
        let pointer = match error.kind() {
            kind if dependent(kind, error.schema_path().as_str()).is_some() => above().to_owned(),
            Kind::ContentEncoding { .. } => format!("{}/contentEncoding", above()),
            _ => pointer.to_string(),
        };
        self.schema.outline.place(own, &pointer)
    }

    fn find(&self, pointer: &str) -> Option<(Instance<'a>, InstancePlace)> {
        let mut found = (self.root, InstancePlace { value: self.root.span(), key: None });
        for part in pointer.split('/').skip(1) {
            let name = part.replace("~1", "/").replace("~0", "~");
            found = self.child(found.0, &name)?;
        }
        Some(found)
    }

    fn child(&self, parent: Instance<'a>, name: &str) -> Option<(Instance<'a>, InstancePlace)> {
        let identity = parent.identity().filter(|_| parent.width() > WIDE);
        let Some(identity) = identity else { return parent.child(name) };
        let mut wide = self.wide.borrow_mut();
        let children = wide.entry(identity).or_insert_with(|| match parent.list() {
            Some(items) => Children::Items(items.elements().collect()),
            None => Children::Members(parent.named_children()),
        });
        match children {
            Children::Items(items) => {
                let item = *items.get(name.parse::<usize>().ok()?)?;
                Some((item, InstancePlace { value: item.span(), key: None }))
            }
            Children::Members(members) => members.get(name).copied(),
        }
    }
}

/// The keyword `dependentRequired` or its like, if the error is about one.
fn dependent(kind: &Kind, schema_path: &str) -> Option<&'static str> {
    match (kind, schema_path.rsplit('/').next()) {
        (Kind::Required { .. }, Some("dependentRequired")) => Some("dependentRequired"),
        (Kind::Required { .. }, Some("dependencies")) => Some("dependencies"),
        _ => None,
    }
}

fn keyword(kind: &Kind, schema_path: &str, rule: Option<&SchemaPlaceRef<'_>>) -> String {
    if let Some(keyword) = dependent(kind, schema_path) {
        return keyword.to_owned();
    }
    let last = rule.and_then(|rule| rule.pointer.rsplit('/').next());
    match (kind, last) {
        // The validator reports `additionalProperties: false` and its like as the schema `false`.
        (Kind::FalseSchema, Some(last @ ("additionalProperties" | "propertyNames")))
            if rule.is_some_and(SchemaPlaceRef::is_keyword) =>
        {
            last.to_owned()
        }
        (Kind::FalseSchema, _) => "false".to_owned(),
        // `minContains` and `maxContains` are reported as `contains`; in draft 4 `exclusiveMinimum` modifies
        // `minimum`.
        (Kind::Contains | Kind::ExclusiveMinimum { .. } | Kind::ExclusiveMaximum { .. }, Some(last)) => {
            last.to_owned()
        }
        _ => kind.keyword().to_owned(),
    }
}

fn names(kind: &Kind, keyword: &str, instance: Instance<'_>, want: &Value) -> Vec<String> {
    match kind {
        Kind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            let asks = |(name, asked): (&String, &Value)| {
                let asked = asked.as_array().is_some_and(|asked| asked.contains(property));
                (asked && instance.child(name).is_some()).then(|| name.clone())
            };
            let asking = match keyword {
                "required" => None,
                _ => want.as_object().into_iter().flatten().find_map(asks),
            };
            std::iter::once(missing.to_owned()).chain(asking).collect()
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.clone()
        }
        Kind::PropertyNames { error } => error.instance().as_str().map(str::to_owned).into_iter().collect(),
        Kind::FalseSchema if keyword != "false" => instance.names(),
        _ => Vec::new(),
    }
}

/// What the error itself knows about the rule, for rules whose source is not available.
fn want(kind: &Kind) -> Value {
    match kind {
        Kind::AdditionalItems { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::FalseSchema
        | Kind::UnevaluatedItems { .. }
        | Kind::UnevaluatedProperties { .. } => Value::Bool(false),
        Kind::UniqueItems => Value::Bool(true),
        Kind::Constant { expected_value } => expected_value.as_ref().clone(),
        Kind::Enum { options } => options.as_ref().clone(),
        Kind::ExclusiveMaximum { limit }
        | Kind::ExclusiveMinimum { limit }
        | Kind::Maximum { limit }
        | Kind::Minimum { limit } => limit.clone(),
        Kind::Format { format } => json!(format),
        Kind::MaxItems { limit }
        | Kind::MaxLength { limit }
        | Kind::MaxProperties { limit }
        | Kind::MinItems { limit }
        | Kind::MinLength { limit }
        | Kind::MinProperties { limit } => json!(limit),
        Kind::MultipleOf { multiple_of } => json!(multiple_of),
        Kind::Not { schema } => schema.clone(),
        Kind::Pattern { pattern } => json!(pattern),
        Kind::Required { property } => json!([property]),
        Kind::Type { kind: TypeKind::Single(kind) } => json!(type_name(*kind)),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => kinds.iter().map(type_name).collect(),
        _ => Value::Null,
    }
}

fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "array",
        JsonType::Boolean => "boolean",
        JsonType::Integer => "integer",
        JsonType::Null => "null",
        JsonType::Number => "number",
        JsonType::Object => "object",
        JsonType::String => "string",
    }
}

/// The place of a rule whose source is not available, such as one of an official meta-schema.
fn foreign_place(error: &ValidationError<'_>) -> String {
    match error.absolute_keyword_location() {
        Some(location) => address::decode(location.as_str()).into_owned(),
        None => format!("#{}", error.schema_path()),
    }
}

fn evaluation_path(error: &ValidationError<'_>, keyword: &str) -> String {
    let path = error.evaluation_path().as_str();
    match error.kind() {
        // The validator appends the path below the keyword, which belongs to the cause.
        Kind::PropertyNames { .. } => match path.rfind("/propertyNames") {
            Some(start) => path[..start + 1 + keyword.len()].to_owned(),
            None => path.to_owned(),
        },
        _ => path.to_owned(),
    }
}
