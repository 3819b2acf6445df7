//! Sentences for common mistakes whose own sentence from the server is hard to read, by the rule that was broken.

use trueline_kube_facts::FieldError;

/// What is said of a broken rule.
struct Sentence {
    rule: &'static str,
    /// `{field}` is the path of the field, and `{value}` what it holds.
    says: &'static str,
    help: Option<&'static str>,
}

const fn says(rule: &'static str, says: &'static str) -> Sentence {
    Sentence { rule, says, help: None }
}

impl Sentence {
    const fn help(self, help: &'static str) -> Self {
        Sentence { help: Some(help), ..self }
    }
}

static SENTENCES: &[Sentence] = &[
    says("autoscaler/max-below-min", "`{field}` is {value}, less than `minReplicas`"),
    says("autoscaler/no-group", "`{field}` has no API group")
        .help("write the group as well, as in `apps/v1`"),
    says("budget/both-bounds", "`minAvailable` and `maxUnavailable` cannot both be set")
        .help("remove one of them"),
    says("claim/empty-request", "`{field}` is {value}, but must be greater than zero"),
    says("env/value-and-source", "`{field}` is not allowed beside `value`")
        .help("remove `value` or `valueFrom`"),
    says("ingress/no-path-type", "`{field}` is missing or empty")
        .help("write `pathType: Prefix`, `pathType: Exact` or `pathType: ImplementationSpecific`"),
    says("object/negative-number", "`{field}` is {value}, but cannot be negative"),
    says("probe/no-handler", "`{field}` has no handler").help("add one, such as `httpGet` or `exec`"),
    says("probe/two-handlers", "`{field}` is a second handler; only one is allowed").help("keep one of them"),
    says("resources/negative", "`{field}` is {value}, but cannot be negative"),
    says(
        "security/escalation-and-privileged",
        "`{field}`: a privileged container cannot have `allowPrivilegeEscalation: false`",
    )
    .help("remove `privileged: true` or `allowPrivilegeEscalation: false`"),
    says("service/external-name-field", "`{field}` is not allowed in a Service of the type `ExternalName`")
        .help("remove it"),
    says("volume/two-sources", "`{field}` is a second source of this volume; only one is allowed")
        .help("keep one of them"),
];

/// The sentence on an error, and how to fix it.
pub(super) fn of(error: &FieldError) -> Option<(String, Option<&'static str>)> {
    let sentence = sentence(error)?;
    let value = error.value.as_deref().unwrap_or_default();
    // A sentence that names the value says nothing without it.
    if sentence.says.contains("{value}") && (value.is_empty() || value.len() > 80) {
        return None;
    }
    // The value comes last: it may hold anything.
    let mut text = sentence.says.replace("{field}", &error.field.to_string());
    if let Some(place) = sentence.says.contains("{value}").then(|| text.rfind("{value}")).flatten() {
        text.replace_range(place..place + "{value}".len(), value);
    }
    Some((text, sentence.help))
}

/// Whether there is a sentence for an error.
pub(super) fn has(error: &FieldError) -> bool {
    sentence(error).is_some()
}

fn sentence(error: &FieldError) -> Option<&'static Sentence> {
    let name = error.rule.info.name;
    SENTENCES.binary_search_by(|sentence| sentence.rule.cmp(name)).ok().and_then(|index| SENTENCES.get(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trueline_kube_facts::{Breach, Detail, FieldPath};

    #[test]
    fn each_rule_exists_and_is_found() {
        let lists = trueline_kube_rules::NAMED_LISTS.iter().copied().flatten().copied().flatten();
        let rules: Vec<_> = lists.collect();
        for sentence in SENTENCES {
            let rule = rules.iter().find(|rule| rule.info.name == sentence.rule);
            let rule = rule.unwrap_or_else(|| panic!("{} is no rule", sentence.rule));
            let breach = Breach { rule, detail: Detail::Fixed };
            let error = FieldError::new(breach, FieldPath::of("a.b"), None).with_value("{value}");
            let (text, _) = of(&error).unwrap();
            assert!(!text.contains("{field}"), "{text}");
            assert!(
                of(&FieldError { value: None, ..error }).is_none_or(|(text, _)| !text.contains("{value}"))
            );
        }
    }
}
