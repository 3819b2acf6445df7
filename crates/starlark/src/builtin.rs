//! Functions of the language and of the embedder, and their arguments.

use std::rc::Rc;

use crate::library::Method;
use crate::ops::{as_int32, is_iterable};
use crate::{Error, Thread, Value, live};

type Closure = dyn Fn(&mut Thread, &Args<'_>) -> Result<Value, Error>;

/// A function that is not written in Starlark.
pub struct Builtin {
    name: Rc<str>,
    receiver: Option<Value>,
    code: Code,
}

enum Code {
    Closure(Box<Closure>),
    Method(&'static Method),
}

impl Builtin {
    /// A function. Errors that the closure returns are shown unchanged; it adds a prefix itself
    /// ([`Error::prefixed`]).
    pub fn new(
        name: &str,
        function: impl Fn(&mut Thread, &Args<'_>) -> Result<Value, Error> + 'static,
    ) -> Builtin {
        live::add(live::OBJECT);
        Builtin { name: name.into(), receiver: None, code: Code::Closure(Box::new(function)) }
    }

    pub(crate) fn method(method: &'static Method, receiver: Value) -> Builtin {
        live::add(live::OBJECT);
        Builtin { name: method.name.into(), receiver: Some(receiver), code: Code::Method(method) }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value whose method it is.
    pub fn receiver(&self) -> Option<&Value> {
        self.receiver.as_ref()
    }

    pub(crate) fn invoke(&self, thread: &mut Thread, args: &Args<'_>) -> Result<Value, Error> {
        match (&self.code, &self.receiver) {
            (Code::Closure(function), _) => function(thread, args),
            (Code::Method(method), Some(receiver)) => (method.function)(thread, receiver, args, method.name),
            (Code::Method(method), None) => (method.function)(thread, &Value::NONE, args, method.name),
        }
    }
}

impl Drop for Builtin {
    fn drop(&mut self) {
        live::remove(live::OBJECT);
        if let Some(receiver) = self.receiver.take() {
            live::release(vec![receiver]);
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    /// The positional arguments.
    pub positional: &'a [Value],
    /// The named arguments; a name is always a string.
    pub named: &'a [(Value, Value)],
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Any value.
    Any,
    /// A string.
    String,
    /// A boolean.
    Bool,
    /// An integer of 32 bits.
    Int,
    /// A list.
    List,
    /// A dict.
    Dict,
    /// Something that can be called.
    Callable,
    /// Something that can be iterated over.
    Iterable,
}

impl<'a> Args<'a> {
    /// The positional arguments.
    pub fn of(positional: &'a [Value]) -> Args<'a> {
        Args { positional, named: &[] }
    }

    /// The argument with this name.
    pub fn get_named(&self, name: &str) -> Option<&'a Value> {
        self.named.iter().find(|(key, _)| key.as_bytes() == Some(name.as_bytes())).map(|(_, value)| value)
    }

    /// Positional arguments, at least `least` and at most as many as `wants` has.
    ///
    /// # Errors
    /// For a wrong number of arguments, arguments with names, and values of wrong types.
    pub fn positional_only<const N: usize>(
        &self,
        function: &str,
        least: usize,
        wants: [Want; N],
    ) -> Result<[Option<&'a Value>; N], Error> {
        if !self.named.is_empty() {
            return Err(Error::new(format!("{function}: unexpected keyword arguments")));
        }
        let got = self.positional.len();
        if got < least {
            let word = if least < N { "at least " } else { "" };
            return Err(Error::new(format!("{function}: got {got} arguments, want {word}{least}")));
        }
        if got > N {
            let word = if N > least { "at most " } else { "" };
            return Err(Error::new(format!("{function}: got {got} arguments, want {word}{N}")));
        }
        let mut found = [None; N];
        for (index, ((value, want), place)) in self.positional.iter().zip(wants).zip(&mut found).enumerate() {
            check(value, want).map_err(|message| {
                Error::new(format!("{function}: for parameter {}: {message}", index + 1))
            })?;
            *place = Some(value);
        }
        Ok(found)
    }

    /// Arguments with or without names. A parameter whose name ends with `?` is optional, and so are all
    /// parameters after it.
    ///
    /// # Errors
    /// For missing, repeated and unknown arguments, and values of wrong types.
    pub fn unpack<const N: usize>(
        &self,
        function: &str,
        params: [(&str, Want); N],
    ) -> Result<[Option<&'a Value>; N], Error> {
        let got = self.positional.len();
        if got > N {
            return Err(Error::new(format!("{function}: got {got} arguments, want at most {N}")));
        }
        let mut found = [None; N];
        let plain = |name: &str| name.trim_end_matches('?').to_owned();
        for ((value, (name, want)), place) in self.positional.iter().zip(params).zip(&mut found) {
            check(value, want).map_err(|message| {
                Error::new(format!("{function}: for parameter {}: {message}", plain(name)))
            })?;
            *place = Some(value);
        }
        for (key, value) in self.named {
            let key = String::from_utf8_lossy(key.as_bytes().unwrap_or_default());
            let known = params.iter().zip(&mut found).find(|((name, _), _)| plain(name) == key);
            let Some(((_, want), place)) = known else {
                // The original prints the name as a value, that is, in quotes.
                let key = crate::unicode::quote(key.as_bytes());
                return Err(Error::new(format!("{function}: unexpected keyword argument {key}")));
            };
            if place.is_some() {
                let key = crate::unicode::quote(key.as_bytes());
                return Err(Error::new(format!(
                    "{function}: got multiple values for keyword argument {key}"
                )));
            }
            check(value, *want).map_err(|message| {
                let key = crate::unicode::quote(key.as_bytes());
                Error::new(format!("{function}: for parameter {key}: {message}"))
            })?;
            *place = Some(value);
        }
        for ((name, _), place) in params.iter().zip(&found).skip(got) {
            if name.ends_with('?') {
                break;
            }
            if place.is_none() {
                return Err(Error::new(format!("{function}: missing argument for {name}")));
            }
        }
        Ok(found)
    }
}

fn check(value: &Value, want: Want) -> Result<(), String> {
    use crate::value::Inner;
    let (fits, wanted) = match want {
        Want::Any => return Ok(()),
        Want::Int => return as_int32(value).map(|_| ()),
        Want::String => (matches!(value.0, Inner::Text(..)), "string"),
        Want::Bool => (matches!(value.0, Inner::Bool(..)), "bool"),
        Want::List => (matches!(value.0, Inner::List(..)), "list"),
        Want::Dict => (matches!(value.0, Inner::Dict(..)), "dict"),
        Want::Callable => (value.is_callable(), "callable"),
        Want::Iterable => (is_iterable(value), "iterable"),
    };
    if fits { Ok(()) } else { Err(format!("got {}, want {wanted}", value.type_name())) }
}
