//! What identifies an object, and what an object that is being deleted may still be given.

use trueline_yaml::Value;

use super::Change;
use crate::ObjectMeta;
use crate::field_path::FieldPath;
use crate::manifest::place::Place;
use crate::manifest::problem::Report;

/// The fields whose change only an update shows; all else is checked as in a new object.
const FIELDS: [&str; 3] = ["finalizers", "generation", "uid"];

/// Checks the metadata of an update.
pub(super) fn check(new: &Place<'_, '_>, old: &Place<'_, '_>, report: &mut Report) {
    let (metadata, old_metadata) = (new.child("metadata"), old.child("metadata"));
    let read = |place: &Place<'_, '_>| {
        place.node().map(|node| ObjectMeta::read(&Value::from_node(node))).unwrap_or_default()
    };
    let (meta, old_meta) = (read(&metadata), read(&old_metadata));
    for error in meta.validate_update(&old_meta, &FieldPath::root("metadata", None)) {
        let Some(field) = FIELDS.iter().find(|field| error.field == format!("metadata.{field}")) else {
            continue;
        };
        let mut change = Change::of(&metadata.child(field), &old_metadata.child(field));
        // A manifest has no identity that another could differ from.
        if *field == "uid" && old_meta.uid.is_empty() {
            continue;
        }
        change.value.clone_from(&error.value);
        report.changed(error.reason, error.field, error.detail, change);
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
        bench.updates(
            object,
            &object.replace("generation: 3", "generation: 2"),
            &["«2» metadata.generation (was «3») metadata.generation: Invalid value: 2: must not be decremented"],
        );
        let deleted = object.replace("uid: a", "deletionTimestamp: '2024-01-01T00:00:00Z'");
        bench.updates(
            &deleted,
            &object.replace("uid: a", "finalizers: [x.io/y]"),
            &["«finalizers» metadata.finalizers (was «metadata») metadata.finalizers: Forbidden: no new finalizers can be added"],
        );
    }
}
