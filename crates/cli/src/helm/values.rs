//! The flags that give values, and reading what they name.

use trueline_helm::values::{GivenError, ValueOptions, read_given};
use trueline_source::Network;

use super::flag::{Flag, FlagKind, Parsed};
use crate::world::World;

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        "values",
        FlagKind::Slice,
        "take values from a YAML file, a URL or - (standard input); may be repeated",
    )
    .short('f'),
    Flag::new("set", FlagKind::Array, "set values, such as a.b=1,list[0]=x; may be repeated"),
    Flag::new("set-string", FlagKind::Array, "set values that are texts, whatever they look like"),
    Flag::new("set-file", FlagKind::Array, "set values to the contents of files, such as a.b=path"),
    Flag::new("set-json", FlagKind::Array, "set values from JSON, such as a=[1,2], or a whole object"),
    Flag::new("set-literal", FlagKind::Array, "set one value to the rest of the argument as it stands"),
];

/// What the flags say.
pub(super) fn options(parsed: &Parsed) -> ValueOptions {
    let list = |name: &str| parsed.list(name).to_vec();
    ValueOptions {
        files: list("values"),
        json: list("set-json"),
        set: list("set"),
        string: list("set-string"),
        file: list("set-file"),
        literal: list("set-literal"),
    }
}

/// Reads a file, a URL or standard input; the error is in Helm's words where it has some.
pub(crate) fn read(world: &mut World, name: &str, network: Network) -> Result<Vec<u8>, GivenError> {
    read_given(&*world.system(), &*world.network(network), name)
}
