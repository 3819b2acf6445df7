//! `ip`: addresses of machines and networks.

use trueline_gostd::ip::{Addr, Net};
use trueline_starlark::{Args, Error, Mark, Value};

use super::{function, module_of, only, string};
use crate::tree::Text;
use crate::value::{Context, Struct};

/// The module.
pub(super) fn module(_: &Context) -> Value {
    let parse_addr = function("ip.parse_addr", |_, args| {
        let value = only(args)?;
        let text = string(value)?;
        match Addr::parse(&text) {
            Some(addr) => Ok(addr_value(addr, value.mark())),
            None => Err(Error::new(format!("invalid IP address: {text}"))),
        }
    });
    let parse_cidr = function("ip.parse_cidr", |_, args| {
        let value = only(args)?;
        let text = string(value)?;
        match Net::parse_cidr(&text) {
            Some((addr, net)) => {
                Ok(Value::tuple(vec![addr_value(addr, value.mark()), net_value(net, value.mark())]))
            }
            None => Err(Error::new(format!("invalid CIDR address: {text}"))),
        }
    });
    module_of("ip", [("parse_addr", parse_addr), ("parse_cidr", parse_cidr)])
}

fn addr_value(addr: Addr, mark: Mark) -> Value {
    let fields = [
        ("is_ipv4", method("ip.addr.is_ipv4", move || Value::bool(addr.is_v4()))),
        ("is_ipv6", method("ip.addr.is_ipv6", move || Value::bool(!addr.is_v4()))),
        ("string", method("ip.addr.string", move || Value::string_from(addr.to_string()).with_mark(mark))),
    ];
    let hint = "@ytt:ip.addr does not automatically encode (hint: use .string())";
    object("@ytt:ip.addr", hint, fields)
}

fn net_value(net: Net, mark: Mark) -> Value {
    let fields = [
        ("addr", method("ip.net.addr", move || addr_value(net.addr, mark))),
        ("string", method("ip.net.string", move || Value::string_from(net.to_string()).with_mark(mark))),
    ];
    let hint = "@ytt:ip.net does not automatically encode (hint: use .string())";
    object("@ytt:ip.net", hint, fields)
}

/// An object of a module, with methods.
pub(super) fn object<const N: usize>(
    type_name: &'static str,
    hint: &'static str,
    fields: [(&str, Value); N],
) -> Value {
    Value::custom(Struct::typed(type_name, hint, fields.map(|(name, value)| (Text::from(name), value))))
}

/// A method without parameters.
pub(super) fn method(name: &'static str, run: impl Fn() -> Value + 'static) -> Value {
    function(name, move |_, args: &Args<'_>| match args.positional {
        [] => Ok(run()),
        _ => Err(Error::new("expected no argument")),
    })
}
