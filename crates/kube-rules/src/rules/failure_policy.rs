//! Jobs: which failures of pods count, and when a Job has succeeded early.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use trueline_kube_facts::{go_quoted, names, rules};

use super::{Context, job};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// A success policy has no rules.
    NO_SUCCESS_RULE: Required, "job/no-success-rule",
        "at least one rules must be specified when the successPolicy is specified";
    /// A word is missing, or is empty.
    MISSING_CHOICE: Required, "job/missing-choice", "valid values: [{}]";
    /// `FailIndex` needs `backoffLimitPerIndex`.
    INDEX_ACTION_WITHOUT_LIMIT: Invalid, "job/index-action-without-limit",
        "requires the backoffLimitPerIndex to be set";
    /// A rule for failures has both exit codes and conditions of pods.
    TWO_FAILURE_CONDITIONS: Invalid, "job/two-failure-conditions",
        "specifying both OnExitCodes and OnPodConditions is not supported";
    /// A rule for failures has neither exit codes nor conditions of pods.
    NO_FAILURE_CONDITION: Invalid, "job/no-failure-condition",
        "specifying one of OnExitCodes and OnPodConditions is required";
    /// A rule for failures names a container that the pod does not have.
    UNKNOWN_FAILING_CONTAINER: Invalid, "job/unknown-failing-container",
        "must be one of the container or initContainer names in the pod template";
    /// A rule for failures has no exit codes.
    NO_EXIT_CODE: Invalid, "job/no-exit-code", "at least one value is required";
    /// A rule for failures counts the exit code 0.
    EXIT_CODE_ZERO: Invalid, "job/exit-code-zero", "must not be 0 for the In operator";
    /// An exit code is listed twice.
    DUPLICATE_EXIT_CODE: Duplicate, "job/duplicate-exit-code";
    /// Exit codes are not in ascending order.
    UNORDERED_EXIT_CODES: Invalid, "job/unordered-exit-codes", "must be ordered";
    /// A rule for success says neither how many nor which indexes.
    EMPTY_SUCCESS_RULE: Required, "job/empty-success-rule",
        "at least one of succeededCount or succeededIndexes must be specified";
    /// A list of indexes cannot be read.
    BAD_INDEXES: Invalid, "job/bad-indexes", "error parsing succeededIndexes: {}";
    /// More indexes have to succeed than are listed.
    SUCCEEDED_COUNT: Invalid, "job/succeeded-count", "must be less than or equal to {} ({})";
    /// The number of indexes that have to succeed is negative.
    NEGATIVE_SUCCEEDED_COUNT: Invalid, "job/negative-succeeded-count", "must be greater than or equal to 0";
    /// More indexes have to succeed than the Job completes.
    SUCCEEDED_ABOVE_COMPLETIONS: Invalid, "job/succeeded-above-completions",
        "must be less than or equal to {} (the number of specified completions)";
}

const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: &[&str] = &["In", "NotIn"];
const STATUSES: &[&str] = &["False", "True", "Unknown"];

/// Checks `batch.JobSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let policy = spec.child("podFailurePolicy");
    let replacement = spec.child("podReplacementPolicy");
    let replacements: &[&str] =
        if policy.is_absent() { &["Failed", "TerminatingOrFailed"] } else { &["Failed"] };
    if !replacement.is_absent() && replacement.text().is_some_and(|text| !replacements.contains(&text)) {
        report.not_supported(&replacement, replacements);
    }
    if !policy.is_absent() {
        let rules = policy.child("rules");
        too_many(&rules, 20, report);
        let template = spec.child("template");
        let pod = template.child("spec");
        let mut containers: FxHashSet<&str> = FxHashSet::default();
        for list in ["containers", "initContainers"] {
            containers.extend(pod.child(list).items().filter_map(|item| item.child("name").text()));
        }
        // Older servers drop rules about single indexes.
        let is_dropped = |rule: &FieldPlace<'_, '_>| {
            context.version.minor < 29 && rule.child("action").text() == Some("FailIndex")
        };
        for rule in rules.items().filter(|rule| !is_dropped(rule)) {
            failure_rule(&rule, spec, &containers, report);
        }
    }
    let success = spec.child("successPolicy");
    if !success.is_absent() && spec.child("completionMode").text() == Some("Indexed") {
        let rules = success.child("rules");
        if rules.is_empty() {
            report.refuse(&rules, &NO_SUCCESS_RULE);
        }
        too_many(&rules, 20, report);
        for rule in rules.items() {
            success_rule(&rule, job::completion_count(spec, context), report);
        }
    }
}

fn too_many(list: &FieldPlace<'_, '_>, most: usize, report: &mut Report) {
    if list.count() > most {
        report.too_many(list, most);
    }
}

/// A word that has to be there: the server names those that it takes.
fn word(place: &FieldPlace<'_, '_>, words: &[&'static str], report: &mut Report) {
    match place.text() {
        Some("") => {
            let words: Vec<String> = words.iter().map(|word| go_quoted(word)).collect();
            report.refuse(place, MISSING_CHOICE.with(words.join(" ")));
        }
        Some(text) if !words.contains(&text) => report.not_supported(place, words),
        _ => {}
    }
}

fn failure_rule(
    rule: &FieldPlace<'_, '_>,
    spec: &FieldPlace<'_, '_>,
    containers: &FxHashSet<&str>,
    report: &mut Report,
) {
    let action = rule.child("action");
    word(&action, ACTIONS, report);
    if action.text() == Some("FailIndex") && spec.child("backoffLimitPerIndex").is_absent() {
        report.refuse(&action, &INDEX_ACTION_WITHOUT_LIMIT);
    }
    let (codes, conditions) = (rule.child("onExitCodes"), rule.child("onPodConditions"));
    if !codes.is_absent() {
        exit_codes(&codes, containers, report);
    }
    too_many(&conditions, 20, report);
    for condition in conditions.items() {
        let kind = condition.child("type");
        if let Some(text) = kind.text() {
            report.complain(&kind, names::qualified_name(text));
        }
        // An absent status is True.
        let status = condition.child("status");
        if status.full_text().is_some_and(|text| !STATUSES.contains(&text)) {
            report.not_supported(&status, STATUSES);
        }
    }
    match (!codes.is_absent(), conditions.count() > 0) {
        (true, true) => {
            report.refuse(rule, &TWO_FAILURE_CONDITIONS);
        }
        (false, false) => {
            report.refuse(rule, &NO_FAILURE_CONDITION);
        }
        _ => {}
    }
}

fn exit_codes(codes: &FieldPlace<'_, '_>, containers: &FxHashSet<&str>, report: &mut Report) {
    let operator = codes.child("operator");
    word(&operator, OPERATORS, report);
    let container = codes.child("containerName");
    let is_unknown = container.text().is_some_and(|name| !containers.contains(name));
    if is_unknown && !container.is_absent() {
        report.refuse(&container, &UNKNOWN_FAILING_CONTAINER);
    }
    let values = codes.child("values");
    if values.is_empty() {
        report.refuse(&values, &NO_EXIT_CODE);
    }
    too_many(&values, 255, report);
    let mut seen = BTreeSet::new();
    let (mut last, mut is_ordered) = (i64::MIN, true);
    for value in values.items() {
        let Some(number) = (if value.is_absent() { Some(0) } else { value.integer() }) else { continue };
        if number == 0 && operator.text() == Some("In") {
            report.refuse(&value, &EXIT_CODE_ZERO);
        }
        if !seen.insert(number) {
            report.refuse(&value, &DUPLICATE_EXIT_CODE);
        }
        is_ordered &= number >= last;
        last = number;
    }
    if !is_ordered {
        report.refuse(&values, &UNORDERED_EXIT_CODES);
    }
}

fn success_rule(rule: &FieldPlace<'_, '_>, completions: Option<i64>, report: &mut Report) {
    let (count, indexes) = (rule.child("succeededCount"), rule.child("succeededIndexes"));
    if count.is_absent() && indexes.is_absent() {
        report.refuse(rule, &EMPTY_SUCCESS_RULE);
    }
    let mut total = None;
    if let (Some(text), Some(all), false) = (indexes.text(), completions, indexes.is_absent()) {
        if text.len() > LONGEST_INDEXES {
            report.too_long(&indexes, LONGEST_INDEXES);
        }
        match indexes_of(text, all) {
            Ok(count) => total = Some(count),
            Err(words) => {
                total = Some(0);
                report.refuse(&indexes, BAD_INDEXES.with(words));
            }
        }
    }
    if let (Some(number), Some(total)) = (count.integer(), total)
        && number > total
    {
        let words = "the number of indexes in the specified succeededIndexes field";
        report.refuse(&count, SUCCEEDED_COUNT.with(total).and(words));
    }
    if let (Some(number), Some(all)) = (count.integer(), completions) {
        if number < 0 {
            report.refuse(&count, &NEGATIVE_SUCCEEDED_COUNT);
        }
        if number > all {
            report.refuse(&count, SUCCEEDED_ABOVE_COMPLETIONS.with(all));
        }
    }
}

/// The longest list of indexes, in bytes.
const LONGEST_INDEXES: usize = 64 * 1024;

/// How many indexes `1,3-5` names, all of them below the number of completions and each above the one before.
fn indexes_of(text: &str, completions: i64) -> Result<i64, String> {
    let number = |part: &str| match part.parse::<i64>() {
        Err(_) => Err(format!("cannot convert string to integer for index: {part:?}")),
        Ok(index) if index >= completions => Err(format!("too large index: {part:?}")),
        Ok(index) => Ok(index),
    };
    let unordered =
        |before: i64, index: i64| Err(format!("non-increasing order, previous: {before}, current: {index}"));
    let (mut last, mut total) = (None, 0_i64);
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let mut limits = interval.split('-');
        let (first, second) = (limits.next().unwrap_or_default(), limits.next());
        if limits.next().is_some() {
            return Err(format!(
                "the fragment {interval:?} violates the requirement that an index interval can have at most two parts \
                 separated by '-'"
            ));
        }
        let first = number(first)?;
        let end = second.map_or(Ok(first), number)?;
        if second.is_some() && first >= end {
            return unordered(first, end);
        }
        if let Some(last) = last.filter(|last| *last >= first) {
            return unordered(last, first);
        }
        total = total.saturating_add(end.saturating_sub(first)).saturating_add(1);
        last = Some(end);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {{}, template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}\n";

    #[test]
    fn failures() {
        let bench = Bench::new();
        let frame = JOB.replace("{}", "podFailurePolicy: {rules: [{}]}");
        bench.accepts_all(
            &frame,
            &[
                "{action: FailJob, onExitCodes: {operator: In, values: [1, 2], containerName: a}}",
                "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}",
                "{action: Count, onPodConditions: [{type: a.b/c, status: 'False'}]}",
            ],
        );
        for (rule, error) in [
            ("{action: Fail, onPodConditions: [{type: A}]}", ".action: Unsupported value: \"Fail\""),
            (
                "{onPodConditions: [{type: A}]}",
                ".action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]",
            ),
            (
                "{action: FailIndex, onPodConditions: [{type: A}]}",
                ".action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set",
            ),
            (
                "{action: Ignore}",
                ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
            ),
            (
                "{action: Ignore, onPodConditions: [{type: A}], onExitCodes: {operator: In, values: [1]}}",
                ": Invalid value: specifying both",
            ),
            (
                "{action: Ignore, onExitCodes: {operator: In, values: [0]}}",
                ".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
            ),
            (
                "{action: Ignore, onExitCodes: {operator: In, values: [2, 1]}}",
                ".onExitCodes.values: Invalid value: must be ordered",
            ),
            (
                "{action: Ignore, onExitCodes: {operator: In, values: [1, 1]}}",
                ".onExitCodes.values[1]: Duplicate value: 1",
            ),
            (
                "{action: Ignore, onExitCodes: {operator: In}}",
                ".onExitCodes.values: Invalid value: \"\": at least one value is required",
            ),
            (
                "{action: Ignore, onExitCodes: {operator: In, values: [1], containerName: b}}",
                ".onExitCodes.containerName: Invalid value: \"b\": must be one of the container",
            ),
            (
                "{action: Ignore, onExitCodes: {values: [1]}}",
                ".onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]",
            ),
            (
                "{action: Ignore, onPodConditions: [{type: A, status: maybe}]}",
                ".onPodConditions[0].status: Unsupported value: \"maybe\"",
            ),
        ] {
            bench.refuses(&frame.replace("{}", rule), &[&format!("spec.podFailurePolicy.rules[0]{error}")]);
        }
        bench.refuses(
            &JOB.replace("{}", "podReplacementPolicy: TerminatingOrFailed, podFailurePolicy: {rules: []}"),
            &["spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\""],
        );
    }

    #[test]
    fn successes() {
        let bench = Bench::new();
        let frame =
            JOB.replace("{}", "completionMode: Indexed, completions: 3, successPolicy: {rules: [{}]}");
        bench.accepts_all(
            &frame,
            &[
                "{succeededCount: 1}",
                "{succeededIndexes: '0-1'}",
                "{succeededIndexes: '0,2', succeededCount: 2}",
            ],
        );
        bench.refuses_all(
            &frame,
            &[
                ("", "spec.successPolicy.rules: Required value: at least one rules"),
                ("{}", "spec.successPolicy.rules[0]: Required value: at least one of succeededCount"),
                ("{succeededIndexes: '0-3'}", "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"0-3\": error parsing succeededIndexes: too large index: \"3\""),
                ("{succeededIndexes: a}", "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"a\": error parsing succeededIndexes: cannot convert string to integer for index: \"a\""),
                ("{succeededIndexes: '1,0'}", "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"1,0\": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0"),
                ("{succeededIndexes: 0-1-2}", "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"0-1-2\": error parsing succeededIndexes: the fragment \"0-1-2\" violates"),
                ("{succeededIndexes: '0', succeededCount: 2}", "spec.successPolicy.rules[0].succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes"),
                ("{succeededCount: 4}", "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3"),
            ],
        );
    }
}
