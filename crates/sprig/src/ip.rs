//! Addresses of machines, read as Go's `net/netip` reads them.

use trueline_gotemplate::fmt::quote;

/// Reads an address of either version and gives its zone, if it has one, or says in Go's words why it is none.
pub fn parse_ip(text: &str) -> Result<Option<&str>, String> {
    match text.find(['.', ':', '%']).and_then(|index| text.get(index..)) {
        Some(rest) if rest.starts_with('.') => fields(text, text).map(|()| None),
        Some(rest) if rest.starts_with(':') => groups(text),
        Some(_) => Err(refused(text, "missing IPv6 address", "")),
        None => Err(refused(text, "unable to parse IP", "")),
    }
}

fn refused(text: &str, message: &str, at: &str) -> String {
    match at {
        "" => format!("ParseAddr({}): {message}", quote(text)),
        at => format!("ParseAddr({}): {message} (at {})", quote(text), quote(at)),
    }
}

/// The four numbers of an older address, which may stand at the end of a newer one.
fn fields(whole: &str, text: &str) -> Result<(), String> {
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

fn groups(whole: &str) -> Result<Option<&str>, String> {
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
    use super::parse_ip;

    #[test]
    fn addresses_are_read_or_refused_as_go_does() {
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
            assert_eq!(parse_ip(text).err().unwrap_or_default(), expected, "{text}");
        }
    }
}
