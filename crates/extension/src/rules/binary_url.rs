//! Programs are downloaded over https.

use trueline_diagnostic::{Code, Diagnostic, Severity};
use url::Url;

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0311",
    name: "binary-url",
    severity: Severity::Error,
    summary: "A program is not downloaded from an https URL",
    explanation: "A downloaded program is run. Over unencrypted HTTP anybody on the network path can replace it, \
                  so the address of a binary must be a full URL that begins with `https://`, without a user name \
                  or password. The rule looks at `install.url` and at `install.binary.downloads[].source.url`; for \
                  a source of type `github-release`, `owner/repository` is enough.",
    wrong: "install:\n  method: binary\n  url: http://example.com/tool.tar.gz\n",
    right: "install:\n  method: binary\n  url: https://example.com/tool.tar.gz\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for install in subject.installs() {
        if let Some(field) = install.section.get("url") {
            findings.extend(check_url(&field));
        }
        for download in install.section.items_at("binary/downloads") {
            let Some(source) = download.get("source") else { continue };
            let Some(field) = source.get("url") else { continue };
            let release = source.text_at("type") == Some("github-release");
            if !(release && field.text().is_some_and(is_repository)) {
                findings.extend(check_url(&field));
            }
        }
    }
}

fn check_url(field: &Field<'_>) -> Option<Diagnostic> {
    let text = field.text()?;
    // Browsers correct mistakes that a download does not: a missing slash, white space, backslashes.
    let mended = text.get(..8).is_none_or(|start| !start.eq_ignore_ascii_case("https://"))
        || text.contains(|character: char| character.is_whitespace() || character == '\\')
        || text.get(8..).is_some_and(|rest| rest.starts_with('/'));
    if mended && Url::parse(text).is_ok_and(|url| url.scheme() == "https") {
        let finding = field.finding(&CODE, format!("invalid URL{}", shown(text, " ")));
        return Some(finding.help("write a full URL that begins with `https://` and a host"));
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            let message = format!("invalid URL{}: {error}", shown(text, " "));
            return Some(field.finding(&CODE, message).help("write a full URL that begins with `https://`"));
        }
    };
    if !url.username().is_empty() || url.password().is_some() {
        let finding = field.finding(&CODE, "a binary URL must not contain a user name or password");
        return Some(finding.help("remove the credentials from the manifest"));
    }
    if url.scheme() != "https" {
        let finding = field.finding(&CODE, format!("a binary URL must use https{}", shown(text, ": ")));
        return Some(match text.strip_prefix("http://") {
            Some(rest) => {
                let secure = format!("https://{rest}");
                field.offer(finding, &secure).help(format!("write `{secure}`"))
            }
            None => finding.help("write a full URL that begins with `https://`"),
        });
    }
    None
}

/// The URL to show, unless it may hold a password.
fn shown(text: &str, before: &str) -> String {
    if text.contains('@') { String::new() } else { format!("{before}`{text}`") }
}

fn is_repository(text: &str) -> bool {
    text.split_once('/').is_some_and(|(owner, name)| {
        [owner, name].iter().all(|part| {
            !part.is_empty()
                && part.chars().all(|character| {
                    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn https_passes() {
        Bench::new(check).accepts(&[
            "install: {method: binary, url: 'https://example.com/tool.tar.gz'}",
            "install: {method: binary, url: 'https://example.com/v${VERSION}/{os}.zip?x=1'}",
            "install: {binary: {downloads: [{name: a, source: {type: direct-url, url: 'https://a.b/c'}}]}}",
            "install: {binary: {downloads: [{name: a, source: {type: github-release, url: cli/cli}}]}}",
            "install: {binary: {downloads: [{name: a, source: {type: github-release, url: 'https://github.com/cli/cli'}}]}}",
            "install: {method: binary, url: 5}",
            "install: {binary: {downloads: [{name: a}, {source: {type: direct-url}}]}}",
        ]);
    }

    #[test]
    fn others_are_reported_at_the_url() {
        Bench::new(check).rejects(&[
            (
                "install: {method: binary, url: «'http://example.com/x'»}",
                "a binary URL must use https: `http://example.com/x`",
            ),
            ("install:\n  method: binary\n  url: «ftp://example.com/x»\n", "must use https"),
            ("install: {method: binary, url: «example.com/x»}", "invalid URL `example.com/x`: relative URL without a base"),
            ("install: {method: binary, url: «'https:example.com/x'»}", "invalid URL `https:example.com/x`"),
            ("install: {method: binary, url: «'https:///example.com/x'»}", "invalid URL `https:///example.com/x`"),
            ("install: {method: binary, url: «'https://example.com/a b'»}", "invalid URL `https://example.com/a b`"),
            ("install: {method: binary, url: «'https://'»}", "invalid URL `https://`: empty host"),
            ("install: {method: binary, url: «'file:///etc/passwd'»}", "must use https"),
            (
                "install: {method: binary, url: «'https://me:secret@example.com/x'»}",
                "a binary URL must not contain a user name or password",
            ),
            ("install: {method: binary, url: «'me:secret@host'»}", "a binary URL must use https"),
            (
                "install: {binary: {downloads: [{name: a, source: {type: direct-url, url: «cli/cli»}}]}}",
                "invalid URL `cli/cli`",
            ),
            (
                "install: {binary: {downloads: [{name: a, source: {type: github-release, url: «'http://github.com/a/b'»}}]}}",
                "must use https",
            ),
            (
                "install: {hybrid: {steps: [{method: binary, binary: {downloads: [{source: {type: github-release, url: «'a b/c'»}}]}}]}}",
                "invalid URL `a b/c`",
            ),
        ]);
    }

    #[test]
    fn a_password_is_not_shown() {
        let findings = Bench::new(check).findings("install: {method: binary, url: '//me:hunter2@host'}");
        assert_eq!(findings[0].message, "invalid URL: relative URL without a base");
        let findings = Bench::new(check).findings("install: {method: binary, url: 'http://a.b/c'}");
        assert_eq!(findings[0].help.as_deref(), Some("write `https://a.b/c`"));
    }
}
