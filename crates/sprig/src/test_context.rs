//! A run without a template, for tests of functions, with a fixed clock and deterministic random numbers.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use trueline_gotemplate::{
    Context, Data, Environment, Error, Function, Options, Origins, Str, Templates, TextError, Value, fmt,
};

/// The clock and the random numbers of tests.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    state: Cell<u64>,
    /// Whether there are no steps left.
    is_tired: bool,
}

impl Environment for Fixed {
    fn now(&self) -> (i64, u32) {
        (1_257_894_000, 1)
    }

    /// A generator good enough for tests, always with the same seed.
    fn random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            let next = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.state.set(next);
            let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (mixed ^ (mixed >> 31)) as u8;
        }
    }

    fn lookup_host(&self, name: &str) -> String {
        if name == "localhost" { "127.0.0.1".to_owned() } else { String::new() }
    }
}

impl Context for Fixed {
    fn environment(&self) -> &dyn Environment {
        self
    }

    fn host(&self) -> &dyn Any {
        self
    }

    fn execute(&mut self, _: &str, _: &Value) -> Result<Str, Error> {
        Err(Error::new("no templates"))
    }

    fn execute_text(&mut self, _: &str, _: &Str, _: &Value) -> Result<Str, TextError> {
        Err(TextError::Parse("no templates".to_owned()))
    }

    fn traces(&self) -> bool {
        true
    }

    fn spend(&mut self, steps: u64) -> Result<(), Error> {
        if self.is_tired && steps > 0 { Err(Error::limit("no steps left")) } else { Ok(()) }
    }
}

/// Calls a function of a family.
pub(crate) fn call(family: &[Function], name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let function = family.iter().find(|function| function.name == name).unwrap();
    (function.call)(&mut Fixed::default(), arguments)
}

/// Whether a function charges for its work in advance.
pub(crate) fn counts_first(family: &[Function], name: &str, arguments: &[Value]) -> bool {
    let function = family.iter().find(|function| function.name == name).unwrap();
    let mut tired = Fixed { is_tired: true, ..Fixed::default() };
    (function.call)(&mut tired, arguments).is_err_and(|error| error.is_limit())
}

/// Calls a method of an object.
pub(crate) fn call_method(value: &Value, name: &str, arguments: &[Value]) -> Result<Value, Error> {
    let Data::Object(object) = &value.data else { panic!("{value:?} is not an object") };
    (object.method(name).unwrap().call)(&**object, &mut Fixed::default(), arguments)
}

/// A result as `%v` prints it, or the text of the error.
pub(crate) fn shown(result: Result<Value, Error>) -> String {
    match result {
        Ok(value) => fmt::text(&value).text().into_owned(),
        Err(error) => error.to_string(),
    }
}

/// Compares the results of expressions in templates with the expected ones: the type and the JSON of the value,
/// or `!` and the message of the function that failed.
pub(crate) fn check(table: &[(&str, &str)]) {
    let functions = Arc::new(crate::functions());
    for (expression, expected) in table {
        let mut templates = Templates::new("test", Arc::clone(&functions));
        let text = format!("{{{{ $value := {expression} }}}}{{{{ typeOf $value }}}} {{{{ toJson $value }}}}");
        templates.parse("test", &text.into_bytes().into(), None).unwrap();
        let environment = Fixed::default();
        let options = Options { origins: Origins::Kept, ..Options::new(&environment, &()) };
        let found = match templates.execute("test", &Value::nil(), &options) {
            Ok(rendered) => rendered.text.text().into_owned(),
            Err(error) => format!("! {}", error.root().words),
        };
        assert_eq!(&found, expected, "{expression}");
    }
}
