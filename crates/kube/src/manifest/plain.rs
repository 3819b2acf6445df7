//! Plain words for errors of the server's whose own sentence is hard to read. They are chosen by the rule that was broken
//! and made of what is known of the breach; the server's sentence stays in `kube`.

use trueline_apimachinery::names::{Fault, NameProblem};
use trueline_diagnostic::{Diagnostic, nearest};
use trueline_kube_facts::meant::offer;
use trueline_kube_facts::names::{LABEL_VALUE, LONG_LABEL};
use trueline_kube_facts::{Detail, FieldError, FieldPath, Segment, ServerRule, schema_rules as schema};
use trueline_kube_rules::rules::{cron, env, ephemeral, job, mounts, pod, resources, selector, service};
use trueline_source::Span;
use trueline_yaml::NodeRef;

use super::{Fact, Object, Problem, sentences};

/// What is said of a selector and a pod template that differ, at the part of the selector that nothing meets, unless the
/// labels of the object itself say that it is the template which lacks it.
pub(super) fn at_selector(mut finding: Diagnostic, problem: &Problem, object: &Object<'_>) -> Diagnostic {
    let Fact::Refused(error, _) = &problem.fact else { return finding };
    let Some(unmet) = finding.related.first().cloned().filter(|_| error.breaks(&selector::TEMPLATE_LABELS))
    else {
        return finding;
    };
    let wanted = error.detail.text(0).zip(error.detail.text(1));
    let labels = object.node.get("metadata").and_then(|metadata| metadata.get("labels"));
    let mut labels = labels.and_then(NodeRef::entries).into_iter().flatten();
    if labels.any(|(key, value)| key.text().zip(value.text()) == wanted && wanted.is_some()) {
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
    let typed = error.typed();
    if let Some((_, referred)) = REFERRED.iter().find(|(rule, _)| error.breaks(rule)) {
        return with(format!("no {referred} is named `{typed}`"));
    }
    let field = &error.field;
    match error.rule {
        rule if rule == &selector::TEMPLATE_LABELS => {
            let spec = field.parent().parent().parent().field("selector");
            with(format!("`{spec}` does not match the pod template's labels"))
        }
        rule if rule == &LONG_LABEL && is_of_labels(field) => {
            let Detail::Name(NameProblem { fault: Fault::LongInBytes(limit), .. }) = error.detail else {
                return finding;
            };
            let (label, length) = (label_at(object, field, place), typed.chars().count());
            with(format!("{label} is {length} characters long; the limit is {limit}"))
        }
        rule if rule == &LABEL_VALUE && is_of_labels(field) => {
            let label = label_at(object, field, place);
            with(format!("{label} has the value `{typed}`, which is not allowed"))
                .help("use letters, digits, `-`, `_` and `.`, and begin and end with a letter or a digit")
        }
        rule if rule == &job::SCHEDULE => match cron::explain(typed) {
            Some(words) => with(format!("invalid cron schedule: {words}")),
            None => finding,
        },
        rule if rule == &resources::UNKNOWN => {
            resource(with(format!("`{typed}` is not the name of a resource")), typed)
        }
        rule if rule == &resources::UNKNOWN_IN_CONTAINER => {
            let words = match trueline_kube_rules::rules::is_standard_resource(typed) {
                true => format!("`{typed}` is not a resource that a container can have"),
                false => format!("`{typed}` is not the name of a resource"),
            };
            resource(with(words), typed)
        }
        rule if rule == &service::DUPLICATE_NODE_PORT => {
            with(format!("node port {typed} appears twice")).help("give each port a node port of its own")
        }
        rule if rule == &resources::REQUEST_ABOVE_LIMIT => {
            let (Some(resource), Some(of)) = (error.detail.text(0), error.detail.text(1)) else {
                return finding;
            };
            with(format!("the {resource} request `{typed}` is higher than the limit{of}"))
        }
        _ => match sentences::of(error) {
            Some((words, Some(help))) => with(words).help(help),
            Some((words, None)) => with(words),
            None => finding,
        },
    }
}

/// Whether an error has words of its own here.
pub(super) fn has_words(error: &FieldError) -> bool {
    let rules: [&ServerRule; 7] = [
        &selector::TEMPLATE_LABELS,
        &job::SCHEDULE,
        &resources::UNKNOWN,
        &resources::UNKNOWN_IN_CONTAINER,
        &service::DUPLICATE_NODE_PORT,
        &resources::REQUEST_ABOVE_LIMIT,
        &LONG_LABEL,
    ];
    let mut all = rules.into_iter().chain(REFERRED.iter().map(|(rule, _)| *rule));
    sentences::has(error)
        || all.any(|rule| error.rule == rule)
        || error.rule == &LABEL_VALUE && is_of_labels(&error.field)
}

/// What a name refers to that is not there.
static REFERRED: [(&ServerRule, &str); 4] = [
    (&mounts::UNKNOWN_VOLUME, "volume"),
    (&env::UNKNOWN_VOLUME, "volume"),
    (&pod::UNKNOWN_RESOURCE_CLAIM, "resource claim"),
    (&ephemeral::UNKNOWN_TARGET, "container"),
];

/// Whether a path is that of a map of labels.
fn is_of_labels(field: &FieldPath) -> bool {
    field.ends_with(&["labels"]) || field.ends_with(&["matchLabels"])
}

/// The label whose value is at a place. The server leaves `metadata` out of the path of a template's labels.
fn label_at(object: &Object<'_>, field: &FieldPath, place: Span) -> String {
    let mut whole = Vec::new();
    for segment in field.segments() {
        let is_template = whole.last().is_some_and(|last: &Segment| last.is("template"));
        if is_template && segment.is("labels") {
            whole.push(Segment::field("metadata"));
        }
        whole.push(segment.clone());
    }
    let paths = [field.clone(), FieldPath::new(whole)];
    let maps = paths.iter().filter_map(|path| object.node.at_pointer(&path.pointer()));
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

/// What a schema wants a value to be, where it is of another type or format.
pub(super) fn wanted_type(error: &FieldError) -> Option<&str> {
    error.detail.text(0).filter(|_| error.breaks(&schema::TYPE))
}
