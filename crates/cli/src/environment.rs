//! What the process's environment says.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Where fetched documents are kept, unless a flag says otherwise: nothing, if the environment does not
/// name a place that belongs to the user.
pub(crate) fn cache_directory() -> Option<PathBuf> {
    default_cache(|name| env::var_os(name))
}

/// The proxy that the environment names. Its address may hold a password, so it is never shown.
pub(crate) fn proxy() -> Option<ureq::Proxy> {
    ureq::Proxy::try_from_env()
}

fn default_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(chosen) = path("TRUELINE_CACHE_DIR") {
        return Some(chosen);
    }
    // A relative path is to be ignored, says the specification of these variables.
    if let Some(cache) = path("XDG_CACHE_HOME").filter(|path| path.is_absolute()) {
        return Some(cache.join("trueline"));
    }
    if cfg!(windows) {
        return Some(path("LOCALAPPDATA")?.join("trueline").join("cache"));
    }
    let home = path("HOME").filter(|path| path.is_absolute())?;
    Some(if cfg!(target_os = "macos") {
        home.join("Library/Caches/trueline")
    } else {
        home.join(".cache/trueline")
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_variable_wins() {
        let find = |variables: &[(&str, &str)]| {
            default_cache(|name| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            })
        };
        let all = [("TRUELINE_CACHE_DIR", "/own"), ("XDG_CACHE_HOME", "/xdg"), ("HOME", "/home/me")];
        assert_eq!(find(&all), Some("/own".into()));
        assert_eq!(find(&all[1..]), Some("/xdg/trueline".into()));
        assert_eq!(find(&all[2..]), Some("/home/me/.cache/trueline".into()));
        assert_eq!(
            find(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]),
            Some("/h/.cache/trueline".into())
        );
        assert_eq!(find(&[("TRUELINE_CACHE_DIR", "")]), None);
    }
}
