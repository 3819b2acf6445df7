//! What identifies an object, that only deleting it deletes it, and what it may still be given while that goes on.

use trueline_kube_facts::object_meta::ObjectMeta;
use trueline_kube_facts::{Breach, Trail, common};
use trueline_yaml::Value;

use super::Change;
use crate::place::FieldPlace;
use crate::problem::Report;

/// The fields whose change only an update shows; all else is checked as in a new object.
const FIELDS: [&str; 2] = ["finalizers", "uid"];

/// Checks the metadata of an update.
pub(super) fn check(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, report: &mut Report) {
    let (metadata, old_metadata) = (new.child("metadata"), old.child("metadata"));
    let read = |place: &FieldPlace<'_, '_>| {
        place.node().map(|node| ObjectMeta::read(&Value::from_node(node))).unwrap_or_default()
    };
    let (meta, old_meta) = (read(&metadata), read(&old_metadata));
    for error in meta.validate_update(&old_meta, &Trail::root("metadata", None)) {
        let Some(field) = FIELDS.iter().find(|field| error.field.ends_with(&["metadata", field])) else {
            continue;
        };
        let mut change = Change::of(&metadata.child(field), &old_metadata.child(field));
        // A manifest has no identity that another could differ from.
        if *field == "uid" && old_meta.uid.is_empty() {
            continue;
        }
        change.value.clone_from(&error.value);
        report.changed(error.field, Breach { rule: error.rule, detail: error.detail }, change);
    }
    deletion(&metadata, &old_metadata, report);
}

/// Deleting an object is a request of its own. What it says stays; only how much time is left is compared.
fn deletion(metadata: &FieldPlace<'_, '_>, old_metadata: &FieldPlace<'_, '_>, report: &mut Report) {
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        let (new, old) = (metadata.child(field), old_metadata.child(field));
        let is_same = new.is_absent() || (!old.is_absent() && new.integer() == old.integer());
        if !is_same {
            report.changed(new.path(), &common::IMMUTABLE, Change::of(&new, &old));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn identity() {
        let bench = Bench::new();
        let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, uid: a, generation: 3}\n";
        bench.updates(
            object,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\n",
            &[],
        );
        bench.updates("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", object, &[]);
        bench.updates(
            object,
            &object.replace("uid: a", "uid: b"),
            &["«b» metadata.uid (was «a») metadata.uid: Invalid value: \"b\": field is immutable"],
        );
        // The server counts by itself.
        bench.updates(object, &object.replace("generation: 3", "generation: 2"), &[]);
        for (part, value) in [
            ("deletionTimestamp: '2024-01-01T00:00:00Z'", "\"2024-01-01T00:00:00Z\""),
            ("deletionGracePeriodSeconds: 3", "3"),
        ] {
            let new = object.replace("generation: 3", part);
            let field = part.split(':').next().unwrap_or_default();
            bench.updates_with(
                object,
                &new,
                &format!("metadata.{field}: Invalid value: {value}: field is immutable"),
            );
            bench.updates(&new, &new, &[]);
            bench.updates(&new, object, &[]);
        }
        let deleted = object.replace("uid: a", "deletionTimestamp: '2024-01-01T00:00:00Z'");
        bench.updates(
            &deleted,
            &object.replace("uid: a", "finalizers: [x.io/y]"),
            &["«finalizers» metadata.finalizers (was «metadata») metadata.finalizers: Forbidden: no new finalizers can be added"],
        );
    }
}
