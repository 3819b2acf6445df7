//! The format `uri`: an absolute path or an absolute URI, as Go reads a request URL.

use trueline_gostd::url::{Colons, Url};

/// An absolute path or an absolute URI.
pub(super) fn uri(text: &str) -> bool {
    Url::parse_request(text.as_bytes(), Colons::OfAllSchemes).is_ok()
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
