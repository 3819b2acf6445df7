//! Addresses of machines and people.

use trueline_gostd::ip::parse_ip;
use trueline_gotemplate::fmt::quote;

use super::{Verdict, count_digits, fail, quoted};

/// `192.0.2.1`.
pub(super) fn ipv4(text: &str) -> Verdict {
    let groups: Vec<&str> = text.split('.').collect();
    if groups.len() != 4 {
        return fail("expected four decimals");
    }
    for group in groups {
        if group.len() > 1 && group.starts_with('0') {
            return fail("leading zeros");
        }
        let unsigned = group.strip_prefix(['+', '-']).unwrap_or(group);
        if unsigned.is_empty() || count_digits(unsigned) != unsigned.len() {
            return Err(format!("strconv.Atoi: parsing {}: invalid syntax", quote(group)));
        }
        let Ok(number) = group.parse::<i64>() else {
            return Err(format!("strconv.Atoi: parsing {}: value out of range", quote(group)));
        };
        if !(0..=255).contains(&number) {
            return fail("decimal must be between 0 and 255");
        }
    }
    Ok(())
}

/// `2001:db8::1`.
pub(super) fn ipv6(text: &str) -> Verdict {
    if !text.contains(':') {
        return fail("missing colon");
    }
    match parse_ip(text)? {
        Some(_) => fail("zone id is not a part of ipv6 address"),
        None => Ok(()),
    }
}

/// `example.com`.
pub(super) fn hostname(text: &str) -> Verdict {
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.len() > 253 {
        return fail("more than 253 characters long");
    }
    for label in text.split('.') {
        if !(1..=63).contains(&label.len()) {
            return fail("label must be 1 to 63 characters long");
        }
        if label.starts_with('-') {
            return fail("label starts with hyphen");
        }
        if label.ends_with('-') {
            return fail("label ends with hyphen");
        }
        if let Some(wrong) = label.chars().find(|letter| !letter.is_ascii_alphanumeric() && *letter != '-') {
            return Err(format!("invalid character {}", quoted(wrong)));
        }
    }
    Ok(())
}

/// `someone@example.com`.
pub(super) fn email(text: &str) -> Verdict {
    if text.len() > 254 {
        return fail("more than 255 characters long");
    }
    let Some((local, domain)) = text.rsplit_once('@') else { return fail("missing @") };
    if local.len() > 64 {
        return fail("local part more than 64 characters long");
    }
    let inside = local.strip_prefix('"').and_then(|local| local.strip_suffix('"'));
    match inside {
        Some(inside) if inside.contains(['\\', '"']) => {
            return fail("backslash and quote are not allowed within quoted local part");
        }
        Some(_) => {}
        None => local_part(local)?,
    }
    let bracketed = domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']'));
    match bracketed.map(|domain| (domain, domain.strip_prefix("IPv6:"))) {
        Some((_, Some(address))) => ipv6(address).map_err(|why| format!("invalid ipv6 address: {why}")),
        Some((address, None)) => ipv4(address).map_err(|why| format!("invalid ipv4 address: {why}")),
        None => hostname(domain).map_err(|why| format!("invalid domain: {why}")),
    }
}

fn local_part(local: &str) -> Verdict {
    if local.starts_with('.') {
        return fail("starts with dot");
    }
    if local.ends_with('.') {
        return fail("ends with dot");
    }
    if local.contains("..") {
        return fail("consecutive dots");
    }
    let allowed = |letter: &char| letter.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(*letter);
    match local.chars().find(|letter| !allowed(letter)) {
        Some(wrong) => Err(format!("invalid character {}", quoted(wrong))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        for (format, text, reason) in [
            ("ipv4", "10.0.0.1", ""),
            ("ipv4", "10.0.1", "expected four decimals"),
            ("ipv4", "10.0.0.01", "leading zeros"),
            ("ipv4", "10.0.0.x", "strconv.Atoi: parsing \"x\": invalid syntax"),
            ("ipv4", "10.0.0.256", "decimal must be between 0 and 255"),
            ("ipv6", "2001:db8::1", ""),
            ("ipv6", "::ffff:10.0.0.1", ""),
            ("ipv6", "10.0.0.1", "missing colon"),
            ("ipv6", "1:2", "ParseAddr(\"1:2\"): address string too short"),
            (
                "ipv6",
                "12345::",
                "ParseAddr(\"12345::\"): each group must have 4 or less digits (at \"12345::\")",
            ),
            ("ipv6", "1::2::3", "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")"),
            ("ipv6", "fe80::1%eth0", "zone id is not a part of ipv6 address"),
            ("hostname", "a.example.com.", ""),
            ("hostname", "a_b", "invalid character '_'"),
            ("hostname", "-a", "label starts with hyphen"),
            ("hostname", "a..b", "label must be 1 to 63 characters long"),
            ("email", "a.b+c@example.com", ""),
            ("email", "\"a b\"@[10.0.0.1]", ""),
            ("email", "a", "missing @"),
            ("email", "a..b@c", "consecutive dots"),
            ("email", "a@b_c", "invalid domain: invalid character '_'"),
            ("email", "a@[IPv6:x]", "invalid ipv6 address: missing colon"),
        ] {
            let found = check(format, text).err().unwrap_or_default();
            assert_eq!(found, reason, "{format} {text}");
        }
    }
}
