//! What Helm 3 says about templates that were written for Helm 2.

use memchr::memmem;

use super::{Linter, Severity};

/// Looks at the text of a template.
pub(super) fn check(linter: &mut Linter<'_>, name: &str, template: &[u8]) {
    if is_crd_hook(template) {
        linter.say(
            Severity::Warning,
            name,
            "manifest is a crd-install hook. This hook is no longer supported in v3 and all CRDs should also exist the \
             crds/ directory at the top level of the chart",
        );
    }
    if memmem::find(template, b".Release.Time").is_some() {
        linter.say(
            Severity::Error,
            name,
            ".Release.Time has been removed in v3, please replace with the `now` function in your templates",
        );
    }
}

/// Whether the annotation of the old hook stands somewhere.
fn is_crd_hook(template: &[u8]) -> bool {
    const KEY: &[u8] = b"helm.sh/hook";
    memmem::find_iter(template, KEY).any(|start| {
        let behind = template.get(start + KEY.len()..).unwrap_or_default();
        let behind = behind.strip_prefix(b"\"").unwrap_or(behind);
        let Some(value) = behind.strip_prefix(b":") else { return false };
        let blank =
            value.iter().take_while(|byte| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')).count();
        blank > 0 && value.get(blank..).is_some_and(|value| value.starts_with(b"crd-install"))
    })
}

#[cfg(test)]
mod tests {
    use super::is_crd_hook;

    #[test]
    fn the_old_hook_is_found_however_it_is_quoted() {
        for (text, is_found) in [
            ("helm.sh/hook: crd-install", true),
            ("\"helm.sh/hook\":\n  crd-install", true),
            ("helm.sh/hook:crd-install", false),
            ("helm.sh/hook: pre-install", false),
            ("helm.sh/hook-weight: crd-install", false),
        ] {
            assert_eq!(is_crd_hook(text.as_bytes()), is_found, "{text}");
        }
    }
}
