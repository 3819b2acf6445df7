//! File names as other programs expect them: URIs, and paths relative to a repository.

use crate::prepared::{LabelledPlace, PlaceKind, Report};

/// For each finding a file that can be opened, for places without one, such as flags: the file of its unit (for
/// a chart, its Chart.yaml), or the finding's own source if it is about the run.
pub(crate) fn anchors(report: &Report) -> Vec<String> {
    let mut anchors: Vec<String> =
        report.findings.iter().map(|finding| finding.primary.file.to_string()).collect();
    for unit in report.units.iter().rev() {
        let is_archive = [".tgz", ".tar.gz"].iter().any(|end| unit.name.ends_with(end));
        let file = match unit.kind {
            "chart" if !is_archive => format!("{}/Chart.yaml", unit.name.trim_end_matches('/')),
            _ => unit.name.to_string(),
        };
        for &index in &unit.findings {
            if let Some(anchor) = anchors.get_mut(index) {
                anchor.clone_from(&file);
            }
        }
    }
    anchors
}

/// The URI of a place's source, or `None` for a source without an address: a flag, text inside the program.
pub(crate) fn uri(place: &LabelledPlace) -> Option<String> {
    match place.kind {
        PlaceKind::File => Some(file_uri(&place.file)),
        PlaceKind::Url => Some(encode(&place.file, URL_CHARACTERS)),
        PlaceKind::Flag | PlaceKind::Embedded | PlaceKind::Rendered => None,
    }
}

/// A file name as a relative URI reference, or a `file:` URI where it is absolute.
pub(crate) fn file_uri(name: &str) -> String {
    let name = path(name);
    let encoded = encode(&name, PATH_CHARACTERS);
    if let Some(rest) = encoded.strip_prefix('/') {
        return format!("file:///{}", rest.trim_start_matches('/'));
    }
    let mut characters = name.chars();
    if cfg!(windows)
        && characters.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && characters.next() == Some(':')
    {
        return format!("file:///{}", encoded.replacen("%3A", ":", 1));
    }
    encoded
}

/// A file name without `./` before it and with `/` between its parts.
pub(crate) fn path(name: &str) -> String {
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
    let mut rest = name.as_str();
    while let Some(inner) = rest.strip_prefix("./") {
        rest = inner.trim_start_matches('/');
    }
    if rest.is_empty() { name } else { rest.to_owned() }
}

/// Unreserved characters and those that a path segment may hold, without `:` (which would make the first
/// segment of a relative reference look like a scheme).
const PATH_CHARACTERS: &str = "-._~!$&'()*+,;=@/";
/// What may appear in a URL that is written already.
const URL_CHARACTERS: &str = "-._~!$&'()*+,;=@/:?#[]%";

fn encode(text: &str, allowed: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for byte in text.bytes() {
        let character = char::from(byte);
        if character.is_ascii_alphanumeric() || (character.is_ascii() && allowed.contains(character)) {
            result.push(character);
        } else {
            result.push_str(&format!("%{byte:02X}"));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_uri_references() {
        let cases = [
            ("a/b.yaml", "a/b.yaml"),
            ("./a.yaml", "a.yaml"),
            (".//./a.yaml", "a.yaml"),
            ("../up.yaml", "../up.yaml"),
            ("./", "./"),
            ("/etc/x y.yaml", "file:///etc/x%20y.yaml"),
            ("100%,a:b\"\n.yaml", "100%25,a%3Ab%22%0A.yaml"),
            ("漢.yaml", "%E6%BC%A2.yaml"),
        ];
        for (name, expected) in cases {
            assert_eq!(file_uri(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_url_keeps_its_own_escapes() {
        assert_eq!(encode("https://h:8/a%20b?c=d#e f", URL_CHARACTERS), "https://h:8/a%20b?c=d#e%20f");
    }
}
