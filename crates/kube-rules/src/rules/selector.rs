//! Label selectors: their requirements, and that those of workloads select the pods of their own template.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use trueline_kube_facts::{Breach, names, rules};
use trueline_source::Span;

use super::Context;
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// An empty selector would select all pods.
    EMPTY: Invalid, "selector/empty", "empty selector is invalid for {}";
    /// The selector is not allowed.
    NOT_A_SELECTOR: Invalid, "selector/not-a-selector";
    /// The selector is not allowed.
    INVALID: Invalid, "selector/invalid", "invalid label selector";
    /// The selector does not match the labels of the pod template.
    TEMPLATE_LABELS: Invalid, "selector/template-labels", "`selector` does not match template `labels`";
}

/// Checks `meta.LabelSelector`.
pub(super) fn check(selector: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    super::metadata::labels(&selector.child("matchLabels"), report);
}

/// Checks `meta.LabelSelectorRequirement`.
pub(super) fn check_requirement(
    requirement: &FieldPlace<'_, '_>,
    context: &Context<'_>,
    report: &mut Report,
) {
    let (key, operator, values) =
        (requirement.child("key"), requirement.child("operator"), requirement.child("values"));
    match operator.text() {
        Some("In" | "NotIn") if values.is_empty() => {
            report.refuse(&values, &crate::rules::placement::NO_VALUES);
        }
        Some("Exists" | "DoesNotExist") if values.count() > 0 => {
            report.refuse(&values, &crate::rules::placement::VALUES);
        }
        None | Some("In" | "NotIn" | "Exists" | "DoesNotExist") => {}
        // Questions about rights may ask by operators that are not known yet.
        Some(_) if requirement.name_around() == "requirements" => {}
        Some(_) => report.refuse(&operator, &crate::rules::placement::OPERATOR),
    }
    if let Some(text) = key.text() {
        report.complain(&key, names::qualified_name(text));
    }
    for value in values.items().filter(|_| context.version.minor >= 26) {
        if let Some(text) = value.text() {
            report.complain(&value, names::label_value(text));
        }
    }
}

/// Checks the specs of Deployments, ReplicaSets, StatefulSets and DaemonSets: a selector that selects something, and
/// the pods of the template among it.
pub(super) fn check_workload(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let selector = spec.child("selector");
    if selector.is_absent() {
        // A missing selector selects nothing, and so not the template.
        return mismatch(spec, Vec::new(), report);
    }
    let (labels, expressions) = (selector.child("matchLabels"), selector.child("matchExpressions"));
    if labels.is_empty() && expressions.is_empty() {
        let kind = match context.kind {
            "StatefulSet" => "statefulset",
            "DaemonSet" => "daemonset",
            _ => "deployment",
        };
        report.refuse(&selector, EMPTY.with(kind));
    } else if !is_sound(&labels, &expressions) {
        // The server says so a second time, and compares nothing.
        match context.kind {
            "DaemonSet" => {}
            "StatefulSet" => report.refuse(&selector, &NOT_A_SELECTOR),
            _ => report.refuse(&selector, &INVALID),
        }
    } else {
        compare(spec, &selector, template_labels(spec), report);
    }
}

/// Compares a selector that can be compared with the labels that pods will have.
fn compare(spec: &FieldPlace<'_, '_>, selector: &FieldPlace<'_, '_>, have: Labels<'_>, report: &mut Report) {
    let (labels, expressions) = (selector.child("matchLabels"), selector.child("matchExpressions"));
    let mut unmet = unmet_labels(&labels, &have);
    let missed = expressions.items().filter(|expression| !selects_one(expression, &have));
    let words = "the labels of the template do not meet this";
    unmet.extend(missed.map(|expression| Unmet {
        place: expression.span(),
        words: words.to_owned(),
        label: None,
    }));
    if !unmet.is_empty() {
        mismatch(spec, unmet, report);
    }
}

/// Compares the selector of a Job with the labels of its template and those that the server gives to its pods, of which
/// the values are not known.
pub(super) fn compare_job(spec: &FieldPlace<'_, '_>, given: &[&'static str], report: &mut Report) {
    let selector = spec.child("selector");
    if selector.is_absent() {
        return mismatch(spec, Vec::new(), report);
    }
    let mut have = template_labels(spec);
    have.extend(given.iter().map(|key| (Cow::Borrowed(*key), None)));
    compare(spec, &selector, have, report);
}

/// Whether a selector can be compared with labels.
pub(super) fn is_comparable(selector: &FieldPlace<'_, '_>) -> bool {
    is_sound(&selector.child("matchLabels"), &selector.child("matchExpressions"))
}

/// Whether labels and expressions can be compared with labels.
fn is_sound(labels: &FieldPlace<'_, '_>, expressions: &FieldPlace<'_, '_>) -> bool {
    let is_label = |key: &str, value: Option<&str>| {
        names::qualified_name(key).is_empty()
            && value.is_none_or(|value| names::label_value(value).is_empty())
    };
    labels.entries().all(|(key, value)| is_label(&key, value.text()))
        && expressions.items().all(|expression| {
            let values = expression.child("values");
            let is_operator = match expression.child("operator").text() {
                Some("In" | "NotIn") => !values.is_empty(),
                Some("Exists" | "DoesNotExist") => values.count() == 0,
                operator => operator.is_none(),
            };
            let key = expression.child("key");
            is_operator
                && key.text().is_none_or(|key| {
                    values.items().all(|value| is_label(key, value.text())) && is_label(key, None)
                })
        })
}

/// Checks `core.ReplicationControllerSpec`: an absent selector is taken from the template.
pub(super) fn check_controller(spec: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let (selector, template) = (spec.child("selector"), spec.child("template"));
    let labels = template_labels(spec);
    if selector.is_empty() && labels.is_empty() {
        report.missing(&selector);
    }
    if template.is_absent() {
        report.missing(&template);
        return;
    }
    let unmet = unmet_labels(&selector, &labels);
    if !unmet.is_empty() {
        mismatch(spec, unmet, report);
    }
}

/// How many parts of a selector are pointed at.
const MOST: usize = 20;

/// Reports that a template is not selected, and points at the parts of the selector that are to blame.
fn mismatch(spec: &FieldPlace<'_, '_>, mut unmet: Vec<Unmet>, report: &mut Report) {
    let template = spec.child("template");
    let metadata = template.child("metadata");
    let breach = match unmet.first().and_then(|first| first.label.as_ref()) {
        Some((key, value)) => TEMPLATE_LABELS.with(key).and(value),
        None => Breach::from(&TEMPLATE_LABELS),
    };
    report.refuse(&metadata.child("labels"), breach);
    unmet.truncate(MOST);
    report.beside(unmet.into_iter().map(|unmet| (unmet.place, unmet.words)).collect());
}

/// A part of a selector that a template does not meet.
struct Unmet {
    place: Span,
    words: String,
    /// The label that it wants, and its value.
    label: Option<(String, String)>,
}

/// The labels of a selector that a template does not have, each with what it has.
fn unmet_labels(wanted: &FieldPlace<'_, '_>, have: &Labels<'_>) -> Vec<Unmet> {
    let unmet = wanted.entries().filter(|(key, value)| !matches(have, key, value));
    let words = |(key, value): (Cow<'_, str>, FieldPlace<'_, '_>)| {
        let wanted = value.text().unwrap_or_default();
        let words = match have.get(&key).copied().flatten() {
            Some(found) => format!("this wants `{key}: {wanted}`, but the template has `{key}: {found}`"),
            None => format!("this wants `{key}: {wanted}`, but the template has no label `{key}`"),
        };
        Unmet { place: value.span(), words, label: Some((key.into_owned(), wanted.to_owned())) }
    };
    unmet.map(words).collect()
}

type Labels<'d> = FxHashMap<Cow<'d, str>, Option<&'d str>>;

fn template_labels<'d>(spec: &FieldPlace<'_, 'd>) -> Labels<'d> {
    let template = spec.child("template");
    let metadata = template.child("metadata");
    let labels = metadata.child("labels");
    labels.entries().map(|(key, value)| (key, value.text())).collect()
}

fn matches(labels: &Labels<'_>, key: &str, value: &FieldPlace<'_, '_>) -> bool {
    // A value of another type has been reported; nothing more is made of it.
    let is_same = |label: &Option<&str>| label.is_none() || value.text().is_none() || *label == value.text();
    labels.get(key).is_some_and(is_same)
}

fn selects_one(expression: &FieldPlace<'_, '_>, have: &Labels<'_>) -> bool {
    let Some(key) = expression.child("key").full_text() else { return true };
    let label = have.get(key);
    let values = expression.child("values");
    let is_listed = |value: Option<&str>| values.items().any(|item| item.text() == value);
    match (expression.child("operator").text(), label) {
        (Some("In"), Some(value)) => is_listed(*value),
        (Some("In" | "Exists"), None) => false,
        (Some("NotIn"), Some(value)) => !is_listed(*value),
        (Some("DoesNotExist"), Some(_)) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const FRAME: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {}\n  template:\n    metadata: {labels: {a: b, c: d}}\n    spec: {containers: [{name: a, image: i}]}\n";
    const MISMATCH: &str = "spec.template.metadata.labels: Invalid value";

    #[test]
    fn selectors() {
        let bench = Bench::new();
        bench.accepts_all(
            FRAME,
            &[
                "{matchLabels: {a: b}}",
                "{matchLabels: {a: b, c: d}}",
                "{matchExpressions: [{key: a, operator: In, values: [x, b]}]}",
                "{matchExpressions: [{key: a, operator: Exists}, {key: z, operator: DoesNotExist}]}",
                "{matchExpressions: [{key: z, operator: NotIn, values: [b]}]}",
            ],
        );
        bench.refuses_all(
            FRAME,
            &[
                ("{matchLabels: {a: c}}", MISMATCH),
                ("{matchLabels: {z: b}}", MISMATCH),
                ("{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}", MISMATCH),
                ("{matchExpressions: [{key: z, operator: Exists}]}", MISMATCH),
                ("{}", "spec.selector: Invalid value: empty selector is invalid for deployment"),
            ],
        );
        for (selector, error) in [
            ("key: a, operator: In", "values: Required value: must be specified when `operator`"),
            (
                "key: a, operator: Exists, values: [b]",
                "values: Forbidden: may not be specified when `operator`",
            ),
            ("key: a, operator: Is", "operator: Invalid value: \"Is\": not a valid selector operator"),
            ("key: a b, operator: Exists", "key: Invalid value: \"a b\""),
        ] {
            let text = FRAME.replace("{}", &format!("{{matchExpressions: [{{{selector}}}]}}"));
            let error = format!("spec.selector.matchExpressions[0].{error}");
            bench.refuses(&text, &[&error, "spec.selector: Invalid value: invalid label selector"]);
        }
        for (selector, expected) in [
            ("{matchLabels: {a: b, c: x}}", "«x» this wants `c: x`, but the template has `c: d`"),
            ("{matchLabels: {z: b}}", "«b» this wants `z: b`, but the template has no label `z`"),
            (
                "{matchExpressions: [{key: z, operator: Exists}]}",
                "«key» the labels of the template do not meet this",
            ),
        ] {
            assert_eq!(bench.related(&FRAME.replace("{}", selector)), [expected], "{selector}");
        }
        bench.refuses(&FRAME.replace("{}", "null"), &["spec.selector: Required value", MISMATCH]);
        let daemon_set = FRAME.replace("Deployment", "DaemonSet");
        bench.refuses(&daemon_set.replace("{}", "{matchLabels: {a: c}}"), &[MISMATCH]);
        bench.accepts("apiVersion: v1\nkind: ReplicationController\nmetadata: {name: r}\nspec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}");
        bench.refuses("apiVersion: v1\nkind: ReplicationController\nmetadata: {name: r}\nspec: {selector: {a: c}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}", &[MISMATCH]);
    }
}
