//! Reading a value into a type of Go's, as the server does it: what has the wrong type is an error in Go's
//! words, and fields that the type does not have are listed.
//!
//! Types are tables. What has been checked against one can be read without looking again.

pub mod fields;
pub mod time;
pub mod types;

use trueline_gostd::base64::STANDARD;

use trueline_diagnostic::nearest;
use trueline_source::Span;
use trueline_yaml::{Data, Map, Value};

use crate::field_path::{FieldPath, Name, Segment};
use crate::meant::Meant;
use crate::quote::go_quoted;

/// Why an object cannot be read at all; the server answers with "bad request".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The server's words.
    pub text: String,
    /// The path of the value, with all keys and positions, which the server's words leave out; empty if there is none.
    pub path: FieldPath,
    /// Where the value was typed.
    pub place: Option<Span>,
    /// What was found and which type of Go's is wanted, where a value has another type.
    pub mismatch: Option<(Box<str>, Box<str>)>,
}

/// A field that the server does not know: it drops the field, or refuses the object if it was asked to be strict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// The path of the field as the server has it.
    pub path: FieldPath,
    /// Where the key was typed.
    pub place: Option<Span>,
    /// What may have been meant.
    pub meant: Meant,
}

impl UnknownField {
    /// The server's words.
    pub fn text(&self) -> String {
        format!("unknown field {}", go_quoted(&self.path.to_string()))
    }
}

/// How deep schemas may be nested. The server's only limit is that of its JSON reader, ten thousand levels; texts are not
/// read as deep as this.
const MAX_SCHEMA_DEPTH: usize = 1_000;

/// How many unknown fields are listed, as the server does it.
const MAX_UNKNOWN: usize = 100;

/// A type of Go's. Where a name is given it is that of a named type, with `@` for the package of the version.
#[derive(Debug)]
pub enum GoType {
    /// A string, or a named type of strings.
    Text(&'static str),
    /// `bool`
    Bool,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `float64`
    Float,
    /// `[]byte`
    Bytes,
    /// `metav1.Time`
    Time,
    /// Anything, kept as it is.
    Json,
    /// A slice.
    List(&'static GoType),
    /// A named type of slices.
    NamedList(&'static str, &'static GoType),
    /// A map with strings for keys.
    Map(&'static GoType),
    /// A named type of such maps.
    NamedMap(&'static str, &'static GoType),
    /// A struct.
    Struct(&'static GoStruct),
    /// One schema or a list of them; anything else is nothing.
    SchemaOrList,
    /// A schema or a boolean.
    SchemaOrBool,
    /// A schema or a list of names; anything else is nothing.
    SchemaOrStrings,
}

impl GoType {
    /// Whether a value has the shape of this type: a field of another shape was not meant.
    fn fits(&self, value: &Value) -> bool {
        match self {
            GoType::List(_) | GoType::NamedList(..) => matches!(value.data, Data::List(_) | Data::Null),
            GoType::Map(_) | GoType::NamedMap(..) | GoType::Struct(_) => {
                matches!(value.data, Data::Map(_) | Data::Null)
            }
            GoType::Json | GoType::SchemaOrList => true,
            _ => !matches!(value.data, Data::List(_) | Data::Map(_)),
        }
    }
}

/// A type of Go's that has fields.
#[derive(Debug)]
pub struct GoStruct {
    /// Its name.
    pub name: &'static str,
    /// The package it is in, or `@` for that of the version.
    pub package: &'static str,
    /// Its fields, with the names that they have in JSON.
    pub fields: &'static [(&'static str, GoType)],
}

/// What reading found besides errors.
#[derive(Debug, Default)]
pub struct Checked {
    /// The fields that the type does not have.
    pub unknown: Vec<UnknownField>,
}

/// Checks a value against a type. `package` is that of the version, such as `v1`.
pub fn check(value: &Value, type_: &'static GoStruct, package: &'static str) -> Result<Checked, DecodeError> {
    let mut decoder = Decoder {
        package,
        saved: None,
        owner: "",
        fields: Vec::new(),
        strict_path: Vec::new(),
        lenient: 0,
        schema_depth: 0,
        unknown: Vec::new(),
    };
    decoder.value(value, &GoType::Struct(type_))?;
    match decoder.saved {
        Some(error) => Err(error),
        None => Ok(Checked { unknown: decoder.unknown }),
    }
}

struct Decoder {
    package: &'static str,
    /// The first error; reading goes on after it, because an error of a type that reads itself comes first.
    saved: Option<DecodeError>,
    owner: &'static str,
    fields: Vec<&'static str>,
    strict_path: Vec<Segment>,
    /// How many types that read themselves are around; they ignore unknown fields.
    lenient: usize,
    schema_depth: usize,
    unknown: Vec<UnknownField>,
}

impl Decoder {
    fn value(&mut self, value: &Value, type_: &GoType) -> Result<(), DecodeError> {
        match (type_, &value.data) {
            (GoType::Json, _) | (_, Data::Null) => {}
            (GoType::Text(_), Data::String(_)) | (GoType::Bool, Data::Bool(_)) => {}
            (GoType::Int32 | GoType::Int64, Data::Int(_) | Data::UInt(_) | Data::Float(_)) => {
                let fits = match (type_, fields::whole(value)) {
                    (GoType::Int32, Some(number)) => i32::try_from(number).is_ok(),
                    (_, number) => number.is_some(),
                };
                if !fits {
                    let number = value.to_json_text().unwrap_or_default();
                    self.wrong(value, &format!("number {number}"), type_);
                }
            }
            (GoType::Float, Data::Int(_) | Data::UInt(_) | Data::Float(_)) => {}
            (GoType::Bytes, Data::String(text)) => {
                if let Err(illegal) = STANDARD.decode(text.as_bytes()) {
                    self.save(value, illegal.to_string());
                }
            }
            (GoType::Time, Data::String(text)) => {
                if let Some(text) = time::error(text) {
                    return Err(self.failed(value, text));
                }
            }
            (GoType::Time, _) => {
                return Err(self.mismatch(value, found(value), "string"));
            }
            (GoType::List(item) | GoType::NamedList(_, item), Data::List(items)) => {
                for (index, one) in items.iter().enumerate() {
                    let length = self.strict_path.len();
                    self.strict_path.push(Segment::Index(index));
                    self.value(one, item)?;
                    self.strict_path.truncate(length);
                }
            }
            (GoType::Map(item) | GoType::NamedMap(_, item), Data::Map(map)) => {
                for (key, entry) in sorted(map) {
                    let length = self.push_strict(key.to_owned());
                    self.value(&entry.value, item)?;
                    self.strict_path.truncate(length);
                }
            }
            (GoType::Struct(struct_), Data::Map(map)) => self.structure(map, struct_, value)?,
            (GoType::SchemaOrBool, Data::Bool(_)) => {}
            (GoType::SchemaOrBool | GoType::SchemaOrList | GoType::SchemaOrStrings, Data::Map(_)) => {
                self.leniently(value, &GoType::Struct(&types::JSON_SCHEMA_PROPS))?;
            }
            (GoType::SchemaOrList, Data::List(_)) => self.leniently(value, &types::SCHEMAS)?,
            (GoType::SchemaOrStrings, Data::List(_)) => self.leniently(value, &types::STRINGS)?,
            (GoType::SchemaOrBool, _) => {
                return Err(self.failed(value, "boolean or JSON schema expected".to_owned()));
            }
            (GoType::SchemaOrList | GoType::SchemaOrStrings, _) => {}
            _ => self.wrong(value, found(value), type_),
        }
        Ok(())
    }

    fn structure(&mut self, map: &Map, struct_: &'static GoStruct, value: &Value) -> Result<(), DecodeError> {
        let is_schema = std::ptr::eq(struct_, &types::JSON_SCHEMA_PROPS);
        if is_schema {
            if self.schema_depth >= MAX_SCHEMA_DEPTH {
                return Err(self.failed(value, "exceeded max depth".to_owned()));
            }
            self.schema_depth += 1;
        }
        for (key, entry) in sorted(map) {
            let Some((name, type_)) = struct_.fields.iter().find(|(name, _)| *name == key) else {
                self.unknown_field(key, map, entry.key_origin, struct_);
                continue;
            };
            let owner = std::mem::replace(&mut self.owner, struct_.name);
            self.fields.push(name);
            let length = self.push_strict(*name);
            self.value(&entry.value, type_)?;
            self.strict_path.truncate(length);
            self.fields.pop();
            self.owner = owner;
        }
        if is_schema {
            self.schema_depth -= 1;
        }
        Ok(())
    }

    /// Reads what a type that reads itself holds: its first error ends all reading.
    fn leniently(&mut self, value: &Value, type_: &GoType) -> Result<(), DecodeError> {
        let saved = self.saved.take();
        self.lenient += 1;
        self.value(value, type_)?;
        self.lenient -= 1;
        match self.saved.take() {
            Some(error) => Err(error),
            None => {
                self.saved = saved;
                Ok(())
            }
        }
    }

    fn unknown_field(&mut self, key: &str, around: &Map, place: Option<Span>, struct_: &'static GoStruct) {
        if self.lenient > 0 || self.unknown.len() >= MAX_UNKNOWN {
            return;
        }
        let path = FieldPath::new(self.strict_path.clone()).field(key.to_owned());
        let value = around.get(key).map(|entry| &entry.value);
        let fitting =
            struct_.fields.iter().filter(|(_, wanted)| value.is_none_or(|value| wanted.fits(value)));
        let near = nearest(key, fitting.map(|(name, _)| *name));
        let near = near.filter(|name| !around.contains_key(*name));
        let meant = near.map_or(Meant::Unknown, |near| Meant::Name(near.into()));
        self.unknown.push(UnknownField { path, place, meant });
    }

    fn push_strict(&mut self, name: impl Into<Name>) -> usize {
        let length = self.strict_path.len();
        self.strict_path.push(Segment::field(name));
        length
    }

    fn wrong(&mut self, value: &Value, found: &str, type_: &GoType) {
        if self.saved.is_none() {
            let error = self.mismatch(value, found, &self.type_text(type_));
            self.saved = Some(error);
        }
    }

    fn mismatch(&self, value: &Value, found: &str, wanted: &str) -> DecodeError {
        let mismatch = Some((found.into(), wanted.into()));
        DecodeError { mismatch, ..self.failed(value, self.wrong_text(found, wanted)) }
    }

    fn wrong_text(&self, found: &str, type_: &str) -> String {
        if self.fields.is_empty() {
            return format!("json: cannot unmarshal {found} into Go value of type {type_}");
        }
        let fields = self.fields.join(".");
        format!("json: cannot unmarshal {found} into Go struct field {}.{fields} of type {type_}", self.owner)
    }

    fn save(&mut self, value: &Value, text: String) {
        if self.saved.is_none() {
            self.saved = Some(self.failed(value, text));
        }
    }

    fn failed(&self, value: &Value, text: String) -> DecodeError {
        DecodeError {
            text,
            path: FieldPath::new(self.strict_path.clone()),
            place: value.origin,
            mismatch: None,
        }
    }

    fn type_text(&self, type_: &GoType) -> String {
        match type_ {
            GoType::Text(name) | GoType::NamedList(name, _) | GoType::NamedMap(name, _) => {
                name.replace('@', self.package)
            }
            GoType::Bool => "bool".to_owned(),
            GoType::Int32 => "int32".to_owned(),
            GoType::Int64 => "int64".to_owned(),
            GoType::Float => "float64".to_owned(),
            GoType::Bytes => "[]uint8".to_owned(),
            GoType::Time => "v1.Time".to_owned(),
            GoType::Json => format!("{}.JSON", self.package),
            GoType::List(item) => format!("[]{}", self.type_text(item)),
            GoType::Map(item) => format!("map[string]{}", self.type_text(item)),
            GoType::Struct(struct_) => {
                format!("{}.{}", struct_.package.replace('@', self.package), struct_.name)
            }
            GoType::SchemaOrList => format!("{}.JSONSchemaPropsOrArray", self.package),
            GoType::SchemaOrBool => format!("{}.JSONSchemaPropsOrBool", self.package),
            GoType::SchemaOrStrings => format!("{}.JSONSchemaPropsOrStringArray", self.package),
        }
    }
}

/// The entries in the order that the server reads them: YAML becomes JSON with sorted keys first.
fn sorted(map: &Map) -> Vec<(&str, &trueline_yaml::MapEntry)> {
    let mut entries: Vec<_> = map.iter().map(|(key, entry)| (&**key, entry)).collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

/// Go's name of what a JSON value is.
fn found(value: &Value) -> &'static str {
    match &value.data {
        Data::Bool(_) => "bool",
        _ => value.type_name(),
    }
}
