//! The format `uri`: an absolute path or an absolute URI, as Go reads the address of a request.

use super::address::is_v6_address;

/// An absolute path or an absolute URI.
pub(super) fn uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !path.starts_with('/') {
        return !scheme.is_empty();
    }
    let path = match path.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        None => path,
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_authority(authority) {
                return false;
            }
            path
        }
    };
    has_whole_escapes(path)
}

/// The scheme, if there is one, and what is behind its colon; nothing if the text begins with a colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return None,
            b':' => return text.split_once(':'),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(text: &str) -> bool {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    is_host(host) && user.is_none_or(|user| user.bytes().all(is_of_user) && has_whole_escapes(user))
}

fn is_of_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)
}

fn is_host(text: &str) -> bool {
    if let Some(open) = text.rfind('[') {
        let Some((before, port)) = text.rsplit_once(']') else { return false };
        let Some(address) = before.get(open + 1..).filter(|_| open == 0) else { return false };
        let (address, zone) = match address.split_once("%25") {
            Some((address, zone)) => (address, Some(zone)),
            None => (address, None),
        };
        return is_port(port)
            && is_v6_address(address)
            && zone.is_none_or(|zone| !zone.is_empty() && has_whole_escapes(zone));
    }
    text.rfind(':').is_none_or(|colon| is_port(text.get(colon..).unwrap_or_default()))
        && has_whole_escapes(text)
        && text.bytes().all(|byte| byte >= 0x80 || is_of_host(byte))
        // Only what is not ASCII may be escaped in a host, and the sign of escaping itself.
        && text.split('%').skip(1).all(|escape| escape.starts_with("25") || !escape.starts_with(|first| matches!(first, '0'..='7')))
}

fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~%".contains(&byte)
}

fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Two hexadecimal digits behind every `%`.
fn has_whole_escapes(text: &str) -> bool {
    text.as_bytes().split(|byte| *byte == b'%').skip(1).all(|escape| {
        matches!(escape, [first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_requests() {
        let right = [
            "/",
            "/a/b?c",
            "//a",
            "http://example.com",
            "http://a@b:80/x",
            "mailto:a@b",
            "a:b",
            "http://[::1]:80/",
            "http://[fe80::1%25en0]/",
            "*",
            "/a#b",
            "http://ex%C3%A4mple.com",
            "http://a/%20",
            "urn:%zz",
            "http://",
            "http://a%25b/",
            "http://[::ffff:1.2.3.4]/",
        ];
        for text in right {
            assert!(uri(text), "{text}");
        }
        let wrong = [
            "",
            "a",
            "a/b",
            ":a",
            "http://a b/",
            "http://a:b/",
            "/%zz",
            "/%2",
            "http://[::1",
            "http://[1.2.3.4]/",
            "http://a%20b/",
            "/a\n",
            "1http://a",
            "http://a|b",
            "http://a[::1]/",
            "http://[]/",
            "http://[fe80::1%25]/",
        ];
        for text in wrong {
            assert!(!uri(text), "{text}");
        }
    }
}
