//! Addresses of schemas: URIs, how references are resolved against them, and what they may not hold.

use std::borrow::Cow;

use jsonschema::uri;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use trueline_source::{LoadError, LoadErrorKind, normalize_path};

/// The start of the address of a file in the package. Where the package is on disk is not part of it.
const PACKAGE: &str = "package:///";

/// Characters of a path that must be escaped in an address.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Characters that people write in references although a URI must not contain them.
const NOT_IN_URI: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The address of a file in the package.
pub(crate) fn of_package_file(path: &str) -> String {
    format!("{PACKAGE}{}", utf8_percent_encode(path, IN_PATH))
}

/// The path of a file in the package, from its address.
pub(crate) fn package_file(address: &str) -> Option<String> {
    address.strip_prefix(PACKAGE).map(|path| decode(path).into_owned())
}

/// Undoes percent encoding.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

/// An address and what follows its `#`; an empty fragment is none.
pub(crate) fn split(address: &str) -> (&str, Option<&str>) {
    match address.split_once('#') {
        Some((address, "")) => (address, None),
        Some((address, fragment)) => (address, Some(fragment)),
        None => (address, None),
    }
}

/// The scheme of an absolute address, in lower case. A single letter is a Windows drive.
pub(crate) fn scheme(address: &str) -> Option<String> {
    let (scheme, _) = address.split_once(':')?;
    let mut letters = scheme.chars();
    let valid = letters.next()?.is_ascii_alphabetic()
        && letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    (valid && scheme.len() > 1).then(|| scheme.to_ascii_lowercase())
}

/// Whether an address is fetched over the network.
pub(crate) fn is_remote(address: &str) -> bool {
    matches!(scheme(address).as_deref(), Some("http" | "https"))
}

/// Whether an `http:` or `https:` address names a user or a password.
pub(crate) fn has_credentials(address: &str) -> bool {
    userinfo(address).is_some()
}

/// The address without user and password, to be shown.
pub(crate) fn shown(address: &str) -> String {
    match userinfo(address) {
        Some(range) => format!("{}***{}", &address[..range.start], &address[range.end..]),
        None => address.to_owned(),
    }
}

/// The range of user and password in an address.
fn userinfo(address: &str) -> Option<std::ops::Range<usize>> {
    let start = address.find("://")? + 3;
    let rest = &address[start..];
    let authority = &rest[..rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())];
    authority.rfind('@').map(|end| start..start + end)
}

/// A reference as a URI reference must be spelled: people write spaces and other characters unescaped.
pub(crate) fn spelled(reference: &str) -> Cow<'_, str> {
    utf8_percent_encode(reference, NOT_IN_URI).into()
}

/// A reference resolved against a base, in normal form.
pub fn resolve(base: &str, reference: &str) -> Option<String> {
    let base = uri::from_str(base).ok()?;
    let resolved = uri::resolve_against(&base.borrow(), &spelled(reference)).ok()?;
    Some(resolved.as_str().to_owned())
}

/// An absolute address in normal form.
pub(crate) fn normal(address: &str) -> Option<String> {
    scheme(address)?;
    uri::from_str(&spelled(address)).ok().map(|address| address.as_str().to_owned())
}

/// The path inside the package that a `file:` address points to.
///
/// `root` is the package's absolute path, where it is known. `file:a.json` is relative to the package.
pub(crate) fn file_in_package(address: &str, root: Option<&str>) -> Result<String, LoadError> {
    let outside = || LoadError::new(LoadErrorKind::Outside, address);
    let rest = address.get("file:".len()..).unwrap_or_default();
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let path = match rest.strip_prefix("//") {
        Some(authority) => match authority.strip_prefix("localhost").unwrap_or(authority) {
            path if path.starts_with('/') => path,
            _ => return Err(outside()),
        },
        None => rest,
    };
    path_in_package(&decode(path), root).map_err(|_| outside())
}

/// The path inside the package of an absolute or relative path.
pub(crate) fn path_in_package(path: &str, root: Option<&str>) -> Result<String, LoadError> {
    let outside = || LoadError::new(LoadErrorKind::Outside, path);
    if !path.starts_with('/') {
        return normalize_path(path);
    }
    let root = root.ok_or_else(outside)?.trim_matches('/');
    // Dots are resolved first: `/root/../etc` begins like the root but is outside it.
    let path = normalize_path(path.trim_start_matches('/'))?;
    match path.strip_prefix(root) {
        Some(inside) if root.is_empty() || inside.is_empty() || inside.starts_with('/') => {
            Ok(inside.trim_start_matches('/').to_owned())
        }
        _ => Err(outside()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_package_have_addresses() {
        assert_eq!(of_package_file("schemas/a b#c.json"), "package:///schemas/a%20b%23c.json");
        assert_eq!(package_file("package:///schemas/a%20b%23c.json").as_deref(), Some("schemas/a b#c.json"));
        assert_eq!(package_file("https://example.com/a"), None);
    }

    #[test]
    fn credentials_are_detected_and_not_shown() {
        for (address, without) in [
            ("https://me:pass@example.com/a@b", Some("https://***@example.com/a@b")),
            ("https://token@example.com", Some("https://***@example.com")),
            ("https://example.com/a@b", None),
            ("https://example.com?a@b", None),
            ("urn:a@b", None),
        ] {
            assert_eq!(has_credentials(address), without.is_some(), "{address}");
            assert_eq!(shown(address), without.unwrap_or(address));
        }
    }

    #[test]
    fn references_are_resolved() {
        assert_eq!(
            resolve("https://e.com/a/b.json", "../c.json#/x y").as_deref(),
            Some("https://e.com/c.json#/x%20y")
        );
        assert_eq!(resolve("urn:example:a", "#b").as_deref(), Some("urn:example:a#b"));
        assert_eq!(resolve("package:///a.json", "http://[").as_deref(), None);
    }

    #[test]
    fn file_addresses_stay_inside_the_root() {
        let root = Some("/srv/pkg");
        for (address, path) in [
            ("file:///srv/pkg/a%20b.json#/x", Some("a b.json")),
            ("file://localhost/srv/pkg/s/a.json", Some("s/a.json")),
            ("file:s/../a.json", Some("a.json")),
            ("file:/srv/pkg/a.json", Some("a.json")),
            ("file:///srv/pkg2/a.json", None),
            ("file:///srv/pkg/../a.json", None),
            ("file:///etc/passwd", None),
            ("file://host/srv/pkg/a.json", None),
            ("file:../a.json", None),
        ] {
            assert_eq!(file_in_package(address, root).ok().as_deref(), path, "{address}");
        }
        assert!(file_in_package("file:///srv/pkg/a.json", None).is_err());
    }
}
