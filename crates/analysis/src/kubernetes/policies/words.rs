//! What policies say, at the object and at the rule.

use trueline_diagnostic::{Diagnostic, KubeCause, Level, Severity};
use trueline_kube::cel::policy::{Action, Binding, Decision, DecisionKind, Enforced, Part};
use trueline_source::Span;
use trueline_yaml::{Data, Value};

use super::codes::{AUDITED, DENIED, FAILED, WARNED};
use super::{Held, severities};

/// The findings for what a policy says against an object: one for each thing that is done about it.
pub(super) fn findings(
    decision: &Decision,
    policy: &Enforced,
    binding: &Binding,
    held: &Held,
) -> Vec<Diagnostic> {
    let actions: Vec<Action> = match decision.kind {
        // It is refused whatever the binding says.
        DecisionKind::Unusable | DecisionKind::NoParameters => vec![Action::Deny],
        DecisionKind::Broken | DecisionKind::Failed => severities(&binding.actions).collect(),
    };
    actions.into_iter().map(|action| finding(decision, policy, binding, held, action)).collect()
}

fn finding(
    decision: &Decision,
    policy: &Enforced,
    binding: &Binding,
    held: &Held,
    action: Action,
) -> Diagnostic {
    let severity = match action {
        Action::Deny => Severity::Error,
        Action::Warn => Severity::Warning,
        Action::Audit => Severity::Note,
    };
    let code = match (decision.kind, action) {
        (DecisionKind::Broken, Action::Deny) => &DENIED,
        (DecisionKind::Broken, Action::Warn) => &WARNED,
        (DecisionKind::Broken, Action::Audit) => &AUDITED,
        (DecisionKind::Failed | DecisionKind::Unusable | DecisionKind::NoParameters, _) => &FAILED,
    };
    let field = decision.field.as_deref().and_then(|path| field_place(&held.value, path));
    let place = field.or_else(|| name_place(&held.value)).unwrap_or(held.head.place);
    let name = &policy.policy.name;
    let message = match decision.kind {
        DecisionKind::Broken => one_line(&decision.plain),
        DecisionKind::Failed => format!("the policy `{name}` cannot be evaluated: {}", decision.plain),
        DecisionKind::Unusable | DecisionKind::NoParameters => {
            format!("the policy `{name}` cannot be applied: {}", decision.plain)
        }
    };
    let rule = match decision.part {
        Part::Binding => binding.place,
        part => policy.place(part),
    };
    let mut finding = Diagnostic::new(code, place, message).severity(severity).level(Level::Semantic);
    if let Some(rule) = rule {
        let label = match decision.part {
            Part::Validation(_) => format!("a rule of the policy `{name}`"),
            Part::Annotation(_) => format!("an annotation of the policy `{name}`"),
            Part::Conditions => format!("a condition of the policy `{name}`"),
            Part::Policy => format!("the policy `{name}`"),
            Part::Binding => format!("the binding of the policy `{name}`"),
        };
        finding = finding.related(rule, label);
    }
    if decision.kind == DecisionKind::NoParameters {
        finding = finding.help("add the parameters to what is checked, or name their file with `--policy`");
    }
    let verb = match action {
        Action::Warn => "",
        Action::Deny | Action::Audit => " denied request",
    };
    let detail = match action {
        Action::Deny => format!(
            "ValidatingAdmissionPolicy '{name}' with binding '{}'{verb}: {}",
            binding.name, decision.message
        ),
        Action::Warn => format!(
            "Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{}': {}",
            binding.name, decision.message
        ),
        Action::Audit => return finding,
    };
    let kind = if action == Action::Deny { decision.reason.clone() } else { "Warning".to_owned() };
    Diagnostic { kube: Some(KubeCause { field: String::new(), kind, detail }), ..finding }
}

/// The place of a field, if it was typed and is a plain value.
fn field_place(object: &Value, path: &[std::sync::Arc<str>]) -> Option<Span> {
    let field = path.iter().try_fold(object, |value, key| value.get(key))?;
    let is_plain = !matches!(field.data, Data::List(_) | Data::Map(_) | Data::Null);
    field.origin.filter(|_| is_plain)
}

fn name_place(object: &Value) -> Option<Span> {
    let metadata = object.get("metadata")?;
    metadata.get("name").or_else(|| metadata.get("generateName"))?.origin
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
