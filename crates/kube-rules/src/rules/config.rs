//! ConfigMaps and Secrets: keys that can be names of files, and what typed Secrets have to hold.

use std::collections::BTreeSet;
use std::sync::Arc;
use trueline_kube_facts::{FieldPath, rules};

use trueline_gostd::json::json_fault;
use trueline_yaml::{Limits, NodeKind, ScalarValue, json};

use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::scalar::wrong_base64;

rules! {
    /// The configuration of Docker is not JSON.
    NOT_JSON_AT: Invalid, "secret/bad-json", "{}";
    /// A key is in both `data` and `binaryData`.
    DUPLICATE_KEY: Invalid, "config/duplicate-key", "duplicate of key present in binaryData";
    /// The configuration of Docker is not JSON of the right form.
    BAD_DOCKER_CONFIG: Invalid, "secret/bad-docker-config",
        "json: cannot unmarshal {} into Go value of type map[string]interface {}";
    /// The configuration is not well-formed JSON.
    NOT_JSON: Invalid, "secret/not-json", "it is not well-formed JSON";
}

/// At most this many bytes of data.
const LARGEST: usize = 1024 * 1024;

/// Types of Secrets and the keys that they must have.
const TYPED: &[(&str, &[&str])] = &[
    ("kubernetes.io/tls", &["tls.crt", "tls.key"]),
    ("kubernetes.io/dockerconfigjson", &[".dockerconfigjson"]),
    ("kubernetes.io/dockercfg", &[".dockercfg"]),
    ("kubernetes.io/ssh-auth", &["ssh-privatekey"]),
];

/// Checks `core.ConfigMap`.
pub(super) fn check(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (data, binary) = (object.child("data"), object.child("binaryData"));
    let keys: BTreeSet<_> = binary.entries().map(|(key, _)| key).collect();
    let mut size = 0_usize;
    for (key, value) in data.entries() {
        report_key(&key, &value, report);
        if keys.contains(&key) {
            report.refuse_key(&value, &key, &DUPLICATE_KEY);
        }
        size = size.saturating_add(value.text().map_or(0, str::len));
    }
    for (key, value) in binary.entries() {
        report_key(&key, &value, report);
        size = size.saturating_add(value.text().map_or(0, |text| text.len() / 4 * 3));
    }
    if size > LARGEST {
        report.too_long(object, LARGEST);
    }
}

/// Checks `core.Secret`.
pub(super) fn check_secret(object: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (data, plain) = (object.child("data"), object.child("stringData"));
    let mut size = 0_usize;
    for (key, value) in data.entries() {
        report_key(&key, &value, report);
        size = size.saturating_add(value.text().map_or(0, |text| text.len() / 4 * 3));
    }
    // What is given as text is moved into the data before the server looks.
    for (key, value) in plain.entries() {
        for complaint in syntax::config_key(&key) {
            report.refuse_key_at(FieldPath::of("data").key(&key), &value, &key, complaint);
        }
        size = size.saturating_add(value.text().map_or(0, str::len));
    }
    if size > LARGEST {
        report.too_long(&data, LARGEST);
    }
    let has = |key: &str| data.entries().chain(plain.entries()).any(|(name, _)| name == key);
    let kind = object.child("type");
    let Some(kind) = kind.text() else { return };
    if let Some((_, keys)) = TYPED.iter().find(|(name, _)| *name == kind) {
        for key in keys.iter().filter(|key| !has(key)) {
            report.missing_at(FieldPath::of("data").key(key), data.span());
        }
    }
    contents(kind, &data, &plain, report);
    if kind == "kubernetes.io/basic-auth" && !has("username") && !has("password") {
        for key in ["username", "password"] {
            report.missing_at(FieldPath::of("data").key(key), data.span());
        }
    }
    if kind == "kubernetes.io/service-account-token" {
        let metadata = object.child("metadata");
        let account = "kubernetes.io/service-account.name";
        let annotations = metadata.child("annotations");
        if annotations.entries().all(|(key, value)| key != account || value.is_empty()) {
            report.missing_at(FieldPath::of("metadata.annotations").key(account), annotations.span());
        }
    }
}

/// What the values of typed Secrets have to be; they are never repeated.
fn contents(kind: &str, data: &FieldPlace<'_, '_>, plain: &FieldPlace<'_, '_>, report: &mut Report) {
    let json_key = match kind {
        "kubernetes.io/dockerconfigjson" => ".dockerconfigjson",
        "kubernetes.io/dockercfg" => ".dockercfg",
        "kubernetes.io/ssh-auth" => "ssh-privatekey",
        _ => return,
    };
    let find = |map: &FieldPlace<'_, '_>| {
        let value = map.entries().find(|(key, _)| key == json_key).map(|(_, value)| value)?;
        Some((value.text().map(str::to_owned), value.span()))
    };
    // What is given as text counts more.
    let (text, span) = match (find(plain), find(data)) {
        (Some((Some(text), span)), _) => (text.into_bytes(), span),
        // What is no base64 was reported as such, and says nothing else.
        (None, Some((Some(text), span))) if wrong_base64(&text).is_none() => (syntax::base64(&text), span),
        _ => return,
    };
    let field = FieldPath::of("data").key(json_key);
    if kind == "kubernetes.io/ssh-auth" {
        if text.is_empty() {
            report.missing_at(field, span);
        }
        return;
    }
    if let Some(words) = json_fault(&text) {
        return report.refuse_hidden(field, span, NOT_JSON_AT.with(words));
    }
    let text: Arc<str> = String::from_utf8_lossy(&text).into();
    let found =
        match json::read(span.source, &text, Limits::default()).as_ref().map(|read| read.root().kind()) {
            Ok(NodeKind::Mapping { .. } | NodeKind::Scalar { value: ScalarValue::Null, .. }) => return,
            Ok(NodeKind::Sequence { .. }) => "array",
            Ok(NodeKind::Scalar { value: ScalarValue::String, .. }) => "string",
            Ok(NodeKind::Scalar { value: ScalarValue::Bool(_), .. }) => "bool",
            Ok(_) => "number",
            Err(_) => return report.refuse_hidden(field, span, &NOT_JSON),
        };
    report.refuse_hidden(field, span, BAD_DOCKER_CONFIG.with(found).and("{}"));
}

fn report_key(key: &str, value: &FieldPlace<'_, '_>, report: &mut Report) {
    for complaint in syntax::config_key(key) {
        report.refuse_key(value, key, complaint);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn config_maps() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n{}\n";
        bench.accepts_all(
            frame,
            &[
                "data: {a: b, A_b.c-d: ''}",
                "binaryData: {a: YQ==}",
                "data: null",
                "immutable: true",
                "data: {a: null}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("data: {a b: c}", "data[a b]: Invalid value: \"a b\": a valid config key"),
                ("data: {..: c}", "data[..]: Invalid value"),
                (
                    "data: {a: b}\nbinaryData: {a: YQ==}",
                    "data[a]: Invalid value: \"a\": duplicate of key present in binaryData",
                ),
                ("data: {a: 1}", "data[a]: WrongType(String, Number)"),
                ("data: {a: yes}", "data[a]: WrongType(String, Bool)"),
                ("binaryData: {a: '!'}", "binaryData[a]: Unreadable"),
                ("data: [a]", "data: WrongType(Map, List)"),
            ],
        );
    }

    #[test]
    fn keys_are_told_at_the_key_and_values_at_the_value() {
        let bench = Bench::new();
        let head = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: c}}\n");
        for (kind, rest, places) in [
            ("ConfigMap", "data: {bad key: x}", &["bad key"][..]),
            ("ConfigMap", "data: {a: x}\nbinaryData: {a: YQ==}", &["a"]),
            ("Secret", "data: {\"bad key\": YQ==}", &["\"bad key\""]),
            ("Secret", "stringData: {bad key: x}", &["bad key"]),
            // What is no base64 is not looked into.
            ("Secret", "type: kubernetes.io/tls\ndata: {tls.crt: a!, tls.key: ''}", &["a!"]),
            ("Secret", "type: kubernetes.io/dockerconfigjson\ndata: {.dockerconfigjson: a!}", &["a!"]),
        ] {
            assert_eq!(bench.places(&format!("{}{rest}\n", head(kind))), places, "{rest}");
        }
    }

    #[test]
    fn secrets() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\n{}\n";
        bench.accepts_all(
            frame,
            &[
                "data: {a: YQ==}",
                "stringData: {a: b}",
                "type: kubernetes.io/tls\ndata: {tls.crt: YQ==, tls.key: ''}",
                "type: kubernetes.io/basic-auth\nstringData: {username: a}",
                "type: Opaque",
                "type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: '{\"auths\": {}}'}",
                "type: kubernetes.io/dockerconfigjson\ndata: {.dockerconfigjson: e30=}",
                "type: kubernetes.io/ssh-auth\nstringData: {ssh-privatekey: a}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("data: {a: b}", "data[a]: Unreadable(Base64(0)"),
                ("data: {a b: YQ==}", "data[a b]: Invalid value: \"a b\""),
                ("type: kubernetes.io/tls\ndata: {tls.crt: YQ==}", "data[tls.key]: Required value"),
                ("type: kubernetes.io/dockerconfigjson", "data[.dockerconfigjson]: Required value"),
                ("type: kubernetes.io/dockerconfigjson\nstringData: {.dockerconfigjson: x}", "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for beginning of value"),
                ("type: kubernetes.io/dockerconfigjson\ndata: {.dockerconfigjson: W10=}", "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": json: cannot unmarshal array into Go value"),
                ("type: kubernetes.io/dockercfg\ndata: {.dockercfg: ''}", "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": unexpected end of JSON input"),
                ("type: kubernetes.io/ssh-auth\ndata: {ssh-privatekey: ''}", "data[ssh-privatekey]: Required value"),
                ("type: kubernetes.io/dockerconfigjson\ndata: {.dockerconfigjson: '{}'}", "data[.dockerconfigjson]: Unreadable"),
                ("stringData: {a: 5}", "stringData[a]: WrongType"),
            ],
        );
    }
}
