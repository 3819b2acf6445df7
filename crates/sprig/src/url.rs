//! Addresses taken apart and put together as Go's `net/url` does it.

use trueline_gotemplate::fmt;

use crate::parse_ip;

/// The parts of an address.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case.
    pub scheme: Vec<u8>,
    pub(crate) opaque: Vec<u8>,
    /// Who is to log in.
    pub user: Option<User>,
    /// The host with its port.
    pub host: Vec<u8>,
    /// Without escapes.
    pub path: Vec<u8>,
    /// The path as it was written, where that is not how it would be written by default.
    pub raw_path: Vec<u8>,
    /// As it was written, without the question mark.
    pub query: Vec<u8>,
    /// Without escapes.
    pub(crate) fragment: Vec<u8>,
}

/// Who is to log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The name without escapes.
    pub name: Vec<u8>,
    /// The password without escapes.
    pub password: Option<Vec<u8>>,
}

impl User {
    /// Its text with escapes.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = escape(&self.name, Part::User);
        if let Some(password) = &self.password {
            text.push(b':');
            text.extend(escape(password, Part::User));
        }
        text
    }
}

/// What is escaped depends on where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Path,
    Host,
    Zone,
    User,
    Fragment,
}

impl Url {
    /// Takes an address apart, or says in Go's words why it is none.
    pub fn parse(text: &[u8]) -> Result<Url, String> {
        let (address, fragment) = cut(text, b'#');
        let named = |text: &[u8], words: String| format!("parse {}: {words}", fmt::quote(text));
        let mut url = parse(address).map_err(|words| named(address, words))?;
        url.fragment = unescape(fragment, Part::Fragment).map_err(|words| named(text, words))?;
        Ok(url)
    }

    /// The host without its port and brackets.
    pub fn hostname(&self) -> &[u8] {
        let colon = self.host.iter().rposition(|byte| *byte == b':');
        let (host, port) = self.host.split_at(colon.unwrap_or(self.host.len()));
        let host = if is_port(port) { host } else { &self.host };
        host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")).unwrap_or(host)
    }

    /// The address in one text.
    pub fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if !self.scheme.is_empty() {
            text.extend_from_slice(&self.scheme);
            text.push(b':');
        }
        if self.opaque.is_empty() {
            self.write_rest(&mut text);
        } else {
            text.extend_from_slice(&self.opaque);
        }
        if !self.query.is_empty() {
            text.push(b'?');
            text.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            text.push(b'#');
            text.extend(escape(&self.fragment, Part::Fragment));
        }
        text
    }

    fn write_rest(&self, text: &mut Vec<u8>) {
        if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
            if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                text.extend_from_slice(b"//");
            }
            if let Some(user) = &self.user {
                text.extend(user.text());
                text.push(b'@');
            }
            text.extend(escape(&self.host, Part::Host));
        }
        let path = if self.path == b"*" { b"*".to_vec() } else { escape(&self.path, Part::Path) };
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            text.push(b'/');
        }
        // Its first element would be taken for a scheme.
        if text.is_empty() && cut(&path, b'/').0.contains(&b':') {
            text.extend_from_slice(b"./");
        }
        text.extend(path);
    }
}

/// What stands before and behind the first such byte.
fn cut(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    match text.iter().position(|other| *other == byte) {
        Some(place) => (&text[..place], &text[place + 1..]),
        None => (text, b""),
    }
}

fn parse(text: &[u8]) -> Result<Url, String> {
    if text.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text == b"*" {
        return Ok(Url { path: b"*".to_vec(), ..Url::default() });
    }
    let (scheme, rest) = scheme(text)?;
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    let (mut rest, query) = cut(rest, b'?');
    url.query = query.to_vec();
    if !rest.starts_with(b"/") {
        if !scheme.is_empty() {
            url.opaque = rest.to_vec();
            return Ok(url);
        }
        if cut(rest, b'/').0.contains(&b':') {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    if let Some(behind) = rest.strip_prefix(b"//")
        && (!scheme.is_empty() || !behind.starts_with(b"/"))
    {
        let slash = behind.iter().position(|byte| *byte == b'/').unwrap_or(behind.len());
        let (authority, path) = behind.split_at(slash);
        rest = path;
        let at = authority.iter().rposition(|byte| *byte == b'@');
        url.host = host(&url.scheme, at.map_or(authority, |at| &authority[at + 1..]))?;
        url.user = at.map(|at| user(&authority[..at])).transpose()?;
    }
    url.path = unescape(rest, Part::Path)?;
    if escape(&url.path, Part::Path) != rest {
        url.raw_path = rest.to_vec();
    }
    Ok(url)
}

fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if place > 0 => {}
            b':' if place == 0 => return Err("missing protocol scheme".into()),
            b':' => return Ok((&text[..place], &text[place + 1..])),
            _ => break,
        }
    }
    Ok((b"", text))
}

fn user(text: &[u8]) -> Result<User, String> {
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
    if !text.iter().all(valid) {
        return Err("net/url: invalid userinfo".into());
    }
    let (name, password) = cut(text, b':');
    let name = unescape(name, Part::User)?;
    let password = text.contains(&b':').then(|| unescape(password, Part::User)).transpose()?;
    Ok(User { name, password })
}

/// Whether it is nothing, or a colon with any number of digits.
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, String> {
    let bad_port = |port: &[u8]| Err(format!("invalid port {} after host", fmt::quote(port)));
    match host.iter().rposition(|byte| *byte == b'[') {
        Some(0) => {
            let Some(end) = host.iter().rposition(|byte| *byte == b']') else {
                return Err("missing ']' in host".into());
            };
            let (name, port) = (&host[1..end], &host[end + 1..]);
            if !is_port(port) {
                return bad_port(port);
            }
            let zone = memchr::memmem::find(name, b"%25").unwrap_or(name.len());
            let (name, zone) = name.split_at(zone);
            let mut literal = unescape(name, Part::Host)?;
            literal.extend(unescape(zone, Part::Zone)?);
            check_address(&literal)?;
            Ok([b"[", &*literal, b"]", port].concat())
        }
        Some(_) => Err("invalid IP-literal".into()),
        None => {
            let strict = matches!(scheme, b"http" | b"https");
            let colon = if strict {
                host.iter().position(|byte| *byte == b':')
            } else {
                host.iter().rposition(|byte| *byte == b':')
            };
            if let Some(port) = colon.map(|colon| &host[colon..]).filter(|port| !is_port(port)) {
                return bad_port(port);
            }
            unescape(host, Part::Host)
        }
    }
}

/// Only addresses of version 6 stand in brackets.
fn check_address(literal: &[u8]) -> Result<(), String> {
    parse_ip(&String::from_utf8_lossy(literal)).map_err(|words| format!("invalid host: {words}"))?;
    if literal.contains(&b':') { Ok(()) } else { Err("invalid IP-literal".into()) }
}

fn must_escape(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    let allowed: &[u8] = match part {
        Part::Path => b"$&+,/:;=@",
        Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
        Part::User => b"$&+,;=",
        Part::Fragment => b"$&+,/:;=?@!()*",
    };
    !allowed.contains(&byte)
}

fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for &byte in text {
        if must_escape(byte, part) {
            escaped.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            escaped.push(byte);
        }
    }
    escaped
}

fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            let in_host = matches!(part, Part::Host | Part::Zone);
            if in_host && first.is_ascii() && must_escape(*first, part) {
                return Err(format!("invalid character {} in host name", fmt::quote([*first])));
            }
            plain.push(*first);
            continue;
        }
        let invalid = |text: &[u8]| Err(format!("invalid URL escape {}", fmt::quote(text)));
        let digit = |index: usize| behind.get(index).and_then(|byte| char::from(*byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else {
            let start = text.len() - behind.len() - 1;
            return invalid(text.get(start..text.len().min(start + 3)).unwrap_or_default());
        };
        let byte = (high << 4 | low) as u8;
        let spelled = [b'%', behind[0], behind[1]];
        let refused = match part {
            Part::Host => high < 8 && spelled != *b"%25",
            Part::Zone => spelled != *b"%25" && byte != b' ' && must_escape(byte, Part::Host),
            _ => false,
        };
        if refused {
            return invalid(&spelled);
        }
        plain.push(byte);
        rest = &behind[2..];
    }
    Ok(plain)
}
