//! The addresses and paths of webhooks.

use trueline_gostd::url::Url;

use crate::field_error::FieldError;
use crate::names::dns_1123_subdomain;
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

/// The address of a webhook.
pub fn webhook_url(text: &str, path: &Trail<'_>, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = match Url::parse(text.as_bytes()) {
        Ok(url) => url,
        Err(problem) => {
            errors.push(path.refuse(URL_UNREADABLE.with(problem.to_string()).and(FORM)));
            return;
        }
    };
    let text = String::from_utf8_lossy;
    if url.scheme != b"https" {
        errors.push(path.refuse_text(&text(&url.scheme), URL_SCHEME.with(FORM)));
    }
    if url.host.is_empty() {
        errors.push(path.refuse_text("", URL_HOST.with(FORM)));
    }
    if let Some(user) = &url.user {
        errors.push(path.refuse_text(&text(&user.text()), &URL_USER));
    }
    if !url.fragment.is_empty() {
        errors.push(path.refuse_text(&text(&url.fragment), &URL_FRAGMENT));
    }
    if !url.query.is_empty() {
        errors.push(path.refuse_text(&text(&url.query), &URL_QUERY));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_addresses() {
        for (text, expected) in [
            ("https://example.com:443/a/b", ""),
            ("https://me:p w@host/", "Required value: url must be a valid URL: parse"),
            ("https://a:b/", "invalid port \":b\" after host"),
            ("https://a/%zz", "invalid URL escape \"%zz\""),
            ("https://[::1", "missing ']' in host"),
            ("http://a/", "'https' is the only allowed URL scheme"),
            ("https:///a", "host must be specified"),
            ("https://me:pw@a/", "Invalid value: \"me:pw\": user information is not permitted"),
            ("https://a/#%41", "Invalid value: \"A\": fragments are not permitted"),
            ("https://a/?q=1", "Invalid value: \"q=1\": query parameters are not permitted"),
        ] {
            let mut errors = Vec::new();
            webhook_url(text, &Trail::root("url", None), &mut errors);
            let said: Vec<String> = errors.iter().map(FieldError::message).collect();
            match expected {
                "" => assert!(said.is_empty(), "{text}: {said:?}"),
                _ => assert!(said.len() == 1 && said[0].contains(expected), "{text}: {said:?}"),
            }
        }
    }
}
