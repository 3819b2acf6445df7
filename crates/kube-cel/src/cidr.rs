//! Networks: `cidr`, `isCIDR` and what is in one. The bits after the prefix are kept.

use std::any::Any;

use trueline_cel::arguments::{opaque, size, string};
use trueline_cel::function::{
    Actual, Call, Cost, Estimate, Fault, Function, Overload, STRING_TRAVERSAL, Size, by_factor,
};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{Opaque, Value};
use trueline_gostd::ip::Prefix;
use trueline_gostd::quote::quote;

use crate::cost::{UNIT, fixed_equality, parse_first};
use crate::ip::{self, IP, Ip};

/// `net.CIDR`
pub static CIDR: OpaqueType =
    OpaqueType { name: "net.CIDR", kind: OpaqueKind::Abstract, equality: Some(fixed_equality) };

/// A network as a value.
#[derive(Debug, Clone, Copy)]
pub struct Cidr(pub Prefix);

impl Opaque for Cidr {
    fn opaque_type(&self) -> &'static OpaqueType {
        &CIDR
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Cidr>(std::slice::from_ref(other), 0).ok()?;
        Some(self.0 == other.0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn size(&self) -> Option<u64> {
        Some(self.0.bits.div_ceil(8).into())
    }

    fn go_type(&self) -> &'static str {
        "cel.CIDR"
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// Reads a network, or says in the server's words why it is not one.
fn parse(text: &str) -> Result<Prefix, String> {
    let prefix = Prefix::parse(text)
        .map_err(|words| format!("network address parse error during conversion from string: {words}"))?;
    match ip::is_mapped(prefix.addr) {
        true => Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text))),
        false => Ok(prefix),
    }
}

/// The functions of networks.
pub(crate) fn functions() -> Vec<Function> {
    let cidr = || Type::Opaque(&CIDR);
    let ip = || Type::Opaque(&IP);
    let contains =
        |id, other, run, cost| Overload::member(id, vec![cidr(), other], Type::Bool, run).costing(cost);
    let mut contains_ip = Function::new(
        "containsIP",
        vec![
            contains("cidr_contains_ip_string", Type::String, contains_ip_string, IP_STRING),
            contains("cidr_contains_ip_ip", ip(), contains_ip, IP_IN),
        ],
    );
    contains_ip.unresolved = IP_IN.actual;
    let mut contains_cidr = Function::new(
        "containsCIDR",
        vec![
            contains("cidr_contains_cidr_string", Type::String, contains_cidr_string, CIDR_STRING),
            contains("cidr_contains_cidr", cidr(), contains_cidr, CIDR_IN),
        ],
    );
    contains_cidr.unresolved = CIDR_IN.actual;
    let member = |name, id, result, run| {
        Function::new(name, vec![Overload::member(id, vec![cidr()], result, run).costing(UNIT)]).costing(UNIT)
    };
    let read = |id, result, run| Overload::global(id, vec![Type::String], result, run);
    vec![
        Function::new("cidr", vec![read("string_to_cidr", cidr(), to_cidr)]).costing(parse_first()),
        Function::new("isCIDR", vec![read("is_cidr", Type::Bool, is_cidr)]).costing(parse_first()),
        contains_ip,
        contains_cidr,
        member("ip", "cidr_ip", ip(), |args| Ok(Value::opaque(Ip(opaque::<Cidr>(args, 0)?.0.addr)))),
        member("prefixLength", "cidr_prefix_length", Type::Int, |args| {
            Ok(Value::Int(opaque::<Cidr>(args, 0)?.0.bits.into()))
        }),
        member("masked", "cidr_masked", cidr(), |args| {
            Ok(Value::opaque(Cidr(opaque::<Cidr>(args, 0)?.0.masked())))
        }),
        Function::new(
            "string",
            vec![Overload::global("cidr_to_string", vec![cidr()], Type::String, |args| {
                Ok(Value::from(opaque::<Cidr>(args, 0)?.0.to_string()))
            })],
        ),
    ]
}

const IP_IN: Cost =
    Cost { actual: Actual::ByArguments(compare_cost), estimate: |_| Estimate::cost(compare_estimate()) };

const IP_STRING: Cost = Cost {
    actual: Actual::ByArguments(|args| compare_cost(args) + parse_cost(args)),
    estimate: |call| Estimate::cost(compare_estimate().plus(parse_estimate(call))),
};

const CIDR_IN: Cost = Cost {
    actual: Actual::ByArguments(|args| compare_cost(args) + mask_cost(args)),
    estimate: |_| Estimate::cost(compare_estimate().plus(mask_estimate())),
};

const CIDR_STRING: Cost = Cost {
    actual: Actual::ByArguments(|args| compare_cost(args) + mask_cost(args) + parse_cost(args)),
    estimate: |call| Estimate::cost(compare_estimate().plus(mask_estimate()).plus(parse_estimate(call))),
};

/// Comparing the bytes of the prefix on both sides.
fn compare_cost(args: &[Value]) -> u64 {
    by_factor(size(args, 0).saturating_mul(2), STRING_TRAVERSAL)
}

fn mask_cost(args: &[Value]) -> u64 {
    by_factor(size(args, 0), STRING_TRAVERSAL) + 1
}

fn parse_cost(args: &[Value]) -> u64 {
    by_factor(size(args, 1), STRING_TRAVERSAL)
}

/// The bytes of an address of either version.
const BYTES: Size = Size::between(4, 16);

fn compare_estimate() -> Size {
    BYTES.plus(BYTES).by_factor(STRING_TRAVERSAL)
}

fn mask_estimate() -> Size {
    BYTES.by_factor(STRING_TRAVERSAL).plus(Size::fixed(1))
}

fn parse_estimate(call: &Call<'_>) -> Size {
    call.arg_size(0).unwrap_or(Size::UNKNOWN).by_factor(STRING_TRAVERSAL)
}

fn read_cidr(text: &str) -> Result<Prefix, Fault> {
    parse(text).map_err(|words| {
        Fault::new(format!("network address parse error during conversion from string: {words}"))
    })
}

fn to_cidr(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::opaque(Cidr(read_cidr(string(args, 0)?)?)))
}

fn is_cidr(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(parse(string(args, 0)?).is_ok()))
}

fn contains_ip(args: &[Value]) -> Result<Value, Fault> {
    let (cidr, ip) = (opaque::<Cidr>(args, 0)?, opaque::<Ip>(args, 1)?);
    Ok(Value::Bool(cidr.0.contains(ip.0)))
}

fn contains_ip_string(args: &[Value]) -> Result<Value, Fault> {
    let (cidr, text) = (opaque::<Cidr>(args, 0)?, string(args, 1)?);
    // The server forgets what is wrong with the address.
    let address = ip::parse(text).map_err(|_| Fault::no_such_overload())?;
    Ok(Value::Bool(cidr.0.contains(address)))
}

fn contains_cidr(args: &[Value]) -> Result<Value, Fault> {
    let (outer, inner) = (opaque::<Cidr>(args, 0)?, opaque::<Cidr>(args, 1)?);
    Ok(Value::Bool(holds(outer.0, inner.0)))
}

fn contains_cidr_string(args: &[Value]) -> Result<Value, Fault> {
    let (outer, text) = (opaque::<Cidr>(args, 0)?, string(args, 1)?);
    Ok(Value::Bool(holds(outer.0, read_cidr(text)?)))
}

fn holds(outer: Prefix, inner: Prefix) -> bool {
    outer.overlaps(inner) && outer.bits <= inner.bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_in_networks() {
        let prefix = |text: &str| parse(text).unwrap();
        assert!(holds(prefix("10.0.0.0/8"), prefix("10.1.0.0/16")));
        assert!(!holds(prefix("10.1.0.0/16"), prefix("10.0.0.0/8")));
        assert!(!holds(prefix("0.0.0.0/0"), prefix("::/0")));
        assert_eq!(
            parse("::ffff:1.2.3.4/96").unwrap_err(),
            "IPv4-mapped IPv6 address \"::ffff:1.2.3.4/96\" is not allowed"
        );
    }

    #[test]
    fn sizes_are_those_of_the_prefix() {
        let size = |text: &str| Cidr(parse(text).unwrap()).size();
        assert_eq!(
            [size("10.0.0.0/8"), size("10.0.0.0/9"), size("::/128"), size("::/0")],
            [Some(1), Some(2), Some(16), Some(0)]
        );
    }
}
