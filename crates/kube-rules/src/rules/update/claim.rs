//! Claims on volumes: only their size may change, and only upwards.

use trueline_kube_facts::{FieldPath, common, rules};

use super::compare::Change;
use super::{Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The spec of a volume claim cannot be changed.
    IMMUTABLE_SPEC: Forbidden, "claim/immutable-spec", "{}";
    /// The attributes class of a volume claim cannot be changed like this.
    ATTRIBUTES_CLASS: Forbidden, "claim/attributes-class",
        "update to {} is forbidden when status.currentVolumeAttributesClassName is not nil";
    /// A volume claim asks for less than before.
    SHRUNK: Forbidden, "claim/shrunk", "field can not be less than previous value";
    /// A volume claim asks for less than it has.
    BELOW_CAPACITY: Forbidden, "claim/below-capacity", "field can not be less than status.capacity";
}

/// The class and the volume can be chosen as long as there is none.
const CHOICES: [&str; 2] = ["storageClassName", "volumeName"];

/// Checks the update of a PersistentVolumeClaim.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let status = old.child("status");
    // Without a word about it, a claim that exists is taken for one that has its volume.
    let is_bound = status.child("phase").full_text().is_none_or(|phase| phase == "Bound");
    let spec = old.child("spec");
    let is_choice = |change: &Change| {
        CHOICES
            .iter()
            .any(|field| change.field == FieldPath::of("spec").field(*field) && spec.child(field).is_absent())
    };
    // What may change once a claim has its volume.
    let size = FieldPath::of("spec.resources.requests").key("storage");
    let mut fields = vec!["accessModes", "resources", "selector", "storageClassName", "volumeName"];
    if !is_bound && update.version().minor >= 34 {
        fields.push("volumeAttributesClassName");
    }
    let changes = fields
        .into_iter()
        .flat_map(|field| update.changes(new, old, &["spec", field], update.removed(), &[]))
        .filter(|change| !(is_choice(change) || is_bound && change.field == size))
        .chain(data_source(&new.child("spec"), &spec, update));
    if let Some(change) = Change::joined(changes) {
        let words = match update.version().minor {
            ..=28 => "spec is immutable after creation except resources.requests for bound claims",
            _ => {
                "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
                 claims"
            }
        };
        report.changed(FieldPath::of("spec"), IMMUTABLE_SPEC.with(words), change);
    }
    // The server leaves `spec` out of this path.
    if let Some(change) = update.change(new, old, &["spec", "volumeMode"], update.removed(), &[]) {
        report.changed(FieldPath::of("volumeMode"), &common::IMMUTABLE, change);
    }
    if update.version().minor >= 34 {
        attributes(new, old, update, report);
    }
    at(new, old, &["spec", "resources", "requests", "storage"], &mut |size, old_size| {
        shrink(size, old_size, &status, update, report);
    });
}

/// Attributes that were given to a volume cannot be removed.
fn attributes(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let status = old.child("status");
    if status.child("currentVolumeAttributesClassName").is_absent() {
        return;
    }
    at(new, old, &["spec", "volumeAttributesClassName"], &mut |class, old_class| {
        let what = match class.text() {
            _ if class.is_absent() && !update.keeps(&["spec", "volumeAttributesClassName"]) => "nil",
            Some("") if !class.is_absent() => "empty string",
            _ => return,
        };
        if !old_class.is_empty() {
            let change = Change { value: None, ..Change::of(class, old_class) };
            report.changed(
                FieldPath::of("spec.volumeAttributesClassName"),
                ATTRIBUTES_CLASS.with(what),
                change,
            );
        }
    });
}

const FIELDS: [&str; 2] = ["dataSource", "dataSourceRef"];

/// Where the data of a claim comes from, as the server keeps it: one of two fields is filled in from the other.
fn data_source(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
) -> Option<Change> {
    let source = spec.child("dataSource");
    let reference = spec.child("dataSourceRef");
    let old_source = old_spec.child("dataSource");
    let old_reference = old_spec.child("dataSourceRef");
    let before = if old_reference.is_absent() { &old_source } else { &old_reference };
    let had_one = !before.is_absent() && (update.is_stored || !is_dropped(&old_source, &old_reference));
    match (source.is_absent() && reference.is_absent(), had_one) {
        // One of the two that is left is as good as both.
        (true, true) if !FIELDS.into_iter().any(|field| update.keeps(&["spec", field])) => {
            Some(Change::of(&source, before))
        }
        (false, false) if !is_dropped(&source, &reference) => {
            Some(Change::of(if reference.is_absent() { &source } else { &reference }, before))
        }
        (false, true) => {
            let sources = [(&source, &old_source), (&reference, &old_reference)];
            sources.into_iter().filter(|(new, _)| !new.is_absent()).find_map(|(new, old)| {
                let old = if old.is_absent() { before } else { old };
                differing_part(new, old, update)
            })
        }
        _ => None,
    }
}

/// Whether a claim was made with a source.
pub(super) fn has_source(spec: &FieldPlace<'_, '_>) -> bool {
    let (source, reference) = (spec.child("dataSource"), spec.child("dataSourceRef"));
    (!source.is_absent() || !reference.is_absent()) && !is_dropped(&source, &reference)
}

/// The server drops what it does not know in the older field, and what is in another namespace, unless the claim has a
/// source already.
fn is_dropped(source: &FieldPlace<'_, '_>, reference: &FieldPlace<'_, '_>) -> bool {
    if !reference.is_absent() {
        return reference.child("namespace").full_text().is_some();
    }
    let (group, kind) = (source.child("apiGroup"), source.child("kind"));
    !matches!(
        (group.text(), kind.text()),
        (Some(""), Some("PersistentVolumeClaim")) | (Some("snapshot.storage.k8s.io"), Some("VolumeSnapshot"))
    )
}

fn differing_part(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, update: &Update<'_>) -> Option<Change> {
    ["apiGroup", "kind", "name", "namespace"].into_iter().find_map(|part| {
        let (part, before) = (new.child(part), old.child(part));
        let is_kept = part.is_absent() && update.is_merged;
        (!is_kept && part.text() != before.text()).then(|| Change::of(&part, &before))
    })
}

fn shrink(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    status: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (Some(size), Some(old_size)) = (new.quantity(), old.quantity()) else { return };
    if size >= old_size {
        return;
    }
    let capacity = status.child("capacity");
    // A claim that failed to grow may ask for less again, as long as it is more than it has.
    let is_recovery = capacity.child("storage").quantity().is_some_and(|capacity| size > capacity);
    let field = FieldPath::of("spec.resources.requests.storage");
    if update.version().minor < 32 {
        report.changed(field, &SHRUNK, Change::of(new, old));
    } else if !is_recovery {
        report.changed(field, &BELOW_CAPACITY, Change::of(new, old));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const CLAIM: &str = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 2Gi}}\n";
    const WORDS: &str = "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

    #[test]
    fn claims() {
        let bench = Bench::new();
        for (from, to) in [
            ("2Gi", "3Gi"),
            ("2Gi", "2048Mi"),
            ("  resources", "  storageClassName: fast\n  resources"),
            ("  resources", "  volumeName: v\n  resources"),
            ("  resources", "  volumeMode: Filesystem\n  resources"),
        ] {
            bench.updates(CLAIM, &CLAIM.replace(from, to), &[]);
        }
        let stored = CLAIM.replace("{name: c}", "{name: c, uid: u}").replace(
            "  resources",
            "  storageClassName: fast\n  volumeName: v\n  volumeMode: Filesystem\n  resources",
        );
        bench.updates(&stored, CLAIM, &[]);
        bench.updates(
            CLAIM,
            &CLAIM.replace("ReadWriteOnce", "ReadWriteMany"),
            &[&format!("«ReadWriteMany» spec.accessModes[0] (was «ReadWriteOnce») {WORDS}")],
        );
        let fast = CLAIM.replace("  resources", "  storageClassName: fast\n  resources");
        bench.updates(
            &fast,
            &fast.replace("fast", "slow"),
            &[&format!("«slow» spec.storageClassName (was «fast») {WORDS}")],
        );
        bench.updates(
            &fast,
            &fast.replace("fast", "slow").replace("ReadWriteOnce", "ReadWriteMany"),
            &[&format!(
                "«ReadWriteMany» spec.accessModes[0] (was «ReadWriteOnce») {WORDS} + «slow» `spec.storageClassName` changed, too"
            )],
        );
        bench.updates(&fast, CLAIM, &[&format!("«spec» spec.storageClassName (was «fast») {WORDS}")]);
        bench.updates(
            CLAIM,
            &CLAIM.replace("2Gi", "1Gi"),
            &["«1Gi» spec.resources.requests.storage (was «2Gi») spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
        );
        bench.updates(
            CLAIM,
            &CLAIM.replace("  resources", "  volumeMode: Block\n  resources"),
            &["«Block» spec.volumeMode (was «spec») volumeMode: Invalid value: \"Block\": field is immutable"],
        );
        let classless = CLAIM.replace("  resources", "  storageClassName: ''\n  resources");
        let stored_fast = fast.replace("{name: c}", "{name: c, uid: u}");
        bench.updates(&stored_fast, CLAIM, &[]);
        bench.updates(CLAIM, &classless, &[]);
        bench.updates(&classless, &classless, &[]);
        for old in [&fast, &stored_fast] {
            bench.updates(old, &classless, &[&format!("«''» spec.storageClassName (was «fast») {WORDS}")]);
        }
        bench.updates(
            CLAIM,
            &CLAIM.replace("storage: 2Gi", "storage: 2Gi, iops: 5"),
            &[&format!("«5» spec.resources.requests[iops] (was «requests») {WORDS}")],
        );
        let pending = format!("{CLAIM}status: {{phase: Pending}}\n");
        bench.updates(
            &pending,
            &CLAIM.replace("2Gi", "3Gi"),
            &[&format!("«3Gi» spec.resources.requests[storage] (was «2Gi») {WORDS}")],
        );
        let failed = format!("{CLAIM}status: {{phase: Bound, capacity: {{storage: 1Gi}}}}\n");
        bench.updates(&failed, &CLAIM.replace("2Gi", "1500Mi"), &[]);
        Bench::of(30).updates(
            CLAIM,
            &CLAIM.replace("2Gi", "1Gi"),
            &["«1Gi» spec.resources.requests.storage (was «2Gi») spec.resources.requests.storage: Forbidden: field can not be less than previous value"],
        );
    }

    #[test]
    fn sources_of_data() {
        let bench = Bench::new();
        let with = |text: &str| CLAIM.replace("  resources", &format!("  {text}\n  resources"));
        let stored = |text: &str| with(text).replace("{name: c}", "{name: c, uid: u}");
        let source = "dataSource: {kind: PersistentVolumeClaim, name: a}";
        let reference = "dataSourceRef: {kind: PersistentVolumeClaim, name: a}";
        let both = format!("{source}\n  {reference}");
        let added = format!("«dataSource» spec.dataSource (was «spec») {WORDS}");
        bench.updates(CLAIM, &with(source), &[&added]);
        bench.updates(&stored("volumeName: v"), &with(source), &[&added]);
        bench.updates(
            CLAIM,
            &with(reference),
            &[&format!("«dataSourceRef» spec.dataSourceRef (was «spec») {WORDS}")],
        );
        bench.updates(&with(source), CLAIM, &[&format!("«spec» spec.dataSource (was «dataSource») {WORDS}")]);
        // One of the two is filled in from the other.
        for (old, new) in [
            (stored(&both), CLAIM.to_owned()),
            (stored(&both), with(source)),
            (stored(&both), with(reference)),
            (with(source), with(reference)),
            (with(reference), with(&both)),
        ] {
            bench.updates(&old, &new, &[]);
        }
        for old in [with(source), with(reference), stored(&both)] {
            bench.updates(
                &old,
                &with(&reference.replace("name: a", "name: b")),
                &[&format!("«b» spec.dataSourceRef.name (was «a») {WORDS}")],
            );
        }
        // A source in another namespace is only dropped where there was none.
        let far = reference.replace("name: a", "name: a, namespace: b");
        for old in [with(source), with(reference)] {
            bench.updates_field(&old, &with(&far), "spec.dataSourceRef.namespace");
            let wrong = with(&far.replace("namespace: b", "namespace: B"));
            bench.updates(&old, &wrong, &["spec.dataSourceRef.namespace: Invalid value: \"B\""]);
        }
        // What the server drops is no change.
        for dropped in [
            "dataSource: {kind: Other, name: a}",
            "dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: b}",
        ] {
            bench.updates(CLAIM, &with(dropped), &[]);
            bench.updates(&with(dropped), CLAIM, &[]);
        }
    }
}
