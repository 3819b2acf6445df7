//! The built-in functions, and the methods of the built-in types.

mod collections;
mod convert;
mod dict;
mod format;
mod list;
mod objects;
mod order;
mod sort;
mod string;
mod string_case;
mod string_find;
mod string_iterable;
mod string_split;

use crate::Thread;
use crate::builtin::{Args, Builtin};
use crate::error::Error;
use crate::value::{Inner, Value};

/// A method of a built-in type.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Receives the value whose method it is, the arguments, and its own name, because some implement several
    /// names.
    pub(crate) function: fn(&mut Thread, &Value, &Args<'_>, &'static str) -> Result<Value, Error>,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The methods with one name, of all types that have one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Methods {
    string: Option<&'static Method>,
    list: Option<&'static Method>,
    dict: Option<&'static Method>,
    set: Option<&'static Method>,
}

fn find(methods: &'static [Method], name: &str) -> Option<&'static Method> {
    methods.iter().find(|method| method.name == name)
}

impl Methods {
    pub(crate) fn named(name: &str) -> Methods {
        Methods {
            string: find(string::METHODS, name),
            list: find(list::METHODS, name),
            dict: find(dict::METHODS, name),
            set: find(collections::SET_METHODS, name),
        }
    }

    pub(crate) fn of(&self, value: &Value) -> Option<&'static Method> {
        match &value.0 {
            Inner::Text(..) => self.string,
            Inner::List(..) => self.list,
            Inner::Dict(..) => self.dict,
            Inner::Set(..) => self.set,
            _ => None,
        }
    }
}

fn methods(value: &Value) -> &'static [Method] {
    match &value.0 {
        Inner::Text(..) => string::METHODS,
        Inner::List(..) => list::METHODS,
        Inner::Dict(..) => dict::METHODS,
        Inner::Set(..) => collections::SET_METHODS,
        _ => &[],
    }
}

/// The method of a value.
pub(crate) fn method(value: &Value, name: &str) -> Option<&'static Method> {
    find(methods(value), name)
}

/// The names of all attributes of a value, in the order in which suggestions use them.
pub(crate) fn attr_names(value: &Value) -> Vec<String> {
    match &value.0 {
        Inner::Custom(_, custom) => custom.value().attr_names(),
        _ => methods(value).iter().map(|method| method.name.to_owned()).collect(),
    }
}

type Function = fn(&mut Thread, &Args<'_>) -> Result<Value, Error>;

/// The functions, after the three constants.
const FUNCTIONS: &[(&str, Function)] = &[
    ("any", collections::any),
    ("all", collections::all),
    ("bool", convert::bool),
    ("chr", convert::chr),
    ("dict", dict::dict),
    ("dir", objects::dir),
    ("enumerate", collections::enumerate),
    ("fail", objects::fail),
    ("float", convert::float),
    ("getattr", objects::getattr),
    ("hasattr", objects::hasattr),
    ("hash", objects::hash),
    ("int", convert::int),
    ("len", collections::len),
    ("list", collections::list),
    ("max", order::max),
    ("min", order::min),
    ("ord", convert::ord),
    ("print", objects::print),
    ("range", collections::range),
    ("repr", convert::repr),
    ("reversed", order::reversed),
    ("set", collections::set),
    ("sorted", order::sorted),
    ("str", convert::str),
    ("tuple", collections::tuple),
    ("type", objects::type_of),
    ("zip", collections::zip),
];

const CONSTANTS: &[&str] = &["None", "True", "False"];

/// The index of a universal name among the values of [`universe`].
pub(crate) fn universal(name: &str) -> Option<usize> {
    let constant = CONSTANTS.iter().position(|constant| *constant == name);
    constant.or_else(|| {
        FUNCTIONS.iter().position(|(function, _)| *function == name).map(|index| index + CONSTANTS.len())
    })
}

/// The values of the universal names.
pub(crate) fn universe() -> Vec<Value> {
    let mut values = vec![Value::NONE, Value::bool(true), Value::bool(false)];
    values.extend(FUNCTIONS.iter().map(|(name, function)| Value::builtin(Builtin::new(name, *function))));
    values
}

/// Fails if there are named arguments, with the message of functions that use this wording.
fn no_names(args: &Args<'_>, function: &str) -> Result<(), Error> {
    if args.named.is_empty() {
        Ok(())
    } else {
        Err(Error::new(format!("{function} does not accept keyword arguments")))
    }
}

/// The mark of the first value that has one.
fn first_mark<'a>(values: impl IntoIterator<Item = &'a Value>) -> crate::Mark {
    values.into_iter().map(Value::mark).find(|mark| *mark != crate::Mark::NONE).unwrap_or_default()
}
