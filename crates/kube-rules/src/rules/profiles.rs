//! Profiles of containers that are in an annotation and in a field: both have to say the same.

use trueline_kube_facts::rules;

use super::{Context, Operation, unread};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A profile is set as a field and as an annotation, and they differ.
    PROFILE_DIFFERS: Forbidden, "pod/profile-differs", "{} type in annotation and field must match";
    /// The file of a profile is set as a field and as an annotation, and they differ.
    PROFILE_FILE_DIFFERS: Forbidden, "pod/profile-file-differs", "{} profile in annotation and field must match";
}

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP: Family = Family {
    prefix: "container.seccomp.security.alpha.kubernetes.io/",
    field: "seccompProfile",
    name: "seccomp",
    defaults: &["runtime/default", "docker/default"],
};
const APP_ARMOR: Family = Family {
    prefix: "container.apparmor.security.beta.kubernetes.io/",
    field: "appArmorProfile",
    name: "apparmor",
    defaults: &["runtime/default"],
};
/// The first version with a field for profiles of AppArmor.
const HAS_APP_ARMOR: u16 = 30;

/// A family of profiles.
struct Family {
    /// What comes before the name of a container.
    prefix: &'static str,
    field: &'static str,
    /// What the server calls it.
    name: &'static str,
    /// What `RuntimeDefault` is in an annotation.
    defaults: &'static [&'static str],
}

/// Checks `core.Pod` and `core.PodTemplateSpec`.
pub(super) fn check(object: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (metadata, pod) = (object.child("metadata"), object.child("spec"));
    let annotations = metadata.child("annotations");
    let is_pod = context.kind == "Pod";
    // A pod that is there already is not compared again, and older versions do not look at the pods of a set.
    let is_unread = context.kind == "StatefulSet" && context.version.minor < unread::SETS;
    if annotations.is_empty() || is_unread || (is_pod && context.operation == Operation::Update) {
        return;
    }
    let own = pod.child("securityContext");
    if let Some(annotation) = annotations.entry(SECCOMP_POD) {
        let profile = own.child(SECCOMP.field);
        SECCOMP.compare(&annotation, &profile, &profile, report);
    }
    let system = pod.child("os");
    let has_app_armor =
        context.version.minor >= HAS_APP_ARMOR && system.child("name").text() != Some("windows");
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for container in pod.child(list).items() {
            let Some(name) = container.child("name").full_text() else { continue };
            let security = container.child("securityContext");
            for family in
                [SECCOMP, APP_ARMOR].iter().filter(|family| family.name != "apparmor" || has_app_armor)
            {
                let Some(annotation) = annotations.entry(&format!("{}{name}", family.prefix)) else {
                    continue;
                };
                let (inner, outer) = (security.child(family.field), own.child(family.field));
                // A profile of the whole pod counts for its containers. Where a pod is made, the annotation is moved to
                // the field of the container before they are compared.
                let is_inherited = inner.is_absent() && family.name == "apparmor" && !is_pod;
                family.compare(&annotation, if is_inherited { &outer } else { &inner }, &inner, report);
            }
        }
    }
}

impl Family {
    /// Compares an annotation with a profile, which the server may name by another path.
    fn compare(
        &self,
        annotation: &FieldPlace<'_, '_>,
        profile: &FieldPlace<'_, '_>,
        named: &FieldPlace<'_, '_>,
        report: &mut Report,
    ) {
        let (kind, file) = (profile.child("type"), profile.child("localhostProfile"));
        let (Some(text), Some(kind_text)) = (annotation.text(), kind.text()) else { return };
        let is_same_kind = match kind_text {
            "Unconfined" => text == "unconfined",
            "RuntimeDefault" => self.defaults.contains(&text),
            "Localhost" => text.starts_with("localhost/"),
            _ => return,
        };
        if !is_same_kind {
            report.refuse(&named.child("type").at(&kind), PROFILE_DIFFERS.with(self.name));
        } else if kind_text == "Localhost" && text.strip_prefix("localhost/") != file.text() {
            report.refuse(&named.child("localhostProfile").at(&file), PROFILE_FILE_DIFFERS.with(self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    /// An annotation, a profile of the pod, a profile of its container, and what is wrong.
    type Case = (&'static str, &'static str, &'static str, Option<&'static str>);

    const CASES: &[Case] = &[
        (
            "seccomp.security.alpha.kubernetes.io/pod: unconfined",
            "seccompProfile: {type: Unconfined}",
            "",
            None,
        ),
        (
            "seccomp.security.alpha.kubernetes.io/pod: docker/default",
            "seccompProfile: {type: RuntimeDefault}",
            "",
            None,
        ),
        (
            "seccomp.security.alpha.kubernetes.io/pod: unconfined",
            "seccompProfile: {type: RuntimeDefault}",
            "",
            Some(
                "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
            ),
        ),
        (
            "container.seccomp.security.alpha.kubernetes.io/a: localhost/b",
            "",
            "seccompProfile: {type: Localhost, localhostProfile: c}",
            Some(
                "spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match",
            ),
        ),
        (
            "container.apparmor.security.beta.kubernetes.io/a: localhost/b",
            "",
            "appArmorProfile: {type: Localhost, localhostProfile: b}",
            None,
        ),
        (
            "container.apparmor.security.beta.kubernetes.io/a: unconfined",
            "",
            "appArmorProfile: {type: RuntimeDefault}",
            Some(
                "spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
            ),
        ),
    ];

    #[test]
    fn annotations_and_fields() {
        let bench = Bench::new();
        for (annotation, pod, container, error) in CASES {
            let text = format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: p, annotations: {{{annotation}}}}}\nspec: {{securityContext: {{{pod}}}, containers: [{{name: a, image: i, securityContext: {{{container}}}}}]}}\n"
            );
            bench.refuses(&text, error.as_slice());
        }
    }

    #[test]
    fn profiles_of_whole_pods() {
        let head = "metadata: {labels: {a: b}, annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}";
        let pod = "spec: {securityContext: {appArmorProfile: {type: RuntimeDefault}}, containers: [{name: a, image: i}]}";
        let deployment = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    {head}\n    {pod}\n"
        );
        Bench::new().refuses(
            &deployment,
            &["spec.template.spec.containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation"],
        );
        Bench::new().accepts(&format!(
            "apiVersion: v1\nkind: Pod\n{}\n{pod}\n",
            head.replace("labels", "name: p, labels")
        ));
    }
}
