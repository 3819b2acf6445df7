//! `cargo xtask api-pack DIR…`: makes `crates/kube-api/data/api.pack` from the published API of Kubernetes.
//!
//! Each directory is an unpacked Go module: `k8s.io/kubernetes@v1.31.14` for the API of one minor version, or
//! `k8s.io/api@v0.37.2` for what is known about deprecated versions. The recipe stands beside the pack.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::Value as Json;

use crate::api_pack_lifecycle::{self, Lifecycle};

/// What a value may be; the same tags as in `crates/kube-api/src/pack.rs`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Type {
    Any,
    Bool,
    Int32,
    Int64,
    Double,
    String,
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    Object(String),
    List(Box<Type>, String, Vec<String>),
    Map(Box<Type>),
}

/// A field as some versions have it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Field {
    name: String,
    r#type: Type,
    flags: u64,
    default: Option<String>,
}

const REQUIRED: u64 = 1;
const ATOMIC: u64 = 2;
const DEFAULT: u64 = 4;
/// An absent one counts as an empty one: in Go it is a struct, not a pointer to one.
const EMBEDDED: u64 = 8;

/// A definition over all versions.
#[derive(Debug, Default)]
struct Definition {
    versions: u64,
    is_atomic: bool,
    /// Each form of each field with the versions that have it.
    fields: BTreeMap<Field, u64>,
}

/// A kind over all versions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    group: String,
    version: String,
    kind: String,
    definition: String,
    plural: String,
    is_namespaced: bool,
}

#[derive(Debug, Default)]
struct Facts {
    minors: Vec<u64>,
    definitions: BTreeMap<String, Definition>,
    kinds: BTreeMap<Kind, u64>,
    lifecycles: BTreeMap<(String, String, String), Lifecycle>,
}

/// Writes the pack; what went wrong, if something did.
pub(crate) fn run(root: &Path, directories: &[&str]) -> Vec<String> {
    match make(directories) {
        Ok((bytes, summary)) => {
            let path = root.join("crates/kube-api/data/api.pack");
            println!("{summary}");
            match fs::write(&path, bytes) {
                Ok(()) => Vec::new(),
                Err(error) => vec![format!("{}: {error}", path.display())],
            }
        }
        Err(problem) => vec![problem],
    }
}

fn make(directories: &[&str]) -> Result<(Vec<u8>, String), String> {
    let mut facts = Facts::default();
    let mut modules: Vec<(u64, &Path)> = Vec::new();
    for directory in directories {
        let path = Path::new(directory);
        if path.join("api/openapi-spec/swagger.json").is_file() {
            modules.push((minor_of(path)?, path));
        } else {
            facts.lifecycles.extend(api_pack_lifecycle::read(path)?);
        }
    }
    modules.sort();
    facts.minors = modules.iter().map(|(minor, _)| *minor).collect();
    for (index, (_, path)) in modules.iter().enumerate() {
        read_version(path, 1 << index, &mut facts)?;
    }
    // What no kind leads to is not needed: answers, options, reviews of other programs.
    let reachable = reachable(&facts);
    facts.definitions.retain(|name, _| reachable.contains(name));
    let plain = encode(&facts);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&plain).map_err(|error| error.to_string())?;
    let mut packed = (plain.len() as u32).to_le_bytes().to_vec();
    packed.extend(encoder.finish().map_err(|error| error.to_string())?);
    let summary = format!(
        "{} versions, {} definitions, {} kinds, {} deprecated: {} bytes, {} unpacked",
        facts.minors.len(),
        facts.definitions.len(),
        facts.kinds.len(),
        facts.lifecycles.len(),
        packed.len(),
        plain.len()
    );
    Ok((packed, summary))
}

/// The minor version of a module, from the name of its directory.
fn minor_of(path: &Path) -> Result<u64, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let version = name.split_once("@v1.").map(|(_, rest)| rest.split('.').next().unwrap_or_default());
    version
        .and_then(|minor| minor.parse().ok())
        .ok_or_else(|| format!("{}: the directory is not named like `kubernetes@v1.31.14`", path.display()))
}

fn json(path: &Path) -> Result<Json, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn text(value: &Json, key: &str) -> String {
    value.get(key).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn read_version(path: &Path, bit: u64, facts: &mut Facts) -> Result<(), String> {
    let swagger = json(&path.join("api/openapi-spec/swagger.json"))?;
    let defaults = read_defaults(&path.join("api/openapi-spec/v3"))?;
    let mut definition_of = BTreeMap::new();
    for (name, schema) in swagger["definitions"].as_object().into_iter().flatten() {
        for kind in schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten() {
            let key = (text(kind, "group"), text(kind, "version"), text(kind, "kind"));
            definition_of.insert(key, name.clone());
        }
        let definition = facts.definitions.entry(name.clone()).or_default();
        definition.versions |= bit;
        definition.is_atomic |= schema["x-kubernetes-map-type"] == "atomic";
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let default = defaults.get(&(name.clone(), field.clone())).cloned();
            let is_embedded = default.as_deref() == Some("{}");
            let default = default.filter(|_| !is_embedded);
            let mut flags = if default.is_some() { DEFAULT } else { 0 };
            if is_embedded && property["$ref"].is_string() {
                flags |= EMBEDDED;
            }
            if required.contains(field.as_str()) {
                flags |= REQUIRED;
            }
            if property["x-kubernetes-map-type"] == "atomic" {
                flags |= ATOMIC;
            }
            let field = Field { name: field.clone(), r#type: type_of(property), flags, default };
            *definition.fields.entry(field).or_default() |= bit;
        }
    }
    for (route, methods) in swagger["paths"].as_object().into_iter().flatten() {
        let Some(create) = methods.get("post") else { continue };
        let Some(kind) = create.get("x-kubernetes-group-version-kind") else { continue };
        let parts: Vec<&str> = route.split('/').skip(1).collect();
        // `/api/v1/…` or `/apis/group/version/…`, then `namespaces/{namespace}` for some, then the plural.
        let rest = if parts.first() == Some(&"api") { parts.get(2..) } else { parts.get(3..) };
        let (is_namespaced, plural) = match rest {
            Some(["namespaces", "{namespace}", plural]) => (true, *plural),
            Some([plural]) => (false, *plural),
            _ => continue,
        };
        let key = (text(kind, "group"), text(kind, "version"), text(kind, "kind"));
        let Some(definition) = definition_of.get(&key) else { continue };
        let kind = Kind {
            group: key.0,
            version: key.1,
            kind: key.2,
            definition: definition.clone(),
            plural: plural.to_owned(),
            is_namespaced,
        };
        *facts.kinds.entry(kind).or_default() |= bit;
    }
    // A namespaced resource can be asked for in all namespaces at once; some can be created there too.
    let namespaced: BTreeSet<(String, String, String)> = facts
        .kinds
        .keys()
        .filter(|kind| kind.is_namespaced)
        .map(|kind| (kind.group.clone(), kind.version.clone(), kind.kind.clone()))
        .collect();
    facts.kinds.retain(|kind, _| {
        kind.is_namespaced
            || !namespaced.contains(&(kind.group.clone(), kind.version.clone(), kind.kind.clone()))
    });
    Ok(())
}

/// The defaults that say something: neither empty text, zero nor false.
fn read_defaults(folder: &Path) -> Result<BTreeMap<(String, String), String>, String> {
    let mut defaults = BTreeMap::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let document = json(&path)?;
        for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
            for (field, property) in schema["properties"].as_object().into_iter().flatten() {
                match property.get("default") {
                    None | Some(Json::Null | Json::Bool(false)) => {}
                    Some(Json::String(text)) if text.is_empty() => {}
                    Some(Json::Number(number)) if number.as_f64() == Some(0.0) => {}
                    Some(value) => {
                        defaults.insert((name.clone(), field.clone()), value.to_string());
                    }
                }
            }
        }
    }
    Ok(defaults)
}

fn type_of(schema: &Json) -> Type {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.trim_start_matches("#/definitions/");
        return match name.rsplit('.').next().unwrap_or_default() {
            "Quantity" => Type::Quantity,
            "IntOrString" => Type::IntOrString,
            "Time" => Type::Time,
            "MicroTime" => Type::MicroTime,
            "FieldsV1" | "RawExtension" | "JSON" | "Patch" => Type::Any,
            "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => Type::Any,
            _ => Type::Object(name.to_owned()),
        };
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("boolean"), _) => Type::Bool,
        (Some("integer"), Some("int32")) => Type::Int32,
        (Some("integer"), _) => Type::Int64,
        (Some("number"), _) => Type::Double,
        (Some("string"), Some("byte")) => Type::Bytes,
        (Some("string"), Some("date-time")) => Type::Time,
        (Some("string"), Some("int-or-string")) => Type::IntOrString,
        (Some("string"), _) => Type::String,
        (Some("array"), _) => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
            Type::List(
                Box::new(type_of(&schema["items"])),
                text(schema, "x-kubernetes-list-type"),
                keys.filter_map(|key| key.as_str().map(str::to_owned)).collect(),
            )
        }
        (Some("object"), _) if schema["additionalProperties"].is_object() => {
            Type::Map(Box::new(type_of(&schema["additionalProperties"])))
        }
        _ => Type::Any,
    }
}

fn named(r#type: &Type) -> Option<&str> {
    match r#type {
        Type::Object(name) => Some(name),
        Type::List(inner, ..) | Type::Map(inner) => named(inner),
        _ => None,
    }
}

fn reachable(facts: &Facts) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<&str> = facts.kinds.keys().map(|kind| kind.definition.as_str()).collect();
    while let Some(name) = waiting.pop() {
        if seen.insert(name.to_owned())
            && let Some(definition) = facts.definitions.get(name)
        {
            waiting.extend(definition.fields.keys().filter_map(|field| named(&field.r#type)));
        }
    }
    seen
}

/// Numbers for texts, types and sets of versions, in the order in which they are first needed.
#[derive(Debug)]
struct Numbers<T: Ord> {
    known: BTreeMap<T, u64>,
    list: Vec<T>,
}

impl<T: Ord + Clone> Numbers<T> {
    fn new() -> Self {
        Numbers { known: BTreeMap::new(), list: Vec::new() }
    }

    fn number(&mut self, item: &T) -> u64 {
        if let Some(number) = self.known.get(item) {
            return *number;
        }
        let number = self.list.len() as u64;
        self.known.insert(item.clone(), number);
        self.list.push(item.clone());
        number
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The pack before compression; `crates/kube-api/src/pack.rs` reads it and says what stands where.
fn encode(facts: &Facts) -> Vec<u8> {
    let mut strings: Numbers<String> = Numbers::new();
    let mut masks: Numbers<u64> = Numbers::new();
    let mut types: Numbers<Type> = Numbers::new();
    let definition_number: BTreeMap<&str, u64> =
        facts.definitions.keys().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();

    let mut bodies = Vec::new();
    let mut heads = Vec::new();
    for (name, definition) in &facts.definitions {
        let start = bodies.len();
        varint(&mut bodies, definition.is_atomic.into());
        varint(&mut bodies, definition.fields.len() as u64);
        for (field, versions) in &definition.fields {
            varint(&mut bodies, strings.number(&field.name));
            varint(&mut bodies, types.number(&field.r#type));
            varint(&mut bodies, masks.number(versions));
            varint(&mut bodies, field.flags);
            if let Some(default) = &field.default {
                varint(&mut bodies, strings.number(default));
            }
        }
        varint(&mut heads, strings.number(name));
        varint(&mut heads, (bodies.len() - start) as u64);
    }
    let mut kinds = Vec::new();
    for (kind, versions) in &facts.kinds {
        for name in [&kind.group, &kind.version, &kind.kind, &kind.plural] {
            varint(&mut kinds, strings.number(name));
        }
        varint(&mut kinds, definition_number.get(kind.definition.as_str()).copied().unwrap_or_default());
        varint(&mut kinds, kind.is_namespaced.into());
        varint(&mut kinds, masks.number(versions));
    }
    let mut lifecycles = Vec::new();
    for ((group, version, kind), lifecycle) in &facts.lifecycles {
        let (new_group, new_version, new_kind) = lifecycle.replacement.clone().unwrap_or_default();
        for name in [group, version, kind, &new_group, &new_version, &new_kind] {
            varint(&mut lifecycles, strings.number(name));
        }
        varint(&mut lifecycles, lifecycle.deprecated);
        varint(&mut lifecycles, lifecycle.removed);
    }
    // A type names types inside of it, which get the numbers before its own.
    let mut type_bytes = Vec::new();
    let mut encoded: Numbers<Type> = Numbers::new();
    let mut order = BTreeMap::new();
    for (index, wanted) in types.list.iter().enumerate() {
        let number = encode_type(wanted, &mut encoded, &mut type_bytes, &mut strings, &definition_number);
        order.insert(index as u64, number);
    }

    let mut out = Vec::new();
    varint(&mut out, facts.minors.len() as u64);
    facts.minors.iter().for_each(|minor| varint(&mut out, *minor));
    varint(&mut out, strings.list.len() as u64);
    for string in &strings.list {
        varint(&mut out, string.len() as u64);
        out.extend_from_slice(string.as_bytes());
    }
    varint(&mut out, masks.list.len() as u64);
    masks.list.iter().for_each(|mask| varint(&mut out, *mask));
    varint(&mut out, encoded.list.len() as u64);
    out.extend(type_bytes);
    varint(&mut out, order.len() as u64);
    order.values().for_each(|number| varint(&mut out, *number));
    varint(&mut out, facts.kinds.len() as u64);
    out.extend(kinds);
    varint(&mut out, facts.lifecycles.len() as u64);
    out.extend(lifecycles);
    varint(&mut out, facts.definitions.len() as u64);
    out.extend(heads);
    out.extend(bodies);
    out
}

fn encode_type(
    wanted: &Type,
    encoded: &mut Numbers<Type>,
    out: &mut Vec<u8>,
    strings: &mut Numbers<String>,
    definitions: &BTreeMap<&str, u64>,
) -> u64 {
    if let Some(number) = encoded.known.get(wanted) {
        return *number;
    }
    let inner = match wanted {
        Type::List(inner, ..) | Type::Map(inner) => encode_type(inner, encoded, out, strings, definitions),
        _ => 0,
    };
    let tag = match wanted {
        Type::Any => 0,
        Type::Bool => 1,
        Type::Int32 => 2,
        Type::Int64 => 3,
        Type::Double => 4,
        Type::String => 5,
        Type::Bytes => 6,
        Type::Time => 7,
        Type::MicroTime => 8,
        Type::Quantity => 9,
        Type::IntOrString => 10,
        Type::Object(_) => 11,
        Type::List(..) => 12,
        Type::Map(_) => 13,
    };
    varint(out, tag);
    match wanted {
        Type::Object(name) => varint(out, definitions.get(name.as_str()).copied().unwrap_or_default()),
        Type::List(_, list_type, keys) => {
            varint(out, inner);
            varint(
                out,
                match list_type.as_str() {
                    "atomic" => 1,
                    "set" => 2,
                    "map" => 3,
                    _ => 0,
                },
            );
            varint(out, keys.len() as u64);
            keys.iter().for_each(|key| varint(out, strings.number(key)));
        }
        Type::Map(_) => varint(out, inner),
        _ => {}
    }
    encoded.number(wanted)
}
