//! Addresses of repositories and archives, put together as Go does it.

use crate::refusal::{Refusal, RefusalKind};
use trueline_gostd::GoError;
use trueline_gostd::url::Url;

/// An address with a path below it. What cannot be read as an address is taken for a path.
pub fn below(base: &str, path: &str) -> String {
    match Url::parse(base.as_bytes()) {
        Ok(mut url) => {
            url.path = join(&text(&url.path), path).into_bytes();
            text(&url.text())
        }
        Err(_) => join(base, path),
    }
}

/// What a reference in an index means: an address as it is, anything else below the repository. A query of the
/// repository's address goes along.
pub fn resolve(repository: &str, reference: &str) -> Result<String, Refusal> {
    let failed = |address: &str, error: GoError| {
        RefusalKind::Address.of(format!("failed to parse {address} as URL: {error}"))
    };
    let parsed = Url::parse(reference.as_bytes()).map_err(|error| failed(reference, error))?;
    if !parsed.scheme.is_empty() {
        return Ok(reference.to_owned());
    }
    let mut base = Url::parse(repository.as_bytes()).map_err(|error| failed(repository, error))?;
    if !parsed.host.is_empty() {
        base.host = parsed.host;
        base.user = parsed.user;
        base.path = without_dots(&text(&parsed.path)).into_bytes();
    } else {
        let path = text(&parsed.path);
        let joined = if path.starts_with('/') {
            path
        } else {
            format!("{}/{path}", text(&base.path).trim_end_matches('/'))
        };
        base.path = without_dots(&joined).into_bytes();
    }
    Ok(text(&base.text()))
}

/// Whether two addresses lead to the same place.
pub fn same(one: &str, other: &str) -> bool {
    let normal = |address: &str| {
        Url::parse(address.as_bytes()).map(|mut url| {
            url.path = join("/", &text(&url.path)).into_bytes();
            url.text()
        })
    };
    match (normal(one), normal(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), _) => join("", one) == join("", other),
        (Ok(_), Err(_)) => false,
    }
}

/// The name of the file that an address leads to; nothing if that is not a valid file name.
pub fn file_name(url: &str) -> Option<String> {
    let path = text(&Url::parse(url.as_bytes()).ok()?.path);
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let is_usable =
        !matches!(name, "" | "." | "..") && !name.contains('\\') && !name.contains(char::is_control);
    is_usable.then(|| name.to_owned())
}

/// Whether something is an address that a request can be sent to.
pub(super) fn is_request(address: &str) -> bool {
    Url::parse(address.as_bytes()).is_ok_and(|url| !url.scheme.is_empty() || address.starts_with('/'))
}

/// Go's `path.Join`.
pub fn join(one: &str, other: &str) -> String {
    let joined = match (one, other) {
        ("", other) => other.to_owned(),
        (one, "") => one.to_owned(),
        _ => format!("{one}/{other}"),
    };
    if joined.is_empty() {
        return joined;
    }
    let is_rooted = joined.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", None) if is_rooted => {}
            ("..", Some(last)) if *last != ".." => _ = parts.pop(),
            (part, _) => parts.push(part),
        }
    }
    match (is_rooted, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

/// A path without `.` and `..`, as references are resolved: a slash at its end stays.
fn without_dots(path: &str) -> String {
    let ends_open = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    let mut clean = join("/", path);
    if ends_open && !clean.ends_with('/') {
        clean.push('/');
    }
    clean
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_below_their_repository() {
        for (repository, reference, resolved) in [
            ("https://x.example/charts", "web-1.0.0.tgz", "https://x.example/charts/web-1.0.0.tgz"),
            ("https://x.example/charts/", "sub/web.tgz", "https://x.example/charts/sub/web.tgz"),
            ("https://x.example/charts", "/web.tgz", "https://x.example/web.tgz"),
            ("https://x.example/a/b", "../web.tgz", "https://x.example/a/web.tgz"),
            ("https://x.example/a?key=1", "index.yaml", "https://x.example/a/index.yaml?key=1"),
            ("https://x.example:8443", "index.yaml", "https://x.example:8443/index.yaml"),
            ("https://x.example", "https://y.example/web.tgz", "https://y.example/web.tgz"),
            ("https://x.example", "//y.example/web.tgz", "https://y.example/web.tgz"),
            ("https://x.example/c", "web-1.0.0+a.tgz", "https://x.example/c/web-1.0.0+a.tgz"),
        ] {
            assert_eq!(resolve(repository, reference).as_deref(), Ok(resolved), "{repository} {reference}");
        }
        assert_eq!(
            resolve("https://x.example", "a\u{7f}").err().map(String::from).as_deref(),
            Some(
                "failed to parse a\u{7f} as URL: parse \"a\\x7f\": net/url: invalid control character in URL"
            )
        );
    }

    #[test]
    fn files_are_named_by_the_end_of_their_address() {
        for (url, name) in [
            ("https://x.example/charts/web-1.0.0.tgz?token=1#x", Some("web-1.0.0.tgz")),
            ("https://x.example/charts/web-1.0.0%2Ba.tgz", Some("web-1.0.0+a.tgz")),
            ("https://x.example/charts/..%2f..%2fpasswd", Some("passwd")),
            ("https://x.example/charts/web/", Some("web")),
            ("https://x.example/", None),
            ("https://x.example/..", None),
            ("https://x.example/a%5cb", None),
            ("https://x.example/a%0ab", None),
        ] {
            assert_eq!(file_name(url).as_deref(), name, "{url}");
        }
    }

    #[test]
    fn paths_are_put_below_addresses() {
        for (base, path, joined) in [
            ("https://x.example/charts/", "a.tgz", "https://x.example/charts/a.tgz"),
            ("https://x.example", "sub", "https://x.example/sub"),
            ("sub", "a.tgz", "sub/a.tgz"),
            ("", "sub", "sub"),
            ("", "", ""),
        ] {
            assert_eq!(below(base, path), joined, "{base} {path}");
        }
    }

    #[test]
    fn addresses_are_the_same_whatever_slashes_they_have() {
        assert!(same("https://x.example/charts", "https://x.example/charts/"));
        assert!(same("https://x.example", "https://x.example/"));
        assert!(!same("https://x.example/a", "https://x.example/b"));
        assert!(!same("http://x.example", "https://x.example"));
        assert!(is_request("https://x.example") && is_request("/x") && !is_request("x") && !is_request("@x"));
    }
}
