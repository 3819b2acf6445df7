//! `template`: what changes the node that is being built.

use trueline_starlark::Value;

use super::module_of;

pub(super) fn module(replace: &Value) -> Value {
    module_of("template", [("replace", replace.clone())])
}
