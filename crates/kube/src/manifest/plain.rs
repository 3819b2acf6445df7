//! Plain words for errors of the server's whose own sentence is hard to read. The server's words stay in `kube`.

use trueline_diagnostic::{Diagnostic, nearest};
use trueline_source::Span;
use trueline_yaml::NodeRef;

use super::{Object, pointer};
use crate::meant::offer;
use crate::rules::cron;
use crate::{FieldError, Reason};

/// What is said of a selector and a pod template that differ, at the part of the selector that nothing meets, unless the
/// labels of the object itself say that it is the template which lacks it.
pub(super) fn at_selector(mut finding: Diagnostic, object: &Object<'_>) -> Diagnostic {
    const TEMPLATE: &str = ".selector` does not match the pod template's labels";
    let Some(unmet) = finding.related.first().cloned().filter(|_| finding.message.contains(TEMPLATE)) else {
        return finding;
    };
    let labels = object.node.get("metadata").and_then(|metadata| metadata.get("labels"));
    let mut labels = labels.and_then(NodeRef::entries).into_iter().flatten();
    let has_it = labels.any(|(key, value)| {
        let wanted =
            format!("this wants `{}: {}`", key.text().unwrap_or_default(), value.text().unwrap_or_default());
        unmet.text.starts_with(&wanted)
    });
    if has_it {
        return finding;
    }
    let labels = std::mem::replace(&mut finding.primary, unmet);
    if let Some(first) = finding.related.first_mut() {
        *first = labels;
        first.text = "these are the labels of the template".into();
    }
    finding
}

/// The same finding in plain words, where there are better ones than the server's.
pub(super) fn reword(
    finding: Diagnostic,
    error: &FieldError,
    object: &Object<'_>,
    place: Span,
) -> Diagnostic {
    let with = |message: String| Diagnostic { message, ..finding.clone() };
    let typed = error.value.as_deref().unwrap_or_default().trim_matches('"');
    let detail = error.detail.as_str();
    let field = error.field.as_str();
    if error.reason == Reason::NotFound {
        return with(format!("no {} is named `{typed}`", referred(field)));
    }
    if error.reason != Reason::Invalid {
        return finding;
    }
    if detail == "`selector` does not match template `labels`" {
        let spec = field.strip_suffix(".template.metadata.labels").unwrap_or("spec");
        return with(format!("`{spec}.selector` does not match the pod template's labels"));
    }
    let is_label = [".labels", ".matchLabels"].iter().any(|end| field.ends_with(end));
    if is_label && let Some(limit) = length_limit(detail) {
        let label = label_at(object, field, place);
        let length = typed.chars().count();
        return with(format!("{label} is {length} characters long; the limit is {limit}"));
    }
    if is_label && detail.starts_with("a valid label must be an empty string or consist of") {
        let label = label_at(object, field, place);
        return with(format!("{label} has the value `{typed}`, which is not allowed"))
            .help("use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit");
    }
    if field.ends_with("spec.schedule") && object.kind == "CronJob" {
        return match cron::explain(typed) {
            Some(words) => with(format!("invalid cron schedule: {words}")),
            None => finding,
        };
    }
    match detail {
        "must be a standard resource type or fully qualified" => {
            resource(with(format!("`{typed}` is not the name of a resource")), typed)
        }
        "must be a standard resource for containers" => {
            let words = match crate::rules::is_standard_resource(typed) {
                true => format!("`{typed}` is not a resource that a container can have"),
                false => format!("`{typed}` is not the name of a resource"),
            };
            resource(with(words), typed)
        }
        _ => finding,
    }
}

/// What a name refers to that is not there.
fn referred(field: &str) -> &'static str {
    let ends = |end: &str| field.ends_with(end);
    match field {
        field if field.contains(".volumeMounts[") || field.contains(".volumeDevices[") => "volume",
        _ if ends(".volumeName") => "volume",
        field if field.contains(".claims[") => "resource claim",
        _ => "object of this pod",
    }
}

fn length_limit(detail: &str) -> Option<&str> {
    let limit = detail.strip_prefix("must be no more than ")?;
    limit.strip_suffix(" bytes").or_else(|| limit.strip_suffix(" characters"))
}

/// The label whose value is at a place. The server leaves `metadata` out of the path of a template's labels.
fn label_at(object: &Object<'_>, field: &str, place: Span) -> String {
    let paths = [field.to_owned(), field.replace(".template.labels", ".template.metadata.labels")];
    let maps = paths.iter().filter_map(|path| object.node.at_pointer(&pointer(path)));
    let mut entries = maps.filter_map(NodeRef::entries).flatten();
    match entries.find(|(_, value)| value.span() == place) {
        Some((key, _)) => format!("the label `{}`", key.key_text()),
        None => "this label".to_owned(),
    }
}

/// Resources that containers ask for.
const RESOURCES: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

fn resource(finding: Diagnostic, typed: &str) -> Diagnostic {
    match nearest(typed, RESOURCES) {
        Some(meant) => offer(finding, meant),
        None => finding.help(
            "use `cpu`, `memory`, `ephemeral-storage` or `hugepages-SIZE`; other resources have a domain, such as `example.com/gpu`",
        ),
    }
}
