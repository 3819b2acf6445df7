//! Events: newer ones say who reports them, and what was done.

use trueline_kube_facts::{names, rules};

use super::{Context, Operation};
use crate::place::FieldPlace;
use crate::problem::Report;

rules! {
    /// The type of an event is neither `Normal` nor `Warning`.
    TYPE: Invalid, "event/type", "has invalid value: {}";
    /// A field of the older kind of events is set.
    DEPRECATED_FIELD: Invalid, "event/deprecated-field", "needs to be unset";
    /// A series of events has fewer than two of them.
    SERIES_COUNT: Invalid, "event/series-count", "should be at least 2";
    /// An event is not in the namespace of what it is about.
    NAMESPACE: Invalid, "event/namespace", "does not match event.namespace";
    /// A field of an event has more than 128 characters.
    LONG_FIELD: Invalid, "event/long-field", "can have at most 128 characters";
    /// The note of an event has more than 1024 characters.
    LONG_NOTE: Invalid, "event/long-note", "can have at most 1024 characters";
}

/// Checks `core.Event`.
pub(super) fn check(event: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    if event.child("eventTime").is_absent() {
        return agrees(event, "involvedObject", report);
    }
    reported(event, "reportingComponent", "message", report);
}

/// Checks `events.Event`, in which some fields of old events have other names; the server keeps to the old ones.
pub(super) fn check_new(event: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let time = event.child("eventTime");
    if time.is_absent() {
        agrees(event, "regarding", report);
    } else {
        reported(event, "reportingController", "note", report);
    }
    if context.operation == Operation::Update {
        return;
    }
    if time.is_absent() {
        report.missing(&time);
    }
    let kind = event.child("type");
    if let Some(text) = kind.text().filter(|text| !matches!(*text, "Normal" | "Warning")) {
        report.refuse(&kind, TYPE.with(text));
    }
    for (field, named) in [
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
        ("deprecatedSource", "source"),
    ] {
        let place = event.child(field);
        let is_unset = place.is_empty() || place.integer() == Some(0);
        if !is_unset {
            report.refuse(&event.child(named).at(&place), &DEPRECATED_FIELD);
        }
    }
    check_series(event, report);
}

/// A series is of at least two events.
pub(super) fn check_series(event: &FieldPlace<'_, '_>, report: &mut Report) {
    let series = event.child("series");
    if !series.is_absent() {
        let (count, last) = (series.child("count"), series.child("lastObservedTime"));
        if count.is_absent() || count.integer().is_some_and(|count| count < 2) {
            report.refuse(&count, &SERIES_COUNT);
        }
        if last.is_absent() {
            report.missing(&last);
        }
    }
}

/// An event is in the namespace of what it is about, where both are named.
fn agrees(event: &FieldPlace<'_, '_>, about: &'static str, report: &mut Report) {
    let metadata = event.child("metadata");
    let object = event.child(about);
    let (own, other) = (metadata.child("namespace"), object.child("namespace"));
    let Some(own) = own.full_text() else { return };
    let is_same = match other.text() {
        Some("") => own == "default",
        Some(other) => own == other,
        None => true,
    };
    if !is_same {
        let around = event.child("involvedObject");
        report.refuse(&around.child("namespace").at(&other), &NAMESPACE);
    }
}

/// Who reports an event, what was done, and why.
fn reported(event: &FieldPlace<'_, '_>, by: &'static str, text: &'static str, report: &mut Report) {
    let controller = event.child(by);
    if let Some(name) = controller.text() {
        if name.is_empty() {
            report.missing(&controller);
        }
        report.complain(&controller, names::qualified_name(name));
    }
    for field in ["reportingInstance", "action", "reason"] {
        let place = event.child(field);
        match place.text() {
            Some("") => report.missing(&place),
            Some(text) if text.len() > 128 => report.refuse(&place, &LONG_FIELD),
            _ => {}
        }
    }
    let message = event.child(text);
    if message.text().is_some_and(|text| text.len() > 1024) {
        report.refuse(&event.child("message").at(&message), &LONG_NOTE);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn events() {
        let bench = Bench::new();
        let old = "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: a}\n{}\n";
        bench.accepts_all(old, &["involvedObject: {kind: Pod, namespace: a}"]);
        bench.refuses_all(
            old,
            &[(
                "involvedObject: {kind: Pod, namespace: b}",
                "involvedObject.namespace: Invalid value: \"b\": does not match event.namespace",
            )],
        );
        let time = "eventTime: '2026-01-01T00:00:00.000000Z'";
        let rest = "reportingController: a.b/c\nreportingInstance: d\naction: e\nreason: f\nregarding: {kind: Pod, namespace: a}";
        let new = "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e, namespace: a}\n{}\n";
        bench.accepts_all(new, &[&format!("{time}\ntype: Normal\n{rest}")]);
        bench.refuses_all(
            new,
            &[
                (&format!("{time}\ntype: Error\n{rest}"), "type: Invalid value: \"Error\": has invalid value: Error"),
                (&format!("{time}\ntype: Normal\ndeprecatedCount: 1\n{rest}"), "count: Invalid value: 1: needs to be unset"),
                (&format!("{time}\ntype: Normal\nseries: {{count: 1, lastObservedTime: '2026-01-01T00:00:00.000000Z'}}\n{rest}"), "series.count: Invalid value: 1: should be at least 2"),
            ],
        );
    }
}
