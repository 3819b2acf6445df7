//! `struct`: data values, and the objects of modules.

use std::any::Any;
use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use trueline_starlark::{CustomValue, Error, Thread, Value, Writer};

use super::{Context, to_struct};
use crate::error::{self, ErrorKind};
use crate::tree::{Map, Text};

/// Up to how many fields names are compared one by one.
const FEW: usize = 8;

/// A value with fields.
pub struct Struct(Fields);

enum Fields {
    Made(Box<Made>),
    Seen(Seen),
}

/// Fields that code gave.
struct Made {
    type_name: &'static str,
    /// Why it cannot become YAML, for the objects of modules.
    hint: Option<&'static str>,
    fields: Vec<(Text, Value)>,
    index: OnceCell<FxHashMap<Text, usize>>,
    /// What the module that made it has to know of it again.
    payload: Option<Rc<dyn Any>>,
}

/// A map as Starlark sees it. A field is made when somebody asks for it: data values are large, and a template uses few of
/// them. Lists of thousands of small maps are what makes them large, so those keep no scalars that can be made again.
struct Seen {
    map: Rc<Map>,
    context: Context,
    views: OnceCell<Box<Views>>,
}

/// The fields that somebody asked for.
struct Views {
    fields: Box<[OnceCell<Value>]>,
    /// Where names are, if there are more than a few.
    index: FxHashMap<Text, usize>,
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
        let fields = fields.into_iter().collect();
        Struct(Fields::Made(Box::new(Made { type_name, hint, fields, index: OnceCell::new(), payload })))
    }

    /// What it was made with by [`Struct::with_payload`].
    pub fn payload<T: Any>(&self) -> Option<&T> {
        match &self.0 {
            Fields::Made(made) => made.payload.as_ref()?.downcast_ref(),
            Fields::Seen(_) => None,
        }
    }

    /// The map that it was made of, if it was.
    pub fn source(&self) -> Option<&Rc<Map>> {
        match &self.0 {
            Fields::Made(_) => None,
            Fields::Seen(seen) => Some(&seen.map),
        }
    }

    /// A struct with a field for every item; maps below become structs and arrays lists.
    ///
    /// # Errors
    /// If a key is not a string.
    pub fn of_map(map: &Rc<Map>, context: &Context) -> Result<Struct, Error> {
        if let Some(item) = map.items.iter().find(|item| item.key.as_text().is_none()) {
            let text = format!("expected struct key to be a string, but was {}", item.key.type_name());
            let place = item.meta.key_place();
            return Err(match place.span() {
                Some(_) => error::Error::new(ErrorKind::Key, text).at(place).into_starlark(),
                None => Error::new(text),
            });
        }
        let seen = Seen { map: Rc::clone(map), context: context.clone(), views: OnceCell::new() };
        Ok(Struct(Fields::Seen(seen)))
    }

    /// Why it cannot become YAML.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.0 {
            Fields::Made(made) => made.hint,
            Fields::Seen(_) => None,
        }
    }

    /// A field.
    ///
    /// # Errors
    /// If a map below it has a key that is not a string.
    pub fn get(&self, name: &[u8]) -> Result<Option<Value>, Error> {
        match &self.0 {
            Fields::Made(made) => {
                let index = made.position(name);
                Ok(index.and_then(|index| made.fields.get(index)).map(|(_, value)| value.clone()))
            }
            Fields::Seen(seen) => seen.position(name).map(|index| seen.field(index)).transpose(),
        }
    }

    /// The names of the fields.
    pub fn names(&self) -> Vec<&Text> {
        match &self.0 {
            Fields::Made(made) => made.fields.iter().map(|(name, _)| name).collect(),
            Fields::Seen(seen) => seen.map.items.iter().filter_map(|item| item.key.as_text()).collect(),
        }
    }

    /// All fields in order.
    ///
    /// # Errors
    /// If a map below it has a key that is not a string.
    pub fn fields(&self) -> Result<Vec<(Text, Value)>, Error> {
        match &self.0 {
            Fields::Made(made) => Ok(made.fields.clone()),
            Fields::Seen(seen) => {
                let names = seen.map.items.iter().filter_map(|item| item.key.as_text());
                names.enumerate().map(|(index, name)| Ok((name.clone(), seen.field(index)?))).collect()
            }
        }
    }

    fn count(&self) -> usize {
        match &self.0 {
            Fields::Made(made) => made.fields.len(),
            Fields::Seen(seen) => seen.map.items.len(),
        }
    }
}

impl Made {
    fn position(&self, name: &[u8]) -> Option<usize> {
        if self.fields.len() <= FEW {
            return self.fields.iter().position(|(known, _)| **known == *name);
        }
        let index =
            || self.fields.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
        self.index.get_or_init(index).get(name).copied()
    }
}

impl Seen {
    fn is_small(&self) -> bool {
        self.map.items.len() <= FEW
    }

    fn position(&self, name: &[u8]) -> Option<usize> {
        let names = || self.map.items.iter().filter_map(|item| item.key.as_text());
        if self.is_small() {
            return names().position(|known| **known == *name);
        }
        self.views().index.get(name).copied()
    }

    fn views(&self) -> &Views {
        self.views.get_or_init(|| {
            let items = &self.map.items;
            let places = items.iter().enumerate();
            let places = places.filter_map(|(place, item)| Some((item.key.as_text()?.clone(), place)));
            let index = if self.is_small() { FxHashMap::default() } else { places.collect() };
            Box::new(Views { fields: items.iter().map(|_| OnceCell::new()).collect(), index })
        })
    }

    fn field(&self, index: usize) -> Result<Value, Error> {
        let Some(item) = self.map.items.get(index) else { return Ok(Value::NONE) };
        let make = || to_struct(&item.value, &item.meta.place(), &self.context);
        // Who changes a list changes it for everybody, so there is only one.
        if self.is_small() && !item.value.is_collection() {
            return make();
        }
        let Some(field) = self.views().fields.get(index) else { return make() };
        if let Some(value) = field.get() {
            return Ok(value.clone());
        }
        let value = make()?;
        Ok(field.get_or_init(|| value).clone())
    }
}

impl CustomValue for Struct {
    fn type_name(&self) -> &str {
        match &self.0 {
            Fields::Made(made) => made.type_name,
            Fields::Seen(_) => "struct",
        }
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
        self.count() > 0
    }

    fn attr(&self, _: &mut Thread, name: &str) -> Result<Option<Value>, Error> {
        self.get(name.as_bytes())
    }

    fn attr_names(&self) -> Vec<String> {
        self.names().into_iter().map(|name| name.to_str_lossy().into_owned()).collect()
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
        Some(self.count())
    }

    fn iterate(&self) -> Option<Box<dyn Iterator<Item = Value>>> {
        let names: Vec<Value> = self.names().into_iter().map(|name| Value::string(name.as_bytes())).collect();
        Some(Box::new(names.into_iter()))
    }
}
