//! Jobs: what they run, and how they count, is settled when they are made.

use trueline_kube_facts::{FieldPath, common, rules};

use super::compare::Ignored;
use super::{Update, at};
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::job_selector;

rules! {
    /// The selector of a Job cannot be changed.
    SELECTOR_CHANGED: Invalid, "job/selector-changed", "`selector` not auto-generated";
    /// The pods of a Job can only be changed while it is suspended.
    SUSPENDED_UPDATE: Invalid, "job/suspended-update", "{}";
    /// The pods of a Job lack a label that the cluster gave them.
    MISSING_LABEL: Required, "job/missing-label", "{}";
    /// The completions of a Job cannot be changed like this.
    COMPLETIONS_CHANGED: Invalid, "job/completions-changed", "can only be modified in tandem with spec.parallelism";
}

const FIXED: &[&str] =
    &["selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

/// A Job that was suspended before it began may still be told where its pods go.
const SUSPENDED: Ignored = &[
    ("core.Affinity", "nodeAffinity"),
    ("core.PodSpec", "nodeSelector"),
    ("core.PodSpec", "schedulingGates"),
    ("core.PodSpec", "tolerations"),
    ("meta.ObjectMeta", "annotations"),
    ("meta.ObjectMeta", "labels"),
];

/// Since 1.36, also what its pods may use, and even if it ran before.
const SUSPENDED_SINCE_36: Ignored = &[
    ("core.Affinity", "nodeAffinity"),
    ("core.Container", "resources"),
    ("core.PodSpec", "nodeSelector"),
    ("core.PodSpec", "schedulingGates"),
    ("core.PodSpec", "tolerations"),
    ("meta.ObjectMeta", "annotations"),
    ("meta.ObjectMeta", "labels"),
];

/// Checks the update of a CronJob: a time zone in the schedule may stay, but not beside one of its own.
pub(super) fn check_cron_job(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    let schedule = spec.child("schedule");
    let has_zone =
        |schedule: &FieldPlace<'_, '_>| schedule.full_text().is_some_and(|text| text.contains("TZ"));
    if has_zone(&schedule)
        && has_zone(&old_spec.child("schedule"))
        && !spec.child("timeZone").is_absent()
        && update.version().minor >= 29
    {
        report.refuse(&schedule, &crate::rules::job::TWO_ZONES);
    }
}

/// Checks the update of a Job.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    at(new, old, &["spec"], &mut |spec, old_spec| completions(spec, old_spec, update, report));
    for field in FIXED {
        if let Some(change) = update.change(new, old, &["spec", field], update.removed(), &[]) {
            report.changed(FieldPath::of("spec").field(*field), &common::IMMUTABLE, change);
        }
    }
    generated(new, old, update, report);
    let old_spec = old.child("spec");
    let status = old.child("status");
    let is_suspended = old_spec.child("suspend").is_true();
    let mutable = match update.version().minor {
        36.. if is_suspended && status.child("active").integer().unwrap_or_default() == 0 => {
            SUSPENDED_SINCE_36
        }
        ..36 if is_suspended && status.child("startTime").is_absent() => SUSPENDED,
        _ => &[],
    };
    if let Some(mut change) = update.change(new, old, &["spec", "template"], update.removed(), mutable) {
        // The server shows the whole template.
        change.value = None;
        report.changed(FieldPath::of("spec.template"), &common::IMMUTABLE, change);
    }
}

/// A Job that does not bring its own selector keeps the labels that were generated, and selects by them.
fn generated(new: &FieldPlace<'_, '_>, old: &FieldPlace<'_, '_>, update: &Update<'_>, report: &mut Report) {
    let (spec, old_spec) = (new.child("spec"), old.child("spec"));
    let (manual, old_manual) = (spec.child("manualSelector"), old_spec.child("manualSelector"));
    let was_manual = old_manual.is_true();
    let is_kept = was_manual && update.leaves(&manual, &["spec", "manualSelector"]);
    if manual.is_true() || is_kept {
        return;
    }
    let selector = spec.child("selector");
    if was_manual {
        if !selector.is_absent() && job_selector::selects_others(&selector) {
            let change = super::Change { value: None, ..super::Change::of(&manual, &old_manual) };
            report.changed(FieldPath::of("spec.selector"), &SELECTOR_CHANGED, change);
        }
        return;
    }
    let metadata = old.child("metadata");
    let template = spec.child("template");
    let head = template.child("metadata");
    let labels = head.child("labels");
    let old_template = old_spec.child("template");
    let old_head = old_template.child("metadata");
    let old_labels = old_head.child("labels");
    for label in job_selector::GENERATED {
        let expected = metadata.child(if label.ends_with("uid") { "uid" } else { "name" });
        let Some(expected) = expected.full_text() else { continue };
        // Jobs of older clusters lack some of them.
        let is_demanded = update.is_stored && old_labels.entry(label).is_some();
        let words = format!("must be '{expected}'");
        match labels.entry(label) {
            Some(value) if value.text() != Some(expected) => {
                report.refuse(&value, SUSPENDED_UPDATE.with(words))
            }
            None if is_demanded && !update.is_merged => {
                let field = labels.path().key(label);
                report.refuse_in(field, labels.span(), None, MISSING_LABEL.with(&words));
            }
            _ => {}
        }
    }
}

/// Only a Job with an index for each pod may change how many it runs, and then together with how many at a time.
fn completions(
    spec: &FieldPlace<'_, '_>,
    old_spec: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    let (new, old) = (spec.child("completions"), old_spec.child("completions"));
    // Where the new object no longer says how many pods run at a time either, one is filled in for both.
    let (parallelism, old_parallelism) = (spec.child("parallelism"), old_spec.child("parallelism"));
    let is_filled_in = parallelism.is_absent()
        && !old_parallelism.is_absent()
        && !update.leaves(&parallelism, &["spec", "parallelism"]);
    // What the server filled in stays, too.
    let is_silent = new.is_absent() && old.is_absent() && !is_filled_in;
    if is_silent || !old.is_absent() && update.leaves(&new, &["spec", "completions"]) {
        return;
    }
    let (count, old_count) = (count(spec), count(old_spec));
    if count == old_count {
        return;
    }
    let change = super::Change::of(&new, &old);
    let is_elastic = update.version().minor >= 27;
    if !is_elastic || spec.child("completionMode").text() != Some("Indexed") {
        return report.changed(FieldPath::of("spec.completions"), &common::IMMUTABLE, change);
    }
    let parallelism = spec.child("parallelism").integer().unwrap_or(1);
    if count.is_some_and(|count| count != parallelism) {
        report.changed(FieldPath::of("spec.completions"), &COMPLETIONS_CHANGED, change);
    }
}

/// How many pods have to succeed; one where nothing is said.
fn count(spec: &FieldPlace<'_, '_>) -> Option<i64> {
    let completions = spec.child("completions");
    match completions.is_absent() && spec.child("parallelism").is_absent() {
        true => Some(1),
        false => completions.integer(),
    }
}

/// The fields in the tables.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = String> {
    let tables =
        SUSPENDED.iter().chain(SUSPENDED_SINCE_36).map(|(definition, field)| format!("{definition}.{field}"));
    tables.chain(FIXED.iter().map(|field| format!("batch.JobSpec.{field}")))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: 2\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      restartPolicy: Never\n      containers: [{name: a, image: i}]\n";

    #[test]
    fn what_may_change() {
        let bench = Bench::new();
        for (from, to) in [
            ("parallelism: 2", "parallelism: 3"),
            ("parallelism: 2", "parallelism: 2\n  backoffLimit: 3"),
            ("parallelism: 2", "parallelism: 2\n  completionMode: NonIndexed"),
            ("restartPolicy: Never", "restartPolicy: Never\n      dnsPolicy: ClusterFirst"),
            ("image: i", "image: i, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log"),
            ("image: i", "image: i, resources: {}"),
        ] {
            bench.updates(JOB, &JOB.replace(from, to), &[]);
            bench.updates(&JOB.replace(from, to), JOB, &[]);
        }
        let stored = JOB.replace("{name: j}", "{name: j, uid: u}").replace("{a: b}", "{a: b, controller-uid: u}")
            .replace("  parallelism: 2", "  parallelism: 2\n  completionMode: NonIndexed\n  selector: {matchLabels: {controller-uid: u}}");
        bench.updates(&stored, JOB, &[]);
        // The server fills in that one pod has to succeed where nothing is said, and that stays.
        let silent = JOB.replace("  parallelism: 2\n", "");
        bench.updates(&silent, JOB, &[]);
        bench.updates_field(JOB, &silent, "spec.completions");
        bench.updates(&stored, &silent, &[]);
        let suspended = JOB.replace("parallelism: 2", "parallelism: 2\n  suspend: true");
        bench.updates(
            &suspended,
            &JOB.replace("restartPolicy: Never", "restartPolicy: Never\n      nodeSelector: {a: b}"),
            &[],
        );
        let indexed =
            JOB.replace("parallelism: 2", "parallelism: 2\n  completions: 2\n  completionMode: Indexed");
        bench.updates(&indexed, &indexed.replace(": 2", ": 3"), &[]);
        Bench::of(26).updates_field(&indexed, &indexed.replace(": 2", ": 3"), "spec.completions");
    }

    #[test]
    fn what_may_change_while_it_is_suspended() {
        let suspended = JOB.replace("parallelism: 2", "parallelism: 2\n  suspend: true");
        let started = format!("{suspended}status: {{startTime: '2020-01-01T00:00:00Z'}}\n");
        let active = format!("{suspended}status: {{active: 1}}\n");
        let moved =
            suspended.replace("restartPolicy: Never", "restartPolicy: Never\n      tolerations: [{key: a}]");
        let larger = suspended.replace("image: i", "image: i, resources: {limits: {cpu: 1}}");
        let (tolerations, resources) =
            ("spec.template.spec.tolerations", "spec.template.spec.containers[0].resources.limits");
        Bench::of(35).updates_field(&suspended, &larger, resources);
        let asking = suspended.replace("image: i", "image: i, resources: {requests: {cpu: 1}}");
        let requests = "spec.template.spec.containers[0].resources.requests";
        Bench::of(35).updates_field(&suspended, &asking, requests);
        Bench::of(35).updates_field(&asking, &suspended, requests);
        Bench::of(35).updates_field(&started, &moved, tolerations);
        Bench::of(36).updates(&started, &moved, &[]);
        Bench::of(36).updates(&suspended, &larger, &[]);
        Bench::of(36).updates_field(&active, &moved, tolerations);
    }

    #[test]
    fn templates_are_filled_in_less_than_pods() {
        let bench = Bench::new();
        let limited = JOB.replace("image: i", "image: i, resources: {limits: {cpu: 1}}");
        let asking = limited.replace("cpu: 1}", "cpu: 1}, requests: {cpu: 1}");
        bench.updates_field(&limited, &asking, "spec.template.spec.containers[0].resources.requests");
        bench.updates_field(&asking, &limited, "spec.template.spec.containers[0].resources.requests");
        for (field, value) in
            [("priority", "0"), ("enableServiceLinks", "true"), ("enableServiceLinks", "false")]
        {
            let new =
                JOB.replace("      restartPolicy", &format!("      {field}: {value}\n      restartPolicy"));
            bench.updates_field(JOB, &new, &format!("spec.template.spec.{field}"));
        }
        let dated = JOB.replace("{labels", "{creationTimestamp: '2024-01-01T00:00:00Z', labels");
        bench.updates_field(JOB, &dated, "spec.template.metadata.creationTimestamp");
        bench.updates(JOB, &JOB.replace("{labels", "{creationTimestamp: null, labels"), &[]);
    }

    #[test]
    fn selectors_and_labels_that_are_generated() {
        let bench = Bench::new();
        let own = "  manualSelector: true\n  selector: {matchLabels: {a: b}}\n  parallelism";
        let manual = JOB.replace("  parallelism", own);
        bench.updates(&manual, &manual.replace(": 2", ": 3"), &[]);
        let words = "spec.selector: Invalid value: `selector` not auto-generated";
        for rest in ["", "  manualSelector: false\n"] {
            bench.updates_with(&manual, &manual.replace("  manualSelector: true\n", rest), words);
        }
        // What a cluster has stays where a manifest says nothing of it.
        let stored = manual.replace("{name: j}", "{name: j, uid: u}");
        bench.updates(&stored, &manual.replace("  manualSelector: true\n", ""), &[]);
        let labelled = |labels: &str| {
            JOB.replace("{name: j}", "{name: j, uid: u}")
                .replace("{a: b}", &format!("{{a: b, {labels}}}"))
                .replace(
                    "  parallelism",
                    "  suspend: true\n  selector: {matchLabels: {controller-uid: u}}\n  parallelism",
                )
        };
        let all = labelled("controller-uid: u, job-name: j");
        bench.updates(&all, &all, &[]);
        bench.updates(&all, JOB, &[]);
        let label = "spec.template.metadata.labels";
        bench.updates(
            &all,
            &labelled("controller-uid: u, job-name: k"),
            &[&format!("{label}[job-name]: Invalid value: \"k\": must be 'j'")],
        );
        bench.updates(
            &all,
            &labelled("controller-uid: u"),
            &[&format!("{label}[job-name]: Required value: must be 'j'")],
        );
    }

    #[test]
    fn what_may_not_change() {
        let bench = Bench::new();
        for (from, to, expected) in [
            (
                "image: i",
                "image: j",
                "«j» spec.template.spec.containers[0].image (was «i») spec.template: Invalid value: field is immutable",
            ),
            (
                "name: a, image: i",
                "name: a, image: j, env: [{name: A}], args: [b]",
                "«args» spec.template.spec.containers[0].args (was «name») spec.template: Invalid value: field is immutable + «env» `spec.template.spec.containers[0].env` changed, too + «j» `spec.template.spec.containers[0].image` changed, too",
            ),
            (
                "{a: b}",
                "{a: c}",
                "«c» spec.template.metadata.labels[a] (was «b») spec.template: Invalid value: field is immutable",
            ),
            (
                "restartPolicy: Never",
                "restartPolicy: Never\n      nodeSelector: {a: b}",
                "«nodeSelector» spec.template.spec.nodeSelector (was «spec») spec.template: Invalid value: field is immutable",
            ),
            (
                "parallelism: 2",
                "parallelism: 2\n  podFailurePolicy: {rules: []}",
                "«podFailurePolicy» spec.podFailurePolicy (was «spec») spec.podFailurePolicy: Invalid value: field is immutable",
            ),
            // Nobody fills these into a template.
            (
                "restartPolicy: Never",
                "restartPolicy: Never\n      priorityClassName: high",
                "«high» spec.template.spec.priorityClassName (was «spec») spec.template: Invalid value: field is immutable",
            ),
            (
                "parallelism: 2",
                "parallelism: 2\n  selector: {matchLabels: {x: z}}",
                "«matchLabels» spec.selector.matchLabels (was «spec») spec.selector: Invalid value: field is immutable",
            ),
            (
                "parallelism: 2",
                "parallelism: 2\n  completions: 3",
                "«3» spec.completions (was «spec») spec.completions: Invalid value: 3: field is immutable",
            ),
            (
                "parallelism: 2",
                "parallelism: 2\n  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A, status: 'True'}]}]}",
                "«rules» spec.podFailurePolicy.rules (was «spec») spec.podFailurePolicy: Invalid value",
            ),
        ] {
            bench.updates(JOB, &JOB.replace(from, to), &[expected]);
        }
        let indexed =
            JOB.replace("parallelism: 2", "parallelism: 2\n  completions: 2\n  completionMode: Indexed");
        bench.updates(
            &indexed,
            &indexed.replace("completions: 2", "completions: 3"),
            &["«3» spec.completions (was «2») spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"],
        );
    }
}
