//! What a host may put into templates besides plain values: structs, pointers and named types with
//! methods.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::{Kind, Type, Value};
use crate::{Context, Error};

/// A struct, a pointer or a named type of the host.
pub trait Object: fmt::Debug {
    /// Go's name of its type, such as `*chart.Metadata` or `time.Time`.
    fn type_name(&self) -> &'static str;

    /// Go's `reflect` name of its kind.
    fn kind(&self) -> Kind;

    /// The value of a struct's field. `None`: it has no such field.
    fn field(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }

    /// A method. `None`: it has no such method.
    fn method(&self, name: &str) -> Option<&'static Method> {
        let _ = name;
        None
    }

    /// The entries in order of their keys, if it is of kind map.
    fn entries(&self) -> Option<Vec<(Arc<str>, Value)>> {
        None
    }

    /// The value of a missing key, if it is of kind map: the zero value of Go's type.
    fn missing(&self) -> Value {
        Value::nil()
    }

    /// The items, if it is of kind slice.
    fn items(&self) -> Option<Vec<Value>> {
        None
    }

    /// Whether it is true for a template. Structs always are.
    fn is_true(&self) -> bool {
        match self.kind() {
            Kind::Map => self.entries().is_some_and(|entries| !entries.is_empty()),
            Kind::Slice => self.items().is_some_and(|items| !items.is_empty()),
            _ => true,
        }
    }

    /// The fields of a struct in the order of their declaration, including those that templates cannot read:
    /// the verbs for numbers print them.
    fn parts(&self) -> Vec<Value> {
        Vec::new()
    }

    /// The approximate number of bytes that [`Object::text`] and [`Object::plain`] return.
    fn weight(&self) -> usize {
        256
    }

    /// What `%v` prints.
    fn text(&self) -> String;

    /// What an action prints. It differs from [`Object::text`] for a struct whose pointer has its own text.
    fn printed(&self) -> String {
        self.text()
    }

    /// What encoders to JSON and YAML see. The fields of a struct are in the order of their declaration, which
    /// JSON preserves.
    fn plain(&self) -> trueline_yaml::Value;

    /// The object itself, for callers that know its type.
    fn as_any(&self) -> &dyn Any;
}

/// A method of an [`Object`].
#[derive(Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters, without the receiver.
    pub parameters: &'static [Type],
    /// The implementation. The arguments fit the parameters.
    pub call: MethodCall,
}

/// The implementation of a method.
pub type MethodCall = fn(&dyn Object, &mut dyn Context, &[Value]) -> Result<Value, Error>;
