//! Whether a workload says which pods are its own.

use trueline_gotemplate::fmt::quote;

use super::objects::Object;

/// The error about a workload without a selector. Helm looks for the words anywhere in the file.
pub(super) fn error(object: &Object, text: &str) -> Option<String> {
    if !matches!(object.kind.as_str(), "Deployment" | "ReplicaSet" | "DaemonSet" | "StatefulSet")
        || text.contains("matchLabels")
        || text.contains("matchExpressions")
    {
        return None;
    }
    let (kind, name) = (&object.kind, quote(&object.metadata.name));
    Some(format!("a {kind} must contain matchLabels or matchExpressions, and {name} does not"))
}
