//! Web addresses as Go's `url.Parse` reads them, with its words about those that are none.

use crate::field_error::FieldError;
use crate::names::dns_1123_subdomain;
use crate::quote::go_quoted;
use crate::rules;
use crate::trail::Trail;

rules! {
    /// The URL of a webhook cannot be read.
    URL_UNREADABLE: Required, "webhook/url-unreadable", "url must be a valid URL: {}{}";
    /// The URL of a webhook does not begin with `https://`.
    URL_SCHEME: Invalid, "webhook/url-scheme", "'https' is the only allowed URL scheme{}";
    /// The URL of a webhook has no host.
    URL_HOST: Invalid, "webhook/url-host", "host must be specified{}";
    /// The URL of a webhook names a user.
    URL_USER: Invalid, "webhook/url-user", "user information is not permitted in the URL";
    /// The URL of a webhook has a fragment.
    URL_FRAGMENT: Invalid, "webhook/url-fragment", "fragments are not permitted in the URL";
    /// The URL of a webhook has a query.
    URL_QUERY: Invalid, "webhook/url-query", "query parameters are not permitted in the URL";
    /// The path of a webhook has no parts.
    PATH_EMPTY: Invalid, "webhook/path-empty", "segment[0] may not be empty";
    /// The path of a webhook does not begin with `/`.
    PATH_NOT_ABSOLUTE: Invalid, "webhook/path-not-absolute", "must start with a '/'";
    /// A part of the path of a webhook is empty.
    PATH_EMPTY_PART: Invalid, "webhook/path-empty-part", "segment[{}] may not be empty";
    /// A part of the path of a webhook is not allowed.
    PATH_PART: Invalid, "webhook/path-part", "segment[{}]: {}";
}

/// The parts of a web address.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct WebAddress<'a> {
    /// The scheme, in lower case.
    pub scheme: String,
    /// The user, if one is named.
    pub user: Option<&'a str>,
    /// The host.
    pub host: &'a str,
    /// What comes after `?`.
    pub query: &'a str,
    /// What comes after `#`.
    pub fragment: &'a str,
}

/// The address of a webhook.
pub fn webhook_url(text: &str, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match parse(text) {
        Ok(url) => url,
        Err(problem) => {
            errors.push(path.refuse(URL_UNREADABLE.with(problem).and(FORM)));
            return;
        }
    };
    if url.scheme != "https" {
        errors.push(path.refuse_text(&url.scheme, URL_SCHEME.with(FORM)));
    }
    if url.host.is_empty() {
        errors.push(path.refuse_text("", URL_HOST.with(FORM)));
    }
    if let Some(user) = url.user {
        errors.push(path.refuse_text(user, &URL_USER));
    }
    if !url.fragment.is_empty() {
        errors.push(path.refuse_text(url.fragment, &URL_FRAGMENT));
    }
    if !url.query.is_empty() {
        errors.push(path.refuse_text(url.query, &URL_QUERY));
    }
}

/// The path of a webhook at a service.
pub fn webhook_path(text: &str, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    if matches!(text, "" | "/") {
        return;
    }
    if text == "//" {
        errors.push(path.refuse_text(text, &PATH_EMPTY));
        return;
    }
    if !text.starts_with('/') {
        errors.push(path.refuse_text(text, &PATH_NOT_ABSOLUTE));
    }
    // The server leaves out the first byte, whatever it is.
    let segments = text.char_indices().nth(1).and_then(|(at, _)| text.get(at..)).unwrap_or_default();
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (index, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            errors.push(path.refuse_text(text, PATH_EMPTY_PART.with(index)));
            continue;
        }
        for problem in dns_1123_subdomain(segment) {
            errors.push(path.refuse_text(text, PATH_PART.with(index).and(problem)));
        }
    }
}

/// Reads an address.
pub fn parse(text: &str) -> Result<WebAddress<'_>, String> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let whole = |problem: String| format!("parse {}: {problem}", go_quoted(before));
    if before.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(whole("net/url: invalid control character in URL".to_owned()));
    }
    let mut address = WebAddress { fragment, ..WebAddress::default() };
    let (scheme, rest) = split_scheme(before).map_err(whole)?;
    address.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    address.query = query;
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            // Such as `mailto:x`.
            return Ok(address);
        }
        let first = rest.split('/').next().unwrap_or_default();
        if first.contains(':') {
            return Err(whole("first path segment in URL cannot contain colon".to_owned()));
        }
    }
    let mut path = rest;
    if (!scheme.is_empty() || !rest.starts_with("///"))
        && let Some(after) = rest.strip_prefix("//")
    {
        let (authority, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
        path = rest;
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        if user.is_some_and(|user| !user.bytes().all(is_of_user)) {
            return Err(whole("net/url: invalid userinfo".to_owned()));
        }
        host_problem(host).map_or(Ok(()), |problem| Err(whole(problem)))?;
        (address.user, address.host) = (user, host);
    }
    for part in [path, fragment] {
        escape_problem(part)
            .map_or(Ok(()), |problem| Err(format!("parse {}: {problem}", go_quoted(text))))?;
    }
    Ok(address)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or((text, ""))),
            _ => break,
        }
    }
    Ok(("", text))
}

fn is_of_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)
}

fn host_problem(host: &str) -> Option<String> {
    let after = if host.starts_with('[') {
        let Some(end) = host.rfind(']') else { return Some("missing ']' in host".to_owned()) };
        host.get(end + 1..).unwrap_or_default()
    } else {
        host.find(':').and_then(|colon| host.get(colon..)).unwrap_or_default()
    };
    let is_port = after.is_empty()
        || after.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_port {
        return Some(format!("invalid port {} after host", go_quoted(after)));
    }
    if let Some(problem) = escape_problem(host) {
        return Some(problem);
    }
    let bad = host.bytes().find(|byte| {
        !(byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"-._~!$&'()*+,;=:[]<>\"%".contains(byte))
    })?;
    Some(format!("invalid character {} in host name", go_quoted(&char::from(bad).to_string())))
}

fn escape_problem(text: &str) -> Option<String> {
    text.match_indices('%').find_map(|(at, _)| {
        let digits = text.get(at + 1..at + 3);
        if digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            return None;
        }
        let shown: String = text.get(at..).unwrap_or_default().chars().take(3).collect();
        Some(format!("invalid URL escape {}", go_quoted(&shown)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let ok = parse("https://me:pw@host:443/a/b?q=1#f").unwrap();
        assert_eq!(
            (&*ok.scheme, ok.user, ok.host, ok.query, ok.fragment),
            ("https", Some("me:pw"), "host:443", "q=1", "f")
        );
        let rows = [
            ("::", r#"parse "::": missing protocol scheme"#),
            ("https://a:b/", r#"parse "https://a:b/": invalid port ":b" after host"#),
            ("https://a b/", r#"parse "https://a b/": invalid character " " in host name"#),
            ("https://a/%zz", r#"parse "https://a/%zz": invalid URL escape "%zz""#),
            ("a:b:c", ""),
            ("1:b", r#"parse "1:b": first path segment in URL cannot contain colon"#),
            ("https://[::1", r#"parse "https://[::1": missing ']' in host"#),
        ];
        for (text, problem) in rows {
            assert_eq!(parse(text).err().unwrap_or_default(), problem, "{text}");
        }
    }
}
