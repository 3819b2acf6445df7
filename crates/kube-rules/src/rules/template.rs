//! The template of a pod: its labels and annotations. The server leaves `metadata` out of their paths.

use trueline_kube_facts::names;

use super::{Context, metadata};
use crate::place::FieldPlace;
use crate::problem::Report;

/// Checks `core.PodTemplateSpec`.
pub(super) fn check(template: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let head = template.child("metadata");
    let labels = template.child("labels").at(&head.child("labels"));
    metadata::labels(&labels, report);
    metadata::annotations(&template.child("annotations").at(&head.child("annotations")), report);
    // The server adds the name of a Job to the labels of its pods, unless the Job brings its own selector.
    let spec = template.top().child("spec");
    if context.kind == "Job" && !spec.child("manualSelector").is_true() {
        let job = template.top().child("metadata");
        let name = job.child("name");
        if let Some(text) = name.full_text() {
            report.complain(&labels.at(&name), names::label_value(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn labels_of_templates() {
        let frame = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {}}\nspec: {template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";
        let bench = Bench::new();
        bench.accepts_all(frame, &["job", "job.x"]);
        let long = "a".repeat(64);
        bench.refuses(&frame.replace("{}", &long), &["spec.template.labels: Invalid value"]);
        let own = "spec: {manualSelector: true, selector: {matchLabels: {a: b}}, template";
        bench.accepts(&frame.replace("{}", &long).replace("spec: {template", own));
        bench.refuses(
            &frame.replace("{}", "j").replace("a: b", "a: b c"),
            &["spec.template.labels: Invalid value: \"b c\""],
        );
    }
}
