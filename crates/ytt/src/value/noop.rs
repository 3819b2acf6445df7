//! What `template.replace` returns: it has done its work already.

use std::any::Any;

use trueline_starlark::{CustomValue, Error, Writer};

/// A value that leaves the node as it is.
#[derive(Debug, Clone, Copy)]
pub struct Noop;

impl CustomValue for Noop {
    fn type_name(&self) -> &str {
        "noop"
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Error> {
        writer.push("noop")
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        false
    }
}
