//! URLs parsed and formatted like Go's `net/url`.

use std::collections::BTreeMap;

use crate::error::{GoError, GoErrorKind};
use crate::ip::parse_ip;
use crate::quote::quote;

/// The parts of a URL.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case.
    pub scheme: Vec<u8>,
    /// The part after the scheme if it does not begin with a slash, as written.
    pub opaque: Vec<u8>,
    /// The user name and password.
    pub user: Option<User>,
    /// The host with its port.
    pub host: Vec<u8>,
    /// The path, unescaped.
    pub path: Vec<u8>,
    /// The path as written, if it differs from the default encoding.
    pub raw_path: Vec<u8>,
    /// The query as written, without the question mark.
    pub query: Vec<u8>,
    /// The fragment, unescaped.
    pub fragment: Vec<u8>,
    /// The fragment as written, if it differs from the default encoding.
    pub raw_fragment: Vec<u8>,
    /// Details that affect how the URL is formatted.
    pub shape: Shape,
}

/// Details of the URL's text that its parts do not show.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// It has a question mark with nothing after it.
    empty_query: bool,
    /// The path follows the scheme directly, without `//`.
    no_host: bool,
}

/// The user name and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user name, unescaped.
    pub name: Vec<u8>,
    /// The password, unescaped.
    pub password: Option<Vec<u8>>,
}

impl User {
    /// Both, escaped.
    pub fn text(&self) -> Vec<u8> {
        let mut text = escape(&self.name, Part::User);
        if let Some(password) = &self.password {
            text.push(b':');
            text.extend(escape(password, Part::User));
        }
        text
    }
}

/// What is escaped depends on the part of the URL.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Path,
    Segment,
    Query,
    Host,
    Zone,
    User,
    Fragment,
}

/// Which hosts may have several colons. Before Go 1.26 all of them could, and only what followed the last one was a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colons {
    /// Hosts in URLs with other schemes than `http` and `https`.
    OfOtherSchemes,
    /// Hosts in URLs with any scheme.
    OfAllSchemes,
}

impl Url {
    /// Parses a URL.
    pub fn parse(text: &[u8]) -> Result<Url, GoError> {
        Self::parse_with(text, Colons::OfOtherSchemes)
    }

    /// Like [`Url::parse`], with the host rules of an older Go.
    pub fn parse_with(text: &[u8], colons: Colons) -> Result<Url, GoError> {
        let (address, fragment) = cut(text, b'#');
        let named = |text: &[u8], words: String| refused(text, &words);
        let mut url = parse(address, UrlUse::Reference, colons).map_err(|words| named(address, words))?;
        url.fragment = unescape(fragment, Part::Fragment).map_err(|words| named(text, words))?;
        if escape(&url.fragment, Part::Fragment) != fragment {
            url.raw_fragment = fragment.to_vec();
        }
        Ok(url)
    }

    /// Parses the URL of a request, which is an absolute path or an absolute URL. A `#` is part of the path or
    /// of the query.
    pub fn parse_request(text: &[u8], colons: Colons) -> Result<Url, GoError> {
        parse(text, UrlUse::Request, colons).map_err(|words| refused(text, &words))
    }

    /// The host without its port and brackets.
    pub fn hostname(&self) -> &[u8] {
        let (host, _) = self.host_and_port();
        host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")).unwrap_or(host)
    }

    /// The port without its colon; empty if there is none.
    pub fn port(&self) -> &[u8] {
        let (_, port) = self.host_and_port();
        port.strip_prefix(b":").unwrap_or(port)
    }

    fn host_and_port(&self) -> (&[u8], &[u8]) {
        let colon = self.host.iter().rposition(|byte| *byte == b':').unwrap_or(self.host.len());
        let (host, port) = self.host.split_at(colon);
        if is_port(port) { (host, port) } else { (&self.host, b"") }
    }

    /// The escaped path.
    pub fn escaped_path(&self) -> Vec<u8> {
        written(&self.path, &self.raw_path, Part::Path)
    }

    /// The URL as a string.
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
        if !self.query.is_empty() || self.shape.empty_query {
            text.push(b'?');
            text.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            text.push(b'#');
            text.extend(written(&self.fragment, &self.raw_fragment, Part::Fragment));
        }
        text
    }

    fn write_rest(&self, text: &mut Vec<u8>) {
        let no_host = self.shape.no_host && self.host.is_empty() && self.user.is_none();
        if !no_host && (!self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some()) {
            if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                text.extend_from_slice(b"//");
            }
            if let Some(user) = &self.user {
                text.extend(user.text());
                text.push(b'@');
            }
            text.extend(escape(&self.host, Part::Host));
        }
        let path = written(&self.path, &self.raw_path, Part::Path);
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            text.push(b'/');
        }
        // Otherwise its first element would be read as a scheme.
        if text.is_empty() && cut(&path, b'/').0.contains(&b':') {
            text.extend_from_slice(b"./");
        }
        text.extend(path);
    }
}

fn refused(text: &[u8], words: &str) -> GoError {
    GoErrorKind::Url.says(format!("parse {}: {words}", quote(text)))
}

/// The escaped text: as written, if that is still valid and has the same meaning.
fn written(plain: &[u8], raw: &[u8], part: Part) -> Vec<u8> {
    let valid = |byte: &u8| b"!$&'()*+,;=:@[]%".contains(byte) || !must_escape(*byte, part);
    if !raw.is_empty() && raw.iter().all(valid) && unescape(raw, part).is_ok_and(|read| read == plain) {
        return raw.to_vec();
    }
    if plain == b"*" && part == Part::Path { plain.to_vec() } else { escape(plain, part) }
}

/// Escapes one segment of a path, including slashes.
pub fn escape_segment(text: &[u8]) -> Vec<u8> {
    escape(text, Part::Segment)
}

/// Unescapes one segment of a path.
pub fn unescape_segment(text: &[u8]) -> Result<Vec<u8>, GoError> {
    unescape(text, Part::Segment).map_err(|message| GoErrorKind::Escaped.says(message))
}

/// Escapes a key or value of a query; a space becomes a plus.
pub fn escape_query(text: &[u8]) -> Vec<u8> {
    escape(text, Part::Query)
}

/// Unescapes a key or value of a query.
pub fn unescape_query(text: &[u8]) -> Result<Vec<u8>, GoError> {
    unescape(text, Part::Query).map_err(|message| GoErrorKind::Escaped.says(message))
}

/// The values of a query by their keys.
pub type Query = BTreeMap<Vec<u8>, Vec<Vec<u8>>>;

/// The most parameters that Go reads.
const MOST_PARAMETERS: usize = 10_000;

/// Parses a query; the error is the first one.
pub fn parse_query(text: &[u8]) -> Result<Query, GoError> {
    let mut query = Query::new();
    if text.iter().filter(|byte| **byte == b'&').count() >= MOST_PARAMETERS {
        return Err(GoErrorKind::Escaped.says("number of URL query parameters exceeded limit"));
    }
    if text.contains(&b';') {
        return Err(GoErrorKind::Escaped.says("invalid semicolon separator in query"));
    }
    for parameter in text.split(|byte| *byte == b'&').filter(|parameter| !parameter.is_empty()) {
        let (key, value) = cut(parameter, b'=');
        query.entry(unescape_query(key)?).or_default().push(unescape_query(value)?);
    }
    Ok(query)
}

/// Parses a query and skips invalid parts, like `URL.Query`.
pub fn parse_query_leniently(text: &[u8]) -> Query {
    let mut query = Query::new();
    if text.iter().filter(|byte| **byte == b'&').count() >= MOST_PARAMETERS {
        return query;
    }
    for parameter in text.split(|byte| *byte == b'&') {
        if parameter.is_empty() || parameter.contains(&b';') {
            continue;
        }
        let (key, value) = cut(parameter, b'=');
        if let (Ok(key), Ok(value)) = (unescape_query(key), unescape_query(value)) {
            query.entry(key).or_default().push(value);
        }
    }
    query
}

/// Formats a query, sorted by key.
pub fn query_text(query: &Query) -> Vec<u8> {
    let mut text = Vec::new();
    for (key, value) in query.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value))) {
        if !text.is_empty() {
            text.push(b'&');
        }
        text.extend(escape_query(key));
        text.push(b'=');
        text.extend(escape_query(value));
    }
    text
}

/// The parts before and after the first such byte.
fn cut(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    match text.iter().position(|other| *other == byte) {
        Some(place) => (&text[..place], &text[place + 1..]),
        None => (text, b""),
    }
}

/// Where a URL is used.
#[derive(Clone, Copy, PartialEq)]
enum UrlUse {
    /// Anywhere: it may be relative.
    Reference,
    /// In a request: it is absolute.
    Request,
}

fn parse(text: &[u8], kind: UrlUse, colons: Colons) -> Result<Url, String> {
    if text.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text.is_empty() && kind == UrlUse::Request {
        return Err("empty url".into());
    }
    if text == b"*" {
        return Ok(Url { path: b"*".to_vec(), ..Url::default() });
    }
    let (scheme, rest) = scheme(text)?;
    let after_scheme = rest.len();
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    let (mut rest, query) = cut(rest, b'?');
    url.shape.empty_query = query.is_empty() && rest.len() < after_scheme;
    url.query = query.to_vec();
    if !rest.starts_with(b"/") {
        if !scheme.is_empty() {
            url.opaque = rest.to_vec();
            return Ok(url);
        }
        if kind == UrlUse::Request {
            return Err("invalid URI for request".into());
        }
        if cut(rest, b'/').0.contains(&b':') {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    if let Some(behind) = rest.strip_prefix(b"//")
        && (!scheme.is_empty() || (kind == UrlUse::Reference && !behind.starts_with(b"/")))
    {
        let slash = behind.iter().position(|byte| *byte == b'/').unwrap_or(behind.len());
        let (authority, path) = behind.split_at(slash);
        rest = path;
        let at = authority.iter().rposition(|byte| *byte == b'@');
        let is_strict = colons == Colons::OfOtherSchemes && matches!(&*url.scheme, b"http" | b"https");
        url.host = host(is_strict, at.map_or(authority, |at| &authority[at + 1..]))?;
        url.user = at.map(|at| user(&authority[..at])).transpose()?;
    } else {
        url.shape.no_host = !scheme.is_empty();
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

/// Whether it is empty, or a colon followed by digits.
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn host(is_strict: bool, host: &[u8]) -> Result<Vec<u8>, String> {
    let bad_port = |port: &[u8]| Err(format!("invalid port {} after host", quote(port)));
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
            let colon = if is_strict {
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

/// Only IPv6 addresses are in brackets.
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
        Part::Segment => b"$&+:=@",
        Part::Query => b"",
        Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
        Part::User => b"$&+,;=",
        Part::Fragment => b"$&+,/:;=?@!()*",
    };
    !allowed.contains(&byte)
}

fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for &byte in text {
        if byte == b' ' && part == Part::Query {
            escaped.push(b'+');
        } else if must_escape(byte, part) {
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
                return Err(format!("invalid character {} in host name", quote([*first])));
            }
            plain.push(if *first == b'+' && part == Part::Query { b' ' } else { *first });
            continue;
        }
        let invalid = |text: &[u8]| Err(format!("invalid URL escape {}", quote(text)));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: impl AsRef<[u8]>) -> String {
        String::from_utf8_lossy(bytes.as_ref()).into_owned()
    }

    /// The results were recorded from Go: the formatted URL, its host, and its user.
    #[test]
    fn urls_are_formatted_like_go() {
        for (address, again, host, user) in [
            ("http://a/%41%2f", "http://a/%41%2f", "a", None),
            ("http://a/b c?", "http://a/b%20c?", "a", None),
            ("http://u:p%40@a:80/x#f%2A'", "http://u:p%40@a:80/x#f%2A'", "a", Some("u:p%40")),
            ("http://u@a", "http://u@a", "a", Some("u")),
            ("HTTP:/x", "http:/x", "", None),
            ("file:///x", "file:///x", "", None),
            ("http://[fe80::1%25e]:1/", "http://[fe80::1%25e]:1/", "fe80::1%e", None),
            ("mailto:a@b?", "mailto:a@b?", "", None),
            ("*", "*", "", None),
            ("./a:b", "./a:b", "", None),
        ] {
            let url = Url::parse(address.as_bytes()).unwrap();
            assert_eq!(text(url.text()), again, "{address}");
            assert_eq!(text(url.hostname()), host, "{address}");
            assert_eq!(url.user.map(|user| text(user.text())).as_deref(), user, "{address}");
        }
    }

    #[test]
    fn invalid_urls() {
        for (address, words) in [
            ("http://h/%zz", r#"parse "http://h/%zz": invalid URL escape "%zz""#),
            (":x", r#"parse ":x": missing protocol scheme"#),
            ("a:b c", ""),
            ("http://a:x/", r#"parse "http://a:x/": invalid port ":x" after host"#),
            ("http://[::1", r#"parse "http://[::1": missing ']' in host"#),
            ("http://[1.2.3.4]", r#"parse "http://[1.2.3.4]": invalid IP-literal"#),
            ("http://a#%", r#"parse "http://a#%": invalid URL escape "%""#),
            ("1:2", r#"parse "1:2": first path segment in URL cannot contain colon"#),
        ] {
            assert_eq!(
                Url::parse(address.as_bytes()).err().map(String::from).unwrap_or_default(),
                words,
                "{address}"
            );
        }
    }

    #[test]
    fn segments_and_queries() {
        let given = "a b/?;,:@&=+$é'~";
        assert_eq!(text(escape_segment(given.as_bytes())), "a%20b%2F%3F%3B%2C:@&=+$%C3%A9%27~");
        assert_eq!(text(escape_query(given.as_bytes())), "a+b%2F%3F%3B%2C%3A%40%26%3D%2B%24%C3%A9%27~");
        assert_eq!(unescape_segment(b"a+%2F").map(text), Ok("a+/".to_owned()));
        assert_eq!(unescape_query(b"a+%2F").map(text), Ok("a /".to_owned()));
        assert_eq!(unescape_query(b"a%2").unwrap_err().message(), "invalid URL escape \"%2\"");
        for (query, again) in [
            ("b=1&a=2&b=3", Ok("a=2&b=1&b=3")),
            ("&&x&=y&z=1=2", Ok("=y&x=&z=1%3D2")),
            ("a=%zz&b=%", Err("invalid URL escape \"%zz\"")),
            ("a=%zz;", Err("invalid semicolon separator in query")),
        ] {
            let found = parse_query(query.as_bytes()).map(|query| text(query_text(&query)));
            assert_eq!(found.as_deref().map_err(GoError::message), again, "{query}");
        }
        assert!(parse_query("&".repeat(10_000).as_bytes()).is_err());
    }

    #[test]
    fn requests_are_absolute() {
        for (address, words) in [
            ("", "empty url"),
            ("a/b", "invalid URI for request"),
            ("a:b", ""),
            ("/a#b", ""),
            ("//a:x/b", ""),
            ("http://a b/", "invalid character \" \" in host name"),
            ("?x", "invalid URI for request"),
            ("*", ""),
        ] {
            let expected =
                if words.is_empty() { String::new() } else { format!("parse {}: {words}", quote(address)) };
            assert_eq!(
                Url::parse_request(address.as_bytes(), Colons::OfOtherSchemes)
                    .err()
                    .map(String::from)
                    .unwrap_or_default(),
                expected
            );
        }
        assert_eq!(text(Url::parse_request(b"/a#b", Colons::OfOtherSchemes).unwrap().path), "/a#b");
    }

    #[test]
    fn an_older_go_takes_several_colons() {
        assert!(Url::parse(b"http://::1/").is_err());
        let url = Url::parse_with(b"http://::1/", Colons::OfAllSchemes).unwrap();
        assert_eq!((text(url.hostname()), text(url.port())), (":".to_owned(), "1".to_owned()));
    }

    #[test]
    fn ports_paths_and_queries() {
        for (address, port, path) in [
            ("http://a:80/b c", "80", "/b%20c"),
            ("http://[::1]:8/", "8", "/"),
            ("http://[::1]/%2f", "", "/%2f"),
            ("http://a:", "", ""),
        ] {
            let url = Url::parse(address.as_bytes()).unwrap();
            assert_eq!((text(url.port()), text(url.escaped_path())), (port.to_owned(), path.to_owned()));
        }
        let query = parse_query_leniently(b"a=1&b=%zz&c;d=1&a=2&&e");
        assert_eq!(text(query_text(&query)), "a=1&a=2&e=");
    }
}
