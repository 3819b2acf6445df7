//! Addresses of documents, read as Go reads them.

use trueline_gostd::url::Url;

use super::{Verdict, address, fail};

/// An address with a scheme.
pub(super) fn absolute(text: &str) -> Verdict {
    if parse(text)?.scheme.is_empty() { fail("relative url") } else { Ok(()) }
}

/// An address, or the end of one.
pub(super) fn reference(text: &str) -> Verdict {
    if text.contains('\\') {
        return fail("contains \\");
    }
    parse(text).map(|_| ())
}

/// An address with parts between braces.
pub(super) fn template(text: &str) -> Verdict {
    for part in parse(text)?.raw_path.split(|byte| *byte == b'/') {
        let mut open = false;
        for byte in decoded(part) {
            match byte {
                b'{' if !open => open = true,
                b'}' if open => open = false,
                b'{' | b'}' => return fail("nested curly braces"),
                _ => {}
            }
        }
        if open {
            return fail("no matching closing brace");
        }
    }
    Ok(())
}

/// A part of a path without its escapes, all of which are right.
fn decoded(mut part: &[u8]) -> Vec<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut out = Vec::with_capacity(part.len());
    while let [byte, behind @ ..] = part {
        part = behind;
        match behind {
            [high, low, behind @ ..] if *byte == b'%' => {
                out.extend(hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low));
                part = behind;
            }
            _ => out.push(*byte),
        }
    }
    out
}

fn parse(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.as_bytes())?;
    // Go does not ask what stands in the place of a host.
    let name = String::from_utf8_lossy(url.hostname()).into_owned();
    if name.contains(':') {
        if !url.host.contains(&b'[') || !url.host.contains(&b']') {
            return Err("ipv6 address not enclosed in brackets".to_owned());
        }
        address::ipv6(&name).map_err(|why| format!("invalid ipv6 address: {why}"))?;
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::super::check;

    #[test]
    fn addresses_of_documents_are_read_as_go_reads_them() {
        for (format, text, reason) in [
            ("uri", "https://user:pw@example.com:8080/a?b#c", ""),
            ("uri", "mailto:a@b", ""),
            ("uri", "/a", "relative url"),
            ("uri", ":a", "parse \":a\": missing protocol scheme"),
            ("uri", "http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"),
            ("uri", "http://a:x/", "parse \"http://a:x/\": invalid port \":x\" after host"),
            ("uri", "http://a/%zz", "parse \"http://a/%zz\": invalid URL escape \"%zz\""),
            ("uri", "http://[::1]:80/", ""),
            ("uri", "http://[::1", "parse \"http://[::1\": missing ']' in host"),
            ("uri", "http://a/#%", "parse \"http://a/#%\": invalid URL escape \"%\""),
            ("uri", "http://a\n", "parse \"http://a\\n\": net/url: invalid control character in URL"),
            ("uri", "http://[::1%25eth0]/", "invalid ipv6 address: zone id is not a part of ipv6 address"),
            ("uri", "db://a:1,b:2/", "ipv6 address not enclosed in brackets"),
            ("uri-reference", "a/b", ""),
            ("uri-reference", "a:b/c", ""),
            ("uri-reference", "1a:b", "parse \"1a:b\": first path segment in URL cannot contain colon"),
            ("uri-reference", "a\\b", "contains \\"),
            ("uri-template", "/a/{b}/c", ""),
            ("uri-template", "/a/{b", "no matching closing brace"),
            ("uri-template", "/a/b}", "nested curly braces"),
        ] {
            let found = check(format, text).err().unwrap_or_default();
            assert_eq!(found, reason, "{format} {text}");
        }
    }
}
