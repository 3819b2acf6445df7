//! Annotations of pods that are read once, when the pod is made: they stay as they are.

use trueline_kube_facts::rules;

use super::{Change, Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An annotation of the pod cannot be changed.
    ANNOTATION_CHANGED: Forbidden, "pod/annotation-changed", "may not remove or update {}";
    /// An annotation cannot be added to a pod.
    ANNOTATION_ADDED: Forbidden, "pod/annotation-added", "may not add {}";
}

const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";
const MIRROR: &str = "kubernetes.io/config.mirror";

/// What the server calls an annotation that stays as it is.
fn fixed(key: &str) -> Option<&'static str> {
    match key {
        MIRROR => Some("mirror pod annotation"),
        _ => key.starts_with(APP_ARMOR).then_some("AppArmor annotations"),
    }
}

/// Checks the update of a Pod.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["metadata", "annotations"], &mut |annotations, old_annotations| {
        for (key, before) in old_annotations.entries() {
            let Some(what) = fixed(&key) else { continue };
            let now = annotations.entry(&key);
            let is_kept = match &now {
                Some(now) => now.text() == before.text(),
                None => update.keeps(&["metadata", "annotations", &*key]),
            };
            if !is_kept {
                let change = Change::of(now.as_ref().unwrap_or(annotations), &before);
                report.changed(before.path(), ANNOTATION_CHANGED.with(what), change);
            }
        }
        for (key, now) in annotations.entries() {
            if let Some(what) = fixed(&key).filter(|_| old_annotations.entry(&key).is_none()) {
                let change = Change::of(&now, old_annotations);
                report.changed(now.path(), ANNOTATION_ADDED.with(what), change);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn annotations_that_stay() {
        let bench = Bench::new();
        let pod = |annotations: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {{a: b, {annotations}}}}}\nspec: {{nodeName: nn, containers: [{{name: a, image: i}}]}}\n"
            )
        };
        let profile =
            |value: &str| pod(&format!("container.apparmor.security.beta.kubernetes.io/a: {value}"));
        let old = profile("unconfined");
        bench.updates(&old, &old.replace("a: b", "a: c"), &[]);
        let path = "metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]";
        for (before, after, what) in [
            (&old, &profile("runtime/default"), "remove or update AppArmor annotations"),
            (&old, &pod(""), "remove or update AppArmor annotations"),
            (&pod(""), &old, "add AppArmor annotations"),
        ] {
            bench.updates_with(before, after, &format!("{path}: Forbidden: may not {what}"));
        }
        bench.updates_with(
            &pod(""),
            &pod("kubernetes.io/config.mirror: c"),
            "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation",
        );
        // What a cluster added stays where it is left out.
        bench.updates(&old.replace("name: p", "name: p, uid: u"), &pod(""), &[]);
    }
}
