//! The tags of a chart in a registry, which come in pages.

use serde_json::Value;
use trueline_sprig::semver::Version;

/// The tags of one page.
pub fn read_tags(bytes: &[u8]) -> Option<Vec<String>> {
    let page: Value = serde_json::from_slice(bytes).ok()?;
    let Some(tags) = page.as_object()?.get("tags").and_then(Value::as_array) else { return Some(Vec::new()) };
    Some(tags.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Where the next page is, by a `Link` header.
pub fn next_page(header: &str) -> Option<&str> {
    header.split(',').find_map(|link| {
        let (address, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = |parameter: &str| matches!(parameter.trim(), "rel=\"next\"" | "rel=next");
        parameters.split(';').any(is_next).then_some(address)
    })
}

/// The tags that are versions, the newest first. Registries have no `+`, so `_` stands for it.
pub fn sorted(tags: &[String]) -> Vec<String> {
    let mut versions: Vec<Version> =
        tags.iter().filter_map(|tag| Version::parse_strict(&tag.replace('_', "+")).ok()).collect();
    versions.sort_by(|one, other| other.cmp(one));
    versions.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_sorted_and_other_tags_left_out() {
        let tags = ["1.9.0", "latest", "1.10.0", "v2.0.0", "1.0", "2.0.0-rc.1", "1.10.1_build.5"];
        assert_eq!(sorted(&tags.map(str::to_owned)), ["2.0.0-rc.1", "1.10.1+build.5", "1.10.0", "1.9.0"]);
    }

    #[test]
    fn pages_are_read_and_followed() {
        assert_eq!(read_tags(b"{\"name\": \"x\", \"tags\": [\"a\", 1, \"b\"]}").unwrap(), ["a", "b"]);
        assert_eq!(read_tags(b"{\"name\": \"x\", \"tags\": null}"), Some(Vec::new()));
        assert_eq!(read_tags(b"<html>"), None);
        assert_eq!(
            next_page("</v2/x/tags/list?last=a&n=2>; rel=\"next\""),
            Some("/v2/x/tags/list?last=a&n=2")
        );
        assert_eq!(next_page("<a>; rel=\"prev\", <b>; rel=next"), Some("b"));
        assert_eq!(next_page("nonsense"), None);
    }
}
