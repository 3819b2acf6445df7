//! Network access, as far as the caller allows it to templates.

use trueline_gotemplate::{Context, Error, Function, Type, Value};

use crate::argument::text;
use crate::define::fixed;

/// The functions of this family.
pub(crate) const FUNCTIONS: &[Function] = &[fixed(
    "getHostByName",
    &[Type::String],
    get_host_by_name,
    "NAME",
    "An address of the host; empty if names are not looked up.",
)];

fn get_host_by_name(context: &mut dyn Context, arguments: &[Value]) -> Result<Value, Error> {
    Ok(Value::from(context.environment().lookup_host(&text(arguments, 0).text())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_context::{call, shown};

    #[test]
    fn hosts() {
        assert_eq!(shown(call(FUNCTIONS, "getHostByName", &["localhost".into()])), "127.0.0.1");
        assert_eq!(shown(call(FUNCTIONS, "getHostByName", &["elsewhere".into()])), "");
    }
}
