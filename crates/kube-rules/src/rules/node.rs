//! Nodes: the addresses of their pods, what they taint themselves with, and which pods they would rather not have.

use std::collections::BTreeSet;
use std::sync::Arc;

use trueline_gostd::json::json_fault;
use trueline_kube_facts::{FieldError, go_quoted, joined, names, rules};
use trueline_yaml::{Limits, NodeKind, NodeRef, ScalarValue, json};

use super::warning::address;
use super::{Context, syntax};
use crate::place::FieldPlace;
use crate::problem::{Fact, Report};

rules! {
    /// The ranges of addresses of a node cannot be counted.
    TOO_MANY_RANGES: Internal, "node/too-many-ranges",
        "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[0]: <nil> (invalid CIDR address: \
         {})";
    /// Two ranges of addresses of a node are of the same IP family.
    SAME_FAMILY: Invalid, "node/same-family", "may specify no more than one CIDR for each IP family";
    /// The value of a taint is not allowed.
    TAINT_VALUE: Invalid, "node/taint-value", "{}";
    /// A taint is listed twice.
    DUPLICATE_TAINT: Duplicate, "node/duplicate-taint", "taints must be unique by key and effect pair";
    /// The annotation for taints is not JSON.
    TAINTS_ANNOTATION: Invalid, "node/taints-annotation", "{}";
    /// The annotation for pods to avoid is not JSON.
    AVOID_ANNOTATION: Invalid, "node/avoid-annotation", "{}";
    /// The annotation for pods to avoid names no controller.
    AVOID_CONTROLLER: Invalid, "node/avoid-controller", "must point to a controller";
}

/// Checks `core.NodeSpec`.
pub(super) fn check(spec: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let all = spec.child("podCIDRs");
    let single = spec.child("podCIDR");
    let first = all.items().next().and_then(|item| item.text()).unwrap_or_default();
    if let (Some(text), Some(node)) = (single.full_text(), single.node())
        && (all.count() == 0 || first != text)
    {
        // The single one counts where the list has none, or another one first.
        let place = all.index(0, node).at(&single);
        report.complain(&place, syntax::cidr(text));
        address::refuse_range(&place, context, report);
    } else {
        ranges(&all, context, report);
    }
    // The server looks for taints in the spec, and names them as if they stood in the metadata.
    let metadata = spec.top().child("metadata");
    taints(&metadata.child("taints").at(&spec.child("taints")), report);
}

/// The ranges of the addresses of pods: one of each family.
fn ranges(ranges: &FieldPlace<'_, '_>, context: &Context<'_>, report: &mut Report) {
    let families: Vec<bool> =
        ranges.items().filter_map(|item| item.text()).map(|text| text.contains(':')).collect();
    for item in ranges.items() {
        if let Some(text) = item.text() {
            report.complain(&item, syntax::cidr(text));
            address::refuse_range(&item, context, report);
        }
    }
    let count = |is_new: bool| families.iter().filter(|family| **family == is_new).count();
    let wrong = ranges.items().find_map(|item| item.text().filter(|text| !syntax::cidr(text).is_empty()));
    if let Some(text) = wrong.filter(|_| ranges.count() > 1) {
        report.refuse(ranges, TOO_MANY_RANGES.with(text));
    }
    if count(true) > 1 || count(false) > 1 || (wrong.is_some() && ranges.count() > 1) {
        report.refuse(ranges, &SAME_FAMILY);
    }
}

const EFFECTS: &[&str] = &["NoSchedule", "PreferNoSchedule", "NoExecute"];

fn taints(taints: &FieldPlace<'_, '_>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for taint in taints.items() {
        let (key, value, effect) = (taint.child("key"), taint.child("value"), taint.child("effect"));
        let (Some(key_text), Some(effect_text)) = (key.text(), effect.text()) else { continue };
        report.complain(&key, names::qualified_name(key_text));
        let complaints = value.text().map(names::label_value).unwrap_or_default();
        if !complaints.is_empty() {
            report.refuse(&value, TAINT_VALUE.with(joined(&complaints, ";")));
        }
        match effect_text {
            "" => report.missing(&effect),
            text if !EFFECTS.contains(&text) => report.not_supported(&effect, EFFECTS),
            _ => {}
        }
        if !taken.insert((key_text, effect_text)) {
            report.refuse_in(taint.path(), taint.span(), None, &DUPLICATE_TAINT);
        }
    }
}

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOIDED: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Checks `core.Node`: what is written in annotations.
pub(super) fn check_annotations(node: &FieldPlace<'_, '_>, _: &Context<'_>, report: &mut Report) {
    let metadata = node.child("metadata");
    let all = metadata.child("annotations");
    annotated_taints(&all, report);
    avoided_pods(&all, report);
}

/// Why a string is not JSON.
fn not_json(text: &str) -> String {
    json_fault(text.as_bytes()).unwrap_or_else(|| "it is nested too deep".to_owned())
}

/// Taints as they were written before there was a field for them.
fn annotated_taints(all: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(value) = all.entry(TAINTS) else { return };
    let Some(text) = value.full_text() else { return };
    let mut wrong = |words: String| {
        report.refuse_in(all.path(), value.span(), Some(go_quoted(TAINTS)), TAINTS_ANNOTATION.with(words));
    };
    let Ok(document) = json::read(value.span().source, &Arc::from(text), Limits::default()) else {
        return wrong(not_json(text));
    };
    let root = document.root();
    if let Some(words) = unmarshalled(root) {
        return wrong(words);
    }
    // Go takes names in any case; these are left alone then.
    let is_plain = |key: NodeRef<'_>| !FIELDS.iter().any(|(name, _)| is_other_case(name, &key.key_text()));
    let keys = root.items().into_iter().flatten().filter_map(|item| item.entries()).flatten();
    if !keys.map(|(key, _)| key).all(is_plain) {
        return;
    }
    let mut found = Report::default();
    taints(&FieldPlace::root(root), &mut found);
    // The places are those of another text: the annotation holds them all.
    for problem in found.problems {
        if let Fact::Refused(error, _) = problem.fact {
            let field = all.path().field(TAINTS).join(&error.field);
            report.refused(&value, FieldError { field, ..error });
        }
    }
}

/// The fields of a taint as Go names them, with their types.
const FIELDS: [(&str, &str); 3] = [("Key", "string"), ("Value", "string"), ("Effect", "core.TaintEffect")];

/// Whether a key is the name of a field in other letters than those of JSON.
fn is_other_case(name: &str, key: &str) -> bool {
    key.eq_ignore_ascii_case(name) && key != name.to_ascii_lowercase()
}

/// What Go says where a JSON text holds something else than taints.
fn unmarshalled(root: NodeRef<'_>) -> Option<String> {
    let refuse = |node: NodeRef<'_>, into: &str| {
        let found = match node.kind() {
            NodeKind::Mapping { .. } => "object",
            NodeKind::Sequence { .. } => "array",
            NodeKind::Scalar { value: ScalarValue::String, .. } => "string",
            NodeKind::Scalar { value: ScalarValue::Bool(_), .. } => "bool",
            _ => "number",
        };
        format!("json: cannot unmarshal {found} into Go {into}")
    };
    if root.is_null() {
        return None;
    }
    let Some(mut items) = root.items() else { return Some(refuse(root, "value of type []core.Taint")) };
    items.find_map(|item| {
        if item.is_null() {
            return None;
        }
        let Some(mut entries) = item.entries() else { return Some(refuse(item, "value of type core.Taint")) };
        entries.find_map(|(key, value)| {
            let (name, kind) = FIELDS.iter().find(|(name, _)| key.key_text().eq_ignore_ascii_case(name))?;
            let is_text = value.is_null() || value.as_str().is_some();
            (!is_text).then(|| refuse(value, &format!("struct field Taint.{name} of type {kind}")))
        })
    })
}

/// The pods that a node would rather not have.
fn avoided_pods(all: &FieldPlace<'_, '_>, report: &mut Report) {
    let Some(value) = all.entry(AVOIDED) else { return };
    let Some(text) = value.full_text() else { return };
    let Ok(document) = json::read(value.span().source, &Arc::from(text), Limits::default()) else {
        let field = all.path().field("AvoidPods");
        let shown = Some(go_quoted(AVOIDED));
        return report.refuse_in(field, value.span(), shown, AVOID_ANNOTATION.with(not_json(text)));
    };
    let avoided = FieldPlace::root(document.root());
    for (index, entry) in avoided.child("preferAvoidPods").items().enumerate() {
        let signature = entry.child("podSignature");
        let controller = signature.child("podController");
        let field = all.path().field(AVOIDED).index(index).field("PodSignature");
        if controller.is_absent() {
            report.missing_at(field, value.span());
        } else if !controller.child("controller").is_true() {
            let field = field.field("PodController").field("Controller");
            report.refuse_in(field, value.span(), Some("false".to_owned()), &AVOID_CONTROLLER);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::Bench;

    #[test]
    fn ranges_of_pods() {
        let bench = Bench::new();
        let node = "apiVersion: v1\nkind: Node\nmetadata: {name: nn}\nspec: {podCIDRs: [{}]}\n";
        bench.accepts_all(node, &["10.0.0.0/24", "10.0.0.0/24, 'fd00::/64'"]);
        bench.refuses_all(
            node,
            &[
                ("10.0.0.0/24, 10.0.1.0/24", "spec.podCIDRs: Invalid value"),
                ("x", "spec.podCIDRs[0]: Invalid value: \"x\""),
            ],
        );
        let node = "apiVersion: v1\nkind: Node\nmetadata: {name: nn}\nspec: {{}}\n";
        bench.accepts_all(
            node,
            &[
                "podCIDR: 10.0.0.0/24",
                "podCIDR: 10.0.0.0/24, podCIDRs: [10.0.0.0/24]",
                "podCIDR: 10.0.0.0/24, podCIDRs: [x]",
            ],
        );
        bench.refuses_all(
            node,
            &[
                ("podCIDR: x", "spec.podCIDRs[0]: Invalid value: \"x\": must be a valid CIDR value"),
                ("podCIDR: x, podCIDRs: [10.0.0.0/24]", "spec.podCIDRs[0]: Invalid value: \"x\""),
            ],
        );
    }

    #[test]
    fn taints() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Node\nmetadata: {name: nn}\nspec: {taints: [{}]}\n";
        bench.accepts_all(
            frame,
            &[
                "{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}",
                "{key: x.io/a, value: b, effect: NoSchedule}",
            ],
        );
        bench.refuses_all(
            frame,
            &[
                (
                    "{key: a, effect: NoSchedule}, {key: a, value: b, effect: NoSchedule}",
                    "metadata.taints[1]: Duplicate value: taints must be unique by key and effect pair",
                ),
                (
                    "{key: a b, effect: NoSchedule}",
                    "metadata.taints[0].key: Invalid value: \"a b\": name part",
                ),
                (
                    "{key: a, value: b c, effect: NoSchedule}",
                    "metadata.taints[0].value: Invalid value: \"b c\"",
                ),
                ("{key: a}", "metadata.taints[0].effect: Required value"),
                ("{key: a, effect: Never}", "metadata.taints[0].effect: Unsupported value: \"Never\""),
            ],
        );
    }

    #[test]
    fn annotated_taints() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Node\nmetadata: {name: nn, annotations: {scheduler.alpha.kubernetes.io/taints: '{}'}}\n";
        let key = "metadata.annotations.scheduler.alpha.kubernetes.io/taints";
        bench.accepts_all(
            frame,
            &[
                "",
                "[]",
                "null",
                "[{\"key\": \"a\", \"effect\": \"NoSchedule\"}]",
                "[{\"Key\": \"a\", \"Effect\": \"NoSchedule\"}]",
            ],
        );
        let unreadable = |words: &str| {
            format!(
                "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/taints\": json: cannot unmarshal {words}"
            )
        };
        for (text, error) in [
            (
                "[",
                "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/taints\": ".to_owned(),
            ),
            ("{\"key\": \"a\"}", "metadata.annotations: Invalid value".to_owned()),
            ("\"x\"", unreadable("string into Go value of type []core.Taint")),
            ("[1]", unreadable("number into Go value of type core.Taint")),
            (
                "[{\"key\": \"a\", \"effect\": \"NoSchedule\", \"value\": 1}]",
                unreadable("number into Go struct field Taint.Value of type string"),
            ),
            ("[{\"key\": \"a\"}]", format!("{key}[0].effect: Required value")),
            (
                "[{\"key\": \"a b\", \"effect\": \"NoSchedule\"}]",
                format!("{key}[0].key: Invalid value: \"a b\""),
            ),
            (
                "[{\"key\": \"a\", \"effect\": \"Foo\"}]",
                format!("{key}[0].effect: Unsupported value: \"Foo\""),
            ),
        ] {
            bench.refuses(&frame.replace("{}", text), &[&error]);
        }
    }

    #[test]
    fn avoided_pods() {
        let bench = Bench::new();
        let frame = "apiVersion: v1\nkind: Node\nmetadata: {name: nn, annotations: {scheduler.alpha.kubernetes.io/preferAvoidPods: '{}'}}\n";
        let entry = |signature: &str| format!("{{\"preferAvoidPods\": [{{\"podSignature\": {signature}}}]}}");
        bench.accepts(frame);
        bench.accepts(&frame.replace("{}", ""));
        bench.accepts(&frame.replace("{}", &entry("{\"podController\": {\"controller\": true}}")));
        for (text, error) in [
            (
                "{".to_owned(),
                "metadata.annotations.AvoidPods: Invalid value: \"scheduler.alpha.kubernetes.io/preferAvoidPods\"",
            ),
            (
                entry("{}"),
                "metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature: Required value",
            ),
            (
                entry("{\"podController\": {\"controller\": false}}"),
                "metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller",
            ),
        ] {
            bench.refuses(&frame.replace("{}", &text), &[error]);
        }
    }
}
