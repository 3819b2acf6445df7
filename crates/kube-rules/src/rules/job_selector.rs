//! The selector of a Job: it is generated, unless the Job says that it brings its own.

use trueline_kube_facts::{names, rules};

use super::job::completion_count;
use super::{Context, Operation, selector};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The selector is not the one that the cluster generates.
    SELECTOR_DIFFERS: Invalid, "job/selector-differs", "`selector` not auto-generated";
    /// An annotation is set that belongs to the controller.
    CONTROLLER_ANNOTATION: Forbidden, "job/controller-annotation", "cannot add this annotation";
    /// The name of an indexed Job leaves no room for the host names of its pods.
    LONG_NAME: Invalid, "job/long-name", "will not able to create pod with invalid DNS label: {}";
}

/// The labels that the server gives to the pods of a Job.
pub(super) const GENERATED: [&str; 4] =
    ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];

/// Checks `batch.Job`.
pub(super) fn check(job: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let spec = job.child("spec");
    if context.operation == Operation::Update {
        // A Job whose completions grow may outgrow its name.
        if context.version.minor >= 37 {
            indexed_name(job, &spec, context, report);
        }
        return;
    }
    let selector = spec.child("selector");
    if spec.child("manualSelector").is_true() {
        if selector.is_absent() {
            report.missing(&selector);
        }
        if selector::is_comparable(&selector) {
            selector::compare_job(&spec, &[], report);
        }
    } else if !selector.is_absent() && selector::is_comparable(&selector) {
        if selects_others(&selector) {
            report.refuse(&selector, &SELECTOR_DIFFERS);
        }
        selector::compare_job(&spec, &GENERATED, report);
    }
    indexed_name(job, &spec, context, report);
    let metadata = job.child("metadata");
    let annotations = metadata.child("annotations");
    if let Some(mark) = annotations.entry(TRACKING).filter(|_| context.version.minor < 28) {
        report.refuse(&mark.at_key(), &CONTROLLER_ANNOTATION);
    }
}

/// What older controllers marked the Jobs with whose pods they counted in a new way.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";

/// Whether it selects by labels that are not generated.
pub(super) fn selects_others(selector: &FieldPlace<'_, '_>) -> bool {
    let labels = selector.child("matchLabels");
    let expressions = selector.child("matchExpressions");
    let is_other = |key: &str| !GENERATED.contains(&key);
    labels.entries().any(|(key, _)| is_other(&key))
        || expressions.items().any(|item| {
            matches!(item.child("operator").text(), Some("In" | "Exists"))
                && item.child("key").full_text().is_some_and(is_other)
        })
}

/// The pods of a Job with indices are named after it.
fn indexed_name(
    job: &FieldPlace<'_, '_>,
    spec: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let metadata = job.child("metadata");
    let name = metadata.child("name");
    let last = completion_count(spec, context).filter(|count| *count > 0).map(|count| count - 1);
    if let (Some(text), Some(last)) = (name.full_text(), last)
        && spec.child("completionMode").text() == Some("Indexed")
    {
        let pod = format!("{text}-{last}");
        if !names::dns_1123_label(&pod).is_empty() {
            report.refuse(&name, LONG_NAME.with(pod));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn selectors() {
        let bench = Bench::new();
        let frame = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {{}, template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";
        bench.accepts_all(
            frame,
            &["parallelism: 1", "selector: {}", "manualSelector: true, selector: {matchLabels: {a: b}}"],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "manualSelector: true, selector: {matchLabels: {a: c}}",
                    "spec.template.metadata.labels: Invalid value: `selector` does not match template `labels`",
                ),
                (
                    "selector: {matchLabels: {a: b}}",
                    "spec.selector: Invalid value: `selector` not auto-generated",
                ),
            ],
        );
        bench.refuses(
            &frame.replace("{}", "manualSelector: true"),
            &["spec.selector: Required value", "spec.template.metadata.labels: Invalid value"],
        );
        bench.refuses(
            &frame.replace("{}", "selector: {matchLabels: {c: d}}"),
            &[
                "spec.selector: Invalid value: `selector` not auto-generated",
                "spec.template.metadata.labels: Invalid value",
            ],
        );
        let long = frame.replace("name: j", &format!("name: {}", "j".repeat(62)));
        bench.refuses(
            &long.replace("{}", "completionMode: Indexed, completions: 3"),
            &[&format!("metadata.name: Invalid value: {:?}: will not able to create pod", "j".repeat(62))],
        );
    }

    #[test]
    fn marks_of_older_controllers() {
        let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, annotations: {batch.kubernetes.io/job-tracking: ''}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";
        Bench::of(27).refuses(job, &["metadata.annotations[batch.kubernetes.io/job-tracking]: Forbidden: cannot add this annotation"]);
        Bench::of(28).accepts(job);
    }

    #[test]
    fn names_that_are_outgrown() {
        let job = |count: u32| {
            let name = "a".repeat(60);
            format!(
                "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{completionMode: Indexed, completions: {count}, parallelism: {count}, template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: i}}]}}}}}}\n"
            )
        };
        Bench::of(36).updates(&job(10), &job(1001), &[]);
        Bench::of(37).updates(&job(10), &job(1001), &["metadata.name: Invalid value"]);
        Bench::of(37).updates(&job(10), &job(20), &[]);
    }
}
