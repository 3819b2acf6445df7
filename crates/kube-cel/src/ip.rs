//! Addresses: `ip`, `isIP` and what can be asked of one. Zones and IPv4 addresses written as IPv6 are refused.

use core::net::IpAddr;
use std::any::Any;

use trueline_cel::arguments::{opaque, string};
use trueline_cel::function::{Fault, Function, Overload};
use trueline_cel::types::{OpaqueKind, OpaqueType, Type};
use trueline_cel::value::{Opaque, Value};
use trueline_gostd::ip::parse_addr;
use trueline_gostd::quote::quote;

use crate::cost::{UNIT, fixed_equality, parse_first, parse_first_twice};

/// `net.IP`
pub static IP: OpaqueType =
    OpaqueType { name: "net.IP", kind: OpaqueKind::Abstract, equality: Some(fixed_equality) };

/// An address as a value.
#[derive(Debug, Clone, Copy)]
pub struct Ip(pub IpAddr);

impl Opaque for Ip {
    fn opaque_type(&self) -> &'static OpaqueType {
        &IP
    }

    fn equals(&self, other: &Value) -> Option<bool> {
        let other = opaque::<Ip>(std::slice::from_ref(other), 0).ok()?;
        Some(self.0 == other.0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn size(&self) -> Option<u64> {
        Some(if self.0.is_ipv4() { 4 } else { 16 })
    }

    fn go_type(&self) -> &'static str {
        "cel.IP"
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// Reads an address, or says in the server's words why it is not one.
pub(crate) fn parse(text: &str) -> Result<IpAddr, String> {
    let (address, zone) = parse_addr(text).map_err(|words| {
        format!("IP Address {} parse error during conversion from string: {words}", quote(text))
    })?;
    if zone.is_some() {
        return Err(format!("IP address {} with zone value is not allowed", quote(text)));
    }
    if is_mapped(address) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text)));
    }
    Ok(address)
}

/// Whether it is an IPv4 address written as an IPv6 one.
pub(crate) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// The functions of addresses.
pub(crate) fn functions() -> Vec<Function> {
    let ip = || Type::Opaque(&IP);
    let ask = |name, id, run| {
        Function::new(name, vec![Overload::member(id, vec![ip()], Type::Bool, run)]).costing(UNIT)
    };
    let read = |id, result, run| Overload::global(id, vec![Type::String], result, run);
    vec![
        Function::new("ip", vec![read("string_to_ip", ip(), to_ip)]).costing(parse_first()),
        Function::new("isIP", vec![read("is_ip", Type::Bool, is_ip)]).costing(parse_first()),
        Function::new("ip.isCanonical", vec![read("ip_is_canonical", Type::Bool, is_canonical)])
            .costing(parse_first_twice()),
        Function::new("family", vec![Overload::member("ip_family", vec![ip()], Type::Int, family)])
            .costing(UNIT),
        ask("isUnspecified", "ip_is_unspecified", |args| asked(args, |ip| ip.is_unspecified())),
        ask("isLoopback", "ip_is_loopback", |args| asked(args, |ip| ip.is_loopback())),
        ask("isLinkLocalMulticast", "ip_is_link_local_multicast", |args| {
            asked(args, is_link_local_multicast)
        }),
        ask("isLinkLocalUnicast", "ip_is_link_local_unicast", |args| asked(args, is_link_local_unicast)),
        ask("isGlobalUnicast", "ip_is_global_unicast", |args| asked(args, is_global_unicast)),
        Function::new(
            "string",
            vec![Overload::global("ip_to_string", vec![ip()], Type::String, |args| {
                Ok(Value::from(opaque::<Ip>(args, 0)?.0.to_string()))
            })],
        ),
    ]
}

fn to_ip(args: &[Value]) -> Result<Value, Fault> {
    parse(string(args, 0)?).map(|address| Value::opaque(Ip(address))).map_err(Fault::new)
}

fn is_ip(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(parse(string(args, 0)?).is_ok()))
}

fn is_canonical(args: &[Value]) -> Result<Value, Fault> {
    let text = string(args, 0)?;
    let address = parse(text).map_err(Fault::new)?;
    Ok(Value::Bool(address.to_string() == **text))
}

fn family(args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Int(if opaque::<Ip>(args, 0)?.0.is_ipv4() { 4 } else { 6 }))
}

fn asked(args: &[Value], question: fn(IpAddr) -> bool) -> Result<Value, Fault> {
    Ok(Value::Bool(question(opaque::<Ip>(args, 0)?.0)))
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments().first().is_some_and(|first| first & 0xff0f == 0xff02),
    }
}

/// Private addresses count as global ones.
fn is_global_unicast(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(address.is_unspecified()
        || is_broadcast
        || address.is_loopback()
        || address.is_multicast()
        || is_link_local_unicast(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_refused() {
        for (text, words) in [
            (
                "1.2.3",
                "IP Address \"1.2.3\" parse error during conversion from string: ParseAddr(\"1.2.3\"): IPv4 address too short",
            ),
            ("fe80::1%eth0", "IP address \"fe80::1%eth0\" with zone value is not allowed"),
            ("::ffff:1.2.3.4", "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed"),
        ] {
            assert_eq!(parse(text).unwrap_err(), words);
        }
    }

    type Question = fn(IpAddr) -> bool;

    #[test]
    fn kinds_of_addresses() {
        let rows: &[(&str, Question, bool)] = &[
            ("169.254.9.9", is_link_local_unicast, true),
            ("fe80::1", is_link_local_unicast, true),
            ("fec0::1", is_link_local_unicast, false),
            ("224.0.0.255", is_link_local_multicast, true),
            ("224.0.1.0", is_link_local_multicast, false),
            ("ff12::1", is_link_local_multicast, true),
            ("ff05::1", is_link_local_multicast, false),
            ("10.0.0.1", is_global_unicast, true),
            ("255.255.255.255", is_global_unicast, false),
            ("::", is_global_unicast, false),
            ("ff05::1", is_global_unicast, false),
        ];
        for (text, question, expected) in rows {
            assert_eq!(question(text.parse().unwrap()), *expected, "{text}");
        }
    }
}
