//! Secrets are never shown. What is secret is known where texts are read and charts are rendered; it is noted in the
//! sources that findings point into, and taken out of what is said of it.
//!
//! Nothing is looked for in texts that there is nothing to say of, other than the Secrets that charts render: where their
//! data was typed is known only while the documents are there.

mod arguments;
mod document;
mod lines;
mod rendered;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use trueline_diagnostic::{Diagnostic, credentials_in, is_about_secret, secret_in_flag};
use trueline_helm::usage::SHADOWED_VALUE;
use trueline_source::{Source, SourceId, SourceKind, SourceMap, Span};
use trueline_yaml::Stream;

pub(crate) use rendered::of_documents;

/// The byte ranges of a file that are secret.
#[derive(Debug, Default)]
struct SecretRanges {
    /// The data of Secrets.
    data: Vec<Range<u32>>,
    /// What is named like a secret, and credentials of addresses.
    named: Vec<Range<u32>>,
    /// What commands and connection strings pass on.
    passed: Vec<Range<u32>>,
}

impl SecretRanges {
    fn add(&mut self, other: SecretRanges) {
        self.data.extend(other.data);
        self.named.extend(other.named);
        self.passed.extend(other.passed);
    }

    fn all(self) -> impl Iterator<Item = Range<u32>> {
        self.data.into_iter().chain(self.named).chain(self.passed)
    }
}

/// Keeps secrets in the texts that findings point into from being shown, and takes them out of what the findings say.
/// `known` are places in files and flags that ended up in a Secret.
pub fn hide(findings: &mut [Diagnostic], known: &[Span], sources: &SourceMap) {
    if findings.is_empty() {
        return;
    }
    let mut touched: BTreeMap<SourceId, Vec<Range<u32>>> =
        findings.iter().flat_map(places).map(|span| (span.source, Vec::new())).collect();
    let mut known = known.to_vec();
    // Each text is read by itself, and a chart's findings may point into many.
    let found: Vec<Option<SecretRanges>> = touched
        .par_iter()
        .map(|(&id, _)| {
            let source = sources.get(id);
            source.hidden().is_none().then(|| search(id, &source))
        })
        .collect();
    for ((&id, ranges), found) in touched.iter_mut().zip(found) {
        if let Some(found) = found {
            // Of a rendered text that can be read, its origins are known.
            known.extend(rendered::origins(id, &found.data, sources));
            known.extend(rendered::origins(id, &found.passed, sources));
            ranges.extend(found.all());
        }
    }
    // What a secret replaces was one as well.
    let is_known = |place: Span, known: &[Span]| {
        known
            .iter()
            .any(|span| span.source == place.source && span.start < place.end && place.start < span.end)
    };
    for finding in findings.iter().filter(|finding| finding.code == &SHADOWED_VALUE) {
        if places(finding).any(|place| is_known(place, &known)) {
            known.extend(places(finding));
        }
    }
    // A flag is a source of its own for each set of values.
    let text_of_flag = |id: SourceId| {
        let source = sources.get(id);
        matches!(source.kind(), SourceKind::Flag).then(|| Arc::clone(source.text()))
    };
    let flags: Vec<(SourceId, Arc<str>)> =
        touched.keys().filter_map(|&id| text_of_flag(id).map(|text| (id, text))).collect();
    let mut values: BTreeMap<SourceId, Vec<Span>> = BTreeMap::new();
    known.iter().for_each(|span| values.entry(span.source).or_default().push(*span));
    for (&id, ranges) in &mut touched {
        ranges.extend(rendered::made_of(&sources.get(id), &values));
    }
    let texts = words::known(&known, sources);
    for span in known {
        let text = if flags.is_empty() { None } else { text_of_flag(span.source) };
        let same = flags.iter().filter(|(_, flag)| text.as_ref() == Some(flag)).map(|(id, _)| *id);
        for id in same.chain([span.source]) {
            if let Some(ranges) = touched.get_mut(&id) {
                ranges.push(span.start..span.end);
            }
        }
    }
    for (id, ranges) in touched {
        if !ranges.is_empty() || sources.get(id).hidden().is_none() {
            sources.hide(id, ranges);
        }
    }
    findings.iter_mut().for_each(|finding| words::clean(finding, &texts, sources));
}

/// Notes the secrets of a file that was just read, which saves reading it again for them.
pub(crate) fn note(id: SourceId, source: &Source, stream: &Stream, sources: &SourceMap) {
    let found = in_file(source, stream);
    sources.hide(id, found.all().collect());
}

/// All places that a finding points at.
fn places(finding: &Diagnostic) -> impl Iterator<Item = Span> {
    let related = finding.related.iter().map(|label| label.span);
    let trace = finding.trace.iter().map(|frame| frame.span);
    let edits = finding.fix.iter().flat_map(|fix| fix.edits.iter().map(|edit| edit.span));
    std::iter::once(finding.primary.span).chain(related).chain(trace).chain(edits)
}

/// The secrets in a file.
fn search(id: SourceId, source: &Source) -> SecretRanges {
    let text = source.text();
    match source.kind() {
        SourceKind::Embedded => SecretRanges::default(),
        SourceKind::Flag => {
            let mut found = SecretRanges::default();
            found.named.extend(secret_in_flag(text).map(|start| range(start..text.len())));
            found.named.extend(credentials(text));
            found.passed.extend(arguments::in_text(text).into_iter().map(range));
            found
        }
        _ if !may_hold(text) => SecretRanges::default(),
        _ => in_file(source, &crate::unit::read(id, source)),
    }
}

/// The secrets in a file that was read.
fn in_file(source: &Source, stream: &Stream) -> SecretRanges {
    let mut found = SecretRanges::default();
    let text = source.text();
    let last = stream.documents.len().saturating_sub(1);
    for (index, document) in stream.documents.iter().enumerate() {
        let after = if index == last { &*stream.comments } else { &[] };
        found.add(document::search(document, text, after));
    }
    let is_template = source.name().contains("/templates/") && text.contains("{{");
    if is_template || !stream.errors.is_empty() {
        found.add(lines::search(text));
    }
    if is_template {
        found.data = rendered::without_actions(text, found.data);
        found.named = rendered::without_actions(text, found.named);
        found.passed = rendered::without_actions(text, found.passed);
        found.named.extend(rendered::named_in_actions(text));
    }
    found.named.extend(credentials(text));
    found
}

/// The credentials of addresses in a file.
fn credentials(text: &str) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(credentials) = text.get(from..).and_then(credentials_in) {
        found.push(range(from + credentials.start..from + credentials.end));
        from += credentials.end;
    }
    found
}

fn range(range: Range<usize>) -> Range<u32> {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    offset(range.start)..offset(range.end)
}

/// Whether a field holds what the name beside it names, be it misspelt.
fn is_value_field(name: &str) -> bool {
    name.starts_with(['v', 'V']) && trueline_diagnostic::nearest(name, ["value"]).is_some()
}

/// Whether a field holds labels, as of an object or in the values of a chart.
fn is_labels(name: &str) -> bool {
    name == "labels" || name.ends_with("Labels")
}

/// Fields that say where a secret is, and not what it is.
const REFERENCES: &[&str] =
    &["name", "secretName", "namespace", "kind", "apiVersion", "optional", "items", "audience", "sources"];

/// Whether a field in something that is named like a secret is no secret itself, be it misspelt: it leads to one, or says
/// something about it.
fn is_open_below(name: &str) -> bool {
    is_about_secret(name)
        || REFERENCES.contains(&name)
        || trueline_diagnostic::nearest(name, REFERENCES.iter().copied()).is_some()
}

/// What stands in every text that holds something secret, in lower case.
const SIGNS: &[&str] = &[
    "secret",
    "stringdata",
    "pas",
    "word",
    "phrase",
    "pwd",
    "token",
    "cred",
    "dential",
    "key",
    "authorization",
    "bearer",
    "cookie",
    "basic",
    "mysql",
    "mariadb",
    "redis-cli",
    "curl",
    "last-applied-configuration",
    "@",
];

/// Whether a file may hold a secret: a cheap test before the expensive search.
pub(crate) fn may_hold(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| memchr::memmem::find(lower.as_bytes(), sign.as_bytes()).is_some())
        // Two letters outside of ASCII are lower-case letters of it.
        || text.contains(['\u{212a}', '\u{130}'])
}

/// The fields of a Secret that are not secret. All others may be: a name can be misspelt.
fn is_open_field(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata" | "type" | "immutable")
}

/// Where kubectl keeps a copy of the whole object.
const LAST_APPLIED: &str = "/last-applied-configuration";

#[cfg(test)]
mod tests {
    use super::*;

    /// A message with what is hidden left out.
    fn shown(name: &str, kind: SourceKind, text: &str) -> String {
        let sources = SourceMap::new();
        let id = sources.add(name, kind, text);
        let found = search(id, &sources.get(id));
        sources.hide(id, found.all().collect());
        let mut shown = String::new();
        let mut from = 0;
        for hidden in sources.get(id).hidden_in(0..text.len()) {
            shown.push_str(&text[from..hidden.start]);
            shown.push('*');
            from = hidden.end;
        }
        shown + &text[from..]
    }

    #[test]
    fn secrets_are_found_in_any_layout() {
        for (text, expected) in [
            ("kind: Secret\ndata:\n  user: hunter2\n", "kind: Secret\ndata:\n  user: *\n"),
            ("data: {user: hunter2, b: x}\nkind: \"Secret\"\n", "data: {user: *, b: *}\nkind: \"Secret\"\n"),
            (
                "{kind: Secret, stringData: {a: hunter2}, type: T}",
                "{kind: Secret, stringData: {a: *}, type: T}",
            ),
            (
                "kind: Secret\nstringData: {\na: hunter2,\nb: [x,\ny]}\n",
                "kind: Secret\nstringData: {\na: *,\nb: *}\n",
            ),
            (
                "{\"data\":{\"u\":\"hunter2\"},\"kind\":\"Secret\"}",
                "{\"data\":{\"u\":*},\"kind\":\"Secret\"}",
            ),
            (
                "kind: Secret\ndatas: hunter2\nmetadata: {name: x}\n",
                "kind: Secret\ndatas: *\nmetadata: {name: x}\n",
            ),
            ("kind: &k Secret\ndata: {a: x}\n", "kind: &k Secret\ndata: {a: *}\n"),
            ("kind: !!str Secret\ndata: {a: x}\n", "kind: !!str Secret\ndata: {a: *}\n"),
            ("kind: secret\ndata: {a: x}\n", "kind: secret\ndata: {a: *}\n"),
            ("kind: Secrte\nstringData: {a: x}\n", "kind: Secrte\nstringData: {a: *}\n"),
            ("kind: Secret\ndata: {a: {hunter2: x}}\n", "kind: Secret\ndata: {a: *}\n"),
            (
                "kind: Secret\nstringData:\n  f: |\n    a\n    b\ntype: T\n",
                "kind: Secret\nstringData:\n  f: *type: T\n",
            ),
            (
                "x: &a hunter2\ny: &d {b: x}\nkind: Secret\ndata: {u: *a, <<: *d}\n",
                "x: &a *\ny: &d {b: *}\nkind: Secret\ndata: {u: *a, <<: *d}\n",
            ),
            (
                "- &s {kind: Secret, data: {a: x}}\n- {<<: *s, data: {a: y}}\n- {<<: [*s], type: T}\n",
                "- &s {kind: Secret, data: {a: *}}\n- {<<: *s, data: {a: *}}\n- {<<: [*s], type: T}\n",
            ),
            (
                "kind: SecretList\nitems:\n- data: {a: x}\n- kind: ConfigMap\n  data: {a: x}\n",
                "kind: SecretList\nitems:\n- data: {a: *}\n- kind: ConfigMap\n  data: {a: x}\n",
            ),
            (
                "kind: List\nitems: [{kind: Secret, data: {a: x}}]\n",
                "kind: List\nitems: [{kind: Secret, data: {a: *}}]\n",
            ),
            (
                "kind: Secret\ndata:\n  # was hunter2\n  a: eA== # x\n# y\n",
                "kind: Secret\ndata:\n  *\n  a: * *\n*\n",
            ),
            ("dbPassword: hunter2 # x\nb: c # d\n", "dbPassword: * *\nb: c # d\n"),
            ("a: 1\n# password: hunter2\n", "a: 1\n# password: *\n"),
            ("a: {token: hunter2, b: c}\n", "a: {token: *, b: c}\n"),
            ("annotations: {token: hunter2, b: c}\n", "annotations: {token: *, b: c}\n"),
            ("token:\n- hunter2\n- {a: b, name: c}\n", "token:\n- *\n- {a: *, name: c}\n"),
            ("- name: DB_PASSWORD\n  value: hunter2\n", "- name: DB_PASSWORD\n  value: *\n"),
            ("k8s.io/last-applied-configuration: |\n  {}\n", "k8s.io/last-applied-configuration: *"),
            ("url: https://me:hunter2@host/x\n", "url: https://*@host/x\n"),
            ("args: [--password=hunter2, -x]\n", "args: [--password=*, -x]\n"),
            ("args:\n- --password\n- hunter2\n- x\n", "args:\n- --password\n- *\n- x\n"),
            ("command: [sh, -c, 'TOKEN=hunter2 run']\n", "command: [sh, -c, 'TOKEN=* run']\n"),
            ("dsn: Server=h;Password=hunter2;X=1\n", "dsn: Server=h;Password=*;X=1\n"),
            ("run: |\n  a\n  mysql -phunter2 -e x\n", "run: |\n  a\n  mysql -p* -e x\n"),
            ("credentials: {user: hunter2, enabled: true}\n", "credentials: {user: *, enabled: true}\n"),
        ] {
            assert_eq!(shown("a.yaml", SourceKind::File, text), expected);
        }
    }

    #[test]
    fn templates_show_actions_and_hide_texts() {
        for (text, expected) in [
            (
                "kind: Secret\nstringData:\n  password: {{ .Values.password | quote }}\n",
                "kind: Secret\nstringData:\n  password: {{ .Values.password | quote }}\n",
            ),
            (
                "kind: Secret\nstringData:\n  a: x {{ .Values.a }} y\n",
                "kind: Secret\nstringData:\n  a: *{{ .Values.a }}*\n",
            ),
            (
                "kind: Secret\nstringData: { token: \"abc{{ .x }}\", b: {{ .y }}, c: d } # was e\n",
                "kind: Secret\nstringData: { token: *{{ .x }}*, b: {{ .y }}, c: * }*\n",
            ),
            (
                "kind: Secret\ndata:\n  a: {{ \"x\" | b64enc }}\n  b: {{ .Values.b | default \"y\" }}\n",
                "kind: Secret\ndata:\n  a: {{ * | b64enc }}\n  b: {{ .Values.b | default * }}\n",
            ),
            (
                "- name: DB_PASSWORD\n  value: \"x{{ .Values.y }}\"\n",
                "- name: DB_PASSWORD\n  value: *{{ .Values.y }}*\n",
            ),
            ("{{ $password := \"x\" }}\na: {{ .b }}\n", "{{ $password := * }}\na: {{ .b }}\n"),
            ("a: {{ .Values.password | default \"x\" }}\n", "a: {{ .Values.password | default * }}\n"),
        ] {
            assert_eq!(shown("c/templates/a.yaml", SourceKind::File, text), expected);
        }
    }

    #[test]
    fn no_name_of_a_secret_is_overlooked() {
        let words = "pasword apssword passwrod crednetials password passwords passwd passphrase pwd secret secrets token tokens credential credentials apikey \
                     apikeys privatekey authorization bearer cookie apiKey access_keys";
        for word in words.split(' ').flat_map(|word| [word.to_owned(), format!("é.{}", word.to_uppercase())])
        {
            assert!(trueline_diagnostic::is_secret_name(&word) && may_hold(&word), "{word}");
        }
        assert!(!may_hold("a: b\n"));
    }

    #[test]
    fn what_is_no_secret_is_shown() {
        for text in [
            "kind: ConfigMap\ndata:\n  user: hunter2\n",
            "kind: Secret\n---\ndata:\n  user: hunter2\n",
            "kind: Secret\ntype: Opaque\nimmutable: true\nmetadata:\n  name: hunter2\n",
            "secretKeyRef: {name: hunter2, key: k}\n",
            "volumes:\n- secret: {secretName: hunter2, defaultMode: 420}\n",
            "imagePullSecrets:\n- name: hunter2\n",
            "imagePullSecrets: [{nam: hunter2}]\n",
            "imagePullSecrets: [hunter2]\n",
            "sources: [{serviceAccountToken: {expirationSeconds: 5, path: x, audience: y}}]\n",
            "volumes: [{secret: {secretName: x, defaultMode: 5, items: [{key: a, path: b, mode: 6}]}}]\n",
            "secret: {name: hunter2, optional: true}\n",
            "valueFrom: {secretKeyRef: {name: a, key: hunter2}}\n",
            "kind: Secret\ndata:\n  hunter2:\n",
            "args: [--password, $(DB_PASSWORD), --token-file=/x]\n",
            "tokenRequests: [{audience: a, expirationSeconds: 5}]\n",
            "tokenizer: hunter2\n",
            "metadata: {labels: {token: hunter2}}\n",
            "podLabels:\n  token: \"bad val!\"\n",
            "properties:\n  password: {type: string, maxLength: 5}\n",
        ] {
            assert_eq!(shown("a.yaml", SourceKind::File, text), text);
        }
    }

    #[test]
    fn texts_that_cannot_be_read_hide_rather_too_much() {
        for (text, expected) in [
            (
                "kind: Secret\nmetadata:\n  name: x\nstringData:\n  a: hunter2\n  b: [x\ntype: T\n",
                "kind: Secret\nmetadata:\n  name: x\nstringData:\n  a: *\n  b: *\ntype: T\n",
            ),
            (
                "kind: Secret\nstringData: {\na: hunter2,\n\"b\" hunter2\n",
                "kind: Secret\nstringData: *\na: *\n*\n",
            ),
            ("{kind: Secret, data: {a: hunter2", "{kind: Secret*"),
            ("kind: SecretList\nitems:\n- data: {a: x\n", "kind: SecretList\nitems:\n- data: *\n"),
            ("a: b\n---\nkind: Secret\n---\ndata: [x\n", "a: b\n---\nkind: Secret\n---\ndata: *\n"),
            ("kind: Secret\n---\nkind: A\ndata: [x\n", "kind: Secret\n---\nkind: A\ndata: [x\n"),
            ("- {name: DB_PASSWORD, value: hunter2\n", "- {name: DB_PASSWORD, value: *\n"),
            ("{\"kind\":{{ \"Secret\", \"data\": \"hunter2\"\n", "{\"kind\":*\n"),
            ("a: [\n{password: hunter2\n", "a: [\n{password: *\n"),
            ("a: [\npassword: |\n  hunter2\nb: c\n", "a: [\npassword: *\n  *\nb: c\n"),
            ("a: [\ntoken:\n- hunter2\nb: c\n", "a: [\ntoken:\n- *\nb: c\n"),
            ("a: [\n- name: DB_PASSWORD\n  value: hunter2\n", "a: [\n- name: DB_PASSWORD\n  value: *\n"),
        ] {
            assert_eq!(shown("a.yaml", SourceKind::File, text), expected);
        }
    }

    #[test]
    fn actions_of_templates_are_shown_without_their_texts() {
        for (text, expected) in [
            (
                "kind: Secret\ndata:\n  {{- if .Values.x }}\n  a: {{ .Values.pw | default \"hunter2\" }}x\n  {{ end }}\n",
                "kind: Secret\ndata:\n  {{- if .Values.x }}\n  a: {{ .Values.pw | default * }}*\n  {{ end }}\n",
            ),
            ("stringData:\n  a: hunter2 {{ .Values.b }}\n", "stringData:\n  a: *{{ .Values.b }}\n"),
            ("password: {{ \"hunter2\" }}\nb: {{ \"x\" }}\n", "password: {{ * }}\nb: {{ \"x\" }}\n"),
            ("token: {{ .Values.a | quote }}\n", "token: {{ .Values.a | quote }}\n"),
            (
                "v: [{secret: {secretName: {{ .Values.a }}, defaultMode: 99}}]\n",
                "v: [{secret: {secretName: {{ .Values.a }}, defaultMode: 99}}]\n",
            ),
            ("secret: {name: x, b: hunter2}\nc: {{ x }}\n", "secret: {name: x, b: *}\nc: {{ x }}\n"),
            ("imagePullSecrets: [{nam: {{ .Values.x }}}]\n", "imagePullSecrets: [{nam: {{ .Values.x }}}]\n"),
            ("args: [--password=hunter2, {{ .x }}]\n", "args: [--password=*, {{ .x }}]\n"),
            ("args: [--password={{ .x }}, a]\n", "args: [--password={{ .x }}, a]\n"),
            (
                "secret:\n  secretName: x\n  items:\n  - key: a\n    path: {{ .x }}\n  b: hunter2\n",
                "secret:\n  secretName: x\n  items:\n  - key: a\n    path: {{ .x }}\n  b: *\n",
            ),
            (
                "env: [{name: DB_PASSWORD, valeu: hunter2}] {{ x }}\n",
                "env: [{name: DB_PASSWORD, valeu: *{{ x }}\n",
            ),
        ] {
            assert_eq!(shown("web/templates/a.yaml", SourceKind::File, text), expected);
        }
    }

    #[test]
    fn flags_are_shown_up_to_their_secrets() {
        for (text, expected) in [("a=1,token=hunter2", "a=1,token=*"), ("a=hunter2", "a=hunter2")] {
            assert_eq!(shown("--set", SourceKind::Flag, text), expected);
        }
    }

    #[test]
    fn aliases_are_followed_once() {
        let mut text = "a0: &a0 hunter2\n".to_owned();
        for level in 1..40 {
            text += &format!("a{level}: &a{level} [*a{}, *a{}]\n", level - 1, level - 1);
        }
        text += "kind: Secret\ndata: {a: *a39}\n";
        let shown = shown("a.yaml", SourceKind::File, &text);
        assert!(!shown.contains("hunter2") && shown.len() > 100, "{shown}");
    }
}
