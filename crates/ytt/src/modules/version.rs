//! `version`: which version of ytt a template needs.

use trueline_starlark::{Error, Value};

use super::{function, module_of, only, string};
use crate::VERSION;

pub(super) fn module() -> Value {
    let require = function("version.require_at_least", |_, args| {
        let wanted = string(only(args)?)?;
        let Some(parsed) = Version::parse(&wanted) else {
            return Err(Error::new(format!("version string '{wanted}' must be a valid semver")));
        };
        match Version::parse(VERSION) {
            Some(ours) if ours.release >= parsed.release => Ok(Value::NONE),
            _ => Err(Error::new(format!(
                "ytt version '{VERSION}' does not meet the minimum required version '{wanted}'"
            ))),
        }
    });
    module_of("version", [("require_at_least", require)])
}

/// A semantic version. A pre-release that is asked for is met by the release itself.
struct Version {
    release: [u64; 3],
}

impl Version {
    fn parse(text: &str) -> Option<Version> {
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (text, pre) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        let is_word = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let has_zero = |part: &str| part.len() > 1 && part.starts_with('0');
        if build.is_some_and(|build| !build.split('.').all(is_word)) {
            return None;
        }
        let is_pre = |part: &str| is_word(part) && !(is_number(part) && has_zero(part));
        if pre.is_some_and(|pre| !pre.split('.').all(is_pre)) {
            return None;
        }
        let parts: Vec<&str> = text.split('.').collect();
        let [major, minor, patch] = parts[..] else { return None };
        let number = |part: &str| -> Option<u64> {
            let is_plain = !part.is_empty() && is_number(part) && !has_zero(part);
            is_plain.then(|| part.parse().ok()).flatten()
        };
        Some(Version { release: [number(major)?, number(minor)?, number(patch)?] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_semantic() {
        for text in ["0.1.0", "10.20.30", "1.0.0-a.b", "1.0.0-0a", "1.0.0+01", "1.0.0-x+y.z"] {
            assert!(Version::parse(text).is_some(), "{text}");
        }
        for text in ["1", "1.2", "1.2.3.4", "01.2.3", "1.2.x", "v1.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", ""] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
    }
}
