//! Values as strings.

use crate::error::Error;
use crate::value::{Inner, Value};
use crate::{Thread, ops, unicode};

/// Nested values are written up to this depth.
const DEEPEST: usize = 500;

/// Writes values into a string. The cost is charged to the thread.
pub struct Writer<'t> {
    text: Vec<u8>,
    thread: &'t mut Thread,
    /// The lists and dicts that are being written, to detect those that contain themselves.
    path: Vec<usize>,
    depth: usize,
}

impl<'t> Writer<'t> {
    pub(crate) fn new(thread: &'t mut Thread) -> Writer<'t> {
        Writer { text: Vec::new(), thread, path: Vec::new(), depth: 0 }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.text
    }

    /// The thread that is charged.
    pub fn thread(&mut self) -> &mut Thread {
        self.thread
    }

    /// Writes a string unchanged.
    ///
    /// # Errors
    /// If it becomes too long.
    pub fn push(&mut self, text: impl AsRef<[u8]>) -> Result<(), Error> {
        let text = text.as_ref();
        self.thread.spend(1 + text.len() / 64)?;
        if text.len() > self.text.capacity() - self.text.len() {
            self.thread.need_memory((self.text.len() + text.len()) * 2)?;
        }
        self.text.extend_from_slice(text);
        Ok(())
    }

    /// Writes a value as `str()` does: strings unchanged.
    ///
    /// # Errors
    /// If it becomes too long.
    pub fn str(&mut self, value: &Value) -> Result<(), Error> {
        match value.as_bytes() {
            Some(bytes) => self.push(bytes),
            None => self.repr(value),
        }
    }

    /// Writes a value as `repr()` does.
    ///
    /// # Errors
    /// If it becomes too long.
    pub fn repr(&mut self, value: &Value) -> Result<(), Error> {
        if self.depth >= DEEPEST {
            return Err(Error::limit(format!("values are nested more than {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let result = self.write(value);
        self.depth -= 1;
        result
    }

    fn write(&mut self, value: &Value) -> Result<(), Error> {
        match &value.0 {
            Inner::Unset | Inner::None(_) => self.push("None"),
            Inner::Bool(_, true) => self.push("True"),
            Inner::Bool(_, false) => self.push("False"),
            Inner::Int(_, value) => self.push(value.to_string()),
            Inner::Big(_, value) => {
                self.thread.spend(ops::cost_of_digits(value.bits()))?;
                self.push(value.to_string())
            }
            Inner::Float(_, value) => self.push(ops::float_text(*value)),
            Inner::Text(_, text) => {
                self.thread.spend(text.len() / 16)?;
                self.thread.need_memory(text.len() * 4)?;
                self.push(unicode::quote(text))
            }
            Inner::List(_, list) => {
                self.push("[")?;
                let address = std::rc::Rc::as_ptr(list) as usize;
                if self.path.contains(&address) {
                    self.push("...")?;
                } else {
                    self.path.push(address);
                    let mut index = 0;
                    while let Some(item) = list.get(index) {
                        self.item(index, &item)?;
                        index += 1;
                    }
                    self.path.pop();
                }
                self.push("]")
            }
            Inner::Tuple(_, tuple) => {
                self.push("(")?;
                for (index, item) in tuple.items().iter().enumerate() {
                    self.item(index, item)?;
                }
                self.push(if tuple.items().len() == 1 { ",)" } else { ")" })
            }
            Inner::Dict(_, dict) => {
                self.push("{")?;
                let address = std::rc::Rc::as_ptr(dict) as usize;
                if self.path.contains(&address) {
                    self.push("...")?;
                } else {
                    for (index, (key, item)) in dict.items().iter().enumerate() {
                        self.item(index, key)?;
                        self.push(": ")?;
                        self.path.push(address);
                        self.repr(item)?;
                        self.path.pop();
                    }
                }
                self.push("}")
            }
            Inner::Set(_, set) => {
                self.push("set([")?;
                for (index, item) in set.items().iter().enumerate() {
                    self.item(index, item)?;
                }
                self.push("])")
            }
            Inner::Range(_, range) => self.push(match (range.start, range.step) {
                (0, 1) => format!("range({})", range.stop),
                (start, 1) => format!("range({start}, {})", range.stop),
                (start, step) => format!("range({start}, {}, {step})", range.stop),
            }),
            Inner::Function(_, function) => self.push(format!("<function {}>", function.name())),
            Inner::Builtin(_, builtin) => match builtin.receiver() {
                Some(receiver) => {
                    let (name, of) = (builtin.name(), receiver.type_name());
                    self.push(format!("<built-in method {name} of {of} value>"))
                }
                None => self.push(format!("<built-in function {}>", builtin.name())),
            },
            Inner::Custom(_, custom) => custom.value().write(self),
            Inner::Cell(_) => self.push("cell"),
            Inner::Method(method) => self.push(format!("<built-in function {}>", method.name)),
        }
    }

    fn item(&mut self, index: usize, item: &Value) -> Result<(), Error> {
        if index > 0 {
            self.push(", ")?;
        }
        self.repr(item)
    }
}
