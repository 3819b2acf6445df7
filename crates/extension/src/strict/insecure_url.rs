//! Addresses without encryption.

use trueline_diagnostic::{Code, Diagnostic, Severity};
use url::{Host, Url};

use crate::field::Field;
use crate::manifest::Subject;

pub(crate) static CODE: Code = Code {
    id: "TL0344",
    name: "insecure-url",
    severity: Severity::Warning,
    summary: "An address uses unencrypted HTTP",
    explanation: "Over unencrypted HTTP anybody on the network path can read and change the traffic: the signing \
                  key of a package source, the packages, the page that a user opens. Local addresses are not \
                  reported. Only `--strict` reports these; the address of a binary must use https in any case.",
    wrong: "metadata:\n  name: tool\n  homepage: http://example.com\n",
    right: "metadata:\n  name: tool\n  homepage: https://example.com\n",
};

pub(crate) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let mut fields: Vec<Field<'_>> = Vec::new();
    fields.extend(subject.root.at("metadata/homepage"));
    for install in subject.installs() {
        for manager in ["apt", "dnf", "zypper"] {
            for repository in install.section.items_at(&format!("{manager}/repositories")) {
                fields.extend(["gpgKey", "baseUrl"].iter().filter_map(|name| repository.get(name)));
            }
        }
    }
    for tool in subject.root.items_at("bom/tools") {
        fields.extend(["homepage", "downloadUrl"].iter().filter_map(|name| tool.get(name)));
    }
    for field in fields {
        let Some(text) = field.text() else { continue };
        if is_insecure(text) {
            let finding = field.finding(&CODE, "the address uses unencrypted HTTP");
            findings.push(finding.help("use `https://` if the server supports it"));
        }
    }
}

fn is_insecure(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    };
    matches!(url.scheme(), "http" | "ftp") && !local
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn encrypted_and_local_addresses_pass() {
        Bench::new(check).accepts(&[
            "metadata: {homepage: 'https://example.com'}",
            "metadata: {homepage: 'http://localhost:3000'}",
            "metadata: {homepage: 'http://127.0.0.1/x'}\nbom: {tools: [{homepage: 'http://[::1]/'}]}",
            "metadata: {homepage: example}",
            "bom: {tools: [{name: a, homepage: 'https://a.b', downloadUrl: 5}]}",
            "metadata: {homepage: 'mailto:a@b.c'}",
        ]);
    }

    #[test]
    fn unencrypted_http_is_reported() {
        Bench::new(check).rejects(&[
            ("metadata: {homepage: «'http://example.com'»}", "the address uses unencrypted HTTP"),
            ("metadata:\n  homepage: «ftp://example.com»\n", "unencrypted HTTP"),
            (
                "bom: {tools: [{homepage: «'http://www.xrdp.org'», downloadUrl: «'http://a.b/c'»}]}",
                "unencrypted HTTP",
            ),
            (
                "install: {apt: {repositories: [{gpgKey: «'http://a.b/key'», sources: deb}]}}",
                "unencrypted HTTP",
            ),
            (
                "install: {hybrid: {steps: [{dnf: {repositories: [{baseUrl: «'http://10.0.0.1/'»}]}}]}}",
                "unencrypted HTTP",
            ),
        ]);
    }
}
