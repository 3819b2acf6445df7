//! One schema after the other: what its type is, and what else it says.

use trueline_starlark::{Limits, Thread};
use trueline_yaml::{NodeId, NodeRef, ScalarValue};

use super::checked::rule_text;
use super::inline::plain;
use super::reference::resolve;
use super::scalar::{self, Scalar, Want};
use super::write::{Example, Node, starlark, starlark_string};
use super::{Dialect, ImportError, Unexpressed, is_true};

/// Schemas that are nested deeper, or become more nodes, are refused: references can make a small schema endless.
pub(super) const DEEPEST: usize = 150;
pub(super) const MOST_NODES: usize = 50_000;
/// How much may be written in all: a reference can repeat long descriptions and enumerations.
pub(super) const MOST_BYTES: usize = 64 << 20;
/// Paths are not shown longer than this.
const LONGEST_PATH: usize = 1_000;

/// Keywords that combine schemas.
const COMBINATIONS: [&str; 10] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "$dynamicRef",
    "$recursiveRef",
    "x-kubernetes-validations",
    "x-kubernetes-int-or-string",
    "x-kubernetes-embedded-resource",
];

const OF_OBJECTS: [&str; 8] = [
    "patternProperties",
    "propertyNames",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
];

const OF_ARRAYS: [&str; 5] =
    ["uniqueItems", "prefixItems", "additionalItems", "unevaluatedItems", "x-kubernetes-list-type"];

/// What a schema without a type may say besides.
const OF_OTHERS: [&str; 15] = [
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "contains",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
];

/// Keywords that say something with `false`; others are off then.
const SAY_FALSE: [&str; 7] = [
    "additionalProperties",
    "additionalItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
    "not",
    "if",
];

const CLOSED: &str = "a map of a ytt schema has no other keys";
pub(super) const ANYTHING: &str = "any value is accepted";
pub(super) const LOST: &str = "it is not checked";
const NULL_TOO: &str = "null is accepted as well, because a ytt schema needs a default";
const MISSING: &str = "a missing value counts as null, which is accepted";

/// Whether a value has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
    /// An item of an array or the whole document: nothing takes its place.
    Always,
}

/// Turns schemas into nodes.
pub(super) struct Converter<'d> {
    pub(super) root: NodeRef<'d>,
    pub(super) dialect: Dialect,
    pub(super) unexpressed: Vec<Unexpressed>,
    /// The schemas that are being converted, from the outermost.
    pub(super) open: Vec<NodeId>,
    nodes: usize,
    bytes: usize,
    /// What candidates for defaults are checked with.
    pub(super) thread: Thread,
}

impl<'d> Converter<'d> {
    pub(super) fn new(root: NodeRef<'d>, dialect: Dialect) -> Converter<'d> {
        Converter {
            root,
            dialect,
            unexpressed: Vec::new(),
            open: Vec::new(),
            nodes: 0,
            bytes: 0,
            thread: Thread::new(Limits::default()),
        }
    }

    pub(super) fn document(&mut self, schema: NodeRef<'d>) -> Result<Node, ImportError> {
        self.node(schema, "", Presence::Always)
    }

    /// Counts one more schema.
    pub(super) fn count(&mut self) {
        self.nodes += 1;
    }

    /// Counts what is going to be written.
    pub(super) fn charge(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Whether the result is not too much yet.
    pub(super) fn within_limits(&self) -> Result<(), ImportError> {
        if self.nodes > MOST_NODES || self.open.len() > DEEPEST {
            return Err(ImportError::TooManyNodes);
        }
        if self.bytes > MOST_BYTES {
            return Err(ImportError::TooLong);
        }
        Ok(())
    }

    pub(super) fn note(&mut self, keyword: &str, path: &str, at: NodeRef<'d>, effect: &'static str) {
        self.unexpressed.push(Unexpressed {
            keyword: keyword.to_owned(),
            path: path.to_owned(),
            span: at.span(),
            effect,
        });
    }

    /// Notes those of some keywords that a schema has.
    fn note_all(&mut self, keywords: &[&str], path: &str, schema: NodeRef<'d>, effect: &'static str) {
        for keyword in keywords {
            let Some((key, value)) = schema.get_entry(keyword) else { continue };
            // These say nothing.
            let is_off = value.scalar() == Some(ScalarValue::Bool(false)) && !SAY_FALSE.contains(keyword)
                || matches!(*keyword, "x-kubernetes-list-type") && value.as_str() == Some("atomic");
            if !is_off {
                self.note(keyword, path, key, effect);
            }
        }
    }

    fn node(&mut self, written: NodeRef<'d>, path: &str, presence: Presence) -> Result<Node, ImportError> {
        self.count();
        self.within_limits()?;
        let target = resolve(self.root, written).filter(|target| !self.open.contains(&target.id()));
        let Some(schema) = target else {
            if let Some((key, _)) = written.get_entry("$ref") {
                self.note("$ref", path, key, ANYTHING);
            }
            return Ok(self.settled(any("null"), path, written, presence, Null::Allowed));
        };
        if schema.id() != written.id() {
            let keywords: Vec<&str> =
                [&COMBINATIONS[..], &OF_OBJECTS, &OF_ARRAYS, &OF_OTHERS, &["type", "enum", "const"]].concat();
            self.note_all(&keywords, path, written, LOST);
        }
        self.open.push(schema.id());
        let node = self.opened(schema, path, presence);
        self.open.pop();
        let mut node = node?;
        for (keyword, annotation) in [("title", "title"), ("description", "desc")] {
            let text = written.get(keyword).or_else(|| schema.get(keyword)).and_then(NodeRef::as_str);
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                node.annotations.insert(0, format!("schema/{annotation} {}", starlark_string(text)));
            }
        }
        if schema.get("deprecated").is_some_and(is_true) && !self.open.is_empty() {
            node.annotations.push("schema/deprecated \"\"".to_owned());
        }
        self.charge(node.size());
        self.within_limits()?;
        Ok(node)
    }

    fn opened(&mut self, schema: NodeRef<'d>, path: &str, presence: Presence) -> Result<Node, ImportError> {
        if let Some(ScalarValue::Bool(is_all)) = schema.scalar() {
            if !is_all {
                self.note("false", path, schema, ANYTHING);
            }
            return Ok(self.settled(any("null"), path, schema, presence, Null::Allowed));
        }
        if let Some(other) = or_null(schema) {
            // The other branch says it all.
            self.open.push(other.id());
            let node = self.typed(other, path, presence, Null::Allowed);
            self.open.pop();
            return node;
        }
        self.typed(schema, path, presence, Null::Refused)
    }

    fn typed(
        &mut self,
        schema: NodeRef<'d>,
        path: &str,
        presence: Presence,
        null: Null,
    ) -> Result<Node, ImportError> {
        let mut types = Types::of(schema);
        // Data values are a map, and so keys are all that such a schema is about.
        if path.is_empty() && schema.get("type").is_none() && schema.get("properties").is_some() {
            types.name = Some("object");
        }
        if null == Null::Allowed {
            types.null = Null::Allowed;
        }
        let wants_default = match presence {
            Presence::Required if self.dialect == Dialect::JsonSchema || schema.get("default").is_none() => {
                Want::Anything
            }
            _ => Want::Valid,
        };
        let node = match types.name {
            _ if schema.get("x-kubernetes-preserve-unknown-fields").is_some_and(is_true)
                && schema.get("properties").is_none() =>
            {
                return self.anything(schema, path, presence, types.null);
            }
            Some("object") if self.has_any_keys(schema, path) => {
                return self.anything(schema, path, presence, types.null);
            }
            Some("object") => {
                self.note_all(&OF_OBJECTS, path, schema, LOST);
                self.object(schema, path)?
            }
            Some("array") => self.array(schema, path)?,
            Some(name) => match Scalar::of(name) {
                Some(kind) => {
                    let found = scalar::convert(kind, schema, wants_default, None);
                    let others = [&found.unexpressed[..], &COMBINATIONS].concat();
                    let mut found = found;
                    if let Some(rule) = self.rule_besides(schema, &others, path)? {
                        found = scalar::convert(kind, schema, wants_default, Some(&rule));
                        found.node.rules.push(rule_text(&rule));
                    }
                    if self.dialect == Dialect::Crd
                        && schema.get("format").and_then(NodeRef::as_str) == Some("byte")
                    {
                        self.note_all(&["format"], path, schema, LOST);
                    }
                    found.node
                }
                None => return self.anything(schema, path, presence, types.null),
            },
            None => return self.without_type(schema, path, presence, types.null),
        };
        let mut node = node;
        if types.null == Null::Allowed {
            node.rules.retain(|rule| rule != NOT_NULL);
        }
        match union(schema) {
            Some(keys) if types.name == Some("object") => {
                node.rules.push(format!("one_not_null=[{}]", keys.join(", ")));
                // All of the members are null by default.
                node.is_valid = false;
                let others: Vec<&str> =
                    COMBINATIONS.iter().copied().filter(|keyword| *keyword != "oneOf").collect();
                self.note_all(&others, path, schema, LOST);
            }
            _ if matches!(types.name, Some("object")) => self.note_all(&COMBINATIONS, path, schema, LOST),
            _ => {}
        }
        Ok(self.settled(node, path, schema, presence, types.null))
    }

    /// A schema that names no type, or several.
    fn without_type(
        &mut self,
        schema: NodeRef<'d>,
        path: &str,
        presence: Presence,
        null: Null,
    ) -> Result<Node, ImportError> {
        if let Some(values) = scalar::allowed(schema) {
            // Values of several types: comparing with them is all there is to it.
            let has_null = values.iter().any(|value| value == "None");
            let listed: Vec<&str> =
                values.iter().map(String::as_str).filter(|value| *value != "None").collect();
            let first = scalar::first_allowed(schema).unwrap_or_else(|| "null".to_owned());
            let mut node = any(&first);
            node.rules.push(format!("one_of=[{}]", listed.join(", ")));
            self.check_besides(&mut node, schema, &COMBINATIONS, path)?;
            let null = if has_null { Null::Allowed } else { Null::Refused };
            if null == Null::Refused {
                node.rules.insert(0, NOT_NULL.to_owned());
            }
            return Ok(self.settled(node, path, schema, presence, null));
        }
        self.anything(schema, path, presence, null)
    }

    /// A value of any type, which a rule checks.
    fn anything(
        &mut self,
        schema: NodeRef<'d>,
        path: &str,
        presence: Presence,
        null: Null,
    ) -> Result<Node, ImportError> {
        let (mut node, null) = self.checked_value(schema, path, null)?;
        if null == Null::Refused {
            node.rules.push(NOT_NULL.to_owned());
        }
        Ok(self.settled(node, path, schema, presence, null))
    }

    /// Whether the keys of an object are not known, which no type of ytt says.
    fn has_any_keys(&self, schema: NodeRef<'d>, path: &str) -> bool {
        let has_entries = |keyword| {
            let entries = schema.get(keyword).and_then(NodeRef::entries);
            entries.is_some_and(|mut entries| entries.next().is_some())
        };
        let others = schema.get("additionalProperties");
        let is_closed = others.and_then(NodeRef::scalar) == Some(ScalarValue::Bool(false));
        let is_open = match self.dialect {
            Dialect::JsonSchema => !is_closed,
            Dialect::Crd => others.is_some() && !is_closed,
        };
        match has_entries("properties") {
            false => is_open || has_entries("patternProperties"),
            // The whole document stays a map: that is what people read a schema for.
            true => {
                !path.is_empty() && (has_entries("patternProperties") || has_entries("additionalProperties"))
            }
        }
    }

    fn object(&mut self, schema: NodeRef<'d>, path: &str) -> Result<Node, ImportError> {
        let others = schema.get_entry("additionalProperties");
        let is_closed = others.is_some_and(|(_, value)| value.scalar() == Some(ScalarValue::Bool(false)));
        let is_open = match self.dialect {
            Dialect::JsonSchema => !is_closed,
            Dialect::Crd => others.is_some() && !is_closed,
        };
        let Some((key, properties)) = schema.get_entry("properties").filter(|(_, properties)| {
            properties.entries().is_some_and(|mut entries| entries.next().is_some())
        }) else {
            return Ok(Node { example: Example::Map(Vec::new()), ..Node::inline("") });
        };
        if is_open {
            self.note("additionalProperties", path, others.map_or(key, |(key, _)| key), CLOSED);
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(NodeRef::items)
            .into_iter()
            .flatten()
            .filter_map(NodeRef::as_str)
            .collect();
        let mut items: Vec<(String, Node)> = Vec::new();
        for (key, property) in properties.entries().into_iter().flatten() {
            let name = key.key_text().into_owned();
            let inner = match path.len() + name.len() {
                length if length > LONGEST_PATH => path.to_owned(),
                _ if path.is_empty() => name.clone(),
                _ => format!("{path}.{name}"),
            };
            let has_default = self.dialect == Dialect::Crd && property.get("default").is_some();
            let presence = match required.contains(&name.as_str()) && !has_default {
                true => Presence::Required,
                false => Presence::Optional,
            };
            let node = self.node(property, &inner, presence)?;
            items.push((name, node));
        }
        for name in &required {
            if !items.iter().any(|(known, _)| known == name)
                && let Some((key, _)) = schema.get_entry("required")
            {
                self.note("required", path, key, CLOSED);
            }
        }
        let is_valid = items.iter().all(|(_, node)| node.is_valid);
        Ok(Node { example: Example::Map(items), is_valid, ..Node::inline("") })
    }

    fn array(&mut self, schema: NodeRef<'d>, path: &str) -> Result<Node, ImportError> {
        let inner = format!("{path}[]");
        let item = match schema.get("items") {
            Some(items) if items.items().is_none() && schema.get("prefixItems").is_none() => {
                self.node(items, &inner, Presence::Always)?
            }
            _ => any("null"),
        };
        let mut node = Node { example: Example::Array(Box::new(item)), ..Node::inline("") };
        for (keyword, rule) in [("minItems", "min_len"), ("maxItems", "max_len")] {
            if let Some(ScalarValue::Int(length)) = schema.get(keyword).and_then(NodeRef::scalar)
                && (length > 0 || keyword == "maxItems")
            {
                node.rules.push(format!("{rule}={length}"));
                node.is_valid &= keyword == "maxItems";
            }
        }
        let contained = schema.get("contains").and_then(|contains| match contains.entries()?.count() {
            1 if schema.get("minContains").or(schema.get("maxContains")).is_none() => {
                contains.get("const").and_then(scalar::literal)
            }
            _ => None,
        });
        let mut others = [&OF_ARRAYS[..], &COMBINATIONS].concat();
        match contained {
            Some(item) => {
                node.rules.push(format!("contains={item}"));
                node.is_valid = false;
            }
            None => others.extend(["contains", "minContains", "maxContains"]),
        }
        match schema.get("items").is_some_and(|items| items.items().is_some()) {
            true => others.push("items"),
            false if schema.get("prefixItems").is_some() => others.push("items"),
            false => {}
        }
        match node.example.is_filled_in() {
            // Rules see the items with the keys that are added, and so not what was written.
            true => self.note_all(&others, path, schema, LOST),
            false => self.check_besides(&mut node, schema, &others, path)?,
        }
        Ok(node)
    }

    /// A node whose default says whether it has to be set.
    fn settled(
        &mut self,
        mut node: Node,
        path: &str,
        schema: NodeRef<'d>,
        presence: Presence,
        null: Null,
    ) -> Node {
        let is_any = node.annotations.iter().any(|annotation| annotation == ANY);
        let nullable = || NULLABLE.to_owned();
        match (presence, null) {
            (Presence::Always, Null::Allowed) if !is_any => node.annotations.push(nullable()),
            (Presence::Always, _) => {}
            (Presence::Required, Null::Allowed) => {
                let at = schema.get_entry("type").map_or(schema, |(key, _)| key);
                self.note("required", path, at, MISSING);
                node.annotations.push(nullable());
                node.is_valid = true;
            }
            (Presence::Required, Null::Refused) if node.is_valid => {
                node.annotations.push(nullable());
                if !node.rules.iter().any(|rule| rule == NOT_NULL) {
                    node.rules.insert(0, NOT_NULL.to_owned());
                }
                node.is_valid = false;
            }
            (Presence::Required, Null::Refused) => {}
            (Presence::Optional, Null::Allowed) => {
                node.annotations.push(nullable());
                if let Some(default) = schema
                    .get("default")
                    .and_then(|default| plain(default, 0).ok())
                    .filter(|value| !value.is_null())
                {
                    node.annotations.push(format!("schema/default {}", starlark(&default)));
                }
                node.is_valid = true;
            }
            (Presence::Optional, Null::Refused) if node.is_valid => {}
            (Presence::Optional, Null::Refused) => {
                let at = schema.get_entry("type").map_or(schema, |(key, _)| key);
                self.note("type", path, at, NULL_TOO);
                node.annotations.push(nullable());
                node.rules.retain(|rule| rule != NOT_NULL);
                node.is_valid = true;
            }
        }
        node
    }
}

const ANY: &str = "schema/type any=True";
const NULLABLE: &str = "schema/nullable";
const NOT_NULL: &str = "not_null=True";

pub(super) fn any(default: &str) -> Node {
    let mut node = Node::inline(default);
    node.annotations.push(ANY.to_owned());
    node
}

/// Whether null is one of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    Allowed,
    Refused,
}

/// The type of a schema: the only one that it names, besides null.
struct Types<'d> {
    name: Option<&'d str>,
    null: Null,
}

impl<'d> Types<'d> {
    fn of(schema: NodeRef<'d>) -> Types<'d> {
        let mut null = Null::Refused;
        if schema.get("nullable").is_some_and(is_true) {
            null = Null::Allowed;
        }
        let mut names: Vec<&str> = match schema.get("type") {
            Some(names) if names.items().is_some() => {
                names.items().into_iter().flatten().filter_map(NodeRef::as_str).collect()
            }
            Some(name) => name.as_str().into_iter().collect(),
            None => scalar::type_of_allowed(schema).into_iter().collect(),
        };
        if let Some(place) = names.iter().position(|name| *name == "null") {
            names.remove(place);
            null = Null::Allowed;
        }
        // Integers are numbers.
        if names.contains(&"number") {
            names.retain(|name| *name != "integer");
        }
        match names[..] {
            [name] => Types { name: Some(name), null },
            _ => Types { name: None, null },
        }
    }
}

/// The schema that is allowed besides null, if that is all that a schema says.
fn or_null<'d>(schema: NodeRef<'d>) -> Option<NodeRef<'d>> {
    if schema.get("type").is_some() || schema.get("properties").is_some() {
        return None;
    }
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    let branches: Vec<NodeRef<'_>> = branches.items()?.collect();
    let is_null = |branch: &NodeRef<'_>| branch.get("type").and_then(NodeRef::as_str) == Some("null");
    match branches[..] {
        [one, two] if is_null(&one) && two.get("type").is_some() => Some(two),
        [one, two] if is_null(&two) && one.get("type").is_some() => Some(one),
        _ => None,
    }
}

/// The keys of which exactly one is not null, if that is what `oneOf` says in the way that schemas are exported.
fn union(schema: NodeRef<'_>) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    for branch in schema.get("oneOf")?.items()? {
        let required: Vec<&str> = branch.get("required")?.items()?.filter_map(NodeRef::as_str).collect();
        let [key] = required[..] else { return None };
        let member = branch.get("properties")?.get(key)?;
        if member.at_pointer("/not/type").and_then(NodeRef::as_str) != Some("null") {
            return None;
        }
        keys.push(starlark_string(key));
    }
    (!keys.is_empty()).then_some(keys)
}
