//! Helpers for writing the rows of a family's table.

use trueline_gotemplate::{Call, Function, Type, Uses, Variadic};

/// A function with a fixed number of parameters.
pub(crate) const fn fixed(
    name: &'static str,
    parameters: &'static [Type],
    call: Call,
    usage: &'static str,
    doc: &'static str,
) -> Function {
    Function { name, parameters, variadic: Variadic::No, call, usage, doc, uses: Uses::All }
}

/// A function whose last parameter may be given any number of times.
pub(crate) const fn variadic(
    name: &'static str,
    parameters: &'static [Type],
    call: Call,
    usage: &'static str,
    doc: &'static str,
) -> Function {
    Function { name, parameters, variadic: Variadic::Yes, call, usage, doc, uses: Uses::All }
}
