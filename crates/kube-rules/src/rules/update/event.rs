//! Events of the newer group: only their series goes on.

use super::Update;
use crate::place::FieldPlace;
use crate::problem::Report;
use crate::rules::event;

/// Checks the update of an Event: a series that changed is looked at again.
pub(super) fn check(
    new: &FieldPlace<'_, '_>,
    old: &FieldPlace<'_, '_>,
    update: &Update<'_>,
    report: &mut Report,
) {
    if update.change(new, old, &["series"], update.removed(), &[]).is_some() {
        event::check_series(new, report);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    const EVENT: &str = "apiVersion: events.k8s.io/v1\nkind: Event\nmetadata: {name: e, namespace: default}\neventTime: '2026-01-01T00:00:00.000000Z'\nreportingController: a.b/c\nreportingInstance: i\naction: a\nreason: r\ntype: Normal\nregarding: {kind: Pod, name: p, namespace: default}\n";

    #[test]
    fn only_the_series_of_an_event_changes() {
        let bench = Bench::new();
        let series = |count: u32| {
            format!("{EVENT}series: {{count: {count}, lastObservedTime: '2026-01-01T00:00:00.000000Z'}}\n")
        };
        bench.updates(EVENT, &series(2), &[]);
        bench.updates(&series(2), &series(3), &[]);
        bench.updates(EVENT, &series(1), &["series.count: Invalid value: 1: should be at least 2"]);
        bench.updates_with(
            EVENT,
            &EVENT.replace("name: p", "name: q"),
            "involvedObject: Invalid value: \"q\": field is immutable",
        );
        bench.updates_with(
            EVENT,
            &format!("{EVENT}note: text\n"),
            "message: Invalid value: \"text\": field is immutable",
        );
        // Events of the older group may change as they like.
        let old = EVENT.replace("events.k8s.io/v1", "v1").replace("Controller", "Component");
        let old = old.replace("regarding", "involvedObject");
        bench.updates(&old, &old.replace("reason: r", "reason: s"), &[]);
    }
}
