//! ConfigMaps and Secrets that say of themselves that they never change.

use std::collections::BTreeMap;
use trueline_kube_facts::{FieldPath, rules};

use super::{Change, Update};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::syntax::base64;

rules! {
    /// What is immutable stays so.
    NO_LONGER_IMMUTABLE: Forbidden, "config/no-longer-immutable", WORDS;
    /// What is immutable cannot be changed.
    IMMUTABLE: Forbidden, "config/immutable", WORDS;
}

/// How many keys are named.
const MOST: usize = 50;

const WORDS: &str = "field is immutable when `immutable` is set";

/// Checks the update of a ConfigMap or a Secret.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    if !old.child("immutable").is_true() {
        return;
    }
    let is_secret = update.kind.kind == "Secret";
    let (flag, old_flag) = (new.child("immutable"), old.child("immutable"));
    let is_kept = update.leaves(&flag, &["immutable"]);
    if !flag.is_true() && !is_kept {
        report.changed(FieldPath::of("immutable"), &NO_LONGER_IMMUTABLE, Change::of(&flag, &old_flag));
    }
    let names: &[&'static str] = if is_secret { &["data"] } else { &["data", "binaryData"] };
    for name in names {
        let (data, old_data) = (contents(new, name, is_secret), contents(old, name, is_secret));
        let differs = |key: &&String| data.get(*key) != old_data.get(*key);
        let gone = old_data.keys().filter(|key| !data.contains_key(*key));
        let keys = data.keys().chain(gone).filter(differs).take(MOST);
        let changes = keys.map(|key| {
            let place = |object: &FieldPlace<'_, '_>| {
                entry(object, key, if is_secret { &["stringData", "data"] } else { names })
            };
            let (field, span) = place(new).unwrap_or_else(|| (FieldPath::of(name), new.child(name).span()));
            let before = place(old).map_or_else(|| old.child(name).span(), |(_, span)| span);
            // What a Secret holds is never repeated.
            Change { field, value: None, place: span, old: before, further: Vec::new() }
        });
        // A map without keys is not the same as none. What is stored is never one without keys.
        let map = new.child(name);
        let is_emptied = data.is_empty() && old_data.is_empty() && !map.is_absent();
        let change = match is_emptied {
            true => Some(Change { value: None, ..Change::of(&map, &old.child(name)) }),
            false => Change::joined(changes),
        };
        if let Some(change) = change {
            report.changed(FieldPath::of(name), &IMMUTABLE, change);
        }
    }
}

/// What is stored under each key: text that is given as such is encoded before it is kept.
fn contents(object: &FieldPlace<'_, '_>, name: &'static str, is_secret: bool) -> BTreeMap<String, Vec<u8>> {
    let data = object.child(name);
    let is_encoded = is_secret || name == "binaryData";
    let bytes = |text: &str| if is_encoded { base64(text) } else { text.as_bytes().to_vec() };
    let mut contents: BTreeMap<String, Vec<u8>> = data
        .entries()
        .map(|(key, value)| (key.into_owned(), bytes(value.text().unwrap_or_default())))
        .collect();
    if is_secret {
        let plain = object.child("stringData");
        for (key, value) in plain.entries() {
            contents.insert(key.into_owned(), value.text().unwrap_or_default().as_bytes().to_vec());
        }
    }
    contents
}

/// The path and the place of a key in one of these maps.
fn entry(
    object: &FieldPlace<'_, '_>,
    key: &str,
    names: &[&'static str],
) -> Option<(FieldPath, trueline_source::Span)> {
    names.iter().find_map(|name| {
        let map = object.child(name);
        let found = map.entries().find(|(other, _)| other == key);
        found.map(|(_, value)| (value.path(), value.span()))
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn immutable_data() {
        let bench = Bench::new();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\nimmutable: true\ndata: {a: b}\n";
        bench.updates(map, map, &[]);
        bench.updates(map, &map.replace("{name: c}", "{name: c, labels: {x: z}}"), &[]);
        let mutable = map.replace("immutable: true\n", "");
        bench.updates(&mutable, &map.replace("a: b", "a: c"), &[]);
        let words = "Forbidden: field is immutable when `immutable` is set";
        bench.updates(map, &map.replace("a: b", "a: c"), &[&format!("«c» data[a] (was «b») data: {words}")]);
        let two = map.replace("{a: b}", "{a: b, c: d, e: f}");
        bench.updates(
            &two,
            &two.replace("{a: b, c: d, e: f}", "{a: x, c: w}"),
            &[&format!("«x» data[a] (was «b») data: {words} + «w» `data[c]` changed, too + «data» `data` changed, too")],
        );
        bench.updates(map, &map.replace("{a: b}", "{}"), &[&format!("«data» data (was «b») data: {words}")]);
        bench.updates(map, &mutable, &[&format!("«ConfigMap» immutable (was «true») immutable: {words}")]);
        bench.updates(
            map,
            &format!("{map}binaryData: {{c: YQ==}}\n"),
            &[&format!("«YQ==» binaryData[c] (was «ConfigMap») binaryData: {words}")],
        );
        bench.updates(
            map,
            &format!("{map}binaryData: {{}}\n"),
            &[&format!("«binaryData» binaryData (was «ConfigMap») binaryData: {words}")],
        );
        bench.updates(map, &format!("{map}binaryData: null\n"), &[]);
        // What a cluster has stays where a manifest says nothing of it, but a null removes it.
        let stored = map.replace("{name: c}", "{name: c, uid: u}");
        bench.updates(&stored, &mutable, &[]);
        bench.updates(
            &stored,
            &map.replace("immutable: true", "immutable: null"),
            &[&format!("«immutable» immutable (was «true») immutable: {words}")],
        );
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: c}\nimmutable: true\ndata: {a: YQ==}\n";
        bench.updates(secret, &secret.replace("data: {a: YQ==}", "stringData: {a: a}"), &[]);
        bench.updates(
            secret,
            &secret.replace("data: {a: YQ==}", "stringData: {a: b}"),
            &[&format!("«b» stringData[a] (was «YQ==») data: {words}")],
        );
    }
}
