//! IP addresses and networks, parsed and formatted like Go's `net` and `net/netip`.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

use crate::error::{GoError, GoErrorKind};
use crate::quote::quote;

/// An IPv4 or IPv6 address. As in Go, an IPv4 address in IPv6 notation is an IPv4 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addr(Ipv6Addr);

impl Addr {
    /// Parses an address; `None` if it has a zone.
    pub fn parse(text: &str) -> Option<Addr> {
        parsed(text).map(|(addr, _)| addr)
    }

    /// Whether it is an IPv4 address.
    pub fn is_v4(self) -> bool {
        self.0.to_ipv4_mapped().is_some()
    }

    fn masked(self, ones: u32) -> Addr {
        let mask = u128::MAX.checked_shl(128 - ones.min(128)).unwrap_or(0);
        Addr(Ipv6Addr::from_bits(self.0.to_bits() & mask))
    }
}

impl fmt::Display for Addr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.to_ipv4_mapped() {
            Some(older) => older.fmt(formatter),
            None => self.0.fmt(formatter),
        }
    }
}

/// A network: the addresses that have the same first bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Net {
    /// Its first address.
    pub addr: Addr,
    /// The bits that count, of 128.
    ones: u32,
}

impl Net {
    /// Parses an address followed by a slash and a prefix length.
    pub fn parse_cidr(text: &str) -> Option<(Addr, Net)> {
        let (addr, length) = text.split_once('/')?;
        let (addr, bits) = parsed(addr)?;
        if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let ones = length.parse::<u32>().ok().filter(|ones| *ones <= bits)? + (128 - bits);
        Some((addr, Net { addr: addr.masked(ones), ones }))
    }
}

impl fmt::Display for Net {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ones = if self.addr.is_v4() { self.ones.saturating_sub(96) } else { self.ones };
        write!(formatter, "{}/{ones}", self.addr)
    }
}

/// An address without a zone, and the number of bits of its version.
fn parsed(text: &str) -> Option<(Addr, u32)> {
    if parse_ip(text).ok()?.is_some() {
        return None;
    }
    if text.contains(':') {
        return text.parse().ok().map(|addr| (Addr(addr), 128));
    }
    text.parse::<Ipv4Addr>().ok().map(|addr| (Addr(addr.to_ipv6_mapped()), 32))
}

/// Parses an IPv4 or IPv6 address and returns its zone, if it has one.
pub fn parse_ip(text: &str) -> Result<Option<&str>, GoError> {
    match text.find(['.', ':', '%']).and_then(|index| text.get(index..)) {
        Some(rest) if rest.starts_with('.') => fields(text, text).map(|()| None),
        Some(rest) if rest.starts_with(':') => groups(text),
        Some(_) => Err(refused(text, "missing IPv6 address", "")),
        None => Err(refused(text, "unable to parse IP", "")),
    }
}

/// Parses an address like `netip.ParseAddr`: an IPv4 address in IPv6 notation is an IPv6 address. Also returns
/// the zone.
pub fn parse_addr(text: &str) -> Result<(IpAddr, Option<&str>), GoError> {
    let zone = parse_ip(text)?;
    let address = text.split_once('%').map_or(text, |(address, _)| address);
    // Whatever was accepted above can be parsed; the message is only for the case that the two ever disagree.
    address.parse().map(|address| (address, zone)).map_err(|_| refused(text, "unable to parse IP", ""))
}

/// A network as `netip.Prefix` holds it: the bits after the prefix are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix {
    /// The address as written.
    pub addr: IpAddr,
    /// How many bits of the address count.
    pub bits: u32,
}

impl Prefix {
    /// Parses an address followed by a slash and a prefix length.
    pub fn parse(text: &str) -> Result<Prefix, GoError> {
        let fail = |message: &str| {
            Err(GoErrorKind::Network.says(format!("netip.ParsePrefix({}): {message}", quote(text))))
        };
        let Some((address, length)) = text.rsplit_once('/') else { return fail("no '/'") };
        let addr = match parse_addr(address) {
            Ok((_, Some(_))) => return fail("IPv6 zones cannot be present in a prefix"),
            Ok((addr, None)) => addr,
            Err(error) => return fail(error.message()),
        };
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let has_leading_zero = length.len() > 1 && length.starts_with('0');
        // Go's `Atoi` fails if a number does not fit into 64 bits.
        let bits = length.parse::<i64>().ok().filter(|_| is_number && !has_leading_zero);
        let Some(bits) = bits else { return fail(&format!("bad bits after slash: {}", quote(length))) };
        let most = if addr.is_ipv4() { 32 } else { 128 };
        match u32::try_from(bits).ok().filter(|bits| *bits <= most) {
            Some(bits) => Ok(Prefix { addr, bits }),
            None => fail("prefix length out of range"),
        }
    }

    /// The same network with zeros after the prefix.
    pub fn masked(self) -> Prefix {
        Prefix { addr: self.kept(self.bits), bits: self.bits }
    }

    /// Whether the address is in this network; never for an address of the other version.
    pub fn contains(self, addr: IpAddr) -> bool {
        self.addr.is_ipv4() == addr.is_ipv4()
            && self.kept(self.bits) == Prefix { addr, bits: self.bits }.kept(self.bits)
    }

    /// Whether the two networks have an address in common.
    pub fn overlaps(self, other: Prefix) -> bool {
        let bits = self.bits.min(other.bits);
        self.addr.is_ipv4() == other.addr.is_ipv4() && self.kept(bits) == other.kept(bits)
    }

    /// The address with zeros after this many bits.
    fn kept(self, bits: u32) -> IpAddr {
        match self.addr {
            IpAddr::V4(addr) => {
                let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(addr.to_bits() & mask))
            }
            IpAddr::V6(addr) => {
                let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(addr.to_bits() & mask))
            }
        }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.addr, self.bits)
    }
}

fn refused(text: &str, message: &str, at: &str) -> GoError {
    GoErrorKind::Address.says(match at {
        "" => format!("ParseAddr({}): {message}", quote(text)),
        at => format!("ParseAddr({}): {message} (at {})", quote(text), quote(at)),
    })
}

/// The four numbers of an IPv4 address, which may appear at the end of an IPv6 address.
fn fields(whole: &str, text: &str) -> Result<(), GoError> {
    let (mut value, mut digits, mut points) = (0_u32, 0, 0);
    for (index, byte) in text.bytes().enumerate() {
        let here = || text.get(index..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(refused(whole, "IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(refused(whole, "IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if digits == 0 || index + 1 == text.len() {
                    return Err(refused(whole, "IPv4 field must have at least one digit", here()));
                }
                if points == 3 {
                    return Err(refused(whole, "IPv4 address too long", ""));
                }
                (value, digits, points) = (0, 0, points + 1);
            }
            _ => return Err(refused(whole, "unexpected character", here())),
        }
    }
    if points < 3 {
        return Err(refused(whole, "IPv4 address too short", ""));
    }
    Ok(())
}

fn groups(whole: &str) -> Result<Option<&str>, GoError> {
    let (mut text, zone) = match whole.split_once('%') {
        Some((_, "")) => return Err(refused(whole, "zone must be a non-empty string", "")),
        Some((text, zone)) => (text, Some(zone)),
        None => (whole, None),
    };
    let mut ellipsis = false;
    if let Some(rest) = text.strip_prefix("::") {
        ellipsis = true;
        text = rest;
        if text.is_empty() {
            return Ok(zone);
        }
    }
    let mut bytes = 0;
    while bytes < 16 {
        let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return Err(refused(whole, "each group must have 4 or less digits", text));
        }
        if digits == 0 {
            return Err(refused(whole, "each colon-separated field must have at least one digit", text));
        }
        let behind = text.get(digits..).unwrap_or_default();
        if behind.starts_with('.') {
            if !ellipsis && bytes != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(refused(whole, message, text));
            }
            if bytes + 4 > 16 {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(refused(whole, message, text));
            }
            fields(whole, text)?;
            text = "";
            bytes += 4;
            break;
        }
        bytes += 2;
        text = behind;
        if text.is_empty() {
            break;
        }
        let Some(rest) = text.strip_prefix(':') else {
            return Err(refused(whole, "unexpected character, want colon", text));
        };
        if rest.is_empty() {
            return Err(refused(whole, "colon must be followed by more characters", text));
        }
        text = rest;
        if let Some(rest) = text.strip_prefix(':') {
            if ellipsis {
                return Err(refused(whole, "multiple :: in address", text));
            }
            ellipsis = true;
            text = rest;
            if text.is_empty() {
                break;
            }
        }
    }
    if !text.is_empty() {
        return Err(refused(whole, "trailing garbage after address", text));
    }
    match (bytes < 16, ellipsis) {
        (true, false) => Err(refused(whole, "address string too short", "")),
        (false, true) => Err(refused(whole, "the :: must expand to at least one field of zeros", "")),
        _ => Ok(zone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results were recorded from Go's `net`.
    #[test]
    fn addresses_and_networks() {
        for (text, shown) in [
            ("1.2.3.4", Some(("1.2.3.4", true))),
            ("::ffff:1.2.3.4", Some(("1.2.3.4", true))),
            ("2001:DB8:0:0:1:0:0:1", Some(("2001:db8::1:0:0:1", false))),
            ("::1.2.3.4", Some(("::102:304", false))),
            ("fe80::1%eth0", None),
            ("1.2.3", None),
            ("", None),
        ] {
            let found = Addr::parse(text).map(|addr| (addr.to_string(), addr.is_v4()));
            assert_eq!(found, shown.map(|(text, older)| (text.to_owned(), older)), "{text}");
        }
        for (text, addr, net) in [
            ("10.1.2.3/8", "10.1.2.3", "10.0.0.0/8"),
            ("10.1.2.3/0", "10.1.2.3", "0.0.0.0/0"),
            ("10.1.2.3/032", "10.1.2.3", "10.1.2.3/32"),
            ("2001:db8::1/33", "2001:db8::1", "2001:db8::/33"),
            ("::ffff:1.2.3.4/120", "1.2.3.4", "1.2.3.0/24"),
            ("::ffff:1.2.3.4/90", "1.2.3.4", "::ffc0:0:0/90"),
        ] {
            let found = Net::parse_cidr(text).map(|(addr, net)| (addr.to_string(), net.to_string()));
            assert_eq!(found, Some((addr.to_owned(), net.to_owned())), "{text}");
        }
        for text in ["10.0.0.1", "10.0.0.1/33", "10.0.0.1/", "10.0.0.1/+8", "::1/129", "fe80::1%a/8", "/8"] {
            assert!(Net::parse_cidr(text).is_none(), "{text}");
        }
    }

    #[test]
    fn addresses_are_parsed_or_refused_like_go() {
        for (text, reason) in [
            ("10.0.0.1", ""),
            ("::", ""),
            ("1:2:3:4:5:6:1.2.3.4", ""),
            ("fe80::1%eth0", ""),
            ("x", "unable to parse IP"),
            ("%a", "missing IPv6 address"),
            ("1.2.3", "IPv4 address too short"),
            ("1.2.3.4.5", "IPv4 address too long"),
            ("1.2.3.256", "IPv4 field has value >255"),
            ("1.2.3.04", "IPv4 field has octet with leading zero"),
            ("1..2.3", "IPv4 field must have at least one digit (at \".2.3\")"),
            ("1.2.3.x", "unexpected character (at \"x\")"),
            ("1:2", "address string too short"),
            ("12345::", "each group must have 4 or less digits (at \"12345::\")"),
            ("1::2::3", "multiple :: in address (at \":3\")"),
            ("1:2:3:4:5:6:7::", ""),
            ("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"),
            ("1:", "colon must be followed by more characters (at \":\")"),
            ("fe80::1%", "zone must be a non-empty string"),
        ] {
            let expected =
                if reason.is_empty() { String::new() } else { format!("ParseAddr(\"{text}\"): {reason}") };
            assert_eq!(parse_ip(text).err().map(String::from).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn prefixes_keep_the_bits_after_their_length() {
        let prefix = |text| Prefix::parse(text).unwrap();
        assert_eq!(prefix("192.168.1.5/24").to_string(), "192.168.1.5/24");
        assert_eq!(prefix("192.168.1.5/24").masked().to_string(), "192.168.1.0/24");
        assert_eq!(prefix("2001:db8::1/32").masked().to_string(), "2001:db8::/32");
        assert_eq!(prefix("::ffff:1.2.3.4/96").to_string(), "::ffff:1.2.3.4/96");
        assert_eq!(prefix("1.2.3.4/0").masked().to_string(), "0.0.0.0/0");
        assert!(prefix("10.0.0.9/8").contains("10.255.0.1".parse().unwrap()));
        assert!(!prefix("0.0.0.0/0").contains("::1".parse().unwrap()));
        assert!(prefix("10.0.0.0/8").overlaps(prefix("10.1.0.0/16")));
        assert!(!prefix("10.0.0.0/16").overlaps(prefix("10.1.0.0/16")));
        assert!(!prefix("0.0.0.0/0").overlaps(prefix("::/0")));
    }

    #[test]
    fn prefixes_that_go_refuses() {
        for (text, message) in [
            ("1.2.3.4", "no '/'"),
            ("1.2.3/8", "ParseAddr(\"1.2.3\"): IPv4 address too short"),
            ("fe80::1%eth0/64", "IPv6 zones cannot be present in a prefix"),
            ("1.2.3.4/08", "bad bits after slash: \"08\""),
            ("1.2.3.4/", "bad bits after slash: \"\""),
            ("1.2.3.4/+8", "bad bits after slash: \"+8\""),
            ("1.2.3.4/99999999999999999999", "bad bits after slash: \"99999999999999999999\""),
            ("1.2.3.4/33", "prefix length out of range"),
            ("::/129", "prefix length out of range"),
        ] {
            let expected = format!("netip.ParsePrefix({}): {message}", quote(text));
            assert_eq!(Prefix::parse(text).unwrap_err().message(), expected);
        }
    }
}
