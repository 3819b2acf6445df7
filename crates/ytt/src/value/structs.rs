//! `struct`: data values, and the objects of modules.

use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use trueline_starlark::{CustomValue, Error, Thread, Value, Writer};

use super::{Context, to_struct};
use crate::error::{self, ErrorKind};
use crate::tree::{Map, MapItem, Text};

/// Up to how many fields names are compared one by one.
const FEW: usize = 8;

/// A value with fields. A struct made of a map makes a field when somebody asks for it: data values are large, and a
/// template uses few of them. Clones are the same struct.
#[derive(Clone)]
pub struct Struct(Rc<Inner>);

struct Inner {
    type_name: &'static str,
    /// Why it cannot become YAML, for the objects of modules.
    hint: Option<&'static str>,
    fields: Vec<Field>,
    index: OnceCell<FxHashMap<Text, usize>>,
    source: Option<(Rc<Map>, Context)>,
    /// What the module that made it has to know of it again.
    payload: Option<Rc<dyn Any>>,
}

struct Field {
    name: Text,
    value: OnceCell<Value>,
}

impl Struct {
    /// A struct of values.
    pub fn new(fields: impl IntoIterator<Item = (Text, Value)>) -> Struct {
        Struct::make("struct", None, fields, None)
    }

    /// An object of a module: `type_name` is what `type()` says, and `hint` why it cannot become YAML.
    pub fn typed(
        type_name: &'static str,
        hint: &'static str,
        fields: impl IntoIterator<Item = (Text, Value)>,
    ) -> Struct {
        Struct::make(type_name, Some(hint), fields, None)
    }

    /// The same, with something that [`Struct::payload`] finds again.
    pub fn with_payload(
        type_name: &'static str,
        hint: &'static str,
        fields: impl IntoIterator<Item = (Text, Value)>,
        payload: Rc<dyn Any>,
    ) -> Struct {
        Struct::make(type_name, Some(hint), fields, Some(payload))
    }

    fn make(
        type_name: &'static str,
        hint: Option<&'static str>,
        fields: impl IntoIterator<Item = (Text, Value)>,
        payload: Option<Rc<dyn Any>>,
    ) -> Struct {
        let fields =
            fields.into_iter().map(|(name, value)| Field { name, value: OnceCell::from(value) }).collect();
        Struct(Rc::new(Inner { type_name, hint, fields, index: OnceCell::new(), source: None, payload }))
    }

    /// What it was made with by [`Struct::with_payload`].
    pub fn payload<T: Any>(&self) -> Option<&T> {
        self.0.payload.as_ref()?.downcast_ref()
    }

    /// The map that it was made of, if it was.
    pub fn source(&self) -> Option<&Rc<Map>> {
        self.0.source.as_ref().map(|(map, _)| map)
    }

    /// A struct with a field for every item; maps below become structs and arrays lists.
    ///
    /// # Errors
    /// If a key is not a string.
    pub fn of_map(map: &Rc<Map>, context: &Context) -> Result<Struct, Error> {
        let name = |item: &MapItem| {
            item.key.as_text().cloned().ok_or_else(|| {
                let text = format!("expected struct key to be a string, but was {}", item.key.type_name());
                let place = item.meta.key_place();
                match place.span() {
                    Some(_) => error::Error::new(ErrorKind::Key, text).at(place).into_starlark(),
                    None => Error::new(text),
                }
            })
        };
        let fields = map
            .items
            .iter()
            .map(|item| Ok(Field { name: name(item)?, value: OnceCell::new() }))
            .collect::<Result<_, Error>>()?;
        let source = Some((Rc::clone(map), context.clone()));
        let index = OnceCell::new();
        Ok(Struct(Rc::new(Inner { type_name: "struct", hint: None, fields, index, source, payload: None })))
    }

    /// Why it cannot become YAML.
    pub fn hint(&self) -> Option<&'static str> {
        self.0.hint
    }

    /// A field.
    ///
    /// # Errors
    /// If a map below it has a key that is not a string.
    pub fn get(&self, name: &[u8]) -> Result<Option<Value>, Error> {
        match self.position(name) {
            Some(index) => self.field(index).map(Some),
            None => Ok(None),
        }
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.0.fields.iter().map(|field| &field.name)
    }

    /// All fields in order.
    ///
    /// # Errors
    /// If a map below it has a key that is not a string.
    pub fn fields(&self) -> Result<Vec<(Text, Value)>, Error> {
        (0..self.0.fields.len())
            .map(|index| Ok((self.0.fields[index].name.clone(), self.field(index)?)))
            .collect()
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        let fields = &self.0.fields;
        if fields.len() <= FEW {
            return fields.iter().position(|field| *field.name == *name);
        }
        let index = self.0.index.get_or_init(|| {
            fields.iter().enumerate().map(|(place, field)| (field.name.clone(), place)).collect()
        });
        index.get(name).copied()
    }

    fn field(&self, index: usize) -> Result<Value, Error> {
        let Some(field) = self.0.fields.get(index) else { return Ok(Value::NONE) };
        if let Some(value) = field.value.get() {
            return Ok(value.clone());
        }
        let Some((map, context)) = &self.0.source else { return Ok(Value::NONE) };
        let Some(item) = map.items.get(index) else { return Ok(Value::NONE) };
        let value = to_struct(&item.value, &item.meta.place, context)?;
        Ok(field.value.get_or_init(|| value).clone())
    }
}

impl CustomValue for Struct {
    fn type_name(&self) -> &str {
        self.0.type_name
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push("struct(...)")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    /// Objects of modules are structs to it, whatever `type()` says.
    fn hash(&self, _: &mut Thread) -> Result<u32, Error> {
        Err(Error::new("unhashable type: struct"))
    }

    fn truth(&self) -> bool {
        !self.0.fields.is_empty()
    }

    fn attr(&self, _: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        self.get(name.as_bytes())
    }

    fn attr_names(&self) -> Vec<String> {
        self.names().map(|name| name.to_str_lossy().into_owned()).collect()
    }

    fn get_key(&self, _: &mut Thread, key: &Value) -> Option<Result<Option<Value>, Error>> {
        Some(match key.as_bytes() {
            Some(name) => self.get(name),
            None => Err(Error::new(format!("expected a string, but was {}", key.type_name()))),
        })
    }

    fn items(&self, _: &mut Thread) -> Option<Result<Vec<(Value, Value)>, Error>> {
        let fields = self.fields();
        Some(fields.map(|fields| {
            fields.into_iter().map(|(name, value)| (Value::string(name.as_bytes()), value)).collect()
        }))
    }

    fn len(&self) -> Option<usize> {
        Some(self.0.fields.len())
    }

    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        let names: Vec<Value> = self.names().map(|name| Value::string(name.as_bytes())).collect();
        Some(Box::new(names.into_iter()))
    }
}
