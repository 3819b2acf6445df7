//! Which documents are hooks, and when they run.

use trueline_gotemplate::fmt::quote;

use super::Head;
use crate::log::{Level, LogLine};

/// The annotation that makes a document a hook.
const ANNOTATION: &str = "helm.sh/hook";

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the annotation")]
pub enum Event {
    PreInstall,
    PostInstall,
    PreDelete,
    PostDelete,
    PreUpgrade,
    PostUpgrade,
    PreRollback,
    PostRollback,
    Test,
}

const EVENTS: [(&str, Event); 10] = [
    ("pre-install", Event::PreInstall),
    ("post-install", Event::PostInstall),
    ("pre-delete", Event::PreDelete),
    ("post-delete", Event::PostDelete),
    ("pre-upgrade", Event::PreUpgrade),
    ("post-upgrade", Event::PostUpgrade),
    ("pre-rollback", Event::PreRollback),
    ("post-rollback", Event::PostRollback),
    ("test", Event::Test),
    // The name that Helm 2 had for it.
    ("test-success", Event::Test),
];

/// What the annotation makes of a document.
pub(super) enum HookEvents {
    /// No hook.
    None,
    /// A hook.
    Known(Vec<Event>),
    /// A hook with an event that Helm does not know: it is left out, and this is said about it.
    Unknown(LogLine),
}

pub(super) fn events(head: &Head) -> HookEvents {
    let Some(types) = head.annotations.get(ANNOTATION) else { return HookEvents::None };
    let events: Option<Vec<Event>> = types
        .split(',')
        .map(|name| {
            let name = name.trim().to_lowercase();
            EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event)| *event)
        })
        .collect();
    match events {
        Some(events) => HookEvents::Known(events),
        None => HookEvents::Unknown(
            LogLine::new(Level::Info, "skipping unknown hooks")
                .with("hookTypes", types.as_str())
                .in_helm3("manifest_sorter.go:199", format!("info: skipping unknown hook: {}", quote(types))),
        ),
    }
}
