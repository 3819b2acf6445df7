//! `data`: data values, and the files of the run.

use std::rc::Rc;

use trueline_starlark::{Error, Value};

use super::{Host, bytes, function, module_of, only, string};
use crate::value::{Context, to_struct};

pub(super) fn module(host: &Rc<dyn Host>, context: &Context) -> Result<Value, crate::error::Error> {
    let document = host.values();
    let values = to_struct(&document.value, &document.meta.place(), context)?;
    let for_list = Rc::clone(host);
    let list = function("data.list", move |thread, args| {
        let path = match args.positional {
            [] => String::new(),
            [path] => string(path)?,
            _ => return Err(Error::new("expected exactly zero or one argument")),
        };
        let paths = for_list.list(&path)?;
        thread.spend(paths.len())?;
        Ok(Value::list(paths.iter().map(Value::string).collect()))
    });
    let for_read = Rc::clone(host);
    let read = function("data.read", move |thread, args| {
        let path = String::from_utf8_lossy(bytes(only(args)?)?).into_owned();
        let contents = for_read.read(&path)?;
        thread.need_memory(contents.len())?;
        Ok(Value::string(&contents))
    });
    Ok(module_of("data", [("list", list), ("read", read), ("values", values)]))
}
